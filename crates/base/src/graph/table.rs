//! The table of operations: for each its attributes, its word and how many inputs it takes.
//!
//! As records, the kind is the word and the fields are the attributes by name (`record_op.rs`). A field that no attribute
//! has is refused, so that nothing a newer program said is overheard.

use super::record_op::Attribute;
use super::{Arity, Op};
use crate::{Record, Result};

macro_rules! operations {
    ($($variant:ident $({ $($field:ident),+ })? $(($part:ident))? = $word:literal, $least:literal to $most:expr;)+) => {
        impl Op {
            /// The operation in a word.
            pub fn word(&self) -> &'static str {
                match self { $(Op::$variant { .. } => $word,)+ }
            }

            /// How many inputs it takes.
            pub fn arity(&self) -> Arity {
                match self { $(Op::$variant { .. } => Arity { least: $least, most: $most },)+ }
            }

            /// The operation as plain data.
            pub(super) fn record(&self) -> Record {
                let record = Record::new(self.word(), 1);
                match self {
                    $(Op::$variant { $($($field),+)? $(0: $part)? } => {
                        $($(let record = $field.write(record, stringify!($field));)+)?
                        $(let record = $part.write(record, stringify!($part));)?
                        record
                    })+
                }
            }
        }

        fn read(r: &Record) -> Result<Op> {
            Ok(match r.kind() {
                $($word => Op::$variant {
                    $($($field: Attribute::read(r, stringify!($field))?),+)?
                    $(0: Attribute::read(r, stringify!($part))?)?
                },)+
                other => return Err(r.broken(format!("{other:?} is no operation"))),
            })
        }
    };
}

operations! {
    Dense { transposed } = "dense", 2 to 3;
    MatMul = "mat-mul", 2 to 2;
    Conv { window, groups } = "conv", 2 to 3;
    ConvTranspose { window, groups, extra } = "conv-transpose", 2 to 3;
    Distance { q } = "distance", 2 to 2;
    Pool { pooling, window } = "pool", 1 to 1;
    SoftPool { pooling } = "soft-pool", 1 to 1;
    Reduce { reduction, axes, keep } = "reduce", 1 to 1;
    ArgMax { axis, keep, last, smallest } = "arg-max", 1 to 1;
    TopK { axis, largest } = "top-k", 2 to 2;
    BatchNorm { epsilon } = "batch-norm", 5 to 5;
    LayerNorm { axis, epsilon } = "layer-norm", 2 to 3;
    GroupNorm { groups, epsilon } = "group-norm", 3 to 3;
    LocalResponse { size, alpha, beta, bias } = "local-response", 1 to 1;
    Unary(function) = "unary", 1 to 1;
    Binary(function) = "binary", 2 to 2;
    Where = "where", 3 to 3;
    Clip = "clip", 1 to 3;
    Softmax { axis, log } = "softmax", 1 to 1;
    Concat { axis } = "concat", 1 to usize::MAX;
    Split { axis, sizes } = "split", 1 to 1;
    Reshape { zero } = "reshape", 2 to 2;
    Flatten { axis } = "flatten", 1 to 1;
    Squeeze { axes } = "squeeze", 1 to 1;
    Unsqueeze { axes } = "unsqueeze", 1 to 1;
    Transpose { order } = "transpose", 1 to 1;
    Pad { filling } = "pad", 2 to 4;
    Slice = "slice", 3 to 5;
    Gather { axis } = "gather", 2 to 2;
    GatherElements { axis } = "gather-elements", 2 to 2;
    GatherNd { batch } = "gather-nd", 2 to 2;
    Scatter(scatter) = "scatter", 3 to 3;
    Expand = "expand", 2 to 2;
    Tile = "tile", 2 to 2;
    Resize { resizing, places, rounding, cubic, exclude, smooth } = "resize", 1 to 4;
    Shape { start, end } = "shape", 1 to 1;
    ConstantOfShape { value } = "constant-of-shape", 1 to 1;
    Range = "range", 3 to 3;
    Cast { to } = "cast", 1 to 1;
    OneHot { axis } = "one-hot", 3 to 3;
    CumSum { exclusive, reverse } = "cum-sum", 2 to 2;
    Dropout { rate } = "dropout", 1 to 1;
}

impl Op {
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
