//! A hierarchy of classes: the root is cut into some parts, and each part again, until a part is a single class.
//!
//! A node is cut into 2 to 12 parts of random sizes, so that 1,139 classes lie some four levels deep and 12,294 some
//! five, as the classes of a web directory do.
//!
//! **Cost.** O(classes · depth), kept.

use base::{Memory, Result, Seed};
use rand::RngExt;

/// The nodes above each class, without the root.
#[derive(Debug)]
pub struct Hierarchy {
    /// Path of class c: `nodes[starts[c]..starts[c + 1]]`, from below the root to the class itself.
    starts: Vec<usize>,
    nodes: Vec<u32>,
    /// How many classes lie below each node; a class counts as one.
    sizes: Vec<u32>,
    _hold: base::Hold,
}

impl Hierarchy {
    /// A random hierarchy over that many classes.
    pub fn draw(classes: usize, seed: Seed, memory: &Memory) -> Result<Self> {
        // Parts differ at most 18-fold in size, so paths stay short; 16 is far beyond their mean.
        let hold = memory.take_for::<u32>(classes.saturating_mul(16 + 4), "a hierarchy of classes")?;
        let mut stream = seed.stream();
        let mut paths = vec![vec![]; classes];
        let mut sizes = vec![];
        let mut open: Vec<_> = std::iter::once(0..classes).collect();
        while let Some(range) = open.pop() {
            if range.len() <= 1 && !(classes == 1 && sizes.is_empty()) {
                continue;
            }
            let parts = range.len().min(2 + stream.random_range(0..11));
            let shares: Vec<f64> = (0..parts).map(|_| 0.06 + stream.random::<f64>()).collect();
            let total: f64 = shares.iter().sum();
            let (mut sum, mut from) = (0.0, range.start);
            for (part, share) in shares.iter().enumerate() {
                sum += share;
                let to = match part + 1 == parts {
                    true => range.end,
                    // The first and the last part are never empty.
                    false => (range.start + (range.len() as f64 * sum / total).round() as usize)
                        .clamp(range.start + 1, range.end - 1),
                };
                if to > from {
                    paths[from..to].iter_mut().for_each(|path| path.push(sizes.len() as u32));
                    sizes.push((to - from) as u32);
                    open.push(from..to);
                    from = to;
                }
            }
        }
        let mut starts = vec![0];
        let mut nodes = vec![];
        for path in &paths {
            nodes.extend_from_slice(path);
            starts.push(nodes.len());
        }
        Ok(Hierarchy { starts, nodes, sizes, _hold: hold })
    }

    /// The nodes from below the root to the class itself.
    pub fn path(&self, class: usize) -> &[u32] {
        &self.nodes[self.starts[class]..self.starts[class + 1]]
    }

    /// How many classes there are.
    pub fn classes(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many classes lie below a node.
    pub fn size(&self, node: u32) -> usize {
        self.sizes[node as usize] as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_is_a_leaf_of_its_own_below_nodes_that_shrink() {
        for (case, classes) in [1, 2, 3, 17, 400, 1139].into_iter().enumerate() {
            let tree = Hierarchy::draw(classes, Seed(9).at(case), &Memory::unlimited()).unwrap();
            let mut below = vec![0; tree.sizes.len()];
            let mut leaves = std::collections::BTreeSet::new();
            for class in 0..classes {
                let path = tree.path(class);
                assert!(path.windows(2).all(|w| tree.size(w[0]) > tree.size(w[1])), "{path:?}");
                path.iter().for_each(|&node| below[node as usize] += 1);
                assert_eq!(tree.size(*path.last().unwrap()), 1);
                assert!(leaves.insert(*path.last().unwrap()));
            }
            assert_eq!(below, tree.sizes.iter().map(|&s| s as usize).collect::<Vec<_>>());
        }
        let tree = Hierarchy::draw(1139, Seed(1), &Memory::unlimited()).unwrap();
        let depth = tree.nodes.len() as f64 / 1139.0;
        assert!((3.0..6.0).contains(&depth), "{depth}");
    }

    #[test]
    fn memory_is_asked_for() {
        assert!(Hierarchy::draw(1000, Seed(1), &Memory::limited(1000)).is_err());
    }
}
