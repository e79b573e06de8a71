//! A learner makes a machine; rows it has not seen say how good it is.
//!
//! Settings are plain fields with defaults. `fit` looks at the data first (sizes, gaps, weights) and ends with a machine
//! and a certificate: whether the stopping rule was met, how far from the optimum, and what was changed in the data.
#![allow(clippy::print_stdout, reason = "an example speaks to its reader")]

use pellucid::evaluate::{hold_out, judge};
use pellucid::problems::{Problem, TwoMoons};
use pellucid::{Gap, Learner, Prediction, Result, Run, Seed, distance, linear};

fn main() -> Result<()> {
    let run = Run { threads: 2, ..Run::quiet(1) };
    let data = TwoMoons::default().draw(Seed(5))?;
    // A quarter of each class is kept aside; the seed says which rows, for ever the same.
    let (train, test) = hold_out(&data, 0.25, run.seed)?;
    let (train, test) = (data.select(&train)?, data.select(&test)?);

    let line = linear::Logistic { penalty: 0.1, ..Default::default() };
    let neighbours = distance::Knn { k: 7, ..Default::default() };
    let mut accuracies = vec![];
    for learner in [&line as &dyn Learner, &neighbours] {
        let fitted = learner.fit(&train, None, &run)?;
        let measures = judge(&Prediction::of(&*fitted.machine, &test.inputs, &run)?, &test, &run)?;
        let accuracy = measures.get("accuracy").unwrap_or(0.0);
        println!("{:10} accuracy {accuracy:.3} on {} rows", learner.name(), measures.rows);
        accuracies.push(accuracy);

        // Nothing is silent: an iterative fit says how large the gradient still is.
        let certificate = fitted.certificate;
        assert!(certificate.converged && certificate.warnings.is_empty());
        if let Gap::Gradient(size) = certificate.gap {
            println!("{:10} {} steps, gradient {size:.1e}", "", certificate.steps);
            assert!(size <= line.tolerance);
        }
    }
    // No straight line separates two moons.
    assert!(accuracies[1] > 0.95 && accuracies[0] < accuracies[1]);

    // One thread or two: the same machine, bit for bit.
    let one = Run { threads: 1, ..run.clone() };
    let (a, b) = (line.fit(&train, None, &one)?, line.fit(&train, None, &run)?);
    assert_eq!(a.machine.record(), b.machine.record());

    // A setting out of its range is an error that says what would be right.
    let error = linear::Logistic { penalty: -1.0, ..line }.fit(&train, None, &run).err();
    println!("{}", error.as_ref().map(ToString::to_string).unwrap_or_default());
    assert!(error.is_some_and(|e| e.to_string() == "penalty = -1: must be at least 0"));
    Ok(())
}
