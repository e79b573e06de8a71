//! Principal components: the directions of largest variance, and whitening.
//!
//! Centred inputs have the covariance C = (1/Σw) Σ w (x − m)(x − m)ᵀ with eigenvalues λ₁ ≥ λ₂ ≥ … and eigenvectors u_k. The
//! outputs are y_k = u_k·(x − m) for the first M, whose variance is λ_k; whitening divides by √λ_k, so that the outputs
//! have unit covariance. The mean squared error of x̂ = m + Σ y_k u_k is Σ_{k>M} λ_k, the least of all linear maps to M
//! numbers. Directions come from the singular values of the centred, weighted inputs, or from the eigenvalues of C where
//! rows are many; the sign makes the largest component positive.
//!
//! **Cost.** O(n d min(n, d)). Components whose variance is rounding error are left out.
//!
//! - M. Biehl: *The Shallow and the Deep.* 2023, section 8.3.

use base::graph::{Binary, Draft, Graph, Op};
use base::{
    Buffer, Certificate, Dataset, Error, Facets, Fact, Features, Fitted, Gradient, GraphForm, Hold, Inputs, Learner,
    Machine, Needs, Outputs, Plan, Points, Record, Result, Run, Shared, Size, Traits, Wanted, Weighting, vjp_by_row,
};
use numeric::Moments;
use numeric::{Mat, MatMut, eigen, gram, points_times, svd};
use std::sync::Arc;

base::settings! {
    /// Settings of the principal components.
    pub struct Pca {
        /// number of components; 0: as many as `share` asks for
        pub components: usize = 0, in Range::AtLeast(0.0), as "n_components";
        /// fraction of the variance to keep, if `components` is 0
        pub share: f64 = 0.95, in Range::Share;
    }
}

base::settings! {
    /// Settings of whitening.
    pub struct Whiten {
        /// number of components; 0: all with nonzero variance
        pub components: usize = 0, in Range::AtLeast(0.0), as "n_components";
    }
}

macro_rules! step {
    ($type:ty, $name:literal, |$me:ident| ($components:expr, $share:expr, $white:literal)) => {
        impl Learner for $type {
            fn name(&self) -> &'static str {
                $name
            }

            fn traits(&self) -> Traits<'_> {
                Traits::new(Needs { targets: Wanted::Nothing, table: false, missing: false, weights: Weighting::Exact })
            }

            fn learn(&self, data: &Dataset, _: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
                let $me = self;
                fit(data, $components, $share, $white, run)
            }

            fn plan(&self, size: &Size) -> Plan {
                let (n, d) = (size.rows as f64, size.columns as f64);
                let m = n.min(d);
                Plan {
                    fit: 2.0 * n * d * m + 10.0 * m * m * m,
                    predict: 2.0 * d * m,
                    bytes: 8.0 * (n * d + 3.0 * d * m),
                    advice: None,
                }
            }
        }
    };
}

step!(Pca, "pca", |me| (me.components, me.share, false));
step!(Whiten, "whiten", |me| (me.components, 1.0, true));

/// Directions (rows, unit length), counted while the hold lives, and variances, largest first.
fn directions(data: &Dataset, moments: &Moments, run: &Run<'_>) -> Result<(Vec<f64>, Hold, Vec<f64>)> {
    let points = data.points()?;
    let (n, d) = (points.len(), points.columns());
    let weight = |i: usize| data.weight(i);
    let total: f64 = (0..n).map(weight).sum();
    let (mut x, _hold) = run.memory.filled(n.saturating_mul(d), 0.0, "centred points")?;
    for (i, row) in x.chunks_exact_mut(d).enumerate() {
        points.write_row(i, row);
        let root = (weight(i) / total).sqrt();
        row.iter_mut().zip(&moments.mean).for_each(|(x, m)| *x = (*x - m) * root);
    }
    let x = Mat::new(&x, n, d)?;
    if n > 4 * d {
        // Far more rows than columns: the covariance is small and its eigenvectors are quick.
        let (mut c, _hold) = run.memory.filled(d.saturating_mul(d), 0.0, "the covariance")?;
        gram(run, x, MatMut::new(&mut c, d, d)?)?;
        let found = eigen(run, Mat::new(&c, d, d)?)?;
        let (vectors, hold) = turned(&found.vectors, (0..d).rev(), d, run)?;
        return Ok((vectors, hold, found.values.iter().rev().map(|v| v.max(0.0)).collect()));
    }
    let found = svd(run, x)?;
    let (vectors, hold) = turned(&found.v, 0..found.values.len(), d, run)?;
    Ok((vectors, hold, found.values.iter().map(|s| s * s).collect()))
}

