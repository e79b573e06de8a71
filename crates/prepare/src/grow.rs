//! Rows followed by rows made of them.
//!
//! What a row was made from gives it its target, weight and group. Each made row is a function of its place alone, so
//! that blocks of them may be computed on any thread. Memory for all rows is counted before it is taken.

use base::{Buffer, Dataset, Hold, Inputs, Points, Progress, Result, Run, Shared, Sparse};
use numeric::each_chunk_mut;

/// Rows computed in one piece of parallel work.
const ROWS: usize = 256;

/// In which form made rows stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CalibrationForm {
    /// As the rows they are made of: sparse stays sparse, single precision single.
    Kept,
    /// Dense double precision, for numbers that are new.
    Doubles,
}

/// The data with made rows behind them; `sources` names the row each was made from.
pub(crate) fn grown(data: &Dataset, points: Points, sources: &[usize]) -> Dataset {
    let all: Vec<usize> = (0..data.len()).chain(sources.iter().copied()).collect();
    Dataset {
        inputs: Inputs::Points(points),
        targets: data.targets.select(&all),
        features: data.features.clone(),
        weights: data.weights.as_ref().map(|w| all.iter().map(|&i| w[i]).collect()),
        groups: data.groups.as_ref().map(|g| all.iter().map(|&i| g[i]).collect()),
        // What is held out of these rows may have kin among those learned from.
        prepared: true,
    }
}

/// The points with `made` rows behind them, the i-th written by `row(i, out)`.
pub(crate) fn append(
    points: &Points,
    made: usize,
    form: CalibrationForm,
    run: &Run<'_>,
    row: impl Fn(usize, &mut [f64]) -> Result<()> + Sync,
) -> Result<Points> {
    let columns = points.columns();
    match (points, form) {
        (Points::Sparse(sparse), CalibrationForm::Kept) => {
            let mut rows = SparseRows::after(sparse, run)?;
            let mut out = vec![0.0; columns];
            for i in 0..made {
                row(i, &mut out)?;
                rows.push(out.iter().enumerate().map(|(id, &x)| (id as u32, x)), run)?;
            }
            rows.finish()
        }
        (Points::Dense(dense), CalibrationForm::Kept) => match dense.values() {
            Buffer::F64(values) => extend(values, (dense.len(), columns), made, Buffer::F64, run, row),
            Buffer::F32(values) => extend(values, (dense.len(), columns), made, Buffer::F32, run, |i, out| {
                let mut wide = vec![0.0; out.len()];
                row(i, &mut wide)?;
                out.iter_mut().zip(wide).for_each(|(o, x)| *o = x as f32);
                Ok(())
            }),
        },
        (_, CalibrationForm::Doubles) => {
            let values = points.to_dense(&run.memory)?;
            extend(&values, (points.len(), columns), made, Buffer::F64, run, row)
        }
    }
}

fn extend<T: Copy + Default + Send + Sync + 'static>(
    values: &[T],
    (rows, columns): (usize, usize),
    made: usize,
    buffer: fn(Shared<T>) -> Buffer,
    run: &Run<'_>,
    row: impl Fn(usize, &mut [T]) -> Result<()> + Sync,
) -> Result<Points> {
    let rows = rows.saturating_add(made);
    let hold = run.memory.take_for::<T>(rows.saturating_mul(columns), "rows with those made of them")?;
    let mut all = Vec::with_capacity(rows * columns);
    all.extend_from_slice(values);
    all.resize(rows * columns, T::default());
    let width = columns.max(1);
    each_chunk_mut(run, &mut all[values.len()..], width * ROWS, |piece, chunk| {
        run.report(&Progress::of("made rows", (piece * ROWS) as u64, made as u64))?;
        chunk.chunks_exact_mut(width).enumerate().try_for_each(|(i, out)| row(piece * ROWS + i, out))
    })?;
    Points::dense(buffer(Shared::counted(all, hold)), rows, columns)
}

/// Sparse rows that grow, with the memory they take.
pub(crate) struct SparseRows {
    starts: Vec<usize>,
    ids: Vec<u32>,
    values: Vec<f64>,
    columns: usize,
    hold: Hold,
}

impl SparseRows {
    /// Begins with these rows.
    pub fn after(sparse: &Sparse, run: &Run<'_>) -> Result<Self> {
        let hold = run.memory.take(Points::Sparse(sparse.clone()).bytes(), "rows with those made of them")?;
        let (first, last) = (sparse.starts()[0], sparse.starts()[sparse.len()]);
        Ok(SparseRows {
            starts: sparse.starts().iter().map(|s| s - first).collect(),
            ids: sparse.ids()[first..last].to_vec(),
            values: sparse.values()[first..last].to_vec(),
            columns: sparse.columns(),
            hold,
        })
    }

    /// Adds a row of ascending columns; zeros are left out.
    pub fn push(&mut self, row: impl Iterator<Item = (u32, f64)>, run: &Run<'_>) -> Result<()> {
        for (id, x) in row.filter(|(_, x)| *x != 0.0) {
            self.ids.push(id);
            self.values.push(x);
        }
        self.starts.push(self.ids.len());
        if self.starts.len().is_multiple_of(ROWS) {
            run.report(&Progress { stage: "made rows", done: self.starts.len() as u64, total: None, value: None })?;
            self.count()?;
        }
        Ok(())
    }

    fn count(&mut self) -> Result<()> {
        let bytes = 12 * self.ids.capacity() as u64 + 8 * self.starts.capacity() as u64;
        self.hold.resize(bytes.max(self.hold.bytes()), "rows with those made of them")
    }

    /// All rows.
    pub fn finish(mut self) -> Result<Points> {
        self.count()?;
        let values = Shared::counted(self.values, self.hold);
        Ok(Points::Sparse(Sparse::new(self.starts, self.ids, values, self.columns)?))
    }
}
