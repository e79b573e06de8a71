//! Counted memory: large buffers ask before they are made, and give back when they go.
//!
//! A [`Memory`] is a budget shared by everything one run does. [`Memory::take`] answers with a [`Hold`] that lives as
//! long as the bytes it stands for, or with an error that names the number. The count is of what we ask for, not of
//! what the system reports; tests compare the two (peak resident size stays within 1.2 of the limit).

use crate::{Error, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A budget of bytes, shared by its clones.
#[derive(Debug, Clone)]
pub struct Memory(Arc<Budget>);

#[derive(Debug)]
struct Budget {
    limit: u64,
    used: AtomicU64,
    peak: AtomicU64,
}

impl Memory {
    /// A budget of `limit` bytes.
    pub fn limited(limit: u64) -> Self {
        Memory(Arc::new(Budget { limit, used: AtomicU64::new(0), peak: AtomicU64::new(0) }))
    }

    /// No limit; still counted.
    pub fn unlimited() -> Self {
        Self::limited(u64::MAX)
    }

    /// Asks for `bytes`, to be given back when the hold is dropped.
    pub fn take(&self, bytes: u64, what: &str) -> Result<Hold> {
        let budget = &self.0;
        let fits = |used: u64| used.checked_add(bytes).filter(|&sum| sum <= budget.limit);
        match budget.used.fetch_update(Relaxed, Relaxed, fits) {
            Ok(before) => {
                budget.peak.fetch_max(before + bytes, Relaxed);
                Ok(Hold { budget: self.clone(), bytes })
            }
            Err(used) => Err(Error::Memory { what: what.into(), asked: bytes, used, limit: budget.limit }),
        }
    }

    /// Asks for room for `count` values of type `T`; a product that does not fit 64 bits is refused like any other.
    pub fn take_for<T>(&self, count: usize, what: &str) -> Result<Hold> {
        self.take((count as u64).saturating_mul(size_of::<T>() as u64), what)
    }

    /// `count` copies of `value`, counted while the returned hold lives.
    pub fn filled<T: Clone>(&self, count: usize, value: T, what: &str) -> Result<(Vec<T>, Hold)> {
        let hold = self.take_for::<T>(count, what)?;
        Ok((vec![value; count], hold))
    }

    /// Bytes held now.
    pub fn used(&self) -> u64 {
        self.0.used.load(Relaxed)
    }

    /// The most bytes ever held at once.
    pub fn peak(&self) -> u64 {
        self.0.peak.load(Relaxed)
    }

    /// The budget.
    pub fn limit(&self) -> u64 {
        self.0.limit
    }

    /// What is left of the budget.
    pub fn free(&self) -> u64 {
        self.limit().saturating_sub(self.used())
    }
}

/// Bytes taken from a budget; dropping it gives them back.
#[derive(Debug)]
pub struct Hold {
    budget: Memory,
    bytes: u64,
}

impl Hold {
    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Grows or shrinks the hold to `bytes`, for buffers that grow as they are filled.
    pub fn resize(&mut self, bytes: u64, what: &str) -> Result<()> {
        if bytes > self.bytes {
            let more = self.budget.take(bytes - self.bytes, what)?;
            self.bytes += more.bytes;
            std::mem::forget(more);
        } else {
            self.budget.0.used.fetch_sub(self.bytes - bytes, Relaxed);
            self.bytes = bytes;
        }
        Ok(())
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.budget.0.used.fetch_sub(self.bytes, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_back_and_refuses() {
        let memory = Memory::limited(100);
        let mut first = memory.take(60, "a").unwrap();
        assert!(matches!(memory.take(41, "b"), Err(Error::Memory { asked: 41, used: 60, limit: 100, .. })));
        first.resize(90, "a").unwrap();
        assert_eq!(memory.free(), 10);
        assert!(first.resize(101, "a").is_err());
        first.resize(10, "a").unwrap();
        assert_eq!(memory.used(), 10);
        drop(first);
        assert_eq!((memory.used(), memory.peak()), (0, 90));
        assert!(memory.take_for::<f64>(usize::MAX, "overflow").is_err());
    }
}
