//! What must hold for every network: conservation, completeness, the same for any batch, thread, rewriting.

use crate::definitions::Twin;
use crate::drawn::{Draw, Net, all};
use crate::{close, run};
use base::Run;
use base::graph::*;
use network::{Network, rewrite};
use pellucid_explain::composites::{Stabilisers, everywhere, gradients, layered};
use pellucid_explain::{
    BatchNormRule, BatchNormWay, Begin, Class, Composite, Given, Group, LinearRule, PullRule, RectifyRule, Side, Spot,
    Term, Walk, Walker, WeightPart, When, walk,
};

fn input(shape: &[usize], rows: usize, seed: u64) -> Tensor {
    let full: Vec<usize> = [rows].iter().chain(shape).copied().collect();
    Draw::new(seed).tensor(&full, 1.0)
}

fn walked(graph: &Graph, x: &Tensor, composite: &Composite, begin: Begin, run: &Run<'_>) -> Walk {
    let network = Network::new(graph.clone());
    let start = graph.outputs()[0].1;
    let walker = Walker::new(&network, start, &[Source::Input(0)], composite).unwrap();
    let tape = network.tape(std::slice::from_ref(x), run).unwrap();
    let columns: Vec<usize> = (0..x.shape()[0]).map(|i| i % 3).collect();
    walker.walk(&tape, &columns, begin, run).unwrap()
}

fn composites() -> Vec<(String, Composite, Begin)> {
    let mut list: Vec<(String, Composite, Begin)> = Twin::all()
        .into_iter()
        .map(|t| (format!("{t:?}"), everywhere(t.rule(), Stabilisers::default()), Begin::Score))
        .collect();
    list.push(("gradient".into(), gradients(None), Begin::One));
    for guided in [false, true] {
        list.push((format!("guided {guided}"), gradients(Some(RectifyRule { guided })), Begin::One));
    }
    list
}

#[test]
fn the_z_rule_is_input_times_gradient_on_rectified_networks() {
    for (word, graph, shape) in all(5) {
        if word == "average pooled" {
            continue; // Averages of zeros: 0/0.
        }
        let x = input(&shape, 3, 6);
        let z = walked(
            &graph,
            &x,
            &everywhere(LinearRule::epsilon(0.0), Stabilisers { stabiliser: 0.0, ..Stabilisers::default() }),
            Begin::Score,
            &run(),
        );
        let slope = walked(&graph, &x, &gradients(None), Begin::One, &run());
        let product: Vec<f64> = slope.relevance.to_f64().iter().zip(x.to_f64()).map(|(g, x)| g * x).collect();
        close(&z.relevance.to_f64(), &product, 1e-9, word);
        // With biases it does not sum to the score: they absorb the rest, and the accounts say so.
        assert!(z.balance.iter().all(|b| b.open() < 1e-9 && b.absorbed.abs() > 1e-6), "{word}: {:?}", z.balance);
    }
}

#[test]
fn relevance_is_conserved_where_nothing_absorbs_it() {
    // Without biases and with a vanishing stabiliser all of the score arrives.
    for (word, graph, shape) in all(9) {
        let (inputs, mut weights, nodes, outputs) = graph.into_parts();
        weights.iter_mut().filter(|w| w.tensor.shape().len() == 1).for_each(|w| {
            w.tensor = Tensor::f64(w.tensor.shape(), vec![0.0; w.tensor.numbers().len()]).unwrap();
        });
        let graph = Graph::new(inputs, weights, nodes, outputs).unwrap();
        let x = input(&shape, 4, 8);
        let basis = Stabilisers { stabiliser: 1e-12, ..Stabilisers::default() };
        for (name, rule) in [
            ("epsilon", LinearRule::epsilon(1e-12)),
            ("gamma", LinearRule::gamma(0.25, 1e-12)),
            ("w-square", LinearRule::w_square(false, 1e-12)),
            ("flat", LinearRule::flat(1e-12)),
        ] {
            // Averages of zeros have nobody to give to what rules that look at no input sent there.
            if word == "average pooled" && ["w-square", "flat"].contains(&name) {
                continue;
            }
            let found = walked(&graph, &x, &everywhere(rule, basis), Begin::Score, &run());
            for b in &found.balance {
                assert!((b.sum - b.score).abs() < 1e-6 * b.score.abs().max(1.0), "{word}, {name}: {b:?}");
            }
        }
    }
}

