//! Which column is to be predicted, and whether it is classes or values.
//!
//! The column given; else one named target, class, label or y; else, for a learner that needs one, the last that is no
//! id (said aloud). A learner that needs none must not learn from it either: a column named so is left out, and said.
//! Words are classes. Numbers are values, unless the learner wants classes; a learner that takes either gets classes if the
//! numbers are whole and at most 32 different ones (said aloud), or what the task says. More than ten different numbers
//! with fractions are amounts, and whoever wants classes refuses them.

use base::{Advice, Cells, Dataset, Error, Inputs, LabelSets, Message, Place, Result, Run, Targets, Values, Wanted};

/// The most different whole numbers that are taken for classes.
const MOST_CODES: usize = 32;

/// The most different numbers with fractions that are taken for classes.
const MOST_FRACTIONS: usize = 10;

/// Which column is the target.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// Look for it.
    Auto,
    /// There is none.
    None,
    /// The column of that name.
    Column(String),
    /// Values kept apart from the inputs, with the name of where they came from.
    Apart(String, Cells),
}

base::choices! {
    /// What is predicted.
    pub enum Task {
        /// One of several classes.
        Classify = "classify",
        /// A number.
        Regress = "regress",
    }
}

/// Takes the target out of the columns and makes of it what the learner wants; answers with its name.
pub fn choose_target(
    data: &mut Dataset,
    target: &Target,
    wanted: Wanted,
    task: Option<Task>,
    run: &Run<'_>,
) -> Result<Option<String>> {
    let (name, cells) = match target {
        Target::None => {
            data.targets = Targets::None;
            return Ok(None);
        }
        Target::Apart(name, cells) => (name.clone(), cells.clone()),
        Target::Column(name) => (name.clone(), data.take_column(name)?),
        Target::Auto if wanted == Wanted::Nothing && matches!(data.inputs, Inputs::Table(_)) => {
            leave_out_labels(data, run)?;
            return Ok(None);
        }
        Target::Auto => match (find(data, wanted, run), wanted) {
            (Some(name), _) => {
                let cells = data.take_column(&name)?;
                (name, cells)
            }
            // Points bring their targets with them.
            (None, _) => {
                let targets = std::mem::take(&mut data.targets);
                let name = match &targets {
                    Targets::Values(v) => v.names().join(", "),
                    Targets::None => return Ok(None),
                    _ => "label".to_string(),
                };
                data.targets = convert(&name, targets, wanted, task, run)?;
                return Ok(Some(name));
            }
        },
    };
    if cells.len() != data.len() {
        return Err(Error::size(format!("rows of the target {name:?}"), data.len(), cells.len()));
    }
    if let Cells::Text(_) = &cells {
        let what = format!("target: {name:?} is free text, each different one of which becomes a class");
        run.watch.advise(&Message::from(what).with_effect(Advice::option("target", "COLUMN"), "names another"));
    }
    let targets = match &cells {
        Cells::Number(values) => Targets::Values(Values::new(values.to_vec(), name.clone())),
        other => Targets::classes_of(&name, other)?,
    };
    data.targets = convert(&name, targets, wanted, task, run)?;
    Ok(Some(name))
}

/// Leaves out a column that is named like a target, for a learner that needs none; a last column of few levels may be one
/// too, which is said.
fn leave_out_labels(data: &mut Dataset, run: &Run<'_>) -> Result<()> {
    let Inputs::Table(table) = &data.inputs else { return Ok(()) };
    let labels =
        || USUAL.iter().chain(&["labels", "classes", "outcome", "outlier", "anomaly", "is_outlier", "is_anomaly"]);
    let named = |c: &&base::Column| labels().any(|word| c.name.eq_ignore_ascii_case(word));
    match table.columns().iter().find(named).map(|c| c.name.clone()) {
        Some(name) if table.columns().len() > 1 => {
            data.take_column(&name)?;
            let why = "is left out, for it is named like a target and this machine needs none";
            let what = Message::from(format!("column {name:?} {why}"));
            run.watch.advise(&what.with_effect(Advice::option("target", "none"), "keeps it as an input"));
        }
        _ => {
            let last = table.columns().last().filter(|c| matches!(c.cells, Cells::Category { .. }));
            if let Some(name) = last.map(|c| &c.name).filter(|_| table.columns().len() > 1) {
                let what = Message::from(format!("column {name:?}, the last one, of few levels, is an input"));
                run.watch.advise(&what.with_effect(Advice::option("ignore", name), "if it is the label"));
            }
        }
    }
    Ok(())
}

