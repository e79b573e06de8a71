//! What a person can do about an error or a note, as data: each front end says it in its own words.
//!
//! A library function does not know whether it was asked by a command line, by Python or by a page. It says what is wrong in
//! text and what would help as [`Advice`]: `--prepare scale` there, `StandardScaler()` here.

use std::fmt;

/// What would help.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Advice {
    /// Steps of preparation before the machine, as in a [`Spec`](crate::Spec): `scale`, `impute=mean`.
    Prepare(String),
    /// An option of the job, with a value where one is meant: `memory`, `type` with `COLUMN=number`.
    Option {
        /// Its name.
        name: &'static str,
        /// The value, or what stands for it; empty for a switch.
        value: String,
    },
    /// A setting of the machine.
    Set {
        /// Its name.
        name: &'static str,
        /// The value.
        value: String,
    },
}

impl Advice {
    /// Steps of preparation.
    pub fn prepare(steps: impl Into<String>) -> Self {
        Advice::Prepare(steps.into())
    }

    /// An option of the job.
    pub fn option(name: &'static str, value: impl Into<String>) -> Self {
        Advice::Option { name, value: value.into() }
    }

    /// A setting of the machine.
    pub fn set(name: &'static str, value: impl fmt::Display) -> Self {
        Advice::Set { name, value: value.to_string() }
    }
}

/// In no front end's words.
impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Advice::Prepare(steps) => write!(f, "prepare: {steps}"),
            Advice::Option { name, value } if value.is_empty() => write!(f, "option: {name}"),
            Advice::Option { name, value } => write!(f, "option: {name} {value}"),
            Advice::Set { name, value } => write!(f, "setting: {name}={value}"),
        }
    }
}

/// How a front end says an advice; none where it has no word for it.
pub type Wording<'w> = &'w dyn Fn(&Advice) -> Option<String>;

/// A text with what would help.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Message {
    text: String,
    /// Each with what it does, where that is not plain.
    advice: Vec<(Advice, String)>,
}

impl Message {
    /// The same text, and this would help, too.
    pub fn with(self, advice: Advice) -> Self {
        self.with_effect(advice, "")
    }

    /// The same text, and this would help, too: what it does follows, as in `--missing ? reads it as missing`.
    pub fn with_effect(mut self, advice: Advice, effect: impl Into<String>) -> Self {
        self.advice.push((advice, effect.into()));
        self
    }

    /// The text alone.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What would help.
    pub fn advice(&self) -> impl ExactSizeIterator<Item = &Advice> {
        self.advice.iter().map(|(advice, _)| advice)
    }

    /// The same advice behind another text.
    pub fn map(self, text: impl FnOnce(String) -> String) -> Self {
        Message { text: text(self.text), advice: self.advice }
    }

    /// The text with the advice behind it in the words of a front end, in parentheses; alternatives are joined by `, or`.
    pub fn worded(&self, wording: Wording<'_>) -> String {
        let with_effect = |(advice, effect): &(Advice, String)| {
            let said = wording(advice)?;
            Some(if effect.is_empty() { said } else { format!("{said} {effect}") })
        };
        let said: Vec<String> = self.advice.iter().filter_map(with_effect).collect();
        match said.is_empty() {
            true => self.text.clone(),
            false => format!("{} ({})", self.text, said.join(", or ")),
        }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.worded(&|advice| Some(advice.to_string())))
    }
}

impl From<String> for Message {
    fn from(text: String) -> Self {
        Message { text, advice: vec![] }
    }
}

impl From<&str> for Message {
    fn from(text: &str) -> Self {
        Message::from(text.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Error, Place};

    #[test]
    fn each_front_end_has_its_words_for_the_same_advice() {
        let why =
            Message::from("is missing; fill it").with(Advice::prepare("impute")).with(Advice::option("ignore", "x"));
        let error = Error::data(Place::Column("x".into()), why);
        assert_eq!(error.to_string(), "column \"x\": is missing; fill it (prepare: impute, or option: ignore x)");
        let flags = |advice: &Advice| match advice {
            Advice::Prepare(steps) => Some(format!("--prepare {steps}")),
            Advice::Option { name, value } => Some(format!("--{name} {value}")),
            Advice::Set { .. } => None,
        };
        assert_eq!(error.worded(&flags), "column \"x\": is missing; fill it (--prepare impute, or --ignore x)");
        assert_eq!(error.worded(&|_| None), "column \"x\": is missing; fill it");
        let memory = Error::Memory { what: "distances".into(), asked: 8, used: 0, limit: 4 };
        assert!(memory.worded(&flags).ends_with("use fewer rows (--memory SIZE)"), "{}", memory.worded(&flags));
        assert!(memory.to_string().ends_with("use fewer rows"));
        let missing = Message::from("is odd").with_effect(Advice::option("missing", "?"), "reads it as missing");
        assert_eq!(missing.worded(&flags), "is odd (--missing ? reads it as missing)");
        // Within another error it is still data.
        let within = Error::format("a.csv", error.to_message());
        assert_eq!(within.worded(&flags), "a.csv: column \"x\": is missing; fill it (--prepare impute, or --ignore x)");
        let quiet = Message::from("too slow").with(Advice::set("rate", 0.1));
        assert_eq!(
            (quiet.worded(&flags), quiet.to_string()),
            ("too slow".into(), "too slow (setting: rate=0.1)".into())
        );
    }
}
