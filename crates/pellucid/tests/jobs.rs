//! Every job from end to end without the program, on the penguins in a folder of its own: what comes back, what is written,
//! what is refused, and what a stop leaves.
#![allow(clippy::unwrap_used, reason = "tests")]

use pellucid::evaluate::Splitting;
use pellucid::job::{
    Compare, DataSource, Deciding, Explain, Explanations, Fit, Holdout, Judge, ModelSource, OutputField, Predict,
    Report, Score,
};
use pellucid::{Error, Grouping, KNOWN, Model, PENGUINS, Run, Spec, Task, Verdict, Wanted};
use std::path::{Path, PathBuf};
use testkit::After;

/// A folder that goes when the test does.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pellucid-jobs-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        std::fs::write(path.join("penguins.csv"), PENGUINS).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The penguins, with their species to predict.
    fn species(&self) -> DataSource {
        DataSource { target: Some("species".into()), ..DataSource::new(self.file("penguins.csv")) }
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> = entries
            .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
            .filter(|n| n != "penguins.csv")
            .collect();
        names.sort_unstable();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn quiet() -> Run<'static> {
    Run { catalog: &KNOWN, ..Run::quiet(1) }
}

fn fitted(folder: &Folder, machine: &str, run: &Run<'_>) -> Model {
    Fit::new(machine, folder.species()).run(run).unwrap().model
}

fn said<T>(result: Result<T, Error>) -> String {
    result.err().expect("an error").to_string()
}

#[test]
fn all_jobs_one_after_the_other() {
    let (folder, run) = (Folder::new("all"), quiet());
    let file = folder.file("model.pel");
    let holdout = Some(Holdout::Sampled(0.25));
    let fit = Fit { holdout, output: Some(file.clone()), ..Fit::new("logistic", folder.species()) };
    let done = fit.run(&run).unwrap();
    assert!(done.measures.unwrap().get("accuracy") > Some(0.95));
    assert_eq!((done.model.task, done.model.target.as_deref()), (Some(Task::Classify), Some("species")));
    let model = ModelSource::from(file.as_path());

    let predict = Predict { keep: vec!["species".into()], ..Predict::new(model.clone(), folder.species()) };
    let mut predicting = predict.begin(&run).unwrap();
    assert_eq!(predicting.header(), ["species", "prediction"]);
    let mut right = 0;
    let mut count = |_: usize, fields: &[OutputField]| -> Result<(), Error> {
        right += usize::from(fields[0] == fields[1]);
        Ok(())
    };
    predicting.each_row(&run, &mut count).unwrap();
    assert_eq!(predicting.rows, 344);

    let score = Score { model: model.clone(), source: folder.species(), deciding: Deciding::default() };
    let scored = score.run(&run).unwrap();
    assert!(scored.seen.is_some(), "three quarters of these rows were learned from");
    // What is predicted is what is scored.
    assert_eq!(scored.measures.get("accuracy"), Some(right as f64 / 344.0));

    let cards = Some(folder.file("cards.html"));
    let explain = Explain { output: cards, ..Explain::new(model.clone(), folder.species()) };
    let explained = explain.run(&run).unwrap();
    let Explanations::Rows(told, None) = &explained.explained else { panic!("one method is told row by row") };
    assert_eq!((told.rows.len(), explained.asked, explained.unbalanced()), (10, 10, None));

    let page = Some(folder.file("judged.html"));
    let asked = ["input-gradient", "gradient"].map(String::from).to_vec();
    let judge = Judge {
        methods: asked,
        rows: Some("0-19".into()),
        output: page,
        ..Judge::new(model.clone(), folder.species())
    };
    let judged = judge.run(&run).unwrap();
    // Random relevance takes part, whoever is asked for.
    assert_eq!((judged.rows, judged.judged.len(), judged.judged[0].standings.len()), (20, 1, 3));
    assert_eq!(judged.classes, ["Adelie", "Chinstrap", "Gentoo"]);

    let machines = ["knn:k=1", "pca=2,logistic"].map(String::from).to_vec();
    let splitting = Splitting::Folds { n: 3, repeats: 1, stratified: true };
    let (grid, output) = (vec!["knn:k=1,5".to_string()], Some(folder.file("compared.html")));
    let compare = Compare { splitting, grid, output, ..Compare::new(folder.species(), machines) };
    let compared = compare.run(&run).unwrap();
    assert_eq!((compared.len(), compared[0].rows, compared[0].splits), (1, 344, 3));
    assert_eq!(compared[0].comparison.names, ["knn k=1 (tuned)", "pca=2,logistic"]);
    assert!(compared[0].whole[0].is_some() && compared[0].whole[1].is_none());
    let text = std::fs::read_to_string(folder.file("compared.html")).unwrap();
    assert!(text.contains("pellucid compare penguins.csv knn:k=1 pca=2,logistic --grid knn:k=1,5 --folds 3"));

    let report = Report { model, source: folder.species(), output: Some(folder.file("report.html")) };
    let reported = report.run(&run).unwrap();
    assert_eq!((reported.rows, &reported.seen), (344, &scored.seen));
    assert_eq!(std::fs::read_to_string(folder.file("report.html")).unwrap(), reported.html);
    // A model at hand is as good as its file.
    let held = Report { model: done.model.into(), source: folder.species(), output: None };
    assert_eq!(held.run(&run).unwrap().html, reported.html);
    assert_eq!(folder.names(), ["cards.html", "compared.html", "judged.html", "model.pel", "report.html"]);
}

