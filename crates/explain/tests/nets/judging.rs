//! Judging explanations: measures beside their definitions, known orders, planted boxes, and what must be refused.

use crate::drawn::pictured;
use crate::{close, numbers, run};
use base::graph::*;
use base::{
    Error, Features, Inputs, Link, Machine, Outputs, Points, Progress, Run, Seed, Shape, Verdict, Watch, normal,
};
use network::NetworkMachine;
use pellucid_explain::judging::faithfulness::Losses;
use pellucid_explain::judging::mosaics::Mosaics;
use pellucid_explain::judging::{EvalContext, Frame, Instead, Pool, Replace, perturbation, randomisation, sensitivity};
use pellucid_explain::{
    Candidate, Context, EvalData, Judged, Judging, Measure, Method, Pieces, Question, Tuning, explain_with, judging,
};

const SHAPE: Shape = Shape::Image { height: 8, width: 8, channels: 2 };

/// A network of pictures with scores of five classes.
fn pictures() -> NetworkMachine {
    let (n, y) = pictured(5, 5);
    let features = Features::unnamed(128).shaped(SHAPE).unwrap();
    let names = ["a", "b", "c", "d", "e"].map(String::from).to_vec();
    NetworkMachine::new(n.draft.graph(y).unwrap(), features, Outputs::classes(names.into(), Link::Softmax)).unwrap()
}

/// Σ w_i x_i.
fn linear(weights: &[f64], shape: Option<Shape>) -> NetworkMachine {
    let d = weights.len();
    let mut draft = Draft::rows(d);
    let w = draft.trained("w", Tensor::f64([d, 1], weights.to_vec()).unwrap());
    let y = draft.node("y", Op::Dense { transposed: false }, &[Draft::INPUT, w]);
    let features = shape.map_or(Features::unnamed(d), |s| Features::unnamed(d).shaped(s).unwrap());
    NetworkMachine::new(draft.graph(y).unwrap(), features, Outputs::values(vec!["y".to_string()].into())).unwrap()
}

fn rows(n: usize, d: usize, seed: u64) -> Points {
    let mut stream = Seed(seed).stream();
    Points::dense((0..n * d).map(|_| 0.3 + normal(&mut stream)).collect::<Vec<f64>>(), n, d).unwrap()
}

fn scene<'m>(machine: &'m NetworkMachine, points: &Points, data: &Points, how: &Judging) -> EvalContext<'m> {
    EvalContext::new(machine, &Inputs::Points(points.clone()), &Inputs::Points(data.clone()), how, &run()).unwrap()
}

/// Relevance as anybody may give it.
fn given(values: Vec<f64>, n: usize) -> base::Relevance {
    let d = values.len() / n;
    let features = Features::unnamed(d);
    base::Relevance { values: Points::dense(values, n, d).unwrap(), features, balance: None, method: "given".into() }
}

