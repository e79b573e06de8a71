//! The rows of the problem, any of them at any time: which class, which words, and what these weigh.

use super::hierarchy::Hierarchy;
use super::words::Words;
use super::{Lshtc, Part};
use base::{Classes, Dataset, Hold, LabelSets, Points, Progress, Result, Run, Seed, Settings, Sparse, Targets};
use rand::{Rng, RngExt};
use std::ops::Range;
use std::sync::Arc;

/// How fast sizes of classes fall with their rank.
const FALL: f64 = 0.9;
/// Of the further labels of a row, the fraction that lies near the first in the hierarchy.
const NEAR: f64 = 0.7;

/// What rows are made of.
pub struct Rows {
    problem: Lshtc,
    seed: Seed,
    tree: Hierarchy,
    /// The class of each training row, as its place in the hierarchy.
    classes: Vec<u32>,
    /// The name of each place in the hierarchy: neither size nor neighbours can be told from it.
    names_of: Vec<u32>,
    names: Arc<[String]>,
    /// The column of the word of each rank.
    columns: Vec<u32>,
    /// The weight of the word of each rank; 0 if no training row has it.
    weights: Vec<f64>,
    _hold: Hold,
}

impl Rows {
    /// Draws hierarchy and classes, and counts the words of the training rows.
    pub fn new(problem: &Lshtc, seed: Seed, run: &Run<'_>) -> Result<Self> {
        problem.check_settings()?;
        let problem = problem.clone();
        let seed = seed.fork("lshtc");
        // Rows: class and order; words: column, order and weight; classes: size, order and a name of some 40 bytes.
        let bytes = 12 * problem.rows + 20 * problem.columns + 72 * problem.classes;
        let hold = run.memory.take(bytes as u64, "words and classes of a problem")?;
        let tree = Hierarchy::draw(problem.classes, seed.fork("hierarchy"), &run.memory)?;
        let narrow = |order: Vec<usize>| order.into_iter().map(|i| i as u32).collect::<Vec<u32>>();
        let mut rows = Rows {
            classes: classes_of(&problem, seed),
            names_of: narrow(seed.fork("names").permutation(problem.classes)),
            names: (0..problem.classes).map(|c| c.to_string()).collect::<Vec<_>>().into(),
            columns: narrow(seed.fork("columns").permutation(problem.columns)),
            weights: vec![0.0; problem.columns],
            problem,
            seed,
            tree,
            _hold: hold,
        };
        rows.weigh(run)?;
        Ok(rows)
    }

    /// How many rows there are in the part that is asked for.
    pub fn count(&self) -> usize {
        match self.problem.part {
            Part::Train => self.problem.rows,
            Part::Test => self.problem.test_rows,
        }
    }

    /// ln((1 + n)/(1 + n_w)) + 1 of every word that is in n_w > 0 of the n training rows.
    fn weigh(&mut self, run: &Run<'_>) -> Result<()> {
        let (mut classes, mut words) = (vec![], vec![]);
        for row in 0..self.problem.rows {
            if row % 1024 == 0 {
                run.report(&Progress::of("words", row as u64, self.problem.rows as u64))?;
            }
            self.draw(Part::Train, row, &mut classes, &mut words);
            words.iter().for_each(|&(rank, _)| self.weights[rank as usize] += 1.0);
        }
        let n = 1.0 + self.problem.rows as f64;
        let weight = |count: f64| if count > 0.0 { (n / (1.0 + count)).ln() + 1.0 } else { 0.0 };
        self.weights.iter_mut().for_each(|w| *w = weight(*w));
        Ok(())
    }

    /// The classes of a row, as places in the hierarchy, and its words.
    fn draw(&self, part: Part, row: usize, classes: &mut Vec<u32>, words: &mut Vec<(u32, u32)>) {
        let seed = self.seed.fork(if part == Part::Train { "train" } else { "test" }).at(row);
        let mut stream = seed.stream();
        classes.clear();
        classes.push(match part {
            Part::Train => self.classes[row],
            Part::Test => self.frequent(&mut stream),
        });
        if self.problem.labels > 1 {
            self.further(classes, &mut stream);
        }
        let law = Words {
            vocabulary: self.problem.columns,
            length: self.problem.words,
            tree: &self.tree,
            topics: self.seed.fork("topics"),
        };
        law.document(classes, &mut stream, words);
    }

