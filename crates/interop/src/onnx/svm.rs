//! Support vector machines as nodes of ai.onnx.ml, and back.
//!
//! `SVMClassifier` decides between pairs of classes a < b by Σ c k(x, u) + ρ, above 0 for a, with a block of
//! coefficients for each slot (classes − 1 blocks of all vectors); without vectors it is one linear function a class.
//! With `prob_a` and `prob_b` its scores are coupled probabilities. `SVMRegressor` gives the one sum, and with `one_class`
//! its sign; a sign after it (as scikit-learn's converter writes it) makes it a detector too.
//!
//! **Written** in single precision, which is all that these nodes have. Runtimes give the pairs' decisions as scores,
//! for two classes (−f, f) although f is above 0 for the first; nodes after ours make of them what the model scores:
//! f and −f, or votes and a third of their squashed sum, and the label of the largest. **Read** are what comes of it: the score of this project, with the
//! label that the node gives. Sizes of all lists are checked.

use crate::libsvm::svm_kernel;
use base::graph::Tensor;
use base::{Error, Features, Machine, Points, Result, Run};
use files::SvmKernel;
use kernels::functions::{Exponential, Linear, Polynomial, Sigmoid};
use kernels::{Coupled, Decisions, Expansion, ExpansionParts, Kernel, pair};
use network::{OnnxNode, OnnxOutput, OnnxValue};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The operators that are support vector machines.
pub const OPERATORS: [&str; 2] = ["SVMClassifier", "SVMRegressor"];
/// What may come after a machine without changing what it decides.
const AFTER: [&str; 20] = [
    "ZipMap",
    "Identity",
    "Cast",
    "Less",
    "Greater",
    "Neg",
    "ArrayFeatureExtractor",
    "Sum",
    "Add",
    "Abs",
    "Concat",
    "Mul",
    "Div",
    "MatMul",
    "Sub",
    "Constant",
    "Sign",
    "Reshape",
    "ArgMax",
    "LabelEncoder",
];

/// The sum of kernels within a machine, if it is one.
fn expansion_of(machine: &dyn Machine) -> Option<&Expansion> {
    machine.downcast::<Coupled>().map(Coupled::expansion).or_else(|| machine.downcast())
}

/// Whether a machine is one that these nodes can say.
pub fn is_written(machine: &dyn Machine) -> bool {
    let Some(expansion) = expansion_of(machine) else { return false };
    let reading = match expansion.reading() {
        Decisions::Pairs => true,
        Decisions::Values => expansion.offsets().len() == 1,
        _ => false,
    };
    reading && kernel_words(expansion.kernel()).is_some() && !expansion.centres().is_empty()
}

/// The word and the parameters (gamma, coef0, degree) of a kernel, where there are some: ONNX took those of LIBSVM.
fn kernel_words(kernel: &Kernel) -> Option<(&'static str, [f64; 3])> {
    match svm_kernel(kernel)? {
        SvmKernel::Linear => Some(("LINEAR", [0.0, 0.0, 3.0])),
        SvmKernel::Polynomial { gamma, coef0, degree } => Some(("POLY", [gamma, coef0, f64::from(degree)])),
        SvmKernel::Rbf { gamma } => Some(("RBF", [gamma, 0.0, 3.0])),
        SvmKernel::Sigmoid { gamma, coef0 } => Some(("SIGMOID", [gamma, coef0, 3.0])),
        SvmKernel::Precomputed => None,
    }
}

