//! What keeps the project in order.
//!
//! - `cargo xtask tidy`: the rules a reader of the code may rely on (dependency directions, the coverage table, the
//!   book's completeness and links, no unexplained exceptions); also run by `cargo test -p xtask`.
//! - `cargo xtask mutate ID [COUNT]`: breaks the code behind a row of the coverage table in small ways and sees
//!   whether the row's test notices.
//! - `cargo xtask sabotage [WORD]`: breaks promises on purpose in a copy and names what noticed each.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is where the program speaks")]

mod book;
mod coverage;
mod layers;
mod mutate;
mod names;
mod sabotage;
mod tidy;
mod wording;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let complaints = match words[..] {
        ["tidy"] => tidy::complaints(&root()),
        ["mutate", id] => mutate::try_row(&root(), id, 8),
        ["mutate", id, count] => mutate::try_row(&root(), id, count.parse().unwrap_or(8)),
        ["sabotage"] => sabotage::try_all(&root(), ""),
        ["sabotage", word] => sabotage::try_all(&root(), word),
        _ => vec!["usage: cargo xtask tidy | mutate ID [COUNT] | sabotage [WORD]".to_string()],
    };
    complaints.iter().for_each(|c| eprintln!("{c}"));
    if complaints.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The project's folder.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf).unwrap_or_default()
}

/// All files below a folder that git would keep, by their path from the root.
fn files(root: &Path) -> Vec<PathBuf> {
    let mut found = vec![];
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for path in entries.flatten().map(|e| e.path()) {
            let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
            match path.is_dir() {
                // In a worktree `.git` is a file.
                _ if name == ".git" => {}
                true if ["target", "node_modules"].contains(&name.as_str()) => {}
                true => folders.push(path),
                false => found.push(path.strip_prefix(root).map(Path::to_path_buf).unwrap_or(path)),
            }
        }
    }
    found.sort();
    found
}
