//! Pictures and tables put together into one-file HTML.
//!
//! A [`Page`] is sections of [`Block`]s; it becomes one file that needs no network, no script and no font of its own,
//! reads at 400 and at 1200 pixels, in light and in dark, and on paper. Everything that comes from data is escaped. The
//! same input gives the same bytes. A [`Gallery`] is a table of explanations with a choice of methods and views.

mod anomalies;
mod card;
mod classes;
mod comparison;
mod examples;
mod gallery;
mod labels;
mod measures;
mod page;
mod regions;
mod training;
mod values;

pub use anomalies::anomaly_blocks;
pub use card::{Card, Deviation, Heat};
pub use classes::class_blocks;
pub use comparison::{Compared, comparison_page};
pub use gallery::{Cell, CellText, Gallery, GalleryRow};
pub use labels::label_blocks;
pub use page::{Block, Page, Section};
pub use regions::region_picture;
pub use training::{curve_pictures, filter_picture};
pub use values::value_blocks;
