//! DeepLIFT: the reveal-cancel rule against its definition, and both rules against what they promise.

use crate::drawn::{Draw, Net, all};
use crate::{close, numbers, run};
use base::graph::*;
use base::{Features, Inputs, Outputs, Points, Shape};
use network::NetworkMachine;
use pellucid_explain::{Answer, Context, Method, Question, Tuning, explain_with};

fn machine(graph: Graph, shape: &[usize]) -> NetworkMachine {
    let features = Features::unnamed(shape.iter().product());
    let features = match shape {
        &[channels, height, width] => features.shaped(Shape::Image { height, width, channels }).unwrap(),
        _ => features,
    };
    let width = graph.outputs().len().max(3);
    let names: Vec<String> = (0..width).map(|i| format!("y{i}")).collect();
    NetworkMachine::new(graph, features, Outputs::values(names.into())).unwrap()
}

fn ask(machine: &NetworkMachine, x: &Points, method: Method, reference: f64) -> Answer {
    let context = Context { tuning: Tuning { reference: vec![reference], ..Tuning::default() }, background: None };
    let question = Question { method: Some(method), output: Some(1) };
    explain_with(machine, &Inputs::Points(x.clone()), question, &context, &run()).unwrap()
}

fn drawn_rows(rows: usize, columns: usize) -> Points {
    let values = Draw::new(77).tensor(&[rows, columns], 1.0).to_f64();
    Points::dense(values, rows, columns).unwrap()
}

#[test]
fn differences_add_up_on_every_kind_of_graph() {
    for seed in [1, 20] {
        for (word, graph, shape) in all(seed) {
            let machine = machine(graph, &shape);
            let x = drawn_rows(4, shape.iter().product());
            for method in [Method::DeepLift, Method::DeepLiftRevealCancel] {
                let answer = ask(&machine, &x, method, 0.25);
                for b in answer.relevance.balance.unwrap() {
                    let size = b.score.abs() + b.absorbed.abs();
                    assert!(b.lost.abs() < 1e-9 * size, "{word} by {}: {b:?}", method.word());
                }
            }
        }
    }
}

/// Weights row by row (inputs x outputs) and offsets.
type Layer = (Vec<Vec<f64>>, Vec<f64>);

/// Reveal-cancel as its definition reads, unit by unit, for dense layers with rectifiers between.
fn by_definition(layers: &[Layer], x: &[f64], x0: &[f64], output: usize) -> Vec<f64> {
    let f = |z: f64| z.max(0.0);
    // Differences up and down of inputs and of every layer's fields and activations.
    let mut fields = vec![];
    let mut at0 = x0.to_vec();
    let mut h: Vec<[f64; 2]> = x.iter().zip(x0).map(|(x, r)| [(x - r).max(0.0), (x - r).min(0.0)]).collect();
    for (k, (w, b)) in layers.iter().enumerate() {
        let mut field = vec![[0.0; 2]; b.len()];
        let mut z0 = b.clone();
        for (i, row) in w.iter().enumerate() {
            for (j, &w) in row.iter().enumerate() {
                z0[j] += w * at0[i];
                let (up, down) = if w > 0.0 { (h[i][0], h[i][1]) } else { (h[i][1], h[i][0]) };
                field[j][0] += w * up;
                field[j][1] += w * down;
            }
        }
        fields.push((field.clone(), z0.clone()));
        if k + 1 == layers.len() {
            break;
        }
        h = field
            .iter()
            .zip(&z0)
            .map(|(d, &z)| {
                let (all, up, down) = (f(z + d[0] + d[1]), f(z + d[0]), f(z + d[1]));
                [0.5 * (up - f(z) + all - down), 0.5 * (down - f(z) + all - up)]
            })
            .collect();
        at0 = z0.into_iter().map(f).collect();
    }
    let mut m: Vec<[f64; 2]> = (0..fields[layers.len() - 1].0.len()).map(|j| [f64::from(j == output); 2]).collect();
    for (k, (w, _)) in layers.iter().enumerate().rev() {
        if k + 1 < layers.len() {
            let (field, z0) = &fields[k];
            for ((m, d), &z) in m.iter_mut().zip(field).zip(z0) {
                let (all, up, down) = (f(z + d[0] + d[1]), f(z + d[0]), f(z + d[1]));
                let changes = [0.5 * (up - f(z) + all - down), 0.5 * (down - f(z) + all - up)];
                for s in 0..2 {
                    m[s] *= if d[s] == 0.0 { 0.0 } else { changes[s] / d[s] };
                }
            }
        }
        let passed = |row: &Vec<f64>, s: usize| {
            row.iter().zip(&m).map(|(&w, m)| w * if w > 0.0 { m[s] } else { m[1 - s] }).sum::<f64>()
        };
        m = w.iter().map(|row| [passed(row, 0), passed(row, 1)]).collect();
    }
    let told = |i: usize| m[i][0] * (x[i] - x0[i]).max(0.0) + m[i][1] * (x[i] - x0[i]).min(0.0);
    (0..x.len()).map(told).collect()
}

