//! Machines of distances: nearest neighbours, nearest mean, clusters, mixtures; groups of neighbours.

mod codebook;
mod found;
mod gmm;
mod hierarchical;
mod kmeans;
mod kmedoids;
mod knn;
mod linkage;
mod lloyd;
mod metric;
mod mixture;
mod nearest_mean;
mod neighbours;
mod projecting;
mod prototypes;
mod rows;
mod screening;
mod spectral;
mod starts;
mod tree;
mod vq;

pub use codebook::Codebook;
pub use gmm::GaussianMixture;
pub use hierarchical::{Hierarchical, Hierarchy};
pub use kmeans::{KMeans, elbow};
pub use kmedoids::KMedoids;
pub use knn::{Knn, KnnMachine, Search, Voting};
pub use linkage::{Linkage, Merge};
pub use lloyd::Ended;
pub use metric::Metric;
pub use mixture::{Covariance, Mixture};
pub use nearest_mean::{NearestMean, NearestMeanMachine};
pub use neighbours::{Nearest, Neighbours};
pub use spectral::{Grouped, Spectral};
pub use starts::Start;
pub use vq::{Schedule, Vq};
