//! Distinct words numbered by first appearance: the dictionary behind categories, texts and label names.
//!
//! All words lie in one piece of memory; a table of open addresses finds them. The hash folds 128-bit products of eight
//! bytes at a time, keyed anew for each dictionary, so that no file can be made to collide; numbers are given by first
//! appearance and do not depend on the key. Memory is counted in steps while the dictionary grows.

use base::{Hold, Memory, Result};
use std::hash::{BuildHasher, RandomState};

/// Distinct words.
#[derive(Default)]
pub(crate) struct Words {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    hashes: Vec<u32>,
    /// The first eight bytes of each word, or all of a shorter one; see [`packed`].
    heads: Vec<u64>,
    /// Number of a word plus 1, at its hash or behind; 0 is free.
    slots: Vec<u32>,
    key: u64,
    hold: Option<Hold>,
    also: u64,
}

/// Memory is asked for in steps of this many bytes.
const STEP: u64 = 1 << 14;

impl Words {
    pub fn new(memory: &Memory) -> Result<Self> {
        let key = RandomState::new().hash_one(0u8) | 1;
        Ok(Words { key, hold: Some(memory.take(0, "words")?), ..Default::default() })
    }

    /// The number of a word, a new one if it was not met before.
    #[inline]
    pub fn code(&mut self, word: &[u8]) -> Result<u32> {
        if self.ends.len() * 4 >= self.slots.len() * 3 {
            self.grow()?;
        }
        let head = packed(word);
        let hash = self.hash(word, head);
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            match self.slots[slot] {
                0 => break,
                code => {
                    let i = code as usize - 1;
                    if self.heads[i] == head && self.hashes[i] == hash {
                        let known = self.word(i);
                        // Short words of equal length are equal if their heads are.
                        if known.len() == word.len() && (word.len() <= 8 || known == word) {
                            return Ok(code - 1);
                        }
                    }
                }
            }
            slot = (slot + 1) & mask;
        }
        self.insert(word, head, hash, slot)
    }

    /// How many words.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Word number `i`.
    #[inline]
    pub fn word(&self, i: usize) -> &[u8] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.bytes[start..self.ends[i]]
    }

    /// All words by number.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|i| self.word(i))
    }

    /// Counts bytes that the owner keeps beside the words.
    #[inline]
    pub fn also(&mut self, bytes: u64) -> Result<()> {
        if bytes > self.also {
            self.also = bytes + bytes / 8 + STEP / 4;
            self.charge()?;
        }
        Ok(())
    }

    #[cold]
    fn insert(&mut self, word: &[u8], head: u64, hash: u32, slot: usize) -> Result<u32> {
        let code = self.ends.len() as u32;
        let size = (self.bytes.len() + word.len()) as u64 + 24 * self.ends.len() as u64;
        if size + 2 * STEP > self.hold.as_ref().map_or(u64::MAX, Hold::bytes) {
            self.charge_for(size)?;
        }
        self.bytes.extend_from_slice(word);
        self.ends.push(self.bytes.len());
        self.hashes.push(hash);
        self.heads.push(head);
        self.slots[slot] = code + 1;
        Ok(code)
    }

    fn charge(&mut self) -> Result<()> {
        self.charge_for(self.bytes.len() as u64 + 24 * self.ends.len() as u64)
    }

    /// Counts `size` bytes of words and what belongs to them, with room for vectors that double.
    fn charge_for(&mut self, size: u64) -> Result<()> {
        let all = 2 * size + 4 * self.slots.len() as u64 + self.also + 4 * STEP;
        match &mut self.hold {
            Some(hold) if all > hold.bytes() => hold.resize(all, "distinct words"),
            _ => Ok(()),
        }
    }

    #[cold]
    fn grow(&mut self) -> Result<()> {
        let count = (2 * self.slots.len()).max(64);
        self.charge_for(self.bytes.len() as u64 + 24 * self.ends.len() as u64 + 4 * count as u64)?;
        self.slots = vec![0; count];
        for (i, &hash) in self.hashes.iter().enumerate() {
            let mut slot = hash as usize & (count - 1);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (count - 1);
            }
            self.slots[slot] = i as u32 + 1;
        }
        Ok(())
    }

    #[inline]
    fn hash(&self, word: &[u8], head: u64) -> u32 {
        let fold = |h: u64, block: u64| {
            let product = u128::from(h ^ block) * u128::from(0x9e37_79b9_7f4a_7c15u64 ^ self.key);
            (product >> 64) as u64 ^ product as u64
        };
        let mut hash = fold(self.key ^ (word.len() as u64).wrapping_mul(0xff51_afd7_ed55_8ccd), head);
        if word.len() > 8 {
            let (blocks, _) = word[8..].as_chunks::<8>();
            for block in blocks {
                hash = fold(hash, u64::from_le_bytes(*block));
            }
            if let Some(last) = word.last_chunk::<8>() {
                hash = fold(hash, u64::from_le_bytes(*last));
            }
        }
        (hash >> 32) as u32 ^ hash as u32
    }
}

/// The first eight bytes of a word; of a shorter one all bytes, so that words of equal length up to eight are equal if
/// this is.
#[inline]
fn packed(word: &[u8]) -> u64 {
    if let Some(head) = word.first_chunk::<8>() {
        u64::from_le_bytes(*head)
    } else if let (Some(first), Some(last)) = (word.first_chunk::<4>(), word.last_chunk::<4>()) {
        u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << 32
    } else {
        word.iter().fold(0, |all, &byte| all << 8 | u64::from(byte))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn numbers_are_those_of_a_plain_map() {
        let memory = Memory::unlimited();
        let mut words = Words::new(&memory).unwrap();
        let mut plain: HashMap<Vec<u8>, u32> = HashMap::new();
        for i in 0..50_000usize {
            let word = format!("{:x}", i.wrapping_mul(2_654_435_761) % 20_011).repeat(i % 5);
            let next = plain.len() as u32;
            let expected = *plain.entry(word.clone().into_bytes()).or_insert(next);
            assert_eq!(words.code(word.as_bytes()), Ok(expected));
        }
        assert_eq!(words.len(), plain.len());
        assert!(words.iter().enumerate().all(|(i, w)| plain[w] == i as u32));
        assert!(memory.used() as usize >= words.bytes.len());
        assert!(Words::new(&Memory::limited(1 << 16)).unwrap().code(&[b'a'; 1 << 17]).is_err());
    }
}
