//! The machine of a network against its definition, whatever form the rows come in.
#![allow(clippy::unwrap_used, reason = "tests speak by panicking")]

mod common;

use base::graph::*;
use base::{
    Error, Features, Inputs, Link, Machine, Memory, Outputs, Points, Result, Run, Seed, Shape, Verdict, argmax,
};
use common::Draw;
use pellucid_network::NetworkMachine;

fn outputs(count: usize) -> Outputs {
    Outputs::classes((0..count).map(|i| format!("c{i}")).collect(), Link::Softmax)
}

fn weight(name: &str, tensor: Tensor) -> Weight {
    Weight { name: name.into(), tensor, trained: true }
}

fn node(name: &str, op: Op, inputs: &[Source]) -> Node {
    Node { name: name.into(), op, inputs: inputs.iter().map(|s| Some(*s)).collect(), outputs: 1 }
}

fn input(element: Element, shape: &[Option<usize>]) -> GraphInput {
    GraphInput { name: "x".into(), element, shape: shape.to_vec() }
}

/// tanh(x W + b) V, with drawn weights.
struct Layers {
    w: Tensor,
    b: Tensor,
    v: Tensor,
}

impl Layers {
    fn drawn(d: usize, hidden: usize, k: usize) -> Self {
        let mut draw = Draw::new(3);
        Layers { w: draw.tensor(&[d, hidden]), b: draw.tensor(&[hidden]), v: draw.tensor(&[hidden, k]) }
    }

    fn graph(&self, element: Element, rows: Option<usize>) -> Graph {
        let of = |t: &Tensor| if element == Element::F32 { common::single(t) } else { t.clone() };
        let weights = vec![weight("w", of(&self.w)), weight("b", of(&self.b)), weight("v", of(&self.v))];
        let dense = Op::Dense { transposed: false };
        let nodes = vec![
            node("hidden", dense.clone(), &[Source::Input(0), Source::Weight(0), Source::Weight(1)]),
            node("tanh", Op::Unary(Unary::Tanh), &[Source::Node(0, 0)]),
            node("scores", dense, &[Source::Node(1, 0), Source::Weight(2)]),
        ];
        let shape = [rows, Some(self.w.shape()[0])];
        Graph::new(vec![input(element, &shape)], weights, nodes, vec![("y".into(), Source::Node(2, 0))]).unwrap()
    }

    /// One row from the definition.
    fn twin(&self, x: &[f64]) -> Vec<f64> {
        let (h, k) = (self.w.shape()[1], self.v.shape()[1]);
        let (w, b, v) = (self.w.to_f64(), self.b.to_f64(), self.v.to_f64());
        let hidden: Vec<f64> =
            (0..h).map(|j| (b[j] + x.iter().enumerate().map(|(i, x)| x * w[i * h + j]).sum::<f64>()).tanh()).collect();
        (0..k).map(|c| hidden.iter().enumerate().map(|(j, z)| z * v[j * k + c]).sum()).collect()
    }
}

fn drawn_points(rows: usize, columns: usize) -> Points {
    // Some zeros, so that sparse differs from dense.
    let values = Draw::new(17).tensor(&[rows, columns]).to_f64();
    let values = values.iter().map(|x| if x.abs() < 0.3 { 0.0 } else { *x }).collect::<Vec<_>>();
    Points::dense(values, rows, columns).unwrap()
}

fn compute(machine: &dyn Machine, points: &Points, run: &Run<'_>) -> Vec<f64> {
    let out = machine.compute(&Inputs::Points(points.clone()), run).unwrap();
    assert_eq!((out.len(), out.columns()), (points.len(), machine.outputs().names.len()));
    out.to_dense(&Memory::unlimited()).unwrap().to_vec()
}

