//! What the documents promise to hold: a place for everything there is, links that lead somewhere, examples that are run.
//!
//! The lists of what there is are the generated pages of `docs/src/reference`, which a test of the program keeps equal to
//! the catalog, the settings and the command line (`apps/cli/tests/program/reference.rs`).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// At most so many blocks of shell commands are not run.
const NOT_RUN_AT_MOST: usize = 8;

/// Everything that is missing or leads nowhere, a line each.
pub fn complaints(root: &Path) -> Vec<String> {
    let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap_or_default();
    let mut wrong = vec![];
    for (list, kind, page) in [
        ("machines", "machine", "docs/src/machines/index.md"),
        ("steps", "preparation step", "docs/src/preparing.md"),
        ("commands", "command", "docs/src/command-line.md"),
    ] {
        let names = headings(&read(&format!("docs/src/reference/{list}.md")), "## ");
        wrong.extend(without_row(kind, &names, page, &read(page)));
    }
    let methods = listed(&read("docs/src/reference/methods.md"), 0);
    wrong.extend(without_row(
        "explanation method",
        &methods,
        "docs/src/explaining.md",
        &read("docs/src/explaining.md"),
    ));
    let measures = read("docs/src/reference/measures.md");
    let of_models = listed(&measures, 0);
    wrong.extend(without_row("measure", &of_models, "docs/src/measures.md", &read("docs/src/measures.md")));
    let of_explanations = listed(&measures, 1);
    wrong.extend(without_row("measure", &of_explanations, "docs/src/explaining.md", &read("docs/src/explaining.md")));
    wrong.extend(machine_pages(
        &read("docs/src/machines/index.md"),
        &read("docs/src/reference/machines.md"),
        &|page| read(&format!("docs/src/machines/{page}")),
    ));
    let dependencies = others_of(&read("Cargo.toml"));
    wrong.extend(without_row("dependency", &dependencies, "docs/dependencies.md", &read("docs/dependencies.md")));
    wrong.extend(examples(root, &read("docs/src/library.md")));
    let of_a_crate =
        |p: &PathBuf| p.starts_with("crates") && p.components().nth(2).is_some_and(|c| c.as_os_str() == "src");
    let sources = crate::files(root).into_iter().filter(|p| of_a_crate(p) && p.extension().is_some_and(|e| e == "rs"));
    let kinds: Vec<String> = sources.flat_map(|p| kinds(&read(&p.display().to_string()))).collect();
    wrong.extend(unsaid("docs/src/model-files.md", "kind of record", &kinds, &read("docs/src/model-files.md")));

    let files = crate::files(root);
    let unsafe_files = files.iter().filter(|p| p.extension().is_some_and(|e| e == "rs"));
    let unsafe_files =
        unsafe_files.filter(|p| allows_unsafe(&read(&p.display().to_string()))).cloned().collect::<Vec<_>>();
    wrong.extend(unnamed(&unsafe_files, &read("ARCHITECTURE.md")));

    let pages: BTreeMap<PathBuf, String> = files
        .iter()
        .filter(|p| p.extension().is_some_and(|e| e == "md"))
        .map(|p| (p.clone(), read(&p.display().to_string())))
        .collect();
    wrong.extend(pages.iter().flat_map(|(path, text)| broken_links(path, text, &files, &pages)));
    wrong.extend(summary(&read("docs/src/SUMMARY.md"), &pages));
    let book = pages.iter().filter(|(p, _)| p.starts_with("docs/src") || p.as_path() == Path::new("README.md"));
    let mut not_run = 0;
    for (path, text) in book {
        let (faults, count) = blocks(path, text);
        wrong.extend(faults);
        not_run += count;
    }
    if not_run > NOT_RUN_AT_MOST {
        wrong.push(format!("docs/src: {not_run} blocks of commands are not run, at most {NOT_RUN_AT_MOST} may be"));
    }
    wrong
}

