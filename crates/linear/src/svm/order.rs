//! The order in which a solver visits its samples: the active ones, shuffled anew every epoch by the seed.

use base::{Record, Result};
use rand::Rng;

const KIND: &str = "order of samples";

/// Active samples first, then those that are left out for now.
pub(crate) struct Order<R> {
    samples: Vec<u32>,
    active: usize,
    stream: R,
    /// Numbers taken from the stream so far.
    drawn: u64,
}

impl<R: Rng> Order<R> {
    /// All of `count` samples active.
    pub fn new(count: usize, stream: R) -> Self {
        Order { samples: (0..count as u32).collect(), active: count, stream, drawn: 0 }
    }

    /// As a record.
    pub fn record(&self) -> Record {
        Record::new(KIND, 1)
            .with("samples", self.samples.clone())
            .with("active", self.active)
            .with("drawn", self.drawn.to_string())
    }

    /// Reads the order of `count` samples that [`Order::record`] wrote after so many epochs; `stream` is the one that it
    /// began with.
    pub fn read(record: &Record, count: usize, epochs: usize, mut stream: R) -> Result<Self> {
        record.expect(KIND, 1)?;
        let (samples, active) = (record.ids("samples")?.to_vec(), record.count("active")?);
        let mut seen = vec![false; count];
        let new = |&s: &u32| seen.get_mut(s as usize).is_some_and(|seen| !std::mem::replace(seen, true));
        if samples.len() != count || active > count || !samples.iter().all(new) {
            return Err(record.broken(format!("is not an order of {count} samples")));
        }
        let most = (epochs as u64 + 1).saturating_mul(count as u64);
        let drawn = record.text("drawn")?.parse().ok().filter(|&drawn| drawn <= most);
        let drawn = drawn.ok_or_else(|| record.broken("does not say how far the stream is"))?;
        (0..drawn).for_each(|_| _ = stream.next_u32());
        Ok(Order { samples, active, stream, drawn })
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
        self.drawn += self.active as u64;
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
