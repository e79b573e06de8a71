//! Detectors: what belongs to the data and what is strange, from rows without targets.
//!
//! - **One-class SVM**: min ½ αᵀKα, Σα = 1, 0 ≤ α_i ≤ w_i/(ν Σw); g(x) = Σ α_j k(x, u_j), strange where g < ρ.
//!   At most a share ν of the training rows is strange, at least that share are support vectors.
//! - **SVDD**: the smallest sphere in feature space that leaves out a share ν, min αᵀKα − Σ α_i K_ii with the same
//!   constraints. For kernels of distances K_ii is constant, and it is the one-class SVM.
//! - **KDE**: every row counts, α_i = w_i/Σw; strange is what has a lower density than all but a share ν of the
//!   training rows.
//!
//! The solver works with Σα = ν Σw and bounds w_i, so that its tolerance means the same for any number of rows.
//!
//! - B. Schölkopf et al.: *Estimating the support of a high-dimensional distribution.* Neural Computation 13 (2001).
//! - D. Tax, R. Duin: *Support vector data description.* Machine Learning 54 (2004).

use crate::classes::{centres, room_for};
use crate::expansion::{Decisions, Expansion, ExpansionParts};
use crate::fill::{fill, fill_by};
use crate::kernel::Kernel;
use crate::matrix::{Matrix, certificate, whole};
use crate::plan::plan;
use crate::settings::{KernelSettings, SolverSettings};
use crate::solve::{Problem, Solution};
use base::{
    Certificate, Dataset, Fitted, Learner, Machine, Needs, Plan, Record, Result, Run, Size, Traits, Wanted, Weighting,
    settings,
};
use std::sync::Arc;

/// Scores of training rows that a machine keeps, at most.
const SEEN: usize = 1000;

settings! {
    /// Settings of the one-class SVM.
    pub struct OneClassSvm {
        /// upper bound on the fraction of training rows called anomalies, lower bound on the fraction of support vectors
        pub nu: f64 = 0.05, in Range::Share;
        use kernel: KernelSettings = KernelSettings::default();
        use solver: SolverSettings = SolverSettings::default();
    }
}

settings! {
    /// Settings of support vector data description.
    pub struct Svdd {
        /// upper bound on the fraction of training rows outside the sphere, lower bound on the fraction of support vectors
        pub nu: f64 = 0.05, in Range::Share;
        use kernel: KernelSettings = KernelSettings::default();
        use solver: SolverSettings = SolverSettings::default();
    }
}

settings! {
    /// Settings of the kernel density estimate.
    pub struct Kde {
        /// fraction of the training rows called anomalies
        pub nu: f64 = 0.05, in Range::Share;
        use kernel: KernelSettings = KernelSettings::default();
    }
}

fn needs() -> Needs {
    Needs { targets: Wanted::Nothing, table: false, missing: false, weights: Weighting::Exact }
}

impl OneClassSvm {
    /// Fits with this kernel.
    pub(crate) fn with(
        &self,
        kernel: Kernel,
        data: &Dataset,
        _start: Option<&Record>,
        run: &Run<'_>,
    ) -> Result<Fitted> {
        Detection { data, nu: self.nu, solver: &self.solver, sphere: false }.fit(kernel, run)
    }
}

impl Learner for OneClassSvm {
    fn name(&self) -> &'static str {
        "one-class-svm"
    }

    fn traits(&self) -> Traits<'_> {
        Traits::new(needs()).contract(crate::settings::TIGHT).effort(4.4, 1.0, 0.0).keeps_rows()
    }

    fn learn(&self, data: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        self.with(self.kernel.choose(data, run)?, data, start, run)
    }

    fn plan(&self, size: &Size) -> Plan {
        plan(size, 1, &self.solver, "a mixture or a forest scales better")
    }
}

impl Svdd {
    /// Fits with this kernel.
    pub(crate) fn with(
        &self,
        kernel: Kernel,
        data: &Dataset,
        _start: Option<&Record>,
        run: &Run<'_>,
    ) -> Result<Fitted> {
        // With a constant diagonal both problems are one.
        let sphere = kernel.radial().is_none();
        Detection { data, nu: self.nu, solver: &self.solver, sphere }.fit(kernel, run)
    }
}

impl Learner for Svdd {
    fn name(&self) -> &'static str {
        "svdd"
    }

    fn traits(&self) -> Traits<'_> {
        Traits::new(needs()).contract(crate::settings::TIGHT).effort(4.4, 1.0, 0.0).keeps_rows()
    }

    fn learn(&self, data: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        self.with(self.kernel.choose(data, run)?, data, start, run)
    }

    fn plan(&self, size: &Size) -> Plan {
        plan(size, 1, &self.solver, "a mixture or a forest scales better")
    }
}

