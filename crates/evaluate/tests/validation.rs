//! Validation, search and comparison with real learners.

#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use base::{Dataset, Fits, Learner, Pipeline, Run, Seed, Settings};
use distance::{Knn, NearestMean};
use pellucid_evaluate::{
    Contender, Grid, Splitting, Tuned, compare, cross_validate, judge, learning_curve, nested, random_settings, search,
};
use testkit::toy_classes;

fn pipeline(k: usize) -> Pipeline {
    Pipeline { steps: vec![Box::new(prepare::Scale::default()), Box::new(Knn { k, ..Default::default() })] }
}

#[test]
fn folds_are_judged_as_if_done_by_hand() {
    let (data, run) = (toy_classes(3), Run::quiet(1));
    let splits = Splitting::Folds { n: 5, repeats: 1, stratified: true }.of(&data, Seed(1)).unwrap();
    let found = cross_validate(&pipeline(3), &data, &splits, &run).unwrap();
    let by_hand: Vec<f64> = splits
        .iter()
        .map(|s| {
            let machine = pipeline(3).fit(&data.select(&s.train).unwrap(), None, &run).unwrap().machine;
            let test = data.select(&s.test).unwrap();
            let prediction = base::Prediction::of(&*machine, &test.inputs, &run).unwrap();
            judge(&prediction, &test, &run).unwrap().get("accuracy").unwrap()
        })
        .collect();
    assert_eq!(found.all("accuracy"), by_hand);
    let (mean, deviation) = found.summary("accuracy").unwrap();
    let expected = by_hand.iter().sum::<f64>() / 5.0;
    let variance = by_hand.iter().map(|x| (x - expected).powi(2)).sum::<f64>() / 4.0;
    assert!((mean - expected).abs() < 1e-12 && (deviation - variance.sqrt()).abs() < 1e-12 && deviation > 0.0);
    assert_eq!(found.right.len(), data.len());
}

/// Held-out rows moved far away would show in every scaled training row if their statistics reached training.
#[test]
fn no_statistic_of_a_held_out_row_reaches_training() {
    let (data, run) = (toy_classes(3), Run::quiet(1));
    let splits = Splitting::Folds { n: 4, repeats: 1, stratified: true }.of(&data, Seed(1)).unwrap();
    for split in &splits {
        let mut values = data.points().unwrap().to_dense(&run.memory).unwrap().to_vec();
        for &row in &split.test {
            values[4 * row..4 * row + 4].fill(1e9);
        }
        let moved = Dataset { inputs: base::Points::dense(values, data.len(), 4).unwrap().into(), ..data.clone() };
        let fit = |data: &Dataset| {
            let mut fitted = base::fit_all(
                &pipeline(3),
                &Fits { settings: &[vec![]], rows: Some(std::slice::from_ref(&split.train)), data },
                &run,
            )
            .unwrap();
            fitted.remove(0).machine.record()
        };
        assert_eq!(fit(&data), fit(&moved));
    }
    // The leak people make: scale first, split later. It is refused.
    let scaler = prepare::Scale::default().fit(&data, None, &run).unwrap().machine;
    let scaled = data.with_inputs(scaler.compute(&data.inputs, &run).unwrap(), data.features.clone());
    let error = Splitting::ten_folds().of(&scaled, Seed(1)).err().map(|e| e.to_string());
    assert!(error.is_some_and(|e| e.contains("fitted on all rows")));
}

/// Says that it is enough when so many folds have been judged, and may take its time over it.
struct After {
    folds: usize,
    pause: bool,
    judged: std::sync::atomic::AtomicUsize,
}

impl base::Watch for After {
    fn step(&self, progress: &base::Progress<'_>) -> base::Verdict {
        if progress.stage == "judge" {
            let judged = 1 + self.judged.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            if self.pause && judged == self.folds + 1 {
                std::thread::sleep(std::time::Duration::from_millis(600));
            }
        }
        self.asked()
    }

    fn asked(&self) -> base::Verdict {
        match self.judged.load(std::sync::atomic::Ordering::Relaxed) >= self.folds {
            true => base::Verdict::Enough,
            false => base::Verdict::GoOn,
        }
    }
}

