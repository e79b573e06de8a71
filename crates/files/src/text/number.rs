//! Decimal numbers from text, rounded exactly.
//!
//! A number is `[+-] digits [. digits] [e [+-] digits]` with at least one digit before the exponent. Digits are taken
//! eight at a time into a whole number w, so that the value is w · 10^q. Three ways lead on, each exactly rounded:
//!
//! 1. w and 10^|q| are both exact in f64 (w ≤ 2^53, |q| ≤ 22): one product or quotient, rounded once (Clinger 1990).
//! 2. up to 19 digits and |q| ≤ 27: the leading bits of w · 5^q from one or two 64-bit products (Lemire 2021, where it
//!    is shown that for this range the product decides the rounding).
//! 3. all else: the standard library.
//!
//! - W. D. Clinger: *How to read floating point numbers accurately.* PLDI 1990.
//! - D. Lemire: *Number parsing at a gigabyte per second.* Software: Practice and Experience 51 (2021) 1700-1727.

/// The number at the start of `bytes` and how many bytes it takes; too large ones are infinite.
#[inline]
pub(crate) fn prefix(bytes: &[u8], point: u8) -> Option<(f64, usize)> {
    let negative = bytes.first() == Some(&b'-');
    let start = usize::from(negative || bytes.first() == Some(&b'+'));
    let mut w = 0u64;
    let mut at = digits(bytes, start, &mut w);
    let mut count = at - start;
    let mut q = 0i64;
    if bytes.get(at) == Some(&point) {
        let end = digits(bytes, at + 1, &mut w);
        let fraction = end - at - 1;
        q = -(fraction as i64);
        count += fraction;
        at = end;
    }
    if count == 0 {
        return None;
    }
    if let Some(b'e' | b'E') = bytes.get(at)
        && let Some((power, end)) = exponent(bytes, at + 1)
    {
        q = q.saturating_add(power);
        at = end;
    }
    let value = match count <= 19 {
        true => scaled(w, q),
        false => None,
    };
    match value {
        Some(value) => Some((if negative { -value } else { value }, at)),
        None => Some((standard(&bytes[..at], point), at)),
    }
}

/// The number that `bytes` is as a whole; too large ones are infinite.
pub(crate) fn whole(bytes: &[u8], point: u8) -> Option<f64> {
    prefix(bytes, point).filter(|&(_, end)| end == bytes.len()).map(|(value, _)| value)
}

/// Whether these are the words for what is not a number: infinity or not-a-number, in any case, with or without a sign.
pub(crate) fn is_not_finite_word(bytes: &[u8]) -> bool {
    let unsigned = bytes.strip_prefix(b"-").or_else(|| bytes.strip_prefix(b"+")).unwrap_or(bytes);
    ["inf", "infinity", "nan", "1.#inf", "1.#qnan"].iter().any(|w| unsigned.eq_ignore_ascii_case(w.as_bytes()))
}

/// A whole number without sign at the start of `bytes`, and how many bytes it takes; `None` beyond 64 bits.
#[inline]
pub(crate) fn natural(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0u64;
    let mut at = 0;
    while let Some(digit) = bytes.get(at).map(|b| b.wrapping_sub(b'0')).filter(|&d| d < 10) {
        // Up to 19 digits fit without a check.
        value = match at < 19 {
            true => value * 10 + u64::from(digit),
            false => value.checked_mul(10)?.checked_add(u64::from(digit))?,
        };
        at += 1;
    }
    (at > 0).then_some((value, at))
}

/// Adds the digits from `at` on to `w` and says where they end.
#[inline]
fn digits(bytes: &[u8], mut at: usize, w: &mut u64) -> usize {
    while let Some(eight) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let block = u64::from_le_bytes(*eight);
        if !are_digits(block) {
            break;
        }
        *w = w.wrapping_mul(100_000_000).wrapping_add(eight_digits(block));
        at += 8;
    }
    while let Some(digit) = bytes.get(at).map(|b| b.wrapping_sub(b'0')).filter(|&d| d < 10) {
        *w = w.wrapping_mul(10).wrapping_add(u64::from(digit));
        at += 1;
    }
    at
}

