//! A network that is constant on boxes, written down without training.
//!
//! A ramp g_z0 rises from 0 to 1 around z0; g_a − g_b is a window that is 1 between a and b. The sum of one window for
//! each axis is N inside a box and at most N − 1 outside, so a ramp at N − ½ tells whether a point is inside. Boxes on a
//! grid over [0, 1]ᴺ, weighted by the function at their centres, give a function that is constant on each box. Sigmoids
//! come near to that with growing steepness γ; with ramps of two ReLU units, max(0, γ(z − z0) + ½) − max(0, γ(z − z0) − ½),
//! the windows are exact outside of strips of width 1/γ.
//!
//! **Cost.** N(k + 1) ramps for k intervals an axis and kᴺ boxes, hence N(k + 1)kᴺ weights.
//! **Limits.** The steepness must be well above k, or the windows do not open. In the strips between boxes, of which the
//! share is of the order Nk/γ, the value may be anything between 0 and the neighbours' sum.
//!
//! - M. Biehl: *The Shallow and the Deep.* 2023, equations (5.3)-(5.6) and section 5.4.4.

use base::graph::{Draft, Element, Graph, Op, Source, Tensor, Unary};
use base::{Error, Result, Run};

base::choices! {
    /// What a ramp is made of.
    pub enum Ramp {
        /// 1 / (1 + exp(−γ(z − z0))).
        Sigmoid = "sigmoid",
        /// Two ReLU units.
        Relu = "relu",
    }
}

/// Ramps of one kind and steepness.
#[derive(Clone, Copy)]
struct Ramps {
    kind: Ramp,
    steepness: f64,
}

/// A window on one column: 1 between `low` and `high`, 0 outside.
pub fn interval(low: f64, high: f64, (kind, steepness): (Ramp, f64)) -> Result<Graph> {
    let ramps = Ramps::new(kind, steepness)?;
    let (mut draft, edges) = ramps.begin(&[vec![low, high]])?;
    let weights = ramps.repeated(&[1.0, -1.0]);
    let window = ramps.sum(&mut draft, "window", edges, (weights, 1), None)?;
    draft.named("window", window)
}

/// Whether a point is inside a box: 1 inside, 0 outside.
pub fn region(low: &[f64], high: &[f64], (kind, steepness): (Ramp, f64)) -> Result<Graph> {
    if low.len() != high.len() || low.is_empty() {
        return Err(Error::size("sides of a box", low.len().max(1), high.len()));
    }
    let ramps = Ramps::new(kind, steepness)?;
    let edges: Vec<Vec<f64>> = low.iter().zip(high).map(|(a, b)| vec![*a, *b]).collect();
    let (mut draft, edges) = ramps.begin(&edges)?;
    let weights: Vec<f64> = (0..low.len()).flat_map(|_| [1.0, -1.0]).collect();
    let inside = ramps.threshold(&mut draft, edges, weights, (low.len(), 1))?;
    let total = ramps.sum(&mut draft, "inside", inside, (ramps.repeated(&[1.0]), 1), None)?;
    draft.named("inside", total)
}

/// The network that is f at the centre of each of `intervals`ᴺ boxes of [0, 1]ᴺ, N = `dimensions`.
///
/// The outer boxes reach half an interval past the cube, so that its border lies within.
pub fn approximator(
    f: &dyn Fn(&[f64]) -> f64,
    (dimensions, intervals): (usize, usize),
    (kind, steepness): (Ramp, f64),
    run: &Run<'_>,
) -> Result<Graph> {
    let (n, k) = (dimensions, intervals);
    if n == 0 || k == 0 {
        return Err(Error::size("dimensions and intervals", "at least 1", 0));
    }
    let ramps = Ramps::new(kind, steepness)?;
    let cells = u32::try_from(n).ok().and_then(|n| k.checked_pow(n));
    let numbers = cells.and_then(|c| c.checked_mul(n)?.checked_mul(k + 1)?.checked_mul(4));
    let too_many = || Error::size("boxes", "as many as a computer can count", format!("{k} to the power {n}"));
    let (cells, numbers) = (cells.ok_or_else(too_many)?, numbers.ok_or_else(too_many)?);
    let _hold = run.memory.take_for::<f64>(numbers, "weights of the approximator")?;

    let half = 0.5 / k as f64;
    let edge = |i: usize| match i {
        0 => -half,
        i if i == k => 1.0 + half,
        i => i as f64 / k as f64,
    };
    let edges: Vec<f64> = (0..=k).map(edge).collect();
    let (mut draft, ramped) = ramps.begin(&vec![edges; n])?;
    let mut weights = vec![0.0; n * (k + 1) * cells];
    let mut heights = Vec::with_capacity(cells);
    let mut centre = vec![0.0; n];
    for cell in 0..cells {
        let mut rest = cell;
        for (axis, c) in centre.iter_mut().enumerate() {
            let i = rest % k;
            rest /= k;
            *c = (i as f64 + 0.5) / k as f64;
            weights[(axis * (k + 1) + i) * cells + cell] = 1.0;
            weights[(axis * (k + 1) + i + 1) * cells + cell] = -1.0;
        }
        let height = f(&centre);
        if !height.is_finite() {
            let why = format!("the function is {height} at {centre:?}");
            return Err(Error::data(base::Place::Whole, why));
        }
        heights.push(height);
    }
    let inside = ramps.threshold(&mut draft, ramped, weights, (n, cells))?;
    let heights = ramps.repeated(&heights);
    let y = ramps.sum(&mut draft, "y", inside, (heights, 1), None)?;
    draft.named("y", y)
}

