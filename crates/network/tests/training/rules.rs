//! Rules, schedules and averages on problems whose course is known.

use crate::toys::{curve, drawn, run, training, values};
use base::graph::Graph;
use base::*;
use pellucid_network::Mlp;
use pellucid_network::layers::Scaling;
use pellucid_network::train::*;
use pellucid_network::{Network, NetworkMachine};

/// A linear machine y = w·x + b.
fn linear(training: Training) -> Mlp {
    let training = Training { cost: Cost::Quadratic, ..training };
    Mlp { hidden: vec![], scale: Scaling::None, training, ..Mlp::default() }
}

fn data() -> Dataset {
    let x = drawn(1, 120);
    let y = x.chunks(3).map(|x| 2.0 * x[0] - x[1] + 0.5 * x[2] + 1.0).collect();
    values(x, 3, y)
}

fn weights(fitted: &Fitted) -> Vec<f64> {
    let machine = NetworkMachine::read(&fitted.machine.record()).unwrap();
    Network::new(machine.graph().clone()).parameters()
}

const RULES: [(Optimizer, f64); 8] = [
    (Optimizer::Sgd, 0.5),
    (Optimizer::Momentum, 0.1),
    (Optimizer::Nesterov, 0.1),
    (Optimizer::AdaGrad, 0.5),
    (Optimizer::RmsProp, 0.01),
    (Optimizer::Adam, 0.05),
    (Optimizer::Rprop, 0.01),
    (Optimizer::Lbfgs, 1.0),
];

#[test]
fn every_rule_finds_the_least_squares() {
    for (rule, rate) in RULES {
        let training = Training { tolerance: 1e-10, ..training(rule, rate, 600) };
        let fitted = linear(training).fit(&data(), None, &run(3)).unwrap();
        let found = weights(&fitted);
        let bound = if rule == Optimizer::RmsProp { 0.02 } else { 1e-3 };
        for (w, expected) in found.iter().zip([2.0, -1.0, 0.5, 1.0]) {
            assert!((w - expected).abs() < bound, "{rule:?}: {found:?}");
        }
    }
}

/// Each rule once more, from its formula, step by step on the scaled problem.
#[test]
fn steps_are_those_of_the_formulas() {
    for (rule, rate) in RULES.into_iter().filter(|(rule, _)| *rule != Optimizer::Lbfgs) {
        let steps = 5;
        let fitted = |epochs: usize| {
            let training = Training { beta2: 0.9, ..training(rule, rate, epochs) };
            // An output unit that is not linear leaves the values unscaled, and here it does nothing: x is small.
            linear(training).fit(&unscaled(), None, &run(9)).unwrap()
        };
        let start = start_of(&unscaled());
        let mut w = start.clone();
        let (mut first, mut second) = (vec![0.0; w.len()], vec![0.0; w.len()]);
        for t in 1..=steps {
            let g = slope(&unscaled(), &w);
            for j in 0..w.len() {
                let (m, s, g) = (&mut first[j], &mut second[j], g[j]);
                w[j] += match rule {
                    Optimizer::Sgd | Optimizer::Lbfgs => -rate * g,
                    Optimizer::Momentum => {
                        *m = 0.9 * *m - rate * g;
                        *m
                    }
                    Optimizer::Nesterov => {
                        *m = 0.9 * *m - rate * g;
                        0.9 * *m - rate * g
                    }
                    Optimizer::AdaGrad => {
                        *s += g * g;
                        -rate * g / (s.sqrt() + 1e-8)
                    }
                    Optimizer::RmsProp => {
                        *s = 0.9 * *s + 0.1 * g * g;
                        -rate * g / (s.sqrt() + 1e-8)
                    }
                    Optimizer::Adam => {
                        *m = 0.9 * *m + 0.1 * g;
                        *s = 0.9 * *s + 0.1 * g * g;
                        let (a, b) = (*m / (1.0 - 0.9f64.powi(t)), *s / (1.0 - 0.9f64.powi(t)));
                        -rate * a / (b.sqrt() + 1e-8)
                    }
                    Optimizer::Rprop => {
                        let turn = g * *m;
                        *s = if t == 1 { rate } else { *s };
                        *s *= if turn > 0.0 {
                            1.2
                        } else if turn < 0.0 {
                            0.5
                        } else {
                            1.0
                        };
                        *m = if turn < 0.0 { 0.0 } else { g };
                        if *m == 0.0 { 0.0 } else { -*s * m.signum() }
                    }
                };
            }
        }
        testkit::assert_close(&weights(&fitted(steps as usize)), &w, 1e-10, &format!("{rule:?}"));
    }
}

