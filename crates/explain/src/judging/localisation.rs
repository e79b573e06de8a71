//! Is relevance where the object is? Shares, ratio and pointing for a box in each picture; means by class.
//!
//! With r the relevance of pixels (channels added up) and B the box: share = Σ_{B} r⁺ / Σ r⁺; ratio = Σ_B |r| / Σ_{not B}
//! |r|; pointing: whether the largest r lies in B. A class whose ratio is low is recognised by what surrounds it.
//!
//! O(pixels). Sources: M. Alber: *Efficient Learning Machines*, 2019, V.4.5 (ratio by class); J. Zhang et al.: *Top-down
//! neural attention by excitation backprop.* IJCV 126 (2018) (pointing).

use base::{Error, Result, Shape};

/// A box in a picture, in pixels; the lower and right ends are not in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// The first row.
    pub top: usize,
    /// The first column.
    pub left: usize,
    /// The row after the last.
    pub bottom: usize,
    /// The column after the last.
    pub right: usize,
}

/// Where the relevance of a picture lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Located {
    /// Share of positive relevance inside; 0 where there is none.
    pub share: f64,
    /// |relevance| inside over that outside; infinite where nothing lies outside, not a number where there is none.
    pub ratio: f64,
    /// Whether the most relevant pixel lies inside: 1 or 0.
    pub pointing: f64,
}

/// Where relevance lies with respect to a box that must have pixels inside and outside.
pub fn locate(relevance: &[f64], shape: Option<Shape>, frame: Frame) -> Result<Located> {
    let Some(Shape::Image { height, width, channels }) = shape.filter(|s| s.count() == Some(relevance.len())) else {
        return Err(Error::unsupported("localisation", "this machine", "its inputs are not images of known size"));
    };
    let Frame { top, left, bottom, right } = frame;
    let some = top < bottom && left < right && bottom <= height && right <= width;
    if !some || (bottom - top, right - left) == (height, width) {
        let found = format!("rows {top} to {bottom}, columns {left} to {right}");
        return Err(Error::size("a box", format!("within {height} x {width}, and smaller"), found));
    }
    let (mut plus, mut sizes, mut most) = ([0.0; 2], [0.0; 2], (f64::NEG_INFINITY, false));
    for (place, pixel) in relevance.chunks_exact(channels.max(1)).enumerate() {
        let (y, x, r) = (place / width, place % width, pixel.iter().sum::<f64>());
        let inside = (top..bottom).contains(&y) && (left..right).contains(&x);
        plus[usize::from(inside)] += r.max(0.0);
        sizes[usize::from(inside)] += r.abs();
        if r > most.0 {
            most = (r, inside);
        }
    }
    let all = plus[0] + plus[1];
    Ok(Located {
        share: if all > 0.0 { plus[1] / all } else { 0.0 },
        ratio: sizes[1] / sizes[0],
        pointing: f64::from(u8::from(most.1)),
    })
}

/// What became of the rows of a class.
#[derive(Debug, Clone, PartialEq)]
pub struct ByClass {
    /// The class.
    pub class: usize,
    /// How many rows.
    pub rows: usize,
    /// The mean of their numbers that are finite.
    pub mean: f64,
}

/// The mean of each class, the lowest first.
pub fn by_class(numbers: &[f64], classes: &[usize]) -> Vec<ByClass> {
    let mut sums: std::collections::BTreeMap<usize, (usize, f64)> = Default::default();
    for (x, class) in numbers.iter().zip(classes).filter(|(x, _)| x.is_finite()) {
        let sum = sums.entry(*class).or_default();
        *sum = (sum.0 + 1, sum.1 + x);
    }
    let one = |(class, (rows, sum)): (usize, (usize, f64))| ByClass { class, rows, mean: sum / rows as f64 };
    let mut all: Vec<ByClass> = sums.into_iter().map(one).collect();
    all.sort_by(|a, b| a.mean.total_cmp(&b.mean));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Option<Shape> = Some(Shape::Image { height: 3, width: 4, channels: 2 });

    #[test]
    fn relevance_planted_in_a_box_is_found_there() {
        let frame = Frame { top: 1, left: 1, bottom: 3, right: 3 };
        let mut r = vec![0.0; 24];
        let mut put = |y: usize, x: usize, pair: [f64; 2]| r[(y * 4 + x) * 2..][..2].copy_from_slice(&pair);
        put(1, 1, [2.0, 1.0]);
        put(2, 2, [4.0, -3.0]);
        put(0, 0, [0.5, 0.5]);
        put(2, 3, [-1.0, -1.0]);
        // Pixels: 3 and 1 inside, 1 and −2 outside.
        let found = locate(&r, SHAPE, frame).unwrap();
        assert_eq!(found, Located { share: 0.8, ratio: 4.0 / 3.0, pointing: 1.0 });
        let elsewhere = locate(&r, SHAPE, Frame { top: 0, left: 0, bottom: 1, right: 4 }).unwrap();
        assert_eq!((elsewhere.share, elsewhere.pointing), (0.2, 0.0));
        let nothing = locate(&[0.0; 24], SHAPE, frame).unwrap();
        assert!(nothing.share == 0.0 && nothing.ratio.is_nan());
        let negative = locate(&[-1.0; 24], SHAPE, frame).unwrap();
        assert_eq!((negative.share, negative.ratio), (0.0, 0.5));
    }

    #[test]
    fn boxes_that_hold_nothing_or_everything_are_refused() {
        let at = |top, left, bottom, right| locate(&[1.0; 24], SHAPE, Frame { top, left, bottom, right });
        assert!(
            at(0, 0, 3, 4).is_err() && at(1, 1, 1, 2).is_err() && at(0, 0, 4, 2).is_err() && at(2, 3, 1, 4).is_err()
        );
        assert!(locate(&[1.0; 24], None, Frame { top: 0, left: 0, bottom: 1, right: 1 }).is_err());
        assert!(locate(&[1.0; 23], SHAPE, Frame { top: 0, left: 0, bottom: 1, right: 1 }).is_err());
    }

    #[test]
    fn classes_that_rest_on_their_surroundings_come_first() {
        let found = by_class(&[4.0, 0.5, 2.0, f64::INFINITY, 0.7], &[3, 1, 3, 3, 1]);
        assert_eq!(found.iter().map(|c| (c.class, c.rows)).collect::<Vec<_>>(), [(1, 2), (3, 2)]);
        assert!((found[0].mean - 0.6).abs() < 1e-12 && found[1].mean == 3.0);
        assert!(by_class(&[], &[]).is_empty());
    }
}
