//! Nothing overwritten, nothing ignored.

use crate::{Folder, fails, ok, penguins, run};

#[test]
fn d3_outputs_never_overwrite_inputs() {
    let folder = Folder::new("d3");
    let text = std::fs::read_to_string(penguins()).unwrap();
    let (data, model) = (folder.write("d.csv", &text), folder.file("m.pel"));
    ok(&format!("fit knn {} --target species -o {}", data.display(), model.display()));
    let bytes = std::fs::read(&model).unwrap();
    let link = folder.file("link.csv");
    std::fs::hard_link(&data, &link).unwrap();
    let (d, m) = (data.display().to_string(), model.display().to_string());
    let around =
        format!("{}/../{}/d.csv", folder.file("").display(), folder.file("").file_name().unwrap().to_str().unwrap());
    for line in [
        format!("fit logistic {d} --target species -o {d}"),
        format!("fit logistic {d} --target species -o {around}"),
        format!("predict {m} {d} -o {d}"),
        format!("predict {m} {d} -o {m}"),
        format!("predict {m} {d} -o {}", link.display()),
        format!("report {m} {d} -o {d}"),
        format!("report {m} {d} -o {m}"),
        format!("compare {d} knn tree --target species --folds 2 -o {d}"),
        format!("convert {d} {d}"),
        format!("explain {m} {d} -o {m}"),
        format!("explain {m} {d} --rows 0 --method kernel-shap -o {d}"),
        format!("judge {m} {d} --rows 0 -o {d}"),
        format!("explain {m} {d} --clusters {d}"),
        format!("fit logistic {d} --target species --test {d} -o {d}"),
        format!("fit logistic {d} --target species --checkpoint {d}"),
        format!("compare {m} knn --also {d}@species --folds 2 -o {d}"),
    ] {
        let error = fails(&line);
        assert!(error.contains("which is an input") || error.contains("stored as .pel"), "{line}: {error}");
        assert_eq!(std::fs::read_to_string(&data).unwrap(), text, "{line}");
        assert!(std::fs::read(&model).unwrap() == bytes, "{line}");
    }
    // Nor is a model put in the place of something that is none.
    let notes = folder.write("notes", "things to remember,and more\n1,2\n");
    assert!(fails(&format!("fit knn {d} --target species -o {}", notes.display())).contains("is not a model"));
    // Its own kind may be replaced.
    ok(&format!("fit knn {d} --target species --set k=1 -o {m}"));
}

#[test]
fn d26_a_model_is_not_stored_under_the_name_of_another_format() {
    let folder = Folder::new("d26");
    let data = penguins();
    for ending in ["onnx", "txt", "csv", "html"] {
        let path = folder.file(&format!("m.{ending}"));
        let error = fails(&format!("fit knn {} --target species -o {}", data.display(), path.display()));
        assert!(error.contains(".pel"), "{error}");
        assert!(!path.exists());
    }
    let error = fails(&format!("fit knn {} --target species -o {}", data.display(), folder.file("m.onnx").display()));
    assert!(error.contains("pellucid convert"), "{error}");
}

#[test]
fn d12_what_nobody_takes_is_an_error() {
    let data = penguins();
    let data = data.display();
    for (line, words) in [
        (format!("compare {data} svc knn --target species --grid cc=0.1,1"), vec!["cc", "no machine here has"]),
        (format!("compare {data} knn --target species --grid svc:c=0.1,1"), vec!["svc is not among the machines"]),
        (format!("compare {data} svc --target species --grid svc:cc=0.1,1"), vec!["no machine here has"]),
        (format!("fit svc {data} --target species --grid cc=1,2"), vec!["cc", "no such setting"]),
        (format!("fit logistic {data} --target species --task regress"), vec!["task = regress", "classes"]),
        (format!("fit ridge {data} --target body_mass_g --task classify"), vec!["task = classify", "numbers"]),
        (format!("fit svc {data} --target species --nested 3"), vec!["--grid"]),
        (format!("fit svc {data} --target species --measure recall"), vec!["--grid"]),
        (format!("fit ridge {data} --target body_mass_g --positive 3"), vec!["positive", "classes"]),
        (format!("fit logistic {data} --target species --grid penalty=1,2 --resume m.pel"), vec!["--grid", "--resume"]),
        (format!("convert {data} x.csv --target species --prepare auto,smote"), vec!["prepare = smote", "machine"]),
    ] {
        let error = fails(&line);
        for word in words {
            assert!(error.contains(word), "{line}: {error}");
        }
    }
}

