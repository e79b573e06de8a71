//! Decision trees and random forests.
//!
//! Both learners, [`Tree`] and [`RandomForest`], end in the same machine, [`Forest`]: the mean of what one or many trees
//! say. Splits are exact: every cut between two different values of a column is looked at.

mod boxes;
mod columns;
mod counts;
mod criterion;
mod diagnose;
mod forest;
mod grow;
mod machine;
mod node;
mod prune;
mod sorting;
mod split;
mod squares;
mod tree;

pub use criterion::Criterion;
pub use diagnose::Diagnosis;
pub use forest::RandomForest;
pub use machine::{Forest, TreeParts};
pub use node::{GAP_LEFT, LEAF, Leaves, TreeNode};
pub use prune::{PruningPath, pruning_path};
pub use split::MaxFeatures;
pub use tree::Tree;
