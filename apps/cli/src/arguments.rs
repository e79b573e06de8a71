//! What can be typed: the help, the completions and the manual are made of these descriptions.

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand};
use pellucid::graph::Element;
use pellucid::job::{Deciding, Source};
use pellucid::picture::View;
use pellucid::{Error, Kind, Setting, Settings, Task, files};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Learning machines you can see through.
#[derive(Parser)]
#[command(name = "pellucid", version, max_term_width = 100, arg_required_else_help = true)]
#[command(after_help = "Results go to standard output, progress and notes to standard error.\n\
    Exit codes: 0 done, 1 not good enough under --strict, 2 error, 130 interrupted.")]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Shows what Pellucid does, on data it carries within: fit, score, report
    Demo(Demo),
    /// Fits a machine to data and stores it, with its preparation, in one file
    Fit(Fit),
    /// Predicts new rows; reads from a pipe (-) too, in bounded memory
    Predict(Predict),
    /// Judges a model by data whose targets are known
    Score(Score),
    /// Says in plain words what a file is: data or model
    Inspect(Inspect),
    /// Writes data or a model in another format: CSV, LIBSVM, NPY, NPZ; ONNX, .pel, LIBSVM models, safetensors
    Convert(Convert),
    /// Predicts the time and memory a fit will take, by trials on some of the rows that last below a second.
    ///
    /// Seconds are those of the fit itself, without reading and preparing the data; memory is the peak of the whole program
    /// beyond what it takes when it starts: what reading, preparing and fitting hold.
    Plan(Plan),
    /// Compares machines on the same held-out rows: means, deviations, ranks, significance
    Compare(Compare),
    /// Writes a report of a model and how it does on data: one HTML file
    Report(Report),
    /// Explains what a model says of some rows: bars, heat maps, coloured words, anomaly cards
    Explain(Explain),
    /// Says which explanation methods fit a model, and why others do not
    Methods(Methods),
    /// Judges explanations: what is relevant is taken away first, and the score should fall; and by other measures
    Judge(Judge),
    /// Draws a synthetic problem of the literature
    Generate(Generate),
    /// Repeats an experiment of the literature and shows our numbers beside the known ones
    Reproduce(Reproduce),
    /// Lists the machines and steps of preparation, or explains one of them
    Machines(Machines),
    /// Trains as LIBSVM's svm-train does: its options, its files
    #[command(disable_help_flag = true)]
    SvmTrain(Svm),
    /// Predicts as LIBSVM's svm-predict does: its options, its files
    #[command(disable_help_flag = true)]
    SvmPredict(Svm),
    /// Writes completions for a shell to standard output
    Completions(Completions),
    /// Writes the manual pages into a folder
    Man(Man),
}

#[derive(Args)]
pub struct Demo {
    /// Folder for the data, the models and the report
    #[arg(default_value = "pellucid-demo")]
    pub folder: PathBuf,
    #[command(flatten)]
    pub running: Running,
}

