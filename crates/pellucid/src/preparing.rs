//! From `--prepare scale,impute=mean` to learners.
//!
//! A step is an item of a [`base::Spec`]: `name` or `name=value` (its first setting), with further settings behind colons:
//! `smote=3:ratio=0.5`, `impute=knn:k=7` for `impute-knn:k=7`. Steps that make points of a table (`one-hot`, `ordinal`,
//! `tf-idf`, `resize`, ...) each speak of one
//! kind of column; wherever they stand, they join to one encoding, the first step but for `calibrate` and `conformal`,
//! which stay in front if they stand there, so that the encoding too is fitted without the rows they judge by. `auto` looks at the data (see
//! `automatic.rs`) and asks the machine; in a list it stands for the steps it would choose. `none` does only what must be
//! done.
//!
//! A wrapping step holds all that comes after it, the machine included, so the list is folded from the right:
//! `scale,smote,pca` before `logistic` is a pipeline of `scale` and of `smote` holding the pipeline of `pca` and `logistic`.

use crate::automatic::automatic;
use crate::catalog::step_names;
use crate::{KNOWN, WRAPPERS};
use base::{
    Catalog, Dataset, Error, Inputs, Learner, Machine, Record, Result, Run, Spec, SpecPart, folded, spec_items,
};
use prepare::{Encode, join, table_step, takes_points};
use std::sync::Arc;

/// A step with what it stands for.
pub type PreparationPart = (Spec, SpecPart);

/// The catalog as `--prepare` sees it: steps alone, by their own names.
struct Steps;

impl Catalog for Steps {
    fn learner(&self, name: &str) -> Result<Box<dyn Learner>> {
        KNOWN.learner(name)
    }

    fn machine(&self, record: &Record) -> Result<Arc<dyn Machine>> {
        KNOWN.machine(record)
    }

    fn part(&self, name: &str) -> Result<SpecPart> {
        if step_names().any(|known| known == name) {
            return KNOWN.part(name);
        }
        let near = base::nearest(name, step_names()).map_or(String::new(), |n| format!("; did you mean {n}?"));
        let names: Vec<&str> = step_names().collect();
        Err(Error::parameter("prepare", name, format!("the steps are auto, none, {}{near}", names.join(", "))))
    }

    fn names(&self) -> Vec<&'static str> {
        step_names().collect()
    }
}

/// One step as it is written after `--prepare`, several that make one with commas between them.
pub fn parse_step(text: &str) -> Result<Spec> {
    let steps = spec_items(text).into_iter().map(|item| Spec::parse_step(item, &Steps)).collect::<Result<Vec<_>>>()?;
    Spec::joined(steps).ok_or_else(|| Error::parameter("prepare", text, "names no step"))
}

/// A word of the list.
enum Word {
    Auto,
    Step(Spec),
}

/// The words of a list, `none` alone being none.
fn words(text: &str) -> Result<Vec<Word>> {
    if text.trim() == "none" {
        return Ok(vec![]);
    }
    let mut words = vec![];
    for item in spec_items(text) {
        match item {
            "auto" => words.push(Word::Auto),
            // Steps in parentheses are sorted out as if they stood without.
            item => words.extend(Spec::parse_step(item, &Steps)?.parts().into_iter().map(Word::Step)),
        }
    }
    Ok(words)
}

/// The learner that prepares as `text` asks and then does what `learner` does, with the steps.
///
/// Its settings are those of `learner`.
pub fn prepared(text: &str, data: &Dataset, learner: Box<dyn Learner>) -> Result<(Vec<Spec>, Box<dyn Learner>)> {
    let (specs, parts): (Vec<Spec>, Vec<SpecPart>) = prepare_steps(text, data, Some(&*learner))?.into_iter().unzip();
    Ok((specs, folded(parts, learner)))
}

