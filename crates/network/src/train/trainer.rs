//! The course of training.

use super::examples::Examples;
use super::gradient::{Lesson, Paid, is_random};
use super::penalty::{NormOf, Shrink, bounded_units, scaled, square};
use super::rule::{Optimizer, Step, advance, map};
use super::settings::{Averaging, Training};
use super::state::State;
use super::{local, newton};
use crate::kernel::Context;
use crate::network::Network;
use crate::number::{Number, by_real, numbers};
use base::graph::{Graph, Tensor};
use base::{
    Advice, Certificate, Error, Fact, Gap, Message, Place, Progress, Record, Result, Run, Seed, Verdict, Watch,
};
use numeric::Real;

/// For each weight of a graph what it is multiplied with after each step (0 keeps it away); none: nothing.
pub type Masks = Vec<Option<Tensor>>;

/// A trained graph and how it went.
pub struct Trained {
    /// The graph with its weights.
    pub graph: Graph,
    /// How it went.
    pub certificate: Certificate,
}

/// Trains the weights of a graph with one output on examples.
///
/// `start` is the part `training` of a checkpoint; `keep` makes the record of a machine of a graph, to which that part
/// is added when a checkpoint is due.
pub fn train(
    graph: Graph,
    examples: &Examples<'_>,
    settings: &Training,
    masks: &Masks,
    start: Option<&Record>,
    keep: &dyn Fn(Graph) -> Result<Record>,
    run: &Run<'_>,
) -> Result<Trained> {
    settings.check()?;
    let mut network = Network::new(graph);
    let lesson = Lesson::new(&network, examples, settings);
    let (rows, aside) = split(examples, settings.validation, run.seed.fork("validation"))?;
    let state = match start {
        Some(record) => State::read(record, settings.optimizer, &mut network, &lesson.trained)?,
        None => State::new(settings.optimizer, &network, &lesson.trained)?,
    };
    let mut course = Course { network, lesson, settings, masks, rows, aside, state, run };
    course.go(keep)
}

/// Training under way.
struct Course<'a> {
    network: Network,
    lesson: Lesson<'a>,
    settings: &'a Training,
    masks: &'a Masks,
    /// The rows that are learnt from, and those kept aside.
    rows: Vec<usize>,
    aside: Vec<usize>,
    state: State,
    run: &'a Run<'a>,
}

/// Why training ended.
#[derive(PartialEq)]
enum End {
    Epochs,
    Settled,
    Diverged,
    Interrupted,
}

