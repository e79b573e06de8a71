//! Multilayer perceptrons: dense layers of units, for classes and values.
//!
//! Layer by layer h = g(γ (W h + b)), the last one with an activation of its own. For classes there is an output for each,
//! and with the cross entropy the probabilities are their softmax. Dropout scales while training, so the trained network
//! needs no change: the same as multiplying the weights by the share that is kept.
//!
//! **Cost.** 6 operations for each weight, row and epoch. Training settings: `train`.

use super::pruned::Prune;
use super::supervised::{self, Way};
use crate::layers::{Activation, After, Dense, Growth, Layer, Scaling, Unit, scales};
use crate::train::Training;
use base::graph::{Element, Graph};
use base::{
    Dataset, Error, Features, Fitted, Learner, Needs, PartialFit, Plan, Record, Result, Run, Seed, Size, Traits,
    Wanted, Weighting,
};

base::settings! {
    /// Settings of multilayer perceptrons.
    pub struct Mlp {
        /// units of the hidden layers, from the first to the last; none: a linear machine
        pub hidden: Vec<f64> = vec![100.0], in Range::Between(1.0, 1e6), as "hidden_layer_sizes";
        /// what a hidden unit makes of its field
        pub activation: Activation = Activation::Relu, in Range::Any;
        /// what an output unit makes of its field; with an entropy as cost leave it at identity
        pub output: Activation = Activation::Identity, in Range::Any;
        /// what the field of hidden units is multiplied with
        pub steepness: f64 = 1.0, in Range::Positive;
        /// slope of the leaky unit where negative
        pub leak: f64 = 0.01, in Range::Between(0.0, 0.99);
        /// chance of a hidden unit to be dropped in a step
        pub dropout: f64 = 0.0, in Range::Between(0.0, 0.99);
        /// chance of an input to be dropped in a step
        pub input_dropout: f64 = 0.0, in Range::Between(0.0, 0.99);
        /// chance of a weight to be dropped in a step
        pub drop_connect: f64 = 0.0, in Range::Between(0.0, 0.99);
        /// normalise the fields of hidden units over the rows of a step
        pub batch_norm: bool = false, in Range::Any;
        /// which weights go after training, with precision f64: obd or obs
        pub prune: Prune = Prune::None, in Range::Any;
        /// share of the weights that stay when pruned
        pub keep: f64 = 0.5, in Range::Share;
        /// how inputs are scaled within the network
        pub scale: Scaling = Scaling::Auto, in Range::Any;
        use training: Training = Training::default();
    }
}

impl Mlp {
    /// The network for these features and outputs, with weights drawn for a start, and what inputs are scaled by.
    pub fn network(
        &self,
        features: &Features,
        outputs: usize,
        scales: Option<&(Vec<f64>, Vec<f64>)>,
        element: Element,
        seed: Seed,
    ) -> Result<Graph> {
        let mut growth = Growth::new(features, false, element, seed.fork("weights"));
        if let Some((mean, deviation)) = scales {
            growth.scale(mean, deviation)?;
        }
        if self.input_dropout > 0.0 {
            growth.add(&Layer::Dropout(self.input_dropout))?;
        }
        for &units in &self.hidden {
            let unit = Unit { activation: self.activation, steepness: self.steepness, leak: self.leak };
            let after = After { norm: self.batch_norm, drop_connect: self.drop_connect, unit };
            growth.add(&Layer::Dense(Dense { units: units as usize, after }))?;
            if self.dropout > 0.0 {
                growth.add(&Layer::Dropout(self.dropout))?;
            }
        }
        growth.outputs(outputs, self.output.into())?;
        growth.graph()
    }

    fn train(&self, data: &Dataset, start: Option<&Record>, portion: bool, run: &Run<'_>) -> Result<Fitted> {
        self.check()?;
        let element = self.training.precision.element();
        let scales = scales(data, self.scale, run)?;
        let build = |outputs: usize| self.network(&data.features, outputs, scales.as_ref(), element, run.seed);
        let linear = self.output == Activation::Identity;
        let way = Way { training: &self.training, prune: (self.prune, self.keep), linear, portion };
        supervised::fit(data, start, &way, &build, run)
    }

    fn check(&self) -> Result<()> {
        if let Some(units) = self.hidden.iter().find(|u| u.fract() != 0.0) {
            return Err(Error::parameter("hidden", units, "must be whole numbers"));
        }
        match [self.activation, self.output].contains(&Activation::Sign) {
            true => Err(Error::parameter("activation", "sign", "has no slope to learn by; elm can use it")),
            false => Ok(()),
        }
    }
}

impl Learner for Mlp {
    fn name(&self) -> &'static str {
        "mlp"
    }

    fn traits(&self) -> Traits<'_> {
        Traits::new(Needs { targets: Wanted::Either, table: false, missing: false, weights: Weighting::Mean })
            .random()
            .warm_start()
            .checkpoints()
            .partial(self)
    }

    fn learn(&self, data: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        self.train(data, start, false, run)
    }

    fn plan(&self, size: &Size) -> Plan {
        let features = Features::unnamed(size.columns);
        let graph = self.network(&features, size.outputs.max(1), None, Element::F32, Seed(0));
        supervised::plan(graph, &self.training, size)
    }
}

impl PartialFit for Mlp {
    fn learn_part(&self, part: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        let pass = Mlp { training: self.training.one_pass()?, prune: Prune::None, ..self.clone() };
        pass.train(part, start, true, run)
    }
}
