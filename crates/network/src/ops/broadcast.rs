//! Broadcasting as in NumPy: shapes are aligned at their last axes, and an axis of size 1 repeats.
//!
//! Axes along which all operands step alike are joined, so that two tensors of one shape, a tensor and a number, a row
//! added to every row and a number for each channel all become one or two nested loops with a plain inner loop.

use base::{Error, Result};

/// The shape that tensors of these shapes are broadcast to.
pub(crate) fn broadcast_shape(shapes: &[&[usize]]) -> Result<Vec<usize>> {
    let rank = shapes.iter().map(|s| s.len()).max().unwrap_or(0);
    let mut out = vec![1; rank];
    for shape in shapes {
        for (to, &size) in out[rank - shape.len()..].iter_mut().zip(*shape) {
            match (*to, size) {
                (a, b) if a == b => {}
                (1, b) => *to = b,
                (_, 1) => {}
                _ => return Err(Error::size("shapes that meet", "equal, or 1, axis by axis", format!("{shapes:?}"))),
            }
        }
    }
    Ok(out)
}

/// How N tensors are walked through together.
pub(crate) struct Broadcast<const N: usize> {
    /// Outer axes, then the inner one: size, and each operand's step.
    outer: Vec<(usize, [usize; N])>,
    inner: (usize, [usize; N]),
}

impl<const N: usize> Broadcast<N> {
    /// The walk over `out`, which must be what the shapes are broadcast to.
    pub fn new(shapes: [&[usize]; N], out: &[usize]) -> Self {
        let mut axes: Vec<(usize, [usize; N])> = vec![];
        let mut steps = [1usize; N];
        // From the last axis to the first; an axis joins the one after it where every step goes on evenly.
        for (back, &size) in out.iter().rev().enumerate() {
            let mut here = [0usize; N];
            for ((here, step), shape) in here.iter_mut().zip(&mut steps).zip(&shapes) {
                let own = shape.len().checked_sub(back + 1).map_or(1, |i| shape[i]);
                if own != 1 {
                    *here = *step;
                    *step = step.saturating_mul(own);
                }
            }
            match axes.last_mut() {
                _ if size == 1 => {}
                Some((before, at)) if (0..N).all(|k| here[k] == at[k].saturating_mul(*before)) => {
                    // An empty tensor may have any sizes; nobody walks through it.
                    *before = before.saturating_mul(size);
                }
                _ => axes.push((size, here)),
            }
        }
        axes.reverse();
        let inner = axes.pop().unwrap_or((1, [0; N]));
        Broadcast { outer: axes, inner }
    }

    /// Calls `f(place in the range, count, starts, steps)` for each inner stretch of a range of the result.
    pub fn stretches(
        &self,
        range: std::ops::Range<usize>,
        mut f: impl FnMut(std::ops::Range<usize>, [usize; N], [usize; N]),
    ) {
        let (length, steps) = self.inner;
        let mut at = range.start;
        while at < range.end {
            let (mut line, first) = (at / length, at % length);
            let count = (length - first).min(range.end - at);
            let mut starts = steps.map(|s| s * first);
            for (size, steps) in self.outer.iter().rev() {
                let place = line % size;
                line /= size;
                starts.iter_mut().zip(steps).for_each(|(start, step)| *start += place * step);
            }
            f(at - range.start..at - range.start + count, starts, steps);
            at += count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_meet_as_in_numpy() {
        assert_eq!(broadcast_shape(&[&[3, 1], &[4]]), Ok(vec![3, 4]));
        assert_eq!(broadcast_shape(&[&[], &[0, 2], &[1, 1]]), Ok(vec![0, 2]));
        assert!(broadcast_shape(&[&[3], &[4]]).is_err() && broadcast_shape(&[&[0], &[2]]).is_err());
    }

    #[test]
    fn a_walk_finds_every_element_and_joins_axes() {
        for (a, b, inner) in [
            (vec![2, 3, 4], vec![2, 3, 4], 24),
            (vec![2, 3, 4], vec![], 24),
            (vec![5, 2, 3, 4], vec![3, 4], 12),
            (vec![2, 3, 2, 2], vec![3, 1, 1], 4),
            (vec![2, 1, 4], vec![3, 1], 4),
            (vec![1], vec![1, 1], 1),
        ] {
            let out = broadcast_shape(&[&a, &b]).unwrap();
            let walk = Broadcast::new([&a, &b], &out);
            assert_eq!(walk.inner.0, inner, "{a:?} {b:?}");
            let count = out.iter().product::<usize>();
            let place = |shape: &[usize], mut at: usize| {
                let mut index = vec![];
                out.iter().rev().for_each(|&n| {
                    index.push(at % n);
                    at /= n;
                });
                let own = shape.iter().rev().zip(index).map(|(&n, i)| (n, if n == 1 { 0 } else { i }));
                own.fold((0, 1), |(at, step), (n, i)| (at + i * step, step * n)).0
            };
            for start in 0..count {
                let mut next = start;
                walk.stretches(start..count, |range, starts, steps| {
                    for k in 0..range.len() {
                        assert_eq!(starts[0] + k * steps[0], place(&a, next), "{a:?} {b:?}");
                        assert_eq!(starts[1] + k * steps[1], place(&b, next));
                        next += 1;
                    }
                });
                assert_eq!(next, count);
            }
        }
    }
}
