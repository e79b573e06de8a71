//! Penalties, bounds, dropout, early stopping.

use crate::toys::{curve, drawn, run, training, values};
use base::graph::Element;
use base::*;
use pellucid_network::layers::{Activation, Scaling};
use pellucid_network::train::*;
use pellucid_network::{Mlp, Prune};
use pellucid_network::{Network, NetworkMachine};

fn weights(fitted: &Fitted) -> Vec<f64> {
    let machine = NetworkMachine::read(&fitted.machine.record()).unwrap();
    Network::new(machine.graph().clone()).parameters()
}

/// Values of mean 0 and deviation 1, which training leaves as they are; the third column says nothing.
fn data() -> Dataset {
    let mut x = drawn(5, 120);
    let y: Vec<f64> = (0..40).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    x.chunks_mut(3).zip(&y).for_each(|(x, y)| x[0] += y);
    values(x, 3, y)
}

fn linear(training: Training) -> Mlp {
    Mlp { hidden: vec![], scale: Scaling::None, training, ..Mlp::default() }
}

#[test]
fn weight_decay_is_descent_on_the_penalty() {
    // (7.10) and (7.11): one step with decay equals one step on the cost with ½ γ |W|² added; offsets are not drawn.
    let decay = Training { regularizer: Regularizer::L2, penalty: 0.3, ..training(Optimizer::Sgd, 0.1, 25) };
    let found = weights(&linear(decay).fit(&data(), None, &run(9)).unwrap());
    let graph =
        linear(training(Optimizer::Sgd, 0.1, 1)).network(&data().features, 1, None, Element::F64, run(9).seed).unwrap();
    let mut w = Network::new(graph).parameters();
    let x = data().points().unwrap().to_dense(&Memory::unlimited()).unwrap();
    for _ in 0..25 {
        let mut g: Vec<f64> = (0..4).map(|j| if j < 3 { 0.3 * w[j] } else { 0.0 }).collect();
        for (i, x) in x.chunks(3).enumerate() {
            let y = if i % 2 == 0 { 1.0 } else { -1.0 };
            let miss = w[0] * x[0] + w[1] * x[1] + w[2] * x[2] + w[3] - y;
            (0..4).for_each(|j| g[j] += miss * if j < 3 { x[j] } else { 1.0 } / 40.0);
        }
        (0..4).for_each(|j| w[j] -= 0.1 * g[j]);
    }
    testkit::assert_close(&found, &w, 1e-12, "decay and penalty");
}

/// Each penalty and the bound of the norm once more by hand, step by step: w goes down the cost's slope and, by the penalty's
/// formula, towards 0; for p = 1 by ηγ and no further, which is the proximal step of the LASSO; what is then too long is
/// scaled back onto the bound. Offsets are spared.
#[test]
fn penalties_and_bounds_step_by_step_are_those_of_the_formulas() {
    type Pull = fn(f64) -> f64;
    let cases: [(Regularizer, f64, Pull); 5] = [
        (Regularizer::None, 1.0, |_| 0.0),
        (Regularizer::L2, 1.0, |w| w),
        (Regularizer::Elimination, 1.0, |w| w / (1.0 + w * w).powi(2)),
        (Regularizer::Lp, 1.5, |w| w.abs().sqrt() * w.signum()),
        (Regularizer::Lp, 3.0, |w| w.abs() * w),
    ];
    let lasso: (Regularizer, f64, Pull) = (Regularizer::Lp, 1.0, |_| 0.0);
    let (rate, penalty, epochs) = (0.1, 0.3, 25);
    let (mut bounded, mut zeros) = (0, 0);
    for seed in testkit::seeds(3) {
        let mut x = drawn(seed, 120);
        let y: Vec<f64> = (0..40).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
        x.chunks_mut(3).zip(&y).for_each(|(x, y)| x[0] += y);
        let data = values(x.clone(), 3, y.clone());
        for (regularizer, p, pull) in cases.into_iter().chain([lasso]) {
            for (max_norm, norm_of) in [(0.0, NormOf::All), (0.4, NormOf::All), (0.4, NormOf::Unit)] {
                let settings =
                    Training { regularizer, penalty, p, max_norm, norm_of, ..training(Optimizer::Sgd, rate, epochs) };
                let found = weights(&linear(settings).fit(&data, None, &run(seed)).unwrap());
                let start = linear(training(Optimizer::Sgd, rate, 1));
                let start = start.network(&data.features, 1, None, Element::F64, run(seed).seed).unwrap();
                let mut w = Network::new(start).parameters();
                for _ in 0..epochs {
                    let mut g = [0.0; 4];
                    for (x, y) in x.chunks(3).zip(&y) {
                        let miss = w[0] * x[0] + w[1] * x[1] + w[2] * x[2] + w[3] - y;
                        (0..4).for_each(|j| g[j] += miss * if j < 3 { x[j] } else { 1.0 } / 40.0);
                    }
                    for j in 0..4 {
                        let down = w[j] - rate * g[j];
                        w[j] = match j {
                            3 => down,
                            _ if p == 1.0 && regularizer == Regularizer::Lp => {
                                down.signum() * (down.abs() - rate * penalty).max(0.0)
                            }
                            _ => down - rate * penalty * pull(w[j]),
                        };
                    }
                    let length = w[..3].iter().map(|w| w * w).sum::<f64>().sqrt();
                    if max_norm > 0.0 && length > max_norm {
                        w[..3].iter_mut().for_each(|w| *w *= max_norm / length);
                        bounded += 1;
                    }
                }
                zeros += w.iter().filter(|w| **w == 0.0).count();
                testkit::assert_close(&found, &w, 1e-10, &format!("{regularizer:?} {p}, at most {max_norm}"));
            }
        }
    }
    assert!(bounded > 0 && zeros > 0, "bounds met: {bounded}, exact zeros: {zeros}");
}

