//! Distances: each variable gets the share of its difference in the squared distance.
//!
//! R_i = Σ_j R_j (x_i − u_ji)² / ‖x − u_j‖², whatever the power of the distance: integrated gradients along the line from
//! u_j to x. Relevance of a distance of 0 has nowhere to go and is absorbed.

use crate::rule::{Back, Call, Rule};
use base::graph::Tensor;
use base::{Points, Result, Run};
use numeric::{CentreSum, Centres};

/// Shares of the squared distance.
#[derive(Debug, Clone, Copy)]
pub struct DistanceRule;

impl Rule for DistanceRule {
    fn word(&self) -> &'static str {
        "difference"
    }

    fn back(&self, call: &Call<'_>, run: &Run<'_>) -> Result<Back> {
        if call.only()? != 0 {
            return Err(call.refuse("the centres must be constants"));
        }
        let (x, u) = (call.input(0)?, call.input(1)?);
        let (&[n, d], &[m, _]) = (x.shape(), u.shape()) else { return Err(call.refuse("its inputs are not tables")) };
        let points = Points::dense(x.to_f64(), n, d)?;
        let centres = Centres::new(&Points::dense(u.to_f64(), m, d)?, run)?;
        let (mut squares, _hold) = run.memory.filled(n.saturating_mul(m), 0.0, "distances")?;
        centres.squared_distances(&points, &mut squares, run)?;
        let mut weights = call.relevance.to_f64();
        let mut absorbed = vec![0.0; n];
        for (i, line) in weights.chunks_exact_mut(m.max(1)).enumerate() {
            for (w, &square) in line.iter_mut().zip(&squares[i * m..]) {
                if square > 0.0 {
                    *w /= square;
                } else {
                    absorbed[i] += *w;
                    *w = 0.0;
                }
            }
        }
        // Sums of squares are kept from falling below 0, so what is negative goes by itself.
        let mut below: Vec<f64> = weights.iter().map(|w| (-w).max(0.0)).collect();
        weights.iter_mut().for_each(|w| *w = w.max(0.0));
        let mut out = vec![0.0; n * d];
        centres.sums(&points, &squares, &mut weights, CentreSum::Squares, &mut out, run)?;
        if below.iter().any(|w| *w > 0.0) {
            let mut taken = vec![0.0; n * d];
            centres.sums(&points, &squares, &mut below, CentreSum::Squares, &mut taken, run)?;
            out.iter_mut().zip(taken).for_each(|(o, t)| *o -= t);
        }
        Ok(Back { inputs: call.one(0, Tensor::f64([n, d], out)?), absorbed, lost: vec![] })
    }
}