/// Values of mean 0 and deviation 1, which training leaves as they are.
fn unscaled() -> Dataset {
    let x = drawn(5, 40);
    let y: Vec<f64> = (0..20).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    values(x, 2, y)
}

/// The weights that training begins with: those of a step so small that nothing changes.
fn start_of(data: &Dataset) -> Vec<f64> {
    let graph: Graph = Mlp { hidden: vec![], ..Mlp::default() }
        .network(&data.features, 1, None, base::graph::Element::F64, run(9).seed)
        .unwrap();
    Network::new(graph).parameters()
}

/// The gradient of ½ Σ (w·x + b − y)² / n.
fn slope(data: &Dataset, w: &[f64]) -> Vec<f64> {
    let Targets::Values(targets) = &data.targets else { panic!() };
    let points = data.points().unwrap().to_dense(&Memory::unlimited()).unwrap();
    let n = data.len() as f64;
    let mut g = vec![0.0; 3];
    for (x, y) in points.chunks(2).zip(targets.values()) {
        let miss = w[0] * x[0] + w[1] * x[1] + w[2] - y;
        g[0] += miss * x[0] / n;
        g[1] += miss * x[1] / n;
        g[2] += miss / n;
    }
    g
}

/// The gradient of one row's cost in the weights of a linear machine, by a factor of its difference d from the target.
fn add_row(g: &mut [f64], x: &[f64], factor: f64) {
    g[0] += factor * x[0];
    g[1] += factor * x[1];
    g[2] += factor;
}

/// Mini-batches once more by hand: every third step of an epoch is the smaller rest, each step has the rate of its number.
#[test]
fn batches_and_schedules_are_those_of_the_formulas() {
    let data = unscaled();
    let Targets::Values(targets) = &data.targets else { panic!() };
    let points = data.points().unwrap().to_dense(&Memory::unlimited()).unwrap();
    let (n, batch, epochs, start, delay) = (20usize, 8usize, 3usize, 0.3f64, 4.0f64);
    let total = (n.div_ceil(batch) * epochs) as f64;
    type Formula = fn(f64, f64, f64) -> f64;
    let schedules: [(Schedule, Formula); 6] = [
        (Schedule::Constant, |_, _, _| 1.0),
        (Schedule::Inverse, |t, b, _| b / (b + t)),
        (Schedule::Power, |t, b, _| (1.0 + t / b).powf(-0.6)),
        (Schedule::InverseLog, |t, b, _| b * b.ln() / ((b + t) * (b + t).ln())),
        (Schedule::Linear, |t, _, total| 1.0 - t / total),
        (Schedule::Cosine, |t, _, total| (1.0 + (std::f64::consts::PI * t / total).cos()) / 2.0),
    ];
    for (schedule, formula) in schedules {
        let given = Training {
            schedule,
            delay,
            power: 0.6,
            batch,
            order: Order::Given,
            ..training(Optimizer::Sgd, start, epochs)
        };
        let found = weights(&linear(given).fit(&data, None, &run(9)).unwrap());
        let (mut w, mut t) = (start_of(&data), 0.0);
        for _ in 0..epochs {
            for rows in (0..n).collect::<Vec<_>>().chunks(batch) {
                let mut g = vec![0.0; 3];
                for &i in rows {
                    let x = &points[2 * i..2 * i + 2];
                    add_row(&mut g, x, (w[0] * x[0] + w[1] * x[1] + w[2] - targets.values()[i]) / rows.len() as f64);
                }
                let rate = start * formula(t, delay, total);
                w.iter_mut().zip(&g).for_each(|(w, g)| *w -= rate * g);
                t += 1.0;
            }
        }
        testkit::assert_close(&found, &w, 1e-10, &format!("{schedule:?}"));
    }
}

