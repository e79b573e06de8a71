//! `linear-predict`: a model file, test rows, and LIBLINEAR's own labels.
//!
//! A decision above 0 is the first of two labels, else it is the second; of more the largest decision counts, the first of
//! equals. Columns beyond those of the model do not count. With `-b 1` logistic models give 1 / (1 + exp(−f)), divided by
//! their sum where there are more than two.

use super::flags::LinearPredict;
use super::import::machine;
use crate::align;
use crate::programs::{agreement, general};
use base::{Dataset, Error, Inputs, Progress, Result, Run, Silent, Targets, number_text};
use files::{Format, LinearModel, LinearSolver, Reading as How};

/// Rows whose decisions are held at once.
const ROWS: usize = 1024;

/// Predicts, writes the answers, and answers with what is printed.
pub fn linear_predict(flags: &LinearPredict, run: &Run<'_>) -> Result<String> {
    let file = files::read_linear_model(&flags.model, run)?;
    if flags.probability && !file.solver.is_logistic() {
        let what = format!("{}: probabilities (-b 1)", flags.model.display());
        return Err(Error::unsupported(what, "this model", "only those of -s 0, 6 and 7 have them"));
    }
    let how = How { format: Some(Format::LibSvm), ..How::default() };
    let data = files::read(&flags.data, &how, run)?;
    let found = decided(&file, &data, flags, run)?;
    Ok(judged(&file, &data.targets, &found))
}

/// Writes a line for each row, and gives the labels or values.
fn decided(file: &LinearModel, data: &Dataset, flags: &LinearPredict, run: &Run<'_>) -> Result<Vec<f64>> {
    let machine = machine(file, run)?;
    // Columns that the model does not have are left out without a word, as LIBLINEAR does.
    let Inputs::Points(points) = align(data, machine.inputs(), &Run { watch: &Silent, ..run.clone() })? else {
        return Err(Error::size("inputs", "points", "a table"));
    };
    let width = machine.outputs().names.len();
    let mut found = Vec::with_capacity(points.len());
    files::write_whole(&flags.output, |out| {
        if flags.probability {
            let labels: Vec<String> = file.labels.iter().map(i32::to_string).collect();
            writeln!(out, "labels {}", labels.join(" "))?;
        }
        for first in (0..points.len()).step_by(ROWS) {
            run.report(&Progress::of("predict", first as u64, points.len() as u64)).map_err(std::io::Error::other)?;
            let block = Inputs::Points(points.slice(first..first + ROWS));
            let scores =
                machine.compute(&block, run).and_then(|s| s.to_dense(&run.memory)).map_err(std::io::Error::other)?;
            for row in scores.chunks_exact(width.max(1)) {
                let decisions = decisions(file, row);
                let answer = answer(file, &decisions);
                let mut line = number_text(answer);
                if flags.probability {
                    probabilities(&decisions).iter().for_each(|p| line += &format!(" {}", general(*p)));
                }
                writeln!(out, "{line}")?;
                found.push(answer);
            }
        }
        Ok(())
    })?;
    Ok(found)
}

/// LIBLINEAR's decisions of our scores.
fn decisions(file: &LinearModel, scores: &[f64]) -> Vec<f64> {
    match (file.solver, scores) {
        (LinearSolver::OneClass, [outlierness, ..]) => vec![-outlierness],
        // Halves of log-odds.
        (solver, [first, second]) if solver.is_logistic() => vec![first - second],
        (_, [first, _]) if file.vectors() == 1 => vec![*first],
        _ => scores.to_vec(),
    }
}

fn answer(file: &LinearModel, decisions: &[f64]) -> f64 {
    match (file.solver, &file.labels[..], decisions) {
        (LinearSolver::OneClass, ..) => {
            if decisions[0] > 0.0 {
                1.0
            } else {
                -1.0
            }
        }
        (_, &[first, second], _) => f64::from(if decisions[0] > 0.0 { first } else { second }),
        (_, [], _) => decisions[0],
        (_, labels, _) => f64::from(labels[base::argmax(decisions) as usize]),
    }
}

fn probabilities(decisions: &[f64]) -> Vec<f64> {
    let mut all: Vec<f64> = decisions.iter().map(|f| 1.0 / (1.0 + (-f).exp())).collect();
    match all[..] {
        [first] => all.push(1.0 - first),
        _ => {
            let sum: f64 = all.iter().sum();
            all.iter_mut().for_each(|p| *p /= sum);
        }
    }
    all
}

/// How well it did, where the rows have targets.
fn judged(file: &LinearModel, targets: &Targets, found: &[f64]) -> String {
    let Targets::Values(truth) = targets else { return String::new() };
    let pairs: Vec<(f64, f64)> = truth.values().iter().copied().zip(found.iter().copied()).collect();
    if file.solver.regresses() {
        let (error, correlation) = agreement(&pairs);
        return format!(
            "Mean squared error = {} (regression)\nSquared correlation coefficient = {} (regression)\n",
            general(error),
            general(correlation)
        );
    }
    let right = pairs.iter().filter(|(y, f)| y == f).count();
    let share = 100.0 * right as f64 / pairs.len().max(1) as f64;
    format!("Accuracy = {}% ({right}/{})\n", general(share), pairs.len())
}
