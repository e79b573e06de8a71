//! Words that people who use the program do not read here, because their field has another word for the thing.
//!
//! Looked at: string literals of product code that have a space in them (one word alone is a name), the help lines of
//! settings and options, the texts of the Python package, the snapshots of what the program prints, the README, the
//! changelog and the pages of the book outside of code. Comments and tests speak as they like.

use crate::files;
use std::path::Path;

/// A phrase that is not used, what is written instead, and where it is right after all.
pub struct Phrase {
    what: &'static str,
    instead: &'static str,
    /// Longer phrases in which it is right.
    but: &'static [&'static str],
}

const fn phrase(what: &'static str, instead: &'static str) -> Phrase {
    Phrase { what, instead, but: &[] }
}

/// Matched in small letters at the beginnings of words.
pub const PHRASES: &[Phrase] = &[
    // "There is no column b" is English; "b is no number" is not.
    Phrase { what: "is no ", instead: "is not a", but: &["there is no ", "is no longer ", "this is no "] },
    Phrase { what: "are no ", instead: "are not", but: &["there are no ", "are no longer "] },
    phrase("picture", "image (of pixels) or figure (of a report)"),
    phrase("strange", "anomalous, outlier score"),
    phrase("drawn", "random or sampled"),
    Phrase { what: "share of", instead: "fraction of", but: &[] },
    // Optimisation has gaps too.
    Phrase { what: "gap", instead: "missing value", but: &["duality gap", "optimality gap", "gap kind"] },
    // Of a line, and of leaky units, where the literature says so.
    Phrase { what: "slope", instead: "gradient", but: &["negative slope", "has the slope", ": slope without noise"] },
    Phrase { what: "deviation", instead: "standard deviation", but: &["standard deviation"] },
    phrase("moments", "time steps"),
    phrase("who was taken for whom", "confusion matrix"),
    phrase("taken for", "predicted as"),
    phrase("would rule", "would dominate"),
    phrase("less than a millisecond", "under 1 ms"),
    phrase("price of", "cost of"),
    phrase("constant below the line", "constant in the denominator"),
    phrase("beyond all bounds", "diverged"),
    phrase("kept aside", "in the validation set"),
    phrase("to go on from", "to warm-start from"),
    phrase("must be said", "is required"),
    phrase("stands there twice", "is duplicated"),
    phrase("is not there", "does not exist"),
    phrase("in portions", "in batches, by partial fit"),
    phrase("never changes", "is constant"),
    phrase("read as words", "read as a category"),
    phrase("one inside the other", "concentric"),
    phrase("taken and not needed", "accepted and ignored"),
    phrase("explanation of its own", "built-in explanation"),
    phrase("less its", "minus its"),
    phrase("less beta", "minus beta"),
    phrase("step of preparation", "preprocessing step"),
    phrase("made ready", "prepared"),
    phrase("whose kin", "whose copies"),
    phrase("of like colour", "of similar colour"),
    phrase("beside the ", "next to the, in addition to the, against the"),
    phrase("told by content", "recognised by content"),
    phrase("told from", "distinguished from"),
    phrase("one a row", "one per row"),
    phrase("value a row", "value per row"),
    phrase("values a row", "values per row"),
    phrase("number a row", "number per row"),
    phrase("name a line", "name per line"),
    phrase("makes of its field", "activation function"),
    phrase("keeps no accounts", "is not conservative"),
    phrase("goes on from", "starts from, resumes from"),
    phrase("not looked at", "ignored"),
    phrase("as said", "as given"),
    phrase("a curve a class", "a curve per class"),
    phrase("one against one", "one-vs-one"),
    phrase("against the rest", "one-vs-rest"),
    phrase("by chance", "at random"),
    phrase("stands in quotation marks", "is put in quotes"),
    phrase("networks here", "the ONNX import"),
    phrase("made flat", "replaced by a constant"),
    phrase("1 rows", "1 row"),
    phrase("1 columns", "1 column"),
    phrase("1 steps", "1 step"),
    phrase("1 values", "1 value"),
    phrase("1 levels", "1 level"),
    phrase("1 classes", "1 class"),
    phrase("0.0e0", "0"),
];

/// Files whose words are others' or are not for people, with the reason.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("crates/testkit/", "speaks to those who write tests"),
    ("crates/picture/src/laws.rs", "tests"),
    ("crates/base/src/error.rs", "its one message on memory has flags, which become data elsewhere"),
];