/// Makram-Ebeid's factor of rows with the right sign grows from epoch to epoch, up to 1 in the last.
#[test]
fn makram_ebeid_trains_with_a_factor_that_grows_to_one() {
    let data = unscaled();
    let Targets::Values(targets) = &data.targets else { panic!() };
    let points = data.points().unwrap().to_dense(&Memory::unlimited()).unwrap();
    let (epochs, rate) = (5, 0.1);
    let settings = Training { cost: Cost::MakramEbeid, ..training(Optimizer::Sgd, rate, epochs) };
    let mlp = Mlp { hidden: vec![], scale: Scaling::None, training: settings, ..Mlp::default() };
    let found = weights(&mlp.fit(&data, None, &run(9)).unwrap());
    let mut w = start_of(&data);
    let mut kinds = [0, 0];
    for epoch in 1..=epochs {
        let gamma = epoch as f64 / epochs as f64;
        let mut g = vec![0.0; 3];
        for (x, y) in points.chunks(2).zip(targets.values()) {
            let s = w[0] * x[0] + w[1] * x[1] + w[2];
            kinds[usize::from(s * y > 0.0)] += 1;
            let factor = if s * y > 0.0 { gamma } else { 1.0 };
            add_row(&mut g, x, 2.0 * factor * (s - y) / 20.0);
        }
        w.iter_mut().zip(&g).for_each(|(w, g)| *w -= rate * g);
    }
    assert!(kinds[0] > 10 && kinds[1] > 10, "both kinds of rows: {kinds:?}");
    testkit::assert_close(&found, &w, 1e-10, "weights after all epochs");
}

/// Gradient descent on a quadratic: smooth below 1/ρ, alternating between 1/ρ and 2/ρ, divergent above.
#[test]
fn regimes_of_the_step_size() {
    // One column without offset to learn: y = x, mean of x² is 1, so that the cost has the curvature ρ = 1.
    let x: Vec<f64> = (0..10).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let data = values(x.clone(), 1, x);
    let path = |rate: f64| -> Vec<f64> {
        (1..=12)
            .map(|epochs| {
                weights(&linear(training(Optimizer::Sgd, rate, epochs)).fit(&data, None, &run(4)).unwrap())[0] - 1.0
            })
            .collect()
    };
    let smooth = path(0.8);
    assert!(smooth.windows(2).all(|w| w[0] * w[1] > 0.0 && w[1].abs() < w[0].abs()), "{smooth:?}");
    let zigzag = path(1.7);
    assert!(zigzag.windows(2).all(|w| w[0] * w[1] < 0.0 && w[1].abs() < w[0].abs()), "{zigzag:?}");
    let wild = path(2.1);
    assert!(wild.windows(2).all(|w| w[1].abs() > w[0].abs()), "{wild:?}");
}

/// With a constant rate stochastic descent keeps moving; averages lie nearer to the minimum, and so do falling rates.
#[test]
fn averages_and_falling_rates_calm_the_noise() {
    let x = drawn(21, 400);
    let noise = drawn(22, 200);
    let y: Vec<f64> = x.chunks(2).zip(&noise).map(|(x, e)| x[0] - x[1] + 2.0 * e).collect();
    let data = values(x, 2, y);
    let best = weights(
        &linear(Training { tolerance: 1e-12, ..training(Optimizer::Lbfgs, 1.0, 200) })
            .fit(&data, None, &run(1))
            .unwrap(),
    );
    let off = |training: &Training| -> f64 {
        let seeds = 0..12;
        let one = |seed| {
            let found = weights(&linear(training.clone()).fit(&data, None, &run(seed)).unwrap());
            found.iter().zip(&best).map(|(a, b)| (a - b).powi(2)).sum::<f64>()
        };
        seeds.map(one).sum::<f64>() / 12.0
    };
    let base = Training { batch: 1, order: Order::Random, ..training(Optimizer::Sgd, 0.1, 10) };
    let plain = off(&base);
    for calmer in [
        Training { averaging: Averaging::All, ..base.clone() },
        Training { averaging: Averaging::Last, last: 100, ..base.clone() },
        Training { schedule: Schedule::Inverse, delay: 100.0, ..base.clone() },
        Training { schedule: Schedule::Power, delay: 20.0, ..base.clone() },
        Training { schedule: Schedule::InverseLog, delay: 50.0, ..base.clone() },
    ] {
        let found = off(&calmer);
        assert!(found < 0.5 * plain, "{:?} {:?}: {found} against {plain}", calmer.averaging, calmer.schedule);
    }
}

#[test]
fn an_average_of_the_last_steps_is_their_mean() {
    let path: Vec<Vec<f64>> = (1..=6)
        .map(|e| weights(&linear(training(Optimizer::Sgd, 0.3, e)).fit(&unscaled(), None, &run(9)).unwrap()))
        .collect();
    let mean = |steps: &[Vec<f64>]| -> Vec<f64> {
        (0..3).map(|j| steps.iter().map(|w| w[j]).sum::<f64>() / steps.len() as f64).collect()
    };
    let with = |averaging, last| {
        weights(
            &linear(Training { averaging, last, ..training(Optimizer::Sgd, 0.3, 6) })
                .fit(&unscaled(), None, &run(9))
                .unwrap(),
        )
    };
    testkit::assert_close(&with(Averaging::Last, 3), &mean(&path[3..]), 1e-12, "the last three");
    testkit::assert_close(&with(Averaging::All, 1), &mean(&path), 1e-12, "all");
}