#[test]
fn perturbation_curves_equal_rows_perturbed_one_region_after_the_other() {
    let machine = pictures();
    let (points, data) = (rows(3, 128, 1), rows(20, 128, 2));
    let relevance = rows(3, 128, 3);
    for replace in
        [Replace::Mean, Replace::Constant, Replace::Noise, Replace::Blur, Replace::Neighbours, Replace::Other]
    {
        for (pool, steps) in [(Pool::Sum, 100), (Pool::Max, 5)] {
            let how = Judging { region: 2, replace, constant: 0.7, blur: 1.5, pool, steps, ..Judging::default() };
            let scene = scene(&machine, &points, &data, &how);
            let told = given(numbers(&relevance), 3);
            let found = perturbation::curves(&scene, &told, &run()).unwrap();
            for i in 0..3 {
                let (x, r) =
                    (numbers(&points)[i * 128..(i + 1) * 128].to_vec(), &numbers(&relevance)[i * 128..(i + 1) * 128]);
                // Sixteen patches of 2 x 2 pixels with two channels each.
                let inside = |g: usize, c: usize| (c / 2 / 8 / 2, c / 2 % 8 / 2) == (g / 4, g % 4);
                let pooled = |g: usize| {
                    let own = (0..128).filter(|&c| inside(g, c)).map(|c| r[c]);
                    if pool == Pool::Sum { own.sum::<f64>() } else { own.fold(f64::NEG_INFINITY, f64::max) }
                };
                let mut order: Vec<usize> = (0..16).collect();
                order.sort_by(|&a, &b| pooled(b).total_cmp(&pooled(a)));
                let number = if replace == Replace::Blur { 1.5 } else { 0.7 };
                let instead = Instead::new(replace, number, &scene.regions, &data, &run()).unwrap().of(&x, i);
                let output = scene.outputs[i];
                for (least, curve) in [(false, &found.most[i]), (true, &found.least[i])] {
                    let mut away = x.clone();
                    let mut slow = vec![score(&machine, &away, output)];
                    for k in 0..16 {
                        let g = if least { order[15 - k] } else { order[k] };
                        (0..128).filter(|&c| inside(g, c)).for_each(|c| away[c] = instead[c]);
                        slow.push(score(&machine, &away, output));
                    }
                    if steps == 5 {
                        slow = [0, 3, 6, 9, 12, 16].map(|k| slow[k]).to_vec();
                    }
                    close(curve, &slow, 1e-9, &format!("{} row {i}, least {least}", replace.word()));
                }
            }
            assert_eq!(found.away.last(), Some(&1.0));
        }
    }
}

fn score(machine: &NetworkMachine, x: &[f64], output: usize) -> f64 {
    let point = Inputs::Points(Points::dense(x.to_vec(), 1, x.len()).unwrap());
    numbers(&machine.compute(&point, &run()).unwrap())[output]
}

#[test]
fn of_a_linear_score_no_order_is_better_than_that_of_its_contributions() {
    let weights = [2.0, -1.0, 0.5, 3.0, -0.2];
    let machine = linear(&weights, None);
    let (point, data) = (rows(1, 5, 4), rows(9, 5, 5));
    let scene = scene(&machine, &point, &data, &Judging::default());
    let x = numbers(&point);
    let mean: Vec<f64> = (0..5).map(|c| (0..9).map(|i| numbers(&data)[i * 5 + c]).sum::<f64>() / 9.0).collect();
    let exact: Vec<f64> = (0..5).map(|c| weights[c] * (x[c] - mean[c])).collect();
    let areas = |relevance: Vec<f64>| {
        let found = perturbation::curves(&scene, &given(relevance, 1), &run()).unwrap();
        let height = |c: &[f64]| pellucid_explain::flipping::height(c);
        (height(&found.most[0]), height(&found.least[0]), found.most[0].clone())
    };
    let (best, highest, curve) = areas(exact.clone());
    let mut falling = exact.clone();
    falling.sort_by(|a, b| b.total_cmp(a));
    let start: f64 = x.iter().zip(weights).map(|(x, w)| x * w).sum();
    let expected: Vec<f64> = (0..=5).map(|k| start - falling[..k].iter().sum::<f64>()).collect();
    close(&curve, &expected, 1e-12, "each step takes a contribution");
    let mut worse = 0;
    for seed in 0..120 {
        let order: Vec<f64> = Seed(seed).permutation(5).into_iter().map(|k| k as f64).collect();
        let (area, least, _) = areas(order);
        assert!(area >= best - 1e-12 && least <= highest + 1e-12, "{area} {best}");
        worse += usize::from(area > best + 1e-9);
    }
    assert!(worse > 80, "{worse}");
}

