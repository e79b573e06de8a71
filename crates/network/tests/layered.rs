//! Layered networks of any depth, width and activation, beside the formula written out over one vector of parameters.
#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use base::graph::{Draft, Element, Op, Tensor};
use base::{Run, Seed, normal};
use pellucid_network::Network;
use pellucid_network::layers::{Activation, Unit};
use testkit::assert_close;

/// An activation by its formula.
type Function = (Activation, fn(f64) -> f64);

const FUNCTIONS: [Function; 6] = [
    (Activation::Identity, |x| x),
    (Activation::Logistic, |x| 1.0 / (1.0 + (-x).exp())),
    (Activation::Tanh, f64::tanh),
    (Activation::Relu, |x| x.max(0.0)),
    (Activation::Softplus, |x| (1.0 + x.exp()).ln()),
    (Activation::Elu, |x| if x < 0.0 { x.exp() - 1.0 } else { x }),
];

/// S_k = g(Σ_j w_jk S_j + b_k), layer after layer, b being minus the threshold: weights and thresholds stand in the vector in
/// the order of the layers.
fn formula(sizes: &[usize], functions: &[Function], parameters: &[f64], x: &[f64]) -> Vec<f64> {
    let (mut s, mut left) = (x.to_vec(), parameters);
    for (pair, (_, g)) in sizes.windows(2).zip(functions) {
        let (w, rest) = left.split_at(pair[0] * pair[1]);
        let (b, rest) = rest.split_at(pair[1]);
        s = (0..pair[1]).map(|k| g((0..pair[0]).map(|j| w[j * pair[1] + k] * s[j]).sum::<f64>() + b[k])).collect();
        left = rest;
    }
    assert!(left.is_empty(), "parameters without a place");
    s
}

#[test]
fn networks_of_any_layers_are_their_formula_over_one_vector_of_parameters() {
    let (run, mut several) = (Run::quiet(1), 0);
    for seed in testkit::seeds(12).into_iter().map(Seed) {
        let pick =
            |what: &str, at: usize, most: usize| ((seed.fork(what).at(at).unit() * most as f64) as usize).min(most - 1);
        let layers = 1 + pick("layers", 0, 4);
        let sizes: Vec<usize> = (0..=layers).map(|l| 1 + pick("sizes", l, 5)).collect();
        let functions: Vec<Function> = (0..layers).map(|l| FUNCTIONS[pick("functions", l, FUNCTIONS.len())]).collect();
        let outputs = sizes[layers];
        several += usize::from(outputs > 1);

        let mut stream = seed.stream();
        let mut numbers = |count: usize| -> Vec<f64> { (0..count).map(|_| normal(&mut stream)).collect() };
        let (mut draft, mut first) = (Draft::default(), vec![]);
        let mut at = draft.input("x", Element::F64, vec![None, Some(sizes[0])]);
        for (l, pair) in sizes.windows(2).enumerate() {
            let (w, b) = (numbers(pair[0] * pair[1]), numbers(pair[1]));
            first.extend(w.iter().chain(&b).copied());
            let w = draft.trained(&format!("weights {l}"), Tensor::f64([pair[0], pair[1]], w).unwrap());
            let b = draft.trained(&format!("thresholds {l}"), Tensor::f64([pair[1]], b).unwrap());
            let field = draft.node(&format!("field {l}"), Op::Dense { transposed: false }, &[at, w, b]);
            at = Unit::from(functions[l].0).put(&mut draft, &format!("unit {l}"), Element::F64, field).unwrap();
        }
        let mut network = Network::new(draft.named("y", at).unwrap());
        assert_eq!(network.parameters(), first, "what the layers were made with");
        let x = numbers(7 * sizes[0]);
        for parameters in [first.clone(), numbers(first.len())] {
            network.set_parameters(&parameters).unwrap();
            assert_eq!(network.parameters(), parameters, "what went in comes out");
            let input = Tensor::f64([7, sizes[0]], x.clone()).unwrap();
            let found = network.run(&[input], &run).unwrap().remove(0).to_f64();
            let expected: Vec<f64> =
                x.chunks(sizes[0]).flat_map(|x| formula(&sizes, &functions, &parameters, x)).collect();
            assert_close(&found, &expected, 1e-10, &format!("{sizes:?}"));
        }
    }
    assert!(several > 0, "no network had several outputs");
}
