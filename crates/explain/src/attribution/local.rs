//! A plain model around a row: LIME, KernelSHAP, and Shapley values by counting.
//!
//! Groups of columns are present (as in the row) or absent (replaced), z ∈ {0, 1}^S, and f(z) is explained by w·z + c.
//!
//! - LIME: z drawn evenly, the first all present; weight √exp(−D²/width²) with D the cosine distance from the first (1 for
//!   none present); ridge with intercept.
//! - KernelSHAP: z in pairs with their opposites, sizes drawn by the Shapley kernel (S−1)/(C(S,s) s (S−s)); least squares
//!   with c = f(nothing) and Σ w = f(all) − f(nothing) kept exactly.
//! - Shapley: w_i = Σ over sets without i of |T|! (S−|T|−1)!/S! (f(T+i) − f(T)), all 2^S sets.
//!
//! Draws come from the seed and the sample alone: twice the same, and a row alone as in a batch.
//!
//! **Cost.** One score a sample, S³; Shapley 2^S scores, up to S = 16.
//! Sources: M. Ribeiro et al. 2016; S. Lundberg, S.-I. Lee 2017; L. Shapley 1953.

use super::groups::Groups;
use super::relevance_of;
use crate::Scored;
use base::{Balance, Error, Points, Progress, Relevance, Result, Run, Seed};
use numeric::{Cholesky, Mat, MatMut};

/// Groups that are counted out at most.
pub const COUNTED: usize = 16;

/// How a local model is fitted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Local {
    /// Samples.
    pub samples: usize,
    /// Width of LIME's kernel.
    pub width: f64,
    /// Penalty of LIME's ridge.
    pub ridge: f64,
}

/// What absent groups are replaced by.
pub struct Absent<'a> {
    /// Which columns go together.
    pub groups: &'a Groups,
    /// What stands in their place.
    pub instead: &'a [f64],
}

impl Absent<'_> {
    /// The score where everything is absent.
    fn nothing(&self, score: &dyn Scored, run: &Run<'_>) -> Result<f64> {
        Ok(score.values(&Points::dense(self.instead.to_vec(), 1, self.instead.len())?, run)?[0])
    }
}

/// LIME: the coefficient of a segment told to each of its columns.
pub fn lime(score: &dyn Scored, points: &Points, absent: &Absent<'_>, how: Local, run: &Run<'_>) -> Result<Relevance> {
    let s = absent.groups.count;
    let seed = run.seed.fork("lime");
    let drawn = |k: usize| (0..s).map(|g| k == 0 || seed.at(k).at(g).unit() < 0.5).collect::<Vec<bool>>();
    let sets: Vec<Vec<bool>> = (0..how.samples.max(1)).map(drawn).collect();
    let weight = |set: &Vec<bool>| {
        let here = set.iter().filter(|z| **z).count() as f64;
        let distance = if here == 0.0 { 1.0 } else { 1.0 - (here / s as f64).sqrt() };
        (-(distance / how.width).powi(2)).exp().sqrt()
    };
    let weights: Vec<f64> = sets.iter().map(weight).collect();
    let (all, _) = each_row(
        score,
        points,
        (absent.groups, absent.nothing(score, run)?),
        "lime",
        run,
        |x| {
            let seen = absent.groups.scores(score, x, absent.instead, &sets, run)?;
            // Centred by weighted means, so that the intercept is free.
            let total: f64 = weights.iter().sum();
            let mean = |of: &dyn Fn(usize) -> f64| (0..sets.len()).map(|k| weights[k] * of(k)).sum::<f64>() / total;
            let middle: Vec<f64> = (0..s).map(|g| mean(&|k| f64::from(u8::from(sets[k][g])))).collect();
            let target = mean(&|k| seen[k]);
            let rows =
                sets.iter().map(|set| set.iter().zip(&middle).map(|(z, m)| f64::from(u8::from(*z)) - m).collect());
            let differences: Vec<f64> = seen.iter().map(|y| y - target).collect();
            solve(rows, &weights, &differences, how.ridge, s, run)
        },
        true,
    )?;
    relevance_of(all, (points.len(), score.columns()), None, "lime")
}

