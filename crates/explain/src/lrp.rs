//! Layer-wise relevance by name: which composite each name stands for, and through which operations it adds up.
//!
//! The composites themselves are in `composites.rs`, the rules in `rules/linear.rs`.

use crate::composites::{self, Stabilisers};
use crate::entry::{AddsUp, Explain, MethodEntry, MethodNeeds, Usual};
use crate::rule::Composite;
use crate::rules::{Given, LinearRule};
use crate::tuning::{Signs, Tuning};
use crate::walks::Route;
use base::graph::{Class, Op, Unary};

/// A method that walks by these rules.
const fn walk(name: &'static str, about: &'static str, rules: fn(&Tuning) -> Composite) -> MethodEntry {
    MethodEntry::new(name, about, MethodNeeds::Network, Explain::Walk(Route::of_score(rules)))
}

/// The same for scores above 0 only.
const fn above_zero(name: &'static str, about: &'static str, rules: fn(&Tuning) -> Composite) -> MethodEntry {
    let walk = Route { above_zero: true, ..Route::of_score(rules) };
    MethodEntry::new(name, about, MethodNeeds::Network, Explain::Walk(walk))
}

fn basis(t: &Tuning) -> Stabilisers {
    Stabilisers { stabiliser: t.stabiliser, batch_norm: t.batch_norm }
}

fn epsilon(t: &Tuning) -> LinearRule {
    LinearRule::epsilon(t.epsilon)
}

fn alpha_beta(alpha: f64, t: &Tuning) -> LinearRule {
    LinearRule::alpha_beta(alpha, alpha - 1.0, t.stabiliser)
}

fn flat(t: &Tuning) -> LinearRule {
    LinearRule::flat(t.stabiliser)
}

fn z_plus(t: &Tuning) -> LinearRule {
    match t.signs {
        Signs::Products => LinearRule::z_plus(true, t.stabiliser),
        Signs::Weights => LinearRule::z_plus_of_weights(t.stabiliser),
    }
}

fn gamma(t: &Tuning) -> LinearRule {
    match t.signs {
        Signs::Products => LinearRule::gamma(t.gamma, t.stabiliser),
        Signs::Weights => LinearRule::gamma_of_weights(t.gamma, t.stabiliser),
    }
}

fn bounded(t: &Tuning) -> LinearRule {
    let or = |list: &[f64], own: Given| if list.is_empty() { own } else { Given::Fixed(list.to_vec()) };
    LinearRule::z_box(or(&t.low, Given::Least), or(&t.high, Given::Largest), t.stabiliser)
}

/// ε for dense layers, another rule for convolutions.
fn layered(convolutions: LinearRule, t: &Tuning) -> Composite {
    composites::layered(epsilon(t), convolutions, basis(t))
}

fn everywhere(rule: LinearRule, t: &Tuning) -> Composite {
    composites::everywhere(rule, basis(t))
}

/// Dense layers share out by what each input adds, whatever its sign: kernels are shared out by what they add.
const BY_VALUE: AddsUp = AddsUp::Through(|_, _| true);
/// Rules that look at weights alone or favour one sign give much to points that are far away, and lose it there.
const BUT_KERNELS: AddsUp = AddsUp::Through(|_, class| !is_kernel(class));
/// Only what pulls up is shared out, which keeps the score where no unit is below 0.
const BY_ONE_SIGN: AddsUp = AddsUp::Through(|op, class| match class {
    Class::Activation => {
        matches!(op, Op::Unary(Unary::Relu | Unary::Sigmoid | Unary::Softplus | Unary::Abs | Unary::Identity))
    }
    _ => !is_kernel(class),
});

fn is_kernel(class: Class) -> bool {
    matches!(class, Class::Curve | Class::Measure | Class::Distance | Class::SoftPool)
}

pub(crate) static COMPOSITE: MethodEntry = MethodEntry {
    aliases: &["lrp"],
    settings: &["epsilon", "signs", "stabiliser", "batch_norm"],
    adds_up: BY_VALUE,
    usual: Usual::Machines(0),
    ..walk("lrp-composite", "LRP composite: alpha1-beta0 for convolutions, epsilon for dense layers", |t| {
        layered(z_plus(t), t)
    })
};

pub(crate) static EPSILON_PLUS: MethodEntry = MethodEntry {
    settings: &["epsilon", "signs", "stabiliser", "batch_norm"],
    adds_up: BY_VALUE,
    ..walk("lrp-epsilon-plus", "LRP composite: z+ for convolutions, epsilon for dense layers", |t| {
        layered(z_plus(t), t)
    })
};

pub(crate) static EPSILON_PLUS_FLAT: MethodEntry = MethodEntry {
    settings: &["epsilon", "signs", "stabiliser", "batch_norm"],
    adds_up: BUT_KERNELS,
    ..walk("lrp-epsilon-plus-flat", "the same, with the flat rule for the first convolution", |t| {
        composites::begun_by(flat(t), true, layered(z_plus(t), t))
    })
};

