//! Machines of distances: nearest neighbours and nearest mean.

mod carried;
mod found;
mod knn;
mod nearest_mean;
mod neighbours;
mod projecting;
mod screening;
mod tree;

pub use knn::{Knn, KnnMachine, Search, Voting};
pub use nearest_mean::{NearestMean, NearestMeanMachine};
