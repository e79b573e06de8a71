//! All methods by name, for any machine.

use crate::OneClass;
use crate::chain::split;
use crate::machine::{ScoreOf, Scored};
use crate::rivals::{self, Gaussian, Roots, Steps};
use crate::support::by_support;
use base::{Error, Inputs, Machine, Meaning, Points, Relevance, Result, Run, choices, nearest};

choices! {
    /// A way to explain.
    pub enum Method {
        /// Deep Taylor decomposition of a detector's outlierness, by input.
        Dtd = "dtd",
        /// The score by the training points it rests on.
        Support = "support",
        /// A detector's inlierness by support points.
        InlierSupport = "inlier-support",
        /// Gradients along the way from a reference.
        IntegratedGradients = "integrated-gradients",
        /// The gradient.
        Gradient = "gradient",
        /// The input times the gradient.
        InputGradient = "input-gradient",
        /// The squared gradient.
        Sensitivity = "sensitivity",
        /// Taylor's first order at a root.
        Taylor = "taylor",
        /// Squared differences from the nearest support point.
        Nearest = "nearest",
        /// Squared differences from the mean of the support points.
        Expected = "expected",
        /// A diagonal Gaussian around the support points.
        Gaussian = "gaussian",
        /// The edges of a picture.
        Sobel = "sobel",
        /// A drawn order.
        Random = "random",
    }
}

/// Whether a method fits a machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Fits {
    /// The method.
    pub method: Method,
    /// What it says, in a line.
    pub about: &'static str,
    /// Why it does not fit; none if it does.
    pub why_not: Option<String>,
}

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Question {
    /// By which method; none: the one that suits the machine best.
    pub method: Option<Method>,
    /// Which output; none: the class predicted for each row, or the first column.
    pub output: Option<usize>,
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
}

impl Method {
    /// All methods.
    pub const ALL: [Method; 13] = [
        Method::Dtd,
        Method::Support,
        Method::InlierSupport,
        Method::IntegratedGradients,
        Method::Gradient,
        Method::InputGradient,
        Method::Sensitivity,
        Method::Taylor,
        Method::Nearest,
        Method::Expected,
        Method::Gaussian,
        Method::Sobel,
        Method::Random,
    ];

    /// The method of that name; a slip is guessed.
    pub fn find(name: &str) -> Result<Method> {
        Method::from_word(name).ok_or_else(|| {
            let words: Vec<&str> = Self::ALL.iter().map(|m| m.word()).collect();
            let hint = nearest(name, words.iter().copied()).map_or(String::new(), |n| format!("; did you mean {n}?"));
            Error::parameter("method", name, format!("must be one of {}{hint}", words.join(", ")))
        })
    }

    /// What it says, in a line.
    pub fn about(self) -> &'static str {
        match self {
            Method::Dtd => "outlierness by input, never negative, with what is left unexplained",
            Method::Support => "the score by the training points it rests on; adds up",
            Method::InlierSupport => "how normal a row is, by the support points near it; adds up",
            Method::IntegratedGradients => "the change of the score on the way from a reference; adds up",
            Method::Gradient => "how the score would change; does not add up",
            Method::InputGradient => "the input times the gradient; adds up only for linear machines",
            Method::Sensitivity => "the squared gradient; does not add up",
            Method::Taylor => "the first order at the nearest root found; adds up to first order",
            Method::Nearest => "squared differences from the nearest support point; does not add up",
            Method::Expected => "squared differences from the mean of the support points; does not add up",
            Method::Gaussian => "a diagonal Gaussian around the support points; explains its own score",
            Method::Sobel => "edges of the picture; knows nothing of the machine",
            Method::Random => "a drawn order; what every method must beat",
        }
    }

    /// Whether relevance is of support points, not of inputs.
    pub fn of_support(self) -> bool {
        matches!(self, Method::Support | Method::InlierSupport)
    }
}

