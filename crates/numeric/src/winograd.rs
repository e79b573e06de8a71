#![allow(unsafe_code, reason = "versions for several instruction sets, made by simd::fastest")]
//! The transforms of Winograd's minimal filtering F(2 x 2, 3 x 3).
//!
//! A 3 x 3 correlation of a 4 x 4 square d with a window g gives 2 x 2 numbers y = Aᵀ[(G g Gᵀ) ∘ (Bᵀ d B)]A with 16
//! products instead of 36, where along one axis
//!
//! | transform | of | gives |
//! |---|---|---|
//! | Bᵀ | d₀ … d₃ | d₀ − d₂, d₁ + d₂, d₂ − d₁, d₁ − d₃ |
//! | G | g₀ … g₂ | g₀, ½(g₀ + g₁ + g₂), ½(g₀ − g₁ + g₂), g₂ |
//! | Aᵀ | m₀ … m₃ | m₀ + m₁ + m₂, m₁ − m₂ − m₃ |
//!
//! The transposes pull gradients back: A spreads those of y, Gᵀ gathers those of the window. Squares overlap by two
//! elements; those of a line are taken eight at a time from its elements of even and of odd number ([`unzip`]), or, where
//! the channels of an element lie side by side, eight channels at a time.
//!
//! **Cost.** 32 sums for a square of d, 24 for one of y. **Limits.** Sums of four numbers come before the products: what
//! is near the end of the range overflows, and an infinite number becomes NaN around it. Rounding errors are a few times
//! those of the plain sum.
//!
//! - S. Winograd: *Arithmetic Complexity of Computations.* SIAM, 1980.
//! - A. Lavin, S. Gray: *Fast algorithms for convolutional neural networks.* CVPR 2016.

use crate::Real;
use crate::simd::fastest;

/// Numbers that go through a transform side by side; lines have room for whole groups of them.
pub const WINOGRAD_LANES: usize = 8;
const LANES: usize = WINOGRAD_LANES;

type Lane<T> = [T; LANES];

#[inline(always)]
fn load<T: Real>(line: &[T], at: usize) -> Lane<T> {
    let mut lane = [T::ZERO; LANES];
    lane.copy_from_slice(&line[at..at + LANES]);
    lane
}

#[inline(always)]
fn plus<T: Real>(a: Lane<T>, b: Lane<T>) -> Lane<T> {
    std::array::from_fn(|i| a[i] + b[i])
}

#[inline(always)]
fn minus<T: Real>(a: Lane<T>, b: Lane<T>) -> Lane<T> {
    std::array::from_fn(|i| a[i] - b[i])
}

/// Bᵀ along one axis.
#[inline(always)]
fn spread<T: Real>([d0, d1, d2, d3]: [Lane<T>; 4]) -> [Lane<T>; 4] {
    [minus(d0, d2), plus(d1, d2), minus(d2, d1), minus(d1, d3)]
}

/// Aᵀ along one axis.
#[inline(always)]
fn gather<T: Real>([m0, m1, m2, m3]: [Lane<T>; 4]) -> [Lane<T>; 2] {
    [plus(plus(m0, m1), m2), minus(minus(m1, m2), m3)]
}

/// A along one axis.
#[inline(always)]
fn widen<T: Real>([g0, g1]: [Lane<T>; 2]) -> [Lane<T>; 4] {
    [g0, plus(g0, g1), minus(g0, g1), g1.map(|g| -g)]
}

/// Writes Bᵀ d B of eight squares; number ξ at `out[ξ · plane]`.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "columns of a square are not a slice")]
fn spread_square<T: Real>(d: impl Fn(usize, usize) -> Lane<T>, out: &mut [T], plane: usize) {
    let mut half = [[[T::ZERO; LANES]; 4]; 4];
    for j in 0..4 {
        let column = spread([d(0, j), d(1, j), d(2, j), d(3, j)]);
        (0..4).for_each(|i| half[i][j] = column[i]);
    }
    for (i, row) in half.into_iter().enumerate() {
        for (j, lane) in spread(row).into_iter().enumerate() {
            out[(4 * i + j) * plane..][..LANES].copy_from_slice(&lane);
        }
    }
}

/// The squares of a line, from four lines given as their even and odd elements; `count` squares, in whole lanes.
#[inline(always)]
fn squares<T: Real>(lines: [&[T]; 8], out: &mut [T], plane: usize, count: usize) {
    for s in (0..count).step_by(LANES) {
        // Element j of square t is number t of the even or odd ones, or the next.
        spread_square(|i, j| load(lines[2 * i + j % 2], s + j / 2), &mut out[s..], plane);
    }
}

