//! Where words begin and end.
//!
//! A word is a longest run of letters, digits and underscores of any script (combining accents belong to their letter),
//! in lower case, of at least `shortest` characters; longer ones than [`LONGEST`] bytes are no words but data, and are
//! left out. Stop words go before anything else sees them, then words are cut to their stem, then neighbours are
//! joined to n-grams with a blank between them. This is what scikit-learn's vectorizers do by default; scripts
//! without blanks between words are not cut.

use super::stop;
use rust_stemmers::{Algorithm, Stemmer};
use std::collections::HashSet;

/// Bytes beyond which a run of letters is no word.
pub(crate) const LONGEST: usize = 256;

base::choices! {
    /// Whose endings are cut off, by the Snowball rules of the language.
    pub enum Stem {
        /// Words stay as they are.
        None = "none",
        /// Arabic.
        Arabic = "arabic",
        /// Danish.
        Danish = "danish",
        /// Dutch.
        Dutch = "dutch",
        /// English.
        English = "english",
        /// Finnish.
        Finnish = "finnish",
        /// French.
        French = "french",
        /// German.
        German = "german",
        /// Greek.
        Greek = "greek",
        /// Hungarian.
        Hungarian = "hungarian",
        /// Italian.
        Italian = "italian",
        /// Norwegian.
        Norwegian = "norwegian",
        /// Portuguese.
        Portuguese = "portuguese",
        /// Romanian.
        Romanian = "romanian",
        /// Russian.
        Russian = "russian",
        /// Spanish.
        Spanish = "spanish",
        /// Swedish.
        Swedish = "swedish",
        /// Tamil.
        Tamil = "tamil",
        /// Turkish.
        Turkish = "turkish",
    }
}

impl Stem {
    fn stemmer(self) -> Option<Stemmer> {
        Some(Stemmer::create(match self {
            Stem::None => return None,
            Stem::Arabic => Algorithm::Arabic,
            Stem::Danish => Algorithm::Danish,
            Stem::Dutch => Algorithm::Dutch,
            Stem::English => Algorithm::English,
            Stem::Finnish => Algorithm::Finnish,
            Stem::French => Algorithm::French,
            Stem::German => Algorithm::German,
            Stem::Greek => Algorithm::Greek,
            Stem::Hungarian => Algorithm::Hungarian,
            Stem::Italian => Algorithm::Italian,
            Stem::Norwegian => Algorithm::Norwegian,
            Stem::Portuguese => Algorithm::Portuguese,
            Stem::Romanian => Algorithm::Romanian,
            Stem::Russian => Algorithm::Russian,
            Stem::Spanish => Algorithm::Spanish,
            Stem::Swedish => Algorithm::Swedish,
            Stem::Tamil => Algorithm::Tamil,
            Stem::Turkish => Algorithm::Turkish,
        }))
    }
}

/// How texts are cut into words.
pub(crate) struct Tokens {
    shortest: usize,
    grams: usize,
    stop: HashSet<String>,
    stemmer: Option<Stemmer>,
}

impl Tokens {
    /// Words of at least `shortest` characters, without those of `stop`, by their stem, up to `grams` of them together.
    pub fn new(shortest: usize, grams: usize, stop: &str, stem: Stem) -> Self {
        let stop = written_out(stop).split_whitespace().map(str::to_lowercase).collect();
        Tokens { shortest, grams, stop, stemmer: stem.stemmer() }
    }

    /// Hands every word and n-gram of a text to `put`; answers how many runs of letters were too long for a word.
    pub fn each(&self, text: &str, put: &mut impl FnMut(&str)) -> usize {
        let mut too_long = 0;
        // The last words, for n-grams; one buffer each, used again and again.
        let mut last: Vec<String> = vec![String::new(); self.grams];
        let mut seen = 0usize;
        let mut gram = String::new();
        for run in text.split(|c: char| !in_word(c)).filter(|run| !run.is_empty()) {
            if run.len() > LONGEST {
                too_long += 1;
                continue;
            }
            let slot = seen % self.grams;
            let mut word = std::mem::take(&mut last[slot]);
            lower(run, &mut word);
            let counts = self.counts(&word);
            if let Some(stemmer) = self.stemmer.as_ref().filter(|_| counts) {
                word = match stemmer.stem(&word).into_owned() {
                    stem if stem.is_empty() => word,
                    stem => stem,
                };
            }
            last[slot] = word;
            if !counts {
                continue;
            }
            seen += 1;
            put(&last[slot]);
            for n in 2..=self.grams.min(seen) {
                gram.clear();
                for back in (0..n).rev() {
                    gram.push_str(&last[(seen - 1 - back) % self.grams]);
                    if back > 0 {
                        gram.push(' ');
                    }
                }
                put(&gram);
            }
        }
        too_long
    }

