//! One file a command.

pub mod clusters;
pub mod compare;
pub mod convert;
pub mod demo;
pub mod explain;
pub mod fit;
pub mod generate;
pub mod inspect;
pub mod judge;
pub mod looking;
pub mod machines;
pub mod manual;
pub mod methods;
pub mod plan;
pub mod predict;
pub mod relevance;
pub mod report;
pub mod reproduce;
pub mod score;
pub mod svm;
