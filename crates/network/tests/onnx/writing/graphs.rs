//! Graphs that together have every operation.

use base::graph::{
    Binary, Element, Filling, Graph, GraphInput, Node, Op, Padding, Pooling, Reduction, Resizing, Scatter, SoftPooling,
    Source, Tensor, Unary, Weight, Window,
};

/// A graph being put together; every node's outputs are outputs of the graph.
struct Maker {
    inputs: Vec<GraphInput>,
    weights: Vec<Weight>,
    nodes: Vec<Node>,
    element: Element,
}

impl Maker {
    fn new(element: Element, shape: &[Option<usize>]) -> Self {
        let input = GraphInput { name: "x".into(), element, shape: shape.to_vec() };
        Maker { inputs: vec![input], weights: vec![], nodes: vec![], element }
    }

    const X: Source = Source::Input(0);

    fn weight(&mut self, tensor: Tensor) -> Source {
        self.weights.push(Weight { name: format!("w{}", self.weights.len()), tensor, trained: false });
        Source::Weight(self.weights.len() - 1)
    }

    /// Real numbers that differ from each other.
    fn real(&mut self, shape: &[usize]) -> Source {
        let n = shape.iter().product::<usize>();
        let values = (0..n).map(|i| 0.2 + (i * 53 % 97) as f64 / 160.0);
        self.weight(match self.element {
            Element::F64 => Tensor::f64(shape, values.collect()).unwrap(),
            _ => Tensor::f32(shape, values.map(|v| v as f32).collect()).unwrap(),
        })
    }

    fn wholes(&mut self, values: &[i64]) -> Source {
        self.weight(Tensor::i64([values.len()], values.to_vec()).unwrap())
    }

    fn one(&mut self, value: i64) -> Source {
        self.weight(Tensor::i64([], vec![value]).unwrap())
    }

    fn add(&mut self, op: Op, inputs: &[Source]) -> Source {
        self.many(op, inputs, 1)
    }

    fn many(&mut self, op: Op, inputs: &[Source], outputs: usize) -> Source {
        self.optional(op, inputs.iter().map(|&s| Some(s)).collect(), outputs)
    }

    fn optional(&mut self, op: Op, inputs: Vec<Option<Source>>, outputs: usize) -> Source {
        let i = self.nodes.len();
        self.nodes.push(Node { name: format!("{}{i}", op.word()), op, inputs, outputs });
        Source::Node(i, 0)
    }

    fn done(self) -> Graph {
        let ports = |(i, n): (usize, &Node)| (0..n.outputs).map(move |p| (i, p));
        let all = self.nodes.iter().enumerate().flat_map(ports);
        let outputs = all.map(|(i, p)| (format!("out{i}_{p}"), Source::Node(i, p))).collect();
        Graph::new(self.inputs, self.weights, self.nodes, outputs).unwrap()
    }
}

pub fn graphs() -> Vec<(String, Graph)> {
    let mut list = vec![];
    for element in [Element::F32, Element::F64] {
        let name = |what: &str| format!("{what}_{}", element.word());
        list.push((name("perceptron"), perceptron(element)));
        list.push((name("prototypes"), prototypes(element)));
        list.push((name("shapes"), shapes(element)));
        list.push((name("binary"), binary(element)));
    }
    list.push(("pictures".into(), pictures()));
    list.push(("unary".into(), unary()));
    list.push(("places".into(), places()));
    list.push(("logic".into(), logic()));
    list
}

fn perceptron(element: Element) -> Graph {
    let mut m = Maker::new(element, &[None, Some(4)]);
    let (w, b, v) = (m.real(&[4, 6]), m.real(&[6]), m.real(&[3, 6]));
    let hidden = m.add(Op::Dense { transposed: false }, &[Maker::X, w, b]);
    let hidden = m.add(Op::Unary(Unary::Relu), &[hidden]);
    let hidden = m.add(Op::Dropout { rate: 0.25 }, &[hidden]);
    let scores = m.add(Op::Dense { transposed: true }, &[hidden, v]);
    m.add(Op::Softmax { axis: 1, log: false }, &[scores]);
    m.add(Op::Softmax { axis: -1, log: true }, &[scores]);
    let product = m.real(&[6, 2]);
    m.add(Op::MatMul, &[hidden, product]);
    let (scale, bias) = (m.real(&[6]), m.real(&[6]));
    m.add(Op::LayerNorm { axis: -1, epsilon: 1e-5 }, &[hidden, scale, bias]);
    m.done()
}

