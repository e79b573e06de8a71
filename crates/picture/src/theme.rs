//! Light, dark, or whichever the reader's screen asks for; and the colours, marks and dashes of classes.
//!
//! The eight class colours are those of M. Okabe and K. Ito (*Color universal design*, 2008), which people with any
//! common kind of colour blindness tell apart; their order puts the strongest first, and on a dark
//! ground black becomes white and blue and vermillion brighter (contrast 5, since regions may lie behind). A second sign always goes with the colour: one of eight shapes for points, one of six dashes for lines.
//! Class i has colour i mod 8 and sign (i mod 8 + ⌊i/8⌋) mod 8, or mod 6 for dashes, so that 64 classes of points and
//! 48 lines look different; beyond that they repeat. Lines and outlines use the same hues, moved in
//! lightness until their contrast with the ground is at least 3.

use crate::colour::Rgb;

/// What ground a picture is drawn for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Theme {
    /// Dark on white: paper and bright screens.
    #[default]
    Light,
    /// Bright on near-black.
    Dark,
    /// Light, and dark where the reader's system prefers that: one SVG for both, through CSS rules of its own.
    ///
    /// Maps (heat maps, matrices) keep their light form, since their text brings its own ground. Programs that know no
    /// media queries, [`crate::png`] among them, show the light form.
    Auto,
}

/// A colour by its part in the picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Paint {
    /// Behind everything.
    Ground,
    /// Text, axes.
    Ink,
    /// Secondary text, reference lines.
    Muted,
    /// Grid lines, frames.
    Grid,
    /// The area of a class.
    Class(usize),
    /// The line or outline of a class.
    Line(usize),
    /// A colour of a map.
    Fixed(Rgb),
}

/// Okabe and Ito's eight, strongest first; the last is black.
const CLASSES: [Rgb; 8] = [
    Rgb(0x00, 0x72, 0xB2),
    Rgb(0xD5, 0x5E, 0x00),
    Rgb(0x00, 0x9E, 0x73),
    Rgb(0xCC, 0x79, 0xA7),
    Rgb(0xE6, 0x9F, 0x00),
    Rgb(0x56, 0xB4, 0xE9),
    Rgb(0xF0, 0xE4, 0x42),
    Rgb(0x00, 0x00, 0x00),
];

/// Dashes of lines, in the unit of the line width.
const DASHES: [&[f64]; 6] =
    [&[], &[5.0, 2.5], &[1.5, 2.0], &[7.0, 2.5, 1.5, 2.5], &[10.0, 3.0], &[4.0, 2.0, 1.5, 2.0, 1.5, 2.0]];

impl Paint {
    /// The colour on a light or dark ground.
    pub fn colour(self, dark: bool) -> Rgb {
        let pick = |light: Rgb, night: Rgb| if dark { night } else { light };
        match self {
            Paint::Ground => pick(Rgb(255, 255, 255), Rgb(0x16, 0x18, 0x1C)),
            Paint::Ink => pick(Rgb(0x1E, 0x22, 0x28), Rgb(0xE8, 0xEA, 0xED)),
            Paint::Muted => pick(Rgb(0x5C, 0x63, 0x6E), Rgb(0xA4, 0xAB, 0xB6)),
            Paint::Grid => pick(Rgb(0xDD, 0xE0, 0xE5), Rgb(0x3A, 0x3F, 0x47)),
            Paint::Class(i) => match CLASSES[i % 8] {
                Rgb(0, 0, 0) => pick(Rgb(0x30, 0x30, 0x30), Rgb(0xF2, 0xF2, 0xF2)),
                other if dark => other.readable_on(Paint::Ground.colour(true), 5.0),
                other => other,
            },
            Paint::Line(i) => Paint::Class(i).colour(dark).readable_on(Paint::Ground.colour(dark), 3.0),
            Paint::Fixed(colour) => colour,
        }
    }

    /// A short name for CSS classes; colours of maps need none.
    pub fn code(self) -> Option<String> {
        Some(match self {
            Paint::Ground => "g".into(),
            Paint::Ink => "i".into(),
            Paint::Muted => "m".into(),
            Paint::Grid => "r".into(),
            Paint::Class(i) => format!("c{}", i % 8),
            Paint::Line(i) => format!("l{}", i % 8),
            Paint::Fixed(_) => return None,
        })
    }
}

/// Which of the eight shapes class i has.
pub(crate) fn shape_of(class: usize) -> usize {
    (class % 8 + class / 8) % 8
}

/// The dashes of line i, in the unit of its width; empty: solid.
pub(crate) fn dash_of(class: usize) -> &'static [f64] {
    DASHES[(class % 8 + class / 8) % 6]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn everything_stands_out_from_its_ground() {
        for dark in [false, true] {
            let ground = Paint::Ground.colour(dark);
            for text in [Paint::Ink, Paint::Muted] {
                assert!(text.colour(dark).contrast(ground) >= 4.5);
            }
            for class in 0..8 {
                assert!(Paint::Line(class).colour(dark).contrast(ground) >= 3.0, "{class}");
            }
            let lines: HashSet<String> = (0..8).map(|c| Paint::Line(c).colour(dark).hex()).collect();
            assert_eq!(lines.len(), 8);
        }
    }

    #[test]
    fn colour_and_sign_together_tell_classes_apart() {
        let points: HashSet<_> = (0..64).map(|c| (c % 8, shape_of(c))).collect();
        assert_eq!(points.len(), 64);
        let lines: HashSet<_> = (0..48).map(|c| (c % 8, (c % 8 + c / 8) % 6)).collect();
        assert_eq!(lines.len(), 48);
        assert_eq!((0..8).map(shape_of).collect::<HashSet<_>>().len(), 8);
    }
}
