//! One picture of each kind, light and dark, 400 and 1200 pixels wide, as SVG and PNG.
//!
//!     cargo run -p pellucid-picture --example gallery -- FOLDER
//!
//! Look at all of them after every change of a layout.

use std::error::Error;
use std::path::PathBuf;

use base::{Seed, normal};
use pellucid_picture::{
    Bars, Boxes, Dendrogram, Group, Histogram, ImageGrid, ImagePlot, Join, LinePlot, Look, Matrix, MatrixReading,
    Panels, Picture, PictureSize, Pixels, PlaneRegions, Reference, RegionCells, ScatterPlot, Series, Theme, png,
};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "gallery".into()));
    std::fs::create_dir_all(&folder)?;
    for (name, picture) in gallery() {
        for width in [400.0, 1200.0] {
            for (theme, suffix) in [(Theme::Light, "light"), (Theme::Dark, "dark"), (Theme::Auto, "auto")] {
                let size = PictureSize { width, height: 0.0 };
                let svg = picture.to_svg(&Look { size, theme, prefix: format!("g-{name}") })?;
                let file = folder.join(format!("{name}-{width}-{suffix}"));
                std::fs::write(file.with_extension("svg"), &svg)?;
                if theme != Theme::Auto {
                    std::fs::write(file.with_extension("png"), png(&svg, if width < 800.0 { 2.0 } else { 1.0 })?)?;
                }
            }
        }
    }
    Ok(())
}

fn gallery() -> Vec<(&'static str, Box<dyn Picture>)> {
    vec![
        ("scatter", Box::new(scatter())),
        ("scatter-many", Box::new(many_classes())),
        ("scatter-scores", Box::new(scores())),
        ("learning", Box::new(learning())),
        ("roc", Box::new(roc())),
        ("series", Box::new(many_series())),
        ("objective", Box::new(objective())),
        ("relevance", Box::new(relevance())),
        ("measures", Box::new(measures())),
        ("histogram", Box::new(histogram())),
        ("boxes", Box::new(boxes())),
        ("confusion", Box::new(confusion(4))),
        ("confusion-many", Box::new(confusion(26))),
        ("correlation", Box::new(correlation())),
        ("heat", Box::new(digit("Relevance for class 3", true))),
        ("images", Box::new(images())),
        ("dendrogram", Box::new(dendrogram())),
        ("empty", Box::new(ScatterPlot { title: "Nothing yet".into(), ..ScatterPlot::default() })),
        ("panels", Box::new(panels())),
    ]
}

fn draws(name: &str, n: usize) -> Vec<f64> {
    let mut stream = Seed(1).fork(name).stream();
    (0..n).map(|_| normal(&mut stream)).collect()
}

fn texts(names: &[&str]) -> Vec<String> {
    names.iter().map(|n| n.to_string()).collect()
}

/// Three clouds around a circle and the nearest-mean regions behind them.
fn scatter() -> ScatterPlot {
    let means = [[-1.6, -0.8], [1.7, -0.6], [0.1, 1.6]];
    let noise = draws("scatter", 300);
    let classes: Vec<usize> = (0..150).map(|i| i % 3).collect();
    let mut points: Vec<[f64; 2]> =
        (0..150).map(|i| [means[i % 3][0] + 0.75 * noise[2 * i], means[i % 3][1] + 0.75 * noise[2 * i + 1]]).collect();
    points[7] = [f64::NAN, 1.0];
    let (columns, rows) = (160, 120);
    let cell = |i: usize| {
        let x = -4.5 + 9.0 * ((i % columns) as f64 + 0.5) / columns as f64;
        let y = 4.0 - 7.5 * ((i / columns) as f64 + 0.5) / rows as f64;
        let far = |m: &[f64; 2]| (x - m[0]).powi(2) + (y - m[1]).powi(2);
        (0..3).min_by(|&a, &b| far(&means[a]).total_cmp(&far(&means[b]))).unwrap_or(0)
    };
    ScatterPlot {
        title: "Three kinds of iris and the regions of the nearest mean".into(),
        x_label: "petal length / cm".into(),
        y_label: "petal width / cm".into(),
        points,
        classes,
        names: texts(&["setosa", "versicolor", "virginica"]),
        regions: Some(PlaneRegions {
            columns,
            rows,
            x: (-4.5, 4.5),
            y: (-3.5, 4.0),
            cells: RegionCells::Classes((0..columns * rows).map(cell).collect()),
        }),
        labels: vec![(3, "no. 3".into()), (10, "no. 10, unsure".into()), (14, "no. 14".into())],
        ..ScatterPlot::default()
    }
}

