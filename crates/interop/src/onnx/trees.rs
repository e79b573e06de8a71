//! Trees and forests as nodes of ai.onnx.ml, and back.
//!
//! A forest is written as `TreeEnsembleClassifier` or `TreeEnsembleRegressor`: rows with x ≤ threshold take the true
//! branch, gaps the branch they have learned, and leaves add their shares divided by the number of trees. In single
//! precision a threshold is rounded down: a single x is at most the threshold just where it is at most the rounded one,
//! so no row that single precision can say takes another way.
//!
//! `TreeEnsemble` of version 5 comes through `ensemble`. Read are all comparisons but equality, sums and averages, base values, and the score of two classes as one number.
//! Children must form trees. What a row then scores is the sum itself; a softmax or, for two classes, a logistic function
//! after it becomes the link from scores to probabilities.

use base::graph::Tensor;
use base::{Error, Features, Link, Machine, Meaning, Outputs, Result};
use network::{OnnxNode, OnnxOutput, OnnxValue};
use std::collections::{BTreeMap, HashMap};

use trees::{Forest, GAP_LEFT, LEAF, Leaves as Said, TreeNode, TreeParts};

/// The operators that are trees; the last is of version 5 and only read.
pub const OPERATORS: [&str; 3] = ["TreeEnsembleClassifier", "TreeEnsembleRegressor", "TreeEnsemble"];

/// The node that computes what a forest says of the tensor `input`, and what comes out of it.
pub fn written(forest: &Forest, input: &str, single: bool) -> Result<(OnnxNode, Vec<OnnxOutput>)> {
    let outputs = forest.outputs();
    let (nodes, roots, leaves) = (forest.all_nodes(), forest.roots(), forest.all_leaves());
    let trees = roots.len().saturating_sub(1);
    let classes = outputs.meaning == Meaning::Classes;
    let pair = classes && outputs.names.len() == 2;
    let mut columns: BTreeMap<&str, Vec<i64>> = BTreeMap::new();
    let mut modes = vec![];
    let mut weights = vec![];
    let mut push = |name: &'static str, value: usize| columns.entry(name).or_default().push(value as i64);
    for (tree, ends) in roots.windows(2).enumerate() {
        for (own, node) in nodes[ends[0] as usize..ends[1] as usize].iter().enumerate() {
            let leaf = node.is_leaf();
            push("nodes_treeids", tree);
            push("nodes_nodeids", own);
            push("nodes_featureids", if leaf { 0 } else { node.column() });
            push("nodes_truenodeids", if leaf { 0 } else { own + 1 });
            push("nodes_falsenodeids", if leaf { 0 } else { (node.right - ends[0]) as usize });
            push("nodes_missing_value_tracks_true", usize::from(!leaf && node.feature & GAP_LEFT != 0));
            modes.push(if leaf { "LEAF" } else { "BRANCH_LEQ" }.to_string());
            if !leaf {
                continue;
            }
            let own_entries =
                leaves.starts[node.right as usize] as usize..leaves.starts[node.right as usize + 1] as usize;
            let said = |e: usize| (leaves.outputs[e], leaves.values[e] / trees as f64);
            let mut entries: Vec<(u32, f64)> = own_entries.map(said).collect();
            // Of two classes, runtimes take a row whose leaves do not name the second for one with a single score.
            let unnamed = [0, 1].into_iter().filter(|k| pair && entries.iter().all(|(named, _)| named != k));
            let unnamed: Vec<u32> = unnamed.collect();
            entries.extend(unnamed.into_iter().map(|k| (k, 0.0)));
            for (k, weight) in entries {
                push("treeids", tree);
                push("nodeids", own);
                push("ids", k as usize);
                weights.push(weight);
            }
        }
    }
    let prefix = if classes { "class" } else { "target" };
    let mut attributes: BTreeMap<String, OnnxValue> = columns
        .into_iter()
        .map(|(name, list)| match name.starts_with("nodes") {
            true => (name.to_string(), OnnxValue::Ints(list)),
            false => (format!("{prefix}_{name}"), OnnxValue::Ints(list)),
        })
        .collect();
    let mut numbers = |name: String, list: Vec<f64>, round: fn(f64) -> f32| -> Result<()> {
        match single {
            true => attributes.insert(name, OnnxValue::Floats(list.into_iter().map(round).collect())),
            false => {
                attributes.insert(format!("{name}_as_tensor"), OnnxValue::Tensor(Tensor::f64([list.len()], list)?))
            }
        };
        Ok(())
    };
    numbers("nodes_values".into(), nodes.iter().map(|n| n.threshold).collect(), rounded_down)?;
    numbers(format!("{prefix}_weights"), weights, |x| x as f32)?;
    attributes.insert("nodes_modes".into(), OnnxValue::Texts(modes));
    attributes.insert("post_transform".into(), OnnxValue::Text("NONE".into()));
    // Whatever the trees compute in, these operators give single precision.
    let scores = OnnxOutput { name: "scores".into(), kind: "float", shape: vec![None, Some(outputs.names.len())] };
    let (op, names, ports) = match classes {
        true => {
            attributes.insert("classlabels_strings".into(), OnnxValue::Texts(outputs.names.to_vec()));
            let label = OnnxOutput { name: "label".into(), kind: "string", shape: vec![None] };
            (OPERATORS[0], vec!["label".to_string(), "scores".into()], vec![label, scores])
        }
        false => {
            attributes.insert("n_targets".into(), OnnxValue::Int(outputs.names.len() as i64));
            attributes.insert("aggregate_function".into(), OnnxValue::Text("SUM".into()));
            (OPERATORS[1], vec!["scores".to_string()], vec![scores])
        }
    };
    let domain = "ai.onnx.ml".to_string();
    Ok((OnnxNode { op: op.into(), domain, inputs: vec![input.into()], outputs: names, attributes }, ports))
}

