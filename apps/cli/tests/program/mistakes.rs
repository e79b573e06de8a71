//! The mistakes people make, and what they are told.

use crate::{Folder, fails, ok, penguins, run};

#[test]
fn slips_are_named_with_what_would_be_right() {
    let data = penguins();
    let data = data.display();
    for (line, words) in [
        (format!("fit logisitc {data}"), vec!["did you mean logistic?"]),
        (format!("fit logistic {data} --set penlty=1 --target species"), vec!["did you mean penalty?"]),
        (format!("fit logistic {data} --set penalty=-1 --target species"), vec!["penalty = -1", "at least 0"]),
        (format!("fit logistic {data} --set penalty --target species"), vec!["name=value"]),
        (format!("fit logistic {data} --target specie"), vec!["did you mean \"species\"?"]),
        (format!("fit logistic {data} --prepare scael --target species"), vec!["did you mean scale?"]),
        (format!("fit logistic {data} --prepare smot --target species"), vec!["did you mean smote?"]),
        (format!("fit smote {data} --target species"), vec!["--prepare smote"]),
        (
            format!("fit knn {data} --prepare auto,smote --target body_mass_g"),
            vec!["not supported by smote", "--task classify"],
        ),
        (format!("fit knn {data} --prepare auto,smote,forward --target species"), vec!["must come before smote"]),
        (format!("fit knn {data} --prepare auto,shift --target species"), vec!["images and time series"]),
        (format!("fit ridge {data} --target species"), vec!["\"species\"", "classes"]),
        (format!("fit logistic {data} --target species --holdout 2"), vec!["holdout = 2", "between 0 and 1"]),
        (format!("fit logistic {data} --target species --memory lots"), vec!["500M or 8G"]),
        (format!("fit logistic {data} --target species --time soon"), vec!["30s, 10m or 2h"]),
        (format!("fit logistic {data} --target species --weights weight"), vec!["\"weight\"", "does not exist"]),
        ("fit logistic nowhere.csv".into(), vec!["nowhere.csv"]),
        (format!("predict {data} {data}"), vec!["penguins.csv"]),
        ("machines knnn".into(), vec!["did you mean knn?"]),
    ] {
        let error = fails(&line);
        assert!(error.contains("error: "), "{line}: {error}");
        for word in words {
            assert!(error.contains(word), "{line}: {error}");
        }
    }
    assert_eq!(run("fly").status.code(), Some(2));
}

#[test]
fn bad_files_are_named_with_line_and_column() {
    let folder = Folder::new("bad");
    for (name, text, words) in [
        ("ragged.csv", "a,b\n1,2\n3\n", vec!["ragged.csv:3"]),
        ("empty.csv", "", vec!["empty.csv"]),
        ("nan.libsvm", "1 1:2\n-1 1:nan\n", vec!["nan.libsvm:2"]),
        ("huge.libsvm", "1 1:2\n-1 1:1e999\n", vec!["huge.libsvm:2"]),
        ("order.libsvm", "1 3:1 2:1\n", vec!["order.libsvm:1"]),
        ("twice.libsvm", "1 2:1 2:1\n", vec!["twice.libsvm:1"]),
        ("minus.libsvm", "1 -3:1\n", vec!["minus.libsvm:1"]),
    ] {
        let path = folder.write(name, text);
        let error = fails(&format!("inspect {}", path.display()));
        for word in words {
            assert!(error.contains(word), "{name}: {error}");
        }
    }
    let odd = folder.write("odd.libsvm", "1 63: .50 # a comment\r\n-1 2:1\r\n");
    assert!(ok(&format!("inspect {}", odd.display())).contains("2 rows, 63 columns"));
    let far = folder.write("far.libsvm", "1 2000000000:1\n-1 1:1\n");
    assert!(ok(&format!("inspect {}", far.display())).contains("2000000000 columns"));
    let error = fails(&format!("fit ridge {} --memory 1G", far.display()));
    assert!(error.contains("memory"), "{error}");
}

#[test]
fn damaged_models_are_refused() {
    let folder = Folder::new("damaged");
    let (data, model) = (penguins(), folder.file("m.pel"));
    ok(&format!("fit knn {} --target species -o {}", data.display(), model.display()));
    let bytes = std::fs::read(&model).unwrap();
    for (name, content) in [
        ("half.pel", bytes[..bytes.len() / 2].to_vec()),
        ("short.pel", bytes[..5].to_vec()),
        ("long.pel", [&bytes[..], b"more"].concat()),
    ] {
        let path = folder.file(name);
        std::fs::write(&path, content).unwrap();
        let error = fails(&format!("predict {} {}", path.display(), data.display()));
        assert!(error.contains(name), "{error}");
    }
    // Any byte of the head changed: an error or a model, never a crash.
    for i in (0..bytes.len().min(4000)).step_by(97) {
        let mut changed = bytes.clone();
        changed[i] ^= 0x15;
        let path = folder.file("changed.pel");
        std::fs::write(&path, changed).unwrap();
        let code = run(&format!("predict {} {}", path.display(), data.display())).status.code();
        assert!(matches!(code, Some(0 | 2)), "byte {i}: {code:?}");
    }
}
