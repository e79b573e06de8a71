//! Points in the plane by class: colour and shape both say the class.
//!
//! Behind the points there may be regions (a grid of classes or of signed scores, as faint colours that suit any
//! ground) and decision lines; single points may be named. Points that fall on the same pixel are drawn once, so a
//! million points make a picture of bounded size.

use std::collections::HashSet;

use base::{Error, Result};

use crate::axis::{self, Axis};
use crate::canvas::{Anchor, Canvas, Style, px};
use crate::colour::{Rgb, diverging};
use crate::frame::{self, Frame, Plot, Scale, Side};
use crate::legend::{self, Entry, Sign};
use crate::picture::Picture;
use crate::rect::Rect;
use crate::theme::Paint;
use crate::{marker, pixels, text};

/// A scatter plot.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScatterPlot {
    /// Above the picture.
    pub title: String,
    /// Below the horizontal axis.
    pub x_label: String,
    /// Beside the vertical axis.
    pub y_label: String,
    /// One pair for each point; pairs that are not finite are counted in a note.
    pub points: Vec<[f64; 2]>,
    /// The class of each point, an index into `names`; empty: all of one class.
    pub classes: Vec<usize>,
    /// The classes' names; with two or more there is a legend.
    pub names: Vec<String>,
    /// What lies behind the points.
    pub regions: Option<PlaneRegions>,
    /// Lines through the plane, such as decision boundaries.
    pub lines: Vec<Vec<[f64; 2]>>,
    /// Names of single points: index and text. Those that find no free place beside their point are left out, as are
    /// all after the first 500.
    pub labels: Vec<(usize, String)>,
    /// Whether one unit is equally long on both axes' full ranges (a square plot).
    pub square: bool,
}

/// A grid over a rectangle of the plane, row after row, the first row at the top (the largest y).
#[derive(Debug, Clone, PartialEq)]
pub struct PlaneRegions {
    /// Cells in a row.
    pub columns: usize,
    /// Number of rows.
    pub rows: usize,
    /// Left and right edge.
    pub x: (f64, f64),
    /// Lower and upper edge.
    pub y: (f64, f64),
    /// What the cells say.
    pub cells: RegionCells,
}

/// What the cells of [`PlaneRegions`] say.
#[derive(Debug, Clone, PartialEq)]
pub enum RegionCells {
    /// The class that wins there.
    Classes(Vec<usize>),
    /// A score whose sign matters; the colour is strongest at the largest absolute value.
    Scores(Vec<f64>),
}

impl RegionCells {
    fn len(&self) -> usize {
        match self {
            RegionCells::Classes(all) => all.len(),
            RegionCells::Scores(all) => all.len(),
        }
    }
}

impl Picture for ScatterPlot {
    fn title(&self) -> &str {
        &self.title
    }

    fn describe(&self) -> String {
        let classes = match self.names.len() {
            0 | 1 => String::new(),
            n => format!(" in {n} classes ({})", text::list(self.names.iter().map(String::as_str))),
        };
        let behind = if self.regions.is_some() { ", with the decision regions of a machine behind them" } else { "" };
        format!("Scatter plot of {}{classes}{behind}.", text::count(self.points.len(), "point", "points"))
    }

    fn height(&self, width: f64) -> f64 {
        (width * if self.square { 0.95 } else { 0.75 }).clamp(240.0, 900.0) + legend::extra(self.names.len(), width)
    }

