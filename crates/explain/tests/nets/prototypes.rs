//! Relevance walks through kernel machines, mixtures and prototypes written as networks, beside the closed forms that the
//! rules of kernels and measures lead to.

use crate::{close, numbers, run};
use base::graph::{Binary, Draft, Element, Op, Source, Tensor, Unary};
use base::{Dataset, Features, Inputs, Learner, Machine, Outputs, Points, Seed, Targets, Values, normal};
use distance::{Codebook, Covariance, Metric, Mixture};
use kernels::{Expansion, Svc, Svr};
use network::NetworkMachine;
use network::RbfNetwork;
use pellucid_explain::{Answer, Method, Question, explain, fitting};

const D: usize = 3;

fn drawn(n: usize, seed: u64) -> Points {
    let mut stream = Seed(seed).stream();
    Points::dense((0..n * D).map(|_| 0.3 + normal(&mut stream)).collect::<Vec<f64>>(), n, D).unwrap()
}

fn ask(machine: &dyn Machine, method: Method, points: &Points, output: Option<usize>) -> Answer {
    let question = Question { method: Some(method), output };
    explain(machine, &Inputs::Points(points.clone()), question, &run())
        .unwrap_or_else(|e| panic!("{}: {e}", method.word()))
}

fn learned(learner: &mut dyn Learner, settings: &[(&str, &str)]) -> std::sync::Arc<dyn Machine> {
    settings.iter().for_each(|(name, value)| learner.set_text(name, value).unwrap());
    let points = drawn(40, 5);
    let rows = numbers(&points);
    let y = rows.chunks(D).map(|x| x[0] * x[1] + x[2].sin()).collect();
    let targets = match learner.name() {
        "svr" => Targets::Values(Values::new(y, "y")),
        _ => {
            let codes = y.iter().map(|v: &f64| u32::from(*v > 0.0) + u32::from(*v > 0.8)).collect();
            let names = ["low", "middle", "high"].map(String::from).to_vec();
            Targets::Classes(base::Classes::new(codes, names).unwrap())
        }
    };
    learner.fit(&Dataset::new(points, targets), None, &run()).unwrap().machine
}

/// Σ over support points of what the definition gives to each variable, and what is absorbed besides the offset.
fn expansion(machine: &Expansion, x: &[f64], kernel: &str) -> (Vec<f64>, f64) {
    let centres = numbers(machine.centres());
    let (mut shares, mut absorbed) = (vec![0.0; D], 0.0);
    for (u, alpha) in centres.chunks(D).zip(machine.coefficients()) {
        let squares: Vec<f64> = x.iter().zip(u).map(|(x, u)| (x - u) * (x - u)).collect();
        let products: Vec<f64> = x.iter().zip(u).map(|(x, u)| x * u).collect();
        let (square, product) = (squares.iter().sum::<f64>(), products.iter().sum::<f64>());
        // The kernel, what it is where what carries relevance is 0, and whose share each variable has.
        let (value, alone, of, whole) = match kernel {
            "gaussian" => ((-0.4 * square).exp(), 1.0, &squares, square),
            "laplacian" => ((-0.4 * square.sqrt()).exp(), 1.0, &squares, square),
            "student" => (1.0 / (2.0 + 0.4 * square), 0.5, &squares, square),
            "polynomial" => ((0.4 * product + 0.7).powi(3), 0.7f64.powi(3), &products, product),
            _ => ((0.4 * product).powi(3), 0.0, &products, product),
        };
        absorbed += alpha * alone;
        for (share, part) in shares.iter_mut().zip(of) {
            *share += alpha * (value - alone) * part / whole;
        }
    }
    (shares, absorbed)
}

