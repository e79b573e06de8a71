//! Windows of pictures and series: what is strange lights up where it is, and the accounts hold.

use crate::{numbers, run};
use base::Shape;
use density::{Density, OneClass, Radial};
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
    let family = Radial::Exponential { gamma: 0.5, q: 2.0 };
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
        Radial::Exponential { gamma: 1.0, q: 1.0 },
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
    let detector = crate::detector(3, 5, Radial::Exponential { gamma: 1.0, q: 2.0 });
    assert!(windows.heat_map(&detector, OneClass::BY_INPUT, &[0.0; 12], &run()).is_err());
}
