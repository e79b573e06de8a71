//! Relevance divided by what it is shared out among, with the accounts of that division, in one pass.
//!
//! t = c R / (z + ε sign z), where sign 0 = 1; where the whole is 0, t is 0 and c R is lost. The bias absorbs b t, the
//! stabiliser loses ε sign(z) t. With a side, only outputs of one sign are shared out; what arrives at an output of
//! exactly 0 is lost, once, by the positive side.

use base::Result;
use base::Run;
use base::graph::Tensor;
use network::{LineFunction, Network};
use numeric::Real;

/// Where the channel of an element is found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    /// Elements of a line.
    pub length: usize,
    /// How many channels.
    pub channels: usize,
    /// Whether a line has all channels one after the other; else it is one channel.
    pub within: bool,
}

impl Layout {
    /// (rows, channels) or (rows, channels, space…).
    pub fn by_channel(shape: &[usize]) -> Self {
        match shape {
            &[_, channels, ref space @ ..] if !space.is_empty() => {
                Layout { length: space.iter().product(), channels, within: false }
            }
            shape => Self::by_last(shape),
        }
    }

    /// (…, channels).
    pub fn by_last(shape: &[usize]) -> Self {
        let channels = shape.last().copied().unwrap_or(1);
        Layout { length: channels, channels, within: true }
    }

    /// The channel of element `k` of a line.
    pub fn channel(&self, line: usize, k: usize) -> usize {
        if self.within { k % self.channels.max(1) } else { line % self.channels.max(1) }
    }

    /// Sums of lines added up for each row.
    pub fn by_row(&self, sums: &[[f64; 2]], rows: usize) -> [Vec<f64>; 2] {
        let mut out = [vec![0.0; rows], vec![0.0; rows]];
        let each = (sums.len() / rows.max(1)).max(1);
        for (i, sum) in sums.iter().enumerate() {
            let row = (i / each).min(rows.saturating_sub(1));
            out[0][row] += sum[0];
            out[1][row] += sum[1];
        }
        out
    }
}

/// Which outputs are shared out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// All.
    Both,
    /// Those above 0.
    Above,
    /// Those below 0.
    Below,
}

/// How relevance is divided.
pub(crate) struct Ratio<'a> {
    pub share: f64,
    pub epsilon: f64,
    /// What is added in each channel, none if nothing is.
    pub bias: Option<&'a [f64]>,
    pub layout: Layout,
    pub side: Side,
}

/// Relevance over its whole, and what each row absorbed and lost.
pub(crate) struct Divided {
    pub ratios: Tensor,
    pub absorbed: Vec<f64>,
    pub lost: Vec<f64>,
}

impl Ratio<'_> {
    /// Divides relevance `r` by `z`; `y` is the layer's output, whose sign decides for a side.
    pub fn divide(&self, [r, z, y]: [&Tensor; 3], rows: usize, network: &Network, run: &Run<'_>) -> Result<Divided> {
        let (ratios, sums) = match self.side {
            Side::Both => network.lines([r, z], self.layout.length, self, run)?,
            _ => network.lines([r, z, y], self.layout.length, self, run)?,
        };
        let [absorbed, lost] = self.layout.by_row(&sums, rows);
        Ok(Divided { ratios, absorbed, lost })
    }

    /// What the biases of a line absorb.
    fn absorbed<T: Real>(&self, line: usize, ratios: &[T]) -> f64 {
        match self.bias {
            None => 0.0,
            Some(bias) if self.layout.within => ratios.iter().zip(bias).map(|(t, b)| t.wide() * b).sum(),
            Some(bias) => bias[self.layout.channel(line, 0)] * sum(ratios.len(), |i| ratios[i]),
        }
    }
}

/// Σ of numbers in eight lanes, in pieces that are widened, so that it is fast and loses nothing.
fn sum<T: Real>(count: usize, value: impl Fn(usize) -> T) -> f64 {
    const PIECE: usize = 512;
    let mut total = 0.0;
    for from in (0..count).step_by(PIECE) {
        let to = count.min(from + PIECE);
        let mut lanes = [T::ZERO; 8];
        let whole = from + (to - from) / 8 * 8;
        for i in (from..whole).step_by(8) {
            lanes.iter_mut().enumerate().for_each(|(k, lane)| *lane += value(i + k));
        }
        (whole..to).for_each(|i| lanes[i - whole] += value(i));
        total += lanes.iter().map(|l| l.wide()).sum::<f64>();
    }
    total
}

fn stabiliser<T: Real>(z: T, epsilon: T) -> T {
    if z < T::ZERO { -epsilon } else { epsilon }
}

impl LineFunction<2> for Ratio<'_> {
    fn fill<T: Real>(&self, line: usize, [r, z]: [&[T]; 2], out: &mut [T]) -> [f64; 2] {
        let (share, epsilon) = (T::narrow(self.share), T::narrow(self.epsilon));
        for ((t, &r), &z) in out.iter_mut().zip(r).zip(z) {
            let whole = z + stabiliser(z, epsilon);
            *t = if whole == T::ZERO { T::ZERO } else { share * r / whole };
        }
        let lost = sum(out.len(), |i| {
            let s = stabiliser(z[i], epsilon);
            if z[i] + s == T::ZERO { share * r[i] } else { s * out[i] }
        });
        [self.absorbed(line, out), lost]
    }
}

impl LineFunction<3> for Ratio<'_> {
    fn fill<T: Real>(&self, line: usize, [r, z, y]: [&[T]; 3], out: &mut [T]) -> [f64; 2] {
        let (share, epsilon) = (T::narrow(self.share), T::narrow(self.epsilon));
        let above = self.side == Side::Above;
        let mut lost = 0.0;
        for (i, t) in out.iter_mut().enumerate() {
            let s = stabiliser(z[i], epsilon);
            let (whole, own) = (z[i] + s, share * r[i]);
            let mine = if above { y[i] > T::ZERO } else { y[i] < T::ZERO };
            *t = if !mine || whole == T::ZERO { T::ZERO } else { own / whole };
            if mine {
                lost += if whole == T::ZERO { own } else { s * *t }.wide();
            } else if above && y[i] == T::ZERO {
                lost += own.wide();
            }
        }
        [self.absorbed(line, out), lost]
    }
}
