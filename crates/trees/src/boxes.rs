//! The box of the training rows that reached each node: the least and largest value of every column.
//!
//! A leaf's box is that of its rows, any other node's spans those of its children. **Cost.** O(columns · (rows + nodes))
//! and two numbers a column and node. A column in which no row of the node has a value is empty: from ∞ to −∞.

use crate::columns::Columns;
use crate::grow::Grown;

/// Boxes of all nodes: for each node, for each column, the least and the largest value.
pub fn boxes(tree: &Grown, data: &Columns) -> Vec<f64> {
    let d = data.columns.len();
    let width = 2 * d;
    let mut all = vec![0.0; tree.nodes.len() * width];
    for id in (0..tree.nodes.len()).rev() {
        let (before, after) = all.split_at_mut((id + 1) * width);
        let mine = &mut before[id * width..];
        let node = &tree.nodes[id];
        if node.is_leaf() {
            let (start, end) = tree.stretches[id];
            let rows = &tree.rows[start as usize..end as usize];
            for (column, side) in data.columns.iter().zip(mine.chunks_exact_mut(2)) {
                let known = rows.iter().map(|&r| column.rank(r)).filter(|&r| r != column.gap());
                let (low, high) = known.fold((u32::MAX, 0), |(low, high), r| (low.min(r), high.max(r)));
                match low <= high {
                    true => side.copy_from_slice(&[column.values[low as usize], column.values[high as usize]]),
                    false => side.copy_from_slice(&[f64::INFINITY, f64::NEG_INFINITY]),
                }
            }
        } else {
            let left = &after[..width];
            let place = (node.right as usize - id - 1) * width;
            let right = &after[place..place + width];
            for c in 0..d {
                mine[2 * c] = left[2 * c].min(right[2 * c]);
                mine[2 * c + 1] = left[2 * c + 1].max(right[2 * c + 1]);
            }
        }
    }
    all
}

/// Whether a row lies in a box; a gap lies anywhere.
pub fn inside(sides: &[f64], row: &[f64]) -> bool {
    sides.chunks_exact(2).zip(row).all(|(side, &x)| x.is_nan() || (side[0] <= x && x <= side[1]))
}
