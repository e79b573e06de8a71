//! The machine of a network: rows of points in, rows of scores out.
//!
//! The graph has one input and one output, and the first axis of both counts rows. The input is (rows, columns), or
//! what the features say they make together: a picture as (rows, channels, height, width), a series as (rows, channels,
//! length), both also with the channels last. Points hold the channels of a pixel side by side, so a graph that wants
//! them first gets them moved. What comes out of a row, however many axes it has, is one row of numbers.
//!
//! **Cost.** That of the network. Rows go through in blocks whose largest activation takes `BLOCK` bytes: large enough
//! for products to be fast, small enough to stay near the processor. Sparse points are written out a block at a time.
//! A graph that was made for a certain number of rows gets just that many; what a last block lacks is filled with
//! copies of its first row, whose answers are dropped.

use crate::kernel::TensorForm;
use crate::network::Network;
use crate::plan::{ShapePlan, frugal};
use crate::row::Row;
use base::graph::{Draft, Element, Graph, Numbers, Op, Source, Tensor, Unary};
use base::{
    Buffer, Error, Facets, Features, Gradient, GraphForm, Inputs, Machine, Missing, Outputs, Points, Progress, Record,
    Result, Run, Shared,
};
use std::sync::Arc;

/// Bytes of the largest activation of a block of rows.
const BLOCK: u64 = 8 << 20;

/// A network as a machine.
#[derive(Debug, Clone)]
pub struct NetworkMachine {
    graph: Arc<Graph>,
    inputs: Features,
    outputs: Outputs,
    row: Row,
    /// What comes out for some rows.
    last: TensorForm,
    /// How many rows go through at once.
    block: usize,
    /// Whether gaps may go in.
    missing: bool,
}

impl NetworkMachine {
    /// The kind of its record.
    pub const KIND: &'static str = "network";

    /// How many columns a graph gives for rows of these features.
    pub fn width_of(graph: &Graph, inputs: &Features) -> Result<usize> {
        let (_, last, _) = Self::measured(graph, inputs)?;
        Ok(last.shape.iter().skip(1).product())
    }

    /// How rows go in, what comes out for some of them, and how many go through at once.
    fn measured(graph: &Graph, inputs: &Features) -> Result<(Row, TensorForm, usize)> {
        let row = Row::of(graph, inputs)?;
        let [(name, last)] = graph.outputs() else {
            return Err(Error::size("outputs of the network of a machine", 1, graph.outputs().len()));
        };
        // Two rows, so that what does not grow with them shows.
        let rows = row.fixed.unwrap_or(2);
        let plan = ShapePlan::new(graph, &[row.form(rows)?], &frugal(graph))?;
        let last = match *last {
            Source::Input(_) => row.form(rows)?,
            Source::Weight(i) => {
                TensorForm::new(graph.weights()[i].tensor.element(), graph.weights()[i].tensor.shape())
            }
            Source::Node(i, port) => plan.form(i, port).cloned().unwrap_or(TensorForm::new(Element::F64, [])),
        };
        if last.shape.first() != Some(&rows) {
            let what = format!("output {name:?} of the network");
            return Err(Error::size(what, format!("{rows} rows"), format!("shape {:?} for {rows} rows", last.shape)));
        }
        let block = row.fixed.unwrap_or_else(|| rows_in_a_block(&plan, &row, rows));
        Ok((row, last, block))
    }

    /// The machine of a graph with one input that these features fit and one output of that many columns.
    pub fn new(graph: Graph, inputs: Features, outputs: Outputs) -> Result<Self> {
        let (row, last, block) = Self::measured(&graph, &inputs)?;
        let (found, width) = (last.shape.iter().skip(1).product::<usize>(), outputs.names.len());
        if found != width {
            return Err(Error::size(format!("columns of output {:?}", graph.outputs()[0].0), width, found));
        }
        Ok(NetworkMachine { graph: Arc::new(graph), inputs, outputs, row, last, block, missing: false })
    }

    /// The same machine, which takes gaps as they are: a network that fills them, or one before a machine that does.
    #[must_use]
    pub fn with_gaps(self) -> Self {
        NetworkMachine { missing: true, ..self }
    }

    /// The machine a record speaks of.
    pub fn read(record: &Record) -> Result<Self> {
        record.expect_within(Self::KIND, 2..=2)?;
        let (inputs, outputs) = (Features::read(record.part("inputs")?)?, Outputs::read(record.part("outputs")?)?);
        let machine = NetworkMachine::new(Graph::read(record.part("graph")?)?, inputs, outputs)?;
        Ok(NetworkMachine { missing: record.has("missing") && record.flag("missing")?, ..machine })
    }

    /// What it computes.
    pub fn graph(&self) -> &Arc<Graph> {
        &self.graph
    }

    /// Rows `from..to` as the graph's input; what a block of a fixed length lacks are copies of its first row.
    fn tensor(&self, points: &Points, from: usize, to: usize, run: &Run<'_>) -> Result<Tensor> {
        // A fixed number of rows comes from the file and may be any.
        let count = self.row.fixed.unwrap_or(to - from);
        let _hold = run.memory.take_for::<usize>(count, "rows of a network")?;
        let rows: Vec<usize> = (from..to).chain(std::iter::repeat(from)).take(count).collect();
        self.row.tensor(points, &rows, run)
    }

    /// From what the graph gives to (rows, columns) in double precision.
    fn exit(&self) -> Result<Graph> {
        let mut draft = Draft::rows(self.outputs.names.len());
        let mut y = Draft::INPUT;
        if self.last.shape.len() != 2 {
            let shape = draft.wholes("rows of outputs", &[2], vec![-1, self.outputs.names.len() as i64])?;
            y = draft.node("outputs as rows", Op::Reshape { zero: false }, &[y, shape]);
        }
        if self.last.element != Element::F64 {
            y = draft.node("outputs in double precision", Op::Cast { to: Element::F64 }, &[y]);
        }
        draft.graph(y)
    }

