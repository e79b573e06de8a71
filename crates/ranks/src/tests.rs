//! Messages of all lengths over threads; transports that cut, repeat and damage; ranks that fail; bundles that are spoiled.

use crate::bundle::{Bundle, Packer, WireFormat};
use crate::framed::PACKET;
use crate::threads::within_blocks;
use crate::{Framed, Transport, within};
use base::{Error, Memory, Ranks, Result, Traffic};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, atomic};
use std::time::{Duration, Instant};

fn drawn(seed: u64, length: usize) -> Vec<u8> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..length).map(|_| rng.random()).collect()
}

#[test]
fn rings_of_messages_of_any_length_come_whole() {
    for (count, block) in [(1, 7), (2, 1), (3, 4096), (4, 1000), (5, 1 << 30)] {
        let most = if block == 1 { 6_000 } else { 200_000 };
        within_blocks(count, block, |ranks| {
            let mut expected = Traffic::default();
            for round in 0..30 {
                // Every rank can work out what the others send in this round.
                let length = |rank: usize| {
                    let mut rng = ChaCha8Rng::seed_from_u64((round * 97 + rank) as u64);
                    let edges = [0, 1, PACKET - 57, PACKET - 56, PACKET - 55, PACKET, most];
                    if round < edges.len() { edges[round] } else { rng.random_range(0..most) }
                };
                let message = |rank: usize| drawn((round * 31 + rank) as u64, length(rank));
                let shift = round % count;
                let (to, from) = ((ranks.rank() + shift) % count, (ranks.rank() + count - shift) % count);
                let come = ranks.exchange(to, &message(ranks.rank()), from)?;
                assert!(come == message(from), "{count} ranks, round {round}");
                if shift != 0 {
                    expected.messages += 1;
                    expected.sent += length(ranks.rank()) as u64;
                    expected.received += length(from) as u64;
                }
            }
            assert_eq!(ranks.traffic(), expected);
            Ok(())
        })
        .unwrap();
    }
}

#[test]
fn sums_over_threads_have_the_bits_of_one_after_the_other() {
    for count in 1..6 {
        let numbers = |rank: usize| (0..1000).map(|j| (j as f64).cos() / (rank + 1) as f64).collect::<Vec<_>>();
        let mut expected = vec![0.0; 1000];
        (0..count).for_each(|r| expected.iter_mut().zip(numbers(r)).for_each(|(sum, x)| *sum += x));
        let sums = within(count, |ranks| {
            let mut own = numbers(ranks.rank());
            ranks.sum(&mut own)?;
            Ok((own, ranks.all(true)?, ranks.any(ranks.rank() == 0)?))
        });
        assert!(sums.unwrap().iter().all(|(sum, all, any)| *sum == expected && *all && *any), "{count} ranks");
    }
}

#[test]
fn who_fails_or_panics_ends_all_and_is_named() {
    let failing = |how: fn() -> Result<()>| {
        let begin = Instant::now();
        let error = within(4, |ranks| {
            for round in 0..100 {
                if ranks.rank() == 2 && round == 5 {
                    how()?;
                }
                ranks.exchange((ranks.rank() + 1) % 4, &[1, 2, 3], (ranks.rank() + 3) % 4)?;
            }
            Ok(())
        });
        assert!(begin.elapsed() < Duration::from_secs(10));
        error.unwrap_err()
    };
    let parameter = failing(|| Err(Error::parameter("c", -1, "must be greater than 0")));
    assert_eq!(parameter.to_string(), "rank 2: c = -1: must be greater than 0");
    assert_eq!(failing(|| panic!("of a test")).to_string(), "rank 2: ended in a panic: of a test");
    assert_eq!(failing(|| Err(Error::Cancelled)), Error::Cancelled);
}

