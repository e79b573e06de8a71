//! How well `plan` foretells: every machine on two times ten shapes, planned against measured seconds and memory.
//!
//! The constants in the learners' plans were chosen on the first ten shapes ("chosen"); the others ("held out") were not
//! looked at for that, and have other sizes and another seed. Each fit runs in a process of its own on one thread;
//! seconds are those of the processor, so that others at work do not count, and memory is the peak of the process less
//! what it had before the data were made. Machines that take long get fewer rows, quick ones more.
//! `benches/run plan [chosen | held-out] [MACHINE ...]` prints a line for each fit, and for each machine how many are
//! within a factor of 3 in time and 1.5 in memory.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used, reason = "a bench talks and may stop")]

use pellucid::{
    Catalog, Classes, Dataset, KNOWN, LEARNERS, Learner, Points, Run, Seed, Shape, Targets, Values, Wanted,
    estimate_on, normal,
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
        23,
        [
            (900, 18, 4),
            (1300, 45, 2),
            (2800, 9, 3),
            (3500, 80, 6),
            (7000, 14, 15),
            (9000, 30, 2),
            (14_000, 12, 4),
            (35_000, 11, 2),
            (1500, 320, 5),
            (600, 1100, 3),
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
    if let [what, name, set, shape] = &words[..]
        && what.starts_with("--")
    {
        let (set, shape) = (set.parse().unwrap(), shape.parse().unwrap());
        return if what == "--plan" { plan(name, set, shape) } else { measure(name, set, shape) };
    }
    println!("set machine rows x columns x classes: seconds planned, taken, ratio; MB planned, at the peak, ratio");
    let named = |word: &str| LEARNERS.iter().any(|e| e.name == word);
    let machines: Vec<&String> = words.iter().filter(|w| named(w)).collect();
    let sets: Vec<&String> = words.iter().filter(|w| !named(w)).collect();
    let (mut summary, mut slowest) = (vec![], 0.0);
    for entry in LEARNERS.iter().filter(|e| machines.is_empty() || machines.iter().any(|w| *w == e.name)) {
        for (s, (set, ..)) in
            SETS.iter().enumerate().filter(|(_, set)| sets.is_empty() || sets.iter().any(|w| *w == set.0))
        {
            let found: Vec<Right> = (0..SETS[s].2.len()).filter_map(|k| compare(entry.name, s, k)).collect();
            let count = |of: fn(&Right) -> bool| found.iter().filter(|r| of(r)).count();
            slowest = found.iter().map(|r| r.cost).fold(slowest, f64::max);
            summary.push((
                *set,
                entry.name,
                [found.len(), count(|r| r.timely), count(|r| r.between), count(|r| r.roomy)],
            ));
        }
    }
    println!("\nset machine: fits, within 3 in time, within the bounds told, within 1.5 in memory");
    for (set, name, [all, timely, between, roomy]) in &summary {
        println!("{set} {name}: {all} {timely} {between} {roomy}");
    }
    for (set, ..) in &SETS {
        let of = |k: usize| summary.iter().filter(|s| s.0 == *set).map(|s| s.2[k]).sum::<usize>();
        println!(
            "{set}: {} fits, {} within a factor of 3 in time, {} within the bounds told, {} within 1.5 in memory",
            of(0),
            of(1),
            of(2),
            of(3)
        );
    }
    println!("the slowest plan took {slowest:.2} s");
}

/// What a process of its own answers: numbers, or what went wrong.
fn ask(what: &str, name: &str, set: usize, shape: usize) -> Result<Vec<f64>, String> {
    let me = std::env::current_exe().unwrap();
    let out = std::process::Command::new(me).args([what, name, &set.to_string(), &shape.to_string()]).output().unwrap();
    let text = String::from_utf8_lossy(&out.stdout);
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|w| w.parse().ok()).collect();
    if numbers.len() == 6 { Ok(numbers) } else { Err(String::from_utf8_lossy(&out.stderr).into_owned()) }
}

