//! Two panels of digits side by side: a detector of one class on the left and nothing on the right.
//!
//! Inliers are digits of that class with a blank panel; type I outliers have another digit on the right, type II other
//! digits on both sides. Relevance should lie on the right for type I and on both for type II. One detector for each
//! class (Gaussian, σ = 400 for pixels from 0 to 255, ν = 0.01), and a diagonal Gaussian beside it.

use super::{Finding, Outcome};
use base::{Dataset, Error, Learner, Points, Progress, Relevance, Result, Run, Seed, Targets};
use files::Reading;
use pellucid::explain::attribution::Gaussian;
use pellucid::kernels::{KernelSettings, OneClassSvm};
use pellucid::picture::ScatterPlot;
use std::path::Path;

const SIDE: usize = 28;
const WIDTH: usize = 2 * SIDE;
/// Rows of each kind that are explained.
const TESTED: usize = 100;
/// Rows of each kind and class in the picture.
const SHOWN: usize = 20;
/// Added to the variances of the Gaussian, in pixels squared.
const LAMBDA: f64 = 1.0;

/// Digits and their classes.
struct Digits {
    pixels: Vec<f64>,
    labels: Vec<usize>,
}

impl Digits {
    fn read(data: &Path, part: &str, run: &Run<'_>) -> Result<Self> {
        let file = |kind: &str| data.join("mnist").join(format!("{part}-{kind}-ubyte.gz"));
        let images = files::read(&file("images-idx3"), &Reading::default(), run)?;
        let labels = files::read(&file("labels-idx1"), &Reading::default(), run)?;
        let pixels = images.points()?.to_dense(&run.memory)?.to_vec();
        let labels: Vec<usize> = labels.points()?.to_dense(&run.memory)?.iter().map(|&l| l as usize).collect();
        match pixels.len() == labels.len() * SIDE * SIDE {
            true => Ok(Digits { pixels, labels }),
            false => Err(Error::size("pixels of the digits", labels.len() * SIDE * SIDE, pixels.len())),
        }
    }

    fn of(&self, class: usize) -> Vec<usize> {
        (0..self.labels.len()).filter(|&i| self.labels[i] == class).collect()
    }

    fn except(&self, class: usize) -> Vec<usize> {
        (0..self.labels.len()).filter(|&i| self.labels[i] != class).collect()
    }

    /// Two panels, the right one possibly blank.
    fn panels(&self, left: usize, right: Option<usize>, out: &mut Vec<f64>) {
        let digit = |i: usize, y: usize| &self.pixels[(i * SIDE + y) * SIDE..(i * SIDE + y + 1) * SIDE];
        for y in 0..SIDE {
            out.extend_from_slice(digit(left, y));
            match right {
                Some(right) => out.extend_from_slice(digit(right, y)),
                None => out.extend([0.0; SIDE]),
            }
        }
    }
}

/// Relevance on the left and on the right of each row.
fn halves(relevance: &Relevance, run: &Run<'_>) -> Result<Vec<(f64, f64)>> {
    let values = relevance.values.to_dense(&run.memory)?;
    let half = |row: &[f64], right: bool| {
        row.iter().enumerate().filter(|(i, _)| (i % WIDTH >= SIDE) == right).map(|(_, r)| r).sum::<f64>()
    };
    Ok(values.chunks_exact(WIDTH * SIDE).map(|row| (half(row, false), half(row, true))).collect())
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut all: Vec<f64> = values.collect();
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied().unwrap_or(f64::NAN)
}

fn share(right: bool) -> impl Fn(&(f64, f64)) -> f64 {
    move |&(l, r)| if right { r } else { l } / (l + r).max(f64::MIN_POSITIVE)
}

/// Does the experiment with all rows.
pub(super) fn run(data: &Path, run: &Run<'_>) -> Result<Outcome> {
    with(data, usize::MAX, TESTED, 0..10, run)
}

