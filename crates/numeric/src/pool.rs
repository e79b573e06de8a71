//! Work on several threads with results that do not depend on how many there are.
//!
//! The caller says how the work is cut (a count of items, blocks of rows, chunks of a slice); each piece is computed by
//! one thread and the results come back in order. Whatever is summed is summed in that order too.
//!
//! Pools of a given size are made at their first use and kept for the life of the process: threads are expensive to
//! start and carry nothing from one call to the next, so this one piece of hidden state cannot change a result. One
//! thread means the calling thread: nothing is started. Calls may be nested; a thread that waits for an inner call
//! works on it (or on other pieces) meanwhile, so that nesting cannot lock up. Should the system refuse to start
//! threads, the calling thread does the work alone.

use base::{Error, Result, Run};
use rayon::prelude::*;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// More threads than this are not started, whatever the run allows.
const MOST: usize = 256;

/// How many threads the run may use: its own number, or that of the cores if it says 0.
pub fn threads(run: &Run<'_>) -> usize {
    let wanted = match run.threads {
        0 => cores(),
        n => n,
    };
    wanted.min(MOST)
}

/// How many processors there are, asked once a process: the system reads several files to answer.
fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| {
        #[cfg(test)]
        ASKED.fetch_add(1, Relaxed);
        std::thread::available_parallelism().map_or(1, |n| n.get())
    })
}

/// How often the system was asked for its processors.
#[cfg(test)]
static ASKED: AtomicUsize = AtomicUsize::new(0);

/// The run, on one thread if the work is so small that waking others would take longer.
pub(crate) fn for_work<'a>(run: &Run<'a>, operations: usize) -> Run<'a> {
    const SMALL: usize = 1 << 18;
    Run { threads: if operations < SMALL { 1 } else { run.threads }, ..run.clone() }
}

/// Computes `f(0), …, f(count − 1)` on up to `run.threads` threads and gives the results in that order.
///
/// Every piece first asks the run whether it is to stop, so that no loop over pieces goes unheard.
/// If some fail, the error of the first in order is the answer, as if they had run one after the other; pieces after
/// it may be left out.
pub fn each<T: Send>(run: &Run<'_>, count: usize, f: impl Fn(usize) -> Result<T> + Sync) -> Result<Vec<T>> {
    let Some(pool) = pool(threads(run), count) else {
        let one = |i: usize| {
            run.check()?;
            f(i)
        };
        return (0..count).map(one).collect();
    };
    let failed = AtomicUsize::new(usize::MAX);
    let attempt = |i: usize| {
        // Skipping only what comes after a failure keeps the first error the same in every schedule.
        if i > failed.load(Relaxed) {
            return None;
        }
        let result = run.check().and_then(|()| f(i));
        if result.is_err() {
            failed.fetch_min(i, Relaxed);
        }
        Some(result)
    };
    let results: Vec<Option<Result<T>>> =
        pool.install(|| (0..count).into_par_iter().with_max_len(1).map(attempt).collect());
    results.into_iter().flatten().collect()
}

/// As [`each`], for pieces that fit learners. Where several processes share the fits they run one after the other, in the
/// same order on all of them: messages of two fits at a time would be taken for each other.
pub fn each_fit<T: Send>(run: &Run<'_>, count: usize, f: impl Fn(usize) -> Result<T> + Sync) -> Result<Vec<T>> {
    match run.ranks.count() {
        1 => each(run, count, f),
        _ => each(&Run { threads: 1, ..run.clone() }, count, f),
    }
}

/// Computes `f` on the ranges 0..block, block..2·block, … of 0..rows; results in that order.
pub fn blocks<T: Send>(
    run: &Run<'_>,
    rows: usize,
    block: usize,
    f: impl Fn(Range<usize>) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let block = block.max(1);
    each(run, rows.div_ceil(block), |i| f(i * block..rows.min((i + 1) * block)))
}