fn prototypes(element: Element) -> Graph {
    let mut m = Maker::new(element, &[None, Some(3)]);
    let centres = m.real(&[5, 3]);
    for q in [1.0, 2.0, 1.5, 3.0] {
        let distances = m.add(Op::Distance { q }, &[Maker::X, centres]);
        for pooling in [SoftPooling::MinLogSumExp, SoftPooling::MaxLogSumExp, SoftPooling::Harmonic] {
            m.add(Op::SoftPool { pooling }, &[distances]);
        }
    }
    m.add(Op::Unary(Unary::Swish(1.5)), &[Maker::X]);
    m.done()
}

fn pictures() -> Graph {
    let mut m = Maker::new(Element::F32, &[None, Some(4), Some(9), Some(8)]);
    let (w, b, v) = (m.real(&[6, 2, 3, 2]), m.real(&[6]), m.real(&[6, 1, 3, 3]));
    let padding = Padding::Explicit { begin: vec![1, 0], end: vec![2, 1], up: false };
    let window = Window { kernel: vec![3, 2], strides: vec![2, 1], dilations: vec![1, 2], padding };
    let y = m.add(Op::Conv { window, groups: 2 }, &[Maker::X, w, b]);
    for padding in [Padding::SameUpper, Padding::SameLower] {
        let window = Window { padding, ..Window::new([3, 3]).strides([2, 2]) };
        m.add(Op::Conv { window, groups: 6 }, &[y, v]);
    }
    let t = m.real(&[6, 2, 3, 3]);
    let window = Window::new([3, 3]).strides([2, 2]).pads([1, 1]);
    m.add(Op::ConvTranspose { window, groups: 2, extra: vec![1, 0] }, &[y, t]);
    let up = Padding::Explicit { begin: vec![1, 1], end: vec![0, 1], up: true };
    let window = Window { padding: up, ..Window::new([3, 3]).strides([2, 2]) };
    for pooling in [Pooling::Max, Pooling::Average, Pooling::AveragePadded] {
        m.add(Op::Pool { pooling, window: window.clone() }, &[y]);
    }
    m.add(Op::Pool { pooling: Pooling::Lp(2.0), window: Window::new([2, 2]) }, &[y]);
    let parameters: Vec<Source> = (0..4).map(|_| m.real(&[6])).collect();
    m.add(Op::BatchNorm { epsilon: 1e-3 }, &[&[y], &parameters[..]].concat());
    m.add(Op::GroupNorm { groups: 3, epsilon: 1e-3 }, &[y, parameters[0], parameters[1]]);
    m.add(Op::GroupNorm { groups: 0, epsilon: 1e-3 }, &[y, parameters[0], parameters[1]]);
    m.add(Op::LocalResponse { size: 3, alpha: 1e-2, beta: 0.75, bias: 1.0 }, &[y]);
    let scales = m.weight(Tensor::f32([4], vec![1.0, 1.0, 2.0, 1.5]).unwrap());
    for (resizing, places, rounding) in [
        (Resizing::Nearest, "asymmetric", "floor"),
        (Resizing::Linear, "half_pixel", "round_prefer_floor"),
        (Resizing::Linear, "align_corners", "round_prefer_floor"),
        (Resizing::Cubic, "half_pixel", "round_prefer_floor"),
    ] {
        let (places, rounding) = (places.to_string(), rounding.to_string());
        let op = Op::Resize { resizing, places, rounding, cubic: -0.75, exclude: false, smooth: false };
        m.optional(op, vec![Some(Maker::X), None, Some(scales)], 1);
    }
    m.add(Op::Flatten { axis: 2 }, &[y]);
    m.done()
}

