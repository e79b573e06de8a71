//! Several pictures as one: a grid of panels, each with its own title, under a common one.

use base::{Error, Result};

use crate::canvas::Canvas;
use crate::frame::{self, surround};
use crate::picture::{Picture, letters};
use crate::rect::Rect;
use crate::text;

/// Pictures in a grid, row after row.
#[derive(Debug, Default)]
pub struct Panels {
    /// Above all.
    pub title: String,
    /// The pictures.
    pub pictures: Vec<Box<dyn Picture>>,
    /// How many stand side by side; 0: as many as are at least 320 pixels wide.
    pub columns: usize,
}

impl Panels {
    fn side_by_side(&self, width: f64) -> usize {
        let n = self.pictures.len().max(1);
        if self.columns > 0 {
            return self.columns.min(n);
        }
        // As many rows as needed, and those filled evenly: four panels are two and two, not three and one.
        let most = ((width / 320.0) as usize).max(1);
        n.div_ceil(n.div_ceil(most))
    }

    /// The height each row of panels would like.
    fn rows(&self, width: f64) -> Vec<f64> {
        let columns = self.side_by_side(width);
        let each = width / columns as f64;
        self.pictures.chunks(columns).map(|row| row.iter().map(|p| p.height(each)).fold(120.0, f64::max)).collect()
    }
}

impl Picture for Panels {
    fn title(&self) -> &str {
        &self.title
    }

    fn describe(&self) -> String {
        let parts: Vec<String> = self.pictures.iter().map(|p| format!("{} {}", p.title(), p.describe())).collect();
        format!("{}. {}", text::count(self.pictures.len(), "panel", "panels"), parts.join(" "))
    }

    fn height(&self, width: f64) -> f64 {
        let em = letters(width);
        let head = if self.title.is_empty() { 1.4 } else { 5.0 };
        self.rows(width - 1.4 * em).iter().sum::<f64>() + head * em
    }

    fn check(&self) -> Result<()> {
        self.pictures.iter().try_for_each(|p| p.check())
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect) -> Result<()> {
        if self.pictures.is_empty() {
            frame::no_data(canvas, area, &self.title, &[]);
            return Ok(());
        }
        let (mut inner, _) = surround(canvas, area, &self.title, &[]);
        let columns = self.side_by_side(inner.w);
        let width = inner.w / columns as f64;
        let wanted = self.rows(inner.w);
        let share = inner.h / wanted.iter().sum::<f64>();
        for (row, height) in self.pictures.chunks(columns).zip(&wanted) {
            let mut strip = inner.take_top(height * share);
            if width < 159.0 || strip.h < 119.0 {
                let found = format!("{}×{} pixels", width.round(), strip.h.round());
                return Err(Error::parameter(
                    "panel",
                    found,
                    "must be at least 160×120 pixels; enlarge the figure or use other columns",
                ));
            }
            for picture in row {
                picture.draw(canvas, strip.take_left(width))?;
            }
        }
        Ok(())
    }
}
