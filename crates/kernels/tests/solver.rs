//! The solver by laws that do not know it: optimality conditions, duality, other ways to the same problem.

#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use base::{
    Classes, Dataset, Fact, Fits, Fitted, Gap, Learner, Machine, Memory, Points, Run, Seed, Settings, Targets, Value,
    Values, Verdict, normal,
};
use pellucid_kernels::functions::Exponential;
use pellucid_kernels::{Against, Expansion, Kernel, KernelAdaTron, NuSvc, NuSvr, OneClassSvm, Svc, Svdd, Svr};

/// Two overlapping clouds of two classes, or three.
fn clouds(n: usize, d: usize, classes: usize, seed: u64) -> Dataset {
    let mut stream = Seed(seed).stream();
    let mut values = vec![];
    let mut names = vec![];
    for i in 0..n {
        let class = i * i % 7 % classes;
        names.push(Some(format!("c{class}")));
        values.extend((0..d).map(|c| normal(&mut stream) + if c % classes == class { 1.2 } else { 0.0 }));
    }
    Dataset::new(Points::dense(values, n, d).unwrap(), Targets::Classes(Classes::from_names(&names)))
}

fn with<L: Learner + Default>(settings: &[(&str, &str)]) -> L {
    let mut learner = L::default();
    settings.iter().for_each(|(name, value)| learner.set_text(name, value).unwrap());
    learner
}

fn fit(learner: &dyn Learner, data: &Dataset) -> (Fitted, Expansion) {
    let fitted = learner.fit(data, None, &Run::quiet(1)).unwrap();
    let machine = Expansion::read(&fitted.machine.record()).unwrap();
    (fitted, machine)
}

fn fact(fitted: &Fitted, name: &str) -> f64 {
    match fitted.certificate.facts[name] {
        Fact::Number(x) => x,
        _ => f64::NAN,
    }
}

/// β of every training row for the only decision of a machine.
fn coefficients(machine: &Expansion, n: usize) -> Vec<f64> {
    let mut all = vec![0.0; n];
    for (row, c) in machine.rows().unwrap().iter().zip(machine.coefficients()) {
        all[*row as usize] = *c;
    }
    all
}

#[test]
fn two_classes_meet_the_optimality_conditions_and_the_gap_is_primal_less_dual() {
    for (n, c) in [(60, 0.3), (300, 1.0), (300, 50.0), (1500, 2.0), (5000, 1.0)] {
        let data = clouds(n, 6, 2, n as u64);
        let learner: Svc = with(&[("gamma", "0.1"), ("tolerance", "1e-6"), ("c", &c.to_string())]);
        let (fitted, machine) = fit(&learner, &data);
        assert!(fitted.certificate.converged);
        let beta = coefficients(&machine, n);
        assert!(beta.iter().sum::<f64>().abs() < 1e-9 * c * n as f64, "the sum is kept");
        let f = machine.decisions(data.points().unwrap(), &Run::quiet(1)).unwrap();
        let codes = base::classes_of(&data).unwrap().codes();
        let (mut primal, mut square, mut sum) = (0.0, 0.0, 0.0);
        for i in 0..n {
            let y = if codes[i] == 0 { 1.0 } else { -1.0 };
            let alpha = y * beta[i];
            assert!((0.0..=c).contains(&alpha));
            let margin = y * f[i];
            let slack = 1e-4 * (1.0 + c);
            match alpha {
                0.0 => assert!(margin >= 1.0 - slack, "{margin} outside"),
                a if a == c => assert!(margin <= 1.0 + slack, "{margin} at the bound"),
                _ => assert!((margin - 1.0).abs() <= slack, "{margin} on the margin"),
            }
            primal += c * (1.0 - margin).max(0.0);
            square += beta[i] * (f[i] - machine.offsets()[0]);
            sum += alpha;
        }
        let (primal, dual) = (primal + 0.5 * square, sum - 0.5 * square);
        let Gap::Duality(gap) = fitted.certificate.gap else { panic!("a convex problem has a gap") };
        // Kernel values in single precision (5000 rows) leave some digits of the gap open.
        let scale = if n > 4096 { 1e-5 } else { 1e-9 };
        assert!((gap - (primal - dual)).abs() < scale * primal, "{gap} {}", primal - dual);
        assert!((fitted.certificate.objective.unwrap() + dual).abs() < scale * primal);
        assert!(gap <= 1e-4 * primal);
    }
}

