//! A k-d tree: exact nearest neighbours in few dimensions.
//!
//! Each node halves its points at the median of the column in which they spread most; leaves hold up to [`LEAF`]. A
//! query goes down the nearer side first and skips a side whose box is farther than the k-th neighbour found so far.
//!
//! **Cost.** O(n log n) to build; a query some O(2ᵈ + log n) for d columns, so it pays up to about 10 of them.
//! Distances are those of [`numeric::squared_distance`]; equal distances are settled by the smaller place.
//!
//! - J. H. Friedman, J. L. Bentley, R. A. Finkel: *An algorithm for finding best matches in logarithmic expected time.*
//!   ACM Trans. Math. Software 3 (1977) 209–226.

use crate::found::Found;
use base::{Hold, Memory, Points, Result};
use numeric::squared_distance;

/// Points of a leaf at most, unless they are all equal.
const LEAF: usize = 16;
/// Boxes are skipped only if they are farther by more than rounding could make them seem.
const SURE: f64 = 1.0 - 1e-10;

/// Points arranged for quick search.
pub struct Tree {
    nodes: Vec<Node>,
    /// Rows in the order of the leaves.
    rows: Vec<f64>,
    /// Their places in the original order.
    places: Vec<u32>,
    columns: usize,
    _hold: Hold,
}

enum Node {
    Leaf { start: u32, end: u32 },
    Split { column: u32, at: f64, right: u32 },
}

impl Tree {
    /// Arranges dense points; a copy of them is counted.
    pub fn new(points: &Points, memory: &Memory) -> Result<Self> {
        let (n, d) = (points.len(), points.columns());
        let bytes = (n as u64).saturating_mul(8 * d as u64 + 8);
        let hold = memory.take(bytes, "a k-d tree")?;
        let values = points.to_dense(memory)?;
        let mut places: Vec<u32> = (0..n as u32).collect();
        let mut nodes = vec![];
        grow(&values, d, &mut places, 0, &mut nodes);
        let rows = places.iter().flat_map(|&p| &values[p as usize * d..(p as usize + 1) * d]).copied().collect();
        Ok(Tree { nodes, rows, places, columns: d, _hold: hold })
    }

    /// The k nearest of `query`: squared distance and place, nearest first.
    pub fn nearest(&self, query: &[f64], k: usize) -> Vec<(f64, u32)> {
        let mut found = Found::new(k);
        let mut offsets = vec![0.0; self.columns];
        if k > 0 && !self.nodes.is_empty() {
            self.visit(0, query, 0.0, &mut offsets, &mut found);
        }
        found.finish()
    }

    /// `bound` is the squared distance to the box of the node, `offsets` its parts by column.
    fn visit(&self, node: usize, query: &[f64], bound: f64, offsets: &mut [f64], found: &mut Found) {
        match self.nodes[node] {
            Node::Leaf { start, end } => {
                let d = self.columns;
                for i in start as usize..end as usize {
                    found.push(squared_distance(query, &self.rows[i * d..(i + 1) * d]), self.places[i]);
                }
            }
            Node::Split { column, at, right } => {
                let column = column as usize;
                let difference = query[column] - at;
                let (near, far) =
                    if difference < 0.0 { (node + 1, right as usize) } else { (right as usize, node + 1) };
                self.visit(near, query, bound, offsets, found);
                let before = offsets[column];
                let beyond = bound - before * before + difference * difference;
                // A bound that is NaN for huge numbers skips nothing.
                let skip = beyond * SURE > found.farthest();
                if !skip {
                    offsets[column] = difference;
                    self.visit(far, query, beyond, offsets, found);
                    offsets[column] = before;
                }
            }
        }
    }
}

/// Splits `places` (the first of which is the `first` of all) and adds their nodes, the left part right after its node.
fn grow(values: &[f64], d: usize, places: &mut [u32], first: usize, nodes: &mut Vec<Node>) {
    let at = |p: u32, c: usize| values[p as usize * d + c];
    let spread = |c: usize| {
        let ends = (f64::INFINITY, f64::NEG_INFINITY);
        let (low, high) = places.iter().fold(ends, |(l, h), &p| (l.min(at(p, c)), h.max(at(p, c))));
        high - low
    };
    let widest = (0..d).map(|c| (spread(c), c)).fold((0.0, 0), |best, x| if x.0 > best.0 { x } else { best });
    if places.len() <= LEAF || widest.0 <= 0.0 {
        nodes.push(Node::Leaf { start: first as u32, end: (first + places.len()) as u32 });
        return;
    }
    let column = widest.1;
    let middle = places.len() / 2;
    places.select_nth_unstable_by(middle, |&a, &b| at(a, column).total_cmp(&at(b, column)).then(a.cmp(&b)));
    let node = nodes.len();
    nodes.push(Node::Split { column: column as u32, at: at(places[middle], column), right: 0 });
    let (left, right) = places.split_at_mut(middle);
    grow(values, d, left, first, nodes);
    let right_node = nodes.len() as u32;
    if let Node::Split { right, .. } = &mut nodes[node] {
        *right = right_node;
    }
    grow(values, d, right, first + middle, nodes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Seed;

    #[test]
    fn finds_what_looking_at_all_finds() {
        for (n, d, levels) in
            [(1, 1, 1e9), (16, 2, 1e9), (17, 2, 3.0), (500, 3, 1e9), (500, 2, 5.0), (300, 10, 1e9), (40, 1, 1.0)]
        {
            let draw = |seed: u64, i: usize| (Seed(seed).at(i).unit() * levels).floor() / levels;
            let values: Vec<f64> = (0..n * d).map(|i| draw(1, i)).collect();
            let tree = Tree::new(&Points::dense(values.clone(), n, d).unwrap(), &Memory::unlimited()).unwrap();
            for q in 0..50 {
                let query: Vec<f64> = (0..d).map(|c| 1.4 * draw(2, q * d + c) - 0.2).collect();
                let mut all: Vec<(f64, u32)> =
                    (0..n).map(|i| (squared_distance(&query, &values[i * d..(i + 1) * d]), i as u32)).collect();
                all.sort_by(|a, b| a.partial_cmp(b).unwrap());
                for k in [0, 1, 5, n, n + 3] {
                    assert_eq!(tree.nearest(&query, k), all[..k.min(n)], "{n} {d} {k}");
                }
            }
        }
    }

    #[test]
    fn extremes_and_memory() {
        let huge = Points::dense([1e300, -1e300].repeat(20), 20, 2).unwrap();
        let tree = Tree::new(&huge, &Memory::unlimited()).unwrap();
        assert_eq!(tree.nearest(&[1e300, -1e300], 2), [(0.0, 0), (0.0, 1)]);
        assert_eq!(tree.nearest(&[-1e300, 1e300], 1)[0], (f64::INFINITY, 0));
        assert!(Tree::new(&huge, &Memory::limited(100)).is_err());
    }
}
