//! Nodes in any order: what a file lists late may be needed early.

use crate::golden::{cases, root};
use base::graph::{Element, Tensor};
use base::{Error, Run, Seed};
use pellucid_network::{Network, read_onnx};

/// The fields of a message: number, all of its bytes, and what it holds where that is bytes.
fn fields(mut rest: &[u8]) -> Vec<(u64, &[u8], &[u8])> {
    fn varint(bytes: &[u8]) -> (u64, usize) {
        let length = 1 + bytes.iter().take_while(|b| **b >= 128).count();
        (bytes[..length].iter().rev().fold(0, |value, b| value << 7 | u64::from(b & 127)), length)
    }
    let mut found = vec![];
    while !rest.is_empty() {
        let (key, start) = varint(rest);
        let (value, length) = varint(&rest[start..]);
        let (from, end) = match key & 7 {
            0 => (start + length, start + length),
            2 => (start + length, start + length + value as usize),
            other => panic!("wire type {other}"),
        };
        found.push((key >> 3, &rest[..end], &rest[from..end]));
        rest = &rest[end..];
    }
    found
}

fn varint(mut value: usize) -> Vec<u8> {
    let mut out = vec![];
    while value >= 128 {
        out.push(value as u8 | 128);
        value >>= 7;
    }
    out.push(value as u8);
    out
}

fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    [vec![number << 3 | 2], varint(bytes.len()), bytes.to_vec()].concat()
}

/// A model (its graph is field 7) whose nodes (field 1 of the graph) come in another order.
fn shuffled(model: &[u8], seed: u64) -> Vec<u8> {
    let mut out = vec![];
    for (number, whole, held) in fields(model) {
        if number != 7 {
            out.extend(whole);
            continue;
        }
        let parts = fields(held);
        let nodes: Vec<&[u8]> = parts.iter().filter(|(n, ..)| *n == 1).map(|(_, whole, _)| *whole).collect();
        let order = Seed(seed).permutation(nodes.len());
        let others = parts.iter().filter(|(n, ..)| *n != 1).map(|(_, whole, _)| *whole);
        let graph: Vec<&[u8]> = order.into_iter().map(|i| nodes[i]).chain(others).collect();
        out.extend(field(7, &graph.concat()));
    }
    out
}

fn outputs(model: &[u8]) -> Result<Vec<Vec<f64>>, Error> {
    let none = |file: &str| Err(Error::format(file, "is not there"));
    let run = Run::quiet(1);
    let graph = read_onnx("shuffled.onnx", model, &none, &run)?.graph;
    let input = |input: &base::graph::GraphInput| {
        let shape: Vec<usize> = input.shape.iter().map(|n| n.unwrap_or(2)).collect();
        let places = 0..shape.iter().product::<usize>();
        let value = |i: usize| 0.1 + (i * 37 % 101) as f64 / 126.0;
        match input.element {
            Element::F64 => Tensor::f64(shape, places.map(value).collect()),
            Element::I64 => Tensor::i64(shape, places.map(|i| (i % 3) as i64).collect()),
            Element::Bool => Tensor::bool(shape, places.map(|i| i % 2 == 0).collect()),
            Element::F32 => Tensor::f32(shape, places.map(|i| value(i) as f32).collect()),
        }
        .unwrap()
    };
    let given: Vec<Tensor> = graph.inputs().iter().map(input).collect();
    Ok(Network::new(graph).run(&given, &run)?.iter().map(Tensor::to_f64).collect())
}

#[test]
fn nodes_are_read_in_an_order_that_works_whatever_the_order_of_the_file() {
    let folder = root().join("golden/explain");
    let mut models: Vec<Vec<u8>> = ["dense", "conv", "average", "norm", "residual", "branches"]
        .iter()
        .map(|name| std::fs::read(folder.join(format!("{name}.onnx"))).unwrap())
        .collect();
    models.extend(cases("written.bin.gz").into_iter().map(|case| case.model));
    let mut moved = 0;
    for seed in testkit::seeds(3) {
        for (place, model) in models.iter().enumerate() {
            let other = shuffled(model, seed.wrapping_add(place as u64));
            moved += usize::from(other != *model);
            let (ours, theirs) = (outputs(&other).unwrap(), outputs(model).unwrap());
            let bits = |all: &[Vec<f64>]| all.concat().iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&ours), bits(&theirs), "model {place}, seed {seed}");
        }
    }
    assert!(moved > models.len(), "{moved} models of {} were shuffled", 3 * models.len());
}

#[test]
fn nodes_that_need_themselves_are_refused() {
    let node = |from: &str, to: &str, name: &str| {
        let parts = [field(1, from.as_bytes()), field(2, to.as_bytes()), field(3, name.as_bytes()), field(4, b"Relu")];
        field(1, &parts.concat())
    };
    let model = |nodes: &[Vec<u8>]| {
        let output = field(12, &field(1, b"y"));
        let opset = [field(1, b""), vec![2 << 3, 17]].concat();
        [vec![1 << 3, 8], field(8, &opset), field(7, &[nodes.concat(), output].concat())].concat()
    };
    for nodes in [vec![node("y", "y", "alone")], vec![node("b", "y", "one"), node("c", "b", "two"), node("b", "c", "")]]
    {
        let error = outputs(&model(&nodes)).unwrap_err().to_string();
        assert!(error.contains("goes back into itself"), "{error}");
    }
    // A chain of many nodes, the last of which comes first.
    let mut chain: Vec<Vec<u8>> =
        (0..50_000).map(|i| node(&format!("t{i}"), &format!("t{}", i + 1), &format!("n{i}"))).collect();
    chain.reverse();
    chain.push(node("t50000", "y", "end"));
    let error = outputs(&model(&chain)).unwrap_err().to_string();
    assert!(error.contains("\"t0\" is given by nothing"), "{error}");
}
