//! How long a fit will take and how much memory, before it is started.
//!
//! A learner's plan F(n) counts operations and bytes from the size of the data alone ([`estimate`]); what this machine does
//! in a second is measured by a short matrix product. How many steps a fit takes and how many rows become support vectors
//! is decided by the data, so [`estimate_on`] also fits drawn rows, twice as many each time, until half a second is spent
//! or all rows are fitted. The last trial, of m rows and t seconds, gives t · F(n)/F(m) · (n/m)^e: the formula says how
//! the work grows, the trial at which level, and e how the trials grew beside the formula, within bounds because trials
//! are short. Memory is what the trials asked for ([`base::Memory`]), carried on to all rows, with the data themselves.
//!
//! **Cost.** Below a second. **Limits.** A fit whose nature changes beyond the size of the trials (rows that no longer fit
//! a cache, a solver that takes another way) is foreseen only as far as the learner's formula knows.

use base::{Dataset, Effort, Error, Learner, Memory, Plan, Result, Run, Size};
use std::time::{Duration, Instant};

/// What a fit will take here.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// Seconds to fit.
    pub fit_seconds: f64,
    /// The least and the most seconds that are to be expected.
    pub between: (f64, f64),
    /// Seconds to predict a thousand rows.
    pub predict_seconds: f64,
    /// Bytes at the peak beyond what the program takes before it reads anything, the data included.
    pub bytes: f64,
    /// Rows of the largest trial; 0 if the size alone was looked at.
    pub tried: usize,
    /// A better suited machine, or what to look out for.
    pub advice: Option<String>,
}

/// What the process itself takes beside the data and the fit.
const PROGRAM: f64 = 5.0 * 1048576.0;

/// Rows of the first trial.
const FIRST: usize = 250;
/// Seconds that all trials may take together, and those after which a trial is cut short.
const TRIALS: f64 = 0.5;
const LONGEST: Duration = Duration::from_millis(400);
/// By how much the next trial, of twice the rows, may take longer: work of the cube of the rows.
const NEXT: f64 = 6.0;
/// The slowest and fastest growth beside the formula that is believed, as powers of the rows. Small problems are often
/// solved in one go, which makes the first larger ones look cheap: less is believed of a fall than of a rise.
const GROWTH: (f64, f64) = (-0.2, 0.5);

/// Estimates a fit of `learner` on data of that size, by measuring this machine for some hundredths of a second.
pub fn estimate(learner: &dyn Learner, size: &Size, run: &Run<'_>) -> Result<Estimate> {
    let plan = learner.plan(size);
    let speed = operations_per_second(run)?;
    let Effort { slower, larger, extra, .. } = learner.traits().effort;
    let fit_seconds = slower * plan.fit / speed;
    Ok(Estimate {
        fit_seconds,
        between: (fit_seconds / 5.0, 5.0 * fit_seconds),
        predict_seconds: 1000.0 * plan.predict / speed,
        bytes: larger * plan.bytes + extra + 8.0 * size.entries as f64 + PROGRAM,
        tried: 0,
        advice: plan.advice,
    })
}

/// A fit of some of the rows.
struct Trial {
    rows: usize,
    seconds: f64,
    /// Bytes that were counted at the peak.
    bytes: f64,
    /// What the learner's formula says of it.
    plan: Plan,
}

