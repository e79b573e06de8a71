//! Newton's method with truncated conjugate gradients, for smooth convex functions.
//!
//! Each step solves H s = −g only as well as it pays: to ‖H s + g‖ ≤ min(½, √(‖g‖/‖g₀‖)) ‖g‖, preconditioned by the
//! diagonal of H, then goes along s as far as lowers the function enough (Armijo). The curvature is met as a product with a
//! vector; where H itself can be had, which pays in few dimensions, it is factored and the system solved exactly.
//! **Cost.** One gradient and some curvature products, or a factorisation, a step; converges superlinearly.
//!
//! - J. Nocedal, S. J. Wright: *Numerical Optimization.* 2nd ed., Springer 2006, section 7.1.

use base::{Error, Progress, Result, Run};
use numeric::{Cholesky, Mat, MatMut, dot};

/// The curvature H of a function at a point.
pub trait Curvature {
    /// out = H·direction.
    fn curve(&mut self, run: &Run<'_>, direction: &[f64], out: &mut [f64]) -> Result<()>;
    /// The diagonal of H.
    fn diagonal(&self, run: &Run<'_>) -> Result<Vec<f64>>;
    /// H, row after row, of which the lower half is read; where it is likely to be faster than products.
    fn whole(&self, _run: &Run<'_>) -> Result<Option<Vec<f64>>> {
        Ok(None)
    }
}

/// A smooth convex function; its curvature is that at the point evaluated last.
pub trait Curved: Curvature {
    /// The value and gradient at a point, which later calls refer to.
    fn value(&mut self, run: &Run<'_>, at: &[f64], gradient: &mut [f64]) -> Result<f64>;
}

/// Where the minimisation ended.
pub struct Ended {
    /// The best point.
    pub point: Vec<f64>,
    /// The value there.
    pub value: f64,
    /// The largest component of the gradient there.
    pub gradient: f64,
    /// Steps taken.
    pub steps: usize,
    /// Whether the gradient is as small as asked.
    pub converged: bool,
    /// Whether time or the observer ended it.
    pub interrupted: bool,
}

/// Shortest step the line search tries.
const SHORTEST: f64 = 1e-10;
/// Products with the curvature in one step at most.
const INNER: usize = 200;

/// Minimises from `start` until the largest component of the gradient is below `tolerance`, for at most `limit` steps;
/// `reached` hears of every point on the way.
pub fn minimise(
    f: &mut dyn Curved,
    start: Vec<f64>,
    (tolerance, limit): (f64, usize),
    run: &Run<'_>,
    reached: &mut dyn FnMut(&[f64]) -> Result<()>,
) -> Result<Ended> {
    let n = start.len();
    let _hold = run.memory.take_for::<f64>(8 * n, "Newton's method")?;
    let mut x = start;
    let mut g = vec![0.0; n];
    let mut value = f.value(run, &x, &mut g)?;
    let first = norm(&g);
    let (mut steps, mut interrupted) = (0, false);
    while largest(&g) > tolerance && steps < limit {
        let progress = Progress { value: Some(value), ..Progress::of("newton", steps as u64, limit as u64) };
        if run.step(&progress)? {
            interrupted = true;
            break;
        }
        let enough = 0.5f64.min((norm(&g) / first).sqrt()) * norm(&g);
        let moved = direction(&mut *f, &g, enough, run).and_then(|s| Ok((search(f, &x, &s, value, &g, run)?, s)));
        let (found, s) = match moved {
            // The point of the step before is whole.
            Err(Error::Stopped { .. }) => {
                interrupted = true;
                break;
            }
            other => other?,
        };
        let Some((t, next_value, next_gradient)) = found else { break };
        x.iter_mut().zip(&s).for_each(|(x, s)| *x += t * s);
        (value, g) = (next_value, next_gradient);
        steps += 1;
        reached(&x)?;
    }
    let gradient = largest(&g);
    Ok(Ended { point: x, value, gradient, steps, converged: gradient <= tolerance, interrupted })
}

/// H s = −g by a factorisation, or up to a residual of this length by preconditioned conjugate gradients.
pub fn direction(f: &mut dyn Curvature, g: &[f64], enough: f64, run: &Run<'_>) -> Result<Vec<f64>> {
    let n = g.len();
    if let Some(h) = f.whole(run)? {
        let mut s: Vec<f64> = g.iter().map(|g| -g).collect();
        match Cholesky::new(run, Mat::new(&h, n, n)?) {
            Ok(factored) => {
                factored.solve(run, MatMut::column(&mut s))?;
                return Ok(s);
            }
            Err(stop @ (Error::Stopped { .. } | Error::Cancelled | Error::Memory { .. })) => return Err(stop),
            // Numbers too large or too close to singular to be factored: products go as far as they can.
            Err(_) => {}
        }
    }
    let scale: Vec<f64> = f.diagonal(run)?.iter().map(|&h| if h > 0.0 { 1.0 / h } else { 1.0 }).collect();
    let mut s = vec![0.0; n];
    let mut r: Vec<f64> = g.iter().map(|g| -g).collect();
    let mut z: Vec<f64> = r.iter().zip(&scale).map(|(r, c)| r * c).collect();
    let mut p = z.clone();
    let mut q = vec![0.0; n];
    let mut rz = dot(&r, &z);
    for _ in 0..INNER {
        f.curve(run, &p, &mut q)?;
        let bend = dot(&p, &q);
        // A flat direction (offsets all moved alike) has nothing to give.
        if bend <= f64::EPSILON * dot(&p, &p) {
            break;
        }
        let alpha = rz / bend;
        s.iter_mut().zip(&p).for_each(|(s, p)| *s += alpha * p);
        r.iter_mut().zip(&q).for_each(|(r, q)| *r -= alpha * q);
        if norm(&r) <= enough {
            break;
        }
        z.iter_mut().zip(&r).zip(&scale).for_each(|((z, r), c)| *z = r * c);
        let next = dot(&r, &z);
        let beta = next / rz;
        p.iter_mut().zip(&z).for_each(|(p, z)| *p = z + beta * *p);
        rz = next;
    }
    if s.iter().all(|&s| s == 0.0) {
        s.iter_mut().zip(g).zip(&scale).for_each(|((s, g), c)| *s = -g * c);
    }
    Ok(s)
}

/// The longest of the steps 1, ½, ¼ … that lowers the function enough, with value and gradient there.
fn search(
    f: &mut dyn Curved,
    x: &[f64],
    s: &[f64],
    value: f64,
    g: &[f64],
    run: &Run<'_>,
) -> Result<Option<(f64, f64, Vec<f64>)>> {
    let along = dot(g, s);
    let mut t = 1.0;
    let mut gradient = vec![0.0; x.len()];
    while t > SHORTEST {
        let next: Vec<f64> = x.iter().zip(s).map(|(x, s)| x + t * s).collect();
        let found = f.value(run, &next, &mut gradient)?;
        let lower = found <= value + 1e-4 * t * along;
        // Near the minimum values agree to rounding; then a smaller gradient is progress.
        let level = (found - value).abs() <= 4.0 * f64::EPSILON * value.abs() && norm(&gradient) < norm(g);
        if lower || level {
            return Ok(Some((t, found, gradient)));
        }
        t *= 0.5;
    }
    Ok(None)
}

fn norm(v: &[f64]) -> f64 {
    dot(v, v).sqrt()
}

fn largest(v: &[f64]) -> f64 {
    v.iter().fold(0.0, |m, x| m.max(x.abs()))
}
