//! Real files: rows, columns, kinds, missing cells and label counts as their list of contents tells them.

#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

mod shared;

use base::{Cells, Dataset, Inputs, Points, Run, Table, Targets};
use pellucid_files::{Reading, text};
use shared::shared;
use std::collections::BTreeMap;

fn run() -> Run<'static> {
    Run { threads: 2, ..Run::quiet(1) }
}

fn table(data: &Dataset) -> &Table {
    match &data.inputs {
        Inputs::Table(table) => table,
        Inputs::Points(_) => panic!("points where a table was expected"),
    }
}

fn csv(path: &str) -> Option<Dataset> {
    Some(text::csv::read(path, &shared(path)?, &Reading::default(), &run()).expect(path))
}

/// How often each value of a column comes.
fn histogram(cells: &Cells) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    (0..cells.len()).filter_map(|row| cells.text(row)).for_each(|t| *counts.entry(t).or_default() += 1);
    counts
}

/// name, rows, features, missing cells, one value of the target and its count
const UCI: &[(&str, usize, usize, usize, &str, usize)] = &[
    ("iris", 150, 4, 0, "Iris-setosa", 50),
    ("glass", 214, 9, 0, "2", 76),
    ("ionosphere", 351, 34, 0, "g", 225),
    ("sonar", 208, 60, 0, "M", 111),
    ("pima_diabetes", 768, 8, 0, "0", 500),
    ("abalone", 4177, 8, 0, "9", 689),
    ("boston_housing", 506, 13, 0, "50", 16),
    ("adult_train", 32561, 14, 4262, "<=50K", 24720),
    ("adult_test", 16281, 14, 2203, "<=50K.", 12435),
    ("ecoli", 336, 7, 0, "cp", 143),
    ("new_thyroid", 215, 5, 0, "1", 150),
    ("breast_cancer_wisconsin_original", 699, 9, 16, "2", 458),
    ("wine", 178, 13, 0, "1", 71),
    ("breast_cancer_wisconsin_diagnostic", 569, 30, 0, "1", 357),
    ("optdigits_8x8_sklearn", 1797, 64, 0, "3", 183),
    ("diabetes_regression_lars", 442, 10, 0, "25", 1),
    ("shuttle_statlog", 58000, 9, 0, "Rad.Flow", 45586),
    ("satellite_statlog_mlbench", 6435, 36, 0, "red soil", 1533),
    ("dna_statlog", 3186, 180, 0, "n", 1654),
    ("vote", 435, 16, 392, "democrat", 267),
    ("zoo", 101, 16, 0, "mammal", 41),
    ("soybean", 683, 35, 2337, "brown-spot", 92),
    ("spambase_full", 4601, 57, 0, "nonspam", 2788),
    ("california_housing", 20640, 9, 207, "500001", 965),
    ("energy_efficiency_Y1_last_Y2_feature", 768, 9, 0, "6.01", 1),
    ("letter", 20000, 16, 0, "U", 813),
    ("satimage", 6435, 36, 0, "1", 1533),
    ("penbased", 10992, 16, 0, "2", 1144),
    ("vowel", 990, 13, 0, "0", 90),
    ("segment", 2310, 19, 0, "6", 330),
    ("optdigits", 5620, 64, 0, "3", 572),
    ("heart", 270, 13, 0, "1", 150),
    ("splice", 3190, 60, 0, "N", 1655),
    ("mushroom", 5644, 22, 0, "e", 3488),
    ("concrete", 1030, 8, 0, "82.5992248", 1),
    ("forest_fires", 517, 12, 0, "0", 247),
    ("yeast", 1484, 8, 0, "CYT", 463),
    ("hypothyroid", 3163, 25, 5329, "negative", 3012),
    ("breast_tissue", 106, 9, 0, "5", 22),
    ("parkinsons", 195, 22, 0, "0", 147),
];

#[test]
fn tables_of_uci() {
    for &(name, rows, features, missing, value, count) in UCI {
        let Some(data) = csv(&format!("uci/{name}.csv.gz")) else { return };
        let table = table(&data);
        assert_eq!((table.rows(), table.columns().len()), (rows, features + 1), "{name}");
        let target = table.column("target").unwrap_or_else(|| panic!("{name} has no target"));
        let gaps: usize = table.columns().iter().map(|c| c.cells.missing()).sum();
        assert_eq!(gaps, missing, "{name}: missing cells");
        assert_eq!(histogram(&target.cells).get(value), Some(&count), "{name}: {:?}", histogram(&target.cells));
        assert!(data.check().is_ok());
    }
}

#[test]
fn tables_without_a_header() {
    for (path, rows, columns, value, count) in [
        ("kdd99/kddcup.data_10_percent.gz", 494_021, 42, "normal.", 97_278),
        ("kdd99/corrected.gz", 311_029, 42, "normal.", 60_593),
        ("nsl_kdd/KDDTrain+_20Percent.txt.gz", 25_192, 43, "normal", 13_449),
        ("nsl_kdd/KDDTest+.txt.gz", 22_544, 43, "normal", 9_711),
    ] {
        let Some(data) = csv(path) else { return };
        let table = table(&data);
        assert_eq!((table.rows(), table.columns().len()), (rows, columns), "{path}");
        let target = &table.column("41").unwrap().cells;
        assert_eq!(histogram(target)[value], count, "{path}");
        let kinds: Vec<&str> = table.columns()[..6].iter().map(|c| c.cells.type_name()).collect();
        assert_eq!(kinds, ["number", "category", "category", "category", "number", "number"], "{path}");
    }
}

