//! Costs against their definitions, and whole networks with every cost and activation by finite differences.

use crate::toys::{drawn, run};
use base::graph::{Element, Tensor};
use base::*;
use pellucid_network::Mlp;
use pellucid_network::Network;
use pellucid_network::layers::Activation;
use pellucid_network::train::{Cost, Price};

const COSTS: [Cost; 5] =
    [Cost::Quadratic, Cost::Minkowski, Cost::MakramEbeid, Cost::CrossEntropy, Cost::BinaryCrossEntropy];

fn price(cost: Cost) -> Price {
    Price { cost, r: 1.5, gamma: 0.3 }
}

/// The cost from its definition, with no care for rounding.
fn plain(cost: Cost, s: &[f64], t: &[f64]) -> f64 {
    let log = |x: f64| if x == 0.0 { 0.0 } else { x.ln() };
    let pairs = s.iter().zip(t);
    let logistic = |s: f64| 1.0 / (1.0 + (-s).exp());
    match cost {
        Cost::Quadratic | Cost::Auto => pairs.map(|(s, t)| 0.5 * (s - t).powi(2)).sum(),
        Cost::Minkowski => pairs.map(|(s, t)| (s - t).abs().powf(1.5)).sum(),
        Cost::MakramEbeid => pairs.map(|(s, t)| (s - t).powi(2) * if s * t > 0.0 { 0.3 } else { 1.0 }).sum(),
        Cost::CrossEntropy => {
            let total: f64 = s.iter().map(|s| s.exp()).sum();
            pairs.map(|(s, t)| t * (log(*t) - (s.exp() / total).ln())).sum()
        }
        Cost::BinaryCrossEntropy => pairs
            .map(|(s, t)| {
                let p = logistic(*s);
                t * (log(*t) - p.ln()) + (1.0 - t) * (log(1.0 - t) - (1.0 - p).ln())
            })
            .sum(),
    }
}

/// Targets that a cost takes.
fn targets(cost: Cost, seed: u64, k: usize) -> Vec<f64> {
    let raw = drawn(seed, k);
    match cost {
        Cost::CrossEntropy => {
            let sum: f64 = raw.iter().map(|x| x.abs()).sum();
            raw.iter().map(|x| x.abs() / sum).collect()
        }
        Cost::BinaryCrossEntropy => raw.iter().map(|x| x.abs()).collect(),
        _ => raw,
    }
}

#[test]
fn values_and_gradients_are_those_of_the_definition() {
    for cost in COSTS {
        for seed in 0..20 {
            let k = 1 + seed as usize % 4;
            let s: Vec<f64> = drawn(100 + seed, k).iter().map(|x| 3.0 * x).collect();
            let t = targets(cost, seed, k);
            let mut slope = vec![0.0; k];
            let value = price(cost).of(&s, &t, &mut slope);
            assert!((value - plain(cost, &s, &t)).abs() < 1e-12, "{cost:?}");
            assert!(value >= -1e-12, "{cost:?} is at least 0");
            for i in 0..k {
                let at = |d: f64| plain(cost, &[&s[..i], &[s[i] + d], &s[i + 1..]].concat(), &t);
                let difference = (at(1e-6) - at(-1e-6)) / 2e-6;
                assert!((slope[i] - difference).abs() < 1e-7, "{cost:?}: {} is not {difference}", slope[i]);
            }
        }
    }
}

#[test]
fn entropies_are_zero_at_their_target_and_finite_far_from_it() {
    let mut slope = [0.0; 2];
    let t = [0.25f64, 0.75];
    assert!(price(Cost::CrossEntropy).of(&[t[0].ln(), t[1].ln()], &t, &mut slope).abs() < 1e-15);
    assert!(slope.iter().all(|g| g.abs() < 1e-15));
    let logit = |p: f64| (p / (1.0 - p)).ln();
    assert!(price(Cost::BinaryCrossEntropy).of(&[logit(0.25), logit(0.75)], &t, &mut slope).abs() < 1e-15);
    for cost in [Cost::CrossEntropy, Cost::BinaryCrossEntropy] {
        let far = price(cost).of(&[1000.0, -1000.0], &[0.0, 1.0], &mut slope);
        assert_eq!(far, 2000.0, "{cost:?}");
    }
}

