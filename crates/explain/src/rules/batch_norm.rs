//! Batch normalisation y = w x + b in each channel, w = scale / √(variance + ε₀), b = bias − mean w, three ways.
//!
//! | way | R_x |
//! |---|---|
//! | one | w x R / (y + ε sign y): one linear layer |
//! | two | the same twice: x to (x − mean)/√(variance + ε₀), that to y |
//! | star | (2 x⁺w⁺/(x⁺w⁺ + b⁺) − x⁺w⁻/(x⁺w⁻ + b⁻)) R, 0/0 = 0 |
//! | pass | R |
//!
//! The fourth way of the literature, into the layer beside it, is a rewriting (`network::rewrite::fuse_batch_norm`) and
//! what is done first unless another way is asked for. The star does not conserve: what it adds is told as lost.
//!
//! **Cost.** One pass. Source: M. Alber, *Efficient Learning Machines*, 2019, V.4.3 and A.3; L. Hui, A. Binder 2019.

use super::ratio::Layout;
use crate::rule::{Back, Call, Rule};
use base::graph::Op;
use base::{Result, Run, choices};
use network::LineFunction;
use numeric::Real;

choices! {
    /// How relevance goes back through a batch normalisation.
    pub enum BatchNormWay {
        /// Into the linear layer beside it, where that is exact; else as one linear layer.
        Fused = "fused",
        /// As one linear layer.
        One = "one",
        /// As two linear layers, one that takes away the mean and divides, one that scales and shifts.
        Two = "two",
        /// By four kinds of contributions, of which two count.
        Star = "star",
        /// It passes.
        Pass = "pass",
    }
}

/// A batch normalisation in one of these ways.
#[derive(Debug, Clone, Copy)]
pub struct BatchNormRule {
    /// The way.
    pub way: BatchNormWay,
    /// What stabilises the division.
    pub epsilon: f64,
}

/// The numbers of each channel.
struct Channels {
    way: BatchNormWay,
    epsilon: f64,
    layout: Layout,
    scale: Vec<f64>,
    bias: Vec<f64>,
    mean: Vec<f64>,
    /// √(variance + ε₀).
    deviation: Vec<f64>,
}

/// a / (a + b ± ε) and what b and ε have of it; 0/0 is 0, with all lost.
fn share(a: f64, b: f64, epsilon: f64) -> [f64; 3] {
    let z = a + b;
    let s = if z < 0.0 { -epsilon } else { epsilon };
    match z + s == 0.0 {
        true => [0.0, 0.0, 1.0],
        false => [a / (z + s), b / (z + s), s / (z + s)],
    }
}

impl Channels {
    /// What of relevance 1 the input gets, what is absorbed, what is lost.
    fn shares(&self, c: usize, x: f64) -> [f64; 3] {
        let w = self.scale[c] / self.deviation[c];
        let b = self.bias[c] - self.mean[c] * w;
        match self.way {
            BatchNormWay::Fused | BatchNormWay::One => share(w * x, b, self.epsilon),
            BatchNormWay::Two => {
                let inner = (x - self.mean[c]) / self.deviation[c];
                let outer = share(self.scale[c] * inner, self.bias[c], self.epsilon);
                let first = share(x / self.deviation[c], -self.mean[c] / self.deviation[c], self.epsilon);
                [outer[0] * first[0], outer[1] + outer[0] * first[1], outer[2] + outer[0] * first[2]]
            }
            BatchNormWay::Star => {
                let x = x.max(0.0);
                let part =
                    |w: f64, b: f64| if w * x + b == 0.0 { [0.0; 2] } else { [w * x / (w * x + b), b / (w * x + b)] };
                let (up, down) = (part(w.max(0.0), b.max(0.0)), part(w.min(0.0), b.min(0.0)));
                let (own, absorbed) = (2.0 * up[0] - down[0], 2.0 * up[1] - down[1]);
                [own, absorbed, 1.0 - own - absorbed]
            }
            BatchNormWay::Pass => [1.0, 0.0, 0.0],
        }
    }
}

impl LineFunction<2> for Channels {
    fn fill<T: Real>(&self, line: usize, [r, x]: [&[T]; 2], out: &mut [T]) -> [f64; 2] {
        let mut sums = [0.0; 2];
        for (k, o) in out.iter_mut().enumerate() {
            let r = r[k].wide();
            let [own, absorbed, lost] = self.shares(self.layout.channel(line, k), x[k].wide());
            *o = T::narrow(own * r);
            sums[0] += absorbed * r;
            sums[1] += lost * r;
        }
        sums
    }
}

impl Rule for BatchNormRule {
    fn word(&self) -> &'static str {
        match self.way {
            BatchNormWay::Fused | BatchNormWay::One => "norm-one",
            BatchNormWay::Two => "norm-two",
            BatchNormWay::Star => "norm-star",
            BatchNormWay::Pass => "pass",
        }
    }

    fn back(&self, call: &Call<'_>, run: &Run<'_>) -> Result<Back> {
        let (Op::BatchNorm { epsilon }, 0) = (&call.node.op, call.only()?) else {
            return Err(call.refuse("it is not a batch normalisation with constant parameters"));
        };
        let x = call.input(0)?;
        let layout = Layout::by_channel(x.shape());
        let of = |place: usize| call.input(place).map(|t| t.to_f64());
        let deviation = of(4)?.iter().map(|v| (v + epsilon).sqrt()).collect();
        let channels = Channels {
            way: self.way,
            epsilon: self.epsilon,
            layout,
            scale: of(1)?,
            bias: of(2)?,
            mean: of(3)?,
            deviation,
        };
        let (relevance, sums) = call.network.lines([call.relevance, x], layout.length, &channels, run)?;
        let [absorbed, lost] = layout.by_row(&sums, call.rows);
        Ok(Back { inputs: call.one(0, relevance), absorbed, lost })
    }
}
