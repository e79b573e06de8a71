//! The network of a machine, made ready for walks: rows go through in blocks, and several walks share each run.
//!
//! Probabilities at the end are taken off (a softmax, logistic functions: scores are explained), constants are computed, what is idle goes,
//! and normalisations join the linear layers beside them unless another way is asked for.
//!
//! **Cost.** Rows at once are as many as keep all activations below `BLOCK` bytes, so that memory does not grow with the
//! data.

use base::graph::{Element, Graph, Source, Tensor};
use base::{Error, Machine, Meaning, Points, Progress, Result, Run};
use network::{Network, Tape, TensorForm, rewrite};
use std::ops::Range;

/// Bytes of all activations of a block of rows that is walked back through.
const BLOCK: u64 = 256 << 20;
/// Bytes of the largest activation of a block of rows that only goes ahead: such blocks stay near the processor.
const AHEAD: u64 = 4 << 20;

/// Why machines without a graph are refused.
pub(crate) const NO_NETWORK: &str = "it cannot be written as a network";

/// A machine's network.
pub(crate) struct Net {
    pub network: Network,
    /// Where the scores are.
    pub start: Source,
    /// How many rows the graph was made for, if not for any number.
    fixed: Option<usize>,
    columns: usize,
    block: usize,
    ahead: usize,
    /// Bytes of all activations of a row.
    each: u64,
}

/// The graph of a machine as it is explained; none if it does not take one table of numbers.
fn ready(machine: &dyn Machine, graph: &Graph, fuse: bool, run: &Run<'_>) -> Result<Option<Graph>> {
    let takes_rows = graph.inputs().len() == 1 && graph.inputs()[0].element == Element::F64;
    if !takes_rows || graph.nodes().is_empty() || graph.outputs().is_empty() {
        return Ok(None);
    }
    let mut graph = rewrite::without_final_softmax(&rewrite::only_output(graph, 0)?)?;
    let outputs = machine.outputs();
    if outputs.meaning == Meaning::Classes && outputs.names.len() > 1 {
        graph = rewrite::without_final_sigmoid(&graph)?;
    }
    Ok(Some(match fuse {
        true => rewrite::canonical(&graph, run)?,
        false => rewrite::without_idle(&rewrite::folded(&graph, run)?)?,
    }))
}

impl Net {
    /// The network of a machine and the bytes it takes, made ready within what its weights take, so that answers do not
    /// depend on the memory that happens to be free.
    pub fn planned(machine: &dyn Machine, fuse: bool) -> Result<(Self, u64)> {
        let apart = Run::quiet(0);
        if let Some(graph) = machine.to_graph(&apart)? {
            let frugal = network::frugal(&graph);
            if let Some(graph) = ready(machine, &graph, fuse, &frugal)? {
                let net = Self::new(graph, machine.inputs().count(), &frugal)?;
                return Ok((net, apart.memory.used().saturating_add(frugal.memory.used())));
            }
        }
        Err(Error::unsupported("this method", "this machine", NO_NETWORK))
    }

    /// The network of a graph that takes rows of so many columns.
    fn new(graph: Graph, columns: usize, run: &Run<'_>) -> Result<Self> {
        let (start, fixed) = (graph.outputs()[0].1, graph.inputs()[0].shape[0]);
        let network = Network::new(graph);
        let rows = fixed.unwrap_or(1);
        let plan = network.plan(&[TensorForm::new(Element::F64, [rows, columns])], run)?;
        let bytes = |form: &TensorForm| form.count().map_or(u64::MAX, |n| n as u64 * form.element.bytes());
        let all = || (0..network.graph().nodes().len()).filter_map(|i| plan.form(i, 0)).map(bytes);
        let rows_in = |block: u64, bytes: u64| {
            let each = bytes / rows.max(1) as u64;
            fixed.unwrap_or(usize::try_from(block / each.max(1)).unwrap_or(usize::MAX).max(1))
        };
        let activations = all().fold(0u64, u64::saturating_add);
        let block = rows_in(BLOCK, activations);
        let given = (rows as u64).saturating_mul(columns as u64).saturating_mul(8);
        let ahead = rows_in(AHEAD, all().fold(given, u64::max));
        drop(plan);
        let each = activations / rows.max(1) as u64;
        Ok(Net { network, start, fixed, columns, block, ahead, each })
    }

    /// Numbers of its weights and of all activations of a row, about: what a pass costs at least.
    pub fn numbers(&self) -> u64 {
        let weights = self.network.graph().weights().iter().map(|w| w.tensor.numbers().len() as u64);
        weights.fold(self.each / 8, u64::saturating_add)
    }

    /// Runs the rows block after block and hands on each tape, its rows, and the output asked for in each of them.
    ///
    /// Blocks of a fixed length are filled up with their first row; what is told of the copies is to be dropped.
    pub fn blocks(
        &self,
        points: &Points,
        outputs: &[usize],
        run: &Run<'_>,
        mut each: impl FnMut(&Tape<'_>, Range<usize>, &[usize]) -> Result<()>,
    ) -> Result<()> {
        self.each_block(points, self.block, run, |rows, range, x| {
            let wanted: Vec<usize> = rows.iter().map(|&i| outputs[i]).collect();
            each(&self.network.tape(&[x], run)?, range, &wanted)
        })
    }

    /// The score asked for in each row.
    pub fn values(&self, points: &Points, outputs: &[usize], run: &Run<'_>) -> Result<Vec<f64>> {
        let mut all = vec![];
        self.each_block(points, self.ahead, run, |rows, range, x| {
            let found = self.network.run(&[x], run)?.swap_remove(0);
            let width = found.numbers().len() / rows.len().max(1);
            let scores = found.to_f64();
            all.extend(range.enumerate().map(|(k, i)| scores[k * width + outputs[i]]));
            Ok(())
        })?;
        Ok(all)
    }

    fn each_block(
        &self,
        points: &Points,
        block: usize,
        run: &Run<'_>,
        mut each: impl FnMut(&[usize], Range<usize>, Tensor) -> Result<()>,
    ) -> Result<()> {
        let n = points.len();
        for from in (0..n).step_by(block.max(1)) {
            run.report(&Progress::of("explaining", from as u64, n as u64))?;
            let to = n.min(from.saturating_add(block));
            // A fixed number of rows comes from a file and may be any.
            let count = self.fixed.unwrap_or(to - from);
            let _held = run.memory.take_for::<usize>(count, "rows to explain")?;
            let rows: Vec<usize> = (from..to).chain(std::iter::repeat(from)).take(count).collect();
            let (mut x, _hold) = run.memory.filled(rows.len().saturating_mul(self.columns), 0.0, "rows to explain")?;
            for (&i, out) in rows.iter().zip(x.chunks_exact_mut(self.columns.max(1))) {
                points.write_row(i, out);
            }
            each(&rows, from..to, Tensor::f64([rows.len(), self.columns], x)?)?;
        }
        Ok(())
    }

    /// How many scores there are.
    pub fn width(&self, run: &Run<'_>) -> Result<usize> {
        let rows = self.fixed.unwrap_or(1);
        let plan = self.network.plan(&[TensorForm::new(Element::F64, [rows, self.columns])], run)?;
        let form = match self.start {
            Source::Node(i, port) => plan.form(i, port),
            _ => None,
        };
        Ok(form.map_or(self.columns, |f| f.shape.iter().skip(1).product()))
    }
}
