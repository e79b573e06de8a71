//! Data that need not fit memory: a reader's text block by block, each block a dataset of its rows.
//!
//! Lines are counted through the whole stream. What the first block shows stays: the dialect and names of a table and
//! what its columns hold (a category may gain levels, which come behind the known ones), whether sparse ids count from 0,
//! whether labels are numbers or lists, the head of an ARFF or XMC file. A later row that does not fit is an error. The
//! width of LIBSVM rows is the largest id up to then; names of label sets are those of their block.
//!
//! **Memory.** One block of text (8 MB, or an eighth of a smaller budget) and what it becomes. A row longer than a
//! block makes the block grow, counted, until it fits.

use super::input::Input;
use super::labels::Labels;
use super::libsvm::{Block, kind_of_labels};
use super::source::{PIECE, Source, line_end};
use super::{arff, csv, xmc};
use crate::{Format, Reading};
use base::{Dataset, Error, Features, Hold, Inputs, Points, Result, Run, Targets};
use std::io::Read;

/// Bytes of a block, where the budget allows.
const BLOCK: usize = 8 << 20;
/// The least a block has.
const LEAST: usize = 1 << 16;

/// Datasets of consecutive rows; see [`stream`].
pub struct Stream<'a> {
    name: String,
    input: Input<'a>,
    how: Reading,
    run: Run<'a>,
    state: State,
    buffer: Vec<u8>,
    hold: Hold,
    block: usize,
    ended: bool,
    failed: bool,
    /// The line the buffer begins with.
    line: u64,
    line_end: u8,
    rows: u64,
}

/// What is known from earlier blocks.
enum State {
    Csv(Option<Box<csv::Plan>>),
    LibSvm { labels: Option<Labels>, listed: bool, zero_based: Option<bool>, width: usize },
    Xmc(Option<xmc::Counts>),
    Arff(Option<arff::Head>),
}

/// Reads `reader` block by block; `name` is used in messages.
pub fn stream<'a>(
    name: &str,
    reader: impl Read + Send + 'a,
    format: Format,
    how: &Reading,
    run: &Run<'a>,
) -> Result<Stream<'a>> {
    let eighth = usize::try_from(run.memory.limit() / 8).unwrap_or(usize::MAX);
    stream_in_blocks(name, Box::new(reader), format, how, eighth.clamp(LEAST, BLOCK), run)
}

/// Reads `reader` in blocks of `block` bytes.
pub(crate) fn stream_in_blocks<'a>(
    name: &str,
    reader: Box<dyn Read + Send + 'a>,
    format: Format,
    how: &Reading,
    block: usize,
    run: &Run<'a>,
) -> Result<Stream<'a>> {
    let state = match format {
        Format::Csv => State::Csv(None),
        Format::LibSvm => State::LibSvm { labels: None, listed: false, zero_based: how.zero_based, width: 0 },
        Format::Xmc => State::Xmc(None),
        Format::Arff => State::Arff(None),
        other => {
            let what = format!("a stream of {other:?}");
            return Err(Error::unsupported(what, "text formats", "read the file as a whole"));
        }
    };
    Ok(Stream {
        name: name.into(),
        input: Input::new(name, Box::new(reader)),
        how: how.clone(),
        run: run.clone(),
        state,
        buffer: Vec::new(),
        hold: run.memory.take(0, "a block of text")?,
        block,
        ended: false,
        failed: false,
        line: 1,
        line_end: b'\n',
        rows: 0,
    })
}

impl Iterator for Stream<'_> {
    type Item = Result<Dataset>;

    fn next(&mut self) -> Option<Result<Dataset>> {
        if self.failed {
            return None;
        }
        let next = self.advance();
        self.failed = !matches!(next, Ok(Some(_)));
        next.transpose()
    }
}