    fn check(&self) -> Result<()> {
        if !self.classes.is_empty() && self.classes.len() != self.points.len() {
            return Err(Error::size("classes of a scatter plot", self.points.len(), self.classes.len()));
        }
        if let Some(&class) = self.classes.iter().find(|&&c| c >= self.names.len()) {
            return Err(Error::parameter("class", class, format!("must be below the {} names", self.names.len())));
        }
        if let Some((point, _)) = self.labels.iter().find(|(p, _)| *p >= self.points.len()) {
            return Err(Error::parameter("label", point, format!("must be one of the {} points", self.points.len())));
        }
        if let Some(r) = &self.regions {
            let cells = pixels::checked(r.columns, r.rows)?;
            if cells != r.cells.len() {
                return Err(Error::size("cells of the regions", cells, r.cells.len()));
            }
            let edges = [r.x.0, r.x.1, r.y.0, r.y.1];
            if edges.iter().any(|e| !e.is_finite()) || r.x.0 >= r.x.1 || r.y.0 >= r.y.1 || cells == 0 {
                return Err(Error::parameter(
                    "regions",
                    format!("{edges:?}"),
                    "must have finite, ascending edges and cells",
                ));
            }
        }
        Ok(())
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect) -> Result<()> {
        let finite = |p: &[f64; 2]| p[0].is_finite() && p[1].is_finite();
        let hidden = self.points.iter().filter(|p| !finite(p)).count();
        let notes: Vec<String> =
            (hidden > 0).then(|| text::count(hidden, "point not shown", "points not shown")).into_iter().collect();
        let range = |side: usize| {
            let values = self.points.iter().filter(|p| finite(p)).map(|p| p[side]);
            let values = axis::range(values, false).map(|r| axis::widened(r, false, 0.05));
            let grid = self.regions.as_ref().map(|r| if side == 0 { r.x } else { r.y });
            match (values, grid) {
                (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
                (a, b) => a.or(b),
            }
        };
        let (Some(x), Some(y)) = (range(0), range(1)) else {
            frame::no_data(canvas, area, &self.title, &notes);
            return Ok(());
        };
        let mut legend = Vec::new();
        if self.names.len() > 1 {
            let entry = |(i, name): (usize, &String)| Entry { name: name.clone(), sign: Sign::Point(i) };
            legend.extend(self.names.iter().enumerate().map(entry));
        }
        let frame = Frame {
            title: &self.title,
            x: Scale { label: &self.x_label, low: x.0, high: x.1, log: false, marked: None },
            y: Side::Numbers(Scale { label: &self.y_label, low: y.0, high: y.1, log: false, marked: None }),
            legend: &legend,
            notes: &notes,
            square: self.square,
        };
        let plot = frame.draw(canvas, area);
        canvas.begin_clip(&plot.area);
        if let Some(regions) = &self.regions {
            behind(canvas, &plot, regions)?;
        }
        for line in &self.lines {
            let d = path(line, &plot.x, &plot.y);
            canvas.path(&d, &Style::stroke(Paint::Ink, plot.em / 7.0));
        }
        canvas.end();
        self.stamps(canvas, &plot);
        self.names_of_points(canvas, &plot);
        Ok(())
    }
}

impl ScatterPlot {
    /// The points in their own order, so that no class lies on top of all others.
    fn stamps(&self, canvas: &mut Canvas, plot: &Plot) {
        let r = radius(self.points.len(), plot);
        let mut ids: Vec<Option<String>> = vec![None; self.names.len().max(1)];
        let mut taken = HashSet::new();
        for (i, p) in self.points.iter().enumerate().filter(|(_, p)| p[0].is_finite() && p[1].is_finite()) {
            let class = self.classes.get(i).copied().unwrap_or(0);
            let (x, y) = (plot.x.at(p[0]), plot.y.at(p[1]));
            let grain = if self.points.len() > 5000 { 1.0 } else { 10.0 };
            if taken.insert((class, (x * grain) as i64, (y * grain) as i64)) {
                let id = match &ids[class] {
                    Some(id) => id.clone(),
                    None => ids[class].insert(marker::define(canvas, class, r)).clone(),
                };
                canvas.stamp(&id, x, y);
            }
        }
    }