impl Learner for Kde {
    fn name(&self) -> &'static str {
        "kde"
    }

    fn traits(&self) -> Traits<'_> {
        Traits::new(needs()).effort(14.5, 1.0, 0.0)
    }

    fn learn(&self, data: &Dataset, _start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        let (points, n) = (data.points()?, data.len());
        let kernel = self.kernel.choose(data, run)?;
        let weights: Vec<f64> = (0..n).map(|i| data.weight(i)).collect();
        let total: f64 = weights.iter().sum();
        let order: Vec<usize> = (0..n).collect();
        let _room = room_for(points, &order, run)?;
        let make = |rho: f64| {
            Expansion::new(ExpansionParts {
                reading: Decisions::Outlier,
                inputs: data.features.clone(),
                names: [].into(),
                centres: centres(points, &kernel, &order, &order)?,
                kernel: kernel.clone(),
                coefficients: weights.iter().map(|w| w / total).collect(),
                offsets: vec![-rho],
                counts: vec![],
                rows: Some((0..n as u64).collect()),
                seen: vec![],
            })
        };
        let densities = make(0.0)?.decisions(points, run)?;
        let rho = threshold(&densities, &weights, self.nu);
        let machine = make(rho)?;
        let scores = machine.compute(&data.inputs, run)?.to_dense(&run.memory)?.to_vec();
        let machine = machine.with_seen(thinned(&scores, &weights))?;
        let mut certificate = Certificate::direct();
        certificate.fact("rho", rho);
        certificate.fact("fraction of training rows called anomalies", strange(&scores, &weights));
        crate::facts::scales(&mut certificate, data, &kernel)?;
        Ok(Fitted { machine: Arc::new(machine), certificate })
    }

    fn plan(&self, size: &Size) -> Plan {
        let (n, d) = (size.rows as f64, size.entries as f64 / size.rows.max(1) as f64);
        Plan {
            fit: 2.0 * n * n * (d + 4.0),
            predict: 2.0 * n * (d + 4.0),
            bytes: 8.0 * (size.entries as f64 + 256.0 * n),
            advice: (n > 5e4).then(|| "every row is kept: a mixture or a one-class SVM predicts faster".into()),
        }
    }
}

/// From so many rows on it pays to look for a good start.
const MANY: usize = 4096;
/// Rows by which a first density is estimated.
const SAMPLE: usize = 256;

/// A problem of detection.
struct Detection<'a> {
    data: &'a Dataset,
    nu: f64,
    solver: &'a SolverSettings,
    /// Whether the diagonal of the kernel counts.
    sphere: bool,
}

