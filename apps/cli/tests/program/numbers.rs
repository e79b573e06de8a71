//! Numbers that mean what they say: which class, which rows, which command.

use crate::{Folder, fails, ok, penguins, run};
use std::fmt::Write;
use std::path::Path;

/// A table of payments of which few are fraud, which a model without costs never finds.
fn payments(folder: &Folder) -> std::path::PathBuf {
    let mut text = String::from("amount,hour,kind\n");
    for i in 0..600u64 {
        let kind = if i % 60 == 7 { "fraud" } else { "ok" };
        let amount = (i * 7919 % 1000) as f64 / 10.0 + if kind == "fraud" { 25.0 } else { 0.0 };
        writeln!(text, "{amount},{},{kind}", i * 31 % 24).unwrap();
    }
    folder.write("payments.csv", &text)
}

fn value(text: &str, name: &str) -> f64 {
    let line = text.lines().find_map(|l| l.strip_prefix(&format!("{name}: ")));
    line.unwrap_or_else(|| panic!("no {name} in {text}")).parse().unwrap()
}

#[test]
fn d1_measures_name_their_class_and_a_class_never_predicted_is_said() {
    let folder = Folder::new("d1");
    let data = payments(&folder);
    let (data, model) = (data.display(), folder.file("m.pel"));
    let output = run(&format!("fit logistic {data} --holdout 0.25 -o {}", model.display()));
    let (text, notes) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(value(&text, "recall (fraud)"), 0.0);
    assert_eq!(value(&text, "specificity (fraud)"), 1.0);
    assert!(text.contains("warning: no row was predicted as \"fraud\""), "{text}");
    assert!(notes.contains("positive class: \"fraud\"") && notes.contains("--positive"), "{notes}");
    let text = ok(&format!("score {} {data} --positive ok --quiet", model.display()));
    assert_eq!(value(&text, "recall (ok)"), 1.0);
    let json: serde_json::Value =
        serde_json::from_str(&ok(&format!("score {} {data} --json --quiet", model.display()))).unwrap();
    assert_eq!((json["positive"].as_str(), json["recall"].as_f64()), (Some("fraud"), Some(0.0)));
    assert!(fails(&format!("score {} {data} --positive frau", model.display())).contains("did you mean fraud?"));
}

#[test]
fn thresholds_and_costs_decide() {
    let folder = Folder::new("costs");
    let data = payments(&folder);
    let (data, model) = (data.display(), folder.file("m.pel"));
    let model = model.display();
    ok(&format!("fit logistic {data} -o {model} --quiet"));
    let costs = ok(&format!("score {model} {data} --costs 60:1 --quiet"));
    let recall = value(&costs, "recall (fraud)");
    assert!(recall > 0.5, "{costs}");
    assert!(costs.starts_with("threshold: fraud at a probability of 0.0164 or more"), "{costs}");
    // Never an alarm: 10 misses of 600 at 60 each is 1 a row; the threshold must do better.
    assert!(value(&costs, "cost_per_row") < 1.0, "{costs}");
    let same = ok(&format!("score {model} {data} --threshold 0.01639344262295082 --quiet"));
    assert_eq!(value(&same, "recall (fraud)"), recall);
    let predicted = ok(&format!("predict {model} {data} --costs 60:1 --proba"));
    let mut found = 0;
    for line in predicted.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let p: f64 = fields[1].parse().unwrap();
        assert_eq!(fields[0] == "fraud", p >= 1.0 / 61.0, "{line}");
        found += usize::from(fields[0] == "fraud");
    }
    assert!(found > 5);
    let values = folder.file("v.pel");
    ok(&format!("fit ridge {data} --target amount -o {} --quiet", values.display()));
    for command in ["score", "predict"] {
        let refused = fails(&format!("{command} {} {data} --threshold 0.5", values.display()));
        assert!(refused.contains("is for classes"), "{command}: {refused}");
    }
    assert!(fails(&format!("predict {model} {data} --costs 60")).contains("MISS:ALARM"));
    assert!(fails(&format!("predict {model} {data} --threshold 3")).contains("between 0 and 1"));
    assert!(fails(&format!("predict {model} {data} --positive ok")).contains("--threshold"));
    ok(&format!("fit svc {data} -o {model} --quiet"));
    assert!(fails(&format!("score {model} {data} --threshold 0.3")).contains("calibrate"));
    assert!(fails(&format!("predict {model} {data} --proba")).contains("--prepare calibrate"), "d37");
}