/// The headings of one level, outside of code.
fn headings(text: &str, mark: &str) -> Vec<String> {
    plain(text).iter().filter_map(|(_, l)| l.strip_prefix(mark)).map(|h| h.trim().to_string()).collect()
}

/// The lines outside of code blocks, each with its number.
fn plain(text: &str) -> Vec<(usize, &str)> {
    let mut inside = false;
    let mut found = vec![];
    for (i, line) in text.lines().enumerate() {
        let fence = line.trim_start().starts_with("```");
        if !inside && !fence {
            found.push((i + 1, line));
        }
        inside ^= fence;
    }
    found
}

/// The tables of a page, each as the first cells of its rows, heads included.
fn tables(text: &str) -> Vec<Vec<String>> {
    let mut found: Vec<Vec<String>> = vec![vec![]];
    for (_, line) in plain(text) {
        match line.strip_prefix('|') {
            Some(row) => found.last_mut().into_iter().for_each(|t| t.push(first_cell(row))),
            None if found.last().is_some_and(|t| !t.is_empty()) => found.push(vec![]),
            None => {}
        }
    }
    found.retain(|t| !t.is_empty());
    found
}

fn first_cell(row: &str) -> String {
    row.replace("\\|", " ").split('|').next().unwrap_or("").trim().to_string()
}

/// The names in the first column of a page's table of this number.
fn listed(text: &str, table: usize) -> Vec<String> {
    let table = tables(text).into_iter().nth(table).unwrap_or_default();
    table.iter().skip(2).map(|cell| cell.trim_matches('`').to_string()).collect()
}

/// The words of a cell; `impute=knn` is `impute-knn`.
fn words(cell: &str) -> Vec<String> {
    let part = |c: char| !(c.is_alphanumeric() || "-_=".contains(c));
    cell.split(part).filter(|w| !w.is_empty()).map(|w| w.replace('=', "-")).collect()
}

/// Names that stand in the first cell of no row of a page; a list without names is a fault too.
fn without_row(kind: &str, names: &[String], page: &str, text: &str) -> Vec<String> {
    if names.is_empty() {
        return vec![format!("docs/src/reference: no {kind} is listed")];
    }
    let told: Vec<String> = tables(text).concat().iter().flat_map(|cell| words(cell)).collect();
    let absent = names.iter().filter(|name| !told.contains(name));
    absent.map(|name| format!("{page}: has no row for the {kind} {name}")).collect()
}

/// The settings of each machine in the reference.
fn settings_of(reference: &str) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut name = String::new();
    for (_, line) in plain(reference) {
        match (line.strip_prefix("## "), line.strip_prefix("| `")) {
            (Some(heading), _) => name = heading.trim().to_string(),
            (_, Some(row)) => {
                let setting = row.split('`').next().unwrap_or("").to_string();
                found.entry(name.clone()).or_default().push(setting);
            }
            _ => {}
        }
        found.entry(name.clone()).or_default();
    }
    found
}

/// What is wrong with the pages that the rows of machines lead to: no way from them to all settings of a machine, or a
/// table of settings (its head is `setting`) with one that no machine of the page has.
fn machine_pages(index: &str, reference: &str, read: &dyn Fn(&str) -> String) -> Vec<String> {
    let known = settings_of(reference);
    let mut pages: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for cell in tables(index).concat() {
        let Some((names, page)) = cell.strip_prefix('[').and_then(|c| c.split_once("](")) else { continue };
        let page = page.split(['#', ')']).next().unwrap_or("").to_string();
        pages.entry(page).or_default().extend(words(names));
    }
    let mut wrong = vec![];
    for (page, machines) in pages {
        let text = read(&page);
        for name in machines.iter().filter(|name| !text.contains(&format!("reference/machines.md#{name})"))) {
            wrong.push(format!("docs/src/machines/{page}: no link to the settings of {name}"));
        }
        let theirs: Vec<&String> = machines.iter().filter_map(|m| known.get(m)).flatten().collect();
        for table in tables(&text).iter().filter(|t| t[0] == "setting") {
            let told = table.iter().skip(2).flat_map(|cell| cell.split('`').skip(1).step_by(2));
            let unknown = told.filter(|name| !theirs.iter().any(|t| t.as_str() == *name));
            wrong.extend(
                unknown.map(|name| format!("docs/src/machines/{page}: no machine there has the setting {name}")),
            );
        }
    }
    wrong
}

