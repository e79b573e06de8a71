//! The extreme learning machine: a hidden layer that is drawn and never trained, and a linear layer by least squares.
//!
//! h(x) = g(Ax + b) with normal A (standard deviation scale/√d) and b (scale), then V and c minimise
//! ½ Σ w ‖y − Vᵀh(x) − c‖² + ½γ‖V‖². Classes are learnt as +1 for the own and −1 for every other class, and the largest
//! output wins; one-hot targets would give the same winners, because c is free. The objective is convex, so this is its
//! minimum, in one go.
//!
//! **Cost.** O(n (d m + m²) + m³) for m units; prediction 2m(d + outputs) operations a row. **Use** where training time
//! counts and the columns are of like scale (`--prepare scale`). γ = 0 takes the shortest solution, whose error peaks
//! where there are as many units as rows.
//!
//! - G.-B. Huang, Q.-Y. Zhu, C.-K. Siew: *Extreme learning machine.* Neurocomputing 70 (2006) 489-501.
//! - M. Biehl: *The Shallow and the Deep.* 2023, section 5.5.2.

use super::readout;
use super::targets::targets_of;
use crate::NetworkMachine;
use crate::layers::{Activation, Unit};
use base::graph::{Draft, Element, Graph, Op, Tensor};
use base::{
    Certificate, Dataset, Fitted, Gap, Learner, Needs, Outputs, Plan, Record, Result, Run, Size, Traits, Wanted,
    Weighting, normal,
};
use std::sync::Arc;

base::settings! {
    /// Settings of an extreme learning machine.
    pub struct Elm {
        /// number of hidden units
        pub units: usize = 200, in Range::Between(1.0, 1000000.0), as "n_units";
        /// activation function of the hidden layer
        pub activation: Activation = Activation::Tanh, in Range::Any;
        /// scale of the random weights and thresholds
        pub scale: f64 = 1.0, in Range::Positive;
        /// strength γ of the penalty ½γ|v|² on the linear layer; 0: minimum-norm solution
        pub penalty: f64 = 0.1, in Range::AtLeast(0.0), as "alpha", was "gamma";
    }
}

impl Learner for Elm {
    fn name(&self) -> &'static str {
        "elm"
    }

    fn traits(&self) -> Traits<'_> {
        Traits::new(Needs { targets: Wanted::Either, table: false, missing: false, weights: Weighting::Exact })
            .random()
            .effort(9.0, 1.0, 9e6)
    }

    fn learn(&self, data: &Dataset, _: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        let mut certificate = Certificate::direct();
        let (outputs, targets) = targets_of(data, &mut certificate)?;
        let hidden = self.hidden(data.points()?.columns(), run)?;
        let units = Outputs::features((0..self.units).map(|j| format!("h{j}")).collect());
        let network = NetworkMachine::new(hidden.clone().graph()?, data.features.clone(), units)?;
        let last = readout(&network, data, &targets, self.penalty, run)?;
        certificate.objective = Some(last.objective);
        certificate.gap = Gap::Residual(last.residual);
        let graph = hidden.read_out(&last.weights, &last.offsets)?;
        let machine = NetworkMachine::new(graph, data.features.clone(), outputs)?;
        Ok(Fitted { machine: Arc::new(machine), certificate })
    }

    fn plan(&self, size: &Size) -> Plan {
        let (n, m, k) = (size.rows as f64, self.units as f64, size.outputs.max(1) as f64);
        let d = size.columns as f64;
        let fit = n * (4.0 * d * m + m * m) + m * m * m / 3.0;
        let bytes = if self.penalty > 0.0 { 24.0 * m * m } else { 8.0 * (5.0 * n * m) };
        Plan { fit, predict: 2.0 * m * (d + k), bytes: bytes + 8.0 * d * m, advice: None }
    }
}

/// The drawn layer.
#[derive(Clone)]
struct Drawn {
    weights: Tensor,
    thresholds: Tensor,
    unit: Unit,
}

impl Elm {
    /// Draws the hidden layer for inputs of so many columns.
    fn hidden(&self, columns: usize, run: &Run<'_>) -> Result<Drawn> {
        let count = columns.saturating_mul(self.units);
        let _hold = run.memory.take_for::<f64>(count, "drawn weights")?;
        let seed = run.seed.fork("elm");
        let mut stream = seed.fork("weights").stream();
        let spread = self.scale / (columns as f64).sqrt();
        let weights = (0..count).map(|_| spread * normal(&mut stream)).collect();
        let mut stream = seed.fork("thresholds").stream();
        let thresholds = (0..self.units).map(|_| self.scale * normal(&mut stream)).collect();
        Ok(Drawn {
            weights: Tensor::f64([columns, self.units], weights)?,
            thresholds: Tensor::f64([self.units], thresholds)?,
            unit: self.activation.into(),
        })
    }
}

impl Drawn {
    /// The layer alone.
    fn graph(self) -> Result<Graph> {
        let mut draft = Draft::default();
        let hidden = self.put(&mut draft)?;
        draft.named("h", hidden)
    }

    /// The layer with a linear one on top, which alone may be trained.
    fn read_out(self, weights: &[f64], offsets: &[f64]) -> Result<Graph> {
        let units = self.thresholds.numbers().len();
        let mut draft = Draft::default();
        let hidden = self.put(&mut draft)?;
        let v = draft.trained("readout weights", Tensor::f64([units, offsets.len()], weights.to_vec())?);
        let c = draft.trained("readout offsets", Tensor::f64([offsets.len()], offsets.to_vec())?);
        let y = draft.node("readout", Op::Dense { transposed: false }, &[hidden, v, c]);
        draft.named("y", y)
    }

    fn put(self, draft: &mut Draft) -> Result<base::graph::Source> {
        let columns = self.weights.shape()[0];
        let x = draft.input("x", Element::F64, vec![None, Some(columns)]);
        let a = draft.constant("drawn weights", self.weights);
        let b = draft.constant("drawn thresholds", self.thresholds);
        let field = draft.node("fields", Op::Dense { transposed: false }, &[x, a, b]);
        self.unit.put(draft, "hidden", Element::F64, field)
    }
}
