//! What `--prepare auto` decides by looking at the data, and the reasons for every step in words.
//!
//! | the data have | the step |
//! |---|---|
//! | categories | `one-hot`; with more than [`WIDE`] levels their shares (`beyond=frequency`): a column for each would swamp the others; `=ignore` where a level has fewer than [`RARE`] rows, for then new ones must be expected |
//! | text | `tf-idf`, and beside it numbers as standard scores with gaps at the mean, so that all stays sparse |
//! | dates and no target | `dates=leave-out`: a detector would find later rows strange for their time alone |
//! | pictures of different sizes | `resize` to the most common |
//! | gaps in numbers, and the machine takes none | `impute` |
//! | a table without text, and a machine that minds the units | `scale` |
//!
//! Points are left as they are, except that gaps are filled for machines that take none. What a machine takes it says
//! itself ([`base::Traits`]): trees and forests get the encoding and nothing else.

use crate::catalog::{STEPS, WRAPPERS};
use crate::preparing::{encoding, hands_on};
use base::{
    Buffer, Cells, Column, Dataset, Image, Inputs, Learner, Points, Setting, Spec, Table, Targets, UNKNOWN, percent,
    plural,
};
use numeric::Moments;
use prepare::{Beyond, Coding, DateEncoding, Encode, Scaling, Unseen, Weights};

/// More levels than this are too many for a column each.
const WIDE: usize = 50;
/// A level with fewer rows is rare.
const RARE: usize = 10;
/// Names shown before the rest is counted.
const SHOWN: usize = 4;

/// A step of preparation with what it does to these data and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Reason {
    /// The step.
    pub step: Spec,
    /// What it does and why, a line each.
    pub why: Vec<String>,
}

/// The steps of `auto` for these data; without a learner, for one that takes least.
pub(crate) fn automatic(data: &Dataset, learner: Option<&dyn Learner>) -> Vec<Spec> {
    // A step only lets missing values through; what follows it may not take them.
    let is_step = |l: &dyn Learner| STEPS.iter().any(|entry| entry.name == l.name());
    let fill = has_gaps(data) && !learner.is_some_and(|l| l.traits().needs.missing && !is_step(l));
    let scale = learner.is_none_or(|l| !l.traits().scale_free);
    let Inputs::Table(table) = &data.inputs else {
        return if fill { vec![Spec::named("impute")] } else { vec![] };
    };
    let kinds = Kinds::of(table);
    let sizes_differ = |images: &[Option<Image>]| images.windows(2).any(|w| form(&w[0]) != form(&w[1]));
    let resize = kinds.pictures.iter().any(|(_, images)| sizes_differ(images));
    let mut steps = vec![];
    if !kinds.categories.is_empty() || (kinds.texts.is_empty() && !resize) {
        let rare = kinds.categories.iter().any(|c| c.levels().iter().any(|n| *n < RARE));
        let wide = kinds.categories.iter().any(|c| c.levels().len() > WIDE);
        let mut one_hot = Spec::named("one-hot");
        if rare {
            one_hot = Spec { short: true, ..one_hot.with("unseen", Unseen::Ignore.to_value()) };
        }
        if wide {
            let most = one_hot.with("max_levels", WIDE.to_value());
            one_hot = most.with("beyond", Beyond::Frequency.to_value());
        }
        steps.push(one_hot);
    }
    // Without a target, the time of a row would be what sets it apart most.
    let alone = matches!(data.targets, Targets::None) && !kinds.dates.is_empty();
    let dates = || Spec::named("dates").with("dates", DateEncoding::LeaveOut.to_value());
    steps.extend(alone.then(|| Spec { short: true, ..dates() }));
    if !kinds.texts.is_empty() {
        let numbers = !kinds.numbers.is_empty() || !kinds.dates.is_empty();
        // Sparse points cannot say that a number is missing.
        let numbers = numbers && (scale || has_gaps(data));
        let words = Spec::named("tf-idf");
        steps.push(if numbers { words.with("numbers", Scaling::Scaled.to_value()) } else { words });
    }
    steps.extend(resize.then(|| Spec::named("resize")));
    if kinds.texts.is_empty() {
        steps.extend(fill.then(|| Spec::named("impute")));
        steps.extend(scale.then(|| Spec::named("scale")));
    }
    steps
}

