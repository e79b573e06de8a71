//! Seeds that differ from run to run: a law that holds for one seed only is no law.
//!
//! The first seed is always 0, so that a fault that is fixed stays fixed; the others follow from the time, or from the
//! variable `PELLUCID_SEED` where it is set. They are printed, and a test that fails shows what it printed:
//! `PELLUCID_SEED=… cargo test …` runs the same case again.

use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

/// So many seeds: 0, and others that differ from run to run.
pub fn seeds(count: usize) -> Vec<u64> {
    static FIRST: OnceLock<u64> = OnceLock::new();
    let first = *FIRST.get_or_init(|| from(std::env::var("PELLUCID_SEED").ok().as_deref()));
    say(&format!("seeds of this run: PELLUCID_SEED={first}"));
    listed(first, count)
}

/// Into what a failing test shows.
#[allow(clippy::print_stdout, reason = "the test program keeps it for tests that fail")]
fn say(line: &str) {
    println!("{line}");
}

fn from(variable: Option<&str>) -> u64 {
    match variable {
        Some(text) => text.parse().unwrap_or_else(|_| panic!("PELLUCID_SEED={text} must be a whole number")),
        None => {
            let nanoseconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |t| t.subsec_nanos());
            // Few digits are easier to type again.
            1 + u64::from(nanoseconds) % 999_999
        }
    }
}

fn listed(first: u64, count: usize) -> Vec<u64> {
    std::iter::once(0).chain((0..).map(|k| first.wrapping_add(1_000_003 * k))).take(count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_those_of_the_variable_or_of_the_time() {
        assert_eq!(listed(7, 3), [0, 7, 1_000_010]);
        assert_eq!(from(Some("42")), 42);
        let drawn: Vec<u64> = (0..50).map(|_| from(None)).collect();
        assert!(drawn.iter().any(|s| *s != drawn[0]), "{drawn:?}");
        assert_eq!(seeds(4), seeds(4), "one list for a run of the tests");
    }
}