#[test]
fn faithfulness_is_one_for_contributions_and_minus_one_for_their_opposite() {
    let weights: Vec<f64> = (0..12).map(|i| f64::from(i * 5 % 7) - 2.0).collect();
    let machine = linear(&weights, None);
    let (points, data) = (rows(4, 12, 6), rows(30, 12, 7));
    let how = Judging { replace: Replace::Constant, ..Judging::default() };
    let scene = scene(&machine, &points, &data, &how);
    let exact: Vec<f64> = numbers(&points).iter().enumerate().map(|(i, x)| x * weights[i % 12]).collect();
    let losses = Losses::new(&scene, &run()).unwrap();
    let of = |values: Vec<f64>| losses.correlations(&scene, &given(values, 4), &run()).unwrap();
    assert!(of(exact.clone()).iter().all(|c| (c - 1.0).abs() < 1e-9));
    assert!(of(exact.iter().map(|r| -3.0 * r).collect()).iter().all(|c| (c + 1.0).abs() < 1e-9));
    // A hundred draws: the correlation of what has nothing to do with each other is near 0.1.
    let drawn = of(numbers(&rows(4, 12, 8)));
    assert!(drawn.iter().all(|c| c.abs() < 0.75), "{drawn:?}");
    assert_eq!(of(vec![1.0; 48]), [0.0; 4], "constant relevance says nothing");
}

#[test]
fn sensitivity_is_nothing_for_a_constant_gradient_and_bounded_for_products() {
    let weights = [2.0, -1.0, 0.5, 3.0];
    let machine = linear(&weights, None);
    let points = rows(3, 4, 9);
    let scene = scene(&machine, &points, &points, &Judging::default());
    let changes = |method: Method| {
        let tuning = Tuning::default();
        let told = scene.explained(method, &tuning, &run()).unwrap();
        sensitivity::largest_changes(&scene, (method, &tuning), &told, &run()).unwrap()
    };
    assert_eq!(changes(Method::Gradient), [0.0; 3]);
    for (i, change) in changes(Method::InputGradient).into_iter().enumerate() {
        let x = &numbers(&points)[i * 4..(i + 1) * 4];
        let range = x.iter().fold(f64::MIN, |a, b| a.max(*b)) - x.iter().fold(f64::MAX, |a, b| a.min(*b));
        let size = |v: &mut dyn Iterator<Item = f64>| v.map(|v| v * v).sum::<f64>().sqrt();
        let most = 0.02 * range * size(&mut weights.into_iter()) / size(&mut x.iter().zip(weights).map(|(x, w)| x * w));
        assert!(change > 0.1 * most && change <= most, "{change} of {most}");
    }
    assert!(changes(Method::Random).iter().all(|c| *c > 0.5), "drawn relevance is drawn anew");
    let nothing =
        sensitivity::largest_changes(&scene, (Method::Gradient, &Tuning::default()), &given(vec![0.0; 12], 3), &run());
    assert!(nothing.unwrap().iter().all(|c| c.is_nan()));
}

#[test]
fn drawn_weights_change_what_looks_at_them_and_nothing_else() {
    let machine = pictures();
    let points = rows(6, 128, 10);
    for layers in [randomisation::Layers::Cascading, randomisation::Layers::Independent] {
        let how = Judging { layers, ..Judging::default() };
        let scene = scene(&machine, &points, &points, &how);
        let of = |method: Method| randomisation::correlations(&scene, (method, &Tuning::default()), &run()).unwrap();
        let edges = of(Method::Sobel);
        assert_eq!(edges.layers, ["dense 13", "conv 8", "conv 3"]);
        assert!(edges.rows.iter().flatten().all(|c| (c - 1.0).abs() < 1e-12), "edges look at no weight");
        let gradient = of(Method::Gradient);
        let mean = |k: usize| gradient.rows.iter().map(|r| r[k]).sum::<f64>() / 6.0;
        // Spearman's correlation of 128 numbers that have nothing in common deviates by 1/√127 = 0.09 a row; six rows
        // share their network.
        assert!((0..3).all(|k| mean(k).abs() < 0.3), "{gradient:?}");
        let random = of(Method::Random);
        assert!(random.rows.iter().flatten().all(|c| c.abs() < 0.4), "{random:?}");
    }
    // Deep Taylor has nothing to say where the drawn score is below 0.
    let how = Judging::default();
    let scene = scene(&machine, &points, &points, &how);
    let taylor = randomisation::correlations(&scene, (Method::DeepTaylor, &Tuning::default()), &run()).unwrap();
    assert!(taylor.rows.iter().flatten().all(|c| c.is_nan() || c.abs() <= 1.0));
}

