//! Reductions, softmax, sums so far, places of extremes, the k largest.

use super::helper::*;
use base::graph::*;

const ALL: [Reduction; 10] = [
    Reduction::Sum,
    Reduction::Mean,
    Reduction::Max,
    Reduction::Min,
    Reduction::Product,
    Reduction::L1,
    Reduction::L2,
    Reduction::SumSquare,
    Reduction::LogSum,
    Reduction::LogSumExp,
];

fn by_definition(reduction: Reduction, x: &[f64]) -> f64 {
    let sum = |f: fn(f64) -> f64| x.iter().map(|&x| f(x)).sum::<f64>();
    match reduction {
        Reduction::Sum => sum(|x| x),
        Reduction::Mean => sum(|x| x) / x.len() as f64,
        Reduction::Max => x.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        Reduction::Min => x.iter().copied().fold(f64::INFINITY, f64::min),
        Reduction::Product => x.iter().product(),
        Reduction::L1 => sum(f64::abs),
        Reduction::L2 => sum(|x| x * x).sqrt(),
        Reduction::SumSquare => sum(|x| x * x),
        Reduction::LogSum => sum(|x| x).ln(),
        Reduction::LogSumExp => sum(f64::exp).ln(),
    }
}

/// The numbers that fall together for an index of the result, reduced axes kept.
fn falling(x: &Tensor, reduced: &[bool], kept: &[usize]) -> Vec<f64> {
    let same = |i: &&Vec<usize>| (0..reduced.len()).all(|a| reduced[a] || i[a] == kept[a]);
    indices(x.shape()).iter().filter(same).map(|i| at(x, i)).collect()
}

#[test]
fn reductions_of_any_axes_are_their_definitions() {
    for seed in 0..40 {
        let rank = 1 + pick(seed, 0, 4);
        let x = reals(&shape(rank, 5, seed), seed);
        // A logarithm wants positive numbers.
        let positive = Tensor::f64(x.shape(), x.to_f64().iter().map(|x| x + 1.5).collect()).unwrap();
        let reduced: Vec<bool> = (0..rank).map(|a| pick(seed, 10 + a, 2) == 1).collect();
        let axes: Vec<i64> = (0..rank)
            .filter(|&a| reduced[a])
            .map(|a| if seed % 2 == 0 { a as i64 } else { a as i64 - rank as i64 })
            .collect();
        let reduced = if axes.is_empty() { vec![true; rank] } else { reduced };
        let kept: Vec<usize> = (0..rank).map(|a| if reduced[a] { 1 } else { x.shape()[a] }).collect();
        for reduction in ALL {
            let x = if reduction == Reduction::LogSum { &positive } else { &x };
            let op = |keep| Op::Reduce { reduction, axes: axes.clone(), keep };
            let y = run(&op(true), &[In::Fed(x.clone())]);
            check(&y, &kept, 1e-13, |i| by_definition(reduction, &falling(x, &reduced, i)));
            let flat = run(&op(false), &[In::Fed(x.clone())]);
            let left: Vec<usize> = (0..rank).filter(|&a| !reduced[a]).map(|a| x.shape()[a]).collect();
            assert_eq!((flat.shape(), flat.to_f64()), (&left[..], y.to_f64()));
            check_slopes(&op(false), &[In::Fed(x.clone())], 1);
        }
    }
}

#[test]
fn long_and_wide_reductions_are_their_definitions() {
    for (shape, axis) in
        [(vec![3, 20_001], 1), (vec![301, 5, 150], 1), (vec![2000, 300], 0), (vec![40, 2500], 0), (vec![500, 40, 3], 1)]
    {
        let x = reals(&shape, 4);
        let single = Tensor::f32(shape.clone(), x.to_f64().iter().map(|&x| x as f32).collect()).unwrap();
        for reduction in [Reduction::Sum, Reduction::Max, Reduction::LogSumExp] {
            let op = Op::Reduce { reduction, axes: vec![axis], keep: false };
            let twin = |x: &Tensor| {
                let n = shape[axis as usize];
                let inner: usize = shape[axis as usize + 1..].iter().product();
                let values = x.to_f64();
                let outer = values.len() / n / inner;
                let column = |o: usize, j: usize| (0..n).map(|i| values[(o * n + i) * inner + j]).collect::<Vec<_>>();
                (0..outer * inner).map(|k| by_definition(reduction, &column(k / inner, k % inner))).collect::<Vec<_>>()
            };
            testkit::assert_close(&run(&op, &[In::Fed(x.clone())]).to_f64(), &twin(&x), 1e-12, "f64");
            testkit::assert_close(&run(&op, &[In::Fed(single.clone())]).to_f64(), &twin(&single), 2e-7, "f32");
        }
    }
}

