//! Certificates of kernel machines that say no more than is so, and advice that fits the task.

#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use base::{Classes, Dataset, Fact, Fitted, Gap, Learner, Points, Run, Seed, Targets, Values, normal};
use pellucid_kernels::{KernelAdaTron, NuSvr, OneClassSvm, Svc, Svr};

fn rows(n: usize, d: usize, seed: u64) -> Vec<f64> {
    let mut stream = Seed(seed).stream();
    (0..n * d).map(|_| normal(&mut stream)).collect()
}

fn two_classes(n: usize, seed: u64) -> Dataset {
    let x = rows(n, 3, seed);
    let names: Vec<Option<&str>> = x.chunks(3).map(|r| Some(if r[0] + 0.5 * r[1] > 0.0 { "a" } else { "b" })).collect();
    Dataset::new(Points::dense(x, n, 3).unwrap(), Targets::Classes(Classes::from_names(&names)))
}

fn values(n: usize, scale: f64) -> Dataset {
    let x = rows(n, 3, 5);
    let y = x.chunks(3).map(|r| scale * (r[0] + r[1].sin())).collect();
    Dataset::new(Points::dense(x, n, 3).unwrap(), Targets::Values(Values::new(y, "price")))
}

fn fit(learner: &mut dyn Learner, settings: &[(&str, &str)], data: &Dataset) -> Fitted {
    settings.iter().for_each(|(name, value)| learner.set_text(name, value).unwrap());
    learner.fit(data, None, &Run::quiet(1)).unwrap()
}

fn relative(fitted: &Fitted) -> f64 {
    let Fact::Number(x) = fitted.certificate.facts["relative duality gap"] else { panic!("it is a number") };
    x
}

#[test]
fn r8_the_relative_duality_gap_is_told_and_a_large_one_warned_of() {
    let data = two_classes(200, 3);
    let usual = fit(&mut Svc::default(), &[], &data);
    let (Gap::Duality(gap), Some(objective)) = (usual.certificate.gap, usual.certificate.objective) else { panic!() };
    assert!((relative(&usual) - gap / objective.abs()).abs() < 1e-12);
    assert!(usual.certificate.converged && relative(&usual) < 0.1);
    assert!(!usual.certificate.warnings.iter().any(|w| w.contains("duality gap")));
    // A stopping rule that looks at single rows, and prices that multiply what is left.
    let mut told = 0;
    for c in ["1e3", "1e5", "1e8"] {
        let loose = fit(&mut Svc::default(), &[("c", c), ("tolerance", "0.05"), ("gamma", "0.1")], &data);
        let large = relative(&loose) > 0.1;
        let warned = loose.certificate.warnings.iter().any(|w| w.contains("duality gap"));
        assert_eq!(warned, large && loose.certificate.steps < 10_000_000, "{c}: {:?}", loose.certificate);
        assert!(!loose.certificate.converged || relative(&loose) <= 1.0);
        told += usize::from(warned);
    }
    assert!(told > 0, "no case was loose");
}

#[test]
fn r10_huge_weights_do_not_converge_by_word_alone() {
    for weight in [1e100, 1e280, 1e300] {
        let mut data = two_classes(60, 4);
        data.weights = Some((0..60).map(|i| if i % 3 == 0 { weight } else { 1.0 }).collect());
        for settings in [&[("steps", "20000")][..], &[("steps", "20000"), ("kernel", "linear")]] {
            let mut svc = Svc::default();
            settings.iter().for_each(|(name, value)| base::Settings::set_text(&mut svc, name, value).unwrap());
            let Ok(fitted) = svc.fit(&data, None, &Run::quiet(1)) else { continue };
            let Gap::Duality(gap) = fitted.certificate.gap else { continue };
            let objective = fitted.certificate.objective.unwrap().abs();
            assert!(!fitted.certificate.converged || gap <= objective, "{weight}: {gap} of {objective}");
        }
    }
}

#[test]
fn d24_advice_on_many_support_vectors_is_about_the_target_for_regression() {
    let advice = |fitted: &Fitted| {
        fitted.certificate.warnings.iter().find(|w| w.contains("are support vectors")).cloned().unwrap_or_default()
    };
    let dear = values(150, 1e5);
    let text = advice(&fit(&mut Svr::default(), &[], &dear));
    assert!(
        text.contains("the target has a standard deviation of") && text.contains("c = 1 and epsilon = 0.1"),
        "{text}"
    );
    assert!(text.contains("raise c and epsilon") && !text.contains("classes") && !text.contains("gamma"), "{text}");
    let text = advice(&fit(&mut NuSvr::default(), &[("nu", "0.99")], &dear));
    assert!(text.contains("the target") && !text.contains("epsilon") && !text.contains("classes"), "{text}");
    // The same target in units of its spread: fewer support vectors, no advice.
    assert_eq!(advice(&fit(&mut Svr::default(), &[("epsilon", "0.3")], &values(150, 1.0))), "");
    let text = advice(&fit(&mut Svc::default(), &[("gamma", "1000")], &two_classes(150, 6)));
    assert!(text.contains("gamma") && text.contains("classes"), "{text}");
    let text = advice(&fit(&mut OneClassSvm::default(), &[("gamma", "1e5"), ("nu", "0.5")], &two_classes(150, 6)));
    assert!(text.contains("gamma") && !text.contains("classes"), "{text}");
}

