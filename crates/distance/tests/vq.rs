//! Competitive learning against its update written out, K-means and its promises.
#![allow(clippy::unwrap_used, reason = "a test may stop")]

mod common;
use base::*;
use common::{Known, clouds, dense, run, squared};
use pellucid_distance::*;
use testkit::{assert_close, check_learner, toy_classes};

fn centres(fitted: &Fitted) -> Vec<f64> {
    Codebook::read(&fitted.machine.record()).unwrap().centres().to_vec()
}

#[test]
fn the_winner_moves_by_the_rate() {
    let (n, d, epochs) = (20, 2, 3);
    let values = clouds(1, n, d, 3);
    let weights: Vec<f64> = (0..n).map(|i| 1.0 + (i % 3) as f64).collect();
    for schedule in [Schedule::Constant, Schedule::Linear, Schedule::Exponential] {
        for weighted in [false, true] {
            let weights: Option<Vec<f64>> = weighted.then(|| weights.clone());
            let learner = Vq { k: 3, start: Start::First, epochs, rate: 0.4, last: 0.01, schedule };
            let data = Dataset { weights: weights.clone().map(Into::into), ..dense(&values, d) };
            let found = centres(&learner.fit(&data, None, &run(1)).unwrap());
            let mut twin = values[..6].to_vec();
            let each: Vec<f64> = weights.unwrap_or(vec![1.0; n]);
            for t in 0..epochs * n {
                let mut left = Seed(1).fork("vq").fork("draw").at(t).unit() * each.iter().sum::<f64>();
                let row = each.iter().position(|w| {
                    left -= w;
                    left < 0.0
                });
                let x = &values[row.unwrap() * d..][..d];
                let time = t as f64 / (epochs * n) as f64;
                let eta = match schedule {
                    Schedule::Constant => 0.4,
                    Schedule::Linear => 0.4 * (1.0 - time) + 0.01 * time,
                    Schedule::Exponential => (0.4f64.ln() * (1.0 - time) + 0.01f64.ln() * time).exp(),
                };
                let j =
                    (0..3).min_by(|&a, &b| squared(x, &twin[a * d..][..d]).total_cmp(&squared(x, &twin[b * d..][..d])));
                twin[j.unwrap() * d..][..d].iter_mut().zip(x).for_each(|(c, x)| *c = (1.0 - eta) * *c + eta * x);
            }
            assert_close(&found, &twin, 1e-10, schedule.word());
        }
    }
}

#[test]
fn small_rates_end_near_k_means() {
    let data = dense(&clouds(2, 400, 2, 4), 2);
    let vq = Vq { k: 4, start: Start::PlusPlus, ..Default::default() }.fit(&data, None, &run(1)).unwrap();
    let start = vq.machine.record();
    let kmeans = KMeans { k: 4, ..Default::default() }.fit(&data, Some(&start), &run(1)).unwrap();
    let (a, b) = (vq.certificate.objective.unwrap(), kmeans.certificate.objective.unwrap());
    assert!(a >= b - 1e-9 && a < 1.02 * b, "{a} for {b}");
    let Fact::Curve(curve) = &vq.certificate.facts["objective"] else { panic!("a curve is expected") };
    assert!(curve.len() == 50 && curve[49] == a && curve[0] > a);
}

#[test]
fn prototypes_far_from_everything_are_dead() {
    let data = dense(&clouds(3, 100, 2, 2), 2);
    let far = vec![9.0, 9.0, 1e6, 1e6, -1e6, 1e6];
    let start = Codebook::new(data.features.clone(), far, Metric::Euclidean, None).unwrap();
    let fitted = Vq { k: 3, ..Default::default() }.fit(&data, Some(&start.record()), &run(1)).unwrap();
    assert_eq!(fitted.certificate.facts["dead units"], Fact::Number(2.0));
    assert_eq!(&centres(&fitted)[2..], [1e6, 1e6, -1e6, 1e6]);
    assert!(fitted.certificate.warnings[0].contains("2 of 3"));
}

#[test]
fn promises() {
    for start in [Start::PlusPlus, Start::Random, Start::First] {
        check_learner(&Vq { k: 4, start, epochs: 5, ..Default::default() }, &toy_classes(1), &Known);
    }
}
