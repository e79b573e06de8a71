//! Words as scikit-learn weighs them, pictures as OpenCV and Pillow resize them: the files and their makers are in `golden`.
#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use base::{Cells, Column, Dataset, Features, Learner, Points, Run, Shape, Table, Targets, Texts};
use pellucid_prepare::{Encode, Resize, Weights, Words};
use testkit::{assert_close, check_golden};

fn golden(name: &str) -> String {
    let path = format!("{}/../../golden/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn lines(name: &str) -> Vec<String> {
    golden(name).lines().skip(1).map(str::to_string).collect()
}

fn documents() -> Dataset {
    let texts: Texts = lines("text/documents").iter().map(|l| Some(l.as_str())).collect();
    let column = Column { name: "t".into(), cells: Cells::Text(texts) };
    Dataset::new(Table::new(vec![column]).unwrap(), Targets::None)
}

fn check(name: &str, words: Words) {
    let data = documents();
    for threads in [1, 3] {
        let run = Run { threads, ..Run::quiet(1) };
        let encode = Encode { words: words.clone(), ..Encode::default() };
        let machine = encode.fit(&data, None, &run).unwrap().machine;
        let expected: Vec<String> = lines(&format!("text/{name}_words")).iter().map(|w| format!("t:{w}")).collect();
        assert_eq!(&machine.outputs().names[..], expected, "{name}");
        let found = machine.compute(&data.inputs, &run).unwrap().to_dense(&run.memory).unwrap();
        check_golden(&golden(&format!("text/{name}")), &found, 1e-12);
    }
}

#[test]
fn words_weigh_what_scikit_learn_says() {
    let counts = || Words { weights: Weights::Counts, ..Words::default() };
    check("counts", counts());
    check("binary", Words { weights: Weights::Binary, ngrams: 2, min_df: 2, ..counts() });
    check("short", Words { min_length: 1, max_df: 0.3, ..counts() });
    check("tf_idf", Words::default());
    check("grams", Words { ngrams: 3, min_df: 2, max_df: 0.4, stop_words: "is lazy".into(), ..Words::default() });
}

#[test]
fn the_most_words_are_those_in_most_texts() {
    // From the peer's own counts: in how many texts each word comes, of equals the first in the alphabet.
    let (words, rows) = (lines("text/counts_words"), lines("text/counts"));
    let counts: Vec<f64> = rows.iter().map(|x| x.parse().unwrap()).collect();
    let texts = |w: usize| counts.chunks(words.len()).filter(|row| row[w] > 0.0).count();
    let mut order: Vec<usize> = (0..words.len()).collect();
    order.sort_by_key(|&w| (std::cmp::Reverse(texts(w)), words[w].clone()));
    for most in [1, 5, 20] {
        let mut expected: Vec<String> = order[..most].iter().map(|&w| format!("t:{}", words[w])).collect();
        expected.sort();
        let encode = Encode { words: Words { max_features: most, ..Words::default() }, ..Encode::default() };
        let fitted = encode.fit(&documents(), None, &Run::quiet(1)).unwrap();
        assert_eq!(&fitted.machine.outputs().names[..], expected);
        assert!(fitted.certificate.warnings[0].contains(&format!("{most} of {} words were kept", words.len())));
    }
}

#[test]
fn pictures_shrink_as_in_opencv_and_grow_as_in_pillow() {
    for (kind, h, w, h2, w2) in [
        ("area", 7, 5, 3, 2),
        ("area", 13, 17, 8, 11),
        ("area", 28, 28, 9, 10),
        ("box", 12, 8, 4, 2),
        ("grow", 3, 4, 7, 9),
        ("grow", 5, 5, 10, 6),
    ] {
        let pixel = |i: usize| ((37 * (i / w) + 101 * (i % w) + 13 * (i / w) * (i % w)) % 256) as f64;
        let points = Points::dense((0..h * w).map(pixel).collect::<Vec<_>>(), 1, h * w).unwrap();
        let shape = Shape::Image { height: h, width: w, channels: 1 };
        let features = Features::unnamed(h * w).shaped(shape).unwrap();
        let data = Dataset { features, ..Dataset::new(points, Targets::None) };
        let mut resize = Resize::default();
        resize.0.pictures.size = format!("{w2}x{h2}");
        let run = Run::quiet(1);
        let machine = resize.fit(&data, None, &run).unwrap().machine;
        assert_eq!(machine.outputs().shape, Some(Shape::Image { height: h2, width: w2, channels: 1 }));
        let found = machine.compute(&data.inputs, &run).unwrap().to_dense(&run.memory).unwrap();
        // Both peers reckon their weights in single precision.
        check_golden(&golden(&format!("resize/{kind}_{h}x{w}_{h2}x{w2}")), &found, 1e-6);
        let again = machine.compute(&data.inputs, &Run { threads: 4, ..run.clone() }).unwrap();
        assert_close(&again.to_dense(&run.memory).unwrap(), &found, 0.0, "threads");
    }
}