#[derive(Args)]
pub struct Fit {
    /// The machine, by its name (see `pellucid machines`)
    pub machine: String,
    /// The data: CSV, LIBSVM, XMC, ARFF, NPY, NPZ, IDX, Parquet, pictures; plain or gzipped
    pub data: PathBuf,
    /// Where to store the model
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// A setting of the machine, as name=value; may be given several times
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub settings: Vec<String>,
    /// Fraction of the rows to hold out and judge by, drawn at random; or last (a quarter) or last=FRACTION, for rows in
    /// the order of time
    #[arg(long, value_name = "FRACTION|last[=FRACTION]", conflicts_with = "test")]
    pub holdout: Option<String>,
    /// Data to judge by
    #[arg(long, value_name = "FILE")]
    pub test: Option<PathBuf>,
    /// Column whose numbers say how much each row counts
    #[arg(long, value_name = "COLUMN")]
    pub weights: Option<String>,
    /// Column whose values say which rows belong together
    #[arg(long, value_name = "COLUMN")]
    pub groups: Option<String>,
    /// Steps before the machine: auto, none, or a list such as impute=mean,scale
    #[arg(long, value_name = "STEPS", default_value = "auto")]
    pub prepare: String,
    /// Values of a setting to choose from by cross-validation, as name=a,b,c; may be given several times
    #[arg(long, value_name = "NAME=A,B,C", conflicts_with_all = ["resume", "checkpoint"])]
    pub grid: Vec<String>,
    /// Folds within which --grid chooses
    #[arg(long, value_name = "N", default_value_t = 5, requires = "grid")]
    pub grid_folds: usize,
    /// Measure by which --grid chooses; accuracy for classes, r2 for values, if not given
    #[arg(long, value_name = "NAME", requires = "grid")]
    pub measure: Option<String>,
    /// Also repeats the whole choice inside each of N outer folds and judges it by rows it has not seen
    #[arg(long, value_name = "N", requires = "grid")]
    pub nested: Option<usize>,
    /// File for the state of long work, written every half minute and when the fit is stopped
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// Model or checkpoint to go on from
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    #[command(flatten)]
    pub target: TargetChoice,
    #[command(flatten)]
    pub reading: ReadingChoice,
    #[command(flatten)]
    pub running: Running,
    /// What was typed that decides what comes out, for the command that repeats it.
    #[arg(skip)]
    pub given: Vec<String>,
}

#[derive(Args)]
pub struct Predict {
    /// The model
    pub model: PathBuf,
    /// The data, or - for standard input
    pub data: PathBuf,
    /// File for the predictions, as CSV; standard output if not given
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Shows the score of every class
    #[arg(long)]
    pub scores: bool,
    /// Shows the probability of every class
    #[arg(long)]
    pub proba: bool,
    /// Shows only the K best classes and their scores
    #[arg(long, value_name = "K", conflicts_with_all = ["scores", "proba"])]
    pub top: Option<usize>,
    /// Columns of the data to write beside the predictions, separated by commas, so that rows can be joined
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub keep: Vec<String>,
    /// The class that --threshold and --costs speak of; else the model's own positive class
    #[arg(long, value_name = "CLASS")]
    pub positive: Option<String>,
    #[command(flatten)]
    pub decision: DecisionChoice,
    #[command(flatten)]
    pub network: NetworkChoice,
    #[command(flatten)]
    pub reading: ReadingChoice,
    #[command(flatten)]
    pub running: Running,
}

#[derive(Args)]
pub struct Score {
    /// The model
    pub model: PathBuf,
    /// Data whose targets are known
    pub data: PathBuf,
    /// Column whose numbers say how much each row counts
    #[arg(long, value_name = "COLUMN")]
    pub weights: Option<String>,
    #[command(flatten)]
    pub decision: DecisionChoice,
    #[command(flatten)]
    pub network: NetworkChoice,
    #[command(flatten)]
    pub target: TargetChoice,
    #[command(flatten)]
    pub reading: ReadingChoice,
    #[command(flatten)]
    pub running: Running,
}

#[derive(Args)]
pub struct Inspect {
    /// The file or folder
    pub file: PathBuf,
    /// Describes every column, however many there are
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub reading: ReadingChoice,
    #[command(flatten)]
    pub running: Running,
}

