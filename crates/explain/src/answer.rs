//! From rows and methods to answers: walks together, each other method by what it looks at, and relevance carried back to
//! the columns of the data.

use crate::ask::Answer;
use crate::entry::{Explain, MethodEntry, OfScore};
use crate::rows::{Case, Rows, Wanted};
use crate::{odds, walks};
use base::{Error, Explainer, Over, Points, Relevance, Result, Run};

/// The answers of several methods, in their order; what one of them cannot answer is no matter for the others.
pub(crate) fn answers(
    rows: &Rows<'_>,
    (entries, output): (&[&MethodEntry], Option<usize>),
    run: &Run<'_>,
) -> Result<Vec<Result<Answer>>> {
    let (subject, points) = (rows.subject, rows.points);
    // Of each method what is found in the machine's columns, and in those of the data.
    let numbers = points.len().saturating_mul(points.columns()).saturating_mul(2 * entries.len());
    let _room = run.memory.take_for::<f64>(numbers, "relevance")?;
    let refused: Vec<Result<()>> = entries.iter().map(|entry| subject.must_fit(entry)).collect();
    let fitting = || entries.iter().zip(&refused).filter(|(_, fits)| fits.is_ok()).map(|(entry, _)| *entry);
    let own_number = |e: &MethodEntry| subject.quantity().filter(|_| output.is_none() && subject.tells_quantity(e));
    let outputs = match fitting().any(|e| own_number(e).is_none()) {
        true => rows.outputs(output.map_or(Wanted::Usual, Wanted::One), run)?,
        false => vec![0; points.len()],
    };
    let together: Vec<&MethodEntry> = fitting().filter(|e| e.walk().is_some()).collect();
    let mut walked = walks::explain(rows, &outputs, &together, run)?.into_iter();
    let (origin, note) = subject.parts().origin()?;
    let mut answer = |(entry, fits): (&&MethodEntry, Result<()>)| {
        fits?;
        let (direct, outputs) = match entry.walk() {
            Some(_) => {
                let told = walked.next().ok_or_else(|| Error::size("walks", together.len(), "fewer"))?;
                (told?, outputs.clone())
            }
            None => {
                let wanted = if own_number(entry).is_some() { Wanted::Usual } else { Wanted::Each(&outputs) };
                explain_rows(rows, entry, wanted, run)?
            }
        };
        let halves = subject.are_halves();
        let direct = if halves { odds::doubled(&direct, (entry.degree)(rows.tuning))? } else { direct };
        let quantity = match own_number(entry) {
            Some(own) => own.name,
            None if halves => "log-odds",
            None => "score",
        };
        let (relevance, note) = match entry.over {
            Over::Support => (direct.clone(), None),
            Over::Columns => (direct.told_by(&origin)?, note.clone()),
        };
        let warnings = crate::warnings::warnings(&direct, subject.adds_up(entry));
        let over = entry.over;
        Ok(Answer { relevance, direct, over, points: points.clone(), outputs, note, quantity, warnings })
    };
    Ok(entries.iter().zip(refused).map(&mut answer).collect())
}

