//! Named signed values as horizontal bars: relevances, weights, measures with intervals.
//!
//! Where the sign is the message, positive bars are vermillion and negative ones blue, as in the signed maps; else all
//! bars are blue. Intervals are whiskers; the value stands
//! beside its bar. Rows that do not fit are counted in a note, so give the most important first or ask
//! [`Picture::height`] for the height that holds them all.

use base::{Error, Result};

use crate::axis;
use crate::canvas::{Anchor, Canvas, Style, px};
use crate::frame::{self, Frame, Plot, Scale, Side};
use crate::number::number;
use crate::picture::{Picture, letters};
use crate::rect::Rect;
use crate::text::{self, HALF_FIGURE};
use crate::theme::Paint;

/// A bar chart.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bars {
    /// Above the picture.
    pub title: String,
    /// Below the axis.
    pub x_label: String,
    /// One name for each bar, from the top.
    pub names: Vec<String>,
    /// One value for each bar.
    pub values: Vec<f64>,
    /// Lower and upper end of each value's interval; empty: none.
    pub intervals: Vec<(f64, f64)>,
    /// The range of the axis, widened to hold zero; none: that of the data.
    pub range: Option<(f64, f64)>,
    /// Whether colours say the sign; they always do where a value is negative.
    pub signed: bool,
}

impl Picture for Bars {
    fn title(&self) -> &str {
        &self.title
    }

    fn describe(&self) -> String {
        let largest = (0..self.values.len())
            .filter(|&i| self.values[i].is_finite())
            .max_by(|&a, &b| self.values[a].abs().total_cmp(&self.values[b].abs()));
        let largest = largest.map_or(String::new(), |i| {
            let name = self.names.get(i).map_or("", String::as_str);
            format!("; the largest in size is {name} with {}", number(self.values[i], 3))
        });
        format!("Bar chart of {}{largest}.", text::count(self.values.len(), "value", "values"))
    }

    fn height(&self, width: f64) -> f64 {
        let em = letters(width);
        let rows = self.values.len().clamp(2, 400) as f64;
        (rows * 1.75 * em + 8.0 * em).max(130.0)
    }

