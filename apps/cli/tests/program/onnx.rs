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
    assert!(text.contains("on 256 random rows, scores differ by at most"), "{text}");
    assert!(text.contains("predicted classes that differ: "), "{text}");
    let weights = folder.file("w.safetensors");
    let told = json(&format!("convert {} {}", folder.file("m.onnx").display(), weights.display()));
    assert!(told["numbers"].as_u64().is_some() && weights.exists(), "{told}");
}

/// Trees see the numbers of the table, gaps included, and so does their ONNX file.
#[test]
fn d21_trees_with_gaps_are_the_same_in_onnx() {
    let folder = Folder::new("onnx-gaps");
    let cell = |i: usize, step: usize| match (i * step) % 11 {
        0 => String::new(),
        k => format!("{}.{}", 1000 + 37 * k + i % 5, i % 10),
    };
    let row = |i: usize| format!("{},{},{}\n", cell(i, 3), cell(i, 7), ["a", "b", "c"][(i * 3 % 11 + i * 7 % 11) % 3]);
    let text = "x,y,kind\n".to_string() + &(0..300).map(row).collect::<String>();
    let data = folder.write("d.csv", &text);
    let (pel, onnx) = (folder.file("m.pel"), folder.file("m.onnx"));
    let (data, pel, onnx) = (data.display(), pel.display(), onnx.display());
    for machine in ["tree", "forest"] {
        let told = json(&format!("fit {machine} {data} --target kind -o {pel}"));
        assert_eq!(told["preparation"], serde_json::json!(["one-hot"]), "{told}");
        let why = told["reasons"].to_string();
        assert!(why.contains("have missing values, which stay: the machine handles them"), "{why}");
        let told = json(&format!("convert {pel} {onnx} --on {data}"));
        assert_eq!(told["flips"], Value::from(0), "{machine}: {told}");
        assert!(told["largest_difference"].as_f64().unwrap() < 1e-6, "{machine}: {told}");
        let (ours, theirs) = (ok(&format!("predict {pel} {data}")), ok(&format!("predict {onnx} {data}")));
        assert_eq!(ours, theirs, "{machine}");
    }
}

#[test]
fn what_cannot_be_converted_is_said() {
    let folder = Folder::new("onnx-not");
    let (pel, onnx) = (folder.file("m.pel"), folder.file("m.onnx"));
    let (data, pel, onnx) = (penguins(), pel.display(), onnx.display());
    ok(&format!("fit forest {} --target species -o {pel}", data.display()));
    let text = ok(&format!("convert {pel} {onnx} --on {}", data.display()));
    assert!(text.contains("note: the file takes the") && text.contains("encoded columns"), "{text}");
    let error = fails(&format!("convert {pel} {}", folder.file("m.csv").display()));
    assert!(error.contains("models convert to .onnx, .pel, .model (LIBSVM, LIBLINEAR) and .safetensors"), "{error}");
    let error = fails(&format!("score {pel} {} --shift 1", data.display()));
    assert!(error.contains("is for ONNX files"), "{error}");
    ok(&format!("fit hierarchical {} --ignore species -o {pel}", data.display()));
    let error = fails(&format!("convert {pel} {onnx}"));
    assert!(error.contains("a machine of kind \"hierarchy\": not supported by ONNX files"), "{error}");
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

#[test]
fn outputs_of_other_peoples_networks_get_names() {
    let folder = Folder::new("onnx-names");
    let network = format!("{}/../../golden/explain/dense.onnx", env!("CARGO_MANIFEST_DIR"));
    let rows = folder.write("rows.csv", "a,b,c,d,e,f\n1,0.2,-0.4,0,3,1\n-1,2,0.5,0,0.1,-2\n");
    let names = folder.write("names.txt", "red\ngreen\ncrane, a bird\n");
    let (rows, names) = (rows.display(), names.display());
    let plain = ok(&format!("predict {network} {rows} --scores"));
    let named = ok(&format!("predict {network} {rows} --scores --names {names}"));
    assert!(plain.starts_with("prediction,score 0,") && named.starts_with("prediction,score red,"), "{plain}\n{named}");
    let error = fails(&format!("predict {network} {rows} --proba"));
    assert!(error.contains("--softmax"), "{error}");
    let shares = ok(&format!("predict {network} {rows} --proba --names {names} --softmax"));
    let second = shares.lines().nth(1).unwrap();
    let sum: f64 = second.rsplit(',').take(3).map(|x| x.parse::<f64>().unwrap()).sum();
    assert!((sum - 1.0).abs() < 1e-12, "{shares}");
    let told = json(&format!("explain {network} {rows} --names {names} --class green --method lrp-epsilon"));
    assert_eq!(told["rows"][0]["output"], 1, "{told}");
    let few = folder.write("few.json", "[\"red\", \"green\"]");
    let error = fails(&format!("predict {network} {rows} --names {}", few.display()));
    assert!(error.contains("names of outputs: expected 3, found 2"), "{error}");
    let wrong = folder.write("wrong.json", "{\"0\": 1}");
    let error = fails(&format!("predict {network} {rows} --names {}", wrong.display()));
    assert!(error.contains("wrong.json") && error.contains("which is not text"), "{error}");
}
