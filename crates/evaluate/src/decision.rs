//! Which class a row is given where one class matters more than the others.
//!
//! The usual decision is the class of the largest score. With a threshold t a row is given the positive class if its
//! probability is at least t, else the most probable of the others. If a miss costs m and a false alarm a, and the
//! probabilities are calibrated, the expected cost is least at t = a / (a + m) (Elkan 2001).

use base::{Advice, Error, Message, Prediction, Result, Run, argmax};

/// A threshold on the probability of one class; of a detector, on its score.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The class that is given above the threshold; detectors need none.
    pub positive: Option<String>,
    /// The least probability that is enough; of a detector, the largest score that is still normal.
    pub threshold: f64,
}

impl Decision {
    /// The threshold with the least expected cost, for calibrated probabilities.
    pub fn of_costs(miss: f64, false_alarm: f64) -> Result<f64> {
        let right = |x: f64| x.is_finite() && x >= 0.0;
        match right(miss) && right(false_alarm) && miss + false_alarm > 0.0 {
            true => Ok(false_alarm / (false_alarm + miss)),
            false => Err(Error::parameter(
                "costs",
                format!("{miss}:{false_alarm}"),
                "must not be negative, and not \
                     both 0",
            )),
        }
    }

    /// The class of each row.
    pub fn classes(&self, prediction: &Prediction, run: &Run<'_>) -> Result<Vec<u32>> {
        if !(0.0..=1.0).contains(&self.threshold) {
            return Err(Error::parameter("threshold", self.threshold, "must lie between 0 and 1: it is a probability"));
        }
        let main = prediction.outputs.main();
        let names = &prediction.outputs.names[..main];
        let positive = match &self.positive {
            Some(name) => names.iter().position(|n| n == name),
            None if main == 2 => Some(1),
            None => None,
        };
        let Some(positive) = positive else {
            let said = self.positive.as_deref().unwrap_or("none");
            let some: Vec<&str> = names.iter().take(10).map(String::as_str).collect();
            return Err(Error::parameter("positive", said, format!("must be one of the classes {}", some.join(", "))));
        };
        let Some(p) = prediction.probabilities(run)? else {
            return Err(Error::unsupported(
                "a threshold",
                "a model without probabilities",
                Message::from("calibrate it to have some").with(Advice::prepare("calibrate,auto")),
            ));
        };
        let class = |row: &[f64]| match row[positive] >= self.threshold {
            true => positive as u32,
            false => {
                let others: Vec<f64> =
                    row.iter().enumerate().map(|(c, p)| if c == positive { f64::NEG_INFINITY } else { *p }).collect();
                argmax(&others)
            }
        };
        Ok(p.chunks_exact(main.max(1)).map(class).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Link, Outputs, Points};

    fn prediction(rows: &[[f64; 3]], link: Link) -> Prediction {
        let names: Vec<String> = ["a", "b", "c"].map(String::from).to_vec();
        Prediction { scores: Points::from_rows(rows).unwrap(), outputs: Outputs::classes(names.into(), link) }
    }

    #[test]
    fn a_threshold_moves_one_class_and_costs_give_the_threshold() {
        let rows = [[0.1, 0.3, 0.6], [0.2, 0.2, 0.6], [0.5, 0.25, 0.25], [0.05, 0.05, 0.9]];
        let run = Run::quiet(1);
        let decided = |threshold: f64, name: &str| {
            let decision = Decision { positive: Some(name.into()), threshold };
            decision.classes(&prediction(&rows, Link::Identity), &run)
        };
        assert_eq!(decided(0.2, "b").unwrap(), [1, 1, 1, 2]);
        assert_eq!(decided(1.0, "c").unwrap(), [1, 0, 0, 0]);
        assert_eq!(decided(0.0, "a").unwrap(), [0; 4]);
        assert!(decided(1.5, "a").is_err() && decided(0.5, "z").unwrap_err().to_string().contains("a, b, c"));
        let refused = Decision { positive: Some("a".into()), threshold: 0.5 };
        let error = refused.classes(&prediction(&rows, Link::None), &run).unwrap_err().to_string();
        assert!(error.contains("calibrate"), "{error}");
        // The least expected cost of a probability p: alarm costs (1 - p) a, silence costs p m.
        for (miss, alarm) in [(1.0, 1.0), (10.0, 1.0), (0.0, 2.0), (3.0, 0.0)] {
            let t = Decision::of_costs(miss, alarm).unwrap();
            for p in [0.01, 0.0909, 0.2, 0.49, 0.51, 0.97] {
                let (raise, stay) = ((1.0 - p) * alarm, p * miss);
                assert!(if p >= t { raise <= stay + 1e-12 } else { stay <= raise + 1e-12 }, "{miss} {alarm} {p}");
            }
        }
        assert!(Decision::of_costs(0.0, 0.0).is_err() && Decision::of_costs(-1.0, 2.0).is_err());
    }
}
