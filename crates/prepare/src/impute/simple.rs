//! Fills gaps with the (weighted) mean, median or most frequent of the column's present values, or with 0; a column of
//! gaps is filled with 0.
//!
//! Of values equally frequent the smallest is taken. With `indicator` each column that had gaps in training is followed,
//! after all columns, by one that is 1 where a gap was and 0 elsewhere. What is filled is counted in the certificate.
//! Sparse points have no gaps and keep their numbers. O(stored numbers), O(n log n) a column for order and frequency.

use super::gaps;
use crate::quantiles::quantiles;
use base::graph::{Draft, Element, Graph, Op, Unary};
use base::{
    Buffer, Certificate, Dataset, Error, Facets, Features, Fitted, GraphForm, Inputs, Learner, Machine, Missing, Needs,
    Outputs, Plan, Points, PreparationStep, Record, Result, Run, Shared, Size, Traits, Wanted, Weighting,
};
use numeric::Moments;
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
        /// The value with the largest weight, the smallest of equals.
        MostFrequent = "most-frequent",
    }
}

base::settings! {
    /// Settings of the imputation.
    pub struct Impute {
        /// statistic that fills missing values
        pub strategy: Fill = Fill::Mean, in Range::Any, was "with";
        /// add a 0/1 indicator column for each column with missing values
        pub indicator: bool = false, in Range::Any, as "add_indicator";
    }
}

impl Learner for Impute {
    fn name(&self) -> &'static str {
        "impute"
    }

    fn traits(&self) -> Traits<'_> {
        Traits::new(Needs { targets: Wanted::Nothing, table: false, missing: true, weights: Weighting::Exact })
    }

    fn learn(&self, data: &Dataset, _: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        let points = data.points()?;
        let moments = Moments::of(points, data.weights.as_deref());
        let mut certificate = Certificate::direct();
        gaps::certify(&mut certificate, data)?;
        let fill = match self.strategy {
            Fill::Mean => moments.mean,
            Fill::Median => {
                let medians = quantiles(points, data.weights.as_deref(), &[0.5]);
                medians.iter().map(|m| m[0]).collect()
            }
            Fill::Zero => vec![0.0; points.columns()],
            Fill::MostFrequent => most_frequent(points, data.weights.as_deref(), run)?,
        };
        let holed = gaps::count(points).into_iter().enumerate().filter(|(_, gaps)| *gaps > 0 && self.indicator);
        let indicators = holed.map(|(c, _)| c as u32).collect();
        Ok(Fitted { machine: Arc::new(Filler::new(data.features.clone(), fill, indicators)), certificate })
    }

    fn plan(&self, size: &Size) -> Plan {
        let entries = size.entries as f64;
        Plan { fit: 6.0 * entries, predict: size.columns as f64, bytes: 8.0 * entries, advice: None }
    }
}

/// The value of largest weight in each column, the smallest of equals; 0 for a column of gaps.
fn most_frequent(points: &Points, weights: Option<&[f64]>, run: &Run<'_>) -> Result<Vec<f64>> {
    let (n, columns) = (points.len(), points.columns());
    let values = points.to_dense(&run.memory)?;
    let of_column = |c: usize| {
        let mut pairs: Vec<(f64, f64)> =
            (0..n).map(|i| (values[i * columns + c] + 0.0, weights.map_or(1.0, |w| w[i]))).collect();
        pairs.retain(|(x, _)| !x.is_nan());
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut best = (0.0, 0.0);
        for equal in pairs.chunk_by(|a, b| a.0 == b.0) {
            let weight: f64 = equal.iter().map(|pair| pair.1).sum();
            if weight > best.1 {
                best = (equal[0].0, weight);
            }
        }
        Ok(best.0)
    };
    let _hold = run.memory.take_for::<(f64, f64)>(n.saturating_mul(numeric::threads(run)), "values to count")?;
    numeric::each(run, columns, of_column)
}

/// Puts a number of its own into the gaps of each column.
pub struct Filler {
    features: Features,
    outputs: Outputs,
    fill: Vec<f64>,
    /// Columns whose gaps are told in further columns.
    indicators: Vec<u32>,
}

impl Filler {
    /// The kind of its record.
    pub const KIND: &'static str = "filler";

