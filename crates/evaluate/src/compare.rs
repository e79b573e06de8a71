//! Several machines on the same splits: means, deviations, ranks and whether the differences mean anything.

use crate::{Measures, Split, Validation, average_ranks, cross_validate, mc_nemar, paired_t};
use base::{Dataset, Error, Learner, Progress, Result, Run};

/// A machine that takes part.
#[derive(Debug, Clone)]
pub struct Contender {
    /// What it is called.
    pub name: String,
    /// The learner, normally a pipeline with its preparation.
    pub learner: Box<dyn Learner>,
}

/// How the contenders did.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Their names.
    pub names: Vec<String>,
    /// What they did on held-out rows.
    pub validations: Vec<Validation>,
    /// The measure they were compared by.
    pub measure: String,
    /// Mean over the splits.
    pub means: Vec<f64>,
    /// Standard deviation over the splits.
    pub deviations: Vec<f64>,
    /// Mean rank over the splits, 1 is best.
    pub ranks: Vec<f64>,
    /// Which has the best mean; the first of equals.
    pub best: usize,
    /// Corrected paired t-test against the best; 1 for the best itself.
    pub t_test: Vec<f64>,
    /// McNemar's test against the best on the same held-out rows, for classes.
    pub mc_nemar: Vec<Option<f64>>,
}

/// Validates every contender on the same splits.
pub fn compare(
    contenders: &[Contender],
    data: &Dataset,
    splits: &[Split],
    measure: &str,
    run: &Run<'_>,
) -> Result<Comparison> {
    let mut validations = vec![];
    for (k, contender) in contenders.iter().enumerate() {
        run.report(&Progress::of("compare", k as u64, contenders.len() as u64))?;
        match cross_validate(&*contender.learner, data, splits, run) {
            // Those that were judged are compared.
            Err(Error::Stopped { .. }) if k > 0 => {
                run.watch.note(&format!("stopped: {} and the following machines were not compared", contender.name));
                break;
            }
            other => validations.push(other?),
        }
    }
    let contenders = &contenders[..validations.len()];
    let summaries: Vec<(f64, f64)> =
        validations.iter().map(|v| v.summary(measure).unwrap_or((f64::NAN, f64::NAN))).collect();
    let sign = if Measures::larger_is_better(measure) { 1.0 } else { -1.0 };
    let signed: Vec<f64> =
        summaries.iter().map(|(m, _)| if m.is_nan() { f64::NEG_INFINITY } else { sign * m }).collect();
    let best = base::argmax(&signed) as usize;
    let scores = |k: usize| -> Vec<f64> {
        let score = |m: &Measures| m.get(measure).map_or(f64::NEG_INFINITY, |x| sign * x);
        validations[k].folds.iter().map(score).collect()
    };
    let by_split: Vec<Vec<f64>> =
        (0..splits.len()).map(|s| (0..contenders.len()).map(|k| scores(k)[s]).collect()).collect();
    let share = splits.first().map_or(0.0, |s| s.test.len() as f64 / (s.test.len() + s.train.len()).max(1) as f64);
    let t_test = |k: usize| {
        let differences: Vec<f64> = scores(k).iter().zip(scores(best)).map(|(a, b)| a - b).collect();
        if k == best || differences.iter().any(|d| !d.is_finite()) {
            1.0
        } else {
            paired_t(&differences, share).unwrap_or(1.0)
        }
    };
    // Repeated splits hold the same row out several times; McNemar's test wants each row once.
    let held: usize = splits.iter().map(|s| s.test.len()).sum();
    let once = held <= data.len();
    let right = |k: usize| &validations[k].right;
    let mc =
        |k: usize| (once && !right(k).is_empty()).then(|| mc_nemar(right(best), right(k)).map(|t| t.p).unwrap_or(1.0));
    Ok(Comparison {
        names: contenders.iter().map(|c| c.name.clone()).collect(),
        measure: measure.to_string(),
        means: summaries.iter().map(|s| s.0).collect(),
        deviations: summaries.iter().map(|s| s.1).collect(),
        ranks: average_ranks(&by_split),
        best,
        t_test: (0..contenders.len()).map(t_test).collect(),
        mc_nemar: (0..contenders.len()).map(mc).collect(),
        validations,
    })
}