/// KernelSHAP with one row in place of what is absent.
pub fn kernel_shap(
    score: &dyn Scored,
    points: &Points,
    absent: &Absent<'_>,
    samples: usize,
    run: &Run<'_>,
) -> Result<Relevance> {
    let one = Points::dense(absent.instead.to_vec(), 1, absent.instead.len())?;
    kernel_shap_over(score, points, (absent.groups, &one), samples, run)
}

/// KernelSHAP: f(z) is the mean over several rows that stand in place of what is absent.
pub fn kernel_shap_over(
    score: &dyn Scored,
    points: &Points,
    (groups, others): (&Groups, &Points),
    samples: usize,
    run: &Run<'_>,
) -> Result<Relevance> {
    let s = groups.count;
    let (sets, weights) = coalitions(s, samples, run.seed.fork("kernel-shap"));
    let mean = |x: &[f64], sets: &[Vec<bool>]| -> Result<Vec<f64>> {
        let (mut all, mut instead) = (vec![0.0; sets.len()], vec![0.0; x.len()]);
        for other in 0..others.len() {
            others.write_row(other, &mut instead);
            let seen = groups.scores(score, x, &instead, sets, run)?;
            all.iter_mut().zip(seen).for_each(|(a, s)| *a += s / others.len() as f64);
        }
        Ok(all)
    };
    let nothing = mean_of(&score.values(others, run)?);
    let explain = |x: &[f64]| {
        let all = mean(x, &[vec![true; s]])?[0];
        let gain = all - nothing;
        if s == 1 {
            return Ok(vec![gain]);
        }
        let seen = mean(x, &sets)?;
        // The last coefficient is what the others leave of the gain.
        let bit = |z: bool| f64::from(u8::from(z));
        let rows = sets.iter().map(|set| (0..s - 1).map(|g| bit(set[g]) - bit(set[s - 1])).collect());
        let targets: Vec<f64> = seen.iter().zip(&sets).map(|(y, set)| y - nothing - bit(set[s - 1]) * gain).collect();
        let mut found = solve(rows, &weights, &targets, 1e-9, s - 1, run)?;
        found.push(gain - found.iter().sum::<f64>());
        Ok(found)
    };
    let (all, balance) = each_row(score, points, (groups, nothing), "kernel-shap", run, explain, false)?;
    relevance_of(all, (points.len(), score.columns()), Some(balance), "kernel-shap")
}

