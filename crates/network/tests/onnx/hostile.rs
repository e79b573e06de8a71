//! Hostile files: damaged in ten thousand ways, with sizes that lie, too many of everything, nested without end.

#[path = "../../../files/tests/mutate/mod.rs"]
mod mutate;

use crate::golden::{cases, shared_model};
use base::graph::{Element, Tensor};
use base::{Error, Memory, Result, Run};
use pellucid_network::{ExternalBytes, Network, Onnx, read_onnx};
use std::sync::Arc;

const LIMIT: u64 = 64 << 20;

fn limited() -> Run<'static> {
    Run { memory: Memory::limited(LIMIT), ..Run::quiet(1) }
}

fn none(name: &str) -> Result<ExternalBytes> {
    Err(Error::format(name, "is not there"))
}

fn read(bytes: &[u8]) -> Result<Onnx> {
    read_onnx("hostile.onnx", bytes, &none, &limited())
}

/// Reads and, if that goes well, runs on zeros.
fn read_and_run(bytes: &[u8], run: &Run<'_>) -> Result<()> {
    let model = read_onnx("hostile.onnx", bytes, &none, run)?;
    let mut inputs = vec![];
    for input in model.graph.inputs() {
        let shape: Vec<usize> = input.shape.iter().map(|n| n.unwrap_or(1)).collect();
        let count = shape.iter().try_fold(1usize, |product, &n| product.checked_mul(n)).unwrap_or(usize::MAX);
        if count > 1 << 16 {
            return Err(Error::size("numbers of an input", "few", count));
        }
        inputs.push(match input.element {
            Element::F32 => Tensor::f32(shape, vec![0.0; count])?,
            Element::F64 => Tensor::f64(shape, vec![0.0; count])?,
            Element::I64 => Tensor::i64(shape, vec![0; count])?,
            Element::Bool => Tensor::bool(shape, vec![false; count])?,
        });
    }
    Network::new(model.graph).run(&inputs, run).map(|_| ())
}

/// Whether the model still runs; if not it must say why, and either way memory is kept within its limit and given back.
fn survives(bytes: &[u8]) -> bool {
    let run = limited();
    let answer = read_and_run(bytes, &run);
    if let Err(error) = &answer {
        assert_ne!(*error, Error::Cancelled, "nobody cancelled");
        assert!(!error.to_string().is_empty());
    }
    assert!(run.memory.peak() <= LIMIT);
    assert_eq!(run.memory.used(), 0, "memory is not given back");
    answer.is_ok()
}

fn damage(seed: &[u8], count: usize) {
    let fine = mutate::mutations(&[seed], count, 5).filter(|bytes| survives(bytes)).count();
    println!("{fine} of {count} damaged models still run");
    assert!(fine > 0 && fine < count);
}

#[test]
fn damaged_models_give_errors() {
    for name in ["mnist_cntk.onnx", "lr_mnist_scikit.onnx"] {
        if let Some(seed) = shared_model(name) {
            damage(&seed, 10_000);
        }
    }
}

#[test]
fn damaged_operators_give_errors() {
    // Small models are damaged where it matters: in their structure.
    let (mut tried, mut refused) = (0, 0);
    for case in cases("nodes.bin.gz").iter().filter(|c| c.model.len() < 2000).step_by(9) {
        let models = [&case.model[..]];
        let damaged = mutate::mutations(&models, 100, 6);
        let cut = (0..case.model.len()).map(|end| case.model[..end].to_vec());
        for bytes in damaged.chain(cut) {
            tried += 1;
            refused += usize::from(!survives(&bytes));
        }
    }
    // Names of nodes and documentation may be cut or changed without harm, structure may not.
    assert!(2 * refused > tried && refused < tried, "{refused} of {tried} refused");
}

/// A field of bytes.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![number << 3 | 2];
    out.extend(varint(bytes.len() as u64));
    out.extend(bytes);
    out
}

fn int(number: u8, value: i64) -> Vec<u8> {
    let mut out = vec![number << 3];
    out.extend(varint(value as u64));
    out
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut out = vec![];
    while value >= 128 {
        out.push(value as u8 | 128);
        value >>= 7;
    }
    out.push(value as u8);
    out
}