/// The square whose first element is the first pixel, channels side by side.
#[inline(always)]
fn square_beside<T: Real>(pixels: &[T], (row, pixel): (usize, usize), out: &mut [T], plane: usize, channels: usize) {
    for s in (0..channels).step_by(LANES) {
        spread_square(|i, j| load(pixels, i * row + j * pixel + s), &mut out[s..], plane);
    }
}

/// A g Aᵀ of the squares of two lines of gradients, given as their even and odd elements.
#[inline(always)]
fn widened<T: Real>(lines: [&[T]; 4], out: &mut [T], plane: usize, count: usize) {
    for s in (0..count).step_by(LANES) {
        let even = widen([load(lines[0], s), load(lines[2], s)]);
        let odd = widen([load(lines[1], s), load(lines[3], s)]);
        for i in 0..4 {
            for (j, lane) in widen([even[i], odd[i]]).into_iter().enumerate() {
                out[(4 * i + j) * plane + s..][..LANES].copy_from_slice(&lane);
            }
        }
    }
}

/// Aᵀ m A of the squares of a line, finished, as two lines.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "columns of a square are not a slice")]
fn gathered<T: Real>(
    m: &[T],
    plane: usize,
    count: usize,
    (bias, low, high): (T, T, T),
    top: &mut [T],
    bottom: &mut [T],
) {
    let end = |v: T| {
        let v = v + bias;
        // Comparisons with NaN are false, so that NaN stays.
        let v = if v < low { low } else { v };
        if v > high { high } else { v }
    };
    for s in (0..count).step_by(LANES) {
        let mut half = [[[T::ZERO; LANES]; 4]; 2];
        for j in 0..4 {
            let column: [Lane<T>; 4] = std::array::from_fn(|i| load(m, (4 * i + j) * plane + s));
            let [a, b] = gather(column);
            (half[0][j], half[1][j]) = (a, b);
        }
        for (row, line) in half.into_iter().zip([&mut *top, &mut *bottom]) {
            let [even, odd] = gather(row);
            let both: [T; 2 * LANES] = std::array::from_fn(|i| end(if i % 2 == 0 { even[i / 2] } else { odd[i / 2] }));
            line[2 * s..][..2 * LANES].copy_from_slice(&both);
        }
    }
}

/// `even` and `odd` filled with the elements of even and odd number, as far as there are any.
#[inline(always)]
fn parted<T: Real>(from: &[T], even: &mut [T], odd: &mut [T]) {
    let (pairs, rest) = from.as_chunks::<2>();
    let count = pairs.len().min(even.len()).min(odd.len());
    for ((pair, e), o) in pairs[..count].iter().zip(&mut even[..count]).zip(&mut odd[..count]) {
        (*e, *o) = (pair[0], pair[1]);
    }
    // One more may fit: the last of an odd number, or where one of the lines is shorter.
    if let (Some(e), Some(&x)) = (even.get_mut(count), from.get(2 * count)) {
        *e = x;
    }
    if let (Some(o), Some(&x)) = (odd.get_mut(count), from.get(2 * count + 1).filter(|_| rest.is_empty())) {
        *o = x;
    }
}

/// The transforms for one precision; sizes that do not fit are a programming error and stop the program.
pub trait Transforms: Sized {
    /// See [`unzip`].
    fn unzip(from: &[Self], even: &mut [Self], odd: &mut [Self]);
    /// See [`winograd_inputs`].
    fn inputs(lines: [&[Self]; 8], out: &mut [Self], plane: usize, count: usize);
    /// See [`winograd_beside`].
    fn beside(pixels: &[Self], steps: (usize, usize), out: &mut [Self], plane: usize, channels: usize);
    /// See [`winograd_gradients`].
    fn gradients(lines: [&[Self]; 4], out: &mut [Self], plane: usize, count: usize);
    /// See [`winograd_outputs`].
    fn outputs(m: &[Self], plane: usize, count: usize, end: (Self, Self, Self), top: &mut [Self], bottom: &mut [Self]);
}

