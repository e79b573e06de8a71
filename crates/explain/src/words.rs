//! Relevance of words, present and absent: what is strange in a text, and what one would have expected in it.

use base::{Error, Features, Result};

/// A word with its relevance.
#[derive(Debug, Clone, PartialEq)]
pub struct Word {
    /// The word.
    pub word: String,
    /// How much of the score it has.
    pub relevance: f64,
    /// Whether the text has it.
    pub present: bool,
}

/// The words of one row that have relevance, the most relevant first. `counts` are the row's numbers, 0 for absent
/// words; names such as `text:word` lose what stands before the first colon.
pub fn words(relevance: &[f64], counts: &[f64], features: &Features) -> Result<Vec<Word>> {
    if relevance.len() != counts.len() || relevance.len() != features.count() {
        return Err(Error::size("words", features.count(), relevance.len()));
    }
    let mut all: Vec<Word> = (0..relevance.len())
        .filter(|&i| relevance[i] != 0.0)
        .map(|i| {
            let name = features.name(i);
            let word = name.split_once(':').map_or(name.clone(), |(_, word)| word.to_string());
            Word { word, relevance: relevance[i], present: counts[i] != 0.0 }
        })
        .collect();
    all.sort_by(|a, b| b.relevance.total_cmp(&a.relevance));
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_words_are_told_apart() {
        let names = ["text:red", "text:blue", "text:a:b"].map(String::from).to_vec();
        let found = words(&[0.2, 0.0, 0.7], &[1.0, 1.0, 0.0], &Features::named(names)).unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].word.as_str(), found[0].present), ("a:b", false));
        assert_eq!((found[1].word.as_str(), found[1].present), ("red", true));
        assert!(words(&[0.0], &[], &Features::unnamed(1)).is_err());
    }
}
