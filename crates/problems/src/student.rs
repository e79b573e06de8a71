//! Student and teacher: independent normal inputs whose class is sign(w·x) for a random teacher w of unit length; a share
//! of the labels is turned round.

use crate::{Problem, classified};
use base::{Dataset, Result, Seed, Settings, normal};
use rand::RngExt;

base::settings! {
    /// Random points labelled by a random perceptron.
    pub struct StudentTeacher {
        /// total number of points
        pub rows: usize = 500, in Range::AtLeast(0.0);
        /// number of coordinates, N
        pub columns: usize = 20, in Range::Between(1.0, 100000.0);
        /// fraction of labels flipped
        pub noise: f64 = 0.0, in Range::Between(0.0, 1.0);
    }
}

impl StudentTeacher {
    /// The teacher of a seed, of unit length.
    pub fn teacher(&self, seed: Seed) -> Vec<f64> {
        self.begin(&mut seed.fork("teacher").stream())
    }

    /// The stream begins with the teacher; the points follow.
    fn begin(&self, stream: &mut impl rand::Rng) -> Vec<f64> {
        let w: Vec<f64> = (0..self.columns).map(|_| normal(stream)).collect();
        let length = w.iter().map(|w| w * w).sum::<f64>().sqrt();
        w.into_iter().map(|w| w / length).collect()
    }
}

impl Problem for StudentTeacher {
    fn draw(&self, seed: Seed) -> Result<Dataset> {
        self.check_settings()?;
        let mut stream = seed.fork("teacher").stream();
        let teacher = self.begin(&mut stream);
        let (mut values, mut codes) = (vec![], vec![]);
        for _ in 0..self.rows {
            let x: Vec<f64> = (0..self.columns).map(|_| normal(&mut stream)).collect();
            let field: f64 = teacher.iter().zip(&x).map(|(w, x)| w * x).sum();
            let turned = stream.random::<f64>() < self.noise;
            codes.push(u32::from((field > 0.0) != turned));
            values.extend(x);
        }
        classified(values, self.columns, codes, &["-1", "+1"])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::rows;

    #[test]
    fn labels_are_those_of_one_teacher() {
        // Σ S x points along the teacher: for N = 3 and many points nearly every label agrees with it.
        let data = StudentTeacher { rows: 5000, columns: 3, noise: 0.0 }.draw(Seed(1)).unwrap();
        let classes = base::classes_of(&data).unwrap();
        let sign = |i: usize| if classes.get(i) == Some(1) { 1.0 } else { -1.0 };
        let all = rows(&data);
        let hebb: Vec<f64> = (0..3).map(|j| all.iter().enumerate().map(|(i, x)| sign(i) * x[j]).sum::<f64>()).collect();
        let agree = |i: usize| hebb.iter().zip(&all[i]).map(|(w, x)| w * x).sum::<f64>() * sign(i) > 0.0;
        assert!((0..5000).filter(|&i| agree(i)).count() > 4900);
    }

    #[test]
    fn inputs_are_isotropic_the_teacher_is_of_unit_length_and_noise_flips_so_many_labels() {
        for seed in testkit::seeds(3).into_iter().map(Seed) {
            let problem = |noise| StudentTeacher { rows: 20_000, columns: 4, noise };
            let teacher = problem(0.0).teacher(seed);
            assert!((teacher.iter().map(|w| w * w).sum::<f64>() - 1.0).abs() < 1e-12);
            for noise in [0.0, 0.2] {
                let data = problem(noise).draw(seed).unwrap();
                let (all, classes) = (rows(&data), base::classes_of(&data).unwrap());
                let agrees = |i: usize| {
                    let field: f64 = teacher.iter().zip(&all[i]).map(|(w, x)| w * x).sum();
                    (field > 0.0) == (classes.get(i) == Some(1))
                };
                let flipped = (0..20_000).filter(|&i| !agrees(i)).count() as f64 / 20_000.0;
                // Five standard deviations of a fraction of 20,000.
                assert!((flipped - noise).abs() <= 5.0 * (noise * (1.0 - noise) / 2e4).sqrt(), "{flipped}");
                for a in 0..4 {
                    let mean = all.iter().map(|x| x[a]).sum::<f64>() / 2e4;
                    assert!(mean.abs() < 5.0 / 2e4f64.sqrt(), "mean of coordinate {a}: {mean}");
                    for b in 0..=a {
                        let product = all.iter().map(|x| x[a] * x[b]).sum::<f64>() / 2e4;
                        let (expected, spread) = if a == b { (1.0, 2f64.sqrt()) } else { (0.0, 1.0) };
                        assert!((product - expected).abs() < 5.0 * spread / 2e4f64.sqrt(), "{a} {b}: {product}");
                    }
                }
                // The fourth moment tells a normal distribution (3) from a uniform one (1.8); its deviation is √96.
                let fourth = all.iter().flatten().map(|x| x.powi(4)).sum::<f64>() / 8e4;
                assert!((fourth - 3.0).abs() < 5.0 * 96f64.sqrt() / 8e4f64.sqrt(), "{fourth}");
            }
        }
    }
}
