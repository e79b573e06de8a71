//! Every method by its name on machines: networks of pictures, chains with scalers, rows alone as in a batch.

use crate::drawn::pictured;
use crate::{close, numbers, run};
use base::graph::*;
use base::{Features, Inputs, Link, Machine, Outputs, Points, Run, Seed, Settings, Shape, Value, normal};
use network::NetworkMachine;
use pellucid_explain::attribution::{IntegrationSteps, NoiseOptions, integrated_gradients, smooth_grad, var_grad};
use pellucid_explain::{
    Answer, Context, Method, Question, Scored, Smoothed, Tuning, explain_many, explain_with, fitting,
};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A small network of pictures in single or double precision, with a softmax at its end.
fn network(element: Element) -> NetworkMachine {
    let (mut n, y) = pictured(31, 3);
    let y = n.node(Op::Softmax { axis: -1, log: false }, &[y]);
    let graph = network::rewrite::in_precision(&n.draft.graph(y).unwrap(), element).unwrap();
    let features = Features::unnamed(128).shaped(Shape::Image { height: 8, width: 8, channels: 2 }).unwrap();
    let outputs = Outputs::classes(["a", "b", "c"].map(String::from).to_vec().into(), Link::Identity);
    NetworkMachine::new(graph, features, outputs).unwrap()
}

fn rows(n: usize) -> Points {
    let mut stream = Seed(77).stream();
    Points::dense((0..n * 128).map(|_| 0.2 + normal(&mut stream)).collect::<Vec<f64>>(), n, 128).unwrap()
}

fn quick() -> Tuning {
    let mut tuning = Tuning { copies: 4, samples: 60, patch: 2, ..Tuning::default() };
    tuning.set("steps", Value::Whole(6)).unwrap();
    tuning
}

fn ask(machine: &NetworkMachine, method: Method, points: &Points, background: &Inputs, run: &Run<'_>) -> Answer {
    let context = Context { tuning: quick(), background: Some(background) };
    let question = Question { method: Some(method), output: None };
    let inputs = Inputs::Points(points.clone());
    explain_with(machine, &inputs, question, &context, run).unwrap_or_else(|e| panic!("{}: {e}", method.word()))
}

#[test]
fn every_method_that_fits_explains_rows_alone_as_in_a_batch() {
    let background = Inputs::Points(rows(40));
    let points = rows(5);
    let mut seen = 0;
    for element in [Element::F64, Element::F32] {
        let machine = network(element);
        for fit in fitting(&machine).into_iter().filter(|f| f.why_not.is_none()) {
            // Asked for by its word.
            let method = Method::find(fit.method.word()).unwrap();
            assert_eq!(method, fit.method);
            if method == Method::Shapley {
                continue; // 16 patches of 65536 sets: below, on fewer.
            }
            let whole = ask(&machine, method, &points, &background, &run());
            assert_eq!((whole.relevance.values.len(), whole.relevance.values.columns()), (5, 128), "{}", method.word());
            let values = numbers(&whole.direct.values);
            assert!(values.iter().all(|v| v.is_finite()), "{}", method.word());
            assert!(values.iter().any(|v| *v != 0.0), "{} says nothing", method.word());
            if let Some(balance) = &whole.direct.balance {
                let most = if element == Element::F64 { 1e-9 } else { 1e-4 };
                assert!(balance.iter().all(|b| b.open() < most), "{}: {balance:?}", method.word());
            }
            let single = ask(&machine, method, &points, &background, &Run { threads: 1, ..run() });
            assert_eq!(values, numbers(&single.direct.values), "{}: threads", method.word());
            // What is drawn row by row says so; the rest does not look at its neighbours.
            if method != Method::Random {
                for i in 0..5 {
                    let alone = ask(&machine, method, &points.select(&[i]).unwrap(), &background, &run());
                    let own = &values[i * 128..(i + 1) * 128];
                    let share = if element == Element::F64 { 1e-9 } else { 1e-3 };
                    close(&numbers(&alone.direct.values), own, share, &format!("{}: row {i} alone", method.word()));
                }
            }
            seen += 1;
        }
    }
    assert!(seen >= 60, "{seen} only");
}

