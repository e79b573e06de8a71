//! The head of a message: who sent what, as which one, how long, and checksums over both.
//!
//! Little-endian, 56 bytes:
//!
//! | at | what |
//! |---|---|
//! | 0 | `PELRANK` and the version |
//! | 8 | sender and receiver, 4 bytes each |
//! | 16 | number of the message between the two, from 0 |
//! | 24 | length in bytes; all ones: the sender has ended |
//! | 32 | the first bytes that follow in the same block |
//! | 40 | checksum of the message |
//! | 48 | checksum of this head |
//!
//! **Checksum.** Four lanes of (h xor word) · odd with a rotation, and the lanes one after the other. Every step is a
//! bijection of the word, so that damage within one word of 8 bytes is always seen, and anything else but for a chance of
//! 2⁻⁶⁴. It is against faults, not against forgery.

use base::{Error, Result};

/// Bytes of a head.
pub const HEAD: usize = 56;
/// Name and version of the format.
const MAGIC: [u8; 8] = *b"PELRANK1";
/// The length that says goodbye.
const ENDED: u64 = u64::MAX;

/// What stands before a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// The sender.
    pub from: usize,
    /// The receiver.
    pub to: usize,
    /// The number of the message between the two.
    pub number: u64,
    /// Bytes of the message, or that the sender has ended.
    pub length: Option<u64>,
    /// Bytes of the message in the same block.
    pub first: u64,
    /// Checksum of the message.
    pub checksum: u64,
}

impl Head {
    /// The head as bytes.
    pub fn bytes(&self) -> [u8; HEAD] {
        let mut bytes = [0; HEAD];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&(self.from as u32).to_le_bytes());
        bytes[12..16].copy_from_slice(&(self.to as u32).to_le_bytes());
        let words = [self.number, self.length.unwrap_or(ENDED), self.first, self.checksum];
        for (place, word) in bytes[16..48].chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        let own = checksum(&bytes[..48]);
        bytes[48..].copy_from_slice(&own.to_le_bytes());
        bytes
    }

    /// The head at the beginning of a block that rank `to` received as message `number` of rank `from`.
    pub fn read(block: &[u8], (from, to): (usize, usize), number: u64) -> Result<Self> {
        let refuse = |why: String| Err(Error::rank(to, format!("message {number} from rank {from}: {why}")));
        if block.len() < HEAD {
            return refuse(format!("{} bytes have come, expected at least {HEAD}", block.len()));
        }
        let word = |at: usize| u64::from_le_bytes(block[at..at + 8].try_into().unwrap_or_default());
        let half = |at: usize| u32::from_le_bytes(block[at..at + 4].try_into().unwrap_or_default()) as usize;
        let (expected, found) = (checksum(&block[..48]), word(48));
        if block[..8] != MAGIC {
            return refuse("is not one of this release; use the same build on all ranks".into());
        }
        if expected != found {
            return refuse(format!(
                "its head was damaged on the way (checksum {expected:016x}, expected {found:016x})"
            ));
        }
        let head = Head {
            from: half(8),
            to: half(12),
            number: word(16),
            length: Some(word(24)).filter(|&length| length != ENDED),
            first: word(32),
            checksum: word(40),
        };
        if (head.from, head.to) != (from, to) {
            return refuse(format!("is from rank {} to rank {}", head.from, head.to));
        }
        if head.number != number {
            return refuse(format!("is message {}: one was lost, duplicated or overtaken", head.number));
        }
        Ok(head)
    }
}

const ODD: u64 = 0x9e37_79b9_7f4a_7c15;

fn mix(h: u64, word: u64) -> u64 {
    (h ^ word).wrapping_mul(ODD).rotate_left(29)
}

/// The checksum of bytes.
pub fn checksum(bytes: &[u8]) -> u64 {
    let mut lanes = [1u64, 2, 3, 4];
    let word = |bytes: &[u8]| {
        let mut eight = [0; 8];
        eight[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(eight)
    };
    let mut quads = bytes.chunks_exact(32);
    for quad in &mut quads {
        for (lane, bytes) in lanes.iter_mut().zip(quad.chunks_exact(8)) {
            *lane = mix(*lane, word(bytes));
        }
    }
    for (lane, bytes) in lanes.iter_mut().zip(quads.remainder().chunks(8)) {
        *lane = mix(*lane, word(bytes));
    }
    lanes.iter().fold(bytes.len() as u64, |h, &lane| mix(h, lane))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_single_damage_of_a_head_is_seen() {
        let head = Head { from: 3, to: 1, number: 7, length: Some(99), first: 12, checksum: 5 };
        let bytes = head.bytes();
        assert_eq!(Head::read(&bytes, (3, 1), 7), Ok(head));
        let ended = Head { length: None, ..head };
        assert_eq!(Head::read(&ended.bytes(), (3, 1), 7), Ok(ended));
        for place in 0..HEAD {
            for bit in 0..8 {
                let mut damaged = bytes;
                damaged[place] ^= 1 << bit;
                assert!(Head::read(&damaged, (3, 1), 7).is_err(), "byte {place}, bit {bit}");
            }
            assert!(Head::read(&bytes[..place], (3, 1), 7).is_err());
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_ranks_and_numbers() {
        let bytes = Head { from: 3, to: 1, number: 7, length: Some(99), first: 12, checksum: 5 }.bytes();
        let says = |block: &[u8], ends, number| Head::read(block, ends, number).unwrap_err().to_string();
        assert!(says(&bytes, (3, 1), 8).starts_with("rank 1: message 8 from rank 3: is message 7: one was lost"));
        assert!(says(&bytes, (2, 1), 7).ends_with("message 7 from rank 2: is from rank 3 to rank 1"));
        assert!(says(&bytes[..9], (3, 1), 7).ends_with("9 bytes have come, expected at least 56"));
        let mut damaged = bytes;
        damaged[30] = 1;
        assert!(says(&damaged, (3, 1), 7).contains("its head was damaged on the way (checksum "));
        damaged[0] = 0;
        assert!(says(&damaged, (3, 1), 7).contains("use the same build on all ranks"));
    }

    #[test]
    fn damage_within_a_word_and_lost_zeros_change_the_checksum() {
        let bytes: Vec<u8> = (0..131u32).map(|i| (i * i) as u8).collect();
        for length in 0..bytes.len() {
            let whole = checksum(&bytes[..length]);
            for place in 0..length {
                for by in [1u8, 0x80, 0xff] {
                    let mut damaged = bytes[..length].to_vec();
                    damaged[place] ^= by;
                    assert_ne!(checksum(&damaged), whole, "{length} bytes, damaged at {place}");
                }
            }
            let longer: Vec<u8> = bytes[..length].iter().copied().chain([0]).collect();
            assert_ne!(checksum(&longer), whole, "{length} bytes and a zero");
        }
    }
}
