//! The k nearest of many points, by whichever search suits them; all give the same answer.
//!
//! Neighbours are ordered by squared distance in double precision, computed term by term, then by place. The distance is
//! Minkowski's of order p, (Σ|x−y|ᵖ)^(1/p); only Euclid's (p = 2) has the fast searches, all others look at every row.

use crate::knn::Search;
use crate::projecting::{self, Projection};
use crate::screening::{self, Frame};
use crate::tree::Tree;
use base::{Error, Points, Progress, Result, Run};
use numeric::{MatMut, Prepared, Smallest, each};
use std::sync::OnceLock;

/// Up to so many columns a tree is worth it.
const FEW: usize = 10;
/// From so many points on.
const MANY: usize = 1000;
/// Queries searched for between reports of progress.
const QUERIES: usize = 16_384;

/// The order of Euclid's distance.
pub const EUCLID: f64 = 2.0;

/// (Σ|x−y|ᵖ)^(1/p); the largest |x−y| for p = ∞.
fn minkowski(p: f64, a: &[f64], b: &[f64]) -> f64 {
    let differences = a.iter().zip(b).map(|(x, y)| (x - y).abs());
    match p {
        1.0 => differences.sum(),
        f64::INFINITY => differences.fold(0.0, f64::max),
        _ => {
            // Relative to the largest, so that no power overflows or vanishes.
            let top = differences.clone().fold(0.0, f64::max);
            match top > 0.0 && top < f64::INFINITY {
                true => top * differences.map(|x| (x / top).powf(p)).sum::<f64>().powf(1.0 / p),
                false => top,
            }
        }
    }
}

/// Points to search among. Tree, frame and projection are made at the first search that
/// wants them and kept; they only save time.
pub struct Neighbours {
    points: Points,
    search: Search,
    order: f64,
    tree: OnceLock<Tree>,
    frame: OnceLock<Frame>,
    projection: OnceLock<Option<Projection>>,
}

/// Neighbours of one query: squared distance and place, nearest first.
pub type Nearest = Vec<(f64, u32)>;

impl Neighbours {
    /// Points, how to search them, and the order of the distance.
    pub fn new(points: Points, search: Search, order: f64) -> Result<Self> {
        if u32::try_from(points.len()).is_err() {
            return Err(Error::size("points to search among", format!("at most {}", u32::MAX), points.len()));
        }
        if search == Search::Tree && points.is_sparse() {
            return Err(Error::unsupported("method=tree", "sparse points", "use method=blocks"));
        }
        if search == Search::Tree && order != EUCLID {
            return Err(Error::parameter(
                "method",
                "tree",
                format!(
                    "supports only p=2, not p={order}; use \
                 method=blocks"
                ),
            ));
        }
        let (tree, frame, projection) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Ok(Neighbours { points, search, order, tree, frame, projection })
    }

    /// The points.
    pub fn points(&self) -> &Points {
        &self.points
    }

    /// Whether a tree is used.
    pub fn by_tree(&self) -> bool {
        let suits = !self.points.is_sparse() && self.points.columns() <= FEW && self.points.len() >= MANY;
        self.search == Search::Tree || (self.search == Search::Auto && suits)
    }

    /// The k nearest of each query, fewer if there are fewer points.
    pub fn nearest(&self, run: &Run<'_>, queries: &Points, k: usize) -> Result<Vec<Nearest>> {
        let k = k.min(self.points.len());
        if k == 0 || queries.is_empty() {
            return Ok(vec![vec![]; queries.len()]);
        }
        match &self.points {
            _ if self.order != EUCLID => self.minkowski_search(run, queries, k),
            _ if self.by_tree() => self.tree_search(run, queries, k),
            Points::Dense(dense) => {
                let frame = match self.frame.get() {
                    Some(frame) => frame,
                    None => {
                        let made = Frame::new(run, dense)?;
                        self.frame.get_or_init(|| made)
                    }
                };
                let projection = match projecting::pays(queries.len(), dense) {
                    false => None,
                    true => match self.projection.get() {
                        Some(made) => made.as_ref(),
                        None => {
                            let made = Projection::new(run, frame, dense)?;
                            self.projection.get_or_init(|| made).as_ref()
                        }
                    },
                };
                let mut all = Vec::with_capacity(queries.len());
                for start in (0..queries.len()).step_by(QUERIES) {
                    let part = queries.slice(start..start + QUERIES);
                    all.extend(match projection {
                        Some(projection) => projecting::nearest(run, frame, projection, dense, &part, k)?,
                        None => screening::nearest(run, frame, dense, &part, k)?,
                    });
                }
                Ok(all)
            }
            Points::Sparse(_) => self.block_search(run, queries, k),
        }
    }