#[test]
fn accounts_are_kept_layer_by_layer() {
    for (word, graph, shape) in all(2) {
        let found = walked(
            &graph,
            &input(&shape, 2, 3),
            &everywhere(LinearRule::epsilon(0.1), Stabilisers::default()),
            Begin::Score,
            &run(),
        );
        assert_eq!(found.kept.len(), found.taken.len());
        let absorbed: f64 = found.kept.iter().flat_map(|(a, _)| a).sum();
        let expected: f64 = found.balance.iter().map(|b| b.absorbed).sum();
        assert!((absorbed - expected).abs() < 1e-12 && absorbed != 0.0, "{word}");
    }
}

#[test]
fn batches_threads_and_precision_change_nothing() {
    for (word, graph, shape) in all(11) {
        let x = input(&shape, 5, 12);
        for (name, composite, begin) in composites() {
            let what = format!("{word}, {name}");
            let whole = walked(&graph, &x, &composite, begin, &run()).relevance.to_f64();
            let alone = walked(&graph, &x, &composite, begin, &Run { threads: 1, ..Run::quiet(1) }).relevance.to_f64();
            assert_eq!(whole, alone, "{what}: threads");
            let each = whole.len() / 5;
            let network = Network::new(graph.clone());
            let walker = Walker::new(&network, graph.outputs()[0].1, &[Source::Input(0)], &composite).unwrap();
            for i in 0..5 {
                let full: Vec<usize> = [1].iter().chain(&shape).copied().collect();
                let row = Tensor::f64(full, x.to_f64()[i * each..(i + 1) * each].to_vec()).unwrap();
                let tape = network.tape(&[row], &run()).unwrap();
                let one = walker.walk(&tape, &[i % 3], begin, &run()).unwrap().relevance.to_f64();
                // Products of one row may add in another order than those of several.
                close(&one, &whole[i * each..(i + 1) * each], 1e-12, &format!("{what}: row {i} alone"));
            }
            let single = rewrite::in_precision(&graph, Element::F32).unwrap();
            let narrow = Tensor::f32(x.shape(), x.to_f64().iter().map(|v| *v as f32).collect()).unwrap();
            let found = walked(&single, &narrow, &composite, begin, &run());
            assert_eq!(found.relevance.element(), Element::F32);
            if !name.contains("Epsilon(0.0)") && !name.starts_with("guided") {
                close(&found.relevance.to_f64(), &whole, 5e-3, &format!("{what}: single precision"));
            }
        }
    }
}

#[test]
fn rewriting_changes_nothing() {
    for (word, graph, shape) in all(21) {
        // Idle nodes and computed weights between everything.
        let (inputs, weights, mut nodes, outputs) = graph.clone().into_parts();
        let count = nodes.len();
        let mut extra = vec![];
        for (i, node) in nodes.iter_mut().enumerate() {
            if let Some(Some(source @ Source::Weight(_))) = node.inputs.get(1).copied() {
                extra.push((source, i));
            }
        }
        let mut list: Vec<Node> = vec![];
        let mut moved: Vec<usize> = vec![];
        for (i, mut node) in nodes.into_iter().enumerate() {
            for source in node.inputs.iter_mut().flatten() {
                if let Source::Node(j, port) = *source {
                    *source = Source::Node(moved[j], port);
                }
            }
            if let Some((source, _)) = extra.iter().find(|(_, at)| *at == i) {
                let inputs = vec![Some(*source)];
                list.push(Node { name: format!("twice {i}"), op: Op::Unary(Unary::Neg), inputs, outputs: 1 });
                let inputs = vec![Some(Source::Node(list.len() - 1, 0))];
                list.push(Node { name: format!("back {i}"), op: Op::Unary(Unary::Neg), inputs, outputs: 1 });
                node.inputs[1] = Some(Source::Node(list.len() - 1, 0));
            }
            list.push(node);
            let own = Source::Node(list.len() - 1, 0);
            list.push(Node {
                name: format!("idle {i}"),
                op: Op::Dropout { rate: 0.5 },
                inputs: vec![Some(own)],
                outputs: 1,
            });
            moved.push(list.len() - 1);
        }
        let outputs = outputs.into_iter().map(|(n, _)| (n, Source::Node(moved[count - 1], 0))).collect();
        let wordy = Graph::new(inputs, weights, list, outputs).unwrap();
        let x = input(&shape, 3, 22);
        for (name, composite, begin) in composites() {
            let plain = walked(&graph, &x, &composite, begin, &run()).relevance.to_f64();
            let same = walked(&wordy, &x, &composite, begin, &run()).relevance.to_f64();
            close(&same, &plain, 1e-12, &format!("{word}, {name}: as written"));
            let tidy = rewrite::canonical(&wordy, &run()).unwrap();
            let same = walked(&tidy, &x, &composite, begin, &run()).relevance.to_f64();
            close(&same, &plain, 1e-12, &format!("{word}, {name}: rewritten"));
        }
    }
}

