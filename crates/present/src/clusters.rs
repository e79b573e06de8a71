//! Explanations of many rows in clusters: rows that a machine decides for the same reason stand together, and a reason that
//! is no reason (a mark in a corner, a line of text, a border) stands out as a cluster of its own.
//!
//! Rows are explained block by block; of each map only what speaks for the output is kept, added up over channels and over
//! coarse places (at most `side` down and across), at length 1: coarse, because the same reason at a slightly other place is
//! the same reason. Rows of one explained class are grouped by neighbours ([`Spectral`]) and the number of groups is read
//! off the eigenvalues. How strange a cluster is:
//!
//! s = max (a − b)/√b, where a are the shares of its mean map at each place and b those of all other rows of its class (one
//! part in twenty spread evenly, so that none is 0): large where one place means much to it and hardly anything to the
//! others, small where the same things are looked at a little shifted.
//!
//! **Cost.** The explanations, and n³ for a class of n rows; at most `rows` of a class are grouped, evenly taken, and the
//! others join the cluster whose mean is nearest.
//! Source: S. Lapuschkin et al.: *Unmasking Clever Hans predictors and assessing what machines really learn*, Nature
//! Communications 10, 2019.

use crate::{Explanation, explain_rows_with};
use base::{Dataset, Error, Machine, Meaning, Points, Progress, Result, Run, Shape, Targets};
use distance::Spectral;
use explain::{Question, Tuning};

/// How clusters are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grouping {
    /// Places of a map down and across, at most.
    pub side: usize,
    /// Rows of a class that are grouped, at most.
    pub rows: usize,
    /// The graph of neighbours.
    pub spectral: Spectral,
}

impl Default for Grouping {
    fn default() -> Self {
        Grouping { side: 5, rows: 1000, spectral: Spectral::default() }
    }
}

/// Rows of a class with fewer are not grouped.
const LEAST: usize = 20;
/// Rows explained in one go.
const BLOCK: usize = 256;
/// What is spread evenly when places are compared.
const EVENLY: f64 = 0.05;
/// Examples kept of a cluster.
const EXAMPLES: usize = 6;

/// The clusters of all classes.
#[derive(Debug, Clone, PartialEq)]
pub struct Clusters {
    /// The method.
    pub method: String,
    /// The strangest first.
    pub clusters: Vec<Cluster>,
    /// The eigenvalues of each class that was grouped.
    pub eigenvalues: Vec<(String, Vec<f64>)>,
    /// What the numbers of a map are: a picture of few places, else columns.
    pub shape: Option<Shape>,
}

/// Rows that are decided for the same reason.
#[derive(Debug, Clone, PartialEq)]
pub struct Cluster {
    /// The class explained.
    pub class: String,
    /// Its rows, counted in the data, the nearest to the mean first.
    pub rows: Vec<usize>,
    /// Its share of the rows of its class.
    pub share: f64,
    /// How strange it is within its class; 0 where it is all of it.
    pub strange: f64,
    /// The mean map.
    pub mean: Vec<f64>,
    /// The first of its rows.
    pub examples: Vec<usize>,
    /// What its rows truly are, where that is known, the most frequent first.
    pub truths: Vec<(String, usize)>,
}

/// A map of few numbers, of length 1.
struct Small {
    row: usize,
    output: usize,
    map: Vec<f64>,
}