#[test]
fn reductions_at_the_edge() {
    let reduce =
        |reduction, x: Tensor| run(&Op::Reduce { reduction, axes: vec![0], keep: false }, &[In::Fed(x)]).to_f64();
    let none = || Tensor::f64([0, 2], vec![]).unwrap();
    assert_eq!(reduce(Reduction::Sum, none()), [0.0, 0.0]);
    assert_eq!(reduce(Reduction::Product, none()), [1.0, 1.0]);
    assert_eq!(reduce(Reduction::Max, none()), [f64::NEG_INFINITY; 2]);
    assert!(reduce(Reduction::Mean, none())[0].is_nan());
    assert_eq!(reduce(Reduction::LogSumExp, none()), [f64::NEG_INFINITY; 2]);
    let far = Tensor::f64([2], vec![1000.0, 1000.0]).unwrap();
    assert_eq!(reduce(Reduction::LogSumExp, far), [1000.0 + 2f64.ln()]);
    let low = Tensor::f64([2], vec![f64::NEG_INFINITY; 2]).unwrap();
    assert_eq!(reduce(Reduction::LogSumExp, low), [f64::NEG_INFINITY]);
    let nan = Tensor::f64([3], vec![1.0, f64::NAN, 2.0]).unwrap();
    assert!(reduce(Reduction::Max, nan.clone())[0].is_nan() && reduce(Reduction::Min, nan)[0].is_nan());
    let wholes = |v: &[i64]| Tensor::i64([v.len()], v.to_vec()).unwrap();
    assert_eq!(reduce(Reduction::Sum, wholes(&[3, -5, 7])), [5.0]);
    assert_eq!(reduce(Reduction::Mean, wholes(&[-3, -4])), [-3.0]);
    assert_eq!(reduce(Reduction::Product, wholes(&[3, -5, 7])), [-105.0]);
    assert_eq!(reduce(Reduction::L1, wholes(&[3, -5])), [8.0]);
    assert_eq!(reduce(Reduction::SumSquare, wholes(&[3, -5])), [34.0]);
    assert_eq!(reduce(Reduction::Min, wholes(&[3, -5])), [-5.0]);
    assert_eq!(reduce(Reduction::Sum, wholes(&[i64::MAX, 1])), [i64::MIN as f64]);
    let flags = Tensor::bool([2, 2], vec![true, false, true, true]).unwrap();
    assert_eq!(reduce(Reduction::Min, flags.clone()), [1.0, 0.0]);
    assert_eq!(reduce(Reduction::Max, flags), [1.0, 1.0]);
}

#[test]
fn a_product_with_zeros_has_the_product_of_the_others() {
    for values in [vec![2.0, 0.0, 3.0], vec![0.0, 0.0, 3.0], vec![0.0]] {
        let x = Tensor::f64([values.len()], values).unwrap();
        check_slopes(&Op::Reduce { reduction: Reduction::Product, axes: vec![], keep: false }, &[In::Fed(x)], 1);
    }
}

/// The gradient of the sum of the only output with respect to the only input.
fn slope_of_sum(op: Op, x: Tensor) -> Vec<f64> {
    let input = GraphInput { name: "x".into(), element: Element::F64, shape: vec![None; x.shape().len()] };
    let node = Node { name: "n".into(), op, inputs: vec![Some(Source::Input(0))], outputs: 1 };
    let graph = Graph::new(vec![input], vec![], vec![node], vec![("y".into(), Source::Node(0, 0))]).unwrap();
    let (network, run) = (pellucid_network::Network::new(graph), base::Run::quiet(1));
    let tape = network.tape(&[x], &run).unwrap();
    let y = tape.value(Source::Node(0, 0)).unwrap();
    let ones = Tensor::f64(y.shape(), vec![1.0; y.numbers().len()]).unwrap();
    tape.pull(&[(Source::Node(0, 0), ones)], &[Source::Input(0)], &run).unwrap()[0].as_ref().unwrap().to_f64()
}

#[test]
fn the_first_of_equal_extremes_takes_the_gradient() {
    let x = Tensor::f64([4], vec![1.0, 3.0, 3.0, 1.0]).unwrap();
    let op = |reduction| Op::Reduce { reduction, axes: vec![], keep: false };
    assert_eq!(slope_of_sum(op(Reduction::Max), x.clone()), [0.0, 1.0, 0.0, 0.0]);
    assert_eq!(slope_of_sum(op(Reduction::Min), x), [1.0, 0.0, 0.0, 0.0]);
    let zero = Tensor::f64([2], vec![0.0, 0.0]).unwrap();
    assert_eq!(slope_of_sum(op(Reduction::L2), zero.clone()), [0.0, 0.0]);
    assert_eq!(slope_of_sum(op(Reduction::L1), zero), [0.0, 0.0]);
}

