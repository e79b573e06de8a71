//! A checkerboard: points in a square of `fields` x `fields` fields, the class is the colour of the field.

use crate::{Problem, classified};
use base::{Dataset, Result, Seed, Settings};
use rand::RngExt;

base::settings! {
    /// Two classes on the fields of a board.
    pub struct Checkerboard {
        /// total number of points
        pub rows: usize = 800, in Range::AtLeast(0.0);
        /// squares per side
        pub fields: usize = 4, in Range::Between(1.0, 1000.0);
    }
}

impl Problem for Checkerboard {
    fn draw(&self, seed: Seed) -> Result<Dataset> {
        self.check_settings()?;
        let mut stream = seed.fork("checkerboard").stream();
        let side = self.fields as f64;
        let (mut values, mut codes) = (vec![], vec![]);
        for _ in 0..self.rows {
            let (x, y) = (side * stream.random::<f64>(), side * stream.random::<f64>());
            codes.push((x.floor() as u64 + y.floor() as u64) as u32 % 2);
            values.extend([x, y]);
        }
        classified(values, 2, codes, &["white", "black"])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::rows;

    #[test]
    fn neighbouring_fields_differ() {
        let data = Checkerboard { rows: 500, fields: 3 }.draw(Seed(1)).unwrap();
        let classes = base::classes_of(&data).unwrap();
        for (i, x) in rows(&data).iter().enumerate() {
            assert!(x.iter().all(|x| (0.0..3.0).contains(x)));
            assert_eq!(classes.get(i), Some((x[0] as usize + x[1] as usize) % 2));
        }
    }
}
