//! Work that listens: time, interrupts and checkpoints as a person meets them.

use crate::limits::{drawn, signal};
use crate::{Folder, fails, ok, pellucid, run};
use std::process::Stdio;
use std::time::{Duration, Instant};

#[test]
fn d11_work_without_a_partial_result_says_that_nothing_is_kept() {
    let folder = Folder::new("unheard");
    let (data, model) = (folder.write("d.csv", &drawn(30_000, 12)), folder.file("m.pel"));
    let begin = Instant::now();
    let error = fails(&format!("fit kde {} --time 1s -o {}", data.display(), model.display()));
    assert!(error.contains("stopped before kde was finished: nothing was fitted"), "{error}");
    assert!(begin.elapsed() < Duration::from_secs(30), "took {:?}", begin.elapsed());
    assert!(!model.exists(), "nothing is written");
    // The same for the first interrupt.
    let words: Vec<String> = ["fit", "kde", &data.display().to_string(), "-q"].map(String::from).to_vec();
    let child = pellucid(&words).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    let begin = Instant::now();
    signal(&child, "INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert!(String::from_utf8_lossy(&output.stderr).contains("nothing was fitted"));
    assert!(begin.elapsed() < Duration::from_secs(20), "hears the interrupt");
}

#[test]
fn d29_a_stopped_fit_leaves_a_checkpoint_to_go_on_from() {
    let folder = Folder::new("checkpoint");
    let (data, kept) = (folder.write("d.csv", &drawn(3000, 10)), folder.file("c.pel"));
    for (machine, long) in [("mlp", "--set epochs=1000000 --set patience=0"), ("logistic", "--set tolerance=1e-14")] {
        let _ = std::fs::remove_file(&kept);
        let time = if machine == "logistic" { "0s" } else { "2s" };
        let line = format!("fit {machine} {} {long} --time {time} --checkpoint {}", data.display(), kept.display());
        let output = run(&line);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && kept.exists(), "{machine}: {text}");
        assert!(text.contains("continue with --resume"), "{machine}: {text}");
        let again = format!("fit {machine} {} --time 1s --resume {}", data.display(), kept.display());
        let more = if machine == "mlp" { "--set epochs=1000000" } else { "" };
        ok(&format!("{again} {more}"));
    }
}

#[test]
fn d12_machines_that_keep_no_checkpoints_say_so() {
    let folder = Folder::new("no-checkpoint");
    let (data, kept) = (folder.write("d.csv", &drawn(50, 3)), folder.file("c.pel"));
    for machine in ["knn", "forest", "svc"] {
        let error = fails(&format!("fit {machine} {} --checkpoint {}", data.display(), kept.display()));
        assert!(error.contains(&format!("{machine} writes no checkpoints; mlp, cnn")), "{error}");
        assert!(!kept.exists());
    }
}