    /// A class as often as it is met in the training rows.
    fn frequent(&self, stream: &mut impl Rng) -> u32 {
        match self.classes.len() {
            0 => stream.random_range(0..self.problem.classes as u32),
            n => self.classes[stream.random_range(0..n)],
        }
    }

    /// Labels beside the first: near it in the hierarchy, or any.
    fn further(&self, labels: &mut Vec<u32>, stream: &mut impl Rng) {
        let wanted = stream.random_range(1..=self.problem.labels);
        for _ in 1..wanted {
            let near = self.problem.classes.min(10) as u32;
            let label = match stream.random::<f64>() < NEAR {
                true => (labels[0] / near * near + stream.random_range(0..near)).min(self.problem.classes as u32 - 1),
                false => self.frequent(stream),
            };
            if !labels.contains(&label) {
                labels.push(label);
            }
        }
    }

    /// Some rows with their targets.
    pub fn dataset(&self, range: Range<usize>) -> Result<Dataset> {
        let (mut starts, mut ids, mut values) = (vec![0], vec![], vec![]);
        let (mut ends, mut labels) = (vec![0], vec![]);
        let (mut classes, mut words, mut row) = (vec![], vec![], vec![]);
        for i in range {
            self.draw(self.problem.part, i, &mut classes, &mut words);
            self.weighted(&words, &mut row);
            ids.extend(row.iter().map(|entry| entry.0));
            values.extend(row.iter().map(|entry| entry.1));
            starts.push(ids.len());
            let from = labels.len();
            labels.extend(classes.iter().map(|&c| self.names_of[c as usize]));
            labels[from..].sort_unstable();
            ends.push(labels.len());
        }
        let points = Points::Sparse(Sparse::new(starts, ids, values, self.problem.columns)?);
        let targets = match self.problem.labels {
            1 => Targets::Classes(Classes::new(labels, self.names.clone())?),
            _ => Targets::Sets(LabelSets::new(ends, labels, self.names.clone(), vec![])?),
        };
        Ok(Dataset::new(points, targets))
    }

    /// Columns and weights of a row's words, of unit length.
    fn weighted(&self, words: &[(u32, u32)], row: &mut Vec<(u32, f64)>) {
        row.clear();
        for &(rank, count) in words {
            let weight = self.weights[rank as usize];
            if weight > 0.0 {
                row.push((self.columns[rank as usize], (1.0 + f64::from(count).ln()) * weight));
            }
        }
        row.sort_unstable_by_key(|entry| entry.0);
        let length = row.iter().map(|entry| entry.1 * entry.1).sum::<f64>().sqrt();
        row.iter_mut().for_each(|entry| entry.1 /= length);
    }
}

/// The class of each training row: one row for each class as long as there are rows, the others shared out ∝ 1/r^0.9.
fn classes_of(problem: &Lshtc, seed: Seed) -> Vec<u32> {
    let (rows, classes) = (problem.rows, problem.classes);
    let places = seed.fork("sizes").permutation(classes);
    let fall: Vec<f64> = (1..=classes).map(|r| (r as f64).powf(-FALL)).collect();
    let total: f64 = fall.iter().sum();
    let more = rows.saturating_sub(classes) as f64;
    let mut drawn: Vec<u32> = (0..classes.min(rows)).map(|r| places[r] as u32).collect();
    // Shares are cut where their sum passes a whole number, so that they add up to the rows.
    let (mut sum, mut given) = (0.0, 0);
    for (rank, share) in fall.iter().enumerate() {
        sum += share;
        let until = if rank + 1 == classes { more as usize } else { (more * sum / total) as usize };
        drawn.extend(std::iter::repeat_n(places[rank] as u32, until.saturating_sub(given)));
        given = given.max(until);
    }
    let order = seed.fork("order").permutation(drawn.len());
    order.into_iter().map(|i| drawn[i]).collect()
}