#[test]
fn t6_a_stop_within_a_grid_keeps_the_best_that_was_judged() {
    let (data, run) = (toy_classes(5), Run::quiet(1));
    let learner = pipeline(1);
    let grid = Grid::default().with("k=60,1,5,7", &learner).unwrap();
    let settings = grid.combinations();
    let splitting = Splitting::Folds { n: 4, repeats: 1, stratified: true };
    let tuned = Tuned { learner: Box::new(learner.clone()), settings, splitting, measure: None };
    let splits = splitting.of(&data, run.seed.fork("tuned")).unwrap();
    let full = tuned.fit(&data, None, &run).unwrap().certificate.choice.unwrap();
    assert_eq!((full.tried.len(), full.splits), (4, 4));
    // The settings of one split come one after the other: nine fits are two splits and one more. Quick work ends by itself,
    // so that the split at hand is judged too; work that takes long is given up.
    for (pause, kept) in [(false, 3), (true, 2)] {
        let watch = After { folds: 9, pause, judged: 0.into() };
        let fitted = tuned.fit(&data, None, &Run { watch: &watch, ..Run::quiet(1) }).unwrap();
        let choice = fitted.certificate.choice.as_ref().unwrap();
        assert_eq!((choice.tried.len(), choice.splits), (4, kept), "pause {pause}");
        let some = search(&learner, &tuned.settings, &data, &splits[..kept], "accuracy", &run).unwrap();
        let means = |v: &pellucid_evaluate::Validation| v.summary("accuracy").unwrap().0;
        let expected: Vec<f64> = some.tried.iter().map(|(_, v)| means(v)).collect();
        assert_eq!(choice.tried.iter().map(|t| t.mean).collect::<Vec<_>>(), expected);
        assert_eq!(choice.best, base::argmax(&expected) as usize);
        assert!(fitted.certificate.interrupted && !fitted.certificate.converged);
        let warned = format!("the search was cut short: 4 of 4 settings were evaluated on {kept} of 4 splits");
        assert!(fitted.certificate.warnings.contains(&warned), "{:?}", fitted.certificate.warnings);
        // What is kept is the winner fitted on all rows.
        let k: usize = choice.settings().strip_prefix("k=").unwrap().parse().unwrap();
        let alone = pipeline(k).fit(&data, None, &run).unwrap().machine.record();
        assert_eq!(fitted.machine.record(), alone);
    }
    // Before the first split is done the settings that were judged on it are compared.
    let watch = After { folds: 2, pause: true, judged: 0.into() };
    let fitted = tuned.fit(&data, None, &Run { watch: &watch, ..Run::quiet(1) }).unwrap();
    let choice = fitted.certificate.choice.unwrap();
    assert_eq!((choice.tried.len(), choice.splits), (2, 1));
    // What was chosen is found by its settings wherever it stands among those that were compared.
    let last = base::Choice { tried: vec![full.tried[3].clone()], best: 0, ..choice };
    assert_eq!(grid.chosen(&last), Some(tuned.settings[3].clone()));
    // Before the first fit is judged there is nothing to keep.
    let watch = After { folds: 0, pause: true, judged: 0.into() };
    let nothing = tuned.fit(&data, None, &Run { watch: &watch, ..Run::quiet(1) });
    assert!(matches!(nothing, Err(base::Error::Stopped { .. })), "{:?}", nothing.err());
}

#[test]
fn a_search_takes_the_best_and_nesting_is_honest() {
    let (data, run) = (toy_classes(5), Run::quiet(1));
    let learner = pipeline(1);
    let grid =
        Grid::default().with("k=1,5,60", &learner).unwrap().with("weighting=uniform,distance", &learner).unwrap();
    let settings = grid.combinations();
    assert_eq!(settings.len(), 6);
    let splits = Splitting::Folds { n: 4, repeats: 1, stratified: true }.of(&data, Seed(2)).unwrap();
    let found = search(&learner, &settings, &data, &splits, "accuracy", &run).unwrap();
    let means: Vec<f64> = found.tried.iter().map(|(_, v)| v.summary("accuracy").unwrap().0).collect();
    assert!(means.iter().all(|m| *m <= means[found.best]));
    let mut chosen = learner.clone();
    for (name, value) in &found.tried[found.best].0 {
        chosen.set(name, value.clone()).unwrap();
    }
    let again = cross_validate(&chosen, &data, &splits, &run).unwrap();
    assert_eq!(again.summary("accuracy").unwrap().0, means[found.best]);
    let inner = Splitting::Folds { n: 3, repeats: 1, stratified: true };
    let honest = nested(&learner, &settings, &data, (&splits, inner), "accuracy", &run).unwrap();
    assert_eq!((honest.winners.len(), honest.validation.folds.len()), (4, 4));
    // A learner that searches by itself is judged the same way.
    let tuned =
        Tuned { learner: Box::new(learner.clone()), settings: settings.clone(), splitting: inner, measure: None };
    let by_itself = cross_validate(&tuned, &data, &splits, &run).unwrap();
    assert_eq!(by_itself.folds.len(), 4);
    let fitted = tuned.fit(&data, None, &run).unwrap();
    let choice = fitted.certificate.choice.as_ref().unwrap();
    assert_eq!(choice.tried.len(), 6);
    assert!(choice.settings().starts_with("k="));
    assert!(search(&learner, &settings, &data, &splits, "mse", &run).is_err());
    assert!(Grid::default().with("kk=1", &learner).is_err() && Grid::default().with("k=x", &learner).is_err());
    let drawn = random_settings(&grid, 3, Seed(1));
    assert!(drawn.len() == 3 && drawn.iter().all(|d| settings.contains(d)));
}

