//! Kernel machines and scores against peers: LIBSVM's files and front, a convex solver, scikit-learn, onnxruntime.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test speaks by panicking, and says what it skips")]

use pellucid::kernels::{Coupled, Expansion};
use pellucid::prepare::{Isotone, platt};
use pellucid::{
    Catalog, Dataset, Inputs, KNOWN, Learner, Machine, Meaning, Memory, Model, Points, Prediction, Record, Run, Seed,
    Targets, argmax, export_svm, files, normal, prepared,
};
use std::path::{Path, PathBuf};

fn run() -> Run<'static> {
    Run { catalog: &KNOWN, ..Run::quiet(1) }
}

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden/svm").join(name)
}

/// Lines of words after the first, which names the maker.
fn lines(name: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(golden(name)).unwrap();
    assert!(text.starts_with("# "), "{name} does not say who made it");
    text.lines().skip(1).map(|l| l.split_whitespace().map(str::to_string).collect()).collect()
}

fn numbers(words: &[String]) -> Vec<f64> {
    words.iter().map(|w| w.parse().unwrap()).collect()
}

fn names(start: &str, end: &str) -> Vec<String> {
    let all = std::fs::read_dir(golden("")).unwrap().filter_map(|e| e.unwrap().file_name().into_string().ok());
    let mut names: Vec<String> =
        all.filter(|n| n.starts_with(start)).filter_map(|n| n.strip_suffix(end).map(str::to_string)).collect();
    names.sort();
    names
}

/// The class, the value and the four numbers of each row.
fn drawn() -> (Vec<String>, Vec<f64>, Points) {
    let rows = lines("drawn.txt");
    let points: Vec<Vec<f64>> = rows.iter().map(|r| numbers(&r[2..])).collect();
    let values = rows.iter().map(|r| r[1].parse().unwrap()).collect();
    (rows.into_iter().map(|r| r[0].clone()).collect(), values, Points::from_rows(&points).unwrap())
}

/// The expansion inside a machine, with the sigmoids where there are some.
fn expansion(record: &Record) -> (Expansion, Option<Coupled>) {
    match record.kind() {
        Expansion::KIND => (Expansion::read(record).unwrap(), None),
        Coupled::KIND => {
            (Expansion::read(record.part("expansion").unwrap()).unwrap(), Some(Coupled::read(record).unwrap()))
        }
        _ => expansion(record.parts("machines").unwrap().last().unwrap()),
    }
}

#[track_caller]
fn near(ours: &[f64], theirs: &[f64], tolerance: f64, what: &str) {
    assert_eq!(ours.len(), theirs.len(), "{what}");
    for (i, (a, b)) in ours.iter().zip(theirs).enumerate() {
        assert!((a - b).abs() <= tolerance * b.abs().max(1.0), "{what}, {i}: {a} against {b}");
    }
}

