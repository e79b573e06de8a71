//! Numbers inside bytes: looked at where they lie if they lie right, copied and counted if not.

use base::{Memory, Result, Shared};
use bytemuck::Pod;
use std::io::{self, Write};
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

/// Whoever owns bytes: a mapped file, a vector, memory of another language.
pub type Owner = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// A number that files store in little-endian order.
pub(crate) trait Stored: Pod + Send + Sync {
    /// The number of exactly `size_of::<Self>()` bytes.
    fn from_le(bytes: &[u8]) -> Self;
    /// Its bytes in a file.
    fn push_le(self, out: &mut Vec<u8>);
}

macro_rules! stored {
    ($($type:ty)+) => {
        $(impl Stored for $type {
            fn from_le(bytes: &[u8]) -> Self {
                let mut all = [0; size_of::<$type>()];
                all.copy_from_slice(bytes);
                <$type>::from_le_bytes(all)
            }
            fn push_le(self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
        })+
    };
}

stored!(f32 f64 u32 u64 i64);

/// The little-endian numbers in `range` of the owner's bytes; a range beyond its end is empty, a rest is left out.
pub(crate) fn numbers<T: Stored>(owner: &Owner, range: Range<usize>, memory: &Memory) -> Result<Shared<T>> {
    let bytes = (**owner).as_ref().get(range.clone()).unwrap_or(&[]);
    if cfg!(target_endian = "little") && bytemuck::try_cast_slice::<u8, T>(bytes).is_ok() {
        return Ok(Shared::owned_by(Arc::new(Window { owner: owner.clone(), range, numbers: PhantomData::<T> })));
    }
    let hold = memory.take_for::<T>(bytes.len() / size_of::<T>(), "a copy of stored numbers")?;
    Ok(Shared::counted(bytes.chunks_exact(size_of::<T>()).map(T::from_le).collect(), hold))
}

/// Writes numbers in little-endian order, a block at a time; `said` hears how many bytes each block had.
pub(crate) fn write_le<T: Stored>(
    values: &[T],
    out: &mut dyn Write,
    said: &mut dyn FnMut(usize) -> io::Result<()>,
) -> io::Result<()> {
    const BLOCK: usize = 1 << 16;
    let mut bytes = Vec::new();
    for block in values.chunks(BLOCK) {
        if cfg!(target_endian = "little") {
            out.write_all(bytemuck::cast_slice(block))?;
        } else {
            bytes.clear();
            block.iter().for_each(|&x| x.push_le(&mut bytes));
            out.write_all(&bytes)?;
        }
        said(size_of_val(block))?;
    }
    Ok(())
}

struct Window<T> {
    owner: Owner,
    range: Range<usize>,
    numbers: PhantomData<T>,
}

impl<T: Pod> AsRef<[T]> for Window<T> {
    fn as_ref(&self) -> &[T] {
        let bytes = (*self.owner).as_ref().get(self.range.clone()).unwrap_or(&[]);
        bytemuck::try_cast_slice(bytes).unwrap_or(&[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aligned_numbers_are_seen_and_others_copied() {
        let mut bytes = vec![0u8; 40];
        // Wherever the vector lies, one of eight starts is aligned.
        let start = bytes.as_ptr().align_offset(8);
        let values = [1.5f64, -0.0, f64::INFINITY];
        for (i, v) in values.iter().enumerate() {
            bytes[start + 8 * i..][..8].copy_from_slice(&v.to_le_bytes());
        }
        let at = bytes[start..].as_ptr();
        let owner: Owner = Arc::new(bytes);
        let memory = Memory::limited(100);
        let seen = numbers::<f64>(&owner, start..start + 24, &memory).unwrap();
        assert_eq!((&seen[..], seen.as_ptr().cast::<u8>(), memory.used()), (&values[..], at, 0));
        let copied = numbers::<f64>(&owner, start + 1..start + 17, &memory).unwrap();
        assert_eq!((copied.len(), memory.used()), (2, 16));
        assert_eq!(numbers::<f64>(&owner, 0..1000, &memory).unwrap().len(), 0);
    }
}