#[test]
fn d33_swapped_arguments_are_recognised() {
    let folder = Folder::new("d33");
    let (data, model) = (penguins(), folder.file("m.pel"));
    ok(&format!("fit knn {} --target species -o {}", data.display(), model.display()));
    for command in ["predict", "score", "report", "explain"] {
        let error = fails(&format!("{command} {} {}", data.display(), model.display()));
        assert!(error.contains("not a model") && error.contains("comes first"), "{command}: {error}");
    }
}

#[test]
fn d44_errors_under_json_are_json() {
    let data = penguins();
    for line in [
        format!("fit nope {} --json", data.display()),
        "score nowhere.pel nowhere.csv --json".to_string(),
        format!("fit svc {} --target species --set c=1e400 --json", data.display()),
        "fit --json".to_string(),
        format!("fit svc {} --no-such-option --json", data.display()),
    ] {
        let output = run(&line);
        assert_eq!(output.status.code(), Some(2), "{line}");
        let object: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let text = object["error"].as_str().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!text.is_empty() && said.contains(text.lines().next().unwrap()), "{line}: {text} / {said}");
    }
    let error = fails(&format!("fit svc {} --target species --set c=1e400", data.display()));
    assert!(error.contains("must be finite"), "{error}");
}

/// A row that is wrong behind thousands of good ones leaves an error on standard output and nothing before it.
#[test]
fn d44_predictions_as_json_are_whole_or_an_error() {
    let folder = Folder::new("d44-predict");
    let (train, model) = (folder.write("d.csv", "x,y,c\n1,2,a\n2,1,b\n3,5,a\n4,4,b\n"), folder.file("m.pel"));
    ok(&format!("fit nearest-mean {} --target c -o {}", train.display(), model.display()));
    let rows: String = (0..60_000).map(|i| format!("{i}.25,{}.5\n", i % 7)).collect();
    // Small budgets make small chunks, so that many are done before the last row.
    let line = |data: &std::path::Path| format!("predict {} {} --json --memory 40MB", model.display(), data.display());
    let bad = run(&line(&folder.write("bad.csv", &format!("x,y\n{rows}1,oops\n"))));
    assert_eq!(bad.status.code(), Some(2));
    let object: serde_json::Value = serde_json::from_slice(&bad.stdout).unwrap();
    assert!(object["error"].as_str().unwrap().contains("oops"), "{object}");
    // Beyond what is kept in memory it is the same object.
    let whole = ok(&line(&folder.write("good.csv", &format!("x,y\n{rows}"))));
    assert!(whole.len() > 1 << 20, "{}", whole.len());
    let object: serde_json::Value = serde_json::from_str(&whole).unwrap();
    assert_eq!((object["rows"].as_u64(), object["predictions"].as_array().unwrap().len()), (Some(60_000), 60_000));
}

#[test]
fn d34_d46_a_list_of_steps_means_what_it_says() {
    let folder = Folder::new("d34");
    let (data, model) = (penguins(), folder.file("m.pel"));
    let (data, model) = (data.display(), model.display());
    let notes = |line: &str| {
        let output = run(line);
        assert!(output.status.success(), "{line}");
        String::from_utf8(output.stderr).unwrap() + &String::from_utf8(output.stdout).unwrap()
    };
    let said = notes(&format!("fit svc {data} --target species --prepare calibrate,auto -o {model}"));
    assert!(said.contains("calibrate, one-hot, impute, scale") && !said.contains("strict"), "{said}");
    ok(&format!("predict {model} {data} --proba"));
    ok(&format!("explain {model} {data} --rows 0 --quiet"));
    let said = notes(&format!("fit svc {data} --target species --prepare one-hot,impute,scale,calibrate"));
    assert!(said.contains("to avoid the leak"), "{said}");
    let said = notes(&format!("fit one-class-svm {data} --target none --prepare conformal=0.2,auto -o {model}"));
    assert!(!said.contains("strict"), "{said}");
    assert!(ok(&format!("predict {model} {data} --quiet")).starts_with("prediction,outlier_score,"));
    let numbers = folder.write("n.csv", "x,z,y\n1,100,a\n2,200,b\n3,300,a\n4,100,b\n5,300,a\n6,100,b\n");
    let said = notes(&format!("fit svc {} --prepare calibrate:folds=2", numbers.display()));
    assert!(said.contains("leaves out scale") && said.contains("calibrate:folds=2,auto"), "{said}");
}
