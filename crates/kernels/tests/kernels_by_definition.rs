//! The kernels of the literature against their definitions: values, Gram matrices, and arc-cosine kernels against random
//! networks of rectifiers, whose limit they are.
#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use base::{Dataset, Points, Run, Seed, Targets, normal};
use pellucid_kernels::{Family, Kernel, KernelSettings, gram, mercer};

fn run() -> Run<'static> {
    Run { threads: 2, ..Run::quiet(1) }
}

fn kernel(kernel: Family, change: impl Fn(&mut KernelSettings)) -> Kernel {
    let mut settings = KernelSettings { kernel, ..KernelSettings::default() };
    change(&mut settings);
    let data = Dataset::new(Points::dense(vec![0.0; 3], 1, 3).unwrap(), Targets::None);
    settings.choose(&data, &run()).unwrap()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Layers of the recursion: k' = √(k(x, x) k(u, u)) J(θ) / π with J = sin θ + (π − θ) cos θ.
fn arc_cos(x: &[f64], u: &[f64], depth: u32) -> f64 {
    let (mut xu, xx, uu) = (dot(x, u), dot(x, x), dot(u, u));
    for _ in 0..depth {
        let theta = (xu / (xx * uu).sqrt()).clamp(-1.0, 1.0).acos();
        xu = (xx * uu).sqrt() / std::f64::consts::PI * (theta.sin() + (std::f64::consts::PI - theta) * theta.cos());
    }
    xu
}

#[test]
fn gram_matrices_are_those_of_the_formulas_symmetric_and_without_negative_eigenvalues() {
    type Formula = Box<dyn Fn(&[f64], &[f64]) -> f64>;
    let sigma = 1.7;
    let mut cases: Vec<(&str, Kernel, Formula)> = vec![
        ("linear", kernel(Family::Linear, |_| ()), Box::new(dot)),
        (
            "polynomial",
            kernel(Family::Polynomial, |s| {
                (s.gamma, s.coef0, s.degree) = (base::NumberOr::Number(0.5), 1.5, 3);
            }),
            Box::new(|x, u| (0.5 * dot(x, u) + 1.5).powi(3)),
        ),
        (
            "gaussian",
            kernel(Family::Gaussian, |s| s.sigma = sigma),
            Box::new(move |x, u| {
                let square: f64 = x.iter().zip(u).map(|(x, u)| (x - u).powi(2)).sum();
                (-square / (2.0 * sigma * sigma)).exp()
            }),
        ),
    ];
    for depth in 1..=3 {
        let own = kernel(Family::ArcCos, |s| s.depth = depth);
        cases.push(("arccos", own, Box::new(move |x, u| arc_cos(x, u, depth as u32))));
    }
    let n = 25;
    for seed in testkit::seeds(3) {
        let mut stream = Seed(seed).stream();
        let rows: Vec<Vec<f64>> = (0..n).map(|_| (0..3).map(|_| normal(&mut stream)).collect()).collect();
        let points = Points::from_rows(&rows).unwrap();
        for (name, kernel, formula) in &cases {
            let matrix = gram(kernel, &points, &run()).unwrap();
            for i in 0..n {
                for j in 0..n {
                    let expected = formula(&rows[i], &rows[j]);
                    let found = matrix[i * n + j];
                    assert!((found - expected).abs() < 1e-7 * expected.abs().max(1.0), "{name}: {found} {expected}");
                    assert!(
                        (found - matrix[j * n + i]).abs() < 1e-12 * found.abs().max(1.0),
                        "{name} is not symmetric"
                    );
                }
            }
            assert!(mercer(kernel, &points, &run()).unwrap().holds(), "{name}");
            // No direction z has zᵀKz below 0.
            for k in 0..50 {
                let mut stream = Seed(seed).fork("direction").at(k).stream();
                let z: Vec<f64> = (0..n).map(|_| normal(&mut stream)).collect();
                let kz: Vec<f64> = (0..n).map(|i| dot(&matrix[i * n..(i + 1) * n], &z)).collect();
                let size: f64 = matrix.iter().map(|x| x.abs()).sum();
                assert!(dot(&z, &kz) > -1e-9 * size, "{name}");
            }
        }
    }
}

/// k(x, u) = lim 2/D Σ max(0, w·x) max(0, w·u) for normal w; two layers are a random network of two.
#[test]
fn arc_cosine_kernels_are_the_limits_of_random_networks_of_rectifiers() {
    let (x, u) = ([0.9, -0.4, 0.3], [0.2, 0.5, -0.6]);
    let layer = |seed: Seed, rows: &[Vec<f64>; 2], width: usize| -> [Vec<f64>; 2] {
        let mut stream = seed.stream();
        let mut out = [vec![], vec![]];
        for _ in 0..width {
            let w: Vec<f64> = (0..rows[0].len()).map(|_| normal(&mut stream)).collect();
            for (out, row) in out.iter_mut().zip(rows) {
                out.push((2.0 / width as f64).sqrt() * dot(&w, row).max(0.0));
            }
        }
        out
    };
    // The tolerance is two to three standard deviations of networks this narrow: for seeds that are known, not for any.
    for seed in [0, 11].map(Seed) {
        let input = [x.to_vec(), u.to_vec()];
        let one = layer(seed.fork("one"), &input, 200_000);
        let value = |depth: usize| kernel(Family::ArcCos, |s| s.depth = depth).value(&x, &u);
        let found = dot(&one[0], &one[1]);
        assert!((found - value(1)).abs() < 0.01, "{found} {}", value(1));
        let narrow = layer(seed.fork("narrow"), &input, 2000);
        let two = layer(seed.fork("two"), &narrow, 2000);
        let found = dot(&two[0], &two[1]);
        assert!((found - value(2)).abs() < 0.08 * dot(&x, &x).max(dot(&u, &u)), "{found} {}", value(2));
        assert!((value(2) - value(1)).abs() > 0.05, "the layers differ: {} {}", value(1), value(2));
    }
}
