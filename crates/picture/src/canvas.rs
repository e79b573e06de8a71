//! The sheet a picture is drawn on: a few primitives that write SVG with fixed number formats.
//!
//! Coordinates have at most two decimals, colours are `#rrggbb` or, under [`Theme::Auto`], classes with rules for light
//! and dark. Every id and class begins with the picture's prefix, so that several pictures can share one HTML page.
//! Nothing refers outside the file and there are no scripts.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::rect::Rect;
use crate::text::{self, escape};
use crate::theme::{Paint, Theme};

/// An SVG document in the making.
#[derive(Debug)]
pub struct Canvas {
    theme: Theme,
    prefix: String,
    defs: String,
    body: String,
    /// Colours in use, as outline (true) or filling, for the rules of [`Theme::Auto`].
    used: BTreeSet<(bool, Paint)>,
    ids: usize,
}

/// How a shape is painted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style {
    pub fill: Option<Paint>,
    pub stroke: Option<Paint>,
    pub width: f64,
    /// In the unit of the width; empty: solid.
    pub dash: &'static [f64],
    pub opacity: f64,
}

impl Style {
    pub fn fill(paint: Paint) -> Self {
        Style { fill: Some(paint), stroke: None, width: 1.0, dash: &[], opacity: 1.0 }
    }

    pub fn stroke(paint: Paint, width: f64) -> Self {
        Style { fill: None, stroke: Some(paint), width, dash: &[], opacity: 1.0 }
    }
}

/// Which end of a text its position means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// Where and how a text stands; `y` is the base line, `turn` an angle in degrees about (x, y).
#[derive(Debug, Clone, Copy)]
pub(crate) struct At {
    pub x: f64,
    pub y: f64,
    pub size: f64,
    pub paint: Paint,
    pub anchor: Anchor,
    pub turn: f64,
}

impl Canvas {
    pub(crate) fn new(theme: Theme, prefix: &str) -> Self {
        let (defs, body) = (String::new(), String::new());
        Canvas { theme, prefix: prefix.into(), defs, body, used: BTreeSet::new(), ids: 0 }
    }

    /// Whether colours of maps should suit a dark ground.
    pub(crate) fn dark(&self) -> bool {
        self.theme == Theme::Dark
    }

    /// An id that nothing else in the page has.
    fn id(&mut self) -> String {
        self.ids += 1;
        format!("{}-{}", self.prefix, self.ids)
    }

    fn attributes(&mut self, style: &Style) -> String {
        let mut out = String::new();
        let mut classes = Vec::new();
        for (outline, paint) in [(false, style.fill), (true, style.stroke)] {
            let name = if outline { "stroke" } else { "fill" };
            match paint {
                Some(paint) => match paint.code().filter(|_| self.theme == Theme::Auto) {
                    Some(code) => {
                        self.used.insert((outline, paint));
                        classes.push(format!("{}-{}{code}", self.prefix, if outline { 's' } else { 'f' }));
                    }
                    None => out.push_str(&format!(" {name}=\"{}\"", paint.colour(self.dark()).hex())),
                },
                None if !outline => out.push_str(" fill=\"none\""),
                None => {}
            }
        }
        if !classes.is_empty() {
            out.push_str(&format!(" class=\"{}\"", classes.join(" ")));
        }
        if style.stroke.is_some() {
            out.push_str(&format!(" stroke-width=\"{}\"", px(style.width)));
            if !style.dash.is_empty() {
                let dash: Vec<String> = style.dash.iter().map(|d| px(d * style.width)).collect();
                out.push_str(&format!(" stroke-dasharray=\"{}\"", dash.join(" ")));
            }
        }
        if style.opacity < 1.0 {
            out.push_str(&format!(" opacity=\"{}\"", px(style.opacity)));
        }
        out
    }

    fn write(&mut self, arguments: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.body.write_fmt(arguments);
        self.body.push('\n');
    }

