//! Operations as records, and back: the kind is the operation's word, the fields are its attributes by name.
//!
//! A field that no attribute has is refused, so that nothing a newer program said is overheard.

use super::record::{read_element, read_sizes, read_tensor, tensor_record};
use super::{Binary, Filling, Op, Padding, Pooling, Reduction, Resizing, Scatter, SoftPooling, Unary, Window};
use crate::{Record, Result};

/// Functions of one number that have no parameters, with their words.
const PLAIN: [(&str, Unary); 31] = [
    ("relu", Unary::Relu),
    ("softplus", Unary::Softplus),
    ("softsign", Unary::Softsign),
    ("sigmoid", Unary::Sigmoid),
    ("hard-swish", Unary::HardSwish),
    ("mish", Unary::Mish),
    ("tanh", Unary::Tanh),
    ("erf", Unary::Erf),
    ("exp", Unary::Exp),
    ("log", Unary::Log),
    ("sqrt", Unary::Sqrt),
    ("abs", Unary::Abs),
    ("neg", Unary::Neg),
    ("reciprocal", Unary::Reciprocal),
    ("floor", Unary::Floor),
    ("ceil", Unary::Ceil),
    ("round", Unary::Round),
    ("sign", Unary::Sign),
    ("sin", Unary::Sin),
    ("cos", Unary::Cos),
    ("tan", Unary::Tan),
    ("asin", Unary::Asin),
    ("acos", Unary::Acos),
    ("atan", Unary::Atan),
    ("sinh", Unary::Sinh),
    ("cosh", Unary::Cosh),
    ("identity", Unary::Identity),
    ("not", Unary::Not),
    ("is-nan", Unary::IsNan),
    ("is-inf", Unary::IsInf),
    ("gelu", Unary::Gelu(false)),
];

impl Op {
    /// The operation as plain data.
    pub(super) fn record(&self) -> Record {
        let record = Record::new(self.word(), 1);
        match self {
            Op::MatMul | Op::Where | Op::Clip | Op::Slice | Op::Expand | Op::Tile | Op::Range => record,
            Op::Dense { transposed } => record.with("transposed", *transposed),
            Op::Conv { window, groups } => record.with("window", window_record(window)).with("groups", *groups),
            Op::ConvTranspose { window, groups, extra } => {
                record.with("window", window_record(window)).with("groups", *groups).with("extra", sizes(extra))
            }
            Op::Distance { q } => record.with("q", *q),
            Op::Pool { pooling, window } => {
                let (word, p) = match pooling {
                    Pooling::Max => ("max", None),
                    Pooling::Average => ("average", None),
                    Pooling::AveragePadded => ("average-padded", None),
                    Pooling::Lp(p) => ("lp", Some(*p)),
                };
                record.with("pooling", word).with_some("p", p).with("window", window_record(window))
            }
            Op::SoftPool { pooling } => record.with("pooling", pooling.word()),
            Op::Reduce { reduction, axes, keep } => {
                record.with("reduction", reduction.word()).with("axes", axes.clone()).with("keep", *keep)
            }
            Op::ArgMax { axis, keep, last, smallest } => {
                record.with("axis", *axis).with("keep", *keep).with("last", *last).with("smallest", *smallest)
            }
            Op::TopK { axis, largest } => record.with("axis", *axis).with("largest", *largest),
            Op::BatchNorm { epsilon } => record.with("epsilon", *epsilon),
            Op::LayerNorm { axis, epsilon } => record.with("axis", *axis).with("epsilon", *epsilon),
            Op::GroupNorm { groups, epsilon } => record.with("groups", *groups).with("epsilon", *epsilon),
            Op::LocalResponse { size, alpha, beta, bias } => {
                record.with("size", *size).with("alpha", *alpha).with("beta", *beta).with("bias", *bias)
            }
            Op::Unary(unary) => with_unary(record, *unary),
            Op::Binary(binary) => record.with("function", binary.word()),
            Op::Softmax { axis, log } => record.with("axis", *axis).with("log", *log),
            Op::Concat { axis } | Op::Flatten { axis } | Op::Gather { axis } => record.with("axis", *axis),
            Op::GatherElements { axis } | Op::OneHot { axis } => record.with("axis", *axis),
            Op::Split { axis, sizes: parts } => record.with("axis", *axis).with("sizes", sizes(parts)),
            Op::Reshape { zero } => record.with("zero", *zero),
            Op::Squeeze { axes } | Op::Unsqueeze { axes } => record.with("axes", axes.clone()),
            Op::Transpose { order } => record.with("order", sizes(order)),
            Op::Pad { filling } => record.with("filling", filling.word()),
            Op::GatherNd { batch } => record.with("batch", *batch),
            Op::Scatter(Scatter::Elements { axis }) => record.with("scatter", "elements").with("axis", *axis),
            Op::Scatter(Scatter::Nd) => record.with("scatter", "nd"),
            Op::Resize { resizing, places, rounding, cubic, exclude, smooth } => record
                .with("resizing", resizing.word())
                .with("places", places.as_str())
                .with("rounding", rounding.as_str())
                .with("cubic", *cubic)
                .with("exclude", *exclude)
                .with("smooth", *smooth),
            Op::Shape { start, end } => record.with("start", *start).with_some("end", *end),
            Op::ConstantOfShape { value } => record.with("value", tensor_record(value)),
            Op::Cast { to } => record.with("to", to.word()),
            Op::CumSum { exclusive, reverse } => record.with("exclusive", *exclusive).with("reverse", *reverse),
            Op::Dropout { rate } => record.with("rate", *rate),
        }
    }

