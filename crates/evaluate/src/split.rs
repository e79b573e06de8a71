//! Ways to cut data into rows to learn from and rows to judge by.
//!
//! - hold-out: once, a share to judge by;
//! - folds: n parts of nearly equal size, each held out once, possibly repeated with new parts; n = rows is leave-one-out;
//! - leave one of each class: as many splits as the smallest class has rows, each holding out one row of every class;
//! - Monte-Carlo: repeated hold-outs;
//! - by time, for rows in their order: the last ones held out, or rolling parts, each judged by what came before it.
//!
//! Classes keep their shares in every part to one row a class (unless `stratified` is off), rows of one group stay
//! together, and data that were prepared as a whole are refused: what is held out must not have been seen.

use base::{Dataset, Error, Place, Result, Seed, Targets};

/// Rows to learn from and rows to judge by, each ascending.
#[derive(Debug, Clone, PartialEq)]
pub struct Split {
    /// Rows to learn from.
    pub train: Vec<usize>,
    /// Rows to judge by.
    pub test: Vec<usize>,
}

/// How data are split.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Splitting {
    /// n parts, each held out once, all of it repeated.
    Folds {
        /// Parts.
        n: usize,
        /// Times.
        repeats: usize,
        /// Whether classes keep their shares.
        stratified: bool,
    },
    /// Each row (or group) alone.
    LeaveOneOut,
    /// One row of every class at a time.
    LeaveOnePerClass,
    /// A share to judge by, again and again.
    MonteCarlo {
        /// Part of the rows to judge by.
        share: f64,
        /// Times.
        repeats: usize,
    },
    /// Rows in the order of time, cut into n + 1 parts: each but the first is judged after learning from all before it.
    Rolling {
        /// Parts that are judged.
        n: usize,
    },
}

impl Splitting {
    /// How many splits there will be of that many rows; leaving one row of each class out counts as leaving one out.
    pub fn count(&self, rows: usize) -> usize {
        match *self {
            Splitting::Folds { n, repeats, .. } => n.saturating_mul(repeats),
            Splitting::LeaveOneOut | Splitting::LeaveOnePerClass => rows,
            Splitting::MonteCarlo { repeats, .. } => repeats,
            Splitting::Rolling { n } => n,
        }
    }

    /// The usual: ten folds that keep the classes' shares.
    pub fn ten_folds() -> Self {
        Splitting::Folds { n: 10, repeats: 1, stratified: true }
    }

    /// The splits of these data.
    pub fn of(&self, data: &Dataset, seed: Seed) -> Result<Vec<Split>> {
        check_raw(data)?;
        if let Splitting::Folds { repeats: 0, .. } | Splitting::MonteCarlo { repeats: 0, .. } = self {
            return Err(Error::parameter("repeats", 0, "must be at least 1"));
        }
        match *self {
            Splitting::Folds { n, repeats, stratified } => {
                let mut all = vec![];
                for repeat in 0..repeats {
                    all.extend(folds(data, n, stratified, seed.fork("folds").at(repeat))?);
                }
                Ok(all)
            }
            Splitting::LeaveOneOut => match &data.groups {
                Some(groups) => {
                    let count = groups.iter().collect::<std::collections::BTreeSet<_>>().len();
                    folds(data, count, false, seed)
                }
                None => folds(data, data.len(), false, seed),
            },
            Splitting::LeaveOnePerClass => one_per_class(data, seed),
            Splitting::MonteCarlo { share, repeats } => {
                let split = |repeat: usize| {
                    let (train, test) = hold_out(data, share, seed.fork("monte carlo").at(repeat))?;
                    Ok(Split { train, test })
                };
                (0..repeats).map(split).collect()
            }
            Splitting::Rolling { n } => rolling(data, n),
        }
    }
}

