//! The command line of Pellucid: parse, run, say what happened.

mod arguments;
mod commands;
mod data;
mod session;
mod show;

use arguments::{Arguments, Command};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = match &arguments.command {
        Command::Demo(a) => commands::demo::run(a),
        Command::Fit(a) => commands::fit::run(a),
        Command::Predict(a) => commands::predict::run(a),
        Command::Score(a) => commands::score::run(a),
        Command::Inspect(a) => commands::inspect::run(a),
        Command::Convert(a) => commands::convert::run(a),
        Command::Plan(a) => commands::plan::run(a),
        Command::Compare(a) => commands::compare::run(a),
        Command::Report(a) => commands::report::run(a),
        Command::Explain(a) => commands::explain::run(a),
        Command::Methods(a) => commands::methods::run(a),
        Command::Judge(a) => commands::judge::run(a),
        Command::Generate(a) => commands::generate::run(a),
        Command::Reproduce(a) => commands::reproduce::run(a),
        Command::Machines(a) => commands::machines::run(a),
        Command::SvmTrain(a) => commands::svm::train(a),
        Command::SvmPredict(a) => commands::svm::predict(a),
        Command::Completions(a) => commands::manual::completions(a),
        Command::Man(a) => commands::manual::man(a),
    };
    match outcome {
        Ok(code) => code,
        Err(show::Trouble::Closed) => ExitCode::SUCCESS, // Whoever read our output has seen enough.
        Err(show::Trouble::Failed(pellucid::Error::Cancelled)) => ExitCode::from(130),
        Err(show::Trouble::Failed(error @ pellucid::Error::Stopped { .. })) if session::Terminal::interrupted() => {
            show::complain(&error.to_string());
            ExitCode::from(130)
        }
        Err(show::Trouble::Failed(error)) => {
            show::complain(&error.to_string());
            ExitCode::from(2)
        }
    }
}