impl Ramps {
    fn new(kind: Ramp, steepness: f64) -> Result<Self> {
        match steepness > 0.0 && steepness.is_finite() {
            true => Ok(Ramps { kind, steepness }),
            false => Err(Error::parameter("steepness", steepness, "must be greater than 0 and finite")),
        }
    }

    /// What is added to γ(z − z0) in each unit of a ramp, with the unit's sign in the sum.
    fn units(self) -> &'static [(f64, f64)] {
        match self.kind {
            Ramp::Sigmoid => &[(0.0, 1.0)],
            Ramp::Relu => &[(0.5, 1.0), (-0.5, -1.0)],
        }
    }

    /// A ramp at each of the edges of each axis: units x axes of the edges, unit slowest.
    fn begin(self, edges: &[Vec<f64>]) -> Result<(Draft, Source)> {
        let n = edges.len();
        let wrong =
            |axis: &[f64]| axis.iter().any(|e| !e.is_finite()) || axis.windows(2).any(|pair| pair[0] >= pair[1]);
        if edges.iter().any(|axis| wrong(axis)) {
            return Err(Error::parameter("edges", format!("{edges:?}"), "must be finite and ascend"));
        }
        let count: usize = edges.iter().map(Vec::len).sum::<usize>() * self.units().len();
        let (mut weights, mut offsets) = (vec![0.0; n * count], vec![]);
        for (add, _) in self.units() {
            for (axis, edge) in edges.iter().enumerate().flat_map(|(a, list)| list.iter().map(move |e| (a, *e))) {
                weights[axis * count + offsets.len()] = self.steepness;
                offsets.push(add - self.steepness * edge);
            }
        }
        let mut draft = Draft::default();
        let x = draft.input("x", Element::F64, vec![None, Some(n)]);
        let w = draft.trained("ramp weights", Tensor::f64([n, count], weights)?);
        let b = draft.trained("ramp offsets", Tensor::f64([count], offsets)?);
        let field = draft.node("ramp fields", Op::Dense { transposed: false }, &[x, w, b]);
        let ramps = draft.node("ramps", self.op(), &[field]);
        Ok((draft, ramps))
    }

    /// Boxes that are 1 where the windows' sum is above n − ½; `weights` are ramps x boxes.
    fn threshold(
        self,
        draft: &mut Draft,
        ramps: Source,
        weights: Vec<f64>,
        (n, boxes): (usize, usize),
    ) -> Result<Source> {
        let scaled: Vec<f64> = weights.iter().map(|w| w * self.steepness).collect();
        let rows = scaled.len() / boxes;
        // Each unit of a ramp over the boxes looks at all units of the ramps below.
        let blocks = self.units();
        let mut wide = Vec::with_capacity(scaled.len() * blocks.len() * blocks.len());
        for (_, sign) in blocks {
            for row in scaled.chunks_exact(boxes) {
                blocks.iter().for_each(|_| wide.extend(row.iter().map(|w| sign * w)));
            }
        }
        debug_assert_eq!(wide.len(), rows * blocks.len() * boxes * blocks.len());
        let at = self.steepness * (n as f64 - 0.5);
        let offsets: Vec<f64> = blocks.iter().flat_map(|(add, _)| vec![add - at; boxes]).collect();
        let columns = boxes * blocks.len();
        let field = self.sum(draft, "box fields", ramps, (wide, columns), Some(offsets))?;
        Ok(draft.node("boxes", self.op(), &[field]))
    }

    /// A dense layer of `weights` (inputs x columns).
    fn sum(
        self,
        draft: &mut Draft,
        name: &str,
        from: Source,
        (weights, columns): (Vec<f64>, usize),
        offsets: Option<Vec<f64>>,
    ) -> Result<Source> {
        let rows = weights.len() / columns;
        let w = draft.trained(&format!("{name} weights"), Tensor::f64([rows, columns], weights)?);
        let mut inputs = vec![from, w];
        if let Some(offsets) = offsets {
            inputs.push(draft.trained(&format!("{name} offsets"), Tensor::f64([columns], offsets)?));
        }
        Ok(draft.node(name, Op::Dense { transposed: false }, &inputs))
    }

    /// Weights of ramps as weights of their units.
    fn repeated(self, weights: &[f64]) -> Vec<f64> {
        self.units().iter().flat_map(|(_, sign)| weights.iter().map(move |w| sign * w)).collect()
    }

    fn op(self) -> Op {
        match self.kind {
            Ramp::Sigmoid => Op::Unary(Unary::Sigmoid),
            Ramp::Relu => Op::Unary(Unary::Relu),
        }
    }
}
