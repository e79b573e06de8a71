#![allow(unsafe_code, reason = "versions for several instruction sets, made by simd::fastest")]
//! Sixteen vectors in single precision side by side: inner products of sparse rows with all of them, and which of them
//! are above a limit.
//!
//! The numbers that sixteen vectors have at one place are one cache line, so that a row is read once for sixteen vectors. A whole
//! block of rows is one call. Sums run over the entries of a row in their order.

use crate::simd::fastest;

/// Vectors side by side.
pub const SIXTEEN: usize = 16;

fastest! {
    /// scores_i ← first + Σ_j x_ij · vectors_j for rows given by `starts` (one more than there are scores), ids and values.
    pub fn dots_of_rows(
        starts: &[usize],
        ids: &[u32],
        values: &[f32],
        vectors: &[[f32; SIXTEEN]],
        first: &[f32; SIXTEEN],
        scores: &mut [[f32; SIXTEEN]],
    ) {
        for (range, scores) in starts.windows(2).zip(scores) {
            let mut sums = *first;
            for (&id, &x) in ids[range[0]..range[1]].iter().zip(&values[range[0]..range[1]]) {
                for (sum, w) in sums.iter_mut().zip(&vectors[id as usize]) {
                    *sum += x * w;
                }
            }
            *scores = sums;
        }
    }
}

fastest! {
    /// For each row a bit for every vector whose score is above its limit.
    pub fn above(scores: &[[f32; SIXTEEN]], limits: &[f32; SIXTEEN], found: &mut [u16]) {
        for (scores, found) in scores.iter().zip(found) {
            let mut bits = 0u32;
            for l in 0..SIXTEEN {
                bits |= u32::from(scores[l] > limits[l]) << l;
            }
            *found = bits as u16;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Seed;

    #[test]
    fn sixteen_vectors_get_what_each_alone_would() {
        for case in 0..30 {
            let seed = Seed(case).fork("sixteen");
            let (n, d) = (case as usize % 7, 1 + case as usize);
            let number = |what: &str, i: usize| (seed.fork(what).at(i).unit() - 0.5) as f32;
            let (mut starts, mut ids, mut values) = (vec![0], vec![], vec![]);
            for i in 0..n {
                for j in (0..d).filter(|j| seed.fork("there").at(i * d + j).unit() < 0.4) {
                    ids.push(j as u32);
                    values.push(number("x", i * d + j));
                }
                starts.push(ids.len());
            }
            let vectors: Vec<[f32; SIXTEEN]> =
                (0..d).map(|j| std::array::from_fn(|l| number("w", j * SIXTEEN + l))).collect();
            let first = std::array::from_fn(|l| number("first", l));
            let limits: [f32; SIXTEEN] = std::array::from_fn(|l| 0.3 * number("limit", l));
            let (mut scores, mut found) = (vec![[f32::NAN; SIXTEEN]; n], vec![u16::MAX; n]);
            dots_of_rows(&starts, &ids, &values, &vectors, &first, &mut scores);
            above(&scores, &limits, &mut found);
            for i in 0..n {
                for l in 0..SIXTEEN {
                    let entries = starts[i]..starts[i + 1];
                    let alone = entries.fold(first[l], |sum, e| sum + values[e] * vectors[ids[e] as usize][l]);
                    assert_eq!(scores[i][l], alone, "case {case}, row {i}, vector {l}");
                    assert_eq!(found[i] >> l & 1 == 1, alone > limits[l], "case {case}, row {i}, vector {l}");
                }
            }
        }
    }
}
