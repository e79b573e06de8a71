//! A folder of several files that says of itself whether it is complete.
//!
//! Each file is written whole, but a process can be killed between two of them. While a folder is being written it holds
//! `INCOMPLETE.txt`, which goes when all is there; the same command run again completes the folder.

use crate::reading::file_error;
use crate::source::shown;
use crate::whole::{sweep, write_whole};
use base::Result;
use std::fs;
use std::path::{Path, PathBuf};

/// The file that says that others are missing.
const MARK: &str = "INCOMPLETE.txt";

/// A folder in the making.
#[must_use = "it stays marked as incomplete until it is finished"]
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Makes the folder if it is not there, and marks it as incomplete.
    pub fn begin(path: &Path) -> Result<Self> {
        fs::create_dir_all(path).map_err(|e| file_error(&shown(path), &e))?;
        sweep(path);
        let text = "Some of the files of this folder are missing or from an earlier run: it is being written, or writing \
                    it was interrupted. Run the same command again to complete it.\n";
        write_whole(&path.join(MARK), |out| out.write_all(text.as_bytes()))?;
        Ok(Folder { path: path.to_path_buf() })
    }

    /// Says that all files are there.
    pub fn finish(self) -> Result<()> {
        let mark = self.path.join(MARK);
        fs::remove_file(&mark).map_err(|e| file_error(&shown(&mark), &e))
    }
}
