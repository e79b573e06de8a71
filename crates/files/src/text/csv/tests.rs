//! Tables from short texts: what comes out, and what is refused with which words.

use super::*;
use crate::text::mutate::survive;
use base::{Cells, Inputs, Memory, Progress, UNKNOWN, Verdict, Watch};
use std::sync::Mutex;

/// Keeps what the user is told.
#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

impl Watch for Notes {
    fn step(&self, _: &Progress<'_>) -> Verdict {
        Verdict::GoOn
    }
    fn note(&self, text: &str) {
        self.0.lock().unwrap().push(text.into());
    }
}

fn table(data: Dataset) -> Table {
    match data.inputs {
        Inputs::Table(table) => table,
        Inputs::Points(_) => panic!("no table"),
    }
}

/// A table in a line: `name:kind=cell|cell`, missing cells as `-`.
fn summary(table: &Table) -> String {
    let column = |c: &Column| {
        let cells: Vec<String> = (0..table.rows()).map(|r| c.cells.text(r).unwrap_or_else(|| "-".into())).collect();
        format!("{}:{}={}", c.name, c.cells.type_name(), cells.join("|"))
    };
    table.columns().iter().map(column).collect::<Vec<_>>().join(" ")
}

/// Reads a text in pieces of every size up to its length, on one thread and on four: all must say the same.
fn read_all_ways(text: &[u8], how: &Reading) -> Result<Table> {
    let whole = read("t", text, how, &Run::quiet(1)).map(table);
    let run = Run { threads: 4, ..Run::quiet(1) };
    for piece in 1..=text.len().min(40) {
        // Threads cost more than these texts: they are tried with some sizes only.
        let run = if piece % 8 == 1 { &run } else { &Run::quiet(1) };
        let cut = read_in_pieces("t", text, how, piece, run).map(table);
        match (&whole, &cut) {
            (Ok(a), Ok(b)) => assert_eq!(summary(a), summary(b), "pieces of {piece}"),
            _ => assert_eq!(whole, cut, "pieces of {piece}"),
        }
    }
    whole
}

fn check(text: &str, how: &Reading, expected: &str) {
    match read_all_ways(text.as_bytes(), how) {
        Ok(table) => assert_eq!(summary(&table), expected, "{text:?}"),
        Err(error) => assert_eq!(format!("error {error}"), expected, "{text:?}"),
    }
}

fn check_csv(text: &str, expected: &str) {
    check(text, &Reading::default(), expected);
}

#[test]
fn fields_and_quotes() {
    check_csv("a,b\n1,x\n2,y\n", "a:number=1|2 b:category=x|y");
    check_csv("a,b\r\n1,x\r\n2,y", "a:number=1|2 b:category=x|y");
    check_csv("a,b\r1,x\r2,y\r", "a:number=1|2 b:category=x|y");
    check_csv("\u{feff}a,b\n1,x\n", "a:number=1 b:category=x");
    check_csv("a,b\n1,\"x, y\"\n2,\"say \"\"hi\"\"\"\n", "a:number=1|2 b:category=x, y|say \"hi\"");
    check_csv("a,b\n\"1\",\"x\ny\"\n2,\"\n\n\"\n", "a:number=1|2 b:category=x\ny|\n\n");
    check_csv("\"a,1\",\"b\"\"\"\n1,2\n", "a,1:number=1 b\":number=2");
    check_csv("a,b\n1,6\" nails\n2,x\"y\"\n", "a:number=1|2 b:category=6\" nails|x\"y\"");
    check_csv("a , b\n 1 , x y \n2,\" z \"\n", "a:number=1|2 b:category=x y| z ");
    check_csv("a,b\n\n1,x\n   \n2,y\n\n", "a:number=1|2 b:category=x|y");
    check_csv("a,b\n1,\"x\" \n2,\"y\"\t\n", "a:number=1|2 b:category=x|y");
    check_csv("a\n1\n2\n", "a:number=1|2");
    check_csv("x\n", "0:category=x");
    check_csv("a,b\n,\n1,2\n", "a:number=-|1 b:number=-|2");
    check_csv(
        "ham\t\"Go\" he said\nspam\tno\nham\t\"never closed\nham\tx y\n",
        "0:category=ham|spam|ham|ham 1:category=\"Go\" he said|no|\"never closed|x y",
    );
}

