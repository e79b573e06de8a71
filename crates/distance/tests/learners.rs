//! The promises of both learners: the definition, weights, records, threads, a row alone, cancel, memory.
#![allow(clippy::unwrap_used, reason = "a test may stop")]

use base::*;
use pellucid_distance::*;
use std::sync::Arc;

fn run(threads: usize) -> Run<'static> {
    Run { threads, ..Run::quiet(1) }
}

fn drawn(seed: u64, rows: usize, columns: usize, levels: f64) -> Vec<f64> {
    (0..rows * columns).map(|i| (Seed(seed).at(i).unit() * levels).floor() / levels).collect()
}

fn to_sparse(values: &[f64], columns: usize) -> Points {
    let (mut starts, mut ids, mut kept) = (vec![0], vec![], vec![]);
    for row in values.chunks_exact(columns) {
        for (c, &v) in row.iter().enumerate().filter(|(_, v)| **v != 0.0) {
            ids.push(c as u32);
            kept.push(v);
        }
        starts.push(ids.len());
    }
    Points::Sparse(Sparse::new(starts, ids, kept, columns).unwrap())
}

fn names(n: usize) -> Vec<String> {
    (0..n).map(|i| format!("c{i}")).collect()
}

fn classes(seed: u64, rows: usize, count: usize) -> Targets {
    let codes = (0..rows).map(|i| (Seed(seed).at(i).unit() * count as f64) as u32).collect();
    Targets::Classes(Classes::new(codes, names(count)).unwrap())
}

fn scores(machine: &dyn Machine, points: &Points, run: &Run<'_>) -> Vec<f64> {
    machine.compute(&Inputs::Points(points.clone()), run).unwrap().to_dense(&run.memory).unwrap().to_vec()
}

fn read(record: &Record) -> Arc<dyn Machine> {
    match record.kind() {
        KnnMachine::KIND => Arc::new(KnnMachine::read(record).unwrap()),
        _ => Arc::new(NearestMeanMachine::read(record).unwrap()),
    }
}

struct Known;

impl Catalog for Known {
    fn learner(&self, name: &str) -> Result<Box<dyn Learner>> {
        EmptyCatalog.learner(name)
    }

    fn machine(&self, record: &Record) -> Result<Arc<dyn Machine>> {
        Ok(read(record))
    }
}

/// Minkowski's distance by its definition; Euclid's squared, whose terms are exact.
fn minkowski(p: f64, a: &[f64], b: &[f64]) -> f64 {
    let differences = a.iter().zip(b).map(|(x, y)| (x - y).abs());
    match p {
        2.0 => differences.map(|x| x * x).sum(),
        f64::INFINITY => differences.fold(0.0, f64::max).powi(2),
        p => differences.map(|x| x.powf(p)).sum::<f64>().powf(2.0 / p),
    }
}

/// Votes by the definition: every distance, everything sorted, every weight counted.
fn knn_twin(data: &Dataset, settings: &Knn, query: &[f64]) -> Vec<f64> {
    let points = data.points().unwrap().to_dense(&Memory::unlimited()).unwrap();
    let d = query.len();
    let mut order: Vec<(f64, usize)> =
        points.chunks_exact(d).enumerate().map(|(i, p)| (minkowski(settings.p, p, query), i)).collect();
    order.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let mut missing = settings.k as f64;
    let mut voters = vec![];
    for (distance, i) in order {
        let count = data.weight(i).min(missing);
        missing -= count;
        if count > 0.0 {
            voters.push((distance.sqrt(), i, count));
        }
    }
    let on_top = voters.iter().any(|v| v.0 == 0.0);
    let (mut out, mut sum) = (vec![0.0; Size::of(data).outputs], 0.0);
    for (distance, i, count) in voters {
        let vote = match settings.weighting {
            Voting::Uniform => count,
            Voting::Distance if on_top => count * f64::from(u8::from(distance == 0.0)),
            Voting::Distance => count / distance,
        };
        sum += vote;
        match &data.targets {
            Targets::Classes(c) => out[c.codes()[i] as usize] += vote,
            Targets::Values(v) => out.iter_mut().zip(v.row(i)).for_each(|(o, x)| *o += vote * x),
            _ => unreachable!("only classes and values are drawn"),
        }
    }
    out.iter().map(|o| o / sum).collect()
}

