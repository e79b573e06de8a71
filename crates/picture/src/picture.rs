//! What every picture can do: check itself, say in a sentence what it shows, and draw itself into a rectangle.

use std::fmt::Debug;

use base::{Error, Result};

use crate::canvas::Canvas;
use crate::rect::Rect;
use crate::theme::Theme;

/// Width and height in pixels of the screen (96 to the inch).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PictureSize {
    /// The width, 160 to 20 000. Letters are 11 pixels high at 400 and grow to 16 at 1200.
    pub width: f64,
    /// The height, 120 to 20 000; 0: what suits the picture at this width.
    pub height: f64,
}

impl Default for PictureSize {
    fn default() -> Self {
        PictureSize { width: 640.0, height: 0.0 }
    }
}

/// How a picture is to look.
#[derive(Debug, Clone, PartialEq)]
pub struct Look {
    /// How large.
    pub size: PictureSize,
    /// On what ground.
    pub theme: Theme,
    /// What ids and classes begin with: a letter, then letters, digits, `-` or `_`; different for each picture of a page.
    pub prefix: String,
}

impl Default for Look {
    fn default() -> Self {
        Look { size: PictureSize::default(), theme: Theme::Light, prefix: "p".into() }
    }
}

/// Something that can be drawn. The kinds of this crate implement it; [`crate::Panels`] puts several into one.
pub trait Picture: Debug {
    /// What stands above the picture; may be empty.
    fn title(&self) -> &str;

    /// One sentence that says what is shown, for those who cannot see it.
    fn describe(&self) -> String;

    /// The height that suits the picture at a width.
    fn height(&self, width: f64) -> f64 {
        (width * 0.68).clamp(220.0, 900.0)
    }

    /// Whether the parts fit together (lengths, ranges).
    fn check(&self) -> Result<()>;

    /// Draws into a rectangle; the parts have been checked.
    #[doc(hidden)]
    fn draw(&self, canvas: &mut Canvas, area: Rect) -> Result<()>;

    /// The picture as one SVG document: the same bytes for the same input, text escaped, nothing outside referred to.
    fn to_svg(&self, look: &Look) -> Result<String> {
        let prefix = &look.prefix;
        let letters = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
        if !prefix.as_bytes().first().is_some_and(u8::is_ascii_alphabetic) || !prefix.bytes().all(letters) {
            return Err(Error::parameter(
                "prefix",
                format!("{prefix:?}"),
                "must be a letter, then letters, digits, - or _",
            ));
        }
        self.check()?;
        let side = |name: &str, length: f64, least: f64| match (least..=20_000.0).contains(&length) {
            true => Ok(length),
            false => Err(Error::parameter(name, length, format!("must lie between {least} and 20000 pixels"))),
        };
        let width = side("width", look.size.width, 160.0)?;
        let height = if look.size.height == 0.0 { self.height(width).min(20_000.0) } else { look.size.height };
        let height = side("height", height.round(), 120.0)?;
        let mut canvas = Canvas::new(look.theme, prefix);
        self.draw(&mut canvas, Rect::new(0.0, 0.0, width, height))?;
        Ok(canvas.finish(width, height, self.title(), &self.describe()))
    }
}

/// The height of letters in a picture so wide: 11 at 400 pixels and below, 16 at 1200 and above.
pub(crate) fn letters(width: f64) -> f64 {
    (11.0 + (width - 400.0) / 160.0).clamp(11.0, 16.0)
}
