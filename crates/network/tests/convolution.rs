//! Convolution, its transpose and pooling against their definitions, on drawn windows.
#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

mod common;
use base::graph::*;
use common::*;

/// The begin of the padding and the number of places along each axis, as ONNX defines them.
fn geometry(window: &Window, space: &[usize]) -> Option<(Vec<i64>, Vec<usize>)> {
    let mut found = (vec![], vec![]);
    for (i, &size) in space.iter().enumerate() {
        let (k, s, d) = (window.kernel[i] as f64, window.strides[i] as f64, window.dilations[i] as f64);
        let (size, span) = (size as f64, (k - 1.0) * d + 1.0);
        let (begin, places) = match &window.padding {
            Padding::Explicit { begin, end, up } => {
                let (begin, end) = (begin[i] as f64, end[i] as f64);
                let steps = (size + begin + end - span) / s;
                let mut places = if *up { steps.ceil() } else { steps.floor() } + 1.0;
                if *up && places > 1.0 && (places - 1.0) * s >= size + begin {
                    places -= 1.0;
                }
                (begin, places)
            }
            same => {
                let places = (size / s).ceil();
                let total = ((places - 1.0) * s + span - size).max(0.0);
                (if *same == Padding::SameUpper { (total / 2.0).floor() } else { (total / 2.0).ceil() }, places)
            }
        };
        if places < 1.0 {
            return None;
        }
        found.0.push(begin as i64);
        found.1.push(places as usize);
    }
    Some(found)
}

/// The element of the space under part `k` of the window at `place`, if it is inside.
fn element(window: &Window, begin: &[i64], space: &[usize], place: &[usize], k: &[usize]) -> Option<Vec<usize>> {
    let at = |i: usize| (place[i] * window.strides[i] + k[i] * window.dilations[i]) as i64 - begin[i];
    let inside = |i: usize| (0..space[i] as i64).contains(&at(i));
    (0..space.len()).all(inside).then(|| (0..space.len()).map(|i| at(i) as usize).collect())
}

fn conv_twin(window: &Window, groups: usize, x: &Tensor, w: &Tensor, b: Option<&Tensor>) -> (Vec<usize>, Vec<f64>) {
    let (xs, ws) = (x.to_f64(), w.to_f64());
    let (space, kernel) = (&x.shape()[2..], &w.shape()[2..]);
    let (begin, places) = geometry(window, space).unwrap();
    let (n, filters, inner) = (x.shape()[0], w.shape()[0], w.shape()[1]);
    let shape = [vec![n, filters], places.clone()].concat();
    let count: usize = shape.iter().product();
    let (area, parts): (usize, usize) = (space.iter().product(), kernel.iter().product());
    let bias = b.map(Tensor::to_f64);
    let mut y = vec![0.0; count];
    for (at, y) in y.iter_mut().enumerate() {
        let index = unravel(at, &shape);
        let group = index[1] / (filters / groups);
        *y = bias.as_ref().map_or(0.0, |b| b[index[1]]);
        for k in 0..parts {
            if let Some(place) = element(window, &begin, space, &index[2..], &unravel(k, kernel)) {
                let place = ravel(&place, space);
                for c in 0..inner {
                    let channel = index[0] * x.shape()[1] + group * inner + c;
                    *y += xs[channel * area + place] * ws[(index[1] * inner + c) * parts + k];
                }
            }
        }
    }
    (shape, y)
}

fn drawn_window(draw: &mut Draw, rank: usize, up: bool) -> Window {
    let many = |draw: &mut Draw, low: usize, high: usize| (0..rank).map(|_| draw.whole(low, high)).collect::<Vec<_>>();
    let padding = match draw.whole(0, 3) {
        0 => Padding::SameUpper,
        1 => Padding::SameLower,
        _ => Padding::Explicit { begin: many(draw, 0, 2), end: many(draw, 0, 2), up: up && draw.whole(0, 1) == 1 },
    };
    Window { kernel: many(draw, 1, 3), strides: many(draw, 1, 3), dilations: many(draw, 1, 2), padding }
}

fn space(draw: &mut Draw, rank: usize) -> Vec<usize> {
    (0..rank).map(|_| draw.whole(1, [9, 6, 4][rank - 1])).collect()
}

