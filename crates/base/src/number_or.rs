//! The type of a setting that is a number or one of some words.

use crate::{Kind, Setting, Value};

/// A number, or one of the words of a choice ([`choices!`](crate::choices!)).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NumberOr<C> {
    /// A number.
    Number(f64),
    /// A word.
    Word(C),
}

impl<C: Setting> Setting for NumberOr<C> {
    const KIND: Kind = match C::KIND {
        Kind::Choice(words) => Kind::NumberOr(words),
        other => other,
    };
    const ALIASES: &'static [(&'static str, &'static str)] = C::ALIASES;

    fn to_value(&self) -> Value {
        match self {
            NumberOr::Number(x) => Value::Number(*x),
            NumberOr::Word(word) => word.to_value(),
        }
    }

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Number(x) => Some(NumberOr::Number(*x)),
            Value::Whole(x) => Some(NumberOr::Number(*x as f64)),
            word => C::from_value(word).map(NumberOr::Word),
        }
    }
}
