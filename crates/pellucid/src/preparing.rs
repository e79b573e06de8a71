//! From `--prepare scale,impute=mean` to learners.
//!
//! A step is `name`, `name=value` (its first setting) or `name:setting=value`, further settings after further colons;
//! where there is a step `name-value`, `name=value` means that one (`impute=knn:k=7` is `impute-knn:k=7`). A table is always encoded first. `auto`
//! looks at the data: a table is encoded, its gaps are filled and its columns scaled; points are left as they are,
//! except that gaps are filled. `none` does only what must be done.

use crate::KNOWN;
use base::{Buffer, Catalog, Cells, Dataset, Error, Inputs, Learner, Points, Result};

/// The steps that `text` asks for on `data`, with how each would be written.
pub fn prepare_steps(text: &str, data: &Dataset) -> Result<Vec<(String, Box<dyn Learner>)>> {
    let table = matches!(data.inputs, Inputs::Table(_));
    let words: Vec<&str> = match text.trim() {
        "auto" if table && has_gaps(data) => vec!["impute", "scale"],
        "auto" if table => vec!["scale"],
        "auto" if has_gaps(data) => vec!["impute"],
        "auto" | "none" | "" => vec![],
        list => list.split(',').map(str::trim).filter(|w| !w.is_empty()).collect(),
    };
    let mut steps = words.into_iter().map(step).collect::<Result<Vec<_>>>()?;
    if table {
        match steps.iter().position(|(_, s)| s.needs().table) {
            Some(0) => {}
            Some(i) => {
                let encode = steps.remove(i);
                steps.insert(0, encode);
            }
            None => steps.insert(0, step("one-hot")?),
        }
    } else if let Some((word, _)) = steps.iter().find(|(_, s)| s.needs().table) {
        return Err(Error::parameter("prepare", word, "these data are numbers already; leave this step out"));
    }
    Ok(steps)
}

fn step(word: &str) -> Result<(String, Box<dyn Learner>)> {
    let known = |name: &str| crate::STEPS.iter().any(|e| e.name == name);
    let mut parts = word.split(':');
    let head = parts.next().unwrap_or(word);
    let (name, first) = match head.split_once('=') {
        Some((name, value)) if known(&format!("{name}-{value}")) => (format!("{name}-{value}"), None),
        Some((name, value)) => (name.to_string(), Some(value)),
        None => (head.to_string(), None),
    };
    if !known(&name) {
        let names: Vec<&str> = crate::STEPS.iter().map(|e| e.name).collect();
        let near =
            base::nearest(&name, names.iter().copied()).map_or(String::new(), |n| format!("; did you mean {n}?"));
        return Err(Error::parameter("prepare", name, format!("the steps are auto, none, {}{near}", names.join(", "))));
    }
    let mut learner = KNOWN.learner(&name)?;
    if let (Some(value), Some(param)) = (first, learner.params().first()) {
        learner.set_text(param.name, value).map_err(|e| more_words(&name, e))?;
    }
    for setting in parts {
        let (key, value) = setting.split_once('=').unwrap_or((setting, "true"));
        learner.set_text(key, value)?;
    }
    Ok((word.to_string(), learner))
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

/// Whether a number is missing somewhere.
fn has_gaps(data: &Dataset) -> bool {
    match &data.inputs {
        Inputs::Table(table) => table
            .columns()
            .iter()
            .any(|c| matches!(c.cells, Cells::Number(_) | Cells::Date(_)) && c.cells.missing() > 0),
        Inputs::Points(Points::Dense(dense)) => match dense.values() {
            Buffer::F32(v) => v.iter().any(|x| x.is_nan()),
            Buffer::F64(v) => v.iter().any(|x| x.is_nan()),
        },
        Inputs::Points(Points::Sparse(_)) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Column, Table, Targets};

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
        let steps = prepare_steps("impute=knn:k=7:weighting=distance,impute=median:indicator", &points).unwrap();
        assert_eq!((steps[0].1.name(), steps[1].1.name()), ("impute-knn", "impute"));
        assert_eq!(steps[0].1.get("k").unwrap().to_string(), "7");
        assert_eq!(steps[0].1.get("weighting").unwrap().to_string(), "distance");
        assert_eq!(steps[1].1.get("indicator").unwrap().to_string(), "true");
        assert!(names("impute=mode", &full).unwrap_err().contains("a method of its own: knn, hot-deck"));
        assert!(names("scael", &full).unwrap_err().contains("did you mean scale?"));
        assert!(names("impute=mode", &full).unwrap_err().contains("must be one of mean, median, zero"));
        assert!(names("one-hot", &points).unwrap_err().contains("numbers already"));
        assert!(names("knn", &points).is_err());
    }
}
