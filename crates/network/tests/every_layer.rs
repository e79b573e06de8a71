//! Networks of every kind of layer in one graph: what each node leaves behind, and gradients through all of them.
//!
//! Convolutions along one, two and three axes, depthwise and pointwise ones (separable), batch normalisation, rectifier,
//! sigmoid, sums, joins, both pools, flattening, dense layers and a softmax.
#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

mod common;

use base::graph::*;
use common::{Draw, close, ravel, threads, unravel};
use pellucid_network::Network;

struct Net {
    draft: Draft,
    draw: Draw,
    names: usize,
}

impl Net {
    fn weight(&mut self, shape: &[usize], low: f64, high: f64) -> Source {
        self.names += 1;
        let tensor = self.draw.between(shape, low, high);
        self.draft.trained(&format!("w{}", self.names), tensor)
    }

    fn node(&mut self, op: Op, inputs: &[Source]) -> Source {
        self.names += 1;
        self.draft.node(&format!("{} {}", op.word(), self.names), op, inputs)
    }

    fn conv(&mut self, x: Source, rank: usize, (into, out): (usize, usize), kernel: usize, groups: usize) -> Source {
        let w = self.weight(&[vec![out, into / groups], vec![kernel; rank]].concat(), -0.6, 0.6);
        let b = self.weight(&[out], -0.5, 0.5);
        let window = Window::new(vec![kernel; rank]).pads(vec![kernel / 2; rank]);
        self.node(Op::Conv { window, groups }, &[x, w, b])
    }
}

/// A network of rows of two channels with `side` places along each of `rank` axes.
fn network(rank: usize, side: usize, seed: u64) -> Graph {
    let mut n = Net { draft: Draft::default(), draw: Draw::new(seed), names: 0 };
    let sizes = [vec![None, Some(2)], vec![Some(side); rank]].concat();
    let x = n.draft.input("x", Element::F64, sizes);
    let conv = n.conv(x, rank, (2, 4), 3, 1);
    let statistics = [(-1.5, 1.5), (-0.5, 0.5), (-0.5, 0.5), (0.3, 2.0)].map(|(low, high)| n.weight(&[4], low, high));
    let norm = n.node(Op::BatchNorm { epsilon: 1e-3 }, &[&[conv][..], &statistics].concat());
    let relu = n.node(Op::Unary(Unary::Relu), &[norm]);
    let each = n.conv(relu, rank, (4, 4), 3, 4);
    let separable = n.conv(each, rank, (4, 4), 1, 1);
    let around = n.node(Op::Binary(Binary::Add), &[separable, relu]);
    let gate = n.conv(x, rank, (2, 2), 1, 1);
    let gate = n.node(Op::Unary(Unary::Sigmoid), &[gate]);
    let both = n.node(Op::Concat { axis: 1 }, &[around, gate]);
    let window = Window::new(vec![2; rank]).strides(vec![2; rank]);
    let most = n.node(Op::Pool { pooling: Pooling::Max, window: window.clone() }, &[both]);
    let mean = n.node(Op::Pool { pooling: Pooling::Average, window }, &[both]);
    let pooled = n.node(Op::Concat { axis: 1 }, &[most, mean]);
    let flat = n.node(Op::Flatten { axis: 1 }, &[pooled]);
    let width = 12 * (side / 2).pow(rank as u32);
    let (w, b) = (n.weight(&[width, 3], -0.6, 0.6), n.weight(&[3], -0.5, 0.5));
    let scores = n.node(Op::Dense { transposed: false }, &[flat, w, b]);
    let y = n.node(Op::Softmax { axis: 1, log: false }, &[scores]);
    n.draft.graph(y).unwrap()
}

/// What a node gives for what goes in, place by place as its definition reads.
fn by_definition(op: &Op, inputs: &[&Tensor], shape: &[usize]) -> Vec<f64> {
    let x: Vec<Vec<f64>> = inputs.iter().map(|t| t.to_f64()).collect();
    let own = inputs[0].shape();
    let at = |index: &[usize]| x[0][ravel(index, own)];
    let one = |place: usize| -> f64 {
        let index = unravel(place, shape);
        match op {
            Op::Conv { window, groups } => {
                let (inner, kernel) = (inputs[1].shape()[1], &inputs[1].shape()[2..]);
                let first = index[1] / (shape[1] / groups) * inner;
                let mut sum = x[2][index[1]];
                for part in 0..inner * kernel.iter().product::<usize>() {
                    let k = unravel(part, &inputs[1].shape()[1..]);
                    let from: Option<Vec<usize>> = (0..kernel.len())
                        .map(|i| {
                            (index[2 + i] + k[1 + i]).checked_sub(window.kernel[i] / 2).filter(|p| *p < own[2 + i])
                        })
                        .collect();
                    if let Some(from) = from {
                        let weight = x[1][index[1] * inner * kernel.iter().product::<usize>() + part];
                        sum += weight * at(&[vec![index[0], first + k[0]], from].concat());
                    }
                }
                sum
            }
            Op::BatchNorm { epsilon } => {
                let [scale, bias, mean, variance] = [1, 2, 3, 4].map(|k: usize| x[k][index[1]]);
                (at(&index) - mean) / (variance + epsilon).sqrt() * scale + bias
            }
            Op::Unary(Unary::Relu) => at(&index).max(0.0),
            Op::Unary(Unary::Sigmoid) => 1.0 / (1.0 + (-at(&index)).exp()),
            Op::Binary(Binary::Add) => x[0][place] + x[1][place],
            Op::Concat { .. } => match index[1].checked_sub(own[1]) {
                None => at(&index),
                Some(channel) => x[1][ravel(&[&[index[0], channel], &index[2..]].concat(), inputs[1].shape())],
            },
            Op::Pool { pooling, .. } => {
                let corners = 0..1 << (shape.len() - 2);
                let corner = |bits: usize| {
                    let space = (2..shape.len()).map(|i| 2 * index[i] + (bits >> (i - 2) & 1));
                    at(&index[..2].iter().copied().chain(space).collect::<Vec<_>>())
                };
                match pooling {
                    Pooling::Max => corners.map(corner).fold(f64::NEG_INFINITY, f64::max),
                    _ => corners.clone().map(corner).sum::<f64>() / corners.len() as f64,
                }
            }
            Op::Flatten { .. } => x[0][place],
            Op::Dense { .. } => {
                let width = shape[1];
                let row = &x[0][index[0] * own[1]..][..own[1]];
                x[2][index[1]] + row.iter().enumerate().map(|(i, v)| v * x[1][i * width + index[1]]).sum::<f64>()
            }
            Op::Softmax { .. } => {
                let row = &x[0][index[0] * own[1]..][..own[1]];
                row[index[1]].exp() / row.iter().map(|v| v.exp()).sum::<f64>()
            }
            other => panic!("{other:?}"),
        }
    };
    (0..shape.iter().product()).map(one).collect()
}

