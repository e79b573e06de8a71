//! How settings were chosen: what was tried, on how many splits, and what won.

use crate::{Record, Result};

/// A search over settings, as a fit tells of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The measure they were compared by.
    pub measure: String,
    /// How many splits each was validated on.
    pub splits: usize,
    /// What was tried, in order.
    pub tried: Vec<Tried>,
    /// Which of them won.
    pub best: usize,
}

/// Settings with how they did on held-out rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Tried {
    /// The settings, as `name=value` with commas between them.
    pub settings: String,
    /// The mean over the splits.
    pub mean: f64,
    /// The standard deviation over the splits.
    pub deviation: f64,
}

impl Choice {
    /// The settings that won.
    pub fn settings(&self) -> &str {
        self.tried.get(self.best).map_or("", |t| &t.settings)
    }

    /// The search as plain data.
    pub(crate) fn record(&self) -> Record {
        let numbers = |of: fn(&Tried) -> f64| self.tried.iter().map(of).collect::<Vec<f64>>();
        Record::new("choice", 1)
            .with("measure", self.measure.as_str())
            .with("splits", self.splits)
            .with("tried", self.tried.iter().map(|t| t.settings.clone()).collect::<Vec<_>>())
            .with_array("means", &[self.tried.len()], numbers(|t| t.mean))
            .with_array("deviations", &[self.tried.len()], numbers(|t| t.deviation))
            .with("best", self.best)
    }

    /// A search from plain data.
    pub(crate) fn read(record: &Record) -> Result<Self> {
        record.expect("choice", 1)?;
        let names = record.texts("tried")?;
        let means = record.array_of("means", &[names.len()])?;
        let deviations = record.array_of("deviations", &[names.len()])?;
        let best = record.count("best")?;
        if best >= names.len() {
            return Err(record.broken(format!("the winner is number {best} of {}", names.len())));
        }
        let numbers = means.into_iter().zip(deviations);
        let tried = names.iter().zip(numbers).map(|(settings, (mean, deviation))| Tried {
            settings: settings.clone(),
            mean,
            deviation,
        });
        let (measure, splits) = (record.text("measure")?.to_string(), record.count("splits")?);
        Ok(Choice { measure, splits, tried: tried.collect(), best })
    }
}
