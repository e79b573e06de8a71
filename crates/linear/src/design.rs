//! The equations of a weighted least-squares problem, ready for a factorisation.
//!
//! With an intercept both sides are centred by their weighted means, which takes the intercept out of the problem;
//! then each row is multiplied by √w. What remains is min ½‖X W − Y‖² (+ ½γ‖W‖²). O(rows · columns) memory.

use base::{Dataset, Hold, Result, Run, values_of};

/// Centred and weighted sides of a least-squares problem.
pub struct Design {
    /// rows x columns, row after row.
    pub x: Vec<f64>,
    /// rows x values, row after row.
    pub y: Vec<f64>,
    /// Rows.
    pub n: usize,
    /// Columns.
    pub d: usize,
    /// Values.
    pub k: usize,
    /// Means, and the sum of weights.
    pub centre: Centre,
    /// With an intercept √w: centring has made Σ √w_i x_i = 0.
    dependent: Option<Vec<f64>>,
    _hold: Hold,
}

/// Weighted means of both sides; zeros without an intercept.
pub struct Centre {
    /// Mean of the inputs.
    pub x: Vec<f64>,
    /// Mean of the values.
    pub y: Vec<f64>,
    /// Sum of weights.
    pub weight: f64,
}

impl Centre {
    /// The means of these data; only the sum of weights if there is no intercept.
    pub fn of(data: &Dataset, intercept: bool) -> Result<Self> {
        let (points, values) = (data.points()?, values_of(data)?);
        let (d, k) = (points.columns(), values.names().len());
        let weight = |i: usize| data.weight(i);
        let total: f64 = (0..data.len()).map(weight).sum();
        let mut centre = Centre { x: vec![0.0; d], y: vec![0.0; k], weight: total };
        if intercept {
            let mut row = vec![0.0; d];
            for i in 0..data.len() {
                let share = weight(i) / total;
                match points {
                    base::Points::Sparse(sparse) => {
                        let (ids, values) = sparse.row(i);
                        ids.iter().zip(values).for_each(|(&id, x)| centre.x[id as usize] += share * x);
                    }
                    dense => {
                        dense.write_row(i, &mut row);
                        centre.x.iter_mut().zip(&row).for_each(|(m, x)| *m += share * x);
                    }
                }
                centre.y.iter_mut().zip(values.row(i)).for_each(|(m, y)| *m += share * y);
            }
        }
        Ok(centre)
    }

    /// b = ȳ − W x̄ for weights of values x columns.
    pub fn offsets(&self, weights: &[f64]) -> Vec<f64> {
        let d = self.x.len().max(1);
        let offset = |(y, w): (&f64, &[f64])| y - numeric::dot(w, &self.x);
        self.y.iter().zip(weights.chunks_exact(d)).map(offset).collect()
    }
}

impl Design {
    /// The equations of these data.
    pub fn new(data: &Dataset, intercept: bool, run: &Run<'_>) -> Result<Self> {
        let (points, values) = (data.points()?, values_of(data)?);
        let (n, d, k) = (data.len(), points.columns(), values.names().len());
        let centre = Centre::of(data, intercept)?;
        let (mut x, hold) = run.memory.filled(n.saturating_mul(d), 0.0, "the equations")?;
        let mut y = values.values().to_vec();
        for i in 0..n {
            let root = data.weight(i).sqrt();
            let row = &mut x[i * d..(i + 1) * d];
            points.write_row(i, row);
            row.iter_mut().zip(&centre.x).for_each(|(x, m)| *x = (*x - m) * root);
            y[i * k..(i + 1) * k].iter_mut().zip(&centre.y).for_each(|(y, m)| *y = (*y - m) * root);
        }
        let root = |i: usize| data.weight(i).sqrt();
        let dependent = intercept.then(|| (0..n).map(root).collect());
        Ok(Design { x, y, n, d, k, centre, dependent, _hold: hold })
    }

    /// Makes X Xᵀ regular where only centring has made it singular.
    ///
    /// With v = √w centring gives Xᵀv = 0 and Yᵀv = 0, so (X Xᵀ + c v vᵀ) λ = Y has vᵀλ = 0 and hence the same solution
    /// for every c > 0; c is chosen so that the added eigenvalue is the mean of the others.
    pub fn fill_mean_direction(&self, squares: &mut [f64]) {
        let Some(v) = &self.dependent else { return };
        let n = self.n;
        let trace: f64 = (0..n).map(|i| squares[i * n + i]).sum();
        let norm: f64 = v.iter().map(|v| v * v).sum();
        let c = if trace > 0.0 { trace / (n as f64 * norm) } else { 1.0 / norm };
        for (row, vi) in squares.chunks_exact_mut(n).zip(v) {
            row.iter_mut().zip(v).for_each(|(s, vj)| *s += c * vi * vj);
        }
    }

    /// Half the weighted sum of squared errors of weights given as values x columns, by value.
    pub fn half_squares(&self, weights: &[f64], run: &Run<'_>) -> Result<Vec<f64>> {
        let residual = self.residual(weights, run)?;
        let mut sums = vec![0.0; self.k];
        for row in residual.chunks_exact(self.k) {
            sums.iter_mut().zip(row).for_each(|(s, r)| *s += 0.5 * r * r);
        }
        Ok(sums)
    }

    /// ‖Xᵀ(Y − X W) − γW‖ / ‖XᵀY‖, largest components: how well the equations of the minimum hold.
    pub fn violation(&self, weights: &[f64], gamma: f64, run: &Run<'_>) -> Result<f64> {
        let residual = self.residual(weights, run)?;
        let against = |side: &[f64]| -> Result<Vec<f64>> {
            let mut out = vec![0.0; self.d * self.k];
            let x = numeric::Mat::new(&self.x, self.n, self.d)?.transposed();
            let side = numeric::Mat::new(side, self.n, self.k)?;
            numeric::product(run, x, side, numeric::MatMut::new(&mut out, self.d, self.k)?, 1.0, false)?;
            Ok(out)
        };
        let (pull, scale) = (against(&residual)?, against(&self.y)?);
        let largest = |v: &mut dyn Iterator<Item = f64>| v.fold(0.0f64, |m, x| m.max(x.abs()));
        let at = |j: usize, k: usize| pull[j * self.k + k] - gamma * weights[k * self.d + j];
        let worst = largest(&mut (0..self.d).flat_map(|j| (0..self.k).map(move |k| (j, k))).map(|(j, k)| at(j, k)));
        let scale = largest(&mut scale.iter().copied());
        Ok(if scale > 0.0 { worst / scale } else { worst })
    }

    fn residual(&self, weights: &[f64], run: &Run<'_>) -> Result<Vec<f64>> {
        let mut residual = self.y.clone();
        let weights = numeric::Mat::new(weights, self.k, self.d)?.transposed();
        let x = numeric::Mat::new(&self.x, self.n, self.d)?;
        numeric::product(run, x, weights, numeric::MatMut::new(&mut residual, self.n, self.k)?, -1.0, true)?;
        Ok(residual)
    }
}

/// columns x values, row after row, as values x columns.
pub fn transposed(solution: &[f64], rows: usize, columns: usize) -> Vec<f64> {
    (0..columns).flat_map(|c| (0..rows).map(move |r| solution[r * columns + c])).collect()
}
