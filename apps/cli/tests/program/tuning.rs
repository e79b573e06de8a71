//! Settings that are chosen are shown, kept and repeated.

use crate::{Folder, fails, ok, penguins, run};
use serde_json::Value;

#[test]
fn gamma_is_a_number_or_a_word() {
    let data = penguins();
    let gamma = |text: &str| {
        let line = format!("fit svc {} --target species --set gamma={text} --json --quiet", data.display());
        serde_json::from_str::<Value>(&ok(&line)).unwrap()["settings"]["gamma"].clone()
    };
    assert_eq!(gamma("0.50"), "0.5");
    assert_eq!(gamma("median"), "median");
    let wrong = fails(&format!("fit svc {} --target species --set gamma=meidan", data.display()));
    assert!(wrong.contains("must be a number or one of scale, auto, median, nearest (median?)"), "{wrong}");
    assert!(ok("machines svc").contains("number | scale | auto | median | nearest"));
}

#[test]
fn d7_what_a_grid_chose_is_in_text_json_model_and_report() {
    let folder = Folder::new("d7");
    let (data, model) = (penguins(), folder.file("m.pel"));
    let (data, model) = (data.display(), model.display());
    let fit =
        format!("fit svc {data} --target species --grid c=0.001,1,100 --grid gamma=0.01,0.1 --grid-folds 3 -o {model}");
    let text = ok(&fit);
    let line = text.lines().find(|l| l.starts_with("chosen by accuracy over 3 folds from 6 candidates: c=")).unwrap();
    let chosen = line.split_once("candidates: ").unwrap().1;
    assert_eq!(text.lines().filter(|l| l.contains(" ± ")).count(), 6, "{text}");
    let json: Value = serde_json::from_str(&ok(&format!("{fit} --json --quiet"))).unwrap();
    let choice = &json["certificate"]["choice"];
    assert_eq!(choice["chosen"].as_str(), Some(chosen));
    let tried = choice["tried"].as_array().unwrap();
    let mean =
        |settings: &str| tried.iter().find(|t| t["settings"] == settings).and_then(|t| t["mean"].as_f64()).unwrap();
    assert!(tried.iter().all(|t| t["mean"].as_f64().unwrap() <= mean(chosen)));
    // The settings of the model are those chosen, and the model is the one they make.
    for setting in chosen.split(", ") {
        let (name, value) = setting.split_once('=').unwrap();
        assert_eq!(json["settings"][name].as_str(), Some(value));
    }
    let inspected = ok(&format!("inspect {model}"));
    let settings = inspected.lines().find(|l| l.starts_with("settings: ")).unwrap();
    assert!(chosen.split(", ").all(|s| settings.contains(s)), "{settings}");
    assert!(inspected.contains("chosen by accuracy"), "{inspected}");
    let plain = folder.file("plain.pel");
    let sets = chosen.split(", ").map(|s| format!(" --set {s}")).collect::<String>();
    ok(&format!("fit svc {data} --target species{sets} -o {}", plain.display()));
    assert_eq!(
        ok(&format!("predict {model} {data} --scores --quiet")),
        ok(&format!("predict {} {data} --scores --quiet", plain.display()))
    );
    let report = folder.file("r.html");
    ok(&format!("report {model} {data} -o {}", report.display()));
    let html = std::fs::read_to_string(report).unwrap();
    assert!(html.contains("Model selection") && html.contains(chosen), "{chosen}");
}

#[test]
fn d7_nested_choices_are_told_fold_by_fold() {
    let data = penguins();
    let data = data.display();
    let line = format!("fit knn {data} --target species --grid k=1,5,150 --grid-folds 3 --nested 4 --quiet");
    let text = ok(&line);
    assert!(text.contains("over 4 outer folds"), "{text}");
    let json: Value = serde_json::from_str(&ok(&format!("{line} --json"))).unwrap();
    assert_eq!(json["nested"]["chosen"].as_array().unwrap().len(), 4);
    assert!(json["nested"]["mean"].as_f64().unwrap() > 0.9);
}

#[test]
fn d7_comparisons_tell_what_each_machine_chose() {
    let folder = Folder::new("d7-compare");
    let data = penguins();
    let data = data.display();
    let page = folder.file("c.html");
    let line = format!(
        "compare {data} svc logistic --target species --folds 3 --grid svc:gamma=0.01,0.1 --grid-folds 3 -o {}",
        page.display()
    );
    let text = ok(&line);
    assert!(text.contains("svc (tuned) chose gamma=") && text.contains("on all rows gamma="), "{text}");
    assert!(!text.contains("logistic (tuned)"), "a grid of one machine is for that machine alone: {text}");
    let json: Value = serde_json::from_str(&ok(&format!("{line} --json --quiet"))).unwrap();
    let svc = json["machines"].as_array().unwrap().iter().find(|m| m["machine"] == "svc (tuned)").unwrap();
    assert_eq!(svc["chosen"].as_array().unwrap().len(), 3);
    assert!(svc["chosen_with_all_rows"].as_str().unwrap().starts_with("gamma="));
    assert!(std::fs::read_to_string(page).unwrap().contains("splits that chose them"));
    assert!(fails(&format!("compare {data} svc --target species --grid svc:gama=1,2")).contains("did you mean gamma?"));
}

#[test]
fn earlier_names_of_settings_work_and_are_told_once() {
    let data = penguins();
    let data = data.display();
    let fit = |machine: &str, options: &str| {
        let out = run(&format!("fit {machine} {data} --target species --json {options}"));
        let note = String::from_utf8(out.stderr).unwrap();
        assert!(out.status.success(), "{note}");
        (serde_json::from_slice::<Value>(&out.stdout).unwrap()["settings"]["penalty"].clone(), note)
    };
    let (now, silent) = fit("logistic", "--set penalty=0.5");
    let (before, note) = fit("logistic", "--set gamma=2 --set gamma=0.5");
    assert_eq!(now, before);
    assert!(!silent.contains("is now"), "{silent}");
    assert_eq!(note.matches("gamma is now penalty").count(), 1, "{note}");
    let (_, chosen) = fit("logistic", "--grid gamma=0.1,1 --grid-folds 3");
    assert_eq!(chosen.matches("gamma is now penalty").count(), 1, "{chosen}");
    let (_, step) = fit("logistic", "--prepare one-hot,impute=mice:gamma=2");
    assert_eq!(step.matches("gamma is now penalty").count(), 1, "{step}");
    let wrong = fails(&format!("fit mlp {data} --target species --set penalty=l2"));
    assert!(wrong.contains("did you mean regularizer=l2?"), "{wrong}");
}

#[test]
fn a_grid_without_a_machine_goes_to_settings_of_that_name_today() {
    let data = penguins();
    let data = data.display();
    let line = format!("compare {data} svc logistic --target species --folds 2 --grid-folds 2");
    let text = ok(&format!("{line} --grid gamma=0.01,0.1"));
    assert!(text.contains("svc (tuned) chose gamma=") && !text.contains("logistic (tuned)"), "{text}");
    let named = ok(&format!("{line} --grid logistic:gamma=0.1,1"));
    assert!(named.contains("logistic (tuned) chose penalty=") && !named.contains("svc (tuned)"), "{named}");
    let wrong = fails(&format!("compare {data} logistic --target species --grid gamma=0.1,1"));
    assert!(wrong.contains("gamma is now penalty"), "{wrong}");
    assert!(
        fails(&format!("compare {data} logistic --target species --grid penlty=1,2")).contains("did you mean penalty?")
    );
}
