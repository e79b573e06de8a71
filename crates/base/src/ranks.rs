//! Several processes that work on one problem: each has a rank, and messages go between them.
//!
//! A run is alone unless it is told otherwise ([`Alone`]). What is computed from the messages must not depend on when they
//! come: sums are formed in the order of the ranks, so that every rank ends with the same bits. Whatever decides how many
//! messages follow (a stop, a limit of time) must be agreed on first (`all` and `any` of `dyn Ranks`), or some ranks wait
//! for others that have gone on.

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

    /// What has gone from this process to others so far.
    fn traffic(&self) -> Traffic {
        Traffic::default()
    }

    /// Counts what messages to other processes would have been longer with all their zeros.
    fn spared(&self, _bytes: u64) {}

    /// Whether what comes out of the work is needed by rank 0 alone, so that the others need not have all of it.
    fn first_alone(&self) -> bool {
        false
    }
}

/// The same processes, of which rank 0 alone needs what comes out.
pub struct FirstAlone<'a>(pub &'a dyn Ranks);

impl Ranks for FirstAlone<'_> {
    fn rank(&self) -> usize {
        self.0.rank()
    }

    fn count(&self) -> usize {
        self.0.count()
    }

    fn exchange(&self, to: usize, message: &[u8], from: usize) -> Result<Vec<u8>> {
        self.0.exchange(to, message, from)
    }

    fn traffic(&self) -> Traffic {
        self.0.traffic()
    }

    fn spared(&self, bytes: u64) {
        self.0.spared(bytes);
    }

    fn first_alone(&self) -> bool {
        true
    }
}

/// What a process has sent to others and received from them; messages to itself do not count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Messages sent.
    pub messages: u64,
    /// Bytes of the messages sent.
    pub sent: u64,
    /// Bytes of the messages received.
    pub received: u64,
    /// Bytes that the messages sent would have been longer if they had all their zeros.
    pub spared: u64,
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

/// Numbers up to which a sum is formed by every rank for itself: one round of messages in place of two.
const SHORT: usize = 256;

impl dyn Ranks + '_ {
    /// Adds up the numbers of all ranks, place by place, in the order of the ranks; every rank gets the sum.
    ///
    /// **Cost.** A rank sends 2 (count − 1) / count of the numbers: it forms the sum of its own slice and hands that on. A
    /// short list goes to all as it is. The bits are the same on either way.
    pub fn sum(&self, numbers: &mut [f64]) -> Result<()> {
        let (rank, count, n) = (self.rank(), self.count(), numbers.len());
        if n <= SHORT {
            let all = self.gather(&bytes(numbers))?;
            return add_up(numbers, &all);
        }
        let slice = |r: usize| r * n / count..(r + 1) * n / count;
        let mut own = numbers[slice(rank)].to_vec();
        let mut parts = vec![vec![]; count];
        parts[rank] = bytes(&own);
        for (to, from) in rounds(rank, count) {
            parts[from] = self.exchange(to, &bytes(&numbers[slice(to)]), from)?;
        }
        add_up(&mut own, &parts)?;
        for (r, part) in self.gather(&bytes(&own))?.iter().enumerate() {
            let place = &mut numbers[slice(r)];
            place.fill(0.0);
            add_up(place, std::slice::from_ref(part))?;
        }
        Ok(())
    }

    /// The message of every rank, in the order of the ranks; every rank gets them all.
    pub fn gather(&self, own: &[u8]) -> Result<Vec<Vec<u8>>> {
        let mut all = vec![vec![]; self.count()];
        for (to, from) in rounds(self.rank(), self.count()) {
            all[from] = self.exchange(to, own, from)?;
        }
        all[self.rank()] = own.to_vec();
        Ok(all)
    }

    /// Whether it holds on every rank; every rank gets the same answer.
    ///
    /// **Cost.** ⌈log₂ count⌉ messages of a byte: what is known spreads over twice as many ranks in each round, and
    /// hearing of a rank twice changes nothing.
    pub fn all(&self, own: bool) -> Result<bool> {
        let (rank, count) = (self.rank(), self.count());
        let (mut holds, mut step) = (own, 1);
        while step < count {
            let heard = self.exchange((rank + step) % count, &[u8::from(holds)], (rank + count - step) % count)?;
            match heard[..] {
                [flag @ (0 | 1)] => holds &= flag == 1,
                _ => return Err(Error::size("bytes of a flag", 1, heard.len())),
            }
            step *= 2;
        }
        Ok(holds)
    }

    /// Which rank has a part of the work that is cut into so many, the parts in order; ranks beyond the parts have none.
    pub fn owner(&self, part: usize, parts: usize) -> usize {
        part * self.count().min(parts) / parts.max(1)
    }

    /// Whether it holds on some rank; every rank gets the same answer.
    pub fn any(&self, own: bool) -> Result<bool> {
        self.all(!own).map(|none| !none)
    }
}

