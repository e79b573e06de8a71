//! A series over time with relevance behind it: a strip for each moment, coloured by the signed map.

use base::{Error, Result};

use crate::axis;
use crate::canvas::{Canvas, Style, px};
use crate::colour::diverging;
use crate::frame::{self, Frame, Scale, Side};
use crate::picture::Picture;
use crate::pixels;
use crate::rect::Rect;
use crate::text;
use crate::theme::Paint;

/// A series with relevance.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Strips {
    /// Above the picture.
    pub title: String,
    /// Below the axis.
    pub x_label: String,
    /// The channels, each with a number for each moment.
    pub series: Vec<Vec<f64>>,
    /// Relevance of each moment; 0 is neutral, the strongest colours are the largest in size.
    pub relevance: Vec<f64>,
}

impl Picture for Strips {
    fn title(&self) -> &str {
        &self.title
    }

    fn describe(&self) -> String {
        let moments = text::count(self.relevance.len(), "moment", "moments");
        format!(
            "Time series of {moments} with {}, relevance as coloured strips.",
            text::count(self.series.len(), "line", "lines")
        )
    }

    fn height(&self, width: f64) -> f64 {
        (width * 0.45).clamp(160.0, 500.0)
    }

    fn check(&self) -> Result<()> {
        pixels::checked(self.relevance.len(), 1)?;
        match self.series.iter().find(|s| s.len() != self.relevance.len()) {
            Some(other) => Err(Error::size("steps of a time series", self.relevance.len(), other.len())),
            None => Ok(()),
        }
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect) -> Result<()> {
        let count = self.relevance.len();
        let hidden = self.series.iter().flatten().filter(|v| !v.is_finite()).count();
        let notes: Vec<String> =
            (hidden > 0).then(|| text::count(hidden, "value not shown", "values not shown")).into_iter().collect();
        let range = axis::range(self.series.iter().flatten().copied(), false);
        let (Some(range), true) = (range, count > 0) else {
            frame::no_data(canvas, area, &self.title, &notes);
            return Ok(());
        };
        let (low, high) =
            if range.0 == range.1 { axis::widened(range, false, 0.5) } else { axis::widened(range, false, 0.06) };
        let end = count as f64 - 0.5;
        let frame = Frame {
            title: &self.title,
            x: Scale { label: &self.x_label, low: -0.5, high: end, log: false, marked: Some((0.0, end.max(1.0))) },
            y: Side::Numbers(Scale { label: "", low, high, log: false, marked: None }),
            legend: &[],
            notes: &notes,
            square: false,
        };
        let plot = frame.draw(canvas, area);
        let most = self.relevance.iter().filter(|r| r.is_finite()).fold(0.0, |m: f64, r| m.max(r.abs()));
        let uri = pixels::uri(count, 1, |i| {
            let share = if most > 0.0 { self.relevance[i] / most } else { 0.0 };
            // Strength is opacity, so that lines are seen on a light and on a dark ground.
            let opacity = if share.is_finite() { (190.0 * share.abs()).round() as u8 } else { 0 };
            (diverging(share.signum(), false), opacity)
        })?;
        canvas.image(&plot.area, &uri, "");
        for channel in &self.series {
            let mut path = String::new();
            let mut pen = 'M';
            for (i, v) in channel.iter().enumerate() {
                if v.is_finite() {
                    path += &format!("{pen}{} {}", px(plot.x.at(i as f64)), px(plot.y.at(*v)));
                }
                pen = if v.is_finite() { 'L' } else { 'M' };
            }
            if !path.is_empty() {
                canvas.path(&path, &Style::stroke(Paint::Ink, plot.em / 9.0));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Look;

    #[test]
    fn lines_stop_at_gaps_and_lengths_must_agree() {
        let series = vec![vec![0.0, 1.0, f64::NAN, 2.0, 3.0]];
        let strips = Strips { series, relevance: vec![0.0, 1.0, -1.0, 0.5, f64::NAN], ..Strips::default() };
        let svg = strips.to_svg(&Look::default()).unwrap();
        let path = svg.lines().find(|l| l.contains("<path d=\"M") && l.matches('M').count() == 2);
        assert!(path.is_some_and(|p| p.matches('L').count() == 2), "two pieces: {svg}");
        assert_eq!((svg.matches("<image").count(), svg.contains("1 value not shown")), (1, true));
        let wrong = Strips { relevance: vec![1.0], ..strips };
        assert!(wrong.to_svg(&Look::default()).is_err());
    }
}
