//! From rows and methods to answers: walks together, each other method by what it looks at, and relevance carried back to
//! the columns of the data.

use crate::ask::Answer;
use crate::entry::{Entry, Explain, OfScore, Over};
use crate::rows::{Case, Rows, Wanted};
use crate::{odds, walks};
use base::{Error, Points, Relevance, Result, Run};

/// The answers of several methods, in their order; what one of them cannot answer is no matter for the others.
pub(crate) fn answers(
    rows: &Rows<'_>,
    (entries, output): (&[&Entry], Option<usize>),
    run: &Run<'_>,
) -> Result<Vec<Result<Answer>>> {
    let (subject, points) = (rows.subject, rows.points);
    let refused: Vec<Result<()>> = entries.iter().map(|entry| subject.must_fit(entry)).collect();
    let fitting = || entries.iter().zip(&refused).filter(|(_, fits)| fits.is_ok()).map(|(entry, _)| *entry);
    let one_number = |e: &Entry| output.is_none() && subject.density().is_some() && e.tells_one_number();
    let outputs = match fitting().any(|e| !one_number(e)) {
        true => rows.outputs(output.map_or(Wanted::Usual, Wanted::One), run)?,
        false => vec![0; points.len()],
    };
    let together: Vec<&Entry> = fitting().filter(|e| e.walk().is_some()).collect();
    let mut walked = walks::explain(rows, &outputs, &together, run)?.into_iter();
    let (origin, note) = subject.parts().origin()?;
    let mut answer = |(entry, fits): (&&Entry, Result<()>)| {
        fits?;
        let (direct, outputs) = match entry.walk() {
            Some(_) => {
                let told = walked.next().ok_or_else(|| Error::size("walks", together.len(), "fewer"))?;
                (told?, outputs.clone())
            }
            None => {
                let wanted = if one_number(entry) { Wanted::Usual } else { Wanted::Each(&outputs) };
                explain_rows(rows, entry, wanted, run)?
            }
        };
        let halves = subject.are_halves();
        let direct = if halves { odds::doubled(&direct, (entry.degree)(rows.tuning))? } else { direct };
        let quantity = match () {
            () if one_number(entry) => "outlierness",
            () if halves => "log-odds",
            () => "score",
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
    entry: &Entry,
    wanted: Wanted<'_>,
    run: &Run<'_>,
) -> Result<(Relevance, Vec<usize>)> {
    let (subject, points) = (rows.subject, rows.points);
    let detector = match wanted {
        Wanted::Usual if entry.tells_one_number() => rows.detector(run)?,
        Wanted::Usual | Wanted::One(_) | Wanted::Each(_) => None,
    };
    let outlierness = |told: Result<Relevance>| Ok((told?, vec![0; points.len()]));
    let each_output = |explain: &dyn Fn(&Points, usize) -> Result<Relevance>| {
        let outputs = rows.outputs(wanted, run)?;
        Ok((by_output(points, &outputs, explain)?, outputs))
    };
    let of_score = |explain: OfScore, gradient: bool| match detector {
        Some(score) => outlierness(explain(&Case { rows, points, score, detector }, run)),
        None => each_output(&|points, output| {
            let score = &subject.score(output, gradient, run)?;
            explain(&Case { rows, points, score, detector }, run)
        }),
    };
    match &entry.explain {
        Explain::Score(explain) => of_score(*explain, false),
        Explain::Gradient(explain) => of_score(*explain, true),
        Explain::Detector(explain) => match detector {
            Some(found) => outlierness(explain(found, points, run)),
            None => {
                let what = format!("the method {} for one output", entry.name);
                let instead = "leave out --class: outlierness is explained as one number";
                Err(Error::unsupported(what, "this machine", instead))
            }
        },
        Explain::Either { detector: explain, output: otherwise } => match detector {
            Some(found) => outlierness(explain(found, points, run)),
            None => each_output(&|points, output| otherwise(subject, points, output, run)),
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