fn many_classes() -> ScatterPlot {
    let noise = draws("many", 1800);
    let place = |c: usize| [(c % 6) as f64 * 3.0, (c / 6) as f64 * 3.0];
    ScatterPlot {
        title: "Thirty classes".into(),
        x_label: "first component".into(),
        y_label: "second component".into(),
        points: (0..900)
            .map(|i| [place(i % 30)[0] + 0.6 * noise[i], place(i % 30)[1] + 0.6 * noise[900 + i]])
            .collect(),
        classes: (0..900).map(|i| i % 30).collect(),
        names: (1..=30).map(|i| format!("class {i}")).collect(),
        ..ScatterPlot::default()
    }
}

fn scores() -> ScatterPlot {
    let noise = draws("scores", 1200);
    let (columns, rows) = (200, 150);
    let score = |x: f64, y: f64| y - (1.5 * x).sin();
    let cell = |i: usize| {
        let x = -3.0 + 6.0 * ((i % columns) as f64 + 0.5) / columns as f64;
        let y = 3.0 - 6.0 * ((i / columns) as f64 + 0.5) / rows as f64;
        score(x, y)
    };
    let points: Vec<[f64; 2]> = (0..600).map(|i| [0.8 * noise[i], 0.8 * noise[600 + i]]).collect();
    ScatterPlot {
        title: "Score of a kernel machine; the line is the decision".into(),
        x_label: "x₁".into(),
        y_label: "x₂".into(),
        classes: points.iter().map(|p| usize::from(score(p[0], p[1]) > 0.0)).collect(),
        points,
        names: texts(&["inside", "outside"]),
        regions: Some(PlaneRegions {
            columns,
            rows,
            x: (-3.0, 3.0),
            y: (-3.0, 3.0),
            cells: RegionCells::Scores((0..columns * rows).map(cell).collect()),
        }),
        lines: vec![(0..=120).map(|i| -3.0 + f64::from(i) / 20.0).map(|x| [x, (1.5 * x).sin()]).collect()],
        ..ScatterPlot::default()
    }
}

fn learning() -> LinePlot {
    let curve = |name: &str, limit: f64, speed: f64| {
        let x: Vec<f64> = (0..9).map(|i| 50.0 * 2f64.powi(i)).collect();
        let y: Vec<f64> = x.iter().map(|n| limit - speed / n.sqrt()).collect();
        let band = x.iter().zip(&y).map(|(n, y)| (y - 0.5 / n.sqrt(), y + 0.4 / n.sqrt())).collect();
        Series { name: name.into(), x, y, band, ..Series::default() }
    };
    LinePlot {
        title: "Learning curves, mean and 95 % interval of 20 draws".into(),
        x_label: "training points".into(),
        y_label: "accuracy".into(),
        series: vec![curve("kernel machine", 0.97, 1.6), curve("linear", 0.9, 0.6), curve("nearest mean", 0.82, 0.2)],
        x_log: true,
        marks: true,
        reference: Reference::Level("majority class".into(), 0.65),
        ..LinePlot::default()
    }
}

fn roc() -> LinePlot {
    let curve = |name: &str, power: f64| {
        let x: Vec<f64> = (0..=60).map(|i| f64::from(i) / 60.0).collect();
        Series { name: name.into(), y: x.iter().map(|x| x.powf(power)).collect(), x, steps: true, ..Series::default() }
    };
    LinePlot {
        title: "ROC".into(),
        x_label: "false positive rate".into(),
        y_label: "true positive rate".into(),
        series: vec![curve("svc, AUC 0.93", 0.08), curve("logistic, AUC 0.87", 0.15)],
        x_range: Some((0.0, 1.0)),
        y_range: Some((0.0, 1.0)),
        reference: Reference::Diagonal("chance".into()),
        square: true,
        ..LinePlot::default()
    }
}

