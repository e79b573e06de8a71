//! Functions of two numbers: their values for real and whole numbers, their slopes for real ones.

use base::graph::Binary;
use numeric::Real;

/// A function of two numbers of type `A` that gives a `B`.
pub(crate) type Pair<A, B> = fn(A, A) -> B;

/// The remainder with the sign of b.
fn modulo(a: f64, b: f64) -> f64 {
    let r = a % b;
    if r != 0.0 && (r < 0.0) != (b < 0.0) { r + b } else { r }
}

/// The larger; NaN if one is.
fn larger<T: Real>(a: T, b: T) -> T {
    if a >= b || a.wide().is_nan() { a } else { b }
}

fn smaller<T: Real>(a: T, b: T) -> T {
    if a <= b || a.wide().is_nan() { a } else { b }
}

fn power<T: Real>(a: T, b: T) -> T {
    match b.wide() {
        2.0 => a * a,
        1.0 => a,
        0.5 => T::narrow(if a.wide() == f64::NEG_INFINITY { f64::INFINITY } else { a.wide().sqrt() }),
        b => T::narrow(a.wide().powf(b)),
    }
}

/// The function of two real numbers, if it gives one.
pub(crate) fn real<T: Real>(op: Binary) -> Option<Pair<T, T>> {
    Some(match op {
        Binary::Add => |a, b| a + b,
        Binary::Sub => |a, b| a - b,
        Binary::Mul => |a, b| a * b,
        Binary::Div => |a, b| a / b,
        Binary::Pow => power,
        Binary::Mod => |a, b| T::narrow(modulo(a.wide(), b.wide())),
        Binary::Fmod => |a, b| T::narrow(a.wide() % b.wide()),
        Binary::Max => larger,
        Binary::Min => smaller,
        Binary::Prelu => |a, b| if a > T::ZERO { a } else { a * b },
        _ => return None,
    })
}

/// aᵇ in whole numbers, round the clock where it is too large; 0 for what lies between whole numbers.
fn whole_power(a: i64, b: i64) -> i64 {
    match (a, b) {
        (1, _) => 1,
        (-1, b) => {
            if b % 2 == 0 {
                1
            } else {
                -1
            }
        }
        (_, b) if b < 0 => 0,
        _ => {
            let (mut result, mut square, mut rest) = (1i64, a, b);
            while rest > 0 {
                if rest % 2 == 1 {
                    result = result.wrapping_mul(square);
                }
                square = square.wrapping_mul(square);
                rest /= 2;
            }
            result
        }
    }
}

/// The function of two whole numbers, if it gives one; divisors must not be 0.
pub(crate) fn whole(op: Binary) -> Option<Pair<i64, i64>> {
    Some(match op {
        Binary::Add => i64::wrapping_add,
        Binary::Sub => i64::wrapping_sub,
        Binary::Mul => i64::wrapping_mul,
        Binary::Div => i64::wrapping_div,
        Binary::Pow => whole_power,
        Binary::Mod => |a, b| {
            let r = a.wrapping_rem(b);
            if r != 0 && (r < 0) != (b < 0) { r + b } else { r }
        },
        Binary::Fmod => i64::wrapping_rem,
        Binary::Max => i64::max,
        Binary::Min => i64::min,
        Binary::Prelu => |a, b| if a > 0 { a } else { a.wrapping_mul(b) },
        _ => return None,
    })
}

/// Whether a function divides by its second number.
pub(crate) fn divides(op: Binary) -> bool {
    matches!(op, Binary::Div | Binary::Mod | Binary::Fmod)
}

/// The comparison of two numbers, if it is one.
pub(crate) fn compared<A: PartialOrd>(op: Binary) -> Option<Pair<A, bool>> {
    Some(match op {
        Binary::Equal => |a, b| a == b,
        Binary::Less => |a, b| a < b,
        Binary::LessOrEqual => |a, b| a <= b,
        Binary::Greater => |a, b| a > b,
        Binary::GreaterOrEqual => |a, b| a >= b,
        _ => return None,
    })
}

/// The function of two yes-or-nos, if it is one.
pub(crate) fn logic(op: Binary) -> Option<Pair<bool, bool>> {
    Some(match op {
        Binary::And => |a, b| a & b,
        Binary::Or => |a, b| a | b,
        Binary::Xor => |a, b| a ^ b,
        Binary::Equal => |a, b| a == b,
        _ => return None,
    })
}

/// g · ∂/∂a and g · ∂/∂b of a function of real numbers; none where the slope is the gradient itself, or 0 everywhere.
pub(crate) type Slope<T> = fn(T, T, T) -> T;

/// How a gradient comes back to one side.
pub(crate) enum Back<T> {
    /// As it is.
    Same,
    /// By a function of a, b and the gradient.
    By(Slope<T>),
}

/// How gradients come back to a and to b.
pub(crate) fn back<T: Real>(op: Binary) -> Option<(Back<T>, Back<T>)> {
    use Back::{By, Same};
    Some(match op {
        Binary::Add => (Same, Same),
        Binary::Sub => (Same, By(|_, _, g| -g)),
        Binary::Mul => (By(|_, b, g| g * b), By(|a, _, g| g * a)),
        Binary::Div => (By(|_, b, g| g / b), By(|a, b, g| -g * a / (b * b))),
        Binary::Pow => (
            By(|a, b, g| {
                // b = 0 is flat, also where a is 0.
                if b == T::ZERO { T::ZERO } else { g * b * power(a, b - T::ONE) }
            }),
            By(|a, b, g| {
                let (a, b) = (a.wide(), b.wide());
                let slope = if a == 0.0 && b >= 0.0 { 0.0 } else { a.powf(b) * a.ln() };
                g * T::narrow(slope)
            }),
        ),
        Binary::Mod => (Same, By(|a, b, g| -g * T::narrow((a.wide() / b.wide()).floor()))),
        Binary::Fmod => (Same, By(|a, b, g| -g * T::narrow((a.wide() / b.wide()).trunc()))),
        // Where both are equal the gradient goes to a.
        Binary::Max => (By(|a, b, g| if a >= b { g } else { T::ZERO }), By(|a, b, g| if b > a { g } else { T::ZERO })),
        Binary::Min => (By(|a, b, g| if a <= b { g } else { T::ZERO }), By(|a, b, g| if b < a { g } else { T::ZERO })),
        Binary::Prelu => {
            (By(|a, b, g| if a > T::ZERO { g } else { g * b }), By(|a, _, g| if a > T::ZERO { T::ZERO } else { g * a }))
        }
        _ => return None,
    })
}
