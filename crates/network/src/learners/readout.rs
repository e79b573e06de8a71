//! The last, linear layer on top of a network that stays as it is, by ridge least squares.
//!
//! Minimises ½ Σ_i w_i ‖y_i − Vᵀh(x_i) − c‖² + ½γ‖V‖² over V and c, c not penalised. Both sides are centred by their
//! weighted means, which takes c out. With γ > 0 the equations (HᵀH + γI) V = HᵀY are summed up block by block, so that
//! the features never exist all at once, and solved by Cholesky. The means are not known before the last block; sums are
//! taken about the mean s of the first one, and W (h̄ − s)(h̄ − s)ᵀ is taken off in the end, which loses no digits where
//! the first rows are like the others. With γ = 0 the shortest solution is found through the singular values of H, which
//! then is written out.
//!
//! **Cost.** The features once, and O(n m² + m³) for m of them; m² numbers, or n m with γ = 0.

use crate::NetworkMachine;
use base::{Advice, Dataset, Error, Inputs, Machine, Message, Progress, Result, Run};
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

/// The features of some rows.
struct Hidden<'a> {
    network: &'a NetworkMachine,
    data: &'a Dataset,
    /// The sum of weights.
    total: f64,
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
    let weight = |i: usize| data.weight(i);
    let hidden = Hidden { network, data, total: (0..n).map(weight).sum() };
    let mut centre = vec![0.0; k];
    for (i, t) in targets.chunks_exact(k).enumerate() {
        numeric::add_scaled(&mut centre, weight(i) / hidden.total, t);
    }
    let (mut y, _hold) = run.memory.filled(targets.len(), 0.0, "centred targets")?;
    for (i, (y, t)) in y.chunks_exact_mut(k).zip(targets.chunks_exact(k)).enumerate() {
        let root = weight(i).sqrt();
        y.iter_mut().zip(t).zip(&centre).for_each(|((y, t), c)| *y = root * (t - c));
    }
    let solved = match gamma > 0.0 {
        true => by_equations(&hidden, &y, (n, m, k), gamma, run)?,
        false => by_singular_values(&hidden, &y, (n, m, k), run)?,
    };
    let mut offsets = centre;
    for (w, h) in solved.weights.chunks_exact(k).zip(&solved.mean) {
        numeric::add_scaled(&mut offsets, -h, w);
    }
    Ok(Readout { weights: solved.weights, offsets, objective: solved.objective, residual: solved.residual })
}

/// Weights (m x k) with the mean of the features they go with.
struct Solved {
    weights: Vec<f64>,
    mean: Vec<f64>,
    objective: f64,
    residual: f64,
}

