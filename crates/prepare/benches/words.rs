//! Words of a file of texts, one a line, learned and weighed by tf-idf: seconds on 1 and 2 threads, the sum of all weights,
//! and the most memory counted beyond the text, as a multiple of it. The rival's side is `benches/peers/words.py`.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark speaks and may fall over")]

use base::{Cells, Column, Dataset, Learner, Memory, Run, Table, Targets, Texts};
use pellucid_prepare::TfIdf;
use std::time::Instant;

fn main() {
    let Some(path) = std::env::args().skip(1).find(|a| !a.starts_with("--")) else {
        return println!("words: give it a file of texts, one a line");
    };
    let text = std::fs::read_to_string(path).unwrap();
    let texts: Texts = text.lines().map(Some).collect();
    let column = Column { name: "t".into(), cells: Cells::Text(texts) };
    let data = Dataset::new(Table::new(vec![column]).unwrap(), Targets::None);
    for threads in [1, 2] {
        let run = Run { threads, memory: Memory::unlimited(), ..Run::quiet(1) };
        let begin = Instant::now();
        let mut step = TfIdf::default();
        step.0.words.max_features = usize::MAX >> 1; // All, as the rival.
        let machine = step.fit(&data, None, &run).unwrap().machine;
        let base::Points::Sparse(points) = machine.compute(&data.inputs, &run).unwrap() else { panic!("dense words") };
        let seconds = begin.elapsed().as_secs_f64();
        let (sum, memory) = (points.values().iter().sum::<f64>(), run.memory.peak() as f64 / text.len() as f64);
        println!("{threads} {seconds:.3} {sum:.6} {} {} {memory:.2}", points.columns(), points.entries());
    }
}
