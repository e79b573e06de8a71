//! Explanations of what a machine says of some rows.

use crate::OneClass;
use crate::chain::{Explained, split};
use crate::fit::{Facts, picture, shape, suited, why_not};
use crate::heard::Heard;
use crate::machine::{ScoreOf, Scored};
use crate::method::{Method, Needs};
use crate::net::Net;
use crate::networks::Layer;
use crate::rivals::{self, Absent, Gaussian, Groups, Local, Noise, Roots, Steps};
use crate::segments::to_unit;
use crate::support::by_support;
use crate::tuning::{Pieces, Tuning};
use crate::{grad_cam, networks, odds};
use base::{Error, Inputs, Machine, Meaning, Points, Relevance, Result, Run, Shape};

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Question {
    /// By which method; none: the one that suits the machine best.
    pub method: Option<Method>,
    /// Which output; none: the class predicted for each row, or the first column.
    pub output: Option<usize>,
}

/// What else a method may use.
#[derive(Debug, Clone, Default)]
pub struct Means<'a> {
    /// Its settings.
    pub tuning: Tuning,
    /// Rows to learn from: patterns, references, what else could stand somewhere; none: the rows explained.
    pub background: Option<&'a Inputs>,
}

/// Which output of each row is explained.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Wanted<'a> {
    /// The class that is predicted, the outlierness of a detector, the first column of others.
    Usual,
    /// This one.
    One(usize),
    /// Each row its own.
    Each(&'a [usize]),
}

/// What is answered.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Relevance in the columns of the data, as far as it can be carried back.
    pub relevance: Relevance,
    /// The same in the columns that the machine itself takes.
    pub direct: Relevance,
    /// The rows as the machine takes them.
    pub points: Points,
    /// Which output was explained, for each row.
    pub outputs: Vec<usize>,
    /// What one should know, if anything.
    pub note: Option<String>,
    /// What the explained number is: `score`, `log-odds` or `outlierness`.
    pub quantity: &'static str,
    /// What is wrong with the attributions: much of the score lost, hardly any of it on inputs, nothing but zeros.
    pub warnings: Vec<String>,
}

/// Rows of the background that patterns and differences look at, at most.
const BACKGROUND: usize = 2000;
/// Weights and activations that the gradients of one row go through, unless fewer steps would be too few.
const STEPS_WORTH: u64 = 1 << 28;
/// Steps of integrated gradients that no network is too large for.
const FEWEST_STEPS: u64 = 32;
/// Rows of the background that stand in for absent parts of machines without a gradient.
const INSTEAD: usize = 10;
/// Of these, rows whose values are put in others' places.
const OTHERS: usize = 20;

fn classes(machine: &dyn Machine) -> bool {
    machine.outputs().meaning == Meaning::Classes
}

/// Explains what a machine says of some rows.
pub fn explain(machine: &dyn Machine, inputs: &Inputs, question: Question, run: &Run<'_>) -> Result<Answer> {
    explain_with(machine, inputs, question, &Means::default(), run)
}

/// The same with settings and rows to learn from.
pub fn explain_with(
    machine: &dyn Machine,
    inputs: &Inputs,
    question: Question,
    means: &Means<'_>,
    run: &Run<'_>,
) -> Result<Answer> {
    let method = question.method.unwrap_or_else(|| suited(machine));
    let mut all = explain_many(machine, inputs, (&[method], question.output), means, run)?;
    all.swap_remove(0)
}

