//! What the program says, to be read in one sitting: help, lists, results, notes and errors, each after the command line
//! that brought it about.
//!
//! The files are in `snapshots/`. After a change of wording they are renewed with `INSTA_UPDATE=always cargo test -p
//! pellucid-cli snapshots` and read in the diff. Times and amounts of memory are replaced by `#`.

use crate::{Folder, book::steady, penguins};
use std::fmt::Write;
use std::process::Command;

/// A folder with the files that the command lines name.
fn files(name: &str) -> Folder {
    let folder = Folder::new(name);
    std::fs::copy(penguins(), folder.file("penguins.csv")).unwrap();
    for (name, text) in [
        ("small.csv", "a,b,class\n1,10,x\n2,20,y\n1.5,15,x\n2.5,30,y\n"),
        ("one.csv", "a,b,class\n1,10,x\n"),
        ("values.csv", "a,b,y\n1,10,0.5\n2,20,1.25\n3,15,2\n4,40,3.5\n5,22,4.75\n6,18,6\n"),
        ("words.csv", "height,class\n1.5,x\n39.l,y\n2.5,x\n"),
        ("ragged.csv", "a,b\n1,2\n3\n"),
        ("twice.csv", "a,a,class\n1,2,x\n3,4,y\n"),
        ("quote.csv", "a,b\n1,\"open\n"),
        ("total.csv", "a,b\n1,2\n3,4\n5,6\nTotal,12\n"),
        ("preamble.csv", "# made by hand\na,b,class\n1,2,x\n3,n/a,y\n"),
        ("decimal.csv", "a;b\n1,5;x\n2,25;y\n"),
        ("dates.csv", "day,class\n01/02/2020,x\n02/03/2020,y\n"),
        ("blank.csv", "a,class\n1,\n2,\n"),
        ("empty.csv", ""),
        ("missing.csv", "a,b,class\n1,,x\n2,5,y\n3,7,x\n"),
        ("other.csv", "a,c\n1,2\n"),
        ("sparse.libsvm", "1 1:2 3:1\n-1 2:1.5\n"),
        ("label.libsvm", "spam 1:2\n"),
        ("order.libsvm", "1 3:1 2:1\n"),
        ("same.libsvm", "1 2:1 2:1\n"),
        ("pair.libsvm", "1 2\n"),
        ("huge.libsvm", "1 1:1e999\n"),
        ("bad.json", "[{\"a\": 1}, {\"a\": ]\n"),
        ("page.html", "<!doctype html><html></html>\n"),
        ("book.xlsx", "PK\u{3}\u{4} xl/workbook.xml"),
        ("attributes.arff", "@relation r\n@attribute a foo\n@data\n1\n"),
        ("broken.pel", "{}"),
        ("broken.onnx", "not a network"),
    ] {
        folder.write(name, text);
    }
    folder
}

/// What the program prints for these command lines, each under its own.
fn said(folder: &Folder, lines: &[&str]) -> String {
    let mut text = String::new();
    for line in lines {
        let ran = Command::new(env!("CARGO_BIN_EXE_pellucid"))
            .args(line.split_whitespace())
            .current_dir(folder.file(""))
            .env("COLUMNS", "100")
            .output()
            .unwrap();
        writeln!(text, "$ pellucid {line}").unwrap();
        for stream in [ran.stderr, ran.stdout] {
            let stream = String::from_utf8(stream).unwrap();
            stream.lines().for_each(|line| writeln!(text, "{}", rounded(&steady(line)).trim_end()).unwrap());
        }
        match ran.status.code() {
            Some(0) => text.push('\n'),
            code => writeln!(text, "[exit code {}]\n", code.unwrap()).unwrap(),
        }
    }
    text
}

/// A line without numbers as small as rounding errors, which depend on the processor.
fn rounded(line: &str) -> String {
    let small =
        |word: &str| word.split_once("e-").is_some_and(|(x, e)| x.parse::<f64>().is_ok() && e.parse::<u32>().is_ok());
    let shown = |word: &str| {
        let end = word.trim_end_matches([',', ';', ')', ']']);
        if small(end) { format!("#{}", &word[end.len()..]) } else { word.to_string() }
    };
    line.split(' ').map(shown).collect::<Vec<_>>().join(" ")
}

