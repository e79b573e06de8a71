//! Which columns the columns that come out of a step of preparation belong to.

use crate::{Error, Features, Result};

/// What relevance is told of that has been found for the outputs of a machine.
///
/// A scaled column belongs to the column it was, the parts of a category to that category, a word to itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Origin {
    /// For each output column its place among `features`.
    pub of: Vec<u32>,
    /// What is told of: for machines that take points their inputs.
    pub features: Features,
}

impl Origin {
    /// Each output belongs to the input at the same place.
    pub fn same(features: &Features) -> Self {
        Origin { of: (0..features.count() as u32).collect(), features: features.clone() }
    }

    /// Output k belongs to column `of[k]`; all must exist.
    pub fn new(of: Vec<u32>, features: Features) -> Result<Self> {
        match of.iter().find(|&&c| c as usize >= features.count()) {
            Some(c) => Err(Error::size("columns an output belongs to", format!("below {}", features.count()), c)),
            None => Ok(Origin { of, features }),
        }
    }

    /// What came out of `before` goes into the machine that this is of.
    pub fn after(&self, before: &Origin) -> Result<Self> {
        match self.features.count() == before.of.len() {
            true => Ok(Origin {
                of: self.of.iter().map(|&c| before.of[c as usize]).collect(),
                features: before.features.clone(),
            }),
            false => {
                Err(Error::size("columns between the machines of a chain", before.of.len(), self.features.count()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Points, Relevance};

    #[test]
    fn parts_of_a_column_are_added_up() {
        let names = |n: &[&str]| Features::named(n.iter().map(|s| s.to_string()).collect::<Vec<_>>());
        let encoded = Origin::new(vec![0, 1, 1, 1], names(&["size", "colour"])).unwrap();
        let picked = Origin::new(vec![0, 2, 3], Features::unnamed(4)).unwrap();
        let both = picked.after(&encoded).unwrap();
        assert_eq!(both.of, [0, 1, 1]);
        let values = Points::from_rows(&[[1.0, 2.0, 4.0], [0.0, -1.0, 0.5]]).unwrap();
        let relevance = Relevance { values, features: Features::unnamed(3), balance: None, method: "x".into() };
        let told = relevance.told_by(&both).unwrap();
        assert_eq!(told.values, Points::from_rows(&[[1.0, 6.0], [0.0, -0.5]]).unwrap());
        assert_eq!(told.features.name(1), "colour");
        assert!(relevance.told_by(&encoded).is_err() && encoded.after(&picked).is_err());
        assert!(Origin::new(vec![2], Features::unnamed(2)).is_err());
    }
}
