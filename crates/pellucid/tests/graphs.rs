//! A machine's form as a network computes what the machine computes.
#![allow(clippy::unwrap_used, reason = "tests speak by panicking")]

use pellucid::graph::{Element, Tensor};
use pellucid::kernels::{self, Decisions, Expansion, ExpansionParts, KernelSettings};
use pellucid::network::{Network, NetworkMachine};
use pellucid::{
    Catalog, Dataset, Features, Inputs, KNOWN, Kind, Learner, Machine, Memory, Outputs, Points, Run, Seed, Setting,
    Shape, Targets, Wanted, prepared,
};

/// Runs the machine and its graph on these rows and answers with the largest difference, relative above 1.
fn apart(machine: &dyn Machine, points: &Points) -> f64 {
    let run = Run { threads: 2, catalog: &KNOWN, ..Run::quiet(1) };
    let ours = machine.compute(&Inputs::Points(points.clone()), &run).unwrap().to_dense(&run.memory).unwrap();
    let graph = machine.to_graph(&Run::quiet(0)).unwrap().expect("has a form as a network");
    assert_eq!(graph.inputs().len(), 1);
    assert_eq!(graph.inputs()[0].element, Element::F64);
    let rows = points.to_dense(&Memory::unlimited()).unwrap().to_vec();
    let input = Tensor::f64([points.len(), points.columns()], rows).unwrap();
    let theirs = Network::new(graph).run(&[input], &run).unwrap().remove(0);
    assert_eq!(theirs.shape(), [points.len(), machine.outputs().names.len()]);
    assert_eq!(theirs.element(), Element::F64);
    let far = |(a, b): (&f64, f64)| if *a == b { 0.0 } else { (a - b).abs() / a.abs().max(1.0) };
    ours.iter().zip(theirs.to_f64()).map(far).fold(0.0, |m, x| if x.is_nan() { f64::NAN } else { m.max(x) })
}

fn drawn(rows: usize, columns: usize) -> Points {
    let seed = Seed(5).fork("rows");
    let values: Vec<f64> = (0..rows * columns).map(|i| 8.0 * seed.at(i).unit() - 4.0).collect();
    Points::dense(values, rows, columns).unwrap()
}

fn fitted(steps: &str, machine: &str, settings: &[(&str, &str)], data: &Dataset) -> std::sync::Arc<dyn Machine> {
    let run = Run { catalog: &KNOWN, ..Run::quiet(1) };
    let mut learner = KNOWN.learner(machine).unwrap();
    settings.iter().for_each(|(name, value)| learner.set_text(name, value).unwrap());
    let (_, learner) = prepared(steps, data, learner).unwrap();
    learner.fit(data, None, &run).unwrap().machine
}

fn data_for(learner: &dyn Learner, seed: u64) -> Dataset {
    match learner.traits().needs.targets {
        Wanted::Values => testkit::toy_values(seed),
        _ => testkit::toy_classes(seed),
    }
}

#[test]
fn machines_and_their_graphs_agree() {
    let points = drawn(200, 4);
    let cases: &[(&str, &[(&str, &str)])] = &[
        ("linear-regression", &[]),
        ("ridge", &[]),
        ("ridge", &[("posterior", "true")]),
        ("lasso", &[]),
        ("elastic-net", &[]),
        ("logistic", &[]),
        ("nearest-mean", &[]),
        ("nearest-mean", &[("prototypes", "4")]),
        ("kmeans", &[("k", "5")]),
        ("kmedoids", &[("metric", "manhattan")]),
        ("kmedoids", &[("metric", "chebyshev")]),
        ("vq", &[]),
        ("gmm", &[("covariance", "isotropic")]),
        ("gmm", &[("covariance", "diagonal")]),
        ("gmm", &[("covariance", "full")]),
        ("knn", &[]),
        ("knn", &[("k", "1000")]),
        ("scale", &[]),
        ("center", &[]),
        ("robust", &[]),
        ("min-max", &[]),
        ("symmetric", &[]),
        ("log", &[("epsilon", "50")]),
        ("unit", &[]),
        ("unit", &[("p", "1")]),
        ("unit", &[("p", "3")]),
        ("pca", &[]),
        ("whiten", &[]),
        ("select", &[("keep", "2")]),
    ];
    for (name, settings) in cases {
        let learner = KNOWN.learner(name).unwrap();
        let machine = fitted("none", name, settings, &data_for(&*learner, 3));
        let apart = apart(&*machine, &points);
        assert!(apart <= 1e-12, "{name} {settings:?}: {apart:e} apart");
    }
}

#[test]
fn rows_of_nothing_and_classes_without_rows() {
    let zero = Points::dense(vec![0.0; 8], 2, 4).unwrap();
    assert_eq!(apart(&*fitted("none", "unit", &[], &testkit::toy_classes(1)), &zero), 0.0);
    let mut data = testkit::toy_classes(1);
    let Targets::Classes(classes) = &data.targets else { panic!("toys have classes") };
    let keep: Vec<usize> = (0..data.len()).filter(|&i| classes.get(i) != Some(1)).collect();
    data = data.select(&keep).unwrap();
    let machine = fitted("none", "nearest-mean", &[], &data);
    assert!(apart(&*machine, &drawn(20, 4)) <= 1e-12);
}

