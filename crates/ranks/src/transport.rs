//! What moves blocks of bytes between ranks; all else is made of it.

use base::Result;

/// Moves blocks between the ranks of a computation, in the order in which they were sent from one to another.
pub trait Transport: Send {
    /// The number of this rank.
    fn rank(&self) -> usize;

    /// How many ranks there are.
    fn count(&self) -> usize;

    /// Sends a block to a rank and receives one from a rank **at the same time**: neither waits for the other, so that
    /// rings of ranks never lock up. Gives the bytes received, 0 if none were to be. `send` and `receive` are never this
    /// rank itself, and no block is longer than [`Framed`](crate::Framed) was told.
    fn swap(&self, send: Option<(usize, &[u8])>, receive: Option<(usize, &mut [u8])>) -> Result<usize>;
}
