//! What is wrong with attributions, in words: a score that got lost, constants that took nearly all, nothing but zeros.

use base::{Balance, Points, Relevance};

/// What may be lost of a score without a word.
const LOST: f64 = 0.01;
/// What must lie on the inputs, as a fraction of the score.
const ON_INPUTS: f64 = 0.05;

/// Warnings about attributions, each in a sentence; `adds_up`: whether the method promises that they sum to the score.
pub(crate) fn warnings(relevance: &Relevance, adds_up: bool) -> Vec<String> {
    let (rows, method) = (relevance.values.len(), &relevance.method);
    let mut all = vec![];
    let zeros = (0..rows).filter(|&i| is_zero(&relevance.values, i)).count();
    if zeros > 0 {
        all.push(format!("{}: all attributions of {method} are 0", of_rows(zeros, rows)));
    }
    let Some(balance) = &relevance.balance else { return all };
    let lost = balance.iter().filter(|b| loses(b));
    let worst = lost.clone().map(Balance::lost_share).fold(0.0, f64::max);
    let count = lost.count();
    if count > 0 {
        let why = if adds_up { "" } else { "; it is not conservative for this model" };
        let rows = of_rows(count, rows);
        all.push(format!("{rows}: {method} lost more than 1 % of the score (up to {}){why}", of_score(worst)));
    }
    let absent = |b: &&Balance| b.score != 0.0 && b.sum.abs() < ON_INPUTS * b.score.abs() && !loses(b);
    let few: Vec<&Balance> = balance.iter().filter(absent).collect();
    if few.len() > zeros {
        let least = few.iter().map(|b| b.sum.abs() / b.score.abs()).fold(f64::INFINITY, f64::min);
        let text = format!(
            "{}: less than 5 % of the score is attributed to inputs, the rest to biases and constants (at least {})",
            of_rows(few.len(), rows),
            of_score(least)
        );
        all.push(text);
    }
    all
}

/// Whether more than a hundredth of the score was lost, beyond rounding.
pub(crate) fn loses(b: &Balance) -> bool {
    b.lost_share() > LOST && b.lost.abs() > 1e-9 * b.sum.abs().max(b.absorbed.abs())
}

fn is_zero(values: &Points, row: usize) -> bool {
    let mut line = vec![0.0; values.columns()];
    values.write_row(row, &mut line);
    line.iter().all(|r| *r == 0.0)
}

fn of_rows(count: usize, rows: usize) -> String {
    match (count, rows) {
        (1, 1) => "the row".into(),
        _ if count == rows => format!("all {rows} rows"),
        _ => format!("{count} of {rows} rows"),
    }
}

fn of_score(share: f64) -> String {
    if share >= 100.0 { format!("{share:.0} times the score") } else { base::percent(share) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Features;

    fn of(rows: &[(f64, f64, f64)]) -> Vec<String> {
        let balance =
            rows.iter().map(|&(score, sum, lost)| Balance { score, sum, lost, absorbed: score - sum - lost }).collect();
        let values = rows.iter().map(|(_, sum, _)| *sum).collect::<Vec<f64>>();
        let values = Points::dense(values, rows.len(), 1).unwrap();
        let (features, method) = (Features::unnamed(1), "m".to_string());
        warnings(&Relevance { values, features, balance: Some(balance), method }, true)
    }

    #[test]
    fn x8_each_fault_has_its_words() {
        assert_eq!(of(&[(2.0, 1.0, 0.01)]), Vec::<String>::new());
        assert_eq!(
            of(&[(2.0, 1.0, 1.0), (2.0, 2.0, 0.0)]),
            ["1 of 2 rows: m lost more than 1 % of the score (up to 50 %)"]
        );
        assert_eq!(of(&[(2.0, 0.0, 0.0)])[0], "the row: all attributions of m are 0");
        assert!(
            of(&[(2.0, 0.05, 0.0), (1.0, 0.04, 0.0)])[0]
                .starts_with("all 2 rows: less than 5 % of the score is attributed to")
        );
        // The score is 0 and so is everything else: nothing is lost.
        assert_eq!(of(&[(0.0, 0.1, 0.0)]), Vec::<String>::new());
    }
}
