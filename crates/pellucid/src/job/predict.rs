//! New rows through a stored model, chunk by chunk, in bounded memory: the fields of each row as they are written.

use super::ModelSource;
use super::score::Deciding;
use super::source::DataSource;
use crate::{Model, align};
use base::{
    Advice, Cells, Dataset, Error, FeatureKind, Inputs, Link, Meaning, Message, Outputs, Prediction, Progress, Result,
    Run, UNKNOWN, argmax, best_scores, nearest, number_text,
};
use evaluate::Decision;
use std::time::{Duration, Instant};

/// What is to be written of each row.
#[derive(Clone)]
pub struct Predict {
    /// The model.
    pub model: ModelSource,
    /// The rows.
    pub source: DataSource,
    /// The score of every class.
    pub scores: bool,
    /// The probability of every class.
    pub proba: bool,
    /// The best so many classes or labels with their scores.
    pub top: Option<usize>,
    /// Columns that are carried along.
    pub keep: Vec<String>,
    /// How classes are decided.
    pub deciding: Deciding,
}

/// A field of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum OutputField {
    /// A class, a text.
    Word(String),
    /// A number.
    Number(f64),
    /// Nothing.
    Missing,
}

impl OutputField {
    /// As a line of CSV has it.
    pub fn csv(&self) -> String {
        match self {
            // Readers leave out empty lines, and take nothing between commas for a missing value.
            OutputField::Word(word) if word.is_empty() => "\"\"".into(),
            OutputField::Word(word) => files::csv_field(word),
            OutputField::Number(x) => number_text(*x),
            OutputField::Missing => String::new(),
        }
    }
}

/// Takes the number of a row and its fields.
pub type Writer<'a, E> = dyn FnMut(usize, &[OutputField]) -> std::result::Result<(), E> + 'a;

/// Predictions at work.
pub struct Predicting<'a> {
    model: Model,
    source: &'a DataSource,
    columns: Columns,
    /// How many rows are done.
    pub rows: usize,
    /// How long the machine has worked.
    pub time: Duration,
}

impl Predict {
    /// What a model decides of all rows of a source.
    pub fn new(model: impl Into<ModelSource>, source: DataSource) -> Self {
        let (model, deciding) = (model.into(), Deciding::default());
        Predict { model, source, scores: false, proba: false, top: None, keep: vec![], deciding }
    }

    /// Makes ready what the model says of the rows; options that do not go with the model are refused.
    pub fn begin(&self, run: &Run<'_>) -> Result<Predicting<'_>> {
        let model = self.model.load(run)?;
        let columns = Columns::new(self, &model, run)?;
        Ok(Predicting { model, source: &self.source, columns, rows: 0, time: Duration::ZERO })
    }
}

impl Predicting<'_> {
    /// The names of the fields.
    pub fn header(&self) -> Vec<String> {
        self.columns.header()
    }

    /// Hands the fields of each row on, with its number, until all rows are done or it is enough.
    pub fn each_row<E: From<Error>>(&mut self, run: &Run<'_>, write: &mut Writer<'_, E>) -> std::result::Result<(), E> {
        let mut how = self.source.reading.clone().for_model(self.model.machine.inputs());
        // What is only carried along is carried as it is written.
        for name in &self.columns.keep {
            how.kinds.entry(name.clone()).or_insert(FeatureKind::Text);
        }
        for chunk in files::stream(&self.source.path, &how, run)? {
            let chunk = chunk?;
            let inputs = align(&chunk, self.model.machine.inputs(), run)?;
            // Of thousands of classes or labels the scores of a chunk may not fit.
            let step = (SCORES / self.columns.outputs.names.len().max(1)).max(1);
            for from in (0..chunk.len()).step_by(step) {
                let part = match step < chunk.len() {
                    true => inputs.slice(from..chunk.len().min(from + step))?,
                    false => inputs.clone(),
                };
                let begin = Instant::now();
                let prediction = match Prediction::of(&*self.model.machine, &part, &run.giving_up()) {
                    // Rows that are written stay; the part at hand has taken too long.
                    Err(Error::Stopped { .. }) => return Ok(()),
                    other => other.map_err(|e| self.source.located(e, &how, self.rows, run))?,
                };
                self.time += begin.elapsed();
                let before = self.rows;
                self.columns.each_row((&chunk, from), &prediction, run, &mut |i, fields| write(before + i, fields))?;
                self.rows += part.len();
            }
            if run.step(&Progress { stage: "predict", done: self.rows as u64, total: None, value: None })? {
                break;
            }
        }
        Ok(())
    }
}

