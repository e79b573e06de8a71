//! Which of the text formats a file is, told from its first bytes.

use super::source::{line_end, trimmed};
use super::{arff, encoding, number};
use crate::Format;
use base::Run;

/// The text format that `head`, the first kilobyte or so of a file, shows; `None` if it is not text.
///
/// Content decides; the name only where the content fits more than one: a file of nothing but labels, or a line of three
/// counts alone.
pub fn recognise(name: &str, head: &[u8]) -> Option<Format> {
    // Half a unit of UTF-16 at the end is nothing but the end of the head.
    let even =
        if head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]) { head.len() & !1 } else { head.len() };
    let quiet = Run::quiet(0);
    let text = encoding::decode(name, &head[..even], &quiet)
        .or_else(|_| encoding::decode(name, &head[..even.saturating_sub(2)], &quiet))
        .ok()?;
    if text.is_empty() || text.iter().any(|&b| b < b' ' && !b"\t\n\r\x0c\x1a".contains(&b)) {
        return None;
    }
    let end = line_end(&text);
    let mut lines: Vec<&[u8]> = text.split(|&b| b == end).collect();
    if lines.len() > 1 {
        // The last line may be cut off, or is the nothing behind the last line end.
        lines.pop();
    } else if let Some(blank) = lines[0].iter().rposition(|b| b" \t".contains(b)) {
        lines[0] = &lines[0][..blank];
    }
    let lines: Vec<&[u8]> = lines.into_iter().map(|l| l.strip_suffix(b"\r").unwrap_or(l)).collect();
    let first = lines.iter().map(|l| trimmed(l)).find(|l| !l.is_empty() && l[0] != b'%');
    if first.is_some_and(|l| ["@relation", "@attribute", "@data"].iter().any(|k| arff::after(l, k).is_some())) {
        return Some(Format::Arff);
    }
    if super::json::starts_like_records(&text) {
        return Some(Format::Json);
    }
    let named = |ends: &[&str]| {
        let name = name.to_ascii_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        ends.iter().any(|end| name.ends_with(end))
    };
    // A spoiled line makes no other format of a file: its reader can say what is wrong with it. The first line and
    // half of them must fit.
    let pairs = |lines: &[&[u8]]| {
        let rows: Vec<Option<usize>> = lines.iter().map(|l| row(l)).collect();
        let fitting = rows.iter().flatten().count();
        let fits = rows.first().is_none_or(Option::is_some) && 2 * fitting >= rows.len();
        fits.then(|| rows.iter().flatten().sum::<usize>())
    };
    let counts: Vec<bool> = lines[0].split(|b| b" \t".contains(b)).filter(|w| !w.is_empty()).map(is_natural).collect();
    let xmc = |pairs: usize| pairs > 0 || (lines.len() < 2 && named(&[".xmc", ".xmc.txt"]));
    if counts == [true; 3] && pairs(&lines[1..]).is_some_and(xmc) {
        return Some(Format::Xmc);
    }
    match pairs(&lines) {
        Some(pairs) if pairs > 0 || named(&[".libsvm", ".svm", ".svmlight"]) => Some(Format::LibSvm),
        _ => Some(Format::Csv),
    }
}

/// How many pairs `id:value` a line has, if it is `label id:value ...`; comments and empty lines have none. An id may
/// be negative and a value no number here, so that they meet the reader that refuses them.
fn row(line: &[u8]) -> Option<usize> {
    let line = line.split(|&b| b == b'#').next().unwrap_or(line);
    let mut pairs = 0;
    let mut open = false;
    for (i, word) in line.split(|b| b" \t".contains(b)).filter(|w| !w.is_empty()).enumerate() {
        match word.iter().position(|&b| b == b':') {
            // `63: .50` is a pair in two words.
            None if open => {
                number::whole(word, b'.')?;
                open = false;
            }
            None if i == 0 => {
                word.split(|&b| b == b',').all(|l| !l.is_empty() && number::whole(l, b'.').is_some()).then_some(())?;
            }
            None => return None,
            Some(_) if open => return None,
            Some(colon) => {
                let (id, value) = (&word[..colon], &word[colon + 1..]);
                (is_natural(id.strip_prefix(b"-").unwrap_or(id)) || id == b"qid").then_some(())?;
                open = value.is_empty();
                pairs += 1;
            }
        }
    }
    Some(pairs)
}

fn is_natural(word: &[u8]) -> bool {
    !word.is_empty() && word.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_decides() {
        use Format::{Arff, Csv, LibSvm, Xmc};
        for (name, head, format) in [
            ("a", "1 1:2 3:4\n-1 2:1", Some(LibSvm)),
            ("a.csv", "1,2 1:2 3:4\n 2:1\n", Some(LibSvm)),
            ("a", "1 qid:3 1: .5 # note\n", Some(LibSvm)),
            ("a", "1 1:2 3:4 17:0.", Some(LibSvm)),
            ("a", "-1 \n1 4:1\n", Some(LibSvm)),
            ("a", "1\n2\n", Some(Csv)),
            ("a.svm", "1\n2\n", Some(LibSvm)),
            ("a", "2 10 3\n0,1 4:1\n 2:1\n", Some(Xmc)),
            ("a", "2 10 3\n4 5 6\n", Some(Csv)),
            ("a", "1 2 3\n", Some(Csv)),
            ("a.xmc.txt", "0 2 3\n", Some(Xmc)),
            ("a", "% note\n\n@RELATION x\n", Some(Arff)),
            ("a.txt", "@relational,b\n1,2\n", Some(Csv)),
            ("a", "time,x\n12:30,4\n", Some(Csv)),
            ("a", "1 1:2\n-1 1:nan\n", Some(LibSvm)),
            ("a", "1 -3:1\n", Some(LibSvm)),
            ("a", "1 1:2 2:3\n-1 1:2 oops\n", Some(LibSvm)),
            ("a", "day time\n1 12:30\n2 13:40\n", Some(Csv)),
            ("a.libsvm", "x,y\n1,2\n", Some(Csv)),
            ("a", "{\"a\": 1}\n{\"a\": 2}\n", Some(Format::Json)),
            ("a", "[\n  {\"a\": 1, \"b\"", Some(Format::Json)),
            ("a", "[1,2],x\n[3,4],y\n", Some(Csv)),
            ("a", "{a},{b}\n{1},{2}\n", Some(Csv)),
            ("a", "a\0b", None),
            ("a", "\u{89}PNG\r\n\u{1a}\n\u{0}", None),
            ("a", "", None),
        ] {
            assert_eq!(recognise(name, head.as_bytes()), format, "{name}: {head:?}");
        }
        let wide: Vec<u8> =
            [0xfeffu16].into_iter().chain("a,b\n1,2\n".encode_utf16()).flat_map(u16::to_le_bytes).collect();
        assert_eq!(recognise("a", &wide), Some(Csv));
        assert_eq!(recognise("a", &wide[..9]), Some(Csv));
    }
}
