//! Numbers at the edge of what a double holds: what becomes too large inside is called so, and is no gap in the data.

#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use pellucid::{
    Catalog, Classes, Dataset, KNOWN, LEARNERS, Learner, Pipeline, Points, Run, Targets, Values, Verdict, Wanted, Watch,
};
use std::time::{Duration, Instant};

/// Ends what would take too long here.
struct Late(Instant);

impl Watch for Late {
    fn step(&self, _: &pellucid::Progress<'_>) -> Verdict {
        self.asked()
    }

    fn asked(&self) -> Verdict {
        if Instant::now() > self.0 { Verdict::Enough } else { Verdict::GoOn }
    }
}

fn data(learner: &dyn Learner, largest: f64, weight: Option<f64>) -> Dataset {
    let (n, d) = (24, 3);
    let values: Vec<f64> =
        (0..n * d).map(|i| largest * [1.0, -1.0, 1e-8, 0.3, -0.7][i * 7 % 5] / (1.0 + (i % 3) as f64)).collect();
    let targets = match learner.traits().needs.targets {
        Wanted::Values => Targets::Values(Values::new((0..n).map(|i| i as f64).collect(), "y")),
        _ => Targets::Classes(
            Classes::new((0..n).map(|i| (i % 2) as u32).collect(), vec!["a".to_string(), "b".into()]).unwrap(),
        ),
    };
    let mut data = Dataset::new(Points::dense(values, n, d).unwrap(), targets);
    data.weights = weight.map(|w| (0..n).map(|i| if i % 4 == 0 { w } else { 1.0 }).collect());
    data
}

#[test]
fn r7_what_becomes_too_large_inside_is_not_called_missing() {
    let mut wrong = vec![];
    for entry in LEARNERS {
        for step in [None, Some("scale"), Some("pca"), Some("unit")] {
            for (largest, weight) in [(1.7e308, None), (1e200, None), (1.0, Some(1e300))] {
                let own = (entry.make)();
                if own.traits().needs_shape {
                    continue;
                }
                let data = data(&*own, largest, weight);
                let learner: Box<dyn Learner> = match step {
                    None => own,
                    Some(step) => Box::new(Pipeline { steps: vec![KNOWN.learner(step).unwrap(), own] }),
                };
                let late = Late(Instant::now() + Duration::from_millis(300));
                let run = Run { watch: &late, catalog: &KNOWN, ..Run::quiet(1) };
                let Err(error) = learner.fit(&data, None, &run) else { continue };
                let text = error.to_string();
                if text.contains("missing") || text.contains("fill it") || text.contains("NaN") {
                    wrong.push(format!("{} after {step:?} with {largest:e}, {weight:?}: {text}", entry.name));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
