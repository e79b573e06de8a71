//! What cannot be explained is refused by name; what is empty has documented values.

use crate::run;
use base::graph::*;
use base::{Features, Inputs, Outputs, Points};
use network::NetworkMachine;
use pellucid_explain::{Method, Question, explain, fitting};

fn machine(nodes: impl FnOnce(&mut Draft) -> Source, columns: usize) -> NetworkMachine {
    let mut draft = Draft::rows(columns);
    let y = nodes(&mut draft);
    let graph = draft.graph(y).unwrap();
    let width = NetworkMachine::width_of(&graph, &Features::unnamed(columns)).unwrap();
    let names: Vec<String> = (0..width).map(|i| format!("y{i}")).collect();
    NetworkMachine::new(graph, Features::unnamed(columns), Outputs::values(names.into())).unwrap()
}

fn two_layers(numbers: &[f64]) -> NetworkMachine {
    machine(
        |d| {
            let w = d.weight("w", &[2, 2], numbers.to_vec()).unwrap();
            let h = d.node("first", Op::Dense { transposed: false }, &[Draft::INPUT, w]);
            let h = d.node("rectify", Op::Unary(Unary::Relu), &[h]);
            let v = d.weight("v", &[2, 2], vec![1.0, -1.0, 0.5, -2.0]).unwrap();
            d.node("second", Op::Dense { transposed: false }, &[h, v])
        },
        2,
    )
}

fn ask(machine: &NetworkMachine, method: Method, x: &[f64], output: usize) -> Result<pellucid_explain::Answer, String> {
    let points = Points::dense(x.to_vec(), x.len() / 2, 2).unwrap();
    let question = Question { method: Some(method), output: Some(output) };
    explain(machine, &Inputs::Points(points), question, &run()).map_err(|e| e.to_string())
}

#[test]
fn an_operation_without_a_rule_is_named() {
    let odd = machine(|d| d.node("wave", Op::Unary(Unary::Sin), &[Draft::INPUT]), 2);
    let error = ask(&odd, Method::LrpEpsilon, &[1.0, 2.0], 0).unwrap_err();
    assert!(error.contains("\"wave\" (unary)"), "{error}");
    let why = fitting(&odd).into_iter().find(|f| f.method == Method::LrpEpsilon).unwrap().why_not.unwrap();
    assert!(why.contains("wave"), "{why}");
    // Gradients need no rule.
    assert!(ask(&odd, Method::Gradient, &[1.0, 2.0], 0).is_ok());
    assert!(ask(&odd, Method::PatternNet, &[1.0, 2.0], 0).unwrap_err().contains("no layer with weights"));
}

#[test]
fn deep_taylor_wants_a_score_above_zero() {
    let plain = two_layers(&[1.0, 0.5, -0.3, 1.0]);
    for method in [Method::DeepTaylor, Method::DeepTaylorBounded] {
        let error = ask(&plain, method, &[1.0, 2.0], 1).unwrap_err();
        assert!(error.contains("above 0") && error.contains("another class"), "{error}");
        let answer = ask(&plain, method, &[1.0, 2.0], 0).unwrap();
        let values = crate::numbers(&answer.direct.values);
        assert!(values.iter().all(|v| *v >= 0.0) && values.iter().sum::<f64>() > 0.0, "{values:?}");
    }
}

#[test]
fn nothing_in_gives_nothing_out() {
    let plain = two_layers(&[1.0, 0.5, -0.3, 1.0]);
    for method in Method::ALL.into_iter().filter(|m| fits(&plain, *m)) {
        let Ok(answer) = ask(&plain, method, &[0.0, 0.0, 0.0, 0.0], 0) else { panic!("{}", method.word()) };
        let values = crate::numbers(&answer.direct.values);
        assert!(values.iter().all(|v| v.is_finite()), "{}: {values:?}", method.word());
        if method.walks() && method != Method::DeconvNet && method != Method::GuidedBackprop {
            assert!(values.iter().all(|v| *v == 0.0), "{}: {values:?}", method.word());
        }
    }
}

fn fits(machine: &NetworkMachine, method: Method) -> bool {
    fitting(machine).into_iter().any(|f| f.method == method && f.why_not.is_none())
}

#[test]
fn weights_that_are_no_numbers_are_told() {
    let broken = two_layers(&[1.0, f64::NAN, -0.3, 1.0]);
    for method in [Method::LrpEpsilon, Method::LrpZPlus, Method::GuidedBackprop, Method::DeepTaylor, Method::Gradient] {
        let error = ask(&broken, method, &[1.0, 2.0], 0).unwrap_err();
        assert!(error.contains("NaN") && error.contains("finite"), "{}: {error}", method.word());
    }
    let plain = two_layers(&[1.0, 0.5, -0.3, 1.0]);
    assert!(ask(&plain, Method::LrpEpsilon, &[1.0, 2.0], 7).unwrap_err().contains("below 2"));
}
