//! What methods take is what they ask for: an allocator counts beside the budget.

use crate::numbers;
use base::graph::{Draft, Op, Unary};
use base::{Features, Inputs, Memory, Outputs, Points, Run, Seed};
use network::NetworkMachine;
use pellucid_explain::{Context, Method, Question, Tuning, explain_with, fitting};

const ROWS: usize = 500;
const WIDTH: usize = 400;

/// A network of one hidden layer over many inputs.
fn wide() -> NetworkMachine {
    let draw = |name: &str, count: usize| -> Vec<f64> {
        let seed = Seed(5).fork(name);
        (0..count).map(|i| seed.at(i).unit() - 0.5).collect()
    };
    let mut draft = Draft::rows(WIDTH);
    let w = draft.weight("w", &[WIDTH, 8], draw("w", 8 * WIDTH)).unwrap();
    let h = draft.node("first", Op::Dense { transposed: false }, &[Draft::INPUT, w]);
    let h = draft.node("rectify", Op::Unary(Unary::Relu), &[h]);
    let v = draft.weight("v", &[8, 2], draw("v", 16)).unwrap();
    let y = draft.node("second", Op::Dense { transposed: false }, &[h, v]);
    let outputs = Outputs::values(["a", "b"].map(String::from).to_vec().into());
    NetworkMachine::new(draft.graph(y).unwrap(), Features::unnamed(WIDTH), outputs).unwrap()
}

#[test]
fn methods_ask_for_the_memory_they_take() {
    let machine = wide();
    let rows = |name: &str, count: usize| {
        let seed = Seed(6).fork(name);
        Points::dense((0..count * WIDTH).map(|i| seed.at(i).unit()).collect::<Vec<f64>>(), count, WIDTH).unwrap()
    };
    let (inputs, background) = (Inputs::Points(rows("asked", ROWS)), Inputs::Points(rows("background", 20)));
    // A quarter of what a copy of all rows takes.
    let spare = (2 * ROWS * WIDTH) as u64;
    let mut wrong = vec![];
    let mut tried = 0;
    for fit in fitting(&machine).into_iter().filter(|f| f.why_not.is_none()) {
        let tuning = Tuning { copies: 3, samples: 20, steps: 8, patch: 100, ..Tuning::default() };
        let context = Context { background: Some(&background), tuning };
        let question = Question { method: Some(fit.method), output: Some(0) };
        let counted = || Run { memory: Memory::limited(1 << 32), ..Run::quiet(1) };
        // The first matrix product of a thread makes buffers that are kept for all to come.
        let one = Inputs::Points(rows("asked", 2));
        if let Err(error) = explain_with(&machine, &one, question, &context, &counted()) {
            // Deep Taylor is for scores above 0.
            assert!(error.to_string().contains("above 0"), "{}: {error}", fit.method.word());
            continue;
        }
        let run = counted();
        let (answer, taken) = testkit::most_allocated(|| explain_with(&machine, &inputs, question, &context, &run));
        let Ok(answer) = answer else { continue };
        assert_eq!(numbers(&answer.direct.values).len(), ROWS * WIDTH);
        tried += 1;
        let asked = run.memory.peak();
        if taken > asked + spare {
            wrong.push(format!("{} takes {taken} bytes in large pieces and asks for {asked}", fit.method.word()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(tried >= 20, "{tried} methods");
    let small = Run { memory: Memory::limited(1 << 16), ..Run::quiet(1) };
    let question = Question { method: Some(Method::Gradient), output: Some(0) };
    let refused = explain_with(&machine, &inputs, question, &Context::default(), &small);
    assert!(matches!(refused, Err(base::Error::Memory { .. })));
}