/// Explains rows and finds the clusters of their maps.
pub fn clusters(
    machine: &dyn Machine,
    data: &Dataset,
    rows: &[usize],
    (question, tuning): (Question, &Tuning),
    how: &Grouping,
    run: &Run<'_>,
) -> Result<Clusters> {
    let mut small: Vec<Small> = vec![];
    let mut found: Option<(String, Pooled, Vec<String>)> = None;
    let mut holds = vec![];
    for (k, block) in rows.chunks(BLOCK).enumerate() {
        run.report(&Progress::of("rows", (k * BLOCK) as u64, rows.len() as u64))?;
        let told = explain_rows_with(machine, data, block, question, tuning, run)?;
        let relevance = &told.answer.relevance;
        let (_, pooled, ..) = found.get_or_insert_with(|| {
            let pooled = Pooled::new(relevance.features.shape(), relevance.values.columns(), how.side);
            (relevance.method.clone(), pooled, outputs_of(&told))
        });
        holds.push(run.memory.take_for::<f64>(block.len().saturating_mul(pooled.count()), "relevance maps")?);
        small.extend(pooled.all(&told, block));
    }
    let Some((method, pooled, outputs)) = found else {
        return Err(Error::size("rows to explain", "at least 1", 0));
    };
    let mut classes: Vec<usize> = small.iter().map(|s| s.output).collect();
    classes.sort_unstable();
    classes.dedup();
    let (mut all, mut eigenvalues) = (vec![], vec![]);
    for class in classes {
        let own: Vec<&Small> = small.iter().filter(|s| s.output == class).collect();
        let name = outputs.get(class).cloned().unwrap_or_default();
        let (of, values) = grouped(&own, how, run)?;
        if !values.is_empty() {
            eigenvalues.push((name.clone(), values));
        }
        let count = of.iter().max().map_or(0, |c| c + 1);
        all.extend((0..count).map(|c| Cluster::new(&name, &own, &of, c, data)).filter(|c| !c.rows.is_empty()));
    }
    all.sort_by(|a, b| b.strange.total_cmp(&a.strange));
    Ok(Clusters { method, clusters: all, eigenvalues, shape: pooled.shape() })
}

/// The names of the outputs that are explained; one where the machine is no classifier.
fn outputs_of(told: &Explanation) -> Vec<String> {
    match told.prediction.outputs.meaning {
        Meaning::Classes => told.prediction.outputs.names.to_vec(),
        _ => told.prediction.outputs.names.iter().take(1).cloned().collect(),
    }
}

/// The cluster of each row of a class, and the eigenvalues, if they were looked at.
fn grouped(own: &[&Small], how: &Grouping, run: &Run<'_>) -> Result<(Vec<usize>, Vec<f64>)> {
    let n = own.len();
    if n < LEAST {
        return Ok((vec![0; n], vec![]));
    }
    let taken: Vec<usize> = match n > how.rows {
        true => (0..how.rows).map(|k| k * n / how.rows).collect(),
        false => (0..n).collect(),
    };
    let maps: Vec<&[f64]> = taken.iter().map(|&k| &own[k].map[..]).collect();
    let found = how.spectral.group(&Points::from_rows(&maps)?, run)?;
    let means: Vec<Vec<f64>> = (0..found.count)
        .map(|c| mean(maps.iter().zip(&found.of).filter(|(_, of)| **of == c).map(|(m, _)| *m)))
        .collect();
    let mut of: Vec<Option<usize>> = vec![None; n];
    taken.iter().zip(&found.of).for_each(|(&k, &c)| of[k] = Some(c));
    let nearest = |map: &[f64]| {
        let apart = |c: &usize| numeric::squared_distance(&means[*c], map);
        (0..means.len()).min_by(|a, b| apart(a).total_cmp(&apart(b))).unwrap_or(0)
    };
    Ok((of.into_iter().zip(own).map(|(c, s)| c.unwrap_or_else(|| nearest(&s.map))).collect(), found.eigenvalues))
}