fn ask(
    machine: &NetworkMachine,
    points: &Points,
    methods: &[Method],
    measures: &[Measure],
    how: &Judging,
    run: &Run<'_>,
) -> base::Result<Vec<Judged>> {
    let frames = vec![Frame { top: 2, left: 2, bottom: 6, right: 6 }; points.len()];
    let tuning = Tuning { copies: 4, samples: 40, patch: 2, steps: 6, ..Tuning::default() };
    let contestants: Vec<Candidate> =
        methods.iter().map(|m| Candidate { tuning: tuning.clone(), ..Candidate::of(*m) }).collect();
    let inputs = Inputs::Points(points.clone());
    judging::judge(machine, &inputs, &contestants, (measures, how), EvalData { data: &inputs, frames: &frames }, run)
}

#[test]
fn relevance_in_a_planted_box_is_located_and_ranked_above_chance() {
    // Only pixels of the box count.
    let inside = |c: usize| (2..6).contains(&(c / 2 / 8)) && (2..6).contains(&(c / 2 % 8));
    let weights: Vec<f64> = (0..128).map(|c| if inside(c) { 1.0 } else { 0.0 }).collect();
    let machine = linear(&weights, Some(SHAPE));
    let points = rows(8, 128, 11);
    let measures = [Measure::Localisation, Measure::Perturbation];
    let how = Judging { region: 2, ..Judging::default() };
    let found = ask(&machine, &points, &[Method::InputGradient], &measures, &how, &run()).unwrap();
    let best = &found[0].standings[0];
    assert_eq!((best.name.as_str(), best.mean.mean, best.rank), ("input-gradient", 1.0, 1));
    assert_eq!(best.verdict.word(), "better");
    assert_eq!(found[0].standings[1].name, "random", "it always takes part");
    // A quarter of the picture: 0.25 of relevance by chance.
    assert!((found[0].standings[1].mean.mean - 0.25).abs() < 0.1, "{:?}", found[0].standings[1].mean);
    assert!(best.also.iter().any(|(name, mean)| *name == "pointing" && mean.mean == 1.0));
    assert_eq!(found[0].classes.len(), 0, "nothing lies outside, so that there is no ratio");
    let (first, last) = (&found[1].standings[0], &found[1].standings[1]);
    assert_eq!((first.name.as_str(), first.verdict.word(), last.rank), ("input-gradient", "better", 2));
    let also = |name: &str| first.also.iter().find(|(n, _)| *n == name).unwrap().1.mean;
    assert!((also("least first") - first.mean.mean - also("difference")).abs() < 1e-9 && also("aopc") > 0.0);
    assert_eq!((found[1].curves.len(), found[1].curves[0].x.len()), (2, 17));
}