/// Two thousand classes of two rows are two million problems of four coordinates; here some hundreds of classes.
#[test]
fn r10_very_many_small_classes_end_soon_and_as_one_by_one() {
    let (k, d) = (300, 4);
    let mut stream = Seed(8).stream();
    let centres: Vec<f64> = (0..k * d).map(|_| 20.0 * normal(&mut stream)).collect();
    let mut values = vec![];
    for i in 0..2 * k {
        values.extend((0..d).map(|c| centres[i % k * d + c] + 0.1 * normal(&mut stream)));
    }
    let names: Vec<Option<String>> = (0..2 * k).map(|i| Some(format!("class {:04}", i % k))).collect();
    let data = Dataset::new(Points::dense(values, 2 * k, d).unwrap(), Targets::Classes(Classes::from_names(&names)));
    let settings = [("gamma", "0.01"), ("tolerance", "1e-6")];
    let whole = fit(&mut Svc::default(), &settings, &data);
    assert!(whole.certificate.converged, "{:?}", whole.certificate);
    let run = Run::quiet(1);
    let found = base::Prediction::of(&*whole.machine, &data.inputs, &run).unwrap().classes(&run).unwrap();
    let codes = base::classes_of(&data).unwrap().codes();
    let right = found.iter().zip(codes).filter(|(a, b)| a == b).count();
    assert!(right >= 2 * k - 6, "{right} of {}", 2 * k);
    // The pair of two classes alone is the same problem; only the rows of both are in it.
    let machine = pellucid_kernels::Expansion::read(&whole.machine.record()).unwrap();
    for (a, b) in [(0, 1), (17, 230), (298, 299)] {
        let rows: Vec<usize> = (0..2 * k).filter(|&i| [a, b].contains(&(codes[i] as usize))).collect();
        let part = data.select(&rows).unwrap();
        let alone = fit(&mut Svc::default(), &settings, &part);
        let alone = pellucid_kernels::Expansion::read(&alone.machine.record()).unwrap();
        let at = pellucid_kernels::pair(a, b, k);
        let mine: Vec<f64> = machine
            .decisions(part.points().unwrap(), &run)
            .unwrap()
            .chunks_exact(k * (k - 1) / 2)
            .map(|line| line[at])
            .collect();
        // Alone, the classes that are not there lose; the pair of the two is one of many decisions.
        let theirs: Vec<f64> = alone
            .decisions(part.points().unwrap(), &run)
            .unwrap()
            .chunks_exact(alone.offsets().len())
            .map(|line| line[pellucid_kernels::pair(a, b, k).min(line.len() - 1)])
            .collect();
        testkit::assert_close(&mine, &theirs, 1e-4, "a pair alone");
    }
}

/// Two thousand classes of two rows, ten columns.
fn two_thousand_classes() -> Dataset {
    let (k, d) = (2000, 10);
    let mut stream = Seed(3).stream();
    let centres: Vec<f64> = (0..k * d).map(|_| normal(&mut stream)).collect();
    let mut values = vec![];
    for i in 0..2 * k {
        values.extend((0..d).map(|c| centres[i % k * d + c] + 0.05 * normal(&mut stream)));
    }
    let names: Vec<Option<String>> = (0..2 * k).map(|i| Some(format!("class {:04}", i % k))).collect();
    Dataset::new(Points::dense(values, 2 * k, d).unwrap(), Targets::Classes(Classes::from_names(&names)))
}

#[test]
fn r10_two_thousand_classes_of_two_rows_are_fitted_and_predicted_soon() {
    let data = two_thousand_classes();
    let run = Run { threads: 2, ..Run::quiet(1) };
    let begun = std::time::Instant::now();
    // One matrix for all pairs, strengths settled at once, votes counted as they fall: each is needed to end soon.
    let fitted = KernelAdaTron::default().fit(&data, None, &run).unwrap();
    assert!(fitted.certificate.converged, "{:?}", fitted.certificate);
    let some = data.select(&(0..4000).step_by(16).collect::<Vec<_>>()).unwrap();
    let found = base::Prediction::of(&*fitted.machine, &some.inputs, &run).unwrap().classes(&run).unwrap();
    let right = found.iter().zip(base::classes_of(&some).unwrap().codes()).filter(|(a, b)| a == b).count();
    assert!(right >= 245, "{right} of 250");
    assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
}

#[test]
fn r10_columns_of_unlike_scale_do_not_keep_a_linear_kernel_busy_without_end() {
    let n = 150;
    let mut stream = Seed(12).stream();
    let mut drawn = || normal(&mut stream);
    let (mut x, mut y) = (vec![], vec![]);
    for _ in 0..n {
        let (a, b, c) = (drawn(), 1e5 * drawn(), drawn());
        x.extend([a, b, c]);
        y.push(a - 0.5 * c + 1e-5 * b + 0.1 * drawn());
    }
    let data = Dataset::new(Points::dense(x, n, 3).unwrap(), Targets::Values(Values::new(y, "y")));
    for learner in [&mut NuSvr::default() as &mut dyn Learner, &mut Svr::default()] {
        // By pairs of rows alone two million steps left violations of 69 on 500 such rows.
        let fitted = fit(learner, &[("kernel", "linear"), ("steps", "1000000")], &data);
        assert!(fitted.certificate.converged, "{}: {:?}", learner.name(), fitted.certificate);
        let Gap::Duality(gap) = fitted.certificate.gap else { panic!("{:?}", fitted.certificate) };
        let objective = fitted.certificate.objective.unwrap().abs();
        assert!(gap < 0.1 * objective, "{}: {gap} of {objective}", learner.name());
    }
}
