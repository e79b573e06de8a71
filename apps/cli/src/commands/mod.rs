//! One file a command.

pub mod compare;
pub mod convert;
pub mod demo;
pub mod explain;
pub mod fit;
pub mod generate;
pub mod inspect;
pub mod judge;
pub mod machines;
pub mod manual;
pub mod methods;
pub mod plan;
pub mod predict;
pub mod report;
pub mod reproduce;
pub mod score;
pub mod svm;
