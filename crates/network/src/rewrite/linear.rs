//! Linear layers as matrices of channels: which channel in and which channel out each weight joins.

use base::graph::{Op, Padding};

/// A linear layer's weights as (input channel, output channel) by flat index.
pub(super) struct Channels {
    pub into: usize,
    pub out: usize,
    shape: Vec<usize>,
    kind: Kind,
}

enum Kind {
    /// (in, out).
    Dense,
    /// (out, in).
    Transposed,
    /// (out, in / groups, space…).
    Conv { groups: usize },
    /// (in, out / groups, space…).
    ConvTranspose { groups: usize },
}

impl Channels {
    /// The channels of a layer with weights of that shape; none if it is no linear layer, or the shape does not fit.
    pub fn of(op: &Op, shape: &[usize]) -> Option<Self> {
        let (kind, into, out) = match (op, shape) {
            (Op::Dense { transposed: false }, &[a, b]) => (Kind::Dense, a, b),
            (Op::Dense { transposed: true }, &[a, b]) => (Kind::Transposed, b, a),
            (Op::Conv { groups, .. }, &[a, b, _, ..]) if *groups > 0 && a % groups == 0 => {
                (Kind::Conv { groups: *groups }, b.checked_mul(*groups)?, a)
            }
            (Op::ConvTranspose { groups, .. }, &[a, b, _, ..]) if *groups > 0 && a % groups == 0 => {
                (Kind::ConvTranspose { groups: *groups }, a, b.checked_mul(*groups)?)
            }
            _ => return None,
        };
        Some(Channels { into, out, shape: shape.to_vec(), kind })
    }

    /// The channels a weight joins.
    pub fn at(&self, flat: usize) -> (usize, usize) {
        let space: usize = self.shape[2..].iter().product();
        let (a, b) = (flat / space / self.shape[1], flat / space % self.shape[1]);
        match self.kind {
            Kind::Dense => (a, b),
            Kind::Transposed => (b, a),
            Kind::Conv { groups } => (a / (self.out / groups) * self.shape[1] + b, a),
            Kind::ConvTranspose { groups } => (a, a / (self.into / groups) * self.shape[1] + b),
        }
    }
}

/// Whether every element of a layer's result sees all of its weights, none of them on a padded 0.
pub(super) fn sees_all(op: &Op) -> bool {
    match op {
        Op::Dense { .. } => true,
        Op::Conv { window, .. } => match &window.padding {
            Padding::Explicit { begin, end, up } => !up && begin.iter().chain(end).all(|&n| n == 0),
            Padding::SameUpper | Padding::SameLower => false,
        },
        _ => false,
    }
}