impl Detection<'_> {
    fn fit(&self, kernel: Kernel, run: &Run<'_>) -> Result<Fitted> {
        let (points, n) = (self.data.points()?, self.data.len());
        let order: Vec<usize> = (0..n).collect();
        let matrix = Matrix::new(&kernel, points, whole(n), &order, self.solver, run)?;
        let weights: Vec<f64> = (0..n).map(|i| self.data.weight(i)).collect();
        let total = self.nu * weights.iter().sum::<f64>();
        let diagonal = matrix.diagonal();
        let mut problem = Problem {
            segments: vec![0],
            which: (0..n as u32).collect(),
            // In the scale of the solver, where Σα is `total`, the diagonal counts as much more.
            linear: diagonal.iter().map(|k| if self.sphere { -0.5 * total * k } else { 0.0 }).collect(),
            low: vec![0.0; n],
            high: weights.clone(),
            start: vec![0.0; n],
            split: n,
        };
        if n < MANY {
            fill(&mut problem.start, &weights, total);
        } else {
            // Most support vectors will be the rows in the thinnest places: begin with those that a few rows find there.
            let few: Vec<u32> = (0..SAMPLE).map(|k| (k * n / SAMPLE) as u32).collect();
            let density = matrix.mean_of(&few, run)?;
            let slope = |i: usize| total * density[i] + problem.linear[i];
            let mut thinnest: Vec<usize> = (0..n).collect();
            thinnest.sort_by(|&i, &j| slope(i).total_cmp(&slope(j)).then(i.cmp(&j)));
            fill_by(&mut problem.start, &weights, total, thinnest.into_iter());
        }
        let mut solution = matrix.solve(&problem, self.solver.until(), run)?;
        let kept: Vec<usize> = (0..n).filter(|&i| solution.beta[i] > 0.0).collect();
        // Told apart in the scale of the solver, where a bound is met exactly: dividing and multiplying again would
        // round some rows at their bound to just below it.
        let free: Vec<usize> = kept.iter().copied().filter(|&i| solution.beta[i] < weights[i]).collect();
        let bounded = kept.len() - free.len();
        rescale(&mut solution, total);
        let level = |i: usize| solution.products[i] + problem.linear[i] / total;
        solution.thresholds[0] = match solution.converged {
            // Rows between the bounds lie on the border up to the tolerance, and they belong: the border is where the
            // most anomalous of them is, so that no more than the fraction ν is called anomalous.
            true => free.iter().map(|&i| level(i)).reduce(f64::min).unwrap_or(solution.thresholds[0]),
            // Unfinished work has no border yet: the fraction ν of the rows lies below.
            false => threshold(&(0..n).map(level).collect::<Vec<f64>>(), &weights, self.nu),
        };
        let mut certificate = certificate(&[&solution], &kernel);
        let (reading, coefficients, offset) = match self.sphere {
            false => (Decisions::Outlier, 1.0, -solution.thresholds[0]),
            // ‖φ(x) − a‖² − R² = k(x, x) − 2g(x) + αᵀKα − R², and R² is the distance of rows on the border, where
            // g − k/2 is the threshold.
            true => (Decisions::Sphere, -2.0, 2.0 * solution.thresholds[0]),
        };
        let _room = room_for(points, &kept, run)?;
        let machine = Expansion::new(ExpansionParts {
            reading,
            inputs: self.data.features.clone(),
            names: [].into(),
            centres: centres(points, &kernel, &kept, &order)?,
            kernel: kernel.clone(),
            coefficients: kept.iter().map(|&i| coefficients * solution.beta[i]).collect(),
            offsets: vec![offset],
            counts: vec![],
            rows: Some(kept.iter().map(|&i| i as u64).collect()),
            seen: vec![],
        })?;
        // Training scores follow from the products the solver has: no kernel value is computed again.
        let score = |i: usize| {
            let g = solution.products[i];
            match (self.sphere, machine.in_logarithms()) {
                (true, _) => diagonal[i] - 2.0 * g + offset,
                (_, true) => (-offset).ln() - g.max(f64::MIN_POSITIVE).ln(),
                _ => -offset - g,
            }
        };
        let scores: Vec<f64> = (0..n).map(score).collect();
        let machine = if self.sphere { machine } else { machine.with_seen(thinned(&scores, &weights))? };
        certificate.fact("rho", solution.thresholds[0]);
        certificate.fact("fraction of training rows called anomalies", strange(&scores, &weights));
        crate::facts::scales(&mut certificate, self.data, &kernel)?;
        crate::facts::support(&mut certificate, self.data, crate::facts::Support::Usual, kept.len(), bounded);
        Ok(Fitted { machine: Arc::new(machine), certificate })
    }
}

/// From Σα = `total` to Σα = 1.
fn rescale(solution: &mut Solution, total: f64) {
    solution.beta.iter_mut().for_each(|b| *b /= total);
    solution.products.iter_mut().for_each(|p| *p /= total);
    solution.thresholds = solution.thresholds.map(|t| t / total);
    solution.objective /= total * total;
    solution.energy /= total * total;
    solution.gap /= total * total;
}

/// The share of rows with a score above 0.
fn strange(scores: &[f64], weights: &[f64]) -> f64 {
    let above: f64 = scores.iter().zip(weights).filter(|(s, _)| **s > 0.0).map(|(_, w)| w).sum();
    above / weights.iter().sum::<f64>()
}

/// A number below which lies this share of the weight, halfway between two values so that rounding moves no row across
/// it. Values that are equal, up to rounding, are not parted: all of them or none lie below, whichever is nearer.
fn threshold(values: &[f64], weights: &[f64], share: f64) -> f64 {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&i, &j| values[i].total_cmp(&values[j]));
    let wanted = share * weights.iter().sum::<f64>();
    let (mut below, mut cut, mut nearest) = (0.0, 0, wanted);
    for at in 1..order.len() {
        below += weights[order[at - 1]];
        let (low, high) = (values[order[at - 1]], values[order[at]]);
        let apart = high - low > 1e-7 * (low.abs() + high.abs());
        if apart && (below - wanted).abs() < nearest {
            (cut, nearest) = (at, (below - wanted).abs());
        }
    }
    match order.get(cut) {
        Some(&first) if cut == 0 => values[first] - 1e-7 * values[first].abs(),
        Some(&next) => 0.5 * (values[order[cut - 1]] + values[next]),
        None => 0.0,
    }
}

/// Scores in order, by weight, thinned out to at most [`SEEN`].
fn thinned(scores: &[f64], weights: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&i, &j| scores[i].total_cmp(&scores[j]));
    let total: f64 = weights.iter().sum();
    let count = (total.ceil() as usize).clamp(1, SEEN);
    let (mut kept, mut sum, mut next) = (Vec::with_capacity(count), 0.0, order.iter().peekable());
    for k in 0..count {
        let at = total * (k as f64 + 0.5) / count as f64;
        while let Some(&&i) = next.peek()
            && sum + weights[i] < at
        {
            sum += weights[i];
            next.next();
        }
        kept.extend(next.peek().map(|&&i| scores[i]));
    }
    kept
}
