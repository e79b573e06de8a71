#![allow(unsafe_code, reason = "versions for several instruction sets, made by simd::fastest")]
//! Passes over gradients: the inner loops of solvers that move two coordinates at a time.
//!
//! A solver of ½ βᵀKβ + cᵀβ over a box with a fixed sum keeps the gradient g in double precision and reads rows of K in
//! either precision. `up` holds 0 where a coordinate may grow and ∞ where it may not, `low` holds 0 where it may shrink
//! and −∞ where it may not, so that the passes have no branches. Sums and comparisons run in fixed lanes; of equals the
//! first wins, on every processor.

use crate::simd::fastest;

const LANES: usize = 16;
/// Curvature below this counts as this, so that steps stay finite.
pub const LEAST_CURVATURE: f64 = 1e-12;

/// The place of the smallest number of the lanes, the first of equals.
#[inline(always)]
fn first_least(best: &[f64; LANES], place: &[f64; LANES]) -> (f64, usize) {
    let mut at = 0;
    for l in 1..LANES {
        if best[l] < best[at] || (best[l] == best[at] && place[l] < place[at]) {
            at = l;
        }
    }
    (best[at], place[at] as usize)
}

macro_rules! passes {
    ($float:ty, $move_pair:ident, $second_order:ident, $add_row:ident, $add_rows:ident, $add_line:ident, $squares:ident) => {
        fastest! {
            /// y ← y + s · x in the precision of x.
            pub fn $add_line(y: &mut [$float], s: $float, x: &[$float]) {
                y.iter_mut().zip(x).for_each(|(y, &x)| *y += s * x);
            }
        }

        fastest! {
            /// Inner products of centred points become squared distances: norm + norms − 2 · product, 0 at least.
            pub fn $squares(line: &mut [$float], norm: $float, norms: &[$float]) {
                for (s, &other) in line.iter_mut().zip(norms) {
                    let square = norm + other - 2.0 * *s;
                    *s = if square > 0.0 { square } else { 0.0 };
                }
            }
        }

        fastest! {
            /// g ← g + s (a − b), and the smallest g + up with its place.
            pub fn $move_pair(g: &mut [f64], s: f64, a: &[$float], b: &[$float], up: &[f64]) -> (f64, usize) {
                let n = g.len().min(a.len()).min(b.len()).min(up.len());
                let (g, a, b, up) = (&mut g[..n], &a[..n], &b[..n], &up[..n]);
                let mut best = [f64::INFINITY; LANES];
                let mut place = [0.0; LANES];
                let mut first = 0.0;
                let (gs, g_tail) = g.as_chunks_mut::<LANES>();
                let (as_, a_tail) = a.as_chunks::<LANES>();
                let (bs, b_tail) = b.as_chunks::<LANES>();
                let (ups, up_tail) = up.as_chunks::<LANES>();
                for (((g, a), b), up) in gs.iter_mut().zip(as_).zip(bs).zip(ups) {
                    for l in 0..LANES {
                        g[l] += s * (f64::from(a[l]) - f64::from(b[l]));
                        let value = g[l] + up[l];
                        let less = value < best[l];
                        best[l] = if less { value } else { best[l] };
                        place[l] = if less { first + l as f64 } else { place[l] };
                    }
                    first += LANES as f64;
                }
                for (l, (((g, a), b), up)) in g_tail.iter_mut().zip(a_tail).zip(b_tail).zip(up_tail).enumerate() {
                    *g += s * (f64::from(*a) - f64::from(*b));
                    let value = *g + up;
                    if value < best[l] {
                        (best[l], place[l]) = (value, first + l as f64);
                    }
                }
                first_least(&best, &place)
            }
        }

        fastest! {
            /// The coordinate that promises most together with one of gradient `gi`, curvature `kii` and row `row`:
            /// the largest (g − gi)² / (kii + diagonal − 2 row) among those above `gi` that may shrink. Answers that
            /// promise (0 if there is none), its place, and the largest g + low.
            pub fn $second_order(
                g: &[f64],
                low: &[f64],
                row: &[$float],
                diagonal: &[f64],
                gi: f64,
                kii: f64,
            ) -> (f64, usize, f64) {
                let n = g.len().min(low.len()).min(row.len()).min(diagonal.len());
                let (g, low, row, diagonal) = (&g[..n], &low[..n], &row[..n], &diagonal[..n]);
                // Promises with the sign turned, so that the smallest wins.
                let mut best = [0.0; LANES];
                let mut place = [0.0; LANES];
                let mut most = [f64::NEG_INFINITY; LANES];
                let mut first = 0.0;
                let (gs, g_tail) = g.as_chunks::<LANES>();
                let (lows, low_tail) = low.as_chunks::<LANES>();
                let (rows, row_tail) = row.as_chunks::<LANES>();
                let (diagonals, diagonal_tail) = diagonal.as_chunks::<LANES>();
                for (((g, low), row), diagonal) in gs.iter().zip(lows).zip(rows).zip(diagonals) {
                    for l in 0..LANES {
                        let value = g[l] + low[l];
                        most[l] = if value > most[l] { value } else { most[l] };
                        let b = value - gi;
                        let b = if b > 0.0 { b } else { 0.0 };
                        let a = kii + diagonal[l] - 2.0 * f64::from(row[l]);
                        let a = if a > LEAST_CURVATURE { a } else { LEAST_CURVATURE };
                        let promise = -(b * b) / a;
                        let less = promise < best[l];
                        best[l] = if less { promise } else { best[l] };
                        place[l] = if less { first + l as f64 } else { place[l] };
                    }
                    first += LANES as f64;
                }
                let tail = g_tail.iter().zip(low_tail).zip(row_tail).zip(diagonal_tail);
                for (l, (((g, low), row), diagonal)) in tail.enumerate() {
                    let value = g + low;
                    most[l] = most[l].max(value);
                    let b = (value - gi).max(0.0);
                    let a = (kii + diagonal - 2.0 * f64::from(*row)).max(LEAST_CURVATURE);
                    let promise = -(b * b) / a;
                    if promise < best[l] {
                        (best[l], place[l]) = (promise, first + l as f64);
                    }
                }
                let (promise, at) = first_least(&best, &place);
                (-promise, at, most.iter().copied().fold(f64::NEG_INFINITY, f64::max))
            }
        }

        fastest! {
            /// f ← f + s · row.
            pub fn $add_row(f: &mut [f64], s: f64, row: &[$float]) {
                f.iter_mut().zip(row).for_each(|(f, &x)| *f += s * f64::from(x));
            }
        }

        fastest! {
            /// f ← f + Σ s_k · row_k of four rows, one after the other.
            pub fn $add_rows(f: &mut [f64], s: [f64; 4], rows: [&[$float]; 4]) {
                let n = rows.iter().map(|r| r.len()).fold(f.len(), usize::min);
                let [a, b, c, d] = rows.map(|r| &r[..n]);
                for (i, f) in f[..n].iter_mut().enumerate() {
                    let mut sum = *f;
                    sum += s[0] * f64::from(a[i]);
                    sum += s[1] * f64::from(b[i]);
                    sum += s[2] * f64::from(c[i]);
                    sum += s[3] * f64::from(d[i]);
                    *f = sum;
                }
            }
        }
    };
}

