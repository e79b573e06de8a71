//! One run of the program: its limits, its observer, its interrupts.
//!
//! The first Ctrl-C asks the work to stop and keep the best so far, the second to stop at once.

use crate::arguments::{self, Running};
use crate::ranks::Place;
use crate::wording::flags;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pellucid::{
    Checkpoint, KNOWN, Memory, Message, Progress, Ranks, Record, Result, Run, StateParts, Verdict, Watch, files,
};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// How often the user has pressed Ctrl-C; the signal handler can reach nothing else.
static INTERRUPTS: AtomicU32 = AtomicU32::new(0);

/// Draws progress on standard error and hears Ctrl-C.
pub struct Terminal {
    bar: ProgressBar,
    stage: Mutex<(String, Instant)>,
    /// Where there is no terminal to draw on: when a line of progress was last written.
    lines: Option<Mutex<Instant>>,
    quiet: bool,
}

/// How often progress is told in a line where nothing can be drawn.
const PAUSE: Duration = Duration::from_secs(5);

impl Terminal {
    /// An observer for these options. Installs the interrupt handler.
    pub fn new(running: &Running) -> Self {
        // A second handler cannot be installed; then interrupts end the program as usual.
        let _ = ctrlc::set_handler(|| {
            if INTERRUPTS.fetch_add(1, Relaxed) >= 2 {
                std::process::exit(130);
            }
        });
        let target = if running.quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(None, target);
        let piped = !running.quiet && !std::io::stderr().is_terminal();
        let lines = piped.then(|| Mutex::new(Instant::now()));
        Terminal { bar, stage: Mutex::new((String::new(), Instant::now())), lines, quiet: running.quiet }
    }

    /// Takes the bar away before results are printed.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }

    /// Whether the user has asked to stop.
    pub fn interrupted() -> bool {
        INTERRUPTS.load(Relaxed) > 0
    }
}

/// Bytes of memory this process has now and had at most, where the system tells.
pub fn resident() -> Option<(u64, u64)> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let of = |name: &str| {
        let line = text.lines().find_map(|l| l.strip_prefix(name))?;
        line.split_whitespace().next()?.parse::<u64>().ok().map(|kilobytes| 1024 * kilobytes)
    };
    Some((of("VmRSS:")?, of("VmHWM:")?))
}

/// Seconds that this thread has worked, where the system tells; else the seconds that have passed.
pub fn worked() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    let told = || {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        text.split_whitespace().next()?.parse::<f64>().ok().filter(|&nanoseconds| nanoseconds > 0.0)
    };
    match told() {
        Some(nanoseconds) => nanoseconds / 1e9,
        None => START.get_or_init(Instant::now).elapsed().as_secs_f64(),
    }
}

impl Watch for Terminal {
    fn step(&self, progress: &Progress<'_>) -> Verdict {
        if let Ok(mut stage) = self.stage.try_lock() {
            if stage.0 != progress.stage {
                *stage = (progress.stage.to_string(), Instant::now());
                let template = match progress.total {
                    Some(_) => "{prefix} {human_pos}/{human_len}{msg}  {wide_bar}  {eta} left",
                    None => "{prefix} {human_pos}{msg}  {spinner}  {elapsed}",
                };
                if let Ok(style) = ProgressStyle::with_template(template) {
                    self.bar.set_style(style);
                }
                self.bar.reset();
            }
            // Quick work needs no bar.
            if stage.1.elapsed() > Duration::from_millis(300) {
                if let Some(total) = progress.total {
                    self.bar.set_length(total);
                }
                let value = progress.value.map_or(String::new(), |v| format!("  {}", crate::show::short(v)));
                self.bar.set_prefix(progress.stage.to_string());
                self.bar.set_message(value);
                self.bar.set_position(progress.done);
            }
        }
        if let Some(Ok(mut last)) = self.lines.as_ref().map(Mutex::try_lock)
            && last.elapsed() >= PAUSE
        {
            *last = Instant::now();
            let of = progress.total.map_or(String::new(), |total| format!(" of {total}"));
            crate::show::progress(&format!("{} {}{of}", progress.stage, progress.done));
        }
        self.asked()
    }

    fn asked(&self) -> Verdict {
        match INTERRUPTS.load(Relaxed) {
            0 => Verdict::GoOn,
            1 => Verdict::Enough,
            _ => Verdict::Cancel,
        }
    }

    fn note(&self, text: &str) {
        if !self.quiet {
            self.bar.suspend(|| crate::show::remark(text));
        }
    }

    fn advise(&self, message: &Message) {
        self.note(&message.worded(&flags));
    }
}

/// The run that the options describe, observed by `terminal`.
pub fn run<'a>(running: &Running, terminal: &'a Terminal) -> Result<Run<'a>> {
    let limit = match &running.memory {
        Some(text) => arguments::size(text)?,
        // Processes of one machine share what is free there.
        None => files::free_memory().map_or(u64::MAX, |free| free / 5 * 4 / Place::here().local as u64),
    };
    let time = running.time.as_deref().map(arguments::time).transpose()?;
    Ok(Run {
        threads: running.threads,
        memory: Memory::limited(limit),
        deadline: time.map(|t| Instant::now() + t),
        watch: terminal,
        catalog: &KNOWN,
        ..Run::quiet(running.seed)
    })
}

/// Writes checkpoints to a file, or with others to files beside it, now and then and when a fit is stopped.
pub struct FileCheckpoint {
    path: PathBuf,
    /// Between two of them; none on ranks that do not keep the time.
    pause: Option<Duration>,
    last: Mutex<Instant>,
    written: AtomicU32,
}

impl FileCheckpoint {
    /// Checkpoints go to that file; without a pause another process says when, and keeps what is not in parts.
    pub fn new(path: PathBuf, pause: Option<Duration>) -> Self {
        FileCheckpoint { path, pause, last: Mutex::new(Instant::now()), written: AtomicU32::new(0) }
    }

    fn count(&self) {
        self.written.fetch_add(1, Relaxed);
        // A thread that panicked leaves the moment of the last checkpoint, which is still true.
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        *last = Instant::now();
    }

    /// What became of it, in a sentence.
    pub fn told(&self) -> String {
        let path = self.path.display();
        match self.written.load(Relaxed) {
            0 => format!("no checkpoint was written to {path}: the fit ended before one was due"),
            _ => format!("checkpoint: {path} (continue with --resume {path})"),
        }
    }
}

impl Checkpoint for FileCheckpoint {
    fn due(&self) -> bool {
        self.pause.is_some_and(|pause| self.last.lock().is_ok_and(|last| last.elapsed() >= pause))
    }

    fn keep(&self, record: Record) -> Result<()> {
        if self.pause.is_some() {
            files::write_model(&self.path, &record, &Run::quiet(0))?;
            self.count();
        }
        Ok(())
    }

    fn keep_parts(&self, state: &StateParts, ranks: &dyn Ranks) -> Result<()> {
        files::write_parts(&self.path, state, ranks)?;
        self.count();
        Ok(())
    }
}
