//! What every operation is asked: does it agree with its definition, with itself in other precision, on other threads
//! and in other batches, and with finite differences?
#![allow(dead_code, clippy::unwrap_used, reason = "shared by several tests, which speak by panicking")]

use base::graph::*;
use base::{Error, Run, Seed};
use pellucid_network::Network;

/// A stream of drawn numbers.
pub struct Draw(pub Seed, pub usize);

impl Draw {
    pub fn new(seed: u64) -> Self {
        Draw(Seed(seed).fork("network tests"), 0)
    }

    pub fn unit(&mut self) -> f64 {
        self.1 += 1;
        self.0.at(self.1).unit()
    }

    /// A whole number from `low` to `high`, both included.
    pub fn whole(&mut self, low: usize, high: usize) -> usize {
        low + (self.unit() * (high - low + 1) as f64) as usize
    }

    /// A tensor of numbers between −1 and 1.
    pub fn tensor(&mut self, shape: &[usize]) -> Tensor {
        self.between(shape, -1.0, 1.0)
    }

    pub fn between(&mut self, shape: &[usize], low: f64, high: f64) -> Tensor {
        let count = shape.iter().product();
        Tensor::f64(shape, (0..count).map(|_| low + (high - low) * self.unit()).collect()).unwrap()
    }

    /// Numbers that are at least a step apart from each other and from 0, in any order.
    pub fn apart(&mut self, shape: &[usize]) -> Tensor {
        let count: usize = shape.iter().product();
        self.1 += 1;
        let order = self.0.at(self.1).permutation(count);
        let values = order.iter().map(|&i| (i as f64 + 0.3) * 0.1 - 0.05 * count as f64).collect();
        Tensor::f64(shape, values).unwrap()
    }
}

/// A network of one node whose inputs are the graph's.
pub fn graph(op: Op, inputs: &[Option<Tensor>]) -> Result<Graph, Error> {
    let mut sources = vec![];
    let mut list = vec![];
    for tensor in inputs {
        sources.push(tensor.as_ref().map(|_| Source::Input(list.len())));
        if let Some(tensor) = tensor {
            let name = format!("x{}", list.len());
            list.push(GraphInput { name, element: tensor.element(), shape: vec![None; tensor.shape().len()] });
        }
    }
    let node = Node { name: "the node".into(), op, inputs: sources, outputs: 1 };
    Graph::new(list, vec![], vec![node], vec![("y".into(), Source::Node(0, 0))])
}

pub fn there(inputs: &[Option<Tensor>]) -> Vec<Tensor> {
    inputs.iter().flatten().cloned().collect()
}

pub fn threads(threads: usize) -> Run<'static> {
    Run { threads, ..Run::quiet(1) }
}

pub fn run(op: &Op, inputs: &[Option<Tensor>]) -> Result<Tensor, Error> {
    let network = Network::new(graph(op.clone(), inputs)?);
    Ok(network.run(&there(inputs), &threads(1))?.remove(0))
}

pub fn single(tensor: &Tensor) -> Tensor {
    match tensor.element() {
        Element::F64 => Tensor::f32(tensor.shape(), tensor.to_f64().iter().map(|&x| x as f32).collect()).unwrap(),
        _ => tensor.clone(),
    }
}

pub fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|x| x.to_bits()).collect()
}

/// Equal up to a share of the largest of both; NaN and ∞ must stand in the same places.
#[track_caller]
pub fn close(found: &[f64], expected: &[f64], share: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}: another number of elements");
    let largest = expected.iter().filter(|x| x.is_finite()).fold(1e-3, |m: f64, x| m.max(x.abs()));
    for (i, (f, e)) in found.iter().zip(expected).enumerate() {
        let same = f == e || (f.is_nan() && e.is_nan()) || (f - e).abs() <= share * largest;
        assert!(same, "{what}: element {i} is {f}, not {e}");
    }
}

/// Gradients of Σ g y to each input, in the inputs' precision.
pub fn gradients(network: &Network, inputs: &[Tensor], g: &Tensor, run: &Run<'_>) -> Vec<Option<Tensor>> {
    let tape = network.tape(inputs, run).unwrap();
    let sources: Vec<Source> = (0..inputs.len()).map(Source::Input).collect();
    tape.pull(&[(Source::Node(0, 0), g.clone())], &sources, run).unwrap()
}