    /// The gradient of some rows in these directions.
    fn pulled(
        &self,
        points: &Points,
        rows: std::ops::Range<usize>,
        direction: &[f64],
        run: &Run<'_>,
    ) -> Result<Vec<f64>> {
        let d = points.columns();
        let network = Network::new(self.graph.clone());
        let tape = network.tape(&[self.tensor(points, rows.start, rows.end, run)?], run)?;
        let last = self.graph.outputs()[0].1;
        let value = tape.value(last)?;
        // Rows that only fill the block pull at nothing.
        let mut seed = vec![0.0; value.numbers().len()];
        seed[..direction.len()].copy_from_slice(direction);
        let seed = match value.element() {
            Element::F32 => Tensor::f32(value.shape(), seed.iter().map(|&x| x as f32).collect())?,
            _ => Tensor::f64(value.shape(), seed)?,
        };
        let pulled = tape.pull(&[(last, seed)], &[Source::Input(0)], run)?.remove(0);
        let Some(slope) = pulled.map(|t| t.to_f64()) else { return Ok(vec![0.0; rows.len() * d]) };
        // A block of a fixed length has as many rows as it says.
        let each = slope.len() / self.row.fixed.unwrap_or(rows.len()).max(1);
        Ok((0..rows.len() * d).map(|at| slope[at / d * each + self.row.place(at % d)]).collect())
    }
}

/// How many rows go through at once: as many as make the largest activation take `BLOCK` bytes.
fn rows_in_a_block(plan: &ShapePlan, row: &Row, rows: usize) -> usize {
    let bytes = |form: &TensorForm| form.count().map_or(u64::MAX, |n| n as u64 * form.element.bytes());
    let grown = plan.nodes.iter().flatten().filter(|k| k.value.is_none()).map(|k| bytes(&k.form));
    let input = row.form(rows).map_or(u64::MAX, |form| bytes(&form));
    let largest = grown.fold(input, u64::max) / rows.max(1) as u64;
    usize::try_from(BLOCK / largest.max(1)).unwrap_or(usize::MAX).max(1)
}

impl Machine for NetworkMachine {
    fn inputs(&self) -> &Features {
        &self.inputs
    }

    fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    fn apply(&self, inputs: &Inputs, run: &Run<'_>) -> Result<Points> {
        let Inputs::Points(points) = inputs else { return Err(Error::size("inputs", "points", "a table")) };
        let (n, width) = (points.len(), self.outputs.names.len());
        let (mut scores, hold) = run.memory.filled(n.saturating_mul(width), 0.0, "scores")?;
        // Of this call alone, so that its buffers are counted and given back by this run.
        let network = Network::new(self.graph.clone());
        for from in (0..n).step_by(self.block.max(1)) {
            run.report(&Progress::of("rows", from as u64, n as u64))?;
            let to = n.min(from.saturating_add(self.block));
            let input = self.tensor(points, from, to, run)?;
            let found = network.run(&[input], run)?;
            let out = &mut scores[from * width..to * width];
            match found[0].numbers() {
                Numbers::F32(v) => out.iter_mut().zip(&v[..]).for_each(|(o, x)| *o = f64::from(*x)),
                Numbers::F64(v) => out.iter_mut().zip(&v[..]).for_each(|(o, x)| *o = *x),
                Numbers::I64(v) => out.iter_mut().zip(&v[..]).for_each(|(o, x)| *o = *x as f64),
                Numbers::Bool(v) => out.iter_mut().zip(&v[..]).for_each(|(o, x)| *o = f64::from(u8::from(*x))),
            }
        }
        Points::dense(Buffer::F64(Shared::counted(scores, hold)), n, width)
    }

    fn record(&self) -> Record {
        Record::new(Self::KIND, 2)
            .with("inputs", self.inputs.record())
            .with("outputs", self.outputs.record())
            .with("graph", self.graph.record())
            .with_some("missing", self.missing.then_some(true))
    }

    fn facets(&self) -> Facets<'_> {
        let fills = || self.graph.nodes().iter().any(|node| node.op == Op::Unary(Unary::IsNan));
        Facets {
            missing: Missing { admits: self.missing, passes: self.missing && !fills() },
            // Whole numbers have no gradient.
            gradient: self.row.element.is_real().then_some(self),
            graph: Some(self),
            ..Facets::default()
        }
    }
}

impl GraphForm for NetworkMachine {
    fn graph(&self, _run: &Run<'_>) -> Result<Option<Graph>> {
        let (before, after) = (self.row.entrance(self.inputs.count())?, self.exit()?);
        before.then((*self.graph).clone())?.then(after).map(Some)
    }
}

impl Gradient for NetworkMachine {
    fn vjp(&self, points: &Points, direction: &[f64], out: &mut [f64], run: &Run<'_>) -> Result<()> {
        let (n, d, width) = (points.len(), points.columns(), self.outputs.names.len());
        if direction.len() != n * width || out.len() != n * d {
            return Err(Error::size("numbers of a gradient", n * width, direction.len()));
        }
        for from in (0..n).step_by(self.block.max(1)) {
            run.check()?;
            let to = n.min(from + self.block.max(1));
            let pulled = self.pulled(points, from..to, &direction[from * width..to * width], run)?;
            out[from * d..to * d].copy_from_slice(&pulled);
        }
        Ok(())
    }
}
