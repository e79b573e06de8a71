//! Sparse rows of ARFF: `{3 1,17 2.5}`, attributes counted from 0 and ascending, all others 0.

use super::dense::weight;
use super::head::{Attribute, Head, Kind};
use super::lines;
use super::token::{blanks, word};
use crate::text::number;
use crate::text::source::{Source, shown};
use base::{Classes, Dataset, Error, Features, LabelSets, Points, Result, Run, Sparse, Targets};

/// Reads sparse rows from byte `start` on.
pub(crate) fn read(source: &Source<'_>, start: usize, head: &Head, run: &Run<'_>) -> Result<Dataset> {
    if let Some(text) = head.attributes.iter().find(|a| matches!(a.kind, Kind::Text | Kind::Date)) {
        let what = format!("the non-numeric attribute {:?}", text.name);
        return Err(Error::unsupported(what, "sparse ARFF rows", "write the rows densely"));
    }
    let class = class_of(head);
    let labels = head.labels.clone();
    let is_input = |id: usize| !labels.contains(&id) && class != Some(id);
    let inputs: Vec<&Attribute> =
        head.attributes.iter().enumerate().filter(|(i, _)| is_input(*i)).map(|(_, a)| a).collect();
    let mut rows = Rows { starts: vec![0], set_starts: vec![0], ..Default::default() };
    let mut hold = run.memory.take(0, "sparse rows")?;
    for (from, line) in lines(source, start) {
        // A pair takes four bytes of the line or more; vectors may have doubled.
        let entries = rows.ids.len() + rows.labels.len() + line.len() / 4 + 1;
        let need = 2 * (12 * entries + 32 * rows.starts.len()) as u64;
        if need > hold.bytes() {
            hold.resize(need, "sparse rows")?;
        }
        let wrong = |why: String| source.error(from, 0, why);
        let Some(mut rest) = line.strip_prefix(b"{") else {
            return Err(wrong("a row without braces among sparse rows".into()));
        };
        let mut previous = None;
        let mut class_code = 0;
        loop {
            rest = &rest[blanks(rest)..];
            if let Some(after) = rest.strip_prefix(b"}") {
                rest = after;
                break;
            }
            let Some((id, length)) = number::natural(rest).map(|(id, n)| (id as usize, n)) else {
                return Err(wrong(format!("{} is not an `attribute value` pair", shown(rest))));
            };
            let Some(attribute) = head.attributes.get(id) else {
                return Err(wrong(format!("attribute {id}, but there are only {}", head.attributes.len())));
            };
            if previous.is_some_and(|p| id <= p) {
                return Err(wrong(format!("attribute {id} comes after {}; they must ascend", previous.unwrap_or(0))));
            }
            previous = Some(id);
            rest = &rest[length..];
            rest = &rest[blanks(rest)..];
            let (cell, length) = word(rest, b",}").map_err(|why| wrong(why.into()))?;
            let value = value(&cell, attribute).map_err(wrong)?;
            if class == Some(id) {
                class_code = value as u32;
            } else if labels.contains(&id) {
                if value != 0.0 {
                    rows.labels.push((id - labels.start) as u32);
                }
            } else if value != 0.0 {
                rows.ids.push(if id < labels.start { id } else { id - labels.len() } as u32);
                rows.values.push(value);
            }
            rest = &rest[length..];
            rest = &rest[blanks(rest)..];
            rest = rest.strip_prefix(b",").unwrap_or(rest);
        }
        if let Some(weight) = weight(rest).map_err(wrong)? {
            rows.weights.resize(rows.starts.len() - 1, 1.0);
            rows.weights.push(weight);
        } else if !rows.weights.is_empty() {
            rows.weights.push(1.0);
        }
        rows.classes.push(class_code);
        rows.starts.push(rows.ids.len());
        rows.set_starts.push(rows.labels.len());
    }
    rows.dataset(head, class, &inputs)
}

#[derive(Default)]
struct Rows {
    starts: Vec<usize>,
    ids: Vec<u32>,
    values: Vec<f64>,
    set_starts: Vec<usize>,
    labels: Vec<u32>,
    classes: Vec<u32>,
    weights: Vec<f64>,
}

impl Rows {
    fn dataset(self, head: &Head, class: Option<usize>, inputs: &[&Attribute]) -> Result<Dataset> {
        let targets = match class.map(|id| &head.attributes[id].kind) {
            Some(Kind::Nominal(levels)) => Targets::Classes(Classes::new(self.classes, levels.clone())?),
            _ if head.labels.is_empty() => Targets::None,
            _ => {
                let names: Vec<String> = head.attributes[head.labels.clone()].iter().map(|a| a.name.clone()).collect();
                Targets::Sets(LabelSets::new(self.set_starts, self.labels, names, Vec::new())?)
            }
        };
        let points = Sparse::new(self.starts, self.ids, self.values, inputs.len())?;
        let mut data = Dataset::new(Points::Sparse(points), targets);
        data.features = Features::named(inputs.iter().map(|a| a.name.clone()).collect::<Vec<_>>());
        data.weights = (!self.weights.is_empty()).then(|| self.weights.into());
        Ok(data)
    }
}

/// The last attribute, if it is named as a class and has levels.
fn class_of(head: &Head) -> Option<usize> {
    let last = head.attributes.last()?;
    let named = ["class", "label", "target", "y"].iter().any(|n| last.name.eq_ignore_ascii_case(n));
    let nominal = matches!(&last.kind, Kind::Nominal(levels) if !levels.is_empty());
    (head.labels.is_empty() && named && nominal).then(|| head.attributes.len() - 1)
}

/// A value as a number.
fn value(cell: &[u8], attribute: &Attribute) -> std::result::Result<f64, String> {
    let finite = |cell: &[u8]| number::whole(cell, b'.').filter(|x| x.is_finite());
    match &attribute.kind {
        Kind::Nominal(levels) => {
            let place = levels.iter().position(|l| l.as_bytes() == cell);
            let place = place.ok_or_else(|| format!("{} is not a level of {:?}", shown(cell), attribute.name))?;
            let numbers = levels.first().is_some_and(|l| finite(l.as_bytes()) == Some(0.0))
                && levels.iter().all(|l| finite(l.as_bytes()).is_some());
            Ok(if numbers { finite(cell).unwrap_or(0.0) } else { place as f64 })
        }
        _ => finite(cell).ok_or_else(|| format!("{} is not a finite number ({:?})", shown(cell), attribute.name)),
    }
}
