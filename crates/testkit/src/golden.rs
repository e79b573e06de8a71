//! A peer's answer, with its maker on the first line.

/// Compares our numbers with a peer's, kept under `golden/` by the script that the first line names.
///
/// The file is the peer's word: a line such as `# scikit-learn 1.9.1, golden/make_linear.py`, then a number a line.
#[track_caller]
pub fn check_golden(golden: &str, ours: &[f64], tolerance: f64) {
    let (maker, numbers) = golden.split_once('\n').expect("the first line says who made it");
    assert!(maker.starts_with("# "), "the first line says who made it");
    let theirs: Vec<f64> = numbers.lines().map(|l| l.trim().parse().expect("a number")).collect();
    crate::assert_close(ours, &theirs, tolerance, maker);
}