#[test]
fn ranks_that_do_not_match_are_told_and_do_not_hang() {
    let says = |work: fn(&dyn Ranks) -> Result<()>| within(3, work).unwrap_err().to_string();
    let gone = says(|ranks| if ranks.rank() == 0 { Ok(()) } else { ranks.sum(&mut [1.0]) });
    assert!(gone.contains("message 0 from rank 0: rank 0 has ended and sends nothing more"), "{gone}");
    // Each waits for the next one.
    let circle = says(|ranks| {
        let next = (ranks.rank() + 1) % 3;
        ranks.exchange(next, b"x", next).map(drop)
    });
    assert!(circle.contains("which waits itself or has ended"), "{circle}");
    let lengths = says(|ranks| ranks.sum(&mut vec![1.0; 2 + ranks.rank()]));
    assert!(lengths.contains("bytes of a message: expected "), "{lengths}");
    let nobody = says(|ranks| ranks.exchange(3, b"", 0).map(drop));
    assert!(nobody.contains("ranks of an exchange: expected both rank"), "{nobody}");
    let half = says(|ranks| ranks.exchange(ranks.rank(), b"", (ranks.rank() + 1) % 3).map(drop));
    assert!(half.contains("ranks of an exchange"), "{half}");
}

/// One end of a pair of ranks; spoils the blocks it sends.
struct Spoiled<F> {
    rank: usize,
    out: SyncSender<Vec<u8>>,
    come: Mutex<Receiver<Vec<u8>>>,
    sent: atomic::AtomicUsize,
    spoil: F,
}

impl<F: Fn(usize, &[u8]) -> Vec<Vec<u8>> + Send> Transport for Spoiled<F> {
    fn rank(&self) -> usize {
        self.rank
    }

    fn count(&self) -> usize {
        2
    }

    fn swap(&self, send: Option<(usize, &[u8])>, receive: Option<(usize, &mut [u8])>) -> Result<usize> {
        if let Some((_, block)) = send {
            for block in (self.spoil)(self.sent.fetch_add(1, atomic::Ordering::Relaxed), block) {
                self.out.send(block).map_err(|_| Error::rank(self.rank, "the other has gone"))?;
            }
        }
        let Some((_, buffer)) = receive else { return Ok(0) };
        let block = self.come.lock().unwrap().recv_timeout(Duration::from_millis(300));
        let block = block.map_err(|_| Error::rank(self.rank, "nothing has come"))?;
        let got = block.len().min(buffer.len());
        buffer[..got].copy_from_slice(&block[..got]);
        Ok(block.len())
    }
}

/// What two ranks that exchange four long messages say when the blocks of rank 0 are spoiled so.
fn spoiled(memory: Memory, spoil: impl Fn(usize, &[u8]) -> Vec<Vec<u8>> + Send + Sync) -> [Result<()>; 2] {
    let (to_one, from_zero) = sync_channel(64);
    let (to_zero, from_one) = sync_channel(64);
    let keep = |_: usize, block: &[u8]| vec![block.to_vec()];
    let zero = Spoiled { rank: 0, out: to_one, come: Mutex::new(from_one), sent: 0.into(), spoil };
    let one = Spoiled { rank: 1, out: to_zero, come: Mutex::new(from_zero), sent: 0.into(), spoil: keep };
    fn work<L: Transport>(framed: Framed<L>) -> Result<()> {
        for round in 0..4 {
            let other = 1 - framed.rank();
            let message = |rank: usize| drawn((10 * round + rank) as u64, 6_000);
            let come = framed.exchange(other, &message(framed.rank()), other);
            if let Err(error) = come {
                // What failed once stays so.
                assert_eq!(framed.exchange(other, b"", other), Err(error.clone()));
                assert_eq!(framed.close(), Err(error.clone()));
                return Err(error);
            }
            assert!(come.unwrap() == message(other));
        }
        framed.close()
    }
    std::thread::scope(|scope| {
        let one = scope.spawn(|| work(Framed::with_blocks(one, memory, 1000)));
        [work(Framed::with_blocks(zero, Memory::unlimited(), 1000)), one.join().unwrap()]
    })
}

