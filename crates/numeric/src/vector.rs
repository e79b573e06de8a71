#![allow(unsafe_code, reason = "versions for several instruction sets, made by simd::fastest")]
//! Inner products and distances of vectors.
//!
//! Sums run in sixteen fixed lanes that are joined in a fixed tree, so that the order of additions, and with it every
//! bit, is the same on all processors. Rounding error is at most (n/16 + 5) · 2⁻⁵³ · Σ|terms|.

use crate::simd::fastest;

const LANES: usize = 16;

/// Σ of `term(i)`-like products over two slices, in lanes. The longer slice is cut to the shorter.
macro_rules! in_lanes {
    ($a:expr, $b:expr, $zero:expr, |$x:ident, $y:ident| $term:expr) => {{
        let n = $a.len().min($b.len());
        let (a, b) = (&$a[..n], &$b[..n]);
        let mut lanes = [$zero; LANES];
        let (heads_a, tail_a) = a.as_chunks::<LANES>();
        let (heads_b, tail_b) = b.as_chunks::<LANES>();
        for (xs, ys) in heads_a.iter().zip(heads_b) {
            for ((lane, &$x), &$y) in lanes.iter_mut().zip(xs).zip(ys) {
                *lane += $term;
            }
        }
        for ((lane, &$x), &$y) in lanes.iter_mut().zip(tail_a).zip(tail_b) {
            *lane += $term;
        }
        join(lanes)
    }};
}

#[inline(always)]
fn join<T: Copy + std::ops::Add<Output = T>>(l: [T; LANES]) -> T {
    let four = |i: usize| (l[i] + l[i + 4]) + (l[i + 8] + l[i + 12]);
    (four(0) + four(2)) + (four(1) + four(3))
}

fastest! {
    /// Σ aᵢ bᵢ over the places both have.
    pub fn dot(a: &[f64], b: &[f64]) -> f64 {
        in_lanes!(a, b, 0.0f64, |x, y| x * y)
    }
}

fastest! {
    /// Σ aᵢ bᵢ in single precision, summed in single precision.
    pub(crate) fn dot_f32(a: &[f32], b: &[f32]) -> f32 {
        in_lanes!(a, b, 0.0f32, |x, y| x * y)
    }
}

fastest! {
    /// ‖a − b‖², term by term: the relative error is at most (n + 2) · 2⁻⁵³, and equal vectors give exactly 0.
    pub fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
        in_lanes!(a, b, 0.0f64, |x, y| (x - y) * (x - y))
    }
}

fastest! {
    /// y ← y + s·x over the places both have.
    pub fn add_scaled(y: &mut [f64], s: f64, x: &[f64]) {
        y.iter_mut().zip(x).for_each(|(y, &x)| *y += s * x);
    }
}

/// y + s₀x₀ + s₁x₁ + s₂x₂ + s₃x₃, from the left.
macro_rules! four {
    ($y:ident, $s:ident, $x:ident) => {{
        let n = $x.iter().map(|x| x.len()).fold($y.len(), usize::min);
        let (y, [a, b, c, d]) = (&mut $y[..n], $x.map(|x| &x[..n]));
        for i in 0..n {
            y[i] = (((y[i] + $s[0] * a[i]) + $s[1] * b[i]) + $s[2] * c[i]) + $s[3] * d[i];
        }
    }};
}

fastest! {
    /// Four scaled vectors on top of y, in double precision.
    pub(crate) fn add_four_f64(y: &mut [f64], s: [f64; 4], x: [&[f64]; 4]) {
        four!(y, s, x)
    }
}

fastest! {
    /// Four scaled vectors on top of y, in single precision.
    pub(crate) fn add_four_f32(y: &mut [f32], s: [f32; 4], x: [&[f32]; 4]) {
        four!(y, s, x)
    }
}

fastest! {
    /// outⱼ ← outⱼ + (x − yⱼ)²: one coordinate of the distances from one point to many.
    pub(crate) fn add_squares(out: &mut [f64], x: f64, y: &[f64]) {
        out.iter_mut().zip(y).for_each(|(out, &y)| *out += (x - y) * (x - y));
    }
}

/// Centres looked at side by side by [`two_nearest`].
const SIDE: usize = 8;

