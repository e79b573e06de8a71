//! How the learning rate changes from step to step.
//!
//! | schedule | η(t) of η₀, with T steps in all |
//! |---|---|
//! | constant | η₀ |
//! | inverse | η₀ b / (b + t), that is a / (b + t) |
//! | power | η₀ (1 + t / b)^−p |
//! | inverse-log | η₀ · b ln b / ((b + t) ln(b + t)), b at least 2 |
//! | linear | η₀ (1 − t / T) |
//! | cosine | η₀ (1 + cos(π t / T)) / 2 |
//! | one-cycle | from η₀ / 25 up to η₀ in the first 30 % of the steps, then down to η₀ / 10⁴, both along a cosine |
//!
//! Stochastic gradient descent with Σ η = ∞ and Σ η² < ∞ comes to rest (Robbins and Monro); the others are for a given
//! number of steps.

base::choices! {
    /// How the learning rate changes.
    pub enum Schedule {
        /// It does not.
        Constant = "constant",
        /// a / (b + t).
        Inverse = "inverse",
        /// A power law.
        Power = "power",
        /// Like 1 / (t ln t).
        InverseLog = "inverse-log",
        /// Down to 0 along a line.
        Linear = "linear",
        /// Down to 0 along a cosine.
        Cosine = "cosine",
        /// Up and then down.
        OneCycle = "one-cycle",
    }
}

/// A schedule with its numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    /// Which.
    pub schedule: Schedule,
    /// The rate η₀.
    pub start: f64,
    /// Steps b after which the rate has fallen markedly.
    pub delay: f64,
    /// The power p.
    pub power: f64,
}

impl Rate {
    /// The rate of step `t` (from 0) of `total`.
    pub fn at(&self, t: u64, total: u64) -> f64 {
        let (t, b) = (t as f64, self.delay);
        let share = (t / (total.max(1) as f64)).min(1.0);
        let fall = |share: f64| 0.5 * (1.0 + (std::f64::consts::PI * share).cos());
        self.start
            * match self.schedule {
                Schedule::Constant => 1.0,
                Schedule::Inverse => b / (b + t),
                Schedule::Power => (1.0 + t / b).powf(-self.power),
                Schedule::InverseLog => {
                    let b = b.max(2.0);
                    b * b.ln() / ((b + t) * (b + t).ln())
                }
                Schedule::Linear => 1.0 - share,
                Schedule::Cosine => fall(share),
                Schedule::OneCycle if share < 0.3 => 0.04 + 0.96 * (1.0 - fall(share / 0.3)),
                Schedule::OneCycle => 1e-4 + (1.0 - 1e-4) * fall((share - 0.3) / 0.7),
            }
    }

    /// Whether the rates meet the conditions of Robbins and Monro.
    pub fn comes_to_rest(&self) -> bool {
        match self.schedule {
            Schedule::Inverse | Schedule::InverseLog => true,
            Schedule::Power => self.power > 0.5 && self.power <= 1.0,
            _ => false,
        }
    }

    /// Whether the schedule ends with the last step.
    pub fn ends(&self) -> bool {
        matches!(self.schedule, Schedule::Linear | Schedule::Cosine | Schedule::OneCycle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(schedule: Schedule) -> Rate {
        Rate { schedule, start: 0.5, delay: 1.0, power: 0.75 }
    }

    #[test]
    fn schedules_are_their_formulas() {
        let inverse = Rate { start: 0.5, delay: 4.0, ..rate(Schedule::Inverse) };
        assert_eq!(inverse.at(12, 0), 2.0 / 16.0);
        assert!((rate(Schedule::Power).at(15, 0) - 0.5 / 8.0).abs() < 1e-15);
        let log = rate(Schedule::InverseLog);
        assert!((log.at(6, 0) / log.at(0, 0) - 2.0 * 2f64.ln() / (8.0 * 8f64.ln())).abs() < 1e-15);
        assert_eq!([0, 50, 100].map(|t| rate(Schedule::Linear).at(t, 100)), [0.5, 0.25, 0.0]);
        assert_eq!([0, 100].map(|t| rate(Schedule::Cosine).at(t, 100)), [0.5, 0.0]);
        let cycle: Vec<f64> = (0..=100).map(|t| rate(Schedule::OneCycle).at(t, 100)).collect();
        assert!(
            (cycle[0] - 0.02).abs() < 1e-12 && (cycle[30] - 0.5).abs() < 1e-12 && (cycle[100] - 5e-5).abs() < 1e-12
        );
        assert!(cycle[..31].is_sorted() && cycle[30..].is_sorted_by(|a, b| a >= b));
    }

    #[test]
    fn sums_of_the_conditions() {
        // Σ 1/t² = π²/6 and Σ 1/t has no bound, here by doubling.
        let sums = |rate: Rate, n: u64| (0..n).map(|t| rate.at(t, n)).fold((0.0, 0.0), |(a, b), r| (a + r, b + r * r));
        let inverse = Rate { start: 1.0, ..rate(Schedule::Inverse) };
        let (small, large) = (sums(inverse, 100_000), sums(inverse, 200_000));
        assert!((large.0 - small.0 - 2f64.ln()).abs() < 1e-4, "each doubling adds ln 2");
        assert!((large.1 - std::f64::consts::PI.powi(2) / 6.0).abs() < 1e-5);
        for (schedule, rests) in [
            (Schedule::Constant, false),
            (Schedule::Inverse, true),
            (Schedule::InverseLog, true),
            (Schedule::Power, true),
            (Schedule::Cosine, false),
        ] {
            assert_eq!(rate(schedule).comes_to_rest(), rests, "{schedule:?}");
        }
        assert!(!Rate { power: 0.5, ..rate(Schedule::Power) }.comes_to_rest());
        assert!(!Rate { power: 1.5, ..rate(Schedule::Power) }.comes_to_rest());
    }
}