#[test]
fn d9_the_command_that_repeats_a_model_gives_the_same_bytes() {
    let folder = Folder::new("d9");
    let mut text = String::from("a;b;colour;extra col;w;g;y\n");
    for i in 0..120u64 {
        let (a, b) = (i * 37 % 101, i * 53 % 97);
        let a = if i % 17 == 0 { "none".to_string() } else { a.to_string() };
        let colour = ["red", "blue", "it's"][i as usize % 3];
        writeln!(text, "{a};{b};{colour};{};{};{};{}", i % 5, 1 + i % 3, i / 4, ["no", "yes"][(b > 40) as usize])
            .unwrap();
    }
    folder.write("odd data.csv", &text);
    let here = |line: &[&str]| {
        let output = crate::pellucid(line).current_dir(folder.file("")).output().unwrap();
        assert!(output.status.success(), "{line:?}\n{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    for options in [
        vec!["logistic", "--holdout", "0.25"],
        vec!["knn", "--set", "k=3", "--ignore", "extra col,g"],
        vec!["forest", "--weights", "w", "--groups", "g", "--missing", "none", "--holdout", "0.3", "--seed", "9"],
        vec!["logistic", "--separator", ";", "--header", "yes", "--prepare", "auto,smote=3:ratio=0.5"],
        vec!["svc", "--grid", "c=0.1,1,10", "--grid-folds", "3", "--positive", "no"],
        vec!["tree", "--holdout", "last=0.2", "--target", "colour"],
        // The column y would be left out by its name.
        vec!["one-class-svm", "--target", "none", "--ignore", "colour"],
    ] {
        let mut line = vec!["fit", options[0], "odd data.csv", "-o", "first.pel", "--threads", "2", "--quiet"];
        line.extend(&options[1..]);
        here(&line);
        let mut report = vec!["report", "first.pel", "odd data.csv", "-o", "report.html", "--quiet"];
        // A detector is judged by labels that it did not take.
        if options.contains(&"none") && options[0] == "one-class-svm" {
            report.extend(["--target", "colour", "--positive", "red"]);
        }
        // A model does not say how other data are to be read.
        if let Some(at) = options.iter().position(|o| *o == "--missing") {
            report.extend(&options[at..at + 2]);
        }
        here(&report);
        let html = std::fs::read_to_string(folder.file("report.html")).unwrap();
        let start = html.find("pellucid fit ").unwrap();
        let end = start + html[start..].find('<').unwrap();
        let command =
            html[start..end].replace("&#39;", "'").replace("&quot;", "\"").replace("&amp;", "&").replace("&gt;", ">");
        let program = Path::new(env!("CARGO_BIN_EXE_pellucid")).display().to_string();
        let shell = command.replacen("pellucid", &format!("'{program}'"), 1);
        let output =
            std::process::Command::new("sh").arg("-c").arg(&shell).current_dir(folder.file("")).output().unwrap();
        assert!(output.status.success(), "{shell}\n{}", String::from_utf8_lossy(&output.stderr));
        let same = std::fs::read(folder.file("first.pel")).unwrap() == std::fs::read(folder.file("model.pel")).unwrap();
        assert!(same, "{command}");
    }
}

#[test]
fn d13_detectors_are_scored_by_labels_and_say_yes_or_no() {
    let folder = Folder::new("d13");
    let mut text = String::from("x,y,kind\n");
    for i in 0..300u64 {
        let (a, b) = ((i * 7919 % 997) as f64 / 997.0, (i * 104_729 % 991) as f64 / 991.0);
        let (shift, kind) = if i % 50 == 3 { (4.0 + i as f64 / 20.0, "attack") } else { (0.0, "calm") };
        writeln!(text, "{},{},{kind}", a + shift, b - shift).unwrap();
    }
    let data = folder.write("log.csv", &text);
    let (data, model) = (data.display(), folder.file("m.pel"));
    let model = model.display();
    for machine in ["one-class-svm", "svdd", "kde"] {
        ok(&format!("fit {machine} {data} --ignore kind --target none -o {model} --quiet"));
        let scored = ok(&format!("score {model} {data} --quiet"));
        assert_eq!(value(&scored, "auc"), 1.0, "{machine}: {scored}");
        assert_eq!(value(&scored, "precision_at_n (attack)"), 1.0);
        assert!(value(&scored, "recall (attack)") > 0.5 && scored.contains("confusion"), "{scored}");
        let predicted = ok(&format!("predict {model} {data} --keep kind"));
        assert!(predicted.starts_with("kind,prediction,outlier_score"), "{predicted}");
        for line in predicted.lines().skip(1) {
            let fields: Vec<&str> = line.split(',').collect();
            assert_eq!(fields[1] == "anomaly", fields[2].parse::<f64>().unwrap() > 0.0, "{line}");
        }
        let refused = fails(&format!("predict {model} {data} --costs 10:1"));
        assert!(refused.contains("--threshold"), "{refused}");
        assert!(fails(&format!("score {model} {data} --costs 10:1")).contains("--threshold"));
        let report = folder.file("r.html");
        ok(&format!("report {model} {data} -o {} --quiet", report.display()));
        let html = std::fs::read_to_string(report).unwrap();
        assert!(html.contains("precision_at_n (attack)") && html.contains("ROC"), "{machine}");
    }
    // Labels in the fit itself judge the rows held out and are not learned from.
    let text = ok(&format!("fit one-class-svm {data} --target kind --holdout 0.3 -o {model} --quiet"));
    assert_eq!(value(&text, "auc"), 1.0);
    assert!(ok(&format!("score {model} {data} --quiet")).contains("precision_at_n (attack)"));
}

#[test]
fn d14_predictions_can_be_joined_with_their_rows() {
    let folder = Folder::new("d14");
    let data = folder
        .write("d.csv", "customer,size,note,buy\n007,1.5,\"a, b\",no\n008,2.5,,yes\n009,3.5,c,no\n010,4.5,d,yes\n");
    let (data, model) = (data.display(), folder.file("m.pel"));
    let model = model.display();
    ok(&format!("fit knn {data} --target buy --ignore customer,note --set k=1 -o {model} --quiet"));
    let kept = ok(&format!("predict {model} {data} --keep customer,note,size,buy"));
    let wanted = "customer,note,size,buy,prediction\n007,\"a, b\",1.5,no,no\n008,,2.5,yes,yes\n009,c,3.5,no,no\n";
    assert!(kept.starts_with(wanted), "{kept}");
    assert!(fails(&format!("predict {model} {data} --keep custom")).contains("did you mean customer?"));
    let json: serde_json::Value =
        serde_json::from_str(&ok(&format!("predict {model} {data} --keep customer --json"))).unwrap();
    assert_eq!(json["rows"], 4);
    assert_eq!(json["predictions"][1]["customer"], "008");
    assert_eq!(json["predictions"][1]["prediction"], "yes");
    // A folder of pictures: each row has its file.
    let pictures = folder.file("pictures");
    for (class, name) in [("a", "1.png"), ("a", "2.png"), ("b", "1.png"), ("b", "2.png")] {
        std::fs::create_dir_all(pictures.join(class)).unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden/images/stack.png");
        std::fs::copy(source, pictures.join(class).join(name)).unwrap();
    }
    ok(&format!("fit knn {} --set k=1 -o {model} --quiet", pictures.display()));
    let predicted = ok(&format!("predict {model} {} --quiet", pictures.display()));
    assert!(predicted.starts_with("file,prediction\na/1.png,a\n"), "{predicted}");
}

#[test]
fn d18_scoring_on_training_rows_is_said() {
    let folder = Folder::new("d18");
    let (data, model) = (penguins(), folder.file("m.pel"));
    let (data, model) = (data.display(), model.display());
    let notes = |line: &str| String::from_utf8(run(line).stderr).unwrap();
    ok(&format!("fit tree {data} --target species --holdout 0.25 -o {model}"));
    let said = notes(&format!("score {model} {data}"));
    assert!(said.contains("fitted on about 258 of these 344 rows"), "{said}");
    ok(&format!("fit tree {data} --target species -o {model}"));
    assert!(notes(&format!("score {model} {data}")).contains("fitted on these rows"));
    let report = folder.file("r.html");
    ok(&format!("report {model} {data} -o {}", report.display()));
    assert!(std::fs::read_to_string(report).unwrap().contains("fitted on these rows"));
    // Rows of its own kind that it has not seen.
    let text = std::fs::read_to_string(penguins()).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let part = |name: &str, rows: &[&str]| folder.write(name, &format!("{}\n{}\n", lines[0], rows.join("\n")));
    let odd: Vec<&str> = lines[1..].iter().step_by(2).copied().collect();
    let even: Vec<&str> = lines[2..].iter().step_by(2).copied().collect();
    let (train, test) = (part("train.csv", &odd), part("test.csv", &even));
    ok(&format!("fit tree {} --target species -o {model}", train.display()));
    assert!(!notes(&format!("score {model} {}", test.display())).contains("fitted on"));
    let said = notes(&format!("fit tree {} --target species --test {}", train.display(), train.display()));
    assert!(said.contains("fitted on these rows"), "{said}");
}

#[test]
fn d17_d28_targets_that_do_not_fit_are_refused() {
    let folder = Folder::new("d17");
    let data = penguins();
    let data = data.display();
    let error = fails(&format!("fit logistic {data} --target bill_length_mm"));
    assert!(error.contains("amounts, not classes") && error.contains("ridge"), "{error}");
    let model = folder.file("m.pel");
    ok(&format!("fit logistic {data} --target species -o {}", model.display()));
    let text = std::fs::read_to_string(penguins()).unwrap();
    let dotted =
        text.replace("Adelie,", "Adelie.,").replace("Gentoo,", "Gentoo.,").replace("Chinstrap,", "Chinstrap.,");
    let dotted = folder.write("dotted.csv", &dotted);
    let error = fails(&format!("score {} {}", model.display(), dotted.display()));
    assert!(error.contains("is it \"Adelie\"?"), "{error}");
}

#[test]
fn rows_in_the_order_of_time_are_judged_by_what_came_before() {
    let folder = Folder::new("time");
    let mut text = String::from("t,x,y\n");
    (0..200u64).for_each(|i| writeln!(text, "{i},{},{}", i * 7919 % 101, (i * 7919 % 101) as f64 * 0.5 + 1.0).unwrap());
    let data = folder.write("d.csv", &text);
    let data = data.display();
    let text = ok(&format!("fit linear-regression {data} --target y --ignore t --holdout last=0.1 --quiet"));
    assert!(text.contains("fitted on 180 rows") && text.contains("rows: 20"), "{text}");
    let text = ok(&format!("compare {data} linear-regression knn --target y --rolling 4 --quiet"));
    assert!(text.contains("over 4 splits"), "{text}");
    assert!(fails(&format!("fit ridge {data} --target y --holdout lasst")).contains("last=0.2"));
}