/// The nodes that compute what a machine says of the tensor `input`, and what comes out of them.
pub fn written(machine: &dyn Machine, input: &str, run: &Run<'_>) -> Result<(Vec<OnnxNode>, Vec<OnnxOutput>)> {
    let coupled = machine.downcast::<Coupled>();
    let Some(expansion) = expansion_of(machine) else {
        return Err(Error::unsupported("this machine", "support vector machines of ONNX", "sums of kernels are"));
    };
    let Some((word, params)) = kernel_words(expansion.kernel()) else {
        return Err(Error::unsupported(
            "this kernel",
            "support vector machines of ONNX",
            "linear, polynomial, gaussian and sigmoid are",
        ));
    };
    let floats = |list: &[f64]| OnnxValue::Floats(list.iter().map(|&x| x as f32).collect());
    let (m, width) = (expansion.centres().len(), expansion.width());
    let vectors = expansion.centres().to_dense(&run.memory)?;
    // Slot after slot, each with all vectors.
    let by_slot: Vec<f64> = (0..width)
        .flat_map(|s| (0..m).map(move |j| (j, s)))
        .map(|(j, s)| expansion.coefficients()[j * width + s])
        .collect();
    let mut attributes: BTreeMap<String, OnnxValue> = BTreeMap::from([
        ("kernel_type".into(), OnnxValue::Text(word.into())),
        ("kernel_params".into(), floats(&params)),
        ("support_vectors".into(), floats(&vectors)),
        ("coefficients".into(), floats(&by_slot)),
        ("rho".into(), floats(expansion.offsets())),
        ("post_transform".into(), OnnxValue::Text("NONE".into())),
    ]);
    let node = |op: &str, outputs: &[&str], attributes| OnnxNode {
        op: op.into(),
        domain: "ai.onnx.ml".into(),
        inputs: vec![input.into()],
        outputs: outputs.iter().map(|o| o.to_string()).collect(),
        attributes,
    };
    let names = &expansion.outputs().names;
    let scores = OnnxOutput { name: "scores".into(), kind: "float", shape: vec![None, Some(names.len())] };
    if expansion.reading() == Decisions::Values {
        attributes.insert("n_supports".into(), OnnxValue::Int(m as i64));
        return Ok((vec![node(OPERATORS[1], &["scores"], attributes)], vec![scores]));
    }
    let counts = (0..names.len()).map(|c| expansion.centres_of(c).len() as i64).collect();
    attributes.insert("vectors_per_class".into(), OnnxValue::Ints(counts));
    attributes.insert("classlabels_strings".into(), OnnxValue::Texts(names.to_vec()));
    let label = OnnxOutput { name: "label".into(), kind: "string", shape: vec![None] };
    let mut nodes = match coupled {
        Some(coupled) => {
            attributes.insert("prob_a".into(), floats(coupled.slopes()));
            attributes.insert("prob_b".into(), floats(coupled.offsets()));
            vec![node(OPERATORS[0], &["voted label", "scores"], attributes)]
        }
        None => {
            let mut nodes = vec![node(OPERATORS[0], &["voted label", "decisions"], attributes)];
            nodes.extend(scored(names.len())?);
            nodes
        }
    };
    nodes.extend(labelled(names));
    Ok((nodes, vec![label, scores]))
}

/// What makes `label` of the `scores`: that of the largest. Runtimes give the first of equal votes, also beside
/// probabilities that say otherwise.
fn labelled(names: &[String]) -> [OnnxNode; 2] {
    let whole = |name: &str, x: i64| (name.to_string(), OnnxValue::Int(x));
    let places = (0..).take(names.len()).collect();
    [
        OnnxNode {
            op: "ArgMax".into(),
            domain: String::new(),
            inputs: vec!["scores".into()],
            outputs: vec!["place".into()],
            attributes: BTreeMap::from([whole("axis", 1), whole("keepdims", 0)]),
        },
        OnnxNode {
            op: "LabelEncoder".into(),
            domain: "ai.onnx.ml".into(),
            inputs: vec!["place".into()],
            outputs: vec!["label".into()],
            attributes: BTreeMap::from([
                ("keys_int64s".to_string(), OnnxValue::Ints(places)),
                ("values_strings".to_string(), OnnxValue::Texts(names.to_vec())),
            ]),
        },
    ]
}

