//! Fitting a model: data read, prepared, learned from, judged, described and stored.

use super::guard_model;
use super::source::{DataSource, note_positive, note_unstratified, positive, warn_of_seen};
use crate::{Fingerprint, KNOWN, Model, Reason, Task, WRAPPERS, align, left_out, prepared, reasons};
use base::{
    Advice, Catalog, Dataset, Error, FirstAlone, Fitted, Learner, Meaning, Message, Result, Run, Settings, Spec,
    Targets, Value, Wanted, agree, plural, renamed_setting,
};
use evaluate::{
    Grid, LabelFrequencies, Measures, Splitting, Tuned, Validation, cross_validate, hold_out, hold_out_last,
    judge_machine,
};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What is to be fitted, on what, and what becomes of it.
#[derive(Debug, Clone)]
pub struct Fit {
    /// The machine's name.
    pub machine: String,
    /// Its settings, as `name=value`.
    pub settings: Vec<String>,
    /// The rows.
    pub source: DataSource,
    /// The steps of preparation: `auto`, `none`, or a list.
    pub prepare: String,
    /// Settings to choose from, as `name=a,b,c`.
    pub grid: Vec<String>,
    /// The folds that they are compared on.
    pub grid_folds: usize,
    /// The measure that decides; the usual one of the targets if not given.
    pub measure: Option<String>,
    /// Outer folds of an honest estimate of the choice.
    pub nested: Option<usize>,
    /// Rows that are kept to judge by.
    pub holdout: Option<Holdout>,
    /// Another file to judge by.
    pub test: Option<PathBuf>,
    /// A model or a checkpoint to go on from.
    pub resume: Option<PathBuf>,
    /// Where the model is stored.
    pub output: Option<PathBuf>,
    /// Where the run keeps checkpoints, so that it is not one of the files that are read.
    pub checkpoint: Option<PathBuf>,
    /// Further options as they were typed, to be kept in the model.
    pub options: Vec<String>,
}

/// Which rows are held out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Holdout {
    /// This fraction of the rows, sampled.
    Sampled(f64),
    /// This fraction of the rows, the last ones.
    Last(f64),
}

impl Holdout {
    /// Reads `0.25`, `last` or `last=0.1`.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong =
            || Error::parameter("holdout", text, "must lie between 0 and 1, both excluded, or be last or last=0.2");
        Ok(match text.strip_prefix("last") {
            Some("") => Holdout::Last(0.25),
            Some(rest) => Holdout::Last(rest.strip_prefix('=').and_then(|t| t.parse().ok()).ok_or_else(wrong)?),
            None => Holdout::Sampled(text.parse().map_err(|_| wrong())?),
        })
    }

    /// The rows to learn from, by number and as data, and those to judge by.
    fn split(self, data: &Dataset, run: &Run<'_>) -> Result<(Vec<usize>, Dataset, Dataset)> {
        let (train, test) = match self {
            Holdout::Sampled(fraction) => hold_out(data, fraction, run.seed)?,
            Holdout::Last(fraction) => hold_out_last(data, fraction)?,
        };
        let (learned, held) = (data.select(&train)?, data.select(&test)?);
        Ok((train, learned, held))
    }
}

/// What a fit gives.
#[derive(Clone)]
pub struct FitResult {
    /// The model, stored already if that was asked for.
    pub model: Model,
    /// Why its preparation is what it is.
    pub reasons: Vec<Reason>,
    /// Seconds that learning took.
    pub seconds: f64,
    /// How well it does on rows that were held out, or on those of another file.
    pub measures: Option<Measures>,
    /// The choice of settings repeated inside outer folds.
    pub nested: Option<Validation>,
    /// The rows that were held out.
    pub held: Option<Dataset>,
}

/// The rows that a learner keeps of those it is given: of a weight, and with a target where it wants one.
fn learned(data: &Dataset, wanted: Wanted) -> impl Iterator<Item = usize> {
    let known = move |i: &usize| wanted == Wanted::Nothing || data.targets.known(*i);
    (0..data.len()).filter(|&i| data.weight(i) != 0.0).filter(known)
}

