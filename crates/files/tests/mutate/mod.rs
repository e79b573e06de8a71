//! Spoils bytes: what a reader must survive.
//!
//! From a few small files, each step draws one and changes it at one to four places: flips a bit, puts in, takes out or
//! replaces bytes (also by those that formats care for), cuts it off, doubles or swaps pieces. The same seed gives the
//! same bytes.

use base::{Memory, Run, Seed};
use rand::RngExt;

/// Calls `read` on `count` spoiled copies of the seeds, each with a budget of `limit` bytes.
///
/// The reader may give a result or an error, but must not panic; the budget itself refuses more than it has, and all of
/// it must be given back when the result is gone.
pub fn survive<T>(count: u64, limit: u64, seeds: &[&[u8]], read: impl Fn(&[u8], &Run<'_>) -> base::Result<T>) {
    let (mut good, mut bad) = (0, 0);
    for i in 0..count {
        let bytes = spoiled(seeds, Seed(i));
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
    const SPECIAL: &[u8] = b"\0\n\r\t ,;:|\"'{}%@#?-+.eE0919\xff\xfe\xef\xc3";
    let mut draw = seed.fork("mutate").stream();
    let mut bytes = seeds[draw.random_range(0..seeds.len())].to_vec();
    for _ in 0..draw.random_range(1..5) {
        let at = draw.random_range(0..=bytes.len());
        let to = (at + draw.random_range(0..16usize)).min(bytes.len());
        match draw.random_range(0..8) {
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
            _ => {
                let digits = ["99999999999999999999", "-1", "4294967296", "1e999", "0.0000000000000000000001"];
                let text = digits[draw.random_range(0..digits.len())];
                drop(bytes.splice(at..at, text.bytes()));
            }
        }
    }
    bytes
}