#[test]
fn contenders_are_ranked_on_the_same_splits() {
    let (data, run) = (toy_classes(7), Run::quiet(1));
    let contender = |name: &str, learner: Box<dyn Learner>| Contender { name: name.into(), learner };
    let contenders = [
        contender("knn 60", Box::new(pipeline(60))),
        contender("nearest mean", Box::<NearestMean>::default()),
        contender("the same again", Box::<NearestMean>::default()),
    ];
    let splits = Splitting::ten_folds().of(&data, Seed(2)).unwrap();
    let result = compare(&contenders, &data, &splits, "accuracy", &run).unwrap();
    assert_eq!(result.best, 1);
    assert_eq!((result.means[1], result.ranks[1], result.t_test[2]), (result.means[2], result.ranks[2], 1.0));
    assert!(result.ranks[0] > result.ranks[1]);
    assert!((result.ranks.iter().sum::<f64>() - 6.0).abs() < 1e-12);
    assert!(result.t_test[0] < 0.5 && result.mc_nemar[0].unwrap() < 0.5 && result.mc_nemar[2] == Some(1.0));
}

#[test]
fn more_rows_help_on_the_learning_curve() {
    let (data, run) = (toy_classes(9), Run::quiet(1));
    let splits = Splitting::MonteCarlo { share: 0.3, repeats: 10 }.of(&data, Seed(4)).unwrap();
    let curve = learning_curve(&NearestMean::default(), &data, &splits, &[4, 40], &run).unwrap();
    let mean = |k: usize| curve[k].1.summary("accuracy").unwrap().0;
    assert_eq!((curve[0].0, curve[1].0), (4, 40));
    assert!(mean(1) > mean(0), "{} rows {}, {} rows {}", curve[0].0, mean(0), curve[1].0, mean(1));
}

/// The outer held-out rows take no part in the choice: the search written out by hand, with labels of chance, where a choice
/// that looks at all rows picks other settings and promises more than it keeps.
#[test]
fn nested_validation_chooses_by_training_rows_alone() {
    let run = Run::quiet(3);
    let learner = Knn::default();
    let grid = Grid::default().with("k=1,2,3,4,5,6,7,9,11,13,17,21", &learner).unwrap();
    let settings = grid.combinations();
    let mut different = 0;
    for seed in testkit::seeds(3) {
        let chance: Vec<Option<&str>> =
            (0..60).map(|i| Some(if Seed(seed).fork("labels").at(i).unit() < 0.5 { "a" } else { "b" })).collect();
        let points = testkit::toy_points(60, 4, seed);
        let data = Dataset::new(points, base::Targets::Classes(base::Classes::from_names(&chance)));
        let outer = Splitting::Folds { n: 5, repeats: 1, stratified: false }.of(&data, Seed(seed)).unwrap();
        let inner = Splitting::Folds { n: 3, repeats: 1, stratified: false };
        let found = nested(&learner, &settings, &data, (&outer, inner), "accuracy", &run).unwrap();
        assert_eq!((found.winners.len(), found.validation.folds.len()), (5, 5));
        let fitted = |setting: &[(String, base::Value)], rows: &Dataset| {
            let mut learner: Box<dyn Learner> = Box::new(learner.clone());
            setting.iter().for_each(|(name, value)| learner.set(name, value.clone()).unwrap());
            learner.fit(rows, None, &run).unwrap().machine
        };
        let accuracy = |machine: &dyn base::Machine, rows: &Dataset| {
            let told = base::Prediction::of(machine, &rows.inputs, &run).unwrap().classes(&run).unwrap();
            let classes = base::classes_of(rows).unwrap();
            told.iter().zip(classes.codes()).filter(|(a, b)| a == b).count() as f64 / rows.len() as f64
        };
        let best = |rows: &Dataset, splits: &[pellucid_evaluate::Split]| {
            let mean = |setting: &Vec<(String, base::Value)>| {
                let one = |s: &pellucid_evaluate::Split| {
                    let machine = fitted(setting, &rows.select(&s.train).unwrap());
                    accuracy(&*machine, &rows.select(&s.test).unwrap())
                };
                splits.iter().map(one).sum::<f64>() / splits.len() as f64
            };
            let means: Vec<f64> = settings.iter().map(mean).collect();
            // Means that differ by rounding only are equal, and the first of equals wins.
            let top = means.iter().copied().fold(f64::MIN, f64::max);
            means.iter().position(|m| *m >= top - 1e-12).unwrap()
        };
        for (k, split) in outer.iter().enumerate() {
            let train = data.select(&split.train).unwrap();
            let splits = inner.of(&train, run.seed.fork("inner").at(k)).unwrap();
            let winner = best(&train, &splits);
            assert_eq!(found.winners[k], settings[winner], "outer fold {k} with seed {seed}");
            let held = accuracy(&*fitted(&settings[winner], &train), &data.select(&split.test).unwrap());
            let told = found.validation.folds[k].get("accuracy").unwrap();
            assert!((told - held).abs() < 1e-12, "outer fold {k}: {told} is not {held}");
            // A choice by all rows would be another one in some of the folds, so that this test can tell.
            let leaking = inner.of(&data, run.seed.fork("inner").at(k)).unwrap();
            different += usize::from(best(&data, &leaking) != winner);
        }
    }
    assert!(different > 0, "a choice by all rows is never another one");
}

