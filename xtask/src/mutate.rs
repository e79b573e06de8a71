//! Breaks code in small ways and sees whether its test notices.
//!
//! A test counts only if it fails when the formula is broken. A mutation changes one operator or number in the part of
//! a file before its tests; the row's test is run with it, and the file is put back whatever happens.

use crate::coverage;
use std::path::Path;
use std::process::{Command, Stdio};

/// What is exchanged for what.
const CHANGES: &[(&str, &str)] = &[
    (" + ", " - "),
    (" - ", " + "),
    (" * ", " / "),
    (" / ", " * "),
    (" < ", " >= "),
    (" > ", " <= "),
    (" <= ", " > "),
    (" += ", " -= "),
    (" -= ", " += "),
    ("0.5", "0.6"),
    ("2.0", "2.1"),
    ("1.0", "1.1"),
    (".sqrt()", ".abs()"),
    (".exp()", ".abs()"),
    ("true", "false"),
];

/// Tries up to `count` mutations of the code behind a row, spread over the file; answers with those that survived.
pub fn try_row(root: &Path, id: &str, count: usize) -> Vec<String> {
    let text = std::fs::read_to_string(root.join("docs/coverage.md")).unwrap_or_default();
    let rows = coverage::rows(&text);
    let Some(row) = rows.iter().find(|r| r.id == id) else {
        return vec![format!("{id}: no such row in docs/coverage.md")];
    };
    let path = root.join(&row.code);
    let Ok(code) = std::fs::read_to_string(&path) else { return vec![format!("{}: cannot be read", row.code)] };
    let all = mutations(&code);
    let step = (all.len() / count.max(1)).max(1);
    let mut survived = vec![];
    let mut tried = 0;
    for (line, what, mutated) in all.into_iter().step_by(step).take(count) {
        if std::fs::write(&path, mutated).is_err() {
            return vec![format!("{}: cannot be written", row.code)];
        }
        let noticed = row.tests.iter().any(|(file, test)| !passes(root, file, test));
        let _ = std::fs::write(&path, &code);
        tried += 1;
        let verdict = if noticed { "noticed" } else { "SURVIVED" };
        println!("{}:{line}: {what}: {verdict}", row.code);
        if !noticed {
            let tests: Vec<&str> = row.tests.iter().map(|(_, name)| name.as_str()).collect();
            survived.push(format!("{id}: {}:{line}: {what} went unnoticed by {}", row.code, tests.join(", ")));
        }
    }
    println!("{id}: {} of {tried} mutations noticed", tried - survived.len());
    survived
}

/// Every single change to the code before its tests: line, what was changed, the whole text.
fn mutations(code: &str) -> Vec<(usize, String, String)> {
    let end = code.find("#[cfg(test)]").unwrap_or(code.len());
    let mut all = vec![];
    let mut start = 0;
    for (number, line) in code[..end].split_inclusive('\n').enumerate() {
        let comment = line.trim_start().starts_with("//");
        for (from, to) in CHANGES.iter().filter(|_| !comment) {
            for (at, _) in line.match_indices(from) {
                let place = start + at;
                let text = format!("{}{to}{}", &code[..place], &code[place + from.len()..]);
                all.push((number + 1, format!("`{}` for `{}`", to.trim(), from.trim()), text));
            }
        }
        start += line.len();
    }
    all
}

/// Whether the test passes; code that does not compile counts as noticed.
fn passes(root: &Path, file: &str, test: &str) -> bool {
    let folder = file.split("/src/").next().unwrap_or("").split("/tests/").next().unwrap_or("");
    let manifest = root.join(folder).join("Cargo.toml");
    let run = Command::new("cargo")
        .args(["test", "--quiet", "--manifest-path"])
        .arg(manifest)
        .arg(test)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    run.is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_one_thing_before_the_tests() {
        let code = "// a + b\nlet c = a + b;\n#[cfg(test)]\nlet d = a + b;\n";
        let all = mutations(code);
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].2, "// a + b\nlet c = a - b;\n#[cfg(test)]\nlet d = a + b;\n");
        assert_eq!(all[0].0, 2);
    }
}