/// What each of these steps does to these data, and why.
pub fn reasons(steps: &[Spec], data: &Dataset) -> Vec<Reason> {
    let untouched = steps.iter().all(hands_on);
    let why = |step: &Spec| match (&data.inputs, encoding(step)) {
        (Inputs::Table(table), Ok(Some(encode))) => {
            let mut lines = encoded(&encode, &Kinds::of(table));
            let stay = untouched && encode.numbers.numbers == Scaling::AsIs;
            lines.extend(gaps(data).filter(|_| stay).map(|told| {
                format!(
                    "{told}, which stay: the machine handles \
                 them"
                )
            }));
            lines
        }
        _ => {
            let known = STEPS.iter().map(|e| (e.name, e.summary)).chain(WRAPPERS.iter().map(|e| (e.name, e.summary)));
            let summary = || known.clone().find(|e| e.0 == step.name).map_or(String::new(), |e| e.1.to_string());
            match step.name.as_str() {
                name if name.starts_with("impute") => {
                    let with = if name == "impute" && step.settings.is_empty() { " with the mean" } else { "" };
                    vec![gaps(data).map_or_else(summary, |told| format!("{told}, which are filled{with}"))]
                }
                "scale" => vec![scaled(data).unwrap_or_else(summary)],
                _ => vec![summary()],
            }
        }
    };
    steps.iter().map(|step| Reason { step: step.clone(), why: why(step) }).collect()
}

/// The columns of a table by kind.
#[derive(Default)]
struct Kinds<'a> {
    numbers: Vec<(&'a str, &'a [f64])>,
    dates: Vec<(&'a str, &'a [f64])>,
    categories: Vec<Category<'a>>,
    texts: Vec<&'a str>,
    pictures: Vec<(&'a str, &'a [Option<Image>])>,
    ids: Vec<&'a str>,
}

/// A category, with how many rows each level and the gaps have.
struct Category<'a> {
    name: &'a str,
    rows: Vec<usize>,
    gaps: usize,
}

impl Category<'_> {
    /// Rows of the levels that have some.
    fn levels(&self) -> Vec<usize> {
        self.rows.iter().copied().filter(|n| *n > 0).collect()
    }
}

impl<'a> Kinds<'a> {
    fn of(table: &'a Table) -> Self {
        let mut kinds = Kinds::default();
        for Column { name, cells } in table.columns() {
            match cells {
                Cells::Number(values) => kinds.numbers.push((name, values)),
                Cells::Date(values) => kinds.dates.push((name, values)),
                Cells::Category { codes, levels } => {
                    let mut rows = vec![0; levels.len()];
                    codes.iter().filter(|c| **c != UNKNOWN).for_each(|&c| rows[c as usize] += 1);
                    let gaps = codes.len() - rows.iter().sum::<usize>();
                    kinds.categories.push(Category { name, rows, gaps });
                }
                Cells::Text(_) => kinds.texts.push(name),
                Cells::Image(images) => kinds.pictures.push((name, images)),
                Cells::Id(_) => kinds.ids.push(name),
            }
        }
        kinds
    }

    /// Columns that never change.
    fn constant(&self) -> Vec<&'a str> {
        let still = |v: &[f64]| v.windows(2).all(|w| w[0] == w[1] || (w[0].is_nan() && w[1].is_nan()));
        let numbers = self.numbers.iter().chain(&self.dates).filter(|(_, v)| still(v)).map(|(name, _)| *name);
        let one = |c: &&Category<'_>| c.levels().len() + usize::from(c.gaps > 0) < 2;
        numbers.chain(self.categories.iter().filter(one).map(|c| c.name)).collect()
    }
}

/// `1 text column (t)`, `3 number columns (a, b, c)`.
fn named(kind: &str, names: &[&str]) -> String {
    format!("{} ({})", plural(names.len(), &format!("{kind} column")), listed(names))
}

fn listed(names: &[&str]) -> String {
    let more = names.len().saturating_sub(SHOWN);
    let tail = if more > 0 { format!(" and {more} more") } else { String::new() };
    names[..names.len() - more].join(", ") + &tail
}

fn becomes<T>(all: &[T], what: &str) -> String {
    format!("{} {what}", if all.len() == 1 { "becomes" } else { "become" })
}