/// A plan and a fit, in processes of their own; nothing if one of them failed.
fn compare(name: &str, set: usize, shape: usize) -> Option<Right> {
    let label = SETS[set].0;
    let (planned, fitted) = match (ask("--plan", name, set, shape), ask("--fit", name, set, shape)) {
        (Ok(planned), Ok(fitted)) => (planned, fitted),
        (planned, fitted) => {
            let why = planned.err().or(fitted.err()).unwrap_or_default();
            println!("{label} {name} shape {shape}: failed: {why}");
            return None;
        }
    };
    let [seconds, least, most, bytes, tried, cost] = planned[..] else { return None };
    let [n, d, c, taken, peak, cut] = fitted[..] else { return None };
    // A hundredth of a second is what the clock of the processor tells, a few megabytes what the system adds.
    let ratio = (seconds + 0.01) / (taken + 0.01);
    let room = (bytes + 4e6) / (peak + 4e6);
    // A fit that was cut short would have taken longer, and perhaps more memory.
    let cut = if cut > 0.0 { " (cut short)" } else { "" };
    println!(
        "{label} {name} {n} x {d} x {c}: {seconds:.3} {taken:.3}{cut} {ratio:.2}; {:.1} {:.1} {room:.2}; tried {tried} rows in {cost:.2} s",
        bytes / 1e6,
        peak / 1e6,
    );
    Some(Right {
        timely: cut.is_empty() && ratio < 3.0 && ratio > 1.0 / 3.0,
        roomy: room < 1.5 && room > 1.0 / 1.5,
        between: cut.is_empty() && taken >= least - 0.01 && taken <= most + 0.01,
        cost,
    })
}

/// Whether a plan was right.
struct Right {
    timely: bool,
    roomy: bool,
    /// Whether the fit took a time between the bounds that were told.
    between: bool,
    /// Seconds that planning took.
    cost: f64,
}

/// The data of a shape, for a machine.
fn shaped(name: &str, set: usize, shape: usize) -> (Box<dyn Learner>, Dataset) {
    let (_, seed, sizes) = &SETS[set];
    let (n, d, classes) = sizes[shape];
    let times = TIMES.iter().find(|f| f.0 == name).map_or(1.0, |f| f.1);
    let n = ((n as f64 * times) as usize).max(100);
    let learner = KNOWN.learner(name).unwrap();
    // A picture has sides.
    let side = ((d as f64).sqrt().round() as usize).max(LEAST_SIDE);
    let d = if learner.traits().needs_shape { side * side } else { d };
    let data = data(&*learner, (n, d, classes), *seed);
    (learner, data)
}

/// Prints what is planned: seconds, the least and the most, bytes, rows that were tried, seconds that planning took.
fn plan(name: &str, set: usize, shape: usize) {
    let (learner, data) = shaped(name, set, shape);
    let run = Run { catalog: &KNOWN, ..Run::quiet(1) };
    let began = Instant::now();
    let e = estimate_on(&*learner, &data, &seconds, &run).unwrap();
    let cost = began.elapsed().as_secs_f64();
    println!("{} {} {} {} {} {cost}", e.fit_seconds, e.between.0, e.between.1, e.bytes, e.tried);
}

/// Prints what a fit took: its size, seconds, bytes at the peak, whether it was cut short.
fn measure(name: &str, set: usize, shape: usize) {
    let before = status("VmRSS");
    let (learner, data) = shaped(name, set, shape);
    let run = Run { catalog: &KNOWN, deadline: Some(Instant::now() + LONGEST), ..Run::quiet(1) };
    let started = seconds();
    let answer = learner.fit(&data, None, &run);
    let taken = seconds() - started;
    let cut = answer.as_ref().map_or(1, |f| i32::from(f.certificate.interrupted));
    let peak = status("VmHWM") - before;
    println!("{} {} {} {taken} {peak} {cut}", data.len(), data.inputs.columns(), SETS[set].2[shape].2);
    eprintln!("asked for {} bytes", run.memory.peak());
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
    let targets = match learner.traits().needs.targets {
        Wanted::Values => Targets::Values(Values::new(y, "y")),
        Wanted::Nothing => Targets::None,
        _ => {
            let names = (0..classes).map(|c| c.to_string()).collect::<Vec<_>>();
            Targets::Classes(Classes::new((0..n).map(|i| class(i) as u32).collect(), names).unwrap())
        }
    };
    let mut data = Dataset::new(Points::dense(values, n, d).unwrap(), targets);
    if learner.traits().needs_shape {
        let side = (d as f64).sqrt().round() as usize;
        data.features = data.features.shaped(Shape::Image { height: side, width: side, channels: 1 }).unwrap();
    }
    data
}

/// Seconds of the processor that this thread has used; there is no other.
fn seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap();
    text.split_whitespace().next().unwrap().parse::<f64>().unwrap() / 1e9
}

/// A number of bytes the system tells of this process.
fn status(name: &str) -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find(|l| l.starts_with(name)).unwrap();
    1024.0 * line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap()
}