/// Columns of a matrix of `d` rows as rows, in the order given.
fn turned(
    matrix: &[f64],
    columns: impl ExactSizeIterator<Item = usize>,
    d: usize,
    run: &Run<'_>,
) -> Result<(Vec<f64>, Hold)> {
    let width = matrix.len() / d.max(1);
    let (mut rows, hold) = run.memory.filled(columns.len().saturating_mul(d), 0.0, "principal directions")?;
    for (row, c) in rows.chunks_exact_mut(d.max(1)).zip(columns) {
        row.iter_mut().zip(matrix.iter().skip(c).step_by(width.max(1))).for_each(|(x, v)| *x = *v);
    }
    Ok((rows, hold))
}

fn fit(data: &Dataset, components: usize, share: f64, white: bool, run: &Run<'_>) -> Result<Fitted> {
    let points = data.points()?;
    let d = points.columns();
    let moments = Moments::of(points, data.weights.as_deref());
    let (vectors, _hold, variances) = directions(data, &moments, run)?;
    let total: f64 = variances.iter().sum();
    let real = variances.iter().filter(|v| **v > 1e-14 * variances[0] * d as f64).count();
    let mut certificate = Certificate::direct();
    let asked = match components {
        0 => {
            let mut sum = 0.0;
            let enough = variances.iter().position(|v| {
                sum += v;
                sum >= (share - 1e-12) * total
            });
            enough.map_or(real, |k| k + 1)
        }
        count if count > d => {
            return Err(Error::parameter("components", count, format!("must be at most the {d} columns")));
        }
        count => count,
    };
    let kept = asked.min(real).max(1);
    if kept < asked {
        certificate.warn(format!("only {kept} directions have nonzero variance, {asked} were requested"));
    }
    let scale = |k: usize| if white && variances[k] > 0.0 { 1.0 / variances[k].sqrt() } else { 1.0 };
    let _room = run.memory.take_for::<f64>(kept.saturating_mul(d), "principal components")?;
    let map: Vec<f64> = (0..kept).flat_map(|k| vectors[k * d..(k + 1) * d].iter().map(move |u| u * scale(k))).collect();
    certificate.fact("components", kept as f64);
    certificate.fact("variance kept", if total > 0.0 { variances[..kept].iter().sum::<f64>() / total } else { 1.0 });
    certificate.fact("reconstruction error", variances[kept..].iter().sum());
    certificate.facts.insert("variances".into(), Fact::Curve(variances));
    let machine = Principal::new(data.features.clone(), moments.mean, map)?;
    Ok(Fitted { machine: Arc::new(machine), certificate })
}

/// A linear map after centring: y = A (x − m).
pub struct Principal {
    features: Features,
    outputs: Outputs,
    mean: Vec<f64>,
    map: Vec<f64>,
}

impl Principal {
    /// The kind of its record.
    pub const KIND: &'static str = "principal";

    fn new(features: Features, mean: Vec<f64>, map: Vec<f64>) -> Result<Self> {
        let d = features.count();
        if d == 0 || mean.len() != d || map.is_empty() || !map.len().is_multiple_of(d) {
            return Err(Error::size("numbers of a linear map", format!("a multiple of {d}"), map.len()));
        }
        let names = (1..=map.len() / d).map(|k| format!("component {k}")).collect();
        Ok(Principal { outputs: Outputs::features(names), features, mean, map })
    }

