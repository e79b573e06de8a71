//! Models and explanations as people see them: cards of rows, galleries of heat maps, clusters of explanations, pages about
//! how good explanations are, the report of a model.
//!
//! Everything here makes pages, pictures and texts of what others computed; nothing is decided.

mod cluster_page;
mod clusters;
mod explaining;
mod gallery;
mod judging;
mod reporting;

pub use cluster_page::clusters_page;
pub use clusters::{Cluster, Clusters, Grouping, clusters};
pub use explaining::{Explanation, cards, explain_rows_with};
pub use gallery::{GalleryEntry, GalleryPage, GalleryRequest, ViewOptions, gallery};
pub use judging::{judged_page, judged_pictures};
pub use reporting::{model_report, shell_word};
