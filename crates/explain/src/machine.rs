//! A score with its gradient, whatever gives it: what gradients, Taylor and integrated gradients are written over.
//!
//! A machine's score comes through its graph where it has one, many rows in a few products, else through its slope, row
//! after row.

use crate::OneClass;
use base::graph::{Graph, Source, Tensor};
use base::{Error, Inputs, Machine, Points, Result, Run};
use network::Network;
use numeric::each_chunk_mut;

/// A number for each row, with a gradient in the variables.
pub trait Scored: Sync {
    /// How many variables.
    fn columns(&self) -> usize;

    /// The score of each row.
    fn values(&self, points: &Points, run: &Run<'_>) -> Result<Vec<f64>>;

    /// The score of each row and its gradient, row after row.
    fn gradients(&self, points: &Points, run: &Run<'_>) -> Result<(Vec<f64>, Vec<f64>)>;
}

impl Scored for OneClass {
    fn columns(&self) -> usize {
        OneClass::columns(self)
    }

    fn values(&self, points: &Points, run: &Run<'_>) -> Result<Vec<f64>> {
        self.outlierness(points, run)
    }

    fn gradients(&self, points: &Points, run: &Run<'_>) -> Result<(Vec<f64>, Vec<f64>)> {
        self.gradient(points, run)
    }
}

/// One output of a machine that takes points.
pub struct ScoreOf<'m> {
    machine: &'m dyn Machine,
    output: usize,
    network: Option<Network>,
}

impl<'m> ScoreOf<'m> {
    /// Output `output` of a machine; refused where neither a graph nor a slope is there.
    pub fn new(machine: &'m dyn Machine, output: usize) -> Result<Self> {
        let width = machine.outputs().names.len();
        if output >= width {
            return Err(Error::size("output to explain", format!("below {width}"), output));
        }
        let fits = |graph: &Graph| graph.inputs().len() == 1 && !graph.nodes().is_empty();
        let network = machine.to_graph()?.filter(fits).map(Network::new);
        if network.is_none() && machine.slope().is_none() {
            let instead = "ask for the methods that fit it (pellucid methods)";
            return Err(Error::unsupported("a gradient", "this machine", instead));
        }
        Ok(ScoreOf { machine, output, network })
    }
}

impl Scored for ScoreOf<'_> {
    fn columns(&self) -> usize {
        self.machine.inputs().count()
    }

    fn values(&self, points: &Points, run: &Run<'_>) -> Result<Vec<f64>> {
        let scores = self.machine.compute(&Inputs::Points(points.clone()), run)?;
        let width = scores.columns().max(1);
        Ok(scores.to_dense(&run.memory)?.iter().skip(self.output).step_by(width).copied().collect())
    }

    fn gradients(&self, points: &Points, run: &Run<'_>) -> Result<(Vec<f64>, Vec<f64>)> {
        let (n, d) = (points.len(), self.columns());
        let (mut out, _hold) = run.memory.filled(n.saturating_mul(d), 0.0, "gradients")?;
        if let Some(network) = &self.network {
            let x = Tensor::f64([n, d], points.to_dense(&run.memory)?.to_vec())?;
            let tape = network.tape(&[x], run)?;
            let source = network.graph().outputs()[0].1;
            let scores = tape.value(source)?;
            let width = self.machine.outputs().names.len();
            if scores.shape() != [n, width] {
                return Err(Error::size(
                    "scores of a network",
                    format!("{n} x {width}"),
                    format!("{:?}", scores.shape()),
                ));
            }
            let values = scores.to_f64().into_iter().skip(self.output).step_by(width).collect();
            let mut seed = vec![0.0; n * width];
            seed.iter_mut().skip(self.output).step_by(width).for_each(|s| *s = 1.0);
            let pulled = tape.pull(&[(source, Tensor::f64([n, width], seed)?)], &[Source::Input(0)], run)?;
            if let Some(Some(gradient)) = pulled.first() {
                out.copy_from_slice(&gradient.to_f64());
            }
            return Ok((values, out));
        }
        let values = self.values(points, run)?;
        let mut direction = vec![0.0; self.machine.outputs().names.len()];
        direction[self.output] = 1.0;
        // Looked for within each piece: a slope need not be shared between threads.
        each_chunk_mut(run, &mut out, d.max(1), |i, line| {
            let mut x = vec![0.0; d];
            points.write_row(i, &mut x);
            if let Some(slope) = self.machine.slope() {
                slope.pull(&x, &direction, line);
            }
            Ok(())
        })?;
        Ok((values, out))
    }
}
