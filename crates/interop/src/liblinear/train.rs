//! `linear-train`: LIBLINEAR's options to our learners, and what it would print.
//!
//! | `-s` | learner |
//! |---|---|
//! | 0, 7 | `linear-svm` with the logistic loss, one against the rest |
//! | 1, 2 | `linear-svm` with the squared hinge, one against the rest |
//! | 3 | `linear-svm` with the hinge, one against the rest |
//! | 4 | `linear-svm` in the way of Crammer and Singer |
//! | 11, 12, 13 | `linear-svr` |
//!
//! Two of LIBLINEAR's solvers for one problem have one optimum and one solver here. Intercepts are weights of a constant
//! feature, penalised, as in LIBLINEAR. Classes stand in its order: by first appearance, but +1 before −1.
//! **`-C`** compares C = 2^i from where weights begin to count up to 1024 by cross-validation, and takes the first best.

use super::export::of_vectors;
use super::flags::LinearTrain;
use crate::programs::{cross_validation, general, held_out_accuracy, ordered_classes};
use base::{
    ClassWeight, Dataset, Error, Fact, Fitted, Learner, Points, Result, Run, Setting, Targets, Value, number_text,
};
use files::{Format, LinearSolver, Reading as How};
use linear::{Linear, LinearSvm, LinearSvr, Loss, Multiclass, TubeLoss};
use std::fmt::Write;

/// Folds of a search for C if `-v` does not say how many.
const FOLDS: usize = 5;
/// The largest C of a search.
const LARGEST: f64 = 1024.0;

/// Trains, writes the model, and answers with what is printed.
pub fn linear_train(flags: &LinearTrain, run: &Run<'_>) -> Result<String> {
    let how = How { format: Some(Format::LibSvm), ..How::default() };
    let mut data = files::read(&flags.data, &how, run)?;
    if flags.solver.classifies() {
        data.targets = ordered_classes(&data)?;
    }
    if flags.search {
        return search(flags, &data, run);
    }
    let learner = learner(flags, flags.c.unwrap_or(1.0), &data)?;
    if let Some(folds) = flags.folds {
        return cross_validation(&*learner, &data, folds, run);
    }
    let fitted = learner.fit(&data, None, run)?;
    let labels = match &data.targets {
        Targets::Classes(classes) => classes.names().iter().filter_map(|name| name.parse().ok()).collect(),
        _ => vec![],
    };
    let file = of_vectors(fitted.machine.expect::<Linear>()?, flags.solver, labels, flags.bias, run)?;
    files::write_linear_model(&flags.model, &file)?;
    Ok(printed(flags, &fitted))
}

/// Our learner of LIBLINEAR's options.
fn learner(flags: &LinearTrain, c: f64, data: &Dataset) -> Result<Box<dyn Learner>> {
    let tolerance = flags.tolerance.unwrap_or(match flags.solver {
        LinearSolver::Logistic | LinearSolver::SquaredHinge => 0.01,
        LinearSolver::SquaredTube => 0.0001,
        _ => 0.1,
    });
    // The weight of a constant 0 would be 0.
    let (intercept, intercept_scaling) = flags.bias.filter(|&b| b > 0.0).map_or((false, 1.0), |b| (true, b));
    if flags.solver.regresses() {
        let squared = flags.solver != LinearSolver::TubeDual;
        let loss = if squared { TubeLoss::Squared } else { TubeLoss::Absolute };
        let svr = LinearSvr {
            c,
            epsilon: flags.epsilon,
            loss,
            intercept,
            intercept_scaling,
            tolerance,
            ..LinearSvr::default()
        };
        return Ok(Box::new(svr));
    }
    let (loss, multiclass) = match flags.solver {
        LinearSolver::CrammerSinger => (Loss::Hinge, Multiclass::CrammerSinger),
        LinearSolver::HingeDual => (Loss::Hinge, Multiclass::OneVsRest),
        solver if solver.is_logistic() => (Loss::Logistic, Multiclass::OneVsRest),
        _ => (Loss::SquaredHinge, Multiclass::OneVsRest),
    };
    let class_weight = class_weight(flags, data)?;
    let svm = LinearSvm {
        c,
        multiclass,
        loss,
        intercept,
        intercept_scaling,
        tolerance,
        class_weight,
        ..LinearSvm::default()
    };
    Ok(Box::new(svm))
}

