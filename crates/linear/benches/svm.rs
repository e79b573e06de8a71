//! How fast linear support vector machines are: `svm FOLDER SET WAY LOSS C TOLERANCE THREADS [OBJECTIVE]` prints
//! `seconds-of-processors seconds objective test-error epochs relative-gap fraction-of-weights seconds-to-objective`.
//!
//! `benches/linear-svm.sh` writes the data and runs LIBLINEAR beside it.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark talks to its reader and may stop")]

use base::{Classes, Dataset, Fact, Fitted, Learner, Points, Prediction, Run, Settings, Sparse, Targets};
use pellucid_linear::LinearSvm;
use std::time::Instant;

fn numbers<const N: usize, T>(path: &str, from: fn([u8; N]) -> T) -> Option<Vec<T>> {
    let bytes = std::fs::read(path).ok()?;
    Some(bytes.chunks_exact(N).map(|b| from(b.try_into().unwrap())).collect())
}

fn load(folder: &str, part: &str, rows: usize, d: usize, names: &[String]) -> Dataset {
    let path = |what: &str| format!("{folder}/{what}");
    let points = match numbers(&path(&format!("{part}.starts.i32")), i32::from_le_bytes) {
        Some(starts) => {
            let ids = numbers(&path(&format!("{part}.ids.i32")), i32::from_le_bytes).unwrap();
            let entries = numbers(&path(&format!("{part}.entries.f64")), f64::from_le_bytes).unwrap();
            let starts: Vec<usize> = starts.into_iter().map(|s| s as usize).collect();
            let ids: Vec<u32> = ids.into_iter().map(|i| i as u32).collect();
            Points::Sparse(Sparse::new(starts, ids, entries, d).unwrap())
        }
        None => {
            let values = numbers(&path(&format!("X{part}.f64")), f64::from_le_bytes).unwrap();
            Points::dense(values, rows, d).unwrap()
        }
    };
    let codes = numbers(&path(&format!("y{part}.i32")), i32::from_le_bytes).unwrap();
    let codes = codes.into_iter().map(|c| c as u32).collect();
    Dataset::new(points, Targets::Classes(Classes::new(codes, names.to_vec()).unwrap()))
}

/// Seconds of all processors that this process has used.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat[stat.rfind(')').unwrap() + 2..].split(' ').collect();
    (fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap()) / 100.0
}

/// A fit, and what it takes: seconds of processors, seconds.
fn timed(learner: &LinearSvm, train: &Dataset, run: &Run<'_>) -> (Fitted, (f64, f64)) {
    let (start, before) = (Instant::now(), processor_seconds());
    let mut fitted = learner.fit(train, None, run).unwrap();
    let mut fits = 1.0;
    // The system counts in hundredths of a second: short fits are repeated.
    while processor_seconds() - before < 0.5 {
        fitted = learner.fit(train, None, run).unwrap();
        fits += 1.0;
    }
    (fitted, ((processor_seconds() - before) / fits, start.elapsed().as_secs_f64() / fits))
}

/// Seconds of processors until the objective is as low as this one: those of the fit with the fewest steps, doubled from 1, that gets
/// there.
fn until(target: f64, whole: (f64, usize), learner: &LinearSvm, train: &Dataset, run: &Run<'_>) -> f64 {
    let (seconds, all) = whole;
    let mut steps = 1;
    while steps < all {
        let mut learner = learner.clone();
        learner.set_text("steps", &steps.to_string()).unwrap();
        if learner.fit(train, None, run).unwrap().certificate.objective.unwrap() <= target {
            return timed(&learner, train, run).1.0;
        }
        steps = if steps < 8 { 2 * steps } else { steps + steps / 4 };
    }
    seconds
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let [folder, set, way, loss, c, tolerance, threads, target @ ..] = &words[..] else {
        println!("give FOLDER SET WAY LOSS C TOLERANCE THREADS [OBJECTIVE]");
        return;
    };
    let folder = format!("{folder}/{set}");
    let meta = std::fs::read_to_string(format!("{folder}/meta.txt")).unwrap();
    let sizes: Vec<usize> = meta.split_whitespace().map(|w| w.parse().unwrap()).collect();
    let most = numbers(&format!("{folder}/ytr.i32"), i32::from_le_bytes).unwrap().into_iter().max().unwrap();
    let most = most.max(numbers(&format!("{folder}/yte.i32"), i32::from_le_bytes).unwrap().into_iter().max().unwrap());
    let names: Vec<String> = (0..=most).map(|c| c.to_string()).collect();
    let (train, test) =
        (load(&folder, "tr", sizes[0], sizes[2], &names), load(&folder, "te", sizes[1], sizes[2], &names));
    let mut learner = LinearSvm::default();
    for (name, value) in [("multiclass", way), ("loss", loss), ("c", c), ("tolerance", tolerance)] {
        learner.set_text(name, value).unwrap();
    }
    learner.set_text("intercept", "false").unwrap();
    learner.set_text("steps", &std::env::var("EPOCHS").unwrap_or_else(|_| "1000".into())).unwrap();
    let run = Run { threads: threads.parse().unwrap(), ..Run::quiet(1) };
    let (fitted, seconds) = timed(&learner, &train, &run);
    let fact = |name: &str| match &fitted.certificate.facts[name] {
        Fact::Number(x) => *x,
        Fact::Curve(_) => f64::NAN,
    };
    let found = Prediction::of(&*fitted.machine, &test.inputs, &run).unwrap();
    let classes = found.classes(&run).unwrap();
    let known: Vec<&String> = found.outputs.names.iter().collect();
    let truth = base::classes_of(&test).unwrap().codes();
    let wrong = classes.iter().zip(truth).filter(|(a, b)| *known[**a as usize] != names[**b as usize]).count();
    let whole = (seconds.0, fitted.certificate.steps as usize);
    let reached =
        target.first().map_or(seconds.0, |target| until(target.parse().unwrap(), whole, &learner, &train, &run));
    println!(
        "{:.4} {:.4} {:.8e} {:.4} {} {:.1e} {:.4} {:.4}",
        seconds.0,
        seconds.1,
        fitted.certificate.objective.unwrap(),
        wrong as f64 / test.len() as f64,
        fitted.certificate.steps,
        fact("relative duality gap"),
        fact("fraction of weights that are not 0"),
        reached,
    );
}
