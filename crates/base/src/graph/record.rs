//! A graph as a record, and back.
//!
//! Inputs, weights and nodes are parts in order; where a tensor comes from is said in words (`input 0`, `weight 3`,
//! `node 2 1`, nothing for an input that is absent). Real numbers of a tensor are an array, whole ones are stored with
//! their sign, and yes or no as 1 or 0. Numbers are shared with the graph, not copied. Reading is strict, and what is
//! read goes through [`Graph::new`] like any other graph.

use super::{Element, Graph, GraphInput, Node, Numbers, Op, Source, Tensor, Weight};
use crate::{Buffer, Field, Record, Result};

const KIND: &str = "graph";

impl Graph {
    /// The graph as plain data.
    pub fn record(&self) -> Record {
        let inputs: Vec<Record> = self.inputs().iter().map(input_record).collect();
        let weights: Vec<Record> = self.weights().iter().map(weight_record).collect();
        let nodes: Vec<Record> = self.nodes().iter().map(node_record).collect();
        let (names, sources): (Vec<String>, Vec<String>) =
            self.outputs().iter().map(|(name, source)| (name.clone(), source_text(Some(*source)))).unzip();
        Record::new(KIND, 1)
            .with("inputs", inputs)
            .with("weights", weights)
            .with("nodes", nodes)
            .with("output names", names)
            .with("outputs", sources)
    }

    /// The graph that a record speaks of.
    pub fn read(record: &Record) -> Result<Self> {
        record.expect(KIND, 1)?;
        let inputs = record.parts("inputs")?.iter().map(read_input).collect::<Result<_>>()?;
        let weights = record.parts("weights")?.iter().map(read_weight).collect::<Result<_>>()?;
        let nodes = record.parts("nodes")?.iter().map(read_node).collect::<Result<_>>()?;
        let (names, sources) = (record.texts("output names")?, record.texts("outputs")?);
        if names.len() != sources.len() {
            return Err(record.broken(format!("{} names for {} outputs", names.len(), sources.len())));
        }
        let output = |(name, text): (&String, &String)| {
            let source = read_source(record, text)?.ok_or_else(|| record.broken("an output comes from nowhere"))?;
            Ok((name.clone(), source))
        };
        let outputs = names.iter().zip(sources).map(output).collect::<Result<_>>()?;
        Graph::new(inputs, weights, nodes, outputs)
    }
}

fn input_record(input: &GraphInput) -> Record {
    // −1 stands for any size, as in most formats of networks.
    let size = |n: &Option<usize>| n.map_or(-1, |n| i64::try_from(n).unwrap_or(i64::MAX));
    Record::new("input", 1)
        .with("name", input.name.as_str())
        .with("element", input.element.word())
        .with("shape", input.shape.iter().map(size).collect::<Vec<i64>>())
}

fn read_input(record: &Record) -> Result<GraphInput> {
    record.expect("input", 1)?;
    let size = |&n: &i64| match (n, usize::try_from(n)) {
        (-1, _) => Ok(None),
        (_, Ok(n)) => Ok(Some(n)),
        _ => Err(record.broken(format!("{n} is not a size"))),
    };
    let shape = record.signed("shape")?.iter().map(size).collect::<Result<_>>()?;
    Ok(GraphInput { name: record.text("name")?.into(), element: read_element(record, "element")?, shape })
}

fn weight_record(weight: &Weight) -> Record {
    Record::new("weight", 1)
        .with("name", weight.name.as_str())
        .with("tensor", tensor_record(&weight.tensor))
        .with("trained", weight.trained)
}

fn read_weight(record: &Record) -> Result<Weight> {
    record.expect("weight", 1)?;
    let tensor = read_tensor(record.part("tensor")?)?;
    Ok(Weight { name: record.text("name")?.into(), tensor, trained: record.flag("trained")? })
}

fn node_record(node: &Node) -> Record {
    Record::new("node", 1)
        .with("name", node.name.as_str())
        .with("op", node.op.record())
        .with("inputs", node.inputs.iter().map(|s| source_text(*s)).collect::<Vec<_>>())
        .with("outputs", node.outputs)
}

fn read_node(record: &Record) -> Result<Node> {
    record.expect("node", 1)?;
    Ok(Node {
        name: record.text("name")?.into(),
        op: Op::read(record.part("op")?)?,
        inputs: record.texts("inputs")?.iter().map(|text| read_source(record, text)).collect::<Result<_>>()?,
        outputs: record.count("outputs")?,
    })
}

fn source_text(source: Option<Source>) -> String {
    match source {
        None => String::new(),
        Some(Source::Input(i)) => format!("input {i}"),
        Some(Source::Weight(i)) => format!("weight {i}"),
        Some(Source::Node(i, port)) => format!("node {i} {port}"),
    }
}

fn read_source(record: &Record, text: &str) -> Result<Option<Source>> {
    let number = |word: &str| word.parse::<usize>().ok();
    let source = match text.split(' ').collect::<Vec<_>>()[..] {
        [""] => return Ok(None),
        ["input", i] => number(i).map(Source::Input),
        ["weight", i] => number(i).map(Source::Weight),
        ["node", i, port] => number(i).zip(number(port)).map(|(i, port)| Source::Node(i, port)),
        _ => None,
    };
    source.map(Some).ok_or_else(|| record.broken(format!("{text:?} is not a source of a tensor")))
}

pub(super) fn read_element(record: &Record, name: &str) -> Result<Element> {
    let word = record.text(name)?;
    Element::from_word(word).ok_or_else(|| record.broken(format!("{word:?} is not a number type")))
}

