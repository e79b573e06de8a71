//! Patterns: the direction in which a layer's inputs move with each of its outputs, fitted from data.
//!
//! With y = wᵀx + b the output of one unit over rows (and places, for convolutions),
//!
//! - linear: a = (E[xy] − E[x]E[y]) / (E[y²] − E[y]²), so that wᵀa = 1;
//! - before a rectifier, E₊ over what it lets pass: a = (E₊[xy] − E₊[x]E[y]) / wᵀ(E₊[xy] − E₊[x]E[y]).
//!
//! Sums of x·g over all a unit sees are the layer's own pull back to its weights, so that one piece of code serves every
//! kind of layer. Units that never vary, or never pass, have no pattern (0). Normalisations are fused beforehand.
//!
//! **Cost.** One run and two or three pull backs to weights a block of rows.
//! Sources: S. Haufe et al., NeuroImage 87, 2014; P.-J. Kindermans et al., ICLR 2018.

use crate::entry::{Explain, MethodEntry, MethodNeeds};
use crate::net::Net;
use crate::positions::Positions;
use crate::rule::{Composite, When};
use crate::rules::{PatternRule, PullRule};
use crate::walk::Begin;
use crate::walks::{Route, Rules};
use base::graph::{Class, Element, Graph, Op, Source, Tensor, Unary};
use base::{Error, Points, Result, Run};
use network::{Formula, Tape};
use numeric::Real;
use std::collections::HashMap;
use std::sync::Arc;

pub(crate) static PATTERN_NET: MethodEntry = MethodEntry::new(
    "pattern-net",
    "PatternNet: the signal that the output reads out, by patterns fitted to the data",
    MethodNeeds::SmoothNetwork,
    Explain::Walk(projected(|patterns| patterns.composite(false))),
);

pub(crate) static PATTERN_ATTRIBUTION: MethodEntry = MethodEntry::new(
    "pattern-attribution",
    "PatternAttribution: contribution of each input to that signal",
    MethodNeeds::SmoothNetwork,
    Explain::Walk(projected(|patterns| patterns.composite(true))),
);

const fn projected(rules: fn(&Patterns) -> Composite) -> Route {
    Route { rules: Rules::Fitted(rules), begin: Begin::Score, above_zero: false }
}

/// The patterns of a network's layers, by the place of their node.
#[derive(Debug, Clone, Default)]
pub struct Patterns {
    patterns: HashMap<usize, Tensor>,
    weights: HashMap<usize, Tensor>,
}

/// Sums over what a layer saw.
struct Sums {
    rectified: bool,
    /// The output of each weight.
    unit: Vec<usize>,
    /// Σ x y and Σ x, for each weight, over what counts.
    xy: Vec<f64>,
    x: Vec<f64>,
    /// Σ y, Σ y² over all, how many, and how many count, for each unit.
    y: Vec<f64>,
    yy: Vec<f64>,
    count: Vec<f64>,
    counted: Vec<f64>,
}

/// Layers that patterns can be fitted for, with the unit of each weight; anything else with weights is named.
pub(crate) fn check(net: &Net) -> Result<Vec<usize>> {
    let graph = net.network.graph();
    let positions = Positions::of(graph, net.start, &[Source::Input(0)]);
    let mut layers = vec![];
    for (i, node) in graph.nodes().iter().enumerate().filter(|(i, _)| positions.leads[*i]) {
        match (node.op.class(&positions.wanted[i]), &node.op) {
            (Class::Dense | Class::Convolution, Op::Dense { .. } | Op::Conv { .. }) => layers.push(i),
            (Class::Dense | Class::Convolution | Class::BatchNorm | Class::Product, _) => {
                let what = format!("node {:?} ({})", node.name, node.op.word());
                return Err(Error::unsupported(what, "patterns", "they are of dense layers and convolutions"));
            }
            _ => {}
        }
    }
    match layers.is_empty() {
        true => Err(Error::unsupported("patterns", "this network", "it has no layer with weights")),
        false => Ok(layers),
    }
}

