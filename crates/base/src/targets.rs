//! What a learner is to predict: classes, values or sets of labels, each possibly unknown for some rows.

use crate::{Cells, Error, Place, Result, Shared, UNKNOWN, number_text};
use std::sync::Arc;

/// What is to be predicted, row by row.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Targets {
    /// Nothing.
    #[default]
    None,
    /// One class a row.
    Classes(Classes),
    /// One or several numbers a row.
    Values(Values),
    /// Any number of labels a row.
    Sets(LabelSets),
}

/// One class a row; the code [`UNKNOWN`] is not known.
///
/// Of two classes one may be marked as the positive one: the one that precision, recall and the like speak of.
#[derive(Debug, Clone, PartialEq)]
pub struct Classes {
    codes: Shared<u32>,
    names: Arc<[String]>,
    positive: Option<u32>,
}

/// Numbers a row; NaN is not known.
#[derive(Debug, Clone, PartialEq)]
pub struct Values {
    values: Shared<f64>,
    names: Arc<[String]>,
}

/// Labels a row, in compressed rows; a row may be unknown, which differs from having no label.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelSets {
    starts: Shared<usize>,
    labels: Shared<u32>,
    names: Arc<[String]>,
    unknown: Vec<usize>,
}

impl Classes {
    /// Codes that point into the names; [`UNKNOWN`] is admitted.
    pub fn new(codes: Vec<u32>, names: impl Into<Arc<[String]>>) -> Result<Self> {
        let names = names.into();
        match codes.iter().position(|&c| c != UNKNOWN && c as usize >= names.len()) {
            Some(row) => {
                Err(Error::size(format!("class code of row {row}"), format!("below {}", names.len()), codes[row]))
            }
            None => Ok(Classes { codes: codes.into(), names, positive: None }),
        }
    }

    /// Classes from their names; they are sorted, numbers by value.
    pub fn from_names<S: AsRef<str>>(rows: &[Option<S>]) -> Self {
        let mut names: Vec<String> = rows.iter().flatten().map(|s| s.as_ref().to_string()).collect();
        names.sort_unstable();
        names.dedup();
        sort_names(&mut names);
        let order: std::collections::HashMap<&str, u32> =
            names.iter().enumerate().map(|(i, n)| (n.as_str(), i as u32)).collect();
        let codes: Vec<u32> = rows.iter().map(|r| r.as_ref().map_or(UNKNOWN, |s| order[s.as_ref()])).collect();
        drop(order);
        Classes { codes: codes.into(), names: names.into(), positive: None }
    }

    /// Code of each row.
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// The classes' names.
    pub fn names(&self) -> &Arc<[String]> {
        &self.names
    }

    /// The class of row `i`, if known.
    pub fn get(&self, i: usize) -> Option<usize> {
        self.codes.get(i).filter(|&&c| c != UNKNOWN).map(|&c| c as usize)
    }

    /// How many rows each class has.
    pub fn counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.names.len()];
        self.codes.iter().filter(|&&c| c != UNKNOWN).for_each(|&c| counts[c as usize] += 1);
        counts
    }

    /// The same with that class as the positive one.
    pub fn with_positive(mut self, name: &str) -> Result<Self> {
        let Some(code) = self.names.iter().position(|n| n == name) else {
            let near = crate::nearest(name, self.names.iter().map(String::as_str));
            let hint = near.map_or(String::new(), |n| format!("; did you mean {n}?"));
            let some: Vec<&str> = self.names.iter().take(10).map(String::as_str).collect();
            return Err(Error::parameter("positive", name, format!("the classes are {}{hint}", some.join(", "))));
        };
        self.positive = Some(code as u32);
        Ok(self)
    }

    /// The same with its positive class marked, so that parts of the rows mean the same one.
    pub fn with_positive_kept(mut self) -> Self {
        self.positive = self.positive().map(|code| code as u32);
        self
    }

    /// The positive class: the one marked; else, of two, the one with fewer rows, the second of equals.
    pub fn positive(&self) -> Option<usize> {
        match (self.positive, &self.counts()[..]) {
            (Some(code), _) => Some(code as usize),
            (None, [a, b]) => Some(usize::from(b <= a)),
            _ => None,
        }
    }
}

impl Values {
    /// One number a row.
    pub fn new(values: Vec<f64>, name: impl Into<String>) -> Self {
        Values { values: values.into(), names: vec![name.into()].into() }
    }

    /// Several numbers a row, row after row.
    pub fn several(values: Vec<f64>, names: impl Into<Arc<[String]>>) -> Result<Self> {
        let names = names.into();
        match !names.is_empty() && values.len().is_multiple_of(names.len()) {
            true => Ok(Values { values: values.into(), names }),
            false => Err(Error::size("target values", format!("a multiple of {}", names.len()), values.len())),
        }
    }

