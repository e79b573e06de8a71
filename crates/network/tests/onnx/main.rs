//! ONNX in and out: ONNX's own node tests, real models against onnxruntime, hostile files, what is written.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test speaks by panicking, and says what it skips")]

mod golden;
mod hostile;
mod models;
mod nodes;
mod order;
mod pages;
mod writing;
