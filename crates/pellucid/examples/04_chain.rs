//! Preparation and machine in one: learners in a pipeline, machines in a chain.
//!
//! A pipeline fits each step on what the one before makes of the data. The chain that results takes a table, so new
//! data meet exactly the treatment of the training data: the same levels, the same means, the same scales.
#![allow(clippy::print_stdout, reason = "an example speaks to its reader")]

use pellucid::{
    Catalog, Inputs, KNOWN, PENGUINS, Prediction, Result, Run, Spec, Table, Target, Wanted, choose_target, files,
    prepared,
};

fn main() -> Result<()> {
    let run = Run { catalog: &KNOWN, ..Run::quiet(1) };
    let how = files::Reading::default();
    let mut data = files::read_bytes("penguins.csv", PENGUINS.into(), &how, &run)?;
    choose_target(&mut data, &Target::Column("species".into()), Wanted::Classes(2), None, &run)?;

    // The steps as they are written on the command line; a table is always encoded first.
    let (steps, pipeline) = prepared("impute=mean,scale", &data, KNOWN.learner("logistic")?)?;
    let words: Vec<String> = steps.iter().map(Spec::to_string).collect();
    println!("{}", words.join(", "));
    assert_eq!(words, ["one-hot", "impute=mean", "scale"]);
    let fitted = pipeline.fit(&data, None, &run)?;
    println!("{:?}", fitted.certificate.warnings);

    // New data: other order of columns, one more of them, a gap. Columns are matched by name.
    let text = "note,year,sex,body_mass_g,flipper_length_mm,bill_depth_mm,bill_length_mm,island\n\
                tagged,2009,male,,222,15.9,50,Biscoe\n";
    let new = files::read_bytes("new.csv", text.into(), &how, &run)?;
    let prediction = Prediction::of(&*fitted.machine, &new.inputs, &run)?;
    let class = prediction.classes(&run)?[0] as usize;
    println!("{} ({:?})", prediction.outputs.names[class], prediction.probabilities(&run)?.unwrap_or_default());
    assert_eq!(prediction.outputs.names[class], "Gentoo");

    // A level that training has never seen is refused with its row, its column and the way out.
    let strange = files::read_bytes("new.csv", text.replace("Biscoe", "Anvers").into(), &how, &run)?;
    let error = fitted.machine.compute(&strange.inputs, &run).expect_err("nobody knows Anvers");
    println!("{error}");
    assert!(error.to_string().starts_with("row 1, column \"island\""));

    // So is a table that lacks a column.
    let Inputs::Table(table) = &new.inputs else { unreachable!("CSV is a table") };
    let fewer = Table::new(table.columns().iter().filter(|c| c.name != "sex").cloned().collect())?;
    assert!(fitted.machine.compute(&Inputs::Table(fewer), &run).is_err_and(|e| e.to_string().contains("sex")));
    Ok(())
}
