//! Typed columns to numbers: categories one-hot, numbers and dates as they are, pictures as their pixels.
//!
//! A category with levels a, b, c becomes the columns `name=a`, `name=b`, `name=c`, one of which is 1; if it had gaps in
//! training, `name=(missing)` is one more. Ids are left out. At prediction columns are matched by name; a level that was
//! never seen is refused with its row, or encoded as all zeros, as the setting `unseen` says. Gaps in number columns
//! stay gaps for a later step to fill. The result is sparse where fewer than a tenth of the numbers would not be 0.

use crate::schema;
use base::{
    Buffer, Cells, Certificate, Column, Dataset, Error, Features, Fitted, Inputs, Learner, Machine, Needs, Outputs,
    Place, Plan, Points, Record, Result, Run, Shape, Shared, Size, Sparse, UNKNOWN, Wanted, Weighting,
};
use std::sync::Arc;

base::choices! {
    /// What happens to a level that training has not seen.
    pub enum Unseen {
        /// It is an error that names the row and the level.
        Refuse = "refuse",
        /// All columns of the category are 0.
        Ignore = "ignore",
    }
}

base::settings! {
    /// Settings of the one-hot encoding.
    pub struct Encode {
        /// what happens to a level that training has not seen
        pub unseen: Unseen = Unseen::Refuse, in Range::Any;
        /// the most levels a category may have
        pub most_levels: usize = 10000, in Range::AtLeast(2.0);
    }
}

impl Learner for Encode {
    fn name(&self) -> &'static str {
        "one-hot"
    }

    fn needs(&self) -> Needs {
        Needs { targets: Wanted::Nothing, table: true, missing: true, weights: Weighting::Exact }
    }

    fn learn(&self, data: &Dataset, _: Option<&Record>, _: &Run<'_>) -> Result<Fitted> {
        let Inputs::Table(table) = &data.inputs else {
            return Err(Error::unsupported("the encoding of points", "one-hot", "points are numbers already"));
        };
        let mut certificate = Certificate::direct();
        let mut parts = vec![];
        let mut kept = vec![];
        for column in table.columns() {
            match Part::of(column, self.most_levels)? {
                Some(part) => {
                    parts.push(part);
                    kept.push(schema::feature(column));
                }
                None => certificate.warn(format!("column {:?} names the rows and was left out", column.name)),
            }
        }
        if parts.is_empty() {
            return Err(Error::data(Place::Whole, "no column is left to learn from"));
        }
        let machine = Encoder::new(Features::typed(kept), parts, self.unseen)?;
        certificate.fact("columns made", machine.width as f64);
        Ok(Fitted { machine: Arc::new(machine), certificate })
    }

    fn boxed(&self) -> Box<dyn Learner> {
        Box::new(self.clone())
    }

    fn plan(&self, size: &Size) -> Plan {
        let entries = size.entries as f64;
        Plan { fit: 2.0 * entries, predict: 2.0 * size.columns as f64, bytes: 16.0 * entries, advice: None }
    }
}

/// What becomes of one column.
#[derive(Debug, Clone, PartialEq)]
enum Part {
    /// Itself.
    Number,
    /// A 1 at the place of its level, and one more place if there were gaps.
    OneHot { levels: Arc<[String]>, gaps: bool },
    /// Its pixels.
    Pixels { height: usize, width: usize, channels: usize },
}

