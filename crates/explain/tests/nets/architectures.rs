//! Networks of the blocks that published architectures are made of, read as any other: gradients by finite differences,
//! attributions that add up, and methods that agree where the theory says so.

use crate::drawn::{Draw, architectures};
use crate::{close, numbers, run};
use base::{Features, Inputs, Machine, Outputs, Points, Shape};
use network::NetworkMachine;
use pellucid_explain::{Context, Method, Question, Tuning, explain_with, fitting};

const COLUMNS: usize = 128;

fn machines() -> Vec<(&'static str, NetworkMachine)> {
    let machine = |(word, graph, _): (&'static str, base::graph::Graph, Vec<usize>)| {
        let features = Features::unnamed(COLUMNS).shaped(Shape::Image { height: 8, width: 8, channels: 2 }).unwrap();
        let names = ["a", "b", "c"].map(String::from).to_vec();
        (word, NetworkMachine::new(graph, features, Outputs::values(names.into())).unwrap())
    };
    let all: Vec<_> = architectures(11).into_iter().map(machine).collect();
    let words: Vec<&str> = all.iter().map(|(word, _)| *word).collect();
    assert_eq!(words, ["resnet", "inception", "densenet", "nasnet", "vgg"]);
    all
}

fn rows(count: usize, seed: u64) -> Points {
    Points::dense(Draw::new(seed).tensor(&[count, COLUMNS], 1.0).to_f64(), count, COLUMNS).unwrap()
}

fn scores(machine: &NetworkMachine, points: &Points) -> Vec<f64> {
    numbers(&machine.compute(&Inputs::Points(points.clone()), &run()).unwrap())
}

#[test]
fn gradients_of_published_architectures_are_finite_differences() {
    for (word, machine) in machines() {
        let x = numbers(&rows(1, 3));
        let mut claimed = vec![0.0; COLUMNS];
        let point = Points::dense(x.clone(), 1, COLUMNS).unwrap();
        machine.facets().gradient.unwrap().vjp(&point, &[0.0, 1.0, 0.0], &mut claimed, &run()).unwrap();
        let size = claimed.iter().fold(0.0f64, |m, g| m.max(g.abs()));
        assert!(size > 1e-3, "{word} does not look at its input");
        for i in (0..COLUMNS).step_by(7) {
            let at = |d: f64| {
                let mut moved = x.clone();
                moved[i] += d;
                scores(&machine, &Points::dense(moved, 1, COLUMNS).unwrap())[1]
            };
            let measured = (at(1e-6) - at(-1e-6)) / 2e-6;
            assert!(
                (claimed[i] - measured).abs() < 1e-6 * size.max(1.0),
                "{word}, input {i}: {} {measured}",
                claimed[i]
            );
        }
    }
}

#[test]
fn every_method_that_fits_a_published_architecture_explains_it_and_adds_up() {
    for (word, machine) in machines() {
        let (points, background) = (rows(2, 4), Inputs::Points(rows(12, 5)));
        let tuning = Tuning { copies: 4, samples: 60, ..Tuning::default() };
        let best = base::argmax(&scores(&machine, &points.select(&[0]).unwrap())) as usize;
        let mut seen = vec![];
        for fit in fitting(&machine).into_iter().filter(|f| f.why_not.is_none() && f.method != Method::Shapley) {
            let context = Context { background: Some(&background), tuning: tuning.clone() };
            let question = Question { method: Some(fit.method), output: Some(best) };
            let answer = explain_with(&machine, &Inputs::Points(points.clone()), question, &context, &run());
            let answer = match answer {
                Ok(answer) => answer,
                // Deep Taylor is for scores above 0.
                Err(error) if error.to_string().contains("above 0") => continue,
                Err(error) => panic!("{word}, {}: {error}", fit.method.word()),
            };
            let values = numbers(&answer.direct.values);
            assert!(values.iter().all(|v| v.is_finite()), "{word}, {}", fit.method.word());
            for b in answer.direct.balance.iter().flatten() {
                assert!(b.open() < 1e-9, "{word}, {}: {b:?}", fit.method.word());
            }
            seen.push(fit.method);
        }
        for method in [Method::LrpComposite, Method::LrpEpsilon, Method::GuidedBackprop, Method::IntegratedGradients] {
            assert!(seen.contains(&method), "{word}: {} does not fit", method.word());
        }
        assert!(seen.len() >= 25, "{word}: {} methods only", seen.len());
    }
}

/// On rectified networks LRP-0 with biases in the denominators is the input times the gradient.
#[test]
fn input_times_gradient_is_the_z_rule_on_published_architectures() {
    for (word, machine) in machines() {
        let points = rows(2, 6);
        let told = |method: Method| {
            let tuning = Tuning { stabiliser: 0.0, epsilon: 0.0, ..Tuning::default() };
            let question = Question { method: Some(method), output: Some(2) };
            let context = Context { tuning, background: None };
            numbers(
                &explain_with(&machine, &Inputs::Points(points.clone()), question, &context, &run())
                    .unwrap()
                    .direct
                    .values,
            )
        };
        close(&told(Method::LrpZ), &told(Method::InputGradient), 1e-6, word);
    }
}