/// The same with fewer rows and classes.
pub(super) fn with(
    data: &Path,
    trained: usize,
    tested: usize,
    classes: std::ops::Range<usize>,
    run: &Run<'_>,
) -> Result<Outcome> {
    let (train, test) = (Digits::read(data, "train", run)?, Digits::read(data, "t10k", run)?);
    let mut outcome = Outcome {
        about: "Medians over test rows: the right panel's fraction of the relevance for type I (anomalous on the \
                 right), the left panel's for type II (anomalous on both), by deep Taylor (dtd) and by a \
                 diagonal Gaussian (mvn), and the total relevance of inliers as a fraction of type II's."
            .into(),
        ..Outcome::default()
    };
    let (mut cloud, mut kinds) = (vec![], vec![]);
    for class in classes {
        run.report(&Progress::of("panels", class as u64, 10))?;
        let mut rows = train.of(class);
        rows.truncate(trained);
        let mut values = vec![];
        rows.iter().for_each(|&i| train.panels(i, None, &mut values));
        let points = Points::dense(values, rows.len(), WIDTH * SIDE)?;
        let learner = OneClassSvm {
            nu: 0.01,
            kernel: KernelSettings { sigma: 400.0, ..KernelSettings::default() },
            ..OneClassSvm::default()
        };
        let machine = learner.fit(&Dataset::new(points.clone(), Targets::None), None, run)?.machine;
        let (detector, gaussian) = (machine.explainer(run)?, Gaussian::of(&points, LAMBDA)?);
        let (own, other) = (test.of(class), test.except(class));
        let seed = run.seed.fork("panels").at(class);
        let pick = |from: &[usize], what: &str, k: usize| from[draw(seed.fork(what).at(k), from.len())];
        let kind = |left: &str, right: Option<&str>| -> Result<Points> {
            let mut values = vec![];
            for k in 0..tested {
                let left = pick(if left == "own" { &own } else { &other }, left, k);
                test.panels(left, right.map(|r| pick(&other, r, k)), &mut values);
            }
            Points::dense(values, tested, WIDTH * SIDE)
        };
        let told = |points: &Points| halves(&detector.explain("dtd", points, 0, run)?, run);
        let (inlier, first, second) =
            (told(&kind("own", None)?)?, told(&kind("own", Some("right"))?)?, told(&kind("other", Some("right"))?)?);
        let blind = halves(&gaussian.explain(&kind("other", Some("right"))?)?, run)?;
        let total = |rows: &[(f64, f64)]| median(rows.iter().map(|(l, r)| l + r));
        let findings = &mut outcome.findings;
        let name = |what: &str| format!("digit {class}: {what}");
        findings.push(Finding::at_least(name("type I, right, dtd"), median(first.iter().map(share(true))), 0.6));
        findings.push(Finding::at_least(name("type II, left, dtd"), median(second.iter().map(share(false))), 0.35));
        findings.push(Finding::at_most(name("type II, left, mvn"), median(blind.iter().map(share(false))), 0.05));
        findings.push(Finding::at_most(name("inliers' total of type II's"), total(&inlier) / total(&second), 0.3));
        for (kind, rows) in [&inlier, &first, &second].into_iter().enumerate() {
            let shown = rows.iter().take(SHOWN);
            kinds.extend(shown.clone().map(|_| kind));
            cloud.extend(shown.map(|&(left, right)| [right, left]));
        }
    }
    let most = cloud.iter().flatten().copied().fold(0.0, f64::max);
    outcome.pictures.push(Box::new(ScatterPlot {
        title: "Relevance of the two panels".into(),
        x_label: "on the right".into(),
        y_label: "on the left".into(),
        points: cloud,
        classes: kinds,
        names: ["inliers", "type I", "type II"].map(String::from).to_vec(),
        lines: vec![vec![[0.0, 0.0], [most, most]]],
        ..ScatterPlot::default()
    }));
    Ok(outcome)
}

fn draw(seed: Seed, n: usize) -> usize {
    ((seed.unit() * n as f64) as usize).min(n.saturating_sub(1))
}
