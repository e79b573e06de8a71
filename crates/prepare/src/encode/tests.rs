//! What becomes of tables of all kinds, before and after the machine is stored.

use super::*;
use base::{Column, Image, Machine, Shape, Table, Targets, Texts};

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
    let f = encode(Coding::OneHot, unseen).fit(&data, None, &Run::quiet(1)).unwrap();
    (f.machine, f.certificate)
}

fn encode(coding: Coding, unseen: Unseen) -> Encode {
    Encode { categories: Categories { coding, unseen, ..Categories::default() }, ..Encode::default() }
}

fn check(unseen: Unseen, new: Table, expected: std::result::Result<&[f64], &str>) {
    check_machine(fitted(unseen).0, new, expected);
}

/// What a machine makes of a table, before and after it is stored.
fn check_machine(machine: Arc<dyn Machine>, new: Table, expected: std::result::Result<&[f64], &str>) {
    let run = Run::quiet(1);
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
    let unseen = "row 1, column \"color\": the level \"green\" was not seen in training; known are blue, red";
    check(Unseen::Refuse, with(one(), words(&["green"])), Err(unseen));
    check(Unseen::Ignore, with(one(), words(&["green"])), Ok(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0]));
    check(Unseen::Refuse, with(one(), words(&["?"])), Err("row 1, column \"color\": is missing, which did not occur"));
    check(
        Unseen::Refuse,
        with(words(&["old"]), words(&["red"])),
        Err("row 1, column \"age\": \"old\" is not a number"),
    );
    let narrow = table(vec![column("age", one()), column("colour", words(&["red"])), column("size", words(&["s"]))]);
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
    let few = |beyond| Categories { max_levels: 10, beyond, ..Categories::default() };
    let fit = |beyond| Encode { categories: few(beyond), ..Encode::default() }.fit(&data, None, &run);
    let error = fit(Beyond::Refuse).err().map(|e| e.to_string()).unwrap();
    assert!(error.contains("has 50 levels, more than max_levels = 10"), "{error}");
    let shares = fit(Beyond::Frequency).unwrap().machine.compute(&data.inputs, &run).unwrap();
    assert_eq!(shares.to_dense(&run.memory).unwrap()[..], [0.02; 50]);
}

#[test]
fn places_in_an_order_and_shares() {
    let nan = f64::NAN;
    let data = Dataset {
        weights: Some(vec![2.0, 1.0, 1.0].into()),
        ..Dataset::new(
            table(vec![
                column("color", words(&["red", "blue", "red"])),
                column("size", words(&["s", "?", "l"])),
                column("grade", words(&["10", "9", "9"])),
            ]),
            Targets::None,
        )
    };
    let new = |color, size, grade| {
        table(vec![column("color", words(&[color])), column("size", words(&[size])), column("grade", words(&[grade]))])
    };
    let fit = |e: Encode| e.fit(&data, None, &Run::quiet(1)).unwrap().machine;
    let strict = |coding| fit(encode(coding, Unseen::Refuse));
    let loose = |coding| fit(encode(coding, Unseen::Ignore));
    let ordinal = strict(Coding::Ordinal);
    assert_eq!(&ordinal.outputs().names[..], ["color", "size", "grade"]);
    // Words by the alphabet, numbers by size; a gap stays a gap.
    check_machine(ordinal, new("red", "?", "10"), Ok(&[1.0, nan, 1.0]));
    let unseen = "row 1, column \"color\": the level \"green\" was not seen in training; known are blue, red (prepare: ordinal=ignore takes it as missing)";
    check_machine(strict(Coding::Ordinal), new("green", "s", "9"), Err(unseen));
    check_machine(loose(Coding::Ordinal), new("green", "s", "9"), Ok(&[nan, 1.0, 0.0]));
    // Shares are weighted; gaps are a level if training had some, and else unseen.
    check_machine(strict(Coding::Frequency), new("red", "?", "9"), Ok(&[0.75, 0.25, 0.5]));
    check_machine(strict(Coding::Frequency), new("?", "s", "9"), Err("is missing, which did not occur"));
    check_machine(strict(Coding::Frequency), new("red", "xl", "9"), Err("takes it as 0"));
    check_machine(loose(Coding::Frequency), new("?", "xl", "9"), Ok(&[0.0, 0.0, 0.5]));
    // Numbers may come where categories were learned.
    let typed =
        table(vec![column("color", words(&["red"])), column("size", words(&["s"])), column("grade", numbers(&[10.0]))]);
    check_machine(strict(Coding::Ordinal), typed, Ok(&[1.0, 1.0, 1.0]));
    // An order that is given holds for the columns that have its levels.
    let ordered = |order: &str| {
        let mut e = encode(Coding::Ordinal, Unseen::Refuse);
        e.categories.order = order.into();
        e.fit(&data, None, &Run::quiet(1)).map(|f| f.machine)
    };
    check_machine(ordered("s<m<l;red<blue").unwrap(), new("blue", "m", "9"), Ok(&[1.0, 1.0, 0.0]));
    let says = |order: &str| ordered(order).err().map(|e| e.to_string()).unwrap();
    assert!(says("s<m").contains("\"l\" is not in the order s<m"));
    assert!(says("cold<warm").contains("no category has one of these levels"));
    assert!(says("s<s").contains("different levels") && says("s").contains("two different levels"));
}

