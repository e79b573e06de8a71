//! `pellucid svm-train` and `svm-predict`: LIBSVM's own flags and files.

use crate::arguments::{Running, Svm};
use crate::session::{Terminal, run as new_run};
use crate::show::{self, Trouble};
use pellucid::{SvmPredict, SvmTrain, svm_predict, svm_train};
use std::process::ExitCode;

/// What such a run may use: all there is.
fn running(quiet: bool) -> Running {
    Running { seed: 1, threads: 0, memory: None, time: None, json: false, strict: false, quiet }
}

/// Runs `svm-train`.
pub fn train(arguments: &Svm) -> Result<ExitCode, Trouble> {
    if asks_for_help(arguments) {
        show::say(SvmTrain::USAGE)?;
        return Ok(ExitCode::SUCCESS);
    }
    let flags = SvmTrain::parse(&arguments.words)?;
    if flags.folds.is_none() {
        pellucid::job::guard(&flags.model, &[&flags.data])?;
    }
    let running = running(flags.quiet);
    let terminal = Terminal::new(&running);
    let printed = svm_train(&flags, &new_run(&running, &terminal)?)?;
    terminal.clear();
    if !flags.quiet || flags.folds.is_some() {
        show::say(&printed)?;
    }
    Ok(if Terminal::interrupted() { ExitCode::from(130) } else { ExitCode::SUCCESS })
}

/// Runs `svm-predict`.
pub fn predict(arguments: &Svm) -> Result<ExitCode, Trouble> {
    if asks_for_help(arguments) {
        show::say(SvmPredict::USAGE)?;
        return Ok(ExitCode::SUCCESS);
    }
    let flags = SvmPredict::parse(&arguments.words)?;
    pellucid::job::guard(&flags.output, &[&flags.data, &flags.model])?;
    let running = running(flags.quiet);
    let terminal = Terminal::new(&running);
    let printed = svm_predict(&flags, &new_run(&running, &terminal)?)?;
    terminal.clear();
    if !flags.quiet {
        show::say(&printed)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn asks_for_help(arguments: &Svm) -> bool {
    matches!(&arguments.words[..], [] | [_]) && arguments.words.first().is_none_or(|w| w == "--help")
}
