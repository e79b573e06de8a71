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
mod automatic;
mod catalog;
pub mod job;
mod planning;
mod preparing;

pub use activations::Activations;
pub use automatic::{Reason, reasons};
pub use catalog::{KNOWN, Known, LEARNERS, LearnerEntry, Listed, Role, STEPS, WRAPPERS, suits};
pub use planning::{Estimate, estimate, estimate_on};
pub use preparing::{PreparationPart, left_out, parse_step, partly_prepared, prepare_steps, prepared};

pub use base::*;
pub use interop::*;
pub use present::*;
pub use {
    density, distance, evaluate, explain, files, kernels, linear, network, numeric, picture, prepare, problems, ranks,
    report, trees,
};

/// Data to try things with: penguins near Palmer Station (CC0), as CSV text.
pub const PENGUINS: &str = include_str!("../../../data/penguins.csv");

/// The examples of the book's page on the library are compiled.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/src/library.md")]
struct Library;
