//! Steps without fitted numbers: the logarithm of each value, and rows brought to unit length.
//!
//! - log: log(x + ε), ε = 1 by default, which maps 0 to 0; a value at or below −ε is refused with its place;
//! - unit: x / ‖x‖_p, rows of zeros stay as they are; p = 2 makes Euclidean distance an angle, p = 1 makes shares.
//!
//! Sparse points stay sparse under unit, and under log with ε = 1. O(stored numbers).

use base::graph::{Binary, Draft, Graph, Op, Reduction, Unary};
use base::{
    Buffer, Certificate, Dataset, Error, Facets, Features, Fitted, GraphForm, Inputs, Learner, Machine, Missing, Needs,
    Origin, Outputs, Place, Plan, Points, PreparationStep, Record, Result, Run, Shared, Size, Sparse, Traits, Wanted,
    Weighting,
};
use std::sync::Arc;

base::settings! {
    /// Settings of the logarithm.
    pub struct Log {
        /// added before taking the logarithm
        pub epsilon: f64 = 1.0, in Range::AtLeast(0.0);
    }
}

base::settings! {
    /// Settings of the unit length.
    pub struct Unit {
        /// order p of the norm: 1 is L1, 2 Euclidean
        pub p: f64 = 2.0, in Range::Between(1.0, 100.0);
    }
}

/// What is done to each value or row.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Change {
    Log(f64),
    Unit(f64),
}

macro_rules! step {
    ($type:ty, $name:literal, $missing:literal, $contract:expr, |$me:ident| $change:expr) => {
        impl Learner for $type {
            fn name(&self) -> &'static str {
                $name
            }

            fn traits(&self) -> Traits<'_> {
                Traits::new(Needs {
                    targets: Wanted::Nothing,
                    table: false,
                    missing: $missing,
                    weights: Weighting::Exact,
                })
                .contract($contract)
            }

            fn learn(&self, data: &Dataset, _: Option<&Record>, _: &Run<'_>) -> Result<Fitted> {
                let $me = self;
                let machine = Elementwise::new(data.features.clone(), $change);
                Ok(Fitted { machine: Arc::new(machine), certificate: Certificate::direct() })
            }

            fn plan(&self, size: &Size) -> Plan {
                let columns = size.columns as f64;
                Plan { fit: 0.0, predict: 20.0 * columns, bytes: 8.0 * size.entries as f64, advice: None }
            }
        }
    };
}

// Data of the contract have negative numbers.
step!(Log, "log", true, &[("epsilon", "50")], |me| Change::Log(me.epsilon));
step!(Unit, "unit", false, &[], |me| Change::Unit(me.p));

/// Changes each value or row in the same way.
pub struct Elementwise {
    features: Features,
    outputs: Outputs,
    change: Change,
}

impl Elementwise {
    /// The kind of its record.
    pub const KIND: &'static str = "elementwise";

    fn new(features: Features, change: Change) -> Self {
        Elementwise { outputs: Outputs::same(&features), features, change }
    }

    /// The machine a record speaks of.
    pub fn read(record: &Record) -> Result<Self> {
        record.expect_within(Self::KIND, 2..=2)?;
        let number = record.number("number")?;
        let change = match record.text("change")? {
            "log" if number >= 0.0 => Change::Log(number),
            "unit" if (1.0..=100.0).contains(&number) => Change::Unit(number),
            other => return Err(record.broken(format!("unknown change {other:?} with {number}"))),
        };
        Ok(Self::new(Features::read(record.part("inputs")?)?, change))
    }

    /// Changes one row; `id` gives the column of a place.
    fn row(&self, row: usize, values: &mut [f64], id: impl Fn(usize) -> usize) -> Result<()> {
        match self.change {
            Change::Log(epsilon) => {
                for (k, x) in values.iter_mut().enumerate() {
                    if *x + epsilon <= 0.0 {
                        let place = Place::Cell { row, column: self.features.name(id(k)) };
                        return Err(Error::data(place, format!("{x} + {epsilon} has no logarithm; raise epsilon")));
                    }
                    *x = if epsilon == 1.0 { x.ln_1p() } else { (*x + epsilon).ln() };
                }
            }
            Change::Unit(p) => {
                // Divided by the largest first, so that powers neither overflow nor vanish.
                let top = values.iter().fold(0.0f64, |m, x| m.max(x.abs()));
                if top > 0.0 {
                    let sum: f64 = values.iter().map(|x| (x.abs() / top).powf(p)).sum();
                    let norm = top * sum.powf(1.0 / p);
                    values.iter_mut().for_each(|x| *x /= norm);
                }
            }
        }
        Ok(())
    }
}

impl Machine for Elementwise {
    crate::ends!();

    fn apply(&self, inputs: &Inputs, run: &Run<'_>) -> Result<Points> {
        let points = inputs.points()?;
        let fills = matches!(self.change, Change::Log(e) if e != 1.0);
        let hold = run.memory.take(points.bytes(), "changed points")?;
        match points {
            Points::Sparse(sparse) if !fills => {
                let (mut starts, mut ids, mut values) = (vec![0], vec![], vec![]);
                for i in 0..sparse.len() {
                    let (row_ids, row_values) = sparse.row(i);
                    let begin = values.len();
                    ids.extend_from_slice(row_ids);
                    values.extend_from_slice(row_values);
                    self.row(i, &mut values[begin..], |k| row_ids[k] as usize)?;
                    starts.push(ids.len());
                }
                Ok(Points::Sparse(Sparse::new(starts, ids, Shared::counted(values, hold), sparse.columns())?))
            }
            _ => {
                let columns = points.columns();
                let mut values = points.to_dense(&run.memory)?.to_vec();
                let rows = values.chunks_exact_mut(columns.max(1)).enumerate();
                rows.into_iter().try_for_each(|(i, row)| self.row(i, row, |k| k))?;
                Points::dense(Buffer::F64(Shared::counted(values, hold)), points.len(), columns)
            }
        }
    }

