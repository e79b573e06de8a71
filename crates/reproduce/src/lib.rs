//! Experiments of the literature, repeated on this machine: our numbers beside the known ones.
//!
//! An experiment is a line in [`EXPERIMENTS`] and a file that makes an [`Outcome`] of a run: findings, each a number that
//! may have a reference and a tolerance, and pictures. The seed of the run decides all that is drawn.

mod bias_variance;
mod double_descent;
mod explain_judge;
mod explain_mosaics;
mod explain_shortcut;
mod lshtc;
mod oneclass_flipping;
mod oneclass_panels;
mod oneclass_text;
mod oneclass_textures;
mod step_sizes;

use base::{Error, Result, Run, nearest, number_text};
use pellucid::picture::{Look, Panels, Picture, PictureSize, png};
use pellucid::report::{Block, Page, Section};
use std::path::Path;

/// An experiment by name.
pub struct Experiment {
    /// The name on the command line.
    pub name: &'static str,
    /// What it shows, in a line.
    pub summary: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// Does it.
    pub work: Work,
}

/// What an experiment works on.
#[derive(Clone, Copy)]
pub enum Work {
    /// On data that are drawn.
    Drawn(fn(&Run<'_>) -> Result<Outcome>),
    /// On data that are drawn, for a quarter of an hour or so.
    Long(fn(&Run<'_>) -> Result<Outcome>),
    /// On real data below a folder, with how they are called there.
    OnData(fn(&Path, &Run<'_>) -> Result<Outcome>, &'static str),
}

impl Experiment {
    /// Whether it runs on real data, whose folder must then be named.
    pub fn needs_data(&self) -> bool {
        matches!(self.work, Work::OnData(..))
    }

    /// Whether it takes so long that it is done only by name.
    pub fn is_long(&self) -> bool {
        matches!(self.work, Work::Long(_))
    }

    /// Does it; `data` is the folder of the real data, for those that need some.
    pub fn run(&self, data: Option<&Path>, run: &Run<'_>) -> Result<Outcome> {
        match (self.work, data) {
            (Work::Drawn(work) | Work::Long(work), _) => work(run),
            (Work::OnData(work, needs), Some(data)) if data.join(needs).exists() => work(data, run),
            (Work::OnData(_, needs), Some(data)) => Err(Error::File {
                file: data.join(needs).display().to_string(),
                why: format!("does not exist; {} needs it in the data folder", self.name),
            }),
            (Work::OnData(_, needs), None) => {
                let why = format!("{} runs on real data: name the folder that contains {needs}", self.name);
                Err(Error::parameter("data", "none", why))
            }
        }
    }
}

/// All experiments.
pub const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "bias-variance",
        summary: "polynomials fitted to a noisy cubic: bias falls and variance grows with the degree",
        source: "Biehl: The Shallow and the Deep, 2023, section 7.1 and figure 7.1",
        work: Work::Drawn(bias_variance::run),
    },
    Experiment {
        name: "double-descent",
        summary: "test error peaks where there are as many examples as parameters, and ridge removes the peak",
        source: "Biehl: The Shallow and the Deep, 2023, section 7.1.3",
        work: Work::Drawn(double_descent::run),
    },
    Experiment {
        name: "explain-judge",
        summary: "image regions are removed, the most relevant first: every explanation method beats chance",
        source: "Samek, Binder, Montavon, Lapuschkin, Müller: Evaluating the visualization of what a deep neural network has learned, TNNLS 28, 2017",
        work: Work::OnData(explain_judge::run, "fashion_mnist"),
    },
    Experiment {
        name: "explain-mosaics",
        summary: "mosaics of four photographs: relevance lies in the quarter that shows the explained class",
        source: "Arias-Duart, Parés, Garcia-Gasulla, Giménez-Ábalos: Focus! Rating XAI methods and finding biases, FUZZ-IEEE 2022",
        work: Work::OnData(explain_mosaics::run, explain_mosaics::FILE),
    },
    Experiment {
        name: "explain-shortcut",
        summary: "a mark in a corner that gives a class away is isolated by clusters of explanations",
        source: "Lapuschkin et al.: Unmasking Clever Hans predictors, Nature Communications 10, 2019, spectral relevance analysis",
        work: Work::Drawn(explain_shortcut::run),
    },
    Experiment {
        name: "lshtc",
        summary: "1,139 classes of documents: joint machines err less than one-vs-rest, with a fraction of its weights",
        source: "Alber: Efficient learning machines, PhD thesis, TU Berlin, 2019, tables III.3 and III.4",
        work: Work::Long(lshtc::run),
    },
    Experiment {
        name: "oneclass-flipping",
        summary: "pixel flipping: removing relevant pixels makes image patches normal fastest with deep Taylor",
        source: "Kauffmann, Müller, Montavon: Towards explaining anomalies, Pattern Recognition 101, 2020, pixel flipping",
        work: Work::OnData(oneclass_flipping::run, "cifar10/test_batch.png"),
    },
    Experiment {
        name: "oneclass-panels",
        summary: "two digits side by side: relevance lies on the anomalous panel",
        source: "Kauffmann, Müller, Montavon: Towards explaining anomalies, Pattern Recognition 101, 2020, external validation",
        work: Work::OnData(oneclass_panels::run, "mnist"),
    },
    Experiment {
        name: "oneclass-text",
        summary: "words, present or missing, that make offensive messages anomalous among inoffensive ones",
        source: "Kauffmann, Müller, Montavon: Towards explaining anomalies, Pattern Recognition 101, 2020, text",
        work: Work::OnData(oneclass_text::run, oneclass_text::FILE),
    },
    Experiment {
        name: "oneclass-textures",
        summary: "a detector of a texture's own patches finds planted defects, edges do not",
        source: "Kauffmann, Müller, Montavon: Towards explaining anomalies, Pattern Recognition 101, 2020, textures",
        work: Work::OnData(oneclass_textures::run, "test_images_skimage/brick.png"),
    },
    Experiment {
        name: "step-sizes",
        summary: "gradient descent is smooth, oscillates or diverges by its rate times the largest curvature",
        source: "Biehl: The Shallow and the Deep, 2023, section 5.2.3 and figure 5.6",
        work: Work::Drawn(step_sizes::run),
    },
];

/// The experiment of that name.
pub fn experiment(name: &str) -> Result<&'static Experiment> {
    EXPERIMENTS.iter().find(|e| e.name == name).ok_or_else(|| {
        let names: Vec<&str> = EXPERIMENTS.iter().map(|e| e.name).collect();
        let hint = nearest(name, names.iter().copied()).map_or(String::new(), |n| format!("; did you mean {n}?"));
        Error::parameter("experiment", name, format!("the experiments are {}{hint}", names.join(", ")))
    })
}

/// A number that came out.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// What it is.
    pub what: String,
    /// Our number.
    pub ours: f64,
    /// What it should be, where that is known.
    pub reference: Option<f64>,
    /// How far it may be from the reference, by chance or rounding.
    pub tolerance: f64,
    /// Whether the reference is a bound.
    pub bound: Bound,
}

/// What a reference means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// The number should be near it.
    Near,
    /// The number should be no less.
    Least,
    /// The number should be no more.
    Most,
}