impl Cluster {
    fn new(class: &str, own: &[&Small], of: &[usize], c: usize, data: &Dataset) -> Self {
        let inside: Vec<&Small> = own.iter().zip(of).filter(|(_, of)| **of == c).map(|(s, _)| *s).collect();
        let own_mean = mean(inside.iter().map(|s| &s.map[..]));
        let others = mean(own.iter().zip(of).filter(|(_, of)| **of != c).map(|(s, _)| &s.map[..]));
        let strange = excess(&own_mean, &others);
        let mut order: Vec<(f64, usize)> =
            inside.iter().map(|s| (numeric::squared_distance(&s.map, &own_mean), s.row)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let rows: Vec<usize> = order.into_iter().map(|(_, row)| row).collect();
        let mut truths = std::collections::BTreeMap::<String, usize>::new();
        if let Targets::Classes(classes) = &data.targets {
            for name in rows.iter().filter_map(|&row| classes.get(row)).map(|c| &classes.names()[c]) {
                *truths.entry(name.clone()).or_default() += 1;
            }
        }
        let mut truths: Vec<(String, usize)> = truths.into_iter().collect();
        truths.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let examples = rows.iter().take(EXAMPLES).copied().collect();
        let share = rows.len() as f64 / own.len().max(1) as f64;
        Cluster { class: class.into(), rows, share, strange, mean: own_mean, examples, truths }
    }
}

fn mean<'m>(maps: impl Iterator<Item = &'m [f64]>) -> Vec<f64> {
    let (mut sum, mut count) = (vec![], 0);
    for map in maps {
        sum.resize(map.len(), 0.0);
        numeric::add_scaled(&mut sum, 1.0, map);
        count += 1;
    }
    sum.iter_mut().for_each(|s| *s /= f64::from(count.max(1)));
    sum
}

/// The largest excess at one place over what others look at, in the manner of a standardised residual; 0 where either is
/// nothing.
fn excess(own: &[f64], others: &[f64]) -> f64 {
    let (total, rest): (f64, f64) = (own.iter().sum(), others.iter().sum());
    if !(total > 0.0 && rest > 0.0) {
        return 0.0;
    }
    let even = EVENLY / own.len() as f64;
    let one = |(a, b): (&f64, &f64)| {
        let expected = (1.0 - EVENLY) * b / rest + even;
        (a / total - expected) / expected.sqrt()
    };
    own.iter().zip(others).map(one).fold(0.0, f64::max)
}

/// How maps are made small.
enum Pooled {
    /// Pixels of so many places down and across, each the sum of `by` x `by`.
    Image { size: (usize, usize, usize), by: usize, side: (usize, usize) },
    /// Columns as they are.
    Columns(usize),
}

impl Pooled {
    fn new(shape: Option<Shape>, columns: usize, side: usize) -> Self {
        match shape {
            Some(Shape::Image { height, width, channels }) if height * width * channels == columns && columns > 0 => {
                let by = height.max(width).div_ceil(side.max(1)).max(1);
                Pooled::Image { size: (height, width, channels), by, side: (height.div_ceil(by), width.div_ceil(by)) }
            }
            _ => Pooled::Columns(columns),
        }
    }

    fn count(&self) -> usize {
        match self {
            Pooled::Image { side: (down, across), .. } => down * across,
            Pooled::Columns(count) => *count,
        }
    }

    fn shape(&self) -> Option<Shape> {
        match *self {
            Pooled::Image { side: (height, width), .. } => Some(Shape::Image { height, width, channels: 1 }),
            Pooled::Columns(_) => None,
        }
    }

