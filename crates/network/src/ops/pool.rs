//! The elements under a window brought together: the largest, the mean, the p-norm.
//!
//! Padding never counts as an element, except in the padded mean, whose divisor is the number of window parts inside
//! the padded space (what rounding up adds beyond the padding is not counted). A window without any element gives −∞
//! as its largest and 0 else. The gradient of the largest goes to the first of equals; a NaN is larger than anything.

use crate::kernel::{Call, Context, Inputs, Kernel, Known, TensorForm, needed};
use crate::number::{Number, by_real, numbers};
use crate::ops::sliding::{Axis, Sliding};
use base::graph::{Padding, Pooling, Tensor, Window};
use base::{Error, Result};
use numeric::{Real, each_chunk_mut, every, larger};
use std::ops::Range;

/// Elements that one thread takes at least.
const PIECE: usize = 1 << 14;

/// A pooling window.
pub(crate) struct Pool<'a> {
    pub pooling: Pooling,
    pub window: &'a Window,
}

impl Pool<'_> {
    fn sliding(&self, x: &[usize]) -> Result<Sliding> {
        let &[_, _, ref space @ ..] = x else {
            return Err(Error::size("axes of the inputs", "at least 3", x.len()));
        };
        match self.pooling {
            Pooling::Lp(p) if !(p > 0.0 && p.is_finite()) => {
                Err(Error::parameter("p", p, "must be greater than 0 and finite"))
            }
            _ => Sliding::new(self.window, space),
        }
    }
}

impl Kernel for Pool<'_> {
    fn forms(&self, inputs: &[Option<&Known>], _outputs: usize) -> Result<Vec<TensorForm>> {
        let x = &needed(inputs, 0)?.form;
        let sliding = self.sliding(&x.shape)?;
        if !x.element.is_real() {
            return Err(Error::size("inputs", "f32 or f64", x.element.word()));
        }
        let mut shape = x.shape[..2].to_vec();
        shape.extend(sliding.places());
        Ok(vec![TensorForm::new(x.element, shape)])
    }

    fn run(&self, inputs: &Inputs<'_>, forms: &[TensorForm], context: &Context<'_>) -> Result<Vec<Tensor>> {
        fn go<T: Real + Number>(
            op: &Pool<'_>,
            x: &Tensor,
            form: &TensorForm,
            context: &Context<'_>,
        ) -> Result<Vec<Tensor>> {
            let sliding = op.sliding(x.shape())?;
            let (space, x) = (sliding.space(), numbers::<T>(x)?);
            let mut y = context.take::<T>(form.count()?)?;
            let places = sliding.place_count();
            let together = planes(places);
            each_chunk_mut(context.run, &mut y.values, together * places, |piece, out| {
                for (i, out) in out.chunks_exact_mut(places).enumerate() {
                    let plane = &x[(piece * together + i) * space..][..space];
                    forward(op, &sliding, plane, out);
                }
                Ok(())
            })?;
            Ok(vec![y.tensor(form.shape.clone())?])
        }
        let (x, form) = (needed(inputs, 0)?, needed(&[forms.first()], 0)?.to_owned());
        by_real!(x.element(), go(self, x, form, context))
    }

    fn pull(&self, call: &Call<'_>, context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
        fn go<T: Real + Number>(op: &Pool<'_>, call: &Call<'_>, context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
            let (Some(gradient), true) = (call.gradient(), call.wants(0)) else { return Ok(vec![None]) };
            let (x, y) = (needed(call.inputs, 0)?, needed(&[call.outputs.first()], 0)?.to_owned());
            let sliding = op.sliding(x.shape())?;
            let (xs, ys, g) = (numbers::<T>(x)?, numbers::<T>(y)?, numbers::<T>(gradient)?);
            let (space, places) = (sliding.space(), sliding.place_count());
            let mut dx = context.zeros::<T>(xs.len())?;
            let together = planes(space);
            each_chunk_mut(context.run, &mut dx.values, together * space.max(1), |piece, out| {
                for (i, out) in out.chunks_exact_mut(space.max(1)).enumerate() {
                    let plane = piece * together + i;
                    let map = plane * places..(plane + 1) * places;
                    back(op, &sliding, &xs[plane * space..][..space], &ys[map.clone()], &g[map], out);
                }
                Ok(())
            })?;
            Ok(vec![Some(dx.tensor(x.shape())?)])
        }
        by_real!(needed(call.inputs, 0)?.element(), go(self, call, context))
    }
}