#[test]
fn scaled_numbers_have_no_gaps_and_stay_beside_words() {
    let texts: Vec<String> = (0..40).map(|i| format!("common word{i} thing{i}")).collect();
    let text = Cells::Text(texts.iter().map(|t| Some(t.as_str())).collect());
    let values: Vec<f64> = (0..40).map(|i| if i == 3 { f64::NAN } else { f64::from(i) }).collect();
    let data = Dataset::new(
        table(vec![column("x", numbers(&values)), column("t", text), column("c", numbers(&[5.0; 40]))]),
        Targets::None,
    );
    let run = Run::quiet(1);
    let encode = Encode { numbers: Numbers { numbers: Scaling::Scaled }, ..Encode::default() };
    let machine = encode.fit(&data, None, &run).unwrap().machine;
    let points = machine.compute(&data.inputs, &run).unwrap();
    assert!(points.is_sparse());
    let all = points.to_dense(&run.memory).unwrap();
    let first: Vec<f64> = all.iter().step_by(points.columns()).copied().collect();
    assert_eq!(first[3], 0.0);
    assert!(first.iter().sum::<f64>().abs() < 1e-12);
    let squares: f64 = first.iter().map(|x| x * x).sum();
    assert!((squares / 39.0 - 1.0).abs() < 1e-12, "deviation over those that are there");
    assert!(all.iter().skip(points.columns() - 1).step_by(points.columns()).all(|&x| x == 0.0), "constant");
    let back = Encoder::read(&machine.record()).unwrap();
    assert_eq!(back.compute(&data.inputs, &run).unwrap(), points);
    // As they are, a gap must be seen: dense.
    let plain = Encode::default().fit(&data, None, &run).unwrap().machine.compute(&data.inputs, &run).unwrap();
    assert!(!plain.is_sparse());
}

