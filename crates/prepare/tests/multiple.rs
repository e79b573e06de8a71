//! Multiple imputation: pooled answers are those of their parts, and what is uncertain is said to be.
#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use base::{
    Catalog, Chain, Dataset, EmptyCatalog, Learner, Link, Machine, Meaning, Pipeline, Points, Prediction, Record,
    Result, Run, Seed, Settings, Targets, Values, normal,
};
use linear::{Linear, Logistic, Ridge};
use pellucid_prepare as prepare;
use prepare::{Affine, ChainedFiller, Multiple, Pooled, Scale, Wrapped};
use std::sync::Arc;
use testkit::assert_close;

struct Known;
impl Catalog for Known {
    fn learner(&self, name: &str) -> Result<Box<dyn Learner>> {
        EmptyCatalog.learner(name)
    }
    fn machine(&self, record: &Record) -> Result<Arc<dyn Machine>> {
        Ok(match record.kind() {
            Chain::KIND => Arc::new(Chain::read(record, self)?),
            Pooled::KIND => Arc::new(Pooled::read(record, self)?),
            Affine::KIND => Arc::new(Affine::read(record)?),
            ChainedFiller::KIND => Arc::new(ChainedFiller::read(record)?),
            _ => Arc::new(Linear::read(record)?),
        })
    }
}

fn multiple(learner: impl Learner + 'static, draws: usize) -> Wrapped {
    Wrapped {
        step: Box::new(Multiple { imputations: draws, sweeps: 3, ..Multiple::default() }),
        learner: Box::new(learner),
    }
}

/// y = 2a − b + noise over correlated a, b, c, with a share of gaps in the inputs.
fn values(n: usize, share: f64, seed: u64) -> Dataset {
    let mut stream = Seed(seed).fork("rows").stream();
    let (mut x, mut y) = (vec![], vec![]);
    for _ in 0..n {
        let common = normal(&mut stream);
        let row = [0; 3].map(|_| common + 0.5 * normal(&mut stream));
        y.push(2.0 * row[0] - row[1] + 0.1 * normal(&mut stream));
        x.extend(row);
    }
    let gap = |(i, x): (usize, f64)| if Seed(seed).at(i).unit() < share { f64::NAN } else { x };
    let x: Vec<f64> = x.into_iter().enumerate().map(gap).collect();
    Dataset::new(Points::dense(x, n, 3).unwrap(), Targets::Values(Values::new(y, "y")))
}

#[test]
fn promises_are_kept() {
    let pipeline = Pipeline { steps: vec![Box::new(Scale::default()), Box::new(Ridge::default())] };
    testkit::check_learner(&multiple(pipeline, 2), &testkit::toy_values(1), &Known);
    testkit::check_learner(&multiple(Logistic::default(), 2), &testkit::toy_classes(1), &Known);
}

#[test]
fn pooled_values_are_the_mean_with_the_variance_between() {
    let run = Run { catalog: &Known, ..Run::quiet(4) };
    let (train, new) = (values(120, 0.2, 1), values(40, 0.3, 2));
    let ridge = Ridge { posterior: true, ..Ridge::default() };
    let fitted = multiple(ridge, 5).fit(&train, None, &run).unwrap();
    let pooled = Pooled::read(&fitted.machine.record(), &Known).unwrap();
    let outputs = pooled.outputs();
    assert_eq!((pooled.machines().len(), outputs.names.len(), outputs.extra), (5, 3, 2));
    assert_eq!(outputs.names[2], "y variance between imputations");
    let out = pooled.compute(&new.inputs, &run).unwrap().to_dense(&run.memory).unwrap();
    let parts: Vec<_> = pooled
        .machines()
        .iter()
        .map(|m| m.compute(&new.inputs, &run).unwrap().to_dense(&run.memory).unwrap())
        .collect();
    let x = new.points().unwrap().to_dense(&run.memory).unwrap();
    let (mut sure, mut unsure) = (vec![], vec![]);
    for i in 0..40 {
        let mean = |c: usize| parts.iter().map(|p| p[i * 2 + c]).sum::<f64>() / 5.0;
        let between = parts.iter().map(|p| (p[i * 2] - mean(0)).powi(2)).sum::<f64>() / 4.0;
        assert_close(&out[i * 3..i * 3 + 3], &[mean(0), mean(1), between], 1e-12, "pooled");
        let holed = x[i * 3].is_nan();
        if holed { unsure.push(between) } else { sure.push(between) }
    }
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    // A lacking a has 2² times its conditional variance of about 0.33.
    assert!(mean(&unsure) > 0.4, "{}", mean(&unsure));
    assert!(mean(&unsure) > 3.0 * mean(&sure), "{} {}", mean(&unsure), mean(&sure));
}

