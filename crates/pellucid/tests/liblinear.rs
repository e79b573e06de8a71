//! Linear machines against LIBLINEAR: its files decide here as there, ours there as here, and both programs find one optimum.
#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use pellucid::{
    KNOWN, LinearPredict, LinearTrain, Meaning, Memory, Model, Run, align, export_linear, files, linear,
    linear_predict, linear_train,
};
use std::path::{Path, PathBuf};

fn run() -> Run<'static> {
    Run { catalog: &KNOWN, ..Run::quiet(1) }
}

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden").join(name)
}

/// The data of a case.
fn data(name: &str) -> PathBuf {
    let place = match name.split('-').nth(1) {
        Some("three") => "svm/drawn.libsvm",
        Some("value") => "svm/values.libsvm",
        Some("pair") => "liblinear/pair.libsvm",
        _ => "liblinear/two.libsvm",
    };
    golden(place)
}

/// Label, decisions and probabilities of the first rows by LIBLINEAR.
fn answers(name: &str) -> Vec<Vec<f64>> {
    let text = std::fs::read_to_string(golden(&format!("liblinear/{name}.txt"))).unwrap();
    assert!(text.starts_with("# liblinear-official"), "{name} does not say who made it");
    text.lines().skip(1).map(|l| l.split(' ').map(|w| w.parse().unwrap()).collect()).collect()
}

fn names(start: &str) -> Vec<String> {
    let all = std::fs::read_dir(golden("liblinear")).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
    let own = all.filter(|n| n.starts_with(start)).filter_map(|n| n.strip_suffix(".model").map(str::to_string));
    let mut names: Vec<String> = own.collect();
    names.sort();
    names
}

/// What LIBLINEAR calls decisions, of our scores.
fn decisions(model: &Model, data: &Path) -> Vec<Vec<f64>> {
    let rows = files::read(data, &files::Reading::default(), &run()).unwrap();
    let inputs = align(&rows, model.machine.inputs(), &run()).unwrap();
    let scores = model.machine.compute(&inputs, &run()).unwrap().to_dense(&Memory::unlimited()).unwrap();
    let (width, outputs) = (model.machine.outputs().names.len(), model.machine.outputs());
    let one = |row: &[f64]| match (outputs.meaning, row) {
        (Meaning::Outlier, _) => vec![-row[0]],
        (Meaning::Classes, [a, b]) if outputs.link == pellucid::Link::Softmax => vec![a - b],
        // Of two vectors LIBLINEAR looks at the first.
        (Meaning::Classes, [a, _]) => vec![*a],
        _ => row.to_vec(),
    };
    scores.chunks(width).map(one).collect()
}

#[track_caller]
fn near(ours: &[f64], theirs: &[f64], tolerance: f64, what: &str) {
    assert!(ours.len() <= theirs.len(), "{what}");
    for (a, b) in ours.iter().zip(theirs) {
        assert!((a - b).abs() <= tolerance * b.abs().max(1.0), "{what}: {a} against {b}");
    }
}

/// A folder of its own, which goes with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pellucid-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

#[test]
fn model_files_decide_as_liblinear_does() {
    let folder = Folder::new("liblinear-decide");
    let all: Vec<String> = names("peer-").into_iter().chain(names("ours-")).collect();
    assert!(all.len() >= 40, "{all:?}");
    for name in all {
        let path = golden(&format!("liblinear/{name}.model"));
        let model = Model::load(&path, &run()).unwrap();
        let theirs = answers(&name);
        for (ours, theirs) in decisions(&model, &data(&name)).iter().zip(&theirs) {
            // Sums in another order.
            near(ours, &theirs[1..], 1e-12, &name);
        }
        // The program gives the labels, and with -b 1 the probabilities.
        let output = folder.0.join("out");
        for probability in [false, true] {
            let flags = LinearPredict {
                probability,
                quiet: true,
                data: data(&name),
                model: path.clone(),
                output: output.clone(),
            };
            let said = linear_predict(&flags, &run());
            let logistic = name.contains("s0") || name.contains("s6") || name.contains("s7");
            if probability && !logistic {
                assert!(said.unwrap_err().to_string().contains("only those of -s 0, 6 and 7 have them"), "{name}");
                continue;
            }
            said.unwrap();
            let text = std::fs::read_to_string(&output).unwrap();
            for (line, theirs) in text.lines().skip(usize::from(probability)).zip(&theirs) {
                let words: Vec<f64> = line.split(' ').map(|w| w.parse().unwrap()).collect();
                near(&words[..1], &theirs[..1], 1e-12, &name);
                if probability {
                    // Six digits, as C prints them.
                    near(&words[1..], &theirs[theirs.len() - (words.len() - 1)..], 1e-5, &name);
                }
            }
        }
    }
}

