//! Functions of one and two numbers against their definitions, with the edges that matter.
#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

mod common;
use base::graph::*;
use common::*;

/// erf by its Taylor series, and by Simpson's rule on the tail where the series loses digits.
fn erf_twin(x: f64) -> f64 {
    let (steps, mut sum) = (20_000, 0.0);
    let h = x / f64::from(steps);
    for i in 0..=steps {
        let weight = if i == 0 || i == steps {
            1.0
        } else if i % 2 == 1 {
            4.0
        } else {
            2.0
        };
        let t: f64 = f64::from(i) * h;
        sum += weight * (-t * t).exp();
    }
    2.0 / std::f64::consts::PI.sqrt() * sum * h / 3.0
}

/// The definition, as the operation's own description reads.
fn twin(op: Unary, x: f64) -> f64 {
    let softplus = |x: f64| (1.0 + x.exp()).ln();
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    match op {
        Unary::Relu => x.max(0.0),
        Unary::LeakyRelu(a) => {
            if x > 0.0 {
                x
            } else {
                a * x
            }
        }
        Unary::ThresholdedRelu(a) => {
            if x > a {
                x
            } else {
                0.0
            }
        }
        Unary::Elu(a) => {
            if x > 0.0 {
                x
            } else {
                a * (x.exp() - 1.0)
            }
        }
        Unary::Selu(a, g) => {
            if x > 0.0 {
                g * x
            } else {
                g * a * (x.exp() - 1.0)
            }
        }
        Unary::Celu(a) => x.max(0.0) + (a * ((x / a).exp() - 1.0)).min(0.0),
        Unary::Gelu(false) => 0.5 * x * (1.0 + erf_twin(x / 2f64.sqrt())),
        Unary::Gelu(true) => {
            0.5 * x * (1.0 + ((2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x * x * x)).tanh())
        }
        Unary::Softplus => softplus(x),
        Unary::Softsign => x / (1.0 + x.abs()),
        Unary::Sigmoid => sigmoid(x),
        Unary::HardSigmoid(a, b) => (a * x + b).clamp(0.0, 1.0),
        Unary::HardSwish => x * (x / 6.0 + 0.5).clamp(0.0, 1.0),
        Unary::Swish(b) => x * sigmoid(b * x),
        Unary::Mish => x * softplus(x).tanh(),
        Unary::Tanh => x.tanh(),
        Unary::Erf => erf_twin(x),
        Unary::Exp => x.exp(),
        Unary::Log => x.ln(),
        Unary::Sqrt => x.sqrt(),
        Unary::Abs => x.abs(),
        Unary::Neg => -x,
        Unary::Reciprocal => 1.0 / x,
        Unary::Floor => x.floor(),
        Unary::Ceil => x.ceil(),
        Unary::Round => x.round(),
        Unary::Sign => x.signum(),
        Unary::Sin => x.sin(),
        Unary::Cos => x.cos(),
        Unary::Tan => x.tan(),
        Unary::Asin => x.asin(),
        Unary::Acos => x.acos(),
        Unary::Atan => x.atan(),
        Unary::Sinh => (x.exp() - (-x).exp()) / 2.0,
        Unary::Cosh => (x.exp() + (-x).exp()) / 2.0,
        Unary::Identity => x,
        other => panic!("{other:?}"),
    }
}

const EVERYWHERE: &[Unary] = &[
    Unary::Relu,
    Unary::LeakyRelu(0.1),
    Unary::ThresholdedRelu(0.7),
    Unary::Elu(1.3),
    Unary::Selu(1.67, 1.05),
    Unary::Celu(0.8),
    Unary::Gelu(false),
    Unary::Gelu(true),
    Unary::Softplus,
    Unary::Softsign,
    Unary::Sigmoid,
    Unary::HardSigmoid(0.2, 0.45),
    Unary::HardSwish,
    Unary::Swish(1.0),
    Unary::Swish(-0.7),
    Unary::Mish,
    Unary::Tanh,
    Unary::Erf,
    Unary::Exp,
    Unary::Abs,
    Unary::Neg,
    Unary::Sin,
    Unary::Cos,
    Unary::Atan,
    Unary::Sinh,
    Unary::Cosh,
    Unary::Identity,
];