    fn record(&self) -> Record {
        let (word, number) = match self.change {
            Change::Log(epsilon) => ("log", epsilon),
            Change::Unit(p) => ("unit", p),
        };
        Record::new(Self::KIND, 2).with("inputs", self.features.record()).with("change", word).with("number", number)
    }

    fn facets(&self) -> Facets<'_> {
        Facets {
            missing: Missing::passed_if(matches!(self.change, Change::Log(_))),
            graph: Some(self),
            step: Some(self),
            ..Facets::default()
        }
    }
}

impl GraphForm for Elementwise {
    fn graph(&self, _run: &Run<'_>) -> Result<Option<Graph>> {
        let mut draft = Draft::rows(self.features.count());
        let y = match self.change {
            Change::Log(epsilon) => {
                let epsilon = draft.number("epsilon", epsilon)?;
                let raised = draft.node("raised", Op::Binary(Binary::Add), &[Draft::INPUT, epsilon]);
                draft.node("log", Op::Unary(Unary::Log), &[raised])
            }
            Change::Unit(p) => {
                // Divided by the largest first, as the machine does; rows of zeros by 1.
                let largest = Op::Reduce { reduction: Reduction::Max, axes: vec![1], keep: true };
                let sizes = draft.node("sizes", Op::Unary(Unary::Abs), &[Draft::INPUT]);
                let top = draft.node("largest", largest, &[sizes]);
                let (zero, one) = (draft.number("zero", 0.0)?, draft.number("one", 1.0)?);
                let empty = draft.node("nothing", Op::Binary(Binary::Equal), &[top, zero]);
                let top = draft.node("largest or one", Op::Where, &[empty, one, top]);
                let shares = draft.node("shares", Op::Binary(Binary::Div), &[sizes, top]);
                let (power, root) = (draft.number("p", p)?, draft.number("1/p", 1.0 / p)?);
                let powers = draft.node("powers", Op::Binary(Binary::Pow), &[shares, power]);
                let sum = Op::Reduce { reduction: Reduction::Sum, axes: vec![1], keep: true };
                let sum = draft.node("sum", sum, &[powers]);
                let norm = draft.node("norm of shares", Op::Binary(Binary::Pow), &[sum, root]);
                let norm = draft.node("norm", Op::Binary(Binary::Mul), &[norm, top]);
                let norm = draft.node("norm or one", Op::Where, &[empty, one, norm]);
                draft.node("unit", Op::Binary(Binary::Div), &[Draft::INPUT, norm])
            }
        };
        draft.graph(y).map(Some)
    }
}

impl PreparationStep for Elementwise {
    fn origin(&self) -> Option<Origin> {
        Some(Origin::same(&self.features))
    }

    fn restore(&self, outputs: &Points, run: &Run<'_>) -> Result<Option<Inputs>> {
        let Change::Log(epsilon) = self.change else { return Ok(Some(Inputs::Points(outputs.clone()))) };
        let back = |y: &f64| if epsilon == 1.0 { y.exp_m1() } else { y.exp() - epsilon };
        let values: Vec<f64> = outputs.to_dense(&run.memory)?.iter().map(back).collect();
        Ok(Some(Inputs::Points(Points::dense(values, outputs.len(), outputs.columns())?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Targets;
    use testkit::Reads;

    const KNOWN: Reads = Reads(|r| Ok(Arc::new(Elementwise::read(r)?)));

    #[test]
    fn keep_the_promises() {
        let data = testkit::toy_classes(1);
        testkit::check_learner(&Log { epsilon: 50.0 }, &data, &KNOWN);
        for p in [1.0, 2.0, 3.0] {
            testkit::check_learner(&Unit { p }, &data, &KNOWN);
        }
    }

    fn apply(step: &dyn Learner, rows: &[[f64; 2]]) -> Result<Vec<f64>> {
        let data = Dataset::new(Points::from_rows(rows)?, Targets::None);
        let run = Run::quiet(1);
        let machine = step.fit(&data, None, &run)?.machine;
        let sparse = machine.compute(&testkit::as_sparse(&data).inputs, &run)?;
        let out = machine.compute(&data.inputs, &run)?.to_dense(&run.memory)?;
        assert_eq!(out, sparse.to_dense(&run.memory)?);
        Ok(out.to_vec())
    }

    #[test]
    fn do_what_their_formulas_say() {
        assert_eq!(apply(&Unit::default(), &[[3.0, -4.0], [0.0, 0.0]]), Ok(vec![0.6, -0.8, 0.0, 0.0]));
        assert_eq!(apply(&Unit { p: 1.0 }, &[[1.0, 3.0]]), Ok(vec![0.25, 0.75]));
        assert_eq!(apply(&Unit::default(), &[[1e300, 1e300]]).map(|v| (v[0] - 0.5f64.sqrt()).abs() < 1e-15), Ok(true));
        assert_eq!(apply(&Log::default(), &[[0.0, std::f64::consts::E - 1.0]]).map(|v| v[0]), Ok(0.0));
        let error = apply(&Log::default(), &[[1.0, 2.0], [1.0, -1.0]]).unwrap_err().to_string();
        assert!(error.contains("row 2, column \"1\"") && error.contains("raise epsilon"), "{error}");
    }
}