impl Patterns {
    /// Fits the patterns of a network from rows of data.
    pub(crate) fn fit(net: &Net, points: &Points, run: &Run<'_>) -> Result<Self> {
        if points.len() < 2 {
            return Err(Error::size("rows to fit patterns from", "at least 2", points.len()));
        }
        let layers = check(net)?;
        let mut sums: Vec<Sums> = layers.iter().map(|&i| Sums::new(net, i)).collect::<Result<_>>()?;
        net.blocks(points, &vec![0; points.len()], run, |tape, rows, _| {
            layers.iter().zip(&mut sums).try_for_each(|(&i, s)| s.add(net, tape, i, rows.len(), run))
        })?;
        let mut all = Patterns::default();
        for (&i, sums) in layers.iter().zip(&sums) {
            let weights = weights_of(net, i)?;
            let pattern = sums.pattern(&weights.to_f64());
            all.patterns.insert(i, like(weights, pattern)?);
            all.weights.insert(i, weights.clone());
        }
        Ok(all)
    }

    /// Patterns that come from elsewhere, by the name of their node: each of the shape of its weights.
    pub fn given<'n>(graph: &Graph, patterns: impl IntoIterator<Item = (&'n str, Tensor)>) -> Result<Self> {
        let mut all = Patterns::default();
        for (name, pattern) in patterns {
            let found = graph.nodes().iter().position(|n| n.name == name);
            let weights = found.and_then(|i| match graph.nodes()[i].inputs.get(1) {
                Some(Some(Source::Weight(w))) => Some((i, graph.weights()[*w].tensor.clone())),
                _ => None,
            });
            let Some((i, weights)) = weights else {
                let must = "must be the name of a dense layer or a convolution";
                return Err(Error::parameter("pattern", name, must));
            };
            if pattern.shape() != weights.shape() {
                let (expected, found) = (format!("{:?}", weights.shape()), format!("{:?}", pattern.shape()));
                return Err(Error::size(format!("pattern of {name:?}"), expected, found));
            }
            all.patterns.insert(i, pattern);
            all.weights.insert(i, weights);
        }
        Ok(all)
    }

    /// The rules that project on patterns; `attribution`: on weights times patterns.
    pub fn composite(&self, attribution: bool) -> Composite {
        let times = |i: &usize, a: &Tensor| match (attribution, self.weights.get(i)) {
            (true, Some(w)) => {
                let both = w.to_f64().iter().zip(a.to_f64()).map(|(w, a)| w * a).collect();
                like(a, both).unwrap_or_else(|_| a.clone())
            }
            _ => a.clone(),
        };
        let instead = Arc::new(self.patterns.iter().map(|(i, a)| (*i, times(i, a))).collect::<HashMap<_, _>>());
        Composite::default()
            .with(When::Class(Class::Dense), PatternRule { instead: instead.clone() })
            .with(When::Class(Class::Convolution), PatternRule { instead })
            .with(When::Always, PullRule)
    }

    /// The pattern of a node's weights.
    pub fn of(&self, node: usize) -> Option<&Tensor> {
        self.patterns.get(&node)
    }
}

fn weights_of(net: &Net, node: usize) -> Result<&Tensor> {
    match net.network.graph().nodes()[node].inputs.get(1) {
        Some(Some(Source::Weight(w))) => Ok(&net.network.weights()[*w]),
        _ => Err(Error::unsupported("patterns", "this network", "weights must be constants")),
    }
}

/// Numbers in the form of a tensor.
fn like(tensor: &Tensor, values: Vec<f64>) -> Result<Tensor> {
    match tensor.element() {
        Element::F32 => Tensor::f32(tensor.shape(), values.into_iter().map(|x| x as f32).collect()),
        _ => Tensor::f64(tensor.shape(), values),
    }
}

/// y where it is above 0 (or everywhere), and 1 there.
struct Counting {
    rectified: bool,
    ones: bool,
}

impl Formula<1> for Counting {
    fn of<T: Real>(&self, [y]: [T; 1]) -> T {
        match (!self.rectified || y > T::ZERO, self.ones) {
            (false, _) => T::ZERO,
            (true, true) => T::ONE,
            (true, false) => y,
        }
    }
}

