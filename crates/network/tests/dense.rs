//! Gradients of a small network against finite differences.
#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use base::graph::*;
use base::{Run, Seed};
use pellucid_network::Network;

fn weight(name: &str, shape: &[usize], seed: u64) -> Weight {
    let count = shape.iter().product();
    let values = (0..count).map(|i| Seed(seed).at(i).unit() - 0.5).collect();
    Weight { name: name.into(), tensor: Tensor::f64(shape, values).unwrap(), trained: true }
}

#[test]
fn two_layers_have_the_slopes_of_differences() {
    let input = GraphInput { name: "x".into(), element: Element::F64, shape: vec![None, Some(3)] };
    let dense = |name: &str, x: Source, w: usize, transposed: bool| Node {
        name: name.into(),
        op: Op::Dense { transposed },
        inputs: vec![Some(x), Some(Source::Weight(w)), Some(Source::Weight(w + 1))],
        outputs: 1,
    };
    let tanh =
        Node { name: "t".into(), op: Op::Unary(Unary::Tanh), inputs: vec![Some(Source::Node(0, 0))], outputs: 1 };
    let nodes = vec![dense("a", Source::Input(0), 0, true), tanh, dense("b", Source::Node(1, 0), 2, false)];
    let weights = vec![weight("w", &[4, 3], 1), weight("c", &[4], 2), weight("v", &[4, 2], 3), weight("d", &[2], 4)];
    let graph = Graph::new(vec![input], weights, nodes, vec![("y".into(), Source::Node(2, 0))]).unwrap();
    let run = Run::quiet(1);
    let x: Vec<f64> = (0..6).map(|i| Seed(9).at(i).unit() - 0.5).collect();
    let g: Vec<f64> = (0..4).map(|i| Seed(8).at(i).unit() - 0.5).collect();
    let sources = [Source::Input(0), Source::Weight(0), Source::Weight(1), Source::Weight(2), Source::Weight(3)];
    let network = Network::new(graph.clone());
    let input = Tensor::f64([2, 3], x.clone()).unwrap();
    let tape = network.tape(std::slice::from_ref(&input), &run).unwrap();
    let pulled = tape.pull(&[(Source::Node(2, 0), Tensor::f64([2, 2], g.clone()).unwrap())], &sources, &run).unwrap();
    for (source, claimed) in sources.iter().zip(pulled) {
        let at = match source {
            Source::Weight(i) => graph.weights()[*i].tensor.clone(),
            _ => input.clone(),
        };
        let f = |values: &[f64]| {
            let moved = Tensor::f64(at.shape(), values.to_vec()).unwrap();
            let (network, input) = match source {
                Source::Weight(i) => (Network::new(graph.clone().with_weight(*i, moved).unwrap()), input.clone()),
                _ => (Network::new(graph.clone()), moved),
            };
            let y = network.run(&[input], &run).unwrap().remove(0).to_f64();
            y.iter().zip(&g).map(|(y, g)| y * g).sum()
        };
        testkit::check_slope(f, &claimed.unwrap().to_f64(), &at.to_f64());
    }
}
