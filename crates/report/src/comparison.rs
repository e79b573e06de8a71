//! Machines compared on one or more data sets, as a page.
//!
//! Each data set has its table (mean, deviation, rank, tests against the best of that set) and its box plot of the
//! splits; several data sets have a table of all means and the ranks over all of them, by Friedman's test.

use crate::{Block, Page, Section};
use base::Result;
use evaluate::{Comparison, Measures, friedman};
use picture::{Bars, Boxes, Group, Picture};

/// The level below which a difference is said to be one.
const LEVEL: f64 = 0.05;

/// How machines did on one data set.
#[derive(Debug, Clone)]
pub struct Compared {
    /// What the data are called.
    pub data: String,
    /// How many rows they have.
    pub rows: usize,
    /// How many splits there were.
    pub splits: usize,
    /// What came out; all data sets of a page have the same machines in the same order.
    pub comparison: Comparison,
    /// The settings that each machine chooses with all rows to learn from, where it chooses any.
    pub whole: Vec<Option<String>>,
}

/// The page of one or more comparisons of the same machines; `repeat` is the command that makes it again.
pub fn comparison_page(all: &[Compared], repeat: &str) -> Result<Page> {
    let names = all.first().map_or(&[][..], |c| &c.comparison.names);
    let sets = match all {
        [one] => one.data.clone(),
        many => format!("{} data sets", many.len()),
    };
    let mut sections = vec![];
    if all.len() > 1 {
        sections.push(Section { title: "Across data sets".into(), blocks: overall(all, names)? });
    }
    sections.extend(all.iter().map(|c| Section { title: c.data.clone(), blocks: single(c) }));
    sections.push(Section { title: "How to read this".into(), blocks: reading(all) });
    sections.push(Section { title: "How to reproduce this".into(), blocks: vec![Block::Code(repeat.to_string())] });
    let measure = all.first().map_or("", |c| c.comparison.measure.as_str());
    Ok(Page {
        title: format!("Comparison of {} machines on {sets}", names.len()),
        summary: format!("By {measure} on held-out rows; preparation and model selection were done without them."),
        sections,
    })
}

/// All means side by side, and the ranks over the data sets.
fn overall(all: &[Compared], names: &[String]) -> Result<Vec<Block>> {
    let sign = |c: &Comparison| if Measures::larger_is_better(&c.measure) { 1.0 } else { -1.0 };
    let scores: Vec<Vec<f64>> = all
        .iter()
        .map(|c| c.comparison.means.iter().map(|m| if m.is_nan() { f64::MIN } else { sign(&c.comparison) * m }))
        .map(Iterator::collect)
        .collect();
    let mut blocks = vec![];
    let mut order: Vec<usize> = (0..names.len()).collect();
    let mut ranks = vec![f64::NAN; names.len()];
    let mut p = vec![f64::NAN; names.len()];
    if names.len() > 1 {
        let test = friedman(&scores)?;
        order.sort_by(|&a, &b| test.ranks[a].total_cmp(&test.ranks[b]).then(a.cmp(&b)));
        blocks.push(Block::Text(format!(
            "Mean ranks over {} data sets; Friedman test that all machines perform equally: p = {}. {} has the \
                 smallest mean rank.",
            all.len(),
            probability(test.p),
            names[test.best]
        )));
        blocks.push(Block::Pictures(vec![Box::new(Bars {
            title: "Mean rank, 1 is best".into(),
            x_label: "mean rank".into(),
            names: order.iter().map(|&k| names[k].clone()).collect(),
            values: order.iter().map(|&k| test.ranks[k]).collect(),
            ..Bars::default()
        })]));
        (ranks, p) = (test.ranks, test.against_best);
    }
    let mut head = ["machine", "mean rank", "p (Holm)"].map(String::from).to_vec();
    head.extend(all.iter().map(|c| c.data.clone()));
    let row = |&k: &usize| {
        let best = ranks.iter().all(|r| *r >= ranks[k]);
        let against = if best { "best".into() } else { probability(p[k]) };
        let mut cells = vec![names[k].clone(), format!("{:.2}", ranks[k]), against];
        cells.extend(all.iter().map(|c| {
            let c = &c.comparison;
            format!("{}\u{a0}±\u{a0}{}{}", short(c.means[k]), short(c.deviations[k]), mark(c, k))
        }));
        cells
    };
    blocks.push(Block::Table { head, rows: order.iter().map(row).collect() });
    Ok(blocks)
}

/// The table and the box plot of one data set.
fn single(compared: &Compared) -> Vec<Block> {
    let c = &compared.comparison;
    let mut order: Vec<usize> = (0..c.names.len()).collect();
    order.sort_by(|&a, &b| c.ranks[a].total_cmp(&c.ranks[b]).then(a.cmp(&b)));
    let head =
        ["machine", c.measure.as_str(), "standard deviation", "mean rank", "p (t)", "p (McNemar)"].map(String::from);
    let row = |&k: &usize| {
        let (t, m) = match k == c.best {
            true => ("best".to_string(), "best".to_string()),
            false => (probability(c.t_test[k]), c.mc_nemar[k].map_or("-".into(), probability)),
        };
        let mean = format!("{}{}", short(c.means[k]), mark(c, k));
        vec![c.names[k].clone(), mean, short(c.deviations[k]), format!("{:.2}", c.ranks[k]), t, m]
    };
    let groups = order.iter().map(|&k| Group { name: c.names[k].clone(), values: c.validations[k].all(&c.measure) });
    let boxes: Box<dyn Picture> = Box::new(Boxes {
        title: format!("{} of each split", c.measure),
        x_label: c.measure.clone(),
        groups: groups.collect(),
    });
    vec![
        Block::Text(format!("{}, {}.", base::plural(compared.rows, "row"), base::plural(compared.splits, "split"))),
        Block::Table { head: head.to_vec(), rows: order.iter().map(row).collect() },
        Block::Pictures(vec![boxes]),
    ]
    .into_iter()
    .chain(choices(compared))
    .collect()
}

