//! Work that fits one learner many times, under several ranks that share every fit: the fits run in the same order on all of them.
#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use base::{Dataset, Learner, Run, Seed, Settings, Value};
use evaluate::{Splitting, bias_variance, cross_validate, search};
use linear::{LinearSvm, Multiclass};
use pellucid_prepare::{Backward, Forward, Wrap, Wrapped};
use testkit::{as_sparse, toy_classes};

/// A learner that ranks share. Every rank has threads, which must not carry fits of their own.
fn learner() -> LinearSvm {
    LinearSvm { multiclass: Multiclass::WestonWatkins, bundles: 4, tolerance: 1e-4, ..LinearSvm::default() }
}

/// What comes out on every one of some ranks.
fn on<T: Send>(count: usize, threads: usize, work: impl Fn(&Run<'_>) -> base::Result<T> + Sync) -> Vec<T> {
    ranks::within(count, |ranks| {
        let found = work(&Run { ranks, threads, ..Run::quiet(1) })?;
        assert!(ranks.traffic().messages > 0, "the fits are shared");
        Ok(found)
    })
    .unwrap()
}

#[test]
fn columns_are_chosen_by_fits_that_ranks_share_one_after_the_other() {
    let data = as_sparse(&toy_classes(3));
    let steps: [Box<dyn Wrap>; 2] = [
        Box::new(Forward { keep: 2, folds: 3, ..Forward::default() }),
        Box::new(Backward { keep: 2, folds: 3, ..Backward::default() }),
    ];
    for step in steps {
        let wrapped = Wrapped { step, learner: Box::new(learner()) };
        assert!(!wrapped.traits().shared, "the machines are looked at on every rank");
        let fit = |run: &Run<'_>| Ok(wrapped.fit(&data, None, run)?.machine.record());
        let one_thread = on(2, 1, fit);
        for record in on(2, 4, fit).iter().chain(&on(3, 2, fit)).chain(&one_thread) {
            assert_eq!(*record, one_thread[0]);
        }
    }
}

#[test]
fn folds_grids_and_replicas_end_the_same_on_every_rank() {
    let data = toy_classes(5);
    let folds = Splitting::Folds { n: 3, repeats: 1, stratified: true }.of(&data, Seed(1)).unwrap();
    let grid: Vec<Vec<(String, Value)>> =
        [0.01, 1.0, 100.0].map(|c| vec![("c".to_string(), Value::Number(c))]).to_vec();
    assert!(grid.iter().flatten().all(|(name, value)| learner().set(name, value.clone()).is_ok()));
    let judged = |run: &Run<'_>| {
        let validation = cross_validate(&learner(), &data, &folds, run)?;
        let found = search(&learner(), &grid, &data, &folds, "accuracy", run)?;
        Ok((validation, found.best, found.tried.into_iter().map(|(_, v)| v).collect::<Vec<_>>()))
    };
    let first = on(2, 1, judged);
    for other in on(2, 4, judged).iter().chain(&on(3, 3, judged)) {
        assert_eq!(*other, first[0]);
    }
    let draw = |seed: Seed| -> base::Result<Dataset> { Ok(toy_classes(seed.0 % 100)) };
    let truth = vec![0.0; data.len() * 3];
    let spread = |run: &Run<'_>| bias_variance(&learner(), &draw, (&data.inputs, &truth), 4, run).map(|b| b.variance);
    let first = on(2, 1, spread);
    for other in on(2, 4, spread).iter().chain(&on(3, 2, spread)) {
        assert_eq!(*other, first[0]);
    }
}
