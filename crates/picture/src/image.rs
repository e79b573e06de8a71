//! Arrays shaped like images: signed maps (relevance, weights), gray and colour images, and grids of them.
//!
//! Pixels go into the SVG as a PNG and keep sharp edges at any size. In a signed map zero is neutral and both ends are
//! equally far from it, so colours compare; pixels that are not finite are left empty and counted in a note.

use base::{Error, Result};

use crate::canvas::{Anchor, Canvas, Style};
use crate::colour::{Rgb, diverging};
use crate::frame::{self, surround};
use crate::number::number;
use crate::picture::{Picture, letters};
use crate::pixels;
use crate::rect::Rect;
use crate::text::{self, ASCENT, HALF_FIGURE, LINE};
use crate::theme::Paint;

/// What the pixels are, row after row from the top left.
#[derive(Debug, Clone, PartialEq)]
pub enum Pixels {
    /// Signed numbers on the diverging map; vermillion above zero, blue below.
    Signed {
        /// The numbers.
        values: Vec<f64>,
        /// The value of the strongest colour; 0: the largest absolute value.
        limit: f64,
    },
    /// Brightness from black to white.
    Gray {
        /// The numbers.
        values: Vec<f64>,
        /// What is black and what is white; none: the smallest and the largest value.
        range: Option<(f64, f64)>,
    },
    /// Colours.
    Rgb(Vec<[u8; 3]>),
}

/// One image.
#[derive(Debug, Clone, PartialEq)]
pub struct ImagePlot {
    /// Above the image; below it within a grid.
    pub title: String,
    /// Pixels in a row.
    pub columns: usize,
    /// Number of rows.
    pub rows: usize,
    /// The pixels.
    pub pixels: Pixels,
}

/// Images with their titles below them, row after row.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ImageGrid {
    /// Above the grid.
    pub title: String,
    /// The images.
    pub images: Vec<ImagePlot>,
    /// How many stand side by side; 0: as many as look well.
    pub columns: usize,
    /// Whether all signed images share one limit (the largest of theirs) and so compare.
    pub shared: bool,
}

impl Picture for ImagePlot {
    fn title(&self) -> &str {
        &self.title
    }

    fn describe(&self) -> String {
        let kind = match self.pixels {
            Pixels::Signed { .. } => "Signed heat map",
            Pixels::Gray { .. } => "Gray image",
            Pixels::Rgb(_) => "Colour image",
        };
        format!("{kind} of {} by {} pixels.", self.columns, self.rows)
    }

    fn height(&self, width: f64) -> f64 {
        let bar = if matches!(self.pixels, Pixels::Signed { .. }) { 6.0 * letters(width) } else { 0.0 };
        let shape = self.rows.max(1) as f64 / self.columns.max(1) as f64;
        ((width - bar) * shape + 4.0 * letters(width)).min(1.2 * width).max(160.0)
    }

    fn check(&self) -> Result<()> {
        let cells = pixels::checked(self.columns, self.rows)?;
        let found = match &self.pixels {
            Pixels::Signed { values, .. } | Pixels::Gray { values, .. } => values.len(),
            Pixels::Rgb(values) => values.len(),
        };
        if cells != found {
            return Err(Error::size("pixels of an image", format!("{}×{}", self.columns, self.rows), found));
        }
        match self.pixels {
            Pixels::Signed { limit, .. } if !(limit.is_finite() && limit >= 0.0) => {
                Err(Error::parameter("limit", limit, "must be finite and not negative"))
            }
            Pixels::Gray { range: Some((low, high)), .. } if !(low.is_finite() && high.is_finite() && low < high) => {
                Err(Error::parameter("range", format!("{low} to {high}"), "must ascend and be finite"))
            }
            _ => Ok(()),
        }
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect) -> Result<()> {
        let hidden = self.hidden();
        let notes: Vec<String> =
            (hidden > 0).then(|| text::count(hidden, "pixel not shown", "pixels not shown")).into_iter().collect();
        if self.columns * self.rows == 0 {
            frame::no_data(canvas, area, &self.title, &notes);
            return Ok(());
        }
        let (mut inner, em) = surround(canvas, area, &self.title, &notes);
        let bar = self.limit().map(|limit| (inner.take_right(bar_width(limit, em)), limit));
        inner.take_right(if bar.is_some() { 0.8 * em } else { 0.0 });
        let place = self.paste(canvas, inner, self.limit().unwrap_or(1.0), "")?;
        if let Some((strip, limit)) = bar {
            let strip = Rect::new(place.right() + 0.8 * em, place.y, strip.w, place.h.max(5.0 * em).min(inner.h));
            colour_bar(canvas, strip, limit, em)?;
        }
        Ok(())
    }
}

