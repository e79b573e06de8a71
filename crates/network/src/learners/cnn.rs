//! Convolutional networks, described by a short text.
//!
//! Filters with shared weights slide over pictures (or series), windows are brought together, dense layers decide; all of
//! it is trained end to end. The text is that of [`crate::layers::parse`]; a dense layer to the outputs comes after it.
//! Data must have a shape: pictures, IDX files, series.
//!
//! **Cost.** 6 operations for each weight, place, row and epoch.

use super::pruned::Prune;
use super::supervised::{self, Way};
use crate::layers::{Activation, Growth, Scaling, parse, scales};
use crate::train::{Precision, Schedule, Training};
use base::graph::{Element, Graph};
use base::{
    Dataset, Error, Features, Fitted, Learner, Needs, PartialFit, Plan, Record, Result, Run, Seed, Size, Traits,
    Wanted, Weighting,
};

base::settings! {
    /// Settings of convolutional networks.
    pub struct Cnn {
        /// layers before the output layer, such as conv 32 3x3 relu, pool 2, dense 128 relu, dropout 0.5
        pub layers: String = "conv 16 3x3 relu, pool 2, conv 32 3x3 relu, pool 2, dense 128 relu, dropout 0.25".into(), in Range::Any;
        /// how inputs are scaled inside the network
        pub scale: Scaling = Scaling::Auto, in Range::Any;
        use training: Training = Training { epochs: 10, batch: 64, schedule: Schedule::OneCycle, precision: Precision::F32, ..Training::default() };
    }
}

impl Cnn {
    /// The network for these features and outputs, with weights drawn for a start, and what inputs are scaled by.
    pub fn network(
        &self,
        features: &Features,
        outputs: usize,
        scales: Option<&(Vec<f64>, Vec<f64>)>,
        element: Element,
        seed: Seed,
    ) -> Result<Graph> {
        let mut growth = Growth::new(features, true, element, seed.fork("weights"));
        if let Some((mean, deviation)) = scales {
            growth.scale(mean, deviation)?;
        }
        parse(&self.layers)?.iter().try_for_each(|layer| growth.add(layer))?;
        growth.outputs(outputs, Activation::Identity.into())?;
        growth.graph()
    }

    fn train(&self, data: &Dataset, start: Option<&Record>, portion: bool, run: &Run<'_>) -> Result<Fitted> {
        if data.features.shape().is_none() {
            return Err(Error::size("inputs of cnn", "images or time series", "columns without a shape (use mlp)"));
        }
        let element = self.training.precision.element();
        let scales = scales(data, self.scale, run)?;
        let build = |outputs: usize| self.network(&data.features, outputs, scales.as_ref(), element, run.seed);
        let way = Way { training: &self.training, prune: (Prune::None, 1.0), linear: true, portion };
        supervised::fit(data, start, &way, &build, run)
    }
}

impl Learner for Cnn {
    fn name(&self) -> &'static str {
        "cnn"
    }

    fn traits(&self) -> Traits<'_> {
        Traits::new(Needs { targets: Wanted::Either, table: false, missing: false, weights: Weighting::Mean })
            .random()
            .warm_start()
            .checkpoints()
            .needs_shape()
            .partial(self)
            .effort(10.0, 1.0, 0.0)
            // An image of 2 x 2 pixels; six digits are fewer than the contract asks for.
            .contract(&[("layers", "conv 3 2x2 norm relu, pool 2, dense 4 tanh"), ("precision", "f64")])
    }

    fn learn(&self, data: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        self.train(data, start, false, run)
    }

    fn plan(&self, size: &Size) -> Plan {
        // Without the data's shape a square picture of one channel is as good a guess as any.
        let side = (size.columns as f64).sqrt().round() as usize;
        let shape = base::Shape::Image { height: side, width: side, channels: 1 };
        let features = Features::unnamed(side * side).shaped(shape).unwrap_or_else(|_| Features::unnamed(size.columns));
        let graph = self.network(&features, size.outputs.max(1), None, Element::F32, Seed(0));
        supervised::plan(graph, &self.training, size)
    }
}

impl PartialFit for Cnn {
    fn learn_part(&self, part: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        Cnn { training: self.training.one_pass()?, ..self.clone() }.train(part, start, true, run)
    }
}
