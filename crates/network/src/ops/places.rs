//! Where each element of a result comes from, axis by axis.
//!
//! y[i₀, i₁, …] = x[t₀[i₀] + t₁[i₁] + …], with one table of places for each axis of y: slices, pads, tiles, broadcasts,
//! gathers and nearest neighbours are all of this form. Trailing axes whose places follow each other are copied as one
//! run. The pull back adds y's gradient up at the same places, in order.
//!
//! **Cost.** One pass over y; the tables take as many numbers as y's sizes add up to.

use super::shapes::{PIECE, product};
use crate::number::Number;
use base::{Hold, Result, Run};
use numeric::{Real, each_chunk_mut};
use std::ops::Range;

/// The place of an element that comes from nowhere.
pub(super) const OUTSIDE: usize = usize::MAX;

/// Tables of places.
pub(super) struct Places {
    /// One for each outer axis that is walked.
    tables: Vec<Vec<usize>>,
    /// The last table as stretches that follow each other: place and length.
    stretches: Vec<(usize, usize)>,
    /// Where the first run starts, added to all places; none if all lie outside.
    start: Option<usize>,
    _hold: Hold,
}

impl Places {
    /// The places of a result of that shape, as `place` says for axis and index.
    pub fn new(shape: &[usize], run: &Run<'_>, mut place: impl FnMut(usize, usize) -> usize) -> Result<Self> {
        let empty = product(shape) == 0;
        let length = if empty { 0 } else { shape.iter().sum() };
        let hold = run.memory.take_for::<[usize; 3]>(length, "places of elements")?;
        let mut tables: Vec<Vec<usize>> = vec![];
        if !empty {
            tables.extend(shape.iter().enumerate().map(|(axis, &n)| (0..n).map(|i| place(axis, i)).collect()));
        }
        let (mut run, mut start) = (1, Some(0));
        while let Some(last) = tables.last() {
            let first = last[0];
            let follow = |(i, &t): (usize, &usize)| t != OUTSIDE && t == first + i * run;
            let outside = last.len() == 1 && first == OUTSIDE;
            if !outside && !last.iter().enumerate().all(follow) {
                break;
            }
            start = start.filter(|_| !outside).map(|s: usize| s + first);
            run *= last.len();
            tables.pop();
        }
        let mut stretches: Vec<(usize, usize)> = vec![];
        for t in tables.pop().unwrap_or_else(|| vec![0]) {
            match stretches.last_mut() {
                Some((OUTSIDE, length)) if t == OUTSIDE => *length += run,
                Some((place, length)) if *place != OUTSIDE && t == *place + *length => *length += run,
                _ => stretches.push((t, run)),
            }
        }
        Ok(Places { tables, stretches, start, _hold: hold })
    }

    /// Where the result lies in one piece, if it does.
    pub fn stretch(&self) -> Option<usize> {
        self.start.filter(|_| self.tables.is_empty() && self.stretches.len() == 1 && self.stretches[0].0 != OUTSIDE)
    }

    /// y from x; what comes from nowhere is `fill`.
    pub fn copy<T: Number>(&self, x: &[T], fill: T, y: &mut [T], run: &Run<'_>) -> Result<()> {
        if y.is_empty() {
            return Ok(());
        }
        let line = self.line();
        let lines = (PIECE / line).max(1);
        each_chunk_mut(run, y, lines * line, |piece, y| {
            let first = piece * lines;
            if self.stretches.len() == line {
                // Elements one by one.
                for (i, y) in y.chunks_exact_mut(line).enumerate() {
                    let base = self.base(first + i);
                    for (y, &(place, _)) in y.iter_mut().zip(&self.stretches) {
                        *y = base.filter(|_| place != OUTSIDE).map_or(fill, |base| x[base + place]);
                    }
                }
                return Ok(());
            }
            self.walk(first..first + y.len() / line, |place, range| {
                let out = &mut y[range];
                match place {
                    Some(place) => out.copy_from_slice(&x[place..place + out.len()]),
                    None => out.fill(fill),
                }
            });
            Ok(())
        })
    }

    /// Adds y's gradient to x's; the answer is the sum of what belongs to nowhere.
    pub fn add_back<T: Real + Number>(&self, g: &[T], dx: &mut [T]) -> f64 {
        let mut outside = 0.0;
        if g.is_empty() {
            return outside;
        }
        self.walk(0..g.len() / self.line(), |place, range| match place {
            Some(place) => dx[place..].iter_mut().zip(&g[range]).for_each(|(d, &g)| *d += g),
            None => outside += g[range].iter().map(|g| g.wide()).sum::<f64>(),
        });
        outside
    }

    /// Elements of one line: what the last table is for.
    fn line(&self) -> usize {
        self.stretches.iter().map(|(_, length)| length).sum()
    }

    /// Where a line's places count from; none if all of it lies outside.
    fn base(&self, line: usize) -> Option<usize> {
        let (mut rest, mut base) = (line, self.start);
        for table in self.tables.iter().rev() {
            let t = table[rest % table.len()];
            base = base.filter(|_| t != OUTSIDE).map(|b| b + t);
            rest /= table.len();
        }
        base
    }

    /// Calls with the place in x and the range in y (from the first line on) of every stretch of these lines.
    fn walk(&self, lines: Range<usize>, mut f: impl FnMut(Option<usize>, Range<usize>)) {
        let mut at = 0;
        for line in lines {
            let base = self.base(line);
            for &(place, length) in &self.stretches {
                f(base.filter(|_| place != OUTSIDE).map(|b| b + place), at..at + length);
                at += length;
            }
        }
    }
}
