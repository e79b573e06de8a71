//! A file that grows block by block and can be gone on with after an interruption.
//!
//! Blocks go to `NAME.part`, and a line for each to `NAME.job`: where it ends and a checksum, below a first line that says
//! whose work it is. When all is done the part takes its place under its name in one step and the other file goes, so that
//! the name itself is there whole or not at all. Work that is resumed keeps the blocks whose checksums are right, up to the
//! first that is not, and cuts off the rest; a file of other work (other model, data, settings) is not touched but begun
//! anew. Bytes of blocks depend on nothing but their place, so what comes out is equal to that of uninterrupted work.

use crate::reading::file_error;
use crate::source::shown;
use base::{Checksum, Error, Result};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file in the making.
pub struct Growing {
    path: PathBuf,
    part: File,
    job: File,
    length: u64,
    blocks: usize,
}

impl Growing {
    /// Opens the file for work that `whose` tells apart from all other; with `resume` what is there already is kept.
    pub fn open(path: &Path, whose: u64, resume: bool) -> Result<Self> {
        if path.is_dir() || path.file_name().is_none() {
            return Err(Error::File { file: shown(path), why: "is a folder and is not replaced by a file".into() });
        }
        Self::begin(path, whose, resume).map_err(|e| file_error(&shown(path), &e))
    }

    fn begin(path: &Path, whose: u64, resume: bool) -> io::Result<Self> {
        let (part_name, job_name) = (beside(path, "part"), beside(path, "job"));
        let head = format!("pellucid 1 {whose:016x}\n");
        let open = |name: &Path| OpenOptions::new().read(true).write(true).create(true).truncate(false).open(name);
        let (mut part, mut job) = (open(&part_name)?, open(&job_name)?);
        let kept = if resume { kept(&mut part, &mut job, &head)? } else { vec![] };
        let length = kept.last().map_or(0, |k| k.0);
        part.set_len(length)?;
        job.set_len(0)?;
        job.seek(SeekFrom::Start(0))?;
        job.write_all(head.as_bytes())?;
        for (end, sum) in &kept {
            job.write_all(line(*end, *sum).as_bytes())?;
        }
        part.seek(SeekFrom::Start(length))?;
        Ok(Growing { path: path.to_path_buf(), part, job, length, blocks: kept.len() })
    }

    /// How many blocks are there.
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// Adds a block.
    pub fn add(&mut self, bytes: &[u8]) -> Result<()> {
        let mut write = || {
            self.part.write_all(bytes)?;
            self.length += bytes.len() as u64;
            // The line comes last: a block without one does not count.
            let mut sum = Checksum::default();
            sum.add(bytes);
            self.job.write_all(line(self.length, sum.sum()).as_bytes())
        };
        let done = write().map_err(|e| file_error(&shown(&self.path), &e));
        self.blocks += usize::from(done.is_ok());
        done
    }

    /// Puts the finished file in its place.
    pub fn finish(self) -> Result<()> {
        let place = || {
            self.part.sync_all()?;
            fs::rename(beside(&self.path, "part"), &self.path)?;
            fs::remove_file(beside(&self.path, "job"))
        };
        place().map_err(|e| file_error(&shown(&self.path), &e))
    }
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".");
    name.push(ending);
    path.with_file_name(name)
}

fn line(end: u64, sum: u64) -> String {
    format!("{end} {sum:016x}\n")
}

/// Ends and checksums of the blocks that are there as they were written.
fn kept(part: &mut File, job: &mut File, head: &str) -> io::Result<Vec<(u64, u64)>> {
    let mut lines = BufReader::new(job);
    let mut first = String::new();
    // What is no text is no job of ours.
    if lines.read_line(&mut first).is_err() || first != head {
        return Ok(vec![]);
    }
    let there = part.metadata()?.len();
    let (mut found, mut from, mut bytes) = (vec![], 0, vec![]);
    for text in lines.lines() {
        let Ok(text) = text else { break };
        let Some((end, sum)) = text.split_once(' ') else { break };
        let (Ok(end), Ok(sum)) = (end.parse::<u64>(), u64::from_str_radix(sum, 16)) else { break };
        if end < from || end > there || sum_of(part, end - from, &mut bytes)? != sum {
            break;
        }
        found.push((end, sum));
        from = end;
    }
    Ok(found)
}

/// The checksum of the next bytes of a file.
fn sum_of(part: &mut File, length: u64, bytes: &mut Vec<u8>) -> io::Result<u64> {
    bytes.clear();
    Read::by_ref(part).take(length).read_to_end(bytes)?;
    let mut sum = Checksum::default();
    sum.add(bytes);
    Ok(sum.sum())
}
