//! Settings of Python as settings of ours. None stands for the default; `_` in a word is as good as `-`.

use crate::catalog::Everything;
use crate::errors::raise;
use pellucid::{Error, Kind, Param, Settings, Spec, Value, find_setting, number_text};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyTuple};

/// The name of a setting in Python, and whether it is the inverse of ours.
pub fn python_name(param: &Param) -> (&'static str, bool) {
    match param.python.strip_prefix("1/") {
        Some(name) => (name, true),
        None => (param.python, false),
    }
}

/// Puts the value of a setting, or its inverse, into a dictionary; a learner as its text.
pub fn put(dict: &Bound<'_, PyDict>, name: &str, value: &Value, inverse: bool) -> PyResult<()> {
    match value {
        Value::Number(x) => dict.set_item(name, if inverse { 1.0 / x } else { *x }),
        Value::Whole(x) => dict.set_item(name, x),
        Value::Flag(x) => dict.set_item(name, x),
        Value::Text(x) => dict.set_item(name, x),
        Value::List(x) => dict.set_item(name, PyTuple::new(dict.py(), x)?),
        Value::Learner(x) => dict.set_item(name, x.to_string()),
    }
}

/// Sets what a dictionary says, by the names of Python; gives what was set, by our names.
pub fn apply(learner: &mut (impl Settings + ?Sized), settings: &Bound<'_, PyDict>) -> PyResult<Vec<(String, Value)>> {
    let params = learner.params();
    let mut given = vec![];
    for (name, value) in settings {
        let name: String = name.extract()?;
        let param = match params.iter().find(|p| python_name(p).0 == name) {
            Some(param) => param,
            None => find_setting(&params, &name).map_err(raise)?,
        };
        if value.is_none() {
            continue;
        }
        let value = convert(param, &value)?;
        learner.set(param.name, value.clone()).map_err(|e| raise(renamed(e, &params)))?;
        given.push((param.name.to_string(), value));
    }
    Ok(given)
}

/// An error that calls a setting by its name in Python.
pub fn renamed(error: Error, params: &[Param]) -> Error {
    match error {
        Error::Parameter { name, value, must } => match params.iter().find(|p| p.name == name) {
            Some(param) => {
                let (python, inverse) = python_name(param);
                let name = if inverse { format!("1 / {python}") } else { python.to_string() };
                Error::Parameter { name, value, must }
            }
            None => Error::Parameter { name, value, must },
        },
        other => other,
    }
}

/// A value of Python as the kind that a setting takes.
fn convert(param: &Param, value: &Bound<'_, PyAny>) -> PyResult<Value> {
    let (name, inverse) = python_name(param);
    let refuse = |must: &str| {
        let shown = value.repr().map_or_else(|_| "?".to_string(), |r| r.to_string());
        PyTypeError::new_err(format!("{name} = {shown}: must be {must}"))
    };
    let flag = value.is_instance_of::<PyBool>() || value.get_type().name().is_ok_and(|n| n == "bool");
    let number = |v: &Bound<'_, PyAny>| v.extract::<f64>();
    Ok(match param.kind {
        Kind::Flag => Value::Flag(value.is_truthy().ok().filter(|_| flag).ok_or_else(|| refuse("True or False"))?),
        Kind::Number | Kind::Whole if flag => return Err(refuse("a number")),
        Kind::Number => {
            let x = number(value).map_err(|_| refuse("a number"))?;
            Value::Number(if inverse { 1.0 / x } else { x })
        }
        Kind::Whole => match (value.extract::<i64>(), number(value)) {
            (Ok(x), _) => Value::Whole(x),
            (_, Ok(x)) if x == x.trunc() && x.abs() < 1e15 => Value::Whole(x as i64),
            _ => return Err(refuse("a whole number")),
        },
        Kind::Choice(words) => {
            let word: String = value.extract().map_err(|_| refuse(&format!("one of {}", words.join(", "))))?;
            let known = |w: &str| words.contains(&w) || param.aliases.iter().any(|(alias, _)| *alias == w);
            let dashed = word.replace('_', "-");
            Value::Text(if !known(&word) && known(&dashed) { dashed } else { word })
        }
        Kind::Text => match (value.extract::<String>(), number(value)) {
            (Ok(text), _) => Value::Text(text),
            (_, Ok(x)) if !flag => Value::Text(number_text(x)),
            _ => return Err(refuse("a text")),
        },
        // A dictionary from class to weight, or the text of the command line.
        Kind::ClassWeight => match value.cast::<PyDict>() {
            Ok(dict) => {
                let one = |(name, weight): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
                    Ok(format!("{}={}", name.str()?, number_text(number(&weight)?)))
                };
                let parts: Vec<String> = dict.iter().map(one).collect::<PyResult<_>>()?;
                Value::Text(parts.join(","))
            }
            Err(_) => Value::Text(value.extract().map_err(|_| refuse("'balanced' or a dict from class to weight"))?),
        },
        Kind::NumberOr(words) => {
            let must = || format!("a number or one of {}", words.join(", "));
            let text = match (value.extract::<String>(), number(value)) {
                (Ok(text), _) => text,
                (_, Ok(x)) if !flag => return Ok(Value::Number(x)),
                _ => return Err(refuse(&must())),
            };
            // A number in quotation marks is one, as it is on the command line.
            return param.parse(&text).map_err(|e| raise(renamed(e, std::slice::from_ref(param))));
        }
        Kind::Learner => {
            let text: String = value.extract().map_err(|_| refuse("a learner as a text, such as 'knn:k=3'"))?;
            Value::Learner(Spec::parse(&text, &Everything).map_err(raise)?)
        }
        Kind::List => match (value.extract::<Vec<f64>>(), number(value)) {
            (Ok(list), _) => Value::List(list),
            (_, Ok(x)) => Value::List(vec![x]),
            _ => return Err(refuse("numbers")),
        },
    })
}
