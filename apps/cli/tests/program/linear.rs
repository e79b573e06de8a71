//! LIBLINEAR's words and files, as a person uses them.

use crate::{Folder, fails, ok};
use std::path::Path;

fn golden(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden").join(name).display().to_string()
}

#[test]
fn the_front_trains_and_predicts_as_liblinear_does() {
    let folder = Folder::new("linear");
    let (model, out) = (folder.file("m.model"), folder.file("out"));
    let (model, out) = (model.display(), out.display());
    let data = golden("svm/drawn.libsvm");
    for s in [0, 1, 2, 3, 4, 7] {
        let said = ok(&format!("linear-train -s {s} -c 2 -B 1 -w1 2 {data} {model}"));
        for words in ["optimization finished, #iter = ", "Objective value = "] {
            assert!(said.contains(words), "-s {s}: {said}");
        }
        assert_eq!(said.contains("nSV = "), !(s == 0 || s == 2), "-s {s}: {said}");
        let said = ok(&format!("linear-predict {data} {model} {out}"));
        assert!(said.starts_with("Accuracy = ") && said.ends_with("/60)\n"), "{said}");
        let labels = std::fs::read_to_string(folder.file("out")).unwrap();
        assert!(labels.lines().count() == 60 && labels.lines().all(|l| ["1", "2", "3"].contains(&l)), "{labels}");
    }
    let said = ok(&format!("linear-predict -b 1 -q {data} {model} {out}"));
    assert_eq!(said, "");
    let text = std::fs::read_to_string(folder.file("out")).unwrap();
    assert!(text.starts_with("labels 1 2 3\n") && text.lines().nth(1).unwrap().split(' ').count() == 4, "{text}");
    for s in [11, 12, 13] {
        assert_eq!(ok(&format!("linear-train -q -s {s} -p 0.05 {} {model}", golden("svm/values.libsvm"))), "");
        let said = ok(&format!("linear-predict {} {model} {out}", golden("svm/values.libsvm")));
        assert!(
            said.contains("Mean squared error = ") && said.contains("Squared correlation coefficient = "),
            "{said}"
        );
    }
    assert!(ok(&format!("linear-train -s 12 -v 4 {}", golden("svm/values.libsvm"))).contains("Mean squared error = "));
    assert!(ok("linear-train").contains("linear-train [options] training_file [model_file]"));
    assert!(ok("linear-predict --help").contains("linear-predict [options] test_file model_file output_file"));
    assert!(fails(&format!("linear-train -s 5 {data}")).contains("-s 5, an L1 penalty: not supported by linear-train"));
    let one = fails(&format!("linear-predict -b 1 {data} {} {out}", golden("liblinear/peer-two-s1.model")));
    assert!(one.contains("only those of -s 0, 6 and 7 have them"), "{one}");
    assert!(fails(&format!("linear-train {}", golden("svm/values.libsvm"))).contains("class labels are whole numbers"));
}

#[test]
fn a_cross_validation_and_a_search_print_and_write_nothing() {
    let folder = Folder::new("linear-search");
    let text = std::fs::read_to_string(golden("liblinear/two.libsvm")).unwrap();
    let data = folder.write("d.libsvm", &text);
    let d = data.display();
    assert!(ok(&format!("linear-train -q -v 5 {d} {d}")).starts_with("Cross Validation Accuracy = "));
    let said = ok(&format!("linear-train -q -C -c 0.5 {d} {d}"));
    let lines: Vec<&str> = said.lines().collect();
    // 0.5, 1, ..., 1024, and the best of them.
    assert!(lines.len() == 13 && lines[0].starts_with("log2c= -1.00\trate="), "{said}");
    let rates: Vec<f64> = lines[..12].iter().map(|l| l.split("rate=").nth(1).unwrap().parse().unwrap()).collect();
    let best = rates.iter().copied().fold(0.0, f64::max);
    let first = rates.iter().position(|r| *r == best).unwrap();
    assert_eq!(lines[12], format!("Best C = {}  CV accuracy = {best}%", 0.5 * 2f64.powi(first as i32)));
    assert_eq!(std::fs::read_to_string(&data).unwrap(), text);
    assert!(!folder.file("d.libsvm.model").exists());
}