/// Whether all eight bytes are digits: 0x30 to 0x39 have the high half 3, and still have it 6 further.
#[inline]
fn are_digits(block: u64) -> bool {
    const HIGH: u64 = 0xf0f0_f0f0_f0f0_f0f0;
    const THREES: u64 = 0x3030_3030_3030_3030;
    (block & HIGH) == THREES && (block.wrapping_add(0x0606_0606_0606_0606) & HIGH) == THREES
}

/// The value of eight digits, the first in the lowest byte: neighbours are joined to pairs, fours and eights.
#[inline]
fn eight_digits(block: u64) -> u64 {
    let ones = block & 0x0f0f_0f0f_0f0f_0f0f;
    let pairs = (ones.wrapping_mul((10 << 8) + 1) >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul((100 << 16) + 1) >> 16) & 0x0000_ffff_0000_ffff;
    fours.wrapping_mul((10_000 << 32) + 1) >> 32
}

/// The power after an `e`, and where it ends; far too large ones are cut.
fn exponent(bytes: &[u8], at: usize) -> Option<(i64, usize)> {
    let negative = bytes.get(at) == Some(&b'-');
    let start = at + usize::from(negative || bytes.get(at) == Some(&b'+'));
    let mut end = start;
    let mut power = 0i64;
    while let Some(digit) = bytes.get(end).map(|b| b.wrapping_sub(b'0')).filter(|&d| d < 10) {
        power = (power * 10 + i64::from(digit)).min(1_000_000);
        end += 1;
    }
    (end > start).then_some((if negative { -power } else { power }, end))
}

/// w · 10^q where one of the two short ways serves.
#[inline]
fn scaled(w: u64, q: i64) -> Option<f64> {
    const EXACT: [f64; 23] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ];
    if w <= 1 << 53 {
        match q {
            0..=22 => return Some(w as f64 * EXACT[q as usize]),
            -22..0 => return Some(w as f64 / EXACT[-q as usize]),
            _ if w == 0 => return Some(0.0),
            _ => {}
        }
    }
    (-RANGE..=RANGE).contains(&q).then(|| by_product(w, q))
}

/// The largest power for which 5^q fits 64 bits.
const RANGE: i64 = 27;

/// The 128 leading bits of 5^q for q from -27 to 27, cut off for q ≥ 0 (there is nothing to cut), rounded up below.
const FIVES: [u128; 2 * RANGE as usize + 1] = {
    let mut table = [0u128; 2 * RANGE as usize + 1];
    let mut power = 1u64;
    let mut q = 0;
    while q <= RANGE as usize {
        table[RANGE as usize + q] = (power as u128) << (power as u128).leading_zeros();
        if q > 0 {
            // 2^(z + 127) / 5^q with 2^z the next power of two, by long division, 64 bits at a time.
            let top = 1u128 << (63 - power.leading_zeros());
            let divisor = power as u128;
            let high = (top << 64) / divisor;
            let low = (((top << 64) % divisor) << 64) / divisor;
            table[RANGE as usize - q] = (high << 64) + low + 1;
        }
        power = power.wrapping_mul(5);
        q += 1;
    }
    table
};

/// w · 10^q, exactly rounded, for w > 0 and |q| ≤ 27, from the leading bits of w · 5^q.
fn by_product(w: u64, q: i64) -> f64 {
    let shift = w.leading_zeros();
    let w = w << shift;
    let five = FIVES[(q + RANGE) as usize];
    let product = u128::from(w) * (five >> 64);
    let (mut high, mut low) = ((product >> 64) as u64, product as u64);
    if high & 0x1ff == 0x1ff {
        // What was cut from the power could carry into the bits that matter: add the second product.
        let more = ((u128::from(w) * (five & u128::from(u64::MAX))) >> 64) as u64;
        let (sum, carry) = low.overflowing_add(more);
        (high, low) = (high + u64::from(carry), sum);
    }
    // One bit more than f64 keeps, to round by.
    let upper = (high >> 63) as u32;
    let mut bits = high >> (upper + 9);
    // floor(log2(10^q)) by an approximation that is right in this range; 1023 is the bias of f64.
    let mut power = ((217_706 * q) >> 16) + 63 + i64::from(upper) - i64::from(shift) + 1023;
    // Exactly between two numbers: only where the product is exact; round to even.
    if low <= 1 && (-4..=23).contains(&q) && bits & 3 == 1 && bits << (upper + 9) == high {
        bits &= !1;
    }
    bits = (bits + (bits & 1)) >> 1;
    if bits >= 1 << 53 {
        bits = 1 << 52;
        power += 1;
    }
    f64::from_bits((bits & !(1 << 52)) | (power as u64) << 52)
}

