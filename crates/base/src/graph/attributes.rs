//! What operations are told: kinds of pooling, reductions, functions of one or two numbers, and how many inputs they take.

use crate::choices;

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
    /// Whether it is not a number.
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
