//! Joining, cutting, reshaping, turning, padding, slicing, broadcasting, repeating.

use super::helper::*;
use base::graph::*;

#[test]
fn parts_are_joined_and_cut() {
    for seed in 0..30 {
        let rank = 1 + pick(seed, 0, 3);
        let axis = pick(seed, 1, rank);
        let common = shape(rank, 4, seed);
        let parts: Vec<Tensor> = (0..3)
            .map(|p| {
                let mut sizes = common.clone();
                sizes[axis] = pick(seed, 20 + p, 4);
                reals(&sizes, seed + 100 * p as u64)
            })
            .collect();
        let ends: Vec<usize> = parts.iter().scan(0, |sum, p| Some((*sum, *sum += p.shape()[axis]).0)).collect();
        let mut whole = common.clone();
        whole[axis] = parts.iter().map(|p| p.shape()[axis]).sum();
        let inputs: Vec<In> = parts.iter().cloned().map(In::Fed).collect();
        let op = Op::Concat { axis: axis as i64 - rank as i64 };
        let joined = run(&op, &inputs);
        check(&joined, &whole, 0.0, |i| {
            let p = (0..3).rfind(|&p| ends[p] <= i[axis] && i[axis] < ends[p] + parts[p].shape()[axis]).unwrap();
            let mut i = i.to_vec();
            i[axis] -= ends[p];
            at(&parts[p], &i)
        });
        check_slopes(&op, &inputs, 1);
        let sizes = parts.iter().map(|p| p.shape()[axis]).collect();
        let split = Op::Split { axis: axis as i64, sizes };
        assert_eq!(run_many(&split, &[In::Fed(joined.clone())], 3).unwrap(), parts);
        check_slopes(&split, &[In::Fed(joined)], 3);
    }
    let sizes = |n: usize, parts: usize| {
        let x = reals(&[2, n], 1);
        let y = run_many(&Op::Split { axis: 1, sizes: vec![] }, &[In::Fed(x)], parts).unwrap();
        y.iter().map(|y| y.shape()[1]).collect::<Vec<_>>()
    };
    assert_eq!((sizes(7, 3), sizes(6, 3), sizes(4, 3)), (vec![3, 3, 1], vec![2, 2, 2], vec![2, 2, 0]));
}

#[test]
fn shapes_change_and_numbers_stay() {
    let x = reals(&[2, 1, 3, 4], 1);
    let cases: Vec<(Op, Vec<In>, Vec<usize>)> = vec![
        (Op::Reshape { zero: false }, vec![list(&[4, 6])], vec![4, 6]),
        (Op::Reshape { zero: false }, vec![list(&[0, -1, 2])], vec![2, 6, 2]),
        (Op::Reshape { zero: true }, vec![list(&[-1])], vec![24]),
        (Op::Flatten { axis: 2 }, vec![], vec![2, 12]),
        (Op::Flatten { axis: 0 }, vec![], vec![1, 24]),
        (Op::Flatten { axis: 4 }, vec![], vec![24, 1]),
        (Op::Flatten { axis: -1 }, vec![], vec![6, 4]),
        (Op::Squeeze { axes: vec![] }, vec![], vec![2, 3, 4]),
        (Op::Squeeze { axes: vec![-3] }, vec![], vec![2, 3, 4]),
        (Op::Unsqueeze { axes: vec![0, -1] }, vec![], vec![1, 2, 1, 3, 4, 1]),
        (Op::Unsqueeze { axes: vec![3, 1] }, vec![], vec![2, 1, 1, 1, 3, 4]),
    ];
    for (op, more, shape) in cases {
        let inputs = [vec![In::Fed(x.clone())], more].concat();
        let y = run(&op, &inputs);
        assert_eq!((y.shape(), y.numbers()), (&shape[..], x.numbers()), "{op:?}");
        check_slopes(&op, &inputs, 1);
    }
    let none = Tensor::f64([0, 3], vec![]).unwrap();
    assert_eq!(run(&Op::Reshape { zero: true }, &[In::Fed(none), list(&[3, 0])]).shape(), [3, 0]);
}

