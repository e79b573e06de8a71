//! Rows of the kernel matrix on demand, in blocks, kept as long as the memory allows.
//!
//! The columns are cut into segments (one for all, or one for each class, so that machines of pairs share what they have
//! in common), and these into tiles. A row of a segment is a [`Piece`]: a line of each tile. Pieces are shared; a block
//! that was not used for long gives way when the budget is full and is computed again, with the same bits, when needed.
//!
//! The matrix is symmetric, bit for bit: as long as all that was computed is kept, values whose mirror image is there are
//! copied instead of computed again, where that is cheaper.

use crate::function::Digits;
use crate::source::{Columns, Queries, Source};
use base::{Error, Hold, Progress, Result, Run};
use numeric::each;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// Operations a value must take for its copy from elsewhere in memory to be cheaper.
const WORTH: usize = 400;
/// Segments from which on, and rows up to which, all values are computed at once.
pub(crate) const SEGMENTS: usize = 64;
pub(crate) const WHOLE: usize = 8192;

/// The kernel matrix of the training rows.
pub(crate) struct Rows<T> {
    source: Source<T>,
    diagonal: Vec<f64>,
    budget: u64,
    cache: Mutex<Cache<T>>,
    /// All values, where many small problems share them.
    whole: Option<(Vec<Vec<T>>, Hold)>,
}

struct Cache<T> {
    /// By segment and row: which block, which line of it.
    places: HashMap<(u32, u32), (u64, u32)>,
    blocks: HashMap<u64, Kept<T>>,
    bytes: u64,
    clock: u64,
    /// Whether a block had to give way.
    full: bool,
}

struct Kept<T> {
    block: Arc<Block<T>>,
    segment: u32,
    ids: Vec<u32>,
    used: u64,
}

/// Lines of the tiles of a segment.
struct Block<T> {
    /// lines x width of the tile, row after row.
    tiles: Vec<Vec<T>>,
    lines: usize,
    hold: Hold,
}

/// Rows that are kept, for each column of a segment.
struct Mirror<T> {
    /// Segments that the wanted rows lie in.
    segments: Vec<Range<usize>>,
    /// For each of these, and each column, its row there.
    rows: Vec<Vec<Option<Piece<T>>>>,
}

/// A row of a segment.
pub(crate) struct Piece<T> {
    block: Arc<Block<T>>,
    line: usize,
}

impl<T> Piece<T> {
    /// The part in a tile, at least as long as the tile is wide.
    pub fn tile(&self, t: usize) -> &[T] {
        let tile = &self.block.tiles[t];
        let width = tile.len() / self.block.lines;
        &tile[self.line * width..(self.line + 1) * width]
    }
}

impl<T: Digits> Rows<T> {
    /// Rows with up to `budget` bytes kept.
    pub fn new(source: Source<T>, budget: u64) -> Self {
        let diagonal = (0..source.len()).map(|i| source.diagonal(i)).collect();
        let cache = Cache { places: HashMap::new(), blocks: HashMap::new(), bytes: 0, clock: 0, full: false };
        Rows { source, diagonal, budget, cache: Mutex::new(cache), whole: None }
    }

    /// Computes all values at once where there are many small segments: their problems would spend their time on asking
    /// for rows. The choice is by the data alone.
    pub fn for_many(mut self, run: &Run<'_>) -> Result<Self> {
        let n = self.source.len();
        if self.source.segments().count() < SEGMENTS || n > WHOLE {
            return Ok(self);
        }
        let hold = run.memory.take_for::<T>(n.saturating_mul(n), "kernel values of all rows")?;
        let ids: Vec<u32> = (0..n as u32).collect();
        self.whole = Some((self.among(&ids, &ids, run)?, hold));
        Ok(self)
    }

    /// All values row by row, where they were computed at once.
    pub fn whole(&self) -> Option<&[Vec<T>]> {
        self.whole.as_ref().map(|w| &w.0[..])
    }

    /// The columns of a segment.
    pub fn segment(&self, segment: usize) -> Range<usize> {
        self.source.segment(segment)
    }

    /// k(x_i, x_i) of all rows.
    pub fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    /// Columns of a tile; the last of a segment may have fewer.
    pub fn width(&self) -> usize {
        self.source.width()
    }

    /// Whether so many rows fit into half of what may be kept.
    pub fn holds(&self, rows: usize) -> bool {
        ((rows * self.source.len()) as u64).saturating_mul(size_of::<T>() as u64) <= self.budget / 2
    }

    /// These rows of a segment; what is not kept is computed in blocks.
    pub fn fetch(&self, ids: &[u32], segment: usize, run: &Run<'_>) -> Result<Vec<Piece<T>>> {
        let mut found = self.kept(ids, segment);
        let missing: Vec<u32> = ids.iter().zip(&found).filter(|(_, p)| p.is_none()).map(|(&id, _)| id).collect();
        if missing.is_empty() {
            return Ok(found.into_iter().flatten().collect());
        }
        let mut fresh = self.compute(&missing, segment, run)?.into_iter();
        found.iter_mut().filter(|p| p.is_none()).for_each(|p| *p = fresh.next());
        match found.iter().all(Option::is_some) {
            true => Ok(found.into_iter().flatten().collect()),
            false => Err(Error::size("kernel rows", ids.len(), found.iter().flatten().count())),
        }
    }

