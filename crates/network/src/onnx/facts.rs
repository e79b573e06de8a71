//! What is known of each tensor while a graph is read or written: type, axes, and numbers that never change.
//!
//! Operators of ONNX leave to the tensors what our operations say themselves (over which axes, along which of how many),
//! so a reader must know ranks and types, and the numbers of those that are constant. They are found by asking each
//! operation for its forms, with stand-ins for sizes that only the data decide: what depends on a stand-in is not
//! `firm` and is used for types and ranks only. An operation that cannot say (or refuses) leaves its outputs unknown,
//! which is no error here: the plan of a run will say what is wrong, with the true sizes.

use crate::kernel::{Context, Known, TensorForm};
use crate::ops::kernel;
use crate::pool::Pool;
use base::graph::{Element, Graph, GraphInput, Op, Source, Tensor};
use base::{Result, Run};
use std::collections::HashMap;
use std::sync::Arc;

/// Numbers a constant may have to be computed while reading: enough for axes and shapes.
const CONSTANT: usize = 4096;
/// Stand-ins for unknown sizes of the first axis and of the others; not 1, which would be broadcast and squeezed, and
/// large enough for pictures to pass through many layers.
const ROWS: usize = 2;
const SIZE: usize = 240;

/// What is known of a tensor.
#[derive(Debug, Clone, Default)]
pub(super) struct Fact {
    known: Option<Known>,
    /// Whether the form is the same for all data.
    firm: bool,
    /// Whether the numbers, if known, are the same for all data.
    constant: bool,
    /// The texts whose places the numbers are.
    pub texts: Option<Arc<[String]>>,
}

/// Facts by where tensors come from.
pub(super) struct Facts<'r> {
    run: &'r Run<'r>,
    pool: Pool,
    facts: HashMap<Source, Fact>,
}

impl<'r> Facts<'r> {
    pub fn new(run: &'r Run<'r>) -> Self {
        Facts { run, pool: Pool::default(), facts: HashMap::new() }
    }

    /// All that can be known of a whole graph.
    pub fn of(graph: &Graph, run: &'r Run<'r>) -> Result<Self> {
        let mut facts = Facts::new(run);
        for (i, input) in graph.inputs().iter().enumerate() {
            facts.input(i, input);
        }
        for (i, weight) in graph.weights().iter().enumerate() {
            facts.weight(i, &weight.tensor);
        }
        for (i, node) in graph.nodes().iter().enumerate() {
            facts.node(i, &node.op, &node.inputs, node.outputs)?;
        }
        Ok(facts)
    }

    pub fn input(&mut self, i: usize, input: &GraphInput) {
        let stand_in = |(axis, size): (usize, &Option<usize>)| size.unwrap_or(if axis == 0 { ROWS } else { SIZE });
        let shape: Vec<usize> = input.shape.iter().enumerate().map(stand_in).collect();
        let known = Some(Known { form: TensorForm::new(input.element, shape), value: None });
        let firm = input.shape.iter().all(Option::is_some);
        self.facts.insert(Source::Input(i), Fact { known, firm, ..Fact::default() });
    }

    pub fn weight(&mut self, i: usize, tensor: &Tensor) {
        let known = Known { form: TensorForm::new(tensor.element(), tensor.shape()), value: Some(tensor.clone()) };
        let fact = Fact { known: Some(known), firm: true, constant: true, texts: None };
        self.facts.insert(Source::Weight(i), fact);
    }

    /// Finds out about the outputs of a node.
    pub fn node(&mut self, i: usize, op: &Op, inputs: &[Option<Source>], outputs: usize) -> Result<()> {
        let found = self.found(op, inputs, outputs)?.unwrap_or_default();
        for (port, fact) in found.into_iter().enumerate() {
            self.facts.insert(Source::Node(i, port), fact);
        }
        Ok(())
    }

    fn found(&self, op: &Op, inputs: &[Option<Source>], outputs: usize) -> Result<Option<Vec<Fact>>> {
        let none = Fact::default();
        let facts: Vec<Option<&Fact>> = inputs.iter().map(|s| s.map(|s| self.facts.get(&s).unwrap_or(&none))).collect();
        let known: Vec<Option<&Known>> = facts.iter().map(|f| f.and_then(|f| f.known.as_ref())).collect();
        if known.iter().zip(inputs).any(|(known, source)| known.is_none() && source.is_some()) {
            return Ok(None);
        }
        let kernel = kernel(op);
        let Ok(forms) = kernel.forms(&known, outputs) else { return Ok(None) };
        let all = |test: fn(&Fact) -> bool| facts.iter().flatten().all(|f| test(f));
        // A form may depend on numbers too (the shape of a reshape), if they are known at all.
        let forms_firm = all(|f| f.firm && (f.constant || f.known.as_ref().is_none_or(|k| k.value.is_none())));
        let (firm, constant) = match op {
            Op::Shape { .. } => (true, all(|f| f.firm)),
            _ => (forms_firm, all(|f| f.constant)),
        };
        let small = forms.iter().all(|f| f.count().is_ok_and(|n| n <= CONSTANT));
        let steady = kernel.is_steady() && facts.iter().flatten().all(|f| f.small());
        let mut values = kernel.known(&known).ok().flatten();
        if values.is_none() && small && steady && known.iter().flatten().all(|k| k.value.is_some()) {
            let tensors: Vec<Option<&Tensor>> = known.iter().map(|k| k.and_then(|k| k.value.as_ref())).collect();
            let context = Context { run: self.run, pool: &self.pool, training: None };
            values = kernel.run(&tensors, &forms, &context).ok();
        }
        let mut values = values.into_iter().flatten();
        let fact = |form| Fact { known: Some(Known { form, value: values.next() }), firm, constant, texts: None };
        Ok(Some(forms.into_iter().map(fact).collect()))
    }

    pub fn get(&self, source: Source) -> Option<&Fact> {
        self.facts.get(&source)
    }

    /// Says that the numbers of a tensor are places of texts.
    pub fn set_texts(&mut self, source: Source, texts: Option<Arc<[String]>>) {
        self.facts.entry(source).or_default().texts = texts;
    }
}

impl Fact {
    /// The type of its numbers.
    pub fn element(&self) -> Option<Element> {
        self.known.as_ref().map(|k| k.form.element)
    }

    /// How many axes it has.
    pub fn rank(&self) -> Option<usize> {
        self.known.as_ref().map(|k| k.form.shape.len())
    }

    /// Its shape, if that is the same for all data.
    pub fn shape(&self) -> Option<&[usize]> {
        self.known.as_ref().filter(|_| self.firm).map(|k| &k.form.shape[..])
    }

    /// Its shape with stand-ins for what the data decide.
    pub fn likely(&self) -> Option<&[usize]> {
        self.known.as_ref().map(|k| &k.form.shape[..])
    }

    /// Its numbers, if they are the same for all data.
    pub fn constant(&self) -> Option<&Tensor> {
        self.known.as_ref().filter(|_| self.constant).and_then(|k| k.value.as_ref())
    }

    fn small(&self) -> bool {
        self.known.as_ref().is_some_and(|k| k.form.count().is_ok_and(|n| n <= CONSTANT))
    }
}