/// A few centres in few columns, laid out so that a row meets them all at once.
pub struct Few {
    /// Column after column, the centres of a column side by side, filled up with infinities.
    columns: Vec<f64>,
    width: usize,
}

impl Few {
    /// Centres of `d` columns each, row after row.
    pub fn new(centres: &[f64], d: usize) -> Self {
        let k = centres.len() / d.max(1);
        let width = k.next_multiple_of(SIDE);
        let mut columns = vec![f64::INFINITY; width * d];
        for (j, centre) in centres.chunks_exact(d.max(1)).enumerate() {
            centre.iter().enumerate().for_each(|(c, &x)| columns[c * width + j] = x);
        }
        Few { columns, width }
    }

    /// For each row of as many columns, where the nearest centre is (the first of equals), how far (squared), and how
    /// far the second nearest.
    pub fn two_nearest(&self, rows: &[f64], out: &mut [(u32, f64, f64)]) {
        two_nearest(rows, &self.columns, self.width, out);
    }
}

fastest! {
    /// Squares are summed column after column; centres at infinity are never nearest.
    fn two_nearest(rows: &[f64], columns: &[f64], width: usize, out: &mut [(u32, f64, f64)]) {
        let d = columns.len() / width.max(1);
        for (row, out) in rows.chunks_exact(d.max(1)).zip(out) {
            let (mut at, mut first, mut second) = (0, f64::INFINITY, f64::INFINITY);
            for begin in (0..width).step_by(SIDE) {
                let mut sums = [0.0; SIDE];
                for (&x, column) in row.iter().zip(columns.chunks_exact(width)) {
                    let (near, _) = column[begin..].as_chunks::<SIDE>();
                    if let Some(near) = near.first() {
                        sums.iter_mut().zip(near).for_each(|(sum, c)| *sum += (x - c) * (x - c));
                    }
                }
                for (j, &sum) in sums.iter().enumerate() {
                    if sum < first {
                        (at, second, first) = (begin + j, first, sum);
                    } else if sum < second {
                        second = sum;
                    }
                }
            }
            *out = (at as u32, first, second);
        }
    }
}

fastest! {
    /// outⱼ ← norm + normsⱼ − 2·outⱼ; whether some result is at most `share` of the norms it comes from.
    pub(crate) fn combine(out: &mut [f64], norm: f64, norms: &[f64], share: f64) -> bool {
        let mut any = false;
        for (out, &other) in out.iter_mut().zip(norms) {
            let sum = norm + other;
            *out = sum - 2.0 * *out;
            let safe = *out > share * sum;
            any |= !safe; // NaN is not safe.
        }
        any
    }
}

/// ‖a‖².
pub fn squared_norm(a: &[f64]) -> f64 {
    dot(a, a)
}

