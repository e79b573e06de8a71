//! Questions about what a machine says of some rows, and their answers.

use crate::answer::answers;
use crate::entry::MethodEntry;
use crate::heard::Heard;
use crate::method::Method;
use crate::rows::{Rows, Wanted, first_rows};
use crate::subject::Subject;
use crate::tuning::Tuning;
use crate::walks::{self, LayerRecord};
use base::{Error, Inputs, Machine, Over, Points, Relevance, Result, Run};

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Question {
    /// By which method; none: the one that suits the machine best.
    pub method: Option<Method>,
    /// Which output; none: the class predicted for each row, or the first column.
    pub output: Option<usize>,
}

/// What else a method may use.
#[derive(Debug, Clone, Default)]
pub struct Context<'a> {
    /// Its settings.
    pub tuning: Tuning,
    /// Rows to learn from: patterns, references, what else could stand somewhere; none: the rows explained.
    pub background: Option<&'a Inputs>,
}

impl Context<'_> {
    /// The background as the machine takes it.
    pub(crate) fn prepared(&self, subject: &Subject<'_>, run: &Run<'_>) -> Result<Option<Points>> {
        self.background.map(|rows| subject.parts().prepare(&first_rows(rows)?, run)).transpose()
    }
}

/// What is answered.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Relevance in the columns of the data, as far as it can be carried back.
    pub relevance: Relevance,
    /// The same in the columns that the machine itself takes.
    pub direct: Relevance,
    /// What it is told of: columns, or training points.
    pub over: Over,
    /// The rows as the machine takes them.
    pub points: Points,
    /// Which output was explained, for each row.
    pub outputs: Vec<usize>,
    /// What one should know, if anything.
    pub note: Option<String>,
    /// What the explained number is: `score`, `log-odds`, or a number of the machine's own such as `outlierness`.
    pub quantity: &'static str,
    /// What is wrong with the attributions: much of the score lost, hardly any of it on inputs, nothing but zeros.
    pub warnings: Vec<String>,
}

/// Explains what a machine says of some rows.
pub fn explain(machine: &dyn Machine, inputs: &Inputs, question: Question, run: &Run<'_>) -> Result<Answer> {
    explain_with(machine, inputs, question, &Context::default(), run)
}

/// The same with settings and rows to learn from.
pub fn explain_with(
    machine: &dyn Machine,
    inputs: &Inputs,
    question: Question,
    context: &Context<'_>,
    run: &Run<'_>,
) -> Result<Answer> {
    let subject = Subject::new(machine);
    let method = question.method.unwrap_or_else(|| subject.suited());
    subject.explain(inputs, (&method.entry(), question.output), context, run)
}

/// The same by a method that need not be in the table.
pub fn explain_with_entry(
    machine: &dyn Machine,
    inputs: &Inputs,
    (entry, output): (&MethodEntry, Option<usize>),
    context: &Context<'_>,
    run: &Run<'_>,
) -> Result<Answer> {
    Subject::new(machine).explain(inputs, (entry, output), context, run)
}

/// The answers of several methods to the same question, in their order; what one of them cannot answer is no matter for the
/// others. Rows are prepared and predicted once, and methods that walk through a network share its runs.
pub fn explain_many(
    machine: &dyn Machine,
    inputs: &Inputs,
    (methods, output): (&[Method], Option<usize>),
    context: &Context<'_>,
    run: &Run<'_>,
) -> Result<Vec<Result<Answer>>> {
    let entries: Vec<MethodEntry> = methods.iter().map(|m| m.entry()).collect();
    Subject::new(machine).explain_many(inputs, (&entries.iter().collect::<Vec<_>>(), output), context, run)
}

/// What each node of a machine's network kept when rows were explained by a walk, from the score to the inputs.
pub fn by_layer(
    machine: &dyn Machine,
    inputs: &Inputs,
    (method, output): (Method, Option<usize>),
    tuning: &Tuning,
    run: &Run<'_>,
) -> Result<Vec<LayerRecord>> {
    Subject::new(machine).by_layer(inputs, (&method.entry(), output), tuning, run)
}

impl Subject<'_> {
    /// Explains some rows by a method.
    pub fn explain(
        &self,
        inputs: &Inputs,
        (entry, output): (&MethodEntry, Option<usize>),
        context: &Context<'_>,
        run: &Run<'_>,
    ) -> Result<Answer> {
        self.explain_many(inputs, (&[entry], output), context, run)?.swap_remove(0)
    }

    /// Explains some rows by several methods, each answer or error in its place.
    pub fn explain_many(
        &self,
        inputs: &Inputs,
        asked: (&[&MethodEntry], Option<usize>),
        context: &Context<'_>,
        run: &Run<'_>,
    ) -> Result<Vec<Result<Answer>>> {
        let heard = Heard(run);
        let run = &heard.run();
        let points = self.parts().prepare(inputs, run)?;
        let background = context.prepared(self, run)?;
        answers(&Rows::new(self, &points, background.as_ref(), &context.tuning)?, asked, run)
    }

    /// What each node kept on a walk back, from the score to the inputs.
    pub fn by_layer(
        &self,
        inputs: &Inputs,
        (entry, output): (&MethodEntry, Option<usize>),
        tuning: &Tuning,
        run: &Run<'_>,
    ) -> Result<Vec<LayerRecord>> {
        self.must_fit(entry)?;
        let heard = Heard(run);
        let run = &heard.run();
        let points = self.parts().prepare(inputs, run)?;
        let rows = Rows::new(self, &points, None, tuning)?;
        let outputs = rows.outputs(output.map_or(Wanted::Usual, Wanted::One), run)?;
        walks::layers(&rows, &outputs, entry, run)
    }

    /// Refuses a method that does not fit, with the reason.
    pub(crate) fn must_fit(&self, entry: &MethodEntry) -> Result<()> {
        match self.why_not(entry) {
            Some(why) => Err(Error::unsupported(format!("the method {}", entry.name), "this machine", why)),
            None => Ok(()),
        }
    }
}
