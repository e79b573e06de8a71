//! From a model of ours to one of LIBLINEAR, where LIBLINEAR has words for it.

use crate::Model;
use crate::programs::{bare, whole_labels};
use base::{Advice, Error, Link, Machine, Meaning, Message, Result, Run, Shared, Sparse, Value};
use files::{LinearModel, LinearSolver};
use kernels::{Decisions, Expansion, functions};
use linear::{Linear, Weights};

/// A model of LIBLINEAR.
pub struct ExportedLinear {
    /// The model.
    pub file: LinearModel,
    /// What is different from ours, in words.
    pub notes: Vec<String>,
}

/// Whether the machine of a model is a linear one, so that its file is LIBLINEAR's and not LIBSVM's.
pub fn is_linear(model: &Model) -> bool {
    model.machine.links().iter().any(|m| m.downcast::<Linear>().is_some())
}

/// The LIBLINEAR model of a model of ours.
///
/// Such files hold no preparation: an encoding that only tables know is left out and said, any other step is refused.
pub fn export_linear(model: &Model, run: &Run<'_>) -> Result<ExportedLinear> {
    let (machines, mut notes) = bare(model);
    let refuse = |what: String, instead: &str| Err(Error::unsupported(what, "LIBLINEAR files", instead));
    let file = match (&machines[..], machines[0].downcast::<Linear>(), machines[0].downcast::<Expansion>()) {
        ([_], Some(linear), _) => match linear.outputs().meaning {
            Meaning::Classes => classes(model, linear, &mut notes, run)?,
            Meaning::Values if linear.outputs().main() == 1 => {
                if linear.outputs().extra > 0 {
                    notes.push("the variances of the values are left out".into());
                }
                of_vectors(linear, solver(model), vec![], Some(1.0), run)?
            }
            Meaning::Values => return refuse("a machine of several values".into(), "fit one for each"),
            _ => return refuse("a machine of label sets".into(), "they have one label per row"),
        },
        ([_], _, Some(expansion)) if expansion.reading() == Decisions::Outlier => one_class(expansion, run)?,
        _ => {
            let other = machines.iter().find(|m| m.downcast::<Linear>().is_none());
            let kind = other.unwrap_or(&machines[machines.len() - 1]).kind();
            let instead =
                Message::from("they hold one linear machine: prepare the data first, and fit without preparation")
                    .with(Advice::prepare("none"));
            return Err(Error::unsupported(format!("a machine of kind {kind:?}"), "LIBLINEAR files", instead));
        }
    };
    Ok(ExportedLinear { file, notes })
}

/// The solver whose optimum a model is, or the one whose files say the same.
fn solver(model: &Model) -> LinearSolver {
    let word = |setting: &str| match model.spec.get(setting) {
        Some(Value::Text(word)) => word.as_str(),
        _ => "",
    };
    match (model.spec.name.as_str(), word("loss"), word("multiclass")) {
        ("linear-svm", _, "crammer-singer") => LinearSolver::CrammerSinger,
        ("linear-svm", "squared-hinge", _) => LinearSolver::SquaredHingeDual,
        ("linear-svm", "logistic", _) => LinearSolver::LogisticDual,
        ("linear-svm", ..) => LinearSolver::HingeDual,
        ("linear-svr", "epsilon-insensitive", _) => LinearSolver::TubeDual,
        ("logistic", ..) => LinearSolver::Logistic,
        _ if model.machine.outputs().meaning == Meaning::Values => LinearSolver::SquaredTube,
        _ => LinearSolver::CrammerSinger,
    }
}

fn classes(model: &Model, linear: &Linear, notes: &mut Vec<String>, run: &Run<'_>) -> Result<LinearModel> {
    let labels = whole_labels(&linear.outputs().names, notes);
    let softmax = linear.outputs().link == Link::Softmax;
    let solver = match (solver(model), labels.len()) {
        // Two classes are told by one vector, whatever it came from, and more by their largest score.
        (LinearSolver::CrammerSinger, 2) => LinearSolver::HingeDual,
        (LinearSolver::Logistic, 2) | (LinearSolver::LogisticDual, _) if softmax || labels.len() > 2 => solver(model),
        (LinearSolver::Logistic, _) => {
            notes.push("probabilities are left out: LIBLINEAR has none that sum to 1 by themselves".into());
            LinearSolver::CrammerSinger
        }
        (other, _) => other,
    };
    of_vectors(linear, solver, labels, Some(1.0), run)
}

