//! Several methods, or one with several settings, judged by several measures on the same rows.
//!
//! Random relevance always takes part: it is what the others must beat. Each method explains the rows once; measures share
//! that, and what costs most and does not depend on the method (losses of drawn sets, mosaics) is computed once.

use super::faithfulness::Losses;
use super::localisation::{self, ByClass, Frame};
use super::mosaics::Mosaics;
use super::ranking::{Better, Ranking, ranked};
use super::{EvalContext, Judging, Measure, perturbation, randomisation, sensitivity, sparseness};
use crate::flipping::{Flipping, area, height};
use crate::judge::{Interval, paired_interval};
use crate::method::Method;
use crate::tuning::Tuning;
use base::{Error, Inputs, Machine, Progress, Relevance, Result, Run};

/// A method with its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// What it is called: the method, and the settings that differ.
    pub name: String,
    /// The method.
    pub method: Method,
    /// Its settings.
    pub tuning: Tuning,
}

impl Candidate {
    /// A method with usual settings.
    pub fn of(method: Method) -> Self {
        Candidate { name: method.word().into(), method, tuning: Tuning::default() }
    }
}

/// What measures look at besides machine and rows.
#[derive(Debug, Clone, Copy)]
pub struct EvalData<'a> {
    /// Rows that patterns, references and replacements come from.
    pub data: &'a Inputs,
    /// A box for each row, for localisation; empty without.
    pub frames: &'a [Frame],
}

/// Mean curves of a method.
#[derive(Debug, Clone, PartialEq)]
pub struct PerturbationCurve {
    /// The method with its settings.
    pub name: String,
    /// Shares of what is away, or layers counted from the output.
    pub x: Vec<f64>,
    /// The mean over rows: the most relevant first, or correlations by layer.
    pub most: Vec<f64>,
    /// The least relevant first; empty for measures that have no such order.
    pub least: Vec<f64>,
}

/// What a measure says of all contestants.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The measure.
    pub measure: Measure,
    /// Which numbers are better.
    pub better: Better,
    /// The contestants, the best first.
    pub standings: Vec<Ranking>,
    /// Their curves in the same order, for measures that have some.
    pub curves: Vec<PerturbationCurve>,
    /// For boxes: the mean ratio of each class by the first contestant that was named, the lowest first.
    pub classes: Vec<ByClass>,
}

/// Judges contestants on these rows by these measures.
pub fn judge(
    machine: &dyn Machine,
    inputs: &Inputs,
    contestants: &[Candidate],
    (measures, how): (&[Measure], &Judging),
    ground: EvalData<'_>,
    run: &Run<'_>,
) -> Result<Vec<Judged>> {
    let scene = EvalContext::new(machine, inputs, ground.data, how, run)?;
    if contestants.is_empty() {
        return Err(Error::parameter("methods", "", "name at least one"));
    }
    let mut all = contestants.to_vec();
    if !all.iter().any(|c| c.method == Method::Random) {
        all.push(Candidate::of(Method::Random));
    }
    let explained = |(k, c): (usize, &Candidate)| {
        run.report(&Progress::of(&c.name, k as u64, all.len() as u64))?;
        scene.explained(c.method, &c.tuning, run)
    };
    // Some explain rows of their own.
    let told: Vec<Relevance> = match measures.iter().all(|m| matches!(m, Measure::Mosaics | Measure::Randomisation)) {
        true => vec![],
        false => all.iter().enumerate().map(explained).collect::<Result<_>>()?,
    };
    measures.iter().map(|measure| judged(&scene, &all, &told, *measure, ground.frames, run)).collect()
}

