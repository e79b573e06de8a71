//! Products, norms, distances, soft pools and dropout against their definitions.
#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

mod common;
use base::Seed;
use base::graph::*;
use common::*;

/// NumPy's rule, matrix by matrix.
fn product_twin(a: &Tensor, b: &Tensor) -> (Vec<usize>, Vec<f64>) {
    let wide = |shape: &[usize], row: bool| match shape {
        [n] if row => vec![1, *n],
        [n] => vec![*n, 1],
        other => other.to_vec(),
    };
    let (left, right) = (wide(a.shape(), true), wide(b.shape(), false));
    let (&[rows, inner], &[_, columns]) = (&left[left.len() - 2..], &right[right.len() - 2..]) else { panic!() };
    let rank = left.len().max(right.len()) - 2;
    let at = |shape: &[usize], i: usize| shape.len().checked_sub(3 + i).map_or(1, |k| shape[k]);
    let batch: Vec<usize> = (0..rank).rev().map(|i| at(&left, i).max(at(&right, i))).collect();
    let (x, z) = (a.to_f64(), b.to_f64());
    let find = |shape: &[usize], index: &[usize], r: usize, c: usize| {
        let own = &shape[..shape.len() - 2];
        let place = index[rank - own.len()..].iter().zip(own).map(|(&i, &n)| if n == 1 { 0 } else { i });
        ravel(&[place.collect::<Vec<_>>(), vec![r, c]].concat(), shape)
    };
    let mut y = vec![];
    for m in 0..batch.iter().product() {
        let index = unravel(m, &batch);
        for r in 0..rows {
            for c in 0..columns {
                y.push((0..inner).map(|k| x[find(&left, &index, r, k)] * z[find(&right, &index, k, c)]).sum());
            }
        }
    }
    let mut shape = batch;
    shape.extend((a.shape().len() > 1).then_some(rows));
    shape.extend((b.shape().len() > 1).then_some(columns));
    (shape, y)
}

#[test]
fn products_are_those_of_numpy() {
    let mut draw = Draw::new(1);
    let shapes: &[(&[usize], &[usize])] = &[
        (&[3, 4], &[4, 2]),
        (&[4], &[4, 2]),
        (&[3, 4], &[4]),
        (&[4], &[4]),
        (&[2, 3, 4], &[4, 5]),
        (&[3, 4], &[2, 4, 5]),
        (&[2, 3, 4], &[2, 4, 5]),
        (&[2, 1, 3, 4], &[5, 4, 2]),
        (&[2, 3, 4], &[4]),
        (&[4], &[2, 4, 3]),
        (&[1, 3, 4], &[2, 4, 3]),
        (&[2, 3, 0], &[0, 4]),
    ];
    for (a, b) in shapes {
        let (a, b) = (draw.tensor(a), draw.tensor(b));
        let (shape, y) = product_twin(&a, &b);
        check(&Op::MatMul, &[Some(a), Some(b)], (&shape, &y), &[]);
    }
    check_rows(&Op::MatMul, &[Some(draw.tensor(&[3, 2, 4])), Some(draw.tensor(&[4, 5]))]);
    let zeros = |shape: &[usize]| Some(Tensor::f64(shape, vec![0.0; shape.iter().product()]).unwrap());
    assert_eq!(run(&Op::MatMul, &[zeros(&[0, 3, 4]), zeros(&[4, 2])]).unwrap().shape(), [0, 3, 2]);
    assert_eq!(run(&Op::MatMul, &[zeros(&[1 << 50, 0, 4]), zeros(&[4, 2])]).unwrap().shape(), [1 << 50, 0, 2]);
    for (a, b) in [([0, 1 << 40, 5], 5), ([0, 1 << 40, 1 << 40], 1 << 40)] {
        let (a, b) = (Tensor::f64(a, vec![]).unwrap(), Tensor::f64([b, 0], vec![]).unwrap());
        let network = pellucid_network::Network::new(graph(Op::MatMul, &[Some(a.clone()), Some(b.clone())]).unwrap());
        let y = network.run(&[a.clone(), b.clone()], &threads(2)).unwrap().remove(0);
        let slopes = gradients(&network, &[a.clone(), b], &y, &threads(2));
        assert_eq!(slopes[0].as_ref().unwrap().shape(), a.shape());
    }
    refused(Op::MatMul, &[zeros(&[3, 4]), zeros(&[3, 4])]);
    refused(Op::MatMul, &[zeros(&[]), zeros(&[3])]);
    refused(Op::MatMul, &[zeros(&[2, 3, 4]), zeros(&[3, 4, 5])]);
    refused(Op::MatMul, &[zeros(&[3, 4]), zeros(&[4, 2]).as_ref().map(single)]);
    refused(Op::MatMul, &[zeros(&[1 << 40, 0]), zeros(&[0, 1 << 40])]);
}