    /// The machine a record speaks of.
    pub fn read(record: &Record) -> Result<Self> {
        record.expect_within(Self::KIND, 2..=2)?;
        let features = Features::read(record.part("inputs")?)?;
        let mean = record.array_of("means", &[features.count()])?;
        let (map, _, columns) = record.table("map")?;
        if columns != features.count() {
            return Err(record.broken(format!("a map of {columns} columns for {}", features.count())));
        }
        Self::new(features, mean, map.get(0..map.len()).into_owned())
    }

    /// The mean that is taken off.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The map A, one row for each component.
    pub fn map(&self) -> &[f64] {
        &self.map
    }
}

impl Machine for Principal {
    crate::ends!();

    fn apply(&self, inputs: &Inputs, run: &Run<'_>) -> Result<Points> {
        let points = inputs.points()?;
        let (n, d, k) = (points.len(), self.mean.len(), self.outputs.names.len());
        let (mut out, hold) = run.memory.filled(n.saturating_mul(k), 0.0, "components")?;
        // A (x − m) by rows: the mean is taken off the inputs first, for a large mean would eat the small components.
        let _room = run.memory.take_for::<f64>(n.saturating_mul(d), "centred points")?;
        let mut centred = points.to_dense(&run.memory)?.to_vec();
        for row in centred.chunks_exact_mut(d) {
            row.iter_mut().zip(&self.mean).for_each(|(x, m)| *x -= m);
        }
        let centred = Points::dense(centred, n, d)?;
        points_times(run, &centred, Mat::new(&self.map, k, d)?.transposed(), MatMut::new(&mut out, n, k)?)?;
        Points::dense(Buffer::F64(Shared::counted(out, hold)), n, k)
    }

    fn record(&self) -> Record {
        let (d, k) = (self.mean.len(), self.outputs.names.len());
        Record::new(Self::KIND, 2)
            .with("inputs", self.features.record())
            .with_array("means", &[d], self.mean.clone())
            .with_array("map", &[k, d], self.map.clone())
    }

    fn facets(&self) -> Facets<'_> {
        Facets { gradient: Some(self), graph: Some(self), ..Facets::default() }
    }
}

impl GraphForm for Principal {
    fn graph(&self, _run: &Run<'_>) -> Result<Option<Graph>> {
        let (d, k) = (self.mean.len(), self.outputs.names.len());
        let mut draft = Draft::rows(d);
        let mean = draft.numbers("mean", self.mean.clone())?;
        let map = draft.weight("map", &[k, d], self.map.clone())?;
        let centred = draft.node("centred", Op::Binary(Binary::Sub), &[Draft::INPUT, mean]);
        let components = draft.node("components", Op::Dense { transposed: true }, &[centred, map]);
        draft.graph(components).map(Some)
    }
}