/// Whom a rank sends to and receives from until it has met all others: a shift by 1, by 2, ...
fn rounds(rank: usize, count: usize) -> impl Iterator<Item = (usize, usize)> {
    (1..count).map(move |step| ((rank + step) % count, (rank + count - step) % count))
}

fn bytes(numbers: &[f64]) -> Vec<u8> {
    numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// The sum of the messages' numbers, in their order.
fn add_up(numbers: &mut [f64], messages: &[Vec<u8>]) -> Result<()> {
    numbers.fill(0.0);
    for message in messages {
        if message.len() != 8 * numbers.len() {
            return Err(Error::size("bytes of a message", 8 * numbers.len(), message.len()));
        }
        for (sum, bytes) in numbers.iter_mut().zip(message.chunks_exact(8)) {
            *sum += f64::from_le_bytes(bytes.try_into().unwrap_or_default());
        }
    }
    Ok(())
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

    /// What each rank's work gives.
    fn together<T: Send>(count: usize, work: impl Fn(&dyn Ranks) -> T + Sync) -> Vec<T> {
        let work = &work;
        std::thread::scope(|scope| {
            let all: Vec<_> = threads(count).into_iter().map(|ranks| scope.spawn(move || work(&ranks))).collect();
            all.into_iter().map(|w| w.join().unwrap()).collect()
        })
    }

    #[test]
    fn every_rank_gets_the_same_sum_bit_by_bit() {
        // Lists on either side of the length from which slices are summed, and shorter than there are ranks.
        for (count, n) in (1..8).flat_map(|count| [0, 1, 3, SHORT, SHORT + 1, 1000].map(|n| (count, n))) {
            let number = |rank: usize, j: usize| ((j + 1) as f64).sin() * 10f64.powi(4 * rank as i32 % 17);
            let numbers = |rank: usize| (0..n).map(|j| number(rank, j)).collect::<Vec<_>>();
            let mut expected = vec![0.0; n];
            (0..count).for_each(|r| expected.iter_mut().zip(numbers(r)).for_each(|(sum, x)| *sum += x));
            let sums = together(count, |ranks| {
                let mut own = numbers(ranks.rank());
                ranks.sum(&mut own).unwrap();
                own
            });
            assert!(sums.iter().all(|sum| *sum == expected), "{count} ranks, {n} numbers");
        }
    }

    #[test]
    fn a_flag_is_heard_by_all_wherever_it_is() {
        for count in 1..9 {
            for who in 0..count {
                assert_eq!(together(count, |ranks| ranks.all(ranks.rank() != who).unwrap()), vec![false; count]);
                assert_eq!(together(count, |ranks| ranks.any(ranks.rank() == who).unwrap()), vec![true; count]);
            }
            assert_eq!(together(count, |ranks| ranks.all(true).unwrap()), vec![true; count]);
            assert_eq!(together(count, |ranks| ranks.any(false).unwrap()), vec![false; count]);
        }
    }

    #[test]
    fn every_rank_gets_every_message_in_order() {
        let expected: Vec<Vec<u8>> = (0..5).map(|r| vec![r; usize::from(r)]).collect();
        let all = together(5, |ranks| ranks.gather(&expected[ranks.rank()]).unwrap());
        assert!(all.iter().all(|messages| *messages == expected));
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
