//! A machine that shifts and stretches each column: y_j = (x_j − shift_j) · factor_j.
//!
//! Gaps stay gaps. Sparse points stay sparse if nothing is shifted, and are written out otherwise (the memory is
//! counted). O(stored numbers).

use base::graph::{Binary, Draft, Graph, Op};
use base::{
    Error, Facets, Features, Gradient, GraphForm, Inputs, Machine, Missing, Origin, Outputs, Points, PreparationStep,
    Record, Result, Run, Sparse, vjp_by_row,
};

/// Shifts and stretches each column.
pub struct Affine {
    features: Features,
    outputs: Outputs,
    shift: Vec<f64>,
    factor: Vec<f64>,
}

impl Affine {
    /// The kind of its record.
    pub const KIND: &'static str = "affine";

    /// A machine with that shift and factor for each column.
    pub fn new(features: Features, shift: Vec<f64>, factor: Vec<f64>) -> Result<Self> {
        for numbers in [&shift, &factor] {
            if numbers.len() != features.count() {
                return Err(Error::size("numbers of an affine map", features.count(), numbers.len()));
            }
        }
        Ok(Affine { outputs: Outputs::same(&features), features, shift, factor })
    }

    /// What is taken off each column.
    pub fn shift(&self) -> &[f64] {
        &self.shift
    }

    /// What each column is then multiplied by.
    pub fn factor(&self) -> &[f64] {
        &self.factor
    }

    /// The machine a record speaks of.
    pub fn read(record: &Record) -> Result<Self> {
        record.expect_within(Self::KIND, 2..=2)?;
        let features = Features::read(record.part("inputs")?)?;
        let numbers = |name: &str| record.array_of(name, &[features.count()]);
        let (shift, factor) = (numbers("shift")?, numbers("factor")?);
        Self::new(features, shift, factor)
    }
}

impl Machine for Affine {
    crate::ends!();

    fn apply(&self, inputs: &Inputs, run: &Run<'_>) -> Result<Points> {
        let points = inputs.points()?;
        let hold = run.memory.take(points.bytes(), "scaled points")?;
        match points {
            Points::Sparse(sparse) if self.shift.iter().all(|&s| s == 0.0) => {
                let range = sparse.starts()[0]..sparse.starts()[sparse.len()];
                let base = range.start;
                let ids = sparse.ids()[range.clone()].to_vec();
                let values: Vec<f64> =
                    sparse.values()[range].iter().zip(&ids).map(|(x, &id)| x * self.factor[id as usize]).collect();
                let starts: Vec<usize> = sparse.starts().iter().map(|s| s - base).collect();
                Ok(Points::Sparse(Sparse::new(starts, ids, base::Shared::counted(values, hold), sparse.columns())?))
            }
            _ => {
                let columns = points.columns();
                let mut values = points.to_dense(&run.memory)?.to_vec();
                for row in values.chunks_exact_mut(columns.max(1)) {
                    for ((x, s), f) in row.iter_mut().zip(&self.shift).zip(&self.factor) {
                        *x = (*x - s) * f;
                    }
                }
                Points::dense(base::Buffer::F64(base::Shared::counted(values, hold)), points.len(), columns)
            }
        }
    }

    fn record(&self) -> Record {
        let n = self.features.count();
        Record::new(Self::KIND, 2)
            .with("inputs", self.features.record())
            .with_array("shift", &[n], self.shift.clone())
            .with_array("factor", &[n], self.factor.clone())
    }

    fn facets(&self) -> Facets<'_> {
        Facets {
            missing: Missing::PASSED,
            gradient: Some(self),
            graph: Some(self),
            step: Some(self),
            ..Facets::default()
        }
    }
}

impl GraphForm for Affine {
    fn graph(&self, _run: &Run<'_>) -> Result<Option<Graph>> {
        let mut draft = Draft::rows(self.shift.len());
        let shift = draft.numbers("shift", self.shift.clone())?;
        let factor = draft.numbers("factor", self.factor.clone())?;
        let shifted = draft.node("shifted", Op::Binary(Binary::Sub), &[Draft::INPUT, shift]);
        let scaled = draft.node("scaled", Op::Binary(Binary::Mul), &[shifted, factor]);
        draft.graph(scaled).map(Some)
    }
}

impl PreparationStep for Affine {
    fn origin(&self) -> Option<Origin> {
        Some(Origin::same(&self.features))
    }

    fn restore(&self, outputs: &Points, run: &Run<'_>) -> Result<Option<Inputs>> {
        let columns = outputs.columns();
        let mut values = outputs.to_dense(&run.memory)?.to_vec();
        for row in values.chunks_exact_mut(columns.max(1)) {
            for ((y, s), f) in row.iter_mut().zip(&self.shift).zip(&self.factor) {
                *y = if *f == 0.0 { *s } else { *y / f + s };
            }
        }
        Ok(Some(Inputs::Points(Points::dense(values, outputs.len(), columns)?)))
    }
}

impl Gradient for Affine {
    fn vjp(&self, points: &Points, direction: &[f64], out: &mut [f64], run: &Run<'_>) -> Result<()> {
        vjp_by_row(points, direction, out, run, |_, direction, out| {
            for ((o, d), f) in out.iter_mut().zip(direction).zip(&self.factor) {
                *o = d * f;
            }
        })
    }
}
