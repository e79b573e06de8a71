//! Explanations from the command line: text, numbers, cards, pictures, and what is refused.

use crate::{Folder, fails, ok, penguins, run};
use serde_json::Value;

fn json(line: &str) -> Value {
    serde_json::from_str(&ok(&format!("{line} --json"))).unwrap()
}

#[test]
fn a_detector_explains_the_columns_of_the_table() {
    let folder = Folder::new("explain");
    let (data, model) = (penguins(), folder.file("m.pel"));
    let (data, model) = (data.display(), model.display());
    ok(&format!("fit one-class-svm {data} --target none --ignore species -o {model}"));
    let object = json(&format!("explain {model} {data} --rows 0,5-7"));
    assert_eq!((&object["method"], object["rows"].as_array().unwrap().len()), (&"dtd".into(), 4));
    let first = &object["rows"][0];
    let number = |name: &str| first["balance"][name].as_f64().unwrap();
    assert!((number("score") - number("sum") - number("absorbed") - number("lost")).abs() < 1e-9);
    let names: Vec<&str> = first["most"].as_array().unwrap().iter().map(|c| c["column"].as_str().unwrap()).collect();
    assert!(names.contains(&"island") && names.contains(&"body_mass_g"), "parts of a category are added up: {names:?}");
    let sum: f64 = first["most"].as_array().unwrap().iter().map(|c| c["relevance"].as_f64().unwrap()).sum();
    assert!((sum - number("sum")).abs() < 1e-9, "seven columns are all that there are");
    // Numbers, cards, a folder.
    let csv = folder.file("r.csv");
    ok(&format!("explain {model} {data} -o {}", csv.display()));
    let text = std::fs::read_to_string(&csv).unwrap();
    assert_eq!(text.lines().count(), 345);
    assert!(text.lines().next().unwrap().contains("island"));
    ok(&format!("explain {model} {data} -o {}", folder.file("r.npy").display()));
    assert!(std::fs::read(folder.file("r.npy")).unwrap().starts_with(b"\x93NUMPY"));
    let out = folder.file("cards");
    let text = ok(&format!("explain {model} {data} --rows 47 -o {}", out.display()));
    assert!(text.contains("row 47") && text.contains(" attributed"), "{text}");
    let page = std::fs::read_to_string(out.join("cards.html")).unwrap();
    for word in ["Row 47", "in similar normal rows", "nearest normal examples", "quantile"] {
        assert!(page.contains(word), "{word}");
    }
    assert!(out.join("relevance.csv").is_file() && std::fs::read(out.join("row-47.png")).unwrap()[1..4] == *b"PNG");
    // Methods.
    let methods = ok(&format!("methods {model}"));
    assert!(
        methods.contains("dtd") && methods.contains("sobel                          the inputs are not an image"),
        "{methods}"
    );
    // Strictness and slips.
    assert!(run(&format!("explain {model} {data} --rows 3 --strict")).status.success());
    assert_eq!(run(&format!("explain {model} {data} --rows 3 --method gradient --strict")).status.code(), Some(1));
    assert!(fails(&format!("explain {model} {data} --rows 400")).contains("below 344"));
    assert!(fails(&format!("explain {model} {data} --method dtt")).contains("did you mean dtd"));
    assert!(fails(&format!("explain {model} {data} --rows 1 -o {}", folder.file("x.gif").display())).contains(".html"));
}

#[test]
fn a_classifier_explains_its_class_and_words_keep_their_names() {
    let folder = Folder::new("explain-classes");
    let (data, model) = (penguins(), folder.file("m.pel"));
    let (data, model) = (data.display(), model.display());
    ok(&format!("fit svc {data} --target species -o {model}"));
    let object = json(&format!("explain {model} {data} --rows 0-2"));
    assert_eq!(object["method"], "lrp-epsilon", "votes have no gradient");
    let support = json(&format!("explain {model} {data} --rows 0-2 --method support"));
    assert!(support["rows"][0]["balance"]["absorbed"].is_number());
    let text = ok(&format!("explain {model} {data} --rows 0 --class Gentoo"));
    assert!(text.contains("Gentoo"), "{text}");
    assert!(fails(&format!("explain {model} {data} --class Gento")).contains("did you mean Gentoo"));
    let mut texts = String::from("text\n");
    (0..60)
        .for_each(|i| texts += &format!("{} number {i}\n", ["the cat sat on the mat", "a dog lay on the mat"][i % 2]));
    let (plain, strange) =
        (folder.write("a.csv", &texts), folder.write("b.csv", "text\nthe cat sat on the roof cat\n"));
    let words = folder.file("w.pel");
    let (plain, strange, words) = (plain.display(), strange.display(), words.display());
    ok(&format!(
        "fit one-class-svm {plain} --header yes --target none --prepare bag-of-words --set sigma=1 -o {words}"
    ));
    let object = json(&format!("explain {words} {strange} --header yes"));
    let names: Vec<&str> =
        object["rows"][0]["most"].as_array().unwrap().iter().map(|c| c["column"].as_str().unwrap()).collect();
    assert!(names.contains(&"text:cat") && names.contains(&"text:mat"), "present and absent: {names:?}");
    let page = folder.file("w.html");
    ok(&format!("explain {words} {strange} --header yes -o {}", page.display()));
    assert!(std::fs::read_to_string(&page).unwrap().contains("Expected, but missing"));
}

