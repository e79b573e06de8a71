//! Messages that offend are strange among those that do not: which words, there or missing, make them so?
//!
//! Texts become binary bags of stemmed words that occur in at least five of them, stop words included. A detector
//! (Gaussian, σ = 10, ν = 0.3) learns four fifths of the inoffensive messages; offensive ones and the other inoffensive
//! ones are explained word by word. The original has a corpus of personal attacks; here the tweets of Davidson et al.

use super::{Finding, Outcome};
use base::{
    Cells, Column, Dataset, Error, Inputs, Learner, Pipeline, Points, Relevance, Result, Run, Settings, Table, Targets,
};
use files::Reading;
use pellucid::explain::words;
use pellucid::kernels::{KernelSettings, OneClassSvm};
use pellucid::picture::Bars;
use prepare::BagOfWords;
use std::collections::HashMap;
use std::path::Path;

/// Where the messages lie.
pub(super) const FILE: &str = "text_moderation/davidson_hate_offensive_labeled_data.csv.gz";
/// Words whose use is looked at.
const FIRST: usize = 30;
/// Words of a message in a picture.
const SHOWN: usize = 14;

/// Does the experiment with all inoffensive messages.
pub(super) fn run(data: &Path, run: &Run<'_>) -> Result<Outcome> {
    with(data, usize::MAX, 400, run)
}

/// The same with fewer messages to learn and to explain.
pub(super) fn with(data: &Path, trained: usize, tested: usize, run: &Run<'_>) -> Result<Outcome> {
    let (calm, offensive) = messages(&data.join(FILE), run)?;
    let order = run.seed.fork("text").permutation(calm.len());
    let cut = calm.len() * 4 / 5;
    let pick = |rows: &[usize]| rows.iter().map(|&i| calm[i].as_str()).collect::<Vec<_>>();
    let (own, held) = (pick(&order[..cut.min(trained)]), pick(&order[cut..]));
    let strange: Vec<&str> =
        run.seed.fork("offensive").permutation(offensive.len()).iter().map(|&i| offensive[i].as_str()).collect();
    let (held, strange) = (&held[..held.len().min(tested)], &strange[..strange.len().min(tested)]);

    let mut bag = BagOfWords::default();
    for (name, value) in [("weights", "binary"), ("min_df", "5"), ("stem", "english"), ("min_length", "1")] {
        bag.set_text(name, value)?;
    }
    let detector = OneClassSvm {
        nu: 0.3,
        kernel: KernelSettings { sigma: 10.0, ..KernelSettings::default() },
        ..OneClassSvm::default()
    };
    let both = Pipeline { steps: vec![Box::new(bag), Box::new(detector)] };
    let machine = both.fit(&Dataset::new(table(&own)?, Targets::None), None, run)?.machine;
    let links = machine.links();
    let [bag, inner] = links[..] else { return Err(Error::size("steps", 2, links.len())) };
    let detector = inner.explainer(run)?;
    let told = |texts: &[&str]| -> Result<(Points, Relevance)> {
        let counts = bag.compute(&Inputs::Table(table(texts)?), run)?;
        let relevance = detector.explain("dtd", &counts, 0, run)?;
        Ok((counts, relevance))
    };
    let (calm_told, strange_told) = (told(held)?, told(strange)?);

    let mut outcome = Outcome {
        about: "Offensive messages scored by a detector fitted to inoffensive ones. Relevance is by deep Taylor \
             decomposition over words, present or missing. The area under the ROC curve shows how well the \
             outlier score alone separates the two (hardly: long messages are the outliers); the last two lines, \
             whether the words with the most relevance in offensive messages are words that these use more \
             often."
            .into(),
        ..Outcome::default()
    };
    let scores = |(_, r): &(Points, Relevance)| -> Vec<f64> { r.balance.iter().flatten().map(|b| b.score).collect() };
    let (normal, odd) = (scores(&calm_told), scores(&strange_told));
    let scores = [&odd[..], &normal[..]].concat();
    let positive: Vec<bool> = (0..scores.len()).map(|i| i < odd.len()).collect();
    let area = evaluate::roc(&scores, &positive, &|_| 1.0)?.area;
    outcome.findings.push(Finding::alone("area under the ROC curve", area));
    let worst = [&calm_told, &strange_told].into_iter().flat_map(|t| t.1.balance.iter().flatten());
    let open = worst.map(|b| b.open().abs() / b.score.abs().max(1.0)).fold(0.0, f64::max);
    outcome.findings.push(Finding::at_most("largest conservation error", open, 1e-9));

    let features = bag.outputs().as_features();
    let (mut present, mut absent) = (0.0, 0.0);
    let mut by_word: HashMap<String, f64> = HashMap::new();
    let (mut counts, mut own) = (vec![0.0; features.count()], vec![0.0; features.count()]);
    for i in 0..strange.len() {
        strange_told.0.write_row(i, &mut counts);
        strange_told.1.values.write_row(i, &mut own);
        let all = words(&own, &counts, &features)?;
        for word in &all {
            *if word.present { &mut present } else { &mut absent } += word.relevance;
            if word.present {
                *by_word.entry(word.word.clone()).or_default() += word.relevance;
            }
        }
        if i < 2 {
            let mark = |present: bool| if present { "" } else { " (missing)" };
            let shown = all.iter().take(SHOWN);
            outcome.pictures.push(Box::new(Bars {
                title: format!("An offensive message, {} words", counts.iter().filter(|c| **c > 0.0).count()),
                x_label: "relevance".into(),
                names: shown.clone().map(|w| format!("{}{}", w.word, mark(w.present))).collect(),
                values: shown.map(|w| w.relevance).collect(),
                signed: true,
                ..Bars::default()
            }));
        }
    }
    outcome.findings.push(Finding::alone("fraction of relevance on missing words", absent / (present + absent)));
    let mut first: Vec<(String, f64)> = by_word.into_iter().collect();
    first.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    first.truncate(FIRST);
    let (among_calm, among_odd) = (usage(&calm_told.0), usage(&strange_told.0));
    let place: HashMap<String, usize> =
        (0..features.count()).map(|c| (features.name(c).rsplit(':').next().unwrap_or("").to_string(), c)).collect();
    let more = first.iter().filter(|(w, _)| place.get(w).is_some_and(|&c| among_odd[c] > among_calm[c])).count();
    outcome.findings.push(Finding::alone(
        format!("fraction of the {FIRST} most relevant words used more in offensive messages"),
        more as f64 / first.len().max(1) as f64,
    ));
    let every = (0..features.count()).filter(|&c| among_odd[c] > 0.0);
    let usual = every.clone().filter(|&c| among_odd[c] > among_calm[c]).count() as f64 / every.count().max(1) as f64;
    outcome.findings.push(Finding::alone("the same fraction among all words of offensive messages", usual));
    Ok(outcome)
}

