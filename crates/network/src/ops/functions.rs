//! Values and slopes of functions of one number, over slices.
//!
//! What needs an exponential gets it for the whole slice from `numeric`, with arguments of the sign that cannot overflow:
//! with e = exp(−|x|) the sigmoid is 1 / (1 + e) or e / (1 + e), its slope e / (1 + e)², softplus max(x, 0) + log(1 + e).
//! The rest is plain loops or, where nobody waits for it, the standard library in double precision. NaN passes through.

use base::graph::Unary;
use numeric::{Real, exp, expm1, log, log1p};
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI, PI};

/// 1/√(2π).
const FRAC_1_SQRT_2PI: f64 = 0.5 * FRAC_2_SQRT_PI * FRAC_1_SQRT_2;
/// The cubic coefficient of the tanh form of the Gaussian error linear unit.
const CUBIC: f64 = 0.044715;

fn put<T: Real>(out: &mut [T], x: &[T], f: impl Fn(T) -> T) {
    out.iter_mut().zip(x).for_each(|(y, &x)| *y = f(x));
}

/// out[i] ← f(out[i], x[i]).
fn blend<T: Real>(out: &mut [T], x: &[T], f: impl Fn(T, T) -> T) {
    out.iter_mut().zip(x).for_each(|(y, &x)| *y = f(*y, x));
}

fn put_wide<T: Real>(out: &mut [T], x: &[T], f: impl Fn(f64) -> f64) {
    put(out, x, |x| T::narrow(f(x.wide())));
}

fn magnitude<T: Real>(x: T) -> T {
    if x < T::ZERO { -x } else { x }
}

/// x where it is below 0, else 0; NaN stays.
fn below<T: Real>(x: T) -> T {
    if x > T::ZERO { T::ZERO } else { x }
}

fn above<T: Real>(x: T) -> T {
    if x < T::ZERO { T::ZERO } else { x }
}

/// out ← exp(−|s x|).
fn decay<T: Real>(out: &mut [T], x: &[T], s: T) {
    put(out, x, |x| -magnitude(s * x));
    exp(out);
}

/// The sigmoid of x from e = exp(−|x|).
fn sigmoid<T: Real>(e: T, x: T) -> T {
    (if x < T::ZERO { e } else { T::ONE }) / (T::ONE + e)
}

/// tanh x from e = exp(−2|x|) − 1, exact also near 0.
fn tanh<T: Real>(e: T, x: T) -> T {
    let t = -e / (e + T::ONE + T::ONE);
    if x < T::ZERO { -t } else { t }
}

/// The argument of the tanh in the approximate Gaussian error linear unit.
fn cubic<T: Real>(x: T) -> T {
    let (a, b) = (T::narrow((2.0 / PI).sqrt()), T::narrow((2.0 / PI).sqrt() * CUBIC));
    x * (a + b * x * x)
}

/// tanh(softplus x) from e = exp(−|x|).
fn mish<T: Real>(e: T, x: T) -> T {
    let two = T::ONE + T::ONE;
    match x < T::ZERO {
        true => e * (e + two) / (e * (e + two) + two),
        false => (T::ONE + two * e) / (T::ONE + two * e + two * e * e),
    }
}

/// Φ(x), the distribution function of the normal distribution; by erfc, which stays exact far to the left.
fn normal(x: f64) -> f64 {
    0.5 * libm::erfc(-x * FRAC_1_SQRT_2)
}

fn round_even(x: f64) -> f64 {
    x.round_ties_even()
}

/// −1, 0 or 1; NaN stays.
fn sign(x: f64) -> f64 {
    if x == 0.0 || x.is_nan() { x } else { x.signum() }
}

