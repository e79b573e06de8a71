//! Explanations side by side: inputs (and networks) in the rows, methods in the columns, and a choice of methods and views.
//!
//! The page chooses without a script: the method and the view are radio buttons, which the arrow keys move through, and the
//! style sheet shows what belongs to the chosen ones. Where a browser does not know `:has`, everything is shown.

use crate::page::{self, escaped, words};
use base::{Error, Result};
use picture::{
    Bars, ImagePlot, Look, Panels, Picture, PictureSize, Pixels, Rgb, Strips, Theme, TileRow, Tiles, pixels_uri,
};

/// Explanations of some inputs by several methods.
#[derive(Debug, Default)]
pub struct Gallery {
    /// What it is about.
    pub title: String,
    /// A sentence or two below the title.
    pub summary: String,
    /// The columns.
    pub methods: Vec<String>,
    /// Ways in which pictures are shown; empty where there are none.
    pub views: Vec<String>,
    /// What is explained.
    pub inputs: Vec<GalleryRow>,
    /// What one should know: what is missing, and why.
    pub notes: Vec<String>,
}

/// One input with its explanations.
#[derive(Debug, Default)]
pub struct GalleryRow {
    /// Which one.
    pub title: String,
    /// What it truly is, if known.
    pub truth: Option<String>,
    /// How it looks, for pictures: pixels in a row, and the pixels.
    pub picture: Option<(usize, Vec<Rgb>)>,
    /// What each network says of it.
    pub lines: Vec<CellText>,
}

/// What a network says of an input, and why.
#[derive(Debug, Default)]
pub struct CellText {
    /// The network; empty where there is only one.
    pub network: String,
    /// What it predicts, with probability and score, line by line.
    pub says: Vec<String>,
    /// Whether that is true, if known.
    pub right: Option<bool>,
    /// The answer of each method.
    pub cells: Vec<Cell>,
}

/// The answer of a method.
#[derive(Debug)]
pub enum Cell {
    /// Pixels of each view, and how many are in a row.
    Pixels(usize, Vec<Vec<Rgb>>),
    /// Pieces of a text with how much each has.
    Words(Vec<(String, f64)>),
    /// Columns with how much each has.
    Bars(Bars),
    /// A series with relevance behind it.
    Strips(Strips),
    /// Why there is none.
    Absent(String),
}

/// Width of drawings in the table.
const WIDTH: f64 = 320.0;

const STYLE: &str = "\
fieldset{border:1px solid var(--line);border-radius:4px;margin:.5em 0;padding:2px 10px 6px}\
fieldset label{display:inline-block;margin:2px 14px 2px 0;cursor:pointer}\
legend{color:var(--soft)}\
table.gallery{font-size:.85em}table.gallery td{padding:6px 8px 6px 0}table.gallery th{padding:2px 8px 2px 0}\
table.gallery img{display:block;width:112px;height:auto;image-rendering:pixelated;border:1px solid var(--line)}\
table.gallery p{margin:0;min-width:200px;max-width:44ch}\
.said{min-width:88px;max-width:180px;overflow-wrap:anywhere}.wrong{color:#c0392b}\
@media(prefers-color-scheme:dark){.wrong{color:#ff8a75}}\
.said div{margin-bottom:2px}";

impl Gallery {
    /// Whether every row has an answer for each method and every picture all views.
    fn check(&self) -> Result<()> {
        for line in self.inputs.iter().flat_map(|i| &i.lines) {
            if line.cells.len() != self.methods.len() {
                return Err(Error::size("explanations of a row", self.methods.len(), line.cells.len()));
            }
            for cell in &line.cells {
                if let Cell::Pixels(_, views) = cell
                    && views.len() != self.views.len()
                {
                    return Err(Error::size("views of an image", self.views.len(), views.len()));
                }
            }
        }
        Ok(())
    }

