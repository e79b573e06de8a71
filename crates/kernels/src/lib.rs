//! Kernel machines.
//!
//! A [`Kernel`] is a [`KernelFunction`] with its parameters, built in ([`functions`]) or your own; [`Against`] gives blocks of its values; an [`Expansion`] is the machine all learners here end in:
//! centres, coefficients, kernel, offsets. Support vector machines are quadratic problems (`solve`) over rows of the
//! kernel matrix that come in blocks and are kept while memory lasts (`source`, `rows`).

mod adatron;
mod bandwidth;
mod block;
mod classes;
mod contributions;
mod coupled;
mod detector;
mod expansion;
mod face;
mod facts;
mod fill;
mod function;
pub mod functions;
mod gram;
mod graph;
mod kernel;
mod many;
mod matrix;
mod nu_svc;
mod outlierness;
mod pair;
mod plan;
mod rows;
mod settings;
mod slope;
mod small;
mod solve;
mod source;
mod svc;
mod svr;
mod voting;
mod warm;
mod with_kernel;

pub use adatron::KernelAdaTron;
pub use bandwidth::{Width, median_distance, nearest_quantile};
pub use block::Against;
pub use classes::Multiclass;
pub use coupled::{Coupled, couple};
pub use density::RadialKernel;
pub use detector::{Kde, OneClassSvm, Svdd};
pub use expansion::{Decisions, Expansion, ExpansionParts, pair};
pub use function::{KernelBasis, KernelFunction, KernelGradient, OfDistances, OfInner};
pub use functions::Family;
pub use gram::{Mercer, gram, mercer};
pub use graph::outlierness as outlierness_graph;
pub use kernel::Kernel;
pub use nu_svc::NuSvc;
pub use settings::{KernelSettings, Precision, SolverSettings};
pub use svc::Svc;
pub use svr::{NuSvr, Svr};
pub use with_kernel::{KernelLearner, WithKernel};
