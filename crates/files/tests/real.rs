//! Real files of every format, with the counts of their manifest and sums computed by NumPy and Pillow.

#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use base::{Cells, Dataset, Inputs, Memory, Points, Run, Shape, Targets};
use pellucid_files::{Reading, read, read_column};
use std::path::Path;
use testkit::shared;

fn open(path: &Path) -> (Dataset, u64) {
    let run = Run { memory: Memory::limited(1 << 30), ..Run::quiet(1) };
    let data = read(path, &Reading::default(), &run).unwrap_or_else(|e| panic!("{e}"));
    data.check().unwrap();
    let peak = run.memory.peak();
    (data, peak)
}

/// Sum of all numbers; exact, since they are whole and the sum stays below 2^53.
fn sum(points: &Points) -> f64 {
    let Points::Dense(dense) = points else { panic!("not dense") };
    (0..dense.len()).map(|i| dense.row(i).iter().sum::<f64>()).sum()
}

fn values(data: &Dataset) -> &[f64] {
    let Targets::Values(values) = &data.targets else { panic!("no values") };
    values.values()
}

#[test]
fn mnist_and_fashion_mnist() {
    for (name, rows, pixels, first, labels) in [
        ("mnist/train", 60_000, 1_567_298_545.0, [5.0, 0.0, 4.0, 1.0, 9.0], 267_236.0),
        ("mnist/t10k", 10_000, 264_923_200.0, [7.0, 2.0, 1.0, 0.0, 4.0], 44_434.0),
        ("fashion_mnist/train", 60_000, 3_431_114_169.0, [9.0, 0.0, 0.0, 3.0, 0.0], 270_000.0),
        ("fashion_mnist/t10k", 10_000, 573_469_082.0, [9.0, 2.0, 1.0, 1.0, 6.0], 45_000.0),
    ] {
        let Some(path) = shared(&format!("{name}-images-idx3-ubyte.gz")) else { return };
        let (data, peak) = open(&path);
        assert_eq!((data.len(), data.inputs.columns()), (rows, 784), "{name}");
        assert_eq!(data.features.shape(), Some(Shape::Image { height: 28, width: 28, channels: 1 }));
        assert_eq!(sum(data.points().unwrap()), pixels, "{name}");
        assert_eq!((&values(&data)[..5], values(&data).iter().sum::<f64>()), (&first[..], labels), "{name}");
        // The unpacked file and single precision, and not much else.
        assert!(peak <= 5 * 784 * rows as u64 + (1 << 20), "{name}: {peak} bytes at once");
    }
}

#[test]
fn cifar10() {
    for (name, sums, pixel, counts) in [
        (
            "data_batch_1",
            [1_288_517_123.0, 1_262_189_222.0, 1_167_674_233.0],
            [62.0, 64.0, 64.0],
            [1005, 974, 1032, 1016, 999, 937, 1030, 1001, 1025, 981],
        ),
        ("test_batch", [1_290_492_328.0, 1_266_775_083.0, 1_176_108_223.0], [87.0, 93.0, 82.0], [1000; 10]),
    ] {
        let Some(path) = shared(&format!("cifar10/{name}.png")) else { return };
        let (data, _) = open(&path);
        assert_eq!((data.len(), data.inputs.columns()), (10_000, 3072));
        assert_eq!(data.features.shape(), Some(Shape::Image { height: 32, width: 32, channels: 3 }));
        let Inputs::Points(Points::Dense(points)) = &data.inputs else { panic!() };
        let mut found = [0.0; 3];
        for i in 0..points.len() {
            points.row(i).iter().enumerate().for_each(|(k, x)| found[k % 3] += x);
        }
        assert_eq!(found, sums);
        assert_eq!(points.row(7)[3 * (3 * 32 + 5)..][..3], pixel);
        let labels = shared(&format!("cifar10/{name}.labels.u8")).unwrap();
        let Cells::Number(labels) = read_column(&labels, &Reading::default(), &Run::quiet(1)).unwrap() else {
            panic!()
        };
        let mut histogram = [0; 10];
        labels.iter().for_each(|&y| histogram[y as usize] += 1);
        assert_eq!(histogram, counts);
    }
}