/// All rows of a data set, each with a box of its own: what lies inside over what lies outside, by the class predicted.
#[test]
fn boxes_of_a_data_set_rank_classes_and_methods_as_defined() {
    let machine = pictures();
    let methods = [Method::InputGradient, Method::LrpEpsilon, Method::Gradient];
    for seed in testkit::seeds(4) {
        let points = rows(40, 128, seed);
        let at = |i: usize, k: usize, most: usize| (Seed(seed).fork("boxes").at(i).at(k).unit() * most as f64) as usize;
        let frame = |i: usize| {
            let (top, left) = (at(i, 0, 7), at(i, 1, 8));
            // Never the whole picture: at most seven lines.
            Frame { top, left, bottom: top + 1 + at(i, 2, 7 - top), right: left + 1 + at(i, 3, 8 - left) }
        };
        let frames: Vec<Frame> = (0..40).map(frame).collect();
        let inputs = Inputs::Points(points.clone());
        let contestants = methods.map(Candidate::of);
        let ground = EvalData { data: &inputs, frames: &frames };
        let how = (&[Measure::Localisation][..], &Judging::default());
        let found = judging::judge(&machine, &inputs, &contestants, how, ground, &run()).unwrap().remove(0);
        let mut shares = vec![];
        for (place, method) in methods.into_iter().enumerate() {
            let question = Question { method: Some(method), output: None };
            let answer = explain_with(&machine, &inputs, question, &Context::default(), &run()).unwrap();
            let (mut ratios, mut positive) = (vec![vec![]; 5], 0.0);
            for (i, row) in numbers(&answer.relevance.values).chunks(128).enumerate() {
                // Inside and outside: sizes, and what is above 0.
                let (mut sizes, mut above) = ([0.0; 2], [0.0; 2]);
                for (p, r) in row.chunks(2).map(|pixel| pixel[0] + pixel[1]).enumerate() {
                    let f = frames[i];
                    let side =
                        usize::from(!((f.top..f.bottom).contains(&(p / 8)) && (f.left..f.right).contains(&(p % 8))));
                    sizes[side] += r.abs();
                    above[side] += r.max(0.0);
                }
                ratios[answer.outputs[i]].extend(Some(sizes[0] / sizes[1]).filter(|r| r.is_finite()));
                positive += above[0] / (above[0] + above[1]).max(f64::MIN_POSITIVE) / 40.0;
            }
            shares.push((method.word(), positive));
            if place == 0 {
                let mean = |v: &Vec<f64>| v.iter().sum::<f64>() / v.len() as f64;
                let mut classes: Vec<(usize, usize, f64)> =
                    (0..5).filter(|&k| !ratios[k].is_empty()).map(|k| (k, ratios[k].len(), mean(&ratios[k]))).collect();
                classes.sort_by(|a, b| a.2.total_cmp(&b.2));
                assert_eq!(found.classes.len(), classes.len(), "seed {seed}");
                for (told, (class, rows, mean)) in found.classes.iter().zip(classes) {
                    assert_eq!((told.class, told.rows), (class, rows), "seed {seed}: the lowest ratio first");
                    assert!((told.mean - mean).abs() <= 1e-9 * mean, "seed {seed}: {} and {mean}", told.mean);
                }
            }
        }
        for (name, mean) in shares {
            let standing = found.standings.iter().find(|s| s.name == name).unwrap();
            assert!((standing.mean.mean - mean).abs() < 1e-9, "seed {seed}, {name}: {} and {mean}", standing.mean.mean);
        }
        assert_eq!(found.standings.len(), 4, "a random order takes part");
        assert!(found.standings.windows(2).all(|s| s[0].mean.mean >= s[1].mean.mean), "seed {seed}: the best first");
    }
}

#[test]
fn mosaics_show_what_they_are_asked_for() {
    let machine = pictures();
    let points = rows(40, 128, 12);
    let scene = scene(&machine, &points, &points, &Judging::default());
    let mosaics = Mosaics::new(&scene, &run()).unwrap();
    assert!(mosaics.rows.len() > 10 && mosaics.frames.len() == mosaics.rows.len());
    for (k, four) in mosaics.rows.iter().enumerate() {
        let frame = mosaics.frames[k];
        let quarter = frame.top / 4 * 2 + frame.left / 4;
        assert_eq!(scene.outputs[four[quarter]], mosaics.outputs[k]);
        // A pixel of the quarter is the mean of four of the picture asked for.
        let (mosaic, picture) = (&numbers(&mosaics.points)[k * 128..], &numbers(&points)[four[quarter] * 128..]);
        let mean = (picture[0] + picture[2] + picture[16] + picture[18]) / 4.0;
        assert!((mosaic[(frame.top * 8 + frame.left) * 2] - mean).abs() < 1e-12);
    }
    let found =
        ask(&machine, &points, &[Method::LrpEpsilon], &[Measure::Mosaics], &Judging::default(), &run()).unwrap();
    let random = found[0].standings.iter().find(|s| s.name == "random").unwrap();
    assert!((random.mean.mean - 0.25).abs() < 0.05, "{:?}", random.mean);
}

