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
fn panels_of_one_digit_light_up_where_they_are_strange() {
    let Some(folder) = data("mnist") else { return };
    let outcome = oneclass_panels::with(&folder, 600, 20, 0..1, &run()).unwrap();
    assert_eq!(outcome.findings.len(), 4);
    let wrong: Vec<_> = outcome.findings.iter().filter(|f| !f.agrees()).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn flipping_beats_chance() {
    let Some(folder) = data("cifar10/test_batch.png") else { return };
    let amount = oneclass_flipping::Amount { trained: 200, pictures: 40, seeds: 1 };
    let outcome = oneclass_flipping::with(&folder, amount, &run()).unwrap();
    let random: Vec<_> = outcome.findings.iter().filter(|f| f.what.contains("random")).collect();
    assert_eq!(random.len(), 12);
    assert!(random.iter().all(|f| f.ours > 0.0), "{random:?}");
}

#[test]
fn a_planted_defect_is_found() {
    let Some(folder) = data("test_images_skimage/brick.png") else { return };
    let outcome = oneclass_textures::with(&folder, 1, 500, &run()).unwrap();
    assert!(outcome.agrees(), "{:?}", outcome.findings);
    let Some(none) = data("test_images_skimage") else { return };
    assert!(oneclass_textures::with(&none.join("nowhere"), 1, 10, &run()).is_err());
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
