//! Networks written down from their definition: windows, boxes, piecewise constant functions, committees.
#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use base::graph::{Draft, Element, Graph, Op, Tensor, Unary};
use base::{Error, Memory, Run, Seed, normal};
use numeric::{Lbfgs, Objective};
use pellucid_network::diagnose::{NetworkCost, half_squares};
use pellucid_network::{Network, Ramp, SoftCommittee, approximator, interval, region, tiling};
use testkit::{assert_close, check_slope};

fn values(graph: Graph, rows: &[Vec<f64>]) -> Vec<f64> {
    let x = Tensor::f64([rows.len(), rows[0].len()], rows.concat()).unwrap();
    Network::new(graph).run(&[x], &Run::quiet(1)).unwrap().remove(0).to_f64()
}

fn sigmoid(z: f64) -> f64 {
    1.0 / (1.0 + (-z).exp())
}

#[test]
fn windows_are_those_of_the_book() {
    // Steepness 5 between 2 and 6: nearly 1 in the middle, a half at the edges.
    let z = [4.0, 2.0, 6.0, 0.0, 9.0];
    let rows: Vec<Vec<f64>> = z.iter().map(|z| vec![*z]).collect();
    let found = values(interval(2.0, 6.0, (Ramp::Sigmoid, 5.0)).unwrap(), &rows);
    let expected: Vec<f64> = z.iter().map(|z| sigmoid(5.0 * (z - 2.0)) - sigmoid(5.0 * (z - 6.0))).collect();
    assert_close(&found, &expected, 1e-12, "window");
    assert!((found[0] - 0.99991).abs() < 5e-6 && (found[1] - 0.5).abs() < 1e-8 && (found[2] - 0.5).abs() < 1e-8);
    assert!(found[3] < 1e-4 && found[4] < 1e-6);
    // Of ReLU: exact outside of the strips of width 1/5, a line within.
    let z = [4.0, 2.0, 2.05, 1.95, 2.1, 1.9, 5.9, 6.1, 0.0, 99.0];
    let rows: Vec<Vec<f64>> = z.iter().map(|z| vec![*z]).collect();
    let found = values(interval(2.0, 6.0, (Ramp::Relu, 5.0)).unwrap(), &rows);
    assert_close(&found, &[1.0, 0.5, 0.75, 0.25, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0], 1e-12, "window of ReLU");
}

#[test]
fn boxes_are_told_by_a_threshold_below_the_number_of_axes() {
    let (low, high, gamma) = ([-4.0, 1.0], [2.0, 7.0], 5.0);
    let mut rows = vec![];
    for i in -20..=20 {
        rows.extend((-20..=20).map(|j| vec![f64::from(i) / 2.0, f64::from(j) / 2.0]));
    }
    let found = values(region(&low, &high, (Ramp::Sigmoid, gamma)).unwrap(), &rows);
    let window = |z: f64, k: usize| sigmoid(gamma * (z - low[k])) - sigmoid(gamma * (z - high[k]));
    let expected: Vec<f64> = rows.iter().map(|x| sigmoid(gamma * (window(x[0], 0) + window(x[1], 1) - 1.5))).collect();
    assert_close(&found, &expected, 1e-10, "inside");
    let exact = values(region(&low, &high, (Ramp::Relu, gamma)).unwrap(), &rows);
    for ((x, soft), hard) in rows.iter().zip(&found).zip(&exact) {
        let edge = (0..2).map(|k| (x[k] - low[k]).abs().min((x[k] - high[k]).abs())).fold(f64::MAX, f64::min);
        let inside = (0..2).all(|k| x[k] > low[k] && x[k] < high[k]);
        if edge > 0.4 {
            assert_eq!(*soft > 0.5, inside, "{x:?} {soft}");
            assert!((hard - f64::from(u8::from(inside))).abs() < 1e-12, "{x:?} {hard}");
        }
    }
}

/// Mean absolute error on a lattice that avoids no box.
fn error(f: &dyn Fn(&[f64]) -> f64, n: usize, k: usize, ramp: (Ramp, f64)) -> f64 {
    let graph = approximator(f, (n, k), ramp, &Run::quiet(1)).unwrap();
    let side = if n == 1 { 1009 } else { 53 };
    let rows: Vec<Vec<f64>> = (0..side * if n == 1 { 1 } else { side })
        .map(|i| (0..n).map(|a| (if a == 0 { i % side } else { i / side }) as f64 / (side - 1) as f64).collect())
        .collect();
    let found = values(graph, &rows);
    rows.iter().zip(found).map(|(x, y)| (f(x) - y).abs()).sum::<f64>() / rows.len() as f64
}