/// Models of LIBSVM, and models of ours that LIBSVM has read, decide here as there; writing them changes nothing.
#[test]
fn model_files_decide_as_libsvm_does() {
    let all: Vec<String> = names("peer-", ".model").into_iter().chain(names("ours-", ".model")).collect();
    assert!(all.len() >= 16, "{all:?}");
    let (_, _, points) = drawn();
    for name in all {
        let model = Model::load(&golden(&format!("{name}.model")), &run()).unwrap();
        let rows = match name.ends_with("precomputed") {
            true => {
                let data = files::read(&golden("precomputed.libsvm"), &files::Reading::default(), &run()).unwrap();
                pellucid::align(&data, model.machine.inputs(), &run()).unwrap()
            }
            false => Inputs::Points(points.clone()),
        };
        let (inner, coupled) = expansion(&model.machine.record());
        let sum = match model.certificate.facts.get("sum of coefficients") {
            Some(pellucid::Fact::Number(x)) => *x,
            _ => 1.0,
        };
        let ours = match (&coupled, name.ends_with("precomputed")) {
            (Some(_), _) | (_, true) if coupled.is_some() || inner.offsets().len() == 1 => {
                model.machine.compute(&rows, &run()).unwrap().to_dense(&Memory::unlimited()).unwrap().to_vec()
            }
            (_, true) => {
                let record = model.machine.record();
                let first = KNOWN.machine(&record.parts("machines").unwrap()[0]).unwrap();
                inner.decisions(&first.compute(&rows, &run()).unwrap(), &run()).unwrap()
            }
            _ => inner.decisions(&points, &run()).unwrap(),
        };
        let ours: Vec<f64> = ours.iter().map(|f| f * sum).collect();
        let theirs: Vec<f64> = lines(&format!("{name}.txt")).iter().flat_map(|l| numbers(&l[1..])).collect();
        // Coupling stops at 0.005 / classes there.
        let tolerance = if coupled.is_some() { 0.01 } else { 1e-9 };
        near(&ours, &theirs, tolerance, &name);
        if inner.outputs().meaning == Meaning::Classes {
            let found = Prediction::of(&*model.machine, &rows, &run()).unwrap().classes(&run()).unwrap();
            let labels: Vec<String> = lines(&format!("{name}.txt")).iter().map(|l| l[0].replace(".0", "")).collect();
            let right = found.iter().zip(&labels).filter(|(f, l)| &inner.outputs().names[**f as usize] == *l).count();
            assert!(right + 1 >= labels.len(), "{name}: {right} of {} labels", labels.len());
        }
        let written = files::svm_model_bytes(&export_svm(&model).unwrap().svm).unwrap();
        let again = files::parse_svm_model("again", &written, &run()).unwrap();
        let original = files::read_svm_model(&golden(&format!("{name}.model")), &run()).unwrap();
        assert_eq!((&again.labels, &again.counts, again.kernel), (&original.labels, &original.counts, original.kernel));
        near(&again.coefficients, &original.coefficients, 1e-15, &name);
        near(&again.rho, &original.rho, 1e-15, &name);
    }
}

/// The learner of LIBSVM's type and kernel with the settings of the goldens.
///
/// For ν-classification ν is 0.6: at 0.3 the reduced hulls of these classes meet under a linear kernel, the optimum is 0
/// and there is no margin; 0.8 for the sigmoid, which is nearly linear. With these settings the sigmoid is all but positive
/// on sums of 0, so that there is one optimum.
fn learner(s: &str, t: &str) -> Box<dyn Learner> {
    let name = ["svc", "nu-svc", "one-class-svm", "svr", "nu-svr"][s.parse::<usize>().unwrap()];
    let kernel = ["linear", "polynomial", "gaussian", "sigmoid"][t.parse::<usize>().unwrap()];
    let mut learner = KNOWN.learner(name).unwrap();
    for (key, value) in [
        ("kernel", kernel),
        ("gamma", if t == "3" { "0.05" } else { "0.2" }),
        ("coef0", if t == "3" { "-1.3" } else { "0.5" }),
        ("degree", "3"),
        ("c", "2"),
        ("nu", "0.3"),
        ("epsilon", "0.1"),
        ("tolerance", "1e-10"),
        ("precision", "f64"),
    ] {
        let value = match (key, s, t) {
            ("nu", "1", "3") => "0.8",
            ("nu", "1", _) => "0.6",
            _ => value,
        };
        if learner.params().iter().any(|p| p.name == key) {
            learner.set_text(key, value).unwrap();
        }
    }
    learner
}

/// The data of a golden problem for a type, with classes in the peer's order.
fn problem(name: &str, s: &str, labels: &[String]) -> Option<Dataset> {
    let (points, classes, values) = match name {
        "drawn" => {
            let (classes, values, points) = drawn();
            (points, classes, values)
        }
        _ => {
            let path = testkit::shared("libsvm/heart_scale")?;
            let data = files::read(&path, &files::Reading::default(), &run()).unwrap();
            let Targets::Values(values) = &data.targets else { panic!("labels") };
            let classes = values.values().iter().map(|v| format!("{v}")).collect();
            (data.points().unwrap().clone(), classes, values.values().to_vec())
        }
    };
    let targets = match s {
        "0" | "1" => {
            let code = |c: &String| labels.iter().position(|l| l == c).unwrap() as u32;
            Targets::Classes(pellucid::Classes::new(classes.iter().map(code).collect(), labels.to_vec()).unwrap())
        }
        "2" => Targets::None,
        _ => Targets::Values(pellucid::Values::new(values, "y")),
    };
    Some(Dataset::new(points, targets))
}

