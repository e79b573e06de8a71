//! The learners' promises, and what is known of their results.

use crate::toys::{drawn, run, training, values};
use base::*;
use pellucid_network::NetworkMachine;
use pellucid_network::layers::Activation;
use pellucid_network::train::*;
use pellucid_network::{Autoencoder, Cnn, Gives, Mlp};
use std::sync::Arc;
use testkit::{Reads, check_learner, toy_classes, toy_values};

fn read(record: &Record) -> Result<Arc<dyn Machine>> {
    Ok(Arc::new(NetworkMachine::read(record)?))
}

/// In double precision the answers for a row alone and in a batch agree to the promised digits.
fn double(epochs: usize) -> Training {
    Training { epochs, batch: 16, precision: Precision::F64, ..Training::default() }
}

#[test]
fn learners_keep_their_promises() {
    let mlp = Mlp { hidden: vec![6.0], activation: Activation::Tanh, training: double(4), ..Mlp::default() };
    check_learner(&mlp, &toy_classes(2), &Reads(read));
    check_learner(&mlp, &toy_values(2), &Reads(read));
    let deep = Mlp { hidden: vec![5.0, 4.0], batch_norm: true, dropout: 0.3, activation: Activation::Swish, ..mlp };
    check_learner(&deep, &toy_classes(3), &Reads(read));
    for gives in [Gives::Code, Gives::Reconstruction, Gives::Error] {
        let auto = Autoencoder { code: 1, returns: gives, training: double(4), ..Autoencoder::default() };
        check_learner(&auto, &toy_classes(2), &Reads(read));
    }
}

#[test]
fn an_exclusive_or_is_learnt() {
    let x = vec![0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0];
    let classes = Classes::from_names(&[Some("no"), Some("yes"), Some("yes"), Some("no")]);
    let data = Dataset::new(Points::dense(x, 4, 2).unwrap(), Targets::Classes(classes));
    for cost in [Cost::CrossEntropy, Cost::BinaryCrossEntropy, Cost::Quadratic, Cost::MakramEbeid] {
        let training = Training { cost, ..training(Optimizer::Adam, 0.05, 400) };
        let mlp = Mlp { hidden: vec![8.0], activation: Activation::Tanh, training, ..Mlp::default() };
        let fitted = mlp.fit(&data, None, &run(1)).unwrap();
        let found = Prediction::of(&*fitted.machine, &data.inputs, &run(1)).unwrap();
        assert_eq!(found.classes(&run(1)).unwrap(), [0, 1, 1, 0], "{cost:?}");
    }
    let linear = Mlp { hidden: vec![], training: training(Optimizer::Lbfgs, 1.0, 100), ..Mlp::default() };
    let fitted = linear.fit(&data, None, &run(1)).unwrap();
    assert!((fitted.certificate.objective.unwrap() - 2f64.ln()).abs() < 1e-6, "no line separates them");
}

/// A linear autoencoder spans the leading principal components, and its error is that of what remains (X32).
#[test]
fn linear_autoencoders_span_the_principal_components() {
    let (n, d, m) = (60, 5, 2);
    let mut x: Vec<f64> = drawn(3, n * d)
        .chunks(d)
        .flat_map(|r| [3.0 * r[0] + r[1], 2.0 * r[1], r[2] + r[0], 0.5 * r[3], 0.3 * r[4]])
        .collect();
    for c in 0..d {
        let mean = x.iter().skip(c).step_by(d).sum::<f64>() / n as f64;
        x.iter_mut().skip(c).step_by(d).for_each(|v| *v -= mean);
    }
    let data = Dataset::new(Points::dense(x.clone(), n, d).unwrap(), Targets::None);
    let settings = Training { tolerance: 1e-10, ..training(Optimizer::Lbfgs, 1.0, 2000) };
    let auto = Autoencoder { code: m, training: settings, ..Autoencoder::default() };
    let fitted = auto.fit(&data, None, &run(2)).unwrap();
    let mut covariance = vec![0.0; d * d];
    x.chunks(d).for_each(|r| (0..d * d).for_each(|k| covariance[k] += r[k / d] * r[k % d] / n as f64));
    let eigen = numeric::eigen(&run(1), numeric::Mat::new(&covariance, d, d).unwrap()).unwrap();
    let mut order: Vec<usize> = (0..d).collect();
    order.sort_by(|&a, &b| eigen.values[b].total_cmp(&eigen.values[a]));
    let rest: f64 = order[m..].iter().map(|&k| eigen.values[k]).sum();
    assert!((fitted.certificate.objective.unwrap() - 0.5 * rest).abs() < 1e-7 * rest.max(1.0));
    // The rows of the encoder have nothing along the components that are left out.
    let machine = NetworkMachine::read(&fitted.machine.record()).unwrap();
    let w = machine.graph().weights()[0].tensor.to_f64();
    for unit in w.chunks(d) {
        for &k in &order[m..] {
            let along: f64 = (0..d).map(|j| unit[j] * eigen.vectors[j * d + k]).sum();
            assert!(along.abs() < 1e-4, "{along}");
        }
    }
}

