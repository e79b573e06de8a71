//! Sparse rows from short texts: what comes out, and what is refused with which words.

use super::libsvm::{self, Block};
use super::mutate::survive;
use super::source::Source;
use super::{arff, stream, xmc};
use crate::{Format, Reading};
use base::{Dataset, Inputs, Memory, Points, Result, Run, Targets};

/// A dataset in a line: width, then rows `labels>id:value,id:value`.
fn summary(data: &Dataset) -> String {
    let Inputs::Points(Points::Sparse(points)) = &data.inputs else { panic!("not sparse") };
    assert!(data.check().is_ok());
    let row = |i: usize| {
        let label = match &data.targets {
            Targets::None => String::new(),
            Targets::Values(v) => v.row(i)[0].to_string(),
            Targets::Classes(c) => c.get(i).map_or("?".into(), |c2| c.names()[c2].clone()),
            Targets::Sets(s) => {
                format!(
                    "{{{}}}",
                    s.get(i).unwrap().iter().map(|&l| &s.names()[l as usize][..]).collect::<Vec<_>>().join(" ")
                )
            }
        };
        let (ids, values) = points.row(i);
        let pairs: Vec<String> =
            ids.iter().zip(values).map(|(&id, v)| format!("{}:{v}", data.features.name(id as usize))).collect();
        format!("{label}>{}", pairs.join(","))
    };
    let rows: Vec<String> = (0..points.len()).map(row).collect();
    let groups = data.groups.as_ref().map_or(String::new(), |g| format!(" groups {g:?}"));
    format!("{} {}{groups}", points.columns(), rows.join(" "))
}

/// Reads in pieces of every size, on four threads: all must say the same.
fn read_all_ways(text: &[u8], how: &Reading) -> Result<Dataset> {
    let whole = libsvm::read("t", text, how, &Run::quiet(1));
    let run = Run { threads: 4, ..Run::quiet(1) };
    for piece in 1..=text.len().min(40) {
        // Threads cost more than these texts: they are tried with some sizes only.
        let run = if piece % 8 == 1 { &run } else { &Run::quiet(1) };
        let block = Block { labels: None, listed: false, zero_based: how.zero_based, sort: how.sort_ids, piece };
        let cut = block.read(&Source::new("t", text), run).map(|r| r.0);
        assert_eq!(whole, cut, "pieces of {piece}");
    }
    whole
}

fn check(text: &str, how: &Reading, expected: &str) {
    match read_all_ways(text.as_bytes(), how) {
        Ok(data) => assert_eq!(summary(&data), expected, "{text:?}"),
        Err(error) => assert_eq!(format!("error {error}"), expected, "{text:?}"),
    }
}

fn check_libsvm(text: &str, expected: &str) {
    check(text, &Reading::default(), expected);
}

#[test]
fn rows_and_labels() {
    check_libsvm("1 1:2 3:-.5\n-1 2:1e2\n", "3 1>0:2,2:-0.5 -1>1:100");
    check_libsvm("1 1:2 3:-.5 \r\n-1\t2:1e2\r\n", "3 1>0:2,2:-0.5 -1>1:100");
    check_libsvm("1 1:2\r-1 2:3\r", "2 1>0:2 -1>1:3");
    check_libsvm("1 63: .50\n", "63 1>62:0.5");
    check_libsvm("# head\n\n1 1:2 # tail 5:5\n+2.5# x\n  # only\n", "1 1>0:2 2.5>");
    check_libsvm("1 0:3 2:4\n2 1:1\n", "3 1>0:3,2:4 2>1:1");
    check_libsvm("1 1:0 5:0\n", "5 1>");
    check_libsvm("2000000000 2000000000:1\n", "2000000000 2000000000>1999999999:1");
    check_libsvm("1 4294967296:1\n", "1 1>4294967296:1");
    check_libsvm(
        "1 7:1 4294967297:2\n2 7:3 18446744073709551615:4\n",
        "3 1>7:1,4294967297:2 2>7:3,18446744073709551615:4",
    );
    check_libsvm("1 0:9 4294967297:2\n", "2 1>0:9,4294967297:2");
    check_libsvm("1 qid:7 1:1\n2 qid:7 1:2\n3 qid:2 1:3\n4 1:4\n", "1 1>0:1 2>0:2 3>0:3 4>0:4 groups [0, 0, 1, 2]");
    check_libsvm("", "0 ");
    check_libsvm("3\n", "0 3>");
    check_libsvm("10,9 1:1\n9 2:1\n 3:1\n1:4\n", "3 {9 10}>0:1 {9}>1:1 {}>2:1 {}>0:4");
    check_libsvm("b,a 1:1\na,a,a\n", "1 {a b}>0:1 {a}>");
    check_libsvm("1:1 2:2\n3:3\n", "3 >0:1,1:2 >2:3");
    check_libsvm("1 1:1\n 2:2\n", "2 {1}>0:1 {}>1:2");
    let sort = Reading { sort_ids: true, ..Default::default() };
    check("1 3:3 1:1 2:2\n", &sort, "3 1>0:1,1:2,2:3");
    check("1 3:3 1:1 3:2\n", &sort, "error t:1:14: duplicate id in this row");
    check("1 3:3 1:0 3:0\n", &sort, "error t:1:14: duplicate id in this row");
    check("1 3:3\n", &Reading { zero_based: Some(true), ..Default::default() }, "4 1>3:3");
    check(
        "1 0:3\n",
        &Reading { zero_based: Some(false), ..Default::default() },
        "error t:1:3: the id 0, but ids count from 1 here",
    );
}

