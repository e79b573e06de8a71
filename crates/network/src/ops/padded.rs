//! Channels laid out so that every part of a window is a shift.
//!
//! A place p of the window covers the elements p·stride + k·dilation of the padded axis. With the axis cut into its
//! residues modulo the stride, the k-th part of the window meets, at neighbouring places, neighbouring numbers; so a
//! convolution reads whole vectors at a place of its own for each part, and nothing is copied once for each part. The
//! places of a line are followed by a few that belong to nobody (where the window would leave the line), which are
//! computed and left out. Zeros after a line serve as those before the next where the stride is 1.
//!
//! **Cost.** One pass over the channels; as many numbers as they have, and the padding.

use crate::ops::sliding::{Axis, Sliding};
use base::{Error, Result};
use numeric::{Piece, Real, every};
use std::ops::Range;

/// One axis of the layout.
#[derive(Debug, Clone)]
struct Cut {
    axis: Axis,
    /// The residues that parts of the window meet.
    residues: Vec<usize>,
    /// Numbers of each residue.
    length: usize,
}

impl Cut {
    fn new(axis: Axis, share: bool) -> Option<Self> {
        let parts = || (0..axis.kernel).map(|k| k * axis.dilation);
        let mut residues: Vec<usize> = parts().take(axis.stride).map(|at| at % axis.stride).collect();
        residues.sort_unstable();
        residues.dedup();
        let ahead = (axis.kernel - 1).checked_mul(axis.dilation)? / axis.stride;
        let length = axis.places.checked_add(ahead)?;
        let after = length.saturating_sub(axis.begin + axis.size);
        let shared = if share && axis.stride == 1 { axis.begin.min(after).min(ahead) } else { 0 };
        Some(Cut { axis, residues, length: length - shared })
    }

    /// The residue's number and the shift of the k-th part.
    fn part(&self, k: usize) -> (usize, usize) {
        let at = k * self.axis.dilation;
        let residue = self.residues.partition_point(|&r| r < at % self.axis.stride);
        (residue, at / self.axis.stride)
    }

    /// The numbers of a residue that hold elements, and the element of the first, counted from place `first` on.
    fn filled(&self, residue: usize, first: usize) -> (Range<usize>, usize) {
        // Number t holds element (first + t)·stride + residue − begin.
        let Axis { size, stride, begin, .. } = self.axis;
        let start = first * stride + self.residues[residue];
        let low = begin.saturating_sub(start).div_ceil(stride);
        let high = (size + begin).saturating_sub(start).div_ceil(stride).min(self.length);
        (low.min(high)..high, (start + low * stride).saturating_sub(begin))
    }
}

/// The layout of a channel for a range of places.
#[derive(Debug, Clone)]
pub(crate) struct Padded {
    cuts: [Cut; 3],
    /// Numbers of a channel.
    pub channel: usize,
    /// Where the places of this layout begin, axis by axis.
    first: [usize; 3],
    /// Places in a row, those that belong to nobody included.
    pub reach: usize,
}

impl Padded {
    /// The layout for the places of `sliding`, of which those of `lines` along axis `along` (0 or 1) are kept.
    pub fn new(sliding: &Sliding, along: usize, lines: Range<usize>) -> Result<Self> {
        let mut axes = sliding.axes;
        axes[along].places = lines.len();
        let mut first = [0; 3];
        first[along] = lines.start;
        let build = || {
            let cuts = [Cut::new(axes[0], false)?, Cut::new(axes[1], false)?, Cut::new(axes[2], true)?];
            let channel =
                cuts.iter().try_fold(1usize, |n, c| n.checked_mul(c.residues.len())?.checked_mul(c.length))?;
            let [p, q, r] = axes.map(|a| a.places);
            let reach = (p.saturating_sub(1) * cuts[1].length + q.saturating_sub(1)) * cuts[2].length + r;
            Some(Padded { cuts, channel, first, reach })
        };
        build().ok_or_else(|| Error::size("sizes of a convolution", "numbers one can count to", format!("{axes:?}")))
    }

