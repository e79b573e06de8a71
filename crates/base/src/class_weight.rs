//! The type of a setting that says how much each class counts: `none`, `balanced`, or `name=number, ...`.

use crate::{Classes, Dataset, Error, Kind, Result, Setting, Value, error::nearest, number_text};
use std::fmt;

/// How much each class counts.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum ClassWeight {
    /// All the same.
    #[default]
    None,
    /// By rows / (classes · rows of the class), so that every class has the same weight together.
    Balanced,
    /// Classes by name, each with its factor; others count 1.
    Named(Vec<(String, f64)>),
}

impl ClassWeight {
    /// Reads what a person wrote; the name of a class may have any signs but a comma.
    pub fn parse(text: &str) -> Result<Self> {
        match text.trim() {
            "" | "none" => return Ok(ClassWeight::None),
            "balanced" => return Ok(ClassWeight::Balanced),
            _ => {}
        }
        let mut named: Vec<(String, f64)> = vec![];
        for part in text.split(',') {
            let wrong = |must: &str| Error::parameter("class_weight", part.trim(), must);
            let Some((name, number)) = part.rsplit_once('=') else {
                return Err(wrong("must be none, balanced, or name=number, ..."));
            };
            let (name, number) = (name.trim(), number.trim().parse::<f64>());
            let Some(weight) = number.ok().filter(|w| *w > 0.0 && w.is_finite()) else {
                return Err(wrong("weights of classes must be greater than 0 and finite"));
            };
            if named.iter().any(|(other, _)| other == name) {
                return Err(wrong("this class already has a weight"));
            }
            named.push((name.to_string(), weight));
        }
        Ok(ClassWeight::Named(named))
    }

    /// The factor of every class of these rows.
    pub fn factors(&self, data: &Dataset, classes: &Classes) -> Result<Vec<f64>> {
        let names = classes.names();
        let mut factors = vec![1.0; names.len()];
        match self {
            ClassWeight::None => {}
            ClassWeight::Balanced => {
                let mut totals = vec![0.0; names.len()];
                for i in 0..data.len() {
                    if let Some(class) = classes.get(i) {
                        totals[class] += data.weight(i);
                    }
                }
                let there = totals.iter().filter(|&&t| t > 0.0).count() as f64;
                let all: f64 = totals.iter().sum();
                let factor = |t: &f64| if *t > 0.0 { all / (there * t) } else { 1.0 };
                factors = totals.iter().map(factor).collect();
            }
            ClassWeight::Named(named) => {
                for (name, weight) in named {
                    let Some(class) = names.iter().position(|n| n == name) else {
                        let near = nearest(name, names.iter().map(|n| n.as_str()));
                        let hint = near.map_or(String::new(), |n| format!("; did you mean {n}?"));
                        return Err(Error::parameter("class_weight", name, format!("no such class{hint}")));
                    };
                    factors[class] = *weight;
                }
            }
        }
        Ok(factors)
    }
}

impl fmt::Display for ClassWeight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClassWeight::None => f.write_str("none"),
            ClassWeight::Balanced => f.write_str("balanced"),
            ClassWeight::Named(named) => {
                let parts: Vec<String> = named.iter().map(|(n, w)| format!("{n}={}", number_text(*w))).collect();
                f.write_str(&parts.join(","))
            }
        }
    }
}

impl Setting for ClassWeight {
    const KIND: Kind = Kind::ClassWeight;

    fn to_value(&self) -> Value {
        Value::Text(self.to_string())
    }

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Text(text) => ClassWeight::parse(text).ok(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Points, Settings, Targets};

    crate::settings! {
        /// A toy.
        pub struct Toy {
            /// how much classes count
            pub class_weight: ClassWeight = ClassWeight::None, in Range::Any;
        }
    }

    #[test]
    fn texts_are_read_once_and_written_back() {
        let mut toy = Toy::default();
        for (text, back) in [
            ("", "none"),
            ("none", "none"),
            ("balanced", "balanced"),
            (" a = 2 , b=0.50", "a=2,b=0.5"),
            ("x=y=3", "x=y=3"),
        ] {
            toy.set_text("class_weight", text).unwrap();
            assert_eq!(toy.get("class_weight").unwrap().to_string(), back);
            toy.set_text("class_weight", back).unwrap();
            assert_eq!(toy.get("class_weight").unwrap().to_string(), back);
        }
        assert_eq!(toy.class_weight, ClassWeight::Named(vec![("x=y".into(), 3.0)]));
        let mut says = |text: &str| toy.set_text("class_weight", text).unwrap_err().to_string();
        assert_eq!(says("blanced"), "class_weight = blanced: must be none, balanced, or name=number, ...");
        assert_eq!(says("a=1,b=-2"), "class_weight = b=-2: weights of classes must be greater than 0 and finite");
        assert_eq!(says("a=inf"), "class_weight = a=inf: weights of classes must be greater than 0 and finite");
        assert_eq!(says("a=1,a=2"), "class_weight = a=2: this class already has a weight");
    }

    #[test]
    fn factors_are_those_of_the_definition() {
        let names: Vec<String> = ["a", "b", "empty"].map(String::from).to_vec();
        let classes = Classes::new(vec![0, 0, 0, 1], names).unwrap();
        let points = Points::dense(vec![0.0; 4], 4, 1).unwrap();
        let mut data = Dataset::new(points, Targets::Classes(classes.clone()));
        let factors = |weight: &ClassWeight, data: &Dataset| weight.factors(data, &classes);
        assert_eq!(factors(&ClassWeight::None, &data), Ok(vec![1.0; 3]));
        assert_eq!(factors(&ClassWeight::Balanced, &data), Ok(vec![4.0 / 6.0, 2.0, 1.0]));
        data.weights = Some(vec![1.0, 0.0, 0.0, 1.0].into());
        assert_eq!(factors(&ClassWeight::Balanced, &data), Ok(vec![1.0; 3]));
        assert_eq!(factors(&ClassWeight::parse("b=5").unwrap(), &data), Ok(vec![1.0, 5.0, 1.0]));
        let wrong = factors(&ClassWeight::parse("emty=5").unwrap(), &data).unwrap_err().to_string();
        assert_eq!(wrong, "class_weight = emty: no such class; did you mean empty?");
    }
}
