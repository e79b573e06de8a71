//! Each operation as operators of ONNX.

use super::Attribute::{Float, Int, Ints, Text};
use super::{Attribute, Writer};
use crate::onnx::kind::Kind;
use base::graph::{Binary, Element, Filling, Node, Op, Padding, Pooling, Reduction, Resizing, Scatter};
use base::graph::{SoftPooling, Source, Unary, Window};
use base::{Error, Result};

/// Writes a node of the graph.
pub(super) fn write(w: &mut Writer<'_>, i: usize, node: &Node) -> Result<()> {
    let mut inputs: Vec<String> = vec![];
    for source in &node.inputs {
        inputs.push(source.map(|s| w.name(s)).transpose()?.unwrap_or_default());
    }
    let outputs = (0..node.outputs).map(|port| w.name(Source::Node(i, port))).collect::<Result<Vec<_>>>()?;
    let first = node.inputs.first().copied().flatten();
    let mut on = On { inputs, outputs, first, sources: &node.inputs };
    match &node.op {
        Op::Unary(unary) => unary_op(w, &on, *unary),
        Op::Binary(binary) => binary_op(w, &on, *binary),
        Op::Distance { q } => distance(w, &on, *q),
        Op::SoftPool { pooling } => soft_pool(w, &on, *pooling),
        Op::Reduce { reduction, axes, keep } => {
            let axes = if axes.is_empty() { String::new() } else { w.wholes(axes)? };
            on.inputs.push(axes);
            on.put(w, reduce_name(*reduction), &[Int("keepdims", i64::from(*keep))])
        }
        Op::Clip => {
            for k in 1..on.inputs.len() {
                on.scalar(w, k)?;
            }
            on.put(w, "Clip", &[])
        }
        Op::Split { axis, sizes } if sizes.is_empty() => {
            on.put(w, "Split", &[Int("axis", *axis), Int("num_outputs", node.outputs as i64)])
        }
        Op::Split { axis, sizes } => {
            let sizes = w.wholes(&signed(sizes))?;
            on.inputs.push(sizes);
            on.put(w, "Split", &[Int("axis", *axis)])
        }
        Op::Squeeze { axes } => {
            let axes = if axes.is_empty() { String::new() } else { w.wholes(axes)? };
            on.inputs.push(axes);
            on.put(w, "Squeeze", &[])
        }
        Op::Unsqueeze { axes } => {
            let axes = w.wholes(axes)?;
            on.inputs.push(axes);
            on.put(w, "Unsqueeze", &[])
        }
        Op::ConstantOfShape { value } => {
            w.node_with_tensor("ConstantOfShape", &on.inputs[0], &on.outputs[0], value);
            Ok(())
        }
        Op::Dropout { rate } => {
            let rate = w.number(Element::F32, *rate)?;
            on.inputs.push(rate);
            on.put(w, "Dropout", &[])
        }
        Op::Range => {
            for k in 0..3 {
                on.scalar(w, k)?;
            }
            on.put(w, "Range", &[])
        }
        Op::CumSum { exclusive, reverse } => {
            on.scalar(w, 1)?;
            on.put(w, "CumSum", &[Int("exclusive", i64::from(*exclusive)), Int("reverse", i64::from(*reverse))])
        }
        other => {
            let Some((name, attributes)) = plain(other) else {
                let what = format!("node {:?} ({})", node.name, other.word());
                return Err(Error::unsupported(what, "ONNX", "keep the model as .pel"));
            };
            on.put(w, name, &attributes)
        }
    }
}

/// What a node is written on.
struct On<'a> {
    inputs: Vec<String>,
    outputs: Vec<String>,
    first: Option<Source>,
    sources: &'a [Option<Source>],
}

impl On<'_> {
    fn put(&self, w: &mut Writer<'_>, op: &str, attributes: &[Attribute<'_>]) -> Result<()> {
        let inputs: Vec<&str> = self.inputs.iter().map(String::as_str).collect();
        let outputs: Vec<&str> = self.outputs.iter().map(String::as_str).collect();
        w.node(op, &inputs, &outputs, attributes);
        Ok(())
    }

    /// Makes sure that an input has no axes, as ONNX wants single numbers.
    fn scalar(&mut self, w: &mut Writer<'_>, k: usize) -> Result<()> {
        let rank = self.sources.get(k).copied().flatten().and_then(|s| w.rank(s));
        if rank.is_some_and(|n| n > 0) {
            self.inputs[k] = w.step("Squeeze", &[&self.inputs[k]], &format!("{}/scalar", self.outputs[0]), &[]);
        }
        Ok(())
    }

    fn element(&self, w: &Writer<'_>) -> Result<Element> {
        self.first.map_or(Ok(Element::F32), |s| w.element(s))
    }

    /// A name for a step on the way to the output.
    fn part(&self, what: &str) -> String {
        format!("{}/{what}", self.outputs[0])
    }
}

