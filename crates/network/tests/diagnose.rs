//! Curvature, step sizes and pruning, beside quadratic bowls whose answers are known and beside definitions.
#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use base::graph::{Draft, Element, Graph, Op, Source, Tensor, Unary};
use base::{Dataset, Error, Memory, Points, Record, Result, Run, Seed, Targets, Values, normal};
use numeric::{Lbfgs, Objective};
use pellucid_network::diagnose::*;
use pellucid_network::train::{Ask, Examples, Optimizer, Training, train};
use pellucid_network::{Network, SoftCommittee};
use testkit::{assert_close, check_slope};

fn drawn(count: usize, seed: u64) -> Vec<f64> {
    let mut stream = Seed(seed).fork("diagnose").stream();
    (0..count).map(|_| normal(&mut stream)).collect()
}

/// ½ (x − m)ᵀ A (x − m), A as rows.
struct Bowl {
    a: Vec<Vec<f64>>,
    m: Vec<f64>,
}

impl Objective for Bowl {
    fn value_and_gradient(&mut self, x: &[f64], gradient: &mut [f64]) -> Result<f64> {
        let d: Vec<f64> = x.iter().zip(&self.m).map(|(x, m)| x - m).collect();
        let rows = self.a.iter().map(|row| row.iter().zip(&d).map(|(a, d)| a * d).sum::<f64>());
        gradient.iter_mut().zip(rows).for_each(|(g, r)| *g = r);
        Ok(0.5 * gradient.iter().zip(&d).map(|(g, d)| g * d).sum::<f64>())
    }
}

