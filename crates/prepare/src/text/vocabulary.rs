//! In how many texts each word comes, and which words are kept.
//!
//! Texts are cut into blocks of about a megabyte, by the data alone; each block counts into a vocabulary of its own, a
//! few blocks at a time, and the counts are added up in the order of the blocks. Memory is that of the distinct words
//! and of the blocks under way, counted as they grow. With weights, a text counts as often as its weight says.
//!
//! **Cost.** O(bytes of text) time on all threads.

use super::{Interner, Tokens};
use base::{Error, Place, Progress, Result, Run};
use std::borrow::Cow;
use std::ops::Range;

/// Bytes of text in a block, about.
const BLOCK: usize = 1 << 20;
/// Rows in a block at most.
const ROWS: usize = 1 << 16;

/// Rows cut into blocks of about a megabyte; `length` gives the bytes of a row.
pub(crate) fn cuts(rows: usize, length: impl Fn(usize) -> usize) -> Vec<Range<usize>> {
    let (mut cuts, mut start, mut bytes) = (vec![], 0, 0usize);
    for row in 0..rows {
        bytes = bytes.saturating_add(length(row));
        if bytes >= BLOCK || row + 1 - start == ROWS || row + 1 == rows {
            cuts.push(start..row + 1);
            (start, bytes) = (row + 1, 0);
        }
    }
    cuts
}

/// Works on the blocks, a few at a time, and takes the results in order; cancel is heard in between.
pub(crate) fn in_waves<T: Send>(
    run: &Run<'_>,
    stage: &str,
    cuts: &[Range<usize>],
    work: impl Fn(Range<usize>) -> Result<T> + Sync,
    mut take: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    let wave = 2 * numeric::threads(run);
    for (i, cuts_of_wave) in cuts.chunks(wave).enumerate() {
        run.report(&Progress::of(stage, (i * wave) as u64, cuts.len() as u64))?;
        let done = numeric::each(run, cuts_of_wave.len(), |k| work(cuts_of_wave[k].clone()))?;
        done.into_iter().try_for_each(&mut take)?;
    }
    Ok(())
}

/// Words with the weight of the texts they come in.
pub(crate) struct Counted {
    words: Interner,
    documents: Vec<f64>,
    /// The weight of all texts.
    pub total: f64,
    /// How many runs of letters were too long for a word.
    pub too_long: usize,
}

impl Counted {
    /// Counts the words of `rows` texts.
    pub fn of<'a>(
        rows: usize,
        text: impl Fn(usize) -> Option<Cow<'a, str>> + Sync,
        weights: Option<&[f64]>,
        tokens: &Tokens,
        run: &Run<'_>,
    ) -> Result<Self> {
        let weight = |row: usize| weights.map_or(1.0, |w| w[row]);
        let cuts = cuts(rows, |row| text(row).map_or(0, |t| t.len()));
        let mut all = Counted { words: Interner::new(), documents: vec![], total: 0.0, too_long: 0 };
        let mut hold = run.memory.take(0, VOCABULARY)?;
        let block = |range: Range<usize>| {
            let mut part = Counted { words: Interner::new(), documents: vec![], total: 0.0, too_long: 0 };
            let mut seen_in: Vec<usize> = vec![];
            let mut full = false;
            for row in range {
                part.total += weight(row);
                let Some(text) = text(row) else { continue };
                part.too_long += tokens.each(&text, &mut |word| {
                    let Some(code) = part.words.code(word) else {
                        full = true;
                        return;
                    };
                    let code = code as usize;
                    if code == part.documents.len() {
                        part.documents.push(0.0);
                        seen_in.push(usize::MAX);
                    }
                    if seen_in[code] != row {
                        seen_in[code] = row;
                        part.documents[code] += weight(row);
                    }
                });
            }
            let hold = run.memory.take(part.bytes(), "the words of a block of texts")?;
            if full { Err(too_many()) } else { Ok((part, hold)) }
        };
        in_waves(run, "words", &cuts, block, |(part, _hold)| {
            for (code, documents) in part.documents.iter().enumerate() {
                let code = all.words.code(part.words.word(code as u32)).ok_or_else(too_many)? as usize;
                if code == all.documents.len() {
                    all.documents.push(0.0);
                }
                all.documents[code] += documents;
            }
            all.total += part.total;
            all.too_long += part.too_long;
            hold.resize(all.bytes(), VOCABULARY)
        })?;
        Ok(all)
    }

    /// How many different words there are.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// The words of at least `least` and at most `share` of the texts, of these the `most` that come in most texts (of
    /// equals the first in the alphabet), in the order of the alphabet, each with the weight of its texts.
    pub fn kept(&self, least: f64, share: f64, most: usize) -> Vec<(&str, f64)> {
        let top = share * self.total;
        let all = self.documents.iter().enumerate().map(|(code, &n)| (self.words.word(code as u32), n));
        let mut kept: Vec<(&str, f64)> = all.filter(|(_, n)| *n >= least && *n <= top).collect();
        if kept.len() > most {
            kept.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
            kept.truncate(most);
        }
        kept.sort_unstable_by(|a, b| a.0.cmp(b.0));
        kept
    }

    fn bytes(&self) -> u64 {
        self.words.bytes() + 8 * self.documents.len() as u64
    }
}

const VOCABULARY: &str = "the vocabulary";

fn too_many() -> Error {
    Error::data(Place::Whole, "more than 2^31 different words; use fewer grams")
}