/// How many planes make a piece of work.
fn planes(size: usize) -> usize {
    PIECE.div_ceil(size.max(1))
}

/// Calls `f(place, parts…)` for every place of the window with the parts inside, axis by axis.
fn each_place(sliding: &Sliding, mut f: impl FnMut(usize, [usize; 3], [Range<usize>; 3])) {
    let [a, b, c] = &sliding.axes;
    let mut at = 0;
    for p in 0..a.places {
        for q in 0..b.places {
            for r in 0..c.places {
                f(at, [p, q, r], [a.parts(p), b.parts(q), c.parts(r)]);
                at += 1;
            }
        }
    }
}

/// The elements under the window, in order.
fn elements(sliding: &Sliding, place: [usize; 3], parts: [Range<usize>; 3]) -> impl Iterator<Item = usize> + '_ {
    let [a, b, c] = &sliding.axes;
    let [first, middle, last] = parts;
    let (start, step) = (c.element(place[2], last.start).unwrap_or(0), c.dilation);
    first.flat_map(move |k| {
        let last = last.clone();
        let i = a.element(place[0], k).unwrap_or(0);
        middle.clone().flat_map(move |l| {
            let line = (i * b.size + b.element(place[1], l).unwrap_or(0)) * c.size + start;
            (0..last.len()).map(move |m| line + m * step)
        })
    })
}

/// The divisor of a mean at a place.
fn divisor(op: &Pool<'_>, sliding: &Sliding, place: [usize; 3], inside: usize) -> f64 {
    let (Pooling::AveragePadded, Padding::Explicit { end, .. }) = (op.pooling, &op.window.padding) else {
        return match op.pooling {
            Pooling::AveragePadded => sliding.axes.iter().map(|a| a.kernel as f64).product(),
            _ => inside.max(1) as f64,
        };
    };
    let ahead = 3 - end.len();
    let along = |i: usize| {
        let (axis, after) = (&sliding.axes[i], if i < ahead { 0 } else { end[i - ahead] });
        let room = (axis.begin + axis.size + after).saturating_sub(place[i] * axis.stride);
        room.div_ceil(axis.dilation).min(axis.kernel) as f64
    };
    (0..3).map(along).product::<f64>().max(1.0)
}

/// One plane.
fn forward<T: Real>(op: &Pool<'_>, sliding: &Sliding, x: &[T], y: &mut [T]) {
    match op.pooling {
        Pooling::Max => largest(sliding, x, y),
        Pooling::Average | Pooling::AveragePadded => each_place(sliding, |at, place, parts| {
            let inside = parts.iter().map(Range::len).product();
            let sum: f64 = elements(sliding, place, parts).map(|i| x[i].wide()).sum();
            y[at] = T::narrow(sum / divisor(op, sliding, place, inside));
        }),
        Pooling::Lp(p) => each_place(sliding, |at, place, parts| {
            let sum: f64 = elements(sliding, place, parts).map(|i| x[i].wide().abs().powf(p)).sum();
            y[at] = T::narrow(sum.powf(1.0 / p));
        }),
    }
}

/// The largest of one plane, a line at a time: first of the lines under the window, then along the line.
fn largest<T: Real>(sliding: &Sliding, x: &[T], y: &mut [T]) {
    let [a, b, c] = &sliding.axes;
    let least = T::narrow(f64::NEG_INFINITY);
    let (mut tops, mut found) = (vec![least; c.size], vec![least; c.places]);
    for (line, y) in y.chunks_exact_mut(c.places).enumerate() {
        let (p, q) = (line / b.places, line % b.places);
        tops.fill(least);
        for k in a.parts(p) {
            for l in b.parts(q) {
                let (Some(i), Some(j)) = (a.element(p, k), b.element(q, l)) else { continue };
                larger(&mut tops, &x[(i * b.size + j) * c.size..][..c.size]);
            }
        }
        y.fill(least);
        // Parts that are never inside would make no difference, and there may be very many of them.
        let first = c.begin.saturating_sub((c.places - 1) * c.stride) / c.dilation;
        let most = c.kernel.min((c.begin + c.size).div_ceil(c.dilation));
        for m in first..most {
            let valid = c.places_of(m);
            let Some(start) = c.element(valid.start, m).filter(|_| !valid.is_empty()) else { continue };
            let (y, from) = (&mut y[valid], &tops[start..]);
            match c.stride {
                1 => larger(y, from),
                stride => {
                    let found = &mut found[..y.len()];
                    every(stride, from, found);
                    larger(y, found);
                }
            }
        }
    }
}

