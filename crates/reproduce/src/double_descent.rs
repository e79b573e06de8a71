//! Double descent, by samples and by parameters.
//!
//! By samples: a linear student of N weights learns the signs of a random teacher from P = αN examples by least squares,
//! the shortest solution where there are many. Its generalisation error is the angle to the teacher over π. At α = 1 the
//! last examples can only be met by very long weights. By parameters: the same with a fixed number of examples and a
//! hidden layer of more and more drawn units. A penalty takes the peak away in both.

use super::{Finding, Outcome};
use base::{Dataset, Learner, Points, Progress, Result, Run, Seed, Targets, Values, normal};
use pellucid::linear::{Linear, LinearRegression, Method, Ridge};
use pellucid::network::{Activation, Elm};
use pellucid::picture::{LinePlot, Reference, Series};

const INPUTS: usize = 50;
const RUNS: usize = 400;
const PENALTY: f64 = 5.0;
/// α, and the errors of an independent simulation with 200 runs: shortest least squares, ridge.
const KNOWN: [(f64, f64, f64); 9] = [
    (0.2, 0.386, 0.385),
    (0.6, 0.333, 0.313),
    (0.8, 0.345, 0.289),
    (0.9, 0.377, 0.284),
    (1.0, 0.452, 0.277),
    (1.1, 0.370, 0.264),
    (1.4, 0.270, 0.232),
    (2.0, 0.201, 0.191),
    (5.0, 0.114, 0.113),
];
/// Runs behind the known numbers.
const KNOWN_RUNS: f64 = 200.0;

/// Examples of the experiment by parameters, and the drawn units tried.
const EXAMPLES: usize = 60;
const UNITS: [usize; 14] = [5, 10, 20, 30, 40, 50, 55, 60, 65, 80, 100, 150, 300, 600];
const UNIT_RUNS: usize = 40;

/// Does the experiment.
pub(super) fn run(run: &Run<'_>) -> Result<Outcome> {
    let mut outcome = Outcome {
        about: format!(
            "By samples: N = {INPUTS} Gaussian inputs, targets the signs of a random teacher, {RUNS} runs per \
                 point, ridge with γ = {PENALTY}; the references are an independent simulation with 200 runs, \
                 the tolerances four standard errors of the difference. By parameters: {EXAMPLES} noisy examples \
                 of a smooth function of 5 inputs, random ReLU units under a linear layer, {UNIT_RUNS} runs; the \
                 peak is expected where there are as many units as examples."
        ),
        ..Outcome::default()
    };
    let least = LinearRegression { method: Method::Unified, intercept: false, ..Default::default() };
    let ridge = Ridge { penalty: PENALTY, intercept: false, ..Default::default() };
    let mut curves = [vec![], vec![]];
    for (alpha, known_least, known_ridge) in KNOWN {
        let learners: [(&dyn Learner, f64, &str); 2] =
            [(&least, known_least, "least squares"), (&ridge, known_ridge, "ridge")];
        for ((learner, known, name), curve) in learners.into_iter().zip(&mut curves) {
            let (mean, deviation) = angle(learner, (alpha * INPUTS as f64).round() as usize, run)?;
            let spread = deviation * (1.0 / RUNS as f64 + 1.0 / KNOWN_RUNS).sqrt();
            // Half a unit of the last digit that the reference has.
            let what = format!("error of {name} at α = {alpha}");
            outcome.findings.push(Finding::beside(what, mean, known, 4.0 * spread + 5e-4));
            curve.push(mean);
        }
    }
    let alphas: Vec<f64> = KNOWN.iter().map(|k| k.0).collect();
    let peak = alphas[place_of_largest(&curves[0][2..]) + 2];
    outcome.findings.push(Finding::beside("least squares: α of the peak", peak, 1.0, 0.0));
    let rises = curves[1].windows(2).filter(|pair| pair[1] > pair[0]).count();
    outcome.findings.push(Finding::beside("ridge: rises along the curve", rises as f64, 0.0, 0.0));
    outcome.pictures.push(Box::new(picture(
        ("Double descent by samples", "examples per weight (α)"),
        &alphas,
        curves,
        ("generalisation error", false),
    )));

    let shares: Vec<f64> = UNITS.iter().map(|u| *u as f64 / EXAMPLES as f64).collect();
    let by_units = by_parameters(run)?;
    let place = place_of_largest(&by_units[0][1..]) + 1;
    outcome.findings.push(Finding::beside("random units: units per example at the peak", shares[place], 1.0, 0.1));
    let last = UNITS.len() - 1;
    outcome.findings.push(Finding::alone("random units: error at the peak", by_units[0][place]));
    outcome.findings.push(Finding::alone("random units: error with ten times as many", by_units[0][last]));
    outcome.findings.push(Finding::alone("random units and ridge: largest error", largest(&by_units[1][1..])));
    outcome.pictures.push(Box::new(picture(
        ("Double descent by parameters", "units per example"),
        &shares,
        by_units,
        ("mean squared error", true),
    )));
    Ok(outcome)
}

