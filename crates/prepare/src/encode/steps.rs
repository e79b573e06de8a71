//! The steps of a table by name: each decides about one kind of column and shows the settings that matter to it.
//!
//! Several of them join to one encoding: `ordinal,tf-idf` makes places of categories and weights of words. What no step
//! speaks of takes its default: categories one-hot, words by tf-idf, dates in parts, numbers and pictures as they are.

use super::category::Coding;
use super::pixels::size_of;
use super::words::Weights;
use super::{Encode, pixels};
use crate::picture;
use base::{
    Dataset, Error, Fitted, Inputs, Learner, Needs, Param, Plan, Record, Result, Run, Settings, Size, Traits, Value,
    find_setting,
};

/// What a named step is.
struct Named {
    name: &'static str,
    /// Which kind of column it decides about.
    kind: &'static str,
    /// What it decides.
    decide: fn(&mut Encode),
    /// The settings it shows; the first can be given as `name=value`.
    shows: &'static [&'static str],
    /// How it is learned on points, if it can be.
    points: Option<fn(&Encode, &Dataset) -> Result<Fitted>>,
}

impl Named {
    fn default(&self) -> Encode {
        let mut encode = Encode::default();
        (self.decide)(&mut encode);
        encode
    }

    fn params(&self) -> Vec<Param> {
        let (encode, all) = (self.default(), self.default().params());
        let shown = |name: &&str| {
            let param = all.iter().find(|p| p.name == *name)?.clone();
            Some(Param { default: encode.get(name).ok()?, ..param })
        };
        self.shows.iter().filter_map(shown).collect()
    }
}

const NUMBERS: &str = "numbers";
const TEXT: [&str; 9] =
    ["weights", "max_features", "min_df", "max_df", "ngrams", "min_length", "stop_words", "stem", NUMBERS];

macro_rules! named_steps {
    ($($(#[$doc:meta])* $type:ident, $constant:ident = $named:expr;)+) => {
        $(
            const $constant: Named = $named;

            $(#[$doc])*
            #[derive(Debug, Clone, PartialEq)]
            pub struct $type(pub Encode);

            impl Default for $type {
                fn default() -> Self {
                    $type($constant.default())
                }
            }

            impl Settings for $type {
                fn params(&self) -> Vec<Param> {
                    $constant.params()
                }

                fn get(&self, name: &str) -> Result<Value> {
                    find_setting(&self.params(), name)?;
                    self.0.get(name)
                }

                fn set(&mut self, name: &str, value: Value) -> Result<()> {
                    find_setting(&self.params(), name)?;
                    self.0.set(name, value)
                }
            }

            impl Learner for $type {
                fn name(&self) -> &'static str {
                    $constant.name
                }

                fn traits(&self) -> Traits<'_> {
                    let needs = Needs { missing: $constant.points.is_none(), ..self.0.traits().needs };
                    match $constant.points {
                        Some(_) => Traits::new(needs).needs_shape().contract(&[("size", "1x3")]),
                        None => Traits::new(needs),
                    }
                }

                fn learn(&self, data: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
                    match ($constant.points, &data.inputs) {
                        (Some(learn), Inputs::Points(_)) => learn(&self.0, data),
                        _ => self.0.learn(data, start, run),
                    }
                }

                fn plan(&self, size: &Size) -> Plan {
                    self.0.plan(size)
                }
            }
        )+

        const ALL: &[&Named] = &[$(&$constant),+];
    };
}

named_steps! {
    /// Categories one-hot.
    OneHot, ONE_HOT = Named {
        name: "one-hot",
        kind: "categories",
        decide: |e| e.categories.coding = Coding::OneHot,
        shows: &["unseen", "max_levels", "beyond"],
        points: None,
    };
    /// Categories to their place in an order.
    Ordinal, ORDINAL = Named {
        name: "ordinal",
        kind: "categories",
        decide: |e| e.categories.coding = Coding::Ordinal,
        shows: &["unseen", "order", "max_levels", "beyond"],
        points: None,
    };
    /// Categories to their share in training.
    Frequency, FREQUENCY = Named {
        name: "frequency",
        kind: "categories",
        decide: |e| e.categories.coding = Coding::Frequency,
        shows: &["unseen", "max_levels"],
        points: None,
    };
    /// Text to the counts of its words.
    BagOfWords, BAG_OF_WORDS = Named {
        name: "bag-of-words",
        kind: "text",
        decide: |e| e.words.weights = Weights::Counts,
        shows: &TEXT,
        points: None,
    };
    /// Text to the weights of its words.
    TfIdf, TF_IDF = Named {
        name: "tf-idf",
        kind: "text",
        decide: |e| e.words.weights = Weights::TfIdf,
        // Its weights are what it is: the first setting is how many words are kept.
        shows: TEXT.split_at(1).1,
        points: None,
    };
    /// Dates to their parts.
    DateParts, DATES = Named {
        name: "dates",
        kind: "dates",
        decide: |_| {},
        shows: &["dates"],
        points: None,
    };
    /// Pictures to one size.
    Resize, RESIZE = Named {
        name: "resize",
        kind: "pictures",
        decide: |e| e.pictures = pixels::Pictures { size: "most-common".to_string() },
        shows: &["size"],
        points: Some(|e, data| picture::fit_points(data, points_size(&e.pictures.size, data)?)),
    };
}

/// The size that points are brought to; the commonest is the one they have.
fn points_size(text: &str, data: &Dataset) -> Result<(usize, usize)> {
    match (text.trim(), data.features.shape()) {
        ("most-common" | "commonest" | "", Some(base::Shape::Image { height, width, .. })) => Ok((height, width)),
        (text, _) => size_of(text),
    }
}

/// Whether the step of that name makes points of a table.
pub fn table_step(name: &str) -> bool {
    ALL.iter().any(|n| n.name == name)
}

/// The kind of column that the step of that name speaks of: categories, text, dates or pictures; none for other steps.
pub fn speaks_of(name: &str) -> Option<&'static str> {
    ALL.iter().find(|n| n.name == name).map(|n| n.kind)
}

/// Whether the step of that name takes points: all do but those that make points of a table alone.
pub fn takes_points(name: &str) -> bool {
    ALL.iter().find(|n| n.name == name).is_none_or(|n| n.points.is_some())
}

/// One encoding of several steps, each of which speaks of another kind of column.
pub fn join(steps: &[&dyn Learner]) -> Result<Encode> {
    let mut encode = Encode::default();
    let mut spoken: Vec<&Named> = vec![];
    for step in steps {
        let Some(named) = ALL.iter().find(|n| n.name == step.name()) else {
            return Err(Error::parameter("prepare", step.name(), "is not a step for tables"));
        };
        if let Some(before) = spoken.iter().find(|n| n.kind == named.kind) {
            let must = format!("{} already encodes {}; leave one of them out", before.name, named.kind);
            return Err(Error::parameter("prepare", named.name, must));
        }
        (named.decide)(&mut encode);
        named.shows.iter().try_for_each(|name| encode.set(name, step.get(name)?))?;
        spoken.push(named);
    }
    Ok(encode)
}