#[test]
fn convolutions_are_those_of_the_definition() {
    let mut draw = Draw::new(1);
    let mut checked = 0;
    for case in 0..150 {
        let rank = 1 + case % 3;
        let window = drawn_window(&mut draw, rank, false);
        let space = space(&mut draw, rank);
        let groups = draw.whole(1, 3);
        // Every fourth is depthwise.
        let (per, filters) = if case % 4 == 0 { (1, 1) } else { (draw.whole(1, 3), draw.whole(1, 3)) };
        let images = draw.whole(1, 3);
        let x = draw.tensor(&[vec![images, groups * per], space.clone()].concat());
        let w = draw.tensor(&[vec![groups * filters, per], window.kernel.clone()].concat());
        let bias = (draw.whole(0, 1) == 1).then(|| draw.tensor(&[groups * filters]));
        let op = Op::Conv { window: window.clone(), groups };
        let inputs = [Some(x.clone()), Some(w.clone()), bias.clone()];
        if geometry(&window, &space).is_none() {
            refused(op, &inputs);
            continue;
        }
        checked += 1;
        let (shape, y) = conv_twin(&window, groups, &x, &w, bias.as_ref());
        check(&op, &inputs, (&shape, &y), &[]);
        check_rows(&op, &inputs);
    }
    assert!(checked > 80, "{checked}");
}

/// Sizes at which places, channels and images are cut into several parts.
#[test]
fn large_convolutions_are_those_of_the_definition() {
    for (n, c, m, size, kernel, stride, pad, groups) in [
        (2, 44, 4, 33, 3, 1, 1, 1),
        (1, 130, 4, 30, 3, 2, 0, 2),
        (9, 5, 3, 33, 1, 1, 0, 1),
        (2, 40, 40, 21, 3, 1, 1, 40),
        (10, 3, 6, 20, 5, 2, 2, 1),
    ] {
        let mut draw = Draw::new(2);
        let (x, w) = (draw.tensor(&[n, c, size, size]), draw.tensor(&[m, c / groups, kernel, kernel]));
        let bias = draw.tensor(&[m]);
        let window = Window::new([kernel, kernel]).strides([stride, stride]).pads([pad, pad]);
        let op = Op::Conv { window: window.clone(), groups };
        let inputs = [Some(x.clone()), Some(w.clone()), Some(bias.clone())];
        let (shape, y) = conv_twin(&window, groups, &x, &w, Some(&bias));
        let network = pellucid_network::Network::new(graph(op.clone(), &inputs).unwrap());
        let given = there(&inputs);
        let narrow: Vec<Tensor> = given.iter().map(single).collect();
        let small: Vec<Option<Tensor>> = narrow.iter().cloned().map(Some).collect();
        let small = pellucid_network::Network::new(graph(op.clone(), &small).unwrap());
        let g = draw.tensor(&shape);
        let mut first: Option<Vec<Vec<u64>>> = None;
        for count in [1, 2, 4] {
            let found = network.run(&given, &threads(count)).unwrap().remove(0);
            assert_eq!(found.shape(), shape);
            close(&found.to_f64(), &y, 1e-12, "a large convolution");
            let found32 = small.run(&narrow, &threads(count)).unwrap().remove(0);
            close(&found32.to_f64(), &y, 1e-5, "a large convolution in f32");
            let slopes = gradients(&network, &given, &g, &threads(count));
            let slopes32 = gradients(&small, &narrow, &single(&g), &threads(count));
            // <g, ∂y·v> = <slope, v> for a drawn direction: exact, because y is linear in each of its inputs.
            for (i, slope) in slopes.iter().enumerate() {
                let slope = slope.as_ref().unwrap();
                close(&slopes32[i].as_ref().unwrap().to_f64(), &slope.to_f64(), 1e-5, "f32 slopes");
                if count > 1 {
                    continue; // The bits are compared below.
                }
                let v = draw.tensor(slope.shape());
                let still = |j: usize, t: &Tensor| match j == i {
                    true => v.clone(),
                    false if j == 2 => Tensor::f64([m], vec![0.0; m]).unwrap(),
                    false => t.clone(),
                };
                let mut moved: Vec<Tensor> = given.iter().enumerate().map(|(j, t)| still(j, t)).collect();
                if i == 2 {
                    moved[0] = Tensor::f64(x.shape(), vec![0.0; x.to_f64().len()]).unwrap();
                }
                let (_, change) = conv_twin(&window, groups, &moved[0], &moved[1], Some(&moved[2]));
                let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
                let (left, right) = (dot(&change, &g.to_f64()), dot(&slope.to_f64(), &v.to_f64()));
                assert!((left - right).abs() < 1e-9 * left.abs().max(1.0), "input {i}: {left} and {right}");
            }
            let all = slopes.iter().chain(&slopes32).flatten().chain([&found, &found32]);
            let all: Vec<Vec<u64>> = all.map(|t| bits(&t.to_f64())).collect();
            assert!(*first.get_or_insert_with(|| all.clone()) == all, "{count} threads show");
        }
    }
}

