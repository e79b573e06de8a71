//! NumPy arrays, `.npy`, versions 1 to 3.
//!
//! ```text
//! \x93NUMPY | major, minor | length of the head (u16, from version 2 u32) | head | elements
//! head: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), } padded with spaces, then a newline
//! ```
//! The head is read by a strict parser of just this dictionary. Pickled objects are code and are refused.

use crate::array::{Array, Element, Layout};
use crate::window::{Owner, write_le};
use base::{Buffer, Error, Points, Result, Run};
use std::io::{self, Write};
use std::ops::Range;

const MAGIC: &[u8] = b"\x93NUMPY";

/// The array in `range` of the owner's bytes.
pub(crate) fn read(name: &str, owner: &Owner, range: Range<usize>, run: &Run<'_>) -> Result<Array> {
    let bytes = (**owner).as_ref().get(range.clone()).unwrap_or(&[]);
    let (layout, start) = head(name, bytes)?;
    layout.read(name, owner, range.start + start..range.end, run)
}

/// The layout that the head of a file tells, and where the elements start.
pub(crate) fn head(name: &str, bytes: &[u8]) -> Result<(Layout, usize)> {
    let broken = |why: &str| Error::format(name, why);
    let Some(([major, _], rest)) = bytes.strip_prefix(MAGIC).and_then(|rest| rest.split_first_chunk::<2>()) else {
        return Err(broken("is not a NumPy array"));
    };
    let length = match (major, rest) {
        (1, &[a, b, ..]) => Some((2, u32::from(u16::from_le_bytes([a, b])))),
        (2 | 3, &[a, b, c, d, ..]) => Some((4, u32::from_le_bytes([a, b, c, d]))),
        (1..=3, _) => None,
        _ => return Err(broken(&format!("is a NumPy array of version {major}; versions 1 to 3 are supported"))),
    };
    let head = length.and_then(|(width, length)| rest.get(width..)?.get(..length as usize).map(|h| (width, h)));
    let Some((width, text)) = head else { return Err(broken("is truncated in its header")) };
    let layout = std::str::from_utf8(text)
        .map_err(|_| "it is not text".to_string())
        .and_then(|text| Parser { text, at: 0 }.layout())
        .map_err(|e| broken(&format!("has a header that cannot be read: {e}")))?;
    Ok((layout, MAGIC.len() + 2 + width + text.len()))
}

/// Reads the dictionary, and nothing else.
struct Parser<'a> {
    text: &'a str,
    at: usize,
}

type Parsed<T> = std::result::Result<T, String>;

impl<'a> Parser<'a> {
    fn layout(mut self) -> Parsed<Layout> {
        let (mut descr, mut order, mut shape) = (None, None, None);
        self.expect('{')?;
        while !self.accept('}') {
            let key = self.string()?;
            self.expect(':')?;
            let again = match key {
                "descr" if self.peek() == Some('[') => {
                    return Err("arrays of records are not read; save each field".into());
                }
                "descr" => descr.replace(self.string()?).is_some(),
                "fortran_order" => order.replace(self.flag()?).is_some(),
                "shape" => shape.replace(self.shape()?).is_some(),
                _ => return Err(format!("unknown key {key:?}")),
            };
            if again {
                return Err(format!("{key:?} is duplicated"));
            }
            if !self.accept(',') && self.peek() != Some('}') {
                return Err(format!("expected ',' or '}}' at byte {}", self.at));
            }
        }
        self.space();
        if self.at != self.text.len() {
            return Err("something follows the dictionary".into());
        }
        let (Some(descr), Some(first_fastest), Some(shape)) = (descr, order, shape) else {
            return Err("descr, fortran_order and shape must be there".into());
        };
        let (element, big_endian) = element(descr)?;
        Ok(Layout { element, big_endian, first_fastest, shape, single: false })
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
    }

    fn peek(&mut self) -> Option<char> {
        self.space();
        self.rest().chars().next()
    }

    fn accept(&mut self, mark: char) -> bool {
        let there = self.peek() == Some(mark);
        self.at += if there { mark.len_utf8() } else { 0 };
        there
    }

    fn expect(&mut self, mark: char) -> Parsed<()> {
        if self.accept(mark) { Ok(()) } else { Err(format!("expected {mark:?} at byte {}", self.at)) }
    }

    fn string(&mut self) -> Parsed<&'a str> {
        let Some(quote @ ('\'' | '"')) = self.peek() else {
            return Err(format!("expected a text at byte {}", self.at));
        };
        let inner = &self.rest()[1..];
        let end = inner.find(quote).ok_or("a string does not end")?;
        self.at += end + 2;
        Ok(&inner[..end])
    }

    fn flag(&mut self) -> Parsed<bool> {
        self.space();
        for (word, value) in [("True", true), ("False", false)] {
            if self.rest().starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(format!("expected True or False at byte {}", self.at))
    }

    fn shape(&mut self) -> Parsed<Vec<usize>> {
        let mut shape = Vec::new();
        self.expect('(')?;
        while !self.accept(')') {
            self.space();
            let rest = self.rest();
            let digits = &rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())];
            shape.push(digits.parse().map_err(|_| format!("expected a size at byte {}", self.at))?);
            self.at += digits.len();
            // Python 2 wrote long numbers with an L.
            self.accept('L');
            if !self.accept(',') && self.peek() != Some(')') {
                return Err(format!("expected ',' or ')' at byte {}", self.at));
            }
            if shape.len() > 64 {
                return Err("more than 64 dimensions".into());
            }
        }
        Ok(shape)
    }
}