/// out ← f(x).
pub(crate) fn value<T: Real>(op: Unary, x: &[T], out: &mut [T]) {
    let n = T::narrow;
    match op {
        Unary::Relu => put(out, x, above),
        Unary::LeakyRelu(a) => put(out, x, |x| if x < T::ZERO { n(a) * x } else { x }),
        Unary::ThresholdedRelu(a) => put(out, x, |x| if x <= n(a) { T::ZERO } else { x }),
        Unary::Elu(a) => bent(out, x, n(a), T::ONE, T::ONE),
        Unary::Selu(a, g) => bent(out, x, n(a * g), n(g), T::ONE),
        Unary::Celu(a) => bent(out, x, n(a), T::ONE, n(1.0 / a)),
        Unary::Gelu(false) => put_wide(out, x, |x| if x == f64::NEG_INFINITY { 0.0 } else { x * normal(x) }),
        Unary::Gelu(true) => {
            // (1 + tanh z) / 2 is the sigmoid of 2z.
            put(out, x, |x| -magnitude(n(2.0) * cubic(x)));
            exp(out);
            blend(out, x, |e, x| if e == T::ZERO && x < T::ZERO { T::ZERO } else { x * sigmoid(e, x) });
        }
        Unary::Softplus => {
            decay(out, x, T::ONE);
            log1p(out);
            blend(out, x, |l, x| above(x) + l);
        }
        Unary::Softsign => put_wide(out, x, |x| if x.is_infinite() { x.signum() } else { x / (1.0 + x.abs()) }),
        Unary::Sigmoid => {
            decay(out, x, T::ONE);
            blend(out, x, sigmoid);
        }
        Unary::HardSigmoid(a, b) => put(out, x, |x| clip(n(a) * x + n(b))),
        Unary::HardSwish => put(out, x, |x| if x <= n(-3.0) { T::ZERO } else { x * clip(x * n(1.0 / 6.0) + n(0.5)) }),
        Unary::Swish(b) => {
            decay(out, x, n(b));
            blend(out, x, |e, x| if e == T::ZERO && n(b) * x < T::ZERO { T::ZERO } else { x * sigmoid(e, n(b) * x) });
        }
        Unary::Mish => {
            decay(out, x, T::ONE);
            blend(out, x, |e, x| if e == T::ZERO && x < T::ZERO { T::ZERO } else { x * mish(e, x) });
        }
        Unary::Tanh => {
            put(out, x, |x| n(-2.0) * magnitude(x));
            expm1(out);
            blend(out, x, tanh);
        }
        Unary::Erf => put_wide(out, x, libm::erf),
        Unary::Exp => {
            out.copy_from_slice(x);
            exp(out);
        }
        Unary::Log => {
            out.copy_from_slice(x);
            log(out);
        }
        Unary::Sqrt => put_wide(out, x, f64::sqrt),
        Unary::Abs => put_wide(out, x, f64::abs),
        Unary::Neg => put(out, x, |x| -x),
        Unary::Reciprocal => put(out, x, |x| T::ONE / x),
        Unary::Floor => put_wide(out, x, f64::floor),
        Unary::Ceil => put_wide(out, x, f64::ceil),
        Unary::Round => put_wide(out, x, round_even),
        Unary::Sign => put_wide(out, x, sign),
        Unary::Sin => put_wide(out, x, f64::sin),
        Unary::Cos => put_wide(out, x, f64::cos),
        Unary::Tan => put_wide(out, x, f64::tan),
        Unary::Asin => put_wide(out, x, f64::asin),
        Unary::Acos => put_wide(out, x, f64::acos),
        Unary::Atan => put_wide(out, x, f64::atan),
        Unary::Sinh => put_wide(out, x, f64::sinh),
        Unary::Cosh => put_wide(out, x, f64::cosh),
        // The last three give other types, or the tensor itself; see `unary`.
        Unary::Identity | Unary::Not | Unary::IsNan | Unary::IsInf => out.copy_from_slice(x),
    }
}

/// out ← right · x where x is positive, else left · (exp(inner · x) − 1).
fn bent<T: Real>(out: &mut [T], x: &[T], left: T, right: T, inner: T) {
    put(out, x, |x| inner * below(x));
    expm1(out);
    blend(out, x, |e, x| if x > T::ZERO { right * x } else { left * e });
}

/// out ← right where x is positive, else left · exp(inner · x).
fn bent_slope<T: Real>(out: &mut [T], x: &[T], left: T, right: T, inner: T) {
    put(out, x, |x| inner * below(x));
    exp(out);
    blend(out, x, |e, x| if x > T::ZERO { right } else { left * e });
}

/// Between 0 and 1; NaN stays.
fn clip<T: Real>(x: T) -> T {
    let x = if x < T::ZERO { T::ZERO } else { x };
    if x > T::ONE { T::ONE } else { x }
}

