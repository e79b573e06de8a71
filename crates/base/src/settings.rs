//! Settings described once: the command line, the Python signature, the studio's forms and the range check read this.
//!
//! A learner's settings are a plain struct made by [`settings!`](crate::settings!): each line says the help text, the
//! field, its type, its default and its range. Types that can be set implement [`Setting`]; words to choose from come
//! from [`choices!`](crate::choices!).

use crate::{Catalog, ClassWeight, EmptyCatalog, Error, Result, Spec, error::nearest, number_text};
use std::fmt;

/// The value of a setting, before or after it stands in its field.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A number.
    Number(f64),
    /// A whole number.
    Whole(i64),
    /// Yes or no.
    Flag(bool),
    /// A text, or the word of a choice.
    Text(String),
    /// Numbers in order.
    List(Vec<f64>),
    /// A learner with its settings and the steps before it.
    Learner(Spec),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(x) => f.write_str(&number_text(*x)),
            Value::Whole(x) => write!(f, "{x}"),
            Value::Flag(x) => write!(f, "{x}"),
            Value::Text(x) => f.write_str(x),
            Value::List(x) => f.write_str(&x.iter().map(|&v| number_text(v)).collect::<Vec<_>>().join(",")),
            Value::Learner(spec) => write!(f, "{spec}"),
        }
    }
}

/// What type of value a setting takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A number.
    Number,
    /// A whole number.
    Whole,
    /// Yes or no.
    Flag,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Any text.
    Text,
    /// Numbers separated by commas.
    List,
    /// A number or one of these words.
    NumberOr(&'static [&'static str]),
    /// Weights of classes, written as a [`ClassWeight`].
    ClassWeight,
    /// A learner, written as a [`Spec`].
    Learner,
}

/// Which values are admitted; of a list, each number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Range {
    /// Any finite number, any text.
    Any,
    /// Greater than 0.
    Positive,
    /// At least this.
    AtLeast(f64),
    /// At least this, infinity included.
    UpToInfinity(f64),
    /// From the first to the second, both included.
    Between(f64, f64),
    /// Greater than 0 and at most 1.
    Share,
}

impl Range {
    fn admits(&self, x: f64) -> bool {
        // NaN fails every comparison and so is refused everywhere.
        (x.is_finite() || matches!(self, Range::UpToInfinity(_)))
            && match *self {
                Range::Any => true,
                Range::Positive => x > 0.0,
                Range::AtLeast(low) | Range::UpToInfinity(low) => x >= low,
                Range::Between(low, high) => x >= low && x <= high,
                Range::Share => x > 0.0 && x <= 1.0,
            }
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Range::Any => f.write_str("must be finite"),
            Range::Between(..) => write!(f, "must lie {}", self.admitted()),
            _ => write!(f, "must be {}", self.admitted()),
        }
    }
}

impl Range {
    /// What is admitted, as lists of settings say it: `greater than 0`; nothing where every number is.
    pub fn admitted(&self) -> String {
        match *self {
            Range::Any => String::new(),
            Range::Positive => "greater than 0".into(),
            Range::AtLeast(low) => format!("at least {}", number_text(low)),
            Range::UpToInfinity(low) => format!("at least {}; may be inf", number_text(low)),
            Range::Between(low, high) => format!("between {} and {}", number_text(low), number_text(high)),
            Range::Share => "greater than 0 and at most 1".into(),
        }
    }
}

/// The description of a setting.
#[derive(Debug, Clone, PartialEq)]
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// What it does, in a line.
    pub help: &'static str,
    /// What type of value it takes.
    pub kind: Kind,
    /// Its default.
    pub default: Value,
    /// Which values are admitted.
    pub range: Range,
    /// Its name in Python, where people expect another one; `1/C` is the setting C whose inverse this is.
    pub python: &'static str,
    /// Other names that it answers to.
    pub also: &'static [&'static str],
    /// Names that it had before: it still answers to them, and whoever reads what people wrote says so.
    pub was: &'static [&'static str],
    /// Other words for the same choice, each with the word of ours.
    pub aliases: &'static [(&'static str, &'static str)],
}

