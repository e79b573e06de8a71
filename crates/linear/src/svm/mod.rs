//! Linear support vector machines: many classes, label sets, values.

mod ascent;
mod batch_index;
mod binary;
mod checkpoint;
mod classify;
mod columns;
mod curvature;
mod eight;
mod few;
mod finished;
mod joint;
mod labels;
mod lane;
mod order;
mod pace;
mod primal;
mod rare;
mod regress;
mod samples;
mod scheme;
mod spread;
mod store;
mod subproblem;
mod table;
mod value;
mod working;

pub use classify::LinearSvm;
pub use scheme::Multiclass;
pub use value::{LinearSvr, TubeLoss};

base::choices! {
    /// What a margin violation costs.
    pub enum Loss {
        /// max(0, 1 − z).
        Hinge = "hinge",
        /// max(0, 1 − z)².
        SquaredHinge = "squared-hinge" | "squared_hinge",
        /// log(1 + exp(−z)); between classes one-vs-rest.
        Logistic = "logistic" | "log",
    }
}

impl Loss {
    /// The loss of a margin z.
    pub(crate) fn of(self, z: f64) -> f64 {
        let violation = (1.0 - z).max(0.0);
        match self {
            Loss::Hinge => violation,
            Loss::SquaredHinge => violation * violation,
            Loss::Logistic => (-z.abs()).exp().ln_1p() + (-z).max(0.0),
        }
    }
}

impl Loss {
    /// What a dual variable adds to the dual objective; `rest` is C − α, which only the logistic loss looks at.
    pub(crate) fn conjugate(self, alpha: f64, rest: f64, cost: f64) -> f64 {
        match self {
            Loss::Hinge => alpha,
            Loss::SquaredHinge => alpha - 0.25 * alpha * alpha / cost,
            Loss::Logistic => {
                let part = |x: f64| if x > 0.0 { x * (x / cost).ln() } else { 0.0 };
                -part(alpha) - part(rest)
            }
        }
    }
}

/// When a solver stops.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stop {
    /// The largest violation that may be left.
    pub tolerance: f64,
    /// The relative duality gap to reach; 0 where violations decide.
    pub gap: f64,
    /// Epochs at most.
    pub epochs: usize,
}

impl Stop {
    /// Whether the gap decides.
    pub fn by_gap(&self) -> bool {
        self.gap > 0.0
    }

    /// The tolerance to begin with.
    pub fn first(&self) -> f64 {
        if self.by_gap() { self.tolerance.max(0.1) } else { self.tolerance }
    }

    /// Whether these objectives are as near to each other as asked for.
    pub fn is_near(&self, (primal, dual): (f64, f64)) -> bool {
        primal - dual <= self.gap * primal.abs()
    }
}