pub(crate) static EPSILON_GAMMA_BOX: MethodEntry = MethodEntry {
    settings: &["epsilon", "gamma", "signs", "stabiliser", "batch_norm", "low", "high"],
    adds_up: BY_VALUE,
    ..walk(
        "lrp-epsilon-gamma-box",
        "LRP composite: gamma for convolutions, the first with input bounds (low, high)",
        |t| composites::begun_by(bounded(t), false, layered(gamma(t), t)),
    )
};

// What pulls up and what pulls down are shared out apart: what a unit without one of them was given is lost.
pub(crate) static EPSILON_ALPHA2_BETA1: MethodEntry = MethodEntry {
    settings: &["epsilon", "stabiliser", "batch_norm"],
    ..walk("lrp-epsilon-alpha2-beta1", "LRP composite: alpha2-beta1 for convolutions, epsilon for dense layers", |t| {
        layered(alpha_beta(2.0, t), t)
    })
};

pub(crate) static EPSILON_ALPHA2_BETA1_FLAT: MethodEntry = MethodEntry {
    settings: &["epsilon", "stabiliser", "batch_norm"],
    ..walk("lrp-epsilon-alpha2-beta1-flat", "the same, with the flat rule for the first convolution", |t| {
        composites::begun_by(flat(t), true, layered(alpha_beta(2.0, t), t))
    })
};

pub(crate) static Z: MethodEntry = MethodEntry {
    settings: &["batch_norm"],
    adds_up: BY_VALUE,
    ..walk("lrp-z", "LRP-0: contributions, layer by layer; equals input-gradient on ReLU networks", |t| {
        composites::everywhere(LinearRule::epsilon(0.0), Stabilisers { stabiliser: 0.0, ..basis(t) })
    })
};

pub(crate) static EPSILON: MethodEntry = MethodEntry {
    settings: &["epsilon", "stabiliser", "batch_norm"],
    adds_up: BY_VALUE,
    usual: Usual::Machines(1),
    ..walk("lrp-epsilon", "LRP-epsilon: contributions, layer by layer, weak ones damped", |t| everywhere(epsilon(t), t))
};

pub(crate) static GAMMA: MethodEntry = MethodEntry {
    settings: &["gamma", "signs", "stabiliser", "batch_norm"],
    adds_up: BUT_KERNELS,
    ..walk("lrp-gamma", "LRP-gamma: contributions with the sign of the output count more", |t| everywhere(gamma(t), t))
};

pub(crate) static ALPHA_BETA: MethodEntry = MethodEntry {
    settings: &["alpha", "stabiliser", "batch_norm"],
    ..walk("lrp-alpha-beta", "LRP-alpha-beta: alpha times positive minus beta times negative contributions", |t| {
        everywhere(alpha_beta(t.alpha, t), t)
    })
};

pub(crate) static Z_PLUS: MethodEntry = MethodEntry {
    settings: &["signs", "stabiliser", "batch_norm"],
    adds_up: BY_ONE_SIGN,
    ..walk("lrp-zplus", "LRP z+: positive contributions, layer by layer", |t| everywhere(z_plus(t), t))
};

pub(crate) static W_SQUARE: MethodEntry = MethodEntry {
    settings: &["stabiliser", "batch_norm"],
    adds_up: BUT_KERNELS,
    ..walk("lrp-w-square", "LRP w²: by squared weights, layer by layer; ignores the input", |t| {
        everywhere(LinearRule::w_square(false, t.stabiliser), t)
    })
};

pub(crate) static FLAT: MethodEntry = MethodEntry {
    settings: &["stabiliser", "batch_norm"],
    adds_up: BUT_KERNELS,
    ..walk("lrp-flat", "LRP flat: evenly over the receptive field of each unit", |t| everywhere(flat(t), t))
};

pub(crate) static DEEP_TAYLOR: MethodEntry = MethodEntry {
    settings: &["stabiliser", "batch_norm"],
    adds_up: BY_ONE_SIGN,
    ..above_zero("deep-taylor", "deep Taylor decomposition, scores above 0 only", |t| {
        composites::deep_taylor(LinearRule::w_square(false, t.stabiliser), basis(t))
    })
};

pub(crate) static DEEP_TAYLOR_BOUNDED: MethodEntry = MethodEntry {
    settings: &["stabiliser", "batch_norm", "low", "high"],
    adds_up: BY_ONE_SIGN,
    ..above_zero("deep-taylor-bounded", "deep Taylor decomposition for inputs within bounds (low, high)", |t| {
        composites::deep_taylor(bounded(t), basis(t))
    })
};

pub(crate) static EXCITATION_BACKPROP: MethodEntry = MethodEntry {
    settings: &["stabiliser", "batch_norm"],
    adds_up: BY_ONE_SIGN,
    ..walk("excitation-backprop", "excitation backpropagation: positive weights only", |t| {
        everywhere(LinearRule::z_plus(false, t.stabiliser), t)
    })
};
