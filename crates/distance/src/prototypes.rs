//! Prototypes that move towards rows, one at a time: the inner step of competitive learning.
//!
//! The nearest prototype c moves by c ← c + η (x − c). Where rows are sparse a prototype is kept as a factor times a
//! vector, c = s·u, with its squared length: then s ← (1 − η) s and u gains η x / s at the entries of x only, distances
//! are ‖c‖² − 2 cᵀx + ‖x‖², and a step costs the entries of the row instead of all columns.

use base::{Points, Sparse, argmax};
use numeric::squared_distance;

/// Factors below this are multiplied into their vectors.
const SMALL: f64 = 1e-3;

/// Prototypes and rows to learn from.
pub struct Prototypes<'a> {
    points: &'a Points,
    d: usize,
    /// u of each, row after row.
    vectors: Vec<f64>,
    /// s of each; 1 where rows are dense.
    factors: Vec<f64>,
    /// ‖c‖² of each; kept for sparse rows only.
    squares: Vec<f64>,
    /// Room for a dense row.
    x: Vec<f64>,
}

impl<'a> Prototypes<'a> {
    /// These prototypes, row after row.
    pub fn new(points: &'a Points, centres: Vec<f64>) -> Self {
        let d = points.columns();
        let k = centres.len() / d.max(1);
        let mut all =
            Prototypes { points, d, vectors: centres, factors: vec![1.0; k], squares: vec![0.0; k], x: vec![0.0; d] };
        all.settle();
        all
    }

    /// Multiplies factors in and takes lengths anew, so that rounding does not add up; answers with the prototypes.
    pub fn settle(&mut self) -> &[f64] {
        if self.points.is_sparse() {
            for (j, u) in self.vectors.chunks_exact_mut(self.d.max(1)).enumerate() {
                let s = std::mem::replace(&mut self.factors[j], 1.0);
                u.iter_mut().for_each(|u| *u *= s);
                self.squares[j] = u.iter().map(|u| u * u).sum();
            }
        }
        &self.vectors
    }

    /// Moves the prototype nearest to row `i` towards it, by this rate.
    pub fn step(&mut self, i: usize, rate: f64) {
        match self.points {
            Points::Dense(_) => {
                self.points.write_row(i, &mut self.x);
                let scores: Vec<f64> =
                    self.vectors.chunks_exact(self.d).map(|c| -squared_distance(c, &self.x)).collect();
                let winner = argmax(&scores) as usize;
                let centre = &mut self.vectors[winner * self.d..(winner + 1) * self.d];
                centre.iter_mut().zip(&self.x).for_each(|(c, x)| *c += rate * (x - *c));
            }
            Points::Sparse(sparse) => self.step_sparse(sparse, i, rate),
        }
    }

    fn step_sparse(&mut self, sparse: &Sparse, i: usize, rate: f64) {
        let (ids, values) = sparse.row(i);
        let products: Vec<f64> = self
            .vectors
            .chunks_exact(self.d)
            .zip(&self.factors)
            .map(|(u, s)| s * ids.iter().zip(values).map(|(&id, x)| u[id as usize] * x).sum::<f64>())
            .collect();
        let scores: Vec<f64> = products.iter().zip(&self.squares).map(|(p, square)| 2.0 * p - square).collect();
        let winner = argmax(&scores) as usize;
        let stay = 1.0 - rate;
        let length: f64 = values.iter().map(|x| x * x).sum();
        let u = &mut self.vectors[winner * self.d..(winner + 1) * self.d];
        self.squares[winner] =
            stay * stay * self.squares[winner] + 2.0 * rate * stay * products[winner] + rate * rate * length;
        if self.factors[winner] * stay < SMALL {
            let s = std::mem::replace(&mut self.factors[winner], 1.0) * stay;
            u.iter_mut().for_each(|u| *u *= s);
        } else {
            self.factors[winner] *= stay;
        }
        let by = rate / self.factors[winner];
        ids.iter().zip(values).for_each(|(&id, x)| u[id as usize] += by * x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Seed, normal};

    #[test]
    fn sparse_steps_are_those_of_dense_rows() {
        let (n, d, k) = (60, 30, 4);
        let mut stream = Seed(3).stream();
        let values: Vec<f64> =
            (0..n * d).map(|i| if i % 3 == 0 { normal(&mut stream) + (i / d % 5) as f64 } else { 0.0 }).collect();
        let rows: Vec<Vec<(u32, f64)>> = values
            .chunks_exact(d)
            .map(|row| row.iter().enumerate().filter(|(_, x)| **x != 0.0).map(|(c, x)| (c as u32, *x)).collect())
            .collect();
        let starts: Vec<usize> = std::iter::once(0)
            .chain(rows.iter().scan(0, |sum, row| {
                *sum += row.len();
                Some(*sum)
            }))
            .collect();
        let (ids, entries): (Vec<u32>, Vec<f64>) = rows.concat().into_iter().unzip();
        let sparse = Points::Sparse(Sparse::new(starts, ids, entries, d).unwrap());
        let centres = values[..k * d].to_vec();
        let dense = Points::dense(values, n, d).unwrap();
        let (mut a, mut b) = (Prototypes::new(&dense, centres.clone()), Prototypes::new(&sparse, centres));
        for t in 0..5000 {
            // Rates of 1 put a prototype on its row.
            let rate = if t % 997 == 5 { 1.0 } else { 0.2 };
            a.step(t * 7 % n, rate);
            b.step(t * 7 % n, rate);
        }
        let largest = a.settle().iter().zip(b.settle()).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        assert!(largest < 1e-9, "{largest}");
    }
}