#[test]
fn more_intervals_come_nearer() {
    let wave = |x: &[f64]| (6.0 * x[0]).sin();
    let hill = |x: &[f64]| (-8.0 * ((x[0] - 0.4).powi(2) + (x[1] - 0.6).powi(2))).exp();
    for kind in [Ramp::Sigmoid, Ramp::Relu] {
        let line: Vec<f64> = [2, 4, 8, 16, 32, 64].map(|k| error(&wave, 1, k, (kind, 4000.0))).to_vec();
        // Of a function constant on intervals of length 1/k the mean error is |f'|/4k: halved with each doubling.
        for pair in line.windows(2) {
            assert!(pair[1] < 0.75 * pair[0], "{kind:?} {line:?}");
        }
        let slope: f64 = (0..1000).map(|i| 6.0 * (6.0 * (f64::from(i) + 0.5) / 1000.0).cos().abs()).sum::<f64>() / 1e3;
        assert!((line[5] / (slope / 256.0) - 1.0).abs() < 0.1, "{} {}", line[5], slope / 256.0);
        let plane: Vec<f64> = [2, 4, 8, 16].map(|k| error(&hill, 2, k, (kind, 4000.0))).to_vec();
        assert!(plane.windows(2).all(|pair| pair[1] < 0.65 * pair[0]), "{kind:?} {plane:?}");
    }
}

#[test]
fn boxes_have_the_height_of_their_centre() {
    let f = |x: &[f64]| 3.0 * x[0] - 2.0 * x[1];
    for kind in [Ramp::Sigmoid, Ramp::Relu] {
        let graph = approximator(&f, (2, 3), (kind, 400.0), &Run::quiet(1)).unwrap();
        let third = |i: usize| (i as f64 + 0.5) / 3.0;
        let mut rows = vec![];
        let mut expected = vec![];
        for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
            for shift in [-0.1, 0.0, 0.1] {
                rows.push(vec![third(i) + shift, third(j) - shift]);
                expected.push(f(&[third(i), third(j)]));
            }
        }
        // The corners of the cube are within.
        rows.extend([vec![0.0, 0.0], vec![1.0, 1.0]]);
        expected.extend([f(&[third(0), third(0)]), f(&[third(2), third(2)])]);
        assert_close(&values(graph, &rows), &expected, 1e-9, "heights");
    }
}

#[test]
fn what_cannot_be_approximated_is_refused() {
    let run = Run::quiet(1);
    let f = |x: &[f64]| x[0];
    let with = |n, k, steepness| approximator(&f, (n, k), (Ramp::Relu, steepness), &run);
    assert!(with(0, 3, 10.0).is_err() && with(2, 0, 10.0).is_err());
    assert!(with(1, 3, 0.0).is_err() && with(1, 3, f64::NAN).is_err());
    assert!(matches!(with(200, 10, 10.0), Err(Error::Size { .. })), "10 to the power 200 boxes");
    let tiny = Run { memory: Memory::limited(1000), ..Run::quiet(1) };
    assert!(matches!(approximator(&f, (2, 9), (Ramp::Relu, 9.0), &tiny), Err(Error::Memory { .. })));
    assert!(approximator(&|_| f64::NAN, (1, 2), (Ramp::Relu, 9.0), &run).is_err());
    assert!(interval(2.0, 2.0, (Ramp::Relu, 1.0)).is_err() && interval(f64::NAN, 2.0, (Ramp::Relu, 1.0)).is_err());
    assert!(region(&[0.0], &[1.0, 2.0], (Ramp::Relu, 1.0)).is_err() && region(&[], &[], (Ramp::Relu, 1.0)).is_err());
    assert!(SoftCommittee { units: 0, ..Default::default() }.graph(Seed(1)).is_err());
}

/// An activation with its value and slope.
type Function = (Unary, fn(f64) -> f64, fn(f64) -> f64);

