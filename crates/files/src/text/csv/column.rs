//! The words of a column as cells: categories, texts or ids.
//!
//! Words make a **category** if they have few levels: at most 50 that are not prose, or each coming ten times on
//! average. Prose is mostly different from row to row and has three blanks or more on average. Words that name the rows
//! (`ids.rs`) are **ids**. Else they are **text**.

use super::ids;
use crate::text::words::Words;
use base::{Cells, FeatureKind, Hold, Memory, Result, Shared, Texts, UNKNOWN};

/// At most this many levels are few, whatever the number of rows.
const FEW: usize = 50;
/// More levels than that are few if each comes this many times on average.
const TIMES: usize = 10;
/// Blanks of a text on average that make it prose.
const BLANKS: usize = 3;

/// The words of a column, joined from those of its pieces.
pub(crate) struct Joined {
    pub codes: Vec<u32>,
    pub words: Words,
    hold: Hold,
}

impl Joined {
    /// Joins the dictionaries of the pieces; `rows` are the rows of each.
    pub fn new(mut codes: Vec<u32>, hold: Hold, parts: Vec<Words>, rows: &[usize], memory: &Memory) -> Result<Self> {
        let words = join(&mut codes, parts, rows, memory)?;
        Ok(Joined { codes, words, hold })
    }

    /// The words as cells; `must` says what they have to be, `role` that they name no rows.
    pub fn cells(self, name: &str, must: Option<&FeatureKind>, role: bool, memory: &Memory) -> Result<Cells> {
        let Joined { codes, words, hold } = self;
        match must {
            Some(FeatureKind::Category(levels)) => Ok(category(codes, hold, &words, levels)),
            Some(FeatureKind::Id) => texts(&codes, &words, memory).map(Cells::Id),
            Some(_) => texts(&codes, &words, memory).map(Cells::Text),
            None => {
                let present = codes.iter().filter(|&&c| c != UNKNOWN).count();
                if !role && ids::words_name_rows(name, codes.len(), &words) {
                    texts(&codes, &words, memory).map(Cells::Id)
                } else if has_few_levels(present, &words) {
                    Ok(category(codes, hold, &words, &[]))
                } else {
                    texts(&codes, &words, memory).map(Cells::Text)
                }
            }
        }
    }
}

/// Whether this many cells with these distinct words make a category.
fn has_few_levels(present: usize, words: &Words) -> bool {
    let distinct = words.len();
    let blanks: usize = words.iter().map(|w| memchr::memchr_iter(b' ', w).count()).sum();
    let prose = 2 * distinct > present && blanks >= BLANKS * distinct && distinct > 1;
    (distinct <= FEW && !prose) || distinct.saturating_mul(TIMES) <= present
}

/// One dictionary from those of the pieces, and codes that point into it.
fn join(codes: &mut [u32], parts: Vec<Words>, rows: &[usize], memory: &Memory) -> Result<Words> {
    let mut parts = parts.into_iter();
    let Some(mut all) = parts.next() else { return Words::new(memory) };
    let mut start = rows.first().copied().unwrap_or(0);
    for (part, &rows) in parts.zip(&rows[1..]) {
        let place = part.iter().map(|word| all.code(word)).collect::<Result<Vec<u32>>>()?;
        for code in codes[start..start + rows].iter_mut().filter(|c| **c != UNKNOWN) {
            *code = place[*code as usize];
        }
        start += rows;
    }
    Ok(all)
}

/// A category with the given levels first, in their order, then those that are new, sorted.
fn category(mut codes: Vec<u32>, hold: base::Hold, words: &Words, given: &[String]) -> Cells {
    let known: std::collections::HashMap<&[u8], u32> =
        given.iter().enumerate().map(|(i, level)| (level.as_bytes(), i as u32)).collect();
    let mut fresh: Vec<usize> = (0..words.len()).filter(|&i| !known.contains_key(words.word(i))).collect();
    fresh.sort_unstable_by(|&a, &b| words.word(a).cmp(words.word(b)));
    let mut place: Vec<u32> = words.iter().map(|w| known.get(w).copied().unwrap_or(UNKNOWN)).collect();
    for (i, &word) in fresh.iter().enumerate() {
        place[word] = (given.len() + i) as u32;
    }
    for code in codes.iter_mut().filter(|c| **c != UNKNOWN) {
        *code = place[*code as usize];
    }
    let new = fresh.iter().map(|&i| String::from_utf8_lossy(words.word(i)).into_owned());
    let levels: Vec<String> = given.iter().cloned().chain(new).collect();
    Cells::Category { codes: Shared::counted(codes, hold), levels: levels.into() }
}

/// Texts in one piece of memory.
fn texts(codes: &[u32], words: &Words, memory: &Memory) -> Result<Texts> {
    let bytes: usize = codes.iter().filter(|&&c| c != UNKNOWN).map(|&c| words.word(c as usize).len()).sum();
    let _hold = memory.take(2 * (bytes + 16 * codes.len()) as u64, "a column of texts")?;
    let mut texts = Texts::default();
    for &code in codes {
        match code {
            UNKNOWN => texts.push(None),
            code => texts.push(Some(&String::from_utf8_lossy(words.word(code as usize)))),
        }
    }
    Ok(texts)
}