/// The answers of several methods to the same question, in their order; what one of them cannot answer is no matter for the
/// others. Rows are prepared and predicted once, and methods that walk through a network share its runs.
pub fn explain_many(
    machine: &dyn Machine,
    inputs: &Inputs,
    (methods, output): (&[Method], Option<usize>),
    means: &Means<'_>,
    run: &Run<'_>,
) -> Result<Vec<Result<Answer>>> {
    let heard = Heard(run);
    let run = &heard.run();
    let parts = split(machine);
    let points = parts.prepare(inputs, run)?;
    let background = means.background.map(|rows| parts.prepare(&first_rows(rows)?, run)).transpose()?;
    let facts = Facts::of(&parts);
    let refused: Vec<Option<String>> = methods.iter().map(|m| facts.why_not(*m)).collect();
    let fitting = || methods.iter().zip(&refused).filter(|(_, why)| why.is_none()).map(|(m, _)| *m);
    let one_number = |m: Method| output.is_none() && parts.machine().density().is_some() && tells_one_number(m);
    let outputs = match fitting().any(|m| !one_number(m)) {
        true => outputs_of(parts.machine(), &points, output.map_or(Wanted::Usual, Wanted::One), run)?,
        false => vec![0; points.len()],
    };
    let walks: Vec<Method> = fitting().filter(|m| m.walks()).collect();
    let walked = match walks.is_empty() {
        true => vec![],
        false => {
            let learned = (&means.tuning, &some_rows(background.as_ref().unwrap_or(&points))?);
            networks::explain(parts.machine(), &points, &outputs, &walks, learned, run)?
        }
    };
    let mut walked = walked.into_iter();
    let (origin, note) = parts.origin()?;
    let mut answer = |(method, why): (&Method, &Option<String>)| {
        let method = *method;
        if let Some(why) = why {
            return Err(Error::unsupported(format!("the method {}", method.word()), "this machine", why));
        }
        let (direct, outputs) = if method.walks() {
            let told = walked.next().ok_or_else(|| Error::size("walks", walks.len(), "fewer"))?;
            (told?, outputs.clone())
        } else {
            let wanted = if one_number(method) { Wanted::Usual } else { Wanted::Each(&outputs) };
            explain_points(&parts, &points, (method, &means.tuning), background.as_ref(), wanted, run)?
        };
        let halves = facts.are_halves();
        let direct = if halves { odds::doubled(&direct, method, &means.tuning)? } else { direct };
        let quantity = match () {
            () if one_number(method) => "outlierness",
            () if halves => "log-odds",
            () => "score",
        };
        let (relevance, note) = match method.of_support() {
            true => (direct.clone(), None),
            false => (direct.told_by(&origin)?, note.clone()),
        };
        let warnings = crate::warnings::warnings(&direct, facts.adds_up(method));
        Ok(Answer { relevance, direct, points: points.clone(), outputs, note, quantity, warnings })
    };
    Ok(methods.iter().zip(&refused).map(&mut answer).collect())
}

/// What each node of a machine's network kept when rows were explained by a walk, from the score to the inputs.
pub fn by_layer(
    machine: &dyn Machine,
    inputs: &Inputs,
    (method, output): (Method, Option<usize>),
    tuning: &Tuning,
    run: &Run<'_>,
) -> Result<Vec<Layer>> {
    let parts = split(machine);
    if let Some(why) = why_not(&parts, method) {
        return Err(Error::unsupported(format!("the method {}", method.word()), "this machine", why));
    }
    let heard = Heard(run);
    let run = &heard.run();
    let points = parts.prepare(inputs, run)?;
    let outputs = outputs_of(parts.machine(), &points, output.map_or(Wanted::Usual, Wanted::One), run)?;
    networks::layers(parts.machine(), &points, &outputs, (method, tuning), run)
}

/// Explains rows that are prepared, in the machine's own columns, by a method that fits it.
pub(crate) fn explain_points(
    parts: &Explained<'_>,
    points: &Points,
    (method, tuning): (Method, &Tuning),
    background: Option<&Points>,
    wanted: Wanted<'_>,
    run: &Run<'_>,
) -> Result<(Relevance, Vec<usize>)> {
    let machine = parts.machine();
    let own = background.is_none();
    let background = some_rows(background.unwrap_or(points))?;
    if let (Some(density), Wanted::Usual, true) = (machine.density(), wanted, tells_one_number(method)) {
        let asked = Asked { parts, machine, points, method, tuning, background: &background, own };
        return Ok((asked.of_detector(&OneClass::new(&density, run)?, run)?, vec![0; points.len()]));
    }
    let outputs = outputs_of(machine, points, wanted, run)?;
    if method == Method::Sobel {
        // Edges are of the picture, whatever the machine is.
        return Ok((rivals::sobel(points, shape(parts))?, outputs));
    }
    if method.walks() {
        let mut told = networks::explain(machine, points, &outputs, &[method], (tuning, &background), run)?;
        return Ok((told.swap_remove(0)?, outputs));
    }
    let asked = Asked { parts, machine, points, method, tuning, background: &background, own };
    Ok((asked.of_outputs(&outputs, run)?, outputs))
}