    /// All numbers, row after row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The columns' names.
    pub fn names(&self) -> &Arc<[String]> {
        &self.names
    }

    /// Numbers of a row.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.names.len()..(i + 1) * self.names.len()]
    }
}

impl LabelSets {
    /// Row i has the labels `labels[starts[i]..starts[i + 1]]`; rows in `unknown` are not known.
    pub fn new(
        starts: Vec<usize>,
        labels: Vec<u32>,
        names: impl Into<Arc<[String]>>,
        mut unknown: Vec<usize>,
    ) -> Result<Self> {
        let names = names.into();
        let rows = starts.len().wrapping_sub(1);
        let fits = starts.windows(2).all(|w| w[0] <= w[1])
            && starts.last() == Some(&labels.len())
            && labels.iter().all(|&l| (l as usize) < names.len())
            && unknown.iter().all(|&r| r < rows);
        unknown.sort_unstable();
        match fits {
            true => Ok(LabelSets { starts: starts.into(), labels: labels.into(), names, unknown }),
            false => Err(Error::data(Place::Whole, format!("label sets do not fit their {} names", names.len()))),
        }
    }

    /// The labels of row `i`, if known.
    pub fn get(&self, i: usize) -> Option<&[u32]> {
        let known = i < self.len() && self.unknown.binary_search(&i).is_err();
        known.then(|| &self.labels[self.starts[i]..self.starts[i + 1]])
    }

    /// How many rows.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many labels there are on all rows together.
    pub fn entries(&self) -> usize {
        self.labels.len()
    }

    /// The labels' names.
    pub fn names(&self) -> &Arc<[String]> {
        &self.names
    }
}

impl Targets {
    /// How many rows; `None` where there are no targets.
    pub fn rows(&self) -> Option<usize> {
        match self {
            Targets::None => None,
            Targets::Classes(c) => Some(c.codes.len()),
            Targets::Values(v) => Some(v.values.len() / v.names.len()),
            Targets::Sets(s) => Some(s.len()),
        }
    }

    /// Whether the target of row `i` is known.
    pub fn known(&self, i: usize) -> bool {
        match self {
            Targets::None => false,
            Targets::Classes(c) => c.get(i).is_some(),
            Targets::Values(v) => v.row(i).iter().all(|x| !x.is_nan()),
            Targets::Sets(s) => s.get(i).is_some(),
        }
    }

    /// What these are, in a word or two.
    pub fn type_name(&self) -> &'static str {
        match self {
            Targets::None => "no targets",
            Targets::Classes(_) => "classes",
            Targets::Values(_) => "values",
            Targets::Sets(_) => "label sets",
        }
    }

    /// The given rows, in that order.
    pub fn select(&self, rows: &[usize]) -> Targets {
        match self {
            Targets::None => Targets::None,
            Targets::Classes(c) => {
                let codes = rows.iter().map(|&r| c.codes[r]).collect();
                Targets::Classes(Classes { codes, names: c.names.clone(), positive: c.positive })
            }
            Targets::Values(v) => {
                let values = rows.iter().flat_map(|&r| v.row(r)).copied().collect();
                Targets::Values(Values { values, names: v.names.clone() })
            }
            Targets::Sets(s) => {
                let (mut starts, mut labels, mut unknown) = (vec![0], vec![], vec![]);
                for (i, &r) in rows.iter().enumerate() {
                    match s.get(r) {
                        Some(of_row) => labels.extend_from_slice(of_row),
                        None => unknown.push(i),
                    }
                    starts.push(labels.len());
                }
                let (starts, labels) = (starts.into(), labels.into());
                Targets::Sets(LabelSets { starts, labels, names: s.names.clone(), unknown })
            }
        }
    }

    /// The cells of a column as classes: categories and ids by name, numbers by their shortest text.
    pub fn classes_of(name: &str, cells: &Cells) -> Result<Targets> {
        let classes = match cells {
            Cells::Category { codes, levels } => {
                // Levels that no row has are no classes.
                let used: std::collections::BTreeSet<u32> = codes.iter().copied().filter(|&c| c != UNKNOWN).collect();
                let mut names: Vec<String> = used.iter().map(|&c| levels[c as usize].clone()).collect();
                sort_names(&mut names);
                let place: std::collections::HashMap<&str, u32> =
                    names.iter().enumerate().map(|(i, n)| (n.as_str(), i as u32)).collect();
                let recode: Vec<u32> =
                    levels.iter().map(|l| place.get(l.as_str()).copied().unwrap_or(UNKNOWN)).collect();
                let code = |&c: &u32| if c == UNKNOWN { UNKNOWN } else { recode[c as usize] };
                Classes::new(codes.iter().map(code).collect(), names)?
            }
            Cells::Number(values) => {
                let mut levels: Vec<f64> = values.iter().copied().filter(|x| !x.is_nan()).collect();
                levels.sort_unstable_by(f64::total_cmp);
                levels.dedup();
                let code = |x: &f64| match x.is_nan() {
                    true => UNKNOWN,
                    false => levels.partition_point(|l| l < x) as u32,
                };
                let codes = values.iter().map(code).collect();
                Classes::new(codes, levels.iter().map(|&l| number_text(l)).collect::<Vec<_>>())?
            }
            Cells::Text(texts) | Cells::Id(texts) => Classes::from_names(&texts.iter().collect::<Vec<_>>()),
            other => {
                let why = format!("is of type {} and cannot be a class", other.type_name());
                return Err(Error::data(Place::Column(name.into()), why));
            }
        };
        Ok(Targets::Classes(classes))
    }

    /// The cells of a number column as values.
    pub fn values_of(name: &str, cells: &Cells) -> Result<Targets> {
        match cells {
            Cells::Number(values) => Ok(Targets::Values(Values::new(values.to_vec(), name))),
            other => {
                let why = format!("is of type {}; a regression target must be numeric", other.type_name());
                Err(Error::data(Place::Column(name.into()), why))
            }
        }
    }
}