impl Param {
    /// Reads the setting as a person writes it; learners are looked up in a catalog ([`Param::parse_with`]).
    pub fn parse(&self, text: &str) -> Result<Value> {
        self.parse_with(text, &EmptyCatalog)
    }

    /// Reads the setting as a person writes it, with the learners of a catalog.
    pub fn parse_with(&self, text: &str, catalog: &dyn Catalog) -> Result<Value> {
        let text = text.trim();
        let number = |t: &str| t.trim().parse::<f64>().map_err(|_| self.refuse(text, "must be a number"));
        let value = match self.kind {
            Kind::Number => Value::Number(number(text)?),
            Kind::Whole => match text.parse::<i64>() {
                Ok(x) => Value::Whole(x),
                Err(_) => return Err(self.refuse(text, "must be a whole number")),
            },
            Kind::Flag => match text.to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" | "1" => Value::Flag(true),
                "false" | "no" | "off" | "0" => Value::Flag(false),
                _ => return Err(self.refuse(text, "must be true or false")),
            },
            Kind::Choice(_) | Kind::Text | Kind::ClassWeight => Value::Text(text.to_string()),
            Kind::List if text.is_empty() => Value::List(vec![]),
            Kind::List => Value::List(text.split(',').map(number).collect::<Result<_>>()?),
            // What is not a number is looked up among the words, and refused there if it is none of them either.
            Kind::NumberOr(_) => text.parse().map_or_else(|_| Value::Text(text.to_string()), Value::Number),
            Kind::Learner => Value::Learner(Spec::parse(text, catalog)?),
        };
        self.check(&value)?;
        Ok(value)
    }

    /// Makes sure that a value is of the right type and admitted.
    pub fn check(&self, value: &Value) -> Result<()> {
        let in_range = |x: f64| match self.range.admits(x) {
            true => Ok(()),
            // A number beyond what 64 bits hold was read as infinite; its range is not what is wrong with it.
            false if x.is_infinite() => Err(self.refuse(value, "must be finite")),
            false => Err(self.refuse(value, &self.range.to_string())),
        };
        match (self.kind, value) {
            (Kind::Number, Value::Number(x)) => in_range(*x),
            (Kind::Number, Value::Whole(x)) | (Kind::Whole, Value::Whole(x)) => in_range(*x as f64),
            (Kind::Flag, Value::Flag(_)) | (Kind::Text, Value::Text(_)) => Ok(()),
            (Kind::List, Value::List(list)) => list.iter().try_for_each(|&x| in_range(x)),
            (Kind::Choice(words), Value::Text(word)) => self.one_of(words, word, "must be one of"),
            (Kind::NumberOr(words), Value::Text(word)) => self.one_of(words, word, "must be a number or one of"),
            (Kind::NumberOr(_), Value::Number(x)) => in_range(*x),
            (Kind::NumberOr(_), Value::Whole(x)) => in_range(*x as f64),
            (Kind::ClassWeight, Value::Text(text)) => ClassWeight::parse(text).map(|_| ()),
            (Kind::Learner, Value::Learner(_)) => Ok(()),
            (kind, _) => Err(self.refuse(value, &format!("must be of type {kind:?}"))),
        }
    }

    fn one_of(&self, words: &[&str], word: &str, must: &str) -> Result<()> {
        if words.contains(&word) || self.alias(word) {
            return Ok(());
        }
        let hint = nearest(word, words.iter().copied()).map_or(String::new(), |w| format!(" ({w}?)"));
        Err(self.refuse(word, &format!("{must} {}{hint}", words.join(", "))))
    }

    /// Whether this is another word for a choice.
    fn alias(&self, word: &str) -> bool {
        self.aliases.iter().any(|(alias, _)| *alias == word)
    }

    fn refuse(&self, value: impl fmt::Display, must: &str) -> Error {
        Error::parameter(self.name, value, must)
    }
}

/// A type that a setting can have.
pub trait Setting: Sized {
    /// The kind of value that describes it.
    const KIND: Kind;
    /// Other words for a choice, each with the word of ours.
    const ALIASES: &'static [(&'static str, &'static str)] = &[];
    /// As a value.
    fn to_value(&self) -> Value;
    /// From a value that was checked.
    fn from_value(value: &Value) -> Option<Self>;
}

