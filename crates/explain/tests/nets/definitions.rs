//! Slow twins: each rule as its definition reads, one connection at a time, walked back through drawn graphs.
//!
//! A layer is a list of connections (input, output, weight), whatever kind of layer it is; a rule says what goes over
//! each of them. Values of nodes come from the network, whose operations are checked elsewhere.

use crate::drawn::{Draw, all};
use crate::{close, run};
use base::graph::*;
use network::{Network, Tape};
use pellucid_explain::composites::{Stabilisers, everywhere};
use pellucid_explain::{Given, LinearRule, walk};
use std::collections::HashMap;

const EPSILON: f64 = 1e-4;

#[derive(Clone, Copy, Debug)]
pub enum Twin {
    Epsilon(f64),
    Gamma(f64),
    GammaOfWeights(f64),
    AlphaBeta(f64, f64),
    ZPlus { bias: bool },
    ZPlusOfWeights,
    Box(f64, f64),
    OwnBox,
    Square { bias: bool },
    Flat,
}

impl Twin {
    pub fn all() -> Vec<Twin> {
        let mut all = vec![Twin::Epsilon(0.0), Twin::Epsilon(0.3), Twin::Gamma(0.25), Twin::Gamma(3.0)];
        all.extend([Twin::AlphaBeta(2.0, 1.0), Twin::AlphaBeta(1.0, 0.0), Twin::Box(-4.0, 4.5), Twin::OwnBox]);
        all.extend([false, true].map(|bias| Twin::ZPlus { bias }));
        all.extend([false, true].map(|bias| Twin::Square { bias }));
        all.extend([Twin::Flat, Twin::GammaOfWeights(0.5), Twin::ZPlusOfWeights]);
        all
    }

    pub fn rule(self) -> LinearRule {
        match self {
            Twin::Epsilon(e) => LinearRule::epsilon(e),
            Twin::Gamma(g) => LinearRule::gamma(g, EPSILON),
            Twin::GammaOfWeights(g) => LinearRule::gamma_of_weights(g, EPSILON),
            Twin::ZPlusOfWeights => LinearRule::z_plus_of_weights(EPSILON),
            Twin::AlphaBeta(a, b) => LinearRule::alpha_beta(a, b, EPSILON),
            Twin::ZPlus { bias } => LinearRule::z_plus(bias, EPSILON),
            Twin::Box(l, h) => LinearRule::z_box(Given::Fixed(vec![l]), Given::Fixed(vec![h]), EPSILON),
            Twin::OwnBox => LinearRule::z_box(Given::Least, Given::Largest, EPSILON),
            Twin::Square { bias } => LinearRule::w_square(bias, EPSILON),
            Twin::Flat => LinearRule::flat(EPSILON),
        }
    }
}

fn stable(z: f64, epsilon: f64) -> f64 {
    z + if z < 0.0 { -epsilon } else { epsilon }
}

fn ratio(a: f64, b: f64) -> f64 {
    if b == 0.0 { 0.0 } else { a / b }
}

/// One row of a layer: (input, output, weight) and biases.
struct Layer {
    connections: Vec<(usize, usize, f64)>,
    bias: Vec<f64>,
}

