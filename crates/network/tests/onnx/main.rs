//! ONNX in and out: ONNX's own node tests, real models against onnxruntime, hostile files, what is written.

mod golden;
mod hostile;
mod models;
mod nodes;
mod pages;
mod writing;
