//! Gathering and scattering, one-hot.

use super::helper::*;
use base::graph::*;

fn from_end(i: f64, n: usize) -> usize {
    (if i < 0.0 { i + n as f64 } else { i }) as usize
}

#[test]
fn slices_and_elements_are_gathered() {
    for seed in 0..40 {
        let rank = 1 + pick(seed, 0, 3);
        let sizes = shape(rank, 4, seed);
        let axis = pick(seed, 1, rank);
        let (x, n) = (reals(&sizes, seed), sizes[axis]);
        let many = shape(pick(seed, 2, 3), 3, seed + 1);
        let index = wholes(&many, -(n as i64), n as i64, seed);
        let inputs = [In::Fed(x.clone()), In::Fed(index.clone())];
        let op = Op::Gather { axis: axis as i64 - rank as i64 };
        let out = [&sizes[..axis], &many[..], &sizes[axis + 1..]].concat();
        check(&run(&op, &inputs), &out, 0.0, |i| {
            let chosen = from_end(at(&index, &i[axis..axis + many.len()]), n);
            at(&x, &[&i[..axis], &[chosen], &i[axis + many.len()..]].concat())
        });
        check_slopes(&op, &inputs, 1);

        // Indices may be fewer than x along the other axes, and more along their own.
        let mut fewer: Vec<usize> = sizes.iter().enumerate().map(|(a, &m)| 1 + pick(seed, 10 + a, m)).collect();
        fewer[axis] = 1 + pick(seed, 20, 6);
        let index = wholes(&fewer, -(n as i64), n as i64, seed + 5);
        let inputs = [In::Fed(x.clone()), In::Fed(index.clone())];
        let op = Op::GatherElements { axis: axis as i64 };
        check(&run(&op, &inputs), &fewer, 0.0, |i| {
            let mut j = i.to_vec();
            j[axis] = from_end(at(&index, i), n);
            at(&x, &j)
        });
        check_slopes(&op, &inputs, 1);
    }
}

/// Index vectors of that many numbers that fall inside.
fn vectors(outer: &[usize], into: &[usize], seed: u64) -> Tensor {
    let count: usize = outer.iter().product();
    let values = (0..count * into.len()).map(|k| {
        let n = into[k % into.len()];
        pick(seed, k, 2 * n) as i64 - n as i64
    });
    Tensor::i64([outer, &[into.len()]].concat(), values.collect()).unwrap()
}

#[test]
fn index_vectors_gather() {
    for seed in 0..60 {
        let rank = 1 + pick(seed, 0, 4);
        let sizes = shape(rank, 3, seed);
        let batch = pick(seed, 1, rank);
        let length = 1 + pick(seed, 2, rank - batch);
        let outer = [&sizes[..batch], &shape(pick(seed, 3, 3), 3, seed + 9)[..]].concat();
        let (x, index) = (reals(&sizes, seed), vectors(&outer, &sizes[batch..batch + length], seed));
        let inputs = [In::Fed(x.clone()), In::Fed(index.clone())];
        let op = Op::GatherNd { batch };
        let out = [&outer[..], &sizes[batch + length..]].concat();
        check(&run(&op, &inputs), &out, 0.0, |i| {
            let chosen =
                (0..length).map(|k| from_end(at(&index, &[&i[..outer.len()], &[k]].concat()), sizes[batch + k]));
            at(&x, &[&i[..batch], &chosen.collect::<Vec<_>>(), &i[outer.len()..]].concat())
        });
        check_slopes(&op, &inputs, 1);
    }
}

#[test]
fn elements_and_slices_are_replaced() {
    for seed in 0..60 {
        let rank = 1 + pick(seed, 0, 3);
        let sizes = shape(rank, 4, seed);
        let axis = pick(seed, 1, rank);
        let x = reals(&sizes, seed);
        let fewer: Vec<usize> = sizes.iter().enumerate().map(|(a, &m)| 1 + pick(seed, 10 + a, m)).collect();
        // Drawn indices fall on the same place now and then.
        let index = wholes(&fewer, -(sizes[axis] as i64), sizes[axis] as i64, seed);
        let updates = reals(&fewer, seed + 3);
        let op = Op::Scatter(Scatter::Elements { axis: axis as i64 - rank as i64 });
        let inputs = [In::Fed(x.clone()), In::Fed(index.clone()), In::Fed(updates.clone())];
        check(&run(&op, &inputs), &sizes, 0.0, |i| {
            let falls = |j: &&Vec<usize>| {
                (0..rank).all(|a| i[a] == if a == axis { from_end(at(&index, j), sizes[axis]) } else { j[a] })
            };
            indices(&fewer).iter().rfind(falls).map_or(at(&x, i), |j| at(&updates, j))
        });
        check_slopes(&op, &inputs, 1);

        let length = 1 + pick(seed, 2, rank);
        let outer = shape(pick(seed, 3, 3), 3, seed + 9);
        let index = vectors(&outer, &sizes[..length], seed);
        let updates = reals(&[&outer[..], &sizes[length..]].concat(), seed + 4);
        let inputs = [In::Fed(x.clone()), In::Fed(index.clone()), In::Fed(updates.clone())];
        let op = Op::Scatter(Scatter::Nd);
        check(&run(&op, &inputs), &sizes, 0.0, |i| {
            let falls =
                |j: &&Vec<usize>| (0..length).all(|k| i[k] == from_end(at(&index, &[&j[..], &[k]].concat()), sizes[k]));
            let last = indices(&outer).iter().rfind(falls).cloned();
            last.map_or(at(&x, i), |j| at(&updates, &[&j[..], &i[length..]].concat()))
        });
        check_slopes(&op, &inputs, 1);
    }
}

#[test]
fn one_hot_along_any_new_axis() {
    for seed in 0..20 {
        let rank = pick(seed, 0, 3);
        let sizes = shape(rank, 3, seed);
        let (axis, depth) = (pick(seed, 1, rank + 1), pick(seed, 2, 5));
        // Some indices lie outside on purpose.
        let index = wholes(&sizes, -6, 7, seed);
        let values = reals(&[2], seed);
        let op = Op::OneHot { axis: axis as i64 - rank as i64 - 1 };
        let inputs = [In::Fed(index.clone()), one(depth as i64), In::Fed(values.clone())];
        let mut out = sizes.clone();
        out.insert(axis, depth);
        check(&run(&op, &inputs), &out, 0.0, |i| {
            let mut own = i.to_vec();
            let k = own.remove(axis) as f64;
            let index = at(&index, &own);
            let on = index == k || index + depth as f64 == k;
            values.to_f64()[usize::from(on)]
        });
        check_slopes(&op, &inputs, 1);
    }
}
