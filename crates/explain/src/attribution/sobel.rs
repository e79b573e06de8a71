//! The edges of a picture, which know nothing of any machine: √(gx² + gy²) of Sobel's two filters, channel by channel.
//!
//! Beyond the border the nearest pixel counts.

use super::relevance_of;
use crate::entry::{Explain, MethodEntry, MethodNeeds};
use base::{Error, Points, Relevance, Result, Shape};

pub(crate) static SOBEL: MethodEntry = MethodEntry {
    if_not: "",
    degree: |_| 0,
    ..MethodEntry::new(
        "sobel",
        "edges of the image; ignores the machine",
        MethodNeeds::Picture,
        Explain::Rows(|rows, _, _| sobel(rows.points, rows.subject.shape())),
    )
};

/// The strength of edges at each pixel of each row.
pub fn sobel(points: &Points, shape: Option<Shape>) -> Result<Relevance> {
    let Some(Shape::Image { height, width, channels }) = shape else {
        let instead = "edges are for images: the model must take pixels of a known size";
        return Err(Error::unsupported("sobel", "this machine", instead));
    };
    let d = points.columns();
    if shape.and_then(|s| s.count()) != Some(d) {
        return Err(Error::size("pixels of an image", format!("{height} x {width} x {channels}"), d));
    }
    let mut all = vec![0.0; points.len() * d];
    let mut x = vec![0.0; d];
    for (i, out) in all.chunks_exact_mut(d.max(1)).enumerate() {
        points.write_row(i, &mut x);
        for row in 0..height {
            for column in 0..width {
                for channel in 0..channels {
                    let at = |dy: usize, dx: usize| {
                        // Offsets are 0, 1, 2 for before, here, after.
                        let y = (row + dy).saturating_sub(1).min(height - 1);
                        let z = (column + dx).saturating_sub(1).min(width - 1);
                        x[(y * width + z) * channels + channel]
                    };
                    let across = at(0, 2) + 2.0 * at(1, 2) + at(2, 2) - at(0, 0) - 2.0 * at(1, 0) - at(2, 0);
                    let down = at(2, 0) + 2.0 * at(2, 1) + at(2, 2) - at(0, 0) - 2.0 * at(0, 1) - at(0, 2);
                    out[(row * width + column) * channels + channel] = across.hypot(down);
                }
            }
        }
    }
    relevance_of(all, (points.len(), d), None, "sobel")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_an_edge_and_a_plain_is_none() {
        let shape = Some(Shape::Image { height: 4, width: 6, channels: 1 });
        let step: Vec<f64> = (0..24).map(|i| if i % 6 < 3 { 0.0 } else { 2.0 }).collect();
        let points = Points::dense([step, vec![5.0; 24]].concat(), 2, 24).unwrap();
        let found = sobel(&points, shape).unwrap().values;
        let Points::Dense(dense) = &found else { panic!() };
        let line: Vec<f64> = dense.row(0)[6..12].to_vec();
        assert_eq!(line, [0.0, 0.0, 8.0, 8.0, 0.0, 0.0]);
        assert!(dense.row(1).iter().all(|&e| e == 0.0));
        assert!(sobel(&points, None).is_err());
        assert!(sobel(&points, Some(Shape::Image { height: 4, width: 5, channels: 1 })).is_err());
    }
}
