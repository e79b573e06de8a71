//! The targets of a linear SVM: one class a row, or a set of labels, with what each row costs.

use super::classify::Ended;
use base::{ClassWeight, Dataset, Error, Points, Result, Run, Shared, Sparse, Targets, UNKNOWN};
use numeric::{EIGHT, points_times_sparse};
use std::ops::Range;
use std::sync::Arc;

/// Classes or label sets of all rows, among the names that have rows.
pub(super) struct Labelled {
    pub names: Arc<[String]>,
    /// Names without rows, which are left out.
    pub absent: Vec<String>,
    /// The class of each row, where rows have one.
    codes: Vec<u32>,
    /// The labels of each row, ascending, where rows have sets.
    pub sets: Option<Vec<Vec<u32>>>,
    /// The rows of each class or label, ascending.
    pub members: Vec<Vec<u32>>,
    weights: Option<Shared<f64>>,
    /// How much each class counts.
    pub factors: Vec<f64>,
}

impl Labelled {
    /// The targets of these data.
    pub fn new(data: &Dataset, class_weight: &ClassWeight) -> Result<Self> {
        let weights = data.weights.clone();
        match &data.targets {
            Targets::Classes(classes) => {
                let (place, names, absent) = present(classes.names(), &classes.counts());
                let codes: Vec<u32> = classes.codes().iter().map(|&c| place[c as usize]).collect();
                let all = class_weight.factors(data, classes)?;
                let factors = all.iter().zip(&place).filter(|(_, p)| **p != UNKNOWN).map(|(f, _)| *f).collect();
                let mut members = vec![vec![]; names.len()];
                (0u32..).zip(&codes).for_each(|(i, &c)| members[c as usize].push(i));
                Ok(Labelled { names, absent, codes, sets: None, members, weights, factors })
            }
            Targets::Sets(sets) => {
                if *class_weight != ClassWeight::None {
                    let instead = "weigh the rows instead";
                    return Err(Error::unsupported("class_weight", "sets of labels", instead));
                }
                let mut counts = vec![0; sets.names().len()];
                let row = |i: usize| sets.get(i).unwrap_or_default();
                (0..sets.len()).flat_map(row).for_each(|&l| counts[l as usize] += 1);
                let (place, names, absent) = present(sets.names(), &counts);
                let mut members = vec![vec![]; names.len()];
                let rows: Vec<Vec<u32>> = (0..sets.len())
                    .map(|i| {
                        let mut labels: Vec<u32> = row(i).iter().map(|&l| place[l as usize]).collect();
                        labels.sort_unstable();
                        labels.dedup();
                        labels.iter().for_each(|&l| members[l as usize].push(i as u32));
                        labels
                    })
                    .collect();
                if names.is_empty() {
                    return Err(Error::size("labels that have rows", "at least 1", 0));
                }
                let factors = vec![1.0; names.len()];
                Ok(Labelled { names, absent, codes: vec![], sets: Some(rows), members, weights, factors })
            }
            other => Err(Error::size("targets", "classes or sets of labels", other.type_name())),
        }
    }

    /// How many rows.
    fn len(&self) -> usize {
        self.sets.as_ref().map_or(self.codes.len(), Vec::len)
    }

    fn weight(&self, i: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |w| w[i])
    }

    /// The sign of each row for a class against the rest, and its cost. The factor of a class counts for its own rows; of `two`
    /// classes both factors count.
    pub fn sides(&self, class: usize, c: f64, two: bool) -> (Vec<f64>, Vec<f64>) {
        let mut signs = vec![-1.0; self.len()];
        match &self.sets {
            Some(_) => self.members[class].iter().for_each(|&i| signs[i as usize] = 1.0),
            None => signs
                .iter_mut()
                .zip(&self.codes)
                .filter(|(_, code)| **code as usize == class)
                .for_each(|(s, _)| *s = 1.0),
        }
        let factor = |i: usize, sign: f64| match (sign > 0.0, two) {
            (true, _) => self.factors[class],
            (false, true) => self.factors[self.codes[i] as usize],
            (false, false) => 1.0,
        };
        let costs = signs.iter().enumerate().map(|(i, &s)| c * self.weight(i) * factor(i, s)).collect();
        (signs, costs)
    }

    /// The cost of each row, without the factor of its class.
    pub fn costs(&self, c: f64) -> Vec<f64> {
        (0..self.len()).map(|i| c * self.weight(i)).collect()
    }

    /// For each row which of these classes it has, a bit each, and the factors of the classes.
    pub fn positive(&self, classes: Range<usize>) -> (Vec<u8>, [f64; EIGHT]) {
        let mut bits = vec![0u8; self.len()];
        match &self.sets {
            Some(_) => {
                for (l, class) in classes.clone().enumerate() {
                    self.members[class].iter().for_each(|&i| bits[i as usize] |= 1 << l);
                }
            }
            None => {
                for (bits, &code) in bits.iter_mut().zip(&self.codes) {
                    if classes.contains(&(code as usize)) {
                        *bits = 1 << (code as usize - classes.start);
                    }
                }
            }
        }
        (bits, std::array::from_fn(|l| self.factors.get(classes.start + l).copied().unwrap_or(1.0)))
    }

    /// The samples of a joint problem, a row and a class each, with their costs.
    pub fn samples(&self, c: f64) -> (Vec<(u32, u32)>, Vec<f64>) {
        let samples: Vec<(u32, u32)> = match &self.sets {
            Some(sets) => (0u32..).zip(sets).flat_map(|(i, labels)| labels.iter().map(move |&l| (i, l))).collect(),
            None => (0u32..).zip(self.codes.iter().copied()).collect(),
        };
        let costs =
            samples.iter().map(|&(i, class)| c * self.weight(i as usize) * self.factors[class as usize]).collect();
        (samples, costs)
    }

    /// Whether row `i` has this class or label.
    pub fn has(&self, i: usize, class: u32) -> bool {
        match &self.sets {
            Some(sets) => sets[i].binary_search(&class).is_ok(),
            None => self.codes[i] == class,
        }
    }
}

