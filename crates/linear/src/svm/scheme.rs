//! How several classes share one machine: which margins a sample has, and how their violations add up.
//!
//! With f_c = w_c·x, W = (w_1 … w_K) and a sample of class y, all minimise ½ Σ_c ‖w_c‖² + Σ_i C_i loss_i:
//!
//! | name | loss of a sample | constraint |
//! |---|---|---|
//! | weston-watkins | Σ_{c≠y} h(1 − (f_y − f_c)/m) | |
//! | crammer-singer | max_{c≠y} h(1 − (f_y − f_c)/m) | |
//! | lee-lin-wahba | Σ_{c≠y} h(1 + f_c) | Σ_c w_c = 0 |
//! | mmr (reinforced margin) | h(1 − f_y) | Σ_c w_c = 0 |
//! | adm (absolute, largest) | max_{c≠y} h(1 + f_c) | Σ_c w_c = 0 |
//! | ats (absolute, total sum) | h(1 − f_y) + Σ_{c≠y} h(1 + f_c) | Σ_c w_c = 0 |
//! | atm (absolute, total largest) | max of h(1 − f_y) and all h(1 + f_c) | Σ_c w_c = 0 |
//! | one-vs-rest | h(1 − f_y) + Σ_{c≠y} h(1 + f_c) | |
//!
//! h(z) = max(0, z), or its square where the loss is a sum; m is the `margin`, 1 in most texts, 2 in the unified view.
//!
//! **In the dual** every violation has a variable a ≥ 0, and one sample's variables meet in the Gram matrix
//! q (δ_cd + ρ s_c s_d) with s = 1 for f_y and −1 for others: relative margins q = ‖x‖²/m², ρ = 1; absolute ones
//! q = ‖x‖², ρ = −1/K by the constraint; one-vs-rest ρ = 0. Sums bound each a by C, the largest bounds their sum.
//!
//! - Ü. Doğan, T. Glasmachers, C. Igel: *A unified view on multi-class support vector classification.* JMLR 17 (2016).

use super::Loss;

base::choices! {
    /// How several classes share one machine.
    pub enum Multiclass {
        /// By the targets and the loss.
        Auto = "auto",
        /// Each class against all others, problems of their own.
        OneVsRest = "one-vs-rest" | "ovr",
        /// The score of the true class exceeds every other by the margin; violations are summed.
        WestonWatkins = "weston-watkins" | "ww",
        /// The score of the true class exceeds every other by the margin; the largest violation counts.
        CrammerSinger = "crammer-singer" | "cs",
        /// Scores of wrong classes are below −1; violations are summed.
        LeeLinWahba = "lee-lin-wahba" | "llw",
        /// The score of the true class is above 1.
        Mmr = "mmr",
        /// Scores of wrong classes are below −1; the largest violation counts.
        Adm = "adm",
        /// The score of the true class is above 1, those of wrong ones below −1; violations are summed.
        Ats = "ats",
        /// The score of the true class is above 1, those of wrong ones below −1; the largest violation counts.
        Atm = "atm",
    }
}

/// The problem of two classes in terms of one of two sides, ½‖u‖² + C' Σ ℓ(y u·x).
pub(super) struct TwoSides {
    /// w_1 = −w_0 is this multiple of u.
    pub weight: f64,
    /// C' / C.
    pub cost: f64,
    /// The objective is this multiple of that of two sides.
    pub objective: f64,
}

/// A way to share, as numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scheme {
    /// Margins are differences to the score of the true class.
    pub relative: bool,
    /// The score of the true class has a margin of its own.
    pub own: bool,
    /// Scores of other classes have margins.
    pub others: bool,
    /// The largest violation counts, not the sum.
    pub largest: bool,
    /// The weights of all classes sum to 0.
    pub tied: bool,
    /// The margin m of differences.
    pub margin: f64,
    /// The diagonal that the squared hinge adds is ½/C.
    pub squared: bool,
}

impl Multiclass {
    /// The way as numbers.
    pub(crate) fn scheme(self, margin: f64, loss: Loss) -> Scheme {
        let absolute = Scheme {
            relative: false,
            own: false,
            others: true,
            largest: false,
            tied: true,
            margin,
            squared: loss == Loss::SquaredHinge,
        };
        match self {
            Multiclass::Auto | Multiclass::OneVsRest => Scheme { own: true, tied: false, ..absolute },
            Multiclass::WestonWatkins => Scheme { relative: true, tied: false, ..absolute },
            Multiclass::CrammerSinger => Scheme { relative: true, tied: false, largest: true, ..absolute },
            Multiclass::LeeLinWahba => absolute,
            Multiclass::Mmr => Scheme { own: true, others: false, ..absolute },
            Multiclass::Adm => Scheme { largest: true, ..absolute },
            Multiclass::Ats => Scheme { own: true, ..absolute },
            Multiclass::Atm => Scheme { own: true, largest: true, ..absolute },
        }
    }

    /// What two classes are as a problem of two sides, whose weights u belong to class 1. One-vs-rest: f_1 = u·x = −f_0, counted
    /// once. Relative margins: ½‖w_0‖² + ½‖w_1‖² is least with w_1 = −w_0 = m u/2, which makes it m²/4 ‖u‖² and the margin
    /// y u·x. Absolute ones: w_1 = −w_0 = u as the constraint says, with as many terms of max(0, 1 − y u·x) as are summed.
    pub(super) fn of_two(self, margin: f64) -> TwoSides {
        let scheme = self.scheme(margin, Loss::Hinge);
        if !scheme.tied && !scheme.relative {
            return TwoSides { weight: 1.0, cost: 1.0, objective: 1.0 };
        }
        if scheme.relative {
            return TwoSides { weight: 0.5 * margin, cost: 2.0 / (margin * margin), objective: 0.5 * margin * margin };
        }
        let terms = if scheme.own && scheme.others && !scheme.largest { 2.0 } else { 1.0 };
        TwoSides { weight: 1.0, cost: 0.5 * terms, objective: 2.0 }
    }

    /// Whether a sample's violations are summed.
    pub(crate) fn sums(self) -> bool {
        !matches!(self, Multiclass::CrammerSinger | Multiclass::Adm | Multiclass::Atm)
    }
}

impl Scheme {
    /// q of a sample with this ‖x‖².
    pub fn curvature(&self, norm: f64) -> f64 {
        if self.relative { norm / (self.margin * self.margin) } else { norm }
    }

    /// ρ for this many classes.
    pub fn coupling(&self, classes: usize) -> f64 {
        match (self.relative, self.tied) {
            (true, _) => 1.0,
            (false, true) => -1.0 / classes as f64,
            (false, false) => 0.0,
        }
    }

    /// The loss of a sample of class `y` with these scores, which sum to 0 where the weights must; classes that share the
    /// sample do not count.
    pub fn loss(&self, scores: &[f64], y: usize, shares: impl Fn(u32) -> bool) -> f64 {
        let mut total = 0.0f64;
        let mut add = |violation: f64| {
            let h = violation.max(0.0);
            let h = if self.squared { h * h } else { h };
            total = if self.largest { total.max(h) } else { total + h };
        };
        for (c, &f) in scores.iter().enumerate() {
            match (c == y, self.relative) {
                (false, _) if shares(c as u32) => {}
                (false, true) => add(1.0 - (scores[y] - f) / self.margin),
                (false, false) if self.others => add(1.0 + f),
                (true, false) if self.own => add(1.0 - f),
                _ => {}
            }
        }
        total
    }
}