    /// What is kept of these rows of a segment.
    pub fn kept(&self, ids: &[u32], segment: usize) -> Vec<Option<Piece<T>>> {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        cache.clock += 1;
        let now = cache.clock;
        let cache = &mut *cache;
        let mut one = |id: &u32| {
            let &(block, line) = cache.places.get(&(segment as u32, *id))?;
            let kept = cache.blocks.get_mut(&block)?;
            kept.used = now;
            Some(Piece { block: kept.block.clone(), line: line as usize })
        };
        ids.iter().map(&mut one).collect()
    }

    /// Rows among any columns, not kept: a vector a row, at least as long as there are columns.
    pub fn among(&self, ids: &[u32], columns: &[u32], run: &Run<'_>) -> Result<Vec<Vec<T>>> {
        let blocks: Vec<&[u32]> = ids.chunks(Source::<T>::ROWS).collect();
        let parts = each(run, blocks.len(), |b| {
            run.report(&Progress::of("kernel", b as u64, blocks.len() as u64))?;
            let queries = self.source.queries(blocks[b]);
            let mut rows: Vec<Vec<T>> = blocks[b].iter().map(|_| Vec::with_capacity(columns.len() + 64)).collect();
            for columns in columns.chunks(self.width()) {
                let block = self.source.block(&queries, Columns::Ids(columns))?;
                let stride = block.len() / rows.len().max(1);
                rows.iter_mut().zip(block.chunks_exact(stride)).for_each(|(row, part)| row.extend_from_slice(part));
            }
            Ok(rows)
        })?;
        Ok(parts.into_iter().flatten().collect())
    }

    fn compute(&self, ids: &[u32], segment: usize, run: &Run<'_>) -> Result<Vec<Piece<T>>> {
        let columns = self.segment(segment).len();
        let tiles = columns.div_ceil(self.width());
        let blocks: Vec<&[u32]> = ids.chunks(Source::<T>::ROWS).collect();
        let mut pieces = Vec::with_capacity(ids.len());
        // Few blocks at a time, so that what is being computed is within the budget too.
        for some in blocks.chunks(4) {
            run.report(&Progress::of("kernel rows", pieces.len() as u64, ids.len() as u64))?;
            let bytes = |lines: usize| (lines * columns) as u64 * size_of::<T>() as u64;
            let holds: Vec<Hold> = some.iter().map(|ids| self.room(bytes(ids.len()), run)).collect::<Result<_>>()?;
            let ready: Vec<_> = some.iter().map(|ids| self.source.queries(ids)).collect();
            let mirror = self.mirror(segment, some);
            let all = each(run, some.len() * tiles, |k| {
                let (block, tile) = (k / tiles, k % tiles);
                match &mirror {
                    Some(mirror) => self.partly(&ready[block], some[block], (segment, tile), mirror),
                    None => self.source.block(&ready[block], Columns::Tile(segment, tile)),
                }
            })?;
            let mut all = all.into_iter();
            for (ids, hold) in some.iter().zip(holds) {
                let block = Block { tiles: all.by_ref().take(tiles).collect(), lines: ids.len(), hold };
                let block = Arc::new(block);
                pieces.extend((0..ids.len()).map(|line| Piece { block: block.clone(), line }));
                self.keep(block, ids, segment);
            }
        }
        Ok(pieces)
    }

    /// For each column of a segment its row in the segments that `blocks` lie in, as far as they are kept; nothing if it
    /// would not help, or if pieces that are held here could keep memory from others.
    fn mirror(&self, segment: usize, blocks: &[&[u32]]) -> Option<Mirror<T>> {
        if self.source.work() < WORTH {
            return None;
        }
        let cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if cache.full {
            return None;
        }
        let columns = self.segment(segment);
        let mut mirror = Mirror { segments: vec![], rows: vec![] };
        for (s, range) in self.source.segments().enumerate() {
            if !blocks.iter().flat_map(|ids| ids.iter()).any(|&i| range.contains(&(i as usize))) {
                continue;
            }
            let one = |j: usize| {
                let &(block, line) = cache.places.get(&(s as u32, j as u32))?;
                Some(Piece { block: cache.blocks.get(&block)?.block.clone(), line: line as usize })
            };
            mirror.segments.push(range);
            mirror.rows.push(columns.clone().map(one).collect());
        }
        Some(mirror)
    }