#[test]
fn transposed_convolutions_are_those_of_the_definition() {
    let mut draw = Draw::new(3);
    let mut checked = 0;
    for case in 0..120 {
        let rank = 1 + case % 3;
        let window = drawn_window(&mut draw, rank, false);
        let space = space(&mut draw, rank);
        let groups = draw.whole(1, 3);
        let (per, out) = if case % 4 == 0 { (1, 1) } else { (draw.whole(1, 2), draw.whole(1, 3)) };
        let extra: Vec<usize> = (0..rank).map(|i| draw.whole(0, window.strides[i] - 1)).collect();
        let images = draw.whole(1, 2);
        let x = draw.tensor(&[vec![images, groups * per], space.clone()].concat());
        let w = draw.tensor(&[vec![groups * per, out], window.kernel.clone()].concat());
        let bias = (draw.whole(0, 1) == 1).then(|| draw.tensor(&[groups * out]));
        // Each element adds its multiple of the filter at stride·place − begin + dilation·k.
        let span = |i: usize| ((window.kernel[i] - 1) * window.dilations[i] + 1) as i64;
        let full = |i: usize| (space[i] as i64 - 1) * window.strides[i] as i64 + span(i) + extra[i] as i64;
        let total = |i: usize| (full(i) - (space[i] * window.strides[i]) as i64).max(0);
        let (begin, size): (Vec<i64>, Vec<i64>) = (0..rank)
            .map(|i| match &window.padding {
                Padding::Explicit { begin, end, .. } => (begin[i] as i64, full(i) - (begin[i] + end[i]) as i64),
                Padding::SameUpper => (total(i) / 2, (space[i] * window.strides[i]) as i64),
                Padding::SameLower => (total(i) - total(i) / 2, (space[i] * window.strides[i]) as i64),
            })
            .unzip();
        let op = Op::ConvTranspose { window: window.clone(), groups, extra };
        let inputs = [Some(x.clone()), Some(w.clone()), bias.clone()];
        if size.iter().any(|&n| n < 1) {
            refused(op, &inputs);
            continue;
        }
        checked += 1;
        let size: Vec<usize> = size.iter().map(|&n| n as usize).collect();
        let shape = [vec![x.shape()[0], groups * out], size.clone()].concat();
        let count: usize = shape.iter().product();
        let mut y: Vec<f64> =
            (0..count).map(|at| bias.as_ref().map_or(0.0, |b| b.to_f64()[unravel(at, &shape)[1]])).collect();
        let (xs, ws) = (x.to_f64(), w.to_f64());
        for (at, value) in xs.iter().enumerate() {
            let index = unravel(at, x.shape());
            for f in 0..out {
                for k in 0..window.kernel.iter().product() {
                    let k = unravel(k, &window.kernel);
                    if let Some(place) = element(&window, &begin, &size, &index[2..], &k) {
                        let to = [vec![index[0], index[1] / per * out + f], place].concat();
                        let weight = [vec![index[1], f], k].concat();
                        y[ravel(&to, &shape)] += value * ws[ravel(&weight, w.shape())];
                    }
                }
            }
        }
        check(&op, &inputs, (&shape, &y), &[]);
        check_rows(&op, &inputs);
    }
    assert!(checked > 60, "{checked}");
}

