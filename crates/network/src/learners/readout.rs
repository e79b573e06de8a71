//! The last, linear layer on top of a network that stays as it is, by ridge least squares.
//!
//! Minimises ½ Σ_i w_i ‖y_i − Vᵀh(x_i) − c‖² + ½γ‖V‖² over V and c, c not penalised. Both sides are centred by their
//! weighted means, which takes c out. With γ > 0 the equations (HᵀH + γI) V = HᵀY are summed up block by block, so that
//! the features never exist all at once, and solved by Cholesky; with γ = 0 the shortest solution is found through the
//! singular values of H, which then is written out.
//!
//! **Cost.** The features twice, and O(n m² + m³) for m of them; m² numbers, or n m with γ = 0.

use crate::NetworkMachine;
use base::{Dataset, Error, Inputs, Machine, Progress, Result, Run};
use numeric::{Cholesky, Mat, MatMut, gram, least_squares, product};

/// Rows whose features exist at once.
const ROWS: usize = 1024;

/// A linear layer.
#[derive(Debug, Clone, PartialEq)]
pub struct Readout {
    /// V: features x outputs, row after row.
    pub weights: Vec<f64>,
    /// c.
    pub offsets: Vec<f64>,
    /// The least value found.
    pub objective: f64,
    /// The largest component of Hᵀ(Y − HV) − γV as a share of that of HᵀY.
    pub residual: f64,
}

/// The features of some rows, each centred and multiplied by the root of its weight.
struct Hidden<'a> {
    network: &'a NetworkMachine,
    data: &'a Dataset,
    mean: Vec<f64>,
}

/// The best linear layer on what `network` computes, for targets of rows x outputs.
pub fn readout(
    network: &NetworkMachine,
    data: &Dataset,
    targets: &[f64],
    gamma: f64,
    run: &Run<'_>,
) -> Result<Readout> {
    let (n, m) = (data.len(), network.outputs().names.len());
    if n == 0 || m == 0 || targets.is_empty() || !targets.len().is_multiple_of(n) {
        return Err(Error::size("targets of a readout", format!("a multiple of {n}"), targets.len()));
    }
    let k = targets.len() / n;
    let weight = |i: usize| data.weights.as_ref().map_or(1.0, |w| w[i]);
    let total: f64 = (0..n).map(weight).sum();

    let mut hidden = Hidden { network, data, mean: vec![0.0; m] };
    let mut mean = vec![0.0; m];
    let mut centre = vec![0.0; k];
    for from in (0..n).step_by(ROWS) {
        let block = hidden.block(from, false, run)?;
        for (i, row) in block.chunks_exact(m).enumerate() {
            let share = weight(from + i) / total;
            numeric::add_scaled(&mut mean, share, row);
            numeric::add_scaled(&mut centre, share, &targets[(from + i) * k..(from + i + 1) * k]);
        }
    }
    hidden.mean = mean;
    let (mut y, _hold) = run.memory.filled(targets.len(), 0.0, "centred targets")?;
    for (i, (y, t)) in y.chunks_exact_mut(k).zip(targets.chunks_exact(k)).enumerate() {
        let root = weight(i).sqrt();
        y.iter_mut().zip(t).zip(&centre).for_each(|((y, t), c)| *y = root * (t - c));
    }
    let (weights, objective, residual) = match gamma > 0.0 {
        true => by_equations(&hidden, &y, (n, m, k), gamma, run)?,
        false => by_singular_values(&hidden, &y, (n, m, k), run)?,
    };
    let mut offsets = centre;
    for (w, h) in weights.chunks_exact(k).zip(&hidden.mean) {
        numeric::add_scaled(&mut offsets, -h, w);
    }
    Ok(Readout { weights, offsets, objective, residual })
}

