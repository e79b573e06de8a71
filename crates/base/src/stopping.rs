//! What becomes of work that has no partial result when time is over or the observer says that it is enough.
//!
//! Loops that keep a best so far ask [`crate::Run::step`] and end. Everything else (a factorisation, a table of
//! distances) is of no use half done. Within a fit it is given up, after a moment in which quick work ends by itself;
//! outside of one, and once a fit has begun to finish what it keeps, only cancelling ends it.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// So long work without a partial result may still go on.
const GRACE: Duration = Duration::from_millis(400);

/// Whether work is given up, and since when it is enough.
#[derive(Debug, Clone, Default)]
pub struct Stopping {
    mode: Mode,
    /// When it was first heard that it is enough; shared by all parts of a run.
    since: Arc<OnceLock<Instant>>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Mode {
    #[default]
    Outside,
    GivesUp,
    Finishes,
}

impl Stopping {
    /// Remembers when it was first enough.
    pub(crate) fn hear(&self) {
        self.since.get_or_init(Instant::now);
    }

    /// Whether work without a partial result is to end now.
    pub(crate) fn over(&self) -> bool {
        self.mode == Mode::GivesUp && self.since.get().is_some_and(|since| since.elapsed() >= GRACE)
    }

    pub(crate) fn giving_up(&self) -> Self {
        let mode = if self.mode == Mode::Finishes { Mode::Finishes } else { Mode::GivesUp };
        Stopping { mode, since: self.since.clone() }
    }

    pub(crate) fn finishing(&self) -> Self {
        Stopping { mode: Mode::Finishes, since: self.since.clone() }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Error, Progress, Run};
    use std::time::{Duration, Instant};

    #[test]
    fn work_without_a_partial_result_is_given_up_after_a_moment() {
        let late = Run { deadline: Some(Instant::now()), ..Run::quiet(1) };
        let progress = Progress::of("test", 0, 1);
        let fit = late.giving_up();
        assert_eq!((fit.check(), fit.is_enough()), (Ok(()), Ok(true)), "quick work ends by itself");
        std::thread::sleep(Duration::from_millis(450));
        assert!(matches!(fit.check(), Err(Error::Stopped { .. })));
        assert!(matches!(fit.report(&progress), Err(Error::Stopped { .. })));
        assert_eq!(fit.step(&progress), Ok(true), "loops keep their best so far");
        assert_eq!((late.check(), fit.finishing().check()), (Ok(()), Ok(())));
        assert_eq!(fit.finishing().giving_up().check(), Ok(()), "what is being finished is finished");
        let named = fit.check().map_err(|e| e.while_at("pca").while_at("ridge"));
        assert!(named.unwrap_err().to_string().starts_with("stopped before pca was finished: nothing was fitted"));
    }
}
