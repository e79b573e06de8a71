//! The coverage table: each row names code and test, and both must exist.

use std::path::Path;

/// A row of `docs/coverage.md`.
#[derive(Debug, PartialEq)]
pub struct Row {
    /// The item of the specification.
    pub id: String,
    /// Where the code is.
    pub code: String,
    /// Where the test is.
    pub test_file: String,
    /// The test's name.
    pub test: String,
}

/// The rows of the table `| id | capability | code | test |`, tests written as `path::name`.
pub fn rows(text: &str) -> Vec<Row> {
    let cells = |line: &str| line.trim().trim_matches('|').split('|').map(|c| c.trim().replace('`', "")).collect();
    text.lines()
        .filter(|l| l.starts_with('|'))
        .filter_map(|line| {
            let cells: Vec<String> = cells(line);
            let [id, _, code, test] = &cells[..] else { return None };
            let known = id.split('-').nth(1).is_some_and(|n| n.parse::<u32>().is_ok());
            let (file, name) = test.split_once("::").unwrap_or((test, ""));
            known.then(|| Row { id: id.clone(), code: code.clone(), test_file: file.into(), test: name.into() })
        })
        .collect()
}

/// Rows whose code or test does not exist, and rows that stand there twice.
pub fn complaints(root: &Path) -> Vec<String> {
    let Ok(text) = std::fs::read_to_string(root.join("docs/coverage.md")) else {
        return vec!["docs/coverage.md: is missing".to_string()];
    };
    let rows = rows(&text);
    let mut wrong = vec![];
    for (i, row) in rows.iter().enumerate() {
        if !root.join(&row.code).exists() {
            wrong.push(format!("docs/coverage.md: {}: {} does not exist", row.id, row.code));
        }
        let tests = std::fs::read_to_string(root.join(&row.test_file)).unwrap_or_default();
        if row.test.is_empty() || !tests.contains(&format!("fn {}(", row.test)) {
            wrong.push(format!("docs/coverage.md: {}: no test {}::{}", row.id, row.test_file, row.test));
        }
        if rows[..i].iter().any(|r| r.id == row.id) {
            wrong.push(format!("docs/coverage.md: {} stands there twice", row.id));
        }
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_and_heads_are_not() {
        let text = "| id | capability | code | test |\n|---|---|---|---|\n| SAD-10 | x | `a.rs` | `t.rs::works` |\n";
        let row = Row { id: "SAD-10".into(), code: "a.rs".into(), test_file: "t.rs".into(), test: "works".into() };
        assert_eq!(rows(text), [row]);
    }
}