/// Which methods fit a machine, and why others do not.
pub fn fitting(machine: &dyn Machine) -> Vec<Fits> {
    let parts = split(machine);
    let inner = parts.machine();
    let density = inner.density().is_some();
    let slope = density || inner.slope().is_some() || matches!(inner.to_graph(), Ok(Some(_)));
    let picture = parts.origin().is_ok_and(|(o, _)| matches!(o.features.shape(), Some(base::Shape::Image { .. })));
    let detector = "the machine is no detector that is a weighted sum of radial kernels";
    Method::ALL
        .iter()
        .map(|&method| {
            let why_not = match method {
                Method::Dtd | Method::InlierSupport | Method::Nearest | Method::Expected | Method::Gaussian => {
                    (!density).then_some(detector)
                }
                Method::Support => (!density && inner.by_support().is_none())
                    .then_some("the machine's scores are no sums over training points"),
                Method::IntegratedGradients | Method::Gradient | Method::InputGradient | Method::Sensitivity => {
                    (!slope).then_some("the machine has neither a gradient nor a form as a network")
                }
                Method::Taylor => (!density && (!slope || inner.by_support().is_none() || !classes(inner)))
                    .then_some("a root is looked for towards support points of a detector or classifier"),
                Method::Sobel => (!picture).then_some("the inputs are no picture of known size"),
                Method::Random => None,
            };
            Fits { method, about: method.about(), why_not: why_not.map(String::from) }
        })
        .collect()
}

fn classes(machine: &dyn Machine) -> bool {
    machine.outputs().meaning == Meaning::Classes
}

/// Explains what a machine says of some rows.
pub fn explain(machine: &dyn Machine, inputs: &Inputs, question: Question, run: &Run<'_>) -> Result<Answer> {
    let parts = split(machine);
    let inner = parts.machine();
    let fits = fitting(machine);
    let fit = |m: Method| fits.iter().any(|f| f.method == m && f.why_not.is_none());
    let method = match question.method {
        Some(method) => method,
        None => [Method::Dtd, Method::IntegratedGradients, Method::Support].into_iter().find(|m| fit(*m)).ok_or_else(
            || Error::unsupported("an explanation", "this machine", "pellucid methods says what would fit and why"),
        )?,
    };
    if let Some(why) = fits.iter().find(|f| f.method == method).and_then(|f| f.why_not.clone()) {
        return Err(Error::unsupported(format!("the method {}", method.word()), "this machine", why));
    }
    let points = parts.prepare(inputs, run)?;
    let density = inner.density();
    let (direct, outputs) = match (&density, question.output) {
        // Outlierness is one number, whatever the columns are.
        (Some(density), None) => {
            let detector = OneClass::new(density, run)?;
            (of_detector(&detector, &points, method, run)?, vec![0; points.len()])
        }
        (_, output) => of_outputs(inner, &points, method, output, run)?,
    };
    let (origin, note) = parts.origin()?;
    if method == Method::Sobel {
        let direct = rivals::sobel(&points, origin.features.shape())?;
        return Ok(Answer { relevance: direct.told_by(&origin)?, direct, points, outputs, note });
    }
    let relevance = if method.of_support() { direct.clone() } else { direct.told_by(&origin)? };
    let note = if method.of_support() { None } else { note };
    Ok(Answer { relevance, direct, points, outputs, note })
}

/// Outlierness of a detector by one of the methods.
pub(crate) fn of_detector(detector: &OneClass, points: &Points, method: Method, run: &Run<'_>) -> Result<Relevance> {
    let density = detector.density();
    match method {
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
        Method::IntegratedGradients => {
            let reference = rivals::mean_of(density);
            rivals::integrated_gradients(detector, points, &reference, Steps::default(), run)
        }
        Method::Random | Method::Sobel => rivals::random(points.len(), points.columns(), run.seed),
        Method::Gradient | Method::InputGradient | Method::Sensitivity => by_gradient(detector, points, method, run),
    }
}

