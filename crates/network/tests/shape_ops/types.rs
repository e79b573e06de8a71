//! Every type of number goes through every operation that only moves numbers; casts; shapes as numbers.

use super::helper::*;
use base::graph::*;

#[test]
fn all_types_are_moved_alike() {
    let scales = In::Constant(Tensor::f32([2], vec![2.0, 0.5]).unwrap());
    let nearest = Op::Resize {
        resizing: Resizing::Nearest,
        places: "half_pixel".into(),
        rounding: "floor".into(),
        cubic: -0.75,
        exclude: false,
        smooth: false,
    };
    let index = In::Constant(wholes(&[3, 4], -3, 3, 2));
    let cases: Vec<(Op, Vec<In>)> = vec![
        (Op::Transpose { order: vec![1, 0] }, vec![]),
        (Op::Slice, vec![list(&[2]), list(&[0]), list(&[0]), list(&[-1])]),
        (Op::Pad { filling: Filling::Reflect }, vec![list(&[1, 2, -1, 0])]),
        (Op::Gather { axis: 0 }, vec![index.clone()]),
        (Op::GatherElements { axis: 0 }, vec![index]),
        (Op::GatherNd { batch: 0 }, vec![list(&[1])]),
        (Op::Expand, vec![list(&[2, 1, 1])]),
        (Op::Tile, vec![list(&[2, 3])]),
        (Op::Flatten { axis: 0 }, vec![]),
        (nearest, vec![In::Absent, scales]),
        (Op::Split { axis: 1, sizes: vec![4] }, vec![]),
        (Op::Concat { axis: 1 }, vec![]),
    ];
    // Zeros and ones look the same in every type.
    let flags = wholes(&[3, 4], 0, 2, 1);
    for (op, more) in cases {
        let of = |to: Element| {
            let x = run(&Op::Cast { to }, &[In::Fed(flags.clone())]);
            let y = run(&op, &[vec![In::Fed(x)], more.clone()].concat());
            assert_eq!(y.element(), to);
            (y.shape().to_vec(), y.to_f64())
        };
        let first = of(Element::F64);
        for to in [Element::F32, Element::I64, Element::Bool] {
            assert_eq!(of(to), first, "{op:?} of {}", to.word());
        }
    }
}

#[test]
fn casts() {
    let real = Tensor::f64([6], vec![1.9, -1.9, f64::NAN, 1e300, -0.0, 0.1]).unwrap();
    let cast = |x: &Tensor, to| run(&Op::Cast { to }, &[In::Fed(x.clone())]);
    assert_eq!(cast(&real, Element::I64), Tensor::i64([6], vec![1, -1, 0, i64::MAX, 0, 0]).unwrap());
    assert_eq!(cast(&real, Element::Bool), Tensor::bool([6], vec![true, true, true, true, false, true]).unwrap());
    assert_eq!(cast(&real, Element::F32).to_f64()[3], f64::INFINITY);
    let flags = Tensor::bool([2], vec![true, false]).unwrap();
    for to in [Element::F32, Element::F64, Element::I64] {
        assert_eq!(cast(&flags, to).to_f64(), [1.0, 0.0]);
        assert_eq!(cast(&cast(&flags, to), Element::Bool), flags);
    }
    check_slopes(&Op::Cast { to: Element::F64 }, &[In::Fed(reals(&[3], 1))], 1);
}

#[test]
fn shapes_as_numbers() {
    let x = In::Fed(reals(&[2, 3, 4], 1));
    let shape = |start, end| run(&Op::Shape { start, end }, std::slice::from_ref(&x)).to_f64();
    assert_eq!(shape(0, None), [2.0, 3.0, 4.0]);
    assert_eq!(shape(-2, Some(-1)), [3.0]);
    assert_eq!((shape(-9, Some(9)).len(), shape(2, Some(1)).len()), (3, 0));
    let value = Tensor::i64([1], vec![7]).unwrap();
    let filled = run(&Op::ConstantOfShape { value }, &[list(&[2, 2])]);
    assert_eq!(filled, Tensor::i64([2, 2], vec![7; 4]).unwrap());
    let range = |a: f64, b: f64, d: f64| {
        let three = [a, b, d].map(|x| In::Constant(Tensor::f64([], vec![x]).unwrap()));
        run(&Op::Range, &three).to_f64()
    };
    assert_eq!(range(1.0, 2.0, 0.4), [1.0, 1.4, 1.8]);
    assert_eq!(range(2.0, 0.0, -1.0), [2.0, 1.0]);
    assert_eq!(run(&Op::Range, &[one(10), one(4), one(-3)]).to_f64(), [10.0, 7.0]);
}

/// A shape that is computed from the shape of what goes in is known before anything runs.
#[test]
fn shape_arithmetic_is_folded() {
    let input = GraphInput { name: "x".into(), element: Element::F32, shape: vec![None, Some(2), Some(3)] };
    let whole = |name: &str, v: &[i64]| Weight {
        name: name.into(),
        tensor: Tensor::i64([v.len()], v.to_vec()).unwrap(),
        trained: false,
    };
    let node = |name: &str, op: Op, inputs: Vec<Source>| Node {
        name: name.into(),
        op,
        inputs: inputs.into_iter().map(Some).collect(),
        outputs: 1,
    };
    let nodes = vec![
        node("shape", Op::Shape { start: 0, end: None }, vec![Source::Input(0)]),
        node("rows", Op::Gather { axis: 0 }, vec![Source::Node(0, 0), Source::Weight(0)]),
        node("to", Op::Concat { axis: 0 }, vec![Source::Node(1, 0), Source::Weight(1)]),
        node("flat", Op::Reshape { zero: false }, vec![Source::Input(0), Source::Node(2, 0)]),
    ];
    let weights = vec![whole("zero", &[0]), whole("rest", &[-1])];
    let graph = Graph::new(vec![input], weights, nodes, vec![("y".into(), Source::Node(3, 0))]).unwrap();
    let x = Tensor::f32([5, 2, 3], vec![0.0; 30]).unwrap();
    let y = pellucid_network::Network::new(graph).run(&[x], &base::Run::quiet(1)).unwrap();
    assert_eq!(y[0].shape(), [5, 6]);
}