/// The steps that `auto` would take and a list that names only wrapping steps leaves out.
pub fn left_out(text: &str, data: &Dataset, learner: &dyn Learner) -> Result<Vec<Spec>> {
    let named = words(text)?;
    let wraps = |spec: &Spec| WRAPPERS.iter().any(|e| e.name == spec.name);
    if named.is_empty() || !named.iter().all(|word| matches!(word, Word::Step(spec) if wraps(spec))) {
        return Ok(vec![]);
    }
    let usual = prepare_steps(&format!("{text},auto"), data, Some(learner))?;
    // The encoding of a table is there whether it is named or not.
    let usual = usual.into_iter().map(|(spec, _)| spec).filter(|spec| !wraps(spec));
    Ok(usual.filter(|spec| encoding(spec).is_ok_and(|encoding| encoding.is_none())).collect())
}

/// The data as the steps before the first wrapping one leave them, and the learner that is still to be fitted to them.
pub fn partly_prepared(
    text: &str,
    data: &Dataset,
    learner: Box<dyn Learner>,
    run: &Run<'_>,
) -> Result<(Dataset, Box<dyn Learner>)> {
    let mut data = data.clone();
    let mut steps = prepare_steps(text, &data, Some(&*learner))?.into_iter().map(|(_, part)| part).peekable();
    while let Some(SpecPart::Step(step)) = steps.next_if(|part| matches!(part, SpecPart::Step(_))) {
        let machine = step.fit(&data, None, run)?.machine;
        let points = machine.compute(&data.inputs, run)?;
        data = data.with_inputs(points, machine.outputs().as_features());
    }
    Ok((data, folded(steps.collect(), learner)))
}

/// The steps that `text` asks for on `data` before `learner`; those that encode a table are one.
///
/// `auto` asks the learner what it takes only where nothing but rows comes between the two: other steps (neighbours of
/// `smote`, directions of `pca`) mind scales and gaps by themselves.
pub fn prepare_steps(text: &str, data: &Dataset, learner: Option<&dyn Learner>) -> Result<Vec<PreparationPart>> {
    let words = words(text)?;
    let passes = |word: &Word| match word {
        Word::Auto => true,
        Word::Step(spec) => hands_on(spec),
    };
    let learner = learner.filter(|_| words.iter().all(passes));
    let specs = words.into_iter().flat_map(|word| match word {
        Word::Auto => automatic(data, learner),
        Word::Step(spec) => vec![spec],
    });
    let steps = specs.map(|spec| spec.part(&Steps).map(|part| (spec, part))).collect::<Result<Vec<_>>>()?;
    check_order(&steps)?;
    match data.inputs {
        Inputs::Table(_) => {
            let leading = steps.iter().take_while(|(_, part)| holds_tables(part)).count();
            let (encoding, rest): (Vec<_>, Vec<_>) = steps.into_iter().partition(|(spec, _)| table_step(&spec.name));
            let encoding = Spec::joined(encoding.into_iter().map(|(spec, _)| spec).collect());
            let encoding = encoding.unwrap_or_else(|| Spec::named("one-hot"));
            let first = SpecPart::Step(Box::new(encoded(&encoding)?));
            let mut steps = rest;
            steps.insert(leading, (encoding, first));
            Ok(steps)
        }
        Inputs::Points(_) => match steps.iter().find(|(s, _)| table_step(&s.name) && !takes_points(&s.name)) {
            Some((spec, _)) => {
                Err(Error::parameter("prepare", spec, "these data are numbers already; leave this step out"))
            }
            None => Ok(steps),
        },
    }
}

/// The encoding that steps of a table make together.
fn encoded(steps: &Spec) -> Result<Encode> {
    let learners = steps.parts().iter().map(|step| step.build(&KNOWN)).collect::<Result<Vec<_>>>()?;
    join(&learners.iter().map(|l| &**l).collect::<Vec<_>>())
}

/// The encoding that a step of a table, possibly joined, stands for; none if it is another kind of step.
pub(crate) fn encoding(spec: &Spec) -> Result<Option<Encode>> {
    match spec.parts().iter().all(|step| table_step(&step.name)) {
        true => encoded(spec).map(Some),
        false => Ok(None),
    }
}

