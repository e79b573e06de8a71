//! A matrix with its numbers in the cells: confusion matrices, correlations.
//!
//! A confusion matrix is coloured by each cell's share of its row (of the true class) and says count and share; a
//! signed matrix is coloured from −limit to limit. Numbers are left out where cells are too small for one of them; they
//! are then still shown when the pointer rests on the cell. Column names are turned upright where
//! they are too long for their columns.

use base::{Error, Result};

use crate::canvas::{Anchor, At, Canvas, Style};
use crate::colour::{Rgb, diverging, sequential};
use crate::frame::{self, stride, surround};
use crate::number::{fixed, number};
use crate::picture::{Picture, letters};
use crate::rect::Rect;
use crate::text::{self, ASCENT, HALF_FIGURE, LINE};
use crate::theme::Paint;

/// How a matrix is read.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum MatrixReading {
    /// Counts, coloured by their share of the row.
    #[default]
    Counts,
    /// Signed numbers, coloured from −limit to limit (1 for correlations); 0: the largest absolute value.
    Signed(f64),
}

/// A matrix of numbers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Matrix {
    /// Above the picture.
    pub title: String,
    /// Beside the rows, such as "true class".
    pub row_label: String,
    /// Below the columns, such as "predicted class".
    pub column_label: String,
    /// One name for each row.
    pub rows: Vec<String>,
    /// One name for each column.
    pub columns: Vec<String>,
    /// The numbers, row after row; those that are not finite leave their cell empty.
    pub values: Vec<f64>,
    /// What the numbers are.
    pub reading: MatrixReading,
}

impl Picture for Matrix {
    fn title(&self) -> &str {
        &self.title
    }

    fn describe(&self) -> String {
        let size = format!("{} rows and {} columns", self.rows.len(), self.columns.len());
        match self.reading {
            MatrixReading::Counts => {
                let total: f64 = self.values.iter().filter(|v| v.is_finite()).sum();
                let diagonal: f64 = (0..self.rows.len().min(self.columns.len()))
                    .filter_map(|i| self.values.get(i * self.columns.len() + i))
                    .filter(|v| v.is_finite())
                    .sum();
                format!(
                    "Matrix of counts with {size}; {} of {} lie on the diagonal.",
                    number(diagonal, 6),
                    number(total, 6)
                )
            }
            MatrixReading::Signed(_) => format!("Matrix of signed values with {size}."),
        }
    }

    fn height(&self, width: f64) -> f64 {
        let em = letters(width);
        (width * 0.92).min(self.rows.len() as f64 * 5.5 * em + 12.0 * em).clamp(220.0, 1100.0)
    }

