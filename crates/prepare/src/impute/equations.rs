//! Each column regressed on all others, over rows whose gaps have a filling that may change.
//!
//! Columns are brought to mean 0 and deviation 1 (of the values that are there) and gaps start at 0, the mean. For column
//! j over the rows R_j that have it, β = (C + γI)⁻¹ c with the centred products C of the other columns and c with
//! column j; the offset is not penalised. All products of all rows are kept up to date; those over R_j are the
//! difference to, or the sum over, whichever rows are fewer. For a column without gaps β follows from the inverse P of
//! the products of all columns as −P_cj / P_jj, so that one inverse serves all such columns.
//!
//! A posterior draw takes σ² = RSS / χ²(f) with f = Σw − (effective parameters), then β + σ L⁻ᵀ z with C + γI = L Lᵀ, and
//! the offset's own part of variance σ²/Σw.
//!
//! **Cost.** Products n d² once; a column with g gaps min(g, n−g) d² + d³/3 + n d. n (d+1) numbers.
//!
//! - D. B. Rubin: *Multiple Imputation for Nonresponse in Surveys.* Wiley 1987, section 5.3.

use super::gaps;
use base::{Dataset, Error, Hold, Result, Run, Seed, Shared, normal};
use numeric::Moments;
use numeric::{Cholesky, Mat, MatMut, dot, gram, product};
use rand::{Rng, RngExt};

/// A regression in standard units: z_column = offset + weights·z + deviation·noise.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The column it predicts.
    pub column: usize,
    /// One for each column, 0 for its own.
    pub weights: Vec<f64>,
    /// The offset.
    pub offset: f64,
    /// The deviation of the noise; 0 where nothing is drawn.
    pub deviation: f64,
}

/// How a regression is taken from its equations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Taking {
    /// The best one, without noise.
    Mean,
    /// The best one, with the noise of its residuals.
    Noise,
    /// One drawn from the posterior, with noise.
    Posterior(Seed),
}

/// Rows in standard units, times the root of their weight, with 1 (times that) as their last number.
pub struct Equations {
    /// Rows.
    pub n: usize,
    /// Columns.
    pub d: usize,
    /// Mean of the values that are there.
    pub mean: Vec<f64>,
    /// Their deviation; 1 for a constant column.
    pub scale: Vec<f64>,
    /// Rows with a gap, by column.
    pub gaps: Vec<Vec<u32>>,
    weights: Option<Shared<f64>>,
    /// √weight of each row.
    roots: Vec<f64>,
    gamma: f64,
    rows: Vec<f64>,
    products: Vec<f64>,
    _hold: Hold,
}

/// Products over the rows that have a column.
struct Sums {
    weight: f64,
    means: Vec<f64>,
    /// Centred products, d x d.
    centred: Vec<f64>,
}

impl Equations {
    /// The rows of these data, gaps at their means.
    pub fn new(data: &Dataset, gamma: f64, run: &Run<'_>) -> Result<Self> {
        let points = data.points()?;
        let (n, d) = (points.len(), points.columns());
        let wide = d + 1;
        let moments = Moments::of(points, data.weights.as_deref());
        gaps::check_rows(n)?;
        // The rows, √weights, and at 4 bytes each the places of gaps.
        let numbers =
            n.saturating_mul(wide + 1 + d.div_ceil(2)).saturating_add(wide.saturating_mul(wide).saturating_mul(4));
        let hold = run.memory.take_for::<f64>(numbers, "the equations")?;
        let deviation = |(v, m): (&f64, &f64)| if *v > 1e-24 * m * m { v.sqrt() } else { 1.0 };
        let scale: Vec<f64> = moments.variance.iter().zip(&moments.mean).map(deviation).collect();
        let roots: Vec<f64> = (0..n).map(|i| data.weight(i).sqrt()).collect();
        let mut gaps = vec![vec![]; d];
        let mut rows = vec![0.0; n * wide];
        for (i, line) in rows.chunks_exact_mut(wide).enumerate() {
            points.write_row(i, &mut line[..d]);
            for (c, x) in line[..d].iter_mut().enumerate() {
                if x.is_nan() {
                    gaps[c].push(i as u32);
                }
                *x = if x.is_nan() { 0.0 } else { (*x - moments.mean[c]) / scale[c] * roots[i] };
            }
            line[d] = roots[i];
        }
        let mut products = vec![0.0; wide * wide];
        gram(run, Mat::new(&rows, n, wide)?, MatMut::new(&mut products, wide, wide)?)?;
        Ok(Equations {
            n,
            d,
            mean: moments.mean,
            scale,
            gaps,
            weights: data.weights.clone(),
            roots,
            gamma,
            rows,
            products,
            _hold: hold,
        })
    }

