//! Several classes as problems of two sides: rows sorted by class, tasks, and machines put together of their solutions.

use crate::expansion::{Decisions, Expansion, ExpansionParts, pair};
use crate::function::KernelBasis;
use crate::kernel::Kernel;
use crate::matrix::whole;
use crate::solve::{Problem, Solution};
use crate::svc::two_sided;
use base::{Certificate, Classes, Dataset, Error, Hold, Points, Result, Run, Sparse, choices};
use numeric::each;
use std::ops::Range;

choices! {
    /// How several classes are taken.
    pub enum Multiclass {
        /// One against one: a problem for each pair of classes, on their rows alone.
        Pairs = "pairs" | "ovo",
        /// Each class against all others.
        Rest = "rest" | "ovr",
    }
}

/// Training rows sorted by class.
pub(crate) struct Sorted {
    pub points: Points,
    /// For each sorted place, the row it was.
    pub order: Vec<usize>,
    /// For each sorted place, the class.
    pub codes: Vec<u32>,
    /// Places of each class.
    pub ranges: Vec<Range<usize>>,
    /// Columns of the kernel matrix that problems share.
    pub segments: Vec<Range<usize>>,
    tasks: Vec<Task>,
    /// Stands for all of these as long as they are there.
    _hold: Hold,
}

/// A problem of two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Task {
    /// One class against another; the first is the positive side.
    Pair(usize, usize),
    /// A class against all others.
    Rest(usize),
}

impl Sorted {
    pub fn new(data: &Dataset, classes: &Classes, multiclass: Multiclass, run: &Run<'_>) -> Result<Self> {
        let (rows, there) = (data.len() as u64, classes.names().len() as u64);
        let tasks = match multiclass {
            Multiclass::Pairs => there.saturating_mul(there.saturating_sub(1)) / 2,
            Multiclass::Rest => there,
        };
        let bytes = data.points()?.bytes() + 12 * rows + (size_of::<Task>() as u64).saturating_mul(tasks);
        let hold = run.memory.take(bytes, "training rows by class")?;
        let mut order: Vec<usize> = (0..data.len()).collect();
        order.sort_by_key(|&i| classes.codes()[i]);
        let codes: Vec<u32> = order.iter().map(|&i| classes.codes()[i]).collect();
        let count = classes.names().len();
        let start = |class: usize| codes.partition_point(|&c| (c as usize) < class);
        let ranges: Vec<Range<usize>> = (0..count).map(|c| start(c)..start(c + 1)).collect();
        let there: Vec<usize> = (0..count).filter(|&c| !ranges[c].is_empty()).collect();
        let (segments, tasks) = match multiclass {
            Multiclass::Pairs => {
                let pairs = there.iter().flat_map(|&a| there.iter().map(move |&b| (a, b))).filter(|(a, b)| a < b);
                let segments = if count == 2 { whole(order.len()) } else { ranges.clone() };
                (segments, pairs.map(|(a, b)| Task::Pair(a, b)).collect())
            }
            Multiclass::Rest => (whole(order.len()), there.iter().map(|&c| Task::Rest(c)).collect()),
        };
        let points = data.points()?.select(&order)?;
        Ok(Sorted { points, order, codes, ranges, segments, tasks, _hold: hold })
    }

    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// Solves every task, several at once; a single one may use all threads.
    pub fn solve_all(
        &self,
        run: &Run<'_>,
        f: impl Fn(Task, &Run<'_>) -> Result<Solution> + Sync,
    ) -> Result<Vec<Solution>> {
        if let [task] = self.tasks[..] {
            return begun(vec![f(task, run)?]);
        }
        let alone = Run { threads: 1, ..run.clone() };
        // Each task keeps its own best so far, so that none is left out.
        begun(each(&run.finishing(), self.tasks.len(), |t| match alone.is_enough()? {
            true => Ok(Solution::untouched(self.tasks[t].count(self))),
            false => f(self.tasks[t], &alone),
        })?)
    }

    /// How many rows are at their bound in some problem.
    pub fn bounded(&self, solutions: &[Solution], price: impl Fn(usize) -> f64) -> usize {
        let mut at_bound = vec![false; self.order.len()];
        for (task, solution) in self.tasks.iter().zip(solutions) {
            for (&(i, _), beta) in task.rows(self).iter().zip(&solution.beta) {
                at_bound[i] |= beta.abs() >= price(i);
            }
        }
        at_bound.iter().filter(|&&b| b).count()
    }
}

/// Solutions of which at least one was begun: where all were stopped before their first step nothing was fitted.
pub(crate) fn begun(solutions: Vec<Solution>) -> Result<Vec<Solution>> {
    let untouched = |s: &Solution| s.interrupted && s.beta.iter().all(|&b| b == 0.0);
    match !solutions.is_empty() && solutions.iter().all(untouched) {
        true => Err(Error::Stopped { what: String::new() }),
        false => Ok(solutions),
    }
}

impl Task {
    /// How many rows a task is about.
    pub fn count(self, sorted: &Sorted) -> usize {
        match self {
            Task::Pair(a, b) => sorted.ranges[a].len() + sorted.ranges[b].len(),
            Task::Rest(_) => sorted.order.len(),
        }
    }