passes!(f32, move_pair_f32, second_order_f32, add_row_f32, add_rows_f32, add_line_f32, squares_f32);
passes!(f64, move_pair_f64, second_order_f64, add_row_f64, add_rows_f64, add_line_f64, squares_f64);

fastest! {
    /// The smallest of x + up with its place, the first of equals.
    pub fn least(x: &[f64], up: &[f64]) -> (f64, usize) {
        let mut best = (f64::INFINITY, 0);
        for (i, (x, up)) in x.iter().zip(up).enumerate() {
            let value = x + up;
            if value < best.0 {
                best = (value, i);
            }
        }
        best
    }
}

/// The passes that exist for each precision of rows.
pub trait WorkingSetPasses: Sized {
    /// g ← g + s (a − b), and the smallest g + up with its place.
    fn move_pair(g: &mut [f64], s: f64, a: &[Self], b: &[Self], up: &[f64]) -> (f64, usize);
    /// The best partner: its promise, its place, and the largest g + low.
    fn second_order(g: &[f64], low: &[f64], row: &[Self], diagonal: &[f64], gi: f64, kii: f64) -> (f64, usize, f64);
    /// f ← f + Σ s_k · row_k, row after row.
    fn add_rows(f: &mut [f64], rows: &[(f64, &[Self])]);
    /// y ← y + s · x in the precision of x.
    fn add_line(y: &mut [Self], s: Self, x: &[Self]);
    /// Inner products of centred points become squared distances: norm + norms − 2 · product, 0 at least.
    fn squares(line: &mut [Self], norm: Self, norms: &[Self]);
}

