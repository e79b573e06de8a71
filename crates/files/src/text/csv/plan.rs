//! All that is known of a table before its rows are read.

use super::body::{self, Kind, Store, Trouble};
use super::cell::{self, Cell, Dialect, place_from};
use super::filling::InHand;
use super::opening::{Opening, opening};
use super::{cut, guess, header, preamble};
use crate::text::day::Order;
use crate::text::encoding::Text;
use crate::text::source::{Source, shown};
use crate::{ColumnType, Header, Reading};
use base::{Advice, Dataset, Error, FeatureKind, Message, Result, Run};

/// All that is known of a table before its rows are read.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub dialect: Dialect,
    /// Lines above the header, or above the rows if there is none.
    pub above: usize,
    pub has_header: bool,
    pub names: Vec<String>,
    /// Columns without a name of their own.
    pub unnamed: Vec<bool>,
    pub kinds: Vec<Kind>,
    /// What columns must hold, by the word of the user or for a model.
    pub must: Vec<Option<FeatureKind>>,
    /// Columns that are left out.
    pub left_out: Vec<bool>,
    /// Whether the last column has no name and is left out if it is empty.
    pub open_end: bool,
    /// Whether numbers show a decimal point.
    pub point_shown: bool,
    pub how: Reading,
    /// Whether quotes were guessed, so that the whole text may show that they are letters.
    quotes_guessed: bool,
    /// Whether this is the first part of a stream, or all: what was decided is said once.
    pub first_part: bool,
}

