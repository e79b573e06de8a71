//! Every learner keeps the promises of learners, with every kernel.

use base::{Catalog, Error, Learner, Machine, Record, Result};
use pellucid_kernels::{Expansion, Kde, KernelAdaTron, NuSvc, NuSvr, OneClassSvm, Svc, Svdd, Svr};
use std::sync::Arc;
use testkit::{check_learner, toy_classes, toy_values};

struct Expansions;

impl Catalog for Expansions {
    fn learner(&self, name: &str) -> Result<Box<dyn Learner>> {
        Err(Error::unsupported(name, "this test", "nothing"))
    }

    fn machine(&self, record: &Record) -> Result<Arc<dyn Machine>> {
        Ok(Arc::new(Expansion::read(record)?))
    }
}

fn set<L: Learner + Default>(changes: &[(&str, &str)]) -> L {
    let mut learner = L::default();
    // A violation of a thousandth is not the nine digits that are promised.
    if learner.params().iter().any(|p| p.name == "tolerance") {
        learner.set_text("tolerance", "1e-11").unwrap();
    }
    changes.iter().for_each(|(name, value)| learner.set_text(name, value).unwrap());
    learner
}

#[test]
fn classification_keeps_the_promises() {
    for changes in [
        &[("c", "3")][..],
        &[("multiclass", "rest")],
        &[("kernel", "linear"), ("class_weight", "balanced")],
        &[("kernel", "polynomial"), ("gamma", "0.2"), ("coef0", "1"), ("degree", "2")],
        &[("kernel", "laplacian")],
        &[("kernel", "student"), ("gamma", "median")],
    ] {
        println!("{changes:?}");
        check_learner(&set::<Svc>(changes), &toy_classes(3), &Expansions);
    }
    check_learner(&set::<KernelAdaTron>(&[("c", "2")]), &toy_classes(3), &Expansions);
    check_learner(&set::<NuSvc>(&[("nu", "0.2")]), &toy_classes(3), &Expansions);
}

#[test]
fn regression_keeps_the_promises() {
    check_learner(&set::<Svr>(&[("gamma", "0.1"), ("c", "2")]), &toy_values(3), &Expansions);
    check_learner(&set::<NuSvr>(&[("gamma", "0.1")]), &toy_values(3), &Expansions);
}

#[test]
fn detection_keeps_the_promises() {
    for changes in [&[("nu", "0.2")][..], &[("kernel", "student"), ("q", "1")], &[("kernel", "linear")]] {
        println!("{changes:?}");
        check_learner(&set::<OneClassSvm>(changes), &toy_classes(3), &Expansions);
        check_learner(&set::<Svdd>(changes), &toy_classes(3), &Expansions);
    }
    check_learner(&set::<Kde>(&[]), &toy_classes(3), &Expansions);
}
