//! Signal and distractor: the pattern finds the signal, the gradient does not.

use crate::{close, numbers, run};
use base::graph::{Draft, Op, Unary};
use base::{Features, Inputs, Outputs, Points, Seed, normal};
use network::NetworkMachine;
use pellucid_explain::{Means, Method, Question, explain_with};

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
    let means = Means { background: Some(&background), ..Means::default() };
    let question = Question { method: Some(method), output: Some(0) };
    let inputs = Inputs::Points(data.select(&[row]).unwrap());
    numbers(&explain_with(machine, &inputs, question, &means, &run()).unwrap().direct.values)
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
