//! The shape of everything, before anything runs.
//!
//! For inputs of given shapes every node's forms are found in order. What does not depend on the numbers that go in
//! (shape arithmetic, constants of constants) is computed here once and for all; nodes that need a known input, such as
//! the shape of a reshape, find it there. When each tensor is last used is noted, so that a run can let it go.

use crate::join::{Role, roles};
use crate::kernel::{Context, Known, TensorForm};
use crate::ops::kernel;
use crate::pool::Pool;
use base::graph::{Graph, Node, Source, Tensor};
use base::{Error, Memory, Result, Run};

/// Numbers a folded tensor may have, unless all it is made of are weights.
const FOLDED: usize = 1 << 16;

/// Forms of all tensors of a graph for inputs of certain shapes.
pub struct ShapePlan {
    inputs: Vec<TensorForm>,
    /// For each node what is known of its outputs.
    pub(crate) nodes: Vec<Vec<Known>>,
    /// For each node the sources that nobody uses after it.
    pub(crate) last: Vec<Vec<Source>>,
    /// For each node what becomes of it in a run that keeps nothing.
    pub(crate) roles: Vec<Role>,
}

impl ShapePlan {
    /// The plan for inputs of these forms.
    pub fn new(graph: &Graph, inputs: &[TensorForm], run: &Run<'_>) -> Result<Self> {
        check_inputs(graph, inputs)?;
        let weights: Vec<Known> = graph
            .weights()
            .iter()
            .map(|w| Known {
                form: TensorForm::new(w.tensor.element(), w.tensor.shape()),
                value: Some(w.tensor.clone()),
            })
            .collect();
        let given: Vec<Known> = inputs.iter().map(|f| Known { form: f.clone(), value: None }).collect();
        let mut nodes: Vec<Vec<Known>> = Vec::with_capacity(graph.nodes().len());
        let pool = Pool::default();
        let context = Context { run, pool: &pool, training: None };
        for node in graph.nodes() {
            let find = |source: &Option<Source>| {
                source.map(|s| match s {
                    Source::Input(i) => &given[i],
                    Source::Weight(i) => &weights[i],
                    Source::Node(i, port) => &nodes[i][port],
                })
            };
            let known: Vec<Option<&Known>> = node.inputs.iter().map(find).collect();
            let found = forms(node, &known, graph, &context)?;
            nodes.push(found);
        }
        let roles = roles(graph, &nodes);
        let mut seen = std::collections::HashSet::new();
        graph.outputs().iter().for_each(|(_, source)| _ = seen.insert(*source));
        let mut last = vec![vec![]; graph.nodes().len()];
        for (i, node) in graph.nodes().iter().enumerate().rev() {
            let joined = match &roles[i] {
                Role::Absent => continue,
                Role::Joined(joined) => Some(joined.input),
                Role::Own => None,
            };
            for source in node.inputs.iter().flatten().copied().chain(joined) {
                if matches!(source, Source::Node(..)) && seen.insert(source) {
                    last[i].push(source);
                }
            }
        }
        Ok(ShapePlan { inputs: inputs.to_vec(), nodes, last, roles })
    }

    /// The forms of the inputs it was made for.
    pub fn inputs(&self) -> &[TensorForm] {
        &self.inputs
    }

    /// The form of a node's output.
    pub fn form(&self, node: usize, output: usize) -> Option<&TensorForm> {
        self.nodes.get(node)?.get(output).map(|known| &known.form)
    }
}

/// Memory that plans may take beyond the weights where no run says how much there is.
const FRUGAL: u64 = 256 << 20;

/// A run for plans that are made where no run is at hand, such as when a machine is read: what a graph folds may take some
/// times its weights and no more, whatever sizes its nodes ask for.
pub fn frugal(graph: &Graph) -> Run<'static> {
    let weights = graph.weights().iter().map(|w| w.tensor.numbers().len() as u64 * w.tensor.element().bytes());
    let limit = weights.fold(0u64, u64::saturating_add).saturating_mul(4).saturating_add(FRUGAL);
    Run { memory: Memory::limited(limit), ..Run::quiet(0) }
}

/// The forms of a node's outputs, and their numbers if they can be known.
fn forms(node: &Node, inputs: &[Option<&Known>], graph: &Graph, context: &Context<'_>) -> Result<Vec<Known>> {
    let named = |e: Error| match e {
        Error::Cancelled | Error::Memory { .. } => e,
        other => Error::format("network", format!("node {:?} ({}): {other}", node.name, node.op.word())),
    };
    let kernel = kernel(&node.op);
    let forms = kernel.forms(inputs, node.outputs).map_err(named)?;
    if forms.len() != node.outputs {
        return Err(named(Error::size("outputs", forms.len(), node.outputs)));
    }
    for form in &forms {
        form.count().map_err(named)?;
    }
    let all_known = inputs.iter().flatten().all(|k| k.value.is_some());
    // What training changes must be computed anew each time.
    let trained = node.inputs.iter().flatten().any(|s| matches!(s, Source::Weight(w) if graph.weights()[*w].trained));
    let constant = node.inputs.iter().flatten().all(|s| matches!(s, Source::Weight(_)));
    let small = forms.iter().all(|f| f.count().is_ok_and(|n| n <= FOLDED));
    let values = match kernel.known(inputs).map_err(named)? {
        Some(values) => Some(values),
        None if all_known && !trained && (small || constant) && kernel.is_steady() => {
            let tensors: Vec<Option<&Tensor>> = inputs.iter().map(|k| k.and_then(|k| k.value.as_ref())).collect();
            Some(kernel.run(&tensors, &forms, context).map_err(named)?)
        }
        None => None,
    };
    Ok(match values {
        Some(values) => forms.into_iter().zip(values).map(|(form, v)| Known { form, value: Some(v) }).collect(),
        None => forms.into_iter().map(|form| Known { form, value: None }).collect(),
    })
}

/// Makes sure that inputs are what the graph says.
fn check_inputs(graph: &Graph, inputs: &[TensorForm]) -> Result<()> {
    if inputs.len() != graph.inputs().len() {
        return Err(Error::size("inputs of the network", graph.inputs().len(), inputs.len()));
    }
    for (expected, found) in graph.inputs().iter().zip(inputs) {
        let fits = expected.shape.len() == found.shape.len()
            && expected.shape.iter().zip(&found.shape).all(|(e, f)| e.is_none_or(|e| e == *f));
        if !fits || expected.element != found.element {
            let sizes = expected.shape.iter().map(|n| n.map_or("any".to_string(), |n| n.to_string()));
            let shape = sizes.collect::<Vec<_>>().join(" x ");
            return Err(Error::size(
                format!("input {:?} of the network", expected.name),
                format!("{} of shape {shape}", expected.element.word()),
                format!("{} of shape {:?}", found.element.word(), found.shape),
            ));
        }
    }
    Ok(())
}
