//! The columns of a least-squares problem with what coordinate descent asks of them.
//!
//! Columns are centred (with an intercept) and multiplied by √weight; three forms answer alike. Written out column after
//! column, with the residual r kept up to date; as products XᵀX, with the slopes Xᵀr kept (covariance updates); and
//! sparse, where centring stays implicit: r = ρ + s√w with one number s for all rows, and since centred columns are
//! orthogonal to √w, x_j·r = Σ √w x_ij ρ_i + s W m_j over the stored entries alone.

use crate::design::Centre;
use base::{Dataset, Hold, Points, Result, Run, values_of};
use numeric::{Mat, MatMut, add_scaled, dot, gram};

/// Most columns for which XᵀX is written out: d² n operations pay after some d/8 sweeps, and a fit takes few sweeps.
const PRODUCTS: usize = 2048;
/// Columns for which XᵀX pays, for each fit that will use it.
const A_FIT: usize = 64;

/// A problem with one target.
pub struct Equations {
    form: Form,
    squares: Vec<f64>,
    /// The target, centred and weighted.
    y: Vec<f64>,
    /// Xᵀy.
    start: Vec<f64>,
    _holds: Vec<Hold>,
}

enum Form {
    Columns { x: Vec<f64>, r: Vec<f64> },
    Products { g: Vec<f64>, slopes: Vec<f64> },
    Sparse(Entries),
}

/// Stored entries column after column, times √weight.
struct Entries {
    starts: Vec<usize>,
    rows: Vec<u32>,
    values: Vec<f64>,
    roots: Vec<f64>,
    /// m_j, and the sum of weights.
    mean: Vec<f64>,
    weight: f64,
    rho: Vec<f64>,
    shift: f64,
}

impl Entries {
    fn column(&self, j: usize) -> (&[u32], &[f64]) {
        let range = self.starts[j]..self.starts[j + 1];
        (&self.rows[range.clone()], &self.values[range])
    }
}

impl Equations {
    /// The inputs of these data, without a target yet.
    pub fn new(data: &Dataset, centre: &Centre, run: &Run<'_>) -> Result<Self> {
        let points = data.points()?;
        let (n, d) = (points.len(), points.columns());
        let roots: Vec<f64> = (0..n).map(|i| data.weight(i).sqrt()).collect();
        let mut holds = vec![run.memory.take_for::<f64>(n.saturating_mul(3).saturating_add(3 * d), "residuals")?];
        let (form, squares) = match points {
            Points::Sparse(_) => {
                let bytes = (points.entries() as u64).saturating_mul(12);
                holds.push(run.memory.take(bytes, "sparse columns")?);
                let entries = entries(points, centre, roots);
                let square = |j: usize| {
                    let norm: f64 = entries.column(j).1.iter().map(|x| x * x).sum();
                    (norm - entries.weight * entries.mean[j] * entries.mean[j]).max(0.0)
                };
                let squares = (0..d).map(square).collect();
                (Form::Sparse(entries), squares)
            }
            Points::Dense(_) => {
                let (mut x, hold) = run.memory.filled(n.saturating_mul(d), 0.0, "columns of the equations")?;
                let mut row = vec![0.0; d];
                for (i, root) in roots.iter().enumerate() {
                    if i % 1024 == 0 {
                        run.check()?;
                    }
                    points.write_row(i, &mut row);
                    row.iter().zip(&centre.x).enumerate().for_each(|(j, (v, m))| x[j * n + i] = (v - m) * root);
                }
                let squares: Vec<f64> = (0..d).map(|j| dot(&x[j * n..(j + 1) * n], &x[j * n..(j + 1) * n])).collect();
                holds.push(hold);
                (Form::Columns { x, r: vec![0.0; n] }, squares)
            }
        };
        // A column that is constant up to rounding pulls on nothing.
        let squares =
            squares.into_iter().zip(&centre.x).map(|(s, m)| if s <= 1e-24 * centre.weight * m * m { 0.0 } else { s });
        Ok(Equations { form, squares: squares.collect(), y: vec![], start: vec![], _holds: holds })
    }

