//! Readers and writers of data and models; the only library crate that opens files.

mod array;
mod chunks;
mod column;
mod door;
mod idx;
mod images;
mod model;
mod npy;
mod npz;
#[cfg(feature = "parquet")]
mod parquet;
mod reading;
mod source;
pub mod text;
mod whole;
mod window;
mod zip;

pub use chunks::{Chunks, stream};
pub use column::read_column;
pub use door::{format_of, read, read_bytes, recognise, write_data};
pub use model::{model_bytes, parse_model, read_model, write_model};
pub use reading::{Format, Header, Reading};
pub use source::{Content, open, unpack};
pub use whole::write_whole;
pub use window::Owner;
