//! DeepLIFT by the reveal-cancel rule: what pulls up and what pulls down walk apart, so that they cannot hide each other.
//!
//! Every difference from the reference is kept as Δ = Δ⁺ + Δ⁻. Inputs are split by sign; a layer with weights W gives
//!
//! Δy⁺ = W⁺Δx⁺ + W⁻Δx⁻, Δy⁻ = W⁺Δx⁻ + W⁻Δx⁺,
//!
//! and an activation f what each part adds, on average over which of them comes first:
//!
//! Δy⁺ = ½ (f(x₀ + Δx⁺) − f(x₀)) + ½ (f(x) − f(x₀ + Δx⁻)), Δy⁻ the other way round.
//!
//! Multipliers m⁺ and m⁻ go back the same way: through weights m⁺ = W⁺ᵀm⁺ + W⁻ᵀm⁻ (m⁻ the other way round), through
//! activations times Δy±/Δx±. Operations that move or average elements take each part by itself; at all others the parts
//! are put together, m = m⁺ where Δy > 0 and m⁻ elsewhere, and the rescale rule takes over. R = m⁺Δx⁺ + m⁻Δx⁻ at the
//! inputs, and Σ R = f(x) − f(x₀).
//!
//! **Cost.** Three runs' worth forward and four pull backs of every layer. Source: A. Shrikumar, P. Greenside, A. Kundaje,
//! ICML 2017, section 3.5.

use crate::parts::{WeightPart, WeightParts};
use crate::positions::Positions;
use crate::rule::{Call, Composite};
use crate::walk::{Begin, seed};
use base::graph::{Class, Node, Op, Source, Tensor};
use base::{Error, Result, Run};
use network::{Formula, Network, Tape};
use numeric::Real;
use std::collections::HashMap;

/// What pulls up and what pulls down.
#[derive(Clone)]
struct Pair {
    up: Tensor,
    down: Tensor,
}

/// A network with two runs of the same number of rows: the rows, and the reference as often.
pub(crate) struct RevealCancel<'a> {
    pub network: &'a Network,
    pub start: Source,
    pub positions: &'a Positions,
    /// The rescale rule, for operations that take no parts.
    pub rescale: &'a Composite,
    pub parts: &'a WeightParts,
    pub rows: &'a Tape<'a>,
    pub reference: &'a Tape<'a>,
}

/// What a node does to parts.
enum Way {
    /// Takes them through its weights.
    Weights,
    /// Bends them.
    Bends,
    /// Takes each by itself.
    Each,
    /// Takes them together.
    Together,
}

fn way(node: &Node, wanted: &[bool]) -> Way {
    let moves = || !matches!(node.op, Op::Pad { .. }); // What is padded is no difference.
    match node.op.class(wanted) {
        Class::Dense | Class::Convolution if wanted[0] => Way::Weights,
        Class::Activation if wanted[0] => Way::Bends,
        Class::Moved | Class::Mean if node.outputs == 1 && moves() => Way::Each,
        Class::Sum if matches!(node.op, Op::Binary(base::graph::Binary::Add)) => Way::Each,
        _ => Way::Together,
    }
}

