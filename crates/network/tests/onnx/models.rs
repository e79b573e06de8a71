//! Real models: what onnxruntime gives, and how many digits they read.

use crate::golden::{Value, cases, shared_model};
use base::graph::{Element, Tensor};
use base::{Error, Run};
use pellucid_network::{Network, Onnx, read_onnx};

fn read(name: &str) -> Option<Onnx> {
    let none = |file: &str| Err(Error::format(file, "is not there"));
    shared_model(name).map(|bytes| read_onnx(name, &bytes, &none, &Run::quiet(1)).unwrap())
}

/// The inputs that `golden/make_onnx.py` makes.
fn waves(model: &Onnx) -> Vec<Tensor> {
    let input = |input: &base::graph::GraphInput| {
        let shape: Vec<usize> = input.shape.iter().map(|n| n.unwrap_or(2)).collect();
        let places = 0..shape.iter().product::<usize>();
        match input.element {
            Element::I64 => Tensor::i64(shape, places.map(|i| (i * 37 % 257) as i64).collect()),
            _ => Tensor::f32(shape, places.map(|i| ((i * 37 % 101) as f64 / 101.0) as f32).collect()),
        }
        .unwrap()
    };
    model.graph.inputs().iter().map(input).collect()
}

#[test]
fn models_give_what_onnxruntime_gives() {
    for case in cases("models.bin.gz") {
        let Some(model) = read(&case.name) else { continue };
        let run = Run { threads: 2, ..Run::quiet(1) };
        let outputs = Network::new(model.graph.clone()).run(&waves(&model), &run).unwrap();
        assert_eq!(outputs.len(), case.outputs.len());
        let mut largest = 0.0f64;
        for ((ours, theirs), port) in outputs.iter().zip(&case.outputs).zip(&model.outputs) {
            match theirs {
                Value::Texts(texts) => {
                    let list = port.texts.as_ref().unwrap();
                    let ours: Vec<&str> = ours.wholes().unwrap().iter().map(|&i| list[i as usize].as_str()).collect();
                    assert_eq!(ours, texts.iter().map(String::as_str).collect::<Vec<_>>(), "{}", case.name);
                }
                Value::Tensor(theirs) => {
                    assert_eq!(ours.numbers().len(), theirs.numbers().len(), "{}: {:?}", case.name, theirs.shape());
                    for (a, b) in ours.to_f64().into_iter().zip(theirs.to_f64()) {
                        largest = largest.max((a - b).abs());
                    }
                }
            }
        }
        println!("{}: at most {largest:.1e} apart from onnxruntime; notes {:?}", case.name, model.notes);
        assert!(largest <= 1e-4, "{}: {largest}", case.name);
    }
}

#[test]
fn classes_have_their_names() {
    let Some(model) = read("lr_mnist_scikit.onnx") else { return };
    let digits: Vec<String> = (0..10).map(|d: usize| d.to_string()).collect();
    assert_eq!(model.outputs[1].columns.as_ref(), Some(&digits));
    let Some(model) = read("squeezenet_snacks10.onnx") else { return };
    let columns = model.outputs[1].columns.clone().unwrap();
    assert_eq!((columns.len(), model.outputs[0].texts.clone().unwrap()), (10, columns));
}

/// The first images of MNIST's test part, and their digits.
fn digits(count: usize) -> Option<(Vec<f32>, Vec<u8>)> {
    use std::io::Read;
    let open = |name: &str| {
        let packed = std::fs::read(testkit::shared(&format!("mnist/{name}"))?).unwrap();
        let mut bytes = vec![];
        flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut bytes).unwrap();
        Some(bytes)
    };
    let (images, labels) = (open("t10k-images-idx3-ubyte.gz")?, open("t10k-labels-idx1-ubyte.gz")?);
    let pixels = images[16..][..784 * count].iter().map(|&p| f32::from(p)).collect();
    Some((pixels, labels[8..][..count].to_vec()))
}

#[test]
fn networks_read_digits_as_well_as_they_are_said_to() {
    let Some((pixels, labels)) = digits(1000) else { return };
    // What each was trained on: bytes; standardised.
    type Kind = (&'static str, fn(f32) -> f32, f64);
    let kinds: [Kind; 2] =
        [("mnist_cntk.onnx", |p| p, 0.987), ("cnn_mnist_pytorch.onnx", |p| (p / 255.0 - 0.1307) / 0.3081, 0.986)];
    for (name, scaled, least) in kinds {
        let Some(model) = read(name) else { continue };
        let (network, run) = (Network::new(model.graph), Run::quiet(1));
        let right = pixels.chunks(784).zip(&labels).filter(|(image, label)| {
            let input = Tensor::f32([1, 1, 28, 28], image.iter().map(|&p| scaled(p)).collect()).unwrap();
            let scores = network.run(&[input], &run).unwrap()[0].to_f64();
            let best = (0..10).max_by(|&a, &b| scores[a].total_cmp(&scores[b])).unwrap();
            best == usize::from(**label)
        });
        let accuracy = right.count() as f64 / 1000.0;
        println!("{name}: {accuracy}");
        assert!(accuracy >= least, "{name}: {accuracy}");
    }
}
