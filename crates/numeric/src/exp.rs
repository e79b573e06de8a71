#![allow(unsafe_code, reason = "versions for several instruction sets, made by simd::fastest")]
//! exp, log, expm1 and log1p over whole slices, in place.
//!
//! **exp.** x = k·ln 2 + r with |r| ≤ ln 2 / 2, where k·(high part of ln 2) is exact; eʳ by its Taylor polynomial, whose
//! first terms are added last; then two multiplications by powers of 2, so that results below the normal range are
//! rounded once. **log.** x = 2ᵏ·m with m in [√½, √2); with f = m − 1 and s = f / (2 + f),
//! log m = f − f²/2 + s·(f²/2 + R(s²)), R from the series of artanh. expm1 and log1p keep the parts that the plain
//! functions round away.
//!
//! No branches, no tables and no fused multiply-adds: every processor gives the same bits, and a number alone the same
//! as in a slice. Errors, measured by the tests: exp and log below 1 ulp, expm1 and log1p below 2 ulp.
//! Special values are those of the standard library (NaN, ±∞, ±0, overflow to ∞, underflow to 0, log of negatives NaN).

use crate::Real;
use crate::simd::fastest;

/// x ← eˣ.
pub fn exp<T: Real>(values: &mut [T]) {
    T::exp(values);
}

/// x ← eˣ − 1, exact also where eˣ is near 1.
pub fn expm1<T: Real>(values: &mut [T]) {
    T::expm1(values);
}

/// x ← log x.
pub fn log<T: Real>(values: &mut [T]) {
    T::log(values);
}

/// x ← log(1 + x), exact also where x is near 0.
pub fn log1p<T: Real>(values: &mut [T]) {
    T::log1p(values);
}

/// The functions over slices that exist for each precision.
pub trait Slices: Sized {
    /// Σ aᵢ bᵢ.
    fn dot(a: &[Self], b: &[Self]) -> Self;
    /// See [`exp`].
    fn exp(values: &mut [Self]);
    /// See [`expm1`].
    fn expm1(values: &mut [Self]);
    /// See [`log`].
    fn log(values: &mut [Self]);
    /// See [`log1p`].
    fn log1p(values: &mut [Self]);
}