#[test]
fn axes_in_another_order() {
    for seed in 0..60 {
        let rank = 1 + pick(seed, 0, 5);
        let sizes = shape(rank, 4, seed);
        let x = reals(&sizes, seed);
        let order = base::Seed(seed).permutation(rank);
        let op = Op::Transpose { order: order.clone() };
        let turned: Vec<usize> = order.iter().map(|&a| sizes[a]).collect();
        check(&run(&op, &[In::Fed(x.clone())]), &turned, 0.0, |i| {
            let mut old = vec![0; rank];
            order.iter().enumerate().for_each(|(new, &a)| old[a] = i[new]);
            at(&x, &old)
        });
        check_slopes(&op, &[In::Fed(x)], 1);
    }
    let large: [(&[usize], &[usize]); 4] = [
        (&[131, 257], &[1, 0]),
        (&[2, 33, 40, 41], &[0, 2, 3, 1]),
        (&[2, 40, 41, 33], &[0, 3, 1, 2]),
        (&[70, 3, 65], &[2, 1, 0]),
    ];
    for (sizes, order) in large {
        let x = reals(sizes, 9);
        let y = run(&Op::Transpose { order: order.to_vec() }, &[In::Fed(x.clone())]);
        let turned: Vec<usize> = order.iter().map(|&a| sizes[a]).collect();
        check(&y, &turned, 0.0, |i| {
            let mut old = vec![0; sizes.len()];
            order.iter().enumerate().for_each(|(new, &a)| old[a] = i[new]);
            at(&x, &old)
        });
    }
    let y = run(&Op::Transpose { order: vec![] }, &[In::Fed(wholes(&[2, 3], 0, 9, 1))]);
    assert_eq!(y.shape(), [3, 2], "reversed");
}

#[test]
fn padded_in_every_way() {
    for seed in 0..80 {
        let rank = 1 + pick(seed, 0, 3);
        let sizes = shape(rank, 5, seed);
        let x = reals(&sizes, seed);
        let filling = [Filling::Constant, Filling::Reflect, Filling::Edge, Filling::Wrap][seed as usize % 4];
        // Cuts leave at least one element.
        let begin: Vec<i64> = (0..rank).map(|a| pick(seed, 30 + a, 8) as i64 - (sizes[a] > 1) as i64).collect();
        let end: Vec<i64> = (0..rank).map(|a| pick(seed, 40 + a, 8) as i64 - (sizes[a] > 2) as i64).collect();
        let value = reals(&[], seed + 1);
        let op = Op::Pad { filling };
        let inputs = [In::Fed(x.clone()), list(&[&begin[..], &end[..]].concat()), In::Fed(value.clone())];
        let padded: Vec<usize> = (0..rank).map(|a| (sizes[a] as i64 + begin[a] + end[a]) as usize).collect();
        let y = run(&op, &inputs);
        check(&y, &padded, 0.0, |i| {
            let mut old = vec![];
            for a in 0..rank {
                // What is left after cutting, as positions in x; then step by step as the words say.
                let left: Vec<usize> =
                    ((-begin[a]).max(0) as usize..(sizes[a] as i64 + end[a].min(0)) as usize).collect();
                let k = i[a] as i64 - begin[a].max(0);
                let n = left.len() as i64;
                let place = match filling {
                    Filling::Constant if k < 0 || k >= n => return value.to_f64()[0],
                    Filling::Constant => k,
                    Filling::Edge => k.max(0).min(n - 1),
                    Filling::Wrap => (k + 100 * n) % n,
                    Filling::Reflect => {
                        let (mut at, mut step) = (0i64, 1i64);
                        for _ in 0..k.abs() {
                            if n > 1 {
                                if at + step < 0 || at + step >= n {
                                    step = -step;
                                }
                                at += step;
                            }
                        }
                        at
                    }
                };
                old.push(left[place as usize]);
            }
            at(&x, &old)
        });
        check_slopes(&op, &inputs, 1);
    }
    let x = wholes(&[2, 3], 0, 9, 1);
    let op = Op::Pad { filling: Filling::Constant };
    let y = run(&op, &[In::Fed(x), list(&[1, 2]), In::Absent, list(&[-1])]);
    assert_eq!(y.shape(), [2, 6]);
    assert_eq!([0, 4, 5].map(|k| at(&y, &[0, k])), [0.0; 3]);
}

