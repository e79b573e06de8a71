//! A chain admits gaps just where every machine that they reach does.
#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use base::{Chain, Dataset, Inputs, Learner, Machine, Pipeline, Points, Run, Values};
use linear::Ridge;
use pellucid_prepare::{Impute, Scale, SparseColumns};
use std::sync::Arc;

/// Three columns, of which the last has gaps in most rows.
fn data() -> Dataset {
    let row = |i: usize| {
        let x = i as f64;
        [x, (x * 1.7).sin(), if i.is_multiple_of(5) { x.cos() } else { f64::NAN }]
    };
    let rows: Vec<f64> = (0..30).flat_map(row).collect();
    let y = (0..30).map(|i| i as f64 * 0.5).collect::<Vec<f64>>();
    Dataset::new(Points::dense(rows, 30, 3).unwrap(), base::Targets::Values(Values::new(y, "y")))
}

fn whole() -> Dataset {
    let rows: Vec<f64> = (0..90).map(|i| (i as f64 * 0.37).sin()).collect();
    Dataset { inputs: Points::dense(rows, 30, 3).unwrap().into(), ..data() }
}

fn fitted(steps: Vec<Box<dyn Learner>>, data: &Dataset) -> Arc<dyn Machine> {
    Pipeline { steps }.fit(data, None, &Run::quiet(1)).unwrap().machine
}

fn with_gap(column: usize) -> Inputs {
    let mut row = vec![0.5; 3];
    row[column] = f64::NAN;
    Points::dense(row, 1, 3).unwrap().into()
}

#[test]
fn what_a_chain_claims_is_what_it_does() {
    let run = Run::quiet(1);
    let (scale, ridge) = (|| Box::new(Scale::default()) as Box<dyn Learner>, || Box::new(Ridge::default()) as Box<_>);
    let fill = || Box::new(Impute::default()) as Box<dyn Learner>;
    for (steps, whole_rows, admits) in [
        (vec![scale(), ridge()], true, false),
        (vec![ridge()], true, false),
        (vec![fill(), ridge()], false, true),
        (vec![fill(), scale(), ridge()], false, true),
        (vec![scale(), fill(), ridge()], false, true),
        (vec![scale(), scale(), ridge()], true, false),
    ] {
        let names: Vec<&str> = steps.iter().map(|s| s.name()).collect();
        let label = names.join(", ");
        let machine = fitted(steps, &if whole_rows { whole() } else { data() });
        assert_eq!(machine.facets().missing.admits, admits, "{label}");
        for column in 0..3 {
            assert_eq!(machine.compute(&with_gap(column), &run).is_ok(), admits, "{label}: column {column}");
        }
    }
}

#[test]
fn gaps_pass_only_where_nobody_fills_them() {
    let scale = fitted(vec![Box::new(Scale::default())], &whole());
    let fill = fitted(vec![Box::new(Impute::default())], &data());
    let chain = |parts: &[&Arc<dyn Machine>]| Chain::new(parts.iter().map(|m| Arc::clone(m)).collect()).unwrap();
    assert!(chain(&[&scale, &scale]).facets().missing.passes && chain(&[&scale]).facets().missing.admits);
    assert!(!chain(&[&scale, &fill]).facets().missing.passes && chain(&[&scale, &fill]).facets().missing.admits);
    // A chain within a chain is asked the same.
    let inner: Arc<dyn Machine> = Arc::new(chain(&[&scale, &fill]));
    assert!(chain(&[&inner, &scale]).facets().missing.admits && !chain(&[&inner, &scale]).facets().missing.passes);
}

#[test]
fn a_gap_in_a_column_that_is_left_out_does_no_harm() {
    let run = Run::quiet(1);
    let machine = fitted(vec![Box::new(SparseColumns::default()), Box::new(Ridge::default())], &data());
    assert!(!machine.facets().missing.admits, "not in every column");
    assert!(machine.compute(&with_gap(2), &run).is_ok());
    assert!(machine.compute(&with_gap(0), &run).is_err());
}
