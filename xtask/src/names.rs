//! One public name, one thing: no two crates show different types of one name, unless [`SHARED`] says why.
//!
//! Public is what a crate's `lib.rs` shows: the types of its public modules and what it takes out of private ones by
//! `pub use`. Types that a crate only passes on from another one are the same thing and do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Why a setting's choices may bear the setting's name in several crates.
const CHOICES: &str = "the choices of the setting of that name; learners of several crates have such a setting";

/// Names that several crates show, and why.
const SHARED: &[(&str, &str)] = &[
    ("Method", CHOICES),
    ("Multiclass", CHOICES),
    ("Precision", CHOICES),
    ("Scaling", CHOICES),
    ("Schedule", CHOICES),
    ("Unit", CHOICES),
    ("Weights", CHOICES),
    ("Explain", "what an explanation method does, and the job of that name: jobs are called by their verbs"),
    ("Numbers", "the encoder of numeric columns is called by what it encodes, beside the numbers of a tensor"),
];

/// Names that are not alone, a line each.
pub fn complaints(root: &Path) -> Vec<String> {
    let mut owners: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let Ok(crates) = std::fs::read_dir(root.join("crates")) else { return vec![] };
    for folder in crates.flatten().map(|e| e.path()) {
        let name = folder.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        // What only tests see may be called like what it stands for.
        if name == "testkit" {
            continue;
        }
        for shown in shown(&folder.join("src/lib.rs"), &folder.join("src")) {
            owners.entry(shown).or_default().insert(name.clone());
        }
    }
    judge(&owners, SHARED)
}

fn judge(owners: &BTreeMap<String, BTreeSet<String>>, shared: &[(&str, &str)]) -> Vec<String> {
    let mut wrong = vec![];
    for (name, crates) in owners.iter().filter(|(_, crates)| crates.len() > 1) {
        if !shared.iter().any(|(n, _)| n == name) {
            let crates: Vec<&str> = crates.iter().map(String::as_str).collect();
            wrong.push(format!("{name}: a public type of {}; rename one or give a reason", crates.join(" and of ")));
        }
    }
    for (name, _) in shared {
        if owners.get(*name).is_none_or(|crates| crates.len() < 2) {
            wrong.push(format!("xtask/src/names.rs: {name} is public in fewer than two crates; it needs no reason"));
        }
    }
    wrong
}

/// The types that a file shows, with those of its public modules.
fn shown(file: &Path, folder: &Path) -> BTreeSet<String> {
    let Ok(text) = std::fs::read_to_string(file) else { return BTreeSet::new() };
    let text: String = text.lines().map(|l| l.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n");
    let mut found = BTreeSet::new();
    let modules = private_modules(&text);
    for item in text.split_inclusive([';', '{']) {
        let item = item.trim_start_matches(|c: char| c.is_whitespace() || "}])".contains(c));
        let Some(at) = item.find("pub ") else { continue };
        let item = &item[at + 4..];
        let (keyword, rest) = item.split_once(' ').unwrap_or((item, ""));
        match keyword {
            "struct" | "enum" | "trait" | "type" | "union" => {
                found.insert(identifier(rest));
            }
            "mod" => {
                let name = identifier(rest);
                let inner = folder.join(&name);
                for file in [inner.with_extension("rs"), inner.join("mod.rs")] {
                    found.extend(shown(&file, &inner));
                }
            }
            _ => {}
        }
    }
    // `pub use a::{B, C as D};` of a module of this crate.
    for taken in text.split("pub use ").skip(1).filter_map(|t| t.split(';').next()) {
        let first = identifier(taken.trim_start_matches("self::"));
        if modules.contains(&first) {
            found.extend(last_names(taken));
        }
    }
    found.retain(|n| n.starts_with(char::is_uppercase) && n.chars().any(char::is_lowercase));
    found
}

/// All modules that a file declares.
fn private_modules(text: &str) -> BTreeSet<String> {
    text.split("mod ").skip(1).map(identifier).collect()
}

/// The names at the ends of the paths of a `use`.
fn last_names(taken: &str) -> Vec<String> {
    let ends = taken.split(['{', '}', ',']).map(str::trim).filter(|t| !t.is_empty());
    let name = |path: &str| path.rsplit([':', ' ']).next().map(identifier);
    ends.filter_map(name).collect()
}

fn identifier(text: &str) -> String {
    text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_public_modules_and_those_taken_out_of_private_ones_are_shown() {
        let folder = std::env::temp_dir().join(format!("pellucid-names-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let lib =
            "mod a;\npub mod b;\npub use a::{First, second, Third as Fourth};\npub use other::Fifth;\nstruct Sixth;\n";
        std::fs::write(folder.join("lib.rs"), lib).unwrap();
        std::fs::write(
            folder.join("b.rs"),
            "/// pub struct No\npub struct Seventh<T>(T);\npub(crate) enum Eighth {}\n",
        )
        .unwrap();
        let found: Vec<String> = shown(&folder.join("lib.rs"), &folder).into_iter().collect();
        std::fs::remove_dir_all(folder).unwrap();
        assert_eq!(found, ["First", "Fourth", "Seventh"]);
    }

    #[test]
    fn a_name_of_two_crates_needs_a_reason_and_a_reason_two_crates() {
        let owners = |crates: &[&str]| {
            BTreeMap::from([("Plan".to_string(), crates.iter().map(|c| c.to_string()).collect::<BTreeSet<_>>())])
        };
        assert_eq!(judge(&owners(&["a", "b"]), &[]).len(), 1);
        assert!(judge(&owners(&["a", "b"]), &[("Plan", "so")]).is_empty());
        assert!(judge(&owners(&["a"]), &[]).is_empty());
        assert_eq!(judge(&owners(&["a"]), &[("Plan", "so")]).len(), 1);
    }
}
