//! Table to points: encoding, imputation, scaling.
