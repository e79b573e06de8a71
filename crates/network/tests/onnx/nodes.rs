//! ONNX's own tests of operators.

use crate::golden::{Case, cases};
use base::graph::Tensor;
use base::{Error, Run};
use pellucid_network::{Network, read_onnx_with};
use std::collections::BTreeMap;

/// Tests that ask for what is refused by design, with a word of the message that says so.
const REFUSED: &[(&str, &str)] = &[
    ("test_batchnorm_epsilon_training_mode", "training_mode"),
    ("test_batchnorm_example_training_mode", "training_mode"),
    ("test_maxpool_with_argmax_2d_precomputed_pads", "beyond the first 1"),
    ("test_maxpool_with_argmax_2d_precomputed_strides", "beyond the first 1"),
    ("test_resize_downsample_scales_linear_half_pixel_symmetric", "half_pixel_symmetric"),
    ("test_resize_upsample_scales_linear_half_pixel_symmetric", "half_pixel_symmetric"),
    ("test_resize_tf_crop_and_resize", "tf_crop_and_resize"),
    ("test_resize_tf_crop_and_resize_axes_2_3", "tf_crop_and_resize"),
    ("test_resize_tf_crop_and_resize_axes_3_2", "tf_crop_and_resize"),
    ("test_resize_tf_crop_and_resize_extrapolation_value", "tf_crop_and_resize"),
    ("test_scatter_elements_with_duplicate_indices", "reduction"),
    ("test_scatter_elements_with_reduction_max", "reduction"),
    ("test_scatter_elements_with_reduction_min", "reduction"),
    ("test_scatternd_add", "reduction"),
    ("test_scatternd_max", "reduction"),
    ("test_scatternd_min", "reduction"),
    ("test_scatternd_multiply", "reduction"),
    ("test_training_dropout", "training_mode"),
    ("test_training_dropout_default", "training_mode"),
    ("test_training_dropout_default_mask", "training_mode"),
    ("test_training_dropout_mask", "training_mode"),
];

/// Tests whose numbers are not what onnxruntime gives: they count the sizes of `align_corners` before rounding them.
const DISPUTED: [&str; 2] =
    ["test_resize_downsample_scales_cubic_align_corners", "test_resize_downsample_scales_linear_align_corners"];

/// A test whose numbers are written with four digits.
const ROUNDED: &str = "test_averagepool_2d_ceil_last_window_starts_on_pad";

fn none(name: &str) -> Result<pellucid_network::ExternalBytes, Error> {
    Err(Error::format(name, "is not there"))
}

/// Runs a case with those inputs fixed; the others are fed.
fn run(case: &Case, fixed: &dyn Fn(&Tensor) -> bool) -> Result<Vec<Tensor>, Error> {
    let run = Run::quiet(1);
    let tensors: Vec<Tensor> = case.inputs.iter().map(|v| v.tensor()).collect();
    let names = input_names(&case.model);
    let given: BTreeMap<String, Tensor> =
        names.iter().cloned().zip(tensors.clone()).filter(|(_, t)| fixed(t)).collect();
    let model = read_onnx_with(&case.name, &case.model, &none, &given, &run)?;
    let fed: Vec<Tensor> = names.iter().zip(tensors).filter(|(n, _)| !given.contains_key(*n)).map(|(_, t)| t).collect();
    Network::new(model.graph).run(&fed, &run)
}

/// The names of a model's inputs, straight from its bytes: model.graph (7), graph.input (11), name (1).
fn input_names(model: &[u8]) -> Vec<String> {
    let graph = fields(model).into_iter().find(|(n, _)| *n == 7).unwrap().1;
    let infos = fields(graph).into_iter().filter(|(n, _)| *n == 11);
    infos
        .map(|(_, i)| String::from_utf8(fields(i).iter().find(|(n, _)| *n == 1).unwrap().1.to_vec()).unwrap())
        .collect()
}

fn fields(mut rest: &[u8]) -> Vec<(u64, &[u8])> {
    fn varint(rest: &mut &[u8]) -> u64 {
        let mut value = 0;
        for shift in (0..).step_by(7) {
            let byte = rest[0];
            *rest = &rest[1..];
            value |= u64::from(byte & 127) << shift;
            if byte < 128 {
                break;
            }
        }
        value
    }
    let mut found = vec![];
    while !rest.is_empty() {
        let key = varint(&mut rest);
        match key & 7 {
            0 => _ = varint(&mut rest),
            2 => {
                let n = varint(&mut rest) as usize;
                found.push((key >> 3, &rest[..n]));
                rest = &rest[n..];
            }
            other => panic!("wire type {other}"),
        }
    }
    found
}

