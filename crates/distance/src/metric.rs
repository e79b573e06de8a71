//! Distances one can choose.
//!
//! Euclidean √Σ(x−y)², Manhattan Σ|x−y|, Chebyshev max|x−y|. Euclidean distances go through [`numeric::Prepared`]; the
//! others are summed term by term over rows written out.

use base::{Points, Result, Run, choices};
use numeric::{MatMut, Prepared, each_chunk_mut};

choices! {
    /// How far apart two points are.
    pub enum Metric {
        /// √Σ(x−y)².
        Euclidean = "euclidean" | "l2",
        /// Σ|x−y|.
        Manhattan = "manhattan" | "l1" | "cityblock",
        /// max|x−y|.
        Chebyshev = "chebyshev",
    }
}

/// Rows of the result computed by one thread in one go.
const PIECE: usize = 16;

impl Metric {
    /// The distance of two points.
    pub fn between(self, a: &[f64], b: &[f64]) -> f64 {
        let differences = a.iter().zip(b).map(|(x, y)| (x - y).abs());
        match self {
            Metric::Euclidean => numeric::squared_distance(a, b).sqrt(),
            Metric::Manhattan => differences.sum(),
            Metric::Chebyshev => differences.fold(0.0, f64::max),
        }
    }

    /// out = distances from each of `a` (rows of `out`) to each of `b` (columns); Euclidean ones stay squared.
    pub fn costs(self, run: &Run<'_>, a: &Points, b: &Points, out: &mut [f64]) -> Result<()> {
        if self == Metric::Euclidean {
            return Prepared::new(run, b)?.squared_distances(run, a, MatMut::new(out, a.len(), b.len())?);
        }
        let (n, d) = (b.len(), b.columns());
        let right = b.to_dense(&run.memory)?;
        each_chunk_mut(run, out, PIECE * n.max(1), |piece, lines| {
            run.report(&base::Progress::of("distances", (piece * PIECE) as u64, a.len() as u64))?;
            let mut row = vec![0.0; d];
            for (i, line) in lines.chunks_exact_mut(n.max(1)).enumerate() {
                a.write_row(piece * PIECE + i, &mut row);
                line.iter_mut().zip(right.chunks_exact(d)).for_each(|(out, other)| *out = self.between(&row, other));
            }
            Ok(())
        })
    }
}
