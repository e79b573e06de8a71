//! Dense layers: z_k = Σ_i x_i w_ik + b_k, and each input gets what it added.
//!
//! R_i = Σ_k x_i w_ik / (z_k + ε sign z_k) R_k. Biases absorb b_k R_k / (…), the stabiliser ε loses ε R_k / (…). Where z_k is
//! 0 and ε is too, R_k is lost.
//!
//! **Cost.** One product. Source: S. Bach et al., PLoS ONE 10(7), 2015.

use crate::rule::{Back, Call, Rule};
use base::graph::{Op, Tensor};
use base::{Result, Run};
use numeric::{Mat, MatMut, product};

/// What each input added, stabilised by ε ≥ 0.
#[derive(Debug, Clone, Copy)]
pub struct DenseRule {
    /// ε.
    pub epsilon: f64,
}

impl Rule for DenseRule {
    fn word(&self) -> &'static str {
        if self.epsilon == 0.0 { "z" } else { "epsilon" }
    }

    fn back(&self, call: &Call<'_>, run: &Run<'_>) -> Result<Back> {
        let Op::Dense { transposed } = call.node.op else { return Err(call.refuse("it is no dense layer")) };
        if call.only()? != 0 {
            return Err(call.refuse("the weights must be constants"));
        }
        let (x, w) = (call.input(0)?, call.input(1)?);
        let (&[n, into], &[_, out]) = (x.shape(), call.output.shape()) else {
            return Err(call.refuse("its inputs are no table"));
        };
        let bias = call.inputs.get(2).copied().flatten().map_or(vec![0.0; out], |b| b.to_f64());
        let (mut ratios, z) = (call.relevance.to_f64(), call.output.to_f64());
        let (mut absorbed, mut lost) = (vec![0.0; n], vec![0.0; n]);
        for (i, line) in ratios.chunks_exact_mut(out.max(1)).enumerate() {
            for (k, r) in line.iter_mut().enumerate() {
                let z = z[i * out + k];
                let whole = z + self.epsilon * if z < 0.0 { -1.0 } else { 1.0 };
                if whole == 0.0 {
                    lost[i] += *r;
                    *r = 0.0;
                    continue;
                }
                *r /= whole;
                absorbed[i] += bias[k] * *r;
                lost[i] += (whole - z) * *r;
            }
        }
        let weights = w.to_f64();
        let weights = match transposed {
            true => Mat::new(&weights, out, into)?,
            false => Mat::new(&weights, into, out)?.transposed(),
        };
        let (mut relevance, _hold) = run.memory.filled(n.saturating_mul(into), 0.0, "relevance")?;
        product(run, Mat::new(&ratios, n, out)?, weights, MatMut::new(&mut relevance, n, into)?, 1.0, false)?;
        relevance.iter_mut().zip(x.to_f64()).for_each(|(r, x)| *r *= x);
        Ok(Back { inputs: call.one(0, Tensor::f64([n, into], relevance)?), absorbed, lost })
    }
}
