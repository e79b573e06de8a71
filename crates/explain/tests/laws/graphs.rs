//! The walk through a graph gives what the closed form gives; rules keep the accounts; a node without a rule is named.

use crate::{close, drawn, numbers, run};
use base::graph::{Binary, Draft, Op, Source, Tensor, Unary};
use base::{Features, Machine};
use kernels::functions::Student;
use kernels::{Decisions, Expansion, ExpansionParts, Kernel, outlierness_graph};
use network::Network;
use pellucid_explain::{Composite, LinearRule, PullRule, When, one_class, walk};

fn machine(kernel: Kernel) -> Expansion {
    let m = 25;
    Expansion::new(ExpansionParts {
        kernel,
        reading: Decisions::Outlier,
        inputs: Features::unnamed(6),
        names: [].into(),
        centres: drawn(m, 6, 11, 1.0),
        coefficients: vec![1.0 / m as f64; m],
        offsets: vec![-0.3],
        counts: vec![],
        rows: None,
        seen: vec![],
    })
    .unwrap()
}

#[test]
fn walking_back_equals_the_closed_form() {
    let mut kernels = vec![];
    for q in [1.0, 2.0, 4.0, 0.8] {
        kernels.push(Kernel::exponential(1.5, q));
        kernels.push(Kernel::new(Student { a: 1.0, gamma: 0.6, q }));
    }
    for kernel in kernels {
        let machine = machine(kernel.clone());
        let detector = (&machine as &dyn Machine).explainer(&run()).unwrap();
        for far in [0.5, 2.0, 1e4] {
            let points = drawn(9, 6, 12, far);
            let network = Network::new(outlierness_graph(&machine, &run()).unwrap());
            let tape = network.tape(&[Tensor::f64([9, 6], numbers(&points)).unwrap()], &run()).unwrap();
            let nodes = network.graph().nodes();
            let pool = nodes.iter().position(|n| n.name == "outlierness").unwrap();
            let start = (Source::Node(pool, 0), 0);
            let walked = walk(&network, &tape, start, Source::Input(0), &one_class(), &run()).unwrap();
            let closed = detector.explain("dtd", &points, 0, &run()).unwrap();
            let what = format!("{kernel:?}, {far} away");
            let (ours, expected) = (walked.relevance.to_f64(), numbers(&closed.values));
            for (a, b) in ours.chunks_exact(6).zip(expected.chunks_exact(6)) {
                close(a, b, 1e-9, &what);
            }
            for (a, b) in walked.balance.iter().zip(closed.balance.unwrap()) {
                assert!((a.score - b.score).abs() <= 1e-9 * b.score, "{what}");
                assert!((a.absorbed - b.absorbed).abs() <= 1e-9 * b.score, "{what}: {a:?} {b:?}");
                assert!(a.open() < 1e-9, "{what}: {a:?}");
            }
            // To the support points only: the walk ends at the distances.
            let distances = nodes.iter().position(|n| n.name == "h").unwrap();
            let walked = walk(&network, &tape, start, Source::Node(distances, 0), &one_class(), &run()).unwrap();
            let support = numbers(&detector.explain("support", &points, 0, &run()).unwrap().values);
            for (a, b) in walked.relevance.to_f64().chunks_exact(25).zip(support.chunks_exact(25)) {
                close(a, b, 1e-9, &what);
            }
        }
    }
}

#[test]
fn dense_layers_keep_their_accounts() {
    for transposed in [false, true] {
        let mut draft = Draft::rows(3);
        let shape: &[usize] = if transposed { &[2, 3] } else { &[3, 2] };
        let values = vec![1.0, -2.0, 0.5, 3.0, 1.5, -1.0];
        let w = draft.weight("w", shape, values).unwrap();
        let b = draft.weight("b", &[2], vec![0.5, -0.25]).unwrap();
        let y = draft.node("layer", Op::Dense { transposed }, &[Draft::INPUT, w, b]);
        let network = Network::new(draft.graph(y).unwrap());
        let x = vec![1.0, 2.0, -1.0, 0.0, 0.0, 0.0];
        let tape = network.tape(&[Tensor::f64([2, 3], x.clone()).unwrap()], &run()).unwrap();
        for (epsilon, word) in [(0.0, "z"), (0.1, "epsilon")] {
            let composite = Composite::default().with(When::Always, LinearRule::epsilon(epsilon));
            let walked = walk(&network, &tape, (y, 1), Source::Input(0), &composite, &run()).unwrap();
            assert_eq!(walked.taken, [("layer".to_string(), word)]);
            assert!(walked.balance.iter().all(|b| b.open() < 1e-12), "{:?}", walked.balance);
            let weight = |i: usize| if transposed { [3.0, 1.5, -1.0][i] } else { [-2.0, 3.0, -1.0][i] };
            if epsilon == 0.0 {
                // A linear score: what each input adds.
                let expected: Vec<f64> = (0..3).map(|i| x[i] * weight(i)).collect();
                close(&walked.relevance.to_f64()[..3], &expected, 1e-12, "dense");
                assert!((walked.balance[0].absorbed + 0.25).abs() < 1e-12);
            } else {
                assert!(walked.balance[0].lost != 0.0);
            }
        }
    }
}

#[test]
fn what_has_no_rule_is_named() {
    let mut draft = Draft::rows(2);
    let squashed = draft.node("squash", Op::Unary(Unary::Tanh), &[Draft::INPUT]);
    let one = draft.number("one", 1.0).unwrap();
    let y = draft.node("moved", Op::Binary(Binary::Add), &[squashed, one]);
    let network = Network::new(draft.graph(y).unwrap());
    let tape = network.tape(&[Tensor::f64([1, 2], vec![0.5, 1.0]).unwrap()], &run()).unwrap();
    let error = walk(&network, &tape, (y, 0), Source::Input(0), &one_class(), &run()).unwrap_err().to_string();
    assert!(error.contains("\"squash\" (unary)") && error.contains("add a rule"), "{error}");
    let passing = Composite::default().with(When::Named("moved".into()), PullRule).with(When::Always, PullRule);
    let error = walk(&network, &tape, (y, 2), Source::Input(0), &passing, &run()).unwrap_err().to_string();
    assert!(error.contains("below 2"), "{error}");
    // A rule for a node by its name comes before one for its kind.
    let named =
        Composite::default().with(When::Named("moved".into()), LinearRule::epsilon(0.0)).with(When::Always, PullRule);
    let error = walk(&network, &tape, (y, 0), Source::Input(0), &named, &run()).unwrap_err().to_string();
    assert!(error.contains("\"moved\""), "{error}");
}
