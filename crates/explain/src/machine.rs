//! One output of a machine as a score with its gradient ([`base::Scored`]): what gradients, Taylor and integrated gradients
//! are written over.
//!
//! A machine's score comes through its graph where it has one, many rows in a few products, else through its gradient, block
//! after block.

use crate::chain::Explained;
use crate::subject::{Lent, Subject};
use crate::walk::{Begin, seed};
use base::graph::Source;
use base::{Error, Inputs, Machine, Points, Result, Run, Scored};
use numeric::each_chunk_mut;

/// Rows whose gradients are asked for at once.
const ROWS: usize = 64;

/// One output of a machine that takes points; a softmax at the end of a network is left out.
pub struct ScoreOf<'m> {
    machine: &'m dyn Machine,
    output: usize,
    net: Option<Lent>,
}

impl<'m> ScoreOf<'m> {
    /// Output `output` of a machine; refused where neither a graph nor a slope is there.
    pub fn new(machine: &'m dyn Machine, output: usize, run: &Run<'_>) -> Result<Self> {
        Subject::of(Explained::bare(machine)).score(output, true, run)
    }

    /// The same for methods that only ask for scores, which every machine has.
    pub fn without_gradient(machine: &'m dyn Machine, output: usize, run: &Run<'_>) -> Result<Self> {
        Subject::of(Explained::bare(machine)).score(output, false, run)
    }

    /// An output through the machine's network, if it has one.
    pub(crate) fn through(machine: &'m dyn Machine, output: usize, net: Option<Lent>, gradient: bool) -> Result<Self> {
        let width = machine.outputs().names.len();
        if output >= width {
            return Err(Error::size("output to explain", format!("below {width}"), output));
        }
        if let Some(Lent { net, .. }) = &net {
            let found = net.width(&network::frugal(net.network.graph()))?;
            if found != width {
                return Err(Error::size("scores of a network", width, found));
            }
        }
        if gradient && net.is_none() && machine.facets().gradient.is_none() {
            let instead = "ask for the methods that fit it (pellucid methods)";
            return Err(Error::unsupported("a gradient", "this machine", instead));
        }
        Ok(ScoreOf { machine, output, net })
    }

    /// Another output for each row.
    pub(crate) fn values_of(&self, points: &Points, outputs: &[usize], run: &Run<'_>) -> Result<Vec<f64>> {
        if let Some(Lent { net, .. }) = &self.net {
            return net.values(points, outputs, run);
        }
        let scores = self.machine.compute(&Inputs::Points(points.clone()), run)?;
        let width = scores.columns().max(1);
        let scores = scores.to_dense(&run.memory)?;
        Ok(outputs.iter().enumerate().map(|(i, output)| scores[i * width + output]).collect())
    }
}

impl Scored for ScoreOf<'_> {
    fn columns(&self) -> usize {
        self.machine.inputs().count()
    }

    fn numbers(&self) -> u64 {
        self.net.as_ref().map_or(0, |lent| lent.net.numbers())
    }

    fn values(&self, points: &Points, run: &Run<'_>) -> Result<Vec<f64>> {
        self.values_of(points, &vec![self.output; points.len()], run)
    }

    fn gradients(&self, points: &Points, run: &Run<'_>) -> Result<(Vec<f64>, Vec<f64>)> {
        let (n, d) = (points.len(), self.columns());
        let (mut out, _hold) = run.memory.filled(n.saturating_mul(d), 0.0, "gradients")?;
        if let Some(Lent { net, .. }) = &self.net {
            let mut values = vec![];
            net.blocks(points, &vec![self.output; n], run, |tape, rows, outputs| {
                let (seed, scores) = seed(tape.value(net.start)?, outputs, Begin::One)?;
                values.extend_from_slice(&scores[..rows.len()]);
                let pulled = tape.pull(&[(net.start, seed)], &[Source::Input(0)], run)?;
                if let Some(Some(gradient)) = pulled.first() {
                    out[rows.start * d..rows.end * d].copy_from_slice(&gradient.to_f64()[..rows.len() * d]);
                }
                Ok(())
            })?;
            return Ok((values, out));
        }
        let values = self.values(points, run)?;
        let width = self.machine.outputs().names.len();
        each_chunk_mut(run, &mut out, ROWS * d.max(1), |k, lines| {
            let block = points.slice(k * ROWS..n.min((k + 1) * ROWS));
            let mut direction = vec![0.0; block.len() * width];
            direction.iter_mut().skip(self.output).step_by(width).for_each(|x| *x = 1.0);
            // Looked for within each block: a gradient need not be shared between threads.
            match self.machine.facets().gradient {
                Some(gradient) => gradient.vjp(&block, &direction, lines, run),
                None => Err(Error::unsupported("a gradient", "this machine", "ask for scores alone")),
            }
        })?;
        Ok((values, out))
    }
}
