//! A machine that questions are asked of: its chain taken apart, its network and its own explanations made ready once,
//! whatever is asked and how often.
//!
//! **Memory.** Which methods fit must not depend on the memory that happens to be free, so networks are made ready within
//! what their weights take, outside of any run. Whoever explains with one asks its run for those bytes first.
//! What a machine's own explanations hold is counted by the run that asked first, while the subject lives.

use crate::chain::{Explained, split};
use crate::entry::{Explain, MethodEntry};
use crate::machine::ScoreOf;
use crate::method::Method;
use crate::net::Net;
use base::{Error, Explainer, Explains, Hold, Machine, OwnMethod, Quantity, Result, Run, Shape};
use std::sync::{Arc, OnceLock};

/// A machine that questions are asked of.
pub struct Subject<'m> {
    parts: Explained<'m>,
    own: OnceLock<Box<dyn Explainer>>,
    /// The network with normalisations joined to the layers beside them, and without.
    fused: OnceLock<Result<Ready>>,
    plain: OnceLock<Result<Ready>>,
}

/// A network with the bytes it took.
struct Ready {
    net: Arc<Net>,
    bytes: u64,
}

/// A network in use: counted while it is held.
pub(crate) struct Lent {
    pub net: Arc<Net>,
    _hold: Hold,
}

impl<'m> Subject<'m> {
    /// Takes a machine apart; all else is found when it is first asked for.
    pub fn new(machine: &'m dyn Machine) -> Self {
        Self::of(split(machine))
    }

    /// The same of a chain that is taken apart.
    pub(crate) fn of(parts: Explained<'m>) -> Self {
        Subject { parts, own: OnceLock::new(), fused: OnceLock::new(), plain: OnceLock::new() }
    }

    /// The preparation and the machine behind it.
    pub fn parts(&self) -> &Explained<'m> {
        &self.parts
    }

    /// The machine that is explained, which takes points.
    pub fn machine(&self) -> &'m dyn Machine {
        self.parts.machine()
    }

    fn explains(&self) -> Option<&'m dyn Explains> {
        self.machine().facets().explains
    }

    /// The machine's own methods, the usual one first; none of most machines.
    pub fn own_methods(&self) -> &'static [OwnMethod] {
        self.explains().map_or(&[], |own| own.methods())
    }

    /// Whether the machine has a method of its own of that name.
    pub(crate) fn has_own(&self, name: &str) -> bool {
        self.own_methods().iter().any(|m| m.name == name)
    }

    /// The number of the machine's own that is explained in place of its outputs, if there is one.
    pub fn quantity(&self) -> Option<Quantity> {
        self.explains().and_then(|own| own.quantity())
    }

    /// The machine's own explanations, made ready once; none of most machines.
    pub fn explainer(&self, run: &Run<'_>) -> Result<Option<&dyn Explainer>> {
        let Some(own) = self.explains() else { return Ok(None) };
        if self.own.get().is_none() {
            let made = own.ready(run)?;
            return Ok(Some(&**self.own.get_or_init(|| made)));
        }
        Ok(self.explainer_at_hand())
    }

    /// The same where it is ready.
    pub(crate) fn explainer_at_hand(&self) -> Option<&dyn Explainer> {
        self.own.get().map(|own| &**own)
    }

    /// Whether a method explains the machine's own number and not one of its outputs, where nobody asks for one.
    pub(crate) fn tells_quantity(&self, entry: &MethodEntry) -> bool {
        self.quantity().is_some()
            && match entry.explain {
                Explain::Score(_) | Explain::Gradient(_) | Explain::Quantity(_) | Explain::Either { .. } => true,
                Explain::Own(_) => self.has_own(entry.name),
                Explain::Rows(_) | Explain::Walk(_) => false,
            }
    }

    /// The method of that name: of the table, or one of the machine's own.
    pub fn method(&self, name: &str) -> Result<Method> {
        Method::find_among(name, self.own_methods())
    }

    /// What the machine's own inputs make together.
    pub fn shape(&self) -> Option<Shape> {
        self.parts.shape()
    }

    /// The size of the pictures it takes, if they are some.
    pub fn picture(&self) -> Option<Shape> {
        self.shape().filter(|shape| matches!(shape, Shape::Image { .. }))
    }

    fn ready(&self, fuse: bool) -> &Result<Ready> {
        let cell = if fuse { &self.fused } else { &self.plain };
        cell.get_or_init(|| {
            let (net, bytes) = Net::planned(self.machine(), fuse)?;
            Ok(Ready { net: Arc::new(net), bytes })
        })
    }

    /// The machine's network, to look at.
    pub(crate) fn net(&self, fuse: bool) -> std::result::Result<&Net, &Error> {
        self.ready(fuse).as_ref().map(|ready| &*ready.net)
    }

    /// The machine's network, to run.
    pub(crate) fn lent(&self, fuse: bool, run: &Run<'_>) -> Result<Lent> {
        let ready = self.ready(fuse).as_ref().map_err(Error::clone)?;
        Ok(Lent { net: ready.net.clone(), _hold: run.memory.take(ready.bytes, "the network of a machine")? })
    }

    /// One output of the machine; with a gradient, if that is asked for.
    pub fn score(&self, output: usize, gradient: bool, run: &Run<'_>) -> Result<ScoreOf<'m>> {
        let lent = match self.lent(false, run) {
            Ok(lent) => Some(lent),
            Err(Error::Unsupported { .. }) => None,
            Err(other) => return Err(other),
        };
        ScoreOf::through(self.machine(), output, lent, gradient)
    }
}