    /// The operation that a record speaks of.
    pub(super) fn read(record: &Record) -> Result<Self> {
        record.expect(record.kind(), 1)?;
        let op = read(record)?;
        match op.record().fields().keys().eq(record.fields().keys()) {
            true => Ok(op),
            false => Err(record.broken("has a field that this operation does not know")),
        }
    }
}

fn read(r: &Record) -> Result<Op> {
    Ok(match r.kind() {
        "mat-mul" => Op::MatMul,
        "where" => Op::Where,
        "clip" => Op::Clip,
        "slice" => Op::Slice,
        "expand" => Op::Expand,
        "tile" => Op::Tile,
        "range" => Op::Range,
        "dense" => Op::Dense { transposed: r.flag("transposed")? },
        "conv" => Op::Conv { window: read_window(r)?, groups: r.count("groups")? },
        "conv-transpose" => {
            Op::ConvTranspose { window: read_window(r)?, groups: r.count("groups")?, extra: read_sizes(r, "extra")? }
        }
        "distance" => Op::Distance { q: r.number("q")? },
        "pool" => Op::Pool { pooling: read_pooling(r)?, window: read_window(r)? },
        "soft-pool" => Op::SoftPool { pooling: word(r, "pooling", SoftPooling::from_word)? },
        "reduce" => Op::Reduce {
            reduction: word(r, "reduction", Reduction::from_word)?,
            axes: r.signed("axes")?.to_vec(),
            keep: r.flag("keep")?,
        },
        "arg-max" => Op::ArgMax {
            axis: r.whole("axis")?,
            keep: r.flag("keep")?,
            last: r.flag("last")?,
            smallest: r.flag("smallest")?,
        },
        "top-k" => Op::TopK { axis: r.whole("axis")?, largest: r.flag("largest")? },
        "batch-norm" => Op::BatchNorm { epsilon: r.number("epsilon")? },
        "layer-norm" => Op::LayerNorm { axis: r.whole("axis")?, epsilon: r.number("epsilon")? },
        "group-norm" => Op::GroupNorm { groups: r.count("groups")?, epsilon: r.number("epsilon")? },
        "local-response" => Op::LocalResponse {
            size: r.count("size")?,
            alpha: r.number("alpha")?,
            beta: r.number("beta")?,
            bias: r.number("bias")?,
        },
        "unary" => Op::Unary(read_unary(r)?),
        "binary" => Op::Binary(word(r, "function", Binary::from_word)?),
        "softmax" => Op::Softmax { axis: r.whole("axis")?, log: r.flag("log")? },
        "concat" => Op::Concat { axis: r.whole("axis")? },
        "flatten" => Op::Flatten { axis: r.whole("axis")? },
        "gather" => Op::Gather { axis: r.whole("axis")? },
        "gather-elements" => Op::GatherElements { axis: r.whole("axis")? },
        "one-hot" => Op::OneHot { axis: r.whole("axis")? },
        "split" => Op::Split { axis: r.whole("axis")?, sizes: read_sizes(r, "sizes")? },
        "reshape" => Op::Reshape { zero: r.flag("zero")? },
        "squeeze" => Op::Squeeze { axes: r.signed("axes")?.to_vec() },
        "unsqueeze" => Op::Unsqueeze { axes: r.signed("axes")?.to_vec() },
        "transpose" => Op::Transpose { order: read_sizes(r, "order")? },
        "pad" => Op::Pad { filling: word(r, "filling", Filling::from_word)? },
        "gather-nd" => Op::GatherNd { batch: r.count("batch")? },
        "scatter" => Op::Scatter(match r.text("scatter")? {
            "elements" => Scatter::Elements { axis: r.whole("axis")? },
            "nd" => Scatter::Nd,
            other => return Err(r.broken(format!("{other:?} is no way to scatter"))),
        }),
        "resize" => Op::Resize {
            resizing: word(r, "resizing", Resizing::from_word)?,
            places: r.text("places")?.into(),
            rounding: r.text("rounding")?.into(),
            cubic: r.number("cubic")?,
            exclude: r.flag("exclude")?,
            smooth: r.flag("smooth")?,
        },
        "shape" => {
            let end = if r.has("end") { Some(r.whole("end")?) } else { None };
            Op::Shape { start: r.whole("start")?, end }
        }
        "constant-of-shape" => Op::ConstantOfShape { value: read_tensor(r.part("value")?)? },
        "cast" => Op::Cast { to: read_element(r, "to")? },
        "cum-sum" => Op::CumSum { exclusive: r.flag("exclusive")?, reverse: r.flag("reverse")? },
        "dropout" => Op::Dropout { rate: r.number("rate")? },
        other => return Err(r.broken(format!("{other:?} is no operation"))),
    })
}

