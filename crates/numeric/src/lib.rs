//! Products, distances, factorisations, exponentials and the thread pool: where the arithmetic happens.
