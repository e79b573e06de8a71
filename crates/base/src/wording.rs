//! Numbers and counts as people write them: the one place where text for people is formatted.
//!
//! [`number_text`] is exact and reads back the same; [`short_number`] has few digits, for tables and messages,
//! [`cell_number`] also without zeros at the end; [`plural`] is a count with its noun, [`agree`] picks a verb that agrees with it. Labels of axes have rules of their own (thin
//! spaces, powers of ten as superscripts), in the crate `picture`.

/// A number as people write it: whole numbers without a point, others with the fewest digits that read back the same,
/// very small and very large ones with an exponent.
pub fn number_text(x: f64) -> String {
    match x.abs() {
        _ if x == x.trunc() && x.abs() < 1e15 => format!("{}", x as i64),
        size if (1e-5..1e15).contains(&size) || !x.is_finite() => format!("{x}"),
        _ => format!("{x:e}"),
    }
}

/// A number in few digits: `0`, `12`, `0.3814`, `1.25e-7`; zero has no sign.
pub fn short_number(x: f64) -> String {
    match x {
        _ if !x.is_finite() => format!("{x}"),
        _ if x == x.trunc() && x.abs() < 1e9 => number_text(x),
        _ if x.abs() < 1e-3 || x.abs() >= 1e6 => {
            let text = format!("{x:.4e}");
            let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
            format!("{}e{exponent}", digits.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => format!("{x:.4}"),
    }
}

/// A number of a cell: at most four decimals, without zeros at the end. What went through a scaler and back may have left
/// rounding errors where there was 0.
pub fn cell_number(x: f64) -> String {
    match x.abs() {
        size if size < 1e-15 => "0".into(),
        size if x == x.trunc() && size < 1e9 => number_text(x),
        size if (1e-3..1e6).contains(&size) => number_text((x * 1e4).round() / 1e4),
        _ => format!("{x:.3e}"),
    }
}

/// A fraction in per cent: `33.3 %`, `0.58 %`, `100 %`.
pub fn percent(fraction: f64) -> String {
    let p = 100.0 * fraction;
    let digits = match p.abs() {
        size if size >= 10.0 => 10.0,
        size if size >= 0.01 => 100.0,
        _ => return format!("{} %", short_number(p)),
    };
    format!("{} %", number_text((p * digits).round() / digits))
}

/// `1 row`, `2 rows`: a count with its noun.
pub fn plural(n: usize, noun: &str) -> String {
    format!("{n} {}", agree(n, noun, &plural_of(noun)))
}

/// The plural of a noun: `row` → `rows`, `class` → `classes`, `category` → `categories`.
fn plural_of(noun: &str) -> String {
    let before_y = |stem: &str| !stem.ends_with(['a', 'e', 'i', 'o', 'u']);
    match noun.strip_suffix('y') {
        Some(stem) if before_y(stem) => format!("{stem}ies"),
        _ if noun.ends_with(['s', 'x']) || noun.ends_with("ch") || noun.ends_with("sh") => format!("{noun}es"),
        _ => format!("{noun}s"),
    }
}

/// The word for one thing or for several: `agree(n, "is", "are")`.
pub fn agree<'a>(n: usize, one: &'a str, many: &'a str) -> &'a str {
    if n == 1 { one } else { many }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_people_write_them() {
        let cases = [
            (0.0, "0"),
            (-0.0, "0"),
            (12.0, "12"),
            (0.381_44, "0.3814"),
            (1.25e-7, "1.25e-7"),
            (-2.220_446e-16, "-2.2204e-16"),
            (3.5e8 + 0.5, "3.5e8"),
            (f64::NAN, "NaN"),
        ];
        for (x, text) in cases {
            assert_eq!(short_number(x), text);
        }
    }

    #[test]
    fn fractions_in_per_cent() {
        let cases = [
            (0.0, "0 %"),
            (1.0, "100 %"),
            (1.0 / 3.0, "33.3 %"),
            (0.005_81, "0.58 %"),
            (0.0553, "5.53 %"),
            (0.5, "50 %"),
            (2e-6, "2e-4 %"),
            (-0.25, "-25 %"),
        ];
        for (fraction, text) in cases {
            assert_eq!(percent(fraction), text);
        }
    }

    #[test]
    fn counts_agree_with_their_nouns() {
        assert_eq!(plural(1, "row"), "1 row");
        assert_eq!(plural(0, "row"), "0 rows");
        assert_eq!(plural(2, "class"), "2 classes");
        assert_eq!(plural(2, "category"), "2 categories");
        assert_eq!(plural(3, "array"), "3 arrays");
        assert_eq!(agree(1, "is", "are"), "is");
    }
}
