//! How much one column says of the target by itself: correlation and the F value.
//!
//! With weighted mean m_j of a column, sum of squares S_j = Σ w (x − m_j)² and, for class c of mass W_c, the sum
//! A_c = Σ_{μ in c} w (x − m_j):
//!
//! - correlation, values: |r| = |Σ w (x − m_j)(y − ȳ)| / √(S_j S_y), of several targets the largest;
//! - correlation, classes: the largest |r| with the indicator of a class against the rest,
//!   |r_c| = |A_c| / √(S_j W_c (1 − W_c/W));
//! - F value, classes: F = [B/(C − 1)] / [(S_j − B)/(W − C)] with B = Σ_c A_c²/W_c, the analysis of variance;
//! - F value, values: F = r² (W − 2)/(1 − r²), which orders as |r| does.
//!
//! A column that never changes scores 0; F is cut where the rest within classes is rounding error. Weights count as
//! repeated rows. O(stored numbers + columns · classes).

use crate::columns::each_column;
use base::{Dataset, Error, Result, Run, Targets};

/// The score of every column: |r| or F.
pub(crate) fn scores(data: &Dataset, f_value: bool, run: &Run<'_>) -> Result<Vec<f64>> {
    let weight = |i: usize| data.weight(i);
    let total: f64 = (0..data.len()).map(weight).sum();
    match &data.targets {
        Targets::Classes(classes) => {
            let mut mass = vec![0.0; classes.names().len()];
            (0..data.len()).for_each(|i| mass[classes.codes()[i] as usize] += weight(i));
            each_column(data.points()?, run, |_, column| {
                let spread = Spread::of(column, &weight, total);
                let (mut sums, mut present) = (vec![0.0; mass.len()], vec![0.0; mass.len()]);
                for &(i, x) in column {
                    let c = classes.codes()[i] as usize;
                    sums[c] += weight(i) * (x - spread.mean);
                    present[c] += weight(i);
                }
                if column.len() < data.len() {
                    (0..mass.len()).for_each(|c| sums[c] -= (mass[c] - present[c]).max(0.0) * spread.mean);
                }
                Ok(of_classes(&sums, &mass, spread.squares, total, f_value))
            })
        }
        Targets::Values(values) => {
            let width = values.names().len();
            let centred: Vec<(Vec<f64>, f64)> = (0..width)
                .map(|t| {
                    let y = |i: usize| values.row(i)[t];
                    let mean = (0..data.len()).map(|i| weight(i) * y(i)).sum::<f64>() / total;
                    let y: Vec<f64> = (0..data.len()).map(|i| y(i) - mean).collect();
                    let squares = y.iter().enumerate().map(|(i, y)| weight(i) * y * y).sum();
                    (y, squares)
                })
                .collect();
            each_column(data.points()?, run, |_, column| {
                let spread = Spread::of(column, &weight, total);
                let correlation = |(y, squares): &(Vec<f64>, f64)| {
                    let (mut sum, mut there) = (0.0, 0.0);
                    for &(i, x) in column {
                        sum += weight(i) * (x - spread.mean) * y[i];
                        there += weight(i) * y[i];
                    }
                    // What is absent is 0 − mean away, and all of y sums to 0.
                    if column.len() < data.len() {
                        sum += spread.mean * there;
                    }
                    share(sum.abs(), (spread.squares * squares).sqrt())
                };
                let r = centred.iter().map(correlation).fold(0.0, f64::max);
                Ok(if f_value { f_of(r * r, 1.0, total - 2.0) } else { r })
            })
        }
        other => Err(Error::size("targets for select", "classes or values", other.type_name())),
    }
}

/// Mean and sum of squares about it.
struct Spread {
    mean: f64,
    squares: f64,
}

impl Spread {
    fn of(column: &[(usize, f64)], weight: &impl Fn(usize) -> f64, total: f64) -> Self {
        let mean = column.iter().map(|&(i, x)| weight(i) * x).sum::<f64>() / total;
        let (mut squares, mut present) = (0.0, 0.0);
        for &(i, x) in column {
            squares += weight(i) * (x - mean) * (x - mean);
            present += weight(i);
        }
        squares += (total - present).max(0.0) * mean * mean;
        // Rounding in the mean leaves squares of this size where the column never changes.
        let constant = squares <= total * (8.0 * f64::EPSILON * mean).powi(2);
        Spread { mean, squares: if constant { 0.0 } else { squares } }
    }
}

fn of_classes(sums: &[f64], mass: &[f64], squares: f64, total: f64, f_value: bool) -> f64 {
    let present = || sums.iter().zip(mass).filter(|(_, m)| **m > 0.0);
    if f_value {
        let between: f64 = present().map(|(a, m)| a * a / m).sum();
        let classes = present().count() as f64;
        return f_of(share(between, squares), classes - 1.0, total - classes);
    }
    present().map(|(a, m)| share(a.abs(), (squares * m * (1.0 - m / total)).sqrt())).fold(0.0, f64::max)
}

/// F from the explained share of the variance and the degrees of freedom of both parts.
fn f_of(explained: f64, between: f64, within: f64) -> f64 {
    if between <= 0.0 || within <= 0.0 {
        return 0.0;
    }
    (explained / between) / ((1.0 - explained).max(f64::EPSILON) / within)
}

/// A ratio of at most 1; 0 of nothing.
fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { (part / whole).min(1.0) } else { 0.0 }
}