#[test]
fn networks_behind_scalers_are_explained_by_rules_from_pel_and_onnx() {
    let folder = Folder::new("explain-networks");
    let (data, model) = (penguins(), folder.file("m.pel"));
    let (data, model) = (data.display(), model.display());
    ok(&format!("fit mlp {data} --target species --set epochs=60 -o {model}"));
    for method in ["lrp-composite", "lrp-epsilon", "lrp-gamma", "lrp-alpha-beta", "deep-lift", "kernel-shap"] {
        let object = json(&format!("explain {model} {data} --rows 0-2,200 --method {method}"));
        let first = &object["rows"][0];
        let number = |name: &str| first["balance"][name].as_f64().unwrap();
        let open = number("score") - number("sum") - number("absorbed") - number("lost");
        assert!(open.abs() < 1e-4 * number("score").abs(), "{method}: {first}");
        let names: Vec<&str> =
            first["most"].as_array().unwrap().iter().map(|c| c["column"].as_str().unwrap()).collect();
        assert!(names.contains(&"flipper_length_mm"), "{method} tells the table's own columns: {names:?}");
        assert!(run(&format!("explain {model} {data} --rows 0-2 --method {method} --strict")).status.success());
    }
    for method in ["pattern-net", "smoothgrad", "guided-backprop", "occlusion", "lime"] {
        let object = json(&format!("explain {model} {data} --rows 0,1 --method {method} --set samples=50"));
        assert_eq!(object["rows"].as_array().unwrap().len(), 2, "{method}");
    }
    // A large stabiliser loses much, and strictness says so.
    let loses = format!("explain {model} {data} --rows 0 --method lrp-epsilon --set epsilon=50");
    assert!(run(&loses).status.success());
    assert_eq!(run(&format!("{loses} --strict")).status.code(), Some(1));
    let settings = ok(&format!("methods {model}"));
    assert!(settings.contains("Settings (--set NAME=VALUE):") && settings.contains("gamma"), "{settings}");
    assert!(fails(&format!("explain {model} {data} --set epsilom=1")).contains("epsilon"));
    // A network of another tool, straight from its file.
    let golden = format!("{}/../../golden/explain", env!("CARGO_MANIFEST_DIR"));
    let x: String = (0..3).map(|i| format!("{},0.5,-0.2,1.1,0.3,0.7\n", i as f64 * 0.4)).collect();
    let table = folder.write("x.csv", &format!("a,b,c,d,e,f\n{x}"));
    let told = json(&format!("explain {golden}/dense.onnx {} --method lrp-epsilon", table.display()));
    assert_eq!(told["rows"].as_array().unwrap().len(), 3, "{told}");
    assert!(told["rows"][1]["balance"]["score"].is_number());
}

#[test]
fn accounts_are_told_layer_by_layer() {
    let folder = Folder::new("explain-layers");
    let (data, model) = (penguins(), folder.file("m.pel"));
    let (data, model) = (data.display(), model.display());
    ok(&format!("fit mlp {data} --target species --set epochs=5 -o {model}"));
    let asked = format!("explain {model} {data} --rows 0,200 --method lrp-epsilon --layers");
    let told = json(&asked);
    for (k, row) in told["rows"].as_array().unwrap().iter().enumerate() {
        for kind in ["absorbed", "lost"] {
            let layers = told["layers"].as_array().unwrap().iter();
            let sum: f64 = layers.map(|l| l[kind][k].as_f64().unwrap()).sum();
            assert!((sum - row["balance"][kind].as_f64().unwrap()).abs() < 1e-9, "{kind}: {told}");
        }
    }
    let text = ok(&asked);
    assert!(
        text.contains("row 200, relevance not passed on, from the score to the inputs:") && text.contains("epsilon"),
        "{text}"
    );
    for method in ["gradient", "deep-lift", "guided-backprop"] {
        let error = fails(&format!("explain {model} {data} --rows 0 --method {method} --layers"));
        assert!(error.contains("relevance by layer") && error.contains(method), "{error}");
    }
    assert!(fails(&format!("{asked} --view heat")).contains("takes one method, as text"));
    assert!(fails(&format!("{asked} -o x.html")).contains("--layers"), "it has no place in a page");
}

#[test]
fn one_command_walks_through_every_machine_that_is_a_network() {
    let folder = Folder::new("explain-machines");
    let (data, model) = (penguins(), folder.file("m.pel"));
    let (data, model) = (data.display(), model.display());
    for machine in
        ["svc", "svr", "one-class-svm", "gmm", "kmeans", "logistic", "ridge", "mlp", "rbf-network", "nearest-mean"]
    {
        let target = match machine {
            "svr" | "ridge" => "--target body_mass_g",
            "one-class-svm" | "gmm" | "kmeans" => "--target none --ignore species",
            _ => "--target species",
        };
        ok(&format!("fit {machine} {data} {target} -o {model}"));
        for method in ["lrp-epsilon", "gradient", "integrated-gradients"] {
            let told = json(&format!("explain {model} {data} --rows 0,200 --method {method}"));
            let rows = told["rows"].as_array().unwrap();
            assert_eq!((rows.len(), told["method"].as_str()), (2, Some(method)), "{machine}");
            for row in rows {
                assert!(!row["most"].as_array().unwrap().is_empty(), "{machine}, {method}: {row}");
                let number = |name: &str| row["balance"][name].as_f64();
                if let Some(score) = number("score") {
                    let parts: f64 = ["sum", "absorbed", "lost"].iter().filter_map(|p| number(p)).sum();
                    assert!((parts - score).abs() < 1e-6 * (1.0 + score.abs()), "{machine}, {method}: {row}");
                } else {
                    assert_eq!(method, "gradient", "{machine}: {row}");
                }
            }
        }
    }
}
