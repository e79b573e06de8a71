//! LIBSVM's words and files, and scores, as a person uses them.

use crate::{Folder, fails, ok};
use std::path::Path;

fn golden(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden/svm").join(name).display().to_string()
}

#[test]
fn the_front_trains_and_predicts_as_libsvm_does() {
    let folder = Folder::new("svm");
    let (model, out) = (folder.file("m.model"), folder.file("out"));
    let (model, out) = (model.display(), out.display());
    let data = golden("drawn.libsvm");
    for flags in ["-s 0", "-s 0 -t 0 -c 3 -w1 2", "-s 1 -n 0.4", "-s 0 -b 1"] {
        let said = ok(&format!("svm-train {flags} {data} {model}"));
        for words in ["optimization finished, #iter = ", "rho = ", "nSV = ", "nBSV = ", "Total nSV = "] {
            assert!(said.contains(words), "{flags}: {said}");
        }
        let said = ok(&format!("svm-predict {data} {model} {out}"));
        assert!(said.starts_with("Accuracy = ") && said.contains("/60) (classification)"), "{said}");
        let labels = std::fs::read_to_string(folder.file("out")).unwrap();
        assert!(labels.lines().count() == 60 && labels.lines().all(|l| ["1", "2", "3"].contains(&l)), "{labels}");
    }
    let said = ok(&format!("svm-predict -b 1 {data} {model} {out}"));
    assert!(said.starts_with("Accuracy = "), "{said}");
    let text = std::fs::read_to_string(folder.file("out")).unwrap();
    assert!(text.starts_with("labels 1 2 3\n") && text.lines().nth(1).unwrap().split(' ').count() == 4, "{text}");
    assert_eq!(ok(&format!("svm-train -q -s 3 {} {model}", golden("values.libsvm"))), "");
    let said = ok(&format!("svm-predict {} {model} {out}", golden("values.libsvm")));
    assert!(said.contains("Mean squared error = ") && said.contains("Squared correlation coefficient = "), "{said}");
    assert!(ok(&format!("svm-train -v 5 {data}")).starts_with("Cross Validation Accuracy = "));
    assert!(ok("svm-train").contains("svm-train [options] training_file [model_file]"));
    assert!(fails(&format!("svm-train -s 9 {data}")).contains("-s = 9"));
    assert!(fails(&format!("svm-predict -b 1 {data} {} {out}", golden("peer-rbf.model"))).contains("without -b 1"));
}

#[test]
fn d3_the_front_never_writes_over_what_it_reads() {
    let folder = Folder::new("svm-d3");
    let text = std::fs::read_to_string(golden("drawn.libsvm")).unwrap();
    let (data, model) = (folder.write("d.libsvm", &text), folder.file("m.model"));
    let (d, m) = (data.display().to_string(), model.display().to_string());
    ok(&format!("svm-train -q {d} {m}"));
    let bytes = std::fs::read(&model).unwrap();
    let link = folder.file("link");
    std::fs::hard_link(&data, &link).unwrap();
    for line in [
        format!("svm-train {d} {d}"),
        format!("svm-train {d} {}", link.display()),
        format!("svm-predict {d} {m} {d}"),
        format!("svm-predict {d} {m} {m}"),
        format!("svm-predict {d} {m} {}", link.display()),
    ] {
        let error = fails(&line);
        assert!(error.contains("which is an input; choose another file"), "{line}: {error}");
        assert_eq!(std::fs::read_to_string(&data).unwrap(), text, "{line}");
        assert!(std::fs::read(&model).unwrap() == bytes, "{line}");
    }
    // A cross-validation writes nothing, wherever the model would go.
    ok(&format!("svm-train -v 3 {d} {d}"));
}

#[test]
fn models_of_libsvm_are_models() {
    let folder = Folder::new("svm-models");
    let (pel, model, broken) = (folder.file("m.pel"), folder.file("m.model"), folder.file("broken.model"));
    let peer = golden("peer-rbf.model");
    assert!(ok(&format!("inspect {peer}")).starts_with("a model of LIBSVM: svc"));
    ok(&format!("convert {peer} {}", pel.display()));
    ok(&format!("convert {} {}", pel.display(), model.display()));
    let data = golden("drawn.libsvm");
    let predicted = |file: &str| ok(&format!("predict {file} {data} --scores"));
    assert_eq!(predicted(&peer), predicted(&model.display().to_string()));
    assert_eq!(predicted(&peer), predicted(&pel.display().to_string()));
    assert!(ok(&format!("score {peer} {data}")).starts_with("accuracy: "));
    let text = std::fs::read_to_string(&peer).unwrap();
    std::fs::write(&broken, &text[..text.len() / 2]).unwrap();
    assert!(fails(&format!("predict {} {data}", broken.display())).contains("the file is truncated"));
    ok(&format!("fit knn {data} -o {}", pel.display()));
    let said = fails(&format!("convert {} {}", pel.display(), model.display()));
    assert!(said.contains("not supported by LIBSVM files"), "{said}");
}

#[test]
fn scores_are_shown_by_predict() {
    let folder = Folder::new("scores");
    let pel = folder.file("m.pel");
    let data = golden("drawn.libsvm");
    for step in ["calibrate", "calibrate=isotonic", "calibrate,scale"] {
        ok(&format!("fit svc {data} --prepare {step} -o {}", pel.display()));
        let said = ok(&format!("predict {} {data} --proba", pel.display()));
        assert!(said.starts_with("prediction,p 1,p 2,p 3\n"), "{said}");
        for line in said.lines().skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            let shares: Vec<f64> = cells[1..].iter().map(|c| c.parse().unwrap()).collect();
            let best = (0..3).rev().max_by(|&a, &b| shares[a].total_cmp(&shares[b])).unwrap();
            assert_eq!(cells[0], (best + 1).to_string(), "{step}: {line}");
        }
    }
    ok(&format!("fit one-class-svm {data} --prepare conformal=0.3 -o {}", pel.display()));
    let said = ok(&format!("predict {} {data}", pel.display()));
    assert!(said.starts_with("prediction,outlier_score,quantile,p_value\n"), "{said}");
    assert!(fails(&format!("fit knn {data} --prepare conformal")).contains("it is for detectors"));
}
