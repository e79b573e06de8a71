//! The coverage table: each row names code and the tests of all it claims, and all must exist.

use std::path::Path;

/// A row of `docs/coverage.md`.
#[derive(Debug, PartialEq)]
pub struct Row {
    /// The item of the specification.
    pub id: String,
    /// Where the code is.
    pub code: String,
    /// Its tests: file and name.
    pub tests: Vec<(String, String)>,
}

/// The rows of the table `| id | capability | code | tests |`, tests written as `path::name`, separated by commas.
pub fn rows(text: &str) -> Vec<Row> {
    let cells = |line: &str| line.trim().trim_matches('|').split('|').map(|c| c.trim().replace('`', "")).collect();
    text.lines()
        .filter(|l| l.starts_with('|'))
        .filter_map(|line| {
            let cells: Vec<String> = cells(line);
            let [id, _, code, tests] = &cells[..] else { return None };
            let known = id.split('-').nth(1).is_some_and(|n| n.parse::<u32>().is_ok());
            let test = |text: &str| {
                let (file, name) = text.trim().split_once("::").unwrap_or((text, ""));
                (file.to_string(), name.to_string())
            };
            known.then(|| Row { id: id.clone(), code: code.clone(), tests: tests.split(',').map(test).collect() })
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
        for (file, name) in &row.tests {
            let tests = std::fs::read_to_string(root.join(file)).unwrap_or_default();
            if name.is_empty() || !tests.contains(&format!("fn {name}(")) {
                wrong.push(format!("docs/coverage.md: {}: no test {file}::{name}", row.id));
            }
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
        let head = "| id | capability | code | tests |\n|---|---|---|---|\n";
        let text = format!("{head}| SAD-10 | x | `a.rs` | `t.rs::works`, `u.rs::fails` |\n");
        let tests = [("t.rs", "works"), ("u.rs", "fails")].map(|(f, n)| (f.to_string(), n.to_string())).to_vec();
        assert_eq!(rows(&text), [Row { id: "SAD-10".into(), code: "a.rs".into(), tests }]);
    }
}
