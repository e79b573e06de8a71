//! Minimal cost-complexity pruning.
//!
//! With R(t) the impurity of node t times its share of the weight and R(T_t) the sum over the leaves below it, the node
//! is worth its subtree up to the penalty α(t) = (R(t) − R(T_t)) / (leaves − 1) a leaf. The weakest node is made a leaf
//! again and again, as long as its α(t) does not exceed the penalty asked for. **Cost.** O(nodes · depth · log nodes).
//!
//! - L. Breiman, J. Friedman, R. Olshen, C. Stone: *Classification and Regression Trees.* 1984, chapter 3.

use crate::columns::Columns;
use crate::grow::{Grown, grow};
use crate::node::{LEAF, Leaves, TreeNode};
use crate::tree::Tree;
use base::{Dataset, Error, Result, Run, Settings};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// What pruning gives at each strength.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PruningPath {
    /// The penalties at which the tree changes, from 0 up; the last leaves only the root.
    pub alphas: Vec<f64>,
    /// The impurity of the leaves, by share of the weight, once the tree has changed.
    pub impurities: Vec<f64>,
}

/// The penalties at which the tree that `settings` grow on these data loses a branch; `settings.penalty` is left alone.
/// The rows must all have a target and a weight above 0.
pub fn pruning_path(settings: &Tree, data: &Dataset, run: &Run<'_>) -> Result<PruningPath> {
    settings.check_settings()?;
    data.check()?;
    if let Some(row) = (0..data.len()).find(|&i| !data.targets.known(i)) {
        return Err(Error::data(base::Place::Cell { row, column: "target".into() }, "is not known; leave the row out"));
    }
    let points = data.points()?;
    points.check(true, |c| data.features.name(c))?;
    if points.is_empty() || points.columns() == 0 {
        return Err(Error::size("rows and columns of a pruning path", "at least 1", 0));
    }
    let columns = Columns::new(points, run)?;
    let (weights, _hold) = crate::tree::weights_of(data, run)?;
    let rows = (0..data.len() as u32).filter(|&r| weights[r as usize] > 0.0).collect();
    let limits = settings.limits(points.columns())?;
    let tree = grow(&columns, settings.task(data)?, rows, &weights, &limits, run.seed.fork("tree"), run)?;
    let mut path = PruningPath::default();
    weakest_links(&tree, f64::INFINITY, |alpha, impurity| {
        path.alphas.push(alpha);
        path.impurities.push(impurity);
    });
    Ok(path)
}

/// The tree pruned with penalty `alpha`, which predicts `width` outputs.
pub fn pruned(tree: Grown, alpha: f64, width: usize) -> Grown {
    let cut = weakest_links(&tree, alpha, |_, _| {});
    let ends = ends(&tree.nodes);
    let mut out = Grown { interrupted: tree.interrupted, ..Default::default() };
    let mut place = vec![0u32; tree.nodes.len()];
    let mut sums = vec![0.0; width];
    let mut id = 0;
    while id < tree.nodes.len() {
        place[id] = out.nodes.len() as u32;
        out.weights.push(tree.weights[id]);
        out.impurities.push(tree.impurities[id]);
        out.stretches.push(tree.stretches[id]);
        out.cuts.push(tree.cuts[id]);
        let node = tree.nodes[id];
        if node.is_leaf() || cut[id] {
            let right = merged_leaf(&tree, id..ends[id], &mut sums, &mut out.leaves);
            out.nodes.push(TreeNode { threshold: 0.0, feature: LEAF, right });
            out.gains.push(0.0);
            id = ends[id];
        } else {
            out.nodes.push(node);
            out.gains.push(tree.gains[id]);
            id += 1;
        }
    }
    for node in out.nodes.iter_mut().filter(|n| !n.is_leaf()) {
        node.right = place[node.right as usize];
    }
    out.rows = tree.rows;
    out
}

