//! Random networks in double precision: dense, convolutional, pooled, residual, concatenated, and the blocks of published
//! architectures: VGG, ResNet, Inception, DenseNet, NASNet.

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

    /// A normalisation of channels with statistics of its own.
    pub fn norm(&mut self, x: Source, channels: usize) -> Source {
        self.count += 1;
        let (scale, shift, mean) =
            (self.weight(&[channels], 0.4), self.weight(&[channels], 0.3), self.weight(&[channels], 0.3));
        let variance = self.draw.tensor(&[channels], 0.5).to_f64().iter().map(|v| 0.5 + v * v).collect();
        let variance = self.draft.trained(&format!("v {}", self.count), Tensor::f64([channels], variance).unwrap());
        self.node(Op::BatchNorm { epsilon: 1e-5 }, &[x, scale, shift, mean, variance])
    }

    /// A convolution of each channel by itself, and one that mixes them.
    pub fn separable(&mut self, x: Source, into: usize, out: usize) -> Source {
        let each = self.conv(x, (into, into), 3, 1, into);
        self.conv(each, (into, out), 1, 0, 1)
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

/// Small networks of the blocks that published architectures are made of, with the shapes of a row.
pub fn architectures(seed: u64) -> Vec<(&'static str, Graph, Vec<usize>)> {
    let shape = || vec![2, 8, 8];
    let mut list = vec![];
    let mut end = |word: &'static str, mut n: Net, mut y: Source, channels: usize| {
        // The mean of each channel, then a dense layer, as all of them but VGG end.
        y = n.node(Op::Reduce { reduction: Reduction::Mean, axes: vec![2, 3], keep: false }, &[y]);
        y = n.dense(y, channels, 3);
        list.push((word, n.draft.graph(y).unwrap(), shape()));
    };

    // VGG: pairs of convolutions, a maximum after each, two dense layers.
    let (mut n, x) = Net::new(&shape(), seed);
    let mut y = x;
    for (into, out) in [(2, 3), (3, 4)] {
        y = n.conv(y, (into, out), 3, 1, 1);
        y = n.relu(y);
        y = n.conv(y, (out, out), 3, 1, 1);
        y = n.relu(y);
        y = n.pool(y, Pooling::Max);
    }
    y = n.flat(y);
    y = n.dense(y, 16, 8);
    y = n.relu(y);
    y = n.dense(y, 8, 3);
    let vgg = ("vgg", n.draft.graph(y).unwrap(), shape());

    // ResNet: normalised blocks around which the input goes, one of them through a convolution of its own.
    let (mut n, x) = Net::new(&shape(), seed + 1);
    let mut y = n.conv(x, (2, 4), 3, 1, 1);
    y = n.norm(y, 4);
    y = n.relu(y);
    for project in [false, true] {
        let mut z = n.conv(y, (4, 4), 3, 1, 1);
        z = n.norm(z, 4);
        z = n.relu(z);
        z = n.conv(z, (4, 4), 3, 1, 1);
        z = n.norm(z, 4);
        if project {
            y = n.conv(y, (4, 4), 1, 0, 1);
        }
        y = n.node(Op::Binary(Binary::Add), &[y, z]);
        y = n.relu(y);
    }
    end("resnet", n, y, 4);

    // Inception: windows of several sizes and a pooled branch side by side.
    let (mut n, x) = Net::new(&shape(), seed + 2);
    let (a, b) = (n.conv(x, (2, 2), 1, 0, 1), n.conv(x, (2, 2), 3, 1, 1));
    let c = n.conv(x, (2, 2), 1, 0, 1);
    let c = n.relu(c);
    let c = n.conv(c, (2, 2), 5, 2, 1);
    let window = Window::new([3, 3]).pads([1, 1]);
    let d = n.node(Op::Pool { pooling: Pooling::Average, window }, &[x]);
    let d = n.conv(d, (2, 2), 1, 0, 1);
    let mut y = n.node(Op::Concat { axis: 1 }, &[a, b, c, d]);
    y = n.relu(y);
    end("inception", n, y, 8);

    // DenseNet: every layer sees all before it, normalised first.
    let (mut n, x) = Net::new(&shape(), seed + 3);
    let (mut y, mut channels) = (x, 2);
    for _ in 0..3 {
        let mut z = n.norm(y, channels);
        z = n.relu(z);
        z = n.conv(z, (channels, 3), 3, 1, 1);
        y = n.node(Op::Concat { axis: 1 }, &[y, z]);
        channels += 3;
    }
    y = n.relu(y);
    end("densenet", n, y, channels);

    // NASNet: cells of separable convolutions and averages, added in pairs and joined.
    let (mut n, x) = Net::new(&shape(), seed + 4);
    let stem = n.conv(x, (2, 3), 3, 1, 1);
    let stem = n.norm(stem, 3);
    let h = n.relu(stem);
    let (one, two) = (n.separable(h, 3, 3), n.separable(h, 3, 3));
    let left = n.node(Op::Binary(Binary::Add), &[one, two]);
    let window = Window::new([3, 3]).pads([1, 1]);
    let mean = n.node(Op::Pool { pooling: Pooling::Average, window }, &[h]);
    let right = n.node(Op::Binary(Binary::Add), &[mean, stem]);
    let mut y = n.node(Op::Concat { axis: 1 }, &[left, right]);
    y = n.relu(y);
    end("nasnet", n, y, 6);
    list.push(vgg);
    list
}