    /// Each name at that of eight places beside its point where it hides the fewest points, meets no other name and
    /// stays inside; the point gets a ring.
    fn names_of_points(&self, canvas: &mut Canvas, plot: &Plot) {
        let em = plot.em;
        let r = radius(self.points.len(), plot);
        let mut taken: Vec<Rect> = Vec::new();
        let around = |p: &[f64; 2]| Rect::new(plot.x.at(p[0]) - r, plot.y.at(p[1]) - r, 2.0 * r, 2.0 * r);
        let marks: Vec<Rect> = match self.labels.is_empty() {
            true => Vec::new(),
            // Among very many points every place hides some, and counting them would take long.
            false if self.points.len() > 20_000 => Vec::new(),
            false => self.points.iter().filter(|p| p[0].is_finite() && p[1].is_finite()).map(around).collect(),
        };
        for (point, name) in self.labels.iter().take(500) {
            let p = self.points[*point];
            if !(p[0].is_finite() && p[1].is_finite()) {
                continue;
            }
            let (x, y) = (plot.x.at(p[0]), plot.y.at(p[1]));
            let name = text::clean(name);
            let Some(shown) = text::fit(&name, em, plot.area.w * 0.45) else { continue };
            let (w, h) = (text::width(&shown, em), 1.15 * em);
            let gap = r + 0.35 * em;
            let places = [
                (x + gap, y - h / 2.0),
                (x - gap - w, y - h / 2.0),
                (x - w / 2.0, y - gap - h),
                (x - w / 2.0, y + gap),
                (x + gap * 0.7, y - gap * 0.7 - h),
                (x - gap * 0.7 - w, y - gap * 0.7 - h),
                (x + gap * 0.7, y + gap * 0.7),
                (x - gap * 0.7 - w, y + gap * 0.7),
            ];
            let free = |r: &Rect| plot.area.holds(r) && !taken.iter().any(|t| t.meets(r));
            let hides = |r: &Rect| marks.iter().filter(|m| m.meets(r)).count();
            if let Some(place) = places.iter().map(|&(x, y)| Rect::new(x, y, w, h)).filter(free).min_by_key(hides) {
                let ring = Rect::new(x, y, 0.0, 0.0).inset(-1.6 * r);
                let d = format!(
                    "M{0} {1}A{2} {2} 0 1 0 {3} {1}A{2} {2} 0 1 0 {0} {1}Z",
                    px(ring.x),
                    px(y),
                    px(1.6 * r),
                    px(ring.right())
                );
                canvas.path(&d, &Style::stroke(Paint::Ink, em / 10.0));
                let veil = Style { opacity: 0.7, ..Style::fill(Paint::Ground) };
                canvas.rect(&place, &veil, None);
                let at = frame::at(place.x, place.middle().1 + text::HALF_FIGURE * em, em, Paint::Ink, Anchor::Start);
                canvas.text_with(&at, &shown, (shown != name).then_some(name.as_str()));
                taken.push(place);
            }
        }
    }
}

/// Fewer points, larger marks.
fn radius(points: usize, plot: &Plot) -> f64 {
    let share = (plot.area.w * plot.area.h / (points.max(1) as f64 * 60.0)).sqrt();
    share.clamp(0.11 * plot.em, 0.36 * plot.em)
}

/// The grid as a faint image: hue and opacity, so that it suits a light and a dark ground.
fn behind(canvas: &mut Canvas, plot: &Plot, regions: &PlaneRegions) -> Result<()> {
    let uri = match &regions.cells {
        RegionCells::Classes(classes) => {
            pixels::uri(regions.columns, regions.rows, |i| (Paint::Class(classes[i]).colour(false), 60))?
        }
        RegionCells::Scores(scores) => {
            let most = scores.iter().filter(|s| s.is_finite()).fold(0.0f64, |m, s| m.max(s.abs()));
            pixels::uri(regions.columns, regions.rows, |i| {
                let share = if most > 0.0 { scores[i] / most } else { 0.0 };
                if share.is_nan() {
                    return (Rgb(128, 128, 128), 0);
                }
                (diverging(share.signum(), false), (share.abs().min(1.0).sqrt() * 150.0) as u8)
            })?
        }
    };
    let (left, right) = (plot.x.at(regions.x.0), plot.x.at(regions.x.1));
    let (top, bottom) = (plot.y.at(regions.y.1), plot.y.at(regions.y.0));
    canvas.image(&Rect::new(left, top, right - left, bottom - top), &uri, "");
    Ok(())
}

/// A line through the points that can be shown; the others are gaps.
pub(crate) fn path(points: &[[f64; 2]], x: &Axis, y: &Axis) -> String {
    let mut d = String::new();
    let mut open = false;
    for p in points {
        if Axis::can(x.log, p[0]) && Axis::can(y.log, p[1]) {
            d.push_str(&format!("{}{} {}", if open { 'L' } else { 'M' }, px(x.at(p[0])), px(y.at(p[1]))));
            open = true;
        } else {
            open = false;
        }
    }
    d
}
