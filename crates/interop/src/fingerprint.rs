//! Recognising rows that a model was fitted on, without keeping them.
//!
//! Each training row (the columns the model takes, and its target) is hashed to 64 bits and the 1,024 smallest different
//! hashes are kept. A new row whose hash is at most the largest of them was among the training rows if, and but for a
//! chance of 2⁻⁵⁴ only if, its hash is one of them; so of any data the fraction that was seen is known exactly for up to
//! 1,024 training rows and estimated from a random sample beyond (the bottom-k sketch of Broder, 1997). A hash cannot be
//! turned back into a row; who has a row can ask whether it was there. Cost: one pass over the numbers.

use base::{Cells, Features, Inputs, Points, Record, Result, Table, Targets};
use std::collections::BTreeSet;

/// How many hashes are kept.
const KEPT: usize = 1024;

/// A sample of hashes of training rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Fingerprint {
    /// The smallest hashes, ascending.
    hashes: Vec<u64>,
    /// Whether those are the hashes of all rows.
    all: bool,
    /// Whether the target is part of them.
    targets: bool,
}

impl Fingerprint {
    /// The fingerprint of rows that a model with these inputs was fitted on.
    pub fn of(inputs: &Inputs, targets: &Targets, expected: &Features) -> Self {
        let mut kept = BTreeSet::new();
        let mut all = true;
        for hash in hashes(inputs, targets, expected) {
            if kept.len() == KEPT && kept.last().is_some_and(|&last| hash > last) {
                all = false;
                continue;
            }
            kept.insert(hash);
            if kept.len() > KEPT {
                kept.pop_last();
                all = false;
            }
        }
        let targets = !matches!(targets, Targets::None);
        Fingerprint { hashes: kept.into_iter().collect(), all, targets }
    }

    /// How many hashes it holds.
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Whether nothing is known of the training rows.
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// The fraction of these rows that the model was fitted on: exact for few training rows, an estimate for many.
    pub fn seen(&self, inputs: &Inputs, targets: &Targets, expected: &Features) -> f64 {
        let Some(&last) = self.hashes.last() else { return 0.0 };
        let limit = if self.all { u64::MAX } else { last };
        let targets = if self.targets { targets } else { &Targets::None };
        let (mut asked, mut seen) = (0usize, 0usize);
        for hash in hashes(inputs, targets, expected).into_iter().filter(|h| *h <= limit) {
            asked += 1;
            seen += usize::from(self.hashes.binary_search(&hash).is_ok());
        }
        seen as f64 / asked.max(1) as f64
    }

    /// The fingerprint as plain data.
    pub fn record(&self) -> Record {
        Record::new("fingerprint", 1)
            .with("hashes", self.hashes.clone())
            .with("all", self.all)
            .with("targets", self.targets)
    }

    /// A fingerprint from plain data.
    pub fn read(record: &Record) -> Result<Self> {
        record.expect("fingerprint", 1)?;
        let hashes = record.wholes("hashes")?.to_vec();
        match hashes.is_sorted() {
            true => Ok(Fingerprint { hashes, all: record.flag("all")?, targets: record.flag("targets")? }),
            false => Err(record.broken("the hashes are not in order")),
        }
    }
}

/// What to say of rows of which that fraction was seen in training; nothing, where it is too small to matter.
pub fn seen_text(seen: f64, rows: usize) -> Option<String> {
    const MATTERS: f64 = 0.02;
    (seen >= MATTERS).then(|| match seen {
        1.0 => {
            "the model was fitted on these rows: the measures do not estimate its performance on new ones".to_string()
        }
        _ => format!(
            "the model was fitted on about {:.0} of these {rows} rows: the measures overestimate its performance \
                 on new ones",
            seen * rows as f64
        ),
    })
}

/// A hash of each row: of what the model takes, by place, and of the target.
fn hashes(inputs: &Inputs, targets: &Targets, expected: &Features) -> Vec<u64> {
    let mut rows = match (inputs, expected.table()) {
        (Inputs::Points(points), _) => of_points(points),
        (Inputs::Table(table), Some(columns)) => {
            of_table(table, &columns.iter().map(|c| c.name.as_str()).collect::<Vec<_>>())
        }
        (Inputs::Table(table), None) => {
            of_table(table, &table.columns().iter().map(|c| c.name.as_str()).collect::<Vec<_>>())
        }
    };
    for (i, hash) in rows.iter_mut().enumerate() {
        *hash = match targets {
            Targets::None => *hash,
            Targets::Classes(c) => mixed(*hash, c.get(i).map_or(1, |class| of_text(&c.names()[class]))),
            Targets::Values(v) => v.row(i).iter().fold(*hash, |h, y| mixed(h, bits(*y))),
            Targets::Sets(s) => {
                s.get(i).unwrap_or(&[]).iter().fold(*hash, |h, l| mixed(h, of_text(&s.names()[*l as usize])))
            }
        };
        *hash = finished(*hash);
    }
    rows
}

/// Zeros are left out, so that sparse and dense rows are the same.
fn of_points(points: &Points) -> Vec<u64> {
    let entry = |h: u64, c: usize, x: f64| if x == 0.0 { h } else { mixed(mixed(h, c as u64), bits(x)) };
    match points {
        Points::Dense(d) => {
            let row = |i: usize| d.row(i).iter().enumerate().fold(SEED, |h, (c, x)| entry(h, c, *x));
            (0..d.len()).map(row).collect()
        }
        Points::Sparse(s) => {
            let row = |i: usize| {
                let (ids, values) = s.row(i);
                ids.iter().zip(values).fold(SEED, |h, (c, x)| entry(h, *c as usize, *x))
            };
            (0..s.len()).map(row).collect()
        }
    }
}

