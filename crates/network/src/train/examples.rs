//! Rows of data as a network is shown them: inputs as tensors, targets as numbers.

use crate::row::Row;
use base::graph::{Element, Graph, Tensor};
use base::{Classes, Dataset, Error, Features, Points, Result, Run, Targets, UNKNOWN, Values};

/// Rows to learn from.
pub struct Examples<'a> {
    points: &'a Points,
    row: Row,
    aims: Aims<'a>,
    /// Weights of the rows; their mean is 1.
    weights: Option<Vec<f64>>,
}

/// What the outputs of a row should be.
enum Aims<'a> {
    /// The place of the row's class gets `high`, the others `low`.
    Classes { classes: &'a Classes, place: Vec<u32>, count: usize, low: f64, high: f64 },
    /// Numbers, brought to mean 0 and deviation 1 by (x − mean) / deviation, column by column.
    Values { values: &'a Values, scale: Vec<(f64, f64)> },
    /// The inputs themselves.
    Inputs { columns: usize },
}

/// What is asked of the outputs.
#[derive(Debug, Clone)]
pub enum Ask {
    /// One number for each class: `high` at the row's own, `low` elsewhere; places among the outputs by class.
    Classes {
        /// The output of each class; [`UNKNOWN`] for one without rows.
        place: Vec<u32>,
        /// How many outputs.
        count: usize,
        /// What the other outputs should be.
        low: f64,
        /// What the output of the class should be.
        high: f64,
    },
    /// The values, brought to mean 0 and deviation 1 by these numbers.
    Values(Vec<(f64, f64)>),
    /// The inputs themselves.
    Inputs,
}

impl<'a> Examples<'a> {
    /// The rows of these data for a graph with one input.
    pub fn new(graph: &Graph, features: &Features, data: &'a Dataset, ask: Ask) -> Result<Self> {
        let points = data.points()?;
        let aims = match (ask, &data.targets) {
            (Ask::Classes { place, count, low, high }, Targets::Classes(classes)) => {
                Aims::Classes { classes, place, count, low, high }
            }
            (Ask::Values(scale), Targets::Values(values)) => Aims::Values { values, scale },
            (Ask::Inputs, _) => Aims::Inputs { columns: points.columns() },
            (_, other) => return Err(Error::size("targets", "those the network was made for", other.type_name())),
        };
        let weights = data.weights.as_ref().map(|w| {
            let mean = w.iter().sum::<f64>() / w.len().max(1) as f64;
            w.iter().map(|w| w / mean).collect()
        });
        Ok(Examples { points, row: Row::of(graph, features)?, aims, weights })
    }

    /// How many rows.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many targets a row has.
    pub fn width(&self) -> usize {
        match &self.aims {
            Aims::Classes { count, .. } => *count,
            Aims::Values { scale, .. } => scale.len(),
            Aims::Inputs { columns } => *columns,
        }
    }

    /// The precision of the inputs.
    pub fn element(&self) -> Element {
        self.row.element
    }

    /// The weight of a row; 1 on average.
    pub fn weight(&self, row: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |w| w[row])
    }

    /// The output that should win, where there are classes.
    pub fn class(&self, row: usize) -> Option<u32> {
        match &self.aims {
            Aims::Classes { classes, place, .. } => Some(place[classes.codes()[row] as usize]),
            _ => None,
        }
    }

    /// The targets of a row.
    pub fn aim(&self, row: usize, out: &mut [f64]) {
        match &self.aims {
            Aims::Classes { low, high, .. } => {
                out.fill(*low);
                if let Some(class) = self.class(row).filter(|&c| c != UNKNOWN) {
                    out[class as usize] = *high;
                }
            }
            Aims::Values { values, scale } => {
                let found = values.row(row).iter().zip(scale);
                out.iter_mut().zip(found).for_each(|(o, (v, (mean, deviation)))| *o = (v - mean) / deviation);
            }
            Aims::Inputs { .. } => self.points.write_row(row, out),
        }
    }

    /// The inputs of some rows.
    pub fn inputs(&self, rows: &[usize], run: &Run<'_>) -> Result<Tensor> {
        self.row.tensor(self.points, rows, run)
    }
}