/// Relevance of a row's inputs by the definition of a rule.
fn back(twin: Twin, layer: &Layer, x: &[f64], r: &[f64]) -> Vec<f64> {
    let (up, down) = (|v: f64| v.max(0.0), |v: f64| v.min(0.0));
    let (least, most) = (x.iter().copied().fold(0.0, f64::min), x.iter().copied().fold(0.0, f64::max));
    let z: Vec<f64> = sums(layer, |i, _, w| x[i] * w, |b| b);
    let mut received = vec![0.0; x.len()];
    // Each kind of share by itself: its numerator, what of the bias belongs to it, its factor, where it holds.
    let mut add = |share: &dyn Fn(usize, usize, f64) -> f64,
                   bias: &dyn Fn(f64) -> f64,
                   factor: f64,
                   epsilon: f64,
                   holds: &dyn Fn(usize) -> bool| {
        let wholes = sums(layer, share, bias);
        for &(i, k, w) in &layer.connections {
            if holds(k) {
                received[i] += factor * share(i, k, w) * ratio(r[k], stable(wholes[k], epsilon));
            }
        }
    };
    let always = |_: usize| true;
    let none = |_: f64| 0.0;
    let pulls_up = |i: usize, _: usize, w: f64| up(x[i] * w);
    let pulls_down = |i: usize, _: usize, w: f64| down(x[i] * w);
    match twin {
        Twin::Epsilon(e) => add(&|i, _, w| x[i] * w, &|b| b, 1.0, e, &always),
        Twin::Gamma(g) => {
            add(&|i, _, w| x[i] * w + g * up(x[i] * w), &|b| b + g * up(b), 1.0, EPSILON, &|k| z[k] > 0.0);
            add(&|i, _, w| x[i] * w + g * down(x[i] * w), &|b| b + g * down(b), 1.0, EPSILON, &|k| z[k] < 0.0);
        }
        Twin::GammaOfWeights(g) => add(&|i, _, w| x[i] * (w + g * up(w)), &|b| b, 1.0, EPSILON, &always),
        Twin::ZPlusOfWeights => add(&|i, _, w| x[i] * up(w), &|b| b, 1.0, EPSILON, &always),
        Twin::AlphaBeta(a, b) => {
            add(&pulls_up, &up, a, EPSILON, &always);
            add(&pulls_down, &down, -b, EPSILON, &always);
        }
        Twin::ZPlus { bias: true } => add(&pulls_up, &up, 1.0, EPSILON, &always),
        Twin::ZPlus { bias: false } => add(&pulls_up, &none, 1.0, EPSILON, &always),
        Twin::Box(l, h) => add(&|i, _, w| x[i] * w - l * up(w) - h * down(w), &none, 1.0, EPSILON, &always),
        Twin::OwnBox => add(&|i, _, w| x[i] * w - least * up(w) - most * down(w), &none, 1.0, EPSILON, &always),
        Twin::Square { bias: true } => add(&|_, _, w| w * w, &|b| b * b, 1.0, EPSILON, &always),
        Twin::Square { bias: false } => add(&|_, _, w| w * w, &none, 1.0, EPSILON, &always),
        Twin::Flat => add(&|_, _, _| 1.0, &none, 1.0, EPSILON, &always),
    }
    received
}

/// What each output is the sum of.
fn sums(layer: &Layer, share: impl Fn(usize, usize, f64) -> f64, bias: impl Fn(f64) -> f64) -> Vec<f64> {
    let mut wholes: Vec<f64> = layer.bias.iter().map(|b| bias(*b)).collect();
    layer.connections.iter().for_each(|&(i, k, w)| wholes[k] += share(i, k, w));
    wholes
}

/// The connections of a node for one row.
fn layer(graph: &Graph, node: &Node, shape: &[usize]) -> Layer {
    let weight = |place: usize| match node.inputs[place] {
        Some(Source::Weight(w)) => graph.weights()[w].tensor.clone(),
        _ => panic!("a weight"),
    };
    match &node.op {
        Op::Dense { transposed: false } => {
            let (w, bias) = (weight(1), weight(2).to_f64());
            let (numbers, out) = (w.to_f64(), w.shape()[1]);
            let connections = (0..numbers.len()).map(|i| (i / out, i % out, numbers[i])).collect();
            Layer { connections, bias }
        }
        Op::Conv { window, groups } => {
            let (w, b) = (weight(1), weight(2).to_f64());
            let (&[filters, inner, kh, kw], numbers) = (w.shape(), w.to_f64()) else { panic!("two dimensions") };
            let Padding::Explicit { begin, .. } = &window.padding else { panic!("explicit") };
            let (height, width) = (shape[1], shape[2]);
            let (oh, ow) = (height + 2 * begin[0] + 1 - kh, width + 2 * begin[1] + 1 - kw);
            let mut connections = vec![];
            for f in 0..filters {
                for (c, k, l) in cube(inner, kh, kw) {
                    for (p, q) in (0..oh).flat_map(|p| (0..ow).map(move |q| (p, q))) {
                        let (y, x) = ((p + k).wrapping_sub(begin[0]), (q + l).wrapping_sub(begin[1]));
                        if y < height && x < width {
                            let channel = f / (filters / groups) * inner + c;
                            let from = (channel * height + y) * width + x;
                            let to = (f * oh + p) * ow + q;
                            connections.push((from, to, numbers[((f * inner + c) * kh + k) * kw + l]));
                        }
                    }
                }
            }
            Layer { connections, bias: (0..filters * oh * ow).map(|i| b[i / (oh * ow)]).collect() }
        }
        other => panic!("{other:?} is no layer"),
    }
}

fn cube(a: usize, b: usize, c: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    (0..a).flat_map(move |i| (0..b).flat_map(move |j| (0..c).map(move |k| (i, j, k))))
}

