//! A model in a file: written whole, read with suspicion, the same bytes for the same work.
//!
//! A `Model` is a machine with how it came about: learner, settings, preparation, target, seed, certificate. The file
//! holds plain data in a safetensors container; there is no code in it.
#![allow(clippy::print_stdout, reason = "an example speaks to its reader")]

use pellucid::problems::{Problem, TwoMoons};
use pellucid::{Error, KNOWN, Learner, Model, Result, Run, Seed, Spec, Task, distance, files};

fn main() -> Result<()> {
    let run = Run { catalog: &KNOWN, ..Run::quiet(1) };
    let data = TwoMoons { rows: 60, ..Default::default() }.draw(Seed(2))?;
    let learner = distance::Knn::default();
    let fitted = learner.fit(&data, None, &run)?;
    let model = Model {
        data: "two moons".into(),
        rows: data.len(),
        target: Some("moon".into()),
        task: Task::of(&data.targets),
        seed: run.seed.0,
        ..Model::of(fitted, Spec::of(&learner))
    };

    let folder = std::env::temp_dir().join(format!("pellucid-example-{}", std::process::id()));
    let failed = |e: std::io::Error| Error::File { file: folder.display().to_string(), why: e.to_string() };
    std::fs::create_dir_all(&folder).map_err(failed)?;
    let path = folder.join("moons.pel");
    model.save(&path, &run)?;
    let back = Model::load(&path, &run)?;
    println!("{} on {} rows of {}", back.spec.name, back.rows, back.data);
    assert_eq!(back.record(), model.record());
    let scores = |m: &Model| m.machine.compute(&data.inputs, &run)?.to_dense(&run.memory);
    assert_eq!(&scores(&model)?[..], &scores(&back)?[..]);

    // Neighbours are training rows: the model says how many can be read out of it.
    assert_eq!(back.machine.support().map(|s| s.points), Some(60));

    // The same work gives the same bytes, whenever and on however many threads it is done.
    let bytes = files::model_bytes(&model.record())?;
    assert_eq!(std::fs::read(&path).map_err(failed)?, bytes);

    // A file that was cut off anywhere is refused, with a reason.
    for length in [0, 7, 100, bytes.len() / 2, bytes.len() - 1] {
        let cut = std::sync::Arc::new(bytes[..length].to_vec());
        let error = files::parse_model("cut.pel", cut, &run).expect_err("it is truncated");
        println!("{length:6} bytes: {error}");
    }
    std::fs::remove_dir_all(&folder).map_err(failed)
}