#[test]
fn local_rates_and_clipped_gradients() {
    // Fan-in: the rate of weights is divided by their number of inputs, that of offsets is not.
    let one = |local_rates, clip| {
        let training = Training { local_rates, clip, ..training(Optimizer::Sgd, 0.3, 1) };
        weights(&linear(training).fit(&unscaled(), None, &run(9)).unwrap())
    };
    let start = start_of(&unscaled());
    let g = slope(&unscaled(), &start);
    let expected: Vec<f64> = (0..3).map(|j| start[j] - 0.3 * g[j] / if j < 2 { 2.0 } else { 1.0 }).collect();
    testkit::assert_close(&one(LocalRates::FanIn, 0.0), &expected, 1e-12, "fan-in");
    let length = g.iter().map(|g| g * g).sum::<f64>().sqrt();
    let expected: Vec<f64> = (0..3).map(|j| start[j] - 0.3 * g[j] * 0.01 / length).collect();
    testkit::assert_close(&one(LocalRates::None, 0.01), &expected, 1e-12, "clipped");

    // Curvature: where columns are orthogonal the Hessian is diagonal, its entries are mean squares, and one step is
    // w − η g / (h + μ) with μ a thousandth of the largest h.
    for (a, b) in [(3.0, 0.5), (0.2, 1.0), (40.0, 7.0)] {
        let signs = |i: usize, bit: usize| if i >> bit & 1 == 0 { 1.0 } else { -1.0 };
        let x: Vec<f64> = (0..16).flat_map(|i| [a * signs(i, 0), b * signs(i, 1)]).collect();
        let y: Vec<f64> = (0..16).map(|i| if [0, 1, 2, 4, 8, 9, 10, 12].contains(&i) { 1.0 } else { -1.0 }).collect();
        let data = values(x, 2, y);
        let settings = Training { local_rates: LocalRates::Curvature, ..training(Optimizer::Sgd, 0.3, 1) };
        let found = weights(&linear(settings).fit(&data, None, &run(9)).unwrap());
        let (start, h): (Vec<f64>, [f64; 3]) = (start_of(&data), [a * a, b * b, 1.0]);
        let (g, least) = (slope(&data, &start), 1e-3 * h.into_iter().fold(0.0, f64::max));
        assert!(g[..2].iter().all(|g| g.abs() > 1e-3), "a step along both columns: {g:?}");
        let expected: Vec<f64> = (0..3).map(|j| start[j] - 0.3 * g[j] / (h[j] + least)).collect();
        testkit::assert_close(&found, &expected, 1e-7, "by the diagonal of the Hessian");
    }

    // Columns of very different scales are learnt at once, which one rate for all cannot.
    let x: Vec<f64> = drawn(31, 200).chunks(2).flat_map(|x| [10.0 * x[0], 0.1 * x[1]]).collect();
    let y = x.chunks(2).map(|x| 0.1 * x[0] + 10.0 * x[1]).collect();
    let data = values(x, 2, y);
    let cost = |local_rates, rate| {
        let training = Training { local_rates, ..training(Optimizer::Sgd, rate, 60) };
        *curve(&linear(training).fit(&data, None, &run(2)).unwrap().certificate, "cost by epoch").last().unwrap()
    };
    // Above 2 / (largest curvature, about 33) one rate diverges.
    let common = [0.01, 0.02, 0.05].map(|rate| cost(LocalRates::None, rate)).into_iter().fold(f64::INFINITY, f64::min);
    assert!(cost(LocalRates::Curvature, 1.0) < 0.5 * common, "{} {common}", cost(LocalRates::Curvature, 1.0));
}

#[test]
fn what_diverges_is_told() {
    let wild = linear(training(Optimizer::Sgd, 1e6, 200));
    match wild.fit(&data(), None, &run(1)) {
        Ok(fitted) => {
            assert!(fitted.certificate.warnings.iter().any(|w| w.contains("the loss diverged")));
            assert!(weights(&fitted).iter().all(|w| w.is_finite()));
        }
        Err(error) => assert!(error.to_string().contains("lower rate"), "{error}"),
    }
    let wrong = linear(Training { regularizer: Regularizer::Lp, ..training(Optimizer::Lbfgs, 1.0, 5) });
    assert!(wrong.fit(&data(), None, &run(1)).is_err_and(|e| e.to_string().contains("smooth penalty")));
}