/// Estimates a fit of `learner` on these data by trials on some of their rows; `clock` tells the seconds that this process
/// has worked, so that other work on the machine does not count.
pub fn estimate_on(learner: &dyn Learner, data: &Dataset, clock: &dyn Fn() -> f64, run: &Run<'_>) -> Result<Estimate> {
    let size = Size::of(data);
    let sized = estimate(learner, &size, run)?;
    let whole = learner.plan(&size);
    let (trials, cut) = trials(learner, data, clock, run)?;
    let held = trials.iter().map(|t| (t.rows as f64, t.bytes, t.plan.bytes)).collect::<Vec<_>>();
    let bytes = match memory(&held, size.rows as f64, whole.bytes, learner.traits().effort.keeps_rows) {
        Some(bytes) => bytes + 8.0 * size.entries as f64 + PROGRAM,
        // A trial that was cut short still tells what it asked for.
        None => sized.bytes.max(cut.as_ref().map_or(0.0, |t| t.bytes + 8.0 * size.entries as f64 + PROGRAM)),
    };
    let Some(last) = trials.last() else {
        // Not even the smallest came to an end: the whole takes at least as long as it did so far.
        let least = cut.map_or(0.0, |t| t.seconds * (whole.fit / t.plan.fit.max(1.0)).max(1.0));
        let fit_seconds = sized.fit_seconds.max(least);
        let most = 5.0 * fit_seconds;
        return Ok(Estimate { fit_seconds, between: (least.max(fit_seconds / 5.0), most), bytes, ..sized });
    };
    let farther = size.rows as f64 / last.rows as f64;
    // A few milliseconds are what the clock of the system tells.
    let level = |t: &Trial| (t.seconds + 0.002) / t.plan.fit.max(1.0);
    let growth = trials.len().checked_sub(3).map_or(0.0, |i| {
        let rows = last.rows as f64 / trials[i].rows as f64;
        ((level(last) / level(&trials[i])).ln() / rows.ln()).clamp(GROWTH.0, GROWTH.1)
    });
    let fit_seconds = last.seconds * (whole.fit / last.plan.fit.max(1.0)).max(1.0) * farther.powf(growth);
    // What lies between the largest trial and the whole is not known: the farther, the wider.
    let wide = if farther <= 1.0 { 2.0 } else { 2.0 * farther.powf(0.25) };
    Ok(Estimate { fit_seconds, between: (fit_seconds / wide, wide * fit_seconds), bytes, tried: last.rows, ..sized })
}

/// Bytes that a fit of so many rows asks for, from trials as (rows, bytes asked for, bytes by the formula).
///
/// From three trials on by Newton's interpolation of a + bn + cn², the forms that tables of rows and of pairs of rows have,
/// with no term below 0; from fewer by the growth of the formula. Rows of kernel values that are `kept` until a cache is
/// full grow at least like the rows and at most like their square, and never beyond the formula.
fn memory(trials: &[(f64, f64, f64)], rows: f64, formula: f64, kept: bool) -> Option<f64> {
    let &(last, bytes, own) = trials.last()?;
    if last >= rows {
        return Some(bytes);
    }
    let by_formula = bytes * (formula / own.max(1.0)).max(1.0);
    let [.., first, second, _] = trials else { return Some(by_formula) };
    let late = ((bytes - second.1) / (last - second.0)).max(0.0);
    let early = ((second.1 - first.1) / (second.0 - first.0)).max(0.0);
    let bend = ((late - early) / (last - first.0)).max(0.0);
    let grown = bytes + (rows - last) * (late + bend * (rows - second.0));
    if !kept {
        // What bends upwards in small trials (blocks that are not yet full) does so only as far as the formula can.
        return Some(grown.min(formula.max(by_formula)));
    }
    let power = ((bytes / first.1.max(1.0)).ln() / (last / first.0).ln()).clamp(1.0, 2.0);
    Some(grown.max(bytes * (rows / last).powf(power)).min(formula).max(bytes))
}

/// Fits of more and more drawn rows that came to their end, and the one that did not.
fn trials(
    learner: &dyn Learner,
    data: &Dataset,
    clock: &dyn Fn() -> f64,
    run: &Run<'_>,
) -> Result<(Vec<Trial>, Option<Trial>)> {
    let order = run.seed.fork("plan").permutation(data.len());
    let (began, mut done) = (clock(), vec![]);
    let mut rows = FIRST.min(data.len());
    loop {
        let some = match rows == data.len() {
            true => data.clone(),
            false => data.select(&order[..rows])?,
        };
        let memory = Memory::limited(run.memory.free());
        let deadline = Some(Instant::now() + LONGEST);
        let alone = Run { memory: memory.clone(), deadline, catalog: run.catalog, seed: run.seed, ..Run::quiet(0) };
        let start = clock();
        let fitted = learner.fit(&some, None, &alone);
        let (seconds, bytes) = (clock() - start, memory.peak() as f64);
        let trial = Trial { rows, seconds, bytes, plan: learner.plan(&Size::of(&some)) };
        match fitted {
            Ok(fitted) if !fitted.certificate.interrupted => done.push(trial),
            Ok(_) | Err(Error::Stopped { .. }) => return Ok((done, Some(trial))),
            // Drawn rows may lack what the whole has; then the size alone speaks.
            Err(_) => return Ok((done, None)),
        }
        if rows == data.len() || clock() - began + NEXT * seconds > TRIALS {
            return Ok((done, None));
        }
        rows = (2 * rows).min(data.len());
    }
}

