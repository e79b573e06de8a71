//! A machine that questions are asked of: its chain taken apart, its network made ready and its density found once,
//! whatever is asked and how often.
//!
//! **Memory.** Which methods fit must not depend on the memory that happens to be free, so networks are made ready within
//! what their weights take, outside of any run. Whoever explains with one asks its run for those bytes first.

use crate::chain::{Explained, split};
use crate::machine::ScoreOf;
use crate::net::Net;
use base::{Density, Error, Hold, Machine, Result, Run, Shape};
use std::sync::{Arc, OnceLock};

/// A machine that questions are asked of.
pub struct Subject<'m> {
    parts: Explained<'m>,
    density: OnceLock<Option<Density>>,
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
        Subject { parts, density: OnceLock::new(), fused: OnceLock::new(), plain: OnceLock::new() }
    }

    /// The preparation and the machine behind it.
    pub fn parts(&self) -> &Explained<'m> {
        &self.parts
    }

    /// The machine that is explained, which takes points.
    pub fn machine(&self) -> &'m dyn Machine {
        self.parts.machine()
    }

    /// The weighted sum of kernels that a detector is, if it is one.
    pub fn density(&self) -> Option<&Density> {
        self.density.get_or_init(|| self.machine().density()).as_ref()
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
