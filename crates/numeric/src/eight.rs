#![allow(unsafe_code, reason = "versions for several instruction sets, made by simd::fastest")]
//! Eight vectors side by side: inner products of one row with all of them, and sums of multiples of a row into all of them.
//!
//! The numbers that eight vectors have at one place lie together, a cache line of doubles, so that a sparse row costs as many
//! reads for eight vectors as for one. Sums run over the entries of the row in their order.

use crate::simd::fastest;

/// Vectors side by side.
pub const EIGHT: usize = 8;

fastest! {
    /// The inner products of a dense row with each vector.
    pub fn dots_of_dense(row: &[f64], vectors: &[[f64; EIGHT]]) -> [f64; EIGHT] {
        let mut sums = [0.0; EIGHT];
        for (x, w) in row.iter().zip(vectors) {
            for (sum, w) in sums.iter_mut().zip(w) {
                *sum += x * w;
            }
        }
        sums
    }
}

fastest! {
    /// The inner products of a sparse row with each vector; ids beyond the vectors count as 0.
    pub fn dots_of_sparse(ids: &[u32], values: &[f64], vectors: &[[f64; EIGHT]]) -> [f64; EIGHT] {
        let mut sums = [0.0; EIGHT];
        for (id, x) in ids.iter().zip(values) {
            if let Some(w) = vectors.get(*id as usize) {
                for (sum, w) in sums.iter_mut().zip(w) {
                    *sum += x * w;
                }
            }
        }
        sums
    }
}

fastest! {
    /// Adds a multiple of a dense row to each vector.
    pub fn add_dense_to_each(row: &[f64], scales: &[f64; EIGHT], vectors: &mut [[f64; EIGHT]]) {
        for (x, w) in row.iter().zip(vectors) {
            for (w, s) in w.iter_mut().zip(scales) {
                *w += s * x;
            }
        }
    }
}

fastest! {
    /// Adds a multiple of a sparse row to each vector; ids beyond the vectors are passed over.
    pub fn add_sparse_to_each(ids: &[u32], values: &[f64], scales: &[f64; EIGHT], vectors: &mut [[f64; EIGHT]]) {
        for (id, x) in ids.iter().zip(values) {
            if let Some(w) = vectors.get_mut(*id as usize) {
                for (w, s) in w.iter_mut().zip(scales) {
                    *w += s * x;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Seed;

    #[test]
    fn eight_vectors_get_what_each_alone_would() {
        for d in [0, 1, 7, 64] {
            let number = |name: &str, i: usize| Seed(3).fork(name).at(i).unit() - 0.5;
            let row: Vec<f64> = (0..d).map(|j| if j % 3 == 1 { 0.0 } else { number("row", j) }).collect();
            let (ids, values): (Vec<u32>, Vec<f64>) =
                row.iter().zip(0..).filter(|(x, _)| **x != 0.0).map(|(x, j)| (j, *x)).unzip();
            let vectors: Vec<[f64; EIGHT]> =
                (0..d).map(|j| std::array::from_fn(|l| number("vectors", EIGHT * j + l))).collect();
            let scales = std::array::from_fn(|l| number("scales", l));
            let (dense, sparse) = (dots_of_dense(&row, &vectors), dots_of_sparse(&ids, &values, &vectors));
            let (mut a, mut b) = (vectors.clone(), vectors.clone());
            add_dense_to_each(&row, &scales, &mut a);
            add_sparse_to_each(&ids, &values, &scales, &mut b);
            for l in 0..EIGHT {
                let dot: f64 = (0..d).map(|j| row[j] * vectors[j][l]).sum();
                assert!((dense[l] - dot).abs() < 1e-13 && (sparse[l] - dot).abs() < 1e-13);
                assert!((0..d).all(|j| a[j][l] == vectors[j][l] + scales[l] * row[j] && a[j][l] == b[j][l]));
            }
        }
        // A row wider than the vectors.
        assert_eq!(dots_of_sparse(&[0, 9], &[2.0, 1.0], &[[1.0; EIGHT]]), [2.0; EIGHT]);
    }
}