/// Names of targets.
const USUAL: [&str; 4] = ["target", "class", "label", "y"];

/// The target column of a table, if it can be found by its name or, for a learner that needs one, by its place.
fn find(data: &Dataset, wanted: Wanted, run: &Run<'_>) -> Option<String> {
    let Inputs::Table(table) = &data.inputs else { return None };
    let names = || table.columns().iter().map(|c| &c.name);
    let by_name = USUAL.iter().find_map(|word| names().find(|n| n.eq_ignore_ascii_case(word)));
    match (by_name, wanted) {
        (_, Wanted::Nothing) => None,
        (Some(name), _) => {
            run.watch.note(&format!("target: column {name:?} (by its name)"));
            Some(name.clone())
        }
        (None, _) => {
            // What names the rows is never what is asked for.
            let last = table.columns().iter().rfind(|c| !matches!(c.cells, Cells::Id(_))).map(|c| &c.name);
            let last = last.or_else(|| names().next_back())?;
            let what = Message::from(format!("target: column {last:?}, the last one"));
            run.watch.advise(&what.with_effect(Advice::option("target", "COLUMN"), "names another"));
            Some(last.clone())
        }
    }
}

/// Classes or values, as the learner wants them.
fn convert(name: &str, targets: Targets, wanted: Wanted, task: Option<Task>, run: &Run<'_>) -> Result<Targets> {
    let as_classes = |v: &Values| {
        if v.names().len() > 1 {
            return Err(Error::size("target columns", 1, v.names().len()));
        }
        Targets::classes_of(name, &Cells::Number(v.values().to_vec().into()))
    };
    let task = match (wanted, task) {
        (Wanted::Classes(_) | Wanted::ClassesOrLabels(_), Some(Task::Regress)) => {
            return Err(Error::parameter(
                "task",
                "regress",
                "this machine predicts classes; ridge, svr, forest regress",
            ));
        }
        (Wanted::Values, Some(Task::Classify)) => {
            let must = "this machine predicts numbers; logistic, svc, forest classify";
            return Err(Error::parameter("task", "classify", must));
        }
        (Wanted::Classes(_) | Wanted::ClassesOrLabels(_), None) => Some(Task::Classify),
        (Wanted::Values, None) => Some(Task::Regress),
        (_, task) => task,
    };
    match (targets, task) {
        (Targets::Values(v), Some(Task::Classify)) => {
            if let Some(count) = continuous(&v) {
                let why = format!(
                    "holds {count} different numbers with fractions: amounts, not classes; ridge, svr, forest and others \
                     predict amounts"
                );
                return Err(Error::data(Place::Column(name.into()), why));
            }
            as_classes(&v)
        }
        (Targets::Values(v), None) if looks_coded(&v) => {
            let what = Message::from(format!("target {name:?}: whole numbers taken as classes"));
            run.watch.advise(&what.with_effect(Advice::option("task", "regress"), "if they are amounts"));
            as_classes(&v)
        }
        (Targets::Classes(_), Some(Task::Regress)) => {
            Err(Error::data(Place::Column(name.into()), "holds classes, but the machine predicts numbers"))
        }
        (targets, _) => Ok(targets),
    }
}

/// How many different numbers there are, if they have fractions and are too many to be classes.
fn continuous(values: &Values) -> Option<usize> {
    let known = || values.values().iter().filter(|x| !x.is_nan());
    let different: std::collections::BTreeSet<u64> = known().map(|x| x.to_bits()).collect();
    (known().any(|x| x.fract() != 0.0) && different.len() > MOST_FRACTIONS).then_some(different.len())
}