#[test]
fn a_layer_used_twice_gets_relevance_twice() {
    let (mut n, x) = Net::new(&[4], 3);
    let w = n.draft.weight("w", &[4, 4], n.draw.tensor(&[4, 4], 0.7).to_f64()).unwrap();
    let first = n.node(Op::Dense { transposed: false }, &[x, w]);
    let first = n.relu(first);
    let second = n.node(Op::Dense { transposed: false }, &[first, w]);
    let both = n.node(Op::Binary(Binary::Add), &[first, second]);
    let graph = n.draft.graph(both).unwrap();
    let x = input(&[4], 2, 4);
    let basis = Stabilisers { stabiliser: 0.0, ..Stabilisers::default() };
    let found = walked(&graph, &x, &everywhere(LinearRule::epsilon(0.0), basis), Begin::Score, &run());
    let slope = walked(&graph, &x, &gradients(None), Begin::One, &run());
    let product: Vec<f64> = slope.relevance.to_f64().iter().zip(x.to_f64()).map(|(g, x)| g * x).collect();
    close(&found.relevance.to_f64(), &product, 1e-9, "reused");
    assert!(found.balance.iter().all(|b| b.open() < 1e-9));
}

#[test]
fn several_inputs_share_the_score() {
    let mut draft = Draft::default();
    let a = draft.input("a", Element::F64, vec![None, Some(2)]);
    let b = draft.input("b", Element::F64, vec![None, Some(3)]);
    let both = draft.node("both", Op::Concat { axis: 1 }, &[a, b]);
    let w = draft.weight("w", &[5, 1], vec![1.0, -2.0, 0.5, 3.0, 1.0]).unwrap();
    let y = draft.node("sum", Op::Dense { transposed: false }, &[both, w]);
    let network = Network::new(draft.graph(y).unwrap());
    let (x, z) = (Tensor::f64([1, 2], vec![1.0, 2.0]).unwrap(), Tensor::f64([1, 3], vec![3.0, 4.0, 5.0]).unwrap());
    let tape = network.tape(&[x, z], &run()).unwrap();
    let composite = everywhere(LinearRule::epsilon(0.0), Stabilisers::default());
    let walker = Walker::new(&network, y, &[a, b], &composite).unwrap();
    let found = walker.walk(&tape, &[0], Begin::Score, &run()).unwrap();
    assert_eq!(found.ends[0].to_f64(), [1.0, -4.0]);
    assert_eq!(found.ends[1].to_f64(), [1.5, 12.0, 5.0]);
    assert_eq!((found.balance[0].sum, found.balance[0].score), (15.5, 15.5));
}

#[test]
fn gates_give_all_to_the_signal_and_products_share_evenly() {
    let (mut n, x) = Net::new(&[3], 8);
    let gate = n.node(Op::Unary(Unary::Sigmoid), &[x]);
    let y = n.node(Op::Binary(Binary::Mul), &[gate, x]);
    let graph = n.draft.graph(y).unwrap();
    let x = input(&[3], 2, 9);
    let composite = everywhere(LinearRule::epsilon(0.0), Stabilisers { stabiliser: 0.0, ..Stabilisers::default() });
    let found = walked(&graph, &x, &composite, Begin::Score, &run());
    assert!(found.balance.iter().all(|b| (b.sum - b.score).abs() < 1e-12), "{:?}", found.balance);
    let (mut n, x) = Net::new(&[3], 8);
    let y = n.node(Op::Binary(Binary::Mul), &[x, x]);
    let graph = n.draft.graph(y).unwrap();
    let found = walked(&graph, &input(&[3], 2, 9), &composite, Begin::Score, &run());
    assert!(found.balance.iter().all(|b| (b.sum - b.score).abs() < 1e-12), "{:?}", found.balance);
}

