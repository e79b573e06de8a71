//! Support vector regression: errors within a tube of half width ε cost nothing, those beyond it C each.
//!
//! min ½‖w‖² + Σ C_i (ξ_i + ξ*_i) with |z_i − f(x_i)| ≤ ε + ξ. In the form of the solver a row has two coordinates,
//! 0 ≤ β⁺ ≤ C_i with linear part ε − z_i and −C_i ≤ β⁻ ≤ 0 with −ε − z_i, and Σβ = 0; its coefficient is their sum.
//!
//! The ν-form makes the width part of the problem: no ε, but Σβ⁺ = −Σβ⁻ = ν Σ C_i / 2; at most a share ν of rows lies
//! outside the tube that comes out, at least a share ν are support vectors.
//!
//! Several values to predict are machines of their own that share kernel rows.
//!
//! - A. Smola, B. Schölkopf: *A tutorial on support vector regression.* Statistics and Computing 14 (2004).

use crate::classes::centres;
use crate::expansion::{Decisions, Expansion, ExpansionParts};
use crate::facts::Support;
use crate::fill::fill;
use crate::kernel::Kernel;
use crate::matrix::{Matrix, certificate, whole};
use crate::plan::plan;
use crate::settings::{KernelSettings, SolverSettings};
use crate::solve::{Problem, Solution};
use base::{
    Dataset, Fitted, Learner, Needs, Plan, Record, Result, Run, Size, Traits, Wanted, Weighting, settings, values_of,
};
use numeric::each;
use std::sync::Arc;

settings! {
    /// Settings of ε-regression.
    pub struct Svr {
        /// regularisation parameter C, the cost of errors beyond the tube
        pub c: f64 = 1.0, in Range::Positive, as "C";
        /// half-width of the tube within which errors cost nothing
        pub epsilon: f64 = 0.1, in Range::AtLeast(0.0);
        use kernel: KernelSettings = KernelSettings::default();
        use solver: SolverSettings = SolverSettings::default();
    }
}

settings! {
    /// Settings of ν-regression.
    pub struct NuSvr {
        /// regularisation parameter C, the cost of errors beyond the tube
        pub c: f64 = 1.0, in Range::Positive, as "C";
        /// upper bound on the fraction of rows outside the tube, lower bound on the fraction of support vectors
        pub nu: f64 = 0.5, in Range::Share;
        use kernel: KernelSettings = KernelSettings::default();
        use solver: SolverSettings = SolverSettings::default();
    }
}

macro_rules! regression {
    ($type:ty, $name:literal, $slower:literal, |$me:ident| $tube:expr) => {
        impl $type {
            /// Fits with this kernel.
            pub(crate) fn with(
                &self,
                kernel: Kernel,
                data: &Dataset,
                _start: Option<&Record>,
                run: &Run<'_>,
            ) -> Result<Fitted> {
                let $me = self;
                regress(data, kernel, self.c, $tube, &self.solver, run)
            }
        }

        impl Learner for $type {
            fn name(&self) -> &'static str {
                $name
            }

            fn traits(&self) -> Traits<'_> {
                Traits::new(Needs { targets: Wanted::Values, table: false, missing: false, weights: Weighting::Exact })
                    .contract(crate::settings::TIGHT)
                    .effort($slower, 1.0, 5e6)
                    .keeps_rows()
            }

            fn learn(&self, data: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
                self.with(self.kernel.choose(data, run)?, data, start, run)
            }

            fn plan(&self, size: &Size) -> Plan {
                plan(size, 2, &self.solver, "ridge regression or a forest scales better")
            }
        }
    };
}

regression!(Svr, "svr", 35.0, |me| Tube::Width(me.epsilon));
regression!(NuSvr, "nu-svr", 90.0, |me| Tube::Share(me.nu));

/// How wide the tube is.
#[derive(Debug, Clone, Copy)]
enum Tube {
    /// So wide.
    Width(f64),
    /// So wide that this share lies outside.
    Share(f64),
}