fn looks_coded(values: &Values) -> bool {
    let mut seen = std::collections::BTreeSet::new();
    values.names().len() == 1
        && values.values().iter().filter(|x| !x.is_nan()).all(|x| {
            seen.insert(x.to_bits());
            x.fract() == 0.0 && seen.len() <= MOST_CODES
        })
}

/// The targets of new data, in the terms of a model that was fitted with `name` and `task`; classes that the model
/// does not know are said aloud, and data that have no other are refused. `known` is empty where the model knows none.
pub fn score_targets(
    data: &mut Dataset,
    target: &Target,
    name: Option<&str>,
    task: Option<Task>,
    known: &[String],
    run: &Run<'_>,
) -> Result<()> {
    let target = match (target, name, &data.inputs) {
        (Target::Auto, Some(name), Inputs::Table(_)) => Target::Column(name.to_string()),
        (given, _, _) => given.clone(),
    };
    choose_target(data, &target, Wanted::Either, task, run)?;
    match (&data.targets, task.filter(|_| !known.is_empty())) {
        (Targets::Classes(classes), Some(Task::Classify)) => {
            all_known("class", &classes.names().iter().collect::<Vec<_>>(), known, run)
        }
        (Targets::Sets(sets), Some(Task::Classify)) => {
            // Numbered labels have names that no row has.
            let mut met = vec![false; sets.names().len()];
            (0..sets.len()).filter_map(|i| sets.get(i)).flatten().for_each(|&l| met[l as usize] = true);
            let names = sets.names().iter().zip(met).filter(|(_, met)| *met).map(|(name, _)| name);
            all_known("label", &names.collect::<Vec<_>>(), known, run)
        }
        _ => Ok(()),
    }
}

/// Says which names of new data are not known; refuses data of which none is.
fn all_known(what: &str, names: &[&String], known: &[String], run: &Run<'_>) -> Result<()> {
    let there: std::collections::HashSet<&str> = known.iter().map(String::as_str).collect();
    let strange: Vec<&&String> = names.iter().filter(|n| !there.contains(n.as_str())).collect();
    let Some(first) = strange.first() else { return Ok(()) };
    let near = base::nearest(first, known.iter().map(String::as_str));
    let hint = near.map_or(String::new(), |n| format!(", such as {first:?} (is it {n:?}?)"));
    if strange.len() == names.len() {
        let some: Vec<&str> = known.iter().take(5).map(String::as_str).collect();
        let why = format!("no {what} of these data is known to the model{hint}; it knows {}", some.join(", "));
        return Err(Error::data(Place::Whole, why));
    }
    let (count, are) = (base::plural(strange.len(), what), base::agree(strange.len(), "is", "are"));
    run.watch.note(&format!("{count} of these data {are} unknown to the model{hint}"));
    Ok(())
}

/// Targets in the terms of a model of label sets: rows of one class are sets of one label.
pub fn as_sets(targets: Targets) -> Result<Targets> {
    let Targets::Classes(classes) = &targets else { return Ok(targets) };
    let (mut starts, mut labels, mut unknown) = (vec![0], vec![], vec![]);
    for row in 0..classes.codes().len() {
        match classes.get(row) {
            Some(class) => labels.push(class as u32),
            None => unknown.push(row),
        }
        starts.push(labels.len());
    }
    LabelSets::new(starts, labels, classes.names().clone(), unknown).map(Targets::Sets)
}

