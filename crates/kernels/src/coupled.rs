//! Probabilities of pairs of classes, coupled to probabilities of the classes: what LIBSVM calls `-b 1`.
//!
//! Each pair a < b has a sigmoid of its decision, r_ab = 1 / (1 + exp(A f + B)), kept within [1e-7, 1 − 1e-7]. With two
//! classes that is the answer. With more, p minimises Σ_a Σ_{b≠a} (r_ba p_a − r_ab p_b)² under Σp = 1, whose solution
//! solves one linear system (and is not negative); iterations that stop early, as LIBSVM's at 0.005 / classes, come near
//! it. The class is that of the largest probability, which is the score shown.
//!
//! **Cost.** That of the expansion and classes³ operations a row.
//!
//! - J. Platt: *Probabilistic outputs for support vector machines.* Advances in Large Margin Classifiers, 2000.
//! - T.-F. Wu, C.-J. Lin, R. Weng: *Probability estimates for multi-class classification by pairwise coupling.*
//!   JMLR 5 (2004) 975-1005, second approach.

use crate::expansion::{Decisions, Expansion, pair};
use base::{Buffer, Error, Facets, Features, Inputs, Link, Machine, Outputs, Points, Record, Result, Run, Shared};

/// Probabilities of pairs are kept so far from 0 and 1.
const LEAST: f64 = 1e-7;

/// An expansion of pairs with a sigmoid for each pair.
pub struct Coupled {
    expansion: Expansion,
    a: Vec<f64>,
    b: Vec<f64>,
    outputs: Outputs,
}

impl Coupled {
    /// The kind of its record.
    pub const KIND: &'static str = "coupled";

    /// An expansion of pairs and A and B for each of them.
    pub fn new(expansion: Expansion, a: Vec<f64>, b: Vec<f64>) -> Result<Self> {
        let pairs = expansion.offsets().len();
        if expansion.reading() != Decisions::Pairs {
            return Err(Error::unsupported("coupling", "machines that are not one-vs-one", "use calibrate"));
        }
        if a.len() != pairs || b.len() != pairs {
            return Err(Error::size("sigmoids of pairs", pairs, format!("{} and {}", a.len(), b.len())));
        }
        if a.iter().chain(&b).any(|x| !x.is_finite()) {
            return Err(Error::data(base::Place::Whole, "the sigmoids of pairs are not finite"));
        }
        let outputs = Outputs::classes(expansion.outputs().names.clone(), Link::Identity);
        Ok(Coupled { expansion, a, b, outputs })
    }

    /// The machine a record speaks of.
    pub fn read(record: &Record) -> Result<Self> {
        record.expect(Self::KIND, 1)?;
        let expansion = Expansion::read(record.part("expansion")?)?;
        let pairs = expansion.offsets().len();
        Self::new(expansion, record.array_of("a", &[pairs])?, record.array_of("b", &[pairs])?)
    }

    /// The machine without probabilities.
    pub fn expansion(&self) -> &Expansion {
        &self.expansion
    }

    /// A of each pair.
    pub fn slopes(&self) -> &[f64] {
        &self.a
    }

    /// B of each pair.
    pub fn offsets(&self) -> &[f64] {
        &self.b
    }

    /// Decisions of pairs become probabilities of classes.
    pub fn couple(&self, decisions: &[f64], out: &mut [f64]) {
        let rates = decisions.iter().zip(&self.a).zip(&self.b).map(|((f, a), b)| {
            let z = a * f + b;
            // Whichever side the exponent is on, nothing overflows.
            let r = if z >= 0.0 { (-z).exp() / (1.0 + (-z).exp()) } else { 1.0 / (1.0 + z.exp()) };
            r.clamp(LEAST, 1.0 - LEAST)
        });
        couple(&rates.collect::<Vec<_>>(), out);
    }
}