fn close(ours: &Tensor, theirs: &Tensor, tolerance: f64) -> Result<(), String> {
    if ours.shape() != theirs.shape() || ours.element() != theirs.element() {
        let form = |t: &Tensor| format!("{} {:?}", t.element().word(), t.shape());
        return Err(format!("{} instead of {}", form(ours), form(theirs)));
    }
    for (i, (a, b)) in ours.to_f64().into_iter().zip(theirs.to_f64()).enumerate() {
        let near = a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= 1e-6 + tolerance * b.abs();
        if !near {
            return Err(format!("{a} instead of {b} at {i}"));
        }
    }
    Ok(())
}

/// The outputs of a case, with as few inputs fixed as it takes; else the last error.
fn answer(case: &Case) -> Result<Vec<Tensor>, Error> {
    let shapes = |t: &Tensor| t.wholes().is_some();
    let lists = |t: &Tensor| shapes(t) || t.shape().len() < 2;
    let ways: [&dyn Fn(&Tensor) -> bool; 4] = [&|_| false, &shapes, &lists, &|_| true];
    let mut last = run(case, ways[0]);
    for fixed in &ways[1..] {
        last = last.or_else(|_| run(case, fixed));
    }
    last
}

#[test]
fn operators_do_what_onnx_says() {
    let all = cases("nodes.bin.gz");
    let (mut passed, mut refused, mut failed) = (0, vec![], vec![]);
    for case in &all {
        let tolerance = if case.name == ROUNDED { 1e-3 } else { 1e-4 };
        let wrong = match answer(case) {
            Err(e) if REFUSED.iter().any(|(name, why)| case.name == *name && e.to_string().contains(why)) => {
                refused.push(case.name.clone());
                continue;
            }
            Err(e) => Some(e.to_string()),
            Ok(outputs) if outputs.len() != case.outputs.len() => Some(format!("{} outputs", outputs.len())),
            Ok(outputs) => {
                let mut pairs = outputs.iter().zip(&case.outputs);
                pairs.find_map(|(a, b)| close(a, &b.tensor(), tolerance).err())
            }
        };
        match wrong {
            None => passed += 1,
            Some(why) => failed.push(format!("{}: {why}", case.name)),
        }
    }
    println!("{passed} of {} pass, {} are refused by design", all.len(), refused.len());
    failed.retain(|line| !DISPUTED.iter().any(|name| line.starts_with(&format!("{name}: "))));
    assert!(failed.is_empty(), "{} fail:\n{}", failed.len(), failed.join("\n"));
    assert_eq!((refused.len(), passed + DISPUTED.len() + refused.len()), (REFUSED.len(), all.len()));
}

#[test]
fn disputed_numbers_are_those_of_onnxruntime() {
    // onnxruntime 1.31.1 on the same inputs.
    let theirs: [&[f64]; 2] = [&[1.0, 2.5, 4.0, 7.0], &[1.0, 4.0]];
    let all = cases("nodes.bin.gz");
    for (name, theirs) in DISPUTED.iter().zip(theirs) {
        let case = all.iter().find(|c| c.name == *name).unwrap();
        let ours = answer(case).unwrap()[0].to_f64();
        assert!(ours.iter().zip(theirs).all(|(a, b)| (a - b).abs() < 1e-5), "{name}: {ours:?}");
    }
}

#[test]
fn older_versions_and_machine_learning_are_as_in_onnxruntime() {
    use crate::golden::Value;
    let run = Run::quiet(1);
    for case in cases("variants.bin.gz") {
        let inputs: Vec<Tensor> = case.inputs.iter().map(Value::tensor).collect();
        let model = read_onnx_with(&case.name, &case.model, &none, &BTreeMap::new(), &run).unwrap();
        let ours = Network::new(model.graph).run(&inputs, &run).unwrap();
        assert_eq!(ours.len(), case.outputs.len());
        for ((ours, theirs), port) in ours.iter().zip(&case.outputs).zip(&model.outputs) {
            match theirs {
                Value::Tensor(theirs) => {
                    close(ours, theirs, 1e-5).unwrap_or_else(|why| panic!("{}: {}: {why}", case.name, port.name));
                }
                Value::Texts(theirs) => {
                    let list = port.texts.as_ref().unwrap();
                    let ours: Vec<&String> = ours.wholes().unwrap().iter().map(|&i| &list[i as usize]).collect();
                    assert_eq!(ours, theirs.iter().collect::<Vec<_>>(), "{}", case.name);
                }
            }
        }
    }
}
