//! One or many trees whose answers are averaged.
//!
//! A leaf says the shares of the classes or the means of the values of its training rows; the forest says the mean over
//! its trees. **Cost.** O(trees · depth) a row. Gaps are admitted: each node has learned where they go.
//!
//! The record keeps the nodes of all trees one after the other in three arrays of 16 bytes a node together.

use crate::grow::Grown;
use crate::node::{GAP_LEFT, LEAF, Leaves, TreeNode, descend};
use base::{
    Buffer, Error, Facets, Features, Hold, Inputs, Machine, Meaning, Missing, Outputs, Points, Progress, Record,
    Result, Run, Shared,
};
use std::borrow::Cow;

/// Rows answered in one go: many, so that a tree is fetched once for all of them, but no more than a megabyte.
fn block(columns: usize) -> usize {
    ((1 << 17) / columns.max(1)).clamp(64, 1024)
}

/// Trees whose answers are averaged.
pub struct Forest {
    pub(crate) features: Features,
    pub(crate) outputs: Outputs,
    pub(crate) nodes: Vec<TreeNode>,
    /// Where each tree starts, and after the last one where it ends.
    pub(crate) roots: Vec<u32>,
    pub(crate) leaves: Leaves,
    importance: Vec<f64>,
    /// Least and largest training value of each column, node after node.
    pub(crate) boxes: Option<Vec<f64>>,
    _hold: Option<Hold>,
}

/// All that trees are made of.
#[derive(Debug, Clone)]
pub struct TreeParts {
    /// What goes in: points.
    pub features: Features,
    /// What comes out: classes or values.
    pub outputs: Outputs,
    /// The nodes of all trees, one tree after the other, each in pre-order.
    pub nodes: Vec<TreeNode>,
    /// Where each tree starts, and after the last one where it ends.
    pub roots: Vec<u32>,
    /// What the leaves say.
    pub leaves: Leaves,
}

impl Forest {
    /// The kind of its record.
    pub const KIND: &'static str = "forest";

    /// Puts grown trees together; `boxes` are those of each tree, or none.
    pub(crate) fn of(
        features: Features,
        outputs: Outputs,
        trees: Vec<(Grown, Option<Vec<f64>>)>,
        run: &Run<'_>,
    ) -> Result<Self> {
        let (count, d) = (trees.iter().map(|(t, _)| t.nodes.len()).sum::<usize>(), features.count());
        let entries: usize = trees.iter().map(|(t, _)| t.leaves.values.len()).sum();
        let boxed: usize = trees.iter().filter_map(|(_, b)| b.as_ref()).map(Vec::len).sum();
        if u32::try_from(count.max(entries)).is_err() || d >= GAP_LEFT as usize {
            return Err(Error::size("nodes of a forest", format!("below {}", u32::MAX), count.max(entries)));
        }
        let bytes = 20 * count as u64 + 12 * entries as u64 + 8 * boxed as u64;
        let hold = run.memory.take(bytes, "the trees")?;
        let mut forest = Forest {
            features,
            outputs,
            nodes: Vec::with_capacity(count),
            roots: vec![0],
            leaves: Leaves::default(),
            importance: vec![0.0; d],
            boxes: trees.iter().any(|(_, b)| b.is_some()).then(Vec::new),
            _hold: Some(hold),
        };
        for (tree, boxes) in trees {
            let (first, leaf) = (forest.nodes.len() as u32, forest.leaves.count() as u32);
            let shift =
                |node: &TreeNode| TreeNode { right: node.right + if node.is_leaf() { leaf } else { first }, ..*node };
            forest.nodes.extend(tree.nodes.iter().map(shift));
            forest.roots.push(forest.nodes.len() as u32);
            let entries = forest.leaves.outputs.len() as u32;
            forest.leaves.starts.extend(tree.leaves.starts[1..].iter().map(|s| s + entries));
            forest.leaves.outputs.extend_from_slice(&tree.leaves.outputs);
            forest.leaves.values.extend_from_slice(&tree.leaves.values);
            tree.add_importance(&mut forest.importance);
            if let (Some(all), Some(boxes)) = (&mut forest.boxes, boxes) {
                all.extend(boxes);
            }
        }
        let whole: f64 = forest.importance.iter().sum();
        if whole > 0.0 {
            forest.importance.iter_mut().for_each(|i| *i /= whole);
        }
        Ok(forest)
    }

