//! Files are written whole or not at all, whatever goes wrong on the way.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test speaks by panicking, and says what it skips")]

use base::Error;
use pellucid_files::write_whole;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A folder of its own, gone with the value.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pellucid-whole-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(&self.0).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn put(path: &Path, text: &str) -> base::Result<()> {
    write_whole(path, |out| out.write_all(text.as_bytes()))
}

#[test]
fn new_files_appear_and_old_ones_are_replaced() {
    let folder = Folder::new("replace");
    let path = folder.0.join("f");
    for text in ["first", "", "a longer one"] {
        put(&path, text).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        assert_eq!(folder.names(), ["f"]);
    }
}

#[test]
fn a_failing_writer_leaves_the_old_file_and_nothing_else() {
    let folder = Folder::new("fails");
    let path = folder.0.join("f");
    let fail = |error: fn() -> io::Error| {
        write_whole(&path, |out| {
            out.write_all(&[1; 1 << 20])?;
            Err(error())
        })
    };
    assert!(fail(|| io::Error::other("disk on fire")).unwrap_err().to_string().ends_with("f: disk on fire"));
    assert!(folder.names().is_empty(), "a file that was never complete is there");
    put(&path, "old").unwrap();
    assert!(fail(|| io::Error::from(io::ErrorKind::StorageFull)).is_err());
    // An error of ours comes out as it went in.
    assert_eq!(fail(|| io::Error::other(Error::Cancelled)), Err(Error::Cancelled));
    assert_eq!((fs::read_to_string(&path).unwrap().as_str(), folder.names()), ("old", vec!["f".to_string()]));
}

#[test]
fn folders_and_absent_folders_are_refused() {
    let folder = Folder::new("refused");
    let says = |path: &Path| put(path, "x").unwrap_err().to_string();
    assert!(says(&folder.0).ends_with("is a folder and is not replaced by a file"));
    assert!(says(&folder.0.join("absent/f")).contains("No such file"));
    assert!(folder.names().is_empty());
}

#[cfg(unix)]
#[test]
fn permissions_and_links_are_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = Folder::new("links");
    let (path, link) = (folder.0.join("f"), folder.0.join("link"));
    put(&path, "old").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("f", &link).unwrap();
    put(&link, "new").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o440)).unwrap();
    assert!(put(&path, "newer").unwrap_err().to_string().contains("write-protected"));
    assert_eq!((fs::read_to_string(&path).unwrap().as_str(), folder.names().len()), ("new", 2));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    let error = put(Path::new("/dev/full"), "x").unwrap_err().to_string();
    assert!(error.starts_with("/dev/full: No space left"), "{error}");
    assert!(put(Path::new("/dev/null"), "x").is_ok());
}

/// The test runs itself as a child that never stops writing, and kills it without warning.
#[cfg(unix)]
#[test]
fn a_killed_writer_leaves_the_old_file() {
    const CHILD: &str = "PELLUCID_WHOLE_CHILD";
    if let Ok(path) = std::env::var(CHILD) {
        let block = [0u8; 1 << 16];
        let endless = |out: &mut dyn Write| {
            loop {
                // Slow enough that a forgotten child would not fill the disk.
                out.write_all(&block)?;
                out.flush()?;
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
        };
        write_whole(Path::new(&path), endless).unwrap();
        return;
    }
    let folder = Folder::new("killed");
    let path = folder.0.join("model.pel");
    let old = "the old model".repeat(1000);
    put(&path, &old).unwrap();
    let mut child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_killed_writer_leaves_the_old_file", "--test-threads=1"])
        .env(CHILD, &path)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let temporary = || folder.names().into_iter().find(|n| n.starts_with(".pellucid-"));
    let written = || temporary().map_or(0, |n| fs::metadata(folder.0.join(n)).map_or(0, |m| m.len()));
    while written() < 1 << 20 {
        assert!(child.try_wait().unwrap().is_none(), "the child ended by itself");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(written() >= 1 << 20, "it was killed in the middle");
    assert_eq!(fs::read_to_string(&path).unwrap(), old);
    // What the killed process left behind is in nobody's way, and goes when it has been left alone for a while.
    put(&path, "new").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    assert!(temporary().is_some(), "it is too fresh to be removed");
    let left = folder.0.join(temporary().unwrap());
    let minute = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
    fs::File::options().write(true).open(&left).unwrap().set_modified(minute).unwrap();
    put(&path, "newer").unwrap();
    assert_eq!(temporary(), None);
}

#[test]
fn r2_temporary_files_of_processes_that_are_gone_are_removed() {
    let folder = Folder::new("swept");
    let ago = |seconds: u64| std::time::SystemTime::now() - std::time::Duration::from_secs(seconds);
    let leave = |name: &str, seconds: u64| {
        fs::write(folder.0.join(name), "x").unwrap();
        let file = fs::File::options().write(true).open(folder.0.join(name)).unwrap();
        file.set_modified(ago(seconds)).unwrap();
    };
    // No process has a number beyond 2^22 on Linux; 1 always lives.
    let (gone, alive) = (4_194_999, 1);
    leave(&format!(".pellucid-{gone}-0.tmp"), 60);
    leave(&format!(".pellucid-{alive}-0.tmp"), 60);
    leave(&format!(".pellucid-{alive}-1.tmp"), 3 * 24 * 3600);
    leave(&format!(".pellucid-{gone}-2.tmp"), 0);
    leave(".pellucid-other.tmp", 60);
    leave("data.tmp", 60);
    put(&folder.0.join("m.pel"), "new").unwrap();
    let kept = [".pellucid-1-0.tmp", ".pellucid-4194999-2.tmp", ".pellucid-other.tmp", "data.tmp", "m.pel"];
    let mut names = folder.names();
    names.sort();
    if cfg!(target_os = "linux") {
        assert_eq!(names, kept);
    }
}

#[test]
fn r1_a_folder_says_that_it_is_incomplete_until_it_is_finished() {
    let folder = Folder::new("marked");
    let path = folder.0.join("cards");
    let begun = pellucid_files::Folder::begin(&path).unwrap();
    put(&path.join("a.txt"), "a").unwrap();
    assert!(fs::read_to_string(path.join("INCOMPLETE.txt")).unwrap().contains("Run the same command again"));
    // Killed here, and begun again.
    std::mem::forget(begun);
    let begun = pellucid_files::Folder::begin(&path).unwrap();
    put(&path.join("b.txt"), "b").unwrap();
    begun.finish().unwrap();
    let mut names: Vec<String> =
        fs::read_dir(&path).unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    assert_eq!(names, ["a.txt", "b.txt"]);
    assert!(pellucid_files::Folder::begin(&folder.0.join("cards/a.txt")).is_err());
}
