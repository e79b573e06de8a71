//! Files that scikit-learn's converters write: labels as onnxruntime gives them, probabilities known, scores explained.
#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use pellucid::explain::{Context, Method, Question, explain_with};
use pellucid::{Inputs, KNOWN, Link, Model, Points, Prediction, Run, Targets, files};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn run() -> Run<'static> {
    Run { catalog: &KNOWN, ..Run::quiet(1) }
}

fn load(name: &str) -> (Model, Points, Vec<f64>) {
    let path = |end: &str| root().join(format!("golden/sklearn/{name}.{end}"));
    let data = files::read(&path("npz"), &files::Reading::default(), &run()).unwrap();
    let Targets::Values(values) = data.targets else { panic!("{name}: no labels") };
    let model = Model::load(&path("onnx"), &run()).unwrap_or_else(|e| panic!("{name}: {e}"));
    (model, data.inputs.points().unwrap().clone(), values.values().to_vec())
}

fn check_labels(name: &str) {
    let (model, points, labels) = load(name);
    let prediction = Prediction::of(&*model.machine, &Inputs::Points(points), &run()).unwrap();
    let names = &prediction.outputs.names;
    let found = prediction.classes(&run()).unwrap();
    for (row, (class, label)) in found.iter().zip(&labels).enumerate() {
        let said = match names[*class as usize].as_str() {
            "False" => 0.0,
            "True" => 1.0,
            number => number.parse::<f64>().unwrap(),
        };
        assert_eq!(said, *label, "{name}: row {row} of {names:?}");
    }
}

#[test]
fn x4_labels_are_those_of_the_file() {
    for name in ["kmeans", "linear-svc-two", "ridge-two", "logistic", "logistic-two", "too-many-coefficients"] {
        check_labels(name);
    }
    for name in ["one-against-rest", "logistic-zipped", "softmax-normalised", "softmax-identity"] {
        check_labels(name);
    }
}

#[test]
fn x5_scores_before_probabilities_are_explained_and_probabilities_are_known() {
    for name in ["logistic", "logistic-two", "one-against-rest", "softmax-normalised", "softmax-identity"] {
        let (model, points, _) = load(name);
        assert_eq!(model.machine.outputs().link, Link::Identity, "{name}");
        let inputs = Inputs::Points(points.clone());
        let prediction = Prediction::of(&*model.machine, &inputs, &run()).unwrap();
        let chances = prediction.probabilities(&run()).unwrap().unwrap_or_else(|| panic!("{name}: none"));
        let width = model.machine.outputs().names.len();
        for row in chances.chunks_exact(width) {
            assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-5, "{name}: {row:?}");
        }
        for method in [None, Some(Method::LrpEpsilon)] {
            let question = Question { method, output: None };
            let answer = explain_with(&*model.machine, &inputs, question, &Context::default(), &run())
                .unwrap_or_else(|e| panic!("{name} by {method:?}: {e}"));
            let balance = answer.direct.balance.unwrap();
            // Scores, not chances: some are beyond 1, and their parts are not all absorbed.
            assert!(balance.iter().any(|b| b.score > 1.5), "{name}: {balance:?}");
            assert!(balance.iter().any(|b| b.sum.abs() > 0.2 * b.score.abs()), "{name}: {balance:?}");
            assert!(balance.iter().all(|b| b.lost.abs() <= 0.01 * b.score.abs()), "{name}: {balance:?}");
        }
    }
}

#[test]
fn x5_more_coefficients_than_columns_are_read_as_runtimes_do() {
    let (model, points, _) = load("too-many-coefficients");
    assert_eq!(model.machine.inputs().count(), 2);
    assert!(model.certificate.warnings.iter().any(|w| w.contains("12 coefficients for 3 outputs of 2 columns")));
    let prediction = Prediction::of(&*model.machine, &Inputs::Points(points), &run()).unwrap();
    assert!(prediction.probabilities(&run()).unwrap().is_some());
}

#[test]
fn x4_scores_that_agree_with_no_label_are_refused() {
    // The label is that of the smallest of the first two scores, whatever the third is.
    use pellucid::graph::{Draft, Op};
    let mut draft = Draft::rows(3);
    let first = draft.wholes("first", &[2], vec![0, 1]).unwrap();
    let two = draft.node("two", Op::Gather { axis: 1 }, &[Draft::INPUT, first]);
    let label = draft.node("label", Op::ArgMax { axis: 1, keep: false, last: false, smallest: true }, &[two]);
    let scores = draft.node("scores", Op::Unary(pellucid::graph::Unary::Identity), &[Draft::INPUT]);
    let (inputs, weights, nodes, _) = draft.graph(scores).unwrap().into_parts();
    let outputs = vec![("label".to_string(), label), ("scores".to_string(), scores)];
    let graph = pellucid::graph::Graph::new(inputs, weights, nodes, outputs).unwrap();
    let bytes = pellucid::network::write_onnx(&graph, &run()).unwrap();
    let nowhere = |name: &str| Err(pellucid::Error::format(name, "is not there"));
    let read = pellucid::read_onnx_model("odd.onnx", &bytes, &nowhere, &pellucid::OnnxReading::default(), &run());
    let why = read.err().unwrap().to_string();
    assert!(why.contains("\"scores\"") && why.contains("of 64 random rows"), "{why}");
}
