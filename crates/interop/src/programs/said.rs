//! Numbers as C prints them, and what is said of predictions.

/// The mean squared error and the squared correlation of (truth, prediction).
pub fn agreement(pairs: &[(f64, f64)]) -> (f64, f64) {
    let n = pairs.len().max(1) as f64;
    let error = pairs.iter().map(|(y, f)| (y - f).powi(2)).sum::<f64>() / n;
    let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / n;
    let (my, mf) = (mean(|p| p.0), mean(|p| p.1));
    let sum = |of: &dyn Fn(f64, f64) -> f64| pairs.iter().map(|(y, f)| of(y - my, f - mf)).sum::<f64>();
    let (yf, yy, ff) = (sum(&|y, f| y * f), sum(&|y, _| y * y), sum(&|_, f| f * f));
    (error, if yy > 0.0 && ff > 0.0 { yf * yf / (yy * ff) } else { f64::NAN })
}

/// A number with six digits, as C's `%g` writes it.
pub fn general(x: f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return format!("{x}").to_lowercase();
    }
    let rounded = format!("{x:.5e}");
    let (digits, power) = rounded.split_once('e').unwrap_or((&rounded, "0"));
    let power: i32 = power.parse().unwrap_or(0);
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text.to_string(),
    };
    match (-4..6).contains(&power) {
        true => trimmed(&format!("{x:.*}", usize::try_from(5 - power).unwrap_or(0))),
        false => {
            let sign = if power < 0 { '-' } else { '+' };
            format!("{}e{sign}{:02}", trimmed(digits), power.abs())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_look_as_c_writes_them() {
        for (x, text) in [
            (86.66666666, "86.6667"),
            (100.0, "100"),
            (0.0, "0"),
            (1e-5, "1e-05"),
            (123456789.0, "1.23457e+08"),
            (0.0001234567, "0.000123457"),
            (999999.5, "1e+06"),
            (-0.5, "-0.5"),
        ] {
            assert_eq!(general(x), text);
        }
    }

    #[test]
    fn agreement_is_by_definition() {
        let (error, correlation) = agreement(&[(1.0, 2.0), (2.0, 4.0), (3.0, 6.0)]);
        assert!((error - 14.0 / 3.0).abs() < 1e-12 && (correlation - 1.0).abs() < 1e-12);
    }
}
