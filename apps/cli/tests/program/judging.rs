//! Explanations judged from the command line: detectors, tables, pictures, networks of others, and what is refused.

use crate::{Folder, fails, ok, penguins};
use serde_json::Value;

fn json(line: &str) -> Value {
    serde_json::from_str(&ok(&format!("{line} --json"))).unwrap()
}

fn method<'a>(measure: &'a Value, name: &str) -> &'a Value {
    let all = measure["methods"].as_array().unwrap();
    all.iter().find(|m| m["method"] == name).unwrap_or_else(|| panic!("{name} is not in {measure}"))
}

#[test]
fn detectors_are_flipped_and_perturbed() {
    let folder = Folder::new("judge-detector");
    let (data, model) = (penguins(), folder.file("m.pel"));
    let (data, model) = (data.display(), model.display());
    ok(&format!("fit one-class-svm {data} --target none --ignore species -o {model}"));
    let found = json(&format!("judge {model} {data} --methods dtd,nearest --rows 0-40"));
    let flipping = &found["measures"][0];
    assert_eq!(
        (&found["rows"], &flipping["measure"], &flipping["better"]),
        (&41.into(), &"flipping".into(), &"lower".into())
    );
    assert_eq!(flipping["methods"].as_array().unwrap().len(), 3, "random relevance takes part");
    assert_eq!(method(flipping, "dtd")["random"]["verdict"], "better", "{flipping}");
    assert_eq!(
        flipping["curves"][0]["x"].as_array().unwrap().len(),
        flipping["curves"][0]["most"].as_array().unwrap().len()
    );
    let both = json(&format!("judge {model} {data} --methods dtd --measures flipping,perturbation --rows 0-20"));
    assert_eq!(both["measures"][1]["measure"], "perturbation");
    // Seven columns, of which the parts of a category go together.
    assert_eq!(both["measures"][1]["curves"][0]["x"].as_array().unwrap().len(), 8, "{both}");
    let text = ok(&format!("judge {model} {data} --rows 0-9"));
    assert!(text.contains("rank") && text.contains("dtd") && text.contains("minus random"), "{text}");
    for (file, start) in [("j.html", &b"<!doctype"[..]), ("j.png", b"\x89PNG"), ("j.svg", b"<svg")] {
        let path = folder.file(file);
        ok(&format!("judge {model} {data} --methods dtd,nearest --rows 0-9 -o {}", path.display()));
        assert!(std::fs::read(&path).unwrap().starts_with(start), "{file}");
    }
}

#[test]
fn tables_are_judged_column_by_column_and_settings_compared() {
    let folder = Folder::new("judge-table");
    let (data, model) = (penguins(), folder.file("m.pel"));
    let (data, model) = (data.display(), model.display());
    ok(&format!("fit mlp {data} --target species --set epochs=60 -o {model}"));
    let measures = "perturbation,faithfulness,sensitivity,randomisation,sparseness,complexity";
    let line = format!(
        "judge {model} {data} --methods lrp-epsilon,smoothgrad,occlusion --measures {measures} --grid noise=0.05,0.5 \
         --set copies=4 --with sets=30 --with noisy=2 --rows 0-9,200-209,300-309"
    );
    let found = json(&line);
    let names: Vec<&str> =
        found["measures"].as_array().unwrap().iter().map(|m| m["measure"].as_str().unwrap()).collect();
    assert_eq!(names.join(","), measures);
    for measure in found["measures"].as_array().unwrap() {
        let ranks: Vec<u64> =
            measure["methods"].as_array().unwrap().iter().map(|m| m["rank"].as_u64().unwrap()).collect();
        assert_eq!((ranks.len(), ranks[0]), (5, 1), "{ranks:?}");
        assert!(ranks.windows(2).all(|w| w[0] <= w[1]), "the best first");
        for name in ["lrp-epsilon", "smoothgrad noise=0.05", "smoothgrad noise=0.5", "occlusion", "random"] {
            assert!(method(measure, name)["mean"].is_number());
        }
    }
    let first = method(&found["measures"][0], "lrp-epsilon");
    assert_eq!(first["random"]["verdict"], "better", "{first}");
    assert!(first["also"]["aopc"]["mean"].is_number() && first["best"]["verdict"].is_string());
    assert!(method(&found["measures"][1], "lrp-epsilon")["mean"].as_f64() > Some(0.5));
    // The same for any number of threads; another seed draws anew.
    let perturbed = format!("judge {model} {data} --methods gradient --rows 0-19 --with replace=noise --json");
    assert_eq!(ok(&format!("{perturbed} --threads 1")), ok(&format!("{perturbed} --threads 3")));
    assert_ne!(ok(&format!("{perturbed} --seed 1")), ok(&format!("{perturbed} --seed 2")));
}