#[test]
fn chains_are_graphs_one_after_the_other() {
    let data = testkit::toy_classes(2);
    let points = drawn(100, 4);
    for steps in ["scale,pca=3", "impute,robust,unit", "select:keep=3,scale,whiten"] {
        for name in ["logistic", "nearest-mean", "knn"] {
            let machine = fitted(steps, name, &[], &data);
            let apart = apart(&*machine, &points);
            assert!(apart <= 1e-10, "{steps} {name}: {apart:e} apart");
        }
    }
}

#[test]
fn gaps_are_filled_alike() {
    let data = testkit::toy_classes(2);
    let mut values = drawn(60, 4).to_dense(&Memory::unlimited()).unwrap().to_vec();
    (0..values.len()).step_by(7).for_each(|i| values[i] = f64::NAN);
    let holed = Points::dense(values, 60, 4).unwrap();
    let train = Dataset { targets: Targets::None, ..data }.with_inputs(holed.clone(), Features::unnamed(4));
    for settings in [&[("strategy", "median")][..], &[("indicator", "true")]] {
        let machine = fitted("none", "impute", settings, &train);
        assert_eq!(apart(&*machine, &holed), 0.0);
    }
    assert_eq!(fitted("none", "sparse-columns", &[], &train).to_graph(&Run::quiet(0)).map(|g| g.is_some()), Ok(true));
}

#[test]
fn a_network_in_other_forms_and_types_has_a_graph_of_rows() {
    use pellucid::graph::{Graph, GraphInput, Node, Op, Source, Unary};
    let shape = Shape::Image { height: 2, width: 3, channels: 2 };
    let features = Features::unnamed(12).shaped(shape).unwrap();
    for (element, rows, sizes) in [
        (Element::F64, None, vec![2, 2, 3]),
        (Element::F32, None, vec![2, 3, 2]),
        (Element::F64, Some(5), vec![2, 2, 3]),
    ] {
        let axes = std::iter::once(rows).chain(sizes.iter().map(|&n| Some(n))).collect();
        let input = GraphInput { name: "picture".into(), element, shape: axes };
        let node =
            Node { name: "neg".into(), op: Op::Unary(Unary::Neg), inputs: vec![Some(Source::Input(0))], outputs: 1 };
        let graph = Graph::new(vec![input], vec![], vec![node], vec![("y".into(), Source::Node(0, 0))]).unwrap();
        let names = (0..12).map(|i| format!("y{i}")).collect();
        let machine = NetworkMachine::new(graph, features.clone(), Outputs::values(names)).unwrap();
        let far = apart(&machine, &drawn(5, 12));
        assert_eq!(far, 0.0, "{element:?} {sizes:?}");
    }
}

#[test]
fn those_without_a_graph_say_so() {
    for name in ["tree", "hierarchical"] {
        let learner = KNOWN.learner(name).unwrap();
        assert_eq!(
            fitted("none", name, &[], &data_for(&*learner, 1)).to_graph(&Run::quiet(0)).map(|g| g.is_some()),
            Ok(false)
        );
    }
    let machine = fitted("none", "knn", &[("weighting", "distance")], &testkit::toy_classes(1));
    assert_eq!(machine.to_graph(&Run::quiet(0)).map(|g| g.is_some()), Ok(false));
    let chain = fitted("scale", "tree", &[], &testkit::toy_classes(1));
    assert_eq!(chain.to_graph(&Run::quiet(0)).map(|g| g.is_some()), Ok(false));
}

#[test]
fn every_kernel_agrees_with_its_graph() {
    let Kind::Choice(words) = kernels::Family::KIND else { panic!("words to choose from") };
    // As many rows as columns, for kernel values computed elsewhere, and none negative, for kernels of histograms.
    let seed = Seed(7).fork("centres");
    let centres = Points::dense((0..64).map(|i| seed.at(i).unit()).collect::<Vec<f64>>(), 8, 8).unwrap();
    let data = Dataset::new(centres.clone(), Targets::None);
    let mut found = 0;
    for word in words {
        let kernel = kernels::Family::from_word(word).unwrap();
        let settings = KernelSettings {
            kernel,
            gamma: pellucid::NumberOr::Number(0.3),
            coef0: 0.5,
            q: 1.5,
            ..KernelSettings::default()
        };
        let machine = Expansion::new(ExpansionParts {
            kernel: settings.choose(&data, &Run::quiet(1)).unwrap(),
            reading: Decisions::Values,
            inputs: Features::unnamed(8),
            names: ["y".to_string()].into(),
            centres: centres.clone(),
            coefficients: (0..8).map(|j| f64::from(j) - 3.5).collect(),
            offsets: vec![0.25],
            counts: vec![],
            rows: None,
            seen: vec![],
        })
        .unwrap();
        let machine: &dyn Machine = &machine;
        if machine.to_graph(&Run::quiet(1)).unwrap().is_some() {
            found += 1;
            assert!(apart(machine, &drawn(50, 8)) < 1e-12, "{word}");
        }
    }
    assert!(found >= 8, "{found} kernels have a graph");
}
