//! Augmented rows are what they claim to be: noise of the right size, exact shifts, turns within their angle.

#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use base::{Dataset, Features, Learner, Points, Run, Seed, Shape, Targets, Values};
use distance::Knn;
use numeric::{Border, mirror, rotate, shift};
use pellucid_prepare::{Axis, Flip, Noise, Resample, Rotate, Shift, Wrap, Wrapped};

const IMAGE: Shape = Shape::Image { height: 5, width: 4, channels: 2 };
const SERIES: Shape = Shape::Series { length: 20, channels: 2 };

/// Ten rows of forty drawn numbers in that shape, with values as targets.
fn data(shape: Shape) -> Dataset {
    let values: Vec<f64> = (0..400).map(|i| Seed(1).at(i).unit()).collect();
    let targets = Targets::Values(Values::new((0..10).map(f64::from).collect(), "y"));
    let features = Features::unnamed(40).shaped(shape).unwrap();
    Dataset { features, ..Dataset::new(Points::dense(values, 10, 40).unwrap(), targets) }
}

fn row(data: &Dataset, i: usize) -> Vec<f64> {
    let mut row = vec![0.0; 40];
    data.points().unwrap().write_row(i, &mut row);
    row
}

/// The made rows in rounds behind the old ones, each with the target of its row.
fn check_frame(old: &Dataset, new: &Dataset, copies: usize) {
    assert_eq!(new.len(), 10 * (copies + 1));
    assert_eq!(new.features, old.features);
    assert!(new.prepared);
    let Targets::Values(values) = &new.targets else { panic!() };
    for i in 0..new.len() {
        assert_eq!(values.row(i), [(i % 10) as f64]);
        assert!(i >= 10 || row(old, i) == row(new, i));
    }
}

#[test]
fn shifts_are_exact_all_different_and_all_there() {
    let run = Run::quiet(3);
    for (shape, ways) in [(IMAGE, 8), (SERIES, 2)] {
        let old = data(shape);
        for edge in [Border::Zero, Border::Nearest] {
            let new = Shift { pixels: 1, copies: ways, edge }.resample(&old, &run).unwrap().data;
            check_frame(&old, &new, ways);
            for i in 0..10 {
                let mut expected = vec![];
                for (down, right) in (0..9).map(|w| (w / 3 - 1, w % 3 - 1)).filter(|w| *w != (0, 0)) {
                    if shape == IMAGE || down == 0 {
                        let mut to = vec![0.0; 40];
                        shift(shape, (down, right), edge, &row(&old, i), &mut to).unwrap();
                        expected.push(to);
                    }
                }
                let mut made: Vec<Vec<f64>> = (1..=ways).map(|c| row(&new, 10 * c + i)).collect();
                for list in [&mut made, &mut expected] {
                    list.sort_by(|a, b| a.partial_cmp(b).unwrap());
                }
                assert_eq!(made, expected);
            }
        }
        let some = Shift { pixels: 3, copies: 2, ..Default::default() }.resample(&old, &run).unwrap().data;
        assert!((0..10).all(|i| row(&some, 10 + i) != row(&some, 20 + i) && row(&some, 10 + i) != row(&old, i)));
    }
}