/// A number of checked form by the standard library.
#[cold]
fn standard(bytes: &[u8], point: u8) -> f64 {
    let text = String::from_utf8_lossy(bytes);
    let parsed = match point == b'.' {
        true => text.parse(),
        false => text.replace(point as char, ".").parse(),
    };
    parsed.unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    #[test]
    fn forms_are_told_apart() {
        let number = |text: &str| prefix(text.as_bytes(), b'.');
        for (text, value, taken) in [
            ("1", 1.0, 1),
            ("-0.5e3x", -500.0, 6),
            ("+.25,", 0.25, 4),
            ("7.", 7.0, 2),
            ("1e", 1.0, 1),
            ("1e+", 1.0, 1),
            ("12345678901234567890123", 12345678901234567890123.0, 23),
            ("1e999", f64::INFINITY, 5),
            ("1e-999", 0.0, 6),
            ("0e999", 0.0, 5),
            ("1e99999999999999999999", f64::INFINITY, 22),
        ] {
            assert_eq!(number(text), Some((value, taken)), "{text}");
        }
        for text in ["", "-", ".", "+.", "e5", "x1", "-.e1", "nan", "inf"] {
            assert_eq!(number(text), None, "{text}");
        }
        assert_eq!(whole(b"1,5", b','), Some(1.5));
        assert_eq!(whole(b"12345678901234567890,5", b','), Some(12345678901234567890.5));
        assert_eq!(whole(b"1.5", b','), None);
        assert!(number("-0").unwrap().0.is_sign_negative());
        assert_eq!(natural(b"18446744073709551615:"), Some((u64::MAX, 20)));
        assert_eq!(natural(b"18446744073709551616"), None);
        assert!(is_not_finite_word(b"-Inf") && is_not_finite_word(b"NaN") && !is_not_finite_word(b"info"));
    }

    /// The standard library reads the same bits, over all ways of writing and all magnitudes.
    #[test]
    fn every_bit_is_as_the_standard_library_reads_it() {
        let mut draw = base::Seed(7).stream();
        let check = |text: &str| {
            let ours = whole(text.as_bytes(), b'.').unwrap_or_else(|| panic!("{text}"));
            assert_eq!(ours.to_bits(), text.parse::<f64>().unwrap().to_bits(), "{text}");
        };
        for _ in 0..400_000 {
            let x = f64::from_bits(draw.random());
            if x.is_finite() {
                check(&format!("{x}"));
                check(&format!("{x:e}"));
            }
            let w: u64 = draw.random::<u64>() >> draw.random_range(0..64);
            let q = draw.random_range(-40..40);
            check(&format!("{w}e{q}"));
            check(&format!("{}.{:08}", w >> 40, w & 0xff_ffff));
            check(&format!("{:.17}", draw.random::<f64>()));
        }
        // Halfway between two neighbours, and next to it.
        for _ in 0..100_000 {
            let odd = (draw.random::<u64>() >> 11) | (1 << 52);
            let halfway = u128::from(odd) * 2 + 1;
            for near in [halfway - 1, halfway, halfway + 1] {
                check(&format!("{near}"));
                let q = draw.random_range(1..5u32);
                check(&format!("{}e-{q}", near * 10u128.pow(q)));
                check(&format!("{near}e{}", draw.random_range(0..24)));
                check(&format!("{}e-{q}", near));
            }
        }
    }
}