/// What a type description such as `<f8` stands for.
fn element(descr: &str) -> Parsed<(Element, bool)> {
    let (order, code) = match descr.split_at_checked(1) {
        Some((order @ ("<" | ">" | "|" | "="), code)) => (order, code),
        _ => ("=", descr),
    };
    let big = order == ">" || (order == "=" && cfg!(target_endian = "big"));
    let width = |code: &str| code.parse::<usize>().ok().filter(|&n| n > 0);
    let element = match code {
        "f2" => Element::F16,
        "f4" => Element::F32,
        "f8" => Element::F64,
        "i1" => Element::I8,
        "i2" => Element::I16,
        "i4" => Element::I32,
        "i8" => Element::I64,
        "u1" => Element::U8,
        "u2" => Element::U16,
        "u4" => Element::U32,
        "u8" => Element::U64,
        "b1" => Element::Bool,
        _ if code.starts_with('O') => {
            return Err(
                "it holds Python objects, which are code and are never loaded; save numbers or fixed-width texts"
                    .into(),
            );
        }
        _ => match (code.split_at_checked(1), order) {
            (Some(("S" | "a", n)), _) if width(n).is_some() => Element::Bytes(width(n).unwrap_or(1)),
            (Some(("U", n)), _) if width(n).is_some() => Element::Chars(width(n).unwrap_or(1)),
            _ => {
                return Err(format!(
                    "elements of type {descr:?} are not read; use float16 to float64, int, uint, bool or fixed-width texts"
                ));
            }
        },
    };
    Ok((element, big))
}

/// Writes points as an array of two dimensions, `rows` x `columns`, in their own precision.
pub(crate) fn write_points(out: &mut dyn Write, points: &Points) -> io::Result<()> {
    let shape = [points.len(), points.columns()];
    match points {
        Points::Dense(dense) => write(out, &shape, dense.values()),
        Points::Sparse(_) => write_part(out, points, (0, points.len())),
    }
}

/// Writes the rows from a place on of an array of `all` rows in double precision, with the head before the first.
pub(crate) fn write_part(out: &mut dyn Write, points: &Points, (from, all): (usize, usize)) -> io::Result<()> {
    if from == 0 {
        write_head(out, "<f8", &[all, points.columns()])?;
    }
    let mut row = vec![0.0; points.columns()];
    (0..points.len()).try_for_each(|i| {
        points.write_row(i, &mut row);
        write_le(&row, out, &mut |_| Ok(()))
    })
}

/// Writes numbers as an array of that shape.
pub(crate) fn write(out: &mut dyn Write, shape: &[usize], values: &Buffer) -> io::Result<()> {
    match values {
        Buffer::F32(v) => write_head(out, "<f4", shape).and_then(|()| write_le(v, out, &mut |_| Ok(()))),
        Buffer::F64(v) => write_head(out, "<f8", shape).and_then(|()| write_le(v, out, &mut |_| Ok(()))),
    }
}

/// Writes texts as an array of one dimension, each letter in four bytes as NumPy has it.
pub(crate) fn write_texts(out: &mut dyn Write, texts: &[&str]) -> io::Result<()> {
    let longest = texts.iter().map(|t| t.chars().count()).max().unwrap_or(0).max(1);
    write_head(out, &format!("<U{longest}"), &[texts.len()])?;
    for text in texts {
        let letters = text.chars().map(u32::from).chain(std::iter::repeat(0)).take(longest);
        letters.into_iter().try_for_each(|letter| out.write_all(&letter.to_le_bytes()))?;
    }
    Ok(())
}

