//! Judging a model by data whose targets are known, and what a decision about one class costs.

use super::ModelSource;
use super::source::{DataSource, note_positive, positive, warn_of_seen};
use base::{Advice, Error, Meaning, Message, Result, Run};
use evaluate::{Decision, Measures, judge_machine};

/// How classes are given where one matters more.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Deciding {
    /// Least probability at which a row is given the positive class; of a detector, the score above which it is an
    /// anomaly; of label sets, the score above which a label is meant.
    pub threshold: Option<f64>,
    /// What a miss and what a false alarm cost; they set the threshold with the least expected cost.
    pub costs: Option<(f64, f64)>,
}

impl Deciding {
    /// The decision about that class, if one is asked for, for outputs of that meaning.
    pub fn decision(&self, positive: Option<&str>, meaning: Meaning) -> Result<Option<Decision>> {
        let costs = self.costs.map(|(miss, alarm)| format!("{miss}:{alarm}"));
        match (meaning, costs, self.threshold) {
            (Meaning::Classes, _, _) | (_, None, None) | (Meaning::Outlier | Meaning::Labels, None, Some(_)) => {}
            (Meaning::Outlier, Some(text), _) => {
                let must =
                    Message::from("is for classes with probabilities; a detector takes a threshold of its score")
                        .with(Advice::option("threshold", "SCORE"));
                return Err(Error::parameter("costs", text, must));
            }
            (_, Some(text), _) => return Err(Error::parameter("costs", text, "is for models that predict classes")),
            (_, None, Some(t)) => {
                return Err(Error::parameter("threshold", t, "is for classes, label sets and detectors"));
            }
        }
        let threshold = match (self.threshold, self.costs) {
            (Some(threshold), _) => threshold,
            (None, Some((miss, alarm))) => Decision::of_costs(miss, alarm)?,
            (None, None) => return Ok(None),
        };
        Ok(Some(Decision { positive: positive.map(str::to_string), threshold }))
    }
}

/// What is to be judged by what.
#[derive(Clone)]
pub struct Score {
    /// The model.
    pub model: ModelSource,
    /// The rows with their targets.
    pub source: DataSource,
    /// How classes are decided.
    pub deciding: Deciding,
}

/// What a score says.
#[derive(Debug, Clone)]
pub struct ScoreResult {
    /// The measures; with costs also what a row costs.
    pub measures: Measures,
    /// The decision that was used, if any.
    pub decision: Option<Decision>,
    /// That rows were seen in training, if they were.
    pub seen: Option<String>,
    /// What the numbers of the model mean.
    pub meaning: Meaning,
}

impl Score {
    /// Judges a model.
    pub fn run(&self, run: &Run<'_>) -> Result<ScoreResult> {
        let model = self.model.load(run)?;
        let data = self.source.load_for(&model, run)?;
        let seen = warn_of_seen(&model, &data, run);
        if self.source.positive.is_none() && model.positive.is_none() {
            note_positive(&data, run);
        }
        let positive = positive(&data);
        let meaning = model.machine.outputs().meaning;
        let decision = self.deciding.decision(positive.as_deref(), meaning)?;
        let judged = judge_machine(&*model.machine, decision.as_ref(), &data, model.frequencies.as_ref(), run);
        let mut measures = judged.map_err(|e| {
            let how = self.source.reading.clone().for_model(model.machine.inputs());
            self.source.located(e, &how, 0, run)
        })?;
        if let (Some((miss, alarm)), Some(confusion)) = (self.deciding.costs, &measures.confusion) {
            let place = confusion.names.iter().position(|n| Some(n) == positive.as_ref()).unwrap_or(1);
            let counts = confusion.class(place);
            measures.values.push(("cost_per_row", (miss * counts.fn_ + alarm * counts.fp) / confusion.total()));
        }
        Ok(ScoreResult { measures, decision, seen, meaning })
    }
}
