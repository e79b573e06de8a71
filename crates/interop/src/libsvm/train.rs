//! `svm-train`: LIBSVM's options to our learners, and what it would print.
//!
//! Classes stand in LIBSVM's order: by first appearance, but +1 before −1. With `-b 1` each pair of classes is cut into
//! five folds, whose decisions by machines that have not seen them give its sigmoid; regressions get the spread of such
//! errors (five folds, errors beyond five deviations left out). Folds are ours, so that A, B and the spread differ from
//! LIBSVM's as much as its own do from one order of rows to another.

use super::export::export_svm;
use super::flags::SvmTrain;
use super::import::SPREAD;
use crate::programs::{cross_validation, held_out, ordered_classes, values};
use crate::{Model, Task};
use base::{
    Advice, Classes, Dataset, Error, Fitted, Inputs, Learner, Machine, Message, Points, Result, Run, Spec, Targets,
    number_text,
};
use files::{Format, Reading as How, SvmType};
use kernels::{Coupled, Decisions, Expansion, NuSvc, NuSvr, OneClassSvm, Svc, Svr, pair};
use prepare::Selector;
use std::sync::Arc;

/// Up to so many support vectors objectives of pairs are computed again to be printed.
const FEW: usize = 5000;
/// Folds for probabilities.
const FOLDS: usize = 5;

/// Trains, writes the model, and answers with what is printed.
pub fn svm_train(flags: &SvmTrain, run: &Run<'_>) -> Result<String> {
    let data = read(flags, run)?;
    let learner = learner(flags, &data)?;
    if let Some(folds) = flags.folds {
        return cross_validation(&*learner, &data, folds, run);
    }
    if flags.probability && flags.kind == SvmType::OneClass {
        let instead =
            Message::from("train without it, or calibrate a one-class-svm").with(Advice::prepare("conformal"));
        return Err(Error::unsupported("-b 1 of one_class", "svm-train", instead));
    }
    let fitted = learner.fit(&data, None, run)?;
    let expansion = fitted.machine.expect::<Expansion>()?;
    let printed = printed(flags, &fitted, expansion, &data, run)?;
    let mut certificate = fitted.certificate.clone();
    let mut machine = fitted.machine.clone();
    if flags.probability && flags.kind.classifies() {
        let (a, b) = sigmoids(&*learner, &data, run)?;
        machine = Arc::new(Coupled::new(expansion.clone(), a, b)?);
    } else if flags.probability {
        certificate.fact(SPREAD, spread(&*learner, &data, run)?);
    }
    let model = Model {
        data: flags.data.display().to_string(),
        rows: data.len(),
        target: Some("label".into()),
        task: flags.kind.classifies().then_some(Task::Classify),
        ..Model::of(Fitted { machine, certificate }, Spec::of(&*learner))
    };
    files::write_svm_model(&flags.model, &export_svm(&model)?.svm)?;
    Ok(printed)
}

/// The data, with targets in LIBSVM's order and without the numbers of precomputed rows.
fn read(flags: &SvmTrain, run: &Run<'_>) -> Result<Dataset> {
    let how = How { format: Some(Format::LibSvm), ..How::default() };
    let mut data = files::read(&flags.data, &how, run)?;
    if flags.kernel == 4 {
        data = without_numbers(&data, run)?;
        let points = data.points()?;
        if points.columns() != points.len() {
            return Err(Error::size("kernel values of a row", points.len(), points.columns()));
        }
    }
    if !flags.kind.classifies() {
        if flags.kind == SvmType::OneClass {
            data.targets = Targets::None;
        }
        return Ok(data);
    }
    data.targets = ordered_classes(&data)?;
    Ok(data)
}

/// Rows of a precomputed kernel without their first column, the row's number.
pub(super) fn without_numbers(data: &Dataset, run: &Run<'_>) -> Result<Dataset> {
    let points = data.points()?;
    if points.columns() < 2 {
        return Err(Error::size(
            "columns of a precomputed kernel (0:number 1:value ...)",
            "at least 2",
            points.columns(),
        ));
    }
    let selector = Selector::new(data.features.clone(), (1..points.columns()).collect(), false)?;
    let points = selector.compute(&data.inputs, run)?;
    let width = points.columns();
    Ok(Dataset { inputs: Inputs::Points(points), features: base::Features::unnamed(width), ..data.clone() })
}

