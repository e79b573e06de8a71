//! Machines one after the other, with their facets composed.

use crate::graph::Graph;
use crate::{
    Catalog, Error, Facets, Features, Field, Gradient, GraphForm, Inputs, Machine, Missing, Origin, Outputs, Points,
    PreparationStep, Record, Result, Run, Support, Supported, check_inputs,
};
use std::sync::Arc;

/// Machines one after the other, itself a machine.
pub struct Chain {
    machines: Vec<Arc<dyn Machine>>,
}

impl Chain {
    /// The kind of a chain's record.
    pub const KIND: &'static str = "chain";

    /// Machines that fit one another: what comes out of one goes into the next.
    pub fn new(machines: Vec<Arc<dyn Machine>>) -> Result<Self> {
        if machines.is_empty() {
            return Err(Error::size("machines in a chain", "at least 1", 0));
        }
        for pair in machines.windows(2) {
            let (out, into) = (pair[0].outputs().names.len(), pair[1].inputs().count());
            if out != into {
                return Err(Error::size("columns between the machines of a chain", into, out));
            }
        }
        Ok(Chain { machines })
    }

    /// The machines in order.
    pub fn machines(&self) -> &[Arc<dyn Machine>] {
        &self.machines
    }

    /// A chain from plain data, its parts made by a catalog.
    pub fn read(record: &Record, catalog: &dyn Catalog) -> Result<Self> {
        record.expect(Self::KIND, 1)?;
        let machines = record.parts("machines")?.iter().map(|part| catalog.machine(part));
        Chain::new(machines.collect::<Result<_>>()?)
    }

    /// Missing values may go in if every machine that one can reach admits it: all up to the first that lets none through.
    fn missing(&self) -> Missing {
        let of = |m: &Arc<dyn Machine>| m.facets().missing;
        let reached = self.machines.iter().take_while(|m| of(m).passes).count();
        Missing {
            admits: self.machines.iter().take(reached + 1).all(|m| of(m).admits),
            passes: reached == self.machines.len(),
        }
    }

    fn last(&self) -> &Arc<dyn Machine> {
        &self.machines[self.machines.len() - 1]
    }
}

impl Machine for Chain {
    fn inputs(&self) -> &Features {
        self.machines[0].inputs()
    }

    fn outputs(&self) -> &Outputs {
        self.last().outputs()
    }

    fn apply(&self, inputs: &Inputs, run: &Run<'_>) -> Result<Points> {
        let mut points = self.machines[0].apply(inputs, run)?;
        for pair in self.machines.windows(2) {
            let names = &pair[0].outputs().names;
            points.check_computed(pair[0].facets().missing.passes, |c| names[c].clone(), "a step of the model")?;
            points = pair[1].compute(&Inputs::Points(points), run)?;
        }
        Ok(points)
    }

    fn record(&self) -> Record {
        let parts: Vec<Record> = self.machines.iter().map(|m| m.record()).collect();
        Record::new(Self::KIND, 1).with("machines", Field::Parts(parts))
    }

    fn facets(&self) -> Facets<'_> {
        let all = |has: fn(&Facets<'_>) -> bool| self.machines.iter().all(|m| has(&m.facets()));
        let on_points = self.inputs().table().is_none();
        Facets {
            missing: self.missing(),
            gradient: (on_points && all(|f| f.gradient.is_some())).then_some(self),
            graph: all(|f| f.graph.is_some()).then_some(self),
            support: self.machines.iter().any(|m| m.facets().support.is_some()).then_some(self),
            // Told in the columns of the machine that explains itself, which are those of the chain if it is alone. Whoever
            // explains a longer chain takes it apart and carries relevance back.
            explains: self.machines[0].facets().explains.filter(|_| self.machines.len() == 1),
            step: all(|f| f.step.is_some()).then_some(self),
        }
    }

    /// Each machine judges what reaches it: a missing value in a column that the first leaves out does no harm.
    fn compute(&self, inputs: &Inputs, run: &Run<'_>) -> Result<Points> {
        check_inputs(self.inputs(), self.machines[0].facets().missing.admits, inputs)?;
        self.apply(inputs, run)
    }
}

impl Gradient for Chain {
    fn vjp(&self, points: &Points, direction: &[f64], out: &mut [f64], run: &Run<'_>) -> Result<()> {
        let mut between = vec![points.clone()];
        for machine in &self.machines[..self.machines.len() - 1] {
            let next = machine.compute(&Inputs::Points(between[between.len() - 1].clone()), run)?;
            between.push(next);
        }
        let mut back = direction.to_vec();
        for (machine, points) in self.machines.iter().zip(&between).rev() {
            let Some(gradient) = machine.facets().gradient else {
                return Err(Error::unsupported("a gradient", "a machine of the chain", "ask for scores alone"));
            };
            let size = points.len().saturating_mul(points.columns());
            let (mut pulled, _hold) = run.memory.filled(size, 0.0, "gradients")?;
            gradient.vjp(points, &back, &mut pulled, run)?;
            back = pulled;
        }
        match out.len() == back.len() {
            true => out.copy_from_slice(&back),
            false => return Err(Error::size("numbers of a gradient", back.len(), out.len())),
        }
        Ok(())
    }
}

impl GraphForm for Chain {
    fn graph(&self, run: &Run<'_>) -> Result<Option<Graph>> {
        let mut all: Option<Graph> = None;
        for machine in &self.machines {
            let Some(next) = machine.to_graph(run)? else { return Ok(None) };
            all = Some(match all {
                Some(before) => before.then(next)?,
                None => next,
            });
        }
        Ok(all)
    }
}

impl Supported for Chain {
    fn support(&self) -> Support {
        let first = self.machines.iter().find_map(|m| m.support());
        first.unwrap_or(Support { points: 0, rows: None })
    }
}

impl PreparationStep for Chain {
    fn origin(&self) -> Option<Origin> {
        let mut all: Option<Origin> = None;
        for machine in &self.machines {
            let next = machine.facets().step?.origin()?;
            all = Some(match all {
                Some(before) => next.after(&before).ok()?,
                None => next,
            });
        }
        all
    }

    fn restore(&self, outputs: &Points, run: &Run<'_>) -> Result<Option<Inputs>> {
        let mut inputs = Inputs::Points(outputs.clone());
        for machine in self.machines.iter().rev() {
            let Some(step) = machine.facets().step else { return Ok(None) };
            let Some(before) = step.restore(inputs.points()?, run)? else { return Ok(None) };
            inputs = before;
        }
        Ok(Some(inputs))
    }
}