/// One leaf that says what the leaves among these nodes say on average.
fn merged_leaf(tree: &Grown, nodes: std::ops::Range<usize>, sums: &mut [f64], leaves: &mut Leaves) -> u32 {
    if let TreeNode { feature: LEAF, right, .. } = tree.nodes[nodes.start] {
        let (outputs, values) = tree.leaves.of(right as usize);
        return leaves.push(outputs.iter().copied().zip(values.iter().copied()));
    }
    sums.fill(0.0);
    let whole = tree.weights[nodes.start];
    let mut said = vec![false; sums.len()];
    for id in nodes.filter(|&id| tree.nodes[id].is_leaf()) {
        let leaf = tree.nodes[id].right as usize;
        tree.leaves.add(leaf, tree.weights[id] / whole, sums);
        tree.leaves.of(leaf).0.iter().for_each(|&k| said[k as usize] = true);
    }
    leaves.push(sums.iter().zip(said).enumerate().filter(|(_, (_, said))| *said).map(|(k, (&v, _))| (k as u32, v)))
}

/// For each node, the first one after its subtree.
fn ends(nodes: &[TreeNode]) -> Vec<usize> {
    let mut ends = vec![0; nodes.len()];
    for id in (0..nodes.len()).rev() {
        ends[id] = if nodes[id].is_leaf() { id + 1 } else { ends[nodes[id].right as usize] };
    }
    ends
}

/// A node by its α; of equals the first.
#[derive(PartialEq)]
struct Link {
    alpha: f64,
    node: usize,
    leaves: usize,
}

impl Eq for Link {}

impl Ord for Link {
    fn cmp(&self, other: &Self) -> Ordering {
        self.alpha.total_cmp(&other.alpha).then(self.node.cmp(&other.node))
    }
}

impl PartialOrd for Link {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Which nodes become leaves under a penalty; `hear` is told penalty and impurity after each step.
fn weakest_links(tree: &Grown, limit: f64, mut hear: impl FnMut(f64, f64)) -> Vec<bool> {
    let count = tree.nodes.len();
    let whole = tree.weights[0];
    let own: Vec<f64> = tree.weights.iter().zip(&tree.impurities).map(|(w, i)| w / whole * i).collect();
    let (mut below, mut leaves, mut parent) = (own.clone(), vec![1usize; count], vec![usize::MAX; count]);
    for id in (0..count).rev().filter(|&id| !tree.nodes[id].is_leaf()) {
        let children = [id + 1, tree.nodes[id].right as usize];
        below[id] = children.iter().map(|&c| below[c]).sum();
        leaves[id] = children.iter().map(|&c| leaves[c]).sum();
        children.iter().for_each(|&c| parent[c] = id);
    }
    let link = |id: usize, below: &[f64], leaves: &[usize]| Link {
        alpha: ((own[id] - below[id]) / (leaves[id] as f64 - 1.0)).max(0.0),
        node: id,
        leaves: leaves[id],
    };
    let mut heap: BinaryHeap<Reverse<Link>> =
        (0..count).filter(|&id| leaves[id] > 1).map(|id| Reverse(link(id, &below, &leaves))).collect();
    hear(0.0, below[0]);
    let mut cut = vec![false; count];
    while let Some(Reverse(weakest)) = heap.pop() {
        let id = weakest.node;
        // A node whose subtree has changed since stands in the heap once more, with its new number of leaves.
        if weakest.leaves != leaves[id] || leaves[id] == 1 || gone(id, &cut, &parent) {
            continue;
        }
        if weakest.alpha > limit {
            break;
        }
        let (impurity, fewer) = (own[id] - below[id], leaves[id] - 1);
        cut[id] = true;
        leaves[id] = 1;
        below[id] = own[id];
        let mut up = parent[id];
        while up != usize::MAX {
            below[up] += impurity;
            leaves[up] -= fewer;
            heap.push(Reverse(link(up, &below, &leaves)));
            up = parent[up];
        }
        hear(weakest.alpha, below[0]);
    }
    cut
}

/// Whether a node lies under one that was made a leaf.
fn gone(mut id: usize, cut: &[bool], parent: &[usize]) -> bool {
    while parent[id] != usize::MAX {
        id = parent[id];
        if cut[id] {
            return true;
        }
    }
    false
}
