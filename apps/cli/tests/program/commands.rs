//! Each command does what its help says, and says so to machines too.

use crate::{Folder, fails, ok, penguins, run, shared};
use serde_json::Value;

fn json(line: &str) -> Value {
    serde_json::from_str(&ok(&format!("{line} --json"))).unwrap()
}

#[test]
fn the_demo_fits_scores_and_stores() {
    let folder = Folder::new("demo");
    let place = folder.file("out");
    let text = ok(&format!("demo {}", place.display()));
    assert!(text.contains("logistic") && text.contains("accuracy") && text.contains("Next:"), "{text}");
    for line in text.lines().filter(|l| l.starts_with("  pellucid ")) {
        ok(line.trim().trim_start_matches("pellucid "));
    }
    let page = std::fs::read(place.join("report.html")).unwrap();
    let object = json(&format!("demo {}", place.display()));
    assert!(page.len() > 10_000 && page == std::fs::read(place.join("report.html")).unwrap(), "repeated: same bytes");
    for result in object["results"].as_array().unwrap() {
        assert!(result["score"]["accuracy"].as_f64().unwrap() > 0.85, "{result}");
    }
}

#[test]
fn score_and_inspect_speak_of_the_same_model() {
    let folder = Folder::new("score");
    let (data, model) = (penguins(), folder.file("m.pel"));
    ok(&format!("fit knn {} --target species --set k=1 -o {}", data.display(), model.display()));
    let scored = json(&format!("score {} {}", model.display(), data.display()));
    assert_eq!(scored["n"], 344);
    assert!(scored["accuracy"].as_f64().unwrap() > 0.98);
    let sum: f64 = scored["confusion"]["counts"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|r| r.as_array().unwrap())
        .map(|x| x.as_f64().unwrap())
        .sum();
    assert_eq!(sum, 344.0);
    let inspected = json(&format!("inspect {}", model.display()));
    assert_eq!(inspected["machine"], "knn");
    assert_eq!(inspected["training_rows_kept"], 344, "nearest neighbours carry their training rows");
    let about = ok(&format!("inspect {}", data.display()));
    assert!(about.contains("344 rows, 8 columns") && about.contains("sex: category, 2 levels"), "{about}");
    let error = fails(&format!("score {} {} --target island", model.display(), data.display()));
    assert!(error.contains("no class of these data is known to the model"), "{error}");
}

