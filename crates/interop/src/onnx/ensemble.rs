//! Trees of ai.onnx.ml version 5: `TreeEnsemble`, brought into the form of the operators before it.
//!
//! Questions and leaves are numbered apart: a child is a place among the questions or, where the list of leaves says so,
//! among the leaves. Words have become numbers. A tree that is one leaf is a question whose answers are the same leaf.
//! What is read is what `TreeEnsembleRegressor` can say; a leaf that several questions lead to is written once for each.
//!
//! **Limits.** Equality, membership, the least and the largest of trees, and transforms after them are refused by name.

use super::trees::{OPERATORS, broken};
use base::graph::Tensor;
use base::{Error, Result};
use network::{OnnxNode, OnnxValue};
use std::collections::BTreeMap;

/// What the numbers of `nodes_modes` stand for.
const MODES: [&str; 7] =
    ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ", "BRANCH_MEMBER"];
/// What those of `aggregate_function` stand for.
const SUMS: [&str; 4] = ["AVERAGE", "SUM", "MIN", "MAX"];
/// What those of `post_transform` stand for.
const TRANSFORMS: [&str; 5] = ["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"];

/// The lists of a `TreeEnsemble`.
struct Ensemble<'a> {
    features: &'a [i64],
    /// The child where the comparison holds, and where it does not: place, and whether it is a leaf.
    children: [(&'a [i64], &'a [i64]); 2],
    gaps: &'a [i64],
    splits: Vec<f64>,
    modes: Vec<f64>,
    targets: &'a [i64],
    weights: Vec<f64>,
}

/// The same trees as a `TreeEnsembleRegressor`.
pub fn as_regressor(node: &OnnxNode) -> Result<OnnxNode> {
    let word = |name: &str, words: &[&str], usual: i64| {
        let number = node.int(name, usual)?;
        let found = usize::try_from(number).ok().and_then(|i| words.get(i));
        found.map(|w| (*w).to_string()).ok_or_else(|| broken(format!("its {name} is {number}")))
    };
    let ensemble = Ensemble::read(node)?;
    let (mut lists, mut values, mut modes, mut weights) = (BTreeMap::new(), vec![], vec![], vec![]);
    let mut seen = vec![false; ensemble.features.len()];
    for (tree, &root) in node.ints("tree_roots")?.iter().enumerate() {
        let mut put = |name: &'static str, value: i64| lists.entry(name).or_insert_with(Vec::new).push(value);
        // Questions and leaves that wait for their turn, numbered as they are met.
        let (mut waiting, mut met) = (vec![(root, false, 0i64)], 1i64);
        while let Some((at, leaf, number)) = waiting.pop() {
            put("nodes_treeids", tree as i64);
            put("nodes_nodeids", number);
            if leaf {
                let i = place(at, ensemble.targets.len(), "leaves")?;
                ["nodes_featureids", "nodes_truenodeids", "nodes_falsenodeids", "nodes_missing_value_tracks_true"]
                    .into_iter()
                    .for_each(|name| put(name, 0));
                values.push(0.0);
                modes.push("LEAF".to_string());
                put("target_treeids", tree as i64);
                put("target_nodeids", number);
                put("target_ids", ensemble.targets[i]);
                weights.push(ensemble.weights[i]);
                continue;
            }
            let i = place(at, seen.len(), "questions")?;
            if std::mem::replace(&mut seen[i], true) {
                return Err(broken(format!("question {i} has two parents")));
            }
            put("nodes_featureids", ensemble.features[i]);
            put("nodes_missing_value_tracks_true", ensemble.gaps.get(i).copied().unwrap_or(0));
            values.push(ensemble.splits[i]);
            let mode = MODES.get(ensemble.modes[i] as usize);
            modes.push(mode.ok_or_else(|| broken(format!("nodes_modes has {}", ensemble.modes[i])))?.to_string());
            for (name, (places, leaves)) in
                ["nodes_truenodeids", "nodes_falsenodeids"].into_iter().zip(ensemble.children)
            {
                put(name, met);
                waiting.push((places[i], leaves[i] != 0, met));
                met += 1;
            }
        }
    }
    let mut attributes: BTreeMap<String, OnnxValue> =
        lists.into_iter().map(|(name, list)| (name.to_string(), OnnxValue::Ints(list))).collect();
    let numbers = |list: Vec<f64>| Ok::<_, Error>(OnnxValue::Tensor(Tensor::f64([list.len()], list)?));
    attributes.insert("nodes_values_as_tensor".into(), numbers(values)?);
    attributes.insert("target_weights_as_tensor".into(), numbers(weights)?);
    attributes.insert("nodes_modes".into(), OnnxValue::Texts(modes));
    attributes.insert("n_targets".into(), OnnxValue::Int(node.int("n_targets", 1)?));
    attributes.insert("aggregate_function".into(), OnnxValue::Text(word("aggregate_function", &SUMS, 1)?));
    attributes.insert("post_transform".into(), OnnxValue::Text(word("post_transform", &TRANSFORMS, 0)?));
    Ok(OnnxNode { op: OPERATORS[1].into(), attributes, ..node.clone() })
}

fn place(at: i64, count: usize, what: &str) -> Result<usize> {
    let found = usize::try_from(at).ok().filter(|&i| i < count);
    found.ok_or_else(|| broken(format!("it leads to {at} of {count} {what}")))
}

