#![allow(unsafe_code, reason = "versions for several instruction sets, made by simd::fastest")]
//! Which of many points can be among the k nearest, judged by distances in single precision of known error.
//!
//! For a fixed query q the order of ‖q − r‖² is that of t = ‖r‖²/2 − qᵀr. If every computed t is within `margin` of the
//! true one and τ is the k-th smallest computed, the k nearest all have a computed t ≤ τ + 2·margin: the k points with
//! t ≤ τ are truly within τ + margin, so the true k-th is, and what is nearer than that shows at most τ + 2·margin.
//! What is kept so contains the answer for certain; computing those few exactly gives it.

use crate::simd::fastest;

/// The candidates for the k nearest of one query.
#[derive(Debug, Clone)]
pub struct Screen {
    k: usize,
    margin: f64,
    /// More candidates than this are given up on.
    limit: usize,
    kept: Vec<(f32, u32)>,
    threshold: f32,
    /// Candidates at which to sift again.
    full: usize,
    overfull: bool,
}

impl Screen {
    /// For the k nearest, given the largest error of a computed t, keeping `limit` candidates at most.
    pub fn new(k: usize, margin: f64, limit: usize) -> Self {
        let usable = margin.is_finite() && margin < 1e30;
        let threshold = if usable && k > 0 { f32::INFINITY } else { f32::NEG_INFINITY };
        Screen { k, margin, limit, kept: vec![], threshold, full: 2 * k.max(16), overfull: !usable }
    }

    /// Shows qᵀr and ‖r‖²/2 of the points `first`, `first + 1`, …
    pub fn show(&mut self, products: &[f32], halves: &[f32], first: u32) {
        keep_below(products, halves, self.threshold, first, &mut self.kept);
        if self.kept.len() >= self.full {
            self.sift();
        }
    }

    /// The candidates; none if there are too many for the error to tell apart.
    pub fn candidates(mut self) -> Option<Vec<u32>> {
        self.sift();
        (!self.overfull).then(|| self.kept.iter().map(|c| c.1).collect())
    }

    fn sift(&mut self) {
        if self.k == 0 || self.kept.len() < self.k {
            return;
        }
        let (_, &mut (tau, _), _) = self.kept.select_nth_unstable_by(self.k - 1, |a, b| a.0.total_cmp(&b.0));
        self.threshold = ((f64::from(tau) + 2.0 * self.margin) as f32).next_up();
        let threshold = self.threshold;
        self.kept.retain(|c| c.0 <= threshold);
        self.full = 2 * self.kept.len().max(16);
        if self.kept.len() > self.limit {
            self.overfull = true;
            self.kept = vec![];
            self.threshold = f32::NEG_INFINITY;
        }
    }
}

fastest! {
    /// Adds t = halves − products and the place `first`, `first + 1`, … wherever t is at most the threshold.
    pub fn keep_below(products: &[f32], halves: &[f32], threshold: f32, first: u32, kept: &mut Vec<(f32, u32)>) {
        const CHUNK: usize = 64;
        for (c, (p, h)) in products.chunks(CHUNK).zip(halves.chunks(CHUNK)).enumerate() {
            // Nearly always there is none, which is found out without a branch for each.
            if p.iter().zip(h).fold(false, |any, (&p, &h)| any | (h - p <= threshold)) {
                let start = first.wrapping_add((c * CHUNK) as u32);
                let seen = p.iter().zip(h).zip(start..).map(|((p, h), place)| (h - p, place));
                kept.extend(seen.filter(|(t, _)| *t <= threshold));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Seed;

    #[test]
    fn the_true_nearest_are_always_kept() {
        for case in 0..200u64 {
            let seed = Seed(case);
            let n = 1 + (seed.fork("n").unit() * 400.0) as usize;
            let k = 1 + (seed.fork("k").unit() * 12.0) as usize;
            let margin = [0.0, 1e-3, 0.05][case as usize % 3];
            // True values with many near ties, seen with errors up to the margin.
            let truth: Vec<f64> = (0..n).map(|i| (seed.at(i).unit() * 100.0).round() / 100.0).collect();
            let seen: Vec<f32> = truth
                .iter()
                .enumerate()
                .map(|(i, t)| (t + 0.99 * margin * (2.0 * seed.at(i).fork("e").unit() - 1.0)) as f32)
                .collect();
            let margin = margin + 1e-7;
            let zeros = vec![0.0; n];
            let mut screen = Screen::new(k, margin, usize::MAX);
            for start in (0..n).step_by(150) {
                let end = n.min(start + 150);
                screen.show(&zeros[start..end], &seen[start..end], start as u32);
            }
            let kept = screen.candidates().unwrap();
            let mut order: Vec<usize> = (0..n).collect();
            order.sort_by(|&a, &b| truth[a].total_cmp(&truth[b]).then(a.cmp(&b)));
            assert!(order.iter().take(k).all(|&i| kept.contains(&(i as u32))), "case {case}");
            let worst = truth[order[k.min(n) - 1]] + 4.0 * margin + 1e-6;
            assert!(kept.len() <= k || kept.iter().all(|&i| truth[i as usize] <= worst), "case {case} keeps too many");
        }
    }

    #[test]
    fn what_cannot_be_told_apart_is_said() {
        let (ones, zeros) = (vec![1.0; 1000], vec![0.0; 1000]);
        let shown = |margin: f64, limit: usize| {
            let mut screen = Screen::new(3, margin, limit);
            screen.show(&zeros, &ones, 0);
            screen.candidates()
        };
        assert!(shown(1e-6, 100).is_none() && shown(f64::INFINITY, 2000).is_none() && shown(f64::NAN, 2000).is_none());
        assert_eq!(shown(1e-6, 1000).map(|c| c.len()), Some(1000));
    }
}