/// The last rows to judge by and those before them to learn from, for rows in the order of time; `share` is the part to
/// judge by. Rows whose group is among the held-out rows are left out of both.
pub fn hold_out_last(data: &Dataset, share: f64) -> Result<(Vec<usize>, Vec<usize>)> {
    check_raw(data)?;
    if !(share > 0.0 && share < 1.0) {
        return Err(Error::parameter("holdout", share, "must lie between 0 and 1, both excluded"));
    }
    let held = ((share * data.len() as f64).round() as usize).max(1);
    let split = before(data, data.len().saturating_sub(held)..data.len());
    match split.train.is_empty() {
        true => Err(Error::parameter("holdout", share, "leaves no rows to train on; choose a smaller fraction")),
        false => Ok((split.train, split.test)),
    }
}

/// Parts in the order of the rows, each with all rows before it to learn from.
fn rolling(data: &Dataset, n: usize) -> Result<Vec<Split>> {
    if n == 0 || n >= data.len() {
        return Err(Error::parameter("rolling", n, format!("must lie between 1 and {}", data.len().max(2) - 1)));
    }
    let start = |k: usize| k * data.len() / (n + 1);
    let splits: Vec<Split> = (1..=n).map(|k| before(data, start(k)..start(k + 1))).collect();
    match splits.iter().position(|s| s.train.is_empty()) {
        Some(k) => Err(Error::size(format!("training rows before part {}", k + 1), "at least 1", 0)),
        None => Ok(splits),
    }
}

/// Those rows to judge by, and the rows before them to learn from, without rows of the same groups.
fn before(data: &Dataset, test: std::ops::Range<usize>) -> Split {
    let held: std::collections::BTreeSet<u32> =
        data.groups.as_ref().map_or_else(Default::default, |g| g[test.clone()].iter().copied().collect());
    let apart = |&i: &usize| data.groups.as_ref().is_none_or(|g| !held.contains(&g[i]));
    Split { train: (0..test.start).filter(apart).collect(), test: test.collect() }
}

/// Rows to learn from and rows to judge by, each ascending; `share` is the part to judge by.
pub fn hold_out(data: &Dataset, share: f64, seed: Seed) -> Result<(Vec<usize>, Vec<usize>)> {
    check_raw(data)?;
    if !(share > 0.0 && share < 1.0) {
        return Err(Error::parameter("holdout", share, "must lie between 0 and 1, both excluded"));
    }
    if data.len() < 2 {
        return Err(Error::size("rows to split", "at least 2", data.len()));
    }
    let held = match &data.groups {
        Some(groups) => by_group(groups, share, seed),
        None => by_class(data, share, seed),
    };
    let (test, train): (Vec<usize>, Vec<usize>) = (0..data.len()).partition(|&i| held[i]);
    match train.is_empty() || test.is_empty() {
        true => Err(Error::parameter("holdout", share, "leaves one side without rows; choose another fraction")),
        false => Ok((train, test)),
    }
}

/// Data whose inputs already know all rows cannot be split honestly.
fn check_raw(data: &Dataset) -> Result<()> {
    match data.prepared {
        false => Ok(()),
        true => {
            let why = "went through a step fitted on all rows, so held-out rows would leak into training; split \
                 the raw data and let a pipeline prepare each part";
            Err(Error::data(Place::Whole, why))
        }
    }
}

/// Parts of nearly equal size: units (rows or groups) are dealt out one after the other, class by class.
fn folds(data: &Dataset, n: usize, stratified: bool, seed: Seed) -> Result<Vec<Split>> {
    let units: Vec<Vec<usize>> = match &data.groups {
        Some(groups) => members(groups),
        None => (0..data.len()).map(|i| vec![i]).collect(),
    };
    if n < 2 || n > units.len() {
        let what = if data.groups.is_some() { "groups" } else { "rows" };
        return Err(Error::parameter("folds", n, format!("must lie between 2 and the {} {what}", units.len())));
    }
    let mut order = seed.permutation(units.len());
    if let (true, Targets::Classes(classes)) = (stratified, &data.targets) {
        // Sorted by class (stable, so random within), neighbours go to different folds.
        order.sort_by_key(|&u| classes.get(units[u][0]));
    }
    if data.groups.is_some() {
        // Large groups first, each to the fold that has the fewest rows.
        order.sort_by_key(|&u| std::cmp::Reverse(units[u].len()));
    }
    let mut fold = vec![0; data.len()];
    let mut sizes = vec![0usize; n];
    for (rank, &u) in order.iter().enumerate() {
        let smallest = (0..n).min_by_key(|&f| (sizes[f], (f + n - rank % n) % n)).unwrap_or(0);
        let place = if data.groups.is_some() { smallest } else { rank % n };
        sizes[place] += units[u].len();
        units[u].iter().for_each(|&row| fold[row] = place);
    }
    Ok((0..n).map(|f| cut(data.len(), |i| fold[i] == f)).collect())
}

