//! Columns are chosen as the definitions say, by peers' numbers where there are some, and inside the folds.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may stop and talk")]

use base::{Classes, Dataset, Fact, Learner, Pipeline, Points, Run, Seed, Settings, Targets, Values, Verdict, normal};
use distance::{Knn, NearestMean};
use evaluate::{Splitting, cross_validate};
use linear::Ridge;
use pellucid_prepare::{Backward, By, Forward, Select, Selector, Wrap, Wrapped};
use std::io::Read;
use testkit::{After, as_sparse, assert_close};

fn dataset(columns: usize, values: Vec<f64>, targets: Targets) -> Dataset {
    Dataset::new(Points::dense(values.clone(), values.len() / columns, columns).unwrap(), targets)
}

fn two_classes(codes: Vec<u32>) -> Targets {
    Targets::Classes(Classes::new(codes, ["a", "b"].map(String::from).to_vec()).unwrap())
}

fn normals(count: usize, seed: u64) -> Vec<f64> {
    let mut stream = Seed(seed).stream();
    (0..count).map(|_| normal(&mut stream)).collect()
}

fn scores(by: By, data: &Dataset) -> Vec<f64> {
    let fitted = Select { by, ..Default::default() }.fit(data, None, &Run::quiet(1)).unwrap();
    let Some(Fact::Curve(scores)) = fitted.certificate.facts.get("scores of the columns") else { panic!() };
    scores.clone()
}

/// The names of the columns a machine passes on.
fn kept(data: &Dataset, learner: &dyn Learner, run: &Run<'_>) -> Vec<String> {
    let record = learner.fit(data, None, run).unwrap().machine.record();
    let part = if record.kind() == "chain" { &record.parts("machines").unwrap()[0] } else { &record };
    base::Machine::outputs(&Selector::read(part).unwrap()).names.to_vec()
}

/// A table of the UCI collection, or none if it is not there: numbers first, the target last.
fn uci(name: &str, values: bool) -> Option<Dataset> {
    let bytes = std::fs::read(testkit::shared(&format!("uci/{name}.csv.gz"))?).unwrap();
    let mut text = String::new();
    flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap();
    let lines: Vec<Vec<&str>> =
        text.lines().skip(1).filter(|l| !l.is_empty()).map(|l| l.split(',').collect()).collect();
    let columns = lines[0].len() - 1;
    let number = |x: &&str| x.trim().parse::<f64>().unwrap();
    let numbers = lines.iter().flat_map(|l| l[..columns].iter().map(number)).collect();
    let last: Vec<&str> = lines.iter().map(|l| l[columns].trim()).collect();
    let targets = match values {
        true => Targets::Values(Values::new(last.iter().map(number).collect(), "y")),
        false => Targets::Classes(Classes::from_names(&last.into_iter().map(Some).collect::<Vec<_>>())),
    };
    Some(dataset(columns, numbers, targets))
}

