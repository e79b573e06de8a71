//! K-medoids: k rows of the data so that the distances to the nearest one are smallest.
//!
//! Minimises Σ w d(x, m(x)), m(x) being the nearest medoid, in any metric; outliers pull less than on means, and each
//! cluster has a row that stands for it. Start: greedily, the row that lowers the sum most (BUILD). Then swaps of a medoid
//! for another row, as long as one lowers the sum: with the nearest and second nearest medoid of each row known, one
//! pass gives the change for all k medoids at once, and each improving swap is made at once (FasterPAM). Nothing is
//! drawn: weight 2 is the row twice.
//!
//! **Cost.** n² distances, then O(n²) a pass, usually a few passes; n² numbers of memory, refused over the limit.
//! **Limits.** The minimum is one of single swaps.
//!
//! - E. Schubert, P. J. Rousseeuw: *Fast and eager k-medoids clustering.* Information Systems 101 (2021) 101804.

use crate::codebook::Codebook;
use crate::metric::Metric;
use crate::starts::check_rows;
use base::{
    Certificate, Dataset, Error, Fact, Fitted, Gap, Learner, Needs, Plan, Progress, Record, Result, Run, Size, Traits,
    Wanted, Weighting, settings,
};
use numeric::each_chunk_mut;
use std::sync::Arc;

settings! {
    /// Settings of K-medoids.
    pub struct KMedoids {
        /// number of clusters
        pub k: usize = 8, in Range::AtLeast(1.0), as "n_clusters";
        /// distance between two rows
        pub metric: Metric = Metric::Euclidean, in Range::Any;
        /// maximum number of passes over all rows
        pub steps: usize = 100, in Range::AtLeast(1.0), as "max_iter";
    }
}

impl Learner for KMedoids {
    fn name(&self) -> &'static str {
        "kmedoids"
    }

    fn traits(&self) -> Traits<'_> {
        Traits::new(Needs { targets: Wanted::Nothing, table: false, missing: false, weights: Weighting::Exact })
            .effort(35.0, 1.0, 0.0)
    }

    fn learn(&self, data: &Dataset, _start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        check_rows("kmedoids", self.k, data)?;
        let points = data.points()?;
        let n = points.len();
        let (mut distances, hold) = run.memory.filled(n.saturating_mul(n), 0.0, "distances of all pairs of rows")?;
        self.metric.costs(run, points, points, &mut distances)?;
        if self.metric == Metric::Euclidean {
            each_chunk_mut(run, &mut distances, ROOTS, |_, part| {
                part.iter_mut().for_each(|d| *d = d.sqrt());
                Ok(())
            })?;
        }
        let weights = data.weights.clone().unwrap_or_else(|| vec![1.0; n].into());
        let problem = Problem { n, distances: &distances, weights: &weights };
        let mut medoids = problem.build(self.k, run)?;
        let mut curve = vec![problem.cost(&medoids)];
        let (mut converged, mut interrupted) = (false, false);
        while !converged && !interrupted && curve.len() <= self.steps {
            let value = curve.last().copied();
            let progress = Progress::of("passes", curve.len() as u64 - 1, self.steps as u64);
            if run.step(&Progress { value, ..progress })? {
                interrupted = true;
                break;
            }
            match problem.pass(&mut medoids, run) {
                // Every swap is complete.
                Err(Error::Stopped { .. }) => interrupted = true,
                other => converged = !other?,
            }
            curve.push(problem.cost(&medoids));
        }
        // Clusters in the order of their medoids' values, whatever swaps led there and in whatever order rows came.
        let values = points.select(&medoids)?.to_dense(&run.memory)?;
        let value = |place: usize| &values[place * points.columns()..(place + 1) * points.columns()];
        let mut places: Vec<usize> = (0..medoids.len()).collect();
        places.sort_by(|&a, &b| compare(value(a), value(b)).then(medoids[a].cmp(&medoids[b])));
        let medoids: Vec<usize> = places.iter().map(|&place| medoids[place]).collect();
        let objective = problem.cost(&medoids);
        drop((distances, hold));
        let mut certificate = Certificate {
            converged,
            interrupted,
            steps: curve.len() as u64 - 1,
            objective: Some(objective),
            gap: if converged { Gap::Stationary(0.0) } else { Gap::Unknown },
            ..Certificate::default()
        };
        certificate.facts.insert("objective".into(), Fact::Curve(curve));
        if !converged && !interrupted {
            certificate.warn(format!("swaps were still improving the cost after {} passes; raise steps", self.steps));
        }
        let centres = points.select(&medoids)?.to_dense(&run.memory)?.to_vec();
        let rows = medoids.iter().map(|&m| m as u64).collect();
        let machine = Codebook::new(data.features.clone(), centres, self.metric, Some(rows))?;
        Ok(Fitted { machine: Arc::new(machine), certificate })
    }

    fn plan(&self, size: &Size) -> Plan {
        let (n, d, k) = (size.rows as f64, size.columns as f64, self.k as f64);
        let advice = (n * n > 1e9).then(|| "the distance matrix is large; kmeans needs none".into());
        Plan { fit: n * n * (2.0 * d + k + 20.0), predict: 2.0 * d * k, bytes: 8.0 * n * n, advice }
    }
}

