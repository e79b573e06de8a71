//! The RBF network: Gaussian units around centres, and a linear layer on top.
//!
//! φ_j(x) = exp(−½ (x − c_j)ᵀ Σ_j⁻¹ (x − c_j)). For values σ(x) = Σ_j w_j φ_j(x) + w_0 by ridge least squares. For classes
//! the units are normalised, φ̂_j = φ_j / Σ_k φ_k, and the scores Σ_j w_kj φ̂_j + w_k0 are learnt by cross entropy with an
//! L2 penalty; their softmax are probabilities. Centres come from K-means and the spreads from the rows of each cluster
//! (see [`spread`]'s file); both then stay, which makes the rest convex: the linear layer is the best there is for them.
//! With `steps` the centres and the layer move downhill together from there (see [`descent`]'s file).
//!
//! **Cost.** K-means, then O(n m (d + m)) for m units; n m numbers for classes. Full spreads take m d² numbers.
//! **Limits.** Distances weigh columns by their scale: scale them first. With narrow widths φ̂ is 1 for the nearest unit
//! and 0 for the others, and the machine becomes one of nearest prototypes.
//!
//! - D. S. Broomhead, D. Lowe: *Multivariable functional interpolation and adaptive networks.* Complex Syst. 2 (1988).
//! - M. Biehl: *The Shallow and the Deep.* 2023, equations (5.34)-(5.36).

mod descent;
mod form;
mod spread;

use crate::{NetworkMachine, readout};
use base::{
    Certificate, Dataset, Fitted, Gap, Learner, Link, Machine, Needs, Outputs, Plan, Record, Result, Run, Size,
    Targets, Traits, Wanted, Weighting, values_of,
};
use distance::KMeans;
use form::Units;
use linear::{Linear, Logistic};
pub use spread::Spread;
use std::sync::Arc;

base::settings! {
    /// Settings of an RBF network.
    pub struct RbfNetwork {
        /// number of Gaussian units
        pub units: usize = 20, in Range::Between(1.0, 100000.0), as "n_units";
        /// covariance of the Gaussians
        pub spread: Spread = Spread::Isotropic, in Range::Any;
        /// width of the Gaussians, relative to the spread of their clusters
        pub width: f64 = 1.0, in Range::Positive;
        /// strength γ of the penalty ½γ|w|² on the linear layer
        pub penalty: f64 = 0.001, in Range::AtLeast(0.0), as "alpha", was "gamma";
        /// random starts of k-means; the best is kept
        pub restarts: usize = 4, in Range::AtLeast(1.0), as "n_init";
        /// maximum number of gradient iterations on centres and output layer together; 0: centres stay fixed
        pub steps: usize = 0, in Range::AtLeast(0.0), as "max_iter";
    }
}

