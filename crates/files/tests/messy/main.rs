//! Files as people have them: more than two hundred messy ones, each with what a careful person would read in it.
//!
//! A case is read whole; what comes out must be the table expected, and every decision that is not plain must be said
//! in a note; or it is refused, with the place and what to do. Nothing may be wrong in silence.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test speaks by panicking, and says what it counts")]

mod cases;
mod grid;
mod refused;

use base::{Cells, Inputs, Progress, Run, Verdict, Watch};
use pellucid_files::{Reading, date_text, read_bytes};
use std::sync::Mutex;

/// A messy file.
pub struct Case {
    /// What is messy about it.
    pub name: String,
    /// What it is called; endings help where content cannot decide.
    pub file: &'static str,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// What is to come out.
    pub expected: Expected,
}

/// What a careful person would do.
pub enum Expected {
    /// Reads this table (`name:kind=cell|cell`, missing cells as `-`), and says at least these words.
    Table(String, Vec<String>),
    /// Refuses it with these words.
    Refused(Vec<String>),
}

impl Case {
    /// A text that is read as this table; `said` are words of the notes.
    pub fn table(
        name: impl Into<String>,
        text: impl Into<Vec<u8>>,
        expected: impl Into<String>,
        said: &[&str],
    ) -> Case {
        let said = said.iter().map(|s| s.to_string()).collect();
        Case { name: name.into(), file: "t.csv", bytes: text.into(), expected: Expected::Table(expected.into(), said) }
    }

    /// A text that is refused with these words.
    pub fn refused(name: impl Into<String>, text: impl Into<Vec<u8>>, words: &[&str]) -> Case {
        let words = words.iter().map(|s| s.to_string()).collect();
        Case { name: name.into(), file: "t.csv", bytes: text.into(), expected: Expected::Refused(words) }
    }
}

#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

impl Watch for Notes {
    fn step(&self, _: &Progress<'_>) -> Verdict {
        Verdict::GoOn
    }
    fn note(&self, text: &str) {
        self.0.lock().unwrap().push(text.into());
    }
}

/// A table in a line: `name:kind=cell|cell`, dates as text, missing cells as `-`; long columns are cut.
fn summary(inputs: &Inputs) -> String {
    let Inputs::Table(table) = inputs else { return "points".into() };
    let column = |c: &base::Column| {
        let cell = |r: usize| match &c.cells {
            Cells::Date(v) if !v[r].is_nan() => date_text(v[r]).unwrap(),
            other => other.text(r).unwrap_or_else(|| "-".into()),
        };
        let shown = table.rows().min(6);
        let more = if table.rows() > shown { format!("|+{}", table.rows() - shown) } else { String::new() };
        let cells: Vec<String> = (0..shown).map(cell).collect();
        format!("{}:{}={}{more}", c.name, c.cells.type_name(), cells.join("|"))
    };
    table.columns().iter().map(column).collect::<Vec<_>>().join(" ")
}

/// What is wrong with how a case is read, if anything is.
fn fault(case: &Case) -> Option<String> {
    let notes = Notes::default();
    let run = Run { watch: &notes, ..Run::quiet(1) };
    let found = read_bytes(case.file, case.bytes.clone(), &Reading::default(), &run);
    let said = notes.0.lock().unwrap().join("; ");
    let text = String::from_utf8_lossy(&case.bytes[..case.bytes.len().min(200)]).into_owned();
    let wrong = match (&case.expected, found) {
        (Expected::Table(expected, words), Ok(data)) => {
            let found = summary(&data.inputs);
            let missing: Vec<&String> = words.iter().filter(|w| !said.contains(w.as_str())).collect();
            match (found == *expected, missing.is_empty()) {
                (true, true) => return None,
                (false, _) => format!("found    {found}\n  expected {expected}\n  said {said}"),
                _ => format!("not said: {missing:?}\n  said {said}"),
            }
        }
        (Expected::Refused(words), Err(error)) => {
            let error = error.to_string();
            match words.iter().all(|w| error.contains(w.as_str())) {
                true => return None,
                false => format!("error    {error}\n  expected {words:?}"),
            }
        }
        (Expected::Table(expected, _), Err(error)) => format!("refused  {error}\n  expected {expected}"),
        (Expected::Refused(words), Ok(data)) => {
            format!("read     {}\n  said {said}\n  expected {words:?}", summary(&data.inputs))
        }
    };
    Some(format!("{}\n  {text:?}\n  {wrong}\n", case.name))
}

#[test]
fn d2_d4_d5_d6_d16_d43_messy_files_are_read_as_a_careful_person_would() {
    let cases: Vec<Case> = grid::cases().into_iter().chain(cases::cases()).chain(refused::cases()).collect();
    println!("{} messy files", cases.len());
    assert!(cases.len() >= 200, "{} files", cases.len());
    let faults: Vec<String> = cases.iter().filter_map(fault).collect();
    assert!(faults.is_empty(), "{} of {} files:\n{}", faults.len(), cases.len(), faults.join("\n"));
}