/// Our learner of LIBSVM's options.
fn learner(flags: &SvmTrain, data: &Dataset) -> Result<Box<dyn Learner>> {
    let mut learner: Box<dyn Learner> = match flags.kind {
        SvmType::CSvc => Box::new(Svc::default()),
        SvmType::NuSvc => Box::new(NuSvc::default()),
        SvmType::OneClass => Box::new(OneClassSvm::default()),
        SvmType::EpsilonSvr => Box::new(Svr::default()),
        SvmType::NuSvr => Box::new(NuSvr::default()),
    };
    let mut set = |name: &str, text: String| match learner.params().iter().any(|p| p.name == name) {
        true => learner.set_text(name, &text),
        false => Ok(()),
    };
    let kernels = ["linear", "polynomial", "gaussian", "sigmoid", "precomputed"];
    let gamma = flags.gamma.unwrap_or(1.0 / data.inputs.columns().max(1) as f64);
    set("kernel", kernels[flags.kernel.min(4)].into())?;
    set("gamma", number_text(gamma))?;
    set("coef0", number_text(flags.coef0))?;
    set("degree", flags.degree.to_string())?;
    set("c", number_text(flags.c))?;
    set("nu", number_text(flags.nu))?;
    set("epsilon", number_text(flags.epsilon))?;
    set("cache", flags.cache.to_string())?;
    set("tolerance", number_text(flags.tolerance))?;
    if let (Targets::Classes(classes), false) = (&data.targets, flags.weights.is_empty()) {
        // LIBSVM warns of labels that no row has; they change nothing.
        let there = |l: &i32| classes.names().contains(&l.to_string());
        let weights = flags.weights.iter().filter(|(l, _)| there(l));
        let list: Vec<String> = weights.map(|(l, w)| format!("{l}={}", number_text(*w))).collect();
        if !list.is_empty() {
            set("class_weight", list.join(","))?;
        }
    }
    Ok(learner)
}

/// What LIBSVM prints: a block for each problem.
fn printed(flags: &SvmTrain, fitted: &Fitted, expansion: &Expansion, data: &Dataset, run: &Run<'_>) -> Result<String> {
    let certificate = &fitted.certificate;
    let mut text = format!("optimization finished, #iter = {}\n", certificate.steps);
    let (m, n) = (expansion.centres().len(), data.len() as f64);
    let objective = certificate.objective.unwrap_or(0.0);
    match expansion.reading() {
        Decisions::Pairs => {
            let k = expansion.outputs().names.len();
            let single = k == 2;
            let decisions = match single || m > FEW {
                true => vec![],
                false => expansion.decisions(expansion.centres(), run)?,
            };
            for a in 0..k {
                for b in a + 1..k {
                    let p = Pair::of(flags, expansion, data, (a, b), &decisions);
                    text += &match flags.kind {
                        SvmType::NuSvc => String::new(),
                        _ if p.even => format!("nu = {:.6}\n", p.nu),
                        _ => String::new(),
                    };
                    let objective = if single { Some(objective) } else { p.objective };
                    let objective = objective.map_or(String::new(), |o| format!("obj = {o:.6}, "));
                    text += &format!("{objective}rho = {:.6}\nnSV = {}, nBSV = {}\n", p.rho, p.vectors, p.bounded);
                }
            }
            text += &format!("Total nSV = {m}\n");
        }
        Decisions::Values => {
            let sum: f64 = expansion.coefficients().iter().map(|c| c.abs()).sum();
            let bounded = expansion.coefficients().iter().filter(|c| c.abs() >= flags.c).count();
            if let (SvmType::NuSvr, Some(base::Fact::Number(epsilon))) = (flags.kind, certificate.facts.get("epsilon"))
            {
                text += &format!("epsilon = {epsilon:.6}\n");
            } else {
                text += &format!("nu = {:.6}\n", sum / (flags.c * n));
            }
            text += &format!("obj = {objective:.6}, rho = {:.6}\n", -expansion.offsets()[0]);
            text += &format!("nSV = {m}, nBSV = {bounded}\n");
        }
        _ => {
            let sum = flags.nu * n;
            let bounded = expansion.coefficients().iter().filter(|&&c| c * sum >= 1.0 - 1e-12).count();
            text += &format!("obj = {:.6}, rho = {:.6}\n", objective * sum * sum, -expansion.offsets()[0] * sum);
            text += &format!("nSV = {m}, nBSV = {bounded}\n");
        }
    }
    certificate.warnings.iter().for_each(|w| text += &format!("WARNING: {w}\n"));
    Ok(text)
}

/// What is said of a pair of classes.
struct Pair {
    nu: f64,
    rho: f64,
    objective: Option<f64>,
    vectors: usize,
    bounded: usize,
    /// Whether both classes have the same C.
    even: bool,
}