#[test]
fn precision_cache_threads_and_order_change_nothing_that_counts() {
    let data = clouds(2600, 8, 3, 5);
    let run = Run::quiet(1);
    let base = ["gamma=0.05", "tolerance=1e-7"];
    let fitted = |more: &[&str], run: &Run<'_>, data: &Dataset| {
        let all: Vec<(&str, &str)> = base.iter().chain(more).map(|s| s.split_once('=').unwrap()).collect();
        with::<Svc>(&all).fit(data, None, run).unwrap()
    };
    let scores = |f: &Fitted| {
        let out = f.machine.compute(&data.inputs, &run).unwrap();
        out.to_dense(&Memory::unlimited()).unwrap().to_vec()
    };
    for mode in ["multiclass=pairs", "multiclass=rest"] {
        let whole = fitted(&[mode, "precision=f64"], &run, &data);
        let small = fitted(&[mode, "precision=f64", "cache=1"], &run, &data);
        assert_eq!(whole.machine.record(), small.machine.record(), "a small cache changes bits");
        let four = fitted(&[mode, "precision=f64", "cache=3"], &Run { threads: 4, ..run.clone() }, &data);
        assert_eq!(whole.machine.record(), four.machine.record(), "threads change bits");
        let limited = Run { memory: Memory::limited(150 << 20), ..run.clone() };
        assert_eq!(whole.machine.record(), fitted(&[mode, "precision=f64"], &limited, &data).machine.record());
        let single = fitted(&[mode, "precision=f32"], &run, &data);
        testkit::assert_close(&scores(&single), &scores(&whole), 1e-4, "single precision");
        let turned: Vec<usize> = (0..data.len()).rev().collect();
        let backwards = fitted(&[mode, "precision=f64"], &run, &data.select(&turned).unwrap());
        testkit::assert_close(&scores(&backwards), &scores(&whole), 1e-4, "the order of rows");
    }
}

#[test]
fn a_precomputed_kernel_is_the_kernel() {
    let data = clouds(90, 4, 3, 7);
    let run = Run::quiet(1);
    let kernel = Kernel::new(Exponential { gamma: 0.2, q: 2.0 });
    let mut matrix = vec![0.0; 90 * 90];
    Against::new(&kernel, data.points().unwrap(), &run)
        .unwrap()
        .block(data.points().unwrap(), &mut matrix, &run)
        .unwrap();
    let given = Dataset::new(Points::dense(matrix, 90, 90).unwrap(), data.targets.clone());
    let direct = with::<Svc>(&[("gamma", "0.2"), ("tolerance", "1e-10")]).fit(&data, None, &run).unwrap();
    let indirect = with::<Svc>(&[("kernel", "precomputed"), ("tolerance", "1e-10")]).fit(&given, None, &run).unwrap();
    let scores =
        |f: &Fitted, d: &Dataset| f.machine.compute(&d.inputs, &run).unwrap().to_dense(&run.memory).unwrap().to_vec();
    testkit::assert_close(&scores(&indirect, &given), &scores(&direct, &data), 1e-8, "precomputed");
    let wrong = data.select(&[0, 1, 2]).unwrap();
    let error = with::<Svc>(&[("kernel", "precomputed")]).fit(&wrong, None, &run).err().unwrap().to_string();
    assert!(error.contains("precomputed"), "{error}");
}

