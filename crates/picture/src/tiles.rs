//! Images in rows and columns that both have names: methods beside inputs, methods beside networks.

use base::{Error, Result};

use crate::canvas::{Anchor, Canvas};
use crate::frame::{self, surround};
use crate::image::ImagePlot;
use crate::picture::{Picture, letters};
use crate::rect::Rect;
use crate::text::{self, ASCENT, LINE};
use crate::theme::Paint;

/// Images in a table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tiles {
    /// Above all.
    pub title: String,
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows, from the top.
    pub rows: Vec<TileRow>,
}

/// A row of images.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TileRow {
    /// What stands at its left, line by line; each is cut to its room.
    pub lines: Vec<String>,
    /// An image for each column; none leaves its place empty. Titles are shown when the pointer rests on an image.
    pub images: Vec<Option<ImagePlot>>,
}

impl Tiles {
    /// The widths of the names at the left and of a tile with its margin.
    fn widths(&self, room: f64, em: f64) -> (f64, f64) {
        let longest =
            self.rows.iter().flat_map(|r| &r.lines).map(|l| text::width(&text::clean(l), em)).fold(0.0, f64::max);
        let left = if longest > 0.0 { longest.min(0.3 * room) + 0.8 * em } else { 0.0 };
        (left, (room - left) / self.columns.len().max(1) as f64)
    }

    /// The height of a row whose tiles are so wide.
    fn row_height(row: &TileRow, tile: f64, em: f64) -> f64 {
        let shapes = row.images.iter().flatten().filter(|i| i.columns > 0).map(|i| i.rows as f64 / i.columns as f64);
        let images = shapes.fold(0.0, f64::max).min(3.0) * (tile - 0.5 * em);
        images.max(row.lines.len() as f64 * LINE * em) + 0.7 * em
    }
}

impl Picture for Tiles {
    fn title(&self) -> &str {
        &self.title
    }

    fn describe(&self) -> String {
        let rows = text::count(self.rows.len(), "row", "rows");
        format!("Table of images: {rows}, the columns are {}.", text::list(self.columns.iter().map(String::as_str)))
    }

    fn height(&self, width: f64) -> f64 {
        let em = letters(width);
        let (_, tile) = self.widths(width - 1.4 * em, em);
        let rows: f64 = self.rows.iter().map(|r| Self::row_height(r, tile, em)).sum();
        (rows + 6.0 * em).max(160.0)
    }

    fn check(&self) -> Result<()> {
        for row in &self.rows {
            if row.images.len() != self.columns.len() {
                return Err(Error::size("images of a row", self.columns.len(), row.images.len()));
            }
            row.images.iter().flatten().try_for_each(ImagePlot::check)?;
        }
        Ok(())
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect) -> Result<()> {
        if self.columns.is_empty() || self.rows.is_empty() {
            frame::no_data(canvas, area, &self.title, &[]);
            return Ok(());
        }
        let (mut inner, em) = surround(canvas, area, &self.title, &[]);
        let (left, tile) = self.widths(inner.w, em);
        let head = inner.take_top(LINE * em + 0.3 * em);
        for (c, name) in self.columns.iter().enumerate() {
            let middle = head.x + left + (c as f64 + 0.5) * tile;
            canvas.text_in(
                &frame::at(middle, head.y + ASCENT * em, em, Paint::Ink, Anchor::Middle),
                name,
                tile - 0.4 * em,
            );
        }
        let wanted: Vec<f64> = self.rows.iter().map(|r| Self::row_height(r, tile, em)).collect();
        let share = (inner.h / wanted.iter().sum::<f64>()).min(1.0);
        for (row, height) in self.rows.iter().zip(wanted) {
            let mut strip = inner.take_top(height * share);
            let names = strip.take_left(left);
            // Lines that do not fit are left out: their room is the images'.
            let lines = (names.h / (LINE * em)).floor() as usize;
            for (k, line) in row.lines.iter().take(lines).enumerate() {
                let y = names.y + (k as f64 * LINE + ASCENT) * em;
                canvas.text_in(&frame::at(names.x, y, em, Paint::Ink, Anchor::Start), line, names.w - 0.8 * em);
            }
            for image in &row.images {
                let place = strip.take_left(tile);
                let place = Rect::new(place.x + 0.25 * em, place.y, place.w - 0.5 * em, place.h - 0.5 * em);
                if let Some(image) = image.as_ref().filter(|i| i.columns * i.rows > 0) {
                    image.paste(canvas, place, image.limit().unwrap_or(1.0), &image.title)?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Look, Pixels};

    #[test]
    fn every_image_has_its_place_and_names_are_shown() {
        let image = |title: &str| {
            let pixels = Pixels::Gray { values: vec![0.0, 1.0, 2.0, 3.0], range: None };
            Some(ImagePlot { title: title.into(), columns: 2, rows: 2, pixels })
        };
        let row = |name: &str| TileRow { lines: vec![name.into(), "below".into()], images: vec![image("a"), None] };
        let tiles = Tiles {
            title: "Table".into(),
            columns: vec!["first".into(), "second".into()],
            rows: vec![row("one"), row("two")],
        };
        let svg = tiles.to_svg(&Look::default()).unwrap();
        assert_eq!(svg.matches("<image").count(), 2);
        for word in ["first", "second", "one", "two", "below"] {
            assert!(svg.contains(&format!(">{word}</text>")), "{word}");
        }
        let short = Tiles { columns: vec!["only".into()], ..tiles };
        assert!(short.to_svg(&Look::default()).unwrap_err().to_string().contains("images of a row"));
    }
}