/// The walk back for one row, node by node.
fn walked(network: &Network, tape: &Tape<'_>, twin: Twin, column: usize) -> Vec<f64> {
    let graph = network.graph();
    let value = |s: Source| tape.value(s).unwrap();
    let (last, width) = (graph.outputs()[0].1, value(graph.outputs()[0].1).shape()[1]);
    let mut seed = vec![0.0; width];
    seed[column] = value(last).to_f64()[column];
    let mut arrived: HashMap<Source, Vec<f64>> = HashMap::from([(last, seed)]);
    let put = |arrived: &mut HashMap<Source, Vec<f64>>, source: Source, r: Vec<f64>| {
        let sum = arrived.entry(source).or_insert_with(|| vec![0.0; r.len()]);
        sum.iter_mut().zip(r).for_each(|(s, r)| *s += r);
    };
    for (n, node) in graph.nodes().iter().enumerate().rev() {
        let Some(r) = arrived.remove(&Source::Node(n, 0)) else { continue };
        let source = node.inputs[0].unwrap();
        let (x, shape) = (value(source).to_f64(), value(source).shape()[1..].to_vec());
        let y = value(Source::Node(n, 0)).to_f64();
        match &node.op {
            Op::Dense { .. } | Op::Conv { .. } => {
                put(&mut arrived, source, back(twin, &layer(graph, node, &shape), &x, &r))
            }
            Op::Unary(Unary::Relu) | Op::Flatten { .. } => put(&mut arrived, source, r),
            Op::Pool { pooling, .. } => {
                let (height, width) = (shape[1], shape[2]);
                let mut received = vec![0.0; x.len()];
                for (c, p, q) in cube(shape[0], height / 2, width / 2) {
                    let out = (c * (height / 2) + p) * (width / 2) + q;
                    let inside: Vec<usize> =
                        (0..4).map(|m| (c * height + 2 * p + m / 2) * width + 2 * q + m % 2).collect();
                    match pooling {
                        Pooling::Max => {
                            let winner = inside.iter().copied().find(|&i| x[i] == y[out]).unwrap();
                            received[winner] += r[out];
                        }
                        _ => inside
                            .iter()
                            .for_each(|&i| received[i] += x[i] / 4.0 * ratio(r[out], stable(y[out], EPSILON))),
                    }
                }
                put(&mut arrived, source, received);
            }
            Op::Binary(Binary::Add) => {
                for source in node.inputs.iter().flatten() {
                    let own = value(*source).to_f64();
                    let shares = (0..own.len()).map(|i| own[i] * ratio(r[i], stable(y[i], EPSILON))).collect();
                    put(&mut arrived, *source, shares);
                }
            }
            Op::Concat { .. } => {
                let mut from = 0;
                for source in node.inputs.iter().flatten() {
                    let count = value(*source).numbers().len();
                    put(&mut arrived, *source, r[from..from + count].to_vec());
                    from += count;
                }
            }
            other => panic!("{other:?}"),
        }
    }
    arrived.remove(&Source::Input(0)).unwrap()
}

#[test]
fn every_rule_equals_its_definition_on_every_kind_of_graph() {
    let mut compared = 0;
    for seed in [1, 20, 300] {
        for (word, graph, shape) in all(seed) {
            let network = Network::new(graph);
            let full: Vec<usize> = [1].iter().chain(&shape).copied().collect();
            let x = Draw::new(seed + 7).tensor(&full, 1.0);
            let tape = network.tape(&[x], &run()).unwrap();
            let last = network.graph().outputs()[0].1;
            for twin in Twin::all() {
                let composite = everywhere(twin.rule(), Stabilisers { stabiliser: EPSILON, ..Stabilisers::default() });
                for column in [0, 2] {
                    let found = walk(&network, &tape, (last, column), Source::Input(0), &composite, &run()).unwrap();
                    let what = format!("{word}, {twin:?}, column {column}, seed {seed}");
                    close(&found.relevance.to_f64(), &walked(&network, &tape, twin, column), 1e-9, &what);
                    assert!(found.balance[0].open() < 1e-9, "{what}: {:?}", found.balance);
                    compared += 1;
                }
            }
        }
    }
    assert_eq!(compared, 3 * 6 * 15 * 2);
}