#[derive(Args)]
pub struct Convert {
    /// The data or the model to read
    pub input: PathBuf,
    /// The file to write; its ending says how: .csv, .tsv, .libsvm (.svm), .npy, .npz for data, .onnx, .pel, .model
    /// (.libsvm, a model of LIBSVM) and .safetensors (the weights of a network) for models
    pub output: PathBuf,
    /// Steps fitted to the data, which are then written as they come out: auto, or a list such as impute=mean,scale
    #[arg(long, value_name = "STEPS", conflicts_with_all = ["on", "precision"])]
    pub prepare: Option<String>,
    /// Data on which a written ONNX file is compared with the model; drawn rows if not given
    #[arg(long, value_name = "DATA")]
    pub on: Option<PathBuf>,
    /// Numbers of a written ONNX file; a network keeps its own, others are f32, if not given
    #[arg(long, value_parser = words(&[Element::F32, Element::F64].map(Element::word)))]
    pub precision: Option<String>,
    #[command(flatten)]
    pub network: NetworkChoice,
    #[command(flatten)]
    pub target: TargetChoice,
    #[command(flatten)]
    pub reading: ReadingChoice,
    #[command(flatten)]
    pub running: Running,
}

#[derive(Args)]
pub struct Plan {
    /// The machine, by its name
    pub machine: String,
    /// The data
    pub data: PathBuf,
    /// A setting of the machine, as name=value; may be given several times
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub settings: Vec<String>,
    /// Steps before the machine
    #[arg(long, value_name = "STEPS", default_value = "auto")]
    pub prepare: String,
    #[command(flatten)]
    pub target: TargetChoice,
    #[command(flatten)]
    pub reading: ReadingChoice,
    #[command(flatten)]
    pub running: Running,
}

#[derive(Args)]
pub struct Compare {
    /// The data
    pub data: PathBuf,
    /// The machines, each possibly with settings and steps before it, such as knn:k=1 or pca=2,knn; or all
    #[arg(required = true)]
    pub machines: Vec<String>,
    /// Further data to compare on, with their target if it is another; may be given several times
    #[arg(long, value_name = "DATA[@TARGET]")]
    pub also: Vec<String>,
    /// HTML file for the tables and pictures
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// How many parts the rows are cut into, each of which is held out once
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub folds: usize,
    /// How often all of it is repeated with new parts
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub repeats: usize,
    /// Rolling parts in place of folds, for rows in the order of time: each is judged after learning from all before it
    #[arg(long, value_name = "N", conflicts_with_all = ["folds", "repeats"])]
    pub rolling: Option<usize>,
    /// Settings to choose from inside each fold, as name=a,b,c for all machines that have them or as machine:name=a,b,c
    #[arg(long, value_name = "[MACHINE:]NAME=A,B,C")]
    pub grid: Vec<String>,
    /// Folds within which --grid chooses
    #[arg(long, value_name = "N", default_value_t = 5, requires = "grid")]
    pub grid_folds: usize,
    /// Measure to compare by; accuracy for classes, r2 for values
    #[arg(long, value_name = "NAME")]
    pub measure: Option<String>,
    /// Steps before each machine: auto, none, or a list such as impute=mean,scale
    #[arg(long, value_name = "STEPS", default_value = "auto")]
    pub prepare: String,
    /// Column whose values say which rows belong together
    #[arg(long, value_name = "COLUMN")]
    pub groups: Option<String>,
    #[command(flatten)]
    pub target: TargetChoice,
    #[command(flatten)]
    pub reading: ReadingChoice,
    #[command(flatten)]
    pub running: Running,
}

#[derive(Args)]
pub struct Report {
    /// The model
    pub model: PathBuf,
    /// Data whose targets are known
    pub data: PathBuf,
    /// The HTML file
    #[arg(short, long, value_name = "FILE", default_value = "report.html")]
    pub output: PathBuf,
    /// Column whose numbers say how much each row counts
    #[arg(long, value_name = "COLUMN")]
    pub weights: Option<String>,
    #[command(flatten)]
    pub network: NetworkChoice,
    #[command(flatten)]
    pub target: TargetChoice,
    #[command(flatten)]
    pub reading: ReadingChoice,
    #[command(flatten)]
    pub running: Running,
}