impl Gradient for Principal {
    fn vjp(&self, points: &Points, direction: &[f64], out: &mut [f64], run: &Run<'_>) -> Result<()> {
        vjp_by_row(points, direction, out, run, |_, direction, out| {
            out.fill(0.0);
            for (row, &along) in self.map.chunks_exact(self.mean.len()).zip(direction) {
                out.iter_mut().zip(row).for_each(|(o, a)| *o += along * a);
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Seed, Targets, normal};
    use testkit::{Reads, assert_close};

    const KNOWN: Reads = Reads(|r| Ok(Arc::new(Principal::read(r)?)));

    #[test]
    fn keep_the_promises() {
        let data = testkit::toy_classes(1);
        testkit::check_learner(&Pca { components: 2, ..Pca::default() }, &data, &KNOWN);
        testkit::check_learner(&Pca::default(), &data, &KNOWN);
        testkit::check_learner(&Whiten::default(), &data, &KNOWN);
    }

    fn drawn(rows: usize, columns: usize) -> Dataset {
        let mut stream = Seed(3).stream();
        let mix: Vec<f64> = (0..columns * columns).map(|_| normal(&mut stream)).collect();
        let row = |x: Vec<f64>| -> Vec<f64> {
            (0..columns).map(|j| 7.0 + (0..columns).map(|i| x[i] * mix[i * columns + j]).sum::<f64>()).collect()
        };
        let rows: Vec<Vec<f64>> = (0..rows).map(|_| row((0..columns).map(|_| normal(&mut stream)).collect())).collect();
        Dataset::new(Points::from_rows(&rows).unwrap(), Targets::None)
    }

    fn outputs(step: &dyn Learner, data: &Dataset) -> (Fitted, Vec<f64>, usize) {
        let run = Run::quiet(1);
        let fitted = step.fit(data, None, &run).unwrap();
        let out = fitted.machine.compute(&data.inputs, &run).unwrap();
        let (values, columns) = (out.to_dense(&run.memory).unwrap().to_vec(), out.columns());
        (fitted, values, columns)
    }

    /// Covariance of columns a and b.
    fn covariance(values: &[f64], columns: usize, a: usize, b: usize) -> f64 {
        let n = (values.len() / columns) as f64;
        let mean = |c: usize| values.iter().skip(c).step_by(columns).sum::<f64>() / n;
        let (ma, mb) = (mean(a), mean(b));
        values.chunks(columns).map(|r| (r[a] - ma) * (r[b] - mb)).sum::<f64>() / n
    }

    #[test]
    fn components_are_uncorrelated_with_the_variances_told() {
        // Many rows go through the covariance, few through singular values.
        for data in [drawn(200, 5), drawn(15, 5)] {
            let (fitted, values, columns) = outputs(&Pca { components: 5, ..Pca::default() }, &data);
            let Fact::Curve(variances) = &fitted.certificate.facts["variances"] else { panic!() };
            assert!(variances.windows(2).all(|w| w[0] >= w[1]));
            for (a, &variance) in variances.iter().enumerate() {
                for b in 0..5 {
                    let expected = if a == b { variance } else { 0.0 };
                    assert_close(&[covariance(&values, columns, a, b)], &[expected], 1e-9, "covariance");
                }
            }
            let (_, white, columns) = outputs(&Whiten::default(), &data);
            for a in 0..columns {
                for b in 0..columns {
                    assert_close(&[covariance(&white, columns, a, b)], &[f64::from(u8::from(a == b))], 1e-9, "white");
                }
            }
        }
    }

    #[test]
    fn what_is_left_out_is_the_error_of_the_reconstruction() {
        let data = drawn(100, 6);
        let (fitted, values, m) = outputs(&Pca { components: 3, ..Pca::default() }, &data);
        let machine = Principal::read(&fitted.machine.record()).unwrap();
        let mut x = [0.0; 6];
        let mut error = 0.0;
        for (i, y) in values.chunks(m).enumerate() {
            data.points().unwrap().write_row(i, &mut x);
            for (j, x) in x.iter().enumerate() {
                let back: f64 = machine.mean[j] + (0..m).map(|k| y[k] * machine.map()[k * 6 + j]).sum::<f64>();
                error += (x - back).powi(2) / 100.0;
            }
        }
        let Fact::Number(told) = fitted.certificate.facts["reconstruction error"] else { panic!() };
        assert_close(&[error], &[told], 1e-9, "reconstruction");
        // What is kept and what is left are all variance there is, which is that of the columns.
        let total: f64 =
            (0..6).map(|c| covariance(&data.points().unwrap().to_dense(&Run::quiet(1).memory).unwrap(), 6, c, c)).sum();
        let share = |fitted: &Fitted| match fitted.certificate.facts["variance kept"] {
            Fact::Number(share) => share,
            Fact::Curve(_) => f64::NAN,
        };
        let kept: f64 = (0..m).map(|a| covariance(&values, m, a, a)).sum();
        assert_close(&[share(&fitted), told], &[kept / total, total - kept], 1e-9, "variance kept and left");
        for wanted in [0.3, 0.6, 0.9, 0.95, 0.999] {
            let (fitted, values, m) = outputs(&Pca { components: 0, share: wanted }, &data);
            let of = |m: usize| (0..m).map(|a| covariance(&values, values.len() / 100, a, a)).sum::<f64>() / total;
            assert_close(&[share(&fitted)], &[of(m)], 1e-9, "variance kept");
            assert!(of(m) >= wanted - 1e-9 && of(m - 1) < wanted, "{m} components for {wanted}");
        }
        assert!(Pca { components: 7, ..Pca::default() }.fit(&data, None, &Run::quiet(1)).is_err());
    }
}