fn many_series() -> LinePlot {
    let x: Vec<f64> = (0..200).map(|i| f64::from(i) / 20.0).collect();
    let wave = |k: usize| Series {
        name: format!("series {}", k + 1),
        y: x.iter().map(|x| (x + k as f64 * 0.6).sin() + 0.8 * k as f64).collect(),
        x: x.clone(),
        ..Series::default()
    };
    LinePlot {
        title: "Ten series".into(),
        x_label: "time / s".into(),
        y_label: "signal".into(),
        series: (0..10).map(wave).collect(),
        ..LinePlot::default()
    }
}

fn objective() -> LinePlot {
    let x: Vec<f64> = (1..4000).map(f64::from).collect();
    let noise = draws("objective", 4000);
    let y = x.iter().zip(&noise).map(|(t, e)| 3e4 / t.powf(1.7) * (0.3 * e).exp() + 1e-3).collect();
    LinePlot {
        title: "Gap by step".into(),
        x_label: "step".into(),
        y_label: "duality gap".into(),
        series: vec![Series { x, y, ..Series::default() }],
        y_log: true,
        reference: Reference::Level("tolerance".into(), 0.01),
        ..LinePlot::default()
    }
}

fn relevance() -> Bars {
    let names = ["petal length", "petal width", "sepal length", "sepal width", "number of leaves counted at the stem"];
    Bars {
        title: "What speaks for virginica".into(),
        x_label: "relevance".into(),
        names: texts(&names),
        values: vec![1.84, 0.93, -0.21, -0.655, 0.013],
        signed: true,
        ..Bars::default()
    }
}

fn measures() -> Bars {
    Bars {
        title: "Balanced accuracy with 95 % intervals".into(),
        x_label: "balanced accuracy".into(),
        names: texts(&["kernel machine", "forest", "logistic", "knn", "nearest mean"]),
        values: vec![0.951, 0.938, 0.902, 0.887, 0.801],
        intervals: vec![(0.941, 0.96), (0.921, 0.952), (0.88, 0.921), (0.86, 0.91), (0.77, 0.83)],
        range: Some((0.0, 1.0)),
        ..Bars::default()
    }
}

fn histogram() -> Histogram {
    let group = |name: &str, middle: f64, n: usize| Group {
        name: name.into(),
        values: draws(name, n).iter().map(|v| v + middle).collect(),
    };
    Histogram {
        title: "Outlier score".into(),
        x_label: "score".into(),
        groups: vec![group("training", 0.0, 3000), group("test", 0.4, 2000), group("strange", 3.5, 400)],
        ..Histogram::default()
    }
}

fn boxes() -> Boxes {
    let group = |name: &str, n: usize, middle: f64| Group {
        name: name.into(),
        values: draws(name, n).iter().map(|v| middle + 0.02 * v * (1.0 + 0.3 * v.abs())).collect(),
    };
    Boxes {
        title: "Accuracy in 10 × 10-fold cross-validation".into(),
        x_label: "accuracy".into(),
        groups: vec![
            group("kernel machine", 100, 0.93),
            group("forest", 100, 0.9),
            group("logistic, 5000 draws", 5000, 0.86),
        ],
    }
}

fn confusion(n: usize) -> Matrix {
    let names: Vec<String> = match n {
        4 => texts(&["cat", "dog", "horse", "zebra"]),
        _ => (0..n).map(|i| format!("letter {}", char::from(b'A' + i as u8))).collect(),
    };
    let noise = draws("confusion", n * n);
    let count = |i: usize| {
        if i / n == i % n {
            180.0 + (20.0 * noise[i]).round()
        } else {
            (6.0 * noise[i].abs().powi(3)).round().min(90.0)
        }
    };
    Matrix {
        title: "Confusion matrix".into(),
        row_label: "true class".into(),
        column_label: "predicted class".into(),
        rows: names.clone(),
        columns: names,
        values: (0..n * n).map(count).collect(),
        reading: MatrixReading::Counts,
    }
}