/// The solution of (HᵀH + γI) V = HᵀY.
fn by_equations(
    hidden: &Hidden<'_>,
    y: &[f64],
    (n, m, k): (usize, usize, usize),
    gamma: f64,
    run: &Run<'_>,
) -> Result<Solved> {
    let (mut squares, _first) = run.memory.filled(m.saturating_mul(m), 0.0, "equations of a readout")?;
    let (mut part, _second) = run.memory.filled(m.saturating_mul(m), 0.0, "equations of a readout")?;
    let mut right = vec![0.0; m * k];
    let (mut about, mut mean) = (vec![], vec![0.0; m]);
    for from in (0..n).step_by(ROWS) {
        run.report(&Progress::of("readout", from as u64, n as u64))?;
        let mut block = hidden.block(from, run)?;
        let rows = block.len() / m;
        let share = hidden.mean(&block, from);
        mean.iter_mut().zip(&share).for_each(|(m, s)| *m += s);
        if from == 0 {
            let part = hidden.weight(0..rows) / hidden.total;
            about = share.iter().map(|s| s / part).collect();
        }
        hidden.centre(&mut block, from, &about);
        let h = Mat::new(&block, rows, m)?;
        gram(run, h, MatMut::new(&mut part, m, m)?)?;
        squares.iter_mut().zip(&part).for_each(|(s, p)| *s += p);
        let side = Mat::new(&y[from * k..(from + rows) * k], rows, k)?;
        product(run, h.transposed(), side, MatMut::new(&mut right, m, k)?, 1.0, true)?;
    }
    // Sums about s become sums about the mean; the targets are centred, so the right-hand side stays as it is.
    let away: Vec<f64> = mean.iter().zip(&about).map(|(m, s)| m - s).collect();
    for (line, a) in squares.chunks_exact_mut(m).zip(&away) {
        numeric::add_scaled(line, -hidden.total * a, &away);
    }
    (0..m).for_each(|i| squares[i * m + i] += gamma);
    let factor = Cholesky::new(run, Mat::new(&squares, m, m)?).map_err(|e| match e {
        Error::Data { .. } => Error::parameter("penalty", gamma, "is too small for these features; raise it or use 0"),
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
    Ok(Solved { weights, mean, objective: objective.max(0.0), residual: share(&misses, &right) })
}

/// The same for γ = 0: the shortest of the best.
fn by_singular_values(
    hidden: &Hidden<'_>,
    y: &[f64],
    (n, m, k): (usize, usize, usize),
    run: &Run<'_>,
) -> Result<Solved> {
    let (mut all, _hold) = run.memory.filled(n.saturating_mul(m), 0.0, "features of a readout")?;
    for from in (0..n).step_by(ROWS) {
        let block = hidden.block(from, run)?;
        all[from * m..from * m + block.len()].copy_from_slice(&block);
    }
    let mean = hidden.mean(&all, 0);
    hidden.centre(&mut all, 0, &mean);
    let (h, side) = (Mat::new(&all, n, m)?, Mat::new(y, n, k)?);
    let weights = least_squares(run, h, side, None)?.solution;
    let mut misses = y.to_vec();
    product(run, h, Mat::new(&weights, m, k)?, MatMut::new(&mut misses, n, k)?, -1.0, true)?;
    let (mut left, mut right) = (vec![0.0; m * k], vec![0.0; m * k]);
    product(run, h.transposed(), Mat::new(&misses, n, k)?, MatMut::new(&mut left, m, k)?, 1.0, false)?;
    product(run, h.transposed(), side, MatMut::new(&mut right, m, k)?, 1.0, false)?;
    let objective = 0.5 * numeric::dot(&misses, &misses);
    Ok(Solved { weights, mean, objective, residual: share(&left, &right) })
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
    /// The features of a block of rows.
    fn block(&self, from: usize, run: &Run<'_>) -> Result<Vec<f64>> {
        let to = self.data.len().min(from + ROWS);
        let rows: Inputs = self.data.points()?.slice(from..to).into();
        let count = (to - from).saturating_mul(self.network.outputs().names.len());
        let _hold = run.memory.take_for::<f64>(count, "features of a readout")?;
        let block = self.network.compute(&rows, run)?.to_dense(&run.memory)?.to_vec();
        match block.iter().find(|x| !x.is_finite()) {
            Some(x) => Err(Error::data(
                base::Place::Whole,
                Message::from(format!("a number became too large in the hidden layer ({x}): rescale the columns"))
                    .with(Advice::prepare("scale")),
            )),
            None => Ok(block),
        }
    }

    /// The sum of weights of some rows.
    fn weight(&self, rows: std::ops::Range<usize>) -> f64 {
        self.data.weights.as_ref().map_or(rows.len() as f64, |w| w[rows].iter().sum())
    }

    /// What these rows, of which the first is `from`, add to the mean of all.
    fn mean(&self, block: &[f64], from: usize) -> Vec<f64> {
        let m = self.network.outputs().names.len();
        let mut mean = vec![0.0; m];
        for (i, row) in block.chunks_exact(m).enumerate() {
            numeric::add_scaled(&mut mean, self.weight(from + i..from + i + 1) / self.total, row);
        }
        mean
    }

    /// Each row about `centre`, multiplied by the root of its weight.
    fn centre(&self, block: &mut [f64], from: usize, centre: &[f64]) {
        for (i, row) in block.chunks_exact_mut(centre.len()).enumerate() {
            let root = self.data.weight(from + i).sqrt();
            row.iter_mut().zip(centre).for_each(|(h, c)| *h = root * (*h - c));
        }
    }
}
