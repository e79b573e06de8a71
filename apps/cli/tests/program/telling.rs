//! What explanations say beside their numbers: what is explained, what it is worth, what is missing.

use crate::{Folder, fails, ok, pellucid, penguins, run};
use serde_json::Value;

fn json(line: &str) -> Value {
    serde_json::from_str(&ok(&format!("{line} --json"))).unwrap()
}

/// Two classes that overlap, by two columns.
fn two_classes(folder: &Folder) -> String {
    let mut text = String::from("amount,age,kind\n");
    for i in 0..200 {
        let (a, b) = ((i * 37 % 101) as f64 / 10.0, (i * 53 % 97) as f64 / 3.0);
        let fraud = a - b / 8.0 + (i * 29 % 41) as f64 / 10.0 > 4.0;
        text += &format!("{a},{b},{}\n", if fraud { "fraud" } else { "fine" });
    }
    folder.write("two.csv", &text).display().to_string()
}

#[test]
fn d23_two_class_logistic_is_explained_in_log_odds() {
    let folder = Folder::new("log-odds");
    let data = two_classes(&folder);
    let model = folder.file("m.pel");
    let model = model.display();
    ok(&format!("fit logistic {data} --target kind -o {model}"));
    let chances = ok(&format!("predict {model} {data} --proba"));
    let mut lines = chances.lines();
    let head: Vec<&str> = lines.next().unwrap().split(',').collect();
    let place = head.iter().position(|h| h.contains("fraud")).unwrap_or_else(|| panic!("{head:?}"));
    let p: Vec<f64> = lines.map(|l| l.split(',').nth(place).unwrap().parse().unwrap()).collect();
    let object = json(&format!("explain {model} {data} --rows 0-9 --class fraud"));
    for (k, row) in object["rows"].as_array().unwrap().iter().enumerate() {
        assert_eq!(row["quantity"], "log-odds of fraud");
        let score = row["balance"]["score"].as_f64().unwrap();
        let odds = (p[k] / (1.0 - p[k])).ln();
        assert!((score - odds).abs() < 1e-3 * (1.0 + odds.abs()), "row {k}: {score} and {odds}");
    }
    let text = ok(&format!("explain {model} {data} --rows 3 --class fraud"));
    assert!(text.contains("log-odds of fraud: "), "{text}");
}

#[test]
fn d13_a_detector_says_whether_a_row_is_an_anomaly() {
    let folder = Folder::new("verdicts");
    let (data, model) = (penguins(), folder.file("m.pel"));
    let (data, model) = (data.display(), model.display());
    ok(&format!("fit one-class-svm {data} --target none --ignore species -o {model}"));
    let object = json(&format!("explain {model} {data} --rows 0-60"));
    let scores = ok(&format!("predict {model} {data} --scores"));
    let place = scores.lines().next().unwrap().split(',').position(|h| h == "outlier_score").unwrap();
    let mut seen = [0, 0];
    for (row, line) in object["rows"].as_array().unwrap().iter().zip(scores.lines().skip(1)) {
        let score: f64 = line.split(',').nth(place).unwrap().parse().unwrap();
        let verdict = row["verdict"].as_str().unwrap();
        assert!(verdict.starts_with(if score > 0.0 { "anomaly, " } else { "normal, " }), "{score}: {verdict}");
        assert!(verdict.contains("minus its threshold"), "{verdict}");
        seen[usize::from(score > 0.0)] += 1;
    }
    assert!(seen.iter().all(|n| *n > 0), "{seen:?}");
    let text = ok(&format!("explain {model} {data} --rows 0"));
    assert!(text.contains("outlier_score") && text.contains("outlierness"), "{text}");
}

#[test]
fn d41_columns_come_first_and_with_their_values() {
    let folder = Folder::new("values");
    let data = two_classes(&folder);
    let model = folder.file("m.pel");
    let model = model.display();
    ok(&format!("fit logistic {data} --target kind -o {model}"));
    let text = ok(&format!("explain {model} {data} --rows 1"));
    let line = text.lines().find(|l| l.trim_start().starts_with("amount")).unwrap_or_else(|| panic!("{text}"));
    let words: Vec<&str> = line.split_whitespace().collect();
    assert_eq!((words.len(), words[0], words[1]), (3, "amount", "3.7"), "{text}");
    assert!(words[2].parse::<f64>().is_ok(), "{text}");
    let page = folder.file("cards.html");
    ok(&format!("explain {model} {data} --rows 1 -o {}", page.display()));
    let page = std::fs::read_to_string(&page).unwrap();
    assert!(page.contains("probability") && page.contains("<") && page.contains("true"), "cards say both");
}

#[test]
fn x8_what_is_lost_is_said() {
    let folder = Folder::new("lost");
    let (data, model) = (penguins(), folder.file("m.pel"));
    let (data, model) = (data.display(), model.display());
    ok(&format!("fit svc {data} --target species -o {model}"));
    let output = run(&format!("explain {model} {data} --rows 300-304 --method integrated-gradients --json"));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && error.contains("warning: all 5 rows: integrated-gradients lost"), "{error}");
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(object["warnings"][0].as_str().unwrap().contains("it is not conservative for this model"), "{object}");
    let page = folder.file("cards.html");
    ok(&format!("explain {model} {data} --rows 300-304 --method integrated-gradients -o {}", page.display()));
    assert!(std::fs::read_to_string(&page).unwrap().contains("Warning: all 5 rows"));
    let usual = run(&format!("explain {model} {data} --rows 0-4"));
    assert!(!String::from_utf8_lossy(&usual.stderr).contains("warning"));
    let methods: Value = serde_json::from_str(&ok(&format!("methods {model} --json"))).unwrap();
    let find = |name: &str| methods.as_array().unwrap().iter().find(|m| m["method"] == name).unwrap().clone();
    assert_eq!(
        (&find("integrated-gradients")["adds_up"], &find("lrp-epsilon")["adds_up"]),
        (&false.into(), &true.into())
    );
    assert!(find("lrp-w-square")["about"].as_str().unwrap().ends_with("not conservative"));
}

