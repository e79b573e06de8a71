//! What colours, shapes and dashes mean: a column at the right of wide pictures, rows above the plot of narrow ones.
//!
//! Names that do not fit are cut; entries for which there is no room are counted ("+ 12 more").

use crate::canvas::{Anchor, At, Canvas, Style};
use crate::rect::Rect;
use crate::text;
use crate::theme::{Paint, dash_of};
use crate::{marker, number};

/// What an entry's sign looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    Point(usize),
    Line(usize),
    Area(usize),
    Reference,
}

/// One line of the legend.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub name: String,
    pub sign: Sign,
}

/// Pictures at least so wide have the legend at their right.
const WIDE: f64 = 560.0;

/// How much higher a picture should be for a legend of many entries: it takes rows above the plot of narrow ones.
pub(crate) fn extra(entries: usize, width: f64) -> f64 {
    if width < WIDE + 20.0 { (entries.saturating_sub(6) as f64 * 4.5).min(width * 0.5) } else { 0.0 }
}

/// Draws the legend and takes its room off the area.
pub(crate) fn place(canvas: &mut Canvas, area: &mut Rect, em: f64, entries: &[Entry]) {
    if entries.is_empty() {
        return;
    }
    let names: Vec<String> = entries.iter().map(|e| text::clean(&e.name)).collect();
    let sign =
        if entries.iter().any(|e| !matches!(e.sign, Sign::Point(_) | Sign::Area(_))) { 2.4 * em } else { 1.1 * em };
    let widest = names.iter().map(|n| text::width(n, em)).fold(0.0, f64::max);
    if area.w >= WIDE {
        column(canvas, area, em, entries, &names, sign, widest);
    } else {
        rows(canvas, area, em, entries, &names, sign);
    }
}

fn column(canvas: &mut Canvas, area: &mut Rect, em: f64, entries: &[Entry], names: &[String], sign: f64, widest: f64) {
    let gap = 0.5 * em;
    let room = widest.min(area.w * 0.26 - sign - gap).max(0.0);
    let mut strip = area.take_right(sign + gap + room);
    area.take_right(1.2 * em);
    let pitch = text::LINE * em * 1.1;
    let most = ((strip.h / pitch).floor() as usize).max(1);
    let shown = if entries.len() <= most { entries.len() } else { most - 1 };
    for (entry, name) in entries.iter().zip(names).take(shown) {
        let line = strip.take_top(pitch);
        draw(canvas, (line.x, line.middle().1), em, entry, name, sign, gap, room);
    }
    if shown < entries.len() {
        let line = strip.take_top(pitch);
        more(canvas, line.x, line.middle().1, em, entries.len() - shown, line.w);
    }
}

fn rows(canvas: &mut Canvas, area: &mut Rect, em: f64, entries: &[Entry], names: &[String], sign: f64) {
    let (gap, between, pitch) = (0.4 * em, 1.0 * em, text::LINE * em * 1.05);
    let most_rows = ((area.h * 0.35 / pitch).floor() as usize).max(1);
    let longest = (area.w * 0.48 - sign - gap).max(0.0);
    let own = |name: &String| sign + gap + text::width(name, em).min(longest);
    let single = names.iter().map(|n| own(n) + between).sum::<f64>() - between <= area.w;
    // Entries of several rows stand in columns, as many as the widest entry allows.
    let widest = names.iter().map(own).fold(0.0, f64::max);
    let columns = ((area.w + between) / (widest + between)).floor().max(1.0);
    let column = (area.w + between) / columns - between;
    // First lay out, then draw: where the last row ends decides how many entries are left for "more".
    let place = |keep: usize| -> Vec<(f64, usize)> {
        let (mut x, mut row) = (0.0, 0);
        let mut places = Vec::new();
        for name in &names[..keep] {
            let width = if single { own(name) } else { column };
            if x > 0.0 && x + width > area.w + 0.01 {
                x = 0.0;
                row += 1;
            }
            places.push((x, row));
            x += width + between;
        }
        if keep < names.len() {
            let width = if single { text::width("+ 99999 more", em) } else { column };
            if x + width > area.w {
                x = 0.0;
                row += 1;
            }
            places.push((x, row));
        }
        places
    };
    let fits = |keep: &usize| place(*keep).last().is_none_or(|&(_, row)| row < most_rows);
    let shown = (0..=names.len()).rev().find(fits).unwrap_or(0);
    let places = place(shown);
    let strip = area.take_top(places.last().map_or(0.0, |&(_, row)| (row + 1) as f64) * pitch + 0.4 * em);
    let at = |(x, row): (f64, usize)| (strip.x + x, strip.y + (row as f64 + 0.5) * pitch);
    for (i, entry) in entries.iter().enumerate().take(shown) {
        draw(canvas, at(places[i]), em, entry, &names[i], sign, gap, longest);
    }
    if shown < names.len() {
        let (x, y) = at(places[shown]);
        more(canvas, x, y, em, names.len() - shown, strip.right() - x);
    }
}

#[expect(clippy::too_many_arguments, reason = "the parts of one line, used twice")]
fn draw(canvas: &mut Canvas, at: (f64, f64), em: f64, entry: &Entry, name: &str, sign: f64, gap: f64, room: f64) {
    let (x, y) = at;
    match entry.sign {
        Sign::Point(class) => {
            let id = marker::define(canvas, class, em * 0.36);
            canvas.stamp(&id, x + sign / 2.0, y);
        }
        Sign::Line(class) => {
            let style = Style { dash: dash_of(class), ..Style::stroke(Paint::Line(class), em / 6.5) };
            canvas.line((x, y), (x + sign, y), &style);
        }
        Sign::Area(class) => {
            let side = 0.9 * em;
            let style = Style { stroke: Some(Paint::Line(class)), ..Style::fill(Paint::Class(class)) };
            canvas.rect(&Rect::new(x + (sign - side) / 2.0, y - side / 2.0, side, side), &style, None);
        }
        Sign::Reference => {
            let style = Style { dash: &[3.0, 3.0], ..Style::stroke(Paint::Muted, em / 10.0) };
            canvas.line((x, y), (x + sign, y), &style);
        }
    }
    let text = At {
        x: x + sign + gap,
        y: y + text::HALF_FIGURE * em,
        size: em,
        paint: Paint::Ink,
        anchor: Anchor::Start,
        turn: 0.0,
    };
    canvas.text_in(&text, name, room + 0.01);
}

fn more(canvas: &mut Canvas, x: f64, y: f64, em: f64, left: usize, room: f64) {
    let text = format!("+ {} more", number::whole(left as u64));
    let at = At { x, y: y + text::HALF_FIGURE * em, size: em, paint: Paint::Muted, anchor: Anchor::Start, turn: 0.0 };
    canvas.text_in(&at, &text, room);
}
