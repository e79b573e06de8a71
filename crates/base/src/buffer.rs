//! Shared numbers: made once, looked at by many, never copied to be shared.
//!
//! The owner may be a vector, a mapped file or memory that belongs to another language; whoever implements
//! `AsRef<[T]>` will do. A [`Shared`] is a window on such an owner and is cheap to clone and to cut.

use crate::{Error, Hold, Memory, Result};
use std::borrow::Cow;
use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// A window on numbers that somebody owns.
pub struct Shared<T> {
    owner: Arc<dyn AsRef<[T]> + Send + Sync>,
    range: Range<usize>,
}

impl<T: Send + Sync + 'static> Shared<T> {
    /// Takes over a vector.
    pub fn new(values: Vec<T>) -> Self {
        Self::owned_by(Arc::new(values))
    }

    /// A window on all that `owner` has: a vector, a mapped file, an array of another language.
    pub fn owned_by(owner: Arc<dyn AsRef<[T]> + Send + Sync>) -> Self {
        let range = 0..(*owner).as_ref().len();
        Shared { owner, range }
    }

    /// Takes over a vector together with the hold that counts it, so that both go at the same time.
    pub fn counted(values: Vec<T>, hold: Hold) -> Self {
        Self::owned_by(Arc::new(Counted { values, _hold: hold }))
    }

    /// A smaller window on the same owner; `range` counts from this window's start and is cut to its end.
    pub fn slice(&self, range: Range<usize>) -> Self {
        let end = (self.range.start + range.end).min(self.range.end);
        let start = (self.range.start + range.start).min(end);
        Shared { owner: self.owner.clone(), range: start..end }
    }
}

struct Counted<T> {
    values: Vec<T>,
    _hold: Hold,
}

impl<T> AsRef<[T]> for Counted<T> {
    fn as_ref(&self) -> &[T] {
        &self.values
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Shared { owner: self.owner.clone(), range: self.range.clone() }
    }
}

impl<T> Deref for Shared<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &(*self.owner).as_ref()[self.range.clone()]
    }
}

impl<T: Send + Sync + 'static> From<Vec<T>> for Shared<T> {
    fn from(values: Vec<T>) -> Self {
        Shared::new(values)
    }
}

impl<T: Send + Sync + 'static> FromIterator<T> for Shared<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        items.into_iter().collect::<Vec<T>>().into()
    }
}

impl<'a, T> IntoIterator for &'a Shared<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: PartialEq> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: fmt::Debug> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 8;
        let values: &[T] = self;
        let mut list = f.debug_list();
        list.entries(&values[..values.len().min(SHOWN)]);
        if values.len() > SHOWN {
            list.entry(&format_args!("… {} in all", values.len()));
        }
        list.finish()
    }
}

/// Shared numbers of single or double precision.
#[derive(Debug, Clone, PartialEq)]
pub enum Buffer {
    /// Single precision.
    F32(Shared<f32>),
    /// Double precision.
    F64(Shared<f64>),
}

impl Buffer {
    /// How many numbers.
    pub fn len(&self) -> usize {
        match self {
            Buffer::F32(v) => v.len(),
            Buffer::F64(v) => v.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes the numbers take.
    pub fn bytes(&self) -> u64 {
        match self {
            Buffer::F32(v) => 4 * v.len() as u64,
            Buffer::F64(v) => 8 * v.len() as u64,
        }
    }

    /// The numbers `range` in double precision: a view where they are, a copy where they are not.
    pub fn get(&self, range: Range<usize>) -> Cow<'_, [f64]> {
        match self {
            Buffer::F32(v) => Cow::Owned(v[range].iter().map(|&x| f64::from(x)).collect()),
            Buffer::F64(v) => Cow::Borrowed(&v[range]),
        }
    }

    /// One number.
    pub fn at(&self, i: usize) -> f64 {
        match self {
            Buffer::F32(v) => f64::from(v[i]),
            Buffer::F64(v) => v[i],
        }
    }

    /// A smaller window on the same numbers.
    pub fn slice(&self, range: Range<usize>) -> Buffer {
        match self {
            Buffer::F32(v) => Buffer::F32(v.slice(range)),
            Buffer::F64(v) => Buffer::F64(v.slice(range)),
        }
    }

    /// The whole in double precision, counted where it has to be copied.
    pub fn to_f64(&self, memory: &Memory) -> Result<Shared<f64>> {
        match self {
            Buffer::F64(v) => Ok(v.clone()),
            Buffer::F32(v) => {
                let hold = memory.take_for::<f64>(v.len(), "a copy in double precision")?;
                Ok(Shared::counted(v.iter().map(|&x| f64::from(x)).collect(), hold))
            }
        }
    }

    /// The whole in single precision, counted where it has to be copied; a value beyond its range is an error.
    pub fn to_f32(&self, memory: &Memory) -> Result<Shared<f32>> {
        match self {
            Buffer::F32(v) => Ok(v.clone()),
            Buffer::F64(v) => {
                let hold = memory.take_for::<f32>(v.len(), "a copy in single precision")?;
                if let Some(big) = v.iter().find(|x| x.is_finite() && x.abs() > f64::from(f32::MAX)) {
                    return Err(Error::parameter("precision", "f32", format!("{big:e} does not fit; use f64")));
                }
                Ok(Shared::counted(v.iter().map(|&x| x as f32).collect(), hold))
            }
        }
    }
}

impl From<Vec<f64>> for Buffer {
    fn from(values: Vec<f64>) -> Self {
        Buffer::F64(values.into())
    }
}

impl From<Vec<f32>> for Buffer {
    fn from(values: Vec<f32>) -> Self {
        Buffer::F32(values.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_share_their_owner() {
        let all = Shared::new(vec![1, 2, 3, 4, 5]);
        let part = all.slice(1..4);
        assert_eq!((&part[..], &part.slice(1..9)[..]), (&[2, 3, 4][..], &[3, 4][..]));
        assert_eq!(part.as_ptr(), all[1..].as_ptr());
    }

    #[test]
    fn counted_numbers_are_given_back_with_the_last_window() {
        let memory = Memory::limited(100);
        let hold = memory.take_for::<f32>(4, "x").unwrap();
        let window = Shared::counted(vec![0f32; 4], hold).slice(0..1);
        assert_eq!(memory.used(), 16);
        drop(window);
        assert_eq!(memory.used(), 0);
    }

    #[test]
    fn precision_changes_are_explicit() {
        let memory = Memory::unlimited();
        assert_eq!(&Buffer::from(vec![1.5f32]).to_f64(&memory).unwrap()[..], &[1.5]);
        assert!(Buffer::from(vec![1e300]).to_f32(&memory).is_err());
        assert!(Buffer::from(vec![f64::NAN]).to_f32(&memory).unwrap()[0].is_nan());
    }
}