fn of_table(table: &Table, names: &[&str]) -> Vec<u64> {
    let mut rows = vec![SEED; table.rows()];
    for name in names {
        let Some(column) = table.column(name) else { continue };
        let mut add = |values: &mut dyn Iterator<Item = u64>| {
            rows.iter_mut().zip(values).for_each(|(h, value)| *h = mixed(*h, value));
        };
        match &column.cells {
            Cells::Number(v) | Cells::Date(v) => add(&mut v.iter().map(|x| bits(*x))),
            Cells::Category { codes, levels } => {
                let hashed: Vec<u64> = levels.iter().map(|l| of_text(l)).collect();
                add(&mut codes.iter().map(|c| hashed.get(*c as usize).copied().unwrap_or(1)));
            }
            Cells::Text(texts) => add(&mut texts.iter().map(|t| t.map_or(1, of_text))),
            Cells::Image(images) => add(&mut images.iter().map(|image| match image {
                None => 1,
                Some(image) => {
                    let size = mixed(mixed(SEED, image.height as u64), image.width as u64);
                    image.values.get(0..image.values.len()).iter().fold(size, |h, x| mixed(h, bits(*x)))
                }
            })),
            // A machine learns nothing from names of rows, and a copy of a row has another name.
            Cells::Id(_) => {}
        }
    }
    rows
}

const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

fn mixed(hash: u64, value: u64) -> u64 {
    (hash.rotate_left(5) ^ value).wrapping_mul(0x517c_c1b7_2722_0a95)
}

/// All bits of the result depend on all bits of the hash (the last step of SplitMix64).
fn finished(hash: u64) -> u64 {
    let hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

/// The bits of a number; equal numbers have equal bits, and so have all missing ones.
fn bits(x: f64) -> u64 {
    match x {
        _ if x.is_nan() => 1,
        _ if x == 0.0 => 0,
        _ => x.to_bits(),
    }
}

fn of_text(text: &str) -> u64 {
    text.bytes().fold(SEED ^ text.len() as u64, |h, b| mixed(h, u64::from(b)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Classes, Column, Seed, Values};

    fn table(rows: &[usize]) -> (Table, Targets) {
        let column = |name: &str, cells| Column { name: name.into(), cells };
        let words: Vec<String> = rows.iter().map(|i| format!("w{}", i % 7)).collect();
        let columns = vec![
            column("x", Cells::Number(rows.iter().map(|i| *i as f64 * 0.25).collect::<Vec<_>>().into())),
            column("w", Cells::categories(words.iter().map(|w| Some(w.as_str())))),
        ];
        let names: Vec<Option<&str>> = rows.iter().map(|i| Some(["a", "b"][i % 2])).collect();
        (Table::new(columns).unwrap(), Targets::Classes(Classes::from_names(&names)))
    }

    #[test]
    fn d18_the_fraction_of_rows_seen_in_training_is_known() {
        // Over and below the number of hashes kept; the levels of categories come in another order each time.
        for n in [1, 40, 1024, 1025, 6000, 30_000] {
            let order = Seed(n as u64).permutation(2 * n);
            let (train, targets) = table(&order[..n]);
            let features = Features::of_table(&train);
            let print = Fingerprint::of(&Inputs::Table(train.clone()), &targets, &features);
            assert_eq!(print.len(), n.min(KEPT));
            assert_eq!(Fingerprint::read(&print.record()), Ok(print.clone()));
            assert_eq!(print.seen(&Inputs::Table(train), &targets, &features), 1.0);
            let (other, targets) = table(&order[n..]);
            assert_eq!(print.seen(&Inputs::Table(other), &targets, &features), 0.0);
            let mixed: Vec<usize> = order.iter().copied().filter(|i| i % 4 != 0).collect();
            let seen = mixed.iter().filter(|i| order[..n].contains(i)).count() as f64 / mixed.len() as f64;
            let (both, targets) = table(&mixed);
            let found = print.seen(&Inputs::Table(both), &targets, &features);
            let spread = if n <= KEPT { 0.0 } else { 4.0 * (0.25 / KEPT as f64).sqrt() };
            assert!((found - seen).abs() <= spread, "{n}: {found}, {seen}");
        }
    }

    #[test]
    fn d18_sparse_rows_equal_dense_ones_and_targets_count() {
        let dense = Points::from_rows(&[[0.0, 2.0, -0.0], [1.0, 0.0, f64::NAN]]).unwrap();
        let sparse = base::Sparse::new(vec![0, 1, 3], vec![1, 0, 2], vec![2.0, 1.0, f64::NAN], 3).unwrap();
        let values = |y: [f64; 2]| Targets::Values(Values::new(y.to_vec(), "y"));
        let features = Features::unnamed(3);
        let print = Fingerprint::of(&Inputs::Points(dense), &values([1.0, 2.0]), &features);
        let seen = |y| print.seen(&Inputs::Points(Points::Sparse(sparse.clone())), &values(y), &features);
        assert_eq!((seen([1.0, 2.0]), seen([1.0, 3.0])), (1.0, 0.5));
        assert_eq!(
            Fingerprint::default().seen(&Inputs::Points(Points::Sparse(sparse.clone())), &values([0.0; 2]), &features),
            0.0
        );
    }
}