pub(super) fn tensor_record(tensor: &Tensor) -> Record {
    let record = Record::new("tensor", 1).with("element", tensor.element().word());
    let shape = || tensor.shape().iter().map(|&n| n as u64).collect::<Vec<u64>>();
    let array = |values: Buffer| Field::Array { shape: tensor.shape().to_vec(), values };
    match tensor.numbers() {
        Numbers::F32(v) => record.with("values", array(Buffer::F32(v.clone()))),
        Numbers::F64(v) => record.with("values", array(Buffer::F64(v.clone()))),
        Numbers::I64(v) => record.with("shape", shape()).with("values", v.clone()),
        Numbers::Bool(v) => {
            record.with("shape", shape()).with("values", v.iter().map(|&x| u32::from(x)).collect::<Vec<_>>())
        }
    }
}

pub(super) fn read_tensor(record: &Record) -> Result<Tensor> {
    record.expect("tensor", 1)?;
    let element = read_element(record, "element")?;
    match element {
        Element::I64 => Tensor::new(read_sizes(record, "shape")?, Numbers::I64(record.signed("values")?.clone())),
        Element::Bool => {
            let flag = |&x: &u32| match x {
                0 | 1 => Ok(x == 1),
                _ => Err(record.broken(format!("{x} is neither yes nor no"))),
            };
            let values: Vec<bool> = record.ids("values")?.iter().map(flag).collect::<Result<_>>()?;
            Tensor::bool(read_sizes(record, "shape")?, values)
        }
        _ => {
            let (shape, values) = record.array("values")?;
            let numbers = match values {
                Buffer::F32(v) => Numbers::F32(v.clone()),
                Buffer::F64(v) => Numbers::F64(v.clone()),
            };
            match numbers.element() == element {
                true => Tensor::new(shape, numbers),
                false => Err(record.broken(format!("says {}, has {}", element.word(), numbers.element().word()))),
            }
        }
    }
}

/// Sizes, as counts of this machine.
pub(super) fn read_sizes(record: &Record, name: &str) -> Result<Vec<usize>> {
    let size = |&n: &u64| usize::try_from(n).map_err(|_| record.broken(format!("{n} in {name:?} is too large")));
    record.wholes(name)?.iter().map(size).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Unary;
    use super::*;

    fn sample() -> Graph {
        let weight = |name: &str, tensor: Tensor, trained| Weight { name: name.into(), tensor, trained };
        let weights = vec![
            weight("single", Tensor::f32([2, 1], vec![1.5, -0.0]).unwrap(), true),
            weight("double", Tensor::f64([], vec![0.1]).unwrap(), false),
            weight("whole", Tensor::i64([3], vec![i64::MIN, -1, i64::MAX]).unwrap(), false),
            weight("flags", Tensor::bool([1, 2], vec![true, false]).unwrap(), false),
            weight("none", Tensor::i64([0, 4], vec![]).unwrap(), false),
        ];
        let inputs = vec![GraphInput { name: "x".into(), element: Element::F32, shape: vec![None, Some(2)] }];
        let nodes = vec![
            Node {
                name: "cut".into(),
                op: Op::Split { axis: -1, sizes: vec![1, 1] },
                inputs: vec![Some(Source::Input(0))],
                outputs: 2,
            },
            Node {
                name: "clip".into(),
                op: Op::Clip,
                inputs: vec![Some(Source::Node(0, 1)), None, Some(Source::Weight(0))],
                outputs: 1,
            },
            Node {
                name: "relu".into(),
                op: Op::Unary(Unary::Relu),
                inputs: vec![Some(Source::Node(1, 0))],
                outputs: 1,
            },
        ];
        let outputs = vec![("y".into(), Source::Node(2, 0)), ("x".into(), Source::Input(0))];
        Graph::new(inputs, weights, nodes, outputs).unwrap()
    }

    #[test]
    fn graphs_come_back() {
        let graph = sample();
        assert_eq!(Graph::read(&graph.record()), Ok(graph));
    }

    #[test]
    fn broken_records_are_refused() {
        let good = sample().record();
        let with_first = |list: &str, f: &dyn Fn(Record) -> Record| {
            let mut parts = good.parts(list).unwrap().to_vec();
            parts[0] = f(parts[0].clone());
            Graph::read(&good.clone().with(list, parts)).map(|_| ()).unwrap_err().to_string()
        };
        let cases = [
            (with_first("inputs", &|r| r.with("shape", vec![-2i64])), "is not a size"),
            (with_first("inputs", &|r| r.with("element", "f16")), "not a number type"),
            (with_first("weights", &|r| r.with("trained", 1i64)), "expected a flag"),
            (with_first("nodes", &|r| r.with("inputs", vec!["input -1".to_string()])), "is not a source"),
            (with_first("nodes", &|r| r.with("inputs", vec!["node 0 0".to_string()])), "comes later"),
            (with_first("nodes", &|r| r.with("outputs", -1i64)), "expected a count"),
            (with_first("nodes", &|r| r.with("op", Record::new("sorcery", 1))), "not an operation"),
        ];
        for (error, says) in cases {
            assert!(error.contains(says), "{error:?} does not say {says:?}");
        }
        let flags = tensor_record(&Tensor::bool([1], vec![true]).unwrap());
        assert!(read_tensor(&flags.clone().with("values", vec![2u32])).is_err());
        assert!(read_tensor(&flags.with("shape", vec![u64::MAX, 2])).is_err());
        let double = tensor_record(&Tensor::f64([1], vec![1.0]).unwrap());
        assert!(read_tensor(&double.with("element", "f32")).is_err());
        assert!(Graph::read(&good.clone().with("outputs", vec!["input 0".to_string()])).is_err(), "fewer than names");
        assert!(Graph::read(&good.with("outputs", vec![String::new(), "input 0".into()])).is_err(), "from nowhere");
    }
}
