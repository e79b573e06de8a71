//! Our side of `benches/run svm`: fits and predictions on raw files, and the gap of a rival's solution.
//!
//! `fit KIND FOLDER THREADS [name=value ...]` fits svc, one-class-svm, ... on Xtr.f64 (or a LIBSVM-like sparse dump) and
//! predicts Xte.f64. `gap FOLDER C GAMMA SUPPORT COEFFICIENTS OFFSET` measures the duality gap of two-class coefficients.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a bench speaks to its reader and stops at faults")]

use base::{Classes, Dataset, Fact, Gap, Inputs, Learner, Points, Run, Sparse, Targets};
use pellucid_kernels::functions::Exponential;
use pellucid_kernels::{Against, Kernel, OneClassSvm, Svc};
use std::path::Path;
use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    match arguments.first().map(String::as_str) {
        Some("fit") => fit(&arguments[1..]),
        Some("gap") => gap(&arguments[1..]),
        _ => println!("fit KIND FOLDER THREADS [name=value ...] | gap FOLDER C GAMMA SUPPORT COEFFICIENTS OFFSET"),
    }
}

fn bytes<const N: usize>(path: &Path) -> Vec<[u8; N]> {
    let content = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    content.as_chunks::<N>().0.to_vec()
}

fn doubles(path: &Path) -> Vec<f64> {
    bytes::<8>(path).into_iter().map(f64::from_le_bytes).collect()
}

fn wholes(path: &Path) -> Vec<i32> {
    bytes::<4>(path).into_iter().map(i32::from_le_bytes).collect()
}

/// Rows of a part (tr, te): dense, or sparse as starts.i32, ids.i32, entries.f64.
fn rows(folder: &Path, part: &str, count: usize, columns: usize) -> Points {
    let dense = folder.join(format!("X{part}.f64"));
    if dense.exists() {
        return Points::dense(doubles(&dense), count, columns).unwrap();
    }
    let starts = wholes(&folder.join(format!("{part}.starts.i32"))).into_iter().map(|s| s as usize).collect::<Vec<_>>();
    let ids = wholes(&folder.join(format!("{part}.ids.i32"))).into_iter().map(|s| s as u32).collect::<Vec<_>>();
    Points::Sparse(Sparse::new(starts, ids, doubles(&folder.join(format!("{part}.entries.f64"))), columns).unwrap())
}

fn load(folder: &Path, part: &str) -> (Points, Vec<i32>) {
    let meta = std::fs::read_to_string(folder.join("meta.txt")).unwrap();
    let sizes: Vec<usize> = meta.split_whitespace().map(|w| w.parse().unwrap()).collect();
    let count = if part == "tr" { sizes[0] } else { sizes[1] };
    (rows(folder, part, count, sizes[2]), wholes(&folder.join(format!("y{part}.i32"))))
}

/// Processor seconds of this process.
fn processor() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = stat.rsplit(')').next().unwrap_or_default();
    let fields: Vec<f64> = after.split_whitespace().map(|w| w.parse().unwrap_or(0.0)).collect();
    fields.get(11).zip(fields.get(12)).map_or(0.0, |(user, system)| (user + system) / 100.0)
}

