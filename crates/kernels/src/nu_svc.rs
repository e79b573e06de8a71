//! Classification with ν in place of C: ν bounds the share of margin errors from above and that of support vectors from
//! below.
//!
//! For two classes, in the form of the solver: min ½ βᵀKβ with 0 ≤ y_i β_i ≤ w_i and Σ |β| = ν Σw / 2 on either side.
//! With r the half width of the slab between the two thresholds, the machine is β/r, −(ρ₊ + ρ₋)/2r.
//!
//! - B. Schölkopf, A. Smola, R. Williamson, P. Bartlett: *New support vector algorithms.* Neural Computation 12 (2000).

use crate::classes::{Multiclass, Sorted, Task, join_pairs};
use crate::fill::fill;
use crate::kernel::Kernel;
use crate::matrix::{Matrix, certificate};
use crate::plan::plan;
use crate::settings::{KernelSettings, SolverSettings};
use crate::solve::{Problem, Solution};
use base::{
    Dataset, Fitted, Learner, Needs, Plan, Record, Result, Run, Size, Traits, Wanted, Weighting, classes_of, settings,
};
use std::sync::Arc;

settings! {
    /// Settings of ν-classification.
    pub struct NuSvc {
        /// upper bound on the fraction of margin violations, lower bound on the fraction of support vectors
        pub nu: f64 = 0.5, in Range::Share;
        use kernel: KernelSettings = KernelSettings::default();
        use solver: SolverSettings = SolverSettings::default();
    }
}

impl Learner for NuSvc {
    fn name(&self) -> &'static str {
        "nu-svc"
    }

    fn traits(&self) -> Traits<'_> {
        Traits::new(Needs { targets: Wanted::Classes(2), table: false, missing: false, weights: Weighting::Exact })
            .without_class_weight()
            .contract(crate::settings::TIGHT)
            .effort(29.0, 1.0, 5e6)
            .keeps_rows()
    }

    fn learn(&self, data: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        self.with(self.kernel.choose(data, run)?, data, start, run)
    }

    fn plan(&self, size: &Size) -> Plan {
        plan(size, 1, &self.solver, "linear machines and kernel approximations scale better")
    }
}

impl NuSvc {
    /// Fits with this kernel.
    pub(crate) fn with(
        &self,
        kernel: Kernel,
        data: &Dataset,
        _start: Option<&Record>,
        run: &Run<'_>,
    ) -> Result<Fitted> {
        let classes = classes_of(data)?;
        let sorted = Sorted::new(data, classes, Multiclass::Pairs, run)?;
        let weights: Vec<f64> = sorted.order.iter().map(|&i| data.weight(i)).collect();
        let mut shrunk = vec![];
        let matrix = Matrix::new(&kernel, &sorted.points, sorted.segments.clone(), &sorted.order, &self.solver, run)?;
        let mut solutions = sorted.solve_all(run, |task, run| {
            let (nu, _) = self.feasible(task, &sorted, &weights);
            let problem = self.problem(nu, task, &sorted, &weights);
            matrix.solve(&problem, self.solver.until(), run)
        })?;
        let bounded = sorted.bounded(&solutions, |i| weights[i]);
        let flat = solutions.iter_mut().filter_map(|s| (!rescale(s, self.solver.tolerance)).then_some(())).count();
        let mut certificate = certificate(&solutions.iter().collect::<Vec<_>>(), &kernel);
        let machine = join_pairs(data, &sorted, kernel, &solutions, &mut certificate, run)?;
        if flat > 0 {
            certificate.converged = false;
            certificate.warn(format!(
                "{flat} of {} class pairs have a margin that is 0 within the tolerance: raise nu, or use svc",
                solutions.len()
            ));
        }
        for &task in sorted.tasks() {
            if let (Task::Pair(a, b), (nu, true)) = (task, self.feasible(task, &sorted, &weights)) {
                let names = classes.names();
                shrunk.push(format!("{:?} and {:?} ({nu:.3e} was taken)", names[a], names[b]));
            }
        }
        if let Some(first) = shrunk.first() {
            let more = if shrunk.len() > 1 { format!(" and {} more pairs", shrunk.len() - 1) } else { String::new() };
            certificate.warn(format!("nu = {} is infeasible for the classes {first}{more}", self.nu));
        }
        crate::facts::scales(&mut certificate, data, machine.kernel())?;
        crate::facts::support(&mut certificate, data, crate::facts::Support::Classes, machine.centres().len(), bounded);
        Ok(Fitted { machine: Arc::new(machine), certificate })
    }

    /// ν, and whether it had to be made smaller: it can be no larger than twice the share of the smaller class. A hair
    /// less is taken, so that some row of that class stays within its bounds and the margin is defined.
    fn feasible(&self, task: Task, sorted: &Sorted, weights: &[f64]) -> (f64, bool) {
        let Task::Pair(a, b) = task else { return (self.nu, false) };
        let total = |c: usize| sorted.ranges[c].clone().map(|i| weights[i]).sum::<f64>();
        let most = 2.0 * total(a).min(total(b)) / (total(a) + total(b));
        if self.nu <= most * (1.0 + 1e-12) { (self.nu, false) } else { (0.999 * most, true) }
    }

    fn problem(&self, nu: f64, task: Task, sorted: &Sorted, weights: &[f64]) -> Problem {
        let rows = task.rows(sorted);
        let split = rows.partition_point(|&(_, sign)| sign > 0.0);
        let mut problem = task.problem(sorted, |i| weights[i]);
        problem.linear.fill(0.0);
        problem.split = split;
        let half = 0.5 * nu * rows.iter().map(|&(i, _)| weights[i]).sum::<f64>();
        fill(&mut problem.start[..split], &problem.high[..split], half);
        fill(&mut problem.start[split..], &problem.low[split..], -half);
        problem
    }
}

/// Brings the slab to half width 1; one that is within the tolerance of nothing stays as it is, and the answer is false.
fn rescale(solution: &mut Solution, tolerance: f64) -> bool {
    let [upper, lower] = solution.thresholds;
    let (half, middle) = (0.5 * (upper - lower), 0.5 * (upper + lower));
    solution.thresholds = [middle; 2];
    if !(half > tolerance && half.is_finite()) {
        return solution.interrupted;
    }
    solution.beta.iter_mut().for_each(|b| *b /= half);
    solution.thresholds = [middle / half; 2];
    solution.objective /= half * half;
    solution.energy /= half * half;
    solution.gap /= half * half;
    true
}
