//! Folds and grids that share kernel values: a kernel matrix over all rows for each kernel, problems over some of them.
//!
//! Every (setting, set of rows) is a problem of its own, whose coordinates are places among all rows; kernel rows computed
//! for one fold or one C serve the others. Where the kernel itself depends on the rows of the fold (`gamma=scale`), the
//! settings of one fold share. The machines are those of single fits, within the tolerance of the solver.

use crate::bandwidth::Width;
use crate::classes::Sorted;
use crate::functions::Family;
use crate::matrix::Matrix;
use crate::svc::Svc;
use base::{Dataset, FitMany, Fits, Fitted, Learner, NumberOr, Progress, Result, Run, Settings, classes_of};
use std::collections::{BTreeMap, HashMap};

/// Takes the machine of a setting on a set of rows.
type Done<'a> = dyn FnMut(usize, usize, Fitted) -> Result<()> + 'a;

impl FitMany for Svc {
    fn fit_many(&self, fits: &Fits<'_>, run: &Run<'_>, done: &mut Done<'_>) -> Result<()> {
        let mut learners = Vec::with_capacity(fits.settings.len());
        for changes in fits.settings {
            let mut one = self.clone();
            changes.iter().try_for_each(|(name, value)| one.set(name, value.clone()))?;
            one.check_settings()?;
            learners.push(one);
        }
        let run = &run.giving_up();
        // Settings with the same kernel and solver, in the order they were given.
        let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (s, one) in learners.iter().enumerate() {
            groups.entry(format!("{:?} {:?} {:?}", one.kernel, one.solver, one.multiclass)).or_default().push(s);
        }
        let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
        groups.sort();
        for group in groups {
            let first = &learners[group[0]];
            if first.kernel.kernel == Family::Precomputed || !is_plain(fits.data) {
                one_by_one(&learners, &group, fits, run, done)?;
            } else if has_fixed_kernel(first) {
                share(&learners, &group, fits, run, done)?;
            } else {
                for r in 0..fits.sets() {
                    let part = fits.part(r)?;
                    share(&learners, &group, &fits.on_all_of(&part), run, &mut |s, _, fitted| done(s, r, fitted))?;
                }
            }
        }
        Ok(())
    }
}

/// Whether the kernel is the same whatever the rows. A bandwidth alone does not make it so: kernels of inner products look
/// at gamma, and that of all rows would tell a fold of the rows held out.
fn has_fixed_kernel(learner: &Svc) -> bool {
    matches!(learner.kernel.gamma, NumberOr::Number(_) | NumberOr::Word(Width::Auto))
}

/// Whether the door of a fit would let the data through as they are; what is odd about them is for single fits to say.
fn is_plain(data: &Dataset) -> bool {
    data.weights.as_ref().is_none_or(|w| w.iter().all(|&w| w > 0.0 && w.is_finite()))
        && data.points().is_ok_and(|p| p.check(false, |c| data.features.name(c)).is_ok())
        && classes_of(data).is_ok_and(|c| (0..data.len()).all(|i| c.get(i).is_some()))
}

/// Fits settings that have the same kernel on sets of rows of the same data.
fn share(learners: &[Svc], group: &[usize], fits: &Fits<'_>, run: &Run<'_>, done: &mut Done<'_>) -> Result<()> {
    let (first, data) = (&learners[group[0]], fits.data);
    let kernel = first.kernel.choose(data, run)?;
    let whole = Sorted::new(data, classes_of(data)?, first.multiclass, run)?;
    let matrix = Matrix::new(&kernel, &whole.points, whole.segments.clone(), &whole.order, &first.solver, run)?;
    let mut place = vec![0; data.len()];
    whole.order.iter().enumerate().for_each(|(at, &row)| place[row] = at);
    for r in 0..fits.sets() {
        run.report(&Progress::of("svc", r as u64, fits.sets() as u64))?;
        let part = fits.part(r)?;
        let sorted = Sorted::new(&part, classes_of(&part)?, first.multiclass, run)?;
        let found = sorted.ranges.iter().filter(|range| !range.is_empty()).count();
        if found < 2 {
            return Err(base::too_few_classes("rows for svc", 2, found));
        }
        for &s in group {
            let one = &learners[s];
            let prices = one.prices(&part, &sorted)?;
            let solutions = sorted
                .solve_all(run, |task, run| {
                    let (_, own) = task.columns(&sorted);
                    let mut problem = task.problem(&sorted, |i| prices[i]);
                    let (segments, among) = task.columns(&whole);
                    let places = |&(i, _): &(usize, f64)| (own(i), among(place[fits.row(r, sorted.order[i])]));
                    let by_own: HashMap<u32, u32> = task.rows(&sorted).iter().map(places).collect();
                    problem.which.iter_mut().for_each(|w| *w = by_own.get(w).copied().unwrap_or(0));
                    problem.segments = segments;
                    matrix.solve(&problem, one.solver.until(), run)
                })
                .map_err(|e| e.while_at("svc"))?;
            done(s, r, one.join(&part, &sorted, kernel.clone(), &prices, solutions, run)?)?;
        }
    }
    Ok(())
}

fn one_by_one(learners: &[Svc], group: &[usize], fits: &Fits<'_>, run: &Run<'_>, done: &mut Done<'_>) -> Result<()> {
    for r in 0..fits.sets() {
        let part = fits.part(r)?;
        for &s in group {
            done(s, r, learners[s].fit(&part, None, run)?)?;
        }
    }
    Ok(())
}
