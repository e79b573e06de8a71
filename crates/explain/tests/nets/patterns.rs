//! Signal and distractor: the pattern finds the signal, the gradient does not.

use crate::{close, numbers, run};
use base::graph::{Draft, Op, Source, Tensor, Unary};
use base::{Features, Inputs, Outputs, Points, Seed, normal};
use network::NetworkMachine;
use pellucid_explain::{Context, Method, Patterns, Question, explain_with, walk};

/// x = a_s y + a_d ε with a_s = (1, 0), a_d = (1, 1); w = (1, −1) reads y out exactly.
fn toy(rows: usize, middle: f64) -> Points {
    let mut stream = Seed(4).stream();
    let mut values = vec![];
    for i in 0..rows {
        let (y, noise) = (2.0 * Seed(5).at(i).unit() - 1.0, middle + normal(&mut stream));
        values.extend([y + noise, noise]);
    }
    Points::dense(values, rows, 2).unwrap()
}

fn told(machine: &NetworkMachine, method: Method, data: &Points, row: usize) -> Vec<f64> {
    let background = Inputs::Points(data.clone());
    let context = Context { background: Some(&background), ..Context::default() };
    let question = Question { method: Some(method), output: Some(0) };
    let inputs = Inputs::Points(data.select(&[row]).unwrap());
    numbers(&explain_with(machine, &inputs, question, &context, &run()).unwrap().direct.values)
}

#[test]
fn patterns_recover_the_signal_and_the_gradient_does_not() {
    let mut draft = Draft::rows(2);
    let w = draft.weight("w", &[2, 1], vec![1.0, -1.0]).unwrap();
    let y = draft.node("read", Op::Dense { transposed: false }, &[Draft::INPUT, w]);
    let outputs = Outputs::values(["y".to_string()].to_vec().into());
    let machine = NetworkMachine::new(draft.graph(y).unwrap(), Features::unnamed(2), outputs).unwrap();
    let data = toy(2000, 0.3);
    let signal = numbers(&data.select(&[3]).unwrap());
    let score = signal[0] - signal[1];
    close(&told(&machine, Method::Gradient, &data, 3), &[1.0, -1.0], 1e-12, "the gradient is w");
    // The signal a_s y, up to what 2000 rows can tell.
    close(&told(&machine, Method::PatternNet, &data, 3), &[score, 0.0], 0.1, "the pattern is a_s");
    let attribution = told(&machine, Method::PatternAttribution, &data, 3);
    close(&attribution, &[score, 0.0], 0.1, "attribution is w a y");
    // wᵀa = 1: what is attributed sums to the score.
    assert!((attribution.iter().sum::<f64>() - score).abs() < 1e-9 * score.abs());
}

/// What linear networks tell of signal and distractor falls into three kinds: the function (weights, where the distractor
/// shows), the signal (what is read out, where it does not), and what each input adds (both).
#[test]
fn methods_tell_of_the_function_the_signal_or_what_inputs_add() {
    let mut draft = Draft::rows(2);
    let w = draft.weight("w", &[2, 1], vec![1.0, -1.0]).unwrap();
    let y = draft.node("read", Op::Dense { transposed: false }, &[Draft::INPUT, w]);
    let outputs = Outputs::values(["y".to_string()].to_vec().into());
    let machine = NetworkMachine::new(draft.graph(y).unwrap(), Features::unnamed(2), outputs).unwrap();
    let data = toy(2000, 0.3);
    let x = numbers(&data.select(&[3]).unwrap());
    let score = x[0] - x[1];
    for method in [Method::Gradient, Method::SmoothGrad, Method::DeconvNet, Method::GuidedBackprop] {
        close(&told(&machine, method, &data, 3), &[1.0, -1.0], 1e-9, method.word());
    }
    close(&told(&machine, Method::PatternNet, &data, 3), &[score, 0.0], 0.1, "the signal");
    for method in [Method::InputGradient, Method::LrpZ, Method::DeepLift, Method::IntegratedGradients] {
        close(&told(&machine, method, &data, 3), &[x[0], -x[1]], 1e-6, method.word());
    }
    // What differs from the data: from their mean, or from the twenty rows that are taken of them.
    let values = numbers(&data);
    let mean = |rows: &[usize], c: usize| rows.iter().map(|&i| values[2 * i + c]).sum::<f64>() / rows.len() as f64;
    let (all, some): (Vec<usize>, Vec<usize>) = ((0..2000).collect(), (0..20).map(|k| 100 * k).collect());
    let cases = [(Method::Occlusion, &all), (Method::PredictionDifference, &some), (Method::DeepShap, &some)];
    for (method, rows) in cases {
        close(&told(&machine, method, &data, 3), &[x[0] - mean(rows, 0), mean(rows, 1) - x[1]], 1e-6, method.word());
    }
    close(&told(&machine, Method::PatternAttribution, &data, 3), &[score, 0.0], 0.1, "what the signal adds");
}

