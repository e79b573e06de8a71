//! The kernel AdaTron: the perceptron of maximal stability in the space of a kernel, by coordinate ascent.
//!
//! Maximises Σ x_i − ½ Σ x_i x_j S_i S_j K_ij over 0 ≤ x_i ≤ C, without threshold: in turn, with stability
//! E_i = S_i Σ_j x_j S_j K_ij, each embedding strength becomes x_i + η (1 − E_i)/K_ii, cut at 0 (and at C; hard margins
//! have C = ∞). For 0 < η < 2 every step raises the objective. The answer is the sign of Σ x_j S_j k(x, ξ_j).
//!
//! **Cost.** n² a sweep. Very many classes share one matrix of all rows, from which the few values of each pair are
//! gathered. Rows that are nearly alike make sweeps creep: now and then the strengths between their bounds go to their
//! common optimum at once, where they are few. **Ends** when no strength wants to move more than the tolerance allows; a hard margin around
//! data that cannot be separated in feature space never does, and the steps end it.
//!
//! - J. Anlauf, M. Biehl: *The AdaTron: an adaptive perceptron algorithm.* Europhys. Lett. 10 (1989).
//! - T. Friess, N. Cristianini, C. Campbell: *The kernel-adatron algorithm.* ICML 1998.

use crate::classes::{Multiclass, Sorted, join_pairs};
use crate::function::KernelBasis;
use crate::gram::gram;
use crate::kernel::Kernel;
use crate::matrix::certificate;
use crate::plan::plan;
use crate::rows::{SEGMENTS, WHOLE};
use crate::settings::{KernelSettings, SolverSettings};
use crate::solve::Solution;
use base::{
    Dataset, Error, Fitted, Learner, Needs, Plan, Progress, Record, Result, Run, Shared, Size, Traits, Wanted,
    Weighting, classes_of, settings,
};
use std::sync::Arc;

/// Sweeps after which, and strengths up to which, those between their bounds are settled at once.
const SETTLE: (usize, usize) = (32, 64);
/// Numbers passed over between two looks at the watch.
const LOOK: usize = 1 << 24;

settings! {
    /// Settings of the kernel AdaTron.
    pub struct KernelAdaTron {
        /// upper bound of the coefficients; inf is the hard margin
        pub c: f64 = f64::INFINITY, in Range::UpToInfinity(0.0), as "C";
        /// step size, relative to the optimal one
        pub eta: f64 = 1.0, in Range::Between(1e-3, 1.999);
        /// maximum number of sweeps over all rows
        pub sweeps: usize = 10_000, in Range::AtLeast(1.0), as "max_iter";
        /// largest violation of the KKT conditions at which to stop
        pub tolerance: f64 = 1e-6, in Range::Positive, as "tol";
        use kernel: KernelSettings = KernelSettings::default();
    }
}