/// Σ over blocks of the vectors of `length` numbers that `f` adds up for its rows, joined in the order of the blocks.
///
/// `f` gets the rows and a vector of zeros to add to. The zeros of all blocks are counted, so choose blocks large
/// enough that `rows / block · length` numbers are no burden.
pub fn sum_blocks(
    run: &Run<'_>,
    rows: usize,
    block: usize,
    length: usize,
    f: impl Fn(Range<usize>, &mut [f64]) -> Result<()> + Sync,
) -> Result<Vec<f64>> {
    let count = rows.div_ceil(block.max(1)).max(1);
    let _hold = run.memory.take_for::<f64>(count.saturating_mul(length), "partial sums")?;
    let mut partial = blocks(run, rows, block, |range| {
        let mut sum = vec![0.0; length];
        f(range, &mut sum)?;
        Ok(sum)
    })?
    .into_iter();
    let mut total = partial.next().unwrap_or_else(|| vec![0.0; length]);
    for part in partial {
        total.iter_mut().zip(part).for_each(|(t, p)| *t += p);
    }
    Ok(total)
}

/// Calls `f(i, chunk)` on the i-th chunk of `chunk_length` values (the last may be shorter), chunks spread over threads.
pub fn each_chunk_mut<T: Send>(
    run: &Run<'_>,
    values: &mut [T],
    chunk_length: usize,
    f: impl Fn(usize, &mut [T]) -> Result<()> + Sync,
) -> Result<()> {
    let chunk_length = chunk_length.max(1);
    let count = values.len().div_ceil(chunk_length);
    let Some(pool) = pool(threads(run), count) else {
        return values.chunks_mut(chunk_length).enumerate().try_for_each(|(i, chunk)| {
            run.check()?;
            f(i, chunk)
        });
    };
    let first: Mutex<Option<(usize, Error)>> = Mutex::new(None);
    let failed = AtomicUsize::new(usize::MAX);
    let attempt = |(i, chunk): (usize, &mut [T])| {
        if i > failed.load(Relaxed) {
            return;
        }
        if let Err(error) = run.check().and_then(|()| f(i, chunk)) {
            failed.fetch_min(i, Relaxed);
            let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
            if first.as_ref().is_none_or(|(before, _)| i < *before) {
                *first = Some((i, error));
            }
        }
    };
    pool.install(|| values.par_chunks_mut(chunk_length).enumerate().with_max_len(1).for_each(attempt));
    match first.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some((_, error)) => Err(error),
        None => Ok(()),
    }
}