impl Bowl {
    /// A bowl of these eigenvalues, turned by drawn reflections (I − 2uuᵀ/uᵀu).
    fn turned(values: &[f64], seed: u64) -> (Bowl, Vec<Vec<f64>>) {
        let n = values.len();
        let mut vectors: Vec<Vec<f64>> =
            (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
        for k in 0..3 {
            let u = drawn(n, seed + k);
            let square: f64 = u.iter().map(|u| u * u).sum();
            for v in &mut vectors {
                let along: f64 = v.iter().zip(&u).map(|(v, u)| v * u).sum();
                v.iter_mut().zip(&u).for_each(|(v, u)| *v -= 2.0 * along / square * u);
            }
        }
        let entry = |i: usize, j: usize| (0..n).map(|k| values[k] * vectors[k][i] * vectors[k][j]).sum();
        let a = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect();
        (Bowl { a, m: drawn(n, seed + 9) }, vectors)
    }

    fn value(&mut self, x: &[f64]) -> f64 {
        self.value_and_gradient(x, &mut vec![0.0; x.len()]).unwrap()
    }
}

/// Rows and targets of a smooth function with noise, and a committee fitted to them.
fn fitted(units: usize) -> (Network, [Tensor; 1], Vec<f64>) {
    let x = Tensor::f64([60, 2], drawn(120, 3)).unwrap();
    let noise = drawn(60, 4);
    let target = |(i, x): (usize, &[f64])| (1.5 * x[0]).sin() - 0.5 * x[1] + 0.2 * noise[i];
    let targets: Vec<f64> = x.to_f64().chunks(2).enumerate().map(target).collect();
    let committee = SoftCommittee { columns: 2, units, ..Default::default() };
    let mut network = Network::new(committee.graph(Seed(5)).unwrap());
    let inputs = [x];
    retrain(&mut network, &Mask::all(4 * units), (&inputs, &targets), DECAY);
    (network, inputs, targets)
}

/// Minimises over what the mask keeps.
fn retrain(network: &mut Network, mask: &Mask, (inputs, targets): (&[Tensor], &[f64]), decay: f64) {
    let run = Run::quiet(1);
    let start = network.parameters();
    let loss = half_squares(targets);
    let mut cost = NetworkCost::new(network, inputs, &loss, &run).unwrap();
    let mut masked = |x: &[f64], g: &mut [f64]| {
        let value = decayed(&mut cost, x, g, decay)?;
        mask.clear(g);
        Ok(value)
    };
    let settings = Lbfgs { tolerance: 1e-11, steps: 20000, memory: 30 };
    let minimum = settings.minimise(&run, &start, &mut masked).unwrap();
    assert!(minimum.gradient < 1e-8, "{minimum:?}");
    network.set_parameters(&minimum.point).unwrap();
}

/// A little decay makes the minimum of a committee a strict one.
const DECAY: f64 = 1e-3;

fn decayed(cost: &mut dyn Objective, x: &[f64], g: &mut [f64], decay: f64) -> Result<f64> {
    let value = cost.value_and_gradient(x, g)?;
    g.iter_mut().zip(x).for_each(|(g, x)| *g += decay * x);
    Ok(value + 0.5 * decay * x.iter().map(|x| x * x).sum::<f64>())
}

#[test]
fn parameters_go_out_and_come_back_in_order() {
    let mut draft = Draft::default();
    let x = draft.input("x", Element::F64, vec![None, Some(2)]);
    let w = draft.trained("w", Tensor::f64([2, 3], (0..6).map(f64::from).collect()).unwrap());
    let c = draft.constant("c", Tensor::f64([3], vec![9.0; 3]).unwrap());
    let first = draft.node("first", Op::Dense { transposed: false }, &[x, w, c]);
    let v = draft.trained("v", Tensor::f64([3, 1], vec![6.0, 7.0, 8.0]).unwrap());
    let last = draft.node("last", Op::Dense { transposed: false }, &[first, v]);
    let mut network = Network::new(draft.named("y", last).unwrap());
    assert_eq!(network.parameters(), (0..9).map(f64::from).collect::<Vec<_>>());
    assert_eq!(network.parameter_ranges(), [(0, 0..6), (2, 6..9)]);
    assert_eq!(network.parameter_sources(), [Source::Weight(0), Source::Weight(2)]);
    let new: Vec<f64> = (10..19).map(f64::from).collect();
    network.set_parameters(&new).unwrap();
    assert_eq!(network.parameters(), new);
    assert_eq!(network.weights()[1].to_f64(), [9.0; 3], "constants stay");
    assert_eq!(network.weights()[2].to_f64(), [16.0, 17.0, 18.0]);
    // y = (x W + 9) v at x = (1, 1): columns of W sum to 23, 25, 27.
    let run = Run::quiet(1);
    let y = network.run(&[Tensor::f64([1, 2], vec![1.0; 2]).unwrap()], &run).unwrap().remove(0);
    assert_eq!(y.to_f64(), [32.0 * 16.0 + 34.0 * 17.0 + 36.0 * 18.0]);
    assert!(matches!(network.set_parameters(&new[1..]), Err(Error::Size { .. })));
}

#[test]
fn single_precision_and_no_parameters_are_refused_where_differences_are_taken() {
    let run = Run::quiet(1);
    let build = |trained: bool| {
        let mut draft = Draft::default();
        let x = draft.input("x", Element::F32, vec![None, Some(1)]);
        let w = Tensor::f32([1, 1], vec![1.0]).unwrap();
        let w = if trained { draft.trained("w", w) } else { draft.constant("w", w) };
        let y = draft.node("y", Op::Dense { transposed: false }, &[x, w]);
        Network::new(draft.named("y", y).unwrap())
    };
    let x = [Tensor::f32([1, 1], vec![1.0]).unwrap()];
    let loss = half_squares(&[0.0]);
    let refused = NetworkCost::new(&mut build(true), &x, &loss, &run).err().unwrap();
    assert!(refused.to_string().contains("f64"), "{refused}");
    assert!(NetworkCost::new(&mut build(false), &x, &loss, &run).is_err());
    let mut network = build(true);
    network.set_parameters(&[0.1]).unwrap();
    assert_eq!(network.parameters(), [f64::from(0.1f32)], "rounded on the way in");
}

#[test]
fn gradients_of_a_cost_are_measured() {
    let (mut network, inputs, targets) = fitted(3);
    let run = Run::quiet(1);
    let loss = half_squares(&targets);
    let at = drawn(12, 8);
    let mut cost = NetworkCost::new(&mut network, &inputs, &loss, &run).unwrap();
    let mut gradient = vec![0.0; 12];
    let value = cost.value_and_gradient(&at, &mut gradient).unwrap();
    check_slope(|x| cost.value_and_gradient(x, &mut [0.0; 12]).unwrap(), &gradient, &at);
    // The definition, row by row: w is 3 x 2, then what is added, then v.
    let rows = inputs[0].to_f64();
    let row = |(x, t): (&[f64], &f64)| {
        let unit = |k: usize| at[9 + k] * (at[2 * k] * x[0] + at[2 * k + 1] * x[1] + at[6 + k]).tanh();
        0.5 * ((0..3).map(unit).sum::<f64>() - t).powi(2)
    };
    let sum: f64 = rows.chunks(2).zip(&targets).map(row).sum();
    assert_close(&[value], &[sum / 60.0], 1e-13, "cost");
    assert!(cost.value_and_gradient(&at, &mut [0.0; 3]).is_err());
}

#[test]
fn curvature_of_a_bowl_is_its_matrix() {
    let (mut bowl, _) = Bowl::turned(&[5.0, 2.0, 1.0, 0.3, -0.7], 1);
    let run = Run::quiet(1);
    let at = drawn(5, 2);
    let expected: Vec<f64> = bowl.a.concat();
    let (found, _hold) = hessian(&mut bowl, &at, &run).unwrap();
    assert_close(&found, &expected, 1e-11, "matrix");
    let diagonal: Vec<f64> = (0..5).map(|i| expected[6 * i]).collect();
    assert_close(&hessian_diagonal(&mut bowl, &at, &run).unwrap(), &diagonal, 1e-11, "diagonal");
    let v: Vec<f64> = drawn(5, 3).iter().map(|x| 1e6 * x).collect();
    let mut out = vec![0.0; 5];
    hessian_times(&mut bowl, &at, &v, &mut out).unwrap();
    let product: Vec<f64> = bowl.a.iter().map(|r| r.iter().zip(&v).map(|(a, v)| a * v).sum()).collect();
    assert_close(&out, &product, 1e-5, "product with a long vector");
    hessian_times(&mut bowl, &at, &[0.0; 5], &mut out).unwrap();
    assert_eq!(out, [0.0; 5]);
    assert!(hessian_times(&mut bowl, &at, &[0.0; 4], &mut out).is_err());
    let tiny = Run { memory: Memory::limited(8), ..Run::quiet(1) };
    assert!(matches!(hessian(&mut bowl, &at, &tiny), Err(Error::Memory { .. })));
}

#[test]
fn curvature_of_a_network_is_that_of_the_definition() {
    // E = ½ (v tanh(w x) − t)² for one row: with g = tanh(wx), s = 1 − g², m = vg − t
    // E_ww = (v s x)² − 2 m v g s x², E_wv = g v s x + m s x, E_vv = g². The committee's threshold is a third axis:
    // with the field z = wx + b, E_bb = (v s)² − 2 m v g s, E_wb = x E_bb, E_bv = g v s + m s.
    let committee = SoftCommittee { units: 1, ..Default::default() };
    let mut network = Network::new(committee.graph(Seed(1)).unwrap());
    let (w, b, v, x, t) = (0.7, -0.2, 1.3, 1.1, 0.4);
    let run = Run::quiet(1);
    let (inputs, targets) = ([Tensor::f64([1, 1], vec![x]).unwrap()], [t]);
    let loss = half_squares(&targets);
    let mut cost = NetworkCost::new(&mut network, &inputs, &loss, &run).unwrap();
    let g = (w * x + b).tanh();
    let (s, m) = (1.0 - g * g, v * g - t);
    let bb = (v * s).powi(2) - 2.0 * m * v * g * s;
    let bv = g * v * s + m * s;
    let expected = [x * x * bb, x * bb, x * bv, x * bb, bb, bv, x * bv, bv, g * g];
    let (found, _hold) = hessian(&mut cost, &[w, b, v], &run).unwrap();
    assert_close(&found, &expected, 1e-10, "second derivatives");
}

#[test]
fn edges_of_a_spectrum_are_found_with_their_residual() {
    for (values, seed) in [(vec![7.0, 6.9, 3.0, 1.0, 0.5, 0.1], 1), (vec![2.0, 2.0, -3.0, 0.0], 2), (vec![4.0], 3)] {
        let (mut bowl, vectors) = Bowl::turned(&values, seed);
        let at = drawn(values.len(), 7);
        let found = spectrum(&mut bowl, &at, (1e-9, 100), &Run::quiet(seed)).unwrap();
        assert!(found.converged, "{found:?}");
        let largest = values.iter().copied().fold(f64::MIN, f64::max);
        let smallest = values.iter().copied().fold(f64::MAX, f64::min);
        assert_close(&[found.largest.value, found.smallest.value], &[largest, smallest], 1e-9, "edges");
        if values[0] == 7.0 {
            let along: f64 = vectors[0].iter().zip(&found.largest.vector).map(|(a, b)| a * b).sum();
            assert!((along.abs() - 1.0).abs() < 1e-8, "{along}");
        }
    }
    // Cut short, the residual still bounds the distance to an eigenvalue, and the answer says it is not there yet.
    let values: Vec<f64> = (1..=40).map(f64::from).collect();
    let (mut bowl, _) = Bowl::turned(&values, 4);
    for steps in [2, 5, 10, 20] {
        let found = spectrum(&mut bowl, &[0.0; 40], (1e-9, steps), &Run::quiet(1)).unwrap();
        assert_eq!(found.steps, steps);
        for edge in [&found.largest, &found.smallest] {
            let near = values.iter().map(|v| (v - edge.value).abs()).fold(f64::MAX, f64::min);
            assert!(near <= edge.residual * (1.0 + 1e-6), "{near} {}", edge.residual);
        }
        assert!(!found.converged && found.largest.value < 40.0 && found.smallest.value > 1.0);
    }
    assert!(spectrum(&mut bowl, &[], (1e-9, 5), &Run::quiet(1)).is_err());
}

#[test]
fn the_spectrum_of_a_network_is_that_of_its_full_matrix() {
    let (mut network, inputs, targets) = fitted(4);
    let run = Run::quiet(1);
    let loss = half_squares(&targets);
    let at = network.parameters();
    let mut cost = NetworkCost::new(&mut network, &inputs, &loss, &run).unwrap();
    let (matrix, _hold) = hessian(&mut cost, &at, &run).unwrap();
    let all = numeric::eigen(&run, numeric::Mat::new(&matrix, 16, 16).unwrap()).unwrap().values;
    let found = spectrum(&mut cost, &at, (1e-8, 50), &run).unwrap();
    assert_close(&[found.largest.value], &[all[15]], 1e-8, "largest");
    assert!((found.smallest.value - all[0]).abs() < 1e-8 * all[15], "{} {}", found.smallest.value, all[0]);
}

#[test]
fn steps_are_smooth_oscillate_or_diverge_on_a_bowl() {
    let (mut bowl, vectors) = Bowl::turned(&[4.0, 1.0, 0.5], 5);
    let run = Run::quiet(1);
    let rho = spectrum(&mut bowl, &[0.0; 3], (1e-10, 10), &run).unwrap().largest.value;
    let minimum = bowl.m.clone();
    let start: Vec<f64> = minimum.iter().zip(drawn(3, 6)).map(|(m, d)| m + d).collect();
    for (share, regime) in [
        (0.3, Regime::Smooth),
        (0.97, Regime::Smooth),
        (1.05, Regime::Oscillating),
        (1.95, Regime::Oscillating),
        (2.05, Regime::Divergent),
        (3.0, Regime::Divergent),
    ] {
        let rate = share / rho;
        assert_eq!(Regime::expected(rate, rho).unwrap(), regime);
        let way = descend(&mut bowl, &start, (rate, 60), (&minimum, &vectors[0]), &run).unwrap();
        assert_eq!(Regime::seen(&way.offsets), Some(regime), "{share}");
        // The offsets are c (1 − ηρ)ᵗ.
        for t in [1, 2, 7] {
            let expected = way.offsets[0] * (1.0 - share).powi(t);
            assert!((way.offsets[t as usize] - expected).abs() < 1e-9 * way.offsets[0].abs(), "{share} {t}");
        }
        assert_eq!(way.costs[60] < way.costs[0], regime != Regime::Divergent);
        assert_eq!(way.costs[60], bowl.value(&way.point));
    }
    assert!(Regime::expected(0.1, -1.0).is_err() && Regime::expected(f64::NAN, 1.0).is_err());
    assert_eq!(Regime::expected(0.5, 4.0), Ok(Regime::Divergent), "at the bound it does not come closer");
    assert_eq!(Regime::expected(0.25, 4.0), Ok(Regime::Smooth), "in one step");
    // Without bound, until the numbers end.
    let way = descend(&mut bowl, &start, (1e9, 1000), (&minimum, &vectors[0]), &run).unwrap();
    assert!(way.costs.len() < 1000 && Regime::seen(&way.offsets) == Some(Regime::Divergent));
}

#[test]
fn steps_are_smooth_oscillate_or_diverge_at_the_minimum_of_a_network() {
    let (mut network, inputs, targets) = fitted(3);
    let run = Run::quiet(1);
    let loss = half_squares(&targets);
    let minimum = network.parameters();
    let mut cost = NetworkCost::new(&mut network, &inputs, &loss, &run).unwrap();
    let mut cost = |x: &[f64], g: &mut [f64]| decayed(&mut cost, x, g, DECAY);
    let edges = spectrum(&mut cost, &minimum, (1e-8, 30), &run).unwrap();
    assert!(edges.smallest.value > 0.0, "a minimum: {edges:?}");
    let (rho, u) = (edges.largest.value, &edges.largest.vector);
    // A small step away, so that the expansion holds.
    let start: Vec<f64> = minimum.iter().zip(u).map(|(m, u)| m + 1e-4 * u).collect();
    for (share, regime) in [(0.5, Regime::Smooth), (1.5, Regime::Oscillating), (2.1, Regime::Divergent)] {
        let way = descend(&mut cost, &start, (share / rho, 20), (&minimum, u), &run).unwrap();
        assert_eq!(Regime::seen(&way.offsets), Some(regime), "{share}: {:?}", way.offsets);
        assert!((way.offsets[1] - way.offsets[0] * (1.0 - share)).abs() < 1e-2 * way.offsets[0]);
    }
}

#[test]
fn what_is_seen_is_told_by_signs_and_sizes() {
    assert_eq!(Regime::seen(&[1.0, 0.5, 0.25]), Some(Regime::Smooth));
    assert_eq!(Regime::seen(&[1.0, -0.5, 0.25]), Some(Regime::Oscillating));
    assert_eq!(Regime::seen(&[1.0, -2.0, 4.0]), Some(Regime::Divergent));
    assert_eq!(Regime::seen(&[1.0, 2.0, f64::INFINITY]), Some(Regime::Divergent));
    assert_eq!(Regime::seen(&[1.0, 0.5]), None);
    assert_eq!(Regime::seen(&[1.0, 1e-12, -1e-13]), None, "rounding has no regime");
}

#[test]
fn damage_and_surgeon_agree_where_the_curvature_is_diagonal() {
    let n = 7;
    let curves = [3.0, 0.2, 5.0, 1.0, 0.01, 2.0, 0.7];
    let a: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| if i == j { curves[i] } else { 0.0 }).collect()).collect();
    let m = drawn(n, 11);
    let mut bowl = Bowl { a, m: m.clone() };
    let run = Run::quiet(1);
    let mut mask = Mask::all(n);
    mask.remove(3);
    let mut at = m.clone();
    at[3] = 0.0;
    let damage = saliencies(Saliency::Damage, &mut bowl, &at, (&mask, 0.0), &run).unwrap();
    let surgeon = saliencies(Saliency::Surgeon, &mut bowl, &at, (&mask, 0.0), &run).unwrap();
    let mut expected: Vec<(usize, f64)> =
        (0..n).filter(|k| *k != 3).map(|k| (k, 0.5 * curves[k] * m[k] * m[k])).collect();
    expected.sort_by(|a, b| a.1.total_cmp(&b.1));
    let order = |list: &[(usize, f64)]| list.iter().map(|(k, _)| *k).collect::<Vec<_>>();
    assert_eq!(order(&damage), order(&expected));
    assert_eq!(order(&surgeon), order(&expected));
    for list in [damage, surgeon] {
        let worth = |list: &[(usize, f64)]| list.iter().map(|(_, s)| *s).collect::<Vec<_>>();
        assert_close(&worth(&list), &worth(&expected), 1e-9, "saliencies");
    }
}

