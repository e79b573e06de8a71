//! Why a model says what it says of some rows: relevance in the columns of the data, and a card for each row.

mod cards;
mod normal;
mod seen;
mod told;

pub use cards::cards;
pub(crate) use seen::{as_seen, as_text, cell};
pub use told::{Told, explain_rows_with};
