//! Bytes from a reader as UTF-8, for streams.

use super::encoding::{END, Text, end_mark, latin1, utf8_or_latin1};
use crate::reading::file_error;
use base::{Error, Result, Run};
use std::io::Read;

/// A reader whose text is UTF-8, UTF-16 with a byte order mark, or Latin-1.
pub(crate) struct Input<'a> {
    name: String,
    reader: Box<dyn Read + Send + 'a>,
    form: Form,
    /// Bytes of UTF-16 that are no whole character yet.
    pending: Vec<u8>,
}

#[derive(Clone, Copy)]
enum Form {
    Unknown,
    Bytes,
    Latin1,
    Utf16(fn([u8; 2]) -> u16),
}

impl<'a> Input<'a> {
    pub fn new(name: &str, reader: Box<dyn Read + Send + 'a>) -> Self {
        Input { name: name.into(), reader, form: Form::Unknown, pending: Vec::new() }
    }

    /// Adds to `buffer` until it has `size` bytes or the input ends; says whether it has ended, without its end mark.
    ///
    /// A mark that comes just where the size is reached may be the end or not: a little more is read to know.
    pub fn fill(&mut self, buffer: &mut Vec<u8>, size: usize) -> Result<bool> {
        const STEP: usize = 1 << 16;
        if let Form::Unknown = self.form {
            self.begin(buffer)?;
        }
        let mut step = vec![0u8; STEP];
        while buffer.len() < size || (buffer.len() < size.saturating_add(END) && end_mark(buffer).is_some()) {
            let wanted = size.saturating_sub(buffer.len()).clamp(1, STEP);
            let read = match self.reader.read(&mut step[..wanted]) {
                Ok(read) => read,
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(file_error(&self.name, &e)),
            };
            if read == 0 {
                return match self.pending.is_empty() {
                    true => {
                        if let Some(mark) = end_mark(buffer) {
                            buffer.drain(mark);
                        }
                        Ok(true)
                    }
                    false => Err(Error::format(&self.name, "UTF-16 text that is truncated within a character")),
                };
            }
            match self.form {
                Form::Utf16(unit) => {
                    self.pending.extend_from_slice(&step[..read]);
                    self.decode(buffer, unit)?;
                }
                _ => buffer.extend_from_slice(&step[..read]),
            }
        }
        Ok(false)
    }

    /// Looks for a byte order mark.
    fn begin(&mut self, buffer: &mut Vec<u8>) -> Result<()> {
        let mut head = Vec::new();
        self.reader.by_ref().take(3).read_to_end(&mut head).map_err(|e| file_error(&self.name, &e))?;
        self.form = Form::Bytes;
        match &head[..] {
            [0xef, 0xbb, 0xbf] => {}
            [0xff, 0xfe, rest @ ..] => self.form_utf16(u16::from_le_bytes, rest),
            [0xfe, 0xff, rest @ ..] => self.form_utf16(u16::from_be_bytes, rest),
            _ => buffer.extend_from_slice(&head),
        }
        Ok(())
    }

    fn form_utf16(&mut self, unit: fn([u8; 2]) -> u16, rest: &[u8]) {
        self.form = Form::Utf16(unit);
        self.pending = rest.to_vec();
    }

    /// Turns whole characters of UTF-16 into UTF-8.
    fn decode(&mut self, buffer: &mut Vec<u8>, unit: fn([u8; 2]) -> u16) -> Result<()> {
        let (pairs, _) = self.pending.as_chunks::<2>();
        let mut units: Vec<u16> = pairs.iter().map(|&p| unit(p)).collect();
        if units.last().is_some_and(|u| (0xd800..0xdc00).contains(u)) {
            units.pop();
        }
        let used = 2 * units.len();
        let text = String::from_utf16(&units).map_err(|_| {
            Error::format(
                &self.name,
                "UTF-16 text with an \
             unpaired surrogate",
            )
        })?;
        buffer.extend_from_slice(text.as_bytes());
        self.pending.drain(..used);
        Ok(())
    }

    /// A block of whole lines as UTF-8. Once a block is Latin-1, all further ones are.
    pub fn text<'t>(&mut self, block: &'t [u8], run: &Run<'_>) -> Result<Text<'t>> {
        if let Form::Latin1 = self.form {
            return latin1(block, run);
        }
        let text = utf8_or_latin1(&self.name, block, run)?;
        if text.len() != block.len() {
            self.form = Form::Latin1;
        }
        Ok(text)
    }
}
