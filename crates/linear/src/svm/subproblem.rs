//! The dual variables of one sample, all others fixed.
//!
//! Maximises Σ v_c a_c − ½ (a − a⁰)ᵀ Q (a − a⁰) …, that is, walks along the violations v_c = ∂D/∂a_c, which a change of one
//! variable by δ moves by −δ (q + ½/C if squared) for itself and by −δ q ρ s_c s_d for each of the others. The common part is
//! one number for all candidates, so a step costs O(1) and the data are not looked at.
//!
//! - **Sums**: 0 ≤ a_c ≤ C. Sweeps over the candidates, each set to its optimum given the others.
//! - **Largest**: a ≥ 0, Σ a ≤ C. The pair that violates most exchanges what is best for both; what is left of C is a partner too,
//!   whose v is 0.

/// One variable of a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Candidate {
    pub class: u32,
    /// s: 1 for the margin of the true class itself, else −1.
    pub sign: f64,
    pub alpha: f64,
    /// The violation, without what all candidates share.
    pub violation: f64,
}

/// What a sample's variables have in common.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Common {
    pub q: f64,
    pub rho: f64,
    /// ½/C where violations are squared, else 0.
    pub diagonal: f64,
    /// C of the sample.
    pub cost: f64,
    /// Violations up to this are left.
    pub tolerance: f64,
}

/// Sweeps over the candidates of one visit.
const SWEEPS: usize = 8;

impl Common {
    /// By how much a variable violates its optimality.
    pub fn projected(&self, alpha: f64, v: f64) -> f64 {
        if alpha <= 0.0 {
            v.max(0.0)
        } else if self.diagonal == 0.0 && alpha >= self.cost {
            v.min(0.0)
        } else {
            v
        }
    }

    /// Changes the variables of a sum of violations; whether anything changed.
    pub fn sum(&self, candidates: &mut [Candidate]) -> bool {
        let own = self.q * (1.0 + self.rho) + self.diagonal;
        let most = if self.diagonal > 0.0 { f64::INFINITY } else { self.cost };
        let (mut shared, mut changed) = (0.0, false);
        for _ in 0..SWEEPS {
            let mut worst = 0.0f64;
            for c in &mut *candidates {
                let v = c.violation - self.q * self.rho * c.sign * shared;
                let projected = self.projected(c.alpha, v);
                worst = worst.max(projected.abs());
                if projected.abs() <= self.tolerance {
                    continue;
                }
                // Without curvature the objective is linear in the variable: its optimum is a bound.
                let target = if own > 0.0 { c.alpha + v / own } else { v.signum() * self.cost };
                let new = target.clamp(0.0, most);
                let step = new - c.alpha;
                if step != 0.0 {
                    c.alpha = new;
                    c.violation -= (self.q + self.diagonal) * step;
                    shared += c.sign * step;
                    changed = true;
                }
            }
            if worst <= self.tolerance {
                break;
            }
        }
        changed
    }

    /// The violation of optimality where the largest violation counts: what the best could gain over the worst that has a part.
    pub fn spread(&self, candidates: &[Candidate]) -> f64 {
        let used: f64 = candidates.iter().map(|c| c.alpha).sum();
        let rest = if used < self.cost { 0.0 } else { f64::INFINITY };
        let up = candidates.iter().map(|c| c.violation).fold(0.0, f64::max);
        let down = candidates.iter().filter(|c| c.alpha > 0.0).map(|c| c.violation).fold(rest, f64::min);
        up - down
    }

    /// Changes the variables of a largest violation; whether anything changed.
    pub fn largest(&self, candidates: &mut [Candidate]) -> bool {
        let mut rest = (self.cost - candidates.iter().map(|c| c.alpha).sum::<f64>()).max(0.0);
        let (mut shared, mut changed) = (0.0, false);
        for _ in 0..20 + 10 * candidates.len() {
            // None stands for what is left of C.
            let (mut up, mut best) = (None, 0.0);
            let (mut down, mut worst) = (None, if rest > 0.0 { 0.0 } else { f64::INFINITY });
            for (place, c) in candidates.iter().enumerate() {
                let v = c.violation - self.q * self.rho * c.sign * shared;
                if v > best {
                    (up, best) = (Some(place), v);
                }
                if c.alpha > 0.0 && v < worst {
                    (down, worst) = (Some(place), v);
                }
            }
            let gain = best - worst;
            if up == down || gain <= self.tolerance {
                break;
            }
            let sign = |place: Option<usize>| place.map_or(0.0, |p| candidates[p].sign);
            let both = [up, down].iter().flatten().count() as f64;
            let curvature = self.q * (both + self.rho * (sign(up) - sign(down)) * (sign(up) - sign(down)));
            let there = down.map_or(rest, |p| candidates[p].alpha);
            let step = if curvature > 0.0 { (gain / curvature).min(there) } else { there };
            shared += (sign(up) - sign(down)) * step;
            for (place, step) in [(up, step), (down, -step)] {
                match place {
                    Some(p) => {
                        let c = &mut candidates[p];
                        c.alpha = if step == -c.alpha { 0.0 } else { c.alpha + step };
                        c.violation -= self.q * step;
                    }
                    None => rest += step,
                }
            }
            // Exactly nothing is left when all of it went.
            if down.is_none() && step == there {
                rest = 0.0;
            }
            changed = true;
        }
        changed
    }
}

