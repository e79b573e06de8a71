//! Seconds and MB/s to read text files: `reading [--threads N] [--times K] FORMAT=FILE ...`.
//!
//! The bytes are in memory before the clock starts, and the best of some readings counts, as in the peers' script
//! beside which `benches/reading.sh` runs this.
#![allow(clippy::print_stdout, reason = "a program")]

use base::{Memory, Run};
use pellucid_files::{Format, Reading, text};
use std::time::Instant;

fn main() {
    let mut threads = vec![1, 2];
    let mut times = 3;
    let mut files = Vec::new();
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut number = || args.next().and_then(|n| n.parse().ok()).unwrap_or(1usize);
        match arg.as_str() {
            "--threads" => threads = vec![number()],
            "--times" => times = number(),
            "--bench" => {}
            _ => match arg.split_once('=') {
                Some((format, file)) => files.push((Format::from_word(format), file.to_string())),
                None => println!("{arg}: expected FORMAT=FILE"),
            },
        }
    }
    for (format, file) in files {
        let bytes = match std::fs::read(&file) {
            Ok(bytes) => bytes,
            Err(error) => {
                println!("{file}: {error}");
                continue;
            }
        };
        for &threads in &threads {
            let mut best = f64::INFINITY;
            let mut what = String::new();
            for _ in 0..times.max(1) {
                let run = Run { threads, memory: Memory::unlimited(), ..Run::quiet(1) };
                let start = Instant::now();
                let read = match format {
                    Some(Format::LibSvm) => text::libsvm::read,
                    Some(Format::Xmc) => text::xmc::read,
                    Some(Format::Arff) => text::arff::read,
                    _ => text::csv::read,
                };
                let data = read(&file, &bytes, &Reading::default(), &run);
                best = best.min(start.elapsed().as_secs_f64());
                what = match data {
                    Ok(data) => {
                        let (rows, columns) = (data.len(), data.inputs.columns());
                        format!("{rows} x {columns} peak {} MB", run.memory.peak() >> 20)
                    }
                    Err(error) => error.to_string(),
                };
            }
            let rate = bytes.len() as f64 / 1e6 / best;
            let name = std::path::Path::new(&file).file_name().unwrap_or_default().to_string_lossy();
            println!("pellucid {threads} {name} {best:.4} s {rate:.0} MB/s ({what})");
        }
    }
}