/// What a measure finds for one contestant.
#[derive(Default)]
struct Found {
    values: Vec<f64>,
    also: Vec<(&'static str, Interval)>,
    curve: Option<PerturbationCurve>,
    classes: Vec<ByClass>,
}

impl Found {
    fn of(values: Vec<f64>) -> Self {
        Found { values, ..Found::default() }
    }
}

fn judged(
    scene: &EvalContext<'_>,
    all: &[Candidate],
    told: &[Relevance],
    measure: Measure,
    frames: &[Frame],
    run: &Run<'_>,
) -> Result<Judged> {
    let each = |one: &dyn Fn(&Candidate, &Relevance) -> Result<Found>| -> Result<Vec<Found>> {
        all.iter().zip(told).map(|(c, r)| one(c, r)).collect()
    };
    let rows = |r: &Relevance, number: fn(&[f64]) -> f64| -> Result<Found> {
        Ok(Found::of(scene.numbers(r, run)?.iter().map(|row| number(&by_place(scene, row))).collect()))
    };
    let found = match measure {
        Measure::Perturbation => each(&|c, r| perturbed(scene, &c.name, r, run))?,
        Measure::Flipping => {
            let Some(references) = scene.references() else {
                let instead = "it is for detectors with a radial kernel (one-class-svm, svdd, kde): use perturbation";
                return Err(Error::unsupported("flipping", "this machine", instead));
            };
            let flipping = Flipping::new(references, run)?;
            each(&|c, r| flipped(scene, &flipping, &c.name, r, run))?
        }
        Measure::Faithfulness => {
            let losses = Losses::new(scene, run)?;
            each(&|_, r| Ok(Found::of(losses.correlations(scene, r, run)?)))?
        }
        Measure::Sensitivity => {
            each(&|c, r| Ok(Found::of(sensitivity::largest_changes(scene, (c.method, &c.tuning), r, run)?)))?
        }
        Measure::Randomisation => all.iter().map(|c| randomised(scene, c, run)).collect::<Result<_>>()?,
        Measure::Localisation => {
            if frames.len() != scene.points.len() {
                return Err(Error::size("boxes, one per row", scene.points.len(), frames.len()));
            }
            each(&|_, r| located(scene, r, frames, run))?
        }
        Measure::Mosaics => {
            let mosaics = Mosaics::new(scene, run)?;
            let scene = scene.with_rows(mosaics.points, mosaics.outputs, run)?;
            let one =
                |c: &Candidate| located(&scene, &scene.explained(c.method, &c.tuning, run)?, &mosaics.frames, run);
            all.iter().map(one).collect::<Result<_>>()?
        }
        Measure::Sparseness => each(&|_, r| rows(r, sparseness::gini))?,
        Measure::Complexity => each(&|_, r| rows(r, sparseness::entropy))?,
    };
    let floor = all.iter().position(|c| c.method == Method::Random).unwrap_or(0);
    let named = all.iter().zip(&found).map(|(c, f)| (c.name.clone(), f.values.clone())).collect();
    let mut standings = ranked(named, floor, measure.better());
    let mut curves = vec![];
    for standing in &mut standings {
        if let Some(f) = all.iter().zip(&found).find(|(c, _)| c.name == standing.name).map(|(_, f)| f) {
            standing.also = f.also.clone();
            curves.extend(f.curve.clone());
        }
    }
    // Quarters say nothing of what a class rests on.
    let boxes = measure == Measure::Localisation;
    let classes = found.into_iter().next().filter(|_| boxes).map_or(vec![], |f| f.classes);
    Ok(Judged { measure, better: measure.better(), standings, curves, classes })
}

fn perturbed(scene: &EvalContext<'_>, name: &str, relevance: &Relevance, run: &Run<'_>) -> Result<Found> {
    let curves = perturbation::curves(scene, relevance, run)?;
    let areas = |curves: &[Vec<f64>]| curves.iter().map(|c| height(c)).collect::<Vec<f64>>();
    let (most, least) = (areas(&curves.most), areas(&curves.least));
    let between: Vec<f64> = least.iter().zip(&most).map(|(l, m)| l - m).collect();
    let aopc: Vec<f64> = curves.most.iter().map(|c| perturbation::aopc(c)).collect();
    let also = [("aopc", &aopc), ("least first", &least), ("difference", &between)];
    let curve = PerturbationCurve {
        name: name.into(),
        x: curves.away,
        most: mean_of(&curves.most),
        least: mean_of(&curves.least),
    };
    Ok(Found {
        values: most,
        also: also.map(|(name, values)| (name, paired_interval(values))).to_vec(),
        curve: Some(curve),
        classes: vec![],
    })
}

fn flipped(scene: &EvalContext<'_>, flip: &Flipping<'_>, name: &str, r: &Relevance, run: &Run<'_>) -> Result<Found> {
    let curves = flip.curves(&scene.points, r, run)?;
    let shares = |curve: &Vec<f64>| {
        let start = if curve[0] > 0.0 { curve[0] } else { 1.0 };
        curve.iter().map(|x| x / start).collect()
    };
    let steps = curves.first().map_or(0, Vec::len);
    let x = (0..steps).map(|t| t as f64 / (steps - 1).max(1) as f64).collect();
    let values = curves.iter().map(|c| area(c)).collect();
    let most = mean_of(&curves.iter().map(shares).collect::<Vec<_>>());
    Ok(Found { curve: Some(PerturbationCurve { name: name.into(), x, most, least: vec![] }), ..Found::of(values) })
}

fn randomised(scene: &EvalContext<'_>, c: &Candidate, run: &Run<'_>) -> Result<Found> {
    let found = randomisation::correlations(scene, (c.method, &c.tuning), run)?;
    let mean = |row: &Vec<f64>| {
        let there: Vec<f64> = row.iter().copied().filter(|x| x.is_finite()).collect();
        if there.is_empty() { f64::NAN } else { there.iter().sum::<f64>() / there.len() as f64 }
    };
    let last: Vec<f64> = found.rows.iter().filter_map(|r| r.last().copied()).filter(|x| x.is_finite()).collect();
    let layer = |k: usize| mean(&found.rows.iter().map(|row| row[k]).collect());
    let most = (0..found.layers.len()).map(layer).collect();
    let x = (1..=found.layers.len()).map(|k| k as f64).collect();
    Ok(Found {
        values: found.rows.iter().map(mean).collect(),
        also: vec![("at the last layer", paired_interval(&last))],
        curve: Some(PerturbationCurve { name: c.name.clone(), x, most, least: vec![] }),
        classes: vec![],
    })
}

fn located(scene: &EvalContext<'_>, relevance: &Relevance, frames: &[Frame], run: &Run<'_>) -> Result<Found> {
    let locate = |(row, frame): (&Vec<f64>, &Frame)| localisation::locate(row, scene.regions.shape, *frame);
    let all = scene.numbers(relevance, run)?.iter().zip(frames).map(locate).collect::<Result<Vec<_>>>()?;
    let ratios: Vec<f64> = all.iter().map(|l| l.ratio).collect();
    let finite: Vec<f64> = ratios.iter().copied().filter(|r| r.is_finite()).collect();
    let pointing: Vec<f64> = all.iter().map(|l| l.pointing).collect();
    Ok(Found {
        values: all.iter().map(|l| l.share).collect(),
        also: vec![("ratio", paired_interval(&finite)), ("pointing", paired_interval(&pointing))],
        curve: None,
        classes: localisation::by_class(&ratios, &scene.outputs),
    })
}

/// Relevance of pixels, moments or the table's columns: channels and parts added up.
fn by_place(scene: &EvalContext<'_>, row: &[f64]) -> Vec<f64> {
    match scene.regions.shape {
        Some(base::Shape::Image { channels, .. } | base::Shape::Series { channels, .. }) => {
            row.chunks_exact(channels.max(1)).map(|c| c.iter().sum()).collect()
        }
        None => scene.regions.pooled(row, super::Pool::Sum),
    }
}

/// The mean of curves of one length.
fn mean_of(curves: &[Vec<f64>]) -> Vec<f64> {
    let mut mean = vec![0.0; curves.first().map_or(0, Vec::len)];
    curves.iter().for_each(|c| numeric::add_scaled(&mut mean, 1.0 / curves.len() as f64, c));
    mean
}
