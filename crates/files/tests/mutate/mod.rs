//! Damaged files: a good one with a few bytes changed.

use base::Seed;

/// `count` damaged copies of `seed`, always the same for the same `rng_seed`: bytes flipped, set to telling values,
/// inserted, deleted, doubled, or the end cut off, one to four times each.
pub fn mutations(seed: &[u8], count: usize, rng_seed: u64) -> impl Iterator<Item = Vec<u8>> {
    let rng = Seed(rng_seed).fork("mutations");
    (0..count).map(move |i| {
        let mut draws = 0;
        let mut below = |n: usize| {
            draws += 1;
            (rng.at(i).at(draws).unit() * n as f64) as usize
        };
        let mut bytes = seed.to_vec();
        for _ in 0..=below(4) {
            if bytes.is_empty() {
                bytes.push(0);
            }
            // Heads are short and matter most: half of the changes fall into the first 256 bytes.
            let reach = if below(2) == 0 { bytes.len().min(256) } else { bytes.len() };
            let at = below(reach);
            let length = 1 + below(16);
            let end = (at + length).min(bytes.len());
            match below(7) {
                0 => bytes[at] ^= 1 << below(8),
                1 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff, b'0', b'9', b'-'][below(8)],
                2 => bytes[at..end].fill([0, 0xff][below(2)]),
                3 => drop(bytes.splice(at..at, (0..length).map(|_| below(256) as u8).collect::<Vec<_>>())),
                4 => drop(bytes.drain(at..end)),
                5 => {
                    let part = bytes[at..end].to_vec();
                    drop(bytes.splice(at..at, part));
                }
                _ => bytes.truncate(at),
            }
        }
        bytes
    })
}