    /// Trees given by their nodes; everything is checked.
    pub fn new(parts: TreeParts) -> Result<Self> {
        let TreeParts { features, outputs, nodes, roots, leaves } = parts;
        let importance = vec![0.0; features.count()];
        let forest = Forest { features, outputs, nodes, roots, leaves, importance, boxes: None, _hold: None };
        if forest.features.table().is_some() || !speaks(&forest.outputs) {
            return Err(Error::size("trees", "points and classes or values", "others"));
        }
        forest.check().map_err(|why| Error::size("nodes of trees", "whole trees", why))?;
        Ok(forest)
    }

    /// The nodes of all trees, one tree after the other.
    pub fn all_nodes(&self) -> &[TreeNode] {
        &self.nodes
    }

    /// Where each tree starts, and after the last one where it ends.
    pub fn roots(&self) -> &[u32] {
        &self.roots
    }

    /// What the leaves say.
    pub fn all_leaves(&self) -> &Leaves {
        &self.leaves
    }

    /// The machine a record speaks of; everything is checked.
    pub fn read(record: &Record) -> Result<Self> {
        record.expect_within(Self::KIND, 2..=2)?;
        let features = Features::read(record.part("inputs")?)?;
        let outputs = Outputs::read(record.part("outputs")?)?;
        if outputs.extra > 0 || features.table().is_some() || !speaks(&outputs) {
            return Err(record.broken("trees take points and predict classes or values"));
        }
        let (asked, right) = (record.ids("asked")?, record.ids("right")?);
        let count = asked.len();
        let thresholds = record.array_of("thresholds", &[count])?;
        if right.len() != count {
            return Err(record.broken(format!("{} right children of {count} nodes", right.len())));
        }
        let node = |i: usize| TreeNode { threshold: thresholds[i], feature: asked[i], right: right[i] };
        let nodes: Vec<TreeNode> = (0..count).map(node).collect();
        let roots = record.ids("roots")?.to_vec();
        let values = record.array("leaf-values")?.1;
        let leaves = Leaves {
            starts: record.ids("leaf-starts")?.to_vec(),
            outputs: record.ids("leaf-outputs")?.to_vec(),
            values: values.get(0..values.len()).into_owned(),
        };
        let d = features.count();
        let boxes = match record.has("boxes") {
            true => Some(record.array_of("boxes", &[count, d, 2])?),
            false => None,
        };
        let importance = record.array_of("importance", &[d])?;
        let forest = Forest { features, outputs, nodes, roots, leaves, importance, boxes, _hold: None };
        forest.check().map_err(|why| record.broken(why))?;
        Ok(forest)
    }

    /// Makes sure that every walk stays within its tree and ends in a leaf that says something.
    fn check(&self) -> std::result::Result<(), String> {
        let (roots, leaves) = (&self.roots, &self.leaves);
        let ascending = |list: &[u32], end: usize| {
            list.first() == Some(&0) && list.last() == Some(&(end as u32)) && list.windows(2).all(|w| w[0] <= w[1])
        };
        if roots.len() < 2 || !ascending(roots, self.nodes.len()) || roots.windows(2).any(|w| w[0] == w[1]) {
            return Err("the trees' starts do not ascend from 0 to the number of nodes".into());
        }
        if leaves.outputs.len() != leaves.values.len() || !ascending(&leaves.starts, leaves.outputs.len()) {
            return Err("the leaves' starts do not ascend from 0 to the number of entries".into());
        }
        if leaves.outputs.iter().any(|&k| k as usize >= self.outputs.names.len()) {
            return Err("a leaf refers to an output that does not exist".into());
        }
        if leaves.values.iter().chain(&self.importance).any(|v| !v.is_finite()) {
            return Err("a number of a leaf is not finite".into());
        }
        for tree in roots.windows(2) {
            for id in tree[0]..tree[1] {
                let node = &self.nodes[id as usize];
                // Children come after their parent, so every walk ends.
                let right = match node.is_leaf() {
                    true => (node.right as usize) < leaves.count(),
                    false => {
                        node.column() < self.features.count()
                            && !node.threshold.is_nan()
                            && node.right > id + 1
                            && node.right < tree[1]
                    }
                };
                if !right {
                    return Err(format!("node {id} leads nowhere"));
                }
            }
        }
        Ok(())
    }

    /// How many trees.
    pub fn trees(&self) -> usize {
        self.roots.len() - 1
    }