/// The optimum of LIBLINEAR at a tight tolerance, by its decisions.
#[test]
fn both_programs_find_one_optimum() {
    let folder = Folder::new("liblinear-optimum");
    for name in names("ours-") {
        let (ours, theirs) = (answers(&name), answers(&name.replace("ours", "peer")));
        for (ours, theirs) in ours.iter().zip(&theirs) {
            near(&ours[1..], &theirs[1..], 1e-7, &name);
        }
        // What was kept is what this build makes.
        let file = files::read_linear_model(&golden(&format!("liblinear/{name}.model")), &run()).unwrap();
        let flags = match name.as_str() {
            "ours-three-s3" => "-s 3 -c 0.1 -e 1e-10",
            "ours-two-s1" => "-s 1 -c 0.1 -B 1 -e 1e-10",
            "ours-pair-s2" => "-s 2 -c 0.1 -w7 2 -w3 0.5 -e 1e-10",
            "ours-value-s13" => "-s 13 -p 0.2 -c 0.1 -B 1 -e 1e-10",
            _ => continue,
        };
        let mut words: Vec<String> = flags.split(' ').map(str::to_string).collect();
        words.extend([data(&name), folder.0.join("m")].map(|p| p.display().to_string()));
        linear_train(&LinearTrain::parse(&words).unwrap(), &run()).unwrap();
        let now = files::read_linear_model(&folder.0.join("m"), &run()).unwrap();
        assert_eq!((now.solver, &now.labels, now.bias), (file.solver, &file.labels, file.bias), "{name}");
        near(now.weights.values(), file.weights.values(), 1e-7, &name);
    }
}

#[test]
fn what_is_read_can_be_written_and_decides_the_same() {
    for name in names("peer-") {
        let model = Model::load(&golden(&format!("liblinear/{name}.model")), &run()).unwrap();
        let exported = export_linear(&model, &run()).unwrap();
        let bytes = files::linear_model_bytes(&exported.file).unwrap();
        let file = files::parse_linear_model("m", &bytes, &run()).unwrap();
        let again = pellucid::read_linear("m", &file, &run()).unwrap();
        for (a, b) in decisions(&again, &data(&name)).iter().zip(&decisions(&model, &data(&name))) {
            // An intercept is a weight times B here and times 1 there.
            near(a, b, 1e-14, &name);
        }
        assert_eq!(again.machine.outputs().names, model.machine.outputs().names, "{name}");
    }
}

#[test]
fn most_zeros_make_sparse_weights_and_others_dense_ones() {
    let file = |lines: &str| {
        let text = format!("solver_type MCSVM_CS\nnr_class 3\nlabel 4 5 6\nnr_feature 4\nbias -1\nw\n{lines}");
        let file = files::parse_linear_model("m", text.as_bytes(), &run()).unwrap();
        pellucid::read_linear("m", &file, &run()).unwrap()
    };
    let weights = |model: &Model| model.machine.downcast::<linear::Linear>().unwrap().weights().clone();
    let few = file("0 0 1\n0 0 0\n2 0 0\n0 0 -1\n");
    let linear::Weights::Sparse(sparse) = weights(&few) else { panic!("dense") };
    assert_eq!((sparse.entries(), sparse.row(2)), (3, (&[0][..], &[2.0][..])));
    let linear::Weights::Dense(dense) = weights(&file("1 2 3\n4 5 6\n0 0 0\n7 8 9\n")) else { panic!("sparse") };
    assert_eq!(dense[..], [1.0, 4.0, 0.0, 7.0, 2.0, 5.0, 0.0, 8.0, 3.0, 6.0, 0.0, 9.0]);
}
