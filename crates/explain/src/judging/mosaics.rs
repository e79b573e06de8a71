//! Four pictures of different classes in one: does the explanation of one class lie in the quarter that shows it?
//!
//! Each picture is halved (means of 2 x 2 pixels) and put into a quarter. Every row is once the picture asked for, in the
//! quarters in turn; the other three are drawn from rows of other classes, all different. Mosaics that the machine gives
//! no score above 0 for the class asked for are left out: what is not seen cannot be found. Chance is a quarter.
//!
//! **Cost.** O(pixels) a mosaic. **Limits.** An odd last row or column of a picture is dropped, and of a mosaic stays 0.
//! Source: A. Arias-Duart, F. Parés, D. Garcia-Gasulla, V. Giménez-Ábalos: *Focus! Rating XAI methods and finding biases.*
//! FUZZ-IEEE 2022.

use super::EvalContext;
use super::localisation::Frame;
use base::{Buffer, Error, Points, Result, Run, Seed, Shape, Shared};

/// Pictures put together.
#[derive(Debug, Clone)]
pub struct Mosaics {
    /// The mosaics as rows.
    pub points: Points,
    /// The class asked for in each.
    pub outputs: Vec<usize>,
    /// The quarter that shows it.
    pub frames: Vec<Frame>,
    /// The rows that each is made of: top left, top right, bottom left, bottom right.
    pub rows: Vec<[usize; 4]>,
}

impl Mosaics {
    /// One mosaic for each row whose class is seen in it.
    pub fn new(scene: &EvalContext<'_>, run: &Run<'_>) -> Result<Self> {
        let Some(shape @ Shape::Image { height, width, .. }) = scene.regions.shape else {
            return Err(Error::unsupported("mosaics", "this machine", "its inputs are not images of known size"));
        };
        let seed = run.seed.fork("mosaics");
        let four = |row: usize| chosen(&scene.outputs, row, seed.at(row));
        let rows: Vec<[usize; 4]> = (0..scene.points.len()).map(four).collect::<Result<_>>()?;
        let columns = scene.points.columns();
        let (mut values, hold) = run.memory.filled(rows.len().saturating_mul(columns), 0.0, "mosaics")?;
        let mut pictures = vec![vec![0.0; columns]; 4];
        for (four, place) in rows.iter().zip(values.chunks_exact_mut(columns.max(1))) {
            four.iter().zip(&mut pictures).for_each(|(&row, picture)| scene.points.write_row(row, picture));
            place.copy_from_slice(&mosaic(&pictures, shape)?);
        }
        let points = Points::dense(Buffer::F64(Shared::counted(values, hold)), rows.len(), columns)?;
        let scores = scene.scores(&points, &scene.outputs, run)?;
        let seen: Vec<usize> = (0..rows.len()).filter(|&i| scores[i] > 0.0).collect();
        if seen.is_empty() {
            let found = "none: the machine recognises the class of no quarter";
            return Err(Error::size("mosaics with a score above 0", "at least 1", found));
        }
        let frame = |row: usize| {
            let (top, left) = (row % 4 / 2 * (height / 2), row % 2 * (width / 2));
            Frame { top, left, bottom: top + height / 2, right: left + width / 2 }
        };
        Ok(Mosaics {
            points: points.select(&seen)?,
            outputs: seen.iter().map(|&i| scene.outputs[i]).collect(),
            frames: seen.iter().map(|&i| frame(i)).collect(),
            rows: seen.iter().map(|&i| rows[i]).collect(),
        })
    }
}

/// The row in quarter row mod 4, and three drawn rows of other classes, all different, in the others.
fn chosen(classes: &[usize], row: usize, seed: Seed) -> Result<[usize; 4]> {
    let mut taken = vec![classes[row]];
    let mut others = vec![];
    for other in seed.permutation(classes.len()) {
        if others.len() < 3 && !taken.contains(&classes[other]) {
            taken.push(classes[other]);
            others.push(other);
        }
    }
    if others.len() < 3 {
        return Err(Error::size("classes among the rows, as predicted, for mosaics", "at least 4", taken.len()));
    }
    others.insert(row % 4, row);
    Ok([others[0], others[1], others[2], others[3]])
}

/// Four pictures of that shape, halved, in one.
pub fn mosaic(pictures: &[Vec<f64>], shape: Shape) -> Result<Vec<f64>> {
    let Shape::Image { height, width, channels } = shape else {
        return Err(Error::size("images of a mosaic", "pictures", shape));
    };
    if pictures.len() != 4 || pictures.iter().any(|p| shape.count() != Some(p.len())) || height < 2 || width < 2 {
        return Err(Error::size("images of a mosaic", format!("4, each {shape}, 2 x 2 or more"), pictures.len()));
    }
    let (high, wide) = (height / 2, width / 2);
    let mut all = vec![0.0; pictures[0].len()];
    for (k, picture) in pictures.iter().enumerate() {
        for (y, x) in (0..high).flat_map(|y| (0..wide).map(move |x| (y, x))) {
            for c in 0..channels {
                let at = |dy: usize, dx: usize| picture[((2 * y + dy) * width + 2 * x + dx) * channels + c];
                let to = ((k / 2 * high + y) * width + k % 2 * wide + x) * channels + c;
                all[to] = 0.25 * (at(0, 0) + at(0, 1) + at(1, 0) + at(1, 1));
            }
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quarters_hold_the_means_of_their_pictures() {
        let shape = Shape::Image { height: 5, width: 4, channels: 2 };
        let pictures: Vec<Vec<f64>> = (0..4).map(|k| (0..40).map(|i| f64::from(100 * k + i)).collect()).collect();
        let all = mosaic(&pictures, shape).unwrap();
        for k in 0..4usize {
            for (y, x, c) in [(0, 0, 0), (1, 1, 1), (0, 1, 1)] {
                let source = |dy: usize, dx: usize| (100 * k + ((2 * y + dy) * 4 + 2 * x + dx) * 2 + c) as f64;
                let mean = (source(0, 0) + source(0, 1) + source(1, 0) + source(1, 1)) / 4.0;
                assert_eq!(all[((k / 2 * 2 + y) * 4 + k % 2 * 2 + x) * 2 + c], mean);
            }
        }
        assert_eq!(all[32..], [0.0; 8], "the odd last row");
        assert!(mosaic(&pictures[..3], shape).is_err());
        assert!(mosaic(&pictures, Shape::Image { height: 5, width: 5, channels: 2 }).is_err());
        assert!(mosaic(&vec![vec![1.0; 3]; 4], Shape::Image { height: 1, width: 3, channels: 1 }).is_err());
    }

    #[test]
    fn the_row_asked_for_wanders_and_classes_differ() {
        let classes: Vec<usize> = (0..12).map(|i| i % 5).collect();
        for row in 0..12 {
            let four = chosen(&classes, row, Seed(9).at(row)).unwrap();
            assert_eq!(four[row % 4], row);
            let mut seen: Vec<usize> = four.iter().map(|&i| classes[i]).collect();
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen.len(), 4, "{four:?}");
        }
        assert!(chosen(&[0, 1, 2, 2], 0, Seed(1)).unwrap_err().to_string().contains("at least 4"));
    }
}