fn golden(name: &str) -> Vec<f64> {
    let path = format!("{}/../../golden/select/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap().lines().skip(1).map(|l| l.parse().unwrap()).collect()
}

/// F values are those of scikit-learn, and mutual information that of the same estimator in NumPy. By neighbours, as
/// scikit-learn estimates it, it differs: of the better half of the columns at least four in five are the same.
#[test]
fn columns_are_scored_as_peers_do() {
    for name in ["wine", "breast_cancer_wisconsin_diagnostic", "sonar", "segment", "concrete"] {
        let Some(data) = uci(name, name == "concrete") else { return };
        assert_close(&scores(By::FValue, &data), &golden(&format!("{name}_f")), 1e-8, name);
        let information = scores(By::MutualInformation, &data);
        assert_close(&information, &golden(&format!("{name}_bins")), 1e-12, name);
        let best = |scores: Vec<f64>| {
            let mut order: Vec<usize> = (0..scores.len()).collect();
            order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
            order.truncate(scores.len() / 2);
            order.into_iter().collect::<std::collections::BTreeSet<_>>()
        };
        let (ours, theirs) = (best(information), best(golden(&format!("{name}_mi"))));
        let same = ours.intersection(&theirs).count();
        println!("{name}: {same} of {} columns", ours.len());
        assert!(5 * same >= 4 * ours.len(), "{name}: {same} of {}", ours.len());
    }
}

/// Correlation by its definition, over written-out columns; classes as indicators.
#[test]
fn correlation_is_that_of_the_definition() {
    for data in [testkit::toy_classes(1), testkit::toy_values(1)] {
        let n = data.len();
        let numbers = data.points().unwrap().to_dense(&Run::quiet(1).memory).unwrap();
        let targets: Vec<Vec<f64>> = match &data.targets {
            Targets::Classes(c) => {
                (0..3).map(|k| c.codes().iter().map(|&x| f64::from(u32::from(x == k))).collect()).collect()
            }
            Targets::Values(v) => vec![v.values().to_vec()],
            _ => panic!(),
        };
        let mean = |x: &[f64]| x.iter().sum::<f64>() / n as f64;
        let product = |x: &[f64], y: &[f64]| {
            let (a, b) = (mean(x), mean(y));
            x.iter().zip(y).map(|(x, y)| (x - a) * (y - b)).sum::<f64>()
        };
        let r = |x: &[f64], y: &[f64]| (product(x, y) / (product(x, x) * product(y, y)).sqrt()).abs();
        let expected: Vec<f64> = (0..4)
            .map(|c| {
                let x: Vec<f64> = (0..n).map(|i| numbers[4 * i + c]).collect();
                targets.iter().map(|y| r(&x, y)).fold(0.0, f64::max)
            })
            .collect();
        assert_close(&scores(By::Correlation, &data), &expected, 1e-12, "correlation");
        assert_close(&scores(By::Correlation, &as_sparse(&data)), &expected, 1e-12, "sparse");
        // A large mean changes nothing, a constant column says nothing.
        let moved: Vec<f64> = numbers.iter().enumerate().map(|(e, x)| if e % 4 == 3 { 5.5 } else { x + 1e6 }).collect();
        let moved = scores(By::Correlation, &dataset(4, moved, data.targets.clone()));
        assert_close(&moved[..3], &expected[..3], 1e-9, "moved");
        assert_eq!(moved[3], 0.0);
    }
}

/// Twenty columns of which three matter: each filter and each wrapper finds them, names and order kept.
#[test]
fn what_matters_is_found_among_noise() {
    let (n, d) = (200, 20);
    let x = normals(n * d, 1);
    let score = |i: usize| 2.0 * x[i * d + 3] - 2.0 * x[i * d + 11] + 2.0 * x[i * d + 17];
    let classes = two_classes((0..n).map(|i| u32::from(score(i) > 0.0)).collect());
    let values = Targets::Values(Values::new((0..n).map(|i| score(i) + 0.1 * x[i * d]).collect(), "y"));
    let run = Run::quiet(1);
    for targets in [classes, values] {
        let regress = matches!(targets, Targets::Values(_));
        let data = dataset(d, x.clone(), targets);
        for by in [By::Correlation, By::MutualInformation, By::FValue] {
            let select = Select { keep: 3, by, bins: 5, ..Default::default() };
            assert_eq!(kept(&data, &select, &run), ["3", "11", "17"], "{by:?}");
            assert_eq!(kept(&as_sparse(&data), &select, &run), ["3", "11", "17"], "{by:?}");
        }
        let learner: Box<dyn Learner> =
            if regress { Box::new(Ridge::default()) } else { Box::new(NearestMean::default()) };
        for step in
            [Forward { keep: 3, ..Default::default() }.boxed(), Backward { keep: 3, ..Default::default() }.boxed()]
        {
            let name = step.name();
            let wrapped = Wrapped { step, learner: learner.boxed() };
            assert_eq!(kept(&data, &wrapped, &run), ["3", "11", "17"], "{name}");
        }
        // Stopping by itself, forward keeps the three and little else.
        let wrapped = Wrapped { step: Forward { gain: 0.01, ..Default::default() }.boxed(), learner };
        let names = kept(&data, &wrapped, &run);
        assert!(["3", "11", "17"].iter().all(|c| names.iter().any(|n| n == c)) && names.len() <= 6, "{names:?}");
    }
}

/// Both searches again, written as their definition reads: sets of columns, one by one, by hand.
#[test]
fn steps_are_those_of_the_definition() {
    let (n, d) = (60, 5);
    for seed in 0..4 {
        // A coarse grid brings ties; the last column never changes, so that nothing is gained or lost by it.
        let grid = |(e, v): (usize, &f64)| if e % d == d - 1 { 1.0 } else { (v * 2.0).round() / 2.0 };
        let x: Vec<f64> = normals(n * d, seed).iter().enumerate().map(grid).collect();
        let codes = (0..n).map(|i| u32::from(x[i * d] + x[i * d + 2] + 0.8 * Seed(seed).at(i).unit() > 0.4)).collect();
        let data = dataset(d, x, two_classes(codes));
        let knn = Knn { k: 3, ..Default::default() };
        let run = Run::quiet(5);
        for forward in [true, false] {
            let name = if forward { "forward" } else { "backward" };
            let folds = Splitting::Folds { n: 4, repeats: 1, stratified: true };
            let splits = folds.of(&data, run.seed.fork(name)).unwrap();
            let score = |set: &[usize]| {
                let numbers = data.points().unwrap().to_dense(&run.memory).unwrap();
                let part = numbers.chunks(d).flat_map(|row| set.iter().map(|&c| row[c])).collect();
                let part = dataset(set.len(), part, data.targets.clone());
                cross_validate(&knn, &part, &splits, &run).unwrap().summary("accuracy").unwrap().0
            };
            let mut set: Vec<usize> = if forward { vec![] } else { (0..d).collect() };
            let mut current = if forward { f64::NEG_INFINITY } else { score(&set) };
            loop {
                let mut best: Option<(f64, Vec<usize>)> = None;
                for c in (0..d).filter(|c| set.contains(c) != forward) {
                    let mut next: Vec<usize> = set.iter().copied().filter(|&x| x != c).collect();
                    if forward {
                        next.push(c);
                        next.sort_unstable();
                    }
                    let s = if next.is_empty() { f64::NEG_INFINITY } else { score(&next) };
                    if best.as_ref().is_none_or(|(b, _)| s > *b) {
                        best = Some((s, next));
                    }
                }
                match best {
                    Some((s, next)) if (forward && s > current) || (!forward && s >= current) => {
                        (current, set) = (s, next);
                    }
                    _ => break,
                }
            }
            let step: Box<dyn Wrap> = match forward {
                true => Forward { folds: 4, ..Default::default() }.boxed(),
                false => Backward { folds: 4, ..Default::default() }.boxed(),
            };
            let wrapped = Wrapped { step, learner: Box::new(knn.clone()) };
            let expected: Vec<String> = set.iter().map(|c| c.to_string()).collect();
            assert_eq!(kept(&data, &wrapped, &run), expected, "{name}, seed {seed}");
            assert_eq!(kept(&data, &wrapped, &Run { threads: 4, ..run.clone() }), expected, "{name} on four threads");
        }
    }
}

/// Labels drawn by lot and a thousand columns of noise: nothing can be learned. Chosen inside the folds, columns give
/// chance; chosen first on all rows, they look good on rows they were chosen by.
#[test]
fn selection_belongs_inside_the_folds() {
    let (n, d) = (60, 1000);
    let data = dataset(d, normals(n * d, 3), two_classes((0..n as u32).map(|i| i % 2).collect()));
    let run = Run::quiet(1);
    let splits = Splitting::Folds { n: 5, repeats: 4, stratified: true }.of(&data, Seed(1)).unwrap();
    let select = Select { keep: 10, ..Default::default() };
    let inside = Pipeline { steps: vec![Box::new(select.clone()), Box::new(NearestMean::default())] };
    let accuracy = |learner: &dyn Learner, data: &Dataset| {
        cross_validate(learner, data, &splits, &run).unwrap().summary("accuracy").unwrap().0
    };
    let honest = accuracy(&inside, &data);
    assert!((honest - 0.5).abs() < 0.15, "{honest}");
    // The mistake, made by hand: a new dataset forgets where its columns come from.
    let machine = select.fit(&data, None, &run).unwrap().machine;
    let chosen = machine.compute(&data.inputs, &run).unwrap();
    let false_hope = accuracy(&NearestMean::default(), &Dataset::new(chosen.clone(), data.targets.clone()));
    assert!(false_hope > 0.8, "{false_hope}");
    // Made with the data's own words, it is refused.
    let forgot = data.with_inputs(chosen, base::Features::named(machine.outputs().names.clone()));
    assert!(Splitting::ten_folds().of(&forgot, Seed(1)).is_err());
}

#[test]
fn wrappers_say_what_they_did_and_can_be_stopped() {
    let data = testkit::toy_classes(2);
    let run = Run::quiet(1);
    let forward = |keep: usize| Wrapped {
        step: Forward { keep, ..Default::default() }.boxed(),
        learner: Box::new(Knn::default()),
    };
    let fitted = forward(2).fit(&data, None, &run).unwrap();
    assert!(fitted.certificate.warnings.iter().any(|w| w.contains("forward kept 2 of 4 columns")));
    // Four columns, then three, five folds each.
    assert_eq!(fitted.certificate.facts.get("forward: fits"), Some(&Fact::Number(35.0)));
    let Some(Fact::Curve(curve)) = fitted.certificate.facts.get("forward: inner accuracy by round") else { panic!() };
    assert_eq!(curve.len(), 2);
    // Backward under an error to be made small.
    let backward = Wrapped {
        step: Backward { measure: "error".into(), keep: 3, ..Default::default() }.boxed(),
        learner: Box::new(Knn::default()),
    };
    let fitted = backward.fit(&data, None, &run).unwrap();
    let Some(Fact::Curve(curve)) = fitted.certificate.facts.get("backward: inner error by round") else { panic!() };
    assert!(curve.len() == 2 && curve.iter().all(|e| (0.0..0.5).contains(e)), "{curve:?}");
    let says = |learner: &dyn Learner| learner.fit(&data, None, &run).err().unwrap().to_string();
    assert!(says(&forward(5)).contains("at most the 4 columns"));
    let mut odd = Forward::default();
    odd.set_text("measure", "accuraci").unwrap();
    assert!(
        says(&Wrapped { step: odd.boxed(), learner: Box::new(Knn::default()) }).contains("the measures are accuracy")
    );

    // Enough after some steps: whole rounds are kept. Cancelled: nothing is.
    let mut lengths = std::collections::BTreeSet::new();
    for steps in 0..120 {
        let watch = After::new(steps, Verdict::Enough);
        let fitted = forward(4).fit(&data, None, &Run { watch: &watch, ..run.clone() }).unwrap();
        if fitted.certificate.interrupted {
            let parts = fitted.machine.record();
            let selector = Selector::read(&parts.parts("machines").unwrap()[0]).unwrap();
            lengths.insert(selector.columns().len());
        }
        let watch = After::new(steps, Verdict::Cancel);
        let answer = forward(4).fit(&data, None, &Run { watch: &watch, ..run.clone() });
        assert!(matches!(answer, Err(base::Error::Cancelled)));
    }
    assert!(lengths.contains(&4) && lengths.len() >= 2, "{lengths:?}");
}