    /// The gallery as one HTML file.
    pub fn to_html(&self) -> Result<String> {
        self.check()?;
        let mut style = STYLE.to_string();
        for (letter, count) in [("m", self.methods.len()), ("v", self.views.len())] {
            for k in 0..count {
                style += &format!("body:has(#{letter}{k}:checked) .{letter}:not(.{letter}{k}){{display:none}}");
            }
        }
        // One method by itself is shown larger.
        style += "body:not(:has(#m-all:checked)) .m img{width:min(280px,70vw)}";
        let mut html = page::head(&self.title, &self.summary, &style);
        for note in &self.notes {
            html += &format!("<p class=\"soft\">{}</p>\n", escaped(note));
        }
        if self.methods.len() > 1 {
            html += "<fieldset><legend>Method</legend>\
                <label><input type=\"radio\" name=\"m\" id=\"m-all\" checked> side by side</label> ";
            html += &radios("m", &self.methods, None);
        }
        if self.views.len() > 1 {
            html += "<fieldset><legend>View</legend>";
            html += &radios("v", &self.views, Some(0));
        }
        let networks = self.inputs.iter().flat_map(|i| &i.lines).any(|l| !l.network.is_empty());
        html += "<div class=\"wide\"><table class=\"gallery\">\n<thead><tr><th>input</th><th>";
        html += if networks { "prediction" } else { "predicted" };
        html += "</th>";
        for (k, method) in self.methods.iter().enumerate() {
            html += &format!("<th class=\"m m{k}\">{}</th>", escaped(method));
        }
        html += "</tr></thead>\n<tbody>\n";
        let mut count = 0;
        for input in &self.inputs {
            for (k, line) in input.lines.iter().enumerate() {
                html += "<tr>";
                if k == 0 {
                    html += &format!("<td class=\"said\" rowspan=\"{}\">{}</td>", input.lines.len(), input.html()?);
                }
                html += &line.html();
                for (m, cell) in line.cells.iter().enumerate() {
                    html += &format!("<td class=\"m m{m}\">");
                    html += &cell.html(&format!("{}, {}", input.title, self.methods[m]), &mut count)?;
                    html += "</td>";
                }
                html += "</tr>\n";
            }
        }
        html += "</tbody></table></div>\n</body>\n</html>\n";
        Ok(html)
    }

    /// The gallery as one picture: its first view, beside the inputs.
    pub fn picture(&self) -> Result<Box<dyn Picture>> {
        self.check()?;
        let pixels = |c: &Cell| matches!(c, Cell::Pixels(..));
        if !self.inputs.iter().flat_map(|i| &i.lines).flat_map(|l| &l.cells).any(pixels) {
            return Ok(Box::new(self.panels()));
        }
        let with_input = self.inputs.iter().any(|i| i.picture.is_some());
        let mut columns: Vec<String> = with_input.then(|| "input".to_string()).into_iter().collect();
        columns.extend(self.methods.iter().cloned());
        let mut rows = vec![];
        for input in &self.inputs {
            for (k, line) in input.lines.iter().enumerate() {
                let mut lines = vec![];
                if k == 0 {
                    lines.push(input.title.clone());
                    lines.extend(input.truth.iter().map(|t| format!("true: {t}")));
                }
                lines.extend((!line.network.is_empty()).then(|| line.network.clone()));
                // In the page the head of the column says what it is.
                let said = |(k, s): (usize, &String)| match (k, &input.truth) {
                    (0, Some(_)) => format!("predicted: {s}"),
                    _ => s.clone(),
                };
                lines.extend(line.says.iter().enumerate().map(said));
                let own = |(width, pixels): &(usize, Vec<Rgb>)| image(*width, pixels, &input.title);
                let mut images: Vec<Option<ImagePlot>> = vec![];
                if with_input {
                    images.push(input.picture.as_ref().filter(|_| k == 0).map(own));
                }
                images.extend(line.cells.iter().zip(&self.methods).map(|(cell, method)| match cell {
                    Cell::Pixels(width, views) => views.first().map(|v| image(*width, v, method)),
                    _ => None,
                }));
                rows.push(TileRow { lines, images });
            }
        }
        Ok(Box::new(Tiles { title: self.title.clone(), columns, rows }))
    }

