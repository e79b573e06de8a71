//! A machine written here and nowhere else, with an explanation of its own that no table names, is asked for it by name,
//! through a preparation, beside all other methods.
#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use pellucid::explain::{Context, Method, Question, Subject, explain, explain_many, fitting, method_named, suited};
use pellucid::linear::Linear;
use pellucid::prepare::Scale;
use pellucid::{
    Balance, Chain, Dataset, Error, Explainer, Explains, Facets, Features, Inputs, Learner, Link, Machine, Memory,
    Outputs, Over, OwnMethod, Points, Quantity, Record, Relevance, Result, Run, Scored, Targets,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

static VIEW: &[OwnMethod] =
    &[OwnMethod { name: "view", about: "the one column that decides", over: Over::Columns, adds_up: true }];

/// Two classes; each is scored by the column that says most for or against it. `own` tells of that score alone.
struct Toy {
    inputs: Features,
    outputs: Outputs,
    weights: [Vec<f64>; 2],
    own: Option<Quantity>,
    made: Arc<AtomicUsize>,
}

fn toy(own: Option<Quantity>) -> Toy {
    Toy {
        inputs: Features::unnamed(3),
        outputs: Outputs::classes(["no", "yes"].map(String::from).to_vec().into(), Link::None),
        weights: [vec![1.0, -2.0, 0.5], vec![-1.0, 2.0, 3.0]],
        own,
        made: Arc::default(),
    }
}

/// The column that decides and what it says.
fn view(weights: &[f64], x: &[f64]) -> (usize, f64) {
    let said = |c: usize| weights[c] * x[c];
    let best = (0..x.len()).fold(0, |b, c| if said(c).abs() > said(b).abs() { c } else { b });
    (best, said(best))
}

impl Machine for Toy {
    fn inputs(&self) -> &Features {
        &self.inputs
    }

    fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    fn apply(&self, inputs: &Inputs, run: &Run<'_>) -> Result<Points> {
        let points = inputs.points()?;
        let rows = points.to_dense(&run.memory)?;
        let scores = rows.chunks_exact(3).flat_map(|x| self.weights.iter().map(move |w| view(w, x).1));
        Points::dense(scores.collect::<Vec<f64>>(), points.len(), 2)
    }

    fn record(&self) -> Record {
        Record::new("toy", 1)
    }

    fn facets(&self) -> Facets<'_> {
        Facets { explains: Some(self), ..Facets::default() }
    }
}

impl Explains for Toy {
    fn methods(&self) -> &'static [OwnMethod] {
        VIEW
    }

    fn quantity(&self) -> Option<Quantity> {
        self.own
    }

    fn ready(&self, _: &Run<'_>) -> Result<Box<dyn Explainer>> {
        self.made.fetch_add(1, Relaxed);
        Ok(Box::new(Views { weights: self.weights.clone(), own: self.own.is_some() }))
    }
}

struct Views {
    weights: [Vec<f64>; 2],
    own: bool,
}

impl Explainer for Views {
    fn explain(&self, method: &str, points: &Points, output: usize, run: &Run<'_>) -> Result<Relevance> {
        assert_eq!(method, "view");
        let (mut values, mut balance) = (vec![0.0; points.len() * 3], vec![]);
        for (x, out) in points.to_dense(&run.memory)?.chunks_exact(3).zip(values.chunks_exact_mut(3)) {
            let (column, score) = view(&self.weights[output], x);
            out[column] = score;
            balance.push(Balance { score, sum: score, ..Balance::default() });
        }
        let values = Points::dense(values, points.len(), 3)?;
        Ok(Relevance { values, features: Features::unnamed(3), balance: Some(balance), method: "nameless".into() })
    }

    fn quantity(&self) -> Option<&dyn Scored> {
        self.own.then_some(self)
    }
}

impl Scored for Views {
    fn columns(&self) -> usize {
        3
    }

    fn values(&self, points: &Points, run: &Run<'_>) -> Result<Vec<f64>> {
        Ok(points.to_dense(&run.memory)?.chunks_exact(3).map(|x| view(&self.weights[0], x).1).collect())
    }

    fn gradients(&self, _: &Points, _: &Run<'_>) -> Result<(Vec<f64>, Vec<f64>)> {
        Err(Error::unsupported("a gradient", "this number", "it jumps"))
    }
}

fn rows() -> Points {
    let x = [[1.0, 10.0, -3.0], [2.0, 30.0, 5.0], [4.0, 20.0, 1.0], [9.0, 0.0, 2.0], [3.0, 25.0, -7.0]];
    Points::from_rows(&x).unwrap()
}

fn numbers(points: &Points) -> Vec<f64> {
    points.to_dense(&Memory::unlimited()).unwrap().to_vec()
}

/// The toy behind a scaling that names its columns.
fn behind_scale(last: Toy) -> (Chain, Points) {
    let mut data = Dataset::new(rows(), Targets::None);
    data.features = Features::named(["a", "b", "c"].map(String::from).to_vec());
    let scale = Scale::default().fit(&data, None, &Run::quiet(1)).unwrap().machine;
    let scaled = scale.compute(&data.inputs, &Run::quiet(1)).unwrap();
    (Chain::new(vec![scale, Arc::new(last)]).unwrap(), scaled)
}

