//! From `--prepare scale,impute=mean` to learners.
//!
//! A step is `name` or `name=value` (its first setting), with further settings behind colons: `smote=3:ratio=0.5`,
//! `select:by=f-value:keep=8`; where there is a step `name-value`, `name=value` means that one (`impute=knn:k=7` is
//! `impute-knn:k=7`). Steps that make points of a table (`one-hot`, `ordinal`, `tf-idf`, `resize`, ...) each speak of one
//! kind of column; wherever they stand, they join to one encoding, the first step but for `calibrate` and `conformal`,
//! which stay in front if they stand there, so that the encoding too is fitted without the rows they judge by. `auto` looks at the data (see
//! `automatic.rs`) and asks the machine; in a list it stands for the steps it would choose. `none` does only what must be
//! done.
//!
//! A wrapping step holds all that comes after it, the machine included, so the list is folded from the right:
//! `scale,smote,pca` before `logistic` is a pipeline of `scale` and of `smote` holding the pipeline of `pca` and `logistic`.

use crate::automatic::automatic;
use crate::{KNOWN, STEPS, WRAPPERS};
use base::{Catalog, Dataset, Error, Inputs, Learner, Pipeline, Result, Run, Settings};
use prepare::{Encode, Wrap, Wrapped, join, table_step, takes_points};

/// A step of preparation.
#[derive(Debug, Clone)]
pub enum Step {
    /// A learner whose machine travels with the model.
    Machine(Box<dyn Learner>),
    /// A step that holds all that comes after it.
    Wrapper(Box<dyn Wrap>),
}

impl Step {
    fn name(&self) -> &'static str {
        match self {
            Step::Machine(learner) => learner.name(),
            Step::Wrapper(step) => step.name(),
        }
    }

    fn takes_tables(&self) -> bool {
        matches!(self, Step::Machine(learner) if table_step(learner.name()))
    }

    fn holds_tables(&self) -> bool {
        matches!(self, Step::Wrapper(step) if step.takes_tables())
    }

    fn settings(&mut self) -> &mut dyn Settings {
        match self {
            Step::Machine(learner) => &mut **learner,
            Step::Wrapper(step) => &mut **step,
        }
    }
}

/// The learner that prepares as `text` asks and then does what `learner` does, with how each step would be written.
///
/// Its settings are those of `learner`.
pub fn prepared(text: &str, data: &Dataset, learner: Box<dyn Learner>) -> Result<(Vec<String>, Box<dyn Learner>)> {
    let (words, steps): (Vec<String>, Vec<Step>) = prepare_steps(text, data, Some(&*learner))?.into_iter().unzip();
    Ok((words, folded(steps, learner)))
}

/// The steps that `auto` would take and a list that names only wrapping steps leaves out.
pub fn left_out(text: &str, data: &Dataset, learner: &dyn Learner) -> Result<Vec<String>> {
    let words: Vec<&str> = text.split(',').map(str::trim).filter(|w| !w.is_empty()).collect();
    let name = |word: &str| word.split([':', '=']).next().unwrap_or(word).to_string();
    let wraps = |word: &&str| WRAPPERS.iter().any(|e| e.name == name(word));
    if words.is_empty() || !words.iter().all(wraps) {
        return Ok(vec![]);
    }
    let usual = prepare_steps(&format!("{text},auto"), data, Some(learner))?;
    // The encoding of a table is there whether it is named or not.
    let words = usual.into_iter().map(|(word, _)| word).filter(|word| !wraps(&word.as_str()));
    Ok(words.filter(|word| table_steps(word).is_ok_and(|encoding| encoding.is_none())).collect())
}

/// The data as the steps before the first wrapping one leave them, and the learner that is still to be fitted to them.
pub fn partly_prepared(
    text: &str,
    data: &Dataset,
    learner: Box<dyn Learner>,
    run: &Run<'_>,
) -> Result<(Dataset, Box<dyn Learner>)> {
    let mut data = data.clone();
    let mut steps = prepare_steps(text, &data, Some(&*learner))?.into_iter().map(|(_, step)| step).peekable();
    while let Some(Step::Machine(step)) = steps.next_if(|step| matches!(step, Step::Machine(_))) {
        let machine = step.fit(&data, None, run)?.machine;
        let points = machine.compute(&data.inputs, run)?;
        data = data.with_inputs(points, machine.outputs().as_features());
    }
    Ok((data, folded(steps.collect(), learner)))
}

/// Steps and learner as one, from the right: a wrapping step holds what has been put together so far.
fn folded(steps: Vec<Step>, learner: Box<dyn Learner>) -> Box<dyn Learner> {
    let pipeline = |mut reversed: Vec<Box<dyn Learner>>| {
        reversed.reverse();
        Box::new(Pipeline { steps: reversed })
    };
    let mut reversed = vec![learner];
    for step in steps.into_iter().rev() {
        match step {
            Step::Machine(learner) => reversed.push(learner),
            Step::Wrapper(step) => reversed = vec![Box::new(Wrapped { step, learner: pipeline(reversed) })],
        }
    }
    pipeline(reversed)
}

