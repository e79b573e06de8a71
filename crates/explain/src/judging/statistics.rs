//! Correlations by value and by rank. O(n) and O(n log n).

/// Pearson's correlation; 0 where one side is constant or there are fewer than two pairs.
pub fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len().min(b.len()) as f64;
    if n < 2.0 {
        return 0.0;
    }
    let (mean_a, mean_b) = (a.iter().sum::<f64>() / n, b.iter().sum::<f64>() / n);
    let (mut both, mut own_a, mut own_b) = (0.0, 0.0, 0.0);
    for (x, y) in a.iter().zip(b) {
        let (x, y) = (x - mean_a, y - mean_b);
        both += x * y;
        own_a += x * x;
        own_b += y * y;
    }
    // What is left of a constant after its mean is taken off is rounding.
    let spread = |own: f64, mean: f64| own > n * (1e-14 * mean).powi(2);
    match spread(own_a, mean_a) && spread(own_b, mean_b) {
        true => (both / (own_a.sqrt() * own_b.sqrt())).clamp(-1.0, 1.0),
        false => 0.0,
    }
}

/// Spearman's rank correlation: that of the ranks, equals sharing theirs.
pub fn rank_correlation(a: &[f64], b: &[f64]) -> f64 {
    correlation(&ranks(a), &ranks(b))
}

/// The rank of each value from 1 for the least; equals share the mean of theirs.
pub fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut next = 0;
    // −0 and 0 are equal, though sorted apart.
    for equals in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let shared = next as f64 + 0.5 * (equals.len() as f64 + 1.0);
        equals.iter().for_each(|&i| ranks[i] = shared);
        next += equals.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn correlations_by_hand() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, -0.0, 0.0]), [4.5, 3.0, 4.5, 1.5, 1.5]);
        // Σ over deviations (−1, 0, 1) and (−4/3, −1/3, 5/3): 3 / √(2 · 14/3).
        assert!((correlation(&[1.0, 2.0, 3.0], &[1.0, 2.0, 4.0]) - 3.0 / (28.0f64 / 3.0).sqrt()).abs() < 1e-12);
        assert!((rank_correlation(&[1.0, 2.0, 3.0], &[1.0, 20.0, 400.0]) - 1.0).abs() < 1e-12);
        assert!((rank_correlation(&[1.0, 2.0, 3.0], &[5.0, 4.0, -1.0]) + 1.0).abs() < 1e-12);
        // One swap of five: 1 − 6 · 2 / (5 · 24).
        assert!((rank_correlation(&[1.0, 2.0, 3.0, 4.0, 5.0], &[2.0, 1.0, 3.0, 4.0, 5.0]) - 0.9).abs() < 1e-12);
        assert_eq!(correlation(&[0.1; 9], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]), 0.0, "constant");
        assert_eq!((correlation(&[1.0], &[1.0]), correlation(&[], &[])), (0.0, 0.0));
    }
}
