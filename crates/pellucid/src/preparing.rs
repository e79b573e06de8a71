//! From `--prepare scale,impute=mean` to learners.
//!
//! A step is `name`, `name=value` (its first setting) or `name:setting=value`, further settings after further colons.
//! Steps that make points of a table (`one-hot`, `ordinal`, `tf-idf`, `resize`, ...) each speak of one kind of column;
//! wherever they stand, they join to one encoding, the first step. `auto` looks at the data (see `automatic.rs`);
//! `none` does only what must be done.

use crate::KNOWN;
use crate::automatic::automatic;
use base::{Catalog, Dataset, Error, Inputs, Learner, Result};
use prepare::{Encode, join, table_step, takes_points};

/// The steps that `text` asks for on `data`, with how each would be written; a joined one is written with commas.
pub fn prepare_steps(text: &str, data: &Dataset) -> Result<Vec<(String, Box<dyn Learner>)>> {
    let words: Vec<String> = match text.trim() {
        "auto" => automatic(data),
        "none" => vec![],
        list => list.split(',').map(|w| w.trim().to_string()).filter(|w| !w.is_empty()).collect(),
    };
    let steps = words.iter().map(|w| step(w)).collect::<Result<Vec<_>>>()?;
    match data.inputs {
        Inputs::Table(_) => {
            let (mut encoding, rest): (Vec<_>, Vec<_>) = steps.into_iter().partition(|(_, s)| table_step(s.name()));
            if encoding.is_empty() {
                encoding.push(step("one-hot")?);
            }
            let words: Vec<&str> = encoding.iter().map(|(word, _)| word.as_str()).collect();
            let learners: Vec<&dyn Learner> = encoding.iter().map(|(_, step)| &**step).collect();
            let first: (String, Box<dyn Learner>) = (words.join(","), Box::new(join(&learners)?));
            Ok(std::iter::once(first).chain(rest).collect())
        }
        Inputs::Points(_) => match steps.iter().find(|(_, s)| !takes_points(s.name())) {
            Some((word, _)) => {
                Err(Error::parameter("prepare", word, "these data are numbers already; leave this step out"))
            }
            None => Ok(steps),
        },
    }
}

/// The encoding that a step of a table, possibly joined with commas, stands for; none if it is another kind of step.
pub(crate) fn table_steps(words: &str) -> Result<Option<Encode>> {
    let steps = words.split(',').map(step).collect::<Result<Vec<_>>>()?;
    if !steps.iter().all(|(_, s)| table_step(s.name())) {
        return Ok(None);
    }
    join(&steps.iter().map(|(_, s)| &**s).collect::<Vec<_>>()).map(Some)
}

fn step(word: &str) -> Result<(String, Box<dyn Learner>)> {
    let mut settings = word.split(':');
    let head = settings.next().unwrap_or(word);
    let (name, first) = match head.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (head, None),
    };
    if !crate::STEPS.iter().any(|e| e.name == name) {
        let names: Vec<&str> = crate::STEPS.iter().map(|e| e.name).collect();
        let near = base::nearest(name, names.iter().copied()).map_or(String::new(), |n| format!("; did you mean {n}?"));
        return Err(Error::parameter("prepare", name, format!("the steps are auto, none, {}{near}", names.join(", "))));
    }
    let mut learner = KNOWN.learner(name)?;
    if let Some(value) = first {
        let params = learner.params();
        let Some(first) = params.first() else {
            return Err(Error::parameter("prepare", word, format!("{name} has no settings")));
        };
        learner.set_text(first.name, value)?;
    }
    for setting in settings {
        let (key, value) = setting.split_once('=').unwrap_or((setting, "true"));
        learner.set_text(key, value)?;
    }
    Ok((word.to_string(), learner))
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
        let steps = prepare_steps(text, data).map_err(|e| e.to_string())?;
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
        let steps = prepare_steps("scale:center=false", &points).unwrap();
        assert_eq!(steps[0].1.get("center").unwrap().to_string(), "false");
        assert!(names("scael", &full).unwrap_err().contains("did you mean scale?"));
        assert!(names("impute=mode", &full).unwrap_err().contains("must be one of mean, median, zero"));
        assert!(names("one-hot", &points).unwrap_err().contains("numbers already"));
        assert!(names("knn", &points).is_err());
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
}
