//! K-means: k centres so that the squared distances to the nearest one are smallest.
//!
//! Minimises H = Σ ½ w ‖x − c(x)‖², c(x) being the nearest centre, by Lloyd's iteration from several starts; the best is
//! kept. The minimum is a local one. Scores are −‖x − c_k‖².
//!
//! **Weights.** A row of weight w counts in means and objective as w rows; where it is drawn as a start, the chances are
//! those of w rows, so that weight 2 is the row twice in the mean over starts.
//! **Cost.** 2·n·k·d operations a step at most, usually far fewer after the first steps ([`crate::lloyd`]).
//! **Limits.** Clusters come out convex and of like spread; scale the columns first. H falls with k and is comparable
//! only at equal k: see [`elbow`].

use crate::codebook::Codebook;
use crate::lloyd::{Ended, iterate};
use crate::metric::Metric;
use crate::starts::{Start, begin, check_rows, is_better};
use base::{
    Certificate, Dataset, Error, Fact, Fitted, Gap, Learner, Machine, Needs, Plan, Record, Result, Run, Size, Traits,
    Wanted, Weighting, settings,
};
use std::sync::Arc;

settings! {
    /// Settings of K-means.
    pub struct KMeans {
        /// number of clusters
        pub k: usize = 8, in Range::AtLeast(1.0), as "n_clusters";
        /// initialisation of the centres
        pub start: Start = Start::PlusPlus, in Range::Any, as "init";
        /// number of random starts; the best is kept
        pub restarts: usize = 10, in Range::AtLeast(1.0), as "n_init";
        /// maximum number of iterations per start
        pub steps: usize = 300, in Range::AtLeast(1.0), as "max_iter";
    }
}

impl Learner for KMeans {
    fn name(&self) -> &'static str {
        "kmeans"
    }

    fn traits(&self) -> Traits<'_> {
        Traits::new(Needs { targets: Wanted::Nothing, table: false, missing: false, weights: Weighting::Mean })
            .random()
            .warm_start()
            .effort(40.0, 1.0, 0.0)
    }

    fn learn(&self, data: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        let best = self.best(data, start, run)?;
        let mut certificate = Certificate {
            converged: best.converged && !best.interrupted,
            interrupted: best.interrupted,
            steps: best.curve.len() as u64,
            objective: Some(best.objective),
            gap: if best.converged { Gap::Stationary(0.0) } else { Gap::Unknown },
            ..Certificate::default()
        };
        certificate.facts.insert("objective".into(), Fact::Curve(best.curve));
        certificate.fact("dead units", best.dead as f64);
        if best.dead > 0 {
            certificate.warn(format!("{} of {} centres have no rows", best.dead, self.k));
        }
        if !best.converged && !best.interrupted {
            certificate.warn(format!("assignments were still changing after {} iterations; raise steps", self.steps));
        }
        let machine = Codebook::new(data.features.clone(), best.centres, Metric::Euclidean, None)?;
        Ok(Fitted { machine: Arc::new(machine), certificate })
    }

    fn plan(&self, size: &Size) -> Plan {
        let (entries, k) = (size.entries as f64, self.k as f64);
        let predict = 2.0 * k * size.columns as f64;
        // Some twenty steps a start, of which bounds spare about half of the distances.
        let fit = self.restarts as f64 * entries * (2.0 * k + 20.0 * (k + 4.0));
        let bytes = 48.0 * size.rows as f64 + 160.0 * k * size.columns as f64;
        Plan { fit, predict, bytes, advice: None }
    }
}

impl KMeans {
    /// The best end of all starts, or the end from the centres of an earlier machine.
    pub fn best(&self, data: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Ended> {
        check_rows("kmeans", self.k, data)?;
        if let Some(record) = start {
            let earlier = Codebook::read(record)?;
            if earlier.len() != self.k || earlier.inputs().count() != data.points()?.columns() {
                return Err(record.broken("the model to warm-start from has another number of centres or columns"));
            }
            return iterate(data, earlier.centres().to_vec(), self.steps, run);
        }
        let seed = run.seed.fork("kmeans");
        let attempt = |i: usize| iterate(data, begin(self.start, self.k, data, seed.at(i), run)?, self.steps, run);
        let mut best = attempt(0)?;
        // The first rows are always the same.
        let restarts = if self.start == Start::First { 1 } else { self.restarts };
        for i in 1..restarts {
            if best.interrupted {
                break;
            }
            let next = match attempt(i) {
                Err(Error::Stopped { .. }) => {
                    best.interrupted = true;
                    break;
                }
                other => other?,
            };
            let stopped = next.interrupted;
            if is_better(-next.objective, -best.objective) {
                best = next;
            }
            best.interrupted = stopped;
        }
        Ok(best)
    }
}

/// The mean squared distance to the nearest centre, 2H/Σw, for each number of clusters: where the curve bends, more
/// clusters no longer pay. `learner` gives everything but k.
pub fn elbow(learner: &KMeans, data: &Dataset, ks: &[usize], run: &Run<'_>) -> Result<Vec<f64>> {
    let error = |&k: &usize| {
        let fitted = KMeans { k, ..learner.clone() }.fit(data, None, run)?;
        let total = data.weights.as_ref().map_or(data.len() as f64, |w| w.iter().sum());
        Ok(2.0 * fitted.certificate.objective.unwrap_or(f64::NAN) / total)
    };
    ks.iter().map(error).collect()
}
