//! Integrated gradients: R_i = (x_i − x̃_i) ∫₀¹ ∂f/∂x_i at x̃ + t (x − x̃) dt, so that Σ R_i = f(x) − f(x̃).
//!
//! The integral is a sum over pieces of the way, each with the gradient at its middle. What a piece misses is known, since
//! the score is known at both of its ends; pieces that miss more than their share are halved, so that steep parts of the
//! way get most of the gradients. It ends when little is missed or the gradients run out; what is still missed is said to
//! be lost. With a fixed number of steps the pieces are equal.
//!
//! **Cost.** At most [`IntegrationSteps::most`] gradients a row.
//! Source: M. Sundararajan, A. Taly, Q. Yan: *Axiomatic attribution for deep networks.* ICML 2017.

use super::relevance_of;
use crate::Scored;
use crate::entry::{AddsUp, Explain, MethodEntry, MethodNeeds, Usual};
use crate::rows::Case;
use base::{Balance, Error, Points, Progress, Relevance, Result, Run};

pub(crate) static INTEGRATED_GRADIENTS: MethodEntry = MethodEntry {
    aliases: &["ig"],
    settings: &["steps", "reference"],
    adds_up: AddsUp::Smooth,
    passes: |t| t.steps.max(64),
    usual: Usual::Machines(2),
    ..MethodEntry::new(
        "integrated-gradients",
        "integrated gradients: the change of the score along the path from a reference",
        MethodNeeds::Gradient,
        Explain::Gradient(explain),
    )
};

/// Weights and activations that the gradients of one row go through, unless fewer steps would be too few.
const STEPS_WORTH: u64 = 1 << 28;
/// Steps that no network is too large for.
const FEWEST_STEPS: u64 = 32;

/// From the reference of the settings, else from the middle of what the machine rests on.
fn explain(case: &Case<'_>, run: &Run<'_>) -> Result<Relevance> {
    let steps = match case.rows.tuning.steps {
        0 => IntegrationSteps { most: steps_of(case.score.numbers()), ..IntegrationSteps::default() },
        exactly => IntegrationSteps { tolerance: 0.0, most: exactly },
    };
    let given = case.rows.tuning.reference_of(case.points.columns())?;
    let reference = given.unwrap_or_else(|| case.start());
    integrated_gradients(case.score, case.points, &reference, steps, run)
}

/// How many gradients a row may take by itself: fewer through a large network.
fn steps_of(numbers: u64) -> usize {
    let most = IntegrationSteps::default().most as u64;
    (STEPS_WORTH / numbers.max(1)).clamp(FEWEST_STEPS, most) as usize
}

/// How finely is integrated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IntegrationSteps {
    /// What may be missed, as a fraction of the difference and of the score; with 0 there are just as many equal pieces as
    /// there may be gradients.
    pub tolerance: f64,
    /// Gradients at most.
    pub most: usize,
}

impl Default for IntegrationSteps {
    fn default() -> Self {
        IntegrationSteps { tolerance: 1e-3, most: 8192 }
    }
}

/// Numbers of all ways that go through the machine at once.
const AT_ONCE: usize = 1 << 22;
/// Equal pieces at first.
const FIRST: usize = 8;
/// Pieces shorter than this are not halved: there the score jumps.
const SHORTEST: f64 = 1e-12;
/// No piece has to miss less than this part of what the whole way may.
const LEAST: f64 = 1.0 / 64.0;

/// A piece of the way of a row, with the score at its ends.
#[derive(Debug, Clone, Copy)]
struct Piece {
    row: usize,
    from: f64,
    length: f64,
    scores: [f64; 2],
}