#[test]
fn rows_go_through_in_blocks_and_come_out_as_defined() {
    // 2048 hidden numbers a row make blocks of 512 rows.
    let layers = Layers::drawn(5, 2048, 3);
    let machine = NetworkMachine::new(layers.graph(Element::F64, None), Features::unnamed(5), outputs(3)).unwrap();
    let points = drawn_points(1100, 5);
    let run = Run { memory: Memory::limited(1 << 26), ..Run::quiet(1) };
    let all = compute(&machine, &points, &run);
    assert_eq!(run.memory.used(), 0, "memory is not given back");
    let peak = run.memory.peak();
    assert!((8 << 20..40 << 20).contains(&peak), "{peak} bytes at the peak");
    let mut row = [0.0; 5];
    for i in [0, 1, 511, 512, 1023, 1024, 1099] {
        points.write_row(i, &mut row);
        common::close(&all[3 * i..3 * i + 3], &layers.twin(&row), 1e-12, "a row");
        common::close(&compute(&machine, &points.slice(i..i + 1), &run), &all[3 * i..3 * i + 3], 1e-12, "alone");
    }
    for threads in [2, 4] {
        let run = Run { threads, ..run.clone() };
        assert_eq!(common::bits(&compute(&machine, &points, &run)), common::bits(&all), "{threads} threads show");
    }
    let data = base::Dataset::new(points, base::Targets::None);
    let Inputs::Points(sparse) = testkit::as_sparse(&data).inputs else { panic!("points stay points") };
    assert_eq!(compute(&machine, &sparse, &run), all, "sparse rows are other rows");
    assert_eq!(compute(&machine, &sparse.slice(0..0), &run), Vec::<f64>::new());

    let tight = Run { memory: Memory::limited(1 << 20), ..Run::quiet(1) };
    let inputs = Inputs::Points(sparse);
    assert!(matches!(machine.compute(&inputs, &tight), Err(Error::Memory { .. })));
    assert_eq!(tight.memory.used(), 0);
    let watch = testkit::After::new(5, Verdict::Cancel);
    assert_eq!(machine.compute(&inputs, &Run { watch: &watch, ..run }).err(), Some(Error::Cancelled));
}

#[test]
fn single_precision_is_near_and_records_come_back() {
    let layers = Layers::drawn(4, 6, 3);
    let double = NetworkMachine::new(layers.graph(Element::F64, None), Features::unnamed(4), outputs(3)).unwrap();
    let names: Vec<String> = ["a", "b", "c", "d"].map(String::from).to_vec();
    let single = NetworkMachine::new(layers.graph(Element::F32, None), Features::named(names), outputs(3)).unwrap();
    let (points, run) = (drawn_points(40, 4), Run::quiet(1));
    let (found, expected) = (compute(&single, &points, &run), compute(&double, &points, &run));
    common::close(&found, &expected, 1e-6, "f32");
    assert!(found != expected, "f32 was not computed in f32");
    for machine in [double, single] {
        let back = NetworkMachine::read(&machine.record()).unwrap();
        assert_eq!(back.record(), machine.record());
        assert_eq!((back.inputs(), back.outputs()), (machine.inputs(), machine.outputs()));
        assert_eq!(compute(&back, &points, &run), compute(&machine, &points, &run));
    }
}

#[test]
fn slopes_are_measured() {
    let layers = Layers::drawn(4, 6, 3);
    for rows in [None, Some(3)] {
        let machine = NetworkMachine::new(layers.graph(Element::F64, rows), Features::unnamed(4), outputs(3)).unwrap();
        let x = [0.3, -0.8, 0.1, 1.2];
        for k in 0..3 {
            let direction: Vec<f64> = (0..3).map(|i| f64::from(u8::from(i == k))).collect();
            let claimed = testkit::gradient_at(&machine, &x, &direction);
            testkit::check_slope(|x| layers.twin(x)[k], &claimed, &x);
        }
    }
}

#[test]
fn a_graph_for_three_rows_takes_any_number() {
    let layers = Layers::drawn(4, 6, 3);
    let of = |rows| NetworkMachine::new(layers.graph(Element::F64, rows), Features::unnamed(4), outputs(3)).unwrap();
    let run = Run::quiet(1);
    for n in [1, 2, 3, 4, 7] {
        let points = drawn_points(n, 4);
        common::close(&compute(&of(Some(3)), &points, &run), &compute(&of(None), &points, &run), 1e-12, "three");
    }
    assert!(NetworkMachine::new(layers.graph(Element::F64, Some(0)), Features::unnamed(4), outputs(3)).is_err());
}

