//! Tables from short texts: what comes out, and what is refused with which words.

use super::*;
use crate::text::mutate::survive;
use crate::{ColumnType, Header};
use base::{Cells, Column, Error, FeatureKind, Inputs, Memory, Progress, Table, UNKNOWN, Verdict, Watch};
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
    check_csv("a,a\n1,2\n", "a:number=1 a_2:number=2");
    check_csv("a,\n1,2\n", "a:number=1 1:number=2");
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
    assert_eq!(notes.0.lock().unwrap()[..], ["t: duplicate column names became \"a_3\", \"a_4\""]);
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
    // Numbers for a thousand rows and more, then many words: the column is read again as words.
    let long: String = (0..3000).map(|i| format!("{},{}\n", i % 7, if i > 1900 { "word" } else { "1" })).collect();
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
    check_csv("a,b\n1,\0\n", "error t:2:3: a NUL byte: this is not text, or the text was truncated");
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
        &format!("error t:3:1: \"{}…\" is not a number (column \"a\")", "x".repeat(39)),
    );
    how.kinds.insert("a".into(), FeatureKind::Date);
    check("a\n2020-01-01\n5\n", &how, "error t:3:1: \"5\" is not a date (column \"a\")");
    how.kinds.insert("a".into(), FeatureKind::Image);
    assert!(read("t", b"a\nx\n", &how, &Run::quiet(1)).is_err());
    let narrow = Reading { max_columns: 2, ..Default::default() };
    check(
        "a,b,c\n1,2,3\n",
        &narrow,
        "error t: has 3 columns, more than the 2 that are allowed (option: max-columns N)",
    );
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
            assert_eq!(error, "t:8:1: \"x\" is not a number (column \"a\")", "blocks of {block}");
        }
    }
}