#[test]
fn explanations_in_every_form() {
    let (folder, run) = (Folder::new("forms"), quiet());
    let fit = Fit { settings: vec!["epochs=5".into()], ..Fit::new("mlp", folder.species()) };
    let model = ModelSource::from(fit.run(&run).unwrap().model);
    let asked = |methods: &[&str]| Explain {
        methods: methods.iter().map(|m| m.to_string()).collect(),
        ..Explain::new(model.clone(), folder.species())
    };
    let two = Explain { rows: Some("0,200".into()), ..asked(&["lrp-epsilon", "gradient"]) };
    let hung = two.run(&run).unwrap();
    assert!(matches!(&hung.explained, Explanations::Gallery(hung) if hung.told.len() == 2));
    assert!(hung.unbalanced().unwrap().contains("gradient is not conservative"));
    let layers = Explain { layers: true, rows: Some("3".into()), ..asked(&["lrp-epsilon"]) }.run(&run).unwrap();
    assert!(matches!(&layers.explained, Explanations::Rows(_, Some(layers)) if !layers.is_empty()));
    let page = folder.file("clusters.html");
    let grouped = Explain { clusters: Some((page, Grouping::default())), ..asked(&["lrp-epsilon"]) };
    assert!(
        matches!(grouped.run(&run).unwrap().explained, Explanations::Clusters(found) if !found.clusters.is_empty())
    );
    // Numbers are of all rows, and the same whether they are asked for in one go or gone on with.
    let numbers = Explain { output: Some(folder.file("all.csv")), ..asked(&["lrp-epsilon"]) };
    let whole = numbers.run(&run).unwrap();
    assert!(whole.asked == 344 && matches!(whole.explained, Explanations::Numbers(_)));
    let text = std::fs::read_to_string(folder.file("all.csv")).unwrap();
    assert_eq!(text.lines().count(), 345);
    let several = Explain { output: Some(folder.file("two.csv")), ..two };
    assert!(said(several.run(&run)).contains("must be one for .npy and .csv"));
    assert_eq!(folder.names(), ["all.csv", "clusters.html"]);
}

#[test]
fn what_is_wrong_is_said_and_nothing_is_written() {
    let (folder, run) = (Folder::new("wrong"), quiet());
    let model = ModelSource::from(fitted(&folder, "logistic", &run));
    let missing = DataSource { target: Some("speceis".into()), ..folder.species() };
    std::fs::write(folder.file("empty.csv"), "").unwrap();
    let out = |name: &str| Some(folder.file(name));
    let fit = |source: DataSource| said(Fit { output: out("model.pel"), ..Fit::new("knn", source) }.run(&run));
    let compare = |source: DataSource| {
        said(Compare { output: out("c.html"), ..Compare::new(source, vec!["knn".into()]) }.run(&run))
    };
    let report = |source: DataSource| said(Report { model: model.clone(), source, output: out("r.html") }.run(&run));
    let judge =
        |source: DataSource| said(Judge { output: out("j.html"), ..Judge::new(model.clone(), source) }.run(&run));
    let explain =
        |source: DataSource| said(Explain { output: out("e.html"), ..Explain::new(model.clone(), source) }.run(&run));
    for text in [fit(missing.clone()), compare(missing.clone()), report(missing)] {
        assert!(text.contains("speceis"), "{text}");
    }
    for name in ["empty.csv", "gone.csv"] {
        let of = || DataSource { path: folder.file(name), ..folder.species() };
        for text in [fit(of()), compare(of()), report(of()), judge(of()), explain(of())] {
            assert!(text.contains(name), "{name}: {text}");
        }
    }
    let class = Explain { class: Some("Gento".into()), ..Explain::new(model.clone(), folder.species()) };
    assert!(said(class.run(&run)).contains("did you mean Gentoo?"));
    let positive = DataSource { positive: Some("Gento".into()), ..folder.species() };
    assert!(report(positive).contains("did you mean Gentoo?"));
    let rows = Judge { rows: Some("400".into()), ..Judge::new(model.clone(), folder.species()) };
    assert!(said(rows.run(&run)).contains("below 344"));
    let measure =
        Compare { measure: Some("beauty".into()), ..Compare::new(folder.species(), vec!["nearest-mean".into()]) };
    assert!(said(measure.run(&run)).contains("the measures are accuracy"));
    let over = folder.file("penguins.csv");
    let over = Report { model: model.clone(), source: folder.species(), output: Some(over) };
    assert!(said(over.run(&run)).contains("which is an input"));
    let lost = Score { model: Path::new("gone.pel").into(), source: folder.species(), deciding: Deciding::default() };
    assert!(said(lost.run(&run)).contains("gone.pel"));
    assert_eq!(folder.names(), ["empty.csv"]);
}