/// r_ab of pairs a < b become probabilities.
pub fn couple(rates: &[f64], out: &mut [f64]) {
    let k = out.len();
    if let ([r], [first, second]) = (rates, &mut *out) {
        (*first, *second) = (*r, 1.0 - *r);
        return;
    }
    let rate = |a: usize, b: usize| match a < b {
        true => rates[pair(a, b, k)],
        false => 1.0 - rates[pair(b, a, k)],
    };
    // [Q e; eᵀ 0] [p; b] = [0; 1], Q_aa = Σ r_ba², Q_ab = −r_ba r_ab, row after row with the right side last.
    let width = k + 2;
    let mut system = vec![0.0; (k + 1) * width];
    for a in 0..k {
        for b in (0..k).filter(|&b| b != a) {
            system[a * width + a] += rate(b, a) * rate(b, a);
            system[a * width + b] = -rate(b, a) * rate(a, b);
        }
        system[a * width + k] = 1.0;
        system[k * width + a] = 1.0;
    }
    system[k * width + k + 1] = 1.0;
    eliminate(&mut system, k + 1);
    out.iter_mut().enumerate().for_each(|(a, p)| *p = system[a * width + k + 1].max(0.0));
    let sum: f64 = out.iter().sum();
    match sum > 0.0 && sum.is_finite() {
        true => out.iter_mut().for_each(|p| *p /= sum),
        false => out.fill(1.0 / k as f64),
    }
}

/// Solves n equations whose right side is the last of n + 1 columns, with pivots by size.
fn eliminate(system: &mut [f64], n: usize) {
    let width = n + 1;
    for column in 0..n {
        let size = |row: &usize| system[row * width + column].abs();
        let best = (column..n).max_by(|a, b| size(a).total_cmp(&size(b))).unwrap_or(column);
        (0..width).for_each(|c| system.swap(column * width + c, best * width + c));
        let pivot = system[column * width + column];
        (column..width).for_each(|c| system[column * width + c] /= pivot);
        for row in (0..n).filter(|&row| row != column) {
            let factor = system[row * width + column];
            if factor != 0.0 {
                (column..width).for_each(|c| system[row * width + c] -= factor * system[column * width + c]);
            }
        }
    }
}

impl Machine for Coupled {
    fn inputs(&self) -> &Features {
        self.expansion.inputs()
    }

    fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    fn apply(&self, inputs: &Inputs, run: &Run<'_>) -> Result<Points> {
        let points = inputs.points()?;
        let (n, width) = (points.len(), self.outputs.names.len());
        let decisions = self.expansion.decisions(points, run)?;
        let (mut scores, hold) = run.memory.filled(n.saturating_mul(width), 0.0, "probabilities")?;
        let lines = scores.chunks_exact_mut(width);
        decisions.chunks_exact(self.a.len()).zip(lines).for_each(|(raw, out)| self.couple(raw, out));
        Points::dense(Buffer::F64(Shared::counted(scores, hold)), n, width)
    }

    fn record(&self) -> Record {
        Record::new(Self::KIND, 1)
            .with("expansion", self.expansion.record())
            .with_array("a", &[self.a.len()], self.a.clone())
            .with_array("b", &[self.b.len()], self.b.clone())
    }

    fn facets(&self) -> Facets<'_> {
        Facets { support: self.expansion.facets().support, ..Facets::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rates that come from probabilities give these back, and any rates a point where no small step is better.
    #[test]
    fn coupling_finds_the_least_squares() {
        let truth = [0.5, 0.2, 0.2, 0.1];
        let k = truth.len();
        let mut rates = vec![0.0; 6];
        for a in 0..k {
            for b in a + 1..k {
                rates[pair(a, b, k)] = truth[a] / (truth[a] + truth[b]);
            }
        }
        let mut p = vec![0.0; k];
        couple(&rates, &mut p);
        testkit::assert_close(&p, &truth, 1e-12, "consistent rates");
        let rates = [0.9, 0.2, 0.6, 1e-7, 0.5, 0.3];
        couple(&rates, &mut p);
        let cost = |p: &[f64]| {
            let rate = |a: usize, b: usize| if a < b { rates[pair(a, b, k)] } else { 1.0 - rates[pair(b, a, k)] };
            let term = |(a, b): (usize, usize)| (rate(b, a) * p[a] - rate(a, b) * p[b]).powi(2);
            (0..k).flat_map(|a| (0..k).map(move |b| (a, b))).filter(|(a, b)| a != b).map(term).sum::<f64>()
        };
        assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-14 && p.iter().all(|x| *x >= 0.0));
        for (a, b) in [(0, 1), (1, 2), (2, 3), (3, 0)] {
            let mut moved = p.clone();
            (moved[a], moved[b]) = (p[a] + 1e-4, p[b] - 1e-4);
            assert!(moved[b] < 0.0 || cost(&moved) > cost(&p), "{a} {b}");
        }
        couple(&[0.25], &mut p[..2]);
        assert_eq!(p[..2], [0.25, 0.75]);
    }
}
