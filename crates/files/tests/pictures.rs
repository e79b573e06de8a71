//! Pictures of every kind of pixel, folders of them, and stacks.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::type_complexity, reason = "a test speaks by panicking")]

use base::{Cells, Dataset, Inputs, Memory, Run, Shape, Watch};
use pellucid_files::{Reading, read};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

fn golden(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../golden/images").join(name)
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

fn only_image(data: &Dataset) -> &base::Image {
    let Inputs::Table(table) = &data.inputs else { panic!("no table") };
    let Cells::Image(images) = &table.column("image").unwrap().cells else { panic!("no image") };
    images[0].as_ref().unwrap()
}

#[test]
fn every_kind_of_pixel_is_read() {
    // The rule of golden/images/make.py.
    let value = |i: usize, channels: usize, c: usize| (16 * (i / channels / 4) + 4 * (i / channels % 4) + c) as f64;
    let table: [(&str, usize, &dyn Fn(usize) -> f64); 7] = [
        ("gray.png", 1, &|i| value(i, 1, 0)),
        ("gray_alpha.png", 4, &|i| value(i, 4, usize::from(i % 4 == 3))),
        ("rgb.png", 3, &|i| value(i, 3, i % 3)),
        ("rgba.png", 4, &|i| value(i, 4, i % 4)),
        ("gray16.png", 1, &|i| (257.0 * value(i, 1, 0) + 1.0) * 255.0 / 65535.0),
        ("bilevel.png", 1, &|i| if i % 2 == 0 { 255.0 } else { 0.0 }),
        ("palette.png", 3, &|i| match i % 3 {
            0 => value(i, 3, 0),
            1 => 255.0 - value(i, 3, 0),
            _ => 7.0,
        }),
    ];
    for (name, channels, expected) in table {
        let data = read(&golden(name), &Reading::default(), &Run::quiet(1)).unwrap();
        let image = only_image(&data);
        assert_eq!((image.height, image.width, image.channels), (3, 4, channels), "{name}");
        for i in 0..12 * channels {
            let (found, expected) = (image.values.at(i), expected(i));
            assert!((found - expected).abs() < 1e-4, "{name}: {found} for {expected} at {i}");
        }
    }
    for (name, channels, colour) in [("gray.jpg", 1, [100.0; 3]), ("rgb.jpg", 3, [200.0, 100.0, 50.0])] {
        let data = read(&golden(name), &Reading::default(), &Run::quiet(1)).unwrap();
        let image = only_image(&data);
        assert_eq!((image.height, image.width, image.channels), (16, 16, channels), "{name}");
        assert!((0..256 * channels).all(|i| (image.values.at(i) - colour[i % channels]).abs() <= 2.0), "{name}");
    }
}

#[test]
fn stacks_are_cut_and_said_aloud() {
    let notes = Notes::default();
    let run = Run { watch: &notes, ..Run::quiet(1) };
    let data = read(&golden("stack.png"), &Reading::default(), &run).unwrap();
    let points = data.points().unwrap();
    assert_eq!((points.len(), points.columns()), (10, 4));
    assert_eq!(data.features.shape(), Some(Shape::Image { height: 2, width: 2, channels: 1 }));
    let mut row = [0.0; 4];
    points.write_row(3, &mut row);
    assert_eq!(row, [60.0, 61.0, 70.0, 71.0]);
    assert!(notes.0.lock().unwrap()[0].contains("stack of 10 images of 2 x 2"));
    let five = Reading { stack: Some((5, 2)), ..Default::default() };
    assert_eq!(read(&golden("stack.png"), &five, &run).unwrap().len(), 4);
    for wrong in [(3, 2), (0, 2), (5, 1)] {
        assert!(read(&golden("stack.png"), &Reading { stack: Some(wrong), ..Default::default() }, &run).is_err());
    }
}

#[cfg(unix)]
#[test]
fn folders_become_tables() {
    let root = std::env::temp_dir().join(format!("pellucid-pictures-{}", std::process::id()));
    let outside = root.join("outside");
    let folder = root.join("data");
    for sub in ["b", "a/deep", ".hidden"] {
        std::fs::create_dir_all(folder.join(sub)).unwrap();
    }
    std::fs::create_dir_all(&outside).unwrap();
    let put = |from: &str, to: &Path| std::fs::copy(golden(from), to).unwrap();
    put("rgb.png", &folder.join("b/1.png"));
    put("gray.jpg", &folder.join("a/2.dat"));
    put("gray.png", &folder.join("a/deep/3.png"));
    put("gray.png", &folder.join(".hidden/4.png"));
    put("gray.png", &outside.join("5.png"));
    std::fs::write(folder.join("b/readme.txt"), "no picture").unwrap();
    std::os::unix::fs::symlink(outside.join("5.png"), folder.join("a/out.png")).unwrap();
    std::os::unix::fs::symlink(&outside, folder.join("a/outside")).unwrap();
    std::os::unix::fs::symlink("../b/1.png", folder.join("a/in.png")).unwrap();
    std::os::unix::fs::symlink(&folder, folder.join("a/loop")).unwrap();

    let notes = Notes::default();
    let run = Run { watch: &notes, ..Run::quiet(1) };
    let data = read(&folder, &Reading::default(), &run).unwrap();
    let Inputs::Table(table) = &data.inputs else { panic!() };
    let texts = |name: &str| {
        let cells = &table.column(name).unwrap().cells;
        (0..cells.len()).map(|i| cells.text(i).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(texts("file"), ["a/2.dat", "a/deep/3.png", "a/in.png", "b/1.png"]);
    assert_eq!(texts("class"), ["a", "a", "a", "b"]);
    assert_eq!(texts("image")[1..3], ["image 3x4x1", "image 3x4x3"]);
    assert_eq!(notes.0.lock().unwrap().len(), 1);
    assert!(notes.0.lock().unwrap()[0].contains("files that are not images were skipped (1): b/readme.txt"));

    std::fs::write(folder.join("b/2.png"), &std::fs::read(golden("rgb.png")).unwrap()[..50]).unwrap();
    let error = read(&folder, &Reading::default(), &run).unwrap_err().to_string();
    assert!(error.contains("data/b/2.png: is a corrupt image"), "{error}");
    let small = Run { memory: Memory::limited(100), ..Run::quiet(1) };
    assert!(matches!(read(&folder.join("a"), &Reading::default(), &small), Err(base::Error::Memory { .. })));
    std::fs::remove_dir_all(&root).unwrap();
}
