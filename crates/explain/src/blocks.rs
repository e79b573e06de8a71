//! Explanations of many rows, some after the other, so that those that are done are kept when time is up.
//!
//! Blocks are cut by the machine and the method alone. A row alone is explained as in a batch, so the cuts change nothing.

use crate::answer::answers;
use crate::ask::{Answer, Context, Question};
use crate::entry::MethodEntry;
use crate::heard::Heard;
use crate::rows::Rows;
use crate::subject::Subject;
use base::{Error, Inputs, Machine, Points, Progress, Relevance, Result, Run};

/// Numbers that go through the machine for a block, about.
const BLOCK: u64 = 1 << 29;

/// Explains rows until all are done or time is up; the answer has as many rows as are done, at least 1.
pub fn explain_until(
    machine: &dyn Machine,
    inputs: &Inputs,
    question: Question,
    context: &Context<'_>,
    run: &Run<'_>,
) -> Result<Answer> {
    let subject = Subject::new(machine);
    let entry = &question.method.unwrap_or_else(|| subject.suited()).entry();
    let each = rows_at_once(&subject, entry, context);
    match in_blocks(&subject, inputs, (entry, question.output), context, each, run) {
        // Not cancelled, but enough before the first row was done.
        Err(Error::Cancelled) if run.is_enough()? => Err(Error::Stopped { what: "explaining".into() }),
        other => other,
    }
}

fn in_blocks(
    subject: &Subject<'_>,
    inputs: &Inputs,
    (entry, output): (&MethodEntry, Option<usize>),
    context: &Context<'_>,
    each: usize,
    run: &Run<'_>,
) -> Result<Answer> {
    let n = inputs.len();
    if n <= each {
        return subject.explain(inputs, (entry, output), context, run);
    }
    let heard = Heard(run);
    let background = context.prepared(subject, &heard.run())?;
    let explain = |inputs: &Inputs| {
        let run = &heard.run();
        let points = subject.parts().prepare(inputs, run)?;
        let rows = Rows::new(subject, &points, background.as_ref(), &context.tuning)?;
        answers(&rows, (&[entry], output), run)?.swap_remove(0)
    };
    let mut done: Vec<Answer> = vec![];
    for from in (0..n).step_by(each) {
        let rows: Vec<usize> = (from..n.min(from + each)).collect();
        match explain(&inputs.select(&rows)?) {
            Ok(answer) => done.push(answer),
            // Cancelled altogether is an error; enough keeps what is there.
            Err(Error::Cancelled) if !done.is_empty() => {
                match run.step(&Progress::of("explaining", from as u64, n as u64))? {
                    true => break,
                    false => return Err(Error::Cancelled),
                }
            }
            Err(other) => return Err(other),
        }
    }
    joined(done, subject.adds_up(entry))
}

/// How many rows are explained together.
fn rows_at_once(subject: &Subject<'_>, entry: &MethodEntry, context: &Context<'_>) -> usize {
    let inner = subject.machine();
    // What learns from the rows themselves is to see all of them.
    if entry.drawn || context.background.is_none() {
        return usize::MAX;
    }
    let own = inner.support().map_or(0, |s| s.points as u64).saturating_mul(inner.inputs().count() as u64);
    let numbers = subject.numbers().max(own).max(1 << 10);
    let passes = (entry.passes)(&context.tuning);
    usize::try_from(BLOCK / numbers.saturating_mul(passes as u64).max(1)).unwrap_or(usize::MAX).max(1)
}