    /// A tile of rows, of which columns that have a mirror image are copied.
    fn partly(
        &self,
        queries: &Queries<T>,
        ids: &[u32],
        (segment, tile): (usize, usize),
        mirror: &Mirror<T>,
    ) -> Result<Vec<T>> {
        let columns = self.segment(segment);
        let first = tile * self.width();
        let count = self.width().min(columns.len() - first);
        let there = |c: usize| mirror.rows.iter().all(|rows| rows[c].is_some());
        let missing: Vec<u32> =
            (first..first + count).filter(|&c| !there(c)).map(|c| (columns.start + c) as u32).collect();
        // Gathering the others is not for nothing.
        if 8 * missing.len() > 7 * count {
            return self.source.block(queries, Columns::Tile(segment, tile));
        }
        let stride = self.source.stride(count);
        let mut out = vec![T::ZERO; ids.len() * stride];
        if !missing.is_empty() {
            let computed = self.source.block(queries, Columns::Ids(&missing))?;
            let wide = computed.len() / ids.len();
            for (line, values) in out.chunks_exact_mut(stride).zip(computed.chunks_exact(wide)) {
                missing.iter().zip(values).for_each(|(&j, &v)| line[j as usize - columns.start - first] = v);
            }
        }
        // Where each row stands among the columns of its segment.
        let places: Vec<(usize, usize, usize)> = ids
            .iter()
            .filter_map(|&i| {
                let s = mirror.segments.iter().position(|range| range.contains(&(i as usize)))?;
                let at = i as usize - mirror.segments[s].start;
                Some((s, at / self.width(), at % self.width()))
            })
            .collect();
        for c in (first..first + count).filter(|&c| there(c)) {
            for (line, &(s, tile, at)) in out.chunks_exact_mut(stride).zip(&places) {
                if let Some(row) = &mirror.rows[s][c] {
                    line[c - first] = row.tile(tile)[at];
                }
            }
        }
        Ok(out)
    }

    /// Memory for a block; older ones give way.
    fn room(&self, bytes: u64, run: &Run<'_>) -> Result<Hold> {
        loop {
            match run.memory.take(bytes, "kernel rows") {
                Ok(hold) => return Ok(hold),
                Err(error) if !self.drop_oldest() => return Err(error),
                Err(_) => {}
            }
        }
    }

    fn keep(&self, block: Arc<Block<T>>, ids: &[u32], segment: usize) {
        let bytes = block.hold.bytes();
        if bytes > self.budget {
            return;
        }
        while self.cache.lock().unwrap_or_else(PoisonError::into_inner).bytes + bytes > self.budget
            && self.drop_oldest()
        {}
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        cache.clock += 1;
        let now = cache.clock;
        for (line, &id) in ids.iter().enumerate() {
            cache.places.insert((segment as u32, id), (now, line as u32));
        }
        cache.bytes += bytes;
        cache.blocks.insert(now, Kept { block, segment: segment as u32, ids: ids.to_vec(), used: now });
    }

    /// Forgets the block that was not used for longest; answers whether there was one.
    fn drop_oldest(&self) -> bool {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(key) = cache.blocks.iter().min_by_key(|(key, kept)| (kept.used, **key)).map(|(key, _)| *key) else {
            return false;
        };
        cache.full = true;
        if let Some(kept) = cache.blocks.remove(&key) {
            cache.bytes -= kept.block.hold.bytes();
            for id in kept.ids {
                // Another thread may have computed the row again meanwhile.
                if cache.places.get(&(kept.segment, id)).is_some_and(|p| p.0 == key) {
                    cache.places.remove(&(kept.segment, id));
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Kernel;
    use base::{Points, Seed, normal};

    /// Rows of wide points in two segments, with so many bytes to keep.
    fn wide(budget: u64, run: &Run<'_>) -> Rows<f32> {
        let (n, d) = (1300, 210);
        let mut stream = Seed(8).stream();
        let values: Vec<f64> = (0..n * d).map(|_| normal(&mut stream)).collect();
        let points = Points::dense(values, n, d).unwrap();
        let order: Vec<usize> = (0..n).collect();
        let source = Source::new(&Kernel::gaussian(20.0), &points, vec![0..900, 900..n], &order, run).unwrap();
        Rows::new(source, budget)
    }

    #[test]
    fn values_copied_from_their_mirror_image_have_the_same_bits() {
        let run = Run { threads: 2, ..Run::quiet(1) };
        let (keeping, poor) = (wide(1 << 30, &run), wide(0, &run));
        let evens: Vec<u32> = (0..1300).filter(|i| i % 2 == 0).collect();
        let odds: Vec<u32> = (0..1300).filter(|i| i % 2 == 1).collect();
        let all: Vec<u32> = (0..1300).collect();
        for ids in [&evens, &odds] {
            for segment in [0, 1] {
                keeping.fetch(ids, segment, &run).unwrap();
            }
        }
        assert!(keeping.mirror(0, &[&odds[..]]).is_some() && poor.source.work() >= WORTH);
        for segment in [0, 1] {
            let (kept, fresh) = (keeping.kept(&all, segment), poor.fetch(&all, segment, &run).unwrap());
            let columns = keeping.segment(segment).len();
            for (kept, fresh) in kept.iter().map(|p| p.as_ref().unwrap()).zip(&fresh) {
                for tile in 0..columns.div_ceil(keeping.width()) {
                    let count = keeping.width().min(columns - tile * keeping.width());
                    let same = kept.tile(tile)[..count].iter().zip(&fresh.tile(tile)[..count]);
                    assert!(same.clone().all(|(a, b)| a.to_bits() == b.to_bits() && *a > 0.0));
                }
            }
        }
    }
}