/// Objectives to 1e-6 and decisions to 1e-4 of LIBSVM at -e 1e-10, whose kernel values are single precision.
#[test]
fn learners_reach_the_optimum_of_libsvm() {
    let all = lines("libsvm.txt");
    let mut seen = 0;
    for case in all.chunks_exact(3) {
        let [objective, labels, decisions] = case else { panic!() };
        assert_eq!((&*objective[3], &*labels[3], &*decisions[3]), ("objective", "labels", "decisions"));
        let (s, t) = (&objective[1], &objective[2]);
        let Some(data) = problem(&objective[0], s, &labels[4..]) else { continue };
        let what = objective[..3].join(" ");
        let fitted = learner(s, t).fit(&data, None, &run()).unwrap();
        assert!(fitted.certificate.converged, "{what}: {:?}", fitted.certificate);
        near(&[fitted.certificate.objective.unwrap()], &numbers(&objective[4..]), 1e-6, &what);
        let (inner, _) = expansion(&fitted.machine.record());
        let sum = if s == "2" { 0.3 * data.len() as f64 } else { 1.0 };
        let ours: Vec<f64> = inner.decisions(data.points().unwrap(), &run()).unwrap().iter().map(|f| f * sum).collect();
        let theirs = numbers(&decisions[4..]);
        near(&ours[..theirs.len()], &theirs, 1e-4, &what);
        seen += 1;
    }
    assert!(seen >= 20, "{seen}");
}

/// Objectives to 1e-8 and decisions to 1e-6 of a convex solver in double precision.
#[test]
fn learners_reach_the_optimum_of_a_convex_solver() {
    let (classes, values, points) = drawn();
    let rows: Vec<usize> = (0..classes.len()).filter(|&i| classes[i] != "3").take(40).collect();
    let points = points.select(&rows).unwrap();
    for case in lines("convex.txt").chunks_exact(2) {
        let (s, what) = (case[0][1].clone(), case[0][..3].join(" "));
        let targets = match s.as_str() {
            "0" | "1" => {
                let codes = rows.iter().map(|&i| u32::from(classes[i] != "1")).collect();
                Targets::Classes(pellucid::Classes::new(codes, vec!["1".to_string(), "2".into()]).unwrap())
            }
            "2" => Targets::None,
            _ => Targets::Values(pellucid::Values::new(rows.iter().map(|&i| values[i]).collect(), "y")),
        };
        let fitted = learner(&s, &case[0][2]).fit(&Dataset::new(points.clone(), targets), None, &run()).unwrap();
        near(&[fitted.certificate.objective.unwrap()], &numbers(&case[0][4..]), 1e-8, &what);
        let ours = expansion(&fitted.machine.record()).0.decisions(&points, &run()).unwrap();
        near(&ours, &numbers(&case[1][4..]), 1e-6, &what);
    }
}

