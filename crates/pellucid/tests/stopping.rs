//! Work that listens: every learner, step and wrapping step of the catalog hears at any moment that it is enough, that
//! time is over or that it is cancelled, and answers soon with what is kept or with an error that says that nothing is.
//!
//! What is measured is the longest time for which the work did not ask. It is allowed to be longer than the second that
//! a quiet computer needs, because others may be at work; a loop that does not ask at all takes longer still.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test speaks by panicking and by what it prints")]

use pellucid::{
    Catalog, Cells, Classes, Column, Dataset, Error, Fitted, Inputs, KNOWN, LEARNERS, Learner, Points, Progress, Run,
    STEPS, Seed, Shape, Table, Targets, Texts, Values, Verdict, WRAPPERS, Wanted, Watch, normal, prepare,
};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The longest silence that is allowed.
const SILENCE: Duration = Duration::from_millis(2500);
/// From the verdict to the answer: a moment for quick work to end by itself, a pass to finish what is kept, and others
/// on the same computer.
const ANSWER: Duration = Duration::from_secs(5);

/// Says a verdict from a moment on, and measures for how long it was not asked.
struct Ear {
    from: Option<Instant>,
    verdict: Verdict,
    heard: Mutex<Heard>,
}

struct Heard {
    last: Instant,
    longest: Duration,
    before: String,
    stage: String,
}

impl Ear {
    fn new(after: Option<Duration>, verdict: Verdict) -> Self {
        let now = Instant::now();
        let heard = Heard { last: now, longest: Duration::ZERO, before: String::new(), stage: String::new() };
        Ear { from: after.map(|a| now + a), verdict, heard: Mutex::new(heard) }
    }

    fn ask(&self, stage: Option<&str>) -> Verdict {
        let now = Instant::now();
        let mut heard = self.heard.lock().unwrap();
        if now - heard.last > heard.longest {
            heard.longest = now - heard.last;
            heard.before = format!("{} .. {}", heard.stage, stage.unwrap_or("piece"));
        }
        heard.last = now;
        if let Some(stage) = stage {
            heard.stage = stage.into();
        }
        if self.from.is_some_and(|from| now >= from) { self.verdict } else { Verdict::GoOn }
    }

    /// The longest silence, up to now, and where it was.
    fn silence(&self) -> (Duration, String) {
        self.ask(Some("end"));
        let heard = self.heard.lock().unwrap();
        (heard.longest, heard.before.clone())
    }
}

impl Watch for Ear {
    fn step(&self, progress: &Progress<'_>) -> Verdict {
        self.ask(Some(progress.stage))
    }

    fn asked(&self) -> Verdict {
        self.ask(None)
    }
}

/// Rows that take a while, for a learner or step of this name.
fn data(name: &str, learner: &dyn Learner) -> Dataset {
    let (n, d) = match name {
        "hierarchical" | "kmedoids" => (5000, 10),
        "kernel-adatron" => (4000, 20),
        "pca" | "whiten" => (2500, 1200),
        "linear-regression" => (2500, 900),
        "ridge" => (6000, 1500),
        "cnn" | "resize" | "patches" | "shift" | "rotate" | "flip" => (3000, 144),
        "impute-mixture" | "impute-mice" | "multiple" | "impute-regression" => (20_000, 24),
        "forward" | "backward" | "calibrate" => (10_000, 16),
        "autoencoder" => (10_000, 64),
        "one-class-svm" | "svdd" | "nu-svc" | "svc" | "svr" | "nu-svr" | "conformal" => (12_000, 20),
        _ => (30_000, 24),
    };
    if matches!(name, "one-hot" | "ordinal" | "frequency" | "bag-of-words" | "tf-idf" | "dates") {
        return table(name, n);
    }
    let mut stream = Seed(5).stream();
    let class = |i: usize| i * 7 % 11 % 4;
    let gaps = name.starts_with("impute") || name == "multiple" || name == "sparse-columns";
    let mut values = Vec::with_capacity(n * d);
    for i in 0..n {
        for c in 0..d {
            let x = normal(&mut stream) + if c % 4 == class(i) { 1.0 } else { 0.0 };
            values.push(if gaps && (i * 13 + c * 5) % 10 == 0 { f64::NAN } else { x });
        }
    }
    // The logarithm takes no negative numbers.
    if name == "log" {
        values.iter_mut().for_each(|x| *x = x.abs());
    }
    let sums: Vec<f64> =
        values.chunks_exact(d).map(|row| row.iter().take(5).filter(|x| !x.is_nan()).sum::<f64>().sin()).collect();
    let points = Points::dense(values, n, d).unwrap();
    let targets = match learner.traits().needs.targets {
        Wanted::Values => Targets::Values(Values::new(sums, "y")),
        _ => Targets::Classes(Classes::new((0..n).map(|i| class(i) as u32).collect(), names()).unwrap()),
    };
    let mut data = Dataset::new(points, targets);
    if learner.traits().needs_shape || d == 144 {
        data.features = data.features.shaped(Shape::Image { height: 12, width: d / 12, channels: 1 }).unwrap();
    }
    data
}

fn names() -> Vec<String> {
    ["a", "b", "c", "d"].map(String::from).to_vec()
}

