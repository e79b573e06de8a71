//! Every row of the table of bad files, what is written is read, and spoiled bytes.

use super::*;
use base::Memory;

const TWO: &str =
    "solver_type L2R_L2LOSS_SVC_DUAL\nnr_class 2\nlabel 1 -1\nnr_feature 3\nbias 1\nw\n0.5 \n0 \n-1e-3 \n0.25 \n";
const THREE: &str = "solver_type MCSVM_CS\nnr_class 3\nlabel 5 -7 9\nnr_feature 2\nbias -1\nw\n1 0 -1 \n0 0.5 -0.5 \n";
const VALUE: &str = "solver_type L2R_L2LOSS_SVR\nnr_class 2\nnr_feature 1\nbias 0\nw\n3 \n0 \n";
const ONE: &str = "solver_type ONECLASS_SVM\nnr_class 2\nnr_feature 2\nbias -1\nrho 0.75\nw\n1 \n2 \n";

fn parse(text: &str) -> Result<LinearModel> {
    parse_linear_model("m", text.as_bytes(), &Run::quiet(1))
}

fn says(text: &str) -> String {
    parse(text).unwrap_err().to_string()
}

#[test]
fn a_model_is_read_as_it_stands_there() {
    for text in [TWO.to_string(), TWO.replace('\n', "\r\n"), TWO.replace("\nbias", "\n\nbias"), TWO.replace(' ', " \t")]
    {
        let model = parse(&text).unwrap();
        assert_eq!((model.solver, model.bias, model.rho), (LinearSolver::SquaredHingeDual, Some(1.0), 0.0));
        assert_eq!((&model.labels[..], model.features(), model.vectors()), (&[1, -1][..], 3, 1));
        // Zeros are not kept.
        assert_eq!(model.weights.values(), [0.5, -1e-3, 0.25]);
        assert_eq!((model.weights.row(1).0.len(), model.weights.row(3)), (0, (&[0][..], &[0.25][..])));
    }
    let three = parse(THREE).unwrap();
    assert_eq!((three.vectors(), three.bias, three.weights.row(1)), (3, None, (&[1, 2][..], &[0.5, -0.5][..])));
    assert_eq!(parse(VALUE).unwrap().bias, Some(0.0));
    assert_eq!((parse(ONE).unwrap().rho, parse(ONE).unwrap().features()), (0.75, 2));
    // Crammer and Singer's way has a weight vector a class, also for two.
    let pair = parse(&TWO.replace("L2R_L2LOSS_SVC_DUAL", "MCSVM_CS").replace(" \n", " 1 \n")).unwrap();
    assert_eq!((pair.vectors(), pair.weights.entries()), (2, 7));
    for solver in ALL {
        assert_eq!(LinearSolver::from_number(solver.number()), Some(solver));
    }
    assert_eq!(LinearSolver::from_number(8), None);
}