impl Finding {
    /// A number with what it should be.
    pub fn beside(what: impl Into<String>, ours: f64, reference: f64, tolerance: f64) -> Self {
        Finding { what: what.into(), ours, reference: Some(reference), tolerance, bound: Bound::Near }
    }

    /// A number that nothing is known of.
    pub fn alone(what: impl Into<String>, ours: f64) -> Self {
        Finding { what: what.into(), ours, reference: None, tolerance: f64::INFINITY, bound: Bound::Near }
    }

    /// A number that should be no less than a bound.
    pub fn at_least(what: impl Into<String>, ours: f64, bound: f64) -> Self {
        Finding { what: what.into(), ours, reference: Some(bound), tolerance: 0.0, bound: Bound::Least }
    }

    /// A number that should be no more than a bound.
    pub fn at_most(what: impl Into<String>, ours: f64, bound: f64) -> Self {
        Finding { what: what.into(), ours, reference: Some(bound), tolerance: 0.0, bound: Bound::Most }
    }

    /// Whether it is as it should be.
    pub fn agrees(&self) -> bool {
        self.reference.is_none_or(|r| match self.bound {
            Bound::Near => (self.ours - r).abs() <= self.tolerance,
            Bound::Least => self.ours >= r,
            Bound::Most => self.ours <= r,
        })
    }
}

