#![allow(unsafe_code, reason = "vector instructions that the compiler does not find by itself")]
//! The innermost loop of products and convolutions: a tile of a result that stays in registers.
//!
//! out[i, j] (+)= Σₖ left[i·row + k·step] · right[stepₖ + j], for a few rows i and some vectors of neighbouring columns
//! j. The left factor is read number by number, so that rows, columns and packed panels all do; the right factor is
//! read where it lies, each k at a place of its own: a row of a matrix, or an image shifted by a part of a window.
//!
//! Each element is one chain of fused multiply-adds in the order of k, wherever it stands in a tile, so that neither
//! the cut into tiles nor into stretches of k changes a bit. Processors without such instructions multiply and add.
//!
//! **Cost.** With 8 rows of 3 vectors (AVX-512), or 6 of 2 (AVX2), the loop is bound by arithmetic, not by loads, and
//! all sums stay in registers: one more, and the compiler would keep a sum in memory, which takes twice the time.

use crate::Real;
use base::{Error, Result};

/// Rows of a tile at most.
pub const TILE_ROWS: usize = 8;

/// Places of the right factor's rows.
#[derive(Debug, Clone, Default)]
pub struct Steps {
    places: Vec<usize>,
    most: usize,
}

impl Steps {
    /// Rows at these places.
    pub fn new(places: Vec<usize>) -> Self {
        let most = places.iter().copied().max().unwrap_or(0);
        Steps { places, most }
    }

    /// `count` rows that begin `stride` apart.
    pub fn even(count: usize, stride: usize) -> Self {
        Steps::new((0..count).map(|k| k.saturating_mul(stride)).collect())
    }

    /// How many rows.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The place furthest on.
    pub fn most(&self) -> usize {
        self.most
    }
}

/// The left factor of a tile: element (i, k) lies at i·row + k·step.
#[derive(Debug, Clone, Copy)]
pub struct Left<'a, T> {
    /// The numbers, from the first element on.
    pub data: &'a [T],
    /// From row to row.
    pub row: usize,
    /// From one term of the sum to the next.
    pub step: usize,
}

/// Rows of a tile that suit the processor at hand best.
pub fn tile_rows<T: Real>() -> usize {
    T::best().0
}

/// Columns of a tile that suit the processor at hand best: a few whole vectors.
pub fn tile_columns<T: Real>() -> usize {
    T::best().1 * T::lanes()
}

/// Columns of one vector; tiles are computed in whole ones.
pub fn tile_lanes<T: Real>() -> usize {
    T::lanes()
}

/// Vectors of a tile at most.
const VECTORS: usize = 4;

/// A tile: `rows` lines of `out`, `stride` apart, of which the first `columns` numbers are computed, or added to.
///
/// Up to [`tile_columns`] numbers of a line may be overwritten. The terms are those of `steps` from `terms.start` to
/// `terms.end`; the left factor begins with the first of these.
pub fn tile<T: Real>(
    left: Left<'_, T>,
    (right, steps, terms): (&[T], &Steps, std::ops::Range<usize>),
    out: &mut [T],
    stride: usize,
    (rows, columns): (usize, usize),
    add: bool,
) -> Result<()> {
    let lanes = T::lanes();
    let width = columns.next_multiple_of(lanes);
    let Some(places) = steps.places.get(terms) else {
        return Err(Error::size("terms of a tile", format!("at most {}", steps.len()), "more"));
    };
    if rows == 0 || columns == 0 {
        return Ok(());
    }
    let last = places.len().saturating_sub(1).saturating_mul(left.step).saturating_add((rows - 1) * left.row);
    let fits = rows <= TILE_ROWS
        && width <= VECTORS * lanes
        && stride >= width
        && out.len() >= (rows - 1) * stride + width
        && (places.is_empty() || last < left.data.len());
    if !fits {
        let found = format!("{rows} x {columns} of {} terms", places.len());
        return Err(Error::size("a tile", "one that its factors and its result have room for", found));
    }
    if steps.most.saturating_add(width) > right.len() {
        // The last vector would reach past the end of the right factor: a copy with room behind it serves instead.
        let mut copy = vec![T::ZERO; places.len() * width];
        for (line, &place) in copy.chunks_exact_mut(width).zip(places) {
            let from = right.get(place..).unwrap_or(&[]);
            let count = from.len().min(width);
            line[..count].copy_from_slice(&from[..count]);
        }
        let even: Vec<usize> = (0..places.len()).map(|k| k * width).collect();
        T::tile(left, &copy, &even, out, stride, (rows, width / lanes), add);
    } else {
        T::tile(left, right, places, out, stride, (rows, width / lanes), add);
    }
    Ok(())
}

