//! From a CSV file to a stored chain to predictions, and what happens to columns on the way.

use crate::{Folder, fails, ok, pellucid, penguins, shared};
use std::io::Write;
use std::process::Stdio;

/// Rows of a CSV text without its first line.
fn body(text: &str) -> Vec<&str> {
    text.lines().skip(1).collect()
}

#[test]
fn columns_are_matched_by_name() {
    let folder = Folder::new("columns");
    let (data, model) = (penguins(), folder.file("m.pel"));
    ok(&format!("fit logistic {} --target species -o {}", data.display(), model.display()));
    let text = std::fs::read_to_string(&data).unwrap();
    let expected = ok(&format!("predict {} {} --scores", model.display(), data.display()));
    assert_eq!(body(&expected).len(), 344);

    // Columns turned round, with one more and without the target.
    let turned: Vec<String> = text
        .lines()
        .enumerate()
        .map(|(i, line)| {
            let mut cells: Vec<&str> = line.split(',').skip(1).collect();
            cells.reverse();
            format!("{},{}", if i == 0 { "extra" } else { "7" }, cells.join(","))
        })
        .collect();
    let other = folder.write("turned.csv", &turned.join("\n"));
    assert_eq!(expected, ok(&format!("predict {} {} --scores", model.display(), other.display())));

    let change = |name: &str, from: &str, to: &str| folder.write(name, &text.replacen(from, to, 1));
    let predict = |file: &std::path::Path| fails(&format!("predict {} {}", model.display(), file.display()));
    let unseen = predict(&change("unseen.csv", "Torgersen", "Mars"));
    assert!(unseen.contains("\"Mars\" was not seen") && unseen.contains("\"island\""), "{unseen}");
    let absent = predict(&change("absent.csv", "island", "isle"));
    assert!(absent.contains("column \"island\": is missing"), "{absent}");
    let typed = predict(&change("typed.csv", "39.1", "long"));
    assert!(typed.contains("long") && typed.contains("number"), "{typed}");
}

#[test]
fn a_rule_for_unseen_levels_travels_with_the_model() {
    let folder = Folder::new("unseen");
    let (data, model) = (penguins(), folder.file("m.pel"));
    let prepare = "--prepare one-hot=ignore,impute,scale";
    ok(&format!("fit logistic {} --target species {prepare} -o {}", data.display(), model.display()));
    let text = std::fs::read_to_string(&data).unwrap();
    let other = folder.write("mars.csv", &text.replace("Torgersen", "Mars"));
    assert_eq!(body(&ok(&format!("predict {} {}", model.display(), other.display()))).len(), 344);
}

#[test]
fn a_pipe_gives_the_same_as_a_file() {
    let folder = Folder::new("pipe");
    let (data, model) = (penguins(), folder.file("m.pel"));
    ok(&format!("fit knn {} --target species -o {}", data.display(), model.display()));
    let expected = ok(&format!("predict {} {} --proba", model.display(), data.display()));
    let model_text = model.display().to_string();
    let mut child = pellucid(&["predict", &model_text, "-", "--proba"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(&std::fs::read(&data).unwrap()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    let file = folder.file("out.csv");
    ok(&format!("predict {} {} --proba -o {}", model.display(), data.display(), file.display()));
    assert_eq!(std::fs::read_to_string(file).unwrap(), expected);
}

#[test]
fn predictions_are_the_argmax_of_scores_and_probabilities() {
    let folder = Folder::new("argmax");
    let data = penguins();
    for machine in ["logistic", "knn", "nearest-mean"] {
        let model = folder.file("m.pel");
        ok(&format!("fit {machine} {} --target species -o {}", data.display(), model.display()));
        let option = if machine == "nearest-mean" { "--scores" } else { "--scores --proba" };
        let table = ok(&format!("predict {} {} {option}", model.display(), data.display()));
        let names: Vec<&str> = table.lines().next().unwrap().split(',').collect();
        for line in body(&table) {
            let cells: Vec<&str> = line.split(',').collect();
            for kind in ["score ", "p "].iter().filter(|k| names.iter().any(|n| n.starts_with(**k))) {
                let best = (1..cells.len())
                    .filter(|&i| names[i].starts_with(kind))
                    .rev()
                    .max_by(|&a, &b| cells[a].parse::<f64>().unwrap().total_cmp(&cells[b].parse().unwrap()))
                    .unwrap();
                assert_eq!(names[best], format!("{kind}{}", cells[0]), "{machine}: {line}");
            }
        }
        let top = ok(&format!("predict {} {} --top 2", model.display(), data.display()));
        assert_eq!(top.lines().next(), Some("class_1,score_1,class_2,score_2"));
        for (a, b) in body(&top).iter().zip(body(&table)) {
            assert_eq!(a.split(',').next(), b.split(',').next());
        }
    }
}

#[test]
fn adult_from_csv_to_streamed_predictions() {
    let (Some(train), Some(test)) = (shared("uci/adult_train.csv.gz"), shared("uci/adult_test.csv.gz")) else { return };
    let folder = Folder::new("adult");
    let model = folder.file("adult.pel");
    let fitted = ok(&format!("fit logistic {} --holdout 0.2 -o {} --json", train.display(), model.display()));
    let object: serde_json::Value = serde_json::from_str(&fitted).unwrap();
    assert_eq!(object["certificate"]["converged"], true);
    assert_eq!(object["preparation"], serde_json::json!(["one-hot=ignore", "scale"]));
    let accuracy = object["score"]["accuracy"].as_f64().unwrap();
    assert!((0.83..0.87).contains(&accuracy), "{accuracy}");
    let whole = ok(&format!("predict {} {} --proba", model.display(), test.display()));
    assert_eq!(body(&whole).len(), 16281);
    // In bounded memory, in a pipe, with the columns turned round: the same predictions.
    let mut text = String::new();
    let bytes = std::fs::read(&test).unwrap();
    std::io::Read::read_to_string(&mut flate2::read::MultiGzDecoder::new(&bytes[..]), &mut text).unwrap();
    let turned: Vec<String> = text.lines().map(|l| l.split(',').rev().collect::<Vec<_>>().join(",")).collect();
    let turned = folder.write("turned.csv", &turned.join("\n"));
    let streamed = ok(&format!("predict {} {} --proba --memory 40M", model.display(), turned.display()));
    assert_eq!(whole, streamed);
}