    fn check(&self) -> Result<()> {
        if self.names.len() != self.values.len() {
            return Err(Error::size("names of bars", self.values.len(), self.names.len()));
        }
        if !self.intervals.is_empty() && self.intervals.len() != self.values.len() {
            return Err(Error::size("intervals of bars", self.values.len(), self.intervals.len()));
        }
        match self.range {
            Some((low, high)) if !(low.is_finite() && high.is_finite() && low < high) => {
                Err(Error::parameter("range", format!("{low} to {high}"), "must ascend and be finite"))
            }
            _ => Ok(()),
        }
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect) -> Result<()> {
        let em = letters(area.w);
        let finite: Vec<usize> = (0..self.values.len()).filter(|&i| self.values[i].is_finite()).collect();
        let most = (((area.h - 8.5 * em) / (1.2 * em)).floor().max(1.0)) as usize;
        let shown = &finite[..finite.len().min(most)];
        let mut notes = Vec::new();
        if finite.len() > shown.len() {
            notes.push(text::count(finite.len() - shown.len(), "more bar not shown", "more bars not shown"));
        }
        if finite.len() < self.values.len() {
            let missing = self.values.len() - finite.len();
            notes.push(text::count(missing, "value not shown", "values not shown"));
        }
        let intervals = || shown.iter().filter_map(|&i| self.intervals.get(i)).flat_map(|v| [v.0, v.1]);
        let all = shown.iter().map(|&i| self.values[i]).chain(intervals()).chain([0.0]);
        let (Some(range), false) = (axis::range(all, false), shown.is_empty()) else {
            frame::no_data(canvas, area, &self.title, &notes);
            return Ok(());
        };
        // A bar ends at its value, so zero is an end of the axis where all have one sign.
        let range = self.range.map_or(range, |r| (r.0.min(0.0), r.1.max(0.0)));
        let (low, high) = if range.0 == range.1 { (-1.0, 1.0) } else { axis::widened(range, false, 0.04) };
        let (low, high) = (if range.0 == 0.0 { 0.0 } else { low }, if range.1 == 0.0 { 0.0 } else { high });
        let (low, high) = if low == high { (-1.0, 1.0) } else { (low, high) };
        let marked = self.range.map(|_| range);
        let names: Vec<String> = shown.iter().map(|&i| self.names[i].clone()).collect();
        // Labels beside the bars need room within the axis: as much as the widest takes, on the sides that are in use.
        let labels: Vec<String> = shown.iter().map(|&i| number(self.values[i], 3)).collect();
        let widest = labels.iter().map(|l| text::width(l, em)).fold(0.0, f64::max) + 0.8 * em;
        let share = (widest / (area.w * 0.55)).min(0.4);
        let (low, high) = {
            let half = (high / 2.0 - low / 2.0) / (1.0 - share) - (high / 2.0 - low / 2.0);
            let more = |end: f64, by: f64| (end + 2.0 * by).clamp(-f64::MAX, f64::MAX);
            (if low < 0.0 { more(low, -half) } else { low }, if high > 0.0 { more(high, half) } else { high })
        };
        let frame = Frame {
            title: &self.title,
            x: Scale { label: &self.x_label, low, high, log: false, marked },
            y: Side::Names(&names),
            legend: &[],
            notes: &notes,
            square: false,
        };
        let plot = frame.draw(canvas, area);
        let pitch = plot.area.h / shown.len() as f64;
        let thickness = (pitch * 0.68).min(2.2 * em);
        for (row, &i) in shown.iter().enumerate() {
            let y = plot.y.at(row as f64 + 0.5);
            self.bar(canvas, &plot, i, y, thickness, &labels[row]);
        }
        let zero = plot.x.at(0.0);
        canvas.line((zero, plot.area.y), (zero, plot.area.bottom()), &Style::stroke(Paint::Ink, em / 11.0));
        Ok(())
    }
}

impl Bars {
    fn bar(&self, canvas: &mut Canvas, plot: &Plot, i: usize, y: f64, thickness: f64, label: &str) {
        let em = plot.em;
        let value = self.values[i];
        let keep = |v: f64| plot.x.at(v).clamp(plot.area.x, plot.area.right());
        let (zero, end) = (keep(0.0), keep(value));
        let signed = self.signed || self.values.iter().any(|&v| v < 0.0);
        let paint = Paint::Class(usize::from(signed && value >= 0.0));
        let bar = Rect::new(zero.min(end), y - thickness / 2.0, (end - zero).abs(), thickness);
        canvas.rect(&bar, &Style::fill(paint), Some(&format!("{}: {}", self.names[i], number(value, 6))));
        let mut reach = (bar.x, bar.right());
        if let Some(&(low, high)) = self.intervals.get(i)
            && low.is_finite()
            && high.is_finite()
        {
            let (a, b, tip) = (keep(low), keep(high), thickness * 0.22);
            let d = format!("M{0} {1}H{2}M{0} {3}V{4}M{2} {3}V{4}", px(a), px(y), px(b), px(y - tip), px(y + tip));
            canvas.path(&d, &Style::stroke(Paint::Ink, em / 9.0));
            reach = (reach.0.min(a).min(b), reach.1.max(a).max(b));
        }
        let width = text::width(label, em);
        let (x, anchor) =
            if value < 0.0 { (reach.0 - 0.35 * em, Anchor::End) } else { (reach.1 + 0.35 * em, Anchor::Start) };
        let fits = if value < 0.0 { x - width >= plot.area.x } else { x + width <= plot.area.right() + 0.6 * em };
        if fits {
            canvas.text(&frame::at(x, y + HALF_FIGURE * em, em, Paint::Ink, anchor), label);
        }
    }
}
