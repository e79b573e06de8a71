//! A shortcut that was planted is found: clusters of explanations isolate the pictures that are decided by it.
//!
//! Rings, crosses and bars are drawn at drawn places with noise; two fifths of the rings have a mark in a corner, nothing
//! else has. A network is trained on them and, for comparison, on the same pictures without marks. Maps of relevance are
//! clustered class by class. Known is which pictures have the mark: purity is the share of marked rows in the strangest
//! cluster, recall its share of all marked rows that were taken for rings.

use super::{Finding, Outcome};
use base::{
    Classes, Dataset, Features, Inputs, Learner, Machine, Points, Prediction, Result, Run, Seed, Shape, Targets, normal,
};
use explain::{Method, Question, Tuning};
use pellucid::network::Mlp;
use pellucid::picture::{ImageGrid, ImagePlot, LinePlot, Pixels, Series};
use pellucid::{Clusters, Grouping, clusters};

const SIDE: usize = 16;
const CLASSES: [&str; 3] = ["ring", "cross", "bars"];
/// Rows and columns of the mark, in the corner at the bottom left.
const MARK: usize = 3;

/// Does the experiment.
pub(super) fn run(run: &Run<'_>) -> Result<Outcome> {
    let (planted, marked) = pictures(600, true, run.seed.fork("train"))?;
    let (plain, _) = pictures(600, false, run.seed.fork("train"))?;
    let (test, _) = pictures(300, false, run.seed.fork("test"))?;
    let learner = Mlp { hidden: vec![32.0], ..Mlp::default() };
    let fit = |data: &Dataset| Ok::<_, base::Error>(learner.fit(data, None, run)?.machine);
    let (cheats, honest) = (fit(&planted)?, fit(&plain)?);
    let asked = (Question { method: Some(Method::LrpComposite), output: None }, &Tuning::default());
    let group = |machine: &dyn Machine, data: &Dataset| {
        let rows: Vec<usize> = (0..data.len()).collect();
        clusters(machine, data, &rows, asked, &Grouping::default(), run)
    };
    let (found, beside) = (group(&*cheats, &planted)?, group(&*honest, &plain)?);
    let first = &found.clusters[0];
    let hits = first.rows.iter().filter(|&&row| marked[row]).count() as f64;
    let all: usize =
        found.clusters.iter().filter(|c| c.class == "ring").flat_map(|c| &c.rows).filter(|r| marked[**r]).count();
    let says = |machine: &dyn Machine, data: &Dataset| Prediction::of(machine, &data.inputs, run)?.classes(run);
    let truth = |data: &Dataset| match &data.targets {
        Targets::Classes(classes) => classes.codes().to_vec(),
        _ => vec![],
    };
    let share = |hits: usize, of: usize| hits as f64 / of.max(1) as f64;
    let right = |machine: &dyn Machine, data: &Dataset| {
        let (said, truth) = (says(machine, data)?, truth(data));
        Ok::<f64, base::Error>(share(said.iter().zip(&truth).filter(|(a, b)| a == b).count(), truth.len()))
    };
    // Crosses and bars that get the mark are taken for rings by the one network, and not by the other.
    let others: Vec<usize> = truth(&test).iter().enumerate().filter(|(_, c)| **c != 0).map(|(i, _)| i).collect();
    let given = with_mark(&test.select(&others)?)?;
    let fooled = |machine: &dyn Machine| {
        Ok::<f64, base::Error>(share(says(machine, &given)?.iter().filter(|c| **c == 0).count(), others.len()))
    };
    let strange = beside.clusters.first().map_or(0.0, |c| c.strange);
    let findings = vec![
        Finding::at_least("accuracy on new images without marks", right(&*cheats, &test)?, 0.9),
        Finding::at_least("clusters of rings", found.clusters.iter().filter(|c| c.class == "ring").count() as f64, 2.0),
        Finding::at_least("the most anomalous cluster is of rings", f64::from(u8::from(first.class == "ring")), 1.0),
        Finding::at_least("its purity: rows with the mark", hits / first.rows.len().max(1) as f64, 0.9),
        Finding::at_least("its recall: of all rows with the mark", hits / all.max(1) as f64, 0.9),
        Finding::at_least(
            "its outlier score relative to the largest without marks",
            first.strange / strange.max(1e-9),
            1.5,
        ),
        Finding::at_least("other classes predicted as rings when given the mark", fooled(&*cheats)?, 0.15),
        Finding::at_most("the same for the network that saw no marks", fooled(&*honest)?, 0.1),
    ];
    let about = format!(
        "{} images of 16 x 16, {} of them rings with a mark. Relevance by {}, maps clustered spectrally; the \
             references are what an analysis that exposes the shortcut has to reach.",
        planted.len(),
        marked.iter().filter(|m| **m).count(),
        found.method
    );
    Ok(Outcome {
        about,
        findings,
        pictures: vec![Box::new(means(&found)), Box::new(spectra(&found)), Box::new(shown(&planted, &found)?)],
    })
}