/// Literals that are names stored in models or kept for style sheets, with the reason.
const NAMES: &[(&str, &str)] = &[
    ("drawn weights", "a node of an extreme learning machine, stored in its model"),
    ("drawn thresholds", "a node of an extreme learning machine, stored in its model"),
    ("norm of shares", "a node of a scaler, stored in its model"),
    ("gaps told", "a node of an imputer, stored in its model"),
    ("gaps as numbers", "a node of an imputer, stored in its model"),
    ("filled and gaps", "a node of an imputer, stored in its model"),
];

/// Everything that is said in other words than the field's.
pub fn complaints(root: &Path) -> Vec<String> {
    let mut wrong = vec![];
    for path in files(root) {
        let shown = path.display().to_string();
        if EXCEPTIONS.iter().any(|(prefix, _)| shown.starts_with(prefix)) {
            continue;
        }
        let Ok(text) = std::fs::read_to_string(root.join(&path)) else { continue };
        match path.extension().and_then(|e| e.to_str()) {
            Some("rs") if is_product(&shown) => wrong.extend(source(&shown, &text)),
            Some("py") if shown.starts_with("apps/python/python/") => wrong.extend(source(&shown, &text)),
            Some("snap") => wrong.extend(lines(&shown, &text)),
            Some("md") if is_page(&shown) => wrong.extend(lines(&shown, &prose(&text))),
            _ => {}
        }
    }
    wrong
}

fn is_product(path: &str) -> bool {
    let inside = (path.starts_with("crates/") || path.starts_with("apps/")) && path.contains("/src/");
    inside && !path.ends_with("tests.rs") && !path.contains("/tests/")
}

fn is_page(path: &str) -> bool {
    path.starts_with("docs/src/") || ["README.md", "CHANGELOG.md", "docs/coverage.md"].contains(&path)
}

/// A page without its code and the targets of its links, line for line.
fn prose(text: &str) -> String {
    let mut inside = false;
    let mut out = String::new();
    for line in text.lines() {
        let fence = line.trim_start().starts_with("```");
        if !inside && !fence {
            // Every second piece between backticks is code; what follows `](` is where a link leads.
            let plain: Vec<&str> = line.split('`').step_by(2).collect();
            let plain = plain.join("_");
            let mut pieces = plain.split("](");
            out += pieces.next().unwrap_or("");
            for piece in pieces {
                out += piece.split_once(')').map_or("", |(_, rest)| rest);
            }
        }
        inside ^= fence;
        out.push('\n');
    }
    out
}

/// What is wrong in a text that people read, line by line.
fn lines(path: &str, text: &str) -> Vec<String> {
    text.lines().enumerate().flat_map(|(i, line)| found(line).map(move |f| format!("{path}:{}: {f}", i + 1))).collect()
}

/// What is wrong in the literals and help lines of a source file.
fn source(path: &str, text: &str) -> Vec<String> {
    let text = &text[..text.find("#[cfg(test)]\nmod ").unwrap_or(text.len())];
    let mut wrong = vec![];
    for (at, literal) in literals(text) {
        // Markup and style sheets have words of their own; flags are turned into data elsewhere.
        let other =
            literal.contains('<') && literal.contains('>') || literal.contains("{color") || literal.contains("--");
        // Names of random streams decide the numbers that come out.
        let stream = text[..at].ends_with("fork(") || text[..at].ends_with("fork(&format!(");
        if !literal.trim().contains(' ') || other || stream || NAMES.iter().any(|(name, _)| *name == literal) {
            continue;
        }
        let line = text[..at].matches('\n').count() + 1;
        wrong.extend(found(&literal).map(|f| format!("{path}:{line}: {f}")));
    }
    let options = path.starts_with("apps/cli/src/arguments");
    let mut settings = false;
    for (i, line) in text.lines().enumerate() {
        settings = (settings && line != "}") || line.ends_with("settings! {");
        if let Some(help) = line.trim_start().strip_prefix("/// ")
            && (options || settings)
        {
            wrong.extend(found(help).map(|f| format!("{path}:{}: {f}", i + 1)));
        }
    }
    wrong
}

/// The phrases in a text that are not used.
fn found(text: &str) -> impl Iterator<Item = String> {
    let text = without_placeholders(text).to_lowercase();
    let mut all = vec![];
    for Phrase { what, instead, but } in PHRASES {
        let mut rest = text.clone();
        but.iter().for_each(|right| rest = rest.replace(right, ""));
        let begins =
            |(at, _): &(usize, &str)| !rest[..*at].ends_with(|c: char| c.is_alphanumeric() || "_.-/".contains(c));
        if rest.match_indices(what).any(|m| begins(&m)) {
            all.push(format!("{what:?} is not a word of the field; write {instead}"));
        }
    }
    all.into_iter()
}