/// What an encoding does with each kind of column.
fn encoded(encode: &Encode, kinds: &Kinds<'_>) -> Vec<String> {
    let mut lines = categories(encode, kinds);
    if !kinds.texts.is_empty() {
        let what = match encode.words.weights {
            Weights::TfIdf => "tf-idf weights of the words",
            Weights::Counts => "word counts",
            Weights::Binary => "a 0/1 indicator per word",
        };
        lines.push(format!("{} {}", named("text", &kinds.texts), becomes(&kinds.texts, what)));
    }
    let names: Vec<&str> = kinds.numbers.iter().map(|(name, _)| *name).collect();
    if !names.is_empty() {
        let what = match (encode.numbers.numbers, names.len()) {
            (Scaling::AsIs, 1) => "stays as it is".to_string(),
            (Scaling::AsIs, _) => "stay as they are".to_string(),
            (Scaling::Scaled, _) => becomes(
                &names,
                "standard scores with missing values at the mean, alongside \
                 the words",
            ),
        };
        lines.push(format!("{} {what}", named("number", &names)));
    }
    let names: Vec<&str> = kinds.dates.iter().map(|(name, _)| *name).collect();
    if !names.is_empty() {
        let what = match (encode.dates.dates, names.len()) {
            (DateEncoding::Parts, _) => {
                becomes(&names, "hour, weekday, month and days since the first row, as far as they vary")
            }
            (DateEncoding::Seconds, _) => becomes(&names, "seconds since the start of 1970"),
            (DateEncoding::LeaveOut, 1) => {
                "is left out: without a target, later rows would stand out by their time alone".into()
            }
            (DateEncoding::LeaveOut, _) => {
                "are left out: without a target, later rows would stand out by their time alone".into()
            }
        };
        lines.push(format!("{} {what}", named("date", &names)));
    }
    lines.extend(kinds.pictures.iter().map(|(name, images)| pictures(encode, name, images)));
    if !kinds.ids.is_empty() {
        let why =
            if kinds.ids.len() == 1 { "is left out: it names the rows" } else { "are left out: they name the rows" };
        lines.push(format!("{} {why}", named("id", &kinds.ids)));
    }
    let constant = kinds.constant();
    if !constant.is_empty() {
        lines.push(format!("constant columns, which carry no information: {}", listed(&constant)));
    }
    lines
}

