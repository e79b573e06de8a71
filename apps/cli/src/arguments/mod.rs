//! What can be typed: the help, the completions and the manual are made of these descriptions, a module for each family of
//! commands and one for each group of options that several share.

mod deciding;
mod explaining;
mod fitting;
mod handling;
mod network;
mod reading;
mod running;
mod showing;
mod target;
mod using;
mod words;

pub use deciding::DecisionChoice;
pub use explaining::{Explain, Judge, Methods};
pub use fitting::{Compare, Fit, Plan};
pub use handling::{Convert, Generate, Inspect};
pub use network::NetworkChoice;
pub use reading::ReadingChoice;
pub use running::{Running, size, time};
pub use showing::{Completions, Demo, Machines, Man, Reproduce, Words};
pub use target::TargetChoice;
pub use using::{Predict, Report, Score};

use clap::{Parser, Subcommand};

/// Explainable machine learning.
#[derive(Parser)]
#[command(name = "pellucid", version, max_term_width = 100, arg_required_else_help = true)]
#[command(after_help = "Results go to standard output, progress and notes to standard error.\n\
    Exit codes: 0 success, 1 not good enough under --strict, 2 error, 130 interrupted.")]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Runs a demo on built-in data: fit, score, report
    Demo(Demo),
    /// Fits a machine to data and saves the model, with its preprocessing, in one file
    Fit(Fit),
    /// Predicts new rows; also reads from a pipe (-), in bounded memory
    Predict(Predict),
    /// Evaluates a model on labelled data
    Score(Score),
    /// Describes a file: data or model
    Inspect(Inspect),
    /// Converts data (CSV, LIBSVM, NPY, NPZ) or models (ONNX, .pel, LIBSVM, LIBLINEAR, safetensors)
    Convert(Convert),
    /// Estimates the time and memory of a fit, by trials under a second on some of the rows.
    ///
    /// The time is that of the fit itself, without reading and preprocessing the data; the memory is the peak of the whole
    /// program beyond what it takes at start-up, including reading and preprocessing.
    Plan(Plan),
    /// Compares machines by cross-validation: means, standard deviations, ranks, significance tests
    Compare(Compare),
    /// Writes an HTML report on a model and its performance on data
    Report(Report),
    /// Explains predictions: attribution bars, heat maps, coloured words, anomaly cards
    Explain(Explain),
    /// Lists the explanation methods that fit a model, and why others do not
    Methods(Methods),
    /// Evaluates explanation methods (perturbation curves, faithfulness, localisation, ...)
    Judge(Judge),
    /// Generates a synthetic data set from the literature
    Generate(Generate),
    /// Reproduces a published experiment and compares with the published numbers
    Reproduce(Reproduce),
    /// Lists the machines and preprocessing steps, or describes one of them
    Machines(Machines),
    /// Trains as LIBSVM's svm-train does: its options, its files
    #[command(disable_help_flag = true)]
    SvmTrain(Words),
    /// Predicts as LIBSVM's svm-predict does: its options, its files
    #[command(disable_help_flag = true)]
    SvmPredict(Words),
    /// Trains as LIBLINEAR's train does: its options, its files
    #[command(disable_help_flag = true)]
    LinearTrain(Words),
    /// Predicts as LIBLINEAR's predict does: its options, its files
    #[command(disable_help_flag = true)]
    LinearPredict(Words),
    /// Writes shell completions to standard output
    Completions(Completions),
    /// Writes the manual pages into a folder
    Man(Man),
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
    "checkpoint_every",
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

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn descriptions_are_consistent() {
        Arguments::command().debug_assert();
    }
}
