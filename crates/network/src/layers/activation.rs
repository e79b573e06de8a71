//! Activations: what a unit makes of its field.
//!
//! | name | g(x) |
//! |---|---|
//! | identity | x |
//! | logistic | 1 / (1 + e⁻ˣ) |
//! | symmetric-logistic | 2 / (1 + e⁻ˣ) − 1 |
//! | tanh, erf, softsign | tanh x, erf x, x / (1 + \|x\|) |
//! | sign | −1, 0 or 1; without a slope, so only for layers that are not trained |
//! | piecewise-linear | 0 below −½, 1 above ½, x + ½ between |
//! | relu, leaky-relu | max(0, x); a x where negative |
//! | softplus | ln(1 + eˣ) |
//! | elu | eˣ − 1 where negative, else x |
//! | selu, gelu, swish, mish | their usual form; swish is x / (1 + e⁻ˣ) |
//!
//! A unit may be steeper: g(γ x).

use base::graph::{Binary, Draft, Element, Op, Source, Tensor, Unary};
use base::{Result, choices};

choices! {
    /// What a unit makes of its field.
    pub enum Activation {
        /// x.
        Identity = "identity",
        /// 1 / (1 + e⁻ˣ).
        Logistic = "logistic",
        /// 2 / (1 + e⁻ˣ) − 1.
        SymmetricLogistic = "symmetric-logistic",
        /// tanh x.
        Tanh = "tanh",
        /// erf x.
        Erf = "erf",
        /// x / (1 + |x|).
        Softsign = "softsign",
        /// −1, 0 or 1.
        Sign = "sign",
        /// A line between 0 and 1.
        PiecewiseLinear = "piecewise-linear",
        /// max(0, x).
        Relu = "relu",
        /// a x where negative.
        LeakyRelu = "leaky-relu",
        /// ln(1 + eˣ).
        Softplus = "softplus",
        /// eˣ − 1 where negative.
        Elu = "elu",
        /// A scaled exponential unit.
        Selu = "selu",
        /// x Φ(x).
        Gelu = "gelu",
        /// x / (1 + e⁻ˣ).
        Swish = "swish",
        /// x tanh(softplus(x)).
        Mish = "mish",
    }
}

/// An activation with its numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unit {
    /// Which.
    pub activation: Activation,
    /// γ: what the field is multiplied with.
    pub steepness: f64,
    /// a of the leaky unit.
    pub leak: f64,
}

impl From<Activation> for Unit {
    fn from(activation: Activation) -> Self {
        Unit { activation, steepness: 1.0, leak: 0.01 }
    }
}

impl Unit {
    /// Whether it bends as a ramp does, which calls for larger weights at first.
    pub(crate) fn is_ramp(&self) -> bool {
        use Activation::{Elu, Gelu, LeakyRelu, Mish, Relu, Softplus, Swish};
        matches!(self.activation, Relu | LeakyRelu | Elu | Gelu | Swish | Mish | Softplus)
    }

    /// Adds it to a graph.
    pub fn put(&self, draft: &mut Draft, name: &str, element: Element, x: Source) -> Result<Source> {
        // 2 / (1 + e⁻ˣ) − 1 is tanh(x / 2).
        let half = if self.activation == Activation::SymmetricLogistic { 0.5 } else { 1.0 };
        let factor = self.steepness * half;
        let x = match factor == 1.0 {
            true => x,
            false => {
                let tensor = match element {
                    Element::F32 => Tensor::f32([], vec![factor as f32])?,
                    _ => Tensor::f64([], vec![factor])?,
                };
                let factor = draft.constant(&format!("{name} steepness"), tensor);
                draft.node(&format!("{name} scaled"), Op::Binary(Binary::Mul), &[x, factor])
            }
        };
        let op = match self.activation {
            Activation::Identity => return Ok(x),
            Activation::Logistic => Unary::Sigmoid,
            Activation::SymmetricLogistic | Activation::Tanh => Unary::Tanh,
            Activation::Erf => Unary::Erf,
            Activation::Softsign => Unary::Softsign,
            Activation::Sign => Unary::Sign,
            Activation::PiecewiseLinear => Unary::HardSigmoid(1.0, 0.5),
            Activation::Relu => Unary::Relu,
            Activation::LeakyRelu => Unary::LeakyRelu(self.leak),
            Activation::Softplus => Unary::Softplus,
            Activation::Elu => Unary::Elu(1.0),
            Activation::Selu => Unary::Selu(1.673_263_242_354_377_2, 1.050_700_987_355_480_5),
            Activation::Gelu => Unary::Gelu(false),
            Activation::Swish => Unary::Swish(1.0),
            Activation::Mish => Unary::Mish,
        };
        Ok(draft.node(name, Op::Unary(op), &[x]))
    }
}
