//! Growth by tiling: a parity machine that gets units until it makes no mistake.
//!
//! S(x) = Π_m σ_m(x) with σ_m = sign(u_m·z − θ_m), z being the scaled inputs and their squared length. The first unit
//! learns the labels; each further one learns where the product so far is right (+1) and where it is wrong (−1), so that
//! the mistakes of the machine are those of its last unit. A unit is fitted by logistic regression, then its threshold
//! is put where it makes the fewest mistakes. If that does not make fewer than before, the unit is a grandmother: it says
//! −1 within a small sphere around one mistaken row and whatever mistaken rows are as near, and +1 elsewhere, which takes
//! one mistake away at least. So P rows, none twice with two labels, need at most P units.
//!
//! **Cost.** A unit takes some hundred passes over P rows of d + 1 numbers, a grandmother one pass.
//! **Limits.** Two classes. No mistake on the rows at hand says nothing of others: the number of units is the measure of
//! how much was learnt by heart, and a bound on it is the way to stop early.
//!
//! - M. Mézard, J.-P. Nadal: *Learning in feedforward layered networks: the tiling algorithm.* J. Phys. A 22 (1989).
//! - M. Biehl: *The Shallow and the Deep.* 2023, section 4.2, equations (4.8)-(4.15).

use base::graph::{Binary, Draft, Element, Graph, Op, Reduction, Tensor, Unary};
use base::{Error, Place, Progress, Result, Run};
use numeric::{Lbfgs, Mat, dot, squared_distance, times_vector};

/// A machine that was grown.
#[derive(Debug, Clone)]
pub struct Tiling {
    /// From rows (x columns) to +1 or −1 (rows x 1).
    pub graph: Graph,
    /// How many rows are right after each unit; it grows from unit to unit.
    pub right: Vec<usize>,
    /// Which units are grandmothers.
    pub grandmothers: Vec<bool>,
    /// Whether time or the observer ended the growth.
    pub interrupted: bool,
}

/// A unit: weights of z, then −θ.
type Unit = Vec<f64>;

/// Grows a machine for rows of `columns` numbers and their labels, with at most `units` units.
pub fn tiling(rows: &[f64], columns: usize, labels: &[bool], units: usize, run: &Run<'_>) -> Result<Tiling> {
    let n = labels.len();
    if n == 0 || columns == 0 || units == 0 || rows.len() != n.saturating_mul(columns) {
        let found = format!("{} numbers, {n} labels, {columns} columns, {units} units", rows.len());
        return Err(Error::size("rows to grow a machine on", "as many numbers as labels times columns", found));
    }
    if rows.iter().any(|x| !x.is_finite()) {
        return Err(Error::data(Place::Whole, "a number is not finite"));
    }
    let _hold = run.memory.take_for::<f64>(n.saturating_mul(columns + 4), "inputs of the units")?;
    let (mean, factor) = scales(rows, columns);
    let wide = columns + 1;
    let mut z = Vec::with_capacity(n * wide);
    for row in rows.chunks_exact(columns) {
        let start = z.len();
        z.extend(row.iter().zip(mean.iter().zip(&factor)).map(|(x, (m, f))| (x - m) * f));
        let square = dot(&z[start..], &z[start..]);
        z.push(square);
    }
    let labels: Vec<f64> = labels.iter().map(|&l| if l { 1.0 } else { -1.0 }).collect();
    let (mut said, mut all, mut right, mut grandmothers) = (vec![1.0; n], vec![], vec![], vec![]);
    let (mut mistakes, mut interrupted) = (n, false);
    while mistakes > 0 && all.len() < units {
        let progress = Progress::of("units", all.len() as u64, units as u64);
        if run.step(&Progress { value: Some(mistakes as f64), ..progress })? && !all.is_empty() {
            interrupted = true;
            break;
        }
        // +1 where the product so far is right; before the first unit the product is 1.
        let aims: Vec<f64> = said.iter().zip(&labels).map(|(s, l)| s * l).collect();
        let before = if all.is_empty() { n } else { mistakes };
        let mut unit = trained(&z, wide, &aims, run)?;
        let mut fields = fields(&z, wide, &unit, run)?;
        let wrong = |fields: &[f64]| fields.iter().zip(&aims).filter(|(h, a)| **h * **a <= 0.0).count();
        let grandmother = wrong(&fields) >= before;
        if grandmother {
            unit = isolating(&z, wide, &aims)?;
            fields = self::fields(&z, wide, &unit, run)?;
        }
        let now = wrong(&fields);
        if now >= before {
            return Err(Error::data(Place::Whole, "two rows with different labels are too close to separate"));
        }
        mistakes = now;
        said.iter_mut().zip(&fields).for_each(|(s, h)| *s *= h.signum());
        right.push(n - mistakes);
        grandmothers.push(grandmother);
        all.push(unit);
    }
    Ok(Tiling { graph: graph(&all, columns, mean, factor)?, right, grandmothers, interrupted })
}

/// The mean of each column, and one over its deviation (1 for a constant one).
fn scales(rows: &[f64], columns: usize) -> (Vec<f64>, Vec<f64>) {
    let n = (rows.len() / columns) as f64;
    let column = |c: usize| rows.iter().skip(c).step_by(columns);
    let mean: Vec<f64> = (0..columns).map(|c| column(c).sum::<f64>() / n).collect();
    let factor = |c: usize| {
        let deviation = (column(c).map(|x| (x - mean[c]) * (x - mean[c])).sum::<f64>() / n).sqrt();
        if deviation > 1e-12 * mean[c].abs() { 1.0 / deviation } else { 1.0 }
    };
    let factor = (0..columns).map(factor).collect();
    (mean, factor)
}

