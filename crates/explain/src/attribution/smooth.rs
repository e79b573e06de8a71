//! Gradients over noisy copies: their mean (SmoothGrad) or their variance (VarGrad).
//!
//! R_i = 1/m Σ_k g_i(x + ε_k), or the mean of (g_i − mean)², ε_k normal with a deviation that is a share of the row's range
//! (largest less least). The copies of a row are drawn from the seed, the copy and the column alone, so a row is
//! explained alone as in a batch, and twice the same.
//!
//! **Cost.** m gradients. Sources: D. Smilkov et al. 2017; J. Adebayo et al. 2018.

use super::relevance_of;
use crate::Scored;
use crate::entry::{Explain, MethodEntry, MethodNeeds, Usual};
use crate::tuning::{Smoothed, Tuning};
use base::{Points, Progress, Relevance, Result, Run, normal};

pub(crate) static SMOOTH_GRAD: MethodEntry = MethodEntry {
    settings: &["noise", "copies", "smoothed"],
    degree: |t| if t.smoothed == Smoothed::Square { 2 } else { 1 },
    passes: |t| t.copies,
    usual: Usual::Machines(4),
    ..MethodEntry::new(
        "smoothgrad",
        "SmoothGrad: the mean gradient of noisy copies",
        MethodNeeds::Gradient,
        Explain::Gradient(|case, run| smooth_grad(case.score, case.points, NoiseOptions::of(case.rows.tuning), run)),
    )
};

pub(crate) static VAR_GRAD: MethodEntry = MethodEntry {
    settings: &["noise", "copies"],
    degree: |_| 2,
    passes: |t| t.copies,
    ..MethodEntry::new(
        "vargrad",
        "VarGrad: the variance of the gradient over noisy copies",
        MethodNeeds::Gradient,
        Explain::Gradient(|case, run| var_grad(case.score, case.points, NoiseOptions::of(case.rows.tuning), run)),
    )
};

/// Numbers of all copies that go through the machine at once.
const AT_ONCE: usize = 1 << 23;

/// How noisy copies are made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NoiseOptions {
    /// The deviation, as a share of each row's range.
    pub share: f64,
    /// Copies.
    pub copies: usize,
    /// What is averaged.
    pub of: Smoothed,
}

impl NoiseOptions {
    fn of(t: &Tuning) -> Self {
        NoiseOptions { share: t.noise, copies: t.copies, of: t.smoothed }
    }
}

/// The mean of gradients over noisy copies.
pub fn smooth_grad(score: &dyn Scored, points: &Points, noise: NoiseOptions, run: &Run<'_>) -> Result<Relevance> {
    let [mean, _] = moments(score, points, noise, run)?;
    relevance_of(mean, (points.len(), score.columns()), None, "smoothgrad")
}

/// The variance of gradients over noisy copies.
pub fn var_grad(score: &dyn Scored, points: &Points, noise: NoiseOptions, run: &Run<'_>) -> Result<Relevance> {
    let [mean, square] = moments(score, points, NoiseOptions { of: Smoothed::Plain, ..noise }, run)?;
    let variance = mean.iter().zip(square).map(|(m, s)| (s - m * m).max(0.0)).collect();
    relevance_of(variance, (points.len(), score.columns()), None, "vargrad")
}

/// The mean of what is averaged, and of its square.
fn moments(score: &dyn Scored, points: &Points, noise: NoiseOptions, run: &Run<'_>) -> Result<[Vec<f64>; 2]> {
    let (n, d) = (points.len(), score.columns());
    let x = points.to_dense(&run.memory)?;
    let spread: Vec<f64> = x
        .chunks_exact(d.max(1))
        .map(|row| {
            let (low, high) = row.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(*x), b.max(*x)));
            noise.share * (high - low).max(0.0)
        })
        .collect();
    let seed = run.seed.fork("noisy copies");
    // Several copies of all rows go through the machine side by side.
    let together = (AT_ONCE / n.saturating_mul(d).max(1)).max(1);
    let copies = 2 + 2 * together.min(noise.copies);
    let _room = run.memory.take_for::<f64>(n.saturating_mul(d).saturating_mul(copies), "noisy copies")?;
    let mut sums = [vec![0.0; n * d], vec![0.0; n * d]];
    for first in (0..noise.copies).step_by(together) {
        run.report(&Progress::of("noisy copies", first as u64, noise.copies as u64))?;
        let copies = first..noise.copies.min(first + together);
        let mut noisy = Vec::with_capacity(copies.len() * n * d);
        for copy in copies.clone() {
            let mut stream = seed.at(copy).stream();
            let drawn: Vec<f64> = (0..d).map(|_| normal(&mut stream)).collect();
            noisy.extend(x.iter().enumerate().map(|(i, x)| x + spread[i / d.max(1)] * drawn[i % d.max(1)]));
        }
        let (_, slopes) = score.gradients(&Points::dense(noisy, copies.len() * n, d)?, run)?;
        for (k, g) in slopes.into_iter().enumerate() {
            let i = k % (n * d);
            let g = match noise.of {
                Smoothed::Plain => g,
                Smoothed::Abs => g.abs(),
                Smoothed::Square => g * g,
            };
            sums[0][i] += g / noise.copies as f64;
            sums[1][i] += g * g / noise.copies as f64;
        }
    }
    Ok(sums)
}
