//! One call from Python: its limits, its observer, its interrupts.
//!
//! The work runs on a thread of its own, without the lock of the interpreter. The calling thread waits and looks up
//! every tenth of a second: it hears signals, which only it may do, and tells the progress. The first interrupt asks
//! the work to stop and keep the best so far, the second to stop at once.

use crate::catalog::Everything;
use crate::errors::{fault, raise};
use crate::wording::calls;
use pellucid::{Memory, Message, Progress, Result, Run, Verdict, Watch, files};
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const PAUSE: Duration = Duration::from_millis(100);
const STACK: usize = 64 << 20;

/// What a call may use.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Limits {
    seed: u64,
    threads: usize,
    memory: Option<u64>,
    seconds: Option<f64>,
    progress: Option<Py<PyAny>>,
}

/// Where the work is: stage, units done, units in all, a number that shows how far.
type Place = (String, u64, Option<u64>, Option<f64>);

/// What the thread at work and the one that waits say to each other.
#[derive(Default)]
struct Desk {
    interrupts: AtomicU8,
    asked: AtomicBool,
    place: Mutex<Option<Place>>,
    notes: Mutex<Vec<String>>,
}

impl Watch for Desk {
    fn step(&self, progress: &Progress<'_>) -> Verdict {
        if self.asked.swap(false, Relaxed) {
            let place = (progress.stage.to_string(), progress.done, progress.total, progress.value);
            *self.place.lock().unwrap_or_else(PoisonError::into_inner) = Some(place);
        }
        self.asked()
    }

    fn asked(&self) -> Verdict {
        match self.interrupts.load(Relaxed) {
            0 => Verdict::GoOn,
            1 => Verdict::Enough,
            _ => Verdict::Cancel,
        }
    }

    fn note(&self, text: &str) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).push(text.to_string());
    }

    fn advise(&self, message: &Message) {
        self.note(&message.worded(&calls));
    }
}

/// What came of a call.
pub struct Done<T> {
    /// The answer.
    pub answer: T,
    /// The interrupt that cut it short, to be raised when the answer is stored.
    pub interrupt: Option<PyErr>,
    /// What the user should know.
    pub notes: Vec<String>,
}

/// Does the work on a thread of its own. If `keep`, the first interrupt leaves the best so far.
pub fn work<T: Send>(
    py: Python<'_>,
    limits: &Limits,
    keep: bool,
    work: impl FnOnce(&Run<'_>) -> Result<T> + Send,
) -> PyResult<Done<T>> {
    let desk = Desk::default();
    let memory = match limits.memory {
        Some(bytes) => Memory::limited(bytes),
        None => files::free_memory().map_or_else(Memory::unlimited, |free| Memory::limited(free / 5 * 4)),
    };
    let seconds = limits.seconds.map(|s| Duration::try_from_secs_f64(s).unwrap_or(Duration::MAX));
    let run = Run {
        threads: limits.threads,
        memory,
        deadline: seconds.and_then(|s| Instant::now().checked_add(s)),
        watch: &desk,
        catalog: &Everything,
        ..Run::quiet(limits.seed)
    };
    let (outcome, interrupt) = py.detach(|| wait(&desk, limits.progress.as_ref(), keep, || work(&run)));
    let notes = std::mem::take(&mut *desk.notes.lock().unwrap_or_else(PoisonError::into_inner));
    match (outcome, interrupt) {
        (Err(panic), _) => Err(fault(&*panic)),
        (Ok(Ok(answer)), interrupt) => Ok(Done { answer, interrupt, notes }),
        (Ok(Err(_)), Some(interrupt)) => Err(interrupt),
        (Ok(Err(error)), None) => Err(raise(error)),
    }
}

/// Waits for the work and hears signals meanwhile; the answer, and the first exception that a signal or the observer
/// raised.
fn wait<T: Send>(
    desk: &Desk,
    progress: Option<&Py<PyAny>>,
    keep: bool,
    work: impl FnOnce() -> T + Send,
) -> (std::thread::Result<T>, Option<PyErr>) {
    let mut interrupt = None;
    let answer = std::thread::scope(|scope| {
        let (done, waiting) = channel::<()>();
        let work = move || {
            let _done = done; // Dropped at the end, in a panic too.
            work()
        };
        let thread = match std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work) {
            Ok(thread) => thread,
            Err(refused) => return Err(Box::new(refused.to_string()) as Box<dyn std::any::Any + Send>),
        };
        while let Err(RecvTimeoutError::Timeout) = waiting.recv_timeout(PAUSE) {
            if let Err(raised) = Python::attach(|py| look_up(py, desk, progress)) {
                interrupt.get_or_insert(raised);
                desk.interrupts.fetch_add(if keep { 1 } else { 2 }, Relaxed);
            }
        }
        thread.join()
    });
    (answer, interrupt)
}

/// Hears signals and tells the progress.
fn look_up(py: Python<'_>, desk: &Desk, progress: Option<&Py<PyAny>>) -> PyResult<()> {
    py.check_signals()?;
    if let Some(observer) = progress {
        let place = desk.place.lock().unwrap_or_else(PoisonError::into_inner).take();
        desk.asked.store(true, Relaxed);
        if let Some(place) = place {
            observer.call1(py, place)?;
        }
    }
    Ok(())
}