    /// How many nodes all trees have together, leaves included.
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// How many leaves all trees have together.
    pub fn leaves(&self) -> usize {
        self.leaves.count()
    }

    /// Each column's share of the decrease of impurity, averaged over trees; sums to 1, or is 0 without any split.
    pub fn importance(&self) -> &[f64] {
        &self.importance
    }

    /// Some rows, written out one after the other.
    pub(crate) fn written_out<'p>(&self, points: &'p Points, rows: std::ops::Range<usize>) -> Cow<'p, [f64]> {
        match points {
            Points::Dense(dense) => dense.rows(rows),
            sparse => {
                let d = self.features.count();
                let mut block = vec![0.0; rows.len() * d];
                let blocks = block.chunks_exact_mut(d.max(1));
                rows.zip(blocks).for_each(|(i, row)| sparse.write_row(i, row));
                Cow::Owned(block)
            }
        }
    }

    /// The points of inputs.
    pub(crate) fn points<'i>(&self, inputs: &'i Inputs) -> Result<&'i Points> {
        match inputs {
            Inputs::Points(points) => Ok(points),
            Inputs::Table(_) => Err(Error::size("inputs", "points", "a table")),
        }
    }
}

fn speaks(outputs: &Outputs) -> bool {
    matches!(outputs.meaning, Meaning::Classes | Meaning::Values) && !outputs.names.is_empty()
}

impl Machine for Forest {
    fn inputs(&self) -> &Features {
        &self.features
    }

    fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    fn apply(&self, inputs: &Inputs, run: &Run<'_>) -> Result<Points> {
        let points = self.points(inputs)?;
        let (n, d, k) = (points.len(), self.features.count(), self.outputs.names.len());
        let (mut scores, hold) = run.memory.filled(n.saturating_mul(k), 0.0, "scores")?;
        let block = block(d);
        let copies = numeric::threads(run).saturating_mul(block).min(n).saturating_mul(d);
        let _rows = run.memory.take_for::<f64>(copies, "rows of a forest's block")?;
        // Fractions are summed before they are divided, so that trees that agree give 1 and not a little more.
        // Margins of boosted trees, which a softmax follows, may be any numbers.
        let fractions = self.outputs.meaning == Meaning::Classes && self.outputs.link == base::Link::Identity;
        let trees = self.trees() as f64;
        let scale = if fractions { 1.0 } else { 1.0 / trees };
        numeric::each_chunk_mut(run, &mut scores, block * k, |i, scores| {
            let first = i * block;
            run.report(&Progress::of("trees", first as u64, n as u64))?;
            let rows = self.written_out(points, first..first + scores.len() / k);
            for &root in &self.roots[..self.trees()] {
                descend(&self.nodes, root as usize, &rows, d, |i, leaf| {
                    self.leaves.add(leaf, scale, &mut scores[i * k..(i + 1) * k]);
                });
            }
            if fractions {
                scores.iter_mut().for_each(|s| *s = (*s / trees).min(1.0));
            }
            Ok(())
        })?;
        Points::dense(Buffer::F64(Shared::counted(scores, hold)), n, k)
    }

    fn record(&self) -> Record {
        let (count, d) = (self.nodes.len(), self.features.count());
        let thresholds: Vec<f64> = self.nodes.iter().map(|n| n.threshold).collect();
        let record = Record::new(Self::KIND, 2)
            .with("inputs", self.features.record())
            .with("outputs", self.outputs.record())
            .with("asked", self.nodes.iter().map(|n| n.feature).collect::<Vec<u32>>())
            .with("right", self.nodes.iter().map(|n| n.right).collect::<Vec<u32>>())
            .with_array("thresholds", &[count], thresholds)
            .with("roots", self.roots.clone())
            .with("leaf-starts", self.leaves.starts.clone())
            .with("leaf-outputs", self.leaves.outputs.clone())
            .with_array("leaf-values", &[self.leaves.values.len()], self.leaves.values.clone())
            .with_array("importance", &[d], self.importance.clone());
        match &self.boxes {
            Some(boxes) => record.with_array("boxes", &[count, d, 2], boxes.clone()),
            None => record,
        }
    }

    fn facets(&self) -> Facets<'_> {
        Facets { missing: Missing::HANDLED, ..Facets::default() }
    }
}

const _: () = assert!(LEAF & GAP_LEFT != 0, "a leaf is identified by its column alone");
