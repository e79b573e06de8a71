//! Data and helpers the tests of clusters share.
#![allow(dead_code, reason = "each test file uses some of it")]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may stop and talk")]

use base::*;
use std::io::Read;

pub fn run(threads: usize) -> Run<'static> {
    Run { threads, ..Run::quiet(1) }
}

/// Normal clouds around centres on a grid 6 apart, deviation 1, one row after the other from each.
pub fn clouds(seed: u64, rows: usize, columns: usize, count: usize) -> Vec<f64> {
    let mut stream = Seed(seed).stream();
    let centre = |cloud: usize, column: usize| {
        6.0 * (Seed(seed).fork("centre").at(cloud * columns + column).unit() * 4.0).floor()
    };
    (0..rows * columns).map(|e| centre(e / columns % count, e % columns) + normal(&mut stream)).collect()
}

pub fn dense(values: &[f64], columns: usize) -> Dataset {
    Dataset::new(Points::dense(values.to_vec(), values.len() / columns, columns).unwrap(), Targets::None)
}

pub fn scores(machine: &dyn Machine, data: &Dataset) -> Vec<f64> {
    let run = run(1);
    machine.compute(&data.inputs, &run).unwrap().to_dense(&run.memory).unwrap().to_vec()
}

pub fn labels(machine: &dyn Machine, data: &Dataset) -> Vec<u32> {
    let run = run(1);
    Prediction::of(machine, &data.inputs, &run).unwrap().classes(&run).unwrap()
}

pub fn squared(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum()
}

pub fn golden(name: &str) -> String {
    let path = format!("{}/../../golden/clusters/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

pub fn golden_numbers(name: &str) -> Vec<f64> {
    golden(name).lines().skip(1).map(|l| l.parse().unwrap()).collect()
}

/// The 150 flowers of the UCI file, or none if the file is not there.
pub fn iris() -> Option<Dataset> {
    let bytes = std::fs::read(testkit::shared("uci/iris.csv.gz")?).unwrap();
    let mut text = String::new();
    flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap();
    let numbers = |line: &str| line.split(',').take(4).map(|x| x.parse::<f64>().unwrap()).collect::<Vec<_>>();
    Some(dense(&text.lines().skip(1).filter(|l| !l.is_empty()).flat_map(numbers).collect::<Vec<_>>(), 4))
}

/// Knows the machines of clusters.
pub struct Known;
impl Catalog for Known {
    fn learner(&self, name: &str) -> Result<Box<dyn Learner>> {
        EmptyCatalog.learner(name)
    }
    fn machine(&self, record: &Record) -> Result<std::sync::Arc<dyn Machine>> {
        use pellucid_distance::*;
        Ok(match record.kind() {
            Mixture::KIND => std::sync::Arc::new(Mixture::read(record)?),
            Hierarchy::KIND => std::sync::Arc::new(Hierarchy::read(record)?),
            _ => std::sync::Arc::new(Codebook::read(record)?),
        })
    }
}
