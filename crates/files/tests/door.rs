//! The door: what is written is read, errors name the file as given, nothing is silent.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test speaks by panicking, and says what it skips")]

use base::{Classes, Dataset, Error, Memory, Points, Run, Targets, Values, Watch};
use pellucid_files::{Format, Reading, read, read_bytes, read_column, write_data};
use std::path::PathBuf;
use std::sync::Mutex;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pellucid-door-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

impl Watch for Notes {
    fn step(&self, _: &base::Progress<'_>) -> base::Verdict {
        base::Verdict::GoOn
    }
    fn note(&self, text: &str) {
        self.0.lock().unwrap().push(text.into());
    }
}

#[test]
fn what_is_written_is_read() {
    let folder = Folder::new("written");
    let notes = Notes::default();
    let run = Run { watch: &notes, ..Run::quiet(1) };
    let points = Points::dense(vec![1.0, 2.0, 3.0, 4.0, 5.0, f64::NAN], 3, 2).unwrap();
    let single = Points::dense(vec![1.5f32; 6], 2, 3).unwrap();
    let targets = Targets::Values(Values::new(vec![1.0, -1.0, 0.5], "y"));
    let names = vec!["-1".to_string(), "10".to_string()];
    let classes = Targets::Classes(Classes::new(vec![1, 0, base::UNKNOWN], names).unwrap());
    let path = |name: &str| folder.0.join(name);

    write_data(&path("a.npy"), &Dataset::new(points.clone(), targets.clone()), &run).unwrap();
    let back = read(&path("a.npy"), &Reading::default(), &run).unwrap();
    assert_eq!(format!("{:?} {:?}", back.inputs, back.targets), format!("Points({points:?}) None"));
    assert!(notes.0.lock().unwrap()[0].contains("no place for targets"));

    write_data(&path("a.npz"), &Dataset::new(points.clone(), targets.clone()), &run).unwrap();
    let back = read(&path("a.npz"), &Reading::default(), &run).unwrap();
    assert_eq!((format!("{:?}", back.inputs), back.targets), (format!("Points({points:?})"), targets));

    write_data(&path("c.npz"), &Dataset::new(points.clone(), classes), &run).unwrap();
    let Targets::Values(values) = read(&path("c.npz"), &Reading::default(), &run).unwrap().targets else { panic!() };
    assert_eq!((values.values()[0], values.values()[1], values.values()[2].is_nan()), (10.0, -1.0, true));

    write_data(&path("s.npy"), &Dataset::new(single.clone(), Targets::None), &run).unwrap();
    assert_eq!(read(&path("s.npy"), &Reading::default(), &run).unwrap(), Dataset::new(single, Targets::None));
    let error = write_data(&path("a.xyz"), &Dataset::new(points, Targets::None), &run).unwrap_err();
    assert!(matches!(error, Error::Unsupported { .. }));
    assert!(!path("a.xyz").exists());
}

#[test]
fn labels_of_images_lie_beside_them() {
    let folder = Folder::new("beside");
    let images = [&[0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2][..], &[1, 2, 3, 4]].concat();
    let labels = [0, 0, 8, 1, 0, 0, 0, 2, 7, 9];
    let path = folder.0.join("t-images-idx3-ubyte");
    std::fs::write(&path, &images).unwrap();
    let notes = Notes::default();
    let run = Run { watch: &notes, ..Run::quiet(1) };
    assert_eq!(read(&path, &Reading::default(), &run).unwrap().targets, Targets::None);
    std::fs::write(folder.0.join("t-labels-idx1-ubyte"), labels).unwrap();
    let data = read(&path, &Reading::default(), &run).unwrap();
    assert_eq!(data.targets, Targets::Values(Values::new(vec![7.0, 9.0], "label")));
    assert!(notes.0.lock().unwrap().iter().any(|n| n.contains("labels are taken from")));
    let column = read_column(&folder.0.join("t-labels-idx1-ubyte"), &Reading::default(), &run).unwrap();
    assert_eq!(column, base::Cells::Number(vec![7.0, 9.0].into()));
    assert!(read_column(&path, &Reading::default(), &run).unwrap_err().to_string().contains("one value per row"));
    std::fs::write(folder.0.join("t-labels-idx1-ubyte"), [0, 0, 8, 1, 0, 0, 0, 1, 7]).unwrap();
    let error = read(&path, &Reading::default(), &run).unwrap_err().to_string();
    assert!(error.contains("t-labels-idx1-ubyte") && error.contains("expected 2, found 1"), "{error}");
}