/// The dependencies of the workspace that are not its own crates.
fn others_of(manifest: &str) -> Vec<String> {
    let section = manifest.split("[workspace.dependencies]").nth(1).unwrap_or("");
    let section = section.split("\n[").next().unwrap_or("");
    let lines = section.lines().filter(|l| l.contains('=') && !l.starts_with('#') && !l.contains("path = "));
    lines.filter_map(|l| l.split(['.', ' ', '=']).next()).map(String::from).collect()
}

fn examples(root: &Path, page: &str) -> Vec<String> {
    let found = std::fs::read_dir(root.join("crates/pellucid/examples")).into_iter().flatten().flatten();
    let names = found.map(|e| e.path()).filter_map(|p| Some(p.file_stem()?.to_string_lossy().into_owned()));
    let absent = names.filter(|name| !page.contains(&format!("`{name}`")));
    absent.map(|name| format!("docs/src/library.md: does not speak of the example {name}")).collect()
}

/// The kinds of records that a source names, before its tests.
fn kinds(source: &str) -> Vec<String> {
    let code = source.split("#[cfg(test)]").next().unwrap_or("");
    let lines = code.lines().filter(|l| l.contains("const KIND: &"));
    lines.filter_map(|l| Some(l.split('"').nth(1)?.to_string())).collect()
}

/// Names that a page does not have in code marks.
fn unsaid(page: &str, what: &str, names: &[String], text: &str) -> Vec<String> {
    let absent = names.iter().filter(|name| !text.contains(&format!("`{name}`")));
    absent.map(|name| format!("{page}: does not speak of the {what} {name}")).collect()
}

fn allows_unsafe(source: &str) -> bool {
    source.lines().any(|l| l.trim_start().starts_with('#') && l.contains(concat!("allow(", "unsafe_code")))
}

/// Files with `unsafe` that the paragraph on it does not name.
fn unnamed(files: &[PathBuf], architecture: &str) -> Vec<String> {
    let from = architecture.find("- **`unsafe`**").map_or("", |at| &architecture[at..]);
    let paragraph = from.split("\n\n").next().unwrap_or("").split("\n- ").next().unwrap_or("");
    let stem = |p: &PathBuf| p.file_stem().map(|s| format!("`{}`", s.to_string_lossy())).unwrap_or_default();
    let absent = files.iter().filter(|p| !paragraph.contains(&stem(p)));
    absent.map(|p| format!("ARCHITECTURE.md: does not name {} where it speaks of unsafe", p.display())).collect()
}

/// The targets of links and pictures, each with its line.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = vec![];
    for (number, line) in plain(text) {
        // What stands in code is no link.
        let visible: String = line.split('`').step_by(2).collect::<Vec<_>>().join("``");
        for part in visible.split("](").skip(1) {
            found.extend(part.split(')').next().map(|target| (number, target.to_string())));
        }
    }
    found
}

/// The anchors of a page, as mdBook and GitHub make them of headings.
fn anchors(text: &str) -> Vec<String> {
    let lines = plain(text);
    let heads = lines.iter().filter(|(_, l)| l.starts_with('#')).map(|(_, l)| l.trim_start_matches('#').trim());
    let mut found: Vec<String> = vec![];
    for head in heads {
        let keep = |c: &char| c.is_alphanumeric() || "-_ ".contains(*c);
        let slug: String = head.to_lowercase().chars().filter(keep).map(|c| if c == ' ' { '-' } else { c }).collect();
        let twice = (1..).map(|n| format!("{slug}-{n}")).find(|s| !found.contains(s)).unwrap_or_default();
        found.push(if found.contains(&slug) { twice } else { slug });
    }
    found
}