#[test]
fn refusals_say_where() {
    for (text, why) in [
        ("1 1:nan", "1:5: the value \"nan\" is not a finite number"),
        ("1 1:1e999", "1:5: the value \"1e999\" is not a finite number"),
        ("1 1:inf", "1:5: the value \"inf\" is not a finite number"),
        ("1 1:", "1:5: the value \"\" is not a finite number"),
        ("1 1: 2:3", "1:6: the value \"2:3\" is not a finite number"),
        ("1 1:2x", "1:5: the value \"2x\" is not a finite number"),
        ("1 1:1\n2 -3:1", "2:3: the id of \"-3:1\" is negative"),
        ("1 2:1 2:1", "1:7: the id 2 is duplicated"),
        ("1 2:1 1:1", "1:7: the id 1 comes after 2; ids must ascend (option: sort-ids sorts them)"),
        ("1 1", "1:3: \"1\" is not an id:value pair"),
        ("1 a:1", "1:3: \"a:1\" is not an id:value pair"),
        ("1 1.5:1", "1:3: \"1.5:1\" is not an id:value pair"),
        ("1 99999999999999999999:1", "1:3: \"99999999999999999999:1\" is not an id:value pair"),
        ("1 qid:1 qid:2 1:1", "1:9: \"qid:2\" is not an id:value pair"),
        ("1 1:1\0", "1:6: a NUL byte: this is not text, or the text was truncated"),
        ("nan 1:1", "1:1: the label \"nan\" is not a finite number"),
        ("spam 1:1", "1:1: the label \"spam\" is not a finite number"),
        ("1 1:1\n1, 1:1", "2:3: an empty label beside a comma"),
    ] {
        check_libsvm(text, &format!("error t:{why}"));
    }
}

#[test]
fn counts_of_xmc_are_kept() {
    let read = |text: &str| match xmc::read("t", text.as_bytes(), &Reading::default(), &Run::quiet(1)) {
        Ok(data) => summary(&data),
        Err(error) => format!("error {error}"),
    };
    assert_eq!(read("3 5 4\n0,3 1:1 4:2\n 2:1\n2 \n\n"), "5 {0 3}>1:1,4:2 {}>2:1 {2}>");
    assert_eq!(read("3 5 4\r\n0 0:1\r\n\r\n1 1:1\r\n"), "5 {0}>0:1 {}> {1}>1:1");
    assert_eq!(read("0 5 4\n"), "5 ");
    assert_eq!(read("1 5 4\n0 1:1\n1 1:1\n"), "error t:1:1: the first line promises 1 rows, 2 follow");
    assert_eq!(read("1 5 4\n4 1:1\n"), "error t:2:1: the label \"4\" is not a whole number below 4");
    assert_eq!(read("1 5 4\n0 5:1\n"), "error t:2:3: the id 5 is not below the declared 5 features");
    assert_eq!(read("1 5 4\n0 4294967296:1\n"), "error t:2:3: the id 4294967296 is not below the declared 5 features");
    assert_eq!(read("1 5\n"), "error t:1:1: the first line must be three counts, `rows features labels`, not \"1 5\"");
    assert!(read("1 5 99999999999\n").contains("at most"));
    let tight = Run { memory: Memory::limited(1 << 20), ..Run::quiet(1) };
    assert!(xmc::read("t", b"1 5 9999999\n0 1:1\n", &Reading::default(), &tight).is_err());
}