fn check_knn(rows: usize, columns: usize, levels: f64, settings: Knn, weighted: bool, values: bool, sparse: bool) {
    let raw = drawn(1, rows, columns, levels);
    let targets = match values {
        true => Targets::Values(Values::several(drawn(3, rows, 2, 1e6), names(2)).unwrap()),
        false => classes(2, rows, 3),
    };
    let points = if sparse { to_sparse(&raw, columns) } else { Points::dense(raw, rows, columns).unwrap() };
    let weights = weighted.then(|| (0..rows).map(|i| [0.25, 1.0, 2.0, 0.5][i % 4]).collect());
    let data = Dataset { weights, ..Dataset::new(points, targets) };
    let fitted = settings.fit(&data, None, &run(1)).unwrap();
    let queries = drawn(7, 23, columns, levels);
    let points =
        if sparse { to_sparse(&queries, columns) } else { Points::dense(queries.clone(), 23, columns).unwrap() };
    let found = scores(&*fitted.machine, &points, &run(1));
    let width = Size::of(&data).outputs;
    for (query, found) in queries.chunks_exact(columns).zip(found.chunks_exact(width)) {
        for (found, expected) in found.iter().zip(knn_twin(&data, &settings, query)) {
            assert!((found - expected).abs() < 1e-12, "{settings:?} {rows} {columns}: {found} for {expected}");
        }
    }
    let bits = |v: &[f64]| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&found), bits(&scores(&*fitted.machine, &points, &run(4))), "threads show");
    let back = read(&fitted.machine.record());
    assert_eq!(bits(&found), bits(&scores(&*back, &points, &run(1))), "the record forgets something");
    assert_eq!(fitted.machine.record(), back.record());
    for i in [0, 11, 22] {
        let alone = scores(&*fitted.machine, &points.slice(i..i + 1), &run(1));
        assert_eq!(bits(&alone), bits(&found[i * width..(i + 1) * width]), "a row alone differs");
    }
    assert_eq!(fitted.machine.support().map(|s| s.points), Some(rows));
}

#[test]
fn neighbours_vote_as_defined() {
    for weighting in [Voting::Uniform, Voting::Distance] {
        for k in [1, 4, 9, 200] {
            for method in [Search::Auto, Search::Blocks, Search::Tree] {
                let settings = Knn { k, weighting, method, ..Default::default() };
                // Whole numbers make many ties; their distances are exact in every order of summation.
                check_knn(60, 3, 4.0, settings.clone(), false, false, false);
                check_knn(60, 3, 4.0, settings.clone(), true, true, false);
                check_knn(120, 20, 1024.0, settings.clone(), true, false, false);
                if method != Search::Tree {
                    check_knn(60, 5, 4.0, settings.clone(), true, false, true);
                    check_knn(90, 40, 3.0, settings.clone(), false, true, true);
                }
            }
        }
    }
    check_knn(3000, 4, 1e5, Knn::default(), false, false, false);
}

#[test]
fn neighbours_by_other_distances_vote_as_defined() {
    for p in [1.0, 3.0, 1.5, f64::INFINITY] {
        for weighting in [Voting::Uniform, Voting::Distance] {
            let settings = Knn { k: 4, p, weighting, ..Default::default() };
            // Numbers without ties: powers and roots may order equal distances either way.
            check_knn(120, 5, 1e6, settings.clone(), true, false, false);
            check_knn(60, 3, 1e6, settings.clone(), false, true, true);
        }
    }
    let tree = Knn { p: 1.0, method: Search::Tree, ..Default::default() };
    let data = Dataset::new(Points::dense(drawn(1, 9, 2, 8.0), 9, 2).unwrap(), classes(1, 9, 2));
    assert!(tree.fit(&data, None, &run(1)).is_err());
    assert!(Knn { p: 0.5, ..Default::default() }.fit(&data, None, &run(1)).is_err());
}