impl Course<'_> {
    fn go(&mut self, keep: &dyn Fn(Graph) -> Result<Record>) -> Result<Trained> {
        let mut certificate = Certificate::default();
        let end = match self.settings.optimizer {
            Optimizer::Lbfgs => self.by_newton(&mut certificate)?,
            _ => self.by_steps(keep)?,
        };
        let averaged = self.averaged()?;
        match (self.state.best.take(), averaged) {
            // The epoch that was best on the rows kept aside.
            (Some((_, weights)), _) if !self.aside.is_empty() => self.put_all(weights),
            (_, Some(mean)) => self.put_trained(mean),
            _ => {}
        }
        certificate.converged |= end == End::Settled || (end == End::Epochs && self.settings.rates().ends());
        certificate.interrupted |= end == End::Interrupted;
        match end {
            End::Diverged => certificate.warn(format!(
                "the loss diverged in epoch {}; the weights before it were kept; lower rate or scale the columns",
                self.state.epoch + 1
            )),
            // Who asks for a single pass knows that it is one.
            End::Epochs if !certificate.converged && self.settings.epochs > 1 => certificate.warn(
                "the loss was still decreasing after all epochs; raise epochs, or let the learning rate \
                     decay (schedule=cosine)",
            ),
            _ => {}
        }
        if self.settings.optimizer != Optimizer::Lbfgs {
            certificate.steps = self.state.epoch as u64;
        }
        if !certificate.interrupted {
            match self.examine(&mut certificate) {
                // How flat the minimum is stays unknown; training had ended.
                Err(Error::Stopped { .. }) => {}
                other => other?,
            }
        }
        let state = &self.state;
        for (name, curve) in [
            ("cost by epoch", &state.costs),
            ("validation cost by epoch", &state.aside),
            ("validation accuracy by epoch", &state.right),
        ] {
            if !curve.is_empty() {
                certificate.facts.insert(name.into(), Fact::Curve(curve.clone()));
            }
        }
        let count: usize = self.lesson.trained.iter().map(|&i| self.network.weights()[i].numbers().len()).sum();
        certificate.fact("trained weights", count as f64);
        Ok(Trained { graph: self.network.trained_graph()?, certificate })
    }

    /// Epoch after epoch.
    fn by_steps(&mut self, keep: &dyn Fn(Graph) -> Result<Record>) -> Result<End> {
        let (settings, n) = (self.settings, self.rows.len());
        let all = settings.batch == 0 || settings.optimizer.takes_all_rows();
        let batch = if all { n } else { settings.batch.min(n) };
        let total = n.div_ceil(batch) as u64 * settings.epochs as u64;
        let rates = settings.rates();
        while self.state.epoch < settings.epochs {
            let (epoch, before) = (self.state.epoch, self.network.weights().to_vec());
            self.lesson.price.gamma = (epoch + 1) as f64 / settings.epochs as f64;
            let seed = self.run.seed.fork("epoch").at(epoch);
            let order = settings.order.of(&self.rows, seed.fork("order"));
            // Checkpoints are made where an epoch begins or ends, so that going on gives the same bytes.
            let boundary = self.run.checkpoint.map(|_| self.state.clone());
            let own = local::rates(&self.lesson, &mut self.network, &self.rows, settings.local_rates, seed, self.run);
            let own = match own {
                Err(Error::Stopped { .. }) => return self.stopped(before, boundary, keep),
                other => other?,
            };
            let mut paid = Paid::default();
            for (i, rows) in order.chunks(batch).enumerate() {
                let value = self.state.costs.last().copied();
                let progress = Progress { stage: "epoch", done: self.state.steps, total: Some(total), value };
                if self.run.step(&progress)? {
                    return self.stopped(before, boundary, keep);
                }
                // Nodes of the network are no news to whoever looks on, but cancel is heard between them.
                let within = Within { watch: self.run.watch, progress };
                let run = Run { watch: &within, ..self.run.clone() };
                let seed = seed.fork("step").at(i);
                let found = match all {
                    true => self.lesson.gradient_of_all(&mut self.network, rows, Some(seed), &run),
                    false => self.lesson.gradient(&mut self.network, rows, rows.len() as f64, Some(seed), &run),
                };
                let (cost, gradients) = match found {
                    // No weight has moved since the step before.
                    Err(Error::Stopped { .. }) => return self.stopped(before, boundary, keep),
                    other => other?,
                };
                paid.cost += cost.cost;
                paid.weight += cost.weight;
                if !cost.cost.is_finite() {
                    break;
                }
                self.step(gradients, &own, rates.at(self.state.steps, total), &run.finishing())?;
            }
            if !paid.mean().is_finite() {
                if epoch == 0 {
                    let what = "training diverged in its first epoch: lower the rate or scale the columns";
                    let why = Message::from(what).with(Advice::set("rate", settings.rate / 10.0));
                    return Err(Error::data(Place::Whole, why.with(Advice::prepare("scale"))));
                }
                self.put_all(before);
                return Ok(End::Diverged);
            }
            self.state.epoch += 1;
            self.state.costs.push(paid.mean());
            let settled = match self.judge(paid.mean()) {
                Err(Error::Stopped { .. }) => return Ok(End::Interrupted),
                other => other?,
            };
            if let Some(checkpoint) = self.run.checkpoint.filter(|c| c.due() || settled) {
                let machine = keep(self.network.trained_graph()?)?;
                checkpoint.keep(machine.with("training", self.state.record(&self.network)))?;
            }
            if settled {
                return Ok(End::Settled);
            }
        }
        Ok(End::Epochs)
    }

    /// Keeps a checkpoint of where the epoch that is cut short began; the machine keeps the steps since then.
    fn stopped(
        &mut self,
        before: Vec<Tensor>,
        boundary: Option<State>,
        keep: &dyn Fn(Graph) -> Result<Record>,
    ) -> Result<End> {
        if let (Some(checkpoint), Some(boundary)) = (self.run.checkpoint, boundary) {
            let now = self.network.weights().to_vec();
            self.put_all(before);
            let machine = keep(self.network.trained_graph()?)?;
            checkpoint.keep(machine.with("training", boundary.record(&self.network)))?;
            self.put_all(now);
        }
        Ok(End::Interrupted)
    }

    /// One step along gradients.
    fn step(&mut self, gradients: Vec<Option<Tensor>>, own: &[Option<Tensor>], rate: f64, run: &Run<'_>) -> Result<()> {
        let settings = self.settings;
        self.state.steps += 1;
        let pool = self.network.pool().clone();
        let context = Context { run, pool: &pool, training: None };
        let shorter = match settings.clip > 0.0 {
            true => {
                let squares = gradients.iter().flatten().map(|g| square(g, &context));
                let length = squares.sum::<Result<f64>>()?.sqrt();
                (length > settings.clip).then(|| settings.clip / length)
            }
            false => None,
        };
        let shrink = shrink(settings);
        let rule = Step {
            rule: settings.optimizer,
            rate,
            momentum: settings.momentum,
            decay: settings.beta2,
            count: self.state.steps,
        };
        for (k, gradient) in gradients.into_iter().enumerate() {
            let i = self.lesson.trained[k];
            let Some(mut gradient) = gradient else { continue };
            if let Some(factor) = shorter {
                gradient = scaled(&gradient, factor, &context)?;
            }
            let weight = self.network.weights()[i].clone();
            let own = own.get(k).and_then(Option::as_ref);
            let mut next = advance(rule, &weight, &gradient, own, &mut self.state.slots[k], &context)?;
            let is_matrix = weight.shape().len() > 1;
            if is_matrix && shrink.acts() {
                next = shrink.drawn(&weight, &next, rate, &context)?;
            }
            if is_matrix && settings.max_norm > 0.0 && settings.norm_of == NormOf::Unit {
                next = bounded_units(&next, settings.max_norm, &context)?;
            }
            if let Some(mask) = self.masks.get(i).and_then(Option::as_ref) {
                next = product(&next, mask, &context)?;
            }
            self.network.put_weight(i, next);
        }
        if settings.max_norm > 0.0 && settings.norm_of == NormOf::All {
            self.bound_all(&context)?;
        }
        self.remember(&context)
    }

    /// Scales all matrices back if together they are too long.
    fn bound_all(&mut self, context: &Context<'_>) -> Result<()> {
        let matrices = |i: &&usize| self.network.weights()[**i].shape().len() > 1;
        let matrices: Vec<usize> = self.lesson.trained.iter().filter(matrices).copied().collect();
        let squares = matrices.iter().map(|&i| square(&self.network.weights()[i], context));
        let length = squares.sum::<Result<f64>>()?.sqrt();
        if length > self.settings.max_norm {
            for i in matrices {
                let shorter = scaled(&self.network.weights()[i], self.settings.max_norm / length, context)?;
                self.network.put_weight(i, shorter);
            }
        }
        Ok(())
    }

    /// Takes the weights into the means that are asked for.
    fn remember(&mut self, context: &Context<'_>) -> Result<()> {
        let now: Vec<Tensor> = self.lesson.trained.iter().map(|&i| self.network.weights()[i].clone()).collect();
        match self.settings.averaging {
            Averaging::None => {}
            Averaging::Last => {
                self.state.recent.push_back(now);
                if self.state.recent.len() > self.settings.last {
                    self.state.recent.pop_front();
                }
            }
            Averaging::All if self.state.mean.is_empty() => self.state.mean = now,
            Averaging::All => {
                for (mean, now) in self.state.mean.iter_mut().zip(&now) {
                    *mean = moved(mean, now, 1.0 / self.state.steps as f64, context)?;
                }
            }
        }
        Ok(())
    }

    /// The mean of the trained weights that is asked for.
    fn averaged(&self) -> Result<Option<Vec<Tensor>>> {
        let run = &self.run.finishing();
        let context = Context { run, pool: self.network.pool(), training: None };
        let Some(first) = self.state.recent.front() else {
            return Ok((!self.state.mean.is_empty()).then(|| self.state.mean.clone()));
        };
        let mut mean = first.clone();
        for (k, weights) in self.state.recent.iter().enumerate().skip(1) {
            for (mean, weight) in mean.iter_mut().zip(weights) {
                *mean = moved(mean, weight, 1.0 / (k + 1) as f64, &context)?;
            }
        }
        Ok(Some(mean))
    }

    /// Looks at the rows kept aside, or at the cost of the epoch if there are none: whether nothing gets better.
    fn judge(&mut self, cost: f64) -> Result<bool> {
        let mut cost = cost;
        let mut weights = None;
        if !self.aside.is_empty() {
            let iterate = self.network.weights().to_vec();
            if let Some(mean) = self.averaged()? {
                self.put_trained(mean);
            }
            let paid = self.lesson.cost(&self.network, &self.aside, self.run)?;
            weights = Some(self.network.weights().to_vec());
            self.put_all(iterate);
            self.state.aside.push(paid.mean());
            if self.lesson.examples.class(self.aside[0]).is_some() {
                self.state.right.push(paid.right / paid.weight);
            }
            cost = paid.mean();
        }
        let better = match &self.state.best {
            None => true,
            // Rows aside decide by any gain; a running cost must fall by the tolerance, or it is noise.
            Some((best, _)) if weights.is_some() => cost < *best,
            Some((best, _)) => cost < best - self.settings.tolerance * best.abs(),
        };
        self.state.waited = if better { 0 } else { self.state.waited + 1 };
        if better {
            self.state.best = Some((cost, weights.unwrap_or_default()));
        }
        Ok(self.settings.patience > 0 && self.state.waited >= self.settings.patience)
    }

    /// What the trained network costs, and how far from a stationary point it is.
    fn examine(&mut self, certificate: &mut Certificate) -> Result<()> {
        self.lesson.price.gamma = 1.0;
        let (paid, gradients) = self.lesson.gradient_of_all(&mut self.network, &self.rows, None, self.run)?;
        let shrink = shrink(self.settings);
        let (mut penalty, mut largest) = (0.0, 0.0f64);
        for (&i, gradient) in self.lesson.trained.iter().zip(gradients) {
            let weight = &self.network.weights()[i];
            let slopes = gradient.map_or_else(|| vec![0.0; weight.numbers().len()], |g| g.to_f64());
            for (w, g) in weight.to_f64().into_iter().zip(slopes) {
                let acts = shrink.acts() && weight.shape().len() > 1;
                penalty += if acts { shrink.value(w) } else { 0.0 };
                largest = largest.max((g + if acts { shrink.slope(w) } else { 0.0 }).abs());
            }
        }
        certificate.objective = Some(paid.mean() + penalty);
        certificate.gap = Gap::Stationary(largest);
        Ok(())
    }

    fn by_newton(&mut self, certificate: &mut Certificate) -> Result<End> {
        let seed = is_random(&self.network).then(|| self.run.seed.fork("minimise"));
        let shrink = shrink(self.settings);
        let found = newton::minimise(
            &self.lesson,
            &mut self.network,
            self.settings,
            shrink,
            (&self.rows, self.masks),
            seed,
            self.run,
        )?;
        certificate.steps = found.steps as u64;
        if self.run.checkpoint.is_some() {
            certificate.warn(
                "lbfgs writes no checkpoints, since its curvature estimate is not stored; resume from a \
                     model instead",
            );
        }
        if !self.aside.is_empty() {
            let paid = self.lesson.cost(&self.network, &self.aside, &self.run.finishing())?;
            self.state.aside.push(paid.mean());
        }
        Ok(match (found.interrupted, found.converged) {
            (true, _) => End::Interrupted,
            (_, true) => End::Settled,
            _ => End::Epochs,
        })
    }

    fn put_all(&mut self, weights: Vec<Tensor>) {
        weights.into_iter().enumerate().for_each(|(i, tensor)| self.network.put_weight(i, tensor));
    }

    fn put_trained(&mut self, weights: Vec<Tensor>) {
        self.lesson.trained.iter().zip(weights).for_each(|(&i, tensor)| self.network.put_weight(i, tensor));
    }
}

