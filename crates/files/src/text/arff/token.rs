//! The words of ARFF: bare, or in single or double quotes with backslashes before special characters.

use std::borrow::Cow;

/// A word and what follows it, or why there is none.
pub(crate) type Word<'a> = Result<(Cow<'a, [u8]>, usize), &'static str>;

/// The word at the start of `line` up to one of `ends` or a blank; quoted words may hold both.
pub(crate) fn word<'a>(line: &'a [u8], ends: &[u8]) -> Word<'a> {
    match line.first() {
        Some(&quote @ (b'\'' | b'"')) => quoted(line, quote),
        _ => {
            let end = line.iter().position(|b| ends.contains(b)).unwrap_or(line.len());
            Ok((Cow::Borrowed(crate::text::source::trimmed(&line[..end])), end))
        }
    }
}

fn quoted(line: &[u8], quote: u8) -> Word<'_> {
    let mut content = Vec::new();
    let mut at = 1;
    loop {
        match (line.get(at), line.get(at + 1)) {
            (None, _) => return Err("a quote is opened and never closed"),
            (Some(b'\\'), Some(&next)) => {
                content.push(match next {
                    b'n' => b'\n',
                    b't' => b'\t',
                    b'r' => b'\r',
                    other => other,
                });
                at += 2;
            }
            (Some(&byte), _) if byte == quote => return Ok((Cow::Owned(content), at + 1)),
            (Some(&byte), _) => {
                content.push(byte);
                at += 1;
            }
        }
    }
}

/// Without blanks at the start, and how many there were.
pub(crate) fn blanks(line: &[u8]) -> usize {
    line.iter().take_while(|b| b" \t\r".contains(b)).count()
}