fn word<T>(record: &Record, name: &str, from: fn(&str) -> Option<T>) -> Result<T> {
    let word = record.text(name)?;
    from(word).ok_or_else(|| record.broken(format!("field {name:?} is {word:?}, which is no choice")))
}

fn sizes(list: &[usize]) -> Vec<u64> {
    list.iter().map(|&n| n as u64).collect()
}

fn with_unary(record: Record, unary: Unary) -> Record {
    let (word, first, second) = match unary {
        Unary::LeakyRelu(a) => ("leaky-relu", Some(a), None),
        Unary::ThresholdedRelu(a) => ("thresholded-relu", Some(a), None),
        Unary::Elu(a) => ("elu", Some(a), None),
        Unary::Celu(a) => ("celu", Some(a), None),
        Unary::Swish(a) => ("swish", Some(a), None),
        Unary::Selu(a, b) => ("selu", Some(a), Some(b)),
        Unary::HardSigmoid(a, b) => ("hard-sigmoid", Some(a), Some(b)),
        Unary::Gelu(true) => ("gelu-tanh", None, None),
        plain => {
            // Every function without parameters is in the list, which a test makes sure of.
            let word = PLAIN.iter().find(|(_, known)| *known == plain).map_or("", |(word, _)| word);
            (word, None, None)
        }
    };
    record.with("function", word).with_some("a", first).with_some("b", second)
}

fn read_unary(r: &Record) -> Result<Unary> {
    let (a, b) = (|| r.number("a"), || r.number("b"));
    Ok(match r.text("function")? {
        "leaky-relu" => Unary::LeakyRelu(a()?),
        "thresholded-relu" => Unary::ThresholdedRelu(a()?),
        "elu" => Unary::Elu(a()?),
        "celu" => Unary::Celu(a()?),
        "swish" => Unary::Swish(a()?),
        "selu" => Unary::Selu(a()?, b()?),
        "hard-sigmoid" => Unary::HardSigmoid(a()?, b()?),
        "gelu-tanh" => Unary::Gelu(true),
        other => match PLAIN.iter().find(|(word, _)| *word == other) {
            Some((_, unary)) => *unary,
            None => return Err(r.broken(format!("{other:?} is no function of one number"))),
        },
    })
}