#[test]
fn the_surgeon_goes_to_the_least_cost_without_the_weights() {
    let (mut bowl, _) = Bowl::turned(&[6.0, 3.0, 1.0, 0.8, 0.1], 21);
    let run = Run::quiet(1);
    let at = bowl.m.clone();
    let mask = Mask::all(5);
    // One: the rise is the saliency. Of the damage only if the others do not care, which here they do.
    for (k, s) in saliencies(Saliency::Surgeon, &mut bowl, &at, (&mask, 0.0), &run).unwrap() {
        let moved = take_off(Saliency::Surgeon, &mut bowl, &at, (&mask, 0.0), &[k], &run).unwrap();
        assert_eq!(moved[k], 0.0);
        assert_close(&[bowl.value(&moved)], &[s], 1e-8, "rise");
        let plain = take_off(Saliency::Damage, &mut bowl, &at, (&mask, 0.0), &[k], &run).unwrap();
        assert!((0..5).all(|i| plain[i] == if i == k { 0.0 } else { at[i] }));
        assert!(bowl.value(&plain) > s * (1.0 + 1e-3), "adjusting pays");
        let damage = saliencies(Saliency::Damage, &mut bowl, &at, (&mask, 0.0), &run).unwrap();
        let own = damage.iter().find(|(i, _)| *i == k).unwrap().1;
        assert_close(&[bowl.value(&plain)], &[own], 1e-8, "the damage's rise");
    }
    // Several at once: the gradient of what remains is 0, as at a minimum, and one after the other comes to the same.
    let both = take_off(Saliency::Surgeon, &mut bowl, &at, (&mask, 0.0), &[1, 3], &run).unwrap();
    let mut gradient = vec![0.0; 5];
    bowl.value_and_gradient(&both, &mut gradient).unwrap();
    assert!([0, 2, 4].iter().all(|&i| gradient[i].abs() < 1e-8), "{gradient:?}");
    let first = take_off(Saliency::Surgeon, &mut bowl, &at, (&mask, 0.0), &[1], &run).unwrap();
    let mut less = mask.clone();
    less.remove(1);
    let second = take_off(Saliency::Surgeon, &mut bowl, &first, (&less, 0.0), &[3], &run).unwrap();
    assert_close(&second, &both, 1e-8, "one after the other");
    assert!(take_off(Saliency::Surgeon, &mut bowl, &first, (&less, 0.0), &[1], &run).is_err(), "gone already");
    // No minimum: the surgeon says so.
    let (mut saddle, _) = Bowl::turned(&[1.0, -1.0], 3);
    let refused = saliencies(Saliency::Surgeon, &mut saddle, &[1.0, 1.0], (&Mask::all(2), 1e-8), &run);
    assert!(refused.unwrap_err().to_string().contains("damping"));
}

