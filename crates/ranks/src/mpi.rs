//! Processes started by `mpirun` as ranks, over Open MPI by rsmpi.
//!
//! What neither gives by itself is added here and in [`Framed`](crate::Framed):
//!
//! - A rank that panics leaves the others waiting for ever (rsmpi issue 197): [`Mpi::start`] sets a hook that aborts all
//!   ranks, and so does an [`Mpi`] that is dropped before [`Mpi::finish`]. If the abort itself hangs, the process ends
//!   by force [`PATIENCE`] later, which `mpirun` sees.
//! - Counts of elements are of 32 bits: blocks are shorter ([`BLOCK`](crate::BLOCK)).
//! - Errors of calls are not looked at by rsmpi: MPI's own handler, which ends the job, stays in place, and lengths,
//!   numbers and checksums are compared.
//!
//! A rank that is killed is seen by the daemon of its machine, and `mpirun` ends the others. Messages are moved by whichever
//! thread asks, one at a time. A rank that waits for a first block sleeps in between, so that ranks which share a processor
//! do not take it from those that work.

use crate::{Framed, Transport, framed};
use base::{Error, Memory, Ranks, Result};
use mpi::Threading;
use mpi::environment::Universe;
use mpi::point_to_point::Status;
use mpi::request::{Request, Scope, scope};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, Equivalence, Source};
use std::time::{Duration, Instant};

/// The tag of all messages of ours.
const TAG: i32 = 18;
/// How long an abort may take until the process ends by force.
const PATIENCE: Duration = Duration::from_secs(3);
/// What the last lines of a rank need to get through.
const LAST_WORDS: Duration = Duration::from_millis(100);
/// How long a waiting rank asks without a pause, and the longest pause then.
const EAGER: Duration = Duration::from_micros(200);
const PAUSE: Duration = Duration::from_millis(1);

/// The ranks of a job that `mpirun` started.
pub struct Mpi {
    framed: Framed<World>,
    finished: bool,
    _universe: Universe,
}

impl Mpi {
    /// Takes part in the job; once in a process. What is received must fit in the memory.
    ///
    /// From here on a panic of any thread, or dropping this before [`Mpi::finish`], ends all ranks.
    pub fn start(memory: Memory) -> Result<Self> {
        Self::with_blocks(memory, crate::BLOCK)
    }

    /// The same with messages in blocks of at most that many bytes.
    pub fn with_blocks(memory: Memory, block: usize) -> Result<Self> {
        let Some((universe, threading)) = mpi::initialize_with_threading(Threading::Multiple) else {
            return Err(Error::unsupported("a second start of MPI", "this process", "start it once"));
        };
        if threading < Threading::Serialized {
            let instead = "build Open MPI with threads";
            return Err(Error::unsupported("calls from several threads", "this MPI", instead));
        }
        let former = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            former(panic);
            abort(101);
        }));
        Ok(Mpi { framed: Framed::with_blocks(World, memory, block), finished: false, _universe: universe })
    }

    /// The ranks, for a run.
    pub fn ranks(&self) -> &dyn Ranks {
        &self.framed
    }

    /// Ends the job in agreement with all other ranks: an error if one of them has sent what this one did not receive.
    /// Nothing can be exchanged afterwards.
    pub fn finish(&mut self) -> Result<()> {
        self.framed.close()?;
        self.finished = true;
        Ok(())
    }

    /// Ends all ranks at once; `mpirun` gives back this code.
    pub fn abort(&self, code: i32) -> ! {
        abort(code)
    }
}

impl Drop for Mpi {
    fn drop(&mut self) {
        if !self.finished {
            abort(1);
        }
    }
}

fn abort(code: i32) -> ! {
    // What this rank has said last goes its way through mpirun, which ends that as well.
    std::thread::sleep(LAST_WORDS);
    std::thread::spawn(|| {
        std::thread::sleep(PATIENCE);
        std::process::abort();
    });
    SimpleCommunicator::world().abort(code)
}

/// All processes of the job.
struct World;

impl Transport for World {
    fn rank(&self) -> usize {
        SimpleCommunicator::world().rank().try_into().unwrap_or(0)
    }

    fn count(&self) -> usize {
        SimpleCommunicator::world().size().try_into().unwrap_or(1)
    }

    fn swap(&self, send: Option<(usize, &[u8])>, receive: Option<(usize, &mut [u8])>) -> Result<usize> {
        let world = SimpleCommunicator::world();
        // Long blocks move only while somebody asks for them.
        let asleep =
            send.iter().all(|s| s.1.len() <= framed::PACKET) && receive.iter().all(|r| r.1.len() <= framed::PACKET);
        scope(|scope| {
            let coming = receive.map(|(from, block)| {
                world.process_at_rank(from as i32).immediate_receive_into_with_tag(scope, block, TAG)
            });
            let going =
                send.map(|(to, block)| world.process_at_rank(to as i32).immediate_send_with_tag(scope, block, TAG));
            let got = coming.map(|request| wait(request, asleep).count(u8::equivalent_datatype()));
            if let Some(request) = going {
                wait(request, asleep);
            }
            Ok(got.and_then(|got| usize::try_from(got).ok()).unwrap_or(0))
        })
    }
}

/// Asks until it is done, with pauses that grow if they may.
fn wait<'a, D: ?Sized, S: Scope<'a>>(mut request: Request<'a, D, S>, asleep: bool) -> Status {
    let (begin, mut pause) = (Instant::now(), PAUSE / 16);
    loop {
        match request.test() {
            Ok(status) => return status,
            Err(same) => request = same,
        }
        if asleep && begin.elapsed() > EAGER {
            std::thread::sleep(pause);
            pause = (2 * pause).min(PAUSE);
        } else {
            std::thread::yield_now();
        }
    }
}