#[test]
fn norms_are_those_of_the_definition() {
    let mut draw = Draw::new(2);
    for shape in [vec![3, 4], vec![2, 3, 5], vec![2, 4, 3, 2], vec![1, 2, 2, 3, 2]] {
        let (c, space) = (shape[1], shape[2..].iter().product::<usize>());
        let x = draw.tensor(&shape);
        let xs = x.to_f64();
        let per = |draw: &mut Draw, low: f64, high: f64| draw.between(&[c], low, high);
        let (scale, bias, mean) = (per(&mut draw, 0.5, 2.0), per(&mut draw, -1.0, 1.0), per(&mut draw, -1.0, 1.0));
        let variance = per(&mut draw, 0.2, 2.0);
        let channel = |i: usize| i / space % c;
        let y: Vec<f64> = (0..xs.len())
            .map(|i| {
                let at = |t: &Tensor| t.to_f64()[channel(i)];
                (xs[i] - at(&mean)) / (at(&variance) + 1e-3).sqrt() * at(&scale) + at(&bias)
            })
            .collect();
        let given = [x.clone(), scale.clone(), bias.clone(), mean, variance].map(Some);
        check(&Op::BatchNorm { epsilon: 1e-3 }, &given, (&shape, &y), &[]);
        check_rows(&Op::BatchNorm { epsilon: 1e-3 }, &given);

        let normalised = |rows: usize| {
            let length = xs.len() / rows;
            let mut y = vec![];
            for row in xs.chunks(length) {
                let mean = row.iter().sum::<f64>() / length as f64;
                let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / length as f64;
                y.extend(row.iter().map(|x| (x - mean) / (variance + 0.1).sqrt()));
            }
            y
        };
        for groups in (0..=c).filter(|g| *g == 0 || c.is_multiple_of(*g)) {
            let own = if groups == 0 { c } else { groups };
            let hat = normalised(shape[0] * own);
            let (s, b) = (scale.to_f64(), bias.to_f64());
            let y: Vec<f64> = (0..xs.len()).map(|i| hat[i] * s[channel(i)] + b[channel(i)]).collect();
            let op = Op::GroupNorm { groups, epsilon: 0.1 };
            let inputs = [Some(x.clone()), Some(scale.clone()), Some(bias.clone())];
            check(&op, &inputs, (&shape, &y), &[]);
            check_rows(&op, &inputs);
        }
        for axis in 1..shape.len() {
            let tail = &shape[axis..];
            let (s, b) = (draw.between(tail, 0.5, 2.0), draw.tensor(tail));
            let hat = normalised(shape[..axis].iter().product());
            for with_bias in [true, false] {
                let value = |i: usize| {
                    let k = i % s.to_f64().len();
                    hat[i] * s.to_f64()[k] + if with_bias { b.to_f64()[k] } else { 0.0 }
                };
                let y: Vec<f64> = (0..xs.len()).map(value).collect();
                let op = Op::LayerNorm { axis: axis as i64 - shape.len() as i64, epsilon: 0.1 };
                let inputs = [Some(x.clone()), Some(s.clone()), with_bias.then(|| b.clone())];
                check(&op, &inputs, (&shape, &y), &[]);
                check_rows(&op, &inputs);
            }
        }
        for size in [1, 2, 3, 4, 7] {
            let (alpha, beta, plus) = (0.7, 0.75, 1.2);
            let y: Vec<f64> = (0..xs.len())
                .map(|i| {
                    let near = |k: usize| {
                        let away = k as i64 - channel(i) as i64;
                        away >= -((size as i64 - 1) / 2) && away <= size as i64 / 2
                    };
                    let at = |k: usize| xs[i + k * space - channel(i) * space];
                    let squares: f64 = (0..c).filter(|&k| near(k)).map(|k| at(k) * at(k)).sum();
                    xs[i] / (plus + alpha / size as f64 * squares).powf(beta)
                })
                .collect();
            let op = Op::LocalResponse { size, alpha, beta, bias: plus };
            check(&op, &[Some(x.clone())], (&shape, &y), &[]);
            check_rows(&op, &[Some(x.clone())]);
        }
    }
    let zeros = |shape: &[usize]| Some(Tensor::f64(shape, vec![0.0; shape.iter().product()]).unwrap());
    let (x, three, two) = (zeros(&[2, 3, 4]), zeros(&[3]), zeros(&[2]));
    refused(Op::BatchNorm { epsilon: 0.0 }, &[x.clone(), three.clone(), three.clone(), three.clone(), two.clone()]);
    refused(Op::BatchNorm { epsilon: 0.0 }, &[zeros(&[3]), three.clone(), three.clone(), three.clone(), three.clone()]);
    refused(Op::GroupNorm { groups: 2, epsilon: 0.0 }, &[x.clone(), three.clone(), three.clone()]);
    refused(Op::GroupNorm { groups: 0, epsilon: 0.0 }, &[x.clone(), three.clone(), two.clone()]);
    refused(Op::LayerNorm { axis: 3, epsilon: 0.0 }, &[x.clone(), three.clone()]);
    refused(Op::LayerNorm { axis: -1, epsilon: 0.0 }, &[x.clone(), three.clone()]);
    refused(Op::LocalResponse { size: 0, alpha: 1.0, beta: 1.0, bias: 1.0 }, std::slice::from_ref(&x));
    let nothing = Tensor::f64([0, 1 << 40, 1 << 40], vec![]).unwrap();
    let op = Op::LocalResponse { size: 3, alpha: 1.0, beta: 1.0, bias: 1.0 };
    refused(op, &[Some(Tensor::f64([0, 1 << 40, 1 << 40, 1 << 40], vec![]).unwrap())]);
    let op = Op::LocalResponse { size: 3, alpha: 1.0, beta: 1.0, bias: 1.0 };
    assert_eq!(run(&op, &[Some(nothing.clone())]).unwrap().shape(), nothing.shape());
    for shape in [[0, 3, 4], [2, 0, 4], [2, 3, 0]] {
        let (c, tail) = (zeros(&[shape[1]]), zeros(&shape[1..]));
        let x = zeros(&shape);
        for (op, inputs) in [
            (Op::BatchNorm { epsilon: 0.1 }, vec![x.clone(), c.clone(), c.clone(), c.clone(), c.clone()]),
            (Op::GroupNorm { groups: 0, epsilon: 0.1 }, vec![x.clone(), c.clone(), c.clone()]),
            (Op::LayerNorm { axis: 1, epsilon: 0.1 }, vec![x.clone(), tail]),
            (Op::LocalResponse { size: usize::MAX, alpha: 1.0, beta: 1.0, bias: 1.0 }, vec![x.clone()]),
        ] {
            check(&op, &inputs, (&shape, &[]), &[]);
        }
    }
}

