//! Merge tables of agglomerative clustering: the two nearest clusters become one, until one is left.
//!
//! The distance of two clusters is that of their nearest points (single), the mean over all pairs (average), that of
//! their farthest points (complete), or √(2ab/(a+b)) times that of their means, a and b being their sizes (ward: the
//! root of twice the growth of the sum of squares). When clusters x and y merge, the distance to any other follows from the
//! distances to x and y (Lance and Williams).
//!
//! Average, complete and ward go along chains of nearest neighbours: these linkages never make a merged cluster nearer
//! to a third one than its parts were, so two clusters that are each other's nearest may be merged at once, and sorting
//! by height gives the greedy order. Single linkage is the minimum spanning tree (Prim), which needs no table of
//! distances.
//!
//! **Cost.** O(n²) time after the distances; n(n−1)/2 numbers of memory, for single linkage n.
//!
//! - D. Müllner: *Modern hierarchical, agglomerative clustering algorithms.* arXiv:1109.2378 (2011).

use crate::metric::Metric;
use base::{Points, Progress, Result, Run, choices};

choices! {
    /// The distance of two clusters.
    pub enum Linkage {
        /// That of the nearest points.
        Single = "single",
        /// The mean over all pairs of points.
        Average = "average",
        /// That of the farthest points.
        Complete = "complete",
        /// The growth of the sum of squares.
        Ward = "ward",
    }
}

/// Two clusters become one. Rows are clusters 0..n; merge i makes cluster n + i.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Merge {
    /// The cluster with the smaller number.
    pub left: usize,
    /// The other one.
    pub right: usize,
    /// Their distance.
    pub height: f64,
    /// How many rows the new cluster has.
    pub size: usize,
}

/// Rows of distances computed in one go.
const BLOCK: usize = 128;

/// The n − 1 merges of n rows, by height.
pub fn merges(points: &Points, linkage: Linkage, metric: Metric, run: &Run<'_>) -> Result<Vec<Merge>> {
    let mut pairs = match linkage {
        Linkage::Single => spanning_tree(points, metric, run)?,
        _ => chains(points, linkage, metric, run)?,
    };
    pairs.sort_by(|a, b| a.2.total_cmp(&b.2));
    Ok(number(points.len(), &pairs))
}

/// The cluster of each row after these merges, numbered by their first rows.
pub fn cut(n: usize, merges: &[Merge]) -> Vec<u32> {
    let mut sets = Sets::new(n);
    // One row of each merged cluster stands for it.
    let mut any: Vec<usize> = (0..n).collect();
    for merge in merges {
        any.push(any[merge.left]);
        sets.join(any[merge.left], any[merge.right]);
    }
    let mut names = vec![u32::MAX; n];
    let mut count = 0;
    (0..n)
        .map(|i| {
            let root = sets.root(i);
            if names[root] == u32::MAX {
                names[root] = count;
                count += 1;
            }
            names[root]
        })
        .collect()
}

/// Which rows belong together.
struct Sets(Vec<usize>);

impl Sets {
    fn new(n: usize) -> Self {
        Sets((0..n).collect())
    }

    fn root(&mut self, mut i: usize) -> usize {
        while self.0[i] != i {
            self.0[i] = self.0[self.0[i]];
            i = self.0[i];
        }
        i
    }

    /// Joins two sets and answers with the root of both.
    fn join(&mut self, a: usize, b: usize) -> usize {
        let (a, b) = (self.root(a), self.root(b));
        self.0[b] = a;
        a
    }
}

/// Pairs of rows in order of height to numbered merges.
fn number(n: usize, pairs: &[(usize, usize, f64)]) -> Vec<Merge> {
    let mut sets = Sets::new(n);
    let mut cluster: Vec<(usize, usize)> = (0..n).map(|i| (i, 1)).collect();
    let merge = |(i, &(a, b, height)): (usize, &(usize, usize, f64))| {
        let (a, b) = (sets.root(a), sets.root(b));
        let (x, y) = (cluster[a], cluster[b]);
        let size = x.1 + y.1;
        cluster[sets.join(a, b)] = (n + i, size);
        Merge { left: x.0.min(y.0), right: x.0.max(y.0), height, size }
    };
    pairs.iter().enumerate().map(merge).collect()
}

