//! Messages of any length over a transport: cut into blocks, numbered, checked and counted.
//!
//! A message is a first block of at most [`PACKET`] bytes, which has the head and as much of the message as fits, and
//! blocks of at most [`BLOCK`] bytes with the rest. In each step of an exchange a rank sends one block and receives one at
//! the same time; whoever has nothing left to send only receives. So every rank does step s + 1 when its two partners have
//! done step s, and no ring of ranks locks up, however different the lengths.
//!
//! **What is seen.** Lost, duplicated, overtaken and damaged messages; a partner that has ended ([`Framed::close`]) while this
//! rank waits for it; messages that nobody received. After such an error nothing more is sent: sums that go on with some
//! messages missing would be wrong in silence.
//!
//! **Cost.** A checksum over what is sent and received (several GB/s), 56 bytes a message.

use crate::Transport;
use crate::frame::{HEAD, Head, checksum};
use base::{Error, Memory, Ranks, Result, Traffic};
use std::sync::{Mutex, PoisonError};

/// Bytes of a first block: small enough to be sent without asking, large enough for flags and short sums.
pub const PACKET: usize = 4096;
/// Bytes of a block, below the 2³¹ − 1 elements that MPI can count.
pub const BLOCK: usize = 1 << 30;

/// The ranks at the ends of a transport.
pub struct Framed<L> {
    memory: Memory,
    block: usize,
    state: Mutex<State<L>>,
    rank: usize,
    count: usize,
}

struct State<L> {
    transport: L,
    /// Messages sent to each rank, and received from each.
    sent: Vec<u64>,
    received: Vec<u64>,
    traffic: Traffic,
    broken: Option<Error>,
}

impl<L: Transport> Framed<L> {
    /// Messages over this transport; what is received must fit in the memory.
    pub fn new(transport: L, memory: Memory) -> Self {
        Self::with_blocks(transport, memory, BLOCK)
    }

    /// The same with blocks of at most that many bytes (at least 1, at most [`BLOCK`]).
    pub fn with_blocks(transport: L, memory: Memory, block: usize) -> Self {
        let (rank, count) = (transport.rank(), transport.count());
        let (sent, received) = (vec![0; count], vec![0; count]);
        let state = State { transport, sent, received, traffic: Traffic::default(), broken: None };
        Framed { memory, block: block.clamp(1, BLOCK), state: Mutex::new(state), rank, count }
    }

    /// Says goodbye to all other ranks and hears theirs, so that nobody waits for who has ended and no message is left.
    pub fn close(&self) -> Result<()> {
        self.unless_broken(|state| {
            let (rank, count) = (self.rank, self.count);
            // All are sent before any is waited for: whoever still waits for this rank hears it.
            for to in (0..count).filter(|&to| to != rank) {
                let number = state.sent[to];
                let head = Head { from: rank, to, number, length: None, first: 0, checksum: 0 };
                state.transport.swap(Some((to, &head.bytes())), None)?;
            }
            let mut packet = vec![0; PACKET];
            for from in (0..count).filter(|&from| from != rank) {
                let got = state.transport.swap(None, Some((from, &mut packet)))?;
                let number = state.received[from];
                if Head::read(part(&packet, 0, got), (from, rank), number)?.length.is_some() {
                    let why = format!("ended without receiving message {number} from rank {from}");
                    return Err(Error::rank(rank, why));
                }
            }
            Ok(())
        })
    }

    /// Does it unless an earlier message failed; whatever fails is the last.
    fn unless_broken<T>(&self, work: impl FnOnce(&mut State<L>) -> Result<T>) -> Result<T> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = &state.broken {
            return Err(error.clone());
        }
        let done = work(&mut state);
        state.broken = done.as_ref().err().cloned();
        done
    }

    fn swap(&self, state: &mut State<L>, to: usize, message: &[u8], from: usize) -> Result<Vec<u8>> {
        let (rank, number) = (self.rank, state.received[from]);
        let refuse = |why: String| Error::rank(rank, format!("message {number} from rank {from}: {why}"));
        let first = message.len().min(PACKET - HEAD);
        let head = Head {
            from: rank,
            to,
            number: state.sent[to],
            length: Some(message.len() as u64),
            first: first as u64,
            checksum: checksum(message),
        };
        let mut packet = head.bytes().to_vec();
        packet.extend_from_slice(&message[..first]);
        let mut come = vec![0; PACKET];
        let got = state.transport.swap(Some((to, &packet)), Some((from, &mut come)))?;
        let head = Head::read(part(&come, 0, got), (from, rank), number)?;
        let Some(length) = head.length else {
            return Err(refuse(format!("rank {from} has ended and sends nothing more")));
        };
        let _hold = self.memory.take(length, "a message of another rank")?;
        let length = usize::try_from(length).map_err(|_| refuse(format!("is {length} bytes long")))?;
        if head.first != length.min(PACKET - HEAD) as u64 || got as u64 != HEAD as u64 + head.first {
            return Err(refuse(format!("{got} bytes of its first block have come")));
        }
        let mut body = Vec::new();
        body.try_reserve_exact(length).map_err(|e| refuse(format!("{length} bytes: {e}")))?;
        body.extend_from_slice(&come[HEAD..got]);
        let mut rest = &message[first..];
        while !rest.is_empty() || body.len() < length {
            let (block, after) = rest.split_at(rest.len().min(self.block));
            let (start, room) = (body.len(), (length - body.len()).min(self.block));
            body.resize(start + room, 0);
            let send = (!block.is_empty()).then_some((to, block));
            let receive = (room > 0).then(|| (from, &mut body[start..]));
            let got = state.transport.swap(send, receive)?;
            if got != room {
                return Err(refuse(format!("a block of {got} bytes has come, expected {room}")));
            }
            rest = after;
        }
        let found = checksum(&body);
        if found != head.checksum {
            let why = format!("was damaged on the way (checksum {found:016x}, expected {:016x})", head.checksum);
            return Err(refuse(why));
        }
        state.sent[to] += 1;
        state.received[from] += 1;
        state.traffic.messages += 1;
        state.traffic.sent += message.len() as u64;
        state.traffic.received += length as u64;
        Ok(body)
    }
}

/// A part of a block; a transport that says it received more than there is room for has lost its way.
fn part(block: &[u8], from: usize, to: usize) -> &[u8] {
    block.get(from..to).unwrap_or_default()
}

impl<L: Transport> Ranks for Framed<L> {
    fn rank(&self) -> usize {
        self.rank
    }

    fn count(&self) -> usize {
        self.count
    }

    fn exchange(&self, to: usize, message: &[u8], from: usize) -> Result<Vec<u8>> {
        if to.max(from) >= self.count || (to == self.rank) != (from == self.rank) {
            let right = format!("both rank {} itself, or two others below {}", self.rank, self.count);
            return Err(Error::size("ranks of an exchange", right, format!("to {to} and from {from}")));
        }
        if to == self.rank {
            return Ok(message.to_vec());
        }
        self.unless_broken(|state| self.swap(state, to, message, from))
    }

    fn spared(&self, bytes: u64) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).traffic.spared += bytes;
    }

    fn traffic(&self) -> Traffic {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).traffic
    }
}