impl Learner for RbfNetwork {
    fn name(&self) -> &'static str {
        "rbf-network"
    }

    fn traits(&self) -> Traits<'_> {
        Traits::new(Needs { targets: Wanted::Either, table: false, missing: false, weights: Weighting::Mean })
            .random()
            .effort(30.0, 2.0, 5e6)
    }

    fn learn(&self, data: &Dataset, _: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        let count = self.units.min(data.len());
        let clusters = KMeans { k: count, restarts: self.restarts, ..KMeans::default() };
        let found = clusters.best(data, None, &run.fork("centres"))?;
        let units = Units::new(self.spread, &found.centres, data, self.width, run)?;
        let normalised = matches!(data.targets, Targets::Classes(_));
        let names = Outputs::features((0..count).map(|j| format!("unit {j}")).collect());
        let hidden = NetworkMachine::new(units.graph(normalised, None)?, data.features.clone(), names)?;
        let (outputs, weights, offsets, mut certificate) = match normalised {
            true => self.classes(&hidden, data, run)?,
            false => self.values(&hidden, data, run)?,
        };
        certificate.interrupted |= found.interrupted;
        certificate.converged &= !certificate.interrupted;
        certificate.fact("mean squared distance to the centres", 2.0 * found.objective / weight_of(data));
        if count < self.units {
            certificate.warn(format!("{count} units: there are no more rows"));
        }
        if found.dead > 0 {
            certificate.warn(format!("{} of {count} units have no rows of their own", found.dead));
        }
        let mut graph = units.graph(normalised, Some((&weights, &offsets)))?;
        if self.steps > 0 && !certificate.interrupted {
            let found;
            (graph, found) = descent::descend(graph, data, self.penalty, self.steps, run)?;
            certificate.steps = found.steps as u64;
            certificate.objective = Some(found.value);
            certificate.gap = Gap::Stationary(found.gradient);
            certificate.interrupted = found.interrupted;
            certificate.converged = found.converged;
            if !found.converged && !found.interrupted {
                certificate.warn("the objective was still decreasing after all iterations; raise steps");
            }
        }
        let machine = NetworkMachine::new(graph, data.features.clone(), outputs)?;
        Ok(Fitted { machine: Arc::new(machine), certificate })
    }

    fn plan(&self, size: &Size) -> Plan {
        let (n, m, d) = (size.rows as f64, self.units as f64, size.columns as f64);
        let k = size.outputs.max(1) as f64;
        let clusters = KMeans { k: self.units, restarts: self.restarts, ..KMeans::default() }.plan(size);
        let row = match self.spread {
            Spread::Full => 2.0 * m * d * d,
            Spread::Pooled => 2.0 * d * (d + m),
            Spread::Isotropic | Spread::Diagonal => 4.0 * m * d,
        };
        let fit = clusters.fit + n * (2.0 * row + m * m + 300.0 * m * k + 3.0 * row * self.steps as f64);
        let numbers = if self.spread == Spread::Full { m * d * d } else { d * (d + m) };
        let bytes = clusters.bytes + 8.0 * (n * (m + k) + 2.0 * m * m + numbers);
        Plan { fit, predict: row + 2.0 * m * k + 20.0 * m, bytes, advice: None }
    }
}

/// What a linear layer needs: its outputs, weights (units x outputs), offsets, and how good it is.
type Layer = (Outputs, Vec<f64>, Vec<f64>, Certificate);

impl RbfNetwork {
    fn values(&self, hidden: &NetworkMachine, data: &Dataset, run: &Run<'_>) -> Result<Layer> {
        let values = values_of(data)?;
        let best = readout(hidden, data, values.values(), self.penalty, run)?;
        let mut certificate = Certificate::direct();
        certificate.objective = Some(best.objective);
        certificate.gap = Gap::Residual(best.residual);
        Ok((Outputs::values(values.names().clone()), best.weights, best.offsets, certificate))
    }

    fn classes(&self, hidden: &NetworkMachine, data: &Dataset, run: &Run<'_>) -> Result<Layer> {
        let features = hidden.compute(&data.inputs, run)?;
        features.check_computed(false, |j| format!("unit {j}"), "the hidden layer")?;
        let over = data.with_inputs(features, hidden.outputs().as_features());
        let fitted = Logistic { penalty: self.penalty, ..Logistic::default() }.fit(&over, None, run)?;
        let layer = fitted.machine.expect::<Linear>()?;
        let (m, k) = (layer.inputs().count(), layer.offsets().len());
        let dense = layer.weights().to_dense(&run.memory)?;
        let weights = (0..m).flat_map(|j| (0..k).map(move |c| c * m + j)).map(|i| dense[i]).collect();
        let outputs = Outputs::classes(layer.outputs().names.clone(), Link::Softmax);
        Ok((outputs, weights, layer.offsets().to_vec(), fitted.certificate))
    }
}

/// The sum of weights.
fn weight_of(data: &Dataset) -> f64 {
    data.weights.as_ref().map_or(data.len() as f64, |w| w.iter().sum())
}
