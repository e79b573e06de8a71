//! Gaussian mixtures against scikit-learn, the definition and the laws of expectation maximisation.
#![allow(clippy::unwrap_used, reason = "a test may stop")]

mod common;
use base::*;
use common::{Known, clouds, dense, golden, golden_numbers, labels, run, squared};
use pellucid_distance::*;
use testkit::{assert_close, check_golden, check_learner, toy_classes};

const FORMS: [Covariance; 3] = [Covariance::Isotropic, Covariance::Diagonal, Covariance::Full];

fn unit(form: Covariance, k: usize, d: usize, variance: f64) -> Vec<f64> {
    let one = |e: usize| if form == Covariance::Full && e / d != e % d { 0.0 } else { variance };
    (0..k).flat_map(|_| (0..form.numbers(d)).map(one)).collect()
}

fn started(learner: &GaussianMixture, data: &Dataset, means: Vec<f64>, variance: f64) -> (Mixture, Certificate) {
    let (k, d, form) = (learner.k, data.features.count(), learner.covariance);
    let shares = vec![1.0 / k as f64; k];
    let start = Mixture::new(data.features.clone(), form, shares, means, unit(form, k, d, variance)).unwrap();
    let fitted = learner.fit(data, Some(&start.record()), &run(1)).unwrap();
    (Mixture::read(&fitted.machine.record()).unwrap(), fitted.certificate)
}

fn curve(certificate: &Certificate) -> &[f64] {
    match &certificate.facts["log-likelihood by iteration"] {
        Fact::Curve(curve) => curve,
        Fact::Number(_) => panic!("a curve is expected"),
    }
}

#[test]
fn steps_are_those_of_scikit_learn() {
    let values = golden_numbers("data");
    let data = dense(&values, 3);
    let means: Vec<f64> = [0, 30, 60, 75].iter().flat_map(|i| values[i * 3..i * 3 + 3].to_vec()).collect();
    for covariance in FORMS {
        for steps in [1, 8] {
            let learner = GaussianMixture { k: 4, covariance, steps, tolerance: 0.0, ..Default::default() };
            let (machine, certificate) = started(&learner, &data, means.clone(), 1.0);
            let density = machine.log_density(data.points().unwrap(), &run(1)).unwrap();
            let sum: f64 = density.iter().sum();
            assert!((sum - certificate.facts["log-likelihood"].clone().number()).abs() < 1e-9 * sum.abs());
            let ours = [&density, machine.means()].concat();
            check_golden(&golden(&format!("{}_{steps}", covariance.word())), &ours, 1e-6);
        }
    }
}

trait Number {
    fn number(self) -> f64;
}
impl Number for Fact {
    fn number(self) -> f64 {
        let Fact::Number(x) = self else { panic!("a number is expected") };
        x
    }
}

#[test]
fn the_likelihood_never_falls() {
    for seed in 0..6 {
        let (n, d) = (150, 1 + seed as usize % 4);
        let weights: Vec<f64> = (0..n).map(|i| 0.2 + Seed(seed).at(i).unit()).collect();
        let data = Dataset { weights: Some(weights.into()), ..dense(&clouds(seed, n, d, 3), d) };
        for covariance in FORMS {
            for floor in [1e-6, 0.3] {
                let learner =
                    GaussianMixture { k: 5, covariance, floor, tolerance: 0.0, steps: 60, ..Default::default() };
                let fitted = learner.fit(&data, None, &run(1)).unwrap();
                let all = curve(&fitted.certificate);
                assert!(all.len() > 2);
                assert!(all.windows(2).all(|w| w[1] >= w[0] - 1e-10 * w[0].abs()), "{covariance:?} {floor}: {all:?}");
            }
        }
    }
}

