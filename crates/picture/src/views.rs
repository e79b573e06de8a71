//! Ways to show what is relevant in a picture: values in, pixels out.
//!
//! e are the numbers of relevance, one for each number of the picture x (0 to 1).
//!
//! | view | pixels |
//! |---|---|
//! | heat | v = Σ over channels of e; v/max‖v‖ on the seismic map, white for 0 |
//! | gray | s = Σ over channels of ‖e‖; s/max s from black to white |
//! | scale | the picture times s/max s |
//! | mask | segments scored by their largest e; the best stay, the rest is black |
//! | blend | s blurred by a Gaussian and stretched to 0 … 1: (1 − s) x + s jet(s) |
//! | project | e/(2 max‖e‖) + ½, channel by channel: for methods that give a signal |
//!
//! With `root` the signed root of v, s or e is taken first, so that small numbers are seen. Where everything is 0 nothing is
//! divided: heat is white, gray, scale and mask (of no segments) black, blend the picture itself, project gray.
//!
//! Source: M. Alber: *Efficient learning machines*, TU Berlin 2019, appendix 2.4.

use crate::colour::Rgb;
use crate::maps::{jet, seismic};
use base::{Error, Result, choices};

choices! {
    /// A way to show relevance.
    pub enum View {
        /// Sums over channels, blue below and red above 0.
        Heat = "heat",
        /// Sizes, from black to white.
        Gray = "gray",
        /// The picture, as bright as it is relevant.
        Scale = "scale",
        /// The segments that matter most.
        Mask = "mask",
        /// Blurred sizes over the picture.
        Blend = "blend",
        /// Each channel brought between 0 and 1.
        Project = "project",
    }
}

impl View {
    /// All views.
    pub const ALL: [View; 6] = [View::Heat, View::Gray, View::Scale, View::Mask, View::Blend, View::Project];
}

/// A picture with its relevance; channels of a pixel side by side, row after row.
#[derive(Debug, Clone)]
pub struct Seen<'a> {
    /// The picture, 0 to 1.
    pub image: &'a [f64],
    /// Relevance, as many numbers.
    pub relevance: &'a [f64],
    /// Height, width, channels.
    pub size: (usize, usize, usize),
    /// The segment of each pixel, for masks.
    pub segments: &'a [usize],
    /// How many segments a mask keeps.
    pub best: usize,
    /// How far a blend is blurred, in pixels.
    pub sigma: f64,
    /// Whether roots are taken.
    pub root: bool,
}

impl Seen<'_> {
    /// The pixels of a view.
    pub fn pixels(&self, view: View) -> Result<Vec<Rgb>> {
        let (height, width, channels) = self.size;
        let count = crate::pixels::checked(width, height)?;
        if channels == 0 || self.image.len() != count * channels || self.relevance.len() != self.image.len() {
            let found = format!("{} and {}", self.image.len(), self.relevance.len());
            return Err(Error::size("values of an image and of its relevance", count * channels, found));
        }
        let colours = || self.image.chunks_exact(channels).map(colour);
        Ok(match view {
            View::Heat => {
                let sums = self.by_pixel(|e| e);
                let most = largest(&sums);
                sums.iter().map(|v| seismic(share(*v, most))).collect()
            }
            View::Gray => self.sizes().iter().map(|s| (255.0 * s) as u8).map(|b| Rgb(b, b, b)).collect(),
            View::Scale => self.sizes().iter().zip(colours()).map(|(s, x)| screen(x.map(|x| s * x))).collect(),
            View::Mask => {
                let kept = self.best_segments(count)?;
                let one = |(i, x): (usize, [f64; 3])| if kept[self.segments[i]] { screen(x) } else { Rgb(0, 0, 0) };
                colours().enumerate().map(one).collect()
            }
            View::Blend => {
                let mut s = blurred(&self.by_pixel(f64::abs), (height, width), self.sigma)?;
                let (low, high) = s.iter().fold((f64::INFINITY, 0.0f64), |(l, h), v| (l.min(*v), h.max(*v)));
                s.iter_mut().for_each(|v| *v = share(*v - low, high - low));
                let over = |(s, x): (&f64, [f64; 3])| {
                    let heat = jet(*s);
                    screen([0, 1, 2].map(|c| (1.0 - s) * x[c] + s * heat[c]))
                };
                s.iter().zip(colours()).map(over).collect()
            }
            View::Project => {
                let rooted: Vec<f64> = self.relevance.iter().map(|e| self.rooted(finite(*e))).collect();
                let most = largest(&rooted);
                let place = |e: &f64| 0.5 * share(*e, most) + 0.5;
                rooted
                    .chunks_exact(channels)
                    .map(|p| screen(colour(&p.iter().map(place).collect::<Vec<_>>())))
                    .collect()
            }
        })
    }

    /// A number for each pixel: the sum over channels of `of` relevance, rooted if asked.
    fn by_pixel(&self, of: impl Fn(f64) -> f64) -> Vec<f64> {
        let sum = |p: &[f64]| self.rooted(p.iter().map(|e| of(finite(*e))).sum());
        self.relevance.chunks_exact(self.size.2).map(sum).collect()
    }

    /// Sizes as shares of the largest.
    fn sizes(&self) -> Vec<f64> {
        let sums = self.by_pixel(f64::abs);
        let most = largest(&sums);
        sums.into_iter().map(|s| share(s, most)).collect()
    }

    fn rooted(&self, v: f64) -> f64 {
        if self.root { v.signum() * v.abs().sqrt() } else { v }
    }

    /// Which segments a mask keeps: those whose largest relevance is largest, of equal ones the first.
    fn best_segments(&self, count: usize) -> Result<Vec<bool>> {
        if self.segments.len() != count {
            return Err(Error::size("pixels with a segment", count, self.segments.len()));
        }
        let segments = self.segments.iter().max().map_or(0, |s| s.saturating_add(1));
        if segments > count {
            return Err(Error::size("number of a segment", format!("below {count}"), segments - 1));
        }
        let mut scores = vec![f64::NEG_INFINITY; segments];
        for (&s, p) in self.segments.iter().zip(self.relevance.chunks_exact(self.size.2)) {
            scores[s] = p.iter().fold(scores[s], |m, e| m.max(finite(*e)));
        }
        let mut order: Vec<usize> = (0..segments).collect();
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
        let mut kept = vec![false; segments];
        order.into_iter().take(self.best).for_each(|s| kept[s] = true);
        Ok(kept)
    }
}