#[test]
fn several_prototypes_see_what_one_mean_cannot() {
    // Two classes of two clusters each, at the corners of a square: their means coincide.
    let corner = |i: usize| [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]][i % 4];
    let noise = |i: usize, c: usize| 0.2 * (Seed(3).at(i).at(c).unit() - 0.5);
    let rows: Vec<[f64; 2]> = (0..200).map(|i| std::array::from_fn(|c| corner(i)[c] + noise(i, c))).collect();
    let codes: Vec<u32> = (0..200).map(|i| u32::from(i % 4 > 1)).collect();
    let data = Dataset::new(
        Points::from_rows(&rows).unwrap(),
        Targets::Classes(Classes::new(codes.clone(), names(3)).unwrap()),
    );
    let right = |prototypes: usize| {
        let fitted = NearestMean { prototypes }.fit(&data, None, &run(1)).unwrap();
        let said = Prediction::of(&*fitted.machine, &data.inputs, &run(1)).unwrap().classes(&run(1)).unwrap();
        (said.iter().zip(&codes).filter(|(a, b)| a == b).count(), fitted)
    };
    let (one, (two, fitted)) = (right(1).0, right(2));
    assert!(one < 150 && two == 200, "{one} and {two} of 200");
    // A score is minus the squared distance to the nearest prototype of the class; these lie near the corners.
    let far = scores(&*fitted.machine, &Points::from_rows(&[[3.0, 3.0]]).unwrap(), &run(1));
    assert!((far[0] + 8.0).abs() < 0.3 && (far[1] + 13.0).abs() < 0.3 && far[2] == f64::MIN, "{far:?}");
    let at = [0.3, 0.1];
    let slope = testkit::gradient_at(&*fitted.machine, &at, &[1.0, -2.0, 0.0]);
    let score = |x: &[f64]| scores(&*fitted.machine, &Points::from_rows(&[x]).unwrap(), &run(1));
    testkit::check_slope(|x| score(x)[0] - 2.0 * score(x)[1], &slope, &at);
    testkit::check_learner(&NearestMean { prototypes: 3 }, &testkit::toy_classes(2), &Known);
    // More prototypes than rows: each row is one.
    let many = NearestMean { prototypes: 300 }.fit(&data, None, &run(1)).unwrap();
    assert!(many.certificate.warnings[0].contains("rows (100)"), "{:?}", many.certificate.warnings);
    assert!(scores(&*many.machine, &Points::from_rows(&rows[3..4]).unwrap(), &run(1))[1] == 0.0);
}

#[test]
fn trees_and_blocks_agree() {
    let data = Dataset::new(Points::dense(drawn(1, 4000, 6, 1e9), 4000, 6).unwrap(), classes(2, 4000, 5));
    let queries = Points::dense(drawn(5, 500, 6, 1e9), 500, 6).unwrap();
    let by = |method| {
        let machine = Knn { method, weighting: Voting::Distance, k: 7, ..Default::default() }
            .fit(&data, None, &run(2))
            .unwrap()
            .machine;
        scores(&*machine, &queries, &run(2))
    };
    assert_eq!(by(Search::Tree), by(Search::Blocks));
    assert_eq!(by(Search::Tree), by(Search::Auto));
}

/// Weight 2 is the row twice, for both learners, and weight 0 is no row.
#[test]
fn weights_are_copies() {
    let (rows, columns) = (50, 4);
    let points = Points::dense(drawn(1, rows, columns, 8.0), rows, columns).unwrap();
    let weights: Vec<f64> = (0..rows).map(|i| (i % 4) as f64).collect();
    let copies: Vec<usize> = (0..rows).flat_map(|i| std::iter::repeat_n(i, i % 4)).collect();
    let plain = Dataset::new(points, classes(2, rows, 3));
    let weighted = Dataset { weights: Some(weights.into()), ..plain.clone() };
    let repeated = plain.select(&copies).unwrap();
    let queries = Points::dense(drawn(9, 40, columns, 8.0), 40, columns).unwrap();
    for learner in [
        Box::new(Knn::default()) as Box<dyn Learner>,
        Box::new(Knn { k: 12, weighting: Voting::Distance, method: Search::Tree, ..Default::default() }),
        Box::new(NearestMean::default()),
    ] {
        let by = |data: &Dataset| scores(&*learner.fit(data, None, &run(1)).unwrap().machine, &queries, &run(1));
        assert!(by(&weighted).iter().zip(by(&repeated)).all(|(a, b)| (a - b).abs() < 1e-12), "{learner:?}");
    }
}

