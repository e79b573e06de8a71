//! Composites by name: which rule is taken where.
//!
//! | composite | dense layers | convolutions | first layer |
//! |---|---|---|---|
//! | z, epsilon, gamma, alpha-beta, z-plus | the rule | the rule | the rule |
//! | composite (LRP-★, preset A) | ε | α1β0 | α1β0 |
//! | epsilon-plus | ε | z⁺ | z⁺ |
//! | epsilon-plus-flat | ε | z⁺ | flat |
//! | epsilon-gamma-box | ε | γ | z-box, if it is a convolution |
//! | epsilon-alpha2-beta1 | ε | α2β1 | α2β1 |
//! | epsilon-alpha2-beta1-flat | ε | α2β1 | flat |
//! | deep-taylor | z⁺ without bias | z⁺ without bias | w² (or, bounded, z-box) |
//! | excitation | z⁺ without bias | z⁺ without bias | z⁺ without bias |
//!
//! All other operations follow [`usual`]: activations pass, sums and averages share out, maxima go to the winner, what
//! only moves is followed; kernels are compared with the point itself, measures shared out. Sources: see `rules/linear.rs`; S. Lapuschkin et al. 2017 (preset A); M. Kohlbrenner et al.
//! 2020 (the other composites); J. Zhang et al. 2016 (excitation).

use crate::rule::{Composite, When};
use crate::rules::{
    AffineRule, BatchNormRule, BatchNormWay, CurveRule, DistanceRule, LinearRule, MeasureRule, PassRule, ProductRule,
    PullRule, RectifyRule, ScaleRule, ShiftRule, SoftPoolRule, SoftmaxRule,
};
use base::graph::{Binary, Class, Op, Unary};

/// What stabilises divisions and how normalisations are taken, for all composites.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stabilisers {
    /// Added to every divisor with its sign.
    pub stabiliser: f64,
    /// Batch normalisations.
    pub batch_norm: BatchNormWay,
}

impl Default for Stabilisers {
    fn default() -> Self {
        Stabilisers { stabiliser: 1e-6, batch_norm: BatchNormWay::Fused }
    }
}

/// Rules for all operations but layers with weights; what is left has none.
pub fn usual(basis: Stabilisers) -> Composite {
    let epsilon = basis.stabiliser;
    Composite::default()
        .with(When::Class(Class::Activation), PassRule)
        .with(When::All(vec![When::Class(Class::Sum), When::Measured]), PassRule)
        .with(When::Class(Class::Sum), AffineRule { epsilon })
        .with(When::Class(Class::Mean), AffineRule { epsilon })
        .with(When::Class(Class::Winner), PullRule)
        .with(When::Class(Class::Moved), PullRule)
        .with(When::Class(Class::Scale), PassRule)
        .with(When::Class(Class::Product), ProductRule { epsilon })
        .with(When::Class(Class::BatchNorm), BatchNormRule { way: basis.batch_norm, epsilon })
        .with(When::Class(Class::Norm), PassRule)
        .with(When::Class(Class::Distance), DistanceRule)
        .with(When::Class(Class::SoftPool), SoftPoolRule)
        .with(When::Class(Class::Curve), CurveRule)
        .with(When::Class(Class::Measure), MeasureRule { epsilon })
        .with(When::Class(Class::Softmax), SoftmaxRule)
}

/// One rule for dense layers, another for convolutions.
pub fn layered(dense: LinearRule, convolution: LinearRule, basis: Stabilisers) -> Composite {
    Composite::default()
        .with(When::Class(Class::Dense), dense)
        .with(When::Class(Class::Convolution), convolution)
        .then(usual(basis))
}

/// A composite with another rule for layers that meet the inputs: convolutions only, or dense layers too.
pub fn begun_by(first: LinearRule, dense_too: bool, others: Composite) -> Composite {
    let when = match dense_too {
        true => When::First,
        false => When::All(vec![When::First, When::Class(Class::Convolution)]),
    };
    Composite::default().with(when, first).then(others)
}

/// One rule for all layers with weights.
pub fn everywhere(rule: LinearRule, basis: Stabilisers) -> Composite {
    layered(rule.clone(), rule, basis)
}

/// Deep Taylor decomposition: z⁺ within, `first` where the inputs are met, dense or not.
pub fn deep_taylor(first: LinearRule, basis: Stabilisers) -> Composite {
    begun_by(first, true, everywhere(LinearRule::z_plus(false, basis.stabiliser), basis))
}

/// Gradients, with rectifiers as they are or changed.
pub fn gradients(rectifiers: Option<RectifyRule>) -> Composite {
    let all = match rectifiers {
        Some(rule) => {
            Composite::default().with(When::Suitability(|op| matches!(op, Op::Unary(Unary::Relu) | Op::Clip)), rule)
        }
        None => Composite::default(),
    };
    all.with(When::Always, PullRule)
}

/// Deep Taylor decomposition of detectors written as graphs: a soft minimum of distances.
pub fn one_class() -> Composite {
    Composite::default()
        .with(When::Op("soft-pool"), SoftPoolRule)
        .with(When::Op("distance"), DistanceRule)
        .with(When::Suitability(|op| matches!(op, Op::Binary(Binary::Mul | Binary::Div))), ScaleRule)
        .with(When::Suitability(|op| matches!(op, Op::Binary(Binary::Add | Binary::Sub))), ShiftRule)
        .with(When::Op("dense"), LinearRule::epsilon(0.0))
}