impl Plan {
    /// Looks at the first rows.
    pub fn guess(source: &Source<'_>, how: &Reading, run: &Run<'_>) -> Result<Plan> {
        source.refuse_nul()?;
        if let Some(format) = how.date_format.as_deref().filter(|f| Order::from_text(f).is_none()) {
            let must = "must be dmy, mdy, ymd or a format such as %d.%m.%Y";
            return Err(Error::parameter("date-format", format, must));
        }
        let Opening { above, dialect, start, names } = opening(source, how);
        let below = Source { bytes: &source.bytes[start..], ..*source };
        let squeezed;
        let head = match dialect.separator {
            b' ' => {
                squeezed = guess::squeeze(guess::head(&below), source.line_end);
                &squeezed[..]
            }
            _ => guess::head(&below),
        };
        let (mut rows, fault) = cell::rows(head, &dialect, guess::ROWS);
        let advise = |what: Message| run.watch.advise(&what.map(|text| format!("{}: {text}", source.name)));
        let say = |text: String| advise(text.into());
        let mut lines = above.lines;
        if how.header != Header::No && names.is_none() {
            let titles = preamble::titles(&rows, &dialect, how);
            if titles > 0 {
                let passed = preamble::line_of_row(head, &dialect, titles);
                say(match passed {
                    1 => format!("line {} above the table is skipped", lines + 1),
                    n => format!("lines {} to {} above the table are skipped", lines + 1, lines + n),
                });
                lines += passed;
                rows.drain(..titles);
            }
        }
        above.notes.iter().for_each(|note| say(note.clone()));
        if above.comments {
            say("lines that begin with # are skipped as comments".into());
        }
        let Some(first) = rows.first() else {
            return Err(match fault {
                Some(fault) => source.error(start + fault.at, 1, fault.why),
                None => Error::format(source.name, "is empty: there is no row to read"),
            });
        };
        if first.len() > how.max_columns {
            let (width, most) = (first.len(), how.max_columns);
            let why = Message::from(format!("has {width} columns, more than the {most} that are allowed"));
            return Err(Error::format(source.name, why.with(Advice::option("max-columns", "N"))));
        }
        let has_header = names.is_none()
            && match how.header {
                Header::Yes => true,
                Header::No => false,
                Header::Auto => header::is_header(&rows, &dialect, how),
            };
        if !has_header
            && names.is_none()
            && how.header == Header::Auto
            && first.iter().any(|c| header::is_word(c, &dialect))
        {
            let named = match first.len() - 1 {
                0 => "the column is named 0".to_string(),
                last => format!("the columns are named 0 to {last}"),
            };
            let what = Message::from(format!("no header found; {named}"));
            advise(what.with_effect(Advice::option("header", "yes"), "if the first line names them"));
        }
        let given = match (&names, has_header) {
            (Some(names), _) => names.clone(),
            (None, true) => names_of(first, &rows[1..], &say),
            (None, false) => vec![String::new(); first.len()],
        };
        let unnamed: Vec<bool> = given.iter().map(|n| n.is_empty() && (has_header || names.is_some())).collect();
        let open_end = given.len() > 1 && unnamed.last() == Some(&true);
        let (names, changed) = header::unique(
            given.into_iter().enumerate().map(|(i, n)| if n.is_empty() { i.to_string() } else { n }).collect(),
        );
        if !changed.is_empty() {
            let list: Vec<String> = changed.iter().take(5).map(|n| shown(n.as_bytes())).collect();
            let more = if changed.len() > 5 { format!(" and {} more", changed.len() - 5) } else { String::new() };
            say(format!("duplicate column names became {}{more}", list.join(", ")));
        }
        crate::typed::known(source.name, names.iter().map(String::as_str), how)?;
        let point_shown = dialect.point == b'.' && guess::shows_point(head, &dialect, b'.');
        let body = &rows[usize::from(has_header)..];
        let mut plan = Plan {
            above: lines,
            has_header,
            unnamed,
            kinds: vec![],
            must: vec![],
            left_out: vec![],
            open_end,
            point_shown,
            how: how.clone(),
            quotes_guessed: how.quotes.is_none(),
            first_part: true,
            names,
            dialect,
        };
        for (column, name) in plan.names.iter().enumerate() {
            let user = how.types.get(name);
            let must = match user {
                Some(given) => given.kind(),
                None => how.kinds.get(name).cloned(),
            };
            plan.left_out.push(user == Some(&ColumnType::Ignore));
            plan.kinds.push(match &must {
                _ if user == Some(&ColumnType::Ignore) => Kind::Skip,
                Some(FeatureKind::Number) if how.written.contains_key(name) => Kind::Words,
                None | Some(FeatureKind::Number) => {
                    let found = header::kind_of_column(column, body, &plan.dialect);
                    if must.is_some() && found == Kind::Date { Kind::Words } else { found }
                }
                Some(FeatureKind::Date) if how.date_format.is_some() || how.written.contains_key(name) => Kind::Words,
                Some(FeatureKind::Date) => Kind::Date,
                Some(FeatureKind::Image) => {
                    let what = format!("a column of images ({name:?})");
                    return Err(Error::unsupported(what, "text tables", "read the images from a folder"));
                }
                Some(_) => Kind::Words,
            });
            plan.must.push(must);
        }
        let zeros = |row: &Vec<Cell<'_>>, i: usize| row.get(i).is_some_and(|c| has_leading_zero(c.text));
        let zeroed: Vec<&String> = (0..plan.names.len())
            .filter(|&i| {
                plan.kinds[i] == Kind::Number && plan.must[i].is_none() && body.iter().any(|row| zeros(row, i))
            })
            .map(|i| &plan.names[i])
            .collect();
        for name in zeroed.iter().take(3) {
            let what = Message::from(format!("column {name:?}: leading zeros are lost in numbers"));
            advise(what.with_effect(Advice::option("type", format!("{name}=category")), "keeps them"));
        }
        if plan.dialect.point == b',' && how.decimal_comma.is_none() && !plan.kinds.iter().all(|k| *k == Kind::Words) {
            let what = Message::from("numbers are read with a decimal comma");
            advise(what.with_effect(Advice::option("decimal", "."), "if they are not"));
        }
        Ok(plan)
    }

    /// Fixes what was guessed to what a first part of the table turned out to be.
    pub fn fix(&mut self, data: &Dataset) {
        let base::Inputs::Table(table) = &data.inputs else { return };
        for (i, name) in self.names.iter().enumerate() {
            let Some(column) = table.column(name) else {
                (self.kinds[i], self.left_out[i]) = (Kind::Skip, true);
                continue;
            };
            let kind = FeatureKind::of(&column.cells);
            let written = data.features.written().get(name);
            self.kinds[i] = match kind {
                _ if written.is_some() => Kind::Words,
                FeatureKind::Number => Kind::Number,
                FeatureKind::Date => Kind::Date,
                _ => Kind::Words,
            };
            if let Some(written) = written {
                self.how.written.insert(name.clone(), written.clone());
            }
            self.must[i] = Some(kind);
        }
        (self.quotes_guessed, self.first_part, self.open_end) = (false, false, false);
    }

    /// Where the last row that is surely whole ends in a text that may be cut off anywhere.
    pub fn whole_rows(&self, bytes: &[u8]) -> usize {
        cut::whole_rows(bytes, &self.dialect)
    }

