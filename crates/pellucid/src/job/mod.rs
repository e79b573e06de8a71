//! What people do, as plain requests: each job is a struct whose fields say what is wanted and whose `run` does it.
//!
//! The command line, Python and whatever comes fill the fields in and show what comes back. What is policy (which rows
//! count, which class is the positive one, when an explanation balances, what may be written over) is here, once.
//!
//! ```
//! use pellucid::job::{Compare, Fit, Holdout, DataSource};
//! use pellucid::{KNOWN, PENGUINS, Run, files};
//!
//! # let file = std::env::temp_dir().join(format!("pellucid-doc-{}.csv", std::process::id()));
//! # files::write_whole(&file, |out| out.write_all(PENGUINS.as_bytes()))?;
//! let run = Run { catalog: &KNOWN, ..Run::quiet(1) };
//! let source = DataSource { target: Some("species".into()), ..DataSource::new(&file) };
//! let fit = Fit { holdout: Some(Holdout::Sampled(0.25)), ..Fit::new("logistic", source.clone()) };
//! assert!(fit.run(&run)?.measures.and_then(|m| m.get("accuracy")) > Some(0.95));
//! let compared = Compare::new(source, vec!["knn:k=1".into(), "pca=2,nearest-mean".into()]).run(&run)?;
//! assert_eq!(compared[0].comparison.names[compared[0].comparison.best], "knn k=1");
//! # std::fs::remove_file(&file).ok();
//! # Ok::<(), pellucid::Error>(())
//! ```

mod compare;
mod explain;
mod fit;
mod judge;
mod model;
mod outputs;
mod predict;
mod report;
mod rows;
mod score;
mod source;

pub use compare::{Compare, compare_on, write_comparison};
pub use explain::{Explain, ExplainResult, Explanations, Numbers};
pub use fit::{Fit, FitResult, Holdout, apply_settings, kept};
pub use judge::{Judge, JudgeResult};
pub use model::ModelSource;
pub use outputs::{guard, guard_model};
pub use predict::{OutputField, Predict, Predicting};
pub use report::{Report, ReportResult, report_on};
pub use rows::{most_anomalous, rows_of, rows_to_judge};
pub use score::{Deciding, Score, ScoreResult};
pub use source::{DataSource, Loaded};

use outputs::guard_inputs;
