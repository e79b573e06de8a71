//! RBF networks beside their definition, the conditions of their optimum and the promises of every learner.
#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use base::{
    Catalog, Classes, Dataset, EmptyCatalog, Fitted, Gap, Learner, Machine, Memory, Points, Prediction, Record, Result,
    Run, Seed, Targets, Values, argmax, classes_of, normal, values_of,
};
use distance::{Codebook, KMeans};
use pellucid_network::{NetworkMachine, RbfNetwork, Spread};
use std::sync::Arc;
use testkit::{assert_close, check_learner, toy_classes, toy_values};

/// Knows networks.
struct Networks;

impl Catalog for Networks {
    fn learner(&self, name: &str) -> Result<Box<dyn Learner>> {
        EmptyCatalog.learner(name)
    }

    fn machine(&self, record: &Record) -> Result<Arc<dyn Machine>> {
        Ok(Arc::new(NetworkMachine::read(record)?))
    }
}

const SPREADS: [Spread; 4] = [Spread::Isotropic, Spread::Diagonal, Spread::Full, Spread::Pooled];

fn fit(learner: &RbfNetwork, data: &Dataset) -> Fitted {
    learner.fit(data, None, &Run::quiet(3)).unwrap()
}

fn scores(fitted: &Fitted, data: &Dataset) -> Vec<f64> {
    fitted.machine.compute(&data.inputs, &Run::quiet(1)).unwrap().to_dense(&Memory::unlimited()).unwrap().to_vec()
}

fn weights(fitted: &Fitted, name: &str) -> Vec<f64> {
    let machine = NetworkMachine::read(&fitted.machine.record()).unwrap();
    machine.graph().weights().iter().find(|w| w.name == name).unwrap().tensor.to_f64()
}

fn rows(data: &Dataset) -> Vec<Vec<f64>> {
    let points = data.points().unwrap();
    let mut x = vec![0.0; points.columns()];
    let mut row = |i: usize| {
        points.write_row(i, &mut x);
        x.clone()
    };
    (0..data.len()).map(&mut row).collect()
}

/// The inverse of a small matrix, by Gauss and Jordan with pivots.
fn inverse(a: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let n = a.len();
    let unit = |i: usize| (0..n).map(move |j| f64::from(u8::from(i == j)));
    let mut m: Vec<Vec<f64>> = (0..n).map(|i| a[i].iter().copied().chain(unit(i)).collect()).collect();
    for c in 0..n {
        let pivot = (c..n).max_by(|&i, &j| m[i][c].abs().total_cmp(&m[j][c].abs())).unwrap();
        m.swap(c, pivot);
        let scale = m[c][c];
        m[c].iter_mut().for_each(|x| *x /= scale);
        let row = m[c].clone();
        for (_, other) in m.iter_mut().enumerate().filter(|(i, _)| *i != c) {
            let factor = other[c];
            other.iter_mut().zip(&row).for_each(|(x, r)| *x -= factor * r);
        }
    }
    m.into_iter().map(|row| row[n..].to_vec()).collect()
}