/// Adds the gradient of one plane to `dx`.
fn back<T: Real>(op: &Pool<'_>, sliding: &Sliding, x: &[T], y: &[T], g: &[T], dx: &mut [T]) {
    match op.pooling {
        Pooling::Max if sliding.axes.iter().all(is_inside) => to_largest(sliding, x, y, g, dx),
        Pooling::Max => each_place(sliding, |at, place, parts| {
            let is_it = |&i: &usize| x[i] == y[at] || x[i].wide().is_nan();
            if let Some(i) = elements(sliding, place, parts).find(is_it) {
                dx[i] += g[at];
            }
        }),
        Pooling::Average | Pooling::AveragePadded => each_place(sliding, |at, place, parts| {
            let inside = parts.iter().map(Range::len).product();
            let share = T::narrow(g[at].wide() / divisor(op, sliding, place, inside));
            elements(sliding, place, parts).for_each(|i| dx[i] += share);
        }),
        Pooling::Lp(p) => each_place(sliding, |at, place, parts| {
            // ∂/∂x (Σ|x|ᵖ)^(1/p) = sign x · |x|^(p−1) · y^(1−p).
            let (y, g) = (y[at].wide(), g[at].wide());
            if y > 0.0 {
                elements(sliding, place, parts).filter(|&i| x[i] != T::ZERO).for_each(|i| {
                    let v = x[i].wide();
                    dx[i] += T::narrow(g * v.signum() * (v.abs() / y).powf(p - 1.0));
                });
            }
        }),
    }
}

/// Whether windows lie inside at every place, their elements side by side.
fn is_inside(axis: &Axis) -> bool {
    axis.begin == 0 && axis.dilation == 1 && (axis.places - 1) * axis.stride + axis.kernel <= axis.size
}

/// The gradient of the largest where windows lie inside: no place needs to be looked at element by element.
fn to_largest<T: Real>(sliding: &Sliding, x: &[T], y: &[T], g: &[T], dx: &mut [T]) {
    let [a, b, c] = &sliding.axes;
    let of_two = |axis: &Axis| axis.kernel == 2 && axis.stride == 2;
    if a.size == 1 && of_two(b) && of_two(c) {
        return to_largest_of_four(b.places, c, x, y, g, dx);
    }
    for (line, (y, g)) in y.chunks_exact(c.places).zip(g.chunks_exact(c.places)).enumerate() {
        let (p, q) = (line / b.places, line % b.places);
        let corner = (p * a.stride * b.size + q * b.stride) * c.size;
        for (r, (&y, &g)) in y.iter().zip(g).enumerate() {
            let start = corner + r * c.stride;
            'window: for k in 0..a.kernel {
                for l in 0..b.kernel {
                    let first = start + (k * b.size + l) * c.size;
                    for (m, &x) in x[first..first + c.kernel].iter().enumerate() {
                        // A NaN is larger than anything, and differs from itself.
                        if x == y || x.partial_cmp(&x).is_none() {
                            dx[first + m] += g;
                            break 'window;
                        }
                    }
                }
            }
        }
    }
}

/// The same for windows of 2 x 2 side by side, the usual ones: which of four is the largest is not to be foretold, so it
/// is counted out, and nothing branches on it.
fn to_largest_of_four<T: Real>(lines: usize, c: &Axis, x: &[T], y: &[T], g: &[T], dx: &mut [T]) {
    let width = c.size;
    let pairs = dx.chunks_exact_mut(2 * width).zip(x.chunks_exact(2 * width)).take(lines);
    for ((dx, x), (y, g)) in pairs.zip(y.chunks_exact(c.places).zip(g.chunks_exact(c.places))) {
        let (above, below) = x.split_at(width);
        let inputs = above.chunks_exact(2).zip(below.chunks_exact(2));
        for (r, ((above, below), (&y, &g))) in inputs.zip(y.iter().zip(g)).enumerate() {
            // A NaN is larger than anything, and differs from itself.
            let other = |x: T| usize::from(!((x == y) | x.wide().is_nan()));
            let (first, second, third) = (other(above[0]), other(above[1]), other(below[0]));
            let winner = first + first * second + first * second * third;
            dx[2 * r + (winner & 1) + (winner >> 1) * width] = g;
        }
    }
}