#[test]
fn functions_of_one_number_are_those_of_the_definition() {
    // Steps of 0.1 that meet no corner.
    let wide = Draw::new(1).apart(&[3, 41]);
    for &op in EVERYWHERE {
        let y: Vec<f64> = wide.to_f64().iter().map(|&x| twin(op, x)).collect();
        check(&Op::Unary(op), &[Some(wide.clone())], (&[3, 41], &y), &[]);
    }
    for op in [Unary::Floor, Unary::Ceil, Unary::Round, Unary::Sign] {
        let y: Vec<f64> = wide.to_f64().iter().map(|&x| twin(op, x)).collect();
        check(&Op::Unary(op), &[Some(wide.clone())], (&[3, 41], &y), &[0]);
    }
    let positive = Draw::new(2).between(&[50], 0.2, 3.0);
    for op in [Unary::Log, Unary::Sqrt, Unary::Reciprocal] {
        let y: Vec<f64> = positive.to_f64().iter().map(|&x| twin(op, x)).collect();
        check(&Op::Unary(op), &[Some(positive.clone())], (&[50], &y), &[]);
    }
    let inside = Draw::new(3).between(&[50], -0.9, 0.9);
    for op in [Unary::Tan, Unary::Asin, Unary::Acos] {
        let y: Vec<f64> = inside.to_f64().iter().map(|&x| twin(op, x)).collect();
        check(&Op::Unary(op), &[Some(inside.clone())], (&[50], &y), &[]);
    }
    // More than one piece of work.
    let long = Draw::new(4).tensor(&[40_000]);
    let one = pellucid_network::Network::new(graph(Op::Unary(Unary::Sigmoid), &[Some(long.clone())]).unwrap());
    let y: Vec<f64> = long.to_f64().iter().map(|&x| twin(Unary::Sigmoid, x)).collect();
    for count in [1, 2, 4] {
        close(&one.run(std::slice::from_ref(&long), &threads(count)).unwrap()[0].to_f64(), &y, 1e-15, "long");
    }
}

/// Values far out, in both precisions, and NaN.
#[test]
fn functions_keep_their_limits() {
    let inf = f64::INFINITY;
    let cases: &[(Unary, f64, f64)] = &[
        (Unary::Softplus, 1000.0, 1000.0),
        (Unary::Softplus, -1000.0, 0.0),
        (Unary::Softplus, inf, inf),
        (Unary::Sigmoid, -1000.0, 0.0),
        (Unary::Sigmoid, inf, 1.0),
        (Unary::Tanh, -1000.0, -1.0),
        (Unary::Elu(1.0), -inf, -1.0),
        (Unary::Elu(1.0), inf, inf),
        (Unary::Swish(1.0), -1000.0, 0.0),
        (Unary::Swish(1.0), -inf, 0.0),
        (Unary::Swish(1.0), inf, inf),
        (Unary::Mish, -inf, 0.0),
        (Unary::Mish, 1000.0, 1000.0),
        (Unary::Gelu(false), -inf, 0.0),
        (Unary::Gelu(true), -inf, 0.0),
        (Unary::Gelu(true), 1000.0, 1000.0),
        (Unary::Softsign, inf, 1.0),
        (Unary::Softsign, -inf, -1.0),
        (Unary::HardSwish, -inf, 0.0),
        (Unary::Exp, -inf, 0.0),
        (Unary::Log, 0.0, -inf),
        (Unary::Round, 0.5, 0.0),
        (Unary::Round, 1.5, 2.0),
        (Unary::Round, -2.5, -2.0),
        (Unary::Sign, 0.0, 0.0),
        (Unary::Reciprocal, 0.0, inf),
        (Unary::Erf, inf, 1.0),
    ];
    for &(op, x, y) in cases {
        for tensor in [Tensor::f64([1], vec![x]).unwrap(), Tensor::f32([1], vec![x as f32]).unwrap()] {
            let found = run(&Op::Unary(op), &[Some(tensor)]).unwrap().to_f64()[0];
            assert_eq!(found, y, "{op:?} of {x}");
        }
    }
    let rest = [Unary::Log, Unary::Sqrt, Unary::Reciprocal, Unary::Floor, Unary::Round, Unary::Sign, Unary::Tan];
    for &op in EVERYWHERE.iter().chain(&rest) {
        let nan = Tensor::f32([2], vec![f32::NAN, 1.0]).unwrap();
        let found = run(&Op::Unary(op), &[Some(nan)]).unwrap().to_f64();
        assert!(found[0].is_nan() && !found[1].is_nan(), "{op:?} swallows NaN");
    }
    // Slopes far out are finite where the function is smooth.
    for &op in EVERYWHERE.iter().filter(|op| !matches!(op, Unary::Exp | Unary::Sinh | Unary::Cosh)) {
        for x in [-1e4, -200.0, 200.0, 1e4] {
            let x = Tensor::f32([1], vec![x as f32]).unwrap();
            let network = pellucid_network::Network::new(graph(Op::Unary(op), &[Some(x.clone())]).unwrap());
            let g = Tensor::f32([1], vec![1.0]).unwrap();
            let slope = gradients(&network, std::slice::from_ref(&x), &g, &threads(1)).remove(0).unwrap().to_f64()[0];
            assert!(slope.abs() <= 1.8, "{op:?} at {x:?}: {slope}");
        }
    }
}

