//! Wrong shapes, indices and sizes are refused with a reason; nothing panics, nothing is allocated beyond the limit.

use super::helper::*;
use base::graph::*;
use base::{Error, Memory, Run};

fn says(op: Op, inputs: Vec<In>, what: &str) {
    let error = refused(&op, &inputs, 1);
    assert!(error.contains(what), "{op:?}: {error:?} does not say {what:?}");
    assert!(error.contains("\"node\"") || error.contains("index"), "{error}");
}

fn x() -> In {
    In::Fed(reals(&[2, 3], 1))
}

#[test]
fn wrong_axes_and_shapes() {
    for axis in [2, -3, i64::MAX, i64::MIN] {
        let sum = Op::Reduce { reduction: Reduction::Sum, axes: vec![axis], keep: true };
        says(sum, vec![x()], "axis");
        says(Op::Softmax { axis, log: false }, vec![x()], "axis");
        says(Op::ArgMax { axis, keep: true, last: false, smallest: false }, vec![x()], "axis");
        says(Op::TopK { axis, largest: true }, vec![x(), list(&[1])], "axis");
        says(Op::Concat { axis }, vec![x(), x()], "axis");
        says(Op::Split { axis, sizes: vec![] }, vec![x()], "axis");
        says(Op::Squeeze { axes: vec![axis] }, vec![x()], "axis");
        says(Op::Gather { axis }, vec![x(), list(&[0])], "axis");
        says(Op::GatherElements { axis }, vec![x(), In::Fed(wholes(&[2, 3], 0, 1, 1))], "axis");
        says(Op::CumSum { exclusive: false, reverse: false }, vec![x(), one(axis)], "axis");
    }
    says(Op::Flatten { axis: 3 }, vec![x()], "axis");
    says(Op::OneHot { axis: 3 }, vec![list(&[0]), one(2), In::Fed(reals(&[2], 1))], "axis");
    says(Op::Unsqueeze { axes: vec![0, 0] }, vec![x()], "twice");
    says(Op::Squeeze { axes: vec![0] }, vec![x()], "expected 1, found 2");
    says(Op::Transpose { order: vec![0, 0] }, vec![x()], "order");
    says(Op::Transpose { order: vec![0] }, vec![x()], "order");
    says(Op::Transpose { order: vec![0, usize::MAX] }, vec![x()], "order");
    for asked in [&[4][..], &[-1, -1], &[5, -1], &[-2], &[0, 0, 0], &[i64::MAX, i64::MAX], &[0, -1, 0]] {
        says(Op::Reshape { zero: false }, vec![x(), list(asked)], "shape");
    }
    says(Op::Reshape { zero: true }, vec![x(), list(&[0, -1])], "shape");
    says(Op::Reshape { zero: false }, vec![x(), In::Fed(wholes(&[1], 6, 7, 1))], "constant");
    says(Op::Concat { axis: 0 }, vec![x(), In::Fed(reals(&[2, 2], 1))], "join");
    says(Op::Concat { axis: 0 }, vec![x(), In::Fed(wholes(&[2, 3], 0, 1, 1))], "join");
    says(Op::Split { axis: 1, sizes: vec![2] }, vec![x()], "sum to 3");
    says(Op::Split { axis: 1, sizes: vec![usize::MAX, 4] }, vec![x()], "sum to 3");
    says(Op::Expand, vec![x(), list(&[2, 4])], "broadcast");
    says(Op::Expand, vec![x(), list(&[-1, 3])], "negative");
    says(Op::Tile, vec![x(), list(&[2])], "repeats");
    says(Op::Tile, vec![x(), list(&[i64::MAX, i64::MAX])], "count");
}

