//! Four photographs in one: does the explanation of a class lie in the quarter that shows it?
//!
//! A network of a thousand classes (efficientnet-lite0) sees 2 x 2 mosaics of photographs, each of another class; the class
//! of one quarter is explained, and the share of positive relevance in that quarter is its number. Chance is 0.25. The
//! bounds: composites of relevance propagation reach 0.4 and are ahead of the input times the gradient, for certain.

use super::{Finding, Outcome};
use base::{Inputs, Result, Run};
use files::Reading;
use pellucid::explain::judging::judge;
use pellucid::explain::{Candidate, EvalData, Judging, Measure, Method, Ranking, Tuning, paired_interval};
use pellucid::judged_pictures;
use pellucid::{Model, OnnxReading, align};
use std::path::Path;

/// The network.
pub(super) const FILE: &str = "models/efficientnet-lite0.onnx";
/// The composites that the bounds are for.
const COMPOSITES: [Method; 5] = [
    Method::LrpComposite,
    Method::LrpEpsilonPlus,
    Method::LrpEpsilonPlusFlat,
    Method::LrpEpsilonGammaBox,
    Method::LrpEpsilonAlpha2Beta1,
];
/// Others beside them.
const OTHERS: [Method; 10] = [
    Method::InputGradient,
    Method::Gradient,
    Method::AbsGradient,
    Method::SmoothGrad,
    Method::IntegratedGradients,
    Method::GuidedBackprop,
    Method::LrpEpsilon,
    Method::LrpAlphaBeta,
    Method::ExcitationBackprop,
    Method::GradCam,
];

/// Does the experiment.
pub(super) fn run(data: &Path, run: &Run<'_>) -> Result<Outcome> {
    let methods: Vec<Method> = COMPOSITES.into_iter().chain(OTHERS).collect();
    with(data, usize::MAX, &methods, run)
}

/// The same on some of the photographs by some of the methods.
pub(super) fn with(data: &Path, pictures: usize, methods: &[Method], run: &Run<'_>) -> Result<Outcome> {
    let how = OnnxReading { shift: vec![127.0], factor: vec![1.0 / 128.0], ..OnnxReading::default() };
    let model = Model::load_with(&data.join(FILE), &how, run)?;
    let photographs = files::read(&data.join("imagenet_samples"), &Reading::default(), run)?;
    let count = photographs.len().min(pictures);
    // Evenly over the folder, which is in the order of classes: animals first.
    let rows: Vec<usize> = (0..count).map(|k| k * photographs.len() / count).collect();
    let inputs: Inputs = align(&photographs.select(&rows)?, model.machine.inputs(), run)?;
    let tuning = Tuning { copies: 16, steps: 16, low: vec![-127.0 / 128.0], high: vec![1.0], ..Tuning::default() };
    let contestants: Vec<Candidate> =
        methods.iter().map(|m| Candidate { tuning: tuning.clone(), ..Candidate::of(*m) }).collect();
    let ground = EvalData { data: &inputs, frames: &[] };
    let judging = Judging::default();
    let mut judged = judge(&*model.machine, &inputs, &contestants, (&[Measure::Mosaics], &judging), ground, run)?;
    let judged = judged.remove(0);
    let of = |method: Method| judged.standings.iter().find(|s| s.name == method.word());
    let mosaics = judged.standings.first().map_or(0, |s| s.values.len());
    let mut outcome = Outcome {
        about: format!(
            "Fraction of positive relevance in the quarter that shows the explained class; {mosaics} mosaics of \
                 {count} photographs whose class the network recognises (score above 0). Chance level is 0.25. \
                 95 % intervals, paired differences."
        ),
        ..Outcome::default()
    };
    for Ranking { name, mean, .. } in &judged.standings {
        let what = format!("{name}, {:.3} to {:.3}", mean.low, mean.high);
        outcome.findings.push(match COMPOSITES.iter().any(|m| m.word() == name) {
            true => Finding::at_least(what, mean.mean, 0.4),
            false => Finding::alone(what, mean.mean),
        });
    }
    if let Some(product) = of(Method::InputGradient) {
        for composite in COMPOSITES.iter().filter_map(|m| of(*m)) {
            let pairs = composite.values.iter().zip(&product.values).map(|(a, b)| a - b);
            let difference = paired_interval(&pairs.collect::<Vec<_>>());
            let what = format!("{} minus input-gradient {:+.3}, from", composite.name, difference.mean);
            outcome.findings.push(Finding::at_least(what, difference.low, 0.0));
        }
    }
    outcome.pictures = judged_pictures(&judged, "");
    Ok(outcome)
}