/// The steps that `text` asks for on `data` before `learner`, with how each would be written; a joined one is written
/// with commas.
///
/// `auto` asks the learner what it takes only where nothing but rows comes between the two: other steps (neighbours of
/// `smote`, directions of `pca`) mind scales and gaps by themselves.
pub fn prepare_steps(text: &str, data: &Dataset, learner: Option<&dyn Learner>) -> Result<Vec<(String, Step)>> {
    let mut named = text.split(',').map(str::trim).filter(|w| !w.is_empty() && !["auto", "none"].contains(w));
    let learner = learner.filter(|_| named.all(hands_on));
    let words = text.split(',').map(str::trim).filter(|w| !w.is_empty()).flat_map(|word| match word {
        "auto" => automatic(data, learner),
        "none" if text.trim() == "none" => vec![],
        word => vec![word.to_string()],
    });
    let steps = words.map(|word| step(&word)).collect::<Result<Vec<_>>>()?;
    check_order(&steps)?;
    match data.inputs {
        Inputs::Table(_) => {
            let leading = steps.iter().take_while(|(_, s)| s.holds_tables()).count();
            let (mut encoding, rest): (Vec<_>, Vec<_>) = steps.into_iter().partition(|(_, s)| s.takes_tables());
            if encoding.is_empty() {
                encoding.push(step("one-hot")?);
            }
            let words: Vec<&str> = encoding.iter().map(|(word, _)| word.as_str()).collect();
            let first = (words.join(","), Step::Machine(Box::new(joined(&encoding)?)));
            let mut steps = rest;
            steps.insert(leading, first);
            Ok(steps)
        }
        Inputs::Points(_) => match steps.iter().find(|(_, s)| s.takes_tables() && !takes_points(s.name())) {
            Some((word, _)) => {
                Err(Error::parameter("prepare", word, "these data are numbers already; leave this step out"))
            }
            None => Ok(steps),
        },
    }
}

/// The encoding that steps of a table make together.
fn joined(steps: &[(String, Step)]) -> Result<Encode> {
    let learner = |(_, step): &'_ (String, Step)| match step {
        Step::Machine(learner) => Some(learner.boxed()),
        Step::Wrapper(_) => None,
    };
    let learners: Vec<Box<dyn Learner>> = steps.iter().filter_map(learner).collect();
    join(&learners.iter().map(|l| &**l).collect::<Vec<_>>())
}

/// The encoding that a step of a table, possibly joined with commas, stands for; none if it is another kind of step.
pub(crate) fn table_steps(words: &str) -> Result<Option<Encode>> {
    let steps = words.split(',').map(step).collect::<Result<Vec<_>>>()?;
    match steps.iter().all(|(_, s)| s.takes_tables()) {
        true => joined(&steps).map(Some),
        false => Ok(None),
    }
}

/// Whether a step, possibly joined with commas, only encodes a table or hands its rows on.
pub(crate) fn hands_on(words: &str) -> bool {
    words.split(',').all(|word| step(word).is_ok_and(|(_, s)| s.takes_tables() || s.holds_tables()))
}

/// A step that splits the rows must not come after one that makes new rows out of others.
fn check_order(steps: &[(String, Step)]) -> Result<()> {
    let mut maker = None;
    for (word, step) in steps {
        let Step::Wrapper(wrapper) = step else { continue };
        if let (Some(maker), true) = (maker, wrapper.splits_rows()) {
            let must = format!("must come before {maker}: it would hold out rows whose kin it learns from");
            return Err(Error::parameter("prepare", word, must));
        }
        maker = maker.or(wrapper.makes_rows().then_some(word));
    }
    Ok(())
}

fn step(word: &str) -> Result<(String, Step)> {
    let all = || STEPS.iter().map(|e| e.name).chain(WRAPPERS.iter().map(|e| e.name));
    let mut parts = word.split(':');
    let head = parts.next().unwrap_or(word);
    let (name, value) = match head.split_once('=') {
        Some((name, value)) => match all().find(|known| *known == format!("{name}-{value}")) {
            Some(known) => (known, None),
            None => (name, Some(value)),
        },
        None => (head, None),
    };
    let mut step = if let Some(entry) = WRAPPERS.iter().find(|e| e.name == name) {
        Step::Wrapper((entry.make)())
    } else if STEPS.iter().any(|e| e.name == name) {
        Step::Machine(KNOWN.learner(name)?)
    } else {
        let near = base::nearest(name, all()).map_or(String::new(), |n| format!("; did you mean {n}?"));
        let names: Vec<&str> = all().collect();
        return Err(Error::parameter("prepare", name, format!("the steps are auto, none, {}{near}", names.join(", "))));
    };
    let settings = step.settings();
    if let Some(value) = value {
        let params = settings.params();
        let Some(first) = params.first() else {
            return Err(Error::parameter("prepare", word, format!("{name} has no settings")));
        };
        settings.set_text(first.name, value).map_err(|e| more_words(name, e))?;
    }
    for setting in parts {
        let (key, value) = setting.split_once('=').unwrap_or((setting, "true"));
        settings.set_text(key, value)?;
    }
    Ok((word.to_string(), step))
}

