//! The colour maps of the literature on heat maps, for pictures that are to look like its own: seismic (dark blue, white,
//! dark red) and jet (blue, green, red), each of 256 colours between a few corners. New pictures use the maps of `colour`,
//! which are even to the eye.

use crate::colour::Rgb;

/// A channel by its corners: place and value, both 0 to 1.
type Channel = &'static [(f64, f64)];

const SEISMIC: [Channel; 3] = [
    &[(0.0, 0.0), (0.25, 0.0), (0.5, 1.0), (0.75, 1.0), (1.0, 0.5)],
    &[(0.0, 0.0), (0.25, 0.0), (0.5, 1.0), (0.75, 0.0), (1.0, 0.0)],
    &[(0.0, 0.3), (0.25, 1.0), (0.5, 1.0), (0.75, 0.0), (1.0, 0.0)],
];
const JET: [Channel; 3] = [
    &[(0.0, 0.0), (0.35, 0.0), (0.66, 1.0), (0.89, 1.0), (1.0, 0.5)],
    &[(0.0, 0.0), (0.125, 0.0), (0.375, 1.0), (0.64, 1.0), (0.91, 0.0), (1.0, 0.0)],
    &[(0.0, 0.5), (0.11, 1.0), (0.34, 1.0), (0.65, 0.0), (1.0, 0.0)],
];

/// The colour of a share from −1 to 1 on the seismic map; what is not a number is 0.
pub fn seismic(share: f64) -> Rgb {
    let share = if share.is_nan() { 0.0 } else { share.clamp(-1.0, 1.0) };
    let [r, g, b] = colour(&SEISMIC, (share * 127.5 + 127.5) as usize).map(|c| (255.0 * c) as u8);
    Rgb(r, g, b)
}

/// Red, green and blue, 0 to 1, of a share from 0 to 1 on the jet map.
pub(crate) fn jet(share: f64) -> [f64; 3] {
    // What is not a number becomes 0 on the way.
    colour(&JET, (share.clamp(0.0, 1.0) * 256.0) as usize)
}

/// Colour number `index` of 256.
fn colour(map: &[Channel; 3], index: usize) -> [f64; 3] {
    // In steps of the index, by way of shares: bytes round as matplotlib's do.
    let t = 255.0 * (index.min(255) as f64 * (1.0 / 255.0));
    map.map(|corners| {
        let pair = corners.windows(2).find(|w| t <= 255.0 * w[1].0).unwrap_or(&corners[corners.len() - 2..]);
        let ((from, low), (to, high)) = (pair[0], pair[1]);
        let (from, to) = (255.0 * from, 255.0 * to);
        (t - from) / (to - from) * (high - low) + low
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_those_of_matplotlib() {
        let all = |map: &[Channel; 3]| -> Vec<f64> {
            (0..256).flat_map(|i| colour(map, i)).map(|c| f64::from((255.0 * c) as u8)).collect()
        };
        testkit::check_golden(include_str!("../../../golden/views/seismic.txt"), &all(&SEISMIC), 0.0);
        testkit::check_golden(include_str!("../../../golden/views/jet.txt"), &all(&JET), 0.0);
        assert_eq!((seismic(-1.0), seismic(1.0), seismic(f64::NAN)), (Rgb(0, 0, 76), Rgb(127, 0, 0), seismic(0.0)));
        assert_eq!(jet(1.0), colour(&JET, 255));
        assert_eq!(jet(f64::NAN), colour(&JET, 0));
    }
}