#[test]
fn a_method_of_a_machines_own_is_a_method_like_others() {
    let run = Run::quiet(1);
    let (machine, made) = (toy(None), Arc::default());
    let machine = Toy { made: Arc::clone(&made), ..machine };
    let weights = machine.weights.clone();
    let (chain, scaled) = behind_scale(machine);
    let inputs = Inputs::Points(rows());

    let own = method_named(&chain, "view").unwrap();
    assert_eq!((own, own.word(), suited(&chain)), (Method::Own(&VIEW[0]), "view", own));
    assert!(method_named(&chain, "veiw").unwrap_err().to_string().contains("did you mean view"));
    assert!(Method::find("view").is_err(), "the table does not name it");
    let listed = fitting(&chain);
    let line = listed.iter().find(|f| f.method == own).unwrap();
    assert!(line.why_not.is_none() && line.adds_up && line.about == "the one column that decides; conservative");
    assert_eq!(listed.len(), Method::ALL.len() + 1);
    assert!(Subject::new(&chain).usual_methods().contains(&own));
    assert_eq!(made.load(Relaxed), 0, "describing makes nothing ready");

    // The class predicted for each row, told in the columns of the data.
    let answer = explain(&chain, &inputs, Question::default(), &run).unwrap();
    let x = numbers(&scaled);
    let mut expected = vec![0.0; x.len()];
    for (i, line) in x.chunks_exact(3).enumerate() {
        let said = [view(&weights[0], line), view(&weights[1], line)];
        let class = usize::from(said[1].1 > said[0].1);
        assert_eq!(answer.outputs[i], class);
        expected[i * 3 + said[class].0] = said[class].1;
    }
    assert!(answer.outputs.contains(&0) && answer.outputs.contains(&1));
    assert_eq!(numbers(&answer.relevance.values), expected);
    assert_eq!((answer.relevance.method.as_str(), answer.quantity, answer.warnings.len()), ("view", "score", 0));
    assert_eq!(answer.relevance.features.name(1), "b");
    assert!(answer.relevance.balance.unwrap().iter().all(|b| b.open() == 0.0));
    assert_eq!(made.swap(0, Relaxed), 1, "made ready once for all rows and classes");

    let asked = (&[own, Method::Occlusion, own, Method::Dtd][..], Some(1));
    let all = explain_many(&chain, &inputs, asked, &Context::default(), &run).unwrap();
    assert_eq!(made.load(Relaxed), 1, "and once for all methods");
    let one = all[0].as_ref().unwrap();
    let second: Vec<f64> = x.chunks_exact(3).map(|x| view(&weights[1], x).1).collect();
    let sums: Vec<f64> = numbers(&one.relevance.values).chunks_exact(3).map(|r| r.iter().sum()).collect();
    assert_eq!(sums, second);
    assert!(all[1].is_ok());
    assert!(all[3].as_ref().unwrap_err().to_string().contains("has no built-in explanation of this kind"));

    // Another machine does not have it.
    let (other, _) = behind_scale(toy(None));
    assert!(
        Chain::new(vec![Arc::new(other) as Arc<dyn Machine>]).unwrap().facets().explains.is_none(),
        "columns are not those of a longer chain"
    );
    let alone = Chain::new(vec![Arc::new(toy(None)) as Arc<dyn Machine>]).unwrap();
    assert!(alone.facets().explains.is_some());
    let outputs = Outputs::values(["y".to_string()].to_vec().into());
    let linear = Linear::new(Features::unnamed(3), outputs, vec![1.0; 3], vec![0.0], None).unwrap();
    let refused = explain(&linear, &inputs, Question { method: Some(own), output: None }, &run);
    assert!(refused.unwrap_err().to_string().contains("the method view"));
}

#[test]
fn a_number_of_a_machines_own_is_what_other_methods_explain() {
    let run = Run::quiet(1);
    let (chain, scaled) = behind_scale(toy(Some(Quantity { name: "strength", gradient: false, references: false })));
    let inputs = Inputs::Points(rows());
    let ask = |method: &str, output: Option<usize>| {
        let question = Question { method: Some(method_named(&chain, method).unwrap()), output };
        explain(&chain, &inputs, question, &run)
    };
    let strength: Vec<f64> = numbers(&scaled).chunks_exact(3).map(|x| view(&toy(None).weights[0], x).1).collect();
    for method in ["view", "shapley"] {
        let told = ask(method, None).unwrap();
        let scores: Vec<f64> = told.relevance.balance.unwrap().iter().map(|b| b.score).collect();
        assert_eq!(told.quantity, "strength", "{method}");
        assert!(scores.iter().zip(&strength).all(|(a, b)| (a - b).abs() < 1e-12), "{method}: {scores:?} {strength:?}");
    }
    let why = |method: &str| ask(method, None).unwrap_err().to_string();
    assert!(why("gradient").contains("no gradient") && why("taylor").contains("no gradient"));
    assert!(why("nearest").contains("not a detector"));
    assert!(ask("view", Some(1)).unwrap_err().to_string().contains("strength is explained as one number"));
    assert_eq!(ask("occlusion", Some(1)).unwrap().quantity, "score");
}
