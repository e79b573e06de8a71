//! Series as lines with bands: learning curves, ROC and precision-recall curves, calibration, objectives by step.
//!
//! A band (lower and upper value at each x) is drawn as a faint area of the line's colour. Values that are not finite
//! (or not above zero on a logarithmic axis) are gaps and are counted in a note. Of the points within one pixel column
//! only the first, lowest, highest and last are drawn, which looks the same and bounds the size of the file.

use base::{Error, Result};

use crate::axis::{self, Axis};
use crate::canvas::{Canvas, Style, px};
use crate::frame::{self, Frame, Plot, Scale, Side};
use crate::legend::{self, Entry, Sign};
use crate::picture::Picture;
use crate::rect::Rect;
use crate::scatter::path;
use crate::theme::{Paint, dash_of};
use crate::{marker, text};

/// Lines over a common horizontal axis.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LinePlot {
    /// Above the picture.
    pub title: String,
    /// Below the horizontal axis.
    pub x_label: String,
    /// Beside the vertical axis.
    pub y_label: String,
    /// The lines.
    pub series: Vec<Series>,
    /// Whether the horizontal axis is logarithmic.
    pub x_log: bool,
    /// Whether the vertical axis is logarithmic.
    pub y_log: bool,
    /// The horizontal range; none: that of the data.
    pub x_range: Option<(f64, f64)>,
    /// The vertical range; none: that of the data.
    pub y_range: Option<(f64, f64)>,
    /// A line to compare with.
    pub reference: Reference,
    /// Whether the plot is as wide as high, as for ROC curves.
    pub square: bool,
    /// Whether each value gets a mark, as for curves of few points.
    pub marks: bool,
}

/// One line.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Horizontal values.
    pub x: Vec<f64>,
    /// Vertical values.
    pub y: Vec<f64>,
    /// Lower and upper edge of the band at each x; empty: none.
    pub band: Vec<(f64, f64)>,
    /// Whether the value holds until the next one (a staircase, as of an empirical ROC curve) instead of a slope.
    pub steps: bool,
}

/// A line to compare with; its name goes into the legend unless it is empty.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Reference {
    /// None.
    #[default]
    None,
    /// y = x.
    Diagonal(String),
    /// y is this everywhere.
    Level(String, f64),
    /// x is this everywhere.
    Upright(String, f64),
}

impl Picture for LinePlot {
    fn title(&self) -> &str {
        &self.title
    }

    fn describe(&self) -> String {
        let names = text::list(self.series.iter().map(|s| s.name.as_str()));
        let names = if names.is_empty() { String::new() } else { format!(" ({names})") };
        let over = match (self.y_label.as_str(), self.x_label.as_str()) {
            ("", "") => String::new(),
            ("", x) => format!(" over {x}"),
            (y, "") => format!(" of {y}"),
            (y, x) => format!(" of {y} over {x}"),
        };
        format!("Line chart{over}: {}{names}.", text::count(self.series.len(), "series", "series"))
    }

    fn height(&self, width: f64) -> f64 {
        (width * if self.square { 0.95 } else { 0.64 }).clamp(240.0, 800.0) + legend::extra(self.series.len(), width)
    }

