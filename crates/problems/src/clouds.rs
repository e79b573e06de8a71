//! Normal clouds: class c has unit variance around a random centre of length `distance`.

use crate::{Problem, classified};
use base::{Dataset, Result, Seed, Settings, normal};

base::settings! {
    /// One normal cloud for each class.
    pub struct Clouds {
        /// total number of points
        pub rows: usize = 300, in Range::AtLeast(0.0);
        /// number of classes
        pub classes: usize = 3, in Range::Between(1.0, 1000.0);
        /// number of coordinates
        pub columns: usize = 2, in Range::Between(1.0, 100000.0);
        /// distance of the centres from the origin
        pub distance: f64 = 4.0, in Range::AtLeast(0.0);
    }
}

impl Problem for Clouds {
    fn draw(&self, seed: Seed) -> Result<Dataset> {
        self.check_settings()?;
        let mut stream = seed.fork("clouds").stream();
        let mut centre = || {
            let direction: Vec<f64> = (0..self.columns).map(|_| normal(&mut stream)).collect();
            let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
            direction.iter().map(|x| self.distance * x / length).collect::<Vec<f64>>()
        };
        let centres: Vec<Vec<f64>> = (0..self.classes).map(|_| centre()).collect();
        let (mut values, mut codes) = (vec![], vec![]);
        for row in 0..self.rows {
            let class = row % self.classes;
            values.extend(centres[class].iter().map(|c| c + normal(&mut stream)));
            codes.push(class as u32);
        }
        let names: Vec<String> = (0..self.classes).map(|c| format!("cloud {c}")).collect();
        classified(values, self.columns, codes, &names.iter().map(String::as_str).collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::rows;

    #[test]
    fn clouds_have_unit_variance_around_centres_of_that_length() {
        let data = Clouds { rows: 8000, classes: 2, columns: 3, distance: 5.0 }.draw(Seed(1)).unwrap();
        let all = rows(&data);
        for class in 0..2 {
            let part: Vec<&Vec<f64>> = all.iter().skip(class).step_by(2).collect();
            let mean = |j: usize| part.iter().map(|x| x[j]).sum::<f64>() / part.len() as f64;
            let length = (0..3).map(|j| mean(j).powi(2)).sum::<f64>().sqrt();
            let variance = part.iter().map(|x| (x[0] - mean(0)).powi(2)).sum::<f64>() / part.len() as f64;
            assert!((length - 5.0).abs() < 0.08 && (variance - 1.0).abs() < 0.08, "{length} {variance}");
        }
    }
}