/// A graph that only flattens shows where each column went.
fn flattened(shape: &[Option<usize>], features: Features, columns: usize) -> Result<NetworkMachine> {
    let nodes = vec![node("flat", Op::Flatten { axis: 1 }, &[Source::Input(0)])];
    let graph = Graph::new(vec![input(Element::F64, shape)], vec![], nodes, vec![("y".into(), Source::Node(0, 0))])?;
    NetworkMachine::new(graph, features, outputs(columns))
}

#[test]
fn channels_go_where_the_graph_wants_them() {
    let shape = Shape::Image { height: 2, width: 3, channels: 2 };
    let picture = || Features::unnamed(12).shaped(shape).unwrap();
    let points = Points::dense((0..24).map(f64::from).collect::<Vec<_>>(), 2, 12).unwrap();
    let run = Run::quiet(1);
    let first = flattened(&[None, Some(2), Some(2), Some(3)], picture(), 12).unwrap();
    let found = compute(&first, &points, &run);
    for c in 0..2 {
        for p in 0..6 {
            assert_eq!(found[12 + c * 6 + p], (12 + p * 2 + c) as f64, "channel {c} of pixel {p}");
        }
    }
    // Whoever pulls at output j moves the column that went there.
    let direction: Vec<f64> = (0..12).map(f64::from).collect();
    let slope = testkit::gradient_at(&first, &[0.0; 12], &direction);
    assert_eq!(slope[1], 6.0, "the second channel of the first pixel is output 6");

    let same: Vec<f64> = (0..24).map(f64::from).collect();
    for shape in [&[None, Some(2), Some(3), Some(2)][..], &[None, Some(12)], &[None, None]] {
        assert_eq!(compute(&flattened(shape, picture(), 12).unwrap(), &points, &run), same, "{shape:?}");
    }
    let series = Features::unnamed(12).shaped(Shape::Series { length: 6, channels: 2 }).unwrap();
    let swapped = compute(&flattened(&[None, Some(2), Some(6)], series.clone(), 12).unwrap(), &points, &run);
    assert_eq!(swapped, found, "a series of 6 moments is a picture of 6 pixels");
    assert_eq!(compute(&flattened(&[None, Some(6), Some(2)], series, 12).unwrap(), &points, &run), same);
}

#[test]
fn what_does_not_fit_is_refused() {
    let says = |r: Result<NetworkMachine>| r.map(|_| ()).unwrap_err().to_string();
    let picture = Features::unnamed(12).shaped(Shape::Image { height: 2, width: 3, channels: 2 }).unwrap();
    let wrong = says(flattened(&[None, Some(3), Some(2), Some(3)], picture, 12));
    assert_eq!(wrong, "input \"x\" of the network: expected any x 3 x 2 x 3, found an image of 2 x 3 x 2");
    assert!(says(flattened(&[None, Some(4)], Features::unnamed(5), 5)).contains("expected any x 4, found 5 columns"));
    assert!(says(flattened(&[None, Some(4)], Features::unnamed(4), 5)).contains("expected 5, found 4"));
    assert!(says(flattened(&[None], Features::unnamed(1), 1)).contains("expected any"));
    let lasting = vec![weight("w", Tensor::f64([1, 2], vec![0.5; 2]).unwrap())];
    let constant =
        Graph::new(vec![input(Element::F64, &[None, Some(2)])], lasting, vec![], vec![("y".into(), Source::Weight(0))]);
    assert!(says(NetworkMachine::new(constant.unwrap(), Features::unnamed(2), outputs(2))).contains("expected 2 rows"));
}

#[test]
fn whole_numbers_must_be_whole() {
    let graph = |element| {
        let nodes = vec![node("twice", Op::Binary(Binary::Add), &[Source::Input(0), Source::Input(0)])];
        let ports = vec![("y".into(), Source::Node(0, 0))];
        Graph::new(vec![input(element, &[None, Some(2)])], vec![], nodes, ports).unwrap()
    };
    let machine = NetworkMachine::new(graph(Element::I64), Features::unnamed(2), outputs(2)).unwrap();
    let run = Run::quiet(1);
    let whole = Points::from_rows(&[[1.0, -3.0]]).unwrap();
    assert_eq!(compute(&machine, &whole, &run), [2.0, -6.0]);
    let error = machine.compute(&Inputs::Points(Points::from_rows(&[[1.0, 0.5]]).unwrap()), &run).unwrap_err();
    assert_eq!(error.to_string(), "row 1, column \"1\": 0.5 is not a whole number, which this network takes");
    assert!(machine.facets().gradient.is_none());
}

