//! Which methods fit a machine, which of them add up there, and which suits it best.
//!
//! The usual method is one that adds up: the machine's own where it has one, integrated gradients where the score has a gradient
//! everywhere, relevance by layers where it does not (votes) or where a network is large, Shapley values where neither
//! goes. Choices look at the machine alone: neither the rows nor the memory at hand change the method.

use crate::attribution::{COUNTED, Groups};
use crate::entry::{AddsUp, MethodEntry, MethodNeeds, Usual};
use crate::method::{Method, beside_table};
use crate::net::{NO_NETWORK, Net};
use crate::positions::Positions;
use crate::steps::{Follows, follows};
use crate::subject::Subject;
use crate::tuning::Tuning;
use base::graph::{Class, Op, Source};
use base::{Error, Machine, Meaning, Result};

/// Whether a method fits a machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Suitability {
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
/// Fitness is that of the network with normalisations joined.
const FUSED: bool = true;

/// Which methods fit a machine, and why others do not.
pub fn fitting(machine: &dyn Machine) -> Vec<Suitability> {
    Subject::new(machine).fitting()
}

/// The method that suits a machine best.
pub fn suited(machine: &dyn Machine) -> Method {
    Subject::new(machine).suited()
}

/// The method of that name for a machine: of the table, or one of the machine's own.
pub fn method_named(machine: &dyn Machine, name: &str) -> Result<Method> {
    Subject::new(machine).method(name)
}