#[test]
fn conditions_look_at_position_field_and_name() {
    let (_, graph, _) = all(1).swap_remove(2);
    let network = Network::new(graph.clone());
    let start = graph.outputs()[0].1;
    let flat = || LinearRule::flat(1e-6);
    let rules = |composite: Composite| {
        let all = composite.then(everywhere(LinearRule::epsilon(0.1), Stabilisers::default()));
        let walker = Walker::new(&network, start, &[Source::Input(0)], &all).unwrap();
        let list: Vec<&str> =
            walker.plan().into_iter().filter(|(_, r)| ["flat", "epsilon"].contains(r)).map(|(_, r)| r).collect();
        list.join(" ")
    };
    assert_eq!(rules(Composite::default()), "epsilon epsilon epsilon");
    assert_eq!(rules(Composite::default().with(When::First, flat())), "flat epsilon epsilon");
    assert_eq!(rules(Composite::default().with(When::Last, flat())), "epsilon epsilon flat");
    assert_eq!(
        rules(Composite::default().with(When::All(vec![When::FieldUpTo(3), When::Class(Class::Convolution)]), flat())),
        "flat epsilon epsilon"
    );
    assert_eq!(
        rules(Composite::default().with(When::All(vec![When::FieldUpTo(8), When::Class(Class::Convolution)]), flat())),
        "flat flat epsilon"
    );
    let name = graph.nodes().iter().filter(|n| n.op.word() == "conv").nth(1).unwrap().name.clone();
    assert_eq!(rules(Composite::default().with(When::Named(name), flat())), "epsilon flat epsilon");
    let both = layered(LinearRule::epsilon(0.1), flat(), Stabilisers::default());
    assert_eq!(rules(both), "flat flat epsilon");
    assert!(
        Walker::new(&network, start, &[Source::Input(0)], &Composite::default().with(When::First, PullRule)).is_err()
    );
}

/// Whether what a layer with weights gives goes straight into a rectifier: a question to the whole graph.
fn is_rectified(spot: &Spot<'_>) -> bool {
    let own = Some(Source::Node(spot.place, 0));
    let weighted = matches!(spot.node.op, Op::Dense { .. } | Op::Conv { .. });
    weighted && spot.graph.nodes().iter().any(|n| n.op == Op::Unary(Unary::Relu) && n.inputs.contains(&own))
}

#[test]
fn conditions_look_at_the_whole_graph_and_gradients_are_taken_where_no_rule_is() {
    for seed in testkit::seeds(4) {
        for (word, graph, shape) in all(seed) {
            let (network, start) = (Network::new(graph.clone()), graph.outputs()[0].1);
            let rules = |own: When| Composite::default().with(own, LinearRule::flat(1e-6)).with(When::Always, PullRule);
            let composite = rules(When::Spot(is_rectified));
            let walker = Walker::new(&network, start, &[Source::Input(0)], &composite).unwrap();
            // By the other end of each edge: what a rectifier takes from a layer with weights.
            let mut rectified = vec![false; graph.nodes().len()];
            for node in graph.nodes().iter().filter(|n| n.op == Op::Unary(Unary::Relu)) {
                if let Some(Source::Node(i, _)) = node.inputs[0] {
                    rectified[i] = ["dense", "conv"].contains(&graph.nodes()[i].op.word());
                }
            }
            let name = |flat: bool| if flat { "flat" } else { "gradient" };
            let nodes = graph.nodes().iter().zip(&rectified);
            let expected: Vec<(&str, &str)> = nodes.map(|(n, flat)| (n.name.as_str(), name(*flat))).collect();
            assert_eq!(walker.plan(), expected, "{word}, seed {seed}");
            assert!(rectified.contains(&true) && rectified.contains(&false), "{word}");
            // Without any rule of its own a walk is the gradient.
            let x = input(&shape, 3, seed + 1);
            let none = walked(&graph, &x, &rules(When::Spot(|_| false)), Begin::One, &run());
            let tape = network.tape(std::slice::from_ref(&x), &run()).unwrap();
            let ones = (0..9).map(|i| f64::from(u8::from(i / 3 == i % 3))).collect();
            let seeds = [(start, Tensor::f64([3, 3], ones).unwrap())];
            let slope = tape.pull(&seeds, &[Source::Input(0)], &run()).unwrap().remove(0).unwrap();
            close(&none.relevance.to_f64(), &slope.to_f64(), 1e-12, word);
        }
    }
}

