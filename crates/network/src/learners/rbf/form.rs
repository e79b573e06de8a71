//! The units of an RBF network as a graph.
//!
//! Exponents −½ (x − c_j)ᵀ Σ_j⁻¹ (x − c_j) by distances to the centres where one form serves all (isotropic, pooled), by
//! differences where the axes differ (diagonal), by a dense layer and sums of squares where Σ_j⁻¹ = A_j A_jᵀ is full.
//! Then exp, or the softmax over the units, which is the normalised form without division of small numbers.

use super::Spread;
use base::graph::{Binary, Draft, Element, Graph, Op, Reduction, Source, Tensor, Unary};
use base::{Dataset, Result, Run};
use numeric::{Cholesky, Mat, MatMut, product};

/// Centres with their spreads.
pub(super) struct Units {
    spread: Spread,
    columns: usize,
    centres: Vec<f64>,
    /// 1/σ_j², 1/σ_ji, or A_j (columns x columns) one after the other.
    factors: Vec<f64>,
}

impl Units {
    /// Units around these centres, as wide as the data say.
    pub fn new(spread: Spread, centres: &[f64], data: &Dataset, width: f64, run: &Run<'_>) -> Result<Self> {
        let columns = data.points()?.columns();
        let spreads = spread.of(centres, data, width, run)?;
        let factors = match spread {
            Spread::Isotropic => spreads.iter().map(|s| 1.0 / s).collect(),
            Spread::Diagonal => spreads.iter().map(|s| 1.0 / s.sqrt()).collect(),
            Spread::Full | Spread::Pooled => {
                let mut all = Vec::with_capacity(spreads.len());
                for s in spreads.chunks_exact(columns * columns) {
                    all.extend(inverse_root(s, columns, run)?);
                }
                all
            }
        };
        let mut centres = centres.to_vec();
        if spread == Spread::Pooled {
            // Where the inputs go, the centres go too.
            let from = centres.clone();
            let (rows, a) = (from.len() / columns, Mat::new(&factors, columns, columns)?);
            product(run, Mat::new(&from, rows, columns)?, a, MatMut::new(&mut centres, rows, columns)?, 1.0, false)?;
        }
        Ok(Units { spread, columns, centres, factors })
    }

    /// The units, normalised or not, with a linear layer on top if there is one: weights (units x outputs) and offsets.
    pub fn graph(&self, normalised: bool, layer: Option<(&[f64], &[f64])>) -> Result<Graph> {
        let mut draft = Draft::default();
        let x = draft.input("x", Element::F64, vec![None, Some(self.columns)]);
        let exponents = self.exponents(&mut draft, x)?;
        let units = match normalised {
            true => draft.node("units", Op::Softmax { axis: 1, log: false }, &[exponents]),
            false => draft.node("units", Op::Unary(Unary::Exp), &[exponents]),
        };
        let Some((weights, offsets)) = layer else { return draft.named("units", units) };
        let w = draft.trained("readout weights", Tensor::f64([self.count(), offsets.len()], weights.to_vec())?);
        let b = draft.trained("readout offsets", Tensor::f64([offsets.len()], offsets.to_vec())?);
        let y = draft.node("readout", Op::Dense { transposed: false }, &[units, w, b]);
        draft.named("y", y)
    }

    fn count(&self) -> usize {
        self.centres.len() / self.columns
    }

    fn exponents(&self, draft: &mut Draft, x: Source) -> Result<Source> {
        let (m, d) = (self.count(), self.columns);
        let half = |draft: &mut Draft, squares: Source| -> Result<Source> {
            let half = draft.constant("half", Tensor::f64([], vec![-0.5])?);
            Ok(draft.node("exponents", Op::Binary(Binary::Mul), &[squares, half]))
        };
        let add_squares = Op::Reduce { reduction: Reduction::SumSquare, axes: vec![2], keep: false };
        match self.spread {
            Spread::Isotropic => {
                let c = draft.trained("centres", Tensor::f64([m, d], self.centres.clone())?);
                let squares = draft.node("squares", Op::Distance { q: 2.0 }, &[x, c]);
                let rates = self.factors.iter().map(|f| -0.5 * f).collect();
                let rates = draft.trained("rates", Tensor::f64([1, m], rates)?);
                Ok(draft.node("exponents", Op::Binary(Binary::Mul), &[squares, rates]))
            }
            Spread::Pooled => {
                let a = draft.trained("metric", Tensor::f64([d, d], self.factors.clone())?);
                let c = draft.trained("centres", Tensor::f64([m, d], self.centres.clone())?);
                let z = draft.node("mapped", Op::Dense { transposed: false }, &[x, a]);
                let squares = draft.node("squares", Op::Distance { q: 2.0 }, &[z, c]);
                half(draft, squares)
            }
            Spread::Diagonal => {
                let c = draft.trained("centres", Tensor::f64([m, d], self.centres.clone())?);
                let f = draft.trained("metric", Tensor::f64([m, d], self.factors.clone())?);
                let wide = draft.node("rows", Op::Unsqueeze { axes: vec![1] }, &[x]);
                let apart = draft.node("differences", Op::Binary(Binary::Sub), &[wide, c]);
                let scaled = draft.node("scaled", Op::Binary(Binary::Mul), &[apart, f]);
                let squares = draft.node("squares", add_squares, &[scaled]);
                half(draft, squares)
            }
            Spread::Full => {
                // Columns j·d … of the layer are x·A_j − c_j·A_j.
                let mut weights = vec![0.0; d * m * d];
                let mut offsets = vec![0.0; m * d];
                for (j, a) in self.factors.chunks_exact(d * d).enumerate() {
                    for (i, line) in a.chunks_exact(d).enumerate() {
                        weights[i * m * d + j * d..i * m * d + (j + 1) * d].copy_from_slice(line);
                        let centre = self.centres[j * d + i];
                        numeric::add_scaled(&mut offsets[j * d..(j + 1) * d], -centre, line);
                    }
                }
                let w = draft.trained("metric", Tensor::f64([d, m * d], weights)?);
                let b = draft.trained("mapped centres", Tensor::f64([m * d], offsets)?);
                let z = draft.node("mapped", Op::Dense { transposed: false }, &[x, w, b]);
                let shape = draft.constant("shape", Tensor::i64([3], vec![-1, m as i64, d as i64])?);
                let parts = draft.node("parts", Op::Reshape { zero: false }, &[z, shape]);
                let squares = draft.node("squares", add_squares, &[parts]);
                half(draft, squares)
            }
        }
    }
}

/// A with Σ⁻¹ = A Aᵀ: with Σ = L Lᵀ it is the transpose of L⁻¹.
fn inverse_root(sigma: &[f64], d: usize, run: &Run<'_>) -> Result<Vec<f64>> {
    let factor = Cholesky::new(run, Mat::new(sigma, d, d)?)?;
    let mut unit = vec![0.0; d * d];
    (0..d).for_each(|i| unit[i * d + i] = 1.0);
    factor.solve_half(run, MatMut::new(&mut unit, d, d)?)?;
    Ok((0..d).flat_map(|i| (0..d).map(move |j| j * d + i)).map(|p| unit[p]).collect())
}
