//! A tree as arrays: nodes in pre-order, so that a left child follows its parent, and what the leaves say.

/// A node: a question, or a leaf.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TreeNode {
    /// Rows with x ≤ threshold go left; 0 in a leaf.
    pub threshold: f64,
    /// The column asked for, with [`GAP_LEFT`] where gaps go left; [`LEAF`] in a leaf.
    pub feature: u32,
    /// The right child; in a leaf the leaf's number.
    pub right: u32,
}

/// Marks a leaf.
pub const LEAF: u32 = u32::MAX;
/// Set where gaps go left.
pub const GAP_LEFT: u32 = 1 << 31;

impl TreeNode {
    /// Whether this is a leaf.
    pub fn is_leaf(&self) -> bool {
        self.feature == LEAF
    }

    /// The column asked for.
    pub fn column(&self) -> usize {
        (self.feature & !GAP_LEFT) as usize
    }

    /// Whether a value goes left.
    pub fn goes_left(&self, x: f64) -> bool {
        (x <= self.threshold) | (x.is_nan() & (self.feature & GAP_LEFT != 0))
    }
}

/// Rows that walk side by side: the next step of one does not wait for the memory of another.
const LANES: usize = 8;

/// Calls `found(i, leaf)` with the number of the leaf that each row (of `width` numbers) reaches from node `root`.
pub fn descend(nodes: &[TreeNode], root: usize, rows: &[f64], width: usize, mut found: impl FnMut(usize, usize)) {
    let count = rows.len() / width;
    let mut first = 0;
    while first < count {
        let lanes = LANES.min(count - first);
        let mut at = [root; LANES];
        loop {
            let mut walking = false;
            for (lane, at) in at[..lanes].iter_mut().enumerate() {
                let node = &nodes[*at];
                let leaf = node.is_leaf();
                // A leaf looks at the first column and stays, so that there is no branch to be guessed.
                let column = if leaf { 0 } else { node.column() };
                let left = node.goes_left(rows[(first + lane) * width + column]);
                let next = std::hint::select_unpredictable(left, *at + 1, node.right as usize);
                *at = if leaf { *at } else { next };
                walking |= !leaf;
            }
            if !walking {
                break;
            }
        }
        at[..lanes].iter().enumerate().for_each(|(lane, &at)| found(first + lane, nodes[at].right as usize));
        first += lanes;
    }
}

/// What leaves say: leaf i has the outputs and values `starts[i]..starts[i + 1]`; other outputs are 0.
///
/// Most leaves know few of many classes, so only those are stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Leaves {
    /// Where each leaf starts, and after the last one where it ends.
    pub starts: Vec<u32>,
    /// Outputs.
    pub outputs: Vec<u32>,
    /// Their values.
    pub values: Vec<f64>,
}

impl Default for Leaves {
    fn default() -> Self {
        Leaves { starts: vec![0], outputs: vec![], values: vec![] }
    }
}

impl Leaves {
    /// How many leaves.
    pub fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// Adds a leaf and answers with its number.
    pub fn push(&mut self, entries: impl Iterator<Item = (u32, f64)>) -> u32 {
        for (output, value) in entries {
            self.outputs.push(output);
            self.values.push(value);
        }
        self.starts.push(self.outputs.len() as u32);
        self.count() as u32 - 1
    }

    /// Outputs and values of a leaf.
    pub fn of(&self, leaf: usize) -> (&[u32], &[f64]) {
        let range = self.starts[leaf] as usize..self.starts[leaf + 1] as usize;
        (&self.outputs[range.clone()], &self.values[range])
    }

    /// Adds `scale` times what a leaf says to `out`.
    pub fn add(&self, leaf: usize, scale: f64, out: &mut [f64]) {
        let (outputs, values) = self.of(leaf);
        outputs.iter().zip(values).for_each(|(&k, v)| out[k as usize] += scale * v);
    }
}
