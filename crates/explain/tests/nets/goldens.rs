//! The same numbers as zennit and captum, through the method's name, for networks read from ONNX files.

use crate::{close, numbers, run};
use base::{Features, Inputs, Outputs, Points, Setting, Settings, Shape, Value};
use network::NetworkMachine;
use pellucid_explain::{Context, Method, Question, Tuning, explain_with};

fn folder(file: &str) -> String {
    format!("{}/../../golden/explain/{file}", env!("CARGO_MANIFEST_DIR"))
}

/// The machine of a network, and the sections of its text.
fn read(name: &str, shape: Option<Shape>, columns: usize) -> (NetworkMachine, Vec<(String, Vec<f64>)>) {
    let bytes = std::fs::read(folder(&format!("{name}.onnx"))).unwrap();
    let nothing = |file: &str| Err(base::Error::format(file, "no other file is meant"));
    let graph = network::read_onnx(name, &bytes, &nothing, &run()).unwrap().graph;
    let features = Features::unnamed(columns);
    let features = shape.map_or(features.clone(), |s| features.shaped(s).unwrap());
    let outputs = Outputs::values(["a", "b", "c"].map(String::from).to_vec().into());
    let machine = NetworkMachine::new(graph, features, outputs).unwrap();
    let text = std::fs::read_to_string(folder(&format!("{name}.txt"))).unwrap();
    let (maker, rest) = text.split_once('\n').unwrap();
    assert!(maker.starts_with("# zennit") && maker.contains("captum"), "{maker}");
    let mut sections: Vec<(String, Vec<f64>)> = vec![];
    for line in rest.lines() {
        match line.strip_prefix("= ") {
            Some(title) => sections.push((title.into(), vec![])),
            None => sections.last_mut().unwrap().1.push(line.parse().unwrap()),
        }
    }
    (machine, sections)
}

/// A method's name and settings, as the text has them.
fn asked(title: &str) -> (Method, Tuning) {
    let mut words = title.split(' ');
    let method = Method::find(words.next().unwrap()).unwrap();
    let mut tuning = Tuning::default();
    for setting in words {
        let (name, text) = setting.split_once('=').unwrap();
        let param = tuning.params().into_iter().find(|p| p.name == name).unwrap();
        tuning.set(name, param.parse(text).unwrap()).unwrap();
    }
    (method, tuning)
}

fn check(name: &str, shape: Option<Shape>, columns: usize) {
    let (machine, sections) = read(name, shape, columns);
    let x = &sections[0];
    assert_eq!(x.0, "x");
    let points = Points::dense(x.1.clone(), x.1.len() / columns, columns).unwrap();
    assert!(sections.len() > 15, "{name}: {} methods only", sections.len());
    for (title, theirs) in &sections[1..] {
        let (method, tuning) = asked(title);
        let context = Context { tuning, background: None };
        let question = Question { method: Some(method), output: Some(1) };
        let answer = explain_with(&machine, &Inputs::Points(points.clone()), question, &context, &run());
        let answer = answer.unwrap_or_else(|e| panic!("{name}, {title}: {e}"));
        // Captum counts Shapley values in single precision.
        let share = if method == Method::Shapley { 1e-5 } else { 1e-6 };
        close(&numbers(&answer.relevance.values), theirs, share, &format!("{name}, {title}"));
        if let Some(balance) = answer.relevance.balance {
            assert!(balance.iter().all(|b| b.open() < 1e-9), "{name}, {title}: {balance:?}");
        }
    }
}

fn picture(height: usize) -> Option<Shape> {
    Some(Shape::Image { height, width: height, channels: 2 })
}

#[test]
fn dense_networks() {
    check("dense", None, 6);
    check("tanh", None, 6);
}

#[test]
fn convolutions_with_pooling() {
    check("conv", picture(8), 128);
    check("average", picture(8), 128);
}

#[test]
fn normalisation_skips_and_branches() {
    check("norm", picture(6), 72);
    check("residual", picture(6), 72);
    check("branches", picture(6), 72);
}

#[test]
fn settings_are_read_as_people_write_them() {
    let (method, tuning) = asked("lrp-epsilon epsilon=0.25 low=-1,2 batch_norm=star");
    assert_eq!((method, tuning.epsilon), (Method::LrpEpsilon, 0.25));
    assert_eq!(tuning.low.to_value(), Value::List(vec![-1.0, 2.0]));
    assert!(Tuning::default().set("epsilon", Value::Number(-1.0)).is_err());
    assert!(Tuning::default().set("epsilom", Value::Number(1.0)).unwrap_err().to_string().contains("epsilon"));
}
