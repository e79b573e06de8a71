//! Sequential minimal optimisation on a working set: two coordinates at a time, chosen by second-order information.
//!
//! The coordinate i with the smallest gradient among those that may grow meets the j among those that may shrink for
//! which the step along (e_i − e_j) lowers the objective most, (g_j − g_i)² / (K_ii + K_jj − 2K_ij). The step is the
//! minimum along that line, or where the box ends.
//!
//! Where that takes long, the coordinates between their bounds are settled all at once now and then ([`crate::face`]).
//!
//! **Cost.** Two passes over the working set a step. **Ends** when the largest violation g_j − g_i is within the
//! tolerance, for each of the groups whose sums are kept.
//!
//! - R.-E. Fan, P.-H. Chen, C.-J. Lin: *Working set selection using second order information for training support
//!   vector machines.* JMLR 6 (2005) 1889–1918.

use base::{Progress, Result, Run};
use numeric::{LEAST_CURVATURE, Real, least};
use std::ops::Range;

/// How many steps pass between two looks at the watch.
const LOOK: u64 = 2048;
/// Steps, for each coordinate and at least, after which the free ones are settled at once.
const LONG: (u64, u64) = (20, 20_000);

/// Some coordinates of a problem with all that is known of them.
pub(crate) struct Working {
    pub beta: Vec<f64>,
    pub low: Vec<f64>,
    pub high: Vec<f64>,
    pub gradient: Vec<f64>,
    pub diagonal: Vec<f64>,
    /// Coordinates before it and from it on each keep their sum.
    pub split: usize,
}

/// How a working set was left.
pub(crate) struct Left {
    pub steps: u64,
    pub interrupted: bool,
}

/// Rows of the kernel among the working set, made when first asked for.
pub(crate) trait WorkingRows<T> {
    /// Makes sure that row `i` is there.
    fn ready(&mut self, i: usize) -> Result<()>;
    /// Row `i`, which was made ready.
    fn row(&self, i: usize) -> &[T];
}

impl Working {
    /// Moves pairs until every violation is within `tolerance`, or `limit` steps were taken.
    pub fn solve<T: Real>(
        &mut self,
        rows: &mut dyn WorkingRows<T>,
        tolerance: f64,
        limit: u64,
        run: &Run<'_>,
    ) -> Result<Left> {
        let n = self.beta.len();
        let blocked = |at_bound: bool, value: f64| if at_bound { value } else { 0.0 };
        let mut up: Vec<f64> = (0..n).map(|i| blocked(self.beta[i] >= self.high[i], f64::INFINITY)).collect();
        let mut down: Vec<f64> = (0..n).map(|i| blocked(self.beta[i] <= self.low[i], f64::NEG_INFINITY)).collect();
        let groups: Vec<Range<usize>> = [0..self.split, self.split..n].into_iter().filter(|g| !g.is_empty()).collect();
        let mut lowest: Vec<(f64, usize)> =
            groups.iter().map(|g| least(&self.gradient[g.clone()], &up[g.clone()])).collect();
        let mut steps = 0;
        let mut settle = LONG.1.max(LONG.0 * n as u64);
        loop {
            if steps >= settle {
                // Where it helped once it will again: bounds are met one after the other.
                settle = steps + if self.settle(rows, run)? { n as u64 } else { LONG.1.max(LONG.0 * n as u64) };
                for k in 0..n {
                    up[k] = blocked(self.beta[k] >= self.high[k], f64::INFINITY);
                    down[k] = blocked(self.beta[k] <= self.low[k], f64::NEG_INFINITY);
                }
                for (g, lowest) in groups.iter().zip(&mut lowest) {
                    *lowest = least(&self.gradient[g.clone()], &up[g.clone()]);
                }
            }
            if steps >= limit {
                return Ok(Left { steps, interrupted: false });
            }
            if steps % LOOK == LOOK - 1
                && run.step(&Progress { stage: "pairs", done: steps, total: None, value: None })?
            {
                return Ok(Left { steps, interrupted: true });
            }
            let mut best: Option<(f64, usize, usize)> = None;
            for (group, &(gi, place)) in groups.iter().zip(&lowest) {
                if gi == f64::INFINITY {
                    continue;
                }
                let i = group.start + place;
                rows.ready(i)?;
                let g = group.clone();
                let (gradient, down) = (&self.gradient[g.clone()], &down[g.clone()]);
                let (row, diagonal) = (&rows.row(i)[g.clone()], &self.diagonal[g]);
                let (promise, j, most) = T::second_order(gradient, down, row, diagonal, gi, self.diagonal[i]);
                if most - gi > tolerance && best.is_none_or(|(p, ..)| promise > p) {
                    best = Some((promise, i, group.start + j));
                }
            }
            let Some((_, i, j)) = best else {
                return Ok(Left { steps, interrupted: false });
            };
            rows.ready(j)?;
            let (row_i, row_j) = (rows.row(i), rows.row(j));
            let curvature = (self.diagonal[i] + self.diagonal[j] - 2.0 * row_i[j].wide()).max(LEAST_CURVATURE);
            let (room_i, room_j) = (self.high[i] - self.beta[i], self.beta[j] - self.low[j]);
            let step = ((self.gradient[j] - self.gradient[i]) / curvature).min(room_i).min(room_j);
            // At a bound the number is that of the bound, not one rounded beside it.
            self.beta[i] = if step >= room_i { self.high[i] } else { self.beta[i] + step };
            self.beta[j] = if step >= room_j { self.low[j] } else { self.beta[j] - step };
            for k in [i, j] {
                up[k] = blocked(self.beta[k] >= self.high[k], f64::INFINITY);
                down[k] = blocked(self.beta[k] <= self.low[k], f64::NEG_INFINITY);
            }
            for (group, lowest) in groups.iter().zip(&mut lowest) {
                let g = group.clone();
                let (a, b) = (&row_i[g.clone()], &row_j[g.clone()]);
                *lowest = T::move_pair(&mut self.gradient[g.clone()], step, a, b, &up[g]);
            }
            steps += 1;
        }
    }
}
