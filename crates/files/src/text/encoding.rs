//! Text in UTF-8, UTF-16 (with a byte order mark) or Latin-1, as UTF-8 and without the end mark of DOS.

use base::{Error, Hold, Result, Run};
use std::borrow::Cow;
use std::ops::{Deref, Range};

/// UTF-8 text: the caller's own, or a counted copy.
#[derive(Debug)]
pub(crate) struct Text<'a> {
    bytes: Cow<'a, [u8]>,
    _hold: Option<Hold>,
}

impl Deref for Text<'_> {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Text<'static> {
    /// A copy that is counted by `hold`.
    pub fn copied(text: Vec<u8>, hold: Hold) -> Self {
        Text { bytes: Cow::Owned(text), _hold: Some(hold) }
    }
}

/// How near the end of a file its end mark is looked for: old systems filled the last record of 128 bytes with it.
pub(crate) const END: usize = 256;

/// What is left out as the end mark of DOS (0x1a): it and all behind it, where that is nothing but line ends and further
/// marks; or it alone within the quotes of the last cell, where programs leave it that read and write the text anew.
pub(crate) fn end_mark(text: &[u8]) -> Option<Range<usize>> {
    let near = text.len().saturating_sub(END);
    let behind = |ends: &[u8], to: usize| {
        let last = text[near..to].iter().rposition(|b| !ends.contains(b));
        last.map_or(near, |at| near + at + 1)
    };
    let last = behind(b"\r\n\x1a", text.len());
    if let Some(at) = memchr::memchr(0x1a, &text[last..]) {
        return Some(last + at..text.len());
    }
    let quote = last.checked_sub(1).filter(|&at| at >= near && text[at] == b'"')?;
    let mark = behind(b"\x1a", quote)..quote;
    (!mark.is_empty()).then_some(mark)
}

/// The bytes as UTF-8 without marks of byte order and end; copied, and counted, only where they are something else.
pub(crate) fn decode<'a>(name: &str, bytes: &'a [u8], run: &Run<'_>) -> Result<Text<'a>> {
    match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => unmarked(name, rest, run),
        [0xff, 0xfe, rest @ ..] => utf16(name, rest, u16::from_le_bytes, run),
        [0xfe, 0xff, rest @ ..] => utf16(name, rest, u16::from_be_bytes, run),
        _ => unmarked(name, bytes, run),
    }
}

/// UTF-8 or Latin-1 without its end mark.
fn unmarked<'a>(name: &str, bytes: &'a [u8], run: &Run<'_>) -> Result<Text<'a>> {
    match end_mark(bytes) {
        None => utf8_or_latin1(name, bytes, run),
        Some(mark) if mark.end == bytes.len() => utf8_or_latin1(name, &bytes[..mark.start], run),
        Some(mark) => {
            let hold = run.memory.take(bytes.len() as u64, "text in UTF-8")?;
            let text = [&bytes[..mark.start], &bytes[mark.end..]].concat();
            match std::str::from_utf8(&text) {
                Ok(_) => Ok(Text::copied(text, hold)),
                Err(_) => as_latin1(name, &text, run),
            }
        }
    }
}

/// UTF-8 as it is, anything else as Latin-1, which the observer is told.
pub(crate) fn utf8_or_latin1<'a>(name: &str, bytes: &'a [u8], run: &Run<'_>) -> Result<Text<'a>> {
    if std::str::from_utf8(bytes).is_ok() {
        return Ok(Text { bytes: Cow::Borrowed(bytes), _hold: None });
    }
    as_latin1(name, bytes, run)
}

