//! What a run left behind, and gradients through it.

use crate::kernel::{Call, Context};
use crate::network::{Network, Values};
use crate::ops::{add, kernel, running};
use base::graph::{Op, Source, Tensor};
use base::{Error, Progress, Result, Run, Seed};
use std::collections::HashMap;

/// A run of a network with everything its nodes gave.
pub struct Tape<'n> {
    network: &'n Network,
    inputs: Vec<Tensor>,
    values: Values,
    training: Option<Seed>,
}

impl<'n> Tape<'n> {
    pub(crate) fn new(network: &'n Network, inputs: Vec<Tensor>, values: Values, training: Option<Seed>) -> Self {
        Tape { network, inputs, values, training }
    }

    /// The tensor at a source: an input, a weight, an activation.
    pub fn value(&self, source: Source) -> Result<&Tensor> {
        self.network.find(source, &self.inputs, &self.values)
    }

    /// The outputs of the network.
    pub fn outputs(&self) -> Result<Vec<&Tensor>> {
        self.network.graph().outputs().iter().map(|(_, source)| self.value(*source)).collect()
    }

    /// The running means and variances of batch normalisations after what this run of training saw: a tenth of the
    /// batch's go into each. Weights by their place in the graph.
    pub(crate) fn batch_statistics(&self, run: &Run<'_>) -> Result<Vec<(usize, Tensor)>> {
        let mut found = vec![];
        for (i, node) in self.network.graph().nodes().iter().enumerate() {
            if let (Op::BatchNorm { .. }, [.., Some(Source::Weight(mean)), Some(Source::Weight(variance))]) =
                (&node.op, &node.inputs[..])
            {
                let inputs = self.network.inputs_of(i, &self.inputs, &self.values)?;
                let context = Context { run, pool: self.network.pool(), training: None };
                let (first, second) = running(&inputs, &context)?;
                found.extend([(*mean, first), (*variance, second)]);
            }
        }
        Ok(found)
    }

    /// Pulls gradients that begin at some sources back to others; none where nothing arrives.
    ///
    /// With y the tensors at `seeds` and g their gradients, the result for a source x is Σ g ∂y/∂x. Branches add up.
    pub fn pull(&self, seeds: &[(Source, Tensor)], wanted: &[Source], run: &Run<'_>) -> Result<Vec<Option<Tensor>>> {
        let graph = self.network.graph();
        let context = Context { run, pool: self.network.pool(), training: self.training };
        let mut gradients: HashMap<Source, Tensor> = HashMap::new();
        for (source, gradient) in seeds {
            let value = self.value(*source)?;
            if value.shape() != gradient.shape() || value.element() != gradient.element() {
                let (expected, found) = (value.shape(), gradient.shape());
                return Err(Error::size("a gradient to begin with", format!("{expected:?}"), format!("{found:?}")));
            }
            put(&mut gradients, *source, gradient.clone(), &context)?;
        }
        let needed = self.on_the_way(wanted);
        let count = graph.nodes().len();
        for (i, node) in graph.nodes().iter().enumerate().rev() {
            if !needed[i] {
                continue;
            }
            run.report(&Progress::of("gradient", (count - i) as u64, count as u64))?;
            let own: Vec<Option<Tensor>> =
                (0..node.outputs).map(|port| gradients.get(&Source::Node(i, port)).cloned()).collect();
            if own.iter().all(Option::is_none) {
                continue;
            }
            let leads = |source: &Option<Source>| {
                source.is_some_and(|s| wanted.contains(&s) || matches!(s, Source::Node(j, _) if needed[j]))
            };
            let asked: Vec<bool> = node.inputs.iter().map(leads).collect();
            let inputs = self.network.inputs_of(i, &self.inputs, &self.values)?;
            let outputs = self.values.nodes[i].as_deref().unwrap_or(&[]);
            let call = Call { inputs: &inputs, outputs, gradients: &own, wanted: &asked };
            let context = Context { training: self.training.map(|s| s.at(i)), ..context };
            let pulled = kernel(&node.op).pull(&call, &context)?;
            // What nobody asked for can go; its buffer serves the next.
            for port in 0..node.outputs {
                let source = Source::Node(i, port);
                if !wanted.contains(&source) {
                    gradients.remove(&source);
                }
            }
            for ((source, gradient), asked) in node.inputs.iter().zip(pulled).zip(&asked) {
                if let (Some(source), Some(gradient), true) = (source, gradient, *asked) {
                    put(&mut gradients, *source, gradient, &context)?;
                }
            }
        }
        Ok(wanted.iter().map(|source| gradients.get(source).cloned()).collect())
    }

    /// Pulls gradients of the outputs of one node back to those of its inputs that are `wanted`.
    pub fn pull_node(
        &self,
        node: usize,
        gradients: &[Option<Tensor>],
        wanted: &[bool],
        run: &Run<'_>,
    ) -> Result<Vec<Option<Tensor>>> {
        let inputs = self.network.inputs_of(node, &self.inputs, &self.values)?;
        let outputs = self.values.nodes[node].as_deref().unwrap_or(&[]);
        self.network.pull_back(&self.network.graph().nodes()[node].op, &inputs, outputs, gradients, wanted, run)
    }

    /// Whether a wanted source lies at or before each node.
    fn on_the_way(&self, wanted: &[Source]) -> Vec<bool> {
        let mut needed: Vec<bool> = vec![];
        for (i, node) in self.network.graph().nodes().iter().enumerate() {
            let through = |source: &Source| match source {
                Source::Node(j, _) => needed[*j],
                other => wanted.contains(other),
            };
            let itself = (0..node.outputs).any(|port| wanted.contains(&Source::Node(i, port)));
            let found = itself || node.inputs.iter().flatten().any(through);
            needed.push(found);
        }
        needed
    }
}

/// Adds a gradient to what has arrived at a source.
fn put(all: &mut HashMap<Source, Tensor>, source: Source, gradient: Tensor, context: &Context<'_>) -> Result<()> {
    let sum = match all.remove(&source) {
        Some(before) => add(&before, &gradient, context)?,
        None => gradient,
    };
    all.insert(source, sum);
    Ok(())
}
