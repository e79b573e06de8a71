//! How a network is trained, as settings that every learner of networks takes in.

use super::cost::Cost;
use super::penalty::{NormOf, Regularizer};
use super::rate::{Rate, Schedule};
use super::rule::Optimizer;
use base::graph::Element;
use base::{Error, Result, Seed};

base::choices! {
    /// In which order rows are shown.
    pub enum Order {
        /// Each row once in an epoch, in a new random order.
        Shuffled = "shuffled",
        /// Any row with the same chance each time.
        Random = "random" | "drawn",
        /// As they come.
        Given = "given",
    }
}

impl Order {
    /// The rows of an epoch, one after the other.
    pub(crate) fn of(self, rows: &[usize], seed: Seed) -> Vec<usize> {
        let n = rows.len();
        match self {
            Order::Given => rows.to_vec(),
            Order::Shuffled => seed.permutation(n).into_iter().map(|i| rows[i]).collect(),
            Order::Random => (0..n).map(|i| rows[((seed.at(i).unit() * n as f64) as usize).min(n - 1)]).collect(),
        }
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
        /// loss function; auto is cross-entropy for classes and quadratic for values
        pub cost: Cost = Cost::Auto, in Range::Any;
        /// exponent of the minkowski loss
        pub r: f64 = 1.5, in Range::Between(0.1, 10.0);
        /// optimiser; rprop and lbfgs use all rows in each step
        pub optimizer: Optimizer = Optimizer::Adam, in Range::Any, as "solver", was "rule";
        /// learning rate
        pub rate: f64 = 0.003, in Range::Positive, as "learning_rate_init";
        /// learning-rate schedule
        pub schedule: Schedule = Schedule::Cosine, in Range::Any, as "learning_rate";
        /// delay b, in steps, of the schedules inverse, power and inverse-log
        pub delay: f64 = 1000.0, in Range::Positive;
        /// exponent of the power schedule
        pub power: f64 = 0.75, in Range::Positive;
        /// momentum (momentum, nesterov, adam)
        pub momentum: f64 = 0.9, in Range::Between(0.0, 0.9999);
        /// decay of the mean squared gradient (rmsprop, adam)
        pub beta2: f64 = 0.999, in Range::Between(0.0, 0.999999), as "beta_2", was "squares";
        /// per-weight scaling of the learning rate
        pub local_rates: LocalRates = LocalRates::None, in Range::Any;
        /// maximum number of epochs; iterations of lbfgs
        pub epochs: usize = 100, in Range::AtLeast(1.0), as "max_iter";
        /// batch size; 0: all rows
        pub batch: usize = 32, in Range::AtLeast(0.0), as "batch_size";
        /// order in which rows are presented
        pub order: Order = Order::Shuffled, in Range::Any;
        /// form of the penalty on the weights
        pub regularizer: Regularizer = Regularizer::None, in Range::Any, as "penalty";
        /// strength γ of the penalty
        pub penalty: f64 = 0.0001, in Range::AtLeast(0.0), as "alpha", was "gamma";
        /// exponent p of the lp penalty
        pub p: f64 = 1.0, in Range::Between(1.0, 10.0);
        /// largest Euclidean norm of the weights; 0: no limit
        pub max_norm: f64 = 0.0, in Range::AtLeast(0.0);
        /// what max_norm bounds: all weights together, or those into each unit
        pub norm_of: NormOf = NormOf::Unit, in Range::Any;
        /// gradient clipping: largest Euclidean norm of a gradient; 0: no limit
        pub clip: f64 = 0.0, in Range::AtLeast(0.0);
        /// weight averaging
        pub averaging: Averaging = Averaging::None, in Range::Any;
        /// steps that averaging=last covers
        pub last: usize = 10, in Range::AtLeast(1.0);
        /// fraction of the rows in the validation set, for early stopping and the best epoch; 0: none
        pub validation: f64 = 0.0, in Range::Between(0.0, 0.9), as "validation_fraction";
        /// epochs without improvement after which training stops; 0: never
        pub patience: usize = 10, in Range::AtLeast(0.0), as "n_iter_no_change";
        /// smallest relative decrease of the loss that counts as an improvement; for lbfgs the largest gradient component at which to stop
        pub tolerance: f64 = 1e-4, in Range::Between(0.0, 1.0), as "tol";
        /// floating-point precision; in f32 a row alone and the row in a batch agree to about six digits
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
        if matches!(self.optimizer, Optimizer::Lbfgs | Optimizer::Rprop) {
            return Err(Error::parameter(
                "optimizer",
                self.optimizer.word(),
                "needs all rows at once and has no partial fit",
            ));
        }
        Ok(Training { epochs: 1, schedule: Schedule::Constant, validation: 0.0, ..self.clone() })
    }

    /// Makes sure that settings go together.
    pub fn check(&self) -> Result<()> {
        if self.optimizer == Optimizer::Lbfgs
            && self.regularizer == Regularizer::Lp
            && self.p == 1.0
            && self.penalty > 0.0
        {
            return Err(Error::parameter(
                "optimizer",
                "lbfgs",
                "needs a smooth penalty: lp with p above 1, or another rule",
            ));
        }
        if self.optimizer == Optimizer::Lbfgs && (self.max_norm > 0.0 || self.averaging != Averaging::None) {
            return Err(Error::parameter("optimizer", "lbfgs", "cannot be combined with max_norm or averaging"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epochs_show_rows_once_in_new_orders_or_with_replacement() {
        let rows: Vec<usize> = (0..1000).map(|i| 3 * i + 1).collect();
        for seed in testkit::seeds(3).into_iter().map(Seed) {
            assert_eq!(Order::Given.of(&rows, seed), rows);
            let (one, other) = (Order::Shuffled.of(&rows, seed.at(1)), Order::Shuffled.of(&rows, seed.at(2)));
            assert!(one != rows && one != other, "each epoch has an order of its own");
            let mut sorted = one;
            sorted.sort_unstable();
            assert_eq!(sorted, rows, "each row once");
            // With replacement: the fraction of rows that are seen at all is 1 − 1/e, all with the same chance.
            let epochs: Vec<Vec<usize>> = (0..100).map(|e| Order::Random.of(&rows, seed.fork("epoch").at(e))).collect();
            let mut counts = vec![0.0; rows.len()];
            let mut seen = 0.0;
            for epoch in &epochs {
                assert_eq!(epoch.len(), rows.len());
                let mut distinct: Vec<usize> = epoch.iter().map(|r| (r - 1) / 3).collect();
                distinct.iter().for_each(|&i| counts[i] += 1.0);
                distinct.sort_unstable();
                distinct.dedup();
                seen += distinct.len() as f64 / 1e5;
            }
            assert!((seen - (1.0 - (-1f64).exp())).abs() < 0.005, "{seen} of the rows");
            // χ² of 999 degrees of freedom: mean 999, standard deviation 44.7.
            let chi: f64 = counts.iter().map(|c: &f64| (c - 100.0).powi(2) / 100.0).sum();
            assert!((chi - 999.0).abs() < 6.0 * 44.7, "{chi}");
        }
    }
}
