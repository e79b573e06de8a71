//! Groups side by side: box, whiskers and, for small groups, every value.
//!
//! The box goes from the first to the third quartile (linear interpolation, as in R's type 7 and NumPy), the line in it
//! is the median; whiskers reach the farthest values within 1.5 box lengths (J. W. Tukey, *Exploratory data analysis*,
//! 1977). Up to 200 values of a group are drawn each where rows are high enough, else only those
//! beyond the whiskers.

use base::Result;

use crate::axis;
use crate::canvas::{Canvas, Style, px};
use crate::frame::{self, Frame, Plot, Scale, Side};
use crate::histogram::{Group, not_shown};
use crate::picture::{Picture, letters};
use crate::rect::Rect;
use crate::text;
use crate::theme::Paint;

/// Up to how many values are all drawn.
const ALL: usize = 200;

/// Box plots, one row for each group.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Boxes {
    /// Above the picture.
    pub title: String,
    /// Below the axis.
    pub x_label: String,
    /// The groups, from the top.
    pub groups: Vec<Group>,
}

impl Picture for Boxes {
    fn title(&self) -> &str {
        &self.title
    }

    fn describe(&self) -> String {
        let median =
            |g: &Group| summary(&g.values).map(|s| format!("{} {}", g.name, crate::number::number(s.median, 3)));
        let medians: Vec<String> = self.groups.iter().filter_map(median).collect();
        let medians = if medians.is_empty() {
            String::new()
        } else {
            format!("; medians: {}", text::list(medians.iter().map(String::as_str)))
        };
        format!("Box plot of {}{medians}.", text::count(self.groups.len(), "group", "groups"))
    }

    fn height(&self, width: f64) -> f64 {
        let em = letters(width);
        (self.groups.len().clamp(2, 200) as f64 * 2.8 * em + 8.0 * em).max(160.0)
    }

    fn check(&self) -> Result<()> {
        Ok(())
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect) -> Result<()> {
        let notes = not_shown(&self.groups);
        let all = self.groups.iter().flat_map(|g| &g.values).copied();
        let Some(range) = axis::range(all, false) else {
            frame::no_data(canvas, area, &self.title, &notes);
            return Ok(());
        };
        let (low, high) = axis::widened(range, false, 0.04);
        let names: Vec<String> = self.groups.iter().map(|g| g.name.clone()).collect();
        let frame = Frame {
            title: &self.title,
            x: Scale { label: &self.x_label, low, high, log: false, marked: None },
            y: Side::Names(&names),
            legend: &[],
            notes: &notes,
            square: false,
        };
        let plot = frame.draw(canvas, area);
        let pitch = plot.area.h / self.groups.len() as f64;
        for (i, group) in self.groups.iter().enumerate() {
            row(canvas, &plot, &group.values, plot.y.at(i as f64 + 0.5), pitch);
        }
        Ok(())
    }
}

fn row(canvas: &mut Canvas, plot: &Plot, values: &[f64], y: f64, pitch: f64) {
    let Some(s) = summary(values) else { return };
    let em = plot.em;
    let half = (pitch * 0.3).min(1.1 * em);
    let x = |v: f64| plot.x.at(v);
    let stroke = Style::stroke(Paint::Line(0), em / 8.0);
    let (a, b) = (x(s.whiskers.0), x(s.whiskers.1));
    let tips = format!(
        "M{0} {4}H{1}M{2} {4}H{3}M{0} {5}V{6}M{3} {5}V{6}",
        px(a),
        px(x(s.quartiles.0)),
        px(x(s.quartiles.1)),
        px(b),
        px(y),
        px(y - half * 0.5),
        px(y + half * 0.5)
    );
    canvas.path(&tips, &stroke);
    let body = Rect::new(x(s.quartiles.0), y - half, x(s.quartiles.1) - x(s.quartiles.0), 2.0 * half);
    canvas.rect(&body, &Style { opacity: 0.25, ..Style::fill(Paint::Class(0)) }, None);
    canvas.rect(&body, &stroke, None);
    let dot = Style { opacity: 0.55, ..Style::fill(Paint::Muted) };
    let id = canvas.define(&crate::marker::outline(0, em * 0.16), &dot);
    let finite = || values.iter().copied().filter(|v| v.is_finite());
    let each = finite().count() <= ALL && pitch >= 1.6 * em;
    let mut seen = std::collections::HashSet::new();
    for (i, v) in finite().enumerate() {
        let outside = v < s.whiskers.0 || v > s.whiskers.1;
        if each || outside {
            // Values are spread by the golden ratio, which is even and the same each time.
            let spread = if each { (i as f64 * 0.618_033_988_749_894_9).fract() - 0.5 } else { 0.0 };
            let (px_, py_) = (x(v), y + spread * 1.3 * half);
            if seen.insert(((px_ * 4.0) as i64, (py_ * 4.0) as i64)) {
                canvas.stamp(&id, px_, py_);
            }
        }
    }
    let m = x(s.median);
    canvas.line((m, y - half), (m, y + half), &Style::stroke(Paint::Ink, em / 5.0));
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Summary {
    median: f64,
    quartiles: (f64, f64),
    whiskers: (f64, f64),
}

fn summary(values: &[f64]) -> Option<Summary> {
    let mut all: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    all.sort_unstable_by(f64::total_cmp);
    let (q1, q3) = (quantile(&all, 0.25), quantile(&all, 0.75));
    let reach = 1.5 * (q3 - q1);
    let inside = |v: &&f64| **v >= q1 - reach && **v <= q3 + reach;
    let low = all.iter().find(inside).copied()?;
    let high = all.iter().rfind(inside).copied()?;
    Some(Summary { median: quantile(&all, 0.5), quartiles: (q1, q3), whiskers: (low.min(q1), high.max(q3)) })
}

/// The quantile of ascending finite values by linear interpolation; 0 if there are none.
pub(crate) fn quantile(sorted: &[f64], p: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
    let place = p * last as f64;
    let (i, t) = (place.floor() as usize, place.fract());
    let next = sorted[(i + 1).min(last)];
    sorted[i] * (1.0 - t) + next * t
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_of_numpy() {
        // numpy.percentile([1, 2, 4, 7, 11, 40], [25, 50, 75]) = 2.5, 5.5, 10
        let s = summary(&[40.0, 1.0, 2.0, f64::NAN, 4.0, 7.0, 11.0]).unwrap();
        assert_eq!((s.quartiles, s.median), ((2.5, 10.0), 5.5));
        // 10 + 1.5·7.5 = 21.25: 40 lies beyond, 11 is the farthest within.
        assert_eq!(s.whiskers, (1.0, 11.0));
        assert_eq!(summary(&[f64::NAN]), None);
        assert_eq!(summary(&[5.0]).unwrap().whiskers, (5.0, 5.0));
        let huge = summary(&[-1.7e308, -1e308, 1e308, 1.7e308]).unwrap();
        assert!(huge.quartiles.0.is_finite() && huge.quartiles.1.is_finite());
    }
}