/// The largest number of single precision that is at most x.
fn rounded_down(x: f64) -> f32 {
    let near = x as f32;
    if f64::from(near) > x { near.next_down() } else { near }
}

/// The forest that a node speaks of, for rows of these features; `names` are those of the outputs, if known.
pub fn read(node: &OnnxNode, features: Features, names: Option<Vec<String>>) -> Result<Forest> {
    let classes = node.op == OPERATORS[0];
    let labels = match (node.texts("classlabels_strings")?, node.ints("classlabels_int64s")?) {
        ([], ints) => ints.iter().map(i64::to_string).collect(),
        (texts, _) => texts.to_vec(),
    };
    let count = match classes {
        true => labels.len(),
        false => usize::try_from(node.int("n_targets", 1)?).unwrap_or(0),
    };
    if count == 0 {
        return Err(broken("it has no outputs"));
    }
    let transform = node.text("post_transform", "NONE")?.to_string();
    let (prefix, mean) = match (classes, node.text("aggregate_function", "SUM")?) {
        (true, _) => ("class", false),
        (false, "SUM") => ("target", false),
        (false, "AVERAGE") => ("target", true),
        (false, other) => {
            return Err(Error::unsupported(
                format!("aggregate_function = {other}"),
                "trees from ONNX",
                "SUM and AVERAGE are",
            ));
        }
    };
    let mut leaves = Leaves::read(node, prefix)?;
    let one_score = classes && count == 2 && leaves.single();
    let plan = Plan::read(node)?;
    let trees = plan.order()?;
    let scale = if mean { 1.0 } else { trees.len() as f64 };
    let base = node.numbers("base_values")?;
    let link = match (transform.as_str(), classes) {
        ("NONE", false) => Link::None,
        ("NONE", true) if one_score => {
            // Positive weights are read as the probability of the second class, others as its margin.
            let shares = leaves.positive();
            leaves.pair(Some(if shares { 1.0 } else { 0.0 }));
            if shares { Link::Identity } else { Link::None }
        }
        ("LOGISTIC", true) if one_score && !leaves.positive() => {
            // 1 / (1 + exp(−s)) is the softmax of 0 and s.
            leaves.pair(None);
            Link::Softmax
        }
        ("NONE", true) => leaves.link(&plan, &trees),
        ("SOFTMAX", true) if !one_score => Link::Softmax,
        (other, _) => {
            let what = format!("post_transform = {other} of {} with {count} outputs", node.op);
            return Err(Error::unsupported(what, "trees from ONNX", "NONE, SOFTMAX and LOGISTIC of two classes are"));
        }
    };
    let offset = leaves.offset.take();
    let bases = bases(&base, count, one_score, offset)?;
    let names = names.filter(|n| n.len() == count).unwrap_or_else(|| match classes {
        true => labels,
        false if count == 1 => vec!["y".into()],
        false => (0..count).map(|i| format!("y{i}")).collect(),
    });
    let outputs = match classes {
        true => Outputs::classes(names.into(), link),
        false => Outputs::values(names.into()),
    };
    Forest::new(plan.parts(&trees, &leaves, &bases, scale, features, outputs)?)
}