fn write_head(out: &mut dyn Write, descr: &str, shape: &[usize]) -> io::Result<()> {
    let sizes = match shape {
        [one] => format!("{one},"),
        _ => shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", "),
    };
    let dictionary = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({sizes}), }}");
    // The elements start at a multiple of 64 bytes.
    let length = (MAGIC.len() + 4 + dictionary.len() + 1).next_multiple_of(64) - MAGIC.len() - 4;
    let told = u16::try_from(length).map_err(io::Error::other)?;
    out.write_all(MAGIC)?;
    out.write_all(&[1, 0])?;
    out.write_all(&told.to_le_bytes())?;
    writeln!(out, "{dictionary:width$}", width = length - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    /// A file of version 1 with this dictionary.
    fn file(dictionary: &str, elements: &[u8]) -> Vec<u8> {
        [MAGIC, &[1, 0], &(dictionary.len() as u16).to_le_bytes(), dictionary.as_bytes(), elements].concat()
    }

    fn parse(bytes: Vec<u8>) -> Result<Array> {
        let length = bytes.len();
        let owner: Owner = Arc::new(bytes);
        read("a.npy", &owner, 0..length, &Run::quiet(1))
    }

    #[test]
    fn heads_are_read_strictly() {
        let good = "{'descr': '<f8', 'fortran_order': False, 'shape': (2L, 1), }  \n";
        assert_eq!(parse(file(good, &[0; 16])).unwrap().shape, [2, 1]);
        assert!(parse(file("{\"shape\":(2,),\"fortran_order\":True,\"descr\":\"|u1\"}", &[0; 2])).is_ok());
        for (from, to, says) in [
            ("'<f8'", "'|O'", "never loaded"),
            ("'<f8'", "[('a', '<f8')]", "records"),
            ("'<f8'", "'<c16'", "not read"),
            ("'<f8'", "'<f16'", "not read"),
            ("'<f8'", "'<M8[ns]'", "not read"),
            ("'<f8'", "'<U0'", "not read"),
            ("'<f8'", "'é'", "not read"),
            ("'<f8'", "''", "not read"),
            ("False", "0", "True or False"),
            ("(2L, 1)", "(-2, 1)", "a size"),
            ("(2L, 1)", "(2 1)", "',' or ')'"),
            ("(2L, 1)", "(99999999999999999999, 1)", "a size"),
            ("(2L, 1)", "(4294967296, 4294967296)", "too large"),
            ("(2L, 1)", "(3, 1)", "needs 24 bytes, 16 are there"),
            ("(2L, 1)", "(1, 1)", "needs 8 bytes"),
            ("'shape'", "'shapes'", "unknown key"),
            ("'shape'", "'descr'", "a text"),
            (" }", " } x", "follows"),
            (" }", "", "a text"),
            ("{", "[", "expected '{'"),
        ] {
            let error = parse(file(&good.replacen(from, to, 1), &[0; 16])).unwrap_err().to_string();
            assert!(error.contains(says), "{to}: {error:?} does not say {says:?}");
        }
        let twice = good.replace(" }", "'descr': '<f8'}");
        assert!(parse(file(&twice, &[0; 16])).unwrap_err().to_string().contains("is duplicated"));
        let mut newer = file(good, &[0; 16]);
        newer[6] = 4;
        assert!(parse(newer.clone()).unwrap_err().to_string().contains("version 4"));
        assert!(parse(newer[..9].to_vec()).is_err() && parse(file(good, &[])[..30].to_vec()).is_err());
    }

    #[test]
    fn whole_numbers_are_exact_or_refused() {
        let head = "{'descr': '<i8', 'fortran_order': False, 'shape': (1,)}";
        let read = |x: i64| parse(file(head, &x.to_le_bytes()));
        assert!(read((1 << 53) + 1).unwrap_err().to_string().contains("9007199254740993"));
        assert!(read(-(1 << 53)).is_ok() && read(1 << 60).is_ok() && read(i64::MAX).is_err());
        let head = head.replace("<i8", ">u8");
        assert!(parse(file(&head, &u64::MAX.to_be_bytes())).is_err());
        assert!(parse(file(&head, &(1u64 << 63).to_be_bytes())).is_ok());
    }

    #[test]
    fn infinite_numbers_are_refused_and_missing_ones_pass() {
        let head = |code: &str| format!("{{'descr': '{code}', 'fortran_order': True, 'shape': (2, 2)}}");
        let bytes = [1.0, f64::NAN, f64::NEG_INFINITY, 2.0].map(f64::to_le_bytes).concat();
        let error = parse(file(&head("<f8"), &bytes)).unwrap_err().to_string();
        assert_eq!(error, "a.npy: row 1, column \"1\": -inf is not finite");
        let bytes = [1.0, f64::NAN, -0.0, 2.0].map(f64::to_le_bytes).concat();
        assert!(parse(file(&head("<f8"), &bytes)).is_ok());
        assert!(parse(file(&head("<f2"), &[0, 0x7c, 0, 0, 0, 0, 0, 0])).is_err());
    }

    #[test]
    fn what_is_written_is_read() {
        for values in [Buffer::from(vec![1.5f32, -0.0, 3.0]), Buffer::from(vec![1.5, -0.0, 1e300])] {
            for shape in [vec![3], vec![3, 1], vec![1, 3], vec![1, 1, 3]] {
                let mut bytes = Vec::new();
                write(&mut bytes, &shape, &values).unwrap();
                assert_eq!((bytes.len() - values.bytes() as usize) % 64, 0);
                let back = parse(bytes).unwrap();
                assert_eq!(back, Array { shape, values: crate::array::Values::Numbers(values.clone()) });
            }
        }
    }
}