macro_rules! setting {
    ($($type:ty, $kind:expr, |$me:ident| $to:expr, $($pattern:pat => $from:expr),+;)+) => {
        $(impl Setting for $type {
            const KIND: Kind = $kind;
            fn to_value(&self) -> Value { let $me = self; $to }
            fn from_value(value: &Value) -> Option<Self> {
                match value { $($pattern => $from,)+ _ => None }
            }
        })+
    };
}

setting! {
    f64, Kind::Number, |x| Value::Number(*x), Value::Number(x) => Some(*x), Value::Whole(x) => Some(*x as f64);
    usize, Kind::Whole, |x| Value::Whole(i64::try_from(*x).unwrap_or(i64::MAX)), Value::Whole(x) => usize::try_from(*x).ok();
    bool, Kind::Flag, |x| Value::Flag(*x), Value::Flag(x) => Some(*x);
    String, Kind::Text, |x| Value::Text(x.clone()), Value::Text(x) => Some(x.clone());
    Vec<f64>, Kind::List, |x| Value::List(x.clone()), Value::List(x) => Some(x.clone());
    Spec, Kind::Learner, |x| Value::Learner(x.clone()), Value::Learner(x) => Some(x.clone());
}

/// A struct of described settings.
pub trait Settings {
    /// The descriptions, in the order they are shown.
    fn params(&self) -> Vec<Param>;

    /// The value of a setting.
    fn get(&self, name: &str) -> Result<Value>;

    /// Changes a setting to a value that is first checked.
    fn set(&mut self, name: &str, value: Value) -> Result<()>;

    /// Changes a setting to what a person wrote; a learner among the settings needs [`Settings::set_text_with`].
    fn set_text(&mut self, name: &str, text: &str) -> Result<()> {
        self.set_text_with(name, text, &EmptyCatalog)
    }

    /// Changes a setting to what a person wrote, with the learners of a catalog.
    fn set_text_with(&mut self, name: &str, text: &str, catalog: &dyn Catalog) -> Result<()> {
        let (name, value) = read_setting(&self.params(), name, text, catalog)?;
        self.set(name, value)
    }

    /// All settings with their values.
    fn values(&self) -> Vec<(&'static str, Value)> {
        self.params().iter().filter_map(|p| Some((p.name, self.get(p.name).ok()?))).collect()
    }

    /// Makes sure that every field holds an admitted value, however it got there.
    fn check_settings(&self) -> Result<()> {
        self.params().iter().try_for_each(|p| p.check(&self.get(p.name)?))
    }
}

/// What a person wrote as the value of the setting that is meant.
pub(crate) fn read_setting(
    params: &[Param],
    name: &str,
    text: &str,
    catalog: &dyn Catalog,
) -> Result<(&'static str, Value)> {
    let (param, inverse) = meant(params, name)?;
    let parsed = param.parse_with(text, catalog).map_err(|e| elsewhere(params, param, text, e))?;
    let value = match (inverse, parsed) {
        // What is 1/C here is infinite where C is 0, and the range says so.
        (true, Value::Number(x)) => Value::Number(1.0 / x),
        (_, value) => value,
    };
    param.check(&value)?;
    Ok((param.name, value))
}

/// An error about a word where a number belongs; if another setting has that word, it is named.
fn elsewhere(params: &[Param], param: &Param, text: &str, error: Error) -> Error {
    let word = text.trim();
    let taker = params.iter().find(|p| matches!(p.kind, Kind::Choice(words) if words.contains(&word)));
    match (error, taker) {
        (Error::Parameter { name, value, must }, Some(taker)) if matches!(param.kind, Kind::Number | Kind::Whole) => {
            Error::parameter(name, value, must.map(|must| format!("{must}; did you mean {}={word}?", taker.name)))
        }
        (error, _) => error,
    }
}

/// What to say of a name that is an earlier one of a setting: `gamma is now penalty`.
pub fn renamed(params: &[Param], name: &str) -> Option<String> {
    let (param, _) = meant(params, name).ok()?;
    let current = param.name.eq_ignore_ascii_case(name);
    let earlier = param.was.iter().any(|word| word.eq_ignore_ascii_case(name));
    (earlier && !current).then(|| format!("{name} is now {}", param.name))
}

