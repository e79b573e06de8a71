//! Files written whole or not at all.
//!
//! The new content goes into a temporary file in the same folder; when it is complete and on the disk it takes the
//! place of the old file in one step of the file system, and the folder is brought to the disk too. Whatever happens
//! before that step (an error of the writer, a full disk, the process killed), the old file is as it was. On an error
//! the temporary file is removed; after a kill it remains, named `.pellucid-PROCESS-NUMBER.tmp`, until somebody else
//! writes into the folder: files of processes that are gone are removed then.
//!
//! A link is followed, so that what it points to is replaced. The permissions of an old file are kept. Devices and
//! pipes cannot be replaced and are written directly.

use crate::reading::file_error;
use crate::source::shown;
use base::{Error, Result};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Writes a file through `write`, whole or not at all.
///
/// An [`Error`] inside the writer's `io::Error` (made with `io::Error::other`) comes out as it went in.
pub fn write_whole(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    replace(path, write).map_err(|error| match error.downcast::<Error>() {
        Ok(ours) => ours,
        Err(error) => file_error(&shown(path), &error),
    })
}

fn replace(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    // Of a link the target is replaced; a path that does not exist yet stays as it is.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let old = match fs::metadata(&target) {
        Ok(old) => Some(old),
        Err(e) if e.kind() == io::ErrorKind::NotFound => None,
        Err(e) => return Err(e),
    };
    if let Some(old) = &old {
        if old.is_dir() {
            return Err(io::Error::other("is a folder and is not replaced by a file"));
        }
        if old.permissions().readonly() {
            return Err(io::Error::other("is write-protected and is not replaced"));
        }
        if !old.is_file() {
            return fill(&OpenOptions::new().write(true).open(&target)?, write);
        }
    }
    let Some(name) = target.file_name() else {
        return Err(io::Error::other("does not name a file"));
    };
    let folder = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    sweep(folder);
    let (temporary, file) = Temporary::create(folder)?;
    if let Some(old) = &old {
        file.set_permissions(old.permissions())?;
    }
    fill(&file, write)?;
    file.sync_all()?;
    drop(file);
    temporary.take_place(&folder.join(name))?;
    sync_folder(folder)
}

fn fill(file: &File, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, file);
    write(&mut out)?;
    out.flush()
}

/// How long a temporary file must have been left alone: processes of other computers may share the folder.
const LEFT_ALONE: Duration = Duration::from_secs(5);
/// After so long it goes even if some process has the number of its writer again.
const FORGOTTEN: Duration = Duration::from_secs(24 * 3600);

/// Removes temporary files of processes that are gone. What cannot be looked at or removed stays.
pub(crate) fn sweep(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(process) = name.to_str().and_then(writer_of).filter(|p| *p != std::process::id()) else { continue };
        let modified = entry.metadata().ok().filter(fs::Metadata::is_file).and_then(|m| m.modified().ok());
        let Some(age) = modified.and_then(|t| t.elapsed().ok()) else { continue };
        if age > FORGOTTEN || (age > LEFT_ALONE && is_gone(process)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The process that a temporary file's name speaks of.
fn writer_of(name: &str) -> Option<u32> {
    let (process, number) = name.strip_prefix(".pellucid-")?.strip_suffix(".tmp")?.split_once('-')?;
    number.parse::<u64>().ok()?;
    process.parse().ok()
}

/// Whether there is no such process, where the system tells.
fn is_gone(process: u32) -> bool {
    Path::new("/proc/self").exists() && !Path::new(&format!("/proc/{process}")).exists()
}

/// A file that is removed again unless it takes its place.
struct Temporary {
    path: PathBuf,
    placed: bool,
}

impl Temporary {
    fn create(folder: &Path) -> io::Result<(Self, File)> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        // A name left over from a killed process of the same number is stepped over.
        for _ in 0..1000 {
            let name = format!(".pellucid-{}-{}.tmp", std::process::id(), COUNT.fetch_add(1, Relaxed));
            let path = folder.join(name);
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => return Ok((Temporary { path, placed: false }, file)),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e),
            }
        }
        Err(io::Error::other("no name is free for a temporary file; remove .pellucid-*.tmp from the folder"))
    }

    fn take_place(mut self, path: &Path) -> io::Result<()> {
        fs::rename(&self.path, path)?;
        self.placed = true;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.placed {
            // Nothing more can be done here if it fails; the error that led here is the one to be told.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Brings the folder's new entry to the disk; not every file system can, and the file itself is safe already.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    match File::open(folder).and_then(|f| f.sync_all()) {
        Err(e) if matches!(e.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
        // A folder may be written but not opened for reading.
        Err(e) if e.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        other => other,
    }
}