#[test]
fn errors_name_the_file_and_what_would_be_right() {
    let run = Run::quiet(1);
    let says = |bytes: &[u8], format: Option<Format>| {
        let how = Reading { format, ..Default::default() };
        read_bytes("my file", bytes.to_vec(), &how, &run).unwrap_err().to_string()
    };
    let model = pellucid_files::model_bytes(&base::Record::new("a", 1)).unwrap();
    for (text, expected) in [
        (says(&model, None), "my file: is a model, expected data"),
        (says(b"\x00\x01\x02", None), "my file: is of an unknown format; say which (option: format FORMAT)"),
        (says(b"abc", Some(Format::Npy)), "my file: is not a NumPy array"),
        (says(b"abc", Some(Format::Npz)), "my file: is not a complete zip archive: it may be truncated"),
        (says(b"abc", Some(Format::Idx)), "my file: is not an IDX file"),
        (says(b"abc", Some(Format::Png)), "my file: is neither a PNG nor a JPEG image"),
        (says(b"abc", Some(Format::Folder)), "my file: is a file, expected a folder of images"),
    ] {
        assert_eq!(text, expected);
    }
    let folder = Folder::new("errors");
    let how = Reading { format: Some(Format::Npy), ..Default::default() };
    assert!(read(&folder.0, &how, &run).unwrap_err().to_string().contains("expected a file of format npy"));
    let error = read(&folder.0, &Reading::default(), &run).unwrap_err().to_string();
    assert!(error.contains("a folder without PNG or JPEG"), "{error}");
}

#[test]
fn memory_is_asked_for_before_it_is_used() {
    let rows = 100_000u32;
    let images = [&[0, 0, 8, 2][..], &rows.to_be_bytes(), &[0, 0, 0, 10], &vec![3; 1_000_000]].concat();
    // The bytes and four times as much for single precision.
    for (limit, fits) in [(5_000_100, true), (4_999_999, false), (999_999, false)] {
        let run = Run { memory: Memory::limited(limit), ..Run::quiet(1) };
        let read = read_bytes("x", images.clone(), &Reading::default(), &run);
        assert_eq!(read.is_ok(), fits, "{limit}");
        assert!(fits || matches!(read, Err(Error::Memory { .. })));
        assert!(run.memory.peak() <= limit);
        // Only the numbers are still held.
        assert_eq!(run.memory.used(), if fits { 4_000_000 } else { 0 });
    }
    let narrow = Reading { max_columns: 9, ..Default::default() };
    assert!(read_bytes("x", images, &narrow, &Run::quiet(1)).unwrap_err().to_string().contains("1 to 9"));
}

/// The test runs itself as a child that reads its standard input.
#[test]
fn standard_input_is_read_plain_and_packed() {
    use std::io::Write;
    const CHILD: &str = "PELLUCID_DOOR_CHILD";
    let input = std::path::Path::new("-");
    let run = Run { memory: Memory::limited(1 << 20), ..Run::quiet(1) };
    if let Ok(expected) = std::env::var(CHILD) {
        let found = match read(input, &Reading::default(), &run) {
            Ok(data) => format!("{} x {}", data.len(), data.inputs.columns()),
            Err(error) => error.to_string(),
        };
        assert!(found.contains(&expected), "{found:?} does not say {expected:?}");
        return;
    }
    let idx = [&[0, 0, 8, 2, 0, 0, 0, 3, 0, 0, 0, 2][..], &[1; 6]].concat();
    let gzip = |bytes: &[u8]| {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        out.write_all(bytes).unwrap();
        out.finish().unwrap()
    };
    for (bytes, expected) in [
        (idx.clone(), "3 x 2"),
        (gzip(&idx), "3 x 2"),
        (vec![], "standard input: is empty"),
        (vec![7; 2 << 20], "not enough memory for standard input in memory"),
    ] {
        let mut child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "standard_input_is_read_plain_and_packed"])
            .env(CHILD, expected)
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        // A child that has seen enough closes its end early.
        let _ = child.stdin.take().unwrap().write_all(&bytes);
        assert!(child.wait().unwrap().success(), "{expected}");
    }
}

#[test]
fn writing_asks_for_memory_too() {
    let folder = std::env::temp_dir().join(format!("pellucid-door-memory-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let data = Dataset::new(Points::dense(vec![1.5; 10_000], 1000, 10).unwrap(), Targets::None);
    let path = folder.join("x.csv");
    // The points are shared where they are dense already; the columns of the table are new.
    for (limit, fits) in [(79_999, false), (80_000, true)] {
        let run = Run { memory: Memory::limited(limit), ..Run::quiet(1) };
        let written = write_data(&path, &data, &run);
        assert_eq!(written.is_ok(), fits, "{limit}");
        assert!(fits || matches!(written, Err(Error::Memory { .. })));
        assert_eq!((run.memory.used(), path.exists()), (0, fits));
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
