//! Weighted quantiles of each column, gaps left out.
//!
//! The quantile of level q is where the weight below reaches q of the whole, halfway between two values where it is
//! reached exactly: the median of 1, 2, 3, 4 is 2.5, and a weight of 2 is the same as the value twice. O(n log n) a
//! column.

use base::Points;

/// The quantiles of these levels for each column; 0 for a column of gaps.
pub fn quantiles(points: &Points, weights: Option<&[f64]>, levels: &[f64]) -> Vec<Vec<f64>> {
    let columns = points.columns();
    let mut pairs: Vec<Vec<(f64, f64)>> = vec![vec![]; columns];
    let mut row = vec![0.0; columns];
    for i in 0..points.len() {
        points.write_row(i, &mut row);
        let weight = weights.map_or(1.0, |w| w[i]);
        for (pairs, &x) in pairs.iter_mut().zip(&row).filter(|(_, x)| !x.is_nan()) {
            pairs.push((x, weight));
        }
    }
    let of_column = |mut pairs: Vec<(f64, f64)>| {
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        levels.iter().map(|&q| quantile(&pairs, q)).collect()
    };
    pairs.into_iter().map(of_column).collect()
}

fn quantile(sorted: &[(f64, f64)], level: f64) -> f64 {
    let total: f64 = sorted.iter().map(|p| p.1).sum();
    let wanted = level * total;
    let mut below = 0.0;
    for (i, &(x, w)) in sorted.iter().enumerate() {
        below += w;
        if below > wanted {
            return x;
        }
        if below == wanted {
            return sorted.get(i + 1).map_or(x, |next| 0.5 * (x + next.0));
        }
    }
    sorted.last().map_or(0.0, |p| p.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_weights() {
        let of = |values: &[f64], weights: Option<&[f64]>, level: f64| {
            let rows: Vec<[f64; 1]> = values.iter().map(|&x| [x]).collect();
            quantiles(&Points::from_rows(&rows).unwrap(), weights, &[level])[0][0]
        };
        assert_eq!(of(&[3.0, 1.0, 2.0], None, 0.5), 2.0);
        assert_eq!(of(&[4.0, 1.0, 2.0, 3.0], None, 0.5), 2.5);
        assert_eq!(of(&[1.0, 2.0, f64::NAN, 3.0], None, 0.5), 2.0);
        assert_eq!(of(&[1.0, 2.0], Some(&[1.0, 3.0]), 0.5), of(&[1.0, 2.0, 2.0, 2.0], None, 0.5));
        assert_eq!((of(&[1.0, 2.0, 3.0], None, 0.0), of(&[1.0, 2.0, 3.0], None, 1.0)), (1.0, 3.0));
        assert_eq!(of(&[f64::NAN], None, 0.5), 0.0);
    }
}