fn unary() -> Graph {
    let mut m = Maker::new(Element::F32, &[None, Some(7)]);
    let half = m.weight(Tensor::f32([1], vec![0.55]).unwrap());
    // Both signs, but inside (−1, 1).
    let x = m.add(Op::Binary(Binary::Sub), &[Maker::X, half]);
    for unary in [
        Unary::Relu,
        Unary::LeakyRelu(0.1),
        Unary::ThresholdedRelu(0.2),
        Unary::Elu(0.7),
        Unary::Selu(1.5, 1.1),
        Unary::Celu(0.8),
        Unary::Gelu(false),
        Unary::Gelu(true),
        Unary::Softplus,
        Unary::Softsign,
        Unary::Sigmoid,
        Unary::HardSigmoid(0.3, 0.4),
        Unary::HardSwish,
        Unary::Swish(1.0),
        Unary::Mish,
        Unary::Tanh,
        Unary::Erf,
        Unary::Exp,
        Unary::Abs,
        Unary::Neg,
        Unary::Floor,
        Unary::Ceil,
        Unary::Round,
        Unary::Sign,
        Unary::Sin,
        Unary::Cos,
        Unary::Tan,
        Unary::Asin,
        Unary::Acos,
        Unary::Atan,
        Unary::Sinh,
        Unary::Cosh,
        Unary::Identity,
        Unary::IsNan,
        Unary::IsInf,
    ] {
        m.add(Op::Unary(unary), &[x]);
    }
    for unary in [Unary::Log, Unary::Sqrt, Unary::Reciprocal] {
        m.add(Op::Unary(unary), &[Maker::X]);
    }
    m.done()
}

fn binary(element: Element) -> Graph {
    let mut m = Maker::new(element, &[None, Some(4)]);
    let w = m.real(&[4]);
    for binary in [
        Binary::Add,
        Binary::Sub,
        Binary::Mul,
        Binary::Div,
        Binary::Pow,
        Binary::Mod,
        Binary::Fmod,
        Binary::Max,
        Binary::Min,
        Binary::Less,
        Binary::LessOrEqual,
        Binary::Greater,
        Binary::GreaterOrEqual,
        Binary::Equal,
    ] {
        m.add(Op::Binary(binary), &[Maker::X, w]);
    }
    let negative = m.add(Op::Unary(Unary::Neg), &[Maker::X]);
    m.add(Op::Binary(Binary::Prelu), &[negative, w]);
    let (low, high) = match element {
        Element::F64 => (m.weight(Tensor::f64([1], vec![0.3]).unwrap()), m.weight(Tensor::f64([], vec![0.6]).unwrap())),
        _ => (m.weight(Tensor::f32([1], vec![0.3]).unwrap()), m.weight(Tensor::f32([], vec![0.6]).unwrap())),
    };
    m.add(Op::Clip, &[Maker::X, low, high]);
    m.optional(Op::Clip, vec![Some(Maker::X), None, Some(high)], 1);
    let above = m.add(Op::Binary(Binary::Greater), &[Maker::X, w]);
    m.add(Op::Where, &[above, Maker::X, w]);
    m.done()
}

fn shapes(element: Element) -> Graph {
    let mut m = Maker::new(element, &[None, Some(4), Some(6)]);
    let x = Maker::X;
    use Reduction::{L1, L2, LogSum, LogSumExp, Max, Mean, Min, Product, Sum, SumSquare};
    for reduction in [Sum, Mean, Max, Min, Product, L1, L2, SumSquare, LogSum, LogSumExp] {
        m.add(Op::Reduce { reduction, axes: vec![1, -1], keep: true }, &[x]);
        m.add(Op::Reduce { reduction, axes: vec![], keep: false }, &[x]);
    }
    m.add(Op::Concat { axis: 1 }, &[x, x]);
    m.many(Op::Split { axis: 2, sizes: vec![2, 4] }, &[x], 2);
    m.many(Op::Split { axis: 2, sizes: vec![] }, &[x], 3);
    let shape = m.wholes(&[-1, 8, 3]);
    m.add(Op::Reshape { zero: false }, &[x, shape]);
    let wide = m.add(Op::Unsqueeze { axes: vec![1, -1] }, &[x]);
    m.add(Op::Squeeze { axes: vec![1] }, &[wide]);
    m.add(Op::Squeeze { axes: vec![] }, &[wide]);
    m.add(Op::Transpose { order: vec![2, 0, 1] }, &[x]);
    m.add(Op::Transpose { order: vec![] }, &[x]);
    let pads = m.wholes(&[0, 1, 2, 0, 2, 1]);
    for filling in [Filling::Constant, Filling::Reflect, Filling::Edge, Filling::Wrap] {
        m.add(Op::Pad { filling }, &[x, pads]);
    }
    let (starts, ends, axes, steps) = (m.wholes(&[3, 1]), m.wholes(&[-5, 6]), m.wholes(&[1, 2]), m.wholes(&[-1, 2]));
    m.add(Op::Slice, &[x, starts, ends, axes, steps]);
    let shape = m.wholes(&[2, 1, 4, 6]);
    let first = m.wholes(&[0]);
    let row = m.add(Op::Gather { axis: 0 }, &[x, first]);
    m.add(Op::Expand, &[row, shape]);
    let repeats = m.wholes(&[1, 2, 1]);
    m.add(Op::Tile, &[x, repeats]);
    let sizes = m.add(Op::Shape { start: 0, end: None }, &[x]);
    m.add(Op::Shape { start: 1, end: Some(2) }, &[x]);
    let value = Tensor::f64([1], vec![2.5]).unwrap();
    m.add(Op::ConstantOfShape { value }, &[sizes]);
    for to in [Element::F32, Element::F64, Element::I64, Element::Bool] {
        m.add(Op::Cast { to }, &[x]);
    }
    let axis = m.one(2);
    m.add(Op::CumSum { exclusive: true, reverse: false }, &[x, axis]);
    m.add(Op::CumSum { exclusive: false, reverse: true }, &[x, axis]);
    m.done()
}

