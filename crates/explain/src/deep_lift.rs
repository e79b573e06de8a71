//! DeepLIFT by the rescale rule: differences from a reference walk back, Σ R_i = f(x) − f(x̃).
//!
//! Instead of its slope a function of one number passes Δy/Δx, the change of its output over that of its input between reference
//! and row (the slope where |Δx| < 10⁻¹⁰). A maximum sends what it rose by to the winner in the row and what it fell by to
//! the winner in the reference, over Δx. What is linear pulls back; at the inputs R = Δx · what arrived. Products of two
//! and normalisations by their inputs pull back their slope, which is not exact: what is missed is told as lost.
//!
//! **Cost.** One run and one pull back. Source: A. Shrikumar, P. Greenside, A. Kundaje, ICML 2017.

use crate::rule::{Back, Call, Composite, Rule, When};
use crate::rules::PullRule;
use base::graph::{Class, Element, Op, Pooling, Tensor};
use base::{Result, Run};
use network::{Formula, LineFunction};
use numeric::Real;
use std::collections::HashMap;
use std::sync::Arc;

/// Below this a difference of inputs counts as none.
const NONE: f64 = 1e-10;

/// What nodes took and gave at the reference, one row each, by their place.
pub(crate) type Reference = Arc<HashMap<usize, (Tensor, Tensor)>>;

/// Whether the reference of a node is asked for.
pub(crate) fn bends(op: &Op) -> bool {
    is_unary(op) || is_maximum(op)
}

/// Whether differences are kept exactly: functions of one number, layers with weights, sums, maxima of windows.
pub(crate) fn keeps(op: &Op, class: Class) -> bool {
    match class {
        Class::Dense | Class::Convolution | Class::Sum | Class::Mean | Class::Moved | Class::Scale => true,
        Class::BatchNorm => true,
        _ => bends(op),
    }
}

fn is_unary(op: &Op) -> bool {
    matches!(op, Op::Unary(_) | Op::Clip)
}

fn is_maximum(op: &Op) -> bool {
    matches!(op, Op::Pool { pooling: Pooling::Max, .. })
}

/// The rules of DeepLIFT from a reference.
pub(crate) fn rescale(reference: Reference) -> Composite {
    Composite::default()
        .with(When::Suitability(is_unary), Rescale(reference.clone()))
        .with(When::Suitability(is_maximum), RescaleMaximum(reference))
        .with(When::Always, PullRule)
}

#[derive(Debug)]
struct Rescale(Reference);

#[derive(Debug)]
struct RescaleMaximum(Reference);

/// The reference of a node, repeated for all rows.
fn repeated(call: &Call<'_>, reference: &Reference) -> Result<(Tensor, Tensor)> {
    let Some((x, y)) = reference.get(&call.place) else {
        return Err(call.refuse("the reference was not run through it"));
    };
    let wide = |t: &Tensor, like: &Tensor| {
        let one = t.to_f64();
        let count = like.numbers().len();
        match like.element() {
            Element::F32 => Tensor::f32(like.shape(), (0..count).map(|i| one[i % one.len()] as f32).collect()),
            _ => Tensor::f64(like.shape(), (0..count).map(|i| one[i % one.len()]).collect()),
        }
    };
    Ok((wide(x, call.input(0)?)?, wide(y, call.output)?))
}

/// r Δy/Δx, or the slope where nothing changed.
struct Slope;

impl Formula<6> for Slope {
    fn of<T: Real>(&self, [r, g, x, x0, y, y0]: [T; 6]) -> T {
        let change = x - x0;
        let small = T::narrow(NONE);
        if change < small && -change < small { g } else { r * (y - y0) / change }
    }
}

impl Rule for Rescale {
    fn word(&self) -> &'static str {
        "rescale"
    }

    fn back(&self, call: &Call<'_>, run: &Run<'_>) -> Result<Back> {
        let place = call.only()?;
        let (x0, y0) = repeated(call, &self.0)?;
        let pulled = call.pull(call.relevance.clone(), run)?;
        let x = call.input(place)?;
        // A step has no slope; where nothing changed, nothing goes back.
        let flat = Tensor::f64(x.shape(), vec![0.0; x.numbers().len()])?;
        let g = pulled.get(place).and_then(Option::as_ref).unwrap_or(&flat);
        let passed = call.network.each([call.relevance, g, x, &x0, call.output, &y0], &Slope, run)?;
        Ok(Back { inputs: call.one(place, passed), ..Back::default() })
    }
}

/// r (max(y, y₀) − y₀), or r (y − max(y, y₀)).
struct Rise {
    up: bool,
}

impl Formula<3> for Rise {
    fn of<T: Real>(&self, [r, y, y0]: [T; 3]) -> T {
        let top = if y > y0 { y } else { y0 };
        if self.up { r * (top - y0) } else { r * (y - top) }
    }
}

/// (a + b)/Δx, or the slope where nothing changed.
struct Over;

impl LineFunction<5> for Over {
    fn fill<T: Real>(&self, _: usize, [a, b, g, x, x0]: [&[T]; 5], out: &mut [T]) -> [f64; 2] {
        let small = T::narrow(NONE);
        for (i, o) in out.iter_mut().enumerate() {
            let change = x[i] - x0[i];
            *o = if change < small && -change < small { g[i] } else { (a[i] + b[i]) / change };
        }
        [0.0; 2]
    }
}

impl Rule for RescaleMaximum {
    fn word(&self) -> &'static str {
        "rescale"
    }

    fn back(&self, call: &Call<'_>, run: &Run<'_>) -> Result<Back> {
        let (x0, y0) = repeated(call, &self.0)?;
        let (network, x) = (call.network, call.input(0)?);
        let rise = |up: bool| network.each([call.relevance, call.output, &y0], &Rise { up }, run);
        let first = |mut list: Vec<Option<Tensor>>| {
            list.swap_remove(0).ok_or_else(|| {
                call.refuse(
                    "it has no \
             gradient",
                )
            })
        };
        let up = first(call.pull(rise(true)?, run)?)?;
        let falls = [Some(rise(false)?)];
        let down = network.pull_back(&call.node.op, &[Some(&x0)], std::slice::from_ref(&y0), &falls, &[true], run)?;
        let slope = first(call.pull(call.relevance.clone(), run)?)?;
        let length = x.numbers().len() / call.rows.max(1);
        let (passed, _) = network.lines([&up, &first(down)?, &slope, x, &x0], length, &Over, run)?;
        Ok(Back { inputs: call.one(0, passed), ..Back::default() })
    }
}
