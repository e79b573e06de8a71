//! The order in which a solver visits its samples: the active ones, shuffled anew every epoch by the seed.

use rand::Rng;

/// Active samples first, then those that are left out for now.
pub(crate) struct Order<R> {
    samples: Vec<u32>,
    active: usize,
    stream: R,
}

impl<R: Rng> Order<R> {
    /// All of `count` samples active.
    pub fn new(count: usize, stream: R) -> Self {
        Order { samples: (0..count as u32).collect(), active: count, stream }
    }

    /// How many samples are active.
    pub fn active(&self) -> usize {
        self.active
    }

    /// Whether none is left out.
    pub fn complete(&self) -> bool {
        self.active == self.samples.len()
    }

    /// The sample at a place among the active ones.
    pub fn at(&self, place: usize) -> usize {
        self.samples[place] as usize
    }

    /// The active samples.
    pub fn all(&self) -> &[u32] {
        &self.samples[..self.active]
    }

    /// Shuffles the active samples.
    pub fn shuffle(&mut self) {
        for s in 0..self.active {
            // A range below 2³² by multiplication; its bias is below n / 2³².
            let left = (self.active - s) as u64;
            let other = s + ((u64::from(self.stream.next_u32()) * left) >> 32) as usize;
            self.samples.swap(s, other);
        }
    }

    /// Leaves out the sample at a place; another comes to stand there.
    pub fn leave_out(&mut self, place: usize) {
        self.active -= 1;
        self.samples.swap(place, self.active);
    }

    /// Keeps only the active samples that `keep` says.
    pub fn retain(&mut self, keep: impl Fn(usize) -> bool) {
        let mut place = 0;
        while place < self.active {
            if keep(self.at(place)) {
                place += 1;
            } else {
                self.leave_out(place);
            }
        }
    }

    /// All samples are active again.
    pub fn restore(&mut self) {
        self.active = self.samples.len();
    }
}