#[test]
fn explicit_gradients_of_a_committee_are_those_pulled_back() {
    let (n, k, gain) = (4, 3, 0.7);
    let activations: [Function; 5] = [
        (Unary::Tanh, f64::tanh, |x| 1.0 - x.tanh().powi(2)),
        (Unary::Sigmoid, sigmoid, |x| sigmoid(x) * (1.0 - sigmoid(x))),
        (Unary::Erf, libm_erf, |x| 2.0 / std::f64::consts::PI.sqrt() * (-x * x).exp()),
        (Unary::Softplus, |x| x.exp().ln_1p(), sigmoid),
        (Unary::Relu, |x| x.max(0.0), |x| f64::from(u8::from(x > 0.0))),
    ];
    let outputs: [Function; 2] =
        [(Unary::Identity, |x| x, |_| 1.0), (Unary::Tanh, f64::tanh, |x| 1.0 - x.tanh().powi(2))];
    let run = Run::quiet(1);
    for (hidden, g, g1) in activations {
        for (output, h, h1) in outputs {
            let committee = SoftCommittee { columns: n, units: k, hidden, output, gain, scale: 1.0 };
            let mut network = Network::new(committee.graph(Seed(3)).unwrap());
            let w = network.parameters();
            assert_eq!(w.len(), k * n + 2 * k, "KN + 2K parameters");
            let mut stream = Seed(9).stream();
            let x: Vec<f64> = (0..n).map(|_| normal(&mut stream)).collect();
            let tau = 0.3;
            // (A.52)-(A.56): δ = (σ − τ) h'; de/dv = δ g, de/dw = δ v g' ξ, and what is added to the field δ v g'.
            let field: Vec<f64> =
                (0..k).map(|j| (0..n).map(|i| w[j * n + i] * x[i]).sum::<f64>() + w[k * n + j]).collect();
            let v = &w[k * n + k..];
            let z: f64 = gain * (0..k).map(|j| v[j] * g(field[j])).sum::<f64>();
            let delta = (h(z) - tau) * h1(z) * gain;
            let mut expected = vec![];
            (0..k).for_each(|j| expected.extend(x.iter().map(|x| delta * v[j] * g1(field[j]) * x)));
            expected.extend((0..k).map(|j| delta * v[j] * g1(field[j])));
            expected.extend((0..k).map(|j| delta * g(field[j])));

            let inputs = [Tensor::f64([1, n], x.clone()).unwrap()];
            let targets = [tau];
            let loss = half_squares(&targets);
            let mut cost = NetworkCost::new(&mut network, &inputs, &loss, &run).unwrap();
            let mut pulled = vec![0.0; w.len()];
            let value = cost.value_and_gradient(&w, &mut pulled).unwrap();
            assert_close(&[value], &[0.5 * (h(z) - tau).powi(2)], 1e-9, "cost");
            assert_close(&pulled, &expected, 1e-9, &format!("{hidden:?} {output:?}"));
            check_slope(|w| cost.value_and_gradient(w, &mut vec![0.0; w.len()]).unwrap(), &expected, &w);
        }
    }
}

/// The error function by its series, for the sizes that appear here.
fn libm_erf(x: f64) -> f64 {
    let (mut term, mut sum) = (x, x);
    for i in 1..200 {
        term *= -x * x / f64::from(i);
        sum += term / f64::from(2 * i + 1);
    }
    2.0 / std::f64::consts::PI.sqrt() * sum
}

#[test]
fn a_trained_committee_approximates_a_continuous_function() {
    let x: Vec<f64> = (0..101).map(|i| f64::from(i) / 100.0).collect();
    let f = |x: f64| (2.0 * std::f64::consts::PI * x).sin() + x * x;
    let targets: Vec<f64> = x.iter().map(|x| f(*x)).collect();
    let inputs = [Tensor::f64([101, 1], x).unwrap()];
    let run = Run::quiet(1);
    let loss = half_squares(&targets);
    let mut misses = vec![];
    for units in [1, 2, 4, 8] {
        let committee = SoftCommittee { units, scale: 3.0, ..Default::default() };
        let mut network = Network::new(committee.graph(Seed(2)).unwrap());
        let start = network.parameters();
        let mut cost = NetworkCost::new(&mut network, &inputs, &loss, &run).unwrap();
        let ended = Lbfgs { tolerance: 1e-9, steps: 3000, memory: 20 }.minimise(&run, &start, &mut cost).unwrap();
        network.set_parameters(&ended.point).unwrap();
        // Between the points of training too.
        let between: Vec<Vec<f64>> = (0..100).map(|i| vec![(f64::from(i) + 0.5) / 100.0]).collect();
        let found = values(network.trained_graph().unwrap(), &between);
        misses.push(between.iter().zip(found).map(|(x, y)| (f(x[0]) - y).abs()).fold(0.0, f64::max));
    }
    assert!(misses[3] < 2e-3 && misses[3] < 0.05 * misses[0], "{misses:?}");
}

