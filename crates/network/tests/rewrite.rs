//! Rewritten graphs compute what they did before.
//!
//! Linear layers and normalisations are computed here by their definitions, so that the check leans on nothing that is
//! checked; constants and cuts go through the network itself.
#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use base::graph::*;
use base::{Run, Seed};
use pellucid_network::Network;
use pellucid_network::rewrite::*;

/// Numbers with a shape.
#[derive(Clone)]
struct Dense {
    shape: Vec<usize>,
    values: Vec<f64>,
}

/// x at (n, c, i, j), 0 in the padding around.
fn at(x: &Dense, n: usize, c: usize, i: i64, j: i64) -> f64 {
    let [_, channels, h, w] = x.shape[..] else { panic!() };
    let inside = i >= 0 && j >= 0 && (i as usize) < h && (j as usize) < w;
    if inside { x.values[((n * channels + c) * h + i as usize) * w + j as usize] } else { 0.0 }
}

fn explicit(window: &Window) -> (Vec<usize>, Vec<usize>) {
    let Padding::Explicit { begin, end, .. } = &window.padding else { panic!() };
    (begin.clone(), end.clone())
}

fn conv(x: &Dense, w: &Dense, b: &[f64], window: &Window, groups: usize) -> Dense {
    let (&[n, _, h, width], &[m, per, kh, kw]) = (&x.shape[..], &w.shape[..]) else { panic!() };
    let (begin, end) = explicit(window);
    let size = |size: usize, a: usize, k: usize| (size + begin[a] + end[a] - k) / window.strides[a] + 1;
    let (oh, ow) = (size(h, 0, kh), size(width, 1, kw));
    let mut values = vec![];
    for (n, o) in (0..n).flat_map(|n| (0..m).map(move |o| (n, o))) {
        for (i, j) in (0..oh).flat_map(|i| (0..ow).map(move |j| (i, j))) {
            let mut sum = b[o];
            for k in 0..per * kh * kw {
                let (c, p, q) = (k / (kh * kw), k / kw % kh, k % kw);
                let row = (i * window.strides[0] + p) as i64 - begin[0] as i64;
                let column = (j * window.strides[1] + q) as i64 - begin[1] as i64;
                sum += w.values[o * per * kh * kw + k] * at(x, n, o / (m / groups) * per + c, row, column);
            }
            values.push(sum);
        }
    }
    Dense { shape: vec![n, m, oh, ow], values }
}

/// Each element of x paints a copy of its kernels.
fn conv_transpose(x: &Dense, w: &Dense, b: &[f64], window: &Window, groups: usize) -> Dense {
    let (&[n, c, h, width], &[_, per, kh, kw]) = (&x.shape[..], &w.shape[..]) else { panic!() };
    let (begin, end) = explicit(window);
    let size = |size: usize, a: usize, k: usize| (size - 1) * window.strides[a] + k - begin[a] - end[a];
    let (m, oh, ow) = (per * groups, size(h, 0, kh), size(width, 1, kw));
    let mut y: Vec<f64> = (0..n * m * oh * ow).map(|k| b[k / (oh * ow) % m]).collect();
    for k in 0..x.values.len() {
        let (s, from, i, j) = (k / (c * h * width), k / (h * width) % c, k / width % h, k % width);
        for t in 0..per * kh * kw {
            let (to, p, q) = (t / (kh * kw), t / kw % kh, t % kw);
            let row = (i * window.strides[0] + p) as i64 - begin[0] as i64;
            let column = (j * window.strides[1] + q) as i64 - begin[1] as i64;
            if row >= 0 && column >= 0 && (row as usize) < oh && (column as usize) < ow {
                let to = from / (c / groups) * per + to;
                y[((s * m + to) * oh + row as usize) * ow + column as usize] +=
                    x.values[k] * w.values[from * per * kh * kw + t];
            }
        }
    }
    Dense { shape: vec![n, m, oh, ow], values: y }
}