impl RevealCancel<'_> {
    /// Relevance of the input for one output of each row: rows × columns numbers.
    pub fn explain(&self, columns: &[usize], run: &Run<'_>) -> Result<Vec<f64>> {
        let pairs = self.forward(run)?;
        let (ones, _) = seed(self.rows.value(self.start)?, columns, Begin::One)?;
        let mut arrived = HashMap::from([(self.start, Pair { up: ones.clone(), down: ones })]);
        for (i, node) in self.network.graph().nodes().iter().enumerate().rev() {
            let Some(given) = arrived.remove(&Source::Node(i, 0)).filter(|_| self.positions.leads[i]) else { continue };
            for (source, passed) in self.back(i, node, &given, &pairs, run)? {
                let sum = match arrived.remove(&source) {
                    Some(before) => self.plus(&before, &passed, run)?,
                    None => passed,
                };
                arrived.insert(source, sum);
            }
        }
        let input = Source::Input(0);
        let (Some(m), Some(x)) = (arrived.get(&input), pairs.get(&input)) else {
            return Ok(vec![0.0; self.rows.value(input)?.numbers().len()]);
        };
        let told = self.network.each([&m.up, &x.up, &m.down, &x.down], &Told, run)?;
        Ok(told.to_f64())
    }

    fn plus(&self, a: &Pair, b: &Pair, run: &Run<'_>) -> Result<Pair> {
        Ok(Pair { up: self.network.sum(&a.up, &b.up, run)?, down: self.network.sum(&a.down, &b.down, run)? })
    }

    /// The difference of a source, split by its sign.
    fn split(&self, source: Source, run: &Run<'_>) -> Result<Pair> {
        let both = [self.rows.value(source)?, self.reference.value(source)?];
        let part = |above| self.network.each(both, &Difference { above }, run);
        Ok(Pair { up: part(true)?, down: part(false)? })
    }

    /// The parts of every difference on the way.
    fn forward(&self, run: &Run<'_>) -> Result<HashMap<Source, Pair>> {
        let mut pairs = HashMap::from([(Source::Input(0), self.split(Source::Input(0), run)?)]);
        for (i, node) in self.network.graph().nodes().iter().enumerate().filter(|(i, _)| self.positions.leads[*i]) {
            let wanted = &self.positions.wanted[i];
            let found = match way(node, wanted) {
                Way::Weights => self.weighed(node, &pairs, run)?,
                Way::Bends => self.bent(i, node, &pairs, run)?,
                Way::Each => {
                    let one = |up: bool| self.alone(node, wanted, &pairs, up, run);
                    Pair { up: one(true)?, down: one(false)? }
                }
                Way::Together => {
                    // Whole numbers, such as places, have no difference that goes back.
                    let real = |port: &usize| self.rows.value(Source::Node(i, *port)).is_ok_and(is_real);
                    for port in (0..node.outputs).filter(real) {
                        pairs.insert(Source::Node(i, port), self.split(Source::Node(i, port), run)?);
                    }
                    continue;
                }
            };
            pairs.insert(Source::Node(i, 0), found);
        }
        Ok(pairs)
    }

    /// The pair of a node's first input.
    fn first<'p>(&self, node: &Node, pairs: &'p HashMap<Source, Pair>) -> Result<&'p Pair> {
        let found = node.inputs.first().copied().flatten().and_then(|source| pairs.get(&source));
        found.ok_or_else(|| Error::unsupported(format!("node {:?}", node.name), "reveal-cancel", "use deep-lift"))
    }

    /// A part of a layer's weights.
    fn weights(&self, node: &Node, part: WeightPart, run: &Run<'_>) -> Result<Tensor> {
        match node.inputs.get(1).copied().flatten() {
            Some(source) => self.parts.part(source, self.rows.value(source)?, part, self.network, run),
            None => Err(Error::size(format!("inputs of node {:?}", node.name), "weights", "none")),
        }
    }

    fn weighed(&self, node: &Node, pairs: &HashMap<Source, Pair>, run: &Run<'_>) -> Result<Pair> {
        let x = self.first(node, pairs)?;
        let (above, below) =
            (self.weights(node, WeightPart::Positive, run)?, self.weights(node, WeightPart::Negative, run)?);
        let through = |x: &Tensor, w: &Tensor| self.network.apply(&node.op, &layer(node, x, w), run);
        let both = |a: Tensor, b: Tensor| self.network.sum(&a, &b, run);
        Ok(Pair {
            up: both(through(&x.up, &above)?, through(&x.down, &below)?)?,
            down: both(through(&x.down, &above)?, through(&x.up, &below)?)?,
        })
    }

    fn bent(&self, i: usize, node: &Node, pairs: &HashMap<Source, Pair>, run: &Run<'_>) -> Result<Pair> {
        let x = self.first(node, pairs)?;
        let source = node.inputs[0].unwrap_or(Source::Input(0));
        let start = self.reference.value(source)?;
        let at = |part: &Tensor| {
            let moved = self.network.sum(start, part, run)?;
            let mut inputs = self.inputs(node)?;
            inputs[0] = Some(&moved);
            self.network.apply(&node.op, &inputs, run)
        };
        let (p, q) = (at(&x.up)?, at(&x.down)?);
        let (y, y0) = (self.rows.value(Source::Node(i, 0))?, self.reference.value(Source::Node(i, 0))?);
        Ok(Pair {
            up: self.network.each([&p, &q, y, y0], &Bent, run)?,
            down: self.network.each([&q, &p, y, y0], &Bent, run)?,
        })
    }

    fn inputs(&self, node: &Node) -> Result<Vec<Option<&Tensor>>> {
        node.inputs.iter().map(|s| s.map(|s| self.rows.value(s)).transpose()).collect()
    }

    /// One part through an operation that takes each by itself; what is added and constant is no difference.
    fn alone(
        &self,
        node: &Node,
        wanted: &[bool],
        pairs: &HashMap<Source, Pair>,
        up: bool,
        run: &Run<'_>,
    ) -> Result<Tensor> {
        let mut inputs = self.inputs(node)?;
        let nothing: Vec<Option<Tensor>> = match node.op {
            Op::Binary(_) => inputs.iter().map(|t| t.map(zeros).transpose()).collect::<Result<_>>()?,
            _ => vec![],
        };
        for (k, (place, source)) in inputs.iter_mut().zip(&node.inputs).enumerate() {
            match source.and_then(|s| pairs.get(&s)).filter(|_| wanted[k]) {
                Some(pair) => *place = Some(if up { &pair.up } else { &pair.down }),
                None if !nothing.is_empty() => *place = nothing[k].as_ref(),
                None => {}
            }
        }
        self.network.apply(&node.op, &inputs, run)
    }

    /// What goes back through a node.
    fn back(
        &self,
        i: usize,
        node: &Node,
        m: &Pair,
        pairs: &HashMap<Source, Pair>,
        run: &Run<'_>,
    ) -> Result<Vec<(Source, Pair)>> {
        let wanted = &self.positions.wanted[i];
        let missing = || Error::unsupported(format!("node {:?}", node.name), "reveal-cancel", "it has no gradient");
        let pull = |gradient: &Tensor| self.rows.pull_node(i, &[Some(gradient.clone())], wanted, run);
        let source = node.inputs[0].unwrap_or(Source::Input(0));
        match way(node, wanted) {
            Way::Weights => {
                let (above, below) =
                    (self.weights(node, WeightPart::Positive, run)?, self.weights(node, WeightPart::Negative, run)?);
                let x = self.rows.value(source)?;
                let through = |w: &Tensor, m: &Tensor| {
                    let gradient = [Some(m.clone())];
                    let mut all = self.network.pull_back(&node.op, &layer(node, x, w), &[], &gradient, wanted, run)?;
                    all.swap_remove(0).ok_or_else(missing)
                };
                let both = |a: &Tensor, b: &Tensor| self.network.sum(&through(&above, a)?, &through(&below, b)?, run);
                Ok(vec![(source, Pair { up: both(&m.up, &m.down)?, down: both(&m.down, &m.up)? })])
            }
            Way::Bends => {
                let (x, y) = (self.first(node, pairs)?, pairs.get(&Source::Node(i, 0)).ok_or_else(missing)?);
                let up = self.network.each([&m.up, &y.up, &x.up], &Times, run)?;
                let down = self.network.each([&m.down, &y.down, &x.down], &Times, run)?;
                Ok(vec![(source, Pair { up, down })])
            }
            Way::Each => {
                let (ups, downs) = (pull(&m.up)?, pull(&m.down)?);
                let each = node.inputs.iter().zip(ups.into_iter().zip(downs));
                Ok(each.filter_map(|(s, (up, down))| Some(((*s)?, Pair { up: up?, down: down? }))).collect())
            }
            Way::Together => {
                let y = pairs.get(&Source::Node(i, 0)).ok_or_else(missing)?;
                let one = self.network.each([&m.up, &m.down, &y.up], &Together, run)?;
                let inputs = self.inputs(node)?;
                let relevances = [Some(one)];
                let Some(relevance) = &relevances[0] else { return Err(missing()) };
                let call = Call {
                    network: self.network,
                    tape: self.rows,
                    parts: self.parts,
                    rows: relevance.shape().first().copied().unwrap_or(1),
                    place: i,
                    node,
                    inputs: &inputs,
                    nonnegative: &self.positions.nonnegative(node),
                    wanted,
                    output: self.rows.value(Source::Node(i, 0))?,
                    relevance,
                    relevances: &relevances,
                    slope: None,
                };
                let rule = self.rescale.rule(&self.positions.spot(self.network.graph(), i))?;
                let passed = node.inputs.iter().zip(rule.back(&call, run)?.inputs).zip(wanted);
                let both = |t: Tensor| Pair { up: t.clone(), down: t };
                Ok(passed.filter(|(_, w)| **w).filter_map(|((s, t), _)| Some(((*s)?, both(t?)))).collect())
            }
        }
    }
}

