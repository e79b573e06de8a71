//! The k nearest found so far, always in order: for searches that skip what is farther than the last of them.

/// The k nearest so far: squared distance and place; of equal distances the smaller place.
pub struct Found {
    k: usize,
    list: Vec<(f64, u32)>,
}

impl Found {
    /// Nothing found yet.
    pub fn new(k: usize) -> Self {
        Found { k, list: vec![] }
    }

    /// The distance of the k-th; infinite while there are fewer.
    pub fn farthest(&self) -> f64 {
        match self.list.len() < self.k {
            true => f64::INFINITY,
            false => self.list.last().map_or(f64::INFINITY, |last| last.0),
        }
    }

    /// Shows one more.
    pub fn push(&mut self, distance: f64, place: u32) {
        if self.list.len() == self.k {
            if self.list.last().is_none_or(|&last| (distance, place) >= last) {
                return;
            }
            self.list.pop();
        }
        let at = self.list.partition_point(|&other| other < (distance, place));
        self.list.insert(at, (distance, place));
    }

    /// All of them, nearest first.
    pub fn finish(self) -> Vec<(f64, u32)> {
        self.list
    }
}