#[test]
fn distances_are_those_of_the_definition() {
    let mut draw = Draw::new(3);
    for q in [0.7, 1.0, 2.0, 3.0] {
        for (n, m, d) in [(4, 3, 2), (5, 7, 12), (1, 1, 1), (0, 2, 3)] {
            let (x, u) = (draw.tensor(&[n, d]), draw.tensor(&[m, d]));
            let (xs, us) = (x.to_f64(), u.to_f64());
            let gap = |i: usize, j: usize, k: usize| xs[i * d + k] - us[j * d + k];
            let of = |i: usize, j: usize| (0..d).map(|k| gap(i, j, k).powi(2)).sum::<f64>().powf(q / 2.0);
            let y: Vec<f64> = (0..n * m).map(|at| of(at / m, at % m)).collect();
            check(&Op::Distance { q }, &[Some(x.clone()), Some(u.clone())], (&[n, m], &y), &[]);
            check_rows(&Op::Distance { q }, &[Some(x), Some(u)]);
        }
    }
    // On a centre: distance and slope are 0.
    let (x, u) = (Tensor::f64([1, 2], vec![0.3, 0.4]).unwrap(), Tensor::f64([2, 2], vec![0.3, 0.4, 0.3, 1.4]).unwrap());
    for q in [0.5, 1.0, 2.0] {
        let inputs = [x.clone(), u.clone()];
        let network = pellucid_network::Network::new(graph(Op::Distance { q }, &inputs.clone().map(Some)).unwrap());
        let y = network.run(&inputs, &threads(1)).unwrap().remove(0);
        assert!(y.to_f64()[0] == 0.0 && (y.to_f64()[1] - 1.0).abs() < 1e-14);
        let g = Tensor::f64([1, 2], vec![1.0, 0.0]).unwrap();
        let slopes = gradients(&network, &inputs, &g, &threads(1));
        assert!(slopes.iter().flatten().all(|s| s.to_f64().iter().all(|&v| v == 0.0)), "{q}");
    }
    let zeros = |shape: &[usize]| Some(Tensor::f64(shape, vec![0.0; shape.iter().product()]).unwrap());
    refused(Op::Distance { q: 2.0 }, &[zeros(&[2, 3]), zeros(&[2, 4])]);
    refused(Op::Distance { q: 2.0 }, &[zeros(&[2, 3, 1]), zeros(&[2, 3])]);
    refused(Op::Distance { q: 0.0 }, &[zeros(&[2, 3]), zeros(&[2, 3])]);
    refused(Op::Distance { q: f64::NAN }, &[zeros(&[2, 3]), zeros(&[2, 3])]);
}

