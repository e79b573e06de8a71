//! The loss of multinomial logistic regression over many rows, with its derivatives.
//!
//! With scores s_ik = w_k·x_i + b_k and p = softmax(s): loss = Σ_i w_i (log Σ_k exp s_ik − s_i,y), ∂/∂s_ik = w_i (p_ik − [k = y]).
//! Two classes have one weight vector u, the log-odds: s = (−u·x/2, u·x/2), so that the penalty ½γ‖u‖² means the same
//! as in the binary textbook. The objective adds ½γ‖W‖²; offsets are not penalised.
//!
//! Parameters are free x (columns + 1) numbers, the offset last, where free = 1 for two classes and the number of
//! classes otherwise. **Cost.** Two products with the stored numbers an evaluation, one pass for a curvature product
//! after it; rows x classes numbers of memory.

use base::{Dataset, Hold, Points, Result, Run, classes_of};
use numeric::{Mat, MatMut, each_chunk_mut, points_times, points_transposed_times};

/// Rows treated in one go.
const ROWS: usize = 1024;

/// The objective of penalised logistic regression on some data.
pub struct Softmax<'a> {
    points: &'a Points,
    weights: Option<&'a [f64]>,
    /// Class of each row, among the classes that have rows.
    labels: Vec<u32>,
    /// Strength of the penalty.
    gamma: f64,
    intercept: bool,
    /// Classes.
    pub classes: usize,
    /// Probabilities of the last point evaluated, rows x classes.
    probabilities: Vec<f64>,
    /// Room for rows x free numbers.
    work: Vec<f64>,
    _hold: Hold,
}

impl<'a> Softmax<'a> {
    /// The objective on `data`, whose class codes `place` maps to those that have rows.
    pub fn new(data: &'a Dataset, place: &[u32], gamma: f64, intercept: bool, run: &Run<'_>) -> Result<Self> {
        let points = data.points()?;
        let classes = place.iter().filter(|p| **p != base::UNKNOWN).count();
        let labels = classes_of(data)?.codes().iter().map(|&c| place[c as usize]).collect();
        let cells = points.len().saturating_mul(classes);
        let hold = run.memory.take_for::<f64>(cells.saturating_mul(2), "class probabilities")?;
        let weights = data.weights.as_deref();
        let (probabilities, work) = (vec![0.0; cells], vec![0.0; cells]);
        Ok(Softmax { points, weights, labels, gamma, intercept, classes, probabilities, work, _hold: hold })
    }

    /// Weight vectors that are free to vary.
    pub fn free(&self) -> usize {
        if self.classes == 2 { 1 } else { self.classes }
    }

    /// How many parameters there are.
    pub fn length(&self) -> usize {
        self.free() * (self.points.columns() + 1)
    }

    /// Sum of the rows' weights.
    pub fn total(&self) -> f64 {
        self.weights.map_or(self.points.len() as f64, |w| w.iter().sum())
    }

    /// The objective at `at` and its gradient; remembers the probabilities for [`Softmax::curve`].
    pub fn value(&mut self, run: &Run<'_>, at: &[f64], gradient: &mut [f64]) -> Result<f64> {
        let (free, k) = (self.free(), self.classes);
        self.scores(run, at)?;
        let (weights, labels) = (self.weights, &self.labels);
        let scores = &self.work[..self.points.len() * free];
        // Losses by block of rows, added in order.
        let blocks = self.points.len().div_ceil(ROWS);
        let mut cells: Vec<(&mut [f64], f64)> = self.probabilities.chunks_mut(ROWS * k).map(|p| (p, 0.0)).collect();
        each_chunk_mut(run, &mut cells, 1, |b, cell| {
            let (p, loss) = &mut cell[0];
            let from = b * ROWS;
            *loss = probabilities(&scores[from * free..], p, k, free, &labels[from..], |i| {
                weights.map_or(1.0, |w| w[from + i])
            });
            Ok(())
        })?;
        let loss: f64 = cells.iter().map(|(_, loss)| loss).sum();
        debug_assert_eq!(blocks, cells.len());
        self.residuals();
        self.pull(run, gradient)?;
        let mut penalty = 0.0;
        self.each_weight(gradient, at, |g, w| {
            *g += self.gamma * w;
            penalty += 0.5 * self.gamma * w * w;
        });
        Ok(loss + penalty)
    }

    /// out = H·direction, the curvature at the point evaluated last.
    pub fn curve(&mut self, run: &Run<'_>, direction: &[f64], out: &mut [f64]) -> Result<()> {
        let (free, k) = (self.free(), self.classes);
        self.scores(run, direction)?;
        let weights = self.weights;
        let p = &self.probabilities;
        let n = self.points.len();
        each_chunk_mut(run, &mut self.work[..n * free], ROWS * free, |b, work| {
            for (i, s) in work.chunks_exact_mut(free).enumerate() {
                let row = b * ROWS + i;
                let p = &p[row * k..(row + 1) * k];
                let w = weights.map_or(1.0, |w| w[row]);
                if free == 1 {
                    s[0] *= w * p[0] * p[1];
                } else {
                    let mean: f64 = p.iter().zip(&*s).map(|(p, s)| p * s).sum();
                    s.iter_mut().zip(p).for_each(|(s, p)| *s = w * p * (*s - mean));
                }
            }
            Ok(())
        })?;
        self.pull(run, out)?;
        self.each_weight(out, direction, |o, d| *o += self.gamma * d);
        Ok(())
    }

