//! What the README and the book show is what the program prints.
//!
//! Every `console` block is run, line after line of the same page in one folder that has the project's `data`; what
//! follows a command must be what it prints, standard output and standard error together. Times and sizes differ from
//! machine to machine and are compared as such.

use crate::Folder;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The pages whose examples are run.
const PAGES: &[&str] = &["README.md", "docs/src/measures.md", "docs/src/reproducibility.md", "docs/src/tour.md"];

/// A command and what is said to come of it.
struct Shown {
    line: usize,
    command: String,
    output: Vec<String>,
}

fn shown(page: &str) -> Vec<Shown> {
    let mut found: Vec<Shown> = vec![];
    let mut inside = false;
    for (i, line) in page.lines().enumerate() {
        match (inside, line) {
            (false, "```console") => inside = true,
            (true, "```") => inside = false,
            (true, line) => match line.strip_prefix("$ ") {
                Some(command) => found.push(Shown { line: i + 1, command: command.into(), output: vec![] }),
                None => found.last_mut().unwrap().output.push(line.into()),
            },
            _ => {}
        }
    }
    found
}

/// A line without what differs from run to run: times and amounts of memory.
fn steady(line: &str) -> String {
    let mut words: Vec<String> = line.split(' ').map(str::to_string).collect();
    for i in 1..words.len() {
        let unit = words[i].trim_end_matches([',', '.', ':']).to_string();
        if ["s", "ms", "MB", "GB", "kB"].contains(&unit.as_str()) && words[i - 1].parse::<f64>().is_ok() {
            words[i - 1] = "#".into();
            words[i] = words[i].replacen(&unit, "unit", 1);
        }
    }
    words.join(" ")
}

#[test]
fn examples_print_what_the_program_prints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let program: PathBuf = env!("CARGO_BIN_EXE_pellucid").into();
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut commands = 0;
    for (number, page) in PAGES.iter().enumerate() {
        let folder = Folder::new(&format!("book{number}"));
        std::fs::create_dir_all(folder.file("data")).unwrap();
        std::fs::copy(root.join("data/penguins.csv"), folder.file("data/penguins.csv")).unwrap();
        for Shown { line, command, output } in shown(&std::fs::read_to_string(root.join(page)).unwrap()) {
            let shell = format!("({command}) 2>&1");
            let ran = Command::new("sh").arg("-c").arg(&shell).current_dir(folder.file("")).env("PATH", &path).output();
            let said = String::from_utf8(ran.unwrap().stdout).unwrap();
            let (ours, wanted): (Vec<String>, Vec<String>) =
                (said.lines().map(steady).collect(), output.iter().map(|l| steady(l)).collect());
            // A page may leave the rest out.
            let end = wanted.iter().position(|l| l == "...").unwrap_or(wanted.len());
            let same = ours.len() >= end && ours[..end] == wanted[..end] && (end < wanted.len() || ours.len() == end);
            assert!(same, "{page}:{line}: {command}\nprints\n{said}\nand the page says\n{}", output.join("\n"));
            commands += 1;
        }
    }
    assert!(commands >= 10, "{commands} commands");
}
