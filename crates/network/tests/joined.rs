//! Nodes that run in one go give what they give one by one, to the last bit.
#![allow(clippy::unwrap_used, reason = "tests may stop")]

use base::graph::*;
use base::{Run, Seed};
use pellucid_network::Network;

fn drawn(seed: u64, shape: &[usize]) -> Tensor {
    let values = (0..shape.iter().product()).map(|i| (2.0 * Seed(seed).at(i).unit() - 1.0) as f32).collect();
    Tensor::f32(shape, values).unwrap()
}

fn weight(name: &str, tensor: Tensor, trained: bool) -> Weight {
    Weight { name: name.into(), tensor, trained }
}

fn node(op: Op, inputs: &[Source]) -> Node {
    Node {
        name: format!("{} of {:?}", op.word(), inputs[0]),
        op,
        inputs: inputs.iter().map(|&s| Some(s)).collect(),
        outputs: 1,
    }
}

/// Pad, convolution, clip and ReLU, with what decides whether they join.
struct Case {
    pads: [i64; 8],
    fill: f32,
    groups: usize,
    stride: usize,
    trained_bounds: bool,
    /// Whether what lies between is looked at from outside too.
    seen: bool,
    relu: bool,
}

fn check(case: &Case) {
    let (x, w) = (drawn(1, &[2, 4, 9, 7]), drawn(2, &[8, 4 / case.groups, 3, 3]));
    let one = |v: f32| Tensor::f32([], vec![v]).unwrap();
    let weights = vec![
        weight("w", w, true),
        weight("b", drawn(3, &[8]), true),
        weight("pads", Tensor::i64([8], case.pads.to_vec()).unwrap(), false),
        weight("fill", one(case.fill), false),
        weight("low", one(-0.25), case.trained_bounds),
        weight("high", one(0.5), case.trained_bounds),
    ];
    let window = Window::new([3, 3]).pads([1, 0]).strides([case.stride, case.stride]);
    let after = match case.relu {
        true => node(Op::Unary(Unary::Relu), &[Source::Node(1, 0)]),
        false => node(Op::Clip, &[Source::Node(1, 0), Source::Weight(4), Source::Weight(5)]),
    };
    let nodes = vec![
        node(Op::Pad { filling: Filling::Constant }, &[Source::Input(0), Source::Weight(2), Source::Weight(3)]),
        node(Op::Conv { window, groups: case.groups }, &[Source::Node(0, 0), Source::Weight(0), Source::Weight(1)]),
        after,
        node(Op::Unary(Unary::Neg), &[Source::Node(2, 0)]),
    ];
    let mut outputs = vec![("y".to_string(), Source::Node(3, 0))];
    if case.seen {
        outputs.extend([("pad".to_string(), Source::Node(0, 0)), ("conv".to_string(), Source::Node(1, 0))]);
    }
    let input = GraphInput { name: "x".into(), element: Element::F32, shape: vec![None, Some(4), None, None] };
    let mut network = Network::new(Graph::new(vec![input], weights, nodes, outputs).unwrap());
    // The second time with other weights: nothing of the first run is left.
    for round in 0..2 {
        for threads in [1, 2] {
            let run = Run { threads, ..Run::quiet(1) };
            let inputs = [x.clone()];
            let joined = network.run(&inputs, &run).unwrap();
            let tape = network.tape(&inputs, &run).unwrap();
            let single = tape.outputs().unwrap();
            for (a, b) in joined.iter().zip(single) {
                assert_eq!(a.shape(), b.shape());
                let bits = |t: &Tensor| t.to_f64().iter().map(|v| v.to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(a), bits(b), "pads {:?}, groups {}, round {round}", case.pads, case.groups);
            }
            assert!(joined[0].to_f64().iter().any(|&v| v != joined[0].to_f64()[0]), "something was computed");
        }
        network.set_weight(0, drawn(7, &[8, 4 / case.groups, 3, 3])).unwrap();
        if case.trained_bounds {
            network.set_weight(4, one(-0.125)).unwrap();
        }
    }
}

#[test]
fn a_run_gives_the_same_bits_as_a_tape() {
    let plain = Case {
        pads: [0, 0, 1, 2, 0, 0, 0, 1],
        fill: 0.0,
        groups: 1,
        stride: 1,
        trained_bounds: false,
        seen: false,
        relu: false,
    };
    for groups in [1, 2, 4] {
        for stride in [1, 2] {
            for relu in [false, true] {
                check(&Case { groups, stride, relu, ..plain });
            }
        }
    }
    // What must stay apart: other numbers around, a part cut off, bounds that change, onlookers.
    check(&Case { fill: 1.0, ..plain });
    check(&Case { pads: [0, 0, -1, 2, 0, 0, 0, 1], ..plain });
    check(&Case { trained_bounds: true, ..plain });
    check(&Case { seen: true, ..plain });
}
