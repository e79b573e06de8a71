//! A last line of totals, which spreadsheets have and tables must not: it is no row of data.
//!
//! A last row with a word such as `Total` that never comes before, and a number that is the sum or mean of those above it,
//! is refused with its line; without such a number the user is told.

use super::plan::Plan;
use crate::text::source::{Source, shown};
use base::{Cells, Result, Run, Table};

/// Rows above the last that it takes.
const LEAST: usize = 3;

/// Looks at the last row of a table.
pub(crate) fn look(source: &Source<'_>, plan: &Plan, table: &Table, run: &Run<'_>) -> Result<()> {
    let rows = table.rows();
    if rows <= LEAST {
        return Ok(());
    }
    let last = rows - 1;
    let is_total = |cells: &Cells| {
        let words = matches!(cells, Cells::Category { .. } | Cells::Text(_) | Cells::Id(_));
        let text = if words { cells.text(last) } else { None };
        text.filter(|t| is_word(t) && (0..last).all(|row| cells.text(row).as_deref() != Some(t)))
    };
    let Some((column, word)) = table.columns().iter().enumerate().find_map(|(i, c)| Some((i, is_total(&c.cells)?)))
    else {
        return Ok(());
    };
    let adds_up = table.columns().iter().any(|c| matches!(&c.cells, Cells::Number(values) if sums(values)));
    let word = shown(word.as_bytes());
    let place = plan.place_of(source, last, column);
    match adds_up {
        true => Err(source.error(
            place,
            column + 1,
            format!("{word} begins a line of totals, which is not a row of data; remove it"),
        )),
        false => {
            let line = source.line(place);
            let text =
                format!("{}: the last line ({line}) has {word} and may be one of totals; remove it if so", source.name);
            run.watch.note(&text);
            Ok(())
        }
    }
}

fn is_word(text: &str) -> bool {
    const WORDS: [&str; 12] = [
        "total",
        "totals",
        "sum",
        "grand total",
        "overall",
        "average",
        "mean",
        "gesamt",
        "summe",
        "insgesamt",
        "mittelwert",
        "sum total",
    ];
    let text = text.trim().trim_end_matches(':').to_ascii_lowercase();
    WORDS.contains(&text.as_str())
}

/// Whether the last number is the sum or the mean of those before it.
fn sums(values: &[f64]) -> bool {
    let Some((&last, above)) = values.split_last().filter(|(last, _)| !last.is_nan()) else { return false };
    let there = above.iter().filter(|x| !x.is_nan());
    let (sum, count) = (there.clone().sum::<f64>(), there.count());
    let near = |x: f64| (x - last).abs() <= 1e-6 * x.abs().max(1e-12);
    count >= LEAST && sum != 0.0 && (near(sum) || near(sum / count as f64))
}