#[derive(Args)]
pub struct Explain {
    /// The model
    pub model: PathBuf,
    /// The data
    pub data: PathBuf,
    /// Rows to explain, counted from 0, such as 0,5-9; else the 10 strangest (or first), all for .npy, .csv and --clusters
    #[arg(long, value_name = "ROWS")]
    pub rows: Option<String>,
    /// The method (see `pellucid methods`), or several with commas between them; else the one that suits the model best
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub method: Vec<String>,
    /// The class or output to explain; else the one predicted for each row
    #[arg(long, value_name = "NAME")]
    pub class: Option<String>,
    /// A setting of the method, such as epsilon=0.1 or low=0; `pellucid methods` lists them
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub settings: Vec<String>,
    /// Where to write: .html (cards, or a gallery of several methods, models or views), .png (the gallery as a picture),
    /// .npy or .csv (numbers), else a folder for cards, numbers and pictures
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Another model to explain the same rows with; may be given several times
    #[arg(long, value_name = "MODEL")]
    pub also: Vec<PathBuf>,
    /// Column or file of what the rows truly are, shown beside what is predicted; else the model's own target, if it is there
    #[arg(long, value_name = "COLUMN|FILE|none")]
    pub target: Option<String>,
    /// Goes on with an .npy or .csv file whose writing was interrupted: what is there and right is kept
    #[arg(long)]
    pub resume: bool,
    /// Also tells what each node of a network kept on the way: absorbed by constants, lost to stabilisers
    #[arg(long, conflicts_with_all = ["clusters", "also", "output"])]
    pub layers: bool,
    /// Finds clusters of explanations and writes them, the strangest first, to an .html file: each may be a shortcut
    #[arg(long, value_name = "FILE")]
    pub clusters: Option<PathBuf>,
    /// Places down and across that maps of pictures are added up to before clusters are looked for
    #[arg(long, value_name = "COUNT", default_value_t = 5, requires = "clusters")]
    pub places: usize,
    #[command(flatten)]
    pub looking: LookingChoice,
    #[command(flatten)]
    pub network: NetworkChoice,
    #[command(flatten)]
    pub reading: ReadingChoice,
    #[command(flatten)]
    pub running: Running,
}

/// How explanations of pictures are shown.
#[derive(Args)]
#[command(next_help_heading = "Looking at pictures")]
pub struct LookingChoice {
    /// Ways to show them, with commas between them; all of small pictures, heat, mask and blend of large ones, if not given
    #[arg(long, value_name = "VIEWS", value_delimiter = ',', value_parser = words(words_of::<View>()))]
    pub view: Vec<String>,
    /// Shows the signed root of relevance, so that small numbers are seen
    #[arg(long)]
    pub root: bool,
    /// Segments that a mask keeps; 50 and no more than a quarter of them, if not given
    #[arg(long, value_name = "COUNT")]
    pub best: Option<usize>,
    /// How far a blend is blurred, in pixels
    #[arg(long, value_name = "PIXELS", default_value_t = 3.0)]
    pub blur: f64,
}

#[derive(Args)]
pub struct Methods {
    /// The model
    pub model: PathBuf,
    #[command(flatten)]
    pub running: Running,
}

#[derive(Args)]
#[command(after_help = judging_settings())]
pub struct Judge {
    /// The model: .pel, .onnx or of LIBSVM
    pub model: PathBuf,
    /// The data: a table, a folder of pictures, ...; a target in it is left alone
    pub data: PathBuf,
    /// Methods to compare, separated by commas (see `pellucid methods`); random relevance always takes part
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub methods: Vec<String>,
    /// What to judge by, separated by commas: perturbation, flipping (detectors), faithfulness, sensitivity,
    /// randomisation, localisation, mosaics, sparseness, complexity; else flipping for detectors, perturbation for others
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub measures: Vec<String>,
    /// Rows to judge by, counted from 0, such as 0,5-9; else 100: the strangest of a detector, or evenly over the data
    #[arg(long, value_name = "ROWS")]
    pub rows: Option<String>,
    /// A setting of the measures, such as region=8, replace=blur or steps=50; listed below
    #[arg(long, value_name = "NAME=VALUE")]
    pub with: Vec<String>,
    /// A setting of the methods, such as epsilon=0.1; `pellucid methods` lists them
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub settings: Vec<String>,
    /// Settings to compare, for the methods that look at them, as name=a,b,c; may be given several times
    #[arg(long, value_name = "NAME=A,B,C")]
    pub grid: Vec<String>,
    /// CSV file with columns top, left, bottom, right, a line for each row of the data: the box of the object in pixels of
    /// the picture as the model takes it, for localisation
    #[arg(long, value_name = "FILE")]
    pub boxes: Option<PathBuf>,
    /// File for the curves and tables (.html), or the pictures alone (.png, .svg)
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub network: NetworkChoice,
    #[command(flatten)]
    pub reading: ReadingChoice,
    #[command(flatten)]
    pub running: Running,
}

