//! Numbers as people write them: `$1,234.50`, `12.5%`, `1.234,56`, `115 343`, `(1,234)`, with a minus of any kind.
//!
//! A **style** is a decimal sign and what stands between groups of three digits. Which style a column has is told by all
//! of its cells together: a style fits if it reads every one of them. `1,5` fits decimal commas alone and `1,234,567`
//! groups alone; a column of nothing but `1,234` fits both, and the caller must ask what else the file shows.
//!
//! Around the digits may stand a sign, a currency or a percent sign, which is left out (12.5 % is read as 12.5), and
//! parentheses, which accountants write for a minus.

use super::number;
use std::fmt;

/// What may stand between groups of three digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Group {
    Nothing,
    Comma,
    Point,
    Blank,
    Quote,
}

/// How numbers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Style {
    /// The decimal sign.
    pub point: u8,
    /// What stands between groups of three digits.
    pub group: Group,
}

/// All styles, the plainest first.
pub(crate) const STYLES: [Style; 8] = [
    Style { point: b'.', group: Group::Nothing },
    Style { point: b',', group: Group::Nothing },
    Style { point: b'.', group: Group::Comma },
    Style { point: b',', group: Group::Point },
    Style { point: b'.', group: Group::Blank },
    Style { point: b',', group: Group::Blank },
    Style { point: b'.', group: Group::Quote },
    Style { point: b',', group: Group::Quote },
];

impl fmt::Display for Style {
    /// An example, which [`Style::from_text`] reads back.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let group = match self.group {
            Group::Nothing => "",
            Group::Comma => ",",
            Group::Point => ".",
            Group::Blank => " ",
            Group::Quote => "'",
        };
        write!(f, "1{group}234{}5", self.point as char)
    }
}

impl Style {
    /// The style of which this is the example.
    pub fn from_text(text: &str) -> Option<Style> {
        STYLES.into_iter().find(|style| style.to_string() == text)
    }

    /// The number that `text` is as a whole in this style, if it is one and finite.
    pub fn number(self, text: &[u8]) -> Option<f64> {
        let (negative, digits) = bare(text)?.parts();
        let mut plain = Vec::with_capacity(digits.len());
        let (mut since, mut groups, mut seen_point) = (0usize, 0usize, false);
        let mut rest = digits;
        while let Some(&byte) = rest.first() {
            let separator = self.separator(rest).filter(|_| !seen_point);
            if byte.is_ascii_digit() {
                since += usize::from(!seen_point);
                plain.push(byte);
                rest = &rest[1..];
            } else if byte == self.point && !seen_point {
                seen_point = true;
                plain.push(b'.');
                rest = &rest[1..];
            } else if let Some(length) = separator {
                // The first group has one to three digits, all others three.
                if since == 0 || since > 3 || (groups > 0 && since != 3) {
                    return None;
                }
                (since, groups) = (0, groups + 1);
                rest = &rest[length..];
            } else {
                // An exponent: no groups before it, and no other sign in it.
                if groups > 0 || !matches!(byte, b'e' | b'E') || rest.contains(&b'.') {
                    return None;
                }
                plain.extend_from_slice(rest);
                break;
            }
        }
        // 030 123 456 is a telephone.
        if groups > 0 && (since != 3 || plain.first() == Some(&b'0')) {
            return None;
        }
        let value = number::whole(&plain, b'.').filter(|x| x.is_finite())?;
        Some(if negative { -value } else { value })
    }

    /// How long the separator of groups is with which `rest` begins.
    fn separator(self, rest: &[u8]) -> Option<usize> {
        match self.group {
            Group::Nothing => None,
            Group::Comma => rest.starts_with(b",").then_some(1),
            Group::Point => rest.starts_with(b".").then_some(1),
            Group::Blank => blank(rest),
            Group::Quote => ["'", "’"].iter().find(|q| rest.starts_with(q.as_bytes())).map(|q| q.len()),
        }
    }
}

/// How long the blank is with which `rest` begins: a space, also one that does not break or is thin.
fn blank(rest: &[u8]) -> Option<usize> {
    [" ", "\u{a0}", "\u{2009}", "\u{202f}", "\u{2007}"].iter().find(|b| rest.starts_with(b.as_bytes())).map(|b| b.len())
}

/// The digits of a cell without what stands around them.
pub(crate) struct Bare<'a> {
    negative: bool,
    digits: &'a [u8],
    /// A percent sign or currency, as it is written.
    pub unit: Option<&'static str>,
    /// Whether it stands in parentheses.
    pub bracketed: bool,
}

impl<'a> Bare<'a> {
    fn parts(self) -> (bool, &'a [u8]) {
        (self.negative, self.digits)
    }
}

/// Signs and names of currencies; the longest of those that begin alike come first.
const UNITS: [&str; 24] = [
    "US$", "C$", "A$", "$", "€", "£", "¥", "₹", "₽", "₩", "₺", "₫", "¢", "USD", "EUR", "GBP", "CHF", "JPY", "INR",
    "CNY", "SEK", "NOK", "DKK", "%",
];

