//! What the programs of LIBSVM and LIBLINEAR have in common: options, order of classes, folds, and what they print.

mod classes;
mod folds;
mod options;
mod said;

pub use classes::{bare, ordered_classes, whole_labels};
pub use folds::{cross_validation, held_out, held_out_accuracy, values};
pub use options::{file_name, number, split, switch, whole};
pub use said::{agreement, general};