/// The settings that machines chose for themselves: how many splits chose what, and what all rows choose.
fn choices(compared: &Compared) -> Option<Block> {
    let c = &compared.comparison;
    let mut rows = vec![];
    for (k, validation) in c.validations.iter().enumerate() {
        let whole = compared.whole.get(k).and_then(Option::as_deref);
        let mut found: Vec<(&str, usize)> = validation.choices();
        if let Some(whole) = whole.filter(|w| found.iter().all(|(s, _)| s != w)) {
            found.push((whole, 0));
        }
        for (settings, n) in found {
            let all = if whole == Some(settings) { "chosen" } else { "" };
            rows.push(vec![c.names[k].clone(), settings.to_string(), n.to_string(), all.to_string()]);
        }
    }
    let head = ["machine", "settings", "splits that chose them", "with all rows"].map(String::from).to_vec();
    (!rows.is_empty()).then_some(Block::Table { head, rows })
}

fn reading(all: &[Compared]) -> Vec<Block> {
    let mut lines = vec![
        "★ has the best mean on that data set; = does not differ significantly from it by the paired t-test (p \
             >= 0.05)."
            .to_string(),
        "The standard deviation is over the splits. Their training rows overlap, so it underestimates the \
             variation over new samples; the t-test is corrected for this (Nadeau and Bengio 2003). McNemar's \
             test is exact, on the rows where exactly one of two machines is right."
            .to_string(),
    ];
    if all.len() > 1 {
        let line = "p (Holm) compares mean ranks over the data sets with the smallest one (Demšar 2006). With \
             few data sets even large differences may not reach significance.";
        lines.push(line.to_string());
    }
    lines.into_iter().map(Block::Text).collect()
}

/// A star for the best of a data set (after a blank that does not break), an equals sign for those that cannot be told from it.
fn mark(c: &Comparison, k: usize) -> &'static str {
    if k == c.best {
        "\u{a0}★"
    } else if c.t_test[k] >= LEVEL && c.means[k].is_finite() {
        "\u{a0}="
    } else {
        ""
    }
}

fn short(x: f64) -> String {
    if x.is_nan() { "-".into() } else { base::short_number(x) }
}

fn probability(p: f64) -> String {
    if p < 0.0001 { "<\u{a0}0.0001".into() } else { format!("{p:.4}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evaluate::{Measures, Validation};

    fn compared(data: &str, scores: &[[f64; 3]; 2]) -> Compared {
        let fold = |x: &f64| Measures {
            values: vec![("accuracy", *x)],
            confusion: None,
            labels: None,
            rows: 10,
            positive: None,
        };
        let validation = |s: &[f64; 3]| Validation { folds: s.iter().map(fold).collect(), ..Validation::default() };
        let means: Vec<f64> = scores.iter().map(|s| s.iter().sum::<f64>() / 3.0).collect();
        let best = usize::from(means[1] > means[0]);
        let comparison = Comparison {
            names: vec!["knn <k=1>".into(), "tree".into()],
            validations: scores.iter().map(validation).collect(),
            measure: "accuracy".into(),
            deviations: vec![0.01; 2],
            ranks: if best == 0 { vec![1.0, 2.0] } else { vec![2.0, 1.0] },
            best,
            t_test: vec![if best == 0 { 1.0 } else { 0.01 }, if best == 1 { 1.0 } else { 0.3 }],
            mc_nemar: vec![None; 2],
            means,
        };
        Compared { data: data.into(), rows: 30, splits: 3, comparison, whole: vec![None; 2] }
    }

    #[test]
    fn one_page_for_all() {
        let sets = [compared("iris", &[[0.9, 0.8, 0.9], [0.7, 0.8, 0.8]]), compared("b&w", &[[0.1; 3], [0.2; 3]])];
        let html = comparison_page(&sets, "pellucid compare").unwrap().to_html().unwrap();
        for part in ["2 machines on 2 data sets", "Across data sets", "b&amp;w", "knn &lt;k=1&gt;", "Friedman"] {
            assert!(html.contains(part), "{part}");
        }
        // knn is best on iris, where tree cannot be told from it; tree is best on b&w, where knn can.
        let html = html.replace('\u{a0}', " ");
        assert!(html.contains("0.8667 ± 0.0100 ★") && html.contains("0.7667 ± 0.0100 ="));
        assert!(html.contains("0.2000 ± 0.0100 ★") && html.contains("<td>0.1000 ± 0.0100</td>"));
        let one = comparison_page(&sets[..1], "").unwrap();
        assert!(one.sections.iter().all(|s| s.title != "Across data sets"));
    }
}
