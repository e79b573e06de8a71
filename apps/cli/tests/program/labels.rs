//! Label sets through the program: fitted, judged, compared, predicted, cut and reported.

use crate::{Folder, fails, ok, run};
use serde_json::Value;
use std::path::Path;

fn json(line: &str) -> Value {
    serde_json::from_str(&ok(&format!("{line} --json"))).unwrap()
}

/// What is said beside the results of a command that succeeds.
fn notes(line: &str) -> String {
    let output = run(line);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{line}\n{said}");
    said
}

/// Rows of label sets with their test rows: few classes, so that a fit takes no time.
fn drawn(folder: &Folder) -> (String, String) {
    let small = "--set rows=1200 --set columns=2000 --set classes=40 --set labels=4 --set words=60 --set test_rows=500";
    let file = |name: &str| folder.file(name).display().to_string();
    ok(&format!("generate lshtc {small} -o {}", file("train.libsvm")));
    ok(&format!("generate lshtc {small} --set part=test -o {}", file("test.libsvm")));
    (file("train.libsvm"), file("test.libsvm"))
}

/// The lists of labels at the beginning of the lines of a file.
fn lists(path: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(path).unwrap();
    let list = |line: &str| line.split(' ').next().unwrap().split(',').map(str::to_string).collect();
    text.lines().map(list).collect()
}

#[test]
fn label_sets_go_through_every_job() {
    let folder = Folder::new("labels");
    let (train, test) = drawn(&folder);
    let model = folder.file("model.pel").display().to_string();
    let fitted = json(&format!("fit linear-svm {train} --test {test} -o {model} --set tolerance=0.1"));
    let scored = json(&format!("score {model} {test}"));
    assert_eq!(fitted["score"]["precision_at_1"], scored["precision_at_1"]);
    for measure in ["precision_at_1", "ndcg_at_5", "psp_at_3", "recall_at_10", "f1_micro", "coverage_error"] {
        assert!(scored[measure].as_f64().unwrap() > 0.1, "{measure}: {scored}");
    }
    assert!(scored["precision_at_1"].as_f64().unwrap() > 0.4, "{scored}");
    assert!(scored.get("confusion").is_none());
    let groups = scored["labels_by_frequency"].as_array().unwrap();
    assert!(groups.len() > 1 && groups.iter().any(|g| g["training_rows"] == "101-1000"), "{groups:?}");
    assert!(ok(&format!("score {model} {test}")).contains("labels by training rows:"));

    // The best labels and the sets are those that the measures speak of.
    let top = ok(&format!("predict {model} {test} --top 3 -q"));
    let mut lines = top.lines();
    assert_eq!(lines.next(), Some("label_1,score_1,label_2,score_2,label_3,score_3"));
    let truths = lists(&test);
    let right = lines.zip(&truths).filter(|(line, set)| set.iter().any(|l| l == line.split(',').next().unwrap()));
    let precision = right.count() as f64 / truths.len() as f64;
    assert!((precision - scored["precision_at_1"].as_f64().unwrap()).abs() < 1e-9, "{precision}");
    let sets = ok(&format!("predict {model} {test} -q"));
    // An empty set is a line that readers of CSV do not leave out.
    assert!(sets.lines().all(|line| !line.is_empty()) && sets.lines().any(|line| line == "\"\""));
    let sets = sets.replace("\"\"", "");
    let sizes: usize = sets.lines().skip(1).map(|set| set.split(';').filter(|l| !l.is_empty()).count()).sum();
    assert!((sizes as f64 / truths.len() as f64 - scored["set_size"].as_f64().unwrap()).abs() < 1e-9);
    let exact = sets.lines().skip(1).zip(&truths).filter(|(set, truth)| {
        let mut set: Vec<&str> = set.split(';').filter(|l| !l.is_empty()).collect();
        let mut truth: Vec<&str> = truth.iter().map(String::as_str).collect();
        set.sort_unstable();
        truth.sort_unstable();
        set == truth
    });
    let subset = exact.count() as f64 / truths.len() as f64;
    assert!((subset - scored["subset_accuracy"].as_f64().unwrap()).abs() < 1e-9);
    // Every label is above a threshold below all scores.
    assert_eq!(json(&format!("score {model} {test} --threshold=-1e9"))["label_coverage"], 1.0);

    let page = folder.file("page.html");
    ok(&format!("report {model} {test} -o {}", page.display()));
    let html = std::fs::read_to_string(&page).unwrap();
    for part in
        ["precision_at_1", "training rows", "101-1000", "The labels with the most errors", "rows without a label"]
    {
        assert!(html.contains(part), "{part}");
    }
    assert!(ok(&format!("inspect {train}")).contains("sets of 40 labels"));
}

