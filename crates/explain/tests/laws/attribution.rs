//! The other methods do what they say.

use crate::{close, density, detector, drawn, families, numbers, run};
use base::Points;
use density::{OneClass, RadialKernel};
use pellucid_explain::attribution::{self, IntegrationSteps, Roots};

#[test]
fn integrated_gradients_are_complete() {
    for family in families().into_iter().filter(|f| f.q() >= 1.0) {
        let density = density(20, 4, family);
        let detector = OneClass::new(&density, &run()).unwrap();
        let points = drawn(6, 4, 2, 2.0);
        let reference = attribution::mean_of(&detector);
        let steps = IntegrationSteps { tolerance: 1e-4, most: 4096 };
        let told = attribution::integrated_gradients(&detector, &points, &reference, steps, &run()).unwrap();
        let balances = told.balance.unwrap();
        let start = detector.outlierness(&Points::dense(reference, 1, 4).unwrap(), &run()).unwrap()[0];
        for (b, line) in balances.iter().zip(numbers(&told.values).chunks_exact(4)) {
            assert!((line.iter().sum::<f64>() - b.sum).abs() < 1e-12 * b.sum.abs());
            assert!(b.lost.abs() <= 2e-4 * (b.score - start).abs(), "{family:?} {b:?}");
            assert!(b.open() < 1e-12);
        }
    }
}

#[test]
fn taylor_finds_the_root() {
    // One Gaussian: o = γ r², so that the level 1 lies at r = 1/√γ on the straight line to the centre.
    let centre = Points::from_rows(&[[0.0, 0.0]]).unwrap();
    let family = RadialKernel::Exponential { gamma: 0.25, q: 2.0 };
    let density = density::Density::new(centre.clone(), vec![1.0], family).unwrap();
    let detector = OneClass::new(&density, &run()).unwrap();
    let roots = Roots { towards: &centre, lines: 1, level: 1.0 };
    let x = Points::from_rows(&[[6.0, 8.0]]).unwrap();
    let told = attribution::taylor(&detector, &x, &roots, &run()).unwrap();
    // x̃ = (1.2, 1.6), gradient γ·2·x̃ = (0.6, 0.8).
    close(&numbers(&told.values), &[0.6 * 4.8, 0.8 * 6.4], 1e-9, "taylor");
    let balance = told.balance.unwrap()[0];
    assert!((balance.absorbed - 1.0).abs() < 1e-9 && balance.open() < 1e-12);
    let nowhere = Points::dense(vec![0.0; 0], 0, 2).unwrap();
    assert!(attribution::taylor(&detector, &x, &Roots { towards: &nowhere, ..roots }, &run()).is_err());
}

#[test]
fn prototypes_are_squared_differences() {
    let family = RadialKernel::Student { a: 1.0, gamma: 1.0, q: 2.0 };
    let (density, points) = (density(15, 3, family), drawn(300, 3, 4, 1.5));
    let detector = OneClass::new(&density, &run()).unwrap();
    let near = numbers(&attribution::nearest(&detector, &points, &run()).unwrap().values);
    let (x, u) = (numbers(&points), numbers(density.centres()));
    for (i, line) in near.chunks_exact(3).enumerate() {
        let square = |j: usize| (0..3).map(|c| (x[i * 3 + c] - u[j * 3 + c]).powi(2)).sum::<f64>();
        let best = (0..15).map(square).fold(f64::INFINITY, f64::min);
        assert!((line.iter().sum::<f64>() - best).abs() <= 1e-12 * best);
    }
    let mean = attribution::mean_of(&detector);
    let expected = numbers(&attribution::expected(&detector, &points).unwrap().values);
    close(&expected[..3], &[0, 1, 2].map(|c: usize| (x[c] - mean[c]).powi(2)), 1e-12, "expected");
}

#[test]
fn sensitivity_vanishes_between_modes_and_random_is_fixed_by_its_seed() {
    let centres = Points::from_rows(&[[-3.0, 0.0], [3.0, 0.0]]).unwrap();
    let family = RadialKernel::Exponential { gamma: 0.5, q: 2.0 };
    let density = density::Density::new(centres, vec![1.0; 2], family).unwrap();
    let detector = OneClass::new(&density, &run()).unwrap();
    let between = Points::from_rows(&[[0.0, 0.0]]).unwrap();
    let told = attribution::sensitivity(&detector, &between, &run()).unwrap();
    assert_eq!(numbers(&told.values), [0.0, 0.0]);
    assert!(told.balance.is_none());
    // Deep Taylor says what makes it strange.
    assert!(numbers(&detector.by_input(&between, &run()).unwrap().values)[0] > 1.0);
    let (a, b) = (attribution::random(3, 4, base::Seed(1)).unwrap(), attribution::random(5, 4, base::Seed(1)).unwrap());
    assert_eq!(numbers(&a.values), numbers(&b.values)[..12]);
    assert_ne!(numbers(&a.values)[..4], numbers(&a.values)[4..8]);
    let gradient = attribution::gradient(&detector, &drawn(2, 2, 1, 1.0), &run()).unwrap();
    let times = attribution::input_gradient(&detector, &drawn(2, 2, 1, 1.0), &run()).unwrap();
    let x = numbers(&drawn(2, 2, 1, 1.0));
    let product: Vec<f64> = numbers(&gradient.values).iter().zip(&x).map(|(g, x)| g * x).collect();
    close(&numbers(&times.values), &product, 1e-15, "input times gradient");
}

#[test]
fn what_does_not_fit_is_refused() {
    let detector = detector(5, 3, RadialKernel::Exponential { gamma: 1.0, q: 2.0 });
    let points = drawn(2, 3, 1, 1.0);
    assert!(
        attribution::integrated_gradients(&detector, &points, &[0.0], IntegrationSteps::default(), &run()).is_err()
    );
    assert!(attribution::sobel(&points, None).is_err());
}