impl Part {
    fn of(column: &Column, most_levels: usize) -> Result<Option<Part>> {
        let refuse = |why: String| Err(Error::data(Place::Column(column.name.clone()), why));
        Ok(Some(match &column.cells {
            Cells::Number(_) | Cells::Date(_) => Part::Number,
            Cells::Id(_) => return Ok(None),
            Cells::Text(texts) => {
                let example: String = texts.iter().flatten().next().unwrap_or("").chars().take(30).collect();
                return refuse(format!("is free text ({example:?} ...) and has no encoding; leave it out (--ignore)"));
            }
            Cells::Category { codes, levels } => {
                let mut used = vec![false; levels.len()];
                codes.iter().filter(|&&c| c != UNKNOWN).for_each(|&c| used[c as usize] = true);
                let names: Vec<String> =
                    levels.iter().zip(&used).filter(|(_, u)| **u).map(|(l, _)| l.clone()).collect();
                if names.len() > most_levels {
                    return refuse(format!("has {} levels, more than {most_levels}; leave it out", names.len()));
                }
                Part::OneHot { levels: names.into(), gaps: column.cells.missing() > 0 }
            }
            Cells::Image(images) => {
                let size = |i: &base::Image| (i.height, i.width, i.channels);
                let mut sizes = images.iter().map(|i| i.as_ref().map(size));
                match sizes.next().flatten() {
                    Some(first) if sizes.all(|s| s == Some(first)) => {
                        Part::Pixels { height: first.0, width: first.1, channels: first.2 }
                    }
                    _ => return refuse("has pictures of different sizes or none; make them equal first".into()),
                }
            }
        }))
    }

    /// How many columns it makes.
    fn width(&self) -> usize {
        match self {
            Part::Number => 1,
            Part::OneHot { levels, gaps } => levels.len() + usize::from(*gaps),
            Part::Pixels { height, width, channels } => height.saturating_mul(*width).saturating_mul(*channels),
        }
    }

    /// How many numbers of a row are not 0 as a rule.
    fn density(&self) -> usize {
        if matches!(self, Part::OneHot { .. }) { 1 } else { self.width() }
    }

    fn names(&self, column: &str) -> Vec<String> {
        match self {
            Part::Number => vec![column.to_string()],
            Part::OneHot { levels, gaps } => {
                let mut names: Vec<String> = levels.iter().map(|l| format!("{column}={l}")).collect();
                names.extend(gaps.then(|| format!("{column}=(missing)")));
                names
            }
            Part::Pixels { .. } => (0..self.width()).map(|i| format!("{column}.{i}")).collect(),
        }
    }
}

/// Makes points of tables that have the columns it was fitted on.
pub struct Encoder {
    features: Features,
    outputs: Outputs,
    parts: Vec<Part>,
    unseen: Unseen,
    width: usize,
}

/// One column's contribution: for each row a number at a place, or a row of pixels.
enum Encoded<'a> {
    Numbers(Vec<f64>),
    Places(Vec<u32>),
    Pixels(Vec<std::borrow::Cow<'a, [f64]>>),
}

impl Encoder {
    /// The kind of its record.
    pub const KIND: &'static str = "encoder";

    fn new(features: Features, parts: Vec<Part>, unseen: Unseen) -> Result<Self> {
        let width = parts.iter().fold(0usize, |sum, p| sum.saturating_add(p.width()));
        let names = parts.iter().enumerate().flat_map(|(i, p)| p.names(&features.name(i))).collect();
        Ok(Encoder { outputs: Outputs::features(names), features, parts, unseen, width })
    }

    /// The machine a record speaks of.
    pub fn read(record: &Record) -> Result<Self> {
        record.expect(Self::KIND, 1)?;
        let features = Features::read(record.part("features")?)?;
        let unseen = record.text("unseen")?;
        let unseen = Unseen::from_word(unseen).ok_or_else(|| record.broken(format!("unseen is {unseen:?}")))?;
        let read = |part: &Record| {
            Ok(match part.kind() {
                "number" => Part::Number,
                "one-hot" => Part::OneHot { levels: part.texts("levels")?.into(), gaps: part.flag("gaps")? },
                "pixels" => {
                    let (height, width, channels) =
                        (part.count("height")?, part.count("width")?, part.count("channels")?);
                    match (Shape::Image { height, width, channels }).count() {
                        Some(count) if count <= 1 << 28 => Part::Pixels { height, width, channels },
                        _ => return Err(part.broken("a picture of that size does not exist")),
                    }
                }
                other => return Err(part.broken(format!("unknown part {other:?}"))),
            })
        };
        let parts = record.parts("parts")?.iter().map(read).collect::<Result<Vec<_>>>()?;
        if parts.len() != features.count() || features.table().is_none() {
            return Err(record.broken(format!("{} parts for {} columns", parts.len(), features.count())));
        }
        Self::new(features, parts, unseen)
    }

