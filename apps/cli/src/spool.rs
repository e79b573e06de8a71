//! Output that is written whole or not at all where there is no file to replace: standard output.
//!
//! What is written is kept, at first in memory and from [`MOST`] bytes on in a temporary file without a name, and handed
//! on when it is complete. A reader of JSON then never sees half an object before an error.

use pellucid::Error;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Seek, Write};
use std::path::PathBuf;
use std::time::SystemTime;

/// Bytes that stay in memory.
const MOST: usize = 1 << 20;

/// What has been written so far.
#[derive(Default)]
pub struct Spool {
    kept: Vec<u8>,
    file: Option<BufWriter<File>>,
    /// The file, where it could not lose its name while it is open.
    named: Option<PathBuf>,
}

impl Spool {
    /// Hands everything on.
    pub fn pour(mut self, out: &mut dyn Write) -> io::Result<()> {
        match self.file.take() {
            None => out.write_all(&self.kept)?,
            Some(file) => {
                let mut file = file.into_inner().map_err(|e| elsewhere(&e.into_error()))?;
                file.rewind().map_err(|e| elsewhere(&e))?;
                io::copy(&mut file, out)?;
            }
        }
        out.flush()
    }

    fn open(&mut self) -> io::Result<()> {
        let moment = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |d| d.as_nanos());
        let path = std::env::temp_dir().join(format!(".pellucid-{}-{moment}.tmp", std::process::id()));
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600); // Predictions are nobody else's business.
        let mut file = BufWriter::new(options.open(&path)?);
        // Without a name it goes away with the program, however that ends.
        self.named = std::fs::remove_file(&path).is_err().then_some(path);
        file.write_all(&std::mem::take(&mut self.kept))?;
        self.file = Some(file);
        Ok(())
    }
}

/// An error of the temporary file, which is not one of standard output.
fn elsewhere(error: &io::Error) -> io::Error {
    io::Error::other(Error::File { file: std::env::temp_dir().display().to_string(), why: error.to_string() })
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.file.is_none() && self.kept.len() + bytes.len() > MOST {
            self.open().map_err(|e| elsewhere(&e))?;
        }
        match &mut self.file {
            Some(file) => file.write(bytes).map_err(|e| elsewhere(&e)),
            None => self.kept.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Spool {
    fn drop(&mut self) {
        self.file = None;
        if let Some(path) = &self.named {
            // Nothing is left to do about a file that does not go.
            let _ = std::fs::remove_file(path);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test speaks by panicking")]
mod tests {
    use super::*;

    #[test]
    fn what_goes_in_comes_out_in_memory_and_beyond() {
        for size in [0, 10, MOST, MOST + 1, 3 * MOST + 7] {
            let bytes: Vec<u8> = (0..size).map(|i| (i % 251) as u8).collect();
            let mut spool = Spool::default();
            bytes.chunks(1000).for_each(|part| spool.write_all(part).unwrap());
            assert!(spool.kept.len() <= MOST, "memory is bounded");
            assert_eq!(spool.file.is_some(), size > MOST);
            let mut out = vec![];
            spool.pour(&mut out).unwrap();
            assert!(out == bytes, "{size} bytes");
        }
    }
}