/// The area that is told of any function that tells two classes apart: linear scores without a link, margins of prototypes,
/// votes and probabilities by a softmax. Each is the chance that a positive has the larger difference, pair by pair.
#[test]
fn areas_of_any_discriminative_function_are_the_order_of_pairs() {
    use base::{Classes, Link, Outputs, Points, Prediction, Targets};
    let run = Run::quiet(1);
    for seed in testkit::seeds(4) {
        let n = 60 + (seed % 30) as usize;
        let points = testkit::toy_points(n, 3, seed);
        let x = points.to_dense(&run.memory).unwrap().to_vec();
        let noise = |i: usize| 3.0 * (Seed(seed).fork("noise").at(i).unit() - 0.5);
        let names: Vec<Option<&str>> =
            (0..n).map(|i| Some(if x[3 * i] + x[3 * i + 1] + noise(i) > 0.0 { "yes" } else { "no" })).collect();
        let classes = Classes::from_names(&names).with_positive("yes").unwrap();
        let data = Dataset::new(points, Targets::Classes(classes));
        let truth = base::classes_of(&data).unwrap();
        let order: std::sync::Arc<[String]> = truth.names().clone();
        let linear = |link: Link| {
            // The perceptron w = (1, 1, −½) with a threshold, as a score for each class; coarse, so that there are ties.
            let field = |i: usize| (4.0 * (x[3 * i] + x[3 * i + 1] - 0.5 * x[3 * i + 2] - 0.2)).round() / 4.0;
            let sign = |c: usize| if order[c] == "yes" { 0.5 } else { -0.5 };
            let rows: Vec<[f64; 2]> = (0..n).map(|i| [sign(0) * field(i), sign(1) * field(i)]).collect();
            Prediction { scores: Points::from_rows(&rows).unwrap(), outputs: Outputs::classes(order.clone(), link) }
        };
        let fitted = |learner: &dyn Learner| {
            let machine = learner.fit(&data, None, &run).unwrap().machine;
            Prediction::of(&*machine, &data.inputs, &run).unwrap()
        };
        let predictions = [
            ("perceptron", linear(Link::None)),
            ("softmax", linear(Link::Softmax)),
            ("prototypes", fitted(&NearestMean::default())),
            ("votes", fitted(&Knn { k: 7, ..Default::default() })),
        ];
        for (what, prediction) in predictions {
            let scores = prediction.scores.to_dense(&run.memory).unwrap().to_vec();
            let place = |name: &str| prediction.outputs.names.iter().position(|n| n == name).unwrap();
            let (yes, no) = (place("yes"), place("no"));
            let margin = |i: usize| scores[2 * i + yes] - scores[2 * i + no];
            let (positive, negative): (Vec<usize>, Vec<usize>) = (0..n).partition(|&i| names[i] == Some("yes"));
            let won = |i: usize, j: usize| match margin(i).partial_cmp(&margin(j)).unwrap() {
                std::cmp::Ordering::Greater => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Less => 0.0,
            };
            let pairs: f64 = positive.iter().flat_map(|&i| negative.iter().map(move |&j| won(i, j))).sum();
            let expected = pairs / (positive.len() * negative.len()) as f64;
            let area = judge(&prediction, &data, &run).unwrap().get("auc").unwrap();
            assert!((area - expected).abs() < 1e-9, "{what}: {area} is not {expected}");
            assert!(expected > 0.5 && expected < 1.0, "{what}: {expected}");
        }
    }
}
