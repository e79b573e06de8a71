//! The closed set of operations.
//!
//! Each is defined by what comes out for what goes in; the crate `network` has a file for each that runs it, pulls
//! gradients back and says what shape comes out, and `explain` has relevance rules by the classes of operations. What
//! is not here is a composition: kernels are distances and elementwise functions, routing is products and sigmoids.

use super::window::{Filling, Resizing, Window};
use super::{Element, Tensor};
use crate::choices;

/// An operation. Axes may be negative and then count from the last; broadcasting is NumPy's.
#[derive(Debug, Clone, PartialEq)]
pub enum Op {
    /// x, W (, b): x (rows, in) · W (in, out) + b (out); `transposed`: W is (out, in).
    Dense {
        /// Whether W is stored with one row for each output.
        transposed: bool,
    },
    /// a, b: matrix products over the last two axes, the others broadcast; vectors as in NumPy.
    MatMul,
    /// x (n, c, space…), W (m, c/groups, kernel…) (, b (m)): convolution (correlation, as networks call it).
    Conv {
        /// Where the window goes.
        window: Window,
        /// Groups of channels that do not see each other; as many as channels is depthwise.
        groups: usize,
    },
    /// x (n, c, space…), W (c, m/groups, kernel…) (, b (m)): the transpose of a convolution.
    ConvTranspose {
        /// The window of the convolution it is the transpose of.
        window: Window,
        /// Groups of channels that do not see each other.
        groups: usize,
        /// Added to the size at the end, axis by axis.
        extra: Vec<usize>,
    },
    /// x (rows, d), u (m, d): ‖x − u_j‖^q with the Euclidean norm, one column for each centre.
    Distance {
        /// The power.
        q: f64,
    },
    /// x (n, c, space…): the window's elements brought together.
    Pool {
        /// How.
        pooling: Pooling,
        /// Where the window goes.
        window: Window,
    },
    /// h (rows, m): one soft minimum or maximum for each row (rows, 1).
    SoftPool {
        /// Which.
        pooling: SoftPooling,
    },
    /// x: axes brought together.
    Reduce {
        /// How.
        reduction: Reduction,
        /// Which axes; empty: all of them.
        axes: Vec<i64>,
        /// Whether reduced axes stay with size 1.
        keep: bool,
    },
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
    },
    /// x, k (1, known): the k largest along an axis, in order, and their places.
    TopK {
        /// Along which axis.
        axis: i64,
        /// Whether the largest are meant, not the smallest.
        largest: bool,
    },
    /// x, scale, bias, mean, variance (each (c)): (x − mean) / √(variance + ε) · scale + bias, channel by channel.
    BatchNorm {
        /// ε.
        epsilon: f64,
    },
    /// x, scale (, bias): mean 0 and variance 1 over the axes from `axis` on, then scaled.
    LayerNorm {
        /// The first axis that is normalised.
        axis: i64,
        /// Added to the variance.
        epsilon: f64,
    },
    /// x (n, c, space…), scale (c), bias (c): mean 0 and variance 1 over groups of channels with their space.
    GroupNorm {
        /// Groups; 0: each channel by itself (instance normalisation).
        groups: usize,
        /// Added to the variance.
        epsilon: f64,
    },
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
    },
    /// x: each element by itself.
    Unary(Unary),
    /// a, b: elements of both, broadcast.
    Binary(Binary),
    /// condition, a, b: a where it holds, else b, broadcast.
    Where,
    /// x (, low) (, high): each element brought between two numbers.
    Clip,
    /// x: exp(x) / Σ exp(x) along an axis.
    Softmax {
        /// Along which axis.
        axis: i64,
        /// Whether the logarithm of that is meant.
        log: bool,
    },
    /// x, …: one after the other along an axis.
    Concat {
        /// Along which axis.
        axis: i64,
    },
    /// x: parts along an axis, one output each.
    Split {
        /// Along which axis.
        axis: i64,
        /// The parts' sizes; empty: as many equal ones as there are outputs, the last possibly smaller.
        sizes: Vec<usize>,
    },
    /// x, shape (known): the same numbers in another shape; one −1 is what remains.
    Reshape {
        /// Whether 0 means 0; else it means the size x has there.
        zero: bool,
    },
    /// x: (axes before, axes from `axis` on).
    Flatten {
        /// The first axis of the second part.
        axis: i64,
    },
    /// x: without these axes of size 1; empty: without any such.
    Squeeze {
        /// Which axes.
        axes: Vec<i64>,
    },
    /// x: with new axes of size 1 at these places of the result.
    Unsqueeze {
        /// Which axes.
        axes: Vec<i64>,
    },
    /// x: axes in another order; empty: reversed.
    Transpose {
        /// The old axis for each new one.
        order: Vec<usize>,
    },
    /// x, pads (known, begins then ends; may be negative) (, value) (, axes (known)): elements added around.
    Pad {
        /// What they hold.
        filling: Filling,
    },
    /// x, starts, ends (, axes) (, steps), all known: a part of it.
    Slice,
    /// x, indices: slices of an axis chosen by index; negative ones count from the end.
    Gather {
        /// Along which axis.
        axis: i64,
    },
    /// x, indices of the same number of axes: single elements along an axis.
    GatherElements {
        /// Along which axis.
        axis: i64,
    },
    /// x, indices (…, k): elements or slices chosen by whole index vectors.
    GatherNd {
        /// Axes both share.
        batch: usize,
    },
    /// x, indices, updates: x with elements or slices replaced.
    Scatter(Scatter),
    /// x, shape (known): broadcast to that shape.
    Expand,
    /// x, repeats (known): repeated along each axis.
    Tile,
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
    },
    /// x: its shape, from axis `start` to `end`, as i64.
    Shape {
        /// The first axis.
        start: i64,
        /// The axis after the last; none: all to the end.
        end: Option<i64>,
    },
    /// shape (known): that value everywhere.
    ConstantOfShape {
        /// The value, a tensor of one number.
        value: Tensor,
    },
    /// start, limit, delta (known): numbers one after the other.
    Range,
    /// x: as another type.
    Cast {
        /// Which.
        to: Element,
    },
    /// indices, depth (known), values (off, on): one-hot along a new axis.
    OneHot {
        /// Where the new axis comes.
        axis: i64,
    },
    /// x, axis (known): sums so far.
    CumSum {
        /// Without the element itself.
        exclusive: bool,
        /// From the end.
        reverse: bool,
    },
    /// x: while training, each element is dropped (0) with this chance and the others are divided by 1 − rate; else x.
    Dropout {
        /// The chance.
        rate: f64,
    },
}