#[test]
fn masks_hold_what_was_taken_off_at_zero() {
    let mut mask = Mask::all(4);
    mask.remove(2);
    mask.remove(99);
    assert_eq!((mask.count(), mask.places()), (3, vec![0, 1, 3]));
    assert!(mask.keeps(0) && !mask.keeps(2) && !mask.keeps(4));
    let mut values = [1.0, 2.0, 3.0, 4.0];
    mask.clear(&mut values);
    assert_eq!(values, [1.0, 2.0, 0.0, 4.0]);
    let mut network =
        Network::new(SoftCommittee { units: 1, columns: 2, ..Default::default() }.graph(Seed(1)).unwrap());
    mask.apply(&mut network).unwrap();
    assert_eq!(network.parameters()[2], 0.0);
    assert!(Mask::all(3).apply(&mut network).is_err());
}

/// A linear network on inputs of which only the first two matter.
fn linear() -> (Graph, [Tensor; 1], Vec<f64>) {
    let x = drawn(200 * 5, 31);
    let noise = drawn(200, 32);
    let targets = x.chunks(5).zip(&noise).map(|(x, n)| 2.0 * x[0] - x[1] + 0.1 * n).collect();
    let mut draft = Draft::default();
    let input = draft.input("x", Element::F64, vec![None, Some(5)]);
    let w = draft.trained("w", Tensor::f64([5, 1], vec![0.5; 5]).unwrap());
    let b = draft.trained("b", Tensor::f64([1], vec![0.0]).unwrap());
    let y = draft.node("y", Op::Dense { transposed: false }, &[input, w, b]);
    (draft.named("y", y).unwrap(), [Tensor::f64([200, 5], x).unwrap()], targets)
}

