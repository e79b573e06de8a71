//! Other ways to shift and stretch columns: by the mean alone, by median and quartiles, or into an interval.
//!
//! - center: x − mean;
//! - robust: (x − median) / (third − first quartile), which few outliers cannot move;
//! - min-max: (x − min) / (max − min), into [0, 1];
//! - symmetric: 2 (x − min) / (max − min) − 1, into [−1, 1].
//!
//! Columns without spread are only shifted. New data meet the same numbers and may fall outside the interval.

use crate::Affine;
use crate::quantiles::quantiles;
use base::{
    Certificate, Dataset, Fitted, Learner, Needs, Plan, Points, Record, Result, Run, Size, Traits, Wanted, Weighting,
};
use numeric::Moments;
use std::sync::Arc;

base::settings! {
    /// Settings of centring (there are none).
    pub struct Center {}
}

base::settings! {
    /// Settings of the robust score.
    pub struct Robust {
        /// fraction of the values between the two quantiles whose distance is the unit
        pub middle: f64 = 0.5, in Range::Share;
    }
}

base::settings! {
    /// Settings of the interval [0, 1] (there are none).
    pub struct MinMax {}
}

base::settings! {
    /// Settings of the interval [−1, 1] (there are none).
    pub struct Symmetric {}
}

macro_rules! step {
    ($type:ty, $name:literal, |$me:ident, $data:ident| $map:expr) => {
        impl Learner for $type {
            fn name(&self) -> &'static str {
                $name
            }

            fn traits(&self) -> Traits<'_> {
                Traits::new(Needs { targets: Wanted::Nothing, table: false, missing: true, weights: Weighting::Exact })
            }

            fn learn(&self, $data: &Dataset, _: Option<&Record>, _: &Run<'_>) -> Result<Fitted> {
                let $me = self;
                let (shift, factor): (Vec<f64>, Vec<f64>) = $map;
                let machine = Affine::new($data.features.clone(), shift, factor)?;
                Ok(Fitted { machine: Arc::new(machine), certificate: Certificate::direct() })
            }

            fn plan(&self, size: &Size) -> Plan {
                let entries = size.entries as f64;
                Plan { fit: 20.0 * entries, predict: 2.0 * size.columns as f64, bytes: 16.0 * entries, advice: None }
            }
        }
    };
}

step!(Center, "center", |_me, data| {
    let mean = Moments::of(data.points()?, data.weights.as_deref()).mean;
    let ones = vec![1.0; mean.len()];
    (mean, ones)
});

step!(Robust, "robust", |me, data| {
    let side = 0.5 * (1.0 - me.middle);
    let levels = [side, 0.5, 1.0 - side];
    let found = quantiles(data.points()?, data.weights.as_deref(), &levels);
    found.iter().map(|q| (q[1], inverse(q[2] - q[0]))).unzip()
});

step!(MinMax, "min-max", |_me, data| {
    extremes(data.points()?).into_iter().map(|(low, high)| (low, inverse(high - low))).unzip()
});

step!(Symmetric, "symmetric", |_me, data| {
    let middle = |(low, high): (f64, f64)| (0.5 * low + 0.5 * high, inverse(0.5 * (high - low)));
    extremes(data.points()?).into_iter().map(middle).unzip()
});

/// 1/x, and 1 where there is no spread.
fn inverse(spread: f64) -> f64 {
    if spread > 0.0 { 1.0 / spread } else { 1.0 }
}

/// Smallest and largest value of each column, gaps left out; what is absent in sparse points is 0.
fn extremes(points: &Points) -> Vec<(f64, f64)> {
    let mut all = vec![(f64::INFINITY, f64::NEG_INFINITY); points.columns()];
    let mut row = vec![0.0; points.columns()];
    for i in 0..points.len() {
        points.write_row(i, &mut row);
        for (range, &x) in all.iter_mut().zip(&row).filter(|(_, x)| !x.is_nan()) {
            *range = (range.0.min(x), range.1.max(x));
        }
    }
    all.into_iter().map(|r| if r.0 <= r.1 { r } else { (0.0, 0.0) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Targets;
    use testkit::Reads;

    const KNOWN: Reads = Reads(|r| Ok(Arc::new(Affine::read(r)?)));

    fn all() -> [Box<dyn Learner>; 4] {
        [Box::<Center>::default(), Box::<Robust>::default(), Box::<MinMax>::default(), Box::<Symmetric>::default()]
    }

    #[test]
    fn keep_the_promises() {
        for step in all() {
            testkit::check_learner(&*step, &testkit::toy_values(1), &KNOWN);
        }
    }

    #[test]
    fn do_what_their_formulas_say() {
        let points = Points::from_rows(&[[1.0, 5.0], [2.0, 5.0], [3.0, 5.0], [4.0, f64::NAN], [100.0, 5.0]]).unwrap();
        let data = Dataset::new(points, Targets::None);
        let run = Run::quiet(1);
        let first = |step: &dyn Learner| {
            let machine = step.fit(&data, None, &run).unwrap().machine;
            let out = machine.compute(&data.inputs, &run).unwrap().to_dense(&run.memory).unwrap();
            assert!(out[7].is_nan() && out[1] == out[3]);
            [out[0], out[4], out[8]]
        };
        let [center, robust, min_max, symmetric] = all();
        assert_eq!(first(&*center), [-21.0, -19.0, 78.0]);
        // Quartiles of 1, 2, 3, 4, 100 are 2 and 4.
        assert_eq!(first(&*robust), [-1.0, 0.0, 48.5]);
        assert_eq!(first(&*min_max), [0.0, 2.0 / 99.0, 1.0]);
        let s = first(&*symmetric);
        assert!((s[0] + 1.0).abs() < 1e-15 && (s[2] - 1.0).abs() < 1e-15);
    }
}