fn mean_of(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Shapley values by counting all sets.
pub fn shapley(score: &dyn Scored, points: &Points, absent: &Absent<'_>, run: &Run<'_>) -> Result<Relevance> {
    let s = absent.groups.count;
    if s > COUNTED {
        return Err(Error::size("groups of columns to count all sets of", format!("at most {COUNTED}"), s));
    }
    let sets: Vec<Vec<bool>> = (0..1usize << s).map(|m| (0..s).map(|g| m >> g & 1 == 1).collect()).collect();
    let factorial = |n: usize| (1..=n).map(|k| k as f64).product::<f64>();
    let (all, balance) = each_row(
        score,
        points,
        (absent.groups, absent.nothing(score, run)?),
        "shapley",
        run,
        |x| {
            let seen = absent.groups.scores(score, x, absent.instead, &sets, run)?;
            let share = |g: usize| {
                let without = (0..sets.len()).filter(|m| m >> g & 1 == 0);
                let one = |m: usize| {
                    let size = m.count_ones() as usize;
                    factorial(size) * factorial(s - size - 1) / factorial(s) * (seen[m | 1 << g] - seen[m])
                };
                without.map(one).sum::<f64>()
            };
            Ok((0..s).map(share).collect())
        },
        false,
    )?;
    relevance_of(all, (points.len(), score.columns()), Some(balance), "shapley")
}

/// Explains row by row; `whole`: groups' numbers are told as they are, else in equal shares of their columns.
fn each_row(
    score: &dyn Scored,
    points: &Points,
    (groups, nothing): (&Groups, f64),
    stage: &'static str,
    run: &Run<'_>,
    explain: impl Fn(&[f64]) -> Result<Vec<f64>>,
    whole: bool,
) -> Result<(Vec<f64>, Vec<Balance>)> {
    let (n, d) = (points.len(), score.columns());
    let (mut all, mut balance, mut x) = (vec![], vec![], vec![0.0; d]);
    let scores = score.values(points, run)?;
    for (i, score) in scores.into_iter().enumerate() {
        run.report(&Progress::of(stage, i as u64, n as u64))?;
        points.write_row(i, &mut x);
        let found = explain(&x)?;
        let sum: f64 = found.iter().sum();
        balance.push(Balance { score, sum, absorbed: nothing, lost: score - nothing - sum });
        all.extend(groups.spread(&found, whole));
    }
    Ok((all, balance))
}

/// Sets with their opposites, neither empty nor full, with their weights: all of them by the Shapley kernel where they are
/// no more than the samples, which is exact; else drawn by it.
fn coalitions(s: usize, samples: usize, seed: Seed) -> (Vec<Vec<bool>>, Vec<f64>) {
    if s <= COUNTED && (1usize << s) <= samples + 2 {
        let sets: Vec<Vec<bool>> = (1..(1usize << s) - 1).map(|m| (0..s).map(|g| m >> g & 1 == 1).collect()).collect();
        let choose = |k: usize| (0..k).map(|j| (s - j) as f64 / (j + 1) as f64).product::<f64>();
        let weight = |set: &Vec<bool>| {
            let size = set.iter().filter(|z| **z).count();
            1.0 / (choose(size) * (size * (s - size)) as f64)
        };
        let weights: Vec<f64> = sets.iter().map(weight).collect();
        let total: f64 = weights.iter().sum();
        let count = sets.len() as f64;
        return (sets, weights.into_iter().map(|w| w / total * count).collect());
    }
    let sizes: Vec<f64> = (1..s).map(|k| 1.0 / (k as f64 * (s - k) as f64)).collect();
    let total: f64 = sizes.iter().sum();
    let mut sets = vec![];
    for k in 0..samples.div_ceil(2) {
        let seed = seed.at(k);
        let mut left = seed.unit() * total;
        let size = sizes.iter().position(|w| {
            left -= w;
            left < 0.0
        });
        let mut set = vec![false; s];
        let order = seed.fork("members").permutation(s);
        order.iter().take(size.unwrap_or(s.saturating_sub(2)) + 1).for_each(|&g| set[g] = true);
        sets.push(set.iter().map(|z| !z).collect());
        sets.push(set);
    }
    let weights = vec![1.0; sets.len()];
    (sets, weights)
}

/// Weighted least squares with a penalty: (ZᵀWZ + λ) w = ZᵀWy.
fn solve(
    rows: impl Iterator<Item = Vec<f64>>,
    weights: &[f64],
    targets: &[f64],
    ridge: f64,
    s: usize,
    run: &Run<'_>,
) -> Result<Vec<f64>> {
    let (mut a, _hold) = run.memory.filled(s.saturating_mul(s), 0.0, "a local model")?;
    let mut b = vec![0.0; s];
    for ((row, w), y) in rows.zip(weights).zip(targets) {
        for (i, z) in row.iter().enumerate().filter(|(_, z)| **z != 0.0) {
            b[i] += w * z * y;
            numeric::add_scaled(&mut a[i * s..(i + 1) * s], w * z, &row);
        }
    }
    (0..s).for_each(|i| a[i * s + i] += ridge);
    let factor = Cholesky::new(run, Mat::new(&a, s, s)?)?;
    factor.solve(run, MatMut::new(&mut b, s, 1)?)?;
    Ok(b)
}
