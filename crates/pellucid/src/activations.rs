//! Activations of a network as features: the step `network=FILE@node`.
//!
//! The network is read from an ONNX file or a model of ours, cut at the node (or whole, without one), and stays as it is:
//! a fit only finds out whether the columns fit. The cut network is part of the machine, so that a model that was fitted
//! on its activations needs the file no more. Numbers go in as (x − shift) · factor, pixels being 0 to 255 as they are.
//!
//! **Cost.** That of the network up to the node, for each row.

use crate::{Model, OnnxReading};
use base::{
    Certificate, Chain, Dataset, Error, Features, Fitted, GraphForm, Learner, Machine, Needs, Outputs, Plan, Record,
    Result, Run, Size, Traits, Wanted, Weighting,
};
use network::{NetworkMachine, rewrite};
use std::path::Path;
use std::sync::Arc;

base::settings! {
    /// Settings of the activations of a network.
    pub struct Activations {
        /// network, as FILE or FILE@node: an ONNX file or a Pellucid model, up to a node
        pub file: String = String::new(), in Range::Any;
        /// subtracted from every input of the network
        pub shift: f64 = 0.0, in Range::Any;
        /// factor applied after subtracting the shift
        pub factor: f64 = 1.0, in Range::Any;
    }
}

impl Activations {
    /// The file and the node, if one is named.
    fn source(&self) -> Result<(&Path, Option<&str>)> {
        if self.file.is_empty() {
            return Err(Error::parameter("file", "", "is required: network=FILE or network=FILE@node"));
        }
        // A file may have the sign in its name.
        match self.file.rsplit_once('@') {
            Some((file, node)) if !Path::new(&self.file).is_file() => Ok((Path::new(file), Some(node))),
            _ => Ok((Path::new(&self.file), None)),
        }
    }

    /// The network, cut at the node, with the features it takes.
    fn network(&self, run: &Run<'_>) -> Result<NetworkMachine> {
        let (path, node) = self.source()?;
        // An ONNX file is cut as it is read, a model of ours once it is one graph.
        let onnx = files::format_of(path, run)? == files::Format::Onnx;
        let (early, late) = if onnx { (node, None) } else { (None, node) };
        let how = OnnxReading { node: early.map(str::to_string), ..OnnxReading::default() };
        let machine = Model::load_with(path, &how, run)?.machine;
        let graph = match machine.downcast::<NetworkMachine>() {
            Some(network) => Some((**network.graph()).clone()),
            None => machine.to_graph(run)?,
        };
        let Some(graph) = graph else {
            let instead = "it must be a network, or convertible to one";
            return Err(Error::unsupported("the model in this file", "activations of a network", instead));
        };
        // A model that takes a table of numbers takes numbers here.
        let inputs = match machine.inputs().table() {
            Some(columns) => Features::named(columns.iter().map(|c| c.name.clone()).collect::<Vec<_>>()),
            None => machine.inputs().clone(),
        };
        let Some(node) = late else {
            return NetworkMachine::new(graph, inputs, Outputs::features(machine.outputs().names.clone()));
        };
        let graph = rewrite::only_output(&rewrite::cut(&graph, node)?, 0)?;
        let width = NetworkMachine::width_of(&graph, &inputs)?;
        let names = (0..width).map(|i| format!("{node} {i}")).collect();
        NetworkMachine::new(graph, inputs, Outputs::features(names))
    }
}

impl Learner for Activations {
    fn name(&self) -> &'static str {
        "network"
    }

    fn traits(&self) -> Traits<'_> {
        Traits::new(Needs { targets: Wanted::Nothing, table: false, missing: false, weights: Weighting::Exact })
            .needs_shape()
    }

    fn learn(&self, data: &Dataset, _: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        let network = self.network(run)?;
        let (found, expected) = (data.features.count(), network.inputs().count());
        if found != expected {
            let takes = network.inputs().shape().map_or(String::new(), |shape| format!(" ({shape})"));
            return Err(Error::size("columns for the network", format!("{expected}{takes}"), found));
        }
        // The data's own names, in the shape that the network says.
        let features = match network.inputs().shape() {
            Some(shape) => data.features.clone().shaped(shape)?,
            None => data.features.clone(),
        };
        let graph = (**network.graph()).clone();
        let machine = NetworkMachine::new(graph, features.clone(), network.outputs().clone())?;
        let machine = match (self.shift, self.factor) {
            (0.0, 1.0) => machine,
            (shift, factor) => {
                let count = features.count();
                let affine = prepare::Affine::new(features.clone(), vec![shift; count], vec![factor; count])?;
                let both = GraphForm::graph(&Chain::new(vec![Arc::new(affine), Arc::new(machine)])?, run)?;
                let both = both.ok_or_else(|| Error::size("the graph of a network", "one", "none"))?;
                NetworkMachine::new(both, features, network.outputs().clone())?
            }
        };
        let mut certificate = Certificate::direct();
        certificate.fact("activations", machine.outputs().names.len() as f64);
        Ok(Fitted { machine: Arc::new(machine), certificate })
    }

    fn plan(&self, size: &Size) -> Plan {
        // What is in the file is not known before it is read; each column is looked at some hundred times.
        let columns = size.columns as f64;
        Plan { fit: 0.0, predict: 200.0 * columns, bytes: 8.0 * size.entries as f64, advice: None }
    }
}