fn correlation() -> Matrix {
    let names = texts(&["alcohol", "malic acid", "ash", "alcalinity", "magnesium", "phenols", "flavanoids", "hue"]);
    let n = names.len();
    let value = |i: usize| {
        let (a, b) = (i / n, i % n);
        if a == b { 1.0 } else { (((a * b) as f64 * 1.3).sin() * 0.9) * (1.0 - (a.abs_diff(b)) as f64 / 9.0) }
    };
    Matrix {
        title: "Correlation".into(),
        rows: names.clone(),
        columns: names,
        values: (0..n * n).map(value).collect(),
        reading: MatrixReading::Signed(1.0),
        ..Matrix::default()
    }
}

fn digit(title: &str, signed: bool) -> ImagePlot {
    let (columns, rows) = (28, 28);
    let value = |i: usize| {
        let (x, y) = ((i % columns) as f64 - 13.5, (i / columns) as f64 - 13.5);
        let ring = |cy: f64| (-((x * x + (y - cy) * (y - cy)).sqrt() - 5.5).powi(2) / 3.0).exp();
        let ink = if x < -1.5 { 0.25 * ring(-5.5) + 0.25 * ring(5.5) } else { ring(-5.5) + ring(5.5) };
        if signed { ink - 0.6 * (-(x + 7.0).powi(2) / 6.0 - y * y / 40.0).exp() } else { ink.min(1.0) }
    };
    let values = (0..columns * rows).map(value).collect();
    let pixels = if signed { Pixels::Signed { values, limit: 0.0 } } else { Pixels::Gray { values, range: None } };
    ImagePlot { title: title.into(), columns, rows, pixels }
}

fn images() -> ImageGrid {
    let colour = |i: usize| [(i % 32 * 8) as u8, (i / 32 * 8) as u8, 128];
    let rgb = ImagePlot {
        title: "colour".into(),
        columns: 32,
        rows: 32,
        pixels: Pixels::Rgb((0..1024).map(colour).collect()),
    };
    ImageGrid {
        title: "Inputs and what the network saw in them".into(),
        images: vec![
            digit("input", false),
            digit("lrp-epsilon", true),
            digit("deep Taylor with a name that is much too long", true),
            rgb,
            digit("gradient", true),
            digit("occlusion", true),
        ],
        columns: 0,
        shared: true,
    }
}

/// Average linkage of a few numbers, by the definition.
fn dendrogram() -> Dendrogram {
    let noise = draws("tree", 24);
    let values: Vec<f64> = (0..24).map(|i| (i % 4) as f64 * 6.0 + noise[i]).collect();
    let mut clusters: Vec<(usize, Vec<f64>)> = values.iter().enumerate().map(|(i, &v)| (i, vec![v])).collect();
    let mut merges = Vec::new();
    while clusters.len() > 1 {
        let mean = |a: &[f64], b: &[f64]| {
            a.iter().flat_map(|x| b.iter().map(move |y| (x - y).abs())).sum::<f64>() / (a.len() * b.len()) as f64
        };
        let mut best = (f64::INFINITY, 0, 1);
        for i in 0..clusters.len() {
            for j in i + 1..clusters.len() {
                let d = mean(&clusters[i].1, &clusters[j].1);
                if d < best.0 {
                    best = (d, i, j);
                }
            }
        }
        let (right, b) = clusters.remove(best.2);
        let (left, mut all) = clusters.remove(best.1);
        all.extend(b);
        merges.push(Join { left, right, height: best.0, size: all.len() });
        clusters.push((23 + merges.len(), all));
    }
    Dendrogram {
        title: "Average linkage of 24 samples".into(),
        x_label: "distance".into(),
        names: (0..24).map(|i| format!("sample {}{i}", ["north ", "east ", "south ", "west "][i % 4])).collect(),
        merges,
        threshold: Some(4.0),
    }
}

fn panels() -> Panels {
    Panels {
        title: "A report in four panels".into(),
        pictures: vec![Box::new(scatter()), Box::new(roc()), Box::new(relevance()), Box::new(confusion(4))],
        columns: 0,
    }
}
