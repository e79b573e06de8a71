//! A learner as a value: its name, its settings and the steps before it.
//!
//! There is one text form, read by [`Spec::parse`] and written by `Display`:
//!
//! ```text
//! spec    = { item "," } item                    scale,smote=3,svc:c=10:gamma=0.1
//! item    = name [ "=" value ] { ":" setting }   the value behind the name is that of the first setting
//!         | "(" spec ")"                         several steps that make one: (one-hot,tf-idf)
//! setting = name [ "=" value ]                   without a value: true
//! value   = plain text up to the next ":" or ","
//!         | "(" spec ")"                         a learner with signs of its own
//!         | '"' text '"'                         a text with signs of its own, "" for a quotation mark in it
//! ```
//!
//! Where the catalog knows `name-value`, `name=value` means that one (`impute=knn`). A name that the catalog calls a
//! learner proper, not a step, ends the list: all that follows belongs to it. There a comma begins a setting where the
//! name of one and `=` follow (`svc:c=10,gamma=0.1`), except within a text, and else is part of the value
//! (`mlp:hidden=100,50`). Names and settings are those of the catalog, with the other names it answers to; what is
//! written back are its own.

mod read;
mod store;

use crate::settings::meant;
use crate::{Catalog, Learner, Pipeline, Result, Settings, Value};
use std::fmt;

pub use read::items;

/// A learner or a step by name, with the settings that differ from its defaults and the steps before it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Spec {
    /// The name in the catalog.
    pub name: String,
    /// Settings that were given, in order.
    pub settings: Vec<(String, Value)>,
    /// Whether the first of them is written right behind the name: `smote=3`.
    pub short: bool,
    /// The steps before it, in order. Before a step that is itself before another, they make one step with it.
    pub before: Vec<Spec>,
    /// What should be told of how it was written: earlier names of settings.
    pub notes: Vec<String>,
}

/// What a name stands for in a spec.
#[derive(Debug, Clone)]
pub enum SpecPart {
    /// A learner proper, which ends a list.
    Learner(Box<dyn Learner>),
    /// A step whose machine travels with the model.
    Step(Box<dyn Learner>),
    /// A step that holds all that comes after it.
    Wrapper(Box<dyn Wrapping>),
}

/// A step that holds the learner made of everything after it.
pub trait Wrapping: Settings + Send + Sync {
    /// The name it is chosen by.
    fn name(&self) -> &'static str;

    /// The learner that it and the learner it holds are together.
    fn around(&self, learner: Box<dyn Learner>) -> Box<dyn Learner>;

    /// A copy with the same settings.
    fn boxed(&self) -> Box<dyn Wrapping>;

    /// Whether rows after it have kin among each other, so that they must not be split any more.
    fn makes_rows(&self) -> bool;

    /// Whether it splits the rows it is given, to judge by some of them.
    fn splits_rows(&self) -> bool;

    /// Whether it may stand before the encoding of a table, because it only hands rows on.
    fn takes_tables(&self) -> bool;
}

impl Clone for Box<dyn Wrapping> {
    fn clone(&self) -> Self {
        (**self).boxed()
    }
}

impl fmt::Debug for dyn Wrapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.name(), self.values())
    }
}

impl SpecPart {
    /// The name it is chosen by.
    pub fn name(&self) -> &'static str {
        match self {
            SpecPart::Learner(learner) | SpecPart::Step(learner) => learner.name(),
            SpecPart::Wrapper(step) => step.name(),
        }
    }

    /// Its settings, to look at and to change.
    pub fn settings(&mut self) -> &mut dyn Settings {
        match self {
            SpecPart::Learner(learner) | SpecPart::Step(learner) => &mut **learner,
            SpecPart::Wrapper(step) => &mut **step,
        }
    }
}

impl Spec {
    /// A learner with all its settings.
    pub fn of(learner: &dyn Learner) -> Self {
        let settings = learner.values().into_iter().map(|(name, value)| (name.to_string(), value)).collect();
        Spec { settings, ..Spec::named(learner.name()) }
    }

    /// A learner with its defaults.
    pub fn named(name: impl Into<String>) -> Self {
        Spec { name: name.into(), ..Spec::default() }
    }

    /// The same with one setting more.
    #[must_use]
    pub fn with(mut self, name: &str, value: Value) -> Self {
        self.settings.push((name.to_string(), value));
        self
    }