#[test]
fn pruning_takes_off_what_does_not_matter_and_stops_at_its_limit() {
    let run = Run::quiet(1);
    for saliency in [Saliency::Damage, Saliency::Surgeon] {
        let (graph, inputs, targets) = linear();
        let loss = half_squares(&targets);
        let mut network = Network::new(graph);
        let mut trained = 0;
        let mut train = |network: &mut Network, mask: &Mask| {
            trained += 1;
            retrain(network, mask, (&inputs, &targets), 0.0);
            // A trainer that forgets: the mask is put on again.
            let mut values = network.parameters();
            (0..values.len()).filter(|&k| !mask.keeps(k)).for_each(|k| values[k] = 5.0);
            network.set_parameters(&values)
        };
        train(&mut network, &Mask::all(6)).unwrap();
        let settings = Pruning { saliency, limit: 0.02, ..Default::default() };
        let pruned = settings.prune(&mut network, (&inputs, &loss), &mut train, &run).unwrap();
        // Three do not matter; the fourth would cost ½ and is put back. The threshold is no candidate.
        assert_eq!(pruned.mask.places(), [0, 1, 5], "{saliency:?}");
        assert_eq!((pruned.rounds.len(), trained), (3, 5));
        let left = network.parameters();
        assert_eq!([left[2], left[3], left[4]], [0.0; 3]);
        assert!((left[0] - 2.0).abs() < 0.05 && (left[1] + 1.0).abs() < 0.05, "{left:?}");
        for round in &pruned.rounds {
            assert!(round.before <= round.after && round.retrained <= round.after + 1e-9, "{round:?}");
            if saliency == Saliency::Surgeon {
                // The cost is quadratic: adjusted weights are trained weights.
                assert!((round.after - round.before - round.foretold).abs() < 1e-9, "{round:?}");
                assert!((round.after - round.retrained).abs() < 1e-9, "{round:?}");
            }
        }
    }
}