#[test]
fn steps_that_hold_the_rest_vanish_from_predictions() {
    let folder = Folder::new("wrapping");
    let (data, model) = (penguins(), folder.file("m.pel"));
    let (data, file) = (data.display(), model.display());
    let steps = "auto,pca=5,forward:keep=3,smote=3";
    let fitted = json(&format!("fit knn {data} --target species --set k=3 --prepare {steps} --holdout 0.3 -o {file}"));
    assert!(fitted["score"]["accuracy"].as_f64().unwrap() > 0.9, "{fitted}");
    assert_eq!(fitted["settings"]["k"], "3");
    let preparation = ["one-hot", "impute", "scale", "pca=5", "forward:keep=3", "smote=3"];
    assert_eq!(fitted["preparation"], serde_json::json!(preparation));
    assert!(fitted["certificate"]["facts"]["smote: rows made of Chinstrap"].as_f64().unwrap() > 10.0, "{fitted}");
    assert_eq!(ok(&format!("predict {file} {data}")).lines().count(), 345, "a row in, a row out");
    let compared =
        json(&format!("compare {data} knn --target species --grid k=1,5 --prepare auto,class-weights --folds 3"));
    assert!(compared["machines"][0]["mean"].as_f64().unwrap() > 0.9, "{compared}");
    let planned = json(&format!("plan knn {data} --target species --prepare auto,forward"));
    assert!(planned["advice"].as_str().unwrap().contains("forward fits knn"), "{planned}");
    let listed = json("machines");
    let names: Vec<&str> = listed["machines"].as_array().unwrap().iter().map(|m| m["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"smote") && names.contains(&"select"), "{names:?}");
    assert!(ok("machines smote").contains("neighbours of the same class"));
}

#[test]
fn regression_has_values_and_variances() {
    let folder = Folder::new("ridge");
    let (data, model) = (penguins(), folder.file("m.pel"));
    let line = format!("fit ridge {} --target body_mass_g --set posterior=true -o {}", data.display(), model.display());
    let fitted = json(&format!("{line} --holdout 0.25"));
    assert!(fitted["score"]["r2"].as_f64().unwrap() > 0.7, "{fitted}");
    let table = ok(&format!("predict {} {}", model.display(), data.display()));
    assert_eq!(table.lines().next(), Some("body_mass_g,body_mass_g variance"));
    assert!(fails(&format!("predict {} {} --proba", model.display(), data.display())).contains("no classes"));
}

#[test]
fn weights_groups_and_ignored_columns_leave_the_inputs() {
    let folder = Folder::new("weights");
    let rows: Vec<String> = (0..40)
        .map(|i| format!("{},{},{},{},{}", i, i % 2, i % 5, 0.5 + f64::from(i % 3), if i < 20 { "a" } else { "b" }))
        .collect();
    let data = folder.write("d.csv", &format!("x,noise,group,weight,y\n{}\n", rows.join("\n")));
    let model = folder.file("m.pel");
    let options = "--weights weight --groups group --ignore noise --holdout 0.3";
    let fitted = json(&format!("fit nearest-mean {} {options} -o {}", data.display(), model.display()));
    assert_eq!(fitted["data"]["columns"], 1);
    assert_eq!(fitted["data"]["target"], "y");
    let rows = fitted["data"]["rows"].as_u64().unwrap();
    assert!(rows.is_multiple_of(8), "groups of eight stay together, {rows} rows");
    assert!(fails(&format!("fit nearest-mean {} --weights y", data.display())).contains("weights must be numbers"));
}

#[test]
fn data_convert_among_formats() {
    let folder = Folder::new("convert");
    let data = penguins();
    let (csv, tsv, svm, npy, npz) = (
        folder.file("a.csv"),
        folder.file("a.tsv"),
        folder.file("a.libsvm"),
        folder.file("a.npy"),
        folder.file("a.npz"),
    );
    ok(&format!("convert {} {}", data.display(), tsv.display()));
    ok(&format!("convert {} {}", tsv.display(), csv.display()));
    let details = |file: &std::path::Path| json(&format!("inspect {}", file.display()))["details"].clone();
    assert_eq!(details(&data), details(&csv));
    let numbers = "--ignore island,sex --target species";
    assert!(fails(&format!("convert {} {}", data.display(), npy.display())).contains("\"species\""));
    let whole = folder.write("full.csv", "a,b,y\n1,0.5,u\n0,2,v\n3,0,u\n");
    for file in [&svm, &npy, &npz] {
        ok(&format!("convert {} {} --target y", whole.display(), file.display()));
        let object = json(&format!("inspect {}", file.display()));
        assert_eq!((object["rows"].as_u64(), object["columns"].as_u64()), (Some(3), Some(2)), "{object}");
    }
    assert!(fails(&format!("convert {} {} {numbers}", data.display(), svm.display())).contains("missing"));
    assert!(fails(&format!("convert {} {}", data.display(), folder.file("a.xyz").display())).contains(".csv"));
}

#[test]
fn help_machines_plan_completions_and_manual() {
    let help = ok("--help");
    for command in ["demo", "fit", "predict", "score", "inspect", "convert", "plan", "machines"] {
        assert!(help.contains(command), "{command}");
        assert!(ok(&format!("{command} --help")).len() > 200, "{command}");
    }
    let listed = json("machines");
    for machine in listed["machines"].as_array().unwrap() {
        let name = machine["name"].as_str().unwrap();
        assert!(ok(&format!("machines {name}")).starts_with(&format!("{name}: ")));
    }
    let plan = json(&format!("plan knn {} --target species", penguins().display()));
    assert!(plan["fit_seconds"].as_f64().unwrap() >= 0.0 && plan["bytes"].as_u64().unwrap() > 0);
    assert!(ok("completions bash").contains("_pellucid"));
    let folder = Folder::new("man");
    ok(&format!("man {}", folder.file("pages").display()));
    assert!(std::fs::read_to_string(folder.file("pages").join("pellucid-fit.1")).unwrap().contains(".TH"));
}

#[test]
fn strict_and_time_limits_have_their_codes() {
    let data = penguins();
    let line = format!("fit logistic {} --target species --set steps=1", data.display());
    assert_eq!(run(&line).status.code(), Some(0));
    assert_eq!(run(&format!("{line} --strict")).status.code(), Some(1));
    let late = json(&format!("fit logistic {} --target species --time 0s", data.display()));
    assert_eq!(late["certificate"]["interrupted"], true);
}

#[test]
fn a_fit_can_be_resumed() {
    let folder = Folder::new("resume");
    let data = penguins();
    let (first, second) = (folder.file("a.pel"), folder.file("b.pel"));
    let fit = format!("fit logistic {} --target species", data.display());
    let short = json(&format!("{fit} --set steps=3 -o {}", first.display()));
    let rest = json(&format!("{fit} --resume {} -o {}", first.display(), second.display()));
    let whole = json(&fit);
    assert_eq!(
        (short["certificate"]["converged"].as_bool(), rest["certificate"]["converged"].as_bool()),
        (Some(false), Some(true))
    );
    assert!(rest["certificate"]["steps"].as_u64() < whole["certificate"]["steps"].as_u64());
}

#[test]
fn real_files_of_every_format_are_inspected() {
    for (name, rows, columns) in [
        ("mnist/t10k-images-idx3-ubyte.gz", 10_000, 784),
        ("usps/zip.test.npz", 2007, 256),
        ("libsvm/a9a.t.gz", 16_281, 122),
        ("uci/letter.csv.gz", 20_000, 17),
        ("multilabel/enron.arff.gz", 1702, 1001),
        ("xmc_yso_finna_en/test.xmc.txt.gz", 19_182, 21_355),
        ("sms_spam/SMSSpamCollection.gz", 5574, 2),
        ("nsl_kdd/KDDTest+.txt.gz", 22_544, 43),
        ("imagenet_samples", 40, 2),
        ("cifar10/test_batch.png", 10_000, 3072),
    ] {
        let Some(path) = shared(name) else { continue };
        let object = json(&format!("inspect {}", path.display()));
        assert_eq!((object["rows"].as_u64(), object["columns"].as_u64()), (Some(rows), Some(columns)), "{name}");
    }
}

#[test]
fn machines_are_compared_on_the_same_rows() {
    let data = penguins();
    let line = format!("compare {} knn:k=1 knn:k=60 logistic nearest-mean --target species --folds 5", data.display());
    let text = ok(&line);
    assert!(text.contains("best") && text.contains("over 5 splits"), "{text}");
    let object = json(&line);
    let machines = object["machines"].as_array().unwrap();
    assert_eq!(machines.len(), 4);
    let mean = |k: usize| machines[k]["mean"].as_f64().unwrap();
    assert!(mean(2) > 0.97 && mean(0) > mean(1), "{object}");
    assert_eq!(machines[0]["folds"].as_array().unwrap().len(), 5);
    let tuned = json(&format!("compare {} knn logistic --target species --folds 3 --grid k=1,5", data.display()));
    assert_eq!(tuned["machines"][0]["machine"], "knn (tuned)");
    assert!(fails(&format!("compare {} knn --target species --measure beauty", data.display())).contains("accuracy"));
    assert!(fails(&format!("compare {} knn:kk=1 --target species", data.display())).contains("kk"));
    let stepped = format!("compare {} pca=2,knn:k=1 svc:c=10,gamma=0.1 --target species --folds 3", data.display());
    let stepped = json(&stepped);
    assert!(stepped["machines"][1]["mean"].as_f64().unwrap() > 0.9, "{stepped}");
    assert_eq!(stepped["machines"][0]["machine"], "pca=2,knn k=1");
    assert!(fails(&format!("compare {} pac=2,knn", data.display())).contains("did you mean pca? (item 1: pac=2)"));
    let values =
        json(&format!("compare {} ridge linear-regression knn --target body_mass_g --folds 4", data.display()));
    assert_eq!(values["measure"], "r2");
}

#[test]
fn comparisons_over_several_data_sets_make_one_page() {
    let folder = Folder::new("comparing");
    let (moons, page, again) = (folder.file("moons.csv"), folder.file("a.html"), folder.file("b.html"));
    ok(&format!("generate two-moons -o {}", moons.display()));
    let also = format!("--also {}@species --folds 3", penguins().display());
    for output in [&page, &again] {
        let text = ok(&format!("compare {} all knn:k=40 {also} -o {}", moons.display(), output.display()));
        assert!(text.contains("moons, 400 rows") && text.contains("penguins, 344 rows"), "{text}");
    }
    let html = std::fs::read_to_string(&page).unwrap();
    for part in ["Across data sets", "p (Holm)", "knn k=40", "forest", "mean rank", "--also penguins.csv@species"] {
        assert!(html.contains(part), "{part}");
    }
    assert_eq!(html, std::fs::read_to_string(&again).unwrap());
    let both = json(&format!("compare {} knn tree {also}", moons.display()));
    assert_eq!(both["penguins"]["machines"][1]["machine"], "tree");
    let mixed = format!("compare {} all --also {}@body_mass_g", moons.display(), penguins().display());
    assert!(fails(&mixed).contains("all be classes or all be numeric"));
    let wrong = format!("compare {} knn --also {}@spezies", moons.display(), penguins().display());
    assert!(fails(&wrong).contains("penguins.csv") && fails(&wrong).contains("species"));
}

#[test]
fn problems_are_generated() {
    let folder = Folder::new("generate");
    let listed = ok("generate");
    for name in ["two-moons", "rings", "xor", "clouds", "checkerboard", "hastie", "student-teacher"] {
        assert!(listed.contains(name), "{name}");
        let (file, again) = (folder.file("a.csv"), folder.file("b.csv"));
        for path in [&file, &again] {
            ok(&format!("generate {name} -o {} --set rows=60", path.display()));
        }
        assert_eq!(std::fs::read(&file).unwrap(), std::fs::read(&again).unwrap());
        let object = json(&format!("inspect {}", file.display()));
        assert_eq!(object["rows"], 60);
    }
    // Documents are written block by block: 3,000 rows of 51,033 columns that would not fit as a whole in any other form.
    let (train, test) = (folder.file("train.libsvm"), folder.file("test.libsvm"));
    let small = "--set test_rows=70 --memory 16MB";
    let told = ok(&format!("generate lshtc --set rows=3000 {small} -o {}", train.display()));
    assert!(told.contains("3000 rows, 51033 columns"), "{told}");
    ok(&format!("generate lshtc --set rows=3000 {small} --set part=test -o {}", test.display()));
    let lines = |path| std::fs::read_to_string(path).unwrap().lines().map(str::to_string).collect::<Vec<_>>();
    assert_eq!((lines(&train).len(), lines(&test).len()), (3000, 70));
    let classes: std::collections::BTreeSet<String> =
        lines(&train).iter().map(|line| line.split(' ').next().unwrap().to_string()).collect();
    assert_eq!(classes.len(), 1139);
    ok(&format!("generate lshtc --set rows=40 --set labels=3 -o {}", test.display()));
    assert!(lines(&test).iter().any(|line| line.split(' ').next().unwrap().contains(',')));
    let tight = fails(&format!("generate lshtc --memory 1MB -o {}", test.display()));
    assert!(tight.contains("words and classes of a problem"), "{tight}");
    assert!(fails("generate two-moon -o x.csv").contains("did you mean two-moons?"));
    assert!(fails("generate xor").contains("-o data.csv"));
}

#[test]
fn experiments_are_reproduced() {
    let folder = Folder::new("reproduce");
    let listed = ok("reproduce");
    for name in ["bias-variance", "double-descent", "step-sizes"] {
        assert!(listed.contains(name), "{name}");
    }
    for (ending, start) in [("html", &b"<!doctype html>"[..]), ("png", b"\x89PNG"), ("svg", b"<svg")] {
        let file = folder.file(&format!("out.{ending}"));
        let text = ok(&format!("reproduce step-sizes --strict -o {}", file.display()));
        assert!(text.contains("reference") && !text.contains("DIFFERS"), "{text}");
        assert!(std::fs::read(&file).unwrap().starts_with(start), "{ending}");
    }
    let object = json("reproduce bias-variance");
    let findings = object["bias-variance"]["findings"].as_array().unwrap();
    let slope = findings.iter().find(|f| f["what"].as_str().unwrap().contains("slope")).unwrap();
    assert!((slope["ours"].as_f64().unwrap() - 0.712).abs() < 1e-9, "{slope}");
    assert_eq!(object["bias-variance"]["agrees"], true);
    assert!(fails("reproduce step-size").contains("did you mean step-sizes?"));
    assert!(fails("reproduce step-sizes -o out.pdf").contains(".html, .png or .svg"));
    assert!(fails("reproduce all -o out.html").contains("one experiment at a time"));
    assert!(fails("reproduce oneclass-flipping").contains("name the folder that contains"));
    assert!(
        fails(&format!("reproduce oneclass-flipping --data {}", folder.file("").display())).contains("does not exist")
    );
}

#[test]
fn reports_are_one_file_and_the_same_twice() {
    let folder = Folder::new("report");
    let (data, model) = (penguins(), folder.file("m.pel"));
    for (machine, target) in [("logistic", "species"), ("ridge", "body_mass_g"), ("forest", "sex")] {
        ok(&format!("fit {machine} {} --target {target} -o {}", data.display(), model.display()));
        let (first, second) = (folder.file("a.html"), folder.file("b.html"));
        for file in [&first, &second] {
            ok(&format!("report {} {} -o {}", model.display(), data.display(), file.display()));
        }
        let html = std::fs::read_to_string(&first).unwrap();
        assert_eq!(html, std::fs::read_to_string(&second).unwrap());
        for word in ["Results", "Certificate", "Limits of use", "How to reproduce this", "<svg", "fitted on these rows"]
        {
            assert!(html.contains(word), "{machine}: {word}");
        }
    }
}