/// A model of version 17 around a graph.
fn model(graph: &[Vec<u8>]) -> Vec<u8> {
    let opset = [field(1, b""), int(2, 17)].concat();
    [int(1, 8), field(7, &graph.concat()), field(8, &opset)].concat()
}

fn node(op: &str, inputs: &[&str], output: &str) -> Vec<u8> {
    let inputs: Vec<u8> = inputs.iter().flat_map(|i| field(1, i.as_bytes())).collect();
    field(1, &[inputs, field(2, output.as_bytes()), field(4, op.as_bytes())].concat())
}

fn output(name: &str) -> Vec<u8> {
    field(12, &field(1, name.as_bytes()))
}

fn tensor(name: &str, dims: &[i64], kind: i64, rest: &[u8]) -> Vec<u8> {
    let dims: Vec<u8> = dims.iter().flat_map(|&n| int(1, n)).collect();
    field(5, &[dims, int(2, kind), field(8, name.as_bytes()), rest.to_vec()].concat())
}

#[track_caller]
fn says(bytes: &[u8], what: &str) {
    let error = read(bytes).expect_err("this must be refused").to_string();
    assert!(error.contains(what), "{error}");
}

#[test]
fn sizes_that_lie_are_refused_before_anything_is_allocated() {
    let with = |tensor: Vec<u8>| model(&[tensor, output("w")]);
    assert!(read(&with(tensor("w", &[1], 1, &field(9, &[0; 4])))).is_ok());
    says(&with(tensor("w", &[1 << 40], 1, &field(9, &[0; 4]))), "raw data: expected 4398046511104 bytes");
    says(&with(tensor("w", &[1 << 40, 1 << 40], 1, &field(9, &[0; 4]))), "has the shape");
    says(&with(tensor("w", &[-1], 1, &field(9, &[0; 4]))), "has the shape [-1]");
    says(&with(tensor("w", &[2], 1, &[])), "numbers: expected 2, found 0");
    says(&with(tensor("w", &[1], 14, &[])), "complex64");
    says(&with(tensor("w", &[1], 13, &int(11, -1))), "uint64");
    // A constant that a node makes of a huge shape is not made while reading, and refused when it is run.
    let shape = tensor("shape", &[2], 7, &[int(7, 1 << 20), int(7, 1 << 20)].concat());
    let bytes = model(&[shape, node("ConstantOfShape", &["shape"], "y"), output("y")]);
    let error = read_and_run(&bytes, &limited()).unwrap_err();
    assert!(matches!(error, Error::Memory { .. } | Error::Size { .. } | Error::Format { .. }), "{error}");
}

#[test]
fn too_many_of_everything_ends_at_the_limit() {
    // Two bytes each in the file, hundreds in memory.
    let nodes = model(&[[0x0a, 0].repeat(1 << 20), output("w")]);
    assert!(matches!(read(&nodes), Err(Error::Memory { .. })));
    let dims = model(&[tensor("w", &[1].repeat(1 << 22), 1, &field(9, &[0; 4])), output("w")]);
    assert!(matches!(read(&dims), Err(Error::Memory { .. })));
    let inputs = model(&[field(1, &[[0x0a, 0].repeat(1 << 22), field(4, b"Sum")].concat()), output("w")]);
    assert!(matches!(read(&inputs), Err(Error::Memory { .. })));
    // A chain of nodes that each double a constant is folded only while it is small.
    let mut graph = vec![tensor("c0", &[1], 1, &field(9, &[0; 4]))];
    (0..60).for_each(|i| graph.push(concat(i)));
    graph.push(output("c60"));
    let error = read_and_run(&model(&graph), &limited()).unwrap_err();
    assert!(matches!(error, Error::Memory { .. } | Error::Format { .. } | Error::Size { .. }), "{error}");
}

