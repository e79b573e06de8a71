//! `pellucid svm-train` and `svm-predict`, `linear-train` and `linear-predict`: the flags and files of LIBSVM and LIBLINEAR.

use crate::arguments::{Running, Words};
use crate::session::{Terminal, run as new_run};
use crate::show::{self, Trouble};
use pellucid::{
    Error, LinearPredict, LinearTrain, Run, SvmPredict, SvmTrain, linear_predict, linear_train, svm_predict, svm_train,
};
use std::path::Path;
use std::process::ExitCode;

/// Runs `svm-train`.
pub fn train(arguments: &Words) -> Result<ExitCode, Trouble> {
    let Some(words) = asked(arguments) else { return help(SvmTrain::USAGE) };
    let flags = SvmTrain::parse(words)?;
    let model = flags.folds.is_none().then_some(&*flags.model);
    perform((model, &[&flags.data]), (flags.quiet, flags.folds.is_some()), |run| svm_train(&flags, run))
}

/// Runs `svm-predict`.
pub fn predict(arguments: &Words) -> Result<ExitCode, Trouble> {
    let Some(words) = asked(arguments) else { return help(SvmPredict::USAGE) };
    let flags = SvmPredict::parse(words)?;
    let files: (_, &[&Path]) = (Some(&*flags.output), &[&flags.data, &flags.model]);
    perform(files, (flags.quiet, false), |run| svm_predict(&flags, run))
}

/// Runs `linear-train`.
pub fn linear_train_as(arguments: &Words) -> Result<ExitCode, Trouble> {
    let Some(words) = asked(arguments) else { return help(LinearTrain::USAGE) };
    let flags = LinearTrain::parse(words)?;
    let result = flags.folds.is_some() || flags.search;
    let model = (!result).then_some(&*flags.model);
    perform((model, &[&flags.data]), (flags.quiet, result), |run| linear_train(&flags, run))
}

/// Runs `linear-predict`.
pub fn linear_predict_as(arguments: &Words) -> Result<ExitCode, Trouble> {
    let Some(words) = asked(arguments) else { return help(LinearPredict::USAGE) };
    let flags = LinearPredict::parse(words)?;
    let files: (_, &[&Path]) = (Some(&*flags.output), &[&flags.data, &flags.model]);
    perform(files, (flags.quiet, false), |run| linear_predict(&flags, run))
}

/// The words, unless there are none or they ask for help.
fn asked(arguments: &Words) -> Option<&[String]> {
    match &arguments.words[..] {
        [] => None,
        [word] if word == "--help" => None,
        words => Some(words),
    }
}

fn help(usage: &str) -> Result<ExitCode, Trouble> {
    show::say(usage)?;
    Ok(ExitCode::SUCCESS)
}

/// Does the work with all there is and says what it answers, unless it is to be quiet and the answer is not all there is.
/// What is written is none of the files that are read.
fn perform(
    (output, inputs): (Option<&Path>, &[&Path]),
    (quiet, only_answer): (bool, bool),
    work: impl FnOnce(&Run<'_>) -> Result<String, Error>,
) -> Result<ExitCode, Trouble> {
    if let Some(output) = output {
        pellucid::job::guard(output, inputs)?;
    }
    let running = Running { seed: 1, threads: 0, memory: None, time: None, json: false, strict: false, quiet };
    let terminal = Terminal::new(&running);
    let answer = work(&new_run(&running, &terminal)?)?;
    terminal.clear();
    if !quiet || only_answer {
        show::say(&answer)?;
    }
    Ok(if Terminal::interrupted() { ExitCode::from(130) } else { ExitCode::SUCCESS })
}