/// outⱼ = Σₖ weightsₖ · right[stepₖ + j]: one row, as long as one likes.
pub fn tile_line<T: Real>(weights: &[T], right: &[T], steps: &Steps, out: &mut [T]) -> Result<()> {
    if weights.len() != steps.len() {
        return Err(Error::size("weights of a line", steps.len(), weights.len()));
    }
    match steps.most.checked_add(out.len()) {
        Some(end) if end <= right.len() => {
            T::line(weights, right, &steps.places, out);
            Ok(())
        }
        _ => Err(Error::size("numbers under a line", format!("{} + {}", steps.most, out.len()), right.len())),
    }
}

/// The loops for one precision. Sizes have been checked.
pub trait Tiles: Sized {
    /// Numbers of a vector.
    fn lanes() -> usize;
    /// Rows and vectors of a tile that suit the processor best.
    fn best() -> (usize, usize);
    /// `rows` rows of `vectors` vectors.
    fn tile(
        left: Left<'_, Self>,
        right: &[Self],
        places: &[usize],
        out: &mut [Self],
        stride: usize,
        size: (usize, usize),
        add: bool,
    );
    /// See [`tile_line`].
    fn line(weights: &[Self], right: &[Self], places: &[usize], out: &mut [Self]);
}

/// Makes the loops for one precision with the vectors of one instruction set.
#[cfg(target_arch = "x86_64")]
macro_rules! vectors {
    ($module:ident, $float:ident, $features:literal, $lanes:literal, $most:literal, $wide:literal,
     $zero:ident, $load:ident, $store:ident, $set:ident, $fma:ident) => {
        pub mod $module {
            use super::Left;
            use std::arch::x86_64::*;

            pub const LANES: usize = $lanes;

            /// # Safety
            /// The processor has the instructions; left, right and out have room for M rows, N vectors and all places.
            #[target_feature(enable = $features)]
            unsafe fn fixed<const M: usize, const N: usize>(
                left: (*const $float, usize, usize),
                right: *const $float,
                places: &[usize],
                out: (*mut $float, usize),
                add: bool,
            ) {
                let ((mut left, row, step), (out, stride)) = (left, out);
                let mut sums = [[$zero(); N]; M];
                // SAFETY: the caller has made sure that every element lies inside; so for all that follows.
                unsafe {
                    if add {
                        for i in 0..M {
                            for j in 0..N {
                                sums[i][j] = $load(out.add(i * stride + j * LANES));
                            }
                        }
                    }
                    for &place in places {
                        let from = right.add(place);
                        let mut vectors = [$zero(); N];
                        for j in 0..N {
                            vectors[j] = $load(from.add(j * LANES));
                        }
                        for i in 0..M {
                            let x = $set(*left.add(i * row));
                            for j in 0..N {
                                sums[i][j] = $fma(x, vectors[j], sums[i][j]);
                            }
                        }
                        left = left.wrapping_add(step);
                    }
                    for i in 0..M {
                        for j in 0..N {
                            $store(out.add(i * stride + j * LANES), sums[i][j]);
                        }
                    }
                }
            }

            /// # Safety
            /// The processor has the instructions; sizes are as `tile` in the module above has checked them.
            #[target_feature(enable = $features)]
            pub unsafe fn tile(
                left: Left<'_, $float>,
                right: &[$float],
                places: &[usize],
                out: &mut [$float],
                stride: usize,
                (rows, vectors): (usize, usize),
                add: bool,
            ) {
                let mut first = 0;
                while first < rows {
                    let count = match rows - first {
                        n if n >= 8 && $most >= 8 => 8,
                        n if n >= 6 && n != 8 => 6,
                        n if n >= 4 => 4,
                        n if n >= 2 => 2,
                        _ => 1,
                    };
                    let from = (left.data.as_ptr().wrapping_add(first * left.row), left.row, left.step);
                    let mut vector = 0;
                    while vector < vectors {
                        let to = (out.as_mut_ptr().wrapping_add(first * stride + vector * LANES), stride);
                        let right = right.as_ptr().wrapping_add(vector * LANES);
                        // As many vectors as leave all sums in registers.
                        let wide = (vectors - vector).min($wide);
                        // SAFETY: rows from `first` and vectors from `vector` on are among those that were checked.
                        unsafe {
                            match (count, wide) {
                                (8, 3) => fixed::<8, 3>(from, right, places, to, add),
                                (8, 2) => fixed::<8, 2>(from, right, places, to, add),
                                (8, _) => fixed::<8, 1>(from, right, places, to, add),
                                (6, 3) => fixed::<6, 3>(from, right, places, to, add),
                                (6, 2) => fixed::<6, 2>(from, right, places, to, add),
                                (6, _) => fixed::<6, 1>(from, right, places, to, add),
                                (4, 3) => fixed::<4, 3>(from, right, places, to, add),
                                (4, 2) => fixed::<4, 2>(from, right, places, to, add),
                                (4, _) => fixed::<4, 1>(from, right, places, to, add),
                                (2, 3) => fixed::<2, 3>(from, right, places, to, add),
                                (2, 2) => fixed::<2, 2>(from, right, places, to, add),
                                (2, _) => fixed::<2, 1>(from, right, places, to, add),
                                (_, 3) => fixed::<1, 3>(from, right, places, to, add),
                                (_, 2) => fixed::<1, 2>(from, right, places, to, add),
                                _ => fixed::<1, 1>(from, right, places, to, add),
                            }
                        }
                        vector += wide;
                    }
                    first += count;
                }
            }

            /// # Safety
            /// The processor has the instructions; `right` reaches as far as the last place and all of `out`.
            #[target_feature(enable = $features)]
            pub unsafe fn line(weights: &[$float], right: &[$float], places: &[usize], out: &mut [$float]) {
                const WIDE: usize = 8;
                let (length, mut at) = (out.len(), 0);
                let (from, to) = (right.as_ptr(), out.as_mut_ptr());
                let w = (weights.as_ptr(), 0, 1);
                // SAFETY: each call writes LANES numbers (or WIDE times as many) of `out` from `at` on, and reads as
                // many at each place.
                unsafe {
                    while at + WIDE * LANES <= length {
                        fixed::<1, WIDE>(w, from.add(at), places, (to.add(at), 0), false);
                        at += WIDE * LANES;
                    }
                    while at + LANES <= length {
                        fixed::<1, 1>(w, from.add(at), places, (to.add(at), 0), false);
                        at += LANES;
                    }
                    if at < length && length >= LANES {
                        // The last vector overlaps the one before and says the same where it does.
                        let at = length - LANES;
                        fixed::<1, 1>(w, from.add(at), places, (to.add(at), 0), false);
                        return;
                    }
                }
                for j in at..length {
                    out[j] = places.iter().zip(weights).fold(0.0, |sum, (&place, &w)| w.mul_add(right[place + j], sum));
                }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Left;
    vectors!(
        wide_single,
        f32,
        "avx512f",
        16,
        8,
        3,
        _mm512_setzero_ps,
        _mm512_loadu_ps,
        _mm512_storeu_ps,
        _mm512_set1_ps,
        _mm512_fmadd_ps
    );
    vectors!(
        wide_double,
        f64,
        "avx512f",
        8,
        8,
        3,
        _mm512_setzero_pd,
        _mm512_loadu_pd,
        _mm512_storeu_pd,
        _mm512_set1_pd,
        _mm512_fmadd_pd
    );
    vectors!(
        single,
        f32,
        "avx2,fma",
        8,
        6,
        2,
        _mm256_setzero_ps,
        _mm256_loadu_ps,
        _mm256_storeu_ps,
        _mm256_set1_ps,
        _mm256_fmadd_ps
    );
    vectors!(
        double,
        f64,
        "avx2,fma",
        4,
        6,
        2,
        _mm256_setzero_pd,
        _mm256_loadu_pd,
        _mm256_storeu_pd,
        _mm256_set1_pd,
        _mm256_fmadd_pd
    );

    /// Which vectors the processor has.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub enum Level {
        Wide,
        Middle,
        None,
    }

    pub fn level() -> Level {
        if is_x86_feature_detected!("avx512f") {
            Level::Wide
        } else if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            Level::Middle
        } else {
            Level::None
        }
    }
}

/// Every processor's loop.
fn plain<T: Real>(
    left: Left<'_, T>,
    right: &[T],
    places: &[usize],
    out: &mut [T],
    stride: usize,
    (rows, columns): (usize, usize),
    add: bool,
) {
    for i in 0..rows {
        let out = &mut out[i * stride..][..columns];
        if !add {
            out.fill(T::ZERO);
        }
        for (k, &place) in places.iter().enumerate() {
            let x = left.data[i * left.row + k * left.step];
            out.iter_mut().zip(&right[place..]).for_each(|(o, &r)| *o += x * r);
        }
    }
}

/// Numbers of a vector where there are none of the processor's.
const PLAIN: usize = 8;

macro_rules! tiles {
    ($float:ident, $wide:ident, $middle:ident) => {
        impl Tiles for $float {
            fn lanes() -> usize {
                #[cfg(target_arch = "x86_64")]
                match x86::level() {
                    x86::Level::Wide => return x86::$wide::LANES,
                    x86::Level::Middle => return x86::$middle::LANES,
                    x86::Level::None => {}
                }
                PLAIN
            }

            fn best() -> (usize, usize) {
                #[cfg(target_arch = "x86_64")]
                if x86::level() == x86::Level::Middle {
                    return (6, VECTORS);
                }
                (TILE_ROWS, 3)
            }

            fn tile(
                left: Left<'_, Self>,
                right: &[Self],
                places: &[usize],
                out: &mut [Self],
                stride: usize,
                size: (usize, usize),
                add: bool,
            ) {
                #[cfg(target_arch = "x86_64")]
                match x86::level() {
                    // SAFETY: the processor has been asked, and the caller has checked the sizes.
                    x86::Level::Wide => {
                        return unsafe { x86::$wide::tile(left, right, places, out, stride, size, add) };
                    }
                    // SAFETY: the same.
                    x86::Level::Middle => {
                        return unsafe { x86::$middle::tile(left, right, places, out, stride, size, add) };
                    }
                    x86::Level::None => {}
                }
                plain(left, right, places, out, stride, (size.0, size.1 * PLAIN), add);
            }

            fn line(weights: &[Self], right: &[Self], places: &[usize], out: &mut [Self]) {
                #[cfg(target_arch = "x86_64")]
                match x86::level() {
                    // SAFETY: the processor has been asked, and the caller has checked the sizes.
                    x86::Level::Wide => return unsafe { x86::$wide::line(weights, right, places, out) },
                    // SAFETY: the same.
                    x86::Level::Middle => return unsafe { x86::$middle::line(weights, right, places, out) },
                    x86::Level::None => {}
                }
                let columns = out.len();
                plain(Left { data: weights, row: 0, step: 1 }, right, places, out, columns, (1, columns), false);
            }
        }
    };
}

tiles!(f32, wide_single, single);
tiles!(f64, wide_double, double);

#[cfg(test)]
mod tests {
    use super::*;
    use base::Seed;

    fn drawn<T: Real>(seed: u64, n: usize) -> Vec<T> {
        (0..n).map(|i| T::narrow(Seed(seed).at(i).unit() - 0.5)).collect()
    }

    /// The definition, with fused multiply-adds where the vectors have them.
    fn twin<T: Real>(left: Left<'_, T>, right: &[T], places: &[usize], i: usize, j: usize, start: f64) -> f64 {
        let term = |(k, &p): (usize, &usize)| left.data[i * left.row + k * left.step].wide() * right[p + j].wide();
        start + places.iter().enumerate().map(term).sum::<f64>()
    }

    fn check<T: Real>(tolerance: f64) {
        let right = drawn::<T>(1, 700);
        for (rows, columns, depth) in [(8, 48, 20), (5, 17, 7), (1, 1, 1), (7, 24, 0), (3, 33, 40)] {
            let columns = columns.min(tile_columns::<T>());
            let places: Vec<usize> = (0..depth).map(|k| (k * 97) % 640).collect();
            let steps = Steps::new(places.clone());
            for (row, step) in [(depth.max(1), 1), (1, 8), (0, 1)] {
                let data = drawn::<T>(2, 8 * 48);
                let left = Left { data: &data, row, step };
                let stride = tile_columns::<T>() + 3;
                let before = drawn::<T>(3, 8 * stride);
                for add in [false, true] {
                    let mut out = before.clone();
                    tile(left, (&right, &steps, 0..depth), &mut out, stride, (rows, columns), add).unwrap();
                    // The same in two stretches, to the last bit.
                    let (mut again, half) = (before.clone(), depth / 2);
                    tile(left, (&right, &steps, 0..half), &mut again, stride, (rows, columns), add).unwrap();
                    let rest = Left { data: data.get(half * step..).unwrap_or(&[]), ..left };
                    tile(rest, (&right, &steps, half..depth), &mut again, stride, (rows, columns), true).unwrap();
                    for (i, j) in (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))) {
                        let start = if add { before[i * stride + j].wide() } else { 0.0 };
                        let (found, expected) = (out[i * stride + j].wide(), twin(left, &right, &places, i, j, start));
                        assert!((found - expected).abs() < tolerance, "{rows} {columns} {depth}: {found} {expected}");
                        assert_eq!(found.to_bits(), again[i * stride + j].wide().to_bits());
                    }
                }
            }
        }
        let steps = Steps::new(vec![3, 0, 50]);
        let weights = drawn::<T>(4, 3);
        for length in [0, 1, 5, 16, 17, 64, 100, 131] {
            let mut out = vec![T::ZERO; length];
            tile_line(&weights, &right[..50 + length], &steps, &mut out).unwrap();
            for (j, &found) in out.iter().enumerate() {
                let expected = twin(Left { data: &weights, row: 0, step: 1 }, &right, &[3, 0, 50], 0, j, 0.0);
                assert!((found.wide() - expected).abs() < tolerance);
            }
            assert!(tile_line(&weights, &right[..49 + length], &steps, &mut out).is_err());
        }
    }

    #[test]
    fn tiles_are_sums_of_products() {
        check::<f32>(1e-5);
        check::<f64>(1e-14);
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn every_kind_of_vector_gives_the_same() {
        let (right, data) = (drawn::<f32>(1, 400), drawn::<f32>(2, 8 * 30));
        let (left, places) = (Left { data: &data, row: 30, step: 1 }, (0..30).map(|k| k * 11).collect::<Vec<_>>());
        let mut by_hand = vec![0.0f32; 8 * 24];
        for (i, j) in (0..8).flat_map(|i| (0..24).map(move |j| (i, j))) {
            let term = |sum: f32, (k, &p): (usize, &usize)| data[i * 30 + k].mul_add(right[p + j], sum);
            by_hand[i * 24 + j] = places.iter().enumerate().fold(0.0, term);
        }
        if x86::level() != x86::Level::None {
            let mut out = vec![0.0; 8 * 24];
            // SAFETY: AVX2 is there, and eight rows of three vectors of eight fit.
            unsafe { x86::single::tile(left, &right, &places, &mut out, 24, (8, 3), false) };
            assert_eq!(out, by_hand);
        }
        let mut out = vec![0.0; 8 * 24];
        plain(left, &right, &places, &mut out, 24, (8, 24), false);
        assert!(out.iter().zip(&by_hand).all(|(a, b)| (a - b).abs() < 1e-5));
        let mut out = vec![0.0; 8 * 48];
        tile(left, (&right, &Steps::new(places), 0..30), &mut out, 48, (8, 24), false).unwrap();
        if x86::level() != x86::Level::None {
            assert!((0..8).all(|i| out[i * 48..][..24] == by_hand[i * 24..][..24]));
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let (data, mut out) = (vec![0.0f64; 16], vec![0.0; 8 * tile_columns::<f64>()]);
        let (steps, width) = (Steps::even(4, 4), tile_columns::<f64>());
        let left = Left { data: &data, row: 4, step: 1 };
        let mut attempt =
            |rows, columns, terms| tile(left, (&data, &steps, terms), &mut out, width, (rows, columns), false);
        assert!(attempt(4, 4, 0..4).is_ok() && attempt(0, 0, 0..4).is_ok());
        assert!(attempt(5, 4, 0..4).is_err(), "too few rows on the left");
        assert!(attempt(9, 4, 0..0).is_err() && attempt(4, width + 1, 0..4).is_err() && attempt(4, 4, 0..5).is_err());
        assert!(tile_line(&data[..3], &data, &steps, &mut [0.0]).is_err());
    }
}
