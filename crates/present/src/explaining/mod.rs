//! Why a model says what it says of some rows: relevance in the columns of the data, and a card for each row.

mod cards;
mod explanation;
mod normal;
mod seen;

pub use cards::cards;
pub use explanation::{Explanation, explain_rows_with};
pub(crate) use seen::{as_seen, as_text, cell};