fn places() -> Graph {
    let mut m = Maker::new(Element::F32, &[None, Some(4), Some(6)]);
    let x = Maker::X;
    for (last, smallest) in [(false, false), (true, true)] {
        m.add(Op::ArgMax { axis: 2, keep: smallest, last, smallest }, &[x]);
    }
    let k = m.wholes(&[3]);
    m.many(Op::TopK { axis: 2, largest: true }, &[x, k], 2);
    m.many(Op::TopK { axis: 1, largest: false }, &[x, k], 2);
    let indices = m.weight(Tensor::i64([2, 2], vec![0, 3, -1, 1]).unwrap());
    m.add(Op::Gather { axis: 1 }, &[x, indices]);
    let one = m.weight(Tensor::i64([1, 4, 2], vec![0, 5, 1, 4, 2, 3, -1, 0]).unwrap());
    m.add(Op::GatherElements { axis: 2 }, &[x, one]);
    let pairs = m.weight(Tensor::i64([2, 2], vec![0, 3, 1, 1]).unwrap());
    m.add(Op::GatherNd { batch: 0 }, &[x, pairs]);
    let updates = m.real(&[1, 4, 2]);
    m.add(Op::Scatter(Scatter::Elements { axis: 2 }), &[x, one, updates]);
    let rows = m.real(&[2, 6]);
    m.add(Op::Scatter(Scatter::Nd), &[x, pairs, rows]);
    let (start, limit, step) = (m.one(2), m.one(11), m.one(3));
    let range = m.add(Op::Range, &[start, limit, step]);
    let depth = m.one(9);
    let values = m.weight(Tensor::f32([2], vec![-1.0, 2.0]).unwrap());
    m.add(Op::OneHot { axis: -1 }, &[range, depth, values]);
    m.add(Op::OneHot { axis: 0 }, &[range, depth, values]);
    m.done()
}

fn logic() -> Graph {
    let mut m = Maker::new(Element::Bool, &[None, Some(5)]);
    let w = m.weight(Tensor::bool([5], vec![true, false, true, true, false]).unwrap());
    for binary in [Binary::And, Binary::Or, Binary::Xor, Binary::Equal] {
        m.add(Op::Binary(binary), &[Maker::X, w]);
    }
    m.add(Op::Unary(Unary::Not), &[Maker::X]);
    let numbers = m.add(Op::Cast { to: Element::I64 }, &[Maker::X]);
    let three = m.wholes(&[3, -2, 5, 7, -4]);
    let sum = m.add(Op::Binary(Binary::Add), &[numbers, three]);
    for binary in [Binary::Mod, Binary::Fmod, Binary::Div, Binary::Max, Binary::Mul, Binary::Sub] {
        m.add(Op::Binary(binary), &[sum, three]);
    }
    m.done()
}