#[test]
fn penalties_end_where_their_slopes_balance_the_cost() {
    for (regularizer, p) in
        [(Regularizer::L2, 1.0), (Regularizer::Elimination, 1.0), (Regularizer::Lp, 1.5), (Regularizer::Lp, 3.0)]
    {
        let one = |rule, rate, epochs| {
            let settings = Training { regularizer, p, penalty: 0.2, tolerance: 1e-9, ..training(rule, rate, epochs) };
            linear(settings).fit(&data(), None, &run(9)).unwrap()
        };
        let (stepped, minimised) = (one(Optimizer::Sgd, 0.2, 3000), one(Optimizer::Lbfgs, 1.0, 300));
        testkit::assert_close(&weights(&stepped), &weights(&minimised), 1e-5, regularizer.word());
        let Gap::Stationary(rest) = minimised.certificate.gap else { panic!() };
        assert!(rest < 1e-7, "{regularizer:?}: {rest}");
    }
}

#[test]
fn the_first_norm_makes_exact_zeros() {
    let settings =
        Training { regularizer: Regularizer::Lp, p: 1.0, penalty: 0.15, ..training(Optimizer::Sgd, 0.2, 500) };
    let found = weights(&linear(settings).fit(&data(), None, &run(9)).unwrap());
    assert!(found[1] == 0.0 && found[2] == 0.0 && found[0] > 0.3, "{found:?}");
}

#[test]
fn norms_stay_within_their_bound() {
    for (norm_of, bound) in [(NormOf::All, 0.3), (NormOf::Unit, 0.2)] {
        let mlp = Mlp {
            hidden: vec![5.0],
            training: Training { max_norm: bound, norm_of, ..training(Optimizer::Adam, 0.05, 30) },
            ..Mlp::default()
        };
        let fitted = mlp.fit(&data(), None, &run(2)).unwrap();
        let machine = NetworkMachine::read(&fitted.machine.record()).unwrap();
        let matrices = machine.graph().weights().iter().filter(|w| w.tensor.shape().len() == 2);
        let lengths: Vec<f64> = matrices
            .flat_map(|w| {
                w.tensor
                    .to_f64()
                    .chunks(w.tensor.shape()[1])
                    .map(|u| u.iter().map(|x| x * x).sum::<f64>())
                    .collect::<Vec<_>>()
            })
            .collect();
        let longest = match norm_of {
            NormOf::All => lengths.iter().sum::<f64>().sqrt(),
            NormOf::Unit => lengths.iter().fold(0.0, |m: f64, l| m.max(l.sqrt())),
        };
        assert!(longest <= bound * (1.0 + 1e-12) && longest > 0.9 * bound, "{norm_of:?}: {longest}");
    }
}