#[test]
fn texts_and_moments() {
    let Some(data) = csv("sms_spam/SMSSpamCollection.gz") else { return };
    let sms = table(&data);
    assert_eq!((sms.rows(), sms.columns().len()), (5574, 2));
    let labels = histogram(&sms.columns()[0].cells);
    assert_eq!((labels["ham"], labels["spam"]), (4827, 747));
    assert_eq!(sms.columns()[1].cells.type_name(), "text");
    let data = csv("text_moderation/davidson_hate_offensive_labeled_data.csv.gz").unwrap();
    let tweets = table(&data);
    assert_eq!((tweets.rows(), tweets.columns().len()), (24_783, 7));
    let classes = histogram(&tweets.column("class").unwrap().cells);
    assert_eq!((classes["1"], classes["2"], classes["0"]), (19_190, 4_163, 1_430));
    assert_eq!((tweets.column("tweet").unwrap().cells.type_name(), &tweets.columns()[0].name[..]), ("text", "0"));
    let data = csv("g50c/g50c.csv.gz").unwrap();
    assert_eq!((data.len(), table(&data).columns().len()), (550, 51));
    for (path, rows, names) in [
        ("physio/heartpy_data.csv.gz", 2483, vec![("0", "number")]),
        ("physio/heartpy_data2.csv.gz", 15_000, vec![("timer", "number"), ("hr", "number")]),
        ("physio/heartpy_data3.csv.gz", 68_476, vec![("datetime", "date"), ("hr", "number")]),
        ("xmc_yso_finna_en/labels.tsv.gz", 13_054, vec![("0", "id"), ("1", "id"), ("2", "text")]),
        ("xmc_yso_finna_en/test.titles.txt.gz", 19_182, vec![("0", "text")]),
        ("xmc_yso_finna_en/train.titles.txt.gz", 77_430, vec![("0", "text")]),
    ] {
        let data = csv(path).unwrap();
        let found: Vec<_> = table(&data).columns().iter().map(|c| (&c.name[..], c.cells.type_name())).collect();
        assert_eq!((data.len(), found), (rows, names), "{path}");
    }
}

#[test]
fn sparse_rows() {
    for (path, rows, columns, entries, label, count) in [
        ("libsvm/a9a.gz", 32_561, 123, 451_592, -1.0, 24_720),
        ("libsvm/a9a.t.gz", 16_281, 122, 225_731, -1.0, 12_435),
        ("libsvm/w8a.gz", 49_749, 300, 579_586, 1.0, 1_479),
        ("libsvm/heart_scale", 270, 13, 3_378, 1.0, 120),
    ] {
        let Some(bytes) = shared(path) else { return };
        let data = text::libsvm::read(path, &bytes, &Reading::default(), &run()).unwrap();
        let points = data.points().unwrap();
        assert_eq!((points.len(), points.columns(), points.entries()), (rows, columns, entries), "{path}");
        let Targets::Values(v) = &data.targets else { panic!("{path}: no values") };
        assert_eq!(v.values().iter().filter(|&&x| x == label).count(), count, "{path}");
        assert!(data.check().is_ok());
    }
}

#[test]
fn label_sets() {
    let path = "lshtc4_wiki_sample/train-sk-min.txt.gz";
    let Some(bytes) = shared(path) else { return };
    let data = text::libsvm::read(path, &bytes, &Reading::default(), &run()).unwrap();
    let Targets::Sets(sets) = &data.targets else { panic!("no sets") };
    assert_eq!((data.len(), sets.names().len()), (1000, 4211));
    let names: Vec<u64> = sets.names().iter().map(|n| n.parse().unwrap()).collect();
    assert!(names.is_sorted());
    let first: Vec<&str> = sets.get(0).unwrap().iter().map(|&l| sets.names()[l as usize].as_str()).collect();
    assert_eq!(first, ["76255", "165538", "314523", "335416", "416827"]);
    for (path, rows) in [("xmc_yso_finna_en/train.xmc.txt.gz", 77_430), ("xmc_yso_finna_en/test.xmc.txt.gz", 19_182)] {
        let data = text::xmc::read(path, &shared(path).unwrap(), &Reading::default(), &run()).unwrap();
        let Targets::Sets(sets) = &data.targets else { panic!("no sets") };
        assert_eq!((data.len(), data.points().unwrap().columns(), sets.names().len()), (rows, 21_355, 13_054));
        let mean = sets.entries() as f64 / rows as f64;
        assert!((2.0..2.6).contains(&mean), "{mean} labels a row");
        assert!(data.check().is_ok());
    }
}

#[test]
fn attribute_relation_files() {
    // The mean number of labels a row is the published one of each set (its "cardinality").
    for (name, rows, features, labels, last_label, mean) in [
        ("delicious", 16_105, 500, 983, "TAG_youtube", 19.020),
        ("enron", 1_702, 1_001, 53, "D.D14", 3.378),
        ("medical", 978, 1_449, 45, "Class-44-786_07", 1.245),
    ] {
        let path = format!("multilabel/{name}.arff.gz");
        let Some(bytes) = shared(&path) else { return };
        let data = text::arff::read(&path, &bytes, &Reading::default(), &run()).unwrap();
        let Targets::Sets(sets) = &data.targets else { panic!("no sets") };
        let Points::Sparse(points) = data.points().unwrap() else { panic!("not sparse") };
        assert_eq!((points.len(), points.columns(), sets.names().len()), (rows, features, labels), "{name}");
        assert_eq!(sets.names().last().unwrap(), last_label);
        assert!(data.check().is_ok() && data.features.names().is_some());
        assert!((sets.entries() as f64 / rows as f64 - mean).abs() < 5e-4, "{name}: {} labels", sets.entries());
    }
}
