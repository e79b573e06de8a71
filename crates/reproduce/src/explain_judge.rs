//! Which explanations of networks find what matters? Perturbation analysis on digits and clothes.
//!
//! A network of another tool reads handwritten digits, one of ours (two convolutions, trained here) names pieces of
//! clothing. Test pictures lose regions of 2 x 2 pixels, the most relevant first, and the mean height of the score's curve
//! is a row's number. What goes becomes black, which is what these pictures have where nothing is; the bound: every method is
//! ahead of random relevance, for certain (the 95 % interval of the difference in pairs lies below 0).
//!
//! The same with the mean of the data in place of black is shown without bounds. There regions that are darker than the mean
//! grow brighter, and the sign of a gradient says nothing of what that does; and holes strewn over a picture look stranger
//! than one large hole, so that random relevance is hard to beat for what only says where a network looks.

use super::{Finding, Outcome};
use base::{Dataset, Learner, Machine, Prediction, Result, Run, Targets, Wanted};
use files::Reading;
use pellucid::explain::judging::{Replace, judge};
use pellucid::explain::{Candidate, EvalData, Judging, Measure, Method, Tuning};
use pellucid::job::rows_to_judge;
use pellucid::judged_pictures;
use pellucid::network::Cnn;
use pellucid::{Model, OnnxReading, Target, align, choose_target};
use std::path::Path;

/// The methods that must be ahead of random relevance.
pub(super) const METHODS: [Method; 26] = [
    Method::Gradient,
    Method::AbsGradient,
    Method::InputGradient,
    Method::SmoothGrad,
    Method::IntegratedGradients,
    Method::DeconvNet,
    Method::GuidedBackprop,
    Method::LrpZ,
    Method::LrpEpsilon,
    Method::LrpGamma,
    Method::LrpAlphaBeta,
    Method::LrpZPlus,
    Method::LrpWSquare,
    Method::LrpFlat,
    Method::LrpComposite,
    Method::LrpEpsilonPlus,
    Method::LrpEpsilonPlusFlat,
    Method::LrpEpsilonGammaBox,
    Method::LrpEpsilonAlpha2Beta1,
    Method::LrpEpsilonAlpha2Beta1Flat,
    Method::DeepTaylor,
    Method::DeepTaylorBounded,
    Method::PatternNet,
    Method::PatternAttribution,
    Method::Occlusion,
    Method::Lime,
];

/// How much is done.
#[derive(Debug, Clone, Copy)]
pub(super) struct Amount {
    /// Test pictures that are perturbed.
    pub judged: usize,
    /// Pictures that our network is trained on.
    pub trained: usize,
    /// How often it sees them.
    pub epochs: usize,
}

/// Does the experiment.
pub(super) fn run(data: &Path, run: &Run<'_>) -> Result<Outcome> {
    with(data, Amount { judged: 100, trained: 20_000, epochs: 3 }, &METHODS, run)
}

/// The same with more or less of it.
pub(super) fn with(data: &Path, amount: Amount, methods: &[Method], run: &Run<'_>) -> Result<Outcome> {
    let mut outcome = Outcome {
        about: format!(
            "Mean score as regions of 2 x 2 pixels are removed, the most relevant first; {} test images. A \
                 finding is the upper end of the 95 % interval of the paired difference to random relevance: \
                 below 0, the method is significantly better. Bounds are for regions set to black; replacement \
                 by the mean of the data is shown without a bound.",
            amount.judged
        ),
        ..Outcome::default()
    };
    let (shift, factor) = (0.1307 * 255.0, 1.0 / (0.3081 * 255.0));
    let how = OnnxReading { shift: vec![shift], factor: vec![factor], ..OnnxReading::default() };
    let digits = Model::load_with(&data.join("models/cnn_mnist_pytorch.onnx"), &how, run)?;
    let found = read(data, "mnist", "t10k", run)?;
    judged(("digits", &*digits.machine, -shift * factor), &found, (amount, methods), &mut outcome, run)?;
    let train = read(data, "fashion_mnist", "train", run)?;
    let train = train.select(&(0..amount.trained.min(train.len())).collect::<Vec<_>>())?;
    let mut learner =
        Cnn { layers: "conv 16 3x3 relu, pool 2, conv 32 3x3 relu, pool 2, dense 64 relu".into(), ..Cnn::default() };
    learner.training.epochs = amount.epochs;
    let clothes = learner.fit(&train, None, run)?.machine;
    let found = read(data, "fashion_mnist", "t10k", run)?;
    judged(("clothes", &*clothes, 0.0), &found, (amount, methods), &mut outcome, run)?;
    Ok(outcome)
}

/// Pictures with their classes.
fn read(data: &Path, folder: &str, part: &str, run: &Run<'_>) -> Result<Dataset> {
    let mut found =
        files::read(&data.join(folder).join(format!("{part}-images-idx3-ubyte.gz")), &Reading::default(), run)?;
    choose_target(&mut found, &Target::Auto, Wanted::Classes(2), None, run)?;
    Ok(found)
}

/// Judges methods on a machine, given with what black is to it.
fn judged(
    (name, machine, black): (&str, &dyn Machine, f64),
    data: &Dataset,
    (amount, methods): (Amount, &[Method]),
    outcome: &mut Outcome,
    run: &Run<'_>,
) -> Result<()> {
    let inputs = align(data, machine.inputs(), run)?;
    let said = Prediction::of(machine, &inputs, run)?.classes(run)?;
    if let Targets::Classes(classes) = &data.targets {
        let names = &machine.outputs().names;
        let right = said
            .iter()
            .enumerate()
            .filter(|(i, s)| classes.names().get(classes.codes()[*i] as usize) == names.get(**s as usize));
        let accuracy = right.count() as f64 / said.len() as f64;
        outcome.findings.push(Finding::alone(format!("{name}: accuracy of the network"), accuracy));
    }
    let rows = rows_to_judge(machine, data, amount.judged, run)?;
    // Methods that hide parts hide 4 x 4 pixels.
    let tuning = Tuning { patch: 4, ..Tuning::default() };
    let contestants: Vec<Candidate> =
        methods.iter().map(|m| Candidate { tuning: tuning.clone(), ..Candidate::of(*m) }).collect();
    let ground = EvalData { data: &inputs, frames: &[] };
    for replace in [Replace::Constant, Replace::Mean] {
        let how = Judging { replace, constant: black, region: 2, ..Judging::default() };
        let chosen = inputs.select(&rows)?;
        let all = judge(machine, &chosen, &contestants, (&[Measure::Perturbation], &how), ground, run)?;
        let bound = replace == Replace::Constant;
        let under = if bound { "black" } else { "mean" };
        for found in &all {
            outcome.findings.extend(found.standings.iter().map(|s| {
                let what = format!("{name}, {under}: {}. {}, area {:.3}", s.rank, s.name, s.mean.mean);
                let beside = format!("{what}, minus random {:+.3}, to", s.random.mean);
                match s.name == Method::Random.word() {
                    true => Finding::alone(what, s.mean.mean),
                    false if bound => Finding::at_most(beside, s.random.high, 0.0),
                    false => Finding::alone(beside, s.random.high),
                }
            }));
            if bound {
                outcome.pictures.extend(judged_pictures(found, name));
            }
        }
    }
    Ok(())
}