fn holds_tables(part: &SpecPart) -> bool {
    matches!(part, SpecPart::Wrapper(step) if step.takes_tables())
}

/// Whether a step, possibly joined, only encodes a table or hands its rows on.
pub(crate) fn hands_on(spec: &Spec) -> bool {
    let one = |step: &Spec| table_step(&step.name) || step.part(&Steps).is_ok_and(|part| holds_tables(&part));
    spec.parts().iter().all(one)
}

/// A step that splits the rows must not come after one that makes new rows out of others.
fn check_order(steps: &[PreparationPart]) -> Result<()> {
    let mut maker = None;
    for (spec, part) in steps {
        let SpecPart::Wrapper(wrapper) = part else { continue };
        if let (Some(maker), true) = (maker, wrapper.splits_rows()) {
            let must = format!(
                "must come before {maker}: it would hold out rows whose synthetic copies are in \
                 the training set"
            );
            return Err(Error::parameter("prepare", spec, must));
        }
        maker = maker.or(wrapper.makes_rows().then_some(spec));
    }
    Ok(())
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
        Ok(shown(steps.iter().map(|(spec, _)| spec)))
    }

    fn shown<'a>(specs: impl Iterator<Item = &'a Spec>) -> String {
        specs.map(Spec::to_string).collect::<Vec<_>>().join(" ")
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
        let debug = |text: &str| format!("{:?}", prepare_steps(text, &points, None).unwrap()[0].1);
        assert!(debug("scale:center=false:std").contains("(\"center\", Flag(false)), (\"std\", Flag(true))"));
        assert!(debug("smote=3:ratio=0.5").contains("(\"k\", Whole(3)), (\"ratio\", Number(0.5))"));
        assert_eq!(names("calibrate,auto", &holed).as_deref(), Ok("calibrate one-hot impute scale"));
        assert_eq!(names("calibrate", &full).as_deref(), Ok("calibrate one-hot"));
        assert_eq!(names("scale,calibrate", &full).as_deref(), Ok("one-hot scale calibrate"));
        let left_out = |text: &str, machine: &str| {
            shown(left_out(text, &holed, &*KNOWN.learner(machine).unwrap()).unwrap().iter())
        };
        assert_eq!(left_out("calibrate", "knn"), "impute scale");
        assert_eq!(left_out("calibrate", "forest"), "");
        assert_eq!(left_out("smote", "forest"), "impute scale");
        assert_eq!(left_out("calibrate,auto", "knn"), "");
        assert_eq!(left_out("scale,calibrate", "knn"), "");
        assert_eq!(names("auto,smote", &holed).as_deref(), Ok("one-hot impute scale smote"));
        assert!(
            debug("impute=knn:k=7:weighting=distance")
                .contains("impute-knn [(\"k\", Whole(7)), (\"weighting\", Text(\"distance\"))]")
        );
        assert!(debug("impute=median:indicator").contains("(\"indicator\", Flag(true))"));
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
            names("scale,ordinal,tf-idf:min_df=2:ngrams=2", &full).as_deref(),
            Ok("ordinal,tf-idf:min_df=2:ngrams=2 scale")
        );
        assert!(names("ordinal,one-hot", &full).unwrap_err().contains("ordinal already encodes categories"));
        assert_eq!(names("resize=8x8", &points).as_deref(), Ok("resize=8x8"));
        assert!(names("center=1", &points).unwrap_err().contains("no settings"));
    }

    #[test]
    fn d21_auto_asks_the_machine_what_it_takes() {
        let holed = table(vec![1.0, f64::NAN]);
        let bare = Dataset::new(base::Points::from_rows(&[[1.0], [f64::NAN]]).unwrap(), Targets::None);
        let words = |text: &str, data: &Dataset, machine: &str| {
            let learner = KNOWN.learner(machine).unwrap();
            shown(prepared(text, data, learner).unwrap().0.iter())
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
        let (specs, mut learner) = prepared("scale,smote,pca=2", &data, KNOWN.learner("knn").unwrap()).unwrap();
        assert_eq!(shown(specs.iter()), "scale smote pca=2");
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