#[test]
fn separators_and_commas() {
    check_csv("a;b\n1,5;2\n3,25;4\n", "a:number=1.5|3.25 b:number=2|4");
    check_csv("a;b\n1.5;2\n3.25;4\n", "a:number=1.5|3.25 b:number=2|4");
    check_csv("1,5;2,5\n3,5;4,5\n", "0:number=1.5|3.5 1:number=2.5|4.5");
    check_csv("a\tb\n1,5\tx\n-0,5e1\ty\n", "a:number=1.5|-5 b:category=x|y");
    check_csv("a|b\n1|x\n", "a:number=1 b:category=x");
    check_csv("7 2  3\n 4 5\t6 \n", "0:number=7|4 1:number=2|5 2:number=3|6");
    check_csv("x y\n1 \"a b\"\n2 c\n", "x:number=1|2 y:category=a b|c");
    check_csv("one two\nthree four\n", "0:category=one two|three four");
    check_csv("a,b\n1;2,x\n3;4,y\n", "0:category=a|1;2|3;4 1:category=b|x|y");
    check("a;b;c\n1;2;3\n", &Reading { separator: Some(b','), ..Default::default() }, "0:category=a;b;c|1;2;3");
    check(
        "1,5\t2\n",
        &Reading { decimal_comma: Some(false), header: Header::No, ..Default::default() },
        "0:category=1,5 1:number=2",
    );
}

#[test]
fn headers() {
    check_csv("0,1,2\n5,6,7\n", "0:number=5 1:number=6 2:number=7");
    check_csv("1,2,target\nx,y,w\nx,z,w\n", "1:category=x|x 2:category=y|z target:category=w|w");
    check_csv("0,1\n1,2\n", "0:number=0|1 1:number=1|2");
    check_csv("3,4\n1,2\n", "0:number=3|1 1:number=4|2");
    check_csv("a,a\n1,2\n", "0:category=a|1 1:category=a|2");
    check_csv("a,\n1,2\n", "0:category=a|1 1:number=-|2");
    check_csv(",x\n0,1\n1,2\n", "0:number=0|1 x:number=1|2");
    check_csv("color,size\nred,s\nblue,s\nred,m\nblue,m\n", "color:category=red|blue|red|blue size:category=s|s|m|m");
    check_csv("red,s\nblue,s\nred,m\nblue,m\n", "0:category=red|blue|red|blue 1:category=s|s|m|m");
    check_csv("when\n2020-01-01\n2020-01-02\n", "when:date=1577836800|1577923200");
    let header = |header| Reading { header, ..Default::default() };
    check("x,y\n1,2\n", &header(Header::No), "0:category=x|1 1:category=y|2");
    check("5,6\n1,2\n", &header(Header::Yes), "5:number=1 6:number=2");
    check("a,b,c\n", &header(Header::Yes), "a:number= b:number= c:number=");
    let notes = Notes::default();
    let run = Run { watch: &notes, ..Run::quiet(1) };
    let found = read("t", b"a,a,a_2,a\n1,2,3,4\n", &header(Header::Yes), &run).map(table).unwrap();
    assert_eq!(summary(&found), "a:number=1 a_3:number=2 a_2:number=3 a_4:number=4");
    assert_eq!(notes.0.lock().unwrap()[..], ["t: names of columns came twice and became \"a_3\", \"a_4\""]);
}

