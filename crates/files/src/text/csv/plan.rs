//! All that is known of a table before its rows are read, and the reading by it.

use super::body::{self, Filled, Kind, Store, Trouble};
use super::cell::{self, Cell, Dialect};
use super::column::Joined;
use super::preamble::{self, Preamble};
use super::survey::{self, Known, Survey, Verdict};
use super::told::Told;
use super::{cut, guess, header, ids};
use crate::text::day::Order;
use crate::text::encoding::Text;
use crate::text::local::Style;
use crate::text::source::{Source, shown};
use crate::{ColumnType, Header, Reading};
use base::{Cells, Column, Dataset, Error, FeatureKind, Features, Result, Run, Shared, Table, Targets};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// The text behind what stands above a table, and how it is written.
struct Opening {
    above: Preamble,
    dialect: Dialect,
    /// Where the text behind `sep=` and comments begins.
    start: usize,
    names: Option<Vec<String>>,
}

/// Looks at what stands above the table and how it is written.
fn opening(source: &Source<'_>, how: &Reading) -> Opening {
    let mut above = preamble::look(source);
    let separator = how.separator.or(above.separator);
    let how = Reading { separator, ..how.clone() };
    let at = |lines: usize| preamble::after_lines(source.bytes, lines, source.line_end);
    let mut start = at(above.lines);
    let below = Source { bytes: &source.bytes[start..], ..*source };
    let mut dialect = guess::dialect(&below, &how);
    let mut names = None;
    if above.comments {
        dialect.comment = b'#';
        names = above.settle(guess::head(&below), &dialect);
        // One line that fits the rows and is no header is a row.
        let whole = Source { bytes: &source.bytes[at(usize::from(above.separator.is_some()))..], ..*source };
        let plain = guess::dialect(&whole, &how);
        let (rows, _) = cell::rows(guess::head(&whole), &plain, guess::ROWS);
        let fits = rows.len() > 1 && rows.iter().all(|row| row.len() == rows[0].len());
        let hashes = rows.iter().filter(|row| row[0].text.first() == Some(&b'#')).count();
        if names.is_none() && fits && (rows[0].len() > 1 || 2 * hashes > rows.len()) {
            above.lines = usize::from(above.separator.is_some());
            above.comments = false;
            start = at(above.lines);
            dialect = plain;
        }
    }
    Opening { above, dialect, start, names }
}

/// As [`Plan::whole_rows`], for the first bytes of a file, of which nothing is known yet.
pub(crate) fn whole_first_rows(source: &Source<'_>, how: &Reading) -> usize {
    let Opening { mut dialect, start, .. } = opening(source, how);
    let bytes = &source.bytes[start..];
    let mut end = cut::whole_rows(bytes, &dialect);
    if end == 0 && how.quotes.is_none() && guess::may_be_letters(dialect.separator) {
        // A quote that is open to the end may be a letter.
        dialect.quotes = false;
        end = cut::whole_rows(bytes, &dialect);
    }
    // One row alone cannot tell whether it is a header.
    match cell::rows(&bytes[..end], &dialect, 2).0.len() {
        2 => start + end,
        _ => 0,
    }
}