/// What LIBSVM 3.37 says of heart_scale with its own settings and tolerance: support vectors within two of its number, rho
/// to three digits.
#[test]
fn heart_scale_at_the_usual_tolerance_is_that_of_libsvm() {
    let Some(path) = testkit::shared("libsvm/heart_scale") else { return };
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("heart-scale.model");
    let trained = |flags: &str| {
        let words = flags.split(' ').map(str::to_string);
        let words: Vec<String> = words.chain([&path, &file].map(|p| p.display().to_string())).collect();
        pellucid::svm_train(&pellucid::SvmTrain::parse(&words).unwrap(), &run()).unwrap();
        files::read_svm_model(&file, &run()).unwrap()
    };
    for (flags, support, rho) in [
        ("-s 0 -t 0", 101, Some(-1.050_689_8)),
        ("-s 0 -t 1", 177, None),
        ("-s 0 -t 3", 124, None),
        ("-s 1", 145, None),
        ("-s 2 -n 0.1", 37, Some(8.713_209_72)),
        ("-s 3 -p 0.1", 200, None),
        ("-s 4", 154, None),
        ("-s 0 -t 2", 132, Some(0.424_462_051_767_715_8)),
    ] {
        let model = trained(flags);
        let found = model.vectors.len();
        assert!(found.abs_diff(support) <= 2, "{flags}: {found} support vectors, {support} there");
        if let Some(rho) = rho {
            near(&model.rho, &[rho], 5e-3, flags);
        }
    }
    // The last of them: decisions and labels.
    let data = files::read(&path, &files::Reading::default(), &run()).unwrap();
    let model = Model::load(&file, &run()).unwrap();
    let (inner, _) = expansion(&model.machine.record());
    let decisions = inner.decisions(data.points().unwrap(), &run()).unwrap();
    near(&decisions[..1], &[1.235_049_059_927_700_6], 5e-3, "the first decision");
    let Targets::Values(labels) = &data.targets else { panic!("labels") };
    let right = decisions.iter().zip(labels.values()).filter(|(d, y)| (**d > 0.0) == (**y > 0.0)).count();
    assert_eq!(right, 234, "86.6667 % of 270");
}

#[test]
fn calibrations_are_those_of_scikit_learn() {
    let rows: Vec<Vec<f64>> = lines("platt.txt").iter().map(|l| numbers(l)).collect();
    let column = |c: usize| rows.iter().map(|r| r[c]).collect::<Vec<f64>>();
    let (scores, truth) = (column(0), column(1));
    let first: Vec<bool> = truth.iter().map(|t| *t == 1.0).collect();
    for (weights, sigmoid, curve) in [(vec![1.0; rows.len()], 3, 5), (column(2), 4, 6)] {
        let (a, b) = platt(&scores, &first, &weights, &run()).unwrap();
        let ours: Vec<f64> = scores.iter().map(|s| 1.0 / (1.0 + (a * s + b).exp())).collect();
        // Its L-BFGS stops at about six digits.
        near(&ours, &column(sigmoid), 1e-5, "platt");
        let points = scores.iter().zip(&truth).zip(&weights).map(|((s, t), w)| (*s, *t, *w)).collect();
        let fitted = Isotone::fit(points);
        let ours: Vec<f64> = scores.iter().map(|s| fitted.at(s + 0.003)).collect();
        near(&ours, &column(curve), 1e-9, "isotonic");
    }
}

