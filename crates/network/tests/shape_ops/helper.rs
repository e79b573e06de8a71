//! One node as a network, tensors by index, drawn shapes and numbers.

use base::graph::*;
use base::{Result, Run, Seed};
use pellucid_network::Network;

/// What goes into the node: fed, or a constant of the graph.
#[derive(Clone)]
pub enum In {
    Fed(Tensor),
    Constant(Tensor),
    Absent,
}

/// A graph of that one node.
fn graph(op: &Op, inputs: &[In], outputs: usize) -> (Graph, Vec<Tensor>) {
    let (mut fed, mut given, mut weights, mut sources) = (vec![], vec![], vec![], vec![]);
    for (i, input) in inputs.iter().enumerate() {
        sources.push(match input {
            In::Fed(t) => {
                given.push(GraphInput {
                    name: format!("x{i}"),
                    element: t.element(),
                    shape: vec![None; t.shape().len()],
                });
                fed.push(t.clone());
                Some(Source::Input(fed.len() - 1))
            }
            In::Constant(t) => {
                weights.push(Weight { name: format!("w{i}"), tensor: t.clone(), trained: false });
                Some(Source::Weight(weights.len() - 1))
            }
            In::Absent => None,
        });
    }
    let node = Node { name: "node".into(), op: op.clone(), inputs: sources, outputs };
    let out = (0..outputs).map(|port| (format!("y{port}"), Source::Node(0, port))).collect();
    (Graph::new(given, weights, vec![node], out).unwrap(), fed)
}

/// What the node gives; the same for 1, 2 and 4 threads, bit by bit.
pub fn run_many(op: &Op, inputs: &[In], outputs: usize) -> Result<Vec<Tensor>> {
    let (graph, fed) = graph(op, inputs, outputs);
    let once = |threads: usize| Network::new(graph.clone()).run(&fed, &Run { threads, ..Run::quiet(1) });
    let first = once(1);
    for threads in [2, 4] {
        let (a, b) = (&first, once(threads));
        assert_eq!(format!("{a:?}"), format!("{b:?}"), "{threads} threads");
        if let (Ok(a), Ok(b)) = (a, &b) {
            a.iter().zip(b).for_each(|(a, b)| assert!(bits(a) == bits(b), "{threads} threads"));
        }
    }
    first
}

fn bits(tensor: &Tensor) -> Vec<u64> {
    tensor.to_f64().iter().map(|x| x.to_bits()).collect()
}

/// The only thing it gives.
pub fn run(op: &Op, inputs: &[In]) -> Tensor {
    run_many(op, inputs, 1).unwrap_or_else(|e| panic!("{op:?}: {e}")).remove(0)
}

/// Compares pulled gradients of all real inputs that are fed with finite differences.
pub fn check_slopes(op: &Op, inputs: &[In], outputs: usize) {
    let (graph, fed) = graph(op, inputs, outputs);
    let network = Network::new(graph);
    let quiet = Run::quiet(1);
    let tape = network.tape(&fed, &quiet).unwrap();
    let mut seeds = vec![];
    for (port, y) in tape.outputs().unwrap().into_iter().enumerate() {
        if y.element() == Element::F64 {
            seeds.push((Source::Node(0, port), reals(y.shape(), 77 + port as u64)));
        }
    }
    let wanted: Vec<Source> = (0..fed.len()).map(Source::Input).collect();
    let pulled = tape.pull(&seeds, &wanted, &quiet).unwrap();
    let more = Run { threads: 4, ..Run::quiet(1) };
    assert_eq!(pulled, tape.pull(&seeds, &wanted, &more).unwrap(), "gradients depend on the threads");
    for (i, claimed) in pulled.iter().enumerate().filter(|(i, _)| fed[*i].element() == Element::F64) {
        let f = |x: &[f64]| {
            let mut moved = fed.clone();
            moved[i] = Tensor::f64(fed[i].shape(), x.to_vec()).unwrap();
            let y = network.run(&moved, &quiet).unwrap();
            let dot = |(source, g): &(Source, Tensor)| {
                let Source::Node(_, port) = source else { panic!() };
                y[*port].to_f64().iter().zip(g.to_f64()).map(|(y, g)| y * g).sum::<f64>()
            };
            seeds.iter().map(dot).sum()
        };
        let claimed = claimed.as_ref().unwrap_or_else(|| panic!("{op:?}: no gradient of input {i}"));
        assert_eq!(claimed.shape(), fed[i].shape());
        testkit::check_slope(f, &claimed.to_f64(), &fed[i].to_f64());
    }
}

/// Whether the node is refused, with a message and not a panic.
pub fn refused(op: &Op, inputs: &[In], outputs: usize) -> String {
    match run_many(op, inputs, outputs) {
        Ok(y) => panic!("{op:?} gave {y:?}"),
        Err(error) => error.to_string(),
    }
}

/// Numbers in (−1, 1).
pub fn reals(shape: &[usize], seed: u64) -> Tensor {
    let draw = |i: usize| 2.0 * Seed(seed).at(i).unit() - 1.0;
    Tensor::f64(shape, (0..shape.iter().product()).map(draw).collect()).unwrap()
}

/// Whole numbers in low..high.
pub fn wholes(shape: &[usize], low: i64, high: i64, seed: u64) -> Tensor {
    let draw = |i: usize| low + (Seed(seed).at(i).unit() * (high - low) as f64) as i64;
    Tensor::i64(shape, (0..shape.iter().product()).map(draw).collect()).unwrap()
}

/// A constant vector of whole numbers.
pub fn list(values: &[i64]) -> In {
    In::Constant(Tensor::i64([values.len()], values.to_vec()).unwrap())
}

/// A constant whole number without axes.
pub fn one(value: i64) -> In {
    In::Constant(Tensor::i64([], vec![value]).unwrap())
}

/// A number in 0..below.
pub fn pick(seed: u64, i: usize, below: usize) -> usize {
    (Seed(seed).fork("pick").at(i).unit() * below as f64) as usize
}

/// A shape of that many axes with sizes 1 to `most`.
pub fn shape(rank: usize, most: usize, seed: u64) -> Vec<usize> {
    (0..rank).map(|a| 1 + pick(seed, 100 + a, most)).collect()
}

/// Every index of a shape, in order.
pub fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    for &n in shape {
        all = all.iter().flat_map(|i: &Vec<usize>| (0..n).map(|k| [&i[..], &[k]].concat())).collect();
    }
    all
}

/// One number of a tensor.
pub fn at(tensor: &Tensor, index: &[usize]) -> f64 {
    assert_eq!(index.len(), tensor.shape().len());
    let flat = index.iter().zip(tensor.shape()).fold(0, |flat, (&i, &n)| {
        assert!(i < n);
        flat * n + i
    });
    match tensor.numbers() {
        Numbers::F32(v) => f64::from(v[flat]),
        Numbers::F64(v) => v[flat],
        Numbers::I64(v) => v[flat] as f64,
        Numbers::Bool(v) => f64::from(u8::from(v[flat])),
    }
}

/// Checks a tensor against what its definition says for each index.
#[track_caller]
pub fn check(tensor: &Tensor, shape: &[usize], tolerance: f64, twin: impl Fn(&[usize]) -> f64) {
    assert_eq!(tensor.shape(), shape);
    let expected: Vec<f64> = indices(shape).iter().map(|i| twin(i)).collect();
    testkit::assert_close(&tensor.to_f64(), &expected, tolerance, "by definition");
}
