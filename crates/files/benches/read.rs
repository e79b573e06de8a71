//! Reading and writing beside NumPy, in one run: `cargo bench -p pellucid-files --bench read`.
//!
//! Each line is the best of several runs of both on the same file, one thread each, the numbers in memory at the end
//! (mapped ones are summed, by both). `PELLUCID_PYTHON` names a Python with NumPy; without one only our side is shown.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark")]

use base::{Dataset, Inputs, Points, Record, Run, Targets};
use pellucid_files::{Reading, read, read_model, write_data, write_model};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

const TIMES: usize = 7;

fn best(mut work: impl FnMut() -> f64) -> f64 {
    let mut seconds = f64::INFINITY;
    for _ in 0..TIMES {
        let start = Instant::now();
        assert!(work().is_finite());
        seconds = seconds.min(start.elapsed().as_secs_f64());
    }
    seconds
}

/// Seconds that NumPy takes for `work`, given `path`; `before` prepares.
fn rival(path: &Path, before: &str, work: &str) -> Option<f64> {
    let python = std::env::var("PELLUCID_PYTHON").unwrap_or_else(|_| "python3".into());
    let program = format!(
        "import sys, time, gzip, numpy as np\npath = sys.argv[1]\n{before}\nbest = 1e9\nfor _ in range({TIMES}):\n    \
         t = time.perf_counter()\n    {work}\n    best = min(best, time.perf_counter() - t)\nprint(best)"
    );
    let threads = [("OMP_NUM_THREADS", "1"), ("OPENBLAS_NUM_THREADS", "1")];
    let output = Command::new(python).args(["-c", &program]).arg(path).envs(threads).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

fn show(name: &str, ours: f64, rival: Option<f64>) {
    match rival {
        Some(rival) => {
            println!("{name:<44} {:9.2} ms   NumPy {:9.2} ms   ratio {:.2}", 1e3 * ours, 1e3 * rival, rival / ours)
        }
        None => println!("{name:<44} {:9.2} ms   (no Python with NumPy)", 1e3 * ours),
    }
}

fn sum(data: &Dataset) -> f64 {
    let Inputs::Points(Points::Dense(points)) = &data.inputs else { return f64::NAN };
    match points.values() {
        base::Buffer::F32(v) => v.iter().map(|&x| f64::from(x)).sum(),
        base::Buffer::F64(v) => v.iter().sum(),
    }
}

fn main() {
    let (run, how) = (Run::quiet(1), Reading::default());
    let folder = std::env::temp_dir().join(format!("pellucid-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let last = |path: &Path| {
        let data = read(path, &how, &run).unwrap();
        let Inputs::Points(points) = &data.inputs else { return f64::NAN };
        points.len() as f64
    };

    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let images = shared.join("mnist/train-images-idx3-ubyte.gz");
    if images.exists() {
        let work = "np.frombuffer(gzip.open(path).read(), np.uint8, offset=16).astype(np.float32)";
        show("MNIST, gzipped IDX, to single precision", best(|| last(&images)), rival(&images, "", work));
        let archive = shared.join("usps/zip.train.npz");
        let work = "z = np.load(path); z['X_times_1000'].astype(np.float64); z['y'].astype(np.float64)";
        show("USPS, deflated NPZ", best(|| last(&archive)), rival(&archive, "", work));
    }

    let (rows, columns) = (4000, 4000);
    let points = Points::dense((0..rows * columns).map(|i| i as f64).collect::<Vec<_>>(), rows, columns).unwrap();
    let data = Dataset::new(points.clone(), Targets::None);
    let path = folder.join("a.npy");
    let ours = best(|| write_data(&path, &data, &run).map_or(f64::NAN, |()| 0.0));
    let save = "f = open(path, 'wb'); np.save(f, a); f.flush(); os.fsync(f.fileno()); f.close()";
    let make = "import os\na = np.arange(16e6).reshape(4000, 4000)\npath += '.peer.npy'";
    show("128 MB NPY, written and synced", ours, rival(&path, make, save));
    let work = "np.load(path, mmap_mode='r').sum()";
    show("128 MB NPY, mapped and summed", best(|| sum(&read(&path, &how, &run).unwrap())), rival(&path, "", work));

    let fortran: PathBuf = folder.join("f.npy");
    let mut bytes = std::fs::read(&path).unwrap();
    let at = bytes.windows(7).position(|w| w == b"False, ").unwrap();
    bytes[at..at + 7].copy_from_slice(b"True,  ");
    std::fs::write(&fortran, bytes).unwrap();
    let work = "np.ascontiguousarray(np.load(path))";
    show("128 MB NPY, Fortran order to rows", best(|| last(&fortran)), rival(&fortran, "", work));

    let Points::Dense(dense) = points else { return };
    let record = Record::new("bench", 1).with_array("x", &[rows, columns], dense.values().clone());
    let model = folder.join("m.pel");
    let ours = best(|| write_model(&model, &record, &run).map_or(f64::NAN, |()| 0.0));
    show("128 MB model, written and synced", ours, rival(&path, make, save));
    let ours = best(|| read_model(&model, &run).unwrap().array("x").unwrap().1.at(12_345_678));
    show("128 MB model, opened, one number read", ours, rival(&path, "", "np.load(path, mmap_mode='r')[3000, 5]"));
    std::fs::remove_dir_all(&folder).unwrap();
}