/// The settings of measures, for the help.
fn judging_settings() -> String {
    let mut text = String::from("Settings of the measures (--with NAME=VALUE):\n");
    for p in pellucid::explain::Judging::default().params() {
        text += &format!("  {:10} {} ({})\n", p.name, p.help, p.default);
    }
    text
}

#[derive(Args)]
pub struct Generate {
    /// The problem; without one they are listed
    pub problem: Option<String>,
    /// The file to write; its ending says how: .csv, .tsv, .libsvm, .npz
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// A setting of the problem, as name=value; may be given several times
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub settings: Vec<String>,
    #[command(flatten)]
    pub running: Running,
}

#[derive(Args)]
pub struct Reproduce {
    /// The experiment, or all; without one they are listed
    pub experiment: Option<String>,
    /// File for the numbers and pictures (.html), or the pictures alone (.png, .svg)
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Folder with the real data that some experiments need
    #[arg(long, value_name = "FOLDER", default_value = "../shared/data")]
    pub data: PathBuf,
    #[command(flatten)]
    pub running: Running,
}

#[derive(Args)]
pub struct Machines {
    /// The machine or step to explain
    pub name: Option<String>,
    /// Prints one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct Svm {
    /// Options and files as LIBSVM has them; none to have them listed
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "WORDS")]
    pub words: Vec<String>,
}

#[derive(Args)]
pub struct Completions {
    /// The shell
    pub shell: clap_complete::Shell,
}

#[derive(Args)]
pub struct Man {
    /// The folder
    pub folder: PathBuf,
}

/// Which column is the target.
#[derive(Args, Clone)]
pub struct TargetChoice {
    /// Column to predict, a file with one value a row, or none; else a column named target, class, label or y, else the last
    #[arg(long, value_name = "COLUMN|FILE|none")]
    pub target: Option<String>,
    /// Whether the target is classes (classify) or amounts (regress), where the machine takes both
    #[arg(long, value_parser = words(words_of::<Task>()))]
    pub task: Option<String>,
    /// Columns to leave out, separated by commas
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub ignore: Vec<String>,
    /// The class that precision, recall and the like speak of; of a detector, the anomalies; else the rarer of two
    #[arg(long, value_name = "CLASS")]
    pub positive: Option<String>,
}

impl TargetChoice {
    /// The task that is named.
    pub fn task(&self) -> Option<Task> {
        self.task.as_deref().and_then(Task::from_word)
    }

    /// The rows of a file, with what its columns are.
    pub fn source(&self, path: &Path, reading: &ReadingChoice) -> Result<Source, Error> {
        Ok(Source {
            path: path.to_path_buf(),
            reading: reading.reading()?,
            ignore: self.ignore.clone(),
            target: self.target.clone(),
            task: self.task(),
            positive: self.positive.clone(),
            weights: None,
            groups: None,
        })
    }
}

