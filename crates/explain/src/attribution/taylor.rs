//! Simple Taylor decomposition: R_i = (x_i − x̃_i) ∂f/∂x_i at x̃, a root of f − level found by search.
//!
//! The search goes along straight lines from x to points that stand for the other side (support points of a detector,
//! examples of the other class), the nearest first, to where the score first meets the level, and keeps the closest such
//! place. Lines are cut into eight pieces and halved where the sign changes. Where no line meets the level, the nearest
//! of the points itself is taken. The result jumps when another line becomes the closest.
//!
//! **Cost.** About 60 scores for each line, one gradient a row.

use super::prototypes::references;
use super::relevance_of;
use crate::entry::{Explain, MethodEntry, MethodNeeds};
use crate::{Scored, Subject};
use base::{Balance, Error, Explainer, Points, Progress, Relevance, Result, Run};

pub(crate) static TAYLOR: MethodEntry = MethodEntry {
    if_not: "; conservative to first order",
    ..MethodEntry::new(
        "taylor",
        "first-order Taylor expansion at the nearest root found",
        MethodNeeds::Root,
        Explain::Either { quantity: of_quantity, output: of_output },
    )
};

/// A root is where x would be as normal as the middle one of the support points.
fn of_quantity(own: &dyn Explainer, points: &Points, run: &Run<'_>) -> Result<Relevance> {
    let centres = references(own)?.points();
    let Some(score) = own.quantity() else {
        return Err(Error::unsupported("taylor", "this machine", "it has no outlierness to expand"));
    };
    let mut seen = score.values(centres, run)?;
    seen.sort_by(f64::total_cmp);
    taylor(score, points, &Roots { towards: centres, lines: 5, level: seen[seen.len() / 2] }, run)
}

/// A root is where the score of a class is 0.
fn of_output(subject: &Subject<'_>, points: &Points, output: usize, run: &Run<'_>) -> Result<Relevance> {
    let Some(sums) = subject.machine().by_support() else {
        return Err(Error::unsupported("taylor", "this machine", "it has no support points to search towards"));
    };
    let roots = Roots { towards: sums.points(), lines: 20, level: 0.0 };
    taylor(&subject.score(output, true, run)?, points, &roots, run)
}

/// Where roots are looked for.
pub struct Roots<'a> {
    /// Points to go towards.
    pub towards: &'a Points,
    /// How many of them, the nearest.
    pub lines: usize,
    /// What the score is at a root.
    pub level: f64,
}

/// Taylor's first order at a root.
pub fn taylor(score: &dyn Scored, points: &Points, roots: &Roots<'_>, run: &Run<'_>) -> Result<Relevance> {
    let (n, d) = (points.len(), score.columns());
    if roots.towards.is_empty() || roots.towards.columns() != d {
        let found = format!("{} x {}", roots.towards.len(), roots.towards.columns());
        return Err(Error::size("points to look for a root towards", format!("at least 1 x {d}"), found));
    }
    let values = score.values(points, run)?;
    let (mut all, mut balance) = (vec![0.0; n * d], vec![]);
    let mut x = vec![0.0; d];
    for (i, line) in all.chunks_exact_mut(d.max(1)).enumerate() {
        run.report(&Progress::of("roots", i as u64, n as u64))?;
        points.write_row(i, &mut x);
        let root = search(score, &x, values[i], roots, run)?;
        let (at, slope) = score.gradients(&Points::dense(root.clone(), 1, d)?, run)?;
        line.iter_mut().zip(&slope).zip(x.iter().zip(&root)).for_each(|((r, s), (x, x0))| *r = s * (x - x0));
        let sum: f64 = line.iter().sum();
        balance.push(Balance { score: values[i], sum, absorbed: at[0], lost: values[i] - at[0] - sum });
    }
    relevance_of(all, (n, d), Some(balance), "taylor")
}

/// The closest place found where the score is at the level.
fn search(score: &dyn Scored, x: &[f64], value: f64, roots: &Roots<'_>, run: &Run<'_>) -> Result<Vec<f64>> {
    const PIECES: usize = 8;
    let d = x.len();
    let mut u = vec![0.0; d];
    let mut near: Vec<(f64, usize)> = (0..roots.towards.len())
        .map(|j| {
            roots.towards.write_row(j, &mut u);
            (numeric::squared_distance(x, &u), j)
        })
        .collect();
    near.sort_by(|a, b| a.0.total_cmp(&b.0));
    near.truncate(roots.lines.max(1));
    let mut best: Option<(f64, Vec<f64>)> = None;
    for (k, &(square, j)) in near.iter().enumerate() {
        run.report(&Progress::of("lines to roots", k as u64, near.len() as u64))?;
        roots.towards.write_row(j, &mut u);
        let on_the_way = |shares: &[f64]| {
            let place = |&t: &f64| x.iter().zip(&u).map(move |(x, u)| x + t * (u - x));
            Points::dense(shares.iter().flat_map(place).collect::<Vec<f64>>(), shares.len(), d)
        };
        let shares: Vec<f64> = (1..=PIECES).map(|k| k as f64 / PIECES as f64).collect();
        let scores = score.values(&on_the_way(&shares)?, run)?;
        let above = value > roots.level;
        let Some(k) = scores.iter().position(|s| (*s > roots.level) != above) else { continue };
        let (mut low, mut high) = (k as f64 / PIECES as f64, shares[k]);
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            let at = score.values(&on_the_way(&[middle])?, run)?[0];
            if (at > roots.level) == above { low = middle } else { high = middle }
        }
        let far = high * high * square;
        if best.as_ref().is_none_or(|(b, _)| far < *b) {
            best = Some((far, on_the_way(&[high])?.to_dense(&base::Memory::unlimited())?.to_vec()));
        }
    }
    if let Some((_, root)) = best {
        return Ok(root);
    }
    roots.towards.write_row(near[0].1, &mut u);
    Ok(u)
}
