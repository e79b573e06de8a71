//! Spoiled text is read or refused, never more; and threads never change what is read.

#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

mod mutate;
mod shared;

use base::{Dataset, Run};
use mutate::survive;
use pellucid_files::{Format, Reading, text};

const COUNT: u64 = 10_000;
const LIMIT: u64 = 1 << 20;

const CSV: &[&[u8]] = &[
    b"a,b,c\n1,x,2020-01-01\n2,\"y, \"\"z\"\"\",2020-01-02\n?,x,\n",
    b"a;b\n1,5;x\n2,5;y\n",
    b"ham\t\"Go\" he said\nspam\tno\n",
    b"1 2 3\n4 5 6\n",
    b"\xff\xfea\x00,\x00b\x00\n\x001\x00,\x002\x00\n\x00",
    "id,naïve\r\nq1,é\r\nq2,ü\r\n".as_bytes(),
    b"\"a\nb\",c\n\"1\n\",\"2\"\n",
];
const LIBSVM: &[&[u8]] = &[
    b"1 1:2 3:-.5\n-1 2:1e2 # c\n",
    b"10,9 1:1\n9 2:1\n 3:1\n1:4\n",
    b"1 qid:7 1: 1\n2 qid:8 4294967299:2\n",
    b"0 0:1 5:2\r\n1 3:0\r\n",
];
const XMC: &[&[u8]] = &[b"3 5 4\n0,3 1:1 4:2\n 2:1\n2 \n", b"1 100 9\n0,1,2,3,8 99:1.5\n", b"2 2 2\r\n\r\n1 1:1\r\n"];
const ARFF: &[&[u8]] = &[
    b"@relation 'x: -C 2'\n@attribute l1 {0,1}\n@attribute l2 {0,1}\n@attribute a numeric\n@data\n{0 1,2 2.5}\n{1 1},{2}\n",
    b"@relation x\n@attribute a numeric\n@attribute 'b c' {u,'v w'}\n@attribute s string\n@attribute d date\n@data\n1,u,'it\\'s',2020-01-01\n?,'v w',\"x\",?\n",
    b"% c\n@relation x\n@attribute a numeric\n@attribute TAG_b {0,1}\n@data\n1,0\n2,1,{3}\n",
];

type Read = fn(&str, &[u8], &Reading, &Run<'_>) -> base::Result<Dataset>;

const ALL: [(Format, &[&[u8]], Read); 4] = [
    (Format::Csv, CSV, text::csv::read),
    (Format::LibSvm, LIBSVM, text::libsvm::read),
    (Format::Xmc, XMC, text::xmc::read),
    (Format::Arff, ARFF, text::arff::read),
];

#[test]
fn readers_survive_spoiled_bytes() {
    for (_, seeds, read) in ALL {
        survive(COUNT, LIMIT, seeds, |bytes, run| {
            let data = read("t", bytes, &Reading::default(), run)?;
            data.check().map(|()| data)
        });
    }
}

#[test]
fn streams_survive_spoiled_bytes() {
    for (format, seeds, _) in ALL {
        survive(COUNT / 5, LIMIT, seeds, |bytes, run| {
            text::stream("t", bytes, format, &Reading::default(), run)?.collect::<base::Result<Vec<_>>>()
        });
    }
}

#[test]
fn recognising_survives_spoiled_bytes() {
    for (_, seeds, _) in ALL {
        survive(COUNT / 5, LIMIT, seeds, |bytes, _| {
            text::recognise("t", bytes).ok_or_else(|| base::Error::format("t", "not text"))
        });
    }
}

#[test]
fn seeds_are_recognised_and_read() {
    for (format, seeds, read) in ALL {
        for seed in seeds {
            let shown = String::from_utf8_lossy(seed);
            assert_eq!(text::recognise("t", seed), Some(format), "{shown}");
            assert!(read("t", seed, &Reading::default(), &Run::quiet(1)).is_ok(), "{shown}");
        }
    }
}

#[test]
fn threads_change_nothing() {
    let [one, four] = [1, 4].map(|threads| Run { threads, ..Run::quiet(1) });
    for (path, read) in [
        ("uci/adult_train.csv.gz", text::csv::read as Read),
        ("text_moderation/davidson_hate_offensive_labeled_data.csv.gz", text::csv::read),
        ("libsvm/a9a.gz", text::libsvm::read),
        ("xmc_yso_finna_en/train.xmc.txt.gz", text::xmc::read),
        ("multilabel/enron.arff.gz", text::arff::read),
    ] {
        let Some(bytes) = shared::shared(path) else { return };
        let how = Reading::default();
        let (a, b) = (read(path, &bytes, &how, &one).unwrap(), read(path, &bytes, &how, &four).unwrap());
        // Gaps are NaN, which equals nothing: compare as text.
        assert_eq!(format!("{:?}", a.features), format!("{:?}", b.features));
        match (&a.inputs, &b.inputs) {
            (base::Inputs::Table(x), base::Inputs::Table(y)) => {
                for (x, y) in x.columns().iter().zip(y.columns()) {
                    assert!((0..x.cells.len()).all(|row| x.cells.text(row) == y.cells.text(row)), "{path}: {}", x.name);
                }
            }
            _ => assert_eq!(a, b),
        }
    }
}

#[test]
fn streams_of_real_files_have_all_rows() {
    for (path, format, rows) in [
        ("kdd99/corrected.gz", Format::Csv, 311_029),
        ("text_moderation/davidson_hate_offensive_labeled_data.csv.gz", Format::Csv, 24_783),
        ("sms_spam/SMSSpamCollection.gz", Format::Csv, 5_574),
        ("libsvm/w8a.gz", Format::LibSvm, 49_749),
        ("xmc_yso_finna_en/train.xmc.txt.gz", Format::Xmc, 77_430),
        ("multilabel/delicious.arff.gz", Format::Arff, 16_105),
    ] {
        let Some(bytes) = shared::shared(path) else { return };
        assert_eq!(text::recognise(path, &bytes[..1024]), Some(format), "{path}");
        let run = Run { threads: 2, memory: base::Memory::limited(12 << 20), ..Run::quiet(1) };
        let parts = text::stream(path, &bytes[..], format, &Reading::default(), &run).unwrap();
        let lengths: Vec<usize> = parts.map(|part| part.unwrap().len()).collect();
        assert_eq!(lengths.iter().sum::<usize>(), rows, "{path}");
        println!("{path}: {} parts, peak {} of {} bytes", lengths.len(), run.memory.peak(), bytes.len());
    }
}
