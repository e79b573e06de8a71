//! Threads, interrupts, memory and half-written files.

use crate::{Folder, ok, pellucid, penguins, run};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A table of drawn numbers whose last column depends on the others.
pub fn drawn(rows: usize, columns: usize) -> String {
    let mut state = 1u64;
    let mut unit = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as f64 / (1u64 << 24) as f64
    };
    let names: Vec<String> = (0..columns).map(|c| format!("x{c}")).collect();
    let mut text = format!("{},y\n", names.join(","));
    for _ in 0..rows {
        let x: Vec<f64> = (0..columns).map(|_| unit()).collect();
        let class =
            ["a", "b", "c"][((3.0 * x.iter().sum::<f64>() / columns as f64 + 0.8 * (unit() - 0.5)) as usize).min(2)];
        let cells: Vec<String> = x.iter().map(|x| format!("{x:.4}")).collect();
        text += &format!("{},{class}\n", cells.join(","));
    }
    text
}

#[test]
fn models_are_equal_byte_for_byte() {
    let folder = Folder::new("bytes");
    let data = folder.write("d.csv", &drawn(3000, 7));
    for machine in ["knn", "nearest-mean", "logistic", "ridge", "linear-regression"] {
        let target = if machine == "ridge" || machine == "linear-regression" { "--target x3 --ignore y" } else { "" };
        let stored = |name: &str, threads: usize| {
            let path = folder.file(name);
            ok(&format!("fit {machine} {} {target} --threads {threads} -o {}", data.display(), path.display()));
            let predicted = ok(&format!("predict {} {} --threads {threads}", path.display(), data.display()));
            (std::fs::read(path).unwrap(), predicted)
        };
        let first = stored("a.pel", 1);
        assert_eq!(first, stored("b.pel", 4), "{machine}: threads change the file");
        assert_eq!(first, stored("c.pel", 1), "{machine}: two runs differ");
    }
}

pub fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status().unwrap().success());
}

/// Starts a fit that would take days and waits until it is under way.
fn long_fit(folder: &Folder, model: &std::path::Path) -> Child {
    let data = folder.write("long.csv", &drawn(2000, 10));
    let words = ["fit", "kmeans", "--ignore", "y", "--set", "k=30", "--set", "restarts=100000000", "-o"];
    let mut arguments: Vec<String> = words.map(String::from).to_vec();
    arguments.push(model.display().to_string());
    arguments.insert(2, data.display().to_string());
    let child = pellucid(&arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    child
}

#[test]
fn the_first_interrupt_keeps_the_best_so_far() {
    let folder = Folder::new("interrupt");
    let model = folder.file("m.pel");
    let mut child = long_fit(&folder, &model);
    assert!(child.try_wait().unwrap().is_none(), "the fit ended by itself");
    let begin = Instant::now();
    signal(&child, "INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(begin.elapsed() < Duration::from_secs(20), "hears the interrupt");
    let object: serde_json::Value = serde_json::from_str(&ok(&format!("inspect {} --json", model.display()))).unwrap();
    assert_eq!(object["certificate"]["interrupted"], true);
}

#[test]
fn a_killed_program_leaves_the_old_model_whole() {
    let folder = Folder::new("kill");
    let (data, model) = (folder.write("d.csv", &drawn(4000, 40)), folder.file("m.pel"));
    let fit = ["fit", "knn", &data.display().to_string(), "-o", &model.display().to_string(), "-q"].map(String::from);
    assert!(pellucid(&fit).stdout(Stdio::null()).status().unwrap().success());
    let whole = std::fs::read(&model).unwrap();
    for pause in 0..12 {
        let mut child = pellucid(&fit).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(3 * pause));
        let _ = child.kill();
        child.wait().unwrap();
        assert_eq!(std::fs::read(&model).unwrap(), whole, "killed after {} ms", 3 * pause);
    }
}

#[test]
fn a_full_disk_is_said_and_the_pipe_may_close() {
    let folder = Folder::new("full");
    let (data, model) = (penguins(), folder.file("m.pel"));
    ok(&format!("fit knn {} --target species -o {}", data.display(), model.display()));
    if testkit::need(std::path::Path::new("/dev/full").exists(), "/dev/full") {
        let output = run(&format!("fit knn {} --target species -o /dev/full", data.display()));
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("/dev/full"));
    }
    let rows = folder.write(
        "many.csv",
        &std::fs::read_to_string(&data).unwrap().lines().map(|l| format!("{l}\n")).collect::<String>(),
    );
    let arguments = ["predict", &model.display().to_string(), &rows.display().to_string()].map(String::from);
    let mut child = pellucid(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The largest resident size a child reached, in bytes, watched until it ends.
fn peak(mut child: Child) -> (u64, Option<i32>) {
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    loop {
        if let Ok(text) = std::fs::read_to_string(&status)
            && let Some(line) = text.lines().find(|l| l.starts_with("VmHWM:"))
            && let Some(kb) = line.split_whitespace().nth(1).and_then(|w| w.parse::<u64>().ok())
        {
            most = most.max(1024 * kb);
        }
        if let Some(done) = child.try_wait().unwrap() {
            return (most, done.code());
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn memory_stays_within_its_limit() {
    if !testkit::need(std::path::Path::new("/proc/self/status").exists(), "/proc") {
        return;
    }
    let folder = Folder::new("memory");
    let data = folder.write("d.csv", &drawn(60_000, 40));
    let model = folder.file("m.pel");
    let spawn = |words: &[&str]| pellucid(words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let (data, model) = (data.display().to_string(), model.display().to_string());
    for limit in [16u64, 64, 128, 256] {
        let memory = format!("{limit}M");
        let (most, code) = peak(spawn(&["fit", "logistic", &data, "--memory", &memory, "-o", &model]));
        assert!(matches!(code, Some(0 | 2)), "{limit} MB: {code:?}");
        // The program itself, before any data, takes some megabytes.
        let allowed = (limit << 20) / 10 * 12 + (8 << 20);
        assert!(most <= allowed, "limit {limit} MB, {} MB resident, code {code:?}", most >> 20);
    }
    // Streaming needs no more for a long file than its blocks.
    assert!(
        pellucid(&["fit", "logistic", &data, "-o", &model, "-q"]).stdout(Stdio::null()).status().unwrap().success()
    );
    let (most, code) = peak(spawn(&["predict", &model, &data, "--memory", "48M"]));
    assert_eq!(code, Some(0));
    assert!(most <= 66 << 20, "{} MB resident", most >> 20);
}