/// Operations that are one operator, with attributes only; none for one that ONNX has no operator for.
fn plain(op: &Op) -> Option<(&'static str, Vec<Attribute<'_>>)> {
    Some(match op {
        Op::Dense { transposed } => ("Gemm", vec![Int("transB", i64::from(*transposed))]),
        Op::MatMul => ("MatMul", vec![]),
        Op::Conv { window, groups } => {
            let mut attributes = sliding(window, true);
            attributes.push(Int("group", *groups as i64));
            ("Conv", attributes)
        }
        Op::ConvTranspose { window, groups, extra } => {
            let mut attributes = sliding(window, true);
            attributes.extend([Int("group", *groups as i64), Ints("output_padding", signed(extra))]);
            ("ConvTranspose", attributes)
        }
        Op::Pool { pooling, window } => {
            let mut attributes = sliding(window, false);
            let name = match pooling {
                Pooling::Max => "MaxPool",
                Pooling::Average => "AveragePool",
                Pooling::AveragePadded => {
                    attributes.push(Int("count_include_pad", 1));
                    "AveragePool"
                }
                Pooling::Lp(p) => {
                    attributes.push(Int("p", *p as i64));
                    "LpPool"
                }
            };
            (name, attributes)
        }
        Op::ArgMax { axis, keep, last, smallest } => {
            let attributes =
                vec![Int("axis", *axis), Int("keepdims", i64::from(*keep)), Int("select_last_index", i64::from(*last))];
            (if *smallest { "ArgMin" } else { "ArgMax" }, attributes)
        }
        Op::TopK { axis, largest } => ("TopK", vec![Int("axis", *axis), Int("largest", i64::from(*largest))]),
        Op::BatchNorm { epsilon } => ("BatchNormalization", vec![Float("epsilon", *epsilon)]),
        Op::LayerNorm { axis, epsilon } => ("LayerNormalization", vec![Int("axis", *axis), Float("epsilon", *epsilon)]),
        Op::GroupNorm { groups: 0, epsilon } => ("InstanceNormalization", vec![Float("epsilon", *epsilon)]),
        Op::GroupNorm { groups, epsilon } => {
            ("GroupNormalization", vec![Int("num_groups", *groups as i64), Float("epsilon", *epsilon)])
        }
        Op::LocalResponse { size, alpha, beta, bias } => {
            let size = Int("size", *size as i64);
            ("LRN", vec![size, Float("alpha", *alpha), Float("beta", *beta), Float("bias", *bias)])
        }
        Op::Where => ("Where", vec![]),
        Op::Softmax { axis, log } => (if *log { "LogSoftmax" } else { "Softmax" }, vec![Int("axis", *axis)]),
        Op::Concat { axis } => ("Concat", vec![Int("axis", *axis)]),
        Op::Reshape { zero } => ("Reshape", vec![Int("allowzero", i64::from(*zero))]),
        Op::Flatten { axis } => ("Flatten", vec![Int("axis", *axis)]),
        Op::Transpose { order } if order.is_empty() => ("Transpose", vec![]),
        Op::Transpose { order } => ("Transpose", vec![Ints("perm", signed(order))]),
        Op::Pad { filling } => {
            let mode = match filling {
                Filling::Constant => "constant",
                Filling::Reflect => "reflect",
                Filling::Edge => "edge",
                Filling::Wrap => "wrap",
            };
            ("Pad", vec![Text("mode", mode)])
        }
        Op::Slice => ("Slice", vec![]),
        Op::Gather { axis } => ("Gather", vec![Int("axis", *axis)]),
        Op::GatherElements { axis } => ("GatherElements", vec![Int("axis", *axis)]),
        Op::GatherNd { batch } => ("GatherND", vec![Int("batch_dims", *batch as i64)]),
        Op::Scatter(Scatter::Elements { axis }) => ("ScatterElements", vec![Int("axis", *axis)]),
        Op::Scatter(Scatter::Nd) => ("ScatterND", vec![]),
        Op::Expand => ("Expand", vec![]),
        Op::Tile => ("Tile", vec![]),
        Op::Resize { resizing, places, rounding, cubic, exclude, smooth } => {
            let mode = match resizing {
                Resizing::Nearest => "nearest",
                Resizing::Linear => "linear",
                Resizing::Cubic => "cubic",
            };
            let attributes = vec![
                Text("mode", mode),
                Text("coordinate_transformation_mode", places),
                Text("nearest_mode", rounding),
                Float("cubic_coeff_a", *cubic),
                Int("exclude_outside", i64::from(*exclude)),
                Int("antialias", i64::from(*smooth)),
            ];
            ("Resize", attributes)
        }
        Op::Shape { start, end } => {
            let mut attributes = vec![Int("start", *start)];
            attributes.extend(end.map(|end| Int("end", end)));
            ("Shape", attributes)
        }
        Op::Cast { to } => ("Cast", vec![Int("to", Kind::native(*to).code)]),
        Op::OneHot { axis } => ("OneHot", vec![Int("axis", *axis)]),
        _ => return None,
    })
}