/// A column of words, of categories or of dates.
fn table(name: &str, n: usize) -> Dataset {
    let word = |i: usize| format!("word{} word{} thing{}", i * 31 % 4001, i * 17 % 997, i % 13);
    let levels: Vec<String> = (0..n).map(|i| format!("level {}", i * 31 % 900)).collect();
    let cells = match name {
        "bag-of-words" | "tf-idf" => {
            let mut texts = Texts::default();
            (0..n).for_each(|i| texts.push(Some(&word(i))));
            Cells::Text(texts)
        }
        "dates" => Cells::Date((0..n).map(|i| i as f64 * 5000.0).collect::<Vec<_>>().into()),
        _ => Cells::categories(levels.iter().map(|l| Some(l.as_str()))),
    };
    let table = Table::new(vec![Column { name: "c".into(), cells }]).unwrap();
    Dataset::new(Inputs::Table(table), Targets::None)
}

/// Fits with a verdict, or a deadline, after this time; what came of it, the longest silence, the time to the answer.
fn heard(
    learner: &dyn Learner,
    data: &Dataset,
    after: Duration,
    verdict: Option<Verdict>,
) -> (pellucid::Result<Fitted>, Duration, String, Duration) {
    let ear = Ear::new(verdict.map(|_| after), verdict.unwrap_or(Verdict::GoOn));
    let end = Instant::now() + after;
    let deadline = verdict.is_none().then_some(end);
    let run = Run { watch: &ear, deadline, catalog: &KNOWN, ..Run::quiet(3) };
    let answer = learner.fit(data, None, &run);
    let late = Instant::now().saturating_duration_since(end);
    let (silence, place) = ear.silence();
    (answer, silence, place, late)
}

/// What a learner must do when it is told to stop, at moments drawn for it.
fn check(name: &str, learner: &dyn Learner, data: &Dataset, wrong: &mut Vec<String>) {
    for (k, verdict) in [Some(Verdict::Enough), None, Some(Verdict::Cancel)].into_iter().enumerate() {
        let share = Seed(17).fork(name).at(k).unit();
        let after = Duration::from_millis(30 + (share * 600.0) as u64);
        let (answer, silence, place, late) = heard(learner, data, after, verdict);
        let what = match &answer {
            Ok(fitted) if fitted.certificate.interrupted => "interrupted",
            Ok(_) => "finished",
            Err(Error::Stopped { .. }) => "stopped",
            Err(Error::Cancelled) => "cancelled",
            Err(_) => "failed",
        };
        println!("{name:20} {verdict:?} after {after:?}: {what}, silent for {silence:?} ({place}), {late:?} late");
        let mut complain = |text: String| wrong.push(format!("{name}, {verdict:?} after {after:?}: {text}"));
        match answer {
            Ok(fitted) => {
                let c = &fitted.certificate;
                if c.converged && c.interrupted {
                    complain("both converged and interrupted".into());
                }
                let few: Vec<usize> = (0..20).collect();
                let out = fitted.machine.compute(&data.inputs.select(&few).unwrap(), &Run::quiet(1));
                if out.is_err() {
                    complain(format!("what is kept is of no use: {}", out.err().unwrap()));
                }
            }
            Err(Error::Stopped { what }) if verdict != Some(Verdict::Cancel) && !what.is_empty() => {}
            Err(Error::Cancelled) if verdict == Some(Verdict::Cancel) => {}
            Err(other) => complain(format!("says {other}")),
        }
        if silence > SILENCE {
            complain(format!("did not ask for {silence:?} ({place})"));
        }
        if late > ANSWER {
            complain(format!("answered {late:?} late"));
        }
    }
}

#[test]
fn every_learner_hears_stops() {
    let mut wrong = vec![];
    for entry in LEARNERS {
        let learner = (entry.make)();
        check(entry.name, &*learner, &data(entry.name, &*learner), &mut wrong);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_step_hears_stops() {
    let mut wrong = vec![];
    // Activations of a network need a file; they are predictions, which are looked at below.
    for entry in STEPS.iter().filter(|e| e.name != "network") {
        let learner = (entry.make)();
        check(entry.name, &*learner, &data(entry.name, &*learner), &mut wrong);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_wrapping_step_hears_stops() {
    let mut wrong = vec![];
    for entry in WRAPPERS {
        let (step, sets) = ((entry.make)(), entry.name == "thresholds");
        let learner = KNOWN.learner(match entry.name {
            "conformal" => "kde",
            _ if sets => step.usual(),
            _ => "logistic",
        });
        let wrapped = prepare::Wrapped { step, learner: learner.unwrap() };
        let mut data = data(entry.name, &wrapped);
        if sets {
            data.targets = pellucid::as_sets(data.targets).unwrap();
        }
        check(entry.name, &wrapped, &data, &mut wrong);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn predictions_hear_that_they_are_cancelled() {
    let mut wrong = vec![];
    for entry in LEARNERS {
        let learner = (entry.make)();
        let all = data(entry.name, &*learner);
        let few = all.select(&(0..400).collect::<Vec<_>>()).unwrap();
        let machine = learner.fit(&few, None, &Run { catalog: &KNOWN, ..Run::quiet(3) }).unwrap().machine;
        let many: Vec<usize> = (0..200_000).map(|i| i % all.len()).collect();
        let inputs = all.inputs.select(&many[..if all.inputs.columns() > 500 { 20_000 } else { many.len() }]).unwrap();
        let ear = Ear::new(Some(Duration::from_millis(60)), Verdict::Cancel);
        let started = Instant::now();
        let answer = machine.compute(&inputs, &Run { watch: &ear, ..Run::quiet(1) });
        let (took, (silence, place)) = (started.elapsed(), ear.silence());
        println!("{:20} {took:?}, silent for {silence:?} ({place})", entry.name);
        if !matches!(answer, Ok(_) | Err(Error::Cancelled)) || silence > SILENCE {
            wrong.push(format!("{}: silent for {silence:?} ({place})", entry.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