#[test]
fn texts_with_gaps_and_without_words() {
    let run = Run::quiet(1);
    let text = |list: &[Option<&str>]| {
        let cells = Cells::Text(list.iter().copied().collect::<Texts>());
        Dataset::new(table(vec![column("t", cells)]), Targets::None)
    };
    let says = |words: Words, list: &[Option<&str>]| {
        let e = Encode { words, ..Encode::default() };
        e.fit(&text(list), None, &run).err().map(|e| e.to_string()).unwrap()
    };
    assert!(says(Words::default(), &[Some("?"), None]).contains("column \"t\": has no words of at least 2 letters"));
    let rare = says(Words { min_df: 3, ..Words::default() }, &[Some("one two"), Some("two")]);
    assert!(rare.contains("none of its 2 words occurs in at least 3 texts"), "{rare}");
    let data = text(&[Some("one two two"), None, Some("three")]);
    let count = Words { weights: Weights::Counts, ..Words::default() };
    let machine = Encode { words: count, ..Encode::default() }.fit(&data, None, &run).unwrap().machine;
    assert_eq!(&machine.outputs().names[..], ["t:one", "t:three", "t:two"]);
    let all = [1.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let Inputs::Table(table_of) = &data.inputs else { panic!() };
    check_machine(machine.clone(), table_of.clone(), Ok(&all));
    // What was text may come as categories or numbers; pictures may not.
    check_machine(machine.clone(), table(vec![column("t", words(&["two words"]))]), Ok(&[0.0, 0.0, 1.0]));
    check_machine(machine.clone(), table(vec![column("t", numbers(&[12.0]))]), Ok(&[0.0; 3]));
    check_machine(machine, table(vec![column("t", Cells::Date(vec![0.0].into()))]), Err("is of type date"));
    let giant = "x".repeat(100_000);
    let fitted = Encode::default().fit(&text(&[Some(&giant), Some("word")]), None, &run).unwrap();
    assert_eq!(fitted.certificate.warnings, ["column \"t\": 1 words of more than 256 bytes were left out"]);
    let tight = Run { memory: base::Memory::limited(40), ..Run::quiet(1) };
    assert!(matches!(Encode::default().fit(&data, None, &tight), Err(Error::Memory { .. })));
    assert_eq!(tight.memory.used(), 0);
}

#[test]
fn a_text_of_weight_two_is_the_text_twice_and_threads_do_not_matter() {
    let seed = base::Seed(9);
    let word = |i: usize, k: usize| format!("w{}", (seed.at(i).at(k).unit() * seed.at(k).unit() * 400.0) as usize);
    let rows: Vec<String> = (0..3000).map(|i| (0..80).map(|k| word(i, k) + " ").collect::<String>()).collect();
    let of = |rows: &[&String]| {
        let cells = Cells::Text(rows.iter().map(|r| Some(r.as_str())).collect());
        Dataset::new(table(vec![column("t", cells)]), Targets::None)
    };
    let all: Vec<&String> = rows.iter().collect();
    let twice: Vec<&String> = rows.iter().enumerate().flat_map(|(i, r)| vec![r; 1 + i % 2]).collect();
    let weighted = Dataset { weights: Some((0..3000).map(|i| (1 + i % 2) as f64).collect()), ..of(&all) };
    let encode = Encode { words: Words { ngrams: 2, min_df: 2, ..Words::default() }, ..Encode::default() };
    let fit = |data: &Dataset, threads: usize| {
        let run = Run { threads, ..Run::quiet(1) };
        let machine = encode.fit(data, None, &run).unwrap().machine;
        let points = machine.compute(&of(&all).inputs, &run).unwrap();
        (machine.record(), points)
    };
    // Some 700 kB of text and its repetition make several blocks.
    let one = fit(&weighted, 1);
    assert_eq!(one, fit(&weighted, 4));
    assert_eq!(one, fit(&of(&twice), 2));
}

#[test]
fn pictures_become_pixels_of_one_size() {
    let image = |height: usize, width: usize, channels: usize, value: f32| {
        Some(Image { height, width, channels, values: vec![value; height * width * channels].into() })
    };
    let run = Run::quiet(1);
    let data = |images: Vec<_>| Dataset::new(table(vec![column("i", Cells::Image(images.into()))]), Targets::None);
    let equal = data(vec![image(1, 2, 1, 5.0), image(1, 2, 1, 6.0)]);
    let machine = Encode::default().fit(&equal, None, &run).unwrap().machine;
    assert_eq!(machine.outputs().shape, Some(Shape::Image { height: 1, width: 2, channels: 1 }));
    assert_eq!(machine.compute(&equal.inputs, &run).unwrap().to_dense(&run.memory).unwrap()[..], [5.0, 5.0, 6.0, 6.0]);
    let other = machine.compute(&data(vec![image(1, 3, 1, 1.0)]).inputs, &run).unwrap_err().to_string();
    assert!(other.contains("expected an image of 1x2x1, found 1x3x1"), "{other}");

    let mixed = data(vec![image(4, 4, 1, 5.0), image(2, 3, 1, 6.0), image(2, 3, 3, 7.0)]);
    let refused = Encode::default().fit(&mixed, None, &run).err().map(|e| e.to_string()).unwrap();
    assert!(
        refused.contains("row 1, column \"i\": differs in size") && refused.contains("prepare: resize gives all"),
        "{refused}"
    );
    let resized = |size: &str| {
        Encode { pictures: Pictures { size: size.into() }, ..Encode::default() }
            .fit(&mixed, None, &run)
            .map(|f| f.machine)
    };
    let Inputs::Table(new) = &mixed.inputs else { panic!() };
    let rows: Vec<f64> = [5.0, 6.0, 7.0].iter().flat_map(|&v| [v; 6]).collect();
    let common = resized("most-common").unwrap();
    assert_eq!(common.outputs().shape, Some(Shape::Image { height: 2, width: 3, channels: 1 }));
    check_close(common, new, &rows);
    let given = resized("1x2").unwrap();
    assert_eq!(given.outputs().shape, Some(Shape::Image { height: 2, width: 1, channels: 1 }));
    check_close(given, new, &[5.0, 5.0, 6.0, 6.0, 7.0, 7.0]);
    assert!(resized("0x4").is_err() && resized("3x").is_err() && resized("x").is_err());
    let gap = data(vec![image(1, 2, 1, 5.0), None]);
    assert!(
        Encode::default()
            .fit(&gap, None, &run)
            .err()
            .unwrap()
            .to_string()
            .contains("row 2, column \"i\": has no image")
    );
    let broken = Some(Image { height: 2, width: 3, channels: 1, values: vec![0.0f32; 5].into() });
    let machine = resized("2x2").unwrap();
    assert!(machine.compute(&data(vec![broken]).inputs, &run).is_err());
}

fn check_close(machine: Arc<dyn Machine>, new: &Table, expected: &[f64]) {
    let run = Run::quiet(1);
    for machine in [machine.clone(), Arc::new(Encoder::read(&machine.record()).unwrap())] {
        let found = machine.compute(&new.clone().into(), &run).unwrap().to_dense(&run.memory).unwrap();
        testkit::assert_close(&found, expected, 1e-12, "pixels");
    }
}

#[test]
fn all_kinds_stand_side_by_side() {
    let image = |v: f32| Some(Image { height: 1, width: 1, channels: 1, values: vec![v].into() });
    let all = table(vec![
        column("age", numbers(&[1.0, 2.0])),
        column("color", words(&["red", "blue"])),
        column("t", Cells::Text([Some("one"), Some("two")].into_iter().collect())),
        column("i", Cells::Image(vec![image(3.0), image(4.0)].into())),
        column("when", Cells::Date(vec![3600.0, 7200.0].into())),
    ]);
    let data = Dataset::new(all.clone(), Targets::None);
    let steps: [&dyn Learner; 2] = [&Ordinal::default(), &BagOfWords::default()];
    let joined = join(&steps).unwrap();
    let machine = joined.fit(&data, None, &Run::quiet(1)).unwrap().machine;
    assert_eq!(&machine.outputs().names[..], ["age", "color", "t:one", "t:two", "i.0", "when: hour"]);
    assert_eq!(machine.outputs().shape, None);
    check_machine(machine, all, Ok(&[1.0, 1.0, 1.0, 0.0, 3.0, 1.0, 2.0, 0.0, 0.0, 1.0, 4.0, 2.0]));
    let twice: [&dyn Learner; 2] = [&OneHot::default(), &Frequency::default()];
    let error = join(&twice).unwrap_err().to_string();
    assert!(error.contains("frequency: one-hot already encodes categories"), "{error}");
    assert!(join(&[&crate::Scale::default()]).is_err());
}

#[test]
fn d10_dates_become_the_parts_that_vary() {
    // Sunday 2023-01-01 at 0:00, Monday 2023-01-02 at 6:00, Wednesday 2023-02-01 at 12:00.
    let moments = Cells::Date(vec![1_672_531_200.0, 1_672_639_200.0, 1_675_252_800.0].into());
    let all = table(vec![column("x", numbers(&[1.0, 2.0, 3.0])), column("when", moments)]);
    let data = Dataset::new(all.clone(), Targets::None);
    let machine = Encode::default().fit(&data, None, &Run::quiet(1)).unwrap().machine;
    assert_eq!(&machine.outputs().names[..], ["x", "when: hour", "when: weekday", "when: month", "when: days"]);
    let rows = [1.0, 0.0, 6.0, 1.0, 0.0, 2.0, 6.0, 0.0, 1.0, 1.25, 3.0, 12.0, 2.0, 2.0, 31.5];
    check_machine(machine, all, Ok(&rows));
    let mut out = DateParts::default();
    out.set_text("dates", "leave-out").unwrap();
    let fitted = join(&[&out]).unwrap().fit(&data, None, &Run::quiet(1)).unwrap();
    assert_eq!(&fitted.machine.outputs().names[..], ["x"]);
    assert!(fitted.certificate.warnings.iter().any(|w| w.contains("\"when\" is a date and was left out")));
}

#[test]
fn named_steps_show_what_matters_to_them() {
    let mut bag = BagOfWords::default();
    assert_eq!(bag.get("weights").unwrap().to_string(), "counts");
    assert_eq!(bag.params()[0].default.to_string(), "counts");
    bag.set_text("weights", "binary").unwrap();
    assert_eq!(bag.0.words.weights, Weights::Binary);
    assert!(bag.set_text("unseen", "ignore").is_err() && bag.get("unseen").is_err());
    assert_eq!(TfIdf::default().params()[0].name, "max_features");
    assert_eq!(Resize::default().params()[0].name, "size");
    assert_eq!(OneHot::default().params()[0].name, "unseen");
    let mut all = Encode::default();
    all.set_text("stem", "english").unwrap();
    assert!(all.set_text("stem", "klingon").is_err() && all.set_text("stems", "english").is_err());
    assert_eq!(all.values().len(), all.params().len());
}

#[test]
fn parts_of_the_first_version_are_read() {
    let features = Features::typed(vec![
        base::Feature { name: "n".into(), kind: base::FeatureKind::Number },
        base::Feature { name: "c".into(), kind: base::FeatureKind::Category(vec!["a".to_string()].into()) },
        base::Feature { name: "i".into(), kind: base::FeatureKind::Image },
    ]);
    let parts = vec![
        Record::new("number", 1),
        Record::new("one-hot", 1).with("levels", vec!["a".to_string(), "b".to_string()]).with("gaps", true),
        Record::new("pixels", 1).with("height", 1usize).with("width", 2usize).with("channels", 1usize),
    ];
    let record =
        Record::new("encoder", 2).with("inputs", features.record()).with("unseen", "refuse").with("parts", parts);
    let machine = Encoder::read(&record).unwrap();
    assert_eq!(&machine.outputs().names[..], ["n", "c=a", "c=b", "c=(missing)", "i.0", "i.1"]);
    assert_eq!(machine.record(), record);
    let hostile = [
        Record::new("pixels", 1).with("height", usize::MAX).with("width", 2usize).with("channels", 3usize),
        Record::new("resized", 1).with("height", 1usize << 20).with("width", 1usize << 20).with("channels", 1usize),
        Record::new("resized", 1).with("height", 0usize).with("width", 4usize).with("channels", 1usize),
        Record::new("frequency", 1).with("levels", vec!["a".to_string()]).with_array("shares", &[2], vec![0.5, 0.5]),
        Record::new("frequency", 1).with("levels", vec!["a".to_string()]).with_array("shares", &[1], vec![f64::NAN]),
        Record::new("scaled", 1).with("shift", f64::NAN).with("factor", 1.0),
        Record::new("words", 1).with("vocabulary", vec!["b".to_string(), "a".to_string()]),
        Record::new("perpetuum", 1),
    ];
    for part in hostile {
        assert!(part::read(&part, Unseen::Refuse).is_err(), "{part:?}");
    }
}

#[test]
fn relevance_finds_the_way_back_and_rows_are_restored() {
    let run = Run::quiet(1);
    let number = Column { name: "size".into(), cells: Cells::Number(vec![1.0, 2.5, 4.0].into()) };
    let category = Column { name: "kind".into(), cells: Cells::categories(["a", "b", "c"].map(Some).into_iter()) };
    let words =
        Column { name: "text".into(), cells: Cells::Text(["x1 y1", "y1", "z1 x1"].map(Some).into_iter().collect()) };
    let table = base::Table::new(vec![number, category, words]).unwrap();
    let data = Dataset::new(table.clone(), Targets::None);
    let words = Words { min_df: 1, max_df: 1.0, weights: Weights::Counts, ..Words::default() };
    let machine = Encode { words, ..Encode::default() }.fit(&data, None, &run).unwrap().machine;
    let (step, run) = (machine.facets().step.unwrap(), Run::quiet(1));
    let origin = step.origin().unwrap();
    let names: Vec<String> = (0..origin.features.count()).map(|c| origin.features.name(c)).collect();
    assert_eq!(names, ["size", "kind", "text:x1", "text:y1", "text:z1"]);
    assert_eq!(origin.of, [0, 1, 1, 1, 2, 3, 4]);
    let points = machine.compute(&Inputs::Table(table.clone()), &run).unwrap();
    let Some(Inputs::Table(back)) = step.restore(&points, &run).unwrap() else { panic!("a table") };
    assert_eq!(back.columns()[..2], table.columns()[..2]);
    assert_eq!(back.columns()[2].cells.text(2).unwrap(), "x1 z1", "in the order of the vocabulary");
    assert!(step.restore(&points.slice(0..1).clone(), &run).is_ok());
    assert!(step.restore(&base::Points::dense(vec![0.0], 1, 1).unwrap(), &run).is_err());
}
