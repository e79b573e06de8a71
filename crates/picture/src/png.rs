//! SVG to PNG, with the embedded font and nothing of the system's.

use std::sync::Arc;

use base::{Error, Result};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{ImageHrefResolver, Options, Tree, fontdb};

/// The font all text is set in: DejaVu Sans, cut down to the characters listed in `font/make.py`.
const FONT: &[u8] = include_bytes!("../font/DejaVuSans-subset.ttf");
/// The largest number of pixels a PNG may have.
const MOST_PIXELS: f64 = 64e6;
/// The longest SVG text that is read, in bytes.
const LONGEST: usize = 256 << 20;

/// The picture as a PNG, `scale` pixels for each unit of the SVG (2 for sharp screens, 3 for print).
///
/// Reads no files and knows no system fonts: pictures inside the SVG must be `data:` addresses, and all text is set in
/// the embedded font. [`crate::Theme::Auto`] comes out light. At most 64 million pixels (256 MB while drawing).
pub fn png(svg: &str, scale: f32) -> Result<Vec<u8>> {
    if !(scale.is_finite() && scale > 0.0) {
        return Err(Error::parameter("scale", scale, "must be a finite number above 0"));
    }
    let tree = parse(svg)?;
    let size = tree.size();
    let side = |length: f32| (f64::from(length) * f64::from(scale)).round().max(1.0);
    let (width, height) = (side(size.width()), side(size.height()));
    if width * height > MOST_PIXELS {
        let must = format!("must give at most {MOST_PIXELS} pixels, not {width}×{height}");
        return Err(Error::parameter("scale", scale, must));
    }
    let mut map = Pixmap::new(width as u32, height as u32)
        .ok_or_else(|| Error::parameter("scale", scale, "must give at least one pixel"))?;
    let (x, y) = (width as f32 / size.width(), height as f32 / size.height());
    resvg::render(&tree, Transform::from_scale(x, y), &mut map.as_mut());
    map.encode_png().map_err(|e| Error::format("PNG", e.to_string()))
}

/// The SVG's tree, laid out with the embedded font.
fn parse(svg: &str) -> Result<Tree> {
    if svg.len() > LONGEST {
        return Err(Error::size("bytes of SVG", format!("at most {LONGEST}"), svg.len()));
    }
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(FONT.to_vec());
    fonts.set_sans_serif_family("DejaVu Sans");
    let options = Options {
        font_family: "DejaVu Sans".into(),
        fontdb: Arc::new(fonts),
        // The default would open files that the SVG names.
        image_href_resolver: ImageHrefResolver {
            resolve_data: ImageHrefResolver::default_data_resolver(),
            resolve_string: Box::new(|_, _| None),
        },
        ..Options::default()
    };
    Tree::from_str(svg, &options).map_err(|e| Error::format("SVG", e.to_string()))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use resvg::usvg::{Group, Node};

    /// Every text's content and box (left, top, right, bottom) in the page's unit, as the renderer lays it out.
    pub(crate) fn text_boxes(svg: &str) -> (Vec<(String, [f64; 4])>, [f64; 2]) {
        fn walk(group: &Group, out: &mut Vec<(String, [f64; 4])>) {
            for node in group.children() {
                match node {
                    Node::Group(g) => walk(g, out),
                    Node::Text(t) => {
                        let b = t.abs_bounding_box();
                        let content = t.chunks().iter().map(|c| c.text()).collect();
                        out.push((content, [b.left(), b.top(), b.right(), b.bottom()].map(f64::from)));
                    }
                    _ => {}
                }
            }
        }
        let tree = parse(svg).unwrap();
        let mut out = Vec::new();
        walk(tree.root(), &mut out);
        (out, [f64::from(tree.size().width()), f64::from(tree.size().height())])
    }

    /// Boxes of shapes and images that leave the page and are not cut off by a clip.
    pub(crate) fn outside(svg: &str) -> Vec<[f64; 4]> {
        fn walk(group: &Group, page: [f64; 2], out: &mut Vec<[f64; 4]>) {
            for node in group.children() {
                match node {
                    Node::Group(g) if g.clip_path().is_none() => walk(g, page, out),
                    Node::Path(_) | Node::Image(_) => {
                        let b = node.abs_stroke_bounding_box();
                        let b = [b.left(), b.top(), b.right(), b.bottom()].map(f64::from);
                        if b[0] < -0.5 || b[1] < -0.5 || b[2] > page[0] + 0.5 || b[3] > page[1] + 0.5 {
                            out.push(b);
                        }
                    }
                    _ => {}
                }
            }
        }
        let tree = parse(svg).unwrap();
        let mut out = Vec::new();
        walk(tree.root(), [f64::from(tree.size().width()), f64::from(tree.size().height())], &mut out);
        out
    }

    #[test]
    fn measures_as_the_renderer_does() {
        for text in ["Sepal length / cm", "−1.25×10⁻³⁰⁰ αβγ ≤ Ω", "WAVE AVATAR To Ty fi ffl", "Łódź, Žižkov, façade"]
        {
            let svg = format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"900\" height=\"50\"><text x=\"5\" y=\"30\" font-size=\"20\" font-family=\"{}\">{text}</text></svg>",
                crate::text::FAMILY
            );
            let (boxes, _) = text_boxes(&svg);
            let [left, top, right, bottom] = boxes[0].1;
            assert!((right - left - crate::text::width(text, 20.0)).abs() < 0.05, "{text}: {}", right - left);
            assert!((bottom - top - 20.0 * (crate::text::ASCENT + crate::text::DESCENT)).abs() < 0.05);
        }
    }

    #[test]
    fn refuses_bad_input_and_opens_no_files() {
        assert!(png("<svg", 1.0).is_err());
        let small = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"10\" height=\"10\"><image href=\"Cargo.toml\" width=\"9\" height=\"9\"/></svg>";
        assert!(png(small, 0.0).is_err() && png(small, f32::NAN).is_err() && png(small, 1e6).is_err());
        assert_eq!(&png(small, 1.0).unwrap()[1..4], b"PNG");
    }
}
