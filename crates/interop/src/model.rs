//! A model as it is kept: the machine with how it came about.

use crate::{Fingerprint, OnnxReading, read_onnx_model, target::Task};
use base::{Catalog, Certificate, Error, Fitted, Machine, Record, Result, Run, Spec, Value};
use evaluate::LabelFrequencies;
use network::ExternalBytes;
use std::path::Path;
use std::sync::Arc;

/// A machine with how it came about.
#[derive(Clone)]
pub struct Model {
    /// The machine, normally a chain that begins with the preparation.
    pub machine: Arc<dyn Machine>,
    /// What its fit says of itself.
    pub certificate: Certificate,
    /// The learner with its settings, and the steps of preparation before it.
    pub spec: Spec,
    /// What the data were called.
    pub data: String,
    /// How many rows it was fitted on.
    pub rows: usize,
    /// The target's name, if there was one.
    pub target: Option<String>,
    /// Whether the target was classes or values.
    pub task: Option<Task>,
    /// The seed.
    pub seed: u64,
    /// The class that precision and recall speak of, where there are two.
    pub positive: Option<String>,
    /// How many training rows had each label, where the target was label sets.
    pub frequencies: Option<LabelFrequencies>,
    /// Further options of the fit, as they were typed: what was held out, left out, how the file was read.
    pub options: Vec<String>,
    /// By what training rows are recognised.
    pub fingerprint: Fingerprint,
}

impl Model {
    /// The kind of its record.
    pub const KIND: &'static str = "model";

    /// What a learner fitted, with nothing known of how.
    pub fn of(fitted: Fitted, spec: Spec) -> Self {
        Model {
            machine: fitted.machine,
            certificate: fitted.certificate,
            spec,
            data: String::new(),
            rows: 0,
            target: None,
            task: None,
            seed: 0,
            positive: None,
            frequencies: None,
            options: vec![],
            fingerprint: Fingerprint::default(),
        }
    }

    /// The learner's settings, as they are written after `--set`.
    pub fn settings(&self) -> Vec<String> {
        self.spec.settings.iter().map(|(name, value)| format!("{name}={value}")).collect()
    }

    /// The steps of preparation, as they are written after `--prepare`.
    pub fn preparation(&self) -> Vec<String> {
        self.spec.before.iter().map(Spec::to_string).collect()
    }

    /// The model as plain data.
    pub fn record(&self) -> Record {
        Record::new(Self::KIND, 2)
            .with("machine", self.machine.record())
            .with("certificate", self.certificate.record())
            .with("spec", self.spec.record())
            .with("data", self.data.as_str())
            .with("rows", self.rows)
            .with_some("target", self.target.as_deref())
            .with_some("task", self.task.map(Task::word))
            .with("seed", format!("{}", self.seed))
            .with_some("positive", self.positive.as_deref())
            .with_some("label frequencies", self.frequencies.as_ref().map(LabelFrequencies::record))
            .with_some("options", (!self.options.is_empty()).then(|| self.options.clone()))
            .with_some("fingerprint", (!self.fingerprint.is_empty()).then(|| self.fingerprint.record()))
    }

    /// A model from plain data.
    pub fn read(record: &Record, catalog: &dyn Catalog) -> Result<Self> {
        record.expect(Self::KIND, 2)?;
        let optional = |name: &str| record.has(name).then(|| record.text(name)).transpose();
        let task = optional("task")?;
        let seed = record.text("seed")?;
        Ok(Model {
            machine: catalog.machine(record.part("machine")?)?,
            certificate: Certificate::read(record.part("certificate")?)?,
            spec: match record.version() {
                1 => spec_of_words(record, catalog)?,
                _ => Spec::read(record.part("spec")?)?,
            },
            data: record.text("data")?.to_string(),
            rows: record.count("rows")?,
            target: optional("target")?.map(str::to_string),
            task: task
                .map(|word| Task::from_word(word).ok_or_else(|| record.broken(format!("unknown task {word:?}"))))
                .transpose()?,
            seed: seed.parse().map_err(|_| record.broken(format!("the seed {seed:?} is not a number")))?,
            positive: optional("positive")?.map(str::to_string),
            frequencies: match record.has("label frequencies") {
                true => Some(LabelFrequencies::read(record.part("label frequencies")?)?),
                false => None,
            },
            options: if record.has("options") { record.texts("options")?.to_vec() } else { vec![] },
            fingerprint: match record.has("fingerprint") {
                true => Fingerprint::read(record.part("fingerprint")?)?,
                false => Fingerprint::default(),
            },
        })
    }

    /// What a fit can go on from in a file of ours: the machine of a model, or a checkpoint.
    pub fn start(path: &Path, run: &Run<'_>) -> Result<Record> {
        let record = files::read_checkpoint(path, run)?;
        match record.kind() {
            Self::KIND => Ok(record.part("machine")?.clone()),
            _ => Ok(record),
        }
    }

    /// Writes the model to a file, whole or not at all.
    pub fn save(&self, path: &Path, run: &Run<'_>) -> Result<()> {
        files::write_model(path, &self.record(), run)
    }

    /// Reads a model from a file: our own, ONNX, LIBSVM or LIBLINEAR.
    pub fn load(path: &Path, run: &Run<'_>) -> Result<Self> {
        Model::load_with(path, &OnnxReading::default(), run)
    }

    /// The same, with how an ONNX file is to be taken.
    pub fn load_with(path: &Path, how: &OnnxReading, run: &Run<'_>) -> Result<Self> {
        let format = files::format_of(path, run)?;
        if format == files::Format::Onnx {
            let beside = |name: &str| files::open_beside(path, name, run).map(|b| Arc::new(b) as ExternalBytes);
            return read_onnx_model(&path.display().to_string(), &files::open(path, run)?, &beside, how, run);
        }
        if !how.is_plain() {
            let must = "is for ONNX files; this is a model of another kind";
            return Err(Error::parameter("shift, factor, node, names or softmax", path.display(), must));
        }
        if format == files::Format::SvmModel {
            return crate::read_svm(&path.display().to_string(), &files::read_svm_model(path, run)?, run);
        }
        if format == files::Format::LinearModel {
            return crate::read_linear(&path.display().to_string(), &files::read_linear_model(path, run)?, run);
        }
        let named = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("pel"));
        if format != files::Format::Model && !named {
            let why = format!("is data ({}), not a model; the model comes first, then the data", format.word());
            return Err(Error::File { file: path.display().to_string(), why });
        }
        let record = files::read_model(path, run)?;
        Model::read(&record, run.catalog).map_err(|e| match e {
            Error::Format { why, .. } => Error::format(path.display().to_string(), why),
            other => other,
        })
    }
}

/// The spec of a model of version 1, which kept settings as `name=value` and steps as they were typed.
fn spec_of_words(record: &Record, catalog: &dyn Catalog) -> Result<Spec> {
    let mut spec = Spec::named(record.text("learner")?);
    let mut learner = catalog.learner(&spec.name).ok();
    for (name, text) in record.texts("settings")?.iter().filter_map(|word| word.split_once('=')) {
        // A setting that is called otherwise today is told as it was written.
        let known = learner.as_mut().and_then(|l| l.set_text(name, text).and_then(|()| l.get(name)).ok());
        spec = spec.with(name, known.unwrap_or_else(|| Value::Text(text.to_string())));
    }
    spec.before = record.texts("preparation")?.iter().map(|text| Spec::named(text.as_str())).collect();
    Ok(spec)
}