#[test]
fn a_page_is_whole_or_what_was_there() {
    let (folder, run) = (Folder::new("cancel"), quiet());
    let model = ModelSource::from(fitted(&folder, "forest", &run));
    let page = folder.file("page.html");
    let jobs = |run: &Run<'_>, output: &Path| {
        let output = Some(output.to_path_buf());
        let report = Report { model: model.clone(), source: folder.species(), output: output.clone() };
        let compare = Compare { output: output.clone(), ..Compare::new(folder.species(), vec!["forest".into()]) };
        let judge = Judge { output: output.clone(), ..Judge::new(model.clone(), folder.species()) };
        let explain = Explain { output, ..Explain::new(model.clone(), folder.species()) };
        [report.run(run).err(), compare.run(run).err(), judge.run(run).err(), explain.run(run).err()]
    };
    let cancelled = |steps: u64, output: &Path| {
        let watch = After::new(steps, Verdict::Cancel);
        jobs(&Run { watch: &watch, ..quiet() }, output)
    };
    assert_eq!(cancelled(0, &page), [const { Some(Error::Cancelled) }; 4]);
    assert!(folder.names().is_empty(), "{:?}", folder.names());
    std::fs::write(&page, "what was there").unwrap();
    assert_eq!(cancelled(0, &page), [const { Some(Error::Cancelled) }; 4]);
    assert_eq!(std::fs::read_to_string(&page).unwrap(), "what was there");
    // A folder that is not there: the work is done, the page is not.
    let nowhere = folder.file("nowhere/page.html");
    let report = Report { model: model.clone(), source: folder.species(), output: Some(nowhere) };
    assert!(said(report.run(&run)).contains("nowhere"));
    assert_eq!(folder.names(), ["page.html"]);
}

/// What a model says of itself is enough to make it again, also where settings were chosen and scores calibrated.
#[test]
fn the_spec_of_a_stored_model_fits_the_same_bits() {
    let (folder, run) = (Folder::new("again"), quiet());
    let file = folder.file("model.pel");
    for (machine, grid, prepare) in [
        ("svc", &["c=0.1,1,10", "gamma=0.05,median"][..], "auto"),
        ("logistic", &[], "calibrate:folds=3,auto"),
        ("forest", &["trees=3,5"], "calibrate=isotonic:folds=2,auto,smote=3"),
        ("knn", &["k=1,7"], "auto,forward=3"),
    ] {
        let grid: Vec<String> = grid.iter().map(|axis| axis.to_string()).collect();
        let (prepare, output) = (prepare.to_string(), Some(file.clone()));
        let fit = Fit { grid, grid_folds: 3, prepare, output, ..Fit::new(machine, folder.species()) };
        let done = fit.run(&run).unwrap();
        let stored = Model::load(&file, &run).unwrap();
        let text = stored.spec.to_string();
        let spec = Spec::parse(&text, &KNOWN).unwrap();
        assert_eq!((&spec, &stored.spec), (&stored.spec, &done.model.spec), "{text}");
        let data = folder.species().load(Wanted::Classes(2), &run).unwrap().data;
        let again = spec.build(&KNOWN).unwrap().fit(&data, None, &run).unwrap();
        assert_eq!(again.machine.record(), stored.machine.record(), "{text}");
    }
}

#[test]
fn what_a_fit_cannot_learn_from_is_named_by_its_line() {
    let folder = Folder::new("lines");
    // A comment, a row without a target, a row of weight 0: they shift rows against lines.
    let text = "# by hand\na,b,w,class\n1,2,1,\n1,3,0,x\n2,4,1,y\n3,,1,x\n4,6,1,y\n5,7,1,x\n6,8,1,y\n7,9,1,x\n";
    std::fs::write(folder.file("gap.csv"), text).unwrap();
    let source = DataSource {
        target: Some("class".into()),
        weights: Some("w".into()),
        ..DataSource::new(folder.file("gap.csv"))
    };
    let fit = Fit { prepare: "none".into(), ..Fit::new("logistic", source) };
    let line = format!("{}:6", folder.file("gap.csv").display());
    for holdout in [None, Some(Holdout::Last(0.3)), Some(Holdout::Last(0.5))] {
        let error = said(Fit { holdout, ..fit.clone() }.run(&quiet()));
        assert!(error.contains(&line) && error.contains("row 4, column \"b\""), "{holdout:?}: {error}");
    }
    // Where rows are not those of the file, no line is named.
    let folds = Fit { grid: vec!["penalty=1,2".into()], grid_folds: 2, ..fit };
    let error = said(folds.run(&quiet()));
    assert!(error.contains("is missing") && !error.contains("gap.csv:"), "{error}");
}
