//! Linear machines: regression and logistic regression.