#[test]
fn measures_have_the_same_bits_on_any_number_of_threads() {
    let machine = pictures();
    let points = rows(40, 128, 12);
    let methods = [Method::Gradient, Method::LrpComposite, Method::Occlusion, Method::SmoothGrad];
    let measures: Vec<Measure> = Measure::ALL.into_iter().filter(|m| *m != Measure::Flipping).collect();
    let how = Judging { region: 2, sets: 20, noisy: 2, replace: Replace::Noise, ..Judging::default() };
    let bits = |threads: usize| -> Vec<Vec<u64>> {
        let found = ask(&machine, &points, &methods, &measures, &how, &Run { threads, ..run() }).unwrap();
        found.iter().flat_map(|j| j.standings.iter().map(|s| s.values.iter().map(|v| v.to_bits()).collect())).collect()
    };
    assert_eq!(bits(1), bits(3));
    assert_eq!(bits(1).len(), 8 * 5);
}

#[test]
fn every_setting_of_a_method_is_known_to_be_its_own() {
    use base::{Settings, Value};
    let machine = pictures();
    let points = rows(2, 128, 14);
    let scene = scene(&machine, &points, &rows(9, 128, 15), &Judging::default());
    let quick = Tuning { copies: 3, samples: 40, patch: 4, steps: 4, ..Tuning::default() };
    let others = [
        ("epsilon", Value::Number(0.5)),
        ("gamma", Value::Number(2.0)),
        ("alpha", Value::Number(3.0)),
        ("signs", Value::Text("weights".into())),
        ("low", Value::List(vec![-9.0])),
        ("high", Value::List(vec![9.0])),
        ("noise", Value::Number(0.9)),
        ("copies", Value::Whole(2)),
        ("smoothed", Value::Text("square".into())),
        ("steps", Value::Whole(2)),
        ("patch", Value::Whole(2)),
        ("samples", Value::Whole(30)),
        ("width", Value::Number(0.5)),
        ("penalty", Value::Number(9.0)),
        ("pieces", Value::Text("segments".into())),
        ("kernel_size", Value::Number(3.0)),
        ("max_dist", Value::Number(1.0)),
        ("ratio", Value::Number(5.0)),
        ("reference", Value::List(vec![0.9])),
    ];
    for method in Method::ALL {
        let fits = pellucid_explain::fitting(&machine).into_iter().any(|f| f.method == method && f.why_not.is_none());
        if !fits || method.of_support() || method == Method::Shapley {
            continue;
        }
        for (name, value) in &others {
            // Pictures are cut into segments unless patches are asked for.
            let pieces = if *name == "patch" { Pieces::Patches } else { Pieces::Auto };
            // Of few parts all sets are counted, however many samples may be drawn.
            let patch = if *name == "samples" { 2 } else { quick.patch };
            let mut tuning = Tuning { pieces, patch, ..quick.clone() };
            let Ok(before) = scene.explained(method, &tuning, &run()) else { continue };
            let other = match (*name, method) {
                ("pieces", Method::Lime) => Value::Text("patches".into()),
                _ => value.clone(),
            };
            tuning.set(name, other).unwrap();
            let Ok(after) = scene.explained(method, &tuning, &run()) else { continue };
            let moved = numbers(&before.values) != numbers(&after.values);
            assert_eq!(moved, method.looks_at(name), "{} and {name}", method.word());
        }
    }
}

