//! Pictures of data and results: values in, SVG text or PNG bytes out.
//!
//! Each kind of picture is a struct of plain values that implements [`Picture`]: [`ScatterPlot`], [`LinePlot`], [`Bars`],
//! [`Histogram`], [`Boxes`], [`Matrix`], [`ImagePlot`], [`ImageGrid`], [`Tiles`], [`Strips`], [`Dendrogram`]; [`Panels`] puts
//! several into a grid.
//! How it looks (size, [`Theme`], prefix of ids) is a [`Look`]. [`Seen`] shows relevance in pictures in several ways ([`View`]).
//!
//! ```
//! use pellucid_picture::{LinePlot, Look, Picture, Series, png};
//!
//! let curve = LinePlot {
//!     title: "Learning curve".into(),
//!     x_label: "training points".into(),
//!     y_label: "accuracy".into(),
//!     series: vec![Series { x: vec![10.0, 100.0, 1000.0], y: vec![0.7, 0.85, 0.9], ..Series::default() }],
//!     x_log: true,
//!     ..LinePlot::default()
//! };
//! let svg = curve.to_svg(&Look::default())?;
//! assert!(svg.starts_with("<svg") && svg.contains("Learning curve"));
//! let bytes = png(&svg, 2.0)?;
//! assert_eq!(&bytes[1..4], b"PNG");
//! # Ok::<(), base::Error>(())
//! ```
//!
//! **Promises**, all tested on drawn inputs: text stays inside the picture and is escaped; values that are not finite
//! are left out and counted; no data, one point, constant values and ranges from 10⁻³⁰⁰ to 10³⁰⁰ are drawn; the same
//! input gives the same bytes; letters are 11 pixels high at least.

mod axis;
mod bars;
mod boxes;
mod canvas;
mod colour;
mod dendrogram;
mod frame;
mod histogram;
mod image;
mod legend;
mod lines;
mod maps;
mod marker;
mod matrix;
mod number;
mod panels;
mod picture;
mod pixels;
mod png;
mod rect;
mod scatter;
mod strips;
mod text;
mod theme;
mod ticks;
mod tiles;
mod views;
mod widths;

pub use bars::Bars;
pub use boxes::Boxes;
pub use colour::{Rgb, diverging, sequential};
pub use dendrogram::{Dendrogram, Join};
pub use histogram::{Group, Histogram};
pub use image::{ImageGrid, ImagePlot, Pixels};
pub use lines::{LinePlot, Reference, Series};
pub use maps::seismic;
pub use matrix::{Matrix, MatrixReading};
pub use panels::Panels;
pub use picture::{Look, Picture, PictureSize};
pub use pixels::{pixels_png, pixels_uri};
pub use png::png;
pub use scatter::{PlaneRegions, RegionCells, ScatterPlot};
pub use strips::Strips;
pub use theme::Theme;
pub use tiles::{TileRow, Tiles};
pub use views::{Seen, View, blurred};

#[cfg(test)]
mod laws;
