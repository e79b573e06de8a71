//! Products of matrices by tiles, for factors that are thin in some direction.
//!
//! The result is cut into blocks of some hundred rows and columns, each computed by one thread in stretches of the inner
//! dimension. Of one factor the numbers are taken one by one where they lie; of the other, vectors side by side are
//! wanted, so it is copied into panels as wide as a tile. Which is which depends on how the right factor lies: with
//! columns together (weights stored by output) it gives the single numbers, and the block is turned at the end, because
//! turning the larger factor would cost as much as the product.
//!
//! **Cost.** 2·m·n·k operations and a copy of one factor for each 128 rows of the other. Each element is one sum in the
//! order of the inner index, whatever the cut.

use crate::matrix::{Mat, MatMut};
use crate::pool::for_work;
use crate::tile::{Left, Steps, TILE_ROWS, tile, tile_columns};
use crate::{Finish, Piece, Real, each_chunk_mut, finish};
use base::{Progress, Result, Run};
use std::ops::Range;

/// Rows of a block.
const ROWS: usize = 128;
/// Rows of a block that is turned at the end.
const LONG: usize = 512;
/// Tiles side by side in a block.
const TILES: usize = 4;
/// Terms of the inner sum computed in one go.
const TERMS: usize = 256;
/// Numbers of a square that is turned in registers or the first-level cache.
const SIDE: usize = 16;

/// A part of the result: some columns of some rows.
struct Block<'a, T> {
    rows: Range<usize>,
    columns: Range<usize>,
    lines: Vec<&'a mut [T]>,
}

/// out = alpha · a · b, added to what `out` holds if `accumulate`; sizes fit.
pub(crate) fn tiled<T: Real>(
    run: &Run<'_>,
    a: Mat<'_, T>,
    b: Mat<'_, T>,
    mut out: MatMut<'_, T>,
    alpha: T,
    accumulate: bool,
) -> Result<()> {
    if out.is_transposed() {
        return tiled(run, b.transposed(), a.transposed(), out.transposed(), alpha, accumulate);
    }
    let (m, n, k) = (a.rows(), b.columns(), a.columns());
    let width = tile_columns::<T>();
    // Where the left factor is turned for each block of columns, there should be few of them.
    let (rows, columns) = match b.is_transposed() {
        true => (even(m, TILES * width, width), even(n, LONG, TILE_ROWS)),
        false => (even(m, ROWS, TILE_ROWS), even(n, TILES * width, width)),
    };
    let mut blocks: Vec<Block<'_, T>> = vec![];
    let mut lines = out.lines_mut().into_iter();
    for rows in rows {
        let first = blocks.len();
        let block = |columns: &Range<usize>| Block { rows: rows.clone(), columns: columns.clone(), lines: vec![] };
        blocks.extend(columns.iter().map(block));
        for line in lines.by_ref().take(rows.len()) {
            let mut rest = line;
            for block in &mut blocks[first..] {
                let (head, tail) = rest.split_at_mut(block.columns.len());
                block.lines.push(head);
                rest = tail;
            }
        }
    }
    let total = blocks.len() as u64;
    let run = &for_work(run, m.saturating_mul(n).saturating_mul(k));
    each_chunk_mut(run, &mut blocks, 1, |i, blocks| {
        for Block { rows, columns, lines } in blocks {
            run.report(&Progress::of("product", i as u64, total))?;
            // The turned block is that of the transposed product.
            let turned = b.is_transposed();
            let (sums, stride) = match turned {
                true => block(b.transposed(), a.transposed(), columns.clone(), rows.clone())?,
                false => block(a, b, rows.clone(), columns.clone())?,
            };
            match turned {
                true => put_turned(&sums, stride, lines, alpha, accumulate),
                false if accumulate || alpha != T::ONE => {
                    for (line, from) in lines.iter_mut().zip(sums.chunks_exact(stride)) {
                        match accumulate {
                            true => line.iter_mut().zip(from).for_each(|(y, &v)| *y += alpha * v),
                            false => line.iter_mut().zip(from).for_each(|(y, &v)| *y = alpha * v),
                        }
                    }
                }
                false => {
                    let whole = [Piece { from: 0, to: 0, count: columns.len() }];
                    finish(&sums, stride, &whole, lines, Finish::biased(None));
                }
            }
        }
        Ok(())
    })
}