/// An error about the first setting of a step, with the words that mean a step of their own.
fn more_words(name: &str, error: Error) -> Error {
    let start = format!("{name}-");
    let more: Vec<&str> = crate::STEPS.iter().filter_map(|e| e.name.strip_prefix(&start)).collect();
    match error {
        Error::Parameter { name, value, must } if !more.is_empty() => {
            Error::Parameter { name, value, must: format!("{must}, or a method of its own: {}", more.join(", ")) }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Cells, Column, Table, Targets};

    fn table(values: Vec<f64>) -> Dataset {
        let column = Column { name: "x".into(), cells: Cells::Number(values.into()) };
        Dataset::new(Table::new(vec![column]).unwrap(), Targets::None)
    }

    fn names(text: &str, data: &Dataset) -> std::result::Result<String, String> {
        let steps = prepare_steps(text, data, None).map_err(|e| e.to_string())?;
        Ok(steps.iter().map(|(w, _)| w.as_str()).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn words_become_steps() {
        let full = table(vec![1.0, 2.0]);
        let holed = table(vec![1.0, f64::NAN]);
        let points = testkit::toy_classes(1);
        assert_eq!(names("auto", &full).as_deref(), Ok("one-hot scale"));
        assert_eq!(names("auto", &holed).as_deref(), Ok("one-hot impute scale"));
        assert_eq!(names("auto", &points).as_deref(), Ok(""));
        assert_eq!(names("none", &full).as_deref(), Ok("one-hot"));
        assert_eq!(names("impute=zero, one-hot=ignore", &full).as_deref(), Ok("one-hot=ignore impute=zero"));
        let shown = |text: &str| format!("{:?}", prepare_steps(text, &points, None).unwrap()[0].1);
        assert!(
            shown("scale:center=false:deviation").contains("(\"center\", Flag(false)), (\"deviation\", Flag(true))")
        );
        assert!(shown("smote=3:ratio=0.5").contains("(\"k\", Whole(3)), (\"ratio\", Number(0.5))"));
        assert_eq!(names("calibrate,auto", &holed).as_deref(), Ok("calibrate one-hot impute scale"));
        assert_eq!(names("calibrate", &full).as_deref(), Ok("calibrate one-hot"));
        assert_eq!(names("scale,calibrate", &full).as_deref(), Ok("one-hot scale calibrate"));
        let left_out = |text: &str, machine: &str| left_out(text, &holed, &*KNOWN.learner(machine).unwrap()).unwrap();
        assert_eq!(left_out("calibrate", "knn"), ["impute", "scale"]);
        assert_eq!(left_out("calibrate", "forest"), [""; 0]);
        assert_eq!(left_out("smote", "forest"), ["impute", "scale"]);
        assert_eq!(left_out("calibrate,auto", "knn"), [""; 0]);
        assert_eq!(left_out("scale,calibrate", "knn"), [""; 0]);
        assert_eq!(names("auto,smote", &holed).as_deref(), Ok("one-hot impute scale smote"));
        assert!(
            shown("impute=knn:k=7:weighting=distance")
                .contains("impute-knn [(\"k\", Whole(7)), (\"weighting\", Text(\"distance\"))]")
        );
        assert!(shown("impute=median:indicator").contains("(\"indicator\", Flag(true))"));
        assert!(names("impute=mode", &full).unwrap_err().contains("a method of its own: knn, hot-deck"));
        assert!(names("scael", &full).unwrap_err().contains("did you mean scale?"));
        assert!(names("impute=mode", &full).unwrap_err().contains("must be one of mean, median, zero"));
        assert!(names("one-hot", &points).unwrap_err().contains("numbers already"));
        assert!(names("knn", &points).is_err());
        assert!(names("smoet", &points).unwrap_err().contains("did you mean smote?"));
        assert!(names("smote=0", &points).unwrap_err().contains("at least 1"));
        assert!(names("smote,scale,forward", &points).unwrap_err().contains("must come before smote"));
        assert_eq!(names("forward,smote", &points).as_deref(), Ok("forward smote"));
        // Steps of a table join to the first, in whatever order they come.
        assert_eq!(
            names("scale,ordinal,tf-idf:least=2:grams=2", &full).as_deref(),
            Ok("ordinal,tf-idf:least=2:grams=2 scale")
        );
        assert!(
            names("ordinal,one-hot", &full).unwrap_err().contains("ordinal says already what becomes of categories")
        );
        assert_eq!(names("resize=8x8", &points).as_deref(), Ok("resize=8x8"));
        assert!(names("center=1", &points).unwrap_err().contains("no settings"));
    }

    #[test]
    fn d21_auto_asks_the_machine_what_it_takes() {
        let holed = table(vec![1.0, f64::NAN]);
        let bare = Dataset::new(base::Points::from_rows(&[[1.0], [f64::NAN]]).unwrap(), Targets::None);
        let words = |text: &str, data: &Dataset, machine: &str| {
            let learner = KNOWN.learner(machine).unwrap();
            prepared(text, data, learner).unwrap().0.join(" ")
        };
        for machine in ["tree", "forest"] {
            assert_eq!(words("auto", &holed, machine), "one-hot");
            assert_eq!(words("auto", &bare, machine), "");
            assert_eq!(words("calibrate,auto", &holed, machine), "calibrate one-hot");
            assert_eq!(words("auto,dates=seconds", &holed, machine), "one-hot,dates=seconds");
            // Neighbours and directions mind scales whatever comes after them.
            assert_eq!(words("auto,smote", &holed, machine), "one-hot impute scale smote");
            assert_eq!(words("auto,pca=1", &holed, machine), "one-hot impute scale pca=1");
        }
        for machine in ["knn", "linear-regression", "logistic", "svc", "mlp"] {
            assert_eq!(words("auto", &holed, machine), "one-hot impute scale");
            assert_eq!(words("auto", &bare, machine), "impute");
        }
    }

    struct Kept(std::sync::Mutex<Vec<base::Record>>);

    impl base::Checkpoint for Kept {
        fn due(&self) -> bool {
            true
        }

        fn keep(&self, record: base::Record) -> Result<()> {
            self.0.lock().unwrap().push(record);
            Ok(())
        }
    }

    #[test]
    fn t6_checkpoints_of_a_calibrated_fit_are_those_of_all_rows() {
        let data = testkit::toy_classes(1);
        let kept = |steps: &str| {
            let kept = Kept(Default::default());
            let run = Run { catalog: &KNOWN, checkpoint: Some(&kept), ..Run::quiet(1) };
            let (_, learner) = prepared(steps, &data, KNOWN.learner("logistic").unwrap()).unwrap();
            learner.fit(&data, None, &run).unwrap();
            kept.0.into_inner().unwrap()
        };
        let plain = kept("none");
        assert!(!plain.is_empty());
        assert_eq!(kept("calibrate"), plain, "folds keep nothing");
    }

    #[test]
    fn lists_are_folded_from_the_right_and_settings_stay_in_reach() {
        let data = testkit::toy_classes(1);
        let run = Run { catalog: &KNOWN, ..Run::quiet(1) };
        let (words, mut learner) = prepared("scale,smote,pca=2", &data, KNOWN.learner("knn").unwrap()).unwrap();
        assert_eq!(words, ["scale", "smote", "pca=2"]);
        learner.set_text("k", "3").unwrap();
        assert_eq!(learner.get("k").unwrap().to_string(), "3");
        assert_eq!(learner.name(), "knn");
        let fitted = learner.fit(&data, None, &run).unwrap();
        // Nothing of the resampling is left but what it says of itself and the rows that were made.
        let record = fitted.machine.record();
        let kinds: Vec<&str> = record.parts("machines").unwrap().iter().map(|r| r.kind()).collect();
        assert_eq!(kinds, ["affine", "chain"]);
        assert_eq!(fitted.certificate.facts.get("smote: rows made of cat"), Some(&base::Fact::Number(12.0)));
        assert_eq!(fitted.machine.support().unwrap().points, 75);
        let (_, filled) = prepared("impute,smote,pca=2", &data, KNOWN.learner("knn").unwrap()).unwrap();
        testkit::check_learner(&*filled, &data, &KNOWN);
    }

    #[test]
    fn a_plan_meets_the_data_before_the_first_wrapping_step() {
        let data = testkit::toy_classes(1);
        let run = Run { catalog: &KNOWN, ..Run::quiet(1) };
        let knn = || KNOWN.learner("knn").unwrap();
        let (met, rest) = partly_prepared("pca=2,shift,scale", &data, knn(), &run).unwrap();
        assert_eq!(met.inputs.columns(), 2);
        let (_, bare) = partly_prepared("pca=2", &data, knn(), &run).unwrap();
        let size = base::Size::of(&met);
        assert!(rest.plan(&size).fit > 2.0 * bare.plan(&size).fit, "copies make work");
    }
}