/// All outputs of a graph, node by node, by the definitions.
fn compute(graph: &Graph, x: &Dense) -> Vec<Vec<f64>> {
    let mut nodes: Vec<Dense> = vec![];
    let weight = |i: usize| {
        let t = &graph.weights()[i].tensor;
        Dense { shape: t.shape().to_vec(), values: t.to_f64() }
    };
    let find = |nodes: &[Dense], source: Source| match source {
        Source::Input(_) => x.clone(),
        Source::Weight(i) => weight(i),
        Source::Node(i, _) => nodes[i].clone(),
    };
    for node in graph.nodes() {
        let given: Vec<Option<Dense>> = node.inputs.iter().map(|s| s.map(|s| find(&nodes, s))).collect();
        let x = given[0].clone().unwrap();
        let bias = |m: usize| given.get(2).cloned().flatten().map_or(vec![0.0; m], |b| b.values);
        nodes.push(match &node.op {
            Op::Dense { transposed } => {
                let w = given[1].clone().unwrap();
                let (rows, inner) = (x.shape[0], x.shape[1]);
                let m = w.shape[usize::from(!transposed)];
                let b = bias(m);
                let at = |k: usize, o: usize| w.values[if *transposed { o * inner + k } else { k * m + o }];
                let cell =
                    |r: usize, o: usize| (0..inner).map(|k| x.values[r * inner + k] * at(k, o)).sum::<f64>() + b[o];
                Dense { shape: vec![rows, m], values: (0..rows * m).map(|i| cell(i / m, i % m)).collect() }
            }
            Op::Conv { window, groups } => {
                let w = given[1].clone().unwrap();
                conv(&x, &w, &bias(w.shape[0]), window, *groups)
            }
            Op::ConvTranspose { window, groups, .. } => {
                let w = given[1].clone().unwrap();
                conv_transpose(&x, &w, &bias(w.shape[1] * groups), window, *groups)
            }
            Op::BatchNorm { epsilon } => {
                let p = |i: usize| given[i].clone().unwrap().values;
                let (scale, shift, mean, variance) = (p(1), p(2), p(3), p(4));
                let space: usize = x.shape[2..].iter().product();
                let one = |(k, v): (usize, &f64)| {
                    let c = k / space % x.shape[1];
                    (v - mean[c]) / (variance[c] + epsilon).sqrt() * scale[c] + shift[c]
                };
                Dense { shape: x.shape.clone(), values: x.values.iter().enumerate().map(one).collect() }
            }
            Op::Unary(Unary::Tanh) => Dense { values: x.values.iter().map(|x| x.tanh()).collect(), ..x },
            Op::Unary(Unary::Identity) | Op::Dropout { .. } => x,
            other => panic!("{other:?}"),
        });
    }
    graph.outputs().iter().map(|(_, source)| find(&nodes, *source).values).collect()
}

/// A graph that grows node by node.
struct Growing {
    weights: Vec<Weight>,
    nodes: Vec<Node>,
    seed: Seed,
}

impl Growing {
    fn new(seed: u64) -> Self {
        Growing { weights: vec![], nodes: vec![], seed: Seed(seed) }
    }

    fn pick(&self, what: &str, below: usize) -> usize {
        (self.seed.fork(what).at(self.nodes.len()).unit() * below as f64) as usize
    }

    fn weight(&mut self, shape: &[usize], low: f64) -> Option<Source> {
        let seed = self.seed.fork("weight").at(self.weights.len());
        let values = (0..shape.iter().product()).map(|i| low + seed.at(i).unit()).collect();
        let name = format!("w{}", self.weights.len());
        self.weights.push(Weight { name, tensor: Tensor::f64(shape, values).unwrap(), trained: true });
        Some(Source::Weight(self.weights.len() - 1))
    }

    fn node(&mut self, op: Op, inputs: Vec<Option<Source>>) -> Source {
        let name = format!("n{}", self.nodes.len());
        self.nodes.push(Node { name, op, inputs, outputs: 1 });
        Source::Node(self.nodes.len() - 1, 0)
    }

