//! Words of texts: where they begin and end, which are kept, how often they come.

mod interner;
mod stop;
mod tokens;
mod vocabulary;

pub(crate) use interner::Interner;
pub use tokens::Stem;
pub(crate) use tokens::{LONGEST, Tokens, written_out};
pub(crate) use vocabulary::{Counted, cuts, in_waves};