#[test]
fn soft_pools_are_those_of_the_definition() {
    let mut draw = Draw::new(4);
    for pooling in [SoftPooling::MinLogSumExp, SoftPooling::MaxLogSumExp, SoftPooling::Harmonic] {
        for (rows, m) in [(3, 4), (1, 1), (70, 3), (0, 2)] {
            let h = draw.between(&[rows, m], 0.3, 2.0);
            let values = h.to_f64();
            let y: Vec<f64> = values
                .chunks(m)
                .map(|row| match pooling {
                    SoftPooling::MinLogSumExp => -row.iter().map(|h| (-h).exp()).sum::<f64>().ln(),
                    SoftPooling::MaxLogSumExp => row.iter().map(|h| h.exp()).sum::<f64>().ln(),
                    SoftPooling::Harmonic => m as f64 / row.iter().map(|h| 1.0 / h).sum::<f64>(),
                })
                .collect();
            check(&Op::SoftPool { pooling }, &[Some(h.clone())], (&[rows, 1], &y), &[]);
            check_rows(&Op::SoftPool { pooling }, &[Some(h)]);
        }
        let op = Op::SoftPool { pooling };
        let far = Tensor::f32([1, 3], vec![2000.0, 2001.0, 1e30]).unwrap();
        let y = run(&op, &[Some(far)]).unwrap().to_f64()[0];
        assert!(y.is_finite(), "{pooling:?}: {y}");
        refused(op.clone(), &[Some(Tensor::f64([2, 0], vec![]).unwrap())]);
        refused(op.clone(), &[Some(Tensor::f64([2], vec![0.0; 2]).unwrap())]);
        refused(op, &[Some(Tensor::i64([1, 1], vec![0]).unwrap())]);
    }
    // A zero decides alone; its slope is that of m h / (1 + …).
    let zero = Tensor::f64([1, 3], vec![0.0, 1.0, 2.0]).unwrap();
    let op = Op::SoftPool { pooling: SoftPooling::Harmonic };
    let network = pellucid_network::Network::new(graph(op, &[Some(zero.clone())]).unwrap());
    let slope = gradients(&network, &[zero], &Tensor::f64([1, 1], vec![1.0]).unwrap(), &threads(1)).remove(0).unwrap();
    assert_eq!(slope.to_f64(), [3.0, 0.0, 0.0]);
}

#[test]
fn dropout_drops_its_share_and_pulls_back_through_the_same_mask() {
    let op = Op::Dropout { rate: 0.3 };
    let x = Draw::new(5).between(&[100, 500], 1.0, 2.0);
    let network = pellucid_network::Network::new(graph(op, &[Some(x.clone())]).unwrap());
    let run = threads(1);
    assert_eq!(network.run(std::slice::from_ref(&x), &run).unwrap()[0], x, "predicting");
    let tape = network.training_tape(std::slice::from_ref(&x), Seed(3), &run).unwrap();
    let y = tape.outputs().unwrap()[0].to_f64();
    let kept = y.iter().filter(|&&v| v != 0.0).count() as f64 / y.len() as f64;
    // The standard deviation of the share is 0.002.
    assert!((kept - 0.7).abs() < 0.01, "{kept}");
    for (y, x) in y.iter().zip(x.to_f64()) {
        assert!(*y == 0.0 || (y - x / 0.7).abs() < 1e-12);
    }
    let g = Draw::new(6).between(&[100, 500], 1.0, 2.0);
    let slope = tape.pull(&[(Source::Node(0, 0), g.clone())], &[Source::Input(0)], &run).unwrap().remove(0).unwrap();
    for ((d, g), y) in slope.to_f64().iter().zip(g.to_f64()).zip(&y) {
        assert!(if *y == 0.0 { *d == 0.0 } else { (d - g / 0.7).abs() < 1e-12 });
    }
    for count in [2, 4] {
        let again = network.training_tape(std::slice::from_ref(&x), Seed(3), &threads(count)).unwrap();
        assert_eq!(bits(&again.outputs().unwrap()[0].to_f64()), bits(&y));
    }
    let other = network.training_tape(std::slice::from_ref(&x), Seed(4), &run).unwrap();
    assert_ne!(other.outputs().unwrap()[0].to_f64(), y);
    refused(Op::Dropout { rate: 1.0 }, &[Some(x.clone())]);
    refused(Op::Dropout { rate: f64::NAN }, &[Some(x)]);
}