#[test]
fn scores_are_explained_not_probabilities() {
    let machine = network(Element::F64);
    let answer = ask(&machine, Method::LrpEpsilon, &rows(4), &Inputs::Points(rows(4)), &run());
    let balance = answer.direct.balance.unwrap();
    assert!(balance.iter().any(|b| b.score > 1.0 || b.score < 0.0), "{balance:?}");
}

/// The same network without the softmax at its end.
fn unnormalised() -> NetworkMachine {
    let (n, y) = pictured(31, 3);
    let features = Features::unnamed(128).shaped(Shape::Image { height: 8, width: 8, channels: 2 }).unwrap();
    let outputs = Outputs::values(["a", "b", "c"].map(String::from).to_vec().into());
    NetworkMachine::new(n.draft.graph(y).unwrap(), features, outputs).unwrap()
}

fn sampled_rows(n: usize, seed: u64) -> Points {
    let mut stream = Seed(seed).fork("rows to explain").stream();
    Points::dense((0..n * 128).map(|_| normal(&mut stream)).collect::<Vec<f64>>(), n, 128).unwrap()
}

/// ∂f_k/∂x of one row.
fn slope(machine: &NetworkMachine, row: &Points, output: usize) -> Vec<f64> {
    let (mut direction, mut slope) = (vec![0.0; machine.outputs().names.len()], vec![0.0; row.columns()]);
    direction[output] = 1.0;
    machine.facets().gradient.unwrap().vjp(row, &direction, &mut slope, &run()).unwrap();
    slope
}

#[test]
fn the_output_asked_for_is_explained_else_the_largest_before_the_softmax() {
    let (machine, plain) = (network(Element::F64), unnormalised());
    for seed in testkit::seeds(4) {
        let points = sampled_rows(6, seed);
        let scores = numbers(&plain.compute(&Inputs::Points(points.clone()), &run()).unwrap());
        let largest: Vec<usize> = scores.chunks(3).map(|f| base::argmax(f) as usize).collect();
        for output in [None, Some(0), Some(1), Some(2)] {
            let asked = |method| {
                let question = Question { method: Some(method), output };
                let means = Context { tuning: quick(), background: None };
                explain_with(&machine, &Inputs::Points(points.clone()), question, &means, &run()).unwrap()
            };
            let expected = output.map_or(largest.clone(), |k| vec![k; 6]);
            for method in [Method::LrpEpsilon, Method::LrpComposite, Method::IntegratedGradients, Method::DeepLift] {
                let answer = asked(method);
                assert_eq!(answer.outputs, expected, "{}, seed {seed}", method.word());
                let told: Vec<f64> = answer.direct.balance.unwrap().iter().map(|b| b.score).collect();
                let own: Vec<f64> = expected.iter().enumerate().map(|(i, k)| scores[3 * i + k]).collect();
                close(&told, &own, 1e-12, method.word());
            }
            // The slope of the score, not of the probability.
            let answer = asked(Method::Gradient);
            assert_eq!(answer.outputs, expected);
            for (i, (told, &k)) in numbers(&answer.direct.values).chunks(128).zip(&expected).enumerate() {
                close(told, &slope(&plain, &points.select(&[i]).unwrap(), k), 1e-12, "gradient");
            }
        }
    }
}

/// What is taken of a number: itself, its size, its square.
type Taken = fn(f64) -> f64;