/// Makes the functions for one precision. `$magic` = 1.5 · 2^(bits of the fraction): adding it rounds to a whole
/// number, which then stands in the lowest bits.
macro_rules! functions {
    (
        $module:ident, $float:ident, $bits:ident, $dot:path,
        fraction $fraction:literal, bias $bias:literal, magic $magic:literal,
        ln2 $high:literal $low:literal, exp range $least:literal $most:literal, far $far:literal, tiny scale $tiny:literal,
        exp series [$($e1:literal $e0:literal),+], log series [$($l1:literal $l0:literal),+]
    ) => {
        mod $module {
            use super::fastest;

            const MAGIC: $float = $magic;
            const HIGH: $float = $high;
            const LOW: $float = $low;

            /// 2ᵏ for a biased exponent in the normal range.
            #[inline(always)]
            fn power(biased: $bits) -> $float {
                $float::from_bits(biased << $fraction)
            }

            /// k as the lowest bits of a float, and r.
            #[inline(always)]
            fn reduce(x: $float) -> ($bits, $float) {
                let shifted = x * std::$float::consts::LOG2_E + MAGIC;
                let k = shifted - MAGIC;
                (shifted.to_bits().wrapping_sub(MAGIC.to_bits()), (x - k * HIGH) - k * LOW)
            }

            /// eʳ − 1 for |r| ≤ ln 2 / 2.
            #[inline(always)]
            fn small(r: $float) -> $float {
                // Even and odd powers apart: two short chains of operations instead of a long one.
                let square = r * r;
                let (mut odd, mut even): ($float, $float) = (0.0, 0.0);
                $(
                    odd = odd * square + (1.0 / $e1);
                    even = even * square + (1.0 / $e0);
                )+
                r + square * (even + r * odd)
            }

            /// y · 2ᵏ in two steps, so that neither factor leaves the normal range.
            #[inline(always)]
            fn scale(y: $float, k: $bits) -> $float {
                const UP: $bits = 4 * $bias;
                let k = k.wrapping_add(UP);
                let half = k >> 1;
                let rest = k.wrapping_sub(half);
                let low = UP / 2 - $bias;
                y * power(half.wrapping_sub(low)) * power(rest.wrapping_sub(low))
            }

            #[inline(always)]
            fn clamp(x: $float, least: $float, most: $float) -> $float {
                // Comparisons with NaN are false, so that NaN passes.
                let x = if x > most { most } else { x };
                if x < least { least } else { x }
            }

            #[inline(always)]
            pub fn exp_of(x: $float) -> $float {
                let (k, r) = reduce(clamp(x, $least, $most));
                scale(1.0 + small(r), k)
            }

            #[inline(always)]
            pub fn expm1_of(x: $float) -> $float {
                let (k, r) = reduce(clamp(x, -$far, $most));
                let s = small(r);
                // The power less 1 is exact for small k; beyond `far` the 1 is lost to rounding anyway.
                let p = power(k.wrapping_add($bias));
                let near = p * s + (p - 1.0);
                let value = if x > $far { scale(1.0 + s, k) } else { near };
                if x == 0.0 { x } else { value }
            }

            /// log u + `rest` for positive u, where `rest` is so small that it only counts in the last digits.
            #[inline(always)]
            fn log_of(u: $float, rest: $float) -> $float {
                const ROOT: $bits = std::$float::consts::FRAC_1_SQRT_2.to_bits();
                let subnormal = u < $float::MIN_POSITIVE;
                let v = if subnormal { u * power($tiny + $bias) } else { u };
                // How far v lies above √½, as bits: the whole powers of 2 are what stands above the fraction.
                let above = v.to_bits().wrapping_sub(ROOT);
                let m = $float::from_bits(v.to_bits().wrapping_sub(above & ($bits::MAX << $fraction)));
                // Shifted up so that it is positive, put below the magic number and shifted down again: k as a float.
                let k = above.wrapping_add((2 * $bias) << $fraction) >> $fraction;
                let k = $float::from_bits(MAGIC.to_bits().wrapping_add(k)) - (MAGIC + (2 * $bias) as $float);
                let k = if subnormal { k - $tiny as $float } else { k };
                let f = m - 1.0;
                let s = f / (2.0 + f);
                let z = s * s;
                let square = z * z;
                let (mut odd, mut even): ($float, $float) = (0.0, 0.0);
                $(
                    odd = odd * square + (2.0 / $l1);
                    even = even * square + (2.0 / $l0);
                )+
                let half = 0.5 * f * f;
                k * HIGH + (f - (half - (s * (half + z * (even + z * odd)) + (k * LOW + rest))))
            }

            #[inline(always)]
            fn special(x: $float, argument: $float, value: $float) -> $float {
                let value = if argument > 0.0 { value } else { $float::NAN };
                let value = if argument == 0.0 { $float::NEG_INFINITY } else { value };
                // ∞ and NaN stay what they are.
                if x < $float::INFINITY { value } else { x }
            }

            #[inline(always)]
            pub fn plain_log_of(x: $float) -> $float {
                special(x, x, log_of(x, 0.0))
            }

            #[inline(always)]
            pub fn log1p_of(x: $float) -> $float {
                let u = 1.0 + x;
                let rest = if x > 1.0 { 1.0 - (u - x) } else { x - (u - 1.0) };
                let value = special(x, u, log_of(u, rest / u));
                if x == 0.0 { x } else { value }
            }

            fastest! {
                pub fn exp(values: &mut [$float]) {
                    values.iter_mut().for_each(|x| *x = exp_of(*x));
                }
            }
            fastest! {
                pub fn expm1(values: &mut [$float]) {
                    values.iter_mut().for_each(|x| *x = expm1_of(*x));
                }
            }
            fastest! {
                pub fn log(values: &mut [$float]) {
                    values.iter_mut().for_each(|x| *x = plain_log_of(*x));
                }
            }
            fastest! {
                pub fn log1p(values: &mut [$float]) {
                    values.iter_mut().for_each(|x| *x = log1p_of(*x));
                }
            }
        }

        impl Slices for $float {
            fn dot(a: &[Self], b: &[Self]) -> Self {
                $dot(a, b)
            }
            fn exp(values: &mut [Self]) {
                $module::exp(values);
            }
            fn expm1(values: &mut [Self]) {
                $module::expm1(values);
            }
            fn log(values: &mut [Self]) {
                $module::log(values);
            }
            fn log1p(values: &mut [Self]) {
                $module::log1p(values);
            }
        }
    };
}

