//! The experiments on real data with little of it, where the folder `shared/data` lies beside the repository.

use super::{explain_judge, explain_mosaics, oneclass_flipping, oneclass_panels, oneclass_text, oneclass_textures};
use base::Run;
use pellucid::explain::Method;
use std::path::PathBuf;

fn data(what: &str) -> Option<PathBuf> {
    testkit::shared(what)?;
    testkit::shared("")
}

fn run() -> Run<'static> {
    Run { threads: 2, ..Run::quiet(1) }
}

#[test]
fn panels_of_one_digit_light_up_where_they_are_anomalous() {
    let Some(folder) = data("mnist") else { return };
    let outcome = oneclass_panels::with(&folder, 600, 20, 0..1, &run()).unwrap();
    assert_eq!(outcome.findings.len(), 4);
    let wrong: Vec<_> = outcome.findings.iter().filter(|f| !f.agrees()).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// Outlierness of a row by its definition, from its squared distances: exponential or t-Student, with ‖·‖^q.
fn outlierness(squares: &[f64], weights: &[f64], student: bool, q: f64, sigma: f64) -> f64 {
    let power = |s: &f64| s.powf(0.5 * q);
    match student {
        // The harmonic mean of h_j = (1 + (r/σ)^q) / α_j.
        true => {
            let inverse: f64 = squares.iter().zip(weights).map(|(s, a)| a / (1.0 + power(s) / sigma.powf(q))).sum();
            squares.len() as f64 / inverse
        }
        // The soft minimum of h_j = r^q / (q σ^q) − log α_j.
        false => {
            let h: Vec<f64> =
                squares.iter().zip(weights).map(|(s, a)| power(s) / (q * sigma.powf(q)) - a.ln()).collect();
            let least = h.iter().copied().fold(f64::INFINITY, f64::min);
            least - h.iter().map(|h| (least - h).exp()).sum::<f64>().ln()
        }
    }
}

/// Every kernel and q once more: deep Taylor relevance, flipping and areas written out as they are defined.
#[test]
fn areas_of_flipping_are_those_of_the_definition_for_every_kernel_and_q() {
    use base::{Dataset, Learner, Targets};
    use pellucid::kernels::{Family, KernelSettings, OneClassSvm, nearest_quantile};
    let Some(folder) = data("cifar10/test_batch.png") else { return };
    let amount = oneclass_flipping::Amount { trained: 150, pictures: 25, seeds: 1 };
    let run = run();
    let outcome = oneclass_flipping::with(&folder, amount, &run).unwrap();
    let random: Vec<_> = outcome.findings.iter().filter(|f| f.what.contains("random")).collect();
    assert_eq!(random.len(), 12);
    assert!(random.iter().all(|f| f.ours > 0.0), "{random:?}");

    let seed = run.seed.fork("flipping").at(0);
    let train = oneclass_flipping::images(&folder, "data_batch_1.png", &run).unwrap();
    let test = oneclass_flipping::images(&folder, "test_batch.png", &run).unwrap();
    let own = oneclass_flipping::patches(&train, amount.trained, seed.fork("train")).unwrap();
    let asked = oneclass_flipping::patches(&test, amount.pictures, seed.fork("test")).unwrap();
    let d = own.columns();
    let rows = asked.to_dense(&run.memory).unwrap().to_vec();
    let sigma = nearest_quantile(&own, 0.1, &run).unwrap();
    let mut areas = vec![];
    for (student, q) in [(false, 1.0), (false, 2.0), (false, 4.0), (true, 1.0), (true, 2.0), (true, 4.0)] {
        let kernel = if student { Family::Student } else { Family::Exponential };
        let kernel = KernelSettings { kernel, sigma, q, ..KernelSettings::default() };
        let learner = OneClassSvm { nu: 0.1, kernel, ..OneClassSvm::default() };
        let machine = learner.fit(&Dataset::new(own.clone(), Targets::None), None, &run).unwrap().machine;
        let detector = machine.explainer(&run).unwrap();
        let references = detector.references().unwrap();
        let (alpha, m) = (references.weights(), references.points().len());
        let u = references.points().to_dense(&run.memory).unwrap().to_vec();
        let mut area = 0.0;
        for x in rows.chunks(d) {
            let differences: Vec<Vec<f64>> =
                u.chunks(d).map(|u| x.iter().zip(u).map(|(x, u)| (x - u) * (x - u)).collect()).collect();
            let squares: Vec<f64> = differences.iter().map(|z| z.iter().sum()).collect();
            let o = outlierness(&squares, alpha, student, q, sigma);
            // p_j, what of R_j comes from the distance, and its share by squared differences.
            let far: Vec<f64> = squares
                .iter()
                .map(|s| s.powf(0.5 * q) / if student { sigma.powf(q) } else { q * sigma.powf(q) })
                .collect();
            let h: Vec<f64> =
                (0..m).map(|j| if student { alpha[j] / (1.0 + far[j]) } else { far[j] - alpha[j].ln() }).collect();
            let least = h.iter().copied().fold(f64::INFINITY, f64::min);
            let part: Vec<f64> = h.iter().map(|h| if student { *h } else { (least - h).exp() }).collect();
            let whole: f64 = part.iter().sum();
            let mut relevance = vec![0.0; d];
            for j in (0..m).filter(|&j| squares[j] > 0.0) {
                let p = part[j] / whole;
                let delta = if student { p * o * far[j] / (1.0 + far[j]) } else { p * o.min(far[j]) };
                relevance.iter_mut().zip(&differences[j]).for_each(|(r, z)| *r += z / squares[j] * delta);
            }
            let mut order: Vec<usize> = (0..d).collect();
            order.sort_by(|&a, &b| relevance[b].total_cmp(&relevance[a]));
            let mut left = differences.clone();
            let mut curve = vec![o];
            for i in order {
                left.iter_mut().for_each(|z| z[i] = 0.0);
                let squares: Vec<f64> = left.iter().map(|z| z.iter().sum()).collect();
                curve.push(outlierness(&squares, alpha, student, q, sigma));
            }
            let mean = curve.windows(2).map(|w| 0.5 * (w[0] + w[1])).sum::<f64>() / d as f64;
            area += mean / o / amount.pictures as f64;
        }
        let name = format!("{} q={q}: area of dtd", if student { "t-Student" } else { "exponential" });
        let found = outcome.findings.iter().find(|f| f.what == name).unwrap_or_else(|| panic!("{name}")).ours;
        assert!((found - area).abs() < 1e-6, "{name}: {found} is not {area}");
        areas.push(area);
    }
    for (i, a) in areas.iter().enumerate() {
        assert!(areas[..i].iter().all(|b| (a - b).abs() > 1e-4), "kernels and q must differ: {areas:?}");
    }
}

#[test]
fn planted_defects_are_found_by_the_heat_map_and_better_than_by_edges() {
    let Some(folder) = data("test_images_skimage/brick.png") else { return };
    let outcome = oneclass_textures::with(&folder, 1, 500, &run()).unwrap();
    assert!(outcome.agrees(), "{:?}", outcome.findings);
    let of = |word: &str| outcome.findings.iter().find(|f| f.what.ends_with(word)).unwrap().ours;
    // A blurred disc in bricks; a map that shows nothing has .5, and edges are fewer inside.
    let (heat, edges) = (of("heat map"), of("edges"));
    assert!(heat > 0.6 && heat > edges + 0.1, "{:?}", outcome.findings);
    let won = outcome.findings.last().unwrap();
    assert_eq!((won.what.as_str(), won.ours), ("of 1 the heat map is better on", 1.0));
    assert!(oneclass_textures::with(&folder.join("nowhere"), 1, 10, &run()).is_err());
}

/// Nothing but the disc changes, and there every kind does what it is called by.
#[test]
fn defects_are_what_they_are_called_and_stay_in_their_disc() {
    use oneclass_textures::{KINDS, SIDE, defect, within};
    let texture = |shift: usize| -> Vec<f64> {
        (0..SIDE * SIDE).map(|i| ((i / SIDE * 7 + i % SIDE * 3 + shift) % 50) as f64 + 60.0).collect()
    };
    let textures = [texture(0), texture(17)];
    let centre = (100, 120);
    let inside: Vec<usize> = (0..SIDE * SIDE).filter(|&i| within((i / SIDE, i % SIDE), centre)).collect();
    assert!((inside.len() as f64 / (std::f64::consts::PI * 196.0) - 1.0).abs() < 0.05, "{}", inside.len());
    let variance = |v: &[f64]| {
        let of: Vec<f64> = inside.iter().map(|&i| v[i]).collect();
        let mean = of.iter().sum::<f64>() / of.len() as f64;
        of.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / of.len() as f64
    };
    for kind in KINDS {
        let out = defect(&textures, 0, kind, centre);
        let outside = (0..SIDE * SIDE).filter(|&i| !within((i / SIDE, i % SIDE), centre));
        assert!(outside.into_iter().all(|i| out[i] == textures[0][i]), "{kind} changes what lies outside");
        assert!(inside.iter().filter(|&&i| out[i] != textures[0][i]).count() > inside.len() / 2, "{kind}");
        let (before, after) = (variance(&textures[0]), variance(&out));
        match kind {
            "blurred" => assert!(after < 0.2 * before, "{after} {before}"),
            "brighter" => assert!(inside.iter().all(|&i| out[i] - textures[0][i] == 45.0)),
            "flat" => assert!((after / before - 0.0625).abs() < 1e-9),
            "foreign" => assert!(inside.iter().all(|&i| out[i] == textures[1][i])),
            _ => assert!((after / before - 1.0).abs() < 0.05, "turned pixels are the same pixels: {after} {before}"),
        }
    }
}

#[test]
fn words_there_and_missing_add_up() {
    let Some(folder) = data(oneclass_text::FILE) else { return };
    let outcome = oneclass_text::with(&folder, 1000, 100, &run()).unwrap();
    assert!(outcome.agrees(), "{:?}", outcome.findings);
    let missing = outcome.findings.iter().find(|f| f.what.contains("missing")).unwrap();
    assert!(missing.ours > 0.1 && missing.ours < 0.9, "{missing:?}");
    assert_eq!(outcome.pictures.len(), 2);
}

#[test]
fn explanations_of_digits_and_clothes_are_ahead_of_chance() {
    let Some(folder) = data("fashion_mnist") else { return };
    let amount = explain_judge::Amount { judged: 12, trained: 600, epochs: 2 };
    let methods = [Method::LrpComposite, Method::InputGradient];
    let outcome = explain_judge::with(&folder, amount, &methods, &run()).unwrap();
    assert_eq!(outcome.findings.len(), 2 * (1 + 2 * 3));
    assert!(outcome.agrees(), "{:?}", outcome.findings);
    assert!(outcome.findings[0].ours > 0.97, "{:?}", outcome.findings[0]);
}

#[test]
fn relevance_finds_the_quarter_of_a_mosaic() {
    let Some(folder) = data(explain_mosaics::FILE) else { return };
    let outcome = explain_mosaics::with(&folder, 4, &[Method::LrpEpsilonPlus], &run()).unwrap();
    let of = |word: &str| outcome.findings.iter().find(|f| f.what.starts_with(word)).unwrap().ours;
    assert!((of("random") - 0.25).abs() < 0.01, "{:?}", outcome.findings);
    assert!(of("lrp-epsilon-plus") > 0.3, "{:?}", outcome.findings);
}