/// How classes are given where one matters more.
#[derive(Args)]
#[command(next_help_heading = "Deciding")]
pub struct DecisionChoice {
    /// Least probability at which a row is given the positive class; of a detector, the score above which it is an anomaly
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, conflicts_with = "costs")]
    pub threshold: Option<f64>,
    /// What a miss and a false alarm cost, such as 10:1; sets the threshold with the least expected cost
    #[arg(long, value_name = "MISS:ALARM")]
    pub costs: Option<String>,
}

impl DecisionChoice {
    /// The costs of a miss and of a false alarm, if they are given.
    fn costs(&self) -> Result<Option<(f64, f64)>, Error> {
        let Some(text) = &self.costs else { return Ok(None) };
        let parts = text.split_once(':').and_then(|(m, a)| Some((m.trim().parse().ok()?, a.trim().parse().ok()?)));
        parts.map(Some).ok_or_else(|| Error::parameter("costs", text, "must be MISS:ALARM, such as 10:1"))
    }

    /// How classes are decided.
    pub fn deciding(&self) -> Result<Deciding, Error> {
        Ok(Deciding { threshold: self.threshold, costs: self.costs()? })
    }
}

/// How an ONNX file is taken as a model.
#[derive(Args)]
#[command(next_help_heading = "ONNX models")]
pub struct NetworkChoice {
    /// Taken off every number before an ONNX network: one number, or one for each channel. Pixels are 0 to 255 as they
    /// are; a network that was trained on (x / 255 - 0.1307) / 0.3081 takes --shift 33.3285 --factor 0.0127285
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', allow_negative_numbers = true)]
    pub shift: Vec<f64>,
    /// What the rest is multiplied by
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', allow_negative_numbers = true)]
    pub factor: Vec<f64>,
    /// Node of an ONNX network whose activations are what comes out
    #[arg(long, value_name = "NAME")]
    pub node: Option<String>,
    /// Names of the outputs of an ONNX network: a text file with a name a line, or JSON
    #[arg(long, value_name = "FILE")]
    pub names: Option<PathBuf>,
    /// Makes probabilities of the scores of an ONNX network that does not do so itself
    #[arg(long)]
    pub softmax: bool,
}

impl NetworkChoice {
    /// The options as the reader takes them.
    pub fn reading(
        &self,
        task: Option<pellucid::Task>,
        run: &pellucid::Run<'_>,
    ) -> Result<pellucid::OnnxReading, pellucid::Error> {
        let (shift, factor, node) = (self.shift.clone(), self.factor.clone(), self.node.clone());
        let names = self.names.as_deref().map(|path| pellucid::read_labels(path, run)).transpose()?;
        Ok(pellucid::OnnxReading { shift, factor, node, task, names: names.unwrap_or_default(), softmax: self.softmax })
    }
}

/// How a data file is read.
#[derive(Args)]
#[command(next_help_heading = "Reading")]
pub struct ReadingChoice {
    /// Format of the data; recognised by content if not given
    #[arg(long, value_parser = words(&data_formats()))]
    pub format: Option<String>,
    /// Whether the first line names the columns
    #[arg(long, value_parser = words(words_of::<files::Header>()), default_value = "auto", hide_default_value = true)]
    pub header: String,
    /// Character between fields; guessed if not given
    #[arg(long, value_name = "CHAR")]
    pub separator: Option<String>,
    /// Further words that stand for a missing value, separated by commas
    #[arg(long, value_name = "WORDS", value_delimiter = ',')]
    pub missing: Vec<String>,
    /// What a column holds: number, category, text, date, id or ignore; may be given several times
    #[arg(long = "type", value_name = "COLUMN=TYPE")]
    pub types: Vec<String>,
    /// Decimal sign, . or ,; guessed if not given
    #[arg(long, value_name = "SIGN", value_parser = [".", ","])]
    pub decimal: Option<String>,
    /// Sign between groups of three digits: , . ' or space; guessed if not given
    #[arg(long, value_name = "SIGN", value_parser = [",", ".", "'", "space", " "])]
    pub thousands: Option<String>,
    /// How dates are written: dmy, mdy, ymd or a format such as %d.%m.%Y; guessed if not given
    #[arg(long, value_name = "FORMAT")]
    pub date_format: Option<String>,
    /// The most columns a dense file may have
    #[arg(long, value_name = "N")]
    pub max_columns: Option<usize>,
    /// Sorts the ids of a sparse row instead of refusing them
    #[arg(long)]
    pub sort_ids: bool,
    /// Size of each picture in a stack, as HEIGHTxWIDTH
    #[arg(long, value_name = "HxW")]
    pub stack: Option<String>,
}

