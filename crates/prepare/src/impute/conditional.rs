//! A Gaussian mixture seen from rows that lack some columns.
//!
//! With the present columns o first and the missing m after them each component's covariance is L Lᵀ. The blocks of L
//! give everything: with L_oo z = x_o − μ_o the density of what is there is ln p − ½(|z|² + o ln 2π) − Σ ln L_rr, the
//! expectation of what is missing is μ_m + L_mo z, and its covariance L_mm L_mmᵀ.
//!
//! **Cost.** d³/3 for each component and pattern of gaps, d² for each row.

use base::{Result, Run};
use distance::{Covariance, Mixture};
use numeric::{Cholesky, Mat, dot};

/// A mixture for rows with one pattern of gaps.
pub struct Conditional {
    /// Columns that are there, then those that are missing.
    order: Vec<usize>,
    present: usize,
    parts: Vec<Part>,
}

struct Part {
    log: f64,
    mean: Vec<f64>,
    /// L, row after row.
    factor: Vec<f64>,
}

impl Conditional {
    /// The mixture for rows that lack these columns, given in ascending order.
    pub fn new(mixture: &Mixture, missing: &[usize], run: &Run<'_>) -> Result<Self> {
        let (k, form) = (mixture.shares().len(), mixture.covariance());
        let d = mixture.means().len() / k;
        let per = form.numbers(d);
        let mut order: Vec<usize> = (0..d).filter(|c| missing.binary_search(c).is_err()).collect();
        let present = order.len();
        order.extend(missing);
        let mut parts = Vec::with_capacity(k);
        for (m, share) in mixture.shares().iter().enumerate() {
            let spread = &mixture.spreads()[m * per..(m + 1) * per];
            let entry = |a: usize, b: usize| match form {
                Covariance::Full => spread[a * d + b],
                Covariance::Diagonal if a == b => spread[a],
                Covariance::Isotropic if a == b => spread[0],
                _ => 0.0,
            };
            let square: Vec<f64> =
                order.iter().flat_map(|&a| order.iter().map(move |&b| (a, b))).map(|(a, b)| entry(a, b)).collect();
            let cholesky = Cholesky::new(run, Mat::new(&square, d, d)?)?;
            let lower = cholesky.factor()?;
            let factor: Vec<f64> = (0..d).flat_map(|r| lower.line(r).iter().copied()).collect();
            let logs: f64 = (0..present).map(|r| factor[r * d + r].ln()).sum();
            let log = share.ln() - 0.5 * present as f64 * std::f64::consts::TAU.ln() - logs;
            parts.push(Part { log, mean: order.iter().map(|c| mixture.means()[m * d + c]).collect(), factor });
        }
        Ok(Conditional { order, present, parts })
    }

    /// The missing columns.
    pub fn missing(&self) -> &[usize] {
        &self.order[self.present..]
    }

    /// L_oo⁻¹ (x_o − μ_o) of a component, and the log of its share and density.
    pub fn whiten(&self, m: usize, row: &[f64], z: &mut [f64]) -> f64 {
        let (part, d) = (&self.parts[m], self.order.len());
        let mut norm = 0.0;
        for r in 0..self.present {
            let line = &part.factor[r * d..(r + 1) * d];
            z[r] = (row[self.order[r]] - part.mean[r] - dot(&line[..r], &z[..r])) / line[r];
            norm += z[r] * z[r];
        }
        (part.log - 0.5 * norm).max(f64::MIN)
    }

    /// What a component expects in the missing columns, in their order, given [`Conditional::whiten`]'s answer.
    pub fn expect(&self, m: usize, z: &[f64], out: &mut [f64]) {
        let (part, d, o) = (&self.parts[m], self.order.len(), self.present);
        for (r, out) in (o..d).zip(out) {
            *out = part.mean[r] + dot(&part.factor[r * d..r * d + o], &z[..o]);
        }
    }

    /// The covariance of the missing columns in a component, row after row.
    pub fn spread(&self, m: usize) -> Vec<f64> {
        let (part, d, o) = (&self.parts[m], self.order.len(), self.present);
        let line = |r: usize| &part.factor[r * d + o..(r + 1) * d];
        (o..d).flat_map(|a| (o..d).map(move |b| (a, b))).map(|(a, b)| dot(line(a), line(b))).collect()
    }

    /// Adds L_mm g, noise of that covariance, to `out`.
    pub fn add_noise(&self, m: usize, g: &[f64], out: &mut [f64]) {
        let (part, d, o) = (&self.parts[m], self.order.len(), self.present);
        out.iter_mut().zip(o..d).for_each(|(x, r)| *x += dot(&part.factor[r * d + o..(r + 1) * d], g));
    }
}

/// Turns joint log densities into responsibilities; answers with the log density of the whole.
pub fn responsibilities(joint: &mut [f64]) -> f64 {
    let top = joint.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let log = top + joint.iter().map(|x| (x - top).exp()).sum::<f64>().ln();
    joint.iter_mut().for_each(|x| *x = (*x - log).exp());
    log
}
