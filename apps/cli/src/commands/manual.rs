//! Completions and manual pages, from the same descriptions as the help.

use crate::arguments::{Arguments, Completions, Man};
use crate::show::{self, Trouble};
use clap::CommandFactory;
use pellucid::{Error, files};
use std::process::ExitCode;

/// Writes what a shell needs to ask the program for completions to standard output.
pub fn completions(arguments: &Completions) -> Result<ExitCode, Trouble> {
    let mut text = vec![];
    let shell = arguments.shell.to_string();
    let shells = clap_complete::env::Shells::builtins();
    let Some(completer) = shells.completer(&shell) else {
        return Err(Error::parameter("shell", shell, "has no completions here").into());
    };
    completer.write_registration("COMPLETE", "pellucid", "pellucid", "pellucid", &mut text)?;
    show::say(&String::from_utf8_lossy(&text))?;
    Ok(ExitCode::SUCCESS)
}

/// Writes one manual page for the program and one for each command.
pub fn man(arguments: &Man) -> Result<ExitCode, Trouble> {
    let folder = &arguments.folder;
    let failed = |e: std::io::Error| Error::File { file: folder.display().to_string(), why: e.to_string() };
    std::fs::create_dir_all(folder).map_err(failed)?;
    let program = Arguments::command();
    let commands = program.get_subcommands().map(|c| {
        c.clone().name(format!("pellucid-{}", c.get_name())).version(program.get_version().unwrap_or("").to_string())
    });
    for command in std::iter::once(program.clone()).chain(commands) {
        let path = folder.join(format!("{}.1", command.get_name()));
        let mut text = vec![];
        clap_mangen::Man::new(command).render(&mut text).map_err(failed)?;
        files::write_whole(&path, |out| out.write_all(&text))?;
    }
    show::say(&format!("manual pages: {}", folder.display()))?;
    Ok(ExitCode::SUCCESS)
}
