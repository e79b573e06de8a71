//! What every kernel of the table promises: tests that a new line is tried by.

use super::{Exponential, Family, Intersection, Precomputed, TABLE, examples};
use crate::block::Against;
use crate::function::KernelBasis;
use crate::kernel::Kernel;
use crate::settings::KernelSettings;
use base::{Dataset, Points, Record, Run, Seed, Setting, Settings, Targets};
use testkit::{as_sparse, toy_points};

/// Normal numbers, or their sizes for kernels of histograms.
fn drawn(kernel: &Kernel, n: usize, d: usize, seed: u64) -> Points {
    let mut s = Seed(seed).stream();
    let draw = |_| {
        let x = base::normal(&mut s);
        if kernel.non_negative() { x.abs() } else { x }
    };
    Points::dense((0..n * d).map(draw).collect::<Vec<f64>>(), n, d).unwrap()
}

fn block(kernel: &Kernel, a: &Points, b: &Points) -> Vec<f64> {
    let run = Run { threads: 2, ..Run::quiet(1) };
    let mut out = vec![0.0; a.len() * b.len()];
    Against::new(kernel, b, &run).unwrap().block(a, &mut out, &run).unwrap();
    out
}

#[test]
fn words_and_names_lead_to_their_lines() {
    for (place, (family, line)) in TABLE.iter().enumerate() {
        assert_eq!(*family as usize, place);
        assert!(!(line.examples)().is_empty(), "{} has no examples", line.name);
        for kernel in (line.examples)() {
            assert_eq!((kernel.name(), kernel.check()), (line.name, Ok(())));
        }
    }
}

#[test]
fn blocks_are_the_values_of_pairs_dense_and_sparse() {
    for kernel in examples() {
        for d in [3, 20] {
            let (a, b) = (drawn(&kernel, 37, d, 1), drawn(&kernel, 29, d, 2));
            let out = block(&kernel, &a, &b);
            let (mut x, mut u) = (vec![0.0; d], vec![0.0; d]);
            for i in 0..37 {
                for j in 0..29 {
                    a.write_row(i, &mut x);
                    b.write_row(j, &mut u);
                    let k = kernel.value(&x, &u);
                    assert!((out[i * 29 + j] - k).abs() <= 1e-12 * (1.0 + k.abs()), "{kernel:?}");
                    let turned = kernel.value(&u, &x);
                    assert!((k - turned).abs() <= 1e-14 * (1.0 + k.abs()), "{kernel:?} is not symmetric");
                }
            }
        }
    }
    let data = Dataset::new(toy_points(20, 5, 3), Targets::None);
    let (dense, sparse) = (data.points().unwrap().clone(), as_sparse(&data).points().unwrap().clone());
    for kernel in examples().into_iter().filter(|k| !k.non_negative()) {
        let expected = block(&kernel, &dense, &dense);
        for (a, b) in [(&sparse, &dense), (&dense, &sparse), (&sparse, &sparse)] {
            testkit::assert_close(&block(&kernel, a, b), &expected, 1e-12, kernel.name());
        }
    }
}

#[test]
fn single_precision_is_double_precision_rounded() {
    for kernel in examples() {
        let mut s = Seed(3).stream();
        let numbers: Vec<f32> = (0..50).map(|_| (3.0 * base::normal(&mut s).abs()) as f32).collect();
        let (mut single, mut double) = (numbers.clone(), numbers.iter().map(|&x| f64::from(x)).collect::<Vec<f64>>());
        let norms: Vec<f64> = numbers.iter().map(|&x| f64::from(x) + 1.0).collect();
        match kernel.basis() {
            KernelBasis::Inner(function) => {
                function.finish(&mut double, 9.0, &norms);
                function.finish_single(&mut single, 9.0, &norms);
                if !function.needs_norms() {
                    let mut without: Vec<f64> = numbers.iter().map(|&x| f64::from(x)).collect();
                    function.finish(&mut without, 9.0, &[]);
                    assert_eq!(without, double, "{kernel:?}");
                }
            }
            KernelBasis::Distances(function) => {
                function.finish(&mut double);
                function.finish_single(&mut single);
            }
            KernelBasis::Coordinates | KernelBasis::Precomputed => continue,
        }
        for (a, b) in single.iter().zip(&double) {
            assert!((f64::from(*a) - b).abs() <= 1e-6 * (1.0 + b.abs()), "{kernel:?}: {a} {b}");
        }
    }
}

#[test]
fn gradients_are_finite_differences() {
    for kernel in examples() {
        let Some(gradient) = kernel.gradient() else { continue };
        let points = drawn(&kernel, 8, 4, 5);
        let (mut x, mut u) = (vec![0.0; 4], vec![0.0; 4]);
        for i in 0..4 {
            points.write_row(i, &mut x);
            points.write_row(i + 4, &mut u);
            let mut slope = vec![1.0; 4];
            gradient.add(&x, &u, 2.0, &mut slope);
            for c in 0..4 {
                let h = 1e-6;
                let at = |e: f64| {
                    let mut y = x.clone();
                    y[c] += e;
                    kernel.value(&y, &u)
                };
                let measured = (at(h) - at(-h)) / (2.0 * h);
                let claimed = (slope[c] - 1.0) / 2.0;
                assert!((measured - claimed).abs() < 1e-7 * (1.0 + claimed.abs()), "{kernel:?} {measured} {claimed}");
            }
        }
    }
}

