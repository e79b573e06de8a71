//! The soft committee machine: σ(ξ) = h(β Σ_k v_k g(w⁽ᵏ⁾·ξ − θ⁽ᵏ⁾)).
//!
//! One hidden layer of K units with activation g, summed with weights v; with h the identity and g sigmoidal such
//! networks come as near as one likes to every continuous function on a cube. W has K·N + 2K numbers.
//!
//! - G. Cybenko: *Approximation by superpositions of a sigmoidal function.* Math. Control Signals Syst. 2 (1989).
//! - M. Biehl: *The Shallow and the Deep.* 2023, section 5.1 and equations (A.52)-(A.56).

use base::graph::{Binary, Draft, Element, Graph, Op, Tensor, Unary};
use base::{Error, Result, Seed, normal};

/// A soft committee machine to be drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct SoftCommittee {
    /// Inputs N.
    pub columns: usize,
    /// Hidden units K.
    pub units: usize,
    /// g.
    pub hidden: Unary,
    /// h.
    pub output: Unary,
    /// β.
    pub gain: f64,
    /// Standard deviation of the drawn thresholds and of |w|; v is drawn with that of 1/√K.
    pub scale: f64,
}

impl Default for SoftCommittee {
    fn default() -> Self {
        SoftCommittee { columns: 1, units: 10, hidden: Unary::Tanh, output: Unary::Identity, gain: 1.0, scale: 1.0 }
    }
}

impl SoftCommittee {
    /// The machine with weights drawn from the seed, in double precision: `w` (units x columns), `threshold` (−θ, which
    /// is added) and `v` (units x 1).
    pub fn graph(&self, seed: Seed) -> Result<Graph> {
        let (n, k) = (self.columns, self.units);
        if n == 0 || k == 0 {
            return Err(Error::size("columns and units of a committee", "at least 1", 0));
        }
        let count = n.checked_mul(k).ok_or_else(|| Error::size("weights of a committee", "fewer", "too many"))?;
        let drawn = |name: &str, count: usize, spread: f64| -> Vec<f64> {
            let mut stream = seed.fork(name).stream();
            (0..count).map(|_| spread * normal(&mut stream)).collect()
        };
        let mut draft = Draft::default();
        let x = draft.input("x", Element::F64, vec![None, Some(n)]);
        let w = draft.trained("w", Tensor::f64([k, n], drawn("w", count, self.scale / (n as f64).sqrt()))?);
        let threshold = draft.trained("threshold", Tensor::f64([k], drawn("threshold", k, self.scale))?);
        let v = draft.trained("v", Tensor::f64([k, 1], drawn("v", k, 1.0 / (k as f64).sqrt()))?);
        let field = draft.node("field", Op::Dense { transposed: true }, &[x, w, threshold]);
        let hidden = draft.node("hidden", Op::Unary(self.hidden), &[field]);
        let mut sum = draft.node("sum", Op::Dense { transposed: false }, &[hidden, v]);
        if self.gain != 1.0 {
            let gain = draft.constant("gain", Tensor::f64([], vec![self.gain])?);
            sum = draft.node("scaled", Op::Binary(Binary::Mul), &[sum, gain]);
        }
        if self.output != Unary::Identity {
            sum = draft.node("output", Op::Unary(self.output), &[sum]);
        }
        draft.named("y", sum)
    }
}
