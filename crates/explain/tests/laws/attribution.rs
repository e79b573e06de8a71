//! The other methods do what they say.

use crate::{close, density, detector, drawn, families, numbers, run};
use base::Points;
use density::{OneClass, RadialKernel};
use pellucid_explain::attribution::{self, IntegrationSteps, Roots};

/// All eight at once, for both families: the squared slope, Taylor's first order at a root that is searched for, the integral
/// of slopes along the segment, squared differences from the nearest support point and from their mean, the diagonal
/// Gaussian, edges, and an order by chance. Slopes are differences of the outlierness by its definition.
#[test]
fn the_baselines_are_those_of_their_definitions() {
    use crate::closed_form::slowly;
    use base::{Seed, Shape};
    use density::Density;
    const D: usize = 4;
    let smooth = |f: &RadialKernel| [1.0, 2.0, 4.0].contains(&f.q());
    for (seed, family) in
        testkit::seeds(2).into_iter().flat_map(|s| families().into_iter().filter(smooth).map(move |f| (s, f)))
    {
        let (centres, points) = (drawn(14, D, seed, 1.0), drawn(5, D, seed.wrapping_add(1), 2.0));
        let weights = (0..14).map(|j| 0.1 + Seed(seed).at(j).unit()).collect();
        let density = Density::new(centres.clone(), weights, family).unwrap();
        let detector = OneClass::new(&density, &run()).unwrap();
        let (x, u) = (numbers(&points), numbers(&centres));
        let o = |x: &[f64]| slowly(&density, x).0;
        let slope = |x: &[f64]| -> Vec<f64> {
            let at = |c: usize, e: f64| {
                let mut y = x.to_vec();
                y[c] += e;
                o(&y)
            };
            (0..x.len()).map(|c| (at(c, 1e-5) - at(c, -1e-5)) / 2e-5).collect()
        };
        let between =
            |a: &[f64], b: &[f64], t: f64| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a + t * (b - a)).collect() };
        let squares = |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).collect() };
        let length = |a: &[f64], b: &[f64]| squares(a, b).iter().sum::<f64>();
        let mean: Vec<f64> =
            (0..D).map(|c| (0..14).map(|j| density.weights()[j] * u[j * D + c]).sum::<f64>()).collect();

        let steps = IntegrationSteps { tolerance: 1e-5, most: 8192 };
        let told = [
            numbers(&attribution::sensitivity(&detector, &points, &run()).unwrap().values),
            numbers(&attribution::integrated_gradients(&detector, &points, &mean, steps, &run()).unwrap().values),
            numbers(&attribution::nearest(&detector, &points, &run()).unwrap().values),
            numbers(&attribution::expected(&detector, &points).unwrap().values),
            numbers(&attribution::Gaussian::of(&centres, 0.3).unwrap().explain(&points).unwrap().values),
        ];
        let variance: Vec<f64> = (0..D)
            .map(|c| {
                let column = || u.iter().skip(c).step_by(D);
                let middle = column().sum::<f64>() / 14.0;
                0.3 + column().map(|x| (x - middle).powi(2)).sum::<f64>() / 14.0
            })
            .collect();
        for (i, row) in x.chunks_exact(D).enumerate() {
            let of = |k: usize| &told[k][i * D..(i + 1) * D];
            let what = |name: &str| format!("{name}, {family:?}");
            let squared: Vec<f64> = slope(row).iter().map(|g| g * g).collect();
            close(of(0), &squared, 1e-4, &what("sensitivity"));
            let mut integral = [0.0; D];
            for k in 0..600 {
                let g = slope(&between(&mean, row, (f64::from(k) + 0.5) / 600.0));
                (0..D).for_each(|c| integral[c] += g[c] * (row[c] - mean[c]) / 600.0);
            }
            close(of(1), &integral, 5e-3, &what("integrated gradients"));
            let mut order: Vec<&[f64]> = u.chunks_exact(D).collect();
            order.sort_by(|a, b| length(row, a).total_cmp(&length(row, b)));
            close(of(2), &squares(row, order[0]), 1e-9, &what("nearest"));
            close(of(3), &squares(row, &mean), 1e-9, &what("expected"));
            let middle: Vec<f64> = (0..D).map(|c| u.iter().skip(c).step_by(D).sum::<f64>() / 14.0).collect();
            let gaussian: Vec<f64> = (0..D).map(|c| (row[c] - middle[c]).powi(2) / (2.0 * variance[c])).collect();
            close(of(4), &gaussian, 1e-9, &what("gaussian"));

            // Towards the nearest three support points, the first place within eight pieces where half of o is left.
            let level = 0.5 * o(row);
            let mut root: Option<(f64, Vec<f64>)> = None;
            for centre in &order[..3] {
                let Some(k) = (1..=8).find(|k| o(&between(row, centre, f64::from(*k) / 8.0)) <= level) else {
                    continue;
                };
                let (mut low, mut high) = (f64::from(k - 1) / 8.0, f64::from(k) / 8.0);
                for _ in 0..60 {
                    let middle = 0.5 * (low + high);
                    if o(&between(row, centre, middle)) > level { low = middle } else { high = middle }
                }
                let found = between(row, centre, high);
                if root.as_ref().is_none_or(|(far, _)| length(row, &found) < *far) {
                    root = Some((length(row, &found), found));
                }
            }
            let root = root.map_or(order[0].to_vec(), |r| r.1);
            let roots = Roots { towards: &centres, lines: 3, level };
            let one = points.slice(i..i + 1);
            let found = numbers(&attribution::taylor(&detector, &one, &roots, &run()).unwrap().values);
            let expected: Vec<f64> =
                slope(&root).iter().zip(row.iter().zip(&root)).map(|(g, (x, r))| g * (x - r)).collect();
            close(&found, &expected, 1e-4, &what("taylor"));
        }
    }

    for seed in testkit::seeds(3) {
        // Sobel's two kernels at every pixel; beyond the edge the nearest pixel stands.
        let (height, width, channels) = (5, 7, 2);
        let image = drawn(1, height * width * channels, seed, 1.0);
        let shape = Shape::Image { height, width, channels };
        let x = numbers(&image);
        let found = numbers(&attribution::sobel(&image, Some(shape)).unwrap().values);
        let kernel = [[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]];
        for (place, found) in found.iter().enumerate() {
            let (row, column, channel) = (place / channels / width, place / channels % width, place % channels);
            let (mut across, mut down) = (0.0, 0.0);
            for (a, line) in kernel.iter().enumerate() {
                for (b, weight) in line.iter().enumerate() {
                    let y = (row as isize + a as isize - 1).clamp(0, height as isize - 1) as usize;
                    let z = (column as isize + b as isize - 1).clamp(0, width as isize - 1) as usize;
                    across += weight * x[(y * width + z) * channels + channel];
                    let y = (row as isize + b as isize - 1).clamp(0, height as isize - 1) as usize;
                    let z = (column as isize + a as isize - 1).clamp(0, width as isize - 1) as usize;
                    down += weight * x[(y * width + z) * channels + channel];
                }
            }
            assert!((found - (across * across + down * down).sqrt()).abs() < 1e-12, "{found} at {place}");
        }
        // Every variable comes first as often as any other: of 4000 rows 1000 each, standard deviation 27.
        let random = numbers(&attribution::random(4000, D, Seed(seed)).unwrap().values);
        let mut first = [0; D];
        random.chunks_exact(D).for_each(|row| first[base::argmax(row) as usize] += 1);
        assert!(first.iter().all(|&k| (k as i64 - 1000).abs() < 170), "{first:?}");
        assert_ne!(random, numbers(&attribution::random(4000, D, Seed(seed.wrapping_add(1))).unwrap().values));
    }
}

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
