//! From values to places: ranges of data, and axes that map them to pixels, over all finite numbers.

/// A straight or logarithmic map from values to pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Axis {
    pub low: f64,
    pub high: f64,
    pub log: bool,
    /// The pixel of `low`.
    pub from: f64,
    /// The pixel of `high`.
    pub to: f64,
}

impl Axis {
    /// The pixel of a value; values far outside come to lie a page away, not farther.
    pub fn at(&self, value: f64) -> f64 {
        let place = |v: f64| if self.log { v.max(f64::MIN_POSITIVE).log10() } else { v / 2.0 };
        let (low, high) = (place(self.low), place(self.high));
        let share = (place(value) - low) / (high - low);
        let share = if share.is_nan() { 0.5 } else { share.clamp(-10.0, 11.0) };
        self.from + (self.to - self.from) * share
    }

    /// Whether a value can be shown: a finite number, and above zero on a logarithmic axis.
    pub fn can(log: bool, value: f64) -> bool {
        value.is_finite() && (!log || value >= f64::MIN_POSITIVE)
    }
}

/// Smallest and largest of the values that can be shown.
pub(crate) fn range(values: impl Iterator<Item = f64>, log: bool) -> Option<(f64, f64)> {
    values.filter(|&v| Axis::can(log, v)).fold(None, |range, v| {
        let (low, high) = range.unwrap_or((v, v));
        Some((low.min(v), high.max(v)))
    })
}

/// A range with room at both ends, and never empty: a single value becomes the middle of a range of its own size.
pub(crate) fn widened((low, high): (f64, f64), log: bool, share: f64) -> (f64, f64) {
    if log {
        let (a, b) = (low.log10(), high.log10());
        let room = if b - a < 1e-9 { 0.5 } else { (b - a) * share };
        let end = |e: f64| 10f64.powf(e.clamp(-307.0, 308.0));
        return (end(a - room).min(low), end(b + room).max(high));
    }
    let size = low.abs().max(high.abs());
    let half = high / 2.0 - low / 2.0;
    let room = if half <= size * 1e-10 || half < 1e-307 {
        if size < 1e-300 { 1.0 } else { (size * 0.5).max(half) }
    } else {
        2.0 * (half * share)
    };
    ((low - room).max(-f64::MAX), (high + room).min(f64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_meet_the_edges_for_all_magnitudes() {
        for (low, high) in [(0.0, 1.0), (-1.7e308, 1.7e308), (1e-300, 3e-300), (-5.0, 1e300), (1e9, 1e9 + 1e-3)] {
            let axis = Axis { low, high, log: false, from: 10.0, to: 110.0 };
            assert_eq!((axis.at(low), axis.at(high)), (10.0, 110.0));
            let middle = low / 2.0 + high / 2.0;
            assert!((axis.at(middle) - 60.0).abs() < 0.05, "{low} {high}");
        }
        let axis = Axis { low: 1e-300, high: 1e300, log: true, from: 0.0, to: 600.0 };
        assert!((axis.at(1.0) - 300.0).abs() < 1e-9 && (axis.at(1e100) - 400.0).abs() < 1e-9);
        assert!(axis.at(0.0).abs() < 1e4);
    }

    #[test]
    fn ranges_are_never_empty() {
        for (low, high) in [(0.0, 0.0), (3.0, 3.0), (-1e308, -1e308), (5e-324, 5e-324), (1.0, 1.0 + 1e-15), (-2.0, 7.0)]
        {
            let (a, b) = widened((low, high), false, 0.05);
            assert!(a < low && b > high && a.is_finite() && b.is_finite(), "{low} {high}: {a} {b}");
        }
        for (low, high) in [(1.0, 1.0), (1e-300, 1e300), (2.3e-308, 2.3e-308), (1.7e308, 1.7e308)] {
            let (a, b) = widened((low, high), true, 0.05);
            assert!(a > 0.0 && a <= low && b >= high && a < b && b.is_finite(), "{low} {high}: {a} {b}");
        }
        assert_eq!(range([f64::NAN, 2.0, f64::INFINITY, -1.0].into_iter(), false), Some((-1.0, 2.0)));
        assert_eq!(range([0.0, -1.0].into_iter(), true), None);
    }
}
