//! Every row of the table of bad files, what is written is read, and spoiled bytes.

use super::*;
use base::{Memory, Points};

const TWO: &str = "svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 3\nrho 0.25\nlabel 1 -1\n\
    nr_sv 2 1\nSV\n1 1:0.5 3:1 \n0.5 2:-1 \n-1.5 1:1e-3 3:2 \n";

fn parse(text: &str) -> Result<SvmModel> {
    parse_svm_model("m", text.as_bytes(), &Run::quiet(1))
}

fn says(text: &str) -> String {
    parse(text).unwrap_err().to_string()
}

#[test]
fn a_model_is_read_as_it_stands_there() {
    for text in [TWO.to_string(), TWO.replace('\n', "\r\n"), TWO.replace("\nrho", "\n\nrho"), TWO.replace(' ', " \t")] {
        let model = parse(&text).unwrap();
        assert_eq!((model.kind, model.kernel), (SvmType::CSvc, SvmKernel::Rbf { gamma: 0.5 }));
        assert_eq!((&model.labels[..], &model.counts[..], &model.rho[..]), (&[1, -1][..], &[2, 1][..], &[0.25][..]));
        assert_eq!(model.coefficients[..], [1.0, 0.5, -1.5]);
        assert_eq!((model.vectors.columns(), model.vectors.row(2)), (3, (&[0, 2][..], &[1e-3, 2.0][..])));
    }
}

#[test]
fn bad_files_are_refused_with_their_place() {
    let changed = |from: &str, to: &str| {
        assert!(TWO.contains(from), "{from}");
        says(&TWO.replace(from, to))
    };
    for (from, to, message) in [
        ("total_sv 3", "total_sv 2147483647", "m:8:7: nr_sv sums to 3, but total_sv is 2147483647"),
        ("total_sv 3", "total_sv -5", "m:5:10: total_sv is \"-5\", expected a whole number of at least 0"),
        ("total_sv 3", "total_sv 99999999999999999999", "m:5:10: total_sv is"),
        ("nr_sv 2 1", "nr_sv 1000000 68", "m:8:7: nr_sv sums to 1000068, but total_sv is 3"),
        ("nr_sv 2 1", "nr_sv 18446744073709551615 4", "m:8:7: nr_sv sums to 18446744073709551615"),
        ("nr_sv 2 1", "nr_sv 3", "m:8:6: nr_sv has 1 values, expected 2"),
        ("gamma 0.5", "gamma nan", "m:3:7: gamma is \"nan\", must be finite"),
        ("gamma 0.5", "gamma 1e999", "m:3:7: gamma is \"1e999\", which is too large"),
        ("gamma 0.5", "gamma 0", "m:3:7: gamma is 0, must be greater than 0"),
        ("gamma 0.5\n", "", "m:1:1: the header has no gamma"),
        ("3:1 \n", "3:1 2:1\n", "m:10:13: id 2 after 3: ids must ascend"),
        ("3:1 \n", "3:1 3:1\n", "m:10:13: id 3 after 3: ids must ascend"),
        ("2:-1", "0:-1", "m:11:5: id 0, must lie between 1 and"),
        ("2:-1", "-3:-1", "m:11:5: \"-3:-1\" is not an id:value pair"),
        ("2:-1", "4294967296:1", "m:11:5: id 4294967296, must lie between"),
        ("2:-1", "2:nan", "m:11:7: a value is \"nan\", must be finite"),
        ("2:-1", "2:", "m:11:7: a value is \"\", which is not a number"),
        ("2:-1", "2", "m:11:5: \"2\" is not an id:value pair"),
        ("0.5 2:-1", "inf 2:-1", "m:11:1: a coefficient is \"inf\", must be finite"),
        ("nr_class 2", "nr_class 0", "m:4:10: nr_class is \"0\", expected a whole number of at least 1"),
        ("nr_class 2", "nr_class 1", "m:4:10: nr_class is 1, expected at least 2"),
        ("nr_class 2", "nr_class 100000", "m:6:4: rho has 1 values, expected 4999950000"),
        ("nr_class 2", "nr_class 9999999999999", "m:4:10: nr_class is 9999999999999, which is too large"),
        ("nr_class 2\n", "rho 1\nnr_class 2\n", "m:4:1: rho comes before nr_class"),
        ("rho 0.25", "rho 0.25 1", "m:6:4: rho has 2 values, expected 1"),
        ("rho 0.25\n", "rho 0.25\nrho 0.25\n", "m:7:1: rho is duplicated"),
        ("rho 0.25\n", "", "m:1:1: the header has no rho"),
        ("label 1 -1\n", "", "m:1:1: the header has no label"),
        ("label 1 -1", "label 1 1", "m:7:9: the label 1 is duplicated"),
        ("label 1 -1", "label 1 x", "m:7:9: \"x\" is not a label"),
        ("c_svc", "c_svm", "m:1:10: \"c_svm\" is not a LIBSVM type"),
        ("c_svc", "one_class", "m:7:6: label in a model of type one_class"),
        ("rbf", "gauss", "m:2:13: \"gauss\" is not a LIBSVM kernel"),
        ("rbf", "polynomial", "m:1:1: the header has no degree"),
        ("SV\n", "", "m:9:1: \"1\" is not a keyword of a LIBSVM model"),
        ("SV\n", "SV now\n", "m:9:4: \"now\" after SV"),
        ("gamma", "gamme", "m:3:1: \"gamme\" is not a keyword of a LIBSVM model"),
        ("0.5 2:-1 \n", "\0", "m:11:1: a NUL byte"),
        ("rho 0.25\n", "rho 0.25\nprobA 1\n", "probA and probB do not go with each other"),
        ("rho 0.25\n", "rho 0.25\nprob_density_marks 1\n", "prob_density_marks are for one_class"),
    ] {
        let said = changed(from, to);
        assert!(said.contains(message), "{from} -> {to}: {said}");
    }
    assert_eq!(says(""), "m:1:1: is empty, expected a LIBSVM model");
    let half = &TWO[..TWO.find("0.5 2:-1").unwrap()];
    assert_eq!(says(half), "m:11:1: 1 support vectors, but total_sv is 3: the file is truncated");
    let more = format!("{TWO}1 1:1\n");
    assert_eq!(says(&more), "m:13:1: more support vectors than the 3 of total_sv");
    let head = &TWO[..TWO.find("SV\n").unwrap()];
    assert!(says(head).contains("ends without a line SV"));
    let three =
        "svm_type c_svc\nkernel_type linear\nnr_class 3\ntotal_sv 1\nrho 1 2 3\nlabel 0 1 2\nnr_sv 1 0 0\nSV\n1\n";
    assert_eq!(says(three), "m:9:2: 1 coefficients, expected 2: the line is truncated");
    let svr = "svm_type epsilon_svr\nkernel_type linear\nnr_class 2\ntotal_sv 2147483647\nrho 1\nSV\n1 1:1\n";
    assert_eq!(says(svr), "m:4:10: total_sv is 2147483647, but the 6 bytes after SV cannot hold so many");
    let own = "svm_type nu_svr\nkernel_type precomputed\nnr_class 2\ntotal_sv 1\nrho 1\nSV\n1 0:1.5\n";
    assert!(says(own).starts_with("m:7:3: a support vector of a precomputed kernel"));
    assert!(says(&own.replace(" 0:1.5", "")).starts_with("m:7:2: a support vector without 0:number"));
}