    /// How much a row counts.
    pub fn weight(&self, i: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |w| w[i])
    }

    /// The value of a column in a row, in standard units.
    pub fn value(&self, i: usize, c: usize) -> f64 {
        self.rows[i * (self.d + 1) + c] / self.roots[i]
    }

    /// What a regression says of a row, in standard units and without noise.
    pub fn predict(&self, step: &Step, i: usize) -> f64 {
        let row = &self.rows[i * (self.d + 1)..(i + 1) * (self.d + 1)];
        step.offset + dot(&step.weights, &row[..self.d]) / self.roots[i]
    }

    /// Puts new values, in standard units, into the gaps of a column, in the order of its rows.
    pub fn put(&mut self, c: usize, values: &[f64], run: &Run<'_>) -> Result<()> {
        let wide = self.d + 1;
        if values.is_empty() {
            return Ok(());
        }
        for (&i, value) in self.gaps[c].iter().zip(values) {
            self.rows[i as usize * wide + c] = value * self.roots[i as usize];
        }
        let column: Vec<f64> = (0..self.n).map(|i| self.rows[i * wide + c]).collect();
        let mut fresh = vec![0.0; wide];
        let rows = Mat::new(&self.rows, self.n, wide)?.transposed();
        product(run, rows, Mat::column(&column), MatMut::column(&mut fresh), 1.0, false)?;
        for (other, value) in fresh.into_iter().enumerate() {
            self.products[c * wide + other] = value;
            self.products[other * wide + c] = value;
        }
        Ok(())
    }

    /// The regressions of all columns without gaps, by one inverse.
    pub fn complete(&self, taking: Taking, run: &Run<'_>) -> Result<Vec<Step>> {
        let columns = (0..self.d).filter(|&c| self.gaps[c].is_empty());
        match taking {
            Taking::Posterior(seed) => {
                return columns.map(|c| self.step(c, Taking::Posterior(seed.at(c)), run)).collect();
            }
            _ if self.d < 2 => return columns.map(|c| self.step(c, taking, run)).collect(),
            _ => {}
        }
        let d = self.d;
        let sums = self.centred(self.products.clone());
        let mut square = sums.centred.clone();
        (0..d).for_each(|c| square[c * d + c] += self.gamma);
        let factor = Cholesky::new(run, Mat::new(&square, d, d)?).map_err(|e| self.singular(e))?;
        let mut inverse = vec![0.0; d * d];
        (0..d).for_each(|c| inverse[c * d + c] = 1.0);
        factor.solve(run, MatMut::new(&mut inverse, d, d)?)?;
        let weights = |c: usize| -> Vec<f64> {
            (0..d).map(|o| if o == c { 0.0 } else { -inverse[o * d + c] / inverse[c * d + c] }).collect()
        };
        // tr A⁻¹ without column c, by the inverse of a bordered matrix.
        let trace = |c: usize| -> f64 {
            let part = |o: usize| inverse[o * d + o] - inverse[o * d + c].powi(2) / inverse[c * d + c];
            (0..d).filter(|&o| o != c).map(part).sum()
        };
        Ok(columns.map(|c| self.finish(c, &sums, weights(c), taking, trace(c))).collect())
    }

    /// The regression of one column over the rows that have it.
    pub fn step(&self, c: usize, taking: Taking, run: &Run<'_>) -> Result<Step> {
        let d = self.d;
        let sums = self.over_present(c, run)?;
        if d < 2 || sums.weight <= 0.0 {
            return Ok(self.finish(c, &sums, vec![0.0; d], Taking::Mean, 0.0));
        }
        let others: Vec<usize> = (0..d).filter(|&o| o != c).collect();
        let m = others.len();
        let mut square: Vec<f64> = others
            .iter()
            .flat_map(|&a| others.iter().map(move |&b| (a, b)))
            .map(|(a, b)| sums.centred[a * d + b])
            .collect();
        (0..m).for_each(|o| square[o * m + o] += self.gamma);
        let factor = Cholesky::new(run, Mat::new(&square, m, m)?).map_err(|e| self.singular(e))?;
        let mut beta: Vec<f64> = others.iter().map(|&o| sums.centred[o * d + c]).collect();
        factor.solve(run, MatMut::column(&mut beta))?;
        let trace = match taking {
            Taking::Mean => 0.0,
            _ => factor.inverse_diagonal(run)?.iter().sum(),
        };
        let spread = |beta: &[f64]| {
            let mut weights = vec![0.0; d];
            others.iter().zip(beta).for_each(|(&o, b)| weights[o] = *b);
            weights
        };
        let best = self.finish(c, &sums, spread(&beta), taking, trace);
        let Taking::Posterior(seed) = taking else { return Ok(best) };
        let mut stream = seed.stream();
        let freedom = self.freedom(&sums, trace);
        let deviation = best.deviation * (freedom / chi_squared(freedom, &mut stream)).sqrt();
        // L⁻ᵀ z = A⁻¹ L z.
        let z: Vec<f64> = (0..m).map(|_| normal(&mut stream)).collect();
        let lower = factor.factor()?;
        let mut shift: Vec<f64> = (0..m).map(|r| dot(&lower.line(r)[..=r], &z[..=r])).collect();
        factor.solve(run, MatMut::column(&mut shift))?;
        beta.iter_mut().zip(shift).for_each(|(b, s)| *b += deviation * s);
        let drawn = self.finish(c, &sums, spread(&beta), Taking::Mean, 0.0);
        let offset = drawn.offset + deviation * normal(&mut stream) / sums.weight.sqrt();
        Ok(Step { offset, deviation, ..drawn })
    }

    /// Offset and noise that belong to weights.
    fn finish(&self, c: usize, sums: &Sums, weights: Vec<f64>, taking: Taking, trace: f64) -> Step {
        let d = self.d;
        let offset = sums.means[c] - dot(&weights, &sums.means);
        let deviation = match taking {
            Taking::Mean => 0.0,
            // RSS = C_cc − β·c − γ|β|², as (C + γI)β = c.
            _ => {
                let line = &sums.centred[c * d..(c + 1) * d];
                let rest = line[c] - dot(&weights, line) - self.gamma * dot(&weights, &weights);
                (rest.max(0.0) / self.freedom(sums, trace)).sqrt()
            }
        };
        Step { column: c, weights, offset, deviation }
    }

    /// Σw less the effective number of parameters: d − 1 − γ tr (C + γI)⁻¹ and the offset; at least 1.
    fn freedom(&self, sums: &Sums, trace: f64) -> f64 {
        (sums.weight - (self.d as f64 - self.gamma * trace)).max(1.0)
    }

    fn over_present(&self, c: usize, run: &Run<'_>) -> Result<Sums> {
        let wide = self.d + 1;
        let gaps = &self.gaps[c];
        if gaps.is_empty() {
            return Ok(self.centred(self.products.clone()));
        }
        let few = 2 * gaps.len() <= self.n;
        let rows: Vec<u32> = match few {
            true => gaps.clone(),
            false => {
                let mut next = gaps.iter().peekable();
                (0..self.n as u32).filter(|i| next.next_if_eq(&i).is_none()).collect()
            }
        };
        let (mut part, _hold) = run.memory.filled(rows.len().saturating_mul(wide), 0.0, "rows of the equations")?;
        for (line, &i) in part.chunks_exact_mut(wide).zip(&rows) {
            line.copy_from_slice(&self.rows[i as usize * wide..(i as usize + 1) * wide]);
        }
        let mut products = vec![0.0; wide * wide];
        gram(run, Mat::new(&part, rows.len(), wide)?, MatMut::new(&mut products, wide, wide)?)?;
        if few {
            products.iter_mut().zip(&self.products).for_each(|(p, all)| *p = all - *p);
        }
        Ok(self.centred(products))
    }

    fn centred(&self, products: Vec<f64>) -> Sums {
        let (d, wide) = (self.d, self.d + 1);
        let weight = products[wide * wide - 1];
        let share = if weight > 0.0 { 1.0 / weight } else { 0.0 };
        let means: Vec<f64> = (0..d).map(|c| products[c * wide + d] * share).collect();
        let mut centred = vec![0.0; d * d];
        for (a, line) in centred.chunks_exact_mut(d).enumerate() {
            line.iter_mut().enumerate().for_each(|(b, x)| *x = products[a * wide + b] - weight * means[a] * means[b]);
        }
        Sums { weight, means, centred }
    }

    fn singular(&self, error: Error) -> Error {
        match error {
            Error::Data { .. } => {
                Error::parameter("penalty", self.gamma, "is too small: columns depend on one another; raise it")
            }
            other => other,
        }
    }
}

