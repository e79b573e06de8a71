//! A machine is a fitted, immutable, storable function from rows to named columns.

use crate::graph::Graph;
use crate::{
    BySupport, Certificate, Chain, Error, Explainer, Facets, Features, Inputs, Points, Record, Result, Run, Shape,
    Support,
};
use std::any::Any;
use std::sync::Arc;

/// A fitted function: classifier, regressor, detector, scaler, projection.
pub trait Machine: Any + Send + Sync {
    /// What goes in.
    fn inputs(&self) -> &Features;

    /// What comes out.
    fn outputs(&self) -> &Outputs;

    /// Computes the outputs of inputs whose form, width and finiteness were checked; call [`Machine::compute`].
    fn apply(&self, inputs: &Inputs, run: &Run<'_>) -> Result<Points>;

    /// All that is needed to rebuild the machine.
    fn record(&self) -> Record;

    /// What it offers beyond that.
    fn facets(&self) -> Facets<'_> {
        Facets::default()
    }

    /// Computes the outputs: one row of [`Machine::outputs`] columns for each row of the inputs.
    fn compute(&self, inputs: &Inputs, run: &Run<'_>) -> Result<Points> {
        check_inputs(self.inputs(), self.facets().missing.admits, inputs)?;
        self.apply(inputs, run)
    }
}

impl dyn Machine {
    /// The machine as what it is, if it is that.
    pub fn downcast<T: Machine>(&self) -> Option<&T> {
        (self as &dyn Any).downcast_ref()
    }

    /// The kind of its record, to be named in a message; nothing is decided by it.
    pub fn kind(&self) -> String {
        self.record().kind().to_string()
    }

    /// The machine as what its maker knows it to be.
    pub fn expect<T: Machine>(&self) -> Result<&T> {
        let name = std::any::type_name::<T>().rsplit("::").next().unwrap_or_default();
        self.downcast().ok_or_else(|| Error::size("kind of a machine", name, self.kind()))
    }

    /// The machines it is made of, one after the other: those of a chain, or itself alone.
    pub fn links(&self) -> Vec<&dyn Machine> {
        match self.downcast::<Chain>() {
            Some(chain) => chain.machines().iter().map(|m| &**m).collect(),
            None => vec![self],
        }
    }

    /// Its form as a network, where it has one.
    pub fn to_graph(&self, run: &Run<'_>) -> Result<Option<Graph>> {
        match self.facets().graph {
            Some(form) => form.graph(run),
            None => Ok(None),
        }
    }

    /// The training points it carries within itself, if any.
    pub fn support(&self) -> Option<Support> {
        self.facets().support.map(|s| s.support())
    }

    /// How much each training point it carries adds to its scores, where scores are such sums.
    pub fn by_support(&self) -> Option<&dyn BySupport> {
        self.facets().support.and_then(|s| s.sums())
    }

    /// Its own explanations, made ready; refused where it has none.
    pub fn explainer(&self, run: &Run<'_>) -> Result<Box<dyn Explainer>> {
        match self.facets().explains {
            Some(own) => own.ready(run),
            None => {
                let instead = "ask for the methods that fit it (pellucid methods)";
                Err(Error::unsupported("explanations of its own", "this machine", instead))
            }
        }
    }
}

/// The columns that come out of a machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Outputs {
    /// The columns' names; for classes, the classes.
    pub names: Arc<[String]>,
    /// What they say.
    pub meaning: Meaning,
    /// How scores become probabilities.
    pub link: Link,
    /// How many of the last columns are side information (a variance, a distance) and no prediction.
    pub extra: usize,
    /// What the columns are when taken together: pixels of a picture stay pixels when they are scaled.
    pub shape: Option<Shape>,
}

crate::choices! {
    /// What the columns of an output say.
    pub enum Meaning {
        /// A score for each class; the largest wins.
        Classes = "classes",
        /// Predicted numbers.
        Values = "values",
        /// A score for each label; those above 0 are meant.
        Labels = "labels",
        /// Strangeness: grows with it.
        Outlier = "outlier",
        /// Prepared inputs of the next machine.
        Features = "features",
    }
}

crate::choices! {
    /// How scores of classes become probabilities.
    pub enum Link {
        /// They do not.
        None = "none",
        /// They are probabilities.
        Identity = "identity",
        /// p_k = exp(s_k) / Σ_j exp(s_j).
        Softmax = "softmax",
    }
}

impl Outputs {
    /// A score for each class.
    pub fn classes(names: Arc<[String]>, link: Link) -> Self {
        Outputs { names, meaning: Meaning::Classes, link, extra: 0, shape: None }
    }

    /// Predicted numbers.
    pub fn values(names: Arc<[String]>) -> Self {
        Outputs { names, meaning: Meaning::Values, link: Link::None, extra: 0, shape: None }
    }

    /// Prepared inputs.
    pub fn features(names: Arc<[String]>) -> Self {
        Outputs { names, meaning: Meaning::Features, link: Link::None, extra: 0, shape: None }
    }

    /// Prepared inputs that are the inputs changed one by one: the names and the shape stay.
    pub fn same(features: &Features) -> Self {
        let names = (0..features.count()).map(|c| features.name(c)).collect();
        Outputs { shape: features.shape(), ..Outputs::features(names) }
    }

    /// The same columns, which together make this shape.
    pub fn shaped(self, shape: Shape) -> Result<Self> {
        match shape.count() == Some(self.names.len()) {
            true => Ok(Outputs { shape: Some(shape), ..self }),
            false => Err(Error::size("columns of a shape", format!("{shape:?}"), self.names.len())),
        }
    }

