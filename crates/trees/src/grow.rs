//! Growing one tree, depth first.
//!
//! The rows of a node are one stretch of a single array; a split parts the stretch in two and keeps the order of rows
//! within each, so that deeper nodes read their columns from front to back. **Cost.** O(rows · tried columns) a level.
//! **Memory.** Some 40 bytes a row while growing.

use crate::columns::Columns;
use crate::counts::{Counts, Entropy, Gini};
use crate::criterion::Judge;
use crate::node::{GAP_LEFT, LEAF, Leaves, TreeNode};
use crate::split::{Looked, Search, Split};
use crate::squares::Squares;
use base::{Hold, Progress, Result, Run, Seed};

/// What is to be predicted, and by which measure.
#[derive(Clone, Copy)]
pub enum Task<'a> {
    /// Codes of so many classes; Gini impurity.
    Gini(&'a [u32], usize),
    /// Codes of so many classes; entropy.
    Entropy(&'a [u32], usize),
    /// So many values a row, row after row.
    Squares(&'a [f64], usize),
}

/// When to stop.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Deepest level of a leaf.
    pub depth: usize,
    /// Least weight of a node that is split.
    pub min_split: f64,
    /// Least weight of a leaf.
    pub min_leaf: f64,
    /// Least weight of a leaf, as a share of all.
    pub min_share: f64,
    /// Least decrease of impurity, times the node's share of the weight.
    pub min_decrease: f64,
    /// Columns tried at each split.
    pub tried: usize,
}

/// A grown tree with what pruning, importance and boxes need.
#[derive(Default)]
pub struct Grown {
    /// Nodes in pre-order.
    pub nodes: Vec<TreeNode>,
    /// What the leaves say.
    pub leaves: Leaves,
    /// Weight of each node.
    pub weights: Vec<f64>,
    /// Impurity of each node.
    pub impurities: Vec<f64>,
    /// Weight times decrease of impurity of each node's split, 0 in leaves.
    pub gains: Vec<f64>,
    /// The rank at which each node cuts.
    pub cuts: Vec<u32>,
    /// The stretch of `rows` that each node has.
    pub stretches: Vec<(u32, u32)>,
    /// The rows, parted.
    pub rows: Vec<u32>,
    /// Whether growing was cut short.
    pub interrupted: bool,
}

impl Grown {
    /// Bytes of nodes and leaves; vectors that grew by doubling have room for half as much again.
    pub fn bytes(&self) -> u64 {
        let nodes = self.nodes.len() * (size_of::<TreeNode>() + size_of::<f64>());
        let leaves = 4 * self.leaves.starts.len() + 12 * self.leaves.outputs.len();
        (3 * (nodes + leaves) / 2) as u64
    }
}

/// Grows a tree on the given rows; `weights` has one for each row of the data.
pub fn grow(
    data: &Columns,
    task: Task<'_>,
    rows: Vec<u32>,
    weights: &[f64],
    limits: &Limits,
    seed: Seed,
    run: &Run<'_>,
) -> Result<Grown> {
    let _hold = room(rows.len(), task, run)?;
    let all: f64 = rows.iter().map(|&r| weights[r as usize]).sum();
    let limits = &Limits { min_leaf: limits.min_leaf.max(limits.min_share * all), ..*limits };
    let search = Search::new(data, limits.tried, limits.min_leaf, seed);
    match task {
        Task::Gini(codes, k) => grow_by(Counts::<Gini>::new(codes, k), search, data, rows, weights, limits, run),
        Task::Entropy(codes, k) => grow_by(Counts::<Entropy>::new(codes, k), search, data, rows, weights, limits, run),
        Task::Squares(values, k) => grow_by(Squares::new(values, k), search, data, rows, weights, limits, run),
    }
}

/// Asks for what the rows of a node and the keys to sort take.
fn room(rows: usize, task: Task<'_>, run: &Run<'_>) -> Result<Hold> {
    let width = match task {
        Task::Squares(_, k) => 8 * k as u64,
        _ => 16,
    };
    run.memory.take((rows as u64).saturating_mul(40 + width), "rows of a growing tree")
}

/// A node to be made: its stretch, its level, and the parent whose right child it is.
struct Open {
    start: usize,
    end: usize,
    depth: usize,
    right_of: Option<usize>,
}

fn grow_by(
    mut judge: impl Judge,
    mut search: Search<'_>,
    data: &Columns,
    rows: Vec<u32>,
    weights: &[f64],
    limits: &Limits,
    run: &Run<'_>,
) -> Result<Grown> {
    const LISTEN: usize = 1 << 16;
    let count = rows.len();
    let mut tree = Grown { rows, ..Default::default() };
    let mut aside = Vec::with_capacity(count);
    let mut leaf = vec![];
    let mut open = vec![Open { start: 0, end: count, depth: 0, right_of: None }];
    let (mut whole, mut unheard, mut done) = (0.0, LISTEN, 0);
    while let Some(Open { start, end, depth, right_of }) = open.pop() {
        unheard += end - start;
        if unheard >= LISTEN && !tree.interrupted {
            unheard = 0;
            tree.interrupted = run.step(&Progress::of("grow", done as u64, count as u64))?;
        }
        let id = tree.nodes.len();
        if let Some(parent) = right_of {
            tree.nodes[parent].right = id as u32;
        }
        let stretch = &mut tree.rows[start..end];
        judge.load(stretch, weights);
        let weight = judge.weight();
        if id == 0 {
            whole = weight;
        }
        let stop = tree.interrupted
            || depth >= limits.depth
            || judge.pure()
            || weight < limits.min_split
            || weight < 2.0 * limits.min_leaf;
        let split = match stop {
            true => None,
            false => match search.best(&mut judge, stretch, run)? {
                Looked::Found(split) => split,
                Looked::Stopped => {
                    tree.interrupted = true;
                    None
                }
            },
        };
        let split = split.filter(|s| judge.gain(s.score) >= limits.min_decrease * whole);
        tree.weights.push(weight);
        tree.impurities.push(judge.impurity());
        tree.stretches.push((start as u32, end as u32));
        match split {
            None => {
                leaf.clear();
                judge.leaf(&mut leaf);
                let right = tree.leaves.push(leaf.drain(..));
                tree.nodes.push(TreeNode { threshold: 0.0, feature: LEAF, right });
                tree.gains.push(0.0);
                tree.cuts.push(0);
                done += end - start;
            }
            Some(mut split) => {
                let (left, seen) = part(stretch, &mut aside, data, &split, weights);
                if !seen.gaps {
                    // No row here has a gap: later ones go where the heavier side is.
                    split.gaps_left = seen.left > weight - seen.left;
                }
                let side = if split.gaps_left { GAP_LEFT } else { 0 };
                tree.nodes.push(TreeNode { threshold: split.threshold, feature: split.column as u32 | side, right: 0 });
                tree.gains.push(judge.gain(split.score));
                tree.cuts.push(split.rank);
                open.push(Open { start: start + left, end, depth: depth + 1, right_of: Some(id) });
                open.push(Open { start, end: start + left, depth: depth + 1, right_of: None });
            }
        }
    }
    Ok(tree)
}

/// What was met while rows were parted.
struct Seen {
    left: f64,
    gaps: bool,
}

/// Puts the rows that go left in front, keeping the order on both sides; how many they are.
fn part(rows: &mut [u32], aside: &mut Vec<u32>, data: &Columns, split: &Split, weights: &[f64]) -> (usize, Seen) {
    let column = &data.columns[split.column];
    let gap = column.gap();
    let (mut left, mut seen) = (0, Seen { left: 0.0, gaps: false });
    aside.clear();
    for i in 0..rows.len() {
        let row = rows[i];
        let rank = column.rank(row);
        seen.gaps |= rank == gap;
        if split.goes_left(rank, gap) {
            rows[left] = row;
            left += 1;
            seen.left += weights[row as usize];
        } else {
            aside.push(row);
        }
    }
    rows[left..].copy_from_slice(aside);
    (left, seen)
}

impl Grown {
    /// The leaf that a row of the data reaches.
    pub fn leaf(&self, data: &Columns, row: u32) -> u32 {
        let mut at = 0;
        loop {
            let node = &self.nodes[at];
            if node.is_leaf() {
                return node.right;
            }
            let column = &data.columns[node.column()];
            let rank = column.rank(row);
            let left = if rank == column.gap() { node.feature & GAP_LEFT != 0 } else { rank <= self.cuts[at] };
            at = if left { at + 1 } else { node.right as usize };
        }
    }

    /// Adds each column's share of the whole decrease of impurity to `out`; shares sum to 1 unless there is no split.
    pub fn add_importance(&self, out: &mut [f64]) {
        let whole: f64 = self.gains.iter().sum();
        if whole > 0.0 {
            let inner = self.nodes.iter().zip(&self.gains).filter(|(n, _)| !n.is_leaf());
            inner.for_each(|(n, gain)| out[n.column()] += gain / whole);
        }
    }

    /// The deepest level of a leaf.
    pub fn depth(&self) -> usize {
        let mut depths = vec![0usize; self.nodes.len()];
        for (i, node) in self.nodes.iter().enumerate().filter(|(_, n)| !n.is_leaf()) {
            depths[i + 1] = depths[i] + 1;
            depths[node.right as usize] = depths[i] + 1;
        }
        depths.into_iter().max().unwrap_or(0)
    }
}
