//! How much of a score comes from where: one row of numbers for each row explained, with its balance.

use crate::{Error, Features, Origin, Points, Result, short_number};

/// What an explanation says.
#[derive(Debug, Clone)]
pub struct Relevance {
    /// Rows explained x what they are explained by.
    pub values: Points,
    /// What the columns are: input columns, words, pixels, support points.
    pub features: Features,
    /// The accounts of each row; none for methods that only order the columns.
    pub balance: Option<Vec<Balance>>,
    /// The method's name.
    pub method: String,
}

/// Where a score went: score = sum + absorbed + lost, up to rounding.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Balance {
    /// What was explained.
    pub score: f64,
    /// What the columns have been given together.
    pub sum: f64,
    /// What belongs to no column: biases, the remainder of a detector.
    pub absorbed: f64,
    /// What stabilisers, integration and rounding have cost.
    pub lost: f64,
}

impl Balance {
    /// What the accounts leave open, as a fraction of the largest of their sizes; 0 if they balance.
    pub fn open(&self) -> f64 {
        let size = self.score.abs().max(self.sum.abs()).max(self.absorbed.abs());
        let open = (self.score - self.sum - self.absorbed - self.lost).abs();
        if size > 0.0 { open / size } else { open }
    }

    /// The accounts as an equation, without the terms that are 0 up to rounding.
    pub fn equation(&self) -> String {
        let size = self.score.abs().max(self.sum.abs()).max(self.absorbed.abs());
        let mut text = format!("{} = {} attributed", short_number(self.score), short_number(self.sum));
        for (term, what) in [(self.absorbed, "not attributed (biases, constants)"), (self.lost, "lost")] {
            if term.abs() > 1e-12 * size {
                text += &format!(" {} {} {what}", if term < 0.0 { '-' } else { '+' }, short_number(term.abs()));
            }
        }
        text
    }

    /// What was lost, as a fraction of the score.
    pub fn lost_share(&self) -> f64 {
        if self.lost == 0.0 { 0.0 } else { self.lost.abs() / self.score.abs().max(f64::MIN_POSITIVE) }
    }
}

impl Relevance {
    /// The same relevance told in the columns that `origin` names; parts of one column are added up.
    pub fn told_by(&self, origin: &Origin) -> Result<Relevance> {
        let (rows, width) = (self.values.len(), origin.features.count());
        if origin.of.len() != self.values.columns() {
            return Err(Error::size(
                "columns that relevance is carried back from",
                origin.of.len(),
                self.values.columns(),
            ));
        }
        let mut told = vec![0.0; rows * width];
        let mut row = vec![0.0; self.values.columns()];
        for (i, out) in told.chunks_exact_mut(width.max(1)).enumerate() {
            self.values.write_row(i, &mut row);
            row.iter().zip(&origin.of).for_each(|(r, &c)| out[c as usize] += r);
        }
        Ok(Relevance { values: Points::dense(told, rows, width)?, features: origin.features.clone(), ..self.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_leave_out_what_is_zero() {
        let balance = Balance { score: 2.0, sum: 1.5, absorbed: 0.5, lost: -2.2e-16 };
        assert_eq!(balance.equation(), "2 = 1.5000 attributed + 0.5000 not attributed (biases, constants)");
        let balance = Balance { score: 1.0, sum: 1.25, absorbed: 0.0, lost: -0.25 };
        assert_eq!(balance.equation(), "1 = 1.2500 attributed - 0.2500 lost");
    }
}
