//! Machines of distances: nearest neighbours and nearest mean.