    /// Words, columns and series as panels, where nothing is a picture.
    fn panels(&self) -> Panels {
        let mut pictures: Vec<Box<dyn Picture>> = vec![];
        for input in &self.inputs {
            for line in &input.lines {
                for (cell, method) in line.cells.iter().zip(&self.methods) {
                    let parts = [input.title.as_str(), &line.network, line.says.first().map_or("", |s| s), method];
                    let parts: Vec<&str> = parts.into_iter().filter(|t| !t.is_empty()).collect();
                    pictures.push(cell.panel(parts.join(", ")));
                }
            }
        }
        Panels { title: self.title.clone(), pictures, columns: self.methods.len().clamp(1, 4) }
    }
}

impl GalleryRow {
    fn html(&self) -> Result<String> {
        let mut html = format!("<div>{}</div>", escaped(&self.title));
        if let Some(truth) = &self.truth {
            html += &format!("<div>true: {}</div>", escaped(truth));
        }
        if let Some((width, pixels)) = &self.picture {
            let uri = pixels_uri(*width, pixels)?;
            html += &format!("<img src=\"{uri}\" alt=\"{}\">", escaped(&self.title));
        }
        Ok(html)
    }
}

impl CellText {
    fn html(&self) -> String {
        let mut html = String::from("<td class=\"said\">");
        if !self.network.is_empty() {
            html += &format!("<div><b>{}</b></div>", escaped(&self.network));
        }
        for (k, line) in self.says.iter().enumerate() {
            let class = if k == 0 && self.right == Some(false) { " class=\"wrong\"" } else { "" };
            html += &format!("<div{class}>{}</div>", escaped(line));
        }
        html + "</td>"
    }
}

impl Cell {
    fn html(&self, what: &str, count: &mut usize) -> Result<String> {
        let mut drawn = |picture: &dyn Picture| {
            *count += 1;
            let size = PictureSize { width: WIDTH, height: 0.0 };
            picture.to_svg(&Look { size, theme: Theme::Auto, prefix: format!("g{count}-") })
        };
        Ok(match self {
            Cell::Pixels(width, views) => {
                let mut html = String::new();
                for (k, pixels) in views.iter().enumerate() {
                    let uri = pixels_uri(*width, pixels)?;
                    html += &format!("<img class=\"v v{k}\" src=\"{uri}\" alt=\"{}\">", escaped(what));
                }
                html
            }
            Cell::Words(all) => words(all),
            Cell::Bars(bars) => drawn(bars)?,
            Cell::Strips(strips) => drawn(strips)?,
            Cell::Absent(why) => format!("<p class=\"soft\">{}</p>", escaped(why)),
        })
    }

    /// The answer as a picture of its own.
    fn panel(&self, title: String) -> Box<dyn Picture> {
        match self {
            Cell::Bars(bars) => Box::new(Bars { title, ..bars.clone() }),
            Cell::Strips(strips) => Box::new(Strips { title, ..strips.clone() }),
            Cell::Words(all) => {
                let mut order: Vec<&(String, f64)> = all.iter().filter(|w| w.1 != 0.0).collect();
                order.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
                let (names, values) = order.into_iter().take(12).cloned().unzip();
                Box::new(Bars { title, names, values, signed: true, ..Bars::default() })
            }
            Cell::Pixels(..) | Cell::Absent(_) => Box::new(Bars { title, ..Bars::default() }),
        }
    }
}

/// Radio buttons of a group, one of them chosen if it is said which, and the end of their frame.
fn radios(letter: &str, names: &[String], chosen: Option<usize>) -> String {
    let one = |(k, name): (usize, &String)| {
        let checked = if chosen == Some(k) { " checked" } else { "" };
        format!(
            "<label><input type=\"radio\" name=\"{letter}\" id=\"{letter}{k}\"{checked}> {}</label> ",
            escaped(name)
        )
    };
    names.iter().enumerate().map(one).collect::<String>() + "</fieldset>\n"
}