#[test]
fn bad_files_are_refused_with_their_place() {
    let changed = |from: &str, to: &str| {
        assert!(TWO.contains(from), "{from}");
        says(&TWO.replacen(from, to, 1))
    };
    for (from, to, message) in [
        ("nr_feature 3", "nr_feature 2147483647", "m:4:12: nr_feature is 2147483647, but the 21 bytes after w cannot"),
        ("nr_feature 3", "nr_feature 18446744073709551615", "m:4:12: nr_feature is 18446744073709551615, but the"),
        ("nr_feature 3", "nr_feature 99999999999999999999", "m:4:12: nr_feature is \"99999999999999999999\", expected"),
        ("nr_feature 3", "nr_feature -3", "m:4:12: nr_feature is \"-3\", expected a whole number of at least 1"),
        ("nr_feature 3", "nr_feature 0", "m:4:12: nr_feature is \"0\", expected a whole number of at least 1"),
        ("nr_feature 3", "nr_feature 4", "m:11:1: 4 lines of weights, expected 5: the file is truncated"),
        ("nr_feature 3", "nr_feature 2", "m:10:1: more lines of weights than the 3 of nr_feature and bias"),
        ("nr_feature 3\n", "", "m:1:1: the header has no nr_feature"),
        ("nr_class 2", "nr_class 1000000000", "m:3:6: label has 2 values, expected 1000000000"),
        ("nr_class 2", "nr_class 1", "m:2:10: nr_class is 1, expected at least 2"),
        ("nr_class 2", "nr_class 0", "m:2:10: nr_class is \"0\", expected a whole number of at least 1"),
        ("nr_class 2\n", "", "m:2:1: label comes before nr_class"),
        ("label 1 -1\n", "", "m:1:1: the header has no label"),
        ("label 1 -1", "label 1 1", "m:3:9: the label 1 is duplicated"),
        ("label 1 -1", "label 1 x", "m:3:9: \"x\" is not a label: labels are 32-bit whole numbers"),
        ("label 1 -1", "label 1 -1 2", "m:3:6: label has 3 values, expected 2"),
        ("bias 1", "bias nan", "m:5:6: bias is \"nan\", must be finite"),
        ("bias 1", "bias", "m:5:5: bias has 0 values, expected 1"),
        ("bias 1", "bias 1\nbias 1", "m:6:1: bias is duplicated"),
        ("bias 1", "bias 1\nrho 2", "m:6:4: rho is for ONECLASS_SVM"),
        ("bias 1", "bios 1", "m:5:1: \"bios\" is not a keyword of a LIBLINEAR model"),
        ("L2R_L2LOSS_SVC_DUAL", "L2R", "m:1:13: \"L2R\" is not a LIBLINEAR solver"),
        ("L2R_L2LOSS_SVC_DUAL", "L2R_L2LOSS_SVR", "m:3:6: label in a model of type L2R_L2LOSS_SVR"),
        ("w\n", "w 1\n", "m:6:3: \"1\" after w"),
        ("w\n", "", "m:6:1: \"0.5\" is not a keyword of a LIBLINEAR model"),
        ("-1e-3", "-1e999", "m:9:1: a weight is \"-1e999\", which is too large"),
        ("-1e-3", "inf", "m:9:1: a weight is \"inf\", must be finite"),
        ("-1e-3", "x", "m:9:1: a weight is \"x\", which is not a number"),
        ("-1e-3", "1 2", "m:9:3: more weights than 1 in a line"),
        ("-1e-3", "\0", "m:9:1: a NUL byte"),
    ] {
        let said = changed(from, to);
        assert!(said.contains(message), "{from} -> {to}: {said}");
    }
    assert_eq!(says(""), "m:1:1: is empty, expected a LIBLINEAR model");
    assert!(says(&TWO[..40]).contains("ends without a line w"), "{}", says(&TWO[..40]));
    assert_eq!(says(&THREE.replace("0 0.5 -0.5", "0 0.5")), "m:8:7: 2 weights, expected 3: the line is truncated");
    assert_eq!(says(&VALUE.replace("nr_class 2", "nr_class 3")), "m:2:10: nr_class is 3, expected 2");
    assert_eq!(says(&ONE.replace("rho 0.75\n", "")), "m:1:1: the header has no rho");
}

#[test]
fn what_is_written_is_read_back_bit_by_bit() {
    for text in [TWO, THREE, VALUE, ONE] {
        let mut model = parse(text).unwrap();
        let values: Vec<f64> = [0.1 + 0.2, 1e300, -1.0 / 3.0, f64::MIN_POSITIVE, 5e-324]
            .into_iter()
            .cycle()
            .take(model.weights.entries())
            .collect();
        model.weights =
            Sparse::new(model.weights.starts().to_vec(), model.weights.ids().to_vec(), values, model.weights.columns())
                .unwrap();
        let bytes = linear_model_bytes(&model).unwrap();
        assert_eq!(parse_linear_model("m", &bytes, &Run::quiet(1)), Ok(model.clone()));
        assert!(linear_model_bytes(&LinearModel { rho: f64::NAN, ..model.clone() }).is_err());
        assert!(linear_model_bytes(&LinearModel { bias: Some(-1.0), ..model.clone() }).is_err());
        assert!(linear_model_bytes(&LinearModel { labels: vec![1, 2, 3, 4], ..model }).is_err());
    }
}

#[test]
fn memory_is_asked_for_first_and_given_back() {
    let run = Run { memory: Memory::limited(64), ..Run::quiet(1) };
    assert!(matches!(parse_linear_model("m", TWO.as_bytes(), &run), Err(base::Error::Memory { .. })));
    let run = Run { memory: Memory::limited(1 << 20), ..Run::quiet(1) };
    let model = parse_linear_model("m", TWO.as_bytes(), &run).unwrap();
    assert!(run.memory.used() >= 12 * 3 + 8 * 5);
    drop(model);
    assert_eq!(run.memory.used(), 0);
}

#[test]
fn spoiled_models_are_read_or_refused() {
    let seeds = [TWO.as_bytes(), THREE.as_bytes(), VALUE.as_bytes(), ONE.as_bytes()];
    crate::text::mutate::survive(4_000, 1 << 20, &seeds, |bytes, run| {
        let model = parse_linear_model("m", bytes, run)?;
        // Whatever is read can be written, and is the same.
        let again = parse_linear_model("m", &linear_model_bytes(&model)?, run)?;
        assert!(again == model);
        Ok(())
    });
}