macro_rules! implement {
    ($float:ty, $move_pair:ident, $second_order:ident, $add_row:ident, $add_rows:ident, $add_line:ident, $squares:ident) => {
        impl WorkingSetPasses for $float {
            fn move_pair(g: &mut [f64], s: f64, a: &[Self], b: &[Self], up: &[f64]) -> (f64, usize) {
                $move_pair(g, s, a, b, up)
            }

            fn second_order(
                g: &[f64],
                low: &[f64],
                row: &[Self],
                diagonal: &[f64],
                gi: f64,
                kii: f64,
            ) -> (f64, usize, f64) {
                $second_order(g, low, row, diagonal, gi, kii)
            }

            fn add_rows(f: &mut [f64], rows: &[(f64, &[Self])]) {
                let (fours, rest) = rows.as_chunks::<4>();
                fours.iter().for_each(|four| $add_rows(f, four.map(|r| r.0), four.map(|r| r.1)));
                rest.iter().for_each(|(s, row)| $add_row(f, *s, row));
            }

            fn add_line(y: &mut [Self], s: Self, x: &[Self]) {
                $add_line(y, s, x);
            }

            fn squares(line: &mut [Self], norm: Self, norms: &[Self]) {
                $squares(line, norm, norms);
            }
        }
    };
}

implement!(f32, move_pair_f32, second_order_f32, add_row_f32, add_rows_f32, add_line_f32, squares_f32);
implement!(f64, move_pair_f64, second_order_f64, add_row_f64, add_rows_f64, add_line_f64, squares_f64);

#[cfg(test)]
mod tests {
    use super::*;
    use base::Seed;

    fn drawn(n: usize, seed: u64) -> Vec<f64> {
        (0..n).map(|i| (Seed(seed).at(i).unit() * 8.0).round() / 4.0 - 1.0).collect()
    }

    #[test]
    fn passes_are_what_plain_loops_say() {
        for n in [0, 1, 5, 16, 17, 100] {
            let (mut g, a, b, diagonal) = (drawn(n, 1), drawn(n, 2), drawn(n, 3), drawn(n, 4));
            let up: Vec<f64> = (0..n).map(|i| if i % 3 == 0 { f64::INFINITY } else { 0.0 }).collect();
            let low: Vec<f64> = (0..n).map(|i| if i % 4 == 0 { f64::NEG_INFINITY } else { 0.0 }).collect();
            let mut expected = g.clone();
            expected.iter_mut().zip(&a).zip(&b).for_each(|((g, a), b)| *g += 0.5 * (a - b));
            let mut single = g.clone();
            let found = f64::move_pair(&mut g, 0.5, &a, &b, &up);
            let narrow = |x: &[f64]| x.iter().map(|&x| x as f32).collect::<Vec<f32>>();
            assert_eq!(f32::move_pair(&mut single, 0.5, &narrow(&a), &narrow(&b), &up), found);
            assert_eq!((&g, &single), (&expected, &expected));
            assert_eq!(found, least(&g, &up));
            let free: Vec<usize> = (0..n).filter(|i| i % 3 != 0).collect();
            match free.iter().copied().min_by(|&i, &j| g[i].total_cmp(&g[j]).then(i.cmp(&j))) {
                Some(i) => assert_eq!(found, (g[i], i)),
                None => assert_eq!(found.0, f64::INFINITY),
            }
            let (promise, at, most) = f64::second_order(&g, &low, &a, &diagonal, -0.5, 1.5);
            assert_eq!(f32::second_order(&g, &low, &narrow(&a), &diagonal, -0.5, 1.5), (promise, at, most));
            let one = |j: usize| {
                let b = g[j] + 0.5;
                let curvature = (1.5 + diagonal[j] - 2.0 * a[j]).max(LEAST_CURVATURE);
                if b > 0.0 { b * b / curvature } else { 0.0 }
            };
            let shrinking: Vec<usize> = (0..n).filter(|i| i % 4 != 0).collect();
            let best = shrinking.iter().map(|&j| one(j)).fold(0.0, f64::max);
            assert_eq!(promise, best);
            if best > 0.0 {
                assert_eq!(at, shrinking.iter().copied().find(|&j| one(j) == best).unwrap_or(n));
            }
            assert_eq!(most, shrinking.iter().map(|&j| g[j]).fold(f64::NEG_INFINITY, f64::max));
            let rows: Vec<Vec<f64>> = (0..6).map(|k| drawn(n, 10 + k)).collect();
            let scaled: Vec<(f64, &[f64])> = rows.iter().enumerate().map(|(k, r)| (k as f64, &r[..])).collect();
            let mut f = a.clone();
            f64::add_rows(&mut f, &scaled);
            let plain = |i: usize| scaled.iter().fold(a[i], |sum, (s, row)| sum + s * row[i]);
            assert_eq!(f, (0..n).map(plain).collect::<Vec<_>>());
        }
    }
}