    /// The steps of a list as one: the last, with the others before it.
    pub fn joined(mut steps: Vec<Spec>) -> Option<Self> {
        let last = steps.pop()?;
        steps.extend(last.before.iter().cloned());
        Some(Spec { before: steps, ..last })
    }

    /// The steps that make this one.
    pub fn parts(&self) -> Vec<Spec> {
        let own = Spec { before: vec![], ..self.clone() };
        self.before.iter().cloned().chain([own]).collect()
    }

    /// A setting that was given.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.settings.iter().find(|(n, _)| n == name).map(|(_, value)| value)
    }

    /// The learner: bare, or behind the pipeline of its steps.
    pub fn build(&self, catalog: &dyn Catalog) -> Result<Box<dyn Learner>> {
        let mut learner = catalog.learner(&self.name)?;
        self.apply(&mut *learner)?;
        if self.before.is_empty() {
            return Ok(learner);
        }
        let steps = self.before.iter().map(|step| step.part(catalog)).collect::<Result<_>>()?;
        Ok(folded(steps, learner))
    }

    /// What stands in a list of steps at this place.
    pub fn part(&self, catalog: &dyn Catalog) -> Result<SpecPart> {
        if self.before.is_empty() {
            let mut part = catalog.part(&self.name)?;
            self.apply(part.settings())?;
            return Ok(part);
        }
        let steps = self.parts().iter().map(|step| step.build(catalog)).collect::<Result<_>>()?;
        Ok(SpecPart::Step(catalog.join(steps)?))
    }

    /// What should be told of how it, the steps before it and the learners within it were written, each once.
    pub fn told(&self) -> Vec<String> {
        let within = self.settings.iter().filter_map(|(_, value)| match value {
            Value::Learner(spec) => Some(spec),
            _ => None,
        });
        let mut notes: Vec<String> = self.before.iter().chain(within).flat_map(Spec::told).collect();
        notes.extend(self.notes.iter().cloned());
        notes.sort_unstable();
        notes.dedup();
        notes
    }

    fn apply(&self, learner: &mut (impl Settings + ?Sized)) -> Result<()> {
        self.settings.iter().try_for_each(|(name, value)| {
            // Kept models may say an earlier name.
            let params = learner.params();
            let name = meant(&params, name).map_or(name.as_str(), |(param, _)| param.name);
            learner.set(name, value.clone())
        })
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.before {
            match step.before.is_empty() {
                true => write!(f, "{step},")?,
                false => write!(f, "({step}),")?,
            }
        }
        f.write_str(&self.name)?;
        for (i, (name, value)) in self.settings.iter().enumerate() {
            match (self.short && i == 0, value) {
                (true, _) => f.write_str("=")?,
                (false, Value::Flag(true)) => {
                    write!(f, ":{name}")?;
                    continue;
                }
                (false, _) => write!(f, ":{name}=")?,
            }
            write_value(f, value)?;
        }
        Ok(())
    }
}

/// Writes a value so that no sign in it is taken for one of the grammar.
fn write_value(f: &mut fmt::Formatter<'_>, value: &Value) -> fmt::Result {
    let marked = match value {
        Value::Learner(spec) if spec.before.is_empty() && spec.settings.is_empty() => false,
        Value::Learner(spec) => return write!(f, "({spec})"),
        Value::Text(text) => text.contains([',', ':', '"', '(', ')']) || text.trim() != text,
        Value::List(list) => list.len() > 1,
        _ => false,
    };
    match marked {
        true => write!(f, "\"{}\"", value.to_string().replace('"', "\"\"")),
        false => write!(f, "{value}"),
    }
}

/// Steps and learner as one, from the right: a wrapping step holds the pipeline that has been put together so far.
pub fn folded(steps: Vec<SpecPart>, learner: Box<dyn Learner>) -> Box<dyn Learner> {
    let pipeline = |mut reversed: Vec<Box<dyn Learner>>| {
        reversed.reverse();
        Box::new(Pipeline { steps: reversed })
    };
    let mut reversed = vec![learner];
    for step in steps.into_iter().rev() {
        match step {
            SpecPart::Learner(learner) | SpecPart::Step(learner) => reversed.push(learner),
            SpecPart::Wrapper(step) => reversed = vec![step.around(pipeline(reversed))],
        }
    }
    pipeline(reversed)
}

#[cfg(test)]
mod tests;
