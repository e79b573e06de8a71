//! Convolution and dense layers: prints `what precision threads forward backward` in milliseconds, and for the
//! multi-layer perceptron the seconds of an epoch; the best of several runs.
//!
//! One convolution is batch 16, 64 to 64 channels, 56 x 56, 3 x 3; the block is two of them, each with ReLU, and a
//! maximum over 2 x 2; the perceptron is 784-1024-1024-10 in steps of 128 rows with plain gradient descent. Forward keeps
//! what the gradient needs; backward is the time of both less that of forward. `benches/run convolution` runs this beside
//! torch and prints ratios.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark talks to its reader and may stop")]

use base::graph::*;
use base::{Classes, Dataset, Learner, Points, Progress, Run, Seed, Targets, Verdict, Watch};
use pellucid_network::layers::Scaling;
use pellucid_network::train::{Optimizer, Order, Precision, Schedule, Training};
use pellucid_network::{Mlp, Network};
use std::sync::OnceLock;
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

/// Looks at the clock when the first step begins, and stops when enough are done.
struct Clock {
    steps: u64,
    first: OnceLock<Instant>,
    last: OnceLock<Instant>,
}

impl Watch for Clock {
    fn step(&self, progress: &Progress<'_>) -> Verdict {
        if progress.stage != "epoch" {
            return Verdict::GoOn;
        }
        self.first.get_or_init(Instant::now);
        if progress.done < self.steps {
            return Verdict::GoOn;
        }
        self.last.get_or_init(Instant::now);
        Verdict::Enough
    }
}

/// Seconds that a perceptron of 784-1024-1024-10 takes for some steps of 128 rows, trained as any other.
fn perceptron(threads: usize, steps: usize) {
    let rows: Vec<f32> = (0..60_000 * 784).map(|i| (2.0 * Seed(5).at(i).unit() - 1.0) as f32).collect();
    let classes: Vec<u32> = (0..60_000).map(|i| (Seed(6).at(i).unit() * 10.0) as u32).collect();
    let names: Vec<String> = (0..10).map(|c| c.to_string()).collect();
    let targets = Targets::Classes(Classes::new(classes, names).unwrap());
    let data = Dataset::new(Points::dense(rows, 60_000, 784).unwrap(), targets);
    let training = Training {
        optimizer: Optimizer::Sgd,
        rate: 0.01,
        schedule: Schedule::Constant,
        order: Order::Given,
        batch: 128,
        // One more than is asked for, because the clock ends the work before the next step.
        epochs: steps / 469 + 1,
        precision: Precision::F32,
        ..Training::default()
    };
    let mlp = Mlp { hidden: vec![1024.0, 1024.0], scale: Scaling::None, training, ..Mlp::default() };
    let clock = Clock { steps: steps as u64, first: OnceLock::new(), last: OnceLock::new() };
    let run = Run { threads, watch: &clock, ..Run::quiet(1) };
    mlp.fit(&data, None, &run).unwrap();
    let (first, last) = (clock.first.get().unwrap(), clock.last.get().unwrap());
    println!("mlp f32 {threads} {:.2} 0", (*last - *first).as_secs_f64());
}
