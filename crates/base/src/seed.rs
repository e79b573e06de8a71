//! Randomness forked by name, so that adding a draw here never moves a draw there, on any number of threads.
//!
//! A [`Seed`] is a value, not a state: `seed.fork("folds").at(17)` is the same wherever it is asked. Streams of numbers
//! come from ChaCha8, whose output is fixed by its definition and so is the same on every machine and in every release.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The source of all randomness of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seed(pub u64);

impl Seed {
    /// The seed of a named part of the work.
    pub fn fork(self, name: &str) -> Seed {
        // FNV-1a over the name, then mixed with the seed: stable by definition, unlike std's hashers.
        let hash =
            name.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
        Seed(mix(self.0 ^ mix(hash)))
    }

    /// The seed of the `i`-th of many equal parts.
    pub fn at(self, i: usize) -> Seed {
        Seed(mix(self.0.wrapping_add(mix(i as u64))))
    }

    /// A number in [0, 1) made of this seed alone.
    pub fn unit(self) -> f64 {
        (mix(self.0) >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// A stream of numbers that begins here.
    pub fn stream(self) -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(self.0)
    }

    /// A permutation of 0..n.
    pub fn permutation(self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        let mut stream = self.stream();
        for i in (1..n).rev() {
            order.swap(i, stream.random_range(0..=i as u64) as usize);
        }
        order
    }
}

/// A standard normal number, by Box and Muller.
pub fn normal(stream: &mut impl Rng) -> f64 {
    let radius: f64 = 1.0 - stream.random::<f64>();
    let angle = std::f64::consts::TAU * stream.random::<f64>();
    (-2.0 * radius.ln()).sqrt() * angle.cos()
}

/// The finaliser of SplitMix64: every input bit reaches every output bit.
fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forks_are_values_and_differ() {
        let seed = Seed(7);
        assert_eq!(seed.fork("folds"), seed.fork("folds"));
        assert_ne!(seed.fork("folds"), seed.fork("start"));
        assert_ne!(seed.at(0), seed.at(1));
        assert_ne!(seed.fork("a").fork("b"), seed.fork("b").fork("a"));
    }

    #[test]
    fn units_fill_the_interval_evenly() {
        let mean = (0..10_000).map(|i| Seed(3).at(i).unit()).sum::<f64>() / 1e4;
        // The standard deviation of this mean is 0.0029.
        assert!((mean - 0.5).abs() < 0.012, "{mean}");
    }

    #[test]
    fn permutations_hold_every_index_once() {
        let mut order = Seed(1).permutation(1000);
        assert_ne!(order, (0..1000).collect::<Vec<_>>());
        order.sort_unstable();
        assert_eq!(order, (0..1000).collect::<Vec<_>>());
    }

    #[test]
    fn normal_has_mean_zero_and_variance_one() {
        let mut stream = Seed(5).stream();
        let draws: Vec<f64> = (0..20_000).map(|_| normal(&mut stream)).collect();
        let mean = draws.iter().sum::<f64>() / 2e4;
        let variance = draws.iter().map(|x| x * x).sum::<f64>() / 2e4;
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.04, "{mean} {variance}");
    }
}