/// tanh(x W) V, whose slopes are W (1 − tanh²) V.
#[test]
fn gradients_their_sizes_and_their_squares_are_those_of_the_formula() {
    for seed in testkit::seeds(6) {
        let own = Seed(seed).fork("tanh");
        let (d, h) = (1 + own.at(0).0 as usize % 6, 1 + own.at(1).0 as usize % 7);
        let sampled = |name: &str, count: usize| (0..count).map(|i| 2.0 * own.fork(name).at(i).unit() - 1.0).collect();
        let (w, v, x): (Vec<f64>, Vec<f64>, Vec<f64>) = (sampled("w", d * h), sampled("v", h * 2), sampled("x", 3 * d));
        let mut draft = Draft::rows(d);
        let first = draft.weight("w", &[d, h], w.clone()).unwrap();
        let z = draft.node("first", Op::Dense { transposed: false }, &[Draft::INPUT, first]);
        let z = draft.node("tanh", Op::Unary(Unary::Tanh), &[z]);
        let second = draft.weight("v", &[h, 2], v.clone()).unwrap();
        let y = draft.node("second", Op::Dense { transposed: false }, &[z, second]);
        let outputs = Outputs::values(["a", "b"].map(String::from).to_vec().into());
        let machine = NetworkMachine::new(draft.graph(y).unwrap(), Features::unnamed(d), outputs).unwrap();
        let points = Points::dense(x.clone(), 3, d).unwrap();
        for output in 0..2 {
            let at = |i: usize, j: usize| -> f64 {
                let unit = |k: usize| (0..d).map(|j| x[i * d + j] * w[j * h + k]).sum::<f64>().tanh();
                (0..h).map(|k| w[j * h + k] * (1.0 - unit(k).powi(2)) * v[k * 2 + output]).sum()
            };
            let slopes: Vec<f64> = (0..3 * d).map(|i| at(i / d, i % d)).collect();
            let methods: [(Method, Taken); 3] =
                [(Method::Gradient, |g| g), (Method::AbsGradient, f64::abs), (Method::Sensitivity, |g| g * g)];
            for (method, taken) in methods {
                let question = Question { method: Some(method), output: Some(output) };
                let inputs = Inputs::Points(points.clone());
                let told = explain_with(&machine, &inputs, question, &Context::default(), &run()).unwrap();
                let expected: Vec<f64> = slopes.iter().map(|g| taken(*g)).collect();
                let what = format!("{}, seed {seed}", method.word());
                close(&numbers(&told.direct.values), &expected, 1e-10, &what);
            }
        }
    }
}

/// What is put in a patch's place, and how large patches are, are settings: the score with it less the score without.
#[test]
fn occlusion_is_that_of_its_definition_for_any_patch_and_value() {
    let plain = unnormalised();
    let score = |x: &[f64], k: usize| {
        let point = Inputs::Points(Points::dense(x.to_vec(), 1, 128).unwrap());
        numbers(&plain.compute(&point, &run()).unwrap())[k]
    };
    for seed in testkit::seeds(3) {
        let points = sampled_rows(2, seed);
        let own = Seed(seed).fork("values");
        let each: Vec<f64> = (0..128).map(|c| 3.0 * own.at(c).unit() - 1.5).collect();
        for (patch, reference) in
            [(1, vec![0.7]), (2, vec![]), (3, vec![-1.2]), (4, each), (5, vec![0.4]), (8, vec![1.0])]
        {
            let tuning = Tuning { patch, reference: reference.clone(), ..Tuning::default() };
            let question = Question { method: Some(Method::Occlusion), output: Some(1) };
            let means = Context { tuning, background: None };
            let told = explain_with(&plain, &Inputs::Points(points.clone()), question, &means, &run()).unwrap();
            let instead = |c: usize| match &reference[..] {
                [] => 0.0,
                [one] => *one,
                list => list[c],
            };
            // Column c is a channel of the pixel in line c / 16, place c / 2 % 8; a patch has all channels of its pixels.
            let of = |c: usize| (c / 16 / patch, c / 2 % 8 / patch);
            for (x, told) in numbers(&points).chunks(128).zip(numbers(&told.direct.values).chunks(128)) {
                let lost = |c: usize| {
                    let away: Vec<f64> = (0..128).map(|k| if of(k) == of(c) { instead(k) } else { x[k] }).collect();
                    score(x, 1) - score(&away, 1)
                };
                let expected: Vec<f64> = (0..128).map(lost).collect();
                close(told, &expected, 1e-9, &format!("patches of {patch}, {reference:?}, seed {seed}"));
            }
        }
    }
}

#[test]
fn shapley_values_by_counting_and_from_samples_agree() {
    let machine = network(Element::F64);
    let points = rows(2);
    let tuning = Tuning { patch: 4, samples: 4000, ..Tuning::default() };
    let context = Context { tuning, background: None };
    let told = |method| {
        let question = Question { method: Some(method), output: Some(1) };
        let answer = explain_with(&machine, &Inputs::Points(points.clone()), question, &context, &run()).unwrap();
        assert!(answer.direct.balance.unwrap().iter().all(|b| b.lost.abs() < 1e-9), "complete");
        numbers(&answer.direct.values)
    };
    close(&told(Method::KernelShap), &told(Method::Shapley), 0.02, "kernel-shap");
}