fn as_latin1(name: &str, bytes: &[u8], run: &Run<'_>) -> Result<Text<'static>> {
    run.watch.note(&format!("{name}: is not valid UTF-8 and is read as Latin-1"));
    latin1(bytes, run)
}

/// Latin-1 as UTF-8.
pub(crate) fn latin1(bytes: &[u8], run: &Run<'_>) -> Result<Text<'static>> {
    let high = bytes.iter().filter(|b| !b.is_ascii()).count();
    let hold = run.memory.take((bytes.len() + high) as u64, "text in UTF-8")?;
    let mut text = String::with_capacity(bytes.len() + high);
    text.extend(bytes.iter().map(|&b| b as char));
    Ok(Text::copied(text.into_bytes(), hold))
}

fn utf16(name: &str, bytes: &[u8], unit: fn([u8; 2]) -> u16, run: &Run<'_>) -> Result<Text<'static>> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(Error::format(name, "UTF-16 text with an odd number of bytes: it is truncated"));
    }
    let hold = run.memory.take(3 * pairs.len() as u64, "text in UTF-8")?;
    let mut text = String::with_capacity(pairs.len());
    for (i, c) in char::decode_utf16(pairs.iter().map(|&p| unit(p))).enumerate() {
        match c {
            Ok(c) => text.push(c),
            Err(_) => {
                return Err(Error::format(
                    name,
                    format!(
                        "UTF-16 text with an unpaired surrogate at \
                 character {i}"
                    ),
                ));
            }
        }
    }
    let mut text = text.into_bytes();
    if let Some(mark) = end_mark(&text) {
        text.drain(mark);
    }
    Ok(Text::copied(text, hold))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    struct Notes(Mutex<Vec<String>>);
    impl base::Watch for Notes {
        fn step(&self, _: &base::Progress<'_>) -> base::Verdict {
            base::Verdict::GoOn
        }
        fn note(&self, text: &str) {
            self.0.lock().unwrap().push(text.into());
        }
    }

    #[test]
    fn mofa_the_end_mark_of_dos_is_no_text() {
        let run = Run::quiet(1);
        for end in ["\x1a", "\x1a\n", "\x1a\r\n\r\n", "\x1a\x1a\x1a", &"\x1a".repeat(128)] {
            let text = format!("a,é\n1,6.2{end}");
            let wide: Vec<u8> = [0xfeffu16].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
            for bytes in [text.as_bytes(), &[b"\xef\xbb\xbf", text.as_bytes()].concat(), &wide] {
                assert_eq!(&*decode("t", bytes, &run).unwrap(), "a,é\n1,6.2".as_bytes(), "{end:?}");
            }
        }
        // Within the text it is no end.
        for text in [&b"a\x1ab"[..], b"a\x1a\nb", b"", b"\n\n", b"\"\n", b"\x1a\"b\"\n"] {
            assert_eq!(end_mark(text), None, "{text:?}");
        }
        assert_eq!(end_mark(b"\x1a\n"), Some(0..2));
        // Programs that write the text anew put it between quotes.
        for (text, expected) in [(&b"a,\"6.2\x1a\"\n"[..], "a,\"6.2\"\n"), (b"\xe9,\"6.2\x1a\x1a\"", "\u{e9},\"6.2\"")]
        {
            assert_eq!(&*decode("t", text, &run).unwrap(), expected.as_bytes());
        }
    }

    #[test]
    fn all_become_utf8() {
        let notes = Notes(Mutex::new(Vec::new()));
        let run = Run { watch: &notes, ..Run::quiet(1) };
        let text = "é,1\n😀,2\n";
        let little: Vec<u8> = [0xfeffu16].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = [0xfeffu16].into_iter().chain(text.encode_utf16()).flat_map(u16::to_be_bytes).collect();
        for bytes in [text.as_bytes(), "\u{feff}é,1\n😀,2\n".as_bytes(), &little, &big] {
            assert_eq!(&*decode("t", bytes, &run).unwrap(), text.as_bytes());
        }
        assert!(notes.0.lock().unwrap().is_empty());
        assert_eq!(&*decode("t", b"caf\xe9\n", &run).unwrap(), "café\n".as_bytes());
        assert_eq!(notes.0.lock().unwrap()[..], ["t: is not valid UTF-8 and is read as Latin-1"]);
        assert!(decode("t", &[0xff, 0xfe, 0x41], &run).is_err());
        assert!(decode("t", &[0xff, 0xfe, 0x00, 0xd8, 0x41, 0x00], &run).is_err());
    }
}
