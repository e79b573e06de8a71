//! Inputs with what belongs to their rows: targets, weights, groups.

use crate::{Advice, Cells, Error, Features, Message, Place, Points, Result, Shared, Table, Targets};
use std::ops::Range;

/// What a machine takes: a table of typed columns, or points.
#[derive(Debug, Clone, PartialEq)]
pub enum Inputs {
    /// Typed columns; preparation makes points of them.
    Table(Table),
    /// Numbers.
    Points(Points),
}

/// Rows to learn from or to judge by.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    /// What goes in.
    pub inputs: Inputs,
    /// What should come out.
    pub targets: Targets,
    /// Names, kinds and shape of the inputs' columns.
    pub features: Features,
    /// How much each row counts; all 1 if absent.
    pub weights: Option<Shared<f64>>,
    /// Rows of one group stay together when data are split.
    pub groups: Option<Shared<u32>>,
    /// Whether the inputs come from a step that was fitted on these very rows. Such data may be learned from but not
    /// split any more: what is held out has already been seen.
    pub prepared: bool,
}

impl Inputs {
    /// How many rows.
    pub fn len(&self) -> usize {
        match self {
            Inputs::Table(t) => t.rows(),
            Inputs::Points(p) => p.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many columns.
    pub fn columns(&self) -> usize {
        match self {
            Inputs::Table(t) => t.columns().len(),
            Inputs::Points(p) => p.columns(),
        }
    }

    /// The points; a table is refused.
    pub fn points(&self) -> Result<&Points> {
        match self {
            Inputs::Points(points) => Ok(points),
            Inputs::Table(_) => Err(Error::size("inputs", "points", "a table")),
        }
    }

    /// The given rows, in that order.
    pub fn select(&self, rows: &[usize]) -> Result<Inputs> {
        Ok(match self {
            Inputs::Table(t) => Inputs::Table(t.select(rows)?),
            Inputs::Points(p) => Inputs::Points(p.select(rows)?),
        })
    }

    /// Rows `range`; points share their numbers, tables copy.
    pub fn slice(&self, range: Range<usize>) -> Result<Inputs> {
        match self {
            Inputs::Table(t) => {
                let end = range.end.min(t.rows());
                t.select(&(range.start.min(end)..end).collect::<Vec<_>>()).map(Inputs::Table)
            }
            Inputs::Points(p) => Ok(Inputs::Points(p.slice(range))),
        }
    }
}

impl From<Points> for Inputs {
    fn from(points: Points) -> Self {
        Inputs::Points(points)
    }
}

impl From<Table> for Inputs {
    fn from(table: Table) -> Self {
        Inputs::Table(table)
    }
}

impl Dataset {
    /// Inputs and targets, without names, weights or groups; tables keep their columns' names.
    pub fn new(inputs: impl Into<Inputs>, targets: Targets) -> Self {
        let inputs = inputs.into();
        let features = match &inputs {
            Inputs::Table(t) => Features::of_table(t),
            Inputs::Points(p) => Features::unnamed(p.columns()),
        };
        Dataset { inputs, targets, features, weights: None, groups: None, prepared: false }
    }

    /// How many rows.
    pub fn len(&self) -> usize {
        self.inputs.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How much row `i` counts: 1 where no weights are given.
    pub fn weight(&self, i: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |w| w[i])
    }

    /// The points, or an error that says how a table becomes points.
    pub fn points(&self) -> Result<&Points> {
        match &self.inputs {
            Inputs::Points(points) => Ok(points),
            Inputs::Table(_) => Err(Error::unsupported(
                "a table with typed columns",
                "a learner without preprocessing",
                Message::from("put a preparation before it").with(Advice::prepare("auto")),
            )),
        }
    }

    /// The given rows with all that belongs to them.
    pub fn select(&self, rows: &[usize]) -> Result<Dataset> {
        Ok(Dataset {
            inputs: self.inputs.select(rows)?,
            targets: self.targets.select(rows),
            features: self.features.clone(),
            weights: self.weights.as_ref().map(|w| rows.iter().map(|&r| w[r]).collect()),
            groups: self.groups.as_ref().map(|g| rows.iter().map(|&r| g[r]).collect()),
            prepared: self.prepared,
        })
    }

    /// The same rows with inputs that a step fitted on these very rows made of them.
    pub fn with_inputs(&self, inputs: impl Into<Inputs>, features: Features) -> Dataset {
        Dataset { inputs: inputs.into(), features, prepared: true, ..self.clone() }
    }

    /// Takes a column out of the table, for the caller to use as target, weights or groups.
    pub fn take_column(&mut self, name: &str) -> Result<Cells> {
        let Inputs::Table(table) = &mut self.inputs else {
            return Err(Error::data(Place::Column(name.into()), "points have no columns to take out"));
        };
        let Some(column) = table.remove(name) else {
            let known = || table.columns().iter().map(|c| c.name.as_str());
            let hint = match crate::error::nearest(name, known()) {
                Some(near) => format!("did you mean {near:?}?"),
                None => format!("the columns are {}", listing(known())),
            };
            return Err(Error::data(Place::Column(name.into()), format!("does not exist; {hint}")));
        };
        self.features = Features::of_table(table).written_as(self.features.written());
        Ok(column.cells)
    }

    /// Weights from a number column; negative ones and gaps are refused with their row.
    pub fn weights_of(name: &str, cells: &Cells) -> Result<Vec<f64>> {
        let Cells::Number(values) = cells else {
            let why = format!("is of type {}; weights must be numbers", cells.type_name());
            return Err(Error::data(Place::Column(name.into()), why));
        };
        check_weights(name, values)?;
        Ok(values.to_vec())
    }

    /// Groups from a column of any type, numbered by first appearance; a row without a value is a group of its own.
    pub fn groups_of(cells: &Cells) -> Vec<u32> {
        let mut seen = std::collections::HashMap::new();
        let mut next = 0u32;
        let mut fresh = || {
            next += 1;
            next - 1
        };
        (0..cells.len())
            .map(|row| match cells.text(row) {
                Some(text) => *seen.entry(text).or_insert_with(&mut fresh),
                None => fresh(),
            })
            .collect()
    }

    /// Makes sure that targets, weights, groups and features fit the rows and columns.
    pub fn check(&self) -> Result<()> {
        let rows = self.len();
        if let Some(found) = self.targets.rows().filter(|&n| n != rows) {
            return Err(Error::size("targets", rows, found));
        }
        if let Some(weights) = &self.weights {
            if weights.len() != rows {
                return Err(Error::size("weights", rows, weights.len()));
            }
            check_weights("weights", weights)?;
        }
        if let Some(groups) = self.groups.as_ref().filter(|g| g.len() != rows) {
            return Err(Error::size("groups", rows, groups.len()));
        }
        if self.features.count() != self.inputs.columns() {
            return Err(Error::size("names of columns", self.inputs.columns(), self.features.count()));
        }
        Ok(())
    }
}

/// Weights are finite and not negative.
fn check_weights(name: &str, weights: &[f64]) -> Result<()> {
    match weights.iter().position(|w| !(w.is_finite() && *w >= 0.0)) {
        Some(row) => {
            let place = Place::Cell { row, column: name.into() };
            let why = match weights[row].is_nan() {
                true => "is missing; a weight must be finite and at least 0".to_string(),
                false => format!("{} is not a weight: it must be finite and at least 0", weights[row]),
            };
            Err(Error::data(place, why))
        }
        None => Ok(()),
    }
}

/// Some names, and how many more there are.
pub(crate) fn listing<'a>(names: impl Iterator<Item = &'a str>) -> String {
    const SHOWN: usize = 12;
    let names: Vec<&str> = names.collect();
    let mut text = names[..names.len().min(SHOWN)].join(", ");
    if names.len() > SHOWN {
        text.push_str(&format!(" and {} more", names.len() - SHOWN));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Classes, Column};

    fn table() -> Dataset {
        let numbers = Column { name: "x".into(), cells: Cells::Number(vec![1.0, 2.0].into()) };
        let words = Column { name: "who".into(), cells: Cells::categories([Some("a"), None].into_iter()) };
        Dataset::new(Table::new(vec![numbers, words]).unwrap(), Targets::None)
    }

    #[test]
    fn d39_columns_can_be_taken_and_slips_are_guessed() {
        let mut data = table();
        let error = data.take_column("whom").unwrap_err().to_string();
        assert_eq!(error, "column \"whom\": does not exist; did you mean \"who\"?");
        let who = data.take_column("who").unwrap();
        assert_eq!(data.features.count(), 1);
        assert_eq!(Dataset::groups_of(&who), [0, 1]);
        assert!(Dataset::weights_of("who", &who).is_err());
        let wrong = |x: f64| Dataset::weights_of("w", &Cells::Number(vec![2.0, x].into())).unwrap_err().to_string();
        assert_eq!(wrong(-1.0), "row 2, column \"w\": -1 is not a weight: it must be finite and at least 0");
        assert!(wrong(f64::NAN).starts_with("row 2, column \"w\": is missing"));
    }

    #[test]
    fn everything_must_fit() {
        let data = table();
        assert!(data.check().is_ok());
        let classes = Targets::Classes(Classes::from_names(&[Some("a")]));
        assert!(Dataset { targets: classes, ..data.clone() }.check().is_err());
        assert!(Dataset { weights: Some(vec![1.0].into()), ..data.clone() }.check().is_err());
        assert!(Dataset { weights: Some(vec![1.0, f64::NAN].into()), ..data.clone() }.check().is_err());
        assert!(Dataset { groups: Some(vec![].into()), ..data.clone() }.check().is_err());
        assert!(Dataset { features: Features::unnamed(1), ..data }.check().is_err());
    }
}