/// Integrated gradients from `reference`.
pub fn integrated_gradients(
    score: &dyn Scored,
    points: &Points,
    reference: &[f64],
    steps: IntegrationSteps,
    run: &Run<'_>,
) -> Result<Relevance> {
    let (n, d) = (points.len(), score.columns());
    if reference.len() != d {
        return Err(Error::size("numbers of a reference", d, reference.len()));
    }
    let start = score.values(&Points::dense(reference.to_vec(), 1, d)?, run)?[0];
    let ends = score.values(points, run)?;
    let x = points.to_dense(&run.memory)?;
    let (mut all, hold) = run.memory.filled(n.saturating_mul(d), 0.0, "relevance")?;
    let halves = steps.tolerance > 0.0;
    let count = if halves { FIRST.min(steps.most) } else { steps.most }.max(1);
    let way = Way { score, x: &x, reference, at_once: (AT_ONCE / d.max(1)).max(1) };
    let mut open = way.cut(count, (start, &ends), halves, run)?;
    let mut asked = vec![count; n];
    let mut done = 0;
    while !open.is_empty() {
        let mut next = vec![];
        for pieces in open.chunks(way.at_once) {
            run.report(&Progress::of("integrating", done, done + (open.len() + next.len()) as u64))?;
            let _room = run.memory.take_for::<f64>((2 * d).saturating_mul(pieces.len()), "points along the path")?;
            let (middles, gradients) = score.gradients(&way.middles(pieces)?, run)?;
            for ((piece, middle), gradient) in pieces.iter().zip(middles).zip(gradients.chunks_exact(d.max(1))) {
                let i = piece.row;
                let changes = x[i * d..(i + 1) * d].iter().zip(reference).map(|(x, r)| x - r);
                let along: f64 = gradient.iter().zip(changes).map(|(g, change)| g * change).sum();
                let missed = (piece.scores[1] - piece.scores[0] - piece.length * along).abs();
                let difference = (ends[i] - start).abs();
                let may = steps.tolerance * difference.min(ends[i].abs()).max(1e-3 * difference);
                let poor = missed > may * piece.length.max(LEAST) && piece.length > SHORTEST;
                if halves && poor && asked[i] + 2 <= steps.most {
                    asked[i] += 2;
                    next.extend(piece.halved(middle));
                } else {
                    numeric::add_scaled(&mut all[i * d..(i + 1) * d], piece.length, gradient);
                }
            }
            done += pieces.len() as u64;
        }
        open = next;
    }
    let mut balance = vec![];
    for (i, line) in all.chunks_exact_mut(d.max(1)).enumerate() {
        line.iter_mut().zip(x[i * d..].iter().zip(reference)).for_each(|(r, (x, x0))| *r *= x - x0);
        let sum: f64 = line.iter().sum();
        balance.push(Balance { score: ends[i], sum, absorbed: start, lost: ends[i] - start - sum });
    }
    drop(hold);
    relevance_of(all, (n, d), Some(balance), "integrated-gradients")
}

/// Ways from a reference to rows.
struct Way<'a> {
    score: &'a dyn Scored,
    x: &'a [f64],
    reference: &'a [f64],
    /// Points that go through the machine at once.
    at_once: usize,
}

impl Way<'_> {
    /// Points of the ways of some rows.
    fn points(&self, places: &[(usize, f64)]) -> Result<Points> {
        let d = self.reference.len();
        let mut path = Vec::with_capacity(places.len() * d);
        for &(i, t) in places {
            path.extend(self.x[i * d..(i + 1) * d].iter().zip(self.reference).map(|(x, r)| r + t * (x - r)));
        }
        Points::dense(path, places.len(), d)
    }

    /// The middles of pieces.
    fn middles(&self, pieces: &[Piece]) -> Result<Points> {
        self.points(&pieces.iter().map(|p| (p.row, p.from + 0.5 * p.length)).collect::<Vec<_>>())
    }

    /// All ways cut into equal pieces, with the scores at their ends if these are asked for.
    fn cut(&self, count: usize, (start, ends): (f64, &[f64]), scored: bool, run: &Run<'_>) -> Result<Vec<Piece>> {
        let length = 1.0 / count as f64;
        let rows = ends.len();
        let between: Vec<(usize, f64)> =
            (0..rows).flat_map(|i| (1..count).map(move |k| (i, k as f64 * length))).collect();
        let mut seen = vec![0.0; between.len()];
        if scored {
            for (places, seen) in between.chunks(self.at_once).zip(seen.chunks_mut(self.at_once)) {
                run.report(&Progress::of("integrating", 0, rows as u64))?;
                seen.copy_from_slice(&self.score.values(&self.points(places)?, run)?);
            }
        }
        let piece = |i: usize, k: usize| {
            let at = |k: usize| match k {
                0 => start,
                _ if k == count => ends[i],
                _ => seen[i * (count - 1) + k - 1],
            };
            Piece { row: i, from: k as f64 * length, length, scores: [at(k), at(k + 1)] }
        };
        Ok((0..rows).flat_map(|i| (0..count).map(move |k| (i, k))).map(|(i, k)| piece(i, k)).collect())
    }
}

impl Piece {
    /// Both halves; `middle` is the score between them.
    fn halved(&self, middle: f64) -> [Piece; 2] {
        let half = 0.5 * self.length;
        [
            Piece { length: half, scores: [self.scores[0], middle], ..*self },
            Piece { from: self.from + half, length: half, scores: [middle, self.scores[1]], ..*self },
        ]
    }
}
