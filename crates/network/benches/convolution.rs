//! Convolution and dense layers: prints `what precision threads forward backward` in milliseconds, and for the
//! multi-layer perceptron the seconds of an epoch; the best of several runs.
//!
//! One convolution is batch 16, 64 to 64 channels, 56 x 56, 3 x 3; the block is two of them, each with ReLU, and a
//! maximum over 2 x 2; the perceptron is 784-1024-1024-10 in steps of 128 rows with plain gradient descent. Forward keeps
//! what the gradient needs; backward is the time of both less that of forward. `benches/run convolution` runs this beside
//! torch and prints ratios.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark talks to its reader and may stop")]

use base::graph::*;
use base::{Run, Seed};
use pellucid_network::Network;
use std::time::Instant;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let count = |i: usize| words.get(i).and_then(|w| w.parse().ok());
    let threads = count(1).unwrap_or(1);
    match words.first().map(String::as_str) {
        Some("mlp") => perceptron(threads, count(2).unwrap_or(469)),
        Some("conv") => {
            for element in [Element::F32, Element::F64] {
                layers("conv", element, threads, 1);
                layers("block", element, threads, 2);
            }
        }
        _ => println!("convolution: name conv or mlp, then the number of threads"),
    }
}

fn drawn(element: Element, shape: &[usize], scale: f64, seed: u64) -> Tensor {
    let count = shape.iter().product();
    let values = (0..count).map(|i| scale * (2.0 * Seed(seed).at(i).unit() - 1.0));
    match element {
        Element::F32 => Tensor::f32(shape, values.map(|v| v as f32).collect()).unwrap(),
        _ => Tensor::f64(shape, values.collect()).unwrap(),
    }
}

fn weight(name: &str, tensor: Tensor) -> Weight {
    Weight { name: name.into(), tensor, trained: true }
}

/// Milliseconds of the fastest of some runs, the first not counted.
fn best(mut f: impl FnMut()) -> f64 {
    f();
    let time = |_| {
        let start = Instant::now();
        f();
        start.elapsed().as_secs_f64()
    };
    (0..7).map(time).fold(f64::INFINITY, f64::min) * 1e3
}

fn layers(what: &str, element: Element, threads: usize, depth: usize) {
    let window = Window::new([3, 3]).pads([1, 1]);
    let node = |name: String, op: Op, inputs: Vec<Source>| Node {
        name,
        op,
        inputs: inputs.into_iter().map(Some).collect(),
        outputs: 1,
    };
    let (mut nodes, mut at) = (vec![], Source::Input(0));
    for i in 0..depth {
        let conv = Op::Conv { window: window.clone(), groups: 1 };
        nodes.push(node(format!("conv {i}"), conv, vec![at, Source::Weight(i)]));
        at = Source::Node(nodes.len() - 1, 0);
        if depth > 1 {
            nodes.push(node(format!("relu {i}"), Op::Unary(Unary::Relu), vec![at]));
            at = Source::Node(nodes.len() - 1, 0);
        }
    }
    if depth > 1 {
        let op = Op::Pool { pooling: Pooling::Max, window: Window::new([2, 2]).strides([2, 2]) };
        nodes.push(node("pool".into(), op, vec![at]));
        at = Source::Node(nodes.len() - 1, 0);
    }
    let weights =
        (0..depth).map(|i| weight(&format!("w{i}"), drawn(element, &[64, 64, 3, 3], 0.08, i as u64))).collect();
    let input = GraphInput { name: "x".into(), element, shape: vec![None, Some(64), Some(56), Some(56)] };
    let network = Network::new(Graph::new(vec![input], weights, nodes, vec![("y".into(), at)]).unwrap());
    let x = [drawn(element, &[16, 64, 56, 56], 1.7, 7)];
    let run = Run { threads, ..Run::quiet(1) };
    let shape = network.run(&x, &run).unwrap()[0].shape().to_vec();
    let g = drawn(element, &shape, 1.7, 8);
    let wanted: Vec<Source> = (0..depth).map(Source::Weight).chain([Source::Input(0)]).collect();
    let forward = best(|| drop(network.tape(&x, &run).unwrap()));
    let both = best(|| {
        let tape = network.tape(&x, &run).unwrap();
        drop(tape.pull(&[(at, g.clone())], &wanted, &run).unwrap());
    });
    println!("{what} {} {threads} {forward:.2} {:.2}", element.word(), both - forward);
}

