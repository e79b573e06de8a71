//! How a network is trained, as settings that every learner of networks takes in.

use super::cost::Cost;
use super::penalty::{NormOf, Penalty};
use super::rate::{Rate, Schedule};
use super::rule::Rule;
use base::graph::Element;
use base::{Error, Result};

base::choices! {
    /// In which order rows are shown.
    pub enum Order {
        /// Each row once in an epoch, in a new random order.
        Shuffled = "shuffled",
        /// Any row with the same chance each time.
        Drawn = "drawn",
        /// As they come.
        Given = "given",
    }
}

base::choices! {
    /// Which weights the machine gets in the end.
    pub enum Averaging {
        /// The last ones.
        None = "none",
        /// The mean of the last steps.
        Last = "last",
        /// The mean of all steps.
        All = "all",
    }
}

base::choices! {
    /// What multiplies the rate of single weights.
    pub enum LocalRates {
        /// Nothing.
        None = "none",
        /// One over the number of inputs of the unit.
        FanIn = "fan-in",
        /// One over the second derivative of the cost along the weight.
        Curvature = "curvature",
    }
}

base::choices! {
    /// Single or double precision.
    pub enum Precision {
        /// Single.
        F32 = "f32",
        /// Double.
        F64 = "f64",
    }
}

impl Precision {
    /// As the type of a tensor.
    pub fn element(self) -> Element {
        match self {
            Precision::F32 => Element::F32,
            Precision::F64 => Element::F64,
        }
    }
}

base::settings! {
    /// How a network is trained.
    pub struct Training {
        /// what training makes small; auto is cross-entropy for classes and quadratic for values
        pub cost: Cost = Cost::Auto, in Range::Any;
        /// power of the cost minkowski
        pub r: f64 = 1.5, in Range::Between(0.1, 10.0);
        /// how a gradient becomes a change of the weights; rprop and lbfgs take all rows in each step
        pub rule: Rule = Rule::Adam, in Range::Any, as "solver";
        /// learning rate
        pub rate: f64 = 0.003, in Range::Positive, as "learning_rate_init";
        /// how the rate changes with the steps
        pub schedule: Schedule = Schedule::Cosine, in Range::Any, as "learning_rate";
        /// steps b of the schedules inverse, power and inverse-log
        pub delay: f64 = 1000.0, in Range::Positive;
        /// power of the schedule power
        pub power: f64 = 0.75, in Range::Positive;
        /// share of the last change that is kept (momentum, nesterov, adam)
        pub momentum: f64 = 0.9, in Range::Between(0.0, 0.9999);
        /// share of the mean square that is kept (rmsprop, adam)
        pub squares: f64 = 0.999, in Range::Between(0.0, 0.999999), as "beta_2";
        /// what multiplies the rate of single weights
        pub local_rates: LocalRates = LocalRates::None, in Range::Any;
        /// passes over the rows at most; steps of lbfgs
        pub epochs: usize = 100, in Range::AtLeast(1.0), as "max_iter";
        /// rows of a step; 0: all
        pub batch: usize = 32, in Range::AtLeast(0.0), as "batch_size";
        /// in which order rows are shown
        pub order: Order = Order::Shuffled, in Range::Any;
        /// what keeps weights small
        pub penalty: Penalty = Penalty::None, in Range::Any;
        /// strength γ of the penalty
        pub gamma: f64 = 0.0001, in Range::AtLeast(0.0), as "alpha";
        /// power p of the penalty lp
        pub p: f64 = 1.0, in Range::Between(1.0, 10.0);
        /// largest Euclidean norm of the weights; 0: any
        pub max_norm: f64 = 0.0, in Range::AtLeast(0.0);
        /// whether the norm is that of all weights or of those into a unit
        pub norm_of: NormOf = NormOf::Unit, in Range::Any;
        /// largest Euclidean norm of a gradient, longer ones are shortened; 0: any
        pub clip: f64 = 0.0, in Range::AtLeast(0.0);
        /// which weights the machine gets in the end
        pub averaging: Averaging = Averaging::None, in Range::Any;
        /// steps of the averaging last
        pub last: usize = 10, in Range::AtLeast(1.0);
        /// share of the rows kept aside to stop early and choose the best epoch; 0: none
        pub validation: f64 = 0.0, in Range::Between(0.0, 0.9), as "validation_fraction";
        /// epochs without a better cost after which training stops; 0: never
        pub patience: usize = 10, in Range::AtLeast(0.0), as "n_iter_no_change";
        /// how much better counts, relative to the cost; for lbfgs the largest component of the gradient
        pub tolerance: f64 = 1e-4, in Range::Between(0.0, 1.0), as "tol";
        /// single or double precision; in single a row alone and the row in a batch agree to some six digits
        pub precision: Precision = Precision::F64, in Range::Any;
    }
}

impl Training {
    /// The rate and how it changes.
    pub fn rates(&self) -> Rate {
        Rate { schedule: self.schedule, start: self.rate, delay: self.delay, power: self.power }
    }

    /// One pass over a portion of the rows: the rate stays, nothing is kept aside. Rules that take all rows are refused.
    pub fn one_pass(&self) -> Result<Training> {
        if matches!(self.rule, Rule::Lbfgs | Rule::Rprop) {
            return Err(Error::parameter("rule", self.rule.word(), "needs all rows at once, not portions of them"));
        }
        Ok(Training { epochs: 1, schedule: Schedule::Constant, validation: 0.0, ..self.clone() })
    }

    /// Makes sure that settings go together.
    pub fn check(&self) -> Result<()> {
        if self.rule == Rule::Lbfgs && self.penalty == Penalty::Lp && self.p == 1.0 && self.gamma > 0.0 {
            return Err(Error::parameter(
                "rule",
                "lbfgs",
                "needs a smooth penalty: lp with p above 1, or another rule",
            ));
        }
        if self.rule == Rule::Lbfgs && (self.max_norm > 0.0 || self.averaging != Averaging::None) {
            return Err(Error::parameter("rule", "lbfgs", "goes without max_norm and averaging"));
        }
        Ok(())
    }
}