impl Subject<'_> {
    /// Which methods fit, and why others do not.
    pub fn fitting(&self) -> Vec<Suitability> {
        let fits = |method: Method| {
            let entry = method.entry();
            let why_not = self.why_not(&entry);
            let adds_up = why_not.is_none() && self.adds_up(&entry);
            let end = if adds_up { "; conservative" } else { entry.if_not };
            Suitability { method, about: format!("{}{end}", entry.about), adds_up, why_not }
        };
        Method::ALL.into_iter().chain(beside_table(self.own_methods())).map(fits).collect()
    }

    /// The methods worth comparing: the machine's own by column that no table names, then for machines that explain a
    /// number of their own those made for such numbers, else those for outputs, as far as they fit.
    pub fn usual_methods(&self) -> Vec<Method> {
        let own_number = self.quantity().is_some();
        let place = |method: Method| match method.entry().usual {
            Usual::Quantities(place) if own_number => Some((place, method)),
            Usual::Machines(place) if !own_number => Some((place, method)),
            Usual::Quantities(_) | Usual::Machines(_) | Usual::No => None,
        };
        let fits = |(_, method): &(u8, Method)| self.why_not(&method.entry()).is_none();
        let mut all: Vec<(u8, Method)> = Method::ALL.into_iter().filter_map(place).filter(fits).collect();
        all.sort_by_key(|(place, _)| *place);
        let own = beside_table(self.own_methods()).filter(|m| !m.of_support());
        own.chain(all.into_iter().map(|(_, method)| method)).collect()
    }

    /// Weights and activations that a row goes through; 0 if that is not known.
    pub(crate) fn numbers(&self) -> u64 {
        self.net(FUSED).map_or(0, Net::numbers)
    }

    /// Whether each of two scores is half the log-odds of its class.
    pub(crate) fn are_halves(&self) -> bool {
        self.net(FUSED).is_ok_and(|net| crate::odds::are_halves(self.machine(), net))
    }

    /// How the score follows its inputs; none if that is not known.
    fn follows(&self) -> Option<Follows> {
        self.net(FUSED).ok().map(|net| follows(net.network.graph(), net.start))
    }

    /// Why a method does not fit; none if it does.
    pub fn why_not(&self, entry: &MethodEntry) -> Option<String> {
        let inner = self.machine();
        let quantity = self.quantity();
        let said = |wrong: bool, why: &str| wrong.then(|| why.to_string());
        match entry.needs {
            MethodNeeds::Nothing => None,
            MethodNeeds::Own(who) => (!self.has_own(entry.name)).then(|| {
                format!(
                    "the machine has no built-in explanation of this kind; \
                     {who} do"
                )
            }),
            MethodNeeds::References => said(
                quantity.is_none_or(|q| !q.references),
                "the machine is not a detector that is a weighted sum of radial kernels over support points",
            ),
            MethodNeeds::Support => said(
                !self.has_own(entry.name) && inner.by_support().is_none(),
                "the machine's scores are not sums over training points",
            ),
            MethodNeeds::Gradient | MethodNeeds::Root if quantity.is_some_and(|q| !q.gradient) => {
                Some("the quantity the machine explains has no gradient".into())
            }
            MethodNeeds::Gradient if quantity.is_some() => None,
            MethodNeeds::Gradient => self.no_gradient(),
            MethodNeeds::Root if quantity.is_some_and(|q| q.references) => None,
            MethodNeeds::Root if quantity.is_some() => Some("needs support points to search for a root".into()),
            MethodNeeds::Root => {
                let found = inner.by_support().is_some() && inner.outputs().meaning == Meaning::Classes;
                let why = "needs support points of a detector or classifier to search for a root";
                said(!found, why).or_else(|| self.no_gradient())
            }
            MethodNeeds::Network | MethodNeeds::SmoothNetwork => match self.net(FUSED) {
                Err(Error::Unsupported { .. }) => Some("the machine cannot be written as a network".into()),
                Err(other) => Some(other.to_string()),
                Ok(net) => {
                    let flat = if entry.needs == MethodNeeds::SmoothNetwork { self.no_gradient() } else { None };
                    flat.or_else(|| entry.walk().and_then(|walk| walk.why_not(net)))
                }
            },
            MethodNeeds::LastConvolution => match self.net(FUSED) {
                Ok(_) if self.picture().is_none() => Some("the inputs are not an image of known size".into()),
                Ok(net) => {
                    let convolves = net.network.graph().nodes().iter().any(|n| matches!(n.op, Op::Conv { .. }));
                    said(!convolves, "the network has no convolution")
                }
                Err(Error::Unsupported { .. }) => Some(format!("the machine: {NO_NETWORK}")),
                Err(other) => Some(other.to_string()),
            },
            MethodNeeds::Picture => said(self.picture().is_none(), "the inputs are not an image of known size"),
            MethodNeeds::FewParts => {
                let count = self.pieces();
                (count > COUNTED)
                    .then(|| format!("{count} parts are too many for exact Shapley values (at most {COUNTED})"))
            }
        }
    }

    /// How many parts rows are cut into by the usual settings.
    fn pieces(&self) -> usize {
        Groups::new(self.machine().inputs().count(), self.shape(), Tuning::default().patch).count
    }

    /// Why gradients tell nothing; none if they do.
    pub(crate) fn no_gradient(&self) -> Option<String> {
        let known = self.follows();
        match known {
            Some(found) if !found.somewhere && found.in_steps => {
                Some("the score is piecewise constant: its gradient is 0 almost everywhere".into())
            }
            Some(_) => None,
            None if self.machine().facets().gradient.is_some() => None,
            None => Some("the machine has no gradient and cannot be written as a network".into()),
        }
    }

    /// Whether attributions of a method that fits sum to the score, but for what constants absorb.
    pub fn adds_up(&self, entry: &MethodEntry) -> bool {
        match entry.adds_up {
            AddsUp::Always => true,
            AddsUp::Smooth => self.smooth(),
            AddsUp::Through(keeps) => self.net(FUSED).is_ok_and(|net| all_keep(net, keeps)),
            AddsUp::Never => false,
        }
    }

    /// Whether gradients account for all that a score changes by.
    fn smooth(&self) -> bool {
        let inner = self.machine();
        match self.follows() {
            _ if self.quantity().is_some() => self.quantity().is_some_and(|q| q.gradient),
            Some(found) => found.everywhere(),
            // A kernel machine of three or more classes counts votes.
            None => {
                inner.facets().gradient.is_some() && (inner.by_support().is_none() || inner.outputs().names.len() < 3)
            }
        }
    }

    fn fits(&self, method: Method) -> bool {
        let entry = method.entry();
        self.why_not(&entry).is_none() && self.adds_up(&entry)
    }

    /// The usual one of the machine's own methods.
    fn own_usual(&self) -> Option<Method> {
        let first = self.own_methods().first()?;
        Method::ALL.into_iter().find(|m| m.word() == first.name).or(Some(Method::Own(first)))
    }

    /// The method that suits best.
    pub fn suited(&self) -> Method {
        let large = || self.numbers() > LARGE;
        if let Some(own) = self.own_usual() {
            return own;
        }
        match () {
            () if large() && self.fits(Method::LrpComposite) => Method::LrpComposite,
            () if self.fits(Method::IntegratedGradients) => Method::IntegratedGradients,
            () if self.fits(Method::LrpEpsilon) => Method::LrpEpsilon,
            () if self.pieces() <= PARTS => Method::KernelShap,
            () if self.fits(Method::Support) => Method::Support,
            () => Method::Occlusion,
        }
    }
}

/// Whether every operation between the score and the inputs of a network keeps what it is given.
fn all_keep(net: &Net, keeps: fn(&Op, Class) -> bool) -> bool {
    let graph = net.network.graph();
    let positions = Positions::of(graph, net.start, &[Source::Input(0)]);
    let mut on_the_way = graph.nodes().iter().enumerate().filter(|(i, _)| positions.leads[*i]);
    on_the_way.all(|(i, node)| keeps(&node.op, node.op.class(&positions.wanted[i])))
}
