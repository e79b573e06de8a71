//! Sections of text, tables and pictures as one HTML file.

use base::Result;
use picture::{Look, Picture, PictureSize, Theme};

/// Width at which pictures are drawn: one fits a telephone, three fit a desk.
const WIDTH: f64 = 372.0;

/// A report.
#[derive(Debug, Default)]
pub struct Page {
    /// What it is about.
    pub title: String,
    /// A sentence or two below the title.
    pub summary: String,
    /// Its parts.
    pub sections: Vec<Section>,
}

/// A part of a report.
#[derive(Debug, Default)]
pub struct Section {
    /// What it is about.
    pub title: String,
    /// What it shows.
    pub blocks: Vec<Block>,
}

/// Something to show.
#[derive(Debug)]
pub enum Block {
    /// A paragraph.
    Text(String),
    /// Names and values.
    Facts(Vec<(String, String)>),
    /// A table with a line of names; numbers may be right-aligned by the browser's own rules.
    Table {
        /// The columns' names.
        head: Vec<String>,
        /// The cells, row by row.
        rows: Vec<Vec<String>>,
    },
    /// Lines to be typed.
    Code(String),
    /// Pieces of a text, each as strongly coloured as its number says: vermillion above 0, blue below.
    Words(Vec<(String, f64)>),
    /// Pictures side by side.
    Pictures(Vec<Box<dyn Picture>>),
}

const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#57606a;--line:#d0d7de;--ground:#fff;--shade:#f6f8fa}\
@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9da7b1;--line:#30363d;--ground:#0d1117;--shade:#161b22}}\
*{box-sizing:border-box}\
body{margin:0 auto;max-width:1200px;padding:12px;background:var(--ground);color:var(--ink);\
font:16px/1.5 system-ui,'DejaVu Sans',sans-serif;overflow-wrap:anywhere}\
h1{font-size:1.6em;line-height:1.2;margin:.4em 0}h2{font-size:1.2em;margin:1.6em 0 .4em;border-bottom:1px solid var(--line)}\
p{max-width:75ch}.soft{color:var(--soft)}\
.wide{overflow-x:auto;overflow-wrap:normal;margin:.6em 0}table{border-collapse:collapse;font-size:.9em}\
th,td{text-align:left;padding:2px 12px 2px 0;border-bottom:1px solid var(--line);vertical-align:top}\
pre{background:var(--shade);padding:8px;overflow-x:auto;font-size:.9em;white-space:pre-wrap}\
.pictures{display:flex;flex-wrap:wrap;gap:12px}.pictures>figure{margin:0;max-width:100%}\
svg{max-width:100%;height:auto;display:block}\
@media print{body{max-width:none}h2{break-after:avoid}figure,table{break-inside:avoid}}";

impl Page {
    /// The report as one HTML file.
    pub fn to_html(&self) -> Result<String> {
        let mut html = head(&self.title, &self.summary, "");
        let mut count = 0;
        for section in &self.sections {
            html += &format!("<h2>{}</h2>\n", escaped(&section.title));
            for block in &section.blocks {
                block.write(&mut html, &mut count)?;
            }
        }
        html += "</body>\n</html>\n";
        Ok(html)
    }
}

