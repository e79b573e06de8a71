//! Synthetic problems of the literature.