    fn norm(&mut self, x: Source, channels: usize) -> Source {
        let c = [channels];
        let inputs =
            vec![Some(x), self.weight(&c, 0.5), self.weight(&c, -0.5), self.weight(&c, -0.5), self.weight(&c, 0.1)];
        self.node(Op::BatchNorm { epsilon: 1e-3 }, inputs)
    }

    fn graph(self, shape: &[usize], outputs: &[Source]) -> Graph {
        let mut sizes: Vec<Option<usize>> = shape.iter().map(|&n| Some(n)).collect();
        sizes[0] = None;
        let input = GraphInput { name: "x".into(), element: Element::F64, shape: sizes };
        let outputs = outputs.iter().enumerate().map(|(i, s)| (format!("y{i}"), *s)).collect();
        Graph::new(vec![input], self.weights, self.nodes, outputs).unwrap()
    }
}

/// A drawn chain of layers, some of them with a second user; how many channels run through it is always 4.
fn drawn(seed: u64, pictures: bool) -> Graph {
    let mut g = Growing::new(seed);
    let (mut x, mut outputs) = (Source::Input(0), vec![]);
    for _ in 0..7 {
        let kind = g.pick("kind", 10);
        let bias = g.pick("bias", 2) == 0;
        let groups = [1, 2, 4][g.pick("groups", 3)];
        let pads = [g.pick("pads", 2); 2];
        x = match kind {
            0..4 if !pictures => {
                let w = g.weight(&[4, 4], -0.5);
                let b = if bias { g.weight(&[4], -0.5) } else { None };
                let inputs = if bias { vec![Some(x), w, b] } else { vec![Some(x), w] };
                g.node(Op::Dense { transposed: kind < 2 }, inputs)
            }
            0..3 => {
                let w = g.weight(&[4, 4 / groups, 1 + 2 * pads[0], 1 + 2 * pads[0]], -0.5);
                let b = if bias { g.weight(&[4], -0.5) } else { None };
                // A kernel of 3 that pads 1, or of 1 that pads none.
                g.node(Op::Conv { window: Window::new(kernel(pads)).pads(pads), groups }, vec![Some(x), w, b])
            }
            3 => {
                let w = g.weight(&[4, 4 / groups, 2, 2], -0.5);
                let b = if bias { g.weight(&[4], -0.5) } else { None };
                let window = Window::new([2, 2]);
                g.node(Op::ConvTranspose { window, groups, extra: vec![0, 0] }, vec![Some(x), w, b])
            }
            4..7 => g.norm(x, 4),
            7 => g.node(Op::Unary(Unary::Tanh), vec![Some(x)]),
            8 => g.node(Op::Unary(Unary::Identity), vec![Some(x)]),
            _ => g.node(Op::Dropout { rate: 0.5 }, vec![Some(x)]),
        };
        if g.pick("seen", 6) == 0 {
            outputs.push(x);
        }
        if g.pick("dead", 6) == 0 {
            g.norm(x, 4);
        }
    }
    outputs.push(x);
    let shape: &[usize] = if pictures { &[2, 4, 5, 4] } else { &[3, 4] };
    g.graph(shape, &outputs)
}

fn kernel(pads: [usize; 2]) -> Vec<usize> {
    pads.iter().map(|p| 1 + 2 * p).collect()
}

fn input(pictures: bool, seed: u64) -> Dense {
    let shape = if pictures { vec![2, 4, 5, 4] } else { vec![3, 4] };
    let values = (0..shape.iter().product()).map(|i| Seed(seed).at(i).unit() - 0.5).collect();
    Dense { shape, values }
}

fn count(graph: &Graph, which: impl Fn(&Op) -> bool) -> usize {
    graph.nodes().iter().filter(|n| which(&n.op)).count()
}

fn norms(graph: &Graph) -> usize {
    count(graph, |op| matches!(op, Op::BatchNorm { .. }))
}

fn same(a: &Graph, b: &Graph, x: &Dense, what: &str) {
    for (a, b) in compute(a, x).iter().zip(compute(b, x)) {
        testkit::assert_close(a, &b, 1e-12, what);
    }
    assert_eq!(a.inputs(), b.inputs());
}

