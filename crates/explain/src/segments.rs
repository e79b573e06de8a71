//! Pictures cut into segments of like colour by quick shift.
//!
//! Each pixel is a point of five numbers: its place and ratio times its colour in CIE Lab. Its density is a sum of
//! Gaussians over a window of three kernel sizes to each side, its parent the nearest pixel of the window with a higher
//! density; parents farther away than `max_dist` are given up, and the trees that remain are the segments, numbered by
//! their roots from the top left.
//!
//! **Ties.** Of two pixels of the same density the one nearer the top left counts as denser, so that a plane of one colour
//! is one segment and nothing is drawn. scikit-image adds a noise of 10⁻⁵ instead; without ties and noise the two agree to
//! the last label (`golden/make_segments.py`).
//!
//! **Cost.** Two passes over (6 kernel sizes + 1)² pixels for each pixel; rows are spread over threads.
//! Source: A. Vedaldi, S. Soatto: *Quick shift and kernel methods for mode seeking*, ECCV 2008.

use base::{Error, Result, Run};

/// How a picture is cut.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QuickShift {
    /// Width of the Gaussian, in pixels.
    pub kernel_size: f64,
    /// How far a parent may be, in pixels and scaled colours.
    pub max_dist: f64,
    /// How much colour counts beside the place.
    pub ratio: f64,
}

impl Default for QuickShift {
    fn default() -> Self {
        QuickShift { kernel_size: 4.0, max_dist: 200.0, ratio: 0.2 }
    }
}

/// Which segment each pixel belongs to.
#[derive(Debug, Clone, PartialEq)]
pub struct Segments {
    /// The segment of each pixel, row after row.
    pub of: Vec<usize>,
    /// How many segments.
    pub count: usize,
}

/// A picture by its channels, ready to be compared.
struct Planes {
    height: usize,
    width: usize,
    /// Scaled colours, each channel by itself.
    channels: Vec<Vec<f64>>,
}

impl QuickShift {
    /// The segments of a picture whose numbers lie between 0 and 1: gray, red-green-blue, or any other channels, which
    /// then are taken as they are, 1 as far from 0 as white from black.
    pub fn cut(
        &self,
        image: &[f64],
        (height, width, channels): (usize, usize, usize),
        run: &Run<'_>,
    ) -> Result<Segments> {
        if height.checked_mul(width).and_then(|n| n.checked_mul(channels)) != Some(image.len()) || channels == 0 {
            return Err(Error::size("pixels of an image", format!("{height} x {width} x {channels}"), image.len()));
        }
        if !(self.kernel_size >= 1.0 && self.kernel_size <= 1e4) {
            return Err(Error::parameter("kernel_size", self.kernel_size, "must lie between 1 and 10000"));
        }
        let _hold = run.memory.take_for::<f64>(image.len().saturating_mul(3), "segments of an image")?;
        let planes = Planes { height, width, channels: self.colours(image, channels) };
        let (parents, distances) = self.forest(&planes, run)?;
        let far = |i: usize| distances[i].sqrt() > self.max_dist;
        let mut roots: Vec<usize> = (0..parents.len()).map(|i| if far(i) { i } else { parents[i] }).collect();
        // Parents are denser, so that there are no rings and every way up ends.
        for i in 0..roots.len() {
            let mut top = i;
            while roots[top] != top {
                top = roots[top];
            }
            let mut at = i;
            while roots[at] != top {
                at = std::mem::replace(&mut roots[at], top);
            }
        }
        let mut number = vec![usize::MAX; roots.len()];
        let mut count = 0;
        for (i, _) in roots.iter().enumerate().filter(|(i, root)| i == *root) {
            number[i] = count;
            count += 1;
        }
        Ok(Segments { of: roots.into_iter().map(|root| number[root]).collect(), count })
    }

    /// Scaled colours, channel by channel.
    fn colours(&self, image: &[f64], channels: usize) -> Vec<Vec<f64>> {
        let lab: Vec<[f64; 3]> = match channels {
            1 => image.iter().map(|&v| lab([v; 3])).collect(),
            3 => image.chunks_exact(3).map(|p| lab([p[0], p[1], p[2]])).collect(),
            _ => {
                let plane = |c: usize| image.iter().skip(c).step_by(channels).map(|v| 100.0 * v * self.ratio).collect();
                return (0..channels).map(plane).collect();
            }
        };
        (0..3).map(|c| lab.iter().map(|p| p[c] * self.ratio).collect()).collect()
    }

