//! Which methods fit a machine, which of them add up there, and which suits it best.
//!
//! The usual method is one that adds up: the closed form of detectors, integrated gradients where the score has a gradient
//! everywhere, relevance by layers where it does not (votes) or where a network is large, Shapley values where neither
//! goes. Choices look at the machine alone: neither the rows nor the memory at hand change the method.

use crate::chain::{Explained, split};
use crate::class::Class;
use crate::method::{Method, Needs};
use crate::net::{NO_NETWORK, Net};
use crate::networks;
use crate::positions::Positions;
use crate::rivals::{COUNTED, Groups};
use crate::steps::{Follows, follows};
use crate::tuning::Tuning;
use base::graph::{Op, Source, Unary};
use base::{Error, Machine, Meaning, Result, Run, Shape};
use std::cell::OnceCell;

/// Whether a method fits a machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Fits {
    /// The method.
    pub method: Method,
    /// What it says, in a line.
    pub about: String,
    /// Whether attributions sum to the score of this machine, but for what is absorbed by constants.
    pub adds_up: bool,
    /// Why it does not fit; none if it does.
    pub why_not: Option<String>,
}

/// Numbers of weights and activations of a row beyond which a network is large.
const LARGE: u64 = 1_000_000;
/// Parts of a row that Shapley values are sampled for unasked, at most.
const PARTS: usize = 256;

/// Which methods fit a machine, and why others do not.
pub fn fitting(machine: &dyn Machine) -> Vec<Fits> {
    let parts = split(machine);
    let facts = Facts::of(&parts);
    let fits = |&method: &Method| {
        let why_not = facts.why_not(method);
        let adds_up = why_not.is_none() && facts.adds_up(method);
        let end = match (adds_up, method) {
            (true, _) => "; adds up",
            (false, Method::Dtd | Method::Gaussian | Method::Sobel | Method::Random) => "",
            (false, Method::InputGradient) => "; adds up only for linear machines",
            (false, Method::Taylor) => "; adds up to first order",
            (false, _) => "; does not add up",
        };
        Fits { method, about: format!("{}{end}", method.about()), adds_up, why_not }
    };
    Method::ALL.iter().map(fits).collect()
}

/// The method that suits a machine best.
pub fn suited(machine: &dyn Machine) -> Method {
    let parts = split(machine);
    Facts::of(&parts).suited()
}

/// Why a method does not fit a machine; none if it does.
pub(crate) fn why_not(parts: &Explained<'_>, method: Method) -> Option<String> {
    Facts::of(parts).why_not(method)
}

/// What methods ask of a machine, each found when it is first asked for.
pub(crate) struct Facts<'a> {
    parts: &'a Explained<'a>,
    net: OnceCell<Result<Net>>,
}

impl<'a> Facts<'a> {
    pub fn of(parts: &'a Explained<'a>) -> Self {
        Facts { parts, net: OnceCell::new() }
    }

    fn machine(&self) -> &dyn Machine {
        self.parts.machine()
    }

    /// The machine's network, normalisations joined.
    fn net(&self) -> &Result<Net> {
        // Not by the run's memory: how much is free must not decide which method is chosen.
        self.net.get_or_init(|| Net::planned(self.machine(), true, &Run::quiet(0)))
    }

    /// Weights and activations that a row goes through; 0 if that is not known.
    pub fn numbers(&self) -> u64 {
        self.net().as_ref().map_or(0, Net::numbers)
    }

    /// Whether each of two scores is half the log-odds of its class.
    pub fn are_halves(&self) -> bool {
        self.net().as_ref().is_ok_and(|net| crate::odds::are_halves(self.machine(), net))
    }

    /// How the score follows its inputs; none if that is not known.
    fn follows(&self) -> Option<Follows> {
        self.net().as_ref().ok().map(|net| follows(net.network.graph(), net.start))
    }

    /// Why a method does not fit; none if it does.
    pub fn why_not(&self, method: Method) -> Option<String> {
        let inner = self.machine();
        let density = || inner.density().is_some();
        let said = |wrong: bool, why: &str| wrong.then(|| why.to_string());
        match method.needs() {
            Needs::Density => {
                said(!density(), "the machine is not a detector that is a weighted sum of radial kernels")
            }
            Needs::Support => said(
                !density() && inner.by_support().is_none(),
                "the machine's scores are not sums over training points",
            ),
            Needs::Slope if density() => None,
            Needs::Slope => self.no_gradient(),
            Needs::Root if density() => None,
            Needs::Root => {
                let found = inner.by_support().is_some() && inner.outputs().meaning == Meaning::Classes;
                let why = "a root is looked for towards support points of a detector or classifier";
                said(!found, why).or_else(|| self.no_gradient())
            }
            Needs::Network => match self.net() {
                Err(Error::Unsupported { .. }) => Some("the machine has no form as a network".into()),
                Err(other) => Some(other.to_string()),
                Ok(_) if method.by_gradient() && self.no_gradient().is_some() => self.no_gradient(),
                Ok(net) => networks::why_not(net, method),
            },
            Needs::LastConvolution => match self.net() {
                Ok(_) if picture(self.parts).is_none() => Some("the inputs are not a picture of known size".into()),
                Ok(net) => {
                    let convolves = net.network.graph().nodes().iter().any(|n| matches!(n.op, Op::Conv { .. }));
                    said(!convolves, "the network has no convolution")
                }
                Err(Error::Unsupported { .. }) => Some(format!("the machine: {NO_NETWORK}")),
                Err(other) => Some(other.to_string()),
            },
            Needs::Picture => said(picture(self.parts).is_none(), "the inputs are not a picture of known size"),
            Needs::Score if method == Method::Shapley => {
                let count = self.pieces();
                (count > COUNTED)
                    .then(|| format!("{count} parts are too many to count all sets of (at most {COUNTED})"))
            }
            Needs::Score | Needs::Nothing => None,
        }
    }