/// All that is known of a table before its rows are read.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    dialect: Dialect,
    /// Lines above the header, or above the rows if there is none.
    above: usize,
    has_header: bool,
    names: Vec<String>,
    /// Columns without a name of their own.
    unnamed: Vec<bool>,
    kinds: Vec<Kind>,
    /// What columns must hold, by the word of the user or for a model.
    must: Vec<Option<FeatureKind>>,
    /// Columns that are left out.
    left_out: Vec<bool>,
    /// Whether the last column has no name and is left out if it is empty.
    open_end: bool,
    /// Whether numbers show a decimal point.
    point_shown: bool,
    how: Reading,
    /// Whether quotes were guessed, so that the whole text may show that they are letters.
    quotes_guessed: bool,
    /// Whether this is the first part of a stream, or all: what was decided is said once.
    first_part: bool,
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
        let say = |text: String| run.watch.note(&format!("{}: {text}", source.name));
        let mut lines = above.lines;
        if how.header != Header::No && names.is_none() {
            let titles = preamble::titles(&rows, &dialect, how);
            if titles > 0 {
                let passed = preamble::line_of_row(head, &dialect, titles);
                say(match passed {
                    1 => format!("line {} above the table is passed over", lines + 1),
                    n => format!("lines {} to {} above the table are passed over", lines + 1, lines + n),
                });
                lines += passed;
                rows.drain(..titles);
            }
        }
        above.notes.iter().for_each(|note| say(note.clone()));
        if above.comments {
            say("lines that begin with # are comments and passed over".into());
        }
        let Some(first) = rows.first() else {
            return Err(match fault {
                Some(fault) => source.error(start + fault.at, 1, fault.why),
                None => Error::format(source.name, "is empty: there is no row to read"),
            });
        };
        if first.len() > how.max_columns {
            let (width, most) = (first.len(), how.max_columns);
            let why = format!("has {width} columns, more than the {most} that are allowed (--max-columns)");
            return Err(Error::format(source.name, why));
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
            let last = first.len() - 1;
            say(format!(
                "no header is recognised, the columns are named 0 to {last} (--header yes if the first line names them)"
            ));
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
            say(format!("names of columns came twice and became {}{more}", list.join(", ")));
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
            say(format!("column {name:?}: leading zeros are lost in numbers (--type {name}=category keeps them)"));
        }
        if plan.dialect.point == b',' && how.decimal_comma.is_none() && !plan.kinds.iter().all(|k| *k == Kind::Words) {
            say("numbers are read with a decimal comma (--decimal . if they are not)".into());
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
            run.watch.note(&format!("{}: quotes are read as letters, they do not pair in line {line}", source.name));
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

/// Where the cell of a row, counted from `start`, and column begins.
fn place_from(bytes: &[u8], start: usize, dialect: &Dialect, row: usize, column: usize) -> usize {
    let (mut at, mut row) = (start, row);
    while at < bytes.len() {
        if let Some(next) = cell::empty_line(bytes, at, dialect) {
            at = next;
            continue;
        }
        let mut field = 0;
        loop {
            if row == 0 && field == column {
                return at.min(bytes.len());
            }
            match cell::cell(bytes, at.min(bytes.len()), dialect) {
                Ok((_, next, ends_line)) => {
                    (at, field) = (next, field + 1);
                    if ends_line {
                        break;
                    }
                }
                Err(_) => return at.min(bytes.len()),
            }
        }
        row = row.saturating_sub(1);
    }
    bytes.len()
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
            say("the header is one field short: the first column is taken for names of the rows and called \"row\""
                .into());
            names.insert(0, "row".into());
        }
    } else if alike && width + 1 == names.len() && names.last().is_some_and(String::is_empty) {
        names.pop();
    }
    names
}

/// A table while its rows are read.
struct InHand<'a> {
    plan: &'a Plan,
    source: &'a Source<'a>,
    dialect: &'a Dialect,
    pieces: &'a cut::Pieces,
}

