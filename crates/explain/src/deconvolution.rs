//! Gradients whose rectifiers are changed on the way back: deconvolution lets pass what comes back above 0, guided
//! backpropagation what comes back above 0 where the unit was above 0 too.
//!
//! **Cost.** One run and one pull back. Sources: M. Zeiler, R. Fergus 2014; J. T. Springenberg et al. 2015.

use crate::composites::gradients;
use crate::entry::{Explain, MethodEntry, MethodNeeds};
use crate::rules::RectifyRule;
use crate::walk::Begin;
use crate::walks::{Route, Rules};

pub(crate) static DECONV_NET: MethodEntry = MethodEntry {
    aliases: &["deconvolution"],
    ..MethodEntry::new(
        "deconvnet",
        "DeconvNet: the gradient, rectified on the way back",
        MethodNeeds::SmoothNetwork,
        Explain::Walk(Route {
            rules: Rules::Set(|_| gradients(Some(RectifyRule { guided: false }))),
            begin: Begin::One,
            above_zero: false,
        }),
    )
};

pub(crate) static GUIDED_BACKPROP: MethodEntry = MethodEntry {
    aliases: &["guided-backpropagation"],
    ..MethodEntry::new(
        "guided-backprop",
        "guided backpropagation: the gradient, rectified on both passes",
        MethodNeeds::SmoothNetwork,
        Explain::Walk(Route {
            rules: Rules::Set(|_| gradients(Some(RectifyRule { guided: true }))),
            begin: Begin::One,
            above_zero: false,
        }),
    )
};