    /// How many parts rows are cut into by the usual settings.
    fn pieces(&self) -> usize {
        Groups::new(self.machine().inputs().count(), shape(self.parts), Tuning::default().patch).count
    }

    /// Why gradients tell nothing; none if they do.
    pub fn no_gradient(&self) -> Option<String> {
        let known = self.follows();
        match known {
            Some(found) if !found.somewhere && found.in_steps => {
                Some("the score changes in steps: its gradient is 0 almost everywhere".into())
            }
            Some(_) => None,
            None if self.machine().facets().gradient.is_some() => None,
            None => Some("the machine has neither a gradient nor a form as a network".into()),
        }
    }

    /// Whether attributions of a method that fits sum to the score, but for what constants absorb.
    pub fn adds_up(&self, method: Method) -> bool {
        match method {
            Method::Dtd | Method::Support | Method::InlierSupport | Method::Gaussian => true,
            Method::KernelShap | Method::Shapley => true,
            Method::IntegratedGradients => self.smooth(),
            _ if method.walks() => self.net().as_ref().is_ok_and(|net| walk_adds_up(net, method)),
            _ => false,
        }
    }

    /// Whether gradients account for all that a score changes by.
    fn smooth(&self) -> bool {
        let inner = self.machine();
        match self.follows() {
            _ if inner.density().is_some() => true,
            Some(found) => found.everywhere(),
            // A kernel machine of three or more classes counts votes.
            None => {
                inner.facets().gradient.is_some() && (inner.by_support().is_none() || inner.outputs().names.len() < 3)
            }
        }
    }

    fn fits(&self, method: Method) -> bool {
        self.why_not(method).is_none() && self.adds_up(method)
    }

    /// The method that suits best.
    pub fn suited(&self) -> Method {
        let large = || self.numbers() > LARGE;
        match () {
            () if self.fits(Method::Dtd) => Method::Dtd,
            () if large() && self.fits(Method::LrpComposite) => Method::LrpComposite,
            () if self.fits(Method::IntegratedGradients) => Method::IntegratedGradients,
            () if self.fits(Method::LrpEpsilon) => Method::LrpEpsilon,
            () if self.pieces() <= PARTS => Method::KernelShap,
            () if self.fits(Method::Support) => Method::Support,
            () => Method::Occlusion,
        }
    }
}

/// Whether a walk keeps the score on its way through every operation of a network.
fn walk_adds_up(net: &Net, method: Method) -> bool {
    if (method.by_gradient() && !method.lifts()) || method.by_two_signs() {
        return false;
    }
    let graph = net.network.graph();
    let positions = Positions::of(graph, net.start, &[Source::Input(0)]);
    let mut on_the_way = graph.nodes().iter().enumerate().filter(|(i, _)| positions.leads[*i]);
    on_the_way.all(|(i, node)| match Class::of(&node.op, &positions.wanted[i]) {
        class if method.lifts() => crate::deep_lift::keeps(&node.op, class),
        // Kernels are shared out by what they add; rules that look at weights alone or at one sign give much to points
        // that are far away, and lose it there.
        Class::Curve | Class::Measure | Class::Distance | Class::SoftPool => method.dense_by_value(),
        Class::Activation if method.by_one_sign() => {
            matches!(node.op, Op::Unary(Unary::Relu | Unary::Sigmoid | Unary::Softplus | Unary::Abs | Unary::Identity))
        }
        _ => true,
    })
}

/// The size of the pictures a machine takes, if they are some.
pub(crate) fn picture(parts: &Explained<'_>) -> Option<Shape> {
    shape(parts).filter(|shape| matches!(shape, Shape::Image { .. }))
}

/// What the machine's own inputs make together.
pub(crate) fn shape(parts: &Explained<'_>) -> Option<Shape> {
    let told = || parts.origin().ok().and_then(|(o, _)| o.features.shape());
    parts.machine().inputs().shape().or_else(told)
}