#[test]
fn pools_are_those_of_the_definition() {
    let mut draw = Draw::new(4);
    let mut checked = 0;
    for case in 0..240 {
        let rank = 1 + case % 3;
        let window = drawn_window(&mut draw, rank, true);
        let space = space(&mut draw, rank);
        let pooling = [Pooling::Max, Pooling::Average, Pooling::AveragePadded, Pooling::Lp(3.0)][case / 3 % 4];
        let planes = vec![draw.whole(1, 2), draw.whole(1, 2)];
        let x = draw.apart(&[planes, space.clone()].concat());
        let op = Op::Pool { pooling, window: window.clone() };
        let inputs = [Some(x.clone())];
        let Some((begin, places)) = geometry(&window, &space) else {
            refused(op, &inputs);
            continue;
        };
        checked += 1;
        let shape = [x.shape()[..2].to_vec(), places].concat();
        let count: usize = shape.iter().product();
        let xs = x.to_f64();
        let y: Vec<f64> = (0..count)
            .map(|at| {
                let index = unravel(at, &shape);
                let parts = (0..window.kernel.iter().product()).map(|k| unravel(k, &window.kernel));
                let found = parts.clone().filter_map(|k| element(&window, &begin, &space, &index[2..], &k));
                let found: Vec<f64> =
                    found.map(|place| xs[ravel(&[index[..2].to_vec(), place].concat(), x.shape())]).collect();
                // What the padded mean divides by: parts inside the space with its padding.
                let padded = parts.filter(|k| match &window.padding {
                    Padding::Explicit { end, .. } => (0..rank).all(|i| {
                        let at = (index[2 + i] * window.strides[i] + k[i] * window.dilations[i]) as i64 - begin[i];
                        at < (space[i] + end[i]) as i64
                    }),
                    _ => true,
                });
                match pooling {
                    Pooling::Max => found.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b)),
                    Pooling::Average => found.iter().sum::<f64>() / found.len().max(1) as f64,
                    Pooling::AveragePadded => found.iter().sum::<f64>() / padded.count().max(1) as f64,
                    Pooling::Lp(p) => found.iter().map(|x| x.abs().powf(p)).sum::<f64>().powf(1.0 / p),
                }
            })
            .collect();
        if y.iter().all(|y| y.is_finite()) {
            check(&op, &inputs, (&shape, &y), &[]);
            check_rows(&op, &inputs);
        } else {
            close(&run(&op, &inputs).unwrap().to_f64(), &y, 1e-12, "a window without elements");
        }
    }
    assert!(checked > 150, "{checked}");
}