#[test]
fn wrong_indices_pads_and_numbers() {
    for index in [2, -3, i64::MAX, i64::MIN] {
        says(Op::Gather { axis: 0 }, vec![x(), list(&[0, index])], &format!("index = {index}"));
        let all = In::Fed(Tensor::i64([1, 1], vec![index]).unwrap());
        says(Op::GatherElements { axis: 0 }, vec![x(), all.clone()], &format!("index = {index}"));
        says(Op::GatherNd { batch: 0 }, vec![x(), all.clone()], &format!("index = {index}"));
        let row = In::Fed(reals(&[1, 3], 1));
        says(Op::Scatter(Scatter::Nd), vec![x(), all.clone(), row], &format!("index = {index}"));
        let one = In::Fed(reals(&[1, 1], 1));
        says(Op::Scatter(Scatter::Elements { axis: 0 }), vec![x(), all, one], &format!("index = {index}"));
    }
    says(Op::Gather { axis: 0 }, vec![x(), x()], "i64");
    says(Op::GatherElements { axis: 0 }, vec![x(), In::Fed(wholes(&[1, 4], 0, 1, 1))], "shape of the indices");
    says(Op::GatherNd { batch: 2 }, vec![x(), list(&[0, 0])], "shape of the indices");
    says(Op::GatherNd { batch: usize::MAX }, vec![x(), list(&[0])], "shape of the indices");
    says(Op::GatherNd { batch: 0 }, vec![x(), list(&[0, 0, 0])], "shape of the indices");
    says(Op::GatherNd { batch: 0 }, vec![x(), one(0)], "shape of the indices");
    says(Op::Scatter(Scatter::Nd), vec![x(), list(&[0]), x()], "updates");
    says(Op::Slice, vec![x(), list(&[0]), list(&[1]), list(&[0]), list(&[0])], "must not be 0");
    says(Op::Slice, vec![x(), list(&[0, 0]), list(&[1, 1]), list(&[0, -2])], "repeated");
    says(Op::Slice, vec![x(), list(&[0]), list(&[1, 2])], "ends");
    says(Op::Slice, vec![x(), list(&[0, 0, 0]), list(&[1, 1, 1])], "axis");
    let pad = |filling| Op::Pad { filling };
    says(pad(Filling::Constant), vec![x(), list(&[1, 1])], "pads");
    says(pad(Filling::Constant), vec![x(), list(&[-3, 0, 0, 0])], "crops more");
    says(pad(Filling::Constant), vec![x(), list(&[i64::MIN, 0, 0, 0])], "crops more");
    says(pad(Filling::Edge), vec![x(), list(&[-2, 0, 1, 0])], "no element");
    says(pad(Filling::Edge), vec![x(), list(&[-1, 0, -2, 0])], "crops more");
    says(pad(Filling::Constant), vec![x(), list(&[0; 4]), In::Fed(reals(&[2], 1))], "value");
    says(pad(Filling::Constant), vec![x(), list(&[0; 4]), In::Absent, list(&[0, 0])], "repeated");
    for k in [-1, 4, i64::MAX] {
        says(Op::TopK { axis: 1, largest: true }, vec![x(), list(&[k])], "k =");
    }
    says(Op::OneHot { axis: 0 }, vec![list(&[0]), one(-1), In::Fed(reals(&[2], 1))], "depth");
    says(Op::OneHot { axis: 0 }, vec![list(&[0]), one(1), In::Fed(reals(&[3], 1))], "values");
    says(Op::Range, vec![one(0), one(1), one(0)], "delta");
    let value = Tensor::f32([2], vec![0.0; 2]).unwrap();
    says(Op::ConstantOfShape { value }, vec![list(&[1])], "values of a constant");
    let flags = In::Fed(Tensor::bool([2], vec![true; 2]).unwrap());
    says(Op::Reduce { reduction: Reduction::Sum, axes: vec![], keep: false }, vec![flags.clone()], "sum");
    says(Op::Softmax { axis: 0, log: true }, vec![flags], "f32");
    let none = In::Fed(Tensor::f64([0], vec![]).unwrap());
    says(Op::ArgMax { axis: 0, keep: false, last: false, smallest: false }, vec![none.clone()], "at least 1");
    let no_wholes = In::Fed(Tensor::i64([0], vec![]).unwrap());
    says(Op::Reduce { reduction: Reduction::Mean, axes: vec![], keep: false }, vec![no_wholes], "at least 1");
    let resize = |places: &str, rounding: &str| Op::Resize {
        resizing: Resizing::Linear,
        places: places.into(),
        rounding: rounding.into(),
        cubic: -0.75,
        exclude: false,
        smooth: true,
    };
    let scales = |s: f64| In::Constant(Tensor::f64([1], vec![s]).unwrap());
    let line = || In::Fed(reals(&[3], 1));
    for s in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        says(resize("half_pixel", "floor"), vec![line(), In::Absent, scales(s)], "scale");
    }
    says(resize("tf_crop_and_resize", "floor"), vec![line(), In::Absent, scales(1.0)], "coordinate mapping");
    says(resize("half_pixel", "down"), vec![line(), In::Absent, scales(1.0)], "rounding");
    says(resize("half_pixel", "floor"), vec![line()], "scales or sizes");
    says(resize("half_pixel", "floor"), vec![none, In::Absent, In::Absent, list(&[3])], "at least 1");
    says(resize("half_pixel", "floor"), vec![line(), In::Absent, In::Absent, list(&[1, 1])], "sizes");
}

