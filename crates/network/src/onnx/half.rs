//! Half precision to single: every float16 and bfloat16 is a float32.

/// The value of a float16: 1 bit sign, 5 exponent (bias 15), 10 fraction.
pub(super) fn from_f16(bits: u16) -> f32 {
    let sign = if bits >> 15 == 1 { -1.0f32 } else { 1.0 };
    let (exponent, fraction) = (u32::from(bits >> 10 & 0x1f), u32::from(bits & 0x3ff));
    match exponent {
        // Below the smallest normal number: multiples of 2⁻²⁴.
        0 => sign * fraction as f32 * 2f32.powi(-24),
        31 if fraction == 0 => sign * f32::INFINITY,
        31 => f32::NAN,
        _ => f32::from_bits(u32::from(bits >> 15) << 31 | (exponent + 127 - 15) << 23 | fraction << 13),
    }
}

/// The value of a bfloat16: the upper half of a float32.
pub(super) fn from_bf16(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_is_what_its_bits_say() {
        for bits in 0..=u16::MAX {
            let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023) / 1024.0);
            let size = match exponent {
                0 => fraction * 2f64.powi(-14),
                31 if fraction == 0.0 => f64::INFINITY,
                31 => f64::NAN,
                _ => (1.0 + fraction) * 2f64.powi(exponent - 15),
            };
            let expected = if bits >= 0x8000 { -size } else { size };
            let found = f64::from(from_f16(bits));
            assert!(found == expected || found.is_nan() && expected.is_nan(), "{bits:#x}: {found} {expected}");
            assert!(found != 0.0 || found.is_sign_negative() == (bits >= 0x8000));
        }
        assert_eq!((from_bf16(0x3fc0), from_bf16(0xff80)), (1.5, f32::NEG_INFINITY));
    }
}
