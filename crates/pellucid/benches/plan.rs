//! How well `plan` foretells: every machine on two times ten shapes, planned against measured seconds and memory.
//!
//! The constants in the learners' plans were chosen on the first ten shapes ("chosen"); the others ("held out") were not
//! looked at for that, and have other sizes and another seed. Each fit runs in a process of its own on one thread;
//! seconds are those of the processor, so that others at work do not count, and memory is the peak of the process less
//! what it had before the data were made. Machines that take long get fewer rows, quick ones more.
//! `benches/run plan [chosen | held-out] [MACHINE ...]` prints a line for each fit, and for each machine how many are
//! within a factor of 3 in time and 1.5 in memory.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark talks to its reader and may stop")]

use pellucid::{
    Catalog, Classes, Dataset, KNOWN, LEARNERS, Learner, Points, Run, Seed, Shape, Size, Targets, Values, Wanted,
    estimate, normal,
};
use std::time::{Duration, Instant};

/// Rows, columns and classes.
type Sizes = [(usize, usize, usize); 10];
/// Shapes with their name and the seed of their data.
const SETS: [(&str, u64, Sizes); 2] = [
    (
        "chosen",
        5,
        [
            (1000, 10, 2),
            (1000, 100, 5),
            (4000, 20, 2),
            (4000, 20, 10),
            (10_000, 8, 2),
            (15_000, 16, 26),
            (20_000, 40, 2),
            (50_000, 10, 7),
            (2000, 400, 3),
            (500, 1500, 2),
        ],
    ),
    (
        "held-out",
        11,
        [
            (700, 30, 3),
            (1600, 12, 2),
            (2400, 60, 4),
            (3000, 6, 12),
            (6000, 10, 5),
            (8000, 50, 2),
            (12_000, 25, 8),
            (30_000, 7, 3),
            (1200, 250, 2),
            (800, 900, 4),
        ],
    ),
];
/// How many times the rows, where these would take minutes or less than the clock tells.
const TIMES: &[(&str, f64)] = &[
    ("knn", 8.0),
    ("nearest-mean", 8.0),
    ("linear-regression", 8.0),
    ("ridge", 8.0),
    ("lasso", 4.0),
    ("elastic-net", 4.0),
    ("logistic", 4.0),
    ("elm", 2.0),
    ("tree", 2.0),
    ("kmedoids", 0.2),
    ("hierarchical", 0.2),
    ("cascade", 0.2),
    ("mlp", 0.25),
    ("cnn", 0.125),
    ("autoencoder", 0.25),
    ("kernel-adatron", 0.2),
    ("gmm", 0.5),
    ("kde", 0.5),
    ("nu-svc", 0.5),
    ("nu-svr", 0.5),
];
/// The least picture: the layers of a network that nobody has chosen pool twice.
const LEAST_SIDE: usize = 8;
/// Fits that take longer are cut short, and only said to be at least so long.
const LONGEST: Duration = Duration::from_secs(20);

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    if let [one, name, set, shape] = &words[..]
        && one == "--one"
    {
        return measure(name, set.parse().unwrap(), shape.parse().unwrap());
    }
    println!("set machine rows x columns x classes: seconds planned, taken, ratio; MB planned, at the peak, ratio");
    let named = |word: &str| LEARNERS.iter().any(|e| e.name == word);
    let machines: Vec<&String> = words.iter().filter(|w| named(w)).collect();
    let sets: Vec<&String> = words.iter().filter(|w| !named(w)).collect();
    let mut summary = vec![];
    for entry in LEARNERS.iter().filter(|e| machines.is_empty() || machines.iter().any(|w| *w == e.name)) {
        for (s, (set, ..)) in SETS.iter().enumerate().filter(|(_, set)| sets.is_empty() || sets.iter().any(|w| *w == set.0))
        {
            let found: Vec<(bool, bool)> = (0..SETS[s].2.len()).filter_map(|k| compare(entry.name, s, k)).collect();
            let (timely, roomy) = (found.iter().filter(|f| f.0).count(), found.iter().filter(|f| f.1).count());
            summary.push((*set, entry.name, found.len(), timely, roomy));
        }
    }
    println!("\nset machine: fits, within 3 in time, within 1.5 in memory");
    for (set, name, all, timely, roomy) in &summary {
        println!("{set} {name}: {all} {timely} {roomy}");
    }
    for (set, ..) in &SETS {
        let of = summary.iter().filter(|s| s.0 == *set).fold((0, 0, 0), |a, s| (a.0 + s.2, a.1 + s.3, a.2 + s.4));
        println!("{set}: {} of {} within a factor of 3 in time, {} within 1.5 in memory", of.1, of.0, of.2);
    }
}