/// φ of every row from the definition: centres from K-means, S_j as the file of spreads says, full matrices throughout.
fn units(learner: &RbfNetwork, data: &Dataset) -> Vec<Vec<f64>> {
    let run = Run::quiet(3).fork("centres");
    let clusters = KMeans { k: learner.units, restarts: learner.restarts, ..Default::default() };
    let codebook = Codebook::read(&clusters.fit(data, None, &run).unwrap().machine.record()).unwrap();
    let rows = rows(data);
    let d = rows[0].len();
    let centres: Vec<&[f64]> = codebook.centres().chunks(d).collect();
    let square = |x: &[f64], c: &[f64]| x.iter().zip(c).map(|(x, c)| (x - c) * (x - c)).sum::<f64>();
    let nearest = |x: &[f64]| argmax(&centres.iter().map(|c| -square(x, c)).collect::<Vec<_>>()) as usize;
    let w = |i: usize| data.weight(i);
    let zero = vec![vec![0.0; d]; d];
    let (mut sums, mut mass) = (vec![zero.clone(); centres.len()], vec![0.0; centres.len()]);
    for (i, x) in rows.iter().enumerate() {
        let j = nearest(x);
        mass[j] += w(i);
        for a in 0..d {
            (0..d).for_each(|b| sums[j][a][b] += w(i) * (x[a] - centres[j][a]) * (x[b] - centres[j][b]));
        }
    }
    // What the form forgets: directions, or correlations.
    for s in &mut sums {
        let mean = (0..d).map(|a| s[a][a]).sum::<f64>() / d as f64;
        for (a, line) in s.iter_mut().enumerate() {
            for (b, entry) in line.iter_mut().enumerate() {
                match learner.spread {
                    Spread::Isotropic => *entry = if a == b { mean } else { 0.0 },
                    Spread::Diagonal if a != b => *entry = 0.0,
                    _ => {}
                }
            }
        }
    }
    let total: f64 = mass.iter().sum();
    let mut pooled = zero;
    for a in 0..d {
        (0..d).for_each(|b| pooled[a][b] = sums.iter().map(|s| s[a][b]).sum::<f64>() / total);
    }
    let mean = (0..d).map(|a| pooled[a][a]).sum::<f64>() / d as f64;
    (0..d).for_each(|a| pooled[a][a] += 1e-6 * mean);
    let borrowed = if learner.spread == Spread::Full { d as f64 } else { 1.0 };
    let precision: Vec<Vec<Vec<f64>>> = (0..centres.len())
        .map(|j| {
            let entry = |a: usize, b: usize| match learner.spread {
                Spread::Pooled => pooled[a][b],
                _ => (sums[j][a][b] + borrowed * pooled[a][b]) / (mass[j] + borrowed),
            };
            let scale = learner.width * learner.width * d as f64;
            inverse(&(0..d).map(|a| (0..d).map(|b| scale * entry(a, b)).collect()).collect::<Vec<_>>())
        })
        .collect();
    let exponent = |x: &[f64], j: usize| {
        let apart: Vec<f64> = x.iter().zip(centres[j]).map(|(x, c)| x - c).collect();
        let form = |a: usize| (0..d).map(|b| apart[a] * precision[j][a][b] * apart[b]).sum::<f64>();
        -0.5 * (0..d).map(form).sum::<f64>()
    };
    rows.iter().map(|x| (0..centres.len()).map(|j| exponent(x, j).exp()).collect()).collect()
}

fn normalised(units: &[Vec<f64>]) -> Vec<Vec<f64>> {
    units.iter().map(|row| row.iter().map(|u| u / row.iter().sum::<f64>()).collect()).collect()
}

/// Σ_j w_jk φ_j + w_0k.
fn on_top(units: &[Vec<f64>], w: &[f64], b: &[f64]) -> Vec<f64> {
    let k = b.len();
    let score = |row: &[f64], c: usize| b[c] + row.iter().enumerate().map(|(j, u)| w[j * k + c] * u).sum::<f64>();
    units.iter().flat_map(|row| (0..k).map(|c| score(row, c)).collect::<Vec<_>>()).collect()
}

#[test]
fn values_are_ridge_on_gaussian_units() {
    for spread in SPREADS {
        let learner = RbfNetwork { units: 6, spread, width: 1.3, penalty: 0.05, ..Default::default() };
        let mut data = toy_values(4);
        let mass: Vec<f64> = (0..data.len()).map(|i| 0.5 + (i % 3) as f64).collect();
        data.weights = Some(mass.clone().into());
        let fitted = fit(&learner, &data);
        let (w, b) = (weights(&fitted, "readout weights"), weights(&fitted, "readout offsets"));
        let phi = units(&learner, &data);
        let found = scores(&fitted, &data);
        assert_close(&found, &on_top(&phi, &w, &b), 1e-9, spread.word());
        let y = values_of(&data).unwrap().values();
        for j in 0..6 {
            let pull = (0..y.len()).map(|i| mass[i] * (y[i] - found[i]) * phi[i][j]).sum::<f64>() - 0.05 * w[j];
            assert!(pull.abs() < 1e-7, "{spread:?} {j}: {pull}");
        }
        let pull: f64 = (0..y.len()).map(|i| mass[i] * (y[i] - found[i])).sum();
        assert!(pull.abs() < 1e-8, "{spread:?}: {pull}");
    }
}

