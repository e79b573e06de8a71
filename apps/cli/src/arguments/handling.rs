//! Files and what is in them: looked at, written in another format, drawn.

use super::words::words;
use super::{NetworkChoice, ReadingChoice, Running, TargetChoice};
use clap::Args;
use pellucid::graph::Element;
use std::path::PathBuf;

#[derive(Args)]
pub struct Inspect {
    /// File or folder
    pub file: PathBuf,
    /// Describe every column, however many there are
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub reading: ReadingChoice,
    #[command(flatten)]
    pub running: Running,
}

#[derive(Args)]
pub struct Convert {
    /// Data or model to read
    pub input: PathBuf,
    /// Output file; its extension gives the format: .csv, .tsv, .libsvm (.svm), .npy, .npz for data; .onnx, .pel, .model
    /// (.libsvm, a LIBSVM model) and .safetensors (the weights of a network) for models
    pub output: PathBuf,
    /// Preprocessing steps to fit and apply to the data before writing: auto, or a list such as impute=mean,scale
    #[arg(long, value_name = "STEPS", conflicts_with_all = ["on", "precision"])]
    pub prepare: Option<String>,
    /// Data on which the ONNX file is compared with the model; default: random rows
    #[arg(long, value_name = "DATA")]
    pub on: Option<PathBuf>,
    /// Floating-point type of the ONNX file; default: a network keeps its own, others f32
    #[arg(long, value_parser = words(&[Element::F32, Element::F64].map(Element::word)))]
    pub precision: Option<String>,
    #[command(flatten)]
    pub network: NetworkChoice,
    #[command(flatten)]
    pub target: TargetChoice,
    #[command(flatten)]
    pub reading: ReadingChoice,
    #[command(flatten)]
    pub running: Running,
}

#[derive(Args)]
pub struct Generate {
    /// Problem; omit it for a list
    pub problem: Option<String>,
    /// Output file; its extension gives the format: .csv, .tsv, .libsvm, .npz
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Setting of the problem, as name=value; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub settings: Vec<String>,
    #[command(flatten)]
    pub running: Running,
}