#[test]
fn means_are_means_and_scores_their_distances() {
    for (rows, columns, offset) in [(30, 3, 0.0), (400, 30, 0.0), (400, 30, 1e8), (400, 1, 5.0)] {
        let raw: Vec<f64> =
            drawn(1, rows, columns, 4.0).iter().map(|x| if *x > 0.0 { x + offset } else { 0.0 }).collect();
        let weights: Vec<f64> = (0..rows).map(|i| 1.0 + (i % 3) as f64).collect();
        let queries: Vec<f64> = drawn(8, 20, columns, 1e6).iter().map(|x| x + offset).collect();
        let targets = classes(2, rows, 4);
        let mut by_form = vec![];
        for sparse in [false, true] {
            let form = |v: &[f64]| {
                if sparse {
                    to_sparse(v, columns)
                } else {
                    Points::dense(v.to_vec(), v.len() / columns, columns).unwrap()
                }
            };
            let data = Dataset { weights: Some(weights.clone().into()), ..Dataset::new(form(&raw), targets.clone()) };
            let fitted = NearestMean::default().fit(&data, None, &run(1)).unwrap();
            let found = scores(&*fitted.machine, &form(&queries), &run(1));
            let Targets::Classes(c) = &targets else { unreachable!() };
            for (q, found) in queries.chunks_exact(columns).zip(found.chunks_exact(4)) {
                for (class, found) in found.iter().enumerate() {
                    let mine: Vec<usize> = (0..rows).filter(|&i| c.codes()[i] as usize == class).collect();
                    let total: f64 = mine.iter().map(|&i| weights[i]).sum();
                    let part =
                        |col: usize| mine.iter().map(|&i| weights[i] * raw[i * columns + col]).sum::<f64>() / total;
                    let distance: f64 = (0..columns).map(|col| (q[col] - part(col)).powi(2)).sum();
                    assert!(
                        (found + distance).abs() < 1e-9 * (1.0 + distance) + 1e-7 * offset.abs().sqrt(),
                        "{found} for -{distance}"
                    );
                }
            }
            let four = NearestMean::default().fit(&data, None, &run(4)).unwrap();
            assert_eq!(four.machine.record(), fitted.machine.record(), "threads show");
            assert_eq!(found, scores(&*read(&fitted.machine.record()), &form(&queries), &run(4)));
            for i in [0, 7, 19] {
                let alone = scores(&*fitted.machine, &form(&queries).slice(i..i + 1), &run(1));
                let close = |a: f64, b: f64| (a - b).abs() <= 1e-12 * (1.0 + b.abs());
                assert!(alone.iter().zip(&found[4 * i..]).all(|(a, b)| close(*a, *b)), "a row alone differs");
            }
            by_form.push(found);
        }
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * (1.0 + b.abs());
        assert!(by_form[0].iter().zip(&by_form[1]).all(|(a, b)| close(*a, *b)), "dense and sparse differ");
    }
}

#[test]
fn the_slope_is_that_of_the_scores() {
    let data = Dataset::new(Points::dense(drawn(1, 30, 3, 1e9), 30, 3).unwrap(), classes(2, 30, 3));
    let machine = NearestMean::default().fit(&data, None, &run(1)).unwrap().machine;
    let (x, direction) = ([0.3, -0.7, 2.0], [1.0, -0.5, 0.25]);
    let out = testkit::gradient_at(&*machine, &x, &direction);
    for c in 0..3 {
        let at = |h: f64| {
            let mut x = x;
            x[c] += h;
            let found = scores(&*machine, &Points::dense(x.to_vec(), 1, 3).unwrap(), &run(1));
            found.iter().zip(direction).map(|(s, d)| s * d).sum::<f64>()
        };
        let measured = (at(1e-5) - at(-1e-5)) / 2e-5;
        assert!((measured - out[c]).abs() < 1e-6, "{measured} for {}", out[c]);
    }
}

#[test]
fn empty_classes_are_never_predicted() {
    let points = Points::dense(vec![0.0, 1.0, 10.0], 3, 1).unwrap();
    let targets = Targets::Classes(Classes::new(vec![0, 0, 2], names(3)).unwrap());
    let fitted = NearestMean::default().fit(&Dataset::new(points, targets), None, &run(1)).unwrap();
    assert!(fitted.certificate.warnings[0].contains("c1"));
    let found = scores(&*fitted.machine, &Points::dense(vec![4.0, 9.0], 2, 1).unwrap(), &run(1));
    assert_eq!(found, [-12.25, f64::MIN, -36.0, -72.25, f64::MIN, -1.0]);
}

