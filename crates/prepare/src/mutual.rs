//! Mutual information of each column with the target, by bins of equal count.
//!
//! I(x; y) = Σ p(x, y) ln [p(x, y) / (p(x) p(y))] over bins, in nats. A column of at most `bins` different values has a
//! bin for each; otherwise a value goes to the bin floor(bins · (rows before it + half the rows equal to it) / rows), so
//! that bins are about equally full and equal values stay together. Classes are their own bins, values are binned like
//! columns; of several target values the largest counts.
//!
//! **Bias.** The plain estimate is too large by about (occupied cells − occupied rows − occupied columns + 1)/(2 rows),
//! which is taken off (Miller 1955); what is left of independent columns scatters around 0 and may be negative. Finer
//! structure than the bins is not seen. **Cost.** A sort of each column's stored numbers.
//!
//! - G. A. Miller: *Note on the bias of information estimates.* Information Theory in Psychology (1955) 95–100.

use crate::columns::each_column;
use base::{Dataset, Error, Result, Run, Targets};

/// The mutual information of every column with the target.
pub(crate) fn scores(data: &Dataset, bins: usize, run: &Run<'_>) -> Result<Vec<f64>> {
    let weight = |i: usize| data.weight(i);
    let targets: Vec<Binned> = match &data.targets {
        Targets::Classes(classes) => {
            let codes = classes.codes().to_vec();
            vec![Binned { codes, count: classes.names().len() }]
        }
        Targets::Values(values) => {
            let of = |t: usize| {
                let entries: Vec<(usize, f64)> = (0..data.len()).map(|i| (i, values.row(i)[t])).collect();
                let (codes, _, count) = binned(&entries, data.len(), bins, &weight);
                Binned { codes, count }
            };
            (0..values.names().len()).map(of).collect()
        }
        other => return Err(Error::size("targets for select", "classes or values", other.type_name())),
    };
    let marginals: Vec<Vec<Cell>> = targets.iter().map(|t| t.marginal(&weight)).collect();
    each_column(data.points()?, run, |_, column| {
        let (codes, zero, count) = binned(column, data.len(), bins, &weight);
        let of = |(target, marginal): (&Binned, &Vec<Cell>)| {
            let mut joint = vec![Cell::default(); count * target.count];
            let mut absent = marginal.clone();
            for (&(i, _), &bin) in column.iter().zip(&codes) {
                let t = target.codes[i] as usize;
                joint[bin as usize * target.count + t].add(weight(i));
                absent[t].take(weight(i));
            }
            if let Some(zero) = zero {
                let line = &mut joint[zero as usize * target.count..][..target.count];
                line.iter_mut().zip(&absent).for_each(|(cell, left)| cell.join(left));
            }
            information(&joint, target.count)
        };
        Ok(targets.iter().zip(&marginals).map(of).fold(f64::NEG_INFINITY, f64::max))
    })
}

/// The bin of every row.
struct Binned {
    codes: Vec<u32>,
    count: usize,
}

impl Binned {
    fn marginal(&self, weight: &impl Fn(usize) -> f64) -> Vec<Cell> {
        let mut cells = vec![Cell::default(); self.count];
        self.codes.iter().enumerate().for_each(|(i, &c)| cells[c as usize].add(weight(i)));
        cells
    }
}

/// Rows in a cell: how many, which says whether it is occupied, and what they weigh.
#[derive(Debug, Clone, Copy, Default)]
struct Cell {
    rows: usize,
    mass: f64,
}

impl Cell {
    fn add(&mut self, weight: f64) {
        self.join(&Cell { rows: 1, mass: weight });
    }

    fn join(&mut self, other: &Cell) {
        self.rows += other.rows;
        self.mass += other.mass;
    }

    fn take(&mut self, weight: f64) {
        self.rows -= 1;
        self.mass = if self.rows == 0 { 0.0 } else { self.mass - weight };
    }
}

/// Mutual information of a table of cells, `width` a line, less its bias.
fn information(joint: &[Cell], width: usize) -> f64 {
    let mut across = vec![Cell::default(); width];
    let lines: Vec<Cell> = joint
        .chunks_exact(width)
        .map(|line| {
            let mut sum = Cell::default();
            for (cell, across) in line.iter().zip(&mut across) {
                sum.join(cell);
                across.join(cell);
            }
            sum
        })
        .collect();
    let total: f64 = lines.iter().map(|l| l.mass).sum();
    let mut sum = 0.0;
    for (line, row) in joint.chunks_exact(width).zip(&lines) {
        for (cell, column) in line.iter().zip(&across).filter(|(c, _)| c.mass > 0.0) {
            sum += cell.mass / total * (cell.mass / row.mass * (total / column.mass)).ln();
        }
    }
    let occupied = |cells: &[Cell]| cells.iter().filter(|c| c.rows > 0).count() as f64;
    let excess = occupied(joint) - occupied(&lines) - occupied(&across) + 1.0;
    sum - excess / (2.0 * total)
}