#[test]
fn networks_of_others_are_judged_on_digits() {
    let (Some(network), Some(digits)) =
        (crate::shared("models/cnn_mnist_pytorch.onnx"), crate::shared("mnist/t10k-images-idx3-ubyte.gz"))
    else {
        return;
    };
    let folder = Folder::new("judge-digits");
    let (network, digits) = (network.display(), digits.display());
    // Digits lie in the middle: a box of 20 x 20 pixels, the same for each of 10000 rows.
    let mut boxes = String::from("top,left,bottom,right\n");
    (0..10_000).for_each(|_| boxes += "4,4,24,24\n");
    let boxes = folder.write("boxes.csv", &boxes);
    let line = format!(
        "judge {network} {digits} --shift 33.3285 --factor 0.0127285 --methods lrp-composite,input-gradient \
         --measures localisation,mosaics,perturbation --boxes {} --rows 0-19 --with region=7 --with replace=blur",
        boxes.display()
    );
    let found = json(&line);
    let located = &found["measures"][0];
    assert!(method(located, "lrp-composite")["mean"].as_f64() > Some(0.9), "{located}");
    assert!(!located["classes"].as_array().unwrap().is_empty());
    assert!(method(located, "lrp-composite")["also"]["pointing"]["mean"].as_f64() > Some(0.9));
    let random = method(&found["measures"][1], "random")["mean"].as_f64().unwrap();
    assert!((random - 0.25).abs() < 0.05, "{random}");
    assert_eq!(found["measures"][2]["curves"][0]["x"].as_array().unwrap().len(), 17, "sixteen regions of 7 x 7");
    let text = ok(&line);
    assert!(text.contains("classes with the least relevance inside the box"), "{text}");
}

#[test]
fn slips_are_answered_in_words() {
    let folder = Folder::new("judge-slips");
    let (data, model) = (penguins(), folder.file("m.pel"));
    let (data, model) = (data.display(), model.display());
    ok(&format!("fit tree {data} --target species -o {model}"));
    let line = format!("judge {model} {data} --rows 0-3");
    assert!(ok(&line).contains("occlusion"), "the methods that fit any machine");
    for (more, said) in [
        ("--methods gradiant", "did you mean gradient?"),
        ("--measures pertubation", "did you mean perturbation?"),
        ("--methods gradient", "not supported"),
        ("--methods occlusion --measures flipping", "use perturbation"),
        ("--methods occlusion --measures randomisation", "randomisation is for networks"),
        ("--methods occlusion --measures localisation", "--boxes"),
        ("--methods occlusion --measures mosaics", "not images"),
        ("--methods occlusion --with regions=3", "did you mean region?"),
        ("--methods occlusion --with replace=blur", "needs an image"),
        ("--methods occlusion --grid noise=1", "smoothgrad"),
        ("--methods occlusion,occlusion", "twice"),
        ("--methods occlusion -o x.gif", ".html"),
        ("--methods occlusion --shift 3", "is for ONNX files"),
    ] {
        let error = fails(&format!("{line} {more}"));
        assert!(error.contains(said), "{more}: {error}");
    }
    assert!(fails(&format!("judge {model} {data} --methods occlusion --rows 400")).contains("below 344"));
    let boxes = folder.write("boxes.csv", "top,left,bottom,right\n1,2,3,4\n");
    let error = fails(&format!("{line} --methods occlusion --measures localisation --boxes {}", boxes.display()));
    assert!(error.contains("1 boxes for 344 rows"), "{error}");
    let help = ok("judge --help");
    assert!(help.contains("set_share") && help.contains("--grid"), "{help}");
}
