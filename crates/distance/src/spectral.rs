//! Spectral clustering of a graph of neighbours, with the number of clusters read off the eigenvalues.
//!
//! Points are joined with their k nearest neighbours, weight 1 where both chose each other and ½ where one did. The
//! normalised Laplacian L = I − D^−½ A D^−½ has an eigenvalue 0 for each part that hangs together by itself, and small ones
//! for parts that nearly do; the largest gap between neighbouring eigenvalues says how many there are. The rows of the
//! eigenvectors before the gap, brought to length 1, are grouped by K-means. Clusters are numbered by falling size.
//!
//! **Cost.** n² numbers and n³ operations: for up to a few thousand points.
//! Sources: A. Ng, M. Jordan, Y. Weiss: *On spectral clustering*, NIPS 2001; U. von Luxburg: *A tutorial on spectral
//! clustering*, Statistics and Computing 17, 2007.

use crate::kmeans::KMeans;
use crate::knn::Search;
use crate::neighbours::{EUCLID, Neighbours};
use base::{Dataset, Error, Inputs, Learner, Points, Prediction, Result, Run, Targets};
use numeric::{Mat, eigen};

/// How clusters are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spectral {
    /// Neighbours of a point; 0: twice the root of the number of points, at least 5.
    pub neighbours: usize,
    /// Clusters at most.
    pub most: usize,
}

impl Default for Spectral {
    fn default() -> Self {
        Spectral { neighbours: 0, most: 12 }
    }
}

/// The clusters of some points.
#[derive(Debug, Clone, PartialEq)]
pub struct Grouped {
    /// The cluster of each point; 0 is the largest.
    pub of: Vec<usize>,
    /// How many clusters.
    pub count: usize,
    /// The smallest eigenvalues of the Laplacian, ascending: one more than clusters were possible.
    pub eigenvalues: Vec<f64>,
}

impl Spectral {
    /// Groups points.
    pub fn group(&self, points: &Points, run: &Run<'_>) -> Result<Grouped> {
        let n = points.len();
        if self.most == 0 {
            return Err(Error::parameter("most", 0, "must be at least 1"));
        }
        if n < 3 {
            return Ok(Grouped { of: vec![0; n], count: n.min(1), eigenvalues: vec![] });
        }
        let (mut laplacian, _hold) = run.memory.filled(n.saturating_mul(n), 0.0, "a graph of neighbours")?;
        self.join(points, &mut laplacian, run)?;
        normalise(&mut laplacian, n);
        let found = eigen(run, Mat::new(&laplacian, n, n)?)?;
        let most = self.most.min(n - 1);
        // Rounding makes zeros slightly negative.
        let eigenvalues: Vec<f64> = found.values[..=most].iter().map(|v| v.max(0.0)).collect();
        let gap = |k: usize| eigenvalues[k] - eigenvalues[k - 1];
        let count = (1..=most).fold(1, |best, k| if gap(k) > gap(best) + 1e-12 { k } else { best });
        if count == 1 {
            return Ok(Grouped { of: vec![0; n], count, eigenvalues });
        }
        let mut rows = vec![];
        for i in 0..n {
            let row = &found.vectors[i * n..i * n + count];
            let length = row.iter().map(|v| v * v).sum::<f64>().sqrt();
            rows.extend(row.iter().map(|v| if length > 0.0 { v / length } else { 0.0 }));
        }
        let embedded = Points::dense(rows, n, count)?;
        let learner = KMeans { k: count, ..KMeans::default() };
        let machine = learner.fit(&Dataset::new(embedded.clone(), Targets::None), None, run)?.machine;
        let clusters = Prediction::of(&*machine, &Inputs::Points(embedded), run)?.scores;
        let mut scores = vec![0.0; clusters.columns()];
        let nearest = |i: usize| {
            clusters.write_row(i, &mut scores);
            base::argmax(&scores) as usize
        };
        let (of, count) = by_size((0..n).map(nearest).collect());
        Ok(Grouped { of, count, eigenvalues })
    }

    /// Adds ½ for each choice of a neighbour, both ways.
    fn join(&self, points: &Points, weights: &mut [f64], run: &Run<'_>) -> Result<()> {
        let n = points.len();
        let usual = ((2.0 * (n as f64).sqrt()).ceil() as usize).max(5);
        let k = if self.neighbours == 0 { usual } else { self.neighbours }.min(n - 1);
        let search = Neighbours::new(points.clone(), Search::Auto, EUCLID)?;
        for (i, near) in search.nearest(run, points, k + 1)?.into_iter().enumerate() {
            // A point is its own nearest, or one of several at the same place.
            for j in near.iter().map(|found| found.1 as usize).filter(|&j| j != i).take(k) {
                weights[i * n + j] += 0.5;
                weights[j * n + i] += 0.5;
            }
        }
        Ok(())
    }
}

