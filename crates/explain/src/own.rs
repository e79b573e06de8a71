//! Methods that are left to machines: the table knows their names, a machine that has them explains itself.
//!
//! A machine's own methods of other names are listed and asked for beside the table (`Subject::fitting`,
//! `Subject::method`); they need no line here.

use crate::entry::{AddsUp, Explain, MethodEntry, MethodNeeds, Usual};
use base::Over;

/// The detectors that explain themselves.
const DETECTORS: &str = "detectors that are a weighted sum of radial kernels";

pub(crate) static DTD: MethodEntry = MethodEntry {
    aliases: &["dtd-one-class"],
    adds_up: AddsUp::Always,
    if_not: "",
    usual: Usual::Quantities(0),
    ..MethodEntry::new(
        "dtd",
        "outlierness per input, never negative, with what is left unexplained",
        MethodNeeds::Own(DETECTORS),
        Explain::Own(None),
    )
};

pub(crate) static INLIER_SUPPORT: MethodEntry = MethodEntry {
    over: Over::Support,
    adds_up: AddsUp::Always,
    ..MethodEntry::new(
        "inlier-support",
        "inlierness, attributed to the support points near a row",
        MethodNeeds::Own(DETECTORS),
        Explain::Own(None),
    )
};