/// The file of a linear machine with a constant feature of that value, or without one if there are no intercepts.
pub(super) fn of_vectors(
    linear: &Linear,
    solver: LinearSolver,
    labels: Vec<i32>,
    bias: Option<f64>,
    run: &Run<'_>,
) -> Result<LinearModel> {
    let (d, k) = (linear.inputs().count(), linear.outputs().main());
    let offsets = linear.offsets();
    let bias = bias.filter(|&b| b == 0.0 || offsets.iter().any(|o| *o != 0.0));
    let one = k == 2 && solver != LinearSolver::CrammerSinger;
    // Two scores f and −f are one decision f, two halves of log-odds their difference.
    let half = if linear.outputs().link == Link::Softmax { 1.0 } else { 0.5 };
    let (starts_hold, entries) = (run.memory.take_for::<usize>(d + 2, "weights")?, linear.weights().nonzero() + k);
    let ids_hold = run.memory.take_for::<u32>(entries, "weights")?;
    let values_hold = run.memory.take_for::<f64>(entries, "weights")?;
    let (mut starts, mut ids) = (Vec::with_capacity(d + 2), Vec::with_capacity(entries));
    let mut values = Vec::with_capacity(entries);
    starts.push(0);
    let mut feature = vec![0.0; k];
    for j in 0..d + usize::from(bias.is_some()) {
        match (linear.weights(), bias) {
            (_, Some(bias)) if j == d => {
                feature.iter_mut().zip(offsets).for_each(|(f, o)| *f = if bias > 0.0 { o / bias } else { 0.0 });
            }
            (Weights::Dense(all), _) => feature.iter_mut().enumerate().for_each(|(k, f)| *f = all[k * d + j]),
            (Weights::Sparse(sparse), _) => {
                feature.fill(0.0);
                let (outputs, weights) = sparse.row(j);
                outputs.iter().zip(weights).for_each(|(&k, w)| feature[k as usize] = *w);
            }
        }
        let mut push = |vector: usize, weight: f64| {
            if weight != 0.0 {
                ids.push(vector as u32);
                values.push(weight);
            }
        };
        match (one, &feature[..]) {
            (true, [first, second]) => push(0, half * (first - second)),
            _ => feature.iter().enumerate().for_each(|(vector, &weight)| push(vector, weight)),
        }
        starts.push(ids.len());
    }
    let weights = Sparse::new(
        Shared::counted(starts, starts_hold),
        Shared::counted(ids, ids_hold),
        Shared::counted(values, values_hold),
        if one { 1 } else { k },
    )?;
    Ok(LinearModel { solver, labels, bias, rho: 0.0, weights })
}

/// The file of a one-class machine with a linear kernel, whose centres are one sum.
fn one_class(expansion: &Expansion, run: &Run<'_>) -> Result<LinearModel> {
    if expansion.kernel().downcast::<functions::Linear>().is_none() {
        let what = format!("the kernel {:?}", expansion.kernel().name());
        return Err(Error::unsupported(what, "LIBLINEAR files", "the linear kernel is, or LIBSVM files"));
    }
    let d = expansion.inputs().count();
    let (mut sum, _hold) = run.memory.filled(2 * d, 0.0, "weights")?;
    let (sum, row) = sum.split_at_mut(d);
    for (i, coefficient) in expansion.coefficients().iter().enumerate() {
        expansion.centres().write_row(i, row);
        sum.iter_mut().zip(&*row).for_each(|(s, x)| *s += coefficient * x);
    }
    let there: Vec<usize> = sum
        .iter()
        .scan(0, |n, w| {
            *n += usize::from(*w != 0.0);
            Some(*n)
        })
        .collect();
    let values: Vec<f64> = sum.iter().copied().filter(|w| *w != 0.0).collect();
    let starts: Vec<usize> = std::iter::once(0).chain(there).collect();
    let weights = Sparse::new(starts, vec![0u32; values.len()], values, 1)?;
    Ok(LinearModel {
        solver: LinearSolver::OneClass,
        labels: vec![],
        bias: None,
        rho: -expansion.offsets()[0],
        weights,
    })
}