#[test]
fn kinds_of_columns() {
    check_csv("x\n1e3\n-.5\n+7\n?\nNA\n", "x:number=1000|-0.5|7|-|-");
    check_csv("x,y\n1,a\nfoo,b\n", "0:category=x|1|foo 1:category=y|a|b");
    check_csv("id,v\nq1,1\nq2,2\n", "id:id=q1|q2 v:number=1|2");
    check_csv("d,v\n2020-01-01,1\n,2\n2020-01-01 00:00:01Z,3\n", "d:date=1577836800|-|1577836801 v:number=1|2|3");
    check_csv("d,v\n2020-01-01,1\n2020-13-01,2\n", "d:category=2020-01-01|2020-13-01 v:number=1|2");
    check_csv("x,v\n\"NA\",1\nNA,2\nb,3\n", "x:category=NA|-|b v:number=1|2|3");
    let prose: String = (0..20).map(|i| format!("{i},this is text number {i}\n")).collect();
    let found = read_all_ways(format!("n,t\n{prose}").as_bytes(), &Reading::default()).unwrap();
    assert_eq!(found.column("t").unwrap().cells.type_name(), "text");
    // Numbers for a thousand rows and more, then a word: the column is read again as words.
    let long: String = (0..3000).map(|i| format!("{},{}\n", i % 7, if i == 2900 { "word" } else { "1" })).collect();
    let found = table(read("t", long.as_bytes(), &Reading::default(), &Run::quiet(1)).unwrap());
    assert_eq!((found.rows(), found.columns()[1].cells.type_name()), (3000, "category"));
    let mut how = Reading::default();
    how.kinds.insert("c".into(), FeatureKind::Category(vec!["z".to_string(), "b".to_string()].into()));
    how.kinds.insert("t".into(), FeatureKind::Text);
    let found = read_all_ways(b"c,t\nb,1\na,2\nz,3\n,4\n", &how).unwrap();
    let Cells::Category { codes, levels } = &found.columns()[0].cells else { panic!("no category") };
    assert_eq!((&codes[..], &levels.join(" ")[..]), (&[1, 2, 0, UNKNOWN][..], "z b a"));
    assert_eq!(found.columns()[1].cells.type_name(), "text");
}

#[test]
fn refusals_say_where() {
    check_csv("a,b\n1,2\n3\n", "error t:3: has 1 field, the first line has 2 fields");
    check_csv("a,b\n1,2\n\n3,4,5\n", "error t:4: has 3 fields, the first line has 2 fields");
    check_csv("a,b\n1,\"x\ny\"\n1,2,3\n", "error t:4: has 3 fields, the first line has 2 fields");
    check_csv(
        "a,b\n1,inf\n2,3\n",
        "error t:2:2: \"inf\" is no finite number; write it as missing (empty) or leave the row out (column \"b\")",
    );
    check_csv(
        "a,b\n1,2\n2,1e999\n",
        "error t:3:2: \"1e999\" is no finite number; write it as missing (empty) or leave the row out (column \"b\")",
    );
    check_csv("a,b\n1,\0\n", "error t:2:3: a NUL byte: this is not text, or text cut off in writing");
    check_csv("a,b\n1,\"x\"y\n", "error t:2:2: text after the closing quote; a quote within quotes must be doubled");
    check_csv("a,b\n1,\"x\n", "error t:2:2: a quote is opened here and never closed");
    check_csv("", "error t: is empty: there is no row to read");
    check_csv("\n\n", "error t: is empty: there is no row to read");
    let mut how = Reading::default();
    how.kinds.insert("a".into(), FeatureKind::Number);
    let long = "x".repeat(60);
    check(
        &format!("a,b\n1,2\n{long},2\n"),
        &how,
        &format!("error t:3:1: \"{}…\" is no number (column \"a\")", "x".repeat(39)),
    );
    how.kinds.insert("a".into(), FeatureKind::Date);
    check("a\n2020-01-01\n5\n", &how, "error t:3:1: \"5\" is no date (ISO 8601) (column \"a\")");
    how.kinds.insert("a".into(), FeatureKind::Image);
    assert!(read("t", b"a\nx\n", &how, &Run::quiet(1)).is_err());
    let narrow = Reading { max_columns: 2, ..Default::default() };
    check("a,b,c\n1,2,3\n", &narrow, "error t: has 3 columns, more than the 2 that are allowed (--max-columns)");
}