/// Explains rows that are prepared, in the machine's own columns, by a method that fits it.
pub(crate) fn explain_rows(
    rows: &Rows<'_>,
    entry: &MethodEntry,
    wanted: Wanted<'_>,
    run: &Run<'_>,
) -> Result<(Relevance, Vec<usize>)> {
    let (subject, points) = (rows.subject, rows.points);
    // Ready where the machine's own number is explained.
    let own = match wanted {
        Wanted::Usual if subject.tells_quantity(entry) => subject.explainer(run)?,
        Wanted::Usual | Wanted::One(_) | Wanted::Each(_) => None,
    };
    let own_number = |told: Result<Relevance>| Ok((told?, vec![0; points.len()]));
    let one_output = || {
        let what = format!("the method {} for one output", entry.name);
        let name = subject.quantity().map_or("it", |q| q.name);
        Err(Error::unsupported(what, "this machine", format!("{name} is explained as one number: ask for no class")))
    };
    let each_output = |explain: &dyn Fn(&Points, usize) -> Result<Relevance>| {
        let outputs = rows.outputs(wanted, run)?;
        Ok((by_output(points, &outputs, explain)?, outputs))
    };
    let of_score = |explain: OfScore, gradient: bool| match own.and_then(|own| own.quantity()) {
        Some(score) => own_number(explain(&Case { rows, points, score, own }, run)),
        None => each_output(&|points, output| {
            let score = &subject.score(output, gradient, run)?;
            explain(&Case { rows, points, score, own: None }, run)
        }),
    };
    match &entry.explain {
        Explain::Score(explain) => of_score(*explain, false),
        Explain::Gradient(explain) => of_score(*explain, true),
        Explain::Quantity(explain) => match own {
            Some(own) => own_number(explain(own, points, run)),
            None => one_output(),
        },
        Explain::Either { quantity: explain, output: otherwise } => match own {
            Some(own) => own_number(explain(own, points, run)),
            None => each_output(&|points, output| otherwise(subject, points, output, run)),
        },
        Explain::Own(otherwise) => match (own, otherwise) {
            (Some(own), _) => own_number(told_by_itself(own, entry, points, 0, run)),
            (None, Some(otherwise)) if subject.quantity().is_some() || !subject.has_own(entry.name) => {
                each_output(&|points, output| otherwise(subject, points, output, run))
            }
            (None, _) if subject.quantity().is_some() => one_output(),
            (None, _) => match subject.explainer(run)? {
                Some(own) => each_output(&|points, output| told_by_itself(own, entry, points, output, run)),
                None => Err(Error::unsupported(
                    format!("the method {}", entry.name),
                    "this machine",
                    "it has no \
                     such method",
                )),
            },
        },
        Explain::Rows(explain) => {
            let outputs = rows.outputs(wanted, run)?;
            Ok((explain(rows, &outputs, run)?, outputs))
        }
        Explain::Walk(_) => {
            let outputs = rows.outputs(wanted, run)?;
            Ok((walks::explain(rows, &outputs, &[entry], run)?.swap_remove(0)?, outputs))
        }
    }
}

/// What a machine says of itself; refused if it is not a number for each row and column.
fn told_by_itself(
    own: &dyn Explainer,
    entry: &MethodEntry,
    points: &Points,
    output: usize,
    run: &Run<'_>,
) -> Result<Relevance> {
    let told = own.explain(entry.name, points, output, run)?;
    let columns = if entry.over == Over::Columns { points.columns() } else { told.values.columns() };
    if (told.values.len(), told.values.columns()) != (points.len(), columns) {
        let found = format!("{} x {}", told.values.len(), told.values.columns());
        return Err(Error::size("a machine's own relevance", format!("{} x {columns}", points.len()), found));
    }
    Ok(Relevance { method: entry.name.into(), ..told })
}

/// Rows of one output together, then back in their order.
fn by_output(
    points: &Points,
    outputs: &[usize],
    explain: &dyn Fn(&Points, usize) -> Result<Relevance>,
) -> Result<Relevance> {
    let mut distinct = outputs.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    if let [] | [_] = distinct[..] {
        return explain(points, distinct.first().copied().unwrap_or(0));
    }
    let mut rows: Vec<Vec<f64>> = vec![vec![]; points.len()];
    let mut balances = vec![None; points.len()];
    let mut like: Option<Relevance> = None;
    for output in distinct {
        let own: Vec<usize> = (0..points.len()).filter(|&i| outputs[i] == output).collect();
        let relevance = explain(&points.select(&own)?, output)?;
        for (k, &i) in own.iter().enumerate() {
            rows[i] = vec![0.0; relevance.values.columns()];
            relevance.values.write_row(k, &mut rows[i]);
            balances[i] = relevance.balance.as_ref().map(|b| b[k]);
        }
        like = Some(relevance);
    }
    let like = like.ok_or_else(|| Error::size("rows to explain", "at least 1", 0))?;
    Ok(Relevance { values: Points::from_rows(&rows)?, balance: balances.into_iter().collect(), ..like })
}
