//! Training of networks: costs and rules against their definitions, laws of the learners, resumed runs byte for byte.
#![allow(clippy::unwrap_used, reason = "a test may stop")]

mod costs;
mod learners;
mod regularised;
mod resumed;
mod rules;
mod toys;