/// What is added to each output whatever the trees say.
fn bases(base: &[f64], count: usize, one_score: bool, offset: Option<f64>) -> Result<Vec<f64>> {
    let mut bases = vec![0.0; count];
    match base {
        [] => {}
        [one] if one_score => bases[1] = *one,
        all if all.len() == count && !one_score => bases.copy_from_slice(all),
        other => return Err(Error::size("base_values", count, other.len())),
    }
    if let Some(first) = offset {
        // The first of two classes is what the second leaves over.
        bases[0] = first - bases[1];
    }
    Ok(bases)
}

pub(super) fn broken(why: impl Into<base::Message>) -> Error {
    Error::format("trees of an ONNX model", why)
}

/// What leaves say: by tree and node, pairs of output and weight.
struct Leaves {
    entries: HashMap<(i64, i64), Vec<(u32, f64)>>,
    /// What the first of two classes has before anything is taken off.
    offset: Option<f64>,
}

impl Leaves {
    fn read(node: &OnnxNode, prefix: &str) -> Result<Self> {
        let list = |name: &str| node.ints(&format!("{prefix}_{name}"));
        let (trees, nodes, ids) = (list("treeids")?, list("nodeids")?, list("ids")?);
        let weights = node.numbers(&format!("{prefix}_weights"))?;
        if [nodes.len(), ids.len(), weights.len()] != [trees.len(); 3] {
            return Err(broken(format!("its lists {prefix}_... differ in length")));
        }
        let mut entries: HashMap<(i64, i64), Vec<(u32, f64)>> = HashMap::new();
        for (i, weight) in weights.into_iter().enumerate() {
            let id = u32::try_from(ids[i]).map_err(|_| broken(format!("{prefix}_ids has {}", ids[i])))?;
            entries.entry((trees[i], nodes[i])).or_default().push((id, weight));
        }
        Ok(Leaves { entries, offset: None })
    }

    /// Whether all leaves speak of the same output.
    fn single(&self) -> bool {
        let mut ids = self.entries.values().flatten().map(|(id, _)| *id);
        ids.next().is_some_and(|first| ids.all(|id| id == first))
    }

    fn positive(&self) -> bool {
        self.entries.values().flatten().all(|(_, weight)| *weight >= 0.0)
    }

    /// One score becomes that of the second class; the first has `offset` minus that, or nothing.
    fn pair(&mut self, offset: Option<f64>) {
        for list in self.entries.values_mut() {
            let sum: f64 = list.iter().map(|(_, weight)| weight).sum();
            *list = match offset {
                Some(_) => vec![(0, -sum), (1, sum)],
                None => vec![(1, sum)],
            };
        }
        self.offset = offset;
    }