/// A linear score: LIME finds it, and so do the others, whatever the background.
#[test]
fn a_linear_score_is_told_alike() {
    let mut draft = Draft::rows(4);
    let weights = [2.0, -1.0, 0.5, 3.0];
    let w = draft.weight("w", &[4, 1], weights.to_vec()).unwrap();
    let y = draft.node("y", Op::Dense { transposed: false }, &[Draft::INPUT, w]);
    let outputs = Outputs::values(["y".to_string()].to_vec().into());
    let machine = NetworkMachine::new(draft.graph(y).unwrap(), Features::unnamed(4), outputs).unwrap();
    let x = [1.0, 2.0, -1.0, 0.5];
    let expected: Vec<f64> = x.iter().zip(weights).map(|(x, w)| x * w).collect();
    let points = Inputs::Points(Points::dense(x.to_vec(), 1, 4).unwrap());
    for method in [
        Method::InputGradient,
        Method::IntegratedGradients,
        Method::LrpZ,
        Method::Occlusion,
        Method::Shapley,
        Method::KernelShap,
        Method::DeepLift,
        Method::Lime,
    ] {
        let tuning = Tuning { penalty: 1e-9, ..Tuning::default() };
        let context = Context { tuning, background: None };
        let question = Question { method: Some(method), output: Some(0) };
        let answer = explain_with(&machine, &points, question, &context, &run()).unwrap();
        close(&numbers(&answer.direct.values), &expected, 1e-6, method.word());
    }
}

#[test]
fn several_methods_together_say_what_each_says_alone() {
    let (machine, points, background) = (network(Element::F64), rows(3), Inputs::Points(rows(20)));
    let methods: Vec<Method> =
        fitting(&machine).into_iter().map(|f| f.method).filter(|m| *m != Method::Shapley).collect();
    let context = Context { tuning: quick(), background: Some(&background) };
    let inputs = Inputs::Points(points.clone());
    let all = explain_many(&machine, &inputs, (&methods, None), &context, &run()).unwrap();
    let mut answered = 0;
    for (method, answer) in methods.iter().zip(all) {
        match answer {
            Ok(answer) => {
                let alone = ask(&machine, *method, &points, &background, &run());
                assert_eq!(numbers(&answer.direct.values), numbers(&alone.direct.values), "{}", method.word());
                assert_eq!(answer.outputs, alone.outputs);
                answered += 1;
            }
            // What does not fit is no matter for the others.
            Err(e) => assert!(e.to_string().contains(method.word()), "{e}"),
        }
    }
    assert!(answered > 25 && answered < methods.len(), "{answered}");
}

/// f(x) = Σ a_i x_i², whose gradient is 2 a x.
struct Squares([f64; 3]);

impl Scored for Squares {
    fn columns(&self) -> usize {
        3
    }

    fn values(&self, points: &Points, _: &Run<'_>) -> base::Result<Vec<f64>> {
        let one = |x: &[f64]| x.iter().zip(&self.0).map(|(x, a)| a * x * x).sum();
        Ok(numbers(points).chunks(3).map(one).collect())
    }

    fn gradients(&self, points: &Points, run: &Run<'_>) -> base::Result<(Vec<f64>, Vec<f64>)> {
        let slopes = numbers(points).iter().enumerate().map(|(i, x)| 2.0 * self.0[i % 3] * x).collect();
        Ok((self.values(points, run)?, slopes))
    }
}

