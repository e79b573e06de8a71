//! Several methods together: each says what it says alone, and they share the runs of the network.

use crate::drawn;
use crate::numbers;
use base::graph::Graph;
use base::{
    Facets, Features, GraphForm, Inputs, Machine, Outputs, Points, Progress, Record, Result, Run, Seed, Shape, Verdict,
    Watch,
};
use network::NetworkMachine;
use pellucid_explain::{Context, Method, Question, Subject, Tuning, explain_many, explain_with};
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
        let context = Context { tuning: Tuning::default(), background: None };
        let methods =
            [Method::LrpEpsilon, Method::Gradient, Method::LrpZPlus, Method::Dtd, Method::GuidedBackprop, Method::LrpZ];
        let counted = |methods: &[Method]| {
            let counts = Counts(AtomicUsize::new(0));
            let run = Run { watch: &counts, ..Run::quiet(1) };
            let all = explain_many(&machine, &inputs, (methods, Some(1)), &context, &run).unwrap();
            (all, counts.0.into_inner())
        };
        let (all, blocks) = counted(&methods);
        assert_eq!(all.len(), methods.len());
        for (method, answer) in methods.iter().zip(all) {
            let question = Question { method: Some(*method), output: Some(1) };
            match explain_with(&machine, &inputs, question, &context, &Run::quiet(1)) {
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

/// A machine that counts how often its graph is asked for.
struct Asked {
    machine: NetworkMachine,
    graphs: AtomicUsize,
}

impl GraphForm for Asked {
    fn graph(&self, run: &Run<'_>) -> Result<Option<Graph>> {
        self.graphs.fetch_add(1, Relaxed);
        let machine: &dyn Machine = &self.machine;
        machine.to_graph(run)
    }
}

impl Machine for Asked {
    fn inputs(&self) -> &Features {
        self.machine.inputs()
    }

    fn outputs(&self) -> &Outputs {
        self.machine.outputs()
    }

    fn apply(&self, inputs: &Inputs, run: &Run<'_>) -> Result<Points> {
        self.machine.apply(inputs, run)
    }

    fn record(&self) -> Record {
        self.machine.record()
    }

    fn facets(&self) -> Facets<'_> {
        Facets { graph: Some(self), ..self.machine.facets() }
    }
}

#[test]
fn a_network_is_made_ready_once_for_all_that_is_asked() {
    let (_, graph, shape) = drawn::all(7).into_iter().find(|(_, _, shape)| shape.len() == 1).unwrap();
    let outputs = Outputs::values(["a", "b", "c"].map(String::from).to_vec().into());
    let machine = NetworkMachine::new(graph, Features::unnamed(shape[0]), outputs).unwrap();
    let machine = Asked { machine, graphs: AtomicUsize::new(0) };
    let values: Vec<f64> = (0..4 * shape[0]).map(|i| Seed(8).at(i).unit() - 0.5).collect();
    let inputs = Inputs::Points(Points::dense(values, 4, shape[0]).unwrap());
    let subject = Subject::new(&machine);
    assert!(subject.fitting().iter().filter(|f| f.why_not.is_none()).count() > 20);
    subject.suited();
    assert_eq!(machine.graphs.load(Relaxed), 1, "fitness and choice look at one network");
    // Scores and gradients go through the network as it was made, walks through the one with normalisations joined.
    let methods = [Method::LrpEpsilon, Method::DeepLift, Method::Gradient, Method::Occlusion, Method::LrpZPlus];
    let entries = methods.map(Method::entry);
    let entries = entries.each_ref();
    for output in [None, Some(2)] {
        let all = subject.explain_many(&inputs, (&entries, output), &Context::default(), &Run::quiet(1)).unwrap();
        assert!(all.iter().all(Result::is_ok));
    }
    assert_eq!(machine.graphs.into_inner(), 2);
}

#[test]
fn free_memory_decides_whether_is_explained_and_never_how() {
    let (_, graph, shape) = drawn::all(7).into_iter().find(|(_, _, shape)| shape.len() == 1).unwrap();
    let outputs = Outputs::values(["a", "b", "c"].map(String::from).to_vec().into());
    let machine = NetworkMachine::new(graph, Features::unnamed(shape[0]), outputs).unwrap();
    let inputs = Inputs::Points(Points::dense(vec![0.5; shape[0]], 1, shape[0]).unwrap());
    let ask = |limit: u64| {
        let run = Run { memory: base::Memory::limited(limit), ..Run::quiet(1) };
        explain_with(&machine, &inputs, Question::default(), &Context::default(), &run)
    };
    let usual = ask(1 << 40).unwrap().relevance.method;
    for limit in (0..24).map(|bits| 1 << bits) {
        match ask(limit) {
            Ok(answer) => assert_eq!(answer.relevance.method, usual),
            Err(e) => assert!(matches!(e, base::Error::Memory { .. }), "{e}"),
        }
    }
}

#[test]
fn the_best_label_of_each_row_is_explained_where_none_is_named() {
    let (_, graph, shape) = drawn::all(7).into_iter().find(|(_, _, shape)| shape.len() == 1).unwrap();
    let names: Vec<String> = ["a", "b", "c"].map(String::from).to_vec();
    let outputs = Outputs { meaning: base::Meaning::Labels, ..Outputs::classes(names.into(), base::Link::None) };
    let machine = NetworkMachine::new(graph, Features::unnamed(shape[0]), outputs).unwrap();
    let values: Vec<f64> = (0..40 * shape[0]).map(|i| 6.0 * (Seed(9).at(i).unit() - 0.5)).collect();
    let inputs = Inputs::Points(Points::dense(values, 40, shape[0]).unwrap());
    let run = Run::quiet(1);
    let scores = machine.compute(&inputs, &run).unwrap().to_dense(&run.memory).unwrap();
    let best: Vec<usize> = scores.chunks(3).map(|row| base::argmax(row) as usize).collect();
    assert!(best.iter().any(|b| *b != best[0]), "rows of several labels");
    let answer = pellucid_explain::explain(&machine, &inputs, Question::default(), &run).unwrap();
    assert_eq!(answer.outputs, best);
    for (row, &output) in best.iter().enumerate() {
        let one = inputs.select(&[row]).unwrap();
        let alone =
            pellucid_explain::explain(&machine, &one, Question { output: Some(output), ..Question::default() }, &run)
                .unwrap();
        let (mut a, mut b) = (vec![0.0; shape[0]], vec![0.0; shape[0]]);
        answer.relevance.values.write_row(row, &mut a);
        alone.relevance.values.write_row(0, &mut b);
        assert_eq!(a, b, "row {row}");
    }
}