#[test]
fn minkowski_two_is_twice_the_quadratic_cost_and_small_powers_have_no_slope_at_zero() {
    let (s, t) = ([0.3, -0.4], [0.1, 0.2]);
    let mut slope = [0.0; 2];
    let two = Price { r: 2.0, ..price(Cost::Minkowski) }.of(&s, &t, &mut slope);
    assert!((two - 2.0 * plain(Cost::Quadratic, &s, &t)).abs() < 1e-15);
    Price { r: 0.5, ..price(Cost::Minkowski) }.of(&t, &t, &mut slope);
    assert_eq!(slope, [0.0, 0.0]);
}

/// Every cost with every activation through a network of three layers, by finite differences in every weight.
#[test]
fn networks_of_all_costs_and_activations_by_finite_differences() {
    let activations = [
        Activation::Identity,
        Activation::Logistic,
        Activation::SymmetricLogistic,
        Activation::Tanh,
        Activation::Erf,
        Activation::Softsign,
        Activation::PiecewiseLinear,
        Activation::Relu,
        Activation::LeakyRelu,
        Activation::Softplus,
        Activation::Elu,
        Activation::Selu,
        Activation::Gelu,
        Activation::Swish,
        Activation::Mish,
    ];
    let (rows, columns, outputs) = (5, 3, 2);
    for (k, activation) in activations.into_iter().enumerate() {
        for cost in COSTS {
            let mlp = Mlp { hidden: vec![4.0, 3.0], activation, steepness: 0.8, ..Mlp::default() };
            let features = Features::unnamed(columns);
            let graph = mlp.network(&features, outputs, None, Element::F64, Seed(k as u64)).unwrap();
            let mut network = Network::new(graph);
            let x = Tensor::f64([rows, columns], drawn(7 + k as u64, rows * columns)).unwrap();
            let t: Vec<f64> = (0..rows).flat_map(|row| targets(cost, row as u64, outputs)).collect();
            let mut at = |w: &[f64]| {
                network.set_parameters(w).unwrap();
                let tape = network.tape(std::slice::from_ref(&x), &run(1)).unwrap();
                let output = network.graph().outputs()[0].1;
                let s = tape.value(output).unwrap().to_f64();
                let mut slope = vec![0.0; s.len()];
                let mut value = 0.0;
                for row in 0..rows {
                    let range = row * outputs..(row + 1) * outputs;
                    value += price(cost).of(&s[range.clone()], &t[range.clone()], &mut slope[range]);
                }
                let seed = (output, Tensor::f64([rows, outputs], slope).unwrap());
                let pulled = tape.pull(&[seed], &network.parameter_sources(), &run(1)).unwrap();
                (value, pulled.into_iter().flat_map(|g| g.unwrap().to_f64()).collect::<Vec<f64>>())
            };
            // Moved off the start, where offsets of 0 put dead units of ramps onto their kink.
            let start = Network::new(mlp.network(&features, outputs, None, Element::F64, Seed(k as u64)).unwrap());
            let start = start.parameters();
            let start: Vec<f64> = start.iter().zip(drawn(77, start.len())).map(|(w, d)| w + 0.1 * d).collect();
            let (_, gradient) = at(&start);
            assert_eq!(gradient.len(), start.len());
            for j in 0..start.len() {
                let mut moved = start.clone();
                moved[j] = start[j] + 1e-6;
                let up = at(&moved).0;
                moved[j] = start[j] - 1e-6;
                let difference = (up - at(&moved).0) / 2e-6;
                let close = (gradient[j] - difference).abs() < 2e-6 * (1.0 + difference.abs());
                assert!(close, "{activation:?}, {cost:?}, weight {j}: {} is not {difference}", gradient[j]);
            }
        }
    }
}