#[test]
fn a_linear_autoencoder_finds_the_principal_subspace() {
    // x → Wx → VWx with N = 5, M = 2, on centred rows: the least error is half the sum of the other eigenvalues.
    let (rows, n, m) = (200, 5, 2);
    let mut stream = Seed(12).stream();
    let spread = [3.0, 2.0, 0.8, 0.5, 0.1];
    let mut x: Vec<f64> = (0..rows * n).map(|i| spread[i % n] * normal(&mut stream)).collect();
    // Turned, so that the axes are not the directions; then centred.
    x.chunks_mut(n).for_each(|r| {
        (0..n - 1).for_each(|j| (r[j], r[j + 1]) = (0.8 * r[j] - 0.6 * r[j + 1], 0.6 * r[j] + 0.8 * r[j + 1]))
    });
    for j in 0..n {
        let mean = x.iter().skip(j).step_by(n).sum::<f64>() / rows as f64;
        x.iter_mut().skip(j).step_by(n).for_each(|x| *x -= mean);
    }
    let run = Run::quiet(1);
    let mut covariance = vec![0.0; n * n];
    let view = numeric::Mat::new(&x, rows, n).unwrap();
    numeric::gram(&run, view, numeric::MatMut::new(&mut covariance, n, n).unwrap()).unwrap();
    covariance.iter_mut().for_each(|c| *c /= rows as f64);
    let pca = numeric::eigen(&run, numeric::Mat::new(&covariance, n, n).unwrap()).unwrap();

    let mut draft = Draft::default();
    let input = draft.input("x", Element::F64, vec![None, Some(n)]);
    let drawn: Vec<f64> = (0..2 * n * m).map(|_| 0.3 * normal(&mut stream)).collect();
    let w = draft.trained("encoder", Tensor::f64([n, m], drawn[..n * m].to_vec()).unwrap());
    let v = draft.trained("decoder", Tensor::f64([m, n], drawn[n * m..].to_vec()).unwrap());
    let code = draft.node("code", Op::Dense { transposed: false }, &[input, w]);
    let back = draft.node("back", Op::Dense { transposed: false }, &[code, v]);
    let mut network = Network::new(draft.named("y", back).unwrap());
    let inputs = [Tensor::f64([rows, n], x.clone()).unwrap()];
    let loss = half_squares(&x);
    let start = network.parameters();
    let mut cost = NetworkCost::new(&mut network, &inputs, &loss, &run).unwrap();
    let ended = Lbfgs { tolerance: 1e-10, steps: 5000, memory: 20 }.minimise(&run, &start, &mut cost).unwrap();
    let least = 0.5 * pca.values[..n - m].iter().sum::<f64>();
    assert_close(&[ended.value], &[least], 1e-9, "error of reconstruction");
    // V W is the projection onto the leading eigenvectors.
    let (w, v) = ended.point.split_at(n * m);
    let entry = |i: usize, j: usize| (0..m).map(|k| w[i * m + k] * v[k * n + j]).sum::<f64>();
    let leading = |i: usize, j: usize| (n - m..n).map(|k| pca.vectors[i * n + k] * pca.vectors[j * n + k]).sum::<f64>();
    let all = |f: &dyn Fn(usize, usize) -> f64| (0..n * n).map(|p| f(p / n, p % n)).collect::<Vec<_>>();
    assert_close(&all(&entry), &all(&leading), 1e-5, "projection");
}