/// Weights (m x k), objective and residual of (HᵀH + γI) V = HᵀY.
fn by_equations(
    hidden: &Hidden<'_>,
    y: &[f64],
    (n, m, k): (usize, usize, usize),
    gamma: f64,
    run: &Run<'_>,
) -> Result<(Vec<f64>, f64, f64)> {
    let (mut squares, _first) = run.memory.filled(m.saturating_mul(m), 0.0, "equations of a readout")?;
    let (mut part, _second) = run.memory.filled(m.saturating_mul(m), 0.0, "equations of a readout")?;
    let mut right = vec![0.0; m * k];
    for from in (0..n).step_by(ROWS) {
        run.report(&Progress::of("readout", from as u64, n as u64))?;
        let block = hidden.block(from, true, run)?;
        let rows = block.len() / m;
        let h = Mat::new(&block, rows, m)?;
        gram(run, h, MatMut::new(&mut part, m, m)?)?;
        squares.iter_mut().zip(&part).for_each(|(s, p)| *s += p);
        let side = Mat::new(&y[from * k..(from + rows) * k], rows, k)?;
        product(run, h.transposed(), side, MatMut::new(&mut right, m, k)?, 1.0, true)?;
    }
    (0..m).for_each(|i| squares[i * m + i] += gamma);
    let factor = Cholesky::new(run, Mat::new(&squares, m, m)?).map_err(|e| match e {
        Error::Data { .. } => Error::parameter("gamma", gamma, "is too small for these features; raise it or use 0"),
        other => other,
    })?;
    let mut weights = right.clone();
    factor.solve(run, MatMut::new(&mut weights, m, k)?)?;
    let mut image = vec![0.0; m * k];
    let solved = Mat::new(&weights, m, k)?;
    product(run, Mat::new(&squares, m, m)?, solved, MatMut::new(&mut image, m, k)?, 1.0, false)?;
    let along = |a: &[f64], b: &[f64]| numeric::dot(a, b);
    let objective = 0.5 * (along(y, y) - 2.0 * along(&weights, &right) + along(&weights, &image));
    let misses: Vec<f64> = right.iter().zip(&image).map(|(r, i)| r - i).collect();
    Ok((weights, objective.max(0.0), share(&misses, &right)))
}

/// The same for γ = 0: the shortest of the best.
fn by_singular_values(
    hidden: &Hidden<'_>,
    y: &[f64],
    (n, m, k): (usize, usize, usize),
    run: &Run<'_>,
) -> Result<(Vec<f64>, f64, f64)> {
    let (mut all, _hold) = run.memory.filled(n.saturating_mul(m), 0.0, "features of a readout")?;
    for from in (0..n).step_by(ROWS) {
        let block = hidden.block(from, true, run)?;
        all[from * m..from * m + block.len()].copy_from_slice(&block);
    }
    let (h, side) = (Mat::new(&all, n, m)?, Mat::new(y, n, k)?);
    let weights = least_squares(run, h, side, None)?.solution;
    let mut misses = y.to_vec();
    product(run, h, Mat::new(&weights, m, k)?, MatMut::new(&mut misses, n, k)?, -1.0, true)?;
    let (mut left, mut right) = (vec![0.0; m * k], vec![0.0; m * k]);
    product(run, h.transposed(), Mat::new(&misses, n, k)?, MatMut::new(&mut left, m, k)?, 1.0, false)?;
    product(run, h.transposed(), side, MatMut::new(&mut right, m, k)?, 1.0, false)?;
    Ok((weights, 0.5 * numeric::dot(&misses, &misses), share(&left, &right)))
}

/// The largest size in one list as a share of that in another.
fn share(some: &[f64], of: &[f64]) -> f64 {
    let largest = |list: &[f64]| list.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    match largest(of) {
        0.0 => largest(some),
        scale => largest(some) / scale,
    }
}

impl Hidden<'_> {
    /// The features of a block of rows, ready for the equations if asked.
    fn block(&self, from: usize, ready: bool, run: &Run<'_>) -> Result<Vec<f64>> {
        let m = self.mean.len();
        let to = self.data.len().min(from + ROWS);
        let rows: Inputs = self.data.points()?.slice(from..to).into();
        let _hold = run.memory.take_for::<f64>((to - from).saturating_mul(m), "features of a readout")?;
        let mut block = self.network.compute(&rows, run)?.to_dense(&run.memory)?.to_vec();
        if let Some(x) = block.iter().find(|x| !x.is_finite()) {
            return Err(Error::data(base::Place::Whole, format!("a feature is {x}; scale the columns")));
        }
        if ready {
            for (i, row) in block.chunks_exact_mut(m).enumerate() {
                let root = self.data.weights.as_ref().map_or(1.0, |w| w[from + i].sqrt());
                row.iter_mut().zip(&self.mean).for_each(|(h, mean)| *h = root * (*h - mean));
            }
        }
        Ok(block)
    }
}