    /// The sorted places a task is about, with their sides.
    pub fn rows(self, sorted: &Sorted) -> Vec<(usize, f64)> {
        let side = |range: &Range<usize>, sign: f64| range.clone().map(move |i| (i, sign)).collect::<Vec<_>>();
        match self {
            Task::Pair(a, b) => [side(&sorted.ranges[a], 1.0), side(&sorted.ranges[b], -1.0)].concat(),
            Task::Rest(c) => {
                let sign = |i: usize| if sorted.codes[i] as usize == c { 1.0 } else { -1.0 };
                (0..sorted.order.len()).map(|i| (i, sign(i))).collect()
            }
        }
    }

    /// The columns a task is about, and where a sorted place stands among them.
    pub fn columns(self, sorted: &Sorted) -> (Vec<usize>, impl Fn(usize) -> u32 + use<>) {
        let (segments, shift) = match self {
            Task::Pair(a, b) if sorted.segments.len() > 1 => {
                (vec![a, b], Some((sorted.ranges[a].clone(), sorted.ranges[b].start)))
            }
            _ => (vec![0], None),
        };
        let place = move |i: usize| match &shift {
            None => i as u32,
            Some((first, _)) if first.contains(&i) => (i - first.start) as u32,
            Some((first, second)) => (i - second + first.len()) as u32,
        };
        (segments, place)
    }