    fn encode<'a>(&self, part: &Part, column: &'a Column) -> Result<Encoded<'a>> {
        match part {
            Part::Number => schema::numbers(column).map(Encoded::Numbers),
            Part::OneHot { levels, gaps } => {
                let refuse = |row: usize, what: String| {
                    let place = Place::Cell { row, column: column.name.clone() };
                    let known = levels.iter().take(8).map(String::as_str).collect::<Vec<_>>().join(", ");
                    let rule = "(--prepare one-hot=ignore takes it as none of them)";
                    Error::data(place, format!("{what}; known are {known} {rule}"))
                };
                let mut codes = schema::codes(column, levels, |row, level| match self.unseen {
                    Unseen::Ignore => Ok(UNKNOWN - 1),
                    Unseen::Refuse => Err(refuse(row, format!("the level {level:?} was not seen in training"))),
                })?;
                for (row, code) in codes.iter_mut().enumerate().filter(|(_, c)| **c == UNKNOWN) {
                    *code = match (gaps, self.unseen) {
                        (true, _) => levels.len() as u32,
                        (false, Unseen::Ignore) => UNKNOWN - 1,
                        (false, Unseen::Refuse) => {
                            return Err(refuse(row, "is missing, which it never was in training".into()));
                        }
                    };
                }
                Ok(Encoded::Places(codes))
            }
            Part::Pixels { height, width, channels } => {
                let Cells::Image(images) = &column.cells else {
                    return Err(schema::wrong_type(column, "picture", &column.cells));
                };
                let pixels = |(row, image): (usize, &'a Option<base::Image>)| match image {
                    Some(i) if (i.height, i.width, i.channels) == (*height, *width, *channels) => {
                        Ok(i.values.get(0..i.values.len()))
                    }
                    other => {
                        let found = other.as_ref().map(|i| format!("{}x{}x{}", i.height, i.width, i.channels));
                        let why = format!(
                            "expected a picture of {height}x{width}x{channels}, found {}",
                            found.as_deref().unwrap_or("none")
                        );
                        Err(Error::data(Place::Cell { row, column: column.name.clone() }, why))
                    }
                };
                images.iter().enumerate().map(pixels).collect::<Result<Vec<_>>>().map(Encoded::Pixels)
            }
        }
    }

    fn dense(&self, rows: usize, encoded: &[Encoded<'_>], run: &Run<'_>) -> Result<Points> {
        let count = rows.saturating_mul(self.width);
        let (mut values, hold) = run.memory.filled(count, 0.0, "encoded columns")?;
        let mut at = 0;
        for (part, encoded) in self.parts.iter().zip(encoded) {
            for (row, out) in values.chunks_exact_mut(self.width).enumerate() {
                match encoded {
                    Encoded::Numbers(numbers) => out[at] = numbers[row],
                    Encoded::Places(places) if places[row] < UNKNOWN - 1 => out[at + places[row] as usize] = 1.0,
                    Encoded::Places(_) => {}
                    Encoded::Pixels(pixels) => out[at..at + part.width()].copy_from_slice(&pixels[row]),
                }
            }
            at += part.width();
        }
        Points::dense(Buffer::F64(Shared::counted(values, hold)), rows, self.width)
    }

    fn sparse(&self, rows: usize, encoded: &[Encoded<'_>], run: &Run<'_>) -> Result<Points> {
        let most: usize = self.parts.iter().map(Part::density).sum();
        let mut hold = run.memory.take_for::<(u32, f64)>(rows.saturating_mul(most), "encoded columns")?;
        let (mut starts, mut ids, mut values) = (vec![0], vec![], vec![]);
        for row in 0..rows {
            let mut at = 0;
            for (part, encoded) in self.parts.iter().zip(encoded) {
                let mut put = |place: usize, value: f64| {
                    ids.push((at + place) as u32);
                    values.push(value);
                };
                match encoded {
                    Encoded::Numbers(numbers) if numbers[row] != 0.0 => put(0, numbers[row]),
                    Encoded::Places(places) if places[row] < UNKNOWN - 1 => put(places[row] as usize, 1.0),
                    Encoded::Pixels(pixels) => {
                        pixels[row].iter().enumerate().filter(|(_, x)| **x != 0.0).for_each(|(i, &x)| put(i, x));
                    }
                    _ => {}
                }
                at += part.width();
            }
            starts.push(ids.len());
        }
        hold.resize(12 * ids.len() as u64, "encoded columns")?;
        Ok(Points::Sparse(Sparse::new(starts, ids, Shared::counted(values, hold), self.width)?))
    }
}

impl Machine for Encoder {
    fn inputs(&self) -> &Features {
        &self.features
    }

    fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    fn apply(&self, inputs: &Inputs, run: &Run<'_>) -> Result<Points> {
        let Inputs::Table(table) = inputs else { return Err(Error::size("inputs", "a table", "points")) };
        let columns: Vec<&Column> =
            (0..self.parts.len()).map(|i| schema::column(table, &self.features.name(i))).collect::<Result<_>>()?;
        let encoded: Vec<Encoded<'_>> =
            self.parts.iter().zip(&columns).map(|(p, c)| self.encode(p, c)).collect::<Result<_>>()?;
        let filled: usize = self.parts.iter().map(Part::density).sum();
        // Gaps must stay visible as NaN, which sparse points cannot hold.
        let gaps = encoded.iter().any(|e| matches!(e, Encoded::Numbers(n) if n.iter().any(|x| x.is_nan())));
        match filled.saturating_mul(10) < self.width && !gaps {
            true => self.sparse(table.rows(), &encoded, run),
            false => self.dense(table.rows(), &encoded, run),
        }
    }

    fn record(&self) -> Record {
        let part = |p: &Part| match p {
            Part::Number => Record::new("number", 1),
            Part::OneHot { levels, gaps } => Record::new("one-hot", 1).with("levels", &levels[..]).with("gaps", *gaps),
            Part::Pixels { height, width, channels } => {
                Record::new("pixels", 1).with("height", *height).with("width", *width).with("channels", *channels)
            }
        };
        Record::new(Self::KIND, 1)
            .with("features", self.features.record())
            .with("unseen", self.unseen.word())
            .with("parts", self.parts.iter().map(part).collect::<Vec<_>>())
    }

    fn admits_missing(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Table, Targets, Texts};

    fn column(name: &str, cells: Cells) -> Column {
        Column { name: name.into(), cells }
    }

    fn words(list: &[&str]) -> Cells {
        Cells::categories(list.iter().map(|w| (*w != "?").then_some(*w)))
    }

    fn numbers(list: &[f64]) -> Cells {
        Cells::Number(list.to_vec().into())
    }

    fn table(columns: Vec<Column>) -> Table {
        Table::new(columns).unwrap()
    }

    fn training() -> Table {
        table(vec![
            column("age", numbers(&[1.0, f64::NAN, 3.0])),
            column("color", words(&["red", "blue", "red"])),
            column("size", words(&["s", "?", "l"])),
            column("key", Cells::Id(["a", "b", "c"].map(Some).into_iter().collect::<Texts>())),
        ])
    }

    fn fitted(unseen: Unseen) -> (Arc<dyn Machine>, Certificate) {
        let data = Dataset::new(training(), Targets::None);
        let f = Encode { unseen, ..Encode::default() }.fit(&data, None, &Run::quiet(1)).unwrap();
        (f.machine, f.certificate)
    }

    fn check(unseen: Unseen, new: Table, expected: std::result::Result<&[f64], &str>) {
        let run = Run::quiet(1);
        let (machine, _) = fitted(unseen);
        for machine in [machine.clone(), Arc::new(Encoder::read(&machine.record()).unwrap())] {
            match (machine.compute(&new.clone().into(), &run), &expected) {
                (Ok(points), Ok(values)) => {
                    let found = points.to_dense(&run.memory).unwrap();
                    let equal = |(a, b): (&f64, &f64)| a == b || (a.is_nan() && b.is_nan());
                    assert!(found.iter().zip(*values).all(equal), "{found:?}");
                    assert_eq!(found.len(), values.len());
                }
                (Err(error), Err(text)) => assert!(error.to_string().contains(text), "{error}"),
                (found, expected) => panic!("expected {expected:?}, found {found:?}"),
            }
        }
    }

    #[test]
    fn encodes_as_it_was_fitted() {
        let (machine, certificate) = fitted(Unseen::Refuse);
        let expected = ["age", "color=blue", "color=red", "size=l", "size=s", "size=(missing)"];
        assert_eq!(&machine.outputs().names[..], expected);
        assert_eq!(certificate.warnings, ["column \"key\" names the rows and was left out"]);
        let nan = f64::NAN;
        let all = [1.0, 0.0, 1.0, 0.0, 1.0, 0.0, nan, 1.0, 0.0, 0.0, 0.0, 1.0, 3.0, 0.0, 1.0, 1.0, 0.0, 0.0];
        check(Unseen::Refuse, training(), Ok(&all));
    }

    #[test]
    fn order_and_further_columns_do_not_matter() {
        let new = table(vec![
            column("more", words(&["x"])),
            column("size", words(&["l"])),
            column("color", words(&["blue"])),
            column("age", numbers(&[2.0])),
        ]);
        check(Unseen::Refuse, new, Ok(&[2.0, 1.0, 0.0, 1.0, 0.0, 0.0]));
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let with = |age: Cells, color: Cells| {
            table(vec![column("age", age), column("color", color), column("size", words(&["s"]))])
        };
        let one = || numbers(&[1.0]);
        let unseen = "row 0, column \"color\": the level \"green\" was not seen in training; known are blue, red";
        check(Unseen::Refuse, with(one(), words(&["green"])), Err(unseen));
        check(Unseen::Ignore, with(one(), words(&["green"])), Ok(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0]));
        check(Unseen::Refuse, with(one(), words(&["?"])), Err("row 0, column \"color\": is missing, which it never"));
        check(
            Unseen::Refuse,
            with(words(&["old"]), words(&["red"])),
            Err("row 0, column \"age\": \"old\" is not a number"),
        );
        let narrow =
            table(vec![column("age", one()), column("colour", words(&["red"])), column("size", words(&["s"]))]);
        check(Unseen::Refuse, narrow, Err("column \"color\": is missing; the model was fitted with it (there is a"));
        check(Unseen::Refuse, with(one(), Cells::Date(vec![0.0].into())), Err("is of type date"));
    }

    #[test]
    fn many_levels_become_sparse_points() {
        let names: Vec<String> = (0..50).map(|i| format!("l{i}")).collect();
        let cells = Cells::categories(names.iter().map(|n| Some(n.as_str())));
        let data = Dataset::new(table(vec![column("c", cells)]), Targets::None);
        let run = Run::quiet(1);
        let machine = Encode::default().fit(&data, None, &run).unwrap().machine;
        let points = machine.compute(&data.inputs, &run).unwrap();
        assert!(points.is_sparse() && points.entries() == 50 && points.columns() == 50);
        assert!(Encode { most_levels: 10, ..Encode::default() }.fit(&data, None, &run).is_err());
    }

    #[test]
    fn pictures_become_pixels_and_text_is_refused() {
        let image = |n: usize| Some(base::Image { height: 1, width: n, channels: 1, values: vec![5.0f32; n].into() });
        let run = Run::quiet(1);
        let data = |images: Vec<_>| Dataset::new(table(vec![column("i", Cells::Image(images.into()))]), Targets::None);
        let equal = data(vec![image(2), image(2)]);
        let machine = Encode::default().fit(&equal, None, &run).unwrap().machine;
        assert_eq!(machine.compute(&equal.inputs, &run).unwrap().columns(), 2);
        let other = machine.compute(&data(vec![image(3)]).inputs, &run).unwrap_err().to_string();
        assert!(other.contains("expected a picture of 1x2x1, found 1x3x1"), "{other}");
        assert!(Encode::default().fit(&data(vec![image(2), image(3)]), None, &run).is_err());
        let text = Cells::Text([Some("some words")].into_iter().collect::<Texts>());
        let text = Dataset::new(table(vec![column("t", text)]), Targets::None);
        let error = Encode::default().fit(&text, None, &run).err().map(|e| e.to_string());
        assert!(error.is_some_and(|e| e.contains("free text")));
    }
}
