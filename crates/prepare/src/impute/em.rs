//! Expectation maximisation for Gaussian mixtures over rows with gaps.
//!
//! E: responsibilities Q_m from the density of what is there, expectations x̂_m and covariances C_m of what is missing
//! (`conditional.rs`). M: with S_m = Σ w Q_m, μ_m = Σ w Q_m x̂_m / S_m and Σ_m = Σ w Q_m ((x̂_m − μ_m)(x̂_m − μ_m)ᵀ + C_m) / S_m,
//! brought to the form asked for. The log-likelihood of what is there never falls; without gaps these are the steps of
//! `gmm`. Rows are grouped by their pattern of gaps, and a pattern of many rows is cut into pieces.
//!
//! **Cost.** A step: k d³/3 for each piece and k d² for each row; 16 k d² numbers of sums at most.
//!
//! - Z. Ghahramani, M. I. Jordan: *Supervised learning from incomplete data via an EM approach.* NIPS 6 (1994) 120–127.

use super::conditional::{Conditional, responsibilities};
use super::gaps;
use base::{Dataset, Error, Hold, Progress, Result, Run, Shared};
use distance::{Covariance, Mixture};
use numeric::{add_scaled, sum_blocks};
use std::collections::BTreeMap;

/// Rows of a piece at most.
const PIECE: usize = 1024;
/// Partial sums at most.
const SUMS: usize = 16;

/// Rows with gaps and how their mixture is bounded.
pub struct Em<'a> {
    data: &'a Dataset,
    values: Shared<f64>,
    covariance: Covariance,
    /// The least variance.
    floor: f64,
    /// Missing columns, and the rows that lack them.
    pieces: Vec<(Vec<usize>, Vec<u32>)>,
    total: f64,
    _hold: Hold,
}

/// Where a climb ended.
pub struct Climbed {
    /// The mixture.
    pub mixture: Mixture,
    /// The log-likelihood before the first step and after each.
    pub curve: Vec<f64>,
    /// Whether it gained no more.
    pub converged: bool,
    /// Whether somebody asked to stop.
    pub interrupted: bool,
}

/// Rows by the columns they lack, patterns in order.
type Patterns = BTreeMap<Vec<usize>, Vec<u32>>;

/// The patterns of gaps of some rows, counted while the hold lives.
pub fn patterns(values: &[f64], columns: usize, run: &Run<'_>) -> Result<(Patterns, Hold)> {
    let rows = values.len() / columns.max(1);
    gaps::check_rows(rows)?;
    let gaps = values.iter().filter(|x| x.is_nan()).count();
    let hold = run.memory.take_for::<usize>(gaps.saturating_add(rows), "patterns of missing values")?;
    let mut patterns = Patterns::new();
    for (i, row) in values.chunks_exact(columns.max(1)).enumerate() {
        let missing = (0..columns).filter(|&c| row[c].is_nan()).collect();
        patterns.entry(missing).or_default().push(i as u32);
    }
    Ok((patterns, hold))
}

impl<'a> Em<'a> {
    /// The rows of these data.
    pub fn new(data: &'a Dataset, covariance: Covariance, floor: f64, run: &Run<'_>) -> Result<Self> {
        let points = data.points()?;
        let values = points.to_dense(&run.memory)?;
        let cut = |(missing, rows): (Vec<usize>, Vec<u32>)| {
            rows.chunks(PIECE).map(|part| (missing.clone(), part.to_vec())).collect::<Vec<_>>()
        };
        let (patterns, hold) = patterns(&values, points.columns(), run)?;
        let pieces = patterns.into_iter().flat_map(cut).collect();
        let total = data.weights.as_ref().map_or(points.len() as f64, |w| w.iter().sum());
        Ok(Em { data, values, covariance, floor, pieces, total, _hold: hold })
    }

