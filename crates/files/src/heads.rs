//! Heads of `key values` lines before the numbers of a model, as LIBSVM and LIBLINEAR write them.
//!
//! Keys are known and come once, lists have as many values as their counts say, numbers are finite; an error says line and
//! column.

use crate::text::{Source, number, quoted};
use base::Result;

/// What a head may have.
pub(crate) struct Layout {
    /// Its keys.
    pub keys: &'static [&'static str],
    /// Lists that need the number of classes before them.
    pub counted: &'static [&'static str],
    /// The line after which the numbers follow.
    pub end: &'static str,
    /// Whose models they are.
    pub maker: &'static str,
}

/// A word of a line with its place.
pub(crate) type Word<'a> = (usize, &'a [u8]);

/// The words of a line with the place of each.
pub(crate) struct Words<'a> {
    source: &'a Source<'a>,
    /// Where it goes on.
    pub at: usize,
    /// Where the line ends.
    pub end: usize,
}

impl<'a> Words<'a> {
    /// The line that begins there.
    pub fn line(source: &'a Source<'a>, at: usize) -> Self {
        Words { source, at, end: source.end_of_line(at) }
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let line = &self.source.bytes[self.at..self.end];
        let blank = |b: &u8| b" \t\r".contains(b);
        let start = line.iter().position(|b| !blank(b))?;
        let length = line[start..].iter().position(blank).unwrap_or(line.len() - start);
        let at = self.at + start;
        self.at = at + length;
        Some((at, &line[start..start + length]))
    }
}

/// What the head says, as it stands there: for each key the place of its line's first value.
pub(crate) struct Head<'a> {
    /// The file.
    pub source: &'a Source<'a>,
    /// The keys with the places of their first values.
    pub places: Vec<(&'static str, usize)>,
}

impl<'a> Head<'a> {
    /// The head, and where the numbers begin.
    pub fn read(source: &'a Source<'a>, layout: &Layout) -> Result<(Self, usize)> {
        let (end, maker) = (layout.end, layout.maker);
        let mut head = Head { source, places: vec![] };
        let mut at = 0;
        while at < source.bytes.len() {
            let mut words = Words::line(source, at);
            let next = (words.end + 1).min(source.bytes.len());
            let Some((place, word)) = words.next() else {
                at = next;
                continue;
            };
            if word == end.as_bytes() {
                if let Some((place, word)) = words.next() {
                    return Err(source.error(place, 0, format!("{} after {end}", quoted(word))));
                }
                return Ok((head, next));
            }
            let Some(key) = layout.keys.iter().find(|k| k.as_bytes() == word) else {
                let why = format!("{} is not a keyword of a {maker} model", quoted(word));
                return Err(source.error(place, 0, why));
            };
            if head.places.iter().any(|(k, _)| k == key) {
                return Err(source.error(place, 0, format!("{key} is duplicated")));
            }
            if layout.counted.contains(key) && !head.has("nr_class") {
                return Err(source.error(place, 0, format!("{key} comes before nr_class")));
            }
            head.places.push((key, words.at));
            at = next;
        }
        let why = match source.bytes.is_empty() {
            true => format!("is empty, expected a {maker} model"),
            false => format!("the header of the model ends without a line {end}: the file is truncated"),
        };
        Err(source.error(source.bytes.len(), 0, why))
    }

    /// Whether a key is there.
    pub fn has(&self, key: &str) -> bool {
        self.places.iter().any(|(k, _)| *k == key)
    }

    /// The words after a key, with where the key's line goes on.
    pub fn words(&self, key: &str) -> Result<(usize, Vec<Word<'a>>)> {
        match self.places.iter().find(|(k, _)| *k == key) {
            Some(&(_, at)) => Ok((at, Words::line(self.source, at).collect())),
            None => Err(self.source.error(0, 0, format!("the header has no {key}"))),
        }
    }

    /// The only word after a key.
    pub fn word(&self, key: &str) -> Result<Word<'a>> {
        match self.words(key)? {
            (_, words) if words.len() == 1 => Ok(words[0]),
            (at, words) => Err(self.source.error(at, 0, format!("{key} has {} values, expected 1", words.len()))),
        }
    }

    /// The only number after a key.
    pub fn number(&self, key: &str) -> Result<f64> {
        let (at, word) = self.word(key)?;
        finite(self.source, at, word, key)
    }

    /// A whole number from `least` on.
    pub fn count(&self, key: &str, least: u64) -> Result<(usize, u64)> {
        let (at, word) = self.word(key)?;
        let whole = number::natural(word).filter(|&(_, taken)| taken == word.len()).map(|(x, _)| x);
        match whole.filter(|&x| x >= least) {
            Some(x) => Ok((at, x)),
            None => {
                let why = format!("{key} is {}, expected a whole number of at least {least}", quoted(word));
                Err(self.source.error(at, 0, why))
            }
        }
    }

    /// As many words as expected after a key.
    pub fn list(&self, key: &str, expected: u64) -> Result<Vec<(usize, &'a [u8])>> {
        let (at, words) = self.words(key)?;
        match words.len() as u64 == expected {
            true => Ok(words),
            false => Err(self.source.error(at, 0, format!("{key} has {} values, expected {expected}", words.len()))),
        }
    }

    /// As many numbers as expected after a key, or none if the key is not there.
    pub fn optional(&self, key: &str, expected: u64) -> Result<Vec<f64>> {
        if !self.has(key) {
            return Ok(vec![]);
        }
        self.list(key, expected)?.into_iter().map(|(at, word)| finite(self.source, at, word, key)).collect()
    }

    /// As many labels as there are classes: whole numbers, all different.
    pub fn labels(&self, classes: u64) -> Result<Vec<i32>> {
        let mut labels: Vec<i32> = vec![];
        let mut seen = std::collections::HashSet::new();
        for (at, word) in self.list("label", classes)? {
            let label = std::str::from_utf8(word).ok().and_then(|w| w.parse::<i32>().ok());
            match label {
                Some(label) if seen.insert(label) => labels.push(label),
                Some(label) => return Err(self.source.error(at, 0, format!("the label {label} is duplicated"))),
                None => {
                    let why = format!("{} is not a label: labels are 32-bit whole numbers", quoted(word));
                    return Err(self.source.error(at, 0, why));
                }
            }
        }
        Ok(labels)
    }
}

/// A finite number.
pub(crate) fn finite(source: &Source<'_>, at: usize, word: &[u8], what: &str) -> Result<f64> {
    match number::whole(word, b'.') {
        Some(x) if x.is_finite() => Ok(x),
        Some(_) => Err(source.error(at, 0, format!("{what} is {}, which is too large", quoted(word)))),
        None if number::is_not_finite_word(word) => {
            Err(source.error(at, 0, format!("{what} is {}, must be finite", quoted(word))))
        }
        None => Err(source.error(at, 0, format!("{what} is {}, which is not a number", quoted(word)))),
    }
}