    fn new(features: Features, fill: Vec<f64>, indicators: Vec<u32>) -> Self {
        let told = indicators.iter().map(|&c| format!("{} is missing", features.name(c as usize)));
        let outputs = match indicators.is_empty() {
            true => Outputs::same(&features),
            false => Outputs::features((0..features.count()).map(|c| features.name(c)).chain(told).collect()),
        };
        Filler { outputs, features, fill, indicators }
    }

    /// The machine a record speaks of.
    pub fn read(record: &Record) -> Result<Self> {
        record.expect_within(Self::KIND, 3..=3)?;
        let features = gaps::read_features(record)?;
        let fill = gaps::read_finite(record, "fill", &[features.count()])?;
        let indicators = match record.has("indicators") {
            true => record.ids("indicators")?.to_vec(),
            false => vec![],
        };
        let ascending = indicators.windows(2).all(|w| w[0] < w[1]);
        if !ascending || indicators.last().is_some_and(|&c| c as usize >= features.count()) {
            return Err(record.broken(format!("indicator columns must ascend and stay below {}", features.count())));
        }
        Ok(Self::new(features, fill, indicators))
    }

    /// The same rows with columns of 0 and 1 after them.
    fn tell(&self, inputs: &Points, filled: Points, run: &Run<'_>) -> Result<Points> {
        let (n, d, more) = (filled.len(), filled.columns(), self.indicators.len());
        match (inputs, &filled) {
            (_, Points::Sparse(sparse)) => Ok(Points::Sparse(sparse.widen(d + more))),
            (Points::Dense(before), Points::Dense(after)) => {
                let (mut values, hold) = run.memory.filled(n.saturating_mul(d + more), 0.0, "indicator columns")?;
                for (i, row) in values.chunks_exact_mut(d + more).enumerate() {
                    row[..d].copy_from_slice(&after.row(i));
                    let old = before.row(i);
                    let told = self.indicators.iter().map(|&c| f64::from(u8::from(old[c as usize].is_nan())));
                    row[d..].iter_mut().zip(told).for_each(|(x, told)| *x = told);
                }
                Points::dense(Buffer::F64(Shared::counted(values, hold)), n, d + more)
            }
            _ => Err(Error::size("filled points", "dense", "sparse")),
        }
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
        let filled = gaps::filled(inputs, run, |values| {
            for row in values.chunks_exact_mut(self.fill.len().max(1)) {
                for (x, &fill) in row.iter_mut().zip(&self.fill).filter(|(x, _)| x.is_nan()) {
                    *x = fill;
                }
            }
            Ok(())
        })?;
        match inputs {
            Inputs::Points(points) if !self.indicators.is_empty() => self.tell(points, filled, run),
            _ => Ok(filled),
        }
    }

    fn record(&self) -> Record {
        let told = !self.indicators.is_empty();
        Record::new(Self::KIND, 3)
            .with("inputs", self.features.record())
            .with_array("fill", &[self.fill.len()], self.fill.clone())
            .with_some("indicators", told.then(|| self.indicators.clone()))
    }

    fn facets(&self) -> Facets<'_> {
        Facets { missing: Missing::HANDLED, graph: Some(self), step: Some(self), ..Facets::default() }
    }
}

impl GraphForm for Filler {
    fn graph(&self, _run: &Run<'_>) -> Result<Option<Graph>> {
        let mut draft = Draft::rows(self.features.count());
        let fill = draft.numbers("fill", self.fill.clone())?;
        let gaps = draft.node("gaps", Op::Unary(Unary::IsNan), &[Draft::INPUT]);
        let filled = draft.node("filled", Op::Where, &[gaps, fill, Draft::INPUT]);
        if self.indicators.is_empty() {
            return draft.graph(filled).map(Some);
        }
        let told = self.indicators.iter().map(|&c| c as i64).collect::<Vec<_>>();
        let told = draft.wholes("told", &[told.len()], told)?;
        let gaps = draft.node("gaps told", Op::Gather { axis: 1 }, &[gaps, told]);
        let gaps = draft.node("gaps as numbers", Op::Cast { to: Element::F64 }, &[gaps]);
        let both = draft.node("filled and gaps", Op::Concat { axis: 1 }, &[filled, gaps]);
        draft.graph(both).map(Some)
    }
}

