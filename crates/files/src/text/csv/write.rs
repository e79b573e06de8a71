//! Tables to text: numbers with the fewest digits that read back the same, fields quoted where they must be.

use crate::Reading;
use crate::reading::file_error;
use crate::text::date;
use base::{Cells, Error, Result, Table};
use std::io::Write;

/// A text as a field between commas: quoted if it has signs that would end it.
pub fn csv_field(text: &str) -> String {
    if has_signs(text, ',') { in_quotes(text) } else { text.to_string() }
}

/// Whether a text has signs that would end a field.
fn has_signs(text: &str, separator: char) -> bool {
    text.contains(['"', '\r', '\n', separator])
}

fn in_quotes(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// Writes a table with a line of names, fields separated by `separator`.
///
/// A missing value is an empty field. Read again with [`Reading::kinds`] as the table's own, the table comes back the
/// same, but for empty texts, which come back as missing. Images cannot be written.
pub fn write(out: &mut dyn Write, table: &Table, separator: u8) -> Result<()> {
    if b"\"\r\n".contains(&separator) || !separator.is_ascii() || separator == 0 {
        return Err(Error::parameter(
            "separator",
            separator as char,
            "must be a character other than a quote or a line end",
        ));
    }
    let missing = Reading::default().missing;
    let mut writer = Fields { out, separator, missing, line: String::new(), alone: table.columns().len() == 1 };
    for (i, column) in table.columns().iter().enumerate() {
        if let Cells::Image(_) = column.cells {
            let what = format!("a column of images ({:?})", column.name);
            return Err(Error::unsupported(what, "text tables", "leave the column out"));
        }
        writer.text(i, Some(&column.name));
    }
    writer.end()?;
    for row in 0..table.rows() {
        for (i, column) in table.columns().iter().enumerate() {
            match &column.cells {
                Cells::Number(v) => writer.plain(i, v.get(row).filter(|x| !x.is_nan()).map(|&x| number(x))),
                Cells::Date(v) => {
                    let moment = v.get(row).filter(|x| !x.is_nan());
                    writer.plain(i, moment.map(|&x| date::text(x).unwrap_or_else(|| number(x))));
                }
                Cells::Category { codes, levels } => {
                    writer.text(i, codes.get(row).and_then(|&c| levels.get(c as usize)).map(String::as_str));
                }
                Cells::Text(texts) | Cells::Id(texts) => writer.text(i, texts.get(row)),
                Cells::Image(_) => {}
            }
        }
        writer.end()?;
    }
    Ok(())
}

/// A number with the fewest digits that read back the same, with an exponent where that is shorter.
pub(crate) fn number(x: f64) -> String {
    let plain = base::number_text(x);
    if plain == "0" && x.is_sign_negative() {
        return "-0".into();
    }
    match plain.len() > 20 {
        true => format!("{x:e}"),
        false => plain,
    }
}

struct Fields<'a> {
    out: &'a mut dyn Write,
    separator: u8,
    missing: Vec<String>,
    line: String,
    alone: bool,
}

impl Fields<'_> {
    fn begin(&mut self, column: usize) {
        if column > 0 {
            self.line.push(self.separator as char);
        }
    }

    fn plain(&mut self, column: usize, text: Option<String>) {
        match text {
            Some(text) if !text.contains(self.separator as char) => {
                self.begin(column);
                self.line.push_str(&text);
            }
            text => self.text(column, text.as_deref()),
        }
    }

    fn text(&mut self, column: usize, text: Option<&str>) {
        self.begin(column);
        let text = text.unwrap_or_default();
        let blank = |c: Option<char>| c.is_some_and(|c| " \t".contains(c));
        let quoted = has_signs(text, self.separator as char)
            || blank(text.chars().next())
            || blank(text.chars().next_back())
            || self.missing.iter().any(|m| m == text)
            // An empty line is no row: the only field of a row is never nothing.
            || (self.alone && text.is_empty());
        match quoted {
            true => self.line.push_str(&in_quotes(text)),
            false => self.line.push_str(text),
        }
    }

    fn end(&mut self) -> Result<()> {
        self.line.push('\n');
        let result = self.out.write_all(self.line.as_bytes());
        self.line.clear();
        result.map_err(|e| file_error("output", &e))
    }
}