    fn check(&self) -> Result<()> {
        let cells = self.rows.len().checked_mul(self.columns.len());
        if cells != Some(self.values.len()) {
            let expected = format!("{} rows × {} columns", self.rows.len(), self.columns.len());
            return Err(Error::size("values of a matrix", expected, self.values.len()));
        }
        if self.rows.len().max(self.columns.len()) > 400 {
            let most = self.rows.len().max(self.columns.len());
            return Err(Error::parameter(
                "matrix",
                most,
                "must have at most 400 rows and columns; use an image for more",
            ));
        }
        match self.reading {
            MatrixReading::Signed(limit) if !(limit.is_finite() && limit >= 0.0) => {
                Err(Error::parameter("limit", limit, "must be finite and not negative"))
            }
            _ => Ok(()),
        }
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect) -> Result<()> {
        let hidden = self.values.iter().filter(|v| !v.is_finite()).count();
        let mut notes: Vec<String> = Vec::new();
        if hidden > 0 {
            notes.push(text::count(hidden, "value not shown", "values not shown"));
        }
        if self.values.is_empty() {
            frame::no_data(canvas, area, &self.title, &notes);
            return Ok(());
        }
        let key = match self.reading {
            MatrixReading::Counts => "colour: fraction of the row".into(),
            MatrixReading::Signed(_) => {
                let end = number(self.limit(), 3);
                format!("colour: blue −{end}, red +{end}")
            }
        };
        notes.insert(0, key);
        let (inner, em) = surround(canvas, area, &self.title, &notes);
        let grid = self.surroundings(canvas, inner, em);
        let (w, h) = (grid.w / self.columns.len() as f64, grid.h / self.rows.len() as f64);
        let shades = self.shades();
        let lines = self.lines_that_fit(&shades, w, h, em);
        for (i, &value) in self.values.iter().enumerate().filter(|(_, v)| v.is_finite()) {
            let (row, column) = (i / self.columns.len(), i % self.columns.len());
            let cell = Rect::new(grid.x + column as f64 * w, grid.y + row as f64 * h, w, h);
            let colour = match self.reading {
                MatrixReading::Counts => sequential(shades[i], canvas.dark()),
                MatrixReading::Signed(_) => diverging(shades[i], canvas.dark()),
            };
            let (first, second) = self.words(value, shades[i]);
            let gap = if w.min(h) > 12.0 { 0.5 } else { 0.0 };
            let tip = format!("{}, {}: {first} {second}", self.rows[row], self.columns[column]);
            canvas.rect(&cell.inset(gap), &Style::fill(Paint::Fixed(colour)), Some(tip.trim_end()));
            write(canvas, &cell, em, &[first.as_str(), second.as_str()][..lines], colour.ink_on());
        }
        Ok(())
    }
}

impl Matrix {
    /// Names and labels around the grid; returns the grid's place.
    fn surroundings(&self, canvas: &mut Canvas, inner: Rect, em: f64) -> Rect {
        let widest = |names: &[String]| names.iter().map(|n| text::width(&text::clean(n), em)).fold(0.0, f64::max);
        let mut grid = inner;
        let (row_label, column_label) = (text::clean(&self.row_label), text::clean(&self.column_label));
        let beside = if row_label.is_empty() { 0.0 } else { LINE * em };
        let below = if column_label.is_empty() { 0.0 } else { LINE * em };
        let room_rows = widest(&self.rows).min(inner.w * 0.32);
        grid.take_left(beside + room_rows + 0.5 * em);
        let pitch = grid.w / self.columns.len() as f64;
        let level = widest(&self.columns) <= pitch - 0.4 * em;
        let room_columns = if level { LINE * em } else { widest(&self.columns).min(inner.h * 0.3) };
        grid.take_bottom(below + room_columns + 0.4 * em);
        // Cells no wider than three times their height, and no higher than wide, look right for any count.
        let (w, h) = (grid.w / self.columns.len() as f64, grid.h / self.rows.len() as f64);
        let (w, h) = (w.min(2.2 * h), h.min(1.2 * w));
        grid = Rect::new(grid.x, grid.y, w * self.columns.len() as f64, h * self.rows.len() as f64);
        for (i, name) in self.rows.iter().enumerate().step_by(stride(h, em)) {
            let y = grid.y + (i as f64 + 0.5) * h + HALF_FIGURE * em;
            canvas.text_in(&frame::at(grid.x - 0.5 * em, y, em, Paint::Ink, Anchor::End), name, room_rows + 0.01);
        }
        // The cells may have become narrower, so whether names fit level is asked again.
        let level = level && widest(&self.columns) <= w - 0.3 * em;
        let columns = if level { 1 } else { stride(w, em) };
        for (i, name) in self.columns.iter().enumerate().step_by(columns) {
            let x = grid.x + (i as f64 + 0.5) * w;
            if level {
                let y = grid.bottom() + 0.3 * em + ASCENT * em;
                canvas.text(&frame::at(x, y, em, Paint::Ink, Anchor::Middle), &text::clean(name));
            } else {
                let place = frame::at(x + HALF_FIGURE * em, grid.bottom() + 0.4 * em, em, Paint::Ink, Anchor::End);
                canvas.text_in(&At { turn: -90.0, ..place }, name, room_columns + 0.01);
            }
        }
        let used = if level { LINE * em } else { widest(&self.columns).min(room_columns) };
        let y = grid.bottom() + used + 0.4 * em + ASCENT * em;
        let (middle, foot) =
            (grid.middle(), grid.x - 0.5 * em - widest(&self.rows).min(room_rows) - beside + ASCENT * em);
        let room = 2.0 * (middle.0 - inner.x).min(inner.right() - middle.0);
        canvas.text_in(&frame::at(middle.0, y, em, Paint::Ink, Anchor::Middle), &column_label, room);
        let place = frame::at(foot, middle.1, em, Paint::Ink, Anchor::Middle);
        canvas.text_in(&At { turn: -90.0, ..place }, &row_label, grid.h.max(0.0));
        grid
    }

