//! Concentric circles, with normal noise: classes that no straight line separates and that have equal means.
//!
//! Class c lies on the circle of radius c + 1; rows go round the classes.

use crate::{Problem, classified};
use base::{Dataset, Result, Seed, Settings, normal};
use rand::RngExt;
use std::f64::consts::TAU;

base::settings! {
    /// Concentric circles.
    pub struct Rings {
        /// total number of points
        pub rows: usize = 400, in Range::AtLeast(0.0);
        /// number of circles
        pub classes: usize = 2, in Range::Between(1.0, 20.0);
        /// standard deviation of the noise
        pub noise: f64 = 0.1, in Range::AtLeast(0.0);
    }
}

impl Problem for Rings {
    fn draw(&self, seed: Seed) -> Result<Dataset> {
        self.check_settings()?;
        let mut stream = seed.fork("rings").stream();
        let (mut values, mut codes) = (vec![], vec![]);
        for row in 0..self.rows {
            let class = row % self.classes;
            let angle = TAU * stream.random::<f64>();
            for direction in [angle.cos(), angle.sin()] {
                values.push((class + 1) as f64 * direction + self.noise * normal(&mut stream));
            }
            codes.push(class as u32);
        }
        let names: Vec<String> = (1..=self.classes).map(|c| format!("ring {c}")).collect();
        classified(values, 2, codes, &names.iter().map(String::as_str).collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::rows;

    #[test]
    fn without_noise_points_lie_on_their_circles() {
        let data = Rings { rows: 60, classes: 3, noise: 0.0 }.draw(Seed(1)).unwrap();
        for (i, x) in rows(&data).iter().enumerate() {
            assert!((x[0].hypot(x[1]) - (i % 3 + 1) as f64).abs() < 1e-12);
        }
    }
}