#[test]
fn classes_minimise_cross_entropy_over_normalised_units() {
    for spread in SPREADS {
        let learner = RbfNetwork { units: 5, spread, penalty: 0.02, ..Default::default() };
        let data = toy_classes(4);
        let fitted = fit(&learner, &data);
        assert!(matches!(fitted.certificate.gap, Gap::Gradient(g) if g < 1e-7));
        let (w, b) = (weights(&fitted, "readout weights"), weights(&fitted, "readout offsets"));
        let phi = normalised(&units(&learner, &data));
        assert_close(&scores(&fitted, &data), &on_top(&phi, &w, &b), 1e-9, spread.word());
        let run = Run::quiet(1);
        let prediction = Prediction::of(&*fitted.machine, &data.inputs, &run).unwrap();
        let p = prediction.probabilities(&run).unwrap().unwrap();
        let codes = classes_of(&data).unwrap().codes();
        let miss = |i: usize, c: usize| p[i * 3 + c] - f64::from(u8::from(codes[i] as usize == c));
        for c in 0..3 {
            let pull: f64 = (0..codes.len()).map(|i| miss(i, c)).sum();
            assert!(pull.abs() < 1e-5, "{spread:?} {c}: {pull}");
            for j in 0..5 {
                let pull: f64 = (0..codes.len()).map(|i| miss(i, c) * phi[i][j]).sum::<f64>() + 0.02 * w[j * 3 + c];
                assert!(pull.abs() < 1e-5, "{spread:?} {c} {j}: {pull}");
            }
        }
    }
}

#[test]
fn narrow_units_are_nearest_prototypes() {
    // The winner takes all: rows of one cluster get the same scores, whatever their place within.
    let data = toy_classes(5);
    let learner = RbfNetwork { units: 6, width: 0.02, spread: Spread::Pooled, ..Default::default() };
    let fitted = fit(&learner, &data);
    let found = scores(&fitted, &data);
    let mut seen: Vec<&[f64]> = vec![];
    for row in found.chunks(3) {
        if !seen.iter().any(|s| s.iter().zip(row).all(|(a, b)| (a - b).abs() < 1e-3)) {
            seen.push(row);
        }
    }
    assert!(seen.len() <= 6, "{} different answers of 6 prototypes", seen.len());
}

#[test]
fn a_smooth_function_is_approximated_better_by_more_units() {
    let mut stream = Seed(2).stream();
    let rows: Vec<Vec<f64>> = (0..800).map(|_| (0..2).map(|_| normal(&mut stream)).collect()).collect();
    let y: Vec<f64> = rows.iter().map(|x| (2.0 * x[0]).sin() * x[1].cos()).collect();
    let data = Dataset::new(Points::from_rows(&rows).unwrap(), Targets::Values(Values::new(y, "y")));
    let (train, test): (Vec<usize>, Vec<usize>) = (0..800).partition(|i| i % 2 == 0);
    let (train, test) = (data.select(&train).unwrap(), data.select(&test).unwrap());
    let truth = values_of(&test).unwrap().values();
    let error = |units: usize| {
        let found = scores(&fit(&RbfNetwork { units, width: 2.0, ..Default::default() }, &train), &test);
        found.iter().zip(truth).map(|(f, t)| (f - t) * (f - t)).sum::<f64>() / truth.len() as f64
    };
    let errors = [3, 10, 40].map(error);
    assert!(errors[1] < 0.5 * errors[0] && errors[2] < 0.5 * errors[1], "{errors:?}");
}

