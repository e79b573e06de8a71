//! Where an axis is marked: multiples of 1, 2 or 5 times a power of ten, or powers of ten on a logarithmic axis.
//!
//! The step is the smallest of …, 0.1, 0.2, 0.5, 1, 2, 5, 10, … that gives no more ticks than asked for. Ticks are
//! decimals ([`Decimal`]), not sums of a rounded step, so they are exact over the whole range of floating-point numbers.

use crate::number::Decimal;

/// Marks of an axis and their labels.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Ticks {
    /// Position in the unit of the data, ascending.
    pub values: Vec<f64>,
    /// What stands beside each mark.
    pub labels: Vec<String>,
}

/// At most `most` marks (at least 2) on a linear axis from `low` to `high` (finite, ascending).
pub(crate) fn linear(low: f64, high: f64, most: usize) -> Ticks {
    labelled(steps(low, high, most.max(2)))
}

/// At most `most` marks on a logarithmic axis (0 < low < high); decades, or 1-2-5 within them where there is room.
pub(crate) fn log(low: f64, high: f64, most: usize) -> Ticks {
    let most = most.max(2) as i32;
    let inside = |d: &Decimal| (low..=high).contains(&d.value());
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let all = |mantissas: &[i64]| -> Vec<Decimal> {
        let decade = |e: i32| mantissas.iter().map(move |&mantissa| Decimal { mantissa, exponent: e });
        (first..=last).flat_map(decade).filter(inside).collect()
    };
    if last - first <= most {
        for mantissas in [&[1i64, 2, 5][..], &[1, 3], &[1]] {
            let ticks = all(mantissas);
            if ticks.len() <= most as usize && (ticks.len() >= 2 && (mantissas.len() > 1 || ticks.len() > 2)) {
                return labelled_log(ticks);
            }
        }
    }
    if high / low < 10.0 {
        return linear(low, high, most as usize);
    }
    let decades = all(&[1]);
    let mut stride = 1;
    while (decades.len() as i32).div_euclid(stride) + 1 > most && stride < 1000 {
        stride = [1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000].into_iter().find(|&s| s > stride).unwrap_or(1000);
    }
    labelled_log(decades.into_iter().filter(|d| d.exponent.rem_euclid(stride) == 0).collect())
}

/// The multiples of the smallest good step that lie within the range.
fn steps(low: f64, high: f64, most: usize) -> Vec<Decimal> {
    // Halves, because the difference of two large numbers may overflow.
    let range = (high / 2.0 - low / 2.0) / most as f64;
    let start = if range > 0.0 { range.log10().floor() as i32 - 1 } else { -330 };
    for exponent in start..=308 {
        for mantissa in [1i64, 2, 5] {
            if let Some(ticks) = multiples(low, high, Decimal { mantissa, exponent }, most) {
                return ticks;
            }
        }
    }
    Vec::new()
}

/// All multiples of a step within the range, or nothing if there are more than `most`.
fn multiples(low: f64, high: f64, step: Decimal, most: usize) -> Option<Vec<Decimal>> {
    let size = step.value();
    if size <= 0.0 || (low / size).abs() > 1e15 || (high / size).abs() > 1e15 {
        return None;
    }
    let (first, last) = ((low / size).floor() as i64 - 1, (high / size).ceil() as i64 + 1);
    if last - first > most as i64 + 4 {
        return None;
    }
    let multiple = |k: i64| Decimal { mantissa: k * step.mantissa, exponent: step.exponent };
    let ticks: Vec<Decimal> = (first..=last).map(multiple).filter(|d| (low..=high).contains(&d.value())).collect();
    (ticks.len() <= most).then_some(ticks)
}

/// One way of writing for all marks of the axis: plain between 10⁻⁴ and 10⁶, else with powers of ten.
fn labelled(ticks: Vec<Decimal>) -> Ticks {
    let short: Vec<Decimal> = ticks.iter().map(|d| d.short()).collect();
    let other = || short.iter().filter(|d| d.mantissa != 0);
    let highest = other().map(|d| d.order()).max().unwrap_or(0);
    let lowest = other().map(|d| d.exponent).min().unwrap_or(0);
    let labels = if (-3..6).contains(&highest) && lowest >= -6 {
        let decimals = (-lowest).max(0) as usize;
        short.iter().map(|d| if d.mantissa == 0 { "0".into() } else { d.plain(decimals) }).collect()
    } else {
        let decimals = (highest - lowest).max(0) as usize;
        short.iter().map(|d| d.scientific(highest, decimals)).collect()
    };
    Ticks { values: ticks.iter().map(|d| d.value()).collect(), labels }
}

