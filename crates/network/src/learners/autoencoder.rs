//! Autoencoders: networks that give back what goes in, through a narrow layer whose values are the code of a row.
//!
//! N → … → M → … → N, the hidden layers mirrored behind the code; ½ |x' − x|² is made small on average. The machine gives
//! the code (M numbers, inputs of the next machine), the reconstruction x', or ½ |x' − x|², which grows with strangeness.
//! With linear units the code spans the M leading principal components. Scale the columns first.
//!
//! **Cost.** 6 operations for each weight, row and epoch.

use super::supervised::{plan, train_graph};
use crate::layers::{Activation, After, DenseLayer, Growth, Layer};
use crate::train::{Ask, Cost, Training};
use crate::{NetworkMachine, rewrite};
use base::graph::{Binary, Element, Graph, Node, Op, Reduction, Source, Tensor, Weight};
use base::{
    Dataset, Error, Features, Fitted, Learner, Link, Meaning, Needs, Outputs, Plan, Record, Result, Run, Seed, Size,
    Traits, Wanted, Weighting,
};
use std::sync::Arc;

base::choices! {
    /// What an autoencoder gives.
    pub enum Gives {
        /// The values of the narrow layer.
        Code = "code",
        /// What the network makes of the code.
        Reconstruction = "reconstruction",
        /// Half the squared difference from that.
        Error = "error",
    }
}

base::settings! {
    /// Settings of autoencoders.
    pub struct Autoencoder {
        /// size of the code
        pub code: usize = 2, in Range::AtLeast(1.0), as "n_components";
        /// units of the hidden layers before the code, mirrored after it; none: straight to the code
        pub hidden: Vec<f64> = vec![], in Range::Between(1.0, 1e6), as "hidden_layer_sizes";
        /// activation function of the hidden layers; the code is linear
        pub activation: Activation = Activation::Relu, in Range::Any;
        /// output of the machine
        pub returns: Gives = Gives::Code, in Range::Any, was "gives";
        use training: Training = Training::default();
    }
}

impl Autoencoder {
    /// The network from rows to their reconstruction, and the name of the node with the code.
    pub fn network(&self, features: &Features, element: Element, seed: Seed) -> Result<(Graph, String)> {
        let mut growth = Growth::new(features, false, element, seed.fork("weights"));
        let mut dense = |units: f64, activation: Activation| {
            let after = After { unit: activation.into(), ..After::default() };
            growth.add(&Layer::Dense(DenseLayer { units: units as usize, after }))
        };
        self.hidden.iter().try_for_each(|&units| dense(units, self.activation))?;
        dense(self.code as f64, Activation::Identity)?;
        self.hidden.iter().rev().try_for_each(|&units| dense(units, self.activation))?;
        growth.outputs(features.count(), Activation::Identity.into())?;
        Ok((growth.graph()?, format!("dense {}", self.hidden.len() + 1)))
    }

    /// The machine of a trained network.
    fn machine(&self, graph: Graph, code: &str, features: &Features) -> Result<NetworkMachine> {
        let (graph, outputs) = match self.returns {
            Gives::Code => {
                let names = (1..=self.code).map(|i| format!("code {i}")).collect();
                (rewrite::cut(&graph, code)?, Outputs::features(names))
            }
            Gives::Reconstruction => (graph, Outputs::same(features)),
            Gives::Error => {
                let names = ["outlier score".to_string()].into();
                let outputs = Outputs { meaning: Meaning::Outlier, link: Link::None, ..Outputs::values(names) };
                (with_error(graph)?, outputs)
            }
        };
        NetworkMachine::new(graph, features.clone(), outputs)
    }
}

/// The graph that gives half the squared difference of its output from its input.
fn with_error(graph: Graph) -> Result<Graph> {
    let (inputs, mut weights, mut nodes, outputs) = graph.into_parts();
    let half = match inputs.first().map(|input| input.element) {
        Some(Element::F32) => Tensor::f32([], vec![0.5])?,
        _ => Tensor::f64([], vec![0.5])?,
    };
    weights.push(Weight { name: "half".into(), tensor: half, trained: false });
    let mut add = |name: &str, op: Op, inputs: [Option<Source>; 2]| {
        let inputs = inputs.into_iter().flatten().map(Some).collect();
        nodes.push(Node { name: name.into(), op, inputs, outputs: 1 });
        Some(Source::Node(nodes.len() - 1, 0))
    };
    let miss = add("miss", Op::Binary(Binary::Sub), [outputs.first().map(|o| o.1), Some(Source::Input(0))]);
    let reduction = Op::Reduce { reduction: Reduction::SumSquare, axes: vec![1], keep: true };
    let square = add("square", reduction, [miss, None]);
    let last = add("error", Op::Binary(Binary::Mul), [square, Some(Source::Weight(weights.len() - 1))]);
    let last = last.ok_or_else(|| Error::size("outputs of a graph", "at least 1", 0))?;
    Graph::new(inputs, weights, nodes, vec![("error".into(), last)])
}

impl Learner for Autoencoder {
    fn name(&self) -> &'static str {
        "autoencoder"
    }

    fn traits(&self) -> Traits<'_> {
        Traits::new(Needs { targets: Wanted::Nothing, table: false, missing: false, weights: Weighting::Mean })
            .random()
            .checkpoints()
            .effort(60.0, 1.0, 0.0)
    }

    fn learn(&self, data: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        if !matches!(self.training.cost, Cost::Auto | Cost::Quadratic | Cost::Minkowski) {
            return Err(Error::parameter("cost", self.training.cost.word(), "must be quadratic or minkowski here"));
        }
        if self.activation == Activation::Sign {
            return Err(Error::parameter("activation", "sign", "has no useful gradient to train with"));
        }
        if let Some(record) = start.filter(|record| !record.has("training")) {
            return Err(record.broken("an autoencoder can be resumed only from its checkpoints"));
        }
        let (graph, code) = self.network(&data.features, self.training.precision.element(), run.seed)?;
        let machine = |graph: Graph| self.machine(graph, &code, &data.features);
        let trained = train_graph(graph, data, Ask::Inputs, start, &self.training, &machine, run)?;
        Ok(Fitted { machine: Arc::new(machine(trained.graph)?), certificate: trained.certificate })
    }

    fn plan(&self, size: &Size) -> Plan {
        let graph = self.network(&Features::unnamed(size.columns), Element::F32, Seed(0)).map(|(graph, _)| graph);
        plan(graph, &self.training, size)
    }
}