impl Learner for KernelAdaTron {
    fn name(&self) -> &'static str {
        "kernel-adatron"
    }

    fn traits(&self) -> Traits<'_> {
        Traits::new(Needs { targets: Wanted::Classes(2), table: false, missing: false, weights: Weighting::None })
            .contract(crate::settings::TIGHT)
            .effort(400.0, 1.0, 0.0)
    }

    fn learn(&self, data: &Dataset, _start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        let kernel = self.kernel.choose(data, run)?;
        let sorted = Sorted::new(data, classes_of(data)?, Multiclass::Pairs, run)?;
        // What a matrix of four rows costs is not its values but everything around them.
        let whole = match sorted.ranges.len() >= SEGMENTS && data.len() <= WHOLE {
            true => Some(values(&kernel, &sorted, &(0..data.len()).collect::<Vec<_>>(), run)?),
            false => None,
        };
        let solutions = sorted.solve_all(run, |task, run| {
            let rows = task.rows(&sorted);
            let places: Vec<usize> = rows.iter().map(|r| r.0).collect();
            let signs: Vec<f64> = rows.iter().map(|r| r.1).collect();
            let matrix = match &whole {
                Some(whole) => {
                    let line = |i: usize| places.iter().map(move |&j| whole[i * data.len() + j]);
                    Ok(places.iter().flat_map(|&i| line(i)).collect::<Vec<f64>>().into())
                }
                None => values(&kernel, &sorted, &places, run),
            };
            match matrix {
                Err(Error::Stopped { .. }) => Ok(Solution::untouched(rows.len())),
                other => self.solve(&other?, &signs, whole.is_some(), run),
            }
        })?;
        let mut certificate = certificate(&solutions.iter().collect::<Vec<_>>(), &kernel);
        let machine = join_pairs(data, &sorted, kernel, &solutions, &mut certificate, run)?;
        crate::facts::scales(&mut certificate, data, machine.kernel())?;
        let bounded = sorted.bounded(&solutions, |_| self.c);
        crate::facts::support(&mut certificate, data, crate::facts::Support::Classes, machine.centres().len(), bounded);
        Ok(Fitted { machine: Arc::new(machine), certificate })
    }

    fn plan(&self, size: &Size) -> Plan {
        let plan = plan(size, 1, &SolverSettings::default(), "svc reaches a maximum margin faster");
        // All kernel values of one pair of classes.
        let pair = 2.0 * size.rows as f64 / size.outputs.max(2) as f64;
        Plan { bytes: 8.0 * pair * pair + 48.0 * size.rows as f64, ..plan }
    }
}

/// Goes to where all strengths between their bounds have stability 1, or to the first bound on the way: along d with
/// Q d = 1 − E and Q_ij = S_i S_j K_ij, which raises the objective. Nothing happens where Q is singular.
fn settle(matrix: &[f64], signs: &[f64], c: f64, strengths: &mut [f64], fields: &mut [f64]) {
    let n = signs.len();
    let free: Vec<usize> = (0..n).filter(|&i| strengths[i] > 0.0 && strengths[i] < c).collect();
    let m = free.len();
    if m < 2 || m > SETTLE.1 {
        return;
    }
    // Q = L Lᵀ, row by row.
    let mut l = vec![0.0; m * m];
    for i in 0..m {
        for j in 0..=i {
            let q = signs[free[i]] * signs[free[j]] * matrix[free[i] * n + free[j]];
            let rest = q - (0..j).map(|k| l[i * m + k] * l[j * m + k]).sum::<f64>();
            if i == j && (rest.is_nan() || rest <= 1e-12 * q) {
                return;
            }
            l[i * m + j] = if i == j { rest.sqrt() } else { rest / l[j * m + j] };
        }
    }
    let mut d: Vec<f64> = free.iter().map(|&i| 1.0 - signs[i] * fields[i]).collect();
    for i in 0..m {
        d[i] = (d[i] - (0..i).map(|k| l[i * m + k] * d[k]).sum::<f64>()) / l[i * m + i];
    }
    for i in (0..m).rev() {
        d[i] = (d[i] - (i + 1..m).map(|k| l[k * m + i] * d[k]).sum::<f64>()) / l[i * m + i];
    }
    let room = |(&i, &d): (&usize, &f64)| if d < 0.0 { -strengths[i] / d } else { (c - strengths[i]) / d };
    let length = free.iter().zip(&d).filter(|(_, d)| **d != 0.0).map(room).fold(1.0, f64::min);
    for (&i, d) in free.iter().zip(&d) {
        let fresh = (strengths[i] + length * d).clamp(0.0, c);
        numeric::add_scaled(fields, (fresh - strengths[i]) * signs[i], &matrix[i * n..(i + 1) * n]);
        strengths[i] = fresh;
    }
}