/// What makes `scores` of the `decisions` that runtimes give.
fn scored(classes: usize) -> Result<Vec<OnnxNode>> {
    let node = |op: &str, inputs: &[&str], output: &str, attributes: BTreeMap<String, OnnxValue>| OnnxNode {
        op: op.into(),
        domain: String::new(),
        inputs: inputs.iter().map(|i| i.to_string()).collect(),
        outputs: vec![output.to_string()],
        attributes,
    };
    let plain = |op: &str, inputs: &[&str], output: &str| node(op, inputs, output, BTreeMap::new());
    if classes == 2 {
        return Ok(vec![plain("Neg", &["decisions"], "scores")]);
    }
    let pairs = classes * (classes - 1) / 2;
    let (mut signs, mut losses) = (vec![0.0f32; pairs * classes], vec![0.0f32; classes]);
    for a in 0..classes {
        for b in a + 1..classes {
            let p = pair(a, b, classes);
            (signs[p * classes + a], signs[p * classes + b]) = (1.0, -1.0);
            losses[b] += 1.0;
        }
    }
    let constant = |output: &str, tensor: Tensor| {
        node("Constant", &[], output, BTreeMap::from([("value".to_string(), OnnxValue::Tensor(tensor))]))
    };
    let to_float = BTreeMap::from([("to".to_string(), OnnxValue::Int(1))]);
    // A vote for the first of each pair, or for the second: votes of the first, counted with a sign, and of all seconds.
    Ok(vec![
        constant("pair signs", Tensor::f32([pairs, classes], signs)?),
        constant("pairs as second", Tensor::f32([classes], losses)?),
        constant("zero", Tensor::f32([], vec![0.0])?),
        constant("one", Tensor::f32([], vec![1.0])?),
        constant("three", Tensor::f32([], vec![3.0])?),
        plain("Greater", &["decisions", "zero"], "first wins"),
        node("Cast", &["first wins"], "wins", to_float),
        plain("MatMul", &["wins", "pair signs"], "signed votes"),
        plain("Add", &["signed votes", "pairs as second"], "votes"),
        plain("MatMul", &["decisions", "pair signs"], "margins"),
        plain("Abs", &["margins"], "sizes"),
        plain("Add", &["sizes", "one"], "sizes and one"),
        plain("Mul", &["sizes and one", "three"], "divisors"),
        plain("Div", &["margins", "divisors"], "squashed"),
        plain("Add", &["votes", "squashed"], "scores"),
    ])
}

/// The machine that nodes speak of, for rows of these features; `names` are those of the values, if known.
pub fn read(nodes: &[OnnxNode], features: Features, names: Option<Vec<String>>) -> Result<Arc<dyn Machine>> {
    let [node, after @ ..] = nodes else { return Err(broken("there is none")) };
    if let Some(strange) = after.iter().find(|n| !AFTER.contains(&n.op.as_str())) {
        let what = format!("the operator {} after a support vector machine", strange.op);
        return Err(Error::unsupported(what, "the ONNX import", "it must come last, but for names and signs"));
    }
    match node.text("post_transform", "NONE")? {
        "NONE" => {}
        other => {
            let what = format!("post_transform = {other} of {}", node.op);
            return Err(Error::unsupported(
                what,
                "kernel machines",
                "NONE is, with prob_a and prob_b for probabilities",
            ));
        }
    }
    match node.op == OPERATORS[0] {
        true => classifier(node, features),
        false => {
            let sign = after.iter().any(|n| n.op == "Sign");
            regressor(node, features, names, sign)
        }
    }
}

/// The only name of a list of numbers or whole numbers that is too short or long.
fn expect(node: &OnnxNode, name: &str, expected: Option<usize>, found: usize) -> Result<()> {
    match expected == Some(found) {
        true => Ok(()),
        false => {
            let expected = expected.map_or("fewer".to_string(), |n| n.to_string());
            Err(Error::size(format!("{name} of {}", node.op), expected, found))
        }
    }
}

fn kernel(node: &OnnxNode) -> Result<Kernel> {
    let params = node.numbers("kernel_params")?;
    let [gamma, coef0, degree] = match params[..] {
        // Without any, what the standard says.
        [] => [0.0, 0.0, 3.0],
        [gamma, coef0, degree] => [gamma, coef0, degree],
        _ => return Err(Error::size(format!("kernel_params of {}", node.op), 3, params.len())),
    };
    let kernel = match node.text("kernel_type", "LINEAR")? {
        "LINEAR" => Kernel::new(Linear),
        "RBF" => Kernel::new(Exponential { gamma, q: 2.0 }),
        "SIGMOID" => Kernel::new(Sigmoid { gamma, coef0 }),
        "POLY" if degree.fract() == 0.0 && (1.0..=64.0).contains(&degree) => {
            Kernel::new(Polynomial { gamma, coef0, degree: degree as u32 })
        }
        "POLY" => return Err(Error::parameter("degree", degree, "must be a whole number from 1 to 64")),
        other => {
            let what = format!("kernel_type = {other}");
            return Err(Error::unsupported(what, "kernel machines", "LINEAR, POLY, RBF and SIGMOID are"));
        }
    };
    kernel.check()?;
    Ok(kernel)
}

/// The vectors of a node, as many as are told.
fn vectors(node: &OnnxNode, count: usize, columns: usize) -> Result<Points> {
    let numbers = node.numbers("support_vectors")?;
    expect(node, "support_vectors", count.checked_mul(columns), numbers.len())?;
    Points::dense(numbers, count, columns)
}