#[test]
fn other_types_take_what_makes_sense() {
    let whole = || Some(Tensor::i64([3], vec![-5, 0, 7]).unwrap());
    let yes = || Some(Tensor::bool([2], vec![true, false]).unwrap());
    let of = |op: Unary, x: Option<Tensor>| run(&Op::Unary(op), &[x]).unwrap();
    assert_eq!(of(Unary::Abs, whole()).wholes(), Some(&[5, 0, 7][..]));
    assert_eq!(of(Unary::Neg, whole()).wholes(), Some(&[5, 0, -7][..]));
    assert_eq!(of(Unary::Sign, whole()).wholes(), Some(&[-1, 0, 1][..]));
    assert_eq!(of(Unary::Identity, whole()), whole().unwrap());
    let least = Some(Tensor::i64([1], vec![i64::MIN]).unwrap());
    assert_eq!(of(Unary::Abs, least.clone()).wholes(), Some(&[i64::MIN][..]));
    assert_eq!(of(Unary::Not, yes()).to_f64(), [0.0, 1.0]);
    let odd = Some(Tensor::f32([4], vec![f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0]).unwrap());
    assert_eq!(of(Unary::IsNan, odd.clone()).to_f64(), [1.0, 0.0, 0.0, 0.0]);
    assert_eq!(of(Unary::IsInf, odd.clone()).to_f64(), [0.0, 1.0, 1.0, 0.0]);
    assert_eq!(of(Unary::IsInf, odd).element(), Element::Bool);
    refused(Op::Unary(Unary::Relu), &[whole()]);
    refused(Op::Unary(Unary::Not), &[whole()]);
    refused(Op::Unary(Unary::Abs), &[yes()]);
    refused(Op::Unary(Unary::IsNan), &[whole()]);
    refused(Op::Unary(Unary::Celu(0.0)), &[Some(Tensor::f32([1], vec![0.0]).unwrap())]);
}

/// Both indices of an element of the result.
fn meet(shape: &[usize], at: usize, own: &[usize]) -> usize {
    let index = unravel(at, shape);
    let index: Vec<usize> =
        index[shape.len() - own.len()..].iter().zip(own).map(|(&i, &n)| if n == 1 { 0 } else { i }).collect();
    ravel(&index, own)
}

fn pair_twin(op: Binary, a: f64, b: f64) -> f64 {
    let yes = |held: bool| f64::from(u8::from(held));
    match op {
        Binary::Add => a + b,
        Binary::Sub => a - b,
        Binary::Mul => a * b,
        Binary::Div => a / b,
        Binary::Pow => a.powf(b),
        Binary::Mod => a - b * (a / b).floor(),
        Binary::Fmod => a - b * (a / b).trunc(),
        Binary::Max => a.max(b),
        Binary::Min => a.min(b),
        Binary::Prelu => {
            if a > 0.0 {
                a
            } else {
                a * b
            }
        }
        Binary::Equal => yes(a == b),
        Binary::Less => yes(a < b),
        Binary::LessOrEqual => yes(a <= b),
        Binary::Greater => yes(a > b),
        Binary::GreaterOrEqual => yes(a >= b),
        Binary::And | Binary::Or | Binary::Xor => panic!("of yes and no"),
    }
}

const SHAPES: &[(&[usize], &[usize], &[usize])] = &[
    (&[3, 4], &[3, 4], &[3, 4]),
    (&[3, 4], &[], &[3, 4]),
    (&[], &[2, 3], &[2, 3]),
    (&[5, 4], &[4], &[5, 4]),
    (&[4], &[5, 4], &[5, 4]),
    (&[2, 3, 2, 2], &[3, 1, 1], &[2, 3, 2, 2]),
    (&[2, 1, 3], &[4, 1], &[2, 4, 3]),
    (&[1, 3], &[2, 1], &[2, 3]),
    (&[1, 1], &[1], &[1, 1]),
    (&[0, 3], &[3], &[0, 3]),
    (&[2, 3], &[2, 3, 1, 3], &[2, 3, 2, 3]),
];

