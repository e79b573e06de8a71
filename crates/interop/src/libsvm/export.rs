//! From a model of ours to one of LIBSVM, where LIBSVM has words for it.

use super::import::{SPREAD, SUM, sparse};
use crate::Model;
use crate::programs::{bare, whole_labels};
use base::{Advice, Error, Fact, Machine, Message, Result, Value};
use files::{SvmKernel, SvmModel, SvmType};
use kernels::functions::{Exponential, Linear, Polynomial, Precomputed, Sigmoid};
use kernels::{Coupled, Decisions, Expansion, Kernel};
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
    let (mut machines, mut notes) = bare(model);
    if is_numbering(&machines) {
        machines.remove(0);
    }
    let (first, second) = (&machines[0], machines.get(1));
    let coupled = first.downcast::<Coupled>();
    let calibrator = second.and_then(|m| m.downcast::<Calibrator>());
    let (expansion, prob_a, prob_b) = match (first.downcast::<Expansion>(), coupled, calibrator, machines.len()) {
        (Some(expansion), _, _, 1) => (expansion, vec![], vec![]),
        (_, Some(coupled), _, 1) => (coupled.expansion(), coupled.slopes().to_vec(), coupled.offsets().to_vec()),
        (Some(expansion), _, Some(calibrator), 2) => {
            let Some((slope, offset)) = calibrator.sigmoid() else {
                let what = "a calibration that is not a sigmoid of two classes";
                return Err(Error::unsupported(what, "LIBSVM files", "fit without calibrate"));
            };
            // Two classes score f and −f, so their margin is 2f.
            (expansion, vec![2.0 * slope], vec![offset])
        }
        _ => {
            let other = machines.iter().find(|m| m.downcast::<Expansion>().is_none());
            let kind = other.unwrap_or(&machines[machines.len() - 1]).kind();
            let what = format!("a machine of kind {kind:?}");
            let instead =
                Message::from("they hold one kernel machine: prepare the data first, and fit without preparation")
                    .with(Advice::prepare("none"));
            return Err(Error::unsupported(what, "LIBSVM files", instead));
        }
    };
    let svm = svm(model, expansion, prob_a, prob_b, &mut notes)?;
    Ok(ExportedSvm { svm, notes })
}

/// Whether the first machine leaves out nothing but the numbers of rows before a precomputed kernel.
fn is_numbering(machines: &[Arc<dyn Machine>]) -> bool {
    let [first, second, ..] = machines else { return false };
    let expansion = second.downcast::<Coupled>().map(Coupled::expansion).or_else(|| second.downcast());
    first.downcast::<Selector>().is_some_and(|s| s.columns().iter().copied().eq(1..=s.columns().len()))
        && first.inputs().count() == first.outputs().names.len() + 1
        && expansion.is_some_and(|e: &Expansion| e.kernel().downcast::<Precomputed>().is_some())
}

/// The kernel as one of those that LIBSVM knows, if it is.
pub(crate) fn svm_kernel(kernel: &Kernel) -> Option<SvmKernel> {
    if let Some(&Polynomial { gamma, coef0, degree }) = kernel.downcast() {
        return Some(SvmKernel::Polynomial { degree, gamma, coef0 });
    }
    if let Some(&Exponential { gamma, q: 2.0 }) = kernel.downcast() {
        return Some(SvmKernel::Rbf { gamma });
    }
    if let Some(&Sigmoid { gamma, coef0 }) = kernel.downcast() {
        return Some(SvmKernel::Sigmoid { gamma, coef0 });
    }
    let linear = kernel.downcast::<Linear>().map(|_| SvmKernel::Linear);
    linear.or_else(|| kernel.downcast::<Precomputed>().map(|_| SvmKernel::Precomputed))
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
    let Some(kernel) = svm_kernel(expansion.kernel()) else {
        let what = format!("the kernel {:?}", expansion.kernel().name());
        return refuse(&what, "linear, polynomial, gaussian, sigmoid and precomputed are");
    };
    let (mut labels, mut counts, mut factor) = (vec![], vec![], 1.0);
    let mut prob_a = prob_a;
    let fact = |name: &str| match model.certificate.facts.get(name) {
        Some(Fact::Number(x)) => Some(*x),
        _ => None,
    };
    let kind = match expansion.reading() {
        Decisions::Pairs => {
            labels = whole_labels(names, notes);
            counts = (0..names.len()).map(|c| expansion.centres_of(c).len()).collect();
            if model.spec.name == "nu-svc" { SvmType::NuSvc } else { SvmType::CSvc }
        }
        Decisions::Values if names.len() == 1 => {
            prob_a = fact(SPREAD).into_iter().collect();
            if model.spec.name == "nu-svr" { SvmType::NuSvr } else { SvmType::EpsilonSvr }
        }
        Decisions::Outlier => {
            factor = fact(SUM).or_else(|| nu_rows(model)).unwrap_or(1.0);
            SvmType::OneClass
        }
        Decisions::Values => return refuse("a machine of several values", "fit one for each"),
        Decisions::Rest => {
            let instead = Message::from("fit one for each pair").with(Advice::set("multiclass", "pairs"));
            return Err(Error::unsupported("one-vs-rest", "LIBSVM files", instead));
        }
        Decisions::Sphere => {
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
    let Some(Value::Number(nu)) = model.spec.get("nu") else { return None };
    let sum = nu * model.rows as f64;
    (model.spec.name == "one-class-svm" && sum > 0.0 && sum.is_finite()).then_some(sum)
}
