//! Readers and writers of data and models; the only library crate that opens files.
//!
//! [`read`] is the door for data: it tells the format by content, unpacks gzip and leads to the reader. A model file is
//! a [`Record`](base::Record) on the disk, by [`write_model`] and [`read_model`]. Whatever is written is written whole
//! or not at all ([`write_whole`]). Bytes, however damaged, give data or an error, within the memory of the run.
//!
//! ```
//! use base::{Record, Run};
//! let record = Record::new("toy", 1).with("offset", 0.5).with_array("weights", &[2], vec![1.0, -1.0]);
//! let bytes = pellucid_files::model_bytes(&record)?;
//! assert_eq!(pellucid_files::parse_model("toy.pel", std::sync::Arc::new(bytes), &Run::quiet(1))?, record);
//! # Ok::<(), base::Error>(())
//! ```

mod array;
mod beside;
mod checkpoint;
mod chunks;
mod column;
mod door;
mod folder;
mod foreign;
mod formats;
mod free;
mod growing;
mod heads;
mod idx;
mod images;
mod liblinear;
mod model;
mod npy;
mod npz;
#[cfg(feature = "parquet")]
mod pages;
#[cfg(feature = "parquet")]
mod parquet;
mod reading;
mod source;
mod svm;
pub mod text;
mod typed;
mod whole;
mod window;
mod zip;

pub use beside::open_beside;
pub use checkpoint::{read_checkpoint, write_parts};
pub use chunks::{Chunks, stream};
pub use column::read_column;
pub use door::{
    format_of, line_of_row, part_of_data, read, read_bytes, recognise, takes_blocks, write_blocks, write_data,
};
pub use folder::Folder;
pub use formats::Format;
pub use free::free_memory;
pub use growing::Growing;
pub use liblinear::{
    LinearModel, LinearSolver, linear_model_bytes, parse_linear_model, read_linear_model, write_linear_model,
};
pub use model::{model_bytes, parse_model, parse_weights, read_model, read_weights, write_model, write_weights};
pub use reading::{ColumnType, Header, Reading, SPREADSHEET_ERRORS};
pub use source::{Content, open, unpack};
pub use svm::{SvmKernel, SvmModel, SvmType, parse_svm_model, read_svm_model, svm_model_bytes, write_svm_model};
pub use text::csv::csv_field;
pub use text::date_text;
pub use whole::write_whole;
pub use window::Owner;