#[test]
fn the_label_of_a_row_does_not_depend_on_its_neighbours() {
    let layers = Layers::drawn(8, 30, 5);
    let machine = NetworkMachine::new(layers.graph(Element::F32, None), Features::unnamed(8), outputs(5)).unwrap();
    let (points, run) = (drawn_points(200, 8), Run::quiet(1));
    let all = compute(&machine, &points, &run);
    for draw in 0..20 {
        let order = Seed(draw).permutation(200);
        let some = compute(&machine, &points.select(&order[..9]).unwrap(), &run);
        for (row, &i) in some.chunks(5).zip(&order) {
            common::close(row, &all[5 * i..5 * i + 5], 1e-6, "a row among others");
            assert_eq!(argmax(row), argmax(&all[5 * i..5 * i + 5]));
        }
    }
}

#[test]
fn gradients_add_up_where_ways_part() {
    // x = (a, b), two columns each: y = (a b + exp a, b, x), so that a goes three ways and b too.
    let nodes = vec![
        Node {
            name: "halves".into(),
            op: Op::Split { axis: 1, sizes: vec![] },
            inputs: vec![Some(Source::Input(0))],
            outputs: 2,
        },
        node("product", Op::Binary(Binary::Mul), &[Source::Node(0, 0), Source::Node(0, 1)]),
        node("exp", Op::Unary(Unary::Exp), &[Source::Node(0, 0)]),
        node("sum", Op::Binary(Binary::Add), &[Source::Node(1, 0), Source::Node(2, 0)]),
        node("all", Op::Concat { axis: 1 }, &[Source::Node(3, 0), Source::Node(0, 1), Source::Input(0)]),
    ];
    let ports = vec![("y".into(), Source::Node(4, 0))];
    let graph = Graph::new(vec![input(Element::F64, &[None, Some(4)])], vec![], nodes, ports).unwrap();
    let machine = NetworkMachine::new(graph, Features::unnamed(4), outputs(8)).unwrap();
    let twin = |x: &[f64]| -> Vec<f64> {
        let (a, b) = x.split_at(2);
        let sums = (0..2).map(|i| a[i] * b[i] + a[i].exp());
        sums.chain(b.iter().copied()).chain(x.iter().copied()).collect()
    };
    let x = [0.3, -0.8, 0.1, 1.2];
    let direction = [0.5, -1.0, 2.0, 0.25, 3.0, -0.5, 1.5, 1.0];
    let claimed = testkit::gradient_at(&machine, &x, &direction);
    testkit::check_slope(|x| twin(x).iter().zip(&direction).map(|(y, d)| y * d).sum(), &claimed, &x);
    let points = Points::from_rows(&[x]).unwrap();
    common::close(&compute(&machine, &points, &Run::quiet(1)), &twin(&x), 1e-15, "values");
}

#[test]
fn gaps_pass_only_where_they_are_said_to() {
    let machine = || flattened(&[None, Some(2)], Features::unnamed(2), 2).unwrap();
    let holed = Inputs::Points(Points::from_rows(&[[1.0, f64::NAN]]).unwrap());
    let run = Run::quiet(1);
    assert!(matches!(machine().compute(&holed, &run), Err(Error::Data { .. })));
    let open = NetworkMachine::read(&machine().with_gaps().record()).unwrap();
    let admits = |machine: &NetworkMachine| machine.facets().missing.admits;
    assert!(admits(&open) && !admits(&NetworkMachine::read(&machine().record()).unwrap()));
    let out = open.compute(&holed, &run).unwrap().to_dense(&run.memory).unwrap();
    assert!(out[0] == 1.0 && out[1].is_nan());
}
