//! One value per row, in a file of its own: labels, weights or groups beside the data.

use crate::door::recognise;
use crate::formats::Format;
use crate::reading::Reading;
use crate::source::{self, shown};
use crate::text::encoding::end_mark;
use crate::window::Owner;
use crate::{idx, npy};
use base::{Cells, Error, Result, Run};
use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

/// Reads a column: IDX or NPY of one dimension, a byte per row (`.u8`), or text with a value per line, which is numbers
/// if all lines are and else categories.
pub fn read_column(path: &Path, how: &Reading, run: &Run<'_>) -> Result<Cells> {
    let name = shown(path);
    let content = source::open(path, run)?;
    let plain = name.strip_suffix(".gz").unwrap_or(&name);
    if plain.ends_with(".u8") {
        let hold = run.memory.take_for::<f64>(content.len(), "a column")?;
        let values = content.iter().map(|&b| f64::from(b)).collect();
        return Ok(Cells::Number(base::Shared::counted(values, hold)));
    }
    match how.format.or_else(|| recognise(&name, &content)) {
        Some(Format::Npy) => {
            let (length, owner): (usize, Owner) = (content.len(), Arc::new(content));
            npy::read(&name, &owner, 0..length, run)?.into_cells(&name, run)
        }
        Some(Format::Idx) => {
            let owner: Owner = Arc::new(content);
            idx::read(&name, &owner, run)?.into_cells(&name, run)
        }
        None | Some(Format::Csv) => lines(&name, &content, how, run),
        Some(other) => {
            let what = format!("{name}: a column in the format {}", other.word());
            Err(Error::unsupported(what, "the reader", "use text with a value per line, NPY, IDX or .u8"))
        }
    }
}

/// A value per line.
fn lines(name: &str, bytes: &[u8], how: &Reading, run: &Run<'_>) -> Result<Cells> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let bytes = end_mark(bytes).filter(|mark| mark.end == bytes.len()).map_or(bytes, |mark| &bytes[..mark.start]);
    let text = std::str::from_utf8(bytes).map_err(|e| {
        let line = 1 + bytes[..e.valid_up_to()].iter().filter(|&&b| b == b'\n').count();
        Error::at(name, line as u64, 0, "is not UTF-8 text; a file of one byte per row is called .u8")
    })?;
    let count = text.lines().count();
    let _hold = run.memory.take_for::<(f64, &str)>(count, "a column")?;
    let number = |text: &str| match how.decimal_comma {
        Some(true) => Cow::Owned::<str>(text.replace(',', ".")).parse::<f64>().ok(),
        _ => text.parse::<f64>().ok(),
    };
    let numbers: Option<Vec<f64>> = text.lines().map(|line| value(line, how).map_or(Some(f64::NAN), number)).collect();
    match numbers {
        Some(numbers) => match numbers.iter().position(|x| x.is_infinite()) {
            Some(at) => Err(Error::at(name, at as u64 + 1, 0, format!("{} is not finite", numbers[at]))),
            None => Ok(Cells::Number(numbers.into())),
        },
        None => Ok(Cells::categories(text.lines().map(|line| value(line, how)))),
    }
}

/// The value of a line, if it is not missing.
fn value<'a>(line: &'a str, how: &Reading) -> Option<&'a str> {
    let line = line.trim();
    (!line.is_empty() && !how.missing.iter().any(|m| m == line)).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8]) -> Result<Cells> {
        lines("c.txt", text, &Reading::default(), &Run::quiet(1))
    }

    #[test]
    fn lines_are_numbers_if_all_are() {
        let Cells::Number(v) = read(b"\xef\xbb\xbf1\r\n-2.5e3\n?\n").unwrap() else { panic!() };
        assert_eq!((v[0], v[1], v[2].is_nan(), v.len()), (1.0, -2500.0, true, 3));
        let expected = Cells::categories([Some("b"), None, Some("1")].into_iter());
        assert_eq!(read(b"b\nNA\n1"), Ok(expected));
        assert_eq!(read(b"1\ninf\n").unwrap_err().to_string(), "c.txt:2: inf is not finite");
        assert!(read(b"a\n\xff\n").unwrap_err().to_string().starts_with("c.txt:2: is not UTF-8 text"));
    }
}
