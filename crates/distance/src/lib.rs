//! Machines of distances: nearest neighbours, nearest mean, clusters, mixtures.

mod carried;
mod codebook;
mod found;
mod gmm;
mod kmeans;
mod knn;
mod lloyd;
mod metric;
mod mixture;
mod nearest_mean;
mod neighbours;
mod projecting;
mod rows;
mod screening;
mod starts;
mod tree;

pub use codebook::Codebook;
pub use gmm::GaussianMixture;
pub use kmeans::{KMeans, elbow};
pub use knn::{Knn, KnnMachine, Search, Voting};
pub use metric::Metric;
pub use mixture::{Covariance, Mixture};
pub use nearest_mean::{NearestMean, NearestMeanMachine};
pub use starts::Start;