#[test]
fn warm_starts_go_on_and_grids_share_without_changing_answers() {
    let data = clouds(700, 5, 3, 9);
    let run = Run::quiet(1);
    let at = |c: &str| with::<Svc>(&[("gamma", "0.1"), ("c", c), ("tolerance", "1e-6")]);
    let cold = at("3").fit(&data, None, &run).unwrap();
    let before = at("2.5").fit(&data, None, &run).unwrap();
    let warm = at("3").fit(&data, Some(&before.machine.record()), &run).unwrap();
    assert!(warm.certificate.steps < cold.certificate.steps, "{} {}", warm.certificate.steps, cold.certificate.steps);
    let (a, b) = (warm.certificate.objective.unwrap(), cold.certificate.objective.unwrap());
    assert!((a - b).abs() < 1e-7 * b.abs());
    let down = at("0.5").fit(&data, Some(&cold.machine.record()), &run).unwrap();
    assert!(down.certificate.converged);
    assert!(at("3").fit(&data.select(&[0, 1, 2, 3]).unwrap(), Some(&cold.machine.record()), &run).is_err());

    let folds: Vec<Vec<usize>> = (0..3).map(|f| (0..700).filter(|i| i % 3 != f).collect()).collect();
    let settings: Vec<Vec<(String, Value)>> = [0.5, 4.0]
        .iter()
        .flat_map(|&c| [0.1, 0.3].map(|g| vec![("c".into(), Value::Number(c)), ("gamma".into(), Value::Number(g))]))
        .collect();
    for mode in ["pairs", "rest"] {
        let learner = with::<Svc>(&[("multiclass", mode), ("tolerance", "1e-9")]);
        let many = base::fit_all(
            &learner,
            &Fits { settings: &settings, rows: Some(&folds), data: &data },
            &Run { threads: 2, ..run.clone() },
        )
        .unwrap();
        let mut k = 0;
        for changes in &settings {
            let mut one = learner.clone();
            changes.iter().for_each(|(name, value)| one.set(name, value.clone()).unwrap());
            for fold in &folds {
                let single = one.fit(&data.select(fold).unwrap(), None, &run).unwrap();
                // Distances are centred on the mean of all rows, not of the fold: the last digits differ, and paths with them.
                let decisions = |f: &Fitted| {
                    let machine = Expansion::read(&f.machine.record()).unwrap();
                    machine.decisions(data.points().unwrap(), &run).unwrap()
                };
                testkit::assert_close(&decisions(&many[k]), &decisions(&single), 1e-6, mode);
                k += 1;
            }
        }
    }
}