fn one_per_class(data: &Dataset, seed: Seed) -> Result<Vec<Split>> {
    let Targets::Classes(classes) = &data.targets else {
        return Err(Error::size("targets for leave-one-per-class-out", "classes", data.targets.type_name()));
    };
    let mut rows: Vec<Vec<usize>> = vec![vec![]; classes.names().len()];
    for i in seed.fork("one per class").permutation(data.len()) {
        if let Some(c) = classes.get(i) {
            rows[c].push(i);
        }
    }
    rows.retain(|r| !r.is_empty());
    let smallest = rows.iter().map(Vec::len).min().unwrap_or(0);
    if smallest < 2 {
        return Err(Error::size("rows of the smallest class", "at least 2", smallest));
    }
    Ok((0..smallest).map(|k| cut(data.len(), |i| rows.iter().any(|r| r[k] == i))).collect())
}

fn cut(rows: usize, held: impl Fn(usize) -> bool) -> Split {
    let (test, train) = (0..rows).partition(|&i| held(i));
    Split { train, test }
}

/// The rows of each group, groups by number.
fn members(groups: &[u32]) -> Vec<Vec<usize>> {
    let mut by_group: std::collections::BTreeMap<u32, Vec<usize>> = std::collections::BTreeMap::new();
    groups.iter().enumerate().for_each(|(row, &g)| by_group.entry(g).or_default().push(row));
    by_group.into_values().collect()
}

/// Walks through the rows in random order, each class by itself, and holds out one whenever the share is due.
fn by_class(data: &Dataset, share: f64, seed: Seed) -> Vec<bool> {
    let strata = match &data.targets {
        Targets::Classes(classes) => classes.names().len() + 1,
        _ => 1,
    };
    let stratum = |i: usize| match &data.targets {
        Targets::Classes(classes) => classes.get(i).unwrap_or(strata - 1),
        _ => 0,
    };
    let mut rows: Vec<Vec<usize>> = vec![vec![]; strata];
    for i in seed.fork("hold out").permutation(data.len()) {
        rows[stratum(i)].push(i);
    }
    let mut held = vec![false; data.len()];
    // What rounding takes from one class the next one gives back.
    let mut due = 0.0;
    for rows in rows {
        let exact = share * rows.len() as f64 + due;
        let count = (exact.round().max(0.0) as usize).min(rows.len());
        due = exact - count as f64;
        rows[..count].iter().for_each(|&i| held[i] = true);
    }
    held
}