/// A layer's inputs with others in their place, and no bias.
fn layer<'t>(node: &Node, x: &'t Tensor, w: &'t Tensor) -> Vec<Option<&'t Tensor>> {
    let mut all = vec![None; node.inputs.len()];
    (all[0], all[1]) = (Some(x), Some(w));
    all
}

fn is_real(tensor: &Tensor) -> bool {
    tensor.element().is_real()
}

fn zeros(like: &Tensor) -> Result<Tensor> {
    let count = like.numbers().len();
    match like.element() {
        base::graph::Element::F32 => Tensor::f32(like.shape(), vec![0.0; count]),
        _ => Tensor::f64(like.shape(), vec![0.0; count]),
    }
}

/// The part of x − x₀ above or below 0.
struct Difference {
    above: bool,
}

impl Formula<2> for Difference {
    fn of<T: Real>(&self, [x, x0]: [T; 2]) -> T {
        let change = x - x0;
        if (change > T::ZERO) == self.above { change } else { T::ZERO }
    }
}

/// ½ (p − y₀) + ½ (y − q).
struct Bent;

impl Formula<4> for Bent {
    fn of<T: Real>(&self, [p, q, y, y0]: [T; 4]) -> T {
        T::narrow(0.5) * ((p - y0) + (y - q))
    }
}

/// m Δy/Δx; where Δx is 0 nothing came this way.
struct Times;

impl Formula<3> for Times {
    fn of<T: Real>(&self, [m, y, x]: [T; 3]) -> T {
        if x == T::ZERO { T::ZERO } else { m * y / x }
    }
}

/// m⁺ where the difference is above 0, else m⁻.
struct Together;

impl Formula<3> for Together {
    fn of<T: Real>(&self, [up, down, change]: [T; 3]) -> T {
        if change > T::ZERO { up } else { down }
    }
}

/// m⁺Δ⁺ + m⁻Δ⁻.
struct Told;

impl Formula<4> for Told {
    fn of<T: Real>(&self, [up, plus, down, minus]: [T; 4]) -> T {
        up * plus + down * minus
    }
}