impl ImagePlot {
    /// How many pixels are not finite.
    fn hidden(&self) -> usize {
        match &self.pixels {
            Pixels::Signed { values, .. } | Pixels::Gray { values, .. } => {
                values.iter().filter(|v| !v.is_finite()).count()
            }
            Pixels::Rgb(_) => 0,
        }
    }

    /// The value of the strongest colour, for signed images.
    pub(crate) fn limit(&self) -> Option<f64> {
        match &self.pixels {
            Pixels::Signed { limit, .. } if *limit > 0.0 => Some(*limit),
            Pixels::Signed { values, .. } => {
                Some(values.iter().filter(|v| v.is_finite()).fold(0.0, |m: f64, v| m.max(v.abs())))
            }
            _ => None,
        }
    }

    /// The pixels, as large as fits at the top left; returns their place.
    pub(crate) fn paste(&self, canvas: &mut Canvas, room: Rect, limit: f64, tip: &str) -> Result<Rect> {
        let side = (room.w / self.columns as f64).min(room.h / self.rows as f64);
        let place = Rect::new(room.x, room.y, side * self.columns as f64, side * self.rows as f64);
        let dark = canvas.dark();
        let uri = match &self.pixels {
            Pixels::Signed { values, .. } => pixels::uri(self.columns, self.rows, |i| {
                let v = values[i];
                let share = if limit > 0.0 { v / limit } else { 0.0 };
                (diverging(share, dark), if v.is_finite() { 255 } else { 0 })
            }),
            Pixels::Gray { values, range } => {
                let found = crate::axis::range(values.iter().copied(), false);
                let (low, high) = range.or(found).unwrap_or((0.0, 1.0));
                pixels::uri(self.columns, self.rows, |i| {
                    let v = values[i];
                    let share = if high > low { (v / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0) } else { 0.5 };
                    let level = (share.clamp(0.0, 1.0) * 255.0).round() as u8;
                    (Rgb(level, level, level), if v.is_finite() { 255 } else { 0 })
                })
            }
            Pixels::Rgb(values) => pixels::uri(self.columns, self.rows, |i| {
                let [r, g, b] = values[i];
                (Rgb(r, g, b), 255)
            }),
        }?;
        canvas.image(&place, &uri, tip);
        canvas.rect(&place, &Style::stroke(Paint::Grid, 1.0), None);
        Ok(place)
    }
}

impl Picture for ImageGrid {
    fn title(&self) -> &str {
        &self.title
    }

    fn describe(&self) -> String {
        let titles = text::list(self.images.iter().map(|i| i.title.as_str()));
        let titles = if titles.is_empty() { String::new() } else { format!(": {titles}") };
        format!("Grid of {}{titles}.", text::count(self.images.len(), "image", "images"))
    }

    fn height(&self, width: f64) -> f64 {
        let (em, columns) = (letters(width), self.side_by_side(width));
        let rows = self.images.len().div_ceil(columns).max(1) as f64;
        let bar = if self.shared { 6.0 * em } else { 0.0 };
        let tile = (width - bar - 1.4 * em) / columns as f64 - em;
        (rows * (tile * self.shape() + 2.2 * em) + 4.0 * em).max(160.0)
    }