    /// The nearest denser pixel of the window for each pixel, itself if there is none, and its squared distance.
    fn forest(&self, planes: &Planes, run: &Run<'_>) -> Result<(Vec<usize>, Vec<f64>)> {
        let (height, width) = (planes.height, planes.width);
        let reach = (3.0 * self.kernel_size).ceil() as usize;
        let factor = -0.5 / (self.kernel_size * self.kernel_size);
        let mut densities = vec![0.0; height * width];
        numeric::each_chunk_mut(run, &mut densities, width, |y, sums| {
            let mut terms = vec![0.0; width];
            planes.window(y, reach, |offset, at| {
                let terms = &mut terms[at.clone()];
                planes.distances(y, offset, at.clone(), terms);
                terms.iter_mut().for_each(|d| *d *= factor);
                numeric::exp(terms);
                sums[at].iter_mut().zip(terms).for_each(|(s, t)| *s += *t);
            });
            Ok(())
        })?;
        let rows = numeric::each(run, height, |y| {
            let (mut parents, mut closest) =
                ((y * width..(y + 1) * width).collect::<Vec<_>>(), vec![f64::INFINITY; width]);
            let mut found = vec![0.0; width];
            planes.window(y, reach, |offset, at| {
                planes.distances(y, offset, at.clone(), &mut found[at.clone()]);
                for x in at {
                    let (own, other) = (y * width + x, planes.place(y, x, offset));
                    let denser =
                        densities[other] > densities[own] || (densities[other] == densities[own] && other < own);
                    if denser && found[x] < closest[x] {
                        (closest[x], parents[x]) = (found[x], other);
                    }
                }
            });
            // Roots have no parent, and are no way from themselves.
            closest.iter_mut().filter(|d| d.is_infinite()).for_each(|d| *d = 0.0);
            Ok((parents, closest))
        })?;
        let (parents, distances): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
        Ok((parents.concat(), distances.concat()))
    }
}

impl Planes {
    /// Each offset of a window with the columns of row `y` whose neighbour at that offset lies in the picture.
    fn window(&self, y: usize, reach: usize, mut each: impl FnMut((isize, isize), std::ops::Range<usize>)) {
        let (h, w) = (self.height, self.width);
        for other in y.saturating_sub(reach)..h.min(y + reach + 1) {
            for across in 0..=2 * reach {
                let dx = across as isize - reach as isize;
                let (from, to) = (reach.saturating_sub(across), w.saturating_sub(across.saturating_sub(reach)));
                if from < to {
                    each((other as isize - y as isize, dx), from..to);
                }
            }
        }
    }

    fn place(&self, y: usize, x: usize, (dy, dx): (isize, isize)) -> usize {
        y.wrapping_add_signed(dy) * self.width + x.wrapping_add_signed(dx)
    }

    /// Squared distances of pixels of a row from their neighbours at an offset.
    fn distances(&self, y: usize, offset: (isize, isize), at: std::ops::Range<usize>, out: &mut [f64]) {
        let (own, other) = (y * self.width + at.start, self.place(y, at.start, offset));
        out.fill(0.0);
        for plane in &self.channels {
            let (a, b) = (&plane[own..own + out.len()], &plane[other..other + out.len()]);
            out.iter_mut().zip(a).zip(b).for_each(|((o, a), b)| *o += (a - b) * (a - b));
        }
        let (dy, dx) = ((offset.0 * offset.0) as f64, (offset.1 * offset.1) as f64);
        out.iter_mut().for_each(|o| *o = *o + dy + dx);
    }
}

/// A colour of the screen (sRGB, 0 to 1) in CIE Lab under daylight (D65, 2 degrees).
fn lab(rgb: [f64; 3]) -> [f64; 3] {
    let [r, g, b] = rgb.map(|c| if c > 0.04045 { ((c + 0.055) / 1.055).powf(2.4) } else { c / 12.92 });
    let xyz = [
        (0.412_453 * r + 0.357_580 * g + 0.180_423 * b) / 0.950_47,
        0.212_671 * r + 0.715_160 * g + 0.072_169 * b,
        (0.019_334 * r + 0.119_193 * g + 0.950_227 * b) / 1.088_83,
    ];
    let [x, y, z] = xyz.map(|t| if t > 0.008_856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 });
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