/// Sorts names; if all of them are numbers, by value.
fn sort_names(names: &mut [String]) {
    let numbers: Option<Vec<f64>> = names.iter().map(|n| n.parse().ok()).collect();
    match numbers {
        Some(_) => names.sort_by(|a, b| {
            let value = |s: &str| s.parse::<f64>().unwrap_or(f64::NAN);
            value(a).total_cmp(&value(b))
        }),
        None => names.sort_unstable(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|s| s.to_string()).collect()
    }

    #[test]
    fn classes_come_from_numbers_and_names() {
        let cells = Cells::Number(vec![10.0, 2.0, f64::NAN, 10.0].into());
        let Targets::Classes(c) = Targets::classes_of("y", &cells).unwrap() else { panic!() };
        assert_eq!((c.codes(), &c.names()[..]), (&[1, 0, UNKNOWN, 1][..], &names(&["2", "10"])[..]));
        let c = Classes::from_names(&[Some("10"), Some("9"), None]);
        assert_eq!((c.codes(), &c.names()[..]), (&[1, 0, UNKNOWN][..], &names(&["9", "10"])[..]));
        assert_eq!(c.counts(), [1, 1]);
        let cells = Cells::Category { codes: vec![2, 0].into(), levels: names(&["b", "unused", "a"]).into() };
        let Targets::Classes(c) = Targets::classes_of("y", &cells).unwrap() else { panic!() };
        assert_eq!((c.codes(), &c.names()[..]), (&[0, 1][..], &names(&["a", "b"])[..]));
    }

    #[test]
    fn the_positive_class_is_the_marked_or_the_rarer_one_and_survives_a_selection() {
        let c = Classes::from_names(&[Some("fraud"), Some("ok"), Some("ok"), None]);
        assert_eq!(c.positive(), Some(0));
        let marked = Targets::Classes(c.clone().with_positive("ok").unwrap());
        let Targets::Classes(part) = marked.select(&[1, 2]) else { panic!() };
        assert_eq!(part.positive(), Some(1));
        assert_eq!(Classes::from_names(&[Some("a"), Some("b")]).positive(), Some(1));
        assert_eq!(Classes::from_names(&[Some("a"), Some("b"), Some("c")]).positive(), None);
        assert!(c.with_positive("frau").unwrap_err().to_string().contains("did you mean fraud?"));
    }

    #[test]
    fn unknown_is_not_empty() {
        let sets = LabelSets::new(vec![0, 2, 2, 2], vec![0, 1], names(&["a", "b"]), vec![2]).unwrap();
        assert_eq!((sets.get(0), sets.get(1), sets.get(2)), (Some(&[0, 1][..]), Some(&[][..]), None));
        let Targets::Sets(picked) = Targets::Sets(sets).select(&[2, 0]) else { panic!() };
        assert_eq!((picked.get(0), picked.get(1)), (None, Some(&[0, 1][..])));
    }

    #[test]
    fn codes_and_shapes_are_checked() {
        assert!(Classes::new(vec![2], names(&["a", "b"])).is_err());
        assert!(Values::several(vec![1.0; 3], names(&["a", "b"])).is_err());
        assert!(LabelSets::new(vec![], vec![], names(&[]), vec![]).is_err());
        assert!(LabelSets::new(vec![0, 1], vec![1], names(&["a"]), vec![]).is_err());
    }
}
