//! What is written: onnxruntime computes the same, and so does what is read back.

mod graphs;

use crate::golden::cases;
use base::graph::{Element, Graph, Tensor};
use base::{Error, Run};
use graphs::graphs;
use pellucid_network::{Network, largest_difference, read_onnx, write_onnx};

fn back(bytes: &[u8]) -> Graph {
    let none = |name: &str| Err(Error::format(name, "is not there"));
    read_onnx("written", bytes, &none, &Run::quiet(1)).unwrap().graph
}

/// Inputs with three rows that `golden/make_onnx.py` makes too: 0.1 + (37 i mod 101) / 126.
fn inputs(graph: &Graph) -> Vec<Tensor> {
    let input = |input: &base::graph::GraphInput| {
        let shape: Vec<usize> = input.shape.iter().map(|n| n.unwrap_or(3)).collect();
        let places = 0..shape.iter().product::<usize>();
        let value = |i: usize| 0.1 + (i * 37 % 101) as f64 / 126.0;
        match input.element {
            Element::F64 => Tensor::f64(shape, places.map(value).collect()),
            Element::I64 => Tensor::i64(shape, places.map(|i| (i * 37 % 3) as i64).collect()),
            Element::Bool => Tensor::bool(shape, places.map(|i| i * 37 % 101 % 2 == 0).collect()),
            Element::F32 => Tensor::f32(shape, places.map(|i| value(i) as f32).collect()),
        }
        .unwrap()
    };
    graph.inputs().iter().map(input).collect()
}

#[test]
fn graphs_come_back_and_compute_the_same() {
    for (name, graph) in graphs() {
        let run = Run::quiet(1);
        let bytes = write_onnx(&graph, &run).unwrap();
        let read = back(&bytes);
        let difference = largest_difference(&graph, &read, &inputs(&graph), &run).unwrap();
        assert!(difference <= 1e-5, "{name}: {difference}");
        // Once more: what was composed stays composed of the same.
        let again = back(&write_onnx(&read, &run).unwrap());
        assert!(largest_difference(&read, &again, &inputs(&graph), &run).unwrap() <= 1e-6, "{name}");
    }
}

#[test]
fn onnxruntime_computes_what_we_compute() {
    if let Some(folder) = std::env::var_os("PELLUCID_WRITE_ONNX") {
        // For golden/make_onnx.py.
        for (name, graph) in graphs() {
            let path = std::path::Path::new(&folder).join(format!("{name}.onnx"));
            std::fs::write(path, write_onnx(&graph, &Run::quiet(1)).unwrap()).unwrap();
        }
        return;
    }
    let kept = cases("written.bin.gz");
    let graphs = graphs();
    assert_eq!(kept.len(), graphs.len());
    for (name, graph) in graphs {
        let run = Run::quiet(1);
        let case = kept.iter().find(|c| c.name == name).unwrap();
        assert!(
            write_onnx(&graph, &run).unwrap() == case.model,
            "{name}: other bytes than those kept; see golden/make_onnx.py"
        );
        let ours = Network::new(graph.clone()).run(&inputs(&graph), &run).unwrap();
        assert_eq!(ours.len(), case.outputs.len());
        for ((ours, theirs), (output, _)) in ours.iter().zip(&case.outputs).zip(graph.outputs()) {
            let theirs = theirs.tensor();
            assert_eq!((ours.shape(), ours.element()), (theirs.shape(), theirs.element()), "{name}: {output}");
            for (a, b) in ours.to_f64().into_iter().zip(theirs.to_f64()) {
                assert!((a - b).abs() <= 1e-5 + 1e-5 * b.abs(), "{name}: {output}: {a} {b}");
            }
        }
    }
}

#[test]
fn names_do_not_collide() {
    use base::graph::{GraphInput, Node, Op, Source, Unary, Weight};
    // A weight called like the input, a node called like the output of another, an output that is an input.
    let input = GraphInput { name: "x".into(), element: Element::F32, shape: vec![None] };
    let weight = Weight { name: "x".into(), tensor: Tensor::f32([1], vec![2.0]).unwrap(), trained: true };
    let node =
        |name: &str, from| Node { name: name.into(), op: Op::Unary(Unary::Neg), inputs: vec![Some(from)], outputs: 1 };
    let nodes = vec![node("y", Source::Weight(0)), node("z", Source::Input(0))];
    let outputs =
        [("z", Source::Node(0, 0)), ("y", Source::Node(1, 0)), ("w", Source::Input(0)), ("v", Source::Node(1, 0))];
    let outputs = outputs.map(|(name, source)| (name.to_string(), source)).to_vec();
    let graph = Graph::new(vec![input], vec![weight], nodes, outputs).unwrap();
    let run = Run::quiet(1);
    let read = back(&write_onnx(&graph, &run).unwrap());
    let given = [Tensor::f32([2], vec![1.0, 3.0]).unwrap()];
    assert_eq!(largest_difference(&graph, &read, &given, &run), Ok(0.0));
    let names = |g: &Graph| g.outputs().iter().map(|(n, _)| n.clone()).collect::<Vec<_>>();
    assert_eq!(names(&read), names(&graph));
}
