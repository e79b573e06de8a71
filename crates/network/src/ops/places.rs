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
    /// One for each axis that is walked.
    tables: Vec<Vec<usize>>,
    /// Length of the runs at each place.
    run: usize,
    /// Where the first run starts, added to all places; none if all lie outside.
    start: Option<usize>,
    _hold: Hold,
}

impl Places {
    /// The places of a result of that shape, as `place` says for axis and index.
    pub fn new(shape: &[usize], run: &Run<'_>, mut place: impl FnMut(usize, usize) -> usize) -> Result<Self> {
        let empty = product(shape) == 0;
        let length = if empty { 0 } else { shape.iter().sum() };
        let hold = run.memory.take_for::<usize>(length, "places of elements")?;
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
        Ok(Places { tables, run, start, _hold: hold })
    }

    /// Where the result lies in one piece, if it does.
    pub fn stretch(&self) -> Option<usize> {
        self.start.filter(|_| self.tables.is_empty())
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
            self.walk(first..first + y.len() / line, |place, range| {
                let out = &mut y[range];
                match place {
                    Some(place) if out.len() == 1 => out[0] = x[place],
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

    /// Elements of one line: the last table that is walked, with its runs.
    fn line(&self) -> usize {
        self.tables.last().map_or(1, Vec::len) * self.run
    }

    /// Calls with the place in x and the range in y (from the first line on) of every run of these lines.
    fn walk(&self, lines: Range<usize>, mut f: impl FnMut(Option<usize>, Range<usize>)) {
        let one = [0];
        let (last, outer) = self.tables.split_last().map_or((&one[..], &[][..]), |(last, outer)| (last, outer));
        let mut at = 0;
        for line in lines {
            let (mut rest, mut base) = (line, self.start);
            for table in outer.iter().rev() {
                let t = table[rest % table.len()];
                base = base.filter(|_| t != OUTSIDE).map(|b| b + t);
                rest /= table.len();
            }
            for &t in last {
                f(base.filter(|_| t != OUTSIDE).map(|b| b + t), at..at + self.run);
                at += self.run;
            }
        }
    }
}