/// What training with dropout is, on average, is what the network without it computes: units are scaled by 1 / p. Its variance
/// tells that units, inputs and weights are dropped with the chances asked for: with masks m of chance p a factor m/p has the
/// variance (1 − p)/p, and everything here is linear.
#[test]
fn dropout_keeps_the_mean_of_what_a_layer_sums() {
    let mlp = Mlp {
        hidden: vec![50.0],
        activation: Activation::Identity,
        dropout: 0.5,
        input_dropout: 0.2,
        ..Mlp::default()
    };
    let dropped = Mlp { hidden: vec![50.0], activation: Activation::Identity, drop_connect: 0.3, ..Mlp::default() };
    for mlp in [mlp, dropped] {
        let network = Network::new(mlp.network(&Features::unnamed(4), 2, None, Element::F64, Seed(3)).unwrap());
        let x = base::graph::Tensor::f64([1, 4], drawn(8, 4)).unwrap();
        let calm = network.run(std::slice::from_ref(&x), &run(1)).unwrap()[0].to_f64();
        // The variance of each output by its definition; offsets are 0 at the start.
        let matrix = |units: usize, inputs: usize| {
            let found = network.weights().iter().find(|w| w.shape() == [units, inputs]);
            found.expect("a matrix of that shape").to_f64()
        };
        let (w, v, inputs) = (matrix(50, 4), matrix(2, 50), x.to_f64());
        let odds = |dropped: f64| dropped / (1.0 - dropped);
        let term = |h: usize, d: usize| w[h * 4 + d] * inputs[d];
        let field = |h: usize| (0..4).map(|d| term(h, d)).sum::<f64>();
        let variance = |k: usize| -> f64 {
            let pair = |h: usize, g: usize| {
                let common = odds(mlp.input_dropout) * (0..4).map(|d| term(h, d) * term(g, d)).sum::<f64>();
                let own = odds(mlp.drop_connect) * (0..4).map(|d| term(h, d).powi(2)).sum::<f64>();
                let both = field(h) * field(g) + common + if h == g { own } else { 0.0 };
                let units = if h == g { odds(mlp.dropout) } else { 0.0 };
                v[k * 50 + h] * v[k * 50 + g] * (both * (1.0 + units) - field(h) * field(g))
            };
            (0..50).flat_map(|h| (0..50).map(move |g| (h, g))).map(|(h, g)| pair(h, g)).sum()
        };
        let draws = 20_000;
        let mut sums = [[0.0; 2]; 3];
        for i in 0..draws {
            let tape = network.training_tape(std::slice::from_ref(&x), Seed(11).at(i), &run(1)).unwrap();
            let found = tape.outputs().unwrap()[0].to_f64();
            (0..2).for_each(|k| {
                sums[0][k] += found[k];
                sums[1][k] += found[k] * found[k];
                sums[2][k] += (found[k] - calm[k]).powi(4);
            });
        }
        for k in 0..2 {
            let mean = sums[0][k] / draws as f64;
            let error = ((sums[1][k] / draws as f64 - mean * mean) / draws as f64).sqrt();
            assert!(error > 0.0 && (mean - calm[k]).abs() < 4.0 * error, "{mean} ± {error} is not {}", calm[k]);
            // The standard error of a variance, from the fourth moment; a statistical tolerance for seeds that are known.
            let found = sums[1][k] / draws as f64 - mean * mean;
            let error = ((sums[2][k] / draws as f64 - found * found) / draws as f64).sqrt();
            let expected = variance(k);
            assert!(error < 0.03 * expected, "the variance would not be told: {error} of {expected}");
            assert!((found - expected).abs() < 4.0 * error, "variance {found} ± {error} is not {expected}");
        }
    }
}

/// Running statistics of batch normalisation come to those of the data, and the machine uses them.
#[test]
fn batch_normalisation_learns_the_statistics_of_the_data() {
    let mlp = Mlp {
        hidden: vec![8.0],
        batch_norm: true,
        scale: Scaling::None,
        training: training(Optimizer::Adam, 0.01, 200),
        ..Mlp::default()
    };
    let fitted = mlp.fit(&data(), None, &run(2)).unwrap();
    let machine = NetworkMachine::read(&fitted.machine.record()).unwrap();
    let network = Network::new(machine.graph().clone());
    let x = data().points().unwrap().to_dense(&Memory::unlimited()).unwrap().to_vec();
    let tape = network.tape(&[base::graph::Tensor::f64([40, 3], x).unwrap()], &run(1)).unwrap();
    let fields = tape.value(base::graph::Source::Node(0, 0)).unwrap().to_f64();
    let by_name = |name: &str| machine.graph().weights().iter().find(|w| w.name == name).unwrap().tensor.to_f64();
    let (mean, variance) = (by_name("dense 1 norm mean"), by_name("dense 1 norm variance"));
    for c in 0..8 {
        let column: Vec<f64> = fields.iter().skip(c).step_by(8).copied().collect();
        let m = column.iter().sum::<f64>() / 40.0;
        let v = column.iter().map(|x| (x - m) * (x - m)).sum::<f64>() / 39.0;
        // Weights still move a little while a tenth of each batch goes into the mean.
        assert!(
            (m - mean[c]).abs() < 0.1 && (v / variance[c] - 1.0).abs() < 0.2,
            "{c}: {m} {} {v} {}",
            mean[c],
            variance[c]
        );
    }
}