impl InHand<'_> {
    /// An error about the cell that begins at `at`.
    fn error(&self, at: usize, column: usize, what: &str) -> Error {
        let cell = body::shown_cell(self.source.bytes, at, self.dialect);
        let name = shown(self.plan.names[column].as_bytes());
        self.source.error(at, column + 1, format!("{cell} {what} (column {name})"))
    }

    /// An error about a cell that is odd in its column, with what can be done.
    fn odd(&self, at: usize, column: usize, what: &str) -> Error {
        let bytes = cell::cell(self.source.bytes, at, self.dialect).map_or(&b""[..], |(cell, ..)| cell.text);
        let plain = bytes.len() < 20 && bytes.iter().all(|b| b.is_ascii_graphic() && !b"'\"".contains(b));
        let word = if plain { format!("'{}'", String::from_utf8_lossy(bytes)) } else { "WORD".to_string() };
        let name = &self.plan.names[column];
        let quoted = if name.contains([' ', '\'']) { format!("\"{name}=text\"") } else { format!("{name}=text") };
        let header = self.source.line(at) == 1 + self.plan.above as u64 && !self.plan.has_header;
        let header = if header { ", or --header yes if the first line names the columns" } else { "" };
        let help = format!(
            "{what}; mend it, or --missing {word} reads it as missing, --type {quoted} the column as words{header}"
        );
        self.error(at, column, &help)
    }

    /// Which columns must be read again, as words; an error where it is clear that a few cells are odd.
    fn again(&self, filled: &Filled) -> Result<Vec<Kind>> {
        let plan = self.plan;
        let mut again = vec![Kind::Skip; plan.kinds.len()];
        for (column, trouble) in filled.troubles.iter().enumerate() {
            let Store::Numbers(values, _) = &filled.stores[column] else { continue };
            let free = plan.must[column].is_none();
            if let Some(at) = trouble.words.first {
                let numbers = if trouble.unclear { 0 } else { values.iter().filter(|x| !x.is_nan()).count() };
                let few = 10 * numbers >= 9 * (numbers + trouble.words.count) && numbers > 1;
                match (trouble.unclear, free) {
                    (false, false) => return Err(self.error(at, column, "is not a number")),
                    (false, true) if few => return Err(self.odd(at, column, &survey::odd_cell("number", numbers))),
                    _ => again[column] = Kind::Words,
                }
            } else if trouble.rounded.count > 0 && free && !plan.has_role(column) {
                // Rounded keys would be others: they keep their digits.
                if values.iter().all(|x| x.fract() == 0.0) {
                    again[column] = Kind::Words;
                }
            }
        }
        Ok(again)
    }

    /// The columns as they are kept, and what was decided said.
    fn columns(&self, filled: Filled, run: &Run<'_>) -> Result<Dataset> {
        let (plan, rows) = (self.plan, &filled.rows);
        let jobs: Vec<_> = filled.stores.into_iter().map(|s| Mutex::new(Some(s))).collect();
        let held = numeric::each(run, jobs.len(), |i| {
            let store = jobs[i].lock().ok().and_then(|mut s| s.take()).unwrap_or(Store::Nothing);
            Ok(match store {
                Store::Numbers(values, hold) => Held::Numbers(Shared::counted(values, hold)),
                Store::Codes(codes, hold, parts) => {
                    let joined = Joined::new(codes, hold, parts, rows, &run.memory)?;
                    let survey = Survey::of(&joined.words, &joined.codes);
                    Held::Words(Box::new((joined, survey)))
                }
                Store::Nothing => Held::Nothing,
            })
        })?;
        let orders = held.iter().filter_map(|h| if let Held::Words(w) = h { w.1.shown_order() } else { None });
        let mut orders: Vec<Order> = orders.collect();
        orders.dedup();
        let order = if let [only] = orders[..] { Some(only) } else { None };
        let (mut told, mut written) = (Told::default(), BTreeMap::new());
        let mut columns = Vec::with_capacity(held.len());
        for (i, held) in held.into_iter().enumerate() {
            let name = &plan.names[i];
            self.tell_gaps(i, &filled.troubles[i], &mut told);
            let cells = match held {
                Held::Nothing => continue,
                Held::Numbers(values)
                    if plan.open_end && i + 1 == plan.names.len() && values.iter().all(|x| x.is_nan()) =>
                {
                    told.add(name, "is empty, has no name and is left out");
                    continue;
                }
                Held::Numbers(values) if plan.kinds[i] == Kind::Date => Cells::Date(values),
                Held::Numbers(values) => self.numbers(i, values, &filled.troubles[i], &mut told, run)?,
                Held::Words(both) => {
                    let (joined, survey) = *both;
                    self.words(i, joined, &survey, (order, &filled.troubles[i]), &mut told, &mut written, run)?
                }
            };
            if !plan.left_out[i] {
                columns.push(Column { name: name.clone(), cells });
            }
        }
        if plan.first_part {
            self.tell_ids(&columns, &mut told);
            told.say(self.source.name, run);
        }
        let table = Table::new(columns)?;
        let features = Features::of_table(&table).written_as(&written);
        Ok(Dataset { features, ..Dataset::new(table, Targets::None) })
    }

    fn tell_gaps(&self, column: usize, trouble: &Trouble, told: &mut Told) {
        let cell = |at: usize| body::shown_cell(self.source.bytes, at, self.dialect);
        told.gaps(self.source, &self.plan.names[column], trouble, cell);
    }

    /// Plain numbers, unless they name the rows.
    fn numbers(
        &self,
        i: usize,
        values: Shared<f64>,
        trouble: &Trouble,
        told: &mut Told,
        run: &Run<'_>,
    ) -> Result<Cells> {
        let (plan, name) = (self.plan, &self.plan.names[i]);
        let free = plan.must[i].is_none() && !plan.has_role(i);
        if free && ids::numbers_name_rows(name, plan.unnamed[i], i == 0, plan.names.len(), &values) {
            let _hold = run.memory.take(32 * values.len() as u64, "a column of texts")?;
            let texts: Vec<String> = values.iter().map(|x| base::number_text(*x)).collect();
            return Ok(Cells::Id(texts.iter().map(|t| Some(t.as_str())).collect()));
        }
        if let Some(at) = trouble.rounded.first {
            let (count, cell) = (trouble.rounded.count, body::shown_cell(self.source.bytes, at, self.dialect));
            let s = if count == 1 {
                "1 whole number beyond 2^53 is".into()
            } else {
                format!("{count} whole numbers beyond 2^53 are")
            };
            told.add(
                name,
                format!("{s} rounded, such as {cell} (--type {name}=id or {name}=category keeps every digit)"),
            );
        }
        Ok(Cells::Number(values))
    }

    /// Words, unless all of them are numbers or dates.
    #[allow(clippy::too_many_arguments, reason = "what is said and remembered goes to two places")]
    fn words(
        &self,
        i: usize,
        joined: Joined,
        survey: &Survey,
        (order, trouble): (Option<Order>, &Trouble),
        told: &mut Told,
        written: &mut BTreeMap<String, String>,
        run: &Run<'_>,
    ) -> Result<Cells> {
        let (plan, name) = (self.plan, &self.plan.names[i]);
        let known = Known {
            must: plan.must[i].as_ref(),
            written: plan.how.written.get(name).map(String::as_str),
            how: &plan.how,
            point: self.dialect.point,
            point_shown: plan.point_shown,
            separator: self.dialect.separator,
            order,
        };
        let place = |code: u32| {
            let row = joined.codes.iter().position(|c| *c == code).unwrap_or(0);
            let start = self.pieces.ranges.first().map_or(0, |r| r.start);
            place_from(self.source.bytes, start, self.dialect, row, i)
        };
        let soft = || match survey.soft {
            0 => None,
            1 => Some("1 word for a gap is read as missing".to_string()),
            n => Some(format!("{n} words for gaps are read as missing")),
        };
        let verdict = survey.judge(&joined.words, &known);
        match verdict {
            Verdict::Odd(code, what) if plan.must[i].is_some() && !what.contains("--") => {
                return Err(self.error(place(code), i, &what));
            }
            Verdict::Odd(code, what) if what.contains("--") => return Err(self.error(place(code), i, &what)),
            Verdict::Odd(code, what) => return Err(self.odd(place(code), i, &what)),
            Verdict::Mixed(what, fits, code) => {
                let line = self.source.line(place(code));
                let (all, word) = (survey.present - survey.soft, shown(joined.words.word(code as usize)));
                told.add(
                    name,
                    format!("is read as words: {fits} of {all} cells are {what}s, {word} in line {line} is not"),
                );
            }
            Verdict::Numbers(style) => {
                // Keys with more digits than numbers have were read as words on purpose.
                let plain = style == (Style { point: self.dialect.point, group: crate::text::local::Group::Nothing });
                let free = plan.must[i].is_none() && !plan.has_role(i);
                let keys = plain && free && plan.kinds[i] == Kind::Number && survey.soft == 0;
                if !(keys && ids::words_name_rows("id", joined.codes.len(), &joined.words)) {
                    let (mut values, hold) = run.memory.filled(joined.codes.len(), f64::NAN, "a column of numbers")?;
                    survey::numbers(style, &joined.words, &joined.codes, &mut values);
                    soft().into_iter().for_each(|what| told.add(name, what));
                    let odd = joined.words.iter().find(|w| crate::text::number::whole(w, self.dialect.point).is_none());
                    if let Some((example, value)) = odd.and_then(|w| Some((w, style.number(w)?))) {
                        told.style(name, style, example, value);
                        written.insert(name.clone(), style.to_string());
                    }
                    return self.numbers(i, Shared::counted(values, hold), trouble, told, run);
                }
                return joined.cells(name, Some(&FeatureKind::Id), false, &run.memory);
            }
            Verdict::Dates(order) => {
                let (mut values, hold) = run.memory.filled(joined.codes.len(), f64::NAN, "a column of dates")?;
                survey::moments(order, &joined.words, &joined.codes, &mut values);
                soft().into_iter().for_each(|what| told.add(name, what));
                told.add(name, format!("dates are read as {}", order.words()));
                written.insert(name.clone(), order.to_string());
                return Ok(Cells::Date(Shared::counted(values, hold)));
            }
            Verdict::Words => {}
        }
        joined.cells(name, plan.must[i].as_ref(), plan.has_role(i), &run.memory)
    }

    /// Says which columns were found to name the rows.
    fn tell_ids(&self, columns: &[Column], told: &mut Told) {
        let plan = self.plan;
        let found = |c: &&Column| {
            let free = plan.names.iter().position(|n| *n == c.name).is_some_and(|i| plan.must[i].is_none());
            matches!(c.cells, Cells::Id(_)) && free && plan.how.kinds.is_empty()
        };
        for column in columns.iter().filter(found) {
            told.add(
                &column.name,
                "names the rows (id), which machines leave out (--type COLUMN=number or category keeps it)",
            );
        }
    }
}

/// Whether this is a whole number with a zero in front, as codes have it.
fn has_leading_zero(text: &[u8]) -> bool {
    text.len() > 1 && text[0] == b'0' && text.iter().all(u8::is_ascii_digit)
}

/// A column between reading and deciding.
enum Held {
    Numbers(Shared<f64>),
    Words(Box<(Joined, Survey)>),
    Nothing,
}

impl Plan {
    /// Whether a column is the target, weights or groups.
    fn has_role(&self, column: usize) -> bool {
        self.how.roles.contains(&self.names[column])
    }
}