/// What a command may use, and how it speaks.
#[derive(Args)]
#[command(next_help_heading = "Running")]
pub struct Running {
    /// Source of all randomness
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,
    /// Threads to use, 0 for all cores; results do not depend on it
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub threads: usize,
    /// Most memory to use, such as 500M or 8G; else four fifths of what is free
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<String>,
    /// Most time to use, such as 30s, 10m or 2h; the best so far is kept
    #[arg(long, value_name = "TIME")]
    pub time: Option<String>,
    /// Prints one JSON object instead of text
    #[arg(long)]
    pub json: bool,
    /// Ends with code 1 if a fit did not converge or an explanation does not balance
    #[arg(long)]
    pub strict: bool,
    /// Shows neither progress nor notes
    #[arg(short, long)]
    pub quiet: bool,
}

impl ReadingChoice {
    /// The options as the readers take them.
    pub fn reading(&self) -> Result<files::Reading, Error> {
        let separator = match self.separator.as_deref() {
            None => None,
            Some("tab" | "\\t") => Some(b'\t'),
            Some(text) if text.len() == 1 => Some(text.as_bytes()[0]),
            Some(text) => return Err(Error::parameter("separator", text, "must be one character, or tab")),
        };
        let stack = match &self.stack {
            None => None,
            Some(text) => {
                let sizes = text.split_once('x').and_then(|(h, w)| Some((h.parse().ok()?, w.parse().ok()?)));
                Some(sizes.ok_or_else(|| Error::parameter("stack", text, "must be HEIGHTxWIDTH, such as 32x32"))?)
            }
        };
        let decimal_comma = self.decimal.as_deref().map(|sign| sign == ",");
        let thousands = self
            .thousands
            .as_deref()
            .map(|sign| if sign == "space" { ' ' } else { sign.chars().next().unwrap_or(' ') });
        if let (Some(decimal), Some(sign)) = (&self.decimal, &self.thousands)
            && decimal == sign
        {
            return Err(Error::parameter("thousands", sign, "is the decimal sign already"));
        }
        let mut types = std::collections::BTreeMap::new();
        for text in &self.types {
            let given =
                text.rsplit_once('=').and_then(|(name, word)| Some((name, files::ColumnType::from_word(word.trim())?)));
            let kinds = words_of::<files::ColumnType>().join(", ");
            let must = format!("must be COLUMN=TYPE, the type one of {kinds}");
            let (name, given) = given.ok_or_else(|| Error::parameter("type", text, must))?;
            types.insert(name.to_string(), given);
        }
        let usual = files::Reading::default();
        Ok(files::Reading {
            decimal_comma,
            thousands,
            date_format: self.date_format.clone(),
            types,
            format: self.format.as_deref().and_then(files::Format::from_word),
            header: files::Header::from_word(&self.header).unwrap_or(files::Header::Auto),
            separator,
            missing: usual.missing.iter().chain(&self.missing).cloned().collect(),
            max_columns: self.max_columns.unwrap_or(usual.max_columns),
            sort_ids: self.sort_ids,
            stack,
            ..usual
        })
    }
}