    fn check(&self) -> Result<()> {
        for series in &self.series {
            if series.x.len() != series.y.len() {
                return Err(Error::size(format!("values of series {:?}", series.name), series.x.len(), series.y.len()));
            }
            if !series.band.is_empty() && series.band.len() != series.x.len() {
                return Err(Error::size(
                    format!("band of series {:?}", series.name),
                    series.x.len(),
                    series.band.len(),
                ));
            }
        }
        for (name, range, log) in [("x_range", self.x_range, self.x_log), ("y_range", self.y_range, self.y_log)] {
            if let Some((low, high)) = range
                && !(Axis::can(log, low) && Axis::can(log, high) && low < high)
            {
                return Err(Error::parameter(
                    name,
                    format!("{low} to {high}"),
                    "must ascend, be finite, and above 0 if logarithmic",
                ));
            }
        }
        Ok(())
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect) -> Result<()> {
        let shown = |x: f64, y: f64| Axis::can(self.x_log, x) && Axis::can(self.y_log, y);
        let pairs = || self.series.iter().flat_map(|s| s.x.iter().copied().zip(s.y.iter().copied()));
        let hidden = pairs().filter(|&(x, y)| !shown(x, y)).count();
        let notes: Vec<String> =
            (hidden > 0).then(|| text::count(hidden, "point not shown", "points not shown")).into_iter().collect();
        let visible = || pairs().filter(|&(x, y)| shown(x, y));
        let bands = || self.series.iter().flat_map(|s| s.band.iter().flat_map(|b| [b.0, b.1]));
        let x = self
            .x_range
            .or_else(|| axis::range(visible().map(|p| p.0), self.x_log).map(|r| axis::widened(r, self.x_log, 0.02)));
        let y = self.y_range.or_else(|| {
            axis::range(visible().map(|p| p.1), self.y_log)?;
            let level = if let Reference::Level(_, v) = self.reference { Some(v) } else { None };
            let all = visible().map(|p| p.1).chain(bands()).chain(level);
            axis::range(all, self.y_log).map(|r| axis::widened(r, self.y_log, 0.05))
        });
        let (Some(x), Some(y), true) = (x, y, visible().next().is_some()) else {
            frame::no_data(canvas, area, &self.title, &notes);
            return Ok(());
        };
        let legend = self.legend();
        let frame = Frame {
            title: &self.title,
            x: Scale { label: &self.x_label, low: x.0, high: x.1, log: self.x_log, marked: None },
            y: Side::Numbers(Scale { label: &self.y_label, low: y.0, high: y.1, log: self.y_log, marked: None }),
            legend: &legend,
            notes: &notes,
            square: self.square,
        };
        let plot = frame.draw(canvas, area);
        // Half a line's width of grace, so that curves along the edge are not cut in half.
        let grace = plot.em / 6.0;
        canvas.begin_clip(&plot.area.inset(-grace));
        self.compare(canvas, &plot);
        for (i, series) in self.series.iter().enumerate().filter(|(_, s)| !s.band.is_empty()) {
            let style = Style { opacity: 0.2, ..Style::fill(Paint::Class(i)) };
            canvas.path(&band(series, &plot), &style);
        }
        for (i, series) in self.series.iter().enumerate() {
            let points = thinned(&stairs(series), &plot.x);
            let style = Style { dash: dash_of(i), ..Style::stroke(Paint::Line(i), plot.em / 6.5) };
            canvas.path(&path(&points, &plot.x, &plot.y), &style);
        }
        canvas.end();
        for (i, series) in self.series.iter().enumerate() {
            // A series of one point has no line: its mark is all there is.
            if self.marks || series.x.len() == 1 {
                let id = marker::define(canvas, i, plot.em * 0.3);
                let inside = |p: &[f64; 2]| shown(p[0], p[1]) && within(p[0], x) && within(p[1], y);
                let points: Vec<[f64; 2]> = series.x.iter().zip(&series.y).map(|(&x, &y)| [x, y]).collect();
                for p in thinned(&points, &plot.x).iter().filter(|p| inside(p)) {
                    canvas.stamp(&id, plot.x.at(p[0]), plot.y.at(p[1]));
                }
            }
        }
        Ok(())
    }
}

impl LinePlot {
    fn legend(&self) -> Vec<Entry> {
        let named = |s: &Series| !s.name.is_empty();
        let mut legend = Vec::new();
        let reference = match &self.reference {
            Reference::None => "",
            Reference::Diagonal(name) | Reference::Level(name, _) | Reference::Upright(name, _) => name.as_str(),
        };
        if self.series.iter().filter(|s| named(s)).count() > 1
            || (!reference.is_empty() && self.series.iter().any(named))
        {
            let entry =
                |(i, s): (usize, &Series)| named(s).then(|| Entry { name: s.name.clone(), sign: Sign::Line(i) });
            legend.extend(self.series.iter().enumerate().filter_map(entry));
        }
        if !reference.is_empty() {
            legend.push(Entry { name: reference.into(), sign: Sign::Reference });
        }
        legend
    }

    fn compare(&self, canvas: &mut Canvas, plot: &Plot) {
        let style = Style { dash: &[3.0, 3.0], ..Style::stroke(Paint::Muted, plot.em / 10.0) };
        let (x, y) = (&plot.x, &plot.y);
        match self.reference {
            Reference::Diagonal(_) => {
                let (low, high) = (x.low.max(y.low), x.high.min(y.high));
                if low < high {
                    canvas.line((x.at(low), y.at(low)), (x.at(high), y.at(high)), &style);
                }
            }
            Reference::Level(_, v) if Axis::can(self.y_log, v) => {
                canvas.line((plot.area.x, y.at(v)), (plot.area.right(), y.at(v)), &style);
            }
            Reference::Upright(_, v) if Axis::can(self.x_log, v) => {
                canvas.line((x.at(v), plot.area.y), (x.at(v), plot.area.bottom()), &style);
            }
            _ => {}
        }
    }
}

