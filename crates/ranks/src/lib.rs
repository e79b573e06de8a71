//! Messages between the processes that share a computation ([`base::Ranks`]), what is in them, and who meets whom.
//!
//! | module | what |
//! |---|---|
//! | [`within`] | threads of this process as ranks, for tests and for one machine |
//! | `Mpi` (feature `mpi`) | processes started by `mpirun` |
//! | [`Framed`] over a [`Transport`] | messages of any length over whatever moves blocks: cut up, numbered, checked, counted |
//! | [`bundle`] | sparse weights of several classes as bytes |
//! | [`schedule`] | rounds in which all pairs meet once |
//!
//! A new transport has the three functions of a [`Transport`]; order, damage and lost partners are seen by [`Framed`].

pub mod bundle;
mod frame;
mod framed;
#[cfg(feature = "mpi")]
mod mpi;
pub mod schedule;
mod threads;
mod transport;
mod varint;

#[cfg(feature = "mpi")]
pub use self::mpi::Mpi;
pub use framed::{BLOCK, Framed};
pub use threads::{Threads, within};
pub use transport::Transport;

#[cfg(test)]
mod tests;
