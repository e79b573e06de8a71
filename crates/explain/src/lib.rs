//! Why a machine says what it says.
//!
//! - [`Subject`]: a machine that questions are asked of; what it explains of itself ([`base::Explains`]) is a method like
//!   others.
//! - [`Walker`]: relevance by walking back through a graph, one [`Rule`] for each operation, chosen by a
//!   [`Composite`]; [`composites`] has the published ones.
//! - [`attribution`]: gradients of all kinds, parts taken away, local models, Taylor at a root, the nearest neighbour.
//! - [`Patterns`]: what layers read out, fitted from data.
//! - [`Windows`]: pictures and series cut into overlapping windows, each explained, added up at the pixels.
//! - [`QuickShift`]: pictures cut into segments of like colour.
//! - [`judging`]: how good are they? Regions go in the order of relevance, sets of them beside what the score loses, noise,
//!   drawn weights, boxes and mosaics; methods ranked with intervals. [`flipping`] is the exact way for detectors.
//! - [`Method`]: all of them by name, for any machine, told in the columns of the table it takes.
//!
//! What is known here are machines and graphs, never families of learners.

mod answer;
mod ask;
pub mod attribution;
mod blocks;
mod chain;
pub mod composites;
mod deconvolution;
mod deep_lift;
mod entry;
mod fit;
pub mod flipping;
mod grad_cam;
mod heard;
mod judge;
pub mod judging;
mod lifting;
mod lrp;
mod machine;
mod method;
mod net;
mod odds;
mod own;
mod parts;
mod patterns;
mod positions;
mod reveal_cancel;
mod rows;
mod rule;
mod rules;
mod segments;
mod steps;
mod subject;
mod support;
mod tuning;
mod walk;
mod walks;
mod warnings;
mod windows;
mod words;

pub use ask::{Answer, Context, Question, by_layer, explain, explain_many, explain_with, explain_with_entry};
pub use base::graph::Class;
pub use base::{Over, Scored};
pub use blocks::explain_until;
pub use chain::{Explained, split};
pub use composites::one_class;
pub use entry::{AddsUp, Explain, MethodEntry, MethodNeeds, OfOutput, OfQuantity, OfScore, Usual};
pub use fit::{Suitability, fitting, method_named, suited};
pub use judge::{Interval, paired_interval};
pub use judging::{Candidate, EvalData, Judged, Judging, Measure, PerturbationCurve, Ranking};
pub use machine::ScoreOf;
pub use method::Method;
pub use parts::{WeightPart, WeightParts};
pub use patterns::Patterns;
pub use rows::{Case, Rows};
pub use rule::{Back, Call, Composite, Rule, Spot, When};
pub use rules::*;
pub use segments::{QuickShift, Segments, to_unit};
pub use subject::Subject;
pub use support::by_support;
pub use tuning::{Pieces, Signs, Smoothed, Tuning};
pub use walk::{Begin, Walk, Walker, walk};
pub use walks::{LayerRecord, Route, Rules};
pub use windows::{HeatMap, Windows};
pub use words::{Word, words};