impl Sums {
    fn new(net: &Net, node: usize) -> Result<Self> {
        let (graph, weights) = (net.network.graph(), weights_of(net, node)?);
        let shape = weights.shape();
        let inner: usize = shape[1..].iter().product();
        let unit: Vec<usize> = match graph.nodes()[node].op {
            Op::Dense { transposed: false } => (0..weights.numbers().len()).map(|i| i % shape[1].max(1)).collect(),
            _ => (0..weights.numbers().len()).map(|i| i / inner.max(1)).collect(),
        };
        let units = unit.iter().max().map_or(0, |m| m + 1);
        let users: Vec<&Op> =
            graph.nodes().iter().filter(|n| n.inputs.contains(&Some(Source::Node(node, 0)))).map(|n| &n.op).collect();
        let rectified = !users.is_empty() && users.iter().all(|op| matches!(op, Op::Unary(Unary::Relu)));
        let (w, u) = (unit.len(), units);
        let zeros = |n: usize| vec![0.0; n];
        Ok(Sums {
            rectified,
            unit,
            xy: zeros(w),
            x: zeros(w),
            y: zeros(u),
            yy: zeros(u),
            count: zeros(u),
            counted: zeros(u),
        })
    }

    /// Adds what a layer saw in the first `rows` rows of a block.
    fn add(&mut self, net: &Net, tape: &Tape<'_>, node: usize, rows: usize, run: &Run<'_>) -> Result<()> {
        let y = tape.value(Source::Node(node, 0))?;
        let filled = y.shape().first().copied().unwrap_or(1);
        let y = if filled == rows { y.clone() } else { with_rows(y, rows)? };
        let rectified = self.rectified;
        for (ones, sums) in [(false, &mut self.xy), (true, &mut self.x)] {
            let g = net.network.each([&y], &Counting { rectified, ones }, run)?;
            let g = if filled == rows { g } else { with_rows(&g, filled)? };
            let pulled = tape.pull_node(node, &[Some(g)], &[false, true], run)?;
            if let Some(Some(pulled)) = pulled.get(1) {
                sums.iter_mut().zip(pulled.to_f64()).for_each(|(s, p)| *s += p);
            }
        }
        let units = self.y.len().max(1);
        let space = (y.numbers().len() / rows.max(1) / units).max(1);
        for (i, y) in y.to_f64().into_iter().enumerate() {
            let k = i / space % units;
            self.y[k] += y;
            self.yy[k] += y * y;
            self.count[k] += 1.0;
            self.counted[k] += f64::from(u8::from(!rectified || y > 0.0));
        }
        Ok(())
    }

    /// The patterns, in the order of the weights.
    fn pattern(&self, weights: &[f64]) -> Vec<f64> {
        let mut directions: Vec<f64> = (0..self.unit.len())
            .map(|i| {
                let k = self.unit[i];
                let n = self.counted[k];
                if n == 0.0 { 0.0 } else { self.xy[i] / n - self.x[i] / n * (self.y[k] / self.count[k]) }
            })
            .collect();
        let mut wholes = vec![0.0; self.y.len()];
        match self.rectified {
            true => (0..weights.len()).for_each(|i| wholes[self.unit[i]] += weights[i] * directions[i]),
            false => wholes.iter_mut().enumerate().for_each(|(k, v)| {
                let mean = self.y[k] / self.count[k];
                *v = self.yy[k] / self.count[k] - mean * mean;
            }),
        }
        directions.iter_mut().enumerate().for_each(|(i, a)| {
            let whole = wholes[self.unit[i]];
            // A unit that never varies but for rounding reads nothing out.
            let mean = self.y[self.unit[i]] / self.count[self.unit[i]].max(1.0);
            *a = if whole.abs() <= 1e-12 * mean * mean { 0.0 } else { *a / whole };
        });
        directions
    }
}

/// The same with so many rows: the first of them, or zeros after the last.
fn with_rows(tensor: &Tensor, rows: usize) -> Result<Tensor> {
    let mut shape = tensor.shape().to_vec();
    let mut values = tensor.to_f64();
    values.resize(values.len() / shape[0].max(1) * rows, 0.0);
    shape[0] = rows;
    match tensor.element() {
        Element::F32 => Tensor::f32(shape, values.into_iter().map(|x| x as f32).collect()),
        _ => Tensor::f64(shape, values),
    }
}