/// Whether a method tells a detector's outlierness, which is one number, whatever the columns are.
fn tells_one_number(method: Method) -> bool {
    !method.walks() && method.needs() != Needs::LastConvolution && method != Method::Sobel
}

/// Which output is explained in each row.
fn outputs_of(machine: &dyn Machine, points: &Points, wanted: Wanted<'_>, run: &Run<'_>) -> Result<Vec<usize>> {
    let rows = points.len();
    let outputs = match wanted {
        Wanted::One(output) => vec![output; rows],
        Wanted::Each(outputs) if outputs.len() == rows => outputs.to_vec(),
        Wanted::Each(outputs) => return Err(Error::size("outputs to explain, one a row", rows, outputs.len())),
        Wanted::Usual if classes(machine) => {
            let prediction = base::Prediction::of(machine, &Inputs::Points(points.clone()), run)?;
            prediction.classes(run)?.into_iter().map(|c| c as usize).collect()
        }
        Wanted::Usual => vec![0; rows],
    };
    let width = machine.outputs().names.len();
    match outputs.iter().find(|o| **o >= width) {
        Some(output) => Err(Error::size("output to explain", format!("below {width}"), output)),
        None => Ok(outputs),
    }
}

/// The first rows of a background, so that no more are prepared than are looked at.
pub(crate) fn first_rows(inputs: &Inputs) -> Result<Inputs> {
    let count = inputs.len();
    match count > BACKGROUND {
        // Evenly over the data, which may be in the order of its classes.
        true => inputs.select(&(0..BACKGROUND).map(|k| k * count / BACKGROUND).collect::<Vec<_>>()),
        false => Ok(inputs.clone()),
    }
}

fn some_rows(points: &Points) -> Result<Points> {
    match first_rows(&Inputs::Points(points.clone()))? {
        Inputs::Points(points) => Ok(points),
        Inputs::Table(_) => Err(Error::size("rows to learn from", "points", "a table")),
    }
}

/// A question with all that answers it.
struct Asked<'a> {
    parts: &'a Explained<'a>,
    machine: &'a dyn Machine,
    points: &'a Points,
    method: Method,
    tuning: &'a Tuning,
    background: &'a Points,
    /// Whether the background is what is explained.
    own: bool,
}

