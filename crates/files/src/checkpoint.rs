//! Checkpoints: a record in a model file, or a state that several processes keep together, a file for each part.
//!
//! The parts of state number 7 are `NAME.7.0`, `NAME.7.1`, ... beside `NAME`, which says which state they make. All parts are
//! written before the name is, each file whole or not at all, and those of the state before go afterwards: whatever ends
//! the work in between, the name stands for a state that is complete. The folder must be one that all processes see.

use crate::{read_model, write_model};
use base::{Error, Ranks, Record, Result, Run, StateParts};
use std::path::{Path, PathBuf};

/// Writes the parts of a state that this process has; every process does so at the same time, and rank 0 says that it is complete.
pub fn write_parts(path: &Path, state: &StateParts, ranks: &dyn Ranks) -> Result<()> {
    let run = Run::quiet(0);
    for (place, part) in &state.own {
        write_model(&part_of(path, state.number, *place), part, &run)?;
    }
    // Whoever fails ends all: this comes back when every part is there.
    ranks.all(true)?;
    if ranks.rank() == 0 {
        write_model(path, &state.head(), &run)?;
    }
    ranks.all(true)?;
    forget_others(path, state);
    Ok(())
}

/// Reads a checkpoint: the record, with the parts of this process where several keep it together.
pub fn read_checkpoint(path: &Path, run: &Run<'_>) -> Result<Record> {
    let record = read_model(path, run)?;
    if !StateParts::is_head(&record) {
        return Ok(record);
    }
    let read = |number: u64, place: usize| {
        let part = part_of(path, number, place);
        read_model(&part, run).map_err(|error| match part.exists() {
            true => error,
            false => {
                let why =
                    format!("is a checkpoint of several processes, and its part {} does not exist", part.display());
                Error::format(path.display().to_string(), why)
            }
        })
    };
    StateParts::gathered(&record, run.ranks, read).map(|state| state.record())
}

fn part_of(path: &Path, number: u64, place: usize) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(format!(".{number}.{place}"));
    PathBuf::from(name)
}

/// Removes this process's parts of other states; what cannot be removed stays, and does no harm.
fn forget_others(path: &Path, state: &StateParts) {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Some(name) = path.file_name().and_then(|n| n.to_str()) else { return };
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let found = entry.file_name();
        let rest = found.to_str().and_then(|f| f.strip_prefix(name)?.strip_prefix('.')?.split_once('.'));
        let Some((Ok(number), Ok(place))) = rest.map(|(n, p)| (n.parse::<u64>(), p.parse::<usize>())) else { continue };
        if number != state.number && state.own.iter().any(|(own, _)| *own == place) {
            // A second process that looks after the same part may have been faster.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}