/// Σ over the entries of a sparse row of value times the dense number at its id; ids beyond the dense vector count as 0.
pub fn sparse_dot(ids: &[u32], values: &[f64], dense: &[f64]) -> f64 {
    let at = |id: u32| dense.get(id as usize).copied().unwrap_or(0.0);
    let mut lanes = [0.0; 4];
    let (heads, tail) = ids.as_chunks::<4>();
    let (head_values, tail_values) = values.as_chunks::<4>();
    for (ids, values) in heads.iter().zip(head_values) {
        for ((lane, &id), &value) in lanes.iter_mut().zip(ids).zip(values) {
            *lane += value * at(id);
        }
    }
    for ((lane, &id), &value) in lanes.iter_mut().zip(tail).zip(tail_values) {
        *lane += value * at(id);
    }
    (lanes[0] + lanes[2]) + (lanes[1] + lanes[3])
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Seed;

    #[test]
    fn the_two_nearest_of_few_centres() {
        for (k, d) in [(1, 1), (2, 3), (7, 9), (8, 2), (9, 5), (26, 16)] {
            let draw =
                |seed: u64, n: usize| -> Vec<f64> { (0..n).map(|i| (Seed(seed).at(i).unit() * 4.0).floor()).collect() };
            let (centres, rows) = (draw(1, k * d), draw(2, 50 * d));
            let mut found = vec![(0, 0.0, 0.0); 50];
            Few::new(&centres, d).two_nearest(&rows, &mut found);
            for (row, found) in rows.chunks_exact(d).zip(found) {
                let mut all: Vec<(f64, u32)> =
                    centres.chunks_exact(d).zip(0..).map(|(c, j)| (squared_distance(row, c), j)).collect();
                all.sort_by(|a, b| a.partial_cmp(b).unwrap());
                let second = all.get(1).map_or(f64::INFINITY, |x| x.0);
                assert_eq!(found, (all[0].1, all[0].0, second), "{k} centres, {d} columns");
            }
        }
    }

    #[test]
    fn four_vectors_are_added_in_their_order() {
        use crate::Real;
        for n in [0, 1, 15, 16, 17, 100] {
            let x: Vec<Vec<f64>> = (0..5).map(|k| (0..n).map(|i| Seed(k).at(i).unit() - 0.5).collect()).collect();
            let s = [0.5, -1.25, 3.0, 1e-3];
            let (mut y, mut expected) = (x[4].clone(), x[4].clone());
            f64::add_four(&mut y, s, [0, 1, 2, 3].map(|k| &x[k][..]));
            (0..4).for_each(|k| add_scaled(&mut expected, s[k], &x[k]));
            assert_eq!(y, expected);
            let narrow: Vec<Vec<f32>> = x.iter().map(|x| x.iter().map(|x| *x as f32).collect()).collect();
            let (mut y, s) = (narrow[4].clone(), s.map(|s| s as f32));
            f32::add_four(&mut y, s, [0, 1, 2, 3].map(|k| &narrow[k][..]));
            let by_hand = |i: usize| (0..4).fold(narrow[4][i], |y, k| y + s[k] * narrow[k][i]);
            assert!((0..n).all(|i| y[i].to_bits() == by_hand(i).to_bits()));
        }
    }

    #[test]
    fn sums_agree_with_their_definitions() {
        for n in [0, 1, 2, 15, 16, 17, 33, 784] {
            let a: Vec<f64> = (0..n).map(|i| Seed(1).at(i).unit() - 0.5).collect();
            let b: Vec<f64> = (0..n).map(|i| Seed(2).at(i).unit() - 0.5).collect();
            let plain: f64 = a.iter().zip(&b).map(|(x, y)| x * y).sum();
            assert!((dot(&a, &b) - plain).abs() < 1e-13);
            // Compiled here for the common instruction set: the same bits.
            assert_eq!(dot(&a, &b).to_bits(), in_lanes!(a, b, 0.0f64, |x, y| x * y).to_bits());
            let plain: f64 = a.iter().zip(&b).map(|(x, y)| (x - y).powi(2)).sum();
            assert!((squared_distance(&a, &b) - plain).abs() < 1e-13 * (1.0 + plain));
            let lanes = in_lanes!(a, b, 0.0f64, |x, y| (x - y) * (x - y));
            assert_eq!(squared_distance(&a, &b).to_bits(), lanes.to_bits());
            assert_eq!(squared_distance(&a, &a), 0.0);
            let ids: Vec<u32> = (0..n as u32).step_by(3).collect();
            let values: Vec<f64> = ids.iter().map(|&i| b[i as usize]).collect();
            let plain: f64 = ids.iter().map(|&i| a[i as usize] * b[i as usize]).sum();
            assert!((sparse_dot(&ids, &values, &a) - plain).abs() < 1e-13);
            let mut y = b.clone();
            add_scaled(&mut y, 2.0, &a);
            assert!(y.iter().zip(&a).zip(&b).all(|((y, a), b)| *y == b + 2.0 * a));
            let (a32, b32): (Vec<f32>, Vec<f32>) =
                (a.iter().map(|&x| x as f32).collect(), b.iter().map(|&x| x as f32).collect());
            let plain: f64 = a32.iter().zip(&b32).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum();
            assert!((f64::from(dot_f32(&a32, &b32)) - plain).abs() < 1e-5);
        }
        assert_eq!(dot(&[1.0, 2.0], &[3.0]), 3.0);
        assert_eq!(sparse_dot(&[9], &[1.0], &[1.0]), 0.0);
    }
}
