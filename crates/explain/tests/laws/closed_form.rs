//! The batch against a slow twin written from the definitions, pair by pair, in plain arithmetic.

use crate::{close, density, detector, drawn, families, numbers, run};
use base::{Memory, Points, Run, Sparse};
use density::{Density, OneClass, RadialKernel};

/// o, R_j, R_i and Σ Δ_j of one row, by the formulas as they stand.
pub fn slowly(density: &Density, x: &[f64]) -> (f64, Vec<f64>, Vec<f64>, f64) {
    let (m, d) = (density.centres().len(), x.len());
    let mut u = vec![0.0; d];
    let mut h = vec![];
    let mut far = vec![];
    for j in 0..m {
        density.centres().write_row(j, &mut u);
        let r = x.iter().zip(&u).map(|(x, u)| (x - u) * (x - u)).sum::<f64>().sqrt();
        let alpha = density.weights()[j];
        match density.kernel() {
            RadialKernel::Exponential { gamma, q } => {
                far.push(gamma * r.powf(q));
                h.push(gamma * r.powf(q) - alpha.ln());
            }
            RadialKernel::Student { a, gamma, q } => {
                far.push(gamma * r.powf(q));
                h.push((a + gamma * r.powf(q)) / alpha);
            }
        }
    }
    let (o, of_support, explained): (f64, Vec<f64>, Vec<f64>) = match density.kernel() {
        RadialKernel::Exponential { .. } => {
            let least = h.iter().copied().fold(f64::INFINITY, f64::min);
            let sum: f64 = h.iter().map(|h| (least - h).exp()).sum();
            let o = least - sum.ln();
            let p: Vec<f64> = h.iter().map(|h| (least - h).exp() / sum).collect();
            let parts = p.iter().zip(&far).map(|(p, far)| p * o.min(*far)).collect();
            (o, p.iter().map(|p| p * o).collect(), parts)
        }
        RadialKernel::Student { a, .. } => {
            let sum: f64 = h.iter().map(|h| 1.0 / h).sum();
            // R_j = h_j c_j with c_j = m h_j⁻² / (Σ 1/h)².
            let r: Vec<f64> = h.iter().map(|h| h * m as f64 / (h * h) / (sum * sum)).collect();
            let parts = r.iter().zip(&far).map(|(r, far)| r * far / (a + far)).collect();
            (m as f64 / sum, r, parts)
        }
    };
    let mut by_input = vec![0.0; d];
    for (j, part) in explained.iter().enumerate() {
        density.centres().write_row(j, &mut u);
        let square: f64 = x.iter().zip(&u).map(|(x, u)| (x - u) * (x - u)).sum();
        if square > 0.0 {
            let terms = by_input.iter_mut().zip(x.iter().zip(&u));
            terms.for_each(|(r, (x, u))| *r += (x - u) * (x - u) / square * part);
        }
    }
    (o, of_support, by_input, explained.iter().sum())
}

#[test]
fn batches_equal_the_definition() {
    for family in families() {
        for d in [1, 3, 20] {
            for far in [0.2, 1.0, 10.0] {
                let (density, points) = (density(40, d, family), drawn(17, d, 2, far));
                let detector = OneClass::new(&density, &run()).unwrap();
                let inputs = detector.by_input(&points, &run()).unwrap();
                let support = detector.outlier_support(&points, &run()).unwrap();
                let scores = detector.outlierness(&points, &run()).unwrap();
                let (values, pooled) = (numbers(&inputs.values), numbers(&support.values));
                let all = numbers(&points);
                for i in 0..17 {
                    let (o, r_j, r_i, explained) = slowly(&density, &all[i * d..(i + 1) * d]);
                    let what = format!("{family:?}, {d} variables, {far} away");
                    close(&[scores[i]], &[o], 1e-9, &what);
                    close(&pooled[i * 40..(i + 1) * 40], &r_j, 1e-9, &what);
                    close(&values[i * d..(i + 1) * d], &r_i, 1e-9, &what);
                    let balance = inputs.balance.as_ref().unwrap()[i];
                    assert!((balance.absorbed - (o - explained)).abs() <= 1e-9 * o, "{what}");
                    assert!(balance.open() < 1e-12 && balance.lost_share() < 1e-9, "{what}: {balance:?}");
                }
            }
        }
    }
}