/// Python's start:end:step, one step at a time.
fn sliced(n: i64, start: i64, end: i64, step: i64) -> Vec<usize> {
    let from_end = |i: i64| if i < 0 { i.saturating_add(n) } else { i };
    let (start, end) = match step > 0 {
        true => (from_end(start).clamp(0, n), from_end(end).clamp(0, n)),
        false => (from_end(start).clamp(-1, n - 1), from_end(end).clamp(-1, n - 1)),
    };
    let (mut i, mut all) = (start, vec![]);
    while (step > 0 && i < end) || (step < 0 && i > end) {
        all.push(i as usize);
        i = i.saturating_add(step);
    }
    all
}

#[test]
fn slices_are_pythons() {
    for seed in 0..200 {
        let rank = 1 + pick(seed, 0, 3);
        let sizes = shape(rank, 6, seed);
        let x = reals(&sizes, seed);
        let wild = [i64::MIN, i64::MAX, i64::MIN + 1, 0];
        let bound = |k: usize| match pick(seed, k + 50, 5) {
            0 => wild[pick(seed, k + 60, 4)],
            _ => pick(seed, k, 15) as i64 - 7,
        };
        let steps = [1, 2, 3, -1, -2, i64::MAX, i64::MIN];
        let axes: Vec<usize> = base::Seed(seed).permutation(rank)[..1 + pick(seed, 3, rank)].to_vec();
        let (mut starts, mut ends, mut by, mut names) = (vec![], vec![], vec![], vec![]);
        let mut chosen: Vec<Vec<usize>> = sizes.iter().map(|&n| (0..n).collect()).collect();
        for &a in &axes {
            let (s, e, step) = (bound(10 + a), bound(20 + a), steps[pick(seed, 30 + a, steps.len())]);
            chosen[a] = sliced(sizes[a] as i64, s, e, step);
            starts.push(s);
            ends.push(e);
            by.push(step);
            names.push(a as i64 - if seed % 2 == 0 { rank as i64 } else { 0 });
        }
        let inputs = [In::Fed(x.clone()), list(&starts), list(&ends), list(&names), list(&by)];
        let left: Vec<usize> = chosen.iter().map(Vec::len).collect();
        let y = run(&Op::Slice, &inputs);
        check(&y, &left, 0.0, |i| at(&x, &i.iter().zip(&chosen).map(|(&i, c)| c[i]).collect::<Vec<_>>()));
        check_slopes(&Op::Slice, &inputs, 1);
    }
    let y = run(&Op::Slice, &[In::Fed(wholes(&[5, 4], 0, 9, 1)), list(&[1]), list(&[3])]);
    assert_eq!(y.shape(), [2, 4], "without axes the first are meant");
}

#[test]
fn broadcast_and_repeated() {
    for seed in 0..40 {
        let rank = pick(seed, 0, 4);
        let full = shape(3, 4, seed);
        let sizes: Vec<usize> = full[3 - rank.min(3)..]
            .iter()
            .enumerate()
            .map(|(a, &n)| if pick(seed, a, 2) == 0 { 1 } else { n })
            .collect();
        let x = reals(&sizes, seed);
        // An asked size of 1 takes what x has.
        let asked: Vec<i64> = (0..3)
            .map(|a: usize| match a.checked_sub(3 - sizes.len()).map(|b| sizes[b]) {
                Some(n) if n == full[a] && pick(seed, 70 + a, 2) == 0 => 1,
                _ => full[a] as i64,
            })
            .collect();
        let inputs = [In::Fed(x.clone()), list(&asked)];
        check(&run(&Op::Expand, &inputs), &full, 0.0, |i| {
            let own = &i[3 - sizes.len()..];
            at(&x, &own.iter().zip(&sizes).map(|(&i, &n)| if n == 1 { 0 } else { i }).collect::<Vec<_>>())
        });
        check_slopes(&Op::Expand, &inputs, 1);
        let repeats: Vec<i64> = (0..sizes.len()).map(|a| pick(seed, 80 + a, 4) as i64).collect();
        let tiled: Vec<usize> = sizes.iter().zip(&repeats).map(|(&n, &r)| n * r as usize).collect();
        let inputs = [In::Fed(x.clone()), list(&repeats)];
        check(&run(&Op::Tile, &inputs), &tiled, 0.0, |i| {
            at(&x, &i.iter().zip(&sizes).map(|(&i, &n)| i % n).collect::<Vec<_>>())
        });
        check_slopes(&Op::Tile, &inputs, 1);
    }
}