impl Common {
    /// What is left of C; nothing where only rounding is.
    fn rest(&self, candidates: &[Candidate]) -> f64 {
        let rest = self.cost - candidates.iter().map(|c| c.alpha).sum::<f64>();
        if rest > 1e-12 * self.cost { rest } else { 0.0 }
    }

    /// Leaves out the variables of a largest violation that are 0 and gain nothing over the worst that has a part. Answers with
    /// the violation of optimality among the others, or with nothing where they leave no choice.
    pub fn shrink_largest(&self, candidates: &mut Vec<Candidate>) -> Option<f64> {
        let rest = self.rest(candidates);
        let start = if rest > 0.0 { 0.0 } else { f64::INFINITY };
        let down = candidates.iter().filter(|c| c.alpha > 0.0).map(|c| c.violation).fold(start, f64::min);
        candidates.retain(|c| c.alpha > 0.0 || c.violation >= down);
        let up = candidates.iter().map(|c| c.violation).fold(0.0, f64::max);
        let settled = candidates.is_empty() || (candidates.len() == 1 && rest == 0.0 && down > 0.0);
        if settled { None } else { Some(up - down) }
    }

    /// The optimum of a largest violation with relative margins, in one step: each variable and what is left of C move along their
    /// violations and then by a common θ down to 0 at most, so that they sum to C.
    pub fn project(&self, candidates: &mut [Candidate]) -> bool {
        if self.q <= 0.0 {
            return self.largest(candidates);
        }
        let rest = self.rest(candidates);
        for c in &mut *candidates {
            // Where the variable would be without bounds; from here on `violation` is not one.
            c.violation = c.alpha + c.violation / self.q;
        }
        let mut targets: Vec<f64> = candidates.iter().map(|c| c.violation).chain([rest]).collect();
        targets.sort_unstable_by(|a, b| b.total_cmp(a));
        let (mut sum, mut theta) = (-self.cost, f64::INFINITY);
        for (count, target) in (1..).zip(targets) {
            // Of what is below θ nothing is left.
            if target <= theta && theta.is_finite() {
                break;
            }
            sum += target;
            theta = sum / f64::from(count);
        }
        let mut changed = false;
        for c in candidates {
            let new = (c.violation - theta).max(0.0);
            changed |= new != c.alpha;
            c.alpha = new;
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Seed;

    /// The dual of one sample: Σ v⁰ a − ½ Σ_cd (a − a⁰)_c Q_cd (a − a⁰)_d, whose gradient at a⁰ is v⁰.
    fn value(common: &Common, from: &[Candidate], to: &[Candidate]) -> f64 {
        let step: Vec<f64> = from.iter().zip(to).map(|(a, b)| b.alpha - a.alpha).collect();
        let tied: f64 = step.iter().zip(from).map(|(d, c)| c.sign * d).sum();
        let linear: f64 = step.iter().zip(from).map(|(d, c)| c.violation * d).sum();
        let own: f64 = step.iter().map(|d| (common.q + common.diagonal) * d * d).sum();
        linear - 0.5 * (own + common.q * common.rho * tied * tied)
    }

    fn random(seed: Seed, largest: bool) -> (Common, Vec<Candidate>) {
        let n = 1 + (seed.at(0).unit() * 8.0) as usize;
        let rho = [1.0, 0.0, -1.0 / (n as f64 + 1.0)][(seed.at(1).unit() * 3.0) as usize];
        let cost = 10f64.powf(4.0 * seed.at(2).unit() - 2.0);
        let diagonal = if !largest && seed.at(3).unit() < 0.4 { 0.5 / cost } else { 0.0 };
        let q = if seed.at(4).unit() < 0.1 && diagonal == 0.0 { 0.0 } else { 0.1 + seed.at(4).unit() };
        let own = seed.at(5).unit() < 0.5;
        let candidates: Vec<Candidate> = (0..n)
            .map(|c| {
                let alpha =
                    (2.0 * seed.at(100 + c).unit() - 1.0).max(0.0) * cost / if largest { n as f64 } else { 1.0 };
                let sign = if own && c == 0 { 1.0 } else { -1.0 };
                Candidate { class: c as u32, sign, alpha, violation: 4.0 * seed.at(200 + c).unit() - 2.0 }
            })
            .collect();
        (Common { q, rho, diagonal, cost, tolerance: 1e-10 }, candidates)
    }

    #[test]
    fn one_projection_ends_where_exchanges_of_pairs_do() {
        for case in 0..3000 {
            let (common, from) = random(Seed(case).fork("projection"), true);
            let common = Common { rho: 1.0, ..common };
            let from: Vec<Candidate> = from.into_iter().map(|c| Candidate { sign: -1.0, ..c }).collect();
            // A variable alone as in the solver: what all share is part of each violation.
            let (mut pairs, mut projected) = (from.clone(), from.clone());
            common.largest(&mut pairs);
            common.project(&mut projected);
            let sum: f64 = projected.iter().map(|c| c.alpha).sum();
            assert!(sum <= common.cost * (1.0 + 1e-12), "case {case}: {sum} of {}", common.cost);
            assert!(projected.iter().all(|c| c.alpha >= 0.0));
            let (a, b) = (value(&common, &from, &projected), value(&common, &from, &pairs));
            assert!(a >= b - 1e-9 * (1.0 + b.abs()), "case {case}: {a} below {b}");
        }
    }

    #[test]
    fn variables_without_a_choice_are_left_out() {
        for case in 0..2000 {
            let (common, from) = random(Seed(case).fork("shrink"), true);
            let mut left = from.clone();
            let Some(violation) = common.shrink_largest(&mut left) else { continue };
            assert!((violation - common.spread(&from)).abs() < 1e-12, "case {case}");
            for c in from.iter().filter(|c| !left.contains(c)) {
                assert!(c.alpha == 0.0 && left.iter().all(|l| l.alpha == 0.0 || l.violation > c.violation), "{c:?}");
            }
        }
    }

    #[test]
    fn no_admissible_change_gains_anything() {
        for case in 0..2000 {
            for largest in [false, true] {
                let (common, from) = random(Seed(case), largest);
                let mut to = from.clone();
                // A visit takes some sweeps; visits until nothing changes reach the optimum.
                let mut state = from.clone();
                for _ in 0..3000 {
                    let changed = if largest { common.largest(&mut state) } else { common.sum(&mut state) };
                    for (t, s) in to.iter_mut().zip(&state) {
                        t.alpha = s.alpha;
                    }
                    // The violations of the new point, by the definition.
                    let step: Vec<f64> = from.iter().zip(&to).map(|(a, b)| b.alpha - a.alpha).collect();
                    let tied: f64 = step.iter().zip(&from).map(|(d, c)| c.sign * d).sum();
                    for ((s, f), d) in state.iter_mut().zip(&from).zip(&step) {
                        s.violation =
                            f.violation - (common.q + common.diagonal) * d - common.q * common.rho * f.sign * tied;
                    }
                    if !changed {
                        break;
                    }
                }
                let best = value(&common, &from, &to);
                assert!(to.iter().all(|c| c.alpha >= 0.0), "case {case}");
                let sum: f64 = to.iter().map(|c| c.alpha).sum();
                let bounded = common.diagonal > 0.0
                    || if largest {
                        sum <= common.cost * (1.0 + 1e-12)
                    } else {
                        to.iter().all(|c| c.alpha <= common.cost)
                    };
                assert!(bounded, "case {case}: {to:?}");
                for trial in 0..200 {
                    let seed = Seed(case).fork("trial").at(trial);
                    let mut other = to.clone();
                    let size = 10f64.powf(-6.0 * seed.at(0).unit());
                    for (c, o) in other.iter_mut().enumerate() {
                        o.alpha = (o.alpha + size * common.cost.min(1.0) * (seed.at(c + 1).unit() - 0.5)).max(0.0);
                        if common.diagonal == 0.0 {
                            o.alpha = o.alpha.min(common.cost);
                        }
                    }
                    let sum: f64 = other.iter().map(|c| c.alpha).sum();
                    if largest && sum > common.cost {
                        other.iter_mut().for_each(|c| c.alpha *= common.cost / sum);
                    }
                    let gained = value(&common, &from, &other) - best;
                    assert!(gained <= 1e-8 * (1.0 + best.abs()), "case {case}, largest {largest}: {gained} more");
                }
            }
        }
    }
}