fn classifier(node: &OnnxNode, features: Features) -> Result<Arc<dyn Machine>> {
    let labels: Vec<String> = match (node.texts("classlabels_strings")?, node.ints("classlabels_ints")?) {
        ([], ints) => ints.iter().map(i64::to_string).collect(),
        (texts, _) => texts.to_vec(),
    };
    let (k, d) = (labels.len(), features.count());
    if k < 2 {
        return Err(Error::size(format!("labels of {}", node.op), "at least 2", k));
    }
    let pairs = k.checked_mul(k - 1).map(|n| n / 2);
    let (coefficients, rho) = (node.numbers("coefficients")?, node.numbers("rho")?);
    let counts = node.ints("vectors_per_class")?;
    if counts.is_empty() {
        if node.numbers("support_vectors")?.is_empty() && node.text("kernel_type", "LINEAR")? == "LINEAR" {
            return linear(node, features, labels, coefficients, &rho);
        }
        return Err(broken("it has support vectors, but no vectors_per_class"));
    }
    expect(node, "vectors_per_class", Some(k), counts.len())?;
    let counts: Option<Vec<usize>> = counts.iter().map(|&c| usize::try_from(c).ok()).collect();
    let counts = counts.ok_or_else(|| broken("vectors_per_class has a number below 0"))?;
    let total = counts.iter().try_fold(0usize, |sum, &c| sum.checked_add(c));
    let m = total.ok_or_else(|| broken("vectors_per_class is too large"))?;
    expect(node, "coefficients", m.checked_mul(k - 1), coefficients.len())?;
    expect(node, "rho", pairs, rho.len())?;
    let (a, b) = (node.numbers("prob_a")?, node.numbers("prob_b")?);
    if !(a.is_empty() && b.is_empty()) {
        expect(node, "prob_a", pairs, a.len())?;
        expect(node, "prob_b", pairs, b.len())?;
    }
    let expansion = Expansion::new(ExpansionParts {
        kernel: kernel(node)?,
        reading: Decisions::Pairs,
        inputs: features,
        names: labels.into(),
        centres: vectors(node, m, d)?,
        coefficients: (0..m)
            .flat_map(|j| (0..k - 1).map(move |s| (s, j)))
            .map(|(s, j)| coefficients[s * m + j])
            .collect(),
        offsets: rho,
        counts,
        rows: None,
        seen: vec![],
    })?;
    Ok(match a.is_empty() {
        true => Arc::new(expansion),
        false => Arc::new(Coupled::new(expansion, a, b)?),
    })
}

/// A linear function for each class, which are all moved by the one ρ.
fn linear(
    node: &OnnxNode,
    features: Features,
    labels: Vec<String>,
    coefficients: Vec<f64>,
    rho: &[f64],
) -> Result<Arc<dyn Machine>> {
    let (k, d) = (labels.len(), features.count());
    expect(node, "coefficients", k.checked_mul(d), coefficients.len())?;
    let [offset] = rho else { return Err(Error::size(format!("rho of {}", node.op), 1, rho.len())) };
    let own = |i: usize| f64::from(u8::from(i / k == i % k));
    Ok(Arc::new(Expansion::new(ExpansionParts {
        kernel: Kernel::new(Linear),
        reading: Decisions::Rest,
        inputs: features,
        names: labels.into(),
        centres: Points::dense(coefficients, k, d)?,
        coefficients: (0..k * k).map(own).collect(),
        offsets: vec![*offset; k],
        counts: vec![],
        rows: None,
        seen: vec![],
    })?))
}

fn regressor(node: &OnnxNode, features: Features, names: Option<Vec<String>>, sign: bool) -> Result<Arc<dyn Machine>> {
    let (mut coefficients, rho) = (node.numbers("coefficients")?, node.numbers("rho")?);
    let m = node.int("n_supports", 0)?;
    let m = usize::try_from(m).map_err(|_| Error::parameter("n_supports", m, "must be at least 0"))?;
    let [mut offset] = rho[..] else { return Err(Error::size(format!("rho of {}", node.op), 1, rho.len())) };
    let (kernel, centres) = match m {
        // One linear function, which is a machine of one vector.
        0 => {
            expect(node, "coefficients", Some(features.count()), coefficients.len())?;
            (Kernel::new(Linear), Points::dense(std::mem::replace(&mut coefficients, vec![1.0]), 1, features.count())?)
        }
        _ => {
            expect(node, "coefficients", Some(m), coefficients.len())?;
            (kernel(node)?, vectors(node, m, features.count())?)
        }
    };
    let detector = match node.int("one_class", 0)? {
        0 => sign,
        1 => true,
        other => return Err(Error::parameter("one_class", other, "must be 0 or 1")),
    };
    if detector {
        // Ours sum to 1; who is strange stays the same.
        let sum: f64 = coefficients.iter().sum();
        if sum > 0.0 && m > 0 {
            coefficients.iter_mut().for_each(|c| *c /= sum);
            offset /= sum;
        }
    }
    let names = match detector {
        true => vec![],
        false => names.filter(|n| n.len() == 1).unwrap_or_else(|| vec!["y".into()]),
    };
    Ok(Arc::new(Expansion::new(ExpansionParts {
        kernel,
        reading: if detector { Decisions::Outlier } else { Decisions::Values },
        inputs: features,
        names: names.into(),
        centres,
        coefficients,
        offsets: vec![offset],
        counts: vec![],
        rows: None,
        seen: vec![],
    })?))
}

