//! Squared error, kept up to date row by row.
//!
//! With targets centred at the node's mean and S the weighted sum of those on the left, the weighted decrease of the
//! squared error is S² W / (L R) (summed over the values to be predicted): there is no difference of large numbers,
//! however far the targets lie from 0.

use crate::criterion::Judge;

/// Targets of a node.
pub struct Squares<'a> {
    values: &'a [f64],
    width: usize,
    /// Centred targets times weight, row after row.
    centred: Vec<f64>,
    weights: Vec<f64>,
    mean: Vec<f64>,
    sums: Vec<f64>,
    weight: f64,
    squares: f64,
    left: f64,
    pure: bool,
}

impl<'a> Squares<'a> {
    /// For `width` values a row, row after row.
    pub fn new(values: &'a [f64], width: usize) -> Self {
        Squares {
            values,
            width,
            centred: vec![],
            weights: vec![],
            mean: vec![0.0; width],
            sums: vec![0.0; width],
            weight: 0.0,
            squares: 0.0,
            left: 0.0,
            pure: true,
        }
    }

    fn row(&self, row: u32) -> &'a [f64] {
        &self.values[row as usize * self.width..(row as usize + 1) * self.width]
    }
}

impl Judge for Squares<'_> {
    fn load(&mut self, rows: &[u32], weights: &[f64]) {
        self.centred.clear();
        self.weights.clear();
        self.weights.extend(rows.iter().map(|&r| weights[r as usize]));
        self.weight = self.weights.iter().sum();
        let first = rows.first().map_or(&[][..], |&r| self.row(r));
        self.pure = rows.iter().all(|&r| self.row(r) == first);
        self.mean.fill(0.0);
        match self.pure {
            true => self.mean.copy_from_slice(first),
            false => {
                for (&row, weight) in rows.iter().zip(&self.weights) {
                    let share = weight / self.weight;
                    let target = &self.values[row as usize * self.width..];
                    self.mean.iter_mut().zip(target).for_each(|(m, y)| *m += share * y);
                }
            }
        }
        self.squares = 0.0;
        for (&row, weight) in rows.iter().zip(&self.weights) {
            for (y, m) in self.row(row).iter().zip(&self.mean) {
                self.squares += weight * (y - m) * (y - m);
                self.centred.push(weight * (y - m));
            }
        }
    }

    fn weight(&self) -> f64 {
        self.weight
    }

    fn pure(&self) -> bool {
        self.pure
    }

    fn impurity(&self) -> f64 {
        self.squares / self.weight
    }

    fn leaf(&self, out: &mut Vec<(u32, f64)>) {
        out.extend(self.mean.iter().enumerate().map(|(k, &m)| (k as u32, m)));
    }

    fn reset(&mut self) {
        self.sums.fill(0.0);
        self.left = 0.0;
    }

    #[inline]
    fn add(&mut self, place: usize) {
        self.left += self.weights[place];
        if self.width == 1 {
            self.sums[0] += self.centred[place];
            return;
        }
        let row = &self.centred[place * self.width..(place + 1) * self.width];
        self.sums.iter_mut().zip(row).for_each(|(s, y)| *s += y);
    }

    fn left(&self) -> f64 {
        self.left
    }

    #[inline]
    fn score(&self) -> f64 {
        let squares: f64 = self.sums.iter().map(|s| s * s).sum();
        squares * self.weight / (self.left * (self.weight - self.left))
    }

    fn tolerance(&self) -> f64 {
        1e-12 * self.squares
    }

    fn gain(&self, score: f64) -> f64 {
        score
    }
}
