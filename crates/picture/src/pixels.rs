//! Pixels as a PNG inside the SVG (a `data:` address), and the base64 code for it (RFC 4648).

use base::{Error, Result};
use resvg::tiny_skia::{ColorU8, Pixmap};

use crate::colour::Rgb;

/// The largest number of pixels one image may have.
const MOST: usize = 1 << 24;

/// A grid of colours with opacity (0 to 255), row after row, as a `data:` address.
pub(crate) fn uri(columns: usize, rows: usize, colour: impl Fn(usize) -> (Rgb, u8)) -> Result<String> {
    Ok(format!("data:image/png;base64,{}", base64(&encoded(columns, rows, colour)?)))
}

/// Colours, row after row, as the bytes of a PNG file.
pub fn pixels_png(columns: usize, pixels: &[Rgb]) -> Result<Vec<u8>> {
    whole_rows(columns, pixels)?;
    encoded(columns, pixels.len() / columns, |i| (pixels[i], 255))
}

/// The same as a `data:` address.
pub fn pixels_uri(columns: usize, pixels: &[Rgb]) -> Result<String> {
    whole_rows(columns, pixels)?;
    uri(columns, pixels.len() / columns, |i| (pixels[i], 255))
}

fn whole_rows(columns: usize, pixels: &[Rgb]) -> Result<()> {
    match columns > 0 && pixels.len().is_multiple_of(columns) {
        true => Ok(()),
        false => Err(Error::size("pixels", format!("whole rows of {columns}"), pixels.len())),
    }
}

/// A grid of colours with opacity as the bytes of a PNG file.
fn encoded(columns: usize, rows: usize, colour: impl Fn(usize) -> (Rgb, u8)) -> Result<Vec<u8>> {
    let size = checked(columns, rows)?;
    let too_large = || Error::parameter("image", format!("{columns}×{rows}"), "must have at least one pixel");
    let sides = (u32::try_from(columns).map_err(|_| too_large())?, u32::try_from(rows).map_err(|_| too_large())?);
    let mut map = Pixmap::new(sides.0, sides.1).ok_or_else(too_large)?;
    for (i, pixel) in map.pixels_mut().iter_mut().enumerate().take(size) {
        let (Rgb(r, g, b), opacity) = colour(i);
        *pixel = ColorU8::from_rgba(r, g, b, opacity).premultiply();
    }
    map.encode_png().map_err(|e| Error::format("image", e.to_string()))
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
        let three = [Rgb(1, 2, 3); 3];
        assert!(pixels_png(2, &three).is_err() && pixels_png(0, &three).is_err());
        assert_eq!(&pixels_png(3, &three).unwrap()[1..4], b"PNG");
        assert!(pixels_uri(1, &three).unwrap().starts_with("data:image/png;base64,"));
    }
}
