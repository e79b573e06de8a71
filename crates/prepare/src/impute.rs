//! Fills gaps with the (weighted) mean or median of the column's present values; a column of gaps is filled with 0.
//!
//! What is filled is counted in the certificate. Sparse points have no gaps and pass unchanged. O(stored numbers).

use crate::moments::Moments;
use crate::quantiles::quantiles;
use base::{
    Buffer, Certificate, Dataset, Error, Features, Fitted, Inputs, Learner, Machine, Needs, Outputs, Plan, Points,
    Record, Result, Run, Shared, Size, Wanted, Weighting,
};
use std::sync::Arc;

base::choices! {
    /// What a gap is filled with.
    pub enum Fill {
        /// The mean of the values that are there.
        Mean = "mean",
        /// Their median.
        Median = "median",
        /// Zero.
        Zero = "zero",
    }
}

base::settings! {
    /// Settings of the imputation.
    pub struct Impute {
        /// what a gap is filled with
        pub with: Fill = Fill::Mean, in Range::Any;
    }
}

impl Learner for Impute {
    fn name(&self) -> &'static str {
        "impute"
    }

    fn needs(&self) -> Needs {
        Needs { targets: Wanted::Nothing, table: false, missing: true, weights: Weighting::Exact }
    }

    fn learn(&self, data: &Dataset, _: Option<&Record>, _: &Run<'_>) -> Result<Fitted> {
        let points = data.points()?;
        let moments = Moments::of(points, data.weights.as_deref());
        let mut certificate = Certificate::direct();
        let gaps = match points {
            Points::Dense(d) => (0..d.len()).map(|i| d.row(i).iter().filter(|x| x.is_nan()).count()).sum(),
            Points::Sparse(_) => 0,
        };
        certificate.fact("gaps filled", gaps as f64);
        let empty: Vec<String> =
            (0..points.columns()).filter(|&c| moments.weight[c] == 0.0).map(|c| data.features.name(c)).collect();
        if !empty.is_empty() {
            certificate.warn(format!("columns without any value are filled with 0: {}", empty.join(", ")));
        }
        let fill = match self.with {
            Fill::Mean => moments.mean,
            Fill::Median => {
                let medians = quantiles(points, data.weights.as_deref(), &[0.5]);
                medians.iter().map(|m| m[0]).collect()
            }
            Fill::Zero => vec![0.0; points.columns()],
        };
        Ok(Fitted { machine: Arc::new(Filler::new(data.features.clone(), fill)?), certificate })
    }

    fn boxed(&self) -> Box<dyn Learner> {
        Box::new(self.clone())
    }

    fn plan(&self, size: &Size) -> Plan {
        let entries = size.entries as f64;
        Plan { fit: 6.0 * entries, predict: size.columns as f64, bytes: 8.0 * entries, advice: None }
    }
}

/// Puts a number of its own into the gaps of each column.
pub struct Filler {
    features: Features,
    outputs: Outputs,
    fill: Vec<f64>,
}

impl Filler {
    /// The kind of its record.
    pub const KIND: &'static str = "filler";

    fn new(features: Features, fill: Vec<f64>) -> Result<Self> {
        let names = (0..features.count()).map(|c| features.name(c)).collect();
        Ok(Filler { outputs: Outputs::features(names), features, fill })
    }

    /// The machine a record speaks of.
    pub fn read(record: &Record) -> Result<Self> {
        record.expect(Self::KIND, 1)?;
        let features = Features::read(record.part("features")?)?;
        let fill = record.array_of("fill", &[features.count()])?;
        Self::new(features, fill)
    }
}

impl Machine for Filler {
    fn inputs(&self) -> &Features {
        &self.features
    }

    fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    fn apply(&self, inputs: &Inputs, run: &Run<'_>) -> Result<Points> {
        let dense = match inputs {
            Inputs::Points(Points::Dense(dense)) => dense,
            Inputs::Points(sparse) => return Ok(sparse.clone()),
            Inputs::Table(_) => return Err(Error::size("inputs", "points", "a table")),
        };
        let count = dense.values().len();
        let hold = run.memory.take_for::<f64>(count, "points without gaps")?;
        let mut values = dense.values().get(0..count).into_owned();
        for row in values.chunks_exact_mut(dense.columns().max(1)) {
            for (x, &fill) in row.iter_mut().zip(&self.fill) {
                if x.is_nan() {
                    *x = fill;
                }
            }
        }
        Points::dense(Buffer::F64(Shared::counted(values, hold)), dense.len(), dense.columns())
    }

    fn record(&self) -> Record {
        Record::new(Self::KIND, 1).with("features", self.features.record()).with_array(
            "fill",
            &[self.fill.len()],
            self.fill.clone(),
        )
    }

    fn admits_missing(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Catalog, EmptyCatalog, Fact};

    struct Known;
    impl Catalog for Known {
        fn learner(&self, name: &str) -> Result<Box<dyn Learner>> {
            EmptyCatalog.learner(name)
        }
        fn machine(&self, record: &Record) -> Result<Arc<dyn Machine>> {
            Ok(Arc::new(Filler::read(record)?))
        }
    }

    #[test]
    fn keeps_the_promises() {
        for with in [Fill::Mean, Fill::Median, Fill::Zero] {
            testkit::check_learner(&Impute { with }, &testkit::toy_classes(1), &Known);
        }
    }

    #[test]
    fn gaps_become_means_and_are_counted() {
        let nan = f64::NAN;
        let points = Points::from_rows(&[[1.0, nan, nan], [3.0, 4.0, nan], [nan, 8.0, nan]]).unwrap();
        let data = Dataset { weights: Some(vec![3.0, 1.0, 1.0]), ..Dataset::new(points, base::Targets::None) };
        let run = Run::quiet(1);
        let fitted = Impute::default().fit(&data, None, &run).unwrap();
        let out = fitted.machine.compute(&data.inputs, &run).unwrap().to_dense(&run.memory).unwrap();
        assert_eq!(&out[..], [1.0, 6.0, 0.0, 3.0, 4.0, 0.0, 1.5, 8.0, 0.0]);
        let median = Impute { with: Fill::Median }.fit(&data, None, &run).unwrap().machine;
        let filled = median.compute(&data.inputs, &run).unwrap().to_dense(&run.memory).unwrap();
        assert_eq!((filled[6], filled[1]), (1.0, 6.0));
        assert_eq!(fitted.certificate.facts["gaps filled"], Fact::Number(5.0));
        assert_eq!(fitted.certificate.warnings, ["columns without any value are filled with 0: 2"]);
    }
}
