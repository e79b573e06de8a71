//! Exclusive or: points in a square whose class is the sign of x·y, with normal noise added after the class is known.

use crate::{Problem, classified};
use base::{Dataset, Result, Seed, Settings, normal};
use rand::RngExt;

base::settings! {
    /// Classes by the sign of a product.
    pub struct Xor {
        /// total number of points
        pub rows: usize = 400, in Range::AtLeast(0.0);
        /// standard deviation of the noise
        pub noise: f64 = 0.1, in Range::AtLeast(0.0);
    }
}

impl Problem for Xor {
    fn draw(&self, seed: Seed) -> Result<Dataset> {
        self.check_settings()?;
        let mut stream = seed.fork("xor").stream();
        let (mut values, mut codes) = (vec![], vec![]);
        for _ in 0..self.rows {
            let (x, y) = (2.0 * stream.random::<f64>() - 1.0, 2.0 * stream.random::<f64>() - 1.0);
            codes.push(u32::from(x * y < 0.0));
            values.extend([x + self.noise * normal(&mut stream), y + self.noise * normal(&mut stream)]);
        }
        classified(values, 2, codes, &["same", "different"])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::rows;

    #[test]
    fn without_noise_the_class_is_the_sign() {
        let data = Xor { rows: 100, noise: 0.0 }.draw(Seed(1)).unwrap();
        let classes = base::classes_of(&data).unwrap();
        for (i, x) in rows(&data).iter().enumerate() {
            assert_eq!(classes.get(i), Some(usize::from(x[0] * x[1] < 0.0)));
        }
    }
}