#[test]
fn what_is_written_is_read_back_bit_by_bit() {
    let kernels = [
        SvmKernel::Linear,
        SvmKernel::Polynomial { degree: 3, gamma: 1.0 / 13.0, coef0: -0.5 },
        SvmKernel::Rbf { gamma: 1e-300 },
        SvmKernel::Sigmoid { gamma: 0.1, coef0: 1e20 },
    ];
    let base = SvmModel {
        prob_a: vec![-1.0 / 3.0],
        prob_b: vec![f64::MIN_POSITIVE],
        coefficients: vec![0.1 + 0.2, 1e300, -1.0 / 3.0].into(),
        ..parse(TWO).unwrap()
    };
    for kernel in kernels {
        for kind in &[SvmType::CSvc, SvmType::NuSvc, SvmType::OneClass, SvmType::EpsilonSvr, SvmType::NuSvr] {
            let mut model = SvmModel { kernel, kind: *kind, ..base.clone() };
            if !kind.classifies() {
                (model.labels, model.counts, model.prob_b) = (vec![], vec![], vec![]);
            }
            if *kind == SvmType::OneClass {
                (model.prob_a, model.marks) = (vec![], (0..10).map(f64::from).collect());
            }
            let bytes = svm_model_bytes(&model).unwrap();
            assert_eq!(parse_svm_model("m", &bytes, &Run::quiet(1)), Ok(model));
        }
    }
    let rows = Sparse::new(vec![0, 1, 2, 3], vec![4u32, 0, 2], vec![1.0; 3], 5).unwrap();
    let own = SvmModel { kernel: SvmKernel::Precomputed, vectors: rows, ..base.clone() };
    let bytes = svm_model_bytes(&own).unwrap();
    assert!(String::from_utf8_lossy(&bytes).contains(" 0:5 \n"));
    assert_eq!(parse_svm_model("m", &bytes, &Run::quiet(1)), Ok(own));
    assert!(svm_model_bytes(&SvmModel { counts: vec![3, 1], ..base.clone() }).is_err());
    assert!(svm_model_bytes(&SvmModel { rho: vec![f64::NAN], ..base }).is_err());
}

#[test]
fn memory_is_asked_for_first_and_given_back() {
    let run = Run { memory: Memory::limited(64), ..Run::quiet(1) };
    assert!(matches!(parse_svm_model("m", TWO.as_bytes(), &run), Err(base::Error::Memory { .. })));
    let run = Run { memory: Memory::limited(1 << 20), ..Run::quiet(1) };
    let model = parse_svm_model("m", TWO.as_bytes(), &run).unwrap();
    assert!(run.memory.used() >= 8 * 3 + 12 * 5);
    drop((model, Points::from_rows(&[[0.0]])));
    assert_eq!(run.memory.used(), 0);
}

#[test]
fn spoiled_models_are_read_or_refused() {
    let three = "svm_type nu_svc\nkernel_type polynomial\ndegree 2\ngamma 1\ncoef0 0\nnr_class 3\ntotal_sv 3\n\
        rho 1 2 3\nlabel 5 -7 9\nprobA 1 2 3\nprobB 3 2 1\nnr_sv 1 1 1\nSV\n1 2 1:1\n-1 .5 2:3 9:1\n1 1 1:-1\n";
    let one = "svm_type one_class\nkernel_type precomputed\nnr_class 2\ntotal_sv 2\nrho 0.5\n\
        prob_density_marks 1 2 3 4 5 6 7 8 9 10\nSV\n1 0:3\n.5 0:1\n";
    let seeds = [TWO.as_bytes(), three.as_bytes(), one.as_bytes()];
    crate::text::mutate::survive(4_000, 1 << 20, &seeds, |bytes, run| {
        let model = parse_svm_model("m", bytes, run)?;
        // Whatever is read can be written, and is the same.
        let again = parse_svm_model("m", &svm_model_bytes(&model)?, run)?;
        assert!(again.rho == model.rho && again.coefficients == model.coefficients);
        Ok(())
    });
}
