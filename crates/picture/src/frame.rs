//! The frame of a plot: title, legend, notes, axes with ticks and grid, and the rectangle left for the data.
//!
//! Everything is measured before it is drawn, and the plot gets what is left: as many ticks as fit without touching,
//! names cut to at most two fifths of the width.

use crate::axis::Axis;
use crate::canvas::{Anchor, At, Canvas, Style};
use crate::legend::{self, Entry};
use crate::picture::letters;
use crate::rect::Rect;
use crate::text::{self, ASCENT, HALF_FIGURE, LINE};
use crate::theme::Paint;
use crate::ticks::{self, Ticks};

/// An axis as asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale<'a> {
    pub label: &'a str,
    pub low: f64,
    pub high: f64,
    pub log: bool,
    /// Where ticks may be, if not everywhere: an axis may be longer than what it measures, to make room for labels.
    pub marked: Option<(f64, f64)>,
}

/// What stands at the left of the plot.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Side<'a> {
    Numbers(Scale<'a>),
    /// One name for each row, from the top.
    Names(&'a [String]),
}

/// All that surrounds the data.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame<'a> {
    pub title: &'a str,
    pub x: Scale<'a>,
    pub y: Side<'a>,
    pub legend: &'a [Entry],
    pub notes: &'a [String],
    /// Whether the plot must be as wide as it is high.
    pub square: bool,
}

/// Where the data go.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plot {
    pub area: Rect,
    pub x: Axis,
    /// For names: row i is centred at i + ½.
    pub y: Axis,
    pub em: f64,
}

/// Margin, title and notes, common to all kinds; returns what is left and the height of letters.
pub(crate) fn surround(canvas: &mut Canvas, area: Rect, title: &str, notes: &[String]) -> (Rect, f64) {
    let em = letters(area.w);
    let mut inner = area.inset(0.7 * em);
    let size = 1.15 * em;
    let title = text::clean(title);
    let (lines, cut) = text::wrap(&title, size, inner.w, 2);
    let tip = cut.then_some(title.as_str());
    for line in &lines {
        let strip = inner.take_top(LINE * size);
        let at = At { y: strip.y + ASCENT * size, ..at(strip.x, 0.0, size, Paint::Ink, Anchor::Start) };
        canvas.text_with(&at, line, tip);
    }
    if !lines.is_empty() {
        inner.take_top(0.5 * em);
    }
    let all = text::clean(&notes.join(" · "));
    let (lines, cut) = text::wrap(&all, em, inner.w, 2);
    let mut strip = inner.take_bottom(lines.len() as f64 * LINE * em);
    if !lines.is_empty() {
        inner.take_bottom(0.3 * em);
    }
    for line in &lines {
        let row = strip.take_top(LINE * em);
        let at = at(row.x, row.y + ASCENT * em, em, Paint::Muted, Anchor::Start);
        canvas.text_with(&at, line, cut.then_some(all.as_str()));
    }
    (inner, em)
}

/// An empty frame that says so.
pub(crate) fn no_data(canvas: &mut Canvas, area: Rect, title: &str, notes: &[String]) {
    let (inner, em) = surround(canvas, area, title, notes);
    canvas.rect(&inner, &Style::stroke(Paint::Grid, 1.0), None);
    let (x, y) = inner.middle();
    canvas.text_in(&at(x, y + HALF_FIGURE * em, em, Paint::Muted, Anchor::Middle), "no data", inner.w);
}

/// Upright text.
pub(crate) fn at(x: f64, y: f64, size: f64, paint: Paint, anchor: Anchor) -> At {
    At { x, y, size, paint, anchor, turn: 0.0 }
}