/// Patterns may come from elsewhere: they are walked by as those that were fitted.
#[test]
fn given_patterns_are_walked_by_as_fitted_ones() {
    let mut draft = Draft::rows(2);
    let w = draft.weight("w", &[2, 2], vec![1.0, -1.0, -1.0, 1.0]).unwrap();
    let h = draft.node("first", Op::Dense { transposed: false }, &[Draft::INPUT, w]);
    let h = draft.node("rectify", Op::Unary(Unary::Relu), &[h]);
    let v = draft.weight("v", &[2, 1], vec![2.0, 1.0]).unwrap();
    let y = draft.node("second", Op::Dense { transposed: false }, &[h, v]);
    let network = network::Network::new(draft.graph(y).unwrap());
    // One column of a pattern for each unit: a₁ = (0.75, 0.25), a₂ = (0, 1); b = (0.4, 0.2).
    let first = Tensor::f64([2, 2], vec![0.75, 0.0, 0.25, 1.0]).unwrap();
    let second = Tensor::f64([2, 1], vec![0.4, 0.2]).unwrap();
    let given = Patterns::given(network.graph(), [("first", first), ("second", second)]).unwrap();
    // x₁ > x₂, so that the first unit passes 3 and the second nothing; the score is 6.
    let tape = network.tape(&[Tensor::f64([1, 2], vec![5.0, 2.0]).unwrap()], &run()).unwrap();
    let end = network.graph().outputs()[0].1;
    let walked = |attribution: bool| {
        let composite = given.composite(attribution);
        walk(&network, &tape, (end, 0), Source::Input(0), &composite, &run()).unwrap().relevance.to_f64()
    };
    // Signals: 6 · 0.4 through the first unit alone, along a₁. Attribution: weights times patterns in both layers.
    close(&walked(false), &[6.0 * 0.4 * 0.75, 6.0 * 0.4 * 0.25], 1e-12, "signal");
    close(&walked(true), &[6.0 * 2.0 * 0.4 * 0.75, -6.0 * 2.0 * 0.4 * 0.25], 1e-12, "attribution");
    let wrong = Tensor::f64([2], vec![0.4, 0.2]).unwrap();
    let says = |name: &'static str| Patterns::given(network.graph(), [(name, wrong.clone())]).unwrap_err().to_string();
    assert!(
        says("third").contains("third") && says("second").contains("[2, 1]"),
        "{} {}",
        says("third"),
        says("second")
    );
}

#[test]
fn patterns_before_rectifiers_look_at_what_passes() {
    let mut draft = Draft::rows(2);
    let w = draft.weight("w", &[2, 2], vec![1.0, -1.0, -1.0, 1.0]).unwrap();
    let b = draft.weight("b", &[2], vec![0.0, 0.0]).unwrap();
    let h = draft.node("read", Op::Dense { transposed: false }, &[Draft::INPUT, w, b]);
    let h = draft.node("rectify", Op::Unary(Unary::Relu), &[h]);
    let v = draft.weight("v", &[2, 1], vec![1.0, 1.0]).unwrap();
    let y = draft.node("sum", Op::Dense { transposed: false }, &[h, v]);
    let outputs = Outputs::values(["y".to_string()].to_vec().into());
    let machine = NetworkMachine::new(draft.graph(y).unwrap(), Features::unnamed(2), outputs).unwrap();
    let data = toy(4000, 0.0);
    let row = (0..100)
        .find(|&i| numbers(&data.select(&[i]).unwrap())[0] - numbers(&data.select(&[i]).unwrap())[1] > 0.4)
        .unwrap();
    let found = told(&machine, Method::PatternNet, &data, row);
    assert!(found[1].abs() < 0.15 * found[0].abs(), "{found:?}");
    let attribution = told(&machine, Method::PatternAttribution, &data, row);
    assert!(attribution[1].abs() < 0.15 * attribution[0], "{attribution:?}");
}