#[test]
fn declarations_hold() {
    let run = Run::quiet(1);
    for kernel in examples() {
        let points = drawn(&kernel, 60, 3, 8);
        let mut x = vec![0.0; 3];
        for i in 0..60 {
            points.write_row(i, &mut x);
            if let Some(flat) = kernel.diagonal() {
                assert!((kernel.value(&x, &x) - flat).abs() < 1e-15, "{kernel:?}");
            }
        }
        let negative = Points::dense(vec![1.0, -0.5], 1, 2).unwrap();
        let signs = Against::new(&kernel, &negative, &run);
        assert_eq!(signs.is_err(), kernel.non_negative(), "{kernel:?}");
        if let Some(radial) = kernel.radial() {
            let value = |r: f64| kernel.value(&[r], &[0.0]);
            for r in [0.3f64, 1.0, 2.5] {
                let expected = match radial {
                    density::RadialKernel::Exponential { gamma, q } => (-gamma * r.powf(q)).exp(),
                    density::RadialKernel::Student { a, gamma, q } => 1.0 / (a + gamma * r.powf(q)),
                };
                assert!((value(r) - expected).abs() < 1e-15, "{kernel:?}");
            }
        }
        // Values move by no more than what is claimed where the basis moves a little.
        let error = 1e-7;
        let claimed = kernel.single_error(error);
        let moved = |finish: &dyn Fn(&mut [f64])| {
            let (mut here, mut there): (Vec<f64>, Vec<f64>) =
                (0..40).map(|k| (0.1 * f64::from(k), 0.1 * f64::from(k) + error)).unzip();
            finish(&mut here);
            finish(&mut there);
            here.iter().zip(&there).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        if let KernelBasis::Distances(function) = kernel.basis() {
            assert!(moved(&|line| function.finish(line)) <= claimed * (1.0 + 1e-6), "{kernel:?}");
        }
    }
}

#[test]
fn records_bring_kernels_back_and_wrong_ones_are_refused() {
    for kernel in examples() {
        assert_eq!(kernel.record().kind(), format!("kernel-{}", kernel.name()));
        assert_eq!(Kernel::read(&kernel.record(), None), Ok(kernel));
    }
    assert!(Kernel::read(&Record::new("kernel-perpetual", 1), None).is_err());
    assert!(Kernel::read(&Record::new("linear", 1), None).is_err());
    assert!(Kernel::read(&Kernel::new(Exponential { gamma: f64::NAN, q: 2.0 }).record(), None).is_err());
    let negative = Points::dense(vec![1.0, -0.5], 1, 2).unwrap();
    let error = Against::new(&Kernel::new(Intersection), &negative, &Run::quiet(1)).err().unwrap();
    assert!(error.to_string().contains("-0.5 is negative"), "{error}");
}

/// Files of every release stay readable: the records as they have been written from the first on.
#[test]
fn records_are_what_they_were() {
    let fields = |kernel: &Kernel| {
        let record = kernel.record();
        let names = record.fields().keys().map(String::as_str).collect::<Vec<_>>().join(" ");
        (record.kind().to_string(), record.version(), names)
    };
    let expected = [
        ("kernel-linear", ""),
        ("kernel-polynomial", "coef0 degree gamma"),
        ("kernel-exponential", "gamma q"),
        ("kernel-student", "a gamma q"),
        ("kernel-sigmoid", "coef0 gamma"),
        ("kernel-arccos", "depth"),
        ("kernel-chi-squared", "gamma"),
        ("kernel-intersection", ""),
        ("kernel-precomputed", ""),
    ];
    let found: Vec<_> = examples().iter().map(fields).collect();
    for (kind, names) in expected {
        assert!(found.contains(&(kind.to_string(), 1, names.to_string())), "{kind}: {found:?}");
    }
}

#[test]
fn kernels_take_the_settings_of_their_lines_and_no_others() {
    let run = Run::quiet(1);
    let data = Dataset::new(toy_points(4, 4, 3), Targets::None);
    let names: Vec<&str> =
        KernelSettings::default().params().iter().map(|p| p.name).filter(|n| *n != "kernel").collect();
    for (family, _) in TABLE {
        // q = 3 is nobody's default, so that a bandwidth makes a difference from gamma.
        let plain = KernelSettings { kernel: *family, q: 3.0, ..KernelSettings::default() };
        let before = plain.choose(&data, &run).unwrap();
        for &name in &names {
            let mut other = plain.clone();
            let value = match name {
                "degree" => "5",
                "depth" => "2",
                _ => "0.7",
            };
            other.set_text(name, value).unwrap();
            let changed = other.choose(&data, &run).unwrap() != before;
            assert_eq!(changed, family.settings().contains(&name), "{} of {}", name, family.word());
        }
        assert!(family.settings().iter().all(|s| names.contains(s)), "{}", family.word());
    }
    // Help texts that list kernels list those that take the setting.
    for param in KernelSettings::default().params() {
        let Some((_, list)) = param.help.rsplit_once(" (").and_then(|(a, b)| Some((a, b.split_once(')')?.0))) else {
            continue;
        };
        let listed: Vec<&str> = list.split(", ").collect();
        if listed.iter().any(|word| Family::from_word(word).is_none()) {
            continue;
        }
        let base::Kind::Choice(words) = Family::KIND else { panic!("words to choose from") };
        let takers = |word: &&str| Family::from_word(word).is_some_and(|f| f.settings().contains(&param.name));
        let expected: Vec<&str> = words.iter().copied().filter(takers).collect();
        assert_eq!(listed, expected, "{}", param.name);
    }
    let rows = Dataset::new(toy_points(5, 4, 3), Targets::None);
    let own = KernelSettings { kernel: Family::Precomputed, ..KernelSettings::default() };
    assert!(own.choose(&rows, &run).is_err());
    assert!(own.choose(&data, &run).unwrap().downcast::<Precomputed>().is_some());
}