/// The share of messages each word is in.
fn usage(counts: &Points) -> Vec<f64> {
    let (mut sum, mut row) = (vec![0.0; counts.columns()], vec![0.0; counts.columns()]);
    for i in 0..counts.len() {
        counts.write_row(i, &mut row);
        sum.iter_mut().zip(&row).for_each(|(s, x)| *s += f64::from(*x > 0.0) / counts.len() as f64);
    }
    sum
}

fn table(texts: &[&str]) -> Result<Table> {
    let mut cells = base::Texts::default();
    texts.iter().for_each(|t| cells.push(Some(t)));
    Table::new(vec![Column { name: "tweet".into(), cells: Cells::Text(cells) }])
}

/// Messages that nobody found offensive, and those of the other classes.
fn messages(path: &Path, run: &Run<'_>) -> Result<(Vec<String>, Vec<String>)> {
    let data = files::read(path, &Reading::default(), run)?;
    let Inputs::Table(table) = &data.inputs else { return Err(Error::size("messages", "a table", "points")) };
    let column = |name: &str| {
        let missing = || Error::data(base::Place::Whole, format!("{} has no column {name}", path.display()));
        table.column(name).ok_or_else(missing)
    };
    let (texts, hate, offence) = (column("tweet")?, column("hate_speech")?, column("offensive_language")?);
    let zero = |column: &Column, i: usize| column.cells.text(i).is_some_and(|t| t.trim() == "0");
    let (mut calm, mut offensive) = (vec![], vec![]);
    for i in 0..table.rows() {
        let Some(text) = texts.cells.text(i) else { continue };
        if zero(hate, i) && zero(offence, i) { calm.push(text) } else { offensive.push(text) }
    }
    Ok((calm, offensive))
}
