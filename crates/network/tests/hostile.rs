//! Small data of shapes nobody plans for: very many columns, very many classes. Nothing may take minutes.

#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use base::{Classes, Dataset, Points, Seed, Targets, normal};
use pellucid_network::RbfNetwork;
use testkit::{ends_within, wide_sparse};

#[test]
fn r6_rbf_network_ends_on_sparse_rows_of_very_many_columns() {
    ends_within(60, &RbfNetwork::default(), &wide_sparse());
}

#[test]
fn r6_rbf_network_ends_with_very_many_classes() {
    let (k, d) = (500, 10);
    let mut stream = Seed(7).stream();
    let values: Vec<f64> = (0..2 * k * d).map(|_| normal(&mut stream)).collect();
    let names: Vec<Option<String>> = (0..2 * k).map(|i| Some(format!("{:04}", i % k))).collect();
    let points = Points::dense(values, 2 * k, d).unwrap();
    ends_within(60, &RbfNetwork::default(), &Dataset::new(points, Targets::Classes(Classes::from_names(&names))));
}