impl Pair {
    fn of(flags: &SvmTrain, expansion: &Expansion, data: &Dataset, (a, b): (usize, usize), decisions: &[f64]) -> Self {
        let (k, width) = (expansion.outputs().names.len(), expansion.width());
        let place = pair(a, b, k);
        let factor = |class: usize| {
            let name = &expansion.outputs().names[class];
            let own = flags.weights.iter().filter(|(l, _)| l.to_string() == *name);
            own.map(|(_, w)| *w).product::<f64>()
        };
        let slots = [(a, b - 1, factor(a)), (b, a, factor(b))];
        let of_pair = |class: usize, slot: usize| {
            expansion.centres_of(class).map(move |j| expansion.coefficients()[j * width + slot].abs())
        };
        // With nu the bound comes out of the fit: it is the largest coefficient.
        let bound = match flags.kind {
            SvmType::NuSvc => of_pair(a, b - 1).chain(of_pair(b, a)).fold(f64::MIN_POSITIVE, f64::max) * (1.0 - 1e-9),
            _ => flags.c,
        };
        let (mut sum, mut energy, mut vectors, mut bounded) = (0.0, 0.0, 0, 0);
        for (class, slot, factor) in slots {
            for j in expansion.centres_of(class) {
                let c = expansion.coefficients()[j * width + slot];
                sum += c.abs();
                vectors += usize::from(c != 0.0);
                // Bounds are products that may have been rounded in another order.
                bounded += usize::from(c.abs() >= bound * factor * (1.0 - 1e-12));
                if let Some(f) = decisions.get(j * expansion.offsets().len() + place) {
                    energy += c * (f - expansion.offsets()[place]);
                }
            }
        }
        let rows = match &data.targets {
            Targets::Classes(classes) => {
                let counts = classes.counts();
                (counts[a] + counts[b]) as f64
            }
            _ => data.len() as f64,
        };
        Pair {
            nu: sum / (flags.c * factor(a) * rows),
            rho: -expansion.offsets()[place],
            objective: (!decisions.is_empty() && flags.kind == SvmType::CSvc).then_some(0.5 * energy - sum),
            vectors,
            bounded,
            even: factor(a) == factor(b),
        }
    }
}

/// A and B of each pair of classes.
fn sigmoids(learner: &dyn Learner, data: &Dataset, run: &Run<'_>) -> Result<(Vec<f64>, Vec<f64>)> {
    let Targets::Classes(classes) = &data.targets else {
        return Err(Error::size("targets", "classes", data.targets.type_name()));
    };
    if learner.get("kernel").is_ok_and(|k| k.to_string() == "precomputed") {
        let instead = "train without it and calibrate on rows that were held out";
        return Err(Error::unsupported("-b 1 with a precomputed kernel", "svm-train", instead));
    }
    let k = classes.names().len();
    let (mut slopes, mut offsets) = (vec![], vec![]);
    for a in 0..k {
        for b in a + 1..k {
            let own = |&i: &usize| classes.get(i).is_some_and(|c| c == a || c == b);
            let rows: Vec<usize> = (0..data.len()).filter(own).collect();
            let first: Vec<bool> = rows.iter().map(|&i| classes.get(i) == Some(a)).collect();
            let codes = first.iter().map(|f| u32::from(!f)).collect();
            let names = vec![classes.names()[a].clone(), classes.names()[b].clone()];
            let mut part = data.select(&rows)?;
            part.targets = Targets::Classes(Classes::new(codes, names)?);
            let decide =
                |fitted: &Fitted, points: &Points| fitted.machine.expect::<Expansion>()?.decisions(points, run);
            let margins = held_out(learner, &part, FOLDS.min(part.len()), run, decide)?;
            let (slope, offset) = prepare::platt(&margins, &first, &vec![1.0; first.len()], run)?;
            slopes.push(slope);
            offsets.push(offset);
        }
    }
    Ok((slopes, offsets))
}

/// The spread of held-out errors of a regression, as of a Laplace distribution.
fn spread(learner: &dyn Learner, data: &Dataset, run: &Run<'_>) -> Result<f64> {
    let errors: Vec<f64> =
        values(learner, data, FOLDS.min(data.len()), run)?.iter().map(|(y, f)| (y - f).abs()).collect();
    let mean = |list: &[f64]| list.iter().sum::<f64>() / list.len().max(1) as f64;
    let most = 5.0 * (2.0 * mean(&errors).powi(2)).sqrt();
    let kept: Vec<f64> = errors.into_iter().filter(|e| *e <= most).collect();
    Ok(mean(&kept))
}