    fn check(&self) -> Result<()> {
        self.images.iter().try_for_each(ImagePlot::check)
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect) -> Result<()> {
        let hidden: usize = self.images.iter().map(ImagePlot::hidden).sum();
        let notes: Vec<String> =
            (hidden > 0).then(|| text::count(hidden, "pixel not shown", "pixels not shown")).into_iter().collect();
        let images: Vec<&ImagePlot> = self.images.iter().filter(|i| i.columns * i.rows > 0).collect();
        if images.is_empty() {
            frame::no_data(canvas, area, &self.title, &notes);
            return Ok(());
        }
        let (mut inner, em) = surround(canvas, area, &self.title, &notes);
        let shared = images.iter().filter_map(|i| i.limit()).reduce(f64::max).filter(|_| self.shared);
        if let Some(limit) = shared {
            let strip = inner.take_right(bar_width(limit, em));
            inner.take_right(0.8 * em);
            let height = strip.h.min(14.0 * em);
            colour_bar(canvas, Rect { h: height, ..strip }, limit, em)?;
        }
        let columns = self.side_by_side(area.w);
        let rows = images.len().div_ceil(columns);
        let (w, h) = (inner.w / columns as f64, inner.h / rows as f64);
        for (i, image) in images.iter().enumerate() {
            let corner = (inner.x + (i % columns) as f64 * w, inner.y + (i / columns) as f64 * h);
            let mut tile = Rect::new(corner.0, corner.1, w - 0.8 * em, h - 0.5 * em);
            tile.take_bottom(LINE * em + 0.2 * em);
            let limit = shared.or(image.limit()).unwrap_or(1.0);
            let place = image.paste(canvas, tile, limit, &image.title)?;
            let at =
                frame::at(place.middle().0, place.bottom() + 0.2 * em + ASCENT * em, em, Paint::Ink, Anchor::Middle);
            // A narrow image may lend its caption the rest of its tile, as far as it stays centred.
            let room = 2.0 * (place.middle().0 - tile.x + 0.35 * em).min(tile.right() - place.middle().0 + 0.35 * em);
            canvas.text_in(&at, &image.title, room);
        }
        Ok(())
    }
}

impl ImageGrid {
    /// Rows over columns of the images, the tallest.
    fn shape(&self) -> f64 {
        let shapes = self.images.iter().filter(|i| i.columns > 0).map(|i| i.rows as f64 / i.columns as f64);
        shapes.fold(0.0, f64::max).clamp(0.2, 3.0)
    }

    fn side_by_side(&self, width: f64) -> usize {
        let most = ((width / 70.0) as usize).max(1);
        let wanted = if self.columns > 0 { self.columns } else { ((width / 150.0) as usize).clamp(1, 8) };
        wanted.min(most).min(self.images.len().max(1))
    }
}

fn bar_width(limit: f64, em: f64) -> f64 {
    1.5 * em + text::width(&format!("−{}", number(limit, 2)), em)
}

/// The diverging map with its ends and zero.
fn colour_bar(canvas: &mut Canvas, strip: Rect, limit: f64, em: f64) -> Result<()> {
    let strip = Rect::new(strip.x, strip.y + 0.4 * em, strip.w, strip.h - 0.8 * em);
    let bar = Rect::new(strip.x, strip.y, 0.9 * em, strip.h);
    let dark = canvas.dark();
    let uri = pixels::uri(1, 101, |i| (diverging(1.0 - i as f64 / 50.0, dark), 255))?;
    canvas.image(&bar, &uri, "");
    canvas.rect(&bar, &Style::stroke(Paint::Grid, 1.0), None);
    let ends = [(0.0, number(limit, 2)), (0.5, "0".to_string()), (1.0, number(-limit, 2))];
    for (share, label) in ends.iter().take(if limit > 0.0 { 3 } else { 2 }).skip(usize::from(limit <= 0.0)) {
        let y = bar.y + share * bar.h;
        canvas.text(&frame::at(bar.right() + 0.4 * em, y + HALF_FIGURE * em, em, Paint::Ink, Anchor::Start), label);
    }
    Ok(())
}