/// Sizes beside a size of 0 may be anything; none of them may be multiplied out.
#[test]
fn empty_tensors_with_vast_sizes() {
    let vast = || In::Fed(Tensor::f64([0, usize::MAX, 3], vec![]).unwrap());
    let index = || In::Fed(Tensor::i64([0, 1, 1], vec![]).unwrap());
    let ops: Vec<(Op, Vec<In>)> = vec![
        (Op::Reduce { reduction: Reduction::Sum, axes: vec![1], keep: true }, vec![vast()]),
        (Op::Reduce { reduction: Reduction::Sum, axes: vec![0, 2], keep: true }, vec![vast()]),
        (Op::Reduce { reduction: Reduction::Max, axes: vec![], keep: true }, vec![vast()]),
        (Op::Reduce { reduction: Reduction::LogSumExp, axes: vec![0], keep: true }, vec![vast()]),
        (Op::Softmax { axis: 1, log: false }, vec![vast()]),
        (Op::Softmax { axis: 2, log: true }, vec![vast()]),
        (Op::CumSum { exclusive: false, reverse: false }, vec![vast(), one(1)]),
        (Op::ArgMax { axis: 1, keep: true, last: false, smallest: false }, vec![vast()]),
        (Op::TopK { axis: 1, largest: true }, vec![vast(), list(&[2])]),
        (Op::Concat { axis: 1 }, vec![vast(), vast()]),
        (Op::Concat { axis: 2 }, vec![vast(), vast()]),
        (Op::Split { axis: 1, sizes: vec![] }, vec![vast()]),
        (Op::Transpose { order: vec![] }, vec![vast()]),
        (Op::Transpose { order: vec![0, 2, 1] }, vec![vast()]),
        (Op::Flatten { axis: 1 }, vec![vast()]),
        (Op::Squeeze { axes: vec![] }, vec![vast()]),
        (Op::Reshape { zero: true }, vec![vast(), list(&[0, -1])]),
        (Op::Pad { filling: Filling::Edge }, vec![vast(), list(&[0, 1, 0, 0, 1, 0])]),
        (Op::Slice, vec![vast(), list(&[0]), list(&[1]), list(&[1])]),
        (Op::Slice, vec![vast(), list(&[0]), list(&[1]), list(&[0])]),
        (Op::Gather { axis: 1 }, vec![vast(), list(&[5])]),
        (Op::Gather { axis: 0 }, vec![vast(), list(&[0])]),
        (Op::GatherElements { axis: 1 }, vec![vast(), index()]),
        (Op::GatherNd { batch: 0 }, vec![vast(), list(&[0])]),
        (Op::Scatter(Scatter::Elements { axis: 1 }), vec![vast(), index(), In::Fed(reals(&[0, 1, 1], 1))]),
        (Op::Expand, vec![vast(), list(&[4, 1, 1, 3])]),
        (Op::Tile, vec![vast(), list(&[2, 1, 2])]),
        (Op::Shape { start: 0, end: None }, vec![vast()]),
        (Op::Cast { to: Element::Bool }, vec![vast()]),
        (Op::OneHot { axis: 1 }, vec![index(), one(i64::MAX), In::Fed(reals(&[2], 1))]),
        (Op::ConstantOfShape { value: Tensor::f32([1], vec![1.0]).unwrap() }, vec![list(&[0, i64::MAX, i64::MAX])]),
        (Op::ConstantOfShape { value: Tensor::f32([1], vec![1.0]).unwrap() }, vec![list(&[i64::MAX, i64::MAX, 0])]),
    ];
    for (op, inputs) in ops {
        // Either an empty result or an error will do; a panic or a vast buffer will not.
        if let Ok(y) = run_many(&op, &inputs, 1) {
            assert!(y[0].numbers().len() < 100, "{op:?}");
        }
    }
}

#[test]
fn vast_results_are_refused_by_the_memory() {
    let large = 1i64 << 40;
    let cases: Vec<(Op, Vec<Tensor>)> = vec![
        (Op::ConstantOfShape { value: Tensor::f32([1], vec![1.0]).unwrap() }, vec![whole(&[large])]),
        (Op::Range, vec![scalar(0), scalar(large), scalar(1)]),
        (Op::Expand, vec![whole(&[1]), whole(&[large])]),
        (Op::Tile, vec![whole(&[1]), whole(&[large])]),
        (Op::Pad { filling: Filling::Edge }, vec![whole(&[1]), whole(&[large, large])]),
        (Op::OneHot { axis: 0 }, vec![whole(&[1]), scalar(large), Tensor::f32([2], vec![0.0, 1.0]).unwrap()]),
    ];
    for (op, tensors) in cases {
        let weights = tensors.into_iter().enumerate();
        let weights: Vec<Weight> =
            weights.map(|(i, tensor)| Weight { name: format!("w{i}"), tensor, trained: false }).collect();
        let inputs = (0..weights.len()).map(|i| Some(Source::Weight(i))).collect();
        let node = Node { name: "node".into(), op: op.clone(), inputs, outputs: 1 };
        let graph = Graph::new(vec![], weights, vec![node], vec![("y".into(), Source::Node(0, 0))]).unwrap();
        let run = Run { memory: Memory::limited(1 << 20), ..Run::quiet(1) };
        let result = pellucid_network::Network::new(graph).run(&[], &run);
        assert!(matches!(result, Err(Error::Memory { .. })), "{op:?}: {result:?}");
    }
}

fn whole(values: &[i64]) -> Tensor {
    Tensor::i64([values.len()], values.to_vec()).unwrap()
}

fn scalar(value: i64) -> Tensor {
    Tensor::i64([], vec![value]).unwrap()
}
