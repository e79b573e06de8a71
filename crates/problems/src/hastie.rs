//! Ten independent normal coordinates; the class says whether Σ x² exceeds 9.34, the median of its χ² distribution.
//!
//! - T. Hastie, R. Tibshirani, J. Friedman: *The Elements of Statistical Learning.* 2nd ed., Springer 2009, (10.2).

use crate::{Problem, classified};
use base::{Dataset, Result, Seed, Settings, normal};

base::settings! {
    /// Inside or outside a sphere of ten dimensions.
    pub struct Hastie {
        /// total number of points
        pub rows: usize = 2000, in Range::AtLeast(0.0);
    }
}

impl Problem for Hastie {
    fn draw(&self, seed: Seed) -> Result<Dataset> {
        self.check_settings()?;
        let mut stream = seed.fork("hastie").stream();
        let (mut values, mut codes) = (vec![], vec![]);
        for _ in 0..self.rows {
            let x: [f64; 10] = std::array::from_fn(|_| normal(&mut stream));
            codes.push(u32::from(x.iter().map(|x| x * x).sum::<f64>() > 9.34));
            values.extend(x);
        }
        classified(values, 10, codes, &["inside", "outside"])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_points_lie_outside() {
        let data = Hastie { rows: 10_000 }.draw(Seed(1)).unwrap();
        let counts = base::classes_of(&data).unwrap().counts();
        // Four standard deviations of a fair coin.
        assert!((counts[0] as f64 - 5000.0).abs() < 200.0, "{counts:?}");
    }
}
