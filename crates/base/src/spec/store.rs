//! Specs and the values of settings as plain data, each with its type, so that no catalog is needed to read them.

use super::Spec;
use crate::{Field, Record, Result, Value};

impl Spec {
    const KIND: &'static str = "spec";

    /// The spec as plain data.
    pub fn record(&self) -> Record {
        let settings = self.settings.iter().map(|(name, value)| {
            let record = Record::new("setting", 1).with("name", name.as_str());
            match value {
                Value::Number(x) => record.with("value", *x),
                Value::Whole(x) => record.with("value", *x),
                Value::Flag(x) => record.with("value", *x),
                Value::Text(x) => record.with("value", x.as_str()),
                Value::List(x) => record.with_array("value", &[x.len()], x.clone()),
                Value::Learner(x) => record.with("value", x.record()),
            }
        });
        Record::new(Self::KIND, 1)
            .with("name", self.name.as_str())
            .with("short", self.short)
            .with("settings", settings.collect::<Vec<_>>())
            .with("before", self.before.iter().map(Spec::record).collect::<Vec<_>>())
    }

    /// A spec from plain data.
    pub fn read(record: &Record) -> Result<Self> {
        record.expect(Self::KIND, 1)?;
        let setting = |one: &Record| -> Result<(String, Value)> {
            one.expect("setting", 1)?;
            let value = match one.fields().get("value") {
                Some(Field::Number(x)) => Value::Number(*x),
                Some(Field::Whole(x)) => Value::Whole(*x),
                Some(Field::Flag(x)) => Value::Flag(*x),
                Some(Field::Text(x)) => Value::Text(x.clone()),
                Some(Field::Part(x)) => Value::Learner(Spec::read(x)?),
                _ => match one.array("value")? {
                    (&[count], _) => Value::List(one.array_of("value", &[count])?),
                    (shape, _) => return Err(one.broken(format!("a list of numbers has shape {shape:?}"))),
                },
            };
            Ok((one.text("name")?.to_string(), value))
        };
        Ok(Spec {
            name: record.text("name")?.to_string(),
            short: record.flag("short")?,
            settings: record.parts("settings")?.iter().map(setting).collect::<Result<_>>()?,
            before: record.parts("before")?.iter().map(Spec::read).collect::<Result<_>>()?,
        })
    }
}