struct Never;
impl Watch for Never {
    fn step(&self, _: &Progress<'_>) -> Verdict {
        Verdict::Cancel
    }
}

#[test]
fn cancel_memory_and_wrong_inputs_are_heard() {
    let data = Dataset::new(Points::dense(drawn(1, 3000, 20, 1e9), 3000, 20).unwrap(), classes(2, 3000, 3));
    let inputs = Inputs::Points(data.points().unwrap().clone());
    let stopped = Run { watch: &Never, ..run(1) };
    for learner in [
        Box::new(Knn::default()) as Box<dyn Learner>,
        Box::new(Knn { method: Search::Tree, ..Default::default() }),
        Box::new(NearestMean::default()),
    ] {
        let machine = learner.fit(&data, None, &run(1)).unwrap().machine;
        assert!(matches!(learner.fit(&data, None, &stopped), Err(Error::Cancelled)));
        assert!(matches!(machine.compute(&inputs, &stopped), Err(Error::Cancelled)), "{learner:?}");
        let poor = Run { memory: Memory::limited(20_000), ..run(1) };
        assert!(matches!(machine.compute(&inputs, &poor), Err(Error::Memory { .. })), "{learner:?}");
        let wide = Inputs::Points(Points::dense(vec![0.0; 21], 1, 21).unwrap());
        assert!(matches!(machine.compute(&wide, &run(1)), Err(Error::Size { .. })));
        let run = run(1);
        machine.compute(&Inputs::Points(data.points().unwrap().slice(0..0)), &run).unwrap();
        let plan = learner.plan(&Size::of(&data));
        assert!(plan.fit > 0.0 && plan.predict > 0.0 && plan.bytes > 0.0);
    }
    // A limit that fits smaller blocks only changes nothing but the speed.
    let machine = Knn::default().fit(&data, None, &run(1)).unwrap().machine;
    let queries = data.points().unwrap().slice(0..100);
    let tight = Run { memory: Memory::limited(1 << 20), ..run(2) };
    assert_eq!(scores(&*machine, &queries, &tight), scores(&*machine, &queries, &run(1)));
    assert!(tight.memory.peak() <= 1 << 20 && tight.memory.used() == 0);
}

#[test]
fn broken_records_are_refused() {
    let data = Dataset::new(Points::dense(drawn(1, 10, 2, 1e9), 10, 2).unwrap(), classes(2, 10, 3));
    let knn = Knn::default().fit(&data, None, &run(1)).unwrap().machine.record();
    let refused = |record: &Record| KnnMachine::read(record).is_err();
    assert!(!refused(&knn));
    assert!(refused(&knn.clone().with("codes", vec![0u32; 9])));
    assert!(refused(&knn.clone().with("codes", vec![7u32; 10])));
    assert!(refused(&knn.clone().with("codes", vec![u32::MAX; 10])));
    assert!(refused(&knn.clone().with("k", 0usize)));
    assert!(refused(&knn.clone().with("method", "magic")));
    assert!(refused(&knn.clone().with_array("weights", &[10], vec![-1.0; 10])));
    assert!(refused(&knn.clone().with("inputs", Features::unnamed(3).record())));
    let mean = NearestMean::default().fit(&data, None, &run(1)).unwrap().machine.record();
    let refused = |record: &Record| NearestMeanMachine::read(record).is_err();
    assert!(!refused(&mean));
    assert!(refused(&mean.clone().with("present", vec![0u32, 1, 5])));
    assert!(refused(&mean.clone().with("present", vec![1u32, 0, 2])));
    assert!(refused(&mean.clone().with("present", Vec::<u32>::new())));
    assert!(refused(&mean.clone().with_array("means", &[3, 2], vec![f64::NAN; 6])));
    assert!(
        Knn { method: Search::Tree, ..Default::default() }
            .fit(&Dataset::new(to_sparse(&[1.0, 0.0], 1), classes(2, 2, 3)), None, &run(1))
            .is_err()
    );
}
