//! Two interleaved half circles: the usual picture of classes that no straight line separates.
//!
//! The upper moon is (cos t, sin t), the lower one (1 − cos t, ½ − sin t), t from 0 to π in equal steps, both with
//! normal noise on each coordinate; rows alternate between the moons.

use crate::{Problem, classified};
use base::{Dataset, Result, Seed, Settings, normal};
use std::f64::consts::PI;

base::settings! {
    /// Two interleaved half circles.
    pub struct TwoMoons {
        /// total number of points
        pub rows: usize = 400, in Range::AtLeast(0.0);
        /// standard deviation of the noise
        pub noise: f64 = 0.15, in Range::AtLeast(0.0);
    }
}

impl Problem for TwoMoons {
    fn draw(&self, seed: Seed) -> Result<Dataset> {
        self.check_settings()?;
        let mut stream = seed.fork("two moons").stream();
        let (upper, lower) = (self.rows.div_ceil(2), self.rows / 2);
        let mut values = Vec::with_capacity(2 * self.rows);
        let mut codes = Vec::with_capacity(self.rows);
        for row in 0..self.rows {
            let (moon, place) = (row % 2, row / 2);
            let last = [upper, lower][moon].saturating_sub(1).max(1);
            let t = PI * place as f64 / last as f64;
            let (x, y) = if moon == 0 { (t.cos(), t.sin()) } else { (1.0 - t.cos(), 0.5 - t.sin()) };
            values.push(x + self.noise * normal(&mut stream));
            values.push(y + self.noise * normal(&mut stream));
            codes.push(moon as u32);
        }
        classified(values, 2, codes, &["upper", "lower"])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Points;

    #[test]
    fn without_noise_the_points_lie_on_the_moons() {
        let data = TwoMoons { rows: 101, noise: 0.0 }.draw(Seed(1)).unwrap();
        let Points::Dense(points) = data.points().unwrap() else { panic!() };
        for row in 0..101 {
            let p = points.row(row);
            let (x, y) = if row % 2 == 0 { (p[0], p[1]) } else { (1.0 - p[0], 0.5 - p[1]) };
            assert!((x * x + y * y - 1.0).abs() < 1e-12 && y > -1e-12, "row {row}: {p:?}");
        }
        assert_eq!((points.row(0)[0], points.row(100)[0]), (1.0, -1.0));
    }

    #[test]
    fn wrong_settings_are_refused() {
        assert!(TwoMoons { noise: f64::NAN, rows: 2 }.draw(Seed(1)).is_err());
    }
}