/// Prim's algorithm: the row nearest to the tree joins it.
fn spanning_tree(points: &Points, metric: Metric, run: &Run<'_>) -> Result<Vec<(usize, usize, f64)>> {
    let n = points.len();
    let (mut nearest, _hold) = run.memory.filled(n, (f64::INFINITY, 0), "distances to the tree")?;
    let (mut line, _held) = run.memory.filled(n, 0.0, "distances to a row")?;
    let mut outside: Vec<usize> = (1..n).collect();
    let (mut last, mut edges) = (0, Vec::with_capacity(n.saturating_sub(1)));
    while !outside.is_empty() {
        if edges.len() % 64 == 0 {
            run.report(&Progress::of("merges", edges.len() as u64, n as u64))?;
        }
        metric.costs(run, points, &points.select(&[last])?, &mut line)?;
        let mut best = 0;
        for (place, &i) in outside.iter().enumerate() {
            if line[i] < nearest[i].0 {
                nearest[i] = (line[i], last);
            }
            if nearest[i].0 < nearest[outside[best]].0 {
                best = place;
            }
        }
        let next = outside.remove(best);
        let (cost, from) = nearest[next];
        edges.push((from, next, if metric == Metric::Euclidean { cost.sqrt() } else { cost }));
        last = next;
    }
    Ok(edges)
}

/// Distances of all pairs i < j, row after row; squared for ward.
struct Table {
    n: usize,
    values: Vec<f64>,
}

impl Table {
    fn place(&self, a: usize, b: usize) -> usize {
        let (i, j) = (a.min(b), a.max(b));
        i * (2 * self.n - i - 1) / 2 + j - i - 1
    }

    fn get(&self, a: usize, b: usize) -> f64 {
        self.values[self.place(a, b)]
    }
}

fn chains(points: &Points, linkage: Linkage, metric: Metric, run: &Run<'_>) -> Result<Vec<(usize, usize, f64)>> {
    let n = points.len();
    let numbers = n.saturating_mul(n.saturating_sub(1)) / 2;
    let (values, _hold) = run.memory.filled(numbers, 0.0, "distances of all pairs of rows")?;
    let mut table = Table { n, values };
    let rooted = metric == Metric::Euclidean && linkage != Linkage::Ward;
    let (mut block, _held) = run.memory.filled(BLOCK.min(n).saturating_mul(n), 0.0, "rows of distances")?;
    for start in (0..n).step_by(BLOCK) {
        let rows = start..n.min(start + BLOCK);
        let others = points.slice(start..n);
        let lines = &mut block[..rows.len() * (n - start)];
        metric.costs(run, &points.slice(rows.clone()), &others, lines)?;
        for (i, line) in rows.zip(lines.chunks_exact(n - start)) {
            let first = if i + 1 < n { table.place(i, i + 1) } else { continue };
            let out = &mut table.values[first..first + n - i - 1];
            out.copy_from_slice(&line[i + 1 - start..]);
            if rooted {
                out.iter_mut().for_each(|d| *d = d.sqrt());
            }
        }
    }
    let mut sizes = vec![1.0; n];
    let mut active: Vec<usize> = (0..n).collect();
    let mut chain: Vec<usize> = vec![];
    let mut pairs = Vec::with_capacity(n.saturating_sub(1));
    while active.len() > 1 {
        if pairs.len() % 64 == 0 {
            run.report(&Progress::of("merges", pairs.len() as u64, n as u64))?;
        }
        let (x, y, distance) = mutual(&table, &active, &mut chain);
        // The larger number stays, as the cluster of both.
        let (gone, kept) = (x.min(y), x.max(y));
        active.retain(|&i| i != gone);
        for &i in active.iter().filter(|&&i| i != kept) {
            let (a, b) = (table.get(gone, i), table.get(kept, i));
            let (s, t, u) = (sizes[gone], sizes[kept], sizes[i]);
            let place = table.place(kept, i);
            table.values[place] = match linkage {
                Linkage::Single => a.min(b),
                Linkage::Complete => a.max(b),
                Linkage::Average => (s * a + t * b) / (s + t),
                Linkage::Ward => (((s + u) * a + (t + u) * b - u * distance) / (s + t + u)).max(0.0),
            };
        }
        sizes[kept] += sizes[gone];
        pairs.push((gone, kept, if linkage == Linkage::Ward { distance.sqrt() } else { distance }));
    }
    Ok(pairs)
}

/// Follows nearest neighbours until two clusters are each other's; these leave the chain.
fn mutual(table: &Table, active: &[usize], chain: &mut Vec<usize>) -> (usize, usize, f64) {
    if chain.is_empty() {
        chain.push(active[0]);
    }
    loop {
        let x = chain[chain.len() - 1];
        let before = chain.len().checked_sub(2).map(|i| chain[i]);
        // Of equals the one we come from, so that the chain ends.
        let (mut y, mut distance) = match before {
            Some(before) => (before, table.get(x, before)),
            None => (x, f64::INFINITY),
        };
        for &i in active.iter().filter(|&&i| i != x) {
            let d = table.get(x, i);
            if d < distance || y == x {
                (y, distance) = (i, d);
            }
        }
        if before == Some(y) {
            chain.truncate(chain.len() - 2);
            return (x, y, distance);
        }
        chain.push(y);
    }
}