fn labelled_log(ticks: Vec<Decimal>) -> Ticks {
    let plain = ticks.iter().all(|d| (-3..5).contains(&d.order()));
    let label = |d: &Decimal| if plain { d.plain(0) } else { d.scientific(d.order(), 0) };
    Ticks { values: ticks.iter().map(|d| d.value()).collect(), labels: ticks.iter().map(label).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From the definition: every step from small to large, every multiple by counting up from zero.
    fn slow(low: f64, high: f64, most: usize) -> Vec<f64> {
        for exponent in -7..7 {
            for m in [1.0, 2.0, 5.0] {
                let step: f64 = format!("{m}e{exponent}").parse().unwrap();
                if (high - low) / step > 1000.0 {
                    continue;
                }
                let bound = (low.abs().max(high.abs()) / step).ceil() as i64 + 1;
                let multiple = |k: i64| format!("{}e{exponent}", k * m as i64).parse::<f64>().unwrap();
                let ticks: Vec<f64> = (-bound..=bound).map(multiple).filter(|&v| v >= low && v <= high).collect();
                if ticks.len() <= most {
                    return ticks;
                }
            }
        }
        unreachable!()
    }

    #[test]
    fn linear_ticks_follow_the_definition() {
        let mut state = 7u64;
        let mut draw = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as f64 / (1u64 << 31) as f64
        };
        for _ in 0..300 {
            let scale = 10f64.powf(draw() * 5.0 - 2.0);
            let low = (draw() - 0.5) * scale;
            let high = low + (0.05 + draw()) * scale;
            let most = 2 + (draw() * 9.0) as usize;
            assert_eq!(linear(low, high, most).values, slow(low, high, most), "{low} {high} {most}");
        }
    }

    #[test]
    fn labels_are_short_and_alike() {
        assert_eq!(linear(0.0, 1.0, 6).labels, ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(linear(-5.0, 5.0, 3).labels, ["−5", "0", "5"]);
        assert_eq!(
            linear(0.0, 4e4, 5).labels,
            ["0", "10\u{202F}000", "20\u{202F}000", "30\u{202F}000", "40\u{202F}000"]
        );
        assert_eq!(linear(0.0, 2.5e6, 6).labels, ["0", "0.5×10⁶", "1.0×10⁶", "1.5×10⁶", "2.0×10⁶", "2.5×10⁶"]);
    }

    #[test]
    fn the_whole_range_of_numbers_has_ticks() {
        let cases = [(-1.7e308, 1.7e308), (0.0, 1e-300), (1e-300, 1e300), (1e9, 1e9 + 1.0), (-3e-308, 5e-308)];
        for (low, high) in cases {
            for most in [2, 5, 10] {
                let t = linear(low, high, most);
                assert!((1..=most).contains(&t.values.len()), "{low} {high}: {t:?}");
                assert!(t.values.iter().all(|v| (low..=high).contains(v)));
                assert!(t.values.windows(2).all(|w| w[0] < w[1]));
            }
        }
    }

    #[test]
    fn log_ticks_are_decades_or_parts_of_them() {
        assert_eq!(log(0.01, 100.0, 6).labels, ["0.01", "0.1", "1", "10", "100"]);
        assert_eq!(log(1.0, 100.0, 8).labels, ["1", "2", "5", "10", "20", "50", "100"]);
        assert_eq!(log(1e-300, 1e300, 6).labels, ["10⁻²⁰⁰", "10⁰", "10²⁰⁰"]);
        assert_eq!(log(3.0, 4.0, 4).values, linear(3.0, 4.0, 4).values);
        for (low, high) in [(0.2, 0.9), (1.5, 900.0), (1e-5, 1.0), (7e-308, 1e308), (9.0, 11.0)] {
            for most in 2..9 {
                let t = log(low, high, most);
                assert!(
                    t.values.len() <= most && t.values.windows(2).all(|w| w[0] < w[1]),
                    "{low} {high} {most} {t:?}"
                );
                assert!(t.values.iter().all(|v| (low..=high).contains(v)));
            }
        }
    }
}