functions! {
    double, f64, u64, crate::vector::dot,
    fraction 52, bias 1023, magic 6755399441055744.0,
    ln2 6.931_471_803_691_238e-1 1.908_214_929_270_587_7e-10, exp range -746.0 710.0, far 40.0, tiny scale 54,
    exp series [6227020800.0 479001600.0, 39916800.0 3628800.0, 362880.0 40320.0, 5040.0 720.0, 120.0 24.0, 6.0 2.0],
    log series [21.0 19.0, 17.0 15.0, 13.0 11.0, 9.0 7.0, 5.0 3.0]
}

functions! {
    single, f32, u32, crate::vector::dot_f32,
    fraction 23, bias 127, magic 12582912.0,
    ln2 0.693_145_75 1.428_606_8e-6, exp range -104.0 89.0, far 20.0, tiny scale 25,
    exp series [5040.0 720.0, 120.0 24.0, 6.0 2.0],
    log series [13.0 11.0, 9.0 7.0, 5.0 3.0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Seed;

    /// Our function and the library's.
    type Pair<T> = (fn(&mut [T]), fn(T) -> T);

    /// An unevaluated sum of two doubles: some 106 bits, enough to judge the last of 53.
    #[derive(Clone, Copy)]
    struct Double(f64, f64);

    impl Double {
        fn sum(a: f64, b: f64) -> Self {
            let s = a + b;
            let t = s - a;
            Double(s, (a - (s - t)) + (b - t))
        }
        fn add(self, o: Self) -> Self {
            let Double(s, e) = Self::sum(self.0, o.0);
            Self::sum(s, e + self.1 + o.1)
        }
        fn times(self, o: Self) -> Self {
            let p = self.0 * o.0;
            let e = self.0.mul_add(o.0, -p);
            Self::sum(p, e + (self.0 * o.1 + self.1 * o.0))
        }
        fn by(self, d: f64) -> Self {
            let q = self.0 / d;
            let r = q.mul_add(-d, self.0) + self.1;
            Self::sum(q, r / d)
        }
        fn minus(self) -> Self {
            Double(-self.0, -self.1)
        }
    }

    /// eˣ by halving the argument, the series, and squaring back; in e − 1 form to keep small ones.
    fn expm1_reference(x: Double) -> Double {
        const HALVINGS: i32 = 12;
        let y = Double(x.0 * 0.5f64.powi(HALVINGS), x.1 * 0.5f64.powi(HALVINGS));
        let (mut term, mut sum) = (y, y);
        for n in 2..20 {
            term = term.times(y).by(f64::from(n));
            sum = sum.add(term);
        }
        // (1 + s)² − 1 = s (s + 2).
        (0..HALVINGS).fold(sum, |s, _| s.times(s.add(Double(2.0, 0.0))))
    }

    /// log(1 + x) by Newton on expm1 from the library's value.
    fn log1p_reference(x: f64) -> Double {
        let y = Double(x.ln_1p(), 0.0);
        // y − (e^y − 1 − x) / e^y = y − (1 − (1 + x) e^−y).
        let e = expm1_reference(y.minus());
        let one_plus = Double::sum(1.0, x);
        let rest = one_plus.times(e).add(Double(x, 0.0));
        let correction = rest.add(rest.times(rest).by(2.0).minus());
        y.add(correction)
    }

    fn ulps(found: f64, exact: Double) -> f64 {
        let unit = exact.0.abs().max(f64::MIN_POSITIVE);
        let unit = f64::from_bits(unit.to_bits() + 1) - unit;
        ((found - exact.0) - exact.1).abs() / unit
    }

    fn ulps32(found: f32, exact: f64) -> f64 {
        let size = (exact.abs() as f32).max(f32::MIN_POSITIVE);
        let unit = f64::from(f32::from_bits(size.to_bits() + 1)) - f64::from(size);
        let unit = if unit.is_finite() { unit } else { f64::from(f32::MAX) * f64::from(f32::EPSILON) };
        (f64::from(found) - exact).abs() / unit
    }

    fn draws(count: usize, low: f64, high: f64) -> Vec<f64> {
        (0..count).map(|i| low + (high - low) * Seed(17).at(i).unit()).collect()
    }

    fn worst(xs: &[f64], f: fn(&mut [f64]), reference: impl Fn(f64) -> Double) -> f64 {
        let mut found = xs.to_vec();
        f(&mut found);
        xs.iter().zip(found).map(|(&x, y)| ulps(y, reference(x))).fold(0.0, f64::max)
    }

    #[test]
    fn double_precision_errors_are_bounded() {
        let plain = |x: f64| expm1_reference(Double(x, 0.0));
        let exp_reference = |x: f64| plain(x).add(Double(1.0, 0.0));
        assert!(worst(&draws(40_000, -1.0, 1.0), exp::<f64>, exp_reference) < 1.0);
        assert!(worst(&draws(40_000, -30.0, 30.0), exp::<f64>, exp_reference) < 1.0);
        let mut small = draws(40_000, -1.0, 1.0);
        small.extend(draws(5000, -1e-6, 1e-6));
        assert!(worst(&small, expm1::<f64>, plain) < 2.0, "{}", worst(&small, expm1::<f64>, plain));
        assert!(worst(&draws(40_000, -30.0, 45.0), expm1::<f64>, plain) < 2.0);
        let log_reference = |x: f64| log1p_reference(x - 1.0);
        // x − 1 is exact from ½ to 2.
        assert!(worst(&draws(40_000, 0.5, 2.0), log::<f64>, log_reference) < 1.0);
        small.retain(|x| *x > -0.9);
        small.extend(draws(40_000, 1.0, 30.0));
        assert!(worst(&small, log1p::<f64>, log1p_reference) < 2.0, "{}", worst(&small, log1p::<f64>, log1p_reference));
        // The whole range against the library, whose own error is below 1 ulp.
        let wide = draws(100_000, -745.0, 709.7);
        assert!(worst(&wide, exp::<f64>, |x| Double(x.exp(), 0.0)) <= 2.0);
        let powers: Vec<f64> = wide.iter().map(|x| x.exp()).filter(|x| *x > 0.0).collect();
        assert!(worst(&powers, log::<f64>, |x| Double(x.ln(), 0.0)) <= 2.0);
    }

    #[test]
    fn single_precision_errors_are_bounded() {
        let check = |f: fn(&mut [f32]), exact: fn(f64) -> f64, low: f64, high: f64, bound: f64| {
            let xs: Vec<f32> = draws(200_000, low, high).iter().map(|&x| x as f32).collect();
            let mut found = xs.clone();
            f(&mut found);
            let worst = xs.iter().zip(found).map(|(&x, y)| ulps32(y, exact(f64::from(x)))).fold(0.0, f64::max);
            assert!(worst < bound, "{worst} on {low}..{high}");
        };
        check(exp::<f32>, f64::exp, -103.0, 88.7, 1.0);
        check(exp::<f32>, f64::exp, -1.0, 1.0, 1.0);
        check(expm1::<f32>, f64::exp_m1, -1.0, 1.0, 2.0);
        check(expm1::<f32>, f64::exp_m1, -30.0, 88.0, 2.0);
        check(log::<f32>, f64::ln, 0.0, 3.0, 1.0);
        check(log::<f32>, f64::ln, 0.0, 1e-38, 1.0);
        check(log::<f32>, f64::ln, 0.0, 1e38, 1.0);
        check(log1p::<f32>, f64::ln_1p, -0.99, 1.0, 2.0);
        check(log1p::<f32>, f64::ln_1p, -1e-3, 1e-3, 2.0);
        check(log1p::<f32>, f64::ln_1p, 0.0, 1e30, 2.0);
    }

    #[test]
    fn special_values_are_those_of_the_library() {
        let specials = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            f64::MAX,
            f64::MIN,
            f64::MIN_POSITIVE,
            -f64::MIN_POSITIVE,
            5e-324,
            -5e-324,
            710.0,
            -746.0,
            1e-17,
            -2.0,
            709.782712893384,
            1e300,
            -1e300,
        ];
        let pairs: [Pair<f64>; 4] = [(exp, f64::exp), (expm1, f64::exp_m1), (log, f64::ln), (log1p, f64::ln_1p)];
        for (ours, library) in pairs {
            for x in specials {
                let mut y = [x];
                ours(&mut y);
                let close = (y[0] - library(x)).abs() <= 2.0 * f64::EPSILON * library(x).abs();
                let same = y[0] == library(x) && y[0].is_sign_positive() == library(x).is_sign_positive();
                assert!(same || close || (y[0].is_nan() && library(x).is_nan()), "{x}: {} for {}", y[0], library(x));
            }
        }
        let pairs: [Pair<f32>; 4] = [(exp, f32::exp), (expm1, f32::exp_m1), (log, f32::ln), (log1p, f32::ln_1p)];
        for (ours, library) in pairs {
            for x in specials.map(|x| x as f32) {
                let mut y = [x];
                ours(&mut y);
                let close = (y[0] - library(x)).abs() <= 2.0 * f32::EPSILON * library(x).abs();
                let same = y[0] == library(x) && y[0].is_sign_positive() == library(x).is_sign_positive();
                assert!(same || close || (y[0].is_nan() && library(x).is_nan()), "{x}: {} for {}", y[0], library(x));
            }
        }
    }

    #[test]
    fn wide_registers_give_the_bits_of_narrow_ones() {
        // The functions of one number are compiled here without any instruction set beyond the common one.
        let xs = draws(10_000, -50.0, 50.0);
        let pairs: [Pair<f64>; 4] =
            [(exp, double::exp_of), (expm1, double::expm1_of), (log, double::plain_log_of), (log1p, double::log1p_of)];
        for (slice, one) in pairs {
            let mut all = xs.clone();
            slice(&mut all);
            assert!(xs.iter().zip(&all).all(|(x, y)| one(*x).to_bits() == y.to_bits()));
        }
        let xs: Vec<f32> = xs.iter().map(|&x| x as f32).collect();
        let pairs: [Pair<f32>; 4] =
            [(exp, single::exp_of), (expm1, single::expm1_of), (log, single::plain_log_of), (log1p, single::log1p_of)];
        for (slice, one) in pairs {
            let mut all = xs.clone();
            slice(&mut all);
            assert!(xs.iter().zip(&all).all(|(x, y)| one(*x).to_bits() == y.to_bits()));
        }
    }

    #[test]
    fn a_number_alone_has_the_bits_it_has_in_a_slice() {
        let xs = draws(1000, -20.0, 20.0);
        for f in [exp::<f64>, expm1, log, log1p] {
            let mut all = xs.clone();
            f(&mut all);
            for (x, y) in xs.iter().zip(&all) {
                let mut alone = [*x];
                f(&mut alone);
                assert_eq!(alone[0].to_bits(), y.to_bits());
            }
            f(&mut []);
        }
    }
}
