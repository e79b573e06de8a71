//! Windows of pictures and series: what is strange lights up where it is, and the accounts hold.

use crate::{numbers, run};
use base::Shape;
use density::{Density, OneClass, RadialKernel};
use pellucid_explain::Windows;

#[test]
fn a_defect_in_a_pattern_lights_up() {
    let (height, width) = (20, 24);
    let shape = Shape::Image { height, width, channels: 2 };
    let stripes = |y: usize, x: usize, c: usize| ((x + c) % 4) as f64 + 0.01 * ((7 * x + 13 * y) % 5) as f64;
    let mut image = vec![0.0; height * width * 2];
    for y in 0..height {
        for x in 0..width {
            (0..2).for_each(|c| image[(y * width + x) * 2 + c] = stripes(y, x, c));
        }
    }
    let windows = Windows::new(shape, (5, 5), 1).unwrap();
    assert_eq!((windows.grid(), windows.count(), windows.numbers()), ((16, 20), 320, 50));
    let clean = windows.cut(&image, 0..windows.count()).unwrap();
    image[(9 * width + 11) * 2] += 5.0;
    let family = RadialKernel::Exponential { gamma: 0.5, q: 2.0 };
    let density = Density::new(clean, vec![1.0; 320], family).unwrap();
    let detector = OneClass::new(&density, &run()).unwrap();
    let map = windows.heat_map(&detector, OneClass::BY_INPUT, &image, &run()).unwrap();
    assert_eq!((map.values.len(), map.windows.len()), (image.len(), 320));
    let brightest = base::argmax(&map.values) as usize;
    assert_eq!(brightest, (9 * width + 11) * 2);
    assert!(map.balance.open() < 1e-9 && map.balance.absorbed >= 0.0, "{:?}", map.balance);
    assert!((map.balance.score - map.windows.iter().sum::<f64>()).abs() < 1e-9 * map.balance.score);
    // One window alone: its own heat map at its place.
    let one = Windows::new(Shape::Image { height: 5, width: 5, channels: 2 }, (5, 5), 1).unwrap();
    let cut = numbers(&windows.cut(&image, 150..151).unwrap());
    let alone = one.heat_map(&detector, OneClass::BY_INPUT, &cut, &run()).unwrap();
    assert!((alone.balance.score - map.windows[150]).abs() <= 1e-9 * map.windows[150]);
    assert_eq!(windows.by_place(&map.values).len(), height * width);
}

fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// One detector of random patches of a collection explains images it has never seen: what is unlike the collection lights
/// up, where it is, and nothing in an image like the others does so much. Beside it the detector of one image alone, with the
/// bandwidth of the method: each must find the same defect.
#[test]
fn detectors_of_one_image_and_of_a_collection_find_what_is_unlike() {
    let (side, patch) = (24, 5);
    let shape = Shape::Image { height: side, width: side, channels: 1 };
    let windows = Windows::new(shape, (patch, patch), 1).unwrap();
    for seed in testkit::seeds(2).into_iter().map(base::Seed) {
        // Stripes of their own phase and angle, with noise.
        let image = |k: usize| -> Vec<f64> {
            let own = seed.fork("image").at(k);
            let (phase, tilt) = (6.0 * own.fork("phase").unit(), 0.8 + 0.4 * own.fork("tilt").unit());
            let noise = own.fork("noise");
            let value = |i: usize| {
                ((i % side) as f64 * tilt + (i / side) as f64 * 0.3 + phase).sin() + 0.05 * noise.at(i).unit()
            };
            (0..side * side).map(value).collect()
        };
        let collected = |images: std::ops::Range<usize>, each: usize| -> Vec<f64> {
            let cut = |k: usize| {
                let order = seed.fork("patches").at(k).permutation(windows.count());
                numbers(&windows.cut(&image(k), order.into_iter().take(each)).unwrap())
            };
            images.flat_map(cut).collect()
        };
        let defect = (14 * side + 9, 3.0);
        let mut odd = image(100);
        odd[defect.0] += defect.1;
        let cases = [
            ("a collection", collected(0..30, 20)),
            ("one image", numbers(&windows.cut(&odd, (0..windows.count()).step_by(2)).unwrap())),
        ];
        for (what, values) in cases {
            let rows = base::Points::dense(values.clone(), values.len() / 25, 25).unwrap();
            let sigma = kernels::nearest_quantile(&rows, 0.1, &run()).unwrap();
            let settings = kernels::KernelSettings { sigma, ..kernels::KernelSettings::default() };
            let learner = kernels::OneClassSvm { nu: 0.1, kernel: settings, ..kernels::OneClassSvm::default() };
            let data = base::Dataset::new(rows, base::Targets::None);
            let machine = base::Learner::fit(&learner, &data, None, &run()).unwrap().machine;
            let detector = machine.explainer(&run()).unwrap();
            let of = |image: &[f64]| windows.heat_map(&*detector, OneClass::BY_INPUT, image, &run()).unwrap();
            let map = of(&odd);
            assert_eq!(base::argmax(&map.values) as usize, defect.0, "{what}");
            assert!(map.balance.open() < 1e-9, "{what}: {:?}", map.balance);
            // Every pixel gets what the patches that cover it give it: patch by patch, by hand.
            let mut by_hand = vec![0.0; side * side];
            for w in 0..windows.count() {
                let (top, left) = (w / (side - patch + 1), w % (side - patch + 1));
                let cut = windows.cut(&odd, w..w + 1).unwrap();
                let told = numbers(&detector.explain(OneClass::BY_INPUT, &cut, 0, &run()).unwrap().values);
                for (i, r) in told.iter().enumerate() {
                    by_hand[(top + i / patch) * side + left + i % patch] += r;
                }
            }
            let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * map.balance.score;
            assert!(map.values.iter().zip(&by_hand).all(close), "{what}");
            if what == "a collection" {
                let usual = (101..106).map(|k| largest(&of(&image(k)).values)).fold(0.0, f64::max);
                let seen = largest(&map.values);
                assert!(seen > 2.0 * usual, "{seen} in the image with a defect, {usual} in others");
            }
        }
    }
}

#[test]
fn a_glitch_in_a_series_lights_up() {
    let shape = Shape::Series { length: 200, channels: 3 };
    let mut series: Vec<f64> =
        (0..600).map(|i| ((i / 3) as f64 * 0.3 + (i % 3) as f64).sin() + 0.01 * ((i * 37) % 11) as f64).collect();
    let windows = Windows::new(shape, (12, 1), 1).unwrap();
    assert_eq!((windows.count(), windows.numbers()), (189, 36));
    let density = Density::new(
        windows.cut(&series, (0..189).step_by(2)).unwrap(),
        vec![1.0; 95],
        RadialKernel::Exponential { gamma: 1.0, q: 1.0 },
    );
    series[3 * 120 + 1] += 3.0;
    let detector = OneClass::new(&density.unwrap(), &run()).unwrap();
    let map = windows.heat_map(&detector, OneClass::BY_INPUT, &series, &run()).unwrap();
    assert_eq!(base::argmax(&map.values), 3 * 120 + 1);
    assert_eq!(base::argmax(&windows.by_place(&map.values)), 120);
}

#[test]
fn windows_that_do_not_fit_are_refused() {
    let shape = Shape::Image { height: 4, width: 3, channels: 1 };
    for (size, stride) in [((5, 1), 1), ((1, 4), 1), ((0, 1), 1), ((2, 2), 0)] {
        assert!(Windows::new(shape, size, stride).is_err());
    }
    let windows = Windows::new(shape, (2, 2), 2).unwrap();
    assert_eq!(windows.grid(), (2, 1));
    assert!(windows.cut(&[0.0; 11], 0..1).is_err() && windows.cut(&[0.0; 12], 2..3).is_err());
    let detector = crate::detector(3, 5, RadialKernel::Exponential { gamma: 1.0, q: 2.0 });
    assert!(windows.heat_map(&detector, OneClass::BY_INPUT, &[0.0; 12], &run()).is_err());
}
