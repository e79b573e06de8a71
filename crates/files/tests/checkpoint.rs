//! States that several processes keep together: a file for each part, and a name that stands for a state that is complete.
#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use base::{Alone, Error, Ranks, Record, Run, StateParts};
use pellucid_files::{read_checkpoint, write_model, write_parts};
use std::path::{Path, PathBuf};

/// A path in a folder of its own.
fn place(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("checkpoint-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder.join("job.ckpt")
}

/// What a rank has of state `number` in seven parts.
fn state(number: u64, ranks: &dyn Ranks) -> StateParts {
    let part =
        |i: usize| Record::new("part", 1).with("of", number.to_string()).with("i", i).with("w", vec![i as u32; 9]);
    let own = (0..7).filter(|&i| ranks.owner(i, 7) == ranks.rank()).map(|i| (i, part(i))).collect();
    StateParts { common: Record::new("common", 1).with("number", number.to_string()), number, count: 7, own }
}

fn names(path: &Path) -> Vec<String> {
    let all = std::fs::read_dir(path.parent().unwrap()).unwrap();
    let mut names: Vec<String> = all.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn any_number_of_processes_reads_what_others_have_kept() {
    let path = place("read");
    for (number, writers) in [(3, 3), (8, 1), (9, 2), (20, 9)] {
        ranks::within(writers, |ranks| write_parts(&path, &state(number, ranks), ranks)).unwrap();
        let mut expected: Vec<String> = (0..7).map(|i| format!("job.ckpt.{number}.{i}")).collect();
        expected.insert(0, "job.ckpt".into());
        assert_eq!(names(&path), expected, "parts of the states before are gone");
        for readers in [1, 2, 4, 7, 8] {
            let read = ranks::within(readers, |ranks| {
                let record = read_checkpoint(&path, &Run { ranks, ..Run::quiet(1) })?;
                Ok((StateParts::read(&record)?, state(number, ranks)))
            });
            read.unwrap().into_iter().for_each(|(found, expected)| assert_eq!(found, expected));
        }
    }
    // A file beside it that only looks alike is left alone.
    let other = path.with_file_name("job.ckpt.old.3");
    std::fs::write(&other, "mine").unwrap();
    write_parts(&path, &state(21, &Alone), &Alone).unwrap();
    assert!(other.exists());
}

#[test]
fn whoever_dies_leaves_the_state_before() {
    let path = place("dies");
    ranks::within(2, |ranks| write_parts(&path, &state(1, ranks), ranks)).unwrap();
    let before = read_checkpoint(&path, &Run::quiet(1)).unwrap();
    // Rank 1 dies before its parts are there; those of rank 0 are.
    let died = ranks::within(2, |ranks| match ranks.rank() {
        0 => write_parts(&path, &state(2, ranks), ranks),
        _ => Err(Error::rank(1, "dies")),
    });
    assert!(died.is_err());
    assert!(names(&path).contains(&"job.ckpt.2.0".to_string()));
    assert_eq!(read_checkpoint(&path, &Run::quiet(1)).unwrap(), before);
    // The next state that is complete takes the place of both.
    ranks::within(2, |ranks| write_parts(&path, &state(3, ranks), ranks)).unwrap();
    assert_eq!(names(&path).len(), 8);
    assert_eq!(StateParts::read(&read_checkpoint(&path, &Run::quiet(1)).unwrap()).unwrap().number, 3);
}

#[test]
fn a_part_that_is_lost_is_named_and_a_record_of_one_process_is_read_as_it_is() {
    let path = place("lost");
    write_parts(&path, &state(5, &Alone), &Alone).unwrap();
    std::fs::remove_file(path.with_file_name("job.ckpt.5.4")).unwrap();
    let error = read_checkpoint(&path, &Run::quiet(1)).unwrap_err().to_string();
    assert!(error.contains("is a checkpoint of several processes, and its part"), "{error}");
    assert!(error.contains("job.ckpt.5.4 does not exist"), "{error}");
    std::fs::write(path.with_file_name("job.ckpt.5.4"), "damaged").unwrap();
    assert!(read_checkpoint(&path, &Run::quiet(1)).unwrap_err().to_string().contains("job.ckpt.5.4"));
    let record = Record::new("alone", 1).with("x", 1.5);
    write_model(&path, &record, &Run::quiet(1)).unwrap();
    assert_eq!(read_checkpoint(&path, &Run::quiet(1)).unwrap(), record);
}
