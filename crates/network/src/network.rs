//! A graph ready to run.

use crate::join::Role;
use crate::kernel::{Context, Kernel, TensorForm};
use crate::ops::kernel;
use crate::plan::ShapePlan;
use crate::pool::Pool;
use crate::tape::Tape;
use base::graph::{Graph, Source, Tensor};
use base::{Error, Progress, Result, Run, Seed};
use std::sync::{Arc, Mutex, PoisonError};

/// A graph ready to run; plans and buffers are kept from run to run.
pub struct Network {
    graph: Arc<Graph>,
    /// The graph's weights, as training has left them.
    weights: Vec<Tensor>,
    pool: Pool,
    plan: Mutex<Option<Arc<ShapePlan>>>,
}

/// What a run keeps.
pub(crate) struct Values {
    /// For each node its outputs, as far as they are kept.
    pub nodes: Vec<Option<Vec<Tensor>>>,
}

impl Network {
    /// A network that computes what the graph says.
    pub fn new(graph: impl Into<Arc<Graph>>) -> Self {
        let graph = graph.into();
        let weights = graph.weights().iter().map(|w| w.tensor.clone()).collect();
        Network { graph, weights, pool: Pool::default(), plan: Mutex::new(None) }
    }

    /// The weights, in the order of the graph's.
    pub fn weights(&self) -> &[Tensor] {
        &self.weights
    }

    /// Puts other numbers into a weight that may be trained.
    pub fn set_weight(&mut self, index: usize, tensor: Tensor) -> Result<()> {
        let Some(weight) = self.graph.weights().get(index).filter(|w| w.trained) else {
            return Err(Error::parameter("weight", index, "must be one that may be trained"));
        };
        if weight.tensor.shape() != tensor.shape() || weight.tensor.element() != tensor.element() {
            let (expected, found) = (weight.tensor.shape(), tensor.shape());
            return Err(Error::size(
                format!("weight {:?}", weight.name),
                format!("{expected:?}"),
                format!("{found:?}"),
            ));
        }
        self.weights[index] = tensor;
        Ok(())
    }

    /// Puts other numbers of the same form into a weight; what has no place is dropped.
    pub(crate) fn put_weight(&mut self, index: usize, tensor: Tensor) {
        if let Some(weight) = self.weights.get_mut(index) {
            *weight = tensor;
        }
    }

    /// The graph with the weights as they are now.
    pub fn trained_graph(&self) -> Result<Graph> {
        let put = |graph: Graph, (i, tensor): (usize, &Tensor)| graph.with_weight(i, tensor.clone());
        self.weights.iter().enumerate().try_fold((*self.graph).clone(), put)
    }

    /// The graph.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The plan for inputs of these forms; the last one is kept.
    pub fn plan(&self, inputs: &[TensorForm], run: &Run<'_>) -> Result<Arc<ShapePlan>> {
        let mut kept = self.plan.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(plan) = kept.as_ref().filter(|plan| plan.inputs() == inputs) {
            return Ok(plan.clone());
        }
        let plan = Arc::new(ShapePlan::new(&self.graph, inputs, run)?);
        *kept = Some(plan.clone());
        Ok(plan)
    }

    /// The outputs for these inputs.
    pub fn run(&self, inputs: &[Tensor], run: &Run<'_>) -> Result<Vec<Tensor>> {
        let values = self.values(inputs, false, None, run)?;
        self.graph.outputs().iter().map(|(_, source)| self.find(*source, inputs, &values).cloned()).collect()
    }

    /// Runs and keeps what every node gave, so that gradients can be pulled back.
    pub fn tape<'n>(&'n self, inputs: &[Tensor], run: &Run<'_>) -> Result<Tape<'n>> {
        self.tape_of(inputs, None, run)
    }

    /// The same as in training: what is dropped is drawn from the seed.
    pub fn training_tape<'n>(&'n self, inputs: &[Tensor], seed: Seed, run: &Run<'_>) -> Result<Tape<'n>> {
        self.tape_of(inputs, Some(seed), run)
    }

    fn tape_of<'n>(&'n self, inputs: &[Tensor], training: Option<Seed>, run: &Run<'_>) -> Result<Tape<'n>> {
        let values = self.values(inputs, true, training, run)?;
        Ok(Tape::new(self, inputs.to_vec(), values, training))
    }

    /// Runs node after node; what is no longer needed goes, unless all is to be kept.
    fn values(&self, inputs: &[Tensor], keep: bool, training: Option<Seed>, run: &Run<'_>) -> Result<Values> {
        let forms: Vec<TensorForm> = inputs.iter().map(|t| TensorForm::new(t.element(), t.shape())).collect();
        let plan = self.plan(&forms, run)?;
        let count = self.graph.nodes().len();
        let mut values = Values { nodes: vec![None; count] };
        for (i, node) in self.graph.nodes().iter().enumerate() {
            run.report(&Progress::of("network", i as u64, count as u64))?;
            let role = if keep { &Role::Own } else { &plan.roles[i] };
            if *role == Role::Absent {
                continue;
            }
            let known = &plan.nodes[i];
            let folded: Option<Vec<Tensor>> = known.iter().map(|k| k.value.clone()).collect();
            let forms = || known.iter().map(|k| k.form.clone()).collect::<Vec<TensorForm>>();
            let context = Context { run, pool: &self.pool, training: training.map(|s| s.at(i)) };
            let (place, found) = match (folded, role) {
                (Some(folded), _) => (i, folded),
                (None, Role::Joined(joined)) => {
                    let mut tensors = vec![Some(self.find(joined.input, inputs, &values)?)];
                    for source in &node.inputs[1..] {
                        tensors.push(source.map(|s| self.find(s, inputs, &values)).transpose()?);
                    }
                    (joined.out, joined.kernel().run(&tensors, &forms(), &context)?)
                }
                (None, _) => {
                    let tensors = self.inputs_of(i, inputs, &values)?;
                    (i, kernel(&node.op).run(&tensors, &forms(), &context)?)
                }
            };
            values.nodes[place] = Some(found);
            if !keep {
                for source in &plan.last[i] {
                    if let Source::Node(j, port) = *source {
                        release(&mut values.nodes[j], port);
                    }
                }
            }
        }
        Ok(values)
    }

    /// What goes into a node.
    pub(crate) fn inputs_of<'v>(
        &'v self,
        node: usize,
        inputs: &'v [Tensor],
        values: &'v Values,
    ) -> Result<Vec<Option<&'v Tensor>>> {
        let sources = &self.graph.nodes()[node].inputs;
        sources.iter().map(|source| source.map(|s| self.find(s, inputs, values)).transpose()).collect()
    }

    /// The tensor at a source.
    pub(crate) fn find<'v>(&'v self, source: Source, inputs: &'v [Tensor], values: &'v Values) -> Result<&'v Tensor> {
        let found = match source {
            Source::Input(i) => inputs.get(i),
            Source::Weight(i) => self.weights.get(i),
            Source::Node(i, port) => values.nodes.get(i).and_then(Option::as_ref).and_then(|ports| ports.get(port)),
        };
        found.ok_or_else(|| Error::size("tensors of a network", "one that was kept", format!("{source:?}")))
    }

    pub(crate) fn pool(&self) -> &Pool {
        &self.pool
    }
}

/// Lets a tensor go; its place stays, so that other ports keep their number.
fn release(ports: &mut Option<Vec<Tensor>>, port: usize) {
    if let Some(list) = ports {
        match list.len() {
            1 => *ports = None,
            _ => {
                if let Ok(nothing) = Tensor::bool([0], vec![]) {
                    list[port] = nothing;
                }
            }
        }
    }
}