#[test]
fn x10_the_sigmoid_kernel_is_explained_and_d37_calibration_is_advised() {
    let folder = Folder::new("sigmoid");
    let (data, model) = (penguins(), folder.file("m.pel"));
    let (data, model) = (data.display(), model.display());
    ok(&format!("fit svc {data} --target species --set kernel=sigmoid -o {model}"));
    let object = json(&format!("explain {model} {data} --rows 0-2"));
    assert_eq!(object["rows"].as_array().unwrap().len(), 3);
    assert!(fails(&format!("predict {model} {data} --proba")).contains("--prepare calibrate"));
}

#[test]
fn r3_the_memory_limit_changes_no_explanation() {
    let folder = Folder::new("memory");
    let (data, model) = (penguins(), folder.file("m.pel"));
    let (data, model) = (data.display(), model.display());
    for machine in ["svc", "nu-svc"] {
        ok(&format!("fit {machine} {data} --target species -o {model}"));
        let told = |limit: &str| {
            let path = folder.file(&format!("{machine}-{limit}.csv"));
            let output = run(&format!("explain {model} {data} -o {} --memory {limit}", path.display()));
            match output.status.success() {
                true => Ok(std::fs::read_to_string(path).unwrap()),
                false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
            }
        };
        let whole = told("2G").unwrap();
        for limit in ["200M", "60M", "20M", "5M", "1M", "300K"] {
            match told(limit) {
                Ok(text) => assert!(text == whole, "{machine} under {limit}"),
                Err(why) => {
                    assert!(why.contains("not enough memory") && why.contains("--memory SIZE"), "{machine}: {why}")
                }
            }
        }
    }
}

/// Methods that go through a graph, by products, by draws or by leaving columns out: none may choose by what is free.
#[test]
fn r3_the_memory_limit_changes_no_method() {
    let folder = Folder::new("memory-methods");
    let (data, model) = (penguins(), folder.file("m.pel"));
    let (data, model) = (data.display(), model.display());
    let fits = [("svc", "--set kernel=gaussian"), ("svc", "--set kernel=linear"), ("nu-svc", "--set nu=0.1")];
    for (number, (machine, settings)) in fits.into_iter().enumerate() {
        ok(&format!("fit {machine} {data} --target species {settings} -o {model}"));
        for method in ["lrp-epsilon", "gradient", "integrated-gradients", "shapley", "occlusion"] {
            let told = |limit: &str| {
                let path = folder.file(&format!("{number}-{method}-{limit}.csv"));
                let line = format!(
                    "explain {model} {data} --rows 0-9 --method {method} --memory {limit} -o {}",
                    path.display()
                );
                let output = run(&line);
                match output.status.success() {
                    true => Ok(std::fs::read_to_string(path).unwrap()),
                    false => Err((path.exists(), String::from_utf8_lossy(&output.stderr).into_owned())),
                }
            };
            let whole = told("4G").unwrap();
            for limit in ["50M", "3M", "700K", "400K"] {
                match told(limit) {
                    Ok(text) => assert!(text == whole, "{machine} {settings} {method} under {limit}"),
                    Err((left, why)) => {
                        assert!(
                            !left && why.contains("not enough memory") && why.contains("--memory SIZE"),
                            "{method}: {why}"
                        );
                        assert!(limit.ends_with('K'), "{method} refused under {limit}: {why}");
                    }
                }
            }
        }
    }
}

#[test]
fn r1_a_killed_folder_says_that_it_is_incomplete() {
    let folder = Folder::new("killed-cards");
    let (data, model) = (penguins(), folder.file("m.pel"));
    let (data, model) = (data.display().to_string(), model.display().to_string());
    ok(&format!("fit one-class-svm {data} --target none --ignore species -o {model}"));
    let mut unfinished = 0;
    for k in 0..12u64 {
        let out = folder.file(&format!("cards-{k}"));
        let line = format!("explain {model} {data} --rows 0-30 -o {} --quiet", out.display());
        let mut child =
            pellucid(&line.split_whitespace().collect::<Vec<_>>()).stdout(std::process::Stdio::null()).spawn().unwrap();
        // Once the folder is there, some time later.
        while !out.exists() && child.try_wait().unwrap().is_none() {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        std::thread::sleep(std::time::Duration::from_millis(7 * k));
        let _ = child.kill();
        child.wait().unwrap();
        let pictures = (0..=30).filter(|r| out.join(format!("row-{r}.png")).exists()).count();
        let whole = pictures == 31 && out.join("cards.html").exists() && out.join("relevance.csv").exists();
        let marked = out.join("INCOMPLETE.txt").exists();
        // Killed between the first moment of the folder and its mark there is nothing in it at all.
        let empty = std::fs::read_dir(&out)
            .map_or(true, |list| list.flatten().all(|e| e.file_name().to_string_lossy().starts_with(".pellucid-")));
        assert!(whole || marked || empty, "{k}: {pictures} pictures");
        unfinished += usize::from(marked && !whole);
        if k == 3 {
            ok(&line);
            assert!(!out.join("INCOMPLETE.txt").exists());
        }
    }
    assert!(unfinished > 0, "no kill came in between");
}