fn signed(sizes: &[usize]) -> Vec<i64> {
    sizes.iter().map(|&n| i64::try_from(n).unwrap_or(i64::MAX)).collect()
}

fn sliding(window: &Window, convolution: bool) -> Vec<Attribute<'static>> {
    let mut attributes = vec![
        Ints("kernel_shape", signed(&window.kernel)),
        Ints("strides", signed(&window.strides)),
        Ints("dilations", signed(&window.dilations)),
    ];
    match &window.padding {
        Padding::Explicit { begin, end, up } => {
            attributes.push(Ints("pads", [signed(begin), signed(end)].concat()));
            if !convolution {
                attributes.push(Int("ceil_mode", i64::from(*up)));
            }
        }
        Padding::SameUpper => attributes.push(Text("auto_pad", "SAME_UPPER")),
        Padding::SameLower => attributes.push(Text("auto_pad", "SAME_LOWER")),
    }
    attributes
}

fn reduce_name(reduction: Reduction) -> &'static str {
    match reduction {
        Reduction::Sum => "ReduceSum",
        Reduction::Mean => "ReduceMean",
        Reduction::Max => "ReduceMax",
        Reduction::Min => "ReduceMin",
        Reduction::Product => "ReduceProd",
        Reduction::L1 => "ReduceL1",
        Reduction::L2 => "ReduceL2",
        Reduction::SumSquare => "ReduceSumSquare",
        Reduction::LogSum => "ReduceLogSum",
        Reduction::LogSumExp => "ReduceLogSumExp",
    }
}

fn unary_op(w: &mut Writer<'_>, on: &On<'_>, unary: Unary) -> Result<()> {
    let alpha = |value| vec![Float("alpha", value)];
    let (name, attributes) = match unary {
        Unary::Relu => ("Relu", vec![]),
        Unary::LeakyRelu(a) => ("LeakyRelu", alpha(a)),
        Unary::ThresholdedRelu(a) => ("ThresholdedRelu", alpha(a)),
        Unary::Elu(a) => ("Elu", alpha(a)),
        Unary::Selu(a, g) => ("Selu", vec![Float("alpha", a), Float("gamma", g)]),
        Unary::Celu(a) => ("Celu", alpha(a)),
        Unary::Gelu(tanh) => ("Gelu", vec![Text("approximate", if tanh { "tanh" } else { "none" })]),
        Unary::Softplus => ("Softplus", vec![]),
        Unary::Softsign => ("Softsign", vec![]),
        Unary::Sigmoid => ("Sigmoid", vec![]),
        Unary::HardSigmoid(a, b) => ("HardSigmoid", vec![Float("alpha", a), Float("beta", b)]),
        Unary::HardSwish => ("HardSwish", vec![]),
        Unary::Swish(beta) => return swish(w, on, beta),
        Unary::Mish => ("Mish", vec![]),
        Unary::Tanh => ("Tanh", vec![]),
        Unary::Erf => ("Erf", vec![]),
        Unary::Exp => ("Exp", vec![]),
        Unary::Log => ("Log", vec![]),
        Unary::Sqrt => ("Sqrt", vec![]),
        Unary::Abs => ("Abs", vec![]),
        Unary::Neg => ("Neg", vec![]),
        Unary::Reciprocal => ("Reciprocal", vec![]),
        Unary::Floor => ("Floor", vec![]),
        Unary::Ceil => ("Ceil", vec![]),
        Unary::Round => ("Round", vec![]),
        Unary::Sign => ("Sign", vec![]),
        Unary::Sin => ("Sin", vec![]),
        Unary::Cos => ("Cos", vec![]),
        Unary::Tan => ("Tan", vec![]),
        Unary::Asin => ("Asin", vec![]),
        Unary::Acos => ("Acos", vec![]),
        Unary::Atan => ("Atan", vec![]),
        Unary::Sinh => ("Sinh", vec![]),
        Unary::Cosh => ("Cosh", vec![]),
        Unary::Identity => ("Identity", vec![]),
        Unary::Not => ("Not", vec![]),
        Unary::IsNan => ("IsNaN", vec![]),
        Unary::IsInf => ("IsInf", vec![]),
    };
    on.put(w, name, &attributes)
}