/// X29: four clusters, six isotropic components with equal shares, twenty steps.
#[test]
fn six_components_describe_four_clusters() {
    let truth = [[0.0, 0.0], [4.0, 0.0], [0.0, 4.0], [4.0, 4.0]];
    let mut stream = Seed(29).stream();
    let values: Vec<f64> = (0..1000).flat_map(|i| truth[i % 4].map(|c| c + 0.6 * normal(&mut stream))).collect();
    let data = dense(&values, 2);
    let learner =
        GaussianMixture { k: 6, covariance: Covariance::Isotropic, steps: 20, tolerance: 0.0, ..Default::default() };
    let (machine, certificate) = started(&learner, &data, values[..12].to_vec(), 1.0);
    assert!(curve(&certificate).windows(2).all(|w| w[1] >= w[0] - 1e-9 * w[0].abs()));
    // The density of the truth, for comparison.
    let one = |x: &[f64], c: &[f64; 2]| (-squared(x, c) / 0.72).exp() / (std::f64::consts::TAU * 0.36);
    let known: f64 =
        values.chunks(2).map(|x| truth.iter().map(|c| 0.25 * one(x, c)).sum::<f64>().ln()).sum::<f64>() / 1000.0;
    let found = certificate.facts["log-likelihood"].clone().number() / 1000.0;
    assert!((found - known).abs() < 0.03, "{found} for {known}");
    // Variances are right (0.36), not doubled, for the components that matter.
    let heavy = (0..6).filter(|&m| machine.shares()[m] > 0.2).map(|m| machine.spreads()[m]);
    assert!(heavy.clone().count() >= 2 && heavy.clone().all(|v| (v - 0.36).abs() < 0.06), "{machine:?}");
}

/// X30: with a common fixed σ → 0 assignments and centres are those of K-means.
#[test]
fn a_small_common_sigma_is_k_means() {
    let values = clouds(30, 300, 2, 5);
    let data = dense(&values, 2);
    let means = values[..8].to_vec();
    let learner =
        GaussianMixture { k: 4, covariance: Covariance::Isotropic, sigma: 1e-3, tolerance: 0.0, ..Default::default() };
    let (machine, _) = started(&learner, &data, means.clone(), 1e-6);
    let start = Codebook::new(data.features.clone(), means, Metric::Euclidean, None).unwrap();
    let kmeans = KMeans { k: 4, ..Default::default() }.fit(&data, Some(&start.record()), &run(1)).unwrap().machine;
    assert_close(machine.means(), Codebook::read(&kmeans.record()).unwrap().centres(), 1e-9, "centres");
    assert_eq!(labels(&machine, &data), labels(&*kmeans, &data));
    let probabilities =
        Prediction::of(&machine, &data.inputs, &run(1)).unwrap().probabilities(&run(1)).unwrap().unwrap();
    assert!(probabilities.iter().filter(|p| **p > 1e-9 && **p < 1.0 - 1e-9).count() < 6, "assignments are crisp");
}

#[test]
fn densities_and_slopes_follow_the_formula() {
    let covariance = [2.0, 0.6, 0.6, 1.0, 0.5, -0.2, -0.2, 0.8];
    let (shares, means) = (vec![0.3, 0.7], vec![0.0, 1.0, -1.0, 2.0]);
    let machine =
        Mixture::new(Features::unnamed(2), Covariance::Full, shares.clone(), means.clone(), covariance.to_vec())
            .unwrap();
    let x = [0.4, -0.3];
    let density: f64 = (0..2)
        .map(|m| {
            let s = &covariance[4 * m..4 * m + 4];
            let (a, b) = (x[0] - means[2 * m], x[1] - means[2 * m + 1]);
            let det = s[0] * s[3] - s[1] * s[2];
            let q = (s[3] * a * a - 2.0 * s[1] * a * b + s[0] * b * b) / det;
            shares[m] * (-0.5 * q).exp() / (std::f64::consts::TAU * det.sqrt())
        })
        .sum();
    let points = Points::dense(x.to_vec(), 1, 2).unwrap();
    assert_close(&machine.log_density(&points, &run(1)).unwrap(), &[density.ln()], 1e-13, "density");
    // Responsibilities are what each component has of it.
    let of = |m: usize| {
        let one = Mixture::new(
            Features::unnamed(2),
            Covariance::Full,
            vec![1.0],
            means[2 * m..2 * m + 2].to_vec(),
            covariance[4 * m..4 * m + 4].to_vec(),
        );
        shares[m] * one.unwrap().log_density(&points, &run(1)).unwrap()[0].exp() / density
    };
    let prediction = Prediction::of(&machine, &points.clone().into(), &run(1)).unwrap();
    let found = prediction.probabilities(&run(1)).unwrap().unwrap();
    assert_close(&found, &[of(0), of(1)], 1e-12, "responsibilities");
    assert!(found[0] > 0.05 && found[1] > 0.05, "both components matter: {found:?}");
    assert_close(&machine.outlier_score(&points, &run(1)).unwrap(), &[-density.ln()], 1e-13, "strangeness");
    for bad in [vec![1.0, 2.0, 2.0, 1.0, 1.0, 0.0, 0.0, 1.0], vec![0.0; 8], vec![f64::NAN; 8]] {
        let made = Mixture::new(Features::unnamed(2), Covariance::Full, shares.clone(), means.clone(), bad);
        assert!(made.is_err(), "no covariance matrix");
    }
}

