//! Words numbered by first appearance, in one piece of memory, found by hashing.
//!
//! A word takes its bytes, 8 for its end and some 8 for its slots (a table of u32, at most half full, probed one by
//! one). Numbers depend on the order of insertion only, never on the hash.

use base::Texts;
use std::hash::{BuildHasher, RandomState};

/// Distinct words, each with a number.
pub(crate) struct Interner {
    words: Texts,
    /// Numbers of words, `EMPTY` where there is none; the length is a power of 2.
    slots: Vec<u32>,
    hasher: RandomState,
}

const EMPTY: u32 = u32::MAX;

impl Interner {
    /// No words yet.
    pub fn new() -> Self {
        Interner { words: Texts::default(), slots: vec![EMPTY; 16], hasher: RandomState::new() }
    }

    /// The number of a word, if it is known.
    pub fn find(&self, word: &str) -> Option<u32> {
        let found = self.slots[self.slot(word)];
        (found != EMPTY).then_some(found)
    }

    /// The number of a word, a new one if need be; none if there are more than 2³¹ words.
    pub fn code(&mut self, word: &str) -> Option<u32> {
        let slot = self.slot(word);
        if self.slots[slot] != EMPTY {
            return Some(self.slots[slot]);
        }
        let code = u32::try_from(self.words.len()).ok().filter(|&c| c < EMPTY / 2)?;
        self.words.push(Some(word));
        self.slots[slot] = code;
        if 2 * self.words.len() > self.slots.len() {
            self.grow();
        }
        Some(code)
    }

    /// The word of a number.
    pub fn word(&self, code: u32) -> &str {
        self.words.get(code as usize).unwrap_or("")
    }

    /// How many words.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Bytes taken.
    pub fn bytes(&self) -> u64 {
        self.words.bytes() + 4 * self.slots.len() as u64
    }

    /// Where the word is, or where it would go.
    fn slot(&self, word: &str) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = self.hasher.hash_one(word) as usize & mask;
        while self.slots[at] != EMPTY && self.word(self.slots[at]) != word {
            at = (at + 1) & mask;
        }
        at
    }

    fn grow(&mut self) {
        self.slots = vec![EMPTY; 2 * self.slots.len()];
        for code in 0..self.words.len() as u32 {
            let slot = self.slot(self.word(code));
            self.slots[slot] = code;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_a_map() {
        let mut interner = Interner::new();
        let mut map = std::collections::HashMap::new();
        for i in 0..20_000u64 {
            let word = format!("w{}", (i * i) % 7919);
            let next = map.len() as u32;
            assert_eq!(interner.code(&word), Some(*map.entry(word).or_insert(next)));
        }
        assert_eq!(interner.len(), map.len());
        for (word, &code) in &map {
            assert_eq!((interner.find(word), interner.word(code)), (Some(code), word.as_str()));
        }
        assert_eq!((interner.find(""), interner.find("w")), (None, None));
    }
}
