//! The epochs of a joint problem on one machine: from 0 or from a checkpoint to the optimum, or to the best so far.
//!
//! An epoch is walked in portions of whole batches. Between two of them the fit hears that it is enough, and keeps a checkpoint
//! where one is due or the fit is cut short: dual variables, weights as they are kept, the order of the samples and the place in it.
//! A fit that goes on from there takes the steps that were left, and ends in the same bytes.

use super::Stop;
use super::checkpoint::{Saved, kept_record, read_kept};
use super::joint::{BATCH, Joint, JointSolved, Kept, State};
use super::order::Order;
use super::pace::{Pace, WITHIN};
use super::store::Store;
use base::{Progress, Record, Result, Run};
use numeric::Real;

/// Quick epochs between two full ones, at most.
const QUICK: usize = 16;
/// Samples of a portion: whole batches.
const PORTION: usize = 16 * BATCH;
const SOLVER: &str = "joint";

/// Where a fit stands.
struct Fit<T, R> {
    state: State<T>,
    order: Order<R>,
    pace: Pace,
    /// The place in the order of this epoch, and the largest violation so far. At place 0 it has not begun.
    place: usize,
    worst: f64,
}

impl Joint<'_> {
    pub(super) fn solve_in<T: Real>(&self, stop: &Stop, saved: &Saved<'_>, run: &Run<'_>) -> Result<JointSolved> {
        let mut fit = self.begin::<T>(stop, saved, run)?;
        let (mut converged, mut interrupted) = (false, false);
        // A portion is done as a whole: between portions weights and variables agree.
        let whole = &run.finishing();
        while fit.pace.epochs < stop.epochs {
            let enough = match fit.place {
                0 => run.step(&Progress::of("epoch", fit.pace.epochs as u64, stop.epochs as u64))?,
                _ => run.is_enough()?,
            };
            if let Some(checkpoint) = run.checkpoint.filter(|c| enough || c.due()) {
                let bytes = fit.state.store.bytes() + fit.state.kept.iter().map(Kept::bytes).sum::<u64>();
                let _hold = run.memory.take(bytes, "a checkpoint")?;
                checkpoint.keep(fit.record(saved))?;
            }
            if enough {
                interrupted = true;
                break;
            }
            if fit.place == 0 {
                if fit.pace.full {
                    fit.order.restore();
                }
                fit.order.shuffle();
            }
            let end = (fit.place + PORTION).min(fit.order.active());
            let (samples, full) = (&fit.order.all()[fit.place..end], fit.pace.full);
            let worst = self.epoch(&mut fit.state, samples, full, WITHIN * fit.pace.tolerance, whole)?;
            (fit.place, fit.worst) = (end, fit.worst.max(worst));
            if end < fit.order.active() {
                continue;
            }
            let done = fit.worst <= fit.pace.limit();
            (fit.place, fit.worst) = (0, 0.0);
            if fit.pace.after(done) {
                if !stop.by_gap() || stop.is_near(self.values(&fit.state.store, &fit.state.kept, run)?) {
                    converged = true;
                    break;
                }
                fit.pace.tighten();
            }
            fit.order.retain(|i| !fit.state.kept[i].is_idle());
            fit.pace.full |= fit.order.active() == 0;
        }
        if let Some(checkpoint) = run.checkpoint.filter(|_| !converged && !interrupted) {
            checkpoint.keep(fit.record(saved))?;
        }
        let Fit { state: State { kept, store, .. }, pace, .. } = fit;
        let store = match size_of::<T>() == size_of::<f64>() {
            true => store.widened(),
            false => {
                drop(store);
                self.weights(&kept, whole)?
            }
        };
        let (primal, dual) = self.values(&store, &kept, run)?;
        let variables = kept.iter().map(Kept::used).sum();
        let support = kept.iter().filter(|k| k.used() > 0).count();
        let (epochs, full) = (pace.epochs, pace.full_epochs);
        Ok(JointSolved { store, primal, dual, epochs, full, converged, interrupted, variables, support })
    }

    /// Where a fit begins, or a checkpoint goes on.
    fn begin<T: Real>(&self, stop: &Stop, saved: &Saved<'_>, run: &Run<'_>) -> Result<Fit<T, impl rand::Rng + use<T>>> {
        let (n, stream) = (self.samples.len(), run.seed.fork("order").stream());
        let Some(record) = saved.start(SOLVER)? else {
            let state = self.state(vec![Kept::default(); n], Store::new(self.rows, self.classes, run)?, run)?;
            return Ok(Fit { state, order: Order::new(n, stream), pace: Pace::new(stop, QUICK), place: 0, worst: 0.0 });
        };
        let pace = Pace::read(record.part("pace")?, QUICK)?;
        let kept = read_kept(record.part("dual variables")?, n, self.classes)?;
        let store = Store::read(record.part("weights")?, self.rows, self.classes, run)?;
        let order = Order::read(record.part("order")?, n, pace.epochs, stream)?;
        let (place, worst) = (record.count("place")?, record.number("worst")?);
        if place > order.active() || !place.is_multiple_of(PORTION) {
            return Err(record.broken(format!("place {place} in an order of {} samples", order.active())));
        }
        Ok(Fit { state: self.state(kept, store, run)?, order, pace, place, worst })
    }
}

impl<T: Real, R: rand::Rng> Fit<T, R> {
    fn record(&self, saved: &Saved<'_>) -> Record {
        saved
            .record(SOLVER)
            .with("pace", self.pace.record())
            .with("dual variables", kept_record(&self.state.kept))
            .with("weights", self.state.store.record())
            .with("order", self.order.record())
            .with("place", self.place)
            .with("worst", self.worst)
    }
}
