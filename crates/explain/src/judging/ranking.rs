//! Methods in order: means with intervals, in pairs on the same rows beside random relevance and beside the best.
//!
//! A method is better than another where the whole 95 % interval of the mean difference over rows lies on its side (see
//! [`paired_interval`]); rows in which one of them has no number are left out of that pair. Ranks are by the mean; the mean
//! of the ranks in each row says how steady they are. O(methods² · rows).

use crate::judge::{Interval, paired_interval};

/// Which numbers are better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// Small ones.
    Less,
    /// Large ones.
    More,
}

/// What an interval of differences says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Difference {
    /// Better for certain.
    Better,
    /// It cannot be told.
    Tied,
    /// Worse for certain.
    Worse,
}

impl Better {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Better::Less => "lower",
            Better::More => "higher",
        }
    }

    /// What the difference from another says.
    pub fn verdict(self, difference: Interval) -> Difference {
        let (below, above) = (difference.high < 0.0, difference.low > 0.0);
        match (self, below, above) {
            (Better::Less, true, _) | (Better::More, _, true) => Difference::Better,
            (_, true, _) | (_, _, true) => Difference::Worse,
            _ => Difference::Tied,
        }
    }

    /// Falling quality as a rising number.
    fn cost(self, x: f64) -> f64 {
        match self {
            Better::Less => x,
            Better::More => -x,
        }
    }
}

impl Difference {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Difference::Better => "better",
            Difference::Tied => "tied",
            Difference::Worse => "worse",
        }
    }
}

/// How a method does among others.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// The method with its settings.
    pub name: String,
    /// A number for each row; not a number where there is none.
    pub values: Vec<f64>,
    /// Their mean.
    pub mean: Interval,
    /// Its place by the mean, from 1; equals share it.
    pub rank: usize,
    /// The mean of its ranks in the rows.
    pub mean_rank: f64,
    /// Its numbers less those of random relevance.
    pub random: Interval,
    /// What that says.
    pub verdict: Difference,
    /// Its numbers less those of the best.
    pub best: Interval,
    /// Whether it is worse than the best for certain, or tied with it.
    pub beside_best: Difference,
    /// Further means, by name.
    pub also: Vec<(&'static str, Interval)>,
}

/// Methods from the best to the worst; `floor` is the place of random relevance among them.
pub fn ranked(named: Vec<(String, Vec<f64>)>, floor: usize, better: Better) -> Vec<Ranking> {
    let mean = |values: &[f64]| paired_interval(&values.iter().copied().filter(|v| v.is_finite()).collect::<Vec<_>>());
    let cost = |values: &[f64]| match values.iter().any(|v| v.is_finite()) {
        true => better.cost(mean(values).mean),
        false => f64::INFINITY,
    };
    let costs: Vec<f64> = named.iter().map(|(_, v)| cost(v)).collect();
    let mut order: Vec<usize> = (0..named.len()).collect();
    order.sort_by(|&a, &b| costs[a].total_cmp(&costs[b]));
    let less = |a: usize, b: usize| {
        let pairs = named[a].1.iter().zip(&named[b].1).map(|(a, b)| a - b);
        paired_interval(&pairs.filter(|d| d.is_finite()).collect::<Vec<_>>())
    };
    let ranks = row_ranks(&named.iter().map(|(_, v)| v.as_slice()).collect::<Vec<_>>(), better);
    let one = |&i: &usize| {
        let (random, best) = (less(i, floor), less(i, order[0]));
        Ranking {
            name: named[i].0.clone(),
            values: named[i].1.clone(),
            mean: mean(&named[i].1),
            rank: 1 + costs.iter().filter(|c| **c < costs[i]).count(),
            mean_rank: ranks[i],
            random,
            verdict: if i == floor { Difference::Tied } else { better.verdict(random) },
            best,
            beside_best: better.verdict(best),
            also: vec![],
        }
    };
    order.iter().map(one).collect()
}

/// The mean over rows of each method's rank in the row, 1 for the best, equals sharing theirs; what is not a number is last.
fn row_ranks(methods: &[&[f64]], better: Better) -> Vec<f64> {
    let rows = methods.first().map_or(0, |m| m.len());
    let mut sums = vec![0.0; methods.len()];
    for row in 0..rows {
        let cost = |m: &&[f64]| if m[row].is_nan() { f64::INFINITY } else { better.cost(m[row]) };
        let ranks = super::statistics::ranks(&methods.iter().map(cost).collect::<Vec<_>>());
        sums.iter_mut().zip(ranks).for_each(|(s, r)| *s += r / rows as f64);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(lists: &[(&str, &[f64])]) -> Vec<(String, Vec<f64>)> {
        lists.iter().map(|(n, v)| (n.to_string(), v.to_vec())).collect()
    }

    #[test]
    fn the_best_comes_first_and_intervals_are_in_pairs() {
        let lists = named(&[
            ("random", &[5.0, 7.0, 9.0, 6.0]),
            ("good", &[1.0, 3.1, 5.0, 2.0]),
            ("like random", &[5.1, 6.9, 9.0, 6.0]),
        ]);
        let found = ranked(lists.clone(), 0, Better::Less);
        assert_eq!(
            found.iter().map(|s| (s.name.as_str(), s.rank)).collect::<Vec<_>>(),
            [("good", 1), ("random", 2), ("like random", 2)]
        );
        assert_eq!((found[0].verdict, found[2].verdict), (Difference::Better, Difference::Tied));
        // Differences −4, −3.9, −4, −4: though the rows differ much, the interval is narrow.
        assert!((found[0].random.mean + 3.975).abs() < 1e-12 && found[0].random.high < -3.8, "{:?}", found[0].random);
        assert_eq!((found[0].mean_rank, found[0].best.mean), (1.0, 0.0));
        assert_eq!(found[1].beside_best, Difference::Worse);
        let other_way = ranked(lists, 0, Better::More);
        assert_eq!((other_way[2].name.as_str(), other_way[2].verdict), ("good", Difference::Worse));
    }

    #[test]
    fn one_row_decides_nothing_and_rows_without_numbers_are_left_out() {
        let one = ranked(named(&[("a", &[1.0]), ("random", &[2.0])]), 1, Better::Less);
        assert_eq!((one[0].name.as_str(), one[0].verdict), ("a", Difference::Tied));
        assert_eq!(one[0].random.low, f64::NEG_INFINITY);
        let gaps = ranked(named(&[("a", &[1.0, f64::NAN, 1.0]), ("random", &[2.0, 9.0, 2.0])]), 1, Better::Less);
        assert_eq!((gaps[0].mean.mean, gaps[0].random.mean), (1.0, -1.0));
        let none = ranked(named(&[("a", &[f64::NAN]), ("random", &[2.0])]), 1, Better::More);
        assert_eq!(none[1].name, "a", "what has no number comes last");
    }
}