/// out ← f′(x); at a corner the slope from the left.
pub(crate) fn slope<T: Real>(op: Unary, x: &[T], out: &mut [T]) {
    let n = T::narrow;
    let square = |x: T| x * x;
    match op {
        Unary::Relu => put(out, x, |x| if x > T::ZERO { T::ONE } else { T::ZERO }),
        Unary::LeakyRelu(a) => put(out, x, |x| if x > T::ZERO { T::ONE } else { n(a) }),
        Unary::ThresholdedRelu(a) => put(out, x, |x| if x > n(a) { T::ONE } else { T::ZERO }),
        Unary::Elu(a) => bent_slope(out, x, n(a), T::ONE, T::ONE),
        Unary::Selu(a, g) => bent_slope(out, x, n(a * g), n(g), T::ONE),
        Unary::Celu(a) => bent_slope(out, x, T::ONE, T::ONE, n(1.0 / a)),
        Unary::Gelu(false) => put_wide(out, x, |x| {
            let far = x.is_infinite();
            normal(x) + if far { 0.0 } else { x * FRAC_1_SQRT_2PI * (-0.5 * x * x).exp() }
        }),
        Unary::Gelu(true) => {
            put(out, x, |x| -magnitude(n(2.0) * cubic(x)));
            exp(out);
            let (a, b) = (2.0 * (2.0 / PI).sqrt(), 6.0 * (2.0 / PI).sqrt() * CUBIC);
            blend(out, x, |e, x| {
                let bump = if e == T::ZERO { T::ZERO } else { e / square(T::ONE + e) * x * (n(a) + n(b) * x * x) };
                sigmoid(e, x) + bump
            });
        }
        Unary::Softplus => {
            decay(out, x, T::ONE);
            blend(out, x, sigmoid);
        }
        Unary::Softsign => put_wide(out, x, |x| (1.0 + x.abs()).powi(-2)),
        Unary::Sigmoid => {
            decay(out, x, T::ONE);
            blend(out, x, |e, _| e / square(T::ONE + e));
        }
        Unary::HardSigmoid(a, b) => put(out, x, |x| {
            let y = n(a) * x + n(b);
            if y > T::ZERO && y < T::ONE { n(a) } else { T::ZERO }
        }),
        Unary::HardSwish => put(out, x, |x| {
            let inside = n(1.0 / 3.0) * x + n(0.5);
            if x <= n(-3.0) {
                T::ZERO
            } else if x > n(3.0) {
                T::ONE
            } else {
                inside
            }
        }),
        Unary::Swish(b) => {
            decay(out, x, n(b));
            blend(out, x, |e, x| {
                let bump = if e == T::ZERO { T::ZERO } else { n(b) * x * e / square(T::ONE + e) };
                sigmoid(e, n(b) * x) + bump
            });
        }
        Unary::Mish => {
            decay(out, x, T::ONE);
            blend(out, x, |e, x| {
                // 1 − t² = (1 − t)(1 + t), and 1 − t by itself so that no digits are lost.
                let two = T::ONE + T::ONE;
                let rest = match x < T::ZERO {
                    true => two / (e * (e + two) + two),
                    false => two * e * e / (T::ONE + two * e + two * e * e),
                };
                let t = mish(e, x);
                let bump = if e == T::ZERO { T::ZERO } else { x * rest * (T::ONE + t) * sigmoid(e, x) };
                t + bump
            });
        }
        Unary::Tanh => {
            decay(out, x, n(2.0));
            blend(out, x, |e, _| n(4.0) * e / square(T::ONE + e));
        }
        Unary::Erf => {
            put(out, x, |x| -(x * x));
            exp(out);
            out.iter_mut().for_each(|y| *y *= n(FRAC_2_SQRT_PI));
        }
        Unary::Exp => {
            out.copy_from_slice(x);
            exp(out);
        }
        Unary::Log => put(out, x, |x| T::ONE / x),
        Unary::Sqrt => put_wide(out, x, |x| 0.5 / x.sqrt()),
        Unary::Abs => put_wide(out, x, sign),
        Unary::Neg => out.fill(-T::ONE),
        Unary::Reciprocal => put(out, x, |x| -T::ONE / (x * x)),
        Unary::Sin => put_wide(out, x, f64::cos),
        Unary::Cos => put_wide(out, x, |x| -x.sin()),
        Unary::Tan => put_wide(out, x, |x| 1.0 + x.tan().powi(2)),
        Unary::Asin => put_wide(out, x, |x| 1.0 / (1.0 - x * x).sqrt()),
        Unary::Acos => put_wide(out, x, |x| -1.0 / (1.0 - x * x).sqrt()),
        Unary::Atan => put_wide(out, x, |x| 1.0 / (1.0 + x * x)),
        Unary::Sinh => put_wide(out, x, f64::cosh),
        Unary::Cosh => put_wide(out, x, f64::sinh),
        Unary::Identity => out.fill(T::ONE),
        Unary::Floor | Unary::Ceil | Unary::Round | Unary::Sign | Unary::Not | Unary::IsNan | Unary::IsInf => {
            out.fill(T::ZERO);
        }
    }
}