/// All that holds for every operation; `expected` is the twin's answer. Inputs named in `flat` have no slope.
#[track_caller]
pub fn check(op: &Op, inputs: &[Option<Tensor>], expected: (&[usize], &[f64]), flat: &[usize]) {
    let what = format!("{op:?} on {:?}", inputs.iter().flatten().map(Tensor::shape).collect::<Vec<_>>());
    let network = Network::new(graph(op.clone(), inputs).unwrap());
    let given = there(inputs);
    let y = network.run(&given, &threads(1)).unwrap_or_else(|e| panic!("{what}: {e}")).remove(0);
    assert_eq!(y.shape(), expected.0, "{what}");
    close(&y.to_f64(), expected.1, 1e-12, &what);

    let narrow: Vec<Tensor> = given.iter().map(single).collect();
    let options: Vec<Option<Tensor>> = inputs.iter().map(|t| t.as_ref().map(single)).collect();
    let small = Network::new(graph(op.clone(), &options).unwrap());
    let y32 = small.run(&narrow, &threads(1)).unwrap().remove(0);
    close(&y32.to_f64(), expected.1, 1e-5, &format!("{what} in f32"));
    for count in [2, 4] {
        let again = network.run(&given, &threads(count)).unwrap().remove(0);
        assert_eq!(bits(&again.to_f64()), bits(&y.to_f64()), "{what}: {count} threads show");
        let again = small.run(&narrow, &threads(count)).unwrap().remove(0);
        assert_eq!(bits(&again.to_f64()), bits(&y32.to_f64()), "{what}: {count} threads show in f32");
    }
    if !y.element().is_real() {
        return;
    }

    let g = Draw::new(99).tensor(y.shape());
    let (pulled, pulled32) =
        (gradients(&network, &given, &g, &threads(1)), gradients(&small, &narrow, &single(&g), &threads(1)));
    for count in [2, 4] {
        let pairs = [
            (&pulled, gradients(&network, &given, &g, &threads(count))),
            (&pulled32, gradients(&small, &narrow, &single(&g), &threads(count))),
        ];
        for (one, many) in pairs {
            for (one, many) in one.iter().zip(&many) {
                let list = |t: &Option<Tensor>| t.as_ref().map(|t| bits(&t.to_f64()));
                assert_eq!(list(one), list(many), "{what}: {count} threads show in gradients");
            }
        }
    }
    for (i, tensor) in given.iter().enumerate() {
        if !tensor.element().is_real() || flat.contains(&i) {
            assert!(pulled[i].is_none(), "{what}: a slope of input {i}");
            continue;
        }
        let claimed = pulled[i].as_ref().unwrap_or_else(|| panic!("{what}: no slope of input {i}"));
        assert_eq!(claimed.shape(), tensor.shape(), "{what}: slope of input {i}");
        close(&pulled32[i].as_ref().unwrap().to_f64(), &claimed.to_f64(), 1e-5, &format!("{what}: f32 slope {i}"));
        let f = |values: &[f64]| {
            let mut moved = given.clone();
            moved[i] = Tensor::f64(tensor.shape(), values.to_vec()).unwrap();
            let y = network.run(&moved, &threads(1)).unwrap().remove(0).to_f64();
            y.iter().zip(g.to_f64()).map(|(y, g)| y * g).sum()
        };
        testkit::check_slope(f, &claimed.to_f64(), &tensor.to_f64());
    }
}

/// A row of the first input alone gives the row of the batch, and the same row of its gradient.
#[track_caller]
pub fn check_rows(op: &Op, inputs: &[Option<Tensor>]) {
    let network = Network::new(graph(op.clone(), inputs).unwrap());
    let given = there(inputs);
    let y = network.run(&given, &threads(1)).unwrap().remove(0);
    let g = Draw::new(98).tensor(y.shape());
    let all = gradients(&network, &given, &g, &threads(1)).remove(0).unwrap();
    for row in 0..given[0].shape()[0] {
        let mut alone = given.clone();
        alone[0] = row_of(&given[0], row);
        let own = network.run(&alone, &threads(1)).unwrap().remove(0);
        close(&own.to_f64(), &row_of(&y, row).to_f64(), 1e-12, &format!("{op:?}: row {row} alone"));
        let slope = gradients(&network, &alone, &row_of(&g, row), &threads(1)).remove(0).unwrap();
        close(&slope.to_f64(), &row_of(&all, row).to_f64(), 1e-12, &format!("{op:?}: slope of row {row} alone"));
    }
}

pub fn row_of(tensor: &Tensor, row: usize) -> Tensor {
    let mut shape = tensor.shape().to_vec();
    shape[0] = 1;
    let length: usize = shape.iter().product();
    Tensor::f64(shape, tensor.to_f64()[row * length..(row + 1) * length].to_vec()).unwrap()
}

/// Refused with the node's name.
#[track_caller]
pub fn refused(op: Op, inputs: &[Option<Tensor>]) {
    let what = format!("{op:?}");
    let error = run(&op, inputs).map(|y| y.shape().to_vec()).expect_err(&what);
    assert!(error.to_string().contains("the node"), "{what}: {error}");
}

/// The index of a place in a shape, last axis fastest.
pub fn unravel(mut at: usize, shape: &[usize]) -> Vec<usize> {
    let mut index = vec![0; shape.len()];
    for (i, &n) in index.iter_mut().zip(shape).rev() {
        *i = at % n;
        at /= n;
    }
    index
}

pub fn ravel(index: &[usize], shape: &[usize]) -> usize {
    index.iter().zip(shape).fold(0, |at, (i, n)| at * n + i)
}
