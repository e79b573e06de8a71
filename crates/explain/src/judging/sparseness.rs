//! How many inputs an explanation names: Gini's index and the entropy of the sizes of relevance.
//!
//! With sizes a_1 ≤ … ≤ a_d: G = Σ_k (2k − d − 1) a_k / (d Σ_k a_k), from 0 (all alike) to 1 − 1/d (one input alone).
//! With shares p_k = a_k / Σ a: H = −Σ p_k ln p_k, from 0 (one alone) to ln d (all alike). O(d log d).
//!
//! Sources: P. Chalasani et al.: *Concise explanations of neural networks using adversarial training.* ICML 2020 (Gini);
//! U. Bhatt, A. Weller, J. Moura: *Evaluating and aggregating feature-based model explanations.* IJCAI 2020 (entropy).

/// Gini's index of the sizes; 0 where all are 0.
pub fn gini(relevance: &[f64]) -> f64 {
    let mut sizes: Vec<f64> = relevance.iter().map(|r| r.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    let (d, total) = (sizes.len() as f64, sizes.iter().sum::<f64>());
    if total <= 0.0 {
        return 0.0;
    }
    let weighted = sizes.iter().enumerate().map(|(k, a)| (2.0 * (k as f64 + 1.0) - d - 1.0) * a).sum::<f64>();
    weighted / (d * total)
}

/// The entropy of the shares of the sizes; that of all alike where all are 0.
pub fn entropy(relevance: &[f64]) -> f64 {
    let total: f64 = relevance.iter().map(|r| r.abs()).sum();
    if total <= 0.0 {
        return (relevance.len().max(1) as f64).ln();
    }
    let shares = relevance.iter().map(|r| r.abs() / total).filter(|p| *p > 0.0);
    // No share makes −0.
    shares.map(|p| -p * p.ln()).sum::<f64>().max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_by_hand() {
        assert_eq!((gini(&[2.0, -2.0, 2.0]), gini(&[0.0, 0.0]), gini(&[])), (0.0, 0.0, 0.0));
        assert_eq!(gini(&[0.0, 0.0, -5.0, 0.0]), 0.75);
        // (−2 · 1 + 0 · 2 + 2 · 3) / (3 · 6).
        assert!((gini(&[3.0, -1.0, 2.0]) - 4.0 / 18.0).abs() < 1e-15);
        assert_eq!(entropy(&[0.0, 0.0, -5.0, 0.0]), 0.0);
        assert!((entropy(&[1.0, -1.0, 1.0, 1.0]) - 4f64.ln()).abs() < 1e-12);
        assert!((entropy(&[0.0; 4]) - 4f64.ln()).abs() < 1e-12);
        let by_hand = -(0.75 * 0.75f64.ln() + 0.25 * 0.25f64.ln());
        assert!((entropy(&[3.0, -1.0]) - by_hand).abs() < 1e-12);
    }
}
