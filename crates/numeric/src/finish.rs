#![allow(unsafe_code, reason = "versions for several instruction sets, made by simd::fastest")]
//! From a computed tile to where its numbers belong: a bias added, brought between two bounds, pieces that do not
//! belong to the result left out, all in one pass.

use crate::Real;
use crate::simd::fastest;

/// A piece of a tile's lines and where it goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// Where it begins in the tile's line.
    pub from: usize,
    /// Where it begins in the result's line.
    pub to: usize,
    /// Its length.
    pub count: usize,
}

/// What is done to each number on the way: bias (of its line) added, then at least `low` and at most `high`.
#[derive(Debug, Clone, Copy)]
pub struct Finish<'a, T> {
    /// One for each line; none: 0.
    pub bias: Option<&'a [T]>,
    /// What is smaller becomes this.
    pub low: T,
    /// What is larger becomes this.
    pub high: T,
}

impl<'a, T: Real> Finish<'a, T> {
    /// A bias and no bounds.
    pub fn biased(bias: Option<&'a [T]>) -> Self {
        Finish { bias, low: T::narrow(f64::NEG_INFINITY), high: T::narrow(f64::INFINITY) }
    }

    /// For the lines of a range.
    pub fn part(self, lines: std::ops::Range<usize>) -> Self {
        Finish { bias: self.bias.map(|b| &b[lines]), ..self }
    }
}

/// Writes the pieces of `lines.len()` lines of a tile, `stride` apart, to the lines of the result. NaN stays.
pub fn finish<T: Real>(tile: &[T], stride: usize, pieces: &[Piece], lines: &mut [&mut [T]], how: Finish<'_, T>) {
    T::finish(tile, stride, pieces, lines, how);
}

/// The function for one precision.
pub trait Finishes: Sized {
    /// See [`finish`].
    fn finish(tile: &[Self], stride: usize, pieces: &[Piece], lines: &mut [&mut [Self]], how: Finish<'_, Self>);
}

macro_rules! finishes {
    ($float:ident, $name:ident) => {
        fastest! {
            fn $name(
                tile: &[$float],
                stride: usize,
                pieces: &[Piece],
                lines: &mut [&mut [$float]],
                how: Finish<'_, $float>,
            ) {
                for (i, line) in lines.iter_mut().enumerate() {
                    let (from, bias) = (&tile[i * stride..], how.bias.map_or(0.0, |b| b[i]));
                    for piece in pieces {
                        let (to, from) = (&mut line[piece.to..][..piece.count], &from[piece.from..][..piece.count]);
                        for (y, &v) in to.iter_mut().zip(from) {
                            let v = v + bias;
                            // Comparisons with NaN are false, so that NaN stays.
                            let v = if v < how.low { how.low } else { v };
                            *y = if v > how.high { how.high } else { v };
                        }
                    }
                }
            }
        }

        impl Finishes for $float {
            fn finish(
                tile: &[Self],
                stride: usize,
                pieces: &[Piece],
                lines: &mut [&mut [Self]],
                how: Finish<'_, Self>,
            ) {
                $name(tile, stride, pieces, lines, how);
            }
        }
    };
}

finishes!(f32, finish_single);
finishes!(f64, finish_double);

fastest! {
    /// Every second number of a line.
    fn halve_single(from: &[f32], to: &mut [f32]) {
        let (pairs, rest) = from.as_chunks::<2>();
        let count = pairs.len().min(to.len());
        to[..count].iter_mut().zip(pairs).for_each(|(t, pair)| *t = pair[0]);
        to[count..].iter_mut().zip(rest).for_each(|(t, &f)| *t = f);
    }
}

/// y ← the larger of y and x over the places both have; NaN counts as the largest.
pub fn larger<T: Real>(y: &mut [T], x: &[T]) {
    T::larger(y, x);
}

/// `to` filled with every `stride`-th number of `from`, as far as there are any.
pub fn every<T: Real>(stride: usize, from: &[T], to: &mut [T]) {
    T::every(stride, from, to);
}

/// Functions of lines that pools and windows need, for one precision.
pub trait Every: Sized {
    /// See [`every`].
    fn every(stride: usize, from: &[Self], to: &mut [Self]);
    /// See [`larger`].
    fn larger(y: &mut [Self], x: &[Self]);
}

macro_rules! largers {
    ($float:ident, $name:ident) => {
        fastest! {
            fn $name(y: &mut [$float], x: &[$float]) {
                // A NaN in y stays, as nothing compares with it.
                y.iter_mut().zip(x).for_each(|(y, &x)| *y = if x > *y || x.is_nan() { x } else { *y });
            }
        }
    };
}

largers!(f32, larger_single);
largers!(f64, larger_double);

impl Every for f32 {
    fn larger(y: &mut [Self], x: &[Self]) {
        larger_single(y, x);
    }

    fn every(stride: usize, from: &[Self], to: &mut [Self]) {
        match stride {
            2 => halve_single(from, to),
            _ => to.iter_mut().zip(from.iter().step_by(stride.max(1))).for_each(|(t, &f)| *t = f),
        }
    }
}

impl Every for f64 {
    fn larger(y: &mut [Self], x: &[Self]) {
        larger_double(y, x);
    }

    fn every(stride: usize, from: &[Self], to: &mut [Self]) {
        to.iter_mut().zip(from.iter().step_by(stride.max(1))).for_each(|(t, &f)| *t = f);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: Real + PartialEq>() {
        let tile: Vec<T> = (0..40).map(|i| T::narrow(f64::from(i) - 20.0)).collect();
        let mut out = [T::ZERO; 12];
        let (a, b) = out.split_at_mut(6);
        let pieces = [Piece { from: 1, to: 0, count: 2 }, Piece { from: 5, to: 3, count: 3 }];
        let bias = [T::ONE, T::narrow(-2.0)];
        let how = Finish { low: T::narrow(-15.0), high: T::ZERO, ..Finish::biased(Some(&bias)) };
        finish(&tile, 20, &pieces, &mut [a, b], how);
        let found: Vec<f64> = out.iter().map(|v| v.wide()).collect();
        assert_eq!(found, [-15.0, -15.0, 0.0, -14.0, -13.0, -12.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let mut kept = [T::ZERO];
        finish(&[T::narrow(f64::NAN)], 1, &[Piece { from: 0, to: 0, count: 1 }], &mut [&mut kept], how);
        assert!(kept[0].wide().is_nan());
        for (stride, count) in [(1, 7), (2, 5), (2, 3), (3, 4), (2, 9)] {
            let mut to = vec![T::narrow(99.0); count];
            every(stride, &tile[..9], &mut to);
            let expected = |i: usize| if i * stride < 9 { tile[i * stride].wide() } else { 99.0 };
            assert!(to.iter().enumerate().all(|(i, v)| v.wide() == expected(i)), "{stride} {count}");
        }
    }

    #[test]
    fn pieces_arrive_finished() {
        check::<f32>();
        check::<f64>();
    }
}