/// One dot on each picture, left or right of the middle: a filter with shared weights finds it anywhere.
fn dots(n: usize, channels: usize) -> Dataset {
    let (h, w) = (6, 6);
    let mut x = vec![0.0; n * h * w * channels];
    let names: Vec<Option<&str>> = (0..n)
        .map(|i| {
            let (row, column) = (1 + (i * 7) % 4, 1 + (i * 5) % 4);
            let upright = i % 2 == 0;
            for k in 0..2 {
                let (r, c) = if upright { (row + k - 1, column) } else { (row, column + k - 1) };
                (0..channels).for_each(|ch| x[((i * h + r) * w + c) * channels + ch] = 1.0);
            }
            Some(if upright { "upright" } else { "flat" })
        })
        .collect();
    let features = Features::unnamed(h * w * channels).shaped(Shape::Image { height: h, width: w, channels }).unwrap();
    let points = Points::dense(x, n, h * w * channels).unwrap();
    Dataset { features, ..Dataset::new(points, Targets::Classes(Classes::from_names(&names))) }
}

#[test]
fn small_convolutional_networks_learn_shapes_anywhere() {
    for channels in [1, 2] {
        let data = dots(64, channels);
        let cnn = Cnn {
            layers: "conv 4 2x2 norm relu, pool 2 stride 1, conv 4 3 valid tanh, pool all, dense 6 relu".into(),
            training: Training { epochs: 60, batch: 16, rate: 0.02, ..Training::default() },
            ..Cnn::default()
        };
        let fitted = cnn.fit(&data, None, &run(3)).unwrap();
        let found = Prediction::of(&*fitted.machine, &data.inputs, &run(3)).unwrap().classes(&run(3)).unwrap();
        let Targets::Classes(classes) = &data.targets else { panic!() };
        assert_eq!(found, classes.codes(), "{channels} channels");
    }
    let small = Cnn {
        training: double(2),
        layers: "conv 2 3x3 tanh, pool 2 average, response, layer-norm, conv 2 3 depthwise elu".into(),
        ..Cnn::default()
    };
    let fitted = small.fit(&dots(8, 1), None, &run(1)).unwrap();
    let x: Vec<f64> = drawn(9, 36);
    for output in 0..2 {
        let direction = [f64::from(output == 0), f64::from(output == 1)];
        let claimed = testkit::gradient_at(&*fitted.machine, &x, &direction);
        let f = |x: &[f64]| {
            let points = Points::dense(x.to_vec(), 1, 36).unwrap();
            fitted.machine.compute(&points.into(), &run(1)).unwrap().to_dense(&Memory::unlimited()).unwrap()[output]
        };
        testkit::check_slope(f, &claimed, &x);
    }
}

#[test]
fn wrong_descriptions_are_told() {
    let says = |layers: &str, data: &Dataset| {
        Cnn { layers: layers.into(), ..Cnn::default() }.fit(data, None, &run(1)).err().unwrap().to_string()
    };
    let data = dots(8, 1);
    assert!(says("conv 4 3x3, pool 4, pool 4", &data).contains("too small"));
    assert!(says("dense 4, conv 3 3", &data).contains("no dense layer before it"));
    assert!(says("conv 4 3x3x3", &data).contains("3 sizes over 2 axes"));
    assert!(says("conv 4 3 groups 3", &data).contains("multiples of 3 groups"));
    assert!(says("conv 4 3", &toy_classes(1)).contains("use mlp"));
    let sign = Mlp { activation: Activation::Sign, ..Mlp::default() };
    assert!(sign.fit(&toy_classes(1), None, &run(1)).is_err_and(|e| e.to_string().contains("no useful gradient")));
    let halves = Mlp { hidden: vec![1.5], ..Mlp::default() };
    assert!(halves.fit(&toy_classes(1), None, &run(1)).is_err_and(|e| e.to_string().contains("whole numbers")));
    let one = toy_classes(1).select(&[0]).unwrap();
    assert!(Mlp::default().fit(&one, None, &run(1)).is_err_and(|e| e.to_string().contains("at least 2")));
}

/// Values of any size are learnt as easily as small ones, and come out in their own units.
#[test]
fn values_come_in_their_own_units() {
    let x = drawn(51, 80);
    let y: Vec<f64> = x.iter().map(|x| 1e6 + 3e4 * (2.0 * x).sin()).collect();
    let data = values(x, 1, y.clone());
    let training = Training { cost: Cost::Minkowski, ..training(Optimizer::Adam, 0.02, 500) };
    let mlp = Mlp { hidden: vec![20.0], activation: Activation::Tanh, training, ..Mlp::default() };
    let fitted = mlp.fit(&data, None, &run(1)).unwrap();
    let found = fitted.machine.compute(&data.inputs, &run(1)).unwrap().to_dense(&Memory::unlimited()).unwrap();
    let worst = found.iter().zip(&y).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
    assert!(worst < 3e3, "{worst}");
}