fn within(value: f64, (low, high): (f64, f64)) -> bool {
    value >= low && value <= high
}

/// The series' points, with corners in between where it is a staircase.
fn stairs(series: &Series) -> Vec<[f64; 2]> {
    let points = || series.x.iter().zip(&series.y).map(|(&x, &y)| [x, y]);
    if !series.steps {
        return points().collect();
    }
    let mut out: Vec<[f64; 2]> = Vec::with_capacity(2 * series.x.len());
    for p in points() {
        if let Some(&last) = out.last() {
            out.push([p[0], last[1]]);
        }
        out.push(p);
    }
    out
}

/// First, lowest, highest and last of each run of points within one pixel column; gaps are kept.
fn thinned(points: &[[f64; 2]], x: &Axis) -> Vec<[f64; 2]> {
    if points.len() < 2000 {
        return points.to_vec();
    }
    let column = |p: &[f64; 2]| (p[0].is_finite() && p[1].is_finite()).then(|| x.at(p[0]).floor() as i64);
    let mut out = Vec::new();
    for run in points.chunk_by(|a, b| column(a) == column(b)) {
        let mut keep = vec![0, run.len() - 1];
        let by_height = |a: &usize, b: &usize| run[*a][1].total_cmp(&run[*b][1]);
        keep.extend((0..run.len()).min_by(by_height));
        keep.extend((0..run.len()).max_by(by_height));
        keep.sort_unstable();
        keep.dedup();
        out.extend(keep.into_iter().map(|i| run[i]));
    }
    out
}

/// The area between the edges of the band, piece by piece between gaps.
fn band(series: &Series, plot: &Plot) -> String {
    let at = |i: usize| (series.x[i], series.band[i].0, series.band[i].1);
    let can = |&(x, low, high): &(f64, f64, f64)| {
        Axis::can(plot.x.log, x) && Axis::can(plot.y.log, low) && Axis::can(plot.y.log, high)
    };
    let mut kept: Vec<(f64, f64, f64)> = Vec::new();
    let (mut d, mut column) = (String::new(), i64::MIN);
    let mut close = |kept: &mut Vec<(f64, f64, f64)>| {
        let there = kept.iter().map(|p| (p.0, p.2));
        let back = kept.iter().rev().map(|p| (p.0, p.1));
        for (i, (x, y)) in there.chain(back).enumerate() {
            d.push_str(&format!("{}{} {}", if i == 0 { 'M' } else { 'L' }, px(plot.x.at(x)), px(plot.y.at(y))));
        }
        if !kept.is_empty() {
            d.push('Z');
        }
        kept.clear();
    };
    for p in (0..series.x.len()).map(at) {
        if !can(&p) {
            close(&mut kept);
            continue;
        }
        let here = plot.x.at(p.0).floor() as i64;
        match kept.last_mut() {
            // Within one pixel column of a long series only the hull of the band is kept.
            Some(last) if series.x.len() > 2000 && here == column => {
                last.1 = last.1.min(p.1);
                last.2 = last.2.max(p.2);
            }
            _ => kept.push(p),
        }
        column = here;
    }
    close(&mut kept);
    d
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_keeps_every_column_extreme() {
        let points: Vec<[f64; 2]> = (0..50_000).map(|i| [f64::from(i), f64::from(i * 7919 % 1000)]).collect();
        let x = Axis { low: 0.0, high: 50_000.0, log: false, from: 0.0, to: 100.0 };
        let thin = thinned(&points, &x);
        assert!(thin.len() <= 4 * 101);
        let extremes = |all: &[[f64; 2]]| -> Vec<(f64, f64)> {
            let mut out = vec![(f64::INFINITY, f64::NEG_INFINITY); 101];
            for p in all {
                let cell = &mut out[x.at(p[0]).floor() as usize];
                *cell = (cell.0.min(p[1]), cell.1.max(p[1]));
            }
            out
        };
        assert_eq!(extremes(&thin), extremes(&points));
    }

    #[test]
    fn stairs_hold_their_value() {
        let series = Series { x: vec![0.0, 1.0, 3.0], y: vec![0.0, 2.0, 5.0], steps: true, ..Series::default() };
        assert_eq!(stairs(&series), [[0.0, 0.0], [1.0, 0.0], [1.0, 2.0], [3.0, 2.0], [3.0, 5.0]]);
    }
}