/// A picture's numbers between 0 and 1: as they are, as bytes, else stretched from the least to the largest.
pub fn to_unit(values: &[f64]) -> Vec<f64> {
    let (low, high) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &v| (l.min(v), h.max(v)));
    let (from, range) = match low < 0.0 || high > 255.0 {
        true => (low, high - low),
        false => (0.0, if high > 1.0 { 255.0 } else { 1.0 }),
    };
    values.iter().map(|v| if range > 0.0 { (v - from) / range } else { 0.0 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Seed;

    /// The picture of `golden/make_segments.py`.
    fn picture(height: usize, width: usize, s: usize, gray: bool) -> Vec<f64> {
        let byte = |i: usize| {
            let (y, x, c) = (i / 3 / width, i / 3 % width, if gray { 0 } else { i % 3 });
            (37 * (y / s) + 101 * (x / s) * (c + 1) + (x * y + 3 * x) / 16 + y * y / 9 + 40 * c) % 256
        };
        (0..height * width * 3).map(|i| byte(i) as f64 / 255.0).collect()
    }

    fn sections(name: &str) -> Vec<(String, Vec<f64>)> {
        let path = format!("{}/../../golden/segments/{name}.txt", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).unwrap();
        let (maker, rest) = text.split_once('\n').unwrap();
        assert!(maker.starts_with("# scikit-image 0."), "{maker}");
        let mut all: Vec<(String, Vec<f64>)> = vec![];
        for line in rest.lines() {
            match line.strip_prefix("= ") {
                Some(title) => all.push((title.into(), vec![])),
                None => all.last_mut().unwrap().1.push(line.parse().unwrap()),
            }
        }
        all
    }

    /// The share of pairs of pixels that two cuts agree on: together in both or apart in both.
    fn agreement(a: &[usize], b: &[f64]) -> f64 {
        let pairs = (0..a.len()).step_by(7).flat_map(|i| (0..i).step_by(5).map(move |j| (i, j)));
        let same: Vec<bool> = pairs.map(|(i, j)| (a[i] == a[j]) == (b[i] == b[j])).collect();
        same.iter().filter(|s| **s).count() as f64 / same.len() as f64
    }

    #[test]
    fn segments_are_those_of_scikit_image() {
        let run = Run { threads: 2, ..Run::quiet(1) };
        for (name, (h, w, s, gray), (kernel_size, max_dist, ratio)) in [
            ("lime", (72, 64, 13, false), (4.0, 200.0, 0.2)),
            ("small", (23, 31, 5, false), (2.0, 6.0, 0.5)),
            ("cut", (27, 30, 8, false), (3.0, 20.0, 1.0)),
            ("gray", (40, 44, 9, true), (2.5, 60.0, 0.4)),
            ("fraction", (19, 26, 7, false), (1.4, 4.5, 0.8)),
        ] {
            let how = QuickShift { kernel_size, max_dist, ratio };
            let image = picture(h, w, s, gray);
            let found = how.cut(&image, (h, w, 3), &run).unwrap();
            let one: Vec<f64> = image.iter().step_by(3).copied().collect();
            assert_eq!(how.cut(&one, (h, w, 1), &run).unwrap() == found, gray, "gray is a colour");
            let ours: Vec<f64> = found.of.iter().map(|&s| s as f64).collect();
            for (title, theirs) in sections(name) {
                match title.as_str() {
                    "lab" => {
                        let first: Vec<f64> = image[..3 * w].chunks(3).flat_map(|p| lab([p[0], p[1], p[2]])).collect();
                        testkit::assert_close(&first, &theirs, 1e-9, name);
                    }
                    "labels" => assert!(ours == theirs, "{name}: without noise every label is the same"),
                    "distances" => {
                        let planes = Planes { height: h, width: w, channels: how.colours(&image, 3) };
                        let (_, squares) = how.forest(&planes, &run).unwrap();
                        let distances: Vec<f64> = squares.iter().map(|d| d.sqrt()).collect();
                        testkit::assert_close(&distances, &theirs, 1e-9, name);
                    }
                    // What their noise changes: pixels of nearly the same density.
                    _ => assert!(agreement(&found.of, &theirs) > 0.95, "{name}: {}", agreement(&found.of, &theirs)),
                }
            }
        }
    }

    /// The definition, pixel by pixel.
    fn by_definition(how: QuickShift, planes: &Planes) -> Vec<usize> {
        let (h, w) = (planes.height as isize, planes.width as isize);
        let reach = (3.0 * how.kernel_size).ceil() as isize;
        let place = |y: isize, x: isize| (y * w + x) as usize;
        let distance = |(y, x): (isize, isize), (v, u): (isize, isize)| {
            let colour: f64 = planes.channels.iter().map(|c| (c[place(y, x)] - c[place(v, u)]).powi(2)).sum();
            colour + ((y - v).pow(2) + (x - u).pow(2)) as f64
        };
        let all: Vec<(isize, isize)> = (0..h).flat_map(|y| (0..w).map(move |x| (y, x))).collect();
        let near = |p: (isize, isize)| {
            all.iter().copied().filter(move |q| (p.0 - q.0).abs() <= reach && (p.1 - q.1).abs() <= reach)
        };
        let density = |&p: &(isize, isize)| {
            near(p).map(|q| (-distance(p, q) / (2.0 * how.kernel_size.powi(2))).exp()).sum::<f64>()
        };
        let densities: Vec<f64> = all.iter().map(density).collect();
        let denser = |i: usize, j: usize| {
            densities[j] > densities[i] + 1e-12 || ((densities[j] - densities[i]).abs() <= 1e-12 && j < i)
        };
        let parent = |i: usize| {
            let above = near(all[i]).filter(|q| denser(i, place(q.0, q.1)));
            let nearest = above.min_by(|a, b| distance(all[i], *a).total_cmp(&distance(all[i], *b)));
            nearest.filter(|q| distance(all[i], *q).sqrt() <= how.max_dist).map_or(i, |q| place(q.0, q.1))
        };
        let parents: Vec<usize> = (0..all.len()).map(parent).collect();
        let root = |mut i: usize| {
            while parents[i] != i {
                i = parents[i];
            }
            i
        };
        let roots: Vec<usize> = (0..all.len()).map(root).collect();
        let mut distinct = roots.clone();
        distinct.sort_unstable();
        distinct.dedup();
        roots.iter().map(|r| distinct.binary_search(r).unwrap()).collect()
    }

    #[test]
    fn segments_by_definition() {
        for case in 0..6 {
            let (h, w, c) = [(9, 12, 3), (14, 7, 1), (11, 11, 2), (1, 20, 3), (16, 1, 1), (10, 13, 4)][case];
            // Few colours, so that there are ties and planes.
            let colour = |i: usize| (Seed(case as u64).at(i / c / 3).at(i % c).unit() * 4.0).floor() / 3.0;
            let image: Vec<f64> = (0..h * w * c).map(colour).collect();
            let how =
                QuickShift { kernel_size: 1.0 + case as f64 / 4.0, max_dist: 2.0 + 3.0 * case as f64, ratio: 0.3 };
            let found = how.cut(&image, (h, w, c), &Run::quiet(1)).unwrap();
            let planes = Planes { height: h, width: w, channels: how.colours(&image, c) };
            assert_eq!(found.of, by_definition(how, &planes), "{case}");
            assert_eq!(found.count, found.of.iter().max().unwrap() + 1);
            assert_eq!(found, how.cut(&image, (h, w, c), &Run { threads: 2, ..Run::quiet(9) }).unwrap(), "threads");
        }
    }

    #[test]
    fn a_plane_is_one_segment_and_nonsense_is_refused() {
        let run = Run::quiet(1);
        let how = QuickShift::default();
        let usual = |side| crate::Tuning::default().segments((side, 300)).kernel_size;
        assert_eq!([224, 100, 50, 28, 5].map(usual), [4.0, 4.0, 2.0, 28.0 / 25.0, 1.0]);
        assert_eq!(crate::Tuning { kernel_size: 3.0, ..crate::Tuning::default() }.segments((28, 28)).kernel_size, 3.0);
        let plane = how.cut(&[0.5; 60 * 50], (60, 50, 1), &run).unwrap();
        assert_eq!((plane.count, plane.of), (1, vec![0; 3000]));
        // Two planes beside each other, farther apart in colour than parents may be.
        let halves: Vec<f64> = (0..40 * 40).map(|i| if i % 40 < 20 { 0.0 } else { 1.0 }).collect();
        let cut = QuickShift { max_dist: 15.0, ..how }.cut(&halves, (40, 40, 1), &run).unwrap();
        assert_eq!(cut.count, 2);
        assert!((0..1600).all(|i| cut.of[i] == usize::from(i % 40 >= 20)));
        assert!(how.cut(&[0.0; 5], (2, 2, 1), &run).is_err());
        let wrong = QuickShift { kernel_size: 0.5, ..how };
        assert!(wrong.cut(&[0.0; 4], (2, 2, 1), &run).unwrap_err().to_string().contains("kernel_size"));
        assert_eq!(how.cut(&[], (0, 3, 1), &run).unwrap().count, 0);
    }

    #[test]
    fn numbers_of_pictures_are_brought_between_0_and_1() {
        assert_eq!(to_unit(&[0.0, 0.5, 1.0]), [0.0, 0.5, 1.0]);
        assert_eq!(to_unit(&[0.0, 51.0, 255.0]), [0.0, 0.2, 1.0]);
        assert_eq!(to_unit(&[-1.0, 0.0, 3.0]), [0.0, 0.25, 1.0]);
        assert_eq!(to_unit(&[300.0, 600.0]), [0.0, 1.0]);
        assert_eq!(to_unit(&[-2.0, -2.0]), [0.0, 0.0]);
        assert_eq!(to_unit(&[-2.0, -1.0]), [0.0, 1.0]);
    }
}