#[test]
fn softmax_along_any_axis() {
    for (seed, shape) in [
        (1, vec![3, 4]),
        (2, vec![2, 5, 3]),
        (3, vec![6]),
        (4, vec![300, 100]),
        (5, vec![7, 90, 40]),
        (6, vec![5, 600]),
    ] {
        let x = reals(&shape, seed);
        for axis in 0..shape.len() {
            let sum = |i: &[usize]| {
                let mut i = i.to_vec();
                (0..shape[axis])
                    .map(|k| {
                        i[axis] = k;
                        at(&x, &i).exp()
                    })
                    .sum::<f64>()
            };
            let op = |log| Op::Softmax { axis: axis as i64 - shape.len() as i64, log };
            check(&run(&op(false), &[In::Fed(x.clone())]), &shape, 1e-14, |i| at(&x, i).exp() / sum(i));
            check(&run(&op(true), &[In::Fed(x.clone())]), &shape, 1e-14, |i| at(&x, i) - sum(i).ln());
            if !(4..7).contains(&seed) {
                check_slopes(&op(false), &[In::Fed(x.clone())], 1);
                check_slopes(&op(true), &[In::Fed(x.clone())], 1);
            }
        }
    }
    let far = Tensor::f32([2, 2], vec![1e30, 1e30, -1e30, 0.0]).unwrap();
    assert_eq!(run(&Op::Softmax { axis: 1, log: false }, &[In::Fed(far)]).to_f64(), [0.5, 0.5, 0.0, 1.0]);
}

#[test]
fn sums_so_far() {
    for case in 0..16u64 {
        let (exclusive, reverse) = (case % 2 == 1, case / 2 % 2 == 1);
        let shape = shape(3, 4, case);
        let (x, axis) = (reals(&shape, case), pick(case, 0, 3));
        let op = Op::CumSum { exclusive, reverse };
        let inputs = [In::Fed(x.clone()), one(axis as i64)];
        let twin = |x: &Tensor, i: &[usize]| {
            let counts = |k: usize| {
                let (k, i) = if reverse { (i[axis], k) } else { (k, i[axis]) };
                k < i || k == i && !exclusive
            };
            let mut j = i.to_vec();
            let each = (0..shape[axis]).filter(|&k| counts(k));
            each.map(|k| {
                j[axis] = k;
                at(x, &j)
            })
            .sum()
        };
        check(&run(&op, &inputs), &shape, 1e-14, |i| twin(&x, i));
        check_slopes(&op, &inputs, 1);
        let whole = wholes(&shape, -9, 9, case);
        check(&run(&op, &[In::Fed(whole.clone()), one(axis as i64 - 3)]), &shape, 0.0, |i| twin(&whole, i));
    }
}

/// Places along a line in the order of their numbers; equals in the order of their places.
fn ranked(line: &[f64], largest: bool) -> Vec<usize> {
    let mut places: Vec<usize> = (0..line.len()).collect();
    places.sort_by(|&a, &b| if largest { line[b].total_cmp(&line[a]) } else { line[a].total_cmp(&line[b]) });
    places
}

fn line(x: &Tensor, i: &[usize], axis: usize) -> Vec<f64> {
    let mut i = i.to_vec();
    (0..x.shape()[axis])
        .map(|k| {
            i[axis] = k;
            at(x, &i)
        })
        .collect()
}

#[test]
fn places_of_extremes_and_the_k_largest() {
    for seed in 0..30 {
        let rank = 1 + pick(seed, 0, 3);
        let sizes = shape(rank, 6, seed);
        let axis = pick(seed, 1, rank);
        // Few different numbers, so that equals are common.
        let x = wholes(&sizes, -2, 3, seed);
        let real = Tensor::f32(sizes.clone(), x.to_f64().iter().map(|&x| x as f32).collect()).unwrap();
        let mut kept = sizes.clone();
        kept[axis] = 1;
        for smallest in [false, true] {
            for last in [false, true] {
                let op = Op::ArgMax { axis: axis as i64, keep: true, last, smallest };
                let twin = |i: &[usize]| {
                    let values = line(&x, i, axis);
                    let order = ranked(&values, !smallest);
                    let equals = order.iter().filter(|&&k| values[k] == values[order[0]]);
                    *(if last { equals.max() } else { equals.min() }).unwrap() as f64
                };
                check(&run(&op, &[In::Fed(x.clone())]), &kept, 0.0, twin);
                check(&run(&op, &[In::Fed(real.clone())]), &kept, 0.0, twin);
            }
            let k = pick(seed, 2, sizes[axis] + 1);
            let op = Op::TopK { axis: axis as i64, largest: !smallest };
            let both = run_many(&op, &[In::Fed(real.clone()), list(&[k as i64])], 2).unwrap();
            let mut top = sizes.clone();
            top[axis] = k;
            let place = |i: &[usize]| ranked(&line(&x, i, axis), !smallest)[i[axis]];
            check(&both[1], &top, 0.0, |i| place(i) as f64);
            check(&both[0], &top, 0.0, |i| line(&x, i, axis)[place(i)]);
            assert_eq!(run(&op, &[In::Fed(real.clone()), list(&[k as i64])]), both[0], "one output alone");
            let different = reals(&sizes, seed);
            check_slopes(&op, &[In::Fed(different.clone()), list(&[k as i64])], 2);
            check_slopes(&op, &[In::Fed(different), list(&[k as i64])], 1);
        }
    }
    let nan = Tensor::f64([3], vec![1.0, f64::NAN, 2.0]).unwrap();
    let op = |smallest| Op::ArgMax { axis: 0, keep: false, last: false, smallest };
    assert_eq!(run(&op(false), &[In::Fed(nan.clone())]).to_f64(), [1.0]);
    assert_eq!(run(&op(true), &[In::Fed(nan)]).to_f64(), [1.0]);
}
