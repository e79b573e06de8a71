//! Several methods together: each says what it says alone, and they share the runs of the network.

use crate::drawn;
use crate::numbers;
use base::{Features, Inputs, Outputs, Points, Progress, Run, Seed, Shape, Verdict, Watch};
use network::NetworkMachine;
use pellucid_explain::{Means, Method, Question, Tuning, explain_many, explain_with};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Counts the blocks of rows that go through the network.
struct Counts(AtomicUsize);

impl Watch for Counts {
    fn step(&self, progress: &Progress<'_>) -> Verdict {
        self.0.fetch_add(usize::from(progress.stage == "explaining"), Relaxed);
        Verdict::GoOn
    }
}

#[test]
fn several_methods_share_the_runs_of_a_network() {
    for (name, graph, shape) in drawn::all(4) {
        let columns: usize = shape.iter().product();
        let outputs = Outputs::values(["a", "b", "c"].map(String::from).to_vec().into());
        let features = match shape[..] {
            [channels, height, width] => {
                Features::unnamed(columns).shaped(Shape::Image { height, width, channels }).unwrap()
            }
            _ => Features::unnamed(columns),
        };
        let machine = NetworkMachine::new(graph, features, outputs).unwrap();
        let values: Vec<f64> = (0..3 * columns).map(|i| Seed(6).at(i).unit() - 0.3).collect();
        let inputs = Inputs::Points(Points::dense(values, 3, columns).unwrap());
        let means = Means { tuning: Tuning::default(), background: None };
        let methods =
            [Method::LrpEpsilon, Method::Gradient, Method::LrpZPlus, Method::Dtd, Method::GuidedBackprop, Method::LrpZ];
        let counted = |methods: &[Method]| {
            let counts = Counts(AtomicUsize::new(0));
            let run = Run { watch: &counts, ..Run::quiet(1) };
            let all = explain_many(&machine, &inputs, (methods, Some(1)), &means, &run).unwrap();
            (all, counts.0.into_inner())
        };
        let (all, blocks) = counted(&methods);
        assert_eq!(all.len(), methods.len());
        for (method, answer) in methods.iter().zip(all) {
            let question = Question { method: Some(*method), output: Some(1) };
            match explain_with(&machine, &inputs, question, &means, &Run::quiet(1)) {
                Ok(alone) => {
                    let answer = answer.unwrap_or_else(|e| panic!("{name}, {method:?}: {e}"));
                    assert_eq!(
                        numbers(&alone.relevance.values),
                        numbers(&answer.relevance.values),
                        "{name} {method:?}"
                    );
                    assert_eq!(alone.relevance.balance, answer.relevance.balance);
                }
                Err(why) => assert_eq!(why, answer.unwrap_err(), "{name}: what one cannot do is no matter for others"),
            }
        }
        let walks = [Method::LrpEpsilon, Method::LrpZPlus, Method::GuidedBackprop, Method::LrpZ];
        let (one, four) = (counted(&walks[..1]).1, counted(&walks).1);
        assert_eq!((one, four), (1, 1), "{name}: {blocks} blocks in all");
    }
}
