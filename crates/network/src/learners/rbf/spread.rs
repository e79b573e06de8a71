//! How wide the Gaussians of an RBF network are, from the rows nearest to each centre.
//!
//! S_j = Σ w (x − c_j)(x − c_j)ᵀ / W_j over the rows of unit j, and S the same over all of them (pooled). A unit with few
//! rows borrows from all: S_j ← (W_j S_j + κS) / (W_j + κ), κ being 1, and d for full matrices, which need d rows to be
//! regular. To S a millionth of the mean variance is added on the diagonal, or 1 where there is no variance at all. Then
//! Σ_j = width² d S_j, so that φ is about exp(−½/width²) for a typical row of the cluster whatever the number of columns;
//! isotropic spreads take the mean over the directions, diagonal ones the diagonal.

use base::{Dataset, Points, Progress, Result, Run};
use numeric::{add_scaled, squared_distance};

base::choices! {
    /// The form of a Gaussian unit.
    pub enum Spread {
        /// A sphere around each centre.
        Isotropic = "isotropic",
        /// An ellipsoid along the axes around each centre.
        Diagonal = "diagonal",
        /// Any ellipsoid around each centre.
        Full = "full",
        /// One ellipsoid for all.
        Pooled = "pooled",
    }
}

impl Spread {
    /// Numbers of one S_j in d columns.
    fn numbers(self, d: usize) -> usize {
        match self {
            Spread::Isotropic => 1,
            Spread::Diagonal => d,
            Spread::Full | Spread::Pooled => d.saturating_mul(d),
        }
    }

    /// Σ_j for each centre, one after the other; a single one if pooled.
    pub(super) fn of(self, centres: &[f64], data: &Dataset, width: f64, run: &Run<'_>) -> Result<Vec<f64>> {
        let points = data.points()?;
        let d = points.columns();
        let (m, size) = (centres.len() / d, self.numbers(d));
        let _hold = run.memory.take_for::<f64>(size.saturating_mul(m + 1), "spreads of the units")?;
        let (mut sums, mut weights) = (vec![0.0; size * m], vec![0.0; m]);
        self.add_up(centres, (points, data.weights.as_deref()), (&mut sums, &mut weights), run)?;

        let total: f64 = weights.iter().sum();
        let mut pooled = vec![0.0; size];
        sums.chunks_exact(size).for_each(|s| add_scaled(&mut pooled, 1.0 / total, s));
        let diagonal = |i: usize| if size == d * d { i * (d + 1) } else { i };
        let axes = if self == Spread::Isotropic { 1 } else { d };
        let mean = (0..axes).map(|i| pooled[diagonal(i)]).sum::<f64>() / axes as f64;
        let floor = if mean > 0.0 { 1e-6 * mean } else { 1.0 };
        (0..axes).for_each(|i| pooled[diagonal(i)] += floor);
        let scale = width * width * d as f64;
        if self == Spread::Pooled {
            return Ok(pooled.iter().map(|s| scale * s).collect());
        }
        let borrowed = if self == Spread::Full { d as f64 } else { 1.0 };
        for (s, w) in sums.chunks_exact_mut(size).zip(&weights) {
            s.iter_mut().zip(&pooled).for_each(|(s, p)| *s = scale * (*s + borrowed * p) / (w + borrowed));
        }
        Ok(sums)
    }

    /// Σ w (x − c)(x − c)ᵀ and Σ w for each centre, over the rows nearest to it.
    fn add_up(
        self,
        centres: &[f64],
        (points, row_weights): (&Points, Option<&[f64]>),
        (sums, weights): (&mut [f64], &mut [f64]),
        run: &Run<'_>,
    ) -> Result<()> {
        let d = points.columns();
        let size = self.numbers(d);
        let mut x = vec![0.0; d];
        for i in 0..points.len() {
            if i.is_multiple_of(4096) || d > 4096 {
                run.report(&Progress::of("spreads", i as u64, points.len() as u64))?;
            }
            points.write_row(i, &mut x);
            let far = |c: &[f64]| squared_distance(&x, c);
            let mut best = (0, f64::INFINITY);
            for (j, c) in centres.chunks_exact(d).enumerate() {
                let square = far(c);
                if square < best.1 {
                    best = (j, square);
                }
            }
            let (j, square) = best;
            let w = row_weights.map_or(1.0, |w| w[i]);
            weights[j] += w;
            let sum = &mut sums[j * size..(j + 1) * size];
            let centre = &centres[j * d..(j + 1) * d];
            x.iter_mut().zip(centre).for_each(|(x, c)| *x -= c);
            match self {
                Spread::Isotropic => sum[0] += w * square / d as f64,
                Spread::Diagonal => sum.iter_mut().zip(&x).for_each(|(s, x)| *s += w * x * x),
                Spread::Full | Spread::Pooled => {
                    sum.chunks_exact_mut(d).zip(&x).for_each(|(line, a)| add_scaled(line, w * a, &x));
                }
            }
        }
        Ok(())
    }
}
