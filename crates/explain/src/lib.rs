//! Why a machine says what it says.
//!
//! - [`OneClass`]: detectors that are weighted sums of kernels, explained in closed form by support points and by input
//!   variables (deep Taylor decomposition).
//! - [`walk`]: the same and more by walking back through a graph, one [`Rule`] for each operation, chosen by a
//!   [`Composite`].
//! - [`rivals`]: gradients, integrated gradients, Taylor at a root, the nearest neighbour and others.
//! - [`Windows`]: pictures and series cut into overlapping windows, each explained, added up at the pixels.
//! - [`flipping`], [`compare`]: how good are they? Variables are taken away in the order of relevance, and what matters
//!   should go first.
//! - [`Method`]: all of them by name, for any machine, told in the columns of the table it takes.
//!
//! What is known here are machines, densities and graphs, never families of learners.

mod centres;
mod chain;
pub mod flipping;
mod judge;
mod machine;
mod method;
mod one_class;
pub mod rivals;
mod rule;
mod rules;
mod shares;
mod support;
mod walk;
mod windows;
mod words;

pub use chain::{Explained, split};
pub use judge::{Compared, Interval, compare, paired_interval};
pub use machine::{ScoreOf, Scored};
pub use method::{Answer, Fits, Method, Question, explain, fitting};
pub use one_class::OneClass;
pub use rule::{Back, Call, Composite, Rule, When};
pub use rules::{DenseRule, DistanceRule, ScaleRule, ShiftRule, SoftPoolRule, one_class};
pub use support::by_support;
pub use walk::{Walk, walk};
pub use windows::{HeatMap, Windows};
pub use words::{Word, words};