/// Labels of onnxruntime, and its scores where they are what ours are.
#[test]
fn support_vector_machines_of_onnx_answer_as_onnxruntime_does() {
    let (_, _, points) = drawn();
    let single: Vec<f32> = points.to_dense(&Memory::unlimited()).unwrap().iter().map(|&x| x as f32).collect();
    let points = Points::dense(single, points.len(), points.columns()).unwrap();
    let all: Vec<String> = names("onnx-", ".onnx").into_iter().chain(names("ours-onnx-", ".onnx")).collect();
    assert!(all.len() >= 15, "{all:?}");
    for name in all {
        let model = Model::load(&golden(&format!("{name}.onnx")), &run()).unwrap();
        let prediction = Prediction::of(&*model.machine, &Inputs::Points(points.clone()), &run()).unwrap();
        let ours = prediction.scores.to_dense(&Memory::unlimited()).unwrap();
        let answers = lines(&format!("{name}.txt"));
        let theirs: Vec<f64> = answers.iter().flat_map(|l| numbers(&l[1..])).collect();
        match name.as_str() {
            // Two classes come as (−f, f) there, pairs as they are, detectors as the decision.
            "onnx-two" => near(&ours, &theirs.iter().map(|f| -f).collect::<Vec<_>>(), 1e-5, &name),
            "onnx-pairs" => {
                near(&expansion(&model.machine.record()).0.decisions(&points, &run()).unwrap(), &theirs, 1e-5, &name);
            }
            "onnx-one" => {
                assert_eq!(prediction.outputs.meaning, Meaning::Outlier);
                let strange = |(s, f): (&f64, &f64)| (*s > 0.0) == (*f < 0.0) || f.abs() < 1e-4;
                assert!(ours.iter().zip(&theirs).all(strange), "{name}");
            }
            _ => near(&ours, &theirs, if name.contains("proba") { 0.01 } else { 1e-5 }, &name),
        }
        if prediction.outputs.meaning == Meaning::Classes {
            let (inner, _) = expansion(&model.machine.record());
            let k = prediction.outputs.main();
            let raw = inner.decisions(&points, &run()).unwrap();
            // The bare node takes the first of equal votes, whatever its probabilities; our files the largest score.
            let voted = |raw: &[f64]| {
                let mut votes = vec![0.0; k];
                for a in 0..k {
                    for b in a + 1..k {
                        votes[if raw[pellucid::kernels::pair(a, b, k)] > 0.0 { a } else { b }] += 1.0;
                    }
                }
                argmax(&votes)
            };
            let found: Vec<u32> = match name.starts_with("ours") {
                true => theirs.chunks_exact(k).map(argmax).collect(),
                false => raw.chunks_exact(inner.offsets().len()).map(voted).collect(),
            };
            let labels = || answers.iter().map(|l| l[0].as_str());
            let flips =
                found.iter().zip(labels()).filter(|(f, l)| prediction.outputs.names[**f as usize] != *l).count();
            assert_eq!(flips, 0, "{name}");
        }
    }
}

/// Whatever the classifier: prediction, scores and probabilities agree, and sum to 1.
#[test]
fn calibrated_classes_are_the_argmax_of_their_probabilities() {
    for seed in 0..3 {
        let data = testkit::toy_classes(seed);
        for learner in ["knn", "svc", "nearest-mean", "logistic", "tree"] {
            for step in ["calibrate", "calibrate=isotonic:folds=3"] {
                let (_, fit) = prepared(step, &data, KNOWN.learner(learner).unwrap()).unwrap();
                let machine = fit.fit(&data, None, &run()).unwrap().machine;
                let prediction = Prediction::of(&*machine, &data.inputs, &run()).unwrap();
                let shares = prediction.probabilities(&run()).unwrap().unwrap();
                let scores = prediction.scores.to_dense(&Memory::unlimited()).unwrap();
                let k = prediction.outputs.main();
                for ((p, s), class) in
                    shares.chunks_exact(k).zip(scores.chunks_exact(k)).zip(prediction.classes(&run()).unwrap())
                {
                    assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12 && p.iter().all(|x| *x >= 0.0));
                    assert_eq!((argmax(p), argmax(s)), (class, class), "{learner} {step}");
                }
                // No probability falls when its own score rises.
                let record = machine.record();
                let calibrator = KNOWN.machine(record.parts("machines").unwrap().last().unwrap()).unwrap();
                let rows: Vec<Vec<f64>> = (0..50)
                    .map(|i| (0..k).map(|c| if c == 1 { f64::from(i) * 0.2 - 5.0 } else { 0.3 }).collect())
                    .collect();
                let inputs = Inputs::Points(Points::from_rows(&rows).unwrap());
                let shares = Prediction::of(&*calibrator, &inputs, &run()).unwrap().probabilities(&run()).unwrap();
                let own: Vec<f64> = shares.unwrap().iter().skip(1).step_by(k).copied().collect();
                assert!(own.windows(2).all(|w| w[1] >= w[0] - 1e-12), "{learner} {step}: {own:?}");
            }
        }
    }
}