#[test]
fn memory_is_asked_for_first_and_given_back() {
    let text: String = (0..10_000).map(|i| format!("{i},w{}\n", i % 10)).collect();
    let run = Run { memory: Memory::limited(400_000), ..Run::quiet(1) };
    let data = read("t", text.as_bytes(), &Reading::default(), &run).unwrap();
    assert_eq!(run.memory.used(), 120_000);
    drop(data);
    assert_eq!(run.memory.used(), 0);
    let run = Run { memory: Memory::limited(100_000), ..Run::quiet(1) };
    assert!(matches!(read("t", text.as_bytes(), &Reading::default(), &run), Err(Error::Memory { .. })));
}

/// Tables drawn at random, written and read again with their own kinds, come back the same.
#[test]
fn what_is_written_reads_back() {
    use rand::RngExt;
    for seed in 0..300 {
        let mut draw = base::Seed(seed).stream();
        let rows = draw.random_range(0..30usize);
        let width = draw.random_range(1..6usize);
        let mut word = {
            let mut draw = base::Seed(seed).fork("words").stream();
            move || {
                let letters = ['a', 'b', ',', '"', '\n', '\r', ' ', ';', 'é', '1', '.', '\t'];
                let length = draw.random_range(1..8usize);
                (0..length).map(|_| letters[draw.random_range(0..letters.len())]).collect::<String>()
            }
        };
        let mut columns = Vec::new();
        for i in 0..width {
            let gap = |draw: &mut rand_chacha::ChaCha8Rng| draw.random::<f64>() < 0.2;
            let cells = match draw.random_range(0..5) {
                0 => Cells::Number(
                    (0..rows)
                        .map(|_| if gap(&mut draw) { f64::NAN } else { finite(&mut draw) })
                        .collect::<Vec<_>>()
                        .into(),
                ),
                1 => {
                    let words: Vec<Option<String>> = (0..rows).map(|_| (!gap(&mut draw)).then(&mut word)).collect();
                    Cells::categories(words.iter().map(|w| w.as_deref()))
                }
                2 => Cells::Date(
                    (0..rows)
                        .map(|_| f64::from(draw.random::<i32>()) + 0.5 * f64::from(draw.random::<bool>()))
                        .collect::<Vec<_>>()
                        .into(),
                ),
                3 => {
                    Cells::Id((0..rows).map(|_| word()).collect::<Vec<_>>().iter().map(|w| Some(w.as_str())).collect())
                }
                _ => {
                    let words: Vec<Option<String>> = (0..rows).map(|_| (!gap(&mut draw)).then(&mut word)).collect();
                    Cells::Text(words.iter().map(|w| w.as_deref()).collect())
                }
            };
            columns.push(Column { name: format!("{}{i}", word()), cells });
        }
        let written = Table::new(columns).unwrap();
        let separator = b",;\t|"[draw.random_range(0..4usize)];
        let mut bytes = Vec::new();
        write(&mut bytes, &written, separator).unwrap();
        let kinds = written.columns().iter().map(|c| (c.name.clone(), FeatureKind::of(&c.cells))).collect();
        let how = Reading {
            header: Header::Yes,
            separator: Some(separator),
            quotes: Some(true),
            decimal_comma: Some(false),
            kinds,
            ..Default::default()
        };
        let found = read_all_ways(&bytes, &how)
            .unwrap_or_else(|e| panic!("seed {seed}: {e}\n{}", String::from_utf8_lossy(&bytes)));
        assert_eq!(found.columns().len(), width);
        for (a, b) in written.columns().iter().zip(found.columns()) {
            assert_eq!((&a.name, a.cells.len()), (&b.name, b.cells.len()), "seed {seed}");
            match (&a.cells, &b.cells) {
                (Cells::Number(x), Cells::Number(y)) | (Cells::Date(x), Cells::Date(y)) => {
                    assert!(
                        x.iter().zip(&y[..]).all(|(x, y)| x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan())),
                        "seed {seed}"
                    );
                }
                (a, b) => assert_eq!(a, b, "seed {seed}"),
            }
        }
    }
}