    /// Steps until the mean log-likelihood gains less than `tolerance`, `steps` at most.
    pub fn climb(&self, mut mixture: Mixture, tolerance: f64, steps: usize, run: &Run<'_>) -> Result<Climbed> {
        let mut curve: Vec<f64> = vec![];
        loop {
            let before = curve.last().copied();
            let progress = Progress::of("em", curve.len() as u64, steps as u64);
            let stop = run.step(&Progress { value: before.map(|l| l / self.total), ..progress })?;
            let interrupted =
                |curve| Ok(Climbed { mixture: mixture.clone(), curve, converged: false, interrupted: true });
            if stop && !curve.is_empty() {
                return interrupted(curve);
            }
            let (next, likelihood) = match self.step(&mixture, run) {
                // The mixture is that of the last whole step.
                Err(Error::Stopped { .. }) if !curve.is_empty() => return interrupted(curve),
                other => other?,
            };
            curve.push(likelihood);
            let converged = before.is_some_and(|before| likelihood - before <= tolerance * self.total);
            if converged || stop || curve.len() > steps {
                return Ok(Climbed { mixture, curve, converged, interrupted: stop && !converged });
            }
            mixture = next;
        }
    }

    /// The mixture after one step, and the log-likelihood before it.
    pub fn step(&self, old: &Mixture, run: &Run<'_>) -> Result<(Mixture, f64)> {
        let k = old.shares().len();
        let d = old.means().len() / k;
        // For each component S, Σ w Q (x̂ − μ) and Σ w Q ((x̂ − μ)(x̂ − μ)ᵀ + C), about the old mean; then the likelihood.
        let one = 1 + d + d * d;
        let count = self.pieces.len();
        let sums = sum_blocks(run, count, count.div_ceil(SUMS), k * one + 1, |range, sums| {
            for piece in range {
                run.report(&Progress::of("moments", piece as u64, count as u64))?;
                self.add(old, &self.pieces[piece], sums, &Run { threads: 1, ..run.clone() })?;
            }
            Ok(())
        })?;
        let (mut means, per) = (old.means().to_vec(), self.covariance.numbers(d));
        let mut spreads = old.spreads().to_vec();
        let mut shares = Vec::with_capacity(k);
        for (m, sum) in sums.chunks_exact(one).enumerate() {
            let (count, sum) = (sum[0], &sum[1..]);
            shares.push(count);
            // A component without rows keeps its place and spread.
            if count > 0.0 {
                let shift: Vec<f64> = sum[..d].iter().map(|s| s / count).collect();
                let entry = |a: usize, b: usize| sum[d + a * d + b] / count - shift[a] * shift[b];
                let part = &mut spreads[m * per..(m + 1) * per];
                match self.covariance {
                    Covariance::Isotropic => part[0] = (0..d).map(|a| entry(a, a)).sum::<f64>() / d as f64,
                    Covariance::Diagonal => part.iter_mut().enumerate().for_each(|(a, x)| *x = entry(a, a)),
                    Covariance::Full => part.iter_mut().enumerate().for_each(|(i, x)| *x = entry(i / d, i % d)),
                }
                self.covariance.raise(part, d, self.floor, run)?;
                means[m * d..(m + 1) * d].iter_mut().zip(&shift).for_each(|(mean, s)| *mean += s);
            }
        }
        let all: f64 = shares.iter().sum();
        shares.iter_mut().for_each(|s| *s /= all);
        let mixture = Mixture::new(self.data.features.clone(), self.covariance, shares, means, spreads)?;
        Ok((mixture, sums[k * one]))
    }

