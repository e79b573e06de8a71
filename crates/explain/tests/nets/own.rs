//! Methods that are in no table: an entry is all that a method is.

use crate::{drawn, numbers, run};
use base::{Features, Inputs, Outputs, Points, Relevance};
use network::NetworkMachine;
use pellucid_explain::composites::{Stabilisers, everywhere};
use pellucid_explain::{
    AddsUp, Context, Explain, LinearRule, Method, MethodEntry, MethodNeeds, Question, Route, Tuning, explain_with,
    explain_with_entry,
};

/// (x_i ∂f/∂x_i)², for scores with a gradient.
static SQUARED: MethodEntry = MethodEntry {
    degree: |_| 2,
    ..MethodEntry::new(
        "squared-product",
        "the squared product of input and gradient",
        MethodNeeds::Gradient,
        Explain::Gradient(|case, run| {
            let told = pellucid_explain::attribution::input_gradient(case.score, case.points, run)?;
            let squares: Vec<f64> = told.values.to_dense(&run.memory)?.iter().map(|r| r * r).collect();
            let values = Points::dense(squares, case.points.len(), case.points.columns())?;
            Ok(Relevance { values, method: "squared-product".into(), ..told })
        }),
    )
};

/// ε = 1/2 everywhere.
static STEADY: MethodEntry = MethodEntry {
    adds_up: AddsUp::Through(|_, _| true),
    ..MethodEntry::new(
        "steady",
        "what each input adds, weak contributions damped by half",
        MethodNeeds::Network,
        Explain::Walk(Route::of_score(|_| everywhere(LinearRule::epsilon(0.5), Stabilisers::default()))),
    )
};

static NOWHERE: MethodEntry = MethodEntry::new(
    "nowhere",
    "asks for a detector",
    MethodNeeds::References,
    Explain::Quantity(|own, points, run| own.explain("dtd", points, 0, run)),
);

#[test]
fn a_method_is_an_entry() {
    let (_, graph, shape) = drawn::all(5).into_iter().find(|(_, _, shape)| shape.len() == 1).unwrap();
    let columns = shape[0];
    let outputs = Outputs::values(["a", "b", "c"].map(String::from).to_vec().into());
    let machine = NetworkMachine::new(graph, Features::unnamed(columns), outputs).unwrap();
    let values: Vec<f64> = (0..3 * columns).map(|i| (i as f64 * 0.7).sin()).collect();
    let inputs = Inputs::Points(Points::dense(values, 3, columns).unwrap());
    let own =
        |entry: &MethodEntry| explain_with_entry(&machine, &inputs, (entry, Some(1)), &Context::default(), &run());
    let known = |method: Method, tuning: Tuning| {
        let question = Question { method: Some(method), output: Some(1) };
        explain_with(&machine, &inputs, question, &Context { tuning, background: None }, &run()).unwrap()
    };

    let product = known(Method::InputGradient, Tuning::default());
    let squares: Vec<f64> = numbers(&product.relevance.values).iter().map(|r| r * r).collect();
    assert_eq!(numbers(&own(&SQUARED).unwrap().relevance.values), squares);

    let walked = own(&STEADY).unwrap();
    let same = known(Method::LrpEpsilon, Tuning { epsilon: 0.5, ..Tuning::default() });
    assert_eq!(numbers(&walked.relevance.values), numbers(&same.relevance.values));
    assert_eq!((walked.relevance.balance, walked.warnings.len()), (same.relevance.balance, same.warnings.len()));

    let why = own(&NOWHERE).unwrap_err().to_string();
    assert!(why.contains("the method nowhere") && why.contains("weighted sum of radial kernels"), "{why}");
}