/// A size such as 500M or 8G, in bytes.
pub fn size(text: &str) -> Result<u64, Error> {
    let wrong = || Error::parameter("memory", text, "must be a size such as 500M or 8G");
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 1.0,
        "K" | "KB" => 1024.0,
        "M" | "MB" => 1048576.0,
        "G" | "GB" => 1073741824.0,
        "T" | "TB" => 1099511627776.0,
        _ => return Err(wrong()),
    };
    match digits.parse::<f64>() {
        Ok(x) if x > 0.0 && x.is_finite() => Ok((x * unit) as u64),
        _ => Err(wrong()),
    }
}

/// A time such as 30s, 10m or 2h.
pub fn time(text: &str) -> Result<Duration, Error> {
    let wrong = || Error::parameter("time", text, "must be a time such as 30s, 10m or 2h");
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        "d" => 86400.0,
        _ => return Err(wrong()),
    };
    match digits.parse::<f64>() {
        Ok(x) if x >= 0.0 && x * unit < 1e9 => Ok(Duration::from_secs_f64(x * unit)),
        _ => Err(wrong()),
    }
}

/// Options of a fit that do not change what is fitted, or that the model says by itself.
const BESIDE: &[&str] = &[
    "machine",
    "data",
    "output",
    "settings",
    "prepare",
    "target",
    "seed",
    "threads",
    "memory",
    "time",
    "json",
    "strict",
    "quiet",
    "checkpoint",
    "test",
];

/// What was typed for a command, as words, without the options that do not change what is fitted.
pub fn given(command: &clap::Command, matches: &clap::ArgMatches) -> Vec<String> {
    let mut words = vec![];
    for argument in command.get_arguments() {
        let id = argument.get_id().as_str();
        let typed = matches.value_source(id) == Some(clap::parser::ValueSource::CommandLine);
        // The model names its target; that it must have none, it cannot.
        let none = id == "target" && matches.get_raw(id).is_some_and(|mut v| v.any(|word| word == "none"));
        let Some(long) = argument.get_long().filter(|_| typed && (none || !BESIDE.contains(&id))) else { continue };
        if !argument.get_action().takes_values() {
            words.push(format!("--{long}"));
            continue;
        }
        for values in matches.get_raw_occurrences(id).into_iter().flatten() {
            let values: Vec<String> = values.map(|v| v.to_string_lossy().into_owned()).collect();
            words.extend([format!("--{long}"), values.join(",")]);
        }
    }
    words
}

/// The words of a choice.
fn words_of<C: Setting>() -> &'static [&'static str] {
    match C::KIND {
        Kind::Choice(words) => words,
        _ => &[],
    }
}

/// An option that takes one of these words.
fn words(words: &[&'static str]) -> PossibleValuesParser {
    PossibleValuesParser::new(words.iter().copied())
}

/// The formats of data; models tell what they are by their content alone.
fn data_formats() -> Vec<&'static str> {
    let models = [files::Format::Model, files::Format::Onnx, files::Format::SvmModel].map(files::Format::word);
    words_of::<files::Format>().iter().copied().filter(|word| !models.contains(word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn descriptions_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn words_come_from_their_choices() {
        let all = "csv libsvm xmc arff npy npz idx parquet json png jpeg folder";
        assert_eq!(data_formats().join(" "), all);
        assert_eq!(words_of::<View>().join(" "), "heat gray scale mask blend project");
        assert_eq!(words_of::<Task>(), ["classify", "regress"]);
        assert!(words_of::<f64>().is_empty());
    }

    #[test]
    fn sizes_and_times_as_people_write_them() {
        assert_eq!(size("8G"), Ok(8 << 30));
        assert_eq!(size("1.5kb"), Ok(1536));
        assert_eq!(size("100"), Ok(100));
        assert_eq!(time("10m"), Ok(Duration::from_secs(600)));
        assert_eq!(time("250ms"), Ok(Duration::from_millis(250)));
        for bad in ["", "G", "-1G", "8X", "nan", "1e400"] {
            assert!(size(bad).is_err(), "{bad}");
            assert!(time(bad).is_err(), "{bad}");
        }
    }
}