#[test]
fn relevance_is_conserved_and_never_negative() {
    for family in families() {
        let (density, points) = (density(60, 7, family), drawn(30, 7, 3, 2.0));
        let detector = OneClass::new(&density, &run()).unwrap();
        // Inlierness by support points is what each adds to g: R_j = α_j k(‖x − u_j‖).
        let (x, u) = (numbers(&points), numbers(density.centres()));
        let adds = |i: usize, j: usize| {
            let square: f64 = (0..7).map(|c| (x[i * 7 + c] - u[j * 7 + c]).powi(2)).sum();
            let r = square.sqrt();
            density.weights()[j]
                * match family {
                    RadialKernel::Exponential { gamma, q } => (-gamma * r.powf(q)).exp(),
                    RadialKernel::Student { a, gamma, q } => 1.0 / (a + gamma * r.powf(q)),
                }
        };
        let told = numbers(&detector.inlier_support(&points, &run()).unwrap().values);
        for (i, line) in told.chunks_exact(60).enumerate() {
            close(line, &(0..60).map(|j| adds(i, j)).collect::<Vec<_>>(), 1e-9, &format!("{family:?}"));
        }
        let o = detector.outlierness(&points, &run()).unwrap();
        let g = detector.inlierness(&points, &run()).unwrap();
        for (relevance, scores, whole) in [
            (detector.inlier_support(&points, &run()).unwrap(), &g, true),
            (detector.outlier_support(&points, &run()).unwrap(), &o, true),
            (detector.by_input(&points, &run()).unwrap(), &o, false),
        ] {
            let (values, width) = (numbers(&relevance.values), relevance.values.columns());
            assert!(values.iter().all(|r| *r >= 0.0), "{family:?}");
            for (i, line) in values.chunks_exact(width).enumerate() {
                let sum: f64 = line.iter().sum();
                let balance = relevance.balance.as_ref().unwrap()[i];
                assert!((balance.score - scores[i]).abs() <= 1e-9 * scores[i], "{family:?}");
                assert!((balance.sum - sum).abs() <= 1e-12 * sum);
                match whole {
                    true => assert!((sum - scores[i]).abs() <= 1e-9 * scores[i], "{family:?} {}", relevance.method),
                    false => assert!(sum <= scores[i] * (1.0 + 1e-12) && balance.absorbed >= -1e-12 * scores[i]),
                }
            }
        }
    }
}

#[test]
fn a_point_that_is_a_support_point_gets_nothing_from_it() {
    for family in families() {
        let density = density(5, 4, family);
        let detector = OneClass::new(&density, &run()).unwrap();
        let told = detector.by_input(density.centres(), &run()).unwrap();
        assert!(numbers(&told.values).iter().all(|r| r.is_finite() && *r >= 0.0), "{family:?}");
        let one = Density::new(density.centres().slice(2..3), vec![1.0], family).unwrap();
        let alone = OneClass::new(&one, &run()).unwrap().by_input(one.centres(), &run()).unwrap();
        assert_eq!(numbers(&alone.values), [0.0; 4], "{family:?}");
        let balance = alone.balance.unwrap()[0];
        assert_eq!((balance.sum, balance.score), (0.0, balance.absorbed), "{family:?}");
        let (_, slopes) = detector.gradient(density.centres(), &run()).unwrap();
        assert!(slopes.iter().all(|s| s.is_finite()), "{family:?}");
    }
}

#[test]
fn a_million_bandwidths_away_everything_is_finite_and_right() {
    for family in families() {
        let density = density(30, 5, family);
        let detector = OneClass::new(&density, &run()).unwrap();
        let bandwidth = family.gamma().powf(-1.0 / family.q());
        let x = vec![1e6 * bandwidth, 0.0, -2e6 * bandwidth, 0.5, 3e5 * bandwidth];
        let told = detector.by_input(&Points::dense(x.clone(), 1, 5).unwrap(), &run()).unwrap();
        let (o, _, r_i, _) = slowly(&density, &x);
        assert!(o.is_finite() && o > 1e3, "{family:?}");
        close(&numbers(&told.values), &r_i, 1e-9, &format!("{family:?}"));
        let balance = told.balance.unwrap()[0];
        assert!((balance.score - o).abs() <= 1e-9 * o, "{family:?}");
        // Nearly all is explained, and by the large coordinates.
        assert!(balance.sum > 0.99 * o, "{family:?} {balance:?}");
        assert!(detector.inlierness(&Points::dense(x, 1, 5).unwrap(), &run()).unwrap()[0] < 1e-2);
    }
    let far = Points::dense(vec![1e200, 0.0], 1, 2).unwrap();
    let detector = detector(3, 2, RadialKernel::Exponential { gamma: 1.0, q: 2.0 });
    let error = detector.by_input(&far, &run()).unwrap_err().to_string();
    assert!(error.contains("overflows"), "{error}");
}