    fn add(
        &self,
        old: &Mixture,
        (missing, rows): &(Vec<usize>, Vec<u32>),
        sums: &mut [f64],
        run: &Run<'_>,
    ) -> Result<()> {
        let k = old.shares().len();
        let d = old.means().len() / k;
        let one = 1 + d + d * d;
        let conditional = Conditional::new(old, missing, run)?;
        let (mut shares, mut z, mut away) = (vec![0.0; k], vec![0.0; k * d], vec![0.0; d]);
        let mut guess = vec![0.0; missing.len()];
        let mut counts = vec![0.0; k];
        for &i in rows {
            let row = &self.values[i as usize * d..(i as usize + 1) * d];
            let weight = self.data.weight(i as usize);
            for (m, share) in shares.iter_mut().enumerate() {
                *share = conditional.whiten(m, row, &mut z[m * d..(m + 1) * d]);
            }
            sums[k * one] += weight * responsibilities(&mut shares);
            for (m, share) in shares.iter().enumerate().filter(|(_, q)| **q > 0.0) {
                conditional.expect(m, &z[m * d..(m + 1) * d], &mut guess);
                away.copy_from_slice(row);
                missing.iter().zip(&guess).for_each(|(&c, g)| away[c] = *g);
                away.iter_mut().zip(&old.means()[m * d..]).for_each(|(a, mean)| *a -= mean);
                let (q, sum) = (weight * share, &mut sums[m * one..(m + 1) * one]);
                counts[m] += q;
                sum[0] += q;
                add_scaled(&mut sum[1..=d], q, &away);
                sum[1 + d..].chunks_exact_mut(d).zip(&away).for_each(|(line, a)| add_scaled(line, q * a, &away));
            }
        }
        for (m, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0.0 && !missing.is_empty()) {
            let spread = conditional.spread(m);
            let sum = &mut sums[m * one + 1 + d..(m + 1) * one];
            for (&a, line) in missing.iter().zip(spread.chunks_exact(missing.len())) {
                missing.iter().zip(line).for_each(|(&b, c)| sum[a * d + b] += count * c);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Learner, Machine, Points, Seed, Targets, normal};
    use distance::GaussianMixture;

    /// Two correlated clouds with some gaps and weights.
    fn cloudy(seed: u64, share: f64) -> Dataset {
        let (n, d) = (160, 3);
        let mut stream = Seed(seed).fork("cloud").stream();
        let mut values = vec![];
        for i in 0..n {
            let (a, b) = (normal(&mut stream), normal(&mut stream));
            let centre = if i % 2 == 0 { 0.0 } else { 5.0 };
            for x in [centre + a, -centre + 0.8 * a + 0.6 * b, 0.5 * a - b + 0.3 * normal(&mut stream)] {
                values.push(if Seed(seed).at(values.len()).unit() < share { f64::NAN } else { x });
            }
        }
        let weights: Vec<f64> = (0..n).map(|i| 0.5 + (i % 3) as f64).collect();
        Dataset { weights: Some(weights.into()), ..Dataset::new(Points::dense(values, n, d).unwrap(), Targets::None) }
    }

    fn start(k: usize, form: Covariance) -> Mixture {
        let means = (0..k).flat_map(|m| [m as f64 * 4.0, -(m as f64), 0.5]).collect();
        let one: Vec<f64> = match form {
            Covariance::Isotropic => vec![4.0],
            Covariance::Diagonal => vec![4.0, 3.0, 2.0],
            Covariance::Full => vec![4.0, 1.0, 0.0, 1.0, 3.0, 0.5, 0.0, 0.5, 2.0],
        };
        Mixture::new(base::Features::unnamed(3), form, vec![1.0 / k as f64; k], means, one.repeat(k)).unwrap()
    }

    const FORMS: [Covariance; 3] = [Covariance::Isotropic, Covariance::Diagonal, Covariance::Full];

    #[test]
    fn without_gaps_a_step_is_that_of_gmm() {
        let run = Run::quiet(1);
        let data = cloudy(1, 0.0);
        for form in FORMS {
            let em = Em::new(&data, form, 1e-9, &run).unwrap();
            let (ours, likelihood) = em.step(&start(2, form), &run).unwrap();
            let gmm = GaussianMixture { k: 2, covariance: form, steps: 1, ..GaussianMixture::default() };
            let theirs = gmm.fit(&data, Some(&start(2, form).record()), &run).unwrap();
            let base::Fact::Curve(curve) = &theirs.certificate.facts["log-likelihood by iteration"] else {
                panic!("a curve")
            };
            testkit::assert_close(&[likelihood], &curve[..1], 1e-12, "likelihood");
            let theirs = Mixture::read(&theirs.machine.record()).unwrap();
            testkit::assert_close(ours.shares(), theirs.shares(), 1e-12, "shares");
            testkit::assert_close(ours.means(), theirs.means(), 1e-12, "means");
            testkit::assert_close(ours.spreads(), theirs.spreads(), 1e-11, "spreads");
        }
    }

    #[test]
    fn the_likelihood_never_falls_with_gaps() {
        let run = Run::quiet(1);
        for seed in 0..4 {
            let data = cloudy(seed, 0.35);
            for form in FORMS {
                let em = Em::new(&data, form, 1e-3, &run).unwrap();
                let climbed = em.climb(start(3, form), 0.0, 60, &run).unwrap();
                assert!(climbed.curve.len() > 20, "seed {seed}: no climb");
                for pair in climbed.curve.windows(2).take(climbed.curve.len() - 2) {
                    assert!(pair[1] >= pair[0] - 1e-9 * pair[0].abs(), "seed {seed}: {pair:?}");
                }
                assert!(climbed.curve[20] > climbed.curve[0] + 1.0);
            }
        }
    }

    /// A x = b by elimination with pivots.
    fn solved(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
        let n = b.len();
        for c in 0..n {
            let top = (c..n).max_by(|&i, &j| a[i][c].abs().total_cmp(&a[j][c].abs())).unwrap();
            a.swap(c, top);
            b.swap(c, top);
            for r in (0..n).filter(|&r| r != c) {
                let f = a[r][c] / a[c][c];
                (0..n).for_each(|k| a[r][k] -= f * a[c][k]);
                b[r] -= f * b[c];
            }
        }
        (0..n).map(|i| b[i] / a[i][i]).collect()
    }

    /// The EM of one normal distribution, row by row, straight from its formulas.
    #[test]
    fn one_component_is_the_normal_em_of_the_textbook() {
        let run = Run::quiet(1);
        let data = cloudy(5, 0.3);
        let values = data.points().unwrap().to_dense(&run.memory).unwrap();
        let weights = data.weights.clone().unwrap();
        let total: f64 = weights.iter().sum();
        let mut mean = start(1, Covariance::Full).means().to_vec();
        let mut spread = start(1, Covariance::Full).spreads().to_vec();
        let em = Em::new(&data, Covariance::Full, 1e-12, &run).unwrap();
        let mut mixture = start(1, Covariance::Full);
        for _ in 0..5 {
            let (mut rows, mut extra) = (vec![], [0.0; 9]);
            for (row, w) in values.chunks(3).zip(&weights) {
                let (o, m): (Vec<usize>, Vec<usize>) = (0..3).partition(|&c| !row[c].is_nan());
                let square: Vec<Vec<f64>> = o.iter().map(|a| o.iter().map(|b| spread[a * 3 + b]).collect()).collect();
                let z = solved(square.clone(), o.iter().map(|&a| row[a] - mean[a]).collect());
                let mut full = row.to_vec();
                for &c in &m {
                    full[c] = mean[c] + o.iter().zip(&z).map(|(a, z)| spread[c * 3 + a] * z).sum::<f64>();
                    let gain = solved(square.clone(), o.iter().map(|a| spread[a * 3 + c]).collect());
                    for &b in &m {
                        let told: f64 = o.iter().zip(&gain).map(|(a, g)| spread[b * 3 + a] * g).sum();
                        extra[c * 3 + b] += w * (spread[c * 3 + b] - told);
                    }
                }
                rows.push(full);
            }
            mean = (0..3).map(|c| rows.iter().zip(&weights).map(|(r, w)| w * r[c]).sum::<f64>() / total).collect();
            for (i, s) in spread.iter_mut().enumerate() {
                let (a, b) = (i / 3, i % 3);
                let about = rows.iter().zip(&weights).map(|(r, w)| w * (r[a] - mean[a]) * (r[b] - mean[b]));
                *s = (about.sum::<f64>() + extra[i]) / total;
            }
            mixture = em.step(&mixture, &run).unwrap().0;
            testkit::assert_close(mixture.means(), &mean, 1e-12, "means");
            testkit::assert_close(mixture.spreads(), &spread, 1e-11, "covariance");
        }
    }
}