/// A draw of χ² with any positive number of degrees of freedom: twice a gamma draw, by Marsaglia and Tsang.
///
/// - G. Marsaglia, W. W. Tsang: *A simple method for generating gamma variables.* ACM TOMS 26 (2000) 363–372.
fn chi_squared(freedom: f64, stream: &mut impl Rng) -> f64 {
    let shape = 0.5 * freedom;
    // Below 1 a draw of shape + 1 is shrunk by U^(1/shape).
    let (shape, shrink) = match shape < 1.0 {
        true => (shape + 1.0, (1.0 - stream.random::<f64>()).powf(1.0 / shape)),
        false => (shape, 1.0),
    };
    let a = shape - 1.0 / 3.0;
    let b = 1.0 / (9.0 * a).sqrt();
    loop {
        let x = normal(stream);
        let v = (1.0 + b * x).powi(3);
        let u = 1.0 - stream.random::<f64>();
        if v > 0.0 && u.ln() < 0.5 * x * x + a - a * v + a * v.ln() {
            return (2.0 * a * v * shrink).max(f64::MIN_POSITIVE);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The shared inverse, one system for each column, and ridge regression agree in weights, offset and noise.
    #[test]
    fn complete_columns_have_the_regressions_and_the_noise_of_ridge() {
        let run = Run::quiet(1);
        let data = testkit::toy_values(3);
        let data = Dataset { weights: Some((0..data.len()).map(|i| 0.5 + (i % 3) as f64).collect()), ..data };
        let equations = Equations::new(&data, 5.0, &run).unwrap();
        let shared = equations.complete(Taking::Noise, &run).unwrap();
        assert_eq!(shared.len(), 4);
        for (c, shared) in shared.iter().enumerate() {
            let own = equations.step(c, Taking::Noise, &run).unwrap();
            testkit::assert_close(&own.weights, &shared.weights, 1e-11, "weights");
            testkit::assert_close(&[own.offset, own.deviation], &[shared.offset, shared.deviation], 1e-11, "the rest");
            let others: Vec<Vec<f64>> =
                (0..equations.n).map(|i| (0..4).filter(|&o| o != c).map(|o| equations.value(i, o)).collect()).collect();
            let target = base::Values::new((0..equations.n).map(|i| equations.value(i, c)).collect(), "z");
            let points = base::Points::from_rows(&others).unwrap();
            let known =
                Dataset { weights: data.weights.clone(), ..Dataset::new(points, base::Targets::Values(target)) };
            let ridge = linear::Ridge { penalty: 5.0, posterior: true, ..linear::Ridge::default() };
            let fitted = base::Learner::fit(&ridge, &known, None, &run).unwrap();
            let base::Fact::Number(theirs) = fitted.certificate.facts["noise variance"] else { panic!("a number") };
            testkit::assert_close(&[own.deviation * own.deviation], &[theirs], 1e-11, "noise");
        }
    }

    #[test]
    fn chi_squared_has_its_mean_and_variance() {
        for freedom in [1.0, 1.5, 4.0, 50.0] {
            let mut stream = Seed(freedom as u64).stream();
            let draws: Vec<f64> = (0..40_000).map(|_| chi_squared(freedom, &mut stream)).collect();
            let mean = draws.iter().sum::<f64>() / 4e4;
            let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 4e4;
            // Deviations of these estimates: √(2f/n), and √((8f² + 48f)/n) or less.
            assert!((mean - freedom).abs() < 4.0 * (2.0 * freedom / 4e4).sqrt(), "{freedom}: mean {mean}");
            let slack = 4.0 * ((8.0 * freedom * freedom + 48.0 * freedom) / 4e4).sqrt();
            assert!((variance - 2.0 * freedom).abs() < slack, "{freedom}: variance {variance}");
        }
    }
}
