//! What a fit says of its own quality: nothing is silent.
//!
//! Wall-clock seconds are printed by applications and never stand here, so that stored files stay equal byte for byte.

use crate::{Choice, Record};
use std::collections::BTreeMap;

/// How good a fit is and what happened on the way.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Certificate {
    /// Whether the stopping rule was met.
    pub converged: bool,
    /// Whether time or the observer ended the work; the best so far was kept.
    pub interrupted: bool,
    /// Steps taken: epochs, iterations, merges.
    pub steps: u64,
    /// The value of what is minimised, where something is.
    pub objective: Option<f64>,
    /// How far from the optimum at most.
    pub gap: Gap,
    /// What the user should know: changes to the data, doubtful scales, limits met.
    pub warnings: Vec<String>,
    /// Further numbers by name.
    pub facts: BTreeMap<String, Fact>,
    /// How settings were chosen, where the fit chose some.
    pub choice: Option<Choice>,
}

/// Distance from the optimum.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Gap {
    /// Nothing is known, or there is no objective.
    #[default]
    Unknown,
    /// The objective is at most this far from its optimum.
    Duality(f64),
    /// The largest component of the gradient; for convex problems small means near the optimum.
    Gradient(f64),
    /// The relative residual of the equations that define the solution.
    Residual(f64),
    /// Only a stationary point can be promised, with this violation: the problem is not convex.
    Stationary(f64),
}

/// A number worth knowing.
#[derive(Debug, Clone, PartialEq)]
pub enum Fact {
    /// One number.
    Number(f64),
    /// Numbers along the way.
    Curve(Vec<f64>),
}

impl Certificate {
    /// Of a method that ends by itself in a known number of operations.
    pub fn direct() -> Self {
        Certificate { converged: true, steps: 1, ..Default::default() }
    }

    /// Adds a warning.
    pub fn warn(&mut self, text: impl Into<String>) {
        self.warnings.push(text.into());
    }

    /// Adds a number.
    pub fn fact(&mut self, name: &str, value: f64) {
        self.facts.insert(name.into(), Fact::Number(value));
    }

    /// The certificate as plain data, to be stored beside the machine.
    pub fn record(&self) -> Record {
        let (word, value) = self.gap.parts();
        let mut facts = Record::new("facts", 1);
        for (name, fact) in &self.facts {
            facts = match fact {
                Fact::Number(x) => facts.with(name, *x),
                Fact::Curve(xs) => facts.with_array(name, &[xs.len()], xs.clone()),
            };
        }
        Record::new("certificate", 1)
            .with("converged", self.converged)
            .with("interrupted", self.interrupted)
            .with("steps", self.steps as usize)
            .with_some("objective", self.objective)
            .with("gap-kind", word)
            .with_some("gap", value)
            .with("warnings", self.warnings.clone())
            .with("facts", facts)
            .with_some("choice", self.choice.as_ref().map(Choice::record))
    }

    /// A certificate from plain data.
    pub fn read(record: &Record) -> crate::Result<Self> {
        record.expect("certificate", 1)?;
        let optional = |name: &str| record.has(name).then(|| record.number(name)).transpose();
        let mut facts = BTreeMap::new();
        for (name, field) in record.part("facts")?.fields() {
            let fact = match field {
                crate::Field::Number(x) => Fact::Number(*x),
                crate::Field::Array { values, .. } => Fact::Curve(values.get(0..values.len()).into_owned()),
                _ => return Err(record.broken(format!("fact {name:?} is neither a number nor a curve"))),
            };
            facts.insert(name.clone(), fact);
        }
        Ok(Certificate {
            converged: record.flag("converged")?,
            interrupted: record.flag("interrupted")?,
            steps: record.count("steps")? as u64,
            objective: optional("objective")?,
            gap: Gap::from_parts(record.text("gap-kind")?, optional("gap")?),
            warnings: record.texts("warnings")?.to_vec(),
            facts,
            choice: record.has("choice").then(|| Choice::read(record.part("choice")?)).transpose()?,
        })
    }
}

impl Gap {
    /// What the gap measures, in a word, and its value.
    pub fn parts(&self) -> (&'static str, Option<f64>) {
        match *self {
            Gap::Unknown => ("unknown", None),
            Gap::Duality(x) => ("duality", Some(x)),
            Gap::Gradient(x) => ("gradient", Some(x)),
            Gap::Residual(x) => ("residual", Some(x)),
            Gap::Stationary(x) => ("stationary", Some(x)),
        }
    }

    /// What the gap measures, as people read it.
    pub fn label(&self) -> &'static str {
        match self {
            Gap::Unknown => "optimality gap",
            Gap::Duality(_) => "duality gap",
            Gap::Gradient(_) => "largest gradient component",
            Gap::Residual(_) => "relative residual",
            Gap::Stationary(_) => "optimality violation",
        }
    }

    fn from_parts(word: &str, value: Option<f64>) -> Self {
        match (word, value) {
            ("duality", Some(x)) => Gap::Duality(x),
            ("gradient", Some(x)) => Gap::Gradient(x),
            ("residual", Some(x)) => Gap::Residual(x),
            ("stationary", Some(x)) => Gap::Stationary(x),
            _ => Gap::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_bring_everything_back() {
        let mut certificate =
            Certificate { interrupted: true, steps: 7, gap: Gap::Gradient(1e-9), ..Default::default() };
        certificate.warn("3 rows with weight 0 were left out");
        certificate.fact("support vectors", 12.0);
        certificate.facts.insert("objective".into(), Fact::Curve(vec![2.0, 1.0]));
        let tried = |settings: &str, mean| crate::Tried { settings: settings.into(), mean, deviation: 0.01 };
        let tried = vec![tried("c=1", 0.9), tried("c=10, gamma=0.5", 0.95)];
        certificate.choice = Some(Choice { measure: "accuracy".into(), splits: 5, tried, best: 1 });
        assert_eq!(certificate.choice.as_ref().map(Choice::settings), Some("c=10, gamma=0.5"));
        assert_eq!(Certificate::read(&certificate.record()), Ok(certificate));
    }
}
