//! A machine that keeps some columns and leaves out the rest.
//!
//! Names and order stay; sparse points stay sparse and single precision single. O(kept numbers).

use base::graph::{Draft, Graph, Op};
use base::{
    Buffer, Error, Facets, Features, Gradient, GraphForm, Inputs, Machine, Missing, Origin, Outputs, Points,
    PreparationStep, Record, Result, Run, Shared, Sparse, vjp_by_row,
};

/// Keeps some columns.
pub struct Selector {
    features: Features,
    outputs: Outputs,
    columns: Vec<usize>,
    missing: bool,
}

impl Selector {
    /// The kind of its record.
    pub const KIND: &'static str = "selector";

    /// A machine that keeps these columns, ascending; `missing` says whether gaps may pass through.
    pub fn new(features: Features, columns: Vec<usize>, missing: bool) -> Result<Self> {
        let ascending = columns.windows(2).all(|w| w[0] < w[1]);
        if !ascending || columns.is_empty() || columns.last().is_some_and(|&c| c >= features.count()) {
            let expected = format!("ascending and below {}", features.count());
            return Err(Error::size("columns to keep", expected, format!("{columns:?}")));
        }
        let names = columns.iter().map(|&c| features.name(c)).collect();
        Ok(Selector { outputs: Outputs::features(names), features, columns, missing })
    }

    /// The machine a record speaks of.
    pub fn read(record: &Record) -> Result<Self> {
        record.expect_within(Self::KIND, 2..=2)?;
        let features = Features::read(record.part("inputs")?)?;
        let columns = record.ids("columns")?.iter().map(|&c| c as usize).collect();
        Self::new(features, columns, record.flag("missing")?)
    }

    /// The columns that are kept.
    pub fn columns(&self) -> &[usize] {
        &self.columns
    }
}

impl Machine for Selector {
    fn inputs(&self) -> &Features {
        &self.features
    }

    fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    fn apply(&self, inputs: &Inputs, run: &Run<'_>) -> Result<Points> {
        let Inputs::Points(points) = inputs else { return Err(Error::size("inputs", "points", "a table")) };
        pick(points, &self.columns, run)
    }

    fn record(&self) -> Record {
        Record::new(Self::KIND, 2)
            .with("inputs", self.features.record())
            .with("columns", self.columns.iter().map(|&c| c as u32).collect::<Vec<_>>())
            .with("missing", self.missing)
    }

    fn facets(&self) -> Facets<'_> {
        Facets {
            missing: Missing::passed_if(self.missing),
            gradient: Some(self),
            graph: Some(self),
            step: Some(self),
            ..Facets::default()
        }
    }
}

impl GraphForm for Selector {
    fn graph(&self, _run: &Run<'_>) -> Result<Option<Graph>> {
        let mut draft = Draft::rows(self.features.count());
        let columns = self.columns.iter().map(|&c| c as i64).collect::<Vec<_>>();
        let columns = draft.wholes("columns", &[columns.len()], columns)?;
        let kept = draft.node("kept", Op::Gather { axis: 1 }, &[Draft::INPUT, columns]);
        draft.graph(kept).map(Some)
    }
}

impl PreparationStep for Selector {
    fn origin(&self) -> Option<Origin> {
        Origin::new(self.columns.iter().map(|&c| c as u32).collect(), self.features.clone()).ok()
    }
}

impl Gradient for Selector {
    fn vjp(&self, points: &Points, direction: &[f64], out: &mut [f64], run: &Run<'_>) -> Result<()> {
        vjp_by_row(points, direction, out, run, |_, direction, out| {
            out.fill(0.0);
            self.columns.iter().zip(direction).for_each(|(&c, d)| out[c] = *d);
        })
    }
}

/// These columns of the points; they must ascend and be there.
pub(crate) fn pick(points: &Points, columns: &[usize], run: &Run<'_>) -> Result<Points> {
    match points {
        Points::Dense(dense) => {
            let width = dense.columns();
            let values = match dense.values() {
                Buffer::F32(values) => Buffer::F32(gather(values, width, columns, points.len(), run)?),
                Buffer::F64(values) => Buffer::F64(gather(values, width, columns, points.len(), run)?),
            };
            Points::dense(values, points.len(), columns.len())
        }
        Points::Sparse(sparse) => {
            let hold = run.memory.take(points.bytes(), "kept columns")?;
            let mut place = vec![None; sparse.columns()];
            columns.iter().enumerate().for_each(|(new, &old)| place[old] = Some(new as u32));
            let (mut starts, mut ids, mut values) = (Vec::with_capacity(sparse.len() + 1), vec![], vec![]);
            starts.push(0);
            for i in 0..sparse.len() {
                let (row_ids, row_values) = sparse.row(i);
                for (&id, &x) in row_ids.iter().zip(row_values) {
                    if let Some(new) = place[id as usize] {
                        ids.push(new);
                        values.push(x);
                    }
                }
                starts.push(ids.len());
            }
            Ok(Points::Sparse(Sparse::new(starts, ids, Shared::counted(values, hold), columns.len())?))
        }
    }
}

fn gather<T: Copy + Send + Sync + 'static>(
    values: &[T],
    width: usize,
    columns: &[usize],
    rows: usize,
    run: &Run<'_>,
) -> Result<Shared<T>> {
    let hold = run.memory.take_for::<T>(rows.saturating_mul(columns.len()), "kept columns")?;
    let mut kept = Vec::with_capacity(rows * columns.len());
    for row in values.chunks_exact(width.max(1)) {
        kept.extend(columns.iter().map(|&c| row[c]));
    }
    Ok(Shared::counted(kept, hold))
}
