//! How far measures would move if other rows of the same kind had been drawn.
//!
//! The bootstrap: rows are drawn with replacement as many times as there are rows, which is the same as giving each row
//! the number of times it was drawn as a weight; the measures of many such draws spread as those of new samples would.
//! The interval goes from the 2.5 % to the 97.5 % quantile. It knows nothing of what else may change: another fit,
//! another population. O(draws · cost of judging).
//!
//! - B. Efron, R. Tibshirani: *An introduction to the bootstrap.* Chapman & Hall (1993), chapter 13.

use crate::{Measures, judge};
use base::{Dataset, Prediction, Progress, Result, Run};
use numeric::each;

/// Lower and upper end for each measure, in the order of [`Measures::values`]; none where it often does not exist.
pub type Intervals = Vec<Option<(f64, f64)>>;

/// The 95 % intervals of the measures of a prediction, from that many draws of its rows.
pub fn intervals(
    prediction: &Prediction,
    data: &Dataset,
    measures: &Measures,
    draws: usize,
    run: &Run<'_>,
) -> Result<Intervals> {
    let seed = run.seed.fork("intervals");
    // A class that a draw leaves out changes which measures there are, so values are looked up by name.
    let judged = |draw: usize| -> Result<Vec<Option<f64>>> {
        run.report(&Progress::of("intervals", draw as u64, draws as u64))?;
        let mut counts = vec![0.0; data.len()];
        let seed = seed.at(draw);
        (0..data.len()).for_each(|i| counts[(seed.at(i).unit() * data.len() as f64) as usize] += 1.0);
        if let Some(weights) = &data.weights {
            counts.iter_mut().zip(weights).for_each(|(c, w)| *c *= w);
        }
        let drawn = Dataset { weights: Some(counts.into()), ..data.clone() };
        // A draw in which nothing is left to judge says nothing.
        Ok(match judge(prediction, &drawn, run) {
            Ok(found) => measures.values.iter().map(|(name, _)| found.get(name).filter(|v| v.is_finite())).collect(),
            Err(_) => vec![None; measures.values.len()],
        })
    };
    let all = each(run, draws, judged)?;
    let interval = |m: usize| {
        let mut found: Vec<f64> = all.iter().filter_map(|draw| draw[m]).collect();
        found.sort_by(f64::total_cmp);
        let at = |share: f64| found[((found.len() - 1) as f64 * share).round() as usize];
        (found.len() * 10 >= draws * 9 && !found.is_empty()).then(|| (at(0.025), at(0.975)))
    };
    Ok((0..measures.values.len()).map(interval).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Classes, Link, Outputs, Points, Targets};

    fn drawn(rows: usize, right: f64, seed: u64) -> (Prediction, Dataset) {
        let seed = base::Seed(seed);
        let codes: Vec<u32> = (0..rows).map(|i| (seed.fork("class").at(i).unit() * 3.0) as u32).collect();
        let scores: Vec<[f64; 3]> = (0..rows)
            .map(|i| {
                let hit = seed.fork("hit").at(i).unit() < right;
                let said = if hit { codes[i] } else { (codes[i] + 1) % 3 };
                std::array::from_fn(|c| if c as u32 == said { 1.0 } else { 0.0 })
            })
            .collect();
        let names: Vec<String> = ["a", "b", "c"].map(String::from).to_vec();
        let points = Points::from_rows(&scores).unwrap();
        let data = Dataset::new(points.clone(), Targets::Classes(Classes::new(codes, names.clone()).unwrap()));
        (Prediction { scores: points, outputs: Outputs::classes(names.into(), Link::Identity) }, data)
    }

    #[test]
    fn the_interval_of_a_share_is_the_binomial_one_and_covers_the_truth() {
        let run = Run::quiet(1);
        let mut covered = 0;
        for seed in 0..40 {
            let (prediction, data) = drawn(400, 0.8, seed);
            let measures = judge(&prediction, &data, &run).unwrap();
            let found = intervals(&prediction, &data, &measures, 200, &run).unwrap();
            let (low, high) = found[0].unwrap();
            let accuracy = measures.get("accuracy").unwrap();
            assert!(low < accuracy && accuracy < high);
            // ± 1.96 √(p (1 − p) / n), within the noise of 200 draws.
            let half = 1.96 * (accuracy * (1.0 - accuracy) / 400.0).sqrt();
            assert!(((high - low) / (2.0 * half) - 1.0).abs() < 0.25, "{low} {high} {half}");
            covered += usize::from((low..=high).contains(&0.8));
        }
        assert!(covered >= 34, "{covered} of 40");
    }

    #[test]
    fn threads_do_not_matter_and_what_does_not_exist_has_no_interval() {
        let (prediction, data) = drawn(50, 0.7, 1);
        let (one, two) = (Run::quiet(1), Run { threads: 2, ..Run::quiet(1) });
        let measures = judge(&prediction, &data, &one).unwrap();
        let found = intervals(&prediction, &data, &measures, 50, &one).unwrap();
        assert_eq!(found, intervals(&prediction, &data, &measures, 50, &two).unwrap());
        let unknown = Measures { values: vec![("nonsense", 1.0)], ..measures };
        assert_eq!(intervals(&prediction, &data, &unknown, 10, &one).unwrap(), [None]);
    }
}
