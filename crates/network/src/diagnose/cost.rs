//! The cost of a network on some rows as a function of its parameters, with the gradient by pulling back.

use crate::Network;
use base::graph::{Element, Tensor};
use base::{Error, Result, Run};
use numeric::Objective;

/// The value of a loss for the first output of a network, and its gradient with respect to that output.
pub type OutputLoss<'a> = dyn Fn(&Tensor) -> Result<(f64, Tensor)> + 'a;

/// E(W) for fixed inputs. The network holds the parameters of the last evaluation.
pub struct NetworkCost<'a, 'r> {
    network: &'a mut Network,
    inputs: &'a [Tensor],
    loss: &'a OutputLoss<'a>,
    run: &'a Run<'r>,
}

impl<'a, 'r> NetworkCost<'a, 'r> {
    /// The cost of a network in double precision: differences of gradients would drown in single.
    pub fn new(
        network: &'a mut Network,
        inputs: &'a [Tensor],
        loss: &'a OutputLoss<'a>,
        run: &'a Run<'r>,
    ) -> Result<NetworkCost<'a, 'r>> {
        let weights = network.graph().weights();
        if let Some(weight) = weights.iter().find(|w| w.trained && w.tensor.element() == Element::F32) {
            return Err(Error::unsupported(
                format!("the weight {:?} in single precision", weight.name),
                "diagnosis of a network",
                "build the graph in f64",
            ));
        }
        match network.parameter_ranges().is_empty() {
            true => Err(Error::size("parameters of the network", "at least 1", 0)),
            false => Ok(NetworkCost { network, inputs, loss, run }),
        }
    }
}

impl Objective for NetworkCost<'_, '_> {
    fn value_and_gradient(&mut self, x: &[f64], gradient: &mut [f64]) -> Result<f64> {
        self.network.set_parameters(x)?;
        if gradient.len() != x.len() {
            return Err(Error::size("components of a gradient", x.len(), gradient.len()));
        }
        let tape = self.network.tape(self.inputs, self.run)?;
        let (_, source) = self.network.graph().outputs()[0];
        let (value, slope) = (self.loss)(tape.value(source)?)?;
        let pulled = tape.pull(&[(source, slope)], &self.network.parameter_sources(), self.run)?;
        for ((_, range), pulled) in self.network.parameter_ranges().into_iter().zip(pulled) {
            match pulled {
                Some(tensor) => gradient[range].copy_from_slice(&tensor.to_f64()),
                None => gradient[range].fill(0.0), // Nothing of it reaches the output.
            }
        }
        Ok(value)
    }
}

/// Half the squared error a row, (1/P) Σ ½ |σ − τ|², for these targets, row after row.
pub fn half_squares(targets: &[f64]) -> impl Fn(&Tensor) -> Result<(f64, Tensor)> + '_ {
    move |output: &Tensor| {
        let outputs = output.to_f64();
        if outputs.len() != targets.len() {
            return Err(Error::size("outputs of the network", targets.len(), outputs.len()));
        }
        let rows = output.shape().first().copied().unwrap_or(1).max(1) as f64;
        let misses: Vec<f64> = outputs.iter().zip(targets).map(|(o, t)| o - t).collect();
        let value = misses.iter().map(|m| 0.5 * m * m).sum::<f64>() / rows;
        Ok((value, Tensor::f64(output.shape(), misses.iter().map(|m| m / rows).collect())?))
    }
}
