//! Text: how often each word of a vocabulary comes, as it is or weighted by how rare the word is.
//!
//! - **counts**: how often the word comes in the text; **binary**: 1 if it comes;
//! - **tf-idf**: count · idf, idf = ln((1 + n) / (1 + n_w)) + 1, n texts of which n_w have the word (both weighted), then
//!   the row is brought to Euclidean length 1.
//!
//! With the same settings these are the numbers of scikit-learn's `CountVectorizer` and `TfidfVectorizer`. The
//! vocabulary is in the order of the alphabet, an output is named `column:word`. A gap is a text without words, and
//! so is a text none of whose words is known. Stemming is off by default: nothing in the data tells the language, a
//! wrong one does harm in silence, and `happi` explains less than `happy`.
//!
//! **Cost.** One pass to learn, one to encode, on all threads; memory is the vocabulary and 12 bytes for each
//! different word of each text.
//!
//! - G. Salton, C. Buckley: *Term-weighting approaches in automatic text retrieval.* Information Processing &
//!   Management 24 (1988) 513–523.

use super::part::{Encoded, Part, Rows};
use crate::schema;
use crate::text::{Counted, Interner, LONGEST, Stem, Tokens, cuts, in_waves, written_out};
use base::{Advice, Cells, Certificate, Column, Error, Message, Place, Record, Result, Run};
use std::ops::Range;

base::choices! {
    /// What stands for a word of a text.
    pub enum Weights {
        /// Its count times how rare it is, rows of length 1.
        TfIdf = "tf-idf",
        /// How often it comes.
        Counts = "counts",
        /// Whether it comes.
        Binary = "binary",
    }
}

base::settings! {
    /// Settings for columns of text.
    pub struct Words {
        /// term weighting: tf-idf, counts or binary
        pub weights: Weights = Weights::TfIdf, in Range::Any;
        /// maximum number of words; those in most texts are kept first
        pub max_features: usize = 100000, in Range::AtLeast(1.0), was "most";
        /// minimum number of texts that contain a word
        pub min_df: usize = 1, in Range::AtLeast(1.0), was "least";
        /// largest fraction of the texts a word may occur in
        pub max_df: f64 = 1.0, in Range::Share, was "commonest";
        /// longest n-gram, in words
        pub ngrams: usize = 1, in Range::Between(1.0, 8.0), was "grams";
        /// minimum length of a word, in characters
        pub min_length: usize = 2, in Range::Between(1.0, 32.0), was "shortest";
        /// stop words, separated by spaces; english stands for a short list
        pub stop_words: String = String::new(), in Range::Any, was "stop";
        /// language of the stemmer
        pub stem: Stem = Stem::None, in Range::Any;
    }
}

impl Words {
    fn tokens(&self) -> Tokens {
        Tokens::new(self.min_length, self.ngrams, &self.stop_words, self.stem)
    }

    /// The part for a column of text; what is left out is said in the certificate.
    pub(crate) fn part(
        &self,
        column: &Column,
        weights: Option<&[f64]>,
        certificate: &mut Certificate,
        run: &Run<'_>,
    ) -> Result<Box<dyn Part>> {
        let counted = Counted::of(column.cells.len(), schema::text(column)?, weights, &self.tokens(), run)?;
        let kept = counted.kept(self.min_df as f64, self.max_df, self.max_features);
        if counted.too_long > 0 {
            let (name, n) = (&column.name, counted.too_long);
            certificate.warn(format!("column {name:?}: {n} words of more than {LONGEST} bytes were left out"));
        }
        if kept.len() == self.max_features && counted.len() > self.max_features {
            let found = counted.len();
            certificate.warn(format!(
                "column {:?}: {} of {found} words were kept (max_features)",
                column.name, self.max_features
            ));
        }
        if kept.is_empty() {
            let why = match counted.len() {
                0 => Message::from(format!(
                    "has no words of at least {} letters or digits; leave it out",
                    self.min_length
                ))
                .with(Advice::option("ignore", &column.name)),
                n => format!(
                    "none of its {n} words occurs in at least {} texts and in at most a fraction {} of them; \
                         lower min_df or raise max_df",
                    self.min_df, self.max_df
                )
                .into(),
            };
            return Err(Error::data(Place::Column(column.name.clone()), why));
        }
        let idf = match self.weights {
            Weights::TfIdf => kept.iter().map(|(_, n)| ((1.0 + counted.total) / (1.0 + n)).ln() + 1.0).collect(),
            Weights::Counts | Weights::Binary => vec![],
        };
        let settings = Words { stop_words: written_out(&self.stop_words), ..self.clone() };
        Ok(Box::new(Bag::new(settings, kept.iter().map(|(word, _)| *word), idf)))
    }
}

/// The words of a text at their places in a vocabulary.
pub(crate) struct Bag {
    settings: Words,
    tokens: Tokens,
    vocabulary: Interner,
    /// How rare each word is, for tf-idf; else empty.
    idf: Vec<f64>,
}

