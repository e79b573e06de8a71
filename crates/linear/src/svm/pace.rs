//! When epochs are full, when they are quick, and when a fit ends.
//!
//! A full epoch looks at all classes and samples, quick ones at those where something may change. Quick epochs follow a full one
//! until one of them finds no violation or they are as many as allowed, which is twice as many each time; the next full one
//! verifies. Where a relative gap is asked for, the tolerance falls by 4 with every full epoch that finds no violation.

use super::Stop;
use base::{Record, Result};

/// Violations are mended above this fraction of the tolerance, so that the last look at all classes finds none above it.
pub(super) const WITHIN: f64 = 0.6;

/// Where a fit stands among its epochs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pace {
    /// Violations up to this may be left.
    pub tolerance: f64,
    pub epochs: usize,
    /// How many of them were full.
    pub full_epochs: usize,
    /// Whether the next epoch is full.
    pub full: bool,
    /// Quick epochs since the last full one, how many there may be now, and ever.
    quick: usize,
    most: usize,
    longest: usize,
}

impl Pace {
    const KIND: &str = "epochs";

    /// Before the first epoch; between two full ones there are at most `longest` quick ones.
    pub fn new(stop: &Stop, longest: usize) -> Self {
        Pace { tolerance: stop.first(), epochs: 0, full_epochs: 0, full: true, quick: 0, most: 1, longest }
    }

    /// The violation up to which this epoch has found none.
    pub fn limit(&self) -> f64 {
        if self.full { self.tolerance } else { WITHIN * self.tolerance }
    }

    /// Takes in an epoch; `done` if it found no violation above the limit. Whether the fit may end with it.
    pub fn after(&mut self, done: bool) -> bool {
        self.epochs += 1;
        if self.full {
            self.full_epochs += 1;
            (self.full, self.quick) = (false, 0);
            return done;
        }
        self.quick += 1;
        self.full = done || self.quick >= self.most;
        if self.full {
            self.most = (2 * self.most).min(self.longest);
        }
        false
    }

    /// The fit goes on though all violations are within the tolerance.
    pub fn tighten(&mut self) {
        self.tolerance *= 0.25;
    }

    /// As a record.
    pub fn record(&self) -> Record {
        Record::new(Self::KIND, 1)
            .with("tolerance", self.tolerance)
            .with("epochs", self.epochs)
            .with("full epochs", self.full_epochs)
            .with("full", self.full)
            .with("quick", self.quick)
            .with("most", self.most)
    }

    /// Reads what [`Pace::record`] wrote.
    pub fn read(record: &Record, longest: usize) -> Result<Self> {
        record.expect(Self::KIND, 1)?;
        Ok(Pace {
            tolerance: record.number("tolerance")?,
            epochs: record.count("epochs")?,
            full_epochs: record.count("full epochs")?,
            full: record.flag("full")?,
            quick: record.count("quick")?,
            most: record.count("most")?,
            longest,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quick_epochs_double_and_only_full_ones_end_a_fit() {
        let mut pace = Pace::new(&Stop { tolerance: 0.1, gap: 0.0, epochs: 100 }, 4);
        let mut kinds = String::new();
        for _ in 0..16 {
            kinds.push(if pace.full { 'F' } else { 'q' });
            assert!(!pace.after(false));
            assert_eq!(Pace::read(&pace.record(), 4).unwrap(), pace);
        }
        assert_eq!(kinds, "FqFqqFqqqqFqqqqF");
        assert_eq!((pace.epochs, pace.full_epochs), (16, 5));
        assert!(!pace.after(true), "a quick epoch without a violation is verified");
        assert!(pace.full && pace.after(true));
        assert_eq!((pace.limit(), pace.tolerance), (WITHIN * 0.1, 0.1));
        pace.tighten();
        assert_eq!(pace.tolerance, 0.025);
    }
}