    pub(crate) fn rect(&mut self, r: &Rect, style: &Style, tip: Option<&str>) {
        let a = self.attributes(style);
        let (x, y, w, h) = (px(r.x), px(r.y), px(r.w), px(r.h));
        match tip {
            Some(tip) => {
                let tip = escape(tip);
                self.write(format_args!(
                    "<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"{a}><title>{tip}</title></rect>"
                ));
            }
            None => self.write(format_args!("<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"{a}/>")),
        }
    }

    pub(crate) fn line(&mut self, from: (f64, f64), to: (f64, f64), style: &Style) {
        let d = format!("M{} {}L{} {}", px(from.0), px(from.1), px(to.0), px(to.1));
        self.path(&d, style);
    }

    /// A path by its SVG commands; joints are round, since sharp ones would stick out of the plot.
    pub(crate) fn path(&mut self, d: &str, style: &Style) {
        let a = self.attributes(style);
        self.write(format_args!("<path d=\"{d}\"{a} stroke-linejoin=\"round\"/>"));
    }

    /// A shape about the origin that [`Canvas::stamp`] sets down many times; returns its id.
    pub(crate) fn define(&mut self, d: &str, style: &Style) -> String {
        let a = self.attributes(style);
        let id = self.id();
        let _ = writeln!(self.defs, "<path id=\"{id}\" d=\"{d}\"{a}/>");
        id
    }

    pub(crate) fn stamp(&mut self, id: &str, x: f64, y: f64) {
        let (x, y) = (px(x), px(y));
        self.write(format_args!("<use href=\"#{id}\" x=\"{x}\" y=\"{y}\"/>"));
    }

    /// What is drawn until [`Canvas::end`] is seen only within the rectangle.
    pub(crate) fn begin_clip(&mut self, r: &Rect) {
        let id = self.id();
        let (x, y, w, h) = (px(r.x), px(r.y), px(r.w), px(r.h));
        let _ = writeln!(
            self.defs,
            "<clipPath id=\"{id}\"><rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"/></clipPath>"
        );
        self.write(format_args!("<g clip-path=\"url(#{id})\">"));
    }

    pub(crate) fn end(&mut self) {
        self.write(format_args!("</g>"));
    }

    /// A text as it is.
    pub(crate) fn text(&mut self, at: &At, content: &str) {
        self.text_with(at, content, None);
    }

    /// A text cut to the room it has; the whole text is then shown when the pointer rests on it.
    pub(crate) fn text_in(&mut self, at: &At, content: &str, room: f64) {
        let content = text::clean(content);
        if let Some(cut) = text::fit(&content, at.size, room) {
            let tip = (cut != content).then_some(content.as_str());
            self.text_with(at, &cut, tip);
        }
    }

    pub(crate) fn text_with(&mut self, at: &At, content: &str, tip: Option<&str>) {
        let mut a = self.attributes(&Style::fill(at.paint));
        match at.anchor {
            Anchor::Start => {}
            Anchor::Middle => a.push_str(" text-anchor=\"middle\""),
            Anchor::End => a.push_str(" text-anchor=\"end\""),
        }
        let (x, y, size) = (px(at.x), px(at.y), px(at.size));
        if at.turn != 0.0 {
            a.push_str(&format!(" transform=\"rotate({} {x} {y})\"", px(at.turn)));
        }
        let tip = tip.map_or(String::new(), |t| format!("<title>{}</title>", escape(t)));
        self.write(format_args!("<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\"{a}>{tip}{}</text>", escape(content)));
    }

    /// Pixels stretched over a rectangle, each with sharp edges.
    pub(crate) fn image(&mut self, r: &Rect, uri: &str, tip: &str) {
        let (x, y, w, h) = (px(r.x), px(r.y), px(r.w), px(r.h));
        let tip = if tip.is_empty() { String::new() } else { format!("<title>{}</title>", escape(tip)) };
        self.write(format_args!(
            "<image x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" href=\"{uri}\">{tip}</image>"
        ));
    }

    /// The whole document.
    pub(crate) fn finish(mut self, width: f64, height: f64, title: &str, description: &str) -> String {
        let ground = Style::fill(Paint::Ground);
        let ground = self.attributes(&ground);
        let (p, w, h) = (&self.prefix, px(width), px(height));
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" role=\"img\" \
             aria-labelledby=\"{p}-title {p}-desc\" font-family=\"{}\">\n",
            text::FAMILY
        );
        let title = if title.trim().is_empty() { "Picture" } else { title };
        let _ = writeln!(out, "<title id=\"{p}-title\">{}</title>", escape(title));
        let _ = writeln!(out, "<desc id=\"{p}-desc\">{}</desc>", escape(description));
        if !self.used.is_empty() {
            let rules = |dark: bool| -> String {
                let rule = |&(outline, paint): &(bool, Paint)| {
                    let (letter, name) = if outline { ('s', "stroke") } else { ('f', "fill") };
                    let code = paint.code().unwrap_or_default();
                    format!(".{p}-{letter}{code}{{{name}:{}}}", paint.colour(dark).hex())
                };
                let mut all: Vec<String> = self.used.iter().map(rule).collect();
                all.dedup();
                all.concat()
            };
            let _ =
                writeln!(out, "<style>{}@media (prefers-color-scheme:dark){{{}}}</style>", rules(false), rules(true));
        }
        if !self.defs.is_empty() {
            let _ = writeln!(out, "<defs>\n{}</defs>", self.defs);
        }
        let _ = writeln!(out, "<rect width=\"{w}\" height=\"{h}\"{ground}/>");
        out.push_str(&self.body);
        out.push_str("</svg>\n");
        out
    }
}

/// A coordinate with at most two decimals; numbers beyond any page are brought back to its neighbourhood.
pub(crate) fn px(value: f64) -> String {
    let value = if value.is_nan() { 0.0 } else { value.clamp(-1e6, 1e6) };
    let hundredths = (value * 100.0).round() as i64;
    let sign = if hundredths < 0 { "-" } else { "" };
    let (whole, rest) = (hundredths.unsigned_abs() / 100, hundredths.unsigned_abs() % 100);
    match (rest, rest % 10) {
        (0, _) => format!("{sign}{whole}"),
        (_, 0) => format!("{sign}{whole}.{}", rest / 10),
        _ => format!("{sign}{whole}.{rest:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_short() {
        let all = [0.0, -0.001, 1.5, -2.25, 1.005, 100.0, 0.07, f64::NAN, f64::INFINITY, -1e300];
        let texts: Vec<String> = all.iter().map(|&v| px(v)).collect();
        assert_eq!(texts, ["0", "0", "1.5", "-2.25", "1", "100", "0.07", "0", "1000000", "-1000000"]);
    }
}