/// Networks along one, two and three axes, each with rows to run it on.
fn cases(seed: u64) -> Vec<(usize, Graph, Tensor)> {
    let case = |rank: usize| {
        let side = [7, 5, 4][rank - 1];
        let x = Draw::new(seed.wrapping_add(7)).tensor(&[vec![2, 2], vec![side; rank]].concat());
        (rank, network(rank, side, seed.wrapping_add(rank as u64)), x)
    };
    (1..=3).map(case).collect()
}

#[test]
fn every_layer_leaves_behind_what_its_definition_gives() {
    for seed in testkit::seeds(5) {
        for (rank, graph, x) in cases(seed) {
            let network = Network::new(graph.clone());
            let tape = network.tape(std::slice::from_ref(&x), &threads(2)).unwrap();
            for (i, node) in graph.nodes().iter().enumerate() {
                let found = tape.value(Source::Node(i, 0)).unwrap();
                let inputs: Vec<&Tensor> = node.inputs.iter().flatten().map(|s| tape.value(*s).unwrap()).collect();
                let what = format!("{}, {rank} axes, seed {seed}", node.name);
                close(&found.to_f64(), &by_definition(&node.op, &inputs, found.shape()), 1e-12, &what);
            }
            let y = network.run(&[x], &threads(2)).unwrap().remove(0);
            assert_eq!(&y, tape.value(graph.outputs()[0].1).unwrap(), "{rank} axes, seed {seed}");
        }
    }
}

#[test]
fn gradients_through_every_layer_are_finite_differences() {
    const STEP: f64 = 1e-5;
    for seed in testkit::seeds(3) {
        for (rank, graph, x) in cases(seed) {
            let last = graph.outputs()[0].1;
            let g = Draw::new(seed.wrapping_add(11)).tensor(&[2, 3]);
            let value = |graph: &Graph, x: &Tensor| {
                let y = Network::new(graph.clone()).run(std::slice::from_ref(x), &threads(1)).unwrap().remove(0);
                y.to_f64().iter().zip(g.to_f64()).map(|(y, g)| y * g).sum::<f64>()
            };
            let mut wanted = vec![Source::Input(0)];
            wanted.extend((0..graph.weights().len()).map(Source::Weight));
            let network = Network::new(graph.clone());
            let tape = network.tape(std::slice::from_ref(&x), &threads(1)).unwrap();
            let pulled = tape.pull(&[(last, g.clone())], &wanted, &threads(1)).unwrap();
            let (mut compared, mut bent, here) = (0, 0, value(&graph, &x));
            for (&source, slope) in wanted.iter().zip(pulled) {
                let tensor = tape.value(source).unwrap();
                let slope = slope.unwrap_or_else(|| panic!("no slope of {source:?}")).to_f64();
                for place in (0..slope.len()).step_by(1 + slope.len() / 12) {
                    let at = |step: f64| {
                        let mut moved = tensor.to_f64();
                        moved[place] += step;
                        let moved = Tensor::f64(tensor.shape(), moved).unwrap();
                        match source {
                            Source::Weight(w) => value(&graph.clone().with_weight(w, moved).unwrap(), &x),
                            _ => value(&graph, &moved),
                        }
                    };
                    let (up, down) = ((at(STEP) - here) / STEP, (here - at(-STEP)) / STEP);
                    // A rectifier or a maximum that changes sides within the step gives two slopes, and their mean is off by half
                    // their difference.
                    let (measured, off) = (0.5 * (up + down), 0.5 * (up - down).abs());
                    bent += usize::from(off > 1e-3);
                    compared += 1;
                    let what = format!("{source:?} at {place}, {rank} axes, seed {seed}");
                    let error = (slope[place] - measured).abs();
                    assert!(error < off + 1e-6, "{what}: {} and {measured}", slope[place]);
                }
            }
            assert!(compared > 60 && bent * 10 < compared, "{compared} compared, {bent} with two slopes");
        }
    }
}