/// Compares with the stored snapshot of that name.
#[track_caller]
fn check(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

#[test]
fn help_of_every_command() {
    let folder = files("snapshot-help");
    let groups: [(&str, &[&str]); 3] = [
        ("help-fitting", &["--help", "demo --help", "fit --help", "plan --help", "compare --help", "machines --help"]),
        (
            "help-using",
            &[
                "predict --help",
                "score --help",
                "report --help",
                "inspect --help",
                "convert --help",
                "generate --help",
                "reproduce --help",
                "svm-train",
                "svm-predict",
                "linear-train",
                "linear-predict",
                "completions --help",
                "man --help",
            ],
        ),
        ("help-explaining", &["explain --help", "methods --help", "judge --help"]),
    ];
    let overview = said(&folder, &["--help"]);
    let commands = overview.lines().skip_while(|l| *l != "Commands:").skip(1).take_while(|l| !l.is_empty());
    // A line of its own begins with the name; what is wrapped is indented further.
    let names =
        commands.filter(|l| l.starts_with("  ") && !l.starts_with("   ")).filter_map(|l| l.split_whitespace().next());
    for name in names.filter(|name| *name != "help") {
        let is = |line: &&&str| line.split(' ').next() == Some(name);
        assert!(groups.iter().any(|(_, lines)| lines.iter().any(|line| is(&line))), "{name} has no snapshot");
    }
    for (name, lines) in groups {
        check(name, &said(&folder, lines));
    }
}

#[test]
fn lists_of_machines_steps_and_settings() {
    let folder = files("snapshot-lists");
    let lines = [
        "machines",
        "machines svc",
        "machines forest",
        "machines mlp",
        "machines one-class-svm",
        "machines impute",
        "machines tf-idf",
        "machines calibrate",
        "generate",
        "reproduce",
        "fit svc small.csv -o svc.pel --set kernel=linear",
        "methods svc.pel",
    ];
    check("lists", &said(&folder, &lines));
}

#[test]
fn results_and_notes() {
    let folder = files("snapshot-results");
    let lines = [
        "inspect penguins.csv",
        "inspect sparse.libsvm",
        "inspect one.csv",
        "fit logistic penguins.csv --target species --holdout 0.25 -o logistic.pel",
        "fit ridge values.csv -o ridge.pel",
        "fit tree missing.csv -o tree.pel",
        "fit knn preamble.csv",
        "fit knn twice.csv",
        "fit one-class-svm small.csv --target none -o detector.pel",
        "fit svc small.csv --grid c=1,10 --grid-folds 2 --measure bac",
        "inspect logistic.pel",
        "inspect detector.pel",
        "predict logistic.pel penguins.csv -o predicted.csv",
        "score logistic.pel penguins.csv",
        "score ridge.pel values.csv",
        "score logistic.pel penguins.csv --threshold 0.7 --positive Adelie",
        "explain logistic.pel penguins.csv --rows 0,200",
        "explain detector.pel small.csv --rows 0",
        "explain logistic.pel penguins.csv --rows 0 --method lime",
        "judge detector.pel small.csv --methods dtd,sensitivity",
        "convert logistic.pel logistic.onnx",
        "convert values.csv values.npz",
        "generate two-moons -o moons.csv --set rows=40",
        "compare moons.csv knn tree --folds 2",
    ];
    check("results", &said(&folder, &lines));
}

#[test]
fn errors_of_data_files() {
    let folder = files("snapshot-data");
    let lines = [
        "inspect nowhere.csv",
        "inspect empty.csv",
        "inspect ragged.csv",
        "inspect quote.csv",
        "inspect label.libsvm",
        "inspect order.libsvm",
        "inspect same.libsvm",
        "inspect pair.libsvm",
        "inspect huge.libsvm",
        "inspect bad.json",
        "inspect page.html",
        "inspect book.xlsx",
        "inspect attributes.arff",
        "inspect broken.pel",
        "inspect broken.onnx",
        "inspect small.csv --format npy",
        "inspect small.csv --format idx",
        "inspect small.csv --format folder",
        "inspect small.csv --separator ab",
        "inspect small.csv --type a=colour",
        "inspect small.csv --type z=number",
        "fit logistic words.csv --type height=number",
        "fit logistic total.csv",
        "fit logistic dates.csv",
        "fit logistic blank.csv",
        "fit logistic one.csv",
        "convert small.csv small.txt",
        "convert small.csv small.npy",
    ];
    check("errors-data", &said(&folder, &lines));
}

#[test]
fn errors_of_commands_and_models() {
    let folder = files("snapshot-commands");
    let lines = [
        "fit logisitc small.csv",
        "fit xgboost small.csv",
        "fit naive-bayes small.csv",
        "fit smote small.csv",
        "fit logistic small.csv --set penlty=1",
        "fit logistic small.csv --set penalty=-1",
        "fit logistic small.csv --set penalty=much",
        "fit logistic small.csv --set penalty",
        "fit logistic small.csv --set solver=newt",
        "fit forest small.csv --set max_features=2.5",
        "fit mlp small.csv --set activation=sign",
        "fit cnn small.csv",
        "fit knn values.csv --task classify",
        "fit logistic values.csv --target y",
        "fit ridge small.csv",
        "fit logistic small.csv --target klass",
        "fit logistic small.csv --weights class",
        "fit logistic small.csv --prepare scael",
        "fit logistic small.csv --prepare one-hot,ordinal,auto",
        "fit logistic small.csv --prepare auto,smote,forward",
        "fit logistic small.csv --prepare auto,shift",
        "fit logistic missing.csv --prepare none --ignore class --target b",
        "fit logistic missing.csv --prepare none",
        "fit logistic small.csv --holdout 2",
        "fit logistic small.csv --holdout 0.9",
        "fit logistic small.csv --memory lots",
        "fit logistic small.csv --time soon",
        "fit logistic small.csv --memory 1K",
        "fit svc small.csv --grid c",
        "fit svc small.csv --grid c=1,2 --measure nonsense --grid-folds 2",
        "fit svc small.csv --grid c=1,2 --grid-folds 9",
        "fit knn small.csv -o knn.pel",
        "fit knn small.csv -o small.csv",
        "fit knn small.csv -o knn.onnx",
        "fit knn small.csv --resume nowhere.pel",
        "predict knn.pel other.csv",
        "predict knn.pel words.csv",
        "predict small.csv small.csv",
        "predict knn.pel small.csv --top 0",
        "predict knn.pel small.csv --keep z",
        "predict knn.pel small.csv --threshold 0.5",
        "score knn.pel other.csv",
        "score knn.pel small.csv --costs 10",
        "score knn.pel small.csv --positive z",
        "explain knn.pel small.csv --method lrp",
        "explain knn.pel small.csv --method lrp-epsilon",
        "explain knn.pel small.csv --method gradient",
        "explain knn.pel small.csv --rows 9",
        "explain knn.pel small.csv --class z",
        "explain knn.pel small.csv --set epsilon=-1",
        "judge knn.pel small.csv --measures flip",
        "judge knn.pel small.csv --measures flipping",
        "judge knn.pel small.csv --measures localisation",
        "compare small.csv knn --grid svc:c=1,2",
        "compare small.csv knn --measure nonsense --folds 2",
        "compare small.csv knn --folds 9",
        "convert knn.pel knn.model",
        "convert knn.pel knn.txt",
        "linear-train -s 5 rows.libsvm",
        "linear-train -C -s 3 rows.libsvm",
        "linear-train -R rows.libsvm",
        "linear-predict rows.libsvm",
        "generate two-moon -o moons.csv",
        "generate two-moons",
        "generate two-moons -o moons.csv --set noise=-1",
        "reproduce nothing",
        "svm-train -c",
        "svm-train -t 9 sparse.libsvm",
        "machines knnn",
        "fly",
    ];
    check("errors-commands", &said(&folder, &lines));
}