fn regress(
    data: &Dataset,
    kernel: Kernel,
    c: f64,
    tube: Tube,
    solver: &SolverSettings,
    run: &Run<'_>,
) -> Result<Fitted> {
    let (values, points, n) = (values_of(data)?, data.points()?, data.len());
    let outputs = values.names().len();
    let order: Vec<usize> = (0..n).collect();
    let matrix = Matrix::new(&kernel, points, whole(n), &order, solver, run)?;
    let prices: Vec<f64> = (0..n).map(|i| c * data.weight(i)).collect();
    let one = |output: usize, run: &Run<'_>| {
        let targets: Vec<f64> = (0..n).map(|i| values.row(i)[output]).collect();
        matrix.solve(&problem(&targets, &prices, tube), solver.until(), run)
    };
    let solutions = match outputs {
        1 => vec![one(0, run)?],
        // Each keeps its own best so far, so that none is left out.
        _ => each(&run.finishing(), outputs, |k| one(k, &Run { threads: 1, ..run.clone() }))?,
    };
    let solutions = crate::classes::begun(solutions)?;
    let mut certificate = certificate(&solutions.iter().collect::<Vec<_>>(), &kernel);
    if let (Tube::Share(_), [solution]) = (tube, &solutions[..]) {
        certificate.fact("epsilon", 0.5 * (solution.thresholds[1] - solution.thresholds[0]));
    }
    let coefficient = |s: &Solution, i: usize| s.beta[i] + s.beta[n + i];
    let kept: Vec<usize> = (0..n).filter(|&i| solutions.iter().any(|s| coefficient(s, i) != 0.0)).collect();
    let bounded = (0..n).filter(|&i| solutions.iter().any(|s| coefficient(s, i).abs() >= prices[i])).count();
    let offset = |s: &Solution| match tube {
        Tube::Width(_) => -s.thresholds[0],
        Tube::Share(_) => -0.5 * (s.thresholds[0] + s.thresholds[1]),
    };
    let machine = Expansion::new(ExpansionParts {
        reading: Decisions::Values,
        inputs: data.features.clone(),
        names: values.names().clone(),
        centres: centres(points, &kernel, &kept, &order)?,
        kernel,
        coefficients: kept.iter().flat_map(|&i| solutions.iter().map(move |s| coefficient(s, i))).collect(),
        offsets: solutions.iter().map(offset).collect(),
        counts: vec![],
        rows: Some(kept.iter().map(|&i| i as u64).collect()),
        seen: vec![],
    })?;
    crate::facts::scales(&mut certificate, data, machine.kernel())?;
    let epsilon = match tube {
        Tube::Width(epsilon) => Some(epsilon),
        Tube::Share(_) => None,
    };
    crate::facts::support(&mut certificate, data, Support::Values { c, epsilon }, machine.centres().len(), bounded);
    Ok(Fitted { machine: Arc::new(machine), certificate })
}

fn problem(targets: &[f64], prices: &[f64], tube: Tube) -> Problem {
    let n = targets.len();
    let epsilon = match tube {
        Tube::Width(epsilon) => epsilon,
        Tube::Share(_) => 0.0,
    };
    let none = || std::iter::repeat_n(0.0, n);
    let mut problem = Problem {
        segments: vec![0],
        which: (0..2 * n).map(|v| (v % n) as u32).collect(),
        linear: targets.iter().map(|z| epsilon - z).chain(targets.iter().map(|z| -epsilon - z)).collect(),
        low: none().chain(prices.iter().map(|c| -c)).collect(),
        high: prices.iter().copied().chain(none()).collect(),
        start: vec![0.0; 2 * n],
        split: 2 * n,
    };
    if let Tube::Share(nu) = tube {
        let half = 0.5 * nu * prices.iter().sum::<f64>();
        problem.split = n;
        let (above, below) = problem.start.split_at_mut(n);
        fill(above, &problem.high[..n], half);
        // The same rows on both sides, so that the first point is the constant 0.
        below.iter_mut().zip(above).for_each(|(b, a)| *b = -*a);
    }
    problem
}
