//! Data sets that tests use where they are present: the folder `shared/data` beside the project.
//!
//! Where the variable `PELLUCID_DATA` is `required`, as `./check` sets it where that folder exists, an absent data set fails
//! its test. Elsewhere the test ends early, and its name is added to the file that `PELLUCID_SKIPPED` names, so that nothing
//! is skipped in silence: `./check` prints that list.

use std::io::Write;
use std::path::{Path, PathBuf};

/// A file or folder of the shared data; none where it is absent and may be.
#[track_caller]
pub fn shared(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(name);
    need(path.exists(), name).then_some(path)
}

/// Whether something that a test needs is there; if it is not, the test fails or is listed, as above.
#[track_caller]
pub fn need(is_there: bool, what: &str) -> bool {
    if !is_there {
        let required = std::env::var("PELLUCID_DATA").is_ok_and(|v| v == "required");
        assert!(!required, "{what} is missing, and PELLUCID_DATA=required");
        skipped(what);
    }
    is_there
}

fn skipped(what: &str) {
    let thread = std::thread::current();
    let line = format!("{}: {what} is missing\n", thread.name().unwrap_or("a test"));
    let Some(list) = std::env::var_os("PELLUCID_SKIPPED") else { return };
    let file = std::fs::OpenOptions::new().create(true).append(true).open(&list);
    file.and_then(|mut file| file.write_all(line.as_bytes())).unwrap_or_else(|e| panic!("{}: {e}", list.display()));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs this test program again for one test, with these variables.
    fn again(test: &str, variables: &[(&str, &str)]) -> bool {
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", test, "--include-ignored"]).env_remove("PELLUCID_DATA");
        command.env("PELLUCID_INNER", "1").envs(variables.iter().copied());
        command.output().unwrap().status.success()
    }

    #[test]
    fn inner() {
        if std::env::var_os("PELLUCID_INNER").is_some() {
            assert!(!need(false, "a data set that does not exist"));
        }
    }

    #[test]
    fn a_missing_data_set_fails_where_it_is_required_and_is_listed_elsewhere() {
        let list = std::env::temp_dir().join(format!("pellucid-skipped-{}", std::process::id()));
        let name = list.display().to_string();
        let _ = std::fs::remove_file(&list);
        assert!(!again("shared::tests::inner", &[("PELLUCID_DATA", "required"), ("PELLUCID_SKIPPED", &name)]));
        assert!(!list.exists(), "a failure is no skipped test");
        assert!(again("shared::tests::inner", &[("PELLUCID_SKIPPED", &name)]));
        let text = std::fs::read_to_string(&list).unwrap();
        std::fs::remove_file(&list).unwrap();
        assert_eq!(text, "shared::tests::inner: a data set that does not exist is missing\n");
    }
}
