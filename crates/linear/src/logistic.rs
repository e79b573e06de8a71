//! Multinomial logistic regression with an L2 penalty, dense and sparse.
//!
//! Minimises Σ_i w_i (log Σ_k exp s_ik − s_i,y) + ½γ‖W‖² over s_ik = w_k·x_i + b_k; two classes have a single weight
//! vector, the log-odds (see the objective's file). γ is 1/C of LIBLINEAR and scikit-learn. Probabilities are the
//! softmax of the scores. The minimum is found by Newton's method, or by L-BFGS, which holds fewer vectors.
//!
//! **Cost.** A few products with the stored numbers a step, some ten Newton steps. **Stops** when the largest component
//! of the gradient, divided by the sum of weights, is below the tolerance. Classes without rows cannot be predicted.

use crate::Linear;
use crate::newton::{self, Curvature, Curved};
use crate::softmax::Softmax;
use base::{
    Certificate, Dataset, Fitted, Gap, Learner, Link, Machine, Needs, Outputs, Plan, Record, Result, Run, Size, Traits,
    UNKNOWN, Wanted, Weighting, classes_of,
};
use numeric::{Lbfgs, Objective};
use std::sync::Arc;

base::choices! {
    /// How the minimum is found.
    pub enum Solver {
        /// Newton's method with conjugate gradients.
        Newton = "newton",
        /// Limited-memory BFGS.
        Lbfgs = "lbfgs",
    }
}

base::settings! {
    /// Settings of logistic regression.
    pub struct Logistic {
        /// strength γ of the penalty ½γ|w|² (1/C)
        pub penalty: f64 = 1.0, in Range::AtLeast(0.0), as "1/C", also "alpha", was "gamma";
        /// fit an intercept per class, which is not penalised
        pub intercept: bool = true, in Range::Any, as "fit_intercept";
        /// largest gradient component, per unit of row weight, at which to stop
        pub tolerance: f64 = 1e-8, in Range::Between(1e-14, 1.0), as "tol";
        /// maximum number of iterations
        pub steps: usize = 1000, in Range::AtLeast(1.0), as "max_iter";
        /// optimisation algorithm
        pub solver: Solver = Solver::Newton, in Range::Any;
    }
}

impl Learner for Logistic {
    fn name(&self) -> &'static str {
        "logistic"
    }

    fn traits(&self) -> Traits<'_> {
        Traits::new(Needs { targets: Wanted::Classes(2), table: false, missing: false, weights: Weighting::Exact })
            .warm_start()
            .checkpoints()
    }

    fn learn(&self, data: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        let counts = classes_of(data)?.counts();
        let names = classes_of(data)?.names();
        let mut certificate = Certificate::default();
        // Classes without rows are left out: their offset would run away to −∞.
        let mut place = vec![UNKNOWN; counts.len()];
        let mut kept = vec![];
        for (class, &count) in counts.iter().enumerate() {
            match count {
                0 => certificate.warn(format!("class {:?} has no rows and cannot be predicted", names[class])),
                _ => {
                    place[class] = kept.len() as u32;
                    kept.push(names[class].clone());
                }
            }
        }
        let kept: Arc<[String]> = kept.into();
        let mut objective = Softmax::new(data, &place, self.penalty, self.intercept, run)?;
        let from = match start {
            Some(record) => self.started(record, data, &kept, run)?,
            None => vec![0.0; objective.length()],
        };
        let machine = |point: &[f64]| self.machine(point, data, &kept);
        let keep = &mut |point: &[f64]| match run.checkpoint {
            Some(checkpoint) if checkpoint.due() => checkpoint.keep(machine(point)?.record()),
            _ => Ok(()),
        };
        let limits = (self.tolerance * objective.total(), self.steps);
        let ended = match self.solver {
            Solver::Newton => newton::minimise(&mut objective, from, limits, run, keep)?,
            Solver::Lbfgs => by_lbfgs(&mut objective, &from, limits, run)?,
        };
        certificate.converged = ended.converged;
        certificate.interrupted = ended.interrupted;
        if let Some(checkpoint) = run.checkpoint.filter(|_| ended.interrupted) {
            checkpoint.keep(machine(&ended.point)?.record())?;
        }
        certificate.steps = ended.steps as u64;
        certificate.objective = Some(ended.value);
        certificate.gap = Gap::Gradient(ended.gradient / objective.total());
        if !ended.converged && !ended.interrupted {
            let text = format!(
                "stopped at a gradient of {:.1e}, above the tolerance of {:.1e}; scale the columns or raise steps",
                ended.gradient / objective.total(),
                self.tolerance
            );
            certificate.warn(text);
        }
        Ok(Fitted { machine: Arc::new(machine(&ended.point)?), certificate })
    }

    fn plan(&self, size: &Size) -> Plan {
        let (entries, k) = (size.entries as f64, size.outputs.max(2) as f64);
        let vectors = if size.outputs == 2 { 1.0 } else { k };
        let parameters = vectors * (size.columns as f64 + 1.0);
        // Some ten steps of thirty curvature products each; these are bound by memory, not by arithmetic.
        let fit = 300.0 * vectors * (16.0 * entries + 60.0 * size.rows as f64);
        let bytes = 8.0 * (2.0 * size.rows as f64 * k + 30.0 * parameters);
        Plan { fit, predict: 2.0 * entries / (size.rows as f64).max(1.0) * k, bytes, advice: None }
    }
}