#[test]
fn kernel_machines_compare_each_support_point_with_itself() {
    let points = drawn(7, 9);
    for (kernel, settings) in [
        ("gaussian", vec![]),
        ("laplacian", vec![]),
        ("student", vec![("a", "2")]),
        ("polynomial", vec![("coef0", "0.7"), ("degree", "3")]),
        ("homogeneous", vec![("degree", "3")]),
    ] {
        let name = if kernel == "homogeneous" { "polynomial" } else { kernel };
        let mut all = vec![("kernel", name), ("gamma", "0.4"), ("c", "5")];
        all.extend(settings);
        let fitted = learned(&mut Svr::default(), &all);
        let machine = Expansion::read(&fitted.record()).unwrap();
        let answer = ask(&*fitted, Method::LrpZ, &points, None);
        let found = numbers(&answer.direct.values);
        let balance = answer.direct.balance.unwrap();
        for (i, x) in numbers(&points).chunks(D).enumerate() {
            let (shares, absorbed) = expansion(&machine, x, kernel);
            close(&found[i * D..(i + 1) * D], &shares, 1e-8, &format!("{kernel}, row {i}"));
            let score = shares.iter().sum::<f64>() + absorbed + machine.offsets()[0];
            let b = &balance[i];
            let near = |a: f64, b: f64| (a - b).abs() < 1e-8 * (1.0 + b.abs());
            assert!(near(b.score, score) && near(b.absorbed, absorbed + machine.offsets()[0]), "{kernel}: {b:?}");
            assert!(b.open() < 1e-9, "{kernel}: {b:?}");
        }
    }
}

#[test]
fn a_point_far_from_all_is_explained_by_its_distance() {
    let fitted = learned(&mut Svr::default(), &[("gamma", "0.4"), ("c", "5")]);
    let machine = Expansion::read(&fitted.record()).unwrap();
    let far = Points::dense(vec![30.0, 0.0, 0.0], 1, D).unwrap();
    let answer = ask(&*fitted, Method::LrpZ, &far, None);
    let balance = answer.direct.balance.unwrap()[0];
    assert!(balance.open() < 1e-9 && (balance.score - machine.offsets()[0]).abs() < 1e-9, "{balance:?}");
    let found = numbers(&answer.direct.values);
    let sum: f64 = machine.coefficients().iter().sum();
    assert!((found.iter().sum::<f64>() + sum).abs() < 1e-6 * (1.0 + sum.abs()), "{found:?} {sum}");
    // On a support point itself nothing is far from it, and what is not a number is nowhere.
    let on = machine.centres().select(&[0]).unwrap();
    assert!(numbers(&ask(&*fitted, Method::LrpZ, &on, None).direct.values).iter().all(|v| v.is_finite()));
}

#[test]
fn votes_of_pairs_and_normalised_units_keep_their_accounts() {
    let points = drawn(6, 11);
    let machines = [
        learned(&mut Svc::default(), &[]),
        learned(&mut Svc::default(), &[("kernel", "student")]),
        learned(&mut RbfNetwork::default(), &[("units", "6")]),
        learned(&mut RbfNetwork::default(), &[("units", "6"), ("spread", "diagonal")]),
        learned(&mut RbfNetwork::default(), &[("units", "4"), ("spread", "full")]),
    ];
    for machine in machines {
        for method in [Method::LrpZ, Method::LrpEpsilon, Method::LrpComposite, Method::LrpGamma, Method::LrpAlphaBeta] {
            let fits = fitting(&*machine).into_iter().find(|f| f.method == method).unwrap();
            assert_eq!(fits.why_not, None, "{}", method.word());
            let whole = ask(&*machine, method, &points, None);
            let found = numbers(&whole.direct.values);
            assert!(found.iter().any(|v| *v != 0.0) && found.iter().all(|v| v.is_finite()), "{}", method.word());
            assert!(whole.direct.balance.unwrap().iter().all(|b| b.open() < 1e-9), "{}", method.word());
            let alone = numbers(&ask(&*machine, method, &points.select(&[4]).unwrap(), None).direct.values);
            close(&alone, &found[4 * D..5 * D], 1e-9, method.word());
        }
    }
}

/// −½ (x − μ)ᵀ Σ⁻¹ (x − μ): each variable has half its difference times the slope, whatever the origin.
#[test]
fn mixtures_measure_from_their_means() {
    let means = vec![0.5, -1.0, 2.0, -0.7, 0.2, 0.1];
    let full = vec![1.0, 0.3, 0.1, 0.3, 0.8, -0.2, 0.1, -0.2, 1.5, 0.6, 0.0, 0.2, 0.0, 2.0, 0.4, 0.2, 0.4, 0.9];
    for (covariance, spreads) in [
        (Covariance::Full, full),
        (Covariance::Diagonal, vec![1.0, 0.5, 2.0, 0.3, 1.5, 0.8]),
        (Covariance::Isotropic, vec![1.3, 0.4]),
    ] {
        let machine = Mixture::new(Features::unnamed(D), covariance, vec![0.4, 0.6], means.clone(), spreads).unwrap();
        let points = drawn(5, 13);
        for component in 0..2 {
            let answer = ask(&machine, Method::LrpZ, &points, Some(component));
            let found = numbers(&answer.direct.values);
            assert!(answer.direct.balance.unwrap().iter().all(|b| b.open() < 1e-9));
            for (i, x) in numbers(&points).chunks(D).enumerate() {
                let score = |x: &[f64]| {
                    let rows = Inputs::Points(Points::dense(x.to_vec(), 1, D).unwrap());
                    numbers(&machine.compute(&rows, &run()).unwrap())[component]
                };
                let expected: Vec<f64> = (0..D)
                    .map(|j| {
                        let moved =
                            |h: f64| score(&(0..D).map(|k| x[k] + if k == j { h } else { 0.0 }).collect::<Vec<_>>());
                        0.5 * (x[j] - means[component * D + j]) * (moved(1e-5) - moved(-1e-5)) / 2e-5
                    })
                    .collect();
                close(&found[i * D..(i + 1) * D], &expected, 1e-7, &format!("{covariance:?}, {component}, row {i}"));
            }
        }
    }
}