    /// Scores are probabilities if all leaves of a tree sum to the same and all trees together to 1.
    fn link(&self, plan: &Plan, trees: &[Vec<usize>]) -> Link {
        let mut whole = 0.0;
        for tree in trees {
            let sum = |&i: &usize| {
                let list = self.entries.get(&plan.name(i));
                list.map_or(0.0, |list| list.iter().map(|(_, weight)| weight).sum::<f64>())
            };
            let mut sums = tree.iter().filter(|&&i| plan.is_leaf(i)).map(sum);
            let first = sums.next().unwrap_or(0.0);
            if sums.any(|s| (s - first).abs() > 1e-5 * first.abs()) {
                return Link::None;
            }
            whole += first;
        }
        let shares = (whole - 1.0).abs() < 1e-4 && self.positive();
        if shares { Link::Identity } else { Link::None }
    }
}

/// The nodes as they stand in the file.
struct Plan<'a> {
    trees: &'a [i64],
    nodes: &'a [i64],
    features: &'a [i64],
    left: &'a [i64],
    right: &'a [i64],
    gaps: &'a [i64],
    modes: &'a [String],
    values: Vec<f64>,
}

impl<'a> Plan<'a> {
    fn read(node: &'a OnnxNode) -> Result<Self> {
        let plan = Plan {
            trees: node.ints("nodes_treeids")?,
            nodes: node.ints("nodes_nodeids")?,
            features: node.ints("nodes_featureids")?,
            left: node.ints("nodes_truenodeids")?,
            right: node.ints("nodes_falsenodeids")?,
            gaps: node.ints("nodes_missing_value_tracks_true")?,
            modes: node.texts("nodes_modes")?,
            values: node.numbers("nodes_values")?,
        };
        let count = plan.trees.len();
        let lengths = [plan.nodes, plan.features, plan.left, plan.right].map(<[i64]>::len);
        let right = lengths == [count; 4] && plan.modes.len() == count && plan.values.len() == count;
        match right && count > 0 && (plan.gaps.is_empty() || plan.gaps.len() == count) {
            true => Ok(plan),
            false => Err(broken("its lists nodes_... differ in length or are empty")),
        }
    }

    fn name(&self, i: usize) -> (i64, i64) {
        (self.trees[i], self.nodes[i])
    }

    fn is_leaf(&self, i: usize) -> bool {
        self.modes[i] == "LEAF"
    }

    /// The children of a question: where x ≤ its threshold leads, where other numbers lead, the threshold, and whether
    /// gaps follow the first.
    fn question(&self, i: usize) -> Result<(i64, i64, f64, bool)> {
        let (value, tracked) = (self.values[i], self.gaps.get(i).is_some_and(|g| *g != 0));
        // x < t is x ≤ the number before t; the opposite of a comparison swaps the children, and a gap, which no
        // comparison holds for, follows the false one unless it is told otherwise.
        let (swapped, threshold) = match self.modes[i].as_str() {
            "BRANCH_LEQ" => (false, value),
            "BRANCH_LT" => (false, value.next_down()),
            "BRANCH_GTE" => (true, value.next_down()),
            "BRANCH_GT" => (true, value),
            other => {
                let instead = "BRANCH_LEQ, BRANCH_LT, BRANCH_GTE and BRANCH_GT are";
                return Err(Error::unsupported(format!("nodes_modes = {other}"), "trees from ONNX", instead));
            }
        };
        Ok(match swapped {
            false => (self.left[i], self.right[i], threshold, tracked),
            true => (self.right[i], self.left[i], threshold, !tracked),
        })
    }