/// Holds out whole groups, in random order, until the share is reached.
fn by_group(groups: &[u32], share: f64, seed: Seed) -> Vec<bool> {
    let units = members(groups);
    let wanted = share * groups.len() as f64;
    let mut held = vec![false; groups.len()];
    let mut count = 0;
    for g in seed.fork("hold out groups").permutation(units.len()) {
        let size = units[g].len();
        // A group goes where it brings the count nearer to what is wanted.
        if (count + size) as f64 - wanted <= wanted - count as f64 {
            count += size;
            units[g].iter().for_each(|&row| held[row] = true);
        }
    }
    held
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(data: &Dataset, rows: &[usize]) -> Vec<usize> {
        let Targets::Classes(part) = data.select(rows).unwrap().targets else { panic!() };
        part.counts()
    }

    fn sorted(lists: &[&[usize]]) -> Vec<usize> {
        let mut all = lists.concat();
        all.sort_unstable();
        all
    }

    #[test]
    fn hold_outs_keep_the_shares_of_the_classes() {
        let data = testkit::toy_classes(1);
        let whole = counts(&data, &(0..data.len()).collect::<Vec<_>>());
        for seed in 0..20 {
            let (train, test) = hold_out(&data, 0.2, Seed(seed)).unwrap();
            assert_eq!(sorted(&[&train, &test]), (0..data.len()).collect::<Vec<_>>());
            for (n, k) in whole.iter().zip(counts(&data, &test)) {
                assert!((k as f64 - 0.2 * *n as f64).abs() <= 1.0, "{k} of {n}");
            }
        }
        assert_ne!(hold_out(&data, 0.2, Seed(1)), hold_out(&data, 0.2, Seed(2)));
    }

    #[test]
    fn every_row_is_held_out_once_in_each_repeat() {
        let data = testkit::toy_classes(1);
        let whole = counts(&data, &(0..data.len()).collect::<Vec<_>>());
        for stratified in [false, true] {
            let splits = Splitting::Folds { n: 7, repeats: 2, stratified }.of(&data, Seed(3)).unwrap();
            assert_eq!(splits.len(), 14);
            for part in splits.chunks(7) {
                let tests: Vec<&[usize]> = part.iter().map(|s| &s.test[..]).collect();
                assert_eq!(sorted(&tests), (0..data.len()).collect::<Vec<_>>());
                for split in part {
                    assert_eq!(sorted(&[&split.train, &split.test]), (0..data.len()).collect::<Vec<_>>());
                    assert!(split.test.len().abs_diff(data.len() / 7) <= 1);
                    if stratified {
                        for (n, k) in whole.iter().zip(counts(&data, &split.test)) {
                            assert!((k as f64 - *n as f64 / 7.0).abs() <= 1.0, "{k} of {n}");
                        }
                    }
                }
            }
            assert_ne!(splits[0], splits[7]);
        }
        assert_eq!(Splitting::ten_folds(), Splitting::Folds { n: 10, repeats: 1, stratified: true });
        let all: Vec<usize> = (0..data.len()).collect();
        for seed in testkit::seeds(3).into_iter().map(Seed) {
            let one = Splitting::LeaveOneOut.of(&data, seed).unwrap();
            assert!(one.iter().all(|s| s.test.len() == 1));
            assert_eq!(sorted(&one.iter().map(|s| &s.test[..]).collect::<Vec<_>>()), all, "each row alone once");
            assert!(one.iter().all(|s| sorted(&[&s.train, &s.test]) == all));
            for share in [0.1, 0.25, 0.6] {
                let random = Splitting::MonteCarlo { share, repeats: 5 }.of(&data, seed).unwrap();
                assert!(random.len() == 5 && random[0] != random[1]);
                for split in &random {
                    assert_eq!(sorted(&[&split.train, &split.test]), all);
                    let held = share * data.len() as f64;
                    assert!((split.test.len() as f64 - held).abs() <= 0.5 + 1e-9, "{} of {held}", split.test.len());
                }
            }
        }
    }

    #[test]
    fn one_of_each_class_is_left_out() {
        let data = testkit::toy_classes(1);
        let smallest = *counts(&data, &(0..data.len()).collect::<Vec<_>>()).iter().min().unwrap();
        let splits = Splitting::LeaveOnePerClass.of(&data, Seed(1)).unwrap();
        assert_eq!(splits.len(), smallest);
        assert!(splits.iter().all(|s| counts(&data, &s.test) == [1, 1, 1]));
        let mut seen: Vec<usize> = splits.iter().flat_map(|s| s.test.clone()).collect();
        seen.sort_unstable();
        let before = seen.len();
        seen.dedup();
        assert_eq!(before, seen.len());
    }

    #[test]
    fn nothing_is_learned_from_what_came_later() {
        for n in 2..40 {
            let data = testkit::toy_values(1).select(&(0..n).collect::<Vec<_>>()).unwrap();
            for parts in 1..n {
                let splits = Splitting::Rolling { n: parts }.of(&data, Seed(1)).unwrap();
                assert_eq!(splits.len(), Splitting::Rolling { n: parts }.count(n));
                let judged: Vec<usize> = splits.iter().flat_map(|s| s.test.clone()).collect();
                assert_eq!(judged, (splits[0].train.len()..n).collect::<Vec<_>>());
                for split in &splits {
                    assert_eq!(split.train, (0..split.test[0]).collect::<Vec<_>>());
                }
                let sizes: Vec<usize> = splits.iter().map(|s| s.test.len()).collect();
                assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1);
            }
            assert!(Splitting::Rolling { n: 0 }.of(&data, Seed(1)).is_err());
            assert!(Splitting::Rolling { n }.of(&data, Seed(1)).is_err());
            let (train, test) = hold_out_last(&data, 0.3).unwrap();
            assert_eq!([train.clone(), test.clone()].concat(), (0..n).collect::<Vec<_>>());
            assert!((test.len() as f64 - 0.3 * n as f64).abs() <= 0.5 || test.len() == 1);
            let grouped = Dataset { groups: Some((0..n as u32).map(|i| i % 3).collect()), ..data };
            if let Ok((train, test)) = hold_out_last(&grouped, 0.1) {
                assert!(train.iter().all(|i| test.iter().all(|j| i % 3 != j % 3 && i < j)));
            }
        }
    }

    #[test]
    fn groups_stay_together() {
        let mut data = testkit::toy_values(1);
        data.groups = Some((0..60).map(|i| i / 7).collect());
        let (train, test) = hold_out(&data, 0.3, Seed(3)).unwrap();
        let mut all = vec![Split { train, test }];
        assert!((all[0].test.len() as f64 - 18.0).abs() <= 7.0);
        all.extend(Splitting::Folds { n: 4, repeats: 1, stratified: true }.of(&data, Seed(1)).unwrap());
        let alone = Splitting::LeaveOneOut.of(&data, Seed(1)).unwrap();
        assert_eq!(alone.len(), 9);
        all.extend(alone);
        for split in all {
            assert!(split.train.iter().all(|i| split.test.iter().all(|j| i / 7 != j / 7)));
        }
    }

    #[test]
    fn impossible_splits_are_refused() {
        let data = testkit::toy_values(1);
        for share in [0.0, 1.0, -1.0, f64::NAN] {
            assert!(hold_out(&data, share, Seed(1)).is_err());
        }
        assert!(hold_out(&data.select(&[0]).unwrap(), 0.5, Seed(1)).is_err());
        for n in [0, 1, 61] {
            assert!(Splitting::Folds { n, repeats: 1, stratified: true }.of(&data, Seed(1)).is_err());
        }
        for none in
            [Splitting::Folds { n: 3, repeats: 0, stratified: true }, Splitting::MonteCarlo { share: 0.2, repeats: 0 }]
        {
            assert!(none.of(&data, Seed(1)).is_err_and(|e| e.to_string().contains("repeats = 0")));
        }
        assert!(Splitting::LeaveOnePerClass.of(&data, Seed(1)).is_err());
        let one_group = base::Dataset { groups: Some(vec![0; 60].into()), ..data };
        assert!(hold_out(&one_group, 0.2, Seed(1)).is_err());
    }

    #[test]
    fn data_prepared_as_a_whole_are_refused() {
        let data = testkit::toy_values(1);
        let points = data.points().unwrap().clone();
        let leaking = data.with_inputs(points, data.features.clone());
        for error in [
            hold_out(&leaking, 0.2, Seed(1)).err(),
            Splitting::ten_folds().of(&leaking, Seed(1)).err(),
            Splitting::LeaveOneOut.of(&leaking.select(&(0..30).collect::<Vec<_>>()).unwrap(), Seed(1)).err(),
        ] {
            assert!(error.is_some_and(|e| e.to_string().contains("fitted on all rows")));
        }
    }
}
