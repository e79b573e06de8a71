//! A job for `mpirun`, by which the transport is tested (tests/ranks/run.sh): `job TASK [BLOCK]`.
//!
//! | task | what every rank does |
//! |---|---|
//! | `sum` | adds up drawn lists of several lengths, and compares the bits with those of one process |
//! | `rings` | sends messages of drawn lengths around rings, in blocks of at most BLOCK bytes, and compares them |
//! | `speed` | tells latency and bytes a second of rings, and what was sent |
//! | `wait` | exchanges for a minute, and tells its process id |
//! | `panic`, `fail`, `leave` | the last rank panics, fails or ends, while the others wait for it |

use base::{Error, Memory, Ranks, Result};
use pellucid_ranks::Mpi;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::io::Write;
use std::time::{Duration, Instant};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let task = words.first().map_or("sum", String::as_str);
    let block = words.get(1).and_then(|b| b.parse().ok()).unwrap_or(pellucid_ranks::BLOCK);
    let Ok(mut mpi) = Mpi::with_blocks(Memory::unlimited(), block) else { return say("MPI has not started") };
    let done = work(task, mpi.ranks()).and_then(|()| mpi.finish());
    if let Err(error) = done {
        say(&format!("failed: {error}"));
        mpi.abort(2);
    }
}

fn say(line: &str) {
    // Whoever reads may have gone.
    let _ = writeln!(std::io::stdout(), "{line}");
}

fn work(task: &str, ranks: &dyn Ranks) -> Result<()> {
    let (rank, count) = (ranks.rank(), ranks.count());
    match task {
        "sum" => {
            for n in [0, 1, 255, 257, 100_003] {
                let numbers = |rank: usize| {
                    let mut rng = ChaCha8Rng::seed_from_u64(rank as u64);
                    (0..n).map(|_| rng.random_range(-1e9..1e9)).collect::<Vec<f64>>()
                };
                let mut expected = vec![0.0; n];
                (0..count).for_each(|r| expected.iter_mut().zip(numbers(r)).for_each(|(sum, x)| *sum += x));
                let mut own = numbers(rank);
                ranks.sum(&mut own)?;
                check(rank, own.iter().zip(&expected).all(|(a, b)| a.to_bits() == b.to_bits()), "a sum")?;
            }
            for who in 0..count {
                check(rank, !ranks.all(rank != who)? && ranks.any(rank == who)?, "a flag")?;
            }
            check(rank, ranks.all(true)? && !ranks.any(false)?, "a flag")
        }
        "rings" => {
            for round in 0..60 {
                let message = |rank: usize| {
                    let mut rng = ChaCha8Rng::seed_from_u64((97 * round + rank) as u64);
                    let length = rng.random_range(0..[1, 5_000, 300_000][round % 3]);
                    (0..length).map(|_| rng.random()).collect::<Vec<u8>>()
                };
                let (to, from) = ((rank + round) % count, (rank + count - round % count) % count);
                check(rank, ranks.exchange(to, &message(rank), from)? == message(from), "a message")?;
            }
            Ok(())
        }
        "speed" => speed(ranks),
        "wait" => {
            say(&format!("rank {rank} is {}", std::process::id()));
            let begin = Instant::now();
            while ranks.all(begin.elapsed() < Duration::from_secs(60))? {
                std::thread::sleep(Duration::from_millis(20));
            }
            Ok(())
        }
        "panic" | "fail" | "leave" if rank + 1 < count => ranks.sum(&mut [1.0]),
        "panic" => panic!("of rank {rank}"),
        "fail" => Err(Error::rank(rank, "fails as it should")),
        "leave" => Ok(()),
        other => Err(Error::parameter("task", other, "must be one of those in the file's header")),
    }
}

fn check(rank: usize, right: bool, what: &str) -> Result<()> {
    if right { Ok(()) } else { Err(Error::rank(rank, format!("{what} is wrong"))) }
}

fn speed(ranks: &dyn Ranks) -> Result<()> {
    let (rank, count) = (ranks.rank(), ranks.count());
    let (to, from) = ((rank + 1) % count, (rank + count - 1) % count);
    for (bytes, times) in [(1, 3000), (4_000, 3000), (100_000, 300), (10_000_000, 10), (100_000_000, 3)] {
        let message = vec![1u8; bytes];
        ranks.all(true)?;
        let begin = Instant::now();
        for _ in 0..times {
            ranks.exchange(to, &message, from)?;
        }
        let seconds = begin.elapsed().as_secs_f64() / f64::from(times);
        if rank == 0 {
            say(&format!("{bytes} bytes: {:.1} us, {:.0} MB/s", 1e6 * seconds, bytes as f64 / seconds / 1e6));
        }
    }
    if rank == 0 {
        let traffic = ranks.traffic();
        say(&format!("{} messages, {} bytes sent, {} received", traffic.messages, traffic.sent, traffic.received));
    }
    Ok(())
}