#[test]
fn repeated_cut_and_damaged_blocks_are_seen() {
    // Each message of 6000 bytes is a first block of 4096 and two more.
    fn says(spoil: impl Fn(usize, &[u8]) -> Vec<Vec<u8>> + Send + Sync) -> String {
        let [_, one] = spoiled(Memory::unlimited(), spoil);
        one.unwrap_err().to_string()
    }
    let own = |block: &[u8]| block.to_vec();
    assert_eq!(spoiled(Memory::unlimited(), move |_, block| vec![own(block)]), [Ok(()), Ok(())]);
    let bit = says(|i, block| {
        let mut block = block.to_vec();
        block[if i == 4 { 77 } else { 0 }] ^= u8::from(i == 4);
        vec![block]
    });
    assert!(bit.starts_with("rank 1: message 1 from rank 0: was damaged on the way (checksum "), "{bit}");
    let first = Mutex::new(vec![]);
    let again = says(|i, block| {
        let mut first = first.lock().unwrap();
        if i == 0 {
            *first = block.to_vec();
        }
        vec![if i == 3 { first.clone() } else { block.to_vec() }]
    });
    assert!(again.contains("message 1 from rank 0: is message 0: one was lost, duplicated or overtaken"), "{again}");
    let twice = says(|i, block| vec![block.to_vec(); if i == 2 { 2 } else { 1 }]);
    assert!(twice.starts_with("rank 1: message 1 from rank 0: "), "{twice}");
    let piece = says(|i, block| if i == 5 { vec![] } else { vec![block.to_vec()] });
    assert!(piece.contains("message 1 from rank 0: a block of 4096 bytes has come, expected 960"), "{piece}");
    let short = says(|i, block| vec![block[..block.len() - usize::from(i == 1)].to_vec()]);
    assert!(short.contains("message 0 from rank 0: a block of 999 bytes has come, expected 1000"), "{short}");
    let head = says(|i, block| vec![if i == 0 { block[..40].to_vec() } else { block.to_vec() }]);
    assert!(head.contains("40 bytes have come, expected at least 56"), "{head}");
    let first = says(|i, block| vec![if i == 0 { block[..100].to_vec() } else { block.to_vec() }]);
    assert!(first.contains("message 0 from rank 0: 100 bytes of its first block have come"), "{first}");
    let [_, memory] = spoiled(Memory::limited(1000), |_, block| vec![block.to_vec()]);
    assert!(matches!(memory, Err(Error::Memory { asked: 6000, limit: 1000, .. })), "{memory:?}");
}

#[test]
fn blocks_damaged_at_random_never_pass_for_the_message() {
    for seed in 0..300 {
        let [_, one] = spoiled(Memory::limited(1 << 20), move |i, block| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut block = block.to_vec();
            if i == rng.random_range(0..12) {
                for _ in 0..rng.random_range(1..4) {
                    let at = rng.random_range(0..block.len());
                    block[at] ^= rng.random_range(1..=255u8);
                }
            }
            vec![block]
        });
        // The worker itself compares what it takes as whole with what was sent.
        assert!(one.is_err(), "damage of seed {seed} was not seen");
    }
}

type Vectors = Vec<(u64, Vec<(u32, f64)>)>;

/// Vectors with drawn densities, some empty, some full.
fn vectors(rng: &mut ChaCha8Rng, columns: usize) -> Vectors {
    let one = |rng: &mut ChaCha8Rng| {
        let density = [0.0, 0.01, 0.3, 0.95, 1.0][rng.random_range(0..5)];
        let kept: Vec<u32> = (0..columns as u32).filter(|_| rng.random_bool(density)).collect();
        (rng.random_range(0..1 << 40), kept.into_iter().map(|c| (c, rng.random_range(-1e3..1e3))).collect())
    };
    (0..rng.random_range(0..6)).map(|_| one(rng)).collect()
}

fn packed(vectors: &Vectors, columns: usize, precision: WireFormat) -> (Vec<u8>, u64) {
    let mut packer = Packer::new(columns, precision);
    for (id, entries) in vectors {
        packer.add(*id, entries.iter().copied()).unwrap();
    }
    let (bytes, dense) = (packer.bytes(), packer.dense_bytes());
    let message = packer.finish();
    assert_eq!(message.len() as u64, bytes);
    (message, dense)
}