#[test]
fn functions_of_two_numbers_are_broadcast() {
    use Binary::*;
    let mut draw = Draw::new(5);
    for op in [Add, Sub, Mul, Div, Pow, Mod, Fmod, Max, Min, Prelu, Equal, Less, LessOrEqual, Greater, GreaterOrEqual] {
        for (left, right, shape) in SHAPES {
            let (a, b) = match op {
                Pow => (draw.between(left, 0.3, 2.0), draw.between(right, -2.0, 2.0)),
                Mod | Fmod => (draw.between(left, 4.1, 4.9), draw.between(right, 1.1, 1.3)),
                Div => (draw.tensor(left), draw.between(right, 0.5, 2.0)),
                _ => (draw.tensor(left), draw.tensor(right)),
            };
            let count: usize = shape.iter().product();
            let (x, z) = (a.to_f64(), b.to_f64());
            let y: Vec<f64> =
                (0..count).map(|i| pair_twin(op, x[meet(shape, i, left)], z[meet(shape, i, right)])).collect();
            check(&Op::Binary(op), &[Some(a), Some(b)], (shape, &y), &[]);
        }
    }
}

/// Sizes at which sums over broadcast axes are cut.
#[test]
fn long_sums_of_gradients_show_no_threads() {
    let mut draw = Draw::new(6);
    for (left, right) in [(vec![40_000], vec![]), (vec![300, 700], vec![700]), (vec![9, 3, 50, 70], vec![3, 1, 1])] {
        let (a, b) = (draw.tensor(&left), draw.tensor(&right));
        let network = pellucid_network::Network::new(
            graph(Op::Binary(Binary::Mul), &[Some(a.clone()), Some(b.clone())]).unwrap(),
        );
        let g = draw.tensor(&left);
        let mut expected = vec![0.0; b.to_f64().len()];
        for (i, (x, g)) in a.to_f64().iter().zip(g.to_f64()).enumerate() {
            expected[meet(&left, i, &right)] += x * g;
        }
        let slopes =
            [1, 2, 4].map(|n| gradients(&network, &[a.clone(), b.clone()], &g, &threads(n)).remove(1).unwrap());
        close(&slopes[0].to_f64(), &expected, 1e-12, "sums");
        assert!(slopes.iter().all(|s| bits(&s.to_f64()) == bits(&slopes[0].to_f64())));
    }
}

#[test]
fn whole_numbers_and_yes_or_no() {
    let of = |op: Binary, a: Vec<i64>, b: Vec<i64>| {
        let tensor = |v: Vec<i64>| Some(Tensor::i64([v.len()], v).unwrap());
        run(&Op::Binary(op), &[tensor(a), tensor(b)])
    };
    let (a, b) = (vec![-7, 7, -7, 7], vec![2, 2, -2, -2]);
    let list = |op: Binary| of(op, a.clone(), b.clone()).unwrap().to_f64();
    assert_eq!(list(Binary::Div), [-3.0, 3.0, 3.0, -3.0]);
    assert_eq!(list(Binary::Mod), [1.0, 1.0, -1.0, -1.0]);
    assert_eq!(list(Binary::Fmod), [-1.0, 1.0, -1.0, 1.0]);
    assert_eq!(list(Binary::Add), [-5.0, 9.0, -9.0, 5.0]);
    assert_eq!(list(Binary::Max), [2.0, 7.0, -2.0, 7.0]);
    assert_eq!(list(Binary::Less), [1.0, 0.0, 1.0, 0.0]);
    assert_eq!(
        of(Binary::Pow, vec![2, -3, 1, -1, 5], vec![10, 3, -4, -3, -1]).unwrap().to_f64(),
        [1024.0, -27.0, 1.0, -1.0, 0.0]
    );
    for op in [Binary::Add, Binary::Mul, Binary::Div, Binary::Mod, Binary::Fmod, Binary::Pow, Binary::Sub] {
        assert!(of(op, vec![i64::MIN, i64::MAX], vec![-1, i64::MAX]).is_ok(), "{op:?} at the ends");
    }
    for op in [Binary::Div, Binary::Mod, Binary::Fmod] {
        assert!(of(op, vec![1], vec![0]).unwrap_err().to_string().contains("divided by 0"));
    }
    let (yes, no) =
        (Tensor::bool([4], vec![true, true, false, false]), Tensor::bool([4], vec![true, false, true, false]));
    let logic = |op: Binary| run(&Op::Binary(op), &[yes.clone().ok(), no.clone().ok()]).unwrap().to_f64();
    assert_eq!(logic(Binary::And), [1.0, 0.0, 0.0, 0.0]);
    assert_eq!(logic(Binary::Or), [1.0, 1.0, 1.0, 0.0]);
    assert_eq!(logic(Binary::Xor), [0.0, 1.0, 1.0, 0.0]);
    assert_eq!(logic(Binary::Equal), [1.0, 0.0, 0.0, 1.0]);
    let real = || Some(Tensor::f32([2], vec![1.0, f32::NAN]).unwrap());
    let largest = run(&Op::Binary(Binary::Max), &[real(), Some(Tensor::f32([], vec![3.0]).unwrap())]).unwrap();
    assert!(largest.to_f64()[0] == 3.0 && largest.to_f64()[1].is_nan());
    refused(Op::Binary(Binary::And), &[real(), real()]);
    refused(Op::Binary(Binary::Add), &[yes.clone().ok(), no.clone().ok()]);
    refused(Op::Binary(Binary::Add), &[real(), Some(Tensor::f64([2], vec![0.0; 2]).unwrap())]);
    refused(Op::Binary(Binary::Add), &[real(), Some(Tensor::f32([3], vec![0.0; 3]).unwrap())]);
    // Nothing has any size, and is not walked through.
    for (a, b) in [([0, 1, 1 << 40], [0, 1 << 40, 1]), ([0, 1 << 40, 1 << 40], [0, 1 << 40, 1 << 40])] {
        let empty = |shape: [usize; 3]| Tensor::f32(shape, vec![]).unwrap();
        let inputs = [empty(a), empty(b)];
        let op = Op::Binary(Binary::Mul);
        assert_eq!(run(&op, &inputs.clone().map(Some)).unwrap().shape(), [0, 1 << 40, 1 << 40]);
        let network = pellucid_network::Network::new(graph(op, &inputs.clone().map(Some)).unwrap());
        let slopes = gradients(&network, &inputs, &empty([0, 1 << 40, 1 << 40]), &threads(2));
        assert_eq!(slopes.iter().flatten().map(Tensor::shape).collect::<Vec<_>>(), [a, b]);
    }
    let wide = |shape: [usize; 3]| Some(Tensor::f32(shape, vec![]).unwrap());
    refused(Op::Binary(Binary::Add), &[wide([1 << 40, 1, 0]), wide([1, 1 << 40, 0])]);
}