impl Bag {
    fn new<'a>(settings: Words, words: impl Iterator<Item = &'a str>, idf: Vec<f64>) -> Self {
        let mut vocabulary = Interner::new();
        words.for_each(|word| {
            vocabulary.code(word);
        });
        Bag { tokens: settings.tokens(), settings, vocabulary, idf }
    }

    pub fn read(record: &Record) -> Result<Self> {
        record.expect("words", 1)?;
        let words = record.texts("vocabulary")?;
        let choice = |name: &str| record.text(name);
        let broken = |name: &str| record.broken(format!("its {name} is unknown"));
        let settings = Words {
            weights: Weights::from_word(choice("weights")?).ok_or_else(|| broken("weights"))?,
            stem: Stem::from_word(choice("stem")?).ok_or_else(|| broken("stem"))?,
            stop_words: choice("stop")?.to_string(),
            ngrams: record.count("grams")?,
            min_length: record.count("shortest")?,
            ..Words::default()
        };
        base::Settings::check_settings(&settings).map_err(|e| record.broken(e.to_string()))?;
        let idf = match settings.weights {
            Weights::TfIdf => record.array_of("idf", &[words.len()])?,
            Weights::Counts | Weights::Binary => vec![],
        };
        if !words.windows(2).all(|w| w[0] < w[1]) || words.is_empty() || !idf.iter().all(|x| x.is_finite()) {
            return Err(record.broken("its vocabulary is out of order"));
        }
        Ok(Bag::new(settings, words.iter().map(String::as_str), idf))
    }

    /// Places and numbers of one text; `ids` is a scratch.
    fn row(&self, text: &str, ids: &mut Vec<u32>, out: &mut (Vec<usize>, Vec<u32>, Vec<f64>)) {
        ids.clear();
        self.tokens.each(text, &mut |word| ids.extend(self.vocabulary.find(word)));
        ids.sort_unstable();
        let begin = out.1.len();
        for same in ids.chunk_by(|a, b| a == b) {
            let count = same.len() as f64;
            out.1.push(same[0]);
            out.2.push(match self.settings.weights {
                Weights::TfIdf => count * self.idf[same[0] as usize],
                Weights::Counts => count,
                Weights::Binary => 1.0,
            });
        }
        if self.settings.weights == Weights::TfIdf {
            let row = &mut out.2[begin..];
            let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
            if length > 0.0 {
                row.iter_mut().for_each(|x| *x /= length);
            }
        }
    }
}

impl Part for Bag {
    fn width(&self) -> usize {
        self.vocabulary.len()
    }

    fn names(&self, column: &str) -> Vec<String> {
        (0..self.vocabulary.len() as u32).map(|code| format!("{column}:{}", self.vocabulary.word(code))).collect()
    }

    fn encode<'a>(&self, column: &'a Column, run: &Run<'_>) -> Result<Encoded<'a>> {
        const WHAT: &str = "the words of texts";
        let text = schema::text(column)?;
        let rows = column.cells.len();
        let cuts = cuts(rows, |row| text(row).map_or(0, |t| t.len()));
        let hold = run.memory.take_for::<usize>(rows.saturating_add(1), WHAT)?;
        let mut all = Rows { starts: vec![0], ids: vec![], values: vec![], hold };
        let block = |range: Range<usize>| {
            let (mut ids, mut out) = (vec![], (vec![], vec![], vec![]));
            for row in range {
                if let Some(text) = text(row) {
                    self.row(&text, &mut ids, &mut out);
                }
                out.0.push(out.1.len());
            }
            let hold = run.memory.take(12 * out.1.len() as u64, WHAT)?;
            Ok((out, hold))
        };
        in_waves(run, "words", &cuts, block, |((ends, ids, values), _hold)| {
            let before = all.ids.len();
            all.hold.resize(12 * (before + ids.len()) as u64 + 8 * (rows as u64 + 1), WHAT)?;
            all.starts.extend(ends.iter().map(|end| before + end));
            all.ids.extend(ids);
            all.values.extend(values);
            Ok(())
        })?;
        Ok(Encoded::Rows(all))
    }

    fn apart(&self) -> bool {
        true
    }

    /// The words in the order of the vocabulary: where they stood is not known any more.
    fn restore(&self, values: &[f64]) -> Cells {
        let mut texts = base::Texts::default();
        for row in values.chunks_exact(self.width().max(1)) {
            let present = (0..row.len() as u32).filter(|&w| row[w as usize] != 0.0);
            texts.push(Some(&present.map(|w| self.vocabulary.word(w)).collect::<Vec<_>>().join(" ")));
        }
        Cells::Text(texts)
    }

    fn record(&self) -> Record {
        let words: Vec<String> = (0..self.width() as u32).map(|c| self.vocabulary.word(c).to_string()).collect();
        let record = Record::new("words", 1)
            .with("vocabulary", words)
            .with("weights", self.settings.weights.word())
            .with("stem", self.settings.stem.word())
            .with("stop", self.settings.stop_words.as_str())
            .with("grams", self.settings.ngrams)
            .with("shortest", self.settings.min_length);
        match self.settings.weights {
            Weights::TfIdf => record.with_array("idf", &[self.idf.len()], self.idf.clone()),
            Weights::Counts | Weights::Binary => record,
        }
    }
}
