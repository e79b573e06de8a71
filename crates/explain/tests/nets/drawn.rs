//! Drawn networks in double precision: dense, convolutional, pooled, residual, concatenated.

use base::graph::*;
use base::{Seed, normal};

/// A stream of drawn numbers.
pub struct Draw(Seed, usize);

impl Draw {
    pub fn new(seed: u64) -> Self {
        Draw(Seed(seed).fork("explained networks"), 0)
    }

    pub fn tensor(&mut self, shape: &[usize], size: f64) -> Tensor {
        self.1 += 1;
        let mut stream = self.0.at(self.1).stream();
        Tensor::f64(shape, (0..shape.iter().product()).map(|_| size * normal(&mut stream)).collect()).unwrap()
    }
}

/// A network that is put together.
pub struct Net {
    pub draft: Draft,
    pub draw: Draw,
    count: usize,
}

impl Net {
    pub fn new(shape: &[usize], seed: u64) -> (Self, Source) {
        let mut draft = Draft::default();
        let sizes = std::iter::once(None).chain(shape.iter().map(|n| Some(*n))).collect();
        let x = draft.input("x", Element::F64, sizes);
        (Net { draft, draw: Draw::new(seed), count: 0 }, x)
    }

    pub fn node(&mut self, op: Op, inputs: &[Source]) -> Source {
        self.count += 1;
        self.draft.node(&format!("{} {}", op.word(), self.count), op, inputs)
    }

    fn weight(&mut self, shape: &[usize], size: f64) -> Source {
        self.count += 1;
        let tensor = self.draw.tensor(shape, size);
        self.draft.trained(&format!("w {}", self.count), tensor)
    }

    pub fn dense(&mut self, x: Source, into: usize, out: usize) -> Source {
        let (w, b) = (self.weight(&[into, out], 0.6), self.weight(&[out], 0.3));
        self.node(Op::Dense { transposed: false }, &[x, w, b])
    }

    /// A convolution of channels with a window of `size`, padded by `pad`.
    pub fn conv(&mut self, x: Source, (into, out): (usize, usize), size: usize, pad: usize, groups: usize) -> Source {
        let (w, b) = (self.weight(&[out, into / groups, size, size], 0.5), self.weight(&[out], 0.3));
        let window = Window::new([size, size]).pads([pad, pad]);
        self.node(Op::Conv { window, groups }, &[x, w, b])
    }

    pub fn relu(&mut self, x: Source) -> Source {
        self.node(Op::Unary(Unary::Relu), &[x])
    }

    pub fn pool(&mut self, x: Source, pooling: Pooling) -> Source {
        self.node(Op::Pool { pooling, window: Window::new([2, 2]).strides([2, 2]) }, &[x])
    }

    pub fn flat(&mut self, x: Source) -> Source {
        self.node(Op::Flatten { axis: 1 }, &[x])
    }
}

/// A network of pictures of 8 x 8 pixels with two channels up to its scores: two convolutions with a maximum between.
pub fn pictured(seed: u64, classes: usize) -> (Net, Source) {
    let (mut n, x) = Net::new(&[2, 8, 8], seed);
    let mut y = n.conv(x, (2, 4), 3, 1, 1);
    y = n.relu(y);
    y = n.pool(y, Pooling::Max);
    y = n.conv(y, (4, 4), 3, 1, 1);
    y = n.relu(y);
    y = n.flat(y);
    y = n.dense(y, 64, classes);
    (n, y)
}

/// The networks, with the shapes of a row.
pub fn all(seed: u64) -> Vec<(&'static str, Graph, Vec<usize>)> {
    let mut list = vec![];
    let (mut n, x) = Net::new(&[5], seed);
    let mut y = n.dense(x, 5, 8);
    y = n.relu(y);
    y = n.dense(y, 8, 6);
    y = n.relu(y);
    y = n.dense(y, 6, 3);
    list.push(("dense", n.draft.graph(y).unwrap(), vec![5]));

    let (mut n, x) = Net::new(&[2, 6, 6], seed + 1);
    let mut y = n.conv(x, (2, 4), 3, 1, 1);
    y = n.relu(y);
    y = n.conv(y, (4, 4), 3, 0, 2);
    y = n.relu(y);
    y = n.flat(y);
    y = n.dense(y, 64, 3);
    list.push(("convolutional", n.draft.graph(y).unwrap(), vec![2, 6, 6]));

    for (word, pooling) in [("max pooled", Pooling::Max), ("average pooled", Pooling::Average)] {
        let (mut n, x) = Net::new(&[2, 6, 6], seed + 2);
        let mut y = n.conv(x, (2, 4), 3, 1, 1);
        y = n.relu(y);
        y = n.pool(y, pooling);
        y = n.conv(y, (4, 3), 3, 1, 1);
        y = n.relu(y);
        y = n.flat(y);
        y = n.dense(y, 27, 3);
        list.push((word, n.draft.graph(y).unwrap(), vec![2, 6, 6]));
    }

    let (mut n, x) = Net::new(&[2, 4, 4], seed + 3);
    let mut y = n.conv(x, (2, 3), 3, 1, 1);
    y = n.relu(y);
    let around = n.conv(y, (3, 3), 3, 1, 1);
    y = n.node(Op::Binary(Binary::Add), &[y, around]);
    y = n.relu(y);
    y = n.flat(y);
    y = n.dense(y, 48, 3);
    list.push(("residual", n.draft.graph(y).unwrap(), vec![2, 4, 4]));

    let (mut n, x) = Net::new(&[2, 4, 4], seed + 4);
    let a = n.conv(x, (2, 3), 3, 1, 1);
    let a = n.relu(a);
    let b = n.conv(x, (2, 2), 1, 0, 1);
    let b = n.relu(b);
    let mut y = n.node(Op::Concat { axis: 1 }, &[a, b]);
    y = n.conv(y, (5, 2), 2, 0, 1);
    y = n.relu(y);
    y = n.flat(y);
    y = n.dense(y, 18, 3);
    list.push(("concatenated", n.draft.graph(y).unwrap(), vec![2, 4, 4]));
    list
}
