//! Least squares without a factorisation: conjugate gradients on the normal equations (CGLS).
//!
//! Minimises ½ Σ_i w_i ‖y_i − W x_i − b‖² + ½γ‖W‖², each value by itself but all in the same products. Inputs are centred
//! without being written out: (X − 1mᵀ) v = X v − (m·v) 1. Started at 0 with γ = 0 it ends at the shortest solution.
//!
//! **Cost.** Two products with the stored numbers a step. **Use** for sparse or large problems.
//! **Stops** when ‖Xᵀr − γw‖ has fallen to `tolerance` of its start for every value.
//!
//! - Å. Björck: *Numerical Methods for Least Squares Problems.* SIAM 1996, section 7.4.

use crate::design::{Centre, transposed};
use base::{Dataset, Error, Points, Progress, Result, Run, values_of};
use numeric::{Mat, MatMut, points_times, points_transposed_times};

/// Where the iteration ended.
pub struct Ended {
    /// values x columns.
    pub weights: Vec<f64>,
    /// Steps taken.
    pub steps: usize,
    /// The largest ‖Xᵀr − γw‖ relative to its start.
    pub residual: f64,
    /// Half the weighted sum of squares plus the penalty.
    pub objective: f64,
    /// Whether the observer or time ended it.
    pub interrupted: bool,
}

/// Solves the problem of these data.
pub fn solve(
    data: &Dataset,
    centre: &Centre,
    gamma: f64,
    (tolerance, limit): (f64, usize),
    run: &Run<'_>,
) -> Result<Ended> {
    let (points, values) = (data.points()?, values_of(data)?);
    let (n, d, k) = (data.len(), points.columns(), values.names().len());
    let _hold = run.memory.take_for::<f64>((2 * n).saturating_add(3 * d).saturating_mul(k), "conjugate gradients")?;
    let map = Map { points, centre, roots: data.weights.as_ref().map(|w| w.iter().map(|w| w.sqrt()).collect()) };

    let mut r = values.values().to_vec();
    for (i, row) in r.chunks_exact_mut(k).enumerate() {
        let root = map.root(i);
        row.iter_mut().zip(&centre.y).for_each(|(y, m)| *y = (*y - m) * root);
    }
    let mut w = vec![0.0; d * k];
    let mut s = vec![0.0; d * k];
    let mut q = vec![0.0; n * k];
    map.back(run, &r, &mut s, k)?;
    let mut p = s.clone();
    let mut now = squares(&s, k);
    let start = now.clone();
    let relative = |now: &[f64]| {
        now.iter().zip(&start).map(|(a, b)| if *b > 0.0 { (a / b).sqrt() } else { 0.0 }).fold(0.0, f64::max)
    };
    let (mut steps, mut interrupted) = (0, false);
    while relative(&now) > tolerance && steps < limit {
        let progress = Progress { value: Some(relative(&now)), ..Progress::of("steps", steps as u64, limit as u64) };
        if run.step(&progress)? {
            interrupted = true;
            break;
        }
        match map.forth(run, &p, &mut q, k) {
            Err(Error::Stopped { .. }) => {
                interrupted = true;
                break;
            }
            other => other?,
        }
        let (along, length) = (squares(&q, k), squares(&p, k));
        let alpha: Vec<f64> = (0..k).map(|c| divide(now[c], along[c] + gamma * length[c])).collect();
        add(&mut w, &p, &alpha, 1.0);
        add(&mut r, &q, &alpha, -1.0);
        // The weights have moved: their residual is taken in any case.
        map.back(&run.finishing(), &r, &mut s, k)?;
        s.iter_mut().zip(&w).for_each(|(s, w)| *s -= gamma * w);
        let next = squares(&s, k);
        for (p, s) in p.chunks_exact_mut(k).zip(s.chunks_exact(k)) {
            for c in 0..k {
                p[c] = s[c] + divide(next[c], now[c]) * p[c];
            }
        }
        now = next;
        steps += 1;
    }
    let objective = 0.5 * r.iter().map(|r| r * r).sum::<f64>() + 0.5 * gamma * w.iter().map(|w| w * w).sum::<f64>();
    Ok(Ended { weights: transposed(&w, d, k), steps, residual: relative(&now), objective, interrupted })
}

/// The centred and weighted inputs as a linear map.
struct Map<'a> {
    points: &'a Points,
    centre: &'a Centre,
    roots: Option<Vec<f64>>,
}

impl Map<'_> {
    fn root(&self, i: usize) -> f64 {
        self.roots.as_ref().map_or(1.0, |r| r[i])
    }

    /// out = √w (X − 1mᵀ) v.
    fn forth(&self, run: &Run<'_>, v: &[f64], out: &mut [f64], k: usize) -> Result<()> {
        let (n, d) = (self.points.len(), self.points.columns());
        points_times(run, self.points, Mat::new(v, d, k)?, MatMut::new(out, n, k)?)?;
        let mut shift = vec![0.0; k];
        v.chunks_exact(k).zip(&self.centre.x).for_each(|(v, m)| shift.iter_mut().zip(v).for_each(|(s, v)| *s += m * v));
        for (i, row) in out.chunks_exact_mut(k).enumerate() {
            let root = self.root(i);
            row.iter_mut().zip(&shift).for_each(|(x, s)| *x = (*x - s) * root);
        }
        Ok(())
    }

    /// out = (X − 1mᵀ)ᵀ √w r.
    fn back(&self, run: &Run<'_>, r: &[f64], out: &mut [f64], k: usize) -> Result<()> {
        let (n, d) = (self.points.len(), self.points.columns());
        let _hold = run.memory.take_for::<f64>(n.saturating_mul(k), "weighted residuals")?;
        let mut weighted = r.to_vec();
        let mut sum = vec![0.0; k];
        for (i, row) in weighted.chunks_exact_mut(k).enumerate() {
            let root = self.root(i);
            row.iter_mut().zip(&mut sum).for_each(|(x, s)| {
                *x *= root;
                *s += *x;
            });
        }
        points_transposed_times(run, self.points, Mat::new(&weighted, n, k)?, MatMut::new(out, d, k)?)?;
        for (row, m) in out.chunks_exact_mut(k).zip(&self.centre.x) {
            row.iter_mut().zip(&sum).for_each(|(x, s)| *x -= m * s);
        }
        Ok(())
    }
}

fn squares(v: &[f64], k: usize) -> Vec<f64> {
    let mut sums = vec![0.0; k];
    v.chunks_exact(k).for_each(|row| sums.iter_mut().zip(row).for_each(|(s, x)| *s += x * x));
    sums
}

fn add(to: &mut [f64], v: &[f64], alpha: &[f64], sign: f64) {
    for (to, v) in to.chunks_exact_mut(alpha.len()).zip(v.chunks_exact(alpha.len())) {
        for c in 0..alpha.len() {
            to[c] += sign * alpha[c] * v[c];
        }
    }
}

/// a/b, and 0 where a value is solved already.
fn divide(a: f64, b: f64) -> f64 {
    if b > 0.0 { a / b } else { 0.0 }
}
