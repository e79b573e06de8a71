//! Numbers as people read them: few digits, thin spaces between thousands, powers of ten as superscripts.
//!
//! Decimal numbers are kept as a whole mantissa and a power of ten, so that a label says exactly the value of its tick
//! and never the noise of binary fractions (`0.30000000000000004`).

/// Minus sign, as wide as plus.
const MINUS: char = '\u{2212}';
/// Narrow no-break space.
const THIN: char = '\u{202F}';

/// m·10ᵉ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Decimal {
    /// m.
    pub mantissa: i64,
    /// e.
    pub exponent: i32,
}

impl Decimal {
    /// The nearest floating-point number.
    pub fn value(self) -> f64 {
        format!("{}e{}", self.mantissa, self.exponent).parse().unwrap_or(0.0)
    }

    /// A finite number rounded to so many significant digits (1 to 15), without zeros at the end.
    pub fn rounded(value: f64, digits: usize) -> Decimal {
        let text = format!("{:.*e}", digits.clamp(1, 15) - 1, value);
        let (digits, exponent) = text.split_once('e').unwrap_or(("0", "0"));
        let places = digits.split_once('.').map_or(0, |(_, f)| f.len() as i32);
        let mantissa = digits.replace('.', "").parse().unwrap_or(0);
        let exponent = exponent.parse::<i32>().unwrap_or(0) - places;
        Decimal { mantissa, exponent }.short()
    }

    /// The same number without zeros at the end of its mantissa.
    pub fn short(self) -> Decimal {
        let Decimal { mut mantissa, mut exponent } = self;
        if mantissa == 0 {
            return Decimal { mantissa: 0, exponent: 0 };
        }
        while mantissa % 10 == 0 {
            mantissa /= 10;
            exponent += 1;
        }
        Decimal { mantissa, exponent }
    }

    /// The power of ten of the leading digit.
    pub fn order(self) -> i32 {
        self.mantissa.unsigned_abs().checked_ilog10().map_or(0, |d| d as i32) + self.exponent
    }

    /// Written out, with at least so many decimals.
    pub fn plain(self, decimals: usize) -> String {
        let figures = self.mantissa.unsigned_abs().to_string();
        let (whole, mut fraction) = if self.exponent >= 0 {
            (figures + &"0".repeat(self.exponent as usize), String::new())
        } else {
            let places = self.exponent.unsigned_abs() as usize;
            let figures = format!("{figures:0>width$}", width = places + 1);
            let (whole, fraction) = figures.split_at(figures.len() - places);
            (whole.to_string(), fraction.to_string())
        };
        while fraction.len() < decimals {
            fraction.push('0');
        }
        let sign = if self.mantissa < 0 { String::from(MINUS) } else { String::new() };
        let point = if fraction.is_empty() { "" } else { "." };
        format!("{sign}{}{point}{fraction}", grouped(&whole))
    }

    /// As a×10ⁿ with the given n and at least so many decimals in a; a = 1 is left out.
    pub fn scientific(self, order: i32, decimals: usize) -> String {
        if self.mantissa == 0 {
            return "0".into();
        }
        let a = Decimal { mantissa: self.mantissa, exponent: self.exponent - order }.plain(decimals);
        match a.as_str() {
            "1" => format!("10{}", superscript(order)),
            "\u{2212}1" => format!("{MINUS}10{}", superscript(order)),
            _ => format!("{a}×10{}", superscript(order)),
        }
    }
}

/// A number for a label: so many significant digits, powers of ten only where plain figures would be long.
pub(crate) fn number(value: f64, digits: usize) -> String {
    if value.is_nan() {
        return "NaN".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "∞".into() } else { format!("{MINUS}∞") };
    }
    let decimal = Decimal::rounded(value, digits);
    if decimal.mantissa == 0 || (-4..6).contains(&decimal.order()) {
        decimal.plain(0)
    } else {
        decimal.scientific(decimal.order(), 0)
    }
}

/// A number with exactly so many decimals, for columns of numbers of like size.
pub(crate) fn fixed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.bytes().any(|b| (b'1'..=b'9').contains(&b)) => format!("{MINUS}{rest}"),
        Some(rest) => rest.into(),
        None => text,
    }
}

/// A whole number with thin spaces between thousands.
pub(crate) fn whole(n: u64) -> String {
    grouped(&n.to_string())
}

/// Figures in groups of three; four figures stay together.
fn grouped(figures: &str) -> String {
    if figures.len() <= 4 {
        return figures.into();
    }
    let mut out = String::new();
    for (i, c) in figures.chars().enumerate() {
        if i > 0 && (figures.len() - i).is_multiple_of(3) {
            out.push(THIN);
        }
        out.push(c);
    }
    out
}

/// A whole number raised.
fn superscript(n: i32) -> String {
    let raise = |c: char| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        c => char::from_u32(0x2070 + c.to_digit(10).unwrap_or(0)).unwrap_or(c),
    };
    n.to_string().chars().map(raise).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_well() {
        let all = [0.0, 1.0, -2.5, 0.1 + 0.2, 12345.678, 999_999.0, 1e6, 1.25e-7, 123_456_789.0, -1e300];
        let texts: Vec<String> = all.iter().map(|&v| number(v, 3)).collect();
        let expected = ["0", "1", "−2.5", "0.3", "12\u{202F}300", "10⁶", "10⁶", "1.25×10⁻⁷", "1.23×10⁸", "−10³⁰⁰"];
        assert_eq!(texts, expected);
        assert_eq!((number(f64::NAN, 3), number(f64::NEG_INFINITY, 3)), ("NaN".into(), "−∞".into()));
        assert_eq!((fixed(-0.001, 2), fixed(-0.126, 2)), ("0.00".into(), "−0.13".into()));
        assert_eq!((whole(1234), whole(1_234_567)), ("1234".into(), "1\u{202F}234\u{202F}567".into()));
    }

    #[test]
    fn a_decimal_says_its_value() {
        // Read back by the language's own parser: plain and scientific form are the same number.
        for (mantissa, exponent) in [(25, -1), (-3, 4), (120, -5), (7, -300), (1, 300), (0, 3), (5, -324), (-40, 0)] {
            let d = Decimal { mantissa, exponent };
            let back = |s: String| s.replace(MINUS, "-").replace(THIN, "").parse::<f64>().unwrap();
            assert_eq!(back(d.plain(2)), d.value());
            assert_eq!(d.short().value(), d.value());
            assert_eq!(Decimal::rounded(d.value(), 9).value(), d.value());
        }
        assert_eq!(Decimal { mantissa: 250, exponent: 4 }.scientific(6, 2), "2.50×10⁶");
    }
}
