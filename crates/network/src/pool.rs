//! Buffers that are used again: what one node no longer needs, the next of the same size takes.
//!
//! Fresh memory costs as much as a pass over it, because the system hands it out page by page; a forward pass of many
//! layers would pay that for each of them. Buffers in use and waiting are counted against the run's memory.

use crate::number::Number;
use base::graph::Tensor;
use base::{Error, Hold, Memory, Result, Shared};
use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// From this many numbers on the system is asked whether it has the memory.
const LARGE: usize = 1 << 24;

/// Buffers that wait to be used again, by type and length.
#[derive(Clone, Default)]
pub(crate) struct Pool(Arc<Mutex<Waiting>>);

type Waiting = HashMap<(&'static str, usize), Vec<(Box<dyn Any + Send>, Hold)>>;

/// A buffer that goes back to its pool when nobody looks at it any more.
struct Pooled<T: Number> {
    values: Vec<T>,
    hold: Option<Hold>,
    pool: Pool,
}

impl<T: Number> AsRef<[T]> for Pooled<T> {
    fn as_ref(&self) -> &[T] {
        &self.values
    }
}

impl<T: Number> Drop for Pooled<T> {
    fn drop(&mut self) {
        self.pool.give(std::mem::take(&mut self.values), self.hold.take());
    }
}

impl<T: Number> Drop for Fresh<T> {
    fn drop(&mut self) {
        self.pool.give(std::mem::take(&mut self.values), self.hold.take());
    }
}

/// A buffer to be filled; it goes back to its pool if it does not become a tensor.
pub(crate) struct Fresh<T: Number> {
    /// The numbers; what they hold at first is not said.
    pub values: Vec<T>,
    hold: Option<Hold>,
    pool: Pool,
}

impl Pool {
    /// Takes a buffer back, unless its hold has gone elsewhere.
    fn give<T: Number>(&self, values: Vec<T>, hold: Option<Hold>) {
        if let Some(hold) = hold {
            let key = (T::ELEMENT.word(), values.len());
            let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.entry(key).or_default().push((Box::new(values), hold));
        }
    }

    /// A buffer of that length; what it holds at first is not said.
    pub fn take<T: Number>(&self, length: usize, memory: &Memory) -> Result<Fresh<T>> {
        let found = {
            let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.get_mut(&(T::ELEMENT.word(), length)).and_then(Vec::pop)
        };
        if let Some((values, hold)) = found
            && let Ok(values) = values.downcast::<Vec<T>>()
        {
            return Ok(Fresh { values: *values, hold: Some(hold), pool: self.clone() });
        }
        let hold = match memory.take_for::<T>(length, "activations of a network") {
            Ok(hold) => hold,
            Err(_) => {
                // What waits may be in the way.
                self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
                memory.take_for::<T>(length, "activations of a network")?
            }
        };
        // Asked first, because a vector that cannot be made ends the process.
        if length > LARGE && Vec::<T>::new().try_reserve_exact(length).is_err() {
            return Err(Error::size("numbers of a tensor", "as many as the system has memory for", length));
        }
        Ok(Fresh { values: vec![T::default(); length], hold: Some(hold), pool: self.clone() })
    }
}

impl<T: Number> Fresh<T> {
    /// The filled buffer as a tensor.
    pub fn tensor(mut self, shape: impl Into<Vec<usize>>) -> Result<Tensor> {
        let (values, hold) = (std::mem::take(&mut self.values), self.hold.take());
        let pooled = Pooled { values, hold, pool: self.pool.clone() };
        Tensor::new(shape, T::shared(Shared::owned_by(Arc::new(pooled))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_used_again_and_counted() {
        let (pool, memory) = (Pool::default(), Memory::limited(1000));
        let mut fresh = pool.take::<f32>(100, &memory).unwrap();
        fresh.values[0] = 5.0;
        let place = fresh.values.as_ptr();
        let tensor = fresh.tensor([10, 10]).unwrap();
        assert_eq!(memory.used(), 400);
        drop(tensor);
        // Twice: what was only taken comes back too.
        for _ in 0..2 {
            assert_eq!(pool.take::<f32>(100, &memory).unwrap().values.as_ptr(), place);
        }
        assert_eq!(memory.used(), 400);
        // What waits makes room when asked to.
        drop(pool.take::<f64>(50, &memory).unwrap().tensor([50]).unwrap());
        assert!(pool.take::<f64>(120, &memory).is_ok());
        assert!(pool.take::<f64>(200, &memory).is_err());
        assert!(pool.take::<f64>(1 << 50, &Memory::unlimited()).is_err(), "more than any system has");
    }
}