fn broken(why: impl Into<base::Message>) -> Error {
    Error::format("a support vector machine of an ONNX model", why)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(op: &str, lists: &[(&str, Vec<f32>)], counts: Option<Vec<i64>>) -> OnnxNode {
        let mut attributes: BTreeMap<String, OnnxValue> =
            lists.iter().map(|(name, list)| (name.to_string(), OnnxValue::Floats(list.clone()))).collect();
        attributes.extend(counts.map(|c| ("vectors_per_class".to_string(), OnnxValue::Ints(c))));
        if op == OPERATORS[0] {
            attributes.insert("classlabels_ints".into(), OnnxValue::Ints(vec![4, 7]));
        } else {
            attributes.insert("n_supports".into(), OnnxValue::Int(2));
        }
        OnnxNode { op: op.into(), attributes, ..OnnxNode::default() }
    }

    fn says(node: OnnxNode) -> String {
        read(&[node], Features::unnamed(2), None).err().map_or("it was read".into(), |e| e.to_string())
    }

    #[test]
    fn lists_that_are_too_short_are_refused() {
        let usual = [("support_vectors", vec![1.0; 4]), ("coefficients", vec![1.0, -1.0]), ("rho", vec![0.5])];
        let with = |name: &'static str, list: Vec<f32>| {
            let kept = usual.iter().filter(|(n, _)| *n != name).cloned();
            kept.chain([(name, list)]).collect::<Vec<_>>()
        };
        let classifier = |lists: &[(&str, Vec<f32>)]| says(node(OPERATORS[0], lists, Some(vec![1, 1])));
        assert_eq!(classifier(&usual), "it was read");
        for (name, list, expected) in [
            ("coefficients", vec![1.0], "coefficients of SVMClassifier: expected 2, found 1"),
            ("rho", vec![], "rho of SVMClassifier: expected 1, found 0"),
            ("support_vectors", vec![1.0; 3], "support_vectors of SVMClassifier: expected 4, found 3"),
            ("prob_a", vec![1.0], "prob_b of SVMClassifier: expected 1, found 0"),
            ("prob_b", vec![1.0, 2.0], "prob_a of SVMClassifier: expected 1, found 0"),
            ("kernel_params", vec![1.0], "kernel_params of SVMClassifier: expected 3, found 1"),
            ("rho", vec![f32::NAN], "not finite"),
        ] {
            let said = classifier(&with(name, list));
            assert!(said.contains(expected), "{name}: {said}");
        }
        let counts = |c: Vec<i64>| says(node(OPERATORS[0], &usual, Some(c)));
        assert!(counts(vec![1]).contains("vectors_per_class of SVMClassifier: expected 2, found 1"));
        assert!(counts(vec![-1, 3]).contains("below 0") && counts(vec![i64::MAX, i64::MAX]).contains("expected"));
        let regressor = |lists: &[(&str, Vec<f32>)]| says(node(OPERATORS[1], lists, None));
        assert_eq!(regressor(&usual), "it was read");
        assert!(regressor(&with("rho", vec![])).contains("rho of SVMRegressor: expected 1, found 0"));
        assert!(regressor(&with("coefficients", vec![1.0])).contains("coefficients of SVMRegressor: expected 2"));
        let mut soft = node(OPERATORS[0], &usual, Some(vec![1, 1]));
        soft.attributes.insert("post_transform".into(), OnnxValue::Text("SOFTMAX".into()));
        assert!(says(soft).contains("post_transform = SOFTMAX"));
    }
}
