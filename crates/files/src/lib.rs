//! Readers and writers of data and models; the only library crate that opens files.

mod door;
mod model;
mod reading;
mod source;
mod whole;
mod window;

pub use door::{read, read_bytes, recognise};
pub use model::{model_bytes, parse_model, read_model, write_model};
pub use reading::{Format, Header, Reading};
pub use source::{Content, open, stream, unpack};
pub use whole::write_whole;
pub use window::Owner;