#[test]
fn drawn_graphs_keep_their_function() {
    let (mut before, mut after) = (0, 0);
    for seed in 0..300 {
        let pictures = seed % 2 == 0;
        let (graph, x) = (drawn(seed, pictures), input(pictures, seed));
        let quiet = without_idle(&graph).unwrap();
        same(&graph, &quiet, &x, "without idle");
        assert_eq!(count(&quiet, |op| matches!(op, Op::Dropout { .. } | Op::Unary(Unary::Identity))), 0);
        let used = |w: usize| quiet.nodes().iter().any(|n| n.inputs.contains(&Some(Source::Weight(w))));
        assert!((0..quiet.weights().len()).all(used), "a weight nobody uses");
        let fused = fuse_batch_norm(&quiet).unwrap();
        same(&graph, &fused, &x, "fused");
        same(&graph, &fuse_batch_norm(&graph).unwrap(), &x, "fused at once");
        before += norms(&quiet);
        after += norms(&fused);
    }
    assert!(after * 2 < before, "{after} of {before} normalisations are left");
}

#[test]
fn norms_go_into_layers_before_and_after() {
    let chain = |ops: &[&str], seed: u64| {
        let mut g = Growing::new(seed);
        let mut x = Source::Input(0);
        for op in ops {
            x = match *op {
                "norm" => g.norm(x, 4),
                "dense" => {
                    let w = g.weight(&[4, 4], -0.5);
                    g.node(Op::Dense { transposed: false }, vec![Some(x), w])
                }
                pads => {
                    let w = g.weight(&[4, 1, 3, 3], -0.5);
                    let pads = [usize::from(pads == "padded"); 2];
                    g.node(Op::Conv { window: Window::new([3, 3]).pads(pads), groups: 4 }, vec![Some(x), w])
                }
            };
        }
        let shape: &[usize] = if ops.contains(&"dense") { &[3, 4] } else { &[2, 4, 5, 4] };
        g.graph(shape, &[x])
    };
    let cases: [(&[&str], usize); 8] = [
        (&["dense", "norm"], 0),
        (&["norm", "dense"], 0),
        (&["norm", "norm", "dense", "norm", "norm"], 0),
        (&["norm"], 1),
        (&["conv", "norm"], 0),
        (&["padded", "norm"], 0),
        (&["norm", "conv"], 0),
        (&["norm", "padded"], 1),
    ];
    for (ops, left) in cases {
        let graph = chain(ops, 3);
        let fused = fuse_batch_norm(&graph).unwrap();
        assert_eq!(norms(&fused), left, "{ops:?}");
        same(&graph, &fused, &input(!ops.contains(&"dense"), 5), "a chain");
    }
    // Without a shift, padding stays 0 and does not matter.
    let graph = chain(&["norm", "padded"], 3);
    let zero = Tensor::f64([4], vec![0.0; 4]).unwrap();
    let graph = graph.with_weight(1, zero.clone()).unwrap().with_weight(2, zero).unwrap();
    let fused = fuse_batch_norm(&graph).unwrap();
    assert_eq!(norms(&fused), 0);
    same(&graph, &fused, &input(true, 5), "padded, no shift");
}

#[test]
fn weights_that_others_share_stay() {
    let mut g = Growing::new(1);
    let w = g.weight(&[4, 4], -0.5);
    let first = g.node(Op::Dense { transposed: true }, vec![Some(Source::Input(0)), w]);
    let normed = g.norm(first, 4);
    let second = g.node(Op::Dense { transposed: true }, vec![Some(normed), w]);
    let graph = g.graph(&[3, 4], &[second]);
    let fused = fuse_batch_norm(&graph).unwrap();
    assert_eq!((norms(&fused), fused.weights().len()), (0, 3));
    same(&graph, &fused, &input(false, 2), "shared weights");
}

#[test]
fn layers_without_weights_are_left_alone() {
    let mut g = Growing::new(1);
    let none = Tensor::f64([usize::MAX, 0, 3], vec![]).unwrap();
    g.weights.push(Weight { name: "none".into(), tensor: none, trained: false });
    let op = Op::Conv { window: Window::new([3]), groups: 1 };
    let x = g.node(op, vec![Some(Source::Input(0)), Some(Source::Weight(0))]);
    let y = g.norm(x, 4);
    let graph = g.graph(&[1, 1, 3], &[y]);
    assert_eq!(fuse_batch_norm(&graph), Ok(graph));
}