/// The bin of each entry, that of the rows without one, and how many bins there are.
fn binned(
    entries: &[(usize, f64)],
    rows: usize,
    bins: usize,
    weight: &impl Fn(usize) -> f64,
) -> (Vec<u32>, Option<u32>, usize) {
    let mut order: Vec<usize> = (0..entries.len()).collect();
    // Adding 0 makes -0 a plain 0.
    let value = |e: usize| entries[e].1 + 0.0;
    order.sort_unstable_by(|&a, &b| value(a).total_cmp(&value(b)).then(a.cmp(&b)));
    let present: f64 = entries.iter().map(|&(i, _)| weight(i)).sum();
    let total: f64 = (0..rows).map(weight).sum();
    let absent = if entries.len() < rows { Some((total - present).max(0.0)) } else { None };
    // Runs of equal values in order, the rows without an entry among them: value, mass.
    let mut runs: Vec<(f64, f64)> = vec![];
    let mut run_of = vec![0usize; entries.len()];
    let mut zero = None;
    let begin = |runs: &mut Vec<(f64, f64)>, x: f64, mass: f64| {
        match runs.last_mut() {
            Some((last, sum)) if *last == x => *sum += mass,
            _ => runs.push((x, mass)),
        }
        runs.len() - 1
    };
    for &e in &order {
        if let (None, Some(mass)) = (zero, absent)
            && value(e) >= 0.0
        {
            zero = Some(begin(&mut runs, 0.0, mass));
        }
        run_of[e] = begin(&mut runs, value(e), weight(entries[e].0));
    }
    if let (None, Some(mass)) = (zero, absent) {
        zero = Some(begin(&mut runs, 0.0, mass));
    }
    let mut before = 0.0;
    let few = runs.len() <= bins;
    let bin: Vec<u32> = runs
        .iter()
        .enumerate()
        .map(|(r, &(_, mass))| {
            let middle = (before + mass / 2.0) / total;
            before += mass;
            if few { r as u32 } else { ((bins as f64 * middle) as usize).min(bins - 1) as u32 }
        })
        .collect();
    let codes = run_of.iter().map(|&r| bin[r]).collect();
    (codes, zero.map(|r| bin[r]), if few { runs.len() } else { bins })
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Classes, Points, Seed, Values};

    fn one(x: Vec<f64>, targets: Targets, bins: usize) -> f64 {
        let n = x.len();
        let data = Dataset::new(Points::dense(x, n, 1).unwrap(), targets);
        scores(&data, bins, &Run::quiet(1)).unwrap()[0]
    }

    #[test]
    fn of_itself_it_is_the_entropy() {
        let x: Vec<f64> = (0..1000).map(|i| Seed(1).at(i).unit()).collect();
        let found = one(x.clone(), Targets::Values(Values::new(x, "x")), 8);
        // Eight bins of 125 rows; Miller's correction of an entropy is (bins − 1)/(2 rows).
        assert!((found - (8f64.ln() + 7.0 / 2000.0)).abs() < 1e-12, "{found}");
        let codes: Vec<u32> = (0..1000).map(|i| u32::from(i % 4 == 0)).collect();
        let classes = Classes::new(codes.clone(), vec!["a".to_string(), "b".to_string()]).unwrap();
        let found = one(codes.iter().map(|&c| f64::from(c)).collect(), Targets::Classes(classes), 8);
        let entropy = -(0.25f64 * 0.25f64.ln() + 0.75 * 0.75f64.ln());
        assert!((found - (entropy + 1.0 / 2000.0)).abs() < 1e-12, "{found}");
    }

    #[test]
    fn of_the_independent_it_is_nothing_on_average() {
        let drawn = |seed: u64| (0..500).map(|i| Seed(seed).at(i).unit()).collect::<Vec<f64>>();
        let all: Vec<f64> =
            (0..40).map(|s| one(drawn(2 * s), Targets::Values(Values::new(drawn(2 * s + 1), "y")), 10)).collect();
        let mean = all.iter().sum::<f64>() / 40.0;
        // Uncorrected, 81 / 1000 would be expected; the deviation of one is about √(2·81)/1000.
        assert!(mean.abs() < 0.008, "{mean}");
        assert!(all.iter().all(|x| x.abs() < 0.06), "{all:?}");
    }

    #[test]
    fn bins_are_equally_full_and_ties_stay_together() {
        let weight = |_: usize| 1.0;
        let count = |x: &[f64], bins: usize| {
            let entries: Vec<(usize, f64)> = x.iter().copied().enumerate().collect();
            let (codes, zero, bins) = binned(&entries, x.len(), bins, &weight);
            assert_eq!(zero, None);
            let mut counts = vec![0; bins];
            codes.iter().for_each(|&c| counts[c as usize] += 1);
            counts
        };
        let x: Vec<f64> = Seed(2).permutation(100).iter().map(|&i| i as f64).collect();
        assert_eq!(count(&x, 5), [20; 5]);
        assert_eq!(count(&[1.0, 1.0, 1.0, 2.0, 3.0, -0.0, 0.0], 9), [2, 3, 1, 1]);
        assert_eq!(count(&[0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 2.0], 2), [5, 2]);
    }

    #[test]
    fn sparse_and_weighted_say_the_same() {
        let data = testkit::toy_classes(3);
        let run = Run::quiet(1);
        let weights: Vec<f64> = (0..data.len()).map(|i| (i % 3 + 1) as f64).collect();
        let rows: Vec<usize> = (0..data.len()).flat_map(|i| std::iter::repeat_n(i, i % 3 + 1)).collect();
        let repeated = scores(&data.select(&rows).unwrap(), 5, &run).unwrap();
        let weighted = Dataset { weights: Some(weights.into()), ..data };
        testkit::assert_close(&scores(&weighted, 5, &run).unwrap(), &repeated, 1e-12, "weights");
        let sparse = testkit::as_sparse(&weighted);
        testkit::assert_close(&scores(&sparse, 5, &run).unwrap(), &repeated, 1e-12, "sparse");
    }
}