/// Drawn pictures with their classes; which of them have the mark.
fn pictures(count: usize, marks: bool, seed: Seed) -> Result<(Dataset, Vec<bool>)> {
    let (mut values, mut codes, mut marked) = (vec![], vec![], vec![]);
    for i in 0..count {
        let seed = seed.at(i);
        let mut stream = seed.stream();
        let class = i % 3;
        let mark = marks && class == 0 && seed.fork("mark").unit() < 0.4;
        let place = |name: &str| 7.5 + (2.0 * seed.fork(name).unit() - 1.0);
        let (y0, x0) = (place("row"), place("column"));
        for p in 0..SIDE * SIDE {
            let (y, x) = ((p / SIDE) as f64 - y0, (p % SIDE) as f64 - x0);
            let inside = y.abs() < 4.5 && x.abs() < 4.5;
            let bright = match class {
                0 => ((y * y + x * x).sqrt() - 3.5).abs() < 0.8,
                1 => inside && (y.abs() < 0.8 || x.abs() < 0.8),
                _ => inside && (y.abs() - 2.5).abs() < 0.8,
            };
            let noise = 0.25 * normal(&mut stream);
            let value: f64 = if mark && in_mark(p) { 1.0 } else { f64::from(u8::from(bright)) * 0.6 + noise };
            values.push(value.clamp(0.0, 1.0));
        }
        codes.push(class as u32);
        marked.push(mark);
    }
    let features = Features::unnamed(SIDE * SIDE).shaped(Shape::Image { height: SIDE, width: SIDE, channels: 1 })?;
    let targets = Targets::Classes(Classes::new(codes, CLASSES.map(String::from).to_vec())?);
    let data = Dataset { features, ..Dataset::new(Points::dense(values, count, SIDE * SIDE)?, targets) };
    Ok((data, marked))
}

fn in_mark(p: usize) -> bool {
    p / SIDE >= SIDE - MARK - 1 && p / SIDE < SIDE - 1 && (1..=MARK).contains(&(p % SIDE))
}

/// The same pictures, all with the mark.
fn with_mark(data: &Dataset) -> Result<Dataset> {
    let points = data.points()?;
    let mut values = points.to_dense(&base::Memory::unlimited())?.to_vec();
    values.iter_mut().enumerate().filter(|(i, _)| in_mark(i % (SIDE * SIDE))).for_each(|(_, v)| *v = 1.0);
    let points = Points::dense(values, points.len(), points.columns())?;
    Ok(Dataset { inputs: Inputs::Points(points), ..data.clone() })
}

/// The mean maps of the strangest clusters.
fn means(found: &Clusters) -> ImageGrid {
    let side = match found.shape {
        Some(Shape::Image { width, .. }) => width,
        _ => 1,
    };
    let image = |(k, c): (usize, &pellucid::Cluster)| ImagePlot {
        title: format!("{}: {}, {} rows", k + 1, c.class, c.rows.len()),
        columns: side,
        rows: c.mean.len() / side,
        pixels: Pixels::Signed { values: c.mean.clone(), limit: 0.0 },
    };
    let images = found.clusters.iter().enumerate().take(6).map(image).collect();
    ImageGrid { title: "Mean relevance of the most anomalous clusters".into(), images, columns: 3, shared: false }
}

fn spectra(found: &Clusters) -> LinePlot {
    let series = |(name, values): &(String, Vec<f64>)| Series {
        name: name.clone(),
        x: (1..=values.len()).map(|k| k as f64).collect(),
        y: values.clone(),
        ..Series::default()
    };
    LinePlot {
        title: "Eigenvalues of each class".into(),
        x_label: "number".into(),
        y_label: "eigenvalue".into(),
        series: found.eigenvalues.iter().map(series).collect(),
        marks: true,
        ..LinePlot::default()
    }
}

/// Examples of the strangest cluster and of the next.
fn shown(data: &Dataset, found: &Clusters) -> Result<ImageGrid> {
    let points = data.points()?;
    let mut images = vec![];
    for (k, cluster) in found.clusters.iter().enumerate().take(2) {
        for &row in cluster.examples.iter().take(4) {
            let mut values = vec![0.0; points.columns()];
            points.write_row(row, &mut values);
            let pixels = Pixels::Gray { values, range: Some((0.0, 1.0)) };
            images.push(ImagePlot { title: format!("{}: row {row}", k + 1), columns: SIDE, rows: SIDE, pixels });
        }
    }
    Ok(ImageGrid { title: "Images nearest to the means of the first two".into(), images, columns: 4, shared: false })
}