#[test]
fn prototypes_measure_from_their_places() {
    let centres = vec![0.5, -1.0, 2.0, -0.7, 0.2, 0.1];
    let points = drawn(5, 17);
    for metric in [Metric::Euclidean, Metric::Manhattan] {
        let machine = Codebook::new(Features::unnamed(D), centres.clone(), metric, None).unwrap();
        let found = numbers(&ask(&machine, Method::LrpZ, &points, Some(1)).direct.values);
        let expected: Vec<f64> = numbers(&points)
            .iter()
            .enumerate()
            .map(|(i, x)| {
                let away = (x - centres[D + i % D]).abs();
                -if metric == Metric::Euclidean { away * away } else { away }
            })
            .collect();
        close(&found, &expected, 1e-9, metric.word());
    }
}

/// Through a softmax and a layer without a bias the z rule is the input times the gradient.
#[test]
fn a_softmax_within_gives_input_times_gradient() {
    let mut draft = Draft::default();
    let x = draft.input("x", Element::F64, vec![None, Some(D)]);
    let soft = draft.node("shares", Op::Softmax { axis: 1, log: false }, &[x]);
    let w = draft.trained("w", Tensor::f64([D, 2], vec![0.3, -1.0, 2.0, 0.4, -0.6, 0.9]).unwrap());
    let y = draft.node("y", Op::Dense { transposed: false }, &[soft, w]);
    let outputs = Outputs::values(["a", "b"].map(String::from).to_vec().into());
    let machine = NetworkMachine::new(draft.graph(y).unwrap(), Features::unnamed(D), outputs).unwrap();
    let points = drawn(4, 19);
    let [walked, product] = [Method::LrpZ, Method::InputGradient].map(|m| ask(&machine, m, &points, Some(1)).direct);
    close(&numbers(&walked.values), &numbers(&product.values), 1e-9, "softmax");
    assert!(walked.balance.unwrap().iter().all(|b| b.open() < 1e-9));
}

/// Puts a node after another.
type Bend = fn(&mut Draft, Source) -> Source;

#[test]
fn a_curve_without_a_beginning_is_refused_by_name() {
    // (x − ½)^2.5 is not a number where x is 0, and 1/x is none there either.
    let power: Bend = |draft, x| {
        let half = draft.number("half", 0.5).unwrap();
        let away = draft.node("away", Op::Binary(Binary::Sub), &[x, half]);
        let p = draft.number("p", 2.5).unwrap();
        draft.node("bent", Op::Binary(Binary::Pow), &[away, p])
    };
    let reciprocal: Bend = |draft, x| draft.node("bent", Op::Unary(Unary::Reciprocal), &[x]);
    for curve in [power, reciprocal] {
        let mut draft = Draft::default();
        let x = draft.input("x", Element::F64, vec![None, Some(D)]);
        let y = curve(&mut draft, x);
        let outputs = Outputs::values(["a", "b", "c"].map(String::from).to_vec().into());
        let machine = NetworkMachine::new(draft.graph(y).unwrap(), Features::unnamed(D), outputs).unwrap();
        let rows = Inputs::Points(Points::dense(vec![1.0, 2.0, 3.0], 1, D).unwrap());
        let question = Question { method: Some(Method::LrpZ), output: Some(1) };
        let said = explain(&machine, &rows, question, &run()).unwrap_err().to_string();
        assert!(said.contains("\"bent\"") && said.contains("no single finite value"), "{said}");
    }
}
