//! Learning machines you can see through: the door to all of Pellucid.
//!
//! ```
//! use pellucid::problems::{Problem, TwoMoons};
//! use pellucid::{Catalog, KNOWN, Learner, Prediction, Run, Seed, evaluate};
//!
//! let run = Run { catalog: &KNOWN, ..Run::quiet(1) };
//! let data = TwoMoons::default().draw(Seed(1))?;
//! let (train, test) = evaluate::hold_out(&data, 0.25, run.seed)?;
//! let fitted = KNOWN.learner("knn")?.fit(&data.select(&train)?, None, &run)?;
//! let test = data.select(&test)?;
//! let measures = evaluate::judge(&Prediction::of(&*fitted.machine, &test.inputs, &run)?, &test, &run)?;
//! assert!(measures.get("accuracy") > Some(0.9));
//! # Ok::<(), pellucid::Error>(())
//! ```

mod activations;
mod aliases;
mod align;
mod automatic;
mod catalog;
mod cluster_page;
mod clusters;
mod explaining;
mod fingerprint;
mod gallery;
pub mod job;
mod judging;
mod libsvm;
mod model;
mod onnx;
mod planning;
mod preparing;
mod reporting;
mod target;

pub use activations::Activations;
pub use align::align;
pub use automatic::{Reason, reasons};
pub use catalog::{Entry, KNOWN, Known, LEARNERS, Listed, Role, STEPS, WRAPPERS, suits};
pub use cluster_page::clusters_page;
pub use clusters::{Cluster, Clusters, Grouping, clusters};
pub use explaining::{Told, cards, explain_rows, explain_rows_with, strangest};
pub use fingerprint::{Fingerprint, seen_text};
pub use gallery::{Asking, Entry as GalleryEntry, Hung, Looking, gallery};
pub use judging::{contestants, judged_page, judged_pictures, rows_to_judge, usual_measures, usual_methods};
pub use libsvm::{ExportedSvm, SvmPredict, SvmTrain, export_svm, read_svm, svm_predict, svm_train};
pub use model::Model;
pub use onnx::{Checked, Exported, OnnxReading, check_export, export_onnx, open_onnx, read_labels, read_onnx_model};
pub use planning::{Estimate, estimate, estimate_on};
pub use preparing::{PreparationPart, left_out, parse_step, partly_prepared, prepare_steps, prepared};
pub use reporting::{model_report, shell_word};
pub use target::{Target, Task, choose_target, score_targets};

pub use base::*;
pub use {
    distance, evaluate, explain, files, kernels, linear, network, numeric, picture, prepare, problems, report, trees,
};

/// Data to try things with: penguins near Palmer Station (CC0), as CSV text.
pub const PENGUINS: &str = include_str!("../../../data/penguins.csv");