/// How a window's elements are brought together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pooling {
    /// The largest.
    Max,
    /// The mean of those inside.
    Average,
    /// The mean with padded ones counted as 0.
    AveragePadded,
    /// (Σ|x|ᵖ)^(1/p).
    Lp(f64),
}

choices! {
    /// Soft minima and maxima of a row.
    pub enum SoftPooling {
        /// −log Σ exp(−h): a soft minimum.
        MinLogSumExp = "min-log-sum-exp",
        /// log Σ exp(h): a soft maximum.
        MaxLogSumExp = "max-log-sum-exp",
        /// m / Σ 1/h: the harmonic mean, a soft minimum of positive numbers.
        Harmonic = "harmonic",
    }
}

choices! {
    /// How axes are brought together.
    pub enum Reduction {
        /// Σ x.
        Sum = "sum",
        /// The mean.
        Mean = "mean",
        /// The largest.
        Max = "max",
        /// The smallest.
        Min = "min",
        /// Π x.
        Product = "product",
        /// Σ |x|.
        L1 = "l1",
        /// √Σ x².
        L2 = "l2",
        /// Σ x².
        SumSquare = "sum-square",
        /// log Σ x.
        LogSum = "log-sum",
        /// log Σ exp x.
        LogSumExp = "log-sum-exp",
    }
}

/// A function of one number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Unary {
    /// max(0, x).
    Relu,
    /// x where positive, else a·x.
    LeakyRelu(f64),
    /// x where above the threshold, else 0.
    ThresholdedRelu(f64),
    /// x where positive, else α (eˣ − 1).
    Elu(f64),
    /// γ x where positive, else γ α (eˣ − 1): (α, γ).
    Selu(f64, f64),
    /// max(0, x) + min(0, α (e^(x/α) − 1)).
    Celu(f64),
    /// x Φ(x); `true`: by the tanh approximation.
    Gelu(bool),
    /// log(1 + eˣ).
    Softplus,
    /// x / (1 + |x|).
    Softsign,
    /// 1 / (1 + e⁻ˣ).
    Sigmoid,
    /// clip(α x + β, 0, 1): (α, β).
    HardSigmoid(f64, f64),
    /// x · hard sigmoid(x / 6 + 1/2).
    HardSwish,
    /// x · sigmoid(β x).
    Swish(f64),
    /// x · tanh(softplus(x)).
    Mish,
    /// tanh x.
    Tanh,
    /// erf x.
    Erf,
    /// eˣ.
    Exp,
    /// log x.
    Log,
    /// √x.
    Sqrt,
    /// |x|.
    Abs,
    /// −x.
    Neg,
    /// 1 / x.
    Reciprocal,
    /// Rounded down.
    Floor,
    /// Rounded up.
    Ceil,
    /// Rounded to the nearest, halves to even.
    Round,
    /// −1, 0 or 1.
    Sign,
    /// sin x.
    Sin,
    /// cos x.
    Cos,
    /// tan x.
    Tan,
    /// Inverse sine.
    Asin,
    /// Inverse cosine.
    Acos,
    /// Inverse tangent.
    Atan,
    /// Hyperbolic sine.
    Sinh,
    /// Hyperbolic cosine.
    Cosh,
    /// x itself.
    Identity,
    /// The opposite of yes or no.
    Not,
    /// Whether it is no number.
    IsNan,
    /// Whether it is infinite.
    IsInf,
}

choices! {
    /// A function of two numbers.
    pub enum Binary {
        /// a + b.
        Add = "add",
        /// a − b.
        Sub = "sub",
        /// a · b.
        Mul = "mul",
        /// a / b; whole numbers toward 0.
        Div = "div",
        /// aᵇ.
        Pow = "pow",
        /// The remainder with the sign of b.
        Mod = "mod",
        /// The remainder with the sign of a.
        Fmod = "fmod",
        /// The larger.
        Max = "max",
        /// The smaller.
        Min = "min",
        /// a where positive, else a · b.
        Prelu = "prelu",
        /// a = b.
        Equal = "equal",
        /// a < b.
        Less = "less",
        /// a ≤ b.
        LessOrEqual = "less-or-equal",
        /// a > b.
        Greater = "greater",
        /// a ≥ b.
        GreaterOrEqual = "greater-or-equal",
        /// Both.
        And = "and",
        /// One or both.
        Or = "or",
        /// Exactly one.
        Xor = "xor",
    }
}

/// How elements are replaced.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scatter {
    /// Single elements along an axis.
    Elements {
        /// Along which axis.
        axis: i64,
    },
    /// Elements or slices chosen by whole index vectors.
    Nd,
}

/// How many inputs and outputs an operation has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arity {
    /// Inputs that must be there.
    pub least: usize,
    /// Inputs at most.
    pub most: usize,
}