impl Asked<'_> {
    /// Outlierness of a detector.
    fn of_detector(&self, detector: &OneClass, run: &Run<'_>) -> Result<Relevance> {
        let (density, points) = (detector.density(), self.points);
        match self.method {
            Method::Dtd => detector.by_input(points, run),
            Method::Support => detector.outlier_support(points, run),
            Method::InlierSupport => detector.inlier_support(points, run),
            Method::Nearest => rivals::nearest(detector, points, run),
            Method::Expected => rivals::expected(density, points),
            Method::Gaussian => Gaussian::of_density(density, 1e-3)?.explain(points),
            Method::Taylor => {
                // A root is where x would be as normal as the middle one of the support points.
                let mut seen = detector.outlierness(density.centres(), run)?;
                seen.sort_by(f64::total_cmp);
                let roots = Roots { towards: density.centres(), lines: 5, level: seen[seen.len() / 2] };
                rivals::taylor(detector, points, &roots, run)
            }
            _ => self.of_score(detector, points, &rivals::mean_of(density), run),
        }
    }

    /// Outputs of the machine, each row's own.
    fn of_outputs(&self, outputs: &[usize], run: &Run<'_>) -> Result<Relevance> {
        let points = self.points;
        if self.method.needs() == Needs::LastConvolution {
            let net = Net::of(self.machine, true, run)?;
            return grad_cam::grad_cam(&net, points, outputs, shape(self.parts), run);
        }
        let mut distinct = outputs.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        if let [] | [_] = distinct[..] {
            let output = distinct.first().copied().unwrap_or(0);
            return self.of_output(points, output, run);
        }
        // Rows of one output together, then back in their order.
        let mut rows: Vec<Vec<f64>> = vec![vec![]; points.len()];
        let mut balances = vec![None; points.len()];
        let mut like: Option<Relevance> = None;
        for output in distinct {
            let own: Vec<usize> = (0..points.len()).filter(|&i| outputs[i] == output).collect();
            let relevance = self.of_output(&points.select(&own)?, output, run)?;
            for (k, &i) in own.iter().enumerate() {
                rows[i] = vec![0.0; relevance.values.columns()];
                relevance.values.write_row(k, &mut rows[i]);
                balances[i] = relevance.balance.as_ref().map(|b| b[k]);
            }
            like = Some(relevance);
        }
        let like = like.ok_or_else(|| Error::size("rows to explain", "at least 1", 0))?;
        Ok(Relevance { values: Points::from_rows(&rows)?, balance: balances.into_iter().collect(), ..like })
    }

    fn of_output(&self, points: &Points, output: usize, run: &Run<'_>) -> Result<Relevance> {
        match self.method {
            Method::Support => by_support(self.machine, points, output, run),
            Method::Taylor => {
                let Some(sums) = self.machine.by_support() else {
                    return Err(Error::unsupported("taylor", "this machine", "it carries no points to look towards"));
                };
                let roots = Roots { towards: sums.points(), lines: 20, level: 0.0 };
                rivals::taylor(&ScoreOf::new(self.machine, output, run)?, points, &roots, run)
            }
            method => {
                let score = match method.needs() {
                    Needs::Slope => ScoreOf::new(self.machine, output, run)?,
                    _ => ScoreOf::without_gradient(self.machine, output, run)?,
                };
                let middle = match self.machine.by_support() {
                    Some(sums) if !sums.points().is_empty() => middle(sums.points()),
                    _ => vec![0.0; points.columns()],
                };
                self.of_score(&score, points, &middle, run)
            }
        }
    }

    /// Methods that ask for scores and gradients alone; `middle` is where a way from nothing begins.
    fn of_score(&self, score: &dyn Scored, points: &Points, middle: &[f64], run: &Run<'_>) -> Result<Relevance> {
        let t = self.tuning;
        let groups = || Groups::new(points.columns(), shape(self.parts), t.patch);
        let noise = Noise { share: t.noise, copies: t.copies, of: t.smoothed };
        match self.method {
            Method::Gradient => rivals::gradient(score, points, run),
            Method::AbsGradient => rivals::abs_gradient(score, points, run),
            Method::InputGradient => rivals::input_gradient(score, points, run),
            Method::Sensitivity => rivals::sensitivity(score, points, run),
            Method::SmoothGrad => rivals::smooth_grad(score, points, noise, run),
            Method::VarGrad => rivals::var_grad(score, points, noise, run),
            Method::IntegratedGradients => {
                let steps = match t.steps {
                    0 => Steps { most: steps_of(score.numbers()), ..Steps::default() },
                    exactly => Steps { tolerance: 0.0, most: exactly },
                };
                let reference = if t.reference.is_empty() { middle.to_vec() } else { self.reference()? };
                rivals::integrated_gradients(score, points, &reference, steps, run)
            }
            Method::Occlusion => rivals::occlusion(score, points, &groups(), &self.reference()?, run),
            Method::PredictionDifference => {
                let n = self.background.len();
                let rows: Vec<usize> = (0..n.min(OTHERS)).map(|k| k * n / n.min(OTHERS)).collect();
                rivals::prediction_difference(score, points, &groups(), &self.background.select(&rows)?, run)
            }
            Method::Lime => {
                let how = Local { samples: t.samples, width: t.width, ridge: t.ridge };
                self.in_pieces(points, run, |rows, absent| rivals::lime(score, rows, absent, how, run))
            }
            // What changes in steps may say the same of one mean row and of all between it and the row explained.
            Method::KernelShap if self.by_rows() => {
                let n = self.background.len();
                let few: Vec<usize> = (0..n.min(INSTEAD)).map(|k| k * n / n.min(INSTEAD)).collect();
                let others = self.background.select(&few)?;
                rivals::kernel_shap_over(score, points, (&groups(), &others), t.samples, run)
            }
            Method::KernelShap => {
                self.in_pieces(points, run, |rows, absent| rivals::kernel_shap(score, rows, absent, t.samples, run))
            }
            Method::Shapley => {
                let absent = Absent { groups: &groups(), instead: &self.reference()? };
                rivals::shapley(score, points, &absent, run)
            }
            Method::Random | Method::Sobel => rivals::random(points.len(), points.columns(), run.seed),
            other => {
                let what = format!("the method {} for one output", other.word());
                let instead = "leave out --class: outlierness is explained as one number";
                Err(Error::unsupported(what, "this machine", instead))
            }
        }
    }

    /// Explains rows whose pieces are the same together, and pictures cut into segments one by one.
    fn in_pieces(
        &self,
        points: &Points,
        run: &Run<'_>,
        explain: impl Fn(&Points, &Absent<'_>) -> Result<Relevance>,
    ) -> Result<Relevance> {
        let (t, instead) = (self.tuning, self.reference()?);
        let wanted = t.pieces == Pieces::Segments || (t.pieces == Pieces::Auto && self.method == Method::Lime);
        let Some(Shape::Image { height, width, channels }) = picture(self.parts).filter(|_| wanted) else {
            let groups = Groups::new(points.columns(), shape(self.parts), t.patch);
            return explain(points, &Absent { groups: &groups, instead: &instead });
        };
        let how = t.segments((height, width));
        let mut all: Option<Relevance> = None;
        let mut rows = vec![];
        for i in 0..points.len() {
            let row = points.slice(i..i + 1);
            let pixels = to_unit(&self.as_seen(&row, run)?);
            let groups = Groups::of_segments(&how.cut(&pixels, (height, width, channels), run)?, channels);
            let told = explain(&row, &Absent { groups: &groups, instead: &instead })?;
            rows.extend_from_slice(&told.values.to_dense(&run.memory)?);
            all = Some(match all {
                None => told,
                Some(mut before) => {
                    before.balance = before.balance.zip(told.balance).map(|(a, b)| [a, b].concat());
                    before
                }
            });
        }
        let all = all.ok_or_else(|| Error::size("rows to explain", "at least 1", 0))?;
        Ok(Relevance { values: Points::dense(rows, points.len(), points.columns())?, ..all })
    }

    /// Whether absent parts are those of several rows of the background, not of its mean.
    fn by_rows(&self) -> bool {
        let plain = self.tuning.reference.is_empty() && !self.own && self.background.len() > 1;
        plain && self.tuning.pieces == Pieces::Auto && Facts::of(self.parts).no_gradient().is_some()
    }

    /// A row before the preparation, where that has as many numbers; else as the machine takes it.
    fn as_seen(&self, row: &Points, run: &Run<'_>) -> Result<Vec<f64>> {
        let before = match self.parts.restore(row, run)? {
            Some(Inputs::Points(points)) if points.columns() == row.columns() => points,
            _ => row.clone(),
        };
        Ok(before.to_dense(&run.memory)?.to_vec())
    }

    /// What absent inputs are replaced by.
    fn reference(&self) -> Result<Vec<f64>> {
        let d = self.points.columns();
        match &self.tuning.reference[..] {
            // Rows explained do not stand in for data: an explanation must not depend on what else is asked, and one
            // row is no mean, or nothing would be hidden in it.
            [] if self.own || self.background.len() < 2 => Ok(vec![0.0; d]),
            [] => Ok(middle(self.background)),
            [one] => Ok(vec![*one; d]),
            list if list.len() == d => Ok(list.to_vec()),
            list => Err(Error::size("numbers of a reference", format!("1 or {d}"), list.len())),
        }
    }
}

/// How many gradients a row may take by itself: fewer through a large network.
fn steps_of(numbers: u64) -> usize {
    let most = Steps::default().most as u64;
    (STEPS_WORTH / numbers.max(1)).clamp(FEWEST_STEPS, most) as usize
}

/// The mean of some points.
pub(crate) fn middle(points: &Points) -> Vec<f64> {
    let (mut mean, mut x) = (vec![0.0; points.columns()], vec![0.0; points.columns()]);
    for i in 0..points.len() {
        points.write_row(i, &mut x);
        numeric::add_scaled(&mut mean, 1.0 / points.len() as f64, &x);
    }
    mean
}