#[test]
fn label_sets_are_held_out_compared_and_searched() {
    let folder = Folder::new("labels-folds");
    let (train, _) = drawn(&folder);
    let said = notes(&format!(
        "fit linear-svm {train} --holdout 0.25 --set tolerance=0.1 -o {}",
        folder.file("m.pel").display()
    ));
    assert!(said.contains("not defined for label sets"), "{said}");
    let compared =
        json(&format!("compare {train} linear-svm:tolerance=0.1 linear-svm:c=0.001:tolerance=0.1 --folds 2"));
    assert_eq!(compared["measure"], "precision_at_1");
    let by = format!("compare {train} linear-svm:tolerance=0.1 --folds 2 --measure psp_at_5");
    assert!(ok(&by).contains("psp_at_5"));
    let grid = format!(
        "fit linear-svm {train} --grid c=0.001,1 --grid-folds 2 --set tolerance=0.1 --measure ndcg_at_5 -o {}",
        folder.file("g.pel").display()
    );
    let chosen = json(&grid);
    assert_eq!(chosen["certificate"]["choice"]["chosen"], "c=1", "{chosen}");
}

#[test]
fn label_sets_are_cut_by_f1_and_with_a_promise() {
    let folder = Folder::new("labels-cut");
    let (train, test) = drawn(&folder);
    let model = folder.file("cut.pel").display().to_string();
    let score = |prepare: &str| {
        ok(&format!("fit linear-svm {train} --prepare {prepare} --set tolerance=0.1 -o {model} -q"));
        json(&format!("score {model} {test}"))
    };
    let value = |scored: &Value, name: &str| scored[name].as_f64().unwrap();
    let plain = score("none");
    assert!(value(&score("thresholds"), "f1_micro") > value(&plain, "f1_micro"));
    assert!(value(&score("thresholds=each"), "f1_macro") > value(&plain, "f1_macro"));
    // 360 held-out rows and 500 test rows: the coverage has a standard deviation of 0.028.
    let covered = value(&score("conformal=0.3:alpha=0.2"), "label_coverage");
    assert!((0.7..0.9).contains(&covered), "{covered}");
    let few = fails(&format!("fit linear-svm {train} --prepare conformal=0.01:alpha=0.05 -o {model}"));
    assert!(few.contains("12 held-out rows cannot promise alpha = 0.05"), "{few}");
}

#[test]
fn what_is_not_defined_for_label_sets_is_said() {
    let folder = Folder::new("labels-wrong");
    let (train, test) = drawn(&folder);
    let model = folder.file("model.pel").display().to_string();
    ok(&format!("fit linear-svm {train} -o {model} --set tolerance=0.5 -q"));
    let knn = fails(&format!("fit knn {train} -o {}", folder.file("knn.pel").display()));
    assert!(knn.contains("holds label sets") && knn.contains("linear-svm takes label sets"), "{knn}");
    assert!(fails(&format!("predict {model} {test} --proba")).contains("do not sum to 1"));
    assert!(fails(&format!("predict {model} {test} --top 0")).contains("at least 1"));
    assert!(fails(&format!("predict {model} {test} --top 2 --threshold 0.5")).contains("cannot be combined"));
    assert!(fails(&format!("score {model} {test} --costs 1:2")).contains("is for models that predict classes"));
    assert!(fails(&format!("score {model} {test} --positive 3")).contains("classes"));
    // Labels of new data that the model does not know are counted, and data of which it knows none are refused.
    let odd = folder.write("odd.libsvm", "0,900 1:1\n901 2:1\n");
    assert!(notes(&format!("score {model} {}", odd.display())).contains("2 labels of these data are unknown"));
    let none = folder.write("none.libsvm", "900,902 1:1\n901 2:1\n");
    assert!(fails(&format!("score {model} {}", none.display())).contains("no label of these data is known"));
    // Rows that all have one label are sets of one label to a model of label sets.
    let single = folder.write("single.libsvm", "0 1:1\n1 2:1\n");
    assert_eq!(json(&format!("score {model} {}", single.display()))["n"], 2);
    let gaps = folder.write("gaps.libsvm", "1,2 1:1\n 2:1\n2 3:1\n1 1:1 4:1\n");
    let said = notes(&format!("fit linear-svm {} -o {model}", gaps.display()));
    assert!(said.contains("1 row of 4 has no label"), "{said}");
    assert!(Path::new(&model).exists());
}
