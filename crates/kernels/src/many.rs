//! Folds and grids that share kernel values: a kernel matrix over all rows for each kernel, problems over some of them.
//!
//! Every (setting, set of rows) is a problem of its own, whose coordinates are places among all rows; rows of the kernel
//! computed for one fold or price serve the others. The answers are those of single fits, within the tolerance.

use crate::classes::Sorted;
use crate::matrix::Matrix;
use crate::svc::Svc;
use base::{Dataset, Error, Fitted, Learner, Result, Run, Settings, Value, classes_of};
use std::collections::HashMap;

/// Fits a machine for each setting on each set of rows, settings slowest.
pub(crate) fn fit_many(
    learner: &Svc,
    settings: &[Vec<(String, Value)>],
    rows: &[Vec<usize>],
    data: &Dataset,
    run: &Run<'_>,
) -> Result<Vec<Fitted>> {
    let mut learners = Vec::with_capacity(settings.len());
    for changes in settings {
        let mut one = learner.clone();
        changes.iter().try_for_each(|(name, value)| one.set(name, value.clone()))?;
        one.check_settings()?;
        learners.push(one);
    }
    // Kernels by the data differ from fold to fold, and what is odd about the data is for single fits to say.
    let shared = learners
        .iter()
        .all(|l| crate::bandwidth::Width::parse(&l.kernel.gamma).is_ok_and(fixed) || l.kernel.sigma > 0.0)
        && learners.iter().all(|l| l.kernel.kernel != crate::settings::Family::Precomputed)
        && data.weights.is_none()
        && data.points().is_ok_and(|p| p.check(false, |c| data.features.name(c)).is_ok())
        && classes_of(data).is_ok_and(|c| (0..data.len()).all(|i| c.get(i).is_some()));
    if !shared {
        return one_by_one(&learners, rows, data, run);
    }
    let classes = classes_of(data)?;
    let mut all: Vec<Option<Fitted>> = vec![];
    all.resize_with(learners.len() * rows.len(), || None);
    let mut groups: HashMap<String, Vec<usize>> = HashMap::new();
    for (s, one) in learners.iter().enumerate() {
        groups.entry(format!("{:?} {:?} {:?}", one.kernel, one.solver, one.multiclass)).or_default().push(s);
    }
    let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
    groups.sort();
    for group in groups {
        let first = &learners[group[0]];
        let kernel = first.kernel.choose(data, run)?;
        let whole = Sorted::new(data, classes, first.multiclass, run)?;
        let matrix = Matrix::new(&kernel, &whole.points, whole.segments.clone(), &whole.order, &first.solver, run)?;
        let mut place = vec![0; data.len()];
        whole.order.iter().enumerate().for_each(|(at, &row)| place[row] = at);
        for (f, fold) in rows.iter().enumerate() {
            let part = data.select(fold)?;
            let sorted = Sorted::new(&part, classes_of(&part)?, first.multiclass, run)?;
            if sorted.tasks().is_empty() || sorted.ranges.iter().filter(|r| !r.is_empty()).count() < 2 {
                return Err(base::too_few_classes("rows for svc", 2, 1));
            }
            for &s in &group {
                let one = &learners[s];
                let prices = one.prices(&part, &sorted)?;
                let solutions = sorted.solve_all(run, |task, run| {
                    let (_, own) = task.columns(&sorted);
                    let mut problem = task.problem(&sorted, |i| prices[i]);
                    let (segments, among) = task.columns(&whole);
                    let by_own: HashMap<u32, u32> = task
                        .rows(&sorted)
                        .iter()
                        .map(|&(i, _)| (own(i), among(place[fold[sorted.order[i]]])))
                        .collect();
                    problem.which.iter_mut().for_each(|w| *w = by_own.get(w).copied().unwrap_or(0));
                    problem.segments = segments;
                    matrix.solve(&problem, one.solver.until(), run)
                })?;
                all[s * rows.len() + f] = Some(one.join(&part, &sorted, kernel.clone(), &prices, solutions, run)?);
            }
        }
    }
    let count = all.len();
    let all: Vec<Fitted> = all.into_iter().flatten().collect();
    match all.len() == count {
        true => Ok(all),
        false => Err(Error::size("machines", count, all.len())),
    }
}

fn fixed(width: crate::bandwidth::Width) -> bool {
    matches!(width, crate::bandwidth::Width::Number(_) | crate::bandwidth::Width::Auto)
}

fn one_by_one(learners: &[Svc], rows: &[Vec<usize>], data: &Dataset, run: &Run<'_>) -> Result<Vec<Fitted>> {
    let mut all = vec![];
    for learner in learners {
        for rows in rows {
            all.push(learner.fit(&data.select(rows)?, None, run)?);
        }
    }
    Ok(all)
}
