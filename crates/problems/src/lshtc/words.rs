//! The words of a document, drawn from a common vocabulary and from the topics of its classes and those above them.
//!
//! Of a document of N words a part β is drawn from the whole vocabulary, the word of rank r with probability ∝
//! 1/(r + q) (Zipf and Mandelbrot), the rest from topics: with probability λ that of the class itself, else that of one
//! of the nodes above it, each as likely. The j-th word of a topic has probability ∝ 1/(j + q) within it; which word of
//! the vocabulary it is is a fixed random draw with log-uniform rank, so that topics share common words and own rare
//! ones. N is log-normal; β and λ differ from document to document, so that some are about their class and some hardly.
//! A fraction of the words of topics, another one in each document, is of some other class, and some documents are of a class
//! beside theirs in the hierarchy: that is what makes the classes hard to tell apart.
//!
//! **Cost.** O(words) a document; nothing is kept for a topic.

use super::hierarchy::Hierarchy;
use base::{Seed, normal};
use rand::{Rng, RngExt};

/// q of the law of the vocabulary, whose most common words are left out as people leave out stop words.
const OFFSET: f64 = 10.0;
/// q of the laws of topics.
const TOPIC_OFFSET: f64 = 2.7;
/// Words of the topic of one class; of a node with m classes √m times as many.
const TOPIC: f64 = 10.0;
/// No topic is about the most common words: the vocabulary's first part in so many.
const COMMON: f64 = 100.0;
/// Spread of the logarithm of a document's length.
const SPREAD: f64 = 0.5;
/// Least and largest β, the fraction of words from the whole vocabulary.
const BACKGROUND: (f64, f64) = (0.3, 0.6);
/// Largest λ, the fraction of the other words that speak of the class itself.
const OWN: f64 = 0.3;
/// Largest fraction of the other words that speak of another class.
const ASIDE: f64 = 0.6;
/// Documents that might as well be in a class near theirs: their words are of that one.
const DRIFT: f64 = 0.35;
/// How far such a class lies at most, in places of the hierarchy.
const NEAR: u32 = 5;

/// What documents are made of.
pub struct Words<'a> {
    /// How many words there are.
    pub vocabulary: usize,
    /// How many words a document has, in the mean.
    pub length: f64,
    /// The classes and what is above them.
    pub tree: &'a Hierarchy,
    /// The seed of the topics.
    pub topics: Seed,
}

impl Words<'_> {
    /// Draws the ranks of a document's words, each with how often it is there, ranks ascending.
    pub fn document(&self, classes: &[u32], stream: &mut impl Rng, out: &mut Vec<(u32, u32)>) {
        out.clear();
        let length = self.length * (SPREAD * normal(stream) - 0.5 * SPREAD * SPREAD).exp();
        let length = length.round().clamp(1.0, 20.0 * self.length) as usize;
        let background = BACKGROUND.0 + (BACKGROUND.1 - BACKGROUND.0) * stream.random::<f64>();
        let (own, aside) = (OWN * stream.random::<f64>(), ASIDE * stream.random::<f64>());
        let all = self.tree.classes() as u32;
        let other = stream.random_range(0..all);
        let shift = match stream.random::<f64>() < DRIFT {
            true => stream.random_range(0..2 * NEAR.min(all - 1) + 1) + all - NEAR.min(all - 1),
            false => 0,
        };
        for _ in 0..length {
            let rank = match stream.random::<f64>() < background {
                true => ranked(stream.random(), self.vocabulary, OFFSET),
                false => {
                    let class = match stream.random::<f64>() < aside {
                        true => other,
                        false => (classes[stream.random_range(0..classes.len())] + shift) % all,
                    };
                    self.of_topic(self.node(class as usize, own, stream), stream)
                }
            };
            out.push((rank as u32, 1));
        }
        out.sort_unstable();
        out.dedup_by(|later, first| {
            let same = later.0 == first.0;
            first.1 += if same { later.1 } else { 0 };
            same
        });
    }

    /// The class's own node, or one above it.
    fn node(&self, class: usize, own: f64, stream: &mut impl Rng) -> u32 {
        let path = self.tree.path(class);
        match path {
            [.., leaf] if path.len() == 1 || stream.random::<f64>() < own => *leaf,
            [above @ .., _] => above[stream.random_range(0..above.len())],
            [] => 0,
        }
    }

    /// A word of a node's topic.
    fn of_topic(&self, node: u32, stream: &mut impl Rng) -> usize {
        let count = (TOPIC * (self.tree.size(node) as f64).sqrt()) as usize;
        let place = ranked(stream.random(), count, TOPIC_OFFSET);
        let lowest = (self.vocabulary as f64 / COMMON).max(1.0);
        let rank = lowest * (self.vocabulary as f64 / lowest).powf(self.topics.at(node as usize).at(place).unit());
        (rank as usize).min(self.vocabulary - 1)
    }
}

/// The rank below `count` at which the law 1/(r + q) has so much of its mass before it: q ((n + q)/q)^u − q.
fn ranked(u: f64, count: usize, q: f64) -> usize {
    let rank = q * ((count as f64 + q) / q).powf(u) - q;
    (rank as usize).min(count - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_follow_the_law_of_zipf_and_mandelbrot() {
        // The mass up to rank r is ln((r + 1 + q)/q) / ln((n + q)/q): a fixed grid of u hits it to within its step.
        let (n, grid) = (5000, 100_000);
        let mut counts = vec![0usize; n];
        (0..grid).for_each(|i| counts[ranked((i as f64 + 0.5) / grid as f64, n, OFFSET)] += 1);
        let mut sum = 0;
        for (rank, count) in counts.iter().enumerate() {
            sum += count;
            let mass = ((rank as f64 + 1.0 + OFFSET) / OFFSET).ln() / ((n as f64 + OFFSET) / OFFSET).ln();
            assert!((sum as f64 / grid as f64 - mass).abs() <= 1.0 / grid as f64, "{rank}");
        }
    }
}
