//! Parquet files that Arrow for Python wrote; the rule of their values is in `golden/parquet/make.py`.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::type_complexity, reason = "a test speaks by panicking")]
#![cfg(feature = "parquet")]

use base::{Cells, Inputs, Memory, Run, Table};
use pellucid_files::{Reading, read};
use std::path::PathBuf;

fn open(name: &str, run: &Run<'_>) -> base::Result<Table> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../golden/parquet").join(name);
    let data = read(&path, &Reading::default(), run)?;
    data.check()?;
    let Inputs::Table(table) = data.inputs else { panic!("no table") };
    Ok(table)
}

#[test]
fn every_type_is_read() {
    let table = open("mixed.parquet", &Run::quiet(1)).unwrap();
    assert_eq!((table.rows(), table.columns().len(), table.column("list")), (40, 12, None));
    let cells = |name: &str| &table.column(name).unwrap().cells;
    let numbers: [(&str, &dyn Fn(f64) -> f64); 7] = [
        ("small", &|i| i - 20.0),
        ("count", &|i| i * 1000.0),
        ("single", &|i| i / 8.0),
        ("double", &|i| i / 10.0),
        ("money", &|i| i / 4.0),
        ("day", &|i| i * 86_400.0),
        ("moment", &|i| i * 1.5),
    ];
    for (name, value) in numbers {
        let (values, is_date) = match cells(name) {
            Cells::Number(values) => (values, false),
            Cells::Date(values) => (values, true),
            other => panic!("{name} is {}", other.type_name()),
        };
        assert_eq!(is_date, ["day", "moment"].contains(&name));
        for (i, &x) in values.iter().enumerate() {
            assert!(if i % 7 == 3 { x.is_nan() } else { x == value(i as f64) }, "{name}, row {i}: {x}");
        }
    }
    let texts: [(&str, &str, &dyn Fn(usize) -> String); 5] = [
        ("flag", "category", &|i| (i % 2 == 0).to_string()),
        ("colour", "category", &|i| ["red", "green", "blue"][i % 3].into()),
        ("dictionary", "category", &|i| ["x", "y"][i % 2].into()),
        ("remark", "text", &|i| format!("remark number {i}")),
        ("key", "id", &|i| ((1u64 << 60) + 1 + i as u64).to_string()),
    ];
    for (name, kind, value) in texts {
        assert_eq!(cells(name).type_name(), kind, "{name}");
        for i in 0..40 {
            let expected = (name == "key" || i % 7 != 3).then(|| value(i));
            assert_eq!(cells(name).text(i), expected, "{name}, row {i}");
        }
    }
}

#[test]
fn compression_and_memory() {
    assert_eq!(open("gzip.parquet", &Run::quiet(1)).unwrap().rows(), 40);
    let error = open("zstd.parquet", &Run::quiet(1)).unwrap_err().to_string();
    assert!(error.to_lowercase().contains("zstd"), "{error}");
    let run = Run { memory: Memory::limited(8000), ..Run::quiet(1) };
    assert!(matches!(open("mixed.parquet", &run), Err(base::Error::Memory { .. })));
}

#[test]
fn a_page_that_lies_about_its_size_is_refused() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../golden/parquet/gzip.parquet");
    let mut bytes = std::fs::read(path).unwrap();
    let good = pellucid_files::read_bytes("x", bytes.clone(), &Reading::default(), &Run::quiet(1));
    assert!(good.is_ok());
    // The first page follows the magic: its type, then its size when unpacked, 272 bytes in two bytes; now 8191.
    assert_eq!(bytes[4..9], [0x15, 0x04, 0x15, 0xa0, 0x04]);
    bytes[7..9].copy_from_slice(&[0xfe, 0x7f]);
    let memory = Memory::limited(1 << 20);
    let run = Run { memory, ..Run::quiet(1) };
    let error = pellucid_files::read_bytes("x", bytes, &Reading::default(), &run).unwrap_err().to_string();
    assert!(error.contains("a page of 8191 bytes in a column of 393"), "{error}");
}
