//! From a LIBLINEAR model to a model of ours.

use crate::{Model, Task};
use base::{
    Certificate, Features, Fitted, Link, Machine, Outputs, Points, Result, Run, Setting, Shared, Sparse, Spec, Value,
};
use files::{LinearModel, LinearSolver};
use kernels::{Decisions, Expansion, ExpansionParts, Kernel, functions};
use linear::{Linear, Loss, Multiclass, TubeLoss, Weights};
use std::sync::Arc;

/// The model that a file of LIBLINEAR speaks of; `name` is the file's.
pub fn read_linear(name: &str, file: &LinearModel, run: &Run<'_>) -> Result<Model> {
    let mut certificate = Certificate::direct();
    certificate.warn("read from a LIBLINEAR file, without information on how it was fitted");
    if matches!(file.solver, LinearSolver::SparseSquaredHinge | LinearSolver::SparseLogistic) {
        certificate.warn("it was fitted with an L1 penalty, which linear-svm does not have");
    }
    if file.solver.is_logistic() && file.labels.len() > 2 {
        certificate.warn("its probabilities are those of linear-predict -b 1; here it gives scores");
    }
    let (spec, task) = match file.solver {
        LinearSolver::OneClass => {
            let kernel = ("kernel".to_string(), kernels::Family::Linear.to_value());
            (Spec { settings: vec![kernel], ..Spec::named("one-class-svm") }, None)
        }
        solver if solver.regresses() => {
            (Spec { settings: settings(file), ..Spec::named("linear-svr") }, Some(Task::Regress))
        }
        _ => (Spec { settings: settings(file), ..Spec::named("linear-svm") }, Some(Task::Classify)),
    };
    Ok(Model {
        data: name.rsplit(['/', '\\']).next().unwrap_or(name).to_string(),
        target: task.map(|_| "label".into()),
        task,
        ..Model::of(Fitted { machine: machine(file, run)?, certificate }, spec)
    })
}

/// What the solver's name says of settings.
fn settings(file: &LinearModel) -> Vec<(String, Value)> {
    let mut settings = vec![];
    let loss = match file.solver {
        LinearSolver::SquaredTube | LinearSolver::SquaredTubeDual => TubeLoss::Squared.to_value(),
        LinearSolver::TubeDual => TubeLoss::Absolute.to_value(),
        LinearSolver::HingeDual | LinearSolver::CrammerSinger | LinearSolver::OneClass => Loss::Hinge.to_value(),
        solver if solver.is_logistic() => Loss::Logistic.to_value(),
        _ => Loss::SquaredHinge.to_value(),
    };
    settings.push(("loss".to_string(), loss));
    if file.solver.classifies() {
        let way =
            if file.solver == LinearSolver::CrammerSinger { Multiclass::CrammerSinger } else { Multiclass::OneVsRest };
        settings.push(("multiclass".to_string(), way.to_value()));
    }
    settings.push(("intercept".to_string(), Value::Flag(file.bias.is_some())));
    settings
}

/// The machine: scores of classes, a value, or the outlier score of a linear one-class machine.
pub(super) fn machine(file: &LinearModel, run: &Run<'_>) -> Result<Arc<dyn Machine>> {
    let d = file.features();
    let inputs = Features::unnamed(d);
    if file.solver == LinearSolver::OneClass {
        let (mut centre, _hold) = run.memory.filled(d, 0.0, "weights")?;
        (0..d).for_each(|j| centre[j] = file.weights.row(j).1.first().copied().unwrap_or(0.0));
        return Ok(Arc::new(Expansion::new(ExpansionParts {
            kernel: Kernel::new(functions::Linear),
            reading: Decisions::Outlier,
            inputs,
            names: vec![].into(),
            centres: Points::dense(centre, 1, d)?,
            coefficients: vec![1.0],
            offsets: vec![-file.rho],
            counts: vec![],
            rows: None,
            seen: vec![],
        })?));
    }
    let names: Vec<String> = match file.solver.classifies() {
        true => file.labels.iter().map(i32::to_string).collect(),
        false => vec!["label".into()],
    };
    let halves = file.solver.is_logistic() && names.len() == 2;
    // Of which outputs a weight vector is part, and with which factor.
    let parts = |vector: u32| match (names.len() == 2 && file.vectors() == 1, halves) {
        (true, true) => vec![(0, 0.5), (1, -0.5)],
        (true, false) => vec![(0, 1.0), (1, -1.0)],
        _ => vec![(vector, 1.0)],
    };
    let mut offsets = vec![0.0; names.len()];
    if let Some(bias) = file.bias {
        let (vectors, weights) = file.weights.row(d);
        for (&vector, weight) in vectors.iter().zip(weights) {
            parts(vector).iter().for_each(|&(k, factor)| offsets[k as usize] = factor * weight * bias);
        }
    }
    let weights = spread(&file.weights, (d, names.len()), parts, run)?;
    let outputs = match file.solver.classifies() {
        true => Outputs::classes(names.into(), if halves { Link::Softmax } else { Link::None }),
        false => Outputs::values(names.into()),
    };
    Ok(Arc::new(Linear::new(inputs, outputs, weights, offsets, None)?))
}

/// The first `d` rows of weights with each vector's part of the outputs; sparse where most are 0.
fn spread(
    from: &Sparse,
    (d, k): (usize, usize),
    parts: impl Fn(u32) -> Vec<(u32, f64)>,
    run: &Run<'_>,
) -> Result<Weights> {
    let copies = parts(0).len();
    let entries = from.starts()[d] * copies;
    if 3 * entries > d * k {
        let (mut all, hold) = run.memory.filled(d * k, 0.0, "weights")?;
        for j in 0..d {
            let (vectors, weights) = from.row(j);
            for (&vector, weight) in vectors.iter().zip(weights) {
                parts(vector).iter().for_each(|&(k, factor)| all[k as usize * d + j] = factor * weight);
            }
        }
        return Ok(Weights::Dense(Shared::counted(all, hold)));
    }
    let starts_hold = run.memory.take_for::<usize>(d + 1, "weights")?;
    let ids_hold = run.memory.take_for::<u32>(entries, "weights")?;
    let values_hold = run.memory.take_for::<f64>(entries, "weights")?;
    let (mut starts, mut ids) = (Vec::with_capacity(d + 1), Vec::with_capacity(entries));
    let mut values = Vec::with_capacity(entries);
    starts.push(0);
    for j in 0..d {
        let (vectors, weights) = from.row(j);
        for (&vector, weight) in vectors.iter().zip(weights) {
            for (k, factor) in parts(vector) {
                ids.push(k);
                values.push(factor * weight);
            }
        }
        starts.push(ids.len());
    }
    let sparse = Sparse::new(
        Shared::counted(starts, starts_hold),
        Shared::counted(ids, ids_hold),
        Shared::counted(values, values_hold),
        k,
    )?;
    Ok(Weights::Sparse(sparse))
}
