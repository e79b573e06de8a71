//! Flipping: incremental equals recomputed, and a good order has a small area.

use crate::{close, density, drawn, families, numbers, run};
use base::Points;
use density::{Density, OneClass, RadialKernel};
use pellucid_explain::flipping::{Flipping, area, order};
use pellucid_explain::{attribution, paired_interval};

#[test]
fn curves_equal_recomputed_ones() {
    for family in families() {
        let density = density(12, 5, family);
        let detector = OneClass::new(&density, &run()).unwrap();
        let flip = Flipping::new(&detector, &run()).unwrap();
        let x = numbers(&drawn(1, 5, 3, 2.0));
        let order = [3, 0, 4, 1, 2];
        let curve = flip.curve(&x, &order).unwrap();
        for t in 0..=5 {
            // From the definition: ‖Ψ_j‖² over the variables that are still there.
            let mut squares: Vec<f64> = (0..12)
                .map(|j| {
                    let mut u = [0.0; 5];
                    density.centres().write_row(j, &mut u);
                    order[t..].iter().map(|&i| (x[i] - u[i]).powi(2)).sum()
                })
                .collect();
            close(&[curve[t]], &[detector.outlierness_at(&mut squares)], 1e-12, "flipping");
        }
        let o = detector.outlierness(&Points::dense(x.clone(), 1, 5).unwrap(), &run()).unwrap()[0];
        assert!((curve[0] - o).abs() <= 1e-9 * o, "{family:?}");
        assert!(curve.windows(2).all(|w| w[1] <= w[0] * (1.0 + 1e-12)), "distances only shrink");
        assert!(flip.curve(&x, &[0, 1]).is_err() && flip.curve(&x[..2], &order).is_err());
    }
}

#[test]
fn areas_and_orders() {
    assert_eq!(order(&[0.1, 0.7, 0.7, -1.0]), [1, 2, 0, 3]);
    assert_eq!(area(&[4.0, 2.0, 0.0]), 0.5);
    assert_eq!((area(&[0.0, 0.0]), area(&[1.0]), area(&[])), (0.0, 0.0, 0.0));
}

#[test]
fn deep_taylor_beats_chance_in_pairs() {
    let family = RadialKernel::Exponential { gamma: 0.3, q: 2.0 };
    let density = Density::new(drawn(40, 12, 1, 1.0), vec![1.0; 40], family).unwrap();
    let detector = OneClass::new(&density, &run()).unwrap();
    // Strange in two of twelve variables.
    let mut values = numbers(&drawn(30, 12, 2, 1.0));
    values.chunks_exact_mut(12).enumerate().for_each(|(i, row)| row[i % 12] += 6.0);
    let points = Points::dense(values, 30, 12).unwrap();
    let told = [
        detector.by_input(&points, &run()).unwrap(),
        attribution::random(30, 12, base::Seed(4)).unwrap(),
        attribution::sensitivity(&detector, &points, &run()).unwrap(),
    ];
    let flip = Flipping::new(&detector, &run()).unwrap();
    let areas = |told: &base::Relevance| -> Vec<f64> {
        flip.curves(&points, told, &run()).unwrap().iter().map(|curve| area(curve)).collect()
    };
    let (taylor, random) = (areas(&told[0]), areas(&told[1]));
    let difference = paired_interval(&random.iter().zip(&taylor).map(|(r, t)| r - t).collect::<Vec<_>>());
    assert!(difference.low > 0.05, "{difference:?}");
    let curve = &flip.curves(&points, &told[2], &run()).unwrap()[0];
    assert_eq!(curve.len(), 13);
    assert!(flip.curves(&points.slice(0..3), &told[0], &run()).is_err());
}