fn fit(arguments: &[String]) {
    let [kind, folder, threads, settings @ ..] = arguments else { panic!("fit KIND FOLDER THREADS [name=value ...]") };
    let folder = Path::new(folder);
    let mut learner: Box<dyn Learner> = match kind.as_str() {
        "one-class-svm" => Box::new(OneClassSvm::default()),
        _ => Box::new(Svc::default()),
    };
    for setting in settings {
        let (name, value) = setting.split_once('=').unwrap();
        learner.set_text(name, value).unwrap();
    }
    let (points, labels) = load(folder, "tr");
    let names: Vec<Option<String>> = labels.iter().map(|y| Some(y.to_string())).collect();
    let data = Dataset::new(points, Targets::Classes(Classes::from_names(&names)));
    let run = Run { threads: threads.parse().unwrap(), ..Run::quiet(1) };
    let (start, cpu) = (Instant::now(), processor());
    let fitted = learner.fit(&data, None, &run).unwrap();
    let (fit, fit_cpu) = (start.elapsed().as_secs_f64(), processor() - cpu);
    let (test, truth) = load(folder, "te");
    let (start, cpu) = (Instant::now(), processor());
    let scores = base::Prediction::of(&*fitted.machine, &Inputs::Points(test), &run).unwrap();
    let (predict, predict_cpu) = (start.elapsed().as_secs_f64(), processor() - cpu);
    let right = match scores.classes(&run) {
        Ok(codes) => {
            let names = &scores.outputs.names;
            codes.iter().zip(&truth).filter(|(c, y)| names[**c as usize] == y.to_string()).count()
        }
        Err(_) => {
            let values = scores.scores.to_dense(&run.memory).unwrap();
            let width = scores.outputs.names.len();
            values.chunks(width).zip(&truth).filter(|(s, y)| (s[0] > 0.0) == (**y < 0)).count()
        }
    };
    let certificate = &fitted.certificate;
    let gap = match certificate.gap {
        Gap::Duality(gap) => gap,
        _ => f64::NAN,
    };
    let support = match certificate.facts.get("support vectors") {
        Some(&Fact::Number(n)) => n,
        _ => f64::NAN,
    };
    let objective = certificate.objective.unwrap_or(f64::NAN);
    // What rows of the support vectors take at least; of pairs only part of a row is needed.
    let points = data.points().unwrap();
    let classes = base::classes_of(&data).map_or(1, |c| c.counts().iter().filter(|n| **n > 0).count());
    let part = if classes > 2 { 2.0 / classes as f64 } else { 1.0 };
    let products = 2.0 * support * points.entries() as f64 * part / 1e9;
    println!(
        "{{\"fit\": {fit:.4}, \"fit_cpu\": {fit_cpu:.2}, \"predict\": {predict:.4}, \"predict_cpu\": {predict_cpu:.2}, \
         \"accuracy\": {:.5}, \"support\": {support}, \"steps\": {}, \"objective\": {objective}, \"relative_gap\": {:.3e}, \
         \"products\": {products:.1}, \"peak\": {:.1}}}",
        right as f64 / truth.len() as f64,
        certificate.steps,
        gap / objective.abs(),
        run.memory.peak() as f64 / 1048576.0
    );
}

/// The relative duality gap of coefficients that a rival found, from kernel values in double precision.
fn gap(arguments: &[String]) {
    let [folder, c, gamma, support, coefficients, offset] = arguments else { panic!("gap FOLDER C GAMMA S A B") };
    let (c, gamma, offset): (f64, f64, f64) = (c.parse().unwrap(), gamma.parse().unwrap(), offset.parse().unwrap());
    let (points, labels) = load(Path::new(folder), "tr");
    let names: Vec<i32> = labels.clone();
    let positive = *names.iter().max().unwrap();
    let support: Vec<usize> = wholes(Path::new(support)).into_iter().map(|i| i as usize).collect();
    let beta = doubles(Path::new(coefficients));
    let kernel = Kernel::new(Exponential { gamma, q: 2.0 });
    let run = Run { threads: 2, ..Run::quiet(1) };
    let against = Against::new(&kernel, &points.select(&support).unwrap(), &run).unwrap();
    let (mut primal, mut product) = (0.0, 0.0);
    let mut place = vec![usize::MAX; points.len()];
    support.iter().enumerate().for_each(|(j, &i)| place[i] = j);
    for start in (0..points.len()).step_by(512) {
        let block = points.slice(start..start + 512);
        let mut values = vec![0.0; block.len() * support.len()];
        against.block(&block, &mut values, &run).unwrap();
        for (i, line) in values.chunks_exact(support.len()).enumerate() {
            let f: f64 = line.iter().zip(&beta).map(|(k, b)| k * b).sum();
            let y = if labels[start + i] == positive { 1.0 } else { -1.0 };
            primal += c * (1.0 - y * (f + offset)).max(0.0);
            if place[start + i] != usize::MAX {
                product += f * beta[place[start + i]];
            }
        }
    }
    let dual = beta.iter().map(|b| b.abs()).sum::<f64>() - 0.5 * product;
    println!("{{\"objective\": {}, \"relative_gap\": {:.3e}}}", -dual, (primal + 0.5 * product - dual) / dual.abs());
}
