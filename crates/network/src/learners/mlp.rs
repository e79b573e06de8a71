//! Multilayer perceptrons: dense layers of units, for classes and values.
//!
//! Layer by layer h = g(γ (W h + b)), the last one with an activation of its own. For classes there is an output for each,
//! and with the cross entropy the probabilities are their softmax. Dropout scales while training, so the trained network
//! needs no change: the same as multiplying the weights by the share that is kept.
//!
//! **Cost.** 6 operations for each weight, row and epoch. Training settings: `train`.

use super::pruned::Prune;
use super::supervised::{self, Way};
use crate::layers::{Activation, After, DenseLayer, Growth, Layer, Scaling, Unit, scales};
use crate::train::Training;
use base::graph::{Element, Graph};
use base::{
    Dataset, Error, Features, Fitted, Learner, Needs, PartialFit, Plan, Record, Result, Run, Seed, Size, Traits,
    Wanted, Weighting,
};

base::settings! {
    /// Settings of multilayer perceptrons.
    pub struct Mlp {
        /// units of the hidden layers, first to last; none: a linear model
        pub hidden: Vec<f64> = vec![100.0], in Range::Between(1.0, 1e6), as "hidden_layer_sizes";
        /// activation function of the hidden layers
        pub activation: Activation = Activation::Relu, in Range::Any;
        /// activation function of the output layer; with a cross-entropy cost leave it at identity
        pub output: Activation = Activation::Identity, in Range::Any;
        /// steepness: factor of the pre-activation of hidden units
        pub steepness: f64 = 1.0, in Range::Positive;
        /// negative slope of leaky-relu
        pub leak: f64 = 0.01, in Range::Between(0.0, 0.99);
        /// probability of dropping a hidden unit
        pub dropout: f64 = 0.0, in Range::Between(0.0, 0.99);
        /// probability of dropping an input
        pub input_dropout: f64 = 0.0, in Range::Between(0.0, 0.99);
        /// probability of dropping a weight
        pub drop_connect: f64 = 0.0, in Range::Between(0.0, 0.99);
        /// batch normalisation of the hidden layers
        pub batch_norm: bool = false, in Range::Any;
        /// pruning after training: none, obd or obs; needs precision=f64
        pub prune: Prune = Prune::None, in Range::Any;
        /// fraction of the weights kept by pruning
        pub keep: f64 = 0.5, in Range::Share;
        /// how inputs are scaled inside the network
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
            growth.add(&Layer::Dense(DenseLayer { units: units as usize, after }))?;
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
            true => Err(Error::parameter(
                "activation",
                "sign",
                "has no useful gradient to train with; elm can \
                 use it",
            )),
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
            .effort(9.0, 1.0, 5e6)
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