/// What the printed form of the rule gets wrong: at a bound that speaks for nothing there is no relevance.
#[test]
fn bounds_give_nothing_to_inputs_that_lie_on_them() {
    let mut draft = Draft::rows(2);
    let w = draft.weight("w", &[2, 1], vec![0.7, -0.4]).unwrap();
    let y = draft.node("layer", Op::Dense { transposed: false }, &[Draft::INPUT, w]);
    let network = Network::new(draft.graph(y).unwrap());
    // The first input at its lower bound with w > 0, the second at its upper with w < 0.
    let rule = || LinearRule::z_box(Given::Fixed(vec![-1.0]), Given::Fixed(vec![2.0]), 0.0);
    for (x, zero) in [(vec![-1.0, 0.5], 0), (vec![0.5, 2.0], 1)] {
        let tape = network.tape(&[Tensor::f64([1, 2], x).unwrap()], &run()).unwrap();
        let composite = everywhere(rule(), Stabilisers::default());
        let found = walk(&network, &tape, (y, 0), Source::Input(0), &composite, &run()).unwrap().relevance.to_f64();
        assert_eq!(found[zero], 0.0, "{found:?}");
        assert!(found[1 - zero] != 0.0);
    }
}

/// Deep Taylor decomposition by name: z⁺ within, w² or the box where the inputs are met, connection by connection.
#[test]
fn deep_taylor_is_that_of_its_definition_layer_by_layer() {
    use base::{Features, Inputs, Outputs, Points};
    use pellucid_explain::{Context, Method, Question, Tuning, explain_with};
    for seed in testkit::seeds(5) {
        let mut draw = Draw::new(seed);
        let (d, h) = (4, 6);
        let (w, v) = (draw.tensor(&[d, h], 1.0).to_f64(), draw.tensor(&[h, 1], 1.0).to_f64());
        let (low, high) = (-2.0, 3.0);
        let x: Vec<f64> = draw.tensor(&[d], 1.0).to_f64().iter().map(|x| x.clamp(low, high)).collect();
        let a: Vec<f64> = (0..h).map(|k| (0..d).map(|i| x[i] * w[i * h + k]).sum::<f64>().max(0.0)).collect();
        let score: f64 = a.iter().zip(&v).map(|(a, v)| a * v).sum();
        let mut draft = Draft::rows(d);
        let first = draft.weight("w", &[d, h], w.clone()).unwrap();
        let z = draft.node("first", Op::Dense { transposed: false }, &[Draft::INPUT, first]);
        let z = draft.node("rectify", Op::Unary(Unary::Relu), &[z]);
        let second = draft.weight("v", &[h, 1], v.clone()).unwrap();
        let y = draft.node("second", Op::Dense { transposed: false }, &[z, second]);
        let outputs = Outputs::values(vec!["y".to_string()].into());
        let machine = network::NetworkMachine::new(draft.graph(y).unwrap(), Features::unnamed(d), outputs).unwrap();
        let ask = |method: Method| {
            let tuning = Tuning { stabiliser: 0.0, low: vec![low], high: vec![high], ..Tuning::default() };
            let question = Question { method: Some(method), output: Some(0) };
            let inputs = Inputs::Points(Points::dense(x.clone(), 1, d).unwrap());
            explain_with(&machine, &inputs, question, &Context { tuning, background: None }, &run())
        };
        if score == 0.0 {
            // Nothing to explain: neither refused nor told from all zeros.
            continue;
        }
        if score < 0.0 {
            for method in [Method::DeepTaylor, Method::DeepTaylorBounded] {
                assert!(ask(method).unwrap_err().to_string().contains("above 0"), "seed {seed}");
            }
            continue;
        }
        // z⁺: what pulls up shares the score; activations are never negative.
        let whole: f64 = a.iter().zip(&v).map(|(a, v)| a * v.max(0.0)).sum();
        let hidden: Vec<f64> = a.iter().zip(&v).map(|(a, v)| a * v.max(0.0) / whole * score).collect();
        let back = |share: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
            let received = |i: usize| {
                (0..h).map(|k| share(i, k) * ratio(hidden[k], (0..d).map(|i| share(i, k)).sum())).sum::<f64>()
            };
            (0..d).map(received).collect()
        };
        let at = |i: usize, k: usize| w[i * h + k];
        let squares = back(&|i, k| at(i, k).powi(2));
        let boxed = back(&|i, k| x[i] * at(i, k) - low * at(i, k).max(0.0) - high * at(i, k).min(0.0));
        for (method, expected) in [(Method::DeepTaylor, squares), (Method::DeepTaylorBounded, boxed)] {
            let found = crate::numbers(&ask(method).unwrap().direct.values);
            close(&found, &expected, 1e-9, &format!("{}, seed {seed}", method.word()));
            assert!((found.iter().sum::<f64>() - score).abs() < 1e-9 * score && found.iter().all(|r| *r >= -1e-12));
        }
    }
}