/// Links of a page to files or headings that do not exist.
fn broken_links(path: &Path, text: &str, files: &[PathBuf], pages: &BTreeMap<PathBuf, String>) -> Vec<String> {
    let mut wrong = vec![];
    for (line, target) in links(text).into_iter().filter(|(_, t)| !t.contains("://") && !t.starts_with("mailto:")) {
        let (file, anchor) = target.split_once('#').unwrap_or((&target, ""));
        let full = match file {
            "" => path.to_path_buf(),
            _ => tidied(&path.parent().unwrap_or(Path::new("")).join(file)),
        };
        let folder = || files.iter().any(|f| f.starts_with(&full));
        if !files.contains(&full) && !folder() {
            wrong.push(format!("{}:{line}: {target} leads nowhere", path.display()));
        } else if !anchor.is_empty() && !pages.get(&full).is_some_and(|t| anchors(t).iter().any(|a| a == anchor)) {
            wrong.push(format!("{}:{line}: {target}: no such heading", path.display()));
        }
    }
    wrong
}

/// A path without `..`.
fn tidied(path: &Path) -> PathBuf {
    let mut found = PathBuf::new();
    for part in path.components() {
        match part.as_os_str().to_str() {
            Some("..") => drop(found.pop()),
            Some(".") => {}
            _ => found.push(part),
        }
    }
    found
}

/// The parts of the book, and pages that are in none of them.
fn summary(summary: &str, pages: &BTreeMap<PathBuf, String>) -> Vec<String> {
    let parts = headings(summary, "# ");
    let mut wrong: Vec<String> = ["Guides", "Concepts", "Reference"]
        .iter()
        .filter(|part| !parts.iter().any(|p| p == *part))
        .map(|part| format!("docs/src/SUMMARY.md: has no part {part}"))
        .collect();
    let named: Vec<String> = links(summary).into_iter().map(|(_, target)| target).collect();
    let book = pages.keys().filter_map(|p| p.strip_prefix("docs/src").ok()).filter(|p| *p != Path::new("SUMMARY.md"));
    let absent = book.filter(|p| !named.iter().any(|n| Path::new(n) == *p));
    wrong.extend(absent.map(|p| format!("docs/src/SUMMARY.md: does not name {}", p.display())));
    for (i, target) in named.iter().enumerate() {
        if named[..i].contains(target) {
            wrong.push(format!("docs/src/SUMMARY.md: names {target} twice"));
        }
    }
    wrong
}

/// Languages of blocks beside commands.
const LANGUAGES: &[&str] = &["console", "sh", "python", "rust", "rust,no_run", "rust,ignore", "text", "json", "csv"];