impl<'a> Ensemble<'a> {
    fn read(node: &'a OnnxNode) -> Result<Self> {
        let tensor = |name: &str| match node.attributes.get(name) {
            Some(OnnxValue::Tensor(tensor)) => Ok(tensor.to_f64()),
            _ => Err(broken(format!("it has no tensor {name}"))),
        };
        let child = |side: &str| -> Result<(&'a [i64], &'a [i64])> {
            Ok((node.ints(&format!("nodes_{side}nodeids"))?, node.ints(&format!("nodes_{side}leafs"))?))
        };
        let ensemble = Ensemble {
            features: node.ints("nodes_featureids")?,
            children: [child("true")?, child("false")?],
            gaps: node.ints("nodes_missing_value_tracks_true")?,
            splits: tensor("nodes_splits")?,
            modes: tensor("nodes_modes")?,
            targets: node.ints("leaf_targetids")?,
            weights: tensor("leaf_weights")?,
        };
        let count = ensemble.features.len();
        let children = ensemble.children.iter().all(|(a, b)| a.len() == count && b.len() == count);
        let gaps = ensemble.gaps.is_empty() || ensemble.gaps.len() == count;
        match children && gaps && ensemble.splits.len() == count && ensemble.modes.len() == count {
            true if ensemble.targets.len() == ensemble.weights.len() => Ok(ensemble),
            true => Err(broken("its lists leaf_... differ in length")),
            false => Err(broken("its lists nodes_... differ in length")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::trees;
    use super::*;
    use base::{Features, Machine, Memory, Points, Run};

    fn node(changes: &[(&str, OnnxValue)]) -> OnnxNode {
        let ints = |list: &[i64]| OnnxValue::Ints(list.to_vec());
        let tensor = |list: &[f64]| OnnxValue::Tensor(Tensor::f64([list.len()], list.to_vec()).unwrap());
        let mut attributes: BTreeMap<String, OnnxValue> = [
            ("n_targets", OnnxValue::Int(2)),
            ("tree_roots", ints(&[0])),
            ("nodes_featureids", ints(&[0, 0, 0])),
            ("nodes_splits", tensor(&[3.5, 1.2, 4.2])),
            ("nodes_modes", tensor(&[0.0, 0.0, 0.0])),
            ("nodes_truenodeids", ints(&[1, 0, 1])),
            ("nodes_trueleafs", ints(&[0, 1, 1])),
            ("nodes_falsenodeids", ints(&[2, 2, 3])),
            ("nodes_falseleafs", ints(&[0, 1, 1])),
            ("leaf_targetids", ints(&[0, 1, 0, 1])),
            ("leaf_weights", tensor(&[5.23, 12.12, -12.23, 7.21])),
        ]
        .map(|(name, value)| (name.to_string(), value))
        .into();
        attributes.extend(changes.iter().map(|(name, value)| (name.to_string(), value.clone())));
        OnnxNode { op: "TreeEnsemble".into(), domain: "ai.onnx.ml".into(), attributes, ..OnnxNode::default() }
    }

    fn read(node: &OnnxNode) -> Result<::trees::Forest> {
        trees::read(&as_regressor(node)?, Features::unnamed(2), None)
    }

    #[test]
    fn rows_reach_the_leaves_that_follow_from_the_lists() {
        let rows = Points::from_rows(&[[1.2, 3.4], [-0.12, 1.66], [4.14, 1.77], [3.0, 0.0], [9.0, 0.0]]).unwrap();
        let forest = read(&node(&[])).unwrap();
        let out =
            forest.compute(&rows.into(), &Run::quiet(1)).unwrap().to_dense(&Memory::unlimited()).unwrap().to_vec();
        assert_eq!(out, [5.23, 0.0, 5.23, 0.0, 0.0, 12.12, -12.23, 0.0, 0.0, 7.21]);
    }

    #[test]
    fn what_is_broken_or_unknown_is_named() {
        let ints = |list: &[i64]| OnnxValue::Ints(list.to_vec());
        let tensor = |list: &[f64]| OnnxValue::Tensor(Tensor::f64([list.len()], list.to_vec()).unwrap());
        for (name, value, said) in [
            ("tree_roots", ints(&[3]), "leads to 3 of 3 questions"),
            ("tree_roots", ints(&[-1]), "leads to -1"),
            ("tree_roots", ints(&[0, 0]), "two parents"),
            ("tree_roots", ints(&[]), "differ in length or are empty"),
            ("nodes_truenodeids", ints(&[0, 0, 1]), "two parents"),
            ("nodes_truenodeids", ints(&[1, 9, 1]), "leads to 9 of 4 leaves"),
            ("nodes_truenodeids", ints(&[1]), "nodes_... differ"),
            ("leaf_targetids", ints(&[0]), "leaf_... differ"),
            ("leaf_targetids", ints(&[0, -1, 0, 1]), "target_ids has -1"),
            ("nodes_splits", ints(&[1]), "no tensor nodes_splits"),
            ("nodes_modes", tensor(&[7.0, 0.0, 0.0]), "nodes_modes has 7"),
            ("nodes_modes", tensor(&[0.0, 6.0, 0.0]), "BRANCH_MEMBER"),
            ("aggregate_function", OnnxValue::Int(3), "MAX"),
            ("aggregate_function", OnnxValue::Int(4), "aggregate_function is 4"),
            ("post_transform", OnnxValue::Int(1), "SOFTMAX"),
        ] {
            let error = read(&node(&[(name, value)])).err().unwrap_or_else(|| panic!("{name}: {said}")).to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
