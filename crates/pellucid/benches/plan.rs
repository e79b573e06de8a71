//! How well `plan` foretells: every machine on ten shapes, planned against measured seconds and memory.
//!
//! Each fit runs in a process of its own on one thread; seconds are those of the processor, so that others at work do not
//! count, and memory is the peak of the process less what it had before the data were made.
//! `benches/run plan [MACHINE ...]` prints a line for each and how many are within a factor of 3 (1.5 for memory).
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark talks to its reader and may stop")]

use pellucid::{
    Catalog, Classes, Dataset, KNOWN, LEARNERS, Learner, Points, Run, Seed, Shape, Size, Targets, Values, Wanted,
    estimate, normal,
};
use std::time::{Duration, Instant};

/// Rows, columns and classes.
const SHAPES: [(usize, usize, usize); 10] = [
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
];
/// Fits that take longer are cut short, and only said to be at least so long.
const LONGEST: Duration = Duration::from_secs(60);

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    if let [one, name, shape] = &words[..]
        && one == "--one"
    {
        return measure(name, shape.parse().unwrap());
    }
    println!("machine rows x columns x classes: seconds planned, taken, ratio; MB planned, at the peak, ratio");
    let (mut all, mut timely, mut roomy) = (0, 0, 0);
    for entry in LEARNERS.iter().filter(|e| words.is_empty() || words.iter().any(|w| w == e.name)) {
        for (k, &(n, d, c)) in SHAPES.iter().enumerate() {
            let me = std::env::current_exe().unwrap();
            let out = std::process::Command::new(me).args(["--one", entry.name, &k.to_string()]).output().unwrap();
            let text = String::from_utf8_lossy(&out.stdout);
            let numbers: Vec<f64> = text.split_whitespace().filter_map(|w| w.parse().ok()).collect();
            let [planned, taken, bytes, peak, cut] = numbers[..] else {
                println!("{} {n} x {d} x {c}: failed: {}", entry.name, String::from_utf8_lossy(&out.stderr));
                continue;
            };
            // A hundredth of a second is what the clock of the processor tells, a few megabytes what the system adds.
            let ratio = (planned + 0.01) / (taken + 0.01);
            let room = (bytes + 4e6) / (peak + 4e6);
            let cut = if cut > 0.0 { " (cut short)" } else { "" };
            println!(
                "{} {n} x {d} x {c}: {planned:.3} {taken:.3}{cut} {ratio:.2}; {:.0} {:.0} {room:.2}",
                entry.name,
                bytes / 1e6,
                peak / 1e6
            );
            all += 1;
            timely += usize::from(ratio < 3.0 && ratio > 1.0 / 3.0);
            roomy += usize::from(room < 1.5 && room > 1.0 / 1.5);
        }
    }
    println!("{timely} of {all} within a factor of 3 in time, {roomy} of {all} within 1.5 in memory");
}

/// One fit in this process: seconds planned and taken, bytes planned and at the peak, whether it was cut short.
fn measure(name: &str, shape: usize) {
    let (n, d, classes) = SHAPES[shape];
    let learner = KNOWN.learner(name).unwrap();
    let before = status("VmRSS");
    let data = data(&*learner, n, d, classes);
    let run = Run { catalog: &KNOWN, deadline: Some(Instant::now() + LONGEST), ..Run::quiet(1) };
    let planned = estimate(&*learner, &Size::of(&data), &run).unwrap();
    let started = seconds();
    let answer = learner.fit(&data, None, &run);
    let taken = seconds() - started;
    let cut = answer.as_ref().map_or(1, |f| i32::from(f.certificate.interrupted));
    let peak = status("VmHWM") - before;
    println!("{} {taken} {} {peak} {cut}", planned.fit_seconds, planned.bytes);
}

/// Clouds that overlap, and a curved function of the first columns.
fn data(learner: &dyn Learner, n: usize, d: usize, classes: usize) -> Dataset {
    let mut stream = Seed(5).stream();
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
        data.features = data.features.shaped(Shape::Image { height: 1, width: d, channels: 1 }).unwrap();
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