impl Fit {
    /// A machine on all rows of a source, prepared automatically, kept in memory.
    pub fn new(machine: impl Into<String>, source: DataSource) -> Self {
        Fit {
            machine: machine.into(),
            settings: vec![],
            source,
            prepare: "auto".into(),
            grid: vec![],
            grid_folds: 5,
            measure: None,
            nested: None,
            holdout: None,
            test: None,
            resume: None,
            output: None,
            checkpoint: None,
            options: vec![],
        }
    }

    /// Does it. Checkpoints go where the run says.
    pub fn run(&self, run: &Run<'_>) -> Result<FitResult> {
        let mut learner = KNOWN.learner(&self.machine)?;
        let name = learner.name();
        if name != self.machine {
            run.watch.note(&format!("{} is called {name} here", self.machine));
        }
        apply_settings(&mut *learner, &self.settings)?;
        note_earlier(&*learner, self.settings.iter().chain(&self.grid), run);
        let axes = self.grid.iter().try_fold(Grid::default(), |grid, axis| grid.with(axis, &*learner))?;
        self.guard(run)?;
        let wanted = learner.traits().needs.targets;
        let loaded = self.source.load(wanted, run)?;
        if !axes.axes.is_empty() || self.nested.is_some() || matches!(self.holdout, Some(Holdout::Sampled(_))) {
            note_unstratified(&loaded.data, run);
        }
        note_gaps_of_labels(&loaded.data.targets, run);
        let (rows, train, held) = match self.holdout {
            None => (None, loaded.data, None),
            Some(how) => {
                let (rows, train, held) = how.split(&loaded.data, run)?;
                (Some(rows), train, Some(held))
            }
        };
        if let Some(path) = self.test.as_ref().filter(|path| path.is_file() || !path.exists()) {
            // It is read when there is a model to say how; that it is not there is said before.
            files::format_of(path, run)?;
        }
        if (held.is_some() || self.test.is_some()) && self.source.positive.is_none() {
            note_positive(&train, run);
        }
        let mut spec = Spec::of(&*learner);
        let forgotten = left_out(&self.prepare, &train, &*learner)?;
        let (steps, mut pipeline) = prepared(&self.prepare, &train, learner)?;
        if !axes.axes.is_empty() {
            let splitting = Splitting::Folds { n: self.grid_folds, repeats: 1, stratified: true };
            let (settings, measure) = (axes.combinations(), self.measure.clone());
            pipeline = Box::new(Tuned { learner: pipeline, settings, splitting, measure });
        }
        self.note_preparation(&forgotten, &steps, run);
        if let Some(path) = self.checkpoint.as_ref().filter(|_| !pipeline.traits().checkpoints) {
            let must =
                format!("{} writes no checkpoints; mlp, cnn, autoencoder, logistic and linear-svm do", self.machine);
            return Err(Error::parameter("checkpoint", path.display(), must));
        }
        let reasons = reasons(&steps, &train);
        let start = self.resume.as_deref().map(|path| Model::start(path, run)).transpose()?;

        let begin = Instant::now();
        // Where nothing but the fit itself looks at the machine, the first process alone needs all of it.
        let alone = FirstAlone(run.ranks);
        let shared = pipeline.traits().shared && self.nested.is_none();
        let fit = Run { ranks: if shared { &alone } else { run.ranks }, ..run.clone() };
        // Folds and steps that make rows of others count rows of their own.
        let counted = axes.axes.is_empty() && !steps.iter().any(|s| WRAPPERS.iter().any(|w| w.name == s.name));
        let file_row = |row: usize| {
            let row = counted.then(|| learned(&train, wanted).nth(row)).flatten()?;
            rows.as_ref().map_or(Some(row), |rows| rows.get(row).copied())
        };
        let fitted = pipeline.fit(&train, start.as_ref(), &fit);
        let fitted = fitted.map_err(|e| self.source.loaded_at(e, file_row, run))?;
        let seconds = begin.elapsed().as_secs_f64();
        if let Some(chosen) = fitted.certificate.choice.as_ref().and_then(|choice| axes.chosen(choice)) {
            put_chosen(&mut spec.settings, &chosen);
        }
        let model = Model {
            data: self.source.name(),
            target: loaded.target,
            options: self.repeated(pipeline.traits().warm_start),
            fingerprint: fingerprint(&train, &fitted, run)?,
            ..kept(fitted, Spec { before: steps, ..spec }, &train, wanted, run)
        };
        if let Some(path) = &self.output {
            model.save(path, run)?;
        }
        if shared && run.ranks.rank() > 0 {
            return Ok(FitResult { model, reasons, seconds, measures: None, nested: None, held: None });
        }
        // After the model is safe: an estimate that is cut short costs nothing but itself.
        let nested = self.nested.map(|n| nested(n, &*pipeline, &train, run)).transpose()?.flatten();
        let measures = match (&self.test, &held) {
            (Some(path), _) => Some(self.tested(&model, path, run)?),
            (None, held) => held.as_ref().map(|held| judged(&model, held, run)).transpose()?,
        };
        Ok(FitResult { model, reasons, seconds, measures, nested, held })
    }

