//! Spoils bytes: what a reader must survive.
//!
//! Each step draws one of a few small files and changes it at one to four places: flips a bit, puts in, takes out, fills
//! or replaces bytes (also by those that formats care for), cuts it off, doubles pieces, puts in telling numbers. Half of
//! the changes fall into the first 256 bytes, for heads are short and matter most. The same seed gives the same bytes.

#![allow(dead_code, reason = "each test uses its part of this")]

use base::{Memory, Run, Seed};
use rand::RngExt;

/// `count` spoiled copies of the seeds, always the same for the same `number`.
pub fn mutations(seeds: &[&[u8]], count: usize, number: u64) -> impl Iterator<Item = Vec<u8>> {
    let seed = Seed(number).fork("mutations");
    (0..count).map(move |i| spoiled(seeds, seed.at(i)))
}

/// Calls `read` on `count` spoiled copies of the seeds, each with a budget of `limit` bytes.
///
/// The reader may give a result or an error, but must not panic; the budget itself refuses more than it has, and all of
/// it must be given back when the result is gone.
pub fn survive<T>(count: u64, limit: u64, seeds: &[&[u8]], read: impl Fn(&[u8], &Run<'_>) -> base::Result<T>) {
    let (mut good, mut bad) = (0, 0);
    for (i, bytes) in (0..count).zip(mutations(seeds, count as usize, 1)) {
        let memory = Memory::limited(limit);
        let run = Run { threads: 1 + (i % 50 == 0) as usize, memory: memory.clone(), ..Run::quiet(i) };
        match read(&bytes, &run) {
            Ok(_) => good += 1,
            Err(_) => bad += 1,
        }
        drop(run);
        assert_eq!(memory.used(), 0, "step {i} keeps memory");
        assert!(memory.peak() <= limit);
    }
    // Both must come, else the mutations say nothing.
    assert!(good > count / 100 && bad > count / 100, "{good} read, {bad} refused");
}

/// One of the seeds, spoiled.
fn spoiled(seeds: &[&[u8]], seed: Seed) -> Vec<u8> {
    const SPECIAL: &[u8] = b"\0\x01\x7f\x80\n\r\t ,;:|\"'{}%@#?-+.eE0919\xff\xfe\xef\xc3";
    let mut draw = seed.stream();
    let mut bytes = seeds[draw.random_range(0..seeds.len())].to_vec();
    for _ in 0..draw.random_range(1..5) {
        let reach = if draw.random() { bytes.len().min(256) } else { bytes.len() };
        let at = draw.random_range(0..=reach);
        let to = (at + draw.random_range(0..16usize)).min(bytes.len());
        match draw.random_range(0..9) {
            0 if at < bytes.len() => bytes[at] ^= 1 << draw.random_range(0..8),
            1 => bytes.insert(at, draw.random()),
            2 => bytes.insert(at, SPECIAL[draw.random_range(0..SPECIAL.len())]),
            3 => drop(bytes.drain(at..to)),
            4 => bytes.truncate(at),
            5 => {
                let slice = bytes[at..to].to_vec();
                let times = draw.random_range(1..4);
                (0..times).for_each(|_| drop(bytes.splice(at..at, slice.iter().copied())));
            }
            6 if at < bytes.len() => bytes[at] = SPECIAL[draw.random_range(0..SPECIAL.len())],
            7 => bytes[at..to].fill(if draw.random() { 0 } else { 0xff }),
            _ => {
                let digits = ["99999999999999999999", "-1", "4294967296", "1e999", "0.0000000000000000000001"];
                let text = digits[draw.random_range(0..digits.len())];
                drop(bytes.splice(at..at, text.bytes()));
            }
        }
    }
    bytes
}