/// The kept pool of `size` threads; none for one thread, one piece, or where the system starts no threads.
fn pool(size: usize, pieces: usize) -> Option<Arc<rayon::ThreadPool>> {
    static POOLS: OnceLock<Mutex<HashMap<usize, Arc<rayon::ThreadPool>>>> = OnceLock::new();
    if size <= 1 || pieces <= 1 {
        return None;
    }
    let mut pools = POOLS.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(pool) = pools.get(&size) {
        return Some(pool.clone());
    }
    let made = rayon::ThreadPoolBuilder::new().num_threads(size).thread_name(|i| format!("pellucid-{i}")).build();
    let pool = Arc::new(made.ok()?);
    pools.insert(size, pool.clone());
    Some(pool)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Memory, Place};
    use std::collections::HashSet;

    fn run(threads: usize) -> Run<'static> {
        Run { threads, ..Run::quiet(1) }
    }

    #[test]
    fn results_come_in_order_on_any_number_of_threads() {
        for threads in [0, 1, 2, 5] {
            for count in [0, 1, 2, 1000] {
                let squares = each(&run(threads), count, |i| Ok(i * i)).unwrap();
                assert_eq!(squares, (0..count).map(|i| i * i).collect::<Vec<_>>());
            }
            let ranges = blocks(&run(threads), 10, 4, Ok).unwrap();
            assert_eq!(ranges, [0..4, 4..8, 8..10]);
            assert!(blocks(&run(threads), 0, 4, Ok).unwrap().is_empty());
            let mut values: Vec<usize> = (0..1001).collect();
            each_chunk_mut(&run(threads), &mut values, 10, |i, chunk| {
                chunk.iter_mut().for_each(|v| *v += 1000 * i);
                Ok(())
            })
            .unwrap();
            assert!(values.iter().enumerate().all(|(i, &v)| v == i + 1000 * (i / 10)));
        }
    }

    #[test]
    fn d20_processors_are_counted_once_a_process() {
        for _ in 0..100 {
            each(&run(0), 3, Ok).unwrap();
            assert!(threads(&run(0)) >= 1);
        }
        assert_eq!(ASKED.load(Relaxed), 1);
    }

    #[test]
    fn every_piece_hears_a_stop() {
        use base::{Progress, Verdict, Watch};
        struct Now(Verdict);
        impl Watch for Now {
            fn step(&self, _: &Progress<'_>) -> Verdict {
                self.0
            }
            fn asked(&self) -> Verdict {
                self.0
            }
        }
        for threads in [1, 3] {
            let done = AtomicUsize::new(0);
            let pieces = |run: &Run<'_>| {
                let slow = |_| {
                    done.fetch_add(1, Relaxed);
                    std::thread::sleep(std::time::Duration::from_millis(50));
                    Ok(())
                };
                each(run, 1000, slow).map(|_| ()).and(each_chunk_mut(run, &mut [0; 1000], 1, |i, _| slow(i)))
            };
            assert_eq!(pieces(&Run { watch: &Now(Verdict::Cancel), ..run(threads) }), Err(Error::Cancelled));
            let enough = Run { watch: &Now(Verdict::Enough), ..run(threads) };
            assert!(matches!(pieces(&enough.giving_up()), Err(Error::Stopped { .. })));
            assert!(done.load(Relaxed) < 100, "{}", done.load(Relaxed));
        }
    }

    #[test]
    fn the_first_error_in_order_wins() {
        let fail = |i: usize| match i % 7 {
            6 => Err(Error::data(Place::Whole, i.to_string())),
            _ => Ok(i),
        };
        for threads in [1, 4] {
            for _ in 0..20 {
                assert_eq!(each(&run(threads), 500, fail).unwrap_err().to_string(), "data: 6");
                let mut values = vec![0; 500];
                let error = each_chunk_mut(&run(threads), &mut values, 1, |i, _| fail(i).map(|_| ())).unwrap_err();
                assert_eq!(error.to_string(), "data: 6");
            }
        }
    }

    #[test]
    fn sums_have_the_same_bits_on_any_number_of_threads() {
        let values: Vec<f64> = (0..10_000).map(|i| base::Seed(3).at(i).unit() - 0.5).collect();
        let sum = |threads| {
            let add = |range: Range<usize>, out: &mut [f64]| {
                range.for_each(|i| out[i % 3] += values[i]);
                Ok(())
            };
            sum_blocks(&run(threads), values.len(), 128, 3, add).unwrap()
        };
        assert_eq!(
            sum(1).iter().map(|x| x.to_bits()).collect::<Vec<_>>(),
            sum(4).iter().map(|x| x.to_bits()).collect::<Vec<_>>()
        );
        let plain: f64 = values.iter().sum();
        assert!((sum(1).iter().sum::<f64>() - plain).abs() < 1e-10);
        let small = Run { memory: Memory::limited(100), ..run(1) };
        assert!(matches!(sum_blocks(&small, 10, 1, 3, |_, _| Ok(())), Err(Error::Memory { .. })));
        assert_eq!(sum_blocks(&run(4), 0, 1, 3, |_, _| Ok(())).unwrap(), [0.0; 3]);
    }

    #[test]
    fn nested_calls_end() {
        let deep = each(&run(3), 8, |i| {
            let inner = each(&run(2), 8, |j| each(&run(3), 4, |k| Ok(i + j + k)).map(|v| v.iter().sum::<usize>()))?;
            Ok(inner.iter().sum::<usize>())
        })
        .unwrap();
        assert_eq!(deep[0], (0..8).map(|j| 4 * j + 6).sum::<usize>());
    }

    #[test]
    fn one_thread_is_the_callers() {
        let me = std::thread::current().id();
        let seen: HashSet<_> = each(&run(1), 50, |_| Ok(std::thread::current().id())).unwrap().into_iter().collect();
        assert_eq!(seen, HashSet::from([me]));
    }
}
