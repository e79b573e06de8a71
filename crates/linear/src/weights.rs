//! The weights of a linear machine: dense, or only those that are not 0.
//!
//! Dense weights lie output after output. Sparse ones lie feature after feature, each with the outputs it counts for: the
//! scores of a row with few features touch little of the rest, and 12,000 classes by 380,000 words, 37 GB when dense, take
//! 12 bytes for each weight that is there.

use base::{Buffer, Error, Memory, Points, Record, Result, Run, Shared, Sparse};
use numeric::{Mat, MatMut};

/// The weights of a linear machine.
#[derive(Debug, Clone, PartialEq)]
pub enum Weights {
    /// outputs x features, row after row.
    Dense(Shared<f64>),
    /// features x outputs, compressed rows.
    Sparse(Sparse),
}

impl From<Vec<f64>> for Weights {
    fn from(weights: Vec<f64>) -> Self {
        Weights::Dense(weights.into())
    }
}

impl From<Sparse> for Weights {
    fn from(weights: Sparse) -> Self {
        Weights::Sparse(weights)
    }
}

impl Weights {
    /// Makes sure that these are the weights of `k` outputs for `d` features, and finite.
    pub(crate) fn check(&self, k: usize, d: usize) -> Result<()> {
        let (right, found) = match self {
            Weights::Dense(all) => (Some(all.len()) == k.checked_mul(d), all.len().to_string()),
            Weights::Sparse(s) => ((s.len(), s.columns()) == (d, k), format!("{} x {}", s.columns(), s.len())),
        };
        if !right {
            return Err(Error::size("weights of a linear machine", format!("{k} x {d}"), found));
        }
        match self.stored().iter().all(|w| w.is_finite()) {
            true => Ok(()),
            false => Err(Error::data(base::Place::Whole, "the weights are not finite; rescale the data")),
        }
    }

    /// The weights that are stored, in the order of their form.
    pub fn stored(&self) -> &[f64] {
        match self {
            Weights::Dense(all) => all,
            Weights::Sparse(sparse) => sparse.values(),
        }
    }

    /// How many weights are not 0.
    pub fn nonzero(&self) -> usize {
        self.stored().iter().filter(|w| **w != 0.0).count()
    }

    /// All weights, outputs x features; dense ones are shared.
    pub fn to_dense(&self, memory: &Memory) -> Result<Shared<f64>> {
        let sparse = match self {
            Weights::Dense(all) => return Ok(all.clone()),
            Weights::Sparse(sparse) => sparse,
        };
        let (d, k) = (sparse.len(), sparse.columns());
        let (mut all, hold) = memory.filled(d.saturating_mul(k), 0.0, "dense weights")?;
        for j in 0..d {
            let (outputs, weights) = sparse.row(j);
            outputs.iter().zip(weights).for_each(|(&output, &w)| all[output as usize * d + j] = w);
        }
        Ok(Shared::counted(all, hold))
    }

    /// Adds Σ_k direction_k w_k to `out`, one number for each feature.
    pub(crate) fn pull(&self, direction: &[f64], out: &mut [f64]) {
        match self {
            Weights::Dense(all) => {
                for (weights, &along) in all.chunks_exact(out.len().max(1)).zip(direction) {
                    out.iter_mut().zip(weights).for_each(|(o, w)| *o += along * w);
                }
            }
            Weights::Sparse(sparse) => {
                for (j, o) in out.iter_mut().enumerate() {
                    let (outputs, weights) = sparse.row(j);
                    *o += outputs.iter().zip(weights).map(|(&k, w)| direction[k as usize] * w).sum::<f64>();
                }
            }
        }
    }

    /// Writes the products with `points` to the first `k` of each row of `width` scores, which are 0.
    pub(crate) fn scores(
        &self,
        points: &Points,
        scores: &mut [f64],
        (k, width): (usize, usize),
        run: &Run<'_>,
    ) -> Result<()> {
        match self {
            Weights::Dense(all) => {
                let weights = Mat::new(all, k, points.columns())?.transposed();
                numeric::points_times(run, points, weights, MatMut::strided(scores, points.len(), k, width)?)
            }
            Weights::Sparse(sparse) => numeric::points_times_sparse(run, points, sparse, scores, width),
        }
    }

    /// Puts the weights into a machine's record.
    pub(crate) fn put(&self, record: Record, k: usize, d: usize) -> Record {
        match self {
            Weights::Dense(all) => record.with_array("weights", &[k, d], Buffer::F64(all.clone())),
            Weights::Sparse(sparse) => record.with("sparse-weights", Points::Sparse(sparse.clone()).record()),
        }
    }

    /// The weights in a machine's record.
    pub(crate) fn get(record: &Record, k: usize, d: usize) -> Result<Self> {
        if !record.has("sparse-weights") {
            return match record.array("weights")? {
                // What is mapped stays where it is.
                (shape, Buffer::F64(all)) if shape == [k, d] => Ok(Weights::Dense(all.clone())),
                _ => record.array_of("weights", &[k, d]).map(Weights::from),
            };
        }
        match Points::read(record.part("sparse-weights")?, k, false)? {
            Points::Sparse(sparse) => Ok(Weights::Sparse(sparse)),
            Points::Dense(_) => Err(record.broken("sparse weights are stored dense")),
        }
    }
}