/// The description that a person means: by its name, by its name in other letters, by its name in Python, where it may
/// be the inverse of what it is here, or by another or earlier name.
pub fn meant<'a>(params: &'a [Param], name: &str) -> Result<(&'a Param, bool)> {
    let equal = |word: &str| word.eq_ignore_ascii_case(name);
    let exact = params.iter().find(|p| p.name == name);
    let inverse = |p: &Param| p.python.strip_prefix("1/").is_some_and(equal);
    let other = |p: &&Param| p.also.iter().chain(p.was).any(|word| equal(word));
    let usual = exact.or_else(|| params.iter().find(|p| equal(p.name) || equal(p.python)));
    match usual.or_else(|| params.iter().find(other)) {
        Some(param) => Ok((param, false)),
        None => match params.iter().find(|p| inverse(p)) {
            Some(param) => Ok((param, true)),
            None => find(params, name).map(|param| (param, false)),
        },
    }
}

/// The description of that name, or an error that guesses what was meant.
pub fn find<'a>(params: &'a [Param], name: &str) -> Result<&'a Param> {
    params.iter().find(|p| p.name == name).ok_or_else(|| {
        let must = match nearest(name, params.iter().map(|p| p.name)) {
            Some(near) => format!("no such setting; did you mean {near}?"),
            None if params.is_empty() => "no such setting; this one has none".to_string(),
            None => {
                let names: Vec<&str> = params.iter().map(|p| p.name).collect();
                format!("no such setting; the settings are {}", names.join(", "))
            }
        };
        Error::parameter("setting", name, must)
    })
}

/// The descriptions of a struct with those of a group of settings it holds, whose defaults are the struct's.
pub fn with_group(mut own: Vec<Param>, group: &dyn Settings, start: &dyn Settings) -> Vec<Param> {
    own.extend(group.params().into_iter().map(|p| Param { default: start.get(p.name).unwrap_or(p.default), ..p }));
    own
}