#[test]
fn shares_are_bounded_by_nu() {
    let data = clouds(400, 4, 2, 11);
    for nu in ["0.1", "0.3", "0.5"] {
        let share: f64 = nu.parse().unwrap();
        for kernel in ["gaussian", "laplacian", "student"] {
            let (fitted, machine) = fit(&with::<OneClassSvm>(&[("nu", nu), ("kernel", kernel)]), &data);
            let strange = fact(&fitted, "fraction of training rows called anomalies");
            assert!(strange <= share + 1e-9 && fact(&fitted, "fraction of support vectors") >= share - 1e-9);
            assert!((machine.coefficients().iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
        let (fitted, machine) = fit(&with::<NuSvc>(&[("nu", nu), ("tolerance", "1e-8")]), &data);
        let f = machine.decisions(data.points().unwrap(), &Run::quiet(1)).unwrap();
        let codes = base::classes_of(&data).unwrap().codes();
        let errors =
            (0..400).filter(|&i| f[i] * if codes[i] == 0 { 1.0 } else { -1.0 } < 1.0 - 1e-5).count() as f64 / 400.0;
        assert!(
            errors <= share + 1e-9 && fact(&fitted, "fraction of support vectors") >= share - 1e-9,
            "{errors} {nu}"
        );
    }
    // Labels that a line cannot tell: at a small share there is no margin, and that is said.
    let mixed: Vec<Option<&str>> = (0..400).map(|i| Some(if i % 2 == 0 { "a" } else { "b" })).collect();
    let mixed = Dataset { targets: Targets::Classes(Classes::from_names(&mixed)), ..data.clone() };
    let (flat, machine) = fit(&with::<NuSvc>(&[("nu", "0.2"), ("kernel", "linear")]), &mixed);
    assert!(!flat.certificate.converged && flat.certificate.warnings.iter().any(|w| w.contains("a margin that is 0")));
    assert!(machine.coefficients().iter().all(|c| c.abs() <= 1.0));
    // More than the smaller class has rows for: the largest share that there is, and that is said.
    let (most, machine) = fit(&with::<NuSvc>(&[("nu", "0.99")]), &clouds(50, 2, 3, 1));
    assert!(
        most.certificate.warnings.iter().any(|w| w.starts_with("nu = 0.99 is infeasible")),
        "{:?}",
        most.certificate
    );
    assert!(machine.coefficients().iter().all(|c| c.is_finite()));
}

#[test]
fn tubes_and_spheres_are_what_they_say() {
    let points = clouds(250, 3, 2, 13).points().unwrap().clone();
    let mut x = [0.0; 3];
    let mut stream = Seed(2).stream();
    let target = |i: usize| {
        points.write_row(i, &mut x);
        x[0].sin() + 0.3 * x[1] + 0.05 * normal(&mut stream)
    };
    let z: Vec<f64> = (0..250).map(target).collect();
    let data = Dataset::new(points.clone(), Targets::Values(Values::new(z.clone(), "z")));
    let (fitted, machine) = fit(&with::<NuSvr>(&[("nu", "0.3"), ("c", "5"), ("tolerance", "1e-8")]), &data);
    let width = fact(&fitted, "epsilon");
    let f = machine.decisions(&points, &Run::quiet(1)).unwrap();
    let outside = z.iter().zip(&f).filter(|(z, f)| (*z - *f).abs() > width + 1e-6).count() as f64 / 250.0;
    assert!(width > 0.0 && outside <= 0.3 && fact(&fitted, "fraction of support vectors") >= 0.3 - 1e-9);
    // The tube that came out, given as a width, is the same machine.
    let (_, given) = fit(&with::<Svr>(&[("epsilon", &width.to_string()), ("c", "5"), ("tolerance", "1e-8")]), &data);
    testkit::assert_close(&given.decisions(&points, &Run::quiet(1)).unwrap(), &f, 1e-5, "the same tube");

    // A sphere in the space of the inputs: support vectors between the bounds lie on it, strange rows outside.
    let (fitted, machine) = fit(&with::<Svdd>(&[("kernel", "linear"), ("nu", "0.1"), ("tolerance", "1e-9")]), &data);
    let n = machine.centres().len();
    let (mut centre, mut u) = ([0.0; 3], [0.0; 3]);
    for j in 0..n {
        machine.centres().write_row(j, &mut u);
        (0..3).for_each(|c| centre[c] -= 0.5 * machine.coefficients()[j] * u[c]);
    }
    let distance = |i: usize| {
        let mut x = [0.0; 3];
        points.write_row(i, &mut x);
        numeric::squared_distance(&x, &centre)
    };
    let scores = fitted.machine.compute(&data.inputs, &Run::quiet(1)).unwrap().to_dense(&Memory::unlimited()).unwrap();
    let radius = distance(0) - scores[0];
    assert!((0..250).all(|i| (distance(i) - radius - scores[i]).abs() < 1e-7 * radius), "scores are distances");
    assert!(scores.iter().filter(|s| **s > 1e-6).count() <= 25);
}

#[test]
fn what_makes_others_hang_ends() {
    let run = Run::quiet(1);
    let twins: Vec<Option<&str>> = (0..40).map(|i| Some(if i % 2 == 0 { "a" } else { "b" })).collect();
    let same = |row: &dyn Fn(usize) -> [f64; 2]| {
        let values: Vec<f64> = (0..40).flat_map(row).collect();
        Dataset::new(Points::dense(values, 40, 2).unwrap(), Targets::Classes(Classes::from_names(&twins)))
    };
    let pairs = same(&|i| [(i / 2) as f64, (i / 2 % 5) as f64]);
    let constant = same(&|_| [1.0, -1.0]);
    let wild = same(&|i| [i as f64 * 1e9, (i % 3) as f64 * 1e-9]);
    for data in [&pairs, &constant, &wild] {
        for c in ["1e-6", "1", "1e6"] {
            for kernel in ["gaussian", "linear", "exponential", "polynomial", "sigmoid"] {
                let learner = with::<Svc>(&[("c", c), ("kernel", kernel), ("q", "4"), ("steps", "200000")]);
                let fitted = learner.fit(data, None, &run).unwrap();
                let scores = fitted.machine.compute(&data.inputs, &run).unwrap().to_dense(&run.memory).unwrap();
                assert!(scores.iter().all(|s| s.is_finite()), "{kernel} {c}");
                if kernel == "exponential" || kernel == "sigmoid" {
                    assert!(matches!(fitted.certificate.gap, Gap::Stationary(_)), "an indefinite kernel has no gap");
                }
            }
        }
        for kernel in ["gaussian", "exponential"] {
            with::<OneClassSvm>(&[("kernel", kernel), ("q", "4")]).fit(data, None, &run).unwrap();
        }
    }
    assert!(Svc::default().fit(&pairs.select(&[0, 2, 4]).unwrap(), None, &run).is_err(), "one class");
    OneClassSvm::default().fit(&pairs.select(&[0]).unwrap(), None, &run).unwrap();
    let warned = Svc::default().fit(&wild, None, &run).unwrap();
    assert!(
        warned.certificate.warnings.iter().any(|w| w.contains("standardise the columns")),
        "{:?}",
        warned.certificate.warnings
    );
}

#[test]
fn time_and_watch_are_heard_in_the_middle() {
    let data = clouds(3000, 5, 2, 17);
    let learner = with::<Svc>(&[("c", "1000"), ("tolerance", "1e-9")]);
    let enough = testkit::After::new(3, Verdict::Enough);
    let kept = learner.fit(&data, None, &Run { watch: &enough, ..Run::quiet(1) }).unwrap();
    assert!(kept.certificate.interrupted && !kept.certificate.converged);
    let Gap::Duality(gap) = kept.certificate.gap else { panic!("the gap is told") };
    assert!(gap > 0.0 && gap.is_finite());
    let few = with::<Svc>(&[("c", "1000"), ("steps", "10")]).fit(&data, None, &Run::quiet(1)).unwrap();
    assert!(!few.certificate.converged && few.certificate.warnings.iter().any(|w| w.contains("raise steps")));
}

/// Hard and soft margins, by the kernel and by the features whose product it is: the same answers, those of
/// f(x) = Σ_j β_j k(x_j, x), and the conditions of the optimum. Each row's strength is 0 outside of the margin, at its bound
/// within, and between them on it.
#[test]
fn the_adatron_finds_the_same_margin_by_kernel_and_by_explicit_features() {
    let run = Run::quiet(1);
    for seed in testkit::seeds(3) {
        // No threshold is fitted: the sign of a quadratic form itself must tell, so the classes are cones.
        let mut stream = Seed(seed).stream();
        let (mut plain, mut squares, mut names) = (vec![], vec![], vec![]);
        for _ in 0..120 {
            // Not too near to the origin, where a form is too small to be brought to 1.
            let (a, b) = (normal(&mut stream), normal(&mut stream));
            let scale = (1.0 + normal(&mut stream).abs()) / a.hypot(b);
            let (a, b) = (scale * a, scale * b);
            let side = a * a + 0.5 * b * b - 0.2 * a * b;
            let cone = a * a - 0.6 * b * b + 0.3 * a * b;
            if cone.abs() < 0.1 * side {
                continue;
            }
            plain.push([a, b]);
            squares.push([a * a, 2f64.sqrt() * a * b, b * b]);
            names.push(Some(if cone > 0.0 { "in" } else { "out" }));
        }
        let targets = Targets::Classes(Classes::from_names(&names));
        let explicit = Dataset::new(Points::from_rows(&squares).unwrap(), targets.clone());
        let data = Dataset::new(Points::from_rows(&plain).unwrap(), targets);
        let codes = base::classes_of(&data).unwrap().codes();
        let sign = |i: usize| if codes[i] == 0 { 1.0 } else { -1.0 };
        for c in ["inf", "0.5"] {
            let kernel = [("kernel", "polynomial"), ("gamma", "1"), ("degree", "2"), ("c", c), ("sweeps", "200000")];
            let (fitted, machine) = fit(&with::<KernelAdaTron>(&kernel), &data);
            let (_, linear) =
                fit(&with::<KernelAdaTron>(&[("kernel", "linear"), ("c", c), ("sweeps", "200000")]), &explicit);
            assert!(fitted.certificate.converged, "{:?}", fitted.certificate);
            let f = machine.decisions(data.points().unwrap(), &run).unwrap();
            let by_features = linear.decisions(explicit.points().unwrap(), &run).unwrap();
            testkit::assert_close(&by_features, &f, 1e-3, "explicit features");
            let bound = c.parse::<f64>().unwrap();
            let beta = coefficients(&machine, plain.len());
            let mut kinds = [0; 3];
            for (i, x) in plain.iter().enumerate() {
                let product = |u: &[f64; 2]| (x[0] * u[0] + x[1] * u[1]).powi(2);
                let sum: f64 = plain.iter().zip(&beta).map(|(u, b)| b * product(u)).sum();
                assert!((f[i] - sum).abs() < 1e-9 * (1.0 + sum.abs()), "{} is not {sum}", f[i]);
                let (strength, stability) = (beta[i] * sign(i), f[i] * sign(i));
                assert!((0.0..=bound).contains(&strength), "a strength of {strength}");
                let (kind, right) = match strength {
                    0.0 => (0, stability >= 1.0 - 1e-3),
                    s if s == bound => (1, stability <= 1.0 + 1e-3),
                    _ => (2, (stability - 1.0).abs() <= 1e-3),
                };
                assert!(right, "strength {strength} at stability {stability}, C = {c}");
                kinds[kind] += 1;
            }
            let seen = kinds[0] > 0 && if c == "inf" { kinds[2] > 0 && kinds[1] == 0 } else { kinds[1] > 0 };
            assert!(seen, "the conditions must not be empty: {kinds:?}, C = {c}");
        }
    }
}

#[test]
fn the_share_of_support_vectors_warns_of_narrow_kernels() {
    let data = clouds(400, 3, 2, 23);
    let held = clouds(400, 3, 2, 24);
    let mut seen: Vec<(f64, f64)> = vec![];
    for sigma in ["3", "1", "0.3", "0.1", "0.03"] {
        let (fitted, machine) = fit(&with::<Svc>(&[("sigma", sigma), ("c", "10")]), &data);
        let scores = machine.compute(&held.inputs, &Run::quiet(1)).unwrap().to_dense(&Memory::unlimited()).unwrap();
        let codes = base::classes_of(&held).unwrap().codes();
        let wrong = scores.chunks(2).zip(codes).filter(|(s, c)| base::argmax(s) != **c).count() as f64 / 400.0;
        let counted = machine.centres().len() as f64 / 400.0;
        assert!((fact(&fitted, "fraction of support vectors") - counted).abs() < 1e-12, "{counted}");
        seen.push((counted, wrong));
        let told = fitted.certificate.warnings.iter().any(|w| w.contains("support vectors"));
        assert_eq!(told, seen[seen.len() - 1].0 > 0.9);
    }
    let (first, last) = (seen[0], seen[4]);
    assert!(last.0 > 0.9 && first.0 < 0.7 && last.1 > first.1, "{seen:?}");
    assert!(seen.windows(2).skip(1).all(|w| w[1].0 >= w[0].0), "{seen:?}");
}