    /// The options that a repeated fit needs: not where this one went on, if it could only have done so from a checkpoint of
    /// its own and ended as if it had not been stopped.
    fn repeated(&self, warm: bool) -> Vec<String> {
        let mut options = self.options.clone();
        if let Some(at) = options.iter().position(|word| word == "--resume").filter(|_| !warm) {
            options.drain(at..(at + 2).min(options.len()));
        }
        options
    }

    /// Nothing that is read is written over.
    fn guard(&self, run: &Run<'_>) -> Result<()> {
        let labels = self.source.target.as_ref().map(PathBuf::from);
        let read = [Some(&self.source.path), self.test.as_ref(), labels.as_ref()];
        let read: Vec<&Path> = read.into_iter().flatten().map(PathBuf::as_path).collect();
        self.output.iter().chain(&self.checkpoint).try_for_each(|path| guard_model(path, &read, run))
    }

    fn note_preparation(&self, forgotten: &[Spec], steps: &[Spec], run: &Run<'_>) {
        steps.iter().flat_map(Spec::told).collect::<BTreeSet<_>>().iter().for_each(|note| run.watch.note(note));
        let listed = |steps: &[Spec]| steps.iter().map(Spec::to_string).collect::<Vec<_>>().join(", ");
        if !forgotten.is_empty() {
            let (list, steps) = (listed(forgotten), &self.prepare);
            let what = Message::from(format!("preparation {steps} leaves out {list}, which auto would do"));
            run.watch.advise(&what.with_effect(Advice::prepare(format!("{steps},auto")), "does both"));
        }
        if !steps.is_empty() {
            run.watch.note(&format!("preparation: {}", listed(steps)));
        }
    }

    /// How well it does on rows of another file, which is read as for a score.
    fn tested(&self, model: &Model, path: &Path, run: &Run<'_>) -> Result<Measures> {
        // A target in a file of its own belongs to the rows of the fit.
        let test = DataSource { path: path.to_path_buf(), target: None, groups: None, ..self.source.clone() };
        let test = test.load_for(model, run)?;
        warn_of_seen(model, &test, run);
        judge_machine(&*model.machine, None, &test, model.frequencies.as_ref(), run)
    }
}

/// Applies `name=value` settings to a learner, a problem or a method.
pub fn apply_settings<S: Settings + ?Sized>(to: &mut S, settings: &[String]) -> Result<()> {
    for text in settings {
        let Some((name, value)) = text.split_once('=') else {
            return Err(Error::parameter("set", text, "must be name=value"));
        };
        to.set_text_with(name.trim(), value, &KNOWN)?;
    }
    Ok(())
}

/// Tells, each once, of names among `name=value` that settings had before.
pub fn note_earlier<'t>(of: &(impl Settings + ?Sized), texts: impl IntoIterator<Item = &'t String>, run: &Run<'_>) {
    let params = of.params();
    let names = texts.into_iter().filter_map(|text| text.split('=').next());
    let notes: BTreeSet<String> = names.filter_map(|name| renamed_setting(&params, name.trim())).collect();
    notes.iter().for_each(|note| run.watch.note(note));
}