fn by_gradient(score: &dyn Scored, points: &Points, method: Method, run: &Run<'_>) -> Result<Relevance> {
    match method {
        Method::Gradient => rivals::gradient(score, points, run),
        Method::InputGradient => rivals::input_gradient(score, points, run),
        _ => rivals::sensitivity(score, points, run),
    }
}

/// Outputs of a machine, each row's own.
fn of_outputs(
    machine: &dyn Machine,
    points: &Points,
    method: Method,
    output: Option<usize>,
    run: &Run<'_>,
) -> Result<(Relevance, Vec<usize>)> {
    let outputs: Vec<usize> = match output {
        Some(output) => vec![output; points.len()],
        None if classes(machine) => {
            let prediction = base::Prediction::of(machine, &Inputs::Points(points.clone()), run)?;
            prediction.classes(run)?.into_iter().map(|c| c as usize).collect()
        }
        None => vec![0; points.len()],
    };
    let mut distinct = outputs.clone();
    distinct.sort_unstable();
    distinct.dedup();
    if let [] | [_] = distinct[..] {
        let output = distinct.first().copied().unwrap_or(0);
        return Ok((of_output(machine, points, method, output, run)?, outputs));
    }
    // Rows of one output together, then back in their order.
    let mut rows: Vec<Vec<f64>> = vec![vec![]; points.len()];
    let mut balances = vec![None; points.len()];
    let mut like: Option<Relevance> = None;
    for output in distinct {
        let own: Vec<usize> = (0..points.len()).filter(|&i| outputs[i] == output).collect();
        let relevance = of_output(machine, &points.select(&own)?, method, output, run)?;
        for (k, &i) in own.iter().enumerate() {
            rows[i] = vec![0.0; relevance.values.columns()];
            relevance.values.write_row(k, &mut rows[i]);
            balances[i] = relevance.balance.as_ref().map(|b| b[k]);
        }
        like = Some(relevance);
    }
    let like = like.ok_or_else(|| Error::size("rows to explain", "at least 1", 0))?;
    let relevance = Relevance { values: Points::from_rows(&rows)?, balance: balances.into_iter().collect(), ..like };
    Ok((relevance, outputs))
}

fn of_output(
    machine: &dyn Machine,
    points: &Points,
    method: Method,
    output: usize,
    run: &Run<'_>,
) -> Result<Relevance> {
    match method {
        Method::Support => by_support(machine, points, output, run),
        Method::Random | Method::Sobel => rivals::random(points.len(), points.columns(), run.seed),
        Method::IntegratedGradients => {
            let score = ScoreOf::new(machine, output)?;
            let reference = match machine.by_support() {
                Some(sums) if !sums.points().is_empty() => middle(sums.points()),
                _ => vec![0.0; score.columns()],
            };
            rivals::integrated_gradients(&score, points, &reference, Steps::default(), run)
        }
        Method::Taylor => {
            let Some(sums) = machine.by_support() else {
                return Err(Error::unsupported("taylor", "this machine", "it carries no points to look towards"));
            };
            let roots = Roots { towards: sums.points(), lines: 20, level: 0.0 };
            rivals::taylor(&ScoreOf::new(machine, output)?, points, &roots, run)
        }
        Method::Gradient | Method::InputGradient | Method::Sensitivity => {
            by_gradient(&ScoreOf::new(machine, output)?, points, method, run)
        }
        Method::Dtd | Method::InlierSupport | Method::Nearest | Method::Expected | Method::Gaussian => {
            let what = format!("the method {} for one output", method.word());
            Err(Error::unsupported(what, "this machine", "leave out --class: outlierness is explained as one number"))
        }
    }
}

/// The mean of some points.
fn middle(points: &Points) -> Vec<f64> {
    let (mut mean, mut x) = (vec![0.0; points.columns()], vec![0.0; points.columns()]);
    for i in 0..points.len() {
        points.write_row(i, &mut x);
        numeric::add_scaled(&mut mean, 1.0 / points.len() as f64, &x);
    }
    mean
}