fn categories(encode: &Encode, kinds: &Kinds<'_>) -> Vec<String> {
    let settings = &encode.categories;
    let wide = |c: &&Category<'_>| c.levels().len() > settings.max_levels;
    let (many, few): (Vec<&Category<'_>>, Vec<&Category<'_>>) = kinds.categories.iter().partition(wide);
    let names = |list: &[&Category<'_>]| list.iter().map(|c| c.name.to_string()).collect::<Vec<_>>();
    let columns: usize = few.iter().map(|c| c.levels().len() + usize::from(c.gaps > 0)).sum();
    let ignore = settings.unseen == Unseen::Ignore;
    let unseen = match (settings.coding, ignore) {
        (_, false) => "is refused",
        (Coding::OneHot, true) => "becomes zeros",
        (Coding::Ordinal, true) => "becomes a missing value",
        (Coding::Frequency, true) => "becomes 0",
    };
    let mut lines = vec![];
    if !few.is_empty() {
        let names = names(&few);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let what = match settings.coding {
            Coding::OneHot => plural(columns, "one-hot column"),
            Coding::Ordinal => "the rank of the level in its order".to_string(),
            Coding::Frequency => "the frequency of the level in training".to_string(),
        };
        lines.push(format!(
            "{} {}; a level not seen in training {unseen}",
            named("category", &names),
            becomes(&names, &what)
        ));
    }
    let rare = kinds.categories.iter().filter(|c| c.levels().iter().any(|n| *n < RARE));
    let rare: Vec<&str> = rare.map(|c| c.name).collect();
    if ignore && !rare.is_empty() {
        lines.push(format!(
            "rare levels (fewer than {RARE} rows) in {}: new data may have levels not seen in training",
            listed(&rare)
        ));
    }
    for c in many {
        let what = match settings.beyond {
            Beyond::Frequency => "becomes the frequency of each in training (one-hot keeps them apart)",
            Beyond::Refuse => "is refused",
        };
        lines.push(format!(
            "{} has {} levels, more than {}, and {what}",
            c.name,
            c.levels().len(),
            settings.max_levels
        ));
    }
    lines
}

fn form(image: &Option<Image>) -> Option<(usize, usize, usize)> {
    image.as_ref().map(|i| (i.height, i.width, i.channels))
}

fn pictures(encode: &Encode, name: &str, images: &[Option<Image>]) -> String {
    let mut sizes: Vec<_> = images.iter().filter_map(form).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let (count, several) = (images.len(), sizes.len());
    match (encode.pictures.form(images), encode.pictures.size.as_str()) {
        (Ok(Some((h, w, c))), "") => format!("{count} images ({name}) become their {h} x {w} x {c} pixels"),
        (Ok(Some((h, w, c))), "most-common" | "commonest") => {
            format!("{count} images ({name}) of {several} sizes are resized to the most common one, {h} x {w} x {c}")
        }
        (Ok(Some((h, w, c))), _) => {
            format!("{count} images ({name}) of {several} sizes are resized to {h} x {w} x {c}")
        }
        _ => format!("{count} images ({name}) have {several} sizes, which is refused"),
    }
}

/// Whether a number is missing somewhere.
fn has_gaps(data: &Dataset) -> bool {
    match &data.inputs {
        Inputs::Table(table) => table
            .columns()
            .iter()
            .any(|c| matches!(c.cells, Cells::Number(_) | Cells::Date(_)) && c.cells.missing() > 0),
        Inputs::Points(Points::Dense(dense)) => match dense.values() {
            Buffer::F32(v) => v.iter().any(|x| x.is_nan()),
            Buffer::F64(v) => v.iter().any(|x| x.is_nan()),
        },
        Inputs::Points(Points::Sparse(_)) => false,
    }
}

/// Which columns have gaps, and how many.
fn gaps(data: &Dataset) -> Option<String> {
    let Inputs::Table(table) = &data.inputs else { return None };
    let rows = table.rows().max(1) as f64;
    let how_many = |c: &Column| format!("{} {}", c.name, percent(c.cells.missing() as f64 / rows));
    let is_number = |c: &&Column| matches!(c.cells, Cells::Number(_) | Cells::Date(_)) && c.cells.missing() > 0;
    let names: Vec<String> = table.columns().iter().filter(is_number).map(how_many).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let verb = if names.len() == 1 { "has" } else { "have" };
    (!names.is_empty()).then(|| format!("{} {verb} missing values", named("number", &names)))
}

/// How far the columns differ in spread.
fn scaled(data: &Dataset) -> Option<String> {
    let Inputs::Table(table) = &data.inputs else { return None };
    let mut spreads: Vec<(f64, &str)> = vec![];
    for (name, values) in Kinds::of(table).numbers {
        let deviation = Moments::of_rows(values, 1, None).deviations()[0];
        spreads.extend((deviation > 0.0).then_some((deviation, name)));
    }
    spreads.sort_by(|a, b| a.0.total_cmp(&b.0));
    let what = "each column to mean 0 and standard deviation 1";
    Some(match (spreads.first(), spreads.last()) {
        (Some((low, a)), Some((high, b))) if high / low > 2.0 => {
            format!(
                "{what}: standard deviations range from {low:.3} ({a}) to {high:.3} ({b}); the largest would \
                 dominate"
            )
        }
        _ => format!("{what}, so that no column dominates by its unit"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(columns: Vec<(&str, Cells)>) -> Dataset {
        let columns = columns.into_iter().map(|(name, cells)| Column { name: name.into(), cells }).collect();
        Dataset::new(Table::new(columns).unwrap(), Targets::None)
    }

    fn levels(rows: usize, count: usize) -> Cells {
        let names: Vec<String> = (0..rows).map(|i| format!("l{}", i % count)).collect();
        Cells::categories(names.iter().map(|n| Some(n.as_str())))
    }

    fn numbers(rows: usize, factor: f64) -> Cells {
        Cells::Number((0..rows).map(|i| factor * i as f64).collect::<Vec<_>>().into())
    }

    fn texts(rows: usize) -> Cells {
        let all: Vec<String> = (0..rows).map(|i| format!("some words {i}")).collect();
        Cells::Text(all.iter().map(|t| Some(t.as_str())).collect())
    }

    fn picture(side: usize) -> Option<Image> {
        Some(Image { height: side, width: side, channels: 1, values: vec![1.0f32; side * side].into() })
    }

    fn words(steps: &[Spec]) -> String {
        steps.iter().map(Spec::to_string).collect::<Vec<_>>().join(" ")
    }

    fn steps(texts: &[&str]) -> Vec<Spec> {
        texts.iter().map(|text| crate::parse_step(text).unwrap()).collect()
    }

    #[test]
    fn decides_by_the_data() {
        let words = |d: &Dataset| words(&automatic(d, None));
        assert_eq!(words(&data(vec![("x", numbers(9, 1.0))])), "one-hot scale");
        assert_eq!(words(&data(vec![("c", levels(100, 4))])), "one-hot scale");
        assert_eq!(words(&data(vec![("c", levels(30, 4))])), "one-hot=ignore scale");
        assert_eq!(words(&data(vec![("c", levels(600, 60))])), "one-hot:max_levels=50:beyond=frequency scale");
        assert_eq!(words(&data(vec![("t", texts(9))])), "tf-idf");
        let both = data(vec![("t", texts(100)), ("c", levels(100, 4)), ("x", numbers(100, 1.0))]);
        assert_eq!(words(&both), "one-hot tf-idf:numbers=scaled");
        let pictures = |sides: [usize; 2]| data(vec![("i", Cells::Image(sides.map(picture).to_vec().into()))]);
        assert_eq!(words(&pictures([2, 2])), "one-hot scale");
        assert_eq!(words(&pictures([2, 3])), "resize scale");
    }

    #[test]
    fn d21_trees_get_the_encoding_alone() {
        let tree = trees::Tree::default();
        let holed = || Cells::Number(vec![f64::NAN, 1.0, 2.0, 5.0].into());
        let table = data(vec![("x", holed()), ("y", numbers(4, 1.0))]);
        assert_eq!(words(&automatic(&table, Some(&tree))), "one-hot");
        assert_eq!(words(&automatic(&table, Some(&prepare::Robust::default()))), "one-hot impute scale");
        let why = |texts: &[&str]| reasons(&steps(texts), &table);
        let alone = [
            "2 number columns (x, y) stay as they are",
            "1 number column (x 25 %) has missing values, which stay: the machine handles them",
        ];
        assert_eq!(why(&["one-hot"])[0].why, alone);
        assert_eq!(why(&["calibrate", "one-hot"])[1].why, alone);
        assert_eq!(why(&["one-hot", "impute"])[0].why, alone[..1]);
        // Beside words all is sparse, and there gaps have no place.
        let beside = data(vec![("x", holed()), ("t", texts(4))]);
        assert_eq!(words(&automatic(&beside, Some(&tree))), "tf-idf:numbers=scaled");
        let whole = data(vec![("y", numbers(4, 1.0)), ("t", texts(4))]);
        assert_eq!(words(&automatic(&whole, Some(&tree))), "tf-idf");
    }

    #[test]
    fn d10_dates_stay_out_where_there_is_no_target() {
        let days = || Cells::Date((0..9).map(|i| 86_400.0 * f64::from(i)).collect::<Vec<_>>().into());
        let alone = data(vec![("x", numbers(9, 1.0)), ("when", days())]);
        assert_eq!(words(&automatic(&alone, None)), "one-hot dates=leave-out scale");
        let said = reasons(&steps(&["one-hot,dates=leave-out"]), &alone)[0].why.join("; ");
        assert!(said.contains("1 date column (when) is left out: without a target"), "{said}");
        let classes = Targets::classes_of("c", &levels(9, 2)).unwrap();
        let taught = Dataset { targets: classes, ..alone };
        assert_eq!(words(&automatic(&taught, None)), "one-hot scale");
        let said = reasons(&steps(&["one-hot"]), &taught)[0].why.join("; ");
        assert!(said.contains("1 date column (when) becomes hour, weekday, month"), "{said}");
    }

    #[test]
    fn reasons_name_columns_and_numbers() {
        let holed: Vec<f64> = (0..600).map(|i| if i % 4 == 0 { f64::NAN } else { f64::from(i) }).collect();
        let all = data(vec![
            ("age", Cells::Number(holed.into())),
            ("pay", numbers(600, 1000.0)),
            ("still", Cells::Number(vec![5.0; 600].into())),
            ("sex", levels(600, 2)),
            ("zip", levels(600, 60)),
            ("key", Cells::Id((0..600).map(|_| Some("k")).collect())),
        ]);
        let chosen: Vec<Spec> =
            crate::prepare_steps("auto", &all, None).unwrap().into_iter().map(|(spec, _)| spec).collect();
        let found = reasons(&chosen, &all);
        assert_eq!(found.iter().map(|r| r.step.clone()).collect::<Vec<_>>(), chosen);
        assert_eq!(
            found[0].why,
            [
                "1 category column (sex) becomes 2 one-hot columns; a level not seen in training is refused",
                "zip has 60 levels, more than 50, and becomes the frequency of each in training (one-hot keeps them apart)",
                "3 number columns (age, pay, still) stay as they are",
                "1 id column (key) is left out: it names the rows",
                "constant columns, which carry no information: still",
            ]
        );
        assert_eq!(found[1].why, ["1 number column (age 25 %) has missing values, which are filled with the mean"]);
        assert!(found[2].why[0].contains("(age) to 173204.") && found[2].why[0].contains("(pay)"), "{:?}", found[2]);
        let asked = reasons(&steps(&["pca=2", "ordinal=ignore,bag-of-words"]), &all);
        assert_eq!(asked[0].why, ["principal components: the directions of largest variance"]);
        assert!(asked[1].why[0].contains(
            "become the rank of the level in its order; a level not seen in training becomes a missing value"
        ));
    }
}