/// Which columns are written.
struct Columns {
    outputs: Outputs,
    scores: bool,
    proba: bool,
    top: Option<usize>,
    keep: Vec<String>,
    decision: Option<Decision>,
}

/// Scores that are held at once.
const SCORES: usize = 1 << 20;

/// What stands between the labels of a set.
const BETWEEN: &str = ";";

/// What a detector says of a row, in a word.
const ANOMALY: [&str; 2] = ["normal", "anomaly"];

impl Columns {
    fn new(asked: &Predict, model: &Model, run: &Run<'_>) -> Result<Self> {
        let outputs = model.machine.outputs().clone();
        let classes = outputs.meaning == Meaning::Classes;
        let labels = outputs.meaning == Meaning::Labels;
        let refuse = |option: &str| Err(Error::parameter(option, "yes", "this model predicts no classes"));
        match () {
            _ if asked.proba && labels => {
                let instead = "ask for scores: those above 0 are meant, and they do not sum to 1";
                return Err(Error::unsupported("a probability", "a model of label sets", instead));
            }
            _ if asked.proba && !classes => return refuse("proba"),
            _ if asked.top.is_some() && !classes && !labels => return refuse("top"),
            _ if asked.top == Some(0) => return Err(Error::parameter("top", 0, "must be at least 1")),
            _ if asked.proba && outputs.link == Link::None => {
                return Err(Error::unsupported(
                    "a probability",
                    "this model",
                    Message::from("ask for scores, calibrate it, or take the softmax of an ONNX network")
                        .with(Advice::option("scores", ""))
                        .with(Advice::prepare("calibrate,auto"))
                        .with(Advice::option("softmax", "")),
                ));
            }
            _ => {}
        }
        let top = asked.top.map(|k| k.min(outputs.main()));
        let positive = asked.source.positive.as_deref().or(model.positive.as_deref());
        let decision = asked.deciding.decision(positive, outputs.meaning)?;
        match (&decision, outputs.meaning) {
            (Some(d), Meaning::Classes | Meaning::Labels) if top.is_some() => {
                return Err(Error::parameter(
                    "threshold",
                    d.threshold,
                    "cannot be combined with the best classes (top)",
                ));
            }
            (None, _) if asked.source.positive.is_some() => {
                let given = asked.source.positive.as_deref().unwrap_or("");
                return Err(Error::parameter(
                    "positive",
                    given,
                    Message::from("does nothing without a threshold or costs")
                        .with(Advice::option("threshold", "P"))
                        .with(Advice::option("costs", "MISS:ALARM")),
                ));
            }
            _ => {}
        }
        let mut keep: Vec<String> = asked.keep.iter().map(|k| k.trim().to_string()).collect();
        // Rows of a folder are known by their files.
        if asked.source.path.is_dir()
            && keep.is_empty()
            && files::format_of(&asked.source.path, run)? == files::Format::Folder
        {
            keep.push("file".into());
        }
        Ok(Columns { outputs, scores: asked.scores, proba: asked.proba, top, keep, decision })
    }

    /// Whether a word says what the model decides.
    fn decides(&self) -> bool {
        self.outputs.decides_anomalies() || (self.outputs.meaning == Meaning::Outlier && self.decision.is_some())
    }

    fn header(&self) -> Vec<String> {
        let names = &self.outputs.names;
        let mut fields = self.keep.clone();
        match (self.outputs.meaning, self.top) {
            (Meaning::Classes, Some(k)) => {
                fields.extend((1..=k).flat_map(|i| [format!("class_{i}"), format!("score_{i}")]));
            }
            (Meaning::Labels, Some(k)) => {
                fields.extend((1..=k).flat_map(|i| [format!("label_{i}"), format!("score_{i}")]));
            }
            (Meaning::Classes | Meaning::Labels, None) => fields.push("prediction".into()),
            _ => {
                fields.extend(self.decides().then(|| "prediction".to_string()));
                fields.extend(names.iter().cloned());
            }
        }
        if self.scores && matches!(self.outputs.meaning, Meaning::Classes | Meaning::Labels) {
            fields.extend(names.iter().map(|n| format!("score {n}")));
        }
        if self.proba {
            fields.extend(names[..self.outputs.main()].iter().map(|n| format!("p {n}")));
        }
        fields
    }