/// u·z − θ of all rows.
fn fields(z: &[f64], wide: usize, unit: &[f64], run: &Run<'_>) -> Result<Vec<f64>> {
    let mut out = vec![0.0; z.len() / wide];
    times_vector(run, Mat::new(z, z.len() / wide, wide)?, &unit[..wide], &mut out)?;
    out.iter_mut().for_each(|h| *h += unit[wide]);
    Ok(out)
}

/// A unit by logistic regression, its threshold where it makes the fewest mistakes.
fn trained(z: &[f64], wide: usize, aims: &[f64], run: &Run<'_>) -> Result<Unit> {
    let n = aims.len();
    let rows = Mat::new(z, n, wide)?;
    let mut objective = |u: &[f64], gradient: &mut [f64]| -> Result<f64> {
        let mut value = 5e-4 * dot(&u[..wide], &u[..wide]);
        let mut pull = fields(z, wide, u, run)?;
        for (h, a) in pull.iter_mut().zip(aims) {
            // log(1 + exp(−a h)), without overflow, and its slope.
            let e = *h * a;
            value += ((-e.abs()).exp().ln_1p() + (-e).max(0.0)) / n as f64;
            *h = -a / (1.0 + e.exp()) / n as f64;
        }
        times_vector(run, rows.transposed(), &pull, &mut gradient[..wide])?;
        numeric::add_scaled(&mut gradient[..wide], 1e-3, &u[..wide]);
        gradient[wide] = pull.iter().sum();
        Ok(value)
    };
    let solver = Lbfgs { tolerance: 1e-6, steps: 100, memory: 10 };
    let quiet = Run { threads: run.threads, memory: run.memory.clone(), ..Run::quiet(0) };
    let mut unit = solver.minimise(&quiet, &vec![0.0; wide + 1], &mut objective)?.point;
    let mut order: Vec<(f64, f64)> = fields(z, wide, &unit, run)?.into_iter().zip(aims.iter().copied()).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    // The unit says −1 below the threshold and +1 above; it begins below all rows.
    let mut wrong = aims.iter().filter(|a| **a < 0.0).count();
    let (mut best, mut place) = (wrong, order[0].0 - 1.0);
    for (i, (h, a)) in order.iter().enumerate() {
        wrong = if *a < 0.0 { wrong - 1 } else { wrong + 1 };
        let next = order.get(i + 1).map_or(h + 1.0, |next| next.0);
        if wrong < best && next > *h {
            (best, place) = (wrong, 0.5 * (h + next));
        }
    }
    unit[wide] -= place;
    Ok(unit)
}

/// A grandmother: |z − p|² − δ around the first mistaken row p, δ half the squared distance to the nearest right one.
fn isolating(z: &[f64], wide: usize, aims: &[f64]) -> Result<Unit> {
    let columns = wide - 1;
    let row = |i: usize| &z[i * wide..i * wide + columns];
    let Some(own) = aims.iter().position(|a| *a < 0.0) else {
        return Err(Error::data(Place::Whole, "there is no mistake to isolate"));
    };
    let away = (0..aims.len()).filter(|&i| aims[i] > 0.0).map(|i| squared_distance(row(own), row(i)));
    let nearest = away.fold(f64::INFINITY, f64::min);
    if nearest == 0.0 {
        return Err(Error::data(Place::Whole, format!("another row is equal to row {own} and has another label")));
    }
    let delta = if nearest.is_finite() { 0.5 * nearest } else { 1.0 };
    let mut unit: Unit = row(own).iter().map(|p| -2.0 * p).collect();
    unit.extend([1.0, dot(row(own), row(own)) - delta]);
    Ok(unit)
}

/// The machine as a network.
fn graph(units: &[Unit], columns: usize, mean: Vec<f64>, factor: Vec<f64>) -> Result<Graph> {
    let (count, wide) = (units.len(), columns + 1);
    let mut draft = Draft::default();
    let x = draft.input("x", Element::F64, vec![None, Some(columns)]);
    let mean = draft.constant("mean", Tensor::f64([columns], mean)?);
    let factor = draft.constant("factor", Tensor::f64([columns], factor)?);
    let centred = draft.node("centred", Op::Binary(Binary::Sub), &[x, mean]);
    let scaled = draft.node("scaled", Op::Binary(Binary::Mul), &[centred, factor]);
    let square = Op::Reduce { reduction: Reduction::SumSquare, axes: vec![1], keep: true };
    let square = draft.node("square", square, &[scaled]);
    let z = draft.node("z", Op::Concat { axis: 1 }, &[scaled, square]);
    let weights = units.iter().flat_map(|u| u[..wide].to_vec()).collect();
    let w = draft.trained("w", Tensor::f64([count, wide], weights)?);
    let threshold = draft.trained("threshold", Tensor::f64([count], units.iter().map(|u| u[wide]).collect())?);
    let field = draft.node("field", Op::Dense { transposed: true }, &[z, w, threshold]);
    let hidden = draft.node("hidden", Op::Unary(Unary::Sign), &[field]);
    let product = Op::Reduce { reduction: Reduction::Product, axes: vec![1], keep: true };
    let y = draft.node("y", product, &[hidden]);
    draft.named("y", y)
}
