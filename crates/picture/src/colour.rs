//! Colours that are even to the eye: OKLab, and the maps built in it.
//!
//! OKLab (B. Ottosson, *A perceptual color space for image processing*, 2020) is a linear map of cone responses after a
//! cube root; equal distances in it look about equally large. The sequential map climbs in lightness at a steady pace
//! from the ground's side to a deep blue; the diverging map is neutral at zero and climbs at the same pace to vermillion
//! (positive) and blue (negative), which all common kinds of colour blindness tell apart. Colours that a screen cannot
//! show are taken back towards grey at the same lightness and hue.

/// A colour of the screen, sRGB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    /// `#rrggbb`.
    pub(crate) fn hex(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }

    /// Relative luminance of the Web Content Accessibility Guidelines, 0 (black) to 1 (white).
    fn luminance(self) -> f64 {
        0.2126 * linear(self.0) + 0.7152 * linear(self.1) + 0.0722 * linear(self.2)
    }

    /// Contrast of two colours by the same guidelines, 1 to 21; text needs 4.5, lines and marks 3.
    pub fn contrast(self, other: Rgb) -> f64 {
        let (a, b) = (self.luminance(), other.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// Black or white, whichever is easier to read on this colour.
    pub(crate) fn ink_on(self) -> Rgb {
        let (black, white) = (Rgb(0, 0, 0), Rgb(255, 255, 255));
        if self.contrast(white) >= self.contrast(black) { white } else { black }
    }

    /// The same hue with lightness moved away from the ground until the contrast is reached.
    pub(crate) fn readable_on(self, ground: Rgb, contrast: f64) -> Rgb {
        let [mut l, a, b] = to_oklab(self);
        let step = if ground.luminance() > 0.5 { -0.01 } else { 0.01 };
        let mut colour = self;
        while colour.contrast(ground) < contrast && (0.0..=1.0).contains(&l) {
            l += step;
            colour = shown([l, a, b]);
        }
        colour
    }
}

/// The colour of t in 0 to 1 (clamped; NaN as 0) on the sequential map.
pub fn sequential(t: f64, dark: bool) -> Rgb {
    let t = unit(t);
    let (from, to) = if dark { (0.24, 0.88) } else { (0.97, 0.38) };
    // Chroma rises first and stays, so that equal steps of lightness are equal steps of colour.
    let chroma = 0.015 + 0.115 * (1.0 - (1.0 - t) * (1.0 - t));
    polar(from + (to - from) * t, chroma, 252.0)
}

/// The colour of t in −1 to 1 (clamped; NaN as 0) on the diverging map; 0 is neutral.
pub fn diverging(t: f64, dark: bool) -> Rgb {
    let size = unit(t.abs());
    let (from, to) = if dark { (0.24, 0.74) } else { (0.97, 0.50) };
    let hue = if t > 0.0 { 38.0 } else { 255.0 };
    polar(from + (to - from) * size, 0.17 * size, hue)
}

fn unit(t: f64) -> f64 {
    if t.is_nan() { 0.0 } else { t.clamp(0.0, 1.0) }
}

/// Lightness, chroma and hue in degrees to the nearest colour of the screen with that lightness and hue.
fn polar(l: f64, chroma: f64, hue: f64) -> Rgb {
    let (sin, cos) = hue.to_radians().sin_cos();
    shown([l, chroma * cos, chroma * sin])
}

/// An OKLab colour on the screen, with as much of its chroma as the screen can show.
fn shown([l, a, b]: [f64; 3]) -> Rgb {
    let possible = |share: f64| from_oklab([l, a * share, b * share]).iter().all(|c| (-1e-4..=1.0001).contains(c));
    let (mut low, mut high) = (0.0, 1.0);
    if possible(1.0) {
        low = 1.0;
    } else {
        for _ in 0..20 {
            let middle = (low + high) / 2.0;
            *(if possible(middle) { &mut low } else { &mut high }) = middle;
        }
    }
    let [r, g, b] = from_oklab([l, a * low, b * low]).map(encoded);
    Rgb(r, g, b)
}

/// An sRGB byte to linear light.
fn linear(byte: u8) -> f64 {
    let c = f64::from(byte) / 255.0;
    if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}

/// Linear light to an sRGB byte.
fn encoded(c: f64) -> u8 {
    let c = c.clamp(0.0, 1.0);
    let s = if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
    (s * 255.0).round() as u8
}

/// To lightness, green-red and blue-yellow.
fn to_oklab(Rgb(r, g, b): Rgb) -> [f64; 3] {
    let (r, g, b) = (linear(r), linear(g), linear(b));
    let l = (0.412_221_470_8 * r + 0.536_332_536_3 * g + 0.051_445_992_9 * b).cbrt();
    let m = (0.211_903_498_2 * r + 0.680_699_545_1 * g + 0.107_396_956_6 * b).cbrt();
    let s = (0.088_302_461_9 * r + 0.281_718_837_6 * g + 0.629_978_700_5 * b).cbrt();
    [
        0.210_454_255_3 * l + 0.793_617_785 * m - 0.004_072_046_8 * s,
        1.977_998_495_1 * l - 2.428_592_205 * m + 0.450_593_709_9 * s,
        0.025_904_037_1 * l + 0.782_771_766_2 * m - 0.808_675_766 * s,
    ]
}

/// To linear light, perhaps beyond 0 to 1.
fn from_oklab([l, a, b]: [f64; 3]) -> [f64; 3] {
    let x = (l + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
    let y = (l - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
    let z = (l - 0.089_484_177_5 * a - 1.291_485_548 * b).powi(3);
    [
        4.076_741_662_1 * x - 3.307_711_591_3 * y + 0.230_969_929_2 * z,
        -1.268_438_004_6 * x + 2.609_757_401_1 * y - 0.341_319_396_5 * z,
        -0.004_196_086_3 * x - 0.703_418_614_7 * y + 1.707_614_701 * z,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(p: Rgb, q: Rgb) -> f64 {
        let (p, q) = (to_oklab(p), to_oklab(q));
        (0..3).map(|i| (p[i] - q[i]).powi(2)).sum::<f64>().sqrt()
    }

    #[test]
    fn oklab_goes_there_and_back() {
        // Ottosson's own pair: white is (1, 0, 0); every colour of a coarse cube returns to itself.
        let [l, a, b] = to_oklab(Rgb(255, 255, 255));
        assert!((l - 1.0).abs() < 1e-6 && a.abs() < 1e-6 && b.abs() < 1e-6);
        for r in (0..=255u8).step_by(51) {
            for g in (0..=255u8).step_by(51) {
                for b in (0..=255u8).step_by(51) {
                    assert_eq!(shown(to_oklab(Rgb(r, g, b))), Rgb(r, g, b));
                }
            }
        }
    }

    #[test]
    fn maps_climb_at_a_steady_pace() {
        for dark in [false, true] {
            let check = |name: &str, colours: Vec<Rgb>| {
                let steps: Vec<f64> = colours.windows(2).map(|w| distance(w[0], w[1])).collect();
                let mean = steps.iter().sum::<f64>() / steps.len() as f64;
                assert!(steps.iter().all(|s| (s / mean - 1.0).abs() < 0.2), "{name} {dark}: {steps:?}");
                let lightness: Vec<f64> = colours.iter().map(|&c| to_oklab(c)[0]).collect();
                assert!(lightness.windows(2).all(|w| (w[0] > w[1]) != dark), "{name}: {lightness:?}");
            };
            check("sequential", (0..=16).map(|i| sequential(f64::from(i) / 16.0, dark)).collect());
            check("positive", (0..=16).map(|i| diverging(f64::from(i) / 16.0, dark)).collect());
            check("negative", (0..=16).map(|i| diverging(-f64::from(i) / 16.0, dark)).collect());
            // Values mirrored about zero are equally far from neutral.
            for t in [0.2, 0.5, 1.0] {
                let zero = diverging(0.0, dark);
                let (p, n) = (distance(diverging(t, dark), zero), distance(diverging(-t, dark), zero));
                assert!((p / n - 1.0).abs() < 0.1, "{t}: {p} {n}");
            }
            assert_eq!(diverging(f64::NAN, dark), diverging(0.0, dark));
        }
    }

    #[test]
    fn text_on_a_map_is_readable() {
        for i in -20..=20 {
            for dark in [false, true] {
                for c in [diverging(f64::from(i) / 20.0, dark), sequential(f64::from(i) / 20.0, dark)] {
                    assert!(c.contrast(c.ink_on()) >= 4.5);
                }
            }
        }
        assert!((Rgb(0, 0, 0).contrast(Rgb(255, 255, 255)) - 21.0).abs() < 1e-9);
    }
}