    /// Whether it is not mostly padding.
    pub fn is_thrifty(&self, sliding: &Sliding) -> bool {
        self.channel <= (sliding.space() + sliding.place_count()).saturating_mul(8)
    }

    /// Numbers that may be read past the last channel.
    pub fn slack<T: Real>(&self) -> usize {
        self.cuts[2].length + numeric::tile_columns::<T>()
    }

    /// Numbers of one residue of all axes.
    fn plane(&self) -> usize {
        self.cuts.iter().map(|c| c.length).product()
    }

    /// The shift of each part of the window.
    pub fn shifts(&self) -> Vec<usize> {
        let [a, b, c] = &self.cuts;
        let mut shifts = Vec::with_capacity(a.axis.kernel * b.axis.kernel * c.axis.kernel);
        for i in 0..a.axis.kernel {
            for j in 0..b.axis.kernel {
                for k in 0..c.axis.kernel {
                    let ((r, x), (s, y), (t, z)) = (a.part(i), b.part(j), c.part(k));
                    let residue = (r * b.residues.len() + s) * c.residues.len() + t;
                    shifts.push(residue * self.plane() + (x * b.length + y) * c.length + z);
                }
            }
        }
        shifts
    }

    /// The pieces of `columns` places in a row that belong to the result, whose lines follow each other.
    pub fn pieces(&self, columns: Range<usize>) -> Vec<Piece> {
        let [a, b, c] = &self.cuts;
        let mut list: Vec<Piece> = vec![];
        let mut at = columns.start;
        while at < columns.end {
            let (line, inner) = (at / c.length, at % c.length);
            let (p, q) = (line / b.length, line % b.length);
            let valid = p < a.axis.places && q < b.axis.places && inner < c.axis.places;
            let end = columns.end.min(line * c.length + if inner < c.axis.places { c.axis.places } else { c.length });
            if valid {
                let to = (p * b.axis.places + q) * c.axis.places + inner;
                match list.last_mut() {
                    // Lines without gaps are one piece.
                    Some(last) if last.from + last.count == at - columns.start && last.to + last.count == to => {
                        last.count += end - at;
                    }
                    _ => list.push(Piece { from: at - columns.start, to, count: end - at }),
                }
            }
            at = end;
        }
        list
    }

    /// Writes one channel; `out` has [`Padded::channel`] numbers.
    pub fn fill<T: Real>(&self, x: &[T], out: &mut [T]) {
        let [a, b, c] = &self.cuts;
        let mut planes = out.chunks_exact_mut(self.plane().max(1));
        for r in 0..a.residues.len() {
            for s in 0..b.residues.len() {
                for t in 0..c.residues.len() {
                    let Some(plane) = planes.next() else { return };
                    let (outer, i) = a.filled(r, self.first[0]);
                    let (middle, j) = b.filled(s, self.first[1]);
                    let (inner, k) = c.filled(t, self.first[2]);
                    for (p, slab) in plane.chunks_exact_mut(b.length * c.length).enumerate() {
                        if !outer.contains(&p) {
                            slab.fill(T::ZERO);
                            continue;
                        }
                        let i = i + (p - outer.start) * a.axis.stride;
                        for (q, line) in slab.chunks_exact_mut(c.length).enumerate() {
                            if !middle.contains(&q) || inner.is_empty() {
                                line.fill(T::ZERO);
                                continue;
                            }
                            let j = j + (q - middle.start) * b.axis.stride;
                            let from = &x[(i * b.axis.size + j) * c.axis.size..][..c.axis.size][k..];
                            line[..inner.start].fill(T::ZERO);
                            line[inner.end..].fill(T::ZERO);
                            let line = &mut line[inner.clone()];
                            match c.axis.stride {
                                1 => line.copy_from_slice(&from[..line.len()]),
                                stride => every(stride, from, line),
                            }
                        }
                    }
                }
            }
        }
    }
}
