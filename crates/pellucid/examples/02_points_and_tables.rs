//! Numbers as points, dense or sparse, and how a table becomes points.
//!
//! Learners see points: one row a point, all numbers. Dense points are stored row after row, and NaN is a gap; sparse
//! points store what is not 0. Both say the same, so a learner gives the same machine on either.
#![allow(clippy::print_stdout, reason = "an example speaks to its reader")]

use pellucid::{
    Cells, Column, Dataset, Features, Inputs, Learner, Memory, Points, Result, Run, Sparse, Table, Targets, prepare,
};

fn main() -> Result<()> {
    let dense = Points::from_rows(&[[0.0, 2.0, 0.0], [1.0, 0.0, 0.0]])?;
    // Row 0 has one number, in column 1; row 1 one in column 0.
    let sparse = Points::Sparse(Sparse::new(vec![0, 1, 2], vec![1, 0], vec![2.0, 1.0], 3)?);
    let memory = Memory::unlimited();
    assert_eq!(&dense.to_dense(&memory)?[..], &sparse.to_dense(&memory)?[..]);
    println!("{} numbers dense, {} stored sparse", dense.entries(), sparse.entries());

    // Sizes that do not fit are refused, never guessed.
    assert!(Points::dense(vec![1.0; 5], 2, 3).is_err());

    // A table has typed columns. A category has levels and may have gaps.
    let colours = [Some("red"), Some("blue"), None, Some("red")];
    let table = Table::new(vec![
        Column { name: "size".into(), cells: Cells::Number(vec![1.5, f64::NAN, 3.0, 4.0].into()) },
        Column { name: "colour".into(), cells: Cells::categories(colours.into_iter()) },
    ])?;
    let features = Features::of_table(&table);
    let data = Dataset { features, ..Dataset::new(Inputs::Table(table), Targets::None) };

    // The encoder is a learner like any other: it is fitted, and its machine treats new tables the same way.
    let run = Run::quiet(1);
    let encoder = prepare::Encode::default().fit(&data, None, &run)?.machine;
    let points = encoder.compute(&data.inputs, &run)?;
    println!("{:?}", encoder.outputs().names);
    for row in points.to_dense(&memory)?.chunks(points.columns()) {
        println!("{row:?}");
    }
    assert_eq!(encoder.outputs().names[..], ["size", "colour=blue", "colour=red", "colour=(missing)"]);
    assert_eq!(points.to_dense(&memory)?[4 * 3..], [4.0, 0.0, 1.0, 0.0]);
    Ok(())
}