#[test]
fn pooled_classes_are_mean_probabilities() {
    let run = Run { catalog: &Known, ..Run::quiet(4) };
    let data = testkit::toy_classes(3);
    let mut x = data.points().unwrap().to_dense(&run.memory).unwrap().to_vec();
    x.iter_mut().enumerate().filter(|(i, _)| Seed(1).at(*i).unit() < 0.2).for_each(|(_, x)| *x = f64::NAN);
    let data = Dataset { inputs: Points::dense(x, data.len(), 4).unwrap().into(), ..data };
    let fitted = multiple(Logistic::default(), 3).fit(&data, None, &run).unwrap();
    assert_eq!(fitted.certificate.facts["imputations"], base::Fact::Number(3.0));
    let pooled = Pooled::read(&fitted.machine.record(), &Known).unwrap();
    assert_eq!((pooled.outputs().meaning, pooled.outputs().link), (Meaning::Classes, Link::Identity));
    let of = |m: &dyn Machine| Prediction::of(m, &data.inputs, &run).unwrap().probabilities(&run).unwrap().unwrap();
    let parts: Vec<Vec<f64>> = pooled.machines().iter().map(|m| of(&**m)).collect();
    let mean: Vec<f64> = (0..parts[0].len()).map(|i| parts.iter().map(|p| p[i]).sum::<f64>() / 3.0).collect();
    assert_close(&of(&pooled), &mean, 1e-12, "mean probabilities");
    assert!(of(&pooled).chunks(3).all(|row| (row.iter().sum::<f64>() - 1.0).abs() < 1e-9));
    assert_ne!(parts[0], parts[1], "imputations differ");
}

/// Complete rows make all imputations alike; only rows that lack something are unsure then.
#[test]
fn nothing_is_uncertain_without_gaps() {
    let run = Run::quiet(1);
    let train = values(80, 0.0, 5);
    let machine = multiple(Ridge::default(), 4).fit(&train, None, &run).unwrap().machine;
    let out = machine.compute(&train.inputs, &run).unwrap().to_dense(&run.memory).unwrap();
    assert!(out.chunks(2).all(|row| row[1] < 1e-20));
    let plain = Ridge::default().fit(&train, None, &run).unwrap().machine;
    let plain = plain.compute(&train.inputs, &run).unwrap().to_dense(&run.memory).unwrap();
    assert_close(&out.iter().step_by(2).copied().collect::<Vec<_>>(), &plain, 1e-12, "the plain machine");
}

#[test]
fn what_cannot_be_pooled_is_refused() {
    let run = Run::quiet(1);
    let data = values(30, 0.1, 1);
    let says = |m: Wrapped| m.fit(&data, None, &run).err().map(|e| e.to_string()).unwrap_or_default();
    assert!(says(multiple(Scale::default(), 2)).contains("without a target"));
    assert!(says(multiple(Ridge::default(), 0)).contains("imputations = 0: must lie between 1"));
    let mut held = multiple(Ridge::default(), 2);
    held.set_text("penalty", "0.25").unwrap();
    assert_eq!(held.learner.get("penalty").unwrap().to_string(), "0.25");
    held.step = Box::new(Multiple { penalty: -1.0, ..Multiple::default() });
    assert!(says(held).contains("penalty = -1"));
    assert!(Pooled::new(vec![]).is_err());
    assert!(Pooled::read(&Record::new(Pooled::KIND, 1).with("machines", Vec::<Record>::new()), &Known).is_err());
}

/// A fit can go on from an earlier one, imputation by imputation.
#[test]
fn warm_starts_reach_the_learner_held() {
    let run = Run { catalog: &Known, ..Run::quiet(4) };
    let data = testkit::toy_classes(3);
    let learner = multiple(Logistic::default(), 2);
    let first = learner.fit(&data, None, &run).unwrap();
    let again = learner.fit(&data, Some(&first.machine.record()), &run).unwrap();
    assert!(again.certificate.steps < first.certificate.steps, "{:?}", again.certificate.steps);
    assert!(learner.fit(&data, Some(&Record::new("linear", 1)), &run).is_err());
}