fn image(width: usize, pixels: &[Rgb], title: &str) -> ImagePlot {
    let colours = pixels.iter().map(|p| [p.0, p.1, p.2]).collect();
    ImagePlot { title: title.into(), columns: width, rows: pixels.len() / width.max(1), pixels: Pixels::Rgb(colours) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gallery(word: &str) -> Gallery {
        let picture = || (2, vec![Rgb(1, 2, 3); 4]);
        let bars = Bars { names: vec![word.into()], values: vec![1.0], ..Bars::default() };
        let cells = |k: usize| {
            let first = if k == 0 { Cell::Pixels(2, vec![picture().1; 2]) } else { Cell::Absent(word.into()) };
            vec![first, Cell::Words(vec![(word.into(), 1.0), ("rest".into(), -0.5)]), Cell::Bars(bars.clone())]
        };
        let said = |k: usize| CellText {
            network: format!("{word}{k}"),
            says: vec![word.into(), "probability 0.5".into()],
            right: Some(k == 0),
            cells: cells(k),
        };
        let exhibit = GalleryRow {
            title: word.into(),
            truth: Some(word.into()),
            picture: Some(picture()),
            lines: vec![said(0), said(1)],
        };
        Gallery {
            title: word.into(),
            summary: word.into(),
            methods: vec![word.into(), "second".into(), "third".into()],
            views: vec!["heat".into(), word.into()],
            inputs: vec![exhibit],
            notes: vec![word.into()],
        }
    }

    #[test]
    fn nothing_is_markup_and_nothing_runs() {
        let hostile = "</td><script>alert('x')</script><img src=x onerror=\"y\">";
        let html = gallery(hostile).to_html().unwrap();
        for bad in ["<script", "<img src=x", "onerror=\"", "http:", "https:", "url("] {
            assert!(!html.replace("http://www.w3.org/2000/svg", "").contains(bad), "{bad}");
        }
        assert!(html.contains("default-src 'none'"));
        assert_eq!(html, gallery(hostile).to_html().unwrap());
    }

    #[test]
    fn every_method_and_view_can_be_chosen() {
        let html = gallery("word").to_html().unwrap();
        for id in ["m-all", "m0", "m1", "m2", "v0", "v1"] {
            assert_eq!(html.matches(&format!("id=\"{id}\"")).count(), 1, "{id}");
        }
        for rule in
            ["body:has(#m2:checked) .m:not(.m2){display:none}", "body:has(#v1:checked) .v:not(.v1){display:none}"]
        {
            assert!(html.contains(rule), "{rule}");
        }
        // Two views of one picture, the picture itself, and each column in head and rows.
        assert_eq!((html.matches("<img").count(), html.matches("class=\"m m2\"").count()), (3, 3));
        assert_eq!(html.matches("class=\"wrong\"").count(), 1);
        assert!(html.contains("rowspan=\"2\"") && html.contains("true: word"));
        // One method and one view leave nothing to choose.
        let one = Gallery { methods: vec![], views: vec![], inputs: vec![], ..gallery("word") };
        assert!(!one.to_html().unwrap().contains("<fieldset>"));
    }

    #[test]
    fn a_gallery_is_a_picture_too_and_holes_are_refused() {
        let svg = gallery("word").picture().unwrap().to_svg(&Look::default()).unwrap();
        assert_eq!(svg.matches("<image").count(), 2);
        assert!(["true: word", "predicted: word", "second"].iter().all(|w| svg.contains(w)));
        let mut texts = gallery("word");
        texts.inputs[0].lines.iter_mut().for_each(|l| l.cells[0] = Cell::Absent("none".into()));
        let size = PictureSize { width: 960.0, height: 0.0 };
        let svg = texts.picture().unwrap().to_svg(&Look { size, ..Look::default() }).unwrap();
        assert!(svg.contains("word, word0, word, second"), "{svg}");
        let mut wrong = gallery("word");
        wrong.inputs[0].lines[0].cells.pop();
        assert!(wrong.to_html().unwrap_err().to_string().contains("explanations of a row"));
        let mut wrong = gallery("word");
        wrong.views.pop();
        assert!(wrong.to_html().unwrap_err().to_string().contains("views of an image"));
    }
}
