//! Filling gaps: which one? Values are removed at random from complete tables and compared with what each method fills.
//!
//! Prints the root mean squared error in deviations of the column (the mean alone gives about 1), averaged over draws.
//! `cargo run --release --example 08_filling_gaps -- [SHARE] [FILES]`; without files the penguins are taken.
#![allow(clippy::print_stdout, reason = "an example speaks to its reader")]

use pellucid::{
    Dataset, Error, Inputs, KNOWN, Learner, PENGUINS, Place, Points, Result, Run, Seed, SpecPart, Targets, files,
    prepare, prepare_steps,
};

const METHODS: [&str; 9] = [
    "impute=mean",
    "impute=median",
    "impute=knn",
    "impute=knn:weighting=distance",
    "impute=hot-deck",
    "impute=regression",
    "impute=mice",
    "impute=mixture:k=1",
    "impute=mixture",
];
const DRAWS: u64 = 5;

fn main() -> Result<()> {
    let run = Run { catalog: &KNOWN, threads: 2, ..Run::quiet(1) };
    let mut arguments = std::env::args().skip(1).peekable();
    let share = arguments.peek().and_then(|a| a.parse().ok());
    if share.is_some() {
        arguments.next();
    }
    let share: f64 = share.unwrap_or(0.2);
    let how = files::Reading::default();
    let mut tables = vec![];
    for path in arguments {
        let name = path.rsplit('/').next().unwrap_or(&path).split('.').next().unwrap_or("").to_string();
        tables.push((name, files::read(std::path::Path::new(&path), &how, &run)?));
    }
    if tables.is_empty() {
        tables.push(("penguins".into(), files::read_bytes("penguins.csv", PENGUINS.into(), &how, &run)?));
    }
    println!("| data | rows x columns | {} |", METHODS.map(|m| format!("`{}`", &m[7..])).join(" | "));
    println!("|---|---|{}", "---|".repeat(METHODS.len()));
    for (name, data) in tables {
        let complete = numbers(&data, &run)?;
        let mut errors = vec![];
        for method in METHODS {
            let mut sum = 0.0;
            for seed in 0..DRAWS {
                sum += error(method, &complete, share, Seed(seed), &run)? / DRAWS as f64;
            }
            errors.push(sum);
        }
        let shown: Vec<String> = errors.iter().map(|e| format!("{e:.2}")).collect();
        println!("| {name} | {} x {} | {} |", complete.len(), complete.columns(), shown.join(" | "));
        // Whoever takes means over what the other columns tell beats the column's mean; draws carry noise of their own.
        assert!(name != "penguins" || [2, 5, 6, 7, 8].iter().all(|&m| errors[m] < 0.95 * errors[0]));
    }
    Ok(())
}

/// The columns of numbers that are not constant, over the rows without gaps, in standard units.
fn numbers(data: &Dataset, run: &Run<'_>) -> Result<Points> {
    let (data, _) = prepare::complete_rows(data)?;
    let Inputs::Table(table) = &data.inputs else { return data.points().cloned() };
    let columns: Vec<Vec<f64>> = table
        .columns()
        .iter()
        .filter(|c| c.name != "target")
        .filter_map(|c| match &c.cells {
            pellucid::Cells::Number(values) if values.iter().any(|x| *x != values[0]) => Some(values.to_vec()),
            _ => None,
        })
        .collect();
    let rows: Vec<Vec<f64>> = (0..table.rows()).map(|i| columns.iter().map(|c| c[i]).collect()).collect();
    let data = Dataset::new(Points::from_rows(&rows)?, Targets::None);
    prepare::Scale::default().fit(&data, None, run)?.machine.compute(&data.inputs, run)
}

/// The root mean squared error of one method where values were removed.
fn error(method: &str, complete: &Points, share: f64, seed: Seed, run: &Run<'_>) -> Result<f64> {
    let truth = complete.to_dense(&run.memory)?;
    let gone = |i: usize| seed.fork("gaps").at(i).unit() < share;
    let holed: Vec<f64> = truth.iter().enumerate().map(|(i, &x)| if gone(i) { f64::NAN } else { x }).collect();
    let data = Dataset::new(Points::dense(holed, complete.len(), complete.columns())?, Targets::None);
    let Some((_, SpecPart::Step(step))) = prepare_steps(method, &data, None)?.pop() else {
        return Err(Error::data(Place::Whole, "a method is a step with a machine of its own"));
    };
    let machine = step.fit(&data, None, run)?.machine;
    let filled = machine.compute(&data.inputs, run)?.to_dense(&run.memory)?;
    let squares: Vec<f64> = (0..truth.len()).filter(|&i| gone(i)).map(|i| (filled[i] - truth[i]).powi(2)).collect();
    Ok((squares.iter().sum::<f64>() / squares.len() as f64).sqrt())
}
