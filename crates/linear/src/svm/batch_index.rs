//! Which samples of a batch have changed something, feature by feature: what a later sample of the batch must add to its scores.
//!
//! **Cost.** For each feature of a sample, the samples before it in the batch that have the feature, too.

use super::samples::Samples;
use super::store::Change;

/// The features of the samples of a batch that changed something: lists by feature.
pub(super) struct Index {
    /// The newest entry of each feature.
    heads: Vec<u32>,
    /// Place of the change, value of the feature, the entry before.
    entries: Vec<(u32, f64, u32)>,
    /// Inner products with each change.
    products: Vec<f64>,
}

/// There is no entry.
const NONE: u32 = u32::MAX;

impl Index {
    pub fn new(width: usize) -> Self {
        Index { heads: vec![NONE; width], entries: vec![], products: vec![] }
    }

    /// Adds the sample whose change has this place.
    pub fn add(&mut self, samples: &Samples<'_>, i: usize, place: usize) {
        let (heads, entries) = (&mut self.heads, &mut self.entries);
        samples.each(i, |j, x| {
            entries.push((place as u32, x, heads[j]));
            heads[j] = (entries.len() - 1) as u32;
        });
    }

    /// Calls `f` with each class and what the changes so far add to its score of sample `i`.
    pub fn correct(&mut self, samples: &Samples<'_>, i: usize, changes: &[Change], mut f: impl FnMut(u32, f64)) {
        let (heads, entries, products) = (&self.heads, &self.entries, &mut self.products);
        products.clear();
        products.resize(changes.len(), 0.0);
        samples.each(i, |j, x| {
            let mut at = heads[j];
            while at != NONE {
                let (place, value, before) = entries[at as usize];
                products[place as usize] += x * value;
                at = before;
            }
        });
        for (change, &product) in changes.iter().zip(&*products).filter(|(_, p)| **p != 0.0) {
            change.classes.iter().for_each(|&(class, scale)| f(class, product * scale));
        }
    }

    /// Empties the index of these changes.
    pub fn clear(&mut self, samples: &Samples<'_>, changes: &[Change]) {
        if self.entries.is_empty() {
            return;
        }
        for change in changes {
            let heads = &mut self.heads;
            samples.each(change.row as usize, |j, _| heads[j] = NONE);
        }
        self.entries.clear();
    }
}
