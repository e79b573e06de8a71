//! The curvature I + Σ s_i x_i x_iᵀ of an objective over rows: products with it, its diagonal, and the matrix itself.
//!
//! **Cost.** Two passes over the rows whose s is not 0 a product. The matrix takes, for each such row, the square of its entries, and
//! width³/3 to be factored: it pays where that is below what conjugate gradients are likely to take.

use super::samples::{SampleRow, Samples};
use crate::newton::Curvature;
use base::{Result, Run};
use numeric::{Mat, MatMut};

/// Weights up to which the matrix is written down.
pub(super) const WIDEST: usize = 2048;
/// Products that conjugate gradients are likely to take.
const PRODUCTS: f64 = 30.0;
/// Dense rows that are multiplied at once.
const BLOCK: usize = 512;
/// Operations with entries anywhere in memory that take as long as one, and of a matrix product.
const SCATTERED: f64 = 4.0;

/// The curvature of a sum over rows.
pub(super) struct OfRows<'a> {
    pub samples: &'a Samples<'a>,
    /// s_i of each row.
    pub scale: &'a [f64],
}

impl Curvature for OfRows<'_> {
    fn curve(&mut self, run: &Run<'_>, direction: &[f64], out: &mut [f64]) -> Result<()> {
        run.check()?;
        out.copy_from_slice(direction);
        for (i, s) in self.rows() {
            let along = self.samples.dot(i, direction);
            self.samples.add(i, s * along, out);
        }
        Ok(())
    }

    fn diagonal(&self, _: &Run<'_>) -> Result<Vec<f64>> {
        let mut diagonal = vec![1.0; self.samples.width()];
        for (i, s) in self.rows() {
            self.samples.each(i, |j, x| diagonal[j] += s * x * x);
        }
        Ok(diagonal)
    }

    fn whole(&self, run: &Run<'_>) -> Result<Option<Vec<f64>>> {
        let width = self.samples.width();
        if width > WIDEST {
            return Ok(None);
        }
        let (mut entries, mut squares) = (0.0, 0.0);
        for (i, _) in self.rows() {
            let count = self.samples.entries_of(i) as f64;
            entries += count;
            squares += 0.5 * count * count;
        }
        let building = if self.samples.is_sparse() { squares * SCATTERED } else { squares };
        let factoring = (width as f64).powi(3) / 3.0;
        if building + factoring > PRODUCTS * 2.0 * SCATTERED * entries {
            return Ok(None);
        }
        let _hold = run.memory.take_for::<f64>(width * width, "the curvature")?;
        let mut h = vec![0.0; width * width];
        if self.samples.is_sparse() {
            self.add_sparse(&mut h, run)?;
        } else {
            self.add_dense(&mut h, run)?;
        }
        (0..width).for_each(|j| h[j * width + j] += 1.0);
        Ok(Some(h))
    }
}

impl OfRows<'_> {
    fn rows(&self) -> impl Iterator<Item = (usize, f64)> {
        self.scale.iter().copied().enumerate().filter(|(_, s)| *s > 0.0)
    }

    fn add_sparse(&self, h: &mut [f64], run: &Run<'_>) -> Result<()> {
        let width = self.samples.width();
        let mut row: Vec<(usize, f64)> = vec![];
        for (count, (i, s)) in self.rows().enumerate() {
            if count % BLOCK == 0 {
                run.check()?;
            }
            row.clear();
            self.samples.each(i, |j, x| row.push((j, x)));
            for (place, &(j, x)) in row.iter().enumerate() {
                let line = &mut h[j * width..][..width];
                // The constant feature stands last, and so do later columns: what comes before is the lower half.
                row[..=place].iter().for_each(|&(k, y)| line[k] += s * x * y);
            }
        }
        Ok(())
    }

    fn add_dense(&self, h: &mut [f64], run: &Run<'_>) -> Result<()> {
        let width = self.samples.width();
        let _hold = run.memory.take_for::<f64>(width * (BLOCK + width), "rows times their scales")?;
        let mut part = vec![0.0; width * width];
        let mut rows = vec![];
        let mut left = self.rows();
        loop {
            rows.clear();
            for (i, s) in left.by_ref().take(BLOCK) {
                let root = s.sqrt();
                if let SampleRow::Dense(x) = self.samples.row(i) {
                    rows.extend(x.iter().map(|x| root * x));
                }
                if self.samples.bias() != 0.0 {
                    rows.push(root * self.samples.bias());
                }
            }
            if rows.is_empty() {
                return Ok(());
            }
            run.check()?;
            numeric::gram(run, Mat::new(&rows, rows.len() / width, width)?, MatMut::new(&mut part, width, width)?)?;
            h.iter_mut().zip(&part).for_each(|(h, part)| *h += part);
        }
    }
}