    /// The maps of some rows.
    fn all<'a>(&'a self, told: &'a Explanation, rows: &'a [usize]) -> impl Iterator<Item = Small> + 'a {
        let relevance = &told.answer.relevance;
        let classes = told.prediction.outputs.meaning == Meaning::Classes;
        let mut own = vec![0.0; relevance.values.columns()];
        rows.iter().enumerate().map(move |(k, &row)| {
            relevance.values.write_row(k, &mut own);
            let output = if classes { told.answer.outputs[k] } else { 0 };
            Small { row, output, map: self.map(&own) }
        })
    }

    /// A map of few numbers at length 1; all 0 where nothing speaks for the output.
    fn map(&self, relevance: &[f64]) -> Vec<f64> {
        let mut map = match *self {
            Pooled::Image { size: (_, width, channels), by, side: (down, across) } => {
                let mut map = vec![0.0; down * across];
                for (i, pixel) in relevance.chunks_exact(channels).enumerate() {
                    map[i / width / by * across + i % width / by] += pixel.iter().sum::<f64>().max(0.0);
                }
                map
            }
            Pooled::Columns(_) => relevance.iter().map(|r| r.max(0.0)).collect(),
        };
        let length = numeric::squared_norm(&map).sqrt();
        map.iter_mut().for_each(|m| *m = if length > 0.0 { *m / length } else { 0.0 });
        map
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Classes;

    #[test]
    fn maps_are_added_up_over_coarse_places() {
        // 3 x 5 pixels of two channels in places of 2 x 2: 2 down, 3 across.
        let shape = Shape::Image { height: 3, width: 5, channels: 2 };
        let pooled = Pooled::new(Some(shape), 30, 3);
        assert_eq!((pooled.count(), pooled.shape()), (6, Some(Shape::Image { height: 2, width: 3, channels: 1 })));
        let relevance: Vec<f64> = (0..30).map(|i| f64::from(i % 7) - 2.0).collect();
        let mut expected = [0.0; 6];
        for y in 0..3 {
            for x in 0..5 {
                let pixel = relevance[(y * 5 + x) * 2] + relevance[(y * 5 + x) * 2 + 1];
                expected[y / 2 * 3 + x / 2] += if pixel > 0.0 { pixel } else { 0.0 };
            }
        }
        let length = expected.iter().map(|e| e * e).sum::<f64>().sqrt();
        testkit::assert_close(&pooled.map(&relevance), &expected.map(|e| e / length), 1e-12, "places");
        assert_eq!(pooled.map(&[-1.0; 30]), [0.0; 6], "nothing speaks for it");
        let columns = Pooled::new(None, 3, 5);
        assert_eq!(columns.map(&[3.0, -1.0, 4.0]), [0.6, 0.0, 0.8]);
    }

    #[test]
    fn a_cluster_is_strange_by_its_definition() {
        let maps = [[1.0, 0.0], [0.9, 0.1], [0.92, 0.08], [0.0, 1.0], [0.1, 0.9], [0.2, 0.8]];
        let small: Vec<Small> =
            maps.iter().enumerate().map(|(k, m)| Small { row: 10 + k, output: 0, map: m.to_vec() }).collect();
        let own: Vec<&Small> = small.iter().collect();
        let names = ["a", "b"].map(String::from).to_vec();
        let codes: Vec<u32> = (0..16).map(|i| u32::from(i == 11)).collect();
        let targets = Targets::Classes(Classes::new(codes, names).unwrap());
        let data = Dataset::new(Points::dense(vec![0.0; 16], 16, 1).unwrap(), targets);
        let found = Cluster::new("x", &own, &[0, 0, 0, 1, 1, 1], 0, &data);
        assert_eq!((found.rows.clone(), found.share), (vec![12, 11, 10], 0.5));
        assert_eq!(found.truths, [("a".to_string(), 2), ("b".to_string(), 1)]);
        // Shares 0.94 and 0.06 beside 0.1 and 0.9, of which a twentieth is spread over two places.
        let expected = (0.94 - 0.12) / 0.12f64.sqrt();
        assert!((found.strange - expected).abs() < 1e-12, "{} {expected}", found.strange);
        assert!(excess(&[1.0, 0.0], &[2.0, 0.0]) < 0.03 && excess(&[0.0; 2], &[1.0; 2]) == 0.0);
        assert_eq!(Cluster::new("x", &own, &[0; 6], 0, &data).strange, 0.0);
    }

    #[test]
    fn rows_beyond_the_limit_join_the_nearest() {
        let map = |i: usize| {
            // Wobbles in several directions make clouds; in one they would make chains, which have no single middle.
            let mut map: Vec<f64> = (0..6).map(|c| 0.05 * base::Seed(3).at(6 * i + c).unit()).collect();
            map[usize::from(!i.is_multiple_of(3))] += 1.0;
            map
        };
        let small: Vec<Small> = (0..200).map(|i| Small { row: i, output: 0, map: map(i) }).collect();
        let own: Vec<&Small> = small.iter().collect();
        let how = Grouping { rows: 50, ..Grouping::default() };
        let (of, eigenvalues) = grouped(&own, &how, &Run::quiet(1)).unwrap();
        assert!((0..200).all(|i| of[i] == usize::from(i % 3 == 0)), "{of:?}");
        assert_eq!(eigenvalues.len(), 13);
        assert_eq!(grouped(&own[..LEAST - 1], &how, &Run::quiet(1)).unwrap(), (vec![0; LEAST - 1], vec![]));
    }
}