    /// Sets the target to the `k`-th of the data's values.
    pub fn aim_at(&mut self, data: &Dataset, centre: &Centre, k: usize) -> Result<()> {
        let values = values_of(data)?;
        let root = |i: usize| data.weight(i).sqrt();
        self.y = (0..data.len()).map(|i| (values.row(i)[k] - centre.y[k]) * root(i)).collect();
        let d = self.squares.len();
        self.start = match &mut self.form {
            Form::Columns { x, .. } => {
                let n = self.y.len();
                (0..d).map(|j| dot(&x[j * n..(j + 1) * n], &self.y)).collect()
            }
            Form::Sparse(e) => {
                let pull = |j: usize| {
                    let (rows, values) = e.column(j);
                    rows.iter().zip(values).map(|(&i, x)| x * self.y[i as usize]).sum::<f64>()
                };
                (0..d).map(pull).collect()
            }
            Form::Products { .. } => vec![],
        };
        Ok(())
    }

    /// Whether writing out XᵀX pays for so many fits: few columns, more rows.
    pub fn pays_products(&self, fits: usize) -> bool {
        let (n, d) = (self.y.len(), self.squares.len());
        matches!(self.form, Form::Columns { .. }) && d <= PRODUCTS.min(A_FIT.saturating_mul(fits)) && n > 2 * d
    }

    /// The same problem by products XᵀX, for the target set.
    pub fn by_products(&self, run: &Run<'_>) -> Result<Option<Equations>> {
        let Form::Columns { x, .. } = &self.form else { return Ok(None) };
        let (n, d) = (self.y.len(), self.squares.len());
        let (mut g, hold) = run.memory.filled(d.saturating_mul(d), 0.0, "XᵀX")?;
        gram(run, Mat::new(x, d, n)?.transposed(), MatMut::new(&mut g, d, d)?)?;
        Ok(Some(Equations {
            form: Form::Products { g, slopes: vec![0.0; d] },
            squares: self.squares.clone(),
            y: self.y.clone(),
            start: self.start.clone(),
            _holds: vec![hold],
        }))
    }

    /// Takes the target from the same problem in another form.
    pub fn retarget(&mut self, other: &Equations) {
        self.y.clone_from(&other.y);
        self.start.clone_from(&other.start);
    }

    /// Puts the residual to that of `w`.
    pub fn start(&mut self, w: &[f64]) {
        match &mut self.form {
            Form::Columns { r, .. } => r.copy_from_slice(&self.y),
            Form::Products { slopes, .. } => slopes.copy_from_slice(&self.start),
            Form::Sparse(e) => {
                e.rho.copy_from_slice(&self.y);
                e.shift = 0.0;
            }
        }
        w.iter().enumerate().filter(|(_, w)| **w != 0.0).for_each(|(j, &w)| self.step(j, w));
    }

    /// How many numbers a coordinate passes over.
    pub fn rows(&self) -> usize {
        match &self.form {
            Form::Products { slopes, .. } => slopes.len(),
            _ => self.y.len(),
        }
    }

    /// ‖x_j‖².
    pub fn square(&self, j: usize) -> f64 {
        self.squares[j]
    }

    /// ‖y‖².
    pub fn target_square(&self) -> f64 {
        dot(&self.y, &self.y)
    }

    /// The largest |x_j·y|.
    pub fn steepest(&self) -> f64 {
        let pull = |(j, s): (usize, &f64)| if self.squares[j] > 0.0 { s.abs() } else { 0.0 };
        self.start.iter().enumerate().map(pull).fold(0.0, f64::max)
    }

    /// x_j·r.
    pub fn slope(&self, j: usize) -> f64 {
        if self.squares[j] <= 0.0 {
            return 0.0;
        }
        match &self.form {
            Form::Columns { x, r } => dot(&x[j * r.len()..(j + 1) * r.len()], r),
            Form::Products { slopes, .. } => slopes[j],
            Form::Sparse(e) => {
                let (rows, values) = e.column(j);
                let pull: f64 = rows.iter().zip(values).map(|(&i, x)| x * e.rho[i as usize]).sum();
                pull + e.shift * e.weight * e.mean[j]
            }
        }
    }

