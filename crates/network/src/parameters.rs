//! All numbers of a network that training may change, as one vector W.
//!
//! The order is that of the graph's weights, each row after row; weights that are not trained or hold no real numbers
//! are left out. Single precision comes out exactly and is rounded on the way in.

use crate::Network;
use base::graph::{Element, Source, Tensor};
use base::{Error, Result};
use std::ops::Range;

impl Network {
    /// Where each trained weight lies in the vector of all parameters: the weight's place in the graph, and its range.
    pub fn parameter_ranges(&self) -> Vec<(usize, Range<usize>)> {
        let mut next = 0;
        let mut ranges = vec![];
        for (i, weight) in self.graph().weights().iter().enumerate() {
            if weight.trained && weight.tensor.element().is_real() {
                let end = next + weight.tensor.numbers().len();
                ranges.push((i, next..end));
                next = end;
            }
        }
        ranges
    }

    /// The trained weights as sources, in the order of the parameters.
    pub fn parameter_sources(&self) -> Vec<Source> {
        self.parameter_ranges().into_iter().map(|(i, _)| Source::Weight(i)).collect()
    }

    /// All parameters.
    pub fn parameters(&self) -> Vec<f64> {
        self.parameter_ranges().into_iter().flat_map(|(i, _)| self.weights()[i].to_f64()).collect()
    }

    /// Puts other numbers into all parameters.
    pub fn set_parameters(&mut self, values: &[f64]) -> Result<()> {
        let ranges = self.parameter_ranges();
        let count = ranges.last().map_or(0, |(_, range)| range.end);
        if values.len() != count {
            return Err(Error::size("parameters of the network", count, values.len()));
        }
        for (i, range) in ranges {
            let weight = &self.graph().weights()[i].tensor;
            let shape = weight.shape().to_vec();
            let tensor = match weight.element() {
                Element::F32 => Tensor::f32(shape, values[range].iter().map(|&x| x as f32).collect())?,
                _ => Tensor::f64(shape, values[range].to_vec())?,
            };
            self.set_weight(i, tensor)?;
        }
        Ok(())
    }
}
