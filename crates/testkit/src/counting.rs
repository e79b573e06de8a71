//! An allocator that counts, so that what a computation takes can be compared with what it asked for.
//!
//! It serves every test program that uses this crate. Only large pieces are counted (from [`LARGE`] bytes on), by thread:
//! tests run side by side, and a computation on one thread is the calling thread's.
#![allow(unsafe_code, reason = "an allocator that counts is unsafe by its definition")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Pieces below this are not counted: rows, names, small matrices.
const LARGE: usize = 1 << 15;

thread_local! {
    static LIVE: Cell<i64> = const { Cell::new(0) };
    static PEAK: Cell<i64> = const { Cell::new(0) };
}

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Bytes of large pieces that all threads have, and may have.
static ALL: AtomicUsize = AtomicUsize::new(0);
static BOUND: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Large pieces of this test program beyond so many bytes at a time are refused, which ends it.
pub fn bound_allocations(bytes: usize) {
    BOUND.store(bytes, Relaxed);
}

/// Whether a piece of this size is still within the bound.
fn admits(bytes: usize) -> bool {
    bytes < LARGE || ALL.load(Relaxed).saturating_add(bytes) <= BOUND.load(Relaxed)
}

/// Counts a piece that comes or goes. A thread that ends counts nothing any more.
fn count(bytes: usize, comes: bool) {
    if bytes >= LARGE {
        if comes {
            ALL.fetch_add(bytes, Relaxed);
        } else {
            ALL.fetch_sub(bytes, Relaxed);
        }
        let change = if comes { bytes as i64 } else { -(bytes as i64) };
        let live = LIVE.try_with(|live| {
            live.set(live.get() + change);
            live.get()
        });
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(live.unwrap_or(0))));
    }
}

// SAFETY: all is the system's but for what is refused; counting neither allocates nor looks at what is behind a pointer.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !admits(layout.size()) {
            return std::ptr::null_mut();
        }
        count(layout.size(), true);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !admits(layout.size()) {
            return std::ptr::null_mut();
        }
        count(layout.size(), true);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !admits(size) {
            return std::ptr::null_mut();
        }
        count(size, true);
        count(layout.size(), false);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(layout.size(), false);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// What `f` answers, and the most bytes in large pieces that this thread had at a time during it, beyond those before.
pub fn most_allocated<T>(f: impl FnOnce() -> T) -> (T, u64) {
    let before = LIVE.with(Cell::get);
    PEAK.with(|peak| peak.set(before));
    let answer = f();
    (answer, u64::try_from(PEAK.with(Cell::get) - before).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_pieces_are_counted_while_they_live() {
        let ((), two) = most_allocated(|| {
            let a = vec![1u8; 1 << 20];
            drop(a);
            let b = vec![0u8; 2 << 20];
            drop(std::hint::black_box(b));
        });
        assert_eq!(two, 2 << 20, "one after the other");
        let (kept, three) = most_allocated(|| {
            let mut a: Vec<u8> = Vec::with_capacity(1 << 20);
            a.resize(1 << 20, 1);
            (a, vec![0u8; 2 << 20])
        });
        assert_eq!(three, 3 << 20, "side by side");
        let ((), none) = most_allocated(|| drop((0..1000).map(|i| vec![i as u8; 1000]).collect::<Vec<_>>().pop()));
        assert!(none < 1 << 20, "small pieces do not count: {none}");
        drop(kept);
    }
}
