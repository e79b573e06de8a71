//! Pictures and series moved, turned and mirrored.
//!
//! Numbers stand as [`Shape`] says: pixels row after row, the channels of a pixel side by side; a series is a picture of
//! one row. What comes in from beyond the edge is 0 or the nearest pixel. O(numbers), nothing is allocated.

use base::{Error, Result, Shape};

base::choices! {
    /// What is beyond the edge.
    pub enum Border {
        /// Nothing: 0.
        Zero = "zero",
        /// The nearest pixel.
        Nearest = "nearest",
    }
}

/// A picture's rows, columns and channels.
struct Grid {
    height: usize,
    width: usize,
    channels: usize,
}

impl Grid {
    fn of(shape: Shape, from: &[f64], to: &[f64]) -> Result<Self> {
        let (height, width, channels) = match shape {
            Shape::Image { height, width, channels } => (height, width, channels),
            Shape::Series { length, channels } => (1, length, channels),
        };
        for numbers in [from.len(), to.len()] {
            if shape.count() != Some(numbers) {
                return Err(Error::size(format!("numbers of {shape}"), shape.count().unwrap_or(usize::MAX), numbers));
            }
        }
        Ok(Grid { height, width, channels })
    }

    /// Where the pixel of that row and column starts, if there is one.
    fn place(&self, row: isize, column: isize, edge: Border) -> Option<usize> {
        let inside = |x: isize, size: usize| match edge {
            Border::Zero => usize::try_from(x).ok().filter(|&x| x < size),
            Border::Nearest => Some(usize::try_from(x).unwrap_or(0).min(size.checked_sub(1)?)),
        };
        Some((inside(row, self.height)? * self.width + inside(column, self.width)?) * self.channels)
    }

    /// Calls `write(row, column, pixel)` for every pixel of the result.
    fn fill(&self, to: &mut [f64], mut write: impl FnMut(usize, usize, &mut [f64])) {
        for (i, pixel) in to.chunks_exact_mut(self.channels.max(1)).enumerate() {
            write(i / self.width.max(1), i % self.width.max(1), pixel);
        }
    }
}

/// `to` = `from` moved by so many pixels down and to the right (a series: 0 down).
pub fn shift(shape: Shape, (down, right): (isize, isize), edge: Border, from: &[f64], to: &mut [f64]) -> Result<()> {
    let grid = Grid::of(shape, from, to)?;
    grid.fill(to, |row, column, pixel| {
        let (row, column) = ((row as isize).saturating_sub(down), (column as isize).saturating_sub(right));
        match grid.place(row, column, edge) {
            Some(at) => pixel.copy_from_slice(&from[at..at + pixel.len()]),
            None => pixel.fill(0.0),
        }
    });
    Ok(())
}

/// `to` = `from` mirrored left to right, or top to bottom.
pub fn mirror(shape: Shape, upside_down: bool, from: &[f64], to: &mut [f64]) -> Result<()> {
    let grid = Grid::of(shape, from, to)?;
    grid.fill(to, |row, column, pixel| {
        let (row, column) = match upside_down {
            true => (grid.height - 1 - row, column),
            false => (row, grid.width - 1 - column),
        };
        let at = (row * grid.width + column) * grid.channels;
        pixel.copy_from_slice(&from[at..at + pixel.len()]);
    });
    Ok(())
}

/// `to` = `from` turned counter-clockwise about the centre by so many degrees, with bilinear interpolation.
///
/// A multiple of 90 degrees is exact where pixels meet pixels: in squares always.
pub fn rotate(shape: Shape, degrees: f64, edge: Border, from: &[f64], to: &mut [f64]) -> Result<()> {
    let grid = Grid::of(shape, from, to)?;
    let (sin, cos) = sin_cos(degrees);
    let (middle_y, middle_x) = ((grid.height as f64 - 1.0) / 2.0, (grid.width as f64 - 1.0) / 2.0);
    grid.fill(to, |row, column, pixel| {
        let (y, x) = (row as f64 - middle_y, column as f64 - middle_x);
        // Rows count downwards, so this is the turn back: clockwise.
        let (y, x) = (x * sin + y * cos + middle_y, x * cos - y * sin + middle_x);
        let (top, left) = (y.floor(), x.floor());
        let (low, far) = (y - top, x - left);
        pixel.fill(0.0);
        for (dy, dx, share) in
            [(0, 0, (1.0 - low) * (1.0 - far)), (0, 1, (1.0 - low) * far), (1, 0, low * (1.0 - far)), (1, 1, low * far)]
        {
            if let Some(at) = grid.place(top as isize + dy, left as isize + dx, edge)
                && share > 0.0
            {
                pixel.iter_mut().zip(&from[at..]).for_each(|(out, x)| *out += share * x);
            }
        }
    });
    Ok(())
}