impl Stream<'_> {
    /// The rows of the next block that has some.
    fn advance(&mut self) -> Result<Option<Dataset>> {
        let mut size = self.block;
        loop {
            if !self.ended {
                // The buffer may double on its way to the size, and a step more.
                self.hold.resize(2 * size as u64, "a block of text")?;
                self.ended = self.input.fill(&mut self.buffer, size)?;
                if self.line == 1 && self.rows == 0 {
                    self.line_end = line_end(&self.buffer);
                }
            }
            if self.ended && self.buffer.is_empty() {
                return self.finish().map(|()| None);
            }
            let cut = if self.ended { self.buffer.len() } else { self.whole_rows() };
            let data = if cut == 0 { None } else { self.rows(cut)? };
            match data {
                Some(data) => {
                    self.rows += data.len() as u64;
                    self.line += memchr::memchr_iter(self.line_end, &self.buffer[..cut]).count() as u64;
                    self.buffer.drain(..cut);
                    let head_only = self.rows == 0 && self.ended && self.buffer.is_empty();
                    if !data.is_empty() || head_only {
                        return Ok(Some(data));
                    }
                    size = self.block;
                }
                None if self.ended => return Err(Error::format(&self.name, "ends inside its header")),
                None => size = size.saturating_mul(2),
            }
        }
    }

    /// Where the last row that is surely whole ends.
    fn whole_rows(&self) -> usize {
        match &self.state {
            State::Csv(Some(plan)) => plan.whole_rows(&self.buffer),
            State::Csv(None) => {
                let source =
                    Source { name: &self.name, bytes: &self.buffer, first_line: self.line, line_end: self.line_end };
                csv::whole_first_rows(&source, &self.how)
            }
            _ => memchr::memrchr(self.line_end, &self.buffer).map_or(0, |i| i + 1),
        }
    }

    /// Reads the first `cut` bytes; `None` if they end before the head of the file does.
    fn rows(&mut self, cut: usize) -> Result<Option<Dataset>> {
        let text = self.input.text(&self.buffer[..cut], &self.run)?;
        let first = self.line == 1;
        let source = Source { name: &self.name, bytes: &text, first_line: self.line, line_end: self.line_end };
        source.refuse_nul()?;
        let (how, run) = (&self.how, &self.run);
        match &mut self.state {
            State::Csv(plan) => {
                let plan = match plan {
                    Some(plan) => plan,
                    None if text.iter().all(|b| b" \t\r\n".contains(b)) && !self.ended => return Ok(None),
                    None => plan.insert(Box::new(csv::Plan::guess(&source, how, run)?)),
                };
                let data = plan.read(&source, first, PIECE, run)?;
                plan.fix(&data);
                Ok(Some(data))
            }
            State::LibSvm { labels, listed, zero_based, width } => {
                let labels = *labels.get_or_insert_with(|| kind_of_labels(&source));
                let (zero, sort) = (*zero_based, how.sort_ids);
                let block = Block { labels: Some(labels), listed: *listed, zero_based: zero, sort, piece: PIECE };
                let (mut data, from_zero) = block.read(&source, run)?;
                *listed |= matches!(data.targets, Targets::Sets(_));
                // From now on it is settled; a 0 that comes too late is an error.
                if !data.is_empty() {
                    *zero_based = Some(from_zero);
                }
                if let (Inputs::Points(Points::Sparse(points)), None) = (&data.inputs, data.features.names()) {
                    *width = points.columns().max(*width);
                    data.features = Features::unnamed(*width);
                    data.inputs = Points::Sparse(points.widen(*width)).into();
                }
                Ok(Some(data))
            }
            State::Xmc(counts) => {
                let start = if counts.is_none() { 1 } else { 0 };
                let counts = match counts {
                    Some(counts) => counts,
                    None => counts.insert(xmc::Counts::read(&source)?),
                };
                let body = if start == 1 { counts.body } else { 0 };
                let end = if self.ended { xmc::without_blank_lines(&text, body) } else { text.len() };
                counts.rows(&Source { bytes: &text[..end], ..source }, body, how, PIECE, run).map(Some)
            }
            State::Arff(head) => {
                let (head, body) = match head {
                    Some(head) => (&*head, 0),
                    None => match arff::Head::read(&source, how, run)? {
                        Some(read) => {
                            let body = read.body;
                            (&*head.insert(read), body)
                        }
                        None => return Ok(None),
                    },
                };
                arff::rows(&source, body, head, how, run).map(Some)
            }
        }
    }

    /// What can be checked only at the end.
    fn finish(&self) -> Result<()> {
        match &self.state {
            State::Xmc(Some(counts)) => counts.check(&Source::new(&self.name, b""), self.rows),
            State::Csv(None) => Err(Error::format(&self.name, "is empty: there is no row to read")),
            State::Xmc(None) | State::Arff(None) => Err(Error::format(&self.name, "is empty: there is no header")),
            _ => Ok(()),
        }
    }
}