fn operations_per_second(run: &Run<'_>) -> Result<f64> {
    const N: usize = 384;
    let a: Vec<f64> = (0..N * N).map(|i| (i % 7) as f64).collect();
    let mut out = vec![0.0; N * N];
    let mut best = f64::INFINITY;
    for _ in 0..4 {
        let start = Instant::now();
        let view = numeric::Mat::new(&a, N, N)?;
        numeric::product(run, view, view, numeric::MatMut::new(&mut out, N, N)?, 1.0, false)?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    Ok(2.0 * (N * N * N) as f64 / best.max(1e-9))
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::{Catalog, KNOWN, LEARNERS};
    use base::{Points, Seed, Targets, Values, Wanted, normal};
    use std::cell::Cell;

    fn quiet() -> Run<'static> {
        Run { catalog: &KNOWN, ..Run::quiet(1) }
    }

    /// A clock by which every look at it takes as long, so that trials do not depend on the machine.
    fn ticking(step: f64) -> impl Fn() -> f64 {
        let now = Cell::new(0.0);
        move || {
            now.set(now.get() + step);
            now.get()
        }
    }

    fn drawn(learner: &dyn Learner, n: usize, d: usize) -> Dataset {
        let mut stream = Seed(3).stream();
        let values: Vec<f64> = (0..n * d).map(|_| normal(&mut stream)).collect();
        let targets = match learner.traits().needs.targets {
            Wanted::Nothing => Targets::None,
            Wanted::Values | Wanted::Either => {
                Targets::Values(Values::new(values.chunks_exact(d).map(|r| r[0] + 0.1 * r[1]).collect(), "y"))
            }
            _ => {
                let names = vec!["a".to_string(), "b".to_string()];
                let codes = values.chunks_exact(d).map(|r| u32::from(r[0] + 0.5 * r[1] > 0.0)).collect();
                Targets::Classes(base::Classes::new(codes, names).unwrap())
            }
        };
        Dataset::new(Points::dense(values, n, d).unwrap(), targets)
    }

    #[test]
    fn d27_plans_grow_with_rows_columns_and_classes() {
        let size =
            |rows: usize, columns: usize, outputs: usize| Size { rows, columns, entries: rows * columns, outputs };
        for entry in LEARNERS {
            let learner = (entry.make)();
            let grows = |small: Size, large: Size| {
                let (a, b) = (learner.plan(&small), learner.plan(&large));
                assert!(a.fit > 0.0 && a.bytes > 0.0, "{} {small:?}", entry.name);
                assert!(b.fit >= a.fit, "{}: the work of {small:?} and {large:?}", entry.name);
                // The AdaTron holds the kernel values of one pair of classes, and pairs get smaller.
                let pairs = entry.name == "kernel-adatron" && large.outputs > small.outputs;
                assert!(pairs || b.bytes >= a.bytes, "{}: the memory of {small:?} and {large:?}", entry.name);
            };
            for rows in [300, 1000, 5000] {
                grows(size(rows, 100, 3), size(2 * rows, 100, 3));
                grows(size(rows, 64, 3), size(rows, 144, 3));
                grows(size(rows, 100, 3), size(rows, 100, 9));
            }
            assert!(
                learner.plan(&size(8000, 100, 3)).fit >= 3.0 * learner.plan(&size(2000, 100, 3)).fit,
                "{}",
                entry.name
            );
        }
    }

    #[test]
    fn d27_memory_of_trials_is_carried_on_as_tables_of_rows_and_pairs_grow() {
        let of = |rows: f64| 5e5 + 40.0 * rows + 8.0 * rows * rows;
        let trials: Vec<_> = [250.0, 500.0, 1000.0].map(|n| (n, of(n), 1.0)).to_vec();
        let found = memory(&trials, 20_000.0, 1e12, false).unwrap();
        assert!((found / of(20_000.0) - 1.0).abs() < 1e-9, "{found}");
        // Rows that are kept end where the cache is full, but what was asked for once will be again.
        assert_eq!(memory(&trials, 20_000.0, 1e8, true), Some(1e8));
        assert_eq!(memory(&trials, 20_000.0, 1.0, true), Some(of(1000.0)));
        // Fewer trials: as the formula grows; all rows: as it was; none: nothing.
        assert_eq!(memory(&[(250.0, 1e6, 2.0)], 1000.0, 6.0, false), Some(3e6));
        assert_eq!(memory(&trials, 1000.0, 1e12, false), Some(of(1000.0)));
        assert_eq!(memory(&[], 1000.0, 1.0, false), None);
        assert_eq!(memory(&trials, 20_000.0, 20.0, false), Some(20.0 * of(1000.0)));
        // What falls is not believed to fall on.
        assert_eq!(memory(&[(1.0, 9.0, 1.0), (2.0, 8.0, 1.0), (4.0, 7.0, 1.0)], 8.0, 1.0, false), Some(7.0));
    }

    #[test]
    fn d27_planned_memory_is_what_a_fit_asks_for() {
        for name in ["kmedoids", "kde", "tree", "ridge", "kmeans", "hierarchical", "logistic", "knn"] {
            let learner = KNOWN.learner(name).unwrap();
            let data = drawn(&*learner, 3000, 6);
            let run = quiet();
            learner.fit(&data, None, &run).unwrap();
            let asked = run.memory.peak() as f64;
            let e = estimate_on(&*learner, &data, &ticking(0.035), &quiet()).unwrap();
            assert_eq!(e.tried, 1000, "{name}");
            let planned = e.bytes - PROGRAM - 8.0 * 18_000.0;
            // Above: a block of rows that small trials fill only in part looks as if it grew.
            assert!(e.bytes >= asked + 8.0 * 18_000.0, "{name}: {planned} and {asked}");
            assert!(planned >= 0.9 * asked && planned <= 2.0 * asked + 1e5, "{name}: {planned} and {asked}");
        }
    }

    #[test]
    fn d27_a_fit_that_was_tried_whole_is_planned_as_it_was() {
        let learner = KNOWN.learner("ridge").unwrap();
        let data = drawn(&*learner, 400, 3);
        let e = estimate_on(&*learner, &data, &ticking(0.001), &quiet()).unwrap();
        assert_eq!(e.tried, 400);
        assert!((e.fit_seconds - 0.001).abs() < 1e-9 && e.between.0 < 0.001 && e.between.1 > 0.001, "{e:?}");
        // A slow clock: no further trial, and seconds that grow with the rows.
        let slow = estimate_on(&*learner, &drawn(&*learner, 4000, 3), &ticking(1.0), &quiet()).unwrap();
        assert_eq!(slow.tried, 250);
        assert!(slow.fit_seconds > 10.0 && slow.fit_seconds < 30.0, "{slow:?}");
    }

    #[test]
    fn d27_factors_of_all_machines_are_sound() {
        let efforts: Vec<_> =
            crate::LEARNERS.iter().map(|entry| (entry.name, (entry.make)().traits().effort)).collect();
        assert!(efforts.iter().all(|(_, e)| e.slower >= 1.0 && e.larger >= 1.0 && e.extra >= 0.0));
        // A preparation before a machine changes nothing of that.
        let effort = |spec: &str| {
            let learner = base::Spec::parse(spec, &crate::KNOWN).unwrap().build(&crate::KNOWN).unwrap();
            learner.traits().effort
        };
        assert_eq!(effort("scale,svc"), effort("svc"));
        assert!(effort("svc").keeps_rows && !effort("forest").keeps_rows && effort("forest").slower > 1.0);
    }
}