    /// Whether a word in lower case is long enough and not to be left out.
    fn counts(&self, word: &str) -> bool {
        let enough = word.len() >= self.shortest && word.chars().take(self.shortest).count() == self.shortest;
        enough && (self.stop.is_empty() || !self.stop.contains(word))
    }
}

/// A list of stop words with the name of a list replaced by its words: models keep these, as lists may change.
pub(crate) fn written_out(stop: &str) -> String {
    match stop.trim() {
        "english" => stop::ENGLISH.join(" "),
        list => list.to_string(),
    }
}

fn in_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || matches!(c, '\u{300}'..='\u{36f}')
}

fn lower(run: &str, out: &mut String) {
    out.clear();
    match run.is_ascii() {
        true => {
            out.push_str(run);
            out.make_ascii_lowercase();
        }
        false => out.push_str(&run.to_lowercase()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Kind, Seed, Setting};

    fn words(tokens: &Tokens, text: &str) -> Vec<String> {
        let mut all = vec![];
        tokens.each(text, &mut |w| all.push(w.to_string()));
        all
    }

    #[test]
    fn words_of_any_script() {
        let plain = Tokens::new(2, 1, "", Stem::None);
        assert_eq!(words(&plain, "It's 3 o'clock: ÜBER_all, naïve!"), ["it", "clock", "über_all", "naïve"]);
        assert_eq!(words(&plain, "Добрый день, ΟΔΟΣ 42"), ["добрый", "день", "οδος", "42"]);
        assert_eq!(words(&plain, "cafe\u{301} x"), ["cafe\u{301}"]);
        assert_eq!(words(&plain, " .,; -"), Vec::<String>::new());
        let all = Tokens::new(1, 1, "", Stem::None);
        assert_eq!(words(&all, "a b"), ["a", "b"]);
    }

    #[test]
    fn stop_words_go_before_neighbours_are_joined() {
        let tokens = Tokens::new(2, 3, "of THE", Stem::None);
        let expected = ["king", "hill", "king hill", "green", "hill green", "king hill green", "hat", "green hat"];
        assert_eq!(words(&tokens, "King of the hill, green hat")[..8], expected);
        let english = Tokens::new(2, 1, "english", Stem::English);
        assert_eq!(words(&english, "The cats were running"), ["cat", "run"]);
    }

    #[test]
    fn gigantic_words_are_no_words() {
        let plain = Tokens::new(2, 2, "", Stem::None);
        let text = format!("small {} world", "x".repeat(1 << 20));
        let mut all = vec![];
        assert_eq!(plain.each(&text, &mut |w| all.push(w.to_string())), 1);
        assert_eq!(all, ["small", "world", "small world"]);
    }

    #[test]
    fn stems_of_drawn_words_are_words() {
        // Letters of all the languages, in any mixture: whatever comes, no stemmer may fall over it.
        let letters: Vec<char> = "aeioubcdfghlmnrstvyzäöüßéèçñőåøæışğаеиостйьёαεηιοσςάέήاليةنتஅகம்0_'".chars().collect();
        let Kind::Choice(languages) = Stem::KIND else { panic!("a choice") };
        for language in languages {
            let stem = Stem::from_word(language).unwrap();
            let tokens = Tokens::new(1, 1, "", stem);
            for i in 0..3000 {
                let seed = Seed(5).fork(language).at(i);
                let length = (seed.fork("length").unit() * 14.0) as usize;
                let letter = |k: usize| letters[(seed.at(k).unit() * letters.len() as f64) as usize];
                let text: String = (0..length).map(letter).collect();
                tokens.each(&text, &mut |w| assert!(!w.is_empty(), "{language}: {text:?}"));
            }
        }
    }
}