    /// These columns as the inputs of the next machine.
    pub fn as_features(&self) -> Features {
        let features = Features::named(self.names.clone());
        match self.shape {
            Some(shape) => features.clone().shaped(shape).unwrap_or(features),
            None => features,
        }
    }

    /// These columns as plain data.
    pub fn record(&self) -> Record {
        let record = Record::new("outputs", 1)
            .with("names", &self.names[..])
            .with("meaning", self.meaning.word())
            .with("link", self.link.word())
            .with("extra", self.extra);
        Shape::put(self.shape, record)
    }

    /// Columns from plain data.
    pub fn read(record: &Record) -> Result<Self> {
        record.expect("outputs", 1)?;
        let names: Arc<[String]> = record.texts("names")?.into();
        let word = |name: &str| record.text(name);
        let meaning = word("meaning")?;
        let link = word("link")?;
        let extra = record.count("extra")?;
        if extra > names.len() {
            return Err(record.broken(format!("{extra} extra columns of {}", names.len())));
        }
        let outputs = Outputs {
            names,
            meaning: Meaning::from_word(meaning)
                .ok_or_else(|| record.broken(format!("unknown meaning {meaning:?}")))?,
            link: Link::from_word(link).ok_or_else(|| record.broken(format!("unknown link {link:?}")))?,
            extra,
            shape: None,
        };
        match Shape::get(record) {
            Some(shape) => outputs.shaped(shape),
            None => Ok(outputs),
        }
    }

    /// Whether a score above 0 calls a row an anomaly; other detectors only order the rows.
    pub fn decides_anomalies(&self) -> bool {
        self.meaning == Meaning::Outlier && self.names.first().is_some_and(|n| n == "outlier_score")
    }

    /// How many columns are predictions.
    pub fn main(&self) -> usize {
        self.names.len() - self.extra
    }
}

/// A machine with what its fit says of itself.
#[derive(Clone)]
pub struct Fitted {
    /// The machine.
    pub machine: Arc<dyn Machine>,
    /// How good the fit is.
    pub certificate: Certificate,
}

/// Makes sure that inputs fit a machine: form, width, finiteness.
pub fn check_inputs(expected: &Features, missing: bool, inputs: &Inputs) -> Result<()> {
    match (inputs, expected.table()) {
        (Inputs::Table(_), Some(_)) => Ok(()), // The machine matches columns by name.
        (Inputs::Points(points), None) => {
            if points.columns() != expected.count() {
                return Err(Error::size("columns of the points", expected.count(), points.columns()));
            }
            points.check(missing, |c| expected.name(c))
        }
        (Inputs::Table(_), None) => Err(Error::size("inputs", "points", "a table")),
        (Inputs::Points(_), Some(_)) => Err(Error::size("inputs", "a table", "points")),
    }
}

/// The outputs of a machine for some rows, with their meaning.
#[derive(Debug, Clone)]
pub struct Prediction {
    /// One row for each input row.
    pub scores: Points,
    /// What the columns say.
    pub outputs: Outputs,
}

impl Prediction {
    /// What `machine` says of `inputs`.
    pub fn of(machine: &dyn Machine, inputs: &Inputs, run: &Run<'_>) -> Result<Self> {
        Ok(Prediction { scores: machine.compute(inputs, run)?, outputs: machine.outputs().clone() })
    }

    /// The class with the largest score for each row; the first of equals.
    pub fn classes(&self, run: &Run<'_>) -> Result<Vec<u32>> {
        let width = self.outputs.names.len();
        if self.outputs.meaning != Meaning::Classes || self.outputs.main() == 0 {
            return Err(Error::unsupported("a class", "this machine", "it does not predict classes"));
        }
        let scores = self.scores.to_dense(&run.memory)?;
        Ok(scores.chunks_exact(width).map(|row| argmax(&row[..self.outputs.main()])).collect())
    }

    /// The probability of each class, if the machine gives any; rows sum to 1 and order as the scores do.
    pub fn probabilities(&self, run: &Run<'_>) -> Result<Option<Vec<f64>>> {
        let width = self.outputs.names.len();
        let main = self.outputs.main();
        if self.outputs.link == Link::None || self.outputs.meaning != Meaning::Classes {
            return Ok(None);
        }
        let scores = self.scores.to_dense(&run.memory)?;
        let mut out = Vec::with_capacity(self.scores.len() * main);
        for row in scores.chunks_exact(width.max(1)) {
            let row = &row[..main];
            match self.outputs.link {
                Link::Softmax => {
                    let top = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                    let start = out.len();
                    out.extend(row.iter().map(|s| (s - top).exp()));
                    let sum: f64 = out[start..].iter().sum();
                    out[start..].iter_mut().for_each(|p| *p /= sum);
                }
                Link::Identity | Link::None => out.extend_from_slice(row),
            }
        }
        Ok(Some(out))
    }
}

/// The place of the largest number, the first of equals; 0 for none.
pub fn argmax(row: &[f64]) -> u32 {
    let mut best = 0;
    for (i, &x) in row.iter().enumerate() {
        if x > row[best] {
            best = i;
        }
    }
    best as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_go_on_to_the_next_machine() {
        let shape = Shape::Image { height: 2, width: 3, channels: 1 };
        let features = Features::unnamed(6).shaped(shape).unwrap();
        let outputs = Outputs::same(&features);
        assert_eq!((outputs.names.len(), outputs.as_features().shape()), (6, Some(shape)));
        assert_eq!(Outputs::read(&outputs.record()), Ok(outputs.clone()));
        let plain = Outputs { shape: None, ..outputs.clone() };
        assert_eq!(Outputs::read(&plain.record()), Ok(plain.clone()));
        assert_eq!(plain.as_features().shape(), None);
        assert!(Outputs::values(vec!["y".to_string()].into()).shaped(shape).is_err());
    }
}