    /// Reads the rows; `first` says whether the text begins with what stands above them.
    pub fn read(&self, source: &Source<'_>, first: bool, piece: usize, run: &Run<'_>) -> Result<Dataset> {
        source.refuse_nul()?;
        let squeezed: Text<'static>;
        let mut source = *source;
        source.line_end = self.dialect.line_end;
        if self.dialect.separator == b' ' {
            let hold = run.memory.take(source.bytes.len() as u64, "text without blanks")?;
            squeezed = Text::copied(guess::squeeze(source.bytes, source.line_end), hold);
            source.bytes = &squeezed;
        }
        let mut dialect = self.dialect.clone();
        // Tables of very many columns get larger pieces, so that columns times pieces stays small.
        let size = piece.max(64 * self.names.len());
        let mut start = self.body_start(source.bytes, first, &dialect);
        let mut pieces = cut::pieces(&source, start, &dialect, size, run)?;
        if let Some(at) = pieces.broken.filter(|_| self.quotes_guessed && guess::may_be_letters(dialect.separator)) {
            let line = source.line(at);
            run.watch
                .note(&format!("{}: quotes are read literally, as they do not pair up in line {line}", source.name));
            dialect.quotes = false;
            start = self.body_start(source.bytes, first, &dialect);
            pieces = cut::pieces(&source, start, &dialect, size, run)?;
        }
        let mut filled = body::read(&source, &pieces, &dialect, &self.kinds, run)?;
        let reading = InHand { plan: self, source: &source, dialect: &dialect, pieces: &pieces };
        let again = reading.again(&filled)?;
        if again.contains(&Kind::Words) {
            filled.stores.iter_mut().zip(&again).filter(|(_, k)| **k == Kind::Words).for_each(|(s, _)| {
                // Given back before words take its place.
                *s = Store::Nothing;
            });
            let second = body::read(&source, &pieces, &dialect, &again, run)?;
            let news = second.stores.into_iter().zip(second.troubles).zip(&again);
            for (i, ((store, trouble), _)) in news.enumerate().filter(|(_, (_, kind))| **kind == Kind::Words) {
                let rounded = filled.troubles[i].rounded;
                (filled.stores[i], filled.troubles[i]) = (store, Trouble { rounded, ..trouble });
            }
        }
        reading.columns(filled, run)
    }

    /// Where the rows begin that are not the header.
    fn body_start(&self, bytes: &[u8], first: bool, dialect: &Dialect) -> usize {
        if !first {
            return 0;
        }
        let mut at = preamble::after_lines(bytes, self.above, dialect.line_end);
        if !self.has_header {
            return at.min(bytes.len());
        }
        while let Some(next) = cell::empty_line(bytes, at, dialect).filter(|_| at < bytes.len()) {
            at = next;
        }
        while let Ok((_, next, ends_line)) = cell::cell(bytes, at.min(bytes.len()), dialect) {
            at = next;
            if ends_line {
                break;
            }
        }
        at.min(bytes.len())
    }

    /// Where the cell of a row and column begins in the text of a whole file; blanks between fields are not undone.
    pub fn place_of(&self, source: &Source<'_>, row: usize, column: usize) -> usize {
        let start = self.body_start(source.bytes, true, &self.dialect);
        place_from(source.bytes, start, &self.dialect, row, column)
    }
}

impl Plan {
    /// Whether a column is the target, weights or groups.
    pub fn has_role(&self, column: usize) -> bool {
        self.how.roles.contains(&self.names[column])
    }
}

/// The names in a header, made as many as the rows below have fields.
fn names_of(first: &[Cell<'_>], rest: &[Vec<Cell<'_>>], say: &impl Fn(String)) -> Vec<String> {
    let mut names: Vec<String> = first.iter().map(|c| String::from_utf8_lossy(&c.content()).into_owned()).collect();
    let width = rest.first().map_or(names.len(), Vec::len);
    let alike = !rest.is_empty() && rest.iter().all(|row| row.len() == width);
    if alike && width == names.len() + 1 {
        if rest.iter().all(|row| row[width - 1].text.is_empty()) {
            // Every row ends with a separator.
            names.push(String::new());
        } else {
            say("the header is one field short: the first column is read as row names and called \"row\"".into());
            names.insert(0, "row".into());
        }
    } else if alike && width + 1 == names.len() && names.last().is_some_and(String::is_empty) {
        names.pop();
    }
    names
}

/// Whether this is a whole number with a zero in front, as codes have it.
fn has_leading_zero(text: &[u8]) -> bool {
    text.len() > 1 && text[0] == b'0' && text.iter().all(u8::is_ascii_digit)
}
