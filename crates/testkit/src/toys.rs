//! Small data that every learner should get along with.

use base::{Cells, Classes, Column, Dataset, Inputs, Points, Seed, Sparse, Table, Targets, Values, normal};

/// `rows` points of `columns` coordinates on a coarse grid with many zeros, three clouds one after the other.
pub fn toy_points(rows: usize, columns: usize, seed: u64) -> Points {
    let mut stream = Seed(seed).fork("toy").stream();
    let mut values = Vec::with_capacity(rows * columns);
    for row in 0..rows {
        for column in 0..columns {
            let centre = if column % 3 == row % 3 { 3.0 } else { 0.0 };
            // Quarters are exact in single precision too, and the grid brings zeros and ties.
            let value = ((centre + normal(&mut stream)) * 4.0).round() / 4.0;
            values.push(if value.abs() < 0.5 { 0.0 } else { value });
        }
    }
    Points::dense(values, rows, columns).unwrap()
}

/// Three classes, one of them smaller than the others.
pub fn toy_classes(seed: u64) -> Dataset {
    let names = ["ant", "bee", "cat"];
    let rows: Vec<Option<&str>> = (0..75).map(|i| Some(names[i % 3])).filter(|n| n.is_some()).collect();
    let points = toy_points(75, 4, seed);
    let keep: Vec<usize> = (0..75).filter(|i| i % 3 != 2 || i % 2 == 0).collect();
    Dataset::new(points, Targets::Classes(Classes::from_names(&rows))).select(&keep).unwrap()
}

/// A table of rows around the origin, and behind them the given strange ones; eight columns, two that differ.
pub fn toy_anomalies(strange: &[[f64; 2]]) -> Dataset {
    let normal = (0..60).map(|i| [f64::from(i % 8), f64::from(i % 7)]);
    let rows: Vec<[f64; 2]> = normal.chain(strange.iter().copied()).collect();
    let column = |c: usize| Column {
        name: format!("x{c}"),
        cells: Cells::Number(rows.iter().map(|r| r[c % 2] + 10.0 * c as f64).collect::<Vec<_>>().into()),
    };
    Dataset::new(Table::new((0..8).map(column).collect()).unwrap(), Targets::None)
}

/// Rows of up to twelve words of `words`, half of them words of their class, frequent words more often; unit length.
pub fn toy_texts(seed: Seed, rows: usize, words: usize, classes: usize) -> Dataset {
    let (mut starts, mut ids, mut values) = (vec![0], vec![], vec![]);
    let codes: Vec<u32> = (0..rows).map(|i| (i % classes) as u32).collect();
    for (i, &class) in codes.iter().enumerate() {
        let word = |j: usize| {
            let own = if j.is_multiple_of(2) { seed.fork("topic").at(class as usize) } else { seed.at(i) };
            let u = own.at(j).unit();
            (u * u * words as f64) as u32
        };
        let found: std::collections::BTreeSet<u32> = (0..12).map(word).collect();
        values.extend(found.iter().map(|_| 1.0 / (found.len() as f64).sqrt()));
        ids.extend(found);
        starts.push(ids.len());
    }
    let names: Vec<String> = (0..classes).map(|c| format!("c{c}")).collect();
    let points = Points::Sparse(Sparse::new(starts, ids, values, words).unwrap());
    Dataset::new(points, Targets::Classes(Classes::new(codes, names).unwrap()))
}

/// A number that depends on the coordinates, with noise.
pub fn toy_values(seed: u64) -> Dataset {
    let points = toy_points(60, 4, seed);
    let mut stream = Seed(seed).fork("noise").stream();
    let mut x = [0.0; 4];
    let value = |i: usize| {
        points.write_row(i, &mut x);
        1.0 + 2.0 * x[0] - x[1] + 0.5 * x[2] + 0.1 * normal(&mut stream)
    };
    let values: Vec<f64> = (0..60).map(value).collect();
    Dataset::new(points.clone(), Targets::Values(Values::new(values, "y")))
}

/// The same data with sparse points.
pub fn as_sparse(data: &Dataset) -> Dataset {
    let Inputs::Points(points) = &data.inputs else { panic!("only points can be sparse") };
    let mut row = vec![0.0; points.columns()];
    let (mut starts, mut ids, mut values) = (vec![0], vec![], vec![]);
    for i in 0..points.len() {
        points.write_row(i, &mut row);
        for (id, &value) in row.iter().enumerate().filter(|(_, v)| **v != 0.0) {
            ids.push(id as u32);
            values.push(value);
        }
        starts.push(ids.len());
    }
    let sparse = Sparse::new(starts, ids, values, points.columns()).unwrap();
    Dataset { inputs: Inputs::Points(Points::Sparse(sparse)), ..data.clone() }
}
