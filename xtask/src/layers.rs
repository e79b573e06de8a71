//! Who may know whom: the order of the crates, checked in their manifests.

use std::path::Path;

/// The crates from the bottom up, each with those it may use. Whatever is not named here does not exist.
pub const LAYERS: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("numeric", &["base"]),
    ("ranks", &["base"]),
    ("files", &["base", "numeric"]),
    ("evaluate", &["base", "numeric"]),
    ("problems", &["base", "numeric"]),
    ("linear", &["base", "numeric", "ranks"]),
    ("density", &["base", "numeric"]),
    ("distance", &["base", "numeric", "density"]),
    ("network", &["base", "numeric", "linear", "distance"]),
    ("kernels", &["base", "numeric", "density"]),
    ("trees", &["base", "numeric"]),
    ("explain", &["base", "numeric", "network"]),
    ("prepare", &["base", "numeric", "evaluate", "linear", "distance"]),
    ("picture", &["base"]),
    ("report", &["base", "evaluate", "picture"]),
    ("testkit", &["base"]),
    ("interop", &["base", "evaluate", "files", "kernels", "linear", "network", "prepare", "trees"]),
    ("present", &["base", "distance", "evaluate", "explain", "files", "interop", "numeric", "picture", "report"]),
    (
        "pellucid",
        &[
            "base", "numeric", "ranks", "files", "evaluate", "problems", "network", "linear", "density", "distance",
            "kernels", "trees", "explain", "prepare", "picture", "report", "interop", "present",
        ],
    ),
    ("reproduce", &["base", "numeric", "files", "evaluate", "explain", "prepare", "pellucid"]),
];

/// What is wrong with the manifests: a crate that uses one it may not know, or that is not in the order.
pub fn complaints(root: &Path) -> Vec<String> {
    let mut wrong = vec![];
    let mut seen = vec![];
    for folder in std::fs::read_dir(root.join("crates")).into_iter().flatten().flatten() {
        let name = folder.file_name().to_string_lossy().into_owned();
        let manifest = std::fs::read_to_string(folder.path().join("Cargo.toml")).unwrap_or_default();
        match LAYERS.iter().find(|(known, _)| *known == name) {
            None => wrong.push(format!("crates/{name}: not in the order of xtask/src/layers.rs")),
            Some((_, allowed)) => {
                let forbidden = used(&manifest).into_iter().filter(|u| !allowed.contains(&u.as_str()));
                wrong.extend(forbidden.map(|u| format!("crates/{name}: may not use {u}")));
            }
        }
        seen.push(name);
    }
    let absent = LAYERS.iter().filter(|(name, _)| !seen.iter().any(|s| s == name));
    wrong.extend(absent.map(|(name, _)| format!("crates/{name}: in the order but not there")));
    wrong
}

/// The crates of ours in a manifest's `[dependencies]`; what only tests use does not count.
fn used(manifest: &str) -> Vec<String> {
    let ours = |name: &str| LAYERS.iter().any(|(known, _)| *known == name);
    let mut inside = false;
    let mut found = vec![];
    for line in manifest.lines() {
        if line.starts_with('[') {
            inside = line.trim() == "[dependencies]";
        } else if inside {
            let name = line.split(['.', ' ', '=']).next().unwrap_or("");
            if ours(name) {
                found.push(name.to_string());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forbidden_use_is_found() {
        let manifest = "[package]\nname = \"x\"\n[dependencies]\nbase = { workspace = true }\nfiles.workspace = true\n\
            rand = \"1\"\n[dev-dependencies]\ntestkit = { workspace = true }\n";
        assert_eq!(used(manifest), ["base", "files"]);
    }

    #[test]
    fn nobody_may_know_what_comes_later() {
        for (i, (name, allowed)) in LAYERS.iter().enumerate() {
            for user in *allowed {
                let place = LAYERS.iter().position(|(n, _)| n == user);
                assert!(place.is_some_and(|p| p < i), "{name} may use {user}, which comes after it");
            }
        }
    }
}
