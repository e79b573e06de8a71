//! Competitive learning: prototypes that move towards the rows they win (vector quantisation).
//!
//! Step t: draw a row x by weight; the nearest prototype (of equals the first) moves, c += η(t)(x − c). η goes from `rate`
//! to `last` along t/T: constant (η = rate), linear, or exponential, rate·(last/rate)^(t/T). For η → 0 this is stochastic
//! descent of H = Σ ½ w ‖x − c(x)‖², which K-means minimises in whole passes. Scores are −‖x − c_k‖².
//!
//! **Dead units** win no row of the data in the end; they are counted in the certificate. The outcome depends on the
//! start; `start=k-means++` spreads prototypes and leaves few of them dead.
//! **Weights.** Chances to be drawn: weight 2 is the row twice in the mean. **Cost.** 2·k·d operations a step, one
//! after the other; `epochs`·n steps.
//!
//! - T. Kohonen: *Self-Organizing Maps.* 3rd ed., Springer 2001, section 1.5.

use crate::codebook::Codebook;
use crate::metric::Metric;
use crate::prototypes::Prototypes;
use crate::starts::{Start, begin, check_rows};
use base::{
    Certificate, Dataset, Fact, Fitted, Learner, Machine, Needs, PartialFit, Plan, Progress, Record, Result, Run, Seed,
    Size, Traits, Wanted, Weighting, argmax, choices, settings,
};
use std::sync::Arc;

choices! {
    /// How the rate of learning falls.
    pub enum Schedule {
        /// It does not.
        Constant = "constant",
        /// By equal differences.
        Linear = "linear",
        /// By equal factors.
        Exponential = "exponential",
    }
}

/// Numbers of rows looked at between two looks at the watch.
const LOOK: usize = 1 << 16;

settings! {
    /// Settings of competitive learning.
    pub struct Vq {
        /// number of prototypes
        pub k: usize = 8, in Range::AtLeast(1.0), as "n_clusters";
        /// initialisation of the prototypes
        pub start: Start = Start::Random, in Range::Any, as "init";
        /// number of epochs (one step per row)
        pub epochs: usize = 50, in Range::AtLeast(1.0), as "max_iter";
        /// initial learning rate
        pub rate: f64 = 0.1, in Range::Share, as "learning_rate";
        /// final learning rate; no effect if the schedule is constant
        pub last: f64 = 0.001, in Range::Share, as "final_learning_rate";
        /// learning-rate schedule
        pub schedule: Schedule = Schedule::Exponential, in Range::Any;
    }
}

impl Vq {
    /// η after the share `time` of all steps.
    fn rate_at(&self, time: f64) -> f64 {
        match self.schedule {
            Schedule::Constant => self.rate,
            Schedule::Linear => self.rate + (self.last - self.rate) * time,
            Schedule::Exponential => self.rate * (self.last / self.rate).powf(time),
        }
    }
}

impl Learner for Vq {
    fn name(&self) -> &'static str {
        "vq"
    }

    fn traits(&self) -> Traits<'_> {
        Traits::new(Needs { targets: Wanted::Nothing, table: false, missing: false, weights: Weighting::Mean })
            .random()
            .warm_start()
            .partial(self)
            .effort(30.0, 1.0, 0.0)
    }

    fn learn(&self, data: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        let points = data.points()?;
        let (n, d) = (points.len(), points.columns());
        let seed = run.seed.fork("vq");
        let centres = match start {
            Some(record) => {
                let earlier = Codebook::read(record)?;
                if earlier.len() != self.k || earlier.inputs().count() != d {
                    return Err(record.broken(
                        "the model to warm-start from has another number of prototypes or \
                         columns",
                    ));
                }
                earlier.centres().to_vec()
            }
            None => {
                check_rows("vq", self.k, data)?;
                begin(self.start, self.k, data, seed.fork("start"), run)?
            }
        };
        let draws = Draws::new(data, seed.fork("draw"));
        let (mut curve, mut interrupted) = (vec![], false);
        let codebook =
            |centres: &[f64]| Codebook::new(data.features.clone(), centres.to_vec(), Metric::Euclidean, None);
        let (mut objective, mut dead) = quantise(&codebook(&centres)?, data, run)?;
        let mut prototypes = Prototypes::new(points, centres);
        let look = (LOOK / (points.entries() / n.max(1)).max(1)).clamp(1, 1024);
        for epoch in 0..self.epochs {
            let progress = Progress::of("epochs", epoch as u64, self.epochs as u64);
            if run.step(&Progress { value: Some(objective), ..progress })? {
                interrupted = true;
                break;
            }
            for t in epoch * n..(epoch + 1) * n {
                if t % look == 0 && run.is_enough()? {
                    interrupted = true;
                    break;
                }
                prototypes.step(draws.row(t), self.rate_at(t as f64 / (self.epochs as f64 * n as f64)));
            }
            // One pass more tells how good what is kept is.
            (objective, dead) = quantise(&codebook(prototypes.settle())?, data, &run.finishing())?;
            curve.push(objective);
            if interrupted {
                break;
            }
        }
        let steps = (curve.len() * n) as u64;
        let mut certificate = Certificate {
            converged: !interrupted,
            interrupted,
            steps,
            objective: Some(objective),
            ..Certificate::default()
        };
        certificate.facts.insert("objective".into(), Fact::Curve(curve));
        certificate.fact("dead units", dead as f64);
        if dead > 0 {
            certificate.warn(format!("{dead} of {} prototypes win no rows; try start=k-means++", self.k));
        }
        Ok(Fitted { machine: Arc::new(codebook(prototypes.settle())?), certificate })
    }

    fn plan(&self, size: &Size) -> Plan {
        let step = 3.0 * self.k as f64 * size.columns as f64;
        let fit = self.epochs as f64 * size.rows as f64 * (2.0 * step + 50.0);
        Plan { fit, predict: step, bytes: 8.0 * size.rows as f64 * (self.k as f64 + 1.0), advice: None }
    }
}

impl PartialFit for Vq {
    fn learn_part(&self, part: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        Vq { epochs: 1, schedule: Schedule::Constant, ..self.clone() }.learn(part, start, run)
    }
}

/// H and how many prototypes win no row.
fn quantise(codebook: &Codebook, data: &Dataset, run: &Run<'_>) -> Result<(f64, usize)> {
    let scores = codebook.apply(&data.inputs, run)?.to_dense(&run.memory)?;
    let mut won = vec![false; codebook.len()];
    let mut objective = 0.0;
    for (i, line) in scores.chunks_exact(codebook.len()).enumerate() {
        let winner = argmax(line) as usize;
        won[winner] = true;
        objective -= 0.5 * data.weight(i) * line[winner];
    }
    Ok((objective, won.iter().filter(|w| !**w).count()))
}

/// Rows drawn by weight, with replacement.
struct Draws {
    /// Weights of the rows up to each, where there are weights.
    sums: Option<Vec<f64>>,
    n: usize,
    seed: Seed,
}

impl Draws {
    fn new(data: &Dataset, seed: Seed) -> Self {
        let sum = |sum: &mut f64, w: &f64| {
            *sum += w;
            Some(*sum)
        };
        Draws { sums: data.weights.as_ref().map(|w| w.iter().scan(0.0, sum).collect()), n: data.len(), seed }
    }

    fn row(&self, t: usize) -> usize {
        let unit = self.seed.at(t).unit();
        let row = match &self.sums {
            Some(sums) => sums.partition_point(|s| *s <= unit * sums[sums.len() - 1]),
            None => (unit * self.n as f64) as usize,
        };
        row.min(self.n - 1)
    }
}
