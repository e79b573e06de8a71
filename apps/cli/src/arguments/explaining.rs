//! Explaining models, and evaluating explanations.

use super::words::{words, words_of};
use super::{NetworkChoice, ReadingChoice, Running};
use clap::Args;
use pellucid::Settings;
use pellucid::explain::{Judging, Measure};
use pellucid::picture::View;
use std::path::PathBuf;

#[derive(Args)]
pub struct Explain {
    /// Model file
    pub model: PathBuf,
    /// Data file
    pub data: PathBuf,
    /// Rows to explain, counted from 0, such as 0,5-9; default: the 10 most anomalous (or first), all for .npy, .csv and --clusters
    #[arg(long, value_name = "ROWS")]
    pub rows: Option<String>,
    /// Explanation method (see `pellucid methods`), or several separated by commas; default: the best fit for the model
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub method: Vec<String>,
    /// Class or output to explain; default: the one predicted for each row
    #[arg(long, value_name = "NAME")]
    pub class: Option<String>,
    /// Setting of the method, such as epsilon=0.1 or low=0; `pellucid methods` lists them
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub settings: Vec<String>,
    /// Output file: .html (cards, or a gallery of several methods, models or views), .png (the gallery as an image),
    /// .npy or .csv (numbers), or a folder for cards, numbers and images
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Another model to explain on the same rows; may be repeated
    #[arg(long, value_name = "MODEL")]
    pub also: Vec<PathBuf>,
    /// Column or file with the true classes or values, shown next to the predictions; default: the model's own target, if present
    #[arg(long, value_name = "COLUMN|FILE|none")]
    pub target: Option<String>,
    /// Resume an interrupted .npy or .csv file; rows already written are kept
    #[arg(long)]
    pub resume: bool,
    /// Also show the relevance that each node of a network does not pass on: absorbed by biases and constants, lost to stabilisers
    #[arg(long, conflicts_with_all = ["clusters", "also", "output"])]
    pub layers: bool,
    /// Cluster the explanations (spectral relevance analysis) and write them, the most anomalous first, to an .html file:
    /// each cluster may be a shortcut
    #[arg(long, value_name = "FILE")]
    pub clusters: Option<PathBuf>,
    /// Grid size to which heat maps are pooled before clustering
    #[arg(long = "pool", alias = "places", value_name = "COUNT", default_value_t = 5, requires = "clusters")]
    pub places: usize,
    #[command(flatten)]
    pub looking: LookingChoice,
    #[command(flatten)]
    pub network: NetworkChoice,
    #[command(flatten)]
    pub reading: ReadingChoice,
    #[command(flatten)]
    pub running: Running,
}

/// How explanations of images are shown.
#[derive(Args)]
#[command(next_help_heading = "Image views")]
pub struct LookingChoice {
    /// Views, separated by commas; default: all for small images; heat, mask and blend for large ones
    #[arg(long, value_name = "VIEWS", value_delimiter = ',', value_parser = words(words_of::<View>()))]
    pub view: Vec<String>,
    /// Show the signed square root of relevance, so that small values are visible
    #[arg(long)]
    pub root: bool,
    /// Number of segments that a mask keeps; default: 50, at most a quarter of them
    #[arg(long, value_name = "COUNT")]
    pub best: Option<usize>,
    /// Blur of the blend view, in pixels
    #[arg(long, value_name = "PIXELS", default_value_t = 3.0)]
    pub blur: f64,
}

#[derive(Args)]
pub struct Methods {
    /// Model file
    pub model: PathBuf,
    #[command(flatten)]
    pub running: Running,
}

#[derive(Args)]
#[command(after_help = judging_settings())]
pub struct Judge {
    /// Model file: .pel, .onnx or LIBSVM
    pub model: PathBuf,
    /// Data: a table, a folder of images, ...; a target column is ignored
    pub data: PathBuf,
    /// Methods to compare, separated by commas (see `pellucid methods`); the random baseline is always included
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub methods: Vec<String>,
    /// Measures
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help = measures_help())]
    pub measures: Vec<String>,
    /// Rows to evaluate on, counted from 0, such as 0,5-9; default: 100, the most anomalous for a detector, else evenly spaced
    #[arg(long, value_name = "ROWS")]
    pub rows: Option<String>,
    /// Setting of the measures, such as region=8, replace=blur or steps=50; listed below
    #[arg(long, value_name = "NAME=VALUE")]
    pub with: Vec<String>,
    /// Setting of the methods, such as epsilon=0.1; `pellucid methods` lists them
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub settings: Vec<String>,
    /// Settings to compare, for the methods that have them, as name=a,b,c; may be repeated
    #[arg(long, value_name = "NAME=A,B,C")]
    pub grid: Vec<String>,
    /// CSV file with columns top, left, bottom, right, one line per row of the data: the bounding box of the object, in
    /// pixels of the image as the model takes it, for localisation
    #[arg(long, value_name = "FILE")]
    pub boxes: Option<PathBuf>,
    /// Output file: curves and tables (.html), or the figures alone (.png, .svg)
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub network: NetworkChoice,
    #[command(flatten)]
    pub reading: ReadingChoice,
    #[command(flatten)]
    pub running: Running,
}

/// The measures, for the help.
fn measures_help() -> String {
    let (all, of_detectors, of_others) = (words_of::<Measure>().join(", "), Measure::Flipping, Measure::Perturbation);
    let usual = format!("{} for detectors, {} for others", of_detectors.word(), of_others.word());
    format!("Evaluation measures, separated by commas: {all}; default: {usual}")
}

/// The settings of measures, for the help.
fn judging_settings() -> String {
    let mut text = String::from("Settings of the measures (--with NAME=VALUE):\n");
    for p in Judging::default().params() {
        text += &format!("  {:10} {} ({})\n", p.name, p.help, p.default);
    }
    text
}