#[test]
fn activations_have_the_numbers_of_the_book() {
    let function = |op: Unary, x: &[f64]| {
        let mut draft = Draft::default();
        let input = draft.input("x", Element::F64, vec![None, Some(1)]);
        let y = draft.node("y", Op::Unary(op), &[input]);
        values(draft.named("y", y).unwrap(), &x.iter().map(|x| vec![*x]).collect::<Vec<_>>())
    };
    assert_eq!(function(Unary::LeakyRelu(0.25), &[-2.0, 0.0, 3.0]), [-0.5, 0.0, 3.0]);
    // x / (1 + e⁻ˣ) has a single minimum, of −0.27846 at −1.2785.
    let x: Vec<f64> = (0..=60_000).map(|i| f64::from(i) * 1e-4 - 3.0).collect();
    let y = function(Unary::Swish(1.0), &x);
    let least = (0..y.len()).min_by(|&i, &j| y[i].total_cmp(&y[j])).unwrap();
    assert!((x[least] + 1.2785).abs() < 1e-4 && (y[least] + 0.27846).abs() < 5e-6, "{} {}", x[least], y[least]);
    assert!(y[..least].windows(2).all(|p| p[1] < p[0]) && y[least..].windows(2).all(|p| p[1] > p[0]));
}

#[test]
fn tiling_grows_until_no_row_is_wrong() {
    let drawn = |n: usize, d: usize, seed: u64| -> Vec<f64> {
        let mut stream = Seed(seed).fork("tiling").stream();
        (0..n * d).map(|_| normal(&mut stream)).collect()
    };
    let random = |n: usize| -> Vec<bool> { (0..n).map(|i| Seed(3).at(i).unit() < 0.5).collect() };
    let corners: Vec<f64> = vec![0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0];
    let stripes: Vec<f64> = (0..40).map(|i| i as f64).collect();
    for (rows, columns, labels) in [
        (corners, 2, vec![false, true, true, false]),
        (stripes, 1, (0..40).map(|i| i / 5 % 2 == 0).collect::<Vec<_>>()),
        (drawn(60, 5, 1), 5, random(60)),
        (drawn(30, 2, 2), 2, random(30)),
        (drawn(20, 3, 4), 3, vec![true; 20]),
    ] {
        let n = labels.len();
        let found = tiling(&rows, columns, &labels, n, &Run::quiet(1)).unwrap();
        assert!(found.right.windows(2).all(|w| w[0] < w[1]), "{:?}", found.right);
        assert_eq!(found.right.last(), Some(&n), "{:?}", found.right);
        assert!(found.right.len() <= n && found.grandmothers.len() == found.right.len());
        let list: Vec<Vec<f64>> = rows.chunks_exact(columns).map(<[f64]>::to_vec).collect();
        let wanted: Vec<f64> = labels.iter().map(|&l| if l { 1.0 } else { -1.0 }).collect();
        assert_eq!(values(found.graph.clone(), &list), wanted);
        // Fewer units are the first of these, and as many rows are right as was told.
        for units in 1..found.right.len() {
            let part = tiling(&rows, columns, &labels, units, &Run { threads: 2, ..Run::quiet(1) }).unwrap();
            assert_eq!(part.right, found.right[..units]);
            let right = values(part.graph, &list).iter().zip(&wanted).filter(|(a, b)| a == b).count();
            assert_eq!(right, found.right[units - 1]);
        }
    }
}

#[test]
fn tiling_refuses_what_no_machine_can_tell_apart() {
    let grow = |rows: &[f64], labels: &[bool], units| tiling(rows, 1, labels, units, &Run::quiet(1));
    let error = grow(&[1.0, 2.0, 1.0], &[true, false, false], 9).unwrap_err();
    assert!(error.to_string().contains("equal to row"), "{error}");
    assert!(matches!(grow(&[1.0, 2.0], &[true], 3), Err(Error::Size { .. })));
    assert!(matches!(grow(&[], &[], 3), Err(Error::Size { .. })));
    assert!(matches!(grow(&[1.0], &[true], 0), Err(Error::Size { .. })));
    assert!(matches!(grow(&[f64::NAN], &[true], 1), Err(Error::Data { .. })));
    let poor = Run { memory: Memory::limited(10), ..Run::quiet(1) };
    assert!(matches!(tiling(&[1.0, 2.0], 1, &[true, false], 2, &poor), Err(Error::Memory { .. })));
}