/// The kernel among these sorted places, row after row.
fn values(kernel: &Kernel, sorted: &Sorted, places: &[usize], run: &Run<'_>) -> Result<Shared<f64>> {
    let points = sorted.points.select(places)?;
    if !matches!(kernel.basis(), KernelBasis::Precomputed) {
        return gram(kernel, &points, run);
    }
    let (n, columns) = (places.len(), points.columns());
    let (mut matrix, hold) = run.memory.filled(n.saturating_mul(n), 0.0, "kernel values of a pair of classes")?;
    let mut row = vec![0.0; columns];
    for (i, line) in matrix.chunks_exact_mut(n.max(1)).enumerate() {
        points.write_row(i, &mut row);
        line.iter_mut().zip(places).for_each(|(k, &j)| *k = row[sorted.order[j]]);
    }
    Ok(Shared::counted(matrix, hold))
}

impl KernelAdaTron {
    /// Solves a problem of two sides with these kernel values. One of very many is too small to tell of every sweep:
    /// that would take longer than the sweep.
    fn solve(&self, matrix: &[f64], signs: &[f64], many: bool, run: &Run<'_>) -> Result<Solution> {
        let n = signs.len();
        let (mut strengths, mut fields) = (vec![0.0f64; n], vec![0.0f64; n]);
        let (mut sweeps, mut violation, mut interrupted) = (0, f64::INFINITY, false);
        let look = (LOOK / n.max(1)).max(1);
        while sweeps < self.sweeps && violation > self.tolerance && !interrupted {
            let progress =
                Progress { stage: "sweep", done: sweeps as u64, total: Some(self.sweeps as u64), value: None };
            if sweeps % SETTLE.0 == SETTLE.0 - 1 {
                settle(matrix, signs, self.c, &mut strengths, &mut fields);
            }
            let told = !many || sweeps % (look / n.max(1)).max(1) == (look / n.max(1)).max(1) - 1;
            if told && run.step(&progress)? {
                interrupted = true;
                break;
            }
            violation = 0.0;
            for i in 0..n {
                // A sweep passes over n² numbers.
                if i % look == look - 1 && run.is_enough()? {
                    interrupted = true;
                    break;
                }
                let missing = 1.0 - signs[i] * fields[i];
                let x = strengths[i];
                let wanted = match (x > 0.0, x < self.c) {
                    (true, true) => missing.abs(),
                    (false, _) => missing.max(0.0),
                    (_, false) => (-missing).max(0.0),
                };
                violation = f64::max(violation, wanted);
                let curvature = matrix[i * n + i].max(numeric::LEAST_CURVATURE);
                let fresh = (x + self.eta * missing / curvature).clamp(0.0, self.c);
                if fresh != x {
                    numeric::add_scaled(&mut fields, (fresh - x) * signs[i], &matrix[i * n..(i + 1) * n]);
                    strengths[i] = fresh;
                }
            }
            sweeps += 1;
            // What was looked at in part of a sweep says nothing of the rest.
            violation = if interrupted { f64::INFINITY } else { violation };
        }
        let beta: Vec<f64> = strengths.iter().zip(signs).map(|(x, s)| x * s).collect();
        let square: f64 = beta.iter().zip(&fields).map(|(b, f)| b * f).sum();
        let objective = 0.5 * square - strengths.iter().sum::<f64>();
        // With a hard margin every violated row costs without end; the gap is then that of the reached soft one.
        let price = if self.c.is_finite() { self.c } else { strengths.iter().copied().fold(0.0, f64::max) };
        let slack: f64 = fields.iter().zip(signs).map(|(f, s)| price * (1.0 - s * f).max(0.0)).sum();
        let converged = violation <= self.tolerance;
        Ok(Solution {
            gap: square + slack - strengths.iter().sum::<f64>(),
            products: fields,
            beta,
            thresholds: [0.0; 2],
            objective,
            energy: 0.5 * (0..n).map(|i| strengths[i] * strengths[i] * matrix[i * n + i]).sum::<f64>(),
            violation: if violation.is_finite() { violation } else { 1.0 },
            steps: sweeps as u64,
            converged,
            interrupted: interrupted && !converged,
        })
    }
}
