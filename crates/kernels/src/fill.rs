//! A first feasible point: coordinates at their bounds until their sum is reached.

/// Fills coordinates up to their bounds, spread over all of them, until they sum to `total` (of the sign of the bounds).
pub(crate) fn fill(start: &mut [f64], bounds: &[f64], total: f64) {
    let n = start.len();
    // A step that shares no factor with the count visits all places, far from their neighbours.
    let mut step = (n as f64 * 0.618) as usize;
    while step > 1 && common(step, n) != 1 {
        step -= 1;
    }
    fill_by(
        start,
        bounds,
        total,
        (0..n).scan(0, |at, _| {
            let here = *at;
            *at = (here + step.max(1)) % n;
            Some(here)
        }),
    );
}

/// The same in this order.
pub(crate) fn fill_by(start: &mut [f64], bounds: &[f64], total: f64, order: impl Iterator<Item = usize>) {
    let mut left = total;
    for at in order {
        let bound = bounds[at];
        start[at] = if left.abs() > bound.abs() { bound } else { left };
        left -= start[at];
        if left == 0.0 {
            return;
        }
    }
}

/// The greatest common factor.
fn common(a: usize, b: usize) -> usize {
    if b == 0 { a } else { common(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_met_within_the_bounds() {
        for n in 1..40 {
            for share in [0.01, 0.3, 1.0] {
                let bounds: Vec<f64> = (0..n).map(|i| 1.0 + (i % 3) as f64).collect();
                let total = share * bounds.iter().sum::<f64>();
                let mut start = vec![0.0; n];
                fill(&mut start, &bounds, total);
                assert!((start.iter().sum::<f64>() - total).abs() < 1e-12 * (1.0 + total));
                assert!(start.iter().zip(&bounds).all(|(s, b)| *s >= 0.0 && s <= b));
                let turned: Vec<f64> = bounds.iter().map(|b| -b).collect();
                let mut down = vec![0.0; n];
                fill(&mut down, &turned, -total);
                assert!(down.iter().zip(&start).all(|(d, s)| *d == -s));
            }
        }
    }
}