/// Whether classes or values were predicted.
impl Task {
    /// The task these targets pose.
    pub fn of(targets: &Targets) -> Option<Task> {
        match targets {
            Targets::Classes(_) => Some(Task::Classify),
            Targets::Values(_) => Some(Task::Regress),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Column, Table};

    fn data(columns: &[(&str, Cells)]) -> Dataset {
        let column = |(name, cells): &(&str, Cells)| Column { name: name.to_string(), cells: cells.clone() };
        Dataset::new(Table::new(columns.iter().map(column).collect()).unwrap(), Targets::None)
    }

    /// Keeps what is said.
    #[derive(Default)]
    struct Notes(std::sync::Mutex<Vec<String>>);

    impl base::Watch for Notes {
        fn step(&self, _: &base::Progress<'_>) -> base::Verdict {
            base::Verdict::GoOn
        }
        fn note(&self, text: &str) {
            self.0.lock().unwrap().push(text.into());
        }
    }

    fn numbers(list: &[f64]) -> Cells {
        Cells::Number(list.to_vec().into())
    }

    fn words(list: &[&str]) -> Cells {
        Cells::categories(list.iter().map(|w| Some(*w)))
    }

    fn chosen(mut d: Dataset, target: Target, wanted: Wanted, task: Option<Task>) -> String {
        match choose_target(&mut d, &target, wanted, task, &Run::quiet(1)) {
            Ok(name) => format!("{} {} {}", name.unwrap_or("-".into()), d.targets.type_name(), d.inputs.columns()),
            Err(e) => e.to_string(),
        }
    }

    #[test]
    fn d25_machines_without_a_target_do_not_learn_the_label() {
        let said = |columns: &[(&str, Cells)], target: Target| {
            let notes = Notes::default();
            let run = Run { watch: &notes, ..Run::quiet(1) };
            let mut d = data(columns);
            assert_eq!(choose_target(&mut d, &target, Wanted::Nothing, None, &run), Ok(None));
            (d.inputs.columns(), notes.0.into_inner().unwrap().join("; "))
        };
        let named = [("a", numbers(&[1.5, 2.5])), ("Class", words(&["x", "y"]))];
        let (columns, note) = said(&named, Target::Auto);
        assert_eq!(columns, 1);
        assert_eq!(
            note,
            "column \"Class\" is left out, for it is named like a target and this machine needs none (option: target none keeps \
             it as an input)"
        );
        assert_eq!(said(&named, Target::None), (2, String::new()));
        let last = [("a", numbers(&[1.5, 2.5])), ("species", words(&["x", "y"]))];
        let (columns, note) = said(&last, Target::Auto);
        assert!(columns == 2 && note.contains("ignore species if it is the label"), "{note}");
        let plain = [("a", numbers(&[1.5, 2.5])), ("b", numbers(&[1.5, 2.5]))];
        assert_eq!(said(&plain, Target::Auto), (2, String::new()));
    }

    #[test]
    fn by_name_then_by_place() {
        let d = || data(&[("a", numbers(&[1.5, 2.5])), ("Class", words(&["x", "y"])), ("z", numbers(&[3.0, 4.0]))]);
        let either = Wanted::Either;
        assert_eq!(chosen(d(), Target::Auto, either, None), "Class classes 2");
        assert_eq!(chosen(d(), Target::Column("a".into()), either, None), "a values 2");
        assert_eq!(chosen(d(), Target::Column("z".into()), either, None), "z classes 2");
        assert_eq!(chosen(d(), Target::Column("z".into()), either, Some(Task::Regress)), "z values 2");
        assert_eq!(chosen(d(), Target::Column("a".into()), Wanted::Classes(2), None), "a classes 2");
        assert_eq!(chosen(d(), Target::Auto, Wanted::Nothing, None), "- no targets 2");
        assert_eq!(chosen(d(), Target::None, Wanted::Nothing, None), "- no targets 3");
        assert_eq!(chosen(d(), Target::None, either, None), "- no targets 3");
        assert!(chosen(d(), Target::Auto, Wanted::Values, None).contains("holds classes"));
        assert!(chosen(d(), Target::Column("b".into()), either, None).contains("does not exist"));
        let last = data(&[("a", numbers(&[1.0])), ("b", numbers(&[0.5]))]);
        assert_eq!(chosen(last, Target::Auto, Wanted::Values, None), "b values 1");
        let one = Some(Task::Regress);
        assert!(chosen(d(), Target::Auto, Wanted::Classes(2), one).contains("predicts classes"), "d12");
        let two = Some(Task::Classify);
        assert!(chosen(d(), Target::Column("a".into()), Wanted::Values, two).contains("predicts numbers"), "d12");
        let key = Cells::Id([Some("k1")].into_iter().collect());
        let ids = data(&[("a", numbers(&[1.0])), ("b", numbers(&[0.5])), ("key", key)]);
        assert_eq!(chosen(ids, Target::Auto, Wanted::Values, None), "b values 2");
        let apart = Target::Apart("labels".into(), numbers(&[1.0]));
        assert!(chosen(d(), apart, either, None).contains("expected 2, found 1"));
    }

    #[test]
    fn label_sets_are_matched_by_name_and_a_class_is_a_set_of_one_label() {
        let known: Vec<String> = ["a", "b", "c"].map(str::to_string).into();
        let score = |names: &[&str], labels: Vec<u32>| {
            let starts = (0..=labels.len()).collect();
            let names: Vec<String> = names.iter().map(|n| n.to_string()).collect();
            let sets = LabelSets::new(starts, labels.clone(), names, vec![]).unwrap();
            let points = base::Points::dense(vec![0.0; labels.len()], labels.len(), 1).unwrap();
            let mut data = Dataset::new(points, Targets::Sets(sets));
            let heard = Notes::default();
            let run = Run { watch: &heard, ..Run::quiet(1) };
            let done = score_targets(&mut data, &Target::Auto, None, Some(Task::Classify), &known, &run);
            done.map(|()| heard.0.lock().unwrap().join("; ")).map_err(|e| e.to_string())
        };
        assert_eq!(score(&["c", "a"], vec![0, 1]), Ok(String::new()));
        // A name that no row has does not count.
        assert_eq!(score(&["c", "z"], vec![0, 0]), Ok(String::new()));
        assert!(score(&["c", "z"], vec![0, 1]).unwrap().contains("1 label of these data is unknown"));
        assert!(score(&["y", "z"], vec![0, 1]).unwrap_err().contains("no label of these data is known"));
        let classes = base::Classes::from_names(&[Some("b"), None, Some("a")]);
        let Targets::Sets(sets) = as_sets(Targets::Classes(classes)).unwrap() else { panic!() };
        assert_eq!((sets.get(0), sets.get(1), sets.get(2)), (Some(&[1][..]), None, Some(&[0][..])));
    }

    #[test]
    fn d17_amounts_are_no_classes() {
        let amounts: Vec<f64> = (0..40).map(|i| f64::from(i) * 0.37).collect();
        let whole: Vec<f64> = (0..40).map(f64::from).collect();
        let grades: Vec<f64> = (0..40).map(|i| 1.0 + 0.5 * f64::from(i % 9)).collect();
        let of = |list: &[f64]| data(&[("y", numbers(list)), ("x", numbers(&[0.0; 40]))]);
        let y = || Target::Column("y".into());
        for (wanted, task) in [(Wanted::Classes(2), None), (Wanted::Either, Some(Task::Classify))] {
            let says = chosen(of(&amounts), y(), wanted, task);
            assert!(says.contains("40 different numbers") && says.contains("ridge"), "{says}");
            assert_eq!(chosen(of(&whole), y(), wanted, task), "y classes 1");
            assert_eq!(chosen(of(&grades), y(), wanted, task), "y classes 1");
        }
        assert_eq!(chosen(of(&amounts), y(), Wanted::Either, None), "y values 1");
    }

    #[test]
    fn d28_data_without_a_class_that_the_model_knows_are_refused() {
        let known = ["<=50K".to_string(), ">50K".to_string()];
        let score = |list: &[&str]| {
            let mut d = data(&[("y", words(list)), ("x", numbers(&[1.0, 2.0]))]);
            let target = Target::Column("y".into());
            score_targets(&mut d, &target, None, Some(Task::Classify), &known, &Run::quiet(1))
                .map_err(|e| e.to_string())
        };
        let error = score(&["<=50K.", ">50K."]).unwrap_err();
        assert!(error.contains("is it \"<=50K\"?") && error.contains("it knows <=50K, >50K"), "{error}");
        assert_eq!(score(&["<=50K", ">50K."]), Ok(()));
    }
}
