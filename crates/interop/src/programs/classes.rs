//! Classes as these programs number them, both ways.

use crate::Model;
use crate::onnx::pieces;
use base::{Classes, Dataset, Error, Machine, Result, Targets};
use std::collections::HashMap;
use std::sync::Arc;

/// Targets as classes in the order of these programs: by first appearance, but +1 before −1.
pub fn ordered_classes(data: &Dataset) -> Result<Targets> {
    let labels = labels(data)?;
    let (mut names, mut places) = (vec![], HashMap::new());
    for &label in &labels {
        places.entry(label).or_insert_with(|| {
            names.push(label);
            names.len() as u32 - 1
        });
    }
    if names == [-1, 1] {
        names = vec![1, -1];
        places = HashMap::from([(1, 0), (-1, 1)]);
    }
    let codes = labels.iter().map(|label| places.get(label).copied().unwrap_or(0)).collect();
    Ok(Targets::Classes(Classes::new(codes, names.iter().map(i32::to_string).collect::<Vec<_>>())?))
}

/// The labels of rows as whole numbers.
fn labels(data: &Dataset) -> Result<Vec<i32>> {
    let Targets::Values(values) = &data.targets else {
        return Err(Error::size("targets", "one number per row", data.targets.type_name()));
    };
    let label = |(row, &x): (usize, &f64)| match x.fract() == 0.0 && x.abs() <= f64::from(i32::MAX) {
        true => Ok(x as i32),
        false => {
            let place = base::Place::Cell { row, column: "label".into() };
            Err(Error::data(place, format!("{x} is not a class label: class labels are whole numbers")))
        }
    };
    values.values().iter().enumerate().map(label).collect()
}

/// Names of classes as these files have them, or their places.
pub fn whole_labels(names: &[String], notes: &mut Vec<String>) -> Vec<i32> {
    let mut labels: Vec<i32> = names.iter().map_while(|n| n.parse().ok()).collect();
    let mut distinct = labels.clone();
    distinct.sort_unstable();
    distinct.dedup();
    if distinct.len() != names.len() {
        labels = (0..).take(names.len()).collect();
        let list: Vec<String> = names.iter().zip(&labels).take(8).map(|(n, l)| format!("{l} = {n}")).collect();
        let more = if names.len() > list.len() { ", ..." } else { "" };
        notes.push(format!(
            "labels in these files are whole numbers, so classes are written as {}{more}",
            list.join(", ")
        ));
    }
    labels
}

/// The machines of a model without the encoding that only tables know, and what is said of it: files of other programs
/// hold no preparation.
pub fn bare(model: &Model) -> (Vec<Arc<dyn Machine>>, Vec<String>) {
    let mut machines = pieces(&model.machine);
    let mut notes = vec![];
    if machines[0].inputs().table().is_some() && machines.len() > 1 {
        let names = machines.remove(0).outputs().names.clone();
        let some: Vec<&str> = names.iter().take(8).map(String::as_str).collect();
        let more = if names.len() > some.len() { ", ..." } else { "" };
        notes.push(format!("the file takes the {} encoded columns: {}{more}", names.len(), some.join(", ")));
    }
    (machines, notes)
}
