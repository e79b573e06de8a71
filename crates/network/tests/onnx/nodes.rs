//! ONNX's own tests of operators.

use crate::golden::{Case, cases};
use base::graph::Tensor;
use base::{Error, Run};
use pellucid_network::{Network, read_onnx_with};
use std::collections::BTreeMap;

/// Tests that ask for what is refused by design, with a word of the message that says so.
const REFUSED: &[(&str, &str)] = &[];

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
    let fed: Vec<Tensor> =
        names.iter().zip(tensors).filter(|(n, _)| !given.contains_key(*n)).map(|(_, t)| t).collect();
    Network::new(model.graph).run(&fed, &run)
}

/// The names of a model's inputs, straight from its bytes: model.graph (7), graph.input (11), name (1).
fn input_names(model: &[u8]) -> Vec<String> {
    let graph = fields(model).into_iter().find(|(n, _)| *n == 7).unwrap().1;
    let infos = fields(graph).into_iter().filter(|(n, _)| *n == 11);
    infos.map(|(_, i)| String::from_utf8(fields(i).iter().find(|(n, _)| *n == 1).unwrap().1.to_vec()).unwrap()).collect()
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

fn close(ours: &Tensor, theirs: &Tensor) -> Result<(), String> {
    if ours.shape() != theirs.shape() || ours.element() != theirs.element() {
        let form = |t: &Tensor| format!("{} {:?}", t.element().word(), t.shape());
        return Err(format!("{} instead of {}", form(ours), form(theirs)));
    }
    for (i, (a, b)) in ours.to_f64().into_iter().zip(theirs.to_f64()).enumerate() {
        let near = a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= 1e-6 + 1e-4 * b.abs();
        if !near {
            return Err(format!("{a} instead of {b} at {i}"));
        }
    }
    Ok(())
}

#[test]
fn operators_do_what_onnx_says() {
    let all = cases("nodes.bin.gz");
    let (mut passed, mut refused, mut failed) = (0, vec![], vec![]);
    for case in &all {
        let small = |t: &Tensor| t.shape().len() < 2 && !t.numbers().is_empty() || t.wholes().is_some();
        let shapes = |t: &Tensor| t.wholes().is_some();
        let tries: [&dyn Fn(&Tensor) -> bool; 5] =
            [&|_| false, &shapes, &small, &|t| t.shape().len() < 2, &|_| true];
        let answer = tries.iter().map(|fixed| run(case, fixed)).reduce(|a, b| a.or(b)).unwrap();
        let answer = match answer {
            Err(_) => tries.iter().map(|fixed| run(case, fixed)).next().unwrap(),
            good => good,
        };
        match answer {
            Err(e) => match REFUSED.iter().find(|(name, why)| case.name == *name && e.to_string().contains(why)) {
                Some(_) => refused.push(case.name.clone()),
                None => failed.push(format!("{}: {e}", case.name)),
            },
            Ok(outputs) => {
                let pairs = outputs.iter().zip(&case.outputs);
                let wrong = pairs.filter_map(|(a, b)| close(a, &b.tensor()).err()).next();
                match wrong {
                    None if outputs.len() == case.outputs.len() => passed += 1,
                    wrong => failed.push(format!("{}: {wrong:?}", case.name)),
                }
            }
        }
    }
    println!("{passed} of {} pass, {} are refused by design", all.len(), refused.len());
    assert!(failed.is_empty(), "{} fail:\n{}", failed.len(), failed.join("\n"));
    assert_eq!(refused.len(), REFUSED.len(), "refused: {refused:?}");
}
