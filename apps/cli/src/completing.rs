//! Completions that know the words of this program: machines, their settings, steps, methods, and the columns of the file
//! that stands on the line.
//!
//! The shell asks the program itself while a line is typed (`COMPLETE=bash pellucid -- WORDS`), so what is offered is
//! never older than the program. Columns are those of the first file on the line that can be read.

use clap::{Arg, Command};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use pellucid::{Catalog, Inputs, KNOWN, LEARNERS, Run, STEPS, WRAPPERS, explain, files};
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// What can stand at a place of the line.
type Words = fn() -> Vec<(String, String)>;

/// The program's description with what is offered at each place.
pub fn completed(mut command: Command) -> Command {
    let names: Vec<String> = command.get_subcommands().map(|c| c.get_name().to_string()).collect();
    for name in names {
        command = command.mut_subcommand(name, |sub| sub.mut_args(offered));
    }
    command
}

fn offered(argument: Arg) -> Arg {
    let words: Words = match argument.get_id().as_str() {
        "machine" | "machines" => machines,
        "settings" | "grid" => settings,
        "prepare" => steps,
        "method" | "methods" => methods,
        "target" | "weights" | "groups" | "ignore" | "keep" => columns,
        _ => return argument,
    };
    // A list with commas is completed at its last word.
    argument.add(ArgValueCompleter::new(move |typed: &OsStr| candidates(&typed.to_string_lossy(), words)))
}

fn candidates(typed: &str, words: Words) -> Vec<CompletionCandidate> {
    let (before, last) = typed.rsplit_once(',').map_or(("", typed), |(b, l)| (&typed[..b.len() + 1], l));
    let fitting = words().into_iter().filter(|(word, _)| word.starts_with(last));
    let candidate = |(word, help): (String, String)| {
        let help = (!help.is_empty()).then(|| help.into());
        CompletionCandidate::new(format!("{before}{word}")).help(help)
    };
    fitting.map(candidate).collect()
}

fn machines() -> Vec<(String, String)> {
    LEARNERS.iter().map(|e| (e.name.to_string(), e.summary.to_string())).collect()
}

fn steps() -> Vec<(String, String)> {
    let usual = [("auto", "chosen from the data"), ("none", "only the encoding that the machine needs")];
    let steps = STEPS.iter().map(|e| (e.name, e.summary)).chain(WRAPPERS.iter().map(|e| (e.name, e.summary)));
    usual.into_iter().chain(steps).map(|(name, about)| (name.to_string(), about.to_string())).collect()
}

fn methods() -> Vec<(String, String)> {
    explain::Method::ALL.iter().map(|m| (m.word().to_string(), m.about().to_string())).collect()
}

/// The settings of the machine on the line.
fn settings() -> Vec<(String, String)> {
    let machine = typed().iter().find_map(|word| KNOWN.learner(word.to_str()?).ok());
    let described = |p: pellucid::Param| (format!("{}=", p.name), p.help.to_string());
    machine.map_or(vec![], |m| m.params().into_iter().map(described).collect())
}

/// The columns of the first file on the line that is a table.
fn columns() -> Vec<(String, String)> {
    let run = Run::quiet(0);
    let of_file = |path: PathBuf| {
        let chunk = files::stream(&path, &files::Reading::default(), &run).ok()?.next()?.ok()?;
        let Inputs::Table(table) = chunk.inputs else { return None };
        Some(table.columns().iter().map(|c| (c.name.clone(), c.cells.type_name().to_string())).collect())
    };
    typed().into_iter().map(PathBuf::from).filter(|p| p.is_file()).find_map(of_file).unwrap_or_default()
}

/// The words on the line that is being typed.
fn typed() -> Vec<OsString> {
    std::env::args_os().skip_while(|word| word != "--").skip(2).collect()
}