#[test]
fn the_front_never_writes_over_what_it_reads() {
    let folder = Folder::new("linear-over");
    let text = std::fs::read_to_string(golden("liblinear/two.libsvm")).unwrap();
    let (data, model) = (folder.write("d.libsvm", &text), folder.file("m.model"));
    let (d, m) = (data.display(), model.display());
    ok(&format!("linear-train -q {d} {m}"));
    let bytes = std::fs::read(&model).unwrap();
    for line in
        [format!("linear-train {d} {d}"), format!("linear-predict {d} {m} {d}"), format!("linear-predict {d} {m} {m}")]
    {
        assert!(fails(&line).contains("which is an input; choose another file"), "{line}");
        assert_eq!(std::fs::read_to_string(&data).unwrap(), text, "{line}");
        assert!(std::fs::read(&model).unwrap() == bytes, "{line}");
    }
}

#[test]
fn models_of_liblinear_are_models() {
    let folder = Folder::new("linear-models");
    let (pel, model) = (folder.file("m.pel"), folder.file("m.model"));
    let peer = golden("liblinear/peer-three-s4-bias.model");
    assert!(ok(&format!("inspect {peer}")).starts_with("a model of LIBLINEAR: linear-svm"));
    ok(&format!("convert {peer} {}", pel.display()));
    assert!(
        ok(&format!("convert {} {}", pel.display(), model.display())).contains("a LIBLINEAR model (MCSVM_CS) with 15")
    );
    let data = golden("svm/drawn.libsvm");
    let predicted = |file: &str| ok(&format!("predict {file} {data}"));
    assert_eq!(predicted(&peer), predicted(&model.display().to_string()));
    assert_eq!(predicted(&peer), predicted(&pel.display().to_string()));
    assert!(ok(&format!("score {peer} {data}")).starts_with("accuracy: "));
    // Any linear machine goes out, with what cannot be said.
    ok(&format!("fit logistic {data} --task classify --prepare none -o {}", pel.display()));
    let said = ok(&format!("convert {} {}", pel.display(), model.display()));
    assert!(said.contains("note: probabilities are left out"), "{said}");
    let labels = |file: &str| {
        predicted(file).lines().skip(1).map(|l| l.split(',').next().unwrap().into()).collect::<Vec<String>>()
    };
    assert_eq!(labels(&pel.display().to_string()), labels(&model.display().to_string()));
    ok(&format!("fit logistic {data} --task classify --prepare scale -o {}", pel.display()));
    assert!(
        fails(&format!("convert {} {}", pel.display(), model.display())).contains("not supported by LIBLINEAR files")
    );
}

#[test]
fn heads_that_claim_too_much_are_refused_at_once() {
    let folder = Folder::new("linear-hostile");
    let begin = std::time::Instant::now();
    for head in [
        "nr_class 2\nlabel 1 2\nnr_feature 9223372036854775807\nbias 1",
        "nr_class 2\nlabel 1 2\nnr_feature 2147483647\nbias -1",
        "nr_class 2147483647\nlabel 1 2\nnr_feature 3\nbias -1",
        "nr_class 3\nlabel 1 2 3\nnr_feature 18446744073709551615\nbias 1",
    ] {
        let path = folder.write("h.model", &format!("solver_type MCSVM_CS\n{head}\nw\n1 2 \n"));
        let said = fails(&format!(
            "linear-predict {} {} {}",
            golden("svm/drawn.libsvm"),
            path.display(),
            folder.file("o").display()
        ));
        assert!(said.contains("h.model:") && !said.contains("memory"), "{said}");
        assert!(fails(&format!("inspect {}", path.display())).contains("h.model:"));
    }
    assert!(begin.elapsed().as_secs() < 20);
}