/// The four ways of the literature through one normalisation, by their formulas.
#[test]
fn batch_normalisation_four_ways() {
    let mut draft = Draft::rows(4);
    let numbers =
        [vec![1.5, -0.5, 0.8, -1.2], vec![0.3, 0.4, -0.6, -0.2], vec![0.1, -0.3, 0.5, 0.2], vec![0.5, 1.5, 0.9, 2.0]];
    let names = ["scale", "bias", "mean", "variance"];
    let weights: Vec<Source> =
        names.iter().zip(&numbers).map(|(n, v)| draft.weight(n, &[4], v.clone()).unwrap()).collect();
    let inputs: Vec<Source> = std::iter::once(Draft::INPUT).chain(weights).collect();
    let y = draft.node("norm", Op::BatchNorm { epsilon: 0.01 }, &inputs);
    let network = Network::new(draft.graph(y).unwrap());
    let x = [0.7, -0.9, 1.3, 0.4];
    let tape = network.tape(&[Tensor::f64([1, 4], x.to_vec()).unwrap()], &run()).unwrap();
    for (way, word) in [
        (BatchNormWay::One, "norm-one"),
        (BatchNormWay::Two, "norm-two"),
        (BatchNormWay::Star, "norm-star"),
        (BatchNormWay::Pass, "pass"),
    ] {
        for c in 0..4 {
            let [scale, bias, mean, variance] = [0, 1, 2, 3].map(|k: usize| numbers[k][c]);
            let deviation = (variance + 0.01f64).sqrt();
            let (w, x) = (scale / deviation, x[c]);
            let (b, score) = (bias - mean * w, scale * (x - mean) / deviation + bias);
            let part = |x: f64, w: f64, b: f64| if x * w + b == 0.0 { 0.0 } else { x * w / (x * w + b) };
            let share = match way {
                BatchNormWay::One => w * x / score,
                BatchNormWay::Two => scale * ((x - mean) / deviation) / score * (x / (x - mean)),
                BatchNormWay::Star => {
                    2.0 * part(x.max(0.0), w.max(0.0), b.max(0.0)) - part(x.max(0.0), w.min(0.0), b.min(0.0))
                }
                _ => 1.0,
            };
            let composite = Composite::default().with(When::Always, BatchNormRule { way, epsilon: 0.0 });
            let found = walk(&network, &tape, (y, c), Source::Input(0), &composite, &run()).unwrap();
            let mut expected = vec![0.0; 4];
            expected[c] = share * score;
            close(&found.relevance.to_f64(), &expected, 1e-12, word);
            assert!(found.balance[0].open() < 1e-12, "{word}: {:?}", found.balance);
            assert_eq!(found.taken[0].1, word);
        }
    }
}

/// Groups of one's own: the epsilon rule written down as one.
#[test]
fn rules_can_be_put_together() {
    let terms = vec![Term { given: Given::Inputs(WeightPart::Same), weights: WeightPart::Same, negated: false }];
    let group = Group { share: 1.0, side: Side::Both, terms, bias: Some(WeightPart::Same) };
    let own = || LinearRule::new("own", vec![group.clone()], 0.1);
    for (word, graph, shape) in all(4) {
        let x = input(&shape, 2, 5);
        let [a, b] = [own(), LinearRule::epsilon(0.1)]
            .map(|rule| walked(&graph, &x, &everywhere(rule, Stabilisers::default()), Begin::Score, &run()));
        assert_eq!(a.relevance, b.relevance, "{word}");
    }
    // A group without anything in it loses its share, and the accounts say so.
    let empty = Group { share: 1.0, side: Side::Both, terms: vec![], bias: None };
    let (_, graph, shape) = all(4).swap_remove(0);
    let composite = everywhere(LinearRule::new("nothing", vec![empty], 0.0), Stabilisers::default());
    let found = walked(&graph, &input(&shape, 2, 5), &composite, Begin::Score, &run());
    assert!(found.balance.iter().all(|b| b.open() < 1e-12 && b.sum == 0.0 && b.lost == b.score), "{:?}", found.balance);
}

#[test]
fn nothing_goes_back_through_sizes() {
    // As exporters write it: flattened to the number of rows that the input has, which only the run knows.
    let build = |dynamic: bool| {
        let (mut n, x) = Net::new(&[2, 4, 4], 9);
        let mut y = n.conv(x, (2, 3), 3, 1, 1);
        y = n.relu(y);
        y = match dynamic {
            true => {
                let sizes = n.node(Op::Shape { start: 0, end: Some(1) }, &[y]);
                let rest = n.draft.wholes("rest", &[1], vec![48]).unwrap();
                let shape = n.node(Op::Concat { axis: 0 }, &[sizes, rest]);
                n.node(Op::Reshape { zero: false }, &[y, shape])
            }
            false => n.flat(y),
        };
        y = n.dense(y, 48, 3);
        n.draft.graph(y).unwrap()
    };
    let x = input(&[2, 4, 4], 3, 10);
    for (word, composite, begin) in composites() {
        let [a, b] = [true, false].map(|dynamic| walked(&build(dynamic), &x, &composite, begin, &run()));
        close(&a.relevance.to_f64(), &b.relevance.to_f64(), 1e-12, &word);
    }
}
