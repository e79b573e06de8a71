//! Valid files with another integer in one place: data or an error, in bounded memory and time, never an abort.
//!
//! Byte mutations mostly break the form of a file. Here the form stays and one size, attribute, index or shape becomes
//! another number, which is what reaches shape inference, constant folding and the operators. The allocator of `testkit`
//! refuses more than a bound and ends the test if memory is taken that nobody counted. More cases: `OTHER_NUMBERS=20000 cargo test`.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test speaks by panicking, and says where it is")]

use pellucid::explain::{Context, Question, explain_with};
use pellucid::{
    Catalog, Error, Inputs, KNOWN, Memory, Model, OnnxReading, Points, Progress, Run, Seed, Verdict, Watch, files,
    read_onnx_model,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Bytes that all of the test may have at a time.
const BOUND: usize = 1 << 30;
/// What the runs may have.
const LIMIT: u64 = 96 << 20;
/// What a case may take; the runs are told to stop long before.
const LONGEST: Duration = Duration::from_secs(20);

/// Cancels when its time is up.
struct Until(Instant);

impl Watch for Until {
    fn step(&self, _: &Progress<'_>) -> Verdict {
        if Instant::now() > self.0 { Verdict::Cancel } else { Verdict::GoOn }
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn cases(usual: usize) -> usize {
    std::env::var("OTHER_NUMBERS").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// Reads, predicts and explains; whatever comes of it, soon and in bounded memory.
fn try_model(what: &str, load: impl Fn(&Run<'_>) -> Result<Model, Error>) {
    if std::env::var("OTHER_NUMBERS").is_ok() {
        eprintln!("{what}");
    }
    testkit::bound_allocations(BOUND);
    let begun = Instant::now();
    let watch = Until(begun + Duration::from_secs(3));
    let run = Run { memory: Memory::limited(LIMIT), watch: &watch, catalog: &KNOWN, ..Run::quiet(1) };
    let tried = load(&run).and_then(|model| {
        let d = model.machine.inputs().count();
        if d > 1 << 14 || model.machine.inputs().table().is_some() {
            return Ok(());
        }
        let rows = Points::dense((0..2 * d).map(|i| (i % 7) as f64 / 3.0 - 1.0).collect::<Vec<f64>>(), 2, d)?;
        let inputs = Inputs::Points(rows);
        model.machine.compute(&inputs, &run)?;
        explain_with(&*model.machine, &inputs, Question::default(), &Context::default(), &run)?;
        Ok(())
    });
    if let Err(error) = tried {
        assert!(!error.to_string().is_empty(), "{what}");
    }
    assert!(begun.elapsed() < LONGEST, "{what} took {:?}", begun.elapsed());
}

/// Other numbers for a number.
fn others(value: i64) -> Vec<i64> {
    let mut all = vec![0, 1, -1, 2, 3, 7, 1000, 65_536, 1 << 24, (1 << 31) - 1, 1 << 31, 1 << 32, 1 << 40, 1 << 62];
    all.extend([i64::MAX, i64::MIN, -2, -(1 << 31)]);
    all.extend([value.wrapping_add(1), value.wrapping_sub(1), value.wrapping_mul(2), value.wrapping_mul(1000)]);
    all.retain(|v| *v != value);
    all
}

/// What a message's field is.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Model,
    Graph,
    Node,
    Attribute,
    Tensor,
    Value,
    Type,
    TensorType,
    Shape,
    Dim,
    /// A whole number, or packed ones.
    Ints,
    Other,
}

/// The field of a message of ONNX that leads to whole numbers.
fn child(kind: Kind, field: u64) -> Kind {
    match (kind, field) {
        (Kind::Model, 7) => Kind::Graph,
        (Kind::Graph, 1) => Kind::Node,
        (Kind::Graph, 5) | (Kind::Attribute, 5) => Kind::Tensor,
        (Kind::Graph, 11..=13) => Kind::Value,
        (Kind::Node, 5) => Kind::Attribute,
        (Kind::Attribute, 6) => Kind::Graph,
        (Kind::Attribute, 3 | 8) | (Kind::Tensor, 1 | 7) | (Kind::Dim, 1) => Kind::Ints,
        (Kind::Value, 2) => Kind::Type,
        (Kind::Type, 1) => Kind::TensorType,
        (Kind::TensorType, 2) => Kind::Shape,
        (Kind::Shape, 1) => Kind::Dim,
        _ => Kind::Other,
    }
}

fn varint(bytes: &[u8], at: &mut usize) -> u64 {
    let (mut value, mut shift) = (0u64, 0);
    loop {
        let byte = bytes[*at];
        *at += 1;
        value |= u64::from(byte & 127).wrapping_shl(shift);
        shift += 7;
        if byte < 128 {
            return value;
        }
    }
}

fn put(out: &mut Vec<u8>, mut value: u64) {
    while value > 127 {
        out.push(value as u8 | 128);
        value >>= 7;
    }
    out.push(value as u8);
}

/// A message with whole number `at` (counted down to 0 on the way) changed by `f`; all others stay.
fn rewritten(bytes: &[u8], kind: Kind, at: &mut usize, f: &mut dyn FnMut(i64) -> i64) -> Vec<u8> {
    let (mut out, mut place) = (vec![], 0);
    // Whole numbers of a tensor may be raw bytes.
    let wholes = kind == Kind::Tensor && data_type(bytes) == 7;
    while place < bytes.len() {
        let key = varint(bytes, &mut place);
        put(&mut out, key);
        let inner = child(kind, key >> 3);
        match key & 7 {
            0 => {
                let value = varint(bytes, &mut place);
                let value = if inner == Kind::Ints { number(at, f, value) } else { value };
                put(&mut out, value);
            }
            2 => {
                let length = varint(bytes, &mut place) as usize;
                let body = &bytes[place..place + length];
                place += length;
                let body = match inner {
                    Kind::Ints => {
                        let (mut list, mut k) = (vec![], 0);
                        while k < body.len() {
                            let value = varint(body, &mut k);
                            put(&mut list, number(at, f, value));
                        }
                        list
                    }
                    Kind::Other if wholes && key >> 3 == 9 => {
                        let whole = |b: &[u8]| u64::from_le_bytes(b.try_into().unwrap());
                        body.chunks_exact(8).flat_map(|b| number(at, f, whole(b)).to_le_bytes()).collect()
                    }
                    Kind::Other => body.to_vec(),
                    inner => rewritten(body, inner, at, f),
                };
                put(&mut out, body.len() as u64);
                out.extend(body);
            }
            5 => {
                out.extend(&bytes[place..place + 4]);
                place += 4;
            }
            _ => {
                out.extend(&bytes[place..place + 8]);
                place += 8;
            }
        }
    }
    out
}

/// A number as it is, or changed if it is the one that is meant.
fn number(at: &mut usize, f: &mut dyn FnMut(i64) -> i64, value: u64) -> u64 {
    let mine = *at == 0;
    *at = at.wrapping_sub(1);
    if mine { f(value as i64) as u64 } else { value }
}

fn data_type(tensor: &[u8]) -> u64 {
    let (mut at, mut found) = (0, 0);
    while at < tensor.len() {
        let key = varint(tensor, &mut at);
        match key & 7 {
            0 => {
                let value = varint(tensor, &mut at);
                if key >> 3 == 2 {
                    found = value;
                }
            }
            2 => at += varint(tensor, &mut at) as usize,
            5 => at += 4,
            _ => at += 8,
        }
    }
    found
}

/// How many whole numbers a file has.
fn count(bytes: &[u8]) -> usize {
    let mut at = usize::MAX;
    rewritten(bytes, Kind::Model, &mut at, &mut |v| v);
    usize::MAX - at
}

fn onnx_files() -> Vec<(String, Vec<u8>)> {
    let mut all = vec![];
    let large = std::env::var("OTHER_NUMBERS").is_ok();
    for folder in ["golden/onnx_ml", "golden/sklearn", "../shared/data/models"] {
        if !testkit::need(root().join(folder).exists(), folder) {
            continue;
        }
        for entry in std::fs::read_dir(root().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let bytes = std::fs::read(&path).unwrap();
            if path.extension().is_some_and(|e| e == "onnx") && bytes.len() < if large { 8 << 20 } else { 400_000 } {
                all.push((path.file_name().unwrap().to_string_lossy().into_owned(), bytes));
            }
        }
    }
    all.sort();
    assert!(all.len() > 20, "{}", all.len());
    all
}

#[test]
fn r9_onnx_files_with_another_number() {
    let files = onnx_files();
    let seed = Seed(9).fork("other numbers");
    let counts: Vec<usize> = files.iter().map(|(_, bytes)| count(bytes)).collect();
    let nowhere = |name: &str| Err(Error::format(name, "is not there"));
    for k in 0..cases(700) {
        let draw = seed.at(k);
        let pick = |name: &str, below: usize| (draw.fork(name).unit() * below as f64) as usize;
        let which = pick("file", files.len());
        let (name, bytes) = &files[which];
        // The first numbers are attributes, the last shapes; both ends are worth more than the leaves of trees.
        let place = match pick("where", 3) {
            0 => pick("early", counts[which].min(12)),
            1 => counts[which].saturating_sub(1 + pick("late", counts[which].min(24))),
            _ => pick("place", counts[which]),
        };
        let mut text = String::new();
        let mut at = place;
        let bytes = rewritten(bytes, Kind::Model, &mut at, &mut |value| {
            let all = others(value);
            let other = all[pick("other", all.len())];
            text = format!("{name}: number {place}, {value}, is {other} (case {k})");
            other
        });
        try_model(&text, |run| read_onnx_model("hostile.onnx", &bytes, &nowhere, &OnnxReading::default(), run));
    }
}

#[test]
fn r9_the_number_of_rows_is_no_promise() {
    let Some(path) = testkit::shared("models/cnn_mnist_pytorch.onnx") else { return };
    let bytes = std::fs::read(path).unwrap();
    let nowhere = |name: &str| Err(Error::format(name, "is not there"));
    for place in 0..count(&bytes) {
        let mut at = place;
        let other = rewritten(&bytes, Kind::Model, &mut at, &mut |_| (1 << 31) - 1);
        let read = |run: &Run<'_>| read_onnx_model("hostile.onnx", &other, &nowhere, &OnnxReading::default(), run);
        try_model(&format!("number {place}"), read);
    }
}

/// Models of every kind as bytes.
fn pel_files() -> Vec<(String, Vec<u8>)> {
    let run = Run { catalog: &KNOWN, ..Run::quiet(1) };
    let mut all = vec![];
    for entry in pellucid::LEARNERS {
        let mut learner = (entry.make)();
        let mut data = match learner.traits().needs.targets {
            pellucid::Wanted::Values => testkit::toy_values(1),
            _ => testkit::toy_classes(1),
        };
        if learner.traits().needs_shape {
            let shape = pellucid::Shape::Image { height: 2, width: 2, channels: 1 };
            data.features = data.features.shaped(shape).unwrap();
            learner.set_text("layers", "conv 3 2x2 norm relu, dense 4 tanh").unwrap();
        }
        let machine = learner.fit(&data, None, &run).unwrap().machine;
        all.push((entry.name.to_string(), files::model_bytes(&machine.record()).unwrap()));
    }
    all
}

/// The head of a model file with its `place`-th number changed.
fn head_rewritten(bytes: &[u8], place: usize, f: impl Fn(i64) -> i64) -> Option<(Vec<u8>, String)> {
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let head = std::str::from_utf8(&bytes[8..8 + length]).unwrap();
    let digits: Vec<(usize, usize)> = {
        let mut found = vec![];
        let mut from = None;
        for (i, c) in head.char_indices().chain([(head.len(), ' ')]) {
            match (c.is_ascii_digit(), from) {
                (true, None) => from = Some(i),
                (false, Some(start)) => {
                    found.push((start, i));
                    from = None;
                }
                _ => {}
            }
        }
        found
    };
    let &(from, to) = digits.get(place % digits.len().max(1))?;
    let value: i64 = head[from..to].parse().unwrap_or(0);
    let other = f(value);
    let mut text = format!("{}{other}{}", &head[..from], &head[to..]);
    while !text.len().is_multiple_of(8) {
        text.push(' ');
    }
    let mut out = (text.len() as u64).to_le_bytes().to_vec();
    out.extend(text.as_bytes());
    out.extend(&bytes[8 + length..]);
    Some((out, format!("{value} at {from} of the head is {other}")))
}

#[test]
fn r9_model_files_with_another_number() {
    let all = pel_files();
    let seed = Seed(11).fork("other numbers");
    for k in 0..cases(1500) {
        let draw = seed.at(k);
        let pick = |name: &str, below: usize| (draw.fork(name).unit() * below as f64) as usize;
        let (name, bytes) = &all[pick("file", all.len())];
        let other = |value: i64| {
            let all = others(value);
            all[pick("other", all.len())]
        };
        let Some((bytes, what)) = head_rewritten(bytes, pick("place", 1 << 20), other) else { continue };
        let bytes = Arc::new(bytes);
        try_model(&format!("{name}: {what} (case {k})"), |run| {
            let record = files::parse_model("hostile.pel", bytes.clone(), run)?;
            let machine = KNOWN.machine(&record)?;
            let mut model =
                Model::load(&root().join("golden/sklearn/kmeans.onnx"), &Run { catalog: &KNOWN, ..Run::quiet(1) })?;
            model.machine = machine;
            Ok(model)
        });
    }
}