/// Distances whose roots are taken in one go.
const ROOTS: usize = 1 << 20;

/// Rows by their first value, then the second, and so on.
fn compare(a: &[f64], b: &[f64]) -> std::cmp::Ordering {
    a.iter().zip(b).map(|(x, y)| x.total_cmp(y)).find(|o| o.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
}

struct Problem<'a> {
    n: usize,
    distances: &'a [f64],
    weights: &'a [f64],
}

/// Place and distance of the nearest medoid, and the distance of the second.
#[derive(Clone, Copy)]
struct Near {
    place: usize,
    first: f64,
    second: f64,
}

impl Problem<'_> {
    fn row(&self, i: usize) -> &[f64] {
        &self.distances[i * self.n..(i + 1) * self.n]
    }

    fn cost(&self, medoids: &[usize]) -> f64 {
        self.nearest(medoids).iter().zip(self.weights).map(|(near, w)| w * near.first).sum()
    }

    fn nearest(&self, medoids: &[usize]) -> Vec<Near> {
        let mut all = vec![Near { place: 0, first: f64::INFINITY, second: f64::INFINITY }; self.n];
        for (place, &medoid) in medoids.iter().enumerate() {
            for (near, &d) in all.iter_mut().zip(self.row(medoid)) {
                if d < near.first {
                    *near = Near { place, first: d, second: near.first };
                } else {
                    near.second = near.second.min(d);
                }
            }
        }
        all
    }

    /// One row after the other that lowers the sum most; of equals the first.
    fn build(&self, k: usize, run: &Run<'_>) -> Result<Vec<usize>> {
        let mut nearest = vec![f64::INFINITY; self.n];
        let mut medoids: Vec<usize> = vec![];
        while medoids.len() < k {
            run.report(&Progress::of("build", medoids.len() as u64, k as u64))?;
            let sum = |c: usize| -> Result<(f64, usize)> {
                run.check()?;
                let parts = self.row(c).iter().zip(&nearest).zip(self.weights);
                Ok((parts.map(|((d, near), w)| w * d.min(*near)).sum(), c))
            };
            let free: Vec<(f64, usize)> =
                (0..self.n).filter(|c| !medoids.contains(c)).map(sum).collect::<Result<_>>()?;
            let Some((_, best)) = free.into_iter().min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))) else {
                break;
            };
            nearest.iter_mut().zip(self.row(best)).for_each(|(near, d)| *near = near.min(*d));
            medoids.push(best);
        }
        Ok(medoids)
    }

    /// Tries each row once as a medoid; whether any swap paid.
    fn pass(&self, medoids: &mut [usize], run: &Run<'_>) -> Result<bool> {
        let mut near = self.nearest(medoids);
        let mut losses = self.losses(&near, medoids.len());
        let mut cost: f64 = near.iter().zip(self.weights).map(|(near, w)| w * near.first).sum();
        let mut swapped = false;
        for candidate in 0..self.n {
            if candidate % 256 == 0 {
                run.report(&Progress::of("swaps", candidate as u64, self.n as u64))?;
            }
            if medoids.contains(&candidate) {
                continue;
            }
            // What changes if the candidate joins (gain), and beyond that if medoid j leaves (change[j]).
            let (mut gain, mut change) = (0.0, losses.clone());
            for ((near, &d), w) in near.iter().zip(self.row(candidate)).zip(self.weights) {
                if d < near.first {
                    gain += w * (d - near.first);
                    change[near.place] += w * (near.first - near.second.min(f64::MAX));
                } else if d < near.second {
                    change[near.place] += w * (d - near.second.min(f64::MAX));
                }
            }
            let best = (0..medoids.len()).min_by(|&a, &b| change[a].total_cmp(&change[b])).unwrap_or(0);
            // With one medoid there is no second: the sums are compared as they are.
            let alone = || self.row(candidate).iter().zip(self.weights).map(|(d, w)| w * d).sum::<f64>() - cost;
            let delta = if medoids.len() == 1 { alone() } else { gain + change[best] };
            // Less than rounding can feign would let swaps go in circles.
            if delta < -1e-12 * cost {
                medoids[best] = candidate;
                near = self.nearest(medoids);
                losses = self.losses(&near, medoids.len());
                cost = near.iter().zip(self.weights).map(|(near, w)| w * near.first).sum();
                swapped = true;
            }
        }
        Ok(swapped)
    }

    /// What it costs to lose each medoid.
    fn losses(&self, near: &[Near], k: usize) -> Vec<f64> {
        let mut losses = vec![0.0; k];
        let each = near.iter().zip(self.weights);
        each.for_each(|(near, w)| losses[near.place] += w * (near.second.min(f64::MAX) - near.first));
        losses
    }
}
