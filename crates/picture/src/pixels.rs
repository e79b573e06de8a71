//! Pixels as a PNG inside the SVG (a `data:` address), and the base64 code for it (RFC 4648).

use base::{Error, Result};
use resvg::tiny_skia::{ColorU8, Pixmap};

use crate::colour::Rgb;

/// The largest number of pixels one image may have.
const MOST: usize = 1 << 24;

/// A grid of colours with opacity (0 to 255), row after row, as a `data:` address.
pub(crate) fn uri(columns: usize, rows: usize, colour: impl Fn(usize) -> (Rgb, u8)) -> Result<String> {
    let size = checked(columns, rows)?;
    let too_large = || Error::parameter("image", format!("{columns}×{rows}"), "must have at least one pixel");
    let sides = (u32::try_from(columns).map_err(|_| too_large())?, u32::try_from(rows).map_err(|_| too_large())?);
    let mut map = Pixmap::new(sides.0, sides.1).ok_or_else(too_large)?;
    for (i, pixel) in map.pixels_mut().iter_mut().enumerate().take(size) {
        let (Rgb(r, g, b), opacity) = colour(i);
        *pixel = ColorU8::from_rgba(r, g, b, opacity).premultiply();
    }
    let bytes = map.encode_png().map_err(|e| Error::format("image", e.to_string()))?;
    Ok(format!("data:image/png;base64,{}", base64(&bytes)))
}

/// The number of pixels, if it is one we draw.
pub(crate) fn checked(columns: usize, rows: usize) -> Result<usize> {
    columns.checked_mul(rows).filter(|&n| n <= MOST).ok_or_else(|| {
        Error::parameter("image", format!("{columns}×{rows}"), format!("must have at most {MOST} pixels"))
    })
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = (0..3).fold(0u32, |word, i| word << 8 | u32::from(chunk.get(i).copied().unwrap_or(0)));
        for i in 0..4 {
            let letter = LETTERS[(word >> (18 - 6 * i) & 63) as usize];
            out.push(if i <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_the_standard() {
        // The examples of RFC 4648, section 10.
        let texts = ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map(|t| base64(t.as_bytes()));
        assert_eq!(texts, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]);
    }

    #[test]
    fn refuses_what_is_too_large_or_empty() {
        assert!(uri(0, 3, |_| (Rgb(0, 0, 0), 255)).is_err());
        assert!(uri(usize::MAX, 2, |_| (Rgb(0, 0, 0), 255)).is_err());
        assert!(uri(5000, 5000, |_| (Rgb(0, 0, 0), 255)).is_err());
    }
}