/// Factors of C for the classes that have rows; LIBLINEAR warns of others, which change nothing.
fn class_weight(flags: &LinearTrain, data: &Dataset) -> Result<ClassWeight> {
    let Targets::Classes(classes) = &data.targets else { return Ok(ClassWeight::None) };
    let there = |label: &i32| classes.names().contains(&label.to_string());
    let weights = flags.weights.iter().filter(|(label, _)| there(label));
    let list: Vec<String> = weights.map(|(label, w)| format!("{label}={}", number_text(*w))).collect();
    if list.is_empty() {
        return Ok(ClassWeight::None);
    }
    let text = list.join(",");
    ClassWeight::from_value(&Value::Text(text.clone()))
        .ok_or_else(|| Error::parameter("-w", text, "must be LABEL=number"))
}

/// What LIBLINEAR prints at the end: steps, the objective, and how many rows the weights are made of.
fn printed(flags: &LinearTrain, fitted: &Fitted) -> String {
    let certificate = &fitted.certificate;
    let fact = |name: &str| match certificate.facts.get(name) {
        Some(Fact::Number(x)) => Some(*x),
        _ => None,
    };
    let mut text = format!("optimization finished, #iter = {}\n", certificate.steps);
    let primal =
        matches!(flags.solver, LinearSolver::Logistic | LinearSolver::SquaredHinge | LinearSolver::SquaredTube);
    // What the dual solvers minimise is minus the dual objective.
    let objective = if primal { certificate.objective } else { fact("dual objective").map(|x| -x) };
    objective.iter().for_each(|x| text += &format!("Objective value = {x:.6}\n"));
    let support = fact("support vectors").or(fact("dual variables above 0"));
    support.filter(|_| !primal).iter().for_each(|n| text += &format!("nSV = {n}\n"));
    certificate.warnings.iter().for_each(|w| text += &format!("WARNING: {w}\n"));
    text
}

/// The C of the best cross-validation, as `-C` prints it.
fn search(flags: &LinearTrain, data: &Dataset, run: &Run<'_>) -> Result<String> {
    let mut text = String::new();
    let mut best: Option<(f64, f64)> = None;
    let mut c = flags.c.unwrap_or_else(|| smallest(flags, data));
    while c <= LARGEST {
        let rate = held_out_accuracy(&*learner(flags, c, data)?, data, flags.folds.unwrap_or(FOLDS), run)?;
        let _ = writeln!(text, "log2c= {:.2}\trate={}", c.log2(), general(rate));
        if best.is_none_or(|(_, most)| rate > most) {
            best = Some((c, rate));
        }
        c *= 2.0;
    }
    let Some((c, rate)) = best else {
        return Err(Error::parameter("-c", number_text(c), format!("must be at most {LARGEST} with -C")));
    };
    Ok(text + &format!("Best C = {}  CV accuracy = {}%\n", general(c), general(rate)))
}

/// The power of 2 from which on weights can differ from 0, as LIBLINEAR reckons it.
fn smallest(flags: &LinearTrain, data: &Dataset) -> f64 {
    let bias = flags.bias.unwrap_or(0.0).powi(2);
    let longest = match data.points() {
        Ok(Points::Sparse(sparse)) => {
            (0..sparse.len()).map(|i| sparse.row(i).1.iter().map(|x| x * x).sum::<f64>()).fold(0.0, f64::max)
        }
        _ => 0.0,
    };
    let factor = if flags.solver == LinearSolver::Logistic { 1.0 } else { 2.0 };
    let least = 1.0 / (factor * data.len().max(1) as f64 * (longest + bias).max(f64::MIN_POSITIVE));
    // Beyond this range every C is the same to a double.
    least.clamp(1e-12, LARGEST).log2().floor().exp2()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Sparse;

    #[test]
    fn a_search_begins_where_liblinear_begins() {
        let flags =
            |words: &str| LinearTrain::parse(&words.split(' ').map(str::to_string).collect::<Vec<_>>()).unwrap();
        let rows = Sparse::new(vec![0, 2, 3], vec![0u32, 1, 0], vec![3.0, 4.0, 1.0], 2).unwrap();
        let data = Dataset::new(Points::Sparse(rows), Targets::None);
        // 1 / (2 · 2 · 25) lies between 2⁻⁷ and 2⁻⁶, 1 / (2 · 25) between 2⁻⁶ and 2⁻⁵.
        assert_eq!(smallest(&flags("-C d"), &data), 1.0 / 128.0);
        assert_eq!(smallest(&flags("-s 0 -C d"), &data), 1.0 / 64.0);
        // With a constant of 5 the square of the longest row is 50.
        assert_eq!(smallest(&flags("-B 5 -C d"), &data), 1.0 / 256.0);
    }
}
