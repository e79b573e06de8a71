//! Products, distances, factorisations, exponentials and the thread pool: where the arithmetic happens.
//!
//! Everything here keeps three promises. **Same bits for any number of threads:** work is cut by the data, never by
//! the threads, and partial results are joined in order. **Counted memory:** what is large is asked of
//! [`base::Run::memory`] first. **Cancel is heard** between blocks of work, through [`base::Run::report`].
//!
//! Matrices are borrowed views ([`Mat`], [`MatMut`]) on numbers that somebody else owns, usually row after row.

mod centres;
mod cholesky;
mod decompose;
mod distances;
mod eight;
mod exp;
mod finish;
mod image;
mod lanes;
mod matrix;
mod moments;
mod optimise;
mod passes;
mod pool;
mod product;
mod real;
mod screen;
mod simd;
mod sixteen;
mod sparse;
mod sparse_weights;
mod tile;
mod topk;
mod vector;
mod votes;
mod winograd;

pub use centres::{CentreSum, Centres};
pub use cholesky::{Cholesky, cholesky_in_place};
pub use decompose::{Eigen, LeastSquares, Svd, eigen, least_squares, singular_values, svd};
pub use distances::{Prepared, squared_distances};
pub use eight::{EIGHT, add_dense_to_each, add_sparse_to_each, dots_of_dense, dots_of_sparse};
pub use exp::{exp, expm1, log, log1p};
pub use finish::{Finish, Piece, every, finish, larger};
pub use image::{Border, mirror, rotate, shift};
pub use lanes::Lanes;
pub use matrix::{Mat, MatMut};
pub use moments::Moments;
pub use optimise::{Lbfgs, Minimum, Objective};
pub use passes::{LEAST_CURVATURE, WorkingSetPasses, least};
pub use pool::{blocks, each, each_chunk_mut, each_fit, sum_blocks, threads};
pub use product::{gram, product, times_vector};
pub use real::Real;
pub use screen::{Screen, keep_below};
pub use sixteen::{SIXTEEN, above, dots_of_rows};
pub use sparse::{points_times, points_transposed_times, sparse_times, sparse_transposed_times};
pub use sparse_weights::points_times_sparse;
pub use tile::{Left, Steps, TILE_ROWS, tile, tile_columns, tile_lanes, tile_line, tile_rows};
pub use topk::{Smallest, smallest};
pub use vector::{Few, add_scaled, dot, sparse_dot, squared_distance, squared_norm};
pub use votes::{Duels, VOTERS, Votes};
pub use winograd::{
    WINOGRAD_LANES, unzip, winograd_beside, winograd_gradients, winograd_inputs, winograd_outputs, winograd_window,
    winograd_window_back,
};