#[test]
fn rings_are_told_apart() {
    let mut stream = Seed(6).stream();
    let mut rows = vec![];
    let mut names = vec![];
    for i in 0..400 {
        let angle = f64::from(i) * 2.399_963;
        let radius = if i % 2 == 0 { 1.0 } else { 2.5 } + 0.2 * normal(&mut stream);
        rows.push([radius * angle.cos(), radius * angle.sin()]);
        names.push(Some(if i % 2 == 0 { "inner" } else { "outer" }));
    }
    let targets = Targets::Classes(Classes::from_names(&names));
    let data = Dataset::new(Points::from_rows(&rows).unwrap(), targets);
    let (train, test): (Vec<usize>, Vec<usize>) = (0..400).partition(|i| i % 4 < 2);
    let test = data.select(&test).unwrap();
    let run = Run::quiet(1);
    for spread in SPREADS {
        let fitted = fit(&RbfNetwork { spread, ..Default::default() }, &data.select(&train).unwrap());
        let found = Prediction::of(&*fitted.machine, &test.inputs, &run).unwrap().classes(&run).unwrap();
        let right = found.iter().zip(classes_of(&test).unwrap().codes()).filter(|(a, b)| a == b).count();
        assert!(right >= 195, "{spread:?}: {right} of 200");
    }
}

#[test]
fn keeps_the_promises() {
    for spread in SPREADS {
        let learner = RbfNetwork { units: 4, spread, restarts: 1, ..Default::default() };
        check_learner(&learner, &toy_classes(3), &Networks);
        check_learner(&learner, &toy_values(3), &Networks);
    }
    let many = RbfNetwork { units: 1000, restarts: 1, ..Default::default() };
    let few = fit(&many, &toy_values(1));
    assert!(few.certificate.warnings.iter().any(|w| w.contains("no more rows")), "{:?}", few.certificate.warnings);
}

#[test]
fn centres_move_downhill_and_the_slope_vanishes() {
    for (data, penalty) in [(toy_values(2), 0.01), (toy_classes(2), 0.1)] {
        for spread in SPREADS {
            let still = RbfNetwork { units: 5, spread, penalty, ..RbfNetwork::default() };
            let before = fit(&still, &data).certificate.objective.unwrap();
            let mut last = f64::INFINITY;
            for steps in [1, 5, 40] {
                let after = fit(&RbfNetwork { steps, ..still.clone() }, &data);
                let value = after.certificate.objective.unwrap();
                assert!(value <= last, "{spread:?}: {value} after {last}");
                assert!(matches!(after.certificate.gap, Gap::Stationary(g) if g.is_finite()));
                last = value;
            }
            // The fits of the layer alone count the same sums (two classes have one set of weights there).
            assert!(last < before * (1.0 + 1e-9), "{spread:?}: {last}, {before}");
        }
    }
}

#[test]
fn a_centre_finds_the_peak_that_clusters_miss() {
    // One Gaussian peak at 2 over rows spread evenly: the mean of the rows is 0, the best centre is 2.
    let x: Vec<f64> = (0..121).map(|i| i as f64 * 0.1 - 6.0).collect();
    let y: Vec<f64> = x.iter().map(|x| (-(x - 2.0) * (x - 2.0) / 2.0).exp()).collect();
    let data = Dataset::new(Points::dense(x, 121, 1).unwrap(), Targets::Values(Values::new(y, "y")));
    let width = 1.0 / 3.4928; // The rows' deviation: the unit is as wide as the peak.
    let learner = RbfNetwork { units: 1, width, penalty: 1e-9, steps: 200, ..RbfNetwork::default() };
    let centre = |learner: &RbfNetwork| weights(&fit(learner, &data), "centres")[0];
    assert!(centre(&RbfNetwork { steps: 0, ..learner.clone() }).abs() < 1e-9);
    assert!((centre(&learner) - 2.0).abs() < 1e-3, "{}", centre(&learner));
}

#[test]
fn promises_hold_for_moving_centres() {
    let learner = RbfNetwork { units: 4, steps: 6, penalty: 0.1, ..RbfNetwork::default() };
    check_learner(&learner, &toy_values(1), &Networks);
    check_learner(&learner, &toy_classes(1), &Networks);
}