#[test]
fn near_pairs_lose_no_digits() {
    // Two narrow clusters far from each other and from the mean, x within one of them.
    for q in [1.0, 2.0] {
        let mut centres = numbers(&drawn(40, 20, 5, 1e-4));
        centres.iter_mut().enumerate().for_each(|(i, x)| *x += if i / 20 < 20 { 100.0 } else { -100.0 });
        let family = RadialKernel::Exponential { gamma: 1e3, q };
        let density = Density::new(Points::dense(centres, 40, 20).unwrap(), vec![1.0; 40], family).unwrap();
        let x: Vec<f64> = numbers(&drawn(1, 20, 6, 2e-4)).iter().map(|x| x + 100.0).collect();
        let detector = OneClass::new(&density, &run()).unwrap();
        let told = detector.by_input(&Points::dense(x.clone(), 1, 20).unwrap(), &run()).unwrap();
        close(&numbers(&told.values), &slowly(&density, &x).2, 1e-9, "clusters");
    }
}

#[test]
fn sparse_alone_and_threaded_rows_are_the_same() {
    for family in families() {
        let mut values = numbers(&drawn(50, 30, 7, 1.0));
        values.iter_mut().enumerate().for_each(|(i, x)| *x = if i % 5 == 0 { *x } else { 0.0 });
        let dense = Points::dense(values, 50, 30).unwrap();
        let sparse = as_sparse(&dense);
        let told = |centres: &Points, points: &Points, threads: usize| {
            let run = Run { threads, ..Run::quiet(1) };
            let density = Density::new(centres.clone(), vec![1.0; centres.len()], family).unwrap();
            let detector = OneClass::new(&density, &run).unwrap();
            let relevance = detector.by_input(points, &run).unwrap();
            let (_, slopes) = detector.gradient(points, &run).unwrap();
            (numbers(&relevance.values), slopes)
        };
        let (centres, points) = (dense.slice(0..30), dense.slice(30..50));
        let expected = told(&centres, &points, 1);
        assert_eq!(told(&centres, &points, 4), expected, "threads, {family:?}");
        let (thin, rows) = (sparse.slice(0..30), sparse.slice(30..50));
        assert_eq!(told(&thin, &rows, 4), told(&thin, &rows, 1), "threads, sparse, {family:?}");
        for (c, p) in [(&centres, &rows), (&thin, &points), (&thin, &rows)] {
            let (relevance, slopes) = told(c, p, 2);
            close(&relevance, &expected.0, 1e-9, "sparse");
            close(&slopes, &expected.1, 1e-9, "sparse");
        }
        for i in 0..20 {
            let (alone, _) = told(&centres, &points.slice(i..i + 1), 2);
            close(&alone, &expected.0[i * 30..(i + 1) * 30], 1e-12, "alone");
        }
    }
}

pub fn as_sparse(points: &Points) -> Points {
    let (mut starts, mut ids, mut values) = (vec![0], vec![], vec![]);
    for row in numbers(points).chunks_exact(points.columns()) {
        for (c, x) in row.iter().enumerate().filter(|(_, x)| **x != 0.0) {
            ids.push(c as u32);
            values.push(*x);
        }
        starts.push(ids.len());
    }
    Points::Sparse(Sparse::new(starts, ids, values, points.columns()).unwrap())
}

#[test]
fn memory_is_asked_for() {
    let density = density(200, 50, RadialKernel::Exponential { gamma: 1.0, q: 2.0 });
    let small = Run { memory: Memory::limited(10_000), ..Run::quiet(1) };
    assert!(matches!(OneClass::new(&density, &small), Err(base::Error::Memory { .. })));
    let detector = OneClass::new(&density, &run()).unwrap();
    let error = detector.by_input(&drawn(100, 50, 1, 1.0), &small).unwrap_err();
    assert!(matches!(error, base::Error::Memory { .. }), "{error}");
    assert!(
        detector.by_input(&drawn(3, 49, 1, 1.0), &run()).unwrap_err().to_string().contains("expected 50, found 49")
    );
    assert_eq!(numbers(&detector.by_input(&drawn(0, 50, 1, 1.0), &run()).unwrap().values), [0.0; 0]);
}
