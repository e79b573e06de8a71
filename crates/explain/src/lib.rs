//! Why a machine says what it says.
//!
//! - [`OneClass`]: detectors that are weighted sums of kernels, explained in closed form by support points and by input
//!   variables (deep Taylor decomposition).
//! - [`Walker`]: the same and more by walking back through a graph, one [`Rule`] for each operation, chosen by a
//!   [`Composite`]; [`composites`] has the published ones.
//! - [`rivals`]: gradients of all kinds, parts taken away, local models, Taylor at a root, the nearest neighbour.
//! - [`Patterns`]: what layers read out, fitted from data.
//! - [`Windows`]: pictures and series cut into overlapping windows, each explained, added up at the pixels.
//! - [`flipping`], [`compare`]: how good are they? Variables are taken away in the order of relevance, and what matters
//!   should go first.
//! - [`Method`]: all of them by name, for any machine, told in the columns of the table it takes.
//!
//! What is known here are machines, densities and graphs, never families of learners.

mod ask;
mod centres;
mod chain;
mod class;
pub mod composites;
mod deep_lift;
pub mod flipping;
mod grad_cam;
mod judge;
mod machine;
mod method;
mod net;
mod networks;
mod one_class;
mod parts;
mod patterns;
mod positions;
pub mod rivals;
mod rule;
mod rules;
mod shares;
mod support;
mod tuning;
mod walk;
mod windows;
mod words;

pub use ask::{Answer, Fits, Means, Question, explain, explain_with, fitting};
pub use chain::{Explained, split};
pub use class::Class;
pub use composites::one_class;
pub use judge::{Compared, Interval, compare, paired_interval};
pub use machine::{ScoreOf, Scored};
pub use method::Method;
pub use one_class::OneClass;
pub use parts::{Part, Parts};
pub use patterns::Patterns;
pub use rule::{Back, Call, Composite, Rule, Spot, When};
pub use rules::{
    AffineRule, BatchNormRule, BatchNormWay, DistanceRule, Given, Group, LinearRule, PassRule, PatternRule,
    ProductRule, PullRule, RectifyRule, ScaleRule, ShiftRule, Side, SoftPoolRule, Term,
};
pub use support::by_support;
pub use tuning::{Smoothed, Tuning};
pub use walk::{Begin, Walk, Walker, walk};
pub use windows::{HeatMap, Windows};
pub use words::{Word, words};