/// The beginning of every page, up to what stands below its title; `style` is added to the common one.
pub(crate) fn head(title: &str, summary: &str, style: &str) -> String {
    let mut html = String::from("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    html += "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n";
    // Nothing may be fetched or run, whatever a name in the data tries.
    html += "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
        style-src 'unsafe-inline'; img-src data:\">\n";
    html += &format!("<title>{}</title>\n<style>{STYLE}{style}</style>\n</head>\n<body>\n", escaped(title));
    html += &format!("<h1>{}</h1>\n", escaped(title));
    if !summary.is_empty() {
        html += &format!("<p class=\"soft\">{}</p>\n", escaped(summary));
    }
    html
}

impl Block {
    fn write(&self, html: &mut String, count: &mut usize) -> Result<()> {
        match self {
            Block::Text(text) => *html += &format!("<p>{}</p>\n", escaped(text)),
            Block::Code(text) => *html += &format!("<pre>{}</pre>\n", escaped(text)),
            Block::Facts(facts) => {
                *html += "<div class=\"wide\"><table>\n";
                for (name, value) in facts {
                    *html += &format!("<tr><th>{}</th><td>{}</td></tr>\n", escaped(name), escaped(value));
                }
                *html += "</table></div>\n";
            }
            Block::Table { head, rows } => {
                let line = |tag: &str, cells: &[String]| {
                    let cells: String = cells.iter().map(|c| format!("<{tag}>{}</{tag}>", escaped(c))).collect();
                    format!("<tr>{cells}</tr>\n")
                };
                *html += "<div class=\"wide\"><table>\n";
                *html += &line("th", head);
                rows.iter().for_each(|row| *html += &line("td", row));
                *html += "</table></div>\n";
            }
            Block::Words(all) => *html += &words(all),
            Block::Pictures(pictures) => {
                *html += "<div class=\"pictures\">\n";
                for picture in pictures {
                    *count += 1;
                    let size = PictureSize { width: WIDTH, height: 0.0 };
                    let look = Look { size, theme: Theme::Auto, prefix: format!("p{count}-") };
                    *html += &format!("<figure>{}</figure>\n", picture.to_svg(&look)?);
                }
                *html += "</div>\n";
            }
        }
        Ok(())
    }
}

/// A paragraph of coloured words.
pub(crate) fn words(words: &[(String, f64)]) -> String {
    let most = words.iter().map(|w| w.1.abs()).filter(|r| r.is_finite()).fold(0.0, f64::max);
    let mut html = String::from("<p>");
    for (word, relevance) in words {
        let strength = if most > 0.0 && relevance.is_finite() { relevance.abs() / most } else { 0.0 };
        // Fainter than this is not seen.
        if strength < 0.02 {
            html += &format!("{} ", escaped(word));
            continue;
        }
        let colour = if *relevance > 0.0 { "213,94,0" } else { "0,114,178" };
        html += &format!(
            "<span style=\"background:rgba({colour},{:.2});padding:0 2px;border-radius:2px\">{}</span> ",
            0.85 * strength,
            escaped(word)
        );
    }
    html + "</p>\n"
}

/// Text that means nothing to HTML.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            c if c.is_control() && c != '\n' && c != '\t' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use picture::{Bars, LinePlot};

    fn page(text: &str) -> Page {
        let word = text.to_string();
        let bars = Bars { title: word.clone(), names: vec![word.clone()], values: vec![1.0], ..Bars::default() };
        let blocks = vec![
            Block::Text(word.clone()),
            Block::Code(word.clone()),
            Block::Facts(vec![(word.clone(), word.clone())]),
            Block::Table { head: vec![word.clone()], rows: vec![vec![word.clone()]] },
            Block::Pictures(vec![Box::new(bars), Box::<LinePlot>::default()]),
        ];
        Page { title: word.clone(), summary: word.clone(), sections: vec![Section { title: word, blocks }] }
    }

    #[test]
    fn nothing_from_the_data_is_markup() {
        let hostile = "</td><script>alert('x')</script><img src=x onerror=\"y\">&\u{0}";
        let html = page(hostile).to_html().unwrap();
        for bad in ["<script", "<img", "onerror=\"", "\u{0}"] {
            assert!(!html.contains(bad), "{bad}");
        }
        assert_eq!(html, page(hostile).to_html().unwrap());
    }

    #[test]
    fn a_page_needs_nothing_from_outside() {
        let html = page("plain").to_html().unwrap();
        let outside = html.replace("http://www.w3.org/2000/svg", "").replace("http-equiv", "");
        for word in ["http:", "https:", "url(", "<link", "<script", "@import"] {
            assert!(!outside.contains(word), "{word}");
        }
        assert!(html.contains("id=\"p1-") || !html.contains("id=\"p"), "ids of pictures differ");
    }
}
