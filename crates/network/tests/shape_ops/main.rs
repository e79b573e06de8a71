//! Operations on shapes, indices and axes against slow twins that read like their definitions, their gradients against
//! finite differences, and what hostile inputs get to hear.
#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

mod helper;
mod hostile;
mod indices;
mod moves;
mod reductions;
mod resizing;
mod types;