/// A stream in blocks of any size gives the rows that reading as a whole gives, and counts lines through all of it.
#[test]
fn streams_say_what_whole_files_say() {
    use crate::text::stream::stream_in_blocks;
    let kinds = [("a", FeatureKind::Number), ("b", FeatureKind::Text), ("c", FeatureKind::Category(Vec::new().into()))];
    let kinds = kinds.map(|(name, kind)| (name.to_string(), kind)).into();
    let how = Reading { kinds, ..Default::default() };
    let text = "a,b,c\n1,\"x\ny\",u\n2,\"say \"\"hi\"\"\",v\n\n3,é,u\n4,,w\n";
    let run = Run::quiet(1);
    let whole = table(read("t", text.as_bytes(), &how, &run).unwrap());
    let wide: Vec<u8> = [0xfeffu16].into_iter().chain(text.encode_utf16()).flat_map(u16::to_be_bytes).collect();
    for bytes in [text.as_bytes(), &wide] {
        for block in 1..text.len() + 2 {
            let parts = stream_in_blocks("t", Box::new(bytes), crate::Format::Csv, &how, block, &run).unwrap();
            let mut row = 0;
            for part in parts {
                let part = table(part.unwrap_or_else(|e| panic!("blocks of {block}: {e}")));
                for i in 0..part.rows() {
                    for (a, b) in whole.columns().iter().zip(part.columns()) {
                        assert_eq!((&a.name, a.cells.text(row)), (&b.name, b.cells.text(i)), "blocks of {block}");
                    }
                    row += 1;
                }
            }
            assert_eq!(row, whole.rows(), "blocks of {block}");
            let bad = format!("{text}x,y,u\n");
            let parts = stream_in_blocks("t", Box::new(bad.as_bytes()), crate::Format::Csv, &how, block, &run).unwrap();
            let error = parts.filter_map(|p| p.err()).next().unwrap().to_string();
            assert_eq!(error, "t:8:1: \"x\" is no number (column \"a\")", "blocks of {block}");
        }
    }
}

/// Spoiled tables, too, say the same in pieces of any size.
#[test]
fn pieces_of_spoiled_tables_say_the_same() {
    let seeds: &[&[u8]] = &[
        b"a,b,c\n1,x,2020-01-01\n2,\"y, \"\"z\"\"\n\",2020-01-02\n?,x,\n",
        b"\"a\nb\"\tc\n\"1\n\"\t\"2\"\n3\t\"\"\n",
        b"k;v\r\n\"q;1\";1,5\r\n\r\n\"q\"\"2\" ;2,5\r\n",
    ];
    survive(5_000, 1 << 20, seeds, |bytes, run| {
        let said = |result: Result<Dataset>| result.map(|data| summary(&table(data)));
        let whole = said(read("t", bytes, &Reading::default(), run));
        let piece = 1 + bytes.len() % 13;
        assert_eq!(
            whole,
            said(read_in_pieces("t", bytes, &Reading::default(), piece, run)),
            "{}",
            bytes.escape_ascii()
        );
        whole
    });
}

fn finite(draw: &mut rand_chacha::ChaCha8Rng) -> f64 {
    use rand::RngExt;
    loop {
        let x = f64::from_bits(draw.random());
        if x.is_finite() {
            return x;
        }
    }
}