fn shrink(settings: &Training) -> Shrink {
    Shrink { regularizer: settings.regularizer, penalty: settings.penalty, p: settings.p }
}

/// Rows to learn from and rows kept aside, of each class its share.
fn split(examples: &Examples<'_>, share: f64, seed: Seed) -> Result<(Vec<usize>, Vec<usize>)> {
    let n = examples.len();
    if share == 0.0 {
        return Ok(((0..n).collect(), vec![]));
    }
    let mut classes: std::collections::BTreeMap<Option<u32>, Vec<usize>> = Default::default();
    for row in seed.permutation(n) {
        classes.entry(examples.class(row)).or_default().push(row);
    }
    let (mut rows, mut aside) = (vec![], vec![]);
    for list in classes.into_values() {
        let cut = (share * list.len() as f64).round() as usize;
        aside.extend_from_slice(&list[..cut]);
        rows.extend_from_slice(&list[cut..]);
    }
    if rows.is_empty() || aside.is_empty() {
        return Err(Error::parameter("validation", share, format!("of {n} rows leaves none on one side")));
    }
    rows.sort_unstable();
    aside.sort_unstable();
    Ok((rows, aside))
}

/// a + share · (b − a).
fn moved(a: &Tensor, b: &Tensor, share: f64, context: &Context<'_>) -> Result<Tensor> {
    fn go<T: Real + Number>(a: &Tensor, b: &Tensor, share: f64, context: &Context<'_>) -> Result<Tensor> {
        let share = T::narrow(share);
        map(context, a.shape(), [numbers::<T>(a)?, numbers::<T>(b)?], |[a, b]| a + share * (b - a))
    }
    by_real!(a.element(), go(a, b, share, context))
}

/// a · b, element by element.
fn product(a: &Tensor, b: &Tensor, context: &Context<'_>) -> Result<Tensor> {
    fn go<T: Real + Number>(a: &Tensor, b: &Tensor, context: &Context<'_>) -> Result<Tensor> {
        map(context, a.shape(), [numbers::<T>(a)?, numbers::<T>(b)?], |[a, b]| a * b)
    }
    by_real!(a.element(), go(a, b, context))
}

/// Tells an observer where training is whenever a part of it says where that part is.
struct Within<'a> {
    watch: &'a dyn Watch,
    progress: Progress<'a>,
}

impl Watch for Within<'_> {
    fn step(&self, _: &Progress<'_>) -> Verdict {
        self.watch.step(&self.progress)
    }

    fn asked(&self) -> Verdict {
        self.watch.asked()
    }

    fn note(&self, text: &str) {
        self.watch.note(text);
    }

    fn advise(&self, message: &Message) {
        self.watch.advise(message);
    }
}
