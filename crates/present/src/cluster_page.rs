//! Clusters of explanations as a page: an overview, then the strangest clusters with their mean map and examples.

use crate::clusters::{Cluster, Clusters};
use crate::explain_rows_with;
use crate::explaining::{as_seen, as_text};
use base::{Dataset, Relevance, Result, Run, Shape, percent};
use explain::{Question, Tuning, to_unit};
use interop::Model;
use picture::{Bars, ImageGrid, ImagePlot, LinePlot, Picture, Pixels, Series};
use report::{Block, Page, Section};

/// Clusters shown with examples.
const SHOWN: usize = 12;
/// Rows nearest to a cluster's mean that its picture is made of.
const MEANT: usize = 50;
/// Columns of a mean shown.
const COLUMNS: usize = 12;

/// The page of some clusters; `source` is what the data are called.
pub fn clusters_page(
    model: &Model,
    (data, source): (&Dataset, &str),
    clusters: &Clusters,
    (question, tuning): (Question, &Tuning),
    run: &Run<'_>,
) -> Result<Page> {
    let mut sections = vec![overview(clusters)];
    for (k, cluster) in clusters.clusters.iter().enumerate().take(SHOWN) {
        let title =
            format!("Cluster {}: {} predicted as {}", k + 1, base::plural(cluster.rows.len(), "row"), cluster.class);
        let mut blocks = vec![Block::Facts(vec![
            ("outlier score".to_string(), format!("{:.2}", cluster.strange)),
            ("of the rows predicted as it".into(), percent(cluster.share)),
            ("true classes".into(), truths(cluster)),
            ("rows nearest its mean".into(), list(&cluster.examples)),
        ])];
        let meant = &cluster.rows[..cluster.rows.len().min(MEANT)];
        let told = explain_rows_with(&*model.machine, data, meant, question, tuning, run)?;
        let mut pictures: Vec<Box<dyn Picture>> = vec![mean_picture(&told.answer.relevance)];
        let mut images = vec![];
        for (k, &row) in cluster.examples.iter().enumerate() {
            if let Some(pair) = example(data, &told.answer, (row, k)) {
                images.extend(pair);
            } else if let Some((text, _)) = as_text(data, &told.answer, (row, k))? {
                blocks.push(Block::Words(text));
            }
        }
        if !images.is_empty() {
            let title = "Examples and their relevance".to_string();
            pictures.push(Box::new(ImageGrid { title, images, columns: 4, shared: false }));
        }
        blocks.insert(1, Block::Pictures(pictures));
        sections.push(Section { title, blocks });
    }
    let rows: usize = clusters.clusters.iter().map(|c| c.rows.len()).sum();
    Ok(Page {
        title: "Clusters of explanations".into(),
        summary: format!(
            "{rows} rows of {source}, explained by {} for {} and clustered by their attributions. A cluster far \
                 from the rest of its class is decided for a different reason: check whether it is a legitimate \
                 one.",
            clusters.method, model.spec.name
        ),
        sections,
    })
}

fn overview(clusters: &Clusters) -> Section {
    let head = ["cluster", "predicted", "rows", "fraction", "outlier score", "true class"].map(String::from).to_vec();
    let row = |(k, c): (usize, &Cluster)| {
        let share = percent(c.share);
        vec![
            (k + 1).to_string(),
            c.class.clone(),
            c.rows.len().to_string(),
            share,
            format!("{:.2}", c.strange),
            truths(c),
        ]
    };
    let rows = clusters.clusters.iter().enumerate().map(row).collect();
    let series = |(name, values): &(String, Vec<f64>)| Series {
        name: name.clone(),
        x: (1..=values.len()).map(|k| k as f64).collect(),
        y: values.clone(),
        ..Series::default()
    };
    let lines = LinePlot {
        title: "Eigenvalues: the number of clusters of a class is given by its largest eigengap".into(),
        x_label: "number".into(),
        y_label: "eigenvalue".into(),
        series: clusters.eigenvalues.iter().take(10).map(series).collect(),
        marks: true,
        ..LinePlot::default()
    };
    let mut blocks = vec![Block::Table { head, rows }];
    if !clusters.eigenvalues.is_empty() {
        blocks.push(Block::Pictures(vec![Box::new(lines)]));
    }
    Section { title: "Overview, the most anomalous first".into(), blocks }
}

fn truths(cluster: &Cluster) -> String {
    match cluster.truths.is_empty() {
        true => "not known".into(),
        false => {
            let all: Vec<String> =
                cluster.truths.iter().take(5).map(|(name, count)| format!("{name} ({count})")).collect();
            all.join(", ")
        }
    }
}

fn list(rows: &[usize]) -> String {
    rows.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

/// The mean of maps, each at length 1.
fn mean_picture(relevance: &Relevance) -> Box<dyn Picture> {
    let (n, d) = (relevance.values.len(), relevance.values.columns());
    let (mut mean, mut own) = (vec![0.0; d], vec![0.0; d]);
    for k in 0..n {
        relevance.values.write_row(k, &mut own);
        let length = numeric::squared_norm(&own).sqrt() * n as f64;
        if length > 0.0 {
            numeric::add_scaled(&mut mean, 1.0 / length, &own);
        }
    }
    let title = format!("Mean relevance, {}", base::plural(n, "row"));
    match relevance.features.shape() {
        Some(Shape::Image { height, width, channels }) => {
            let values = mean.chunks_exact(channels.max(1)).map(|c| c.iter().sum()).collect();
            Box::new(ImagePlot { title, columns: width, rows: height, pixels: Pixels::Signed { values, limit: 0.0 } })
        }
        _ => {
            let mut order: Vec<usize> = (0..d).filter(|&c| mean[c] != 0.0).collect();
            order.sort_by(|&a, &b| mean[b].abs().total_cmp(&mean[a].abs()));
            order.truncate(COLUMNS);
            let names = order.iter().map(|&c| relevance.features.name(c)).collect();
            let values = order.iter().map(|&c| mean[c]).collect();
            Box::new(Bars { title, names, values, signed: true, ..Bars::default() })
        }
    }
}

/// A picture and its heat map; none where rows are no pictures.
fn example(data: &Dataset, answer: &explain::Answer, (row, k): (usize, usize)) -> Option<[ImagePlot; 2]> {
    let Some(Shape::Image { height, width, channels }) = answer.relevance.features.shape() else { return None };
    let unit = to_unit(&as_seen(data, answer, (row, k)));
    let mut own = vec![0.0; unit.len()];
    answer.relevance.values.write_row(k, &mut own);
    let byte = |v: f64| (255.0 * v).round().clamp(0.0, 255.0) as u8;
    let pixels = match channels {
        3 => Pixels::Rgb(unit.chunks_exact(3).map(|p| [byte(p[0]), byte(p[1]), byte(p[2])]).collect()),
        _ => {
            let values = unit.chunks_exact(channels.max(1)).map(|p| p.iter().sum::<f64>() / channels as f64).collect();
            Pixels::Gray { values, range: Some((0.0, 1.0)) }
        }
    };
    let image = |title: String, pixels: Pixels| ImagePlot { title, columns: width, rows: height, pixels };
    let values = own.chunks_exact(channels.max(1)).map(|c| c.iter().sum()).collect();
    Some([image(format!("row {row}"), pixels), image(String::new(), Pixels::Signed { values, limit: 0.0 })])
}