/// A cell without sign, unit and parentheses; none where what is left does not begin with a digit or decimal sign.
pub(crate) fn bare(text: &[u8]) -> Option<Bare<'_>> {
    let mut rest = trimmed(text);
    let mut negative = false;
    let mut unit = None;
    let inner = rest.strip_prefix(b"(").and_then(|r| r.strip_suffix(b")"));
    let bracketed = inner.is_some();
    if let Some(inner) = inner {
        negative = true;
        rest = trimmed(inner);
        // (-5) would be a minus twice.
        if sign(rest).is_some() {
            return None;
        }
    }
    let mut signed = negative;
    // A sign and a unit in front, in either order, each once.
    for _ in 0..2 {
        if let (Some((minus, length)), false) = (sign(rest), signed) {
            (negative, signed) = (minus, true);
            rest = trimmed(&rest[length..]);
        }
        if let (Some(found), None) = (UNITS.iter().find(|u| rest.starts_with(u.as_bytes())), unit) {
            unit = Some(*found).filter(|u| *u != "%");
            unit?;
            rest = trimmed(&rest[found.len()..]);
        }
    }
    if let (Some(found), None) = (UNITS.iter().find(|u| rest.ends_with(u.as_bytes())), unit) {
        unit = Some(*found);
        rest = trimmed(&rest[..rest.len() - found.len()]);
    }
    let begins = rest.first().is_some_and(|&b| b.is_ascii_digit() || b".,".contains(&b));
    (begins && rest.iter().any(u8::is_ascii_digit)).then_some(Bare { negative, digits: rest, unit, bracketed })
}

/// Whether the text begins with a minus (true) or plus, and how long that is.
fn sign(text: &[u8]) -> Option<(bool, usize)> {
    let signs = [("-", true), ("+", false), ("\u{2212}", true), ("\u{2013}", true), ("\u{ff0d}", true)];
    signs.iter().find(|(s, _)| text.starts_with(s.as_bytes())).map(|(s, minus)| (*minus, s.len()))
}

/// Without blanks of any kind at both ends.
fn trimmed(mut text: &[u8]) -> &[u8] {
    while let Some(length) = blank(text) {
        text = &text[length..];
    }
    while let Some(shorter) =
        ["\u{a0}", "\u{2009}", "\u{202f}", "\u{2007}", " "].iter().find_map(|b| text.strip_suffix(b.as_bytes()))
    {
        text = shorter;
    }
    text
}

/// Which styles read this text, a bit for each of [`STYLES`].
pub(crate) fn styles_of(text: &[u8]) -> u8 {
    match bare(text) {
        Some(_) => STYLES.iter().enumerate().filter(|(_, s)| s.number(text).is_some()).map(|(i, _)| 1 << i).sum(),
        None => 0,
    }
}

/// Whether a text can be both a number with this decimal sign and one of groups of three: `1,234`, but not `0,234`.
pub(crate) fn may_be_groups(text: &[u8], point: u8) -> bool {
    let other = if point == b',' {
        Style { point: b'.', group: Group::Comma }
    } else {
        Style { point: b',', group: Group::Point }
    };
    text.contains(&point) && other.number(text).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(style: &str, text: &str) -> Option<f64> {
        Style::from_text(style).unwrap().number(text.as_bytes())
    }

    #[test]
    fn d5_numbers_in_every_style() {
        for (style, text, value) in [
            ("1,234.5", "$1,234.50", 1234.5),
            ("1,234.5", "(1,234)", -1234.0),
            ("1,234.5", "-$1,234,567.5", -1_234_567.5),
            ("1,234.5", "$-12", -12.0),
            ("1234.5", "12.5%", 12.5),
            ("1234.5", "12.5 %", 12.5),
            ("1234.5", "\u{2212}3.5", -3.5),
            ("1.234,5", "1.234,56", 1234.56),
            ("1.234,5", "1.234,56 €", 1234.56),
            ("1.234,5", "12", 12.0),
            ("1 234.5", "115 343", 115_343.0),
            ("1 234,5", "115\u{a0}343,5", 115_343.5),
            ("1 234,5", "1\u{202f}115\u{2009}343", 1_115_343.0),
            ("1'234.5", "1'234.5", 1234.5),
            ("1234,5", "-0,5e1", -5.0),
            ("1234.5", "USD 7", 7.0),
        ] {
            assert_eq!(read(style, text), Some(value), "{style} {text}");
        }
        for (style, text) in [
            ("1,234.5", "1,23"),
            ("1,234.5", "1234,567"),
            ("1,234.5", "1,,234"),
            ("1,234.5", "1,234,"),
            ("1,234.5", "1,234e5"),
            ("1.234,5", "1.5"),
            ("1234.5", "(-5)"),
            ("1234.5", "--5"),
            ("1234.5", "$"),
            ("1234.5", "%5"),
            ("1234.5", "1.2.3"),
            ("1234.5", "5 apples"),
            ("1234.5", ""),
            ("1234.5", "$5€"),
            ("1234,5", "1.234"),
            ("1234.5", "1,234"),
            ("1234,5", "1e5.5"),
        ] {
            assert_eq!(read(style, text), None, "{style} {text}");
        }
    }

    #[test]
    fn examples_read_back() {
        for style in STYLES {
            assert_eq!(Style::from_text(&style.to_string()), Some(style));
            assert_eq!(style.number(style.to_string().as_bytes()), Some(1234.5));
        }
    }

    #[test]
    fn d5_what_can_be_two_things_is_known() {
        assert!(may_be_groups(b"1,234", b',') && may_be_groups(b"1.234", b'.') && may_be_groups(b"-12,345", b','));
        for text in ["1,23", "0,234", "1234,567", "1,5", "12", ",234"] {
            assert!(!may_be_groups(text.as_bytes(), b','), "{text}");
        }
    }
}