/// For rows drawn like the training rows, P(p ≤ t) ≤ t, on average over fits.
#[test]
fn p_values_of_usual_rows_are_not_too_small() {
    let rows = |seed: u64, n: usize| {
        let mut draw = Seed(seed).stream();
        let values: Vec<f64> = (0..2 * n).map(|_| normal(&mut draw)).collect();
        Points::dense(values, n, 2).unwrap()
    };
    for learner in ["one-class-svm", "kde", "svdd"] {
        let (mut all, mut strange) = (vec![], vec![]);
        for seed in 0..12 {
            let data = Dataset::new(rows(seed, 100), Targets::None);
            let (_, fit) = prepared("conformal=0.4", &data, KNOWN.learner(learner).unwrap()).unwrap();
            let machine = fit.fit(&data, None, &run()).unwrap().machine;
            let outputs = machine.outputs();
            assert_eq!((&**outputs.names.last().unwrap(), outputs.meaning), ("p_value", Meaning::Outlier));
            let p = |points: Points| {
                let scores = machine.compute(&Inputs::Points(points), &run()).unwrap();
                scores
                    .to_dense(&Memory::unlimited())
                    .unwrap()
                    .chunks_exact(outputs.names.len())
                    .map(|r| r[r.len() - 1])
                    .collect::<Vec<f64>>()
            };
            all.extend(p(rows(1000 + seed, 200)));
            strange.extend(p(Points::from_rows(&[[8.0, 8.0]]).unwrap()));
        }
        for t in [0.05, 0.1, 0.25, 0.5] {
            let share = all.iter().filter(|p| **p <= t).count() as f64 / all.len() as f64;
            // Twelve draws of forty held-out rows: three standard errors.
            let slack = 3.0 * (t * (1.0 - t) / (12.0 * 40.0)).sqrt();
            assert!(share <= t + slack, "{learner}: {share} of p-values are at most {t}");
        }
        assert!(strange.iter().all(|p| *p <= 1.0 / 41.0 + 1e-12), "{learner}: {strange:?}");
    }
    let data = testkit::toy_classes(1);
    let (_, fit) = prepared("conformal", &data, KNOWN.learner("knn").unwrap()).unwrap();
    assert!(fit.fit(&data, None, &run()).err().unwrap().to_string().contains("it is for detectors"));
}

/// Thresholds and anomalies of LIBSVM at many row counts, among them those where dividing by ν n and multiplying again
/// does not give 1 back.
#[test]
fn x1_the_threshold_of_a_one_class_svm_is_that_of_libsvm() {
    let all = files::read(&golden("one_class.libsvm"), &files::Reading::default(), &run()).unwrap();
    for case in lines("one_class.txt") {
        let n: usize = case[0].parse().unwrap();
        let data = Dataset::new(all.points().unwrap().select(&(0..n).collect::<Vec<_>>()).unwrap(), Targets::None);
        let mut learner = KNOWN.learner("one-class-svm").unwrap();
        let kernel = if case[2] == "1" { "polynomial" } else { "gaussian" };
        for (key, value) in [
            ("kernel", kernel),
            ("gamma", "0.5"),
            ("coef0", "1"),
            ("degree", "2"),
            ("nu", &case[1]),
            ("tolerance", "1e-9"),
        ] {
            learner.set_text(key, value).unwrap();
        }
        let fitted = learner.fit(&data, None, &run()).unwrap();
        let (inner, _) = expansion(&fitted.machine.record());
        let sum = case[1].parse::<f64>().unwrap() * n as f64;
        let decisions: Vec<f64> =
            inner.decisions(data.points().unwrap(), &run()).unwrap().iter().map(|f| f * sum).collect();
        let what = case[..3].join(" ");
        near(&[-inner.offsets()[0] * sum], &numbers(&case[3..4]), 1e-5, &what);
        near(&[decisions.iter().sum()], &numbers(&case[5..6]), 1e-2, &what);
        // LIBSVM keeps kernel values in single precision: rows on the border lie beside it by some 1e-5.
        let outside = decisions.iter().filter(|f| **f < -1e-4).count();
        assert_eq!(outside, case[4].parse::<usize>().unwrap(), "{what}");
    }
}