impl Logistic {
    /// The machine with these parameters.
    fn machine(&self, point: &[f64], data: &Dataset, names: &Arc<[String]>) -> Result<Linear> {
        let d = data.points()?.columns();
        let (mut weights, mut offsets) = (vec![], vec![]);
        let mut class = |part: &[f64], sign: f64| {
            weights.extend(part[..d].iter().map(|w| sign * w));
            offsets.push(sign * part[d]);
        };
        match names.len() {
            2 => [-0.5, 0.5].into_iter().for_each(|half| class(point, half)),
            _ => point.chunks_exact(d + 1).for_each(|part| class(part, 1.0)),
        }
        let outputs = Outputs::classes(names.clone(), Link::Softmax);
        Linear::new(data.features.clone(), outputs, weights, offsets, None)
    }

    /// The parameters of an earlier machine for the same columns and classes.
    fn started(&self, record: &Record, data: &Dataset, names: &Arc<[String]>, run: &Run<'_>) -> Result<Vec<f64>> {
        let earlier = Linear::read(record)?;
        let d = data.points()?.columns();
        if earlier.outputs().names != *names || earlier.inputs().count() != d {
            return Err(record.broken("the model to warm-start from has other classes or columns"));
        }
        let weights = earlier.weights().to_dense(&run.memory)?;
        let part = |k: usize, scale: f64| {
            let weights = weights[k * d..(k + 1) * d].iter().map(move |w| scale * w);
            let offset = if self.intercept { scale * earlier.offsets()[k] } else { 0.0 };
            weights.chain(std::iter::once(offset)).collect::<Vec<_>>()
        };
        Ok(match names.len() {
            2 => part(1, 2.0),
            k => (0..k).flat_map(|k| part(k, 1.0)).collect(),
        })
    }
}

impl Curved for Softmax<'_> {
    fn value(&mut self, run: &Run<'_>, at: &[f64], gradient: &mut [f64]) -> Result<f64> {
        Softmax::value(self, run, at, gradient)
    }
}

impl Curvature for Softmax<'_> {
    fn curve(&mut self, run: &Run<'_>, direction: &[f64], out: &mut [f64]) -> Result<()> {
        Softmax::curve(self, run, direction, out)
    }

    fn diagonal(&self, run: &Run<'_>) -> Result<Vec<f64>> {
        Softmax::diagonal(self, run)
    }
}

fn by_lbfgs(f: &mut Softmax<'_>, start: &[f64], limits: (f64, usize), run: &Run<'_>) -> Result<newton::Ended> {
    // The minimiser's tolerance is relative to max(1, |f|); divided by the sum of weights the loss is of order 1.
    let total = f.total();
    let mut scaled = |x: &[f64], g: &mut [f64]| {
        let value = f.value(run, x, g)?;
        g.iter_mut().for_each(|g| *g /= total);
        Ok(value / total)
    };
    let settings = Lbfgs { tolerance: limits.0 / total, steps: limits.1, ..Lbfgs::default() };
    let found = settings.minimise(run, start, &mut scaled as &mut dyn Objective)?;
    Ok(newton::Ended {
        point: found.point,
        value: found.value * total,
        gradient: found.gradient * total,
        steps: found.steps,
        converged: found.converged,
        interrupted: found.interrupted,
    })
}