    /// Changes w_j by `change`.
    pub fn step(&mut self, j: usize, change: f64) {
        match &mut self.form {
            Form::Columns { x, r } => {
                let n = r.len();
                add_scaled(r, -change, &x[j * n..(j + 1) * n]);
            }
            Form::Products { g, slopes } => {
                let d = slopes.len();
                add_scaled(slopes, -change, &g[j * d..(j + 1) * d]);
            }
            Form::Sparse(e) => {
                let range = e.starts[j]..e.starts[j + 1];
                for (&i, x) in e.rows[range.clone()].iter().zip(&e.values[range]) {
                    e.rho[i as usize] -= change * x;
                }
                e.shift += change * e.mean[j];
            }
        }
    }

    /// ‖r‖² and r·y, where r belongs to `w`.
    pub fn residual(&self, w: &[f64]) -> (f64, f64) {
        match &self.form {
            Form::Columns { r, .. } => (dot(r, r), dot(r, &self.y)),
            Form::Products { slopes, .. } => {
                // r·y = ‖y‖² − w·Xᵀy, and ‖r‖² = r·y − w·Xᵀr.
                let along = self.target_square() - dot(w, &self.start);
                ((along - dot(w, slopes)).max(0.0), along)
            }
            Form::Sparse(e) => {
                let whole = |i: usize| e.rho[i] + e.shift * e.roots[i];
                (0..self.y.len()).fold((0.0, 0.0), |(a, b), i| (a + whole(i) * whole(i), b + whole(i) * self.y[i]))
            }
        }
    }

    /// x_i·x_j for the given columns.
    pub fn products(&self, ids: &[usize], out: &mut [f64], run: &Run<'_>) -> Result<()> {
        let a = ids.len();
        let mut wide = vec![0.0; if matches!(self.form, Form::Sparse(_)) { self.y.len() } else { 0 }];
        for (p, &i) in ids.iter().enumerate() {
            run.check()?;
            if let Form::Sparse(e) = &self.form {
                let (rows, values) = e.column(i);
                rows.iter().zip(values).for_each(|(&r, &x)| wide[r as usize] = x);
            }
            for (q, &j) in ids[..=p].iter().enumerate() {
                let product = match &self.form {
                    Form::Columns { x, r } => {
                        dot(&x[i * r.len()..(i + 1) * r.len()], &x[j * r.len()..(j + 1) * r.len()])
                    }
                    Form::Products { g, slopes } => g[i * slopes.len() + j],
                    Form::Sparse(e) => {
                        let (rows, values) = e.column(j);
                        let product: f64 = rows.iter().zip(values).map(|(&r, x)| x * wide[r as usize]).sum();
                        product - e.weight * e.mean[i] * e.mean[j]
                    }
                };
                out[p * a + q] = product;
                out[q * a + p] = product;
            }
            if let Form::Sparse(e) = &self.form {
                e.column(i).0.iter().for_each(|&r| wide[r as usize] = 0.0);
            }
        }
        Ok(())
    }
}

/// Sparse rows turned into columns.
fn entries(points: &Points, centre: &Centre, roots: Vec<f64>) -> Entries {
    let (n, d) = (points.len(), points.columns());
    let mut starts = vec![0usize; d + 1];
    let (mut rows, mut values) = (vec![0u32; points.entries()], vec![0.0; points.entries()]);
    if let Points::Sparse(sparse) = points {
        (0..n).for_each(|i| sparse.row(i).0.iter().for_each(|&c| starts[c as usize + 1] += 1));
        (0..d).for_each(|c| starts[c + 1] += starts[c]);
        let mut next = starts.clone();
        for (i, root) in roots.iter().enumerate() {
            let (ids, row) = sparse.row(i);
            for (&c, &x) in ids.iter().zip(row) {
                let place = &mut next[c as usize];
                rows[*place] = i as u32;
                values[*place] = x * root;
                *place += 1;
            }
        }
    }
    Entries {
        starts,
        rows,
        values,
        roots,
        mean: centre.x.clone(),
        weight: centre.weight,
        rho: vec![0.0; n],
        shift: 0.0,
    }
}
