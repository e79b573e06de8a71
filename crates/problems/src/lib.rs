//! Synthetic problems of the literature, with fixed default parameters and seeds.
//!
//! A problem is a struct of described settings; [`PROBLEMS`] lists them by name.

mod checkerboard;
mod clouds;
mod hastie;
mod lshtc;
mod moons;
mod rings;
mod student;
mod xor;

pub use checkerboard::Checkerboard;
pub use clouds::Clouds;
pub use hastie::Hastie;
pub use lshtc::{Lshtc, Part};
pub use moons::TwoMoons;
pub use rings::Rings;
pub use student::StudentTeacher;
pub use xor::Xor;

use base::{Classes, Dataset, Error, Features, Points, Result, Run, Seed, Settings, Targets, nearest};

/// A source of data whose truth is known.
pub trait Problem: Settings {
    /// Draws the data.
    fn draw(&self, seed: Seed) -> Result<Dataset>;

    /// The same rows block by block, of problems that may be larger than memory; none where all are drawn at once.
    fn blocks<'a>(&'a self, _seed: Seed, _run: &'a Run<'_>) -> Result<Option<Blocks<'a>>> {
        Ok(None)
    }
}

/// The rows of a problem, block by block.
pub type Blocks<'a> = Box<dyn Iterator<Item = Result<Dataset>> + 'a>;

/// A problem by name.
pub struct ProblemEntry {
    /// The name on the command line.
    pub name: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    /// Makes it with its default settings.
    pub make: fn() -> Box<dyn Problem>,
}

/// All problems.
pub const PROBLEMS: &[ProblemEntry] = &[
    ProblemEntry { name: "two-moons", summary: "two interleaved half circles", make: || Box::new(TwoMoons::default()) },
    ProblemEntry { name: "rings", summary: "concentric circles", make: || Box::new(Rings::default()) },
    ProblemEntry { name: "xor", summary: "classes by the sign of a product", make: || Box::new(Xor::default()) },
    ProblemEntry { name: "clouds", summary: "one Gaussian cloud per class", make: || Box::new(Clouds::default()) },
    ProblemEntry {
        name: "checkerboard",
        summary: "two classes on a checkerboard",
        make: || Box::new(Checkerboard::default()),
    },
    ProblemEntry {
        name: "hastie",
        summary: "inside or outside a sphere of ten dimensions",
        make: || Box::new(Hastie::default()),
    },
    ProblemEntry {
        name: "student-teacher",
        summary: "random points labelled by a random perceptron",
        make: || Box::new(StudentTeacher::default()),
    },
    ProblemEntry {
        name: "lshtc",
        summary: "documents of thousands of classes in a hierarchy, sparse",
        make: || Box::new(Lshtc::default()),
    },
];

/// The problem of that name, with its default settings.
pub fn problem(name: &str) -> Result<Box<dyn Problem>> {
    let found = PROBLEMS.iter().find(|e| e.name == name).map(|e| (e.make)());
    found.ok_or_else(|| {
        let names: Vec<&str> = PROBLEMS.iter().map(|e| e.name).collect();
        let hint = nearest(name, names.iter().copied()).map_or(String::new(), |n| format!("; did you mean {n}?"));
        Error::parameter("problem", name, format!("the problems are {}{hint}", names.join(", ")))
    })
}

/// Points of two classes (or more) with names for columns and classes.
fn classified(values: Vec<f64>, columns: usize, codes: Vec<u32>, names: &[&str]) -> Result<Dataset> {
    let rows = codes.len();
    let classes = Classes::new(codes, names.iter().map(|n| n.to_string()).collect::<Vec<_>>())?;
    let label = |c: usize| match columns {
        2 => ["x", "y"][c].to_string(),
        _ => format!("x{c}"),
    };
    let features = Features::named((0..columns).map(label).collect::<Vec<_>>());
    Ok(Dataset { features, ..Dataset::new(Points::dense(values, rows, columns)?, Targets::Classes(classes)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The points of some data, row by row.
    pub fn rows(data: &Dataset) -> Vec<Vec<f64>> {
        let points = data.points().unwrap();
        let mut x = vec![0.0; points.columns()];
        (0..points.len())
            .map(|i| {
                points.write_row(i, &mut x);
                x.clone()
            })
            .collect()
    }

    #[test]
    fn problems_are_functions_of_settings_and_seed() {
        for entry in PROBLEMS {
            let problem = (entry.make)();
            problem.check_settings().unwrap();
            let data = problem.draw(Seed(1)).unwrap();
            data.check().unwrap();
            assert_eq!(data, problem.draw(Seed(1)).unwrap(), "{}", entry.name);
            assert_ne!(data, problem.draw(Seed(2)).unwrap(), "{}", entry.name);
            let Targets::Classes(classes) = &data.targets else { panic!("{}", entry.name) };
            // Documents have thousands of classes, most of them with few rows.
            let least = if entry.name == "lshtc" { 0 } else { data.len() / 20 };
            assert!(classes.counts().iter().all(|&n| n > least), "{}: a class is nearly empty", entry.name);
            for rows in [0usize, 1, 2, 7] {
                let mut small = (entry.make)();
                small.set_text("rows", &rows.to_string()).unwrap();
                assert_eq!(small.draw(Seed(1)).unwrap().len(), rows, "{}", entry.name);
            }
        }
        assert!(problem("two-moon").err().is_some_and(|e| e.to_string().contains("did you mean two-moons?")));
    }
}
