//! The cost of some rows and its gradient along the weights.

use super::cost::{Cost, Price};
use super::examples::Examples;
use super::settings::Training;
use crate::kernel::Context;
use crate::network::Network;
use crate::ops::add;
use base::graph::{Element, Op, Source, Tensor};
use base::{Error, Result, Run, Seed, argmax};

/// Rows of a pass over all of them that go through at once.
pub(crate) const BLOCK: usize = 1024;

/// What some rows cost.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Paid {
    /// Σ weight · cost.
    pub cost: f64,
    /// Σ weight.
    pub weight: f64,
    /// Σ weight of the rows whose class has the largest output.
    pub right: f64,
}

impl Paid {
    fn add(&mut self, other: Paid) {
        self.cost += other.cost;
        self.weight += other.weight;
        self.right += other.right;
    }

    /// The mean cost.
    pub fn mean(&self) -> f64 {
        self.cost / self.weight.max(f64::MIN_POSITIVE)
    }
}

/// A network, its examples and what it pays.
pub(crate) struct Lesson<'a> {
    pub examples: &'a Examples<'a>,
    pub price: Price,
    /// The weights that are trained, by their place in the graph.
    pub trained: Vec<usize>,
}

impl<'a> Lesson<'a> {
    /// All weights of the graph that may be trained, and the cost that settings ask for.
    pub fn new(network: &Network, examples: &'a Examples<'a>, settings: &Training) -> Self {
        let cost = match (settings.cost, examples.class(0)) {
            (Cost::Auto, Some(_)) => Cost::CrossEntropy,
            (Cost::Auto, None) => Cost::Quadratic,
            (cost, _) => cost,
        };
        let price = Price { cost, r: settings.r, gamma: 1.0 };
        Lesson { examples, price, trained: network.parameter_ranges().into_iter().map(|(i, _)| i).collect() }
    }

    /// Σ weight · cost / `divisor` of some rows along the trained weights; none where nothing depends on a weight.
    ///
    /// With a seed the network runs as in training, and what its batch normalisations saw is put into it.
    pub fn gradient(
        &self,
        network: &mut Network,
        rows: &[usize],
        divisor: f64,
        seed: Option<Seed>,
        run: &Run<'_>,
    ) -> Result<(Paid, Vec<Option<Tensor>>)> {
        let inputs = [self.examples.inputs(rows, run)?];
        let tape = match seed {
            Some(seed) => network.training_tape(&inputs, seed, run)?,
            None => network.tape(&inputs, run)?,
        };
        let output = network.graph().outputs()[0].1;
        let (paid, slope) = self.pay(tape.value(output)?, rows, divisor)?;
        let wanted: Vec<Source> = self.trained.iter().map(|&i| Source::Weight(i)).collect();
        let gradients = tape.pull(&[(output, slope)], &wanted, run)?;
        let seen = match seed {
            Some(_) => tape.batch_statistics(run)?,
            None => vec![],
        };
        drop(tape);
        seen.into_iter().for_each(|(weight, tensor)| network.put_weight(weight, tensor));
        Ok((paid, gradients))
    }

    /// The same for any number of rows, block by block.
    pub fn gradient_of_all(
        &self,
        network: &mut Network,
        rows: &[usize],
        seed: Option<Seed>,
        run: &Run<'_>,
    ) -> Result<(Paid, Vec<Option<Tensor>>)> {
        let mut total = Paid::default();
        let mut sum: Vec<Option<Tensor>> = vec![None; self.trained.len()];
        for (i, block) in rows.chunks(BLOCK).enumerate() {
            let (paid, gradients) = self.gradient(network, block, rows.len() as f64, seed.map(|s| s.at(i)), run)?;
            total.add(paid);
            let context = Context { run, pool: network.pool(), training: None };
            for (sum, gradient) in sum.iter_mut().zip(gradients) {
                *sum = match (sum.take(), gradient) {
                    (Some(a), Some(b)) => Some(add(&a, &b, &context)?),
                    (a, b) => a.or(b),
                };
            }
        }
        Ok((total, sum))
    }

    /// What some rows cost, predicting.
    pub fn cost(&self, network: &Network, rows: &[usize], run: &Run<'_>) -> Result<Paid> {
        let mut total = Paid::default();
        for block in rows.chunks(BLOCK) {
            let outputs = network.run(&[self.examples.inputs(block, run)?], run)?;
            total.add(self.pay(&outputs[0], block, 1.0)?.0);
        }
        Ok(total)
    }

    /// What outputs cost, and the slope of weight · cost / divisor along them.
    pub fn pay(&self, outputs: &Tensor, rows: &[usize], divisor: f64) -> Result<(Paid, Tensor)> {
        let values = outputs.to_f64();
        let width = self.examples.width();
        if values.len() != rows.len() * width || width == 0 {
            return Err(Error::size("outputs of the network for a row", width, format!("{:?}", outputs.shape())));
        }
        let mut slope = vec![0.0; values.len()];
        let mut aim = vec![0.0; width];
        let mut paid = Paid::default();
        for ((&row, s), g) in rows.iter().zip(values.chunks_exact(width)).zip(slope.chunks_exact_mut(width)) {
            self.examples.aim(row, &mut aim);
            let weight = self.examples.weight(row);
            paid.cost += weight * self.price.of(s, &aim, g);
            paid.weight += weight;
            paid.right += if self.examples.class(row) == Some(argmax(s)) { weight } else { 0.0 };
            g.iter_mut().for_each(|g| *g *= weight / divisor);
        }
        let slope = match outputs.element() {
            Element::F32 => Tensor::f32(outputs.shape(), slope.iter().map(|&x| x as f32).collect())?,
            _ => Tensor::f64(outputs.shape(), slope)?,
        };
        Ok((paid, slope))
    }
}

/// Whether some operation behaves otherwise in training.
pub(crate) fn is_random(network: &Network) -> bool {
    let other = |op: &Op| matches!(op, Op::Dropout { .. } | Op::BatchNorm { .. });
    network.graph().nodes().iter().any(|node| other(&node.op))
}