/// A fit in a process of its own: whether its plan was right in time and in memory; nothing if it failed.
fn compare(name: &str, set: usize, shape: usize) -> Option<(bool, bool)> {
    let me = std::env::current_exe().unwrap();
    let out = std::process::Command::new(me).args(["--one", name, &set.to_string(), &shape.to_string()]).output();
    let out = out.unwrap();
    let text = String::from_utf8_lossy(&out.stdout);
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|w| w.parse().ok()).collect();
    let label = SETS[set].0;
    let [n, d, c, planned, taken, bytes, peak, cut, counted, speed] = numbers[..] else {
        println!("{label} {name} shape {shape}: failed: {}", String::from_utf8_lossy(&out.stderr));
        return None;
    };
    // A hundredth of a second is what the clock of the processor tells, a few megabytes what the system adds.
    let ratio = (planned + 0.01) / (taken + 0.01);
    let room = (bytes + 4e6) / (peak + 4e6);
    // A fit that was cut short would have taken longer, and perhaps more memory.
    let cut = if cut > 0.0 { " (cut short)" } else { "" };
    println!(
        "{label} {name} {n} x {d} x {c}: {planned:.3} {taken:.3}{cut} {ratio:.2}; {:.1} {:.1} {room:.2} (counted {:.1} MB, {:.1} GFLOP/s)",
        bytes / 1e6,
        peak / 1e6,
        counted / 1e6,
        speed / 1e9
    );
    Some((ratio < 3.0 && ratio > 1.0 / 3.0, room < 1.5 && room > 1.0 / 1.5))
}

/// One fit in this process: its size, seconds planned and taken, bytes planned and at the peak, whether it was cut short,
/// bytes that were counted, operations a second.
fn measure(name: &str, set: usize, shape: usize) {
    let (_, seed, sizes) = &SETS[set];
    let (n, d, classes) = sizes[shape];
    let times = TIMES.iter().find(|f| f.0 == name).map_or(1.0, |f| f.1);
    let n = ((n as f64 * times) as usize).max(100);
    let learner = KNOWN.learner(name).unwrap();
    // A picture has sides.
    let side = ((d as f64).sqrt().round() as usize).max(LEAST_SIDE);
    let d = if learner.sees_shapes() { side * side } else { d };
    let before = status("VmRSS");
    let data = data(&*learner, (n, d, classes), *seed);
    let run = Run { catalog: &KNOWN, deadline: Some(Instant::now() + LONGEST), ..Run::quiet(1) };
    let planned = estimate(&*learner, &Size::of(&data), &run).unwrap();
    let started = seconds();
    let answer = learner.fit(&data, None, &run);
    let taken = seconds() - started;
    let cut = answer.as_ref().map_or(1, |f| i32::from(f.certificate.interrupted));
    let peak = status("VmHWM") - before;
    let counted = run.memory.peak();
    let speed = learner.plan(&Size::of(&data)).fit / planned.fit_seconds;
    println!("{n} {d} {classes} {} {taken} {} {peak} {cut} {counted} {speed}", planned.fit_seconds, planned.bytes);
    if let Err(error) = answer {
        eprintln!("{error}");
    }
}

/// Clouds that overlap, and a curved function of the first columns.
fn data(learner: &dyn Learner, (n, d, classes): (usize, usize, usize), seed: u64) -> Dataset {
    let mut stream = Seed(seed).stream();
    let class = |i: usize| i * 7 % 1009 % classes;
    let mut values = Vec::with_capacity(n * d);
    for i in 0..n {
        values.extend((0..d).map(|c| normal(&mut stream) + if c % classes == class(i) { 1.5 } else { 0.0 }));
    }
    let y: Vec<f64> = values.chunks_exact(d).map(|r| (r[0] + 0.3 * r[1]).sin() + 0.1 * r[d / 2]).collect();
    let targets = match learner.needs().targets {
        Wanted::Values => Targets::Values(Values::new(y, "y")),
        Wanted::Nothing => Targets::None,
        _ => {
            let names = (0..classes).map(|c| c.to_string()).collect::<Vec<_>>();
            Targets::Classes(Classes::new((0..n).map(|i| class(i) as u32).collect(), names).unwrap())
        }
    };
    let mut data = Dataset::new(Points::dense(values, n, d).unwrap(), targets);
    if learner.sees_shapes() {
        let side = (d as f64).sqrt().round() as usize;
        data.features = data.features.shaped(Shape::Image { height: side, width: side, channels: 1 }).unwrap();
    }
    data
}

/// Seconds of the processor that this process has used.
fn seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap();
    let after = text.rsplit(')').next().unwrap();
    let ticks: f64 = after.split_whitespace().skip(11).take(2).map(|w| w.parse::<f64>().unwrap()).sum();
    ticks / 100.0
}

/// A number of bytes the system tells of this process.
fn status(name: &str) -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find(|l| l.starts_with(name)).unwrap();
    1024.0 * line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap()
}