/// What an experiment shows.
#[derive(Debug, Default)]
pub struct Outcome {
    /// What was done, and where the references come from.
    pub about: String,
    /// The numbers.
    pub findings: Vec<Finding>,
    /// The pictures.
    pub pictures: Vec<Box<dyn Picture>>,
}

impl Outcome {
    /// Whether all is as it should be.
    pub fn agrees(&self) -> bool {
        self.findings.iter().all(Finding::agrees)
    }

    /// The numbers as cells of text, with a line of names first.
    pub fn table(&self) -> Vec<[String; 5]> {
        let short = |x: f64| number_text((x * 1e5).round() / 1e5);
        let mut rows = vec![["", "ours", "reference", "tolerance", ""].map(String::from)];
        rows.extend(self.findings.iter().map(|f| {
            let (reference, tolerance) = match f.reference {
                Some(r) => match f.bound {
                    Bound::Near => (short(r), format!("{:.1e}", f.tolerance)),
                    Bound::Least => (short(r), "or more".into()),
                    Bound::Most => (short(r), "or less".into()),
                },
                None => ("-".into(), "-".into()),
            };
            let verdict = if f.agrees() { "" } else { "DIFFERS" };
            [f.what.clone(), short(f.ours), reference, tolerance, verdict.to_string()]
        }));
        rows
    }

    /// The outcome as a page; `repeat` is the command that makes it again.
    pub fn page(self, experiment: &Experiment, repeat: &str) -> Page {
        let mut table = self.table().into_iter().map(Vec::from);
        let head = table.next().unwrap_or_default();
        let numbers = vec![Block::Text(self.about), Block::Table { head, rows: table.collect() }];
        let section = |title: &str, blocks| Section { title: title.into(), blocks };
        Page {
            title: experiment.name.into(),
            summary: format!("{}. After {}.", experiment.summary, experiment.source),
            sections: vec![
                section("Pictures", vec![Block::Pictures(self.pictures)]),
                section("Numbers", numbers),
                section("How to reproduce this", vec![Block::Code(repeat.into())]),
            ],
        }
    }

    /// The pictures side by side as SVG.
    pub fn svg(self, experiment: &Experiment) -> Result<String> {
        let width = if self.pictures.len() > 1 { 960.0 } else { 640.0 };
        let panels = Panels { title: experiment.name.into(), pictures: self.pictures, columns: 0 };
        panels.to_svg(&Look { size: PictureSize { width, height: 0.0 }, ..Look::default() })
    }

    /// The pictures side by side as PNG.
    pub fn png(self, experiment: &Experiment) -> Result<Vec<u8>> {
        png(&self.svg(experiment)?, 2.0)
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod on_data;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_experiment_agrees_with_its_references() {
        // Those on real data take minutes and have a test each of a small part (`on_data`).
        for e in EXPERIMENTS {
            let Work::Drawn(work) = e.work else { continue };
            let outcome = work(&Run { threads: 2, ..Run::quiet(1) }).unwrap();
            let wrong: Vec<&Finding> = outcome.findings.iter().filter(|f| !f.agrees()).collect();
            assert!(wrong.is_empty(), "{}: {wrong:?}", e.name);
            assert!(outcome.findings.iter().filter(|f| f.reference.is_some()).count() >= 5, "{}", e.name);
            assert!(!outcome.pictures.is_empty() && !outcome.about.is_empty());
            let html = outcome.page(e, "pellucid").to_html().unwrap();
            assert!(html.contains("<svg") && html.contains(e.name));
        }
        assert!(experiment("double-decent").err().unwrap().to_string().contains("did you mean double-descent?"));
    }

    #[test]
    fn a_difference_shows() {
        let outcome = Outcome {
            findings: vec![Finding::beside("a", 1.0, 1.1, 0.05), Finding::alone("b", 2.0)],
            ..Outcome::default()
        };
        assert!(!outcome.agrees());
        let rows = outcome.table();
        assert_eq!(rows[1], ["a", "1", "1.1", "5.0e-2", "DIFFERS"]);
        assert_eq!(rows[2], ["b", "2", "-", "-", ""]);
        assert!(!Finding::beside("c", f64::NAN, 1.0, 1.0).agrees());
    }
}
