//! Standard scores: y = (x − mean) / deviation, column by column.
//!
//! Mean and deviation are weighted, over the values that are there; the deviation is that of the population (divided
//! by the sum of weights). A column that never changes is only centred. With `center = false` sparse points stay sparse.

use crate::Affine;
use base::{Certificate, Dataset, Fitted, Learner, Needs, Plan, Record, Result, Run, Size, Traits, Wanted, Weighting};
use numeric::Moments;
use std::sync::Arc;

base::settings! {
    /// Settings of the standard score.
    pub struct Scale {
        /// subtract the mean (sparse data become dense)
        pub center: bool = true, in Range::Any, as "with_mean";
        /// divide by the standard deviation
        pub std: bool = true, in Range::Any, as "with_std", was "deviation";
    }
}

impl Learner for Scale {
    fn name(&self) -> &'static str {
        "scale"
    }

    fn traits(&self) -> Traits<'_> {
        Traits::new(Needs { targets: Wanted::Nothing, table: false, missing: true, weights: Weighting::Exact })
    }

    fn learn(&self, data: &Dataset, _: Option<&Record>, _: &Run<'_>) -> Result<Fitted> {
        let moments = Moments::of(data.points()?, data.weights.as_deref());
        let mut certificate = Certificate::direct();
        let mut constant = 0;
        let mut factor = |(v, m): (&f64, &f64)| match self.std {
            true if !Moments::varies(*m, *v) => {
                constant += 1;
                1.0
            }
            true => 1.0 / v.sqrt(),
            false => 1.0,
        };
        let factors = moments.variance.iter().zip(&moments.mean).map(&mut factor).collect();
        if constant > 0 {
            certificate.fact("constant columns", f64::from(constant));
        }
        let shift = if self.center { moments.mean } else { vec![0.0; moments.weight.len()] };
        let machine = Affine::new(data.features.clone(), shift, factors)?;
        Ok(Fitted { machine: Arc::new(machine), certificate })
    }

    fn plan(&self, size: &Size) -> Plan {
        let entries = size.entries as f64;
        Plan { fit: 6.0 * entries, predict: 2.0 * size.columns as f64, bytes: 8.0 * entries, advice: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Error, Points};
    use testkit::Reads;

    const KNOWN: Reads = Reads(|r| Ok(Arc::new(Affine::read(r)?)));

    #[test]
    fn keeps_the_promises() {
        for scale in [Scale::default(), Scale { center: false, ..Scale::default() }] {
            testkit::check_learner(&scale, &testkit::toy_classes(1), &KNOWN);
        }
    }

    #[test]
    fn scores_have_mean_zero_and_deviation_one_and_gaps_stay() {
        let nan = f64::NAN;
        let points = Points::from_rows(&[[1.0, 7.0, nan], [3.0, 7.0, 2.0], [5.0, 7.0, 6.0]]).unwrap();
        let data = Dataset::new(points, base::Targets::None);
        let run = Run::quiet(1);
        let fitted = Scale::default().fit(&data, None, &run).unwrap();
        let out = fitted.machine.compute(&data.inputs, &run).unwrap().to_dense(&run.memory).unwrap();
        let z = 2.0 / (8.0f64 / 3.0).sqrt();
        testkit::assert_close(&[out[0], out[3], out[6]], &[-z, 0.0, z], 1e-15, "first column");
        assert_eq!((out[1], out[4], out[7]), (0.0, 0.0, 0.0));
        assert!(out[2].is_nan());
        assert_eq!((out[5], out[8]), (-1.0, 1.0));
    }

    #[test]
    fn sparse_stays_sparse_without_centring() {
        let data = testkit::as_sparse(&testkit::toy_classes(2));
        let run = Run::quiet(1);
        let sparse = |scale: Scale| {
            let machine = scale.fit(&data, None, &run)?.machine;
            Ok::<bool, Error>(machine.compute(&data.inputs, &run)?.is_sparse())
        };
        assert_eq!(sparse(Scale { center: false, ..Scale::default() }), Ok(true));
        assert_eq!(sparse(Scale::default()), Ok(false));
    }
}
