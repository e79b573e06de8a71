//! Label lists of sparse rows: `3,17,42` before the pairs, possibly empty.

use super::source::{Source, shown};
use super::sparse::{at_end, is_blank};
use super::{number, words::Words};
use base::{LabelSets, Memory, Result};

/// What stands before the pairs of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Labels {
    /// One number.
    Number,
    /// Any number of names, separated by commas.
    Names,
    /// Any number of whole numbers below this one, separated by commas.
    Below(usize),
}

/// Labels row after row. Names are numbered by first appearance.
#[derive(Default)]
pub(crate) struct LabelList {
    kept: bool,
    ends: Vec<usize>,
    codes: Vec<u32>,
    names: Words,
}

impl LabelList {
    /// An empty list; where there are no lists to read, rows are not counted either.
    pub fn new(labels: Labels, memory: &Memory) -> Result<Self> {
        Ok(LabelList { kept: labels != Labels::Number, names: Words::new(memory)?, ..Default::default() })
    }

    /// How many labels there are on all rows together.
    pub fn entries(&self) -> usize {
        self.codes.len()
    }

    /// Reads the labels that begin at `at`, and says where they end; a pair there means that there are none.
    pub fn read(&mut self, source: &Source<'_>, bytes: &[u8], at: usize, labels: Labels) -> Result<usize> {
        let mut end = at;
        while bytes.get(end).is_some_and(|&b| !is_blank(b)) && !at_end(source, bytes, end) {
            if bytes[end] == b':' {
                return Ok(at);
            }
            end += 1;
        }
        let mut from = at;
        for name in bytes[at..end].split(|&b| b == b',') {
            let code = match labels {
                _ if name.is_empty() => Err("an empty label beside a comma".to_string()),
                Labels::Below(count) => match number::natural(name) {
                    Some((code, length)) if length == name.len() && code < count as u64 => Ok(code as u32),
                    _ => Err(format!("the label {} is not a whole number below {count}", shown(name))),
                },
                _ => Ok(self.names.code(name)?),
            };
            self.charge()?;
            self.codes.push(code.map_err(|why| source.error(from, 0, why))?);
            from += name.len() + 1;
        }
        Ok(end)
    }

    /// Ends a row, whether or not it had labels; labels that come twice count once.
    #[inline]
    pub fn end_row(&mut self) -> Result<()> {
        if self.kept {
            let start = self.ends.last().copied().unwrap_or(0);
            let row = &mut self.codes[start..];
            if row.len() > 1 {
                row.sort_unstable();
                let mut last = start;
                for i in start + 1..self.codes.len() {
                    if self.codes[i] != self.codes[last] {
                        last += 1;
                        self.codes[last] = self.codes[i];
                    }
                }
                self.codes.truncate(last + 1);
            }
            self.charge()?;
            self.ends.push(self.codes.len());
        }
        Ok(())
    }

    /// Counts what the lists take, in steps.
    #[inline]
    fn charge(&mut self) -> Result<()> {
        self.names.also((4 * self.codes.capacity() + 8 * self.ends.capacity()) as u64)
    }

    /// One list from those of all pieces.
    pub fn join(labels: Labels, parts: Vec<LabelList>, memory: &Memory) -> Result<LabelList> {
        let mut all = LabelList::new(labels, memory)?;
        for part in parts {
            let codes = part.names.iter().map(|name| all.names.code(name)).collect::<Result<Vec<u32>>>()?;
            let base = all.codes.len();
            all.codes.extend(part.codes.iter().map(|&c| codes.get(c as usize).copied().unwrap_or(c)));
            all.ends.extend(part.ends.iter().map(|&e| base + e));
            all.charge()?;
        }
        Ok(all)
    }

    /// Label sets with the names met, sorted: by value if all are numbers, else as text.
    pub fn named(self) -> Result<LabelSets> {
        let text = |i: usize| String::from_utf8_lossy(self.names.word(i));
        let value = |i: usize| number::whole(self.names.word(i), b'.');
        let mut order: Vec<usize> = (0..self.names.len()).collect();
        match order.iter().all(|&i| value(i).is_some()) {
            true => order.sort_by(|&a, &b| {
                let (x, y) = (value(a).unwrap_or(0.0), value(b).unwrap_or(0.0));
                x.total_cmp(&y).then_with(|| text(a).cmp(&text(b)))
            }),
            false => order.sort_by(|&a, &b| text(a).cmp(&text(b))),
        }
        let mut place = vec![0u32; order.len()];
        order.iter().enumerate().for_each(|(to, &from)| place[from] = to as u32);
        let names: Vec<String> = order.iter().map(|&i| text(i).into_owned()).collect();
        let codes = self.codes.iter().map(|&c| place[c as usize]).collect();
        sets(self.ends, codes, names)
    }

    /// Label sets with names that are numbers below `count`.
    pub fn numbered(self, count: usize) -> Result<LabelSets> {
        sets(self.ends, self.codes, (0..count).map(|i| i.to_string()).collect())
    }
}

/// Label sets from row ends and labels, those of a row in ascending order.
fn sets(mut ends: Vec<usize>, mut codes: Vec<u32>, names: Vec<String>) -> Result<LabelSets> {
    ends.insert(0, 0);
    for w in ends.windows(2) {
        codes[w[0]..w[1]].sort_unstable();
    }
    LabelSets::new(ends, codes, names, Vec::new())
}
