//! Options that take one of some words: the words are those of the choice itself.

use clap::builder::PossibleValuesParser;
use pellucid::{Kind, Setting};

/// The words of a choice.
pub(super) fn words_of<C: Setting>() -> &'static [&'static str] {
    match C::KIND {
        Kind::Choice(words) => words,
        _ => &[],
    }
}

/// An option that takes one of these words.
pub(super) fn words(words: &[&'static str]) -> PossibleValuesParser {
    PossibleValuesParser::new(words.iter().copied())
}