macro_rules! transforms {
    ($float:ident, $unzip:ident, $inputs:ident, $beside:ident, $gradients:ident, $outputs:ident) => {
        fastest! {
            fn $unzip(from: &[$float], even: &mut [$float], odd: &mut [$float]) {
                parted(from, even, odd);
            }
        }
        fastest! {
            fn $inputs(lines: [&[$float]; 8], out: &mut [$float], plane: usize, count: usize) {
                squares(lines, out, plane, count);
            }
        }
        fastest! {
            fn $beside(
                pixels: &[$float],
                steps: (usize, usize),
                out: &mut [$float],
                plane: usize,
                channels: usize,
            ) {
                square_beside(pixels, steps, out, plane, channels);
            }
        }
        fastest! {
            fn $gradients(lines: [&[$float]; 4], out: &mut [$float], plane: usize, count: usize) {
                widened(lines, out, plane, count);
            }
        }
        fastest! {
            fn $outputs(
                m: &[$float],
                plane: usize,
                count: usize,
                end: ($float, $float, $float),
                top: &mut [$float],
                bottom: &mut [$float],
            ) {
                gathered(m, plane, count, end, top, bottom);
            }
        }

        impl Transforms for $float {
            fn unzip(from: &[Self], even: &mut [Self], odd: &mut [Self]) {
                $unzip(from, even, odd);
            }

            fn inputs(lines: [&[Self]; 8], out: &mut [Self], plane: usize, count: usize) {
                $inputs(lines, out, plane, count);
            }

            fn beside(pixels: &[Self], steps: (usize, usize), out: &mut [Self], plane: usize, channels: usize) {
                $beside(pixels, steps, out, plane, channels);
            }

            fn gradients(lines: [&[Self]; 4], out: &mut [Self], plane: usize, count: usize) {
                $gradients(lines, out, plane, count);
            }

            fn outputs(
                m: &[Self],
                plane: usize,
                count: usize,
                end: (Self, Self, Self),
                top: &mut [Self],
                bottom: &mut [Self],
            ) {
                $outputs(m, plane, count, end, top, bottom);
            }
        }
    };
}

transforms!(f32, unzip_single, inputs_single, beside_single, gradients_single, outputs_single);
transforms!(f64, unzip_double, inputs_double, beside_double, gradients_double, outputs_double);

/// `even` and `odd` filled with the elements of even and odd number of `from`, as far as there are any.
pub fn unzip<T: Real>(from: &[T], even: &mut [T], odd: &mut [T]) {
    T::unzip(from, even, odd);
}

/// Bᵀ d B of `count` neighbouring squares of four lines, each given as even and odd elements (even 0, odd 0, even 1 …).
///
/// Number ξ of square t goes to `out[ξ · plane + t]`. Lines and planes have room for whole lanes, lines for one more.
pub fn winograd_inputs<T: Real>(lines: [&[T]; 8], out: &mut [T], plane: usize, count: usize) {
    T::inputs(lines, out, plane, count);
}

/// Bᵀ d B of one square for each channel: pixels lie `steps.1` apart, lines of them `steps.0`.
pub fn winograd_beside<T: Real>(pixels: &[T], steps: (usize, usize), out: &mut [T], plane: usize, channels: usize) {
    T::beside(pixels, steps, out, plane, channels);
}

/// A g Aᵀ of `count` squares of two lines of gradients, each given as even and odd elements.
pub fn winograd_gradients<T: Real>(lines: [&[T]; 4], out: &mut [T], plane: usize, count: usize) {
    T::gradients(lines, out, plane, count);
}

/// Aᵀ m A of `count` squares as two lines of twice as many numbers; then `end.0` is added, and what is less than `end.1`
/// or more than `end.2` brought there.
pub fn winograd_outputs<T: Real>(m: &[T], plane: usize, count: usize, end: (T, T, T), top: &mut [T], bottom: &mut [T]) {
    T::outputs(m, plane, count, end, top, bottom);
}

/// G g Gᵀ of a window of nine numbers.
pub fn winograd_window<T: Real>(g: &[T; 9]) -> [T; 16] {
    let half = T::narrow(0.5);
    let along = |a: T, b: T, c: T| [a, half * (a + b + c), half * (a - b + c), c];
    let columns: [[T; 4]; 3] = std::array::from_fn(|j| along(g[j], g[3 + j], g[6 + j]));
    let mut out = [T::ZERO; 16];
    for (i, row) in out.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        *row = along(columns[0][i], columns[1][i], columns[2][i]);
    }
    out
}