/// The name of a setting in Python: the last of its names.
pub const fn python_name(names: &[&'static str]) -> &'static str {
    names[names.len() - 1]
}

/// Makes a struct of settings from one line each; `use name: Type = default;` takes in all settings of another struct.
/// A line may end in the name that the setting has in Python, in other names and in earlier ones, in that order:
/// `, as "n_neighbors", also "neighbours", was "n"`.
///
/// ```
/// pellucid_base::settings! {
///     /// Settings of a toy.
///     pub struct Toy {
///         /// how many neighbours vote
///         pub k: usize = 5, in Range::AtLeast(1.0), as "n_neighbors";
///         /// whether near ones count more
///         pub weighted: bool = false, in Range::Any;
///     }
/// }
/// use pellucid_base::Settings;
/// let mut toy = Toy::default();
/// toy.set_text("k", "7").unwrap();
/// assert_eq!(toy.k, 7);
/// assert!(toy.set_text("k", "0").unwrap_err().to_string().contains("at least 1"));
/// ```
#[macro_export]
macro_rules! settings {
    ($(#[$about:meta])* pub struct $name:ident {
        $($(#[doc = $help:literal])+ pub $field:ident : $type:ty = $default:expr, in $range:expr
            $(, as $python:literal)? $(, also $($also:literal)|+)? $(, was $($was:literal)|+)?;)*
        $(use $group:ident : $others:ty = $start:expr;)*
    }) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name {
            $($(#[doc = $help])+ pub $field: $type,)*
            $(#[doc = concat!("The settings of [`", stringify!($others), "`].")] pub $group: $others,)*
        }

        impl Default for $name {
            fn default() -> Self { Self { $($field: $default,)* $($group: $start,)* } }
        }

        impl $crate::Settings for $name {
            fn params(&self) -> Vec<$crate::Param> {
                #[allow(unused_imports, reason = "a struct without settings needs no range")]
                use $crate::Range;
                let own = vec![$($crate::Param {
                    name: stringify!($field),
                    help: concat!($($help),+).trim_ascii(),
                    kind: <$type as $crate::Setting>::KIND,
                    default: <$type as $crate::Setting>::to_value(&$default),
                    range: $range,
                    python: $crate::python_name(&[stringify!($field) $(, $python)?]),
                    also: &[$($($also),+)?],
                    was: &[$($($was),+)?],
                    aliases: <$type as $crate::Setting>::ALIASES,
                },)*];
                $(let own = $crate::with_group(own, &self.$group, &$start);)*
                own
            }

            fn get(&self, name: &str) -> $crate::Result<$crate::Value> {
                $(if name == stringify!($field) { return Ok($crate::Setting::to_value(&self.$field)); })*
                $(if let Ok(value) = $crate::Settings::get(&self.$group, name) { return Ok(value); })*
                let absent = || $crate::Error::parameter("setting", name, "no such setting");
                Err($crate::find_setting(&self.params(), name).err().unwrap_or_else(absent))
            }

            #[allow(unused_variables, reason = "a struct without settings needs no value")]
            fn set(&mut self, name: &str, value: $crate::Value) -> $crate::Result<()> {
                let params = self.params();
                let param = $crate::find_setting(&params, name)?;
                param.check(&value)?;
                $(if name == stringify!($field) {
                    self.$field = $crate::Setting::from_value(&value)
                        .ok_or_else(|| $crate::Error::parameter(name, &value, "does not fit"))?;
                })*
                $(if $crate::Settings::get(&self.$group, name).is_ok() {
                    $crate::Settings::set(&mut self.$group, name, value.clone())?;
                })*
                Ok(())
            }
        }
    };
}

/// Makes an enum of words to choose from, each with the text a person writes; after `|` other words for the same.
#[macro_export]
macro_rules! choices {
    ($(#[$about:meta])* pub enum $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal $(| $alias:literal)*,)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $($(#[$doc])* $variant,)+ }

        impl $name {
            /// The word a person writes.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }

            /// The choice a word stands for.
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word $(| $alias)* => Some(Self::$variant),)+ _ => None }
            }
        }

        impl $crate::Setting for $name {
            const KIND: $crate::Kind = $crate::Kind::Choice(&[$($word),+]);
            const ALIASES: &'static [(&'static str, &'static str)] = &[$($(($alias, $word),)*)+];
            fn to_value(&self) -> $crate::Value { $crate::Value::Text(self.word().to_string()) }
            fn from_value(value: &$crate::Value) -> Option<Self> {
                match value { $crate::Value::Text(word) => Self::from_word(word), _ => None }
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::choices! {
        /// How.
        pub enum How {
            /// One way.
            Fast = "fast",
            /// Another.
            Slow = "slow" | "lazy",
        }
    }

    crate::settings! {
        /// A toy.
        pub struct Toy {
            /// strength of the penalty
            pub gamma: f64 = 1.0, in Range::Positive;
            /// how many
            pub k: usize = 5, in Range::AtLeast(1.0), as "n_neighbors";
            /// how
            pub how: How = How::Fast, in Range::Any;
            /// some numbers
            pub grid: Vec<f64> = vec![], in Range::Share;
            /// loud
            pub loud: bool = false, in Range::Any;
            /// a name
            pub name: String = String::new(), in Range::Any;
        }
    }

    #[test]
    fn text_becomes_fields_and_back() {
        let mut toy = Toy::default();
        for (name, text) in
            [("gamma", "0.25"), ("k", "3"), ("how", "slow"), ("grid", "0.5,1"), ("loud", "yes"), ("name", "x")]
        {
            toy.set_text(name, text).unwrap();
        }
        let expected = Toy { gamma: 0.25, k: 3, how: How::Slow, grid: vec![0.5, 1.0], loud: true, name: "x".into() };
        assert_eq!(toy, expected);
        let mut copy = Toy::default();
        for (name, value) in toy.values() {
            copy.set(name, value).unwrap();
        }
        assert_eq!(copy, toy);
        assert_eq!(toy.params()[0].help, "strength of the penalty");
    }

    #[test]
    fn other_names_and_words_are_part_of_the_description() {
        let mut toy = Toy::default();
        toy.set_text("how", "lazy").unwrap();
        assert_eq!((toy.how, toy.get("how")), (How::Slow, Ok(Value::Text("slow".into()))));
        let params = toy.params();
        assert_eq!((params[0].python, params[1].python), ("gamma", "n_neighbors"));
        assert_eq!((params[2].aliases, params[2].kind), (&[("lazy", "slow")][..], Kind::Choice(&["fast", "slow"])));
    }

    crate::settings! {
        /// A toy that holds another.
        pub struct Crate {
            /// how wide
            pub width: usize = 2, in Range::Any;
            use inner: Toy = Toy { k: 9, ..Toy::default() };
        }
    }

    crate::settings! {
        /// A toy whose settings were called otherwise.
        pub struct Renamed {
            /// strength of the penalty
            pub penalty: f64 = 1.0, in Range::Positive, as "1/C", also "alpha" | "strength", was "gamma" | "lambda";
            /// how
            pub how: How = How::Fast, in Range::Any, as "penalty";
            /// how many
            pub k: usize = 5, in Range::AtLeast(1.0), was "n";
        }
    }

    #[test]
    fn earlier_names_are_understood_and_told() {
        let mut toy = Renamed::default();
        for (name, text, value) in
            [("gamma", "2", 2.0), ("Lambda", "3", 3.0), ("alpha", "4", 4.0), ("strength", "5", 5.0), ("C", "4", 0.25)]
        {
            toy.set_text(name, text).unwrap();
            assert_eq!(toy.penalty, value, "{name}");
        }
        toy.set_text("n", "7").unwrap();
        assert_eq!(toy.k, 7);
        let params = toy.params();
        assert_eq!(renamed(&params, "gamma").as_deref(), Some("gamma is now penalty"));
        assert_eq!(renamed(&params, "n").as_deref(), Some("n is now k"));
        for current in ["penalty", "k", "alpha", "C", "unknown"] {
            assert_eq!(renamed(&params, current), None);
        }
        // The name goes before the same word in Python; descriptions and errors show the name of today alone.
        assert_eq!(meant(&params, "penalty").unwrap().0.name, "penalty");
        assert!(toy.set("gamma", Value::Number(1.0)).is_err());
        let says = |name: &str, text: &str| Renamed::default().set_text(name, text).unwrap_err().to_string();
        assert_eq!(says("gamma", "-1"), "penalty = -1: must be greater than 0");
        assert_eq!(says("penalty", "slow"), "penalty = slow: must be a number; did you mean how=slow?");
        assert_eq!(says("gama", "1"), "setting = gama: no such setting; the settings are penalty, how, k");
    }

    #[test]
    fn groups_are_settings_like_any_other() {
        let mut outer = Crate::default();
        outer.set_text("k", "3").unwrap();
        outer.set_text("width", "4").unwrap();
        assert_eq!((outer.width, outer.inner.k, outer.get("k")), (4, 3, Ok(Value::Whole(3))));
        let params = outer.params();
        assert_eq!(find(&params, "k").unwrap().default, Value::Whole(9));
        assert_eq!(params.len(), 7);
        assert!(outer.set_text("k", "0").is_err() && outer.set_text("depth", "1").is_err());
    }

    #[test]
    fn what_is_wrong_is_said() {
        let mut toy = Toy::default();
        let mut says = |name: &str, text: &str| toy.set_text(name, text).unwrap_err().to_string();
        assert_eq!(says("gamma", "-1"), "gamma = -1: must be greater than 0");
        assert_eq!(says("gamma", "nan"), "gamma = NaN: must be greater than 0");
        assert_eq!(says("gamma", "x"), "gamma = x: must be a number");
        assert_eq!(says("k", "1.5"), "k = 1.5: must be a whole number");
        assert_eq!(says("k", "-3"), "k = -3: must be at least 1");
        assert_eq!(says("how", "fats"), "how = fats: must be one of fast, slow (fast?)");
        assert_eq!(says("grid", "0.5,2"), "grid = 0.5,2: must be greater than 0 and at most 1");
        assert_eq!(says("gama", "1"), "setting = gama: no such setting; did you mean gamma?");
        assert!(Toy { gamma: f64::NAN, ..Toy::default() }.check_settings().is_err());
    }
}