    /// Every row against every query, term by term.
    fn minkowski_search(&self, run: &Run<'_>, queries: &Points, k: usize) -> Result<Vec<Nearest>> {
        const BLOCK: usize = 16;
        let (m, d) = (queries.len(), self.points.columns());
        let rows = self.points.to_dense(&run.memory)?;
        let parts = numeric::blocks(run, m, BLOCK, |block| {
            run.report(&Progress::of("neighbours", block.start as u64, m as u64))?;
            let mut query = vec![0.0; d];
            let find = |i: usize| {
                queries.write_row(i, &mut query);
                let mut nearest = Smallest::new(k);
                rows.chunks_exact(d.max(1))
                    .enumerate()
                    .for_each(|(j, row)| nearest.push(minkowski(self.order, &query, row), j));
                nearest.finish().into_iter().map(|(v, j)| (v * v, j as u32)).collect()
            };
            Ok(block.map(find).collect::<Vec<_>>())
        })?;
        Ok(parts.into_iter().flatten().collect())
    }

    fn tree_search(&self, run: &Run<'_>, queries: &Points, k: usize) -> Result<Vec<Nearest>> {
        const BLOCK: usize = 64;
        let tree = match self.tree.get() {
            Some(tree) => tree,
            None => {
                let made = Tree::new(&self.points, &run.memory)?;
                self.tree.get_or_init(|| made)
            }
        };
        let m = queries.len();
        let parts = numeric::blocks(run, m, BLOCK, |rows| {
            run.report(&Progress::of("neighbours", rows.start as u64, m as u64))?;
            let mut query = vec![0.0; queries.columns()];
            let find = |i: usize| {
                queries.write_row(i, &mut query);
                tree.nearest(&query, k)
            };
            Ok(rows.map(find).collect::<Vec<_>>())
        })?;
        Ok(parts.into_iter().flatten().collect())
    }

    /// Blocks of distances of bounded error; what could be among the k nearest is computed exactly.
    fn block_search(&self, run: &Run<'_>, queries: &Points, k: usize) -> Result<Vec<Nearest>> {
        let (m, n) = (queries.len(), self.points.len());
        let prepared = Prepared::new(run, &self.points)?;
        let slack = 1.0 + 3.0 * Prepared::relative_error(self.points.columns());
        let room = (64u64 << 20).min(run.memory.free() / 2) / 8;
        let block = ((room / n as u64) as usize).clamp(1, m.min(256));
        let (mut distances, _hold) = run.memory.filled(block.saturating_mul(n), 0.0, "distances of neighbours")?;
        let mut all = Vec::with_capacity(m);
        for start in (0..m).step_by(block) {
            run.report(&Progress::of("neighbours", start as u64, m as u64))?;
            let part = queries.slice(start..start + block);
            let out = &mut distances[..part.len() * n];
            prepared.squared_distances(run, &part, MatMut::new(out, part.len(), n)?)?;
            let out = &*out;
            all.extend(each(run, part.len(), |i| {
                let line = &out[i * n..(i + 1) * n];
                let mut nearest = Smallest::new(k);
                nearest.push_all(line, 0);
                let last = nearest.finish().last().map_or(f64::INFINITY, |x| x.0);
                let mut exact = Smallest::new(k);
                for (j, _) in line.iter().enumerate().filter(|(_, v)| **v <= last * slack) {
                    exact.push(prepared.exact(&part, i, j), j);
                }
                Ok(exact.finish().into_iter().map(|(v, j)| (v, j as u32)).collect())
            })?);
        }
        Ok(all)
    }
}
