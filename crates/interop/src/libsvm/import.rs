//! From a LIBSVM model to a model of ours.

use crate::{Model, Task};
use base::{Certificate, Chain, Features, Fitted, Machine, Points, Result, Run, Setting, Shared, Spec, Value};
use files::{SvmKernel, SvmModel, SvmType};
use kernels::functions::{Exponential, Linear, Polynomial, Precomputed, Sigmoid};
use kernels::{Coupled, Decisions, Expansion, ExpansionParts, Family, Kernel};
use prepare::Selector;
use std::sync::Arc;

/// What the sum of a one-class machine's coefficients was called in its certificate.
pub(super) const SUM: &str = "sum of coefficients";
/// The spread of a regression's errors.
pub(super) const SPREAD: &str = "laplace spread of errors";

/// The model that a file of LIBSVM speaks of; `name` is the file's.
pub fn read_svm(name: &str, svm: &SvmModel, run: &Run<'_>) -> Result<Model> {
    let mut certificate = Certificate::direct();
    certificate.warn("read from a LIBSVM file, without information on how it was fitted");
    let (kernel, settings) = kernel(&svm.kernel);
    let columns = svm.vectors.columns().max(1);
    let sparse = Points::Sparse(svm.vectors.widen(columns));
    // Dense rows are faster to compute with, where they are not much larger.
    let dense = svm.kernel != SvmKernel::Precomputed && sparse.entries() >= sparse.len() * columns / 4;
    let centres = match dense {
        true => Points::dense(base::Buffer::F64(sparse.to_dense(&run.memory)?), sparse.len(), columns)?,
        false => sparse,
    };
    let (reading, names): (Decisions, Vec<String>) = match svm.kind {
        SvmType::CSvc | SvmType::NuSvc => (Decisions::Pairs, svm.labels.iter().map(i32::to_string).collect()),
        SvmType::OneClass => (Decisions::Outlier, vec![]),
        SvmType::EpsilonSvr | SvmType::NuSvr => (Decisions::Values, vec!["label".into()]),
    };
    let mut factor = 1.0;
    if svm.kind == SvmType::OneClass {
        let sum: f64 = svm.coefficients.iter().sum();
        if sum > 0.0 {
            factor = sum;
        }
        certificate.fact(SUM, factor);
        if !svm.marks.is_empty() {
            certificate.warn("its prob_density_marks are left out; the step conformal gives p-values");
        }
    }
    if let ([spread], false) = (&svm.prob_a[..], svm.kind.classifies()) {
        certificate.fact(SPREAD, *spread);
    }
    let expansion = Expansion::new(ExpansionParts {
        kernel,
        reading,
        inputs: Features::unnamed(columns),
        names: names.into(),
        centres,
        coefficients: svm.coefficients.iter().map(|c| c / factor).collect(),
        offsets: svm.rho.iter().map(|rho| -rho / factor).collect(),
        counts: svm.counts.clone(),
        rows: None,
        seen: vec![],
    })?;
    let machine: Arc<dyn Machine> = match svm.kind.classifies() && !svm.prob_a.is_empty() {
        true => Arc::new(Coupled::new(expansion, svm.prob_a.clone(), svm.prob_b.clone())?),
        false => Arc::new(expansion),
    };
    let machine = match svm.kernel {
        SvmKernel::Precomputed => numbered(machine, columns)?,
        _ => machine,
    };
    let (learner, task) = match svm.kind {
        SvmType::CSvc => ("svc", Some(Task::Classify)),
        SvmType::NuSvc => ("nu-svc", Some(Task::Classify)),
        SvmType::OneClass => ("one-class-svm", None),
        SvmType::EpsilonSvr => ("svr", Some(Task::Regress)),
        SvmType::NuSvr => ("nu-svr", Some(Task::Regress)),
    };
    Ok(Model {
        data: name.rsplit(['/', '\\']).next().unwrap_or(name).to_string(),
        target: task.map(|_| "label".into()),
        task,
        ..Model::of(Fitted { machine, certificate }, Spec { settings, ..Spec::named(learner) })
    })
}

/// A machine of kernel values after a column with the row's number, which is left out.
fn numbered(machine: Arc<dyn Machine>, columns: usize) -> Result<Arc<dyn Machine>> {
    let selector = Selector::new(Features::unnamed(columns.saturating_add(1)), (1..=columns).collect(), false)?;
    Ok(Arc::new(Chain::new(vec![Arc::new(selector), machine])?))
}

/// The kernel, and as settings.
fn kernel(kernel: &SvmKernel) -> (Kernel, Vec<(String, Value)>) {
    let named = |family: Family| ("kernel".to_string(), family.to_value());
    let number = |name: &str, x: f64| (name.to_string(), Value::Number(x));
    match *kernel {
        SvmKernel::Linear => (Kernel::new(Linear), vec![named(Family::Linear)]),
        SvmKernel::Precomputed => (Kernel::new(Precomputed), vec![named(Family::Precomputed)]),
        SvmKernel::Rbf { gamma } => {
            (Kernel::new(Exponential { gamma, q: 2.0 }), vec![named(Family::Gaussian), number("gamma", gamma)])
        }
        SvmKernel::Sigmoid { gamma, coef0 } => (
            Kernel::new(Sigmoid { gamma, coef0 }),
            vec![named(Family::Sigmoid), number("gamma", gamma), number("coef0", coef0)],
        ),
        SvmKernel::Polynomial { degree, gamma, coef0 } => (
            Kernel::new(Polynomial { gamma, coef0, degree }),
            vec![
                named(Family::Polynomial),
                number("gamma", gamma),
                number("coef0", coef0),
                ("degree".to_string(), Value::Whole(i64::from(degree))),
            ],
        ),
    }
}

/// Sparse numbers that hold on to nothing else.
pub(super) fn sparse(points: &Points) -> Result<base::Sparse> {
    let (mut starts, mut ids, mut values) = (vec![0], vec![], vec![]);
    let mut row = vec![0.0; if points.is_sparse() { 0 } else { points.columns() }];
    for i in 0..points.len() {
        let mut push = |id: usize, value: f64| {
            if value != 0.0 {
                ids.push(u32::try_from(id).unwrap_or(u32::MAX));
                values.push(value);
            }
        };
        match points {
            Points::Sparse(sparse) => {
                let (row_ids, row_values) = sparse.row(i);
                row_ids.iter().zip(row_values).for_each(|(&id, &value)| push(id as usize, value));
            }
            Points::Dense(_) => {
                points.write_row(i, &mut row);
                row.iter().enumerate().for_each(|(id, &value)| push(id, value));
            }
        }
        starts.push(ids.len());
    }
    base::Sparse::new(Shared::new(starts), Shared::new(ids), Shared::new(values), points.columns())
}
