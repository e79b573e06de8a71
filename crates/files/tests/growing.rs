//! Files that grow: kept where they are right, cut off where they are not, whole at the end.
#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use base::{Checksum, Dataset, Features, Points, Run, Targets};
use pellucid_files::{Growing, part_of_data, write_data};
use std::path::{Path, PathBuf};

/// A folder of its own.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("growing-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

fn block(k: usize) -> Vec<u8> {
    (0..100 + 7 * k).map(|i| ((i * 31 + k * 17) % 251) as u8).collect()
}

/// Goes on to six blocks and returns how many were there.
fn go_on(path: &Path, whose: u64, resume: bool) -> usize {
    let mut file = Growing::open(path, whose, resume).unwrap();
    let there = file.blocks();
    (there..6).for_each(|k| file.add(&block(k)).unwrap());
    assert_eq!(file.blocks(), 6);
    file.finish().unwrap();
    there
}

/// What happens to the files meanwhile.
type Damage<'a> = &'a dyn Fn();

/// Three blocks, then an interruption.
fn interrupted(path: &Path) {
    let _ = std::fs::remove_file(path);
    let mut file = Growing::open(path, 5, false).unwrap();
    (0..3).for_each(|k| file.add(&block(k)).unwrap());
}

#[test]
fn what_is_right_is_kept_and_the_bytes_are_those_of_one_go() {
    let folder = folder("kept");
    let (path, part, job) = (folder.join("a.npy"), folder.join("a.npy.part"), folder.join("a.npy.job"));
    assert_eq!(go_on(&path, 5, false), 0);
    let whole = std::fs::read(&path).unwrap();
    assert_eq!(whole, (0..6).flat_map(block).collect::<Vec<u8>>());
    assert!(!part.exists() && !job.exists(), "nothing is left behind");
    let ends = [0, 100, 207, 321];
    let damage: [(&str, Damage<'_>, u64, bool, usize); 9] = [
        ("nothing", &|| (), 5, true, 3),
        ("not asked to go on", &|| (), 5, false, 0),
        ("other work", &|| (), 6, true, 0),
        ("half a block more", &|| append(&part, b"half a block"), 5, true, 3),
        ("cut in a block", &|| cut(&part, ends[2] + 5), 5, true, 2),
        ("a flipped bit", &|| flip(&part, ends[1] + 3), 5, true, 1),
        ("a line cut off", &|| cut(&job, std::fs::metadata(&job).unwrap().len() - 4), 5, true, 2),
        ("no job", &|| std::fs::remove_file(&job).unwrap(), 5, true, 0),
        ("a job of bytes", &|| std::fs::write(&job, [0xff; 80]).unwrap(), 5, true, 0),
    ];
    for (what, damage, whose, resume, kept) in &damage {
        interrupted(&path);
        assert!(!path.exists() && part.exists(), "the name is there when all is done");
        damage();
        assert_eq!(go_on(&path, *whose, *resume), *kept, "{what}");
        assert_eq!(std::fs::read(&path).unwrap(), whole, "{what}");
    }
    assert!(Growing::open(&folder, 1, true).is_err());
    assert!(Growing::open(&folder.join("none/x.csv"), 1, true).is_err());
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn parts_are_together_what_is_written_in_one_go() {
    let folder = folder("parts");
    let run = Run::quiet(1);
    let values: Vec<f64> = (0..70).map(|i| [0.1, -3.0, 1e-300, f64::NAN, 12345.678][i % 5] * i as f64).collect();
    let names = ["a", "b\n\"c\", d", "e", "f", "g"].map(String::from).to_vec();
    let points = Points::dense(values, 14, 5).unwrap();
    for ending in ["npy", "csv"] {
        let path = folder.join(format!("x.{ending}"));
        let data = |from: usize, to: usize| Dataset {
            features: Features::named(names.clone()),
            ..Dataset::new(points.slice(from..to), Targets::None)
        };
        write_data(&path, &data(0, 14), &run).unwrap();
        let part = |from: usize, to: usize| part_of_data(&path, &data(from, to), (from, 14), &run).unwrap();
        let parts = [part(0, 5), part(5, 13), part(13, 14)].concat();
        assert_eq!(std::fs::read(&path).unwrap(), parts, "{ending}");
    }
    assert!(part_of_data(&folder.join("x.npz"), &Dataset::new(points.clone(), Targets::None), (0, 14), &run).is_err());
    std::fs::remove_dir_all(&folder).unwrap();
}

fn append(path: &Path, bytes: &[u8]) {
    let all = [std::fs::read(path).unwrap(), bytes.to_vec()].concat();
    std::fs::write(path, all).unwrap();
}

fn cut(path: &Path, length: u64) {
    std::fs::OpenOptions::new().write(true).open(path).unwrap().set_len(length).unwrap();
}

fn flip(path: &Path, at: u64) {
    let mut bytes = std::fs::read(path).unwrap();
    bytes[at as usize] ^= 4;
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn checksums_see_every_byte_and_length() {
    let sum = |parts: &[&[u8]]| {
        let mut sum = Checksum::default();
        parts.iter().for_each(|p| sum.add(p));
        sum.sum()
    };
    let text = b"every byte matters";
    for i in 0..text.len() {
        let mut other = text.to_vec();
        other[i] ^= 1;
        assert_ne!(sum(&[text]), sum(&[&other]));
    }
    assert_ne!(sum(&[b"ab"]), sum(&[b"ab\0"]));
    assert_ne!(sum(&[b"a", b"b"]), sum(&[b"ab"]));
}
