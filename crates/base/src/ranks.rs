//! Several processes that work on one problem: each has a rank, and messages go between them.
//!
//! A run is alone unless it is told otherwise ([`Alone`]). What is computed from the messages must not depend on when they
//! come: sums are formed in the order of the ranks, so that every rank ends with the same bits.

use crate::{Error, Result};

/// The processes that share a computation, seen from one of them.
pub trait Ranks: Sync {
    /// The number of this process, below [`Ranks::count`].
    fn rank(&self) -> usize;

    /// How many processes there are.
    fn count(&self) -> usize;

    /// Sends a message to rank `to` and receives one from rank `from`; both may be this process. Every process must take
    /// part in matching exchanges, or all wait.
    fn exchange(&self, to: usize, message: &[u8], from: usize) -> Result<Vec<u8>>;
}

/// One process alone.
#[derive(Debug, Clone, Copy, Default)]
pub struct Alone;

impl Ranks for Alone {
    fn rank(&self) -> usize {
        0
    }

    fn count(&self) -> usize {
        1
    }

    fn exchange(&self, to: usize, message: &[u8], from: usize) -> Result<Vec<u8>> {
        match (to, from) {
            (0, 0) => Ok(message.to_vec()),
            _ => Err(Error::size("ranks of one process", 0, to.max(from))),
        }
    }
}

impl dyn Ranks + '_ {
    /// Adds up the numbers of all ranks, place by place, in the order of the ranks; every rank gets the sum.
    ///
    /// **Cost.** count − 1 messages of all numbers a rank: meant for short vectors (averages, flags).
    pub fn sum(&self, numbers: &mut [f64]) -> Result<()> {
        let (rank, count) = (self.rank(), self.count());
        let own: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        let mut all = vec![vec![]; count];
        for step in 1..count {
            let (to, from) = ((rank + step) % count, (rank + count - step) % count);
            all[from] = self.exchange(to, &own, from)?;
        }
        all[rank] = own;
        numbers.fill(0.0);
        for message in &all {
            if message.len() != 8 * numbers.len() {
                return Err(Error::size("bytes of a message", 8 * numbers.len(), message.len()));
            }
            for (sum, bytes) in numbers.iter_mut().zip(message.chunks_exact(8)) {
                *sum += f64::from_le_bytes(bytes.try_into().unwrap_or_default());
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;
    use std::sync::mpsc::{Receiver, Sender, channel};

    /// Threads as ranks, with a channel for each pair.
    struct Threads {
        rank: usize,
        senders: Vec<Sender<Vec<u8>>>,
        receivers: Vec<Mutex<Receiver<Vec<u8>>>>,
    }

    impl Ranks for Threads {
        fn rank(&self) -> usize {
            self.rank
        }

        fn count(&self) -> usize {
            self.senders.len()
        }

        fn exchange(&self, to: usize, message: &[u8], from: usize) -> Result<Vec<u8>> {
            self.senders[to].send(message.to_vec()).unwrap();
            Ok(self.receivers[from].lock().unwrap().recv().unwrap())
        }
    }

    fn threads(count: usize) -> Vec<Threads> {
        let mut all: Vec<Threads> =
            (0..count).map(|rank| Threads { rank, senders: vec![], receivers: vec![] }).collect();
        for from in 0..count {
            for to in 0..count {
                let (sender, receiver) = channel();
                all[from].senders.push(sender);
                all[to].receivers.push(Mutex::new(receiver));
            }
        }
        all
    }

    #[test]
    fn every_rank_gets_the_same_sum_bit_by_bit() {
        for count in 1..6 {
            let numbers = |rank: usize| vec![0.1 * (rank + 1) as f64, 1e16 / (rank + 1) as f64, -1.0];
            let mut expected = vec![0.0; 3];
            (0..count).for_each(|r| expected.iter_mut().zip(numbers(r)).for_each(|(sum, x)| *sum += x));
            let sums: Vec<Vec<f64>> = std::thread::scope(|scope| {
                let work = threads(count).into_iter().map(|ranks| {
                    scope.spawn(move || {
                        let mut own = numbers(ranks.rank);
                        (&ranks as &dyn Ranks).sum(&mut own).unwrap();
                        own
                    })
                });
                work.collect::<Vec<_>>().into_iter().map(|w| w.join().unwrap()).collect()
            });
            assert!(sums.iter().all(|sum| *sum == expected), "{count} ranks: {sums:?}");
        }
    }

    #[test]
    fn one_process_talks_to_itself_alone() {
        assert_eq!((Alone.rank(), Alone.count()), (0, 1));
        assert_eq!(Alone.exchange(0, b"x", 0).unwrap(), b"x");
        assert!(Alone.exchange(1, b"x", 0).is_err());
        let mut own = [1.5, -2.0];
        (&Alone as &dyn Ranks).sum(&mut own).unwrap();
        assert_eq!(own, [1.5, -2.0]);
    }
}
