//! A file in, typed columns out.
//!
//! `files::read` takes a path, tells the format by content and unpacks gzip; `files::read_bytes` does the same for bytes
//! that are in memory already, here the penguins that the library carries within. Whatever a reader decides by itself
//! (a header, a separator, a type) can be decided in `Reading` instead.
#![allow(clippy::print_stdout, reason = "an example speaks to its reader")]

use pellucid::{Cells, Inputs, PENGUINS, Result, Run, Target, Targets, Wanted, choose_target, files};

fn main() -> Result<()> {
    // Everything a computation may use besides its arguments is in its run: one thread, no limits, nobody looking.
    let run = Run::quiet(1);
    let how = files::Reading::default();
    let mut data = files::read_bytes("penguins.csv", PENGUINS.into(), &how, &run)?;

    // A CSV file becomes a table. Columns are numbers, categories, texts, dates, pictures or ids.
    let Inputs::Table(table) = &data.inputs else { unreachable!("CSV is a table") };
    for column in table.columns() {
        println!("{:18} {:9} {} missing", column.name, column.cells.type_name(), column.cells.missing());
    }
    assert_eq!((table.rows(), table.columns().len()), (344, 8));
    assert!(matches!(&table.columns()[0].cells, Cells::Category { levels, .. } if levels.len() == 3));

    // The target is taken out of the columns; a learner of classes wants classes.
    let name = choose_target(&mut data, &Target::Column("species".into()), Wanted::Classes(2), None, &run)?;
    let Targets::Classes(species) = &data.targets else { unreachable!("classes were asked for") };
    println!("target {name:?}: {:?} {:?}", species.names(), species.counts());
    assert_eq!(species.counts(), [152, 68, 124]);
    assert_eq!(data.inputs.columns(), 7);

    // A slip is answered with its place and what would be right.
    let spoiled = PENGUINS.replacen("Torgersen,39.1", "Torgersen,\"39.1", 1);
    let error = files::read_bytes("spoiled.csv", spoiled.into(), &how, &run).expect_err("the quote is never closed");
    println!("{error}");
    assert!(error.to_string().starts_with("spoiled.csv:2"));
    Ok(())
}
