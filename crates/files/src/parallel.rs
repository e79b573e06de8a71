//! An ordered parallel map: the same results in the same order for any number of threads.

use base::{Error, Result, Run};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// `f(0), f(1), ..., f(count - 1)`, computed on up to `run.threads` threads.
///
/// If some fail, the error is that of the lowest index: indices are handed out in order, so all below a failure have
/// been tried.
pub(crate) fn each<T: Send>(run: &Run, count: usize, f: impl Fn(usize) -> Result<T> + Sync) -> Result<Vec<T>> {
    let threads = run.threads.min(count);
    if threads < 2 {
        return (0..count).map(f).collect();
    }
    let next = AtomicUsize::new(0);
    let failed = AtomicBool::new(false);
    let slots: Vec<Mutex<Option<Result<T>>>> = (0..count).map(|_| Mutex::new(None)).collect();
    let work = || {
        while !failed.load(Relaxed) {
            let i = next.fetch_add(1, Relaxed);
            if i >= count {
                break;
            }
            let result = f(i);
            if result.is_err() {
                failed.store(true, Relaxed);
            }
            if let Ok(mut slot) = slots[i].lock() {
                *slot = Some(result);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    let mut all = Vec::with_capacity(count);
    for slot in slots {
        // A slot stays empty only behind a failure, which is met first.
        all.push(slot.into_inner().ok().flatten().unwrap_or(Err(Error::Cancelled))?);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_first_error_do_not_depend_on_threads() {
        for threads in [1, 2, 7] {
            let run = Run { threads, ..Run::quiet(1) };
            let squares: Vec<usize> = each(&run, 100, |i| Ok(i * i)).unwrap();
            assert!(squares.iter().enumerate().all(|(i, &s)| s == i * i));
            let fail = |i| if i % 30 == 29 { Err(Error::size("i", 0, i)) } else { Ok(i) };
            assert_eq!(each(&run, 100, fail), Err(Error::size("i", 0, 29)));
        }
    }
}