#[test]
fn turns_stay_within_their_angle_and_mirrors_are_exact() {
    let run = Run::quiet(3);
    let old = data(IMAGE);
    let still = Rotate { degrees: 0.0, copies: 2, ..Default::default() }.resample(&old, &run).unwrap().data;
    check_frame(&old, &still, 2);
    assert!((10..30).all(|i| row(&still, i) == row(&old, i % 10)));
    let turned = Rotate { degrees: 30.0, ..Default::default() }.resample(&old, &run).unwrap().data;
    let mut angles = vec![];
    for i in 0..10 {
        // The angle is found again by trying a fine net of them.
        let distance = |degrees: f64| {
            let mut to = vec![0.0; 40];
            rotate(IMAGE, degrees, Border::Zero, &row(&old, i), &mut to).unwrap();
            to.iter().zip(row(&turned, 10 + i)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        let best =
            (-600..=600).map(|k| f64::from(k) / 20.0).min_by(|a, b| distance(*a).total_cmp(&distance(*b))).unwrap();
        assert!(distance(best) < 0.01, "row {i} is no turn by up to 30 degrees");
        angles.push(best);
    }
    assert!(angles.iter().any(|a| *a > 3.0) && angles.iter().any(|a| *a < -3.0), "{angles:?}");
    for axis in [Axis::Horizontal, Axis::Vertical] {
        let flipped = Flip { axis }.resample(&old, &run).unwrap().data;
        check_frame(&old, &flipped, 1);
        let mut to = vec![0.0; 40];
        mirror(IMAGE, axis == Axis::Vertical, &row(&old, 4), &mut to).unwrap();
        assert_eq!(row(&flipped, 14), to);
    }
}

#[test]
fn noise_has_its_share_of_every_deviation() {
    let (n, copies) = (500, 4);
    // Deviations 1/√12, 10/√12, and none.
    let values: Vec<f64> = (0..n).flat_map(|i| [Seed(1).at(i).unit(), 10.0 * Seed(2).at(i).unit(), 7.0]).collect();
    let old = Dataset::new(Points::dense(values, n, 3).unwrap(), Targets::None);
    let run = Run::quiet(3);
    let new = Noise { noise: 0.2, copies }.resample(&old, &run).unwrap().data;
    let numbers = new.points().unwrap().to_dense(&run.memory).unwrap();
    let noise = |c: usize| -> Vec<f64> {
        (n..n * (copies + 1)).map(|i| numbers[3 * i + c] - numbers[3 * (i % n) + c]).collect()
    };
    for (c, deviation) in [(0, 0.2 / 12f64.sqrt()), (1, 2.0 / 12f64.sqrt())] {
        let noise = noise(c);
        let m = noise.len() as f64;
        let mean = noise.iter().sum::<f64>() / m / deviation;
        let variance = noise.iter().map(|x| x * x).sum::<f64>() / m / (deviation * deviation);
        // Deviations of these estimates: 0.022 and 0.032, and some 0.03 from the column's own.
        assert!(mean.abs() < 0.09 && (variance - 1.0).abs() < 0.2, "{mean} {variance}");
    }
    assert!(noise(2).iter().all(|x| *x == 0.0), "a constant column stays");
    let threads = Run { threads: 4, ..run.clone() };
    assert_eq!(Noise { noise: 0.2, copies }.resample(&old, &threads).unwrap().data, new);
}

#[test]
fn single_precision_and_sparse_stay_where_pixels_only_move() {
    let run = Run::quiet(1);
    let old = data(IMAGE);
    let single: Vec<f32> = old.points().unwrap().to_dense(&run.memory).unwrap().iter().map(|&x| x as f32).collect();
    let old = Dataset { inputs: Points::dense(single, 10, 40).unwrap().into(), ..old };
    let sparse = testkit::as_sparse(&old);
    let [a, b] = [&old, &sparse].map(|data| Shift::default().resample(data, &run).unwrap().data);
    assert!(matches!(a.points().unwrap(), Points::Dense(d) if matches!(d.values(), base::Buffer::F32(_))));
    assert!(b.points().unwrap().is_sparse());
    assert!((0..30).all(|i| row(&a, i) == row(&b, i)));
}

#[test]
fn points_without_a_shape_are_refused_with_the_way_out() {
    let plain = Dataset { features: Features::unnamed(40), ..data(IMAGE) };
    let says = |step: &dyn Wrap, data: &Dataset| {
        let wrapped = Wrapped { step: step.boxed(), learner: Box::new(Knn::default()) };
        wrapped.fit(data, None, &Run::quiet(1)).err().unwrap().to_string()
    };
    for step in [Shift::default().boxed(), Rotate::default().boxed(), Flip::default().boxed()] {
        let text = says(&*step, &plain);
        assert!(text.contains("inputs other than images and time series") && text.contains("before scaling"), "{text}");
    }
    assert!(says(&Rotate::default(), &data(SERIES)).contains("only images can be rotated"));
    assert!(says(&Flip { axis: Axis::Vertical }, &data(SERIES)).contains("must be horizontal"));
    assert!(says(&Shift { copies: 9, ..Default::default() }, &data(IMAGE)).contains("at most 8"));
}