    /// The value of the strongest colour of a signed matrix.
    fn limit(&self) -> f64 {
        match self.reading {
            MatrixReading::Signed(limit) if limit > 0.0 => limit,
            _ => self.values.iter().filter(|v| v.is_finite()).fold(0.0, |m: f64, v| m.max(v.abs())),
        }
    }

    /// Each value's place on its map.
    fn shades(&self) -> Vec<f64> {
        let finite = |v: &&f64| v.is_finite();
        match self.reading {
            MatrixReading::Counts => {
                let share = |row: &[f64]| -> Vec<f64> {
                    let most = row.iter().filter(finite).fold(0.0, |m: f64, v| m.max(v.abs()));
                    // Scaled first, so that the sum of huge counts stays finite.
                    let sum: f64 = if most > 0.0 { row.iter().filter(finite).map(|v| v / most).sum() } else { 0.0 };
                    row.iter().map(|v| if sum > 0.0 && v.is_finite() { v / most / sum } else { 0.0 }).collect()
                };
                self.values.chunks(self.columns.len().max(1)).flat_map(share).collect()
            }
            MatrixReading::Signed(_) => {
                let limit = self.limit();
                self.values.iter().map(|v| if limit > 0.0 { v / limit } else { 0.0 }).collect()
            }
        }
    }

    /// How many of a cell's two lines can be written in all cells: numbers in some cells only would mislead.
    fn lines_that_fit(&self, shades: &[f64], w: f64, h: f64, em: f64) -> usize {
        let finite = || self.values.iter().zip(shades).filter(|(v, _)| v.is_finite()).map(|(&v, &s)| self.words(v, s));
        let fits = |text: &str| text::width(text, em) <= w - 0.3 * em;
        if h < 1.2 * em || !finite().all(|(first, _)| fits(&first)) {
            return 0;
        }
        let both = h >= 2.7 * em && finite().all(|(_, second)| !second.is_empty() && fits(&second));
        1 + usize::from(both)
    }

    /// What is written in a cell: the number and, for counts, its share of the row.
    fn words(&self, value: f64, shade: f64) -> (String, String) {
        match self.reading {
            MatrixReading::Counts => {
                let percent = shade * 100.0;
                (
                    number(value, 6),
                    if percent > 0.0 && percent < 0.5 { "<1 %".into() } else { format!("{} %", fixed(percent, 0)) },
                )
            }
            MatrixReading::Signed(_) if value.abs() < 10.0 && (value == 0.0 || value.abs() >= 0.005) => {
                (fixed(value, 2), String::new())
            }
            MatrixReading::Signed(_) => (number(value, 2), String::new()),
        }
    }
}

/// Lines in the middle of a cell.
fn write(canvas: &mut Canvas, cell: &Rect, em: f64, lines: &[&str], ink: Rgb) {
    let (x, y) = cell.middle();
    for (i, line) in lines.iter().enumerate() {
        let shift = 1.25 * em * (i as f64 - (lines.len() as f64 - 1.0) / 2.0);
        canvas.text(&frame::at(x, y + shift + HALF_FIGURE * em, em, Paint::Fixed(ink), Anchor::Middle), line);
    }
}
