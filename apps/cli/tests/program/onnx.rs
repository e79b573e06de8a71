//! ONNX files where models are expected, and models as ONNX files.

use crate::{Folder, fails, ok, penguins, shared};
use serde_json::Value;

fn json(line: &str) -> Value {
    serde_json::from_str(&ok(&format!("{line} --json"))).unwrap()
}

#[test]
fn models_go_to_onnx_and_come_back() {
    let folder = Folder::new("onnx");
    let data = folder.file("rings.csv");
    ok(&format!("generate rings -o {}", data.display()));
    for machine in ["logistic", "forest", "knn", "nearest-mean"] {
        let (pel, onnx, back) = (folder.file("m.pel"), folder.file("m.onnx"), folder.file("back.pel"));
        let (pel, onnx, back, data) = (pel.display(), onnx.display(), back.display(), data.display());
        ok(&format!("fit {machine} {data} -o {pel}"));
        let told = json(&format!("convert {pel} {onnx} --on {data} --precision f64"));
        assert_eq!((&told["flips"], &told["drawn"]), (&Value::from(0), &Value::from(false)), "{machine}: {told}");
        assert!(told["largest_difference"].as_f64().unwrap() < 1e-6, "{machine}: {told}");
        let accuracy = |model: &str| json(&format!("score {model} {data}"))["accuracy"].clone();
        let expected = accuracy(&pel.to_string());
        assert!(expected.as_f64().is_some(), "{machine}");
        assert_eq!(accuracy(&onnx.to_string()), expected, "{machine}");
        ok(&format!("convert {onnx} {back}"));
        assert_eq!(accuracy(&back.to_string()), expected, "{machine}");
        let (ours, theirs) = (ok(&format!("predict {pel} {data}")), ok(&format!("predict {onnx} {data}")));
        assert_eq!(ours, theirs, "{machine}: names of classes and predictions");
        let about = json(&format!("inspect {onnx}"));
        assert_eq!(about["producer"], "pellucid", "{machine}");
        assert!(about["gives"].as_str().unwrap().contains("classes"), "{machine}: {about}");
    }
    let text = ok(&format!("convert {} {}", folder.file("m.pel").display(), folder.file("m.onnx").display()));
    assert!(text.contains("on 256 drawn rows, scores differ by at most"), "{text}");
    assert!(text.contains("predicted classes that differ: "), "{text}");
    let weights = folder.file("w.safetensors");
    let told = json(&format!("convert {} {}", folder.file("m.onnx").display(), weights.display()));
    assert!(told["numbers"].as_u64().is_some() && weights.exists(), "{told}");
}

#[test]
fn what_cannot_be_converted_is_said() {
    let folder = Folder::new("onnx-not");
    let (pel, onnx) = (folder.file("m.pel"), folder.file("m.onnx"));
    let (data, pel, onnx) = (penguins(), pel.display(), onnx.display());
    ok(&format!("fit forest {} --target species -o {pel}", data.display()));
    let text = ok(&format!("convert {pel} {onnx} --on {}", data.display()));
    assert!(text.contains("note: the file takes the") && text.contains("columns that the encoding makes"), "{text}");
    let error = fails(&format!("convert {pel} {}", folder.file("m.csv").display()));
    assert!(error.contains("models convert to .onnx, .pel, .model (LIBSVM) and .safetensors"), "{error}");
    let error = fails(&format!("score {pel} {} --shift 1", data.display()));
    assert!(error.contains("is for ONNX files"), "{error}");
    ok(&format!("fit hierarchical {} --ignore species -o {pel}", data.display()));
    let error = fails(&format!("convert {pel} {onnx}"));
    assert!(error.contains("a machine of kind \"hierarchy\" is not supported by ONNX files"), "{error}");
    let error = fails(&format!("fit knn {onnx}"));
    assert!(error.contains("is a model, expected data"), "{error}");
    let damaged = folder.write("damaged.onnx", "\u{8}\u{7}\u{12}");
    let error = fails(&format!("inspect {}", damaged.display()));
    assert!(error.contains("damaged.onnx"), "{error}");
}

#[test]
fn a_network_of_another_tool_scores_digits() {
    let (Some(model), Some(data)) =
        (shared("models/cnn_mnist_pytorch.onnx"), shared("mnist/t10k-images-idx3-ubyte.gz"))
    else {
        return;
    };
    let (model, data) = (model.display(), data.display());
    let folder = Folder::new("digits");
    let pel = folder.file("cnn.pel");
    let how = "--shift 33.3285 --factor 0.0127285";
    let scored = json(&format!("score {model} {data} {how}"));
    let accuracy = scored["accuracy"].as_f64().unwrap();
    assert!((0.985..0.995).contains(&accuracy), "{accuracy}");
    // Pixels as they are are not what it was trained on.
    let raw = json(&format!("score {model} {data}"))["accuracy"].as_f64().unwrap();
    assert!(raw < accuracy, "{raw}");
    ok(&format!("convert {model} {} {how}", pel.display()));
    assert_eq!(json(&format!("score {} {data}", pel.display()))["accuracy"].as_f64(), Some(accuracy));
}