/// Answers one after the other as one.
fn joined(all: Vec<Answer>, adds_up: bool) -> Result<Answer> {
    let mut answers = all.into_iter();
    let Some(mut first) = answers.next() else { return Err(Error::size("rows to explain", "at least 1", 0)) };
    let rest: Vec<Answer> = answers.collect();
    if rest.is_empty() {
        return Ok(first);
    }
    let parts = |of: fn(&Answer) -> &Points| std::iter::once(&first).chain(&rest).map(of).collect::<Vec<_>>();
    let points = stacked(&parts(|a| &a.points))?;
    let (values, direct) = (stacked(&parts(|a| &a.relevance.values))?, stacked(&parts(|a| &a.direct.values))?);
    let balance = |of: fn(&Answer) -> &Relevance| {
        let all = std::iter::once(&first).chain(&rest).map(|a| of(a).balance.clone()).collect::<Option<Vec<_>>>();
        all.map(|all| all.concat())
    };
    let balances = (balance(|a| &a.relevance), balance(|a| &a.direct));
    rest.iter().for_each(|a| first.outputs.extend(&a.outputs));
    first.points = points;
    (first.relevance.values, first.direct.values) = (values, direct);
    (first.relevance.balance, first.direct.balance) = balances;
    first.warnings = crate::warnings::warnings(&first.direct, adds_up);
    Ok(first)
}

/// Rows of several points, one after the other.
fn stacked(parts: &[&Points]) -> Result<Points> {
    let columns = parts.first().map_or(0, |p| p.columns());
    let rows: usize = parts.iter().map(|p| p.len()).sum();
    let mut all = vec![0.0; rows * columns];
    let mut lines = all.chunks_exact_mut(columns.max(1));
    for part in parts {
        for i in 0..part.len() {
            if let Some(line) = lines.next() {
                part.write_row(i, line);
            }
        }
    }
    Points::dense(all, rows, columns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Method, explain_with};
    use base::graph::{Draft, Op};
    use base::{Features, Outputs, Verdict, Watch};
    use network::NetworkMachine;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    struct After(AtomicUsize, Verdict);

    impl Watch for After {
        fn step(&self, _: &Progress<'_>) -> Verdict {
            match self.0.load(Relaxed) {
                0 => self.1,
                _ => {
                    self.0.fetch_sub(1, Relaxed);
                    Verdict::GoOn
                }
            }
        }
    }

    #[test]
    fn d8_rows_that_are_done_are_kept() {
        let mut draft = Draft::rows(3);
        let w = draft.weight("w", &[3, 1], vec![2.0, -1.0, 0.5]).unwrap();
        let y = draft.node("y", Op::Dense { transposed: false }, &[Draft::INPUT, w]);
        let outputs = Outputs::values(["y".to_string()].to_vec().into());
        let machine = NetworkMachine::new(draft.graph(y).unwrap(), Features::unnamed(3), outputs).unwrap();
        let rows = Inputs::Points(Points::dense((0..18).map(f64::from).collect::<Vec<_>>(), 6, 3).unwrap());
        let context = Context { background: Some(&rows), ..Context::default() };
        let question = Question { method: Some(Method::KernelShap), output: None };
        let ask = |watch: &dyn Watch| {
            let run = Run { watch, ..Run::quiet(1) };
            in_blocks(&Subject::new(&machine), &rows, (&Method::KernelShap.entry(), None), &context, 2, &run)
        };
        let whole = ask(&After(AtomicUsize::new(usize::MAX), Verdict::GoOn)).unwrap();
        assert_eq!(whole.outputs.len(), 6);
        let together = explain_with(&machine, &rows, question, &context, &Run::quiet(1)).unwrap();
        assert_eq!(whole.relevance.values, together.relevance.values);
        let mut seen = vec![];
        for k in 0..200 {
            match ask(&After(AtomicUsize::new(k), Verdict::Enough)) {
                Ok(answer) => {
                    let n = answer.outputs.len();
                    assert!(answer.relevance.values.len() == n && answer.relevance.balance.unwrap().len() == n);
                    seen.push(n);
                }
                Err(e) => assert_eq!(e, Error::Cancelled),
            }
        }
        seen.dedup();
        assert_eq!(seen, [2, 4, 6]);
        assert_eq!(ask(&After(AtomicUsize::new(30), Verdict::Cancel)).err(), Some(Error::Cancelled));
    }
}