    /// The diagonal of the curvature at the point evaluated last: Σ_i w_i p_ik (1 − p_ik) x_ij² + γ.
    pub fn diagonal(&self, run: &Run<'_>) -> Result<Vec<f64>> {
        let (free, k, d) = (self.free(), self.classes, self.points.columns());
        let block = self.points.len().div_ceil(16).max(ROWS);
        let mut sums = numeric::sum_blocks(run, self.points.len(), block, self.length(), |rows, sums| {
            let mut row = vec![0.0; d];
            for i in rows {
                let w = self.weights.map_or(1.0, |w| w[i]);
                let p = &self.probabilities[i * k..(i + 1) * k];
                for (f, sums) in sums.chunks_exact_mut(d + 1).enumerate() {
                    let bend = w * p[f] * (1.0 - p[f]);
                    match self.points {
                        Points::Sparse(sparse) => {
                            let (ids, values) = sparse.row(i);
                            ids.iter().zip(values).for_each(|(&id, x)| sums[id as usize] += bend * x * x);
                        }
                        dense => {
                            if f == 0 {
                                dense.write_row(i, &mut row);
                            }
                            sums.iter_mut().zip(&row).for_each(|(s, x)| *s += bend * x * x);
                        }
                    }
                    sums[d] += bend;
                }
            }
            Ok(())
        })?;
        debug_assert_eq!(sums.len(), free * (d + 1));
        for part in sums.chunks_exact_mut(d + 1) {
            part[..d].iter_mut().for_each(|s| *s += self.gamma);
        }
        Ok(sums)
    }

    /// work = X Wᵀ + b, rows x free.
    fn scores(&mut self, run: &Run<'_>, at: &[f64]) -> Result<()> {
        let (free, n, d) = (self.free(), self.points.len(), self.points.columns());
        let weights = Mat::strided(at, free, d, d + 1)?.transposed();
        points_times(run, self.points, weights, MatMut::new(&mut self.work[..n * free], n, free)?)?;
        if self.intercept {
            for row in self.work[..n * free].chunks_exact_mut(free) {
                row.iter_mut().zip(at.chunks_exact(d + 1)).for_each(|(s, part)| *s += part[d]);
            }
        }
        Ok(())
    }

    /// work = w (p − [k = y]), rows x free.
    fn residuals(&mut self) {
        let (free, k) = (self.free(), self.classes);
        let rows = self.probabilities.chunks_exact(k).zip(&self.labels);
        for (i, (r, (p, &y))) in self.work.chunks_exact_mut(free).zip(rows).enumerate() {
            let w = self.weights.map_or(1.0, |w| w[i]);
            if free == 1 {
                // 1 − p of the true class without cancellation: it is the other class's probability.
                r[0] = if y == 1 { -w * p[0] } else { w * p[1] };
            } else {
                r.iter_mut().zip(p).for_each(|(r, p)| *r = w * p);
                r[y as usize] -= w;
            }
        }
    }

    /// out = workᵀ X, with the sums of the rows as offsets.
    fn pull(&self, run: &Run<'_>, out: &mut [f64]) -> Result<()> {
        let (free, n, d) = (self.free(), self.points.len(), self.points.columns());
        let work = &self.work[..n * free];
        let gradient = MatMut::strided(out, free, d, d + 1)?.transposed();
        points_transposed_times(run, self.points, Mat::new(work, n, free)?, gradient)?;
        for (f, part) in out.chunks_exact_mut(d + 1).enumerate() {
            part[d] = match self.intercept {
                true => work.iter().skip(f).step_by(free).sum(),
                false => 0.0,
            };
        }
        Ok(())
    }

    /// Calls `f` for each weight that is penalised.
    fn each_weight(&self, to: &mut [f64], at: &[f64], mut f: impl FnMut(&mut f64, f64)) {
        let d = self.points.columns();
        for (to, at) in to.chunks_exact_mut(d + 1).zip(at.chunks_exact(d + 1)) {
            to[..d].iter_mut().zip(&at[..d]).for_each(|(t, &a)| f(t, a));
        }
    }
}

