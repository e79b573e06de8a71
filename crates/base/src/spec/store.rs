//! Specs as plain data: settings with their types, so that no catalog is needed to read them.
//!
//! Names, types and values stand in three lists of texts: a learner has dozens of settings, and a record for each would be
//! most of a small model file. Numbers are written shortest, which brings back the same bits.

use super::Spec;
use crate::{Record, Result, Value};

impl Spec {
    const KIND: &'static str = "spec";

    /// The spec as plain data.
    pub fn record(&self) -> Record {
        let list = |of: fn(&(String, Value)) -> String| self.settings.iter().map(of).collect::<Vec<_>>();
        let learners = self.settings.iter().filter_map(|(_, value)| match value {
            Value::Learner(spec) => Some(spec.record()),
            _ => None,
        });
        let (learners, before) =
            (learners.collect::<Vec<_>>(), self.before.iter().map(Spec::record).collect::<Vec<_>>());
        Record::new(Self::KIND, 1)
            .with("name", self.name.as_str())
            .with("short", self.short)
            .with("settings", list(|(name, _)| name.clone()))
            .with("types", list(|(_, value)| type_of(value).to_string()))
            .with("values", list(|(_, value)| text_of(value)))
            .with_some("learners", (!learners.is_empty()).then_some(learners))
            .with_some("before", (!before.is_empty()).then_some(before))
    }

    /// A spec from plain data.
    pub fn read(record: &Record) -> Result<Self> {
        record.expect(Self::KIND, 1)?;
        let parts = |name: &str| if record.has(name) { record.parts(name) } else { Ok(&[][..]) };
        let (names, types, values) = (record.texts("settings")?, record.texts("types")?, record.texts("values")?);
        let mut learners = parts("learners")?.iter();
        if names.len() != types.len() || names.len() != values.len() {
            return Err(record.broken("settings, types and values differ in number"));
        }
        let mut settings = vec![];
        for ((name, word), text) in names.iter().zip(types).zip(values) {
            let number = |text: &str| text.parse::<f64>().ok();
            let value = match word.as_str() {
                "number" => number(text).map(Value::Number),
                "whole" => text.parse().ok().map(Value::Whole),
                "flag" => text.parse().ok().map(Value::Flag),
                "text" => Some(Value::Text(text.clone())),
                "list" if text.is_empty() => Some(Value::List(vec![])),
                "list" => text.split(',').map(number).collect::<Option<_>>().map(Value::List),
                "learner" => learners.next().map(Spec::read).transpose()?.map(Value::Learner),
                _ => None,
            };
            let value = value.ok_or_else(|| record.broken(format!("setting {name:?}: {text:?} is not a {word}")))?;
            settings.push((name.clone(), value));
        }
        Ok(Spec {
            name: record.text("name")?.to_string(),
            short: record.flag("short")?,
            settings,
            notes: vec![],
            before: parts("before")?.iter().map(Spec::read).collect::<Result<_>>()?,
        })
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Number(_) => "number",
        Value::Whole(_) => "whole",
        Value::Flag(_) => "flag",
        Value::Text(_) => "text",
        Value::List(_) => "list",
        Value::Learner(_) => "learner",
    }
}

/// The value as text; a learner is a part of its own.
fn text_of(value: &Value) -> String {
    match value {
        Value::Learner(_) => String::new(),
        other => other.to_string(),
    }
}
