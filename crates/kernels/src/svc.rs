//! Support vector classification: the widest margin between classes, with a price C on each violation of it.
//!
//! For two classes min ½‖w‖² + Σ C_i ξ_i with y_i f(x_i) ≥ 1 − ξ_i, ξ ≥ 0, f(x) = wᵀφ(x) + b, in its dual form with
//! β_i = y_i α_i: min ½ βᵀKβ − yᵀβ, Σβ = 0, 0 ≤ y_i β_i ≤ C_i. Several classes are taken one against one (each pair a
//! problem of its own rows) or each against the rest. Sub-problems run in parallel and share rows of the kernel matrix.
//!
//! C_i is c times the weight of the row times the weight of its class.
//!
//! **Cost.** Between n² and n³; kernel values by matrix products. **Memory.** What `cache` says, and a copy of the
//! points. **Limits.** Beyond some 10⁵ rows take a linear machine. Columns of unlike scale ruin it: scale them.
//!
//! - C. Cortes, V. Vapnik: *Support-vector networks.* Machine Learning 20 (1995).

use crate::classes::{Multiclass, Sorted, join_pairs, join_rest};
use crate::kernel::Kernel;
use crate::matrix::{Matrix, certificate};
use crate::plan::plan;
use crate::settings::{KernelSettings, SolverSettings};
use crate::solve::{Problem, Solution};
use crate::warm::Warm;
use base::{
    ClassWeight, Dataset, Fitted, Learner, Needs, Plan, Record, Result, Run, Size, Traits, Wanted, Weighting,
    classes_of, settings,
};
use std::sync::Arc;

settings! {
    /// Settings of support vector classification.
    pub struct Svc {
        /// regularisation parameter C, the cost of margin violations: large fits the training rows, small keeps the margin wide
        pub c: f64 = 1.0, in Range::Positive, as "C";
        /// multiclass strategy: pairs (one-vs-one) or rest (one-vs-rest)
        pub multiclass: Multiclass = Multiclass::Pairs, in Range::Any;
        /// class weights: none, balanced, or name=number, ...
        pub class_weight: ClassWeight = ClassWeight::None, in Range::Any;
        use kernel: KernelSettings = KernelSettings::default();
        use solver: SolverSettings = SolverSettings::default();
    }
}

impl Learner for Svc {
    fn name(&self) -> &'static str {
        "svc"
    }

    fn traits(&self) -> Traits<'_> {
        Traits::new(Needs { targets: Wanted::Classes(2), table: false, missing: false, weights: Weighting::Exact })
            .warm_start()
            .many(self)
            .contract(crate::settings::TIGHT)
            .effort(20.0, 1.0, 5e6)
            .keeps_rows()
    }

    fn learn(&self, data: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        self.with(self.kernel.choose(data, run)?, data, start, run)
    }

    fn plan(&self, size: &Size) -> Plan {
        plan(size, 1, &self.solver, "linear machines and kernel approximations scale better")
    }
}

impl Svc {
    /// Fits with this kernel.
    pub(crate) fn with(&self, kernel: Kernel, data: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        let sorted = Sorted::new(data, classes_of(data)?, self.multiclass, run)?;
        let matrix = Matrix::new(&kernel, &sorted.points, sorted.segments.clone(), &sorted.order, &self.solver, run)?;
        let prices = self.prices(data, &sorted)?;
        let warm = start.map(|record| Warm::read(record, data.len())).transpose()?;
        let solutions = sorted.solve_all(run, |task, run| {
            let mut problem = task.problem(&sorted, |i| prices[i]);
            if let Some(warm) = &warm {
                warm.start(task, &sorted, &mut problem);
            }
            matrix.solve(&problem, self.solver.until(), run)
        })?;
        self.join(data, &sorted, kernel, &prices, solutions, run)
    }

    /// C_i of every row, in sorted order.
    pub(crate) fn prices(&self, data: &Dataset, sorted: &Sorted) -> Result<Vec<f64>> {
        let factors = self.class_weight.factors(data, classes_of(data)?)?;
        let price = |&i: &usize| self.c * data.weight(i);
        let by_class = sorted.order.iter().map(price).zip(&sorted.codes);
        Ok(by_class.map(|(price, &class)| price * factors[class as usize]).collect())
    }

    /// Solutions of all sub-problems become one machine.
    pub(crate) fn join(
        &self,
        data: &Dataset,
        sorted: &Sorted,
        kernel: Kernel,
        prices: &[f64],
        solutions: Vec<Solution>,
        run: &Run<'_>,
    ) -> Result<Fitted> {
        let mut certificate = certificate(&solutions.iter().collect::<Vec<_>>(), &kernel);
        let machine = match self.multiclass {
            Multiclass::Pairs => join_pairs(data, sorted, kernel, &solutions, &mut certificate, run)?,
            Multiclass::Rest => join_rest(data, sorted, kernel, &solutions, &mut certificate, run)?,
        };
        crate::facts::scales(&mut certificate, data, machine.kernel())?;
        let bounded = sorted.bounded(&solutions, |i| prices[i]);
        crate::facts::support(&mut certificate, data, crate::facts::Support::Classes, machine.centres().len(), bounded);
        Ok(Fitted { machine: Arc::new(machine), certificate })
    }
}

/// A problem of two sides: rows of `sorted` with their sign.
pub(crate) fn two_sided(
    segments: Vec<usize>,
    rows: &[(usize, f64)],
    which: impl Fn(usize) -> u32,
    price: impl Fn(usize) -> f64,
) -> Problem {
    let bound = |&(i, sign): &(usize, f64)| sign * price(i);
    Problem {
        segments,
        which: rows.iter().map(|&(i, _)| which(i)).collect(),
        linear: rows.iter().map(|&(_, sign)| -sign).collect(),
        low: rows.iter().map(|r| bound(r).min(0.0)).collect(),
        high: rows.iter().map(|r| bound(r).max(0.0)).collect(),
        start: vec![0.0; rows.len()],
        split: rows.len(),
    }
}
