//! `svm-predict`: a model file, test rows, and LIBSVM's own labels.
//!
//! A class is that of most votes, the first of equals, as LIBSVM has it (our own scores break ties by margins); with
//! `-b 1` that of the largest probability. Test rows may have columns that no support vector has: they count.

use super::flags::SvmPredict;
use super::import::read_svm;
use super::train::without_numbers;
use crate::programs::{agreement, general};
use base::{Error, Result, Run, Targets, number_text};
use files::{Format, Reading as How, SvmKernel, SvmModel, SvmType};
use kernels::{Coupled, Expansion, pair};
use std::fmt::Write;

/// Predicts, writes the answers, and answers with what is printed.
pub fn svm_predict(flags: &SvmPredict, run: &Run<'_>) -> Result<String> {
    let mut svm = files::read_svm_model(&flags.model, run)?;
    if flags.probability && svm.prob_a.is_empty() {
        let what = format!("{}: probabilities (-b 1)", flags.model.display());
        return Err(Error::unsupported(what, "this model", "it was trained without -b 1"));
    }
    let how = How { format: Some(Format::LibSvm), ..How::default() };
    let mut data = files::read(&flags.data, &how, run)?;
    if svm.kernel == SvmKernel::Precomputed {
        data = without_numbers(&data, run)?;
    }
    let width = data.inputs.columns().max(svm.vectors.columns()).max(1);
    svm.vectors = svm.vectors.widen(width);
    let points = match data.points()? {
        base::Points::Sparse(sparse) => base::Points::Sparse(sparse.widen(width)),
        dense => dense.clone(),
    };
    // The machine without what stands before it or is put on it.
    let bare = SvmModel { prob_a: vec![], prob_b: vec![], ..svm.clone() };
    let machine = read_svm("model", &bare, run)?.machine;
    let links = machine.links();
    let expansion = links[links.len() - 1].expect::<Expansion>()?;
    let decisions = expansion.decisions(&points, run)?;
    let mut text = String::new();
    let mut found = Vec::with_capacity(points.len());
    let coupled = match flags.probability && svm.kind.classifies() {
        true => Some(Coupled::new(expansion.clone(), svm.prob_a.clone(), svm.prob_b.clone())?),
        false => None,
    };
    if coupled.is_some() {
        let labels: Vec<String> = svm.labels.iter().map(i32::to_string).collect();
        let _ = writeln!(text, "labels {}", labels.join(" "));
    }
    let mut shares = vec![0.0; svm.labels.len()];
    for raw in decisions.chunks_exact(svm.rho.len()) {
        let answer = match (svm.kind, &coupled) {
            (SvmType::CSvc | SvmType::NuSvc, Some(coupled)) => {
                coupled.couple(raw, &mut shares);
                f64::from(svm.labels[base::argmax(&shares) as usize])
            }
            (SvmType::CSvc | SvmType::NuSvc, None) => f64::from(svm.labels[voted(raw, svm.labels.len())]),
            (SvmType::OneClass, _) => {
                if raw[0] > 0.0 {
                    1.0
                } else {
                    -1.0
                }
            }
            _ => raw[0],
        };
        text += &number_text(answer);
        if coupled.is_some() {
            shares.iter().for_each(|p| text += &format!(" {}", general(*p)));
        }
        text.push('\n');
        found.push(answer);
    }
    files::write_whole(&flags.output, |out| out.write_all(text.as_bytes()))?;
    let mut said = String::new();
    if flags.probability && svm.kind.regresses() {
        said += &format!(
            "Prob. model for test data: target value = predicted value + z,\n\
             z: Laplace distribution e^(-|z|/sigma)/(2sigma),sigma={}\n",
            general(svm.prob_a[0])
        );
    }
    Ok(said + &judged(&svm, &data.targets, &found))
}

/// The class with most votes, the first of equals.
fn voted(decisions: &[f64], classes: usize) -> usize {
    let mut votes = vec![0usize; classes];
    for a in 0..classes {
        for b in a + 1..classes {
            votes[if decisions[pair(a, b, classes)] > 0.0 { a } else { b }] += 1;
        }
    }
    (0..classes).rev().max_by_key(|&c| votes[c]).unwrap_or(0)
}

/// How well it did, where the rows have targets.
fn judged(svm: &SvmModel, targets: &Targets, found: &[f64]) -> String {
    let Targets::Values(truth) = targets else { return String::new() };
    let pairs: Vec<(f64, f64)> = truth.values().iter().copied().zip(found.iter().copied()).collect();
    if svm.kind.regresses() {
        let (error, correlation) = agreement(&pairs);
        return format!(
            "Mean squared error = {} (regression)\nSquared correlation coefficient = {} (regression)\n",
            general(error),
            general(correlation)
        );
    }
    let right = pairs.iter().filter(|(y, f)| y == f).count();
    let share = 100.0 * right as f64 / pairs.len().max(1) as f64;
    format!("Accuracy = {}% ({right}/{}) (classification)\n", general(share), pairs.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_of_votes_go_to_the_first() {
        // 0 beats 1, 1 beats 2, 2 beats 0: one vote each.
        assert_eq!(voted(&[1.0, -9.0, 1.0], 3), 0);
        assert_eq!(voted(&[-1.0, -1.0, 1.0], 3), 1);
        assert_eq!((voted(&[0.0], 2), voted(&[0.1], 2)), (1, 0));
    }
}
