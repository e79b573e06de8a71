//! The minimum among the coordinates that are between their bounds, found at once.
//!
//! Two coordinates at a time are slow where the kernel is ill-conditioned: a linear kernel of columns whose deviations
//! are 1 and 10⁵ has curvatures that are 10¹⁰ apart, and millions of steps go to and fro between a handful of rows. On
//! their face of the box the problem is min ½ dᵀHd + gᵀd with the sums of both groups kept, which Lagrange's conditions
//! solve: d = −H⁻¹g + Σ_k λ_k H⁻¹1_k. The step ends where the objective stops falling or where the box ends; then the row
//! at its bound is left out and the rest goes on. H is K with a hair on its diagonal, for more rows than K has rank: along
//! what K does not see the step is long, and the box ends it.
//!
//! **Cost.** m³/3 + m·n for m free coordinates of n, for each bound that is met; nothing beyond [`MOST`] of them.

use crate::pair::{Working, WorkingRows};
use base::{Error, Result, Run};
use numeric::{Cholesky, LEAST_CURVATURE, Mat, MatMut, Real};

/// Free coordinates beyond which steps of two are taken as they are.
const MOST: usize = 256;
/// Bounds that are met in one go.
const BOUNDS: usize = 32;
/// What is added to the diagonal, in units of its largest element.
const HAIR: f64 = 1e-12;

/// Where a step ended.
enum Ended {
    /// Where it began: nothing falls any more.
    There,
    /// Where the objective is lowest.
    Lowest,
    /// At a bound.
    Bound,
}

impl Working {
    /// Goes to the lowest point of the face, as far as the box lets it; answers whether anything moved.
    pub fn settle<T: Real>(&mut self, rows: &mut dyn WorkingRows<T>, run: &Run<'_>) -> Result<bool> {
        for bounds in 0..BOUNDS {
            let free: Vec<usize> =
                (0..self.beta.len()).filter(|&v| self.low[v] < self.beta[v] && self.beta[v] < self.high[v]).collect();
            if free.len() < 2 || free.len() > MOST {
                return Ok(bounds > 0);
            }
            free.iter().try_for_each(|&v| rows.ready(v))?;
            match self.step(&free, rows, run)? {
                Ended::There => return Ok(bounds > 0),
                Ended::Lowest => return Ok(true),
                Ended::Bound => {}
            }
        }
        Ok(true)
    }

    fn step<T: Real>(&mut self, free: &[usize], rows: &dyn WorkingRows<T>, run: &Run<'_>) -> Result<Ended> {
        let k = |i: usize, j: usize| rows.row(free[i])[free[j]].wide();
        let Some(d) = self.direction(free, &k, run)? else { return Ok(Ended::There) };
        let slope: f64 = free.iter().zip(&d).map(|(&v, d)| self.gradient[v] * d).sum();
        let bend: f64 = (0..d.len()).map(|i| d[i] * (0..d.len()).map(|j| k(i, j) * d[j]).sum::<f64>()).sum();
        let room = |(&v, &d): (&usize, &f64)| match d > 0.0 {
            true => (self.high[v] - self.beta[v]) / d,
            false if d < 0.0 => (self.low[v] - self.beta[v]) / d,
            false => f64::INFINITY,
        };
        let rooms: Vec<f64> = free.iter().zip(&d).map(room).collect();
        let most = rooms.iter().copied().fold(f64::INFINITY, f64::min);
        let lowest = if bend > 0.0 { -slope / bend } else { f64::INFINITY };
        let length = most.min(lowest);
        if !(slope < 0.0 && length > 0.0 && length.is_finite()) {
            return Ok(Ended::There);
        }
        for ((&v, &d), &room) in free.iter().zip(&d).zip(&rooms) {
            // At a bound the number is that of the bound, not one rounded beside it.
            let ends = room <= length;
            let bound = if d > 0.0 { self.high[v] } else { self.low[v] };
            let before = self.beta[v];
            self.beta[v] = if ends { bound } else { (before + length * d).clamp(self.low[v], self.high[v]) };
            let moved = self.beta[v] - before;
            self.gradient.iter_mut().zip(rows.row(v)).for_each(|(g, k)| *g += moved * k.wide());
        }
        Ok(if most <= lowest { Ended::Bound } else { Ended::Lowest })
    }

    /// The way to the minimum that keeps both sums; none where the kernel is not positive definite.
    fn direction(&self, free: &[usize], k: &dyn Fn(usize, usize) -> f64, run: &Run<'_>) -> Result<Option<Vec<f64>>> {
        let m = free.len();
        let hair = HAIR * (0..m).map(|i| k(i, i)).fold(LEAST_CURVATURE, f64::max);
        let mut h: Vec<f64> = (0..m).flat_map(|i| (0..m).map(move |j| (i, j))).map(|(i, j)| k(i, j)).collect();
        (0..m).for_each(|i| h[i * (m + 1)] += hair);
        let factor = match Cholesky::new(run, Mat::new(&h, m, m)?) {
            Err(stop @ (Error::Stopped { .. } | Error::Cancelled | Error::Memory { .. })) => return Err(stop),
            Err(_) => return Ok(None),
            Ok(factor) => factor,
        };
        let group = |i: usize| usize::from(free[i] >= self.split);
        let mut sides = vec![0.0; 3 * m];
        for (i, side) in sides.chunks_exact_mut(3).enumerate() {
            side[0] = self.gradient[free[i]];
            side[1 + group(i)] = 1.0;
        }
        factor.solve(run, MatMut::new(&mut sides, m, 3)?)?;
        let sum = |g: usize, side: usize| (0..m).filter(|&i| group(i) == g).map(|i| sides[3 * i + side]).sum::<f64>();
        let (a, b, c) = (sum(0, 1), sum(0, 2), sum(1, 2));
        let (p, q) = (sum(0, 0), sum(1, 0));
        let determinant = a * c - b * b;
        let lambda = match (a > 0.0, c > 0.0) {
            (true, true) => [(p * c - q * b) / determinant, (q * a - p * b) / determinant],
            (true, false) => [p / a, 0.0],
            _ => [0.0, q / c],
        };
        let mut d: Vec<f64> = sides.chunks_exact(3).map(|s| lambda[0] * s[1] + lambda[1] * s[2] - s[0]).collect();
        // What rounding left of the sums.
        for g in [0, 1] {
            let count = (0..m).filter(|&i| group(i) == g).count() as f64;
            let rest = (0..m).filter(|&i| group(i) == g).map(|i| d[i]).sum::<f64>() / count.max(1.0);
            (0..m).filter(|&i| group(i) == g).for_each(|i| d[i] -= rest);
        }
        Ok(d.iter().all(|d| d.is_finite()).then_some(d))
    }
}