#[test]
fn reveal_cancel_equals_its_definition() {
    for seed in [3, 4, 5] {
        let mut draw = Draw::new(seed);
        let sizes = [5, 7, 6, 3];
        let (mut n, mut y) = Net::new(&[5], seed);
        let mut layers = vec![];
        for (k, pair) in sizes.windows(2).enumerate() {
            let (w, b) = (draw.tensor(&[pair[0], pair[1]], 0.7), draw.tensor(&[pair[1]], 0.4));
            layers.push((w.to_f64().chunks(pair[1]).map(<[f64]>::to_vec).collect(), b.to_f64()));
            let parts = [n.draft.trained(&format!("w{k}"), w), n.draft.trained(&format!("b{k}"), b)];
            y = n.node(Op::Dense { transposed: false }, &[y, parts[0], parts[1]]);
            if k + 2 < sizes.len() {
                y = n.relu(y);
            }
        }
        let machine = machine(n.draft.graph(y).unwrap(), &[5]);
        let x = drawn_rows(6, 5);
        let ours = numbers(&ask(&machine, &x, Method::DeepLiftRevealCancel, -0.2).direct.values);
        let theirs: Vec<f64> =
            numbers(&x).chunks(5).flat_map(|row| by_definition(&layers, row, &[-0.2; 5], 1)).collect();
        close(&ours, &theirs, 1e-9, "reveal-cancel");
        let rescaled = numbers(&ask(&machine, &x, Method::DeepLift, -0.2).direct.values);
        let most = ours.iter().zip(&rescaled).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        assert!(most > 1e-3, "the two rules say the same");
    }
}

#[test]
fn the_minimum_of_two_is_shared_evenly_where_rescale_gives_all_to_one() {
    // min(a, b) = a - relu(a - b), told for (a, b) = (5, 2) from (0, 0).
    let (mut n, x) = Net::new(&[2], 1);
    let mut constant =
        |name: &str, shape: [usize; 2], v: Vec<f64>| n.draft.trained(name, Tensor::f64(shape, v).unwrap());
    let (difference, first) = (constant("d", [2, 1], vec![1.0, -1.0]), constant("a", [2, 2], vec![0.0, 1.0, 0.0, 0.0]));
    let out = constant("o", [1, 2], vec![0.0, -1.0]);
    let over = n.node(Op::MatMul, &[x, difference]);
    let over = n.relu(over);
    let less = n.node(Op::MatMul, &[over, out]);
    let own = n.node(Op::MatMul, &[x, first]);
    let y = n.node(Op::Binary(Binary::Add), &[own, less]);
    let graph = n.draft.graph(y).unwrap();
    let outputs = Outputs::values(["nothing", "min"].map(String::from).to_vec().into());
    let machine = NetworkMachine::new(graph, Features::unnamed(2), outputs).unwrap();
    let x = Points::dense(vec![5.0, 2.0], 1, 2).unwrap();
    let told = |method| numbers(&ask(&machine, &x, method, 0.0).direct.values);
    close(&told(Method::DeepLiftRevealCancel), &[1.0, 1.0], 1e-12, "reveal-cancel");
    close(&told(Method::DeepLift), &[0.0, 2.0], 1e-12, "rescale");
}

/// DeepSHAP from single answers: the mean of the rescale rule over the rows of the background, whose sum is the score less
/// the mean score of those rows.
#[test]
fn deep_shap_is_the_mean_of_deep_lift_over_references() {
    for (word, graph, shape) in all(9) {
        let machine = machine(graph, &shape);
        let d: usize = shape.iter().product();
        let x = drawn_rows(3, d);
        let background = Points::dense(Draw::new(78).tensor(&[6, d], 1.0).to_f64(), 6, d).unwrap();
        let told = |method: Method, tuning: Tuning, data: &Inputs| {
            let context = Context { tuning, background: Some(data) };
            let question = Question { method: Some(method), output: Some(1) };
            explain_with(&machine, &Inputs::Points(x.clone()), question, &context, &run()).unwrap()
        };
        let data = Inputs::Points(background.clone());
        let found = told(Method::DeepShap, Tuning::default(), &data);
        let mut mean = vec![0.0; 3 * d];
        for row in numbers(&background).chunks(d) {
            let tuning = Tuning { reference: row.to_vec(), ..Tuning::default() };
            let one = numbers(&told(Method::DeepLift, tuning, &data).relevance.values);
            mean.iter_mut().zip(one).for_each(|(m, r)| *m += r / 6.0);
        }
        close(&numbers(&found.relevance.values), &mean, 1e-9, word);
        let scores = |points: &Points| {
            let all = base::Machine::compute(&machine, &Inputs::Points(points.clone()), &run()).unwrap();
            numbers(&all).chunks(machine_width(&machine)).map(|row| row[1]).collect::<Vec<f64>>()
        };
        let usual = scores(&background).iter().sum::<f64>() / 6.0;
        for ((b, score), row) in found.relevance.balance.unwrap().iter().zip(scores(&x)).zip(mean.chunks(d)) {
            assert!((b.score - score).abs() < 1e-9 && (b.absorbed - usual).abs() < 1e-9, "{word}: {b:?}");
            assert!((row.iter().sum::<f64>() - (score - usual)).abs() < 1e-9 * score.abs().max(1.0), "{word}");
        }
    }
}

fn machine_width(machine: &NetworkMachine) -> usize {
    base::Machine::outputs(machine).names.len()
}