#[test]
fn what_cannot_be_judged_is_refused_in_words() {
    let machine = pictures();
    let points = rows(3, 128, 16);
    let usual = Judging::default();
    let fails = |methods: &[Method], measure: Measure, how: &Judging| -> String {
        ask(&machine, &points, methods, &[measure], how, &run()).unwrap_err().to_string()
    };
    let large = Judging { region: 9, ..usual.clone() };
    assert!(fails(&[Method::Gradient], Measure::Perturbation, &large).contains("at most 8"));
    assert!(fails(&[Method::Gradient], Measure::Flipping, &usual).contains("use perturbation"));
    assert!(fails(&[], Measure::Perturbation, &usual).contains("at least one"));
    assert!(fails(&[Method::Support], Measure::Perturbation, &usual).contains("support points"));
    assert!(fails(&[Method::Dtd], Measure::Perturbation, &usual).contains("dtd"));
    let wrong = Judging { share: 1.5, ..usual.clone() };
    assert!(fails(&[Method::Gradient], Measure::Perturbation, &wrong).contains("share"));
    // Fewer than four classes.
    assert!(fails(&[Method::Gradient], Measure::Mosaics, &usual).contains("at least 4"));
    // No rows, too few boxes, relevance of another size, relevance that is not a number.
    let inputs = Inputs::Points(points.clone());
    let contestants = [Candidate::of(Method::Gradient)];
    let ground = EvalData { data: &inputs, frames: &[] };
    let measure = (&[Measure::Localisation][..], &usual);
    assert!(
        judging::judge(&machine, &inputs, &contestants, measure, ground, &run())
            .unwrap_err()
            .to_string()
            .contains("boxes")
    );
    let none = Inputs::Points(points.slice(0..0));
    assert!(judging::judge(&machine, &none, &contestants, measure, ground, &run()).is_err());
    let scene = scene(&machine, &points, &points, &usual);
    assert!(perturbation::curves(&scene, &given(vec![1.0; 128], 1), &run()).is_err());
    let mut bad = vec![0.0; 3 * 128];
    bad[130] = f64::NAN;
    let error = perturbation::curves(&scene, &given(bad, 3), &run()).unwrap_err().to_string();
    assert!(error.contains("input 2 of row 1") && error.contains("NaN"), "{error}");
    // A detector's or a table's measures do not fit.
    let table = linear(&[1.0, 2.0, 3.0], None);
    let three = rows(3, 3, 17);
    let blur = Judging { replace: Replace::Blur, ..usual.clone() };
    assert!(
        ask(&table, &three, &[Method::Gradient], &[Measure::Perturbation], &blur, &run())
            .unwrap_err()
            .to_string()
            .contains("image")
    );
    assert!(ask(&table, &three, &[Method::Gradient], &[Measure::Localisation], &usual, &run()).is_err());
}

#[test]
fn one_row_and_constant_relevance_are_judged_without_a_verdict() {
    let machine = linear(&[1.0; 6], None);
    let point = Points::dense(vec![2.0; 6], 1, 6).unwrap();
    let measures = [Measure::Perturbation, Measure::Faithfulness, Measure::Sparseness, Measure::Complexity];
    let found = ask(&machine, &point, &[Method::Gradient], &measures, &Judging::default(), &run()).unwrap();
    for judged in &found {
        assert!(judged.standings.iter().all(|s| s.verdict.word() == "tied"), "{:?}", judged.measure);
        assert!(judged.standings.iter().all(|s| s.mean.mean.is_finite()));
    }
    let of = |k: usize| found[k].standings.iter().find(|s| s.name == "gradient").unwrap().mean.mean;
    assert_eq!((of(1), of(2)), (0.0, 0.0));
    assert!((of(3) - 6f64.ln()).abs() < 1e-12);
}

#[test]
fn a_watch_that_cancels_is_heard() {
    struct Stops;
    impl Watch for Stops {
        fn step(&self, progress: &Progress<'_>) -> Verdict {
            if progress.stage == "perturbing" { Verdict::Cancel } else { Verdict::GoOn }
        }
    }
    let run = Run { watch: &Stops, ..run() };
    let found =
        ask(&pictures(), &rows(2, 128, 18), &[Method::Gradient], &[Measure::Perturbation], &Judging::default(), &run);
    assert_eq!(found.unwrap_err(), Error::Cancelled);
}