    /// The problem of C-SVC.
    pub fn problem(self, sorted: &Sorted, price: impl Fn(usize) -> f64) -> Problem {
        let (segments, place) = self.columns(sorted);
        two_sided(segments, &self.rows(sorted), place, price)
    }
}

/// The centres of a machine: these sorted places, as they are or, for a precomputed kernel, as columns.
pub(crate) fn centres(points: &Points, kernel: &Kernel, kept: &[usize], order: &[usize]) -> Result<Points> {
    match kernel.basis() {
        KernelBasis::Precomputed => {
            let ids: Vec<u32> = kept.iter().map(|&i| order[i] as u32).collect();
            let starts: Vec<usize> = (0..=kept.len()).collect();
            Ok(Points::Sparse(Sparse::new(starts, ids, vec![1.0; kept.len()], points.columns())?))
        }
        KernelBasis::Inner(_) | KernelBasis::Distances(_) | KernelBasis::Coordinates => points.select(kept),
    }
}

/// What the centres of a machine take, counted until the fit ends.
pub(crate) fn room_for(points: &Points, kept: &[usize], run: &Run<'_>) -> Result<Hold> {
    let bytes = match points {
        Points::Dense(_) => 8 * kept.len() * points.columns(),
        Points::Sparse(sparse) => kept.iter().map(|&i| 12 * sparse.row(i).0.len()).sum(),
    };
    run.memory.take(bytes as u64, "support points")
}

/// One machine of the solutions of all pairs.
pub(crate) fn join_pairs(
    data: &Dataset,
    sorted: &Sorted,
    kernel: Kernel,
    solutions: &[Solution],
    certificate: &mut Certificate,
    run: &Run<'_>,
) -> Result<Expansion> {
    let names = base::classes_of(data)?.names().clone();
    let (count, n) = (names.len(), sorted.order.len());
    let width = count.saturating_sub(1);
    // Once by row, once for those that are kept.
    let _hold = run.memory.take_for::<f64>((2 * n).saturating_mul(width), "coefficients of pairs")?;
    let mut coefficients = vec![0.0; n * width];
    // A class without rows loses against every other.
    let absent = |c: usize| sorted.ranges[c].is_empty();
    let mut offsets = vec![0.0; count * width / 2];
    for a in 0..count {
        for b in a + 1..count {
            offsets[pair(a, b, count)] = f64::from(u8::from(absent(b))) - f64::from(u8::from(absent(a)));
        }
    }
    warn_absent(certificate, &names, absent);
    for (task, solution) in sorted.tasks.iter().zip(solutions) {
        let &Task::Pair(a, b) = task else { continue };
        offsets[pair(a, b, count)] = -solution.thresholds[0];
        for (&(i, sign), &beta) in task.rows(sorted).iter().zip(&solution.beta) {
            // The slot of the other class among those that are not the row's own.
            let slot = if sign > 0.0 { b - 1 } else { a };
            coefficients[i * width + slot] = beta;
        }
    }
    let kept: Vec<usize> =
        (0..n).filter(|&i| coefficients[i * width..(i + 1) * width].iter().any(|&c| c != 0.0)).collect();
    let _room = room_for(&sorted.points, &kept, run)?;
    let own =
        |range: &Range<usize>| kept.partition_point(|&i| i < range.end) - kept.partition_point(|&i| i < range.start);
    Expansion::new(ExpansionParts {
        reading: Decisions::Pairs,
        inputs: data.features.clone(),
        centres: centres(&sorted.points, &kernel, &kept, &sorted.order)?,
        kernel,
        names,
        coefficients: kept.iter().flat_map(|&i| &coefficients[i * width..(i + 1) * width]).copied().collect(),
        offsets,
        counts: sorted.ranges.iter().map(own).collect(),
        rows: Some(kept.iter().map(|&i| sorted.order[i] as u64).collect()),
        seen: vec![],
    })
}

/// One machine of the solutions of all classes against the rest.
pub(crate) fn join_rest(
    data: &Dataset,
    sorted: &Sorted,
    kernel: Kernel,
    solutions: &[Solution],
    certificate: &mut Certificate,
    run: &Run<'_>,
) -> Result<Expansion> {
    let names = base::classes_of(data)?.names().clone();
    let (count, n) = (names.len(), sorted.order.len());
    let _hold = run.memory.take_for::<f64>((2 * n).saturating_mul(count), "coefficients of classes")?;
    let mut coefficients = vec![0.0; n * count];
    let mut offsets = vec![f64::MIN; count];
    warn_absent(certificate, &names, |c| sorted.ranges[c].is_empty());
    for (task, solution) in sorted.tasks.iter().zip(solutions) {
        let &Task::Rest(class) = task else { continue };
        offsets[class] = -solution.thresholds[0];
        solution.beta.iter().enumerate().for_each(|(i, &beta)| coefficients[i * count + class] = beta);
    }
    let kept: Vec<usize> =
        (0..n).filter(|&i| coefficients[i * count..(i + 1) * count].iter().any(|&c| c != 0.0)).collect();
    let _room = room_for(&sorted.points, &kept, run)?;
    Expansion::new(ExpansionParts {
        reading: Decisions::Rest,
        inputs: data.features.clone(),
        centres: centres(&sorted.points, &kernel, &kept, &sorted.order)?,
        kernel,
        names,
        coefficients: kept.iter().flat_map(|&i| &coefficients[i * count..(i + 1) * count]).copied().collect(),
        offsets,
        counts: vec![],
        rows: Some(kept.iter().map(|&i| sorted.order[i] as u64).collect()),
        seen: vec![],
    })
}

fn warn_absent(certificate: &mut Certificate, names: &[String], absent: impl Fn(usize) -> bool) {
    for c in (0..names.len()).filter(|&c| absent(c)) {
        certificate.warn(format!("class {:?} has no rows and is never predicted", names[c]));
    }
}
