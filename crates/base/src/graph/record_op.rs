//! Attributes of operations as fields of records, and back: a way for each type of attribute. Which attributes an operation
//! has is told in `table.rs`.

use super::record::{read_element, read_sizes, read_tensor, tensor_record};
use super::{
    Binary, Element, Filling, Padding, Pooling, Reduction, Resizing, Scatter, SoftPooling, Tensor, Unary, Window,
};
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

/// An attribute of an operation as a field of its record, or as a few.
pub(super) trait Attribute: Sized {
    /// Adds it to a record under that name.
    fn write(&self, record: Record, name: &str) -> Record;
    /// Reads it again.
    fn read(record: &Record, name: &str) -> Result<Self>;
}

/// Attributes that are one field: what is written, and how it is read.
macro_rules! attributes {
    ($($type:ty: $value:ident => $written:expr, $record:ident, $name:ident => $read:expr;)+) => {
        $(impl Attribute for $type {
            fn write(&self, record: Record, name: &str) -> Record {
                let $value = self;
                record.with(name, $written)
            }

            fn read($record: &Record, $name: &str) -> Result<Self> {
                $read
            }
        })+
    };
}

attributes! {
    bool: x => *x, r, name => r.flag(name);
    f64: x => *x, r, name => r.number(name);
    i64: x => *x, r, name => r.whole(name);
    usize: x => *x, r, name => r.count(name);
    String: x => x.as_str(), r, name => Ok(r.text(name)?.into());
    Vec<i64>: x => x.clone(), r, name => Ok(r.signed(name)?.to_vec());
    Vec<usize>: x => sizes(x), r, name => read_sizes(r, name);
    Tensor: x => tensor_record(x), r, name => read_tensor(r.part(name)?);
    Window: x => window_record(x), r, name => read_window(r.part(name)?);
    Element: x => x.word(), r, name => read_element(r, name);
    SoftPooling: x => x.word(), r, name => word(r, name, SoftPooling::from_word);
    Reduction: x => x.word(), r, name => word(r, name, Reduction::from_word);
    Binary: x => x.word(), r, name => word(r, name, Binary::from_word);
    Filling: x => x.word(), r, name => word(r, name, Filling::from_word);
    Resizing: x => x.word(), r, name => word(r, name, Resizing::from_word);
}

impl Attribute for Option<i64> {
    fn write(&self, record: Record, name: &str) -> Record {
        record.with_some(name, *self)
    }

    fn read(record: &Record, name: &str) -> Result<Self> {
        if record.has(name) { record.whole(name).map(Some) } else { Ok(None) }
    }
}

impl Attribute for Pooling {
    fn write(&self, record: Record, name: &str) -> Record {
        let (word, p) = match self {
            Pooling::Max => ("max", None),
            Pooling::Average => ("average", None),
            Pooling::AveragePadded => ("average-padded", None),
            Pooling::Lp(p) => ("lp", Some(*p)),
        };
        record.with(name, word).with_some("p", p)
    }

    fn read(r: &Record, name: &str) -> Result<Self> {
        Ok(match r.text(name)? {
            "max" => Pooling::Max,
            "average" => Pooling::Average,
            "average-padded" => Pooling::AveragePadded,
            "lp" => Pooling::Lp(r.number("p")?),
            other => return Err(r.broken(format!("{other:?} is not a pooling"))),
        })
    }
}

impl Attribute for Scatter {
    fn write(&self, record: Record, name: &str) -> Record {
        match self {
            Scatter::Elements { axis } => record.with(name, "elements").with("axis", *axis),
            Scatter::Nd => record.with(name, "nd"),
        }
    }

    fn read(r: &Record, name: &str) -> Result<Self> {
        Ok(match r.text(name)? {
            "elements" => Scatter::Elements { axis: r.whole("axis")? },
            "nd" => Scatter::Nd,
            other => return Err(r.broken(format!("{other:?} is not a scatter reduction"))),
        })
    }
}

fn word<T>(record: &Record, name: &str, from: fn(&str) -> Option<T>) -> Result<T> {
    let word = record.text(name)?;
    from(word).ok_or_else(|| record.broken(format!("field {name:?} is {word:?}, which is not a valid choice")))
}

fn sizes(list: &[usize]) -> Vec<u64> {
    list.iter().map(|&n| n as u64).collect()
}

impl Attribute for Unary {
    fn write(&self, record: Record, name: &str) -> Record {
        let (word, first, second) = match *self {
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
        record.with(name, word).with_some("a", first).with_some("b", second)
    }

    fn read(r: &Record, name: &str) -> Result<Self> {
        let (a, b) = (|| r.number("a"), || r.number("b"));
        Ok(match r.text(name)? {
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
                None => return Err(r.broken(format!("{other:?} is not a unary function"))),
            },
        })
    }
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

fn read_window(r: &Record) -> Result<Window> {
    r.expect("window", 1)?;
    let padding = match r.text("padding")? {
        "explicit" => {
            Padding::Explicit { begin: read_sizes(r, "begin")?, end: read_sizes(r, "end")?, up: r.flag("up")? }
        }
        "same-upper" => Padding::SameUpper,
        "same-lower" => Padding::SameLower,
        other => return Err(r.broken(format!("{other:?} is not a padding"))),
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
    use super::super::Op;
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