fn concat(i: usize) -> Vec<u8> {
    let (from, to) = (format!("c{i}"), format!("c{}", i + 1));
    let axis = field(5, &[field(1, b"axis"), int(3, 0), vec![0xa0, 1, 2]].concat());
    field(
        1,
        &[field(1, from.as_bytes()), field(1, from.as_bytes()), field(2, to.as_bytes()), field(4, b"Concat"), axis]
            .concat(),
    )
}

#[test]
fn nesting_is_not_followed() {
    // Subgraphs inside subgraphs: the node is refused by name, its graphs are not looked into.
    let mut graph = vec![];
    for _ in 0..30 {
        graph = field(6, &field(1, &field(5, &graph)));
    }
    let inside = field(1, &[field(4, b"If"), field(5, &[field(1, b"then_branch"), graph].concat())].concat());
    says(&model(&[inside, output("y")]), "control flow");
    // Types inside types.
    let mut kind = vec![];
    for _ in 0..10_000 {
        kind = field(9, &field(1, &kind));
        if kind.len() > 1 << 16 {
            break;
        }
    }
    let input = field(11, &[field(1, b"x"), field(2, &kind)].concat());
    says(&model(&[input, output("x")]), "types inside types");
}

#[test]
fn what_is_not_known_is_named() {
    let bytes = model(&[node("Sigmod", &["x"], "y"), field(11, &field(1, b"x")), output("y")]);
    says(&bytes, "input \"x\"");
    let float = field(2, &field(1, &[int(1, 1), field(2, &field(1, &int(1, 3)))].concat()));
    let input = field(11, &[field(1, b"x"), float].concat());
    let of = |op: &str| model(&[input.clone(), node(op, &["x"], "y"), output("y")]);
    assert!(read(&of("Sigmoid")).is_ok());
    says(
        &of("Sigmod"),
        "node \"y\" (Sigmod): the operator Sigmod: not supported by the ONNX import; the nearest that is: Sigmoid",
    );
    says(&of("LSTM"), "unroll");
    says(&of("Loop"), "no control flow");
    says(&model(&[input.clone(), node("Relu", &["z"], "y"), output("y")]), "\"z\" is given by nothing");
    says(&model(&[input.clone(), output("y")]), "\"y\" is given by no node");
    says(&model(&[input.clone(), node("Relu", &["x"], "x"), output("x")]), "two tensors are called \"x\"");
    says(&[], "no graph");
    says(b"not a model at all", "corrupt");
}

#[test]
fn numbers_in_other_files_come_through_the_resolver_only() {
    let entry = |key: &str, value: &str| field(13, &[field(1, key.as_bytes()), field(2, value.as_bytes())].concat());
    let outside = |entries: &[Vec<u8>]| {
        let rest = [entries.concat(), int(14, 1)].concat();
        model(&[tensor("w", &[2], 1, &rest), output("w")])
    };
    let numbers: Vec<u8> = [0f32, 1.5, -2.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    let asked = std::cell::RefCell::new(vec![]);
    let resolver = |name: &str| -> Result<ExternalBytes> {
        asked.borrow_mut().push(name.to_string());
        Ok(Arc::new(numbers.clone()))
    };
    let read = |bytes: &[u8]| read_onnx("m.onnx", bytes, &resolver, &limited());
    let good = read(&outside(&[entry("location", "w.bin"), entry("offset", "4"), entry("length", "8")])).unwrap();
    assert_eq!(good.graph.weights()[0].tensor, Tensor::f32([2], vec![1.5, -2.0]).unwrap());
    let error = |bytes: &[u8]| read(bytes).unwrap_err().to_string();
    assert!(
        error(&outside(&[entry("location", "w.bin"), entry("offset", "8")])).contains("beyond the end of \"w.bin\"")
    );
    assert!(error(&outside(&[entry("location", "w.bin"), entry("length", "4")])).contains("raw data"));
    assert!(error(&outside(&[entry("location", "w.bin"), entry("offset", "-1")])).contains("expected a number"));
    let huge = outside(&[entry("location", "w.bin"), entry("offset", "18446744073709551615")]);
    assert!(error(&huge).contains("beyond the end"));
    assert!(error(&outside(&[])).contains("not named"));
    assert!(asked.borrow().iter().all(|name| name == "w.bin"));
}
