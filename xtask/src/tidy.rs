//! The rules a reader of the code may rely on.

use crate::{book, coverage, files, layers, names, wording};
use std::path::Path;

/// Everything that breaks a rule, a line each.
pub fn complaints(root: &Path) -> Vec<String> {
    let mut wrong = layers::complaints(root);
    wrong.extend(coverage::complaints(root));
    wrong.extend(names::complaints(root));
    wrong.extend(wording::complaints(root));
    wrong.extend(book::complaints(root));
    let architecture = std::fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap_or_default();
    for (name, _) in layers::LAYERS {
        if !architecture.contains(&format!("`{name}`")) {
            wrong.push(format!("ARCHITECTURE.md: does not speak of `{name}`"));
        }
    }
    for path in files(root) {
        let shown = path.display().to_string();
        let Ok(text) = std::fs::read_to_string(root.join(&path)) else { continue };
        if path.extension().is_some_and(|e| e == "rs") {
            wrong.extend(source(&shown, &text));
        }
        wrong.extend(everywhere(&shown, &text));
    }
    wrong
}

/// Rules for Rust sources.
fn source(path: &str, text: &str) -> Vec<String> {
    let mut wrong = vec![];
    let mut say = |line: usize, what: &str| wrong.push(format!("{path}:{line}: {what}"));
    if !text.trim_start().starts_with("//!") && !text.trim_start().starts_with("#!") {
        say(1, "begins without saying what it is (//!)");
    }
    for (i, line) in text.lines().enumerate() {
        let exception = line.trim_start().starts_with("#[allow") || line.trim_start().starts_with("#![allow");
        if exception && !line.contains("reason") {
            say(i + 1, "an exception without a reason");
        }
        // The words are put together here so that this file does not trip over itself.
        for word in [concat!("todo", "!("), concat!("unimplemented", "!("), concat!("#[ig", "nore")] {
            if line.contains(word) {
                say(i + 1, &format!("{word} has no place here"));
            }
        }
    }
    wrong
}

/// Rules for every text file: no paths of a machine.
fn everywhere(path: &str, text: &str) -> Vec<String> {
    let places = ["/home/", "/root/", "/work/", "/tmp/"];
    let lines = text.lines().enumerate();
    let bad = lines.filter(|(_, line)| {
        places.iter().any(|p| {
            line.match_indices(p).any(|(at, _)| {
                let before = line[..at].chars().next_back();
                before.is_none_or(|c| !(c.is_alphanumeric() || "_.-/}".contains(c)))
            })
        })
    });
    let own = path == "xtask/src/tidy.rs" || path.ends_with(".lock");
    if own { vec![] } else { bad.map(|(i, _)| format!("{path}:{}: a path of some machine", i + 1)).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_project_is_tidy() {
        let wrong = complaints(&crate::root());
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn faults_are_found() {
        assert_eq!(source("a.rs", "fn f() {}").len(), 1);
        assert_eq!(source("a.rs", "//! A.\n#[allow(dead_code)]\nfn f() {}").len(), 1);
        assert!(source("a.rs", "//! A.\n#[allow(dead_code, reason = \"b\")]\nfn f() {}").is_empty());
        assert_eq!(everywhere("a.md", "see /home/me/x").len(), 1);
        assert!(everywhere("a.md", "see ../work/x and a/tmp/b").is_empty());
    }
}
