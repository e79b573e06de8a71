//! Textures with planted defects: a detector of the picture's own patches, and Sobel's edges beside it.
//!
//! Three photographs of textures are halved in size (each pixel the mean of four), and twenty copies get one defect each:
//! a disc that is blurred, turned by 90 degrees, brightened, given the contrast of another place, or replaced by another
//! texture; kinds and places are fixed by their number. The detector is fitted on drawn 7 x 7 patches of the very picture
//! (ν = 0.1, Gaussian, σ the 0.1-quantile of distances to nearest neighbours), and all patches' heat maps are added up.
//! Judged is the area under the ROC curve of pixels, inside the disc against outside.

use super::{Finding, Outcome};
use base::{Cells, Dataset, Error, Inputs, Learner, Place, Points, Progress, Result, Run, Seed, Shape, Targets};
use files::Reading;
use pellucid::explain::Windows;
use pellucid::explain::attribution::sobel;
use pellucid::kernels::{KernelSettings, OneClassSvm, nearest_quantile};
use pellucid::picture::{ImageGrid, ImagePlot, Pixels};
use std::path::Path;

pub(super) const SIDE: usize = 256;
const PATCH: usize = 7;
const TEXTURES: [&str; 3] = ["brick.png", "grass.png", "gravel.png"];
pub(super) const KINDS: [&str; 5] = ["blurred", "turned", "brighter", "flat", "foreign"];
const RADIUS: usize = 14;

/// Does the experiment with twenty pictures.
pub(super) fn run(data: &Path, run: &Run<'_>) -> Result<Outcome> {
    with(data, 20, 2000, run)
}

/// The same with fewer pictures.
pub(super) fn with(data: &Path, pictures: usize, trained: usize, run: &Run<'_>) -> Result<Outcome> {
    let textures: Vec<Vec<f64>> = TEXTURES
        .iter()
        .map(|name| texture(&data.join("test_images_skimage").join(name), run))
        .collect::<Result<_>>()?;
    let shape = Shape::Image { height: SIDE, width: SIDE, channels: 1 };
    let windows = Windows::new(shape, (PATCH, PATCH), 1)?;
    let mut outcome = Outcome {
        about: "Pixel AUC of the heat map of a detector fitted to the image's own patches, and of Sobel edges.".into(),
        ..Outcome::default()
    };
    let mut won = 0;
    let mut shown = vec![];
    for k in 0..pictures {
        run.report(&Progress::of("textures", k as u64, pictures as u64))?;
        let (which, kind) = (k % TEXTURES.len(), k % KINDS.len());
        let seed = Seed(2020).fork("defect").at(k);
        let place = |name: &str| 40 + (seed.fork(name).unit() * (SIDE - 80) as f64) as usize;
        let centre = (place("row"), place("column"));
        let picture = defect(&textures, which, KINDS[kind], centre);
        let inside: Vec<bool> = (0..SIDE * SIDE).map(|i| within((i / SIDE, i % SIDE), centre)).collect();
        let order = run.seed.fork("patches").at(k).permutation(windows.count());
        let own = windows.cut(&picture, order.into_iter().take(trained))?;
        let learner = OneClassSvm {
            nu: 0.1,
            kernel: KernelSettings { sigma: nearest_quantile(&own, 0.1, run)?, ..KernelSettings::default() },
            ..OneClassSvm::default()
        };
        let machine = learner.fit(&Dataset::new(own, Targets::None), None, run)?.machine;
        let map = windows.heat_map(&*machine.explainer(run)?, "dtd", &picture, run)?;
        let edges = sobel(&Points::dense(picture.clone(), 1, SIDE * SIDE)?, Some(shape))?;
        let auc = |values: &[f64]| Ok::<f64, Error>(evaluate::roc(values, &inside, &|_| 1.0)?.area);
        let (ours, theirs) = (auc(&map.values)?, auc(&edges.values.to_dense(&run.memory)?)?);
        won += usize::from(ours > theirs);
        let name = format!("{} {k}, {}", TEXTURES[which].trim_end_matches(".png"), KINDS[kind]);
        outcome.findings.push(Finding::alone(format!("{name}: heat map"), ours));
        outcome.findings.push(Finding::alone(format!("{name}: edges"), theirs));
        if shown.len() < 6 {
            let gray = Pixels::Gray { values: picture, range: Some((0.0, 255.0)) };
            let image = |title: String, pixels: Pixels| ImagePlot { title, columns: SIDE, rows: SIDE, pixels };
            shown.push(image(name, gray));
            shown.push(image(format!("AUC {ours:.2}"), Pixels::Signed { values: map.values, limit: 0.0 }));
        }
    }
    let wanted = (0.8 * pictures as f64).ceil();
    outcome.findings.push(Finding::at_least(format!("of {pictures} the heat map is better on"), won as f64, wanted));
    let title = "Defects and heat maps".to_string();
    outcome.pictures.push(Box::new(ImageGrid { title, images: shown, columns: 2, shared: false }));
    Ok(outcome)
}

/// A gray picture of 512 x 512, halved by means of four pixels.
fn texture(path: &Path, run: &Run<'_>) -> Result<Vec<f64>> {
    let data = files::read(path, &Reading::default(), run)?;
    let wrong =
        || Error::data(Place::Whole, format!("{}: expected an image of {} x {}", path.display(), 2 * SIDE, 2 * SIDE));
    let Inputs::Table(table) = &data.inputs else { return Err(wrong()) };
    let image = table.columns().iter().find_map(|c| match &c.cells {
        Cells::Image(images) => images.first().cloned().flatten(),
        _ => None,
    });
    let image = image.filter(|i| (i.height, i.width) == (2 * SIDE, 2 * SIDE)).ok_or_else(wrong)?;
    let values = image.values.get(0..image.values.len());
    let c = image.channels;
    let at = |y: usize, x: usize| {
        values[(y * 2 * SIDE + x) * c..(y * 2 * SIDE + x) * c + c.min(3)].iter().sum::<f64>() / c.min(3) as f64
    };
    let mean = |i: usize| {
        let (y, x) = (2 * (i / SIDE), 2 * (i % SIDE));
        0.25 * (at(y, x) + at(y, x + 1) + at(y + 1, x) + at(y + 1, x + 1))
    };
    Ok((0..SIDE * SIDE).map(mean).collect())
}

pub(super) fn within((y, x): (usize, usize), (row, column): (usize, usize)) -> bool {
    y.abs_diff(row).pow(2) + x.abs_diff(column).pow(2) <= RADIUS * RADIUS
}

/// A texture with one defect.
pub(super) fn defect(textures: &[Vec<f64>], which: usize, kind: &str, centre: (usize, usize)) -> Vec<f64> {
    let own = &textures[which];
    let mean = own.iter().sum::<f64>() / own.len() as f64;
    let mut out = own.clone();
    for y in centre.0 - RADIUS..=centre.0 + RADIUS {
        for x in centre.1 - RADIUS..=centre.1 + RADIUS {
            if !within((y, x), centre) {
                continue;
            }
            let i = y * SIDE + x;
            out[i] = match kind {
                "blurred" => {
                    let near = (y - 3..=y + 3).flat_map(|b| (x - 3..=x + 3).map(move |a| own[b * SIDE + a]));
                    near.sum::<f64>() / 49.0
                }
                "turned" => own[(centre.0 + x - centre.1) * SIDE + centre.1 + centre.0 - y],
                "brighter" => (own[i] + 45.0).min(255.0),
                "flat" => mean + 0.25 * (own[i] - mean),
                _ => textures[(which + 1) % textures.len()][i],
            };
        }
    }
    out
}
