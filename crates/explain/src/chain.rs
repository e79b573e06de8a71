//! A chain taken apart: the steps of preparation, and the machine that is explained.
//!
//! The machine is explained on its own inputs, and relevance is carried back through the steps before it by
//! [`base::Origin`]: scaled columns stay columns, parts of a category are added up, words and pixels keep their names.
//! Where a step mixes columns (principal components, resized pictures) the walk back ends at what that step made, and the
//! note says so. What comes after the machine, a calibration, changes no order and is left out.

use base::{Advice, Chain, Error, Inputs, Machine, Meaning, Message, Origin, Points, Result, Run, Shape};

/// The parts of a chain.
pub struct Explained<'m> {
    before: Vec<&'m dyn Machine>,
    machine: &'m dyn Machine,
}

/// Takes a machine apart: the first that makes no features is the one to be explained.
pub fn split(machine: &dyn Machine) -> Explained<'_> {
    let mut all = vec![];
    flatten(machine, &mut all);
    let place = all.iter().position(|m| m.outputs().meaning != Meaning::Features).unwrap_or(all.len() - 1);
    let machine = all[place];
    all.truncate(place);
    Explained { before: all, machine }
}

fn flatten<'m>(machine: &'m dyn Machine, all: &mut Vec<&'m dyn Machine>) {
    match machine.downcast::<Chain>() {
        None => all.push(machine),
        Some(chain) => chain.machines().iter().for_each(|m| flatten(&**m, all)),
    }
}

impl<'m> Explained<'m> {
    /// The same preparation before another machine.
    pub(crate) fn with<'o>(&self, machine: &'o dyn Machine) -> Explained<'o>
    where
        'm: 'o,
    {
        Explained { before: self.before.clone(), machine }
    }

    /// A machine without any preparation, not taken apart.
    pub(crate) fn bare(machine: &'m dyn Machine) -> Self {
        Explained { before: vec![], machine }
    }

    /// The machine that is explained.
    pub fn machine(&self) -> &'m dyn Machine {
        self.machine
    }

    /// Rows as that machine gets them.
    pub fn prepare(&self, inputs: &Inputs, run: &Run<'_>) -> Result<Points> {
        let mut inputs = inputs.clone();
        for step in &self.before {
            inputs = Inputs::Points(step.compute(&inputs, run)?);
        }
        match inputs {
            Inputs::Points(points) => Ok(points),
            Inputs::Table(_) => Err(Error::unsupported(
                "a machine that takes a table itself",
                "explain",
                Message::from("put a preparation before it").with(Advice::prepare("auto")),
            )),
        }
    }

    /// What its inputs belong to, and a note where that is not what came from the file.
    pub fn origin(&self) -> Result<(Origin, Option<String>)> {
        let mut all = match self.machine.inputs().table() {
            None => Origin::same(self.machine.inputs()),
            Some(_) => return Err(Error::size("inputs of the machine explained", "points", "a table")),
        };
        // Names and shape are those of the step before, which know more.
        if let Some(last) = self.before.last() {
            all.features = last.outputs().as_features();
        }
        for step in self.before.iter().rev() {
            let Some(origin) = step.facets().step.and_then(|s| s.origin()) else {
                let kind = step.kind();
                let note = format!("in the columns that the step {kind:?} makes, since it mixes its input columns");
                return Ok((all, Some(note)));
            };
            all = all.after(&origin)?;
        }
        Ok((all, None))
    }

    /// What the machine's own inputs make together.
    pub fn shape(&self) -> Option<Shape> {
        let told = || self.origin().ok().and_then(|(o, _)| o.features.shape());
        self.machine.inputs().shape().or_else(told)
    }

    /// What prepared rows looked like before the preparation, as far as that can be told.
    pub fn restore(&self, points: &Points, run: &Run<'_>) -> Result<Option<Inputs>> {
        let mut inputs = Inputs::Points(points.clone());
        for step in self.before.iter().rev() {
            let Some(step) = step.facets().step else { return Ok(None) };
            let Some(before) = step.restore(inputs.points()?, run)? else { return Ok(None) };
            inputs = before;
        }
        Ok(Some(inputs))
    }
}
