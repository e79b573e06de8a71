//! The program as a person uses it: real files in, exit codes and texts out.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test speaks by panicking, and says what it skips")]

mod book;
mod chain;
mod commands;
mod explaining;
mod judging;
mod labels;
mod limits;
mod linear;
mod looking;
mod mistakes;
mod numbers;
mod onnx;
mod preparing;
mod reference;
mod safety;
mod snapshots;
mod stopping;
mod svm;
mod tables;
mod telling;
mod tuning;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder of its own that goes away again.
pub struct Folder(PathBuf);

impl Folder {
    /// A new folder; the name helps to find it.
    pub fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// A path in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file in it.
    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        std::fs::write(self.file(name), text).unwrap();
        self.file(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The program with these arguments.
pub fn pellucid<S: AsRef<std::ffi::OsStr>>(arguments: &[S]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pellucid"));
    command.args(arguments);
    command
}

/// Runs the program; words are separated by spaces, paths must have none.
pub fn run(line: &str) -> Output {
    pellucid(&line.split_whitespace().collect::<Vec<_>>()).output().unwrap()
}

/// Runs the program, which must succeed, and gives its standard output.
#[track_caller]
pub fn ok(line: &str) -> String {
    let output = run(line);
    assert!(output.status.success(), "{line}\n{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Runs the program, which must fail with code 2, and gives its error.
#[track_caller]
pub fn fails(line: &str) -> String {
    let output = run(line);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{line}\n{error}");
    error
}

/// Real data beside the project, where they are present.
pub use testkit::shared;

/// The data the program ships.
pub fn penguins() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/penguins.csv")
}