#[test]
fn early_stopping_keeps_the_best_epoch() {
    let x = drawn(41, 600);
    let noise = drawn(42, 60);
    let y: Vec<f64> = x.chunks(10).zip(&noise).map(|(x, e)| x[0] + 3.0 * e).collect();
    let data = values(x, 10, y);
    let settings = Training { validation: 0.4, patience: 15, ..training(Optimizer::Adam, 0.02, 400) };
    let mlp = Mlp { hidden: vec![60.0], training: settings, ..Mlp::default() };
    let fitted = mlp.fit(&data, None, &run(5)).unwrap();
    let aside = curve(&fitted.certificate, "validation cost by epoch");
    let best = (0..aside.len()).min_by(|&a, &b| aside[a].total_cmp(&aside[b])).unwrap();
    assert!(fitted.certificate.converged && aside.len() < 400, "it stopped by itself");
    assert_eq!(aside.len(), best + 1 + 15, "fifteen epochs after the best");
    let again = Mlp { training: Training { epochs: best + 1, patience: 0, ..mlp.training.clone() }, ..mlp.clone() };
    let same = weights(&again.fit(&data, None, &run(5)).unwrap()) == weights(&fitted);
    assert!(same, "the weights are those of the best");
    assert!(mlp.fit(&data.select(&[0]).unwrap(), None, &run(1)).is_err_and(|e| e.to_string().contains("leaves none")));
}

/// Two layers that share one matrix: its gradient is the sum of those the two would have, and training keeps them one.
#[test]
fn shared_weights_add_their_gradients() {
    use base::graph::{Op, Source, Tensor, Unary};
    let network = |shared: bool| {
        let mut draft = base::graph::Draft::default();
        let x = draft.input("x", Element::F64, vec![None, Some(3)]);
        let first = draft.trained("first", Tensor::f64([3, 3], drawn(1, 9)).unwrap());
        let second = if shared { first } else { draft.trained("second", Tensor::f64([3, 3], drawn(1, 9)).unwrap()) };
        let h = draft.node("h", Op::Dense { transposed: true }, &[x, first]);
        let g = draft.node("g", Op::Unary(Unary::Tanh), &[h]);
        let y = draft.node("y", Op::Dense { transposed: true }, &[g, second]);
        Network::new(draft.named("y", y).unwrap())
    };
    let gradients = |network: &Network| -> Vec<Vec<f64>> {
        let x = Tensor::f64([4, 3], drawn(2, 12)).unwrap();
        let tape = network.tape(&[x], &run(1)).unwrap();
        let seed = (Source::Node(2, 0), Tensor::f64([4, 3], drawn(3, 12)).unwrap());
        let pulled = tape.pull(&[seed], &network.parameter_sources(), &run(1)).unwrap();
        pulled.into_iter().map(|g| g.unwrap().to_f64()).collect()
    };
    let (tied, apart) = (gradients(&network(true)), gradients(&network(false)));
    assert_eq!((tied.len(), apart.len()), (1, 2));
    let sum: Vec<f64> = apart[0].iter().zip(&apart[1]).map(|(a, b)| a + b).collect();
    testkit::assert_close(&tied[0], &sum, 1e-12, "the sum of both");
}

/// Half of the weights go, and the network does hardly worse: three of the inputs say nothing.
#[test]
fn pruned_networks_keep_what_matters() {
    let x = drawn(61, 240);
    let y: Vec<f64> = x.chunks(4).map(|x| (2.0 * x[0]).sin()).collect();
    let data = values(x, 4, y);
    for prune in [Prune::Obd, Prune::Obs] {
        let settings = Training { tolerance: 1e-9, ..training(Optimizer::Lbfgs, 1.0, 300) };
        let mlp = Mlp { hidden: vec![4.0], activation: Activation::Tanh, prune, training: settings, ..Mlp::default() };
        let fitted = mlp.fit(&data, None, &run(3)).unwrap();
        let machine = NetworkMachine::read(&fitted.machine.record()).unwrap();
        let matrices = machine.graph().weights().iter().filter(|w| w.trained && w.tensor.shape().len() > 1);
        let all: Vec<f64> = matrices.flat_map(|w| w.tensor.to_f64()).collect();
        assert_eq!(all.iter().filter(|w| **w == 0.0).count(), all.len() / 2, "{prune:?}");
        assert!(fitted.certificate.objective.unwrap() < 0.01, "{prune:?}: {:?}", fitted.certificate.objective);
    }
    let single = Mlp {
        prune: Prune::Obd,
        training: Training { epochs: 1, precision: Precision::F32, ..Training::default() },
        ..Mlp::default()
    };
    assert!(single.fit(&data, None, &run(3)).is_err_and(|e| e.to_string().contains("must be f64")));
}
