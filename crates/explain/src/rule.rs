//! How relevance goes back through one operation, and which way is taken where.
//!
//! A rule is a value; a [`Composite`] is a list of conditions with rules, and the first that holds decides. Relevance
//! arrives at a node's outputs and leaves at its inputs; what stays behind is accounted for row by row.

use crate::parts::WeightParts;
use base::graph::{Class, Graph, Node, Op, Tensor};
use base::{Error, Result, Run};
use network::{Network, Tape};
use std::fmt::Debug;
use std::sync::Arc;

/// A way back through an operation.
pub trait Rule: Send + Sync + Debug {
    /// Its name.
    fn word(&self) -> &'static str;

    /// Whether it asks for the slope of what is explained ([`Call::slope`]).
    fn needs_slope(&self) -> bool {
        false
    }

    /// Takes relevance back.
    fn back(&self, call: &Call<'_>, run: &Run<'_>) -> Result<Back>;
}

/// One node on the way back.
pub struct Call<'a> {
    /// The network, which lends its operations ([`Network::apply`]) and buffers.
    pub network: &'a Network,
    /// What its run left behind.
    pub tape: &'a Tape<'a>,
    /// Weights made ready once for all walks.
    pub parts: &'a WeightParts,
    /// How many rows are explained; the first axis of what flows counts them.
    pub rows: usize,
    /// The node's place in the graph.
    pub place: usize,
    /// The node.
    pub node: &'a Node,
    /// What went in; none where an optional input is absent.
    pub inputs: &'a [Option<&'a Tensor>],
    /// For each input whether it is known to have no number below 0.
    pub nonnegative: &'a [bool],
    /// For each input whether relevance is asked for it; the others are constants.
    pub wanted: &'a [bool],
    /// What came out first.
    pub output: &'a Tensor,
    /// Relevance of that.
    pub relevance: &'a Tensor,
    /// Relevance of all outputs, where it arrived.
    pub relevances: &'a [Option<Tensor>],
    /// ∂score/∂output, where a rule asked for it.
    pub slope: Option<&'a Tensor>,
}

/// What a rule answers.
#[derive(Debug, Default)]
pub struct Back {
    /// Relevance of each input, where asked for.
    pub inputs: Vec<Option<Tensor>>,
    /// What stays with constants, for each row; empty: nothing.
    pub absorbed: Vec<f64>,
    /// What stabilisers cost, for each row; empty: nothing.
    pub lost: Vec<f64>,
}

impl Call<'_> {
    /// The input at a place; absent is an error that names the node.
    pub fn input(&self, place: usize) -> Result<&Tensor> {
        self.inputs.get(place).copied().flatten().ok_or_else(|| self.refuse(&format!("input {place} is absent")))
    }

    /// The error of a rule that does not fit this node.
    pub fn refuse(&self, why: &str) -> Error {
        let (name, op) = (&self.node.name, self.node.op.word());
        Error::unsupported(format!("node {name:?} ({op}: {why})"), "this relevance rule", "choose another rule for it")
    }

    /// The only input that is asked for.
    pub fn only(&self) -> Result<usize> {
        let mut asked = self.wanted.iter().enumerate().filter(|(_, w)| **w).map(|(i, _)| i);
        match (asked.next(), asked.next()) {
            (Some(one), None) => Ok(one),
            _ => Err(self.refuse("exactly one input must carry relevance")),
        }
    }

    /// Relevance for one input, nothing for the others.
    pub fn one(&self, place: usize, relevance: Tensor) -> Vec<Option<Tensor>> {
        let mut all = vec![None; self.inputs.len()];
        all[place] = Some(relevance);
        all
    }

    /// Σ gradient · ∂output/∂input for the inputs that are asked for, through the node as it ran.
    pub fn pull(&self, gradient: Tensor, run: &Run<'_>) -> Result<Vec<Option<Tensor>>> {
        let mut gradients = vec![None; self.node.outputs];
        gradients[0] = Some(gradient);
        self.tape.pull_node(self.place, &gradients, self.wanted, run)
    }
}

/// A node as conditions see it.
#[derive(Debug, Clone, Copy)]
pub struct Spot<'a> {
    /// The graph, all of which a condition may look at.
    pub graph: &'a Graph,
    /// The node's place in it.
    pub place: usize,
    /// The node.
    pub node: &'a Node,
    /// For each input whether it depends on what the explanation is told in.
    pub wanted: &'a [bool],
    /// Whether no layer with weights lies before it.
    pub first: bool,
    /// Whether no layer with weights lies after it.
    pub last: bool,
    /// How many neighbouring inputs along the first space axis one of its outputs sees; 1 before any window.
    pub field: usize,
    /// Whether all that comes of it is measured: the size, the squares or the length of it are taken, scaled at most.
    pub measured: bool,
}

/// When a rule is taken.
#[derive(Debug, Clone)]
pub enum When {
    /// Always.
    Always,
    /// For operations of that name.
    Op(&'static str),
    /// For operations that pass a test.
    Suitability(fn(&Op) -> bool),
    /// For a class of operations.
    Class(Class),
    /// For the node of that name.
    Named(String),
    /// For layers with weights that no other comes before.
    First,
    /// For layers with weights that no other comes after.
    Last,
    /// Where an output sees at most so many neighbouring inputs along the first space axis.
    FieldUpTo(usize),
    /// Where all that comes of a node is measured: differences from a place, not sums.
    Measured,
    /// Where a test of the node within its graph passes.
    Spot(fn(&Spot<'_>) -> bool),
    /// Where all of these hold.
    All(Vec<When>),
}

impl When {
    /// Whether it holds at a node.
    pub fn holds(&self, spot: &Spot<'_>) -> bool {
        let weighted = || matches!(spot.node.op.class(spot.wanted), Class::Dense | Class::Convolution);
        match self {
            When::Always => true,
            When::Op(word) => spot.node.op.word() == *word,
            When::Suitability(test) => test(&spot.node.op),
            When::Class(class) => spot.node.op.class(spot.wanted) == *class,
            When::Named(name) => spot.node.name == *name,
            When::First => spot.first && weighted(),
            When::Last => spot.last && weighted(),
            When::FieldUpTo(most) => spot.field <= *most,
            When::Measured => spot.measured,
            When::Spot(test) => test(spot),
            When::All(list) => list.iter().all(|when| when.holds(spot)),
        }
    }
}

/// Rules with the conditions they are taken under; the first that holds decides.
#[derive(Debug, Clone, Default)]
pub struct Composite(pub Vec<(When, Arc<dyn Rule>)>);

impl Composite {
    /// The same with one more rule at the end.
    pub fn with(mut self, when: When, rule: impl Rule + 'static) -> Self {
        self.0.push((when, Arc::new(rule)));
        self
    }

    /// The same with all rules of another at the end.
    pub fn then(mut self, others: Composite) -> Self {
        self.0.extend(others.0);
        self
    }

    /// The rule for a node; none is an error that names it.
    pub fn rule(&self, spot: &Spot<'_>) -> Result<&Arc<dyn Rule>> {
        match self.0.iter().find(|(when, _)| when.holds(spot)) {
            Some((_, rule)) => Ok(rule),
            None => Err(Error::unsupported(
                format!("node {:?} ({})", spot.node.name, spot.node.op.word()),
                "these relevance rules",
                "add a rule for it, or ask for a gradient-type method",
            )),
        }
    }
}