/// The activations of the literature by their formulas, with the derivative by differences; the softmax with an inverse
/// temperature, and radial units, normalised or not, as layers that values and gradients go through.
#[test]
fn activations_softmax_and_radial_layers_are_their_formulas_with_derivatives() {
    use base::graph::{Binary, Draft, Op, Source, Unary};
    use pellucid_network::layers::Unit;
    let erf = |x: f64| {
        // Simpson's rule on 2/√π ∫ exp(−t²).
        let n = 2000;
        let f = |t: f64| (-t * t).exp();
        let at = |i: usize| x * i as f64 / n as f64;
        let inner: f64 = (1..n).map(|i| f(at(i)) * if i % 2 == 1 { 4.0 } else { 2.0 }).sum();
        2.0 / std::f64::consts::PI.sqrt() * x / n as f64 / 3.0 * (f(0.0) + inner + f(x))
    };
    type Formula<'f> = Box<dyn Fn(f64) -> f64 + 'f>;
    let logistic = |x: f64| 1.0 / (1.0 + (-x).exp());
    let cases: Vec<(Activation, Formula<'_>)> = vec![
        (Activation::Identity, Box::new(|x| x)),
        (Activation::Logistic, Box::new(logistic)),
        (Activation::SymmetricLogistic, Box::new(move |x| 2.0 * logistic(x) - 1.0)),
        (Activation::Tanh, Box::new(|x: f64| (x.exp() - (-x).exp()) / (x.exp() + (-x).exp()))),
        (Activation::Erf, Box::new(erf)),
        (Activation::Sign, Box::new(|x: f64| if x > 0.0 { 1.0 } else { -1.0 })),
        (Activation::PiecewiseLinear, Box::new(|x: f64| (x + 0.5).clamp(0.0, 1.0))),
        (Activation::Relu, Box::new(|x: f64| x.max(0.0))),
        (Activation::LeakyRelu, Box::new(|x: f64| if x > 0.0 { x } else { 0.25 * x })),
        (Activation::Softplus, Box::new(|x: f64| (1.0 + x.exp()).ln())),
        (Activation::Elu, Box::new(|x: f64| if x < 0.0 { x.exp() - 1.0 } else { x })),
        (Activation::Swish, Box::new(|x: f64| x / (1.0 + (-x).exp()))),
    ];
    // Values and the derivative of Σ c_i y_i along the inputs.
    let ask = |put: &dyn Fn(&mut Draft, Source) -> Source, x: &[f64], c: &[f64]| {
        let mut draft = Draft::rows(x.len());
        let y = put(&mut draft, Draft::INPUT);
        let network = Network::new(draft.graph(y).unwrap());
        let tape = network.tape(&[Tensor::f64([1, x.len()], x.to_vec()).unwrap()], &run(1)).unwrap();
        let end = network.graph().outputs()[0].1;
        let direction = Tensor::f64([1, c.len()], c.to_vec()).unwrap();
        let pulled = tape.pull(&[(end, direction)], &[Source::Input(0)], &run(1)).unwrap();
        (tape.value(end).unwrap().to_f64(), pulled[0].as_ref().map_or(vec![0.0; x.len()], |g| g.to_f64()))
    };
    let points = [-2.3, -0.9, -0.31, 0.17, 0.43, 1.2, 2.6];
    for (activation, formula) in &cases {
        for steepness in [1.0, 0.7] {
            let unit = Unit { steepness, leak: 0.25, ..Unit::from(*activation) };
            let put = |draft: &mut Draft, x: Source| unit.put(draft, "unit", Element::F64, x).unwrap();
            let (values, slopes) = ask(&put, &points, &[1.0; 7]);
            for (i, &x) in points.iter().enumerate() {
                assert!((values[i] - formula(steepness * x)).abs() < 1e-9, "{activation:?} at {x}: {}", values[i]);
                let difference = (formula(steepness * (x + 1e-6)) - formula(steepness * (x - 1e-6))) / 2e-6;
                assert!((slopes[i] - difference).abs() < 1e-6, "{activation:?} at {x}: {} {difference}", slopes[i]);
            }
        }
    }

    let c = [0.4, -1.0, 0.7];
    let check = |what: &str, put: &dyn Fn(&mut Draft, Source) -> Source, formula: &dyn Fn(&[f64]) -> Vec<f64>| {
        for seed in 0..5 {
            let x = drawn(300 + seed, 3);
            let (values, slopes) = ask(put, &x, &c);
            testkit::assert_close(&values, &formula(&x), 1e-12, what);
            let sum = |x: &[f64]| formula(x).iter().zip(&c).map(|(y, c)| y * c).sum::<f64>();
            for i in 0..3 {
                let (mut up, mut down) = (x.clone(), x.clone());
                up[i] += 1e-6;
                down[i] -= 1e-6;
                let difference = (sum(&up) - sum(&down)) / 2e-6;
                assert!((slopes[i] - difference).abs() < 1e-7, "{what}: {} {difference}", slopes[i]);
            }
        }
    };
    let number = |draft: &mut Draft, name: &str, x: f64| draft.constant(name, Tensor::f64([], vec![x]).unwrap());
    for beta in [1e-7, 0.5, 3.0] {
        let put = |draft: &mut Draft, x: Source| {
            let factor = number(draft, "beta", beta);
            let x = draft.node("steep", Op::Binary(Binary::Mul), &[x, factor]);
            draft.node("softmax", Op::Softmax { axis: 1, log: false }, &[x])
        };
        let formula = |x: &[f64]| {
            let e: Vec<f64> = x.iter().map(|x| (beta * x).exp()).collect();
            e.iter().map(|v| v / e.iter().sum::<f64>()).collect()
        };
        check("softmax", &put, &formula);
    }
    // Without temperature all are alike, at none the largest takes all.
    let hot = |beta: f64| {
        let put = |draft: &mut Draft, x: Source| {
            let factor = number(draft, "beta", beta);
            let x = draft.node("steep", Op::Binary(Binary::Mul), &[x, factor]);
            draft.node("softmax", Op::Softmax { axis: 1, log: false }, &[x])
        };
        ask(&put, &[0.1, 0.9, 0.3], &c).0
    };
    testkit::assert_close(&hot(1e-12), &[1.0 / 3.0; 3], 1e-9, "β → 0");
    testkit::assert_close(&hot(1e4), &[0.0, 1.0, 0.0], 1e-9, "β → ∞");

    let centres = [[0.2, -0.4, 0.9], [-0.7, 0.1, 0.3], [0.5, 0.5, -0.6]];
    let beta = 0.8;
    let radial = |x: &[f64]| -> Vec<f64> {
        let far = |u: &[f64; 3]| x.iter().zip(u).map(|(x, u)| (x - u).powi(2)).sum::<f64>();
        centres.iter().map(|u| (-beta * far(u)).exp()).collect()
    };
    let exponents = |draft: &mut Draft, x: Source| {
        let u = draft.constant("centres", Tensor::f64([3, 3], centres.concat()).unwrap());
        let far = draft.node("far", Op::Distance { q: 2.0 }, &[x, u]);
        let factor = number(draft, "beta", -beta);
        draft.node("exponents", Op::Binary(Binary::Mul), &[far, factor])
    };
    let gaussian = |draft: &mut Draft, x: Source| {
        let e = exponents(draft, x);
        draft.node("units", Op::Unary(Unary::Exp), &[e])
    };
    check("radial units", &gaussian, &radial);
    let normalised = |draft: &mut Draft, x: Source| {
        let e = exponents(draft, x);
        draft.node("units", Op::Softmax { axis: 1, log: false }, &[e])
    };
    let formula = |x: &[f64]| {
        let all = radial(x);
        all.iter().map(|v| v / all.iter().sum::<f64>()).collect()
    };
    check("normalised radial units", &normalised, &formula);
}