#[test]
fn bundles_come_back_bit_by_bit_and_are_never_much_longer_than_dense() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for round in 0..300 {
        let columns = [0, 1, 7, 130, 3000][round % 5];
        for precision in [WireFormat::Double, WireFormat::Single] {
            let mut sent = vectors(&mut rng, columns);
            if precision == WireFormat::Single {
                sent.iter_mut().flat_map(|v| &mut v.1).for_each(|e| e.1 = f64::from(e.1 as f32));
            }
            let (mut message, dense) = packed(&sent, columns, precision);
            assert!(message.len() as u64 <= 20 + dense + 8 * sent.len() as u64);
            message.extend(b"more");
            let (memory, mut rest) = (Memory::unlimited(), &message[..]);
            let bundle = Bundle::read(&mut rest, columns, &memory).unwrap();
            let back: Vectors =
                bundle.vectors().map(|(id, c, x)| (id, c.iter().copied().zip(x.iter().copied()).collect())).collect();
            sent.iter_mut().for_each(|v| v.1.retain(|e| e.1 != 0.0));
            assert_eq!((back, rest, bundle.len()), (sent, &b"more"[..], bundle.vectors().count()));
            assert!(memory.used() >= 12 * bundle.vectors().map(|v| v.1.len() as u64).sum::<u64>());
            drop(bundle);
            assert_eq!(memory.used(), 0);
        }
    }
}

#[test]
fn zeros_do_not_travel_and_bad_vectors_are_refused() {
    let mut packer = Packer::new(1_000_000, WireFormat::Double);
    packer.add(3, (0..1_000_000).map(|c| (c, if c % 10_000 == 7 { 0.5 } else { -0.0 }))).unwrap();
    assert_eq!(packer.dense_bytes(), 8_000_008);
    let message = packer.finish();
    // 100 values of 8 bytes with a step of 10,000 in two bytes each.
    assert!(message.len() < 20 + 4 + 100 * 10, "{} bytes", message.len());
    let mut packer = Packer::new(4, WireFormat::Single);
    let mut says = |entries: &[(u32, f64)]| packer.add(1, entries.iter().copied()).unwrap_err().to_string();
    assert_eq!(says(&[(4, 1.0)]), "columns of vector 1: expected ascending, below 4, found 4");
    assert_eq!(says(&[(2, 1.0), (2, 1.0)]), "columns of vector 1: expected ascending, below 4, found 2");
    assert_eq!(says(&[(2, f64::NAN)]), "column 2 of vector 1: expected a finite number, found NaN");
    assert!(says(&[(2, 1e300)]).contains("expected a finite number"));
}

#[test]
fn spoiled_bundles_are_read_or_refused_within_their_memory() {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let mut refused = 0;
    for round in 0..20_000 {
        let columns = [1, 7, 130][round % 3];
        let precision = [WireFormat::Double, WireFormat::Single][round % 2];
        let (mut message, _) = packed(&vectors(&mut rng, columns), columns, precision);
        match round % 4 {
            0 => message.truncate(rng.random_range(0..message.len())),
            1 => {
                let at = rng.random_range(0..message.len());
                message[at] = rng.random();
            }
            2 => {
                let at = rng.random_range(0..=message.len());
                message.insert(at, rng.random());
            }
            _ => {
                // Counts that are far too large.
                let at = rng.random_range(12..20);
                message[at] = 0xff;
            }
        }
        // What a message makes is bounded by its length.
        let memory = Memory::limited(9 * message.len() as u64 + 64);
        match Bundle::read(&mut &message[..], columns, &memory) {
            Ok(bundle) => {
                for (_, c, x) in bundle.vectors() {
                    assert!(c.windows(2).all(|w| w[0] < w[1]) && c.iter().all(|&c| (c as usize) < columns));
                    assert!(x.iter().all(|x| x.is_finite()));
                }
            }
            Err(Error::Memory { .. }) => panic!("more memory than nine times {} bytes", message.len()),
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 8_000, "{refused} were refused");
    let says = |message: &[u8], columns| {
        Bundle::read(&mut &message[..], columns, &Memory::unlimited()).unwrap_err().to_string()
    };
    let message = Packer::new(3, WireFormat::Double).finish();
    assert_eq!(says(&message, 4), "columns of a bundle: expected 4, found 3");
    assert!(says(&message[..9], 3).contains("9 bytes are left, expected at least 20: cut off"));
    assert!(says(b"PV2.................", 3).contains("use the same build on all ranks"));
}