/// Sine and cosine of degrees, exact at multiples of 90.
fn sin_cos(degrees: f64) -> (f64, f64) {
    match degrees.rem_euclid(360.0) {
        0.0 => (0.0, 1.0),
        90.0 => (1.0, 0.0),
        180.0 => (0.0, -1.0),
        270.0 => (-1.0, 0.0),
        other => other.to_radians().sin_cos(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Seed;

    fn drawn(count: usize) -> Vec<f64> {
        (0..count).map(|i| Seed(4).at(i).unit()).collect()
    }

    #[test]
    fn quarter_turns_are_permutations() {
        for (side, channels) in [(1, 1), (4, 1), (5, 3)] {
            let shape = Shape::Image { height: side, width: side, channels };
            let from = drawn(side * side * channels);
            let pixel = |row: usize, column: usize, c: usize| from[(row * side + column) * channels + c];
            for edge in [Border::Zero, Border::Nearest] {
                for (degrees, turns) in [(90.0, 1), (-270.0, 1), (180.0, 2), (270.0, 3), (-90.0, 3), (360.0, 0)] {
                    let mut to = vec![0.0; from.len()];
                    rotate(shape, degrees, edge, &from, &mut to).unwrap();
                    for (row, column, c) in
                        (0..side * side * channels).map(|i| (i / channels / side, i / channels % side, i % channels))
                    {
                        // What stands at the right goes to the top.
                        let expected = match turns {
                            0 => pixel(row, column, c),
                            1 => pixel(column, side - 1 - row, c),
                            2 => pixel(side - 1 - row, side - 1 - column, c),
                            _ => pixel(side - 1 - column, row, c),
                        };
                        assert_eq!(to[(row * side + column) * channels + c], expected, "{degrees}");
                    }
                }
            }
        }
        let wide = Shape::Image { height: 2, width: 3, channels: 1 };
        let (from, mut to) = (drawn(6), vec![0.0; 6]);
        rotate(wide, 180.0, Border::Zero, &from, &mut to).unwrap();
        assert_eq!(to, from.iter().rev().copied().collect::<Vec<_>>());
    }

    #[test]
    fn a_turn_keeps_what_is_inside_and_moves_it_where_it_should() {
        let side = 41;
        let shape = Shape::Image { height: side, width: side, channels: 1 };
        // A smooth spot 8 pixels to the right of the centre.
        let spot = |x: f64, y: f64| (-((x - 8.0).powi(2) + y.powi(2)) / 18.0).exp();
        let from: Vec<f64> =
            (0..side * side).map(|i| spot((i % side) as f64 - 20.0, (i / side) as f64 - 20.0)).collect();
        for degrees in [-45.0, -10.0, 7.5, 30.0, 90.0] {
            let mut to = vec![0.0; from.len()];
            rotate(shape, degrees, Border::Zero, &from, &mut to).unwrap();
            let mass: f64 = to.iter().sum();
            assert!((mass / from.iter().sum::<f64>() - 1.0).abs() < 1e-3, "{degrees}");
            let mean = |along: &dyn Fn(usize) -> usize| {
                to.iter().enumerate().map(|(i, x)| x * along(i) as f64).sum::<f64>() / mass - 20.0
            };
            let (x, y) = (mean(&|i| i % side), mean(&|i| i / side));
            let angle = f64::to_radians(degrees);
            assert!((x - 8.0 * angle.cos()).abs() < 0.02 && (y + 8.0 * angle.sin()).abs() < 0.02, "{degrees}: {x} {y}");
        }
    }

    #[test]
    fn shifts_move_every_pixel_and_fill_the_edge() {
        let shape = Shape::Image { height: 2, width: 3, channels: 1 };
        let from = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let moved = |by, edge| {
            let mut to = vec![9.0; 6];
            shift(shape, by, edge, &from, &mut to).unwrap();
            to
        };
        assert_eq!(moved((0, 0), Border::Zero), from);
        assert_eq!(moved((1, 0), Border::Zero), [0.0, 0.0, 0.0, 1.0, 2.0, 3.0]);
        assert_eq!(moved((0, -1), Border::Zero), [2.0, 3.0, 0.0, 5.0, 6.0, 0.0]);
        assert_eq!(moved((-1, 1), Border::Nearest), [4.0, 4.0, 5.0, 4.0, 4.0, 5.0]);
        assert_eq!(moved((isize::MIN, isize::MAX), Border::Zero), [0.0; 6]);
        let series = Shape::Series { length: 3, channels: 2 };
        let mut to = vec![0.0; 6];
        shift(series, (0, 1), Border::Nearest, &from, &mut to).unwrap();
        assert_eq!(to, [1.0, 2.0, 1.0, 2.0, 3.0, 4.0]);
        mirror(series, false, &from, &mut to).unwrap();
        assert_eq!(to, [5.0, 6.0, 3.0, 4.0, 1.0, 2.0]);
        mirror(shape, true, &from, &mut to).unwrap();
        assert_eq!(to, [4.0, 5.0, 6.0, 1.0, 2.0, 3.0]);
        assert!(shift(shape, (0, 0), Border::Zero, &from[1..], &mut to).is_err());
        assert!(rotate(shape, 1.0, Border::Zero, &from, &mut to[1..]).is_err());
    }
}
