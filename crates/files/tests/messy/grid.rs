//! The same table in every encoding, with every separator and line end: always read the same.

use crate::Case;
use std::io::Write;

const EXPECTED: &str =
    "size:number=1.5|22|-|4 city:category=Köln|Bonn|Bonn|Köln day:date=2023-01-31|2023-02-01|2023-02-01|-";
const ROWS: [[&str; 3]; 5] = [
    ["size", "city", "day"],
    ["1.5", "Köln", "2023-01-31"],
    ["22", "Bonn", "2023-02-01"],
    ["", "Bonn", "2023-02-01"],
    ["4", "Köln", "NA"],
];

fn text(separator: &str, end: &str, quotes: bool) -> String {
    let field = |f: &&str| if quotes && !f.is_empty() { format!("\"{f}\"") } else { f.to_string() };
    let line = |row: &[&str; 3]| row.iter().map(field).collect::<Vec<_>>().join(separator) + end;
    ROWS.iter().map(line).collect()
}

fn utf16(text: &str, little: bool) -> Vec<u8> {
    let units = [0xfeff].into_iter().chain(text.encode_utf16());
    units.flat_map(|u: u16| if little { u.to_le_bytes() } else { u.to_be_bytes() }).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

/// Five separators, three line ends, with and without quotes, in five encodings; some also packed.
pub fn cases() -> Vec<Case> {
    let mut cases = vec![];
    for (separator, name) in [(",", "comma"), (";", "semicolon"), ("\t", "tab"), ("|", "bar"), ("^", "caret")] {
        for (end, end_name) in [("\n", "LF"), ("\r\n", "CRLF"), ("\r", "CR")] {
            for quotes in [false, true] {
                let text = text(separator, end, quotes);
                let name = format!("{name}, {end_name}, quotes {quotes}");
                cases.push(Case::table(format!("{name}, UTF-8"), text.clone(), EXPECTED, &[]));
                if end_name == "CR" {
                    continue;
                }
                cases.push(Case::table(format!("{name}, BOM"), format!("\u{feff}{text}"), EXPECTED, &[]));
                cases.push(Case::table(format!("{name}, UTF-16 LE"), utf16(&text, true), EXPECTED, &[]));
                cases.push(Case::table(format!("{name}, UTF-16 BE"), utf16(&text, false), EXPECTED, &[]));
                let latin: Vec<u8> = text.chars().map(|c| c as u8).collect();
                cases.push(Case::table(format!("{name}, Latin-1"), latin, EXPECTED, &["is read as Latin-1"]));
                cases.push(Case::table(format!("{name}, gzip"), gzip(text.as_bytes()), EXPECTED, &[]));
            }
        }
    }
    cases
}
