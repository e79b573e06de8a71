//! Inlierness is bounded and vanishes far away; outlierness is never negative and grows with a power of the distance;
//! shares do not change when all strangeness is shifted or stretched.

use crate::{close, detector, drawn, families, numbers, run};
use base::Points;
use density::{Density, OneClass, RadialKernel};

#[test]
fn inlierness_is_bounded_and_vanishes_far_away() {
    for family in families() {
        let detector = detector(25, 3, family);
        let peak = match family {
            RadialKernel::Exponential { .. } => 1.0,
            RadialKernel::Student { a, .. } => 1.0 / a,
        };
        let g = detector.inlierness(&drawn(100, 3, 4, 3.0), &run()).unwrap();
        assert!(g.iter().all(|g| (0.0..=peak).contains(g)), "{family:?}");
        let along = [1e2, 1e4, 1e8, 1e12].map(|t| [t, -t, 0.5 * t]);
        let g = detector.inlierness(&Points::from_rows(&along).unwrap(), &run()).unwrap();
        assert!(g.windows(2).all(|w| w[1] <= w[0]) && g[3] < 1e-7, "{family:?} {g:?}");
    }
}

#[test]
fn outlierness_grows_with_a_power_of_the_distance() {
    for family in families() {
        let detector = detector(25, 3, family);
        let o = detector.outlierness(&drawn(200, 3, 4, 1.0), &run()).unwrap();
        assert!(o.iter().all(|o| *o >= 0.0), "{family:?}");
        // o(tx)/|tx|^q tends to 1/(qσ^q) = γ, or to m γ.
        let limit = match family {
            RadialKernel::Exponential { gamma, .. } => gamma,
            RadialKernel::Student { gamma, .. } => 25.0 * gamma,
        };
        let t: f64 = 1e9;
        let far = Points::from_rows(&[[0.6 * t, -0.8 * t, 0.0]]).unwrap();
        let o = detector.outlierness(&far, &run()).unwrap()[0];
        assert!((o / t.powf(family.q()) / limit - 1.0).abs() < 1e-6, "{family:?} {o}");
    }
}

#[test]
fn shares_do_not_change_when_strangeness_is_shifted_or_stretched() {
    // Points on a sphere around x: all distances r, so h = γ r^q − log α and its like. Another r shifts all h of the
    // exponential kernel alike and stretches those of t-Student with a tiny a.
    let weights = vec![0.2, 0.5, 0.1, 0.2];
    let on = |r: f64| Points::from_rows(&[[r, 0.0], [0.0, r], [-r, 0.0], [0.0, -r]]).unwrap();
    let origin = Points::from_rows(&[[0.0, 0.0]]).unwrap();
    for family in
        [RadialKernel::Exponential { gamma: 0.7, q: 1.5 }, RadialKernel::Student { a: 1e-12, gamma: 1.0, q: 2.0 }]
    {
        let shares = |r: f64| {
            let density = Density::new(on(r), weights.clone(), family).unwrap();
            let detector = OneClass::new(&density, &run()).unwrap();
            let told = detector.outlier_support(&origin, &run()).unwrap();
            let o = told.balance.unwrap()[0].score;
            numbers(&told.values).iter().map(|r| r / o).collect::<Vec<f64>>()
        };
        close(&shares(3.0), &shares(1.0), 1e-9, "shares");
        close(&shares(1.0), &weights, 1e-9, "shares are the weights");
    }
}

#[test]
fn gradients_are_finite_differences() {
    for family in families() {
        let (detector, points) = (detector(20, 4, family), drawn(6, 4, 8, 1.5));
        let (_, slopes) = detector.gradient(&points, &run()).unwrap();
        let x = numbers(&points);
        for i in 0..24 {
            let at = |e: f64| {
                let mut y = x.clone();
                y[i] += e;
                detector.outlierness(&Points::dense(y, 6, 4).unwrap(), &run()).unwrap()[i / 4]
            };
            let measured = (at(1e-6) - at(-1e-6)) / 2e-6;
            assert!(
                (measured - slopes[i]).abs() < 1e-5 * (1.0 + slopes[i].abs()),
                "{family:?} {measured} {}",
                slopes[i]
            );
        }
    }
}

#[test]
fn the_explanation_moves_as_smoothly_as_the_point() {
    // From one mode to the other in small steps: deep Taylor moves smoothly, the nearest neighbour jumps in the middle.
    use pellucid_explain::attribution::{self, Roots};
    let centres = Points::from_rows(&[[-2.0, 0.0], [-2.2, 0.3], [2.0, 0.1], [2.1, -0.2]]).unwrap();
    let density =
        Density::new(centres.clone(), vec![1.0; 4], RadialKernel::Exponential { gamma: 0.5, q: 2.0 }).unwrap();
    let detector = OneClass::new(&density, &run()).unwrap();
    let steps = 400;
    let path: Vec<[f64; 2]> = (0..=steps).map(|t| [-1.5 + 3.0 * t as f64 / steps as f64, 1.5]).collect();
    let path = Points::from_rows(&path).unwrap();
    let jump = |values: &Points| {
        let v = numbers(values);
        let size = v.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        v.chunks_exact(2)
            .zip(v[2..].chunks_exact(2))
            .map(|(a, b)| (a[0] - b[0]).abs().max((a[1] - b[1]).abs()) / size)
            .fold(0.0, f64::max)
    };
    let dtd = jump(&detector.by_input(&path, &run()).unwrap().values);
    let nearest = jump(&attribution::nearest(&detector, &path, &run()).unwrap().values);
    let roots = Roots { towards: &centres, lines: 4, level: 1.0 };
    let taylor = jump(&attribution::taylor(&detector, &path, &roots, &run()).unwrap().values);
    assert!(dtd < 0.03, "{dtd}");
    assert!(nearest > 4.0 * dtd && taylor > 4.0 * dtd, "{nearest} {taylor} {dtd}");
}
