//! What the user is told about the columns of a table: what was read in which way, made a gap of, or left out.

use super::body::Trouble;
use crate::text::local::Style;
use crate::text::source::{Source, shown};
use base::{Message, Run};

/// Names shown before the rest is counted.
const SHOWN: usize = 6;

/// What is to be said about some columns in one sentence, each sentence once.
#[derive(Default)]
pub(crate) struct Told {
    /// Decisions, which are said once.
    decided: Vec<(Message, Vec<String>)>,
    /// What happened to cells, which is said of every part of a stream.
    happened: Vec<(Message, Vec<String>)>,
}

impl Told {
    /// Adds a column to those of which `what` was decided.
    pub fn add(&mut self, column: &str, what: impl Into<Message>) {
        push(&mut self.decided, column, what.into());
    }

    /// Adds a column to those whose cells had this happen to them.
    pub fn happened(&mut self, column: &str, what: impl Into<Message>) {
        push(&mut self.happened, column, what.into());
    }

    /// Numbers that are not written in the plain way.
    pub fn style(&mut self, column: &str, style: Style, example: &[u8], value: f64) {
        let example = shown(example);
        self.add(column, format!("numbers are read as {style}, such as {example} as {value}"));
    }

    /// Cells that became gaps, with the first of them.
    pub fn gaps(&mut self, source: &Source<'_>, column: &str, trouble: &Trouble, cell: impl Fn(usize) -> String) {
        let sorts = [
            (trouble.infinite, "that are not finite"),
            (trouble.soft, "that are words between numbers"),
            (trouble.errors, "that are errors of a spreadsheet"),
        ];
        for (seen, what) in sorts {
            let Some(at) = seen.first else { continue };
            let (count, line) = (seen.count, source.line(at));
            let cells = if count == 1 { "1 cell is".to_string() } else { format!("{count} cells {what} are") };
            let first = if count == 1 {
                format!("{} in line {line}", cell(at))
            } else {
                format!("first {} in line {line}", cell(at))
            };
            self.happened(column, format!("{cells} read as missing ({first})"));
        }
    }

    /// Says everything; of a later part of a stream only what happened there.
    pub fn say(&self, name: &str, first: bool, run: &Run<'_>) {
        let decided = if first { &self.decided[..] } else { &[] };
        for (what, columns) in self.happened.iter().chain(decided) {
            let list: Vec<String> = columns.iter().take(SHOWN).map(|c| shown(c.as_bytes())).collect();
            let more = columns.len().saturating_sub(SHOWN);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let s = if columns.len() == 1 { "" } else { "s" };
            let what = what.clone().map(|what| format!("{name}: column{s} {}{more}: {what}", list.join(", ")));
            run.watch.advise(&what);
        }
    }
}

fn push(notes: &mut Vec<(Message, Vec<String>)>, column: &str, what: Message) {
    match notes.iter_mut().find(|(known, _)| *known == what) {
        Some((_, columns)) => columns.push(column.to_string()),
        None => notes.push((what, vec![column.to_string()])),
    }
}