/// What was chosen stands among the settings, as if it had been given.
fn put_chosen(values: &mut [(String, Value)], chosen: &[(String, Value)]) {
    for (name, value) in values {
        if let Some((_, new)) = chosen.iter().find(|(n, _)| n == name) {
            *value = new.clone();
        }
    }
}

/// What a learner of these targets fitted to rows, as it is kept: how it came about, how many rows it learned from, what they
/// were and which class is the positive one.
pub fn kept(fitted: Fitted, spec: Spec, train: &Dataset, wanted: Wanted, run: &Run<'_>) -> Model {
    Model {
        rows: learned_rows(train, wanted),
        task: Task::of(&train.targets).filter(|_| !detects(&fitted)),
        seed: run.seed.0,
        positive: positive(train),
        frequencies: LabelFrequencies::of_targets(&train.targets),
        ..Model::of(fitted, spec)
    }
}

/// Says that label sets have rows without a label, or labels without a row.
fn note_gaps_of_labels(targets: &Targets, run: &Run<'_>) {
    let (Targets::Sets(sets), Some(found)) = (targets, LabelFrequencies::of_targets(targets)) else { return };
    let empty = (0..sets.len()).filter(|&i| sets.get(i).is_some_and(<[u32]>::is_empty)).count();
    let unused = found.counts.iter().filter(|&&n| n == 0).count();
    if empty > 0 {
        let (rows, have) = (plural(empty, "row"), agree(empty, "has", "have"));
        run.watch.note(&format!("{rows} of {} {have} no label", sets.len()));
    }
    if unused > 0 {
        let (labels, have) = (plural(unused, "label"), agree(unused, "has", "have"));
        run.watch.note(&format!("{labels} of {} {have} no row and cannot be learned", found.counts.len()));
    }
}

/// Whether a machine looks for anomalies: labels that it was given are no targets.
fn detects(fitted: &Fitted) -> bool {
    fitted.machine.outputs().meaning == Meaning::Outlier
}

/// How many rows a learner of these targets learns from: those of weight 0 and those without a target are left out.
fn learned_rows(data: &Dataset, wanted: Wanted) -> usize {
    let zero = |i: usize| data.weights.as_ref().is_some_and(|w| w[i] == 0.0);
    let blank = |i: usize| wanted != Wanted::Nothing && !data.targets.known(i);
    (0..data.len()).filter(|&i| !zero(i) && !blank(i)).count()
}

/// The whole choice repeated inside each of n outer folds; none, said aloud, if time is up before that is done.
fn nested(n: usize, learner: &dyn Learner, train: &Dataset, run: &Run<'_>) -> Result<Option<Validation>> {
    let splits = Splitting::Folds { n, repeats: 1, stratified: true }.of(train, run.seed.fork("nested"))?;
    match cross_validate(learner, train, &splits, run) {
        Err(Error::Stopped { .. }) => {
            run.watch.note("stopped before the nested estimate was complete; the model is complete");
            Ok(None)
        }
        other => other.map(Some),
    }
}

/// By what the rows will be recognised; a detector learns from inputs alone.
fn fingerprint(train: &Dataset, fitted: &Fitted, run: &Run<'_>) -> Result<Fingerprint> {
    let inputs = align(train, fitted.machine.inputs(), run)?;
    let targets = if detects(fitted) { &Targets::None } else { &train.targets };
    Ok(Fingerprint::of(&inputs, targets, fitted.machine.inputs()))
}

/// How well the model does on rows that were held out.
fn judged(model: &Model, held: &Dataset, run: &Run<'_>) -> Result<Measures> {
    let inputs = align(held, model.machine.inputs(), run)?;
    let held = Dataset { inputs, ..held.clone() };
    judge_machine(&*model.machine, None, &held, model.frequencies.as_ref(), run)
}