#[test]
fn choosing_and_clipping() {
    let mut draw = Draw::new(7);
    for (c, a, b, shape) in [
        (vec![3, 4], vec![3, 4], vec![3, 4], vec![3, 4]),
        (vec![3, 1], vec![4], vec![], vec![3, 4]),
        (vec![2, 1, 4], vec![3, 1], vec![1, 1, 1], vec![2, 3, 4]),
    ] {
        let held: Vec<bool> = (0..c.iter().product()).map(|_| draw.whole(0, 1) == 1).collect();
        let condition = Tensor::bool(c.clone(), held.clone()).unwrap();
        let (x, z) = (draw.tensor(&a), draw.tensor(&b));
        let y: Vec<f64> = (0..shape.iter().product())
            .map(|i| {
                if held[meet(&shape, i, &c)] {
                    x.to_f64()[meet(&shape, i, &a)]
                } else {
                    z.to_f64()[meet(&shape, i, &b)]
                }
            })
            .collect();
        check(&Op::Where, &[Some(condition), Some(x), Some(z)], (&shape, &y), &[]);
    }
    let real = || Some(Tensor::f64([2], vec![0.0; 2]).unwrap());
    refused(Op::Where, &[real(), real(), real()]);

    let x = draw.apart(&[40]);
    let one = |v: f64| Some(Tensor::f64([], vec![v]).unwrap());
    for (low, high) in
        [(Some(-0.52), Some(0.77)), (None, Some(0.1)), (Some(0.1), None), (None, None), (Some(1.0), Some(-1.0))]
    {
        let y: Vec<f64> =
            x.to_f64().iter().map(|&x| x.max(low.unwrap_or(f64::MIN)).min(high.unwrap_or(f64::MAX))).collect();
        let inputs = [Some(x.clone()), low.and_then(one), high.and_then(one)];
        if low.zip(high).is_none_or(|(l, h)| l < h) {
            check(&Op::Clip, &inputs, (&[40], &y), &[1, 2]);
        } else {
            assert_eq!(run(&Op::Clip, &inputs).unwrap().to_f64(), y);
        }
    }
    let whole = Tensor::i64([3], vec![-9, 0, 9]).unwrap();
    let clipped = run(&Op::Clip, &[Some(whole), Some(Tensor::i64([1], vec![-1]).unwrap())]).unwrap();
    assert_eq!(clipped.wholes(), Some(&[-1, 0, 9][..]));
    refused(Op::Clip, &[Some(x.clone()), real()]);
    refused(Op::Clip, &[Some(x), Some(Tensor::f32([], vec![0.0]).unwrap())]);
}