#[test]
fn what_is_written_reads_back() {
    use rand::RngExt;
    for seed in 0..60u64 {
        let mut draw = base::Seed(seed).stream();
        let (rows, width) = (draw.random_range(1..20usize), draw.random_range(1..30usize));
        let (mut starts, mut ids, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in 0..rows {
            for id in 0..width as u32 {
                // The last column is there, so that the width comes back.
                if draw.random::<f64>() < 0.3 || (row == 0 && id as usize + 1 == width) {
                    ids.push(id);
                    values.push(f64::from_bits(draw.random::<u64>() >> 2) * if draw.random() { 1.0 } else { -1.0 });
                }
            }
            starts.push(ids.len());
        }
        values.iter_mut().filter(|v| !v.is_finite() || **v == 0.0).for_each(|v| *v = 1.5);
        let points = Points::Sparse(base::Sparse::new(starts, ids, values, width).unwrap());
        let targets = match seed % 3 {
            0 => Targets::Values(base::Values::new((0..rows).map(|_| draw.random::<f64>() - 0.5).collect(), "label")),
            1 => {
                // All names come up, and an empty set too.
                let mut starts = vec![0, 0, 3];
                starts.resize(rows.max(2) + 1, 3);
                starts.truncate(rows + 1);
                let count = *starts.last().unwrap();
                let names: Vec<String> = if count == 3 { ["2", "10", "x"].map(String::from).to_vec() } else { vec![] };
                if names.is_empty() {
                    Targets::None
                } else {
                    let mut names = names;
                    names.sort();
                    Targets::Sets(base::LabelSets::new(starts, vec![0, 1, 2], names, vec![]).unwrap())
                }
            }
            _ => Targets::None,
        };
        let mut bytes = Vec::new();
        libsvm::write(&mut bytes, &points, &targets).unwrap();
        let data = read_all_ways(&bytes, &Reading::default()).unwrap();
        let labelled = if rows == 0 { Targets::None } else { targets };
        // A row without labels and entries is an empty line, which is no row.
        if data.len() == rows {
            assert_eq!((data.points().unwrap(), &data.targets), (&points, &labelled), "seed {seed}");
        } else {
            assert!(!matches!(labelled, Targets::Values(_)), "seed {seed}");
        }
    }
}

#[test]
fn attribute_relation_rows() {
    let read = |text: &str, labels: Option<i64>| {
        let how = Reading { labels, ..Default::default() };
        arff::read("t", text.as_bytes(), &how, &Run::quiet(1))
    };
    let sparse = "@relation 'x: -C 2'\n@attribute l1 {0,1}\n@attribute l2 {0,1}\n@attribute a numeric\n@attribute 'b c' real\n@data\n{0 1,2 2.5}\n{}\n{1 1, 3 -1},{2}\n";
    let data = read(sparse, None).unwrap();
    assert_eq!(summary(&data), "2 {l1}>a:2.5 {}> {l2}>b c:-1");
    assert_eq!(data.weights, Some(vec![1.0, 1.0, 2.0].into()));
    assert_eq!(read(sparse, Some(-2)).unwrap().features.name(0), "l1");
    assert_eq!(read(sparse, Some(0)).unwrap().targets, Targets::None);
    assert!(read(sparse, Some(5)).is_err());
    let classes = "@relation x\n@attribute a numeric\n@attribute class {no,yes}\n@data\n{0 1,1 yes}\n{0 2}\n";
    assert_eq!(summary(&read(classes, None).unwrap()), "1 yes>a:1 no>a:2");
    for (text, why) in [
        ("@relation x\n@attribute a numeric\n", "t: ends before @data"),
        (
            "@relation x\n@attribute a foo\n@data\n",
            "t:2:1: \"foo\" is not an attribute type (numeric, string, date, {a,b})",
        ),
        ("@relation x\n@attribute a {u,v\n@data\n", "t:2:1: the levels \"{u,v\" are not closed by a brace"),
        ("@relation x\nhello\n@data\n", "t:2:1: \"hello\" is not a line of an ARFF header"),
        ("@relation x\n@attribute a numeric\n@data\n{1 1}\n", "t:4:1: attribute 1, but there are only 1"),
        (
            "@relation x\n@attribute a numeric\n@attribute b numeric\n@data\n{1 1,0 1}\n",
            "t:5:1: attribute 0 comes after 1; they must ascend",
        ),
        ("@relation x\n@attribute a numeric\n@data\nfoo\n", "t:4:1: \"foo\" is not a finite number"),
        ("@relation x\n@attribute a {u,v}\n@data\nw\n", "t:4:1: \"w\" is not a level of the attribute"),
        ("@relation x\n@attribute a numeric\n@attribute b numeric\n@data\n1\n", "t:5:1: has 1 cells for 2 attributes"),
        (
            "@relation x\n@attribute a numeric\n@data\n1,2\n",
            "t:4:2: \",2\" is too much for this row; only a weight in braces may follow",
        ),
        ("@relation x\n@attribute a string\n@data\n'abc\n", "t:4:1: a quote is opened and never closed"),
    ] {
        assert_eq!(read(text, None).unwrap_err().to_string(), why, "{text:?}");
    }
}

/// A stream in blocks of any size gives the rows that reading as a whole gives.
#[test]
fn streams_say_what_whole_files_say() {
    let libsvm = "1 1:2 3:4\n\n# x\n-1 2:1 7:1\n3.5\n";
    let sets = "10,9 1:1\n9 2:1\n 3:1\n1:4\n";
    let xmc = "3 5 4\n0,3 1:1 4:2\n 2:1\n2 \n";
    let arff =
        "@relation 'x: -C 1'\n@attribute l1 {0,1}\n@attribute a numeric\n@data\n{0 1,1 2.5}\n% note\n{}\n{1 3}\n";
    for (text, format) in [(libsvm, Format::LibSvm), (sets, Format::LibSvm), (xmc, Format::Xmc), (arff, Format::Arff)] {
        let run = Run::quiet(1);
        let how = Reading::default();
        let whole = match format {
            Format::LibSvm => libsvm::read("t", text.as_bytes(), &how, &run),
            Format::Xmc => xmc::read("t", text.as_bytes(), &how, &run),
            _ => arff::read("t", text.as_bytes(), &how, &run),
        };
        let rows = |data: &Dataset| summary(data).split(' ').skip(1).map(String::from).collect::<Vec<_>>();
        let expected = rows(&whole.unwrap());
        for block in 1..text.len() + 2 {
            let parts = stream::stream_in_blocks("t", Box::new(text.as_bytes()), format, &how, block, &run).unwrap();
            let found: Vec<String> = parts.flat_map(|p| rows(&p.unwrap())).collect();
            // Sets of more than one label have blanks in their summary, in both.
            assert_eq!(found.join(" "), expected.join(" "), "{format:?} in blocks of {block}");
        }
    }
}

/// Spoiled rows, too, say the same in pieces of any size.
#[test]
fn pieces_of_spoiled_rows_say_the_same() {
    let seeds: &[&[u8]] = &[
        b"1 1:2 3:-.5\n-1 2:1e2 # c\n3 0:1\n",
        b"10,9 1:1\n9 2:0\n 3:1\n1:4\n",
        b"1 qid:7 1: 1\r\n2 4294967299:2\r\n",
    ];
    survive(5_000, 1 << 20, seeds, |bytes, run| {
        let piece = 1 + bytes.len() % 13;
        let how = Block { labels: None, listed: false, zero_based: None, sort: bytes.len() % 2 == 0, piece };
        let source = Source::new("t", bytes);
        let cut = how.read(&source, run);
        let whole = Block { piece: 1 << 20, ..how }.read(&source, run);
        // The bytes as they are: without what decoding would change.
        assert_eq!(whole, cut, "{}", bytes.escape_ascii());
        whole
    });
}