/// What is put in by `format!` has names that nobody reads.
fn without_placeholders(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut depth = 0usize;
    for c in text.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            c if depth == 0 => out.push(c),
            _ => {}
        }
    }
    out
}

/// The string literals of a Rust source, with where they begin; line breaks that `\` hides are taken out.
fn literals(text: &str) -> Vec<(usize, String)> {
    let bytes = text.as_bytes();
    let (mut all, mut i) = (vec![], 0);
    while i < bytes.len() {
        match bytes[i] {
            b'/' if bytes.get(i + 1) == Some(&b'/') => i += text[i..].find('\n').unwrap_or(text.len() - i),
            b'r' if text[i..].starts_with("r#\"") || text[i..].starts_with("r\"") => {
                let end = if bytes[i + 1] == b'#' { "\"#" } else { "\"" };
                let from = i + 1 + end.len();
                let to = from + text[from..].find(end).unwrap_or(0);
                all.push((i, text[from..to].to_string()));
                i = to + end.len();
            }
            b'\'' => {
                // A character, or a lifetime.
                let escaped = bytes.get(i + 1) == Some(&b'\\');
                let close = text[i + 1..].char_indices().skip(1 + usize::from(escaped)).find(|(_, c)| *c == '\'');
                i += match close {
                    Some((to, _)) if escaped || text[i + 1..i + 1 + to].chars().count() == 1 => to + 2,
                    _ => 1,
                };
            }
            b'"' => {
                let (from, mut to) = (i + 1, i + 1);
                while to < bytes.len() && bytes[to] != b'"' {
                    to += if bytes[to] == b'\\' { 2 } else { 1 };
                }
                let mut literal = String::new();
                for (k, part) in text[from..to.min(text.len())].split("\\\n").enumerate() {
                    literal += if k == 0 { part } else { part.trim_start() };
                }
                all.push((i, literal));
                i = to + 1;
            }
            _ => i += 1,
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planted_words_are_found() {
        let in_code =
            |literal: &str| source("crates/a/src/a.rs", &format!("//! A.\nfn f() {{ say({literal:?}) }}")).len();
        assert_eq!(in_code("{x} is no number"), 1);
        assert_eq!(in_code("the strangest rows of a picture"), 2);
        assert_eq!(in_code("deviations of columns"), 1);
        assert_eq!(in_code("there is no column, and the duality gap and standard deviation are 0"), 0);
        assert_eq!(in_code("strangeness"), 0, "one word is a name");
        assert_eq!(in_code("{pictures} of them"), 0, "names of variables are not read");
        assert!(source("a.rs", "//! A.\nlet a = seed.fork(\"drawn rows\");").is_empty(), "a random stream");
        assert!(source("a.rs", "//! A.\n#[cfg(test)]\nmod tests { const A: &str = \"is no number\"; }").is_empty());
        let wrapped = "//! A.\nconst A: &str = \"the value is \\\n    no number\";";
        assert_eq!(source("a.rs", wrapped), ["a.rs:2: \"is no \" is not a word of the field; write is not a"]);
        let text = "\"\"\"Goes on from the last fit.\"\"\"\nx = 'one'\nraise ValueError(f\"{x} is no number\")\n";
        assert_eq!(source("apps/python/python/pellucid/a.py", text).len(), 2, "docstrings and messages of Python");
        let setting =
            "//! A.\nsettings! {\n    /// share of the rows\n    pub a: f64 = 1.0;\n}\n/// share of the rows\n";
        assert_eq!(source("a.rs", setting).len(), 1, "comments elsewhere are free");
        assert_eq!(lines("a.snap", "fine\nconverged after 1 steps").len(), 1);
        let page = "# A\n```console\nstrange\n```\nno `strange` [link](strange.md)\nthe strangest of them";
        assert_eq!(lines("docs/src/a.md", &prose(page)).len(), 1, "code and targets of links are no prose");
        assert!(lines("docs/src/a.md", &prose(page))[0].starts_with("docs/src/a.md:6: "));
        assert_eq!(lines("a.snap", "converged after 11 steps, 1 row").len(), 0);
    }

    #[test]
    fn literals_are_told_from_characters_and_comments() {
        let text = "let a = '\"'; // \"no\"\nf::<'a>(\"one\", r#\"two \"x\"\"#, '\\'', \"th\\\"ree\")";
        let found: Vec<String> = literals(text).into_iter().map(|(_, l)| l).collect();
        assert_eq!(found, ["one", "two \"x\"", "th\\\"ree"]);
    }
}