#[test]
fn the_first_of_equals_gets_the_gradient_and_nan_is_the_largest() {
    let pool = Op::Pool { pooling: Pooling::Max, window: Window::new([2, 2]).strides([2, 2]) };
    let x = Tensor::f64([1, 1, 2, 4], vec![1.0, 3.0, 2.0, 2.0, 3.0, 0.0, 2.0, 2.0]).unwrap();
    let network = pellucid_network::Network::new(graph(pool.clone(), &[Some(x.clone())]).unwrap());
    let g = Tensor::f64([1, 1, 1, 2], vec![5.0, 7.0]).unwrap();
    let slope = gradients(&network, &[x], &g, &threads(1)).remove(0).unwrap().to_f64();
    assert_eq!(slope, [0.0, 5.0, 7.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let nan = Tensor::f64([1, 1, 2, 2], vec![1.0, f64::NAN, 9.0, 2.0]).unwrap();
    assert!(run(&pool, &[Some(nan)]).unwrap().to_f64()[0].is_nan());
}

#[test]
fn hostile_sizes_are_refused_or_empty() {
    let zeros = |shape: &[usize]| Some(Tensor::f64(shape, vec![0.0; shape.iter().product()]).unwrap());
    let conv = |window: Window, groups: usize| Op::Conv { window, groups };
    let plain = || Window::new([2, 2]);
    let (x, w) = (zeros(&[1, 2, 4, 4]), zeros(&[3, 2, 2, 2]));
    refused(conv(plain(), 0), &[x.clone(), w.clone()]);
    refused(conv(plain(), 2), &[x.clone(), w.clone()]);
    refused(conv(Window::new([2]), 1), &[x.clone(), w.clone()]);
    refused(conv(Window::new([3, 3]), 1), &[x.clone(), w.clone()]);
    refused(conv(Window::new([0, 2]), 1), &[x.clone(), zeros(&[3, 2, 0, 2])]);
    refused(conv(plain().strides([0, 1]), 1), &[x.clone(), w.clone()]);
    refused(conv(plain().strides([1]), 1), &[x.clone(), w.clone()]);
    refused(conv(plain().pads([usize::MAX, usize::MAX]), 1), &[x.clone(), w.clone()]);
    refused(conv(Window { dilations: vec![usize::MAX; 2], ..plain() }, 1), &[x.clone(), w.clone()]);
    refused(conv(plain(), 1), &[zeros(&[1, 2]), w.clone()]);
    refused(conv(plain(), 1), &[zeros(&[1, 2, 1, 1, 1, 1]), zeros(&[3, 2, 1, 1, 1, 1])]);
    refused(conv(plain(), 1), &[x.clone(), zeros(&[3, 1, 2, 2])]);
    refused(conv(plain(), 1), &[x.clone(), w.clone(), zeros(&[2])]);
    refused(conv(plain(), 1), &[zeros(&[1, 2, 1, 4]), w.clone()]);
    refused(conv(plain(), 1), &[x.clone(), w.as_ref().map(single)]);
    refused(conv(plain(), 1), &[zeros(&[0, 2, 1 << 40, 1 << 40]), w.clone()]);
    refused(
        conv(Window::new([1 << 29; 3]), 1),
        &[zeros(&[0, 1, 1 << 29, 1 << 29, 1 << 29]), zeros(&[0, 1, 1 << 29, 1 << 29, 1 << 29])],
    );
    assert_eq!(run(&conv(plain().strides([1 << 30, 1]), 1), &[x.clone(), w.clone()]).unwrap().shape(), [1, 3, 1, 3]);
    assert_eq!(run(&conv(plain(), 1), &[zeros(&[0, 2, 4, 4]), w.clone()]).unwrap().shape(), [0, 3, 3, 3]);
    assert_eq!(run(&conv(plain(), 1), &[zeros(&[1, 0, 4, 4]), zeros(&[3, 0, 2, 2])]).unwrap().shape(), [1, 3, 3, 3]);
    assert_eq!(run(&conv(plain(), 1), &[x.clone(), zeros(&[0, 2, 2, 2])]).unwrap().shape(), [1, 0, 3, 3]);
    assert_eq!(run(&conv(plain().pads([1, 1]), 1), &[zeros(&[1, 2, 0, 0]), w.clone()]).unwrap().shape(), [1, 3, 1, 1]);
    for sizes in [[0, 2, 4, 4], [1, 2, 4, 4]] {
        let inputs = [zeros(&sizes), zeros(&[0, 2, 2, 2])];
        let network = pellucid_network::Network::new(graph(conv(plain(), 1), &inputs).unwrap());
        let g = Tensor::f64([sizes[0], 0, 3, 3], vec![]).unwrap();
        let slope = gradients(&network, &there(&inputs), &g, &threads(2)).remove(0).unwrap();
        assert!(slope.shape() == sizes && slope.to_f64().iter().all(|&v| v == 0.0));
    }

    let transpose = |window: Window, extra: Vec<usize>| Op::ConvTranspose { window, groups: 1, extra };
    let (x, w) = (zeros(&[1, 2, 3, 3]), zeros(&[2, 3, 2, 2]));
    refused(transpose(plain(), vec![1]), &[x.clone(), w.clone()]);
    refused(transpose(plain().pads([4, 4]), vec![]), &[x.clone(), w.clone()]);
    refused(transpose(plain(), vec![usize::MAX; 2]), &[x.clone(), w.clone()]);
    refused(transpose(plain().strides([1 << 30, 1 << 30]), vec![]), &[x.clone(), w.clone()]);
    refused(transpose(plain(), vec![]), &[x.clone(), zeros(&[3, 3, 2, 2])]);
    refused(transpose(plain(), vec![]), &[zeros(&[1, 2, 0, 3]), w.clone()]);
    let up = Padding::Explicit { begin: vec![0; 2], end: vec![0; 2], up: true };
    refused(transpose(Window { padding: up, ..plain() }, vec![]), &[x.clone(), w.clone()]);

    let pool = |window: Window| Op::Pool { pooling: Pooling::Max, window };
    refused(pool(Window::new([5, 5])), std::slice::from_ref(&x));
    refused(pool(Window::new([1 << 40, 1])), std::slice::from_ref(&x));
    refused(pool(plain()), &[Some(Tensor::i64([1, 1, 2, 2], vec![0; 4]).unwrap())]);
    refused(Op::Pool { pooling: Pooling::Lp(0.0), window: plain() }, std::slice::from_ref(&x));
    refused(pool(plain()), &[zeros(&[1, 2])]);
    refused(pool(Window::new([1; 3])), &[zeros(&[0, 1, 1 << 29, 1 << 29, 1 << 29])]);
    let wide = Window::new([1 << 30, 1]).pads([(1 << 30) - 4, 0]).strides([1 << 30, 1]);
    assert_eq!(run(&pool(wide), &[x]).unwrap().shape(), [1, 2, 1, 3]);
}

/// Single precision takes another way through windows of 3 x 3 where both sides have many channels.
#[test]
fn windows_of_three_in_single_precision_are_those_of_the_definition() {
    for (n, c, m, high, wide, begin, end, groups) in [
        (1, 16, 32, 8, 8, [1, 1], [1, 1], 1),
        (9, 32, 17, 7, 10, [1, 1], [1, 1], 1),
        (2, 40, 24, 21, 33, [0, 0], [0, 0], 1),
        (1, 16, 40, 6, 5, [2, 1], [0, 2], 1),
        (2, 64, 64, 9, 13, [0, 3], [4, 1], 2),
        (1, 300, 20, 5, 6, [1, 1], [1, 1], 1),
        (1, 24, 36, 41, 40, [1, 0], [2, 2], 1),
    ] {
        let mut draw = Draw::new(7);
        let padding = Padding::Explicit { begin: begin.to_vec(), end: end.to_vec(), up: false };
        let window = Window { padding, ..Window::new([3, 3]) };
        let (x, w) = (draw.tensor(&[n, c, high, wide]), draw.tensor(&[m, c / groups, 3, 3]));
        let bias = draw.tensor(&[m]);
        let op = Op::Conv { window: window.clone(), groups };
        let (shape, y) = conv_twin(&window, groups, &x, &w, Some(&bias));
        let given = [x, w, bias].map(Some);
        let narrow: Vec<Tensor> = there(&given).iter().map(single).collect();
        let options: Vec<Option<Tensor>> = narrow.iter().cloned().map(Some).collect();
        let (double, network) = (
            pellucid_network::Network::new(graph(op.clone(), &given).unwrap()),
            pellucid_network::Network::new(graph(op.clone(), &options).unwrap()),
        );
        let g = draw.tensor(&shape);
        let exact = gradients(&double, &there(&given), &g, &threads(1));
        let mut first: Option<Vec<Vec<u64>>> = None;
        for count in [1, 2, 3] {
            let found = network.run(&narrow, &threads(count)).unwrap().remove(0);
            assert_eq!(found.shape(), shape);
            close(&found.to_f64(), &y, 2e-6, "windows of three");
            let slopes = gradients(&network, &narrow, &single(&g), &threads(count));
            for (slope, exact) in slopes.iter().zip(&exact) {
                close(&slope.as_ref().unwrap().to_f64(), &exact.as_ref().unwrap().to_f64(), 2e-6, "their slopes");
            }
            let all: Vec<Vec<u64>> = slopes.iter().flatten().chain([&found]).map(|t| bits(&t.to_f64())).collect();
            assert!(*first.get_or_insert_with(|| all.clone()) == all, "{count} threads show");
        }
        // An image alone is computed as among others.
        let all = network.run(&narrow, &threads(1)).unwrap().remove(0);
        for row in 0..n {
            let mut alone = narrow.clone();
            alone[0] = single(&row_of(&narrow[0], row));
            let own = network.run(&alone, &threads(1)).unwrap().remove(0);
            assert_eq!(bits(&own.to_f64()), bits(&row_of(&all, row).to_f64()), "image {row}");
        }
    }
}
