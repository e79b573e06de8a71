//! Learners by text over the whole catalog: what was accepted before there were specs means the same, and everything that
//! is written is read back.
#![allow(clippy::unwrap_used, reason = "tests")]

use pellucid::{
    Catalog, Dataset, KNOWN, LEARNERS, Learner, Model, Points, Run, STEPS, Spec, SpecPart, Targets, Value, WRAPPERS,
    parse_step, prepare_steps,
};

/// A step as it was read before: cut at colons, then at the first equals sign.
fn cut_step(word: &str) -> String {
    let mut parts = word.split(':');
    let head = parts.next().unwrap();
    let names = || STEPS.iter().map(|e| e.name).chain(WRAPPERS.iter().map(|e| e.name));
    let (name, value) = match head.split_once('=') {
        Some((name, value)) if names().any(|known| known == format!("{name}-{value}")) => {
            (format!("{name}-{value}"), None)
        }
        Some((name, value)) => (name.to_string(), Some(value)),
        None => (head.to_string(), None),
    };
    let mut part = KNOWN.part(&name).unwrap();
    let settings = part.settings();
    if let Some(value) = value {
        let first = settings.params()[0].name;
        settings.set_text(first, value).unwrap();
    }
    for setting in parts {
        let (key, value) = setting.split_once('=').unwrap_or((setting, "true"));
        settings.set_text(key, value).unwrap();
    }
    shown(&part)
}

fn shown(part: &SpecPart) -> String {
    match part {
        SpecPart::Learner(learner) | SpecPart::Step(learner) => format!("{learner:?}"),
        SpecPart::Wrapper(step) => format!("{step:?}"),
    }
}

/// A machine as `compare` read it before: cut at colons, each setting at its first equals sign.
fn cut_machine(text: &str) -> String {
    let mut parts = text.split(':');
    let mut learner = KNOWN.learner(parts.next().unwrap()).unwrap();
    for (name, value) in parts.map(|setting| setting.split_once('=').unwrap()) {
        learner.set_text(name.trim(), value).unwrap();
    }
    format!("{learner:?}")
}

#[test]
fn words_of_before_mean_the_same() {
    for word in [
        "scale",
        "scale:center=false",
        "scale:center=false:std",
        "impute",
        "impute=mean",
        "impute=median:indicator",
        "impute=most-frequent",
        "impute=zero",
        "impute=knn",
        "impute=knn:k=7",
        "impute=knn:k=7:weighting=distance",
        "impute=hot-deck",
        "impute=regression",
        "impute=mice",
        "impute=mixture",
        "impute-knn:k=2",
        "sparse-columns=0.3",
        "one-hot",
        "one-hot=ignore",
        "one-hot:max_levels=50:beyond=frequency",
        "ordinal",
        "ordinal=ignore",
        "ordinal:order=low<mid<high;s<m<l",
        "tf-idf",
        "tf-idf:min_df=2:ngrams=2",
        "tf-idf:min_df=200",
        "tf-idf:max_df=0.5",
        "tf-idf:numbers=scaled",
        "bag-of-words",
        "bag-of-words=binary:ngrams=2:min_df=5",
        "dates=seconds",
        "dates=leave-out",
        "resize",
        "resize=8x6",
        "resize=8x8",
        "patches=29",
        "pca=2",
        "pca=4",
        "whiten",
        "robust",
        "unit",
        "min-max",
        "symmetric",
        "center",
        "log",
        "select=8",
        "select:by=f-value:keep=8",
        "network=FILE@node",
        "network=model.onnx@node",
        "network=my(1).onnx@/a/b",
        "smote",
        "smote=3",
        "smote=3:ratio=0.5",
        "shift",
        "rotate",
        "flip",
        "noise",
        "forward",
        "forward=5",
        "forward:keep=3",
        "backward",
        "multiple=5",
        "class-weights",
        "undersample",
        "oversample",
        "noisy-copies",
        "calibrate",
        "calibrate:folds=2",
        "calibrate=isotonic",
        "conformal",
        "conformal=0.2",
        "conformal=0.4",
    ] {
        let spec = parse_step(word).unwrap_or_else(|e| panic!("{word}: {e}"));
        assert_eq!(shown(&spec.part(&KNOWN).unwrap()), cut_step(word), "{word}");
        assert_eq!(parse_step(&spec.to_string()), Ok(spec), "{word}");
    }
    for text in [
        "knn",
        "knn:k=1",
        "knn:k=40:weighting=distance",
        "RandomForestClassifier:n_estimators=5",
        "random forest",
        "svc:C=10",
        "logistic:C=4",
        "svc:c=0.1:gamma=median:kernel=rbf",
        "mlp:hidden=100,50",
        "mlp:hidden=100,50:epochs=3",
        "cnn:layers=conv 4 3x3 relu, pool 2, dense 8 relu",
        "svc:class_weight=balanced",
        "svc:class_weight=a=1,b=2:c=2",
        "pca:components=2",
    ] {
        let spec = Spec::parse(text, &KNOWN).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(format!("{:?}", spec.build(&KNOWN).unwrap()), cut_machine(text), "{text}");
        assert_eq!(Spec::parse(&spec.to_string(), &KNOWN), Ok(spec), "{text}");
    }
}

#[test]
fn everything_there_is_can_be_written_and_read_back() {
    for entry in LEARNERS.iter().chain(STEPS) {
        let learner = (entry.make)();
        let spec = Spec::of(&*learner);
        let text = spec.to_string();
        assert_eq!(Spec::parse(&text, &KNOWN).as_ref(), Ok(&spec), "{text}");
        let back = Spec::read(&spec.record()).unwrap();
        assert_eq!(format!("{:?}", back.build(&KNOWN).unwrap()), format!("{learner:?}"));
    }
    for entry in WRAPPERS {
        let part = KNOWN.part(entry.name).unwrap();
        assert!(matches!(part, SpecPart::Wrapper(_)) && part.name() == entry.name);
    }
}