fn perceptron(threads: usize, steps: usize) {
    let sizes = [784, 1024, 1024, 10];
    let (mut nodes, mut weights, mut at) = (vec![], vec![], Source::Input(0));
    for i in 0..3 {
        let scale = 1.0 / (sizes[i] as f64).sqrt();
        weights.push(weight(&format!("w{i}"), drawn(Element::F32, &[sizes[i + 1], sizes[i]], scale, i as u64)));
        weights.push(weight(&format!("b{i}"), drawn(Element::F32, &[sizes[i + 1]], scale, 10 + i as u64)));
        let inputs = vec![Some(at), Some(Source::Weight(2 * i)), Some(Source::Weight(2 * i + 1))];
        nodes.push(Node { name: format!("dense {i}"), op: Op::Dense { transposed: true }, inputs, outputs: 1 });
        at = Source::Node(nodes.len() - 1, 0);
        if i < 2 {
            let relu = Op::Unary(Unary::Relu);
            nodes.push(Node { name: format!("relu {i}"), op: relu, inputs: vec![Some(at)], outputs: 1 });
            at = Source::Node(nodes.len() - 1, 0);
        }
    }
    let input = GraphInput { name: "x".into(), element: Element::F32, shape: vec![None, Some(784)] };
    let mut network = Network::new(Graph::new(vec![input], weights, nodes, vec![("y".into(), at)]).unwrap());
    let run = Run { threads, ..Run::quiet(1) };
    let rows: Vec<f32> = (0..60_000 * 784).map(|i| (2.0 * Seed(5).at(i).unit() - 1.0) as f32).collect();
    let rows = base::Shared::new(rows);
    let classes: Vec<usize> = (0..60_000).map(|i| (Seed(6).at(i).unit() * 10.0) as usize).collect();
    let wanted: Vec<Source> = (0..6).map(Source::Weight).collect();
    let start = Instant::now();
    for step in 0..steps {
        let first = (step * 128) % 60_000;
        let count = 128.min(60_000 - first);
        let part = rows[first * 784..(first + count) * 784].to_vec();
        let x = [Tensor::f32([count, 784], part).unwrap()];
        let pulled = {
            let tape = network.tape(&x, &run).unwrap();
            let g = cross_entropy_slope(tape.value(at).unwrap(), &classes[first..first + count]);
            tape.pull(&[(at, g)], &wanted, &run).unwrap()
        };
        for (i, slope) in pulled.into_iter().enumerate() {
            let slope = slope.unwrap();
            let (Numbers::F32(w), Numbers::F32(d)) = (network.weights()[i].numbers(), slope.numbers()) else { return };
            let moved = w.iter().zip(d.iter()).map(|(w, d)| w - 0.01 * d).collect();
            network.set_weight(i, Tensor::f32(slope.shape(), moved).unwrap()).unwrap();
        }
    }
    println!("mlp f32 {threads} {:.2} 0", start.elapsed().as_secs_f64());
}

/// Softmax less one at the right class, over the number of rows.
fn cross_entropy_slope(scores: &Tensor, classes: &[usize]) -> Tensor {
    let values = scores.to_f64();
    let columns = scores.shape()[1];
    let mut slope = Vec::with_capacity(values.len());
    for (row, &class) in values.chunks_exact(columns).zip(classes) {
        let top = row.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
        let sum: f64 = row.iter().map(|v| (v - top).exp()).sum();
        let share = |(j, v): (usize, &f64)| ((v - top).exp() / sum - f64::from(j == class)) / classes.len() as f64;
        slope.extend(row.iter().enumerate().map(share).map(|v| v as f32));
    }
    Tensor::f32(scores.shape(), slope).unwrap()
}
