//! Looking at explanations: galleries, views, numbers of many rows, clusters.

use crate::{Folder, fails, ok, penguins, run, shared};
use serde_json::Value;
use std::fmt::Write;

/// A table of 64 columns with a class: bars that lie or stand, with noise.
fn bars(folder: &Folder, name: &str, rows: usize) -> String {
    let mut text: String = (0..64).map(|i| format!("p{i},")).collect();
    text += "class\n";
    for row in 0..rows {
        for value in picture(row, false) {
            let _ = write!(text, "{value},");
        }
        text += ["lies\n", "stands\n"][row % 2];
    }
    folder.write(name, &text).display().to_string()
}

/// The 8 x 8 pixels of a bar, perhaps with a mark in a corner.
fn picture(row: usize, mark: bool) -> Vec<u8> {
    let noise = |p: usize| ((row * 64 + p).wrapping_mul(2_654_435_761) >> 7) % 60;
    let pixel = |p: usize| {
        let (y, x) = (p / 8, p % 8);
        let bar = if row.is_multiple_of(2) { y == 3 } else { x == 4 };
        if mark && y > 5 && x < 2 { 255 } else { (if bar { 60 } else { 0 }) + noise(p) as u8 }
    };
    (0..64).map(pixel).collect()
}

fn json(line: &str) -> Value {
    serde_json::from_str(&ok(&format!("{line} --json"))).unwrap()
}

#[test]
fn a_gallery_of_several_methods_and_models() {
    let folder = Folder::new("gallery");
    let data = penguins().display().to_string();
    let (a, b) = (folder.file("a.pel").display().to_string(), folder.file("b.pel").display().to_string());
    ok(&format!("fit mlp {data} --target species --set epochs=40 -o {a}"));
    ok(&format!("fit svc {data} --target species -o {b}"));
    let page = folder.file("g.html");
    let text = ok(&format!(
        "explain {a} {data} --rows 0,200 --method gradient,lrp-epsilon,input-gradient --also {b} -o {}",
        page.display()
    ));
    for word in ["method: gradient", "method: lrp-epsilon", "method: input-gradient", "written:"] {
        assert!(text.contains(word), "{word}: {text}");
    }
    let html = std::fs::read_to_string(&page).unwrap();
    for word in ["a.pel", "b.pel", "true: Adelie", "probability", "score", "id=\"m2\"", "flipper_length_mm = "] {
        assert!(html.contains(word), "{word}");
    }
    assert!(!html.contains("<script") && html.contains("default-src 'none'"));
    // As numbers for other programs, and as a picture.
    let object = json(&format!("explain {a} {data} --rows 0,200 --method gradient,lrp-epsilon"));
    let methods: Vec<&str> =
        object["methods"].as_array().unwrap().iter().map(|m| m["method"].as_str().unwrap()).collect();
    assert_eq!(methods, ["gradient", "lrp-epsilon"]);
    let picture = folder.file("g.png");
    ok(&format!("explain {a} {data} --rows 0 --method gradient,lrp-epsilon -o {}", picture.display()));
    assert!(std::fs::read(&picture).unwrap().starts_with(b"\x89PNG"));
    // What does not fit one model leaves a hole with a reason; what fits none is an error.
    let output = run(&format!("explain {a} {data} --rows 0 --method lrp-epsilon,grad-cam -o {}", page.display()));
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("grad-cam"));
    assert!(std::fs::read_to_string(&page).unwrap().contains("Left out: the method grad-cam"));
    assert!(fails(&format!("explain {a} {data} --rows 0 --method grad-cam,sobel")).contains("grad-cam"));
    assert!(fails(&format!("explain {a} {data} --method gradient,lrp-epsilom -o x.html")).contains("did you mean"));
    let numbers = folder.file("n.npy");
    let line = format!("explain {a} {data} --method gradient,lrp-epsilon -o {}", numbers.display());
    assert!(fails(&line).contains("must be one") && !numbers.exists());
    assert!(fails(&format!("explain {a} {data} --rows 0 --method gradient,lrp-z -o x.gif")).contains(".png"));
    assert!(fails(&format!("explain {a} {data} --view heta")).contains("heat"));
}

#[test]
fn stages_of_training_are_shown_side_by_side() {
    let folder = Folder::new("stages");
    let data = penguins().display().to_string();
    let stage = |epochs: usize| {
        let model = folder.file(&format!("epochs-{epochs}.pel")).display().to_string();
        ok(&format!("fit mlp {data} --target species --set epochs={epochs} -o {model}"));
        model
    };
    let (first, later, last, page) = (stage(1), stage(5), stage(60), folder.file("stages.html"));
    ok(&format!(
        "explain {first} {data} --rows 0 --method lrp-epsilon --also {later} --also {last} -o {}",
        page.display()
    ));
    let html = std::fs::read_to_string(&page).unwrap();
    let said = |name: &str| {
        let after = html.split(&format!("<b>{name}</b>")).nth(1).unwrap();
        let probability = after.split("probability ").nth(1).unwrap().split('<').next().unwrap();
        probability.parse::<f64>().unwrap()
    };
    // It gets surer, and each stage has a picture of its own.
    assert!(said("epochs-1.pel") < said("epochs-60.pel"), "{} {}", said("epochs-1.pel"), said("epochs-60.pel"));
    assert_eq!((html.matches("<svg").count(), html.matches("rowspan=\"3\"").count()), (3, 1));
}