#[test]
fn usps_and_mvtec() {
    for (name, rows, sum_x, sum_y) in
        [("train", 7291, -916_521_717.0, 28_460.0), ("test", 2007, -238_801_158.0, 7728.0)]
    {
        let Some(path) = shared(&format!("usps/zip.{name}.npz")) else { return };
        let (data, _) = open(&path);
        assert_eq!((data.len(), data.inputs.columns()), (rows, 256));
        assert_eq!((sum(data.points().unwrap()), values(&data).iter().sum::<f64>()), (sum_x, sum_y));
    }
    for (name, rows, anomalies, total) in [
        ("carpet", 397, 89.0, 27_458.280_403_998_735),
        ("grid", 342, 57.0, 31_957.336_859_993_3),
        ("leather", 369, 92.0, 27_177.865_439_432_688),
        ("tile", 347, 84.0, 29_112.964_678_111_74),
        ("wood", 326, 60.0, 26_513.478_234_213_02),
    ] {
        let Some(path) = shared(&format!("mvtec_texture_resnet18/MVTec-AD_{name}.npz")) else { return };
        let (data, _) = open(&path);
        assert_eq!((data.len(), data.inputs.columns()), (rows, 512));
        assert_eq!(values(&data).iter().sum::<f64>(), anomalies);
        let found = sum(data.points().unwrap());
        assert!((found - total).abs() < 1e-6, "{name}: {found}");
    }
}

#[test]
fn faces_as_an_array_of_three_dimensions() {
    let Some(path) = shared("test_images_skimage/lfw_subset.npy") else { return };
    let (data, peak) = open(&path);
    assert_eq!((data.len(), data.inputs.columns()), (200, 625));
    assert_eq!(data.features.shape(), Some(Shape::Image { height: 25, width: 25, channels: 1 }));
    let found = sum(data.points().unwrap());
    assert!((found - 47_138.239_632_364_71).abs() < 1e-8, "{found}");
    let Inputs::Points(Points::Dense(points)) = &data.inputs else { panic!() };
    assert_eq!(points.row(3)[51], 0.156_862_750_649_451_9);
    // Mapped, not copied.
    assert_eq!(peak, std::fs::metadata(&path).unwrap().len());
}

#[test]
fn single_pictures() {
    for (name, height, width, channels, total) in [
        ("astronaut.png", 512, 512, 3, 90_124_324.0),
        ("brick.png", 512, 512, 1, 29_217_353.0),
        ("cell.png", 660, 550, 1, 24_669_746.0),
        ("coins.png", 303, 384, 1, 11_269_333.0),
        ("horse.png", 328, 400, 4, 100_630_888.0),
        ("text.png", 172, 448, 1, 9_960_413.0),
        ("hubble_deep_field.jpg", 872, 1000, 3, 50_108_051.0),
        ("retina.jpg", 1411, 1411, 3, 535_744_832.0),
        ("rocket.jpg", 427, 640, 3, 53_516_744.0),
    ] {
        let Some(path) = shared(&format!("test_images_skimage/{name}")) else { return };
        let (data, _) = open(&path);
        let Inputs::Table(table) = &data.inputs else { panic!("{name} is no table") };
        let Cells::Image(images) = &table.columns()[0].cells else { panic!() };
        let image = images[0].as_ref().unwrap();
        assert_eq!((image.height, image.width, image.channels), (height, width, channels), "{name}");
        let found: f64 = image.values.get(0..image.values.len()).iter().sum();
        // PNG is exact; two decoders of JPEG may round a pixel differently.
        let tolerance = if name.ends_with("png") { 0.0 } else { 0.002 * total };
        assert!((found - total).abs() <= tolerance, "{name}: {found}");
    }
}

#[test]
fn folders_of_pictures() {
    for (name, pictures) in [("imagenet_samples", 40), ("textures_dtd_sample", 40), ("test_images_skimage", 17)] {
        let Some(path) = shared(name) else { return };
        let (data, _) = open(&path);
        let Inputs::Table(table) = &data.inputs else { panic!() };
        assert_eq!((table.rows(), table.columns().len()), (pictures, 2), "{name}");
        assert_eq!((table.columns()[0].name.as_str(), table.columns()[1].name.as_str()), ("image", "file"));
    }
}

/// What the system counts stays near what we count; in a process of its own, since the peak is one for all threads.
#[cfg(target_os = "linux")]
#[test]
fn peak_memory_is_what_was_counted() {
    const CHILD: &str = "PELLUCID_REAL_CHILD";
    let Some(path) = shared("mnist/train-images-idx3-ubyte.gz") else { return };
    let peak = || {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|l| l.starts_with("VmHWM:")).unwrap();
        1024 * line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()
    };
    if std::env::var_os(CHILD).is_some() {
        let before = peak();
        let (data, counted) = open(&path);
        let used = peak() - before;
        assert!(used as f64 <= 1.2 * counted as f64, "{used} bytes used, {counted} counted");
        assert!(counted as f64 <= 1.2 * used as f64, "{used} bytes used, {counted} counted");
        assert_eq!(data.len(), 60_000);
        return;
    }
    let status = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "peak_memory_is_what_was_counted"])
        .env(CHILD, "1")
        .stdout(std::process::Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
}