/// The place of each name among those with rows, these names, and the others.
fn present(names: &[String], counts: &[usize]) -> (Vec<u32>, Arc<[String]>, Vec<String>) {
    let (mut place, mut kept, mut absent) = (vec![UNKNOWN; names.len()], vec![], vec![]);
    for ((name, &count), place) in names.iter().zip(counts).zip(&mut place) {
        if count > 0 {
            *place = kept.len() as u32;
            kept.push(name.clone());
        } else {
            absent.push(name.clone());
        }
    }
    (place, kept.into(), absent)
}

/// Rows scored at once.
const ROWS: usize = 256;
/// Labels of a row, the best ones, that a common offset is chosen by.
const BEST: usize = 32;

/// Calls `f` with each row and its scores.
fn each_row(
    points: &Points,
    weights: &Sparse,
    offsets: &[f64],
    run: &Run<'_>,
    mut f: impl FnMut(usize, &[f64]),
) -> Result<()> {
    let k = offsets.len();
    let (mut scores, _hold) = run.memory.filled(ROWS.saturating_mul(k), 0.0, "scores")?;
    for start in (0..points.len()).step_by(ROWS) {
        let rows = points.slice(start..start + ROWS);
        let scores = &mut scores[..rows.len() * k];
        scores.chunks_exact_mut(k).for_each(|row| row.copy_from_slice(offsets));
        points_times_sparse(run, &rows, weights, scores, k)?;
        scores.chunks_exact(k).enumerate().for_each(|(i, row)| f(start + i, row));
    }
    Ok(())
}

/// The fraction of rows whose best score is that of their class, or of one of their labels.
pub(super) fn right(
    points: &Points,
    weights: &Sparse,
    offsets: &[f64],
    labelled: &Labelled,
    run: &Run<'_>,
) -> Result<f64> {
    let mut right = 0usize;
    each_row(points, weights, offsets, run, |i, row| right += usize::from(labelled.has(i, base::argmax(row))))?;
    Ok(right as f64 / points.len().max(1) as f64)
}

/// Moves all scores by a common offset so that labels above 0 agree best with those of the rows: the largest micro-averaged
/// F1 = 2·hits / (labels above 0 + labels of the rows), looked for among the [`BEST`] labels of each row.
pub(super) fn offset_by_f1(ended: &mut Ended, points: &Points, labelled: &Labelled, run: &Run<'_>) -> Result<()> {
    let count = points.len().saturating_mul(BEST.min(ended.offsets.len()));
    let _hold = run.memory.take_for::<(f64, bool)>(count, "scores of the best labels")?;
    let run = &run.finishing();
    let (mut best, mut among) = (Vec::with_capacity(count), vec![]);
    each_row(points, &ended.weights, &ended.offsets, run, |i, row| {
        let mut top = base::Top::with_capacity(1, BEST);
        top.push(row, &mut among);
        best.extend(among.iter().map(|&(score, label)| (score, labelled.has(i, label))));
    })?;
    best.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
    let labels: usize = labelled.sets.iter().flatten().map(Vec::len).sum();
    let (mut hits, mut most, mut cut) = (0usize, -1.0, 0.0);
    for (place, &(score, hit)) in best.iter().enumerate() {
        hits += usize::from(hit);
        let next = best.get(place + 1).map_or(score - 1.0, |b| b.0);
        let f1 = 2.0 * hits as f64 / (place + 1 + labels) as f64;
        if next < score && f1 > most {
            (most, cut) = (f1, 0.5 * (score + next));
        }
    }
    ended.offsets.iter_mut().for_each(|b| *b -= cut);
    Ok(())
}