    /// Hands the fields of each row to `write`; the prediction is of the rows of a chunk from that one on.
    fn each_row<E: From<Error>>(
        &self,
        (chunk, from): (&Dataset, usize),
        prediction: &Prediction,
        run: &Run<'_>,
        write: &mut Writer<'_, E>,
    ) -> std::result::Result<(), E> {
        let (width, main) = (self.outputs.names.len(), self.outputs.main());
        let scores = prediction.scores.to_dense(&run.memory)?;
        let proba = if self.proba { prediction.probabilities(run)? } else { None };
        let decided = match (&self.decision, self.outputs.meaning) {
            (Some(decision), Meaning::Classes) => Some(decision.classes(prediction, run)?),
            _ => None,
        };
        let border = self.decision.as_ref().map_or(0.0, |d| d.threshold);
        let kept = self.keep.iter().map(|name| column(chunk, name)).collect::<Result<Vec<&Cells>>>()?;
        let class = |i: u32| OutputField::Word(self.outputs.names[i as usize].clone());
        let mut among = vec![];
        for (i, row) in scores.chunks_exact(width.max(1)).enumerate() {
            let mut fields: Vec<OutputField> = kept.iter().map(|cells| carried(cells, from + i)).collect();
            match (self.outputs.meaning, self.top) {
                (Meaning::Classes | Meaning::Labels, Some(k)) => {
                    best_scores(&row[..main], k, &mut among);
                    fields.extend(among.iter().flat_map(|&(score, c)| [class(c), OutputField::Number(score)]));
                }
                (Meaning::Labels, None) => {
                    let meant = self.outputs.names[..main].iter().zip(row).filter(|(_, score)| **score > border);
                    let set: Vec<&str> = meant.map(|(name, _)| name.as_str()).collect();
                    fields.push(OutputField::Word(set.join(BETWEEN)));
                }
                (Meaning::Classes, None) => {
                    fields.push(class(decided.as_ref().map_or_else(|| argmax(&row[..main]), |d| d[i])));
                }
                _ => {
                    if self.decides() {
                        fields.push(OutputField::Word(ANOMALY[usize::from(row[0] > border)].into()));
                    }
                    fields.extend(row.iter().map(|&x| OutputField::Number(x)));
                }
            }
            if self.scores && matches!(self.outputs.meaning, Meaning::Classes | Meaning::Labels) {
                fields.extend(row.iter().map(|&x| OutputField::Number(x)));
            }
            if let Some(proba) = &proba {
                fields.extend(proba[i * main..(i + 1) * main].iter().map(|&x| OutputField::Number(x)));
            }
            write(i, &fields)?;
        }
        Ok(())
    }
}

/// The column of that name.
fn column<'d>(chunk: &'d Dataset, name: &str) -> Result<&'d Cells> {
    let Inputs::Table(table) = &chunk.inputs else {
        return Err(Error::parameter("keep", name, "these data have no named columns"));
    };
    match table.column(name) {
        Some(column) => Ok(&column.cells),
        None => {
            let names: Vec<&str> = table.columns().iter().map(|c| c.name.as_str()).collect();
            let near = nearest(name, names.iter().copied());
            let hint =
                near.map_or_else(|| format!("the columns are {}", names.join(", ")), |n| format!("did you mean {n}?"));
            Err(Error::parameter("keep", name, format!("no such column; {hint}")))
        }
    }
}

/// A cell of a column that is carried along.
fn carried(cells: &Cells, i: usize) -> OutputField {
    match cells {
        Cells::Number(v) if !v[i].is_nan() => OutputField::Number(v[i]),
        Cells::Category { codes, levels } if codes[i] != UNKNOWN => {
            OutputField::Word(levels[codes[i] as usize].clone())
        }
        Cells::Text(texts) | Cells::Id(texts) => {
            texts.get(i).map_or(OutputField::Missing, |t| OutputField::Word(t.to_string()))
        }
        Cells::Date(v) if !v[i].is_nan() => {
            OutputField::Word(files::date_text(v[i]).unwrap_or_else(|| number_text(v[i])))
        }
        _ => OutputField::Missing,
    }
}