#[test]
fn samples_have_the_moments_of_the_mixture() {
    let spreads = vec![2.0, 0.6, 0.6, 1.0, 0.5, -0.2, -0.2, 0.8];
    let means = vec![10.0, 1.0, -10.0, 2.0];
    let machine =
        Mixture::new(Features::unnamed(2), Covariance::Full, vec![0.25, 0.75], means.clone(), spreads.clone()).unwrap();
    let (points, from) = machine.sample(40_000, Seed(3), &run(1)).unwrap();
    let values = points.to_dense(&Memory::unlimited()).unwrap();
    for m in 0..2 {
        let mine: Vec<&[f64]> = values.chunks(2).zip(&from).filter(|(_, f)| **f == m as u32).map(|(x, _)| x).collect();
        let n = mine.len() as f64;
        assert!((n / 40_000.0 - [0.25, 0.75][m]).abs() < 0.01);
        for a in 0..2 {
            let mean = mine.iter().map(|x| x[a]).sum::<f64>() / n;
            assert!((mean - means[2 * m + a]).abs() < 0.06, "{mean}");
            for b in 0..2 {
                let c = mine.iter().map(|x| (x[a] - means[2 * m + a]) * (x[b] - means[2 * m + b])).sum::<f64>() / n;
                assert!((c - spreads[4 * m + 2 * a + b]).abs() < 0.1, "{c} for {:?}", (m, a, b));
            }
        }
    }
    assert_eq!(machine.sample(40_000, Seed(3), &run(1)).unwrap().1, from);
}

#[test]
fn a_weight_is_that_many_rows_from_the_same_start() {
    let values = clouds(8, 80, 2, 3);
    let data = dense(&values, 2);
    let twice: Vec<usize> = (0..80).flat_map(|i| std::iter::repeat_n(i, 1 + usize::from(i % 4 == 0))).collect();
    let weights: Vec<f64> = (0..80).map(|i| if i % 4 == 0 { 2.0 } else { 1.0 }).collect();
    let learner = GaussianMixture { steps: 10, tolerance: 0.0, ..Default::default() };
    let (a, _) =
        started(&learner, &Dataset { weights: Some(weights.into()), ..data.clone() }, values[..6].to_vec(), 1.0);
    let (b, _) = started(&learner, &data.select(&twice).unwrap(), values[..6].to_vec(), 1.0);
    assert_close(a.spreads(), b.spreads(), 1e-9, "spreads");
    assert_close(a.shares(), b.shares(), 1e-10, "shares");
}

#[test]
fn promises() {
    for covariance in FORMS {
        check_learner(&GaussianMixture { covariance, ..Default::default() }, &toy_classes(1), &Known);
    }
    let fixed = GaussianMixture { covariance: Covariance::Isotropic, sigma: 0.5, ..Default::default() };
    check_learner(&fixed, &toy_classes(2), &Known);
    assert!(GaussianMixture { sigma: 0.5, ..Default::default() }.fit(&toy_classes(2), None, &run(1)).is_err());
}
