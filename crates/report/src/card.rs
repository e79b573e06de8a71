//! The card of one row: what a machine says of it, what made it say so, and what normal rows look like.

use crate::{Block, Section};
use picture::{Bars, ImageGrid, ImagePlot, Picture, Pixels};

/// What a card tells of one row.
#[derive(Debug, Default)]
pub struct Card {
    /// Which row.
    pub title: String,
    /// Score, quantile, accounts.
    pub facts: Vec<(String, String)>,
    /// What deviates, the most relevant first.
    pub deviations: Vec<Deviation>,
    /// The row as a picture, with its heat map.
    pub picture: Option<Heat>,
    /// The row as a text: pieces with how much each has; 0 for what has nothing.
    pub text: Vec<(String, f64)>,
    /// Words one would have expected, with how much each has.
    pub absent: Vec<(String, f64)>,
    /// The nearest normal examples: their cells by column, for tables.
    pub examples: Vec<Vec<(String, String)>>,
    /// The same as pictures.
    pub pictures: Vec<ImagePlot>,
}

/// A picture with relevance for each pixel.
#[derive(Debug)]
pub struct Heat {
    /// The picture.
    pub image: ImagePlot,
    /// Relevance, row after row.
    pub relevance: Vec<f64>,
}

/// A column with its part in the score.
#[derive(Debug, Clone, PartialEq)]
pub struct Deviation {
    /// The column.
    pub name: String,
    /// What it is.
    pub value: String,
    /// What it is in normal rows like this one; empty if not known.
    pub typical: String,
    /// How much of the score it has.
    pub relevance: f64,
}

/// Bars and lines of a table, at most.
const MOST: usize = 12;

impl Card {
    /// The pictures of a card by themselves: bars, or the picture and its heat map.
    pub fn drawing(&self) -> Box<dyn Picture> {
        match &self.picture {
            Some(heat) => {
                let ImagePlot { columns, rows, .. } = heat.image;
                let values = heat.relevance.clone();
                let map = ImagePlot {
                    title: "relevance".into(),
                    columns,
                    rows,
                    pixels: Pixels::Signed { values, limit: 0.0 },
                };
                let images = vec![ImagePlot { title: "the row".into(), ..heat.image.clone() }, map];
                Box::new(ImageGrid { title: self.title.clone(), images, columns: 2, shared: false })
            }
            None => {
                let shown = || self.deviations.iter().take(MOST);
                Box::new(Bars {
                    title: self.title.clone(),
                    x_label: "relevance".into(),
                    names: shown().map(|d| d.name.clone()).collect(),
                    values: shown().map(|d| d.relevance).collect(),
                    signed: true,
                    ..Bars::default()
                })
            }
        }
    }

    /// The card as a section of a page.
    pub fn section(self) -> Section {
        let mut blocks = vec![Block::Facts(self.facts.clone())];
        let words = !self.text.is_empty();
        if self.picture.is_some() || !self.deviations.is_empty() {
            blocks.push(Block::Pictures(vec![self.drawing()]));
        }
        if !self.text.is_empty() {
            blocks.push(Block::Words(self.text));
        }
        if !self.absent.is_empty() {
            blocks.push(Block::Text("Expected, but missing:".into()));
            blocks.push(Block::Words(self.absent));
        }
        // The words of a text are told by their colours.
        if self.picture.is_none() && !words && !self.deviations.is_empty() {
            let typical = self.deviations.iter().any(|d| !d.typical.is_empty());
            let mut head = vec!["column".to_string(), "value".into()];
            head.extend(typical.then(|| "in similar normal rows".to_string()));
            head.push("relevance".into());
            let row = |d: &Deviation| {
                let mut row = vec![d.name.clone(), d.value.clone()];
                row.extend(typical.then(|| d.typical.clone()));
                row.push(format!("{:.4}", d.relevance));
                row
            };
            blocks.push(Block::Table { head, rows: self.deviations.iter().take(MOST).map(row).collect() });
        }
        if !self.pictures.is_empty() {
            let title = "The nearest normal examples".to_string();
            blocks.push(Block::Pictures(vec![Box::new(ImageGrid {
                title,
                images: self.pictures,
                columns: 4,
                shared: false,
            })]));
        } else if let Some(first) = self.examples.first() {
            blocks.push(Block::Text("The nearest normal examples, as stored in the model:".into()));
            let head = first.iter().map(|(name, _)| name.clone()).collect();
            let rows = self.examples.iter().map(|e| e.iter().map(|(_, cell)| cell.clone()).collect()).collect();
            blocks.push(Block::Table { head, rows });
        }
        Section { title: self.title, blocks }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Page;

    #[test]
    fn cards_show_what_they_have_and_nothing_is_markup() {
        let hostile = "<b>&".to_string();
        let deviation = Deviation { name: hostile.clone(), value: "5".into(), typical: "1".into(), relevance: 2.0 };
        let card = Card {
            title: "row 3".into(),
            facts: vec![("score".into(), "1".into())],
            deviations: vec![deviation],
            text: vec![(hostile.clone(), 1.0), ("plain".into(), 0.0), ("less".into(), -0.5)],
            absent: vec![("gone".into(), 0.2)],
            examples: vec![vec![("a".into(), "b".into())]],
            ..Card::default()
        };
        let plain = Card { text: vec![], deviations: card.deviations.clone(), ..Card::default() };
        let page = Page { sections: vec![card.section(), plain.section()], ..Page::default() };
        let html = page.to_html().unwrap();
        for word in
            ["row 3", "&lt;b&gt;&amp;", "in similar normal rows", "Expected, but missing", "gone", "nearest normal"]
        {
            assert!(html.contains(word), "{word}");
        }
        assert!(!html.contains("<b>"));
        let image = ImagePlot {
            title: String::new(),
            columns: 2,
            rows: 1,
            pixels: Pixels::Gray { values: vec![0.0, 1.0], range: None },
        };
        let heat = Heat { image: image.clone(), relevance: vec![0.0, 3.0] };
        let card = Card { picture: Some(heat), pictures: vec![image], ..Card::default() };
        assert_eq!(card.section().blocks.len(), 3);
    }
}