#[test]
fn a_spec_with_steps_is_what_the_list_before_a_machine_makes() {
    let data = testkit::toy_classes(1);
    let run = Run { catalog: &KNOWN, ..Run::quiet(1) };
    let record = |learner: &dyn Learner, data: &Dataset| learner.fit(data, None, &run).unwrap().machine.record();
    for (steps, machine) in [
        ("scale,smote=3,pca=2", "knn:k=3"),
        ("impute=knn,scale", "svc:c=10,gamma=0.1"),
        ("calibrate:folds=2,scale", "logistic"),
        ("scale", "forest:trees=3"),
    ] {
        let spec = Spec::parse(&format!("{steps},{machine}"), &KNOWN).unwrap();
        let alone = Spec::parse(machine, &KNOWN).unwrap().build(&KNOWN).unwrap();
        let (before, learner) = pellucid::prepared(steps, &data, alone).unwrap();
        assert_eq!(spec.before, before);
        assert_eq!(record(&*spec.build(&KNOWN).unwrap(), &data), record(&*learner, &data), "{spec}");
    }
    // Steps of a table are one step where parentheses say so.
    let text = "(one-hot=ignore,tf-idf:min_df=2),scale,knn";
    let spec = Spec::parse(text, &KNOWN).unwrap();
    assert_eq!((spec.to_string().as_str(), spec.before.len()), (text, 2));
    assert_eq!(spec.before[0], parse_step("one-hot=ignore,tf-idf:min_df=2").unwrap());
    assert!(spec.build(&KNOWN).unwrap().traits().needs.table);
}

#[test]
fn models_keep_their_spec_and_read_those_of_words() {
    let data = testkit::toy_classes(1);
    let run = Run { catalog: &KNOWN, ..Run::quiet(1) };
    let spec = Spec::parse("scale,smote=3,svc:c=10,gamma=median", &KNOWN).unwrap();
    let fitted = spec.build(&KNOWN).unwrap().fit(&data, None, &run).unwrap();
    let model = Model::of(fitted, spec.clone());
    let back = Model::read(&model.record(), &KNOWN).unwrap();
    assert_eq!(back.spec, spec);
    assert_eq!(back.settings(), ["c=10", "gamma=median"]);
    assert_eq!(back.preparation(), ["scale", "smote=3"]);
    // Version 1 kept words; what is not known any more is told as it was.
    let mut words = pellucid::Record::new("model", 1)
        .with("learner", "svc")
        .with("settings", ["c=10", "gamma=0.5", "gone=x=1"].map(String::from).to_vec())
        .with("preparation", ["one-hot,tf-idf:min_df=2", "nothing known"].map(String::from).to_vec());
    for (name, field) in model.record().fields().iter().filter(|(name, _)| *name != "spec") {
        words = words.with(name, field.clone());
    }
    let old = Model::read(&words, &KNOWN).unwrap();
    assert_eq!(old.spec.get("gamma"), Some(&Value::Number(0.5)));
    assert_eq!(old.settings(), ["c=10", "gamma=0.5", "gone=x=1"]);
    assert_eq!(old.preparation(), ["one-hot,tf-idf:min_df=2", "nothing known"]);
}

#[test]
fn slips_name_the_nearest_word() {
    let says = |text: &str| Spec::parse(text, &KNOWN).unwrap_err().to_string();
    assert_eq!(says("rigde"), "machine = rigde: no such machine; did you mean ridge?");
    assert!(says("scael,knn").contains("did you mean scale? (item 1: scael)"), "{}", says("scael,knn"));
    assert!(says("scale,smote").contains("prepare: smote"), "{}", says("scale,smote"));
    assert!(says("svc:gama=1").contains("did you mean gamma?"));
    assert!(says("svc:gamma=scael").contains("must be a number or one of scale, auto, median, nearest (scale?)"));
    assert!(says("knn,scale").contains("nothing comes after knn"));
    let data = Dataset::new(Points::from_rows(&[[1.0], [2.0]]).unwrap(), Targets::None);
    let prepare = |text: &str| prepare_steps(text, &data, None).unwrap_err().to_string();
    assert!(prepare("scale,smot").starts_with("prepare = smot: the steps are auto, none, "));
    assert!(prepare("impute=mode").contains("or a method of its own: knn, hot-deck"));
    assert!(prepare("none,scale").contains("the steps are"));
}

#[test]
fn earlier_names_of_settings_of_steps_are_read_and_told() {
    for (earlier, today) in [
        ("tf-idf:most=9:least=2:grams=2", "tf-idf:max_features=9:min_df=2:ngrams=2"),
        ("bag-of-words:commonest=0.5:shortest=1:stop=a", "bag-of-words:max_df=0.5:min_length=1:stop_words=a"),
        ("one-hot:most_levels=5", "one-hot:max_levels=5"),
        ("impute:with=median", "impute:strategy=median"),
        ("impute-mice:draw", "impute-mice:sample"),
        ("multiple:draws=3", "multiple:imputations=3"),
        ("scale:deviation=false", "scale:std=false"),
        ("thresholds:least=3", "thresholds:min_rows=3"),
        ("conformal:promise=missed", "conformal:guarantee=missed"),
    ] {
        let (old, new) = (parse_step(earlier).unwrap(), parse_step(today).unwrap());
        assert_eq!(old.to_string(), new.to_string(), "{earlier}");
        assert!(new.told().is_empty() && old.told().iter().all(|note| note.contains(" is now ")), "{earlier}");
        assert!(!old.told().is_empty(), "{earlier}");
    }
}