#[test]
fn noisy_copies_are_averaged_as_defined() {
    let (score, copies, share) = (Squares([1.0, -2.0, 0.5]), 50, 0.3);
    let points = Points::dense(vec![1.0, 2.0, 4.0, -1.0, 0.0, 0.5], 2, 3).unwrap();
    // The copies that the seed draws, the same for every row.
    let seed = run().seed.fork("noisy copies");
    let drawn: Vec<Vec<f64>> = (0..copies)
        .map(|c| {
            let mut stream = seed.at(c).stream();
            (0..3).map(|_| normal(&mut stream)).collect()
        })
        .collect();
    let x = numbers(&points);
    let averaged: [(Smoothed, Taken); 3] =
        [(Smoothed::Plain, |g| g), (Smoothed::Abs, f64::abs), (Smoothed::Square, |g| g * g)];
    for (of, taken) in averaged {
        let noise = NoiseOptions { share, copies, of };
        let (mut mean, mut variance) = (vec![], vec![]);
        for i in 0..6 {
            let row = &x[i / 3 * 3..i / 3 * 3 + 3];
            let range =
                row.iter().fold(f64::NEG_INFINITY, |m, x| m.max(*x)) - row.iter().fold(f64::INFINITY, |m, x| m.min(*x));
            let slopes: Vec<f64> =
                drawn.iter().map(|e| taken(2.0 * score.0[i % 3] * (x[i] + share * range * e[i % 3]))).collect();
            let m = slopes.iter().sum::<f64>() / copies as f64;
            mean.push(m);
            variance.push(slopes.iter().map(|s| (s - m) * (s - m)).sum::<f64>() / copies as f64);
        }
        close(&numbers(&smooth_grad(&score, &points, noise, &run()).unwrap().values), &mean, 1e-12, "smoothgrad");
        if of == Smoothed::Plain {
            close(&numbers(&var_grad(&score, &points, noise, &run()).unwrap().values), &variance, 1e-9, "vargrad");
        }
    }
    // Without noise it is the gradient, and along the way from 0 squares integrate to themselves.
    let calm =
        smooth_grad(&score, &points, NoiseOptions { share: 0.0, copies: 3, of: Smoothed::Plain }, &run()).unwrap();
    close(&numbers(&calm.values), &score.gradients(&points, &run()).unwrap().1, 1e-12, "no noise");
    let whole =
        integrated_gradients(&score, &points, &[0.0; 3], IntegrationSteps { tolerance: 0.0, most: 4 }, &run()).unwrap();
    let squares: Vec<f64> = x.iter().enumerate().map(|(i, x)| score.0[i % 3] * x * x).collect();
    close(&numbers(&whole.values), &squares, 1e-12, "integrated");
}

/// Says so after some steps, and counts how often it is asked again.
struct Stops {
    left: AtomicUsize,
    asked: AtomicUsize,
    verdict: base::Verdict,
}

impl base::Watch for Stops {
    fn step(&self, _: &base::Progress<'_>) -> base::Verdict {
        match self.left.load(Relaxed) {
            0 => {
                self.asked.fetch_add(1, Relaxed);
                self.verdict
            }
            _ => {
                self.left.fetch_sub(1, Relaxed);
                base::Verdict::GoOn
            }
        }
    }
}

#[test]
fn d8_every_method_stops_where_it_is_told_to() {
    let machine = network(Element::F64);
    let (background, points) = (Inputs::Points(rows(30)), Inputs::Points(rows(3)));
    let context = Context { tuning: quick(), background: Some(&background) };
    let asked = |method: Method, watch: &Stops| {
        let question = Question { method: Some(method), output: None };
        explain_with(&machine, &points, question, &context, &Run { watch, threads: 1, ..run() })
    };
    let watch = |left: usize, verdict: base::Verdict| Stops { left: left.into(), asked: 0.into(), verdict };
    let fits = fitting(&machine).into_iter().filter(|f| f.why_not.is_none() && f.method != Method::Shapley);
    for method in fits.map(|f| f.method) {
        let all = watch(usize::MAX, base::Verdict::GoOn);
        asked(method, &all).unwrap();
        let steps = usize::MAX - all.left.load(Relaxed);
        assert!(steps > 0, "{} does not listen", method.word());
        for k in 0..12 {
            let place = (Seed(k).fork(method.word()).unit() * steps as f64) as usize;
            for verdict in [base::Verdict::Enough, base::Verdict::Cancel] {
                let stop = watch(place, verdict);
                let error = asked(method, &stop).err();
                assert_eq!(error, Some(base::Error::Cancelled), "{} at {place} of {steps}", method.word());
                // Whoever hears it passes it on at once.
                assert!(stop.asked.load(Relaxed) <= 3, "{} at {place} of {steps}", method.word());
            }
        }
        let late = Run { deadline: Some(std::time::Instant::now()), ..run() };
        let question = Question { method: Some(method), output: None };
        assert!(explain_with(&machine, &points, question, &context, &late).is_err(), "{}", method.word());
    }
}
