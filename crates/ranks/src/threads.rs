//! Threads of one process as ranks: for tests, and for what is written for several machines on one.
//!
//! Between every ordered pair of ranks there is room for one block; a sender waits until the one before was taken. A rank
//! that fails or panics wakes all that wait, and they fail as well, with the first failure's reason. So do all that wait in a
//! circle, or for a rank that has ended: nothing that happens on a rank leaves others waiting.
//!
//! **Cost.** Two copies of each block and one lock for all ranks: meant for a few ranks with large messages.

use crate::{BLOCK, Framed, Transport};
use base::{Error, Memory, Ranks, Result};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// One of several threads that stand for processes.
pub struct Threads {
    rank: usize,
    hub: Arc<Hub>,
}

/// What the ranks share.
struct Hub {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    count: usize,
    /// For sender · count + receiver, the block on its way.
    slots: Vec<Option<Vec<u8>>>,
    doing: Vec<Doing>,
    /// The first rank that failed, and why.
    failed: Option<(usize, Error)>,
}

#[derive(Clone, Copy, PartialEq)]
enum Doing {
    Working,
    /// Waits until a slot is free, or full.
    Waiting {
        slot: usize,
        full: bool,
    },
    Ended,
}

impl State {
    /// Whether no rank that has not ended can ever go on.
    fn is_stuck(&self) -> bool {
        self.doing.iter().all(|doing| match *doing {
            Doing::Working => false,
            Doing::Waiting { slot, full } => self.slots[slot].is_some() != full,
            Doing::Ended => true,
        })
    }
}

impl Hub {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a slot is full, or free.
    fn wait<'a>(
        &self,
        mut state: MutexGuard<'a, State>,
        rank: usize,
        slot: usize,
        full: bool,
    ) -> Result<MutexGuard<'a, State>> {
        while state.slots[slot].is_some() != full {
            state.doing[rank] = Doing::Waiting { slot, full };
            if state.failed.is_none() && state.is_stuck() {
                let (from, to) = (slot / state.count, slot % state.count);
                let why = match full {
                    true => format!("waits for a message of rank {from}, which waits itself or has ended"),
                    false => format!("waits until rank {to} receives, which waits itself or has ended"),
                };
                self.fail(&mut state, rank, Error::rank(rank, why));
            }
            if let Some((first, error)) = &state.failed {
                return Err(because(*first, error));
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.doing[rank] = Doing::Working;
        Ok(state)
    }

    /// Keeps the first failure and wakes all.
    fn fail(&self, state: &mut State, rank: usize, error: Error) {
        state.failed.get_or_insert((rank, error));
        self.changed.notify_all();
    }
}

/// What the other ranks say when one has failed; that the user has stopped stays what it is.
fn because(rank: usize, error: &Error) -> Error {
    match error {
        Error::Rank { .. } | Error::Cancelled | Error::Stopped { .. } => error.clone(),
        other => Error::rank(rank, other.to_message()),
    }
}

impl Transport for Threads {
    fn rank(&self) -> usize {
        self.rank
    }

    fn count(&self) -> usize {
        self.hub.lock().count
    }

    fn swap(&self, send: Option<(usize, &[u8])>, receive: Option<(usize, &mut [u8])>) -> Result<usize> {
        let mut state = self.hub.lock();
        if let Some((first, error)) = &state.failed {
            return Err(because(*first, error));
        }
        if let Some((to, block)) = send {
            let slot = self.rank * state.count + to;
            state = self.hub.wait(state, self.rank, slot, false)?;
            state.slots[slot] = Some(block.to_vec());
            self.hub.changed.notify_all();
        }
        let Some((from, buffer)) = receive else { return Ok(0) };
        let slot = from * state.count + self.rank;
        state = self.hub.wait(state, self.rank, slot, true)?;
        let block = state.slots[slot].take().unwrap_or_default();
        self.hub.changed.notify_all();
        let Some(place) = buffer.get_mut(..block.len()) else {
            let why = format!("a block of {} bytes from rank {from}, expected at most {}", block.len(), buffer.len());
            return Err(Error::rank(self.rank, why));
        };
        place.copy_from_slice(&block);
        Ok(block.len())
    }
}

/// Runs the work on `count` ranks, each a thread of its own, and gives what each gave, in the order of the ranks.
///
/// If a rank fails or panics, all others end as soon as they exchange anything, and the first failure is what comes out.
pub fn within<T: Send>(count: usize, work: impl Fn(&dyn Ranks) -> Result<T> + Sync) -> Result<Vec<T>> {
    within_blocks(count, BLOCK, work)
}

/// As [`within`], with messages cut into blocks of at most that many bytes.
pub(crate) fn within_blocks<T: Send>(
    count: usize,
    block: usize,
    work: impl Fn(&dyn Ranks) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let state = State {
        count,
        slots: vec![None; count.saturating_mul(count)],
        doing: vec![Doing::Working; count],
        failed: None,
    };
    let hub = Arc::new(Hub { state: Mutex::new(state), changed: Condvar::new() });
    let one = |rank: usize| {
        let framed = Framed::with_blocks(Threads { rank, hub: hub.clone() }, Memory::unlimited(), block);
        let done = catch_unwind(AssertUnwindSafe(|| work(&framed).and_then(|done| framed.close().map(|()| done))));
        let done = done.unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<&str>().map(|s| s.to_string());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
            Err(Error::rank(rank, format!("ended in a panic: {text}")))
        });
        let mut state = hub.lock();
        state.doing[rank] = Doing::Ended;
        match done {
            Ok(done) => {
                // Whoever waits for this rank now waits in vain.
                hub.changed.notify_all();
                Some(done)
            }
            Err(error) => {
                hub.fail(&mut state, rank, error);
                None
            }
        }
    };
    let done: Vec<Option<T>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..count).map(|rank| scope.spawn(move || one(rank))).collect();
        threads.into_iter().map(|thread| thread.join().ok().flatten()).collect()
    });
    match hub.lock().failed.take() {
        Some((rank, error)) => Err(because(rank, &error)),
        None => Ok(done.into_iter().flatten().collect()),
    }
}
