//! From a model of ours to one of LIBSVM, where LIBSVM has words for it.

use super::import::{SPREAD, SUM, sparse};
use crate::Model;
use crate::onnx::pieces;
use base::{Error, Fact, Machine, Result};
use files::{SvmKernel, SvmModel, SvmType};
use kernels::{Coupled, Expansion, Kernel, Reading};
use prepare::{Calibrator, Selector};
use std::sync::Arc;

/// A model of LIBSVM.
pub struct ExportedSvm {
    /// The model.
    pub svm: SvmModel,
    /// What is different from ours, in words.
    pub notes: Vec<String>,
}

/// The LIBSVM model of a model of ours.
///
/// Such files hold no preparation: an encoding that only tables know is left out and said, any other step is refused.
pub fn export_svm(model: &Model) -> Result<ExportedSvm> {
    let mut machines = pieces(&model.machine.record())?;
    let mut notes = vec![];
    if machines[0].inputs().table().is_some() && machines.len() > 1 {
        let names = machines.remove(0).outputs().names.clone();
        let some: Vec<&str> = names.iter().take(8).map(String::as_str).collect();
        let more = if names.len() > some.len() { ", ..." } else { "" };
        notes.push(format!(
            "the file takes the {} columns that the encoding makes: {}{more}",
            names.len(),
            some.join(", ")
        ));
    }
    if is_numbering(&machines) {
        machines.remove(0);
    }
    let records: Vec<base::Record> = machines.iter().map(|m| m.record()).collect();
    let kinds: Vec<&str> = records.iter().map(|r| r.kind()).collect();
    let (expansion, prob_a, prob_b) = match kinds[..] {
        [Expansion::KIND] => (Expansion::read(&records[0])?, vec![], vec![]),
        [Coupled::KIND] => {
            let coupled = Coupled::read(&records[0])?;
            let (a, b) = (coupled.slopes().to_vec(), coupled.offsets().to_vec());
            (Expansion::read(records[0].part("expansion")?)?, a, b)
        }
        [Expansion::KIND, Calibrator::KIND] => {
            let Some((slope, offset)) = Calibrator::read(&records[1])?.sigmoid() else {
                let what = "a calibration that is no sigmoid of two classes";
                return Err(Error::unsupported(what, "LIBSVM files", "fit without calibrate"));
            };
            // Two classes score f and −f, so their margin is 2f.
            (Expansion::read(&records[0])?, vec![2.0 * slope], vec![offset])
        }
        _ => {
            let last = kinds.len() - 1;
            let strange = kinds.iter().position(|k| *k != Expansion::KIND).unwrap_or(last);
            let what = format!("a machine of kind {:?}", kinds[strange]);
            let instead = "they hold one kernel machine: prepare the data first and fit with --prepare none";
            return Err(Error::unsupported(what, "LIBSVM files", instead));
        }
    };
    let svm = svm(model, &expansion, prob_a, prob_b, &mut notes)?;
    Ok(ExportedSvm { svm, notes })
}

/// Whether the first machine leaves out nothing but the numbers of rows before a precomputed kernel.
fn is_numbering(machines: &[Arc<dyn Machine>]) -> bool {
    let [first, second, ..] = machines else { return false };
    let record = first.record();
    let kernel = || second.record().part("kernel").is_ok_and(|k| k.kind() == "kernel-precomputed");
    let coupled = || {
        second
            .record()
            .part("expansion")
            .is_ok_and(|e| e.part("kernel").is_ok_and(|k| k.kind() == "kernel-precomputed"))
    };
    record.kind() == Selector::KIND
        && record.wholes("columns").is_ok_and(|c| c.iter().copied().eq(1..=c.len() as u64))
        && first.inputs().count() == first.outputs().names.len() + 1
        && (kernel() || coupled())
}

fn svm(
    model: &Model,
    expansion: &Expansion,
    prob_a: Vec<f64>,
    prob_b: Vec<f64>,
    notes: &mut Vec<String>,
) -> Result<SvmModel> {
    let names = &expansion.outputs().names;
    let refuse = |what: &str, instead: &str| Err(Error::unsupported(what, "LIBSVM files", instead));
    let kernel = match *expansion.kernel() {
        Kernel::Linear => SvmKernel::Linear,
        Kernel::Polynomial { gamma, coef0, degree } => SvmKernel::Polynomial { degree, gamma, coef0 },
        Kernel::Exponential { gamma, q: 2.0 } => SvmKernel::Rbf { gamma },
        Kernel::Sigmoid { gamma, coef0 } => SvmKernel::Sigmoid { gamma, coef0 },
        Kernel::Precomputed => SvmKernel::Precomputed,
        ref other => {
            let what = format!("the kernel {:?}", other.word());
            return refuse(&what, "linear, polynomial, gaussian, sigmoid and precomputed are");
        }
    };
    let (mut labels, mut counts, mut factor) = (vec![], vec![], 1.0);
    let mut prob_a = prob_a;
    let fact = |name: &str| match model.certificate.facts.get(name) {
        Some(Fact::Number(x)) => Some(*x),
        _ => None,
    };
    let kind = match expansion.reading() {
        Reading::Pairs => {
            labels = whole_labels(names, notes);
            counts = (0..names.len()).map(|c| expansion.centres_of(c).len()).collect();
            if model.learner == "nu-svc" { SvmType::NuSvc } else { SvmType::CSvc }
        }
        Reading::Values if names.len() == 1 => {
            prob_a = fact(SPREAD).into_iter().collect();
            if model.learner == "nu-svr" { SvmType::NuSvr } else { SvmType::EpsilonSvr }
        }
        Reading::Outlier => {
            factor = fact(SUM).or_else(|| nu_rows(model)).unwrap_or(1.0);
            SvmType::OneClass
        }
        Reading::Values => return refuse("a machine of several values", "fit one for each"),
        Reading::Rest => return refuse("each class against the rest", "fit with --set multiclass=pairs"),
        Reading::Sphere => {
            return refuse("a sphere (svdd) of this kernel", "one-class-svm is, and is the same for gaussian");
        }
    };
    Ok(SvmModel {
        kind,
        kernel,
        labels,
        counts,
        rho: expansion.offsets().iter().map(|b| -b * factor).collect(),
        prob_a,
        prob_b,
        marks: vec![],
        coefficients: expansion.coefficients().iter().map(|c| c * factor).collect::<Vec<_>>().into(),
        vectors: sparse(expansion.centres())?,
    })
}

/// ν times the rows of a one-class machine of ours.
fn nu_rows(model: &Model) -> Option<f64> {
    let nu = model.settings.iter().find_map(|s| s.strip_prefix("nu="))?.trim().parse::<f64>().ok()?;
    let sum = nu * model.rows as f64;
    (model.learner == "one-class-svm" && sum > 0.0 && sum.is_finite()).then_some(sum)
}

/// Names as LIBSVM has them, or their places.
fn whole_labels(names: &[String], notes: &mut Vec<String>) -> Vec<i32> {
    let mut labels: Vec<i32> = names.iter().map_while(|n| n.parse().ok()).collect();
    let mut distinct = labels.clone();
    distinct.sort_unstable();
    distinct.dedup();
    if distinct.len() != names.len() {
        labels = (0..).take(names.len()).collect();
        let list: Vec<String> = names.iter().zip(&labels).take(8).map(|(n, l)| format!("{l} = {n}")).collect();
        let more = if names.len() > list.len() { ", ..." } else { "" };
        notes.push(format!("LIBSVM's labels are whole numbers, so classes are written as {}{more}", list.join(", ")));
    }
    labels
}