/// The mean angle to the teacher over π, and its deviation.
fn angle(learner: &dyn Learner, examples: usize, run: &Run<'_>) -> Result<(f64, f64)> {
    let seed = run.seed.fork("double descent").at(examples);
    let found = numeric::each(run, RUNS, |r| {
        run.report(&Progress::of("runs", r as u64, RUNS as u64))?;
        let mut stream = seed.at(r).stream();
        let teacher: Vec<f64> = (0..INPUTS).map(|_| normal(&mut stream)).collect();
        let x: Vec<f64> = (0..examples * INPUTS).map(|_| normal(&mut stream)).collect();
        let signs = x.chunks(INPUTS).map(|x| numeric::dot(x, &teacher).signum()).collect();
        let data = Dataset::new(Points::dense(x, examples, INPUTS)?, Targets::Values(Values::new(signs, "sign")));
        let own = Run { threads: 1, ..run.clone() };
        let fitted = learner.fit(&data, None, &own)?;
        let student = fitted.machine.expect::<Linear>()?;
        let w = student.weights().stored();
        let overlap = numeric::dot(w, &teacher) / (numeric::dot(w, w) * numeric::dot(&teacher, &teacher)).sqrt();
        Ok(overlap.clamp(-1.0, 1.0).acos() / std::f64::consts::PI)
    })?;
    let mean = found.iter().sum::<f64>() / RUNS as f64;
    let variance = found.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (RUNS - 1) as f64;
    Ok((mean, variance.sqrt()))
}

/// The median over runs of the mean squared error of drawn units, without and with a penalty.
///
/// The median, because at the peak single runs are larger than all others together.
fn by_parameters(run: &Run<'_>) -> Result<[Vec<f64>; 2]> {
    let median = |units: usize, penalty: f64| -> Result<f64> {
        let learner = Elm { units, penalty, activation: Activation::Relu, scale: 1.0 };
        let mut errors = numeric::each(run, UNIT_RUNS, |r| {
            run.report(&Progress::of("runs", r as u64, UNIT_RUNS as u64))?;
            let seed = run.seed.fork("drawn units").at(r);
            let own = Run { seed: seed.fork("fit"), threads: 1, ..run.clone() };
            let fitted = learner.fit(&smooth(EXAMPLES, 0.3, seed.fork("train"))?, None, &own)?;
            let test = smooth(400, 0.0, seed.fork("test"))?;
            let found = fitted.machine.compute(&test.inputs, &own)?.to_dense(&own.memory)?;
            let truth = base::values_of(&test)?.values();
            Ok(found.iter().zip(truth).map(|(f, t)| (f - t) * (f - t)).sum::<f64>() / truth.len() as f64)
        })?;
        errors.sort_by(f64::total_cmp);
        Ok(0.5 * (errors[(UNIT_RUNS - 1) / 2] + errors[UNIT_RUNS / 2]))
    };
    let curve = |gamma: f64| UNITS.iter().map(|&units| median(units, gamma)).collect::<Result<Vec<_>>>();
    Ok([curve(0.0)?, curve(1.0)?])
}

/// Values of a smooth function of five normal inputs, with noise.
fn smooth(rows: usize, noise: f64, seed: Seed) -> Result<Dataset> {
    let mut stream = seed.stream();
    let x: Vec<f64> = (0..5 * rows).map(|_| normal(&mut stream)).collect();
    let value = |x: &[f64]| (x[0] + x[1]).sin() + 0.5 * x[2] * x[3] + 0.3 * x[4];
    let values = x.chunks(5).map(|x| value(x) + noise * normal(&mut stream)).collect();
    Ok(Dataset::new(Points::dense(x, rows, 5)?, Targets::Values(Values::new(values, "y"))))
}

fn place_of_largest(list: &[f64]) -> usize {
    base::argmax(list) as usize
}

fn largest(list: &[f64]) -> f64 {
    list.iter().copied().fold(f64::MIN, f64::max)
}

fn picture(
    (title, x_label): (&str, &str),
    x: &[f64],
    [least, ridge]: [Vec<f64>; 2],
    (y_label, log): (&str, bool),
) -> LinePlot {
    let line = |name: &str, y: Vec<f64>| Series { name: name.into(), x: x.to_vec(), y, ..Series::default() };
    LinePlot {
        title: title.into(),
        x_label: x_label.into(),
        y_label: y_label.into(),
        series: vec![line("minimum-norm least squares", least), line("ridge", ridge)],
        x_log: true,
        y_log: log,
        marks: true,
        reference: Reference::Upright("as many examples as units".into(), 1.0),
        ..LinePlot::default()
    }
}