/// What is wrong with the code blocks of a page, and how many blocks of commands are not run. Such a block is of the
/// language `sh`, and the line before it gives the reason: `<!-- not run: installs software -->`.
fn blocks(path: &Path, text: &str) -> (Vec<String>, usize) {
    let lines: Vec<&str> = text.lines().collect();
    let mut wrong = vec![];
    let mut not_run = 0;
    let mut inside = false;
    let mut plain_text = false;
    let generated = path.starts_with("docs/src/reference");
    for (i, line) in lines.iter().enumerate() {
        let Some(language) = line.trim_start().strip_prefix("```") else {
            if inside && plain_text && !generated && (line.starts_with("pellucid ") || line.starts_with("$ ")) {
                wrong.push(format!(
                    "{}:{}: commands in a block of text; console blocks are run",
                    path.display(),
                    i + 1
                ));
            }
            continue;
        };
        inside = !inside;
        plain_text = language == "text";
        if !inside {
            continue;
        }
        let mut say = |what: &str| wrong.push(format!("{}:{}: {what}", path.display(), i + 1));
        let before = if i == 0 { "" } else { lines[i - 1] };
        let reason = before.strip_prefix("<!-- not run: ").and_then(|r| r.strip_suffix("-->")).map_or("", str::trim);
        match language {
            "sh" if reason.is_empty() => {
                say("commands that are not run and do not say why (<!-- not run: reason -->); console blocks are run")
            }
            "sh" => not_run += 1,
            _ if !LANGUAGES.contains(&language) => say(&format!("a code block of the language {language:?}")),
            _ => {}
        }
    }
    (wrong, not_run)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(all: &[&str]) -> Vec<String> {
        all.iter().map(|n| n.to_string()).collect()
    }

    #[test]
    fn what_has_no_row_is_found() {
        let page = "text knn\n\n| name | x |\n|---|---|\n| [svc, nu-svc](svm.md) | knn |\n| `impute=knn` | |\n";
        let all = names(&["svc", "nu-svc", "impute-knn", "knn"]);
        assert_eq!(without_row("machine", &all, "p.md", page), ["p.md: has no row for the machine knn"]);
        assert_eq!(without_row("machine", &[], "p.md", page).len(), 1, "a list that could not be read is a fault");
        let row = "| command | does |\n|---|---|\n| `judge MODEL [--methods A,B]` | |\n";
        assert_eq!(without_row("command", &names(&["judge", "methods"]), "c.md", row).len(), 1);
    }

    #[test]
    fn lists_are_read_from_headings_and_tables() {
        let page = "# T\n\n## a\n\n```text\n## no\n```\n| m | x |\n|---|---|\n| `b` | 1 |\n\n| n | x |\n|---|---|\n| `c` | a \\| b |\n";
        assert_eq!(headings(page, "## "), ["a"]);
        assert_eq!((listed(page, 0), listed(page, 1)), (names(&["b"]), names(&["c"])));
    }

    #[test]
    fn settings_that_do_not_exist_and_pages_without_the_reference_are_found() {
        let index = "| name | x |\n|---|---|\n| [a, b](ab.md) | |\n| [c](ab.md#c) | |\n";
        let reference = "## a\n\n| setting | t |\n|---|---|\n| `k` | 1 |\n\n## b\n\nNo settings.\n\n## c\n\n| setting | t |\n|---|---|\n| `p` | 1 |\n";
        let page = "| setting | x |\n|---|---|\n| `k`, `old` | |\n| `p` | |\n\n| kernel | x |\n|---|---|\n| `z` | |\n\n\
            [a](../reference/machines.md#a) [b](../reference/machines.md#b)\n";
        let wanted = [
            "docs/src/machines/ab.md: no link to the settings of c",
            "docs/src/machines/ab.md: no machine there has the setting old",
        ];
        assert_eq!(machine_pages(index, reference, &|_| page.to_string()), wanted);
    }

    #[test]
    fn dependencies_of_others_are_found() {
        let manifest = "[workspace.dependencies]\nbase = { path = \"crates/base\" }\n# x = 1\nfaer = { version = \"1\" }\nlibm = \"1\"\n\n[other]\nno = 1\n";
        assert_eq!(others_of(manifest), ["faer", "libm"]);
        let table = "| crate | x |\n|---|---|\n| faer | |\n";
        assert_eq!(
            without_row("dependency", &others_of(manifest), "d.md", table),
            ["d.md: has no row for the dependency libm"]
        );
    }

    #[test]
    fn kinds_of_records_without_a_word_are_found() {
        let source =
            "impl A {\n    const KIND: &'static str = \"deck\";\n}\n#[cfg(test)]\nconst KIND: &str = \"toy\";\n";
        assert_eq!(kinds(source), ["deck"]);
        assert_eq!(unsaid("m.md", "kind", &kinds(source), "| `decks` |"), ["m.md: does not speak of the kind deck"]);
        assert!(unsaid("m.md", "kind", &kinds(source), "| `deck` |").is_empty());
    }

    #[test]
    fn unsafe_that_is_not_named_is_found() {
        let source = format!("#![{}, reason = \"x\")]\n//! X.", concat!("allow(", "unsafe_code"));
        assert!(allows_unsafe(&source) && !allows_unsafe("//! X.\nfn f() {}"));
        let text = "- **`unsafe`** in `exp`\n  and `tile`.\n- **Other** `vector`.\n";
        let files = ["a/exp.rs", "a/tile.rs", "a/vector.rs"].map(PathBuf::from);
        assert_eq!(unnamed(&files, text), ["ARCHITECTURE.md: does not name a/vector.rs where it speaks of unsafe"]);
        assert_eq!(unnamed(&files, "nothing").len(), 3);
    }

    #[test]
    fn links_that_lead_nowhere_are_found() {
        let text = "# One two\n[a](b.md) [c](../x/b.md#right-here) ![p](p.png) `[no](no.md)` [web](https://x.y) [me](#one-two)\n\
            [bad](no.md) [gone](b.md#gone) [none](#none)\n```text\n[code](no.md)\n```\n";
        let files: Vec<PathBuf> = ["x/a.md", "x/b.md", "x/p.png"].map(PathBuf::from).to_vec();
        let pages = BTreeMap::from([
            (files[0].clone(), text.to_string()),
            (files[1].clone(), "## Right, `here`!\n".to_string()),
        ]);
        let found = broken_links(&files[0], text, &files, &pages);
        let wanted = [
            "x/a.md:3: no.md leads nowhere",
            "x/a.md:3: b.md#gone: no such heading",
            "x/a.md:3: #none: no such heading",
        ];
        assert_eq!(found, wanted);
    }

    #[test]
    fn anchors_are_those_of_mdbook() {
        let found = anchors("# `oneclass-panels`\n## A & b (c)\n## A & b (c)\n```sh\n# no\n```\n");
        assert_eq!(found, ["oneclass-panels", "a--b-c", "a--b-c-1"]);
    }

    #[test]
    fn pages_and_parts_that_the_summary_lacks_are_found() {
        let pages = BTreeMap::from([
            (PathBuf::from("docs/src/a.md"), String::new()),
            (PathBuf::from("docs/src/b/c.md"), String::new()),
            (PathBuf::from("docs/other.md"), String::new()),
        ]);
        let text = "# Summary\n\n# Guides\n- [a](a.md)\n- [a](a.md)\n# Reference\n";
        let wanted = [
            "docs/src/SUMMARY.md: has no part Concepts",
            "docs/src/SUMMARY.md: does not name b/c.md",
            "docs/src/SUMMARY.md: names a.md twice",
        ];
        assert_eq!(summary(text, &pages), wanted);
    }

    #[test]
    fn commands_that_are_not_run_say_why() {
        let text = "```console\n$ a\n```\n\n<!-- not run: needs a network -->\n```sh\na\n```\n\n```sh\na\n```\n```perl\n```\n```\n```\n";
        let (wrong, not_run) = blocks(Path::new("p.md"), text);
        assert_eq!((wrong.len(), not_run), (3, 1), "{wrong:?}");
        assert!(wrong[0].starts_with("p.md:10: commands that are not run"));
        let hidden = "```text\npellucid fit knn x\nsome text\n```\n";
        assert_eq!(
            blocks(Path::new("p.md"), hidden).0,
            ["p.md:2: commands in a block of text; console blocks are run"]
        );
    }

    #[test]
    fn examples_are_named() {
        let all = examples(&crate::root(), "");
        assert!(all.len() >= 9 && all[0].contains("example"), "{all:?}");
    }
}
