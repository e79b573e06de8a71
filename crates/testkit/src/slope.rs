//! A claimed derivative is measured.

/// Compares a claimed gradient with central differences; the step balances truncation against rounding.
#[track_caller]
pub fn check_slope(mut f: impl FnMut(&[f64]) -> f64, claimed: &[f64], at: &[f64]) {
    let mut x = at.to_vec();
    for i in 0..at.len() {
        let h = f64::EPSILON.cbrt() * at[i].abs().max(1.0);
        x[i] = at[i] + h;
        let above = f(&x);
        x[i] = at[i] - h;
        let below = f(&x);
        x[i] = at[i];
        let measured = (above - below) / (2.0 * h);
        let error = (claimed[i] - measured).abs();
        assert!(error < 1e-6 * measured.abs().max(1.0), "slope {i}: claimed {}, measured {measured}", claimed[i]);
    }
}