fn read_pooling(r: &Record) -> Result<Pooling> {
    Ok(match r.text("pooling")? {
        "max" => Pooling::Max,
        "average" => Pooling::Average,
        "average-padded" => Pooling::AveragePadded,
        "lp" => Pooling::Lp(r.number("p")?),
        other => return Err(r.broken(format!("{other:?} is no pooling"))),
    })
}

fn window_record(window: &Window) -> Record {
    let record = Record::new("window", 1)
        .with("kernel", sizes(&window.kernel))
        .with("strides", sizes(&window.strides))
        .with("dilations", sizes(&window.dilations));
    match &window.padding {
        Padding::Explicit { begin, end, up } => {
            record.with("padding", "explicit").with("begin", sizes(begin)).with("end", sizes(end)).with("up", *up)
        }
        Padding::SameUpper => record.with("padding", "same-upper"),
        Padding::SameLower => record.with("padding", "same-lower"),
    }
}

fn read_window(op: &Record) -> Result<Window> {
    let r = op.part("window")?;
    r.expect("window", 1)?;
    let padding = match r.text("padding")? {
        "explicit" => {
            Padding::Explicit { begin: read_sizes(r, "begin")?, end: read_sizes(r, "end")?, up: r.flag("up")? }
        }
        "same-upper" => Padding::SameUpper,
        "same-lower" => Padding::SameLower,
        other => return Err(r.broken(format!("{other:?} is no padding"))),
    };
    let window = Window {
        kernel: read_sizes(r, "kernel")?,
        strides: read_sizes(r, "strides")?,
        dilations: read_sizes(r, "dilations")?,
        padding,
    };
    match window_record(&window).fields().keys().eq(r.fields().keys()) {
        true => Ok(window),
        false => Err(r.broken("has a field that a window does not know")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Element, Tensor};
    use super::*;

    fn unaries() -> Vec<Unary> {
        use Unary::*;
        let plain = [
            Relu,
            Gelu(false),
            Gelu(true),
            Softplus,
            Softsign,
            Sigmoid,
            HardSwish,
            Mish,
            Tanh,
            Erf,
            Exp,
            Log,
            Sqrt,
            Abs,
            Neg,
            Reciprocal,
            Floor,
            Ceil,
            Round,
            Sign,
            Sin,
            Cos,
            Tan,
            Asin,
            Acos,
            Atan,
            Sinh,
            Cosh,
            Identity,
            Not,
            IsNan,
            IsInf,
        ];
        let with = [LeakyRelu(0.1), ThresholdedRelu(1.0), Elu(0.5), Selu(1.6, 1.05), Celu(2.0), HardSigmoid(0.2, 0.5)];
        // A new function has to be added here, to the list above and to the words.
        let known = |u: &Unary| match u {
            Relu | LeakyRelu(_) | ThresholdedRelu(_) | Elu(_) | Selu(..) | Celu(_) | Gelu(_) | Softplus | Softsign => {}
            Sigmoid | HardSigmoid(..) | HardSwish | Swish(_) | Mish | Tanh | Erf | Exp | Log | Sqrt | Abs | Neg => {}
            Reciprocal | Floor | Ceil | Round | Sign | Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh => {}
            Identity | Not | IsNan | IsInf => {}
        };
        let all = [&plain[..], &with[..], &[Swish(1.5)]].concat();
        all.iter().for_each(known);
        assert_eq!(all.len(), PLAIN.len() + 8, "one for each plain function, seven with parameters, gelu by tanh");
        all
    }

    fn all() -> Vec<Op> {
        let window = Window::new([3, 2]).strides([2, 1]).pads([1, 0]);
        let same = |padding| Window { padding, ..window.clone() };
        let mut ops = vec![
            Op::Dense { transposed: true },
            Op::MatMul,
            Op::Conv { window: window.clone(), groups: 2 },
            Op::ConvTranspose { window: same(Padding::SameUpper), groups: 1, extra: vec![1, 0] },
            Op::Distance { q: 1.5 },
            Op::Pool { pooling: Pooling::Max, window: window.clone() },
            Op::Pool { pooling: Pooling::Average, window: same(Padding::SameLower) },
            Op::Pool { pooling: Pooling::AveragePadded, window: window.clone() },
            Op::Pool { pooling: Pooling::Lp(3.0), window: window.clone() },
            Op::ArgMax { axis: -1, keep: true, last: false, smallest: true },
            Op::TopK { axis: 1, largest: false },
            Op::BatchNorm { epsilon: 1e-5 },
            Op::LayerNorm { axis: -1, epsilon: 1e-6 },
            Op::GroupNorm { groups: 4, epsilon: 1e-5 },
            Op::LocalResponse { size: 5, alpha: 1e-4, beta: 0.75, bias: 1.0 },
            Op::Where,
            Op::Clip,
            Op::Softmax { axis: 1, log: true },
            Op::Concat { axis: 1 },
            Op::Split { axis: 0, sizes: vec![1, 2] },
            Op::Reshape { zero: true },
            Op::Flatten { axis: 2 },
            Op::Squeeze { axes: vec![0, -1] },
            Op::Unsqueeze { axes: vec![] },
            Op::Transpose { order: vec![1, 0] },
            Op::Slice,
            Op::Gather { axis: -2 },
            Op::GatherElements { axis: 3 },
            Op::GatherNd { batch: 1 },
            Op::Scatter(Scatter::Elements { axis: 1 }),
            Op::Scatter(Scatter::Nd),
            Op::Expand,
            Op::Tile,
            Op::Shape { start: 0, end: None },
            Op::Shape { start: -2, end: Some(3) },
            Op::ConstantOfShape { value: Tensor::i64([1], vec![-7]).unwrap() },
            Op::Range,
            Op::OneHot { axis: -1 },
            Op::CumSum { exclusive: true, reverse: false },
            Op::Dropout { rate: 0.5 },
        ];
        let reductions = ["sum", "mean", "max", "min", "product", "l1", "l2", "sum-square", "log-sum", "log-sum-exp"];
        ops.extend(reductions.map(|w| Op::Reduce {
            reduction: Reduction::from_word(w).unwrap(),
            axes: vec![-1, 0],
            keep: false,
        }));
        ops.extend(["add", "prelu", "xor"].map(|w| Op::Binary(Binary::from_word(w).unwrap())));
        ops.extend(["f32", "f64", "i64", "bool"].map(|w| Op::Cast { to: Element::from_word(w).unwrap() }));
        ops.extend(
            ["constant", "reflect", "edge", "wrap"].map(|w| Op::Pad { filling: Filling::from_word(w).unwrap() }),
        );
        let soft = ["min-log-sum-exp", "max-log-sum-exp", "harmonic"];
        ops.extend(soft.map(|w| Op::SoftPool { pooling: SoftPooling::from_word(w).unwrap() }));
        ops.extend(["nearest", "linear", "cubic"].map(|w| Op::Resize {
            resizing: Resizing::from_word(w).unwrap(),
            places: "half_pixel".into(),
            rounding: "floor".into(),
            cubic: -0.5,
            exclude: true,
            smooth: false,
        }));
        ops.extend(unaries().into_iter().map(Op::Unary));
        ops
    }

    #[test]
    fn every_operation_comes_back() {
        let mut kinds = std::collections::BTreeSet::new();
        for op in all() {
            let record = op.record();
            kinds.insert(op.word());
            assert_eq!(Op::read(&record), Ok(op.clone()));
            assert!(Op::read(&record.clone().with("zeal", 1.0)).is_err(), "{op:?} overhears a field");
            for name in record.fields().keys().filter(|n| *n != "end") {
                let fields = record.fields().iter().filter(|(other, _)| *other != name);
                let less = fields.fold(Record::new(record.kind(), 1), |r, (n, f)| r.with(n, f.clone()));
                assert!(Op::read(&less).is_err(), "{op:?} does without {name:?}");
            }
        }
        assert_eq!(kinds.len(), 42, "every kind of operation is tried");
    }
}