impl Frame<'_> {
    /// Draws the frame and returns the place of the data.
    pub fn draw(&self, canvas: &mut Canvas, area: Rect) -> Plot {
        let (mut inner, em) = surround(canvas, area, self.title, self.notes);
        legend::place(canvas, &mut inner, em, self.legend);
        let label_x = text::clean(self.x.label);
        let mut below = 0.4 * em + LINE * em;
        if !label_x.is_empty() {
            below += LINE * em;
        }
        // Half a letter of room above, for the label of a tick at the very top.
        inner.take_top(0.4 * em);
        let mut plot = inner;
        plot.take_bottom(below);
        let (mut sides, label_y) = match self.y {
            Side::Numbers(y) => (upright(&y, plot.h, em), text::clean(y.label)),
            Side::Names(_) => (Ticks::default(), String::new()),
        };
        let mut left = match self.y {
            Side::Numbers(_) => widest(&sides.labels, em) + 0.6 * em,
            Side::Names(names) => widest(names, em).min(0.4 * inner.w) + 0.6 * em,
        };
        if !label_y.is_empty() {
            left += LINE * em;
        }
        plot.take_left(left);
        if self.square && plot.w != plot.h {
            let side = plot.w.min(plot.h);
            plot = Rect::new(plot.x + (plot.w - side) / 2.0, plot.y, side, side);
            if let Side::Numbers(y) = self.y {
                sides = upright(&y, plot.h, em);
            }
        }
        let bottoms = across(&self.x, &mut plot, inner, em);
        let x = axis(&self.x, plot.x, plot.right());
        let y = match self.y {
            Side::Numbers(y) => axis(&y, plot.bottom(), plot.y),
            Side::Names(names) => {
                Axis { low: 0.0, high: names.len().max(1) as f64, log: false, from: plot.y, to: plot.bottom() }
            }
        };
        let hair = Style::stroke(Paint::Grid, em / 14.0);
        for (&v, label) in bottoms.values.iter().zip(&bottoms.labels) {
            let p = x.at(v);
            canvas.line((p, plot.y), (p, plot.bottom()), &hair);
            let place = at(p, plot.bottom() + 0.4 * em + ASCENT * em, em, Paint::Ink, Anchor::Middle);
            canvas.text(&place, label);
        }
        for (&v, label) in sides.values.iter().zip(&sides.labels) {
            let p = y.at(v);
            canvas.line((plot.x, p), (plot.right(), p), &hair);
            canvas.text(&at(plot.x - 0.5 * em, p + HALF_FIGURE * em, em, Paint::Ink, Anchor::End), label);
        }
        if let Side::Names(names) = self.y {
            beside(canvas, names, &plot, &y, em, left - 0.6 * em);
        }
        let edge = Style::stroke(Paint::Muted, em / 12.0);
        canvas.line((plot.x, plot.bottom()), (plot.right(), plot.bottom()), &edge);
        canvas.line((plot.x, plot.y), (plot.x, plot.bottom()), &edge);
        let place =
            at(plot.middle().0, plot.bottom() + 0.4 * em + (LINE + ASCENT) * em, em, Paint::Ink, Anchor::Middle);
        let room = 2.0 * (plot.middle().0 - inner.x).min(inner.right() - plot.middle().0);
        canvas.text_in(&place, &label_x, room);
        let foot = plot.x - left + ASCENT * em;
        let place = At { turn: -90.0, ..at(foot, plot.middle().1, em, Paint::Ink, Anchor::Middle) };
        canvas.text_in(&place, &label_y, plot.h);
        Plot { area: plot, x, y, em }
    }
}

fn axis(scale: &Scale<'_>, from: f64, to: f64) -> Axis {
    Axis { low: scale.low, high: scale.high, log: scale.log, from, to }
}

fn widest(labels: &[String], em: f64) -> f64 {
    labels.iter().map(|l| text::width(&text::clean(l), em)).fold(0.0, f64::max)
}

fn marks(scale: &Scale<'_>, most: usize) -> Ticks {
    let (low, high) = scale.marked.unwrap_or((scale.low, scale.high));
    if scale.log { ticks::log(low, high, most) } else { ticks::linear(low, high, most) }
}

/// Ticks of an upright axis, two lines of text apart at least.
fn upright(scale: &Scale<'_>, height: f64, em: f64) -> Ticks {
    let at = axis(scale, 0.0, height);
    let apart = |t: &Ticks| t.values.windows(2).all(|w| at.at(w[1]) - at.at(w[0]) >= 1.3 * em);
    let most = ((height / (2.2 * em)) as usize).clamp(2, 9);
    (2..=most).rev().map(|n| marks(scale, n)).find(apart).unwrap_or_default()
}

/// Ticks of a level axis whose labels neither touch nor leave the page; the plot gives way at the right.
fn across(scale: &Scale<'_>, plot: &mut Rect, inner: Rect, em: f64) -> Ticks {
    let most = ((plot.w / (3.0 * em)) as usize).clamp(2, 11);
    for n in (2..=most).rev() {
        let ticks = marks(scale, n);
        let widths: Vec<f64> = ticks.labels.iter().map(|l| text::width(l, em)).collect();
        let mut trial = *plot;
        if let (Some(&last), Some(width)) = (ticks.values.last(), widths.last()) {
            let place = axis(scale, trial.x, trial.right()).at(last) - trial.x;
            if place + width / 2.0 > inner.right() - trial.x {
                // The tick keeps its share of the plot's width, so the plot shrinks until half a label is left.
                trial.w *= (inner.right() - trial.x - width / 2.0).max(1.0) / place.max(1.0);
            }
        }
        let at = axis(scale, trial.x, trial.right());
        let ends: Vec<(f64, f64)> =
            ticks.values.iter().zip(&widths).map(|(&v, w)| (at.at(v) - w / 2.0, at.at(v) + w / 2.0)).collect();
        let apart = ends.windows(2).all(|w| w[1].0 - w[0].1 >= 0.7 * em);
        let inside = ends.iter().all(|e| e.0 >= inner.x && e.1 <= inner.right() + 0.01);
        if apart && inside && trial.w >= 0.8 * plot.w {
            *plot = trial;
            return ticks;
        }
    }
    Ticks::default()
}

/// Names beside their rows; every second, fifth, ... where they would touch.
fn beside(canvas: &mut Canvas, names: &[String], plot: &Rect, y: &Axis, em: f64, room: f64) {
    let stride = stride(plot.h / names.len().max(1) as f64, em);
    for (i, name) in names.iter().enumerate().step_by(stride) {
        let p = y.at(i as f64 + 0.5) + HALF_FIGURE * em;
        canvas.text_in(&at(plot.x - 0.5 * em, p, em, Paint::Ink, Anchor::End), name, room + 0.01);
    }
}

/// One of how many names can be written when rows are so far apart.
pub(crate) fn stride(pitch: f64, em: f64) -> usize {
    let need = (1.12 * em / pitch.max(1e-9)).ceil().max(1.0) as usize;
    [1, 2, 5, 10, 20, 50, 100, 200, 500].into_iter().find(|&s| s >= need).unwrap_or(need)
}