/// x · reshape(transpose(W)), softmax of that; W's way is made of constants.
fn constants() -> Graph {
    let mut g = Growing::new(4);
    let w = g.weight(&[2, 4], -0.5);
    let shape = Weight { name: "shape".into(), tensor: Tensor::i64([2], vec![4, -1]).unwrap(), trained: false };
    let turned = g.node(Op::Transpose { order: vec![] }, vec![w]);
    g.weights.push(shape);
    let shaped = g.node(Op::Reshape { zero: false }, vec![Some(turned), Some(Source::Weight(1))]);
    let scores = g.node(Op::Dense { transposed: false }, vec![Some(Source::Input(0)), Some(shaped)]);
    let y = g.node(Op::Softmax { axis: 1, log: false }, vec![Some(scores)]);
    g.graph(&[3, 4], &[y])
}

fn run(graph: &Graph) -> Vec<f64> {
    let x = input(false, 8);
    let x = Tensor::f64(x.shape, x.values).unwrap();
    Network::new(graph.clone()).run(&[x], &Run::quiet(1)).unwrap().remove(0).to_f64()
}

#[test]
fn constants_are_computed() {
    let graph = constants();
    let folded = folded(&graph, &Run::quiet(1)).unwrap();
    assert_eq!((folded.nodes().len(), folded.weights().len()), (2, 1));
    assert!(folded.weights()[0].trained, "it stands for one that may be trained");
    assert_eq!(run(&folded), run(&graph));
    assert_eq!(run(&canonical(&graph, &Run::quiet(1)).unwrap()), run(&graph));
    let tight = Run { memory: base::Memory::limited(10), ..Run::quiet(1) };
    assert!(pellucid_network::rewrite::folded(&graph, &tight).is_err());
}

#[test]
fn canonical_is_all_of_it() {
    for seed in 0..20 {
        let (graph, x) = (drawn(seed, false), input(false, seed));
        let canonical = canonical(&graph, &Run::quiet(1)).unwrap();
        same(&graph, &canonical, &x, "canonical");
        assert_eq!(canonical, pellucid_network::rewrite::canonical(&canonical, &Run::quiet(1)).unwrap());
    }
}

#[test]
fn another_end() {
    let graph = constants();
    let scores = without_final_softmax(&graph).unwrap();
    assert_eq!(scores.nodes().len(), 3);
    assert_eq!(scores.outputs()[0].0, "y0");
    assert_eq!(run(&scores), run(&cut(&graph, "n2").unwrap()));
    let exp: Vec<f64> = run(&scores).iter().map(|x| x.exp()).collect();
    let softmax: Vec<f64> = exp.chunks(2).flat_map(|e| e.iter().map(|x| x / e.iter().sum::<f64>())).collect();
    testkit::assert_close(&run(&graph), &softmax, 1e-14, "softmax of the scores");
    assert_eq!(without_final_softmax(&scores).unwrap(), scores);
    // A change of shape after the softmax stays.
    let mut shaped = Draft::rows(2);
    let sizes = shaped.wholes("sizes", &[2], vec![-1, 1]).unwrap();
    let column = shaped.node("column", Op::Reshape { zero: false }, &[Draft::INPUT, sizes]);
    let column = graph.clone().then(shaped.graph(column).unwrap()).unwrap();
    let without = without_final_softmax(&column).unwrap();
    assert_eq!((run(&without), without.nodes().len()), (run(&scores), 4));
    let early = cut(&graph, "n0").unwrap();
    assert_eq!((early.nodes().len(), early.weights().len(), early.inputs().len()), (1, 1, 1));
    assert_eq!(early.outputs()[0].0, "n0");
    let error = cut(&graph, "nO").unwrap_err().to_string();
    assert!(error.contains("nO"), "{error}");
}
