//! Gaps left out: columns that have too many of them, or rows that have any.
//!
//! **Columns.** A column whose share of gaps (by weight) is above a limit is dropped, in training and in new data alike.
//! **Rows.** Leaving out rows with gaps is nothing a model can do to new rows, which all want an answer, so it is a
//! function on training data and no step: [`complete_rows`]. It costs power (with 5 % of gaps in each of 20 columns only
//! 36 % of the rows are complete) and is free of bias only if gaps come completely at random; filling is free of it also
//! where gaps depend on what is there.

use super::gaps;
use base::graph::{Draft, Graph, Op};
use base::{
    Buffer, Certificate, Dataset, Error, Facets, Features, Fitted, Gradient, GraphForm, Inputs, Learner, Machine,
    Missing, Needs, Outputs, Plan, Points, PreparationStep, Record, Result, Run, Shared, Size, Sparse, Traits, Wanted,
    Weighting, vjp_by_row,
};
use numeric::Moments;
use std::sync::Arc;

/// The rows without any gap, and how many were left out.
///
/// ```
/// # use base::{Dataset, Points, Targets};
/// let points = Points::from_rows(&[[1.0, f64::NAN], [2.0, 3.0]])?;
/// let (kept, left_out) = pellucid_prepare::complete_rows(&Dataset::new(points, Targets::None))?;
/// assert_eq!((kept.len(), left_out), (1, 1));
/// # Ok::<(), base::Error>(())
/// ```
pub fn complete_rows(data: &Dataset) -> Result<(Dataset, usize)> {
    let complete = |i: usize| match &data.inputs {
        Inputs::Points(Points::Dense(dense)) => dense.row(i).iter().all(|x| !x.is_nan()),
        Inputs::Points(Points::Sparse(_)) => true,
        Inputs::Table(table) => table.columns().iter().all(|c| c.cells.text(i).is_some()),
    };
    let rows: Vec<usize> = (0..data.len()).filter(|&i| complete(i)).collect();
    let left_out = data.len() - rows.len();
    Ok((data.select(&rows)?, left_out))
}

base::settings! {
    /// Settings of dropping columns with many missing values.
    pub struct SparseColumns {
        /// largest fraction of missing values a column may have
        pub share: f64 = 0.5, in Range::Between(0.0, 1.0);
    }
}

impl Learner for SparseColumns {
    fn name(&self) -> &'static str {
        "sparse-columns"
    }

    fn traits(&self) -> Traits<'_> {
        Traits::new(Needs { targets: Wanted::Nothing, table: false, missing: true, weights: Weighting::Exact })
    }

    fn learn(&self, data: &Dataset, _: Option<&Record>, _: &Run<'_>) -> Result<Fitted> {
        let points = data.points()?;
        let present = Moments::of(points, data.weights.as_deref()).weight;
        let total: f64 = data.weights.as_ref().map_or(points.len() as f64, |w| w.iter().sum());
        let keep: Vec<u32> =
            (0..points.columns()).filter(|&c| total - present[c] <= self.share * total).map(|c| c as u32).collect();
        if keep.is_empty() {
            let must = "leaves no column: all have a larger fraction of missing values; raise it";
            return Err(Error::parameter("share", self.share, must));
        }
        let mut certificate = Certificate::direct();
        let dropped: Vec<String> =
            (0..points.columns()).filter(|c| !keep.contains(&(*c as u32))).map(|c| data.features.name(c)).collect();
        certificate.fact("columns dropped", dropped.len() as f64);
        let counts = gaps::count(points).iter().map(|&g| g as f64).collect();
        certificate.facts.insert("missing values by column".into(), base::Fact::Curve(counts));
        if !dropped.is_empty() {
            certificate.warn(format!("columns with too many missing values were dropped: {}", dropped.join(", ")));
        }
        Ok(Fitted { machine: Arc::new(KeptColumns::new(data.features.clone(), keep)), certificate })
    }

    fn plan(&self, size: &Size) -> Plan {
        let entries = size.entries as f64;
        Plan { fit: 4.0 * entries, predict: size.columns as f64, bytes: 8.0 * entries, advice: None }
    }
}

/// Keeps some of the columns.
pub struct KeptColumns {
    features: Features,
    outputs: Outputs,
    keep: Vec<u32>,
}

impl KeptColumns {
    /// The kind of its record.
    pub const KIND: &'static str = "kept-columns";

    fn new(features: Features, keep: Vec<u32>) -> Self {
        let names = keep.iter().map(|&c| features.name(c as usize)).collect();
        KeptColumns { outputs: Outputs::features(names), features, keep }
    }

    /// A machine from plain data; everything is checked.
    pub fn read(record: &Record) -> Result<Self> {
        record.expect_within(Self::KIND, 2..=2)?;
        let features = gaps::read_features(record)?;
        let keep = record.ids("columns")?.to_vec();
        let ascending = keep.windows(2).all(|w| w[0] < w[1]);
        match keep.last() {
            Some(&last) if ascending && (last as usize) < features.count() => Ok(Self::new(features, keep)),
            _ => Err(record.broken(format!("kept columns must ascend and stay below {}", features.count()))),
        }
    }
}

impl Machine for KeptColumns {
    fn inputs(&self) -> &Features {
        &self.features
    }

    fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    fn apply(&self, inputs: &Inputs, run: &Run<'_>) -> Result<Points> {
        let Inputs::Points(points) = inputs else { return Err(Error::size("inputs", "points", "a table")) };
        let hold = run.memory.take(points.bytes(), "kept columns")?;
        let (n, d) = (points.len(), self.keep.len());
        match points {
            Points::Dense(dense) => {
                let mut values = Vec::with_capacity(n * d);
                for i in 0..n {
                    let row = dense.row(i);
                    values.extend(self.keep.iter().map(|&c| row[c as usize]));
                }
                Points::dense(Buffer::F64(Shared::counted(values, hold)), n, d)
            }
            Points::Sparse(sparse) => {
                let (mut starts, mut ids, mut values) = (vec![0], vec![], vec![]);
                for i in 0..n {
                    let (row, numbers) = sparse.row(i);
                    for (id, x) in row.iter().zip(numbers) {
                        if let Ok(place) = self.keep.binary_search(id) {
                            ids.push(place as u32);
                            values.push(*x);
                        }
                    }
                    starts.push(ids.len());
                }
                Ok(Points::Sparse(Sparse::new(starts, ids, Shared::counted(values, hold), d)?))
            }
        }
    }

    fn record(&self) -> Record {
        Record::new(Self::KIND, 2).with("inputs", self.features.record()).with("columns", self.keep.clone())
    }

    fn facets(&self) -> Facets<'_> {
        Facets {
            missing: Missing::PASSED,
            gradient: Some(self),
            graph: Some(self),
            step: Some(self),
            ..Facets::default()
        }
    }
}

impl GraphForm for KeptColumns {
    fn graph(&self, _run: &Run<'_>) -> Result<Option<Graph>> {
        let mut draft = Draft::rows(self.features.count());
        let columns = self.keep.iter().map(|&c| c as i64).collect::<Vec<_>>();
        let columns = draft.wholes("columns", &[columns.len()], columns)?;
        let kept = draft.node("kept", Op::Gather { axis: 1 }, &[Draft::INPUT, columns]);
        draft.graph(kept).map(Some)
    }
}

impl PreparationStep for KeptColumns {
    fn origin(&self) -> Option<base::Origin> {
        base::Origin::new(self.keep.to_vec(), self.features.clone()).ok()
    }
}

impl Gradient for KeptColumns {
    fn vjp(&self, points: &Points, direction: &[f64], out: &mut [f64], run: &Run<'_>) -> Result<()> {
        vjp_by_row(points, direction, out, run, |_, direction, out| {
            out.fill(0.0);
            self.keep.iter().zip(direction).for_each(|(&c, d)| out[c as usize] = *d);
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Cells, Column, Table, Targets};

    #[test]
    fn columns_of_gaps_go_in_training_and_after() {
        let nan = f64::NAN;
        let points = Points::from_rows(&[[1.0, nan, 3.0], [nan, nan, 4.0], [2.0, 5.0, 6.0], [2.0, nan, 6.0]]).unwrap();
        let data = Dataset::new(points, Targets::None);
        let run = Run::quiet(1);
        let fit = |share, weights| SparseColumns { share }.fit(&Dataset { weights, ..data.clone() }, None, &run);
        let fitted = fit(0.5, None).unwrap();
        assert_eq!(&fitted.machine.outputs().names[..], ["0", "2"]);
        assert_eq!(fitted.certificate.warnings, ["columns with too many missing values were dropped: 1"]);
        let row = Points::from_rows(&[[nan, 7.0, 8.0]]).unwrap();
        let out = fitted.machine.compute(&row.into(), &run).unwrap().to_dense(&run.memory).unwrap();
        assert!(out[0].is_nan() && out[1] == 8.0);
        assert_eq!(fit(0.75, None).unwrap().machine.outputs().names.len(), 3, "the limit itself is admitted");
        assert_eq!(fit(0.5, Some(vec![1.0, 1.0, 2.0, 1.0].into())).unwrap().machine.outputs().names.len(), 2);
        assert_eq!(fit(0.5, Some(vec![1.0, 1.0, 4.0, 1.0].into())).unwrap().machine.outputs().names.len(), 3);
        assert_eq!(&fit(0.0, None).unwrap().machine.outputs().names[..], ["2"]);
        let empty = Dataset::new(Points::from_rows(&[[nan]]).unwrap(), Targets::None);
        let error = SparseColumns::default().fit(&empty, None, &run).err().map(|e| e.to_string());
        assert!(error.is_some_and(|e| e.contains("leaves no column")));
    }

    #[test]
    fn rows_with_gaps_are_left_out_of_tables_too() {
        let number = Column { name: "x".into(), cells: Cells::Number(vec![1.0, f64::NAN, 3.0].into()) };
        let word = Column { name: "w".into(), cells: Cells::categories([Some("a"), Some("b"), None].into_iter()) };
        let data = Dataset::new(Table::new(vec![number, word]).unwrap(), Targets::None);
        let data = Dataset { weights: Some(vec![1.0, 2.0, 3.0].into()), ..data };
        let (kept, left_out) = complete_rows(&data).unwrap();
        assert_eq!((kept.len(), left_out, kept.weights), (1, 2, Some(vec![1.0].into())));
    }
}