fn finite(v: f64) -> f64 {
    if v.is_finite() { v } else { 0.0 }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |m: f64, v| m.max(v.abs()))
}

/// A part of a whole; 0 where the whole is nothing.
fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// The colour of a pixel: three channels as they are, of any other number the mean.
fn colour(pixel: &[f64]) -> [f64; 3] {
    match *pixel {
        [r, g, b] => [r, g, b],
        _ => [pixel.iter().sum::<f64>() / pixel.len().max(1) as f64; 3],
    }
}

/// Red, green and blue, 0 to 1, as bytes.
fn screen(rgb: [f64; 3]) -> Rgb {
    let [r, g, b] = rgb.map(|c| (255.0 * c).round_ties_even() as u8);
    Rgb(r, g, b)
}

/// A picture blurred by a Gaussian that reaches four sigma far; beyond the edge the edge goes on.
pub fn blurred(values: &[f64], (height, width): (usize, usize), sigma: f64) -> Result<Vec<f64>> {
    if !(0.0..=1e4).contains(&sigma) {
        return Err(Error::parameter("sigma", sigma, "must lie between 0 and 10000"));
    }
    if height.checked_mul(width) != Some(values.len()) {
        return Err(Error::size("pixels to blur", format!("{height} x {width}"), values.len()));
    }
    if sigma == 0.0 || values.is_empty() {
        return Ok(values.to_vec());
    }
    let reach = (4.0 * sigma + 0.5) as isize;
    let weights: Vec<f64> = (-reach..=reach).map(|k| (-0.5 * (k as f64 / sigma).powi(2)).exp()).collect();
    let total: f64 = weights.iter().sum();
    let along = |values: &[f64], (length, step): (usize, usize)| -> Vec<f64> {
        let one = |i: usize| {
            let at = i / step % length;
            let start = i - at * step;
            let place = |k: usize| (at as isize + k as isize - reach).clamp(0, length as isize - 1) as usize;
            weights.iter().enumerate().map(|(k, w)| w * values[start + place(k) * step]).sum::<f64>() / total
        };
        (0..values.len()).map(one).collect()
    };
    Ok(along(&along(values, (height, width)), (width, 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: (usize, usize, usize) = (9, 11, 3);

    /// Picture and relevance of `golden/make_views.py`.
    fn drawn() -> (Vec<f64>, Vec<f64>) {
        let at = |i: usize| (i / 33, i / 3 % 11, i % 3);
        let image = (0..297).map(at).map(|(y, x, c)| ((37 * y + 59 * x + 83 * c + x * y) % 256) as f64 / 255.0);
        let relevance =
            (0..297).map(at).map(|(y, x, c)| (((29 * y + 17 * x + 53 * c + 7 * x * y) % 101) as f64 - 40.0) / 50.0);
        (image.collect(), relevance.collect())
    }

    fn seen<'a>(image: &'a [f64], relevance: &'a [f64]) -> Seen<'a> {
        Seen { image, relevance, size: SIZE, segments: &[], best: 50, sigma: 3.0, root: false }
    }

    fn numbers(pixels: &[Rgb]) -> Vec<f64> {
        pixels.iter().flat_map(|p| [p.0, p.1, p.2]).map(f64::from).collect()
    }

    #[test]
    fn views_are_those_of_the_definition() {
        let (image, relevance) = drawn();
        let seen = seen(&image, &relevance);
        let rooted = Seen { root: true, ..seen.clone() };
        // A byte may be rounded the other way.
        for (seen, view, golden, tolerance) in [
            (&seen, View::Heat, include_str!("../../../golden/views/heat.txt"), 0.0),
            (&rooted, View::Heat, include_str!("../../../golden/views/heat_root.txt"), 0.0),
            (&seen, View::Gray, include_str!("../../../golden/views/gray.txt"), 0.0),
            (&seen, View::Scale, include_str!("../../../golden/views/scale.txt"), 1.0),
            (&seen, View::Blend, include_str!("../../../golden/views/blend.txt"), 1.0),
            (&seen, View::Project, include_str!("../../../golden/views/project.txt"), 1.0),
        ] {
            let ours = numbers(&seen.pixels(view).unwrap());
            let (_, theirs) = golden.split_once('\n').unwrap();
            let theirs: Vec<f64> = theirs.lines().map(|l| l.parse().unwrap()).collect();
            assert_eq!(ours.len(), theirs.len());
            for (i, (a, b)) in ours.iter().zip(&theirs).enumerate() {
                assert!((a - b).abs() <= tolerance, "{view:?} at {i}: {a} and {b}");
            }
            let equal = ours.iter().zip(&theirs).filter(|(a, b)| a == b).count();
            assert!(equal * 100 >= 98 * ours.len(), "{view:?}: {equal} of {} bytes are equal", ours.len());
        }
        let first: Vec<f64> = relevance.iter().step_by(3).copied().collect();
        testkit::check_golden(
            include_str!("../../../golden/views/blur.txt"),
            &blurred(&first, (9, 11), 3.0).unwrap(),
            1e-12,
        );
    }

    #[test]
    fn a_mask_keeps_the_best_segments() {
        let (image, mut relevance) = drawn();
        let segments: Vec<usize> = (0..99).map(|i| i / 11).collect();
        // Only one channel of one pixel lifts row 4; row 7 is next, and all else is below 0.
        relevance.iter_mut().for_each(|e| *e = -e.abs() - 0.01);
        relevance[(4 * 11 + 5) * 3 + 2] = 9.0;
        relevance[(7 * 11) * 3] = 1.0;
        for (best, rows) in [(0, vec![]), (1, vec![4]), (2, vec![4, 7]), (50, (0..9).collect())] {
            let seen = Seen { segments: &segments, best, ..seen(&image, &relevance) };
            let pixels = seen.pixels(View::Mask).unwrap();
            for (i, p) in pixels.iter().enumerate() {
                let own = screen([image[3 * i], image[3 * i + 1], image[3 * i + 2]]);
                assert_eq!(*p, if rows.contains(&(i / 11)) { own } else { Rgb(0, 0, 0) }, "{best} {i}");
            }
            let rooted = Seen { root: true, ..seen }.pixels(View::Mask).unwrap();
            assert_eq!(rooted, pixels, "a root changes no order");
        }
        let wrong = Seen { segments: &segments[1..], ..seen(&image, &relevance) };
        assert!(wrong.pixels(View::Mask).unwrap_err().to_string().contains("segment"));
        let far = vec![usize::MAX; 99];
        assert!(Seen { segments: &far, ..seen(&image, &relevance) }.pixels(View::Mask).is_err());
    }

    #[test]
    fn nothing_relevant_and_broken_numbers_are_shown() {
        let (image, _) = drawn();
        let segments = vec![0; 99];
        for nothing in [vec![0.0; 297], vec![f64::NAN; 297], vec![f64::INFINITY; 297]] {
            let seen = Seen { segments: &segments, ..seen(&image, &nothing) };
            let all = |view: View| seen.pixels(view).unwrap();
            let picture: Vec<Rgb> = image.chunks_exact(3).map(|p| screen([p[0], p[1], p[2]])).collect();
            assert!(all(View::Heat).iter().all(|p| *p == seismic(0.0)));
            assert!(all(View::Gray).iter().chain(&all(View::Scale)).all(|p| *p == Rgb(0, 0, 0)));
            assert!(all(View::Project).iter().all(|p| *p == Rgb(128, 128, 128)));
            assert_eq!((all(View::Blend), all(View::Mask)), (picture.clone(), picture));
        }
    }

    #[test]
    fn any_number_of_channels_and_wrong_sizes() {
        for channels in [1, 2, 4] {
            let image: Vec<f64> = (0..6 * channels).map(|i| i as f64 / (6 * channels) as f64).collect();
            let relevance: Vec<f64> = image.iter().map(|v| v - 0.5).collect();
            let seen = Seen { size: (2, 3, channels), segments: &[0; 6], ..seen(&image, &relevance) };
            for view in View::ALL {
                let pixels = seen.pixels(view).unwrap();
                assert_eq!(pixels.len(), 6);
                let gray = |p: &Rgb| p.0 == p.1 && p.1 == p.2;
                assert!(matches!(view, View::Heat | View::Blend) || pixels.iter().all(gray), "{view:?}");
                assert_eq!(View::from_word(view.word()), Some(view));
            }
            let wrong = Seen { size: (3, 3, channels), ..seen.clone() };
            assert!(wrong.pixels(View::Heat).is_err());
        }
        assert!(blurred(&[1.0], (1, 1), -1.0).is_err() && blurred(&[1.0], (2, 1), 1.0).is_err());
        assert_eq!(blurred(&[1.0, 5.0], (1, 2), 0.0).unwrap(), [1.0, 5.0]);
    }
}
