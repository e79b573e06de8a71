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

impl Problem for StudentTeacher {
    fn draw(&self, seed: Seed) -> Result<Dataset> {
        self.check_settings()?;
        let mut stream = seed.fork("teacher").stream();
        let teacher: Vec<f64> = (0..self.columns).map(|_| normal(&mut stream)).collect();
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
}