/// Writes the columns of the sums as lines, in squares so that both sides stay in the cache.
fn put_turned<T: Real>(sums: &[T], stride: usize, lines: &mut [&mut [T]], alpha: T, accumulate: bool) {
    for (r, rows) in sums.chunks(SIDE * stride).enumerate() {
        for (i, line) in lines.iter_mut().enumerate() {
            let line = line[r * SIDE..].iter_mut().take(SIDE).zip(rows[i..].iter().step_by(stride));
            match accumulate {
                true => line.for_each(|(y, &v)| *y += alpha * v),
                false => line.for_each(|(y, &v)| *y = alpha * v),
            }
        }
    }
}

/// The sums of a block, row after row, and how far apart rows begin.
fn block<T: Real>(
    left: Mat<'_, T>,
    right: Mat<'_, T>,
    rows: Range<usize>,
    columns: Range<usize>,
) -> Result<(Vec<T>, usize)> {
    let (k, width) = (left.columns(), tile_columns::<T>());
    let count = columns.len().div_ceil(width);
    let stride = count * width;
    let mut sums = vec![T::ZERO; rows.len() * stride];
    let mut panels = vec![T::ZERO; count * width * TERMS.min(k)];
    let mut packed =
        vec![T::ZERO; if left.is_transposed() { rows.len().next_multiple_of(TILE_ROWS) * TERMS.min(k) } else { 0 }];
    let steps = Steps::even(TERMS.min(k), width);
    for start in (0..k).step_by(TERMS) {
        let terms = start..k.min(start + TERMS);
        let depth = terms.len();
        for (t, panel) in panels.chunks_exact_mut(width * TERMS.min(k)).enumerate() {
            let from = columns.start + t * width;
            pack(right, terms.clone(), from..columns.end.min(from + width), panel, width);
        }
        if left.is_transposed() {
            for (j, term) in terms.clone().enumerate() {
                let line = &left.line(term)[rows.clone()];
                let (whole, rest) = line.as_chunks::<TILE_ROWS>();
                let (out, _) = packed.as_chunks_mut::<TILE_ROWS>();
                for (part, out) in whole.iter().zip(out.iter_mut().skip(j).step_by(depth)) {
                    *out = *part;
                }
                if !rest.is_empty() {
                    out[whole.len() * depth + j][..rest.len()].copy_from_slice(rest);
                }
            }
        }
        for (t, panel) in panels.chunks_exact(width * TERMS.min(k)).enumerate() {
            let wide = width.min(columns.len() - t * width);
            for row in (0..rows.len()).step_by(TILE_ROWS) {
                let left = match left.is_transposed() {
                    true => Left { data: &packed[row * depth..], row: 1, step: TILE_ROWS },
                    false => {
                        let (data, stride) = left.starting_at(rows.start + row);
                        Left { data: &data[start..], row: stride, step: 1 }
                    }
                };
                let size = (TILE_ROWS.min(rows.len() - row), wide);
                let out = &mut sums[row * stride + t * width..];
                tile(left, (panel, &steps, 0..depth), out, stride, size, true)?;
            }
        }
    }
    Ok((sums, stride))
}

/// Copies a part of the right factor into a panel with lines of `width`; what is beyond the columns is of no account.
fn pack<T: Real>(right: Mat<'_, T>, terms: Range<usize>, columns: Range<usize>, panel: &mut [T], width: usize) {
    if !right.is_transposed() {
        for (line, term) in panel.chunks_exact_mut(width).zip(terms) {
            line[..columns.len()].copy_from_slice(&right.line(term)[columns.clone()]);
        }
        return;
    }
    for first in columns.clone().step_by(SIDE) {
        let lines: Vec<&[T]> = (first..columns.end.min(first + SIDE)).map(|c| &right.line(c)[terms.clone()]).collect();
        let at = first - columns.start;
        for start in (0..terms.len()).step_by(SIDE) {
            let depth = SIDE.min(terms.len() - start);
            let mut square = [[T::ZERO; SIDE]; SIDE];
            for (i, line) in lines.iter().enumerate() {
                for (square, &v) in square.iter_mut().zip(&line[start..start + depth]) {
                    square[i] = v;
                }
            }
            for (j, square) in square.iter().take(depth).enumerate() {
                panel[(start + j) * width + at..][..lines.len()].copy_from_slice(&square[..lines.len()]);
            }
        }
    }
}

/// 0..n in parts of at most `most`, nearly equal, at multiples of `step`.
fn even(n: usize, most: usize, step: usize) -> Vec<Range<usize>> {
    let parts = n.div_ceil(most.max(1));
    let size = n.div_ceil(parts.max(1)).next_multiple_of(step);
    (0..n).step_by(size.max(1)).map(|start| start..n.min(start + size)).collect()
}
