//! Hold-out: some rows to learn from, the others to judge by.
//!
//! Classes keep their shares: of each class the same part is held out, rounded so that the total comes out right to
//! one row a class. Rows of one group stay together; then shares are kept only as far as groups allow.

use base::{Dataset, Error, Result, Seed, Targets};

/// Rows to learn from and rows to judge by, each in ascending order; `share` is the part to judge by.
pub fn hold_out(data: &Dataset, share: f64, seed: Seed) -> Result<(Vec<usize>, Vec<usize>)> {
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
        true => Err(Error::parameter("holdout", share, "leaves one side without rows; choose another share")),
        false => Ok((train, test)),
    }
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
    let mut names: Vec<u32> = groups.to_vec();
    names.sort_unstable();
    names.dedup();
    let wanted = share * groups.len() as f64;
    let mut held = vec![false; groups.len()];
    let mut count = 0;
    for g in seed.fork("hold out groups").permutation(names.len()) {
        let members = groups.iter().filter(|&&x| x == names[g]).count();
        // A group goes where it brings the count nearer to what is wanted.
        if (count + members) as f64 - wanted <= wanted - count as f64 {
            count += members;
            held.iter_mut().zip(groups).filter(|(_, x)| **x == names[g]).for_each(|(h, _)| *h = true);
        }
    }
    held
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Targets;

    #[test]
    fn keeps_the_shares_of_the_classes() {
        let data = testkit::toy_classes(1);
        for seed in 0..20 {
            let (train, test) = hold_out(&data, 0.2, Seed(seed)).unwrap();
            let mut all = [train, test.clone()].concat();
            all.sort_unstable();
            assert_eq!(all, (0..data.len()).collect::<Vec<_>>());
            let Targets::Classes(whole) = &data.targets else { panic!() };
            let Targets::Classes(part) = data.select(&test).unwrap().targets else { panic!() };
            for (n, k) in whole.counts().iter().zip(part.counts()) {
                assert!((k as f64 - 0.2 * *n as f64).abs() <= 1.0, "{k} of {n}");
            }
        }
        assert_ne!(hold_out(&data, 0.2, Seed(1)), hold_out(&data, 0.2, Seed(2)));
    }

    #[test]
    fn groups_stay_together() {
        let mut data = testkit::toy_values(1);
        data.groups = Some((0..60).map(|i| i / 7).collect());
        let (train, test) = hold_out(&data, 0.3, Seed(3)).unwrap();
        assert!(train.iter().all(|i| test.iter().all(|j| i / 7 != j / 7)));
        assert!((test.len() as f64 - 18.0).abs() <= 7.0);
    }

    #[test]
    fn impossible_splits_are_refused() {
        let data = testkit::toy_values(1);
        for share in [0.0, 1.0, -1.0, f64::NAN] {
            assert!(hold_out(&data, share, Seed(1)).is_err());
        }
        assert!(hold_out(&data.select(&[0]).unwrap(), 0.5, Seed(1)).is_err());
        let one_group = base::Dataset { groups: Some(vec![0; 60]), ..data };
        assert!(hold_out(&one_group, 0.2, Seed(1)).is_err());
    }
}