/// Weights to their normalised Laplacian.
fn normalise(weights: &mut [f64], n: usize) {
    let degrees: Vec<f64> = weights.chunks_exact(n).map(|row| row.iter().sum()).collect();
    for (i, row) in weights.chunks_exact_mut(n).enumerate() {
        for (j, w) in row.iter_mut().enumerate() {
            let scale = (degrees[i] * degrees[j]).sqrt();
            *w = f64::from(u8::from(i == j)) - if scale > 0.0 { *w / scale } else { 0.0 };
        }
    }
}

/// Clusters numbered by falling size, of equal ones the one that comes first; empty ones go.
fn by_size(of: Vec<usize>) -> (Vec<usize>, usize) {
    let mut sizes = std::collections::BTreeMap::<usize, (usize, usize)>::new();
    for (i, &c) in of.iter().enumerate() {
        sizes.entry(c).or_insert((0, i)).0 += 1;
    }
    let mut order: Vec<(usize, (usize, usize))> = sizes.into_iter().collect();
    order.sort_by_key(|&(_, (size, first))| (std::cmp::Reverse(size), first));
    let place = |c: usize| order.iter().position(|(other, _)| *other == c).unwrap_or(0);
    (of.into_iter().map(place).collect(), order.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Seed, normal};

    /// Two rings, one within the other, and a far cloud: no line, no ball tells the rings apart.
    fn rings() -> (Points, Vec<usize>) {
        let mut stream = Seed(3).stream();
        let (mut rows, mut truth) = (vec![], vec![]);
        for i in 0..160 {
            let ring = usize::from(i >= 100) + usize::from(i >= 140);
            let angle = f64::from(i) * 2.4; // Hardly ever the same place twice.
            let (radius, far) = ([5.0, 1.5, 0.3][ring], if ring == 2 { 20.0 } else { 0.0 });
            let noise = [normal(&mut stream), normal(&mut stream)];
            rows.push([far + radius * angle.cos() + 0.1 * noise[0], radius * angle.sin() + 0.1 * noise[1]]);
            truth.push(ring);
        }
        (Points::from_rows(&rows).unwrap(), truth)
    }

    #[test]
    fn what_hangs_together_is_a_cluster() {
        let (points, truth) = rings();
        let few = Spectral { neighbours: 8, most: 4 };
        let found = few.group(&points, &Run::quiet(1)).unwrap();
        assert_eq!((found.count, &found.of), (3, &truth));
        assert!(found.eigenvalues[2] < 1e-9 && found.eigenvalues[3] > 0.01, "{:?}", found.eigenvalues);
        assert_eq!(found, few.group(&points, &Run { threads: 2, ..Run::quiet(1) }).unwrap());
        // One round cloud in several directions has no gap after a small eigenvalue but the first; a flat one may be cut.
        let mut stream = Seed(5).stream();
        let cloud: Vec<[f64; 6]> = (0..80).map(|_| std::array::from_fn(|_| normal(&mut stream))).collect();
        let alone =
            Spectral { neighbours: 20, most: 6 }.group(&Points::from_rows(&cloud).unwrap(), &Run::quiet(1)).unwrap();
        assert_eq!((alone.count, alone.eigenvalues.len()), (1, 7));
    }

    #[test]
    fn the_laplacian_by_its_definition() {
        let points = Points::from_rows(&[[0.0], [1.0], [2.1], [9.0], [9.5]]).unwrap();
        let how = Spectral { neighbours: 2, most: 3 };
        let mut weights = vec![0.0; 25];
        how.join(&points, &mut weights, &Run::quiet(1)).unwrap();
        // 0 and 1 chose each other, 3 chose 2 without being chosen.
        let chosen = [[1, 2], [0, 2], [1, 0], [4, 2], [3, 2]];
        for i in 0..5 {
            for j in 0..5 {
                let half = |a: usize, b: usize| if chosen[a].contains(&b) { 0.5 } else { 0.0 };
                assert_eq!(weights[i * 5 + j], half(i, j) + half(j, i), "{i} {j}");
            }
        }
        let degree = |i: usize| weights[i * 5..(i + 1) * 5].iter().sum::<f64>();
        let expected: Vec<f64> = (0..25)
            .map(|e| f64::from(u8::from(e / 5 == e % 5)) - weights[e] / (degree(e / 5) * degree(e % 5)).sqrt())
            .collect();
        normalise(&mut weights, 5);
        testkit::assert_close(&weights, &expected, 1e-15, "laplacian");
    }

    #[test]
    fn few_points_and_copies() {
        let run = Run::quiet(1);
        let same = Points::dense(vec![1.0; 40], 20, 2).unwrap();
        assert_eq!(Spectral::default().group(&same, &run).unwrap().of.len(), 20);
        for n in 0..3 {
            let few = Points::dense(vec![1.0; 2 * n], n, 2).unwrap();
            assert_eq!(Spectral::default().group(&few, &run).unwrap().count, n.min(1));
        }
        assert!(Spectral { most: 0, ..Spectral::default() }.group(&same, &run).is_err());
        assert_eq!(by_size(vec![7, 2, 2, 7, 2, 9]), (vec![1, 0, 0, 1, 0, 2], 3));
    }
}