impl PreparationStep for Filler {
    fn origin(&self) -> Option<base::Origin> {
        let columns = 0..self.features.count() as u32;
        base::Origin::new(columns.chain(self.indicators.iter().copied()).collect(), self.features.clone()).ok()
    }

    fn restore(&self, outputs: &Points, _run: &Run<'_>) -> Result<Option<Inputs>> {
        let d = self.features.count();
        let mut values = Vec::with_capacity(outputs.len() * d);
        let mut row = vec![0.0; outputs.columns()];
        for i in 0..outputs.len() {
            outputs.write_row(i, &mut row);
            values.extend_from_slice(&row[..d]);
        }
        Ok(Some(Inputs::Points(Points::dense(values, outputs.len(), d)?)))
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
        for with in [Fill::Mean, Fill::Median, Fill::Zero, Fill::MostFrequent] {
            let indicator = with == Fill::Median;
            testkit::check_learner(&Impute { strategy: with, indicator }, &testkit::toy_classes(1), &Known);
        }
    }

    #[test]
    fn gaps_become_means_and_are_counted() {
        let nan = f64::NAN;
        let points = Points::from_rows(&[[1.0, nan, nan], [3.0, 4.0, nan], [nan, 8.0, nan]]).unwrap();
        let data = Dataset { weights: Some(vec![3.0, 1.0, 1.0].into()), ..Dataset::new(points, base::Targets::None) };
        let run = Run::quiet(1);
        let fitted = Impute::default().fit(&data, None, &run).unwrap();
        let out = fitted.machine.compute(&data.inputs, &run).unwrap().to_dense(&run.memory).unwrap();
        assert_eq!(&out[..], [1.0, 6.0, 0.0, 3.0, 4.0, 0.0, 1.5, 8.0, 0.0]);
        let median = Impute { strategy: Fill::Median, ..Impute::default() }.fit(&data, None, &run).unwrap().machine;
        let filled = median.compute(&data.inputs, &run).unwrap().to_dense(&run.memory).unwrap();
        assert_eq!((filled[6], filled[1]), (1.0, 6.0));
        assert_eq!(fitted.certificate.facts["missing values filled"], Fact::Number(5.0));
        assert_eq!(fitted.certificate.warnings, ["columns without any value are filled with 0: 2"]);
    }

    #[test]
    fn the_most_frequent_value_and_where_gaps_were() {
        let nan = f64::NAN;
        let rows = [[2.0, nan, 7.0], [1.0, 5.0, 7.0], [1.0, 4.0, 6.0], [2.0, nan, 6.0], [nan, nan, 8.0]];
        let data = Dataset::new(Points::from_rows(&rows).unwrap(), base::Targets::None);
        let run = Run::quiet(1);
        let learner = Impute { strategy: Fill::MostFrequent, indicator: true };
        let fit = |weights| learner.fit(&Dataset { weights, ..data.clone() }, None, &run).unwrap().machine;
        let machine = fit(None);
        let out = machine.compute(&data.inputs, &run).unwrap().to_dense(&run.memory).unwrap();
        assert_eq!(&out[20..], [1.0, 4.0, 8.0, 1.0, 1.0], "the smallest of equals, then where gaps were");
        assert_eq!(&out[..5], [2.0, 4.0, 7.0, 0.0, 1.0]);
        assert_eq!(&machine.outputs().names[3..], ["0 is missing", "1 is missing"]);
        let heavy = fit(Some(vec![2.0, 1.0, 1.0, 1.0, 1.0].into()));
        let out = heavy.compute(&data.inputs, &run).unwrap().to_dense(&run.memory).unwrap();
        assert_eq!(out[20], 2.0);
        let back = Filler::read(&machine.record()).unwrap();
        assert_eq!((back.record(), back.outputs()), (machine.record(), machine.outputs()));
        let sparse =
            testkit::as_sparse(&Dataset::new(Points::from_rows(&[[0.0, 1.0, 0.0]]).unwrap(), base::Targets::None));
        let out = machine.compute(&sparse.inputs, &run).unwrap();
        assert!(out.is_sparse());
        assert_eq!(&out.to_dense(&run.memory).unwrap()[..], [0.0, 1.0, 0.0, 0.0, 0.0]);
    }
}