/// The end mark of DOS is dropped wherever blocks are cut, and a mark within the text is not the end.
#[test]
fn mofa_streams_end_at_the_mark_of_dos() {
    use crate::text::stream::stream_in_blocks;
    let run = Run::quiet(1);
    for (rows, end) in
        [(2, "\x1a"), (2, "\x1a\r\n"), (2, "\r\n\x1a"), (2, "\x1a\n\n"), (3, "\x1a\n3,z\n"), (3, "\n3,\"y\x1a\"\n")]
    {
        for (format, head) in [(crate::Format::Csv, "a,b\n1,x\n2,y"), (crate::Format::LibSvm, "1 1:2\n2 1:6.2")] {
            // A row of the table behind a mark is no row of pairs.
            if rows == 3 && format == crate::Format::LibSvm {
                continue;
            }
            let text = format!("{head}{end}");
            for block in 1..text.len() + 2 {
                let bytes = Box::new(text.as_bytes());
                let parts = stream_in_blocks("t", bytes, format, &Reading::default(), block, &run).unwrap();
                let parts: Vec<Dataset> =
                    parts.map(|p| p.unwrap_or_else(|e| panic!("{text:?}, {block}: {e}"))).collect();
                assert_eq!(parts.iter().map(Dataset::len).sum::<usize>(), rows, "{text:?} in blocks of {block}");
                if let (true, base::Inputs::Table(last)) = (!end.contains('z'), &parts.last().unwrap().inputs) {
                    let cells = &last.columns()[1].cells;
                    assert_eq!(cells.text(last.rows() - 1).as_deref(), Some("y"), "{text:?} in blocks of {block}");
                }
            }
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

/// A table in a line, and what the user is told.
fn told(text: &[u8], how: &Reading) -> (String, String) {
    let notes = Notes::default();
    let run = Run { watch: &notes, ..Run::quiet(1) };
    let found = match read("t", text, how, &run).map(table) {
        Ok(table) => summary(&table),
        Err(error) => format!("error {error}"),
    };
    let said = notes.0.lock().unwrap().join("; ");
    (found, said)
}

#[track_caller]
fn check_told(text: &str, expected: &str, said: &str) {
    let (found, notes) = told(text.as_bytes(), &Reading::default());
    assert_eq!((&found[..], &notes[..]), (expected, said), "{text:?}");
    // Cutting into pieces changes nothing.
    check_csv(text, expected);
}

#[test]
fn d2_doubled_and_empty_names() {
    check_told(
        "a,a,colour,buy\n1,2,red,yes\n3,4,red,no\n",
        "a:number=1|3 a_2:number=2|4 colour:category=red|red buy:category=yes|no",
        "t: duplicate column names became \"a_2\"",
    );
    check_told(
        "size,buy,\n1,yes,\n2,no,\n",
        "size:number=1|2 buy:category=yes|no",
        "t: column \"2\": is empty, has no name and is left out",
    );
    check_told(
        "size,buy\n1,yes,\n2,no,\n",
        "size:number=1|2 buy:category=yes|no",
        "t: column \"2\": is empty, has no name and is left out",
    );
    check_told("size,buy,\n1,yes\n2,no\n", "size:number=1|2 buy:category=yes|no", "");
    check_told("a,,c\n1,2,3\n4,5,6\n", "a:number=1|4 1:number=2|5 c:number=3|6", "");
    check_told(
        "red,s\nblue,m\n",
        "0:category=red|blue 1:category=s|m",
        "t: no header found; the columns are named 0 to 1 (option: header yes if the first line names them)",
    );
    check_told(
        "country,1990,1991,1992\nA,1,2,3\nB,4,5,6\n",
        "country:category=A|B 1990:number=1|4 1991:number=2|5 1992:number=3|6",
        "",
    );
    check_told(
        "name,comment\nAnna Smith,so so\nBob Jones,fine\n",
        "name:id=Anna Smith|Bob Jones comment:category=so so|fine",
        "t: column \"name\": names the rows (id), which machines leave out (option: type COLUMN=category keeps it)",
    );
}

#[test]
fn d4_one_bad_cell_in_a_number_column() {
    let numbers = |odd: &str| -> String {
        let rows = (0..40).map(|i| if i == 25 { format!("{i}.5,{odd}\n") } else { format!("{i}.5,{}\n", 7 * i % 11) });
        "a,sales\n".to_string() + &rows.collect::<String>()
    };
    let (found, _) = told(numbers("1o23").as_bytes(), &Reading::default());
    assert_eq!(
        found,
        "error t:27:2: \"1o23\" is not a number, as 39 other cells are; correct it (column \"sales\") (option: missing '1o23' \
         reads it as missing, or option: type sales=text reads the column as text)"
    );
    for gap in ["-", ".", "unknown", "#N/A", "#DIV/0!", "n.a.", "inf", "1e999"] {
        let (found, said) = told(numbers(gap).as_bytes(), &Reading::default());
        assert!(found.starts_with("a:number=") && found.contains("sales:number="), "{gap}: {found}");
        assert_eq!(said, format!("t: column \"sales\": 1 cell is read as missing ({gap:?} in line 27)"));
    }
    let (found, _) = told((numbers("3") + "Total,300\n").as_bytes(), &Reading::default());
    assert!(found.starts_with("error t:42:1: \"Total\" is not a number, as 40 other cells are"), "{found}");
    // A tenth and more are no accident, and said; fewer numbers than words are words.
    let some: String = (0..40).map(|i| if i % 4 == 0 { "u\n".to_string() } else { format!("{i}\n") }).collect();
    let (found, said) = told(format!("x\n{some}").as_bytes(), &Reading::default());
    assert!(found.starts_with("x:category="), "{found}");
    assert_eq!(said, "t: column \"x\": is read as a category: 30 of 40 cells are numbers, \"u\" in line 2 is not");
    let few: String = (0..40).map(|i| if i % 4 != 0 { "u\n".to_string() } else { format!("{i}\n") }).collect();
    let (found, said) = told(format!("x\n{few}").as_bytes(), &Reading::default());
    assert!(found.starts_with("x:category=") && said.is_empty(), "{found} {said}");
}

#[test]
fn d4_a_line_of_totals_is_refused() {
    let text = "region,sales\nN,1\nS,2\nW,3\nE,4\nTotal,10\n";
    check_told(text, "error t:6:1: \"Total\" begins a line of totals, which is not a row of data; remove it", "");
    let (found, said) = told(b"region,sales\nN,1\nS,2\nW,3\nE,4\nTotal,11\n", &Reading::default());
    assert!(
        found.starts_with("region:category=") && said.contains("the last line (6) has \"Total\""),
        "{found} {said}"
    );
}

#[test]
fn d5_local_numbers_and_dates() {
    for (text, expected, note) in [
        (
            "x;y\n$1,234.50;1\n$5;2\n",
            "x:number=1234.5|5",
            "numbers are read as 1,234.5, such as \"$1,234.50\" as 1234.5",
        ),
        ("x,y\n12.5%,1\n3%,2\n", "x:number=12.5|3", "numbers are read as 1234.5, such as \"12.5%\" as 12.5"),
        ("x;y\n1.234,56;1\n2,5;2\n", "x:number=1234.56|2.5", "numbers are read as 1.234,5"),
        ("x;y\n1.234;1,5\n12.345;2,5\n", "x:number=1234|12345", "numbers are read as 1.234,5"),
        ("x,y\n115 343,1\n1 115 343,2\n", "x:number=115343|1115343", "numbers are read as 1 234.5"),
        ("x,y\n\u{2212}3,1\n4,2\n", "x:number=-3|4", "as -3"),
        ("x,y\n(5),1\n4,2\n", "x:number=-5|4", "as -5"),
        ("x,y\n31.12.2023,1\n01.02.2023,2\n", "x:date=1703980800|1675209600", "dates are read as day, month, year"),
        ("x,y\n12/31/2023,1\n01/02/2023,2\n", "x:date=1703980800|1672617600", "dates are read as month, day, year"),
        ("x,y\n17-08-1984,1\n01-02-1985,2\n", "x:date=461548800|476064000", "dates are read as day, month, year"),
        (
            "x,y\n13/02/2023,01/02/2023\n14/02/2023,03/02/2023\n",
            "x:date=1676246400|1676332800 y:date=1675209600|1675382400",
            "dates are read as day, month, year",
        ),
        ("x\ty\n1,234\t5\n999\t6\n", "x:number=1234|999", "numbers are read as 1,234.5"),
        ("x,y\n\"1,234\",5\n\"2,345\",6\n", "x:number=1234|2345", "numbers are read as 1,234.5"),
    ] {
        let (found, said) = told(text.as_bytes(), &Reading::default());
        assert!(found.starts_with(expected), "{text:?}: {found} {said}");
        assert!(said.contains(note), "{text:?}: {said}");
    }
    check_csv(
        "x;y\n1,234;5\n2,345;6\n",
        "error t:2:1: \"1,234\" may be 1234 or 1.234; say which (column \"x\") (option: decimal ., or option: decimal ,)",
    );
    check_csv(
        "x,y\n01/02/2023,5\n03/04/2023,6\n",
        "error t:2:1: \"01/02/2023\" is ambiguous: day, month, year or month, day, year? Give the date format (column \"x\") (option: \
         date-format dmy, or option: date-format mdy)",
    );
    check_csv(
        "x,y\n5%,1\n0.3,2\n7%,3\n",
        "error t:3:1: \"0.3\" has no percent sign, as other cells have; bring the column to one unit, or read it as words; correct it (column \"x\") (option: missing '0.3' reads it as missing, or option: type x=text reads the column as text)",
    );
    let how = |f: fn(&mut Reading)| {
        let mut how = Reading::default();
        f(&mut how);
        how
    };
    check("x;y\n1,234;5\n2,345;6\n", &how(|h| h.decimal_comma = Some(true)), "x:number=1.234|2.345 y:number=5|6");
    check("x;y\n1,234;5\n2,345;6\n", &how(|h| h.decimal_comma = Some(false)), "x:number=1234|2345 y:number=5|6");
    let mdy = how(|h| h.date_format = Some("%m/%d/%Y".into()));
    check("x,y\n01/02/2023,5\n03/04/2023,6\n", &mdy, "x:date=1672617600|1677888000 y:number=5|6");
    let compact = how(|h| {
        h.date_format = Some("%Y%m%d".into());
        h.types.insert("x".into(), ColumnType::Date);
    });
    check("x,y\n20230102,5\n20230304,6\n", &compact, "x:date=1672617600|1677888000 y:number=5|6");
    // A model remembers how its columns were written.
    let known = how(|h| {
        h.kinds.insert("x".into(), FeatureKind::Number);
        h.kinds.insert("d".into(), FeatureKind::Date);
        h.written.insert("x".into(), "1.234,5".into());
        h.written.insert("d".into(), "dmy".into());
    });
    check("x;d\n1.234;01/02/2023\n", &known, "x:number=1234 d:date=1675209600");
}

#[test]
fn d5_types_by_the_word_of_the_user() {
    let typed = |given: ColumnType| {
        let mut how = Reading::default();
        how.types.insert("zip".into(), given);
        how
    };
    let text = "zip,v\n00501,1\n10115,2\n00501,3\n";
    check(text, &typed(ColumnType::Number), "zip:number=501|10115|501 v:number=1|2|3");
    check(text, &typed(ColumnType::Category), "zip:category=00501|10115|00501 v:number=1|2|3");
    check(text, &typed(ColumnType::Text), "zip:text=00501|10115|00501 v:number=1|2|3");
    check(text, &typed(ColumnType::Id), "zip:id=00501|10115|00501 v:number=1|2|3");
    check(text, &typed(ColumnType::Ignore), "v:number=1|2|3");
    check("zip,v\nx,1\n5,2\n", &typed(ColumnType::Number), "error t:2:1: \"x\" is not a number (column \"zip\")");
}

#[test]
fn d6_row_numbers_and_ids() {
    let rows =
        |first: fn(usize) -> String| (0..30).map(|i| format!("{},{},{}\n", first(i), i % 7, i % 2)).collect::<String>();
    let kind = |text: &str, how: &Reading| {
        let (found, said) = told(text.as_bytes(), how);
        (found.split(['=', ':']).nth(1).unwrap().to_string(), said)
    };
    let usual = Reading::default();
    for text in [
        "\"\",a,b\n".to_string() + &rows(|i| (i + 1).to_string()),
        "Id,a,b\n".to_string() + &rows(|i| (7919 * i % 1000).to_string()),
        "case,a,b\n".to_string() + &rows(|i| i.to_string()),
        "CustomerNo,a,b\n".to_string() + &rows(|i| format!("C-{}", 100_003 + i)),
        "code,a,b\n".to_string() + &rows(|i| format!("C-{}", 100_003 + i)),
        "a,b\n".to_string() + &rows(|i| format!("\"{}\"", i + 1)),
        "big,a,b\n".to_string() + &rows(|i| format!("90071992547409{}", 93 + 2 * i)),
    ] {
        let (found, said) = kind(&text, &usual);
        assert!(found == "id" && said.contains("names the rows (id)"), "{found} {said} {text}");
    }
    for text in [
        "year,a,b\n".to_string() + &rows(|i| (1990 + i).to_string()),
        "time,a,b\n".to_string() + &rows(|i| i.to_string()),
        "price,a,b\n".to_string() + &rows(|i| (7919 * i % 1000).to_string()),
        "id,a,b\n".to_string() + &rows(|i| (i / 2).to_string()),
    ] {
        assert_eq!(kind(&text, &usual).0, "number", "{text}");
    }
    let text = "Id,a,b\n".to_string() + &rows(|i| i.to_string());
    let role = Reading { roles: vec!["Id".into()], ..Default::default() };
    assert_eq!(kind(&text, &role).0, "number");
    let typed = Reading { types: [("Id".to_string(), ColumnType::Number)].into(), ..Default::default() };
    assert_eq!(kind(&text, &typed).0, "number");
}

#[test]
fn d16_what_stands_above_a_table() {
    check_told("sep=;\na;b\n1;2\n", "a:number=1 b:number=2", "t: the first line names the separator, \";\"");
    check_told(
        "Sales of 2023\n\na,b\n1,2\n3,4\n",
        "a:number=1|3 b:number=2|4",
        "t: lines 1 to 2 above the table are skipped",
    );
    check_told(
        "Sales,,\n,,\na,b,c\n1,2,3\n3,4,5\n",
        "a:number=1|3 b:number=2|4 c:number=3|5",
        "t: lines 1 to 2 above the table are skipped",
    );
    let comments = "t: lines that begin with # are skipped as comments";
    check_told("# made by hand\n# in 2023\na,b\n1,2\n# more\n3,4\n", "a:number=1|3 b:number=2|4", comments);
    check_told("# a b\n1 2\n3 4\n", "a:number=1|3 b:number=2|4", comments);
    check_told("#a,b\n1,2\n3,4\n", "a:number=1|3 b:number=2|4", comments);
    check_told(
        "#,b\n5,2\n3,4\n9,9\n",
        "#:id=5|3|9 b:number=2|4|9",
        &format!(
            "{comments}; t: column \"#\": names the rows (id), which machines leave out (option: type COLUMN=category keeps it)"
        ),
    );
    check_csv("tag,n\n#a,1\n#b,2\n", "tag:category=#a|#b n:number=1|2");
    check_csv("#a,1\n#b,2\n", "0:category=#a|#b 1:number=1|2");
    // Errors count the lines above.
    let rows = "1,2\n".repeat(20);
    check_csv(&format!("Sales\n\na,b\n1,2\n3\n{rows}"), "error t:5: has 1 field, the first line has 2 fields");
}

#[test]
fn d43_files_of_r_and_large_numbers() {
    check_told(
        "\"x\" \"y\"\n\"1\" 5 2.5\n\"2\" 6 3.5\n\"3\" 7 1\n",
        "row:id=1|2|3 x:number=5|6|7 y:number=2.5|3.5|1",
        "t: the header is one field short: the first column is read as row names and called \"row\"; \
         t: column \"row\": names the rows (id), which machines leave out (option: type COLUMN=category keeps it)",
    );
    check_told(
        "a,b\n1,inf\n2,3\n5,-Inf\n",
        "a:number=1|2|5 b:number=-|3|-",
        "t: column \"b\": 2 cells that are not finite are read as missing (first \"inf\" in line 2)",
    );
    check_told(
        "a,b\n9007199254740993,1\n5,2\n5,3\n",
        "a:number=9.007199254740992e15|5|5 b:number=1|2|3",
        "t: column \"a\": 1 whole number beyond 2^53 is rounded, such as \"9007199254740993\" (option: type a=id keeps every digit)",
    );
    check_told("a,b\n9007199254740992,1\n1e300,2\n5,3\n", "a:number=9.007199254740992e15|1e300|5 b:number=1|2|3", "");
}
