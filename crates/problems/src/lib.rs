//! Synthetic problems of the literature, with fixed default parameters and seeds.

mod moons;

pub use moons::TwoMoons;
