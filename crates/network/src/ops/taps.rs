//! Which elements of an axis make an element of the resampled one, and with what weights.

use super::resize::{Resize, Scaled};
use base::graph::Resizing;
use base::{Error, Hold, Result, Run};

/// For each new element old ones and weights.
pub(super) struct Taps {
    /// Where the taps of an element begin; one more at the end.
    starts: Vec<usize>,
    taps: Vec<(usize, f64)>,
    _hold: Hold,
}

impl Taps {
    /// The taps of one axis.
    pub fn new(op: &Resize<'_>, axis: Scaled, run: &Run<'_>) -> Result<Self> {
        let shrink = if op.smooth { axis.scale.min(1.0) } else { 1.0 };
        let reach = if op.resizing == Resizing::Cubic { 2.0 } else { 1.0 };
        // Neighbours from this many to the left (and one less) to as many to the right.
        let half = (reach / shrink).ceil();
        let each = 2.0 * half;
        let bytes = axis.m as f64 * (each + 1.0) * size_of::<(usize, f64)>() as f64;
        let hold = run.memory.take(bytes as u64, "weights of a resize")?;
        let mut all = Taps { starts: vec![0], taps: vec![], _hold: hold };
        for i in 0..axis.m {
            let x = place(op.places, axis, i)?;
            let (left, half) = (x.floor(), half as i64);
            let mut found: Vec<(usize, f64)> = vec![];
            for k in 1 - half..=half {
                let at = left + k as f64;
                let weight = filter(op, (at - x) * shrink);
                let inside = at.clamp(0.0, (axis.n - 1) as f64);
                if weight == 0.0 || op.exclude && inside != at {
                    continue;
                }
                match found.last_mut() {
                    Some((last, sum)) if *last == inside as usize => *sum += weight,
                    _ => found.push((inside as usize, weight)),
                }
            }
            if op.exclude || shrink < 1.0 {
                let sum: f64 = found.iter().map(|(_, w)| w).sum();
                found.iter_mut().for_each(|(_, w)| *w /= sum);
            }
            all.taps.extend(found);
            all.starts.push(all.taps.len());
        }
        Ok(all)
    }

    /// Old elements and weights of a new element.
    pub fn of(&self, i: usize) -> impl Iterator<Item = (usize, f64)> {
        self.taps[self.starts[i]..self.starts[i + 1]].iter().copied()
    }
}

/// The weight of an element that far away.
fn filter(op: &Resize<'_>, distance: f64) -> f64 {
    let (x, a) = (distance.abs(), op.cubic);
    match op.resizing {
        Resizing::Cubic if x <= 1.0 => ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0,
        Resizing::Cubic if x < 2.0 => ((x - 5.0) * x + 8.0) * x * a - 4.0 * a,
        Resizing::Cubic => 0.0,
        _ => (1.0 - x).max(0.0),
    }
}

/// Where a new element lies among the old ones.
pub(super) fn place(word: &str, axis: Scaled, i: usize) -> Result<f64> {
    let (i, half) = (i as f64, (i as f64 + 0.5) / axis.scale - 0.5);
    Ok(match word {
        "half_pixel" => half,
        "pytorch_half_pixel" if axis.m > 1 => half,
        "pytorch_half_pixel" => 0.0,
        "asymmetric" => i / axis.scale,
        "align_corners" if axis.m > 1 => i * (axis.n as f64 - 1.0) / (axis.m as f64 - 1.0),
        "align_corners" => 0.0,
        _ => {
            let instead = "use half_pixel, pytorch_half_pixel, align_corners or asymmetric";
            return Err(Error::unsupported(format!("the coordinate mapping {word:?}"), "resize", instead));
        }
    })
}

/// A place rounded to an element.
pub(super) fn rounded(word: &str, x: f64) -> Result<f64> {
    Ok(match word {
        "round_prefer_floor" => (x - 0.5).ceil(),
        "round_prefer_ceil" => (x + 0.5).floor(),
        "floor" => x.floor(),
        "ceil" => x.ceil(),
        _ => {
            let instead = "use round_prefer_floor, round_prefer_ceil, floor or ceil";
            return Err(Error::unsupported(format!("the rounding {word:?}"), "resize", instead));
        }
    })
}
