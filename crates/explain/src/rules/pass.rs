//! Rules that share nothing out: relevance passes, moves with the elements, or follows the gradient.

use crate::parts::WeightPart;
use crate::rule::{Back, Call, Rule};
use crate::walk::row_sums;
use base::graph::{Binary, Class, Op, Source, Tensor};
use base::{Result, Run};

/// Relevance passes unchanged: activations, constant factors. Copies that broadcasting made are added up.
#[derive(Debug, Clone, Copy)]
pub struct PassRule;

/// Relevance follows the operation's own gradient: to the winner of a maximum, to where an element came from; for
/// walks that begin with 1 it is the gradient itself.
#[derive(Debug, Clone, Copy)]
pub struct PullRule;

/// Products of two that both carry relevance. If one is a gate (a sigmoid or softmax), the other gets all of it (L. Arras
/// et al. 2017), else each gets half of x_i ∂y/∂x_i R / y.
#[derive(Debug, Clone, Copy)]
pub struct ProductRule {
    /// What stabilises the division.
    pub epsilon: f64,
}

/// Rectifiers of walks that begin with 1: what comes back is rectified too, max(0, r).
#[derive(Debug, Clone, Copy)]
pub struct RectifyRule {
    /// Whether the gradient of the rectifier itself comes after it (guided backpropagation, J. Springenberg et al. 2015);
    /// else what went forward is not looked at (DeconvNet, M. Zeiler, R. Fergus 2014).
    pub guided: bool,
}

/// Relevance brought to the shape of an input, copies that broadcasting made added up.
fn to_shape(call: &Call<'_>, place: usize, relevance: &Tensor, run: &Run<'_>) -> Result<Tensor> {
    let x = call.input(place)?;
    if x.shape() == relevance.shape() {
        return Ok(relevance.clone());
    }
    // The gradient of a sum is just that.
    let (inputs, gradients) = ([Some(x), Some(relevance)], [Some(relevance.clone())]);
    let op = Op::Binary(Binary::Add);
    let pulled = call.network.pull_back(&op, &inputs, &[], &gradients, &[true, false], run)?;
    pulled.into_iter().next().flatten().ok_or_else(|| call.refuse("it has no gradient"))
}

impl Rule for PassRule {
    fn word(&self) -> &'static str {
        "pass"
    }

    fn back(&self, call: &Call<'_>, run: &Run<'_>) -> Result<Back> {
        let place = call.only()?;
        let relevance = to_shape(call, place, call.relevance, run)?;
        Ok(Back { inputs: call.one(place, relevance), ..Back::default() })
    }
}

impl Rule for PullRule {
    fn word(&self) -> &'static str {
        "gradient"
    }

    fn back(&self, call: &Call<'_>, run: &Run<'_>) -> Result<Back> {
        let inputs = call.tape.pull_node(call.place, call.relevances, call.wanted, run)?;
        let mut back = Back { inputs, ..Back::default() };
        // Where constants may win or were put around, what they got stays with them.
        if matches!(call.node.op, Op::Pad { .. } | Op::Where | Op::Binary(Binary::Max | Binary::Min)) {
            back.absorbed = row_sums(call.relevance, call.rows);
            for given in back.inputs.iter().flatten() {
                let sums = row_sums(given, call.rows);
                back.absorbed.iter_mut().zip(sums).for_each(|(a, s)| *a -= s);
            }
        }
        Ok(back)
    }
}

impl Rule for ProductRule {
    fn word(&self) -> &'static str {
        "product"
    }

    fn back(&self, call: &Call<'_>, run: &Run<'_>) -> Result<Back> {
        let gate = |place: usize| match call.node.inputs[place] {
            Some(Source::Node(j, _)) => is_gate(&call.network.graph().nodes()[j].op),
            _ => false,
        };
        match (call.wanted, call.node.op == Op::Binary(Binary::Mul)) {
            ([true, true], true) if gate(0) != gate(1) => {
                let place = usize::from(gate(0));
                let relevance = to_shape(call, place, call.relevance, run)?;
                Ok(Back { inputs: call.one(place, relevance), ..Back::default() })
            }
            ([true, true], _) => super::affine::shared(call, self.epsilon, 0.5, run),
            _ => Err(call.refuse("it is not a product of two inputs")),
        }
    }
}

/// Whether an operation gives how much passes, not what.
fn is_gate(op: &Op) -> bool {
    use base::graph::Unary;
    matches!(op, Op::Unary(Unary::Sigmoid | Unary::HardSigmoid(..)) | Op::Softmax { .. })
}

impl Rule for RectifyRule {
    fn word(&self) -> &'static str {
        if self.guided { "guided" } else { "rectify" }
    }

    fn back(&self, call: &Call<'_>, run: &Run<'_>) -> Result<Back> {
        if call.node.op.class(call.wanted) != Class::Activation {
            return Err(call.refuse("it is not an activation"));
        }
        let rectified = call.network.each([call.relevance], &WeightPart::Positive, run)?;
        let inputs = match self.guided {
            true => call.pull(rectified, run)?,
            false => call.one(call.only()?, rectified),
        };
        Ok(Back { inputs, ..Back::default() })
    }
}