/// Gᵀ u G: gradients of sixteen transformed numbers back to those of the window.
pub fn winograd_window_back<T: Real>(u: &[T; 16]) -> [T; 9] {
    let half = T::narrow(0.5);
    let along = |a: T, b: T, c: T, d: T| [a + half * (b + c), half * (b - c), half * (b + c) + d];
    let columns: [[T; 3]; 4] = std::array::from_fn(|j| along(u[j], u[4 + j], u[8 + j], u[12 + j]));
    let mut out = [T::ZERO; 9];
    for (i, row) in out.as_chunks_mut::<3>().0.iter_mut().enumerate() {
        *row = along(columns[0][i], columns[1][i], columns[2][i], columns[3][i]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Seed;

    fn drawn<T: Real>(seed: u64, n: usize) -> Vec<T> {
        (0..n).map(|i| T::narrow(Seed(seed).at(i).unit() - 0.5)).collect()
    }

    /// Squares of a line, multiplied with a window and gathered, are the correlation; A and Gᵀ are the transposes.
    fn check<T: Real>(tolerance: f64) {
        let (count, width, plane) = (11, 24, 20);
        let image = drawn::<T>(1, 4 * width);
        let window: [T; 9] = drawn::<T>(2, 9).try_into().unwrap();
        let halves: Vec<Vec<T>> = image
            .chunks_exact(width)
            .flat_map(|line| {
                let (mut even, mut odd) = (vec![T::ZERO; 25], vec![T::ZERO; 25]);
                unzip(line, &mut even, &mut odd);
                [even, odd]
            })
            .collect();
        let lines: [&[T]; 8] = std::array::from_fn(|i| &halves[i][..]);
        let mut squares = vec![T::ZERO; 16 * plane];
        winograd_inputs(lines, &mut squares, plane, count);
        // The same where pixels hold channels: here as many as squares, each seeing its own part.
        let mut beside = vec![T::ZERO; 16 * 8];
        let channels: Vec<T> = image.iter().flat_map(|&x| [x; 8]).collect();
        winograd_beside(&channels[2 * 3 * 8..], (width * 8, 8), &mut beside, 8, 8);
        assert!((0..16).all(|x| beside[x * 8].wide() == squares[x * plane + 3].wide()));
        let u = winograd_window(&window);
        let m: Vec<T> = squares.iter().enumerate().map(|(i, &v)| u[i / plane] * v).collect();
        let (mut top, mut bottom) = (vec![T::ZERO; 32], vec![T::ZERO; 32]);
        let (bias, low, high) = (T::narrow(0.25), T::narrow(-0.3), T::narrow(0.6));
        winograd_outputs(&m, plane, count, (bias, low, high), &mut top, &mut bottom);
        let plain = |row: usize, column: usize| -> f64 {
            let term = |k: usize| window[k].wide() * image[(row + k / 3) * width + column + k % 3].wide();
            (0..9).map(term).sum()
        };
        for (row, line) in [&top, &bottom].into_iter().enumerate() {
            for (column, &found) in line[..2 * count].iter().enumerate() {
                let expected = (plain(row, column) + 0.25).clamp(-0.3, 0.6);
                assert!((found.wide() - expected).abs() < tolerance, "{row} {column}: {} {expected}", found.wide());
            }
        }
        // <g, y(window)> = <window, pulled g>, as y is linear in the window.
        let g = drawn::<T>(3, 2 * 32);
        let parts: Vec<Vec<T>> = g
            .chunks_exact(32)
            .flat_map(|line| {
                let (mut even, mut odd) = (vec![T::ZERO; 16], vec![T::ZERO; 16]);
                unzip(line, &mut even, &mut odd);
                [even, odd]
            })
            .collect();
        let mut wide = vec![T::ZERO; 16 * plane];
        winograd_gradients(std::array::from_fn(|i| &parts[i][..]), &mut wide, plane, count);
        let pulled: [T; 16] = std::array::from_fn(|x| {
            let pairs = wide[x * plane..][..count].iter().zip(&squares[x * plane..]);
            T::narrow(pairs.map(|(g, v)| g.wide() * v.wide()).sum())
        });
        for (k, found) in winograd_window_back(&pulled).into_iter().enumerate() {
            let place = |row: usize, column: usize| image[(row + k / 3) * width + column + k % 3].wide();
            let terms = (0..2).flat_map(|row| (0..2 * count).map(move |column| (row, column)));
            let expected: f64 = terms.map(|(row, column)| g[row * 32 + column].wide() * place(row, column)).sum();
            assert!((found.wide() - expected).abs() < 10.0 * tolerance, "{k}: {} {expected}", found.wide());
        }
    }

    #[test]
    fn squares_of_a_line_give_the_correlation_and_its_gradient() {
        check::<f64>(1e-14);
        check::<f32>(1e-6);
    }

    #[test]
    fn lines_are_parted_as_far_as_they_go() {
        let from: Vec<f32> = (0..9).map(|i| i as f32).collect();
        for (n, a, b) in [(9, 6, 6), (9, 4, 4), (8, 5, 5), (1, 1, 1), (0, 2, 2), (9, 5, 4), (4, 1, 3), (9, 3, 4)] {
            let (mut even, mut odd) = (vec![-1.0; a], vec![-1.0; b]);
            unzip(&from[..n], &mut even, &mut odd);
            let shorter = a.min(b);
            for (t, &x) in even.iter().enumerate().take(shorter) {
                assert_eq!(x, if 2 * t < n { (2 * t) as f32 } else { -1.0 }, "{n} {a} {b}");
            }
            for (t, &x) in odd.iter().enumerate().take(shorter) {
                assert_eq!(x, if 2 * t + 1 < n { (2 * t + 1) as f32 } else { -1.0 }, "{n} {a} {b}");
            }
        }
    }
}