#[test]
fn a_network_is_pruned_down_to_what_is_asked() {
    let (mut network, inputs, targets) = fitted(3);
    let run = Run::quiet(1);
    let loss = half_squares(&targets);
    let mut train = |network: &mut Network, mask: &Mask| {
        retrain(network, mask, (&inputs, &targets), DECAY);
        Ok(())
    };
    let settings = Pruning { remove: 2, least: 7, thresholds: true, ..Default::default() };
    let pruned = settings.prune(&mut network, (&inputs, &loss), &mut train, &run).unwrap();
    assert_eq!((pruned.mask.count(), pruned.rounds.len()), (7, 3), "2, 2 and the last 1");
    let zeros = network.parameters().iter().filter(|x| **x == 0.0).count();
    assert!(zeros >= 5, "{zeros}");
    let bad = |settings: Pruning, network: &mut Network| {
        settings.prune(network, (&inputs, &loss), &mut |_, _| Ok(()), &run).is_err()
    };
    assert!(bad(Pruning { remove: 0, ..Default::default() }, &mut network));
    assert!(bad(Pruning { damping: f64::NAN, ..Default::default() }, &mut network));
}

#[test]
fn the_trainer_trains_what_is_left() {
    // Pruned with the trainer between the rounds, the linear network ends where least squares over two columns does.
    let (graph, inputs, targets) = linear();
    let run = Run::quiet(1);
    let values = Targets::Values(Values::new(targets.clone(), "y"));
    let data = Dataset::new(Points::dense(inputs[0].to_f64(), 200, 5).unwrap(), values);
    let settings =
        Training { optimizer: Optimizer::Lbfgs, batch: 0, epochs: 200, tolerance: 1e-9, ..Default::default() };
    let mut train_with = |network: &mut Network, mask: &Mask| {
        let graph = network.trained_graph()?;
        let examples = Examples::new(&graph, &data.features, &data, Ask::Values(vec![(0.0, 1.0)]))?;
        let masks = mask.tensors(network)?;
        let nothing = |_: Graph| Ok(Record::new("none", 1));
        let trained = train(graph, &examples, &settings, &masks, None, &nothing, &run)?;
        let left = Network::new(trained.graph).parameters();
        assert!((0..left.len()).all(|k| mask.keeps(k) || left[k] == 0.0), "{left:?}");
        network.set_parameters(&left)
    };
    let mut network = Network::new(graph);
    train_with(&mut network, &Mask::all(6)).unwrap();
    let loss = half_squares(&targets);
    let pruning = Pruning { limit: 0.02, ..Default::default() };
    let pruned = pruning.prune(&mut network, (&inputs, &loss), &mut train_with, &run).unwrap();
    assert_eq!(pruned.mask.places(), [0, 1, 5]);
    let mut other = Network::new(linear().0);
    pruned.mask.apply(&mut other).unwrap();
    retrain(&mut other, &pruned.mask, (&inputs, &targets), 0.0);
    assert_close(&network.parameters(), &other.parameters(), 1e-5, "what is left");
    assert!(Mask::all(3).tensors(&network).is_err());
}

#[test]
fn a_kink_is_no_curvature() {
    // Away from its kink a ReLU network is linear in each weight: second derivatives are those of the smooth piece.
    let committee = SoftCommittee { units: 1, hidden: Unary::Relu, ..Default::default() };
    let mut network = Network::new(committee.graph(Seed(1)).unwrap());
    let run = Run::quiet(1);
    let (inputs, targets) = ([Tensor::f64([1, 1], vec![2.0]).unwrap()], [0.5]);
    let loss = half_squares(&targets);
    let mut cost = NetworkCost::new(&mut network, &inputs, &loss, &run).unwrap();
    // E = ½ (v (2w + b) − ½)² at w = 1, b = 0, v = 1: m = 1.5.
    let (found, _hold) = hessian(&mut cost, &[1.0, 0.0, 1.0], &run).unwrap();
    assert_close(&found, &[4.0, 2.0, 7.0, 2.0, 1.0, 3.5, 7.0, 3.5, 4.0], 1e-10, "second derivatives");
}
