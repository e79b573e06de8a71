//! Splits and measures.
