//! Augmentation on real pictures: digits moved by a pixel are still the same digits.

#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use pellucid::evaluate::judge;
use pellucid::{Catalog, Dataset, KNOWN, Prediction, Run, Target, Wanted, choose_target, files, prepared};

/// The first `rows` digits of a file of MNIST, or none if it is not there.
fn digits(name: &str, rows: usize, run: &Run<'_>) -> Option<Dataset> {
    let path = testkit::shared(&format!("mnist/{name}"))?;
    let mut data = files::read(&path, &files::Reading::default(), run).unwrap();
    choose_target(&mut data, &Target::Auto, Wanted::Classes(2), None, run).unwrap();
    Some(data.select(&(0..rows).collect::<Vec<_>>()).unwrap())
}

#[test]
fn shifted_digits_help_the_nearest_neighbour() {
    let run = Run { catalog: &KNOWN, threads: 0, ..Run::quiet(1) };
    let Some(train) = digits("train-images-idx3-ubyte.gz", 1000, &run) else { return };
    let Some(test) = digits("t10k-images-idx3-ubyte.gz", 2000, &run) else { return };
    let accuracy = |steps: &str| {
        let mut knn = KNOWN.learner("knn").unwrap();
        knn.set_text("k", "1").unwrap();
        let (_, learner) = prepared(steps, &train, knn).unwrap();
        let machine = learner.fit(&train, None, &run).unwrap().machine;
        judge(&Prediction::of(&*machine, &test.inputs, &run).unwrap(), &test, &run).unwrap().get("accuracy").unwrap()
    };
    let (plain, shifted, turned) = (accuracy("none"), accuracy("shift:copies=8"), accuracy("rotate=12:copies=3"));
    println!("nearest neighbour: {plain}, shifted {shifted}, turned {turned}");
    assert!(shifted > plain + 0.01 && turned > plain, "{plain} {shifted} {turned}");
}
