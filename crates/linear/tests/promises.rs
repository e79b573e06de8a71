//! Every variant of the linear learners keeps the promises of a learner.

#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use base::{Catalog, EmptyCatalog, Learner, Machine, Record, Result, Run, Verdict};
use pellucid_linear::{
    Linear, LinearRegression, LinearSvm, LinearSvr, Logistic, Loss, Method, Multiclass, Ridge, RidgeSolver, Solver,
    TubeLoss,
};
use std::sync::Arc;
use testkit::{After, check_learner, toy_classes, toy_values};

struct Known;
impl Catalog for Known {
    fn learner(&self, name: &str) -> Result<Box<dyn Learner>> {
        EmptyCatalog.learner(name)
    }
    fn machine(&self, record: &Record) -> Result<Arc<dyn Machine>> {
        Ok(Arc::new(Linear::read(record)?))
    }
}

#[test]
fn regression() {
    for method in [Method::Auto, Method::Left, Method::Unified, Method::Iterative] {
        check_learner(&LinearRegression { method, ..Default::default() }, &toy_values(1), &Known);
    }
    check_learner(&LinearRegression { intercept: false, ..Default::default() }, &toy_values(2), &Known);
}

#[test]
fn ridge() {
    for solver in [RidgeSolver::Auto, RidgeSolver::Iterative] {
        check_learner(&Ridge { solver, ..Default::default() }, &toy_values(3), &Known);
    }
    check_learner(&Ridge { posterior: true, noise: 0.1, ..Default::default() }, &toy_values(4), &Known);
}

#[test]
fn logistic() {
    for solver in [Solver::Newton, Solver::Lbfgs] {
        check_learner(&Logistic { solver, ..Default::default() }, &toy_classes(5), &Known);
    }
    check_learner(&Logistic { intercept: false, ..Default::default() }, &toy_classes(6), &Known);
}

#[test]
fn logistic_goes_on_from_where_it_was() {
    let data = toy_classes(7);
    let run = Run { catalog: &Known, ..Run::quiet(1) };
    let learner = Logistic::default();
    let whole = learner.fit(&data, None, &run).unwrap();
    let enough = After::new(4, Verdict::Enough);
    let early = learner.fit(&data, None, &Run { watch: &enough, ..run.clone() }).unwrap();
    assert!(early.certificate.interrupted && early.certificate.steps > 0);
    let resumed = learner.fit(&data, Some(&early.machine.record()), &run).unwrap();
    assert!(resumed.certificate.converged && resumed.certificate.steps < whole.certificate.steps);
    let objective = |f: &base::Fitted| f.certificate.objective.unwrap();
    assert!((objective(&resumed) - objective(&whole)).abs() < 1e-9 * objective(&whole));
    let other = Record::new(Linear::KIND, 1);
    assert!(learner.fit(&data, Some(&other), &run).is_err());
}

#[test]
fn linear_svm() {
    let ways = [
        Multiclass::OneVsRest,
        Multiclass::WestonWatkins,
        Multiclass::CrammerSinger,
        Multiclass::LeeLinWahba,
        Multiclass::Mmr,
        Multiclass::Adm,
        Multiclass::Ats,
        Multiclass::Atm,
    ];
    for (seed, multiclass) in (8..).zip(ways) {
        let tight = LinearSvm { multiclass, tolerance: 1e-11, steps: 100_000, ..Default::default() };
        check_learner(&tight, &toy_classes(seed), &Known);
    }
    for loss in [Loss::SquaredHinge, Loss::Logistic] {
        check_learner(
            &LinearSvm { loss, tolerance: 1e-11, steps: 100_000, ..Default::default() },
            &toy_classes(9),
            &Known,
        );
    }
}

#[test]
fn linear_svr() {
    for loss in [TubeLoss::Absolute, TubeLoss::Squared] {
        check_learner(
            &LinearSvr { loss, tolerance: 1e-12, steps: 100_000, ..Default::default() },
            &toy_values(3),
            &Known,
        );
    }
}
