//! The closed set of operations: the table of them, with the attributes of each, its word, how many inputs it takes, its class
//! ([`Class`]) and what becomes of gradients ([`Passes`]).
//!
//! Each is defined by what comes out for what goes in; the crate `network` has a file for each that runs it, pulls
//! gradients back and says what shape comes out, and `explain` has relevance rules by the classes of operations. What
//! is not here is a composition: kernels are distances and elementwise functions, routing is products and sigmoids.
//!
//! As records, the kind is the word and the fields are the attributes by name (`record_op.rs`). A field that no attribute
//! has is refused, so that nothing a newer program said is overheard.

use super::class::{Class, of_binary, of_pooling, of_reduction, of_unary, only, only_first, wants};
use super::passes::{Passes, step_if, through_binary, through_unary, to_element};
use super::record_op::Attribute;
use super::window::{Filling, Resizing, Window};
use super::{Arity, Binary, Element, Pooling, Reduction, Scatter, SoftPooling, Tensor, Unary};
use crate::{Record, Result};

macro_rules! operations {
    ($wanted:ident, $input:ident, $port:ident; $(
        $(#[$about:meta])*
        $variant:ident $({ $($(#[$doc:meta])* $field:ident: $type:ty,)+ })? $(($part:ident: $inner:ty))?
            = $word:literal, $least:literal to $most:expr, $class:expr, $passes:expr;
    )+) => {
        /// An operation. Axes may be negative and then count from the last; broadcasting is NumPy's.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Op {
            $($(#[$about])* $variant $({ $($(#[$doc])* $field: $type,)+ })? $(($inner))?,)+
        }

        impl Op {
            /// The operation in a word.
            pub fn word(&self) -> &'static str {
                match self { $(Op::$variant { .. } => $word,)+ }
            }

            /// How many inputs it takes.
            pub fn arity(&self) -> Arity {
                match self { $(Op::$variant { .. } => Arity { least: $least, most: $most },)+ }
            }

            /// What it does to what goes in, with those inputs `wanted` that are no constants.
            pub fn class(&self, wanted: &[bool]) -> Class {
                class_of(self, wanted)
            }

            /// What becomes of the gradient of input `input` at output `port`.
            pub fn passes(&self, input: usize, port: usize) -> Passes {
                passes_of(self, input, port)
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

        #[allow(unused_variables, reason = "few classes depend on attributes")]
        fn class_of(op: &Op, $wanted: &[bool]) -> Class {
            match op { $(Op::$variant { $($($field),+)? $(0: $part)? } => $class,)+ }
        }

        #[allow(unused_variables, reason = "few steps depend on attributes")]
        fn passes_of(op: &Op, $input: usize, $port: usize) -> Passes {
            match op { $(Op::$variant { $($($field),+)? $(0: $part)? } => $passes,)+ }
        }

        fn read(r: &Record) -> Result<Op> {
            Ok(match r.kind() {
                $($word => Op::$variant {
                    $($($field: Attribute::read(r, stringify!($field))?),+)?
                    $(0: Attribute::read(r, stringify!($part))?)?
                },)+
                other => return Err(r.broken(format!("{other:?} is not an operation"))),
            })
        }
    };
}

operations! {
    wanted, input, port;

    /// x, W (, b): x (rows, in) · W (in, out) + b (out); `transposed`: W is (out, in).
    Dense {
        /// Whether W is stored with one row for each output.
        transposed: bool,
    } = "dense", 2 to 3, if only(wanted, 0) { Class::Dense } else { Class::Product }, Passes::Gradient;
    /// a, b: matrix products over the last two axes, the others broadcast; vectors as in NumPy.
    MatMul = "mat-mul", 2 to 2, if wants(wanted, 0) != wants(wanted, 1) { Class::Dense } else { Class::Product }, Passes::Gradient;
    /// x (n, c, space…), W (m, c/groups, kernel…) (, b (m)): convolution (correlation, as networks call it).
    Conv {
        /// Where the window goes.
        window: Window,
        /// Groups of channels that do not see each other; as many as channels is depthwise.
        groups: usize,
    } = "conv", 2 to 3, only_first(wanted, Class::Convolution), Passes::Gradient;
    /// x (n, c, space…), W (c, m/groups, kernel…) (, b (m)): the transpose of a convolution.
    ConvTranspose {
        /// The window of the convolution it is the transpose of.
        window: Window,
        /// Groups of channels that do not see each other.
        groups: usize,
        /// Added to the size at the end, axis by axis.
        extra: Vec<usize>,
    } = "conv-transpose", 2 to 3, only_first(wanted, Class::Convolution), Passes::Gradient;
    /// x (rows, d), u (m, d): ‖x − u_j‖^q with the Euclidean norm, one column for each centre.
    Distance {
        /// The power.
        q: f64,
    } = "distance", 2 to 2, only_first(wanted, Class::Distance), Passes::Gradient;
    /// x (n, c, space…): the window's elements brought together.
    Pool {
        /// How.
        pooling: Pooling,
        /// Where the window goes.
        window: Window,
    } = "pool", 1 to 1, of_pooling(*pooling), Passes::Gradient;
    /// h (rows, m): one soft minimum or maximum for each row (rows, 1).
    SoftPool {
        /// Which.
        pooling: SoftPooling,
    } = "soft-pool", 1 to 1, Class::SoftPool, Passes::Gradient;
    /// x: axes brought together.
    Reduce {
        /// How.
        reduction: Reduction,
        /// Which axes; empty: all of them.
        axes: Vec<i64>,
        /// Whether reduced axes stay with size 1.
        keep: bool,
    } = "reduce", 1 to 1, of_reduction(*reduction), Passes::Gradient;
    /// x: the place of the largest element along an axis, as i64.
    ArgMax {
        /// Along which axis.
        axis: i64,
        /// Whether the axis stays with size 1.
        keep: bool,
        /// Whether the last of equals is meant, not the first.
        last: bool,
        /// Whether the smallest is meant.
        smallest: bool,
    } = "arg-max", 1 to 1, Class::Other, Passes::Step;
    /// x, k (1, known): the k largest along an axis, in order, and their places.
    TopK {
        /// Along which axis.
        axis: i64,
        /// Whether the largest are meant, not the smallest.
        largest: bool,
    } = "top-k", 2 to 2, Class::Other, step_if(input == 0 && port == 1);
    /// x, scale, bias, mean, variance (each (c)): (x − mean) / √(variance + ε) · scale + bias, channel by channel.
    BatchNorm {
        /// ε.
        epsilon: f64,
    } = "batch-norm", 5 to 5, only_first(wanted, Class::BatchNorm), Passes::Gradient;
    /// x, scale (, bias): mean 0 and variance 1 over the axes from `axis` on, then scaled.
    LayerNorm {
        /// The first axis that is normalised.
        axis: i64,
        /// Added to the variance.
        epsilon: f64,
    } = "layer-norm", 2 to 3, only_first(wanted, Class::Norm), Passes::Gradient;
    /// x (n, c, space…), scale (c), bias (c): mean 0 and variance 1 over groups of channels with their space.
    GroupNorm {
        /// Groups; 0: each channel by itself (instance normalisation).
        groups: usize,
        /// Added to the variance.
        epsilon: f64,
    } = "group-norm", 3 to 3, only_first(wanted, Class::Norm), Passes::Gradient;
    /// x (n, c, space…): x / (bias + α/size · Σ x²)^β over `size` neighbouring channels.
    LocalResponse {
        /// Channels that are looked at.
        size: usize,
        /// α.
        alpha: f64,
        /// β.
        beta: f64,
        /// The bias.
        bias: f64,
    } = "local-response", 1 to 1, Class::Norm, Passes::Gradient;
    /// x: each element by itself.
    Unary(function: Unary) = "unary", 1 to 1, of_unary(*function), through_unary(*function);
    /// a, b: elements of both, broadcast.
    Binary(function: Binary) = "binary", 2 to 2, of_binary(*function, wanted), through_binary(*function);
    /// condition, a, b: a where it holds, else b, broadcast.
    Where = "where", 3 to 3, if wants(wanted, 0) { Class::Other } else { Class::Winner }, if input == 0 { Passes::Nothing } else { Passes::Gradient };
    /// x (, low) (, high): each element brought between two numbers.
    Clip = "clip", 1 to 3, only_first(wanted, Class::Activation), Passes::Gradient;
    /// x: exp(x) / Σ exp(x) along an axis.
    Softmax {
        /// Along which axis.
        axis: i64,
        /// Whether the logarithm of that is meant.
        log: bool,
    } = "softmax", 1 to 1, if *log { Class::Other } else { Class::Softmax }, Passes::Gradient;
    /// x, …: one after the other along an axis.
    Concat {
        /// Along which axis.
        axis: i64,
    } = "concat", 1 to usize::MAX, Class::Moved, Passes::Gradient;
    /// x: parts along an axis, one output each.
    Split {
        /// Along which axis.
        axis: i64,
        /// The parts' sizes; empty: as many equal ones as there are outputs, the last possibly smaller.
        sizes: Vec<usize>,
    } = "split", 1 to 1, Class::Moved, Passes::Gradient;
    /// x, shape (known): the same numbers in another shape; one −1 is what remains.
    Reshape {
        /// Whether 0 means 0; else it means the size x has there.
        zero: bool,
    } = "reshape", 2 to 2, only_first(wanted, Class::Moved), Passes::Gradient;
    /// x: (axes before, axes from `axis` on).
    Flatten {
        /// The first axis of the second part.
        axis: i64,
    } = "flatten", 1 to 1, Class::Moved, Passes::Gradient;
    /// x: without these axes of size 1; empty: without any such.
    Squeeze {
        /// Which axes.
        axes: Vec<i64>,
    } = "squeeze", 1 to 1, Class::Moved, Passes::Gradient;
    /// x: with new axes of size 1 at these places of the result.
    Unsqueeze {
        /// Which axes.
        axes: Vec<i64>,
    } = "unsqueeze", 1 to 1, Class::Moved, Passes::Gradient;
    /// x: axes in another order; empty: reversed.
    Transpose {
        /// The old axis for each new one.
        order: Vec<usize>,
    } = "transpose", 1 to 1, only_first(wanted, Class::Moved), Passes::Gradient;
    /// x, pads (known, begins then ends; may be negative) (, value) (, axes (known)): elements added around.
    Pad {
        /// What they hold.
        filling: Filling,
    } = "pad", 2 to 4, only_first(wanted, Class::Moved), Passes::Gradient;
    /// x, starts, ends (, axes) (, steps), all known: a part of it.
    Slice = "slice", 3 to 5, only_first(wanted, Class::Moved), Passes::Gradient;
    /// x, indices: slices of an axis chosen by index; negative ones count from the end.
    Gather {
        /// Along which axis.
        axis: i64,
    } = "gather", 2 to 2, only_first(wanted, Class::Moved), step_if(input == 1);
    /// x, indices of the same number of axes: single elements along an axis.
    GatherElements {
        /// Along which axis.
        axis: i64,
    } = "gather-elements", 2 to 2, only_first(wanted, Class::Moved), step_if(input == 1);
    /// x, indices (…, k): elements or slices chosen by whole index vectors.
    GatherNd {
        /// Axes both share.
        batch: usize,
    } = "gather-nd", 2 to 2, only_first(wanted, Class::Moved), step_if(input == 1);
    /// x, indices, updates: x with elements or slices replaced.
    Scatter(scatter: Scatter) = "scatter", 3 to 3, Class::Other, step_if(input == 1);
    /// x, shape (known): broadcast to that shape.
    Expand = "expand", 2 to 2, only_first(wanted, Class::Moved), Passes::Gradient;
    /// x, repeats (known): repeated along each axis.
    Tile = "tile", 2 to 2, only_first(wanted, Class::Moved), Passes::Gradient;
    /// x (, roi) (, scales) (, sizes), all known: resampled along its axes.
    Resize {
        /// How.
        resizing: Resizing,
        /// How places map: `half_pixel`, `align_corners`, `asymmetric` or `pytorch_half_pixel`.
        places: String,
        /// How the nearest is rounded: `round_prefer_floor`, `round_prefer_ceil`, `floor` or `ceil`.
        rounding: String,
        /// The cubic's coefficient.
        cubic: f64,
        /// Whether what lies outside does not count, with the rest made to sum to 1.
        exclude: bool,
        /// Whether the filter widens when shrinking.
        smooth: bool,
    } = "resize", 1 to 4, only_first(wanted, Class::Mean), Passes::Gradient;
    /// x: its shape, from axis `start` to `end`, as i64.
    Shape {
        /// The first axis.
        start: i64,
        /// The axis after the last; none: all to the end.
        end: Option<i64>,
    } = "shape", 1 to 1, Class::Other, Passes::Nothing;
    /// shape (known): that value everywhere.
    ConstantOfShape {
        /// The value, a tensor of one number.
        value: Tensor,
    } = "constant-of-shape", 1 to 1, Class::Other, Passes::Gradient;
    /// start, limit, delta (known): numbers one after the other.
    Range = "range", 3 to 3, Class::Other, Passes::Gradient;
    /// x: as another type.
    Cast {
        /// Which.
        to: Element,
    } = "cast", 1 to 1, Class::Moved, to_element(*to);
    /// indices, depth (known), values (off, on): one-hot along a new axis.
    OneHot {
        /// Where the new axis comes.
        axis: i64,
    } = "one-hot", 3 to 3, Class::Other, step_if(input == 0);
    /// x, axis (known): sums so far.
    CumSum {
        /// Without the element itself.
        exclusive: bool,
        /// From the end.
        reverse: bool,
    } = "cum-sum", 2 to 2, only_first(wanted, Class::Mean), Passes::Gradient;
    /// x: while training, each element is dropped (0) with this chance and the others are divided by 1 − rate; else x.
    Dropout {
        /// The chance.
        rate: f64,
    } = "dropout", 1 to 1, Class::Moved, Passes::Gradient;
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