#[test]
fn pictures_are_shown_in_every_view() {
    let Some(model) = shared("models/cnn_mnist_pytorch.onnx") else { return };
    let (Some(images), Some(labels)) =
        (shared("mnist/t10k-images-idx3-ubyte.gz"), shared("mnist/t10k-labels-idx1-ubyte.gz"))
    else {
        return;
    };
    let folder = Folder::new("views");
    let out = folder.file("out");
    let line = format!(
        "explain {} {} --shift 33.3285 --factor 0.0127285 --rows 0,3 --target {} --method lrp-composite",
        model.display(),
        images.display(),
        labels.display()
    );
    ok(&format!("{line} --view heat,gray,scale,mask,blend,project --root --best 4 -o {}", out.display()));
    let html = std::fs::read_to_string(out.join("gallery.html")).unwrap();
    assert!(html.contains("true: 7") && html.contains("true: 0") && html.contains("id=\"v5\""));
    let mut seen = std::collections::HashSet::new();
    for view in ["heat", "gray", "scale", "mask", "blend", "project"] {
        let bytes = std::fs::read(out.join(format!("row-3-lrp-composite-{view}.png"))).unwrap();
        assert_eq!(&bytes[16..24], [0, 0, 0, 28, 0, 0, 0, 28], "{view} has the picture's own size");
        assert!(seen.insert(bytes), "{view} looks like another");
    }
    assert!(out.join("lrp-composite.csv").is_file());
    let plain = folder.file("plain");
    ok(&format!("{line} --view heat -o {}", plain.display()));
    let name = "row-3-lrp-composite-heat.png";
    assert_ne!(std::fs::read(plain.join(name)).unwrap(), std::fs::read(out.join(name)).unwrap(), "roots are seen");
}

#[test]
fn numbers_of_many_rows_go_on_after_an_interruption() {
    let folder = Folder::new("resume");
    let data = bars(&folder, "bars.csv", 6000);
    let model = folder.file("m.pel").display().to_string();
    ok(&format!("fit logistic {data} --target class -o {model}"));
    for ending in ["npy", "csv"] {
        let (whole, cut) = (folder.file(&format!("whole.{ending}")), folder.file(&format!("cut.{ending}")));
        let part = folder.file(&format!("cut.{ending}.part"));
        let line = format!("explain {model} {data} --method input-gradient -o");
        let text = ok(&format!("{line} {}", whole.display()));
        assert!(text.contains("6000 rows"), "{text}");
        // No time: the first block is done, and kept.
        let output = run(&format!("{line} {} --time 1ms", cut.display()));
        assert_eq!(output.status.code(), Some(130));
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(error.contains("4096 of 6000 rows") && error.contains("--resume"), "{error}");
        assert!(!cut.exists() && part.exists());
        let kept = std::fs::metadata(&part).unwrap().len();
        // Half a block too much is cut off again.
        let torn = [std::fs::read(&part).unwrap(), b"half a block".to_vec()].concat();
        std::fs::write(&part, torn).unwrap();
        let output = run(&format!("{line} {} --resume", cut.display()));
        assert!(output.status.success());
        assert!(String::from_utf8_lossy(&output.stderr).contains("4096 of 6000 rows were already done"), "{output:?}");
        assert_eq!(std::fs::read(&cut).unwrap(), std::fs::read(&whole).unwrap(), "{ending}");
        assert!(!part.exists() && kept < std::fs::metadata(&cut).unwrap().len());
        // Other settings are other work: nothing is kept.
        run(&format!("{line} {} --time 1ms", cut.display()));
        let output = run(&format!("explain {model} {data} --method gradient -o {} --resume", cut.display()));
        assert!(output.status.success());
        assert!(!String::from_utf8_lossy(&output.stderr).contains("were there"));
        assert_ne!(std::fs::read(&cut).unwrap(), std::fs::read(&whole).unwrap());
    }
    let object = json(&format!("explain {model} {data} --method gradient -o {}", folder.file("x.npy").display()));
    assert_eq!(object["explained"], 6000);
}

#[test]
fn clusters_show_what_a_mark_decides() {
    let folder = Folder::new("clusters");
    // Every second lying bar has a mark.
    let head = "{'descr': '|u1', 'fortran_order': False, 'shape': (400, 8, 8), }";
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((head.len() as u16).to_le_bytes());
    bytes.extend(head.as_bytes());
    (0..400).for_each(|row| bytes.extend(picture(row, row % 4 == 0)));
    std::fs::write(folder.file("bars.npy"), bytes).unwrap();
    let classes: String = (0..400).map(|row| ["lies\n", "stands\n"][row % 2]).collect();
    let labels = folder.write("labels.csv", &classes);
    let (data, labels) = (folder.file("bars.npy").display().to_string(), labels.display().to_string());
    let (model, page) = (folder.file("m.pel").display().to_string(), folder.file("c.html"));
    ok(&format!("fit mlp {data} --target {labels} --set hidden=20 --set epochs=60 -o {model}"));
    let clusters = format!("--clusters {}", page.display());
    let line = format!("explain {model} {data} --target {labels} --method lrp-composite {clusters}");
    let found = json(&line);
    let first = &found["clusters"][0];
    assert_eq!(first["class"], "lies");
    let rows: Vec<u64> = first["rows"].as_array().unwrap().iter().map(|r| r.as_u64().unwrap()).collect();
    let marked = rows.iter().filter(|r| *r % 4 == 0).count();
    assert!(marked >= 50 && marked * 10 >= rows.len() * 9, "{marked} of {} rows have the mark", rows.len());
    let html = std::fs::read_to_string(&page).unwrap();
    for word in ["Overview, the most anomalous first", "Cluster 1", "outlier score", "lies (", "Eigenvalues"] {
        assert!(html.contains(word), "{word}");
    }
    let text = ok(&line);
    assert!(text.contains("cluster 1: outlier score") && text.contains("written:"), "{text}");
    assert!(fails(&format!("explain {model} {data} --clusters c.png")).contains(".html"));
    assert!(fails(&format!("{line} -o x.html")).contains("own file"));
}