/// x · sigmoid(β x), an operator only from version 24 on.
fn swish(w: &mut Writer<'_>, on: &On<'_>, beta: f64) -> Result<()> {
    let x = &on.inputs[0];
    let beta = w.number(on.element(w)?, beta)?;
    let scaled = w.step("Mul", &[x, &beta], &on.part("scaled"), &[]);
    let gate = w.step("Sigmoid", &[&scaled], &on.part("gate"), &[]);
    w.node("Mul", &[x, &gate], &[&on.outputs[0]], &[]);
    Ok(())
}

fn binary_op(w: &mut Writer<'_>, on: &On<'_>, binary: Binary) -> Result<()> {
    let (name, attributes) = match binary {
        Binary::Add => ("Add", vec![]),
        Binary::Sub => ("Sub", vec![]),
        Binary::Mul => ("Mul", vec![]),
        Binary::Div => ("Div", vec![]),
        Binary::Pow => ("Pow", vec![]),
        Binary::Mod if on.element(w)?.is_real() => return real_mod(w, on),
        Binary::Mod => ("Mod", vec![]),
        Binary::Fmod => ("Mod", vec![Int("fmod", 1)]),
        Binary::Max => ("Max", vec![]),
        Binary::Min => ("Min", vec![]),
        Binary::Prelu => ("PRelu", vec![]),
        Binary::Equal => ("Equal", vec![]),
        Binary::Less => ("Less", vec![]),
        Binary::LessOrEqual => ("LessOrEqual", vec![]),
        Binary::Greater => ("Greater", vec![]),
        Binary::GreaterOrEqual => ("GreaterOrEqual", vec![]),
        Binary::And => ("And", vec![]),
        Binary::Or => ("Or", vec![]),
        Binary::Xor => ("Xor", vec![]),
    };
    on.put(w, name, &attributes)
}

/// a − b ⌊a / b⌋: ONNX has the remainder with the sign of b for whole numbers only.
fn real_mod(w: &mut Writer<'_>, on: &On<'_>) -> Result<()> {
    let (a, b) = (&on.inputs[0], &on.inputs[1]);
    let ratio = w.step("Div", &[a, b], &on.part("ratio"), &[]);
    let times = w.step("Floor", &[&ratio], &on.part("times"), &[]);
    let below = w.step("Mul", &[b, &times], &on.part("below"), &[]);
    w.node("Sub", &[a, &below], &[&on.outputs[0]], &[]);
    Ok(())
}

/// ‖x − u‖^q by differences, which do not cancel as products would.
fn distance(w: &mut Writer<'_>, on: &On<'_>, q: f64) -> Result<()> {
    let (x, centres, y) = (&on.inputs[0], &on.inputs[1], &on.outputs[0]);
    let (one, two) = (w.wholes(&[1])?, w.wholes(&[2])?);
    let rows = w.step("Unsqueeze", &[x, &one], &on.part("rows"), &[]);
    let differences = w.step("Sub", &[&rows, centres], &on.part("differences"), &[]);
    let sum = [Int("keepdims", 0)];
    if q == 2.0 {
        w.node("ReduceSumSquare", &[&differences, &two], &[y], &sum);
        return Ok(());
    }
    if q == 1.0 {
        w.node("ReduceL2", &[&differences, &two], &[y], &sum);
        return Ok(());
    }
    let length = w.step("ReduceL2", &[&differences, &two], &on.part("length"), &sum);
    let power = w.number(on.element(w)?, q)?;
    w.node("Pow", &[&length, &power], &[y], &[]);
    Ok(())
}

fn soft_pool(w: &mut Writer<'_>, on: &On<'_>, pooling: SoftPooling) -> Result<()> {
    let (h, y) = (&on.inputs[0], &on.outputs[0]);
    let axis = w.wholes(&[1])?;
    match pooling {
        SoftPooling::MaxLogSumExp => w.node("ReduceLogSumExp", &[h, &axis], &[y], &[]),
        SoftPooling::MinLogSumExp => {
            let negative = w.step("Neg", &[h], &on.part("negative"), &[]);
            let pooled = w.step("ReduceLogSumExp", &[&negative, &axis], &on.part("pooled"), &[]);
            w.node("Neg", &[&pooled], &[y], &[]);
        }
        SoftPooling::Harmonic => {
            // m / Σ 1/h is one over the mean of 1/h.
            let inverse = w.step("Reciprocal", &[h], &on.part("inverse"), &[]);
            let mean = w.step("ReduceMean", &[&inverse, &axis], &on.part("mean"), &[]);
            w.node("Reciprocal", &[&mean], &[y], &[]);
        }
    }
    Ok(())
}