    /// The nodes of each tree, a left child after its parent.
    fn order(&self) -> Result<Vec<Vec<usize>>> {
        let mut place = HashMap::new();
        for i in 0..self.trees.len() {
            if place.insert(self.name(i), i).is_some() {
                return Err(broken(format!("two nodes are number {} of tree {}", self.nodes[i], self.trees[i])));
            }
        }
        let mut child = vec![false; self.trees.len()];
        let find = |tree: i64, node: i64| {
            place.get(&(tree, node)).copied().ok_or_else(|| broken(format!("node {node} of tree {tree} is missing")))
        };
        for i in (0..self.trees.len()).filter(|&i| !self.is_leaf(i)) {
            let (left, right, ..) = self.question(i)?;
            for next in [left, right] {
                let next = find(self.trees[i], next)?;
                if std::mem::replace(&mut child[next], true) {
                    return Err(broken(format!("node {} of tree {} has two parents", self.nodes[next], self.trees[i])));
                }
            }
        }
        let mut trees: Vec<Vec<usize>> = vec![];
        let mut seen = 0;
        for root in (0..self.trees.len()).filter(|&i| !child[i]) {
            if trees.iter().any(|t| self.trees[t[0]] == self.trees[root]) {
                return Err(broken(format!("tree {} has two roots", self.trees[root])));
            }
            let (mut order, mut waiting) = (vec![], vec![root]);
            while let Some(i) = waiting.pop() {
                order.push(i);
                if !self.is_leaf(i) {
                    let (left, right, ..) = self.question(i)?;
                    waiting.push(find(self.trees[i], right)?);
                    waiting.push(find(self.trees[i], left)?);
                }
            }
            seen += order.len();
            trees.push(order);
        }
        match seen == self.trees.len() && !trees.is_empty() {
            true => Ok(trees),
            false => Err(broken("its nodes form a cycle")),
        }
    }

    /// What a forest of these trees is made of.
    fn parts(
        &self,
        trees: &[Vec<usize>],
        leaves: &Leaves,
        bases: &[f64],
        scale: f64,
        features: Features,
        outputs: Outputs,
    ) -> Result<TreeParts> {
        let mut nodes = Vec::with_capacity(self.trees.len());
        let (mut roots, mut starts, mut whose, mut values) =
            (vec![0u32], vec![0u32], Vec::<u32>::new(), Vec::<f64>::new());
        let mut at = 0;
        for (t, tree) in trees.iter().enumerate() {
            let place: HashMap<(i64, i64), usize> =
                tree.iter().enumerate().map(|(k, &i)| (self.name(i), at + k)).collect();
            for &i in tree {
                if self.is_leaf(i) {
                    nodes.push(TreeNode { threshold: 0.0, feature: LEAF, right: starts.len() as u32 - 1 });
                    let mut sums: BTreeMap<u32, f64> = BTreeMap::new();
                    let own = leaves.entries.get(&self.name(i)).map_or(&[][..], |list| list);
                    own.iter().for_each(|(id, weight)| *sums.entry(*id).or_default() += weight * scale);
                    // All trees are averaged: what is always added is added by the first, as many times.
                    let always = bases.iter().enumerate().filter(|(_, b)| t == 0 && **b != 0.0);
                    always.for_each(|(id, b)| *sums.entry(id as u32).or_default() += b * trees.len() as f64);
                    whose.extend(sums.keys());
                    values.extend(sums.values());
                    starts.push(whose.len() as u32);
                } else {
                    let (_, other, threshold, gap) = self.question(i)?;
                    let column = u32::try_from(self.features[i]).ok().filter(|&c| c < GAP_LEFT);
                    let column = column.ok_or_else(|| broken(format!("it uses column {}", self.features[i])))?;
                    let right = place.get(&(self.trees[i], other)).map_or(0, |&p| p as u32);
                    nodes.push(TreeNode { threshold, feature: column | if gap { GAP_LEFT } else { 0 }, right });
                }
            }
            at += tree.len();
            roots.push(at as u32);
        }
        let leaves = Said { starts, outputs: whose, values };
        Ok(TreeParts { features, outputs, nodes, roots, leaves })
    }
}
