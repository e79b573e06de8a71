//! Pictures as numbers: another size, other channels, cut into patches.

mod patches;
mod resample;
mod resize;

pub use patches::{Patcher, Patches, patch_rows};
pub(crate) use resample::{Resample, recolour};
pub use resize::Resizer;
pub(crate) use resize::fit_points;