/// Softmax of the scores of some rows, and their weighted loss.
fn probabilities(
    scores: &[f64],
    p: &mut [f64],
    k: usize,
    free: usize,
    labels: &[u32],
    weight: impl Fn(usize) -> f64,
) -> f64 {
    // Differences to the largest score, then all exponentials of the block at once.
    for (p, s) in p.chunks_exact_mut(k).zip(scores.chunks_exact(free)) {
        if free == 1 {
            (p[0], p[1]) = ((-s[0]).min(0.0), s[0].min(0.0));
        } else {
            let top = s.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            p.iter_mut().zip(s).for_each(|(p, s)| *p = s - top);
        }
    }
    let below: Vec<f64> = p.chunks_exact(k).zip(labels).map(|(p, &y)| p[y as usize]).collect();
    numeric::exp(p);
    let mut loss = 0.0;
    for (i, p) in p.chunks_exact_mut(k).enumerate() {
        let sum: f64 = p.iter().sum();
        p.iter_mut().for_each(|p| *p /= sum);
        loss += weight(i) * (sum.ln() - below[i]);
    }
    loss
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::{as_sparse, assert_close, check_slope, toy_classes};

    /// The objective as its definition reads.
    fn by_definition(data: &Dataset, gamma: f64, at: &[f64]) -> f64 {
        let (points, classes) = (data.points().unwrap(), classes_of(data).unwrap());
        let (d, k) = (points.columns(), classes.names().len());
        let mut x = vec![0.0; d];
        let mut sum = 0.0;
        for i in 0..data.len() {
            points.write_row(i, &mut x);
            let score = |part: &[f64]| part[d] + x.iter().zip(part).map(|(x, w)| x * w).sum::<f64>();
            let s: Vec<f64> = match k {
                2 => vec![-0.5 * score(at), 0.5 * score(at)],
                _ => at.chunks(d + 1).map(score).collect(),
            };
            let total: f64 = s.iter().map(|s| s.exp()).sum();
            let w = data.weight(i);
            sum -= w * (s[classes.get(i).unwrap()].exp() / total).ln();
        }
        let penalty: f64 = at.chunks(d + 1).flat_map(|part| &part[..d]).map(|w| w * w).sum();
        sum + 0.5 * gamma * penalty
    }

    #[test]
    fn value_gradient_and_curvature_are_those_of_the_definition() {
        let three = toy_classes(1);
        let rows: Vec<usize> = (0..three.len()).filter(|&i| classes_of(&three).unwrap().get(i) != Some(2)).collect();
        let names: Vec<Option<String>> =
            rows.iter().map(|&i| classes_of(&three).unwrap().get(i).map(|c| c.to_string())).collect();
        let two = Dataset {
            targets: base::Targets::Classes(base::Classes::from_names(&names)),
            ..three.select(&rows).unwrap()
        };
        let run = Run::quiet(1);
        for data in [three, two] {
            let k = classes_of(&data).unwrap().names().len();
            let place: Vec<u32> = (0..k as u32).collect();
            let weights = Some((0..data.len()).map(|i| 0.5 + (i % 3) as f64).collect());
            let dense = Dataset { weights, ..data };
            for data in [as_sparse(&dense), dense] {
                let mut objective = Softmax::new(&data, &place, 0.3, true, &run).unwrap();
                let n = objective.length();
                let seed = base::Seed(4);
                let at: Vec<f64> = (0..n).map(|i| seed.at(i).unit() - 0.5).collect();
                let along: Vec<f64> = (0..n).map(|i| seed.at(n + i).unit() - 0.5).collect();
                let mut gradient = vec![0.0; n];
                let value = objective.value(&run, &at, &mut gradient).unwrap();
                assert_close(&[value], &[by_definition(&data, 0.3, &at)], 1e-12, "value");
                check_slope(|x| by_definition(&data, 0.3, x), &gradient, &at);
                let mut curve = vec![0.0; n];
                objective.curve(&run, &along, &mut curve).unwrap();
                let diagonal = objective.diagonal(&run).unwrap();
                // The curvature is the slope of gradient·along, and its diagonal that of each component.
                let mut dot = |x: &[f64]| {
                    let mut g = vec![0.0; n];
                    objective.value(&run, x, &mut g).unwrap();
                    g.iter().zip(&along).map(|(g, a)| g * a).sum::<f64>()
                };
                check_slope(&mut dot, &curve, &at);
                for j in 0..n {
                    let mut unit = vec![0.0; n];
                    unit[j] = 1.0;
                    objective.value(&run, &at, &mut gradient).unwrap();
                    objective.curve(&run, &unit, &mut curve).unwrap();
                    assert_close(&[diagonal[j]], &[curve[j]], 1e-12, "diagonal");
                }
            }
        }
    }

    #[test]
    fn large_scores_stay_finite() {
        let data = toy_classes(1);
        let run = Run::quiet(1);
        let mut objective = Softmax::new(&data, &[0, 1, 2], 0.0, true, &run).unwrap();
        let at: Vec<f64> = (0..objective.length()).map(|i| if i % 2 == 0 { 1e4 } else { -1e4 }).collect();
        let mut gradient = vec![0.0; at.len()];
        assert!(objective.value(&run, &at, &mut gradient).unwrap().is_finite());
        assert!(gradient.iter().all(|g| g.is_finite()));
    }
}
