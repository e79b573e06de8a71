//! The command line of Pellucid: parse, run, say what happened.

mod arguments;
mod commands;
mod completing;
mod ranks;
mod session;
mod show;
mod spool;
mod wording;

use arguments::{Arguments, Command};
use clap::{CommandFactory, FromArgMatches};
use std::process::ExitCode;

fn main() -> ExitCode {
    clap_complete::CompleteEnv::with_factory(|| completing::completed(Arguments::command())).complete();
    let place = ranks::Place::here();
    let arguments = arguments(place);
    let name = std::env::args().nth(1).unwrap_or_default();
    if let Err(error) = place.check(&name, matches!(arguments.command, Command::Fit(_))) {
        return ExitCode::from(if place.leads() { tell(&error) } else { 2 });
    }
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
        Command::LinearTrain(a) => commands::svm::linear_train_as(a),
        Command::LinearPredict(a) => commands::svm::linear_predict_as(a),
        Command::Completions(a) => commands::manual::completions(a),
        Command::Man(a) => commands::manual::man(a),
    };
    match outcome {
        Ok(code) => code,
        Err(show::Trouble::Closed) => ExitCode::SUCCESS, // Whoever read our output has seen enough.
        // What goes wrong before ranks have met goes wrong on all of them, and the first one says it.
        Err(show::Trouble::Failed(_)) if !place.leads() => ExitCode::from(2),
        Err(show::Trouble::Failed(error)) => ExitCode::from(tell(&error)),
    }
}

/// Says what went wrong, and gives the code to exit with.
fn tell(error: &pellucid::Error) -> u8 {
    let interrupted = matches!(error, pellucid::Error::Stopped { .. }) && session::Terminal::interrupted();
    if *error == pellucid::Error::Cancelled {
        return 130;
    }
    if wants_json() && !interrupted {
        show::complain_json(&error.worded(&wording::flags));
    }
    show::complain(&error.worded(&wording::flags));
    if interrupted { 130 } else { 2 }
}

/// What was typed; help, versions and slips are answered here.
fn arguments(place: ranks::Place) -> Arguments {
    let mut command = Arguments::command();
    let parsed = command.try_get_matches_from_mut(std::env::args_os()).and_then(|matches| {
        let mut arguments = Arguments::from_arg_matches(&matches)?;
        if let (Command::Fit(fit), Some((name, matches))) = (&mut arguments.command, matches.subcommand())
            && let Some(command) = command.find_subcommand(name)
        {
            fit.given = arguments::given(command, matches);
        }
        Ok(arguments)
    });
    parsed.unwrap_or_else(|error| {
        if !place.leads() {
            std::process::exit(error.exit_code());
        }
        if error.use_stderr() && wants_json() {
            let text = error.render().to_string();
            show::complain_json(text.trim().trim_start_matches("error: "));
        }
        error.exit()
    })
}

/// Whether results are asked for as JSON; a line that could not be read may say so too.
fn wants_json() -> bool {
    std::env::args_os().any(|word| word == "--json")
}
